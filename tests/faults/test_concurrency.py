"""Several writers at once: no edit is lost, and a change after planning is noticed."""

from __future__ import annotations

from threading import Barrier, Thread
from typing import TYPE_CHECKING, Any

import pytest

from suture import Edit, Settings, Span, SutureError, Workspace
from suture.testing import FaultyFS, MemoryFS
from tests.faults.commit_scenario import Process, increment, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from suture import Text

WRITERS = 4
EDITS = 250
FILES = 10


def line(writer: int, number: int) -> str:
    return f"writer{writer}-{number}"


def content(count: str, numbers: Sequence[int]) -> str:
    """A line for every later edit, with the writers' lines mixed."""
    return "".join(f"{line(writer, number)} {count}\n" for number in numbers for writer in range(WRITERS))


def edit_at_once(root: Path, durability: str, work: Sequence[list[tuple[str, str]]]) -> None:
    """Start a process for each list of edits; all begin when the last is ready."""
    processes = [Process("editing", root, durability) for _ in work]
    assert [process.hear() for process in processes] == ["ready"] * len(work)
    for process, edits in zip(processes, work, strict=True):
        process.tell(edits)
    assert [process.result() for process in processes] == [0] * len(work)


def tree(root: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in root.iterdir()}


@pytest.mark.promise("atomic.concurrent")
def test_edits_of_disjoint_lines_of_one_file_by_several_processes_are_all_there(tmp_path: Path) -> None:
    (tmp_path / "shared.txt").write_text(content("0", range(EDITS)))
    work = [[("shared.txt", line(writer, number)) for number in range(EDITS)] for writer in range(WRITERS)]
    edit_at_once(tmp_path, "fast", work)
    assert tree(tmp_path) == {"shared.txt": content("1", range(EDITS))}


@pytest.mark.promise("atomic.concurrent")
def test_edits_of_many_files_by_several_processes_are_all_there(tmp_path: Path) -> None:
    lines = {file: range(file, EDITS, FILES) for file in range(FILES)}
    for file, numbers in lines.items():
        (tmp_path / f"{file}.txt").write_text(content("0", numbers))
    work = [[(f"{number % FILES}.txt", line(writer, number)) for number in range(EDITS)] for writer in range(WRITERS)]
    edit_at_once(tmp_path, "fast", work)
    assert tree(tmp_path) == {f"{file}.txt": content("1", numbers) for file, numbers in lines.items()}


@pytest.mark.soak
def test_durable_edits_of_one_file_by_several_processes_are_all_there(tmp_path: Path) -> None:
    (tmp_path / "shared.txt").write_text(content("0", range(EDITS)))
    work = [[("shared.txt", line(writer, number)) for number in range(EDITS)] for writer in range(WRITERS)]
    edit_at_once(tmp_path, "full", work)
    assert tree(tmp_path) == {"shared.txt": content("1", range(EDITS))}


@pytest.mark.promise("atomic.concurrent")
def test_edits_of_one_number_by_several_processes_all_count(tmp_path: Path) -> None:
    (tmp_path / "counter.txt").write_text("total 0\n")
    edit_at_once(tmp_path, "fast", [[("counter.txt", "total")] * 25] * WRITERS)
    assert tree(tmp_path) == {"counter.txt": f"total {25 * WRITERS}\n"}


@pytest.mark.promise("atomic.concurrent")
@pytest.mark.parametrize("shared", [True, False], ids=["one workspace", "a workspace each"])
def test_edits_by_several_threads_are_all_there(tmp_path: Path, *, shared: bool) -> None:
    (tmp_path / "shared.txt").write_text(content("0", range(25)))
    options = Settings(durability="fast")
    shared_workspace = Workspace(tmp_path, options)
    start = Barrier(WRITERS)

    def work(writer: int) -> None:
        workspace = shared_workspace if shared else Workspace(tmp_path, options)
        start.wait()
        for number in range(25):
            increment(workspace, "shared.txt", line(writer, number))

    threads = [Thread(target=work, args=(writer,)) for writer in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tree(tmp_path) == {"shared.txt": content("1", range(25))}


class InterferingFS(FaultyFS):
    """Another program writes while the new content is being staged, the first few times."""

    def __init__(self, inner: MemoryFS, interfere: Callable[[int], None], times: int) -> None:
        super().__init__(inner)
        self._interfere = interfere
        self._times = times
        self.attempts = 0

    def _forward(self, name: str, *args: Any) -> Any:
        result = super()._forward(name, *args)
        if name == "create" and args[1].endswith(".new"):
            self.attempts += 1
            if self.attempts <= self._times:
                self._interfere(self.attempts)
        return result


def rewrite(fs: MemoryFS) -> Callable[[int], None]:
    """Write the file in place, as `echo >` does."""
    return lambda number: fs.put("a.txt", b"theirs %d\n" % number)


def replace(fs: MemoryFS) -> Callable[[int], None]:
    """Rename a new file over it, as editors do."""

    def write(number: int) -> None:
        fs.put("theirs", b"theirs %d\n" % number)
        folder = fs.open_root(fs.root)
        fs.rename(folder, "theirs", folder, "a.txt")
        fs.close(folder)

    return write


def remove(fs: MemoryFS) -> Callable[[int], None]:
    """Delete the file, and restore it after the next attempt."""

    def write(number: int) -> None:
        folder = fs.open_root(fs.root)
        if number == 1:
            fs.unlink(folder, "a.txt")
        fs.close(folder)

    return write


interferences = pytest.mark.parametrize("interfere", [rewrite, replace])


def append(text: Text) -> list[Edit]:
    return [Edit(Span(len(text.body), len(text.body)), b"ours\n")]


@pytest.mark.promise("atomic.changed")
@interferences
def test_a_file_that_changes_every_time_is_refused_after_three_more_plans(interfere: Any) -> None:
    fs = MemoryFS({"a.txt": b"old\n", "b.txt": b"b"})
    interfering = InterferingFS(fs, interfere(fs), times=99)
    transaction = Workspace(fs.root, settings(), fs=interfering).transaction()
    transaction.edit("a.txt", append)
    transaction.write("b.txt", b"B")
    transaction.create("new/c.txt", b"c")
    with pytest.raises(SutureError) as caught:
        transaction.__exit__(None, None, None)
    assert (caught.value.code, caught.value.retryable, caught.value.fields()["path"]) == ("FILE_CHANGED", True, "a.txt")
    # Each attempt stages three files; another program wrote after each of them.
    assert interfering.attempts == 3 * 4
    assert fs.files() == {"a.txt": b"theirs 12\n", "b.txt": b"b"}
    assert fs.folders() == set()


@pytest.mark.promise("atomic.changed")
@interferences
@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_file_that_changes_up_to_three_times_is_planned_again_and_lands(interfere: Any, times: int) -> None:
    fs = MemoryFS({"a.txt": b"old\n"})
    interfering = InterferingFS(fs, interfere(fs), times)
    with Workspace(fs.root, settings(), fs=interfering).transaction() as tx:
        tx.edit("a.txt", append)
    assert interfering.attempts == times + 1
    assert fs.files() == {"a.txt": b"theirs %d\nours\n" % times}


@pytest.mark.promise("atomic.changed")
def test_a_file_that_is_gone_when_planned_again_is_not_found() -> None:
    fs = MemoryFS({"a.txt": b"old\n"})
    transaction = Workspace(fs.root, settings(), fs=InterferingFS(fs, remove(fs), 1)).transaction()
    transaction.edit("a.txt", append)
    with pytest.raises(SutureError) as caught:
        transaction.__exit__(None, None, None)
    assert caught.value.code == "FILE_NOT_FOUND"
    assert fs.files() == {}


@pytest.mark.promise("atomic.changed")
def test_a_file_that_appears_where_a_new_one_is_staged_stays() -> None:
    fs = MemoryFS()
    interfering = InterferingFS(fs, lambda _: fs.put("new.txt", b"theirs"), times=1)
    transaction = Workspace(fs.root, settings(), fs=interfering).transaction()
    transaction.create("new.txt", b"ours")
    with pytest.raises(SutureError) as caught:
        transaction.__exit__(None, None, None)
    assert caught.value.code == "FILE_EXISTS"
    assert fs.files() == {"new.txt": b"theirs"}


@pytest.mark.promise("atomic.changed")
def test_a_file_that_appears_at_the_last_moment_is_never_replaced() -> None:
    """Between the last comparison and publishing, which for a new file is a link and not a rename."""
    fs = MemoryFS()

    class LateFS(FaultyFS):
        def _forward(self, name: str, *args: Any) -> Any:
            if name == "link" and args[3] == "new.txt":
                fs.put("new.txt", b"theirs")
            return super()._forward(name, *args)

    transaction = Workspace(fs.root, settings(), fs=LateFS(fs)).transaction()
    transaction.create("new.txt", b"ours")
    with pytest.raises(SutureError) as caught:
        transaction.__exit__(None, None, None)
    assert caught.value.code in {"FILE_EXISTS", "FILE_CHANGED"}
    assert fs.files() == {"new.txt": b"theirs"}
