"""How a text is indented."""

import pytest

from suture import text as module
from suture.text import Indent, detect


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", Indent("none", 0)),
        (b"a\nb\n", Indent("none", 0)),
        (b"a\n    \n\t\nb\n", Indent("none", 0)),
        (b"a\n  b\n    c\n  d\n", Indent("spaces", 2)),
        (b"a:\n    b:\n        c\nd\n    e\n", Indent("spaces", 4)),
        (b"a\r\n    b\r\n    c\r\n", Indent("spaces", 4)),
        (b"a\n    b\n    c", Indent("spaces", 4)),
        (b"a\n        b\n", Indent("spaces", 8)),
        (b"a\n\tb\n\t\tc\n", Indent("tabs", 0)),
        (b"a\n\tb\n\n    c\n", Indent("mixed", 4)),
        (b"a\n" + b"\tb\n" * 20 + b"  c\n", Indent("tabs", 0)),
        (b"a\n" + b"\tb\n" * 10 + b"  c\n", Indent("tabs", 0)),
        (b"a\n" + b"\tb\n" * 9 + b"  c\n", Indent("mixed", 2)),
        (b"a\n" + b"    b\n" * 20 + b"\tc\n", Indent("spaces", 4)),
        (b"/*\n * a\n * b\n */\nint a;\n", Indent("spaces", 0)),
        (b"/*\n * a\n */\nint main() {\n    return 0;\n}\n", Indent("spaces", 4)),
        (b"a\n  b\nc\n    d\ne\n", Indent("spaces", 2)),
    ],
    ids=[
        "empty",
        "not indented",
        "blank lines only",
        "two spaces",
        "four spaces",
        "CRLF",
        "no newline at the end",
        "one deep line",
        "tabs",
        "half and half",
        "a stray line of spaces",
        "a tenth of the lines is stray",
        "more than a tenth is not stray",
        "a stray tab",
        "a block comment",
        "a block comment above code",
        "the smaller step of two equal ones",
    ],
)
def test_indentation_is_detected_from_the_steps_between_lines(body: bytes, expected: Indent) -> None:
    assert detect(body) == expected


def test_only_the_start_of_a_long_text_is_examined() -> None:
    many_lines = b"a\n" * module._INDENT_SAMPLE_LINES + b"    b\n"
    long_line = b"a" * module._INDENT_SAMPLE_SIZE + b"\n    b\n"
    assert (detect(many_lines), detect(long_line)) == (Indent("none", 0), Indent("none", 0))
