"""The parser of the command line."""

from __future__ import annotations

import argparse
import os
import sys

from suture import __version__
from suture.cli.menu import COMMANDS, DESCRIPTION
from suture.cli.options import FILLS
from suture.cli.output import USAGE, misused, print_always
from suture.cli.pattern_options import PATTERN_FILLS, PATTERN_NOTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, NoReturn

_WIDTH = 100
_LIKE = 0.75  # how much of an option's name must be right for it to be what was meant
_APPLY_NOTES = (
    """\
The reply may hold SEARCH/REPLACE and NEW_FILE blocks, apply_patch envelopes and unified diffs, with
text between them. Blocks are numbered in order, their hunks as 3.1, 3.2; --dry-run lists them.""",
    "exit codes: 0 all applied, 1 some failed or refused, 2 nothing to apply or wrong usage,\n  130 interrupted",
)
_CHECK_NOTES = (
    """\
exit codes: 0 no errors, 1 errors or a required check that could not be run,
  2 nothing checked, refused or wrong usage, 130 interrupted""",
)
_EXITS = "exit codes: 0 done, 1 refused or failed, 2 wrong usage, 130 interrupted"
_COMPLETION_NOTES = (
    """\
bash: in ~/.bashrc                 eval "$(suture completion bash)"
zsh:  in ~/.zshrc, below compinit  eval "$(suture completion zsh)"
      or once                      suture completion zsh > "${fpath[1]}/_suture"
fish: once                         suture completion fish > ~/.config/fish/completions/suture.fish""",
)
_READ_NOTES = ("At most 20,000 lines or 5 MB are printed at once; what was cut is told.", _EXITS)
_WRITE_NOTES = (
    """\
exit codes: 0 written, as it was or verified, 1 rejected, failed or found broken,
  2 wrong usage, 130 interrupted""",
)
_DOCTOR_NOTES = ("exit codes: 0 all is well, 1 something does not work, 2 wrong usage, 130 interrupted",)
_NOTES = {
    **dict.fromkeys(PATTERN_FILLS, PATTERN_NOTES),
    "apply": _APPLY_NOTES,
    "check": _CHECK_NOTES,
    "completion": (*_COMPLETION_NOTES, _EXITS),
    "doctor": _DOCTOR_NOTES,
    "read": _READ_NOTES,
    "write": _WRITE_NOTES,
}
_JSON = {
    **dict.fromkeys(PATTERN_FILLS, "print isError, data (a list with an object for each result) and metadata as JSON"),
    "call": "changes nothing: the result is JSON anyway",
    "check": "print files, errors, warnings, issues, not_run as JSON",
    "completion": "print shell and script as JSON",
    "doctor": "print checks, each with name, state, found and advice, as JSON",
    "init": "print path, entry, snippet and what was done as JSON",
    "mcp": "with --http: print url and token as JSON",
    "prompt": "print format and prompt as JSON",
    "tools": "print the definitions, schemas and examples as JSON",
}
_INSTEAD_OF_JSON = {
    "apply": {"patch": "-p"},
    "search": {"names": "--names", "count": "--count"},
    "tools": {"format": "--format"},
}
_HOMES = {
    **dict.fromkeys(("read", "call", "tools", "recover"), "commands"),
    **dict.fromkeys(("log", "show", "undo", "redo", "snapshot", "restore"), "history"),
    **dict.fromkeys(("extract", "lines", "split"), "pick"),
}
"""The modules of commands that have none of their own."""


def build_parser(words: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """The command line. Given the words to parse, only the commands among them get their options: it is faster."""
    parser = _Parser(prog="suture", description=DESCRIPTION, formatter_class=_Formatter)
    parser.add_argument("--version", action="version", version=f"suture {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, dest="command")
    for name, (about, example) in COMMANDS.items():
        command = commands.add_parser(name, help=about, formatter_class=_Formatter)
        if words is not None and name not in words:
            continue
        command.description = about[0].upper() + about[1:] + "."
        command.epilog = "\n\n".join([f"example:\n  {example}", *_NOTES.get(name, (_EXITS,))])
        if name in FILLS:
            FILLS[name](command)
        _add_common(command, _JSON.get(name, "print the whole result as JSON"))
        command.set_defaults(run=_lazily(name))
    return parser


def _add_common(command: argparse.ArgumentParser, json: str) -> None:
    """What every command takes."""
    common = command.add_argument_group("with every command")
    common.add_argument("--json", action="store_true", help=json)
    common.add_argument("--root", default=".", metavar="DIR", help="the workspace (default: this folder)")
    common.add_argument("--quiet", action="store_true", help="print nothing but errors, and JSON if asked for")
    common.add_argument("--verbose", action="store_true", help="log what happens to stderr")


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
        """Tell what is wrong, and what to do if a word was taken for an option, or its letters for several."""
        unknown = [word for word in self._before_dashes() if self._is_unknown(word)]
        if ("are required:" in message and unknown) or "ignored explicit argument" in message:
            message += self._meant(unknown)
        misused(self.prog.partition(" ")[2], message)
        sys.exit(USAGE)

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
        if message and file is sys.stdout:
            print_always(message)
        elif message and (file := file or sys.stderr) is not None:
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

        for name, option in _INSTEAD_OF_JSON.get(command, {}).items():
            if options.json and getattr(options, name):
                return misused(command, f"--json and {option} do not go together")
        home = import_module(f"suture.cli.{_HOMES.get(command, command)}")
        function: Callable[[argparse.Namespace], int] = getattr(home, command)
        return function(options)

    return run
