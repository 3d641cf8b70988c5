"""The tool `file_edit`, the specification's categories 1 to 3 and 7: basic operations, sequences, real scenarios."""

from pathlib import Path
from typing import Any

import pytest

from suture import Workspace
from tests.unit.changes import hash_of, succeed, workspace
from tests.unit.file_edits import ask, bytes_after, edit, failure, wrong

# Basic operations


def test_a_file_of_more_than_10_mb_is_edited_and_brought_back(tmp_path: Any) -> None:
    line = b"%07d: the quick brown fox jumps over the lazy dog\n"
    before = b"".join(line % number for number in range(220_000))
    assert len(before) > 10_000_000
    (tmp_path / "large").write_bytes(before)
    ws = Workspace(tmp_path)
    edits = [edit("0000000: the", "first: the"), edit("0110000: the", "middle: the"), edit("0219999: the", "last: the")]
    data = succeed(ask(ws, "large", *edits))
    after = before.replace(b"0000000", b"first").replace(b"0110000", b"middle").replace(b"0219999", b"last")
    assert (tmp_path / "large").read_bytes() == after
    assert [edit["line_numbers"] for edit in data["edits_applied"]] == [[1], [110_001], [220_000]]
    assert data["hash"] == hash_of(after)
    succeed(ws.undo())
    assert (tmp_path / "large").read_bytes() == before


def test_very_long_lines_are_edited_like_others() -> None:
    long = b"x" * 30_000 + b"needle" + b"y" * 30_000
    before = b"first\n" + long + b"\nlast\n"
    assert bytes_after(before, edit("needle", "thread")) == before.replace(b"needle", b"thread")
    assert bytes_after(before, edit("y" * 30_000 + "\nlast", "end")) == b"first\n" + long[:30_006] + b"end\n"


def test_a_failure_in_a_very_long_line_is_reported_briefly() -> None:
    before = b"first\n" + b"x y " * 5_000 + b"needle\nlast\n"
    result = failure(before, edit("needel", "thread"))
    assert wrong(result)["type"] == "NO_MATCH"
    assert len(result.text) < 4_000
    result = failure(before, edit("x y ", "z"))
    assert (wrong(result)["type"], wrong(result)["actual_occurrences"]) == ("WRONG_COUNT", 5_000)
    assert len(wrong(result)["match_locations"]) == 5_000
    assert len(result.text) < 4_000


def test_the_typed_method_takes_the_same_arguments() -> None:
    ws, fs = workspace({"a": b"one two\n"})
    options: dict[str, Any] = {"encoding": None, "expect_hash": hash_of(b"one two\n"), "validate": "off"}
    assert succeed(ws.file_edit("a", [edit("one", "1")], dry_run=True, **options))["would_modify"] is True
    succeed(ws.file_edit(Path("a"), [edit("one", "1"), edit("two", "2")], **options))
    assert fs.files() == {"a": b"1 2\n"}


# Sequences


@pytest.mark.parametrize("size", [2, 30, 1000])
@pytest.mark.promise("edit.at-once")
def test_many_edits_give_the_same_as_one_after_the_other(size: int) -> None:
    before = "".join(f"<{number}>\n" for number in range(size))
    edits: list[dict[str, Any]] = [edit(f"<{number}>", f"<{number + 1}>") for number in reversed(range(size))]
    assert bytes_after(before.encode(), *edits) == "".join(f"<{number + 1}>\n" for number in range(size)).encode()
