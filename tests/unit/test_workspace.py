import logging
import tracemalloc
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from suture import Edit, Settings, Span, SutureError, Text, Workspace, tools
from suture.engine.session import Session
from suture.errors import FileChanged, FileNotFound, InputTooLarge, NotEncodable
from suture.plan import Change, Plan
from suture.testing import FaultyFS, MemoryFS
from suture.tools.spec import DRY_RUN, EXPECT_HASH, Answer, Proposal, Request, ToolSpec, text


class Shout(Request):
    """Arguments of the sample tool."""

    path: str = text("The file")
    dry_run: bool = DRY_RUN
    expect_hash: str | dict[str, str] | None = EXPECT_HASH


def plan_shout(session: Session, request: Shout) -> Proposal:
    def edits(text: Text) -> Iterable[Edit]:
        upper = text.body.upper()
        return [Edit(Span(0, len(upper)), upper)] if upper != text.body else []

    update = session.plan_edit(request.path, edits)

    def describe(change: Change | None) -> Answer:
        return Answer("shouted", {"change_id": None if change is None else change.id, "hash": update.after.digest})

    return Proposal(Plan((update,), "shout"), describe)


SHOUT = ToolSpec("shout", "Shout", "Make a file upper case.", Shout, (), plan=plan_shout)


@pytest.fixture(autouse=True)
def _with_a_sample_editing_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    find = tools.find
    monkeypatch.setattr("suture.workspace.find", lambda name: SHOUT if name == "shout" else find(name))


def workspace(files: dict[str, bytes], settings: Settings | None = None) -> tuple[Workspace, MemoryFS]:
    fs = MemoryFS(files)
    return Workspace(fs.root, settings, fs=fs), fs


@pytest.mark.promise("call.shape")
def test_a_result_has_exactly_the_specified_shape() -> None:
    ws, _ = workspace({"a": b"x"})
    good, bad = ws.call("file_read", {"path": "a"}).to_dict(), ws.call("file_read", {"path": "b"}).to_dict()
    for result in (good, bad):
        assert sorted(result) == ["content", "isError", "metadata"]
        assert [sorted(block) for block in result["content"]] == [["text", "type"]]
    assert sorted(bad["metadata"]["error"]) == ["code", "create_by", "hint", "message", "near", "path", "retryable"]


@pytest.mark.promise("call.never-raises")
@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("file_read", None, "INVALID_ARGUMENTS"),
        ("file_read", [], "INVALID_ARGUMENTS"),
        ("file_read", "path", "INVALID_ARGUMENTS"),
        ("file_read", {"path": None}, "INVALID_ARGUMENTS"),
        ("file_read", {"path": "a", 3: 4}, "INVALID_ARGUMENTS"),
        ("file_read", {"path": "\udcff"}, "FILE_NOT_FOUND"),
        ("file_read", {"path": "\ud800"}, "INVALID_PATH"),
        ("file_raed", {"path": "a"}, "UNKNOWN_TOOL"),
        (None, {}, "UNKNOWN_TOOL"),
        ("", {}, "UNKNOWN_TOOL"),
    ],
)
def test_a_call_never_raises(name: Any, arguments: Any, code: str) -> None:
    ws, _ = workspace({"a": b"x"})
    result = ws.call(name, arguments)
    assert (result.is_error, result.metadata["error"]["code"]) == (True, code)
    assert result.data == result.metadata


def test_an_unknown_tool_is_answered_with_the_nearest() -> None:
    ws, _ = workspace({})
    assert ws.call("file_raed", {}).metadata["error"]["near"] == ["file_read", "file_edit"]


def test_a_defect_is_answered_as_internal_and_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> Proposal:
        raise KeyError

    monkeypatch.setattr("suture.workspace.find", lambda _: SHOUT.evolve(plan=fail))
    ws, _ = workspace({"a": b"x"})
    with caplog.at_level(logging.DEBUG, "suture"):
        result = ws.call("shout", {"path": "a"})
    assert result.metadata["error"]["code"] == "INTERNAL"
    assert [record.name for record in caplog.records] == ["suture.call"]
    assert caplog.records[0].exc_info is not None


def test_a_disk_that_fails_is_reported_as_such() -> None:
    fs = MemoryFS({"a": b"x"})
    ws = Workspace(fs.root, fs=FaultyFS(fs, fail_at=1, only={"read"}))
    error = ws.call("file_read", {"path": "a"}).metadata["error"]
    assert (error["code"], error["path"], error["retryable"]) == ("READ_FAILED", "a", True)


@pytest.mark.promise("bound.input")
def test_a_request_over_its_limit_is_refused_and_names_the_setting() -> None:
    ws, _ = workspace({"a": b"x"}, Settings(max_request_bytes=20))
    error = ws.call("file_read", {"path": "é" * 9}).metadata["error"]
    assert {name: error[name] for name in ("code", "size", "limit", "setting")} == {
        "code": "INPUT_TOO_LARGE",
        "size": 22,
        "limit": 20,
        "setting": "max_request_bytes",
    }


def test_an_editing_tool_lands_its_plan_and_reports_the_change() -> None:
    ws, fs = workspace({"a": b"x\n", "b": b"y"})
    result = ws.call("shout", {"path": "a"})
    assert not result.is_error
    assert result.metadata["change_id"]
    assert fs.files() == {"a": b"X\n", "b": b"y"}


def test_a_dry_run_reports_the_same_and_changes_nothing() -> None:
    ws, fs = workspace({"a": b"x"})
    dry = ws.call("shout", {"path": "a", "dry_run": True}).metadata
    assert fs.files() == {"a": b"x"}
    real = ws.call("shout", {"path": "a"}).metadata
    assert dry == {**real, "change_id": None, "dry_run": True}


def test_a_call_that_changes_nothing_has_no_change_id() -> None:
    ws, fs = workspace({"a": b"X"})
    before = fs.node_of("a").inode
    assert ws.call("shout", {"path": "a"}).metadata["change_id"] is None
    assert fs.node_of("a").inode == before


@pytest.mark.parametrize("as_map", [False, True])
@pytest.mark.parametrize("dry", [False, True])
def test_an_expected_hash_is_compared_with_the_file(*, as_map: bool, dry: bool) -> None:
    ws, fs = workspace({"a": b"x"})
    known = ws.call("file_read", {"path": "a"}).metadata["hash"]
    fs.put("a", b"y")
    expected = {"a": known} if as_map else known
    error = ws.call("shout", {"path": "a", "expect_hash": expected, "dry_run": dry}).metadata["error"]
    assert (error["code"], error["retryable"], error["expected"]) == ("FILE_CHANGED", True, known)
    assert fs.files() == {"a": b"y"}
    fresh = ws.call("file_read", {"path": "a"}).metadata["hash"]
    assert not ws.call("shout", {"path": "a", "expect_hash": fresh}).is_error


def test_a_transaction_lands_several_files_together() -> None:
    ws, fs = workspace({"a": b"one", "b": b"two", "c": b"three"})
    with ws.transaction("tidy up") as tx:
        tx.create("new/d", "four")
        tx.edit("a", lambda text: [Edit(Span(0, len(text.body)), b"ONE")])
        tx.delete("b")
        tx.rename("c", "e")
        tx.write("f", b"six")
    assert fs.files() == {"a": b"ONE", "e": b"three", "f": b"six", "new/d": b"four"}
    assert tx.change is not None
    assert [(file.path, file.action, file.to) for file in tx.change.files] == [
        ("new/d", "create", None),
        ("a", "update", None),
        ("b", "delete", None),
        ("c", "rename", "e"),
        ("f", "create", None),
    ]


def test_an_exception_inside_the_block_drops_everything() -> None:
    ws, fs = workspace({"a": b"one"})
    tx = ws.transaction()
    tx.delete("a")
    with pytest.raises(KeyError), tx:
        raise KeyError
    assert fs.files() == {"a": b"one"}


def test_one_refused_part_refuses_the_whole() -> None:
    ws, fs = workspace({"a": b"one"})
    tx = ws.transaction()
    tx.write("a", b"changed")
    tx.delete("missing")
    with pytest.raises(FileNotFound), tx:
        pass
    assert fs.files() == {"a": b"one"}


def test_a_transaction_that_changes_nothing_is_no_change() -> None:
    ws, _ = workspace({"a": b"one"})
    with ws.transaction() as tx:
        tx.write("a", b"one")
    assert tx.change is None


def test_a_rename_with_new_content_keeps_the_mode() -> None:
    ws, fs = workspace({})
    fs.put("run.sh", b"old", mode=0o755)
    with ws.transaction() as tx:
        tx.rename("run.sh", "bin/run", b"new")
    assert (fs.files(), fs.node_of("bin/run").mode) == ({"bin/run": b"new"}, 0o755)


def test_an_edit_is_planned_again_on_what_another_process_wrote() -> None:
    fs = MemoryFS({"a": b"x y"})
    seen: list[bytes] = []

    def edits(text: Text) -> list[Edit]:
        seen.append(text.body)
        if len(seen) == 1:
            fs.put("a", b"z x y")
        at = text.body.index(b"x")
        return [Edit(Span(at, at + 1), b"X")]

    with Workspace(fs.root, fs=fs).transaction() as tx:
        tx.edit("a", edits)
    assert (seen, fs.files()) == ([b"x y", b"z x y"], {"a": b"z X y"})


def test_a_plan_that_is_overtaken_by_an_equal_change_lands_nothing() -> None:
    fs = MemoryFS({"a": b"x"})

    def edits(text: Text) -> list[Edit]:
        fs.put("a", b"X")
        return [] if text.body == b"X" else [Edit(Span(0, 1), b"X")]

    with Workspace(fs.root, fs=fs).transaction() as tx:
        tx.edit("a", edits)
    assert (tx.change, fs.files()) == (None, {"a": b"X"})


def test_a_file_that_keeps_changing_is_refused_in_the_end() -> None:
    fs = MemoryFS({"a": b"x"})
    rounds: list[int] = []

    def edits(_: Text) -> list[Edit]:
        rounds.append(len(rounds))
        fs.put("a", b"x%d" % len(rounds))
        return [Edit(Span(0, 1), b"X")]

    with pytest.raises(FileChanged) as caught, Workspace(fs.root, fs=fs).transaction() as tx:
        tx.edit("a", edits)
    assert (len(rounds), fs.files(), caught.value.path) == (4, {"a": b"x4"}, "a")


def test_a_file_that_keeps_changing_is_shown_with_the_last_change() -> None:
    fs = MemoryFS({"a": b"one\n", "b": b""})
    rounds = iter(range(1, 9))

    def edits(text: Text) -> list[Edit]:
        fs.put("a", b"round %d\n" % next(rounds))
        return [Edit(Span(0, len(text.body)), b"X")]

    transaction = Workspace(fs.root, fs=fs).transaction()
    transaction.create("c", b"")
    transaction.edit("a", edits)
    with pytest.raises(FileChanged) as caught:
        transaction.__exit__(None, None, None)
    assert caught.value.changed_lines == "@@ -1 +1 @@\n-round 3\n+round 4\n"


KNOWN: list[tuple[bytes, bytes, str | None]] = [
    (b"one\ntwo\nthree\n", b"one\n2\nthree\n", "@@ -2 +2 @@\n-two\n+2\n"),
    (b"one\r\ntwo\r\n", b"one\ntwo\n", "@@ -1,2 +1,2 @@\n-one\r\n-two\r\n+one\n+two\n"),
    ("caf\u00e9\n".encode("utf-16"), "caf\u00e8\n".encode("utf-16"), "@@ -1 +1 @@\n-caf\u00e9\n+caf\u00e8\n"),
    (b"caf\xe9\n", b"caf\xe8\n", "@@ -1 +1 @@\n-caf\ufffd\n+caf\ufffd\n"),
    (b"one\n", b"", "@@ -1 +0,0 @@\n-one\n"),
    (b"one\n", b"x" * 40_000, None),
]


@pytest.mark.promise("patch.expect-hash")
@pytest.mark.parametrize("history", [True, False])
@pytest.mark.parametrize(("was", "now", "changed"), KNOWN)
def test_a_file_without_the_expected_hash_is_shown_with_what_changed(
    was: bytes, now: bytes, changed: str | None, *, history: bool
) -> None:
    ws, fs = workspace({"a": was}, Settings(history=history, max_base_bytes=20_000))
    known = ws.call("file_read", {"path": "a"}).metadata["hash"]
    fs.put("a", now)
    request = {"path": "a", "patches": [{"operation": "append_eof", "newText": "x"}], "expect_hash": known}
    result = ws.call("patch", request)
    assert (result.metadata["error"]["code"], result.metadata["error"]["changed_lines"]) == ("FILE_CHANGED", changed)
    assert ("Changed since that version:" in result.text) is (changed is not None)
    other = Workspace(fs.root, ws.settings, fs=fs)
    assert other.call("patch", request).metadata["error"]["changed_lines"] is None


@pytest.mark.promise("patch.expect-hash")
def test_an_expected_version_in_the_history_is_known_to_other_processes() -> None:
    ws, fs = workspace({"a": b"one\n" * 9_000})
    known = ws.call("file_read", {"path": "a"}).metadata["hash"]
    ws.call("patch", {"path": "a", "patches": [{"operation": "overwrite", "newText": "two\n" * 9_000}]})
    other = Workspace(fs.root, fs=fs)
    arguments = {"path": "a", "expect_hash": known, "dry_run": True}
    result = other.call("shout", arguments)
    changed = result.metadata["error"]["changed_lines"]
    assert (changed[:25], changed[-5:], len(changed) <= 20_000) == ("@@ -1,9000 +1,9000 @@\n-on", "-one\n", True)
    assert len(result.text.split("\n")) <= 15
    fs.put("a", b"o\0e\n")
    deletion = {"reply": "*** Begin Patch\n*** Delete File: a\n*** End Patch\n"}
    binary = other.call("apply_reply", {**deletion, "expect_hash": known}).metadata["error"]
    assert (binary["code"], binary["changed_lines"]) == ("FILE_CHANGED", None)
    assert not other.call("apply_reply", deletion).is_error
    gone = other.call(
        "patch", {"path": "a", "patches": [{"operation": "append_eof", "newText": "x"}], "expect_hash": known}
    )
    assert (gone.metadata["error"]["found"], gone.metadata["error"]["changed_lines"]) == (None, None)
    small = Workspace(fs.root, Settings(max_base_bytes=10), fs=fs)
    fs.put("a", b"one\n")
    assert small.call("shout", arguments).metadata["error"]["changed_lines"] is None


def test_a_workspace_knows_its_root_and_settings() -> None:
    ws, fs = workspace({}, Settings(durability="fast"))
    assert (ws.root, ws.settings.durability, ws.recover()) == (fs.root, "fast", None)


@pytest.mark.parametrize("root", ["missing", "a"])
def test_a_root_that_is_not_a_folder_is_refused(root: str) -> None:
    fs = MemoryFS({"a": b""})
    with pytest.raises(SutureError) as caught:
        Workspace(f"{fs.root}/{root}", fs=fs)
    assert caught.value.code == "WORKSPACE_NOT_FOUND"


def test_a_transaction_that_is_over_takes_nothing_more() -> None:
    ws, fs = workspace({})
    with ws.transaction() as tx:
        tx.create("a", "x")
    for more in (lambda: tx.create("b", "y"), tx.__enter__):
        with pytest.raises(RuntimeError):
            more()
    assert fs.files() == {"a": b"x"}


def test_a_path_may_be_a_path_object_and_edits_must_be_a_function() -> None:
    ws, fs = workspace({"a": b"x"})
    with ws.transaction() as tx:
        tx.rename(Path("a"), Path("b"))
        with pytest.raises(TypeError):
            tx.edit("b", [Edit(Span(0, 1), b"y")])  # type: ignore[arg-type]  # what is refused
    assert fs.files() == {"b": b"x"}


@pytest.mark.parametrize("mode", [-1, 0o4755, 0o7777777])
def test_a_new_file_gets_permission_bits_and_nothing_else(mode: int) -> None:
    ws, _ = workspace({})
    with pytest.raises(ValueError, match=str(mode)):
        ws.transaction().create("a", "x", mode=mode)


@pytest.mark.promise("bound.input")
@pytest.mark.parametrize(
    ("settings", "fill", "setting"),
    [
        (Settings(max_file_bytes=3), lambda tx: tx.create("b", "1234"), "max_file_bytes"),
        (Settings(max_file_bytes=3), lambda tx: tx.write("a", "1234"), "max_file_bytes"),
        (Settings(max_file_bytes=3), lambda tx: tx.rename("a", "b", "1234"), "max_file_bytes"),
        (Settings(max_file_bytes=3), lambda tx: tx.edit("a", lambda _: [Edit(Span(0, 0), b"1234")]), "max_file_bytes"),
        (Settings(max_edits=1), lambda tx: tx.edit("a", lambda _: [Edit(Span(0, 0), b"1")] * 2), "max_edits"),
    ],
)
def test_a_transaction_keeps_the_bounds(settings: Settings, fill: Callable[[Any], None], setting: str) -> None:
    ws, fs = workspace({"a": b"x"}, settings)
    tx = ws.transaction()
    fill(tx)
    with pytest.raises(InputTooLarge) as caught, tx:
        pass
    assert (caught.value.setting, fs.files()) == (setting, {"a": b"x"})


def test_text_that_is_not_text_is_refused_before_anything_is_read() -> None:
    ws, _ = workspace({})
    with pytest.raises(NotEncodable):
        ws.transaction().create("a", "\ud800")


@pytest.mark.parametrize(
    "wrong",
    [
        {"protect": "secrets.txt"},
        {"extra_roots": "/usr"},
        {"allow_protected": [1]},
        {"durability": "slow"},
        {"max_file_bytes": -1},
        {"max_edits": "x"},
        {"max_edits": True},
        {"history": 1},
        {"config": 5},
        {"encodings": "latin-1"},
        {"encodings": (("*.txt", "latin-1", "x"),)},
    ],
)
def test_settings_that_would_mean_something_else_are_refused(wrong: dict[str, Any]) -> None:
    fs = MemoryFS({})
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Workspace(fs.root, Settings(**wrong), fs=fs)


def test_a_root_that_cannot_be_a_path_is_not_a_workspace() -> None:
    with pytest.raises(SutureError) as caught:
        Workspace("a\0b")
    assert caught.value.code == "WORKSPACE_NOT_FOUND"


def test_what_is_shown_of_a_request_cannot_steer_a_terminal_or_go_on_forever() -> None:
    ws, _ = workspace({})
    error = ws.call("file_read", {"path": "a\x1b[31m\n" + "é" * 100}).metadata["error"]
    assert "\x1b" not in error["message"]
    assert "\\x1b[31m\\n" in error["message"]
    assert len(ws.call("x" * 100_000, {}).text) < 1_000


def middle(text: Text) -> list[Edit]:
    at = text.body.index(b"\n", len(text.body) // 2) + 1
    return [Edit(Span(at, at), b"new\n")]


@pytest.mark.promise("bound.memory")
@pytest.mark.parametrize("line", ["an ordinary line of text\n", "a line of text with \U0001f642 in it\n"])
def test_editing_a_large_file_needs_less_than_three_times_its_size(tmp_path: Path, line: str) -> None:
    content = line.encode() * 250_000
    (tmp_path / "a").write_bytes(content)
    ws = Workspace(tmp_path, Settings(durability="fast"))
    tracemalloc.start()
    with ws.transaction() as tx:
        tx.edit("a", middle)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (tmp_path / "a").stat().st_size == len(content) + 4
    assert len(content) < peak < 3 * len(content)


@pytest.mark.parametrize(
    "now", [b"two\n", b"six\n", b"eleven\n"], ids=["what landed last", "as many bytes", "more bytes"]
)
def test_after_a_change_a_hash_is_still_that_of_the_bytes_that_are_there(tmp_path: Path, now: bytes) -> None:
    (tmp_path / "a").write_bytes(b"one\n")
    ws = Workspace(tmp_path)
    assert not ws.call("file_edit", {"path": "a", "edits": [{"old_text": "one", "new_text": "two"}]}).is_error
    (tmp_path / "a").write_bytes(now)
    read = ws.call("file_read", {"path": "a"})
    assert read.metadata["hash"] == f"sha256:{sha256(now).hexdigest()}"
