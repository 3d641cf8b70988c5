"""The parser of the command line: options, values, help."""

from __future__ import annotations

import argparse
import os
import sys

from suture import __version__
from suture.cli import COMMANDS, DESCRIPTION
from suture.cli.output import USAGE, print_always, report_misuse
from suture.records import Record
from suture.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, NoReturn


_MIN_RESULT_BYTES = 10_000  # an error with its hint must fit
_MAX_SECONDS = 3_600  # nobody waits longer for a search


def block_ids(given: str) -> list[str]:
    """Ids of blocks."""
    return _several(given, "ids of blocks such as 1,3.2")


def tool_names(given: str) -> list[str]:
    """Names of tools."""
    return _several(given, "names of tools such as file_read,patch")


def host_name(given: str) -> str:
    """The name of a host, without a port."""
    name = given[1:-1].replace(":", "") if given.startswith("[") and given.endswith("]") else given
    if not name or not all(char.isascii() and (char.isalnum() or char in "-._") for char in name):
        raise _unexpected(given, "a name such as suture.example.com, without a port")
    return given


def number(given: str) -> int:
    """A number from 0 on."""
    return _whole(given, "a number from 0 on")


def positive(given: str) -> int:
    """A number from 1 on."""
    return _whole(given, "a number from 1 on", least=1)


def seconds(given: str) -> int:
    """A time that somebody may want to wait."""
    if not 1 <= number(given) <= _MAX_SECONDS:
        raise argparse.ArgumentTypeError(f"expected seconds from 1 to {_MAX_SECONDS}, not {given}")
    return int(given)


def byte_limit(given: str) -> int:
    """A number of bytes that an answer may have."""
    return _whole(given, f"a number of at least {_MIN_RESULT_BYTES}", least=_MIN_RESULT_BYTES)


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
        raise _unexpected(given, expected)
    return names


def _whole(given: str, expected: str, *, least: int = 0) -> int:
    if not given.isdecimal() or int(given) < least:
        raise _unexpected(given, expected)
    return int(given)


def _unexpected(given: str, expected: str) -> argparse.ArgumentTypeError:
    return argparse.ArgumentTypeError(f"expected {expected}, not {given!r}")


class Option(Record):
    """An option, or a word without one, as `add_argument` takes it."""

    names: tuple[str, ...]
    keywords: dict[str, Any]


class Command(Record):
    """A command: what it takes, and what its help says besides `suture.cli.COMMANDS`.

    One that is a tool takes the tool's arguments, as their schema describes them.
    """

    module: str = ""
    """The module in which its function is; empty: one of its own name."""
    tool: str = ""
    words: tuple[str, ...] = ()
    """Arguments of the tool that are given without an option, in this order."""
    left_out: tuple[str, ...] = ()
    """Arguments of the tool that have no option: the command fills them in."""
    special: dict[str, dict[str, Any]] = {}  # noqa: RUF012  a record is never changed
    """Keywords of `add_argument` that differ from what the schema says, and `names`: all names of an option."""
    options: Sequence[Option | Sequence[Option]] | Callable[[], Iterator[Option | Sequence[Option]]] = ()
    """What is no argument of the tool; of several in a sequence, only one can be given. A function if made of schemas,
    which most commands need not load."""
    has_settings: bool = False
    """Whether it takes --set although it is no tool."""
    json: str = "print the whole result as JSON"
    instead_of_json: dict[str, str] = {}  # noqa: RUF012  as above
    """Options that do not go together with --json, and how they are called then."""
    notes: tuple[str, ...] = ("exit codes: 0 done, 1 refused or failed, 2 wrong usage, 130 interrupted",)
    """What follows the example."""


def _flag(*names: str, help: str) -> Option:  # noqa: A002  as argparse calls it
    return Option(names, {"action": "store_true", "help": help})


def _value(name: str, metavar: str, help: str, **more: Any) -> Option:  # noqa: A002  as above
    return Option((name,), {"metavar": metavar, "help": help, **more})


def _choice(name: str, choices: tuple[str, ...], help: str, **more: Any) -> Option:  # noqa: A002  as above
    return Option((name,), {"choices": choices, "help": help, **more})


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
_NEVER_TYPED = ("binary_check_buffer_size", "view")
"""Arguments for callers of an older tool, and for the commands themselves."""


def _argument(name: str, about: Mapping[str, Any], *, is_word: bool = False, **special: Any) -> Option:
    """An argument of a tool as its schema, `about`, describes it: as an option, or as a word.

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
    return Option(names, {**keywords, **special})


def _help_text(about: Mapping[str, Any]) -> str:
    """The description of an argument as help, with its default."""
    text: str = about["description"]
    default = about.get("default")
    shown = "" if default in (None, False, 0, ()) else f" (default: {default})"
    return (text[0].lower() + text[1:] + shown).replace("%", "%%")


def _schema(tool: str) -> dict[str, Any]:
    from suture.tools import command  # commands that are no tool need none of it

    return command(tool).request.schema()


def _dry_run() -> Option:
    from suture.tools.spec import DRY_RUN  # as above

    return _argument("dry_run", DRY_RUN.schema())


_ALLOW_COMMANDS = _flag(
    "--allow-commands",
    help="run programs that suture.toml or pyproject.toml of the project name for checks; only if you trust it",
)
_ALLOW_EXECUTABLES = _flag(
    "--allow-executables", help="make files executable where a diff says so, such as: new file mode 100755"
)
_TOOLS_OR_PROFILE = (
    _value("--tools", "NAMES", "only these, such as file_read,patch", type=tool_names),
    _value("--profile", "NAME", "only those of full (default), edit, search or read-only"),
)
_IGNORE_CASE = _flag("-i", "--ignore-case", help="ignore case")
_DOT_ALL = _flag("-s", "--dot-all", help=". matches line ends, too")
_TEXT_ENDS = _flag("--text-ends", help="^ and $ match only at the ends of the file")
_TIMEOUT = _value("--timeout", "SECONDS", "how long one file may be searched (default: 1)", type=seconds)
_PATTERN_OPTIONS = (_IGNORE_CASE, _DOT_ALL, _TEXT_ENDS, _TIMEOUT)


def _edit_options() -> Iterator[Option]:
    from suture.tools.spec import EXPECTED_TEXT, MODE  # of safe_edit, which only --lines needs

    edit = _schema("file_edit")["properties"]["edits"]["items"]["properties"]
    old = f"{_help_text(edit['old_text'])} (--old=TEXT if it begins with -)"
    yield _argument("old_text", edit["old_text"], names=("--old-text", "--old"), help=old)
    deletes = "replacement text; '' deletes the old text"
    yield _argument("new_text", edit["new_text"], names=("--new-text", "--new"), help=deletes)
    yield _value("--old-file", "FILE|-", "the text to replace, from a file or stdin")
    yield _value("--new-file", "FILE|-", "the replacement text, from a file or stdin")
    yield _argument("occurrences", edit["occurrences"])
    lines = "replace these lines, such as 10-20 or 12, if nothing breaks"
    yield _value("--lines", "A-B", lines, action="append")
    for name, field, names in (
        ("mode", MODE, ("--mode",)),
        ("expected_text", EXPECTED_TEXT, ("--expected-text", "--expect")),
    ):
        about = field.schema()
        yield _argument(name, about, names=names, help=f"with --lines: {_help_text(about)}")
    yield _flag("--delete", help="with --lines: delete them")
    yield _ALLOW_COMMANDS


def _write_options() -> Iterator[Option]:
    yield _dry_run()
    yield _flag("--no-diff", help="do not print the diff")
    yield _flag("--allow-empty", help="write an empty file if stdin is empty")
    yield _ALLOW_COMMANDS


def _replace_options() -> Iterator[Option | Sequence[Option]]:
    yield _flag("--write", help="make the change; without it, it is only shown"), _dry_run()
    yield from _PATTERN_OPTIONS
    yield _ALLOW_COMMANDS


_EXITS = Command.notes[0]
_PATTERN_COMMAND = Command(
    module="search",
    words=("pattern", "file_path"),
    special={"flags": {"help": "flags as letters, such as is; g and m are always set"}},
    options=_PATTERN_OPTIONS,
    json="print isError, data (a list with an object for each result) and metadata as JSON",
    notes=(
        """\
PATTERN is a JavaScript regular expression, plain or as /pattern/flags. All matches count, and ^ and
$ are the ends of lines, as with the flags g and m; /pattern/flags names all its flags itself, and
without g the first match of each line counts. Write -- before a pattern that begins with a dash.""",
        "exit codes: 0 found, 1 nothing found, 2 refused or wrong usage, 130 interrupted",
    ),
)

_COMMANDS = {
    "read": Command(
        module="commands",
        tool="file_read",
        words=("path",),
        notes=("At most 20,000 lines or 5 MB are printed at once; what was cut is told.", _EXITS),
    ),
    "search": _PATTERN_COMMAND.but(
        tool="search",
        words=("pattern", "paths"),
        special={
            **_PATTERN_COMMAND.special,
            "context_before": {"names": ("-B", "--context-before", "--before-context")},
            "context_after": {"names": ("-A", "--context-after", "--after-context")},
        },
        options=(
            Option(
                ("-C", "--context"),
                {"type": number, "metavar": "N", "help": "lines to show before and after each match"},
            ),
            (
                _flag("-l", "--names", help="print only the names of the files"),
                _flag("--count", help="print the number of matches of each file, and of all"),
            ),
            *_PATTERN_OPTIONS,
        ),
        instead_of_json={"names": "--names", "count": "--count"},
    ),
    "extract": _PATTERN_COMMAND.but(tool="regex_extract"),
    "lines": _PATTERN_COMMAND.but(
        tool="regex_match_lines",
        left_out=("format",),
        special={**_PATTERN_COMMAND.special, "invert": {"names": ("-v", "--invert")}},
        options=(_flag("-n", "--line-number", help="print the number of each line"), _IGNORE_CASE, _DOT_ALL, _TIMEOUT),
    ),
    "split": _PATTERN_COMMAND.but(
        tool="regex_split",
        options=(_flag("-0", "--null", help="end each segment with a NUL, and print no headings"), *_PATTERN_OPTIONS),
    ),
    "edit": Command(
        tool="file_edit",
        words=("path", "edits"),
        special={"edits": {"nargs": "?", "help": "an edit or a list of edits: a file, JSON itself, or - for stdin"}},
        options=_edit_options,
    ),
    "patch": Command(
        module="edit",
        tool="patch",
        words=("path", "patches"),
        special={"patches": {"help": "a patch or a list of patches: a file, JSON itself, or - for stdin"}},
        options=(_ALLOW_COMMANDS,),
    ),
    "write": Command(
        module="edit",
        tool="safe_edit",
        words=("path",),
        left_out=("show_diff", "content", "line_edits", "search_replace"),
        options=_write_options,
        notes=(
            """\
exit codes: 0 written, as it was or verified, 1 rejected, failed or found broken,
  2 wrong usage, 130 interrupted""",
        ),
    ),
    "replace": _PATTERN_COMMAND.but(
        tool="replace",
        words=("pattern", "replacement", "paths"),
        left_out=("dry_run",),
        options=_replace_options,
    ),
    "apply": Command(
        module="edit",
        tool="apply_reply",
        words=("reply",),
        special={
            "reply": {"nargs": "?", "default": "-", "help": "the reply: a file, or - for stdin (default: stdin)"},
            "only": {"type": block_ids, "action": "extend"},
            "expect_hash": {"help": 'hash the file must have; for several files, {"PATH": "HASH", …}'},
        },
        options=(
            _flag("-p", "--patch", help="show each block and ask whether to apply it"),
            _ALLOW_COMMANDS,
            _ALLOW_EXECUTABLES,
        ),
        instead_of_json={"patch": "-p"},
        notes=(
            """\
The reply may hold SEARCH/REPLACE and NEW_FILE blocks, apply_patch envelopes and unified diffs, with
text between them. Blocks are numbered in order, their hunks as 3.1, 3.2; --dry-run lists them.""",
            """\
exit codes: 0 all applied, 1 some failed or refused, 2 nothing to apply or wrong usage,
  130 interrupted""",
        ),
    ),
    "prompt": Command(
        options=(
            _choice(
                "--format",
                ("blocks", "v4a", "unified"),
                "SEARCH/REPLACE blocks, an apply_patch envelope, or a unified diff (default: blocks)",
                default="blocks",
            ),
        ),
        json="print format and prompt as JSON",
    ),
    "log": Command(module="history", tool="history", words=("path",)),
    "show": Command(
        module="history",
        tool="show",
        words=("change_id",),
        special={"change_id": {"nargs": "?", "help": "the change, or the beginning of its id (default: the newest)"}},
    ),
    "undo": Command(module="history", tool="undo", words=("change_id",)),
    "redo": Command(module="history", tool="redo", words=("change_id",)),
    "snapshot": Command(
        module="history",
        options=(
            _value("name", "NAME", "a name for this point; without it, list them", nargs="?"),
            _value("paths", "PATH", "files to keep besides those that suture ever changed here", nargs="*"),
        ),
        has_settings=True,
    ),
    "restore": Command(module="history", tool="restore", words=("paths",)),
    "recover": Command(module="commands", has_settings=True),
    "mcp": Command(
        options=(
            _value("--http", "HOST:PORT", "serve over HTTP instead of stdin and stdout; port 0: any free one"),
            _flag("--allow-remote", help="with --http: let other machines connect"),
            _value(
                "--allow-host",
                "NAME",
                "with --http: another name that it is asked by, such as a proxy's",
                type=host_name,
                action="append",
            ),
            _TOOLS_OR_PROFILE,
            _value("--extra-root", "DIR", "another folder that the tools may read and edit", action="append"),
            _value(
                "--allow-protected",
                "PATTERN",
                "a protected path that the tools may use anyway, such as '.devcontainer/**'",
                action="append",
            ),
            _choice(
                "--durability",
                ("full", "fast"),
                "full (default): a change is on the disk before it is answered; fast: a killed process leaves all "
                "or nothing; after a power cut each file changed in the last seconds may be old, new or incomplete",
            ),
            _value(
                "--max-result-bytes",
                "N",
                "size of an answer in bytes (default: 10000000); beyond it, the answer is refused or cut",
                type=byte_limit,
                default=10_000_000,
            ),
            _value(
                "--call-ms",
                "N",
                f"milliseconds that a call may take before it begins to write (default: {Settings.call_ms})",
                type=positive,
            ),
            _value(
                "--max-memory-bytes",
                "N",
                "memory of the server, and of each program it starts; 0: no limit "
                f"(default: {Settings.max_memory_bytes})",
                type=number,
            ),
            _flag(
                "--structured-text",
                help="repeat texts in the structured content, for clients that show models nothing else; Codex and "
                "Claude Code get it unasked",
            ),
            _ALLOW_COMMANDS,
            _ALLOW_EXECUTABLES,
        ),
        has_settings=True,
        json="with --http: print url and token as JSON",
    ),
    "init": Command(
        options=(
            _value(
                "client",
                "CLIENT",
                "claude-desktop, claude-code, cursor, vscode, codex, gemini or zed; without it, list them and "
                "their files",
                nargs="?",
            ),
            _flag("--write", help="put it into the client's file, with a copy beside it"),
            _flag("--force", help="with --write: replace an entry that says something else"),
            (
                _flag("--user", help="your own settings, for all projects"),
                _flag("--project", help="the settings of the project at --root"),
            ),
            _TOOLS_OR_PROFILE,
            _value("--name", "NAME", "what the client calls it (default: suture)", default="suture"),
        ),
        json="print path, entry, snippet and what was done as JSON",
    ),
    "tools": Command(
        module="commands",
        options=(
            _choice(
                "--format",
                ("anthropic", "openai", "openai-responses", "gemini", "mcp"),
                "print the value of the field `tools` of a request to this API",
            ),
            _TOOLS_OR_PROFILE,
        ),
        json="print the definitions, schemas and examples as JSON",
        instead_of_json={"format": "--format"},
    ),
    "call": Command(
        module="commands",
        options=(
            _value("name", "NAME", "the tool; see `suture tools`"),
            _value("arguments", "JSON|-", "its arguments as a JSON object, or - for stdin"),
        ),
        has_settings=True,
        json="changes nothing: the result is JSON anyway",
    ),
    "check": Command(
        module="commands",
        tool="check",
        words=("paths",),
        options=(
            _value("--max-files", "N", f"check at most N files (default: {Settings.check_max_files})", type=positive),
            _value("--max-issues", "N", f"list at most N issues (default: {Settings.check_max_issues})", type=positive),
            _value(
                "--max-time",
                "SECONDS",
                f"stop after this time (default: {Settings.check_call_ms // 1000})",
                type=seconds,
            ),
            _ALLOW_COMMANDS,
        ),
        json="print files, errors, warnings, issues, not_run as JSON",
        notes=(
            """\
exit codes: 0 no errors, 1 errors or a required check that could not be run,
  2 nothing checked, refused or wrong usage, 130 interrupted""",
        ),
    ),
    "doctor": Command(
        json="print checks, each with name, state, found and advice, as JSON",
        notes=("exit codes: 0 all is well, 1 something does not work, 2 wrong usage, 130 interrupted",),
    ),
    "completion": Command(
        options=(
            _value("shell", "SHELL", "bash, zsh or fish", choices=("bash", "zsh", "fish")),
            _value("--line", "LINE", argparse.SUPPRESS),  # for the scripts, while somebody types
        ),
        json="print shell and script as JSON",
        notes=(
            """\
bash: in ~/.bashrc                 eval "$(suture completion bash)"
zsh:  in ~/.zshrc, below compinit  eval "$(suture completion zsh)"
      or once                      suture completion zsh > "${fpath[1]}/_suture"
fish: once                         suture completion fish > ~/.config/fish/completions/suture.fish""",
            _EXITS,
        ),
    ),
}
_SETTING = _value(
    "--set",
    "NAME=VALUE",
    "a setting, such as call_ms=120000 (repeatable); the page Settings of the documentation lists them",
    type=setting,
    action="append",
)

_HELP_COLUMNS = 100  # longer lines are hard to read, also on a wide terminal
_LIKE = 0.75  # how much of an option's name must be right for it to be what was meant


def build_parser(words: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """The command line. Given the words to parse, only the commands among them get their options: it is faster."""
    parser = _Parser(prog="suture", description=DESCRIPTION, formatter_class=_Formatter)
    parser.add_argument("--version", action="version", version=f"suture {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, dest="command")
    for name, (about, example) in COMMANDS.items():
        command = commands.add_parser(name, help=about, formatter_class=_Formatter)
        if words is None or name in words:
            command.description = about[0].upper() + about[1:] + "."
            command.epilog = "\n\n".join([f"example:\n  {example}", *_COMMANDS[name].notes])
            _fill(command, name, _COMMANDS[name])
    return parser


def _fill(parser: argparse.ArgumentParser, name: str, command: Command) -> None:
    if command.tool:
        schema = _schema(command.tool)
        left_out = (*_NEVER_TYPED, *command.left_out)
        offered = {name: about for name, about in schema["properties"].items() if name not in left_out}
        for argument in dict.fromkeys((*command.words, *offered)):
            about, special = offered[argument], dict(command.special.get(argument, {}))
            is_word = argument in command.words
            if is_word and argument not in schema["required"] and about.get("type") != "array":
                special.setdefault("nargs", "?")
            _add(parser, _argument(argument, about, is_word=is_word, **special))
        parser.set_defaults(fields={argument: _RENAMED.get(argument, argument) for argument in offered})
    for option in command.options() if callable(command.options) else command.options:
        if isinstance(option, Option):
            _add(parser, option)
        else:
            group = parser.add_mutually_exclusive_group()
            for choice in option:
                _add(group, choice)
    if command.tool or command.has_settings:
        _add(parser, _SETTING)
        parser.set_defaults(settings=None)
    add_common(parser, command.json)
    parser.set_defaults(run=_lazily(name, command))


def _add(container: argparse._ActionsContainer, option: Option) -> None:
    container.add_argument(*option.names, **option.keywords)


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


def _lazily(name: str, command: Command) -> Callable[[argparse.Namespace], int]:
    """A command's function, whose module is imported when it runs."""

    def run(options: argparse.Namespace) -> int:
        from importlib import import_module  # --help needs none of it

        for attribute, option in command.instead_of_json.items():
            if options.json and getattr(options, attribute):
                return report_misuse(name, f"--json and {option} do not go together")
        function: Callable[[argparse.Namespace], int]
        function = getattr(import_module(f"suture.cli.{command.module or name}"), name)
        return function(options)

    return run
