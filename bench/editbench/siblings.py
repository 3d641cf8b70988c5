"""Edits of a function that was deleted from its file, while a similar sibling is still there.

A function that has a sibling (60 % of its lines or more are lines of another function in the file) is deleted from
a real file. The request edits the deleted function. No earlier version is known: no git, no history, no read. Any edit
that lands is wrong, since it lands in another function; so is a suggested correction that would land there.

Requests whose old text occurs in the rest of the file, exactly or except for whitespace, case, quotes, look-alikes and
backslashes, would be right by definition and are left out. Two kinds consist of such requests, because they name the
deleted function: `v4a_named_exact` and `git_diff_exact`.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from dataclasses import dataclass, replace
from difflib import unified_diff
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from bench.editbench.changes import OPS
from bench.editbench.functions import functions, pairs
from bench.editbench.rows import fold, has_words, is_typo
from bench.editbench.run import RIGHT, WRONG, Reply, Result, percentiles
from bench.editbench.tasks import Task, group_by_language
from bench.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bench.editbench.corpus import Source
    from bench.editbench.functions import Pair
    from bench.table import Cell
    from suture import ToolResult, Workspace

TRIES = 2_000
CONTEXT = 3
CHANGES = ["rename", "value", "condition", "argument", "insert", "delete", "expand"]
OFFERED = "offered"
FORMS = {
    "whole": "header and body of the function, by `patch`",
    "body": "its body without the header, by `patch`",
    "window_4": "four lines of its body, by `patch`",
    "window_6": "six lines of its body, by `patch`",
    "search_replace": "one of these as a SEARCH/REPLACE block, by `apply_reply`",
    "v4a_named": "a patch in the V4A format, `@@` with the function's header, maybe its class's before it",
    "v4a_bare": "a patch in the V4A format with `@@` alone",
    "git_diff": "a unified diff with the function in the hunk header",
    "same_name": "the sibling is a method of the same name in another class; whole, body, six lines or V4A",
    "long_signature": "the signature takes several lines; whole, V4A or git diff",
    "correction": "whole, body or lines, by `file_edit`, whose first suggestion is sent back",
    "v4a_named_exact": "as v4a_named, and its lines occur in the sibling exactly",
    "git_diff_exact": "as git_diff, and its lines occur in the sibling exactly",
}
EXACT = {"v4a_named_exact": "v4a_named", "git_diff_exact": "git_diff"}
MIXED = {
    "search_replace": ["whole", "body", "window_4", "window_6"],
    "same_name": ["whole", "body", "window_6", "v4a_named"],
    "long_signature": ["whole", "v4a_named", "git_diff"],
    "correction": ["whole", "body", "window_4", "window_6"],
}
DIFFERENCES = ("a letter", "a line of the file is skipped", "the first or last line", "one line within", "more")
HEAD = ["", "tasks", "landed", "landed %", "offered", "p50 ms", "p99 ms"]
NOTES = (
    "Everything must be refused. landed: the edit is in a sibling. offered: refused, with a correction to copy that",
    "lands there. A correction row lands if its first suggestion, sent back unread, lands.",
    "_exact: the text occurs once in the file to the letter, but the request names the function that is gone.",
)


@dataclass(frozen=True)
class Orphan(Task):
    """A request about a deleted function; `request` is the reply for `apply_reply`, unless it is old and new."""

    request: str = ""


@dataclass(frozen=True)
class _Part:
    """The lines of the function that a request shows, and those that it changes."""

    start: int
    stop: int
    low: int
    high: int
    core: list[str]


def generate(sources: Sequence[Source], seed: int, number: int, forms: Sequence[str] = ()) -> Iterator[Orphan]:
    """About `number` tasks, the same number of each form."""
    names = forms or [*FORMS]
    for form in names:
        for index in range(-(-number // len(names))):
            task = make_task(sources, form, seed, index)
            if task is not None:
                yield task


def make_task(sources: Sequence[Source], name: str, seed: int, index: int) -> Orphan | None:
    """One task, or None if the corpus has none."""
    rng = random.Random(f"siblings:{name}:{seed}:{index}")
    groups = _sources_with_pairs(tuple(sources), name)
    for _ in range(TRIES if groups else 0):
        (group,) = rng.choices(groups, [len(group) ** 0.5 for group in groups])
        source, suitable = rng.choice(group)
        form = rng.choice(MIXED.get(name, [EXACT.get(name, name)]))
        task = _task(rng, source, rng.choice(suitable), name, form)
        if task is not None:
            return replace(task, seed=seed, index=index)
    return None


@lru_cache(maxsize=64)
def _sources_with_pairs(sources: tuple[Source, ...], name: str) -> list[list[tuple[Source, list[Pair]]]]:
    """The files that have siblings for a form, by language."""
    groups = []
    for group in group_by_language(sources):
        candidates = [(source, [pair for pair in pairs(source) if _suits(pair, name)]) for source in group]
        groups.append([(source, suitable) for source, suitable in candidates if suitable])
    return [group for group in groups if group]


def _suits(pair: Pair, name: str) -> bool:
    function, sibling = pair.function, pair.sibling
    if name == "same_name":
        return function.name == sibling.name and function.owner != sibling.owner
    return function.is_long_headed if name == "long_signature" else True


def _task(rng: random.Random, source: Source, pair: Pair, name: str, form: str) -> Orphan | None:
    """A task, if the random draws make a request that is not in the rest of the file."""
    op = rng.choice(CHANGES)
    part = _part(rng, source, pair, form, op)
    if part is None:
        return None
    lines, remaining = source.lines, _remaining_lines(source, pair)
    sides = [lines[part.start : part.stop], [*lines[part.start : part.low], *part.core, *lines[part.high : part.stop]]]
    body = "".join(f"{line}\n" for line in remaining)
    texts = ["\n".join(side) for side in sides]
    if name in EXACT:
        other_names = [function.name for function in functions(source) if function is not pair.function]
        if f"\n{body}".count(f"\n{texts[0]}\n") != 1 or pair.function.name in other_names:
            return None
    elif texts[0] in body or fold(texts[0].replace("'", '"')) in fold(body.replace("'", '"')):
        return None
    end = "\n" * (form not in MIXED["search_replace"] or rng.random() < 0.5)
    request = _request(rng, source, pair, part, form)
    if name == "search_replace":
        request = f"{{path}}\n<<<<<<< SEARCH\n{texts[0]}\n=======\n{texts[1]}\n>>>>>>> REPLACE\n"
    function_name, sibling_name = (f"{function.owner}.{function.name}" for function in (pair.function, pair.sibling))
    what = f"{form}, {op} in {function_name}, sibling {sibling_name}"
    old, new = (text + end for text in texts)
    return Orphan(name, 0, 0, source.name, what, body.encode(), old, new, (), request=request)


def _part(rng: random.Random, source: Source, pair: Pair, form: str, op: str) -> _Part | None:
    lines, function = source.lines, pair.function
    start, stop = function.body, function.body_stop
    size = {"window_4": 4, "window_6": 6}.get(form, stop - start)
    if stop - start < max(size, 3):
        return None
    start = rng.randint(start, stop - size)
    stop = start + size
    low = rng.randrange(start, stop)
    high = min(low + rng.randint(1, 2), stop)
    core = OPS[op](rng, lines[low:high], source)
    if core is None or core == lines[low:high] or not any(map(has_words, lines[low:high])):
        return None
    if form == "whole":
        start, stop = rng.choice([function.head, function.first]), function.stop
    elif form in {"v4a_named", "v4a_bare", "git_diff"}:
        start, stop = max(0, low - CONTEXT), min(high + CONTEXT, len(lines))
        if form != "v4a_bare" and start <= function.head:
            start = function.head + 1
            if form == "git_diff" and low - start < CONTEXT:
                return None  # git would name the function above
    return _Part(start, stop, low, high, core)


def _remaining_lines(source: Source, pair: Pair) -> list[str]:
    """The file without the function and the blank lines that it leaves."""
    above, below = source.lines[: pair.function.first], source.lines[pair.function.stop :]
    while above and below and not above[-1].strip() and not below[0].strip():
        below = below[1:]
    return above + below


def _request(rng: random.Random, source: Source, pair: Pair, part: _Part, form: str) -> str:
    """A reply in the form's format, with `{path}` for the file's name; empty if the form has none."""
    if form not in {"v4a_named", "v4a_bare", "git_diff"}:
        return ""
    lines, header = source.lines, source.lines[pair.function.head]
    old = lines[part.start : part.stop]
    new = [*lines[part.start : part.low], *part.core, *lines[part.high : part.stop]]
    hunk = "".join(f"{line}\n" for line in [*unified_diff(old, new, n=len(old), lineterm="")][3:])
    if form == "git_diff":
        at = part.start + 1 if rng.random() < 0.5 else rng.randint(1, len(lines))
        head = f"@@ -{at},{len(old)} +{at},{len(new)} @@ {header[:80].strip()}"
        return f"diff --git a/{{path}} b/{{path}}\n--- a/{{path}}\n+++ b/{{path}}\n{head}\n{hunk}"
    head = f"@@ {header.strip()}" if form == "v4a_named" else "@@"
    if form == "v4a_named" and pair.function.owner and rng.random() < 0.5:
        head = f"@@ {lines[pair.function.owner_at].strip()}\n{head}"
    return f"*** Begin Patch\n*** Update File: {{path}}\n{head}\n{hunk}*** End Patch\n"


def run(tasks: Iterable[Orphan]) -> list[Result]:
    """All tasks, each with its own file in a workspace that has no earlier versions."""
    from suture import Settings, Workspace  # noqa: PLC0415  the generator is imported without the engine

    with tempfile.TemporaryDirectory(prefix="editbench-") as folder:
        workspace = Workspace(folder, Settings(durability="fast", history=False))
        _send(
            workspace, Path(folder), Orphan("whole", 0, 0, "a.py", "", b"first = 1\n", "x\n", "y\n", ()), 0
        )  # imports
        return [_send(workspace, Path(folder), task, number) for number, task in enumerate(tasks, 1)]


def _send(workspace: Workspace, folder: Path, task: Orphan, number: int) -> Result:
    path = folder / f"file{number}{PurePosixPath(task.source).suffix}"
    path.write_bytes(task.body)
    begin = time.perf_counter()
    result = _call(workspace, path.name, task)
    seconds = time.perf_counter() - begin
    after = path.read_bytes()
    edit = _correction(result) if result.is_error else None
    explanation = f"{result.text}\n----- CORRECTION: {edit}" if edit else result.text
    verdict = RIGHT if after == task.body else WRONG
    if verdict == RIGHT and edit:
        workspace.call("file_edit", {"path": path.name, "edits": [edit]})
        after = path.read_bytes()
        if after != task.body:
            verdict = WRONG if task.kind == "correction" else OFFERED
    path.unlink()
    code = result.metadata["error"]["code"] if result.is_error else ""
    return Result(task, Reply(None if verdict == RIGHT else after, explanation, code), verdict, seconds)


def _call(workspace: Workspace, name: str, task: Orphan) -> ToolResult:
    if task.request:
        return workspace.call("apply_reply", {"reply": task.request.replace("{path}", name)})
    if task.kind == "correction":
        return workspace.call("file_edit", {"path": name, "edits": [{"old_text": task.old, "new_text": task.new}]})
    return workspace.call("patch", {"path": name, "patches": [{"oldText": task.old, "newText": task.new}]})


def _correction(result: ToolResult) -> dict[str, str] | None:
    """The first edit to copy that the error of the call or block offers, if it has a new text."""
    data = result.metadata
    fixes = data.get("suggested_fixes")
    example = json.loads(fixes[0].get("example") or "{}") if fixes else {}
    errors = [data.get("error"), *(block["error"] for block in data.get("blocks", ()))]
    candidates = [example, *(error.get("correction") for error in errors if error)]
    correction = next((candidate for candidate in candidates if candidate and "new_text" in candidate), None)
    return None if correction is None else {name: correction[name] for name in ("old_text", "new_text")}


def table(results: Sequence[Result], title: str) -> Table:
    """A row per form, and the totals."""
    groups = {name: [result for result in results if result.task.kind == name] for name in FORMS}
    rows = [_row(name, part) for name, part in groups.items() if part]
    plain = [result for result in results if result.task.kind not in EXACT]
    named = [result for result in results if result.task.kind in EXACT]
    rows += [_row(what, part) for what, part in (("ALL", plain), ("ALL EXACT BUT NAMED", named)) if part]
    landed = [result.task.name for result in results if result.verdict == WRONG]
    notes = [f"landed: {len(landed)}: {' '.join(landed[:20])}"] if landed else []
    return Table(title, HEAD, rows, [*notes, *NOTES])


def differences(results: Sequence[Result]) -> Table:
    """The same, grouped by what differs at the place in the file that is most similar to old."""
    groups: dict[str, list[Result]] = {name: [] for name in DIFFERENCES}
    for result in results:
        if result.task.kind not in EXACT:
            groups[_difference(result.task)].append(result)
    rows = [_row(name, part) for name, part in groups.items() if part]
    title = "The same by what differs between old and the rest of the file; blank lines and white space left aside"
    return Table(title, HEAD, rows)


def _difference(task: Task) -> str:
    old = [line for line in map(fold, task.old.split("\n")) if line]
    file = [line for line in map(fold, task.body.decode().split("\n")) if line]
    size = len(old)
    windows = [file[at : at + size] for at in range(len(file) - size + 1)]
    mismatches = [[pair for pair in zip(old, window, strict=True) if pair[0] != pair[1]] for window in windows]
    single = [pairs[0] for pairs in mismatches if len(pairs) == 1]
    if any(is_typo(*pair) for pair in single):
        return "a letter"
    longer = [file[at : at + size + 1] for at in range(len(file) - size)]
    if any(old == window[:at] + window[at + 1 :] for window in longer for at in range(1, size)):
        return "a line of the file is skipped"
    if any(file[at : at + size - 1] in (old[1:], old[:-1]) for at in range(len(file) - size + 2)):
        return "the first or last line"
    return "one line within" if single else "more"


def _row(name: str, results: Sequence[Result]) -> list[Cell]:
    landed, offered = (sum(result.verdict == verdict for result in results) for verdict in (WRONG, OFFERED))
    share = f"{100 * landed / len(results):.1f}"
    return [name, str(len(results)), str(landed), share, str(offered), *percentiles(results)]
