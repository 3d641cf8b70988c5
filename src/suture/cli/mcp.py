"""`suture mcp`: serve the tools to an agent."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import contextmanager

from suture.cli.output import USAGE, flush, note, print_json, print_text, refuse, refuse_for, report_misuse
from suture.errors import SutureError, UnknownTool
from suture.origins import drop_entries
from suture.tools import choose
from suture.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import Any

    from mcp.server.lowlevel import Server

    from suture.server.calls import Calls

TOKEN = "SUTURE_MCP_TOKEN"  # noqa: S105  the name of a variable, not what it holds
_INTERRUPTED = 130
_MIN_TOKEN = 16  # characters: a shorter one could be guessed
_ESCAPE_FACTOR = 2  # how much longer a text may be in JSON, where quotes and line breaks are escaped
_ENVELOPE_BYTES = 1_000_000  # of a request, besides the texts in its arguments
_GC_THRESHOLD = 20_000  # objects, before Python looks which of them are; a call makes some thousands


def mcp(options: argparse.Namespace) -> int:
    """`suture mcp`."""
    try:
        return _serve(options, os.environ.pop(TOKEN, None))  # no program that checks files gets to see it
    except ValueError as error:
        return report_misuse("mcp", error)
    except UnknownTool as error:
        refuse_for(error)
        return USAGE
    except ModuleNotFoundError as error:
        package = str(error.name).partition(".")[0]
        problem = f"suture mcp needs packages that suture alone does not bring: {package} is missing."
        refuse("MISSING_EXTRA", problem, "Install them: pip install 'suture[mcp]'")
    except OSError as error:
        if options.http is None:
            refuse("CANNOT_SERVE", f"suture mcp: {error}.", "Start it by an agent, or with --http HOST:PORT.")
        else:
            refuse("CANNOT_LISTEN", f"suture mcp: {error}.", "Choose another port, or 0 for any that is free.")
    except SutureError as error:
        refuse_for(error)
    return 1


def _serve(options: argparse.Namespace, token: str | None) -> int:
    if options.http is None and (options.allow_remote or options.allow_host):
        raise ValueError("--allow-remote and --allow-host go with --http")
    if options.http is not None and options.quiet and token is None and not options.json:
        raise ValueError(f"--quiet would hide the token: choose one by the variable {TOKEN}")
    names = choose(options.profile, options.tools)
    drop_entries([options.root, *options.settings.extra_roots])
    workspace = Workspace(options.root, options.settings)
    with _quick_imports():
        from suture.server import build
        from suture.server.calls import Calls
    if not options.verbose:
        _silence_sdk()
    calls = Calls(workspace, names, options.max_result_bytes, text_too=options.structured_text)
    server = build(calls, workspace.root)
    largest = _ESCAPE_FACTOR * workspace.settings.max_request_bytes + _ENVELOPE_BYTES
    try:
        if options.http is None:
            return _over_stdio(server, calls, largest)
        return _over_http(options, server, largest, token)
    finally:
        calls.end()
        workspace.close()


def _silence_sdk() -> None:
    """What clients do wrong is answered; nobody wants the SDK's tracebacks of it on stderr as well."""
    import logging

    for name in ("mcp", "uvicorn"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def _over_stdio(server: Server[Any], calls: Calls, largest: int) -> int:
    from suture.server.stdio import serve

    if sys.stdin is not None and sys.stdin.isatty():
        note("Waiting for an agent's messages on stdin; Ctrl-D ends it. To put suture into an agent: suture init")
    return _INTERRUPTED if serve(server, calls, largest) else 0


def _over_http(options: argparse.Namespace, server: Server[Any], largest: int, token: str | None) -> int:
    from suture.server.http import PATH, Address, Names, serve

    if token is not None and (
        len(token) < _MIN_TOKEN or not token.isascii() or not token.isprintable() or " " in token
    ):
        raise ValueError(f"{TOKEN} must have at least {_MIN_TOKEN} characters, all of them ASCII, and no spaces")
    asked = Address.parse(options.http)
    with asked.listen(remote=options.allow_remote) as listening:
        host, port = listening.getsockname()[:2]
        names = Names(host, port, tuple(options.allow_host or ()), remote=options.allow_remote)
        url = f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}"
        known, token = token, token or _new_token()
        if options.json:
            print_json({"url": url, "token": None if known else token})
        else:
            print_text(url if known else f"{url}\nAuthorization: Bearer {token}")
        flush()  # who started it waits for these lines
        return _INTERRUPTED if serve(server, listening, names, token, largest) else 0


def _new_token() -> str:
    from secrets import token_urlsafe

    return token_urlsafe(32)


@contextmanager
def _quick_imports() -> Iterator[None]:
    """Nothing of what the SDK imports is garbage; looking for it takes a tenth of the start-up, and 0.1 s later on."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.set_threshold(_GC_THRESHOLD)
        gc.enable()
