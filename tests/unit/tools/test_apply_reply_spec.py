"""The tool `apply_reply` as its specification promises it: docs/spec/seeds (004), docs/spec/TOOLS.md sections 0 and 5.

Written from the specification alone. The replies that it lists by category are in tests/cases/apply_reply; here is
what holds for all of them, and then each sentence of section 5.
"""

import difflib
import json
import logging
import random
import stat
from pathlib import Path
from typing import Any

import pytest

from suture import Settings, ToolResult, Workspace, preview_reply
from suture.testing import MemoryFS
from tests.scale import scaled
from tests.unit.changes import error_of, git_apply, hash_of, land, list_changes, state, succeed, workspace, write
from tests.unit.tools.reply_samples import (
    LONG,
    NINE,
    OTHER,
    REPEATED,
    SAMPLES,
    SIMPLE,
    TWO,
    Sample,
    ask,
    at,
    block,
    in_fence,
    new_file,
    statuses_of,
    v4a,
)

FIELDS = {"change_id", "summary", "blocks", "files", "errors", "warnings", "diff"}
OF_A_BLOCK = {
    "id",
    "format",
    "action",
    "path",
    "path_as_written",
    "status",
    "line",
    "reply_line",
    "rung",
    "score",
    "diff",
    "error",
}
STATUSES = ("applied", "already_applied", "failed", "skipped")
UNSHOWN = {"UTF-16", "a binary file", "bytes of an unknown encoding"}
"""Samples whose bytes a diff in text can't give."""
MISSING = block("no_such_function(call)\n", "something_else\n")


def fits(expected: dict[str, str], result: ToolResult) -> bool:
    """Whether the blocks became what is expected; `*` is any error."""
    statuses = statuses_of(result)
    failed = {block["id"] for block in result.metadata["blocks"] if block["status"] == "failed"}
    wild = {name for name, what in expected.items() if what == "*"}
    statuses = {name: "*" if name in wild & failed else what for name, what in statuses.items()}
    return list(statuses.items()) == list(expected.items())


def run_reply(before: dict[str, bytes], reply: str, **more: Any) -> tuple[ToolResult, dict[str, bytes]]:
    """The answer to a reply, and the files after it."""
    ws, fs = workspace(before)
    result = ask(ws, reply, **more)
    return result, fs.files()


def failure(result: ToolResult, number: str = "1") -> dict[str, Any]:
    """The error of a block."""
    (entry,) = (block for block in result.metadata["blocks"] if block["id"] == number)
    assert entry["status"] == "failed", entry
    error: dict[str, Any] = entry["error"]
    return error


def is_unchanged(sample: Sample) -> bool:
    return dict(sample.before) == dict(sample.after)


# What holds for every reply


@pytest.mark.parametrize("sample", LONG, ids=lambda sample: sample.name)
@pytest.mark.promise("reply.exact")
def test_a_long_reply_makes_exactly_these_files_and_tells_of_each_block(sample: Sample) -> None:
    result, files = run_reply(dict(sample.before), sample.reply)
    assert files == sample.after, result.text
    assert fits(dict(sample.statuses), result), statuses_of(result)
    assert result.is_error is any(block["status"] == "failed" for block in result.metadata["blocks"])


@pytest.mark.parametrize("name", list(SAMPLES)[::2])
def test_the_answer_has_its_shape_and_agrees_with_itself(name: str) -> None:
    sample = SAMPLES[name]
    result, files = run_reply(dict(sample.before), sample.reply)
    data = result.metadata
    assert set(data) >= FIELDS
    counted = {status: sum(entry["status"] == status for entry in data["blocks"]) for status in STATUSES}
    assert data["summary"] == counted
    assert (data["change_id"] is None) is is_unchanged(sample)
    for entry in data["blocks"]:
        assert set(entry) >= OF_A_BLOCK
        assert entry["format"] in {"search_replace", "new_file", "v4a", "unified"}
        assert entry["action"] in {"create", "update", "delete", "rename"}
        assert entry["status"] in STATUSES
        assert (entry["error"] is not None) is (entry["status"] == "failed")
        assert entry["line"] is None or entry["line"] >= 1
        assert (entry["line"] is None) or entry["status"] != "failed"
        assert 1 <= entry["reply_line"] <= sample.reply.count("\n") + 1
        assert entry["rung"] is None or isinstance(entry["rung"], str)
        assert entry["score"] is None or 0 <= entry["score"] <= 1
        if entry["status"] == "failed":
            assert {"code", "message", "hint", "retryable"} <= set(entry["error"])
            assert all(isinstance(entry["error"][name], str) for name in ("code", "message", "hint"))
            assert isinstance(entry["error"]["retryable"], bool)
    for file in data["files"]:
        assert set(file) >= {"path", "hash", "action"}
    hashes = {file["hash"] for file in data["files"] if file["action"] != "delete"}
    changed = {path for path, content in files.items() if sample.before.get(path) != content}
    assert hashes == {hash_of(files[path]) for path in changed}
    deleted = {file["path"] for file in data["files"] if file["action"] == "delete"}
    assert deleted <= set(sample.before) - set(files)
    assert all(isinstance(message, str) for message in [*data["errors"], *data["warnings"]])
    assert isinstance(data["diff"], str)
    assert (data["diff"] == "") is is_unchanged(sample)


@pytest.mark.parametrize("name", SAMPLES)
def test_one_undo_takes_the_whole_reply_back(name: str) -> None:
    sample = SAMPLES[name]
    ws, fs = workspace(dict(sample.before))
    before = state(fs)
    change = ask(ws, sample.reply).metadata["change_id"]
    assert [change["change_id"] for change in list_changes(ws)] == ([] if change is None else [change])
    if change is not None:
        assert list_changes(ws)[0]["tool"] == "apply_reply"
        assert succeed(ws.undo())["undone"] == change
    assert state(fs) == before


@pytest.mark.parametrize("name", list(SAMPLES)[::2])
def test_a_dry_run_gives_the_same_answer_and_writes_nothing(name: str) -> None:
    sample = SAMPLES[name]
    ws, fs = workspace(dict(sample.before))
    before, shelf = state(fs), dict(fs.shelf)
    dry = ask(ws, sample.reply, dry_run=True)
    assert (state(fs), dict(fs.shelf)) == (before, shelf)
    real, _ = run_reply(dict(sample.before), sample.reply)
    assert {name: dry.metadata[name] for name in FIELDS} == {**{n: real.metadata[n] for n in FIELDS}, "change_id": None}
    assert dry.is_error is real.is_error
    assert dry.metadata.get("error", {}).get("code") == real.metadata.get("error", {}).get("code")


@pytest.mark.process
@pytest.mark.parametrize("name", [name for name in SAMPLES if not is_unchanged(SAMPLES[name]) and name not in UNSHOWN])
def test_git_makes_the_same_files_of_the_diff(name: str, tmp_path: Path) -> None:
    sample = SAMPLES[name]
    result, files = run_reply(dict(sample.before), sample.reply)
    assert git_apply(tmp_path, sample.before, result.metadata["diff"]) == files


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, sample in SAMPLES.items()
        if "\r" not in sample.reply and set(sample.after) <= set(sample.before) and "Add File" not in sample.reply
    ],
)
def test_a_reply_with_crlf_makes_the_same_files(name: str) -> None:
    sample = SAMPLES[name]
    result, files = run_reply(dict(sample.before), sample.reply.replace("\n", "\r\n"))
    assert files == sample.after
    assert fits(dict(sample.statuses), result), statuses_of(result)


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, sample in SAMPLES.items()
        if "INCOMPLETE_BLOCK" not in sample.statuses.values() and not sample.reply.startswith("\ufeff")
    ],
)
def test_prose_around_a_reply_changes_nothing(name: str) -> None:
    sample = SAMPLES[name]
    reply = f"Sure! Here are the changes.\n\n{sample.reply}\n\nLet me know if you need anything else.\n"
    result, files = run_reply(dict(sample.before), reply)
    assert files == sample.after
    assert fits(dict(sample.statuses), result), statuses_of(result)


@pytest.mark.parametrize(
    ("before", "between"),
    [
        (b"one\n=======\ntwo\n=======\nthree\n", "one\n=======\ntwo\n=======\nfour\n"),
        (b"one\n=======\ntwo\nthree\n", "one\n=======\ntwo\n=======\nfour\n"),
        (b"one\n=======\n\nthree\n", "one\n=======\n\n=======\nfour\n"),
    ],
)
def test_several_splits_that_are_in_the_file_are_reported_and_none_is_guessed(before: bytes, between: str) -> None:
    result, files = run_reply({"a.txt": before}, at("a.txt", f"<<<<<<< SEARCH\n{between}>>>>>>> REPLACE\n"))
    assert files == {"a.txt": before}
    assert result.metadata["blocks"][0]["status"] == "failed"


def test_no_split_that_is_in_the_file_is_reported() -> None:
    before = {"a.txt": b"alpha\nbeta\n"}
    reply = at("a.txt", block("not_in_this_file(1)\n=======\nnor_is_this_line(2)\n", "changed\n"))
    result, files = run_reply(before, reply)
    assert (files, fits({"1": "*"}, result)) == (before, True)


# Truncation


def test_wherever_a_reply_is_cut_the_complete_blocks_land_and_nothing_else() -> None:
    before = {"a.py": b"x = 1\ny = 1\nz = 1\n"}
    blocks = [block(f"{name} = 1\n", f"{name} = 2\n{name} = 3\n") for name in "xyz"]
    reply = "Here it is.\n\n" + at("a.py", *blocks)
    ends, position = [], 0
    for text in blocks:
        position = reply.index(text, position) + len(text) - 1
        ends.append(position)
    starts = [reply.index(block) + len("<<<<<<< SEARCH\n") for block in blocks]
    for cut in range(len(reply) + 1):
        whole = sum(end <= cut for end in ends)
        is_begun = sum(start <= cut for start in starts) > whole
        result, files = run_reply(before, reply[:cut])
        expected = b"".join(
            f"{name} = 2\n{name} = 3\n".encode() if number < whole else f"{name} = 1\n".encode()
            for number, name in enumerate("xyz")
        )
        assert files == {"a.py": expected}, reply[:cut]
        if is_begun:
            assert statuses_of(result) == {
                **{str(number + 1): "applied" for number in range(whole)},
                str(whole + 1): "INCOMPLETE_BLOCK",
            }, reply[:cut]


def test_a_cut_new_file_is_never_written_in_part() -> None:
    content = "".join(f"line {number}\n" for number in range(8))
    reply = at("new.txt", new_file(content))
    for cut in range(len(reply) - 1):
        result, files = run_reply({}, reply[:cut])
        assert (files, result.is_error, result.metadata.get("change_id")) == ({}, True, None), reply[:cut]


def test_the_rest_of_a_cut_reply_is_named_with_what_to_send_again() -> None:
    reply = SIMPLE + "\n### File: src/second.py\n<<<<<<< SEARCH\ny = 1\n=======\ny"
    result, _ = run_reply({"a.py": b"x = 1\n", "src/second.py": b"y = 1\n"}, reply)
    error = failure(result, "2")
    assert error["code"] == "INCOMPLETE_BLOCK"
    assert "src/second.py" in result.text
    assert "again" in error["hint"] or "again" in result.text
    assert result.metadata["blocks"][1]["path"] == "src/second.py"


# Validation: the seed's words


def test_an_incomplete_reply_carries_the_seeds_words() -> None:
    reply = at("a.py", block("x = 1\n", "x = 2\n"), block("y = 1\n", "y = 2\n"), "<<<<<<< SEARCH\nz = 1\n")
    result, files = run_reply({"a.py": b"x = 1\ny = 1\nz = 1\n"}, reply)
    assert files == {"a.py": b"x = 2\ny = 2\nz = 1\n"}
    assert "Mismatched SEARCH/REPLACE: 3 SEARCH vs 2 REPLACE" in result.metadata["errors"]


def test_a_missing_separator_is_warned_of_in_the_seeds_words() -> None:
    malformed = "<<<<<<< SEARCH\nz = 1\n>>>>>>> REPLACE\n"
    reply = at("a.py", block("x = 1\n", "x = 2\n"), malformed, block("y = 1\n", "y = 2\n"))
    result, files = run_reply({"a.py": b"x = 1\ny = 1\nz = 1\n"}, reply)
    assert files == {"a.py": b"x = 2\ny = 2\nz = 1\n"}
    expected = (
        "Some SEARCH/REPLACE blocks may be missing the separator (=======). 2 complete blocks found out of 3 expected."
    )
    assert expected in [" ".join(warning.split()) for warning in result.metadata["warnings"]]


def test_a_mismatch_of_new_file_markers_is_reported() -> None:
    reply = at("a.txt", new_file("a\n")) + "\n### File: b.txt\n<<<<<<< NEW_FILE\nb\n"
    result, files = run_reply({}, reply)
    assert files == {"a.txt": b"a\n"}
    assert "Mismatched NEW_FILE: 2 start vs 1 end" in result.metadata["errors"]


def test_malformed_blocks_are_reported_in_the_seeds_words() -> None:
    result, _ = run_reply(TWO, SIMPLE + "\n### File: b.py\n<<<<<<< SEARCH\ny = 1\n")
    assert "Some file blocks may be malformed" in json.dumps(result.to_dict())


def test_a_text_that_is_not_found_is_reported_in_the_seeds_words() -> None:
    result, _ = run_reply({"a.py": b"alpha = 1\n"}, at("a.py", MISSING))
    assert "Could not find matching text" in failure(result)["message"]
    assert "Could not find matching text" in result.text


def test_a_sound_reply_has_neither_errors_nor_warnings() -> None:
    result, _ = run_reply(TWO, SIMPLE + "\n" + OTHER)
    assert (result.metadata["errors"], result.metadata["warnings"]) == ([], [])


def test_what_is_wrong_with_a_reply_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "suture.reply"):
        run_reply(TWO, SIMPLE + "\n### File: b.py\n<<<<<<< SEARCH\ny = 1\n")
    assert "suture.reply" in {record.name for record in caplog.records}


def test_validation_errors_paths_and_the_parse_result_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    reply = f"{SIMPLE}\n### File: b.py\n<<<<<<< SEARCH\ny = 1\n"
    with caplog.at_level(logging.DEBUG, "suture.reply"):
        run_reply(TWO, reply)
        by_tool = [(record.levelname, record.getMessage()) for record in caplog.records]
        caplog.clear()
        preview_reply(reply, {path: content.decode() for path, content in TWO.items()})
    by_function = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert by_tool[:3] == by_function[:3]
    assert by_tool[:3] == [
        ("WARNING", "Response validation errors: ['Mismatched SEARCH/REPLACE: 2 SEARCH vs 1 REPLACE']"),
        ("DEBUG", "Response paths: ['a.py', 'b.py']"),
        ("DEBUG", "Parse result: ['1 search_replace a.py: update', '2 search_replace b.py: no_end']"),
    ]
    caplog.clear()
    with caplog.at_level(logging.DEBUG, "suture.reply"):
        run_reply(TWO, "nothing")
    assert [record.getMessage() for record in caplog.records] == [
        "Response validation errors: ['No valid blocks found']",
        "Response paths: []",
        "Parse result: []",
    ]


# Nothing usable


def test_nothing_is_written_when_every_block_fails() -> None:
    ws, fs = workspace({"a.py": b"x = 1\n"})
    before, node = state(fs), fs.node_of("a.py").inode
    result = ask(ws, at("a.py", MISSING))
    assert (state(fs), fs.node_of("a.py").inode) == (before, node)
    assert (result.metadata["change_id"], result.metadata["files"], result.metadata["diff"]) == (None, [], "")


def test_when_some_blocks_fail_the_answer_is_an_error_that_names_the_landed_ones() -> None:
    result, _ = run_reply(TWO, at("a.py", MISSING) + "\n" + OTHER)
    assert error_of(result)["code"] == "BLOCKS_FAILED"
    assert "do not send it again" in result.text
    reply = "\n".join([SIMPLE, at("c.py", MISSING), OTHER])
    result, _ = run_reply({**TWO, "c.py": b"z = 1\n"}, reply)
    assert error_of(result)["code"] == "BLOCKS_FAILED"
    assert "do not send them again" in result.text


@pytest.mark.parametrize("reply", [at("a.py", MISSING), SIMPLE])
def test_nobody_is_told_not_to_send_again_where_all_landed_or_none(reply: str) -> None:
    result, _ = run_reply(TWO, reply)
    assert "do not send" not in result.text.lower()


# The shape of an answer


def test_an_answer_in_full() -> None:
    ws, fs = workspace({"src/a.py": b"w = 0\nx = 1\ny = 2\n"})
    reply = "Here:\n\n### File: src/a.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n"
    result = ask(ws, reply)
    data = succeed(result)
    (entry,) = data["blocks"]
    expected = {
        "id": "1",
        "format": "search_replace",
        "action": "update",
        "path": "src/a.py",
        "path_as_written": "src/a.py",
        "status": "applied",
        "line": 2,
        "reply_line": 4,
        "rung": "exact",
        "error": None,
    }
    assert {name: entry[name] for name in expected} == expected
    assert "-x = 1\n+x = 2\n" in entry["diff"]
    assert data["summary"] == {"applied": 1, "already_applied": 0, "failed": 0, "skipped": 0}
    assert data["files"] == [{"path": "src/a.py", "hash": hash_of(b"w = 0\nx = 2\ny = 2\n"), "action": "update"}]
    assert (data["errors"], data["warnings"]) == ([], [])
    assert data["diff"] == (
        "diff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+++ b/src/a.py\n"
        "@@ -1,3 +1,3 @@\n w = 0\n-x = 1\n+x = 2\n y = 2\n"
    )
    assert data["change_id"] == list_changes(ws)[0]["change_id"]
    assert data["change_id"] in result.text
    assert fs.files() == {"src/a.py": b"w = 0\nx = 2\ny = 2\n"}
    assert result.to_dict() == {
        "isError": False,
        "content": [{"type": "text", "text": result.text}],
        "metadata": data,
    }


@pytest.mark.parametrize(
    ("before", "reply", "expected"),
    [
        ({}, at("n.py", new_file("n\n")), [("1", "new_file", "create", "n.py")]),
        ({}, at("n.py", block("", "n\n")), [("1", "search_replace", "create", "n.py")]),
        ({"a": b"x\n"}, v4a("*** Update File: a\n@@\n-x\n+y\n"), [("1.1", "v4a", "update", "a")]),
        ({}, v4a("*** Add File: a\n+y\n"), [("1", "v4a", "create", "a")]),
        ({"a": b"x\n"}, v4a("*** Delete File: a\n"), [("1", "v4a", "delete", "a")]),
        ({"a": b"x\n"}, v4a("*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n"), [("1.1", "v4a", "rename", None)]),
        ({"a": b"x\n"}, "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n", [("1.1", "unified", "update", "a")]),
        ({}, "--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+y\n", [("1", "unified", "create", "a")]),
        ({"a": b"x\n"}, "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", [("1", "unified", "delete", "a")]),
        (
            {"a": b"x\n"},
            "diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n",
            [("1", "unified", "rename", None)],
        ),
    ],
)
def test_format_and_action_of_a_block(
    before: dict[str, bytes], reply: str, expected: list[tuple[str, str, str, str | None]]
) -> None:
    result, _ = run_reply(before, reply)
    assert not result.is_error, result.text
    rows = [(block["id"], block["format"], block["action"], block["path"]) for block in result.metadata["blocks"]]
    is_rename = rows[0][2] == "rename"
    assert [(*block[:3], None if is_rename else block[3]) for block in rows] == expected
    assert [file["action"] for file in result.metadata["files"]] == [expected[0][2]]
    if is_rename:
        assert [(file["path"], file["to"]) for file in result.metadata["files"]] == [("a", "b")]


def test_lines_are_those_of_the_file_as_the_block_found_it() -> None:
    reply = at("a.py", block("c\n", "C\n"), block("a\n", "1\n2\n3\na\n"), block("e\n", "E\n"), MISSING)
    result, _ = run_reply({"a.py": b"a\nb\nc\nd\ne\n"}, reply)
    assert [block["line"] for block in result.metadata["blocks"]] == [3, 1, 8, None]


def test_reply_lines_are_those_where_the_blocks_begin() -> None:
    reply = "Hello.\n\n" + at("a.py", block("x = 1\n", "x = 2\n"), "prose\n" + block("y = 1\n", "y = 2\n"))
    result, _ = run_reply({"a.py": b"x = 1\ny = 1\n"}, reply)
    lines = reply.split("\n")
    begin = [number for number, line in enumerate(lines, 1) if line == "<<<<<<< SEARCH"]
    assert [block["reply_line"] for block in result.metadata["blocks"]] == begin


def test_every_landed_block_has_its_own_diff_and_the_answer_has_the_whole() -> None:
    reply = at("a.py", block("one\n", "1\n"), block("1\n", "ONE\n"), MISSING)
    result, _ = run_reply({"a.py": b"one\ntwo\n"}, reply)
    first, second, third = (block["diff"] for block in result.metadata["blocks"])
    assert "-one\n+1\n" in first
    assert "-1\n+ONE\n" in second
    assert not third
    assert "-one\n+ONE\n" in result.metadata["diff"]


def test_files_are_listed_once_with_what_became_of_them() -> None:
    before = {"a.py": b"one\ntwo\n", "b.py": b"b\n", "c.py": b"c\n"}
    reply = at("a.py", block("one\n", "1\n"), block("two\n", "2\n")) + v4a(
        "*** Delete File: b.py\n*** Add File: d.py\n+d\n"
    )
    result, _ = run_reply(before, reply)
    files = {file["path"]: (file["action"], file["hash"]) for file in result.metadata["files"]}
    assert len(result.metadata["files"]) == 3
    assert files == {
        "a.py": ("update", hash_of(b"1\n2\n")),
        "b.py": ("delete", None),
        "d.py": ("create", hash_of(b"d\n")),
    }


def test_the_typed_method_is_the_same_call() -> None:
    ws, fs = workspace(TWO)
    data = succeed(ws.apply_reply(SIMPLE))
    assert (data["summary"]["applied"], fs.files()["a.py"]) == (1, b"x = 2\n")
    dry = succeed(ws.apply_reply(OTHER, dry_run=True))
    assert (dry["change_id"], fs.files()["b.py"]) == (None, b"y = 1\n")


def test_the_tool_is_called_with_a_real_folder(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"x = 1\r\ny")
    (tmp_path / "a.py").chmod(0o755)
    data = succeed(ask(Workspace(tmp_path), SIMPLE + "\n" + at("src/new.py", new_file("n = 1\n"))))
    assert (tmp_path / "a.py").read_bytes() == b"x = 2\r\ny"
    assert (tmp_path / "src/new.py").read_bytes() == b"n = 1\n"
    assert stat.S_IMODE((tmp_path / "a.py").stat().st_mode) == 0o755
    assert succeed(Workspace(tmp_path).undo())["undone"] == data["change_id"]
    assert (tmp_path / "a.py").read_bytes() == b"x = 1\r\ny"
    assert not (tmp_path / "src").exists()


# Arguments


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"reply": 1},
        {"reply": SIMPLE, "atomic": "perhaps"},
        {"reply": SIMPLE, "match": "fuzzy"},
        {"reply": SIMPLE, "validate": "maybe"},
        {"reply": SIMPLE, "only": ["7"]},
        {"reply": SIMPLE, "only": ["1", "1.5"]},
        {"reply": SIMPLE, "only": ["first"]},
        {"reply": SIMPLE, "dryrun": True},
        {"reply": SIMPLE, "wholefiles": True},
    ],
)
def test_arguments_that_do_not_fit_are_refused_and_nothing_is_written(arguments: dict[str, Any]) -> None:
    ws, fs = workspace(TWO)
    assert error_of(ws.call("apply_reply", arguments))["code"] == "INVALID_ARGUMENTS"
    assert fs.files() == TWO


def test_an_unknown_argument_is_answered_with_the_nearest() -> None:
    ws, _ = workspace(TWO)
    result = ask(ws, SIMPLE, defaultpath="a.py")
    assert "default_path" in result.text


@pytest.mark.process
@pytest.mark.parametrize("validate", ["off", "warn", "strict"])
def test_validate_is_taken(validate: str) -> None:
    result, files = run_reply(TWO, SIMPLE, validate=validate)
    assert (result.is_error, files["a.py"]) == (False, b"x = 2\n")


def test_a_reply_may_be_as_large_as_a_request_and_no_larger() -> None:
    fs = MemoryFS(TWO)
    ws = Workspace(fs.root, Settings(max_request_bytes=1_000), fs=fs)
    assert error_of(ask(ws, "x" * 2_000 + "\n" + SIMPLE))["code"] == "INPUT_TOO_LARGE"
    assert fs.files() == TWO


def test_a_reply_may_have_as_many_blocks_as_a_call_has_edits() -> None:
    fs = MemoryFS({"a.py": b"1\n2\n3\n4\n"})
    ws = Workspace(fs.root, Settings(max_edits=3), fs=fs)
    error = error_of(ask(ws, at("a.py", *(block(f"{n}\n", f"n{n}\n") for n in range(1, 5)))))
    assert (error["code"], error["setting"]) == ("INPUT_TOO_LARGE", "max_edits")
    assert fs.files() == {"a.py": b"1\n2\n3\n4\n"}


# atomic


def test_atomic_lands_all_of_a_reply_that_fits() -> None:
    result, files = run_reply(TWO, SIMPLE + "\n" + OTHER, atomic=True)
    assert files == {"a.py": b"x = 2\n", "b.py": b"y = 2\n"}
    assert statuses_of(result) == {"1": "applied", "2": "applied"}


# only


@pytest.mark.parametrize(
    ("only", "after", "skipped"),
    [
        (["1"], b"1\ntwo\nthree\n", ["2", "3"]),
        (["2"], b"one\n2\nthree\n", ["1", "3"]),
        (["3", "1"], b"1\ntwo\n3\n", ["2"]),
        (["1", "2", "3"], b"1\n2\n3\n", []),
        ('["2"]', b"one\n2\nthree\n", ["1", "3"]),
        ("2", b"one\n2\nthree\n", ["1", "3"]),
        (None, b"1\n2\n3\n", []),
    ],
)
@pytest.mark.promise("reply.chosen")
def test_only_the_chosen_blocks_land(only: Any, after: bytes, skipped: list[str]) -> None:
    reply = at("a.py", block("one\n", "1\n"), block("two\n", "2\n"), block("three\n", "3\n"))
    result, files = run_reply({"a.py": b"one\ntwo\nthree\n"}, reply, only=only)
    assert files == {"a.py": after}
    assert [name for name, what in statuses_of(result).items() if what == "skipped"] == skipped
    assert result.metadata["summary"]["skipped"] == len(skipped)
    assert not result.is_error


@pytest.mark.parametrize(
    ("only", "after"),
    [
        (["1.1"], b"one\n2\n3\nfour\n5\n6\n7\n8\n9\n"),
        (["1.2"], NINE.replace(b"8", b"eight")),
        (["1"], b"one\n2\n3\nfour\n5\n6\n7\neight\n9\n"),
        (["1.1", "1.2"], b"one\n2\n3\nfour\n5\n6\n7\neight\n9\n"),
    ],
)
@pytest.mark.parametrize("kind", ["unified", "v4a"])
@pytest.mark.promise("reply.chosen")
def test_only_the_chosen_hunks_land(only: list[str], after: bytes, kind: str) -> None:
    hunks = "@@ -1,4 +1,4 @@\n-1\n+one\n 2\n 3\n-4\n+four\n@@ -7,3 +7,3 @@\n 7\n-8\n+eight\n 9\n"
    reply = f"--- a/a\n+++ b/a\n{hunks}"
    if kind == "v4a":
        reply = v4a("*** Update File: a\n" + hunks.replace("@@ -1,4 +1,4 @@", "@@").replace("@@ -7,3 +7,3 @@", "@@"))
    result, files = run_reply({"a": NINE}, reply, only=only)
    assert files == {"a": after}
    assert not result.is_error


def test_ids_stay_when_only_some_blocks_are_chosen() -> None:
    reply = at("a.py", block("one\n", "1\n"), block("two\n", "2\n"))
    whole, _ = run_reply({"a.py": b"one\ntwo\n"}, reply, dry_run=True)
    part, _ = run_reply({"a.py": b"one\ntwo\n"}, reply, only=["2"])
    assert [block["id"] for block in whole.metadata["blocks"]] == [block["id"] for block in part.metadata["blocks"]]


def test_a_block_that_fails_and_is_not_chosen_is_skipped_and_no_error() -> None:
    result, files = run_reply(TWO, at("a.py", MISSING) + "\n" + OTHER, only=["2"])
    assert (result.is_error, statuses_of(result)) == (False, {"1": "skipped", "2": "applied"})
    assert files["b.py"] == b"y = 2\n"


# default_path and paths


@pytest.mark.parametrize(
    "prose",
    [
        "Import the helper from `b.py`:",
        "Import the helper from b.py:",
        "Same as in `b.py`:",
        "This is what `b.py` expects.",
        "`b.py` needs this:",
        "- uses `b.py`",
        "See https://example.com/b.py",
        "Call `os.path` instead:",
        "Then, before/after:",
        "Next",
        "**Note**",
        "`x = 1`",
    ],
)
@pytest.mark.parametrize("more", ["\n\n```python\n", "\n\n", "\n"], ids=["fence", "empty line", "at once"])
def test_a_heading_holds_whatever_is_said_below_it(prose: str, more: str) -> None:
    before = {"src/app.py": b"x = 1\n", "b.py": b"x = 1\n"}
    end = "```\n" if "```" in more else ""
    result, files = run_reply(before, "### File: src/app.py\n\n" + prose + more + block("x = 1\n", "x = 2\n") + end)
    assert files == {**before, "src/app.py": b"x = 2\n"}, statuses_of(result)


@pytest.mark.parametrize("line", ["b.py", "`b.py`", "**b.py**", "### File: b.py", "### b.py", "File: b.py"])
def test_a_path_on_its_own_line_ends_the_heading_before(line: str) -> None:
    before = {"a.py": b"x = 1\n", "b.py": b"x = 1\n"}
    reply = at("a.py", block("x = 1\n", "x = 2\n")) + f"\n{line}\n" + block("x = 1\n", "x = 3\n")
    assert run_reply(before, reply)[1] == {"a.py": b"x = 2\n", "b.py": b"x = 3\n"}


def test_two_names_of_one_file_are_one_file() -> None:
    ws, fs = workspace({"real/a.py": b"x = 1\ny = 1\nz = 1\n"})
    fs.put_link("link.py", "real/a.py")
    reply = "\n".join(at(path, block(f"{n} = 1\n", f"{n} = 2\n")) for path, n in (("link.py", "x"), ("real/a.py", "y")))
    result = ask(ws, reply + "\n" + at("./real/a.py", block("z = 1\n", "z = 2\n")))
    assert statuses_of(result) == {"1": "applied", "2": "applied", "3": "applied"}
    assert fs.node_of("real/a.py").data == b"x = 2\ny = 2\nz = 2\n"
    assert len(result.metadata["files"]) == 1


@pytest.mark.parametrize(
    "body", ["*** Delete File: link.py\n", "*** Update File: link.py\n*** Move to: c.py\n@@\n-x = 1\n+x = 2\n"]
)
def test_deleting_and_moving_by_a_link_are_refused(body: str) -> None:
    """The decision of docs/adr/0006: the link would point nowhere."""
    ws, fs = workspace({"real/a.py": b"x = 1\n", "b.py": b"y = 1\n"})
    fs.put_link("link.py", "real/a.py")
    result = ask(ws, v4a(body) + "\n" + OTHER)
    assert [block["status"] for block in result.metadata["blocks"]] == ["failed", "applied"]
    assert (fs.node_of("real/a.py").data, fs.node_of("b.py").data) == (b"x = 1\n", b"y = 2\n")


def test_an_absolute_path_inside_is_reported_relative_to_the_root() -> None:
    ws, fs = workspace({"src/app.py": b"x = 1\n"})
    result = ask(ws, at(f"{fs.root.rstrip('/')}/src/app.py", block("x = 1\n", "x = 2\n")))
    assert (statuses_of(result), fs.files()) == ({"1": "applied"}, {"src/app.py": b"x = 2\n"})
    assert result.metadata["blocks"][0]["path"] == "src/app.py"


def test_a_block_without_a_path_belongs_to_the_file_of_the_block_before() -> None:
    reply = "a.py\n" + in_fence(block("x = 1\n", "x = 2\n")) + "\nAnd also:\n\n" + in_fence(block("y = 1\n", "y = 2\n"))
    result, files = run_reply({"a.py": b"x = 1\ny = 1\n"}, reply)
    assert files == {"a.py": b"x = 2\ny = 2\n"}
    assert [block["path"] for block in result.metadata["blocks"]] == ["a.py", "a.py"]


def test_the_default_path_comes_before_the_path_of_the_block_before() -> None:
    reply = "a.py\n" + in_fence(block("x = 1\n", "x = 2\n")) + "\nAnd also:\n\n" + in_fence(block("y = 1\n", "y = 2\n"))
    _, files = run_reply({"a.py": b"x = 1\ny = 1\n", "b.py": b"y = 1\n"}, reply, default_path="b.py")
    assert files == {"a.py": b"x = 2\ny = 1\n", "b.py": b"y = 2\n"}


def test_a_block_without_any_path_says_so() -> None:
    result, files = run_reply(TWO, block("x = 1\n", "x = 2\n"))
    assert (statuses_of(result), files) == ({"1": "NO_PATH"}, TWO)
    assert "path" in failure(result)["hint"]


def test_a_unique_near_name_is_taken_where_the_block_fits_and_the_answer_says_so() -> None:
    result, files = run_reply(
        {"src/app.py": b"x = 1\n", "README.md": b"read\n"}, at("src/ap.py", block("x = 1\n", "x = 2\n"))
    )
    assert files == {"src/app.py": b"x = 2\n", "README.md": b"read\n"}
    (entry,) = result.metadata["blocks"]
    assert (entry["path"], entry["path_as_written"], entry["status"]) == ("src/app.py", "src/ap.py", "applied")
    assert "src/ap.py" in result.text
    assert "src/app.py" in result.text


@pytest.mark.parametrize(
    ("before", "reply"),
    [
        ({"src/app.py": b"y = 1\n"}, at("src/ap.py", block("not_in_there(at, all)\n", "x\n"))),
        ({"src/apps.py": b"x = 1\n", "src/appt.py": b"x = 1\n"}, at("src/appx.py", block("x = 1\n", "x = 2\n"))),
    ],
    ids=["it does not fit", "two fit"],
)
def test_a_near_name_is_not_taken_otherwise(before: dict[str, bytes], reply: str) -> None:
    result, files = run_reply(before, reply)
    assert (statuses_of(result), files) == ({"1": "FILE_NOT_FOUND"}, before)


def test_a_new_file_never_goes_to_a_near_name() -> None:
    result, files = run_reply({"src/app.py": b"x = 1\n"}, at("src/ap.py", new_file("x = 1\n")))
    assert files == {"src/app.py": b"x = 1\n", "src/ap.py": b"x = 1\n"}
    assert statuses_of(result) == {"1": "applied"}


def test_a_deletion_never_goes_to_a_near_name() -> None:
    result, files = run_reply({"src/app.py": b"x = 1\n"}, v4a("*** Delete File: src/ap.py\n"))
    assert (statuses_of(result), files) == ({"1": "FILE_NOT_FOUND"}, {"src/app.py": b"x = 1\n"})


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../a.py", "PATH_OUTSIDE_WORKSPACE"),
        ("src/../../a.py", "PATH_OUTSIDE_WORKSPACE"),
        ("/etc/passwd", "PATH_OUTSIDE_WORKSPACE"),
        ("link/a.py", "PATH_OUTSIDE_WORKSPACE"),
        (".git/config", "PROTECTED_PATH"),
        (".envrc", "PROTECTED_PATH"),
    ],
)
@pytest.mark.parametrize("kind", ["search", "new file", "add", "delete", "unified", "move"])
def test_no_block_leaves_the_workspace_and_the_others_land(path: str, code: str, kind: str, tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder in (root / "src", root / ".git", outside):
        folder.mkdir(parents=True)
    for file in (tmp_path / "a.py", outside / "a.py", root / ".git/config", root / ".envrc"):
        file.write_bytes(b"x = 1\n")
    (root / "b.py").write_bytes(b"y = 1\n")
    (root / "link").symlink_to(outside)
    reply = {
        "search": at(path, block("x = 1\n", "x = 2\n")),
        "new file": at(path, new_file("x = 2\n")),
        "add": v4a(f"*** Add File: {path}\n+x = 2\n"),
        "delete": v4a(f"*** Delete File: {path}\n"),
        "unified": f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-x = 1\n+x = 2\n",
        "move": v4a(f"*** Update File: b.py\n*** Move to: {path}\n@@\n-y = 1\n+y = 3\n"),
    }[kind]
    if kind == "unified" and path.startswith("/"):
        reply = reply.replace("a//", "/").replace("b//", "/")
    result = ask(Workspace(root), reply + "\n" + OTHER)
    assert list(statuses_of(result).values()) == [code, "applied"]
    assert (root / "b.py").read_bytes() == b"y = 2\n"
    for file in (tmp_path / "a.py", outside / "a.py", root / ".git/config", root / ".envrc"):
        assert file.read_bytes() == b"x = 1\n"


# expect_hash


def test_the_expected_hashes_are_those_of_the_files() -> None:
    expected = {"a.py": hash_of(b"x = 1\n"), "b.py": hash_of(b"y = 1\n")}
    result, files = run_reply(TWO, SIMPLE + "\n" + OTHER, expect_hash=expected)
    assert (result.is_error, files) == (False, {"a.py": b"x = 2\n", "b.py": b"y = 2\n"})


@pytest.mark.parametrize("dry", [False, True])
def test_another_hash_fails_the_whole_call(*, dry: bool) -> None:
    ws, fs = workspace(TWO)
    before = state(fs)
    expected = {"a.py": hash_of(b"x = 1\n"), "b.py": hash_of(b"something else\n")}
    error = error_of(ask(ws, SIMPLE + "\n" + OTHER, expect_hash=expected, dry_run=dry))
    assert (error["code"], error["retryable"], error["path"]) == ("FILE_CHANGED", True, "b.py")
    assert state(fs) == before


# match


@pytest.mark.parametrize(
    ("before", "old", "new", "after", "bound"),
    [
        (b"a = 1\nb = 2\n", "a = 1\nb = 2\n", "a = 1\nb = 3\n", b"a = 1\nb = 3\n", "exact"),
        (b"a = 1\r\nb = 2\r\n", "a = 1\nb = 2\n", "a = 1\nb = 3\n", b"a = 1\r\nb = 3\r\n", "exact"),
        (b"a = 1  \nb = 2\n", "a = 1\nb = 2\n", "a = 1\nb = 3\n", b"a = 1  \nb = 3\n", "whitespace"),
        (
            b"f:\n\ta = 1\n\tb = 2\n",
            "    a = 1\n    b = 2\n",
            "    a = 1\n    b = 3\n",
            b"f:\n\ta = 1\n\tb = 3\n",
            "whitespace",
        ),
        (
            b"f:\n    a = 1\n    b = 2\n",
            "a = 1\nb = 2\n",
            "a = 1\nb = 3\n",
            b"f:\n    a = 1\n    b = 3\n",
            "whitespace",
        ),
        (
            b"name = 'value'\nother = 2\n",
            "name = ‘value’\nother = 2\n",
            "name = ‘value’\nother = 3\n",
            b"name = 'value'\nother = 3\n",
            "lenient",
        ),
    ],
    ids=["exact", "line ends", "trailing", "tabs", "shift", "look-alike"],
)
def test_match_bounds_how_loosely_a_text_is_found(before: bytes, old: str, new: str, after: bytes, bound: str) -> None:
    bounds = ["exact", "whitespace", "lenient"]
    for match in bounds:
        result, files = run_reply({"a": before}, at("a", block(old, new)), match=match)
        if bounds.index(match) >= bounds.index(bound):
            assert (statuses_of(result), files) == ({"1": "applied"}, {"a": after}), match
        else:
            assert (statuses_of(result), files) == ({"1": "NO_MATCH"}, {"a": before}), match
    assert run_reply({"a": before}, at("a", block(old, new)))[1] == {"a": after}


def test_the_rung_and_score_of_a_match_are_reported() -> None:
    reply = at("a", block("a = 1\n", "a = 2\n"), block("c = 1\nd = 1\n", "c = 1\nd = 2\n"))
    result, _ = run_reply({"a": b"a = 1\nif b:\n    c = 1\n    d = 1\n"}, reply)
    first, second = result.metadata["blocks"]
    assert (first["rung"], second["rung"]) == ("exact", "indentation")
    assert isinstance(second["score"], int | float)


# Lines and pieces of lines


def test_a_text_that_occurs_twice_is_reported_with_its_places() -> None:
    result, _ = run_reply({"a.py": b"same()\nx\nsame()\n"}, at("a.py", block("same()\n", "other()\n")))
    error = failure(result)
    assert error["code"] == "OLD_TEXT_NOT_UNIQUE"
    assert [place["start_line"] for place in error["places"]] == [1, 3]


def test_a_text_that_is_not_found_is_reported_with_what_is_like_it() -> None:
    before = b"import os\n\n\ndef total(values, rate):\n    return sum(values) * rate\n"
    old = "def total(values, tax_rate, country):\n    return sum(values) * tax_rate[country]\n"
    result, files = run_reply({"a.py": before}, at("a.py", block(old, "def total(values):\n    return 0\n")))
    error = failure(result)
    assert (error["code"], files) == ("NO_MATCH", {"a.py": before})
    assert {"similar_content", "search_text"} <= set(error)
    assert 4 in {place["line_number"] for place in error["similar_content"]}


def test_indentation_is_carried_to_the_file() -> None:
    before = b"class A:\n\tdef f(self):\n\t\tif self.x:\n\t\t\treturn 1\n\t\treturn 2\n"
    old = "def f(self):\n  if self.x:\n    return 1\n  return 2\n"
    new = "def f(self):\n  if self.x:\n    self.y = 1\n    return 1\n  return 2\n\ndef g(self):\n  return 3\n"
    after = (
        b"class A:\n\tdef f(self):\n\t\tif self.x:\n\t\t\tself.y = 1\n\t\t\treturn 1\n\t\treturn 2\n"
        b"\n\tdef g(self):\n\t\treturn 3\n"
    )
    result, files = run_reply({"a.py": before}, at("a.py", block(old, new)))
    assert (statuses_of(result), files) == ({"1": "applied"}, {"a.py": after})


# Applied already, and files that are there


def test_what_is_there_already_lands_beside_what_does_not() -> None:
    ws, fs = workspace(TWO)
    succeed(ask(ws, SIMPLE))
    result = ask(ws, SIMPLE + "\n" + OTHER)
    assert statuses_of(result) == {"1": "already_applied", "2": "applied"}
    assert result.metadata["summary"] == {"applied": 1, "already_applied": 1, "failed": 0, "skipped": 0}
    assert fs.files() == {"a.py": b"x = 2\n", "b.py": b"y = 2\n"}


def test_an_added_file_of_v4a_takes_the_place_of_another_and_undo_brings_that_back() -> None:
    ws, fs = workspace({"a.py": b"old\r\ncontent"})
    data = succeed(ask(ws, v4a("*** Add File: a.py\n+new\n")))
    assert (fs.files(), [file["path"] for file in data["files"]]) == ({"a.py": b"new\n"}, ["a.py"])
    succeed(ws.undo())
    assert fs.files() == {"a.py": b"old\r\ncontent"}


def test_a_moved_file_of_v4a_takes_the_place_of_another_and_undo_brings_both_back() -> None:
    before = {"a.py": b"one\ntwo\n", "b.py": b"in the way\n"}
    ws, fs = workspace(before)
    succeed(ask(ws, v4a("*** Update File: a.py\n*** Move to: b.py\n@@\n-one\n+1\n two\n")))
    assert fs.files() == {"b.py": b"1\ntwo\n"}
    succeed(ws.undo())
    assert fs.files() == before


def test_a_file_of_v4a_may_be_moved_without_a_change() -> None:
    result, files = run_reply({"a.py": b"one\n"}, v4a("*** Update File: a.py\n*** Move to: src/b.py\n"))
    assert (statuses_of(result), files) == ({"1": "applied"}, {"src/b.py": b"one\n"})


# Unified diffs


def test_the_modes_of_a_diff_are_taken_or_told() -> None:
    ws, fs = workspace({"a.sh": b"echo 1\n"})
    result = ask(ws, "diff --git a/a.sh b/a.sh\nold mode 100644\nnew mode 100755\n")
    is_executable = fs.node_of("a.sh").mode & 0o111 != 0
    assert is_executable or result.is_error or "mode" in result.text
    assert fs.files() == {"a.sh": b"echo 1\n"}


def test_a_hunk_beside_mode_lines_lands() -> None:
    reply = (
        "diff --git a/a.sh b/a.sh\nold mode 100644\nnew mode 100755\nindex 1..2\n--- a/a.sh\n+++ b/a.sh\n"
        "@@ -1 +1 @@\n-echo 1\n+echo 2\n"
    )
    result, files = run_reply({"a.sh": b"echo 1\n"}, reply)
    assert files == {"a.sh": b"echo 2\n"}
    assert statuses_of(result)["1.1"] == "applied"


def test_a_new_file_of_a_diff_is_as_executable_as_it_says_if_that_is_allowed() -> None:
    ws, fs = workspace({}, Settings(allow_executables=True))
    reply = "diff --git a/x.sh b/x.sh\nnew file mode 100755\n--- /dev/null\n+++ b/x.sh\n@@ -0,0 +1 @@\n+echo\n"
    succeed(ask(ws, reply))
    assert (fs.files(), fs.node_of("x.sh").mode & 0o111 != 0) == ({"x.sh": b"echo\n"}, True)


def _versions(seed: int) -> tuple[bytes, bytes]:
    """Two versions of a text whose lines repeat a lot."""
    chance = random.Random(seed)
    words = [
        "",
        "}",
        "end",
        "    return 1",
        "same()",
        "other()",
        "\tx",
        "+ plus",
        "- minus",
        "-- dashes",
        "@@ at",
        "\\ no",
    ]
    before = [chance.choice(words) for _ in range(chance.randrange(1, 60))]
    after = list(before)
    for _ in range(chance.randrange(1, 6)):
        place = chance.randrange(len(after) + 1)
        kind = chance.choice(["insert", "delete", "change"])
        new = [chance.choice([*words, f"new {chance.random()}"]) for _ in range(chance.randrange(1, 4))]
        after[place : place + (0 if kind == "insert" else chance.randrange(1, 4))] = [] if kind == "delete" else new
    ends = [chance.choice(["\n", "\n", ""]) for _ in range(2)]
    first, second = (
        "\n".join(lines) + (end if lines else "") for lines, end in zip((before, after), ends, strict=True)
    )
    return first.encode(), second.encode()


@pytest.mark.parametrize("seed", range(scaled(150)))
def test_a_diff_with_right_numbers_lands_as_git_would_land_it(seed: int) -> None:
    before, after = _versions(seed)
    if before == after or not before or not after:
        pytest.skip("these two versions make no such diff")
    old, new = (version.decode().splitlines(keepends=True) for version in (before, after))
    diff = "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in difflib.unified_diff(old, new, "a/a.txt", "b/a.txt", n=1 + seed % 3)
    )
    result, files = run_reply({"a.txt": before}, f"diff --git a/a.txt b/a.txt\n{diff}")
    assert files == {"a.txt": after}, diff
    assert set(statuses_of(result).values()) == {"applied"}


def test_a_hunk_without_numbers_that_fits_several_places_is_refused() -> None:
    reply = "--- a/a\n+++ b/a\n@@ @@\n begin\n-same\n+other\n end\n"
    result, files = run_reply({"a": REPEATED}, reply)
    assert (statuses_of(result), files) == ({"1.1": "OLD_TEXT_NOT_UNIQUE"}, {"a": REPEATED})


# Whole files


WHOLE = in_fence("x = 2\n", info="python")


def test_fenced_code_is_no_block_unless_whole_files_are_asked_for() -> None:
    result, files = run_reply(TWO, "### File: a.py\n" + WHOLE)
    assert (error_of(result)["code"], files) == ("NO_BLOCKS", TWO)
    result, files = run_reply(TWO, "### File: a.py\n" + WHOLE + "\n" + OTHER)
    assert (statuses_of(result), files) == ({"1": "applied"}, {"a.py": b"x = 1\n", "b.py": b"y = 2\n"})


@pytest.mark.parametrize(
    ("inside", "kind"),
    [
        (block("x = 1\n", "x = 2\n"), "search_replace"),
        ("--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n", "unified"),
        (v4a("*** Update File: a.py\n@@\n-x = 1\n+x = 2\n"), "v4a"),
    ],
)
def test_a_block_in_a_fence_is_no_whole_file(inside: str, kind: str) -> None:
    result, files = run_reply(TWO, "### File: a.py\n" + in_fence(inside, info="python"), whole_files=True)
    assert ([block["format"] for block in result.metadata["blocks"]], files["a.py"]) == ([kind], b"x = 2\n")


@pytest.mark.parametrize("first", ["### File: a.py\n" + WHOLE, "a.py\n" + WHOLE, SIMPLE])
def test_commands_after_a_file_are_not_its_content(first: str) -> None:
    result, files = run_reply(TWO, first + "\nThen run:\n\n```sh\npython a.py\n```\n", whole_files=True)
    assert files == {"a.py": b"x = 2\n", "b.py": b"y = 1\n"}, result.text


def test_a_whole_file_that_leaves_parts_out_is_refused() -> None:
    before = {"a.py": b"def a():\n    pass\n\n\ndef b():\n    pass\n"}
    reply = "a.py\n" + in_fence("def a():\n    return 1\n\n\n# ... rest of the code unchanged\n", info="python")
    result, files = run_reply(before, reply, whole_files=True)
    assert (fits({"1": "*"}, result), files) == (True, before)


def test_a_whole_file_that_is_there_already_is_applied_already() -> None:
    result, files = run_reply(TWO, "a.py\n" + in_fence("x = 1\n"), whole_files=True)
    assert (statuses_of(result), files, result.metadata["change_id"]) == ({"1": "already_applied"}, TWO, None)


def test_a_whole_file_that_is_cut_is_not_written() -> None:
    result, files = run_reply(TWO, "a.py\n```python\nx = 2\n", whole_files=True)
    assert (statuses_of(result), files) == ({"1": "INCOMPLETE_BLOCK"}, TWO)


def test_a_whole_file_keeps_the_mark_and_the_mode_and_undo_brings_the_old_back() -> None:
    ws, fs = workspace({"a.py": b"\xef\xbb\xbfx = 1\n"})
    fs.node_of("a.py").mode = 0o755
    succeed(ask(ws, "a.py\n" + WHOLE, whole_files=True))
    assert (fs.files()["a.py"], fs.node_of("a.py").mode) == (b"\xef\xbb\xbfx = 2\n", 0o755)
    succeed(ws.undo())
    assert fs.files() == {"a.py": b"\xef\xbb\xbfx = 1\n"}


def test_code_without_a_path_is_no_whole_file() -> None:
    _, files = run_reply(TWO, "Run this:\n\n```sh\nls\n```\n", whole_files=True)
    assert files == TWO


# One transaction


def test_blocks_that_take_each_other_back_change_nothing() -> None:
    reply = at("a.py", block("x = 1\n", "x = 2\n"), block("x = 2\n", "x = 1\n"))
    result, files = run_reply(TWO, reply)
    assert (statuses_of(result), files) == ({"1": "applied", "2": "applied"}, TWO)
    assert (result.metadata["change_id"], result.metadata["diff"], result.metadata["files"]) == (None, "", [])


def test_an_edit_of_a_file_that_the_reply_deleted_fails() -> None:
    result, files = run_reply(
        {"a.txt": b"one line\n"}, v4a("*** Delete File: a.txt\n") + at("a.txt", block("one line\n", "x\n"))
    )
    assert (statuses_of(result), files) == ({"1": "applied", "2": "FILE_NOT_FOUND"}, {})


def test_a_stale_copy_is_reported_with_the_change_that_replaced_it() -> None:
    ws, _ = workspace({"a.py": b"import os\n\n\ndef compute(value):\n    return value * 2\n"})
    change = land(ws, write("a.py", "import os\n\n\nclass Completely:\n    different = True\n"))
    reply = at(
        "a.py", block("def compute(value):\n    return value * 2\n", "def compute(value):\n    return value * 3\n")
    )
    result = ask(ws, reply)
    assert statuses_of(result) == {"1": "TARGET_DELETED"}
    assert failure(result)["written_on"] == {"source": "history", "id": None, "until": change}
    result = ask(ws, reply, match="exact")
    assert statuses_of(result) == {"1": "NO_MATCH"}
    assert failure(result)["stale"]["change_id"] == change


# Only the span changes


def test_the_mode_of_an_edited_file_stays() -> None:
    ws, fs = workspace({"a.py": b"x = 1\n"})
    fs.node_of("a.py").mode = 0o755
    succeed(ask(ws, SIMPLE))
    assert (fs.files()["a.py"], fs.node_of("a.py").mode) == (b"x = 2\n", 0o755)


def test_an_edit_through_a_link_keeps_the_link() -> None:
    ws, fs = workspace({"real/a.py": b"x = 1\n"})
    fs.put_link("a.py", "real/a.py")
    result = ask(ws, SIMPLE)
    assert (statuses_of(result), fs.node_of("real/a.py").data) == ({"1": "applied"}, b"x = 2\n")
    assert result.metadata["blocks"][0]["path"] == "real/a.py"


def test_a_file_that_no_block_names_is_not_touched() -> None:
    ws, fs = workspace({"a.py": b"x = 1\n", "other.py": b"z\n"})
    before = (fs.node_of("other.py").inode, fs.node_of("other.py").modified_ns)
    succeed(ask(ws, SIMPLE))
    assert (fs.node_of("other.py").inode, fs.node_of("other.py").modified_ns) == before


# The text that a model reads


def test_the_text_names_each_failed_block_with_its_file_and_what_to_do() -> None:
    reply = "\n".join(
        [at("a.py", MISSING), at("b.py", block("same()\n", "x\n")), at("c.py", block("z = 1\n", "z = 2\n"))]
    )
    result, _ = run_reply({"a.py": b"x = 1\n", "b.py": b"same()\nsame()\n", "c.py": b"z = 1\n"}, reply)
    assert statuses_of(result) == {"1": "NO_MATCH", "2": "OLD_TEXT_NOT_UNIQUE", "3": "applied"}
    for path in ("a.py", "b.py", "c.py"):
        assert path in result.text
    assert "do not send it again" in result.text
    assert result.metadata["change_id"] in result.text


def test_the_text_of_a_failed_block_is_short() -> None:
    long = "".join(f"unknown_function_{number}(with_arguments)\n" for number in range(300))
    result, _ = run_reply(TWO, at("a.py", block(long, "x\n")))
    assert result.text.count("(with_arguments)") <= 1
    assert len([line for line in result.text.split("\n") if line.strip()]) <= 30


def test_a_long_diff_is_cut_in_the_text_and_whole_in_the_data() -> None:
    content = "".join(f"line {number}\n" for number in range(1_000))
    result, _ = run_reply({}, at("big.txt", new_file(content)))
    assert result.metadata["diff"].count("\n+line ") == 1_000
    assert result.text.count("\n") < 500
