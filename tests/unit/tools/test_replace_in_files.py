"""`replace_in_files`: what case files do not show."""

import pytest

from tests.unit.changes import workspace


@pytest.mark.parametrize(
    ("old", "before", "after"),
    [
        (
            "user",
            "user user_ _user users user1 naïuser userï user-user $user",
            "X user_ _user users user1 naïuser userï X-X $X",
        ),
        ("größe", "größe größer größe.", "X größer X."),
        ("f(", "f( of( f (", "X of( f ("),
        ("-x", "a-x -xy -x", "aX -xy X"),
        ("$", "$ a$b", "X aXb"),
    ],
)
def test_a_whole_word_is_one_in_any_script(old: str, before: str, after: str) -> None:
    ws, fs = workspace({"a.txt": before.encode()})
    assert not ws.replace_in_files(old, "X", whole_word=True).is_error
    assert fs.files()["a.txt"].decode() == after


def test_whole_words_of_a_regular_expression() -> None:
    ws, fs = workspace({"a.txt": b"cat cats category"})
    assert not ws.replace_in_files("cats?", "X", regex=True, whole_word=True).is_error
    assert fs.files()["a.txt"] == b"X X category"


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_line_breaks_are_those_of_each_file(ending: bytes) -> None:
    ws, fs = workspace({"a.txt": ending.join([b"one", b"two", b"three", b""])})
    assert ws.replace_in_files("one\ntwo", "1\n2").text == "Made 1 replacement in 1 file:\na.txt: 1"
    assert fs.files()["a.txt"] == ending.join([b"1", b"2", b"three", b""])


def test_only_in_a_file_or_folder() -> None:
    ws, fs = workspace({"src/a.txt": b"x", "src/b.txt": b"x", "c.txt": b"x"})
    assert ws.replace_in_files("x", "y", path="src/a.txt").metadata["replacements"] == 1
    assert ws.replace_in_files("x", "y", path="src").metadata["replacements"] == 1
    assert fs.files() == {"src/a.txt": b"y", "src/b.txt": b"y", "c.txt": b"x"}


def test_binary_files_are_left_alone() -> None:
    ws, fs = workspace({"a.txt": b"x", "b.bin": b"\0x"})
    assert ws.replace_in_files("x", "y").text == "Made 1 replacement in 1 file:\na.txt: 1"
    assert fs.files()["b.bin"] == b"\0x"


def test_a_dry_run_shows_all_changes_of_a_line() -> None:
    ws, fs = workspace({"a.txt": b"x = x + x\nx\n"})
    result = ws.replace_in_files("x", "long", dry_run=True)
    assert result.text.endswith("a.txt: 4\na.txt:1\n-x = x + x\n+long = long + long")
    assert (result.metadata["dry_run"], fs.files()["a.txt"]) == (True, b"x = x + x\nx\n")


def test_a_line_feed_in_a_regular_expression_is_the_line_break_of_each_file() -> None:
    ws, fs = workspace({"lf.txt": b"x\ny\n", "crlf.txt": b"x\r\ny\r\n"})
    assert ws.replace_in_files(r"x\ny", "a\nb\nc", regex=True).metadata["replacements"] == 2
    assert fs.files() == {"lf.txt": b"a\nb\nc\n", "crlf.txt": b"a\r\nb\r\nc\r\n"}


def test_an_empty_file_has_no_line_to_replace() -> None:
    ws, fs = workspace({"a.txt": b"x\n", "empty.txt": b""})
    assert ws.replace_in_files("^", "> ", regex=True).text == "Made 1 replacement in 1 file:\na.txt: 1"
    assert fs.files()["empty.txt"] == b""
