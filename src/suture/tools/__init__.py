"""The list of tools. A new one is a module beside this file and a line here.

A module is imported when its tool is first used, so a call pays only for what it needs.
"""

from __future__ import annotations

from importlib import import_module

from suture.errors import UnknownTool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from suture.tools.spec import ToolSpec

TOOLS = {
    "apply_reply": "suture.tools.reply",
    "file_edit": "suture.tools.edit",
    "file_read": "suture.tools.read",
    "history": "suture.tools.history",
    "patch": "suture.tools.patch",
    "redo": "suture.tools.undo",
    "regex_extract": "suture.tools.pick",
    "regex_match_lines": "suture.tools.pick",
    "regex_replace": "suture.tools.replace",
    "regex_replace_multi": "suture.tools.replace",
    "regex_search": "suture.tools.search",
    "regex_search_multi": "suture.tools.search",
    "regex_split": "suture.tools.pick",
    "safe_edit": "suture.tools.safe",
    "undo": "suture.tools.undo",
}
DIALECTS = {
    "apply_patch": "suture.tools.envelope",
    "str_replace_based_edit_tool": "suture.tools.text_editor",
}
"""Tools that models were trained on: what the others do, under the names that vendors gave it. Called by name only."""
COMMANDS = {
    "check": "suture.tools.check",
    "replace": "suture.tools.replace_named",
    "restore": "suture.tools.restore",
    "search": "suture.tools.search_named",
    "show": "suture.tools.history",
    "snapshots": "suture.tools.restore",
}
"""What is made like a tool, but for the command line only."""


def find(name: str) -> ToolSpec:
    """The tool of this name, one of the list or of a dialect."""
    module = TOOLS.get(name) or DIALECTS.get(name)
    if module is None:
        from difflib import get_close_matches  # only a failure needs it

        near = get_close_matches(name[:100], [*TOOLS, *DIALECTS], 3, 0.5)
        raise UnknownTool(name=name, near=near, known=sorted(TOOLS))
    return _load(module, name)


def command(name: str) -> ToolSpec:
    """The tool behind a command of this name."""
    return _load(COMMANDS[name], name)


def _load(module: str, name: str) -> ToolSpec:
    spec: ToolSpec = getattr(import_module(module), name.upper())
    return spec


def every() -> list[ToolSpec]:
    """All tools of the list, by name."""
    return [find(name) for name in sorted(TOOLS)]
