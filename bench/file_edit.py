"""`file_edit`: a typical edit, 1,000 edits at once, edits that fail, and memory.

It is compared with plain Python code, which checks and writes the same and promises less, and with two other tools for
agents, each in a running process. Every contestant has its own file and writes a new number in every round.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import textwrap
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

from bench.editbench.corpus import cache_folder
from bench.editbench.peers import Unavailable
from bench.memory import peak_memory
from bench.sessions import FilesystemServer, OpenHands
from bench.table import Table, comparison, measure_rounds
from suture import Settings, ToolResult, Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.table import Cell

    Edits = list[tuple[str, str]]
    Editor = Callable[[Path, Edits], object]

PLAIN = "count, replace, rename"
FAST, FAST_ALONE, FULL = "file_edit, fast", "file_edit, fast, no history", "file_edit, full"
SETTINGS = {
    FAST_ALONE: Settings(durability="fast", history=False),
    FAST: Settings(durability="fast"),
    FULL: Settings(durability="full"),
}
LARGE, MANY, SAMPLE = 200_000, 1_000, 20
PATIENCE = 120
OPENHANDS_NOTE = f"{OpenHands.name}: its own time, without the way to its process"
SERVER_NOTE = f"{FilesystemServer.name}: until its answer was read; it takes any first match, and doesn't count"


@dataclass(frozen=True)
class Document:
    """A text of distinct numbered lines, some of which contain the number of the round."""

    lines: int
    marks: int
    around: int = 0
    """How many lines before and after the changed one an edit includes."""
    comment: str = ""
    """How every 20th line ends."""

    def text(self) -> str:
        """The whole text, before the first round."""
        return self.part(0, self.lines)

    def edits(self, number: int) -> Edits:
        """The edits that turn the previous round's text into this round's."""
        spans = [(at - self.around, at + self.around + 1) for at in self._changed_lines]
        return [(self.part(*span, number - 1), self.part(*span, number)) for span in spans]

    def part(self, first: int, last: int, number: int = 0) -> str:
        """Some lines of the text, after the given number of rounds."""
        changed, mark = self._changed_lines, f"  # round {number:04d}"
        return "".join(f"{self._line(at)}{mark * (at in changed)}\n" for at in range(first, last))

    @property
    def _changed_lines(self) -> range:
        step = self.lines // self.marks
        return range(step // 2, self.lines, step)

    def _line(self, at: int) -> str:
        comment = self.comment * (at % 20 == 0)
        return f"{'    ' * (at % 3)}entry_{at * 7919 % self.lines} = made_of({at}, 'the value {at % 101}'){comment}"


def tables(folder: Path) -> Iterator[Table]:
    """Times of whole calls, and peaks of memory."""
    yield _typical_table(folder, rounds=60)
    yield _many_edits_table(folder, rounds=2)
    yield _failure_table(folder, rounds=5)
    yield _memory_table(folder)


def _typical_table(folder: Path, rounds: int) -> Table:
    document = Document(500, 1, around=1)
    editors: dict[str, Editor] = {name: _ours(folder, settings) for name, settings in SETTINGS.items()}
    with ExitStack() as stack:
        peers, notes = _peers(stack, folder)
        timed = {name: list[float]() for name in peers}
        for name, peer in peers.items():
            editors[name] = _record_times(peer, timed[name])
        editors[PLAIN] = _plain
        contestants = {name: _contestant(folder, document, rounds, editor) for name, editor in editors.items()}
        samples = measure_rounds(contestants, rounds)
    samples |= {name: times[1:] for name, times in timed.items()}
    title = f"One edit of a file of 500 lines, {len(document.text()) / 1000:.0f} KB ({rounds} rounds)"
    goals = dict.fromkeys((FAST_ALONE, FAST), "<= 0.5 ms")
    return comparison(title, samples, against=[PLAIN, *peers], goals=goals, notes=notes)


def _many_edits_table(folder: Path, rounds: int) -> Table:
    document = Document(LARGE, MANY)
    editors: dict[str, Editor] = {name: _ours(folder, SETTINGS[name]) for name in (FAST_ALONE, FAST)}
    editors[PLAIN] = _plain
    contestants = {name: _contestant(folder, document, rounds, editor) for name, editor in editors.items()}
    samples = measure_rounds(contestants, rounds)
    with ExitStack() as stack:
        peers, notes = _peers(stack, folder)
        for name, peer in peers.items():
            edits = document.edits(1)[: SAMPLE if name == OpenHands.name else MANY]
            try:
                samples[name] = [peer(write_document(folder, document), edits) * MANY / len(edits)]
            except Unavailable as error:
                notes.append(f"{name} left out: {error}")
    notes += [
        f"{PLAIN}: for one edit after the other, and one write",
        f"the peers: once; {OpenHands.name}: {SAMPLE} calls with an edit each, times {MANY // SAMPLE}",
    ]
    title = f"{MANY:,} edits of a file of {LARGE:,} lines, {len(document.text()) / 1e6:.0f} MB ({rounds} rounds)"
    goals = dict.fromkeys((FAST_ALONE, FAST), "<= 0.1 x")
    return comparison(title, samples, against=[PLAIN], goals=goals, notes=notes)


def _failure_table(folder: Path, rounds: int) -> Table:
    """Every round requests other lines: an edit that fails twice gets another answer."""
    document = Document(LARGE, 1)
    path, workspace = write_document(folder, document), Workspace(folder, SETTINGS[FAST])
    _land(_call(workspace, path, document.edits(1)))  # so that the history knows the file

    def request(number: int) -> str:
        return document.part(120_000 + number * 1_000, 120_012 + number * 1_000)

    corruptions: dict[str, Callable[[str], str]] = {
        "indentation": lambda text: textwrap.indent(text, "    "),
        "a typo": lambda text: text.replace("made_of", "maed_of", 1),
        "not there": lambda text: text.replace("entry", "absent").replace("made_of", "taken_from"),
    }
    rows: list[list[Cell]] = []
    for at, (name, corrupt) in enumerate(corruptions.items()):
        times, results = list[float](), list[ToolResult]()
        for number in range(rounds + 1):
            old = corrupt(request(at * (rounds + 1) + number))
            edit = old, "other".join(old.rsplit("value", 1))
            begin = time.perf_counter()
            results.append(_call(workspace, path, [edit]))
            times.append((time.perf_counter() - begin) * 1000)
        codes = ", ".join(sorted({result.metadata["error"]["code"] for result in results if result.is_error}))
        offered = sum(bool(_example(result)) for result in results)
        rows.append(
            [name, min(times[1:]), statistics.median(times[1:]), codes, f"{offered} of {rounds + 1}", "< 300 ms"]
        )
    title = f"A failing edit of 12 lines, and its diagnosis, in {LARGE:,} lines, {path.stat().st_size / 1e6:.0f} MB"
    return Table(title, ["", "best ms", "median ms", "code", "corrected", "goal"], rows)


def _memory_table(folder: Path) -> Table:
    """Peak relative to the size of the file, each in its own process."""
    rows: list[list[Cell]] = []
    for kind, document in DOCUMENTS.items():
        for way in WAYS:
            path = write_document(folder, document)
            size = path.stat().st_size
            command = [sys.executable, "-m", "bench.file_edit", str(path), kind, way]
            process = subprocess.run(command, cwd=Path(__file__).parents[1], stdout=subprocess.PIPE, check=True)
            peak, seconds = json.loads(process.stdout)
            path.unlink()
            goal = "< 3 x" if way.startswith("file_edit") else ""
            rows.append([f"{kind}: {way}", peak / 1e6, peak / size, seconds, goal])
    head = ["", "peak MB", "x file size", "seconds", "goal"]
    return Table("Peak memory of editing a file of 10 MB", head, rows, ["without the interpreter's own"])


def _measure(path: Path, kind: str, way: str) -> None:
    """The child: edit a small file, then the large one; print the growth of the peak, and the seconds."""
    number, edit = WAYS[way]
    small = Document(MANY * 2, MANY, comment=DOCUMENTS[kind].comment)
    edit(write_document(path.parent, small), small.edits(1)[:number])
    edits = DOCUMENTS[kind].edits(1)[:number]
    baseline, begin = peak_memory(), time.perf_counter()
    edit(path, edits)
    print(json.dumps([peak_memory() - baseline, time.perf_counter() - begin]))


def _contestant(folder: Path, document: Document, rounds: int, editor: Editor) -> Callable[[], object]:
    """One round after the other, each contestant on its own file."""
    path = write_document(folder, document)
    pending = iter([document.edits(number + 1) for number in range(rounds + 1)])
    return lambda: editor(path, next(pending))


def write_document(folder: Path, document: Document) -> Path:
    """A new file with the document."""
    with NamedTemporaryFile(prefix="file", suffix=".py", dir=folder, delete=False) as file:
        file.write(document.text().encode())
    return Path(file.name)


def _ours(folder: Path, settings: Settings) -> Editor:
    workspace = Workspace(folder, settings)
    return lambda path, edits: _land(_call(workspace, path, edits))


def _call(workspace: Workspace, path: Path, edits: Edits) -> ToolResult:
    items = [{"old_text": old, "new_text": new} for old, new in edits]
    return workspace.call("file_edit", {"path": path.name, "edits": items})


def _land(result: ToolResult) -> None:
    if result.is_error:
        raise RuntimeError(result.text)


def _example(result: ToolResult) -> object:
    return next((fix.get("example") for fix in result.metadata.get("suggested_fixes", ())), None)


def _plain(path: Path, edits: Edits) -> None:
    text = path.read_bytes().decode()
    for old, new in edits:
        if text.count(old) != 1:
            raise ValueError(old)
        text = text.replace(old, new)
    aside = path.with_suffix(".new")
    aside.write_bytes(text.encode())
    aside.replace(path)


def _peers(stack: ExitStack, folder: Path) -> tuple[dict[str, Callable[[Path, Edits], float]], list[str]]:
    """The peers that run here, each tried once, and notes about the others."""
    peers: dict[str, Callable[[Path, Edits], float]] = {}
    notes = []
    small = Document(50, 1)
    for peer, note in ((OpenHands, OPENHANDS_NOTE), (FilesystemServer, SERVER_NOTE)):
        try:
            session = stack.enter_context(peer(cache_folder(), folder, PATIENCE))
            session.edit(write_document(folder, small), small.edits(1))
        except Unavailable as error:
            notes.append(f"{peer.name} left out: {error}")
        else:
            peers[peer.name] = session.edit
            notes.append(note)
    return peers, notes


def _record_times(peer: Callable[[Path, Edits], float], times: list[float]) -> Editor:
    return lambda path, edits: times.append(peer(path, edits))


def _suture_in_new_workspace(name: str) -> Editor:
    return lambda path, edits: _ours(path.parent, SETTINGS[name])(path, edits)


DOCUMENTS = {"ASCII": Document(LARGE, MANY), "emoji": Document(LARGE, MANY, comment="  # done \N{PARTY POPPER}")}
WAYS: dict[str, tuple[int, Editor]] = {
    f"{FAST}, 1 edit": (1, _suture_in_new_workspace(FAST)),
    f"{FAST}, {MANY:,} edits": (MANY, _suture_in_new_workspace(FAST)),
    f"{FAST_ALONE}, {MANY:,} edits": (MANY, _suture_in_new_workspace(FAST_ALONE)),
    f"{PLAIN}, 1 edit": (1, _plain),
}


if __name__ == "__main__":
    _measure(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
