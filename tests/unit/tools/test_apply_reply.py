"""What `apply_reply` does beyond what its specification lists: odd files, chains of changes, many failures, limits."""

from pathlib import Path
from typing import Any

import pytest

from suture import Settings, ToolResult, Workspace, apply_blocks, parse_reply, preview_reply
from tests.unit.changes import workspace
from tests.unit.tools.reply_samples import ask, at, block, new_file, patch, statuses_of

Files = dict[str, bytes]


def run_reply(before: Files, reply: str, **more: Any) -> tuple[ToolResult, Files]:
    ws, fs = workspace(before)
    return ask(ws, reply, **more), fs.files()


MOVE = patch("*** Update File: a.py", "*** Move to: b.py", "@@", "-x = 1", "+x = 2")


def test_a_file_keeps_its_bytes_when_it_is_moved() -> None:
    content = "x = 1\r\n\u00e4\r\n".encode("utf-16")
    _, files = run_reply(
        {"a.txt": content}, patch("*** Update File: a.txt", "*** Move to: b.txt", "@@", "-x = 1", "+x = 2")
    )
    assert files == {"b.txt": "x = 2\r\n\u00e4\r\n".encode("utf-16")}


def test_a_mode_is_changed_as_git_does_if_the_operator_allows_executables() -> None:
    ws, fs = workspace({"run": b"x\n"}, Settings(allow_executables=True))
    diff = "diff --git a/run b/run\nold mode 100644\nnew mode 100755\n"
    assert statuses_of(ask(ws, diff)) == {"1": "applied"}
    assert fs.node_of("run").mode == 0o755
    assert statuses_of(ask(ws, diff)) == {"1": "already_applied"}
    assert statuses_of(ask(ws, "diff --git a/run b/run\nold mode 100755\nnew mode 100644\n")) == {"1": "applied"}
    assert fs.node_of("run").mode == 0o644


NEW = "diff --git a/x b/x\nnew file mode 100755\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n"
CHANGED = "diff --git a/plain b/plain\nold mode 100644\nnew mode 100755\n"
EDITED = CHANGED + "--- a/plain\n+++ b/plain\n@@ -1 +1 @@\n-1\n+2\n"
COPIED = "diff --git a/run b/x\nsimilarity index 100%\ncopy from run\ncopy to x\n"
RENAMED = (
    "diff --git a/plain b/x\nold mode 100644\nnew mode 100755\nsimilarity index 100%\nrename from plain\nrename to x\n"
)
WARNING = "was not made executable. If it should be, ask the operator to allow it (--set allow_executables=true)."


@pytest.mark.promise("confine.executables")
@pytest.mark.parametrize(
    ("reply", "name"),
    [(NEW, "x"), (EDITED, "plain"), (COPIED, "x"), (RENAMED, "x")],
    ids="new edited copied renamed".split(),
)
def test_a_diff_makes_nothing_executable_unless_the_operator_allows_it(reply: str, name: str) -> None:
    for allowed in (False, True):
        ws, fs = workspace({"plain": b"1\n"}, Settings(allow_executables=allowed))
        fs.put("run", b"2\n", mode=0o755)
        result = ask(ws, reply)
        assert not result.is_error
        assert bool(fs.node_of(name).mode & 0o111) is allowed
        assert (f"{name} {WARNING}" in result.metadata["warnings"]) is not allowed


@pytest.mark.promise("confine.executables")
def test_a_diff_that_only_makes_a_file_executable_fails_unless_the_operator_allows_it() -> None:
    ws, fs = workspace({"plain": b"1\n"})
    result = ask(ws, CHANGED)
    assert result.metadata["blocks"][0]["error"]["code"] == "UNSUPPORTED_BLOCK"
    assert "(--set allow_executables=true)" in result.text
    assert fs.node_of("plain").mode == 0o644


@pytest.mark.promise("confine.executables")
def test_an_executable_stays_one_when_it_is_edited_or_moved_and_no_second_one_is_left() -> None:
    ws, fs = workspace()
    fs.put("run", b"1\n", mode=0o755)
    ask(ws, patch("*** Update File: run", "*** Move to: there/go", "@@", "-1", "+2", "*** Add File: run", "+other"))
    assert {name: bool(fs.node_of(name).mode & 0o111) for name in fs.files()} == {"run": True, "there/go": False}
    ask(ws, patch("*** Update File: run", "*** Move to: away"))
    assert {name: bool(fs.node_of(name).mode & 0o111) for name in fs.files()} == {"away": True, "there/go": False}


@pytest.mark.promise("confine.executables")
def test_no_tool_creates_an_executable(tmp_path: Path) -> None:
    ws = Workspace(tmp_path)
    ws.safe_edit("b", content="x\n")
    ask(ws, patch("*** Add File: c", "+x"))
    ask(ws, at("d", new_file("x\n")))
    ws.call("str_replace_based_edit_tool", {"command": "create", "path": "e", "file_text": "#!/bin/sh\n"})
    modes = {path.name: path.stat().st_mode & 0o111 for path in tmp_path.iterdir()}
    assert {"b", "c", "d", "e"} <= modes.keys()
    assert set(modes.values()) == {0}


def test_a_binary_file_can_be_moved_and_deleted_but_not_edited() -> None:
    binary = b"\0\1\2"
    reply = patch("*** Update File: a.bin", "*** Move to: b.bin", "*** Delete File: c.bin", "*** Update File: d.bin")
    reply = reply.replace("*** End Patch", "@@\n-a\n+b\n*** End Patch")
    result, files = run_reply({"a.bin": binary, "c.bin": binary, "d.bin": binary}, reply)
    assert statuses_of(result) == {"1": "applied", "2": "applied", "3.1": "BINARY_FILE"}
    assert files == {"b.bin": binary, "d.bin": binary}


@pytest.mark.parametrize(
    "reply", [patch("*** Delete File: link.py"), patch("*** Update File: link.py", "*** Move to: b.py")]
)
def test_a_link_is_not_taken_away(reply: str) -> None:
    ws, fs = workspace({"real/a.py": b"x\n"})
    fs.put_link("link.py", "real/a.py")
    before = fs.files()
    assert statuses_of(ask(ws, reply)) == {"1": "NOT_A_FILE"}
    assert fs.files() == before


FENCED = {
    "code": ("a.py", "```python\nx = 1\n```\n", "x = 1\n"),
    "blank lines behind": ("a.py", "```python\nx = 1\n```\n\n", "x = 1\n"),
    "tildes": ("a.py", "~~~\nx = 1\n~~~\n", "x = 1\n"),
    "several": ("a.py", "```\nx\n```\n```\ny\n```\n", "```\nx\n```\n```\ny\n```\n"),
    "without an end": ("a.py", "```python\nx = 1\n", "```python\nx = 1\n"),
    "prose": ("a.md", "```python\nx = 1\n```\n", "```python\nx = 1\n```\n"),
}


@pytest.mark.parametrize(("path", "content", "written"), FENCED.values(), ids=FENCED)
@pytest.mark.parametrize("by", ["NEW_FILE", "SEARCH"])
def test_a_fence_around_all_of_a_new_file_of_code_is_not_a_part_of_it(
    path: str, content: str, written: str, by: str
) -> None:
    reply = new_file(content) if by == "NEW_FILE" else block("", content)
    assert run_reply({}, at(path, reply))[1] == {path: written.encode()}


def test_a_whole_file_that_leaves_something_out_is_refused() -> None:
    reply = "```python a.py\nx = 2\n# rest of the code remains unchanged\n```\n"
    result, files = run_reply({"a.py": b"x = 1\ny = 1\n"}, reply, whole_files=True)
    assert (statuses_of(result), files) == ({"1": "ELISION_IN_NEW_TEXT"}, {"a.py": b"x = 1\ny = 1\n"})
    assert run_reply({"a.py": b"x = 1\n"}, reply, whole_files=True, match="exact")[1]["a.py"].startswith(b"x = 2\n")


def test_a_new_file_where_none_can_be_is_refused() -> None:
    result, files = run_reply({"a": b"x\n"}, at("a/b.py", new_file("y\n")))
    assert (result.is_error, files) == (True, {"a": b"x\n"})


def test_a_name_with_a_backslash_is_found_as_it_is_written() -> None:
    assert run_reply({"a\\b.py": b"x = 1\n"}, at("a\\b.py", block("x = 1\n", "x = 2\n")))[1] == {"a\\b.py": b"x = 2\n"}


def test_a_path_that_turned_out_to_mean_a_file_means_it_again() -> None:
    before = {"src/app.py": b"x = 1\ny = 1\n", "lib/app.py": b"y = 1\n"}
    result, files = run_reply(before, at("app.py", block("x = 1\n", "x = 2\n"), block("y = 1\n", "y = 2\n")))
    assert (statuses_of(result), files["src/app.py"]) == ({"1": "applied", "2": "applied"}, b"x = 2\ny = 2\n")
    assert result.metadata["warnings"] == [
        "There is no app.py; the block fits src/app.py, and no other file with a similar name."
    ]


NEAR = {
    "app.py": "src/app.py",
    "project/src/app.py": "src/app.py",
    "src/App.py": "src/app.py",
    "src/ap.py": "src/app.py",
    "src/my-app.py": "src/my_app.py",
    "src/apsp.py": "src/apps.py",
    "src/handlar.py": "src/handler.py",
}


@pytest.mark.parametrize(("written", "meant"), NEAR.items(), ids=list(NEAR))
def test_a_name_with_a_slip_means_the_one_file_that_fits(written: str, meant: str) -> None:
    assert run_reply({meant: b"x = 1\n"}, at(written, block("x = 1\n", "x = 2\n")))[1] == {meant: b"x = 2\n"}


OTHERS = {
    "config.prod.yml": "config.dev.yml",
    "b.py": "a.py",
    "fr.json": "de.json",
    "client/package.json": "server/package.json",
    "v2/users.py": "v1/users.py",
    "handler_v2.go": "handler_v1.go",
    "foo.h": "foo.c",
    "Foo.test.tsx": "Foo.tsx",
    "src/app.py": "tests/app.py",
    "README.de.md": "README.md",
}


@pytest.mark.parametrize(("written", "other"), OTHERS.items(), ids=list(OTHERS))
def test_another_file_is_not_meant_though_the_block_fits_it(written: str, other: str) -> None:
    result, files = run_reply({other: b"x = 1\n"}, at(written, block("x = 1\n", "x = 2\n")))
    assert (statuses_of(result), files) == ({"1": "FILE_NOT_FOUND"}, {other: b"x = 1\n"})


UNCLEAR: dict[str, Files] = {
    "twice in one of two": {"x/app.py": b"one\none\n", "y/app.py": b"one\n"},
    "twice in the one of that name": {"src/app.py": b"one\none\n", "ap.py": b"one\n"},
    "another text in the one of that name": {"src/app.py": b"two\n", "ap.py": b"one\n"},
    "in two": {"x/app.py": b"one\n", "y/app.py": b"one\n"},
}


@pytest.mark.parametrize("before", UNCLEAR.values(), ids=UNCLEAR)
def test_a_near_name_is_taken_only_where_no_other_could_be_meant(before: Files) -> None:
    result, files = run_reply(before, at("app.py", block("one\n", "1\n")))
    assert (statuses_of(result), files) == ({"1": "FILE_NOT_FOUND"}, before)


def test_the_hash_of_a_near_name_is_a_condition_too() -> None:
    wrong = {"x/app.py": "0" * 64}
    before = {"x/app.py": b"one\n", "y/app.py": b"one\n"}
    result, files = run_reply(before, at("app.py", block("one\n", "1\n")), expect_hash=wrong)
    assert (result.metadata["error"]["code"], files) == ("FILE_CHANGED", before)


def test_the_hash_of_a_file_that_no_block_is_about_is_a_condition_too() -> None:
    before = {"a.py": b"one\n", "b.py": b"x\n"}
    result, files = run_reply(before, at("a.py", block("one\n", "1\n")), expect_hash={"b.py": "0" * 64})
    assert (result.metadata["error"]["code"], files) == ("FILE_CHANGED", before)


def test_a_new_name_means_nothing_to_one_text() -> None:
    assert apply_blocks("x = 1\n", parse_reply(MOVE)).text == "x = 2\n"


def test_what_may_not_have_been_meant_is_reported() -> None:
    result, _ = run_reply({"m.py": b"a\n"}, at("m.py", block("a\n", "b\n=======\n")))
    assert result.metadata["warnings"] == ["Block 1: a ======= line was taken as part of the new text."]
    result, _ = run_reply({}, at("m.py", new_file("```\nx\n```\n")))
    assert result.metadata["warnings"] == ["The code fence around m.py was left out."]


def test_a_hunk_of_a_renamed_file_that_fails_is_reported_with_the_new_name() -> None:
    reply = patch("*** Update File: a.py", "*** Move to: b.py", "@@", "-x = 1", "+x = 2", "@@", "-never was here", "+z")
    result, _ = run_reply({"a.py": b"x = 1\n"}, reply)
    assert "Could not find matching text in b.py: never was here" in result.text
    assert "its context and - lines copied from the file" in result.text


def test_a_part_of_a_line_is_told_to_be_one() -> None:
    result, _ = run_reply({"a.py": b"value = compute(x)\n"}, at("a.py", block("compute(x)\n", "")))
    assert "blocks are whole lines" in result.text


def test_a_near_name_that_cannot_be_edited_is_passed_over() -> None:
    before = {"src/app.py": b"x = 1\n", "lib/app.py": b"\0x = 1\n"}
    assert run_reply(before, at("app.py", block("x = 1\n", "x = 2\n")))[1]["src/app.py"] == b"x = 2\n"


def test_many_failures_are_not_all_looked_into() -> None:
    blocks = [block(f"missing_name_{number} = {number}\n", "x\n") for number in range(30)]
    result, _ = run_reply({"a.py": b"something = 1\n"}, at("a.py", *blocks))
    errors = [block["error"] for block in result.metadata["blocks"]]
    assert {error["code"] for error in errors} == {"NO_MATCH"}
    assert [bool(error["similar_content"] or error["words"]) for error in errors] == [True] * 20 + [False] * 10
    assert result.text.count("failed: Could not find matching text") == 30


def test_blocks_for_which_there_is_no_time_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter(range(0, 1_000, 20))
    monkeypatch.setattr("suture.tools.reply.monotonic", lambda: next(now))
    ws, fs = workspace({"a.py": b"x = 1\ny = 1\n"}, Settings(reply_call_ms=30_000))
    result = ask(ws, at("a.py", block("x = 1\n", "x = 2\n"), block("y = 1\n", "y = 2\n")))
    assert (statuses_of(result), fs.files()) == ({"1": "applied", "2": "REPLY_TIMEOUT"}, {"a.py": b"x = 2\ny = 1\n"})
    assert "reply_call_ms" in result.text


def test_the_hunks_of_one_file_are_not_looked_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter(range(0, 1_000, 20))
    monkeypatch.setattr("suture.tools.reply.monotonic", lambda: next(now))
    hunks = ("@@", "-x = 1", "+x = 2", "@@", "-y = 1", "+y = 2")
    result, files = run_reply({"a.py": b"x = 1\ny = 1\n"}, patch("*** Update File: a.py", *hunks))
    assert statuses_of(result) == {"1.1": "REPLY_TIMEOUT", "1.2": "REPLY_TIMEOUT"}
    assert files == {"a.py": b"x = 1\ny = 1\n"}


def test_too_many_blocks_are_refused() -> None:
    ws, fs = workspace({"a.py": b"x = 1\n"}, Settings(max_edits=1))
    result = ask(ws, at("a.py", block("x = 1\n", "x = 2\n"), block("x = 2\n", "x = 3\n")))
    assert (result.metadata["error"]["code"], fs.files()) == ("INPUT_TOO_LARGE", {"a.py": b"x = 1\n"})
    assert (result.metadata["blocks"], result.metadata["summary"]["failed"]) == ([], 0)


@pytest.mark.parametrize("only", [["1", "2.1"], '["1", "2.1"]', "1, 2.1", [1, 2.1], 1])
def test_ids_may_come_in_any_shape(only: object) -> None:
    reply = at("a.py", block("x = 1\n", "x = 2\n")) + patch("*** Update File: b.py", "@@", "-y = 1", "+y = 2")
    result, _ = run_reply({"a.py": b"x = 1\n", "b.py": b"y = 1\n"}, reply, only=only)
    assert statuses_of(result) == {"1": "applied", "2.1": "applied" if only != 1 else "skipped"}


@pytest.mark.parametrize("only", [True, [None], ["9"], {"a": 1}])
def test_what_is_no_id_is_refused(only: object) -> None:
    result, files = run_reply({"a.py": b"x = 1\n"}, at("a.py", block("x = 1\n", "x = 2\n")), only=only)
    assert (result.metadata["error"]["code"], files) == ("INVALID_ARGUMENTS", {"a.py": b"x = 1\n"})


def test_a_character_that_a_file_cannot_hold_is_refused_for_its_block_only() -> None:
    before = {"a.txt": b"caf\xe9 = 1\nb = 1\n"}
    result, files = run_reply(before, at("a.txt", block("b = 1\n", "b = \u4e2d\n"), block("b = 1\n", "b = 2\n")))
    assert (statuses_of(result), files) == (
        {"1": "ENCODING_UNKNOWN", "2": "applied"},
        {"a.txt": b"caf\xe9 = 1\nb = 2\n"},
    )


def test_what_was_carried_over_is_known_when_it_comes_again() -> None:
    ws, fs = workspace({"a.py": b"def f():\n    value = compute(first)\n"})
    reply = at("a.py", block("value = compute(first)\n", "value = compute(second)\n"))
    assert statuses_of(ask(ws, reply)) == {"1": "applied"}
    assert statuses_of(ask(ws, reply)) == {"1": "already_applied"}
    assert fs.files() == {"a.py": b"def f():\n    value = compute(second)\n"}


NOT_APPLIED = {
    "in several places": (
        "    return compute_total_price(items)\nx\n" * 3,
        block("    raise NotImplementedError\n", "    return compute_total_price(items)\n"),
    ),
    "in another function": (
        "def first():\n    logger.info('starting up')\n    run()\n\ndef second():\n    print('other code entirely')\n",
        block("    old_thing_nowhere(1, 2, 3)\n", "    logger.info('starting up')\n"),
    ),
}


@pytest.mark.parametrize(("before", "reply"), NOT_APPLIED.values(), ids=NOT_APPLIED)
def test_a_new_text_that_is_there_for_other_reasons_does_not_make_a_change_done(before: str, reply: str) -> None:
    assert statuses_of(run_reply({"a.py": before.encode()}, at("a.py", reply))[0]) == {"1": "NO_MATCH"}


BILL = (
    "class Bill:\n    def gross(self):\n        return self.total * 2\n\n"
    "    def tax(self):\n        return self.total / 5\n\n\n"
    "class Order:\n    def tax(self):\n        return self.total / 7\n"
)
HUNK = "-        return self.total * 2\n+        return self.total * 3\n"
SCOPES: dict[str, tuple[list[str], bool | None]] = {
    "a function that is not there": (["def net(self):"], False),
    "a class that is not there": (["class Nobody:"], False),
    "a function of a class that is not there": (["class Nobody:", "    def gross(self):"], False),
    "a function that is not in this class": (["class Order:", "    def gross(self):"], False),
    "another function": (["def tax(self):"], True),
    "another class": (["class Order:"], True),
    "a function of another class": (["class Order:", "    def tax(self):"], True),
    "the function": (["    def gross(self):"], None),
    "the class": (["class Bill:"], None),
    "the function of the class": (["class Bill:", "    def gross(self):"], None),
}


def out_of_scope(context: list[str], *, exists: bool) -> dict[str, Any]:
    places = [{"start_line": 3, "end_line": 3, "symbol": "Bill.gross"}]
    return {"code": "OUT_OF_SCOPE", "path": "a.py", "context": context, "exists": exists, "places": places}


def check_scope(reply: str, context: list[str], *, exists: bool | None) -> None:
    """Check that a hunk is applied inside of what it names, and refused outside of it."""
    result, files = run_reply({"a.py": BILL.encode()}, reply)
    (entry,) = result.metadata["blocks"]
    if exists is None:
        assert (entry["status"], files) == ("applied", {"a.py": BILL.replace("total * 2", "total * 3").encode()})
        return
    expected = out_of_scope(context, exists=exists)
    assert ({name: entry["error"].get(name) for name in expected}, files) == (expected, {"a.py": BILL.encode()})
    assert (context[-1].strip() in result.text, "line 3 in Bill.gross" in result.text) == (True, True)


@pytest.mark.parametrize(("context", "exists"), SCOPES.values(), ids=SCOPES)
def test_a_hunk_does_not_land_outside_of_what_it_names(context: list[str], *, exists: bool | None) -> None:
    heads = [f"@@ {name}" for name in context]
    check_scope(patch("*** Update File: a.py", *heads, *HUNK.split("\n")[:-1]), context, exists=exists)


@pytest.mark.parametrize(("context", "exists"), [case for case in SCOPES.values() if len(case[0]) == 1], ids=str)
def test_a_diff_does_not_land_outside_of_what_its_heading_names(context: list[str], *, exists: bool | None) -> None:
    check_scope(f"--- a/a.py\n+++ b/a.py\n@@ -3 +3 @@ {context[0]}\n{HUNK}", context, exists=exists)


def test_a_line_that_says_which_place_is_meant_is_not_passed_over() -> None:
    before = b"DELETE FROM users\nWHERE created_at < now();\n"
    old = "SELECT * FROM users\nWHERE created_at < now();\n"
    result, files = run_reply({"a.sql": before}, at("a.sql", block(old, old.replace("now();", "now() OR true;"))))
    assert (result.is_error, files) == (True, {"a.sql": before})


def test_a_name_that_a_terminal_would_obey_is_reported_cleanly() -> None:
    result, _ = run_reply({"src/a\x1b[31m.py": b"x = 1\n"}, at("a\x1b[31m.py", block("x = 1\n", "x = 2\n")))
    assert "\x1b" not in result.text


def test_a_part_that_stays_does_not_make_a_deletion_done() -> None:
    reply = at("a.py", block("first_call()\nimportant_call()\nlast_call()\n", "important_call()\n"))
    assert statuses_of(run_reply({"a.py": b"important_call()\n"}, reply)[0]) == {"1": "NO_MATCH"}


def test_the_second_time_the_region_is_shown_as_it_is() -> None:
    ws, _ = workspace({"a.py": b"def f():\n    total = compute(\x1b[31mfirst)\n    return total\n"})
    reply = at("a.py", block("    total = compute(other_thing)\n    return total_value\n", "    return 0\n"))
    ask(ws, reply)
    text = ask(ws, reply).text
    assert "refused before" in text
    assert "return total" in text
    assert "\x1b" not in text


def test_a_text_that_was_there_earlier_is_reported() -> None:
    ws, _ = workspace({"a.py": b"alpha = 1\nbeta = 2\n"})
    change = ask(ws, at("a.py", block("alpha = 1\n", "gamma = 3\n"))).metadata["change_id"]
    result = ask(ws, at("a.py", block("alpha = 1\n", "delta = 4\n")), match="exact")
    assert statuses_of(result) == {"1": "NO_MATCH"}
    stale = {"change_id": change, "start_line": 1, "end_line": 1, "text": "gamma = 3"}
    assert result.metadata["blocks"][0]["error"]["stale"] == stale
    assert f"Change {change} changed these lines." in result.text
    assert "Your copy of a.py is old" in result.text
    result = ask(ws, at("a.py", block("alpha = 1\n", "delta = 4\n")))
    assert statuses_of(result) == {"1": "EDIT_CONFLICT"}
    assert f"The text is from the version before change {change}; a.py:1 has changed since" in result.text


def test_a_text_that_was_deleted_is_reported() -> None:
    ws, fs = workspace({"a.py": b"alpha = 1\nbeta = 2\ngamma = 3\n"})
    change = ask(ws, at("a.py", block("alpha = 1\n", ""))).metadata["change_id"]
    result = ask(ws, at("a.py", block("alpha = 1\n", "delta = 4\n"), block("beta = 2\n", "beta = 3\n")))
    assert statuses_of(result) == {"1": "TARGET_DELETED", "2": "applied"}
    error = result.metadata["blocks"][0]["error"]
    version = {"source": "history", "id": None, "until": change}
    expected = {"start_line": 1, "end_line": 1, "text": "beta = 2", "written_on": version, "search_text": "alpha = 1\n"}
    assert {name: error[name] for name in expected} == expected
    assert f"Change {change} removed it." in result.text
    assert fs.files() == {"a.py": b"beta = 3\ngamma = 3\n"}


def test_blocks_of_one_file_may_be_written_on_several_versions() -> None:
    was = "".join(f"line {number}\n" for number in range(9))
    ws, fs = workspace({"a": was.encode()})
    ws.file_read("a")
    fs.put("a", was.replace("line 1", "LINE 1").encode())
    ws.file_read("a")
    fs.put("a", was.replace("line 1", "LINE 1").replace("line 7", "LINE 7").encode())
    blocks = [
        block("line 1\nline 2\nline 3\n", "line 1\nline 2\nline three\n"),
        block("line 5\nline 6\nline 7\n", "line five\nline 6\nline 7\n"),
        block("line 8\n", "line eight\n"),
    ]
    result = ask(ws, at("a", *blocks))
    version = {"source": "read", "id": None, "until": None}
    assert [(block["status"], block["rung"], block["written_on"]) for block in result.metadata["blocks"]] == [
        ("applied", "rebased", version),
        ("applied", "rebased", version),
        ("applied", "exact", None),
    ]
    after = was.replace("line 1", "LINE 1").replace("line 7", "LINE 7")
    for number, word in ((3, "three"), (5, "five"), (8, "eight")):
        after = after.replace(f"line {number}", f"line {word}")
    assert fs.files() == {"a": after.encode()}


def test_a_generated_file_is_changed_with_a_warning() -> None:
    before = {"a.go": b"// Code generated by x. DO NOT EDIT.\nvar a = 1\n"}
    result, files = run_reply(before, at("a.go", block("var a = 1\n", "var a = 2\n")))
    assert files["a.go"].endswith(b"var a = 2\n")
    assert any("a.go" in warning for warning in result.metadata["warnings"])


def test_many_blocks_that_land_are_not_all_listed() -> None:
    body = "".join(f"{number}\n" for number in range(1, 31))
    blocks = [block(f"{number}\n", f"{number}!\n") for number in range(1, 31)]
    result, _ = run_reply({"a.txt": body.encode()}, at("a.txt", *blocks))
    assert result.text.startswith("Applied all 30 blocks (change ")
    assert result.text.endswith("\n… and 10 more.")


TOTAL = "def f():\n    a = compute(alpha, beta)\n    b = compute(gamma, delta)\n    total = {}\n    return total\n"


def test_a_conflict_is_reported_with_both_sides() -> None:
    ws, fs = workspace({"a.py": TOTAL.format("a + b").encode()})
    ws.file_read("a.py")
    fs.put("a.py", TOTAL.format("a + b + offset").encode())
    result = ask(ws, at("a.py", block(TOTAL.format("a + b"), TOTAL.format("a - b"))))
    assert statuses_of(result) == {"1": "EDIT_CONFLICT"}
    assert "in the file:         total = a + b + offset" in result.text


def test_a_line_with_other_words_is_not_taken_for_one_of_the_text() -> None:
    before = TOTAL.format("a + b + offset").encode()
    result, files = run_reply({"a.py": before}, at("a.py", block(TOTAL.format("a + b"), TOTAL.format("a - b"))))
    assert (statuses_of(result), files) == ({"1": "NO_MATCH"}, {"a.py": before})
    (near,) = result.metadata["blocks"][0]["error"]["similar_content"]
    assert (near["line_number"], near["symbol"], [difference["line_number"] for difference in near["differences"]]) == (
        1,
        "f",
        [4],
    )
    assert "in f:" in result.text


def test_texts_in_memory_have_no_outside() -> None:
    for path in ("/etc/passwd", "../a.py"):
        preview = preview_reply(at(path, new_file("x\n")), {})
        assert (preview.files, [outcome.error.code for outcome in preview.outcomes if outcome.error]) == (
            {},
            ["PATH_OUTSIDE_WORKSPACE"],
        )


def test_texts_in_memory_are_found_by_nearly_their_names() -> None:
    files = {"src/app.py": "x = 1\n", "./other.py": "x = 1\n"}
    assert preview_reply(at("./src//x/../app.py", block("x = 1\n", "x = 2\n")), files).files == {
        "src/app.py": "x = 2\n"
    }
    assert preview_reply(at("app.py", block("x = 1\n", "x = 2\n")), files).files == {"src/app.py": "x = 2\n"}


def test_a_preview_can_be_of_some_blocks_only() -> None:
    reply = at("a", block("1\n", "one\n"), block("2\n", "two\n"))
    preview = preview_reply(reply, {"a": "1\n2\n"}, only=["2"])
    assert (preview.files, [outcome.status for outcome in preview.outcomes]) == (
        {"a": "1\ntwo\n"},
        ["skipped", "applied"],
    )


def test_blocks_are_applied_to_one_text_whatever_they_are_about() -> None:
    blocks = parse_reply(at("a", block("1\n", "one\n")) + patch("*** Update File: b", "@@", "-2", "+two"))
    applied = apply_blocks("1\n2\n", blocks)
    assert (applied.text, [(outcome.id, outcome.path) for outcome in applied.outcomes]) == (
        "one\ntwo\n",
        [("1", "a"), ("2.1", "b")],
    )
    assert apply_blocks("1\n2\n", blocks, path="b").text == "1\ntwo\n"


HEAD = "--- a/x\n+++ b/x\n"
PATCHES = {
    "a hunk does not land in what another one puts in": (
        "out:\n    a\n    b\n    }\nend\n",
        "@@ out:\n     a\n+    }\n+end\n+c\n     b\n@@ out:\n     }\n end\n+last\n",
        "out:\n    a\n    }\nend\nc\n    b\n    }\nend\nlast\n",
    ),
    "a hunk may apply to what another one made": (
        "first = 1\nsecond = 2\n",
        "@@ ... @@\n-first = 1\n+first = 10\n second = 2\n@@ ... @@\n first = 10\n-second = 2\n+second = 20\n",
        "first = 10\nsecond = 20\n",
    ),
    "but not in the middle of it": (
        "first = 1\n",
        "@@ ... @@\n first = 1\n+alpha = compute(1)\n+beta = compute(2)\n@@ ... @@\n-alpha = compute(1)\n+gamma = 3\n",
        "first = 1\nalpha = compute(1)\nbeta = compute(2)\n",
    ),
    "two hunks for one place": (
        "first = 1\nsecond = 2\n",
        "@@ ... @@\n-first = 1\n+first = 10\n@@ ... @@\n-first = 1\n+first = 11\n",
        "first = 10\nsecond = 2\n",
    ),
    "hunks out of order": (
        "first = 1\nsecond = 2\nthird = 3\n",
        "@@ ... @@\n-third = 3\n+third = 30\n@@ ... @@\n-first = 1\n+first = 10\n",
        "first = 10\nsecond = 2\nthird = 30\n",
    ),
    "the order decides between equal places": (
        "a = 1\nx = 1\nb = 1\nx = 1\n",
        "@@ ... @@\n-b = 1\n+b = 2\n@@ ... @@\n-x = 1\n+x = 2\n",
        "a = 1\nx = 1\nb = 2\nx = 2\n",
    ),
    "all numbers are wrong by the same": (
        "x\n" * 10 + "a\n" + "x\n" * 10 + "b\n" + "x\n" * 10,
        "@@ -4,3 +4,3 @@\n x\n-a\n+A\n x\n@@ -8,3 +8,3 @@\n x\n-x\n+X\n x\n",
        "x\n" * 10 + "A\n" + "x\n" * 3 + "X\n" + "x\n" * 6 + "b\n" + "x\n" * 10,
    ),
    "line ends are changed if the diff shows them": (
        "a\r\nb\r\n",
        "@@ -1,2 +1,2 @@\n-a\r\n-b\r\n+a\n+b\n",
        "a\nb\n",
    ),
    "one line end is changed": ("a\r\nb\n", "@@ -1,2 +1,2 @@\n-a\r\n+x\n b\n", "x\nb\n"),
    "the end of a file without a newline tells the place": (
        "a\nb\na\nb",
        "@@ ... @@\n a\n-b\n\\ No newline at end of file\n+c\n",
        "a\nb\na\nc\n",
    ),
    "a blank line of context at the end": (
        "x\n\ny\nx\n\nz\n",
        "@@ -4,2 +4,3 @@\n x\n+new\n \n",
        "x\n\ny\nx\nnew\n\nz\n",
    ),
}


@pytest.mark.parametrize(("before", "hunks", "after"), PATCHES.values(), ids=PATCHES)
def test_the_hunks_of_a_patch_are_about_the_file_before_it(before: str, hunks: str, after: str) -> None:
    assert preview_reply(HEAD + hunks, {"x": before}).files["x"] == after


GOOD = at("a.py", block("x = 1\n", "x = 2\n"))
SED = "```bash\nsed -i 's/x/y/' b.py\n```\n"
BEFORE: Files = {"a.py": b"x = 1\n", "b.py": b"x\n"}


@pytest.mark.promise("reply.nothing-silent")
def test_an_edit_that_is_not_read_is_an_error_though_the_blocks_land() -> None:
    result, files = run_reply(BEFORE, GOOD + SED)
    message = "Line 8 of the reply was not read: it looks like a shell command that changes files (b.py)."
    assert result.is_error
    assert result.metadata["unread"] == [
        {"line": 8, "kind": "shell", "path": "b.py", "edits": True, "message": message}
    ]
    error = result.metadata["error"]
    assert (error["code"], error["landed"], error["unread"]) == ("UNREAD_EDITS", ["1"], result.metadata["unread"])
    assert (statuses_of(result), files["a.py"], result.metadata["errors"]) == ({"1": "applied"}, b"x = 2\n", [message])
    assert result.text.split("\n")[1:] == [
        "1 a.py:1, updated",
        "Block 1 landed: do not send it again.",
        f"error: {message}",
        "Resend only what was not read, as SEARCH/REPLACE blocks or as a patch.",
    ]
    assert "; 1 edit not read." in result.text


def test_what_may_be_an_edit_is_a_warning() -> None:
    result, _ = run_reply(BEFORE, f"{GOOD}Delete the file `b.py`.\n")
    assert (result.is_error, "error" in result.metadata) == (False, False)
    assert [(passage["kind"], passage["edits"]) for passage in result.metadata["unread"]] == [("sentence", False)]
    assert result.metadata["warnings"] == [result.metadata["unread"][0]["message"]]


def test_atomic_lands_nothing_if_an_edit_is_not_read() -> None:
    result, files = run_reply(BEFORE, GOOD + SED, atomic=True)
    assert (files, statuses_of(result), result.is_error) == (BEFORE, {"1": "skipped"}, True)
    assert "atomic is set: nothing was applied" in result.text


def test_who_chooses_blocks_knows_what_is_not_read() -> None:
    result, files = run_reply(BEFORE, GOOD + SED, only=["1"])
    assert (result.is_error, files["a.py"], len(result.metadata["unread"])) == (False, b"x = 2\n", 1)
    result, files = run_reply(BEFORE, GOOD + SED, only=["1"], atomic=True)
    assert (result.is_error, files["a.py"]) == (False, b"x = 2\n")


def test_what_is_not_read_is_reported_beside_blocks_that_failed() -> None:
    result, _ = run_reply(BEFORE, at("a.py", block("z\n", "y\n")) + SED + at("a.py", "<<<<<<< SEARCH\n"))
    assert result.metadata["error"]["code"] == "BLOCKS_FAILED"
    assert f"error: {result.metadata['unread'][0]['message']}" in result.text


def test_a_reply_without_blocks_says_what_it_saw() -> None:
    result, _ = run_reply(
        BEFORE, f"{SED}\n<write_to_file>\n<path>a.py</path>\n<content>\nx\n</content>\n</write_to_file>\n"
    )
    error = result.metadata["error"]
    assert (error["code"], error["unread"]) == ("NO_BLOCKS", result.metadata["unread"])
    assert [(passage["kind"], passage["path"]) for passage in error["unread"]] == [("shell", "b.py"), ("file", "a.py")]
    assert all(passage["message"] in result.text for passage in error["unread"])
    assert "set whole_files" in error["hint"]


def test_only_a_few_of_what_was_not_read_are_reported_in_a_sentence() -> None:
    result, _ = run_reply(BEFORE, GOOD + "\n".join([SED] * 5))
    assert "… and 2 more (unread)." in result.metadata["error"]["message"]
    assert len(result.metadata["unread"]) == 5


def test_a_count_that_is_wrong_is_reported() -> None:
    reply = '{"path": "b.py", "old_str": "x", "new_str": "y", "expected_replacements": 2}\n'
    result, files = run_reply(BEFORE, reply)
    (failed,) = result.metadata["blocks"]
    assert (failed["error"]["code"], failed["error"]["actual_occurrences"], files) == ("WRONG_COUNT", 1, BEFORE)


def test_a_call_that_is_not_found_is_reported_in_its_own_words() -> None:
    result, _ = run_reply(BEFORE, '{"path": "b.py", "old_str": "nothing of it", "new_str": "y"}\n')
    (failed,) = result.metadata["blocks"]
    assert "its old text copied from the file" in failed["error"]["hint"]


def test_a_hint_is_read_for_the_file_before_the_reply_and_for_the_file_so_far() -> None:
    search = "<<<<<<< SEARCH\n:start_line:{}\n-------\nx\n=======\n{}\n>>>>>>> REPLACE\n"
    before = {"a.py": b"a\nx\nb\nx\nc\n"}
    _, files = run_reply(before, "a.py\n" + search.format(2, "y\ny\ny") + search.format(4, "z"))
    assert files == {"a.py": b"a\ny\ny\ny\nb\nz\nc\n"}
    two = {"a.py": b"a\nx\nx\n"}
    result, files = run_reply(two, at("a.py", block("a\n", "a\nb\n")) + search.format(3, "z"))
    assert statuses_of(result) == {
        "1": "applied",
        "2": "OLD_TEXT_NOT_UNIQUE",
    }  # its line was 3, and that is now the line of the other one
    assert files == {"a.py": b"a\nb\nx\nx\n"}
    result, files = run_reply(two, "a.py\n" + search.format(2, "y") + search.format(99, "z"))
    assert (statuses_of(result), files) == ({"1": "applied", "2": "applied"}, {"a.py": b"a\ny\nz\n"})


@pytest.mark.promise("reply.nothing-silent")
@pytest.mark.parametrize(
    "name", ["\uff0emcp.json", "mcp.json\u24d2", "\uff4dcp.json", "mcp\uff0ejson", "\uff0fmcp.json"]
)
def test_a_name_in_other_forms_of_its_letters_is_not_silently_taken_for_a_part_of_it(name: str) -> None:
    ws, fs = workspace({"mcp.json": b"old\n"})
    reply = f"{name}\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n"
    result = ws.call("apply_reply", {"reply": reply})
    assert result.is_error or f"There is no {name}; the block fits mcp.json" in result.text
    assert fs.files() == {"mcp.json": b"old\n" if result.is_error else b"new\n"}


def test_a_protected_name_in_other_forms_of_its_letters_is_refused() -> None:
    ws, fs = workspace({"mcp.json": b"old\n"})
    result = ws.call("apply_reply", {"reply": "\uff0emcp.json\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n"})
    assert "is protected" in result.text
    assert fs.files() == {"mcp.json": b"old\n"}


def test_a_wide_full_stop_ends_a_sentence() -> None:
    ws, fs = workspace({"notes.md": b"old\n"})
    reply = "\u4fee\u6539 notes.md\uff0e\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n"
    assert not ws.call("apply_reply", {"reply": reply}).is_error
    assert fs.files() == {"notes.md": b"new\n"}
