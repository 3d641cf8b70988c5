"""`edit`: what case files do not show: limits, many matches, time, and other places where calls fail."""

from typing import Any

import pytest

from suture import Settings
from suture.tools import edit
from tests.unit.changes import error_of, workspace

LINES = "".join(f"line {number}\nsame\n" for number in range(1_000))


def test_a_line_chooses_among_more_matches_than_a_search_examines() -> None:
    ws, fs = workspace({"a.txt": LINES.encode()})
    result = ws.edit("a.txt", "same", "other", line=1_600)
    assert (result.is_error, result.text) == (False, "Edited a.txt:1600")
    assert fs.files()["a.txt"].decode().split("\n")[1_599] == "other"


def test_of_many_matches_ten_are_shown_and_the_others_counted() -> None:
    ws, _ = workspace({"a.txt": "".join(f"same {number}\n" for number in range(30)).encode()})
    result = ws.edit("a.txt", "same", "other")
    assert [place["line"] for place in error_of(result)["shown"]] == [*range(1, 11)]
    assert "\n… and 20 more\n" in result.text


def test_of_many_matches_those_near_the_line_are_shown() -> None:
    ws, _ = workspace({"a.txt": b"same\n\n" * 50})
    result = ws.edit("a.txt", "same", "other", line=50)
    assert [place["line"] for place in error_of(result)["shown"]] == [*range(41, 60, 2)]


def test_a_line_does_not_choose_among_more_loose_matches_than_a_search_examines() -> None:
    block = "class A:\n\tdef method(self):\n\t\tx = compute(1)\n\t\treturn x\n"
    ws, fs = workspace({"a.py": (block * 400).encode()})
    old = "    def method(self):\n        x = compute(1)\n"
    result = ws.edit("a.py", old, old.replace("1", "2"), line=2)
    assert error_of(result)["code"] == "OLD_TEXT_NOT_UNIQUE"
    assert fs.files()["a.py"] == (block * 400).encode()


def test_where_earlier_edits_moved_lines_a_number_must_mean_the_same_match_in_both_readings() -> None:
    before = b"top\nsame\nmiddle\nsame\nend\n"
    ws, fs = workspace({"a.txt": before})
    edits: list[dict[str, Any]] = [
        {"old_string": "top\n", "new_string": "1\n2\n3\n"},
        {"old_string": "same", "new_string": "x", "line": 4},
    ]
    result = ws.edit("a.txt", edits=edits)
    assert error_of(result)["code"] == "OLD_TEXT_NOT_UNIQUE"
    assert (error_of(result)["near"], error_of(result)["edit_index"]) == (4, 1)
    assert fs.files() == {"a.txt": before}


@pytest.mark.process
def test_all_of_a_text_that_differs_in_the_file_is_one_place() -> None:
    ws, fs = workspace({"a.py": b"def f():\n\tx = 1\n\treturn x\n"})
    result = ws.edit("a.py", "    x = 1\n    return x", "    return 1", replace_all=True)
    assert (result.is_error, fs.files()["a.py"]) == (False, b"def f():\n\treturn 1\n")


def test_of_many_replaced_places_the_first_lines_are_told() -> None:
    ws, _ = workspace({"a.txt": LINES.encode()})
    result = ws.edit("a.txt", "same", "other", replace_all=True)
    assert result.text == "Edited a.txt: lines 2, 4, 6, 8, 10, 12, 14, 16 and 992 more"
    assert len(result.metadata["edits"][0]["lines"]) == 1_000


def test_what_takes_too_long_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edit, "_FURTHER_SECONDS", -1.0)
    ws, _ = workspace({"a.txt": b"one\n"})
    result = ws.edit("a.txt", edits=[{"old_string": f"nowhere {number}", "new_string": "x"} for number in range(5)])
    assert error_of(result)["unexamined"] == 4
    assert result.text.endswith("\n4 more edits not checked: time limit reached.")


def test_of_many_failures_ten_are_told() -> None:
    ws, _ = workspace({"a.txt": b"one\n"})
    result = ws.edit("a.txt", edits=[{"old_string": f"nowhere {number}", "new_string": "x"} for number in range(14)])
    assert result.text.startswith("All 14 edits failed. Nothing was changed. Send all 14 again, corrected.\nedits[0]: ")
    assert result.text.endswith("\nAlso failed: edits[10], edits[11], edits[12], edits[13].")
    assert len(error_of(result)["further_failures"]) == 13


@pytest.mark.parametrize(
    ("files", "arguments", "code"),
    [
        ({"a": b"\0\1"}, {"file_path": "a", "old_string": "x", "new_string": "y"}, "BINARY_FILE"),
        ({"a": b"x"}, {"file_path": "../a", "old_string": "x", "new_string": "y"}, "PATH_OUTSIDE_WORKSPACE"),
        ({".envrc": b"x"}, {"file_path": ".envrc", "old_string": "x", "new_string": "y"}, "PROTECTED_PATH"),
        ({"a": b"x\xff\n"}, {"file_path": "a", "old_string": "x", "new_string": "é"}, "ENCODING_UNKNOWN"),
        ({"a": b"x"}, {"file_path": "a", "old_string": "x", "new_string": "\ud800"}, "NOT_ENCODABLE"),
        ({"a": b"x\nx\n"}, {"file_path": "a", "old_string": "x"}, "INVALID_ARGUMENTS"),
    ],
)
def test_a_file_that_cannot_be_edited_is_refused(files: Any, arguments: Any, code: str) -> None:
    ws, fs = workspace(files)
    result = ws.call("edit", arguments)
    assert error_of(result)["code"] == code
    assert fs.files() == files


def test_a_call_that_is_over_its_time_says_so_and_not_that_an_edit_failed() -> None:
    ws, _ = workspace({"a.txt": LINES.encode()}, Settings(call_ms=1))
    edits = [{"old_string": f"line {number}\n", "new_string": f"row {number}\n"} for number in range(1_000)]
    assert error_of(ws.edit("a.txt", edits=edits))["code"] == "CALL_TIMED_OUT"


def test_too_many_edits_are_refused() -> None:
    ws, _ = workspace({"a.txt": b"one\n"}, Settings(max_edits=2))
    result = ws.edit("a.txt", edits=[{"old_string": "one", "new_string": "x"}] * 3)
    assert error_of(result)["code"] == "INPUT_TOO_LARGE"


@pytest.mark.process
def test_a_placeholder_that_is_meant_is_written() -> None:
    ws, fs = workspace({"a.py": b"def f():\n    return 1\n"})
    new = "def f():\n    # ... existing code ...\n"
    assert error_of(ws.edit("a.py", "def f():\n    return 1\n", new))["code"] == "ELISION_IN_NEW_TEXT"
    assert not ws.edit("a.py", "def f():\n    return 1\n", new, literal=True).is_error
    assert fs.files()["a.py"] == new.encode()


@pytest.mark.process
def test_a_placeholder_that_is_only_added_is_a_warning() -> None:
    ws, _ = workspace({"a.py": b"def f():\n    return 1\n"})
    result = ws.edit("a.py", "def f():\n", "# rest of the file unchanged\ndef f():\n")
    assert result.text.startswith("Edited a.py:1\nwarning: new_string seems to contain a placeholder")


@pytest.mark.process
def test_a_text_that_an_earlier_version_has_is_merged() -> None:
    before = b"def f():\n    x = 1\n    u = 0\n    v = 0\n    y = 2\n    return x + y\n"
    ws, fs = workspace({"a.py": before})
    ws.read("a.py")
    fs.put("a.py", before.replace(b"y = 2", b"y = 3"))
    old = before.decode()
    result = ws.edit("a.py", old, old.replace("x = 1", "x = 10"))
    assert result.text == "Edited a.py:2, found as it was in an earlier version; now:\n2\t    x = 10"
    assert fs.files()["a.py"] == before.replace(b"y = 2", b"y = 3").replace(b"x = 1", b"x = 10")


def test_the_lines_of_each_edit_are_those_of_the_result() -> None:
    ws, fs = workspace({"a.txt": b"a\nb\nc\nd\n"})
    edits = [
        {"old_string": "d", "new_string": "D"},
        {"old_string": "b\n", "new_string": "b\n1\n2\n"},
        {"old_string": "a\n", "new_string": ""},
        {"old_string": "1", "new_string": "one"},
    ]
    result = ws.edit("a.txt", edits=edits)
    assert fs.files()["a.txt"] == b"b\none\n2\nc\nD\n"
    assert [place["lines"] for place in result.metadata["edits"]] == [[5], [2], [1], [2]]


def test_many_replacements_of_many_edits_take_little_time() -> None:
    ws, fs = workspace({"a.txt": b"a b\n" * 30_000})
    edits = [{"old_string": old, "new_string": old + old, "replace_all": True} for old in ("a", "b")]
    result = ws.edit("a.txt", edits=edits)
    assert result.text == (
        "Edited a.txt: lines 1, 2, 3, 4, 5, 6, 7, 8 and 29992 more\n"
        "Edited a.txt: lines 1, 2, 3, 4, 5, 6, 7, 8 and 29992 more"
    )
    assert [(place["places"], len(place["lines"])) for place in result.metadata["edits"]] == [(30_000, 1_000)] * 2
    assert fs.files()["a.txt"] == b"aa bb\n" * 30_000


def test_too_many_replacements_are_refused() -> None:
    ws, _ = workspace({"a.txt": LINES.encode()}, Settings(max_replacements=1_500))
    edits = [{"old_string": old, "new_string": "x", "replace_all": True} for old in ("same", "line")]
    assert error_of(ws.edit("a.txt", edits=edits))["code"] == "INPUT_TOO_LARGE"
    assert not ws.edit("a.txt", "same", "x", replace_all=True).is_error


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"x = 1\n", "  x = 1\n", "", b""),
        (b"x = 1", "  x = 1", "", b""),
        (b"x foo\ny\n", "x foo\r\ny", "x\r\ny", b"x\ny\n"),
        (b"    x = foo(1,\n        2)\n", "foo(1,\r\n        2)", "bar()", b"    x = bar()\n"),
        (b"one\r\ntwo\r\n", "one\r\ntwo", "1\r\n2", b"1\r\n2\r\n"),
    ],
)
def test_an_edit_that_leaves_nothing_or_has_other_line_breaks_lands(
    before: bytes, old: str, new: str, after: bytes
) -> None:
    ws, fs = workspace({"a.txt": before})
    result = ws.edit("a.txt", old, new)
    assert (result.is_error, fs.files()["a.txt"]) == (False, after), result.text


def test_with_crlf_in_it_a_text_is_as_ambiguous_as_without() -> None:
    ws, fs = workspace({"a.txt": b"x foo\ny\nfoo\nz foo\n"})
    assert error_of(ws.edit("a.txt", "foo\r\n", "bar\r\n"))["code"] == "OLD_TEXT_NOT_UNIQUE"
    assert not ws.edit("a.txt", "foo\r\n", "bar\r\n", replace_all=True).is_error
    assert fs.files()["a.txt"] == b"x bar\ny\nbar\nz bar\n"


def test_a_match_in_an_unfinished_last_line_gets_the_line_breaks_of_the_others() -> None:
    ws, fs = workspace({"a.txt": b"re 1\r\nre 2"})
    assert not ws.edit("a.txt", "re", "p\nq", line=2).is_error
    assert fs.files()["a.txt"] == b"re 1\r\np\r\nq 2"


def test_the_number_of_places_is_the_real_one() -> None:
    ws, _ = workspace({"a.txt": b"same same\n" * 1_000})
    result = ws.edit("a.txt", "same", "other")
    assert (error_of(result)["number"], len(error_of(result)["shown"])) == (2_000, 10)
    assert result.text.startswith(
        "OLD_TEXT_NOT_UNIQUE: old_string was found in 2,000 places in a.txt.\nLine 1 (2 times):"
    )
    assert "\n… and 1980 more\n" in result.text


@pytest.mark.process
def test_one_of_several_edits_may_contain_a_placeholder_that_is_meant() -> None:
    ws, fs = workspace({"a.py": b"def f():\n    return 1\n"})
    new = "def f():\n    # ... existing code ...\n"
    result = ws.edit("a.py", edits=[{"old_string": "def f():\n    return 1\n", "new_string": new, "literal": True}])
    assert (result.is_error, fs.files()["a.py"]) == (False, new.encode())


@pytest.mark.parametrize(
    ("before", "other"),
    [
        ("dose_mg = get()\ngive(dose_mg)\nlog(dose_mg)\nend()\n", ("mg", "ug")),
        ("#define PORT_A 80\nint x = PORT_A;\nbind(x);\nlisten(x);\n", ("PORT_A", "PORT_B")),
        ('import os\nKEY_A = load("a")\nx = KEY_A + 1\nprint(x)\n', ("KEY_A", "KEY_B")),
    ],
)
def test_a_word_that_differs_in_several_lines_is_another_word_and_not_a_slip(
    before: str, other: tuple[str, str]
) -> None:
    ws, fs = workspace({"a.txt": before.encode()})
    sent = before.replace(*other)
    result = ws.edit(
        "a.txt", sent, sent.replace("end()", "stop()").replace("listen(x)", "listen(x, 5)").replace("+ 1", "+ 2")
    )
    assert error_of(result)["code"] in {"NO_MATCH", "UNPROVED_CHANGE"}, result.text
    assert fs.files()["a.txt"] == before.encode()


def test_only_the_syntax_is_checked_where_nobody_asked_for_more() -> None:
    markers = "<<<<<<< ours\n1\n=======\n2\n>>>>>>> theirs\n"
    ws, fs = workspace({"a.txt": b"one\n", "suture.toml": b"= not TOML"})
    assert ws.edit("a.txt", "one\n", markers).text == "Edited a.txt:1"
    assert fs.files()["a.txt"] == markers.encode()


@pytest.mark.parametrize("line", [None, 7])
def test_a_text_with_millions_of_matches_is_refused_without_a_list_of_them(line: int | None) -> None:
    ws, fs = workspace({"a.txt": b"x " * 3_000_000})
    result = ws.edit("a.txt", " ", "-", line=line)
    assert (error_of(result)["code"], error_of(result)["number"]) == ("OLD_TEXT_NOT_UNIQUE", 3_000_000)
    assert error_of(ws.edit("a.txt", " ", "-", replace_all=True))["code"] == "INPUT_TOO_LARGE"
    assert fs.files()["a.txt"] == b"x " * 3_000_000
