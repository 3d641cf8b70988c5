"""What a match is replaced by."""

import pytest

from suture.errors import InvalidCaptureGroup
from suture.patterns.dialect import parse as parse_pattern
from suture.patterns.template import parse
from suture.text import Text

TWO = parse_pattern("(?<first>a)(b)?")
TWELVE = parse_pattern("(a)" * 12)
NONE = parse_pattern("a")


@pytest.mark.parametrize(
    ("written", "parts"),
    [
        ("", ()),
        ("x", ("x",)),
        ("$1", (1,)),
        ("<$1-$2>", ("<", 1, "-", 2, ">")),
        ("$12", (1, "2")),
        ("$$1", ("$1",)),
        ("$$$1", ("$", 1)),
        ("${1}2", (1, "2")),
        ("${first}", (1,)),
        ("${}", ("${}",)),
        ("${a b}", ("${a b}",)),
        ("${1", ("${1",)),
        ("$", ("$",)),
        ("$x", ("$x",)),
        ("$0", ("$0",)),
        ("a$&b", ("a$&b",)),
        ("$01", (1,)),
    ],
)
def test_a_replacement_is_read(written: str, parts: tuple[str | int, ...]) -> None:
    assert parse(written, TWO).parts == parts


def test_two_digits_where_there_are_so_many_groups() -> None:
    assert parse("$12$13", TWELVE).parts == (12, 1, "3")


@pytest.mark.parametrize(
    ("written", "reference"),
    [
        ("$5", "$5"),
        ("$99", "$99"),
        ("${3}", "${3}"),
        ("${0}", "${0}"),
        ("${last}", "${last}"),
        ("${9999999999}", "${9999999999}"),
    ],
)
def test_a_group_that_is_missing_is_named(written: str, reference: str) -> None:
    with pytest.raises(InvalidCaptureGroup) as refused:
        parse(written, TWO)
    error = refused.value
    assert (error.reference, error.groups, error.names) == (reference, 2, ["first"])


def test_without_groups_every_number_is_missing() -> None:
    with pytest.raises(InvalidCaptureGroup):
        parse("$1", NONE)


@pytest.mark.parametrize(
    ("body", "written", "spans", "expected"),
    [
        (b"ab", "[$2$1]", [(0, 2), (0, 1), (1, 2)], b"[ba]"),
        (b"a", "[$2]", [(0, 1), (0, 1), (-1, -1)], b"[]"),
        (b"x\r\na\r\n", "1\n2", [(3, 4), (3, 4), (-1, -1)], b"1\r\n2"),
        (b"x\r\na\r\n", "1\r\n2", [(3, 4), (3, 4), (-1, -1)], b"1\r\n2"),
        (b"x\na\n", "1\n2", [(2, 3), (2, 3), (-1, -1)], b"1\n2"),
        (b"a\r\nb\r\n", "\n\nc", [(2, 3), (2, 3), (-1, -1)], b"\n\r\nc"),
        ("é".encode(), "ü", [(0, 2), (-1, -1), (-1, -1)], "ü".encode()),
    ],
)
def test_a_replacement_is_filled_in(body: bytes, written: str, spans: list[tuple[int, int]], expected: bytes) -> None:
    assert parse(written, TWO).filled(Text.decode(body), spans) == expected
