"""`make demo` shows every family of tools and undo, in under a minute of reading."""

import importlib.util
import io
import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType

import pytest

DEMO = Path(__file__).parents[2] / "examples" / "demo.py"
ID = "[0-9a-z]{15}"
SHOWN = [
    r"NO_MATCH: Edit 1 of 1 failed: Could not find exact text in src/cart\.py\.",
    r"1\. Type this instead; it occurs once, at line 1: (?P<edit>suture edit src/cart\.py '\{.*\}')\n\$ (?P=edit)\n",
    r"-TAX = 1\.25\n\+TAX = 1\.20",
    r"patches\[0\]: found at lines 6-7 ignoring indentation; your change was adapted",
    r"-        net \*= 0\.9\n\+        net \*= 0\.8",
    r"OLD_TEXT_NOT_UNIQUE: patches\[0\]: oldText fits 2 places in src/bill\.py: line 4, line 5\.",
    r"VALIDATION_FAILED: .*\nsrc/cart\.py:8:12 .*'\(' was never closed",
    r"killed by signal 9: 1 of 3 files changed, \d stray files",
    rf"note: An interrupted transaction \({ID}, 3 paths\) has been rolled back\.\nevery byte restored: True",
    rf"Made 4 replacements in 3 files as change {ID}\.",
    r"✓ 1 src/bill\.py:5, found ignoring indentation\n✗ 2\.1 docs/usage\.md, failed\n✓ 3 CHANGES\.md, created",
    rf"Applied 2 of 3 blocks as change {ID}; 1 failed\.",
    r"Difference in line 2: 'exclude' in the file, 'include' in your text",
    rf"Undid {ID} \(patch of src/cart\.py: replace\) as change {ID}; later edits are kept \(merged\)\.",
    rf"\n{ID} .* redo {ID}: .*\n{ID} \(undone\) .* undo {ID}: ",
    r"tools/list            7 tools: read, edit, write, ",
    r"tools/call edit       Edited docs/usage\.md:2",
    r"Next\ndocs/tutorial\.md .*\nsuture init .*\nsuture --help .*\ndocs/ ",
]
"""What the scenes show, in order."""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_demo_shows_every_scene_in_a_minute_and_leaves_nothing_behind(tmp_path: Path) -> None:
    inherited = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR"}}
    code, output = run_on_a_terminal(
        [sys.executable, str(DEMO)], {**inherited, "TMPDIR": str(tmp_path), "TERM": "xterm-256color"}
    )
    assert (code, list(tmp_path.iterdir())) == (0, [])
    assert output.startswith("Real commands")
    for colored in ("\033[1m1. An edit", "\033[36m$ suture edit", "\033[1;31mNO_MATCH\033[0m:", "\033[32m+TAX = 1.20"):
        assert colored in output
    plain = re.sub(r"\033\[[0-9;]*m", "", output)
    at = 0
    for scene in SHOWN:
        match = re.compile(scene).search(plain, at)
        assert match, scene
        at = match.end()
    assert plain.count("\n") <= 90
    assert len(plain.split()) <= 475


@pytest.mark.parametrize(
    ("stream", "no_color", "colored"),
    [(io.StringIO, "", False), (Terminal, "1", False), (Terminal, "", True)],
    ids=["pipe", "NO_COLOR", "NO_COLOR empty"],
)
def test_the_demo_has_colors_only_where_they_are_wanted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, stream: type[io.StringIO], no_color: str, *, colored: bool
) -> None:
    demo = load()
    for name, value in {"NO_COLOR": no_color, "FORCE_COLOR": "", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", out := stream())
    demo.write_sample(tmp_path)
    demo.check_first(tmp_path)
    assert ("\033[1m3. An edit that would break" in out.getvalue()) == colored
    assert ("\033[1;31mVALIDATION_FAILED\033[0m:" in out.getvalue()) == colored
    assert ("\033" in out.getvalue()) == colored


def run_on_a_terminal(command: list[str], environment: dict[str, str]) -> tuple[int, str]:
    """Run a command with a pseudo-terminal for its output; returns its exit code and the output."""
    controller, terminal = pty.openpty()
    with subprocess.Popen(command, env=environment, stdin=terminal, stdout=terminal, stderr=terminal) as process:
        os.close(terminal)
        output = bytearray()
        with suppress(OSError):  # Linux: the other side is closed
            while chunk := os.read(controller, 65536):
                output += chunk
    os.close(controller)
    return process.returncode, output.decode().replace("\r\n", "\n")


def load() -> ModuleType:
    """The demo as a module."""
    spec = importlib.util.spec_from_file_location("demo", DEMO)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
