"""The commands `read`, `call`, `tools` and `recover`, and what all share: make a call, print what it gives."""

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
    complain,
    content_of,
    decoded,
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

    from suture.audience import Audience
    from suture.cli import QuickOptions

_UNFIT = "INVALID_ARGUMENTS"


def read(options: argparse.Namespace) -> int:
    """`suture read`."""
    result = attempt(options, lambda workspace: workspace.call("file_read", tool_arguments(options)))
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
    result = attempt(options, lambda workspace: workspace.call(options.name, arguments), audience=MODEL)
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
    *,
    audience: Audience = TERMINAL,
    edits: bool = False,
) -> int:
    """Make a call and print what it gives: all of it as JSON, or what `tell` makes of it; refusals go to stderr.

    If a call `edits`, how to take that back is told, too.
    """
    result = attempt(options, call, audience=audience)
    if options.json:
        print_json(result.to_dict())
    elif result.is_error:
        refused(options, result)
    else:
        print_text(tell(result))
        if edits and result.metadata.get("change_id") is not None:
            note(way_back(options, result.metadata))
    return exit_code(result)


def refused(options: argparse.Namespace, result: ToolResult, text: str | None = None) -> None:
    """Tell a refusal: its code, what is wrong, and what to do; in `text`, if the command has words of its own."""
    error, said = result.metadata["error"], result.text if text is None else text
    if error["code"] == _UNFIT:
        problems = [f"{TERMINAL.argument(wrong['argument'])}: {wrong['problem']}" for wrong in error["problems"]]
        misused(options.command, "; ".join(map(clean, problems)))
    else:
        complain(said if said.startswith(f"{error['code']}: ") else f"{error['code']}: {said}")


def exit_code(result: ToolResult) -> int:
    """Whether a call was done, refused, or could not be made of such words."""
    if not result.is_error:
        return 0
    return USAGE if result.metadata["error"]["code"] == _UNFIT else 1


def attempt(
    options: argparse.Namespace | QuickOptions,
    call: Callable[[Workspace], ToolResult],
    audience: Audience = TERMINAL,
) -> ToolResult:
    """Make a call, worded for someone at a command line; with --json, for a model.

    One that is interrupted leaves nothing half done.
    """
    audience = MODEL if options.json else audience
    try:
        workspace = Workspace(options.root, options.settings, audience=audience)
        try:
            return call(workspace)
        except KeyboardInterrupt:
            _settle(workspace, at_root(options))
            raise
    except SutureError as error:  # the workspace itself cannot be opened
        return ToolResult.failed(error, audience)


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
