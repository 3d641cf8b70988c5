"""Lines of a byte string."""

from typing import Any

import pytest

from suture import text as module
from suture.text import Lines

BODIES = {
    "empty": (b"", [], "none"),
    "no break": (b"a", [(b"a", b"")], "none"),
    "LF": (b"a\nb\n", [(b"a", b"\n"), (b"b", b"\n")], "lf"),
    "LF, no final newline": (b"a\nb", [(b"a", b"\n"), (b"b", b"")], "lf"),
    "one LF": (b"\n", [(b"", b"\n")], "lf"),
    "blank lines": (b"\n\n\n", [(b"", b"\n"), (b"", b"\n"), (b"", b"\n")], "lf"),
    "CRLF": (b"a\r\nb\r\n", [(b"a", b"\r\n"), (b"b", b"\r\n")], "crlf"),
    "CRLF, no final newline": (b"a\r\nb", [(b"a", b"\r\n"), (b"b", b"")], "crlf"),
    "one CRLF": (b"\r\n", [(b"", b"\r\n")], "crlf"),
    "CR alone": (b"a\rb\r", [(b"a", b"\r"), (b"b", b"\r")], "cr"),
    "CR alone, no final newline": (b"a\rb", [(b"a", b"\r"), (b"b", b"")], "cr"),
    "CR twice": (b"a\r\r", [(b"a", b"\r"), (b"", b"\r")], "cr"),
    "mixed": (b"a\nb\r\nc\n", [(b"a", b"\n"), (b"b", b"\r\n"), (b"c", b"\n")], "mixed"),
    "a lone CR beside LF": (b"a\rb\nc", [(b"a\rb", b"\n"), (b"c", b"")], "lf"),
    "a lone CR beside CRLF": (b"a\rb\r\n", [(b"a\rb", b"\r\n")], "crlf"),
    "CR at the end beside LF": (b"a\nb\r", [(b"a", b"\n"), (b"b\r", b"")], "lf"),
    "LF before CR": (b"a\n\rb", [(b"a", b"\n"), (b"\rb", b"")], "lf"),
    "CR before CRLF": (b"a\r\r\n", [(b"a\r", b"\r\n")], "crlf"),
    "form feed": (b"a\x0cb\n", [(b"a\x0cb", b"\n")], "lf"),
    "vertical tab and separators": (b"a\x0b\x1c\x1d\x1eb", [(b"a\x0b\x1c\x1d\x1eb", b"")], "none"),
    "U+2028": ("a\u2028b\u2029c\n".encode(), [("a\u2028b\u2029c".encode(), b"\n")], "lf"),
    "U+0085": ("a\x85b\n".encode(), [("a\x85b".encode(), b"\n")], "lf"),
    "byte 85": (b"a\x85b\n", [(b"a\x85b", b"\n")], "lf"),
}
TABLE = pytest.mark.parametrize(("body", "expected", "style"), BODIES.values(), ids=BODIES)


def list_lines(lines: Lines) -> list[tuple[bytes, bytes]]:
    return [(lines.content(number), lines.ending(number)) for number in range(1, len(lines) + 1)]


@pytest.mark.promise("place.line-breaks")
@pytest.mark.promise("span.endings")
@TABLE
def test_lines_break_at_lf_and_crlf_and_at_cr_only_without_lf(
    body: bytes, expected: list[tuple[bytes, bytes]], style: str
) -> None:
    lines = Lines(body)
    assert (list_lines(lines), lines.style()) == (expected, style)


@TABLE
@pytest.mark.parametrize("chunk", [1, 2, 3])
def test_chunks_of_the_pass_do_not_show(
    body: bytes, expected: list[tuple[bytes, bytes]], style: str, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_CHUNK_SIZE", chunk)
    lines = Lines(body)
    assert (list_lines(lines), lines.style()) == (expected, style)


@pytest.mark.parametrize(
    "body",
    [
        b"x" * (module._CHUNK_SIZE - 1) + b"\n" + b"y\n",
        b"x" * module._CHUNK_SIZE + b"\n" + b"y\n",
        b"x" * (module._CHUNK_SIZE - 1) + b"\r\n" + b"y\n",
        b"x" * (module._CHUNK_SIZE - 1) + b"\n",
        b"x" * 2 * module._CHUNK_SIZE + b"\ny",
    ],
    ids=["LF ends a chunk", "LF begins a chunk", "CRLF across", "the chunk is all", "a line longer than a chunk"],
)
def test_lines_around_the_border_of_a_chunk_are_whole(body: bytes) -> None:
    lines = Lines(body)
    assert [body[slice(*lines.span(number))] for number in range(1, len(lines) + 1)] == body.splitlines(keepends=True)


@TABLE
def test_the_number_of_lines_is_the_same_before_and_after_the_index_is_built(
    body: bytes, expected: list[tuple[bytes, bytes]], style: str
) -> None:
    lines = Lines(body)
    counted = len(lines)
    assert (counted, len(lines.starts), len(lines), style) == (len(expected), len(expected), len(expected), style)


@pytest.mark.promise("bound.lazy")
@TABLE
def test_counting_lines_and_their_style_builds_no_index(
    body: bytes, expected: list[tuple[bytes, bytes]], style: str
) -> None:
    lines = Lines(body)
    assert (len(lines), lines.style(), lines._starts) == (len(expected), style, None)


@pytest.mark.parametrize("line", [-1, 0, 3])
def test_a_missing_line_is_an_index_error(line: int) -> None:
    lines = Lines(b"a\nb\n")
    for ask in (lines.span, lines.ending, lines.content, lambda number: lines.offset(number, 1)):
        with pytest.raises(IndexError):
            ask(line)


@pytest.mark.parametrize(
    ("body", "numbers"),
    [
        (b"", [1]),
        (b"ab", [1, 1, 1]),
        (b"a\n", [1, 1, 1]),
        (b"a\nb", [1, 1, 2, 2]),
        (b"\n\nb", [1, 2, 3, 3]),
        (b"\r\nb", [1, 1, 2, 2]),
    ],
    ids=repr,
)
def test_each_offset_belongs_to_a_line_and_the_end_to_the_last(body: bytes, numbers: list[int]) -> None:
    lines = Lines(body)
    assert [lines.at(offset) for offset in range(len(body) + 1)] == numbers


@pytest.mark.promise("place.line-column")
@pytest.mark.parametrize(
    ("body", "offset", "position"),
    [
        (b"ab\ncd", 0, (1, 0)),
        (b"ab\ncd", 2, (1, 2)),
        (b"ab\ncd", 3, (2, 0)),
        (b"ab\ncd", 5, (2, 2)),
        ("é日🙂x\n".encode(), 2, (1, 1)),
        ("é日🙂x\n".encode(), 5, (1, 2)),
        ("é日🙂x\n".encode(), 9, (1, 3)),
        ("é日🙂x\n".encode(), 10, (1, 4)),
        (b"a\n\xff\x80x", 3, (2, 1)),
        (b"a\n\xff\x80x", 5, (2, 3)),
        (b"a\xe2\x82\nb", 3, (1, 3)),
        (b"\xed\xa0\x80x", 3, (1, 3)),
    ],
    ids=repr,
)
def test_a_column_counts_characters_and_each_unknown_byte_is_one(
    body: bytes, offset: int, position: tuple[int, int]
) -> None:
    lines = Lines(body)
    assert (lines.position(offset), lines.offset(*position)) == (position, offset)


@pytest.mark.parametrize(("column", "offset"), [(2, 2), (3, 3), (4, 4), (1000, 4)])
def test_a_column_past_a_line_and_its_ending_is_its_end(column: int, offset: int) -> None:
    assert Lines(b"ab\r\ncd").offset(1, column) == offset


@pytest.mark.promise("place.line-column")
@pytest.mark.parametrize(
    ("body", "position"), [(b"", (1, 0)), (b"a", (1, 1)), (b"a\n", (2, 0)), (b"a\r", (2, 0)), (b"a\n\n", (3, 0))]
)
def test_the_end_of_a_text_has_a_position_of_its_own(body: bytes, position: tuple[int, int]) -> None:
    lines = Lines(body)
    assert (lines.position(len(body)), lines.offset(*position)) == (position, len(body))


class Probed(list[int]):
    """Line starts that count accesses."""

    probes = 0

    def __getitem__(self, index: Any) -> Any:
        self.probes += 1
        return super().__getitem__(index)


@pytest.mark.promise("place.line-column")
@pytest.mark.parametrize("count", [100, 10_000, 1_000_000])
def test_a_position_is_found_in_steps_that_grow_with_the_logarithm_of_the_lines(count: int) -> None:
    lines = Lines(b"a\n" * count)
    starts = Probed(lines.starts)
    lines._starts = starts  # type: ignore[assignment]  # it counts its steps
    assert lines.position(2 * 77 + 1) == (78, 1)
    assert lines.offset(78, 1) == 2 * 77 + 1
    assert starts.probes <= count.bit_length() + 10


@pytest.mark.parametrize("body", [b"", b"a", b"a\n", b"a\n\nb", b"a\r\nb\r\n", b"a\rb", b"a\rb\r", b"\n\n"])
def test_a_line_is_found_around_an_offset_without_an_index(body: bytes) -> None:
    for offset in range(len(body) + 1):
        lines, indexed = Lines(body), Lines(body)
        assert len(indexed.starts) == len(lines)
        assert lines.at(offset) == indexed.at(offset)
        if body:
            number = indexed.at(offset)
            assert lines.around(offset) == indexed.span(number)
            assert lines.ending_of(*lines.around(offset)) == indexed.ending(number)


def test_the_index_is_built_after_several_lookups() -> None:
    lines = Lines(b"a\nb\nc\n")
    assert [lines.at(offset) for offset in [*range(7), *range(7)]] == [1, 1, 2, 2, 3, 3, 3] * 2
