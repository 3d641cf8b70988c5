"""Lines that stand for others."""

import pytest

from suture.locate.markers import is_marker, is_omission, is_spoken

SPOKEN = [
    "# ...",
    "    # ... existing code ...",
    "// ... existing code ...",
    "// ...rest of the function",
    "/* ... unchanged ... */",
    "{/* ... other props ... */}",
    "<!-- ... rest of the page ... -->",
    "-- ... remaining columns",
    "; ... omitted ...",
    "% ... same as before ...",
    '""" ... """',
    "# … more …",
    "# (... previous code ...)",
    "# the rest of the function ...",
    "* ... other items",
    "// ... \u5176\u4ed6\u4ee3\u7801\u4fdd\u6301\u4e0d\u53d8",
]
DOTS = ["...", "    ...", "\u2026", "[...]", "<...>", "(...)", "....."]
TEXT = [
    "",
    "x = ...",
    "def f(): ...",
    "# existing code",
    "# wait for it...",
    "# ... and then the whole thing is written to the disk, once more, by the other one",
    "print('...')",
    "return [...items]",
    "..",
    "...args",
]


@pytest.mark.promise("locate.elision")
@pytest.mark.parametrize("line", SPOKEN)
def test_a_comment_with_dots_that_says_so_stands_for_lines(line: str) -> None:
    assert (is_marker(line), is_spoken(line)) == (True, True)


@pytest.mark.promise("locate.elision")
@pytest.mark.parametrize("line", DOTS)
def test_dots_alone_stand_for_lines_though_no_comment_says_so(line: str) -> None:
    assert (is_marker(line), is_spoken(line)) == (True, False)


@pytest.mark.parametrize("line", TEXT)
def test_dots_in_a_text_are_text(line: str) -> None:
    assert (is_marker(line), is_spoken(line)) == (False, False)


@pytest.mark.parametrize(
    "line",
    ["# rest of the code remains the same", "# (unchanged)", "<!-- rest of file -->", "/* existing code */", "# ..."],
)
def test_a_comment_of_nothing_but_such_words_omits_something_where_a_file_is_written_whole(line: str) -> None:
    assert is_omission(line)


@pytest.mark.parametrize(
    "line", ["# other", "rest of the code", "# wait for the rest", "x = 1  # unchanged", "#" * 300, ""]
)
def test_other_comments_omit_nothing(line: str) -> None:
    assert not is_omission(line)
