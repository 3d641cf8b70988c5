"""Several sessions in one workspace: whose changes undo and redo take, and how sessions are named."""

from typing import Any

import pytest

from suture import Workspace
from suture.plan import SessionInfo
from suture.testing import MemoryFS
from tests.unit.changes import error_of, land, lines, list_changes, rename, state, succeed, write

CLAUDE = SessionInfo("538frendkq6hew6", "claude-code", "2.0.1", "stdio")
AGAIN = SessionInfo("538frenzzzzzzzz", "claude-code", "2.0.1", "http")
CODEX = SessionInfo("538g0000000aaaa", "codex", "", "stdio")
PERSON = SessionInfo("538g0000000bbbb", "cli", "", "cli")
NAMED = SessionInfo("tidy", "cli", "", "cli", "tidy")
PROGRAM = SessionInfo("538g0000000cccc", "library", "", "library")


class Shared:
    """A workspace that several sessions use."""

    def __init__(self) -> None:
        self.fs = MemoryFS({"a": lines(), "b": lines()})
        self._first = Workspace(self.fs.root, fs=self.fs, session=PROGRAM)

    def of(self, session: SessionInfo) -> Workspace:
        return self._first.for_session(session)

    def edit(self, session: SessionInfo, path: str, *changed: int, summary: str = "") -> str:
        """Change lines of a file that are not changed yet."""
        old = self.fs.files()[path]
        new = b"".join(
            line if number not in changed else line.replace(b"line", session.agent.encode())
            for number, line in enumerate(old.splitlines(keepends=True), 1)
        )
        return land(self.of(session), write(path, new), summary=summary)


@pytest.fixture
def shared() -> Shared:
    return Shared()


def undo_session(workspace: Workspace, session: str, **more: object) -> Any:
    return workspace.command("undo", {"session": session, **more})


# Programs without a name, of which each process is a session

LATER = SessionInfo("538g0000000dddd", "library", "", "library")
"""The same program, or another one, in another process."""


@pytest.mark.promise("back.session")
def test_a_program_without_a_name_undoes_and_redoes_what_an_earlier_process_did(shared: Shared) -> None:
    first, second = shared.edit(PROGRAM, "a", 1), shared.edit(PROGRAM, "a", 5)
    program = shared.of(LATER)
    assert [succeed(program.undo())["undone"] for _ in range(2)] == [second, first]
    assert error_of(program.undo())["code"] == "NOTHING_TO_UNDO"
    third = SessionInfo("538g0000000eeee", "library", "", "library")
    assert [succeed(shared.of(third).redo())["redone"] for _ in range(2)] == [first, second]
    assert error_of(shared.of(third).redo())["code"] == "NOTHING_TO_REDO"


@pytest.mark.promise("back.session")
@pytest.mark.parametrize("other", [CLAUDE, NAMED])
def test_a_program_without_a_name_never_undoes_the_change_of_an_agent_or_a_named_session(
    shared: Shared, other: SessionInfo
) -> None:
    earlier, newest = shared.edit(PROGRAM, "a", 1), shared.edit(other, "a", 5)
    assert succeed(shared.of(LATER).undo())["undone"] == earlier
    before = state(shared.fs)
    error = error_of(shared.of(LATER).undo())
    assert (error["code"], error["newest"], state(shared.fs)) == ("NOTHING_TO_UNDO", newest, before)


@pytest.mark.promise("back.session")
def test_a_program_that_has_made_changes_itself_undoes_only_those(shared: Shared) -> None:
    theirs, own = shared.edit(PROGRAM, "a", 1), shared.edit(LATER, "a", 5)
    assert succeed(shared.of(LATER).undo())["undone"] == own
    error = error_of(shared.of(LATER).undo())
    assert (error["code"], error["newest"]) == ("NOTHING_TO_UNDO", theirs)


@pytest.mark.promise("back.session")
def test_an_agent_never_undoes_the_change_of_a_program_without_a_name(shared: Shared) -> None:
    shared.edit(PROGRAM, "a", 1)
    assert error_of(shared.of(CLAUDE).undo())["code"] == "NOTHING_TO_UNDO"


# The newest change


@pytest.mark.promise("back.session")
@pytest.mark.parametrize("session", [CLAUDE, NAMED, PROGRAM])
def test_undo_takes_the_newest_change_of_its_own_session(shared: Shared, session: SessionInfo) -> None:
    first, own = shared.edit(session, "a", 1), shared.edit(session, "a", 5)
    other = shared.edit(CODEX, "a", 10)
    for change in (own, first):
        result = shared.of(session).undo()
        assert succeed(result)["undone"] == change
        assert " by " not in result.text
    error = error_of(shared.of(session).undo())
    assert {name: error[name] for name in ("code", "all_undone", "session", "newest", "by")} == {
        "code": "NOTHING_TO_UNDO",
        "all_undone": False,
        "session": session.id,
        "newest": other,
        "by": "538g0000000aaaa (codex)",
    }
    assert shared.fs.files()["a"] == lines(10, mark="codex")
    assert succeed(shared.of(CODEX).undo())["undone"] == other
    assert error_of(shared.of(session).undo())["all_undone"] is True


@pytest.mark.promise("back.session")
def test_at_a_terminal_undo_takes_the_newest_change_of_all_and_says_whose_it_is(shared: Shared) -> None:
    own, theirs = shared.edit(PERSON, "a", 1), shared.edit(CLAUDE, "a", 5, summary="tidy up")
    result = shared.of(PERSON).undo()
    assert succeed(result)["undone"] == theirs
    assert f"Undid {theirs} (tidy up) by 538frendkq6hew6 (claude-code) as change " in result.text
    result = shared.of(PERSON).undo()
    assert (succeed(result)["undone"], " by " in result.text) == (own, False)
    error = error_of(shared.of(PERSON).undo())
    assert (error["all_undone"], error["newest"], error["session"]) == (True, None, None)


def test_another_command_of_the_same_person_is_not_named(shared: Shared) -> None:
    """Each command is a session of its own, unless it has a name."""
    shared.edit(SessionInfo("538g0000000dddd", "cli", "", "cli"), "a", 1)
    shared.edit(NAMED, "a", 5)
    assert "by tidy (cli)" in shared.of(PERSON).undo().text
    assert " by " not in shared.of(PERSON).undo().text


@pytest.mark.promise("back.session")
def test_any_change_of_another_session_is_undone_by_its_id(shared: Shared) -> None:
    theirs, own = shared.edit(CODEX, "a", 5), shared.edit(CLAUDE, "a", 10)
    result = shared.of(CLAUDE).undo(theirs)
    assert succeed(result)["undone"] == theirs
    assert "by 538g0000000aaaa (codex)" in result.text
    assert succeed(shared.of(CLAUDE).undo())["undone"] == own
    assert error_of(shared.of(CODEX).undo())["code"] == "NOTHING_TO_UNDO"


@pytest.mark.promise("back.session")
def test_redo_takes_the_newest_undo_of_its_own_session_and_at_a_terminal_of_all(shared: Shared) -> None:
    first, second = shared.edit(CLAUDE, "a", 5), shared.edit(CODEX, "b", 5)
    succeed(shared.of(CLAUDE).undo())
    succeed(shared.of(CODEX).undo())
    assert succeed(shared.of(CLAUDE).redo())["redone"] == first
    assert error_of(shared.of(CLAUDE).redo())["code"] == "NOTHING_TO_REDO"
    assert succeed(shared.of(PERSON).redo())["redone"] == second


@pytest.mark.promise("back.session")
def test_a_change_that_another_session_undid_is_redone_by_its_id_only(shared: Shared) -> None:
    change = shared.edit(CLAUDE, "a", 5)
    succeed(shared.of(CODEX).undo(change))
    assert error_of(shared.of(CLAUDE).redo())["code"] == "NOTHING_TO_REDO"
    assert error_of(shared.of(CLAUDE).undo())["code"] == "NOTHING_TO_UNDO"
    assert succeed(shared.of(CLAUDE).redo(change))["redone"] == change


def test_a_change_without_a_session_belongs_to_nobody_but_a_person(
    shared: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a history of version 0.1.0."""
    with monkeypatch.context() as patch:
        patch.setattr("suture.engine.Engine._with_origin", lambda engine, plan, session: plan)  # noqa: ARG005  the same
        change = shared.edit(CODEX, "a", 5)
    assert list_changes(shared.of(CLAUDE))[0]["session"] is None
    error = error_of(shared.of(CLAUDE).undo())
    assert (error["newest"], error["by"]) == (change, None)
    assert error["message"] == "This session has made no change that is still in effect."
    assert error["hint"] == f"The newest change is {change}; to undo it, give its id."
    assert error_of(undo_session(shared.of(CLAUDE), "codex"))["candidates"] == []
    assert succeed(shared.of(PERSON).undo())["undone"] == change


# How a session is named


@pytest.mark.promise("back.session")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("538frendkq6hew6", {"claude"}),
        ("538frend", {"claude"}),
        ("538fren", {"claude", "again"}),
        ("538f", {"claude", "again"}),
        ("tidy", {"tidy"}),
        ("claude-code", {"claude", "again"}),
        ("codex", {"codex"}),
        ("cli", {"person", "tidy"}),
        ("library", {"program"}),
    ],
)
def test_changes_of_a_session_are_listed_by_its_id_its_name_or_its_agent(
    shared: Shared, name: str, expected: set[str]
) -> None:
    sessions = {"claude": CLAUDE, "again": AGAIN, "codex": CODEX, "person": PERSON, "tidy": NAMED, "program": PROGRAM}
    changes = {
        shared.edit(session, "a", number): each for number, (each, session) in enumerate(sessions.items(), start=1)
    }
    data = succeed(shared.of(CODEX).call("history", {"session": name}))
    assert {changes[change["change_id"]] for change in data["changes"]} == expected
    assert data["next"] is None
    if len(expected) > 1:
        error = error_of(undo_session(shared.of(CODEX), name))
        assert (error["code"], error["ambiguous"], len(error["candidates"])) == (
            "SESSION_NOT_FOUND",
            True,
            len(expected),
        )
        assert error["hint"] == f"Give the id of one: {', '.join(error['candidates'])}."
    else:
        data = succeed(undo_session(shared.of(CODEX), name))
        assert {changes[data["undone"]]} == expected


def test_the_beginning_of_a_name_is_not_that_name(shared: Shared) -> None:
    shared.edit(SessionInfo("nightly-2", "cli", "", "cli", "nightly-2"), "a", 1)
    assert error_of(undo_session(shared.of(PERSON), "nightly"))["candidates"] == ["nightly-2 (cli)"]


@pytest.mark.parametrize("name", ["538", "", "538frendkq6hew7", "claude", "TIDY", "tid", "%"])
def test_a_session_that_is_not_found_names_the_last_ones_that_say_something(shared: Shared, name: str) -> None:
    for number, session in enumerate((CLAUDE, NAMED, PERSON, CODEX, PROGRAM), start=1):
        shared.edit(session, "a", number)
    for result in (undo_session(shared.of(PERSON), name), shared.of(PERSON).call("history", {"session": name})):
        error = error_of(result)
        assert (error["code"], error["session"], error["ambiguous"]) == ("SESSION_NOT_FOUND", name, False)
        assert error["candidates"] == ["538g0000000aaaa (codex)", "tidy (cli)", "538frendkq6hew6 (claude-code)"]


def test_sessions_that_say_nothing_are_named_if_there_are_no_others(shared: Shared) -> None:
    assert error_of(undo_session(shared.of(PERSON), "x"))["candidates"] == []
    for number in range(1, 8):
        shared.edit(SessionInfo(f"538g000000{number}dddd", "cli", "", "cli"), "a", number)
    candidates = error_of(undo_session(shared.of(PERSON), "x"))["candidates"]
    assert candidates == [f"538g000000{number}dddd (cli)" for number in (7, 6, 5, 4, 3)]


def test_pages_of_a_session_are_continued(shared: Shared) -> None:
    changes = [shared.edit(CLAUDE if number % 2 else CODEX, "a", number) for number in range(1, 10)]
    first = succeed(shared.of(CODEX).call("history", {"session": "claude-code", "limit": 3}))
    assert [change["change_id"] for change in first["changes"]] == [changes[8], changes[6], changes[4]]
    rest = succeed(shared.of(CODEX).call("history", {"session": "claude-code", "before": first["next"]}))
    assert [change["change_id"] for change in rest["changes"]] == [changes[2], changes[0]]


def test_the_list_says_who_made_a_change_unless_it_was_the_caller(shared: Shared) -> None:
    shared.edit(CLAUDE, "a", 1, summary="one")
    shared.edit(CODEX, "a", 2, summary="two")
    for result in (shared.of(CODEX).undo(list=True), shared.of(CODEX).history()):
        newest, oldest = result.text.splitlines()
        assert ("(by " in newest, "transaction: one (by claude-code)" in oldest) == (False, True)


# All changes of a session


@pytest.mark.promise("back.session")
def test_all_changes_of_a_session_are_undone_in_one_change_and_redone(shared: Shared) -> None:
    first, second = shared.edit(CLAUDE, "a", 5), shared.edit(CLAUDE, "b", 5)
    other, third = shared.edit(CODEX, "a", 10), shared.edit(CLAUDE, "a", 15)
    with_all = state(shared.fs)
    trial = undo_session(shared.of(PERSON), CLAUDE.id, dry_run=True)
    result = undo_session(shared.of(PERSON), CLAUDE.id)
    data = succeed(result)
    assert {name: value for name, value in data.items() if name not in {"diff", "files", "change_id"}} == {
        "undone": third,
        "also_undone": [second, first],
        "left": [],
        "merged": True,
    }
    assert trial.metadata == {**data, "change_id": None, "dry_run": True}
    assert trial.text.startswith(
        "Dry run: would undo 3 changes of session 538frendkq6hew6 (claude-code); later edits are kept (merged); "
    )
    assert result.text.startswith(
        f"Undid 3 changes of session 538frendkq6hew6 (claude-code) as change {data['change_id']}; later edits"
    )
    assert shared.fs.files() == {"a": lines(10, mark="codex"), "b": lines()}
    undo, *changes = list_changes(shared.of(CODEX))
    assert (undo["tool"], undo["undoes"], undo["also_undoes"]) == ("undo", third, sorted([first, second]))
    assert (undo["session"], undo["summary"]) == (
        {"id": PERSON.id, "agent": "cli"},
        "undo 3 changes of session 538frendkq6hew6 (claude-code)",
    )
    assert {change["change_id"]: change["state"] for change in changes} == {
        third: "undone",
        other: "landed",
        second: "undone",
        first: "undone",
    }
    assert "also_undoes" not in changes[0]
    result = shared.of(PERSON).redo()
    assert (
        f"Redid 3 changes of session 538frendkq6hew6 (claude-code) as change {result.metadata['change_id']}"
        in result.text
    )
    assert list_changes(shared.of(CODEX))[0]["summary"] == "redo 3 changes of session 538frendkq6hew6 (claude-code)"
    assert state(shared.fs) == with_all


@pytest.mark.promise("back.session")
def test_one_of_the_changes_is_redone_with_all_of_them(shared: Shared) -> None:
    first, second = shared.edit(CLAUDE, "a", 5), shared.edit(CLAUDE, "b", 5)
    after = state(shared.fs)
    succeed(undo_session(shared.of(CLAUDE), CLAUDE.id))
    assert error_of(shared.of(CLAUDE).undo(first))["code"] == "ALREADY_UNDONE"
    assert succeed(shared.of(CLAUDE).redo(first))["redone"] == second
    assert state(shared.fs) == after
    assert {change["state"] for change in list_changes(shared.of(CLAUDE))[2:]} == {"landed"}


@pytest.mark.promise("back.session")
def test_a_conflict_of_one_change_keeps_all_others_from_being_undone(shared: Shared) -> None:
    first = shared.edit(CLAUDE, "a", 5)
    second = shared.edit(CLAUDE, "b", 5)
    theirs = land(shared.of(CODEX), write("a", lines(5, mark="theirs")))
    before, history = state(shared.fs), list_changes(shared.of(CODEX))
    for arguments in ({}, {"dry_run": True}):
        error = error_of(undo_session(shared.of(CLAUDE), CLAUDE.id, **arguments))
        assert (error["code"], error["change_id"], error["later"]) == ("UNDO_CONFLICT", first, [theirs])
        assert (state(shared.fs), list_changes(shared.of(CODEX))) == (before, history)
    result = undo_session(shared.of(CLAUDE), CLAUDE.id, partly=True)
    assert (result.metadata["undone"], result.metadata["left"]) == (second, [first])
    assert result.text.splitlines() == [
        f"Undid 1 change of session 538frendkq6hew6 (claude-code) as change {result.metadata['change_id']}.",
        f"{first} stays: later changes conflict with it.",
    ]
    error = error_of(undo_session(shared.of(CLAUDE), CLAUDE.id, partly=True))
    assert (error["code"], error["change_id"]) == ("UNDO_CONFLICT", first)


def test_a_session_whose_changes_are_all_undone_has_nothing_to_undo(shared: Shared) -> None:
    change = shared.edit(CLAUDE, "a", 5)
    shared.edit(CODEX, "b", 5)
    succeed(shared.of(CODEX).undo(change))
    error = error_of(undo_session(shared.of(CODEX), CLAUDE.id))
    assert (error["code"], error["all_undone"], error["session"]) == ("NOTHING_TO_UNDO", True, CLAUDE.id)
    assert error["message"] == "All changes of session 538frendkq6hew6 are already undone."


def test_undos_of_a_session_are_not_undone_with_its_changes(shared: Shared) -> None:
    theirs, own = shared.edit(CODEX, "a", 5), shared.edit(CLAUDE, "b", 5)
    succeed(shared.of(CLAUDE).undo(theirs))
    assert succeed(undo_session(shared.of(CLAUDE), CLAUDE.id))["undone"] == own
    assert shared.fs.files() == {"a": lines(), "b": lines()}


@pytest.mark.promise("back.not-here")
def test_of_a_session_of_which_nothing_is_in_the_files_nothing_is_marked(shared: Shared) -> None:
    before = state(shared.fs)
    shared.edit(CLAUDE, "a", 5)
    newest = land(shared.of(CLAUDE), rename("b", "c"))
    shared.fs.put("a", lines())
    with_changes = shared.fs.files()
    shared.of(PERSON).undo()
    history = list_changes(shared.of(PERSON))
    assert [change["state"] for change in history] == ["landed", "undone", "landed"]
    for partly in (False, True):
        error = error_of(undo_session(shared.of(CLAUDE), CLAUDE.id, partly=partly))
        assert (error["code"], error["operation"]) == ("NOT_HERE", "undo")
        assert list_changes(shared.of(PERSON)) == history
    assert (state(shared.fs), newest in str(history), with_changes != shared.fs.files()) == (before, True, True)


@pytest.mark.parametrize(
    "arguments",
    [{"partly": True}, {"session": CLAUDE.id, "change_id": "0"}, {"session": 3}, {"session": CLAUDE.id, "partly": "x"}],
)
def test_wrong_combinations_are_refused(shared: Shared, arguments: dict[str, object]) -> None:
    shared.edit(CLAUDE, "a", 5)
    before = state(shared.fs)
    assert error_of(shared.of(CLAUDE).command("undo", arguments))["code"] == "INVALID_ARGUMENTS"
    assert state(shared.fs) == before
