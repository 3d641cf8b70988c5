"""Matches as lines and columns."""

import json
from collections.abc import Iterator
from itertools import count, islice
from typing import Any

import pytest

from suture.errors import InputTooLarge
from suture.patterns.dialect import parse
from suture.patterns.engines import Clock, Subject, compile_pattern
from suture.patterns.scan import Places, Room, each_match, extents, extracts, line_rows, matching_lines, rows, segments
from suture.text import Text

LONG = Clock(10_000_000, 10_000_000)


def search(pattern: str, body: bytes, most: int | None = None) -> tuple[Subject, list[Any]]:
    subject = Subject(Text.decode(body))
    return subject, list(islice(each_match(compile_pattern(parse(pattern)), subject, LONG), most))


def parse_matches(subject: Subject, matches: list[Any], around: int) -> list[dict[str, Any]]:
    return [json.loads(row) for row in rows("f", subject, matches, (around, around), Room(10**9))]


def parse_rows(rows: list[str]) -> Any:
    return json.loads(f"[{','.join(rows)}]")


@pytest.mark.parametrize(
    ("pattern", "body", "most", "spans"),
    [
        ("/a/g", b"aba\na", None, [(0, 1), (2, 3), (4, 5)]),
        ("a", b"aba\na", None, [(0, 1), (4, 5)]),
        ("a", b"aba\na", 1, [(0, 1)]),
        ("a", b"aba\ra", None, [(0, 1), (4, 5)]),
        ("/$/gm", b"a\nb\n", None, [(1, 1), (3, 3)]),
        ("/$/gm", b"a\nb", None, [(1, 1), (3, 3)]),
        ("$", b"a\rb\r", None, []),
        ("", b"", None, [(0, 0)]),
        ("", b"\n", None, [(0, 0)]),
    ],
)
def test_the_matches_that_count(pattern: str, body: bytes, most: int | None, spans: list[tuple[int, int]]) -> None:
    assert [match[0] for match in search(pattern, body, most)[1]] == spans


def test_rows() -> None:
    subject, matches = search("/(é)(x)?|^c/gm", "a\nbéé\r\nc\nd".encode())
    assert parse_matches(subject, matches, 1) == [
        {
            "file": "f",
            "line": line,
            "column": column,
            "match": match,
            "groups": [match, group, None],
            "context_before": before,
            "context_after": after,
        }
        for line, column, match, group, before, after in [
            (2, 1, "é", "é", ["a"], ["c"]),
            (2, 2, "é", "é", ["a"], ["c"]),
            (3, 0, "c", None, ["béé"], ["d"]),
        ]
    ]
    assert [row["context_after"] for row in parse_matches(subject, matches, 0)] == [[], [], []]


@pytest.mark.parametrize(
    ("pattern", "body", "around", "expected", "lines"),
    [
        ("/(é)/g", "a\nbéé\r\nc\nd", 0, [(2, 1, 2, 2), (2, 2, 2, 3)], {2: "béé"}),
        ("/(é)/g", "a\nbéé\r\nc\nd", 1, [(2, 1, 2, 2), (2, 2, 2, 3)], {1: "a", 2: "béé", 3: "c"}),
        (r"b\nc\n", "a\nb\nc\nd\ne", 1, [(2, 0, 3, 1)], {1: "a", 2: "b", 3: "c", 4: "d"}),
        (r"/b\r\n/g", "b\r\nb\r\n", 0, [(1, 0, 1, 2), (2, 0, 2, 2)], {1: "b", 2: "b"}),
        (r"\r", "a\rb", 9, [(1, 1, 1, 1)], {1: "a", 2: "b"}),
        ("a", "a\n1\n2\n3\na\n", 1, [(1, 0, 1, 1), (5, 0, 5, 1)], {1: "a", 2: "1", 4: "3", 5: "a"}),
        ("", "", 1, [(1, 0, 1, 0)], {1: ""}),
    ],
)
def test_extents(
    pattern: str, body: str, around: int, expected: list[tuple[int, int, int, int]], lines: dict[int, str]
) -> None:
    subject, matches = search(pattern, body.encode())
    assert extents(subject, matches, (around, around), Room(1_000)) == (expected, lines)


@pytest.mark.promise("bound.rows")
def test_lines_around_matches_are_counted_while_they_are_kept() -> None:
    subject, matches = search("/a/g", b"a" * 100 + b"\n" + b"b" * 1_000)
    assert len(extents(subject, matches, (0, 0), Room(4_100))[0]) == 100
    with pytest.raises(InputTooLarge) as caught:
        extents(subject, matches, (0, 1), Room(1_000))
    assert caught.value.size == 1_140


def test_context_begins_after_the_last_line_of_a_match() -> None:
    subject, matches = search(r"b\nc\n", b"a\nb\nc\nd\ne")
    (row,) = parse_matches(subject, matches, 9)
    assert (row["context_before"], row["context_after"]) == (["a"], ["d", "e"])


@pytest.mark.parametrize("size", [9, 9_000], ids=["lines taken apart at once", "lines looked for"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_lines_around_a_place(size: int, end: str) -> None:
    body = "".join(f"é{number}{end}" for number in range(8)) + "x" * size + f"{end}é8{end}last"
    body = body if size > 9 else body.replace("x" * size + end, "")
    places = Places(Subject(Text.decode(body.encode())))
    offset = len(body[: body.index("4")].encode())
    assert places.position(offset) == (5, 1)
    assert json.loads(f"[{places.before(2)}]") == ["é2", "é3"]
    assert json.loads(f"[{places.before(99)}]") == ["é0", "é1", "é2", "é3"]
    assert json.loads(f"[{places.after(offset, 2)}]") == ["é5", "é6"]
    assert json.loads(f"[{places.after(offset + 5, 99)}]")[-2:] == ["é8", "last"]
    assert json.loads(f"[{places.after(offset, 1)}]") == ["é5"]


def test_many_matches_have_the_same_context_as_few() -> None:
    body = b"aaaa\r\n" * 9 + b"a\n"
    subject, matches = search("/a/g", body)
    assert parse_matches(subject, matches, 2)[4] == parse_matches(subject, matches[4:5], 2)[0]


def test_extracts() -> None:
    subject, matches = search("/(a)(b)?/g", b"ab\na")
    assert parse_rows(extracts("f", subject, matches, Room(1_000))) == [
        {"file": "f", "line": 1, "groups": ["a", "b"]},
        {"file": "f", "line": 2, "groups": ["a", None]},
    ]


@pytest.mark.parametrize(
    ("body", "invert", "most", "lines"),
    [
        (b"a\nb\r\na\n", False, None, [(1, "a"), (3, "a")]),
        (b"a\nb\r\na\nc", True, None, [(2, "b"), (4, "c")]),
        (b"a\nb\r\na\n", False, 1, [(1, "a")]),
        (b"a\rb\ra", True, None, [(2, "b")]),
        (b"", True, None, []),
        (b"\n\n", True, None, [(1, ""), (2, "")]),
    ],
)
def test_lines_that_match(
    body: bytes,
    invert: bool,  # noqa: FBT001  a column of the table
    most: int | None,
    lines: list[tuple[int, str]],
) -> None:
    matches = list(
        matching_lines(compile_pattern(parse("a")), Subject(Text.decode(body)), LONG, invert=invert, most=most)
    )
    assert matches == lines
    assert parse_rows(line_rows("f", matches, Room(1_000))) == [
        {"file": "f", "line": line, "content": content} for line, content in lines
    ]


@pytest.mark.parametrize(
    ("pattern", "body", "most", "parts"),
    [
        (r"/\n\n/g", b"a\nb\n\nc", None, [("a\nb", 1, 2), ("c", 4, 4)]),
        ("/,/g", b"a,,b", None, [("a", 1, 1), ("", 1, 1), ("b", 1, 1)]),
        ("/,/g", b"a,b,c", 1, [("a", 1, 1), ("b,c", 1, 1)]),
        ("/(?:)/g", b"abc", None, [("a", 1, 1), ("b", 1, 1), ("c", 1, 1)]),
        ("/x/g", b"", None, [("", 1, 1)]),
        ("/;/g", b"a\r\n;b", None, [("a\r\n", 1, 1), ("b", 2, 2)]),
    ],
)
def test_segments(pattern: str, body: bytes, most: int | None, parts: list[tuple[str, int, int]]) -> None:
    subject = Subject(Text.decode(body))
    rows = segments(subject, compile_pattern(parse(pattern)).matches(subject, LONG), most, Room(1_000))
    assert parse_rows(rows) == [
        {"segment": number, "content": content, "line_start": first, "line_end": last}
        for number, (content, first, last) in enumerate(parts, 1)
    ]


def endless_lines(line: str) -> Iterator[tuple[int, str]]:
    """An infinite sequence of lines: reading them all exhausts the memory."""
    return ((number, line) for number in count(1))


@pytest.mark.promise("bound.rows")
def test_rows_are_counted_while_they_are_made() -> None:
    with pytest.raises(InputTooLarge) as caught:
        line_rows("f", endless_lines(""), Room(1_000_000))
    assert 1_000_000 < caught.value.size < 1_000_200
    assert (caught.value.limit, caught.value.setting) == (1_000_000, "max_result_bytes")


@pytest.mark.promise("bound.rows")
def test_a_row_that_is_too_long_is_not_made() -> None:
    subject, matches = search("/((((a+))))/g", b"a" * 1_000)
    with pytest.raises(InputTooLarge) as caught:
        rows("f", subject, matches, (0, 0), Room(1_000), (pytest.fail("it was made") for _ in matches))
    assert caught.value.size == 1_250  # five times a thousand bytes, which are 250 characters at least
    with pytest.raises(InputTooLarge):
        extracts("f", subject, matches, Room(900))


@pytest.mark.promise("bound.rows")
def test_many_rows_are_put_together() -> None:
    texts = line_rows("f", islice(endless_lines("é"), 10_000), Room(10**9))
    assert len(texts) < 10_000
    assert [row["line"] for row in parse_rows(texts)] == list(range(1, 10_001))
