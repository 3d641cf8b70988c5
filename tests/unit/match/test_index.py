"""A file's text, prepared for searching."""

import pytest

from suture.match.index import MAX_PLACES, Index
from suture.text import Indent

BODY = b"Alpha = 1\n\n  beta = '2'\r\n\t\nalpha=1\nbeta = \"2\"\n"


def test_every_line_has_a_key_and_blank_ones_an_empty_one() -> None:
    index = Index(BODY)
    assert index.keys == [b"alpha=1", b"", b'beta="2"', b"", b"alpha=1", b'beta="2"']
    assert list(index.solid) == [0, 2, 4, 5]


@pytest.mark.parametrize("body", [b"a\nb", b"a\nb\n", b"a\rb", b"a\r\nb\r\n"])
def test_a_file_has_as_many_keys_as_lines(body: bytes) -> None:
    assert Index(body).keys == [b"a", b"b"]


def test_an_empty_file_has_no_keys_and_no_places() -> None:
    index = Index(b"")
    assert (index.keys, list(index.solid), index.where(b"a"), index.runs([b"a"]), index.runs_across_lines([b"a"])) == (
        [],
        [],
        [],
        [],
        [],
    )


def test_the_lines_of_a_key_are_found_once_or_for_several_in_one_pass() -> None:
    index = Index(BODY)
    index.seek([b"alpha=1", b'beta="2"', b"gamma", b""])
    assert [index.where(key) for key in (b"alpha=1", b'beta="2"', b"gamma", b"")] == [[0, 4], [2, 5], [], []]
    index.seek([b"alpha=1"])
    assert index.where(b"alpha=1") == Index(BODY).where(b"alpha=1") == [0, 4]


@pytest.mark.promise("locate.one-place")
def test_runs_are_found_over_blank_lines_and_where_they_overlap() -> None:
    index = Index(BODY)
    assert index.runs([b"alpha=1", b'beta="2"']) == [[0, 2], [4, 5]]
    assert index.runs([b'beta="2"', b"alpha=1"]) == [[2, 4]]
    assert index.runs([b"lpha=1"]) == []
    assert Index(b"a\na\na\n").runs([b"a", b"a"]) == [[0, 1], [1, 2]]


def test_keys_are_found_across_line_breaks_if_they_end_at_line_ends() -> None:
    index = Index(b"f(a,\n  b)\ng(a, b)\n")
    assert index.runs_across_lines([b"f(a,b)"]) == [[0, 1]]
    assert index.runs_across_lines([b"g(", b"a,b)"]) == [[2]]
    assert index.runs_across_lines([b"f(a,b)g(a,b)"]) == [[0, 1, 2]]
    assert index.runs_across_lines([b"a,b)"]) == []
    assert index.runs_across_lines([b"f(a,b)g("]) == []
    assert index.runs_across_lines([]) == []


def test_the_number_of_places_is_limited() -> None:
    index = Index(b"a\n" * (MAX_PLACES + 500))
    assert len(index.runs([b"a"])) == len(index.runs_across_lines([b"a"])) == MAX_PLACES


@pytest.mark.parametrize(
    ("word", "there"), [("alpha", True), ("ALPHA", True), ("beta", True), ("alph", False), ("lpha", False), ("2", True)]
)
def test_only_whole_words_are_found(word: str, *, there: bool) -> None:
    assert Index(BODY).has_word(word) is there


def test_letters_beyond_ascii_are_part_of_a_word() -> None:
    index = Index("größe caf\u00e9".encode())
    assert [index.has_word(word) for word in ("größe", "gr", "caf", "e")] == [True, False, False, False]


def test_lines_are_text_and_unknown_bytes_come_back() -> None:
    index = Index(b"a\r\n\xff\xc3\xa9\nc")
    assert index.window(0, 3) == ["a", "\udcffé", "c"]
    assert index.line(1).encode("utf-8", "surrogateescape") == b"\xff\xc3\xa9"


def test_the_indentation_is_that_of_the_file() -> None:
    assert Index(b"a:\n  b:\n    c\n").indent == Indent("spaces", 2)


def test_a_word_inside_too_many_others_counts_as_present() -> None:
    assert not Index(b"cats " * 9_000).has_word("cat")
    assert Index(b"cats " * 11_000).has_word("cat")


def test_a_lone_surrogate_is_not_a_word_and_does_no_harm() -> None:
    assert not Index(b"cats").has_word("\ud800")
