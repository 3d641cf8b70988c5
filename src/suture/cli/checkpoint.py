"""The command `checkpoint`: take checkpoints, or list them."""

from __future__ import annotations

from suture.cli.commands import run, tool_arguments
from suture.cli.history import point_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from suture.tools.spec import ToolResult


def checkpoint(options: argparse.Namespace) -> int:
    """`suture checkpoint`."""
    if options.hook is not None:
        from suture.cli.hook import run_hook  # only hooks need it

        return run_hook(options)
    if options.name is None:
        return run(options, lambda workspace: workspace.checkpoints(), _list)
    arguments = tool_arguments(options)
    return run(options, lambda workspace: workspace.command("checkpoint", arguments), lambda result: result.answer)


def _list(result: ToolResult) -> str:
    points = result.metadata["checkpoints"]
    return "\n".join(point_line(point) for point in reversed(points)) if points else result.answer
