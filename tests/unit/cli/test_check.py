"""`suture check`, and `--validate` of the commands that edit."""

import errno
import io
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from suture import Settings, Workspace
from suture.cli import main
from suture.engine.checks import check_files
from suture.files.local_fs import LocalFS
from suture.tools import check
from tests.unit.changes import interrupt

BROKEN = "x = (\n"
BAD_JSON = '{"a": 1,}\n'

Run = Callable[..., tuple[list[str], list[str]]]


FILES = {
    "src/app.py": "x = 1\n",
    "src/lib/util.py": "y = 2\n",
    "data.json": '{"a": 1}\n',
    "notes.txt": "nothing\n",
    ".gitignore": "build/\n",
    "build/out.json": BAD_JSON,
    ".hidden/a.json": BAD_JSON,
    "image.json": b"\x00\x01{",
}
"""A small project without problems."""


def put(root: Path, name: str, content: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_bytes(content.encode())


@pytest.fixture
def run_check(root: Path, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run `suture check`; returns the lines of stdout and stderr."""
    assert root.is_dir()

    def run(*words: str, code: int = 0) -> tuple[list[str], list[str]]:
        assert main(["check", *words]) == code
        out, err = capfd.readouterr()
        return out.splitlines(), err.splitlines()

    return run


def places(lines: list[str]) -> list[str]:
    """The places and codes of issues, without the messages."""
    return [" ".join(line.split(" ")[:2]) for line in lines]


@pytest.mark.process
def test_where_nothing_is_wrong_only_the_number_of_files_is_reported(run_check: Run) -> None:
    assert run_check() == ([], ["Checked 4 files (1 for conflict markers only): no problems."])
    assert run_check("src") == ([], ["Checked 2 files: no problems."])
    assert run_check("src/app.py", "src", "src/app.py", "./src/../src/app.py") == (
        [],
        ["Checked 2 files: no problems."],
    )


@pytest.mark.process
def test_problems_are_lines_sorted_by_place(root: Path, run_check: Run) -> None:
    put(root, "zoo.json", BAD_JSON)
    put(root, "src/app.py", BROKEN)
    put(root, "data.json", f"\n\n{BAD_JSON}")
    out, err = run_check(code=1)
    assert places(out) == [
        "data.json:3:8 invalid-syntax",
        "src/app.py:1:5 invalid-syntax",
        "zoo.json:1:8 invalid-syntax",
    ]
    assert err == ["Checked 5 files (1 for conflict markers only): 3 errors."]


def test_lines_and_columns_are_sorted_as_numbers(root: Path, run_check: Run) -> None:
    conflict = "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n"
    put(root, "a.txt", "\n" + conflict + "\n" * 4 + conflict)
    out, _ = run_check("a.txt", code=1)
    assert places(out) == ["a.txt:2:1 conflict-marker", "a.txt:11:1 conflict-marker"]


def test_a_warning_is_no_error(root: Path, run_check: Run) -> None:
    put(root, "suture.toml", "[validators.json]\nseverity = 'warning'\n")
    put(root, "data.json", BAD_JSON)
    out, err = run_check("data.json")
    assert places(out) == ["data.json:1:8 invalid-syntax"]
    assert out[0].endswith(" (warning)")
    assert err == ["Checked 1 file: 1 warning."]


@pytest.mark.process
def test_what_is_ignored_hidden_or_binary_is_checked_only_if_named(run_check: Run) -> None:
    assert places(run_check("build", code=1)[0]) == ["build/out.json:1:8 invalid-syntax"]
    assert places(run_check(".hidden/a.json", code=1)[0]) == [".hidden/a.json:1:8 invalid-syntax"]
    assert run_check("--include-ignored", "--exclude", "build", ".") == (
        [],
        ["Checked 4 files (1 for conflict markers only): no problems."],
    )
    assert places(run_check("--include-ignored", code=1)[0]) == ["build/out.json:1:8 invalid-syntax"]
    binary = ["note: image.json is binary and was skipped", "Nothing was checked: no text files found."]
    assert run_check("image.json", code=2) == ([], binary)


@pytest.mark.process
def test_json_is_all_of_it(root: Path, run_check: Run) -> None:
    put(root, "src/app.json", BAD_JSON)
    out, err = run_check("src", "data.json", "--json", code=1)
    result = json.loads("".join(out))
    (issue,) = result.pop("issues")
    numbers = {
        "files": 4,
        "markers_only": 0,
        "left_out": 0,
        "stopped": False,
        "errors": 1,
        "warnings": 0,
        "unchecked": 0,
    }
    assert result == {**numbers, "not_run": [], "unlisted": {"issues": 0, "not_run": 0}}
    assert {name: issue[name] for name in ("path", "line", "column", "severity", "code", "validator")} == {
        "path": "src/app.json",
        "line": 1,
        "column": 8,
        "severity": "error",
        "code": "invalid-syntax",
        "validator": "json",
    }
    assert err == []


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nowhere.py"], "FILE_NOT_FOUND: "),
        (["src", "nowhere"], "FILE_NOT_FOUND: "),
        (["*.rs"], "NO_FILES_MATCHED: "),
        ([".."], "PATH_OUTSIDE_WORKSPACE: "),
        (["--root", "nowhere"], "WORKSPACE_NOT_FOUND: "),
        (["--frobnicate"], "WRONG_USAGE: suture check: unrecognized arguments: --frobnicate"),
    ],
)
def test_what_cannot_be_checked_at_all_is_wrong_usage(run_check: Run, words: list[str], complaint: str) -> None:
    out, err = run_check(*words, code=2)
    assert (out, err[0][: len(complaint)]) == ([], complaint)


@pytest.mark.usefixtures("root")
def test_a_refusal_as_json(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "nowhere.py", "--json"]) == 2
    out, err = capfd.readouterr()
    assert (json.loads(out)["metadata"]["error"]["code"], err) == ("FILE_NOT_FOUND", "")


# What is not checked


@pytest.mark.process
def test_what_could_not_be_checked_is_reported_once_for_all_files(root: Path, run_check: Run) -> None:
    put(root, "suture.toml", "[validators.nonesuch]\nfiles = ['*.py']\n")
    reason = "by nonesuch: no check has this name, and no command is configured for it"
    assert run_check("src") == (
        [],
        [f"⚠️ Not validated: 2 files {reason}", "Checked 2 files: 2 files not fully checked."],
    )
    assert run_check("src/app.py") == (
        [],
        [f"⚠️ Not validated: src/app.py {reason}", "Checked 1 file: 1 file not fully checked."],
    )
    assert len(json.loads(run_check("src", "--json")[0][0])["not_run"]) == 2


@pytest.mark.process
def test_a_required_check_that_cannot_be_run_fails(root: Path, run_check: Run) -> None:
    put(root, "suture.toml", "[validators.nonesuch]\nfiles = ['*.py']\nrequired = true\n")
    assert run_check("src", code=1)[1][-1] == "Checked 2 files: 2 files not fully checked."
    assert run_check("data.json")[1] == ["Checked 1 file: no problems."]


@pytest.mark.process
def test_the_project_names_programs_that_run_only_if_allowed(root: Path, run_check: Run) -> None:
    command = [sys.executable, "-c", "import sys; print(f'{sys.argv[1]}:3:4: error: odd [E1]'); sys.exit(1)", "{file}"]
    put(root, "suture.toml", f"[validators.mine]\nfiles = ['*.txt']\ncommand = {json.dumps(command)}\n")
    out, err = run_check("notes.txt")
    assert (out, err[-1]) == ([], "Checked 1 file: 1 file not fully checked.")
    assert err[0].startswith("⚠️ Not validated: notes.txt by mine: ")
    assert err[0].endswith("(--allow-commands)")
    out, err = run_check("notes.txt", "--allow-commands", code=1)
    assert (out, err) == (["notes.txt:3:4 E1 odd"], ["Checked 1 file: 1 error."])


@pytest.mark.process
def test_a_file_that_is_too_large_is_reported_unless_it_is_binary(root: Path) -> None:
    put(root, "large.json", BAD_JSON + " " * 100)
    (root / "large.bin").write_bytes(b"\0" * 200)
    report = Workspace(root, Settings(max_file_bytes=100)).command("check", {}).metadata
    reasons = {"the file is too large (--set max_file_bytes=N)"}
    assert {(check["path"], check["reason"]) for check in report["not_run"]} == {("large.json", *reasons)}
    assert (report["files"], report["errors"]) == (5, 0)


@pytest.mark.process
@pytest.mark.parametrize(
    ("error", "files", "unchecked"),
    [
        (PermissionError(errno.EACCES, "no"), 4, {("data.json", "the file may not be read")}),
        (FileNotFoundError(errno.ENOENT, "gone"), 3, set()),
    ],
)
def test_a_file_that_may_not_be_read_is_reported_and_one_that_is_gone_passed_over(
    root: Path, error: OSError, files: int, unchecked: set[tuple[str, str]]
) -> None:
    report = Workspace(root, fs=Closed("data.json", error)).command("check", {}).metadata
    reasons = {(check["path"], check["reason"]) for check in report["not_run"]}
    assert (report["files"], reasons) == (files, unchecked)


class Closed(LocalFS):
    """A file system on which one file cannot be opened."""

    def __init__(self, name: str, error: OSError) -> None:
        super().__init__()
        self._name = name
        self._error = error

    def open_file(self, folder: int, name: str) -> int:
        if name == self._name:
            raise self._error
        return super().open_file(folder, name)


@pytest.mark.parametrize("limit", ["_MAX_WAITING_FILES", "_MAX_WAITING_BYTES"])
def test_many_files_are_checked_in_batches(
    root: Path, run_check: Run, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    sizes: list[int] = []

    def note_size(session: Any, files: Any) -> Any:
        sizes.append(len(files))
        return check_files(session, files)

    monkeypatch.setattr(check, "check_files", note_size)
    monkeypatch.setattr(check, limit, 3 if limit == "_MAX_WAITING_FILES" else 9)
    for number in range(7):
        put(root, f"many/{number}.json", "[1]" if number % 2 else "[1,")
    out, err = run_check("many", code=1)
    assert [line.partition(":")[0] for line in out] == [f"many/{number}.json" for number in (0, 2, 4, 6)]
    assert (sizes, err) == ([3, 3, 1], ["Checked 7 files: 4 errors."])


@pytest.mark.promise("bound.check-command")
def test_files_beyond_the_most_are_counted_and_fail(root: Path, run_check: Run) -> None:
    for number in range(7):
        put(root, f"many/{number}.json", "[1]")
    out, err = run_check("many", "--max-files", "3", code=1)
    assert out == []
    why = "it was skipped, with 3 more files: the limit is 3 files (--max-files N)"
    assert err == [f"⚠️ Not validated: many/3.json by check: {why}", "Checked 3 files: 4 files skipped."]
    assert run_check("many", "--max-files", "7") == ([], ["Checked 7 files: no problems."])
    out, err = run_check("many/0.json", "many/1.json", "--max-files", "1", code=1)
    assert err[0].endswith("many/1.json by check: it was skipped: the limit is 1 file (--max-files N)")
    assert run_check("many", "--max-files", "0", code=2)[1][0].endswith(
        "expected a whole number of at least 1, got '0'"
    )


@pytest.mark.promise("bound.check-command")
def test_files_beyond_the_time_are_reported_and_fail(
    root: Path, monkeypatch: pytest.MonkeyPatch, run_check: Run
) -> None:
    for number in range(7):
        put(root, f"many/{number}/a.json", "[1]")
    now = iter(range(10_000))
    monkeypatch.setattr(check, "monotonic", lambda: next(now))
    err = run_check("many", "--max-time", "5", code=1)[1]
    assert err[-2].endswith("it was skipped, with all files after it: the time limit expired (--max-time SECONDS)")
    assert err[-1].endswith(" files: the rest skipped.")
    now = iter(range(0, 1_000_000, 10))
    assert run_check("many", "--max-time", "5", code=1)[1][-1] == "Nothing was checked: all files were skipped."


@pytest.mark.promise("bound.check-command")
def test_problems_beyond_the_most_are_counted(root: Path, run_check: Run) -> None:
    for number in range(7):
        put(root, f"many/{number}.json", BAD_JSON)
    out, err = run_check("many", "--max-issues", "3", code=1)
    assert len(out) == 3
    assert err == ["… and 4 more problems (--max-issues)", "Checked 7 files: 7 errors."]


@pytest.mark.promise("bound.check-command")
@pytest.mark.parametrize("required", [True, False])
def test_checks_beyond_the_most_are_counted_and_a_required_one_is_kept(
    root: Path, run_check: Run, *, required: bool
) -> None:
    rule = f"[validators.nonesuch]\nfiles = ['many/6.json']\nrequired = {str(required).lower()}\n"
    put(root, "suture.toml", f"[validators.other]\nfiles = ['many/*.json']\n{rule}")
    for number in range(7):
        put(root, f"many/{number}.json", "[1]")
    err = run_check("many", "--max-issues", "3", code=int(required))[1]
    assert any("by nonesuch" in line for line in err) is required
    assert err[-2:] == ["⚠️ … and 5 more checks (--max-issues)", "Checked 7 files: 7 files not fully checked."]


def test_files_of_another_root_are_named_absolutely(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    put(other, "deep/b.json", BAD_JSON)
    settings = Settings(extra_roots=(str(other),))
    report = Workspace(root, settings).command("check", {"paths": ["data.json", str(other / "deep")]}).metadata
    assert (report["files"], [issue["path"] for issue in report["issues"]]) == (2, [str(other / "deep/b.json")])


def test_what_was_interrupted_is_cleared_up_first(root: Path, run_check: Run) -> None:
    note = interrupt(root, "notes.txt")
    assert run_check("data.json")[1] == [
        note.strip(),
        "Checked 1 file: no problems.",
    ]


@pytest.mark.process
def test_lines_are_colored_on_a_terminal(root: Path) -> None:
    put(root, "data.json", BAD_JSON)
    master, slave = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    command = [sys.executable, "-m", "suture", "check", "data.json"]
    subprocess.run(command, stdout=slave, stderr=subprocess.DEVNULL, env=environment, check=False)
    os.close(slave)
    screen = os.read(master, 10_000)
    os.close(master)
    assert screen.startswith(b"\x1b[1mdata.json:1:8\x1b[0m\x1b[31m invalid-syntax \x1b[0m")


# --validate of the commands that edit

REPLY = "### File: src/app.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = {}\n>>>>>>> REPLACE\n"


def edits(new: str) -> dict[str, list[str]]:
    """The commands that change `x = 1`."""
    patch = json.dumps([{"operation": "replace", "oldText": "x = 1", "newText": f"x = {new}"}])
    return {
        "edit": ["edit", "src/app.py", "--old", "x = 1", "--new", f"x = {new}"],
        "patch": ["patch", "src/app.py", patch],
        "apply": ["apply"],
        "replace": ["replace", "x = 1", f"x = {new}", "src", "--write"],
    }


def attempt(monkeypatch: pytest.MonkeyPatch, command: str, new: str, *words: str) -> int:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(REPLY.format(new).encode())))
    return main([*edits(new)[command], *words])


@pytest.mark.process
@pytest.mark.parametrize("command", ["edit", "patch", "apply", "replace"])
def test_a_strict_command_refuses_what_breaks_a_file(
    root: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    assert attempt(monkeypatch, command, "(", "--validate", "strict") == (2 if command == "replace" else 1)
    out, err = capfd.readouterr()
    assert out.splitlines()[-2:] == ["-x = 1", "+x = ("]
    assert (err.startswith("VALIDATION_FAILED: "), "src/app.py:1:5 invalid-syntax" in err) == (True, True)
    assert (root / "src/app.py").read_text() == "x = 1\n"


@pytest.mark.process
@pytest.mark.parametrize("command", ["edit", "patch", "apply", "replace"])
def test_a_warning_command_writes_and_tells(
    root: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    assert attempt(monkeypatch, command, "(", "--validate", "warn") == 0
    assert capfd.readouterr().err.count("⚠️ Validation found:\nsrc/app.py:1:5 invalid-syntax ") == 1
    assert (root / "src/app.py").read_text() == BROKEN


@pytest.mark.process
@pytest.mark.parametrize("command", ["edit", "patch", "apply", "replace"])
def test_what_breaks_nothing_is_told_to_have_passed(
    root: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    assert attempt(monkeypatch, command, "2", "--validate", "all") == 0
    assert capfd.readouterr().err.count("✅ Validation Passed\n") == 1
    assert (root / "src/app.py").read_text() == "x = 2\n"


@pytest.mark.parametrize("command", ["edit", "patch", "apply", "replace"])
def test_without_validate_nothing_is_checked(
    root: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    assert attempt(monkeypatch, command, "(") == 0
    assert "alidation" not in "".join(capfd.readouterr())
    assert (root / "src/app.py").read_text() == BROKEN


@pytest.mark.process
@pytest.mark.parametrize("command", ["edit", "patch", "apply"])
def test_a_dry_run_is_checked_too(
    root: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    assert attempt(monkeypatch, command, "(", "--validate", "warn", "--dry-run") == 0
    assert capfd.readouterr().err.count("⚠️ Validation found:\nsrc/app.py:1:5 invalid-syntax ") == 1
    assert (root / "src/app.py").read_text() == "x = 1\n"


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize(
    ("command", "out"),
    [
        ("edit", "No change: src/app.py already has this content (1 replacement).\n"),
        ("patch", "No change: src/app.py already has this content.\n"),
    ],
)
def test_what_changes_nothing_breaks_nothing(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str, out: str
) -> None:
    assert attempt(monkeypatch, command, "1", "--validate", "strict") == 0
    assert capfd.readouterr() == (out, "")


@pytest.mark.process
def test_who_is_asked_about_blocks_may_leave_out_what_would_be_refused(
    root: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    good = REPLY.replace("src/app.py", "src/lib/util.py").replace("x = 1", "y = 2").replace("x = {}", "y = 3")
    put(root, "reply.md", REPLY.format("(") + good)
    for answers, code in (("y\ny\n", 1), ("n\ny\n", 0)):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(answers.encode())))
        assert main(["apply", "reply.md", "-p", "--validate", "strict"]) == code
        err = capfd.readouterr().err
        assert ("src/app.py:1:5 invalid-syntax" in err, "✅ Validation Passed\n" in err) == (bool(code), not code)
    assert [(root / name).read_text() for name in ("src/app.py", "src/lib/util.py")] == ["x = 1\n", "y = 3\n"]
