"""Patterns designed to take forever: each ends in time, and delays no other call."""

import json
from pathlib import Path
from threading import Thread
from time import process_time
from typing import Any

import pytest

from suture import Settings, ToolResult, Workspace
from suture.testing import MemoryFS

BUDGET_MS = 150
MARGIN = 5.0  # seconds of CPU time; other processes do not count
SIZE = 100_000
NEEDED = b"!bcxz-;:=Q"  # the texts contain what the patterns look for, but not where it would end the search
TEXTS = {
    "a": b"a" * SIZE + NEEDED,
    "ab": b"ab" * (SIZE // 2) + NEEDED,
    "lines": b"aaaa aaaa aaaa\n" * (SIZE // 15) + NEEDED,
    "spaces": b" " * SIZE + NEEDED,
    "mixed": b"x=" + b"ab1 " * (SIZE // 4) + NEEDED,
    "quotes": b'"' * SIZE + NEEDED,
    "accents": "aé".encode() * (SIZE // 3) + NEEDED,
}
FOREVER = [
    ("a", "(a+)+(?=b)"),
    ("a", "(a*)*(?=b)"),
    ("a", "(a|a)*(?=b)"),
    ("a", "(a|aa)+(?!a)b"),
    ("a", "(?:a+a+)+(?=b)"),
    ("a", "(?:a?){50}a{50}(?=b)"),
    ("a", "(?:a+)+(?=$)b"),
    ("a", r"(a+)\1b"),
    ("a", r"(a+)(a+)\1\2b"),
    ("a", r"(a*)\1*b"),
    ("a", r"(?:(a+)\1)+b"),
    ("a", "(?<=(a+)+)b"),
    ("a", "(?<=b(?:a|aa)*)c"),
    ("a", "(?<=b.*)a"),
    ("a", "(?<!a.*)a{3}b"),
    ("a", "(?=(a+))(a+)b"),
    ("a", "a*a*a*a*(?=b)"),
    ("a", ".*.*.*=(?!x)"),
    ("a", "(?!(?:a+)+b)b"),
    ("a", "(?:a|a?)+(?=b)"),
    ("a", "((a+)+)+(?=b)"),
    ("a", r"^(?:(a)|\1a)+(?=b)"),
    ("a", "(?=.*b)a"),
    ("a", "a(?=[^]*b)"),
    ("ab", "(?:ab|a|b)+(?=c)"),
    ("ab", r"(\w+\w+)+(?=-)"),
    ("ab", r"(.+)\1+c"),
    ("ab", "(?:[ab]|a|b)*(?=c)"),
    ("ab", "(?:(?:ab)*|(?:ba)*)*(?=c)"),
    ("ab", "(?<=(?:a|b|ab)+)c"),
    ("ab", r"(?=(\w+))\1:"),
    ("ab", r"(\w*)*(?=-)"),
    ("lines", r"(?:\w+\s?)+(?=-)"),
    ("lines", r"/^(?:\s*\w+\s*)*(?=-)$/m"),
    ("lines", r"(\w+)[^]*\1-"),
    ("lines", r"(?:(\w+) ?)+\1-"),
    ("spaces", r"\s+(?=x)"),
    ("spaces", r"(?:\s|\s+)+(?=x)"),
    ("spaces", r"\s*\s*\s*(?!\s)x"),
    ("mixed", r"x=(?:.+,?)+(?=;)"),
    ("mixed", r"(?:[a-z]+[0-9 ]*)+(?=;)"),
    ("mixed", r"/(?:(?:[A-Z]+\d?)+ ?)+(?=;)/i"),
    ("quotes", '(?:"[^"]*"|")*(?=x)'),
    ("quotes", '("+)"*"*(?=x)'),
    ("accents", "(é|aé|a)+(?=x)"),
    ("accents", r"(?:[^x]+)+(?=x)"),
    ("a", "/a(?:.*y)?/gs"),
    ("a", "/(a)(?:[^]*y)?/g"),
    ("ab", "/b(?:a|[^]*y)?/gs"),
]


def open_workspace() -> Workspace:
    fs = MemoryFS(TEXTS)
    return Workspace(fs.root, fs=fs, settings=Settings(regex_file_ms=BUDGET_MS, history=False))


def code_of(result: ToolResult) -> str:
    return str(result.data["error"]["code"]) if result.is_error else ""


def has_ended(result: ToolResult) -> bool:
    return code_of(result) == "REGEX_TIMEOUT" if result.is_error else isinstance(json.loads(result.text), list)


@pytest.mark.parametrize(("name", "pattern"), FOREVER)
def test_a_catastrophic_pattern_ends_in_time(name: str, pattern: str) -> None:
    ws = open_workspace()
    began = process_time()
    result = ws.call("regex_search", {"file_path": name, "pattern": pattern, "max_matches": 1_000_000})
    assert process_time() - began < BUDGET_MS / 1000 + MARGIN
    assert has_ended(result), result.text


@pytest.mark.parametrize(
    ("tool", "more"),
    [
        ("regex_search", {}),
        ("regex_extract", {}),
        ("regex_match_lines", {}),
        ("regex_split", {}),
        ("regex_replace", {"replacement": "x"}),
    ],
)
def test_every_tool_gives_up_in_time(tool: str, more: dict[str, Any]) -> None:
    ws = open_workspace()
    began = process_time()
    result = ws.call(tool, {"file_path": "a", "pattern": "((?:a|aa)+)+(?=b)", **more})
    assert process_time() - began < BUDGET_MS / 1000 + MARGIN
    assert code_of(result) == "REGEX_TIMEOUT"


@pytest.mark.parametrize("pattern", ["((?:a|aa)+)+(?=b)", "/(a)(?:[^]*y)?/g"], ids=["backtracking", "linear"])
def test_others_are_answered_meanwhile(tmp_path: Path, pattern: str) -> None:
    for name, text in TEXTS.items():
        (tmp_path / name).write_bytes(text)
    ws = Workspace(tmp_path, settings=Settings(regex_file_ms=1_500, history=False))
    slow: list[ToolResult] = []
    thread = Thread(target=lambda: slow.append(ws.call("regex_search", {"file_path": "a", "pattern": pattern})))
    thread.start()
    answers = 0
    while thread.is_alive():
        assert not ws.call("file_read", {"path": "lines", "end_line": 5}).is_error
        answers += thread.is_alive()
    thread.join()
    assert has_ended(slow[0])
    assert answers >= 5


def test_a_search_that_cannot_be_stopped_is_not_begun() -> None:
    fs = MemoryFS({"large": b"abcdefghij klmno\n" * 250_000})
    ws = Workspace(fs.root, fs=fs, settings=Settings(regex_file_ms=300, history=False))
    heavy = "(?:" + "|".join(f"[^]{{1,40}}{letter}[^]{{1,40}}{letter}" for letter in "uvwxyz") + ")Q"
    began = process_time()
    result = ws.call("regex_search", {"file_path": "large", "pattern": heavy})
    assert process_time() - began < 0.3 + 2 * MARGIN
    assert has_ended(result)
