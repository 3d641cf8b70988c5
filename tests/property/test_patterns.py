"""Patterns: two engines that agree, a parser that never crashes, and correct line numbers."""

import json
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from suture.errors import InvalidFlags, InvalidRegex
from suture.patterns.dialect import parse
from suture.patterns.engines import Clock, compile_pattern
from suture.patterns.scan import Room, each_match, rows
from tests.scale import scaled
from tests.unit.patterns.grammar import (
    by_both,
    draw_pattern,
    matches_of,
    random_pattern,
    repeats_what_may_be_empty,
    subject_of,
)

SEEDS = st.integers(0, 2**32)
FLAGS = st.text("gims", max_size=4)
SIGNS = st.text("ab(?<=!:>P)[]^$\\|*+?{}0129,-.uxpkdwsbLiéK\ud83c\U0001f389/\n", max_size=30)


@st.composite
def pattern_and_text(draw: st.DrawFn) -> tuple[str, str, str]:
    """A pattern, its flags, and a text."""
    ours, _, flags, text = draw_pattern(lambda options: draw(st.sampled_from(options)), plain=draw(st.booleans()))
    return ours, flags, text


def agree(ours: str, flags: str, text: str) -> None:
    pattern = parse(ours, flags)
    assume(not repeats_what_may_be_empty(pattern.root))
    linear, backtracking = by_both(pattern)
    if linear is not None:
        assert matches_of(linear, text) == matches_of(backtracking, text)


@settings(max_examples=150)
@given(pattern_and_text())
def test_both_engines_find_the_same(case: tuple[str, str, str]) -> None:
    agree(*case)


def test_both_engines_find_the_same_in_many_texts() -> None:
    count, number = 0, scaled(800)
    for seed in range(number):
        ours, _, flags, text = random_pattern(seed, plain=True)
        pattern = parse(ours, flags)
        linear, backtracking = by_both(pattern)
        if linear is None or repeats_what_may_be_empty(pattern.root):
            continue
        assert matches_of(linear, text) == matches_of(backtracking, text), (seed, ours, flags, text)
        count += 1
    assert count * 2 > number


def test_lines_with_the_literal_are_all_that_needs_to_be_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    count, number = 0, scaled(800)
    for seed in range(number):
        ours, _, flags, text = random_pattern(seed)
        engines = [engine for engine in by_both(parse(ours, flags)) if engine is not None and engine.literal]
        for engine in engines:
            monkeypatch.setattr(engine, "_is_rare_in", lambda _: False)
            everywhere = matches_of(engine, text)
            monkeypatch.setattr(engine, "_is_rare_in", lambda _: True)
            assert matches_of(engine, text) == everywhere, (seed, engine.engine, ours, flags, text)
            count += 1
    assert count * 8 > number


@given(st.one_of(SIGNS, st.text(max_size=40)), FLAGS)
def test_any_text_is_read_or_refused(text: str, flags: str) -> None:
    try:
        pattern = parse(text, flags)
    except InvalidRegex as error:
        assert 0 <= error.position <= len(text)  # noqa: PT017  most texts are no patterns
        assert error.reason  # noqa: PT017  as above
    except InvalidFlags as error:
        assert text.startswith("/"), error  # noqa: PT017  as above
    else:
        assert pattern.groups >= len(pattern.names)


@given(SEEDS, st.integers(0, 60), st.integers(0, 3), SIGNS)
def test_a_damaged_pattern_is_read_or_refused(seed: int, at: int, removed: int, added: str) -> None:
    ours = random_pattern(seed)[0]
    damaged = ours[:at] + added + ours[at + removed :]
    try:
        assert compile_pattern(parse(damaged)).engine in {"re2", "regex"}
    except (InvalidRegex, InvalidFlags):
        return


def naive(text: str, offset: int) -> tuple[int, int]:
    """Line and column, computed the slow way."""
    before = text.encode()[:offset].decode()
    end = "\n" if "\n" in text or "\r" not in text else "\r"
    return before.count(end) + 1, len(before) - (before.rfind(end) + 1)


@given(
    st.text("ab\n\r é🎉\u2028", max_size=40),
    st.sampled_from(["a", "", "b+", r"\n", ".", "[^]", "$", "é|^", r"(a)(\n)?", r"(?=b)"]),
    st.sampled_from(["g", "gm", "", "gs"]),
    st.integers(0, 2),
)
def test_lines_and_columns_are_those_that_counting_gives(text: str, pattern: str, flags: str, around: int) -> None:
    subject, engine = subject_of(text), compile_pattern(parse(pattern, flags))
    matches = list(each_match(engine, subject, Clock(5_000, 5_000)))
    results: list[dict[str, Any]] = [
        json.loads(row) for row in rows("x", subject, matches, (around, around), Room(10**9))
    ]
    assert [(row["line"], row["column"]) for row in results] == [naive(text, spans[0][0]) for spans in matches]
    assert [row["match"] for row in results] == [text.encode()[slice(*spans[0])].decode() for spans in matches]
    assert all(len(row["context_before"]) == min(around, row["line"] - 1) for row in results)
    assert all(len(row["context_after"]) <= around for row in results)
    if "g" not in flags:
        lines = [row["line"] for row in results]
        assert lines == sorted(set(lines))
