"""The options of the commands for regular expressions."""

from __future__ import annotations

from suture.cli.shared_options import add_dry_run, add_encoding, add_paths, add_validate
from suture.cli.values import number, seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

PATTERN_NOTES = (
    """\
PATTERN is a JavaScript regular expression, plain or as /pattern/flags. All matches count, and ^ and
$ are the ends of lines, as with the flags g and m; /pattern/flags names all its flags itself, and
without g the first match of each line counts. Write -- before a pattern that begins with a dash.""",
    "exit codes: 0 found, 1 nothing found, 2 refused or wrong usage, 130 interrupted",
)


def _fill_search(command: argparse.ArgumentParser) -> None:
    command.add_argument("pattern", metavar="PATTERN", help="the regular expression")
    _add_files(command)
    _add_flags(command)
    _add_text_ends(command)
    command.add_argument(
        "-A", "--context-after", "--after-context", type=number, metavar="N", help="lines to show after each match"
    )
    command.add_argument(
        "-B", "--context-before", "--before-context", type=number, metavar="N", help="lines to show before each match"
    )
    command.add_argument("-C", "--context", type=number, metavar="N", help="lines to show before and after")
    command.add_argument("--max-matches", type=number, metavar="N", help="no more than so many, in all files together")
    ways = command.add_mutually_exclusive_group()
    ways.add_argument("-l", "--names", action="store_true", help="print the names of the files only")
    ways.add_argument("--count", action="store_true", help="print the number of matches of each file, and of all")


def _fill_replace(command: argparse.ArgumentParser) -> None:
    command.add_argument("pattern", metavar="PATTERN", help="the regular expression")
    command.add_argument(
        "replacement",
        metavar="REPLACEMENT",
        help="what each match becomes; $1 and ${name} stand for groups, $& for the match, $$ for a dollar sign; a line "
        "end is one that the shell makes: $'one\\ntwo'",
    )
    _add_files(command)
    _add_flags(command)
    _add_text_ends(command)
    whether = command.add_mutually_exclusive_group()
    whether.add_argument("--write", action="store_true", help="make the change; without it, it is only shown")
    add_dry_run(whether)
    command.add_argument("--max-replacements", type=number, metavar="N", help="refuse if there would be more")
    command.add_argument(
        "--allow-over-match", action="store_true", help="replace a long match that holds another match, too"
    )
    add_validate(command)


def _fill_extract(command: argparse.ArgumentParser) -> None:
    _add_file(command)
    _add_text_ends(command)
    command.add_argument("--max-matches", type=number, metavar="N", help="no more than so many")


def _fill_lines(command: argparse.ArgumentParser) -> None:
    _add_file(command)
    command.add_argument("-v", "--invert", action="store_true", help="print the lines that do not match")
    command.add_argument("-n", "--line-number", action="store_true", help="print the number of each line")
    command.add_argument("--max-lines", type=number, metavar="N", help="no more than so many")


def _fill_split(command: argparse.ArgumentParser) -> None:
    _add_file(command)
    _add_text_ends(command)
    command.add_argument("-0", "--null", action="store_true", help="end each segment with a NUL, and print no headings")
    command.add_argument("--max-splits", type=number, metavar="N", help="leave what follows so many in one segment")


PATTERN_FILLS: dict[str, Callable[[argparse.ArgumentParser], None]] = {
    "search": _fill_search,
    "replace": _fill_replace,
    "extract": _fill_extract,
    "lines": _fill_lines,
    "split": _fill_split,
}


def _add_files(command: argparse.ArgumentParser) -> None:
    add_paths(command)
    command.add_argument(
        "--encoding", metavar="NAME", help="encoding of files that are named outright, not by a folder or a glob"
    )


def _add_file(command: argparse.ArgumentParser) -> None:
    command.add_argument("pattern", metavar="PATTERN", help="the regular expression")
    command.add_argument("path", metavar="PATH", help="the file")
    _add_flags(command)
    add_encoding(command)


def _add_flags(command: argparse.ArgumentParser) -> None:
    command.add_argument("-i", "--ignore-case", action="store_true", help="ignore case")
    command.add_argument("-s", "--dot-all", action="store_true", help=". matches line ends, too")
    command.add_argument("--flags", metavar="gims", help="the same in letters; g and m hold anyway")
    command.add_argument(
        "--timeout", type=seconds, metavar="SECONDS", help="how long one file may be searched (default: 1)"
    )


def _add_text_ends(command: argparse.ArgumentParser) -> None:
    command.add_argument("--text-ends", action="store_true", help="^ and $ are the ends of the file only")
