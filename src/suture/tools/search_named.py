"""`search`, for the command line: as `regex_search_multi`, in several files, folders and globs together.

It answers with the same rows; with the lines that hold the matches, for which their files are read once more: what
the search itself keeps of a file is what its answer needs; or only with names and numbers of matches.
"""

from __future__ import annotations

from suture.errors import SutureError
from suture.patterns.subject import Subject
from suture.tools.matching import explain_several, flags, joined, limit, lines, pattern
from suture.tools.named import for_each, taken
from suture.tools.request import Request, encoding, flag, text, texts
from suture.tools.search import RegexSearch, RegexSearchMulti, in_file, in_many
from suture.tools.spec import Answer, ToolSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from suture.session import Session
    from suture.tools.named import Row

    Line = tuple[int, str, list[tuple[int, int]] | None]

_SHARED = ("pattern", "flags", "max_matches")


class Search(Request):
    """Arguments of `search`."""

    paths: list[str] = texts("Files, folders and globs; everything if left out")
    pattern: str = pattern()
    flags: str | None = flags()
    context_before: int = lines("Lines to show before each match")
    context_after: int = lines("Lines to show after each match")
    max_matches: int | None = limit("At most so many matches in all files together; all if left out")
    exclude: list[str] = texts("Globs of files and folders to leave out; one without / is a name anywhere")
    include_ignored: bool = flag("Whether files that .gitignore names are searched, too")
    encoding: str | None = encoding()
    """Of the files that are named outright."""
    view: str = text(
        "The matches; the lines that they stand in; the number of them in each file; or the files that have any",
        default="rows",
        choices=("rows", "lines", "numbers", "names"),
    )


def search_named(session: Session, request: Search) -> Answer:
    """The matches in what the arguments name, or what the view makes of them."""
    names = (*_SHARED, "context_before", "context_after") if request.view == "rows" else _SHARED
    view = "rows" if request.view == "lines" else request.view
    outright, binary = set[str](), list[str]()

    def named(path: str) -> list[tuple[str, list[str]]]:
        given = taken(request, (*names, "encoding"), file_path=path)
        name, found = in_file(session, RegexSearch.parse(given), view)
        outright.add(name)
        if found is None:
            binary.append(name)
        return [(name, found)] if found else []

    def meant(glob: str, exclude: list[str]) -> list[tuple[str, list[str]]]:
        given = taken(request, (*names, "include_ignored"), path_pattern=glob, exclude=exclude)
        return in_many(session, RegexSearchMulti.parse(given), view)

    by_file: dict[str, list[str]] = {}
    for found in for_each(session, request, named, meant):
        for name, own in found:
            by_file.setdefault(name, own)
    data: dict[str, Any] = {"binary": binary} if binary else {}
    cut = _cut(by_file, request.max_matches)
    if request.view == "rows":
        return joined((row for own in cut.values() for row in own), data)
    if request.view == "lines":
        around = request.context_before, request.context_after
        known = {name: request.encoding if name in outright else None for name in cut}
        files = [_file(session, name, known[name], joined(own).made_rows(), *around) for name, own in cut.items()]
    else:
        files = [{"path": name, "matches": len(own)} for name, own in cut.items()]
    return Answer("", {"files": files, **data}, verbatim=True)


def _cut(by_file: dict[str, list[str]], most: int | None) -> dict[str, list[str]]:
    """The matches, sorted by file, as many as asked for."""
    result, left = dict[str, list[str]](), most
    for name in sorted(by_file):
        own = by_file[name][:left]
        if own:
            result[name] = own
        if left is not None:
            left -= len(own)
    return result


def _file(
    session: Session, name: str, encoding: str | None, rows: list[Row], before: int, after: int
) -> dict[str, Any]:
    """A file's lines that hold matches, each with what matches in it, and the lines around them."""
    try:
        subject = Subject(session.read(name, encoding).text)
    except SutureError:  # it has vanished since
        return _alone(name, rows)
    numbers, contents = subject.text.lines, dict[int, str]()
    spans: dict[int, list[tuple[int, int]]] = {}
    line_end = "\r" if numbers.style() == "cr" else "\n"
    for row in rows:
        pieces = row["match"].removesuffix(line_end).split(line_end)
        first, last = row["line"], row["line"] + len(pieces) - 1
        for number in range(max(first - before, 1), min(last + after, len(numbers)) + 1):
            if number not in contents:
                contents[number] = subject.readable(numbers.content(number))
        for number, piece in enumerate(pieces, first):
            start = row["column"] if number == first else 0
            there = contents.setdefault(number, "")[start : start + len(piece)]
            if there not in {piece, piece.removesuffix("\r")}:
                return _alone(name, rows)  # it has changed since
            spans.setdefault(number, []).append((start, start + len(piece)))
    lines: list[Line] = [(number, contents[number], spans.get(number)) for number in sorted(contents)]
    return {"path": name, "matches": len(rows), "lines": lines}


def _alone(name: str, rows: list[Row]) -> dict[str, Any]:
    """The matches without the lines that they stood in."""
    starts = [(row["line"], row["match"].partition("\n")[0]) for row in rows]
    lines: list[Line] = [(number, start, [(0, len(start))]) for number, start in starts]
    return {"path": name, "matches": len(rows), "lines": lines}


SEARCH = ToolSpec(
    name="search",
    title="Search",
    description="The matches of a regular expression in files, folders and globs.",
    request=Search,
    examples=(),
    read=search_named,
    explain=explain_several,
)
