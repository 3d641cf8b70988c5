"""The README shows what works: every example in it is run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
GREET = "def greet(name):\n    name = name.strip()\n    return 'Hello ' + name\n"
FILES = {"greeting.txt": "hello world\n", "draft.md": "# Draft\n", "obsolete.txt": "old\n", "greet.py": GREET}


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    return tmp_path


def run(command: list[str] | str, cwd: Path) -> str:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    shell = isinstance(command, str)
    ran = subprocess.run(
        command, cwd=cwd, shell=shell, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0 or (ran.returncode == 1 and "2>&1" in command), ran.stderr
    return ran.stdout


def python_block(holding: str) -> str:
    """The one example in Python that holds this."""
    (found,) = [str(code) for language, code in BLOCKS if language == "python" and holding in code]
    return found


def test_the_transaction_does_what_the_text_says(sample: Path) -> None:
    out = run([sys.executable, "-c", python_block("tx.create")], sample)
    assert out == (
        "[('src/new.py', 'create'), ('greeting.txt', 'update'), ('draft.md', 'rename'), ('obsolete.txt', 'delete')]\n"
    )
    found = {str(path.relative_to(sample)): path.read_text() for path in sample.rglob("*") if path.is_file()}
    assert found == {
        "src/new.py": "VALUE = 1\n",
        "greeting.txt": "HELLO world\n",
        "docs/guide.md": "# Draft\n",
        "greet.py": GREET,
    }


def test_the_failing_call_prints_what_is_shown(sample: Path) -> None:
    shown, *_ = [code for language, code in BLOCKS if language == "text"]
    assert run([sys.executable, "-c", python_block("greting.txt")], sample) == shown


def test_every_command_prints_what_is_shown(sample: Path) -> None:
    plain, *_, taking_back = [code for language, code in BLOCKS if language == "console" and code.startswith("$ ")]
    follow(plain, sample)
    run([sys.executable, "-c", python_block("tx.create")], sample)
    (sample / "greeting.txt").write_text("HELLO world\n")
    follow(taking_back, sample)


def test_the_patches_do_what_is_shown(sample: Path) -> None:
    (shown,) = [code for language, code in BLOCKS if language == "diff"]
    assert run([sys.executable, "-c", python_block("patches = [")], sample) == shown
    (session,) = [code for language, code in BLOCKS if language == "console" and "suture patch" in code]
    follow(session, sample)


def test_the_edits_do_what_is_shown(sample: Path) -> None:
    _, shown, *_ = [code for language, code in BLOCKS if language == "text"]
    assert anonymous(run([sys.executable, "-c", python_block("suggested_fixes")], sample)) == anonymous(shown)
    (session,) = [code for language, code in BLOCKS if language == "console" and "suture edit greeting" in code]
    follow(session, sample)


def test_the_reply_does_what_is_shown(sample: Path) -> None:
    (reply,) = [code for language, code in BLOCKS if language == "markdown"]
    (sample / "reply.md").write_text(reply)
    (session,) = [code for language, code in BLOCKS if language == "console" and "suture apply" in code]
    follow(session, sample)
    _, _, shown, *_ = [code for language, code in BLOCKS if language == "text"]
    assert anonymous(run([sys.executable, "-c", python_block("ReplyParser")], sample)) == anonymous(shown)


def test_the_checks_do_what_is_shown(sample: Path) -> None:
    *_, shown, _ = [code for language, code in BLOCKS if language == "text"]
    (session,) = [code for language, code in BLOCKS if language == "console" and "suture check" in code]
    follow(session, sample)
    (sample / "greet.py").write_text(GREET)
    (sample / "config.json").unlink()
    assert anonymous(run([sys.executable, "-c", python_block("workspace.safe_edit")], sample)) == anonymous(shown)


def test_the_searches_do_what_is_shown(sample: Path) -> None:
    *_, shown = [code for language, code in BLOCKS if language == "text"]
    assert run([sys.executable, "-c", python_block("workspace.regex_search_multi")], sample) == shown
    (session,) = [code for language, code in BLOCKS if language == "console" and "suture search" in code]
    follow(session, sample)


@pytest.mark.parametrize("holding", ["StdioServerParameters", "definitions("])
def test_agents_get_what_is_shown(sample: Path, holding: str) -> None:
    code = python_block(holding)
    shown = BLOCKS[BLOCKS.index(("python", code)) + 1]
    assert shown == ("json", run([sys.executable, "-c", code], sample))


def follow(session: str, cwd: Path) -> None:
    steps = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", session, re.MULTILINE)
    assert len(steps) >= 4
    for command, shown in steps:
        assert anonymous(run(command, cwd)) == anonymous(shown), command


def anonymous(text: str) -> str:
    """A text in which ids and times do not differ from run to run."""
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "<time>", re.sub(r"\b[0-9a-z]{15}\b", "<id>", text))


def test_the_two_commands_are_targets_of_the_makefile() -> None:
    makefile = (Path(__file__).parents[2] / "Makefile").read_text(encoding="utf-8")
    for target in ("demo", "test"):
        assert f"make {target} " in README
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_the_demo_runs_to_its_end() -> None:
    out = run([sys.executable, "examples/demo.py"], Path(__file__).parents[2])
    assert "the process ended with signal 9" in out
    assert "has been rolled back" in out
    assert "landed as change" in out
    assert "later edits are kept (merged)" in out
    assert "do not send them again" in out
    assert "1. Send this edit instead; it stands once, at lines 2-3" in out
    assert "Edited src/greet.py: 1 replacement" in out
    assert "but for indentation; your change was carried over" in out
    assert "OLD_TEXT_NOT_UNIQUE: patches[0]: oldText fits 2 places" in out
    assert "Would make 4 replacements in 3 files." in out
    assert "Made 4 replacements in 3 files as change" in out
    assert "❌ Edit rejected due to validation errors (Mode: strict):\nsrc/greet.py:4:20 F821" in out
    assert "settings.json:3:12 invalid-syntax a trailing comma" in out
    assert "Redid " in out
    assert "suture offers 15 tools: apply_reply, file_edit" in out
    assert '-    return hello + name + "."\n+    return hello + name + "!"' in out
