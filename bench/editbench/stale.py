"""Edits of an earlier version of a file, while the file is at a later one.

The request is what a model sends after reading the earlier version: some of its lines around a place that has changed
since, and their replacement. If `git merge-file` merges (earlier with the edit, earlier, later) without a conflict, its
result is the only right one. Otherwise a refusal is right, and landing is wrong, unless only the lines of the edit are
changed, at their place: if the two changes are neighbors, git reports a conflict, and a person may not (`touching`).

How the earlier version is known:
    git        it is in the repository: the file's commit before the last, HEAD, or the index
    history    suture wrote it, and then suture or another program wrote the later one
    read       `file_read` of the same workspace object showed it, all of it or the part around the place
    unknown    not at all: landing right and refusing are both right

Left out: requests whose old text occurs more than once in the earlier version, or at all in the later one, exactly or
except for whitespace, case, look-alikes and backslashes; those that git refuses where the later version changes only
such things, quotes or a letter; changes that the later version has made itself; lines whose fate differs between git's
diff algorithms (myers, patience, histogram, ignoring whitespace), since then no merge can be trusted.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import tempfile
import time
from dataclasses import dataclass, replace
from difflib import SequenceMatcher, unified_diff
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from bench.editbench.changes import OPS
from bench.editbench.corpus import Source
from bench.editbench.rows import fold, has_words, is_typo
from bench.editbench.run import REFUSED, RIGHT, WRONG, Reply, Result
from bench.editbench.tasks import Task, group_by_language
from bench.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.table import Cell
    from suture import ToolResult, Workspace

    Change = tuple[int, int, list[str]]
    Placed = tuple[Path, "Stale"]

TRIES = 3_000
KNOWN = ("git", "history", "read", "unknown")
TOOLS = ("patch", "search_replace", "v4a")
KINDS = {f"{known}_{tool}": f"known by: {known}; sent as {tool}" for known in KNOWN for tool in TOOLS}
SIZES = range(3, 16)
LOST = (1, 2, 3, 5)
"""Minimum number of a request's lines that the later version must have changed; lines inserted between them count."""
CHANGES = ["rename", "value", "condition", "argument", "insert", "delete", "expand", "comment"]
COMPARED = ("--histogram", "--minimal", "--patience", "-w")
"""Options of `git diff` that must agree about the lines of a change. The last one also recognizes moved lines."""
TOUCHING = "touching"
NOTES = (
    "merges: git merges it without a conflict; right is git's result. conflicts: git doesn't; right is a refusal.",
    "touching: both changes are kept where they touch and don't overlap. ms: of calls that were rebased.",
)


@dataclass(frozen=True)
class Stale(Task):
    """A request made on `base`; the file is `body`."""

    base: bytes = b""
    among: tuple[int, int] = (0, 0)
    """The lines of the file around the place, whatever happened to its lines."""
    request: str = ""

    @property
    def known(self) -> str:
        """How the earlier version is known."""
        return self.kind.partition("_")[0]


@dataclass(frozen=True)
class Outcome(Result):
    """A result that also says whether the request was rebased."""

    rebased: bool = False

    @property
    def failed(self) -> bool:
        """Whether it was wrong, or refused although the version was known."""
        return self.verdict == WRONG or (self.verdict == REFUSED and self.task.kind.partition("_")[0] != "unknown")


def generate(sources: Sequence[Source], seed: int, number: int, kinds: Sequence[str] = ()) -> Iterator[Stale]:
    """About `number` tasks, the same number of each kind. All kinds have the same requests."""
    names = kinds or [*KINDS]
    for index in range(-(-number // len(names))):
        task = make_task(sources, seed, index)
        if task is not None:
            yield from (replace(task, kind=kind, request=_request(task, kind)) for kind in names)


def make_task(sources: Sequence[Source], seed: int, index: int) -> Stale | None:
    """A task without a kind yet, or None if the corpus has none."""
    rng = random.Random(f"stale:{seed}:{index}")
    groups = _source_groups(tuple(sources))
    for _ in range(TRIES if groups else 0):
        (group,) = rng.choices(groups, [len(group) ** 0.5 for group in groups])
        source = rng.choice(group)
        task = _task(rng, source if source.later else _invent_later_version(source))
        if task is not None:
            return replace(task, seed=seed, index=index)
    return None


@lru_cache(maxsize=4)
def _source_groups(sources: tuple[Source, ...]) -> list[list[Source]]:
    """The files with two versions, by language; all files if there are none."""
    return group_by_language(tuple(source for source in sources if source.later)) or group_by_language(sources)


@lru_cache(maxsize=1000)
def _invent_later_version(source: Source) -> Source:
    """The file with an invented later version: changes in some places."""
    rng = random.Random(source.name)
    lines = list(source.lines)
    for _ in range(len(lines) // 20):
        low = rng.randrange(len(lines) - 4)
        high = low + rng.randint(1, 3)
        core = OPS[rng.choice(CHANGES)](rng, lines[low:high], source)
        lines[low:high] = lines[low:high] if core is None else core
    return Source(source.name, source.text, _text(lines))


def _task(rng: random.Random, source: Source) -> Stale | None:
    lines, later = source.lines, source.later or ""
    hunk, size = _hunk(rng, source), rng.choice(SIZES)
    start = rng.randint(hunk[0] - size + 1, max(*hunk[:2]) - 1) if hunk else -1
    stop = start + size
    if hunk is None or start < 0 or stop > len(lines) or _count_lost_lines(source, start, stop) < rng.choice(LOST):
        return None
    first = rng.randrange(start, stop)
    last = min(first + rng.randint(1, 3), stop)
    op = rng.choice(CHANGES)
    core = OPS[op](rng, lines[first:last], source)
    if core is None or core == lines[first:last] or not any(map(has_words, lines[first:last])):
        return None
    old, new = lines[start:stop], [*lines[start:first], *core, *lines[last:stop]]
    texts = _text(old), _text(new)
    if not texts[1] or source.text.count(texts[0]) != 1 or fold(texts[0]) in fold(later):
        return None
    maps = [_map(source, option) for option in COMPARED]
    near = [*zip(*maps, strict=True)][max(0, first - 1) : last + 1]
    if any(len(set(numbers)) > 1 for *exactly, loosely in near for numbers in (exactly, {*exactly, loosely} - {None})):
        return None
    above = next((at + 1 for at in reversed(maps[0][:start]) if at is not None), 0)
    below = next((at for at in maps[0][stop:] if at is not None), later.count("\n"))
    merged = _merge(later, source.text, _text([*lines[:start], *new, *lines[stop:]]))
    base, body = source.text.encode(), later.encode()
    task = Stale("", 0, 0, source.name, op, body, *texts, (), base=base, among=(above, below))
    if merged is None:
        hunks = [change for change in _hunks(source) if change[0] < stop and start < change[1]]
        return None if any(_is_harmless(source, change) for change in hunks) else task
    task = replace(task, expected=(merged.encode(),))
    return task if merged != later and _match_changes(task, merged.encode()) is not None else None


def _hunk(rng: random.Random, source: Source) -> Change | None:
    """One of the changes between the versions; large ones as often as small ones."""
    hunks = _hunks(source)
    if not hunks:
        return None
    size = rng.choice([1, 2, 4, 8])
    return rng.choice([hunk for hunk in hunks if max(hunk[1] - hunk[0], len(hunk[2])) >= size] or hunks)


def _count_lost_lines(source: Source, start: int, stop: int) -> int:
    """How many of some lines differ in the later version, or have new lines before them."""
    inside = [
        (max(low, start), min(high, stop), new) for low, high, new in _hunks(source) if low < stop and start < high
    ]
    between = [new for low, high, new in _hunks(source) if low == high and start < low < stop]
    return sum(high - low for low, high, _ in inside) + sum(map(len, between))


@lru_cache(maxsize=1000)
def _hunks(source: Source, option: str = COMPARED[0]) -> list[Change]:
    """Which lines became which in the later version."""
    before, after = source.lines, _lines(source.later or "")
    with tempfile.TemporaryDirectory(prefix="editbench-") as folder:
        for name, text in (("before", source.text), ("after", source.later or "")):
            (Path(folder) / name).write_bytes(text.encode())
        command = ["git", "diff", "--no-index", "-U0", option, "before", "after"]
        output = subprocess.run(
            command, cwd=folder, env=_git_environment(), capture_output=True, check=False
        ).stdout.decode()
    changes = []
    for match in re.finditer(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", output, re.MULTILINE):
        low, lost, at, new = (1 if number is None else int(number) for number in match.groups())
        low, at = low - (lost > 0), at - (new > 0)
        changes.append((low, low + lost, after[at : at + new]))
    assert len(before) + sum(len(new) - high + low for low, high, new in changes) == len(after)  # noqa: S101  checks the benchmark itself
    return changes


@lru_cache(maxsize=1000)
def _map(source: Source, option: str) -> list[int | None]:
    """For each line of the earlier version, its number in the later one, from 0; None if it was deleted."""
    lines: list[int | None] = []
    added = 0
    for low, high, new in _hunks(source, option):
        lines += [*range(len(lines) + added, low + added), *[None] * (high - low)]
        added += len(new) - (high - low)
    return [*lines, *range(len(lines) + added, len(source.lines) + added)]


def _git_environment() -> dict[str, str]:
    """The environment for git, without this machine's configuration."""
    return {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def _is_harmless(source: Source, change: Change) -> bool:
    """Whether a line changed only in quotes, in one letter, or in two swapped letters."""
    low, high, new = change
    sides = [[fold(line).replace("'", '"') for line in lines] for lines in (source.lines[low:high], new)]
    return any(is_typo(*pair) for pair in zip(*sides, strict=False))


def _changes(before: list[str], after: list[str]) -> list[Change]:
    """Which lines became which, between the common first and last lines."""
    start, most = 0, min(len(before), len(after))
    while start < most and before[start] == after[start]:
        start += 1
    end = 0
    while end < most - start and before[-1 - end] == after[-1 - end]:
        end += 1
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(a + start, b + start, new[c:d]) for tag, a, b, c, d in blocks if tag != "equal"]


def _lines(text: str) -> list[str]:
    return text.split("\n")[:-1]


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _merge(ours: str, base: str, theirs: str) -> str | None:
    """The result of git's merge of both changes, if it has no conflict."""
    with tempfile.TemporaryDirectory(prefix="editbench-") as folder:
        names = ["ours", "base", "theirs"]
        for name, text in zip(names, (ours, base, theirs), strict=True):
            (Path(folder) / name).write_bytes(text.encode())
        process = subprocess.run(
            ["git", "merge-file", "-p", "-q", *names], cwd=folder, capture_output=True, check=False
        )
    if process.returncode > 127:
        raise RuntimeError(process.stderr.decode())
    return None if process.returncode else process.stdout.decode()


def _request(task: Task, kind: str) -> str:
    """A reply with `{path}` for the file's name, if the tool takes one."""
    old, new = task.old, task.new
    if kind.endswith("search_replace"):
        return f"{{path}}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"
    if not kind.endswith("v4a"):
        return ""
    before, after = _lines(old), _lines(new)
    hunk = "".join(f"{line}\n" for line in [*unified_diff(before, after, n=len(before), lineterm="")][3:])
    return f"*** Begin Patch\n*** Update File: {{path}}\n@@\n{hunk}*** End Patch\n"


def run(tasks: Sequence[Stale]) -> list[Outcome]:
    """All tasks, each with its own file, in one workspace per way in which the earlier version is known."""
    ways = {"git": _with_git, "history": _with_history, "read": _with_read, "unknown": _with_nothing}
    results: list[Outcome] = []
    before = os.environ.get("XDG_STATE_HOME")
    with tempfile.TemporaryDirectory(prefix="editbench-") as folder:
        os.environ["XDG_STATE_HOME"] = f"{folder}/state"
        try:
            for known, way in ways.items():
                root = Path(folder) / known
                root.mkdir()
                chosen = [(_file(root, task), task) for task in tasks if task.known == known]
                results += way(root, chosen) if chosen else ()
        finally:
            if before is None:
                del os.environ["XDG_STATE_HOME"]
            else:
                os.environ["XDG_STATE_HOME"] = before
    return results


def _file(root: Path, task: Stale) -> Path:
    return root / f"{task.kind}_{task.index}{PurePosixPath(task.source).suffix}"


def _open_workspace(root: Path, *, history: bool = False) -> Workspace:
    """A workspace that has made a call, so that imports are not timed."""
    from suture import Settings, Workspace  # noqa: PLC0415  the generator is imported without the engine

    workspace = Workspace(root, Settings(durability="fast", history=history))
    for tool in TOOLS:
        task = Stale(tool, 0, 0, "a.txt", "", b"", "one\n", "two\n", ())
        (root / "warm-up.txt").write_bytes(b"one too many\n")
        _call(workspace, "warm-up.txt", replace(task, request=_request(task, tool)))
    return workspace


def _with_git(root: Path, placed: Sequence[Placed]) -> list[Outcome]:
    """The earlier version is HEAD's (0), the index's (1), or was committed before the later one (2)."""

    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "core.autocrlf=false")
        subprocess.run(
            ["git", *identity, *arguments], cwd=root, env=_git_environment(), check=True, capture_output=True
        )

    def commit(remainder: int, *, later: bool) -> None:
        for path, task in placed:
            if task.index % 3 == remainder:
                path.write_bytes(task.body if later else task.base)
        git("add", "--all")

    git("init", "--quiet")
    commit(0, later=False)
    commit(2, later=False)
    git("commit", "--quiet", "--allow-empty", "--message", "The earlier version")
    commit(2, later=True)
    git("commit", "--quiet", "--allow-empty", "--message", "The later version")
    for number in range(3):
        (root / "notes.txt").write_bytes(b"%d\n" % number)
        git("add", "notes.txt")
        git("commit", "--quiet", "--message", f"Something else {number}")
    commit(1, later=False)
    workspace = _open_workspace(root)
    for path, task in placed:
        path.write_bytes(task.body)
    return [_send(workspace, path, task) for path, task in placed]


def _with_history(root: Path, placed: Sequence[Placed]) -> list[Outcome]:
    writer = _open_workspace(root, history=True)
    for path, task in placed:
        _write(writer, path.name, task.base)
        if task.index % 2:
            path.write_bytes(task.body)
        else:
            _write(writer, path.name, task.body)
    workspace = _open_workspace(root, history=True)
    return [_send(workspace, path, task) for path, task in placed]


def _write(workspace: Workspace, name: str, body: bytes) -> None:
    patch = {"operation": "overwrite", "newText": body.decode()}
    result = workspace.call("patch", {"path": name, "patches": [patch], "match": "exact"})
    if result.is_error:
        raise RuntimeError(result.text)


def _with_read(root: Path, placed: Sequence[Placed]) -> list[Outcome]:
    workspace, results = _open_workspace(root), list[Outcome]()
    for path, task in placed:
        path.write_bytes(task.base)
        line = task.base[: task.base.index(task.old.encode())].count(b"\n") + 1
        part = {"start_line": max(1, line - 30), "end_line": line + 60} if task.index % 2 else {}
        workspace.call("file_read", {"path": path.name, **part})
        path.write_bytes(task.body)
        results.append(_send(workspace, path, task))
    return results


def _with_nothing(root: Path, placed: Sequence[Placed]) -> list[Outcome]:
    workspace = _open_workspace(root)
    for path, task in placed:
        path.write_bytes(task.body)
    return [_send(workspace, path, task) for path, task in placed]


def _send(workspace: Workspace, path: Path, task: Stale) -> Outcome:
    begin = time.perf_counter()
    result = _call(workspace, path.name, task)
    seconds = time.perf_counter() - begin
    after = path.read_bytes()
    metadata = result.metadata
    rungs = {entry.get("rung") for entry in (*metadata.get("patches", ()), *metadata.get("blocks", ()))}
    code = metadata["error"]["code"] if result.is_error else ""
    reply = Reply(None if after == task.body else after, f"{sorted(map(str, rungs))}\n{result.text}", code)
    return Outcome(task, reply, judge_file(task, after), seconds, rebased="rebased" in rungs)


def judge_file(task: Stale, after: bytes) -> str:
    """The verdict on the file after the call."""
    if after == task.body:
        return REFUSED if task.expected else RIGHT
    if after in task.expected:
        return RIGHT
    return TOUCHING if not task.expected and _is_kept(task, after) else WRONG


def _is_kept(task: Stale, after: bytes) -> bool:
    """Whether only the change of the request was made, at its place, and not where the file has new lines too."""
    changes = _match_changes(task, after)
    if changes is None:
        return False
    start = task.base[: task.base.index(task.old.encode())].count(b"\n")
    source = Source(task.source, task.base.decode(), task.body.decode())
    insertions = {low - start for low, high, _ in _hunks(source) if low == high}
    inner = range(1, task.old.count("\n"))
    return not any(low == high and low in inner and low in insertions for (low, high, _), _ in changes)


def _match_changes(task: Stale, after: bytes) -> list[tuple[Change, Change]] | None:
    """The changes that the request asks for, each with that of the file, if only these were made at their place."""
    old, later = _lines(task.old), _lines(task.body.decode())
    requested, actual = _changes(old, _lines(task.new)), _changes(later, _lines(after.decode()))
    if _strip_lines(old, requested) != _strip_lines(later, actual):
        return None
    inside = all(task.among[0] <= low and high <= task.among[1] for low, high, _ in actual)
    return [*zip(requested, actual, strict=True)] if inside else None


def _strip_lines(lines: list[str], changes: Sequence[Change]) -> list[list[list[str]]]:
    return [[[line.strip() for line in side] for side in (lines[low:high], new)] for low, high, new in changes]


def _call(workspace: Workspace, name: str, task: Stale) -> ToolResult:
    if task.request:
        return workspace.call("apply_reply", {"reply": task.request.replace("{path}", name)})
    return workspace.call("patch", {"path": name, "patches": [{"oldText": task.old, "newText": task.new}]})


def table(results: Sequence[Outcome], title: str) -> Table:
    """A row per kind, and a total for each way in which the earlier version is known."""
    groups = {name: [result for result in results if result.task.kind == name] for name in KINDS}
    groups |= {f"ALL {known}": [result for result in results if result.task.kind.startswith(known)] for known in KNOWN}
    rows = [_row(name, part) for name, part in groups.items() if part]
    wrong = [result.task.name for result in results if result.verdict == WRONG]
    notes = [f"wrong: {len(wrong)}: {' '.join(wrong[:20])}"] if wrong else []
    merges, conflicts = (
        ["merges", "right", "right %", "refused", "wrong"],
        ["conflicts", "refused", "touching", "wrong"],
    )
    return Table(title, ["", *merges, *conflicts, "rebased", "p50 ms", "p95 ms"], rows, [*notes, *NOTES])


def _row(name: str, results: Sequence[Outcome]) -> list[Cell]:
    merges = [result.verdict for result in results if result.task.expected]
    conflicts = [result.verdict for result in results if not result.task.expected]
    share = f"{100 * merges.count(RIGHT) / len(merges):.1f}" if merges else ""
    times = sorted(result.seconds * 1000 for result in results if result.rebased)
    spent: list[Cell] = [times[len(times) * part // 100] for part in (50, 95)] if times else ["", ""]
    return [
        name,
        *map(str, (len(merges), merges.count(RIGHT), share, merges.count(REFUSED), merges.count(WRONG))),
        *map(str, (len(conflicts), *map(conflicts.count, (RIGHT, TOUCHING, WRONG)))),
        *(str(len(times)), *spent),
    ]
