"""Commands and their options."""

from __future__ import annotations

import argparse
import os

from suture import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_DESCRIPTION = "Put edits into files: each lands exactly where it was meant, or nothing changes."
_WIDTH = 100


def build_parser() -> argparse.ArgumentParser:
    """The whole command line."""
    parser = _Parser(prog="suture", description=_DESCRIPTION, formatter_class=_Formatter)
    parser.add_argument("--version", action="version", version=f"suture {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    read = _add(commands, "read", "print a file's lines", "suture read src/app.py --start-line 10 --end-line 20")
    read.add_argument("path", metavar="PATH", help="the file")
    read.add_argument("--start-line", type=int, default=1, metavar="N", help="first line, counted from 1")
    read.add_argument("--end-line", type=int, metavar="N", help="last line, inclusive")
    read.add_argument(
        "--format", choices=("numbered", "raw"), default="numbered", help="with line numbers, or as it is"
    )
    read.add_argument("--encoding", metavar="NAME", help="encoding of a file that is neither marked nor UTF-8")
    read.add_argument("--json", action="store_true", help="print the whole result as JSON")
    read.set_defaults(run=_lazily("read"))

    call = _add(
        commands, "call", "call a tool with JSON arguments", """suture call file_read '{"path": "README.md"}'"""
    )
    call.add_argument("name", metavar="NAME", help="the tool; see `suture tools`")
    call.add_argument(
        "arguments", metavar="JSON|-", help="its arguments as a JSON object, or - to read them from stdin"
    )
    call.set_defaults(run=_lazily("call"))

    tools = _add(commands, "tools", "list the tools", "suture tools --json")
    tools.add_argument("--json", action="store_true", help="print the definitions, schemas and examples")
    tools.set_defaults(run=_lazily("tools"))

    recover = _add(commands, "recover", "clear up an interrupted transaction", "suture recover --root ~/project")
    recover.add_argument("--json", action="store_true", help="print the result as JSON")
    recover.set_defaults(run=_lazily("recover"))
    return parser


class _Parser(argparse.ArgumentParser):
    """Abbreviated options would change their meaning when another option is added."""

    def __init__(self, **options: object) -> None:
        super().__init__(**{**options, "allow_abbrev": False})  # type: ignore[arg-type]


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """argparse asks shutil for the terminal's width, and importing shutil takes longer than printing the help."""

    def __init__(self, prog: str) -> None:
        try:
            width = int(os.environ.get("COLUMNS") or os.get_terminal_size().columns)
        except (ValueError, OSError):
            width = _WIDTH
        super().__init__(prog, max_help_position=28, width=min(width, _WIDTH))


def _add(
    commands: argparse._SubParsersAction[_Parser],
    name: str,
    about: str,
    example: str,
) -> argparse.ArgumentParser:
    """A command with the options that all commands have."""
    description = about[0].upper() + about[1:] + "."
    command = commands.add_parser(
        name, help=about, description=description, epilog=f"example:\n  {example}", formatter_class=_Formatter
    )
    command.add_argument("--root", default=".", metavar="DIR", help="the workspace (default: this folder)")
    command.add_argument("--verbose", action="store_true", help="log what happens to stderr")
    return command


def _lazily(command: str) -> Callable[[argparse.Namespace], int]:
    """A command's function, whose module is imported when it runs."""

    def run(options: argparse.Namespace) -> int:
        from suture.cli import commands  # --help needs none of it

        function: Callable[[argparse.Namespace], int] = getattr(commands, command)
        return function(options)

    return run
