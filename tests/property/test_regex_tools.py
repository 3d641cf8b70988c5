"""Properties of every call of the regex tools: they agree with plain string operations, and with each other."""

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suture import ToolResult, Workspace
from suture.testing import MemoryFS

# Little variety, so that matches meet and overlap; some wide characters and line endings, so that offsets differ.
LITTLE = st.text("ab\n", max_size=30)
WIDE = st.text("ab \t\né🎉e\u0301{}$^.*\r\u2028", max_size=60)
ANY = st.text(st.characters(exclude_characters="\0\ufeff", exclude_categories=["Cs"]), max_size=60)
TEXTS = st.one_of(LITTLE, WIDE, ANY)
ASCII = st.text("abcAB01 _-\n", max_size=60)
SIMPLE = st.sampled_from(
    [
        "a",
        "ab",
        "a+",
        "[ab]+",
        "(a)(b)",
        "(a+)b?",
        "b|ab",
        r"(\w)(\d)",
        r"(\w+) ",
        r"(a)|(b)",
        "c?b",
        r"\d+",
        r"\w+",
        "A",
    ]
)
TEMPLATES = {"x": "x", "": "", "<$1>": r"<\1>", "$1$1": r"\1\1", "${1}0": r"\g<1>0", "$$": "$", "a$": "a$", "$$1": "$1"}
FLAGS = st.text("gims", max_size=4).map(lambda letters: "".join(sorted(set(letters))))
few = settings(max_examples=60)


def open_workspace(content: bytes) -> tuple[Workspace, MemoryFS]:
    fs = MemoryFS({"a": content})
    return Workspace(fs.root, fs=fs), fs


def data_of(result: ToolResult) -> list[dict[str, Any]]:
    assert not result.is_error, result.text
    assert json.loads(result.text) == result.data
    data: list[dict[str, Any]] = result.data
    return data


def search(text: str, pattern: str, flags: str) -> list[dict[str, Any]]:
    ws, _ = open_workspace(text.encode())
    return data_of(ws.call("regex_search", {"file_path": "a", "pattern": pattern, "flags": flags}))


def line_starts(text: str) -> list[int]:
    """Where each line begins."""
    ends = r"\r\n|\n" if "\n" in text else r"\r"
    return [0, *(match.end() for match in re.finditer(ends, text))]


def lines_of(text: str) -> list[str]:
    """Each line without its ending."""
    lines = re.split(r"\r\n|\n" if "\n" in text else r"\r", text)
    return lines if lines[-1] else lines[:-1]


def offset(text: str, line: int, column: int) -> int:
    return line_starts(text)[line - 1] + column


def place(text: str, at: int) -> tuple[int, int]:
    line = sum(start <= at for start in line_starts(text))
    return line, at - line_starts(text)[line - 1]


@st.composite
def needles(draw: Any) -> tuple[str, str]:
    """A text, and a part of it or something else."""
    text: str = draw(TEXTS)
    start = draw(st.integers(0, max(0, len(text) - 1)))
    part = text[start : start + draw(st.integers(1, 4))]
    needle: str = draw(st.one_of(st.just(part), st.text("ab\né$", min_size=1, max_size=3)))
    return text, needle or "a"


def literal(needle: str) -> str:
    """A pattern that matches exactly this text."""
    return "".join(f"\\u{{{ord(letter):x}}}" for letter in needle)


@few
@given(needles())
def test_a_literal_pattern_is_found_where_a_plain_scan_finds_it(call: tuple[str, str]) -> None:
    text, needle = call
    expected, at = [], text.find(needle)
    while at >= 0:
        expected.append((*place(text, at), needle, [needle]))
        at = text.find(needle, at + len(needle))
    matches = search(text, literal(needle), "g")
    assert [(match["line"], match["column"], match["match"], match["groups"]) for match in matches] == expected


@few
@given(TEXTS, st.sampled_from(["a", "", "^", "$", r"\b", "[^]", ".*", r"\s+", "a|$", "(?=a)", "é|b"]), FLAGS)
def test_every_match_is_where_it_is_said_to_be(text: str, pattern: str, flags: str) -> None:
    matches = search(text, pattern, flags)
    spans = [(offset(text, match["line"], match["column"]), match["match"]) for match in matches]
    assert all(text[start : start + len(match)] == match for start, match in spans)
    ends = [(start, start + len(match)) for start, match in spans]
    assert all(before[1] <= after[0] and before != after for before, after in pairwise(ends))
    if "g" not in flags:
        lines = [match["line"] for match in matches]
        assert lines == sorted(set(lines))


@few
@given(TEXTS, st.sampled_from(["a", "", "^", r"\b", "[^]", "a|b", ".+"]), FLAGS)
def test_without_g_the_first_of_each_line_is_left(text: str, pattern: str, flags: str) -> None:
    other_flags = flags.replace("g", "")
    first: dict[int, dict[str, Any]] = {}
    for match in search(text, pattern, other_flags + "g"):
        first.setdefault(match["line"], match)
    assert search(text, pattern, other_flags) == list(first.values())


@few
@given(TEXTS, st.integers(0, 3), st.integers(0, 3))
def test_context_is_the_lines_around(text: str, before: int, after: int) -> None:
    ws, _ = open_workspace(text.encode())
    lines = lines_of(text)
    call = {"file_path": "a", "pattern": "[ab]", "context_before": before, "context_after": after}
    for match in data_of(ws.call("regex_search", call)):
        line = match["line"]
        assert match["context_before"] == lines[max(0, line - 1 - before) : line - 1]
        assert match["context_after"] == lines[line : line + after]


@few
@given(ASCII, SIMPLE, st.sampled_from(sorted(TEMPLATES)))
def test_replacing_gives_what_substitution_gives(text: str, pattern: str, template: str) -> None:
    pattern = pattern if "(" in pattern else f"({pattern})"
    ws, fs = open_workspace(text.encode())
    call = {"file_path": "a", "pattern": pattern, "replacement": template, "flags": "g"}
    changes = data_of(ws.call("regex_replace", call))
    assert fs.files()["a"].decode() == re.sub(pattern, TEMPLATES[template], text)
    assert [(change["original"], change["replacement"]) for change in changes] == [
        (match[0], match.expand(TEMPLATES[template])) for match in re.finditer(pattern, text)
    ]


@st.composite
def contents(draw: Any) -> bytes:
    """A file in some encoding, or in no known one."""
    text: str = draw(TEXTS)
    encoding = draw(st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-be", "latin-1", "cp1252"]))
    raw = text.encode(encoding, "replace")
    tail: bytes = draw(st.sampled_from([b"", b"", b"\xff", b"\0", b"\r\n", b" a"]))
    return raw + tail


EVERYWHERE = st.sampled_from(
    ["a", "b+", "", "^", "$", r"\b", "[^]", "(a)|(b)", ".+", r"\s+", "é", "(?<=a)b", r"(.)\1", "A"]
)


@few
@given(st.lists(contents(), min_size=1, max_size=4), EVERYWHERE, FLAGS, st.sampled_from([None, 0, 1, 9]))
def test_many_files_have_the_matches_of_each(files: list[bytes], pattern: str, flags: str, size: int | None) -> None:
    fs = MemoryFS({f"sub/{number}": content for number, content in enumerate(files)})
    ws = Workspace(fs.root, fs=fs)
    call = {"pattern": pattern, "flags": flags, "context_before": 1, "context_after": 1}
    call |= {"binary_check_buffer_size": size}
    matches_by_file = [data_of(ws.call("regex_search", {"file_path": path, **call})) for path in fs.files()]
    together = [match for matches in matches_by_file for match in matches]
    assert data_of(ws.call("regex_search_multi", {"path_pattern": "sub/*", **call})) == together
    cut = ws.call("regex_search_multi", {"path_pattern": "sub/*", **call, "max_matches": 2})
    assert data_of(cut) == together[:2]


@few
@given(st.lists(contents(), min_size=1, max_size=4), EVERYWHERE, FLAGS, st.sampled_from(["x", "", "$$", "a\nb"]))
def test_many_files_are_changed_as_each_would_be(
    files: list[bytes], pattern: str, flags: str, replacement: str
) -> None:
    before = {f"sub/{number}": content for number, content in enumerate(files)}
    single_fs, multi_fs = MemoryFS(before), MemoryFS(before)
    single, multi = Workspace(single_fs.root, fs=single_fs), Workspace(multi_fs.root, fs=multi_fs)
    call = {"pattern": pattern, "flags": flags, "replacement": replacement}
    changes: list[dict[str, Any]] = []
    for path in before:
        changes += data_of(single.call("regex_replace", {"file_path": path, **call}))
    result = multi.call("regex_replace_multi", {"path_pattern": "**", **call})
    assert (data_of(result), multi_fs.files()) == (changes, single_fs.files())
    changed = [path for path in before if multi_fs.files()[path] != before[path]]
    assert [file["path"] for file in result.metadata["files"] if file["path"] in changed] == changed
    assert (result.metadata["change_id"] is None) == (not changed)


@pytest.mark.promise("regex.dry-run")
@few
@given(TEXTS, SIMPLE, FLAGS, st.sampled_from(["x", "", "a\nb", "[$$]", "é"]))
def test_a_dry_run_tells_what_the_real_run_does(text: str, pattern: str, flags: str, replacement: str) -> None:
    before = text.encode()
    ws, fs = open_workspace(before)
    call = {"file_path": "a", "pattern": pattern, "replacement": replacement, "flags": flags}
    dry = ws.call("regex_replace", {**call, "dry_run": True})
    assert (fs.files(), dry.metadata["change_id"]) == ({"a": before}, None)
    real = ws.call("regex_replace", call)
    assert data_of(dry) == data_of(real)
    assert (real.metadata["change_id"] is None) == (fs.files()["a"] == before)
    if real.metadata["change_id"] is not None:
        assert not ws.call("undo", {}).is_error
        assert fs.files() == {"a": before}


@pytest.mark.promise("regex.split")
@few
@given(TEXTS, SIMPLE, FLAGS)
def test_segments_and_delimiters_make_up_the_file(text: str, pattern: str, flags: str) -> None:
    ws, _ = open_workspace(text.encode())
    segments = data_of(ws.call("regex_split", {"file_path": "a", "pattern": pattern, "flags": flags}))
    delimiters = [match["match"] for match in search(text, pattern, flags.replace("g", "") + "g")]
    assert len(segments) == len(delimiters) + 1
    pieces = [segment["content"] for segment in segments]
    assert "".join(piece + delimiter for piece, delimiter in zip(pieces, [*delimiters, ""], strict=True)) == text
    assert [segment["segment"] for segment in segments] == list(range(1, len(segments) + 1))
    assert all(segment["line_start"] <= segment["line_end"] for segment in segments)


@pytest.mark.promise("regex.lines")
@few
@given(
    TEXTS, st.sampled_from(["a", "", "^$", r"\s", "b$", "^a", "[^]{3}", "(?=é)", "nowhere"]), FLAGS, st.integers(1, 5)
)
def test_lines_match_or_do_not(text: str, pattern: str, flags: str, limit: int) -> None:
    ws, _ = open_workspace(text.encode())

    def lines(**more: Any) -> list[tuple[int, str]]:
        call = {"file_path": "a", "pattern": pattern, "flags": flags, **more}
        return [(line["line"], line["content"]) for line in data_of(ws.call("regex_match_lines", call))]

    assert sorted(lines() + lines(invert=True)) == list(enumerate(lines_of(text), 1))
    assert not set(lines()) & set(lines(invert=True))
    assert lines(max_lines=limit) == lines()[:limit]
