"""What the commands for regular expressions have in common: their flags, their calls, and how they fail."""

from __future__ import annotations

from suture.cli.amounts import several
from suture.cli.commands import attempt, refused
from suture.cli.notes import on_pattern, recovered, skipped
from suture.cli.output import USAGE, misused, note, print_json
from suture.cli.progress import Progress
from suture.errors import SutureError
from suture.patterns.dialect import parse
from suture.settings import Settings
from suture.tools import COMMANDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from suture.tools.spec import ToolResult
    from suture.workspace import Workspace


def ask(options: argparse.Namespace, name: str, **arguments: Any) -> ToolResult | int:
    """Make a call, showing its progress; the exit code if all is said, as it is of a refusal and with --json."""
    try:
        given = {**arguments, "pattern": options.pattern, "flags": _flags(options)}
    except ValueError as error:
        return misused(options.command, error)
    with Progress(quiet=options.quiet) as progress:

        def call(workspace: Workspace) -> ToolResult:
            workspace.watch(progress)
            return workspace.command(name, given) if name in COMMANDS else workspace.call(name, given)

        result = attempt(options, call, _settings(options.timeout))
    _tell(options, result)
    if result.is_error:
        return USAGE
    return int(not result.rows) if options.json else result


def _tell(options: argparse.Namespace, result: ToolResult) -> None:
    """Print a refusal, or the result as JSON; and what is to be noted of any."""
    if options.json:
        print_json(result.to_dict() if result.is_error else _listed(result))
    elif result.is_error:
        _refuse(options, result)
    else:
        for line in recovered(result.metadata):
            note(line)
    for line in (*skipped(result.metadata.get("binary", ())), *on_pattern(options.pattern)):
        note(line)


def _refuse(options: argparse.Namespace, result: ToolResult) -> None:
    """Tell an error in the words of the command line: a line, and what can be done about it."""
    text, told = result.text, result.metadata["error"]
    hint = "" if told["hint"] in text else f"\n{told['hint']}"
    more = "\nOr give it more time: --timeout 10" if told["code"] == "REGEX_TIMEOUT" else ""
    refused(options, result, text + hint + more)


def _listed(result: ToolResult) -> dict[str, Any]:
    """A result for scripts: its rows as they are, where the protocols have them as a text."""
    return {"isError": False, "data": result.rows, "metadata": result.metadata}


def note_cut(number: int, noun: str, option: str, most: int | None) -> None:
    """Say that there may be more than is shown."""
    if number and number == most:
        note(f"note: cut after {several(number, noun)} ({option})")


def _settings(seconds: int | None) -> Settings | None:
    """Who sits at the command line is the operator, and may let a search take longer."""
    if seconds is None:
        return None
    asked = seconds * 1_000
    return Settings(
        regex_file_ms=asked,
        regex_call_ms=max(asked, Settings.regex_call_ms),
        call_ms=asked + Settings.call_ms,
    )


def _flags(options: argparse.Namespace) -> str:
    """The flags that the options stand for, and g and m; ValueError if the pattern has some of its own besides."""
    named = {"i": options.ignore_case, "s": options.dot_all}
    chosen = "".join(letter for letter, given in named.items() if given) + (options.flags or "")
    try:
        own = "".join(sorted(parse(options.pattern).flags))
    except SutureError:
        own = ""  # the tool says what is wrong with it
    if own and chosen:
        message = f"the pattern has flags of its own, {own}: add {chosen} there"
        raise ValueError(message)
    text_ends = getattr(options, "text_ends", True)  # `lines` looks at each line by itself
    if text_ends and "m" in own and hasattr(options, "text_ends"):
        message = f"the pattern has flags of its own, {own}: leave out m there"
        raise ValueError(message)
    return "".join(dict.fromkeys(("g" if text_ends else "gm") + chosen))
