"""Replacement templates."""

import pytest

from suture.errors import InvalidCaptureGroup
from suture.patterns.dialect import parse as parse_pattern
from suture.patterns.template import AFTER, BEFORE, parse
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
        ("a$&b", ("a", 0, "b")),
        ("$`$'", (BEFORE, AFTER)),
        ("$<first>", (1,)),
        ("$<first", ("$<first",)),
        ("$01", (1,)),
    ],
)
def test_a_replacement_is_read(written: str, parts: tuple[str | int, ...]) -> None:
    assert parse(written, TWO).parts == parts


def test_two_digits_are_read_if_there_are_so_many_groups() -> None:
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
        ("$<last>", "$<last>"),
        (r"\3", r"\3"),
    ],
)
def test_a_group_that_is_missing_is_named(written: str, reference: str) -> None:
    with pytest.raises(InvalidCaptureGroup) as caught:
        parse(written, TWO)
    error = caught.value
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
        (b"xaby", "[$&$`$']", [(1, 3), (1, 2), (2, 3)], b"[abxy]"),
        (b"\r\na\r\n", "$`|$'", [(2, 3), (2, 3), (-1, -1)], b"\r\n|\r\n"),
    ],
)
def test_a_replacement_is_filled_in(body: bytes, written: str, spans: list[tuple[int, int]], expected: bytes) -> None:
    template, text = parse(written, TWO), Text.decode(body)
    assert template.fill(text, spans) == expected
    assert len(expected) - 2 <= template.size(text, spans) <= len(expected)


@pytest.mark.parametrize(
    ("written", "meant"),
    [(r"\1", "$1"), (r"x\2y", "$2"), (r"\g<2>", "$2"), (r"\g<first>", "${first}"), (r"\k<first>", "${first}")],
)
def test_a_group_that_is_written_as_in_another_dialect_is_refused_with_the_right_spelling(
    written: str, meant: str
) -> None:
    with pytest.raises(InvalidCaptureGroup) as caught:
        parse(written, TWO)
    assert (caught.value.meant, caught.value.dialect) == (meant, "JavaScript")


@pytest.mark.parametrize("written", [r"\\1", r"\n", r"\0", r"\g<last>", r"\g", "\\"])
def test_a_backslash_that_means_no_group_is_text(written: str) -> None:
    assert parse(written, TWO).parts == (written,)
    assert parse(rf"{written}\1", NONE).parts == (rf"{written}\1",)
