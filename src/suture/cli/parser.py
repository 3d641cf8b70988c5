"""Commands and their options."""

from __future__ import annotations

import argparse
import os
import sys

from suture import __version__
from suture.cli.menu import COMMANDS, DESCRIPTION
from suture.cli.pattern_options import PATTERN_FILLS, PATTERN_NOTES, add_validate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, NoReturn

_WIDTH = 100
_FEWEST_BYTES = 10_000
_LIKE = 0.75  # how much of an option's name must be right for it to be what was meant
_APPLY_NOTES = (
    """\
The reply may hold SEARCH/REPLACE and NEW_FILE blocks, apply_patch envelopes and unified diffs, with
text between them. Blocks are numbered in order, their hunks as 3.1, 3.2; --dry-run lists them.""",
    "exit codes: 0 all applied, 1 some failed or refused, 2 nothing to apply or wrong usage, 130 interrupted",
)
_CHECK_NOTES = (
    "exit codes: 0 no errors, 1 errors or a required check that could not be run, 2 nothing checked or wrong usage",
)
_WRITE_NOTES = ("exit codes: 0 written, as it was or verified, 1 rejected, failed or found broken, 2 wrong usage",)
_NOTES = {
    **dict.fromkeys(PATTERN_FILLS, PATTERN_NOTES),
    "apply": _APPLY_NOTES,
    "check": _CHECK_NOTES,
    "write": _WRITE_NOTES,
}
_MODES = ("strict", "interactive", "verify_only")
_MODE = "reject what brings errors (strict), write it all the same, or only check it (default: strict)"
_COMMANDS = "run programs that suture.toml or pyproject.toml of the project name for checks; only if you trust it"
_HOMES = {
    "read": "commands",
    "call": "commands",
    "tools": "commands",
    "recover": "commands",
    "patch": "patch",
    "edit": "edit",
    "write": "write",
    "check": "check",
    "apply": "apply",
    "prompt": "prompt",
    "mcp": "mcp",
    "init": "init",
    "search": "search",
    "replace": "replace",
    "extract": "pick",
    "lines": "pick",
    "split": "pick",
}


def build_parser(words: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """The command line. Given the words to parse, only the commands among them get their options: it is faster."""
    parser = _Parser(prog="suture", description=DESCRIPTION, formatter_class=_Formatter)
    parser.add_argument("--version", action="version", version=f"suture {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, (about, example) in COMMANDS.items():
        command = commands.add_parser(name, help=about, formatter_class=_Formatter)
        if words is not None and name not in words:
            continue
        command.description = about[0].upper() + about[1:] + "."
        command.epilog = "\n\n".join([f"example:\n  {example}", *_NOTES.get(name, ())])
        _FILLS[name](command)
        command.add_argument("--root", default=".", metavar="DIR", help="the workspace (default: this folder)")
        command.add_argument("--verbose", action="store_true", help="log what happens to stderr")
        command.set_defaults(run=_lazily(name))
    return parser


def _fill_read(command: argparse.ArgumentParser) -> None:
    command.add_argument("path", metavar="PATH", help="the file")
    command.add_argument("--start-line", type=int, default=1, metavar="N", help="first line, counted from 1")
    command.add_argument("--end-line", type=int, metavar="N", help="last line, inclusive")
    command.add_argument(
        "--format", choices=("numbered", "raw"), default="numbered", help="with line numbers, or as is"
    )
    command.add_argument("--encoding", metavar="NAME", help="encoding of a file that is neither marked nor UTF-8")
    _add_json(command)


def _fill_edit(command: argparse.ArgumentParser) -> None:
    command.add_argument("path", metavar="PATH", help="the file")
    command.add_argument(
        "edits", metavar="FILE|JSON|-", nargs="?", help="an edit or a list of them: a file, JSON itself, or - for stdin"
    )
    command.add_argument(
        "--old",
        metavar="TEXT",
        help="the text to replace, exactly as it stands in the file (--old=TEXT where it begins with -)",
    )
    command.add_argument("--new", metavar="TEXT", help="what it becomes; '' deletes it")
    command.add_argument("--old-file", metavar="FILE|-", help="the text to replace, from a file or stdin")
    command.add_argument("--new-file", metavar="FILE|-", help="what it becomes, from a file or stdin")
    command.add_argument("--count", type=int, metavar="N", help="how often the text stands there (default: 1)")
    command.add_argument(
        "--lines", metavar="A-B", action="append", help="replace these lines, such as 10-20 or 12, if nothing breaks"
    )
    command.add_argument("--expect", metavar="TEXT", help="with --lines: what they hold now; refuse if they do not")
    command.add_argument("--delete", action="store_true", help="with --lines: delete them")
    command.add_argument("--mode", choices=_MODES, help=f"with --lines: {_MODE}")
    add_validate(command)
    command.add_argument("--dry-run", action="store_true", help="show what would happen and change nothing")
    command.add_argument("--encoding", metavar="NAME", help="encoding of a file that is neither marked nor UTF-8")
    command.add_argument("--expect-hash", metavar="HASH", help="refuse if the file has another one")
    _add_json(command)


def _fill_write(command: argparse.ArgumentParser) -> None:
    command.add_argument("path", metavar="PATH", help="the file; it may be new")
    command.add_argument("--mode", choices=_MODES, default="strict", help=_MODE)
    command.add_argument("--no-diff", action="store_true", help="leave out the diff")
    command.add_argument(
        "--validate",
        choices=("new", "all"),
        default="new",
        help="which errors count: those that the content brings, or any in it (default: new)",
    )
    command.add_argument("--allow-commands", action="store_true", help=_COMMANDS)
    command.add_argument("--encoding", metavar="NAME", help="encoding of a file that is neither marked nor UTF-8")
    command.add_argument("--expect-hash", metavar="HASH", help="refuse if the file has another one")
    _add_json(command)


def _fill_check(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        default=[],
        help="a file, a folder with all below it, or a glob such as 'src/**/*.js' (default: '.'); "
        "what .gitignore names and hidden files are left out unless named",
    )
    command.add_argument(
        "--exclude", metavar="GLOB", action="append", default=[], help="leave these out; can be given several times"
    )
    command.add_argument("--include-ignored", action="store_true", help="check what .gitignore names, too")
    command.add_argument("--allow-commands", action="store_true", help=_COMMANDS)
    command.add_argument("--json", action="store_true", help="print files, errors, warnings, issues, not_run as JSON")


def _fill_patch(command: argparse.ArgumentParser) -> None:
    command.add_argument("path", metavar="PATH", help="the file")
    command.add_argument(
        "patches", metavar="FILE|JSON|-", help="a patch or a list of them: a file, JSON itself, or - for stdin"
    )
    command.add_argument(
        "--match", choices=("exact", "whitespace", "lenient"), help="how far the file may differ (default: lenient)"
    )
    add_validate(command)
    command.add_argument("--dry-run", action="store_true", help="show what would happen and change nothing")
    command.add_argument("--encoding", metavar="NAME", help="encoding of a file that is neither marked nor UTF-8")
    command.add_argument("--expect-hash", metavar="HASH", help="refuse if the file has another one")
    _add_json(command)


def _fill_apply(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "reply", metavar="FILE|-", nargs="?", default="-", help="the reply: a file, or - for stdin (default: stdin)"
    )
    command.add_argument("--dry-run", action="store_true", help="show what would happen and change nothing")
    ways = command.add_mutually_exclusive_group()
    ways.add_argument("-p", "--patch", action="store_true", help="show each block and ask whether to apply it")
    ways.add_argument("--json", action="store_true", help="print the whole result as JSON")
    command.add_argument("--atomic", action="store_true", help="apply all blocks or none")
    command.add_argument(
        "--only",
        type=_ids,
        action="extend",
        metavar="IDS",
        help="apply only these, such as 1,3.2; several times if need be",
    )
    command.add_argument(
        "--match", choices=("exact", "whitespace", "lenient"), help="how far files may differ (default: lenient)"
    )
    add_validate(command)
    command.add_argument(
        "--whole-files", action="store_true", help="take a fenced code block with a path for that whole file, too"
    )
    command.add_argument("--default-path", metavar="PATH", help="the file of blocks that name none")
    command.add_argument(
        "--expect-hash", metavar="HASH", help='refuse if a file has another one; for several files, {"PATH": "HASH", …}'
    )


def _fill_prompt(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--format",
        choices=("blocks", "v4a", "unified"),
        default="blocks",
        help="SEARCH/REPLACE blocks, an apply_patch envelope, or a unified diff (default: blocks)",
    )


def _fill_call(command: argparse.ArgumentParser) -> None:
    command.add_argument("name", metavar="NAME", help="the tool; see `suture tools`")
    command.add_argument("arguments", metavar="JSON|-", help="its arguments as a JSON object, or - for stdin")


def _fill_tools(command: argparse.ArgumentParser) -> None:
    shape = command.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print the definitions, schemas and examples")
    shape.add_argument(
        "--format",
        choices=("anthropic", "openai", "openai-responses", "gemini", "mcp"),
        help="print what stands in the field `tools` of a request to this API",
    )
    choice = command.add_mutually_exclusive_group()
    choice.add_argument("--tools", metavar="NAMES", type=_names, help="only these, such as file_read,patch")
    choice.add_argument("--profile", metavar="NAME", help="only those of full (default), edit, search or read-only")


def _fill_init(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "client",
        metavar="CLIENT",
        nargs="?",
        help="claude-desktop, claude-code, cursor, vscode, codex, gemini or zed; without it, list them and their files",
    )
    command.add_argument("--write", action="store_true", help="put it into the client's file, with a copy beside it")
    command.add_argument("--force", action="store_true", help="with --write: replace an entry that says something else")
    whose = command.add_mutually_exclusive_group()
    whose.add_argument("--user", action="store_true", help="your own settings, for all projects")
    whose.add_argument("--project", action="store_true", help="the settings of the project at --root")
    command.add_argument(
        "--profile", choices=("full", "edit", "search", "read-only"), help="the tools to serve (default: full)"
    )
    command.add_argument("--name", default="suture", metavar="NAME", help="what the client calls it (default: suture)")
    command.add_argument("--json", action="store_true", help="print path, entry, snippet and what was done as JSON")


def _fill_mcp(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--http", metavar="HOST:PORT", help="serve over HTTP instead of stdin and stdout; port 0: any free one"
    )
    command.add_argument("--allow-remote", action="store_true", help="with --http: let other machines connect")
    command.add_argument(
        "--allow-host",
        metavar="NAME",
        type=_host,
        action="append",
        help="with --http: another name that it is asked by, such as a proxy's",
    )
    choice = command.add_mutually_exclusive_group()
    choice.add_argument("--tools", metavar="NAMES", type=_names, help="only these, such as file_read,patch")
    choice.add_argument("--profile", metavar="NAME", help="only those of full (default), edit, search or read-only")
    command.add_argument(
        "--extra-root", metavar="DIR", action="append", help="another folder that the tools may read and edit"
    )
    command.add_argument(
        "--durability",
        choices=("full", "fast"),
        default="full",
        help="whether a change is on the disk before it is answered (default: full)",
    )
    command.add_argument(
        "--max-result-bytes",
        metavar="N",
        type=_bytes,
        default=10_000_000,
        help="what an answer may have (default: 10000000)",
    )
    command.add_argument(
        "--structured-text",
        action="store_true",
        help="repeat texts in the structured content, for clients that show models nothing else; Codex and Claude Code "
        "get it unasked",
    )
    command.add_argument("--allow-commands", action="store_true", help=_COMMANDS)


def _fill_log(command: argparse.ArgumentParser) -> None:
    command.add_argument("path", metavar="PATH", nargs="?", help="only changes of this file or below this folder")
    command.add_argument("--limit", type=int, default=20, metavar="N", help="how many changes (default: 20)")
    command.add_argument("--before", metavar="ID", help="only changes before this one")
    _add_json(command)


def _fill_show(command: argparse.ArgumentParser) -> None:
    command.add_argument("change_id", metavar="ID", help="the change, or the beginning of its id")
    _add_json(command)


def _fill_undo(command: argparse.ArgumentParser) -> None:
    command.add_argument("change_id", metavar="ID", nargs="?", help="the change (default: the newest)")
    command.add_argument("--dry-run", action="store_true", help="show what would happen and change nothing")
    _add_json(command)


def _fill_redo(command: argparse.ArgumentParser) -> None:
    command.add_argument("change_id", metavar="ID", nargs="?", help="the change (default: the one undone last)")
    command.add_argument("--dry-run", action="store_true", help="show what would happen and change nothing")
    _add_json(command)


def _fill_snapshot(command: argparse.ArgumentParser) -> None:
    command.add_argument("name", metavar="NAME", nargs="?", help="a name for this point; without it, list them")
    command.add_argument(
        "paths", metavar="PATH", nargs="*", help="files to keep besides those that suture ever changed here"
    )
    _add_json(command)


def _fill_restore(command: argparse.ArgumentParser) -> None:
    command.add_argument("paths", metavar="PATH", nargs="*", help="files or folders (default: all that changed since)")
    command.add_argument(
        "--to", metavar="ID|NAME", help="right after this change, or at this snapshot (default: as last recorded)"
    )
    command.add_argument("--dry-run", action="store_true", help="show what would happen and change nothing")
    _add_json(command)


def _add_json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print the whole result as JSON")


def _fill_recover(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print the result as JSON")


_FILLS: dict[str, Callable[[argparse.ArgumentParser], None]] = {
    "read": _fill_read,
    **PATTERN_FILLS,
    "edit": _fill_edit,
    "write": _fill_write,
    "check": _fill_check,
    "patch": _fill_patch,
    "apply": _fill_apply,
    "prompt": _fill_prompt,
    "mcp": _fill_mcp,
    "init": _fill_init,
    "call": _fill_call,
    "tools": _fill_tools,
    "log": _fill_log,
    "show": _fill_show,
    "undo": _fill_undo,
    "redo": _fill_redo,
    "snapshot": _fill_snapshot,
    "restore": _fill_restore,
    "recover": _fill_recover,
}


def _ids(given: str) -> list[str]:
    return _several(given, "ids of blocks such as 1,3.2")


def _host(given: str) -> str:
    name = given[1:-1].replace(":", "") if given.startswith("[") and given.endswith("]") else given
    if not name or not all(char.isascii() and (char.isalnum() or char in "-._") for char in name):
        message = f"expected a name such as suture.example.com, without a port, not {given!r}"
        raise argparse.ArgumentTypeError(message)
    return given


def _bytes(given: str) -> int:
    if not (given.isascii() and given.isdigit()) or int(given) < _FEWEST_BYTES:
        message = f"expected a number of at least {_FEWEST_BYTES}, not {given!r}"
        raise argparse.ArgumentTypeError(message)
    return int(given)


def _names(given: str) -> list[str]:
    return _several(given, "names of tools such as file_read,patch")


def _several(given: str, expected: str) -> list[str]:
    found = given.replace(",", " ").split()
    if not found:
        message = f"expected {expected}, not {given!r}"
        raise argparse.ArgumentTypeError(message)
    return found


class _Parser(argparse.ArgumentParser):
    """Abbreviated options would change their meaning when another option is added."""

    def __init__(self, **options: object) -> None:
        self._given: list[str] = []
        super().__init__(**{**options, "allow_abbrev": False})  # type: ignore[arg-type]

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """As argparse does, but words after an option still belong to an argument that takes any number of them."""
        self._given = [*(args or ())]
        found, rest = super().parse_known_args(args, namespace)
        takes = next((action.dest for action in self._actions if action.nargs == "*"), None)
        end = rest.index("--") if "--" in rest else len(rest)  # what stands behind it is no option
        if takes is not None and rest and not any(word.startswith("-") for word in rest[:end]):
            setattr(found, takes, [*getattr(found, takes), *rest[:end], *rest[end + 1 :]])
            rest = []
        if rest and self._subparsers is None:  # a command tells it itself, with its own usage
            wrong = [word for word in rest[:end] if word.startswith("-")] or rest
            self.error(f"unrecognized arguments: {' '.join(wrong)}{self._meant(wrong)}")
        return found, rest

    def error(self, message: str) -> NoReturn:
        """As argparse does, and what to do if a word was taken for an option, or its letters for several."""
        unknown = [word for word in self._before_dashes() if self._is_unknown(word)]
        if ("are required:" in message and unknown) or "ignored explicit argument" in message:
            message += self._meant(unknown)
        super().error(message)

    def _meant(self, words: list[str]) -> str:
        """What was perhaps meant by words that look like options and are none."""
        from difflib import get_close_matches  # only who errs waits for it

        options = [option for option in self._option_string_actions if option.startswith("--")]
        for word in words:
            near = get_close_matches(word.partition("=")[0], options, 1, _LIKE) if word.startswith("--") else []
            if near:
                return f"; did you mean {near[0]}?"
        takes_pattern = any(action.dest == "pattern" for action in self._actions)
        if takes_pattern and (not words or any(word.startswith("-") for word in words)):
            return "; write -- before a pattern or replacement that begins with a dash"
        return ""

    def _before_dashes(self) -> list[str]:
        return self._given[: self._given.index("--")] if "--" in self._given else self._given

    def _is_unknown(self, word: str) -> bool:
        name = word.partition("=")[0] if word.startswith("--") else word[:2]
        return len(word) > 1 and word.startswith("-") and name not in self._option_string_actions

    def _print_message(self, message: str, file: Any = None) -> None:
        """As argparse does, but a failure to write is not passed over."""
        if message and (file := file or sys.stderr) is not None:
            print(message, end="", file=file)


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """argparse asks shutil for the terminal's width, and importing shutil takes longer than printing the help."""

    def __init__(self, prog: str) -> None:
        try:
            width = int(os.environ.get("COLUMNS") or os.get_terminal_size().columns)
        except (ValueError, OSError):
            width = _WIDTH
        super().__init__(prog, max_help_position=28, width=min(width, _WIDTH))


def _lazily(command: str) -> Callable[[argparse.Namespace], int]:
    """A command's function, whose module is imported when it runs."""

    def run(options: argparse.Namespace) -> int:
        from importlib import import_module  # --help needs none of it

        home = import_module(f"suture.cli.{_HOMES.get(command, 'history')}")
        function: Callable[[argparse.Namespace], int] = getattr(home, command)
        return function(options)

    return run
