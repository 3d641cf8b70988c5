"""`suture search`, as seen from a terminal or a script."""

import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from suture import Workspace
from suture.cli import COMMANDS, main
from suture.tools import search
from tests.unit.changes import interrupt

Run = Callable[..., str]
PATIENT = "import suture.cli.output as progress; progress._PROGRESS_DELAY = 1_000"
IMPATIENT = "import suture.cli.output as progress; progress._PROGRESS_DELAY = progress._PROGRESS_INTERVAL = 0"
ESCAPE = re.compile(r"\x1b\[[0-9;]*[mK]")


FILES = {
    "src/app.py": "import os\n\ndef main():\n    print('TODO: fix')  # todo: soon, TODO: later\n    return 0\n",
    "src/lib/util.py": "# todo: sort\n",
    "docs/guide.md": "# Guide\n\nTODO: write\n",
    "notes.txt": "nothing\n",
    ".gitignore": "build/\n*.log\n",
    "build/out.py": "TODO: generated\n",
    "debug.log": "TODO: logged\n",
    ".hidden/a.py": "TODO: hidden\n",
    "empty/.hidden": "",
}
"""A small project."""


@pytest.fixture
def run_command(root: Path, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run a command; returns its output."""
    assert root.is_dir()

    def run(*words: str, code: int = 0, err: str = "") -> str:
        assert main(["search", *words]) == code
        out, complaint = capfd.readouterr()
        assert complaint == err
        return out

    return run


def on_a_terminal(root: Path, *words: str, before: str = PATIENT, **environment: str) -> str:
    """The output of a command on a terminal, stdout and stderr together."""
    master, slave = pty.openpty()
    code = f"import sys; {before}; from suture.cli import main; sys.exit(main(sys.argv[1:]))"
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {
        "TERM": "xterm",
        **environment,
    }
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words], stdout=slave, stderr=slave, cwd=root, env=environment
    )
    os.close(slave)
    screen = b""
    try:
        while piece := os.read(master, 65_536):
            screen += piece
    except OSError:  # all is read, and the other side closed
        pass
    os.close(master)
    process.wait()
    return screen.decode().replace("\r\n", "\n")


def test_matches_are_under_the_name_of_their_file(run_command: Run) -> None:
    assert run_command("TODO: (\\w+)") == (
        "docs/guide.md\n3:TODO: write\n\nsrc/app.py\n4:    print('TODO: fix')  # todo: soon, TODO: later\n"
    )


def test_a_line_is_printed_once_and_counted_as_often_as_it_matches(run_command: Run) -> None:
    assert (
        run_command("todo", "-i", "--count")
        == "docs/guide.md:1\nsrc/app.py:3\nsrc/lib/util.py:1\n5 matches in 3 files\n"
    )
    assert run_command("todo", "-i", "src/app.py").count("\n") == 2


def test_only_names(run_command: Run) -> None:
    assert run_command("-l", "-i", "todo") == "docs/guide.md\nsrc/app.py\nsrc/lib/util.py\n"


def test_json_is_the_whole_result(root: Path, run_command: Run) -> None:
    result = json.loads(run_command("todo", "src/**/*.py", "--json", "-i", "-C", "1"))
    arguments = {"path_pattern": "src/**/*.py", "pattern": "todo", "flags": "gim"}
    expected = Workspace(root).call("regex_search_multi", {**arguments, "context_before": 1, "context_after": 1})
    assert result == {"isError": False, "data": expected.rows, "metadata": {}}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["-C", "1"], ["3-def main():", "4:    print('TODO: fix')  # todo: soon, TODO: later", "5-    return 0"]),
        (["-B1"], ["3-def main():", "4:    print('TODO: fix')  # todo: soon, TODO: later"]),
        (["-A", "9"], ["4:    print('TODO: fix')  # todo: soon, TODO: later", "5-    return 0"]),
        (["-C", "9", "-A", "0", "-B", "0"], ["4:    print('TODO: fix')  # todo: soon, TODO: later"]),
    ],
)
def test_lines_around_a_match(run_command: Run, words: list[str], expected: list[str]) -> None:
    assert run_command("TODO: fix", "src", *words).split("\n") == ["src/app.py", *expected, ""]


def test_lines_around_matches_are_parted_where_some_are_left_out(root: Path, run_command: Run) -> None:
    (root / "n.txt").write_text("".join(f"{number}\n" for number in range(1, 20)))
    assert run_command("^(3|5|12)$", "n.txt", "-C", "1").split("\n") == (
        ["n.txt", "2-2", "3:3", "4-4", "5:5", "6-6", "--", "11-11", "12:12", "13-13", ""]
    )
    assert "--" not in run_command("^(3|12)$", "n.txt")


def test_a_match_over_several_lines_shows_them_all(root: Path, run_command: Run) -> None:
    (root / "n.txt").write_bytes(b"a (\r\n  b\r\n) c\r\nd\r\n")
    assert run_command(r"\([^)]*\)", "n.txt") == "n.txt\n1:a (\n2:  b\n3:) c\n"
    assert run_command(r"b\r\n", "n.txt") == "n.txt\n2:  b\n"
    (root / "old.txt").write_bytes(b"a (\rb\r) c\rd")
    assert run_command(r"\([^)]*\)", "old.txt") == "old.txt\n1:a (\n2:b\n3:) c\n"


@pytest.mark.parametrize(
    ("globs", "expected"),
    [
        (["src"], ["src/app.py", "src/lib/util.py"]),
        (["src/"], ["src/app.py", "src/lib/util.py"]),
        (["."], ["docs/guide.md", "src/app.py", "src/lib/util.py"]),
        (["src/*.py"], ["src/app.py"]),
        (["**/*.{md,py}"], ["docs/guide.md", "src/app.py", "src/lib/util.py"]),
        (["src", "docs"], ["docs/guide.md", "src/app.py", "src/lib/util.py"]),
        (["src/app.py", "src", "**/*.py"], ["src/app.py", "src/lib/util.py"]),
        (["{src,docs}/*", "src/lib/{util,nothing}.py"], ["docs/guide.md", "src/app.py", "src/lib/util.py"]),
        (["src", "empty"], ["src/app.py", "src/lib/util.py"]),
        (["debug.log"], ["debug.log"]),
        (["build"], ["build/out.py"]),
        (["src", "build"], ["build/out.py", "src/app.py", "src/lib/util.py"]),
        ([".hidden"], [".hidden/a.py"]),
        (["--include-ignored"], ["build/out.py", "debug.log", "docs/guide.md", "src/app.py", "src/lib/util.py"]),
        (["--exclude", "lib", "--exclude", "*.md"], ["src/app.py"]),
        (["src/app.py", "src/lib/util.py", "--exclude", "lib"], ["src/app.py"]),
        (["docs/guide.md", "src/lib/util.py", "--exclude", "*.md"], ["src/lib/util.py"]),
        (["-l", "src", "--exclude", "app.py", "docs"], ["docs/guide.md", "src/lib/util.py"]),
    ],
)
def test_what_a_glob_means(run_command: Run, globs: list[str], expected: list[str]) -> None:
    assert run_command("-i", "todo", *globs, *(() if "-l" in globs else ("-l",))).split() == expected


def test_a_name_of_a_file_is_that_file_whatever_it_would_mean_as_a_glob(root: Path, run_command: Run) -> None:
    names = ["[id].tsx", "a,b.txt", "{x}.txt", "q?.txt", "back\\slash"]
    (root / "d[1]").mkdir()
    for name in [*names, "d[1]/inside.txt"]:
        (root / name).write_text("needle\n")
    assert run_command("needle", *names, "d[1]", "-l").split() == sorted([*names, "d[1]/inside.txt"])


def test_a_link_that_is_named_is_followed(root: Path, run_command: Run) -> None:
    (root / "alias").symlink_to("src")
    assert run_command("TODO", "alias", "docs", "-l").split() == ["docs/guide.md", "src/app.py"]


def test_an_absolute_path_is_named_from_the_root_on(root: Path, run_command: Run) -> None:
    assert run_command("TODO", str(root / "src"), str(root / "docs/guide.md"), "-l").split() == [
        "docs/guide.md",
        "src/app.py",
    ]


def test_another_root(root: Path, run_command: Run, tmp_path_factory: pytest.TempPathFactory) -> None:
    os.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert run_command("TODO", "src", "--root", str(root), "-l") == "src/app.py\n"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["-i", "TODO: S"], 2),
        (["--flags", "i", "TODO: S"], 2),
        (["--flags=gi", "TODO: S"], 2),
        (["/TODO: S/i"], 2),
        (["^TODO"], 1),
        (["--text-ends", "^TODO"], 0),
        (["--text-ends", "--flags", "m", "^TODO"], 1),
        (["--text-ends", "/^todo/gi"], 0),
        (["/^TODO/g"], 0),
        (["--flags", "i", "^todo"], 1),
        (["-s", "Guide.+TODO"], 1),
        (["-is", "guide.+todo"], 1),
        (["o"], 10),
        (["/o/m"], 4),
        (["--", "-nothing"], 0),
    ],
)
def test_flags(run_command: Run, words: list[str], expected: int) -> None:
    output = run_command("--count", *words, code=int(not expected))
    assert output.splitlines()[-1].split()[0] == str(expected)


def test_slashes_around_a_pattern_without_flags_are_noted(run_command: Run) -> None:
    note = "note: read as the pattern {0}; to match the slashes, write \\/{0}\\/\n"
    assert run_command("/^TODO/", err=note.format("^TODO")) == "docs/guide.md\n3:TODO: write\n"
    assert run_command("/o/", "--count", err=note.format("o")).endswith("10 matches in 3 files\n")
    for pattern in ("/TODO/g", "TODO/", "//", "\\/TODO\\/"):
        run_command(pattern, "-l", code=int(pattern != "/TODO/g"), err="" if pattern == "/TODO/g" else "No matches.\n")


def test_options_may_be_anywhere(run_command: Run) -> None:
    expected = run_command("-i", "-l", "todo", "src", "docs")
    for words in (
        ["todo", "-i", "src", "-l", "docs"],
        ["todo", "src", "docs", "-il"],
        ["-l", "todo", "-i", "--", "src", "docs"],
    ):
        assert run_command(*words) == expected


def test_no_more_than_asked_for(run_command: Run) -> None:
    note = "note: stopped after 2 matches (--max-matches)\n"
    assert run_command("-i", "todo", "--max-matches", "2", "-l", err=note) == "docs/guide.md\nsrc/app.py\n"
    assert (
        run_command("-i", "todo", "src", "docs", "--max-matches", "2", "-l", err=note) == "docs/guide.md\nsrc/app.py\n"
    )


def test_nothing_found_is_exit_code_1(run_command: Run) -> None:
    assert run_command("nowhere", code=1, err="No matches.\n") == ""
    assert run_command("nowhere", "-l", code=1, err="No matches.\n") == ""
    assert run_command("nowhere", "--count", code=1) == "0 matches in 0 files\n"
    assert json.loads(run_command("nowhere", "--json", code=1))["data"] == []


@pytest.mark.parametrize(
    ("words", "line", "hint"),
    [
        (["(", "src"], "INVALID_REGEX: Invalid regex: ", "The dialect is JavaScript"),
        (["x", "--flags", "y"], "INVALID_FLAGS: Invalid flags: y (supported: g, i, m, s, u)", "g: all matches"),
        (["x", "*.nothing"], "NO_FILES_MATCHED: No files matched pattern: *.nothing", "Check the pattern"),
        (["x", "src", "*.nothing"], "NO_FILES_MATCHED: No files matched pattern: *.nothing", "Check the pattern"),
        (["x", "empty"], "NO_FILES_MATCHED: No files matched pattern: empty/**/*", "Check the pattern"),
        (
            ["x", "*.log"],
            "NO_FILES_MATCHED: No files matched pattern: *.log",
            "The matching files are ignored by .gitignore: to include them, add --inc",
        ),
        (["x", "srcc"], "FILE_NOT_FOUND: File not found: srcc", "Did you mean src?"),
        (["x", "src", "srcc"], "FILE_NOT_FOUND: File not found: srcc", "Did you mean src?"),
        (["x", "{a"], "INVALID_GLOB: Invalid glob pattern: {a", "Fix the pattern: a { is never closed."),
        (["x", "{a", "b}"], "INVALID_GLOB: Invalid glob pattern: {a", "Fix the pattern: a { is never closed."),
        (["x", "../*"], "PATH_OUTSIDE_WORKSPACE: Path outside workspace: ../*", ""),
        (["x", ".git/config"], "PROTECTED_PATH: Protected path: .git/config", ""),
    ],
)
def test_a_refusal_is_a_line_and_a_hint(
    root: Path, capfd: pytest.CaptureFixture[str], words: list[str], line: str, hint: str
) -> None:
    assert root.is_dir()
    assert main(["search", *words]) == 2
    out, err = capfd.readouterr()
    first, second = err.split("\n")[:2]
    assert (out, first[: len(line)], second[: len(hint)]) == ("", line, hint)
    assert main(["search", *words, "--json"]) == 2
    assert json.loads(capfd.readouterr().out)["isError"]


@pytest.mark.slow
def test_what_takes_too_long_can_be_given_more_time(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (root / "evil.txt").write_text("a" * 80 + "!")
    assert main(["search", r"(a|aa)+\1$", "evil.txt"]) == 2
    first, hint, _ = capfd.readouterr().err.split("\n")
    assert first == r"REGEX_TIMEOUT: Regex timed out after 1000 ms: (a|aa)+\1$"
    assert hint.startswith("It was searching evil.txt. Avoid nested")
    assert ", or raise the limit (--timeout SECONDS)." in hint
    assert main(["search", r"(a|aa)+\1$", "evil.txt", "--timeout", "2"]) == 2
    assert capfd.readouterr().err.startswith("REGEX_TIMEOUT: Regex timed out after 2000 ms")


def test_a_workspace_that_is_not_there(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "x", "--root", "nowhere"]) == 2
    assert capfd.readouterr().err.startswith("WORKSPACE_NOT_FOUND")


DASH = "write -- before a pattern or replacement that begins with a dash"
OUTRIGHT = "--encoding: applies only to files that are named; name them instead of folders and globs"


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ([], "the following arguments are required: PATTERN"),
        (["x", "--nothing"], f"unrecognized arguments: --nothing; {DASH}"),
        (["x", "--exlude", "y"], "unrecognized arguments: --exlude; did you mean --exclude?"),
        (["--max-match=3", "x", "y"], "unrecognized arguments: --max-match=3; did you mean --max-matches?"),
        (["-index"], f"argument -i/--ignore-case: ignored explicit argument 'ndex'; {DASH}"),
        (["-4px"], f"unrecognized arguments: -4px; {DASH}"),
        (["-i"], "the following arguments are required: PATTERN"),
        (["x", "src", "-l", "--nothing", "docs"], f"unrecognized arguments: --nothing; {DASH}"),
        (["x", "-C", "-1"], "argument -C/--context: expected a whole number of at least 0, got '-1'"),
        (
            ["x", "-A", "many"],
            "argument -A/--context-after/--after-context: expected a whole number from 0 to 10000, got 'many'",
        ),
        (["x", "-l", "--count"], "argument --count: not allowed with argument -l/--names"),
        (["x", "--timeout", "0"], "argument --timeout: expected 1 to 3600 seconds, got 0"),
        (["x", "--json", "-l"], "--json cannot be used with --names"),
        (["x", "--json", "--count"], "--json cannot be used with --count"),
        (["/x/g", "-i"], "the pattern has its own flags, g: add i there"),
        (["/x/gm", "--text-ends"], "the pattern has its own flags, gm: remove m there"),
        (["x", "-B", "10001"], "--context-before: expected a whole number from 0 to 10000, got 10001"),
        (["x", "--encoding", "latin-1"], OUTRIGHT),
        (["x", "src", "*.md", "--encoding", "latin-1"], OUTRIGHT),
    ],
)
def test_wrong_usage_is_exit_code_2(capfd: pytest.CaptureFixture[str], words: list[str], problem: str) -> None:
    assert main(["search", *words]) == 2
    assert capfd.readouterr() == ("", f"WRONG_USAGE: suture search: {problem}\nSee: suture search --help\n")


def test_a_long_line_is_cut_around_its_first_match(root: Path, run_command: Run) -> None:
    (root / "min.js").write_text("x" * 5_000 + "needle" + "y" * 5_000 + "needle" + "z" * 300 + "\n")
    line = run_command("needle", "min.js").split("\n")[1]
    assert line == f"1:… {'x' * 100}needle{'y' * 394} … (1 match more, 10,312 characters)"
    assert run_command("z+", "min.js").split("\n")[1] == f"1:… {'y' * 194}needle{'z' * 300}"
    assert run_command("x+", "min.js").split("\n")[1] == f"1:{'x' * 500} … (10,312 characters)"
    (root / "min.js").write_text("a" * 600 + "\nneedle\n")
    assert run_command("needle", "min.js", "-B1").split("\n")[1] == f"1-{'a' * 500} … (600 characters)"


@pytest.mark.slow
def test_many_matches_in_one_long_line_take_no_time_that_grows_with_both(root: Path, run_command: Run) -> None:
    (root / "min.js").write_text("ab" * 50_000)
    line = run_command("a", "min.js", "--timeout", "50").split("\n")[1]
    assert line.endswith("(49,750 matches more, 100,000 characters)")


@pytest.mark.parametrize("content", [b"", b"x", b"one\ntwo", b"\n\n", "\ufeffé x\n".encode(), b"\xff x\n"])
def test_empty_matches_and_odd_files(root: Path, run_command: Run, content: bytes) -> None:
    (root / "odd.txt").write_bytes(content)
    lines = run_command("^|x|$", "odd.txt", "-C", "1").split("\n")
    assert lines[0] == "odd.txt"
    assert [line.split(":")[0] for line in lines[1:-1]] == [str(at + 1) for at in range(len(lines) - 2)]


def test_a_binary_file_is_passed_over(root: Path, run_command: Run) -> None:
    (root / "a.bin").write_bytes(b"TODO\0")
    note = "note: a.bin is binary and was skipped\n"
    run_command("TODO", "a.bin", code=1, err=f"{note}No matches.\n")
    assert run_command("TODO", "a.bin", "docs", "-l", err=note) == "docs/guide.md\n"
    assert json.loads(run_command("TODO", "a.bin", "docs", "--json", err=note))["metadata"] == {"binary": ["a.bin"]}
    assert run_command("TODO", "*.bin", "docs", "-l") == "docs/guide.md\n"


def test_an_encoding_may_be_named(root: Path, run_command: Run) -> None:
    (root / "old.txt").write_bytes("eine größe\n".encode("latin-1"))
    assert run_command("größe", "old.txt", "--encoding", "latin-1") == "old.txt\n1:eine größe\n"
    assert run_command("größe", "*.txt", "old.txt", "--encoding", "latin-1") == "old.txt\n1:eine größe\n"
    assert run_command("gr..e", "*.txt", "old.txt", "--encoding", "latin-1", "-C1") == "old.txt\n1:eine größe\n"


def test_what_was_cleared_up_first_is_said(root: Path, run_command: Run) -> None:
    note = interrupt(root, "notes.txt")
    assert run_command("noth", err=note) == "notes.txt\n1:nothing\n"


@pytest.mark.parametrize("change", ["gone", "other", "shorter"])
def test_a_file_that_changes_while_it_is_searched_shows_what_was_found(
    root: Path, run_command: Run, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    search_files = search.search_glob

    def search_then_change(*given: Any, **more: Any) -> object:
        answer = search_files(*given, **more)
        if change == "gone":
            (root / "docs/guide.md").unlink()
        else:
            (root / "docs/guide.md").write_text("a\nb\nc\n" if change == "other" else "")
        return answer

    monkeypatch.setattr(search, "search_glob", search_then_change)
    assert run_command("TODO: (\\w+)", "docs") == "docs/guide.md\n3:TODO: write\n"


@pytest.mark.parametrize("name", ["search", "replace", "extract", "lines", "split"])
def test_the_example_in_the_help_works(root: Path, capfd: pytest.CaptureFixture[str], name: str) -> None:
    (root / "src/b.py").write_text("foo(a)\n")
    (root / "setup.cfg").write_text("name = x\n")
    (root / "server.log").write_text("INFO\nERROR: timeout\n")
    (root / "readme.md").write_text("TODO: this\n")
    assert main(shlex.split(COMMANDS[name][1])[1:]) == 0
    expected = {
        "search": "readme.md\n1:TODO: this\n\nsrc/app.py\n4:    print('TODO: fix')  # todo: soon, TODO: later\n",
        "replace": "Made 1 replacement in 1 file as change ",
        "extract": "name\tx\n",
        "lines": "2:ERROR: timeout\n",
        "split": "--- segment 1 (lines 1-1)\nnothing\n",
    }
    assert capfd.readouterr().out.startswith(expected[name])


# On a terminal


@pytest.mark.process
def test_what_matches_is_marked_on_a_terminal(root: Path) -> None:
    screen = on_a_terminal(root, "search", "TODO", "src", "-B1")
    assert screen == (
        "\x1b[1msrc/app.py\x1b[0m\n\x1b[32m3\x1b[0m-def main():\n"
        "\x1b[32m4\x1b[0m:    print('\x1b[1;31mTODO\x1b[0m: fix')  # todo: soon, \x1b[1;31mTODO\x1b[0m: later\n"
    )


@pytest.mark.process
def test_no_color_means_none(root: Path) -> None:
    assert "\x1b" not in on_a_terminal(root, "search", "TODO", NO_COLOR="1")


@pytest.mark.process
def test_nothing_that_a_terminal_obeys_reaches_it(root: Path) -> None:
    (root / "a\x1b[2J\n.txt").write_text("needle \x1b]0;title\x07 \x9b2J needle\x08\n")
    screen = ESCAPE.sub("", on_a_terminal(root, "search", "needle"))
    assert screen == "a\\x1b[2J\\n.txt\n1:needle \\x1b]0;title\\x07 \\x9b2J needle\\x08\n"


def test_a_pipe_gets_contents_as_they_are(root: Path, run_command: Run) -> None:
    (root / "n.txt").write_text("needle \x1b[31m\tred\n")
    assert run_command("needle", "n.txt") == "n.txt\n1:needle \x1b[31m\tred\n"


@pytest.mark.process
def test_a_long_search_shows_its_progress_and_takes_it_away(root: Path) -> None:
    screen = on_a_terminal(root, "search", "TODO", "src", "--count", before=IMPATIENT)
    *shown_on_the_way, last = screen.split("\r\x1b[K")[1:]
    assert shown_on_the_way == ["1 file, 0 matches …", "1 file, 2 matches …", "2 files, 2 matches …"]
    assert last == "src/app.py:2\n2 matches in 1 file\n"


@pytest.mark.process
def test_a_quick_search_shows_none(root: Path) -> None:
    assert on_a_terminal(root, "search", "TODO", "src", "-l") == "src/app.py\n"


@pytest.mark.process
def test_a_terminal_that_cannot_erase_gets_no_progress(root: Path) -> None:
    assert on_a_terminal(root, "search", "TODO", "src", "-l", before=IMPATIENT, TERM="dumb") == "src/app.py\n"


@pytest.mark.process
def test_a_pipe_gets_no_progress(root: Path) -> None:
    code = f"import sys; {IMPATIENT}; from suture.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "search", "TODO", "src", "-l"]
    process = subprocess.run(command, cwd=root, capture_output=True, check=True)
    assert (process.stdout, process.stderr) == (b"src/app.py\n", b"")


# Interrupted


@pytest.mark.process
def test_a_closed_pipe_ends_quietly(root: Path) -> None:
    (root / "big.txt").write_text("needle\n" * 5_000)
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "suture", "search", "needle"], stdout=writing, stderr=subprocess.PIPE, cwd=root
    )
    os.close(writing)
    os.close(reading)
    assert process.communicate()[1] == b""
    assert process.returncode == 141


STALLED = """
import sys, time
from suture.files import walk
from suture.cli import main
real = walk.walk
def stalled(*given, **named):
    for run in real(*given, **named):
        print("ready", flush=True)
        time.sleep(60)
        yield run
walk.walk = stalled
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.process
@pytest.mark.promise("cli.interrupt")
def test_an_interrupt_ends_quietly_in_the_middle_of_a_search(root: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", STALLED, "search", "TODO"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=root
    )
    assert process.stdout is not None
    timer = threading.Timer(50, process.kill)
    timer.start()
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    timer.cancel()
    assert (process.returncode, out, err) == (130, b"", b"")
