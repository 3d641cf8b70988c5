"""What can stand on the command line, for shells: read off the parser, so that nothing can be forgotten.

What a value can be is a kind: the words themselves, or one of `files` (here), `paths` (in the workspace), `folders`,
`nothing` that could be known, or what suture is asked for while somebody types (`LISTS`).
"""

from __future__ import annotations

import argparse

from suture.records import Record

LISTS = ("changes", "landed", "undone", "points")
"""All changes, those in force, those taken back, and all changes and snapshots."""
_BY_METAVAR = {
    "DIR": "folders",
    "FILE|-": "files",
    "FILE|JSON|-": "files",
    "GLOB": "paths",
    "ID": "changes",
    "ID|NAME": "points",
    "PATH": "paths",
}
_BY_COMMAND = {("undo", "change_id"): "landed", ("redo", "change_id"): "undone"}


class Value(Record):
    """What can stand in a place."""

    kind: str
    words: tuple[str, ...] = ()
    """If the kind is `words`, or `list`: several of them, with commas between."""


class Option(Record):
    """An option, by all its names."""

    names: tuple[str, ...]
    about: str
    value: Value | None
    """None: it takes none."""
    metavar: str = ""


class Argument(Record):
    """An argument; one that is `many` takes all that follow."""

    name: str
    about: str
    value: Value
    many: bool = False


class Command(Record):
    """A command."""

    name: str
    about: str
    options: tuple[Option, ...]
    arguments: tuple[Argument, ...]


def commands() -> list[Command]:
    """All commands in the order of the help page, `help`, and first, without a name, what stands before a command."""
    from suture.cli.menu import COMMANDS
    from suture.cli.parser import build_parser

    parser = build_parser()
    group = next(each for each in _actions(parser) if isinstance(each, argparse._SubParsersAction))  # noqa: SLF001  argparse has no other name for it
    found = [_command(name, about, group.choices[name]) for name, (about, _) in COMMANDS.items()]
    shared = set.intersection(*({option.names for option in each.options} for each in found))
    common = [option for option in found[0].options if option.names in shared]
    own = [option for option in _command("", "", parser).options if option.names not in shared]
    which = Argument("COMMAND", "the command", Value("words", tuple(COMMANDS)))
    helping = Command("help", "print a command's options and an example", (), (which,))
    before = Argument("COMMAND", "the command", Value("words", (*COMMANDS, "help")))
    return [Command("", "", (*common, *own), (before,)), *found, helping]


def _command(name: str, about: str, parser: argparse.ArgumentParser) -> Command:
    shown = [each for each in _actions(parser) if each.help != argparse.SUPPRESS]
    options = [
        Option(
            tuple(each.option_strings),
            each.help or "",
            None if each.nargs == 0 else _value(name, each),
            str(each.metavar or each.dest).upper(),
        )
        for each in shown
        if each.option_strings
    ]
    arguments = [
        Argument(str(each.metavar), each.help or "", _value(name, each), many=each.nargs == "*")
        for each in shown
        if not each.option_strings and not isinstance(each, argparse._SubParsersAction)  # noqa: SLF001  as above
    ]
    return Command(name, about, tuple(options), tuple(arguments))


def _actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return parser._actions  # noqa: SLF001  argparse tells them nowhere else


def _value(command: str, action: argparse.Action) -> Value:
    """What can stand there: what the parser says, or what the names of options and arguments tell."""
    from suture.cli.clients import CLIENTS
    from suture.tools import DIALECTS, TOOLS
    from suture.tools.profiles import PROFILES

    if action.choices is not None:
        return Value("words", tuple(map(str, action.choices)))
    match (command, action.dest):
        case ("call", "name"):
            return Value("words", (*TOOLS, *DIALECTS))
        case ("init", "client"):
            return Value("words", tuple(CLIENTS))
        case (_, "profile"):
            return Value("words", tuple(PROFILES))
        case (_, "tools"):
            return Value("list", tuple(TOOLS))
    return Value(_BY_COMMAND.get((command, action.dest)) or _BY_METAVAR.get(str(action.metavar), "nothing"))
