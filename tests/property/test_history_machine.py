"""Edits, undos, redos, restores, snapshots, others' changes and crashes, in any order, compared with a plain model.

After each step the tree equals the model byte for byte; every change that landed is in the history once, in order,
with the right state; and every content that was ever recorded can still be retrieved.
"""

from __future__ import annotations

from contextlib import suppress
from random import Random
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from suture import Settings, SutureError, ToolResult, Workspace
from suture.plan import SessionInfo, Update
from suture.testing import FaultyFS, LocalFS, MemoryFS, Stopped
from tests.faults.commit_scenario import CHANGING, look
from tests.property.history_model import (
    FORMS,
    NEW_FILE,
    NOISE,
    SLOTS,
    TAKING_BACK,
    Expected,
    ExpectedOfSeveral,
    File,
    Model,
    Point,
    RecordedChange,
    Sheet,
    Touch,
    Touches,
    apply_touches,
    contents,
    creation,
    deletion,
    hash_of,
    lies_in,
    noise,
    parent_folders,
    rename,
    sheet,
    slot,
    update,
)
from tests.unit.changes import take_snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from suture.files.fs import FS

    Call = Callable[[Workspace], "Answer"]

PATHS = ("a", "b", "d/a", "d/b", "d/e", "d/e/a", "n/a")
FOLDERS = ("d", "d/e", "n")
MODES = (0o600, 0o644, 0o755)
WORDS = ("", "red", "blue")
LAST_CALL = 30
PERSON = "person"
CALLERS = {
    "claude": SessionInfo("claude", "claude-code", "2.0", "stdio"),
    "codex": SessionInfo("codex", "codex-mcp-client", "", "http"),
    PERSON: SessionInfo(PERSON, "cli", "", "cli"),  # at a terminal, without a name
}


class Answer(NamedTuple):
    """The outcome of a call: the change that landed, or the code of the refusal."""

    change_id: str | None
    refusal: str | None
    data: dict[str, Any]


class Crash(NamedTuple):
    """The process dies at a call that changes files, sometimes with a power cut, and the recovery at another call."""

    at: int
    second_at: int | None
    power: bool
    seed: int | None


CRASHES = st.builds(
    Crash,
    st.integers(1, LAST_CALL),
    st.none() | st.integers(1, LAST_CALL),
    st.booleans(),
    st.none() | st.integers(0, 9),
)


class StableRandom(Random):
    """Makes the same choices in any order of questions, and whatever ids are in a file."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self._number = number

    def choice(self, options: Any) -> Any:
        """One of the options, chosen by their lengths or by their values."""
        key = repr([self._number, *(len(option) if isinstance(option, bytes) else option for option in options)])
        return options[crc32(key.encode()) % len(options)]


def to_answer(result: ToolResult) -> Answer:
    if result.is_error:
        assert result.metadata["error"]["code"] != "INTERNAL", result.text
        return Answer(None, result.metadata["error"]["code"], result.metadata["error"])
    assert "history" not in result.metadata
    return Answer(result.metadata["change_id"], None, result.metadata)


class Request(NamedTuple):
    """One part of a transaction, as requested, and its expected effect on the tree."""

    ask: Callable[[Any], None]
    touch: Touch


def transaction(requests: Iterable[Request]) -> Call:
    def call(workspace: Workspace) -> Answer:
        try:
            with workspace.transaction("an edit") as tx:
                for request in requests:
                    request.ask(tx)
        except SutureError as error:
            return Answer(None, error.code, {})
        assert tx.change is None or tx.change.trouble is None
        return Answer(None if tx.change is None else tx.change.id, None, {})

    return call


def permit(tx: Any, path: str, mode: int) -> None:
    """Change a file's permission bits, as a patch does."""

    def plan(session: Any) -> Update:
        before = session.read(path)
        return Update(before.place, before, before.content, mode=mode)

    tx._add(plan)


class HistoryMachine(RuleBasedStateMachine):
    """Does the same to a workspace and to the model. Subclasses say where the files are."""

    fs: FS
    root: str
    settings: Settings

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        self.names = 0
        self.who = PERSON
        self.callers = dict(CALLERS)
        self.other_branch: dict[str, File] = {}

    def choose_caller(self, data: st.DataObject) -> None:
        """Who makes the next calls."""
        self.who = data.draw(st.sampled_from(sorted(self.callers)))

    def begin_with(self, data: st.DataObject) -> None:
        """Some files that existed before suture was used."""
        for path in data.draw(st.lists(st.sampled_from(PATHS[:4]), unique=True)):
            file = self.model.create_file(self.draw_content(data), data.draw(st.sampled_from(MODES)))
            self.model.put(path, file)
            self.put(path, file)

    # Calls

    def workspace(self, fs: FS | None = None) -> Workspace:
        return Workspace(self.root, self.settings, session=self.callers[self.who], fs=fs or self.fs)

    def carry_out(self, call: Call, expected: Expected | ExpectedOfSeveral, data: st.DataObject) -> None:
        """Make a call, and compare its effect with the expected one."""
        del data
        self.settle(call(self.workspace()), expected)

    def settle(self, answer: Answer, expected: Expected | ExpectedOfSeveral) -> None:
        if answer.refusal is not None:
            assert answer.refusal in expected.refusals, (answer, expected)
            self.check_conflicts(answer)
            assert self.new_changes() == []
            return
        if isinstance(expected, ExpectedOfSeveral):
            (change,) = self.new_changes()
            undone, left = [answer.data["undone"], *answer.data["also_undone"]], set(answer.data["left"])
            self.land_several(change, expected, undone, left)
            self.check_files(answer.data, self.model.changes[-1].touches)
            assert answer.change_id == change["change_id"]
            return
        touches = self.landing(expected)
        self.check_files(answer.data, touches)
        new = self.new_changes()
        assert (answer.change_id is not None) == bool(touches)
        assert [change["change_id"] for change in new] == ([answer.change_id] if touches else [])
        for change in new:
            self.model.land(change["change_id"], expected, touches, self.who)

    def land_several(
        self,
        change: dict[str, Any],
        expected: ExpectedOfSeveral,
        undone: list[str] | None = None,
        left: set[str] | None = None,
    ) -> None:
        """Several changes were undone at once. The record may say in its own way how the tree became that tree."""
        tree, folders = self.look()
        possible = [
            (touches, outcome)
            for outcome in expected.outcomes
            if contents(outcome.tree) == tree
            and {change["undoes"], *change.get("also_undoes", [])} == set(outcome.undone)
            and undone in (None, [*outcome.undone])
            and left in (None, outcome.left)
            and (touches := self.recorded_touches(change, outcome.tree)) is not None
        ]
        assert possible, (change, tree, expected)
        touches, outcome = possible[0]
        newest, *others = outcome.undone
        assert change["undoes"] == newest
        emptied = tuple(
            folder for recorded in self.model.changes if recorded.id in outcome.undone for folder in recorded.folders
        )
        assert folders == self.model.folders_after(touches, emptied)
        landing = Expected((touches,), frozenset(), "undo", newest, emptied, len(possible) > 1, tuple(others))
        self.model.land(change["change_id"], landing, touches, self.who)
        self.model.tree = dict(outcome.tree)  # also where a file of the same content is another one now

    def recorded_touches(self, change: dict[str, Any], after: dict[str, File]) -> Touches | None:
        """What a recorded change did to each file, if that makes the one tree of the other, in the fewest steps."""
        before = self.model.tree
        touches = []
        for file in change["files"]:
            path, to = file["path"], file.get("to")
            there = None if file["action"] == "delete" else after.get(to or path)
            touches.append(Touch(file["action"], path, before.get(path), there, to, before.get(to) if to else None))
        fits = all(
            (touch.action == "create") == (touch.before is None)
            and (touch.action == "delete") == (touch.after is None)
            and (touch.action == "rename") == (touch.to is not None)
            and touch.is_recorded
            for touch in touches
        )
        return tuple(touches) if fits and contents(apply_touches(before, touches)) == contents(after) else None

    def landing(self, expected: Expected) -> Touches:
        """Which of the expected landings it was."""
        tree, folders = self.look()
        for touches in expected.landings:
            files = {path: file[:2] for path, file in apply_touches(self.model.tree, touches).items()}
            if files == tree and folders == self.model.folders_after(touches, expected.emptied):
                return touches
        raise AssertionError(tree, folders, expected, self.model.tree, self.model.folders)

    def check_conflicts(self, answer: Answer) -> None:
        if answer.refusal == "UNDO_CONFLICT":
            assert answer.data["conflicts"]
            for conflict in answer.data["conflicts"]:
                assert conflict.keys() >= {"path", "line", "base", "ours", "theirs"}

    def check_files(self, data: dict[str, Any], touches: Touches) -> None:
        """What the answer says about files is true."""
        if "files" in data:
            reported = [(file["path"], file["action"], file.get("to"), file["hash"]) for file in data["files"]]
            assert sorted(reported, key=repr) == sorted(
                (
                    (touch.path, touch.action, touch.to, None if touch.after is None else hash_of(touch.after.data))
                    for touch in touches
                    if touch.is_recorded
                ),
                key=repr,
            )

    def new_changes(self) -> list[dict[str, Any]]:
        """The changes that the model does not have yet, oldest first."""
        result = self.workspace().history(limit=3)
        assert not result.is_error, result.text
        ids = {change.id for change in self.model.changes}
        return [change for change in reversed(result.metadata["changes"]) if change["change_id"] not in ids]

    def look(self) -> tuple[dict[str, tuple[bytes, int]], set[str]]:
        tree = look(self.fs, self.root)
        files = {path: (entry.data, entry.mode) for path, entry in tree.items() if entry.kind == "file"}
        return files, {path for path, entry in tree.items() if entry.kind == "folder"}

    # Edits

    @rule(data=st.data())
    def edit(self, data: st.DataObject) -> None:
        self.choose_caller(data)
        requests = self.draw_edits(data)
        if self.model.tree and data.draw(st.integers(0, 7)) == 0:  # one impossible part, and nothing is done
            requests.append(self.draw_impossible_part(data))
            expected = Expected((), frozenset({"FILE_EXISTS", "FILE_NOT_FOUND", "SAME_FILE_TWICE"}))
        else:
            expected = self.expected_edit(requests)
        self.carry_out(transaction(requests), expected, data)

    @precondition(lambda self: self.model.tree)
    @rule(data=st.data())
    def edit_a_line(self, data: st.DataObject) -> None:
        self.choose_caller(data)
        requests = [self.draw_write(data, sorted(self.model.tree), [])]
        self.carry_out(transaction(requests), self.expected_edit(requests), data)

    @precondition(lambda self: self.model.tree)
    @rule(data=st.data())
    def edit_two_lines_then_undo_the_first(self, data: st.DataObject) -> None:
        """The second edit, which may be another session's or another program's, is kept."""
        self.choose_caller(data)
        paths = [path for path, file in self.model.tree.items() if self.model.sheets[file.data].form in FORMS]
        path = data.draw(st.sampled_from(sorted(paths or self.model.tree)))
        requests = [self.draw_write(data, [path], [])]
        self.settle(transaction(requests)(self.workspace()), self.expected_edit(requests))
        newest = self.model.changes[-1:]
        if data.draw(st.booleans()):
            self.change_file(path, data)
        else:
            self.choose_caller(data)
            requests = [self.draw_write(data, [path], [])]
            self.settle(transaction(requests)(self.workspace()), self.expected_edit(requests))
        for change in newest:
            self.take_back("undo", change.id, data)

    @rule(data=st.data())
    def edit_then_undo_then_redo(self, data: st.DataObject) -> None:
        """Undo right after an edit restores everything; redo after that reapplies it."""
        self.choose_caller(data)
        requests, before = self.draw_edits(data), (dict(self.model.tree), set(self.model.folders))
        expected = self.expected_edit(requests)
        self.settle(transaction(requests)(self.workspace()), expected)
        if not expected.landings[0]:
            return
        after = dict(self.model.tree), set(self.model.folders)
        change_id = self.model.changes[-1].id
        for tool, trees in (("undo", before), ("redo", after), ("undo", before), ("redo", after)):
            self.carry_out(self.tool_call(tool, None), self.expected_back(tool, None), data)
            tree, folders = self.look()
            if self.model.changes[-1].tool == tool:  # no crash rolled it back
                assert (tree, folders) == ({path: file[:2] for path, file in trees[0].items()}, trees[1])
                assert (change_id in self.model.undone_changes()) == (tool == "undo")
            else:
                return

    @rule(data=st.data())
    def edit_then_stash_then_undo(self, data: st.DataObject) -> None:
        """An undo without effect, as after git stash, is refused and marks nothing; after git stash pop it works."""
        self.choose_caller(data)
        requests, before = self.draw_edits(data), (dict(self.model.tree), set(self.model.folders))
        expected = self.expected_edit(requests)
        self.settle(transaction(requests)(self.workspace()), expected)
        if not expected.landings[0]:
            return
        after = dict(self.model.tree), set(self.model.folders)
        change_id = self.model.changes[-1].id
        self.check_out(*before)
        for given in (change_id, None):
            call = self.tool_call("undo", given, dry_run=data.draw(st.booleans()))
            self.settle(call(self.workspace()), Expected((), frozenset({"NOT_HERE"})))
        self.the_history_is_the_model()
        self.check_out(*after)
        self.carry_out(self.tool_call("undo", None), self.expected_back("undo", None), data)
        if self.model.changes[-1].tool == "undo":  # no crash rolled it back
            assert (self.model.tree, self.model.folders) == before

    @rule()
    def somebody_switches_branches(self) -> None:
        """Another program puts back all files as they were on the other branch."""
        here = dict(self.model.tree)
        there = {
            path: file._replace(birth=here[path].birth) if path in here else self.model.again(file)
            for path, file in self.other_branch.items()
        }
        used = {folder for path in here for folder in parent_folders(path)}
        empty = {folder for folder in self.model.folders - used if not any(lies_in(folder, path) for path in there)}
        kept = {above for folder in empty for above in parent_folders(folder)} | empty
        self.check_out(there, kept | {folder for path in there for folder in parent_folders(path)})
        self.other_branch = here

    def check_out(self, tree: dict[str, File], folders: set[str]) -> None:
        """Bring the files to a state, as git does; it removes folders that become empty."""
        here = dict(self.model.tree)
        for path in here.keys() - tree.keys():
            self.model.put(path, None)
            self.remove(path)
        for folder in sorted(self.model.folders - folders, key=len, reverse=True):
            self.model.folders.discard(folder)
            self.remove(folder)
        for folder in sorted(folders - self.model.folders, key=len):
            self.model.folders.add(folder)
            self.make_folder(f"{self.root}/{folder}")
        for path, file in tree.items():
            if here.get(path) != file:
                self.model.put(path, file)
                self.put(path, file)

    def draw_impossible_part(self, data: st.DataObject) -> Request:
        path = data.draw(st.sampled_from(sorted(self.model.tree)))
        ask = data.draw(
            st.sampled_from(
                [
                    lambda tx: tx.create(path, b"new"),
                    lambda tx: tx.delete("missing"),
                    lambda tx: tx.rename("missing", "elsewhere"),
                    lambda tx: tx.rename(path, path),
                    lambda tx: (tx.write(path, b"once"), tx.delete(path)),
                ]
            )
        )
        return Request(ask, deletion(path, self.model.tree[path]))

    def expected_edit(self, requests: Iterable[Request]) -> Expected:
        """Parts that change nothing are left out."""
        return Expected(
            (
                tuple(
                    request.touch
                    for request in requests
                    if request.touch.before != request.touch.after or request.touch.to
                ),
            )
        )

    def draw_edits(self, data: st.DataObject) -> list[Request]:
        """One to three edits of different files."""
        requests: list[Request] = []
        for _ in range(data.draw(st.integers(1, 3))):
            used = {path for request in requests for path, _, _ in request.touch.ends()}
            existing = [path for path in sorted(self.model.tree) if path not in used]
            free = [path for path in PATHS if self.model.is_free(path) and not self.is_near(path, used)]
            makers: list[Callable[[st.DataObject, list[str], list[str]], Request]] = []
            makers += [self.draw_creation] if free else []
            makers += [self.draw_write, self.draw_write, self.draw_deletion] if existing else []
            makers += [self.draw_permission] if existing else []
            makers += [self.draw_rename] if existing and free else []
            if makers:
                requests.append(data.draw(st.sampled_from(makers))(data, existing, free))
        return requests

    def is_near(self, path: str, used: Iterable[str]) -> bool:
        """Whether one of two paths would have to be a folder in the other."""
        return any(lies_in(path, other) or lies_in(other, path) for other in used)

    def draw_creation(self, data: st.DataObject, _: list[str], free: list[str]) -> Request:
        path, content = data.draw(st.sampled_from(free)), self.draw_content(data)
        mode = data.draw(st.none() | st.sampled_from(MODES))
        file = self.model.create_file(content, NEW_FILE if mode is None else mode)
        if mode is None and data.draw(st.booleans()):
            return Request(lambda tx: tx.write(path, file.data), creation(path, file))
        return Request(lambda tx: tx.create(path, file.data, mode=mode), creation(path, file))

    def draw_write(self, data: st.DataObject, existing: list[str], _: list[str]) -> Request:
        path = data.draw(st.sampled_from(existing))
        before = self.model.tree[path]
        after = before._replace(data=self.model.remember(self.draw_content(data, before)))
        return Request(lambda tx: tx.write(path, after.data), update(path, before, after))

    def draw_permission(self, data: st.DataObject, existing: list[str], _: list[str]) -> Request:
        path, mode = data.draw(st.sampled_from(existing)), data.draw(st.sampled_from(MODES))
        before = self.model.tree[path]
        return Request(lambda tx: permit(tx, path, mode), update(path, before, before._replace(mode=mode)))

    def draw_deletion(self, data: st.DataObject, existing: list[str], _: list[str]) -> Request:
        path = data.draw(st.sampled_from(existing))
        return Request(lambda tx: tx.delete(path), deletion(path, self.model.tree[path]))

    def draw_rename(self, data: st.DataObject, existing: list[str], free: list[str]) -> Request:
        path, to = data.draw(st.sampled_from(existing)), data.draw(st.sampled_from(free))
        before = self.model.tree[path]
        if data.draw(st.booleans()):
            return Request(lambda tx: tx.rename(path, to), rename(path, before, to, before))
        after = before._replace(data=self.model.remember(self.draw_content(data, before)))
        return Request(lambda tx: tx.rename(path, to, after.data), rename(path, before, to, after))

    def draw_content(self, data: st.DataObject, old: File | None = None) -> Sheet:
        """A content; mostly the old one with one slot changed."""
        now = None if old is None else self.model.sheets[old.data]
        if now is not None and now.form in FORMS and data.draw(st.integers(0, 7)):
            at = slot(data.draw(st.integers(0, SLOTS - 1)))
            words = {sheet(now.form, [word] * SLOTS).cells[at] for word in WORDS} - {now.cells[at]}
            return Sheet(now.form, (*now.cells[:at], data.draw(st.sampled_from(sorted(words))), *now.cells[at + 1 :]))
        if data.draw(st.integers(0, 7)) == 0:
            return noise(data.draw(st.sampled_from(NOISE)))
        form = data.draw(st.sampled_from(["LF", *FORMS]))
        return sheet(form, data.draw(st.tuples(*[st.sampled_from(WORDS)] * SLOTS)))

    # Undo and redo

    @precondition(lambda self: self.model.changes)
    @rule(tool=st.sampled_from(["undo", "undo", "redo"]), data=st.data())
    def take_the_newest_back(self, tool: str, data: st.DataObject) -> None:
        self.choose_caller(data)
        self.take_back(tool, None, data)

    @precondition(lambda self: self.model.changes)
    @rule(tool=st.sampled_from(["undo", "undo", "redo"]), data=st.data())
    def take_any_back(self, tool: str, data: st.DataObject) -> None:
        self.choose_caller(data)
        change = data.draw(st.sampled_from(self.model.changes[::-1]))
        others = [other.id for other in self.model.changes if other is not change]
        enough = next(n for n in range(1, 20) if not any(other.startswith(change.id[:n]) for other in others))
        length = data.draw(st.sampled_from([len(change.id), enough, 1]))  # ids share a first letter for years
        self.take_back(tool, change.id[:length].upper() if data.draw(st.booleans()) else change.id[:length], data)

    @precondition(lambda self: self.model.changes)
    @rule(partly=st.booleans(), data=st.data())
    def take_all_of_a_session_back(self, data: st.DataObject, *, partly: bool) -> None:
        """In one transaction, what would be undone one by one; without `partly`, all or nothing."""
        self.choose_caller(data)
        self.take_session_back(data.draw(st.sampled_from(sorted(self.callers))), data, partly=partly)

    @rule(partly=st.booleans(), alone=st.booleans(), data=st.data())
    def work_in_a_session_then_undo_and_redo_it(self, data: st.DataObject, *, partly: bool, alone: bool) -> None:
        """All edits of a session are undone at once, and redone; alone, everything is as it was before, and after.

        Only a folder that the session made and left empty does not come back; and a file stays that needs its place.
        """
        self.names += 1
        worker = f"run {self.names}"
        self.callers[worker] = SessionInfo(worker, "an agent", "", "stdio")
        before = dict(self.model.tree), set(self.model.folders)
        for _ in range(data.draw(st.integers(2, 4))):
            self.who = worker
            requests = self.draw_edits(data)
            self.settle(transaction(requests)(self.workspace()), self.expected_edit(requests))
            if not alone and data.draw(st.booleans()):
                self.choose_caller(data)
                requests = self.draw_edits(data)
                self.settle(transaction(requests)(self.workspace()), self.expected_edit(requests))
        after, number = (dict(self.model.tree), set(self.model.folders)), len(self.model.changes)
        self.choose_caller(data)
        self.take_session_back(worker, data, partly=partly)
        if len(self.model.changes) == number:
            return
        done = {change.id for change in self.model.changes if change.session == worker and change.tool == "transaction"}
        alone = alone and done == {*self.model.changes[-1].undone_ids}
        assert not alone or (contents(self.model.tree), self.model.folders) == (contents(before[0]), before[1])
        self.carry_out(self.tool_call("redo", None), self.expected_back("redo", None), data)
        if self.model.changes[-1].tool == "redo" and alone:
            folders = before[1] | {folder for path in after[0] for folder in parent_folders(path)}
            assert (contents(self.model.tree), self.model.folders) == (contents(after[0]), folders)

    def take_session_back(self, whose: str, data: st.DataObject, *, partly: bool) -> None:
        changes = self.model.in_effect(whose)
        if changes:
            expected = self.model.undo_all(changes, partly=partly)
        else:
            known = whose in {change.session for change in self.model.changes}
            code = "NOTHING_TO_UNDO" if known else "SESSION_NOT_FOUND"
            expected = ExpectedOfSeveral((), frozenset({code}))

        def call(workspace: Workspace, *, dry_run: bool = False) -> Answer:
            return to_answer(workspace.command("undo", {"session": whose, "partly": partly, "dry_run": dry_run}))

        rehearsal = self.rehearse(lambda ws: call(ws, dry_run=True)) if data.draw(st.booleans()) else None
        number = len(self.model.changes)
        self.carry_out(call, expected, data)
        if rehearsal is not None and len(self.model.changes) > number:
            touches = self.model.changes[-1].touches
            assert rehearsal.refusal is None
            self.check_files(rehearsal.data, touches)

    def take_back(self, tool: str, change_id: str | None, data: st.DataObject) -> None:
        expected = self.expected_back(tool, change_id)
        rehearsal = self.rehearse(self.tool_call(tool, change_id, dry_run=True)) if data.draw(st.booleans()) else None
        before = len(self.model.changes)
        self.carry_out(self.tool_call(tool, change_id), expected, data)
        if rehearsal is not None and len(self.model.changes) > before:
            reported = {(file["path"], file["action"]) for file in rehearsal.data["files"]}
            assert reported == {(touch.path, touch.action) for touch in self.model.changes[-1].touches}

    def rehearse(self, call: Call) -> Answer:
        """A dry run, which changes nothing."""
        tree = self.look()
        answer = call(self.workspace())
        assert answer.change_id is None
        assert self.look() == tree
        assert self.new_changes() == []
        return answer

    def tool_call(self, tool: str, change_id: str | None, *, dry_run: bool = False) -> Call:
        return lambda workspace: to_answer(workspace.call(tool, {"change_id": change_id, "dry_run": dry_run}))

    def expected_back(self, tool: str, change_id: str | None) -> Expected:
        if change_id is None:
            change = self.newest(tool)
            refusal = "NOTHING_TO_UNDO" if tool == "undo" else "NOTHING_TO_REDO"
        else:
            matching = [recorded for recorded in self.model.changes if recorded.id.startswith(change_id.lower())]
            change = matching[0] if len(matching) == 1 else None
            refusal = "CHANGE_NOT_FOUND"
            if change is not None and tool == "redo":
                change, refusal = self.undo_of(change), "NOTHING_TO_REDO"
        if change is None:
            return Expected((), frozenset({refusal}))
        return self.model.undo(change, tool)

    def newest(self, tool: str) -> RecordedChange | None:
        """What is undone by default: the newest edit in force, or the newest undo in force.

        An agent takes back only what it did itself; a person at a terminal, what anybody did.
        """
        undone, whose = self.model.undone_changes(), set(self.callers) if self.who == PERSON else {self.who}
        in_force = [
            change
            for change in self.model.changes
            if change.id not in undone
            and change.session in whose
            and (change.tool == "undo" if tool == "redo" else change.tool not in TAKING_BACK)
        ]
        return in_force[-1] if in_force else None

    def undo_of(self, change: RecordedChange) -> RecordedChange | None:
        """What a redo of a change reverts: the change itself if it is an undo in force, or what undid it."""
        undone = self.model.undone_changes()
        if change.tool == "undo" and change.id not in undone:
            return change
        in_force = [
            recorded
            for recorded in self.model.changes
            if change.id in recorded.undone_ids and recorded.id not in undone
        ]
        return in_force[-1] if in_force else None

    # Restoring

    @rule(data=st.data())
    def take_a_snapshot(self, data: st.DataObject) -> None:
        self.names += 1
        name = f"point {self.names}"
        extra_paths = (
            data.draw(st.lists(st.sampled_from(sorted(self.model.tree)), max_size=2)) if self.model.tree else []
        )
        recorded_paths = {path for path in (*self.model.paths(), *extra_paths) if not self.model.is_blocked(path)}
        point = Point(name, len(self.model.changes), {path: self.model.tree.get(path) for path in recorded_paths})
        take_snapshot(self.workspace(), name, extra_paths)
        self.model.points.append(point)

    @precondition(lambda self: self.model.changes or self.model.points)
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        self.choose_caller(data)
        points: list[RecordedChange | Point] = [*self.model.changes[::-1], *self.model.points]
        to: RecordedChange | Point | None = data.draw(st.none() | st.sampled_from(points))
        recorded_paths = sorted(self.model.paths())
        most = 2 if recorded_paths else 0
        below = data.draw(
            st.lists(st.sampled_from([*recorded_paths, *FOLDERS]), min_size=to is None and most > 0, max_size=most)
        )
        name = to.name if isinstance(to, Point) else to and to.id
        expected = self.model.restore(to, below)
        if any(not any(lies_in(path, target) for path in recorded_paths) for target in below):
            expected = Expected((), expected.refusals | {"NOT_RECORDED"})
        elif to is None and not below:
            expected = Expected((), frozenset({"INVALID_ARGUMENTS"}))
        if data.draw(st.booleans()):
            self.rehearse(lambda workspace: to_answer(workspace.restore(name, below, dry_run=True)))
        self.carry_out(lambda workspace: to_answer(workspace.restore(name, below)), expected, data)

    # Changes by others

    @rule(data=st.data())
    def somebody_writes(self, data: st.DataObject) -> None:
        path = data.draw(st.sampled_from([path for path in PATHS if not self.model.is_blocked(path)]))
        if path in self.model.tree:
            self.change_file(path, data)
        else:
            file = self.model.create_file(self.draw_content(data), data.draw(st.sampled_from(MODES)))
            self.model.put(path, file)
            self.put(path, file)

    def change_file(self, path: str, data: st.DataObject) -> None:
        """Another program writes a file, perhaps changes its permissions, or deletes it."""
        file = self.model.tree[path]
        what = data.draw(st.sampled_from(["write", "write", "permit", "delete"]))
        if what == "delete":
            self.model.put(path, None)
            self.remove(path)
            return
        if what == "write":
            file = file._replace(data=self.model.remember(self.draw_content(data, file)))
        else:
            file = file._replace(mode=data.draw(st.sampled_from(MODES)))
        self.model.put(path, file)
        self.put(path, file)

    @precondition(lambda self: self.model.folders)
    @rule(data=st.data())
    def somebody_deletes_a_folder(self, data: st.DataObject) -> None:
        folder = data.draw(st.sampled_from(sorted(self.model.folders)))
        for path in [path for path in self.model.tree if lies_in(path, folder)]:
            self.model.put(path, None)
            self.remove(path)
        for path in sorted((other for other in self.model.folders if lies_in(other, folder)), key=len, reverse=True):
            self.model.folders.discard(path)
            self.remove(path)

    def put(self, path: str, file: File) -> None:
        """Write a file as another program would, and sync it."""
        folder, _, name = f"{self.root}/{path}".rpartition("/")
        self.make_folder(folder)
        handle = self.fs.open_root(folder)
        exists = self.fs.stat(handle, name) is not None
        file_handle = self.fs.open_write(handle, name) if exists else self.fs.create(handle, name, 0o600)
        self.fs.write(file_handle, (file.data,))
        self.fs.truncate(file_handle, len(file.data))
        self.fs.set_mode(file_handle, file.mode)
        for open_handle in (file_handle, handle):
            self.fs.sync(open_handle)
            self.fs.close(open_handle)

    def make_folder(self, folder: str) -> None:
        if folder == self.root:
            return
        above, _, name = folder.rpartition("/")
        self.make_folder(above)
        handle = self.fs.open_root(above)
        with suppress(FileExistsError):
            self.fs.mkdir(handle, name)
        self.fs.sync(handle)
        self.fs.close(handle)

    def remove(self, path: str) -> None:
        """Remove a file or an empty folder as another program would, and sync that."""
        folder, _, name = f"{self.root}/{path}".rpartition("/")
        handle = self.fs.open_root(folder)
        status = self.fs.stat(handle, name)
        assert status is not None
        (self.fs.rmdir if status.kind == "folder" else self.fs.unlink)(handle, name)
        self.fs.sync(handle)
        self.fs.close(handle)

    # Invariants

    @invariant()
    def the_tree_is_the_model(self) -> None:
        tree, folders = self.look()
        assert tree == {path: file[:2] for path, file in self.model.tree.items()}
        assert folders == self.model.folders

    @invariant()
    def the_history_is_the_model(self) -> None:
        undone = self.model.undone_changes()
        records: list[dict[str, Any]] = []
        before = None
        while before is not None or not records:
            page = self.workspace().history(limit=7, before=before)
            assert not page.is_error, page.text
            records += page.metadata["changes"]
            before = page.metadata["next"]
            if not records:
                break
        assert [summarize(record) for record in records] == [
            (
                change.id,
                change.tool,
                "undone" if change.id in undone else "landed",
                change.undoes,
                list(change.also_undoes),
                (change.session, self.callers[change.session].agent),
                sorted((touch.path, touch.action, touch.to or "", *lines(touch)) for touch in change.touches),
            )
            for change in reversed(self.model.changes)
        ]

    @invariant()
    def nothing_recorded_is_lost(self) -> None:
        with self.workspace()._engine.session() as session, session.history.reading() as book:
            for recorded, change in zip(book.changes(), reversed(self.model.changes), strict=True):
                assert sorted(recorded.folders) == sorted(change.folders)
                records = {item.path: item for item in recorded.files}
                assert records.keys() == {touch.path for touch in change.touches}
                for touch in change.touches:
                    record = records[touch.path]
                    for version, file in (
                        (record.before, touch.before),
                        (record.after, touch.after),
                        (record.replaced, touch.replaced),
                    ):
                        stored = None if version is None else (book.content(version.digest), version.mode)
                        assert stored == (None if file is None else file[:2])
            points = book.snapshots()
            assert [item.name for item in points] == [item.name for item in self.model.points]
            for point, expected in zip(points, self.model.points, strict=True):
                files = {
                    path: None if version is None else (book.content(version.digest), version.mode)
                    for path, version in book.snapshot_files(point).items()
                }
                assert files == {path: None if file is None else file[:2] for path, file in expected.files.items()}


def summarize(change: dict[str, Any]) -> tuple[Any, ...]:
    files = [
        (file["path"], file["action"], file.get("to", ""), file["added"], file["removed"]) for file in change["files"]
    ]
    origin = change["session"]["id"], change["session"]["agent"]
    undone = change["undoes"], change.get("also_undoes", [])
    return change["change_id"], change["tool"], change["state"], *undone, origin, sorted(files)


def lines(touch: Touch) -> tuple[int, int]:
    """How many lines were added and removed: those that are not part of the longest common subsequence."""
    old, new = ([] if file is None else split(file.data) for file in (touch.before, touch.after))
    longest = [0] * (len(new) + 1)
    for line in old:
        row = [0]
        for at, other in enumerate(new):
            row.append(longest[at] + 1 if line == other else max(longest[at + 1], row[-1]))
        longest = row
    return len(new) - longest[-1], len(old) - longest[-1]


def split(data: bytes) -> list[bytes]:
    result = [line + b"\n" for line in data.split(b"\n")]
    last = result.pop()[:-1]
    return [*result, last] if last else result


class MemoryMachine(HistoryMachine):
    """In memory, where any call can be cut off."""

    memory: MemoryFS

    @initialize(
        durability=st.sampled_from(["full", "fast"]), can_link=st.sampled_from([True, True, False]), data=st.data()
    )
    def begin(self, durability: str, data: st.DataObject, *, can_link: bool) -> None:
        self.fs = self.memory = MemoryFS(can_link=can_link)
        self.root = self.memory.root
        self.settings = Settings(durability=durability, lock_timeout_ms=0)
        self.begin_with(data)

    def carry_out(self, call: Call, expected: Expected | ExpectedOfSeveral, data: st.DataObject) -> None:
        crash = data.draw(st.none() | st.none() | CRASHES)
        if crash is None:
            super().carry_out(call, expected, data)
            return
        try:
            answer = call(self.workspace(FaultyFS(self.fs, stop_at=crash.at, only=CHANGING)))
        except Stopped:
            self.die(crash)
        else:
            self.settle(answer, expected)
            return
        if crash.second_at is not None:
            with suppress(Stopped):
                self.workspace(FaultyFS(self.fs, stop_at=crash.second_at, only=CHANGING)).recover()
            self.die(crash)
        self.settle_what_is_left(expected)

    def settle_what_is_left(self, expected: Expected | ExpectedOfSeveral) -> None:
        """After the recovery the call has landed and is recorded, or nothing of it remains."""
        for change in self.new_changes():
            if isinstance(expected, ExpectedOfSeveral):
                self.land_several(change, expected)
            else:
                self.model.land(change["change_id"], expected, self.landing(expected), self.who)

    def die(self, crash: Crash) -> None:
        if crash.power and self.settings.durability == "full":
            self.memory.power_loss(None if crash.seed is None else StableRandom(crash.seed))
        else:
            self.memory.crash()

    @precondition(lambda self: self.settings.durability == "full")
    @rule(seed=st.none() | st.integers(0, 9))
    def the_power_fails(self, seed: int | None) -> None:
        self.memory.power_loss(None if seed is None else StableRandom(seed))
        assert self.new_changes() == []


def scripted_machine() -> MemoryMachine:
    """A machine whose steps a test writes out."""
    machine = MemoryMachine()
    machine.fs = machine.memory = MemoryFS()
    machine.root, machine.settings = machine.memory.root, Settings(durability="fast", lock_timeout_ms=0)
    return machine


class DiskMachine(HistoryMachine):
    """On real files, in a new folder each time; none is removed, so that no folder is mistaken for another."""

    home: Path

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        self.fs = LocalFS()
        self.root = mkdtemp(dir=self.home)
        self.settings = Settings(durability="fast", lock_timeout_ms=0)
        self.begin_with(data)


def make_settings(examples: int, steps: int, *, shrink: bool = False) -> settings:
    """How much is tried; only the soak has the minutes that shrinking a failure takes."""
    phases = (Phase.explicit, Phase.reuse, Phase.generate, *((Phase.shrink,) if shrink else ()))
    return settings(
        max_examples=examples,
        stateful_step_count=steps,
        phases=phases,
        suppress_health_check=list(HealthCheck),
        deadline=None,
    )


@pytest.mark.promise("back.machine")
def test_edits_undos_restores_and_crashes_in_any_order_keep_tree_and_history() -> None:
    run_state_machine_as_test(MemoryMachine, settings=make_settings(16, 20))


@pytest.mark.promise("back.machine")
def test_edits_undos_and_restores_of_real_files_keep_tree_and_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_on_disk(tmp_path, monkeypatch, make_settings(6, 20))


@pytest.mark.promise("back.machine")
def test_a_file_that_a_restore_moved_back_is_expected_where_it_was_renamed_to_since() -> None:
    """The model took it for a copy, because it was still under its other name when it was restored."""
    machine = scripted_machine()
    before = machine.model.create_file(sheet("CRLF", ("", "", "")))
    machine.model.put("a", before)
    machine.put("a", before)
    after = before._replace(data=machine.model.remember(sheet("CRLF", ("blue", "", ""))))
    steps = [
        Request(lambda tx: tx.write("a", after.data), update("a", before, after)),
        Request(lambda tx: tx.rename("a", "b"), rename("a", after, "b", after)),
    ]
    for step in steps:
        machine.settle(transaction([step])(machine.workspace()), machine.expected_edit([step]))
    change = machine.model.changes[0]
    expected = machine.model.restore(change, ())
    machine.settle(to_answer(machine.workspace().restore(change.id)), expected)
    file = machine.model.tree["a"]
    step = Request(lambda tx: tx.rename("a", "d/e"), rename("a", file, "d/e", file))
    machine.settle(transaction([step])(machine.workspace()), machine.expected_edit([step]))
    machine.settle(machine.tool_call("undo", change.id)(machine.workspace()), machine.expected_back("undo", change.id))
    machine.the_tree_is_the_model()
    machine.the_history_is_the_model()
    assert {path: file.data for path, file in machine.model.tree.items()} == {"d/e": before.data}


@pytest.mark.soak
@pytest.mark.parametrize("part", range(4))  # side by side: together they take as long as the longest
def test_very_many_edits_undos_restores_and_crashes_keep_tree_and_history(part: int) -> None:
    del part
    run_state_machine_as_test(MemoryMachine, settings=make_settings(500, 50, shrink=True))


@pytest.mark.soak
def test_very_many_edits_undos_and_restores_of_real_files_keep_tree_and_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_on_disk(tmp_path, monkeypatch, make_settings(200, 50, shrink=True))


def check_on_disk(home: Path, monkeypatch: pytest.MonkeyPatch, how_many: settings) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))

    class Machine(DiskMachine):
        pass

    Machine.home = home
    run_state_machine_as_test(Machine, settings=how_many)
