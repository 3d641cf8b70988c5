"""Workspaces with a history, and changes by others: for tests of history and undo."""

import json
import os
import sqlite3
import subprocess
from collections.abc import Callable, Collection, Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from suture import Settings, SutureError, ToolResult, Transaction, Workspace
from suture.files.database import Database, NamedPoint
from suture.files.journal import new_id
from suture.plan import Version
from suture.testing import FaultyFS, LocalFS, MemoryFS, Stopped

Ask = Callable[[Transaction], None]
Content = bytes | str


def workspace(files: Mapping[str, bytes] | None = None, settings: Settings | None = None) -> tuple[Workspace, MemoryFS]:
    fs = MemoryFS(files)
    return Workspace(fs.root, settings, fs=fs), fs


def land(ws: Workspace, *asks: Ask, summary: str = "") -> str:
    """Land one change; returns its id."""
    with ws.transaction(summary) as tx:
        for ask in asks:
            ask(tx)
    assert tx.change is not None
    return tx.change.id


def interrupt(root: Path, path: str) -> str:
    """Let a process die while it changes a file; returns what the command line prints next."""
    stopping = FaultyFS(LocalFS(), stop_at=1, only={"rename"})
    tx = Workspace(root, fs=stopping).transaction()
    tx.write(path, "changed")
    with pytest.raises(Stopped), tx:
        pass
    stopping.abandon()
    change = json.loads((root / ".suture/intent").read_bytes().split(b"\n")[1])["record"]["id"]
    return f"note: An interrupted transaction ({change}, 1 path) has been rolled back.\n"


def take_snapshot(ws: Workspace, name: str, paths: Iterable[str] = ()) -> None:
    """Take a snapshot, as version 0.1.0 did: of these files, and of those that suture changed."""
    with ws._engine.session() as session, session.locked():
        with session.history.reading() as database:
            names = [session.locate(path).name for path in paths]
            known = dict.fromkeys((*names, *database.paths()))
        contents: dict[str, bytes] = {}
        versions: list[tuple[str, Version | None]] = []
        for path in known:
            try:
                target = session.locate(path)
                file = None if target.stat is None else session.snapshot(target)
            except SutureError:  # there is a folder now, or a file where it would need a folder
                continue
            versions.append((path, None if file is None else Version(file.content.digest, file.mode)))
            contents |= {} if file is None else {file.content.digest: file.content.bytes()}

        def write(database: Database) -> None:
            database.add_snapshot(NamedPoint(new_id(), name, database.last_number()), versions, contents.get)

        session.history.keep(write)


def create(path: str, content: Content = "new\n", mode: int | None = None) -> Ask:
    return lambda tx: tx.create(path, content, mode=mode)


def write(path: str, content: Content) -> Ask:
    return lambda tx: tx.write(path, content)


def delete(path: str) -> Ask:
    return lambda tx: tx.delete(path)


def rename(path: str, to: str, content: Content | None = None) -> Ask:
    return lambda tx: tx.rename(path, to, content)


def remove(fs: MemoryFS, path: str) -> None:
    """Delete a file or an empty folder, as another process would."""
    folder, _, name = f"{fs.root}/{path}".rpartition("/")
    handle = fs.open_root(folder)
    stat = fs.stat(handle, name)
    assert stat is not None
    (fs.rmdir if stat.kind == "folder" else fs.unlink)(handle, name)
    fs.close(handle)


def move(fs: MemoryFS, path: str, to: str) -> None:
    """Rename a file in its folder, as another process would."""
    folder, _, name = f"{fs.root}/{path}".rpartition("/")
    handle = fs.open_root(folder)
    fs.rename(handle, name, handle, to.rpartition("/")[2])
    fs.close(handle)


def lose(fs: MemoryFS, content: bytes) -> None:
    """Let the history know a content by its hash only, as after a crash that took it."""
    ((name, stored),) = fs.shelf.items()
    database = sqlite3.connect(":memory:")
    database.deserialize(stored)
    database.execute("UPDATE content SET data = NULL, size = 0, codec = 'raw' WHERE digest = ?", (hash_of(content),))
    database.commit()
    fs.shelf[name] = database.serialize()
    database.close()


def state(fs: MemoryFS) -> dict[str, object]:
    """Every file with its content and permission bits, and every folder."""
    files = {path: (data, fs.node_of(path).mode) for path, data in fs.files().items()}
    return {**files, **{f"{path}/": None for path in fs.folders()}}


def list_changes(ws: Workspace) -> list[dict[str, Any]]:
    """The whole history, newest first."""
    changes: list[dict[str, Any]] = succeed(ws.history(limit=1000))["changes"]
    return changes


def succeed(result: ToolResult) -> dict[str, Any]:
    """The data of a call, which must succeed."""
    assert not result.is_error, result.text
    return result.metadata


def sentence_of(result: ToolResult) -> str:
    """The first line of a regex tool's error, which the specification words; its hint is the second line."""
    sentence, _, hint = result.text.partition("\n")
    assert hint == error_of(result)["hint"]
    return sentence


def error_of(result: ToolResult) -> dict[str, Any]:
    """The error of a call that was refused."""
    assert result.is_error, result.text
    error: dict[str, Any] = result.metadata["error"]
    return error


def hash_of(content: bytes) -> str:
    return "sha256:" + sha256(content).hexdigest()


def lines(*changed: int, mark: str = "changed", count: int = 20) -> bytes:
    """A numbered text, with some of its lines changed."""
    return "".join(f"{mark if n in changed else 'line'} {n}\n" for n in range(1, count + 1)).encode()


def git_apply(
    folder: Path, files: Mapping[str, bytes], diff: str, executable: Collection[str] = ()
) -> dict[str, bytes]:
    """The result of applying a diff with git."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
        (folder / name).chmod(0o755 if name in executable else 0o644)
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CEILING_DIRECTORIES": str(folder.parent)}
    command = ["git", "apply", "--whitespace=nowarn"]
    raw = diff.encode("utf-8", "surrogateescape")
    process = subprocess.run(command, input=raw, cwd=folder, env=environment, capture_output=True, check=False)
    assert (process.returncode, process.stderr) == (0, b""), diff
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
