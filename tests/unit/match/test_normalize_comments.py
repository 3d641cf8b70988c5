"""Comments at the end of a line."""

import pytest

from suture.match.normalize import comment_in, is_closed, marks_of, opens_literal

NAMES = {
    "a.py": ("#",),
    "src/a.JS": ("//", "/*"),
    "a.sql": ("/*", "--"),
    "Makefile": ("#",),
    "Dockerfile": ("#",),
    "a.html": ("<!--",),
    "a.ini": ("#", ";"),
    "a.tex": ("%",),
    "a.txt": (),
    "a.py/notes": (),
}


@pytest.mark.parametrize(("name", "marks"), NAMES.items())
def test_the_file_name_determines_the_comment_marks(name: str, marks: tuple[str, ...]) -> None:
    assert marks_of(name, b"# a\n// b\n") == marks


def test_without_a_name_the_comments_in_the_text_determine_the_marks() -> None:
    assert marks_of("", b"a\n  # one\n// two\n--three\n") == ("#", "//")
    assert marks_of("", b"a # b\n") == ()


COMMENTS = {
    "at the end": ("a = 1  # one", 5),
    "none": ("a = 1", None),
    "without a space": ("a = 1# one", None),
    "inside a string": ("a = ' # '", None),
    "behind a string": ("a = ' # ' # one", 9),
    "behind an escaped quote": ("a = '\\'' # one", 8),
    "in the other language": ("a = 1 // one", None),
}


@pytest.mark.parametrize(("line", "at"), COMMENTS.values(), ids=COMMENTS)
def test_a_comment_begins_outside_strings(line: str, at: int | None) -> None:
    assert comment_in(line, ("#",)) == at


def test_without_marks_there_is_no_comment() -> None:
    assert comment_in("a # b", ()) is None


def test_a_text_is_closed_where_its_strings_end() -> None:
    assert [is_closed(text) for text in ("a", "'a'", "'a", "'\\'", '`a` "b"')] == [True, True, False, False, True]


LITERALS = {
    "cat <<EOF": True,
    "cat <<-'END' > out": True,
    "text = '''first": True,
    'text = f"""first': True,
    '"""A docstring.': False,
    'r"""A docstring.': False,
    'text = """all"""': False,
    "a << B": False,
    "a = 1": False,
}


@pytest.mark.parametrize(("line", "opens"), LITERALS.items())
def test_a_line_may_open_a_text_over_several_lines(line: str, *, opens: bool) -> None:
    assert opens_literal(line) is opens
