"""What the regex tools say beside their list, if finding it out takes too long or fails; `tests/cases` has the rest."""

import errno
from typing import Any

import pytest

from suture import Settings, ToolResult, Workspace
from suture.testing import FaultyFS, MemoryFS
from tests.unit.changes import workspace

HANGING = "(z|zz)*y(?!q)"
QUICK = Settings(regex_file_ms=50)


def search(content: str, pattern: str, tool: str = "regex_search", **more: Any) -> ToolResult:
    ws, _ = workspace({"a": content.encode()}, QUICK)
    path = {"path_pattern" if tool.endswith("multi") else "file_path": "a"}
    result = ws.call(tool, {**path, "pattern": pattern, **more})
    assert not result.is_error, result.text
    return result


def test_the_matches_are_counted_as_long_as_it_takes_little_time() -> None:
    hanging = "z" * 60
    (some,) = search(f"a\na\na\n{hanging}", f"a|{HANGING}", max_matches=2).hints
    assert some == "2 of more than 3 matches shown (max_matches)."
    (few,) = search(f"a\na\n{hanging}", f"a|{HANGING}", max_matches=2).hints
    assert few == "2 matches shown (max_matches); there may be more."


def test_in_many_files_it_is_told_that_there_may_be_more() -> None:
    (hint,) = search(f"a\n{'z' * 60}", f"a|{HANGING}", "regex_search_multi", max_matches=1).hints
    assert hint == "1 match shown (max_matches); there may be more."


@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO])
def test_a_file_that_is_not_needed_does_not_fail_a_search(number: int) -> None:
    inner = MemoryFS({f"src/{name}": b"needle\n" for name in "abc"})
    ws = Workspace(inner.root, fs=FaultyFS(inner, fail_at=2, error=number, only={"fill"}))
    result = ws.call("regex_search_multi", {"path_pattern": "**/*", "pattern": "needle", "max_matches": 1})
    assert [row["file"] for row in result.data] == ["src/a"]
    assert result.hints == ("1 match shown (max_matches); there may be more.",)


def test_a_later_file_is_searched_for_one_more_match() -> None:
    ws, _ = workspace({"a": b"x\n", "b": b"-\n", "c": b"\xff\xfex\0", "d": b"x\n"})
    every = {"path_pattern": "*", "pattern": "x"}
    assert ws.call("regex_search_multi", {**every, "max_matches": 1}).hints == (
        "1 match shown (max_matches); there are more.",
    )
    assert ws.call("regex_search_multi", {**every, "max_matches": 3}).hints == ()


def test_a_hint_about_the_flag_m_is_left_out_if_it_takes_too_long_to_check() -> None:
    assert search(f"\na{'z' * 60}", f"^a{HANGING}").hints == ()


def test_a_binary_file_in_another_encoding_is_named() -> None:
    ws, _ = workspace({"a": b"x\n", "b": "x\0needle".encode("utf-16"), "c": b"\0needle"})
    result = ws.call("regex_search_multi", {"path_pattern": "*", "pattern": "needle"})
    assert result.hints == ("0 matches in 3 files.", "2 binary files that may match were not searched: b, c.")
    ws, _ = workspace(dict.fromkeys("abcd", b"\x00needle"))
    result = ws.call("regex_search_multi", {"path_pattern": "*", "pattern": "needle"})
    assert result.hints == ("0 matches in 4 files.", "4 binary files that may match were not searched: a, b, c, ….")
