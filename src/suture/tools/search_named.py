"""`search`, for the command line: as `regex_search_multi`, in several files, folders and globs together.

It answers with the same rows; or with the lines that hold the matches, for which their files are read once more: what
the search itself keeps of a file is what its answer needs.
"""

from __future__ import annotations

from suture.errors import SutureError
from suture.patterns.subject import Subject
from suture.tools.matching import explain_several, flags, limit, lines, listed, pattern
from suture.tools.named import for_each, grouped, taken
from suture.tools.request import Request, flag, text, texts
from suture.tools.search import RegexSearch, RegexSearchMulti, search, search_multi
from suture.tools.spec import Answer, ToolSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from suture.engine import Session
    from suture.tools.named import Row

    Line = tuple[int, str, list[tuple[int, int]] | None]

_SHARED = ("pattern", "flags", "max_matches")
_FOR_MANY = ("exclude", "include_ignored")


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
    view: str = text("The matches, or the lines that they stand in", default="rows", choices=("rows", "lines"))


def search_named(session: Session, request: Search) -> Answer:
    """The matches in what the arguments name, or the lines that they stand in."""
    shown = ("context_before", "context_after") if request.view == "rows" else ()
    names = (*_SHARED, *shown)

    def in_file(path: str) -> list[Row]:
        return search(session, RegexSearch.parse(taken(request, names, file_path=path))).made_rows()

    def in_many(glob: str) -> list[Row]:
        given = taken(request, (*names, *_FOR_MANY), path_pattern=glob)
        return search_multi(session, RegexSearchMulti.parse(given)).made_rows()

    by_file: dict[str, list[Row]] = {}
    for rows in for_each(session, request, in_file, in_many):
        for name, own in grouped(rows).items():
            by_file.setdefault(name, own)
    result = [row for name in sorted(by_file) for row in by_file[name]][: request.max_matches]
    if request.view == "rows":
        return listed(result)
    around = request.context_before, request.context_after
    files = [_file(session, name, rows, *around) for name, rows in grouped(result).items()]
    return Answer("", {"files": files}, verbatim=True)


def _file(session: Session, name: str, rows: list[Row], before: int, after: int) -> dict[str, Any]:
    """A file's lines that hold matches, each with what matches in it, and the lines around them."""
    try:
        subject = Subject(session.read(name).text)
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
