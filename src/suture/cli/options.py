"""The arguments and options of each command."""

from __future__ import annotations

from suture.cli.pattern_options import PATTERN_FILLS
from suture.cli.shared_options import (
    add_allow_commands,
    add_allow_executables,
    add_dry_run,
    add_encoding,
    add_literal,
    add_paths,
    add_validate,
)
from suture.cli.values import block_ids, byte_limit, host_name, number, positive, seconds, tool_names
from suture.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

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

    from suture.cli.completion.completable import LISTS

    command.add_argument("shell", metavar="SHELL", choices=("bash", "zsh", "fish"), help="bash, zsh or fish")
    command.add_argument("--values", choices=LISTS, help=SUPPRESS)  # for the scripts, while somebody types


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
