"""`suture replace`, as seen from a terminal or a script."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from suture import Workspace
from suture.cli import main
from suture.cli.arguments import build_parser
from suture.cli.commands import attempt
from suture.cli.paths import locate
from suture.tools.spec import ToolResult

DIFF = """\
diff --git a/src/app.py b/src/app.py
--- a/src/app.py
+++ b/src/app.py
@@ -1,2 +1,2 @@
-foo(a) + foo(b)
+bar(a) + bar(b)
 baz(c)
diff --git a/src/lib.py b/src/lib.py
--- a/src/lib.py
+++ b/src/lib.py
@@ -1 +1 @@
-x = foo(d)
+x = bar(d)
"""
YET = "Nothing was changed: add --write to make the change.\n"
WORDS = [r"foo\((\w+)\)", "bar($1)"]


FILES = {
    "src/app.py": "foo(a) + foo(b)\nbaz(c)\n",
    "src/lib.py": "x = foo(d)\n",
    "readme.md": "call foo(x)\n",
}


def contents(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def test_without_write_the_diff_is_shown_and_nothing_changes(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    before = contents(root)
    assert main(["replace", *WORDS, "src"]) == 0
    assert capfd.readouterr() == (f"Would make 3 replacements in 2 files.\n\n{DIFF}", YET)
    assert contents(root) == before


def test_with_write_the_same_is_done_and_can_be_undone(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    before = contents(root)
    assert main(["replace", *WORDS, "--write", "src"]) == 0
    out, err = capfd.readouterr()
    head, _, diff = out.partition("\n\n")
    output = re.fullmatch(r"Made 3 replacements in 2 files as change ([0-9a-z]{15})\.", head)
    assert output is not None
    assert (diff, err) == (DIFF, f"To undo: suture undo {output[1]}\n")
    assert (root / "src/app.py").read_text() == "bar(a) + bar(b)\nbaz(c)\n"
    assert main(["log"]) == 0
    assert r"regex_replace_multi: replace 3 matches of foo\((\w+)\) in src" in capfd.readouterr().out
    assert main(["undo", output[1]]) == 0
    assert contents(root) == before


@pytest.mark.process
def test_the_diff_can_be_applied(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["replace", *WORDS]) == 0
    patch = capfd.readouterr().out
    subprocess.run(["git", "apply"], input=patch, text=True, check=True, cwd=root)
    applied = contents(root)
    assert applied["readme.md"] == b"call bar(x)\n"
    assert main(["replace", *WORDS]) == 1


def test_several_globs_are_one_change(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["replace", *WORDS, "readme.md", "src/*.py", "src", "--write"]) == 0
    assert capfd.readouterr().out.startswith("Made 4 replacements in 3 files as change ")
    assert main(["undo"]) == 0
    assert contents(root)["readme.md"] == b"call foo(x)\n"


@pytest.mark.parametrize("globs", [["src/**/*.py"], ["src/*.py"]])
@pytest.mark.parametrize("write", [[], ["--write"]])
def test_json_is_the_whole_result_of_the_tool(
    root: Path, capfd: pytest.CaptureFixture[str], globs: list[str], write: list[str]
) -> None:
    arguments = {"path_pattern": globs[0], "pattern": WORDS[0], "replacement": WORDS[1], "flags": "gm", "dry_run": True}
    expected = Workspace(root).call("regex_replace_multi", arguments)
    assert main(["replace", *WORDS, *globs, "--json", *write]) == 0
    result = json.loads(capfd.readouterr().out)
    assert bool(result["metadata"].pop("change_id")) == bool(write)
    assert (result["metadata"].pop("dry_run", False), expected.metadata.pop("dry_run")) == (not write, True)
    del expected.metadata["change_id"]
    assert result == {"isError": False, "data": expected.rows, "metadata": expected.metadata}


def test_a_dry_run_is_what_happens_anyway(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    before = contents(root)
    assert main(["replace", *WORDS]) == 0
    output = capfd.readouterr()
    assert main(["replace", *WORDS, "--dry-run"]) == 0
    assert capfd.readouterr() == output
    assert main(["replace", *WORDS, "--dry-run", "--write"]) == 2
    problem = "argument --write: not allowed with argument --dry-run"
    assert capfd.readouterr() == ("", f"WRONG_USAGE: suture replace: {problem}\nSee: suture replace --help\n")
    assert contents(root) == before


@pytest.mark.usefixtures("root")
def test_nothing_to_replace_is_exit_code_1(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["replace", "nowhere", "x", "--write"]) == 1
    assert capfd.readouterr() == ("", "No matches: nothing to replace.\n")


def test_what_stays_the_same_is_said(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["replace", "foo", "foo", "src", "--write"]) == 0
    assert capfd.readouterr() == ("No change: 3 matches, each identical to its replacement.\n", "")
    assert Workspace(root).history().metadata["changes"] == []


@pytest.mark.parametrize(
    ("words", "line", "hint"),
    [
        (
            [*WORDS, "--max-replacements", "3"],
            "TOO_MANY_REPLACEMENTS: Max replacements exceeded: 4 (limit: 3)",
            "Nothing was changed. Narrow the pattern, or raise --max-replacements.",
        ),
        (
            [*WORDS, "src", "readme.md", "--max-replacements", "3"],
            "TOO_MANY_REPLACEMENTS: Max replacements exceeded: 4 (limit: 3)",
            "",
        ),
        (
            ["foo", "$1"],
            "INVALID_CAPTURE_GROUP: Invalid capture group: $1 (only 0 groups in pattern)",
            "Put parentheses around",
        ),
        (["(", "x"], "INVALID_REGEX: Invalid regex: ", "The dialect"),
        (
            [*WORDS, "readme.md", "scr*/*.py"],
            "NO_FILES_MATCHED: No files matched pattern: scr*/*.py",
            "Check the pattern",
        ),
        ([*WORDS, "nowhere.py"], "FILE_NOT_FOUND: File not found: nowhere.py", ""),
    ],
)
def test_a_refusal_changes_nothing(
    root: Path, capfd: pytest.CaptureFixture[str], words: list[str], line: str, hint: str
) -> None:
    before = contents(root)
    assert main(["replace", *words, "--write"]) == 2
    out, err = capfd.readouterr()
    first, second = err.split("\n")[:2]
    assert (out, first[: len(line)], second[: len(hint)]) == ("", line, hint)
    assert contents(root) == before


def test_a_match_that_swallows_others_is_replaced_only_if_allowed(
    root: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (root / "long.txt").write_text("".join(f"<a>{number}\n" for number in range(60)) + "</a>\n")
    assert main(["replace", "-s", "<a>.*</a>", "", "long.txt"]) == 2
    line, hint, _ = capfd.readouterr().err.split("\n")
    assert line.startswith("OVER_MATCH: Over-match: the match at long.txt:1 ends at line 61")
    assert hint.endswith("or add --allow-over-match if the whole match is intended.")
    assert main(["replace", "-s", "<a>.*</a>", "", "long.txt", "--allow-over-match", "--write"]) == 0
    assert (root / "long.txt").read_text() == "\n"


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize(
    ("replacement", "literal"),
    [
        (r"\1", r"\1"),
        (r"a\9b", r"\9"),
        (r"\g<name>", r"\g<"),
        ("<$&>", None),
        ("$<name>", None),
        ("$0", "$0"),
        ("$00", "$0"),
        ("$$$0", "$0"),
        ("$01", None),
        ("$1", None),
        ("$$&", None),
        ("$$0", None),
        (r"\0", None),
        (r"\g", None),
        ("$<", None),
        ("$<a b>", None),
        ("$", None),
        ("", None),
    ],
)
def test_what_only_looks_like_a_group_is_noted(
    capfd: pytest.CaptureFixture[str], replacement: str, literal: str | None
) -> None:
    pattern = "foo" if replacement.startswith(("\\", "a\\")) else "f(oo)"  # with groups, such a replacement is refused
    assert main(["replace", pattern, replacement, "readme.md"]) == 0
    how = "groups are written $1 or ${name}, the whole match $&"
    note = "" if literal is None else f"note: {literal} is taken literally; {how}\n"
    assert capfd.readouterr().err == note + YET


def test_a_refused_group_is_not_also_called_literal(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["replace", "f(oo)", r"\1", "readme.md"]) == 2
    err = capfd.readouterr().err
    assert err.startswith(r"INVALID_CAPTURE_GROUP: Invalid capture group: \1 (write $1)")
    assert "literally;" not in err


def test_options_are_handed_on(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (root / ".gitignore").write_text("src/\n")
    assert main(["replace", "FOO", "-i", "bar", "--exclude", "*.md"]) == 2
    assert capfd.readouterr().err.startswith("NO_FILES_MATCHED: No files matched pattern: **/*\n")
    assert main(["replace", "FOO", "-i", "bar", "--exclude", "app*", "--include-ignored", "--write"]) == 0
    assert contents(root)["src/lib.py"] == b"x = bar(d)\n"
    assert contents(root)["src/app.py"] == b"foo(a) + foo(b)\nbaz(c)\n"
    assert contents(root)["readme.md"] == b"call bar(x)\n"


def test_an_encoding_may_be_named(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (root / "old.txt").write_bytes("größe\n".encode("latin-1"))
    assert main(["replace", "r(.+)e", "$1é", "old.txt", "--write"]) == 2
    assert "Name the encoding with --encoding (" in capfd.readouterr().err
    assert main(["replace", "r(.+)e", "$1é", "*.txt", "--write", "--encoding", "latin-1"]) == 2
    problem = "--encoding: applies only to files that are named; name them instead of folders and globs"
    assert capfd.readouterr().err == f"WRONG_USAGE: suture replace: {problem}\nSee: suture replace --help\n"
    assert main(["replace", "r(.+)e", "$1é", "old.txt", "src", "--write", "--encoding", "latin-1"]) == 0
    assert (root / "old.txt").read_bytes() == "gößé\n".encode("latin-1")


@pytest.mark.parametrize("globs", [["*.txt", "src/[[]old].txt"], ["src", "new.txt"], ["**/*.txt"]])
def test_a_file_whose_encoding_is_named_may_be_meant_by_a_glob_too(
    root: Path, capfd: pytest.CaptureFixture[str], globs: list[str]
) -> None:
    for name in ("old.txt", "src/[old].txt"):
        (root / name).write_bytes("größe\n".encode("latin-1"))
    (root / "new.txt").write_text("größe\n")
    words = ["replace", "r(.+)e", "$1é", *globs, "old.txt", "src/[old].txt", "--write", "--encoding", "latin-1"]
    assert main(words) == 0
    assert capfd.readouterr().out.startswith("Made 3 replacements in 3 files")
    assert (root / "old.txt").read_bytes() == "gößé\n".encode("latin-1")
    assert (root / "src/[old].txt").read_bytes() == "gößé\n".encode("latin-1")
    assert (root / "new.txt").read_text() == "gößé\n"
    assert main([*words, "*.tx"]) == 2
    assert capfd.readouterr().err.startswith("NO_FILES_MATCHED: No files matched pattern: *.tx\n")


def test_a_binary_file_that_is_named_is_noted(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (root / "a.bin").write_bytes(b"foo\0")
    note = "note: a.bin is binary and was skipped\n"
    assert main(["replace", "foo", "bar", "a.bin", "readme.md"]) == 0
    assert capfd.readouterr().err == note + YET
    assert main(["replace", "foo", "bar", "*.bin"]) == 1
    assert capfd.readouterr().err == "No matches: nothing to replace.\n"
    assert main(["replace", "foo", "bar", "a.bin", "--json"]) == 1
    out, err = capfd.readouterr()
    assert (json.loads(out)["metadata"]["binary"], err) == (["a.bin"], note)


def test_how_to_undo_names_another_root(
    root: Path, capfd: pytest.CaptureFixture[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    os.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert main(["replace", *WORDS, "--write", "--root", str(root)]) == 0
    words = capfd.readouterr().err.removeprefix("To undo: suture ").split()
    assert main(words) == 0
    assert contents(root)["readme.md"] == b"call foo(x)\n"


def test_a_change_that_could_not_be_recorded_is_said_to_be_final(
    root: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null")
    assert main(["replace", *WORDS, "readme.md", "--write"]) == 0
    assert capfd.readouterr().err.startswith("note: This change cannot be undone: ")
    assert contents(root)["readme.md"] == b"call bar(x)\n"


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize("words", [[], ["x"], ["x", "y", "--nothing"], ["/x/g", "y", "-i"]])
def test_wrong_usage_is_exit_code_2(capfd: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert main(["replace", *words]) == 2
    assert capfd.readouterr().out == ""


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize("words", [["-4px", "4px"], ["4px", "-4px"], ["4px", "-4px", "src"]])
def test_a_dash_at_the_beginning_is_explained(capfd: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert main(["replace", *words]) == 2
    code, *_, hint = capfd.readouterr().err.split("; ")
    assert (code[:29], hint) == (
        "WRONG_USAGE: suture replace: ",
        "write -- before a pattern or replacement that begins with a dash\nSee: suture replace --help\n",
    )
    assert main(["replace", "--", *words]) == 1
    assert capfd.readouterr().err == "No matches: nothing to replace.\n"


@pytest.mark.process
def test_the_diff_is_colored_on_a_terminal_only(root: Path) -> None:
    master, slave = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    command = [sys.executable, "-m", "suture", "replace", *WORDS, "readme.md"]
    subprocess.run(command, stdout=slave, stderr=subprocess.DEVNULL, env=environment, check=True, cwd=root)
    os.close(slave)
    screen = os.read(master, 10_000)
    os.close(master)
    assert b"\x1b[31m-call foo(x)\x1b[0m" in screen


# Interrupted

STALLED = """
import sys, time
from suture.cli import main
import suture.files.{module} as module
real, calls = module.{function}, []
def stalled(*given, **named):
    calls.append(1)
    if len(calls) == {number}:
        print("ready", flush=True)
        time.sleep(60)
    return real(*given, **named)
module.{function} = stalled
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.process
@pytest.mark.promise("cli.interrupt")
@pytest.mark.parametrize(
    ("module", "function", "number", "lands"),
    [
        ("recovery", "stage", 2, False),
        ("recovery", "verify", 2, False),
        ("recovery", "publish", 2, False),
        ("recovery", "finish", 1, True),
    ],
)
def test_an_interrupt_leaves_all_of_it_or_nothing_and_no_other_file(
    root: Path, module: str, function: str, number: int, *, lands: bool
) -> None:
    before = contents(root)
    code = STALLED.format(module=module, function=function, number=number)
    process = subprocess.Popen(
        [sys.executable, "-c", code, "replace", *WORDS, "--write"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=root,
    )
    assert process.stdout is not None
    timer = threading.Timer(50, process.kill)
    timer.start()
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    timer.cancel()
    assert (process.returncode, out, b"Traceback" in err) == (130, b"", False)
    after = contents(root)
    assert list(after) == list(before)
    assert (after != before) == lands
    assert (b"To undo: suture undo " in err) == lands
    if lands:
        assert all(b"bar(" in content for content in after.values())
        assert main(["undo"]) == 0
        assert contents(root) == before


def test_an_interrupted_call_that_cannot_be_settled_says_why(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (root / ".suture").mkdir()
    (root / ".suture/intent").write_text("what is this?")
    options = build_parser().parse_args(["replace", *WORDS, "--write"])
    options.location = locate(options.root)

    def call(_: Workspace) -> ToolResult:
        raise KeyboardInterrupt

    handler = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(KeyboardInterrupt):
            attempt(options, call)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert "RECOVERY_BLOCKED" in capfd.readouterr().err
