"""What the commands do: make a call, print what it gives."""

from __future__ import annotations

from contextlib import suppress

from suture import wording
from suture.cli.output import (
    STDIN,
    USAGE,
    as_content,
    as_option,
    at_root,
    clean,
    complain,
    content_of,
    decoded,
    in_options,
    misused,
    note,
    print_json,
    print_text,
    recovered,
    way_back,
)
from suture.errors import SutureError
from suture.tools.spec import ToolResult
from suture.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from typing import Any

    from suture.cli import QuickOptions

_UNFIT = "INVALID_ARGUMENTS"


def read(options: argparse.Namespace) -> int:
    """`suture read`."""
    result = _call(options, "file_read", tool_arguments(options))
    if options.json:
        print_json(result.to_dict())
    elif result.is_error:
        refused(options, result)
    else:
        shown = "\n".join(map(as_content, result.text.split("\n")))
        print_text(shown, "" if options.format == "raw" or not result.text else "\n")
        if options.format == "raw":
            _note_on_raw(result.metadata)
    return exit_code(result)


def _note_on_raw(metadata: dict[str, Any]) -> None:
    """What a file's own text cannot say."""
    if metadata["truncated"]:
        note(f"note: cut after line {metadata['end_line']} of {metadata['total_lines']}")
    for line in recovered(metadata):
        note(line)


def call(options: argparse.Namespace | QuickOptions) -> int:
    """`suture call`."""
    try:
        arguments = decoded(content_of(STDIN) if options.arguments == STDIN else options.arguments)
    except (ValueError, RecursionError) as error:
        return misused("call", f"the arguments are not JSON: {error}")
    result = _call(options, options.name, arguments)
    print_json(result.to_dict())
    return int(result.is_error)


def tools(options: argparse.Namespace) -> int:
    """`suture tools`."""
    from suture.tools import (
        chosen,
        find,  # the other commands need one tool
    )

    try:
        names = chosen(options.profile, options.tools)
    except ValueError as error:
        return misused("tools", error)
    except SutureError as error:
        complain(wording.error_text(error))
        return USAGE
    if options.format:
        from suture.apis import definitions  # as above

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
        found = Workspace(options.root, options.settings).recover()
    except SutureError as error:
        if options.json:
            print_json({"error": wording.error_data(error)})
        else:
            complain(wording.error_text(error))
        return 1
    if options.json:
        print_json({"recovered": None if found is None else wording.recovered_data(found)})
    else:
        print_text("Nothing to recover." if found is None else wording.recovered_text(found))
    return 0


def tool_arguments(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of the command's tool, as far as they are given."""
    given = {name: getattr(options, dest) for name, dest in options.fields.items()}
    return {name: value for name, value in given.items() if value is not None}


def run(
    options: argparse.Namespace,
    call: Callable[[Workspace], ToolResult],
    tell: Callable[[ToolResult], str],
    refusal: Callable[[ToolResult], str] | None = None,
    *,
    edits: bool = False,
) -> int:
    """Make a call and print what it gives: all of it as JSON, or what `tell` makes of it; refusals go to stderr.

    `refusal` has other words for one than the tool. If a call `edits`, how to take that back is told, too.
    """
    result = attempt(options, call)
    if options.json:
        print_json(result.to_dict())
    elif result.is_error:
        refused(options, result, None if refusal is None else refusal(result))
    else:
        print_text(tell(result))
        if edits and result.metadata.get("change_id") is not None:
            note(way_back(options, result.metadata))
    return exit_code(result)


def refused(options: argparse.Namespace, result: ToolResult, text: str | None = None) -> None:
    """Tell a refusal: its code, what is wrong, and what to do; in `text`, if the command has words of its own."""
    error, said = result.metadata["error"], result.text if text is None else text
    said = said.replace(error["hint"], in_options(error["hint"])) if error["hint"] else said
    said = "\n".join(map(_advice, said.split("\n")))
    if error["code"] == _UNFIT:
        problems = [f"{as_option(wrong['argument'])}: {wrong['problem']}" for wrong in error["problems"]]
        misused(options.command, "; ".join(map(clean, problems)))
    else:
        complain(said if said.startswith(f"{error['code']}: ") else f"{error['code']}: {said}")


def _advice(line: str) -> str:
    """A line of a refusal; one of a numbered list, which says what to do, in the words of the command line."""
    return in_options(line) if line[:1].isdecimal() and line[1:3] == ". " else line


def exit_code(result: ToolResult) -> int:
    """Whether a call was done, refused, or could not be made of such words."""
    if not result.is_error:
        return 0
    return USAGE if result.metadata["error"]["code"] == _UNFIT else 1


def attempt(options: argparse.Namespace | QuickOptions, call: Callable[[Workspace], ToolResult]) -> ToolResult:
    """Make a call. One that is interrupted leaves nothing half done."""
    try:
        workspace = Workspace(options.root, options.settings)
        try:
            return call(workspace)
        except KeyboardInterrupt:
            _settle(workspace, at_root(options))
            raise
    except SutureError as error:  # the workspace itself cannot be opened
        return ToolResult.failed(error)


def _settle(workspace: Workspace, where: str) -> None:
    """Finish or roll back at once what was interrupted while it landed, and say so."""
    import signal

    with suppress(ValueError):  # not the main thread, which gets no interrupts either
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        found = workspace.recover()
    except SutureError as error:
        complain(wording.error_text(error))
    else:
        if found is not None:
            undo = f"\nTo take it back: suture undo {found.id}{where}" if found.direction == "forward" else ""
            note(wording.recovered_text(found) + undo)


def _call(options: argparse.Namespace | QuickOptions, name: str, arguments: object) -> ToolResult:
    return attempt(options, lambda workspace: workspace.call(name, arguments))
