r"""Leftover markers of merge conflicts and SEARCH/REPLACE blocks in a file.

    conflict  = begin lines [ base lines ] "=======" lines end
    begin     = "<<<<<<<" [ " " label ]
    end       = ">>>>>>>" [ " " label ]

A marker has exactly seven characters and starts a line; indented or quoted ones do not count. `=======` alone proves
nothing, because it underlines headings.

Documentation may show markers. In such files, markers in a fence are examples, and so are those with the labels of edit
blocks (`SEARCH`, `REPLACE`, `NEW_FILE`); a marker without a label, or an end alone, may be an underline or a quoted
mail. Elsewhere, markers of edit blocks count like those of conflicts, except in Python that compiles: there they are
in a string.
"""

from __future__ import annotations

from suture.check.issue import Issue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from suture.check.issue import Staging

    _Marker = tuple[int, str, str]
    """Line, characters and label."""

_CODE = "conflict-marker"
_BEGIN, _END = "<" * 7, ">" * 7
_PATCHES = (".patch", ".diff", ".rej", ".orig")
_DOCUMENTS = (".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".asciidoc", ".org", ".eml", ".mbox")
_EDIT_BLOCKS = ("SEARCH", "REPLACE", "NEW_FILE")
_MAX_MARKERS = 1_000  # in a file: more would add nothing
_LINE = r"(?m)^(<{7}|>{7})(?:[ \t]+([^\r\n]*))?\r?$"
_LINE_OR_FENCE = _LINE + r"|^[ \t>]*(`{3,}|~{3,})([^\r\n]*)$"


class ConflictMarkers:
    """Leftover markers: one issue per conflict, at its first line."""

    name = "conflict-markers"
    files = ("*",)
    syntax_codes = ()

    def check(self, path: str, before: str | None, after: str, staging: Staging) -> list[Issue]:
        """All conflicts, and all single markers."""
        del before
        if (_BEGIN not in after and _END not in after) or path.lower().endswith(_PATCHES):
            return []
        markers = list(_markers(path, after))
        if path.endswith(".py") and any(map(_is_edit, markers)):
            from suture.check.python import python_accepts

            if python_accepts(path, after, staging):
                markers = [marker for marker in markers if not _is_edit(marker)]
        return _issues(markers)


def _issues(markers: Sequence[_Marker]) -> list[Issue]:
    issues: list[Issue] = []
    opened: _Marker | None = None
    for marker in markers[:_MAX_MARKERS]:
        line, kind, _ = marker
        if kind == _END and opened:
            what = "an edit block was left in the file" if _is_edit(opened) else "an unresolved merge conflict"
            issues.append(Issue("error", opened[0], 1, _CODE, f"{what}: it ends in line {line}"))
            opened = None
        elif kind == _END:
            issues.append(_alone(marker))
        else:
            issues += [_alone(opened)] if opened else []
            opened = marker
    return [*issues, _alone(opened)] if opened else issues


def _alone(marker: _Marker) -> Issue:
    line, kind, _ = marker
    what = "an edit block" if _is_edit(marker) else "a merge conflict"
    return Issue("error", line, 1, _CODE, f"a marker of {what} was left here: {kind}")


def _is_edit(marker: _Marker) -> bool:
    return marker[2].startswith(_EDIT_BLOCKS)


def _markers(path: str, text: str) -> Iterator[_Marker]:
    """Line, marker and label of each marker that counts."""
    from re import finditer

    if "\n" not in text:
        text = text.replace("\r", "\n")
    is_document = path.lower().endswith(_DOCUMENTS)
    line, at, fence = 1, 0, ""
    opened = False
    separator = 0 if text.startswith("=======\n") else text.find("\n=======\n") if is_document else -1
    for match in finditer(_LINE_OR_FENCE if is_document else _LINE, text):
        line += text.count("\n", at, match.start())
        at = match.start()
        marker, label = match[1], match[2] or ""
        if not marker:
            fence = _fence(fence, match[3], match[4])
            continue
        if is_document:
            is_example = fence or not label.strip() or label.startswith(_EDIT_BLOCKS)
            separated = 0 <= separator < at
            if is_example or (marker == _END and not opened and not separated):
                continue
            opened = marker == _BEGIN
        yield line, marker, label


def _fence(inside: str, fence: str, rest: str) -> str:
    """The fence that is open after a line with a fence; empty if none is."""
    if not inside:
        return fence
    closes = fence.startswith(inside) and not rest.strip()
    return "" if closes else inside
