"""The tool `file_edit`, the specification's category 8: how much is read, written and held. Times are in `bench/`."""

import tracemalloc
from pathlib import Path

import pytest

from suture import Settings, Workspace
from suture.testing import FaultyFS, LocalFS, MemoryFS
from tests.unit.changes import succeed
from tests.unit.file_edits import Edit, ask, edit, wrong

WRITING = {"create", "write", "open_write", "rename", "link", "unlink", "truncate", "make_folder", "lock"}


def number_lines(count: int) -> bytes:
    return b"".join(b"%07d: the quick brown fox jumps over the lazy dog\n" % number for number in range(count))


def calls(before: bytes, *edits: Edit, error: str | None = None) -> list[str]:
    """The calls of the file system that an edit makes."""
    fs = FaultyFS(MemoryFS({"a": before}))
    ws = Workspace("/ws", fs=fs)
    fs.calls.clear()
    result = ask(ws, "a", *edits)
    assert error is None or wrong(result)["type"] == error
    assert result.is_error is (error is not None)
    return list(fs.calls)


def thousand(size: int, *, chained: bool) -> list[Edit]:
    """A thousand edits all over a numbered text; those that are chained meet each other's results."""
    step = size // 1_000
    places = [f"{number * step:07d}:" for number in range(1_000)]
    if not chained:
        return [edit(place, f"<{place}>") for place in places]
    return [edit(place, places[at + 1] * 2) if not at % 2 else edit(place, "x", 3) for at, place in enumerate(places)]


@pytest.mark.slow
@pytest.mark.parametrize("chained", [False, True])
def test_handles_1000_edits_efficiently(*, chained: bool) -> None:
    before = number_lines(20_000)
    edits = thousand(20_000, chained=chained)
    expected = before.decode()
    for request in edits:
        assert expected.count(request["old_text"]) == request.get("occurrences", 1)
        expected = expected.replace(request["old_text"], request["new_text"])
    fs = MemoryFS({"a": before})
    data = succeed(ask(Workspace(fs.root, fs=fs), "a", *edits))
    assert fs.files()["a"] == expected.encode()
    assert data["total_replacements"] == sum(request.get("occurrences", 1) for request in edits)
    assert len(data["edits_applied"]) == 1_000


def test_handles_10_mb_file_efficiently(tmp_path: Path) -> None:
    before = number_lines(220_000)
    (tmp_path / "a").write_bytes(before)
    edits = thousand(220_000, chained=False)
    data = succeed(ask(Workspace(tmp_path, Settings(durability="fast")), "a", *edits))
    after = (tmp_path / "a").read_bytes()
    assert len(after) == len(before) + 2_000
    assert after.replace(b"<", b"").replace(b">", b"") == before
    assert [applied["line_numbers"] for applied in data["edits_applied"]] == [[at * 220 + 1] for at in range(1_000)]


@pytest.mark.promise("edit.one-read-one-write")
def test_does_not_read_file_multiple_times() -> None:
    before = number_lines(2_000)
    for edits in (thousand(2_000, chained=False)[:1], thousand(2_000, chained=False), thousand(2_000, chained=True)):
        names = calls(before, *edits)
        assert names[: names.index("lock")].count("open_file") == 1


@pytest.mark.promise("edit.one-read-one-write")
def test_does_not_write_file_multiple_times() -> None:
    before = number_lines(2_000)
    single = calls(before, *thousand(2_000, chained=False)[:1])
    many = calls(before, *thousand(2_000, chained=False))
    for name in sorted(WRITING):
        assert single.count(name) == many.count(name)
    assert many.count("rename") == 1


@pytest.mark.parametrize("error", ["NO_MATCH", "WRONG_COUNT"])
@pytest.mark.promise("edit.one-read-one-write")
def test_validates_all_edits_before_any_modifications(error: str) -> None:
    last = edit("nowhere at all", "x") if error == "NO_MATCH" else edit("the quick", "x")
    names = calls(number_lines(2_000), *thousand(2_000, chained=False)[:999], last, error=error)
    assert not WRITING & set(names)
    assert names.count("open_file") == 1


def test_a_failed_call_reads_a_large_file_once(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(number_lines(220_000))
    fs = FaultyFS(LocalFS(), only={"open_file", *WRITING})
    ws = Workspace(tmp_path, fs=fs)
    result = ask(ws, "a", edit("0110000:  the quick brown fax jumps over the lazy dog", "x"))
    assert wrong(result)["type"] == "NO_MATCH"
    assert wrong(result)["similar_content"][0]["line_number"] == 110_001
    assert fs.calls == ["open_file"]


@pytest.mark.slow
@pytest.mark.parametrize("many", [False, True])
@pytest.mark.promise("edit.memory")
def test_needs_less_than_three_times_the_size_of_the_file(tmp_path: Path, *, many: bool) -> None:
    before = number_lines(220_000)
    size = len(before)
    (tmp_path / "a").write_bytes(before)
    del before
    edits = thousand(220_000, chained=False) if many else [edit("0110000:", "x")]
    ws = Workspace(tmp_path, Settings(durability="fast"))
    tracemalloc.start()
    result = ask(ws, "a", *edits)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    succeed(result)
    assert peak < 3 * size
