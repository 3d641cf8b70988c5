"""`suture search`, `extract`, `lines`, `split` and `replace`."""

from __future__ import annotations

from suture.cli.commands import attempt, print_change, print_refusal, tool_arguments
from suture.cli.output import (
    USAGE,
    Progress,
    as_content,
    clean,
    colored,
    note,
    pattern_notes,
    print_json,
    print_notes,
    print_text,
    replacement_notes,
    report_misuse,
    skipped_notes,
)
from suture.errors import SutureError
from suture.patterns.dialect import parse
from suture.wording import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import Any

    from suture.tools.spec import ToolResult
    from suture.workspace import Workspace

    Spans = list[tuple[int, int]]

_MAX_LINE_CHARS = 500  # characters: a line of minified code must not fill the screen
_MAX_LEAD_CHARS = 100  # characters before the first match in a truncated line
_LINE_END = "\n"
_CELL_ESCAPES = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r"})


def ask(options: argparse.Namespace, name: str, **arguments: Any) -> ToolResult | int:
    """Make a call with the options and `arguments`, showing its progress.

    Returns the exit code if nothing remains to be printed: after an error, and with --json.
    """
    try:
        call_arguments = {**tool_arguments(options), **arguments, "flags": _flags(options)}
    except ValueError as error:
        return report_misuse(options.command, error)
    with Progress(quiet=options.quiet) as progress:

        def call(workspace: Workspace) -> ToolResult:
            workspace.watch(progress)
            return workspace.command(name, call_arguments)

        result = attempt(options, call)
    _print_result(options, result)
    if result.is_error:
        return USAGE
    return int(not result.rows) if options.json else result


def _print_result(options: argparse.Namespace, result: ToolResult) -> None:
    """Print an error, or the result as JSON; then what was skipped, and how the pattern was read."""
    if options.json:
        print_json(result.to_dict() if result.is_error else _result_data(result))
    elif result.is_error:
        print_refusal(options, result)
    for line in (*skipped_notes(result.metadata.get("binary", ())), *pattern_notes(options.pattern)):
        note(line)


def _result_data(result: ToolResult) -> dict[str, Any]:
    """A result for scripts: its rows as data, not as text."""
    return {"isError": False, "data": result.rows, "metadata": result.metadata}


def note_limit(number: int, noun: str, option: str, limit: int | None) -> None:
    """Print a note if there may be more results than are shown."""
    if number and number == limit:
        note(f"note: stopped after {count(number, noun)} ({option})")


def _flags(options: argparse.Namespace) -> str:
    """The flags that the options select, with g and m; ValueError if the pattern has its own flags as well."""
    named = {"i": options.ignore_case, "s": options.dot_all}
    chosen = "".join(letter for letter, is_set in named.items() if is_set) + (options.flags or "")
    try:
        own = "".join(sorted(parse(options.pattern).flags))
    except SutureError:
        own = ""  # the tool reports what is wrong with it
    if own and chosen:
        raise ValueError(f"the pattern has its own flags, {own}: add {chosen} there")
    text_ends = getattr(options, "text_ends", True)  # `lines` matches each line separately
    if text_ends and "m" in own and hasattr(options, "text_ends"):
        raise ValueError(f"the pattern has its own flags, {own}: remove m there")
    return "".join(dict.fromkeys(("g" if text_ends else "gm") + chosen))


def search(options: argparse.Namespace) -> int:
    """Search, and print lines, names or numbers."""
    both = options.context or 0
    before = both if options.context_before is None else options.context_before
    after = both if options.context_after is None else options.context_after
    result = ask(
        options,
        "search",
        context_before=before,
        context_after=after,
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
        lines.append(f"{count(total, 'match')} in {count(len(files), 'file')}")
    else:
        lines = list(_file_lines(files, separated=bool(before or after)))
    _print(result, lines, "No matches.")
    note_limit(total, "match", "--max-matches", options.max_matches)
    return int(not files)


def _file_lines(files: list[dict[str, Any]], *, separated: bool) -> Iterator[str]:
    """The lines below the name of their file; with `separated`, `--` marks omitted lines."""
    for index, file in enumerate(files):
        if index:
            yield ""
        yield colored("bold", clean(file["path"]))
        last = 0
        for number, content, spans in file["lines"]:
            if separated and last and number > last + 1:
                yield colored("faint", "--")
            last = number
            yield colored("green", str(number)) + (":" if spans else "-") + _line(content, spans or [])


def _line(content: str, spans: Spans) -> str:
    """A line with its matches marked; of a long line, the part around the first match."""
    start, end = 0, len(content)
    if end > _MAX_LINE_CHARS:
        first = spans[0][0] if spans else 0
        start = max(min(first - _MAX_LEAD_CHARS, end - _MAX_LINE_CHARS), 0)
        end = start + _MAX_LINE_CHARS
    pieces, at = ["… " if start else ""], start
    for first, last in spans:
        if at <= first < end:
            pieces += as_content(content[at:first]), colored("match", as_content(content[first : min(last, end)]))
            at = min(last, end)
    pieces.append(as_content(content[at:end]))
    if end < len(content):
        beyond = sum(first >= end for first, _ in spans)
        more = f"{count(beyond, 'match')} more, " if beyond else ""
        pieces.append(f" … ({more}{len(content):,} characters)")
    return "".join(pieces)


def extract(options: argparse.Namespace) -> int:
    """Print the groups of each match, one match per line."""
    result = ask(options, "regex_extract")
    if isinstance(result, int):
        return result
    lines = ["\t".join(map(_cell, row["groups"])) for row in result.rows or []]
    code = _print(result, lines, "No matches.")
    note_limit(len(lines), "match", "--max-matches", options.max_matches)
    return code


def _cell(group: str | None) -> str:
    return "" if group is None else as_content(group.translate(_CELL_ESCAPES))


def lines(options: argparse.Namespace) -> int:
    """Print the lines that match, or those that do not match."""
    result = ask(options, "regex_match_lines")
    if isinstance(result, int):
        return result
    shown = [as_content(row["content"]) for row in result.rows or []]
    if options.line_number:
        numbers = [colored("green", str(row["line"])) for row in result.rows or []]
        shown = [f"{number}:{line}" for number, line in zip(numbers, shown, strict=True)]
    code = _print(result, shown, "No matching lines.")
    note_limit(len(shown), "line", "--max-lines", options.max_lines)
    return code


def split(options: argparse.Namespace) -> int:
    """Print the text between the matches."""
    result = ask(options, "regex_split")
    if isinstance(result, int):
        return result
    rows = result.rows or []
    if options.null:
        shown, end = [f"{_block(row['content'])}\0" for row in rows], ""
    else:
        shown, end = [*map(_segment, rows)], "\n"
    return _print(result, shown, "Nothing to split.", end)


def _segment(row: dict[str, Any]) -> str:
    head = colored("cyan", f"--- segment {row['segment']} (lines {row['line_start']}-{row['line_end']})")
    return f"{head}\n{_block(row['content'].removesuffix(_LINE_END))}" if row["content"] else head


def _block(text: str) -> str:
    return _LINE_END.join(map(as_content, text.split(_LINE_END)))


def _print(result: ToolResult, lines: list[str], if_none: str, end: str = "\n") -> int:
    """Print lines, or that there are none, and the notes of the result; returns the exit code."""
    if lines:
        print_text(end.join(lines), end)
    else:
        note(if_none)
    print_notes(result)
    return int(not lines)


def replace(options: argparse.Namespace) -> int:
    """Print what would be replaced; with --write, replace it and print how to undo the change."""
    result = ask(
        options,
        "replace",
        dry_run=not options.write,
        view="rows" if options.json else "diff",
    )
    if isinstance(result, int):
        return result
    for line in replacement_notes(options.replacement):
        note(line)
    data = result.metadata
    if not data["replacements"]:
        return _print(result, [], "No matches: nothing to replace.")
    done = f"{count(data['replacements'], 'replacement')} in {count(len(data['files']), 'file')}"
    if not data["files"]:
        head = f"No change: {count(data['replacements'], 'match')}, each identical to its replacement."
    elif options.write:
        head = f"Made {done} as change {data['change_id']}."
    else:
        head = f"Would make {done}."
    print_change(options, result, head, data["diff"])
    if data["files"] and not options.write:
        note("Nothing was changed: add --write to make the change.")
    return 0
