"""`suture edit`: exact replacements, one by options or several as JSON; or lines by their numbers."""

from __future__ import annotations

from suture.cli.commands import run
from suture.cli.documents import STDIN, content_of, document, source_of
from suture.cli.notes import at_root, on_validation
from suture.cli.output import misused
from suture.cli.terminal import clean, colored_diff
from suture.cli.write import save
from suture.render import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from suture.tools.spec import ToolResult

_TEXTS = {"old_text": "--old", "old_file": "--old-file", "occurrences": "--occurrences", "edits": "the edits as JSON"}
"""Where edits are found by their text."""
_KEPT = ("encoding", "expect_hash", "validate")
_LINES = {"expected_text": "--expected-text", "mode": "--mode", "delete": "--delete"}
"""What goes with --lines only."""


def edit(options: argparse.Namespace) -> int:
    """Make the edits and print the diff."""
    try:
        arguments = _arguments(options) if options.lines is None else _by_lines(options)
    except ValueError as error:
        return misused("edit", error)
    if options.lines is not None:
        return save(options, arguments)
    as_given = _as_given(options)
    return run(
        options,
        lambda workspace: workspace.call("file_edit", arguments),
        _told,
        lambda result: _refusal(result, as_given),
        edits=True,
    )


def _refusal(result: ToolResult, as_given: str) -> str:
    """Why one edit does not fit, and the correction as a command that can be copied; the tool has it as JSON."""
    from shlex import quote

    text = result.text
    alone = result.metadata["error"].get("total_edits") == 1
    named = result.metadata.get("path", "")
    path = f"./{named}" if named.startswith("-") else named
    for fix in result.metadata.get("suggested_fixes", ()) if alone else ():
        example = fix.get("example", "")
        if '"new_text"' in example:
            command = f"suture edit {quote(path)} {quote(_printable(example))}{as_given}"
            text = text.replace("Send this edit instead", "Type this instead", 1).replace(example, command, 1)
    return text


def _as_given(options: argparse.Namespace) -> str:
    """The options that hold for a correction as well."""
    from shlex import quote

    values = {f"--{name.replace('_', '-')}": getattr(options, name) for name in _KEPT}
    flags = {"--allow-commands": options.allow_commands, "--literal": options.literal, "--dry-run": options.dry_run}
    said = [f" {name} {quote(value)}" for name, value in values.items() if value is not None]
    return "".join([*said, *(f" {name}" for name, given in flags.items() if given), at_root(options)])


def _printable(document: str) -> str:
    """JSON that says the same, without characters that a terminal would obey or nobody sees."""
    return "".join(char if char.isprintable() else _escaped(char) for char in document)


def _escaped(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _arguments(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of the tool; ValueError says why they cannot be."""
    if wrong := _given(options, _LINES):
        message = f"{wrong[0]} goes with --lines"
        raise ValueError(message)
    given = _from_document(options) if options.edits is not None else {"edits": [_from_options(options)]}
    named = {name: getattr(options, name) for name in _KEPT}
    chosen = {name: value for name, value in named.items() if value is not None}
    flags = {name: True for name in ("dry_run", "literal") if getattr(options, name)}
    return {**given, "path": options.path, **chosen, **flags}


def _from_document(options: argparse.Namespace) -> dict[str, Any]:
    source, found = document(options.edits)
    if any(
        getattr(options, name) is not None for name in ("old_text", "new_text", "old_file", "new_file", "occurrences")
    ):
        message = f"the edits stand in {source} already: leave out --old, --new and --occurrences"
        raise ValueError(message)
    given: dict[str, Any] = found if isinstance(found, dict) and "edits" in found else {"edits": found}
    if given.get("path", options.path) != options.path:
        message = f"{source} is for {given['path']}, not for {options.path}"
        raise ValueError(message)
    return given


def _from_options(options: argparse.Namespace) -> dict[str, Any]:
    if options.occurrences is not None and options.occurrences < 1:
        message = f"--occurrences is how often the text stands in the file: at least 1, not {options.occurrences}"
        raise ValueError(message)
    edit = {"old_text": _text(options, "old"), "new_text": _text(options, "new")}
    return edit if options.occurrences is None else {**edit, "occurrences": options.occurrences}


def _by_lines(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of `safe_edit` for one range of lines; ValueError says why they cannot be."""
    if wrong := _given(options, _TEXTS):
        message = f"--lines says which lines to replace: leave out {' and '.join(wrong)}"
        raise ValueError(message)
    if len(options.lines) > 1:
        message = "--lines can be given once: to replace several ranges at once, call safe_edit with line_edits"
        raise ValueError(message)
    if options.validate not in {None, "all"}:
        message = f"with --lines, write --mode instead of --validate {options.validate}"
        raise ValueError(message)
    start, end = _range(options.lines[0])
    new = {"start_line": start, "end_line": end, "new_content": _new_lines(options)}
    expected = {} if options.expected_text is None else {"expected_text": options.expected_text}
    mode = "verify_only" if options.dry_run else options.mode
    named = {name: getattr(options, name) for name in ("path", "encoding", "expect_hash", "validate")}
    return {**named, "mode": mode, "line_edits": [{**new, **expected}], "literal": options.literal}


def _given(options: argparse.Namespace, names: dict[str, str]) -> list[str]:
    """Which of some options are given."""
    said = {shown: getattr(options, name) for name, shown in names.items()}
    return [shown for shown, value in said.items() if value is not None and value is not False]


def _range(given: str) -> tuple[int, int]:
    """The first and the last line of `12` or `10-20`."""
    first, dash, last = given.partition("-")
    numbers = [first, last] if dash else [first]
    if not all(each.isascii() and each.isdecimal() and int(each) for each in numbers):
        message = f"--lines: expected a line such as 12 or a range such as 10-20, counted from 1, not {given!r}"
        raise ValueError(message)
    start, end = int(numbers[0]), int(numbers[-1])
    if end < start:
        message = f"--lines: {given} ends before it starts; write {end}-{start}"
        raise ValueError(message)
    return start, end


def _new_lines(options: argparse.Namespace) -> str:
    """What the lines become; empty, if they are to be deleted."""
    if not options.delete:
        return _text(options, "new")
    if options.new_text is not None or options.new_file is not None:
        message = "give only one of --delete and --new TEXT or --new-file FILE"
        raise ValueError(message)
    return ""


def _text(options: argparse.Namespace, name: str) -> str:
    """The old or the new text, from an option, from a file, or from stdin."""
    said, file = getattr(options, f"{name}_text"), getattr(options, f"{name}_file")
    if (said is None) == (file is None):
        wrong = "give only one of" if said is not None else "give"
        other = " (or --delete)" if options.lines else " (or the edits as JSON)"
        message = f"{wrong} --{name} TEXT or --{name}-file FILE{other * (said is None)}"
        raise ValueError(message)
    if file is None:
        return str(said)
    if options.old_file == options.new_file == STDIN:
        message = "only one of --old-file and --new-file can be stdin"
        raise ValueError(message)
    content = content_of(file)
    if not content and file == STDIN:  # the program before the pipe has perhaps failed
        message = "stdin is empty" + ("; to delete the text, give --new ''" if name == "new" else "")
        raise ValueError(message)
    try:
        return content.decode()
    except UnicodeDecodeError:
        message = f"{source_of(file)} is not UTF-8; send its text as JSON"
        raise ValueError(message) from None


def _told(result: ToolResult) -> str:
    """What happened, the warnings, the whole diff, and what checks found."""
    data = result.metadata
    path, number = clean(data["path"]), data["total_replacements"]
    replacements = count(number, "replacement")
    diff = data["diff"]["unified"].removesuffix("\n")
    if data.get("dry_run"):
        head = f"Would make {replacements} in {path}." if diff else f"{path} would stay as it is ({replacements})."
    elif data["change_id"] is None:
        head = f"No change: {path} is as it was ({replacements})."
    else:
        head = f"Edited {path} ({replacements}) as change {data['change_id']}."
    notes = [f"warning: {clean(each)}" for each in data["warnings"]]
    checked = on_validation(data)
    found = ["", *map(clean, checked)] if checked else []
    return "\n".join([head, *notes, *(["", *colored_diff(diff)] if diff else []), *found])
