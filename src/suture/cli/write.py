"""`suture write`: the whole content of a file from stdin, written only if nothing breaks."""

from __future__ import annotations

import sys

from suture.cli.commands import attempt, exit_code, refused
from suture.cli.documents import STDIN, text_of
from suture.cli.notes import allowable, in_options, way_back
from suture.cli.output import flush, misused, note, print_json, print_text
from suture.cli.terminal import clean, colored_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from typing import Any

    from suture.tools.spec import ToolResult


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
    errors = any(each["severity"] == "error" for each in counted)
    return errors or any(each["required"] for each in validation["not_run"])


def _tell(options: argparse.Namespace, result: ToolResult, *, show_diff: bool) -> None:
    """Print the diff, then what the tool says; a refusal goes to stderr."""
    data = result.metadata
    diff = data.get("diff", "").removesuffix("\n") if show_diff else ""
    lines = [*colored_diff(diff)] if diff else []
    status = _status(result)
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


def _status(result: ToolResult) -> list[str]:
    """The lines that say what became of the file, in the words of the command line."""
    lines = result.text.split("\n")
    if result.is_error:
        hint = result.metadata["error"]["hint"].split("\n")
        lines += [] if hint[0] in lines else hint
        lines = [
            in_options(lines[0].removeprefix("❌ ")),
            *(in_options(line) if line in hint else line for line in lines[1:]),
        ]
    return [clean(allowable(line)) for line in lines]
