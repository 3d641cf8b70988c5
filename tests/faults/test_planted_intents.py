"""Which intents are believed: planted ones, and those of another user or of 0.1.0, add nothing to the history."""

from __future__ import annotations

import hmac
import json
import os
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from suture import Settings, Workspace
from suture.errors import InputTooLarge, RecoveryBlocked
from suture.testing import FaultyFS, LocalFS, MemoryFS
from suture.wording import error_text
from tests.faults.commit_scenario import (
    done_scenario,
    in_memory,
    look,
    published_scenario,
    settings,
    state,
    stopped_scenario,
    transact,
)
from tests.unit.changes import hash_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

INTENT = ".suture/intent"
PLAIN = ".suture-intent"
"""Where 0.1.0 wrote it."""
ID = "0123456789abcde"
STEM = f".suture-{ID}-0"
STAGED = f".suture/{ID}-0"
UNSIGNED_LIMIT = 8_000_000


def version(data: bytes | None) -> dict[str, Any] | None:
    return None if data is None else {"digest": hash_of(data), "mode": 0o644}


def document(path: Any = "a.txt", before: bytes | None = b"evil\n", after: bytes | None = b"old\n") -> dict[str, Any]:
    """A document as suture writes it, about one file."""
    folder = path.rpartition("/")[0] + "/" if isinstance(path, str) and "/" in path else ""
    file = {
        "path": path,
        "action": "update",
        "before": version(before),
        "after": version(after),
        "to": None,
        "replaced": None,
        "added": None,
        "removed": None,
    }
    step = {
        "root": 0,
        "path": path,
        "before": before and hash_of(before),
        "after": after and hash_of(after),
        "temp": after and f"{folder}{STEM}.new",
        "backup": before and f"{folder}{STEM}.old",
        "in_place": False,
    }
    record = {
        "id": ID,
        "tool": "file_edit",
        "summary": "planted",
        "files": [file],
        "folders": [],
        "undoes": None,
        "state": "landed",
        "number": 0,
        "clipboards": [],
    }
    return {"record": record, "roots": ["/ws"], "folders": [], "steps": [step], "emptied": []}


def planted_intent(content: dict[str, Any] | bytes, mark: str = "open") -> bytes:
    """An intent as 0.1.0 writes it, and as anyone can."""
    line = content if isinstance(content, bytes) else json.dumps(content).encode()
    return b"suture-intent 1 %s\n%s\n%s\n" % (mark.encode(), line, hash_of(line).encode())


def workspace(fs: MemoryFS, options: Settings | None = None) -> Workspace:
    return Workspace(fs.root, options or settings(), fs=fs)


def changes(fs: MemoryFS) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = workspace(fs).call("history", {}).metadata["changes"]
    return result


def with_step(**fields: Any) -> dict[str, Any]:
    result = document()
    result["steps"][0].update(fields)
    return result


def with_record(**fields: Any) -> dict[str, Any]:
    result = document()
    result["record"].update(fields)
    return result


MALFORMED: dict[str, bytes | dict[str, Any]] = {
    "deep JSON": b"[" * 200_000,
    "deep JSON that ends": b"[" * 200_000 + b"]" * 200_000,
    "a number of many digits": b'{"roots": ' + b"9" * 5_000 + b"}",
    "a NUL in a path": document("a\0.txt"),
    "a surrogate in a path": document("a\ud800.txt"),
    "a path that is too long": document("a" * 300),
    "a path that is too deep": document("a/" * 10_000 + "a"),
    "an absolute path": document("/a.txt"),
    "a path upwards": document("../a.txt"),
    "a protected path": document(".git/config"),
    "a protected name in other letters": document(".GIT/hooks/x"),
    "a name of suture's own": document(".suture-history/x.db"),
    "a folder that is protected": {**document(), "folders": [[0, ".git/refs/tags"]]},
    "a folder to empty that is protected": {**document(), "emptied": [[0, ".git/refs/tags"]]},
    "a folder with a NUL": {**document(), "folders": [[0, "a\0b"]]},
    "a folder that is no pair": {**document(), "folders": [[0]]},
    "no roots": {**document(), "roots": []},
    "roots that are no texts": {**document(), "roots": [3]},
    "a root that is a flag": with_step(root=True),
    "a root that is a text": with_step(root="0"),
    "no steps": {**document(), "steps": None},
    "a step that is a list": {**document(), "steps": [[]]},
    "a hash that is none": with_step(before="sha256:0"),
    "a hash of another length": with_step(after="sha256:" + "0" * 63),
    "a backup without a hash": with_step(before=None),
    "a flag that is a text": with_step(in_place="yes"),
    "in place without a backup": with_step(in_place=True, before=None, backup=None),
    "a temporary file of another change": with_step(temp=".suture-000000000000000-0.new"),
    "a temporary file of another ending": with_step(temp=f"{STEM}.db"),
    "a temporary file with a prefix in the staging folder": with_step(temp=f".suture/{STEM}.new"),
    "a temporary file without a prefix beside its path": with_step(temp=f"{ID}-0.new"),
    "a temporary file in a folder of the staging folder": with_step(temp=f".suture/x/{ID}-0.new"),
    "a temporary file in the staging folder of another folder": with_step(temp=f"other/{STAGED}.new"),
    "a temporary file in the staging folder, and a backup outside": with_step(temp=f"{STAGED}.new"),
    "the intent as a temporary file": with_step(temp=INTENT),
    "the file that git reads as a temporary file": with_step(temp=".suture/.gitignore", backup=f"{STAGED}.old"),
    "a folder of suture's own": {**document(), "folders": [[0, ".suture"]]},
    "a folder to empty that is suture's own": {**document(), "emptied": [[0, ".suture"]]},
    "a file in the staging folder": document(".suture/x"),
    "a temporary file with a folder in its name": with_step(temp=f".suture-{ID}-/0.new"),
    "one temporary file for two": with_step(temp=f"{STEM}.old"),
    "two steps for one path": {**document(), "steps": document()["steps"] * 2},
    "an id that is none": with_record(id="../../x"),
    "an id that is a number": with_record(id=5),
    "an undone change that is none": with_record(undoes="x"),
    "files that are none": with_record(files=[3]),
    "a file without a version": with_record(files=[{"path": "a.txt"}]),
    "a mode that is a text": with_record(
        files=[{**document()["record"]["files"][0], "after": {"digest": hash_of(b""), "mode": "7"}}]
    ),
    "a line count that is a text": with_record(files=[{**document()["record"]["files"][0], "added": "7"}]),
    "a summary that is none": with_record(summary=None),
    "clipboards that are no texts": with_record(clipboards=[[1, 2]]),
}


def tree_with_folders() -> MemoryFS:
    fs = MemoryFS({"a.txt": b"old\n", "other/run": b"#!"})
    for name in ("/ws/.git/refs/tags", "/ws/.git/hooks", "/ws/logs"):
        fs.make_folder(name)
    fs.put(".git/config", b"config\n")
    fs.sync_all()
    return fs


places = pytest.mark.parametrize("place", [INTENT, PLAIN])


@pytest.mark.promise("atomic.planted")
@pytest.mark.parametrize("mark", ["open", "done"])
@pytest.mark.parametrize("name", MALFORMED)
@places
def test_an_intent_that_no_suture_writes_is_refused_and_nothing_is_touched(place: str, name: str, mark: str) -> None:
    fs = tree_with_folders()
    fs.put(place, planted_intent(MALFORMED[name], mark))
    before = look(fs, "/")
    for tool, arguments in (
        ("file_read", {"path": "a.txt"}),
        ("file_edit", {"path": "a.txt", "edits": [{"old_text": "old", "new_text": "new"}]}),
        ("undo", {}),
    ):
        error = workspace(fs).call(tool, arguments).metadata["error"]
        assert (error["code"], error.get("state")) == ("RECOVERY_BLOCKED", "foreign"), tool
    assert look(fs, "/") == before


@pytest.mark.promise("atomic.planted")
def test_what_is_refused_says_how_to_go_on() -> None:
    fs = tree_with_folders()
    fs.put(INTENT, planted_intent(b"[" * 200_000))
    text = workspace(fs).call("file_read", {"path": "a.txt"}).text
    assert "delete it" in text
    fs.unlink(fs.open_folder(fs.open_root(fs.root), ".suture"), "intent")
    fs.crash()
    assert not workspace(fs).call("file_read", {"path": "a.txt"}).is_error


class CountingFS(FaultyFS):
    """Counts the bytes that were read."""

    bytes_read = 0

    def _forward(self, name: str, *args: Any) -> Any:
        if name == "read":
            self.bytes_read += args[1]
        return super()._forward(name, *args)


@pytest.mark.promise("atomic.planted")
@pytest.mark.parametrize("size", [Settings.max_intent_bytes + 1, 3_000_000_000])
@places
def test_a_huge_intent_is_refused_unread(tmp_path: Path, place: str, size: int) -> None:
    (tmp_path / "a.txt").write_bytes(b"old\n")
    (tmp_path / ".suture").mkdir()
    with (tmp_path / place).open("wb") as file:
        file.truncate(size)
    fs = CountingFS(LocalFS())
    error = Workspace(tmp_path, fs=fs).call("file_read", {"path": "a.txt"}).metadata["error"]
    assert (error["code"], fs.bytes_read) == ("RECOVERY_BLOCKED", 0)
    assert "max_intent_bytes" in error["reason"]


@pytest.mark.promise("atomic.planted")
def test_a_large_intent_without_a_signature_is_refused_unparsed() -> None:
    fs = tree_with_folders()
    fs.put(INTENT, planted_intent(b"[" + b"[]," * (UNSIGNED_LIMIT // 3) + b"[]]"))
    error = workspace(fs).call("file_read", {"path": "a.txt"}).metadata["error"]
    assert (error["code"], "not signed" in error["reason"]) == ("RECOVERY_BLOCKED", True)


@pytest.mark.promise("atomic.planted")
@pytest.mark.parametrize("kind", ["fifo", "link", "folder", "dangling link"])
@places
def test_what_is_no_file_is_no_intent(tmp_path: Path, place: str, kind: str) -> None:
    (tmp_path / "a.txt").write_bytes(b"old\n")
    (tmp_path / ".suture").mkdir()
    path = tmp_path / place
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("a.txt" if kind == "link" else "nowhere")
    for tool in ("file_read", "undo"):
        error = Workspace(tmp_path).call(tool, {"path": "a.txt"} if tool == "file_read" else {}).metadata["error"]
        assert (error["code"], error["state"]) == ("RECOVERY_BLOCKED", "foreign")
    assert (tmp_path / "a.txt").read_bytes() == b"old\n"


@pytest.mark.promise("atomic.signed")
@pytest.mark.parametrize(("place", "staged"), [(INTENT, False), (INTENT, True), (PLAIN, False)])
def test_a_planted_intent_that_is_done_gets_nothing_into_the_history(place: str, *, staged: bool) -> None:
    """0.1.0 recorded it, and the next undo wrote the old content that it claimed."""
    fs = tree_with_folders()
    fs.put(
        place, planted_intent(with_step(temp=f"{STAGED}.new", backup=f"{STAGED}.old") if staged else document(), "done")
    )
    fs.put(f"{STAGED if staged else STEM}.old", b"evil\n")
    result = workspace(fs).call("file_read", {"path": "a.txt"})
    assert result.metadata["recovered"]["direction"] == "forward"
    assert result.metadata["history"]["recorded"] is False
    assert "signed" in result.metadata["history"]["reason"]
    assert changes(fs) == []
    assert workspace(fs).call("undo", {}).is_error
    assert {name for name in fs.files() if not name.startswith(".git/")} == {"a.txt", "other/run"}
    assert fs.files()["a.txt"] == b"old\n"


@pytest.mark.promise("atomic.planted")
@pytest.mark.parametrize("mark", ["open", "done"])
def test_a_planted_intent_removes_no_folder(mark: str) -> None:
    fs = tree_with_folders()
    fs.put(INTENT, planted_intent({**document(), "folders": [[0, "logs"]], "emptied": [[0, "logs"]]}, mark))
    workspace(fs).recover()
    assert "logs" in fs.folders()
    assert INTENT not in fs.files()


@pytest.mark.promise("atomic.signed")
@pytest.mark.parametrize("mark", ["open", "done"])
def test_a_planted_intent_that_leads_through_a_link_is_refused_with_the_way_out(mark: str) -> None:
    fs = MemoryFS({"keep.txt": b"kept\n", "there/x.txt": b"old\n", f"there/{STEM}.old": b"evil\n"})
    fs.put_link("link", "there")
    fs.put(INTENT, planted_intent(document("link/x.txt"), mark))
    before = fs.files()
    result = workspace(fs).call("file_read", {"path": "keep.txt"})
    if mark == "done":  # there is nothing to restore
        assert result.text.startswith("     1\tkept\n")
        del before[INTENT]
    else:
        error = result.metadata["error"]
        assert (error["code"], error["state"], error["change_id"]) == ("RECOVERY_BLOCKED", "foreign", ID)
        assert "link" in error["reason"]
    assert fs.files() == before


@pytest.mark.promise("atomic.planted")
def test_a_planted_intent_takes_no_file_away_for_its_content() -> None:
    fs = MemoryFS({"a.txt": b"old\n"}, can_link=False)
    fs.put(INTENT, planted_intent(document(before=None)))
    recovery = workspace(fs).recover()
    assert recovery is not None
    assert (recovery.aside, fs.files()) == (("a.txt.suture-orig",), {"a.txt.suture-orig": b"old\n"})


def by_another_user(fs: MemoryFS) -> None:
    fs.key = os.urandom(32)


def without_a_key(fs: MemoryFS) -> None:
    fs.key = None


def by_an_earlier_version(fs: MemoryFS) -> None:
    head, line, check, *_ = fs.node_of(INTENT).data.split(b"\n")
    fs.put(INTENT, b"suture-intent 1 %s\n%s\n%s\n" % (head.split(b" ")[2], line, check))


def with_another_body(fs: MemoryFS) -> None:
    data = fs.node_of(INTENT).data
    head, line, _, last, *_ = data.split(b"\n")
    line = line.replace(b'"tool": "transaction"', b'"tool": "transactioN"')
    fs.put(INTENT, b"\n".join((head, line, hash_of(line).encode(), last, b"")))


NOT_OURS = [by_another_user, without_a_key, by_an_earlier_version, with_another_body]


@pytest.mark.promise("atomic.signed")
@pytest.mark.parametrize("alter", NOT_OURS)
def test_an_unfinished_transaction_that_this_user_did_not_sign_is_rolled_back(
    alter: Callable[[MemoryFS], None],
) -> None:
    fs = published_scenario()
    alter(fs)
    recovery = workspace(fs).recover()
    assert recovery is not None
    assert (recovery.direction, state(fs, fs.root)) == ("back", "old")
    assert changes(fs) == []


@pytest.mark.promise("atomic.signed")
@pytest.mark.parametrize("alter", NOT_OURS)
def test_a_complete_transaction_that_this_user_did_not_sign_stays_and_is_not_recorded(
    alter: Callable[[MemoryFS], None],
) -> None:
    fs = done_scenario()
    alter(fs)
    fs.shelf.clear()  # as if its process had died before it was recorded
    result = workspace(fs).call("file_read", {"path": "other/run"})
    assert result.metadata["recovered"]["direction"] == "forward"
    assert result.metadata["history"]["recorded"] is False
    assert (state(fs, fs.root), changes(fs)) == ("new", [])


@pytest.mark.promise("atomic.signed")
def test_a_complete_transaction_of_an_earlier_version_that_was_recorded_is_not_reported_as_lost() -> None:
    fs = done_scenario()
    by_an_earlier_version(fs)
    result = workspace(fs).call("file_read", {"path": "other/run"})
    assert result.metadata["recovered"]["direction"] == "forward"
    assert "history" not in result.metadata
    assert len(changes(fs)) == 1


@pytest.mark.promise("atomic.signed")
def test_a_complete_transaction_of_this_user_is_recorded() -> None:
    fs = done_scenario()
    fs.shelf.clear()
    result = workspace(fs).call("file_read", {"path": "other/run"})
    assert "history" not in result.metadata
    assert [change["change_id"] for change in changes(fs)] == [result.metadata["recovered"]["id"]]


@pytest.mark.promise("atomic.signed")
@pytest.mark.parametrize("mac", [b"-" * 64, b"0" * 64, b"0" * 32 + b"-" * 32])
def test_a_mark_that_someone_else_made_or_that_is_torn_does_not_count(mac: bytes) -> None:
    fs = published_scenario()
    head, _, rest = fs.node_of(INTENT).data.partition(b"\n")
    assert head == b"suture-intent 2 open " + b"-" * 64
    fs.put(INTENT, b"suture-intent 2 done " + mac + b"\n" + rest)
    recovery = workspace(fs).recover()
    assert recovery is not None
    assert (recovery.direction, state(fs, fs.root)) == ("back", "old")


@pytest.mark.promise("atomic.signed")
def test_an_intent_that_was_copied_into_another_folder_is_not_believed() -> None:
    fs = done_scenario()
    fs.shelf.clear()
    for path, data in fs.files().items():
        fs.put(f"clone/{path}", data)
    recovery = Workspace(f"{fs.root}/clone", settings(), fs=fs).recover()
    assert recovery is not None
    assert recovery.trouble is not None
    assert (recovery.direction, recovery.trouble.recorded) == ("forward", False)


def test_the_signature_is_the_hmac_that_everybody_knows() -> None:
    fs = published_scenario()
    _, line, _, last, _ = fs.node_of(INTENT).data.split(b"\n")
    root = fs.fstat(fs.open_root(fs.root))
    message = b"%d %d\n%s" % (root.device, root.inode, line)
    assert fs.key is not None
    assert last.decode() == "hmac-sha256:" + hmac.new(fs.key, message, sha256).hexdigest()


@pytest.mark.promise("atomic.signed")
def test_where_no_key_can_be_kept_a_transaction_lands_and_can_be_rolled_back() -> None:
    fs = in_memory()
    fs.key = None
    stopped_scenario("open_write", 2, fs)
    assert fs.node_of(INTENT).data.endswith(b"\nunsigned\n")
    workspace(fs).recover()
    assert state(fs, fs.root) == "old"
    transact(fs, fs.root)
    assert state(fs, fs.root) == "new"


@pytest.mark.promise("atomic.planted")
def test_a_transaction_whose_intent_would_be_too_large_is_refused_before_anything_is_begun() -> None:
    fs = MemoryFS({"a.txt": b"old\n"})
    calls = FaultyFS(fs, only=["create", "link", "mkdir", "write"])
    small = settings().evolve(max_intent_bytes=1_500)
    transaction = Workspace(fs.root, small, fs=calls).transaction()
    for number in range(5):
        transaction.create(f"{number}.txt", b"new\n")
    with pytest.raises(InputTooLarge) as caught:
        transaction.__exit__(None, None, None)
    assert (caught.value.setting, caught.value.limit) == ("max_intent_bytes", 1_500)
    assert (calls.calls, fs.files(), fs.folders()) == (["mkdir"], {"a.txt": b"old\n"}, set())


class Dead(FaultyFS):
    """The disk refuses all writes from one call on."""

    broken = False

    def _forward(self, name: str, *args: Any) -> Any:
        if name == "sync" and self.calls.count("open_write") == 2:  # the intent has just been marked as done
            self.broken = True
        if self.broken and name in {"sync", "open_write", "unlink", "rename"}:
            raise OSError(5, os.strerror(5))
        return super()._forward(name, *args)


@pytest.mark.promise("atomic.undecided")
def test_an_error_after_which_the_change_lands_says_what_is_open_and_the_next_answer_how_it_ended() -> None:
    fs = in_memory()
    with pytest.raises(RecoveryBlocked) as caught:
        transact(Dead(fs), fs.root)
    error = caught.value
    assert error.state == "open"
    fs.crash()
    result = workspace(fs).call("file_read", {"path": "other/run"})
    assert result.metadata["recovered"]["id"] == error.change_id
    assert (result.metadata["recovered"]["direction"], state(fs, fs.root)) == ("forward", "new")
    assert f"{error.change_id}, 6 paths) was complete and has landed" in result.text
    assert f"says whether {error.change_id} landed or was rolled back" in error_text(error)


NEIGHBORS: dict[str, Callable[[MemoryFS, str], object]] = {
    "a link": lambda fs, path: fs.put_link(path, "/ws/secret"),
    "a link to nothing": lambda fs, path: fs.put_link(path, "nowhere"),
    "a FIFO": lambda fs, path: fs.put_special(path),
    "a folder": lambda fs, path: fs.make_folder(f"{fs.root}/{path}"),
    "a folder with a file": lambda fs, path: fs.put(f"{path}/x", b"x"),
}


def replace_helpers(fs: MemoryFS, ending: str, neighbor: str) -> list[str]:
    """Replace every temporary file by something else; returns their names."""
    names = [name for name in fs.files() if name.startswith(".suture/") and name.endswith(ending)]
    for name in names:
        folder = fs.open_root(fs.root)
        *above, last = name.split("/")
        for part in above:
            folder = fs.open_folder(folder, part)
        fs.unlink(folder, last)
        NEIGHBORS[neighbor](fs, name)
    fs.crash()
    return names


@pytest.mark.promise("atomic.neighbors")
@pytest.mark.parametrize("neighbor", NEIGHBORS)
@pytest.mark.parametrize("ending", [".new", ".old"])
@pytest.mark.parametrize("scenario", [published_scenario, done_scenario])
def test_what_someone_put_at_the_name_of_a_helping_file_is_never_taken_for_content(
    scenario: Callable[[], MemoryFS], ending: str, neighbor: str
) -> None:
    fs = scenario()
    fs.put("secret", b"secret\n")
    names = replace_helpers(fs, ending, neighbor)
    assert names
    paths = [path for path in look(fs, fs.root) if not path.startswith(".suture")]
    result = workspace(fs).call("file_read", {"path": "other/run"})
    code = result.metadata["error"]["code"] if result.is_error else "done"
    tree = look(fs, fs.root)
    assert code in {"done", "RECOVERY_BLOCKED"}
    kinds = {path: tree[path].kind for path in paths if path in tree}
    assert {path for path, kind in kinds.items() if kind not in {"file", "folder"}} == {"other/link"}
    assert [path for path, entry in tree.items() if entry.kind == "file" and entry.data == b"secret\n"] == ["secret"]
    if scenario is done_scenario:
        assert code == "done"
        others = {path: entry for path, entry in tree.items() if not any(path.startswith(name) for name in names)}
        assert others["update.txt"].data == b"one\nTWO\nthree\n"
    if ending == ".new":
        assert code == "done"


@pytest.mark.promise("atomic.neighbors")
def test_a_blocked_recovery_names_the_helping_file_that_is_none_any_more() -> None:
    fs = published_scenario()
    replace_helpers(fs, ".old", "a FIFO")
    error = workspace(fs).call("file_read", {"path": "other/run"}).metadata["error"]
    assert (error["code"], error["state"]) == ("RECOVERY_BLOCKED", "left")
    assert "NOT_A_FILE (" in error["reason"]
    assert error["change_id"]


@pytest.mark.promise("atomic.neighbors")
def test_an_interrupted_transaction_of_an_extra_root_is_cleared_up_too() -> None:
    fs = published_scenario()
    fs.make_folder("/main")
    options = settings().evolve(extra_roots=(fs.root,))
    result = Workspace("/main", options, fs=fs).call("file_read", {"path": "nowhere.txt"})
    assert result.metadata["recovered"]["direction"] == "back"
    assert state(fs, fs.root) == "old"
