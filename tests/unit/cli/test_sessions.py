"""`--session` and SUTURE_SESSION: who makes a change on the command line, and whose changes are listed or undone."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from suture import Workspace
from suture.cli import main
from suture.plan import SessionInfo
from tests.unit.changes import land, list_changes, write

FILES = {"a.txt": b"one\ntwo\n", "b.txt": b"one\n"}
ID = re.compile(r"\b[0-9a-z]{15}\b")
TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")
AGENT = SessionInfo("538frendkq6hew6", "claude-code", "2.0.1", "stdio")


@pytest.fixture(autouse=True)
def no_name(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del root
    monkeypatch.delenv("SUTURE_SESSION", raising=False)


def sessions(root: Path) -> list[tuple[str, str]]:
    """The name, if there is one, and the agent of the session of each change, newest first."""
    changes = list_changes(Workspace(root))
    named = [("" if ID.fullmatch(change["session"]["id"]) else change["session"]["id"]) for change in changes]
    return list(zip(named, (change["session"]["agent"] for change in changes), strict=True))


def edit(*more: str, text: str = "one", new: str = "1") -> list[str]:
    return ["edit", "a.txt", "--old", text, "--new", new, "--quiet", *more]


MAKING = {
    "edit": edit(),
    "replace": ["replace", "one", "1", "a.txt", "--write", "--quiet"],
    "call": ["call", "file_edit", json.dumps({"path": "a.txt", "edits": [{"old_text": "one", "new_text": "1"}]})],
}


@pytest.mark.promise("back.session")
@pytest.mark.parametrize("command", MAKING)
def test_a_command_that_changes_files_is_a_session_of_its_own_or_one_with_a_name(
    root: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = MAKING[command]
    assert main(words) == 0
    (root / "a.txt").write_bytes(FILES["a.txt"])
    assert main([*words, "--session", "tidy"]) == 0
    monkeypatch.setenv("SUTURE_SESSION", "nightly")
    (root / "a.txt").write_bytes(FILES["a.txt"])
    (root / "b.txt").write_bytes(FILES["b.txt"])
    assert main(words) == 0
    (root / "a.txt").write_bytes(FILES["a.txt"])
    assert main([*words, "--session=tidy"]) == 0
    assert sessions(root) == [("tidy", "cli"), ("nightly", "cli"), ("tidy", "cli"), ("", "cli")]


@pytest.mark.parametrize("name", ["", " ", "a\nb", " a", "x" * 101, "\x1b[31m"])
def test_a_name_that_cannot_be_typed_or_shown_is_misuse(
    root: Path, name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused() -> str:
        try:
            code: Any = main(words)
        except SystemExit as stop:
            code = stop.code
        assert code == 2
        return capsys.readouterr().err

    words = edit("--session", name)
    assert "a session's name has 1 to 100 printable characters" in refused()
    if name.strip() == name and name:
        monkeypatch.setenv("SUTURE_SESSION", name)
        words = edit()
        assert "a session's name has 1 to 100 printable characters" in refused()
    assert (root / "a.txt").read_bytes() == FILES["a.txt"]


@pytest.mark.promise("back.session")
def test_undo_takes_the_newest_change_of_all_and_that_of_a_named_session_its_own(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(edit("--session", "tidy")) == 0
    agent = Workspace(root, session=AGENT)
    land(agent, write("b.txt", "2\n"))
    monkeypatch.setenv("SUTURE_SESSION", "tidy")
    assert main(["undo"]) == 0
    assert (root / "a.txt").read_bytes() == FILES["a.txt"]
    assert main(["undo"]) == 1
    assert "NOTHING_TO_UNDO: This session has made no change that is still in effect." in capsys.readouterr().err
    monkeypatch.delenv("SUTURE_SESSION")
    assert main(["undo"]) == 0
    assert "by 538frendkq6hew6 (claude-code)" in capsys.readouterr().out
    assert (root / "b.txt").read_bytes() == FILES["b.txt"]


@pytest.mark.promise("back.session")
def test_all_changes_of_a_session_are_undone_or_those_that_do_not_conflict(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    agent = Workspace(root, session=AGENT)
    land(agent, write("a.txt", "1\ntwo\n"))
    land(agent, write("b.txt", "2\n"))
    (root / "b.txt").write_bytes(b"3\n")
    assert main(["undo", "--session", "claude-code"]) == 1
    assert capsys.readouterr().err.startswith("UNDO_CONFLICT")
    assert main(["undo", "--session", "538frend", "--partly", "--dry-run"]) == 0
    trial = capsys.readouterr().out
    assert trial.startswith("Dry run: would undo 1 change of session 538frendkq6hew6 (claude-code); nothing")
    assert (root / "a.txt").read_bytes() == b"1\ntwo\n"
    assert main(["undo", "--session", AGENT.id, "--partly"]) == 0
    done = ID.sub("<id>", capsys.readouterr().out)
    assert done.startswith("Undid 1 change of session <id> (claude-code) as change <id>.\n<id> stays: later changes")
    assert {name: (root / name).read_bytes() for name in FILES} == {"a.txt": FILES["a.txt"], "b.txt": b"3\n"}
    assert main(["redo"]) == 0
    assert (root / "a.txt").read_bytes() == b"1\ntwo\n"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["undo", "--partly"], "--partly needs --session"),
        (["undo", "0", "--partly"], "--partly needs --session"),
    ],
)
def test_misuse_of_undo_says_what_is_missing(
    words: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert problem in capsys.readouterr().err


def test_a_session_that_is_not_there_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["undo", "--session", "tidy"], ["log", "--session", "tidy"]):
        assert main(words) == 1
        assert capsys.readouterr().err.startswith("SESSION_NOT_FOUND: No session 'tidy' has made a change here.\n")
    assert main(["undo", "0", "--session", "tidy"]) == 2
    assert capsys.readouterr().err.startswith("WRONG_USAGE: suture undo: --session: it cannot be combined with")


@pytest.mark.promise("back.session")
def test_log_says_who_made_a_change_and_on_which_branch_and_lists_those_of_one_session(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def log(*words: str) -> list[str]:
        assert main(["log", *words]) == 0
        output = TIME.sub("<time>", ID.sub("<id>", capsys.readouterr().out))
        return [line for line in output.splitlines() if not line.startswith(" ")]

    assert main(edit()) == 0
    (root / ".git").mkdir()
    (root / ".git" / "HEAD").write_text("ref: refs/heads/feature/x\n")
    assert main(edit("--session", "tidy", text="1", new="2")) == 0
    agent = Workspace(root, session=AGENT)
    land(agent, write("b.txt", "2\n"))
    (root / ".git" / "HEAD").write_text("0" * 40)
    land(agent, write("b.txt", "3\n"))
    agents = "<id> <time> transaction (claude-code, session <id>)"
    on_branch = "<id> <time> transaction (claude-code, session <id>, feature/x)"
    tidy = "<id> <time> file_edit: edit of a.txt (session tidy, feature/x)"
    assert log() == [agents, on_branch, tidy, "<id> <time> file_edit: edit of a.txt"]
    assert log("--session", "claude-code") == [agents, on_branch]
    assert log("--session", "tidy") == [tidy]
    assert main(["log", "--session", "claude-code", "--limit", "1"]) == 0
    assert "suture log --limit 1 --session claude-code --before 5" in capsys.readouterr().out
    assert main(["log", "b.txt", "--session", "tidy"]) == 0
    assert f"No changes of b.txt by session tidy are recorded in {root}." in capsys.readouterr().out
    assert main(["log", "--session", "tidy", "--json"]) == 0
    (change,) = json.loads(capsys.readouterr().out)["metadata"]["changes"]
    assert (change["session"], change["head"]) == (
        {"id": "tidy", "agent": "cli"},
        {"branch": "feature/x", "commit": None},
    )


@pytest.mark.promise("back.not-here")
def test_an_undo_without_effect_says_why(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / ".git").mkdir()
    (root / ".git" / "HEAD").write_text("ref: refs/heads/feature\n")
    assert main(edit()) == 0
    (root / "a.txt").write_bytes(FILES["a.txt"])
    assert main(["undo"]) == 1
    here = ID.sub("<id>", capsys.readouterr().err)
    assert here == (
        "NOT_HERE: <id> is not in the files: there is nothing to undo.\n"
        "It was reverted in another way, for example by git stash or git checkout. It was not marked as undone. To "
        "undo an earlier change, give its id.\n"
    )
    for head, now in (
        ("ref: refs/heads/main\n", "the current branch is main"),
        ("0" * 40, "another commit is checked out"),
    ):
        (root / ".git" / "HEAD").write_text(head)
        assert main(["undo"]) == 1
        assert ID.sub("<id>", capsys.readouterr().err) == (
            "NOT_HERE: <id> is not in the files: there is nothing to undo.\n"
            f"It was made on branch feature; {now}. Undo it on that branch. It was not marked as undone.\n"
        )
    (root / "a.txt").write_bytes(b"1\ntwo\n")
    assert main(["undo"]) == 0
    (root / "a.txt").write_bytes(b"1\ntwo\n")
    capsys.readouterr()
    assert main(["redo"]) == 1
    assert capsys.readouterr().err.endswith("there is nothing to redo.\nNothing was changed or marked as redone.\n")


@pytest.mark.promise("back.session")
def test_a_conflict_on_another_branch_says_where_the_change_was_made(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / ".git").mkdir()
    (root / ".git" / "HEAD").write_text("ref: refs/heads/feature\n")
    assert main(edit("--session", "tidy")) == 0
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (root / "a.txt").write_bytes(b"other\n")
    for words in (["undo"], ["undo", "--session", "tidy"]):
        assert main(words) == 1
        last = ID.sub("<id>", capsys.readouterr().err).splitlines()[-1]
        assert last == "Nothing was changed. <id> was made on branch feature: undo it there."
