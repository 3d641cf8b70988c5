"""Times of whole searches: from the call, or the start of the process, to the list of matches."""

from __future__ import annotations

import compileall
import json
import shutil
import statistics
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import suture
from bench.search import queries
from bench.search.compare import FIELDS, differences, require_equal
from bench.search.peers import (
    AROUND,
    by_lines,
    by_loop,
    by_ripgrep,
    from_grep,
    grep_command,
    output,
    ripgrep_command,
)
from bench.search.trees import DJANGO, HOMEASSISTANT, TRANSFORMERS, create_tree
from bench.startup import our_command
from bench.table import Table, measure_rounds
from suture import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bench.search.peers import Match
    from bench.search.queries import Query
    from bench.search.trees import Tree
    from bench.table import Cell, Samples
    from suture import ToolResult

OURS, DECODED, FRESH = "suture", "suture, list decoded", "suture, fresh process"
RIPGREP, UNPARSED, GREP, LOOP, LINES = "ripgrep", "ripgrep, unparsed", "grep", "loop", "loop by lines"
EXTRA = {queries.RARE, queries.COMMON}
HEAD = (
    "",
    "matches",
    "best ms",
    "median ms",
    "rg best ms",
    "rg median ms",
    "x rg",
    "goal",
    "rg unparsed",
    "grep",
    "loop",
    "x ours",
    "by lines",
    "x ours",
    "goal",
)


def tables(folder: Path) -> Iterator[Table]:
    """One table for each tree, one row for each query."""
    compileall.compile_dir(Path(suture.__file__).parent, quiet=2)
    yield _table(create_tree(HOMEASSISTANT, folder), queries.LARGE, rounds=7)
    yield _table(create_tree(TRANSFORMERS, folder), queries.SMALL, rounds=14)
    yield _table(create_tree(DJANGO, folder), queries.FOLDERS, rounds=14)  # as many folders as files


def _table(tree: Tree, row_queries: Sequence[Query], rounds: int) -> Table:
    workspace = Workspace(tree.root)
    rows: list[list[Cell]] = []
    for query in row_queries:
        number = count_matches(workspace, tree, query)
        rows += _rows(query, number, _measure(workspace, tree, query, rounds))
    title = (
        f"Search of {tree.files:,} files, {tree.size / 1e6:.0f} MB, context {AROUND}: {tree.title} ({rounds} rounds)"
    )
    notes = [
        f"all matches compared one by one before: with ripgrep's, the loops'{', and the lines of grep' * _has_grep()}",
        f"left out by everyone: {', '.join(tree.excluded)} (with a NUL: {tree.left_out}), ignored and hidden files",
        "suture: in a running process, until the result's text; list decoded: and read into objects",
        "rg: its process, and what it prints (--json) read as it comes into the same list, without groups",
        "rg unparsed: until its last byte only",
        "grep: its process until its last byte, lines only; its rounds and those of the loops are fewer",
        "loop: os.walk, open, re over each file's text; by lines: over each line of it",
        "look-behind: rg by its second engine (-P)",
    ]
    return Table(title, HEAD, rows, notes)


def _rows(query: Query, number: int, samples: Samples) -> Iterator[list[Cell]]:
    best = {name: min(times) for name, times in samples.items()}
    for name in (OURS, DECODED, FRESH):
        if name not in samples:
            continue
        first, variant = name == OURS, name.partition(", ")[2]
        yield [
            query.name if first else f"  {variant}",
            f"{number:,}" if first else "",
            best[name] * 1000,
            statistics.median(samples[name]) * 1000,
            *([best[RIPGREP] * 1000, statistics.median(samples[RIPGREP]) * 1000] if first else ["", ""]),
            best[name] / best[RIPGREP],
            "<= 1.3" if first else "",
            best[UNPARSED] * 1000 if first else "",
            best[GREP] * 1000 if first and GREP in best else "",
            best[LOOP] * 1000 if first else "",
            best[LOOP] / best[name],
            best[LINES] * 1000 if first else "",
            best[LINES] / best[name],
            ">= 10" if first else "",
        ]


def _measure(workspace: Workspace, tree: Tree, query: Query, rounds: int) -> Samples:
    arguments = _arguments(tree, query)
    contestants: dict[str, Callable[[], object]] = {
        OURS: lambda: _search(workspace, arguments).text,
        RIPGREP: lambda: by_ripgrep(tree, query),
        UNPARSED: lambda: output(ripgrep_command(tree, query), tree.root),
    }
    if query.name in EXTRA:
        process = [*our_command(), "call", "regex_search_multi", json.dumps(arguments), "--root", str(tree.root)]
        contestants[DECODED] = lambda: _search(workspace, arguments).data
        contestants[FRESH] = lambda: subprocess.run(process, stdout=subprocess.PIPE, check=True)
    slow: dict[str, Callable[[], object]] = {
        LOOP: lambda: by_loop(tree, query),
        LINES: lambda: by_lines(tree, query),
    }
    if _has_grep():
        slow[GREP] = lambda: output(grep_command(tree, query), tree.root)
    return measure_rounds(contestants, rounds) | measure_rounds(slow, rounds // 7)


def count_matches(workspace: Workspace, tree: Tree, query: Query) -> int:
    """The number of matches, if all contestants agree; otherwise the benchmark ends here."""
    ours: list[Match] = _search(workspace, _arguments(tree, query)).data
    what = f"{tree.title}, {query.name}"
    require_equal(f"{what}, ripgrep", differences(ours, by_ripgrep(tree, query)))
    for name, loop in ((LOOP, by_loop), (LINES, by_lines)):
        require_equal(f"{what}, {name}", differences(ours, loop(tree, query), [*FIELDS, "groups"]))
    if _has_grep():
        lines = {(match["file"], match["line"]) for match in ours}
        differing = lines ^ from_grep(output(grep_command(tree, query), tree.root))
        require_equal(f"{what}, grep", (f"{name}:{line} only one of both" for name, line in sorted(differing)))
    return len(ours)


def _arguments(tree: Tree, query: Query) -> dict[str, Any]:
    return {
        "path_pattern": "**/*",
        "pattern": query.pattern,
        "flags": query.flags,
        "context_before": AROUND,
        "context_after": AROUND,
        "exclude": tree.excluded,
    }


def _search(workspace: Workspace, arguments: dict[str, Any]) -> ToolResult:
    result = workspace.call("regex_search_multi", arguments)
    if result.is_error:
        raise SystemExit(f"regex_search_multi failed: {result.text}")
    return result


def _has_grep() -> bool:
    """Whether there is a grep that supports `-P`."""
    if shutil.which("grep") is None:
        return False
    process = subprocess.run(["grep", "-P", "x"], input=b"x", capture_output=True, check=False)
    return process.returncode == 0
