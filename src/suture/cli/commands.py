"""The commands `read`, `call`, `tools`, `recover` and `check`, and how every command makes a call."""

from __future__ import annotations

from contextlib import suppress

from suture import wording
from suture.audience import MODEL, TERMINAL
from suture.cli.output import (
    STDIN,
    USAGE,
    as_content,
    at_root,
    clean,
    colored,
    colored_diff,
    content_of,
    flush,
    note,
    parse_json,
    print_json,
    print_notes,
    print_text,
    refuse,
    refuse_for,
    report_misuse,
    skipped_notes,
    undo_lines,
)
from suture.errors import SutureError
from suture.tools.spec import ToolResult
from suture.wording import count
from suture.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from suture.audience import Audience
    from suture.cli import QuickOptions
    from suture.cli.paths import Location

_WRONG_ARGUMENTS = "INVALID_ARGUMENTS"
_PATHS = {"default_path", "file_path", "path"}
"""Arguments that are paths."""
_OF_MANY_FILES = {"check", "replace", "search"}
"""Commands that take globs too, and work on the current folder unless a path is given."""
_LISTS_OF_PATHS = {"binary", "markers_only"}
"""Fields of results."""


def read(options: argparse.Namespace) -> int:
    """`suture read`."""
    result = attempt(options, lambda workspace: workspace.call("file_read", tool_arguments(options)))
    if options.json:
        print_json(result.to_dict())
    elif result.is_error:
        print_refusal(options, result)
    else:
        raw, data = options.format == "raw", result.metadata
        shown = "\n".join(map(as_content, result.answer.split("\n")))
        print_text(shown, "" if raw or not result.answer else "\n")
        if raw and data["truncated"]:  # otherwise the text says so
            note(f"note: truncated after line {data['end_line']} of {data['total_lines']}")
        print_notes(result)
    return exit_code(result)


def call(options: argparse.Namespace | QuickOptions) -> int:
    """`suture call`."""
    try:
        arguments = parse_json(content_of(STDIN) if options.arguments == STDIN else options.arguments)
    except (ValueError, RecursionError) as error:
        return report_misuse("call", f"the arguments are not JSON: {error}")
    result = attempt(options, lambda workspace: workspace.call(options.name, arguments), audience=MODEL)
    print_json(result.to_dict())
    return int(result.is_error)


def tools(options: argparse.Namespace) -> int:
    """`suture tools`."""
    from suture.tools import find  # other commands need one tool

    names = chosen_tools(options)
    if isinstance(names, int):
        return names
    if options.format:
        from suture.apis import definitions  # only --format needs it

        print_json(definitions(options.format, names))
    elif options.json:
        print_json([find(name).definition() for name in names])
    else:
        for name in names:
            print_text(f"{name:20} {find(name).title}")
    return 0


def recover(options: argparse.Namespace) -> int:
    """`suture recover`."""
    try:
        recovery = Workspace(options.location.root, options.settings, session=options.caller).recover()
    except SutureError as error:
        if options.json:
            print_json({"error": wording.error_data(error)})
        else:
            refuse_for(error)
        return 1
    if options.json:
        print_json({"recovered": None if recovery is None else wording.recovered_data(recovery)})
    else:
        print_text("Nothing to recover." if recovery is None else wording.recovered_text(recovery))
    return 0


def check(options: argparse.Namespace) -> int:
    """`suture check`: print one issue per line; the summary and the checks that did not run go to stderr."""
    arguments = tool_arguments(options)
    result = attempt(options, lambda workspace: workspace.command("check", arguments))
    data = result.metadata
    if options.json:
        print_json(result.to_dict() if result.is_error else data)
    elif result.is_error:
        print_refusal(options, result)
    else:
        _print_check(data)
        print_notes(result)
        note(_check_summary(data))
    if result.is_error or not (data["files"] or data["left_out"]):
        return USAGE
    return int(bool(data["errors"]) or any(skipped_check["required"] for skipped_check in data["not_run"]))


def _print_check(data: dict[str, Any]) -> None:
    """Print the issues, then notes on what was truncated, skipped or not validated."""
    if data["issues"]:
        print_text("\n".join(map(_issue_line, data["issues"])))
    if data["unlisted"]["issues"]:
        note(f"… and {count(data['unlisted']['issues'], 'more problem')} (--max-issues)")
    for reason in _unvalidated(data["not_run"]):
        note(f"⚠️ Not validated: {reason}")
    if data["unlisted"]["not_run"]:
        note(f"⚠️ … and {count(data['unlisted']['not_run'], 'more check')} (--max-issues)")
    for line in skipped_notes(data.get("binary", ())):
        note(line)


def _issue_line(issue: dict[str, Any]) -> str:
    from suture.shapes import FoundIssue  # other commands show none
    from suture.wording import issue_parts

    place, code, message = issue_parts(FoundIssue(**issue))
    color = "red" if issue["severity"] == "error" else "yellow"
    return f"{colored('bold', place)}{colored(color, f' {code} ')}{message}"


def _unvalidated(not_run: Sequence[dict[str, Any]]) -> Iterator[str]:
    """What was not checked, and why; files with the same reason are counted, not named."""
    paths_by_reason: dict[tuple[str, str], list[str]] = {}
    for skipped_check in not_run:
        paths_by_reason.setdefault((skipped_check["validator"], skipped_check["reason"]), []).append(
            skipped_check["path"]
        )
    for (validator, reason), paths in paths_by_reason.items():
        what = paths[0] if len(paths) == 1 else count(len(paths), "file")
        yield clean(f"{what} by {validator}: {reason}")


def _check_summary(data: dict[str, Any]) -> str:
    if not data["files"]:
        return f"Nothing was checked: {'all files were skipped' if data['left_out'] else 'no text files found'}."
    numbers = [count(data[f"{noun}s"], noun) for noun in ("error", "warning") if data[f"{noun}s"]]
    if data["unchecked"]:
        numbers.append(f"{count(data['unchecked'], 'file')} not fully checked")
    if data["left_out"]:
        numbers.append("the rest skipped" if data["stopped"] else f"{count(data['left_out'], 'file')} skipped")
    only = f" ({data['markers_only']:,} for conflict markers only)" if data["markers_only"] else ""
    return f"Checked {count(data['files'], 'file')}{only}: {', '.join(numbers) or 'no problems'}."


def tool_arguments(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments for the command's tool that the options set, with paths as tools take them."""
    values = {name: getattr(options, dest) for name, dest in options.fields.items()}
    arguments = {name: value for name, value in values.items() if value is not None and value is not False}
    return _from_root(options, arguments) if options.location.folder else arguments


def _from_root(options: argparse.Namespace, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments with paths from the root on; a search without a path is one of the current folder."""
    location: Location = options.location
    converted = dict(arguments)
    for name in _PATHS & arguments.keys():
        converted[name] = location.to_root(arguments[name])
    if "exclude" in arguments:
        converted["exclude"] = [location.exclude_to_root(pattern) for pattern in arguments["exclude"]]
    if "paths" in arguments and options.command in _OF_MANY_FILES:
        converted["paths"] = [location.glob_to_root(path) for path in arguments["paths"] or ["."]]
    elif "paths" in arguments:
        converted["paths"] = [location.to_root(path) for path in arguments["paths"]]
    return converted


def chosen_tools(options: argparse.Namespace) -> Sequence[str] | int:
    """The tools that --tools or --profile names; after an error, the exit code."""
    from suture.tools import choose  # only some commands take tools

    try:
        return choose(options.profile, options.tools)
    except ValueError as error:
        return report_misuse(options.command, error)
    except SutureError as error:
        refuse_for(error)
        return USAGE


def run(
    options: argparse.Namespace,
    call: Callable[[Workspace], ToolResult],
    render: Callable[[ToolResult], str],
) -> int:
    """Make a call and print its result, as JSON or as the text that `render` returns; errors go to stderr."""

    def show(result: ToolResult) -> None:
        print_text(render(result))
        print_notes(result)

    return run_and_show(options, call, show)


def run_and_show(
    options: argparse.Namespace,
    call: Callable[[Workspace], ToolResult],
    show: Callable[[ToolResult], None],
    audience: Audience = TERMINAL,
) -> int:
    """Make a call and print its result, as JSON or as `show` prints it; errors go to stderr."""
    result = attempt(options, call, audience)
    if options.json:
        print_json(result.to_dict())
    elif result.is_error:
        print_refusal(options, result)
    else:
        show(result)
    return exit_code(result)


def print_change(
    options: argparse.Namespace,
    result: ToolResult,
    outcome: str,
    diff: str,
    remarks: Sequence[str] = (),
    failures: Sequence[tuple[str, str]] = (),
) -> None:
    """Print what a call did to files: the outcome and the diff to stdout, everything else to stderr.

    Everything else is what failed (code and message), remarks such as warnings, what the checks found, the workspace's
    notes, and how to undo the change. It is printed even if stdout cannot be written.
    """
    data = result.metadata
    try:
        print_text("\n".join([outcome, *(["", *colored_diff(diff.removesuffix("\n"))] if diff else [])]))
        flush()
    finally:
        for code, message in failures:
            refuse(code, message)
        for line in (*remarks, *_finding_lines(data)):
            note(line)
        print_notes(result)
        for line in undo_lines(options, data):
            note(line)


def _finding_lines(data: dict[str, Any]) -> list[str]:
    """What the checks found, if any ran; that unchanged files pass need not be said."""
    validation = data.get("validation")
    if validation is None or ("no_change" in data and validation["passed"]):
        return []
    from suture.shapes import Findings  # most calls ask for no checks

    return wording.validation_lines(Findings.read(validation))


def print_refusal(options: argparse.Namespace, result: ToolResult, diff: str = "") -> None:
    """Print an error: its code, what is wrong and what to do.

    For content that did not pass the checks, the diff comes first: it has the lines that they name.
    """
    error = result.metadata["error"]
    try:
        if diff := diff or error.get("diff", ""):
            print_text("\n".join(colored_diff(diff.removesuffix("\n"))))
            flush()
    finally:
        if error["code"] == _WRONG_ARGUMENTS:
            problems = [f"{TERMINAL.argument(wrong['argument'])}: {wrong['problem']}" for wrong in error["problems"]]
            report_misuse(options.command, "; ".join(map(clean, dict.fromkeys(problems))))  # both ends: --lines
        else:
            refuse(error["code"], result.answer)
        print_notes(result)


def exit_code(result: ToolResult) -> int:
    """The exit code of a call: 0 for success, 2 for invalid arguments, 1 for any other refusal."""
    if not result.is_error:
        return 0
    return USAGE if result.metadata["error"]["code"] == _WRONG_ARGUMENTS else 1


def attempt(
    options: argparse.Namespace | QuickOptions,
    call: Callable[[Workspace], ToolResult],
    audience: Audience = TERMINAL,
) -> ToolResult:
    """Make a call, worded for a person at a terminal or, with --json, for a model.

    An interrupted change is finished or rolled back.
    """
    folder = "" if options.json or not audience.prints_data else options.location.folder
    audience = MODEL if options.json else audience.evolve(folder=folder) if folder else audience
    try:
        workspace = Workspace(options.location.root, options.settings, session=options.caller, audience=audience)
        try:
            return _as_seen(call(workspace), audience) if folder else call(workspace)
        except KeyboardInterrupt:
            _recover_now(workspace, at_root(options))
            raise
    except SutureError as error:  # the workspace itself cannot be opened
        return ToolResult.failed(error, audience)


def _as_seen(result: ToolResult, audience: Audience) -> ToolResult:
    """The result with paths as a person in a subfolder types them, except in errors, whose sentences have them."""
    return result.evolve(metadata=_with_paths(result.metadata, audience.path))


def _with_paths(data: dict[str, Any], show: Callable[[str], str]) -> dict[str, Any]:
    """Data of a result with its paths converted."""
    converted = dict(data)
    for name, value in data.items():
        if isinstance(value, dict) and name != "error":
            converted[name] = _with_paths(value, show)
        elif isinstance(value, list) and name in _LISTS_OF_PATHS:
            converted[name] = [*map(show, value)]
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            converted[name] = [_with_paths(item, show) for item in value]
        elif isinstance(value, str) and (name == "path" or (name == "to" and "path" in data)):
            converted[name] = show(value)
    return converted


def _recover_now(workspace: Workspace, where: str) -> None:
    """Finish or roll back an interrupted change at once, and print which."""
    import signal

    with suppress(ValueError):  # not the main thread, which gets no interrupts anyway
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        recovery = workspace.recover()
    except SutureError as error:
        refuse_for(error)
    else:
        if recovery is not None:
            undo = f"\nTo undo: suture undo {recovery.id}{where}" if recovery.direction == "forward" else ""
            note(wording.recovered_text(recovery) + undo)
