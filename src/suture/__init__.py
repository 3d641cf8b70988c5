"""suture applies edits to files for coding agents.

Every edit lands exactly where it was meant, or nothing changes and the caller learns why.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from suture.apis import definitions
    from suture.check.issue import Issue, NotRunError, Validator
    from suture.engine import Transaction
    from suture.errors import SutureError
    from suture.formats.reply import ReplyParser, extract_paths, parse_reply
    from suture.models import LineEdit, SafeEditInput, SearchReplace, arguments_model
    from suture.settings import Settings
    from suture.text import Text
    from suture.text.edits import Edit, Span
    from suture.tools.reply import apply_blocks, preview_reply
    from suture.tools.spec import ToolResult
    from suture.wording.reply import validate_reply
    from suture.workspace import Workspace

__all__ = [
    "Edit",
    "Issue",
    "LineEdit",
    "NotRunError",
    "ReplyParser",
    "SafeEditInput",
    "SearchReplace",
    "Settings",
    "Span",
    "SutureError",
    "Text",
    "ToolResult",
    "Transaction",
    "Validator",
    "Workspace",
    "__version__",
    "apply_blocks",
    "arguments_model",
    "definitions",
    "extract_paths",
    "parse_reply",
    "preview_reply",
    "validate_reply",
]
__version__ = "0.1.0"

_MODULES = {
    "Edit": "suture.text.edits",
    "Issue": "suture.check.issue",
    "LineEdit": "suture.models",
    "NotRunError": "suture.check.issue",
    "ReplyParser": "suture.tools.reply",
    "SafeEditInput": "suture.models",
    "SearchReplace": "suture.models",
    "Settings": "suture.settings",
    "Span": "suture.text.edits",
    "SutureError": "suture.errors",
    "Text": "suture.text",
    "ToolResult": "suture.tools.spec",
    "Transaction": "suture.engine",
    "Validator": "suture.check.issue",
    "Workspace": "suture.workspace",
    "apply_blocks": "suture.tools.reply",
    "arguments_model": "suture.models",
    "definitions": "suture.apis",
    "extract_paths": "suture.tools.reply",
    "parse_reply": "suture.tools.reply",
    "preview_reply": "suture.tools.reply",
    "validate_reply": "suture.tools.reply",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: `suture --help` needs none of them."""
    if name not in _MODULES:
        message = f"module 'suture' has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module  # importing suture alone needs no module

    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
