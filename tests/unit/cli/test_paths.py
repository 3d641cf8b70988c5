"""Where a command works, and paths as they are typed and printed: from the current folder."""

import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from suture.audience import TERMINAL
from suture.cli import main
from suture.cli.paths import Location, locate

FILES = {
    ".git/HEAD": "ref: refs/heads/main\n",
    "README.md": "one\n",
    "src/app.py": "one\ntwo\n",
    "src/deep/[id]/page.py": "one\n",
    "src/deep/other.py": "one\n",
    "src/data.bin": "one\0",
    "lib/util.py": "one\n",
    "pages/[id]/page.py": "one\n",
}


@pytest.fixture(autouse=True)
def state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


@pytest.fixture
def src(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The workspace's folder `src`, which is the current folder."""
    monkeypatch.chdir(root / "src")
    return root / "src"


def run(capfd: pytest.CaptureFixture[str], *words: str, code: int = 0) -> tuple[str, str]:
    """What a command prints to stdout and to stderr."""
    capfd.readouterr()
    exit_code = main(words)
    out, err = capfd.readouterr()
    assert (exit_code, out, err) == (code, out, err)
    return out, err


def run_json(capfd: pytest.CaptureFixture[str], *words: str, code: int = 0) -> Any:
    return json.loads(run(capfd, *words, "--json", code=code)[0])


def place(folder: str) -> Location:
    return Location("/r", None, "git", folder, ".")


@pytest.mark.promise("cli.paths")
@pytest.mark.parametrize(
    ("folder", "typed", "path"),
    [
        ("", "../x", "../x"),
        ("", "./x", "./x"),
        ("src", "x", "src/x"),
        ("src", "./x", "src/x"),
        ("src", ".//./x/", "src/x/"),
        ("src", ".", "src"),
        ("src", "..", "."),
        ("src", "../", "."),
        ("src", "../x", "x"),
        ("src", "..//src/../x", "src/../x"),  # a link may be in between
        ("src", "../../x", "../x"),
        ("src", "../..", ".."),
        ("src/a", "../../x/..", "x/.."),
        ("src", "a/../x", "src/a/../x"),
        ("src", "/r/x", "/r/x"),
        ("src", "~/x", "~/x"),
        ("src", "..x", "src/..x"),
        ("src", "", ""),
        ("[id]", "*.py", "[id]/*.py"),
    ],
)
def test_a_typed_path_is_taken_from_the_current_folder(folder: str, typed: str, path: str) -> None:
    assert place(folder).to_root(typed) == path


@pytest.mark.parametrize(
    ("folder", "typed", "glob", "exclude"),
    [
        ("", "*.py", "*.py", "*.py"),
        ("src", "*.py", "src/*.py", "*.py"),
        ("src", "**/*.py", "src/**/*.py", "./src/**/*.py"),
        ("src", "../*.py", "*.py", "./*.py"),
        ("src", "./*.py", "src/*.py", "./src/*.py"),
        ("src", "build/", "src/build/", "build/"),
        ("src", "a/build/", "src/a/build/", "./src/a/build/"),
        ("src", "/build", "/build", "/build"),
        ("[id]", "*.py", "\\[id\\]/*.py", "*.py"),
        ("[id]", "a/*.py", "\\[id\\]/a/*.py", "./\\[id\\]/a/*.py"),
        ("[id]", "page.py", "[id]/page.py", "page.py"),
        ("src", "../../*", "../*", "./../*"),
    ],
)
def test_a_typed_glob_is_taken_from_the_current_folder(folder: str, typed: str, glob: str, exclude: str) -> None:
    assert (place(folder).glob_to_root(typed), place(folder).exclude_to_root(typed)) == (glob, exclude)


def test_the_name_of_something_that_exists_is_no_glob(src: Path) -> None:
    assert locate(None).glob_to_root("deep/[id]") == "src/deep/[id]"
    (src / "~x").touch()
    assert [locate(None).to_root(path) for path in ("~x", "~y")] == ["src/~x", "~y"]


@pytest.mark.parametrize(
    ("folder", "path", "shown"),
    [
        ("", "src/app.py", "src/app.py"),
        ("src", "src/app.py", "app.py"),
        ("src", "src", "."),
        ("src", "src/", "."),
        ("src", "README.md", "../README.md"),
        ("src/a/b", "src/c/d.py", "../../c/d.py"),
        ("src", "srcs/x", "../srcs/x"),
        ("src", ".", ".."),
        ("src", "", ".."),
        ("src", "/other/root/x", "/other/root/x"),
        ("src", "../x", "../../x"),
    ],
)
def test_a_path_is_printed_from_the_current_folder(folder: str, path: str, shown: str) -> None:
    assert TERMINAL.evolve(folder=folder).path(path) == shown


@pytest.mark.promise("cli.root")
def test_a_command_works_in_the_workspace_that_the_current_folder_is_in(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top, src = str(root), str(root / "src")
    assert locate(None) == Location(".", None, "git", "", ".")
    monkeypatch.chdir(src)
    assert locate(None) == Location(top, None, "git", "src", ".")
    assert locate(".") == Location(".", ".", "given", "", ".")
    assert locate("..") == Location("..", "..", "given", "src", ".")
    assert locate("../lib") == Location("../lib", "../lib", "given", "", "../lib")
    assert locate("/") == Location("/", "/", "given", src[1:], ".")
    (root / "link").symlink_to("src")
    monkeypatch.chdir(root / "link/deep")
    monkeypatch.setenv("PWD", str(root / "link/deep"))
    assert locate(None) == Location(top, None, "git", "src/deep", ".")
    assert locate(str(root / "link")) == Location(str(root / "link"), str(root / "link"), "given", "deep", ".")


def test_a_current_folder_that_is_gone_is_reported(
    root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (root / "gone").mkdir()
    monkeypatch.chdir(root / "gone")
    (root / "gone").rmdir()
    assert run(capfd, "read", "a", code=1)[1].startswith("WORKSPACE_NOT_FOUND: ")
    assert run(capfd, "read", "README.md", "--root", str(root))[0].endswith("one\n")


@pytest.mark.promise("cli.paths")
def test_files_are_read_and_edited_from_where_a_person_is(src: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(capfd, "read", "app.py", "--format", "raw") == ("one\ntwo\n", "")
    assert run(capfd, "read", "../README.md", "--format", "raw") == ("one\n", "")
    assert run(capfd, "lines", "two", "app.py") == ("two\n", "")
    out, err = run(capfd, "edit", "app.py", "--old", "one", "--new", "1")
    change = err.split()[-1]
    assert out.splitlines()[0] == f"Edited app.py (1 replacement) as change {change}."
    assert "--- a/src/app.py\n+++ b/src/app.py\n" in out
    assert err == f"To undo: suture undo {change}\n"
    assert (src / "app.py").read_text() == "1\ntwo\n"
    log = run(capfd, "log")[0]
    assert " app.py | 2 +-\n" in log
    assert run(capfd, "log", "app.py")[0] == run(capfd, "log", "..")[0] == run(capfd, "log", ".")[0] == log
    assert run(capfd, "log", "../lib")[0].startswith("No changes of ../lib are recorded in ")
    assert " app.py | 2 +-\n" in run(capfd, "show")[0]
    assert run(capfd, "undo", change)[0].startswith(f"Undid {change}")
    assert (src / "app.py").read_text() == "one\ntwo\n"
    assert run(capfd, "restore", "app.py", "--to", change)[0].startswith("Restored 1 file to change")
    assert (src / "app.py").read_text() == "1\ntwo\n"
    assert run(capfd, "checkpoint", "point")[0].startswith("Took checkpoint 'point': ")
    (src / "made.py").write_text("new\n")
    assert "\n  made.py\n" in run(capfd, "restore", "--to", "point", "--dry-run")[0]


@pytest.mark.usefixtures("src")
def test_files_and_changes_are_forgotten_from_where_a_person_is(capfd: pytest.CaptureFixture[str]) -> None:
    def change(path: str) -> str:
        return run(capfd, "edit", path, "--old", "one", "--new", "1")[1].split()[-1]

    first, second, _ = change("app.py"), change("../README.md"), change("deep/other.py")
    assert run(capfd, "forget", "app.py", "--dry-run")[0].startswith("Would remove 2 versions of app.py from ")
    assert run(capfd, "forget", second[:10], "--yes")[0].startswith("Removed 2 versions of ../README.md from ")
    assert run(capfd, "forget", first, ".", "--yes")[0].startswith("Removed ")
    _, err = run(capfd, "forget", "../lib", "--yes", code=1)
    assert err.startswith("NOT_RECORDED: The history has no version of ../lib.")
    _, err = run(capfd, "forget", "none", "--yes", code=1)
    assert err.startswith("NOT_RECORDED: The history has no version of none.")


@pytest.mark.promise("cli.paths")
@pytest.mark.usefixtures("src")
def test_json_keeps_paths_from_the_root(capfd: pytest.CaptureFixture[str]) -> None:
    assert run_json(capfd, "read", "app.py")["metadata"]["path"] == "src/app.py"
    found = run_json(capfd, "search", "two")
    assert [match["file"] for match in found["data"]] == ["src/app.py"]
    assert run_json(capfd, "read", "none", code=1)["metadata"]["error"]["path"] == "src/none"
    edit = {"path": "src/app.py", "edits": [{"old_text": "one", "new_text": "1"}]}
    assert run_json(capfd, "edit", "app.py", json.dumps(edit))["metadata"]["path"] == "src/app.py"
    _, err = run(capfd, "edit", "app.py", json.dumps({**edit, "path": "app.py"}), code=2)
    assert "the argument is for app.py, not for src/app.py" in err
    out = run(capfd, "call", "file_read", '{"path": "README.md"}')[0]
    assert json.loads(out)["metadata"]["path"] == "README.md"
    assert run_json(capfd, "call", "file_read", '{"path": "src/app.py"}')["metadata"]["path"] == "src/app.py"


@pytest.mark.promise("cli.paths")
@pytest.mark.usefixtures("src")
def test_a_search_without_a_path_searches_the_current_folder(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(capfd, "search", "one", "-l") == (
        "app.py\ndeep/[id]/page.py\ndeep/other.py\n",
        "",
    )
    assert run(capfd, "search", "one", "-l", "..")[0].splitlines() == [
        "../README.md",
        "../lib/util.py",
        "../pages/[id]/page.py",
        "app.py",
        "deep/[id]/page.py",
        "deep/other.py",
    ]
    assert run(capfd, "search", "one", "-l", "../*/*.py")[0] == "../lib/util.py\napp.py\n"
    assert (
        run(capfd, "search", "one", "-l", "--exclude", "deep/*.py", "--exclude", "app.py")[0] == "deep/[id]/page.py\n"
    )
    assert run(capfd, "search", "one", "-l", "--exclude", "../src/deep", "../src")[0] == "app.py\n"
    assert run(capfd, "replace", "one", "1")[0].splitlines()[0] == "Would make 3 replacements in 3 files."
    assert run(capfd, "search", "one", "data.bin", code=1)[1].startswith("note: data.bin is binary")


def test_a_folder_with_the_name_of_a_glob_is_searched(
    root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(root / "pages/[id]")
    for words in ((), (".",), ("*.py",), ("page.py",), ("../[id]",), ("../*/*.py",)):
        assert run(capfd, "search", "one", "-l", *words) == ("page.py\n", "")


@pytest.mark.promise("cli.paths")
@pytest.mark.usefixtures("src")
def test_errors_name_files_from_where_a_person_is(capfd: pytest.CaptureFixture[str]) -> None:
    def error(*words: str, code: int = 1) -> str:
        return run(capfd, *words, code=code)[1]

    assert error("read", "ap.py") == "FILE_NOT_FOUND: There is no file ap.py.\nDid you mean app.py?\n"
    assert error("read", "../REDME.md") == (
        "FILE_NOT_FOUND: There is no file ../REDME.md.\nDid you mean ../README.md?\n"
    )
    assert error("read", "zzzzz").endswith("Check the path; it is relative to the current folder.\n")
    assert error("read", "../../x") == (
        "PATH_OUTSIDE_WORKSPACE: ../../x is outside the workspace: it climbs above the workspace root.\n"
        "Only files below the workspace root, or a configured extra root, can be used. "
        "suture doctor shows the root; --root names another.\n"
    )
    assert error("read", "../.git/HEAD").startswith("PROTECTED_PATH: ../.git/HEAD is ")
    assert error("read", "app.py/x").startswith("NOT_A_FOLDER: app.py/x cannot exist: app.py is not a folder.")
    assert error("search", "x", "*.zig", code=2) == (
        "NO_FILES_MATCHED: No files matched pattern: *.zig\n"
        "Check the pattern: it is relative to the current folder, and ** matches any number of folders.\n"
    )
    assert "in app.py." in error("edit", "app.py", "--old", "three", "--new", "3")
    assert "suture edit app.py " in error("edit", "app.py", "--old", "  one\n  two", "--new", "2")
    assert error("restore", "app.py").startswith("NOT_RECORDED: The history has no version of app.py.")
    assert error("read", "data.bin").startswith("BINARY_FILE: data.bin is ")
    large = error("search", "one", "app.py", "--set", "max_file_bytes=3", code=2)
    assert large.startswith("INPUT_TOO_LARGE: Too large: app.py has 8 bytes ")


def test_what_checks_find_is_named_from_where_a_person_is(
    src: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (src / "ok.json").write_text("{}\n")
    (src / "merged.txt").write_text("<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n")
    edit = ("edit", "ok.json", "--old", "{}", "--new", "{")
    issue = "ok.json:1:2 invalid-syntax the text ends inside the '{' in line 1\n"
    refused = run(capfd, *edit, "--validate", "strict", code=1)[1]
    assert refused.startswith(f"VALIDATION_FAILED: The edit was rejected because it introduces errors:\n  {issue}")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"{\n")))
    refused = run(capfd, "write", "ok.json", code=1)[1]
    assert refused.splitlines(keepends=True)[1] == issue
    assert issue in run(capfd, *edit, "--validate", "warn")[1]
    assert run(capfd, "check", "merged.txt", code=1)[0].startswith("merged.txt:1:1 conflict-marker ")
    assert run(capfd, "check", "--exclude", "*.py", code=1)[0].startswith("merged.txt:1:1 conflict-marker ")
    assert run(capfd, "check", "../src/merged.txt", "../README.md", code=1)[0].startswith("merged.txt:1:1 ")


@pytest.mark.promise("cli.paths")
def test_a_reply_names_files_from_the_root(src: Path, capfd: pytest.CaptureFixture[str]) -> None:
    blocks = (
        "src/app.py\n<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n\n"
        "README.md\n<<<<<<< SEARCH\nnone\n=======\n1\n>>>>>>> REPLACE\n"
    )
    (src / "reply.md").write_text(blocks)
    out, err = run(capfd, "apply", "reply.md", code=1)
    assert out.splitlines()[:2] == ["✓ 1 app.py:1", "✗ 2 ../README.md, failed"]
    assert "in ../README.md" in err
    assert "in README.md" not in err
    (src / "bare.md").write_text("<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n")
    assert run(capfd, "apply", "bare.md", "--default-path", "app.py")[0].splitlines()[0] == "✓ 1 app.py:2"


@pytest.mark.promise("cli.paths")
def test_a_root_that_is_named_is_the_base_of_paths_only_outside_of_it(
    root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(root / "src")
    assert run(capfd, "search", "one", "-l", "--root", "..") == run(capfd, "search", "one", "-l")
    assert run(capfd, "search", "one", "-l", "--root", "../lib")[0] == "util.py\n"
    out, err = run(capfd, "edit", "util.py", "--old", "one", "--new", "1", "--root", "../lib")
    assert out.startswith("Edited util.py ")
    assert err.endswith(" --root ../lib\n")
    _, err = run(capfd, "edit", "app.py", "--old", "one", "--new", "1", "--root", "..")
    assert err.endswith(" --root ..\n")


def test_a_nested_workspace_that_suture_knows_is_the_root(src: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run(capfd, "edit", "app.py", "--old", "one", "--new", "1", "--root", ".")
    assert locate(None) == Location(".", None, "known", "", ".")
    os.chdir("deep")
    assert locate(None) == Location(str(src), None, "known", "deep", ".")
    assert run(capfd, "read", "../app.py", "--format", "raw")[0] == "1\ntwo\n"
    assert run(capfd, "read", "../../README.md", code=1)[1].startswith("PATH_OUTSIDE_WORKSPACE: ../../README.md ")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--root", "."), "--root names it"),
        ((), "the nearest folder with .git, from the current one upwards"),
    ],
)
def test_doctor_says_why_a_folder_is_the_root(
    src: Path, capfd: pytest.CaptureFixture[str], words: tuple[str, ...], reason: str
) -> None:
    capfd.readouterr()
    main(["doctor", "--json", *words])
    checks = json.loads(capfd.readouterr().out)["checks"]
    shown = {check["name"]: check["found"] for check in checks if check["group"] == "workspace"}
    assert (shown["chosen"], shown["root"]) == (reason, str(src if words else src.parent))


@pytest.mark.usefixtures("src")
def test_completion_offers_paths_from_the_current_folder_and_changes_of_the_workspace(
    capfd: pytest.CaptureFixture[str],
) -> None:
    change = run(capfd, "edit", "app.py", "--old", "one", "--new", "1")[1].split()[-1]

    def completions(line: str) -> list[str]:
        return run(capfd, "completion", "bash", "--line", line)[0].splitlines()

    assert completions("suture read ") == ["app.py", "data.bin", "deep/"]
    assert completions("suture read ../R") == ["../README.md"]
    assert completions("suture read --root .. ap") == ["app.py"]
    assert completions("suture read --root ../lib u") == ["util.py"]
    assert completions("suture undo ") == [change]
    assert completions("suture undo --root ../lib ") == []


def test_the_way_without_argparse_finds_the_same_workspace(src: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert locate("..").folder == src.name
    seen: list[object] = []

    def call(options: Any) -> int:
        seen.append(options.location)
        return 0

    monkeypatch.setattr(sys.modules["suture.cli.commands"], "call", call)
    for words in (["--verbose"], []):
        main(["call", "file_read", "{}", *words])
        main(["call", "file_read", "{}", "--root", "..", *words])
    assert seen == [locate(None), locate(".."), locate(None), locate("..")]
