"""`suture search`: the matches of a regular expression, file by file."""

from __future__ import annotations

from suture.cli.amounts import several
from suture.cli.matching import ask, note_cut
from suture.cli.output import note, print_text
from suture.cli.terminal import as_content, clean, colored

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import Any

    Spans = list[tuple[int, int]]

_LONGEST = 500  # characters of a line
_BEFORE = 100


def search(options: argparse.Namespace) -> int:
    """Search, and print lines, names or numbers."""
    both = options.context or 0
    before = both if options.context_before is None else options.context_before
    after = both if options.context_after is None else options.context_after
    result = ask(
        options,
        "search",
        paths=options.paths,
        context_before=before,
        context_after=after,
        max_matches=options.max_matches,
        exclude=options.exclude,
        include_ignored=options.include_ignored,
        encoding=options.encoding,
        view="rows" if options.json else "names" if options.names else "numbers" if options.count else "lines",
    )
    if isinstance(result, int):
        return result
    files = result.metadata["files"]
    total = sum(file["matches"] for file in files)
    if options.names:
        lines = [clean(file["path"]) for file in files]
    elif options.count:
        lines = [f"{clean(file['path'])}:{file['matches']}" for file in files]
        lines.append(f"{several(total, 'match')} in {several(len(files), 'file')}")
    else:
        lines = list(_told(files, parted=bool(before or after)))
    if lines:
        print_text("\n".join(lines))
    else:
        note("No matches.")
    note_cut(total, "match", "--max-matches", options.max_matches)
    return int(not files)


def _told(files: list[dict[str, Any]], *, parted: bool) -> Iterator[str]:
    """The lines under the name of their file; `parted`, where there are lines between them that are not shown."""
    for index, file in enumerate(files):
        if index:
            yield ""
        yield colored("bold", clean(file["path"]))
        last = 0
        for number, content, spans in file["lines"]:
            if parted and last and number > last + 1:
                yield colored("faint", "--")
            last = number
            yield colored("green", str(number)) + (":" if spans else "-") + _line(content, spans or [])


def _line(content: str, spans: Spans) -> str:
    """A line, what matches in it marked; of a long one, the part around the first match."""
    start, end = 0, len(content)
    if end > _LONGEST:
        first = spans[0][0] if spans else 0
        start = max(min(first - _BEFORE, end - _LONGEST), 0)
        end = start + _LONGEST
    pieces, at = ["… " if start else ""], start
    for first, last in spans:
        if at <= first < end:
            pieces += as_content(content[at:first]), colored("match", as_content(content[first : min(last, end)]))
            at = min(last, end)
    pieces.append(as_content(content[at:end]))
    if end < len(content):
        beyond = sum(first >= end for first, _ in spans)
        more = f"{several(beyond, 'match')} more, " if beyond else ""
        pieces.append(f" … ({more}{len(content):,} characters)")
    return "".join(pieces)
