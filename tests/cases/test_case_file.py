"""The format of case files: what is read, what is refused, and that what is written is read again as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases.__main__ import rewrite, update
from tests.cases.case_file import (
    CASES,
    Call,
    CaseError,
    Entry,
    OutsideChange,
    differences,
    json_text,
    parse,
    read,
    section_text,
    split,
)

if TYPE_CHECKING:
    from pathlib import Path

SMALL = """\
# What this is about.
promise: edit.undo
=== before: a.txt | crlf
one
=== before: run.sh | executable, no-eol
two
=== before: empty/

=== case: first
settings: {"max_files": 2}
=== request: file_edit
{"path": "a.txt", "edits": [{"old_text": "one"}]}
=== argument: edits.0.new_text | no-eol
1
2
=== answer
{"change_id": "<change 1>"}
=== text | contains
Edited
=== after: a.txt
1
2
=== write: b.txt
new
=== delete: run.sh
=== request: undo
=== error: NO
{"field": 1}
=== after: b.txt | gone

=== case: second
ways: library (an example)
process: one that checks
=== request: history
=== answer | whole
{"changes": []}
"""
EDIT = '=== case: a\n=== before: a\none\n=== request: file_edit\n{"path": "a", "edits": [%s]}\n'


def test_a_file_is_read_as_cases_with_their_trees_calls_and_answers() -> None:
    first, second = parse(SMALL, "family/name")
    before = {"a.txt": Entry(b"one\r\n"), "run.sh": Entry(b"two", "executable"), "empty/": Entry(b"", "folder")}
    assert (first.id, first.promises, first.settings) == ("family/name: first", ("edit.undo",), {"max_files": 2})
    assert (first.ways, second.ways) == (("library",), ("library",))
    assert (first.process, second.process) == (False, True)
    assert first.before == second.before == before
    edit, write, delete, undo = first.steps
    assert isinstance(edit, Call)
    assert isinstance(undo, Call)
    assert edit.arguments == {"path": "a.txt", "edits": [{"old_text": "one", "new_text": "1\n2"}]}
    assert (edit.expected.code, edit.expected.fields) == (None, {"change_id": "<change 1>"})
    assert edit.expected.texts == (("contains", "Edited"),)
    assert edit.tree == {**before, "a.txt": Entry(b"1\n2\n")}
    assert (write, delete) == (OutsideChange("b.txt", Entry(b"new\n")), OutsideChange("run.sh", None))
    assert (undo.tool, undo.arguments, undo.expected.code, undo.expected.error) == ("undo", {}, "NO", {"field": 1})
    assert undo.tree == {"a.txt": Entry(b"1\n2\n"), "empty/": Entry(b"", "folder")}
    assert second.calls[0].expected.whole


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "line 1: there is no case"),
        ("hello\n=== case: a\n", "line 1: this is no line of a header: 'hello'"),
        ("=== case: a\n=== nothing\n", "line 2: this is no heading: '=== nothing\\n'"),
        ("=== case: a\n=== before: a | nope\n", "line 2: there is no option nope"),
        ("=== case: a\n=== before: a\n", "line 1: a case needs a request"),
        ("=== case\n=== request: undo\n", "line 1: a case needs a title"),
        ("=== case: a\n=== after: a\n", "line 2: after cannot be here: it belongs to a request"),
        ("=== request: undo\n=== case: a\n", "line 1: request cannot be here: a tree comes first, then requests"),
        ("=== case: a\n=== request: undo\n=== before: a\n", "line 3: before cannot be here"),
        ("=== case: a\n=== request: undo\n{\n", "line 2: this is not JSON"),
        ("=== case: a\n=== request: undo\n=== argument: a.1\nx\n", "line 3: a.1 leads nowhere"),
        ("=== case: a\n=== before: a | escaped\n\\q\n=== request: undo\n", "line 2: there is no escape \\q"),
        ("=== case: a\nways: mcp\n=== request: undo\n", "line 1: some ways only: say why, in parentheses"),
        ("=== case: a\nprocess: \n=== request: undo\n", "line 1: process: say which it starts"),
        ("=== case: a\nways: phone (no)\n=== request: undo\n", "line 1: ways are library, command line, mcp"),
        ("=== case: a\n=== request: undo\n\n=== case: a\n=== request: undo\n", "line 1: two cases have the same title"),
    ],
)
def test_what_is_no_case_file_is_refused_with_the_line(text: str, problem: str) -> None:
    with pytest.raises(CaseError) as caught:
        parse(text)
    assert problem in str(caught.value)


def test_a_problem_is_reported_with_the_name_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "wrong.case"
    path.write_bytes(b"")
    with pytest.raises(CaseError, match=r"wrong\.case, line 1: there is no case"):
        read(path)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "=== after: a\n"),
        (b"one\n", "=== after: a\none\n"),
        (b"one", "=== after: a | no-eol\none\n"),
        (b"\n", "=== after: a\n\n"),
        (b"one\r\ntwo\r\n", "=== after: a | crlf\none\ntwo\n"),
        (b"one\r\ntwo\n", "=== after: a | escaped\none\\r\ntwo\n"),
        (b"\xef\xbb\xbfone\r\n", "=== after: a | bom, crlf\none\n"),
        ("é\n".encode("utf-16"), "=== after: a | utf-16\né\n"),
        (b"caf\xe9 \\ \t\n", "=== after: a | escaped\ncaf\\xe9 \\\\ \\t\n"),
        (b"one \n=== after: b\n", "=== after: a | escaped\none\\x20\n\\x3d== after: b\n"),
        ("\u2028\u200b\n".encode(), "=== after: a | escaped\n\\u2028\\u200b\n"),
        (b"\\d+\n", "=== after: a\n\\d+\n"),
    ],
)
def test_bytes_are_written_as_plainly_as_they_can_be(content: bytes, text: str) -> None:
    assert section_text("after", "a", content) == text


@given(
    st.one_of(
        st.binary(max_size=30),
        st.text("ab=\\ \t\r\n\ufeff\u2028é\ud800", max_size=30).map(lambda text: text.encode("utf-8", "surrogatepass")),
        st.lists(st.sampled_from([b"=== case: x", b"\r\n", b"\n", b" ", b"\\", b"a", b"\xff\xfe", b"\0"])).map(
            b"".join
        ),
    )
)
def test_any_bytes_that_are_written_are_read_again(content: bytes) -> None:
    for kind in ("after", "argument"):
        text = section_text(kind, "a", content) + "\n=== case: next\n"
        text.encode()
        _, (section, _) = split(text)
        assert section.content == content


@pytest.mark.parametrize(
    ("expected", "actual", "problems"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, []),
        ({"a": 1}, {"a": 2}, ["a is 2, not 1"]),
        ({"a": 1}, {}, ["a is missing"]),
        ({"a": "<absent>"}, {}, []),
        ({"a": "<absent>"}, {"a": 1}, ["a is there: 1"]),
        ({"a": "<any>"}, {"a": [1]}, []),
        ({"a": None}, {"a": None}, []),
        ({"a": 1}, {"a": True}, ["a is True, not 1"]),
        ({"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 2}]}, []),
        ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, ["a.0.b is 2, not 1"]),
        ({"a": [1]}, {"a": [1, 2]}, ["a is [1, 2], not [1]"]),
        ([], [], []),
        ([{}], [], ["the answer is [], not [{}]"]),
    ],
)
def test_the_fields_that_are_given_are_compared_and_lists_whole(
    expected: object, actual: object, problems: list[str]
) -> None:
    assert differences(expected, actual) == problems


def test_json_is_written_in_lines_that_can_be_read() -> None:
    long = "x" * 70
    assert json_text({"a": [1, {"b": "é\u2028"}]}) == '{"a": [1, {"b": "é\\u2028"}]}'
    assert json_text({"a": {"b": long}, "c": [long, 1]}) == (f'{{\n  "a": {{"b": "{long}"}},\n  "c": ["{long}", 1]\n}}')
    assert json_text([{"a": long}, {"a": long}]) == f'[\n  {{"a": "{long}"}},\n  {{"a": "{long}"}}\n]'


def test_a_request_without_an_answer_gets_the_least_that_it_must_answer() -> None:
    landing, failing = EDIT % '{"old_text": "one", "new_text": "1"}', EDIT % '{"old_text": "x", "new_text": "1"}'
    assert rewrite(landing) == f"{landing}=== answer\n=== after: a\n1\n"
    assert rewrite(failing) == f"{failing}=== error: NO_MATCH\n"


def test_a_request_with_an_answer_gets_it_in_as_much_detail_as_it_had() -> None:
    request = EDIT % '{"old_text": "one", "new_text": "1"}'
    outdated = (
        '=== answer\n{"path": "b", "hash": 1, "error": "<absent>", "gone": 1}\n=== text\nstale\n=== after: b\nx\n'
    )
    after = rewrite(f"{request}{outdated}\n=== case: b\n=== request: history\n")
    first, _, second = after.removeprefix(request).partition("\n=== case: b")
    assert first.startswith('=== answer\n{"path": "a", "hash": "<hash of a>", "error": "<absent>"}\n=== text\n')
    assert first.endswith("\n=== after: a\n1\n")
    assert second == "\n=== request: history\n=== answer\n"
    assert rewrite(after) == after


def test_what_is_expected_is_updated_field_by_field() -> None:
    expected = {"a": 1, "b": [{"c": 1}], "d": "<any>", "e": [1], "f": "<absent>"}
    actual = {"a": 2, "b": [{"c": 3, "x": 1}], "d": 5, "e": [1, 2], "y": 1}
    assert update(expected, actual) == {"a": 2, "b": [{"c": 3}], "d": "<any>", "e": [1, 2], "f": "<absent>"}


def test_the_example_of_the_readme_is_a_case_file_and_holds() -> None:
    example = (CASES / "README.md").read_text("utf-8").split("```\n")[1]
    assert rewrite(example) == example


def test_every_case_file_says_what_each_request_answers() -> None:
    silent = [
        f"{case.id}, {call.tool}"
        for path in CASES.rglob("*.case")
        for case in read(path)
        for call in case.calls
        if not any(section.kind in {"answer", "error"} for section in call.sections)
    ]
    assert silent == [], "write the answers: python -m tests.cases --write FILE"
