"""`suture search`, `extract`, `lines`, `split` and `replace`."""

from __future__ import annotations

from suture.cli.commands import attempt, refused, tool_arguments
from suture.cli.output import (
    USAGE,
    Progress,
    as_content,
    clean,
    colored,
    colored_diff,
    misused,
    note,
    on_pattern,
    on_replacement,
    on_validation,
    print_json,
    print_text,
    recovered,
    several,
    skipped,
    way_back,
)
from suture.errors import SutureError
from suture.patterns.dialect import parse
from suture.tools import COMMANDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import Any

    from suture.tools.spec import ToolResult
    from suture.workspace import Workspace

    Spans = list[tuple[int, int]]


def ask(options: argparse.Namespace, name: str, **arguments: Any) -> ToolResult | int:
    """Make a call with what the options say and `arguments`, showing its progress.

    The exit code if all is said, as it is of a refusal and with --json.
    """
    try:
        given = {**tool_arguments(options), **arguments, "flags": _flags(options)}
    except ValueError as error:
        return misused(options.command, error)
    with Progress(quiet=options.quiet) as progress:

        def call(workspace: Workspace) -> ToolResult:
            workspace.watch(progress)
            return workspace.command(name, given) if name in COMMANDS else workspace.call(name, given)

        result = attempt(options, call)
    _tell(options, result)
    if result.is_error:
        return USAGE
    return int(not result.rows) if options.json else result


def _tell(options: argparse.Namespace, result: ToolResult) -> None:
    """Print a refusal, or the result as JSON; and what is to be noted of any."""
    if options.json:
        print_json(result.to_dict() if result.is_error else _listed(result))
    elif result.is_error:
        _refuse(options, result)
    else:
        for line in recovered(result.metadata):
            note(line)
    for line in (*skipped(result.metadata.get("binary", ())), *on_pattern(options.pattern)):
        note(line)


def _refuse(options: argparse.Namespace, result: ToolResult) -> None:
    """Tell an error in the words of the command line: a line, and what can be done about it."""
    text, told = result.text, result.metadata["error"]
    hint = "" if told["hint"] in text else f"\n{told['hint']}"
    more = "\nOr give it more time: --timeout 10" if told["code"] == "REGEX_TIMEOUT" else ""
    refused(options, result, text + hint + more)


def _listed(result: ToolResult) -> dict[str, Any]:
    """A result for scripts: its rows as they are, where the protocols have them as a text."""
    return {"isError": False, "data": result.rows, "metadata": result.metadata}


def note_cut(number: int, noun: str, option: str, most: int | None) -> None:
    """Say that there may be more than is shown."""
    if number and number == most:
        note(f"note: cut after {several(number, noun)} ({option})")


def _flags(options: argparse.Namespace) -> str:
    """The flags that the options stand for, and g and m; ValueError if the pattern has some of its own besides."""
    named = {"i": options.ignore_case, "s": options.dot_all}
    chosen = "".join(letter for letter, given in named.items() if given) + (options.flags or "")
    try:
        own = "".join(sorted(parse(options.pattern).flags))
    except SutureError:
        own = ""  # the tool says what is wrong with it
    if own and chosen:
        message = f"the pattern has flags of its own, {own}: add {chosen} there"
        raise ValueError(message)
    text_ends = getattr(options, "text_ends", True)  # `lines` looks at each line by itself
    if text_ends and "m" in own and hasattr(options, "text_ends"):
        message = f"the pattern has flags of its own, {own}: leave out m there"
        raise ValueError(message)
    return "".join(dict.fromkeys(("g" if text_ends else "gm") + chosen))


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


_LINE_END = "\n"
_IN_A_CELL = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r"})


def extract(options: argparse.Namespace) -> int:
    """Print the groups of each match, one match a line."""
    result = ask(options, "regex_extract")
    if isinstance(result, int):
        return result
    found = ["\t".join(map(_cell, row["groups"])) for row in result.rows or []]
    note_cut(len(found), "match", "--max-matches", options.max_matches)
    return _print(found, "No matches.") and _explained(options)


def _cell(group: str | None) -> str:
    return "" if group is None else as_content(group.translate(_IN_A_CELL))


def lines(options: argparse.Namespace) -> int:
    """Print the lines that match, or those that do not."""
    result = ask(options, "regex_match_lines")
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
    result = ask(options, "regex_split")
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
    whole = {"file_path": options.path, "encoding": options.encoding, "pattern": "x", "max_splits": 0}
    result = attempt(options, lambda workspace: workspace.call("regex_split", whole))
    if not result.is_error and not result.rows:
        for line in skipped([options.path]):
            note(line)
    return 1


def _print(lines: list[str], nothing: str) -> int:
    if lines:
        print_text("\n".join(lines))
    else:
        note(nothing)
    return int(not lines)


def replace(options: argparse.Namespace) -> int:
    """Print what would be replaced; with --write, replace it and say how to have it back."""
    result = ask(
        options,
        "replace",
        dry_run=not options.write,
        view="rows" if options.json else "diff",
    )
    for line in on_replacement(options.replacement):
        note(line)
    if isinstance(result, int):
        return result
    data = result.metadata
    if not data["replacements"]:
        note("No matches: nothing to replace.")
        return 1
    done = f"{several(data['replacements'], 'replacement')} in {several(len(data['files']), 'file')}"
    if not data["files"]:
        head = f"Nothing changes: {several(data['replacements'], 'match')}, each the same as its replacement."
    elif options.write:
        head = f"Made {done} as change {data['change_id']}."
    else:
        head = f"Would make {done}."
    diff = data["diff"].removesuffix("\n")
    print_text("\n".join([head, *(["", *colored_diff(diff)] if diff else [])]))
    for line in on_validation(data):
        note(clean(line))
    if not data["files"]:
        return 0
    note(way_back(options, data) if options.write else "Nothing is changed yet: add --write to make the change.")
    return 0
