"""`suture apply`: what a model's reply says about files, applied to them."""

from __future__ import annotations

import sys

from suture.cli.commands import attempt, exit_code, refused
from suture.cli.documents import STDIN, text_of
from suture.cli.hunks import choose, failure, line
from suture.cli.notes import in_options, on_validation, recovered, way_back
from suture.cli.output import USAGE, complain, flush, misused, note, print_json, print_text, refuse
from suture.cli.terminal import clean, colored_diff
from suture.render import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence
    from typing import Any

    from suture.cli.hunks import Told
    from suture.tools.spec import ToolResult

_UNUSABLE = "NO_BLOCKS"
_WORDS = {"already_applied": "applied already", "failed": "failed", "skipped": "skipped"}


def apply(options: argparse.Namespace) -> int:
    """Apply a reply, or of it what was said yes to; print the diff, and what became of each block."""
    try:
        arguments = _arguments(options)
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
        return misused("apply", error)
    if wanted is None:
        refuse("NO_ANSWER", "No answer came: nothing was changed.", "Answer y or n, or name blocks by --only.")
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
        note(f"note: {', '.join(missed)} fitted together with what was left out: {', '.join(left_out)}")
    unread = any(each["edits"] for each in result.metadata["unread"])
    return int(unread or any(each["status"] == "failed" for each in blocks))


def _call(options: argparse.Namespace, arguments: dict[str, Any]) -> ToolResult:
    return attempt(options, lambda workspace: workspace.call("apply_reply", arguments))


def _arguments(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of the tool; ValueError says why they cannot be."""
    names = ("only", "match", "default_path", "expect_hash", "validate")
    chosen = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    flags = {name: True for name in ("atomic", "dry_run", "whole_files", "literal") if getattr(options, name)}
    return {"reply": _text(options.reply), **chosen, **flags}


def _text(name: str) -> str:
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


def _tell(options: argparse.Namespace, data: dict[str, Any], blocks: Sequence[Told], diff: str = "") -> None:
    """Print the diff, a line for each block and one for all, and what checks found; complaints go to stderr."""
    shown = [*colored_diff(diff.removesuffix("\n")), ""] if diff else []
    found = map(clean, on_validation(data))
    try:
        print_text("\n".join([*shown, *map(line, blocks), _summary(options, data, blocks), *found]))
        flush()
    finally:
        for block in _failed(blocks):
            complain(failure(block))
        for each in data["unread"]:
            if each["edits"]:
                complain(f"UNREAD_EDITS: {clean(each['message'])}.")
        if data.get("error", {}).get("code") == "UNREAD_EDITS":
            note(in_options(data["error"]["hint"]))
        for each in _notes(options, data, blocks):
            note(each)


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
        return f"No change: {done} together leave everything as it was{rest}."
    return f"Applied {done} as change {data['change_id']}{rest}."


def _notes(options: argparse.Namespace, data: dict[str, Any], blocks: Sequence[Told]) -> Iterator[str]:
    """What else is to be known, and how to take it back."""
    failed = _failed(blocks)
    told = _cut_off(failed)
    unread = {each["message"] for each in data["unread"] if each["edits"]}
    errors = [each for each in data["errors"] if each not in unread]
    yield from (f"note: {clean(each)}" for each in errors if failed and not told)
    warnings = [each for each in data["warnings"] if not (told and each.startswith("Some "))]
    yield from (f"warning: {clean(in_options(each))}" for each in warnings)
    yield from recovered(data)
    if data["change_id"] is not None:
        yield way_back(options, data)


def _failed(blocks: Sequence[Told]) -> list[Told]:
    return [each for each in blocks if each["status"] == "failed"]


def _cut_off(failed: Sequence[Told]) -> bool:
    """Whether a block is cut off, which is told with it."""
    return any(each["error"]["code"] == "INCOMPLETE_BLOCK" for each in failed)
