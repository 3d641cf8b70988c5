"""The parser of the command line: options, values, help."""

from __future__ import annotations

import argparse
import os
import sys

from suture import __version__
from suture.cli.menu import COMMANDS, DESCRIPTION
from suture.cli.output import USAGE, print_always, report_misuse
from suture.records import Record
from suture.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, NoReturn


_MIN_RESULT_BYTES = 10_000  # an error with its hint must fit
_MAX_SECONDS = 3_600  # an hour


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
    if not (given.isascii() and given.isdigit()) or int(given) < _MIN_RESULT_BYTES:
        message = f"expected a number of at least {_MIN_RESULT_BYTES}, not {given!r}"
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
    if not 1 <= number(given) <= _MAX_SECONDS:
        message = f"expected seconds from 1 to {_MAX_SECONDS}, not {given}"
        raise argparse.ArgumentTypeError(message)
    return int(given)


def setting(given: str) -> tuple[str, object]:
    """The name of a setting, and its value."""
    from suture.cli.settings import parse_setting

    try:
        return parse_setting(given)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _several(given: str, expected: str) -> list[str]:
    names = given.replace(",", " ").split()
    if not names:
        message = f"expected {expected}, not {given!r}"
        raise argparse.ArgumentTypeError(message)
    return names


class Table(Record):
    """How the arguments of a tool are written on the command line. The rest is what the tool's schema says of them."""

    tool: str
    words: tuple[str, ...] = ()
    """Arguments that are given without an option, in this order."""
    left_out: tuple[str, ...] = ()
    """Arguments that have no option: the command fills them in, or nobody types them."""
    special: dict[str, dict[str, Any]] = {}  # noqa: RUF012  a record is never changed
    """Keywords of `add_argument` that differ from what the schema says, and `names`: all names of an option."""
    add_more: Callable[[argparse.ArgumentParser], None] | None = None
    """Adds what is no argument of the tool."""


_PLACEHOLDERS = {
    "before": "ID",
    "change_id": "ID",
    "default_path": "PATH",
    "edits": "FILE|JSON|-",
    "encoding": "NAME",
    "exclude": "GLOB",
    "expect_hash": "HASH",
    "file_path": "PATH",
    "flags": "gims",
    "only": "IDS",
    "path": "PATH",
    "patches": "FILE|JSON|-",
    "paths": "PATH",
    "pattern": "PATTERN",
    "replacement": "REPLACEMENT",
    "reply": "FILE|-",
    "to": "ID|NAME",
}
"""The placeholder for the value of an argument in the help; for any other, N or TEXT."""
_RENAMED = {"file_path": "path"}
"""Arguments that have another name on the command line."""
_UNTYPED = "binary_check_buffer_size"
"""An argument that is kept for callers of an older tool."""
_FLAGS_HELP = "flags as letters, such as is; g and m are always set"
_PATTERN_WORDS = ("pattern", "file_path")


def add_tool(command: argparse.ArgumentParser, table: Table) -> None:
    """Add the arguments of a command that is a tool."""
    schema = _schema(table.tool)
    offered = {name: about for name, about in schema["properties"].items() if name not in table.left_out}
    for name in dict.fromkeys((*table.words, *offered)):
        about, special = offered[name], dict(table.special.get(name, {}))
        is_word = name in table.words
        if is_word and name not in schema["required"] and about.get("type") != "array":
            special.setdefault("nargs", "?")
        add_field(command, name, about, is_word=is_word, **special)
    if table.add_more is not None:
        table.add_more(command)
    command.set_defaults(fields={name: _RENAMED.get(name, name) for name in offered})


def add_field(
    container: argparse._ActionsContainer, name: str, about: Mapping[str, Any], *, is_word: bool = False, **special: Any
) -> None:
    """Add one argument of a tool as its schema, `about`, describes it: as an option, or as a word.

    What is left out stays None, so that the tool's own default holds.
    """
    dest, kind = _RENAMED.get(name, name), about.get("type", "string")
    names = special.pop("names", (dest,) if is_word else (f"--{dest.replace('_', '-')}",))
    keywords: dict[str, Any] = {"help": _help_text(about)}
    if kind == "boolean":
        keywords["action"] = "store_true"
    elif "enum" in about:
        keywords["choices"] = about["enum"]
    else:
        keywords["metavar"] = _PLACEHOLDERS.get(name, "N" if kind == "integer" else "TEXT")
    if kind == "integer":
        keywords["type"] = number  # the tool checks the bounds
    if kind == "array" and about["items"]["type"] == "string":  # a list of objects is given as one JSON document
        several = {"action": "append", "help": f"{keywords['help']} (repeatable)"}
        keywords |= {"nargs": "*", "default": []} if is_word else several
    container.add_argument(*names, **{**keywords, **special})


def _help_text(about: Mapping[str, Any]) -> str:
    """The description of an argument as help, with its default."""
    text: str = about["description"]
    default = about.get("default")
    shown = "" if default in (None, False, 0, ()) else f" (default: {default})"
    return (text[0].lower() + text[1:] + shown).replace("%", "%%")


def _schema(tool: str) -> dict[str, Any]:
    """The schema of a tool's arguments."""
    from suture.tools import command  # commands that are no tool need none of it

    return command(tool).request.schema()


def _add_dry_run(container: argparse._ActionsContainer) -> None:
    from suture.tools.spec import dry_run  # as above

    add_field(container, "dry_run", dry_run().schema())


def _add_edit(command: argparse.ArgumentParser) -> None:
    from suture.tools.spec import expected_text, mode  # of safe_edit, which only --lines needs

    edit = _schema("file_edit")["properties"]["edits"]["items"]["properties"]
    old = f"{_help_text(edit['old_text'])} (--old=TEXT if it begins with -)"
    add_field(command, "old_text", edit["old_text"], names=("--old-text", "--old"), help=old)
    deletes = "replacement text; '' deletes the old text"
    add_field(command, "new_text", edit["new_text"], names=("--new-text", "--new"), help=deletes)
    command.add_argument("--old-file", metavar="FILE|-", help="the text to replace, from a file or stdin")
    command.add_argument("--new-file", metavar="FILE|-", help="the replacement text, from a file or stdin")
    add_field(command, "occurrences", edit["occurrences"])
    command.add_argument(
        "--lines", metavar="A-B", action="append", help="replace these lines, such as 10-20 or 12, if nothing breaks"
    )
    for name, field, names in (
        ("mode", mode(), ("--mode",)),
        ("expected_text", expected_text(), ("--expected-text", "--expect")),
    ):
        about = field.schema()
        add_field(command, name, about, names=names, help=f"with --lines: {_help_text(about)}")
    command.add_argument("--delete", action="store_true", help="with --lines: delete them")
    _add_allow_commands(command)


def _add_write(command: argparse.ArgumentParser) -> None:
    _add_dry_run(command)
    command.add_argument("--no-diff", action="store_true", help="do not print the diff")
    command.add_argument("--allow-empty", action="store_true", help="write an empty file if stdin is empty")
    _add_allow_commands(command)


def _add_apply(command: argparse.ArgumentParser) -> None:
    command.add_argument("-p", "--patch", action="store_true", help="show each block and ask whether to apply it")
    _add_allow_commands(command)
    _add_allow_executables(command)


def _add_check(command: argparse.ArgumentParser) -> None:
    limits = {"files": Settings.check_max_files, "issues": Settings.check_max_issues}
    for noun, most in limits.items():
        verb = "check" if noun == "files" else "list"
        command.add_argument(
            f"--max-{noun}", type=positive, metavar="N", help=f"{verb} at most N {noun} (default: {most})"
        )
    longest = Settings.check_call_ms // 1000
    command.add_argument(
        "--max-time", type=seconds, metavar="SECONDS", help=f"stop after this time (default: {longest})"
    )
    _add_allow_commands(command)


def _add_search(command: argparse.ArgumentParser) -> None:
    command.add_argument("-C", "--context", type=number, metavar="N", help="lines to show before and after each match")
    shown = command.add_mutually_exclusive_group()
    shown.add_argument("-l", "--names", action="store_true", help="print only the names of the files")
    shown.add_argument("--count", action="store_true", help="print the number of matches of each file, and of all")
    _add_pattern_options(command)


def _add_replace(command: argparse.ArgumentParser) -> None:
    whether = command.add_mutually_exclusive_group()
    whether.add_argument("--write", action="store_true", help="make the change; without it, it is only shown")
    _add_dry_run(whether)
    _add_pattern_options(command)
    _add_allow_commands(command)


def _add_lines(command: argparse.ArgumentParser) -> None:
    command.add_argument("-n", "--line-number", action="store_true", help="print the number of each line")
    _add_pattern_options(command, text_ends=False)


def _add_split(command: argparse.ArgumentParser) -> None:
    command.add_argument("-0", "--null", action="store_true", help="end each segment with a NUL, and print no headings")
    _add_pattern_options(command)


def _add_pattern_options(command: argparse.ArgumentParser, *, text_ends: bool = True) -> None:
    """What the commands that take a regular expression have in common."""
    command.add_argument("-i", "--ignore-case", action="store_true", help="ignore case")
    command.add_argument("-s", "--dot-all", action="store_true", help=". matches line ends, too")
    if text_ends:
        command.add_argument("--text-ends", action="store_true", help="^ and $ match only at the ends of the file")
    command.add_argument(
        "--timeout", type=seconds, metavar="SECONDS", help="how long one file may be searched (default: 1)"
    )


def _add_allow_commands(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--allow-commands",
        action="store_true",
        help="run programs that suture.toml or pyproject.toml of the project name for checks; only if you trust it",
    )


def _add_allow_executables(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--allow-executables",
        action="store_true",
        help="make files executable where a diff says so, such as: new file mode 100755",
    )


TABLES = {
    "read": Table("file_read", words=("path",)),
    "search": Table(
        "search",
        words=("pattern", "paths"),
        left_out=("view",),
        special={
            "flags": {"help": _FLAGS_HELP},
            "context_before": {"names": ("-B", "--context-before", "--before-context")},
            "context_after": {"names": ("-A", "--context-after", "--after-context")},
        },
        add_more=_add_search,
    ),
    "extract": Table(
        "regex_extract",
        words=_PATTERN_WORDS,
        left_out=(_UNTYPED,),
        special={"flags": {"help": _FLAGS_HELP}},
        add_more=_add_pattern_options,
    ),
    "lines": Table(
        "regex_match_lines",
        words=_PATTERN_WORDS,
        left_out=(_UNTYPED, "format"),
        special={"flags": {"help": _FLAGS_HELP}, "invert": {"names": ("-v", "--invert")}},
        add_more=_add_lines,
    ),
    "split": Table(
        "regex_split",
        words=_PATTERN_WORDS,
        left_out=(_UNTYPED,),
        special={"flags": {"help": _FLAGS_HELP}},
        add_more=_add_split,
    ),
    "edit": Table(
        "file_edit",
        words=("path", "edits"),
        special={
            "edits": {
                "nargs": "?",
                "help": "an edit or a list of edits: a file, JSON itself, or - for stdin",
            }
        },
        add_more=_add_edit,
    ),
    "patch": Table(
        "patch",
        words=("path", "patches"),
        special={
            "patches": {
                "help": "a patch or a list of patches: a file, JSON itself, or - for stdin",
            }
        },
        add_more=_add_allow_commands,
    ),
    "write": Table(
        "safe_edit",
        words=("path",),
        left_out=("show_diff", "content", "line_edits", "search_replace"),
        add_more=_add_write,
    ),
    "replace": Table(
        "replace",
        words=("pattern", "replacement", "paths"),
        left_out=("dry_run", "view"),
        special={"flags": {"help": _FLAGS_HELP}},
        add_more=_add_replace,
    ),
    "apply": Table(
        "apply_reply",
        words=("reply",),
        special={
            "reply": {
                "nargs": "?",
                "default": "-",
                "help": "the reply: a file, or - for stdin (default: stdin)",
            },
            "only": {"type": block_ids, "action": "extend"},
            "expect_hash": {"help": 'hash the file must have; for several files, {"PATH": "HASH", …}'},
        },
        add_more=_add_apply,
    ),
    "log": Table("history", words=("path",)),
    "show": Table(
        "show",
        words=("change_id",),
        special={"change_id": {"nargs": "?", "help": "the change, or the beginning of its id (default: the newest)"}},
    ),
    "undo": Table("undo", words=("change_id",)),
    "redo": Table("redo", words=("change_id",)),
    "restore": Table("restore", words=("paths",)),
    "check": Table("check", words=("paths",), add_more=_add_check),
}
"""The commands that are a tool."""


def _add_prompt(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--format",
        choices=("blocks", "v4a", "unified"),
        default="blocks",
        help="SEARCH/REPLACE blocks, an apply_patch envelope, or a unified diff (default: blocks)",
    )


def _add_call(command: argparse.ArgumentParser) -> None:
    command.add_argument("name", metavar="NAME", help="the tool; see `suture tools`")
    command.add_argument("arguments", metavar="JSON|-", help="its arguments as a JSON object, or - for stdin")


def _add_tools(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--format",
        choices=("anthropic", "openai", "openai-responses", "gemini", "mcp"),
        help="print the value of the field `tools` of a request to this API",
    )
    _add_choice_of_tools(command)


def _add_init(command: argparse.ArgumentParser) -> None:
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


def _add_mcp(command: argparse.ArgumentParser) -> None:
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
        help="full (default): a change is on the disk before it is answered; fast: a killed process leaves all or "
        "nothing; after a power cut each file changed in the last seconds may be old, new or incomplete",
    )
    command.add_argument(
        "--max-result-bytes",
        metavar="N",
        type=byte_limit,
        default=10_000_000,
        help="size of an answer in bytes (default: 10000000); beyond it, the answer is refused or cut",
    )
    command.add_argument(
        "--call-ms",
        metavar="N",
        type=positive,
        help=f"milliseconds that a call may take before it begins to write (default: {Settings.call_ms})",
    )
    command.add_argument(
        "--max-memory-bytes",
        metavar="N",
        type=number,
        help=f"memory of the server, and of each program it starts; 0: no limit (default: {Settings.max_memory_bytes})",
    )
    command.add_argument(
        "--structured-text",
        action="store_true",
        help="repeat texts in the structured content, for clients that show models nothing else; Codex and Claude Code "
        "get it unasked",
    )
    _add_allow_commands(command)
    _add_allow_executables(command)


def _add_snapshot(command: argparse.ArgumentParser) -> None:
    command.add_argument("name", metavar="NAME", nargs="?", help="a name for this point; without it, list them")
    command.add_argument(
        "paths", metavar="PATH", nargs="*", help="files to keep besides those that suture ever changed here"
    )


def _add_choice_of_tools(command: argparse.ArgumentParser) -> None:
    choice = command.add_mutually_exclusive_group()
    choice.add_argument("--tools", metavar="NAMES", type=tool_names, help="only these, such as file_read,patch")
    choice.add_argument("--profile", metavar="NAME", help="only those of full (default), edit, search or read-only")


def _add_completion(command: argparse.ArgumentParser) -> None:
    from argparse import SUPPRESS

    command.add_argument("shell", metavar="SHELL", choices=("bash", "zsh", "fish"), help="bash, zsh or fish")
    command.add_argument("--line", metavar="LINE", help=SUPPRESS)  # for the scripts, while somebody types


_IN_A_WORKSPACE = ("call", "mcp", "recover", "snapshot")
"""Commands that are no tool, and have settings."""


def _add_set(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--set",
        type=setting,
        action="append",
        metavar="NAME=VALUE",
        help="a setting, such as call_ms=120000 (repeatable); the page Settings of the documentation lists them",
    )
    command.set_defaults(settings=None)


_MORE: dict[str, Callable[[argparse.ArgumentParser], None]] = {
    "prompt": _add_prompt,
    "mcp": _add_mcp,
    "init": _add_init,
    "call": _add_call,
    "tools": _add_tools,
    "snapshot": _add_snapshot,
    "completion": _add_completion,
}
"""What adds the arguments of other commands that have any of their own."""


_HELP_COLUMNS = 100  # longer lines are hard to read, also on a wide terminal
_PATTERN_NOTES = (
    """\
PATTERN is a JavaScript regular expression, plain or as /pattern/flags. All matches count, and ^ and
$ are the ends of lines, as with the flags g and m; /pattern/flags names all its flags itself, and
without g the first match of each line counts. Write -- before a pattern that begins with a dash.""",
    "exit codes: 0 found, 1 nothing found, 2 refused or wrong usage, 130 interrupted",
)
_PATTERN_COMMANDS = ("search", "replace", "extract", "lines", "split")
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
    **dict.fromkeys(_PATTERN_COMMANDS, _PATTERN_NOTES),
    "apply": _APPLY_NOTES,
    "check": _CHECK_NOTES,
    "completion": (*_COMPLETION_NOTES, _EXITS),
    "doctor": _DOCTOR_NOTES,
    "read": _READ_NOTES,
    "write": _WRITE_NOTES,
}
_JSON = {
    **dict.fromkeys(
        _PATTERN_COMMANDS, "print isError, data (a list with an object for each result) and metadata as JSON"
    ),
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
    **dict.fromkeys(("read", "call", "tools", "recover", "check"), "commands"),
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
        if name in TABLES:
            add_tool(command, TABLES[name])
        elif name in _MORE:
            _MORE[name](command)
        if name in TABLES or name in _IN_A_WORKSPACE:
            _add_set(command)
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
        parsed, rest = super().parse_known_args(args, namespace)
        takes = next((action.dest for action in self._actions if action.nargs == "*"), None)
        end = rest.index("--") if "--" in rest else len(rest)  # what follows it is no option
        if takes is not None and rest and not any(word.startswith("-") for word in rest[:end]):
            setattr(parsed, takes, [*getattr(parsed, takes), *rest[:end], *rest[end + 1 :]])
            rest = []
        if rest and self._subparsers is None:  # a command tells it itself, with its own usage
            wrong = [word for word in rest[:end] if word.startswith("-")] or rest
            self.error(f"unrecognized arguments: {' '.join(wrong)}{self._meant(wrong)}")
        return parsed, rest

    def error(self, message: str) -> NoReturn:
        """Tell what is wrong, and what to do if a word was taken for an option, or its letters for several."""
        unknown = [word for word in self._before_dashes() if self._is_unknown(word)]
        if ("are required:" in message and unknown) or "ignored explicit argument" in message:
            message += self._meant(unknown)
        report_misuse(self.prog.partition(" ")[2], message)
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
            width = _HELP_COLUMNS
        super().__init__(prog, max_help_position=28, width=min(width, _HELP_COLUMNS))


def _lazily(command: str) -> Callable[[argparse.Namespace], int]:
    """A command's function, whose module is imported when it runs."""

    def run(options: argparse.Namespace) -> int:
        from importlib import import_module  # --help needs none of it

        for name, option in _INSTEAD_OF_JSON.get(command, {}).items():
            if options.json and getattr(options, name):
                return report_misuse(command, f"--json and {option} do not go together")
        home = import_module(f"suture.cli.{_HOMES.get(command, command)}")
        function: Callable[[argparse.Namespace], int] = getattr(home, command)
        return function(options)

    return run
