"""`apply_patch`: OpenAI's patches. How they are read, and where hunks go, is in the tests of `apply_reply`."""

from pathlib import Path
from typing import Any

import pytest

from suture import Settings, ToolResult, Workspace
from suture.errors import InvalidArguments
from suture.tools.apply_patch import operation_envelope
from tests.unit.changes import done, recorded, refused, state, workspace
from tests.unit.file_edits import seen

SUCCESS = "Success. Updated the following files:"
NOTHING = "Nothing was changed: send the whole patch again, with what failed fixed."

Files = dict[str, bytes]


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


def update(path: str, *lines: str) -> list[str]:
    return [f"*** Update File: {path}", *lines]


def ask(ws: Workspace, text: str, **more: Any) -> ToolResult:
    return ws.call("apply_patch", {"input": text, **more})


def failed(files: Files, text: str, settings: Settings | None = None) -> ToolResult:
    """What a call is told that fails, and changes nothing."""
    ws, fs = workspace(files, settings)
    untouched = seen(fs)
    result = ask(ws, text)
    assert result.is_error, result.text
    assert seen(fs) == untouched
    assert result.metadata["files"] == []
    return result


CASES: dict[str, tuple[Files, list[str], Files, list[str]]] = {
    "update": (
        {"a.py": b"one\ntwo\nthree\n"},
        update("a.py", "@@", " one", "-two", "+2", " three"),
        {"a.py": b"one\n2\nthree\n"},
        ["M a.py"],
    ),
    "update in two places": (
        {"a.py": b"def f():\n    x = 1\n\n\ndef g():\n    x = 1\n"},
        update("a.py", "@@ def f():", "-    x = 1", "+    x = 2", "@@ def g():", "-    x = 1", "+    x = 3"),
        {"a.py": b"def f():\n    x = 2\n\n\ndef g():\n    x = 3\n"},
        ["M a.py"],
    ),
    "add": ({}, ["*** Add File: src/new.py", "+one", "+", "+two"], {"src/new.py": b"one\n\ntwo\n"}, ["A src/new.py"]),
    "add an empty file": ({}, ["*** Add File: new.py"], {"new.py": b""}, ["A new.py"]),
    "add onto a file": (
        {"a.py": b"\xef\xbb\xbfold\n"},
        ["*** Add File: a.py", "+new é"],
        {"a.py": b"\xef\xbb\xbfnew \xc3\xa9\n"},
        ["M a.py"],
    ),
    "delete": ({"a.py": b"x\n", "b.py": b"y\n"}, ["*** Delete File: a.py"], {"b.py": b"y\n"}, ["D a.py"]),
    "move": (
        {"a.py": b"one\ntwo\n"},
        update("a.py", "*** Move to: lib/b.py", "@@", "-one", "+1", " two"),
        {"lib/b.py": b"1\ntwo\n"},
        ["M lib/b.py"],
    ),
    "move only": ({"a.py": b"x\n"}, update("a.py", "*** Move to: b.py"), {"b.py": b"x\n"}, ["M b.py"]),
    "all at once, told in the order of Codex": (
        {"a.py": b"x\n", "b.py": b"y\n", "c.py": b"z\n"},
        [*update("a.py", "@@", "-x", "+1"), "*** Delete File: b.py", "*** Add File: d.py", "+new"],
        {"a.py": b"1\n", "c.py": b"z\n", "d.py": b"new\n"},
        ["A d.py", "M a.py", "D b.py"],
    ),
    "a file in two sections": (
        {"a.py": b"one\ntwo\n"},
        [*update("a.py", "@@", "-one", "+1"), *update("a.py", "@@", " 1", "-two", "+2")],
        {"a.py": b"1\n2\n"},
        ["M a.py"],
    ),
    "added and then updated": (
        {},
        ["*** Add File: a.py", "+one", *update("a.py", "@@", "-one", "+two")],
        {"a.py": b"two\n"},
        ["A a.py"],
    ),
    "CRLF": (
        {"a.py": b"one\r\ntwo\r\n"},
        update("a.py", "@@", " one", "-two", "+2", "+3"),
        {"a.py": b"one\r\n2\r\n3\r\n"},
        ["M a.py"],
    ),
    "UTF-16": (
        {"a.py": "é\r\nü\r\n".encode("utf-16")},
        update("a.py", "@@", " é", "-ü", "+ö"),
        {"a.py": "é\r\nö\r\n".encode("utf-16")},
        ["M a.py"],
    ),
    "no newline at the end": (
        {"a.py": b"one\ntwo"},
        update("a.py", "@@", "-two", "+2", "*** End of File"),
        {"a.py": b"one\n2"},
        ["M a.py"],
    ),
}


@pytest.mark.promise("api.dialects")
@pytest.mark.parametrize(("before", "lines", "after", "told"), CASES.values(), ids=CASES)
def test_a_patch_lands_as_one_change_that_undo_takes_back(
    before: Files, lines: list[str], after: Files, told: list[str]
) -> None:
    ws, fs = workspace(before)
    old = state(fs)
    result = ask(ws, patch(*lines))
    assert result.text == "\n".join([SUCCESS, *told])
    assert fs.files() == after
    (change,) = recorded(ws)
    assert (change["tool"], change["change_id"]) == ("apply_patch", done(result)["change_id"])
    done(ws.undo())
    assert state(fs) == old


@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "Here it is:\n\n{}\nThat is all.\n",
        "```\n{}```\n",
        "```diff\n{}```\n",
        "apply_patch <<'EOF'\n{}EOF\n",
        "bash -lc apply_patch <<EOF\n{}EOF",
        "\n\n  {}",
    ],
)
def test_text_around_a_patch_is_passed_over(around: str) -> None:
    ws, fs = workspace({"a": b"x\n"})
    assert ask(ws, around.format(patch(*update("a", "@@", "-x", "+y")))).text == f"{SUCCESS}\nM a"
    assert fs.files() == {"a": b"y\n"}


def test_two_patches_land_together() -> None:
    ws, _ = workspace({"a": b"x\n"})
    result = ask(ws, patch(*update("a", "@@", "-x", "+y")) + patch("*** Add File: b", "+new"))
    assert result.text == f"{SUCCESS}\nA b\nM a"
    assert len(recorded(ws)) == 1


def test_the_metadata_are_those_of_apply_reply() -> None:
    text = patch(*update("a", "@@", "-x", "+y"), *update("b", "@@", "-q", "+r"))
    for good in (True, False):
        files = {"a": b"x\n", "b": b"q\n" if good else b"z\n"}
        mine, theirs = ask(workspace(files)[0], text), workspace(files)[0].apply_reply(text, atomic=True)
        assert mine.is_error is theirs.is_error is not good
        assert mine.metadata.keys() == theirs.metadata.keys()
        assert mine.metadata["summary"] == theirs.metadata["summary"]
        assert [each.keys() for each in mine.metadata["blocks"]] == [each.keys() for each in theirs.metadata["blocks"]]


def test_a_dry_run_shows_what_would_happen_and_writes_nothing() -> None:
    ws, fs = workspace({"a": b"x\n", "b": b"y\n"})
    untouched = seen(fs)
    result = ask(ws, patch(*update("a", "@@", "-x", "+z"), "*** Delete File: b"), dry_run=True)
    assert seen(fs) == untouched
    assert result.text.startswith(
        "Dry run: nothing was written. The patch would update the following files:\nM a\nD b\n\ndiff --git a/a b/a\n"
    )
    assert result.text.endswith("-y")
    assert done(result)["change_id"] is None
    failing = ask(ws, patch(*update("a", "@@", "-q", "+z")), dry_run=True)
    assert refused(failing)["code"] == "BLOCKS_FAILED"


@pytest.mark.promise("api.dialects")
def test_one_hunk_that_fails_keeps_all_files_as_they_are() -> None:
    text = patch(
        *update("a.py", "@@", "-x = 1", "+x = 2"), *update("b.py", "@@", " def f():", "-    return 2", "+    pass")
    )
    result = failed({"a.py": b"x = 1\n", "b.py": b"def f():\n    return 3\n"}, text)
    head, first, *_, last = result.text.split("\n")
    assert head == "The patch was not applied: 1 of 2 changes failed."
    assert first.startswith("Hunk 2.1 (line 7 of the input) failed: ")
    assert "return 3" in result.text, "what stands there instead"
    assert last == NOTHING
    statuses = {each["id"]: each["status"] for each in result.metadata["blocks"]}
    assert statuses == {"1.1": "skipped", "2.1": "failed"}
    assert refused(result)["failed"] == ["2.1"]


@pytest.mark.parametrize(
    ("files", "lines", "code", "told"),
    [
        (
            {"a": b"x\ny\nx\n"},
            update("a", "@@", "-x", "+z"),
            "OLD_TEXT_NOT_UNIQUE",
            "Add context lines, or a line of @@",
        ),
        ({"src/app.py": b"x\n"}, update("src/ap.py", "@@", "-q", "+z"), "FILE_NOT_FOUND", "mean src/app.py? To create"),
        ({}, update("a", "@@", "-q", "+z"), "FILE_NOT_FOUND", "  To create the file, use *** Add File: PATH."),
        ({}, ["*** Delete File: a"], "FILE_NOT_FOUND", "leave the section out"),
        ({"a": b"x\0"}, update("a", "@@", "-x", "+z"), "BINARY_FILE", "binary"),
        ({}, ["*** Add File: ../a", "+x"], "PATH_OUTSIDE_WORKSPACE", "outside the workspace"),
        ({}, ["*** Add File: .git/hooks/x", "+x"], "PROTECTED_PATH", "protected"),
        ({"d/x": b""}, ["*** Delete File: d"], "NOT_A_FILE", "folder"),
        ({"a": b"x\n"}, update("a"), "INCOMPLETE_BLOCK", "The section for a at line 2 of the input says nothing"),
        ({"a": b"x\n"}, update("a", "*** Rename: b"), "INCOMPLETE_BLOCK", "Write the patch again, whole"),
        ({}, [], "INCOMPLETE_BLOCK", "line 1 of the input"),
        ({"a": b"x\n"}, update("a", "@@", "+z"), "NO_CONTEXT", "only inserts"),
        ({"a": b"caf\xe9\nx\n"}, update("a", "@@", "-x", "+é"), "ENCODING_UNKNOWN", "encoding"),
    ],
)
def test_what_cannot_be_applied_is_told_in_the_words_of_the_format(
    files: Files, lines: list[str], code: str, told: str
) -> None:
    result = failed(files, patch(*lines))
    (block,) = result.metadata["blocks"]
    assert block["error"]["code"] == code
    assert told in result.text
    assert block["error"]["hint"] in result.text
    assert "NEW_FILE" not in result.text
    assert "SEARCH" not in result.text


def test_a_patch_that_is_cut_off_changes_nothing() -> None:
    result = failed({"a": b"x\ny\n"}, "*** Begin Patch\n*** Update File: a\n@@\n-x\n+z\n@@\n-y\n+")
    assert "*** End Patch is missing" in result.text


def test_a_copy_that_is_old_is_told() -> None:
    ws, fs = workspace({"a": b"def f():\n    return compute(1)\n\n\ndef g():\n    pass\n"})
    changed = done(ask(ws, patch(*update("a", "@@", "-    return compute(1)", "+    raise NotImplementedError"))))
    before = fs.files()
    result = ask(ws, patch(*update("a", "@@", " def f():", "-    return compute(1)", "+    return compute(2)")))
    assert result.is_error
    error = result.metadata["blocks"][0]["error"]
    sides = {
        "base": "    return compute(1)",
        "ours": "    raise NotImplementedError",
        "theirs": "    return compute(2)",
    }
    version = {"source": "history", "id": None, "until": changed["change_id"]}
    expected = {"code": "EDIT_CONFLICT", "line": 2, **sides, "written_on": version}
    assert {name: error[name] for name in expected} == expected
    assert f"written on the version before change {changed['change_id']}; a:2 has changed since" in result.text
    assert "write the hunk with the lines as the file has them" in result.text
    assert fs.files() == before


@pytest.mark.parametrize(("name", "exists"), [("def net(total):", False), ("def tax(total):", True)])
def test_a_hunk_does_not_land_outside_of_what_it_names(name: str, *, exists: bool) -> None:
    code = b"def gross(total):\n    return total * rate\n\n\ndef tax(total):\n    return total / 5\n"
    lines = (f"@@ {name}", "-    return total * rate", "+    return total / rate")
    result = failed({"a.py": code}, patch(*update("a.py", *lines)))
    error = result.metadata["blocks"][0]["error"]
    places = [{"start_line": 2, "end_line": 2, "symbol": "gross"}]
    expected = {"code": "OUT_OF_SCOPE", "path": "a.py", "context": [name], "exists": exists, "places": places}
    assert {field: error[field] for field in expected} == expected
    assert (name in result.text, "line 2 in gross" in result.text, "block" in result.text) == (True, True, False)


def test_a_hunk_that_was_written_on_an_earlier_version_is_merged() -> None:
    ws, fs = workspace({"a": b"one\ntwo\nthree\nfour\n"})
    ws.file_read("a")
    fs.put("a", b"zero\none\ntwo\nthree\nFOUR\n")
    told = done(ask(ws, patch(*update("a", "@@", " one", "-two", "+2", " three", " four"))))["blocks"]
    version = {"source": "read", "id": None, "until": None}
    assert [(each["rung"], each["line"], each["written_on"]) for each in told] == [("rebased", 3, version)]
    assert fs.files() == {"a": b"zero\none\n2\nthree\nFOUR\n"}


def test_the_same_failure_again_shows_the_lines_themselves() -> None:
    ws, _ = workspace({"a": b"def one():\n    return 1\n\n\ndef two():\n    return 2\n"})
    text = patch(*update("a", "@@", "-def one(x):", "-    return 1 + x", "+pass"))
    ask(ws, text)
    again = ask(ws, text).text
    assert "This hunk was refused before" in again
    assert "  def one():\n      return 1\n" in again


def test_of_many_failures_the_first_are_told_in_full() -> None:
    lines = [line for n in range(9) for line in update("a", "@@", f"-missing {n}", "+z")]
    result = failed({"a": b"x\n"}, patch(*lines))
    assert result.text.startswith("The patch was not applied: 9 of 9 changes failed.")
    assert (result.text.count(" failed: "), result.text.count("Copy the context and - lines")) == (9, 5)


def test_a_hunk_that_is_there_already_is_left_out_and_told() -> None:
    ws, fs = workspace({"a": b"total = compute(2)\nother = 1\n"})
    lines = update("a", "@@", "-total = compute(1)", "+total = compute(2)")
    done(first := ask(ws, patch(*lines)))
    assert first.text.split("\n")[0] == "No change: every file is already as the patch would make it."
    assert "note: hunk 1.1 of a is there already at line 1, and was left out." in first.text
    done(second := ask(ws, patch(*lines, "@@", "-other = 1", "+other = 2", "*** Add File: b", "+x")))
    assert second.text.startswith(f"{SUCCESS}\nA b\nM a\nnote: hunk 1.1 of a is there already")
    assert fs.files() == {"a": b"total = compute(2)\nother = 2\n", "b": b"x\n"}
    assert "note: section 1 of b is there already, and was left out." in ask(ws, patch("*** Add File: b", "+x")).text


def test_what_was_bridged_is_told() -> None:
    ws, fs = workspace({"a.py": b"def f():\n\treturn 1\n"})
    result = ask(ws, patch(*update("a.py", "@@", " def f():", "-    return 1", "+    return 2")))
    assert fs.files() == {"a.py": b"def f():\n\treturn 2\n"}
    assert result.text.split("\n")[:2] == [SUCCESS, "M a.py"]
    assert "note: hunk 1.1 was found ignoring indentation at a.py:" in result.text


def test_what_is_generated_is_warned_of() -> None:
    ws, _ = workspace({"a.py": b"# Code generated by x. DO NOT EDIT.\nx = 1\n"})
    result = ask(ws, patch(*update("a.py", "@@", "-x = 1", "+x = 2")))
    assert "\nwarning: a.py: a.py is generated" in result.text


@pytest.mark.parametrize("text", ["", "hello", "*** Delete File: a", "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n"])
def test_without_a_patch_the_answer_says_how_one_looks(text: str) -> None:
    result = failed({"a": b"x\n"}, text)
    assert refused(result)["code"] == "NO_BLOCKS"
    assert "*** Begin Patch\n*** Update File: " in result.text
    assert result.text.endswith("*** End Patch")
    assert result.metadata["errors"] == ["The input contains no patch."]


@pytest.mark.parametrize(
    "other",
    [
        "a\n<<<<<<< SEARCH\nx\n=======\nz\n>>>>>>> REPLACE\n",
        "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n",
        "```bash\nsed -i s/x/y/ a.py\n```\n",
    ],
    ids=["search", "diff", "not read"],
)
def test_a_change_outside_of_the_patch_is_refused_rather_than_dropped(other: str) -> None:
    result = failed({"a": b"x\n"}, patch("*** Add File: b", "+y") + other)
    (problem,) = refused(result)["problems"]
    assert problem["argument"] == "input"
    assert "outside of the patch" in problem["problem"]


def test_a_patch_of_too_many_hunks_is_refused() -> None:
    lines = [line for n in range(4) for line in ("@@", f"-{n}", f"+{n + 10}")]
    result = failed({"a": b"0\n1\n2\n3\n"}, patch(*update("a", *lines)), Settings(max_edits=3))
    assert (refused(result)["code"], refused(result)["size"]) == ("INPUT_TOO_LARGE", 4)


@pytest.mark.parametrize("arguments", [{}, {"patch": "x"}, {"input": 3}, {"input": "x", "atomic": True}])
def test_only_its_own_arguments_are_taken(arguments: dict[str, Any]) -> None:
    ws, _ = workspace({})
    assert refused(ws.call("apply_patch", arguments))["code"] == "INVALID_ARGUMENTS"


def test_a_name_with_many_files_is_short_in_the_history() -> None:
    ws, _ = workspace({})
    done(ask(ws, patch(*(f"*** Add File: {n}" for n in range(5)))))
    assert recorded(ws)[0]["summary"] == "patch of 0, 1, 2 …"


def test_real_files_are_patched(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_bytes(b"#!/bin/sh\necho one\n")
    (tmp_path / "a.sh").chmod(0o755)
    result = ask(Workspace(tmp_path), patch(*update(f"{tmp_path}/a.sh", "@@", "-echo one", "+echo two")))
    assert result.text == f"{SUCCESS}\nM a.sh"
    assert (tmp_path / "a.sh").read_bytes() == b"#!/bin/sh\necho two\n"
    assert (tmp_path / "a.sh").stat().st_mode & 0o777 == 0o755


# The operations of the Responses API


@pytest.mark.parametrize(
    ("operation", "before", "after"),
    [
        (
            {"type": "update_file", "path": "a b.py", "diff": "@@ def f():\n-    x = 1\n+    x = 2\n"},
            {"a b.py": b"def f():\n    x = 1\n"},
            {"a b.py": b"def f():\n    x = 2\n"},
        ),
        (
            {"type": "update_file", "path": "a", "diff": "@@\n x\n-y\n+z\n*** End of File"},
            {"a": b"x\ny\nx\ny\n"},
            {"a": b"x\ny\nx\nz\n"},
        ),
        ({"type": "update_file", "path": "a", "diff": "@@\r\n-x\r\n+y\r\n"}, {"a": b"x\n"}, {"a": b"y\n"}),
        (
            {"type": "update_file", "path": "a", "diff": " x\n-*** y\n+*** z\n"},
            {"a": b"x\n*** y\n"},
            {"a": b"x\n*** z\n"},
        ),
        (
            {"type": "create_file", "path": "d/a", "diff": "+one\n+\n+*** End Patch\n"},
            {},
            {"d/a": b"one\n\n*** End Patch\n"},
        ),
        ({"type": "create_file", "path": "a", "diff": "+one"}, {}, {"a": b"one\n"}),
        ({"type": "create_file", "path": "a", "diff": ""}, {}, {"a": b""}),
        ({"type": "delete_file", "path": "a"}, {"a": b"x\n"}, {}),
        ({"type": "delete_file", "path": "a", "diff": None}, {"a": b"x\n"}, {}),
    ],
)
def test_an_operation_becomes_a_patch_that_does_it(operation: dict[str, Any], before: Files, after: Files) -> None:
    ws, fs = workspace(before)
    done(ask(ws, operation_envelope(operation)))
    assert fs.files() == after


def test_an_operation_as_a_patch() -> None:
    made = operation_envelope({"type": "update_file", "path": "src/a.py", "diff": "@@\n-x\n+y"})
    assert made == "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** End Patch\n"


@pytest.mark.parametrize(
    ("operation", "argument"),
    [
        ({}, "type"),
        ({"type": "rename_file", "path": "a", "diff": ""}, "type"),
        ({"type": ["update_file"], "path": "a", "diff": ""}, "type"),
        ({"type": "update_file", "diff": "@@"}, "path"),
        ({"type": "update_file", "path": "", "diff": "@@"}, "path"),
        ({"type": "update_file", "path": 3, "diff": "@@"}, "path"),
        ({"type": "delete_file", "path": "a\n*** Delete File: b"}, "path"),
        ({"type": "delete_file", "path": "a\rb"}, "path"),
        ({"type": "delete_file", "path": " a"}, "path"),
        ({"type": "delete_file", "path": "'a'"}, "path"),
        ({"type": "update_file", "path": "a"}, "diff"),
        ({"type": "create_file", "path": "a", "diff": None}, "diff"),
        ({"type": "create_file", "path": "a", "diff": ["+x"]}, "diff"),
        ({"type": "update_file", "path": "a", "diff": "@@\n-x\n+y\n*** Delete File: b\n"}, "diff"),
        ({"type": "update_file", "path": "a", "diff": "*** Move to: b\n@@\n-x\n+y\n"}, "diff"),
        ({"type": "update_file", "path": "a", "diff": "@@\n-x\n+y\n*** End Patch\n*** Begin Patch\n"}, "diff"),
    ],
)
def test_an_operation_that_is_no_change_of_one_file_is_refused(operation: dict[str, Any], argument: str) -> None:
    with pytest.raises(InvalidArguments) as caught:
        operation_envelope(operation)
    assert [each["argument"] for each in caught.value.problems] == [f"operation.{argument}"]
