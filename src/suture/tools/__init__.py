"""The tools, and the choices of tools that profiles make.

A module is imported when its tool is first used, so a call pays only for what it needs.
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
    "file_edit": "suture.tools.edit",
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
DIALECTS = {
    "apply_patch": "suture.tools.apply_patch",
    "str_replace_based_edit_tool": "suture.tools.text_editor",
}
"""Tools that models were trained on: what the others do, under the names that vendors gave it. Called by name only."""
COMMANDS = {
    "check": "suture.tools.check",
    "replace": "suture.tools.replace",
    "restore": "suture.tools.history",
    "search": "suture.tools.search",
    "show": "suture.tools.history",
    "snapshots": "suture.tools.history",
}
"""What is made like a tool, only for the command line."""
_LONGEST_NAME = 100  # characters of an unknown tool's name that an error repeats
_SIMILARITY = 0.6  # of names that are suggested; at 0.5 `nope` is like `undo`


def find(name: str) -> ToolSpec:
    """The tool of this name, one of the list or of a dialect."""
    module = TOOLS.get(name) or DIALECTS.get(name)
    if module is None:
        from difflib import get_close_matches  # only a failure needs it

        near = get_close_matches(name[:_LONGEST_NAME], [*TOOLS, *DIALECTS], 3, _SIMILARITY)
        raise UnknownTool(name=name, near=near, known=sorted(TOOLS))
    return _load(module, name)


def command(name: str) -> ToolSpec:
    """The tool of this name, also one that is for the command line only."""
    return _load(COMMANDS[name], name) if name in COMMANDS else find(name)


def _load(module: str, name: str) -> ToolSpec:
    spec: ToolSpec = getattr(import_module(module), name.upper())
    return spec


def every() -> list[ToolSpec]:
    """All tools of the list, by name."""
    return [find(name) for name in sorted(TOOLS)]


_LOOKING = ("regex_extract", "regex_match_lines", "regex_search", "regex_search_multi", "regex_split")
PROFILES: dict[str, tuple[str, ...]] = {
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
    "search": ("file_read", *_LOOKING),
    "read-only": ("file_read", "history", *_LOOKING),
}
"""The help of `--profile` and the docstring of `definitions` repeat their names."""


def chosen(profile: str | None = None, names: Iterable[str] | None = None) -> list[str]:
    """The tools of a profile and those named, each once; all tools if neither is given.

    ValueError for a profile that does not exist, UnknownTool for a tool; both say what is near.
    """
    if profile is None:
        profile_names: tuple[str, ...] = PROFILES["full"] if names is None else ()
    elif profile in PROFILES:
        profile_names = PROFILES[profile]
    else:
        from difflib import get_close_matches  # only a failure needs it

        near = get_close_matches(profile[:_LONGEST_NAME], PROFILES, 1, _SIMILARITY)
        meant = f"did you mean {near[0]}? " if near else ""
        raise ValueError(f"unknown profile {profile!r:.{_LONGEST_NAME}}; {meant}choose from {', '.join(PROFILES)}")
    return list(dict.fromkeys((*profile_names, *(find(name).name for name in names or ()))))


def not_offered(name: str, names: Iterable[str]) -> UnknownTool:
    """The error for a tool whose name is not among these."""
    from difflib import get_close_matches  # only a failure needs it

    known = sorted(names)
    return UnknownTool(
        name=name[:_LONGEST_NAME], near=get_close_matches(name[:_LONGEST_NAME], known, 3, _SIMILARITY), known=known
    )
