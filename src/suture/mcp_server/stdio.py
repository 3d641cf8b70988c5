"""Serving over standard input and output, until the client is gone or a signal ends it."""

from __future__ import annotations

import signal

from anyio import create_task_group, open_signal_receiver, run

from suture.mcp_server.wire import wire

_ENDING = (signal.SIGINT, signal.SIGTERM)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from anyio import CancelScope
    from mcp.server.lowlevel import Server

    from suture.mcp_server.calls import Calls
    from suture.mcp_server.wire import Outgoing


def serve(server: Server[Any], calls: Calls, most: int) -> bool:
    """Serve one client, whose messages have at most so many bytes. Returns whether it was interrupted."""
    handlers = {number: signal.getsignal(number) or signal.SIG_DFL for number in _ENDING}
    try:
        return run(_serve, server, calls, most)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


async def _serve(server: Server[Any], calls: Calls, most: int) -> bool:
    ended: list[int] = []

    async def watch(outgoing: Outgoing, scope: CancelScope) -> None:
        try:
            with open_signal_receiver(*_ENDING) as signals:
                async for number in signals:
                    ended.append(number)
                    outgoing.hurry()
                    scope.cancel()  # calls stop before they write; what is being written is finished
        finally:
            for number in _ENDING:  # who is impatient does not make it half done
                signal.signal(number, signal.SIG_IGN)

    async with create_task_group() as group, wire(calls, most) as (incoming, outgoing):
        group.start_soon(watch, outgoing, group.cancel_scope)
        await server.run(incoming, outgoing, server.create_initialization_options())
        group.cancel_scope.cancel()
    return signal.SIGINT in ended
