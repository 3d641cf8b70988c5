"""The tool `file_edit`: the shape of its arguments and of every answer."""

import json
from pathlib import Path
from typing import Any

import pytest

from suture import Settings
from suture.tools import find
from tests.unit.changes import done, git_apply, hashed, recorded, refused, workspace
from tests.unit.file_edits import Edit, ask, edit, failed, part, seen, wrong

TYPES = {"NO_MATCH", "WRONG_COUNT", "FILE_NOT_FOUND", "BINARY_FILE", "PERMISSION_DENIED"}
FIXES = {
    "USE_EXACT_TEXT",
    "ADJUST_COUNT",
    "ESCAPE_SPECIAL",
    "CHECK_WHITESPACE",
    "ALREADY_APPLIED",
    "TARGET_DELETED",
}

# Success


@pytest.mark.promise("edit.shape")
def test_a_success_has_exactly_this_shape() -> None:
    ws, _ = workspace({"src/a.py": b"one\ntwo\nthree\ntwo\n"})
    result = ask(ws, "src/a.py", edit("two", "2", 2), edit("three\n", ""))
    after = b"one\n2\n2\n"
    expected = {
        "path": "src/a.py",
        "diff": {
            "unified": "diff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1,4 +1,3 @@\n one\n"
            "-two\n-three\n-two\n+2\n+2\n",
            "added": 2,
            "removed": 3,
            "truncated": False,
        },
        "edits_applied": [
            {"edit_index": 0, "occurrences_replaced": 2, "line_numbers": [2, 4]},
            {"edit_index": 1, "occurrences_replaced": 1, "line_numbers": [3]},
        ],
        "total_replacements": 3,
        "change_id": recorded(ws)[0]["change_id"],
        "hash": hashed(after),
    }
    assert part(done(result), expected) == expected
    assert not {"validation_error", "suggested_fixes", "file_preview", "error", "preview"} & set(result.metadata)
    assert result.to_dict() == {
        "isError": False,
        "content": [{"type": "text", "text": result.text}],
        "metadata": result.metadata,
    }
    json.dumps(result.to_dict())


def test_the_text_of_a_success_names_the_file_and_the_number_of_replacements() -> None:
    ws, _ = workspace({"src/a.py": b"one\ntwo\nthree\ntwo\n"})
    text = ask(ws, "src/a.py", edit("two", "2", 2), edit("three\n", "")).text
    assert "src/a.py" in text
    assert "3" in text


@pytest.mark.parametrize("edits", [[edit("two", "two", 2)], [edit("one", "1"), edit("1", "one")]])
def test_what_changes_nothing_is_no_change(edits: list[Edit]) -> None:
    before = b"one\ntwo\nthree\ntwo\n"
    ws, fs = workspace({"a": before})
    untouched = seen(fs)
    data = done(ask(ws, "a", *edits))
    assert (data["change_id"], data["hash"], recorded(ws)) == (None, hashed(before), [])
    nothing = {"unified": "", "added": 0, "removed": 0}
    assert part(data["diff"], nothing) == nothing
    assert data["total_replacements"] == sum(each.get("occurrences", 1) for each in edits)
    assert seen(fs) == untouched


@pytest.mark.process
@pytest.mark.parametrize("before", [b"a\nb\nc\n" * 20, b"a\r\nb\r\nc" * 20, "é\n\tb\nc".encode() * 5, b"b" * 20])
def test_git_applies_the_diff(tmp_path: Path, before: bytes) -> None:
    ws, fs = workspace({"src/a": before})
    data = done(ask(ws, "src/a", edit("b", "one\ntwo", before.count(b"b"))))
    assert git_apply(tmp_path, {"src/a": before}, data["diff"]["unified"]) == fs.files()


def test_a_long_diff_is_whole_in_the_metadata_and_cut_in_the_text() -> None:
    before = b"x\n" * 1_000
    ws, _ = workspace({"a": before})
    result = ask(ws, "a", edit("x", "y", 1_000))
    data = done(result)
    assert (data["diff"]["added"], data["diff"]["removed"]) == (1_000, 1_000)
    assert data["diff"]["unified"].count("\n+y") == 1_000
    assert len(result.text.split("\n")) < 450
    assert data["edits_applied"][0]["line_numbers"] == list(range(1, 1_001))


# Failures


@pytest.mark.parametrize(
    ("edits", "code"),
    [
        ([edit("nowhere", "x"), edit("one", "1")], "NO_MATCH"),
        ([edit("one", "1"), edit("nowhere\nat all", "x", 2)], "NO_MATCH"),
        ([edit("one", "1"), edit("two", "x")], "WRONG_COUNT"),
    ],
)
@pytest.mark.promise("edit.shape")
def test_a_validation_error_has_the_fields_of_the_specification(edits: list[Edit], code: str) -> None:
    result = failed(b"one\ntwo\nthree\ntwo\n", *edits, path="src/a.py")
    told, error = wrong(result), refused(result)
    index = next(at for at, each in enumerate(edits) if each["old_text"] != "one")
    assert result.metadata["path"] == "src/a.py"
    expected = {"type": code, "edit_index": index, "total_edits": 2}
    assert part(told, expected) == expected
    assert told["message"].startswith(f"Edit {index + 1} of 2 failed: ")
    assert (error["code"], error["retryable"]) == (code, False)
    assert error["message"]
    assert error["hint"]
    assert all(each["type"] in FIXES and each["suggestion"] for each in result.metadata["suggested_fixes"])
    assert not {"diff", "edits_applied", "total_replacements", "preview", "would_modify"} & set(result.metadata)
    json.dumps(result.to_dict())


def test_no_match_has_the_text_that_was_searched_and_what_is_like_it() -> None:
    before = b"def one():\n    return 1\n\n\ndef two():\n    return 2\n"
    sent = "def  two():\n  return 2\n"
    result = failed(before, edit(sent, "x"))
    told = wrong(result)
    assert told["search_text"] == sent
    assert not told.get("match_locations")
    assert told["similar_content"]
    for each in told["similar_content"]:
        assert set(each) == {"line_number", "content", "similarity_score", "symbol", "differences"}
        assert 0 <= each["similarity_score"] <= 1
        assert all({"type", "expected", "found"} <= set(one) for one in each["differences"])
        assert {one["type"] for one in each["differences"]} <= {"whitespace", "case", "punctuation", "content"}
    best = told["similar_content"][0]
    assert best["line_number"] == 5
    assert best["content"].startswith("def two():")
    scores = [each["similarity_score"] for each in told["similar_content"]]
    assert scores == sorted(scores, reverse=True)


def test_the_file_preview_is_a_section_of_the_file() -> None:
    lines = [f"line number {number}" for number in range(1, 101)]
    before = "\n".join(lines) + "\n"
    result = failed(before.encode(), edit("line numbr 50", "x"))
    preview = result.metadata["file_preview"]
    assert preview["total_lines"] == 100
    first, last = preview["preview_start_line"], preview["preview_end_line"]
    assert 1 <= first <= 50 <= last <= 100
    assert preview["content"].rstrip("\n").split("\n") == lines[first - 1 : last]
    assert last - first < 60
    for each in preview.get("highlights") or []:
        assert set(each) == {"line_number", "column_start", "column_end"}
        assert first <= each["line_number"] <= last
        assert 1 <= each["column_start"] <= each["column_end"] <= len(lines[each["line_number"] - 1]) + 1


def test_a_preview_is_there_even_where_nothing_is_alike() -> None:
    result = failed(b"one\ntwo\n", edit("zzzzzzzzzzzzzz qqqqqqqqqqqqq", "x"))
    assert wrong(result)["similar_content"] == []
    if (preview := result.metadata.get("file_preview")) is not None:
        assert preview["total_lines"] == 2
        assert preview["content"].rstrip("\n") in {"one\ntwo", "one", "two", ""}


@pytest.mark.promise("edit.places")
def test_every_place_of_a_wrong_count_is_told() -> None:
    before = b"first x\n  x and x\nlast x"
    result = failed(before, edit("x", "y", 2))
    told = wrong(result)
    assert (told["expected_occurrences"], told["actual_occurrences"]) == (2, 4)
    places = [
        (1, 7, 8, "first x", None, "  x and x"),
        (2, 3, 4, "  x and x", "first x", "last x"),
        (2, 9, 10, "  x and x", "first x", "last x"),
        (3, 6, 7, "last x", "  x and x", None),
    ]
    names = ("line_number", "column_start", "column_end", "line_content", "context_before", "context_after")
    assert [tuple(each.get(name) for name in names) for each in told["match_locations"]] == places


@pytest.mark.parametrize(
    ("before", "old", "places"),
    [
        ("é x\n🎉 x\n", "x", [(1, 3, 4), (2, 3, 4)]),
        ("\tx\n\t\tx\n", "x", [(1, 2, 3), (2, 3, 4)]),
        ("🎉🎉 🎉\n", "🎉", [(1, 1, 2), (1, 2, 3), (1, 4, 5)]),
        ("a\r\nx\r\nx\r\n", "x", [(2, 1, 2), (3, 1, 2)]),
        ("a\rx\rx", "x", [(2, 1, 2), (3, 1, 2)]),
        ("xx xx\n", "xx", [(1, 1, 3), (1, 4, 6)]),
    ],
)
@pytest.mark.promise("edit.places")
def test_columns_count_characters_from_one_and_end_before(
    before: str, old: str, places: list[tuple[int, int, int]]
) -> None:
    told = wrong(failed(before.encode(), edit(old, "new", 50)))
    shown = [(each["line_number"], each["column_start"], each["column_end"]) for each in told["match_locations"]]
    assert shown == places


def test_a_place_over_several_lines_is_told_with_its_first_line() -> None:
    told = wrong(failed(b"(a\nb)\n(a\nb)\n", edit("a\nb", "x")))
    assert [each["line_number"] for each in told["match_locations"]] == [1, 3]
    assert [each["column_start"] for each in told["match_locations"]] == [2, 2]
    assert all(each["line_content"] == "(a" for each in told["match_locations"])


def test_places_are_complete_in_the_metadata_but_few_in_the_text() -> None:
    result = failed(b"x\n" * 300, edit("x", "y"))
    told = wrong(result)
    assert [each["line_number"] for each in told["match_locations"]] == list(range(1, 301))
    assert len([line for line in result.text.split("\n") if line.strip()]) <= 16  # about 15, says the specification
    assert "Line 1, column 1" in result.text
    assert "Line 300, column 1" not in result.text


def test_thousands_of_places_are_complete_in_the_metadata() -> None:
    told = wrong(failed(b"x\n" * 20_000, edit("x", "y")))
    assert (told["actual_occurrences"], len(told["match_locations"])) == (20_000, 20_000)
    assert told["match_locations"][-1]["line_number"] == 20_000


def test_the_line_of_a_place_is_told_in_full() -> None:
    line = "q " * 5_000 + "x and x"
    told = wrong(failed(f"{line}\n".encode(), edit("x", "y")))
    assert [each["column_start"] for each in told["match_locations"]] == [10_001, 10_007]
    assert [each["line_content"] for each in told["match_locations"]] == [line, line]


@pytest.mark.parametrize(
    ("path", "more", "code"),
    [
        ("a", {"edits": [edit("nowhere", "x")]}, "NO_MATCH"),
        ("a", {"edits": [edit("one", "x", 2)]}, "WRONG_COUNT"),
        ("b", {"edits": [edit("one", "x")]}, "FILE_NOT_FOUND"),
        ("bin", {"edits": [edit("one", "x")]}, "BINARY_FILE"),
        ("ro", {"edits": [edit("one", "x")]}, "PERMISSION_DENIED"),
        ("large", {"edits": [edit("one", "x")]}, "INPUT_TOO_LARGE"),
        ("a", {"edits": [edit("one", "x")] * 4}, "INPUT_TOO_LARGE"),
        ("../a", {"edits": [edit("one", "x")]}, "PATH_OUTSIDE_WORKSPACE"),
        (".git/config", {"edits": [edit("one", "x")]}, "PROTECTED_PATH"),
        ("sub", {"edits": [edit("one", "x")]}, "NOT_A_FILE"),
        ("a", {"edits": [edit("one", "x")], "expect_hash": hashed(b"")}, "FILE_CHANGED"),
        ("l1", {"edits": [edit("one", "é")]}, "ENCODING_UNKNOWN"),
        ("l1", {"edits": [edit("one", "→")], "encoding": "latin-1"}, "NOT_ENCODABLE"),
        ("a", {"edits": []}, "INVALID_ARGUMENTS"),
    ],
)
@pytest.mark.promise("edit.shape")
def test_the_path_and_the_error_are_always_in_the_metadata(path: str, more: dict[str, Any], code: str) -> None:
    files = {"a": b"one\n", "bin": b"\0one", "ro": b"one\n", "large": b"one\n" * 50, "sub/c": b"", "l1": b"one \xe9\n"}
    ws, fs = workspace({**files, ".git/config": b"one\n"}, Settings(max_file_bytes=100, max_edits=3))
    fs.node_of("ro").mode = 0o444
    untouched = seen(fs)
    result = ws.call("file_edit", {"path": path, **more})
    error = refused(result)
    assert (error["code"], result.metadata["path"]) == (code, path)
    assert error["message"]
    assert error["hint"]
    assert error["retryable"] is (code == "FILE_CHANGED")
    assert result.to_dict()["isError"] is True
    if code in TYPES:
        told = wrong(result)
        assert (told["type"], told["total_edits"], type(told["edit_index"])) == (code, 1, int)
        assert told["message"]
    assert seen(fs) == untouched


# Bounds


@pytest.mark.promise("edit.bounds")
def test_a_file_that_is_too_large_is_refused_with_the_setting() -> None:
    result = failed(b"x" * 101, edit("x", "y"), settings=Settings(max_file_bytes=100))
    error = refused(result)
    expected = {"code": "INPUT_TOO_LARGE", "size": 101, "limit": 100, "setting": "max_file_bytes"}
    assert part(error, expected) == expected
    assert "max_file_bytes" in result.text
    assert (Settings().max_file_bytes, Settings().max_edits) == (100_000_000, 1_000)


@pytest.mark.promise("edit.bounds")
def test_more_edits_than_allowed_are_refused_with_the_setting() -> None:
    edits = [edit("x", "x")] * 1_001
    result = failed(b"x", *edits)
    expected = {"code": "INPUT_TOO_LARGE", "size": 1_001, "limit": 1_000, "setting": "max_edits"}
    assert part(refused(result), expected) == expected
    assert "max_edits" in result.text
    ws, _ = workspace({"a": b"x"})
    assert done(ask(ws, "a", *edits[:1_000]))["total_replacements"] == 1_000


def test_a_request_that_is_too_large_is_refused_with_the_setting() -> None:
    result = failed(b"x", edit("x", "y" * 200), settings=Settings(max_request_bytes=150))
    expected = {"code": "INPUT_TOO_LARGE", "setting": "max_request_bytes"}
    assert part(refused(result), expected) == expected


@pytest.mark.promise("edit.bounds")
def test_more_replacements_than_allowed_are_refused_before_the_file_is_read() -> None:
    ws, _ = workspace({"a": b"x"}, Settings(max_replacements=9))
    doubling = [edit("x", "xx", 2**step) for step in range(4)]
    error = ask(ws, "a", *doubling).metadata["error"]
    assert (error["code"], error["setting"], error["size"]) == ("INPUT_TOO_LARGE", "max_replacements", 15)
    done(ask(ws, "a", *doubling[:3]))


@pytest.mark.promise("edit.bounds")
def test_a_result_that_is_too_large_is_refused_before_it_is_made() -> None:
    ws, _ = workspace({"a": b"x" * 90}, Settings(max_file_bytes=100))
    error = ask(ws, "a", edit("x", "y" * 1_000_000, 90)).metadata["error"]
    assert (error["code"], error["setting"], error["size"]) == ("INPUT_TOO_LARGE", "max_file_bytes", 90_000_000)


def test_an_encoding_without_end_is_refused() -> None:
    ws, _ = workspace({"a": b"x"})
    result = ws.call("file_edit", {"path": "a", "edits": [edit("x", "y")], "encoding": "x" * 10_000})
    assert result.metadata["error"]["code"] == "INVALID_ARGUMENTS"
    assert len(result.text) < 1_000


# Arguments


@pytest.mark.parametrize(
    "edits",
    [
        [edit("b", "B")],
        edit("b", "B"),
        json.dumps([edit("b", "B")]),
        json.dumps(edit("b", "B")),
        [json.dumps(edit("b", "B"))],
        [{"old_text": "b", "new_text": "B", "occurrences": "1"}],
        [{"old_text": "b", "new_text": "B", "occurrences": 1.0}],
        [{"old_text": "b", "new_text": "B", "occurrences": None}],
    ],
)
@pytest.mark.promise("edit.arguments")
def test_wrong_shapes_that_mean_one_thing_are_understood(edits: Any) -> None:
    ws, fs = workspace({"a": b"a b c\n"})
    done(ws.call("file_edit", {"path": "a", "edits": edits}))
    assert fs.files() == {"a": b"a B c\n"}


@pytest.mark.parametrize(
    ("arguments", "argument", "problem"),
    [
        ({"edits": [{"old_txt": "b", "new_text": "B"}]}, "edits[0].old_txt", "old_text"),
        ({"edits": [edit("a", "A"), {**edit("b", "B"), "occurence": 2}]}, "edits[1].occurence", "occurrences"),
        ({"edits": [{"old_text": "b"}]}, "edits[0].new_text", "missing"),
        ({"edits": [{"new_text": "b"}]}, "edits[0].old_text", "missing"),
        ({"edits": [{"old_text": 3, "new_text": "B"}]}, "edits[0].old_text", "a string"),
        ({"edits": [{"old_text": "b", "new_text": ["B"]}]}, "edits[0].new_text", "a string"),
        ({"edits": [{"old_text": "b", "new_text": None}]}, "edits[0].new_text", ""),
        ({"edits": [edit("b", "B", 0)]}, "edits[0].occurrences", "at least 1"),
        ({"edits": [edit("b", "B", -1)]}, "edits[0].occurrences", "at least 1"),
        ({"edits": [{**edit("b", "B"), "occurrences": 1.5}]}, "edits[0].occurrences", "whole number"),
        ({"edits": [{**edit("b", "B"), "occurrences": "all"}]}, "edits[0].occurrences", "whole number"),
        ({"edits": [{**edit("b", "B"), "occurrences": True}]}, "edits[0].occurrences", "whole number"),
        ({"edits": "b"}, "edits", "a list of objects"),
        ({"edits": 3}, "edits", "a list of objects"),
        ({"edits": ["b"]}, "edits[0]", "an object"),
        ({"edits": [3]}, "edits[0]", "an object"),
        ({"edits": [edit("b", "B")], "dry_run": "maybe"}, "dry_run", "true or false"),
        ({"edits": [edit("b", "B")], "dryrun": True}, "dryrun", "dry_run"),
        ({"edits": [edit("b", "B")], "validate": "maybe"}, "validate", "expected one of"),
        ({"edits": [edit("b", "B")], "expect_hash": "sha256:0"}, "expect_hash", "hexadecimal"),
        ({"edits": [edit("b", "B")], "encoding": 8}, "encoding", "a string"),
        ({"edits": [edit("b", "B")], "match": "lenient"}, "match", "unknown"),
        ({"edits": [edit("b", "B")], "path": 3}, "path", "a string"),
    ],
)
@pytest.mark.promise("edit.arguments")
def test_what_is_unknown_or_of_a_wrong_type_is_refused_with_its_place(
    arguments: dict[str, Any], argument: str, problem: str
) -> None:
    ws, fs = workspace({"a": b"a b c\n"})
    untouched = seen(fs)
    result = ws.call("file_edit", {"path": "a", **arguments})
    error = refused(result)
    told = error["problems"][0]
    assert (error["code"], told["argument"]) == ("INVALID_ARGUMENTS", argument)
    assert problem in told["problem"]
    assert argument in result.text
    assert seen(fs) == untouched


def test_the_path_is_needed() -> None:
    ws, _ = workspace()
    error = refused(ws.call("file_edit", {"edits": [edit("a", "b")]}))
    assert (error["code"], error["problems"][0]["argument"]) == ("INVALID_ARGUMENTS", "path")


@pytest.mark.parametrize("validate", ["off", "warn", "strict"])
def test_validation_can_be_asked_for(validate: str) -> None:
    ws, fs = workspace({"a": b"a\n"})
    done(ask(ws, "a", edit("a", "b"), validate=validate))
    assert fs.files() == {"a": b"b\n"}


@pytest.mark.promise("edit.shape")
def test_the_schema_has_the_fields_of_the_specification() -> None:
    schema = find("file_edit").request.schema()
    item = schema["properties"]["edits"]["items"]
    assert schema["properties"]["edits"]["type"] == "array"
    assert list(schema["properties"]) == [
        *("path", "edits", "dry_run", "encoding", "expect_hash", "validate", "literal")
    ]
    assert schema["required"] == ["path", "edits"]
    assert list(item["properties"]) == ["old_text", "new_text", "occurrences"]
    assert item["required"] == ["old_text", "new_text"]
    count = {"type": "integer", "minimum": 1, "default": 1}
    assert part(item["properties"]["occurrences"], count) == count
    assert schema["properties"]["dry_run"]["default"] is False


def test_a_call_never_raises() -> None:
    ws, fs = workspace({"a": b"a\n"})
    odd: list[Any] = [None, [], "", 3, {"edits": {}}, {"path": "", "edits": [edit("a", "b")]}]
    odd += [{"path": "a\0b", "edits": [edit("a", "b")]}, {"path": "a", "edits": [[]]}]
    odd += [{"path": "a", "edits": [{1: 2}]}, {"path": "a", "edits": "{" * 5_000}]
    for arguments in odd:
        error = refused(ws.call("file_edit", arguments))
        assert error["code"] != "INTERNAL"
    assert fs.files() == {"a": b"a\n"}
