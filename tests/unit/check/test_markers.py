"""Markers left in a file."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suture.check.issue import Issue
from suture.check.markers import ConflictMarkers
from suture.files.local_fs import Layout

NOWHERE = Layout("/nowhere", {}).stage("a").within(60)
CONFLICT = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\n"
EDIT = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
DOCUMENTS = ("a.md", "docs/a.rst", "a.txt", "A.MD")


def find_issues(text: str, path: str = "a.c") -> list[Issue]:
    return ConflictMarkers().check(path, None, text, NOWHERE)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (CONFLICT, [1]),
        (f"x\n\n{CONFLICT}y\n{CONFLICT}", [3, 9]),
        (CONFLICT.replace("=======", "||||||| base\nc\n======="), [1]),
        (CONFLICT.replace("\n", "\r\n"), [1]),
        (f"é\n{CONFLICT}".replace("\n", "\r"), [2]),
        ("<<<<<<< .mine\na\n>>>>>>> .r2\n", [1]),
        ("<<<<<<<\na\n=======\n>>>>>>>\n", [1]),
        ("a\n<<<<<<< HEAD\nb\n", [2]),
        ("a\nb\n>>>>>>> topic", [3]),
        ("<<<<<<< a\n<<<<<<< b\n=======\n>>>>>>> b\n=======\n>>>>>>> a\n", [1, 2, 6]),
        (">>>>>>> a\n<<<<<<< b\n", [1, 2]),
        (EDIT, [1]),
    ],
    ids=[
        "one",
        "two",
        "with its base",
        "CRLF",
        "lone CR",
        "without a separator",
        "without labels",
        "begin alone",
        "end alone",
        "one in another",
        "wrong order",
        "edit block",
    ],
)
def test_a_conflict_is_one_error_at_its_first_line(text: str, lines: list[int]) -> None:
    issues = find_issues(text)
    assert [(issue.severity, issue.line, issue.column, issue.code) for issue in issues] == [
        ("error", line, 1, "conflict-marker") for line in lines
    ]


def test_the_message_says_where_a_conflict_ends_and_what_it_is() -> None:
    assert [issue.message for issue in find_issues(f"x\n{CONFLICT}{EDIT}<<<<<<< a\n")] == [
        "an unresolved merge conflict: it ends in line 6",
        "an edit block was left in the file: it ends in line 11",
        "a marker of a merge conflict was left here: <<<<<<<",
    ]
    assert [issue.message for issue in find_issues(">>>>>>> REPLACE\n")] == [
        "a marker of an edit block was left here: >>>>>>>"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Title\n=======\n",
        "  <<<<<<< HEAD\n  >>>>>>> topic\n",
        'a = "<<<<<<< HEAD"\n# >>>>>>> topic\n',
        "<<<<<<<< HEAD\n>>>>>>>> topic\n",
        "<<<<<< HEAD\n>>>>>> topic\n",
        "<<<<<<<HEAD\n>>>>>>>topic\n",
        "||||||| base\n",
        "int a = b <<<<<<< c;\n",
    ],
    ids=["empty", "heading", "indented", "quoted", "eight", "six", "no space", "base alone", "in a line"],
)
@pytest.mark.parametrize("path", ["a.c", "a.md"])
def test_what_is_not_a_marker_passes(text: str, path: str) -> None:
    assert find_issues(text, path) == []


@pytest.mark.parametrize("path", ["a.patch", "a.diff", "a.c.rej", "a.c.orig", "A.PATCH"])
def test_patches_may_hold_markers(path: str) -> None:
    assert find_issues(CONFLICT, path) == []


@pytest.mark.parametrize(
    "text",
    [
        EDIT,
        f"```\n{CONFLICT}```\n",
        f"~~~~ text\n{CONFLICT}~~~\n>>>>>>> a\n~~~~\n",
        f"> ```text\n{CONFLICT}",
        "Title\n<<<<<<<\n",
        "Title\n>>>>>>>\n",
        ">>>>>>> a mail that was quoted seven times\n",
    ],
    ids=["edit block", "fence", "long fence", "quoted fence", "underline", "other underline", "mail"],
)
@pytest.mark.parametrize("path", DOCUMENTS)
def test_documentation_may_show_markers(text: str, path: str) -> None:
    assert find_issues(text, path) == []


@pytest.mark.parametrize("path", DOCUMENTS)
def test_a_conflict_in_documentation_is_an_error(path: str) -> None:
    assert [issue.line for issue in find_issues(f"```\na\n```\n{CONFLICT}", path)] == [4]


@pytest.mark.process
def test_an_edit_block_in_a_string_of_python_is_none() -> None:
    text = f'a = """\n{EDIT}"""\n'
    assert find_issues(text, "a.py") == []
    assert [issue.line for issue in find_issues(text + CONFLICT, "a.py")] == [2, 8]
    assert [issue.line for issue in find_issues(f'a = """\n{CONFLICT}{EDIT}"""\n', "a.py")] == [2]
    assert [issue.line for issue in find_issues(text + "-" * 5_000 + "1", "a.py")] == [2]


def test_very_many_markers_are_not_all_reported() -> None:
    assert len(find_issues("<<<<<<< a\n" * 5_000)) == 1_000


class Searched(str):
    """A text that counts how many of its characters were searched."""

    __slots__ = ("many",)

    def __init__(self, _: str) -> None:
        self.many = 0

    def find(self, sub: str, start: Any = 0, end: Any = None) -> int:
        self.many += len(range(len(self))[start:end])
        return super().find(sub, start, end)

    def count(self, sub: str, start: Any = 0, end: Any = None) -> int:
        self.many += len(range(len(self))[start:end])
        return super().count(sub, start, end)


@pytest.mark.parametrize("path", ["a.c", "a.md"])
def test_a_text_is_searched_a_few_times_however_many_markers_it_has(path: str) -> None:
    text = Searched((">>>>>>> b\n" + "x\n" * 5) * 2_000)
    find_issues(text, path)
    assert text.many <= 4 * len(text)


@settings(max_examples=60)
@given(st.lists(st.sampled_from([*CONFLICT.split("\n"), *EDIT.split("\n"), "```", "é"]), max_size=12))
def test_every_begin_in_code_is_reported(lines: list[str]) -> None:
    numbers = {issue.line for issue in find_issues("\n".join(lines))}
    assert numbers >= {number for number, line in enumerate(lines, 1) if line.startswith("<<<<<<<")}
