"""What is known about a pattern before a search."""

import pytest

from suture.patterns.dialect import parse
from suture.patterns.translate import is_literal, may_be_empty, may_hold, nodes, required, weight


@pytest.mark.parametrize(
    ("pattern", "answer"),
    [
        ("a", False),
        ("", True),
        ("a*", True),
        ("a+", False),
        ("(a*)+", True),
        ("a|", True),
        ("a|b", False),
        ("a*b", False),
        ("(?=a)", True),
        (r"(a)\1", False),
        ("^$", True),
    ],
)
def test_whether_a_match_may_be_empty(pattern: str, answer: bool) -> None:  # noqa: FBT001  a column of the table
    assert may_be_empty(parse(pattern).root) is answer


@pytest.mark.parametrize(
    ("pattern", "answer"),
    [
        ("a", False),
        (r"\n", True),
        (r"\s", True),
        (r"\S", False),
        (".", False),
        ("[^a]", True),
        (r"\p{L}", True),
        (r"(?=\n)a", False),
        (r"(a)\1|b*", False),
        (r"(\n)\1", True),
    ],
)
def test_whether_a_match_may_hold_a_line_end(pattern: str, answer: bool) -> None:  # noqa: FBT001  as above
    assert may_hold(parse(pattern).root, 0x0A) is answer


@pytest.mark.parametrize(
    ("pattern", "answer"), [("abc", True), ("/a/i", False), ("a+", False), ("(a)", False), (r"\ud83c", False)]
)
def test_whether_it_is_a_text(pattern: str, answer: bool) -> None:  # noqa: FBT001  as above
    assert is_literal(parse(pattern).root) is answer


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        ("abc", (b"abc",)),
        ("a+bc", (b"bc",)),
        ("a*", ()),
        ("(ab)c", (b"abc",)),
        ("a(?=x)b", (b"ab",)),
        ("(?:foo|ba)r", (b"foo", b"ba")),
        ("(?:foo|)r", (b"r",)),
        ("foo|bar", (b"foo", b"bar")),
        ("(?:xyz){2}a", (b"xyz",)),
        ("/foo/i", ()),
        ("é.", ("é".encode(),)),
    ],
)
def test_what_every_match_needs(pattern: str, texts: tuple[bytes, ...]) -> None:
    assert required(parse(pattern).root) == texts


def test_a_long_text_is_not_needed_as_a_whole() -> None:
    (text,) = required(parse("a" * 1_000).root)
    assert 1 <= len(text) <= 1_000
    assert set(text) == {0x61}


def test_too_many_texts_are_not_searched_for_together() -> None:
    assert required(parse("|".join(f"word{number}" for number in range(2_000))).root) == ()


@pytest.mark.parametrize(
    ("pattern", "plain", "least", "most"),
    [
        ("ab", 3, 3, 3),
        ("a{3,5}", 1, 3, 5),
        ("(?:a{2,}){10}", 2, 30, 30),
        ("a*", 1, 1, 1),
        ("[a-cx]", 3, 3, 3),
        (r"\p{L}", 501, 2, 501),
        (r"/\p{L}/i", 501, 501, 501),
    ],
)
def test_how_large_a_pattern_is(pattern: str, plain: int, least: int, most: int) -> None:
    root = parse(pattern).root
    assert (weight(root), weight(root, least=True), weight(root, most=True)) == (plain, least, most)


def test_all_nodes_from_left_to_right() -> None:
    assert [type(node).__name__ for node in nodes(parse("a|(b)*(?=.)").root)] == (
        "Choice Char Sequence Repeat Group Char Look Class".split()
    )
