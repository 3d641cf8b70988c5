"""The tool `file_edit`, the specification's categories 1 and 7: basic operations, fixtures, real scenarios."""

from pathlib import Path
from typing import Any

import pytest

from suture import Settings, Workspace
from tests.unit.changes import done, hashed, recorded, workspace
from tests.unit.file_edits import ask, edit, edited, failed, wrong

# The specification's fixtures, as they are written there

FIXTURES: dict[str, dict[str, Any]] = {
    "simple": {
        "content": "Hello World",
        "edits": [{"old_text": "World", "new_text": "Universe"}],
        "expected": "Hello Universe",
    },
    "multipleOccurrences": {
        "content": "foo bar foo baz foo",
        "edits": [{"old_text": "foo", "new_text": "qux", "occurrences": 3}],
        "expected": "qux bar qux baz qux",
    },
    "sequential": {
        "content": "const a = 1;\nconst b = 2;",
        "edits": [
            {"old_text": "const", "new_text": "let", "occurrences": 2},
            {"old_text": "let a", "new_text": "let x"},
            {"old_text": "= 1", "new_text": "= 100"},
        ],
        "expected": "let x = 100;\nlet b = 2;",
    },
    "whitespace": {
        "content": "function  foo() {\n\treturn  true;\n}",
        "edits": [{"old_text": "function  foo", "new_text": "function bar"}],
        "expected": "function bar() {\n\treturn  true;\n}",
    },
    "lineEndings.windows": {
        "content": "line1\r\nline2\r\nline3",
        "edits": [{"old_text": "line2", "new_text": "LINE2"}],
        "expected": "line1\r\nLINE2\r\nline3",
    },
    "lineEndings.unix": {
        "content": "line1\nline2\nline3",
        "edits": [{"old_text": "line2", "new_text": "LINE2"}],
        "expected": "line1\nLINE2\nline3",
    },
    "lineEndings.mac": {
        "content": "line1\rline2\rline3",
        "edits": [{"old_text": "line2", "new_text": "LINE2"}],
        "expected": "line1\rLINE2\rline3",
    },
}


@pytest.mark.parametrize("name", FIXTURES)
@pytest.mark.promise("edit.exact")
def test_the_fixtures_of_the_specification_give_what_is_expected(name: str) -> None:
    fixture = FIXTURES[name]
    assert edited(fixture["content"].encode(), *fixture["edits"]) == fixture["expected"].encode()


# Basic operations


def test_single_edit_with_default_occurrence() -> None:
    assert edited(b"one two three\n", edit("two", "2")) == b"one 2 three\n"


def test_single_edit_with_explicit_occurrence_count() -> None:
    assert edited(b"one two three\n", edit("two", "2", 1)) == b"one 2 three\n"
    assert edited(b"x y x y x\n", edit("x", "z", 3)) == b"z y z y z\n"


def test_multiple_edits_in_sequence() -> None:
    assert edited(b"a\nb\nc\n", edit("c", "3"), edit("a", "1"), edit("b", "2")) == b"1\n2\n3\n"


@pytest.mark.parametrize("edits", [[], "[]", None, ...])
@pytest.mark.promise("edit.arguments")
def test_empty_edits_array_handling(edits: Any) -> None:
    ws, fs = workspace({"a": b"one\n"})
    result = ws.call("file_edit", {"path": "a"} if edits is ... else {"path": "a", "edits": edits})
    error = result.metadata["error"]
    assert (result.is_error, error["code"]) == (True, "INVALID_ARGUMENTS")
    assert "No edits provided" in result.text
    assert "No edits provided" in error["message"]
    assert fs.files() == {"a": b"one\n"}


def test_a_file_of_more_than_10_mb_is_edited_and_brought_back(tmp_path: Any) -> None:
    line = b"%07d: the quick brown fox jumps over the lazy dog\n"
    before = b"".join(line % number for number in range(220_000))
    assert len(before) > 10_000_000
    (tmp_path / "large").write_bytes(before)
    ws = Workspace(tmp_path)
    edits = [edit("0000000: the", "first: the"), edit("0110000: the", "middle: the"), edit("0219999: the", "last: the")]
    data = done(ask(ws, "large", *edits))
    after = before.replace(b"0000000", b"first").replace(b"0110000", b"middle").replace(b"0219999", b"last")
    assert (tmp_path / "large").read_bytes() == after
    assert [each["line_numbers"] for each in data["edits_applied"]] == [[1], [110_001], [220_000]]
    assert data["hash"] == hashed(after)
    done(ws.undo())
    assert (tmp_path / "large").read_bytes() == before


def test_very_long_lines_are_edited_like_others() -> None:
    long = b"x" * 30_000 + b"needle" + b"y" * 30_000
    before = b"first\n" + long + b"\nlast\n"
    assert edited(before, edit("needle", "thread")) == before.replace(b"needle", b"thread")
    assert edited(before, edit("y" * 30_000 + "\nlast", "end")) == b"first\n" + long[:30_006] + b"end\n"


def test_a_failure_in_a_very_long_line_is_told_briefly() -> None:
    before = b"first\n" + b"x y " * 5_000 + b"needle\nlast\n"
    result = failed(before, edit("needel", "thread"))
    assert wrong(result)["type"] == "NO_MATCH"
    assert len(result.text) < 4_000
    result = failed(before, edit("x y ", "z"))
    assert (wrong(result)["type"], wrong(result)["actual_occurrences"]) == ("WRONG_COUNT", 5_000)
    assert len(wrong(result)["match_locations"]) == 5_000
    assert len(result.text) < 4_000


@pytest.mark.parametrize(
    ("before", "edits", "after"),
    [
        (b"a b c\n", [edit(" b", "")], b"a c\n"),
        (b"a\nb\nc\n", [edit("a\nb\n", "A\n")], b"A\nc\n"),
        (b"a\nb\n", [edit("a\n", "a\nmore\nlines\n")], b"a\nmore\nlines\nb\n"),
        (b"a\n", [edit("a", "$1 $& \\1 \\n \\g<0> %s {}")], b"a\n".replace(b"a", b"$1 $& \\1 \\n \\g<0> %s {}")),
        (b"a a\n", [edit("a", "aa", 2)], b"aa aa\n"),
    ],
)
@pytest.mark.promise("edit.exact")
def test_replacement_text_is_literal(before: bytes, edits: list[dict[str, Any]], after: bytes) -> None:
    assert edited(before, *edits) == after


@pytest.mark.promise("edit.undo")
def test_a_call_is_one_change_that_can_be_undone() -> None:
    before = b"\xef\xbb\xbfone\r\ntwo\nthree"
    ws, fs = workspace({"a": before})
    data = done(ask(ws, "a", edit("one", "1"), edit("two", "2"), edit("three", "3")))
    (listed,) = recorded(ws)
    assert (listed["change_id"], listed["tool"]) == (data["change_id"], "file_edit")
    assert [each["path"] for each in listed["files"]] == ["a"]
    assert fs.files() == {"a": b"\xef\xbb\xbf1\r\n2\n3"}
    assert done(ws.undo())["undone"] == data["change_id"]
    assert fs.files() == {"a": before}


def test_without_a_history_edits_land_all_the_same() -> None:
    ws, fs = workspace({"a": b"one\n"}, Settings(history=False))
    data = done(ask(ws, "a", edit("one", "two")))
    assert (fs.files(), data["hash"]) == ({"a": b"two\n"}, hashed(b"two\n"))
    assert wrong(ask(ws, "a", edit("one", "three")))["type"] == "NO_MATCH"


def test_the_typed_method_takes_the_same_arguments() -> None:
    ws, fs = workspace({"a": b"one two\n"})
    options: dict[str, Any] = {"encoding": None, "expect_hash": hashed(b"one two\n"), "validate": "off"}
    assert done(ws.file_edit("a", [edit("one", "1")], dry_run=True, **options))["would_modify"] is True
    done(ws.file_edit(Path("a"), [edit("one", "1"), edit("two", "2")], **options))
    assert fs.files() == {"a": b"1 2\n"}


# Complex real-world scenarios, as they are written in the specification

VARIABLE = """
      const userId = getUserId();
      console.log(userId);
      if (userId) {
        return userId.toString();
      }
    """

IMPORTS = """
      import { foo } from './old-path';
      import { bar } from './old-path';
      import { baz } from './other-path';
    """

COMMENTS = """
      // TODO: implement this
      function feature1() {
        // TODO: implement this
      }
      
      // TODO: implement this  
      function feature2() {
        return null; // TODO: implement this
      }
    """  # noqa: W291, W293  the specification's own white space


def test_handles_renaming_a_variable_throughout_a_file() -> None:
    ws, fs = workspace({"test.ts": VARIABLE.encode()})
    result = ask(ws, "test.ts", {"old_text": "userId", "new_text": "userIdentifier", "occurrences": 4})
    assert not result.is_error
    content = fs.files()["test.ts"].decode()
    assert "userId" not in content.replace("userIdentifier", "")  # the new name begins with the old one
    assert content.count("userIdentifier") == 4
    assert "getUserId()" in content


def test_handles_updating_multiple_import_statements() -> None:
    ws, fs = workspace({"test.ts": IMPORTS.encode()})
    result = ask(ws, "test.ts", {"old_text": "'./old-path'", "new_text": "'./new-path'", "occurrences": 2})
    assert not result.is_error
    assert fs.files()["test.ts"].decode() == IMPORTS.replace("old-path", "new-path")


def test_handles_comment_updates_across_file() -> None:
    ws, fs = workspace({"test.ts": COMMENTS.encode()})
    edits = {"old_text": "// TODO: implement this", "new_text": "// DONE: implemented", "occurrences": 4}
    result = ask(ws, "test.ts", edits)
    assert not result.is_error
    assert fs.files()["test.ts"].decode() == COMMENTS.replace("TODO: implement this", "DONE: implemented")


@pytest.mark.parametrize(
    ("content", "old", "right"),
    [(VARIABLE, "userId", 4), (IMPORTS, "'./old-path'", 2), (COMMENTS, "// TODO: implement this", 4)],
)
def test_the_scenarios_land_with_no_other_count(content: str, old: str, right: int) -> None:
    for count in (1, right - 1, right + 1):
        if count != right:
            told = wrong(failed(content.encode(), edit(old, "x", count)))
            assert (told["type"], told["actual_occurrences"]) == ("WRONG_COUNT", right)


def test_a_refactoring_of_several_steps_lands_at_once() -> None:
    before = b"class A:\n    def get(self):\n        return self.x\n\n\na = A()\nprint(a.get())\n"
    edits = [
        edit("class A:", "class Box:"),
        edit("A()", "Box()"),
        edit("get(", "value(", 2),
        edit("    def value(self):\n", "    @property\n    def value(self):\n"),
        edit("a.value()", "a.value"),
    ]
    after = b"class Box:\n    @property\n    def value(self):\n        return self.x\n\n\na = Box()\nprint(a.value)\n"
    assert edited(before, *edits) == after
