"""`suture mcp` against a server that does nothing on the same SDK, and against `server-filesystem`.

One client uses all of them. Times begin when a request is sent and end when its answer was read, before the client
parses it; for the start of a server, they begin before its process.
"""

from __future__ import annotations

import compileall
import time
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import suture
from bench.editbench.corpus import cache_folder
from bench.editbench.peers import Unavailable
from bench.file_edit import Document, write_document
from bench.sessions import BareServer, FilesystemServer, McpServer, Suture, SutureBySdk, SutureOverHttp
from bench.table import Table, comparison, run_rounds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from bench.sessions import Session
    from bench.table import Cell

    Run = Callable[[], float]

FAST, FULL = ("--durability", "fast"), ("--durability", "full")
EDIT, EDIT_FULL, EDIT_HTTP = "suture: file_edit, fast", "suture: file_edit, full", "suture: file_edit, fast, HTTP"
READ, NOTHING = "suture: file_read of a line", f"{BareServer.name}: nothing"
PEER, EDIT_PEER = FilesystemServer.name, f"{FilesystemServer.name}: edit_file"
PATIENCE = 60
STARTS, ROUNDS, BURSTS, MANY = 12, 200, 5, 200
LARGE = 5_000_000
SMALL = Document(500, 1, around=1)


def tables(folder: Path) -> Iterator[Table]:
    """Times of starts, of calls, of many calls at once, and of a large answer."""
    compileall.compile_dir(Path(suture.__file__).parent, quiet=2)
    note = _peer_note(folder)
    yield from _starts(folder, note)
    yield _round_trip(folder, note)
    yield from _at_once(folder, note)
    yield _large(folder, note)


def _peer_note(folder: Path) -> list[str]:
    """A note if the peer can't be run here; otherwise it is installed now."""
    try:
        with FilesystemServer(cache_folder(), folder, PATIENCE):
            return []
    except Unavailable as error:
        return [f"{PEER} left out: {error}"]


def _starts(folder: Path, note: list[str]) -> Iterator[Table]:
    servers: dict[str, Callable[[], McpServer]] = {
        Suture.name: lambda: Suture(folder, PATIENCE),
        SutureBySdk.name: lambda: SutureBySdk(folder, PATIENCE),
        BareServer.name: lambda: BareServer(PATIENCE),
    }
    if not note:
        servers[PEER] = lambda: FilesystemServer(cache_folder(), folder, PATIENCE)
    list_times: dict[str, list[float]] = {name: [] for name in servers}
    samples = run_rounds({name: _start(start, list_times[name]) for name, start in servers.items()}, STARTS)
    title = "Start until the answer to {} was read ({} rounds)".format
    against, goals = [PEER, BareServer.name], {Suture.name: "< 1.0 x"}
    first = "the first request (initialize, or server/discover)"
    yield comparison(title(first, STARTS), samples, against=against, goals=goals, notes=note)
    samples = {name: times[1:] for name, times in list_times.items()}
    yield comparison(title("tools/list", STARTS), samples, against=against, goals=goals, notes=note)


def _start(start: Callable[[], McpServer], list_times: list[float]) -> Run:
    def run() -> float:
        begin = time.perf_counter()
        with start() as server:
            seconds = time.perf_counter() - begin
            server.tools()
            list_times.append(time.perf_counter() - begin)
        return seconds

    return run


def _round_trip(folder: Path, note: list[str]) -> Table:
    roots = {name: folder / str(at) for at, name in enumerate((EDIT, EDIT_FULL, EDIT_HTTP, NOTHING, EDIT_PEER))}
    for root in roots.values():  # a history that other processes also write is read again for every call
        root.mkdir()
    with ExitStack() as stack:
        fast = stack.enter_context(Suture(roots[EDIT], PATIENCE, *FAST))
        servers: dict[str, Session] = {
            EDIT: fast,
            EDIT_FULL: stack.enter_context(Suture(roots[EDIT_FULL], PATIENCE, *FULL)),
            EDIT_HTTP: stack.enter_context(SutureOverHttp(roots[EDIT_HTTP], PATIENCE, *FAST)),
            NOTHING: stack.enter_context(BareServer(PATIENCE)),
        }
        if not note:
            servers[EDIT_PEER] = stack.enter_context(FilesystemServer(cache_folder(), roots[EDIT_PEER], PATIENCE))
        runs = {name: _edits(roots[name], server) for name, server in servers.items()}
        line = {"path": str(write_document(roots[EDIT], SMALL)), "start_line": 250, "end_line": 250}
        runs[READ] = lambda: fast.call("file_read", line)
        samples = run_rounds(runs, ROUNDS)
    title = f"Round trip of an edit of one line in a file of 500, over stdio ({ROUNDS} rounds)"
    notes = [*note, f"{NOTHING}: the same request, answered at once"]
    return comparison(title, samples, against=[EDIT_PEER, NOTHING], goals={EDIT: "< 1.0 x"}, notes=notes)


def _at_once(folder: Path, note: list[str]) -> Iterator[Table]:
    with ExitStack() as stack:
        servers: dict[str, McpServer] = {Suture.name: stack.enter_context(Suture(folder, PATIENCE, *FAST))}
        if not note:
            servers[PEER] = stack.enter_context(FilesystemServer(cache_folder(), folder, PATIENCE))
        reads = {name: _reads(folder, server) for name, server in servers.items()}
        yield _burst(f"{MANY} files read", reads, note)
        edits = {name: _edits(folder, server, MANY) for name, server in servers.items()}
        yield _burst(f"{MANY} files edited", edits, note)
        rows = [[name, *_measure_shared_file(folder, server)] for name, server in servers.items()]
        yield Table(
            f"{MANY} edits of one file, sent at once", ["", "ms", "answered as done", "in the file"], rows, note
        )


def _burst(title: str, runs: Mapping[str, Run], note: list[str]) -> Table:
    title = f"{title}, a call each, sent at once ({BURSTS} rounds)"
    return comparison(title, run_rounds(runs, BURSTS), against=[PEER], notes=note)


def _reads(folder: Path, server: McpServer) -> Run:
    calls = [server.read_call(write_document(folder, SMALL)) for _ in range(MANY)]
    return lambda: server.calls(calls)


def _measure_shared_file(folder: Path, server: McpServer) -> list[Cell]:
    """Milliseconds, the number of edits reported as done, and the number that are in the file."""
    document = Document(MANY * 10, MANY)
    path = write_document(folder, document)
    seconds, refused = server.send_calls([server.edit_call(path, [edit]) for edit in document.edits(1)])
    count = path.read_text().count("# round 0001")
    return [seconds * 1000, f"{MANY - len(refused)}", f"{count}"]


def _large(folder: Path, note: list[str]) -> Table:
    path = folder / "large.txt"
    path.write_text("".join(f"{at:06d} makes a line of 32 bytes.\n" for at in range(LARGE // 32)))
    with ExitStack() as stack:
        ours, bare = stack.enter_context(Suture(folder, PATIENCE)), stack.enter_context(BareServer(PATIENCE))
        runs: dict[str, Run] = {
            f"{Suture.name}: file_read, raw": lambda: ours.call(*ours.read_call(path)),
            NOTHING: lambda: bare.call(*bare.read_call(path)),
        }
        if not note:
            peer = stack.enter_context(FilesystemServer(cache_folder(), folder, PATIENCE))
            runs[PEER] = lambda: peer.call(*peer.read_call(path))
        samples = run_rounds(runs, BURSTS)
    title = f"A file of 5 MB, read in one call ({BURSTS} rounds)"
    return comparison(
        title, samples, against=[PEER, NOTHING], notes=[*note, f"{NOTHING}: a text of 5 MB, not of a file"]
    )


def _edits(folder: Path, server: Session, files: int = 1) -> Run:
    """One round after the other, each contestant on its own files."""
    paths = [write_document(folder, SMALL) for _ in range(files)]
    numbers = count(1)

    def run() -> float:
        edits = SMALL.edits(next(numbers))
        if files == 1 or not isinstance(server, McpServer):
            return sum(server.edit(path, edits) for path in paths)
        return server.calls([server.edit_call(path, edits) for path in paths])

    return run
