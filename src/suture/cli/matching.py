"""What the commands for regular expressions have in common: their flags, their calls, and how they fail."""

from __future__ import annotations

from suture.cli.commands import attempt
from suture.cli.output import complain, print_json
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

_USAGE = 2


def ask(options: argparse.Namespace, name: str, **arguments: Any) -> ToolResult | int:
    """Make a call, showing its progress; the exit code if all is said, as it is of a refusal and with --json."""
    try:
        given = {**arguments, "pattern": options.pattern, "flags": _flags(options)}
    except ValueError as error:
        complain(f"suture: {error}")
        return _USAGE
    with Progress() as progress:

        def call(workspace: Workspace) -> ToolResult:
            workspace.watch(progress)
            return workspace.command(name, given) if name in COMMANDS else workspace.call(name, given)

        result = attempt(options, call, _settings(options.timeout))
    if options.json:
        print_json(result.to_dict())
        return int(result.is_error or not result.rows)
    if result.is_error:
        told = result.metadata["error"]
        hint = "" if told["hint"] in result.text else f"\n{told['hint']}"
        more = "\nOr give it more time: --timeout 10" if told["code"] == "REGEX_TIMEOUT" else ""
        complain(result.text + hint + more)
        return 1
    if "recovered" in result.metadata:
        complain("note: an interrupted transaction was cleared up first; see --json")
    return result


def count(number: int, noun: str) -> str:
    """A number of things, in words."""
    ending = "es" if noun.endswith("h") else "s"
    return f"{number:,} {noun}{ending * (number != 1)}"


def _settings(seconds: int | None) -> Settings | None:
    """Who sits at the command line is the operator, and may let a search take longer."""
    if seconds is None:
        return None
    return Settings(regex_file_ms=seconds * 1_000, regex_call_ms=max(seconds * 1_000, Settings.regex_call_ms))


def _flags(options: argparse.Namespace) -> str:
    """The flags that the options stand for, and g; ValueError if the pattern has some of its own besides."""
    named = {"i": options.ignore_case, "m": options.multiline, "s": options.dot_all}
    chosen = "".join(letter for letter, given in named.items() if given) + (options.flags or "")
    try:
        own = "".join(sorted(parse(options.pattern).flags))
    except SutureError:
        own = ""  # the tool says what is wrong with it
    if own and chosen:
        message = f"the pattern has flags of its own, {own}: add {chosen} there"
        raise ValueError(message)
    return "".join(dict.fromkeys(f"g{chosen}"))
