"""Arguments and options that several commands have: each is added in the same words everywhere."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

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
