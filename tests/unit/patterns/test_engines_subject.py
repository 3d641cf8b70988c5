"""The view that the engines search, and the mapping back to the body."""

import pytest

from suture.patterns.engines import Subject
from suture.text import Text


def test_utf8_is_looked_at_as_it_is() -> None:
    subject = Subject(Text.decode("aé🎉\n".encode()))
    assert subject.view is subject.body
    assert [subject.offset(place) for place in range(9)] == [*range(9)]
    assert [subject.place(offset) for offset in range(9)] == [*range(9)]
    assert subject.shown(0, 3) == "aé"
    assert subject.width(0, 7) == 3
    assert subject.width(0, 1) == 1


def test_undecodable_bytes_become_surrogates() -> None:
    subject = Subject(Text.decode(b"a\xff\xe9b\x80"))
    assert subject.view == "a\udcff\udce9b\udc80".encode("utf-8", "surrogatepass")
    starts = [0, 1, 4, 7, 8, 11]
    assert [subject.offset(place) for place in starts] == [0, 1, 2, 3, 4, 5]
    assert [subject.place(offset) for offset in range(6)] == starts
    assert subject.shown(0, 5) == "a��b�"
    assert subject.width(0, 5) == 5


@pytest.mark.parametrize("raw", ["x\ud800".encode("utf-16-le", "surrogatepass")])
def test_a_lone_surrogate_is_shown_as_one_character(raw: bytes) -> None:
    subject = Subject(Text.decode(b"\xff\xfe" + raw))
    assert subject.shown(0, len(subject.body)) == "x�"
    assert subject.width(0, len(subject.body)) == 2
