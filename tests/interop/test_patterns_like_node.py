r"""Our patterns compared with those of `node`, in one long-running process.

What is different on purpose is written differently for `node` (`tests/unit/patterns/grammar.py`): `.`, `^` and `$`
know only `\n` and `\r\n` as line ends. Left out are a `\b` that ignores case beside a long s or a Kelvin sign,
repeated parts that may be empty, references to repeated groups, and groups in repeated look-around. Of what `node`
finds, an empty match inside `\r\n` or inside a surrogate pair (it errs there) does not count.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from suture.patterns.dialect import parse
from suture.patterns.engines import Compiled
from tests.scale import scaled
from tests.unit.changes import succeed, workspace
from tests.unit.patterns.grammar import (
    Found,
    by_both,
    draw_pattern,
    looks_the_other_way_in_a_round,
    matches_of,
    random_pattern,
    refers_into_a_round,
    repeats_what_may_be_empty,
)

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

SCRIPT = r"""
require('readline').createInterface({ input: process.stdin, terminal: false }).on('line', (line) => {
  const [pattern, flags, text, template] = JSON.parse(line);
  if (template !== undefined) {
    process.stdout.write(JSON.stringify(text.replace(new RegExp(pattern, 'gu' + flags), template)) + '\n');
    return;
  }
  const points = [0];
  let units = 0, count = 0;
  for (const char of text) { units += char.length; count += 1; points[units] = count; }
  const span = (pair) => (pair === undefined ? null : [points[pair[0]] ?? -1, points[pair[1]] ?? -1]);
  const found = Array.from(text.matchAll(new RegExp(pattern, 'dgu' + flags)), (m) => Array.from(m.indices, span));
  process.stdout.write(JSON.stringify(found) + '\n');
});
"""

TABLE = [
    ("a+?b*?", "", "aabb"),
    (r"(\d+)-(?<x>\w+)?", "", "12-ab 3-"),
    (r"(?:(a)|(b))+", "", "abab"),
    (r"(a*)?b", "", "b aab"),
    (r"(\s*)?x(.*)?", "", "x  xy"),
    (r"(?<=(\d+)(\d+))$", "", "1053"),
    (r"(?<=\1(a))b", "", "aab ab"),
    (r"(?<=(a)\1)b", "", "aab ab"),
    (r"(?<=(?:(a)|(b))+)c", "", "abc bac"),
    (r"(?:(?<=(x))a)+", "", "xab xaa"),
    (r"(?=(a+))a*b\1", "", "baaabac"),
    (r"(.*?)a(?!(a+)b\2c)\2(.*)", "", "baaabaac"),
    (r"(a)|\1b", "", "ab"),
    (r"[\W]", "i", "sſkK-"),
    (r"[^\W]", "i", "sſkK-"),
    (r"\P{Lu}", "i", "aA1"),
    (r"[^\P{Lu}]", "i", "aA1"),
    (r"\p{Script=Greek}", "i", "µμ"),
    (r"[\u{10400}-🎉]", "i", "ßẞ𐐨"),
    (r"[^\u{10400}-🎉]", "i", "ßẞ𐐨"),
    ("straße", "i", "STRASSE straße STRAẞE"),
    ("ı|İ", "i", "iIıİ"),
    ("[h-j]", "i", "iIıİ"),
    ("", "", "a🎉b"),
    ("[^]", "", "a🎉\r\n"),
    (r"\ud83c\udf89", "", "🎉"),
    (r"\u{1f389}{2}", "", "🎉🎉"),
]


class Node:
    """A process that answers with all matches."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            ["node", "-e", SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def matches(self, pattern: str, flags: str, text: str) -> Found:
        """The matches of `node`, in characters."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([pattern, flags, text]) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        spans: Found = [[None if pair is None else (pair[0], pair[1]) for pair in match] for match in answer]
        return [match for match in spans if match[0] is not None and counts(match[0], text)]

    def replace(self, pattern: str, text: str, template: str) -> str:
        """The replaced text of `node`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([pattern, "", text, template]) + "\n")
        self._process.stdin.flush()
        return str(json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        self._process.communicate()


def counts(span: tuple[int, int], text: str) -> bool:
    start, end = span
    return start >= 0 and (end > start or text[max(start - 1, 0) : start + 1] != "\r\n")


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    process = Node()
    yield process
    process.close()


def engines(pattern: str, flags: str) -> list[Compiled]:
    return [engine for engine in by_both(parse(pattern, flags)) if engine is not None]


def comparable(pattern: str, flags: str, text: str) -> bool:
    root = parse(pattern, flags).root
    if "i" in flags and "\\b" in pattern.lower() and not {"ſ", "\u212a"}.isdisjoint(text):
        return False
    if "i" in flags and "(?:\\" in pattern and not set("İı").isdisjoint(text):
        return False  # a reference that ignores case takes them for an i
    return not any(
        differs(root) for differs in (repeats_what_may_be_empty, refers_into_a_round, looks_the_other_way_in_a_round)
    )


@pytest.mark.parametrize(("pattern", "flags", "text"), TABLE)
def test_a_known_pattern(node: Node, pattern: str, flags: str, text: str) -> None:
    expected = node.matches(pattern, flags, text)
    for engine in engines(pattern, flags):
        assert matches_of(engine, text) == expected, engine.engine


def test_thousands_of_patterns(node: Node) -> None:
    count = 0
    number = scaled(1_500)
    for seed in range(number):
        ours, theirs, flags, text = random_pattern(seed, plain=seed % 2 == 0)
        if not comparable(ours, flags, text):
            continue
        expected = node.matches(theirs, flags, text)
        for engine in engines(ours, flags):
            assert matches_of(engine, text) == expected, (seed, engine.engine, ours, flags, text)
        count += 1
    assert count * 2 > number


@settings(max_examples=150)
@given(st.data())
def test_patterns_that_hypothesis_makes(node: Node, data: st.DataObject) -> None:
    ours, theirs, flags, text = draw_pattern(lambda options: data.draw(st.sampled_from(options)))
    assume(comparable(ours, flags, text))
    expected = node.matches(theirs, flags, text)
    for engine in engines(ours, flags):
        assert matches_of(engine, text) == expected, (engine.engine, theirs)


def replace_with_suture(pattern: str, text: str, template: str) -> str:
    """Our replaced text."""
    ws, fs = workspace({"a": text.encode()})
    succeed(ws.regex_replace("a", pattern, template, "g"))
    return fs.files()["a"].decode()


PARTS = st.sampled_from(
    ["$&", "$`", "$'", "$1", "$2", "$<n>", "$<", "$", "$$", "$0", "$x", "${", "a", "<", ">", "&", "1"]
)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["(a)(b)?", "(?<n>a)(b)?", "(?<n>b)|(a)", "a", "(é)|(?<n>😀)"]),
    st.text("abé😀\n", max_size=8),
    st.lists(PARTS, max_size=5).map("".join),
)
def test_a_replacement_becomes_what_it_becomes_in_node(node: Node, pattern: str, text: str, template: str) -> None:
    assume(pattern != "a" or not re.search(r"\$0?[12]", template))  # we refuse groups that are missing
    assume("?<n>" not in pattern or not re.search(r"\$<(?!n>)[^>]*>", template))
    assert replace_with_suture(pattern, text, template) == node.replace(pattern, text, template)
