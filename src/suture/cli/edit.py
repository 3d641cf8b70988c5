"""`suture edit`, `patch`, `write` and `apply`."""

from __future__ import annotations

import sys

from suture import wording
from suture.audience import TERMINAL
from suture.cli.commands import attempt, exit_code, refused, run
from suture.cli.output import (
    STDIN,
    USAGE,
    at_root,
    clean,
    colored,
    colored_diff,
    complain,
    content_of,
    document,
    flush,
    misused,
    note,
    on_validation,
    print_always,
    print_json,
    print_text,
    recovered,
    refuse,
    source_of,
    text_of,
    way_back,
)
from suture.wording.phrases import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from suture.tools.spec import ToolResult

    Told = dict[str, Any]
    """A block, as the tool's metadata have it."""


_TERMINAL = "/dev/tty"
_AS_SENT = {"exact", "line_ends", None}
_SIGNS = {
    "applied": ("green", "✓"),
    "already_applied": ("faint", "="),
    "failed": ("red", "✗"),
    "skipped": ("faint", "-"),
}
_DONE = {"create": "created", "delete": "deleted", "rename": "renamed"}
_BECAME = {"already_applied": "applied already", "failed": "failed", "skipped": "skipped"}
_WORDS = {"yes": "y", "no": "n", "quit": "q"}
_HELP = """\
y - apply this block
n - leave this block out
q - quit: apply what was said yes to so far, and nothing further
a - apply this block and all later ones of its file
d - leave out this block and all later ones of its file
? - print this help"""


def line(block: Told) -> str:
    """What became of a block, in a line."""
    color, sign = _SIGNS[block["status"]]
    done = _BECAME.get(block["status"]) or _DONE.get(block["action"])
    about = ", ".join(filter(None, [_where(block), done, _how(block)]))
    return f"{colored(color, sign)} {block['id']} {about}"


def failure(block: Told) -> str:
    """Why a block failed, what is known about it, and what to do."""
    error = block["error"]
    message, *more = error["message"].split("\n")
    known = [*more, *error["details"], error["hint"]]
    return "\n".join(
        map(clean, [f"{error['code']}: Block {block['id']} failed: {message}", *(f"  {detail}" for detail in known)])
    )


def choose(blocks: Sequence[Told], reply: str) -> list[str] | None:
    """The ids of those that are wanted, of the blocks that can be applied; None if no more answers come.

    `reply` is where the blocks come from: what follows on the same stream is no answer.
    """
    wanted: list[str] = []
    files: dict[str, bool] = {}
    for block in blocks:
        if block["status"] in {"failed", "already_applied"}:
            _say(line(block) + "\n")
        if block["status"] != "applied":
            continue
        path = block["path"]
        if path not in files:
            _say("\n".join(_shown(block)) + "\n")
            answer = _answer(f"Apply block {block['id']} to {clean(path)}? [y,n,q,a,d,?] ", reply)
            if answer in {"", "q"}:
                return wanted if answer else None
            if answer in {"a", "d"}:
                files[path] = answer == "a"
        else:
            answer = ""
        if files.get(path, answer == "y"):
            wanted.append(block["id"])
    return wanted


def _where(block: Told) -> str:
    """The file of a block, and the line."""
    if block["path"] is None:
        return f"(line {block['reply_line']} of the reply)"
    at = f":{block['line']}" if block["line"] and block["action"] == "update" else ""
    to = f" → {block['to']}" if block.get("to") else ""
    return clean(block["path"] + at + to)


def _how(block: Told) -> str:
    """How its place was found, unless it is as the block has it."""
    return "" if block["rung"] in _AS_SENT else f"found {wording.how_matched(block['rung'])}"


def _shown(block: Told) -> Iterator[str]:
    """A block that can be applied."""
    about = ", ".join(filter(None, [f"{block['action']} {_where(block)}", _how(block)]))
    yield colored("bold", f"Block {block['id']}: {about}")
    if block["diff"]:
        yield from colored_diff(block["diff"].removesuffix("\n"))


def _answer(question: str, reply: str) -> str:
    """One of the letters that can be answered; nothing if no answer comes."""
    while True:
        _say(question)
        given = _line_from(reply)
        word = given.strip().lower()
        letter = _WORDS.get(word, word)
        if not given:
            _say("\n")
            return ""
        if letter in {"y", "n", "q", "a", "d"}:
            return letter
        _say(_HELP + "\n")


def _line_from(reply: str) -> str:
    """A line that was typed; ValueError if nobody can type."""
    if reply == "-":
        try:
            with open(_TERMINAL, "rb") as terminal:  # it hands over a line at a time: none is lost in between
                return terminal.readline().decode("utf-8", "replace")
        except OSError as error:
            message = f"-p asks on the terminal if the reply comes from stdin, and there is none: {error.strerror}"
            raise ValueError(message) from error
    if sys.stdin is None:
        message = "-p reads the answers from stdin, which is closed"
        raise ValueError(message)
    return sys.stdin.buffer.readline().decode("utf-8", "replace")


def _say(text: str) -> None:
    """Print at once: what follows is a question, or its answer."""
    print_always(text)
    flush()


_TEXTS = {"old_text": "--old", "old_file": "--old-file", "occurrences": "--occurrences", "edits": "the edits as JSON"}
"""Where edits are found by their text."""
_KEPT = ("encoding", "expect_hash", "validate")
_LINES = {"expected_text": "--expected-text", "mode": "--mode", "delete": "--delete"}
"""What goes with --lines only."""


def edit(options: argparse.Namespace) -> int:
    """Make the edits and print the diff."""
    try:
        arguments = _edit_arguments(options) if options.lines is None else _by_lines(options)
    except ValueError as error:
        return misused("edit", error)
    if options.lines is not None:
        return save(options, arguments)
    return run(
        options,
        lambda workspace: workspace.call("file_edit", arguments),
        _told,
        audience=TERMINAL.but(edit_options=_as_given(options)),
        edits=True,
    )


def _as_given(options: argparse.Namespace) -> str:
    """The options that hold for a correction as well."""
    from shlex import quote

    values = {f"--{name.replace('_', '-')}": getattr(options, name) for name in _KEPT}
    flags = {"--allow-commands": options.allow_commands, "--literal": options.literal, "--dry-run": options.dry_run}
    said = [f" {name} {quote(value)}" for name, value in values.items() if value is not None]
    return "".join([*said, *(f" {name}" for name, given in flags.items() if given), at_root(options)])


def _edit_arguments(options: argparse.Namespace) -> dict[str, Any]:
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
        message = f"the edits are in {source} already: leave out --old, --new and --occurrences"
        raise ValueError(message)
    given: dict[str, Any] = found if isinstance(found, dict) and "edits" in found else {"edits": found}
    if given.get("path", options.path) != options.path:
        message = f"{source} is for {given['path']}, not for {options.path}"
        raise ValueError(message)
    return given


def _from_options(options: argparse.Namespace) -> dict[str, Any]:
    if options.occurrences is not None and options.occurrences < 1:
        message = f"--occurrences is the number of occurrences in the file: at least 1, not {options.occurrences}"
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
    if not all(number.isascii() and number.isdecimal() and int(number) for number in numbers):
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
    notes = [f"warning: {clean(warning)}" for warning in data["warnings"]]
    checked = on_validation(data)
    found = ["", *map(clean, checked)] if checked else []
    return "\n".join([head, *notes, *(["", *colored_diff(diff)] if diff else []), *found])


def patch(options: argparse.Namespace) -> int:
    """Apply patches and print the diff."""
    try:
        arguments = _patch_arguments(options)
    except ValueError as error:
        return misused("patch", error)
    return run(options, lambda workspace: workspace.call("patch", arguments), _patch_told, edits=True)


def _patch_arguments(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of the tool: the document's, and the options'; ValueError says why they cannot be."""
    source, found = document(options.patches)
    given: dict[str, Any] = found if isinstance(found, dict) and "patches" in found else {"patches": found}
    if given.get("path", options.path) != options.path:
        message = f"{source} is for {given['path']}, not for {options.path}"
        raise ValueError(message)
    named = {name: getattr(options, name) for name in ("match", "encoding", "expect_hash", "validate")}
    chosen = {name: value for name, value in named.items() if value is not None}
    flags = {name: True for name in ("dry_run", "literal") if getattr(options, name)}
    return {**given, "path": options.path, **chosen, **flags}


def _patch_told(result: ToolResult) -> str:
    """What happened, the notes, the whole diff, and what checks found."""
    data = result.metadata
    number, path = len(data["patches"]), clean(data["path"])
    patches = f"{number} patch{'es' * (number != 1)}"
    diff = data["display"]["diff"].removesuffix("\n")
    if data.get("dry_run") and not diff:
        head = f"{path} would stay as it is ({patches})."
    elif data.get("dry_run"):
        head = f"Would create {path} ({patches})." if data["created"] else f"Would apply {patches} to {path}."
    elif data["change_id"] is None:
        head = f"No change: {path} is as it was."
    else:
        head = f"{'Created' if data['created'] else 'Patched'} {path} ({patches}) as change {data['change_id']}."
    checked = on_validation(data)
    notes = [*map(clean, result.text.split("\n"))] if result.text else []
    found = ["", *map(clean, checked)] if checked else []
    return "\n".join([head, *notes, *(["", *colored_diff(diff)] if diff else []), *found])


def write(options: argparse.Namespace) -> int:
    """Write what stdin says, if it passes the checks."""
    try:
        content = _content(options.path, may_be_empty=options.allow_empty)
    except ValueError as error:
        return misused("write", error)
    given = {"path": options.path, "content": content, "mode": "verify_only" if options.dry_run else options.mode}
    given |= {name: getattr(options, name) for name in ("encoding", "expect_hash", "validate", "literal")}
    return save(options, given, show_diff=not options.no_diff)


def _content(path: str, *, may_be_empty: bool) -> str:
    """What stdin says; ValueError says what is wrong with it."""
    if sys.stdin is not None and sys.stdin.isatty():
        note(f"Type what {clean(path)} is to hold, and end it by Ctrl-D on a line of its own.")
    content = text_of(STDIN)
    if not content and not may_be_empty:  # the program before the pipe has perhaps failed
        message = f"stdin is empty; to leave {clean(path)} without content, add --allow-empty"
        raise ValueError(message)
    return content


def save(options: argparse.Namespace, given: Mapping[str, object], *, show_diff: bool = True) -> int:
    """Call `safe_edit`; print the diff and what became of it. The exit code is 1 if strict would have refused."""
    chosen = {name: value for name, value in given.items() if value is not None}
    arguments = {**chosen, "show_diff": show_diff and options.json}  # else the diff is printed from the data
    result = attempt(options, lambda workspace: workspace.call("safe_edit", arguments))
    if options.json:
        print_json(result.to_dict())
    else:
        _tell(options, result, show_diff=show_diff)
    if result.is_error:
        return exit_code(result)
    return int(given.get("mode") == "verify_only" and _is_broken(result.metadata["validation"], given))


def _is_broken(validation: dict[str, Any], given: Mapping[str, object]) -> bool:
    """Whether what was only verified would be refused."""
    counted = [*validation["new"], *(validation["existing"] if given.get("validate") == "all" else ())]
    errors = any(issue["severity"] == "error" for issue in counted)
    return errors or any(check["required"] for check in validation["not_run"])


def _tell(options: argparse.Namespace, result: ToolResult, *, show_diff: bool) -> None:
    """Print the diff, then what the tool says; a refusal goes to stderr."""
    data = result.metadata
    diff = data.get("diff", "").removesuffix("\n") if show_diff else ""
    lines = [*colored_diff(diff)] if diff else []
    status = [*map(clean, result.text.split("\n"))]
    if not result.is_error:
        lines += [*([""] if lines else []), *status]
    try:
        if lines:
            print_text("\n".join(lines))
            flush()
    finally:
        if result.is_error:
            refused(options, result, "\n".join(status))
        elif data["change_id"] is not None and data.get("history", {}).get("recorded", True):
            note(way_back(options, data))


_UNUSABLE = "NO_BLOCKS"
_APPLY_WORDS = {"already_applied": "applied already", "failed": "failed", "skipped": "skipped"}


def apply(options: argparse.Namespace) -> int:
    """Apply a reply, or of it what was said yes to; print the diff, and what became of each block."""
    try:
        arguments = _apply_arguments(options)
    except ValueError as error:
        return misused("apply", error)
    if options.patch:
        return _asking(options, arguments)
    result = _call(options, arguments)
    if options.json:
        print_json(result.to_dict())
    if not result.metadata.get("blocks"):
        return _refused(options, result)
    if not options.json:
        _tell_reply(options, result.metadata, result.metadata["blocks"], result.metadata["diff"])
    return int(result.is_error)


def _asking(options: argparse.Namespace, arguments: dict[str, Any]) -> int:
    """Try all blocks, ask about each that fits, apply those that are wanted."""
    preview = _call(options, {**arguments, "dry_run": True, "atomic": False, "validate": "off"})
    if not preview.metadata.get("blocks"):
        return _refused(options, preview)
    before: dict[str, Told] = {block["id"]: block for block in preview.metadata["blocks"]}
    try:
        wanted = choose(list(before.values()), options.reply)
    except ValueError as error:
        return misused("apply", error)
    if wanted is None:
        refuse("NO_ANSWER", "No answer came: nothing was changed.", "Answer y or n, or name blocks by --only.")
        return 1
    result = _call(options, {**arguments, "only": wanted})
    if not result.metadata.get("blocks"):
        return _refused(options, result)
    settled = {name: block for name, block in before.items() if block["status"] in {"failed", "already_applied"}}
    blocks = [settled.get(block["id"], block) for block in result.metadata["blocks"]]
    cleared_up = {"recovered": preview.metadata["recovered"]} if "recovered" in preview.metadata else {}
    _tell_reply(options, {**result.metadata, **cleared_up}, blocks)
    missed = [block["id"] for block in blocks if block["status"] == "failed" and block["id"] in wanted]
    left_out = [block["id"] for block in before.values() if block["status"] == "applied" and block["id"] not in wanted]
    if missed and left_out:
        note(f"note: {', '.join(missed)} fitted together with what was left out: {', '.join(left_out)}")
    unread = any(block["edits"] for block in result.metadata["unread"])
    return int(unread or any(block["status"] == "failed" for block in blocks))


def _call(options: argparse.Namespace, arguments: dict[str, Any]) -> ToolResult:
    return attempt(options, lambda workspace: workspace.call("apply_reply", arguments))


def _apply_arguments(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of the tool; ValueError says why they cannot be."""
    names = ("only", "match", "default_path", "expect_hash", "validate")
    chosen = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    flags = {name: True for name in ("atomic", "dry_run", "whole_files", "literal") if getattr(options, name)}
    return {"reply": _reply_text(options.reply), **chosen, **flags}


def _reply_text(name: str) -> str:
    """The reply, without a byte order mark."""
    if name == STDIN and sys.stdin is not None and sys.stdin.isatty():
        note("Paste the reply, and end it by Ctrl-D on a line of its own.")
    return text_of(name).removeprefix("\ufeff")


def _refused(options: argparse.Namespace, result: ToolResult) -> int:
    """Say why nothing of the reply was even tried."""
    told = result.metadata["error"]
    if not options.json:
        refused(options, result, "\n".join(map(clean, result.text.split("\n"))))
    return USAGE if told["code"] == _UNUSABLE else exit_code(result)


def _tell_reply(options: argparse.Namespace, data: dict[str, Any], blocks: Sequence[Told], diff: str = "") -> None:
    """Print the diff, a line for each block and one for all, and what checks found; complaints go to stderr."""
    shown = [*colored_diff(diff.removesuffix("\n")), ""] if diff else []
    found = map(clean, on_validation(data))
    try:
        print_text("\n".join([*shown, *map(line, blocks), _summary(options, data, blocks), *found]))
        flush()
    finally:
        for block in _failed(blocks):
            complain(failure(block))
        for part in data["unread"]:
            if part["edits"]:
                complain(f"UNREAD_EDITS: {clean(part['message'])}.")
        if data.get("error", {}).get("code") == "UNREAD_EDITS":
            note(data["error"]["hint"])
        for words in _notes(options, data, blocks):
            note(words)


def _summary(options: argparse.Namespace, data: dict[str, Any], blocks: Sequence[Told]) -> str:
    numbers = {status: sum(block["status"] == status for block in blocks) for status in data["summary"]}
    applied = numbers.pop("applied")
    others = ", ".join(f"{number} {_APPLY_WORDS[status]}" for status, number in numbers.items() if number)
    done = count(len(blocks), "block") if applied == len(blocks) else f"{applied} of {count(len(blocks), 'block')}"
    rest = f"; {others}" if others else ""
    if not applied:
        return f"{'Nothing would change' if options.dry_run else 'Nothing was changed'}: {others}."
    if options.dry_run:
        return f"Would apply {done}{rest}."
    if data["change_id"] is None:
        return f"No change: {done} together leave everything as it was{rest}."
    return f"Applied {done} as change {data['change_id']}{rest}."


def _notes(options: argparse.Namespace, data: dict[str, Any], blocks: Sequence[Told]) -> Iterator[str]:
    """What else is to be known, and how to take it back."""
    failed = _failed(blocks)
    told = _cut_off(failed)
    unread = {part["message"] for part in data["unread"] if part["edits"]}
    errors = [error for error in data["errors"] if error not in unread]
    yield from (f"note: {clean(error)}" for error in errors if failed and not told)
    warnings = [warning for warning in data["warnings"] if not (told and warning.startswith("Some "))]
    yield from (f"warning: {clean(warning)}" for warning in warnings)
    yield from recovered(data)
    if data["change_id"] is not None:
        yield way_back(options, data)


def _failed(blocks: Sequence[Told]) -> list[Told]:
    return [block for block in blocks if block["status"] == "failed"]


def _cut_off(failed: Sequence[Told]) -> bool:
    """Whether a block is cut off, which is told with it."""
    return any(block["error"]["code"] == "INCOMPLETE_BLOCK" for block in failed)
