"""`suture mcp`: serve the tools to an agent."""

from __future__ import annotations

import os
import sys

from suture.cli.output import USAGE, flush, note, print_json, print_text, refuse, refuse_for, report_misuse
from suture.cli.settings import settings_of
from suture.errors import SutureError, UnknownTool
from suture.origins import drop_root_entries
from suture.server import missing_extra, quick_imports
from suture.server.calls import Calls
from suture.server.roots import RootRule, Roots
from suture.tools import choose
from suture.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

TOKEN = "SUTURE_MCP_TOKEN"  # noqa: S105  the name of a variable, not its value
_INTERRUPTED = 130
_MIN_TOKEN = 16  # characters: a shorter token could be guessed
_ESCAPE_FACTOR = 2  # a text of quotes and line breaks only is twice as long in JSON
_ENVELOPE_BYTES = 1_000_000  # of a request, in addition to the texts in its arguments


def mcp(options: argparse.Namespace) -> int:
    """`suture mcp`."""
    try:
        return _serve(options, os.environ.pop(TOKEN, None))  # not for the programs that check files
    except ValueError as error:
        return report_misuse("mcp", error)
    except UnknownTool as error:
        refuse_for(error)
        return USAGE
    except ModuleNotFoundError as error:
        refuse("MISSING_EXTRA", *missing_extra("suture mcp --http", error))
    except OSError as error:
        if options.http is None:
            refuse("CANNOT_SERVE", f"suture mcp: {error}.", "Let an agent start it, or use --http HOST:PORT.")
        else:
            refuse("CANNOT_LISTEN", f"suture mcp: {error}.", "Choose another port, or 0 for any free port.")
    except SutureError as error:
        refuse_for(error)
    return 1


def _serve(options: argparse.Namespace, token: str | None) -> int:
    if options.http is None and (options.allow_remote or options.allow_host):
        raise ValueError("--allow-remote and --allow-host require --http")
    if options.http is not None and options.quiet and token is None and not options.json:
        raise ValueError(f"--quiet would hide the token: set one in the variable {TOKEN}")
    names = choose(options.profile, options.tools)
    roots = _roots(options)
    only_listed = options.profile is not None or options.tools is not None
    calls = Calls(names, only_listed=only_listed, ordered=options.http is None)
    largest = _ESCAPE_FACTOR * options.settings.max_request_bytes + _ENVELOPE_BYTES
    try:
        if options.http is None:
            return _over_stdio(calls, roots, largest)
        return _over_http(options, calls, roots, largest, token)
    finally:
        calls.end()
        roots.close()


def _roots(options: argparse.Namespace) -> Roots:
    """The root that is given or found. What is found may give way to what a client over stdio declares."""
    given = options.location.given
    allowed = [os.path.expanduser(folder) for folder in options.allow_root or ()]
    if allowed and (given is not None or options.http is not None):
        raise ValueError(f"--allow-root cannot be used with {'--http' if given is None else '--root'}")
    if not all(map(os.path.isabs, allowed)):
        raise ValueError("--allow-root must be an absolute path, or begin with ~")

    def open_workspace(root: str) -> Workspace:
        options.location = options.location.evolve(root=root)
        settings = settings_of(options)  # the operator's file must be outside of this root, too
        drop_root_entries([root, *settings.extra_roots])
        return Workspace(root, settings, session=options.caller)

    if given is not None:
        return Roots.fixed(open_workspace(given))
    roots = Roots(RootRule.here([os.path.realpath(folder) for folder in allowed]), open_workspace)
    if options.http is not None:
        return Roots.fixed(roots.workspace())
    roots.prepare()
    if roots.root is None:
        note(
            "note: started outside of any project; calls are refused until the client declares a folder that it may use"
        )
    return roots


def _over_stdio(calls: Calls, roots: Roots, largest: int) -> int:
    with quick_imports():
        from suture.server.stdio import serve

    if sys.stdin is not None and sys.stdin.isatty():
        note("Waiting for an agent's messages on stdin; Ctrl-D ends the server. To add suture to an agent: suture init")
    return _INTERRUPTED if serve(calls, roots, largest) else 0


def _over_http(options: argparse.Namespace, calls: Calls, roots: Roots, largest: int, token: str | None) -> int:
    with quick_imports():
        from suture.server.http import PATH, Address, HostNames, serve
        from suture.server.sdk import build
        from suture.server.sessions import HttpSessions

    if token is not None and (
        len(token) < _MIN_TOKEN or not token.isascii() or not token.isprintable() or " " in token
    ):
        raise ValueError(f"{TOKEN} must have at least {_MIN_TOKEN} ASCII characters and no spaces")
    asked = Address.parse(options.http)
    with asked.listen(remote=options.allow_remote) as listening:
        host, port = listening.getsockname()[:2]
        names = HostNames(host, port, tuple(options.allow_host or ()), remote=options.allow_remote)
        url = f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}"
        is_known, token = token is not None, token or _new_token()
        if options.json:
            print_json({"url": url, "token": None if is_known else token})
        else:
            print_text(url if is_known else f"{url}\nAuthorization: Bearer {token}")
        flush()  # the parent process waits for these lines
        sessions = HttpSessions(roots.workspace())
        server = build(calls, roots, sessions)
        interrupted = serve(server, listening, names, token, largest, when_ended=sessions.end)
        return _INTERRUPTED if interrupted else 0


def _new_token() -> str:
    from secrets import token_urlsafe

    return token_urlsafe(32)
