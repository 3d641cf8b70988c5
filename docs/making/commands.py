"""The page about the command line: its commands, options and exit codes."""

import argparse
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from docs.making.markdown import code_block, link, prose, table
from suture.cli import COMMANDS, EXIT_CODES, GROUPS
from suture.cli.arguments import build_parser

HELP_NOTE = "`suture help COMMAND`, or `suture COMMAND --help`, prints the same text."
FAILURE_NOTE = """\
Error messages go to stderr. They begin with the code of an [error](errors.md), and end with what to do. With `--json`,
a refusal is printed as JSON on stdout, like a result; usage errors (exit code 2) still go to stderr.
"""
PATHS_NOTE = """\
The workspace is the folder named by `--root`. Without it, it is the nearest folder, from the current one upwards, that
has `.git` (a folder or, in worktrees and submodules, a file), `.jj`, or a history of suture; if there is none, it is
the current folder. Your home folder, the folders above it and folders such as `/tmp` are the workspace only if you are
in them, or name them. The search also ends at the border of a file system and at `GIT_CEILING_DIRECTORIES`, as git's
does; a `.git` of another user is skipped; `GIT_DIR` is not used. `suture doctor` shows the workspace and why it
was chosen.

- **Paths and globs that you type are relative to the current folder**: in `src`, `suture edit app.py` edits
  `src/app.py`. `../README.md` works if it is in the workspace. A search without a path searches the current folder and
  everything below it.
- **Printed paths are relative to the current folder too**, except in diffs: as in git, these have paths from the root.
- **JSON has paths from the workspace's root**: results with `--json`, edits and patches given as JSON, and the
  arguments of `suture call`. So do the blocks of a reply for `suture apply`.
- **With `--root DIR` outside of DIR**, typed and printed paths are relative to DIR.
"""


def page() -> Iterator[str]:
    """The page about the command line."""
    parser = build_parser()
    (commands,) = [action.choices for action in _actions(parser) if isinstance(action.choices, dict)]
    common = [
        action
        for action in _actions(commands[next(iter(COMMANDS))])
        if all(_takes(command, action) for command in commands.values())
    ]
    yield from ("# Commands", "", f"{prose(parser.description)} {HELP_NOTE}", "")
    for title, names in GROUPS.items():
        yield from (f"**{prose(title)}:** " + ", ".join(link(name, f"suture {name}") for name in names), "")
    yield from ("## Exit codes", "")
    yield from table(("code", "meaning"), [[str(code), prose(meaning)] for code, meaning in EXIT_CODES.items()])
    yield from ("", FAILURE_NOTE, "## With every command", "")
    yield from table(("option", "meaning"), _options(common, parser))
    yield from ("", "`suture --version` prints the version.", "", "## The workspace and paths", "", PATHS_NOTE)
    for title, names in GROUPS.items():
        yield from (f"## {prose(title)}", "")
        for name in names:
            yield from _command(name, commands[name], [(action.dest, action.help) for action in common])


def _actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [action for action in parser._actions if action.help != argparse.SUPPRESS]  # noqa: SLF001  argparse has no public list


def _takes(parser: argparse.ArgumentParser, option: argparse.Action) -> bool:
    return bool(option.option_strings) and option.option_strings in [
        action.option_strings for action in _actions(parser)
    ]


def _command(name: str, parser: argparse.ArgumentParser, common: Sequence[tuple[str, str | None]]) -> Iterator[str]:
    actions = [action for action in _actions(parser) if (action.dest, action.help) not in common]
    places = [action for action in actions if not action.option_strings]
    options = [action for action in actions if action.option_strings]
    yield from (f"### `suture {name}`", "", prose(parser.description), "")
    words = [f"suture {name}", *(_place(action) for action in places), "[OPTION ...]"]
    if places and places[-1].nargs == argparse.REMAINDER:
        words = [f"suture {name}", "[OPTION ...]", f"-- {_place(places[-1])}"]
    yield from (*code_block("text", " ".join(words)), "")
    if places:
        rows = [[f"`{_display_name(action)}`", _help(action, parser)] for action in places]
        yield from (*table(("argument", "meaning"), rows), "")
    if options:
        yield from (*table(("option", "meaning"), _options(options, parser)), "")
    for paragraph in (parser.epilog or "").split("\n\n"):
        title, _, body = paragraph.partition(":\n")
        if title == "example":
            yield from ("Example:", "", *code_block("text", textwrap.dedent(body)), "")
        elif "   " in paragraph:  # columns are not prose
            yield from (*code_block("text", paragraph), "")
        elif paragraph:
            text = prose(" ".join(paragraph.split()))
            yield from (f"{text[0].upper()}{text[1:]}" + ("" if text.endswith(".") else "."), "")


def _display_name(action: argparse.Action) -> str:
    return str(action.metavar or "|".join(action.choices or ()) or action.dest)


def _place(action: argparse.Action) -> str:
    shapes = {"?": "[{}]", "*": "[{} ...]"}
    return shapes.get(str(action.nargs), "{}").format(_display_name(action))


def _options(options: Iterable[argparse.Action], parser: argparse.ArgumentParser) -> Iterator[list[str]]:
    for action in options:
        value = "" if action.nargs == 0 else f" {_display_name(action)}"
        yield [", ".join(f"`{name}{value}`" for name in action.option_strings), _help(action, parser)]


def _help(action: argparse.Action, parser: argparse.ArgumentParser) -> str:
    text = prose((action.help or "") % {**vars(action), "prog": parser.prog})
    for group in parser._mutually_exclusive_groups:  # noqa: SLF001  argparse has no public list
        if action in group._group_actions:  # noqa: SLF001  as above
            other_names = [f"`{other.option_strings[-1]}`" for other in group._group_actions if other is not action]  # noqa: SLF001  as above
            text += f" (not with {' or '.join(other_names)})"
    return text
