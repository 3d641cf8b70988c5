"""The parser of the command line: options, values, help."""

from __future__ import annotations

import argparse
import os
import sys

from suture import __version__
from suture.cli.menu import COMMANDS, DESCRIPTION
from suture.cli.output import USAGE, misused, print_always
from suture.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, NoReturn


_FEWEST_BYTES = 10_000
_LONGEST = 3_600


def block_ids(given: str) -> list[str]:
    """Ids of blocks."""
    return _several(given, "ids of blocks such as 1,3.2")


def host_name(given: str) -> str:
    """The name of a host, without a port."""
    name = given[1:-1].replace(":", "") if given.startswith("[") and given.endswith("]") else given
    if not name or not all(char.isascii() and (char.isalnum() or char in "-._") for char in name):
        message = f"expected a name such as suture.example.com, without a port, not {given!r}"
        raise argparse.ArgumentTypeError(message)
    return given


def byte_limit(given: str) -> int:
    """A number of bytes that an answer may have."""
    if not (given.isascii() and given.isdigit()) or int(given) < _FEWEST_BYTES:
        message = f"expected a number of at least {_FEWEST_BYTES}, not {given!r}"
        raise argparse.ArgumentTypeError(message)
    return int(given)


def tool_names(given: str) -> list[str]:
    """Names of tools."""
    return _several(given, "names of tools such as file_read,patch")


def number(given: str) -> int:
    """A number from 0 on."""
    if not given.isdecimal():
        message = f"expected a number from 0 on, not {given!r}"
        raise argparse.ArgumentTypeError(message)
    return int(given)


def positive(given: str) -> int:
    """A number from 1 on."""
    if not number(given):
        message = f"expected a number from 1 on, not {given!r}"
        raise argparse.ArgumentTypeError(message)
    return int(given)


def seconds(given: str) -> int:
    """A time that somebody may want to wait."""
    if not 1 <= number(given) <= _LONGEST:
        message = f"expected seconds from 1 to {_LONGEST}, not {given}"
        raise argparse.ArgumentTypeError(message)
    return int(given)


def _several(given: str, expected: str) -> list[str]:
    found = given.replace(",", " ").split()
    if not found:
        message = f"expected {expected}, not {given!r}"
        raise argparse.ArgumentTypeError(message)
    return found


_VALIDATE = ("off", "warn", "strict", "all")


def add_validate(command: argparse.ArgumentParser) -> None:
    """The option of commands whose result can be checked before it is written."""
    command.add_argument(
        "--validate",
        choices=_VALIDATE,
        help="check the result: tell what is wrong (warn), refuse errors that the edit brings (strict), or any (all); "
        "default: off",
    )
    add_allow_commands(command)


def add_allow_commands(command: argparse.ArgumentParser) -> None:
    """The option of commands that check files."""
    command.add_argument(
        "--allow-commands",
        action="store_true",
        help="run programs that suture.toml or pyproject.toml of the project name for checks; only if you trust it",
    )


def add_allow_executables(command: argparse.ArgumentParser) -> None:
    """The option of commands that take diffs with modes."""
    command.add_argument(
        "--allow-executables",
        action="store_true",
        help="make files executable where a diff says so, such as: new file mode 100755",
    )


def add_dry_run(command: argparse._ActionsContainer) -> None:
    """The option of commands that change files."""
    command.add_argument("--dry-run", action="store_true", help="show what would happen and change nothing")


def add_literal(command: argparse.ArgumentParser) -> None:
    """The option of commands that edit: placeholders are text."""
    command.add_argument(
        "--literal",
        action="store_true",
        help="write lines such as '# ... existing code ...' as they are (default: refuse them where they delete text)",
    )


def add_paths(command: argparse.ArgumentParser) -> None:
    """Which files of the workspace are meant."""
    command.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        default=[],
        help="a file, a folder with all below it, or a glob such as 'src/**/*.js' (default: all files); "
        "what .gitignore names and hidden files are left out unless named",
    )
    command.add_argument(
        "--exclude", metavar="GLOB", action="append", default=[], help="leave these out; can be given several times"
    )
    command.add_argument("--include-ignored", action="store_true", help="take what .gitignore names, too")


def add_encoding(command: argparse.ArgumentParser) -> None:
    """The option of commands for one file."""
    command.add_argument("--encoding", metavar="NAME", help="encoding of a file that is neither marked nor UTF-8")


PATTERN_NOTES = (
    """\
PATTERN is a JavaScript regular expression, plain or as /pattern/flags. All matches count, and ^ and
$ are the ends of lines, as with the flags g and m; /pattern/flags names all its flags itself, and
without g the first match of each line counts. Write -- before a pattern that begins with a dash.""",
    "exit codes: 0 found, 1 nothing found, 2 refused or wrong usage, 130 interrupted",
)


def _fill_search(command: argparse.ArgumentParser) -> None:
    command.add_argument("pattern", metavar="PATTERN", help="the regular expression")
    _add_files(command)
    _add_flags(command)
    _add_text_ends(command)
    command.add_argument(
        "-A", "--context-after", "--after-context", type=number, metavar="N", help="lines to show after each match"
    )
    command.add_argument(
        "-B", "--context-before", "--before-context", type=number, metavar="N", help="lines to show before each match"
    )
    command.add_argument("-C", "--context", type=number, metavar="N", help="lines to show before and after")
    command.add_argument("--max-matches", type=number, metavar="N", help="no more than so many, in all files together")
    ways = command.add_mutually_exclusive_group()
    ways.add_argument("-l", "--names", action="store_true", help="print the names of the files only")
    ways.add_argument("--count", action="store_true", help="print the number of matches of each file, and of all")


def _fill_replace(command: argparse.ArgumentParser) -> None:
    command.add_argument("pattern", metavar="PATTERN", help="the regular expression")
    command.add_argument(
        "replacement",
        metavar="REPLACEMENT",
        help="what each match becomes; $1 and ${name} stand for groups, $& for the match, $$ for a dollar sign; a line "
        "end is one that the shell makes: $'one\\ntwo'",
    )
    _add_files(command)
    _add_flags(command)
    _add_text_ends(command)
    whether = command.add_mutually_exclusive_group()
    whether.add_argument("--write", action="store_true", help="make the change; without it, it is only shown")
    add_dry_run(whether)
    command.add_argument("--max-replacements", type=number, metavar="N", help="refuse if there would be more")
    command.add_argument(
        "--allow-over-match", action="store_true", help="replace a long match that holds another match, too"
    )
    add_validate(command)


def _fill_extract(command: argparse.ArgumentParser) -> None:
    _add_file(command)
    _add_text_ends(command)
    command.add_argument("--max-matches", type=number, metavar="N", help="no more than so many")


def _fill_lines(command: argparse.ArgumentParser) -> None:
    _add_file(command)
    command.add_argument("-v", "--invert", action="store_true", help="print the lines that do not match")
    command.add_argument("-n", "--line-number", action="store_true", help="print the number of each line")
    command.add_argument("--max-lines", type=number, metavar="N", help="no more than so many")


def _fill_split(command: argparse.ArgumentParser) -> None:
    _add_file(command)
    _add_text_ends(command)
    command.add_argument("-0", "--null", action="store_true", help="end each segment with a NUL, and print no headings")
    command.add_argument("--max-splits", type=number, metavar="N", help="leave what follows so many in one segment")


PATTERN_FILLS: dict[str, Callable[[argparse.ArgumentParser], None]] = {
    "search": _fill_search,
    "replace": _fill_replace,
    "extract": _fill_extract,
    "lines": _fill_lines,
    "split": _fill_split,
}


def _add_files(command: argparse.ArgumentParser) -> None:
    add_paths(command)
    command.add_argument(
        "--encoding", metavar="NAME", help="encoding of files that are named outright, not by a folder or a glob"
    )


def _add_file(command: argparse.ArgumentParser) -> None:
    command.add_argument("pattern", metavar="PATTERN", help="the regular expression")
    command.add_argument("path", metavar="PATH", help="the file")
    _add_flags(command)
    add_encoding(command)


def _add_flags(command: argparse.ArgumentParser) -> None:
    command.add_argument("-i", "--ignore-case", action="store_true", help="ignore case")
    command.add_argument("-s", "--dot-all", action="store_true", help=". matches line ends, too")
    command.add_argument("--flags", metavar="gims", help="the same in letters; g and m hold anyway")
    command.add_argument(
        "--timeout", type=seconds, metavar="SECONDS", help="how long one file may be searched (default: 1)"
    )


def _add_text_ends(command: argparse.ArgumentParser) -> None:
    command.add_argument("--text-ends", action="store_true", help="^ and $ are the ends of the file only")


_MODES = ("strict", "interactive", "verify_only")
_MODE = "reject what brings errors (strict), write it all the same, or only check it (default: strict)"


def _fill_read(command: argparse.ArgumentParser) -> None:
    command.add_argument("path", metavar="PATH", help="the file")
    command.add_argument("--start-line", type=number, default=1, metavar="N", help="first line, counted from 1")
    command.add_argument("--end-line", type=number, metavar="N", help="last line, inclusive")
    command.add_argument(
        "--format",
        choices=("numbered", "raw"),
        default="numbered",
        help="with line numbers, or as is (default: numbered)",
    )
    add_encoding(command)


def _fill_edit(command: argparse.ArgumentParser) -> None:
    command.add_argument("path", metavar="PATH", help="the file")
    command.add_argument(
        "edits", metavar="FILE|JSON|-", nargs="?", help="an edit or a list of them: a file, JSON itself, or - for stdin"
    )
    command.add_argument(
        "--old-text",
        "--old",
        metavar="TEXT",
        help="the text to replace, exactly as it stands in the file (--old=TEXT where it begins with -)",
    )
    command.add_argument("--new-text", "--new", metavar="TEXT", help="what it becomes; '' deletes it")
    command.add_argument("--old-file", metavar="FILE|-", help="the text to replace, from a file or stdin")
    command.add_argument("--new-file", metavar="FILE|-", help="what it becomes, from a file or stdin")
    command.add_argument("--occurrences", type=number, metavar="N", help="how often the text stands there (default: 1)")
    command.add_argument(
        "--lines", metavar="A-B", action="append", help="replace these lines, such as 10-20 or 12, if nothing breaks"
    )
    command.add_argument(
        "--expected-text",
        "--expect",
        metavar="TEXT",
        help="with --lines: what they hold now; refuse if they do not",
    )
    command.add_argument("--delete", action="store_true", help="with --lines: delete them")
    command.add_argument("--mode", choices=_MODES, help=f"with --lines: {_MODE}")
    add_validate(command)
    add_literal(command)
    add_dry_run(command)
    add_encoding(command)
    _add_expect_hash(command)


def _fill_write(command: argparse.ArgumentParser) -> None:
    command.add_argument("path", metavar="PATH", help="the file; it may be new")
    command.add_argument("--mode", choices=_MODES, default="strict", help=_MODE)
    add_dry_run(command)
    command.add_argument("--no-diff", action="store_true", help="leave out the diff")
    command.add_argument("--allow-empty", action="store_true", help="write a file without content if stdin has none")
    command.add_argument(
        "--validate",
        choices=("new", "all"),
        default="new",
        help="which errors count: those that the content brings, or any in it (default: new)",
    )
    add_allow_commands(command)
    add_literal(command)
    add_encoding(command)
    _add_expect_hash(command)


def _fill_check(command: argparse.ArgumentParser) -> None:
    add_paths(command)
    command.add_argument("--max-files", type=positive, metavar="N", help="check at most N files (default: 100000)")
    command.add_argument("--max-issues", type=positive, metavar="N", help="list at most N problems (default: 10000)")
    command.add_argument("--max-time", type=seconds, metavar="SECONDS", help="stop after this time (default: 600)")
    add_allow_commands(command)


def _fill_patch(command: argparse.ArgumentParser) -> None:
    command.add_argument("path", metavar="PATH", help="the file")
    command.add_argument(
        "patches", metavar="FILE|JSON|-", help="a patch or a list of them: a file, JSON itself, or - for stdin"
    )
    _add_match(command)
    add_literal(command)
    add_validate(command)
    add_dry_run(command)
    add_encoding(command)
    _add_expect_hash(command)


def _fill_apply(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "reply", metavar="FILE|-", nargs="?", default="-", help="the reply: a file, or - for stdin (default: stdin)"
    )
    add_dry_run(command)
    command.add_argument("-p", "--patch", action="store_true", help="show each block and ask whether to apply it")
    command.add_argument("--atomic", action="store_true", help="apply all blocks or none")
    command.add_argument(
        "--only",
        type=block_ids,
        action="extend",
        metavar="IDS",
        help="apply only these, such as 1,3.2; several times if need be",
    )
    _add_match(command)
    add_literal(command)
    add_validate(command)
    command.add_argument(
        "--whole-files", action="store_true", help="take a fenced code block with a path for that whole file, too"
    )
    command.add_argument("--default-path", metavar="PATH", help="the file of blocks that name none")
    command.add_argument(
        "--expect-hash", metavar="HASH", help='refuse if a file has another one; for several files, {"PATH": "HASH", …}'
    )
    add_allow_executables(command)


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
    command.add_argument(
        "--format",
        choices=("anthropic", "openai", "openai-responses", "gemini", "mcp"),
        help="print what stands in the field `tools` of a request to this API",
    )
    _add_choice_of_tools(command)


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
    _add_choice_of_tools(command)
    command.add_argument("--name", default="suture", metavar="NAME", help="what the client calls it (default: suture)")


def _fill_mcp(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--http", metavar="HOST:PORT", help="serve over HTTP instead of stdin and stdout; port 0: any free one"
    )
    command.add_argument("--allow-remote", action="store_true", help="with --http: let other machines connect")
    command.add_argument(
        "--allow-host",
        metavar="NAME",
        type=host_name,
        action="append",
        help="with --http: another name that it is asked by, such as a proxy's",
    )
    _add_choice_of_tools(command)
    command.add_argument(
        "--extra-root", metavar="DIR", action="append", help="another folder that the tools may read and edit"
    )
    command.add_argument(
        "--allow-protected",
        metavar="PATTERN",
        action="append",
        help="a protected path that the tools may use anyway, such as '.devcontainer/**'",
    )
    command.add_argument(
        "--durability",
        choices=("full", "fast"),
        default="full",
        help="full (default): a change is on the disk before it is answered; fast: a killed process leaves all or "
        "nothing; after a power cut each file changed in the last seconds may be old, new or incomplete",
    )
    command.add_argument(
        "--max-result-bytes",
        metavar="N",
        type=byte_limit,
        default=10_000_000,
        help="what an answer may have (default: 10000000)",
    )
    command.add_argument(
        "--call-ms",
        metavar="N",
        type=positive,
        default=Settings.call_ms,
        help="milliseconds that a call may take before it begins to write (default: 60000)",
    )
    command.add_argument(
        "--max-memory-bytes",
        metavar="N",
        type=number,
        default=Settings.max_memory_bytes,
        help="most memory for the server and for each program it starts; 0: no limit (default: 4000000000)",
    )
    command.add_argument(
        "--structured-text",
        action="store_true",
        help="repeat texts in the structured content, for clients that show models nothing else; Codex and Claude Code "
        "get it unasked",
    )
    add_allow_commands(command)
    add_allow_executables(command)


def _fill_log(command: argparse.ArgumentParser) -> None:
    command.add_argument("path", metavar="PATH", nargs="?", help="only changes of this file or below this folder")
    command.add_argument("--limit", type=number, default=20, metavar="N", help="how many changes (default: 20)")
    command.add_argument("--before", metavar="ID", help="only changes before this one")


def _fill_show(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "change_id", metavar="ID", nargs="?", help="the change, or the beginning of its id (default: the newest)"
    )


def _fill_undo(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "change_id",
        metavar="ID",
        nargs="?",
        help="the change, or the beginning of its id (default: the newest that is in force)",
    )
    add_dry_run(command)


def _fill_redo(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "change_id",
        metavar="ID",
        nargs="?",
        help="the change, or the beginning of its id (default: the one undone last)",
    )
    add_dry_run(command)


def _fill_snapshot(command: argparse.ArgumentParser) -> None:
    command.add_argument("name", metavar="NAME", nargs="?", help="a name for this point; without it, list them")
    command.add_argument(
        "paths", metavar="PATH", nargs="*", help="files to keep besides those that suture ever changed here"
    )


def _fill_restore(command: argparse.ArgumentParser) -> None:
    command.add_argument("paths", metavar="PATH", nargs="*", help="files or folders (default: all that changed since)")
    command.add_argument(
        "--to", metavar="ID|NAME", help="right after this change, or at this snapshot (default: as last recorded)"
    )
    add_dry_run(command)


def _add_match(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--match", choices=("exact", "whitespace", "lenient"), help="how far a file may differ (default: lenient)"
    )


def _add_expect_hash(command: argparse.ArgumentParser) -> None:
    command.add_argument("--expect-hash", metavar="HASH", help="refuse if the file has another one")


def _add_choice_of_tools(command: argparse.ArgumentParser) -> None:
    choice = command.add_mutually_exclusive_group()
    choice.add_argument("--tools", metavar="NAMES", type=tool_names, help="only these, such as file_read,patch")
    choice.add_argument("--profile", metavar="NAME", help="only those of full (default), edit, search or read-only")


def _fill_completion(command: argparse.ArgumentParser) -> None:
    from argparse import SUPPRESS

    command.add_argument("shell", metavar="SHELL", choices=("bash", "zsh", "fish"), help="bash, zsh or fish")
    command.add_argument("--line", help=SUPPRESS)  # for the scripts, while somebody types


FILLS: dict[str, Callable[[argparse.ArgumentParser], None]] = {
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
    "completion": _fill_completion,
}
"""What adds the arguments of those commands that have any of their own."""


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
    **dict.fromkeys(("extract", "lines", "split", "replace"), "search"),
    **dict.fromkeys(("patch", "write", "apply"), "edit"),
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
        add_common(command, _JSON.get(name, "print the whole result as JSON"))
        command.set_defaults(run=_lazily(name))
    return parser


def add_common(command: argparse.ArgumentParser, json: str) -> None:
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
