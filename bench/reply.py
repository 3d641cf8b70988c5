"""`apply_reply`: parsing replies of every format, valid and invalid, at growing sizes; and applying them.

The parser is compared with the lazy pattern that such tools use, which knows one format, no names and no errors; the
rest with `git apply` and `patch`, whose times include starting a process. The texts are CPython's sources, and every
result is compared byte by byte with the expected one.
"""

from __future__ import annotations

import gc
import os
import re
import shutil
import subprocess
import time
from functools import partial
from itertools import cycle, islice
from typing import TYPE_CHECKING

from bench.diff import real_lines
from bench.table import Table, comparison, measure_rounds
from suture import Settings, Workspace, parse_reply, preview_reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from bench.table import Cell, Samples

    Change = tuple[list[str], list[str], list[str], list[str]]
    """Lines before, lines removed, lines inserted, lines after."""
    Contents = dict[str, str]
    Run = Callable[[], object]
    Contestant = Callable[[Path], Run]
    """Prepares a folder; only the function that it returns is timed."""

MB = 1_000_000
BLOCKS, PER_FILE = 2_000, 20
SIZES, BAD_SIZES = (0.25, 0.5, 1.0, 2.0, 4.0), (0.25, 0.5, 1.0)
LAZY = "lazy pattern"
PATTERN = re.compile(r"SEARCH\n(.*?)\n=======\n(.*?)\n>>>>>>> REPLACE", re.DOTALL)
GIT, PATCH = "git apply", "patch"
FILES, FILE_LINES, ROUNDS = 20, 400, 7
LONG, HUNKS = 20_000, 1_000
MOVED = (100, 200, 400)
AROUND = 3


def tables(folder: Path) -> Iterator[Table]:
    """Parsing first, then blocks in many files, then hunks in one."""
    yield _parsing_table()
    yield from _growth_tables()
    yield _hostile_table()
    yield _many_files_table(folder / "many")
    yield _one_file_table(folder / "one")
    yield _moved_table()


def _parsing_table() -> Table:
    replies = {name: _reply(name, 1.0) for name in FORMATS}
    search_replace = replies["SEARCH/REPLACE"]
    contestants: dict[str, Run] = {name: partial(parse_reply, reply) for name, reply in replies.items()}
    contestants[LAZY] = lambda: PATTERN.findall(search_replace)
    counts = [f"{name} {_hunks(reply):,} in {len(reply) / MB:.2f} MB" for name, reply in replies.items()]
    return comparison(
        f"Parsing a reply of 1 MB with {BLOCKS:,} blocks or hunks ({ROUNDS} rounds)",
        measure_rounds(contestants, ROUNDS),
        against=[LAZY],
        goals=dict.fromkeys(replies, "< 100 ms"),
        notes=[f"blocks found: {', '.join(counts)}, {LAZY} {len(PATTERN.findall(search_replace)):,}"],
    )


def _growth_tables() -> Iterator[Table]:
    good = {name: [_reply(name, size) for size in SIZES] for name in FORMATS}
    yield _rates("Parsing replies of growing size", SIZES, good, 3)
    bad = {name: [_repeat(text, int(size * MB)) for size in BAD_SIZES] for name, text in BAD.items()}
    yield _rates("Parsing bad replies of growing size", BAD_SIZES, bad, 1)


def _rates(title: str, sizes: Sequence[float], replies: dict[str, list[str]], rounds: int) -> Table:
    head = ["", *(f"ms/MB at {size:g} MB" for size in sizes), f"growth for {sizes[-1] / sizes[0]:g} x", "blocks/MB"]
    rows: list[list[Cell]] = []
    for name, texts in replies.items():
        best = [min(measure_rounds({"": partial(parse_reply, reply)}, rounds)[""]) for reply in texts]
        rates = [seconds * 1000 / len(reply) * MB for seconds, reply in zip(best, texts, strict=True)]
        rows.append([name, *rates, rates[-1] / rates[0], len(parse_reply(texts[0])) / len(texts[0]) * MB])
    return Table(title, head, rows, ["growth of ms/MB: 1 is linear"])


def _hostile_table() -> Table:
    """A beginning without an end, repeated."""
    sizes = (8_000, 16_000, 32_000, MB)
    rows: list[list[Cell]] = [["suture"], [LAZY]]
    for size in sizes:
        reply = _repeat(BAD["all beginnings"], size)
        rows[0].append(min(measure_rounds({"": partial(parse_reply, reply)}, 2)[""]) * 1000)
        rows[1].append("" if size == MB else min(measure_rounds({"": partial(PATTERN.findall, reply)}, 1)[""]) * 1000)
    head = ["", *(f"ms for {size // 1000:,} KB" for size in sizes)]
    return Table("Lines `<<<<<<< SEARCH` and nothing else", head, rows, [f"{LAZY}: quadratic, so not tried with 1 MB"])


def _many_files_table(folder: Path) -> Table:
    lines = [line for line in _lines() if line.strip()]
    before, after, changes = {}, {}, {}
    for number in range(FILES):
        name = f"src/file{number}.py"
        old = _number_lines(lines[number * FILE_LINES : (number + 1) * FILE_LINES])
        changes[name] = _spread_changes(old, 10)
        before[name], after[name] = "".join(old), "".join(_apply(old, changes[name]))
    search_replace = "".join(_search_replace(change, name) for name in changes for _, change in changes[name])
    diff = "".join(_file_diff(name, changes[name]) for name in changes)
    fast, unrecorded = Settings(durability="fast"), Settings(durability="fast", history=False)
    contestants = {
        "SEARCH/REPLACE, fast": _ours(fast, search_replace, after),
        "unified, fast": _ours(fast, diff, after),
        "SEARCH/REPLACE, fast, no history": _ours(unrecorded, search_replace, after),
        "unified, fast, no history": _ours(unrecorded, diff, after),
    }
    if shutil.which("git"):
        contestants[GIT] = _process(["git", "apply", "--whitespace=nowarn"], diff)
    return comparison(
        f"Applying {sum(map(len, changes.values()))} blocks to {FILES} files of {FILE_LINES} lines ({ROUNDS} rounds)",
        _measure(folder, contestants, before, after),
        against=[GIT],
        notes=["all results equal byte for byte; ours also lists a diff of each block"],
    )


def _one_file_table(folder: Path) -> Table:
    old = _number_lines(_lines()[:LONG])
    changes = _spread_changes(old, HUNKS)
    before, after = {"long.c": "".join(old)}, {"long.c": "".join(_apply(old, changes))}
    diff = _file_diff("long.c", changes)
    contestants: dict[str, Contestant] = {
        "preview_reply": lambda _: lambda: _preview(diff, before, after),
    }
    if shutil.which("git"):
        contestants[GIT] = _process(["git", "apply", "--whitespace=nowarn"], diff)
    if shutil.which("patch"):
        contestants[PATCH] = _process(["patch", "-p1", "--silent"], diff)
    return comparison(
        f"A diff with {HUNKS:,} hunks in a file of {LONG:,} lines ({ROUNDS} rounds)",
        _measure(folder, contestants, before, after),
        against=[GIT, PATCH],
        notes=["all results equal byte for byte"],
    )


def _moved_table() -> Table:
    """Diffs for a file that has grown at its beginning since."""
    lines = _lines()
    rows: list[list[Cell]] = []
    for hunks in MOVED:
        old = _number_lines(lines[: hunks * LONG // HUNKS])
        changes = _spread_changes(old, hunks)
        before, after = {"long.c": "".join(old)}, {"long.c": "".join(_apply(old, changes))}
        diffs = {"right": _file_diff("long.c", changes), "off by 7": _file_diff("long.c", changes, shift=7)}
        diffs["missing"] = re.sub(r"^@@ .*", "@@ @@", diffs["right"], flags=re.MULTILINE)
        runs: dict[str, Run] = {name: partial(_preview, diff, before, after) for name, diff in diffs.items()}
        samples = measure_rounds(runs, 2)
        rows.append([f"{hunks} in {len(old):,} lines", *(min(samples[name]) / hunks * 1000 for name in diffs)])
    head = ["hunks", *(f"ms/hunk, numbers {name}" for name in ("right", "off by 7", "missing"))]
    return Table(
        "Diffs whose numbers are wrong, at growing sizes", head, rows, ["linear: the same ms/hunk in all rows"]
    )


def _ours(settings: Settings, reply: str, after: Contents) -> Contestant:
    def prepare(folder: Path) -> Run:
        workspace = Workspace(folder, settings)
        (folder / "first.txt").write_text("one\n")
        workspace.call("file_edit", {"path": "first.txt", "edits": [{"old_text": "one", "new_text": "two"}]})

        def run() -> None:
            result = workspace.call("apply_reply", {"reply": reply})
            if result.is_error:
                raise SystemExit(f"apply_reply failed: {result.text}")

        return run

    if {block.path for block in parse_reply(reply)} != after.keys():
        raise SystemExit("the reply is not about the files")
    return prepare


def _preview(diff: str, before: Contents, after: Contents) -> None:
    if preview_reply(diff, before).files != after:
        raise SystemExit("preview_reply made something else of the files")


def _process(command: list[str], diff: str) -> Contestant:
    def prepare(folder: Path) -> Run:
        environment = {"PATH": os.environ["PATH"], "GIT_CEILING_DIRECTORIES": str(folder.parent)}
        return lambda: subprocess.run(command, input=diff.encode(), cwd=folder, env=environment, check=True)

    return prepare


def _measure(folder: Path, contestants: dict[str, Contestant], before: Contents, after: Contents) -> Samples:
    """Seconds per contestant and round, each on fresh files."""
    samples: Samples = {name: [] for name in contestants}
    for number in range(ROUNDS + 1):
        for at, (name, contestant) in enumerate(contestants.items()):
            place = folder / f"{number}-{at}"
            for path, content in before.items():
                (place / path).parent.mkdir(parents=True, exist_ok=True)
                (place / path).write_bytes(content.encode())
            run = contestant(place)
            os.sync()
            gc.collect()
            begin = time.perf_counter()
            run()
            samples[name].extend([time.perf_counter() - begin] * (number > 0))
            if name != "preview_reply":
                _require_equal(place, after)
    return samples


def _require_equal(folder: Path, expected: Contents) -> None:
    wrong = [name for name, content in expected.items() if (folder / name).read_bytes() != content.encode()]
    if wrong:
        raise SystemExit(f"{folder}: {len(wrong)} files are not as they should be, the first is {wrong[0]}")


def _hunks(reply: str) -> int:
    return sum(len(block.hunks) for block in parse_reply(reply) if not block.problem)


def _repeat(text: str, size: int) -> str:
    """A text, repeated as often as it fits."""
    return text * (size // len(text))


def _reply(name: str, megabytes: float) -> str:
    """A valid reply of the given size, with blocks of some 500 characters."""
    around, make = FORMATS[name]
    return make(list(islice(cycle(_changes(around)), int(BLOCKS * megabytes))))


def _lines() -> list[str]:
    """Lines of source files that no format reads as its own."""
    lines = (line.decode("utf-8", "replace") for line in real_lines(60_000))
    return [line for line in lines if not line.startswith(("<<<<<", "=====", ">>>>>", "***", "@@", "```", "~~~"))]


def _changes(around: int) -> Iterator[Change]:
    """Changes of two lines, with the given number of lines before and after them."""
    lines = [line for line in _lines() if 20 < len(line) < 60]
    size = 2 * around + 2
    for at in range(0, len(lines) - size, size):
        part = lines[at : at + size]
        old = part[around : around + 2]
        yield part[:around], old, [f"{line[:-1]} // changed\n" for line in old], part[around + 2 :]


def _number_lines(lines: Sequence[str]) -> list[str]:
    """Unique lines."""
    return [f"{line.rstrip()} // {number}\n" for number, line in enumerate(lines, 1)]


def _spread_changes(lines: Sequence[str], number: int) -> list[tuple[int, Change]]:
    """Changes throughout a text, each with its first line: in turn a line changed, inserted or removed."""
    apart = len(lines) // number
    changes: list[tuple[int, Change]] = []
    for turn, at in enumerate(range(apart // 2, len(lines) - AROUND - 1, apart)):
        old = [] if turn % 3 == 1 else [lines[at]]
        new = [] if turn % 3 == 2 else [f"{lines[at].rstrip()} changed\n"]
        end = at + len(old)
        changes.append((at - AROUND + 1, (list(lines[at - AROUND : at]), old, new, list(lines[end : end + AROUND]))))
    return changes


def _apply(lines: Sequence[str], changes: Sequence[tuple[int, Change]]) -> list[str]:
    result = list(lines)
    for line, (before, old, new, _) in reversed(changes):
        at = line - 1 + len(before)
        result[at : at + len(old)] = new
    return result


def _file_diff(name: str, changes: Sequence[tuple[int, Change]], shift: int = 0) -> str:
    parts = [f"diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n"]
    growth = 0
    for line, (before, old, new, behind) in changes:
        around = len(before) + len(behind)
        parts.append(f"@@ -{line + shift},{around + len(old)} +{line + shift + growth},{around + len(new)} @@\n")
        parts.append(_add_signs(before, old, new, behind))
        growth += len(new) - len(old)
    return "".join(parts)


def _add_signs(before: list[str], old: list[str], new: list[str], behind: list[str]) -> str:
    signed = ((" ", before), ("-", old), ("+", new), (" ", behind))
    return "".join([sign + line for sign, lines in signed for line in lines])


def _search_replace(change: Change, name: str) -> str:
    before, old, new, behind = change
    search, replacement = "".join([*before, *old, *behind]), "".join([*before, *new, *behind])
    return f"### File: {name}\n<<<<<<< SEARCH\n{search}=======\n{replacement}>>>>>>> REPLACE\n\n"


def _all_search_replace(changes: Sequence[Change]) -> str:
    return "".join([_search_replace(change, f"src/file{at // PER_FILE}.py") for at, change in enumerate(changes)])


def _v4a(changes: Sequence[Change]) -> str:
    parts = ["*** Begin Patch\n"]
    for at, change in enumerate(changes):
        parts += [f"*** Update File: src/file{at // PER_FILE}.py\n"] * (at % PER_FILE == 0)
        parts += ["@@\n", _add_signs(*change)]
    return "".join([*parts, "*** End Patch\n"])


def _unified(changes: Sequence[Change]) -> str:
    files = [changes[at : at + PER_FILE] for at in range(0, len(changes), PER_FILE)]
    return "".join(
        _file_diff(f"src/file{number}.py", [(at * 50 + 1, change) for at, change in enumerate(file)])
        for number, file in enumerate(files)
    )


FORMATS: dict[str, tuple[int, Callable[[Sequence[Change]], str]]] = {
    "SEARCH/REPLACE": (2, _all_search_replace),
    "V4A": (4, _v4a),
    "unified": (4, _unified),
}
"""Lines of context, chosen so that the replies have the same size; and what writes them."""
BAD = {
    "no marker at all": "Some prose that says what was done, and why: it has no block.\n",
    "every block cut": "a.py\n<<<<<<< SEARCH\nold line\n=======\nnew line\n",
    "all separators": "=======\n",
    "all beginnings": "<<<<<<< SEARCH\n",
    "all ends": ">>>>>>> REPLACE\n",
    "all fences": "```\n",
    "all fences with a language": "```python\n",
    "all headers of hunks": "@@ -1,3 +1,3 @@\n",
    "all headers of diffs": "--- a/x\n+++ b/x\n",
    "all headers of patches": "*** Begin Patch\n*** Update File: a.py\n",
    "prose with backticks": "The `name` in `src/a.py` and `b` of `c.d()` ``is`` `not` what `x` says.\n",
}
