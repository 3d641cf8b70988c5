"""The parser of the command line: options, values, help."""

from __future__ import annotations

import argparse
import os
import sys

from suture import __version__
from suture.cli import COMMANDS, DESCRIPTION
from suture.cli.output import USAGE, print_always, report_misuse
from suture.records import Record, field_docstrings
from suture.settings import CHOICES, MAY_BE_ZERO, Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, NoReturn


_MAX_SECONDS = 3_600  # more is probably a typing error
_ROOT_HELP = (
    "the workspace (default: the nearest folder from the current one upwards with .git, .jj or a history); outside "
    "of DIR, paths are relative to it"
)


def block_ids(value: str) -> list[str]:
    """Block ids, separated by commas or spaces."""
    return _split_names(value, "block ids such as 1,3.2")


def tool_names(value: str) -> list[str]:
    """Tool names, separated by commas or spaces."""
    return _split_names(value, "tool names such as file_read,patch")


def host_name(value: str) -> str:
    """A host name without a port."""
    name = value[1:-1].replace(":", "") if value.startswith("[") and value.endswith("]") else value
    if not name or not all(char.isascii() and (char.isalnum() or char in "-._") for char in name):
        raise _unexpected(value, "a name such as suture.example.com, without a port")
    return value


def number(value: str) -> int:
    """An integer of at least 0."""
    return _integer(value, "a whole number of at least 0")


def positive(value: str) -> int:
    """An integer of at least 1."""
    return _integer(value, "a whole number of at least 1", least=1)


def seconds(value: str) -> int:
    """A time limit in seconds, as milliseconds."""
    if not 1 <= number(value) <= _MAX_SECONDS:
        raise argparse.ArgumentTypeError(f"expected 1 to {_MAX_SECONDS} seconds, got {value}")
    return int(value) * 1_000


def session_name(value: str) -> str:
    """The name of a session."""
    from suture.engine import check_session_name

    try:
        check_session_name(value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return value


def setting(value: str) -> tuple[str, object]:
    """The name and the value of a setting."""
    from suture.cli.settings import parse_setting

    try:
        return parse_setting(value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _split_names(value: str, expected: str) -> list[str]:
    names = value.replace(",", " ").split()
    if not names:
        raise _unexpected(value, expected)
    return names


def _integer(value: str, expected: str, *, least: int = 0) -> int:
    if not value.isdecimal() or int(value) < least:
        raise _unexpected(value, expected)
    return int(value)


def _unexpected(value: str, expected: str) -> argparse.ArgumentTypeError:
    return argparse.ArgumentTypeError(f"expected {expected}, got {value!r}")


class Option(Record):
    """An option or a positional argument, as `add_argument` takes it."""

    names: tuple[str, ...]
    keywords: dict[str, Any]
    setting: str = ""
    """The setting that it sets, whose docstring is its help."""

    @property
    def dest(self) -> str:
        """The attribute that argparse gives its value."""
        return self.names[-1].lstrip("-").replace("-", "_")


class Command(Record):
    """The arguments of a command, and its help beyond `suture.cli.COMMANDS`.

    A command that calls a tool takes the tool's arguments, as their schema describes them.
    """

    module: str = ""
    """The module of its function; empty: the module that has the command's name."""
    tool: str = ""
    positional: tuple[str, ...] = ()
    """Arguments of the tool that are positional, in this order."""
    omitted: tuple[str, ...] = ()
    """Arguments of the tool that have no option: the command fills them in."""
    overrides: dict[str, dict[str, Any]] = {}  # noqa: RUF012  a record is never changed
    """Keywords of `add_argument` that replace those made from the schema, and `names`: all names of an option."""
    options: Sequence[Option | Sequence[Option]] | Callable[[], Iterable[Option | Sequence[Option]]] = ()
    """Options that are not arguments of the tool; those in an inner sequence exclude each other. A function if they
    are made from schemas or lists that most commands need not load."""
    has_settings: bool = False
    """Whether it takes --set without calling a tool."""
    json: str = "print the whole result as JSON"
    not_with_json: dict[str, str] = {}  # noqa: RUF012  as above
    """Options that cannot be used with --json, and their names in the error."""
    notes: tuple[str, ...] = ("exit codes: 0 success, 1 refused or failed, 2 usage error, 130 interrupted",)
    """Paragraphs below the example."""


def _flag(*names: str, help: str) -> Option:  # noqa: A002  as argparse calls it
    return Option(names, {"action": "store_true", "help": help})


def _value(name: str, metavar: str, help: str, **more: Any) -> Option:  # noqa: A002  as above
    return Option((name,), {"metavar": metavar, "help": help, **more})


def _sets(name: str, setting: str, metavar: str = "N") -> Option:
    """An option for a setting, which has the type, the choices and the default."""
    default = getattr(Settings, setting)
    keywords: dict[str, Any]
    if isinstance(default, bool):
        keywords = {"action": "store_true"}
    elif isinstance(default, tuple):
        keywords = {"metavar": metavar, "action": "append"}
    elif setting in CHOICES:
        keywords = {"choices": CHOICES[setting]}
    else:
        least = number if setting in MAY_BE_ZERO else positive
        keywords = {"metavar": metavar, "type": seconds if metavar == "SECONDS" else least}
    return Option((name,), keywords, setting)


def _setting_help(option: Option, meaning: str) -> str:
    """The help of an option for a setting: the setting's meaning and its default."""
    default, more = getattr(Settings, option.setting), ""
    if option.keywords.get("action") == "append":
        more = " (repeatable)"
    elif isinstance(default, str):
        more = f" (default: {default})"
    elif default is not False:
        more = f" (default: {default // 1_000 if option.keywords.get('type') is seconds else default:,})"
    return (meaning[:1].lower() + meaning[1:].removesuffix(".") + more).replace("%", "%%")


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
    "name": "NAME",
    "names": "NAME",
    "only": "IDS",
    "path": "PATH",
    "patches": "FILE|JSON|-",
    "paths": "PATH",
    "pattern": "PATTERN",
    "replacement": "REPLACEMENT",
    "reply": "FILE|-",
    "targets": "PATH|ID",
    "to": "ID|NAME",
}
"""The placeholder for the value of an argument in the help; for any other, N or TEXT."""
_RENAMED = {"file_path": "path"}
"""Arguments with a different name on the command line."""
_FROM_ROOT = ", absolute or relative to the workspace root"
"""What the help leaves out of a description: paths that are typed are relative to the current folder."""
_NEVER_TYPED = ("binary_check_buffer_size", "view")
"""Arguments for callers of an older tool, and arguments that the commands set."""


def _argument(name: str, about: Mapping[str, Any], *, positional: bool = False, **overrides: Any) -> Option:
    """An argument of a tool as an option or a positional argument; `about` is its schema.

    An argument that is omitted stays None, so that the tool's own default applies.
    """
    dest, kind = _RENAMED.get(name, name), about.get("type", "string")
    names = overrides.pop("names", (dest,) if positional else (f"--{dest.replace('_', '-')}",))
    keywords: dict[str, Any] = {"help": _help_text(about)}
    if kind == "boolean":
        keywords["action"] = "store_true"
    elif "enum" in about:
        keywords["choices"] = about["enum"]
    else:
        keywords["metavar"] = _PLACEHOLDERS.get(name, "N" if kind == "integer" else "TEXT")
    if kind == "integer":
        keywords["type"] = _number_of(about)
    if kind == "array" and about["items"]["type"] == "string":  # a list of objects is given as one JSON document
        repeatable = {"action": "append", "help": f"{keywords['help']} (repeatable)"}
        keywords |= {"nargs": "*", "default": []} if positional else repeatable
    return Option(names, {**keywords, **overrides})


def _number_of(about: Mapping[str, Any]) -> Callable[[str], int]:
    """The type of an option for a number; the tool checks its bounds."""
    from suture.tools.spec import whole_number  # commands without a tool need none of it

    return lambda value: _integer(value, whole_number(about))


def _help_text(about: Mapping[str, Any]) -> str:
    """The help of an argument: its description and default."""
    text: str = about["description"].removesuffix(_FROM_ROOT)
    default = about.get("default")
    shown = "" if default in (None, False, 0, ()) else f" (default: {default})"
    return (text[0].lower() + text[1:] + shown).replace("%", "%%")


def _schema(tool: str) -> dict[str, Any]:
    from suture.tools import command  # commands without a tool need none of it

    return command(tool).request.schema()


def _dry_run() -> Option:
    from suture.tools.spec import DRY_RUN  # commands that write nothing do not need it

    return _argument("dry_run", DRY_RUN.schema())


_ALLOW_COMMANDS = _sets("--allow-commands", "project_commands")
_ALLOW_EXECUTABLES = _sets("--allow-executables", "allow_executables")
_IGNORE_CASE = _flag("-i", "--ignore-case", help="ignore case")
_DOT_ALL = _flag("-s", "--dot-all", help=". also matches line endings")
_TEXT_ENDS = _flag("--text-ends", help="^ and $ match only at the start and end of the file")
_TIMEOUT = _sets("--timeout", "regex_file_ms", "SECONDS")
_PATTERN_OPTIONS = (_IGNORE_CASE, _DOT_ALL, _TEXT_ENDS, _TIMEOUT)


def _tools_or_profile() -> Sequence[Option]:
    from suture.tools import PROFILES  # most commands do not need them

    return (
        _value("--tools", "NAMES", "only these tools, for example read,edit", type=tool_names),
        _value("--profile", "NAME", f"a set of tools: {', '.join(PROFILES)} (default: agent)"),
    )


def _init_options() -> Iterator[Option | Sequence[Option]]:
    from suture.cli.init import CLIENTS  # only `suture init` needs them

    clients = f"{', '.join(CLIENTS)}; without it, list the agents and their settings files"
    yield _value("client", "AGENT", clients, nargs="?")
    yield _flag("--write", help="add the entry to the agent's settings file, and keep a backup")
    yield _flag("--force", help="with --write: replace a different existing entry")
    yield _flag("--hooks", help="instead of the server: hooks that record what the agent's shell commands change")
    scopes = "local: your own settings for this project; user: yours for all projects; project: a shared file in it"
    yield (
        _choice(
            "--scope", ("local", "user", "project"), f"{scopes} (default: local if the agent has it, otherwise user)"
        ),
        _flag("--user", help="the same as --scope user"),
        _flag("--project", help="the same as --scope project"),
    )
    yield _tools_or_profile()
    yield _value("--name", "NAME", "name of the server in the agent's settings (default: suture)", default="suture")


def _tools_options() -> Iterator[Option | Sequence[Option]]:
    from suture.apis import FORMATS  # only `suture tools` needs them

    yield _choice("--format", FORMATS, "print the `tools` field of a request to this API")
    yield _tools_or_profile()


def _edit_options() -> Iterator[Option]:
    from suture.tools.spec import EXPECTED_TEXT, MODE  # arguments of safe_edit, for --lines

    edit = _schema("file_edit")["properties"]["edits"]["items"]["properties"]
    old = f"{_help_text(edit['old_text'])} (--old=TEXT if it begins with -)"
    yield _argument("old_text", edit["old_text"], names=("--old-text", "--old"), help=old)
    new = "replacement text; '' deletes the old text"
    yield _argument("new_text", edit["new_text"], names=("--new-text", "--new"), help=new)
    yield _value("--old-file", "FILE|-", "the text to replace, from a file or stdin")
    yield _value("--new-file", "FILE|-", "the replacement text, from a file or stdin")
    yield _argument("occurrences", edit["occurrences"])
    lines = "replace these lines, such as 10-20 or 12, if the result passes the checks"
    yield _value("--lines", "A-B", lines, action="append")
    for name, field, names in (
        ("mode", MODE, ("--mode",)),
        ("expected_text", EXPECTED_TEXT, ("--expected-text", "--expect")),
    ):
        about = field.schema()
        yield _argument(name, about, names=names, help=f"with --lines: {_help_text(about)}")
    yield _flag("--delete", help="with --lines: delete the lines")
    yield _ALLOW_COMMANDS


def _write_options() -> Iterator[Option]:
    yield _dry_run()
    yield _flag("--no-diff", help="do not print the diff")
    yield _flag("--allow-empty", help="write an empty file if stdin is empty")
    yield _ALLOW_COMMANDS


def _replace_options() -> Iterator[Option | Sequence[Option]]:
    yield _flag("--write", help="make the change (default: only show it)"), _dry_run()
    yield from _PATTERN_OPTIONS
    yield _ALLOW_COMMANDS


_EXITS = Command.notes[0]
_PATTERN_COMMAND = Command(
    module="search",
    positional=("pattern", "file_path"),
    overrides={"flags": {"help": "flag letters, for example 'is'; g and m are always set"}},
    options=_PATTERN_OPTIONS,
    json="print isError, data (a list with one object per result) and metadata as JSON",
    notes=(
        """\
PATTERN is a JavaScript regular expression, plain or as /pattern/flags. A plain one has the flags
g and m: all matches count, and ^ and $ match at the start and end of each line. /pattern/flags has
only the flags it names; without g, only the first match on each line counts. Write -- before a
pattern that begins with a dash.""",
        "exit codes: 0 found, 1 nothing found, 2 refused or usage error, 130 interrupted",
    ),
)

_COMMANDS = {
    "read": Command(
        module="commands",
        tool="file_read",
        positional=("path",),
        notes=("At most 20,000 lines or 5 MB are printed; longer output is truncated, with a note.", _EXITS),
    ),
    "search": _PATTERN_COMMAND.evolve(
        tool="search",
        positional=("pattern", "paths"),
        overrides={
            **_PATTERN_COMMAND.overrides,
            "context_before": {"names": ("-B", "--context-before", "--before-context")},
            "context_after": {"names": ("-A", "--context-after", "--after-context")},
        },
        options=(
            Option(
                ("-C", "--context"),
                {"type": number, "metavar": "N", "help": "lines to show before and after each match"},
            ),
            (
                _flag("-l", "--names", help="print only the names of files with matches"),
                _flag("--count", help="print the number of matches in each file, and the total"),
            ),
            *_PATTERN_OPTIONS,
        ),
        not_with_json={"names": "--names", "count": "--count"},
    ),
    "extract": _PATTERN_COMMAND.evolve(tool="regex_extract"),
    "lines": _PATTERN_COMMAND.evolve(
        tool="regex_match_lines",
        omitted=("format",),
        overrides={**_PATTERN_COMMAND.overrides, "invert": {"names": ("-v", "--invert")}},
        options=(_flag("-n", "--line-number", help="print the number of each line"), _IGNORE_CASE, _DOT_ALL, _TIMEOUT),
    ),
    "split": _PATTERN_COMMAND.evolve(
        tool="regex_split",
        options=(_flag("-0", "--null", help="end each segment with a NUL byte, without headings"), *_PATTERN_OPTIONS),
    ),
    "edit": Command(
        tool="file_edit",
        positional=("path", "edits"),
        overrides={
            "edits": {"nargs": "?", "help": "an edit or a list of edits: a JSON file, JSON text, or - for stdin"}
        },
        options=_edit_options,
    ),
    "patch": Command(
        module="edit",
        tool="patch",
        positional=("path", "patches"),
        overrides={"patches": {"help": "a patch or a list of patches: a JSON file, JSON text, or - for stdin"}},
        options=(_ALLOW_COMMANDS,),
    ),
    "write": Command(
        module="edit",
        tool="safe_edit",
        positional=("path",),
        omitted=("show_diff", "content", "line_edits", "search_replace"),
        options=_write_options,
        notes=(
            """\
exit codes: 0 written, unchanged or verified, 1 rejected, failed or errors found,
  2 usage error, 130 interrupted""",
        ),
    ),
    "replace": _PATTERN_COMMAND.evolve(
        tool="replace",
        positional=("pattern", "replacement", "paths"),
        omitted=("dry_run",),
        options=_replace_options,
    ),
    "apply": Command(
        module="edit",
        tool="apply_reply",
        positional=("reply",),
        overrides={
            "reply": {"nargs": "?", "default": "-", "help": "the reply: a file, or - for stdin (default: stdin)"},
            "only": {"type": block_ids, "action": "extend"},
            "expect_hash": {"help": 'hash the file must have; for several files, {"PATH": "HASH", …}'},
        },
        options=(
            _flag("-p", "--patch", help="show each block and ask whether to apply it"),
            _ALLOW_COMMANDS,
            _ALLOW_EXECUTABLES,
        ),
        not_with_json={"patch": "-p"},
        notes=(
            """\
The reply may contain SEARCH/REPLACE and NEW_FILE blocks, apply_patch envelopes and unified diffs,
with text between them. Blocks are numbered in order, their hunks as 3.1, 3.2; --dry-run lists them.""",
            """\
exit codes: 0 all applied, 1 some failed or refused, 2 nothing to apply or usage error,
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
    "log": Command(
        module="history",
        tool="history",
        positional=("path",),
        overrides={"session": {"metavar": "SESSION"}},
    ),
    "show": Command(
        module="history",
        tool="show",
        positional=("change_id",),
        overrides={
            "change_id": {"nargs": "?", "help": "the change, or the beginning of its id (default: the newest change)"}
        },
    ),
    "undo": Command(
        module="history",
        tool="undo",
        positional=("change_id",),
        omitted=("list",),
        overrides={"change_id": {"help": "the change, or the beginning of its id (default: the newest change)"}},
        options=(
            _value("--session", "SESSION", "undo all changes of this session that are in effect: its id or name"),
            _flag("--partly", help="with --session: leave out the changes that conflict"),
        ),
    ),
    "redo": Command(module="history", tool="redo", positional=("change_id",)),
    "checkpoint": Command(
        module="history",
        tool="checkpoint",
        positional=("name",),
        overrides={"name": {"nargs": "?", "help": "name of the new checkpoint; without it, list checkpoints"}},
        options=(
            Option(
                ("--hook",),
                {
                    "nargs": "?",
                    "const": "",
                    "metavar": "AGENT",
                    "help": "for an agent's hooks: read the event from stdin; the exit code is always 0",
                },
            ),
        ),
    ),
    "run": Command(
        options=(
            Option(
                ("words",),
                {"nargs": argparse.REMAINDER, "metavar": "COMMAND", "help": "the command and its arguments, after --"},
            ),
        ),
        has_settings=True,
        json="print exit_code, change_id, files and withheld as JSON when the command ends",
        notes=(
            """\
The exit code is that of the command: 128 + N if signal N ended it, 127 if it does not exist, 126 if
it cannot be started, 125 if it was not started because no checkpoint could be taken.""",
            "exit codes: 0 success, 1 the command failed, 2 usage error, 130 interrupted",
        ),
    ),
    "restore": Command(
        module="history",
        tool="restore",
        positional=("paths",),
        omitted=("deletions",),
        overrides={"yes": {"help": "do not ask"}},
    ),
    "clipboards": Command(
        module="history",
        tool="clear_clipboards",
        positional=("names",),
        overrides={
            "names": {"help": "with --clear: the clipboards to remove (default: all)"},
            "session": {
                "metavar": "SESSION",
                "help": "only those of this session: its id or name (default: the variable SUTURE_SESSION, or all)",
            },
        },
        options=(_flag("--clear", help="remove them"),),
    ),
    "forget": Command(
        module="history",
        tool="forget",
        positional=("targets",),
        options=(_flag("--yes", help="do not ask"),),
        notes=(
            """\
With a path, every version of the file is removed, also under its other names; with the id of a
change, only its own versions. The summaries of the changes are cleared. Without --yes, the command
shows what it would remove and asks.""",
            _EXITS,
        ),
    ),
    "recover": Command(module="commands", has_settings=True),
    "mcp": Command(
        options=lambda: (
            _value("--http", "HOST:PORT", "serve over HTTP instead of stdin and stdout; port 0: any free port"),
            _flag("--allow-remote", help="with --http: accept connections from other machines"),
            _value(
                "--allow-host",
                "NAME",
                "with --http: an additional accepted Host name, for example a proxy's",
                type=host_name,
                action="append",
            ),
            _value(
                "--allow-root",
                "DIR",
                "without --root: the client may choose a folder in DIR as the workspace (repeatable)",
                action="append",
            ),
            _value(
                "--session",
                "NAME",
                "name of the session that makes the changes; over HTTP, of each client's (default: SUTURE_SESSION)",
                type=session_name,
            ),
            _tools_or_profile(),
            _sets("--extra-root", "extra_roots", "DIR"),
            _sets("--allow-protected", "allow_protected", "PATTERN"),
            _sets("--durability", "durability"),
            _sets("--max-answer", "max_answer_chars"),
            _sets("--call-ms", "call_ms"),
            _sets("--max-memory-bytes", "max_memory_bytes"),
            _ALLOW_COMMANDS,
            _ALLOW_EXECUTABLES,
        ),
        has_settings=True,
        json="with --http: print url and token as JSON",
    ),
    "init": Command(
        options=_init_options,
        json="print path, entry, snippet and status as JSON",
    ),
    "tools": Command(
        module="commands",
        options=_tools_options,
        json="print the definitions, schemas and examples as JSON",
        not_with_json={"format": "--format"},
    ),
    "call": Command(
        module="commands",
        options=(
            _value("name", "NAME", "the tool; see `suture tools`"),
            _value("arguments", "JSON|-", "its arguments as a JSON object, or - for stdin"),
        ),
        has_settings=True,
        json="no effect: the result is always JSON",
        notes=("Paths in the arguments are relative to the workspace's root, wherever you are.", _EXITS),
    ),
    "check": Command(
        module="commands",
        tool="check",
        positional=("paths",),
        options=(
            _sets("--max-files", "check_max_files"),
            _sets("--max-issues", "check_max_issues"),
            _sets("--max-time", "check_call_ms", "SECONDS"),
            _ALLOW_COMMANDS,
        ),
        json="print files, errors, warnings, issues, not_run as JSON",
        notes=(
            """\
exit codes: 0 no errors, 1 errors, or a required check that could not run,
  2 nothing checked, refused or usage error, 130 interrupted""",
        ),
    ),
    "doctor": Command(
        json="print checks, each with name, state, found and advice, as JSON",
        notes=("exit codes: 0 no problems, 1 problems found, 2 usage error, 130 interrupted",),
    ),
    "completion": Command(
        options=(
            _value("shell", "SHELL", "bash, zsh or fish", choices=("bash", "zsh", "fish")),
            _value("--line", "LINE", argparse.SUPPRESS),  # for the completion scripts
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
    "change a setting, such as call_ms=120000 (repeatable); the settings reference lists all",
    type=setting,
    action="append",
)

_SESSION = _value(
    "--session",
    "NAME",
    "name of the session that makes the change (default: the variable SUTURE_SESSION)",
    type=session_name,
)
_MAKING_CHANGES = ("edit", "patch", "write", "replace", "apply", "redo", "checkpoint", "restore", "run", "call")

_HELP_COLUMNS = 100  # longer lines are hard to read, also on a wide terminal
_SIMILARITY = 0.75  # an option is suggested if at least this much of its name is right


def build_parser(words: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """The parser. If the words to parse are given, only the commands among them get their options, which is faster."""
    parser = _Parser(prog="suture", description=DESCRIPTION, formatter_class=_Formatter)
    parser.add_argument("--version", action="version", version=f"suture {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, dest="command")
    for name, (about, example) in COMMANDS.items():
        command = commands.add_parser(name, help=about, formatter_class=_Formatter)
        if words is None or name in words:
            command.description = about[0].upper() + about[1:] + "."
            command.epilog = "\n\n".join([f"example:\n  {example}", *_COMMANDS[name].notes])
            _fill(command, name, _COMMANDS[name], with_help=words is None or not {"-h", "--help"}.isdisjoint(words))
    return parser


def _fill(parser: argparse.ArgumentParser, name: str, command: Command, *, with_help: bool) -> None:
    if command.tool:
        schema = _schema(command.tool)
        omitted = (*_NEVER_TYPED, *command.omitted)
        offered = {name: about for name, about in schema["properties"].items() if name not in omitted}
        for argument in dict.fromkeys((*command.positional, *offered)):
            about, overrides = offered[argument], dict(command.overrides.get(argument, {}))
            positional = argument in command.positional
            if positional and argument not in schema["required"] and about.get("type") != "array":
                overrides.setdefault("nargs", "?")
            _add(parser, _argument(argument, about, positional=positional, **overrides))
        parser.set_defaults(fields={argument: _RENAMED.get(argument, argument) for argument in offered})
    by_option: dict[str, str] = {}
    meanings = field_docstrings(Settings) if with_help else {}
    for option in command.options() if callable(command.options) else command.options:
        if isinstance(option, Option) and option.setting:
            by_option[option.dest] = option.setting
            about = _setting_help(option, meanings.get(option.setting, ""))
            _add(parser, option.evolve(keywords={**option.keywords, "help": about}))
        elif isinstance(option, Option):
            _add(parser, option)
        else:
            group = parser.add_mutually_exclusive_group()
            for choice in option:
                _add(group, choice)
    if name in _MAKING_CHANGES:
        _add(parser, _SESSION)
    if command.tool or command.has_settings:
        _add(parser, _SETTING)
        parser.set_defaults(settings=None, caller=None, by_option=by_option)
    add_common(parser, command.json)
    parser.set_defaults(run=_lazily(name, command))


def _add(container: argparse._ActionsContainer, option: Option) -> None:
    container.add_argument(*option.names, **option.keywords)


def add_common(command: argparse.ArgumentParser, json: str) -> None:
    """Add the options that every command takes."""
    common = command.add_argument_group("common options")
    common.add_argument("--json", action="store_true", help=json)
    common.add_argument("--root", metavar="DIR", help=_ROOT_HELP)
    common.add_argument("--quiet", action="store_true", help="print only errors, and JSON if requested")
    common.add_argument("--verbose", action="store_true", help="write a log to stderr")


class _Parser(argparse.ArgumentParser):
    """A parser without abbreviations: they would change their meaning when an option is added."""

    def __init__(self, **options: object) -> None:
        self._given: list[str] = []
        super().__init__(**{**options, "allow_abbrev": False})  # type: ignore[arg-type]  # the parser checks its options

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """As argparse does, but words after an option still go to an argument that takes any number of them."""
        self._given = [*(args or ())]
        parsed, rest = super().parse_known_args(args, namespace)
        repeated = next((action.dest for action in self._actions if action.nargs == "*"), None)
        end = rest.index("--") if "--" in rest else len(rest)  # no word after it is an option
        if repeated is not None and rest and not any(word.startswith("-") for word in rest[:end]):
            setattr(parsed, repeated, [*getattr(parsed, repeated), *rest[:end], *rest[end + 1 :]])
            rest = []
        if rest and self._subparsers is None:  # a command's own parser reports it, with the command's name
            wrong = [word for word in rest[:end] if word.startswith("-")] or rest
            self.error(f"unrecognized arguments: {' '.join(wrong)}{self._suggestion(wrong)}")
        return parsed, rest

    def error(self, message: str) -> NoReturn:
        """Report an error, with a suggestion if a word was taken for an option, or its letters for several options."""
        unknown = [word for word in self._before_dashes() if self._is_unknown(word)]
        if "are required:" in message and unknown:
            message = f"unrecognized arguments: {' '.join(unknown)}{self._suggestion(unknown)}"
        elif "ignored explicit argument" in message:
            message += self._suggestion(unknown)
        report_misuse(self.prog.partition(" ")[2], message)
        sys.exit(USAGE)

    def _suggestion(self, words: list[str]) -> str:
        """What to write instead of words that look like options but are not; empty if unknown."""
        from difflib import get_close_matches  # only a typing error needs it

        options = [option for option in self._option_string_actions if option.startswith("--")]
        for word in words:
            name = word.partition("=")[0]
            begun = [option for option in options if option.startswith(name)]
            near = begun if len(begun) == 1 else get_close_matches(name, options, 1, _SIMILARITY)
            if name in options:
                return "; write options before --"
            if near and word.startswith("--"):
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
        """As argparse does, but a failure to write raises."""
        if message and file is sys.stdout:
            print_always(message)
        elif message and (file := file or sys.stderr) is not None:
            print(message, end="", file=file)


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """A formatter that does not import shutil for the terminal's width: that takes longer than printing the help."""

    def __init__(self, prog: str) -> None:
        try:
            width = int(os.environ.get("COLUMNS") or os.get_terminal_size().columns)
        except (ValueError, OSError):
            width = _HELP_COLUMNS
        super().__init__(prog, max_help_position=28, width=min(width, _HELP_COLUMNS))


def _lazily(name: str, command: Command) -> Callable[[argparse.Namespace], int]:
    """A command's function, which imports its module when it runs."""

    def run(options: argparse.Namespace) -> int:
        from importlib import import_module  # --help needs none of it

        for attribute, option in command.not_with_json.items():
            if options.json and getattr(options, attribute):
                return report_misuse(name, f"--json cannot be used with {option}")
        function: Callable[[argparse.Namespace], int]
        function = getattr(import_module(f"suture.cli.{command.module or name}"), name)
        return function(options)

    return run
