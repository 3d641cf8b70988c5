"""`suture apply`: what a model's reply says about files, applied to them."""

from __future__ import annotations

import sys

from suture.cli.commands import attempt, stdin
from suture.cli.documents import content_of
from suture.cli.hunks import choose, failure, in_options, line
from suture.cli.notes import as_option, on_validation
from suture.cli.output import complain, print_json, print_text
from suture.cli.terminal import clean, colored_diff
from suture.render import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence
    from typing import Any

    from suture.cli.hunks import Told
    from suture.tools.spec import ToolResult

_USAGE = 2
_UNFIT = "INVALID_ARGUMENTS"
_UNUSABLE = {_UNFIT, "NO_BLOCKS"}
_WORDS = {"already_applied": "applied already", "failed": "failed", "skipped": "skipped"}


def apply(options: argparse.Namespace) -> int:
    """Apply a reply, or of it what was said yes to; print the diff, and what became of each block."""
    try:
        arguments = _arguments(options)
    except ValueError as error:
        return _misused(error)
    if options.patch:
        return _asking(options, arguments)
    result = _call(options, arguments)
    if options.json:
        print_json(result.to_dict())
    if not result.metadata.get("blocks"):
        return _refused(options, result)
    if not options.json:
        _tell(options, result.metadata, result.metadata["blocks"], result.metadata["diff"])
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
        return _misused(error)
    if wanted is None:
        complain("suture apply: no answer: nothing was changed")
        return 1
    result = _call(options, {**arguments, "only": wanted})
    if not result.metadata.get("blocks"):
        return _refused(options, result)
    settled = {name: block for name, block in before.items() if block["status"] in {"failed", "already_applied"}}
    blocks = [settled.get(each["id"], each) for each in result.metadata["blocks"]]
    cleared_up = {"recovered": preview.metadata["recovered"]} if "recovered" in preview.metadata else {}
    _tell(options, {**result.metadata, **cleared_up}, blocks)
    missed = [each["id"] for each in blocks if each["status"] == "failed" and each["id"] in wanted]
    left_out = [each["id"] for each in before.values() if each["status"] == "applied" and each["id"] not in wanted]
    if missed and left_out:
        complain(f"note: {', '.join(missed)} fitted together with what was left out: {', '.join(left_out)}")
    return int(any(each["status"] == "failed" for each in blocks))


def _misused(error: ValueError) -> int:
    complain(f"suture apply: {error}")
    return _USAGE


def _call(options: argparse.Namespace, arguments: dict[str, Any]) -> ToolResult:
    return attempt(options, lambda workspace: workspace.call("apply_reply", arguments))


def _arguments(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of the tool; ValueError says why they cannot be."""
    names = ("only", "match", "default_path", "expect_hash", "validate")
    chosen = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    flags = {name: True for name in ("atomic", "dry_run", "whole_files") if getattr(options, name)}
    return {"reply": _text(options.reply), **chosen, **flags}


def _text(name: str) -> str:
    """The reply, as it came."""
    if name == "-" and sys.stdin is not None and sys.stdin.isatty():
        complain("Paste the reply, and end it by Ctrl-D on a line of its own.")
    raw = stdin() if name == "-" else content_of(name)
    try:
        return raw.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        source = "stdin" if name == "-" else name
        message = f"{source} is not UTF-8: byte {error.start + 1:,} is 0x{raw[error.start]:02x}"
        raise ValueError(message) from None


def _refused(options: argparse.Namespace, result: ToolResult) -> int:
    """Say why nothing of the reply was even tried."""
    told = result.metadata["error"]
    if not options.json and told["code"] == _UNFIT:
        problems = [f"suture apply: {as_option(each['argument'])}: {each['problem']}" for each in told["problems"]]
        complain("\n".join(map(clean, problems)))
    elif not options.json:
        text = result.text.replace(told["hint"], in_options(told["hint"]))
        complain("\n".join(map(clean, text.split("\n"))))
    return _USAGE if told["code"] in _UNUSABLE else 1


def _tell(options: argparse.Namespace, data: dict[str, Any], blocks: Sequence[Told], diff: str = "") -> None:
    """Print the diff, a line for each block and one for all, and what checks found; complaints go to stderr."""
    shown = [*colored_diff(diff.removesuffix("\n")), ""] if diff else []
    found = map(clean, on_validation(data))
    try:
        print_text("\n".join([*shown, *map(line, blocks), _summary(options, data, blocks), *found]))
        if sys.stdout is not None:
            sys.stdout.flush()
    finally:
        for each in _complaints(options, data, blocks):
            complain(each)


def _summary(options: argparse.Namespace, data: dict[str, Any], blocks: Sequence[Told]) -> str:
    numbers = {status: sum(each["status"] == status for each in blocks) for status in data["summary"]}
    applied = numbers.pop("applied")
    others = ", ".join(f"{number} {_WORDS[status]}" for status, number in numbers.items() if number)
    done = count(len(blocks), "block") if applied == len(blocks) else f"{applied} of {count(len(blocks), 'block')}"
    rest = f"; {others}" if others else ""
    if not applied:
        return f"{'Nothing would change' if options.dry_run else 'Nothing was changed'}: {others}."
    if options.dry_run:
        return f"Would apply {done}{rest}."
    if data["change_id"] is None:
        return f"Applied {done}{rest}; in the end everything is as it was."
    return f"Applied {done} as change {data['change_id']}{rest}."


def _complaints(options: argparse.Namespace, data: dict[str, Any], blocks: Sequence[Told]) -> Iterator[str]:
    """What failed and why, what else is to be known, and how to take it back."""
    failed = [each for each in blocks if each["status"] == "failed"]
    yield from map(failure, failed)
    named = any(each["error"]["code"] == "INCOMPLETE_BLOCK" for each in failed)  # then it is told with the block
    yield from (f"error: {clean(each)}" for each in data["errors"] if failed and not named)
    yield from (f"warning: {clean(each)}" for each in data["warnings"] if not (named and each.startswith("Some ")))
    if "recovered" in data:
        yield "note: an interrupted transaction was cleared up first; see --json"
    if data["change_id"] is None:
        return
    if "history" in data and not data["history"]["recorded"]:
        yield "note: it cannot be undone, for it could not be recorded; see --json"
    else:
        root = "" if options.root == "." else f" --root {options.root}"
        yield f"To take it back: suture undo {data['change_id']}{root}"
