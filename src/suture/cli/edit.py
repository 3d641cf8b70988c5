"""`suture edit`, `patch`, `write` and `apply`."""

from __future__ import annotations

import sys

from suture import wording
from suture.audience import TERMINAL
from suture.cli.commands import attempt, exit_code, print_change, print_refusal, run_and_show, tool_arguments
from suture.cli.output import (
    STDIN,
    USAGE,
    at_root,
    clean,
    clean_lines,
    colored,
    colored_diff,
    content_of,
    document,
    flush,
    note,
    print_always,
    print_json,
    refuse,
    report_misuse,
    source_of,
    text_of,
    warnings,
)
from suture.wording import AS_SENT, count

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from suture.tools.spec import ToolResult

    Block = dict[str, Any]
    """A block in the metadata of `apply_reply`."""


_TERMINAL = "/dev/tty"
_SIGNS = {
    "applied": ("green", "✓"),
    "already_applied": ("faint", "="),
    "failed": ("red", "✗"),
    "skipped": ("faint", "-"),
}
_STATUS_WORDS = {"already_applied": "already applied", "failed": "failed", "skipped": "skipped"}
_ACTION_WORDS = {"create": "created", "delete": "deleted", "rename": "renamed"}
_ANSWERS = {"yes": "y", "no": "n", "quit": "q"}
_HELP = """\
y - apply this block
n - do not apply this block
q - quit: apply the blocks accepted so far, and no others
a - apply this block and all later blocks of the same file
d - do not apply this block or any later block of the same file
? - print this help"""
_TEXT_OPTIONS = {
    "old_text": "--old",
    "old_file": "--old-file",
    "occurrences": "--occurrences",
    "edits": "the edits as JSON",
}
"""Options that find the old text, which --lines excludes."""
_REPEATED = ("encoding", "expect_hash", "validate")
_LINE_OPTIONS = {"expected_text": "--expected-text", "mode": "--mode", "delete": "--delete"}
"""Options that need --lines."""
_NOTHING_TO_APPLY = "NO_BLOCKS"


def _block_line(block: Block) -> str:
    color, sign = _SIGNS[block["status"]]
    done = _STATUS_WORDS.get(block["status"]) or _ACTION_WORDS.get(block["action"])
    about = ", ".join(filter(None, [_where(block), done, _how(block)]))
    return f"{colored(color, sign)} {block['id']} {about}"


def choose(blocks: Sequence[Block], reply: str) -> list[str] | None:
    """The ids of the applicable blocks that the user accepts; None if the answers end early.

    `reply` is the source of the blocks: answers are not read from the same stream.
    """
    wanted: list[str] = []
    files: dict[str, bool] = {}
    for block in blocks:
        if block["status"] in {"failed", "already_applied"}:
            _print_now(_block_line(block) + "\n")
        if block["status"] != "applied":
            continue
        path = block["path"]
        if path not in files:
            _print_now("\n".join(_block_lines(block)) + "\n")
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


def _where(block: Block) -> str:
    """The file of a block, and the line."""
    if block["path"] is None:
        return f"(line {block['reply_line']} of the reply)"
    at = f":{block['line']}" if block["line"] and block["action"] == "update" else ""
    to = f" → {block['to']}" if block.get("to") else ""
    return clean(block["path"] + at + to)


def _how(block: Block) -> str:
    """How a block's place was found, unless it matched exactly."""
    return "" if block["rung"] in AS_SENT else f"found {wording.how_matched(block['rung'])}"


def _block_lines(block: Block) -> Iterator[str]:
    about = ", ".join(filter(None, [f"{block['action']} {_where(block)}", _how(block)]))
    yield colored("bold", f"Block {block['id']}: {about}")
    if block["diff"]:
        yield from colored_diff(block["diff"].removesuffix("\n"))


def _answer(question: str, reply: str) -> str:
    """The letter of the answer; empty if the input ends."""
    while True:
        _print_now(question)
        typed = _line_from(reply)
        word = typed.strip().lower()
        letter = _ANSWERS.get(word, word)
        if not typed:
            _print_now("\n")
            return ""
        if letter in {"y", "n", "q", "a", "d"}:
            return letter
        _print_now(_HELP + "\n")


def _line_from(reply: str) -> str:
    """A line typed by the user; ValueError if there is no terminal or stdin."""
    if reply == "-":
        try:
            with open(_TERMINAL, "rb") as terminal:  # it delivers one line at a time, so no input is lost
                return terminal.readline().decode("utf-8", "replace")
        except OSError as error:
            raise ValueError(f"-p needs a terminal if the reply comes from stdin: {error.strerror}") from error
    if sys.stdin is None:
        raise ValueError("-p reads answers from stdin, which is closed")
    return sys.stdin.buffer.readline().decode("utf-8", "replace")


def _print_now(text: str) -> None:
    """Print without buffering, before an answer is read."""
    print_always(text)
    flush()


def edit(options: argparse.Namespace) -> int:
    """Make the edits and print the diff."""
    try:
        arguments = _edit_arguments(options) if options.lines is None else _by_lines(options)
    except ValueError as error:
        return report_misuse("edit", error)
    if options.lines is not None:
        return save(options, arguments)
    return run_and_show(
        options,
        lambda workspace: workspace.call("file_edit", arguments),
        lambda result: _print_edit(options, result),
        TERMINAL.evolve(by_options=options.edits is None, edit_options=_repeated_options(options)),
    )


def _repeated_options(options: argparse.Namespace) -> str:
    from shlex import quote

    values = {f"--{name.replace('_', '-')}": getattr(options, name) for name in _REPEATED}
    flags = {"--allow-commands": options.allow_commands, "--literal": options.literal, "--dry-run": options.dry_run}
    options_with_values = [f" {name} {quote(value)}" for name, value in values.items() if value is not None]
    return "".join([*options_with_values, *(f" {name}" for name, is_set in flags.items() if is_set), at_root(options)])


def _edit_arguments(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of the tool; ValueError says what is wrong with them."""
    if wrong := _options_set(options, _LINE_OPTIONS):
        raise ValueError(f"{wrong[0]} requires --lines")
    if options.edits is None:
        return {**tool_arguments(options), "edits": [_from_options(options)]}
    source, arguments = _with_document(options, "edits")
    if any(
        getattr(options, name) is not None for name in ("old_text", "new_text", "old_file", "new_file", "occurrences")
    ):
        raise ValueError(f"{source} already has the edits: omit --old, --new and --occurrences")
    return arguments


def _with_document(options: argparse.Namespace, name: str) -> tuple[str, dict[str, Any]]:
    """The source of a JSON document, and the tool's arguments: the document is all of them, or the one of that name."""
    source, content = document(getattr(options, name))
    arguments: dict[str, Any] = content if isinstance(content, dict) and name in content else {name: content}
    typed = tool_arguments(options)
    if arguments.get("path", typed["path"]) != typed["path"]:
        raise ValueError(f"{source} is for {arguments['path']}, not for {typed['path']}")
    return source, {**arguments, **typed, name: arguments[name]}


def _from_options(options: argparse.Namespace) -> dict[str, Any]:
    if options.occurrences is not None and options.occurrences < 1:
        raise ValueError(
            f"--occurrences is the number of occurrences in the file: expected at least 1, got {options.occurrences}"
        )
    edit = {"old_text": _text(options, "old"), "new_text": _text(options, "new")}
    return edit if options.occurrences is None else {**edit, "occurrences": options.occurrences}


def _by_lines(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of `safe_edit` for one range of lines; ValueError says what is wrong with them."""
    if wrong := _options_set(options, _TEXT_OPTIONS):
        raise ValueError(f"--lines cannot be used with {' or '.join(wrong)}")
    if len(options.lines) > 1:
        raise ValueError("--lines can be used only once; to replace several ranges, call safe_edit with line_edits")
    if options.validate not in {None, "all"}:
        raise ValueError(f"with --lines, use --mode instead of --validate {options.validate}")
    start, end = _range(options.lines[0])
    new = {"start_line": start, "end_line": end, "new_content": _new_lines(options)}
    expected = {} if options.expected_text is None else {"expected_text": options.expected_text}
    arguments = {**tool_arguments(options), "line_edits": [{**new, **expected}]}
    mode = "verify_only" if arguments.pop("dry_run", False) else options.mode
    return arguments if mode is None else {**arguments, "mode": mode}


def _options_set(options: argparse.Namespace, names: dict[str, str]) -> list[str]:
    values = {shown: getattr(options, name) for name, shown in names.items()}
    return [shown for shown, value in values.items() if value is not None and value is not False]


def _range(lines: str) -> tuple[int, int]:
    """The first and the last line of `12` or `10-20`."""
    first, dash, last = lines.partition("-")
    numbers = [first, last] if dash else [first]
    if not all(number.isascii() and number.isdecimal() and int(number) for number in numbers):
        raise ValueError(f"--lines: expected a line such as 12 or a range such as 10-20, counted from 1, got {lines!r}")
    start, end = int(numbers[0]), int(numbers[-1])
    if end < start:
        raise ValueError(f"--lines: {lines} ends before it starts; did you mean {end}-{start}?")
    return start, end


def _new_lines(options: argparse.Namespace) -> str:
    """The new text of the lines; empty to delete them."""
    if not options.delete:
        return _text(options, "new")
    if options.new_text is not None or options.new_file is not None:
        raise ValueError("--delete cannot be used with --new or --new-file")
    return ""


def _text(options: argparse.Namespace, name: str) -> str:
    """The old or the new text, from an option, a file or stdin."""
    text, file = getattr(options, f"{name}_text"), getattr(options, f"{name}_file")
    if (text is None) == (file is None):
        expected = "expected only one of" if text is not None else "expected"
        other = " (or --delete)" if options.lines else " (or the edits as JSON)"
        raise ValueError(f"{expected} --{name} TEXT or --{name}-file FILE{other * (text is None)}")
    if file is None:
        return str(text)
    if options.old_file == options.new_file == STDIN:
        raise ValueError("only one of --old-file and --new-file can be stdin")
    content = content_of(file)
    if not content and file == STDIN:  # the command that writes to the pipe may have failed
        raise ValueError("stdin is empty" + ("; to delete the text, use --new ''" if name == "new" else ""))
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise ValueError(f"{source_of(file)} is not UTF-8; send its text as JSON") from None


def _print_edit(options: argparse.Namespace, result: ToolResult) -> None:
    data = result.metadata
    path, replacements = clean(data["path"]), count(data["total_replacements"], "replacement")
    diff = data["diff"]["unified"]
    if data.get("dry_run"):
        head = f"Would make {replacements} in {path}." if diff else f"{path} would not change ({replacements})."
    elif data["change_id"] is None:
        head = f"No change: {path} already has this content ({replacements})."
    else:
        head = f"Edited {path} ({replacements}) as change {data['change_id']}."
    print_change(options, result, head, diff, warnings(data))


def patch(options: argparse.Namespace) -> int:
    """Apply patches and print the diff."""
    try:
        _, arguments = _with_document(options, "patches")
    except ValueError as error:
        return report_misuse("patch", error)
    return run_and_show(
        options,
        lambda workspace: workspace.call("patch", arguments),
        lambda result: _print_patch(options, result),
    )


def _print_patch(options: argparse.Namespace, result: ToolResult) -> None:
    data = result.metadata
    path, patches = clean(data["path"]), count(len(data["patches"]), "patch")
    diff = data["display"]["diff"]
    if data.get("dry_run") and not diff:
        head = f"{path} would not change ({patches})."
    elif data.get("dry_run"):
        head = f"Would create {path} ({patches})." if data["created"] else f"Would apply {patches} to {path}."
    elif data["change_id"] is None:
        head = f"No change: {path} already has this content."
    else:
        head = f"{'Created' if data['created'] else 'Patched'} {path} ({patches}) as change {data['change_id']}."
    outcome = f"{head}\n{clean_lines(result.answer)}" if result.answer else head
    print_change(options, result, outcome, diff, warnings(data))


def write(options: argparse.Namespace) -> int:
    """Write the text on stdin, if it passes the checks."""
    try:
        content = _content(options.path, may_be_empty=options.allow_empty)
    except ValueError as error:
        return report_misuse("write", error)
    arguments = {**tool_arguments(options), "content": content}
    if options.dry_run:
        arguments["mode"] = "verify_only"
    return save(options, arguments, show_diff=not options.no_diff)


def _content(path: str, *, may_be_empty: bool) -> str:
    """The text on stdin; ValueError says what is wrong with it."""
    if sys.stdin is not None and sys.stdin.isatty():
        note(f"Type the content of {clean(path)}; end with Ctrl-D on a new line.")
    content = text_of(STDIN)
    if not content and not may_be_empty:  # the command that writes to the pipe may have failed
        raise ValueError(f"stdin is empty; to make {clean(path)} empty, add --allow-empty")
    return content


def save(options: argparse.Namespace, arguments: Mapping[str, object], *, show_diff: bool = True) -> int:
    """Call `safe_edit`; print the diff and the outcome. The exit code is 1 if strict would have refused."""
    arguments = {**arguments, "show_diff": show_diff and options.json}  # otherwise the diff is printed from the data
    result = attempt(options, lambda workspace: workspace.call("safe_edit", arguments))
    diff = result.metadata.get("diff", "") if show_diff else ""
    if options.json:
        print_json(result.to_dict())
    elif result.is_error:
        print_refusal(options, result, diff)
    else:
        _print_saved(options, result, arguments, diff)
    if result.is_error:
        return exit_code(result)
    return int(arguments.get("mode") == "verify_only" and _is_broken(result.metadata["validation"], arguments))


def _is_broken(validation: dict[str, Any], arguments: Mapping[str, object]) -> bool:
    """Whether strict mode would refuse the content that was only verified."""
    issues = [*validation["new"], *(validation["existing"] if arguments.get("validate") == "all" else ())]
    errors = any(issue["severity"] == "error" for issue in issues)
    return errors or any(check["required"] for check in validation["not_run"])


def _print_saved(options: argparse.Namespace, result: ToolResult, arguments: Mapping[str, object], diff: str) -> None:
    data = result.metadata
    path, verb = clean(data["path"]), options.command
    if data["change_id"] is not None:
        outcome = f"{'Edited' if verb == 'edit' else 'Wrote'} {path} as change {data['change_id']}."
    elif not data["diff"]:
        outcome = f"No change: {path} already has this content."
    elif _is_broken(data["validation"], arguments):
        outcome = f"Would refuse to {verb} {path}: it would not pass the checks."
    else:
        outcome = f"Would {verb} {path}."
    print_change(options, result, outcome, diff, warnings(data))


def apply(options: argparse.Namespace) -> int:
    """Apply a reply, or the blocks that the user accepts; print the diff and the status of each block."""
    try:
        arguments = {**tool_arguments(options), "reply": _reply_text(options.reply)}
    except ValueError as error:
        return report_misuse("apply", error)
    if options.patch:
        return _apply_interactively(options, arguments)
    result = _call(options, arguments)
    if options.json:
        print_json(result.to_dict())
    if not result.metadata.get("blocks"):
        return _report_refusal(options, result)
    if not options.json:
        _print_reply(options, result, result.metadata["blocks"], result.metadata["diff"])
    return int(result.is_error)


def _apply_interactively(options: argparse.Namespace, arguments: dict[str, Any]) -> int:
    """Try all blocks, ask about each one that can be applied, and apply those accepted."""
    preview = _call(options, {**arguments, "dry_run": True, "atomic": False, "validate": "off"})
    if not preview.metadata.get("blocks"):
        return _report_refusal(options, preview)
    before: dict[str, Block] = {block["id"]: block for block in preview.metadata["blocks"]}
    try:
        wanted = choose(list(before.values()), options.reply)
    except ValueError as error:
        return report_misuse("apply", error)
    if wanted is None:
        refuse("NO_ANSWER", "No answer: nothing was changed.", "Answer y or n, or select blocks with --only.")
        return 1
    result = _call(options, {**arguments, "only": wanted})
    if not result.metadata.get("blocks"):
        return _report_refusal(options, result)
    unaffected = {name: block for name, block in before.items() if block["status"] in {"failed", "already_applied"}}
    blocks = [unaffected.get(block["id"], block) for block in result.metadata["blocks"]]
    _print_reply(options, result.evolve(notes=(*preview.notes, *result.notes)), blocks)
    failed = [block["id"] for block in blocks if block["status"] == "failed" and block["id"] in wanted]
    declined = [block["id"] for block in before.values() if block["status"] == "applied" and block["id"] not in wanted]
    if failed and declined:
        note(f"note: {', '.join(failed)} could be applied only together with: {', '.join(declined)}")
    unread = any(block["edits"] for block in result.metadata["unread"])
    return int(unread or any(block["status"] == "failed" for block in blocks))


def _call(options: argparse.Namespace, arguments: dict[str, Any]) -> ToolResult:
    return attempt(options, lambda workspace: workspace.call("apply_reply", arguments))


def _reply_text(name: str) -> str:
    """The reply, without a byte order mark."""
    if name == STDIN and sys.stdin is not None and sys.stdin.isatty():
        note("Paste the reply; end with Ctrl-D on a new line.")
    text = text_of(name)
    if not text and name == STDIN:  # the command that writes to the pipe may have failed
        raise ValueError("stdin is empty")
    return text.removeprefix("\ufeff")


def _report_refusal(options: argparse.Namespace, result: ToolResult) -> int:
    """Print why no block of the reply was tried; returns the exit code."""
    error = result.metadata["error"]
    if not options.json:
        print_refusal(options, result)
    return USAGE if error["code"] == _NOTHING_TO_APPLY else exit_code(result)


def _print_reply(options: argparse.Namespace, result: ToolResult, blocks: Sequence[Block], diff: str = "") -> None:
    """Print a line per block, a summary and the diff; what failed goes to stderr."""
    data = result.metadata
    outcome = "\n".join([*map(_block_line, blocks), _summary(options, data, blocks)])
    failures = [_failure(block) for block in _failed(blocks)]
    failures += [("UNREAD_EDITS", part["message"]) for part in data["unread"] if part["edits"]]
    print_change(options, result, outcome, diff, [*_remarks(data, blocks)], failures)


def _failure(block: Block) -> tuple[str, str]:
    """Why a block failed, with details and what to do."""
    error = block["error"]
    words = "\n".join([error["message"], *error["details"], error["hint"]]).replace("\n", "\n  ")
    return error["code"], f"Block {block['id']} failed: {words}"


def _summary(options: argparse.Namespace, data: dict[str, Any], blocks: Sequence[Block]) -> str:
    numbers = {status: sum(block["status"] == status for block in blocks) for status in data["summary"]}
    applied = numbers.pop("applied")
    others = ", ".join(f"{number} {_STATUS_WORDS[status]}" for status, number in numbers.items() if number)
    done = count(len(blocks), "block") if applied == len(blocks) else f"{applied} of {count(len(blocks), 'block')}"
    rest = f"; {others}" if others else ""
    if not applied:
        return f"{'Nothing would change' if options.dry_run else 'Nothing was changed'}: {others}."
    if options.dry_run:
        return f"Would apply {done}{rest}."
    if data["change_id"] is None:
        return f"No change: {done} together change nothing{rest}."
    return f"Applied {done} as change {data['change_id']}{rest}."


def _remarks(data: dict[str, Any], blocks: Sequence[Block]) -> Iterator[str]:
    """What to do about edits that were not read, notes and warnings."""
    if data.get("error", {}).get("code") == "UNREAD_EDITS":
        yield data["error"]["hint"]
    unread = (part["message"] for part in data["unread"] if part["edits"])  # they have been printed
    redundant = {*data.get("malformed", ()), *unread}
    if _failed(blocks):
        yield from (f"note: {error}" for error in data["errors"] if error not in redundant)
    yield from (f"warning: {warning}" for warning in data["warnings"] if warning not in redundant)


def _failed(blocks: Sequence[Block]) -> list[Block]:
    return [block for block in blocks if block["status"] == "failed"]
