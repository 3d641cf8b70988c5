"""Properties of the tools for agents: edits as a plain loop would make them, and searches as by other means."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from shutil import which
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suture import Workspace
from suture.patterns.dialect import parse, within_lines
from suture.patterns.engines import Clock, Subject, compile_pattern
from suture.testing import MemoryFS
from suture.text import Text

WORDS = ("alpha", "beta", "gamma", "delta", "alpha beta", "x", "if x:", "    return x", "")
LINES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12)
PATTERNS = st.sampled_from(
    [r"\s+", r"[^a]+", r"\W*x", r"a\D*", r"^\s*$", r"\S+\s", r"[\s\S]*x", r"(?:b|[^b])+$", r".*", r"x?\s*", r"\P{L}+"]
)


@st.composite
def unique_edits(draw: Callable[[Any], Any]) -> tuple[str, list[tuple[str, str]]]:
    """A text of different lines, and edits of whole lines, each of which occurs once when it is made."""
    lines = [f"line {number} {draw(st.sampled_from(WORDS))}" for number in range(draw(st.integers(2, 8)))]
    text, edits = "\n".join(lines) + "\n", []
    for number in range(draw(st.integers(1, 5))):
        present = [line for line in text.split("\n") if line.strip()]
        old = draw(st.sampled_from(present))
        new = draw(
            st.sampled_from([f"new {number} alpha", f"new {number}\nand another {number}", f"{old} more {number}"])
        )
        if text.count(old) == 1:
            edits.append((old, new))
            text = text.replace(old, new)
    return "\n".join(lines) + "\n", edits


@given(unique_edits(), st.sampled_from(["\n", "\r\n"]))
def test_edits_of_a_file_are_made_as_by_a_plain_loop(call: tuple[str, list[tuple[str, str]]], ending: str) -> None:
    before, edits = call
    expected = before
    for old, new in edits:
        expected = expected.replace(old, new)
    fs = MemoryFS({"a.txt": before.replace("\n", ending).encode()})
    if not edits:
        return
    ws = Workspace(fs.root, fs=fs)
    result = ws.edit("a.txt", edits=[{"old_string": old, "new_string": new} for old, new in edits])
    assert not result.is_error, result.text
    assert fs.files()["a.txt"].decode() == expected.replace("\n", ending)
    for (_, new), place in zip(edits[-1:], result.metadata["edits"][-1:], strict=True):
        assert new.split("\n")[0] in expected.split("\n")[place["lines"][0] - 1]
    ws.undo()
    assert fs.files()["a.txt"].decode() == before.replace("\n", ending)


@given(LINES, st.sampled_from(["alpha", "x", "a"]))
def test_all_occurrences_are_replaced_as_by_replace(lines: list[str], old: str) -> None:
    before = "\n".join(lines)
    fs = MemoryFS({"a.txt": before.encode()})
    result = Workspace(fs.root, fs=fs).edit("a.txt", old, "NEW", replace_all=True)
    assert result.is_error == (old not in before)
    assert fs.files()["a.txt"].decode() == before.replace(old, "NEW")


@given(LINES, st.sampled_from(["alpha", "x"]), st.integers(1, 14))
def test_a_line_chooses_the_nearest_match_or_none(lines: list[str], old: str, line: int) -> None:
    before = "\n".join(lines)
    matching = [number for number, text in enumerate(lines, 1) for _ in re.finditer(old, text)]
    fs = MemoryFS({"a.txt": before.encode()})
    result = Workspace(fs.root, fs=fs).edit("a.txt", old, "NEW", line=line)
    nearest = [number for number in matching if abs(number - line) == min(abs(other - line) for other in matching)]
    if len(nearest) == 1:
        assert result.metadata["edits"][0]["lines"] == nearest
        lines = [text.replace(old, "NEW") if number == nearest[0] else text for number, text in enumerate(lines, 1)]
    else:
        assert result.is_error
    assert fs.files()["a.txt"].decode() == "\n".join(lines)


@given(LINES, PATTERNS)
def test_within_lines_a_pattern_matches_what_it_matches_in_each_line_alone(lines: list[str], pattern: str) -> None:
    compiled = compile_pattern(within_lines(parse(pattern, "gm")))

    def matches(text: str) -> list[str]:
        clock = Clock(10_000, 10_000)
        clock.start("a")
        subject = Subject(Text.decode(text.encode()))
        return [
            text.encode()[slice(*spans[0])].decode() for spans in compiled.matches(subject, clock) if range(*spans[0])
        ]

    alone = [found for line in lines for found in matches(line)]
    assert matches("\n".join(lines)) == alone


@pytest.mark.process
@pytest.mark.skipif(which("grep") is None, reason="there is no GNU grep")
@pytest.mark.parametrize(
    "pattern", [r"x", r"^\s+return", r"\balpha\b", r"[^a-z ]", r"a.*a", r"beta$", r"\S+\s\S+", r"(?i)ALPHA"]
)
def test_grep_finds_the_lines_that_gnu_grep_finds(tmp_path: Path, pattern: str) -> None:
    files = {f"{name}.txt": "".join(f"{word} {name}\n{word}\n" for word in WORDS) for name in ("one", "two", "3")}
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    by_gnu = subprocess.run(
        ["grep", "-nrP", pattern, "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
    ).stdout
    expected = sorted(tuple(line.removeprefix("./").split(":", 2)) for line in by_gnu.splitlines())
    found: list[tuple[str, ...]] = []
    name = ""
    for line in Workspace(tmp_path).grep(pattern, output_mode="content", head_limit=1_000).text.split("\n"):
        if line.endswith(".txt") and ":" not in line:
            name = line
        elif line and line != "No matches.":
            found.append((name, *line.split(":", 1)))
    assert sorted(found) == expected
