"""One transaction over five files, and the tree before and after it as values.

It creates a file in a new nested folder, updates one, updates one in place (it has a second name), deletes
one and renames one. Run as a module, it is another process, which can be killed or paused: see `Process`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from suture import Edit, Settings, Span, Workspace
from suture.testing import FaultyFS, LocalFS, MemoryFS, Stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from suture import Text
    from suture.files.fs import FS

PROJECT = Path(__file__).parents[2]
VARIANTS = ("move", "move and change")
DURABILITIES = ("full", "fast")
SECTOR = 512
CHANGING = (
    "commit_database copy_metadata create link mkdir open_database rename rmdir set_mode sync truncate unlink write"
).split()


class Entry(NamedTuple):
    """A file, folder or link at a path: its content or target, its permissions, and every name of the same file."""

    kind: str
    data: bytes
    mode: int
    names: tuple[str, ...]


Tree = dict[str, Entry]


def blocks(letters: str) -> bytes:
    """Content with one letter per sector, so that half-written files can be recognized."""
    return "".join(letter * (SECTOR - 1) + "\n" for letter in letters).encode()


def file(data: bytes, *names: str, mode: int = 0o644) -> Tree:
    return {name: Entry("file", data, mode, names) for name in names}


def folder(name: str) -> Tree:
    return {name: Entry("folder", b"", 0o755, (name,))}


SHARED_OLD, SHARED_NEW = blocks("abc") + b"tail", blocks("aBcD") + b"a longer tail"

_UNTOUCHED: Tree = {
    **folder("gone"),
    **folder("there"),
    **folder("other"),
    **file(b"stays\n", "gone/stays.txt"),
    **file(b"\0\xff\r\n", "other/bytes.bin", mode=0o600),
    **file(b"#!/bin/sh\n", "other/run", mode=0o755),
    **file(b"", "there/empty"),
    "other/link": Entry("link", b"../update.txt", 0o777, ("other/link",)),
}

BEFORE: Tree = {
    **_UNTOUCHED,
    **file(b"one\ntwo\n", "update.txt", mode=0o640),
    **file(SHARED_OLD, "other/twin", "shared.txt"),
    **file(b"bye\n", "gone/delete.txt", mode=0o600),
    **file(b"on the move\n", "from.txt", mode=0o755),
}


def after(variant: str) -> Tree:
    moved = b"on the move\n" if variant == "move" else b"moved and changed\n"
    return {
        **_UNTOUCHED,
        **folder("new"),
        **folder("new/deep"),
        **file(b"made\n", "new/deep/made.txt"),
        **file(b"one\nTWO\nthree\n", "update.txt", mode=0o640),
        **file(SHARED_NEW, "other/twin", "shared.txt"),
        **file(moved, "there/to.txt", mode=0o755),
    }


def transact(fs: FS, root: str, variant: str = "move", durability: str = "full", *, in_place: bool = True) -> None:
    """Open the workspace and run the transaction, or only those parts that publish by rename."""
    with Workspace(root, settings(durability), fs=fs).transaction() as tx:
        tx.create("new/deep/made.txt", b"made\n")
        tx.write("update.txt", b"one\nTWO\nthree\n")
        if in_place:
            tx.write("shared.txt", SHARED_NEW)
        tx.delete("gone/delete.txt")
        tx.rename("from.txt", "there/to.txt", None if variant == "move" else b"moved and changed\n")


def settings(durability: str = "full") -> Settings:
    """Settings under which a lock that was not released is an immediate error."""
    return Settings(durability=durability, lock_timeout_ms=0)


def recover(fs: FS, root: str, durability: str = "full") -> None:
    """A call by the next process."""
    result = Workspace(root, settings(durability), fs=fs).call("file_read", {"path": "other/run"})
    assert not result.is_error, result.text


def in_memory(tree: Mapping[str, Entry] = BEFORE, *, can_link: bool = True) -> MemoryFS:
    """The tree in memory, on its disk."""
    fs = MemoryFS(can_link=can_link)
    for path, entry in sorted(tree.items()):
        if entry.kind == "folder":
            fs.make_folder(f"{fs.root}/{path}")
        elif entry.kind == "link":
            fs.put_link(path, os.fsdecode(entry.data))
        elif path != entry.names[0]:
            fs.hard_link(entry.names[0], path)
        else:
            fs.put(path, entry.data, mode=entry.mode)
    fs.sync_all()
    return fs


def on_disk(root: Path, tree: Mapping[str, Entry] = BEFORE) -> str:
    """The tree as real files in a new folder; returns its path."""
    root.mkdir(parents=True)
    for path, entry in sorted(tree.items()):
        target = root / path
        if entry.kind == "folder":
            target.mkdir()
        elif entry.kind == "link":
            target.symlink_to(os.fsdecode(entry.data))
        elif path != entry.names[0]:
            target.hardlink_to(root / entry.names[0])
        else:
            target.write_bytes(entry.data)
        if entry.kind != "link":
            target.chmod(entry.mode)
    return str(root)


def look(fs: FS, root: str) -> Tree:
    """Everything below a root, without staging folders that a crash left empty: they are harmless, and used again."""
    tree = _look(fs, root)
    for path in [path for path in tree if f"/{path}".endswith("/.suture") and tree[path].kind == "folder"]:
        below = [name for name in tree if name.startswith(f"{path}/")]
        names = {name.rpartition("/")[2] for name in below}
        if names <= {".gitignore", ".git"} and all(b"*\n".startswith(tree[name].data.rstrip(b"\0")) for name in below):
            for name in (path, *below):
                del tree[name]
    return tree


def _look(fs: FS, root: str) -> Tree:
    top = fs.open_root(root)
    entries = sorted(_walk(fs, top, ""))
    fs.close(top)
    names: dict[int, list[str]] = {}
    for path, *_, inode in entries:
        names.setdefault(inode, []).append(path)
    return {path: Entry(kind, data, mode, tuple(names[inode])) for path, kind, data, mode, inode in entries}


def _walk(fs: FS, handle: int, prefix: str) -> Iterator[tuple[str, str, bytes, int, int]]:
    for name in fs.list(handle):
        status = fs.stat(handle, name)
        assert status is not None
        data = b""
        if status.kind == "link":
            data = os.fsencode(fs.read_link(handle, name))
        elif status.kind == "file":
            file_handle = fs.open_file(handle, name)
            data = fs.read(file_handle, status.size + 1)
            fs.close(file_handle)
        yield prefix + name, status.kind, data, status.mode, status.inode
        if status.kind == "folder":
            subfolder = fs.open_folder(handle, name)
            yield from _walk(fs, subfolder, f"{prefix}{name}/")
            fs.close(subfolder)


def state(fs: FS, root: str, variant: str = "move") -> str:
    """`old`, `new`, or what is wrong with the tree, compared with the old one and the new one."""
    tree, trees = look(fs, root), {"old": BEFORE, "new": after(variant)}
    differences = {
        name: sorted(path for path in {*tree, *other} if tree.get(path) != other.get(path))
        for name, other in trees.items()
    }
    return next((name for name, paths in differences.items() if not paths), f"mixed: {differences}")


def count_calls(variant: str = "move", durability: str = "full", *, can_link: bool = True) -> int:
    """The number of calls that the transaction makes."""
    fs = in_memory(can_link=can_link)
    faulty = FaultyFS(fs)
    transact(faulty, fs.root, variant, durability)
    return len(faulty.calls)


class KilledFS(FaultyFS):
    """Real files, and SIGKILL for this process at one call; if that is a write, half of it is written first."""

    def __init__(self, kill_at: int) -> None:
        self._kill_at = kill_at
        super().__init__(LocalFS(), on_call=self._kill, stop_at=kill_at)

    def _kill(self, number: int, name: str) -> None:
        if number > self._kill_at or (number == self._kill_at and name != "write"):
            os.kill(os.getpid(), signal.SIGKILL)


class Process:
    """Another process that runs this module: `tell` it to continue, `hear` what it says, await its `result`."""

    def __init__(self, *arguments: object) -> None:
        command = [sys.executable, "-m", "tests.faults.commit_scenario", *map(str, arguments)]
        # Measuring coverage would triple its time, and it runs nothing that is not measured elsewhere.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, cwd=PROJECT, env=environment, stdin=pipe, stdout=pipe, text=True)

    def tell(self, message: object = "go") -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def hear(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, f"the process ended with {self._process.wait()}"
        return json.loads(line)

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()

    def result(self) -> int:
        self._process.communicate()
        return self._process.returncode


def kill_at_steps(home: str, variant: str, durability: str) -> None:
    """Kill a transaction at each requested first step and, if there is a second one, its recovery at that.

    Leaves one folder per case, named by its steps; returns what became of the processes.
    """
    outcomes: dict[str, list[str]] = {}
    for case in _receive():
        name = "-".join(map(str, case))
        root = on_disk(Path(home, name))
        actions = [partial(transact, root=root, variant=variant, durability=durability)]
        actions += [partial(recover, root=root, durability=durability)] * (len(case) - 1)
        outcomes[name] = [_run_and_kill(action, step) for action, step in zip(actions, case, strict=True)]
    _say(outcomes)


def _run_and_kill(action: Callable[[FS], None], kill_at: int) -> str:
    """Run a function in a forked process that is killed at a call: `killed`, or `finished` if it came to its end."""
    child = os.fork()
    if not child:
        with suppress(BaseException):
            action(KilledFS(kill_at))
            os._exit(0)
        os._exit(1)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return "killed"
    return "finished" if os.WEXITSTATUS(status) == 0 else "raised"


def pause_at_step(root: str, step: str) -> None:
    """Run the transaction, but wait at a call until a message arrives."""

    def wait(number: int, _: str) -> None:
        if number == int(step):
            _say("waiting")
            _receive()

    transact(FaultyFS(LocalFS(), on_call=wait), root)


def edit_lines(root: str, durability: str) -> None:
    """Read which lines of which files to edit, and increment the number on each, one transaction per line."""
    workspace = Workspace(root, Settings(durability=durability))
    _say("ready")
    for path, line in _receive():
        increment(workspace, path, line)


def increment(workspace: Workspace, path: str, line: str) -> None:
    """Increment the number on the line with this beginning."""

    def edits(text: Text) -> list[Edit]:
        start = text.body.index(line.encode() + b" ") + len(line) + 1
        end = text.body.index(b"\n", start)
        return [Edit(Span(start, end), b"%d" % (int(text.body[start:end]) + 1))]

    with workspace.transaction() as tx:
        tx.edit(path, edits)


def _say(message: object) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def _receive() -> Any:
    return json.loads(sys.stdin.readline())


def stopped_scenario(at: str, occurrence: int, fs: MemoryFS | None = None) -> MemoryFS:
    """The scenario, stopped for good at some occurrence of a call."""
    fs = fs or in_memory()
    try:
        transact(FaultyFS(fs, only=[at], stop_at=occurrence), fs.root)
    except Stopped:
        fs.crash()
        return fs
    raise AssertionError("it was not stopped")


def published_scenario() -> MemoryFS:
    """The scenario with every file published, stopped before the intent is marked as done."""
    return stopped_scenario("open_write", 2)  # the first is the file that is written in place


def done_scenario() -> MemoryFS:
    """The scenario marked as done, stopped before anything is removed."""
    return stopped_scenario("unlink", 3)  # two publish: the deleted file, and the old name of the renamed one


if __name__ == "__main__":
    COMMANDS: dict[str, Callable[..., None]] = {
        "killing": kill_at_steps,
        "pausing": pause_at_step,
        "editing": edit_lines,
    }
    COMMANDS[sys.argv[1]](*sys.argv[2:])
