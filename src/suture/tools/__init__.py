"""The tools, and the profiles, which are named sets of tools.

A module is imported when its tool is first used, so a call loads only what it needs.
"""

from __future__ import annotations

from importlib import import_module

from suture.errors import UnknownTool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from suture.tools.spec import ToolSpec


TOOLS = {
    "apply_reply": "suture.tools.reply",
    "file_edit": "suture.tools.file_edit",
    "file_read": "suture.tools.read",
    "history": "suture.tools.history",
    "patch": "suture.tools.patch",
    "redo": "suture.tools.history",
    "regex_extract": "suture.tools.search",
    "regex_match_lines": "suture.tools.search",
    "regex_replace": "suture.tools.replace",
    "regex_replace_multi": "suture.tools.replace",
    "regex_search": "suture.tools.search",
    "regex_search_multi": "suture.tools.search",
    "regex_split": "suture.tools.search",
    "safe_edit": "suture.tools.safe",
    "undo": "suture.tools.history",
}
AGENT_TOOLS = {
    "edit": "suture.tools.edit",
    "glob": "suture.tools.grep",
    "grep": "suture.tools.grep",
    "read": "suture.tools.read",
    "replace_in_files": "suture.tools.replace",
    "write": "suture.tools.write",
}
"""The tools that only the profile `agent` lists: few, brief, with the names and arguments that models know."""
DIALECTS = {
    "apply_patch": "suture.tools.apply_patch",
    "str_replace_based_edit_tool": "suture.tools.text_editor",
}
"""Tools that models were trained on, under their vendors' names. They do what the others do, and are in no list."""
COMMAND_LINE_ONLY = {
    "check": "suture.tools.check",
    "checkpoint": "suture.tools.checkpoint",
    "checkpoints": "suture.tools.checkpoint",
    "clear_clipboards": "suture.tools.clipboards",
    "clipboards": "suture.tools.clipboards",
    "forget": "suture.tools.forget",
    "replace": "suture.tools.replace",
    "restore": "suture.tools.restore",
    "search": "suture.tools.search",
    "show": "suture.tools.history",
}
"""Commands that are built like tools, for the command line only."""
_MAX_NAME_CHARS = 100  # characters of an unknown name that an error repeats
_SIMILAR = 0.6  # `difflib`'s ratio from which on a name is suggested: 0.5 would suggest `undo` for `nope`


def find(name: str) -> ToolSpec:
    """The tool with this name, listed or of a dialect."""
    module = AGENT_TOOLS.get(name) or TOOLS.get(name) or DIALECTS.get(name)
    if module is None:
        known = sorted((*AGENT_TOOLS, *TOOLS))
        raise UnknownTool(name=name[:_MAX_NAME_CHARS], near=_near(name, [*known, *DIALECTS]), known=known)
    return _load(module, name)


def command(name: str) -> ToolSpec:
    """The tool with this name, including those for the command line only."""
    return _load(COMMAND_LINE_ONLY[name], name) if name in COMMAND_LINE_ONLY else find(name)


def _load(module: str, name: str) -> ToolSpec:
    spec: ToolSpec = getattr(import_module(module), name.upper())
    return spec


def all_tools() -> list[ToolSpec]:
    """All listed tools, by name."""
    return [find(name) for name in sorted(TOOLS)]


_SEARCHES = ("regex_extract", "regex_match_lines", "regex_search", "regex_search_multi", "regex_split")
PROFILES: dict[str, tuple[str, ...]] = {
    "agent": ("read", "edit", "write", "grep", "glob", "replace_in_files", "undo"),
    "full": tuple(sorted(TOOLS)),
    "edit": (
        "file_read",
        "file_edit",
        "patch",
        "apply_reply",
        "safe_edit",
        "regex_search_multi",
        "history",
        "undo",
        "redo",
    ),
    "search": ("file_read", *_SEARCHES),
    "read-only": ("file_read", "history", *_SEARCHES),
}
DEFAULT_PROFILE = "agent"


def choose(profile: str | None = None, names: Iterable[str] | None = None) -> list[str]:
    """The tools of a profile and those named, each once; those of the default profile if neither is given.

    Raises ValueError for an unknown profile, and UnknownTool for an unknown tool; both name the nearest ones.
    """
    if profile is None:
        profile_names: tuple[str, ...] = PROFILES[DEFAULT_PROFILE] if names is None else ()
    elif profile in PROFILES:
        profile_names = PROFILES[profile]
    else:
        near = _near(profile, PROFILES)
        meant = f"did you mean {near[0]}? " if near else ""
        raise ValueError(f"unknown profile {profile!r:.{_MAX_NAME_CHARS}}; {meant}choose from {', '.join(PROFILES)}")
    return list(dict.fromkeys((*profile_names, *(find(name).name for name in names or ()))))


def listed(names: Iterable[str]) -> list[ToolSpec]:
    """The tools as they are listed together: beside those of the profile `agent`, `undo` is brief, too."""
    tools = [find(name) for name in names]
    if AGENT_TOOLS.keys().isdisjoint(tool.name for tool in tools):
        return tools
    from suture.tools.history import BRIEF_UNDO

    return [BRIEF_UNDO if tool.name == BRIEF_UNDO.name else tool for tool in tools]


def unknown_tool(name: str, names: Iterable[str]) -> UnknownTool:
    """The error for a tool whose name is not one of these."""
    known = sorted(names)
    return UnknownTool(name=name[:_MAX_NAME_CHARS], near=_near(name, known), known=known)


def _near(name: str, names: Iterable[str]) -> list[str]:
    from difflib import get_close_matches  # only a failure needs it

    return get_close_matches(name[:_MAX_NAME_CHARS], [*names], 3, _SIMILAR)
