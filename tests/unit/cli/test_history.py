"""`suture log`, `show`, `undo`, `redo`, `checkpoint` and `restore`, as seen from a terminal or a script."""

import json
import os
import pty
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

import pytest

from suture import Settings, Workspace
from suture.cli import main
from suture.files.fs import Tree
from suture.files.history import History
from suture.files.local_fs import LocalFS
from suture.files.state import history_folder
from tests.unit.changes import create, delete, land, lines, rename, succeed, take_snapshot, write

ID = re.compile(r"\b[0-9a-z]{15}\b")
ESCAPE = re.compile(r"\x1b\[[\d;]*m")
BACK = r"To (undo: suture undo|redo: suture redo) [0-9a-z]{15}( --root \S+)?\n"
Run = Callable[..., str]


FILES = {"a.txt": b"one\ntwo\n", "sub/b.txt": b"b\n", "c.txt": b"c\n"}


@pytest.fixture
def ws(root: Path) -> Workspace:
    return Workspace(root)


@pytest.fixture
def run_command(capfd: pytest.CaptureFixture[str]) -> Run:
    """Run a command that must succeed; returns its output with ids and times replaced."""

    def run(*words: str, code: int = 0) -> str:
        assert main(list(words)) == code
        output = capfd.readouterr()
        out, other = (output.out, output.err) if code == 0 else (output.err, output.out)
        assert other == "" or (code == 0 and re.fullmatch(BACK, other)), other
        return re.sub(r"\d{4}-\d\d-\d\d[ T][\d:.]+Z?", "<time>", ID.sub("<id>", out))

    return run


def test_what_is_damaged_is_listed_as_such(ws: Workspace, run_command: Run) -> None:
    land(ws, write("a.txt", "1\n"))
    land(ws, write("a.txt", "2\n"), summary="sound")
    take_snapshot(ws, "point")
    ((database, waiting),) = [(path, path.with_name(path.name + "-pending")) for path in databases_of(ws.root)]
    assert not waiting.exists()
    with closing(sqlite3.connect(database)) as opened:
        opened.execute("UPDATE change SET summary = 'other' WHERE number = 1")
        opened.execute("UPDATE snapshot SET after_change = 1")
        opened.commit()
    assert run_command("log").splitlines() == [
        "<time> snapshot point (damaged)",
        "<id> <time> transaction: sound",
        " a.txt | 2 +-",
        " 1 file changed, 1 insertion(+), 1 deletion(-)",
        "<id> (damaged) <time>",
        " what it changed is unknown",
    ]
    assert run_command("checkpoint").strip() == "<time> snapshot point (damaged)"
    assert "HISTORY_DAMAGED" in run_command("restore", "--to", "point", code=1)


def databases_of(root: str) -> list[Path]:
    """The history of this root."""
    with Tree(LocalFS(), root) as tree:
        name = History(tree, Settings())._name()
    return [path for path in Path(history_folder()).iterdir() if path.name == name]


def contents(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def tokens(result: Any) -> Any:
    """A result with ids and times replaced, to compare two runs."""
    return json.loads(re.sub(r"\d{4}-\d\d-\d\d[ T][\d:.]+Z?", "<time>", ID.sub("<id>", json.dumps(result))))


# log


def test_log_says_that_there_is_nothing(ws: Workspace, run_command: Run) -> None:
    assert run_command("log").startswith("No changes are recorded")
    assert run_command("log", "a.txt").startswith("No changes of a.txt are recorded")
    succeed(ws.checkpoint("first"))
    assert "No changes are recorded" in run_command("log")


def test_log_shows_each_change_with_its_files_and_the_checkpoints_between_them(ws: Workspace, run_command: Run) -> None:
    succeed(ws.checkpoint("morning"))
    land(ws, write("a.txt", "one\n2\n3\n"), delete("c.txt"), rename("sub/b.txt", "b.txt"), summary="tidy up")
    succeed(ws.checkpoint("before lunch"))
    land(ws, create("empty", ""))
    succeed(ws.undo())
    succeed(ws.redo())
    succeed(ws.undo())
    succeed(ws.checkpoint("evening"))
    log = run_command("log").replace("<time> ", "").replace(" <time>", "").split("\n")
    assert log == [
        "checkpoint evening",
        *("<id> undo <id>", " empty | 0", " 1 file changed"),
        *("<id> redo <id>", " empty | 0", " 1 file changed"),
        *("<id> (undone) undo <id>", " empty | 0", " 1 file changed"),
        *("<id> (undone) transaction", " empty | 0", " 1 file changed"),
        "checkpoint before lunch",
        "<id> transaction: tidy up",
        " a.txt              | 3 ++-",
        " c.txt              | 1 -",
        " sub/b.txt => b.txt | 0",
        " 3 files changed, 2 insertions(+), 2 deletions(-)",
        "checkpoint morning",
        "",
    ]


def git(folder: Path, *words: str) -> str:
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-c", "user.name=x", "-c", "user.email=x", *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout


def follow(root: Path, twin: Path) -> None:
    """Commit the workspace to a repository beside it."""
    for path in twin.rglob("*.txt"):
        path.unlink()
    for name, content in contents(root).items():
        (twin / name).parent.mkdir(exist_ok=True)
        (twin / name).write_bytes(content)
    git(twin, "add", "-A")
    git(twin, "commit", "-q", "-m", "x")


@pytest.mark.process
@pytest.mark.parametrize(
    "asks",
    [
        [write("a.txt", "one\n2\n")],
        [write("a.txt", ""), create("new.txt", "1\n2\n3\n")],
        [write("a.txt", "one\n2\n"), create("long.txt", lines(count=30)), delete("c.txt")],
        [write("a.txt", lines(count=12)), write("c.txt", "d\n")],
        [rename("c.txt", "d.txt")],
        [write("a.txt", "one\ntwo")],
    ],
)
def test_the_files_of_a_change_are_shown_as_git_log_stat_shows_them(
    asks: list[Any], root: Path, ws: Workspace, run_command: Run, tmp_path_factory: pytest.TempPathFactory
) -> None:
    twin = tmp_path_factory.mktemp("git")
    git(twin, "init", "-q")
    follow(root, twin)
    land(ws, *asks)
    follow(root, twin)
    stat = git(twin, "log", "--oneline", "--stat", "--no-color", "-1").split("\n")[1:-1]
    *files_shown, summary = run_command("log", "--limit", "1").split("\n")[1:-1]
    assert sorted(files_shown) == sorted(stat[:-1])
    assert summary == stat[-1].replace(", 0 insertions(+), 0 deletions(-)", "")


def test_many_lines_are_scaled_down_and_few_among_them_still_seen(ws: Workspace, run_command: Run) -> None:
    land(ws, create("many", lines(count=1000)), write("a.txt", "one\n2\n"))
    many, few, _ = run_command("log").split("\n")[1:-1]
    assert many == f" many  | 1000 {'+' * 40}"
    assert few.split("|")[1].split() == ["2", "+-"]


def test_log_of_a_path_shows_only_its_changes_and_no_checkpoints(ws: Workspace, run_command: Run) -> None:
    land(ws, write("a.txt", "1\n"))
    land(ws, write("sub/b.txt", "1\n"))
    succeed(ws.checkpoint("now"))
    land(ws, rename("a.txt", "sub/a.txt"))
    assert re.findall(r"^ (.*?) +\|", run_command("log", "sub/a.txt"), re.MULTILINE) == ["a.txt => sub/a.txt", "a.txt"]
    assert re.findall(r"^ (.*?) +\|", run_command("log", "sub"), re.MULTILINE) == ["a.txt => sub/a.txt", "sub/b.txt"]
    assert "checkpoint" not in run_command("log", "sub/")


def test_log_can_be_paged(ws: Workspace, run_command: Run, capfd: pytest.CaptureFixture[str]) -> None:
    ids = [land(ws, write("a.txt", f"{number}\n")) for number in range(5)]
    succeed(ws.checkpoint("now"))
    assert main(["log", "--limit", "2"]) == 0
    last = capfd.readouterr().out.split("\n")[-2]
    assert ("suture log" in last, f"--before {ids[3]}" in last) == (True, True)
    assert run_command("log", "--before", ids[3]).count("<id>") == 3
    assert "checkpoint" not in run_command("log", "--before", ids[3])


# show


def test_show_prints_a_change_and_its_diff(ws: Workspace, run_command: Run) -> None:
    change = land(ws, write("a.txt", "one\n2\n"), summary="two")
    head, _, diff = run_command("show", change).partition("\n")
    assert (head.startswith("<id>"), "two" in head) == (True, True)
    assert diff == (
        " a.txt | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n"
        "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
    )
    assert run_command("show", change[:13]) == run_command("show") == f"{head}\n{diff}"
    assert "CHANGE_NOT_FOUND: No change has the id 'zz'." in run_command("show", "zz", code=1)


def test_show_says_if_nothing_is_recorded(run_command: Run) -> None:
    assert run_command("show") == "No changes are recorded.\n"


def test_show_prints_the_whole_diff(ws: Workspace, run_command: Run) -> None:
    change = land(ws, create("long", lines(count=1000)))
    assert run_command("show", change).endswith("+line 1000\n")


# undo and redo


def test_undo_and_redo_take_the_newest_and_print_what_they_changed(root: Path, ws: Workspace, run_command: Run) -> None:
    before = contents(root)
    land(ws, write("a.txt", "one\n2\n"))
    after = contents(root)
    diff = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n"
    assert run_command("undo", "--dry-run") == f"Dry run: would undo <id>; nothing was written.\n\n{diff}-2\n+two\n"
    assert contents(root) == after
    assert run_command("undo") == f"Undid <id> as change <id>.\n\n{diff}-2\n+two\n"
    assert contents(root) == before
    assert run_command("redo", "--dry-run") == f"Dry run: would redo <id>; nothing was written.\n\n{diff}-two\n+2\n"
    assert run_command("redo") == f"Redid <id> as change <id>.\n\n{diff}-two\n+2\n"
    assert contents(root) == after


def test_undo_and_redo_take_the_change_that_is_named(root: Path, ws: Workspace, run_command: Run) -> None:
    change = land(ws, write("a.txt", "1\n"))
    land(ws, write("c.txt", "2\n"))
    run_command("undo", change)
    assert contents(root)["a.txt"] == b"one\ntwo\n"
    run_command("redo", change)
    assert contents(root)["a.txt"] == b"1\n"


def test_how_to_take_back_an_undo_a_redo_and_a_restore_is_reported(
    root: Path, ws: Workspace, capfd: pytest.CaptureFixture[str]
) -> None:
    land(ws, write("a.txt", "1\n"))
    command = ["undo"]
    for name, content in [("undo", b"one\ntwo\n"), ("redo", b"1\n"), ("undo", b"one\ntwo\n")]:
        assert (command[0], main(command), (root / "a.txt").read_bytes()) == (name, 0, content)
        command = capfd.readouterr().err.split()[3:]
    (root / "c.txt").write_bytes(b"by hand\n")
    land(ws, write("c.txt", "2\n"))
    (root / "c.txt").write_bytes(b"3\n")
    assert main(["restore", "c.txt"]) == 0
    assert main(capfd.readouterr().err.split()[3:]) == 0
    assert (root / "c.txt").read_bytes() == b"3\n"


def test_a_conflict_goes_to_stderr_with_both_sides(root: Path, ws: Workspace, run_command: Run) -> None:
    change = land(ws, write("c.txt", "2\n"))
    (root / "c.txt").write_text("3\n")
    head, place, *sides, hint, _ = run_command("undo", change, code=1).split("\n")
    assert (head[:20], place[:9], hint[:19]) == ("UNDO_CONFLICT: <id> ", "  c.txt:1", "Nothing was changed")
    assert [side.rpartition(" ")[2] for side in sides] == ["2", "3", "c"]
    assert contents(root)["c.txt"] == b"3\n"


def test_what_has_nothing_to_change_says_so(root: Path, ws: Workspace, run_command: Run) -> None:
    change = land(ws, write("c.txt", "2\n"))
    assert run_command("restore", "--to", change).count("\n") == 1
    (root / "c.txt").write_bytes(b"c\n")
    assert run_command("undo", code=1).startswith("NOT_HERE: <id> is not in the files: there is nothing to undo.\n")
    succeed(Workspace(root).restore(change))
    run_command("undo", change)
    (root / "c.txt").write_bytes(b"2\n")
    assert run_command("redo", code=1).startswith("NOT_HERE: <id> is already in the files: there is nothing to redo.\n")


# checkpoint and restore


@pytest.mark.promise("back.restore")
def test_a_checkpoint_is_taken_listed_and_restored(root: Path, ws: Workspace, run_command: Run) -> None:
    land(ws, write("a.txt", "1\n"))
    assert run_command("checkpoint").count("\n") == 1
    assert run_command("checkpoint", "before lunch") == "Took checkpoint 'before lunch': 3 files.\n"
    (root / "c.txt").write_bytes(b"c2\n")
    assert run_command("checkpoint", "with c") == (
        "Took checkpoint 'with c': 3 files; 1 file changed outside suture since the last one (change <id>).\n"
    )
    assert re.findall("with c|before lunch", run_command("checkpoint")) == ["with c", "before lunch"]
    for name in ("a.txt", "c.txt"):
        (root / name).write_bytes(b"by hand\n")
    trial = run_command("restore", "--to", "with c", "--dry-run")
    assert trial.startswith(
        "Dry run: would restore 2 files to checkpoint 'with c'; nothing was written.\n\ndiff --git "
    )
    assert contents(root)["a.txt"] == b"by hand\n"
    restored = run_command("restore", "--to", "before lunch", "a.txt")
    assert restored.startswith("Restored 1 file to checkpoint 'before lunch' as change <id>")
    assert (contents(root)["a.txt"], contents(root)["c.txt"]) == (b"1\n", b"by hand\n")
    run_command("restore", "--to", "with c")
    assert contents(root)["c.txt"] == b"c2\n"
    run_command("undo")
    assert contents(root)["c.txt"] == b"by hand\n"


def answer(root: Path, typed: bytes, *words: str) -> tuple[int, str]:
    """The exit code and the output of a command that runs on a terminal, where somebody types an answer."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "NO_COLOR": "1"}
    command = [sys.executable, "-m", "suture", *words]
    process = subprocess.Popen(command, cwd=root, env=environment, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    os.write(ours, typed)
    output = b""
    with suppress(OSError):  # the other end is closed
        while piece := os.read(ours, 1 << 16):
            output += piece
    os.close(ours)
    return process.wait(), output.decode().replace("\r\n", "\n")


@pytest.mark.process
@pytest.mark.promise("back.checkpoints")
@pytest.mark.parametrize(
    ("typed", "code", "last"),
    [
        (b"y\n", 0, "To undo: suture undo "),
        (b"what?\nYES\n", 0, "To undo: suture undo "),
        (b"n\n", 0, "Nothing was changed."),
        (b"\x04", 1, "Answer y or n, or add --yes."),
    ],
    ids=["y", "after another answer", "n", "end"],
)
def test_at_a_terminal_a_restore_is_shown_and_asked_about(
    typed: bytes, code: int, last: str, root: Path, ws: Workspace
) -> None:
    before = contents(root)
    succeed(ws.checkpoint("point"))
    (root / "a.txt").write_bytes(b"by hand\n")
    (root / "made.txt").write_bytes(b"new\n")
    ended, output = answer(root, typed, "restore", "--to", "point")
    assert (ended, contents(root) == before) == (code, last.startswith("To undo"))
    assert "Created since, to be deleted:\n  made.txt\n" in output
    assert "Restore these files? [y/n] " in output
    assert last in output.rstrip("\n").rpartition("\n")[2]


@pytest.mark.process
def test_at_a_terminal_nothing_is_asked_if_there_is_nothing_to_restore(root: Path, ws: Workspace) -> None:
    succeed(ws.checkpoint("point"))
    change = land(ws, write("a.txt", "1\n"))
    assert "?" not in answer(root, b"", "restore", "--to", change)[1]
    run(["undo"])
    assert answer(root, b"", "restore", "--to", "point")[0] == 0


@pytest.mark.promise("back.restore")
def test_restore_takes_an_id_its_beginning_a_file_or_a_folder(root: Path, ws: Workspace, run_command: Run) -> None:
    first = land(ws, write("a.txt", "1\n"), write("sub/b.txt", "1\n"))
    land(ws, write("a.txt", "2\n"), write("sub/b.txt", "2\n"))
    run_command("restore", "sub/", "--to", first)
    assert (contents(root)["a.txt"], contents(root)["sub/b.txt"]) == (b"2\n", b"1\n")
    assert run_command("restore", "--to", first[:14]).startswith(
        f"Restored 1 file to change {first[:14]} as change <id>"
    )
    assert contents(root)["a.txt"] == b"1\n"
    (root / "a.txt").unlink()
    assert run_command("restore", "a.txt").startswith("Restored 1 file ")
    assert contents(root)["a.txt"] == b"1\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["undo", "zz"], "CHANGE_NOT_FOUND: No change has the id 'zz'."),
        (["undo", "\udcff"], "CHANGE_NOT_FOUND: "),
        (["redo"], "NOTHING_TO_REDO: There is nothing to redo."),
        (["show", "zz"], "CHANGE_NOT_FOUND: No change has the id 'zz'."),
        (["log", "--before", "zz"], "CHANGE_NOT_FOUND: No change has the id 'zz'."),
        (["log", "../elsewhere"], "PATH_OUTSIDE_WORKSPACE: "),
        (["checkpoint", "taken"], "CHECKPOINT_EXISTS: Checkpoint 'taken' already exists"),
        (["restore", "--to", "zz"], "CHANGE_NOT_FOUND: No checkpoint or change has the name or id 'zz'.\n"),
        (
            ["restore", "--to", "taken", "a.tx"],
            "NOT_RECORDED: The history has no version of a.tx.\nDid you mean a.txt?",
        ),
        (["restore", "elsewhere"], "NOT_RECORDED: "),
    ],
)
def test_what_is_refused_is_reported_on_stderr_with_code_1(
    words: list[str], message: str, ws: Workspace, run_command: Run
) -> None:
    land(ws, write("a.txt", "1\n"))
    succeed(ws.checkpoint("taken"))
    assert run_command(*words, code=1).startswith(message)


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["log", "--limit", "0"], "--limit: expected a whole number from 1 to 1000, got 0"),
        (["checkpoint", "\x1b[31m"], "NAME: expected a name of 1 to 100 printable characters"),
        (["checkpoint", ""], "NAME: expected a name of 1 to 100 printable characters"),
    ],
)
def test_what_fits_no_argument_is_wrong_usage(words: list[str], problem: str, run_command: Run) -> None:
    assert run_command(*words, code=2) == f"WRONG_USAGE: suture {words[0]}: {problem}\nSee: suture {words[0]} --help\n"


def test_a_point_that_is_unknown_is_answered_with_the_checkpoints(ws: Workspace, run_command: Run) -> None:
    succeed(ws.checkpoint("morning"))
    assert run_command("restore", "--to", "mourning", code=1).endswith("Checkpoints: morning.\n")


@pytest.mark.promise("call.exit-codes")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["log"], 0),
        (["log", "--limit", "many"], 2),
        (["log", "a", "b"], 2),
        (["log", "--root", "missing"], 1),
        (["show", "a", "b"], 2),
        (["show", "zz"], 1),
        (["undo"], 1),
        (["undo", "a", "b"], 2),
        (["undo", "--dry"], 2),
        (["redo"], 1),
        (["checkpoint"], 0),
        (["checkpoint", "x"], 0),
        (["checkpoint", "x", "missing"], 2),
        (["restore"], 2),
        (["restore", "--to"], 2),
        (["restore", "--to", "x"], 1),
    ],
)
@pytest.mark.usefixtures("root")
def test_the_exit_code_tells_done_from_refused_from_wrong_usage(words: list[str], code: int) -> None:
    assert main(words) == code


# --json and --root


@pytest.mark.promise("back.shapes")
def test_json_is_the_whole_result_in_one_line(ws: Workspace, capfd: pytest.CaptureFixture[str]) -> None:
    change = land(ws, write("a.txt", "1\n"))
    succeed(ws.checkpoint("now"))

    def print_json(*words: str) -> Any:
        code = main([*words, "--json"])
        output = capfd.readouterr()
        assert (output.err, output.out.count("\n"), output.out[-1]) == ("", 1, "\n")
        result = json.loads(output.out)
        assert (sorted(result), code) == (["content", "isError", "metadata"], int(result["isError"]))
        return result

    log = print_json("log")
    assert log["metadata"].pop("checkpoints") == succeed(ws.checkpoints())["checkpoints"]
    assert log == ws.history().to_dict()
    assert print_json("log", "a.txt") == ws.history("a.txt").to_dict()
    assert print_json("show", change) == ws.show(change).to_dict()
    assert print_json("checkpoint") == ws.checkpoints().to_dict()
    assert print_json("undo", "--dry-run") == ws.undo(dry_run=True).to_dict()
    undone, redone = print_json("undo")["metadata"], print_json("redo")["metadata"]
    assert (undone["undone"], redone["redone"]) == (change, change)
    assert sorted(undone) == ["change_id", "diff", "files", "merged", "undone"]
    assert sorted(print_json("restore", "--to", "now")["metadata"]) == [
        *("change_id", "checkpoint", "deleted", "diff", "files", "left", "no_change", "to")
    ]
    assert sorted(print_json("checkpoint", "later")["metadata"]) == [
        *("change_id", "changed", "files", "id", "name", "unread", "withheld")
    ]
    for words in (["undo", "zz"], ["redo"], ["show", "zz"], ["restore", "x"], ["checkpoint", "now"], ["log", "../x"]):
        assert print_json(*words)["metadata"]["error"].keys() > {"code", "message", "hint", "retryable"}
    assert tokens(print_json("redo")) == tokens(ws.redo().to_dict())
    assert print_json("log", "--root", "missing")["metadata"]["error"]["code"] == "WORKSPACE_NOT_FOUND"


def test_root_names_the_workspace(
    root: Path, run_command: Run, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    land(Workspace(root), write("a.txt", "1\n"))
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert run_command("log").startswith("No changes are recorded")
    there = ["--root", str(root)]
    assert run_command("log", "a.txt", *there).startswith("<id> ")
    run_command("checkpoint", "now", *there)
    run_command("undo", *there)
    assert contents(root)["a.txt"] == b"one\ntwo\n"
    run_command("restore", "a.txt", "--to", "now", *there)
    assert contents(root)["a.txt"] == b"1\n"


# Pipes and terminals


def run(words: list[str], **options: Any) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "suture", *words]
    return subprocess.run(command, capture_output=True, check=False, **options)


def on_a_terminal(*words: str, no_color: str | None = None) -> str:
    """The output of a command whose stdout and stderr are a terminal; it must fit the terminal's buffer."""
    ours, theirs = pty.openpty()
    with pytest.MonkeyPatch.context() as patch, os.fdopen(theirs, "w", encoding="utf-8") as terminal:
        patch.delenv("NO_COLOR", raising=False)
        if no_color is not None:
            patch.setenv("NO_COLOR", no_color)
        with redirect_stdout(terminal), redirect_stderr(terminal):
            main(list(words))
    output = b""
    with suppress(OSError):  # the other end is closed
        while piece := os.read(ours, 1 << 16):
            output += piece
    os.close(ours)
    return output.decode("utf-8", "surrogateescape").replace("\r\n", "\n")


COLORED: list[list[str]] = [
    ["log"],
    ["log", "a.txt"],
    ["show", "<id>"],
    ["undo", "--dry-run"],
    ["redo", "--dry-run"],
    ["restore", "--dry-run", "--to", "<id>"],
]


@pytest.mark.parametrize("words", COLORED, ids=" ".join)
def test_there_is_color_on_a_terminal_and_only_there(
    words: list[str], ws: Workspace, capfd: pytest.CaptureFixture[str]
) -> None:
    change = land(ws, write("a.txt", "one\n2\n"))
    land(ws, write("c.txt", "d\n"))
    land(ws, write("a.txt", "one\n3\n"))
    succeed(ws.undo())
    words = [change if word == "<id>" else word for word in words]
    assert main(words) == 0
    piped = capfd.readouterr().out
    assert "\x1b" not in piped + on_a_terminal(*words, "--json") + on_a_terminal(*words, no_color="1")
    screen = on_a_terminal(*words)
    assert len(ESCAPE.findall(screen)) > 1
    assert ESCAPE.sub("", screen) == piped


def test_the_colors_are_those_of_git(ws: Workspace) -> None:
    change = land(ws, write("a.txt", "one\n2\n"))
    screen = on_a_terminal("show", change)
    for part in (
        f"\x1b[33m{change}\x1b[0m",
        "a.txt | 2 \x1b[32m+\x1b[0m\x1b[31m-\x1b[0m",
        "\x1b[1mdiff --git a/a.txt b/a.txt\x1b[0m",
        "\x1b[36m@@ -1,2 +1,2 @@\x1b[0m\n one\n\x1b[31m-two\x1b[0m\n\x1b[32m+2\x1b[0m\n",
    ):
        assert part in screen


def test_no_color_is_respected_unless_it_is_empty(ws: Workspace) -> None:
    land(ws, write("a.txt", "one\n2\n"))
    assert "\x1b" not in on_a_terminal("log", no_color="1") + on_a_terminal("log", no_color="0")
    assert "\x1b" in on_a_terminal("log", no_color="")  # as https://no-color.org has it


STEERING = {"\x1b", "\x07", "\x08", "\x9b", "\u202e"}


@pytest.mark.parametrize("name", ["a\x1b]0;title\x07\x1b[31m\x08\x9b31m\u202e", "two\nlines"], ids=["codes", "newline"])
def test_nothing_in_names_summaries_or_contents_steers_the_terminal(name: str, root: Path) -> None:
    (root / name).write_bytes(b"1\n")
    ws = Workspace(root)
    change = land(ws, write(name, f"{name}\x1b[2J\n"), summary=name)
    succeed(ws.checkpoint("now"))
    for words in (["log"], ["show", change], ["undo"], ["restore", "--to", "now", "--yes"], ["undo", name]):
        screen = on_a_terminal(*words)
        bare = ESCAPE.sub("", screen)
        assert STEERING.isdisjoint(bare), words
        assert name not in bare, words
        assert "\x1b[2J" not in screen, words


@pytest.mark.parametrize("name", ["a\x1b]0;title\x07", "two\nlines"], ids=["codes", "newline"])
def test_nothing_in_a_name_that_is_only_mentioned_steers_the_terminal(name: str, root: Path) -> None:
    (root / name).write_bytes(b"1\n")
    land(Workspace(root), write(name, "2\n"))
    (root / name).unlink()
    (root / name).mkdir()
    for words in (["checkpoint", "now"], ["undo"], ["log", f"{name}/inside"], ["restore", f"{name}/inside"]):
        screen = on_a_terminal(*words)
        assert STEERING.isdisjoint(ESCAPE.sub("", screen)), words
        assert name not in screen, words


@pytest.mark.process
def test_a_pipe_gets_contents_as_they_are_and_names_that_are_not_utf_8(root: Path) -> None:
    name = os.fsdecode(b"caf\xe9")
    (root / name).write_bytes(b"1\n")
    change = land(Workspace(root), write(name, "\x1b[31mé\n"), summary="été")
    output = run(["show", change]).stdout
    assert "+\x1b[31mé\n".encode() in output
    assert b" caf\xe9 | 2 +-" in output
    assert b"caf\xe9" in run(["log"], env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0"}).stdout
    assert run(["undo"]).returncode == 0
    assert (root / name).read_bytes() == b"1\n"


@pytest.mark.process
@pytest.mark.parametrize("words", [["log"], ["show", "<id>"], ["undo"], ["checkpoint"]], ids=lambda words: words[0])
def test_a_pipe_that_is_closed_ends_quietly(words: list[str], ws: Workspace, root: Path) -> None:
    change = land(ws, create("big", lines(count=20_000)))
    if words == ["checkpoint"]:
        succeed(ws.checkpoint("now"))
    reading, writing = os.pipe()
    command = [sys.executable, "-m", "suture", *(change if word == "<id>" else word for word in words)]
    process = subprocess.Popen(command, stdout=writing, stderr=subprocess.PIPE, cwd=root)
    os.close(writing)
    os.close(reading)
    other = process.communicate()[1].decode()
    assert re.fullmatch(BACK, other) if words == ["undo"] else other == ""
    assert process.returncode == 141


@pytest.mark.process
@pytest.mark.usefixtures("root")
@pytest.mark.parametrize("words", [["log"], ["undo"], ["checkpoint"], ["restore"]], ids=lambda words: words[0])
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams_make_no_traceback(words: list[str], closed: str) -> None:
    command = f"{sys.executable} -m suture {' '.join(words)} {closed}"
    process = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert ("Traceback" in process.stderr, process.returncode) == (False, {"undo": 1, "restore": 2}.get(words[0], 0))


@pytest.mark.process
@pytest.mark.promise("back.external")
def test_a_session_by_real_processes_keeps_what_was_written_by_hand(root: Path) -> None:
    land(Workspace(root), create("long", lines(5)))
    run(["undo"])
    run(["redo"])
    land(Workspace(root), write("long", lines(5, 9)))
    (root / "long").write_bytes(lines(5, 9, 15))
    assert "merge" in run(["undo"]).stdout.decode().split("\n")[0]
    assert (root / "long").read_bytes() == lines(5, 15)
    process = run(["undo"])
    assert (process.returncode, process.stdout, process.stderr.decode().split(":")[0]) == (1, b"", "UNDO_CONFLICT")
    assert run(["log", "--limit", "2"]).stdout.decode().count(" long | ") == 2


@pytest.mark.process
@pytest.mark.promise("call.silent")
def test_verbose_logs_to_stderr(ws: Workspace) -> None:
    land(ws, write("a.txt", "1\n"))
    silent, loud = run(["undo"]), run(["redo", "--verbose"])
    assert [b"suture.call: " in process.stderr for process in (silent, loud)] == [False, True]
