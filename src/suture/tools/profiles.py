"""Choices of tools: few tools are chosen better, and cost less of the context, than all of them."""

from __future__ import annotations

from suture.errors import UnknownTool
from suture.tools import TOOLS, find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_LOOKING = ("regex_extract", "regex_match_lines", "regex_search", "regex_search_multi", "regex_split")
_SHOWN = 100
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


def chosen(profile: str | None = None, names: Iterable[str] | None = None) -> list[str]:
    """The tools of a profile and those named, each once; all tools if neither is given.

    ValueError for a profile that does not exist, UnknownTool for a tool; both say what is near.
    """
    if profile is None:
        found: tuple[str, ...] = PROFILES["full"] if names is None else ()
    elif profile in PROFILES:
        found = PROFILES[profile]
    else:
        from difflib import get_close_matches  # only a failure needs it

        near = get_close_matches(profile[:100], PROFILES, 1, 0.5)
        meant = f"did you mean {near[0]}? " if near else ""
        raise ValueError(f"there is no profile {profile!r:.100}; {meant}known are {', '.join(PROFILES)}")
    return list(dict.fromkeys((*found, *(find(name).name for name in names or ()))))


def not_offered(name: str, names: Iterable[str]) -> UnknownTool:
    """The error for a tool that is none of these."""
    from difflib import get_close_matches  # only a failure needs it

    known = sorted(names)
    return UnknownTool(name=name[:_SHOWN], near=get_close_matches(name[:_SHOWN], known, 3, 0.5), known=known)
