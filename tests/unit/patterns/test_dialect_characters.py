"""Sets of characters."""

import pytest

from suture.patterns.dialect import LAST, invert, join_ranges, members, property_of


def test_ranges_are_joined() -> None:
    assert join_ranges([(5, 6), (1, 2), (3, 3), (9, 9), (5, 8)]) == ((1, 3), (5, 9))
    assert join_ranges([]) == ()


@pytest.mark.parametrize(
    ("ranges", "others"),
    [
        ([], ((0, LAST),)),
        ([(0, LAST)], ()),
        ([(0, 4), (7, 8)], ((5, 6), (9, LAST))),
        ([(3, LAST)], ((0, 2),)),
    ],
)
def test_inverted_ranges_are_all_other_characters(
    ranges: list[tuple[int, int]], others: tuple[tuple[int, int], ...]
) -> None:
    assert invert(ranges) == others
    assert invert(others) == join_ranges(ranges)


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("Lu", "Lu"),
        ("Uppercase_Letter", "Lu"),
        ("gc=Lu", "Lu"),
        ("General_Category=punct", "P"),
        ("gc=Nope", None),
        ("Script=Greek", "Script=Greek"),
        ("sc=Greek", "Script=Greek"),
        ("scx=Greek", "Script_Extensions=Greek"),
        ("Script=Nope", None),
        ("Script=", None),
        ("Script=" + "x" * 60, None),
        ("Script=Gréek", None),
        ("Nope=Greek", None),
        ("Greek", "Script=Greek"),
        ("Alphabetic", "Alphabetic"),
        ("Any", "Any"),
        ("lu", None),
        ("", None),
        ("(x", None),
    ],
)
def test_a_property_has_one_spelling(name: str, spelled: str | None) -> None:
    assert property_of(name) == spelled


def test_the_members_of_a_property() -> None:
    assert members("Zl") == ((0x2028, 0x2028),)
    assert members("Zl") is members("Zl")
