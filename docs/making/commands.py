"""The page about the command line: its commands, options and exit codes."""

import argparse
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from docs.making.markdown import fenced, link, prose, table
from suture.cli import COMMANDS, EXIT_CODES, GROUPS
from suture.cli.arguments import build_parser

HELP_NOTE = "`suture help COMMAND`, or `suture COMMAND --help`, prints the same text."
FAILURE_NOTE = """\
Error messages go to stderr. They begin with the code of an [error](errors.md), and end with what to do. With `--json`,
a refusal is printed as JSON on stdout, like a result; usage errors (exit code 2) still go to stderr.
"""


def page() -> Iterator[str]:
    """The page about the command line."""
    parser = build_parser()
    (known,) = [each.choices for each in _actions(parser) if isinstance(each.choices, dict)]
    common = [
        each for each in _actions(known[next(iter(COMMANDS))]) if all(_takes(one, each) for one in known.values())
    ]
    yield from ("# Commands", "", f"{prose(parser.description)} {HELP_NOTE}", "")
    for title, names in GROUPS.items():
        yield from (f"**{prose(title)}:** " + ", ".join(link(name, f"suture {name}") for name in names), "")
    yield from ("## Exit codes", "")
    yield from table(("code", "meaning"), [[str(code), prose(meaning)] for code, meaning in EXIT_CODES.items()])
    yield from ("", FAILURE_NOTE, "## With every command", "")
    yield from table(("option", "meaning"), _options(common, parser))
    yield from ("", "`suture --version` prints the version.", "")
    for title, names in GROUPS.items():
        yield from (f"## {prose(title)}", "")
        for name in names:
            yield from _command(name, known[name], [(each.dest, each.help) for each in common])


def _actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [each for each in parser._actions if each.help != argparse.SUPPRESS]  # noqa: SLF001  argparse has no public list


def _takes(parser: argparse.ArgumentParser, option: argparse.Action) -> bool:
    return bool(option.option_strings) and option.option_strings in [each.option_strings for each in _actions(parser)]


def _command(name: str, parser: argparse.ArgumentParser, common: Sequence[tuple[str, str | None]]) -> Iterator[str]:
    own = [each for each in _actions(parser) if (each.dest, each.help) not in common]
    places = [each for each in own if not each.option_strings]
    options = [each for each in own if each.option_strings]
    yield from (f"### `suture {name}`", "", prose(parser.description), "")
    words = [f"suture {name}", *(_place(each) for each in places), "[OPTION ...]"]
    yield from (*fenced("text", " ".join(words)), "")
    if places:
        rows = [[f"`{_named(each)}`", _help(each, parser)] for each in places]
        yield from (*table(("argument", "meaning"), rows), "")
    if options:
        yield from (*table(("option", "meaning"), _options(options, parser)), "")
    for paragraph in (parser.epilog or "").split("\n\n"):
        title, _, rest = paragraph.partition(":\n")
        if title == "example":
            yield from ("Example:", "", *fenced("text", textwrap.dedent(rest)), "")
        elif "   " in paragraph:  # columns are not prose
            yield from (*fenced("text", paragraph), "")
        elif paragraph:
            said = prose(" ".join(paragraph.split()))
            yield from (f"{said[0].upper()}{said[1:]}" + ("" if said.endswith(".") else "."), "")


def _named(action: argparse.Action) -> str:
    return str(action.metavar or "|".join(action.choices or ()) or action.dest)


def _place(action: argparse.Action) -> str:
    shapes = {"?": "[{}]", "*": "[{} ...]"}
    return shapes.get(str(action.nargs), "{}").format(_named(action))


def _options(options: Iterable[argparse.Action], parser: argparse.ArgumentParser) -> Iterator[list[str]]:
    for each in options:
        value = "" if each.nargs == 0 else f" {_named(each)}"
        yield [", ".join(f"`{name}{value}`" for name in each.option_strings), _help(each, parser)]


def _help(action: argparse.Action, parser: argparse.ArgumentParser) -> str:
    said = prose((action.help or "") % {**vars(action), "prog": parser.prog})
    for group in parser._mutually_exclusive_groups:  # noqa: SLF001  argparse has no public list
        if action in group._group_actions:  # noqa: SLF001  as above
            others = [f"`{each.option_strings[-1]}`" for each in group._group_actions if each is not action]  # noqa: SLF001  as above
            said += f" (not with {' or '.join(others)})"
    return said
