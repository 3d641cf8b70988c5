"""`suture extract`, `suture lines` and `suture split`: groups, lines and segments of one file."""

from __future__ import annotations

from suture.cli.commands import attempt
from suture.cli.matching import ask, note_cut
from suture.cli.notes import skipped
from suture.cli.output import note, print_text
from suture.cli.terminal import as_content, colored

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

_LINE_END = "\n"
_IN_A_CELL = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r"})


def extract(options: argparse.Namespace) -> int:
    """Print the groups of each match, one match a line."""
    result = ask(options, "regex_extract", **_file(options), max_matches=options.max_matches)
    if isinstance(result, int):
        return result
    found = ["\t".join(map(_cell, row["groups"])) for row in result.rows or []]
    note_cut(len(found), "match", "--max-matches", options.max_matches)
    return _print(found, "No matches.") and _explained(options)


def _cell(group: str | None) -> str:
    return "" if group is None else as_content(group.translate(_IN_A_CELL))


def lines(options: argparse.Namespace) -> int:
    """Print the lines that match, or those that do not."""
    result = ask(options, "regex_match_lines", **_file(options), invert=options.invert, max_lines=options.max_lines)
    if isinstance(result, int):
        return result
    found = [as_content(row["content"]) for row in result.rows or []]
    if options.line_number:
        numbers = [colored("green", str(row["line"])) for row in result.rows or []]
        found = [f"{number}:{line}" for number, line in zip(numbers, found, strict=True)]
    note_cut(len(found), "line", "--max-lines", options.max_lines)
    return _print(found, "No such lines.") and _explained(options)


def split(options: argparse.Namespace) -> int:
    """Print what stands between the matches."""
    result = ask(options, "regex_split", **_file(options), max_splits=options.max_splits)
    if isinstance(result, int):
        return result
    rows = result.rows or []
    if not rows or not options.null:
        return _print([_segment(row) for row in rows], "The file is binary: there is nothing to split.")
    print_text("".join(f"{_block(row['content'])}\0" for row in rows), end="")
    return 0


def _segment(row: dict[str, Any]) -> str:
    head = colored("cyan", f"--- segment {row['segment']} (lines {row['line_start']}-{row['line_end']})")
    return f"{head}\n{_block(row['content'].removesuffix(_LINE_END))}" if row["content"] else head


def _block(text: str) -> str:
    return _LINE_END.join(map(as_content, text.split(_LINE_END)))


def _explained(options: argparse.Namespace) -> int:
    """Say why nothing was found, if that is because the file is binary: any other has a segment."""
    whole = {**_file(options), "pattern": "x", "max_splits": 0}
    result = attempt(options, lambda workspace: workspace.call("regex_split", whole))
    if not result.is_error and not result.rows:
        for line in skipped([options.path]):
            note(line)
    return 1


def _file(options: argparse.Namespace) -> dict[str, Any]:
    return {"file_path": options.path, "encoding": options.encoding}


def _print(lines: list[str], nothing: str) -> int:
    if lines:
        print_text("\n".join(lines))
    else:
        note(nothing)
    return int(not lines)
