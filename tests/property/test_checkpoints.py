"""Edits by suture and by other programs, with checkpoints between them, in any order: every checkpoint can be restored.

The model is the tree itself at each checkpoint: contents and modes, byte for byte.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suture import SutureError, Workspace
from suture.testing import MemoryFS
from tests.unit.changes import create, delete, remove, rename, state, succeed, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from tests.unit.changes import Ask

    Step = Callable[[Workspace, MemoryFS], None]

PATHS = ("a", "b", "d/a", "d/b", "d/e/a", "x.log")
FILES = {".gitignore": b"*.log\n", "a": b"1\n", "d/a": b"1\n2\n3\n", "x.log": b"log\n"}
paths = st.sampled_from(PATHS)
texts = st.sampled_from(("", "1\n", "1\n2\n3\n", "1\r\n2\n", "\0\xff", "1\n2\nthree\n"))
modes = st.sampled_from((0o600, 0o644, 0o755))


def quietly(step: Step) -> Step:
    """A step that does nothing where it is impossible."""

    def attempt(ws: Workspace, fs: MemoryFS) -> None:
        with suppress(SutureError, KeyError, OSError):
            step(ws, fs)

    return attempt


def put(path: str, text: str) -> Step:
    return lambda _, fs: fs.put(path, text.encode()) if is_free(fs, path) else None


def is_free(fs: MemoryFS, path: str) -> bool:
    """Whether a file can be at a path: no file is where a folder would have to be, nor the other way round."""
    return f"{path}" not in fs.folders() and not any(path.startswith(f"{file}/") for file in fs.files())


def take_away(path: str) -> Step:
    def step(_: Workspace, fs: MemoryFS) -> None:
        if path in fs.files():
            remove(fs, path)

    return step


def change_mode(path: str, mode: int) -> Step:
    def step(_: Workspace, fs: MemoryFS) -> None:
        node = fs.node_of(path)
        if node.kind == "file" and node.mode != mode:
            node.mode = mode
            node.modified_ns += 1  # a real file system has a time for this

    return step


def swap(path: str, other: str) -> Step:
    def step(_: Workspace, fs: MemoryFS) -> None:
        one, two = fs.files()[path], fs.files()[other]
        fs.put(path, two)
        fs.put(other, one)

    return step


def landing(ask: Callable[..., Ask], *arguments: object) -> Step:
    def step(ws: Workspace, _: MemoryFS) -> None:
        with ws.transaction() as transaction:
            ask(*arguments)(transaction)

    return step


def undo(_: object) -> Step:
    def step(ws: Workspace, _: MemoryFS) -> None:
        ws.undo()

    return step


OUTSIDE = (
    st.builds(put, paths, texts)
    | st.builds(take_away, paths)
    | st.builds(change_mode, paths, modes)
    | st.builds(swap, paths, paths)
)
OWN = (
    st.builds(lambda path, text: landing(write, path, text), paths, texts)
    | st.builds(lambda path, text, mode: landing(create, path, text, mode), paths, texts, modes)
    | st.builds(lambda path: landing(delete, path), paths)
    | st.builds(lambda path, to: landing(rename, path, to), paths, paths)
    | st.builds(undo, st.none())
)
STEPS = st.lists((OUTSIDE | OWN | st.none()).map(lambda step: step and quietly(step)), max_size=14)


@pytest.mark.promise("back.checkpoints")
@settings(max_examples=150)
@given(steps=STEPS, order=st.randoms(use_true_random=False))
def test_every_checkpoint_can_be_restored(steps: list[Step | None], order: Random) -> None:
    fs = MemoryFS(FILES)
    ws = Workspace(fs.root, fs=fs)
    points: list[tuple[str, dict[str, object]]] = []
    for step in [None, *steps, None]:
        if step is None:
            points.append((str(len(points)) + " point", plain(fs)))
            succeed(ws.checkpoint(points[-1][0]))
        else:
            step(ws, fs)
    order.shuffle(points)
    for name, expected in points:
        before = state(fs)
        restored = succeed(ws.restore(name, yes=True))
        assert restored["left"] == []
        assert plain(fs) == expected, name
        if restored["change_id"] is not None:
            undone = succeed(ws.undo(restored["change_id"]))
            assert only_files(state(fs)) == only_files(before)
            succeed(ws.undo(undone["change_id"]))
            assert plain(fs) == expected


def plain(fs: MemoryFS) -> dict[str, object]:
    """The files and modes that a checkpoint has; the ignored one has not, unless suture changed it before."""
    return {path: file for path, file in state(fs).items() if not path.endswith("/") and path != "x.log"}


def only_files(found: dict[str, object]) -> dict[str, object]:
    return {path: file for path, file in found.items() if not path.endswith("/")}


@settings(max_examples=100)
@given(own=st.lists(OWN.map(quietly), max_size=4), outside=st.lists(OUTSIDE.map(quietly), min_size=1, max_size=6))
def test_what_others_did_can_be_undone_and_done_again(own: list[Step], outside: list[Step]) -> None:
    fs = MemoryFS(FILES)
    ws = Workspace(fs.root, fs=fs)
    succeed(ws.checkpoint("first"))
    for step in own:
        step(ws, fs)
    succeed(ws.checkpoint("second"))
    before = plain(fs)
    for step in outside:
        step(ws, fs)
    after = plain(fs)
    change = succeed(ws.checkpoint("third"))["change_id"]
    assert change is not None or after == before
    if change is not None:
        undone = succeed(ws.undo(change))["change_id"]
        assert plain(fs) == before
        succeed(ws.undo(undone))
        assert plain(fs) == after
