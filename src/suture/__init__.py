"""suture puts edits into files for coding agents.

Every edit lands exactly where it was meant, or nothing changes and the caller learns why.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from suture.apis.catalog import definitions
    from suture.edits import Edit, Span
    from suture.errors import SutureError
    from suture.models import LineEdit, SafeEditInput, SearchReplace
    from suture.replies import ReplyParser, apply_blocks, extract_paths, parse_reply, preview_reply, validate_reply
    from suture.settings import Settings
    from suture.text import Text
    from suture.tools.spec import ToolResult
    from suture.transaction import Transaction
    from suture.validate.issue import Issue, NotRunError, Validator
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
    "definitions",
    "extract_paths",
    "parse_reply",
    "preview_reply",
    "validate_reply",
]
__version__ = "0.1.0"

_HOMES = {
    "Edit": "suture.edits",
    "Issue": "suture.validate.issue",
    "LineEdit": "suture.models",
    "NotRunError": "suture.validate.issue",
    "ReplyParser": "suture.replies",
    "SafeEditInput": "suture.models",
    "SearchReplace": "suture.models",
    "Settings": "suture.settings",
    "Span": "suture.edits",
    "SutureError": "suture.errors",
    "Text": "suture.text",
    "ToolResult": "suture.tools.spec",
    "Transaction": "suture.transaction",
    "Validator": "suture.validate.issue",
    "Workspace": "suture.workspace",
    "apply_blocks": "suture.replies",
    "definitions": "suture.apis.catalog",
    "extract_paths": "suture.replies",
    "parse_reply": "suture.replies",
    "preview_reply": "suture.replies",
    "validate_reply": "suture.replies",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: `suture --help` needs none of them."""
    if name not in _HOMES:
        message = f"module 'suture' has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module  # see above

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
