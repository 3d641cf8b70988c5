"""`suture check`: what is wrong with files as they are."""

from __future__ import annotations

from suture.cli.commands import attempt, refused, tool_arguments
from suture.cli.output import USAGE, clean, colored, note, print_json, print_text, recovered, skipped
from suture.wording.edits import issue_parts
from suture.wording.phrases import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence
    from typing import Any

    Row = dict[str, Any]


def check(options: argparse.Namespace) -> int:
    """Print the problems, a line each; what was not checked and the numbers go to stderr."""
    arguments = tool_arguments(options)
    result = attempt(options, lambda workspace: workspace.command("check", arguments))
    data = result.metadata
    if options.json:
        print_json(result.to_dict() if result.is_error else data)
    elif result.is_error:
        refused(options, result)
    else:
        _tell(data)
    if result.is_error or not data["files"]:
        return USAGE
    return int(bool(data["errors"]) or any(skipped_check["required"] for skipped_check in data["not_run"]))


def _tell(data: Row) -> None:
    """Print what was found, and say what else is to be known."""
    if data["issues"]:
        print_text("\n".join(map(_line, data["issues"])))
    if data["unlisted"]["issues"]:
        note(f"… and {count(data['unlisted']['issues'], 'more problem')} (--max-issues)")
    for reason in _not_validated(data["not_run"]):
        note(f"⚠️ Not validated: {reason}")
    if data["unlisted"]["not_run"]:
        note(f"⚠️ … and {count(data['unlisted']['not_run'], 'more check')} (--max-issues)")
    for line in (*skipped(data.get("binary", ())), *recovered(data)):
        note(line)
    note(_summary(data))


def _line(issue: Row) -> str:
    """A problem, colored on a terminal."""
    place, code, message = issue_parts(issue)
    color = "red" if issue["severity"] == "error" else "yellow"
    return f"{colored('bold', place)}{colored(color, f' {code} ')}{message}"


def _not_validated(not_run: Sequence[Row]) -> Iterator[str]:
    """What was not checked, and why: files for which the same holds are counted, not named."""
    alike: dict[tuple[str, str], list[str]] = {}
    for check in not_run:
        alike.setdefault((check["validator"], check["reason"]), []).append(check["path"])
    for (validator, reason), paths in alike.items():
        what = paths[0] if len(paths) == 1 else count(len(paths), "file")
        yield clean(f"{what} by {validator}: {reason}")


def _summary(data: Row) -> str:
    if not data["files"]:
        return "Nothing was checked: there is no text file."
    unchecked = data["unchecked"]
    numbers = [count(data[f"{noun}s"], noun) for noun in ("error", "warning") if data[f"{noun}s"]]
    numbers += [f"{unchecked} not checked by all"] if unchecked else []
    if data["left_out"]:
        numbers.append("the others left out" if data["stopped"] else f"{data['left_out']} left out")
    only = f" ({data['markers_only']} for conflict markers only)" if data["markers_only"] else ""
    return f"Checked {count(data['files'], 'file')}{only}: {', '.join(numbers) or 'no problems'}."
