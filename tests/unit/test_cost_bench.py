from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bench.cost import tasks
from bench.cost.client import read_answer
from bench.cost.compare import ALL
from bench.cost.count import count_answer, count_definitions, count_request, count_structured, count_tokens
from bench.cost.desktop_commander_scripts import outside_a_container
from bench.cost.report import tables
from bench.cost.run import Outcome, Result, Session, Step, follow, judge
from bench.cost.script import Answer, Call, Contestant, each, once
from bench.cost.source import ROOT, read_tree, write_tree
from bench.cost.tasks import TASKS, Change, Task

if TYPE_CHECKING:
    from pathlib import Path

    from bench.cost.client import Client
    from bench.cost.script import Steps

TREE = {
    "src/flask/a.py": b"with app.app_context():\n    url_for(curl_for)\n",
    "src/flask/json/b.py": b"x = 1\n",
    "docs/flask/a.py": b"url_for\r\n\xff",
}


class Echo:
    """A client whose answers repeat the tool's name."""

    def call(self, call: Call) -> tuple[Answer, float]:
        return Answer((call.tool,)), 0.25


def client() -> Client:
    return Echo()  # type: ignore[return-value]  # all that `follow` needs of a client


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("äöüß", 1)])
def test_four_characters_are_a_token(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


def test_of_a_definition_the_name_the_description_and_the_input_schema_count() -> None:
    tool = {"name": "read", "description": "Read “a”.", "inputSchema": {"type": "object"}}
    text = '{"name":"read","description":"Read “a”.","inputSchema":{"type":"object"}}'
    more = {"title": "Read", "annotations": {"readOnlyHint": True}, "outputSchema": {"type": "object"}}
    assert count_definitions([tool]) == count_definitions([tool | more]) == count_tokens(text)
    assert count_definitions([tool, tool]) == 2 * count_tokens(text)


def test_of_a_request_the_name_and_the_arguments_count() -> None:
    assert count_request(Call("read", {"path": "a b"})) == count_tokens('read{"path":"a b"}')


def test_structured_content_counts_instead_of_the_text_if_there_is_any() -> None:
    plain, both = Answer(("abcde", "f")), Answer(("abcde", "f"), {"a": [1, 2, 3]})
    assert (count_answer(plain), count_structured(plain)) == (3, 3)
    assert (count_answer(both), count_structured(both)) == (3, count_tokens('{"a":[1,2,3]}'))


def test_an_answer_has_the_texts_of_a_response_or_its_error() -> None:
    content = [{"type": "text", "text": "a"}, {"type": "image", "data": ""}, {"type": "text", "text": "b"}]
    result = {"content": content, "structuredContent": {"c": 1}, "isError": True}
    assert read_answer({"result": result}) == Answer(("a", "b"), {"c": 1}, failed=True)
    assert read_answer({"error": {"code": -32602, "message": "no"}}) == Answer(("no",), failed=True)


def test_a_tree_is_written_and_read(tmp_path: Path) -> None:
    write_tree(TREE, tmp_path)
    assert read_tree(tmp_path) == TREE


def test_a_change_replaces_a_text_that_occurs_once() -> None:
    assert Change("src/flask/json/b.py", "1", "2").apply(TREE) == TREE | {"src/flask/json/b.py": b"x = 2\n"}
    with pytest.raises(SystemExit, match="occurs 2 times"):
        Change("src/flask/a.py", "app", "").apply(TREE)


def test_whole_words_are_renamed_in_all_files() -> None:
    renamed = {
        "src/flask/a.py": b"with app.app_context():\n    build_url(curl_for)\n",
        "docs/flask/a.py": b"build_url\r\n\xff",
    }
    assert tasks.renamed(TREE) == TREE | renamed


def test_indentation_becomes_tabs() -> None:
    assert tasks.with_tabs("        a    b\n    c\n\nd\n") == "\t\ta    b\n\tc\n\nd\n"


def test_every_line_of_a_function_must_be_shown_plainly_or_in_json() -> None:
    source = f'def {tasks.FUNCTION}(\n    a,\n):\n\n    return "a"\n\n\nx = 1\n'
    tree = {tasks.FUNCTION_PATH: source.encode()}
    assert tasks.shows_function(tree, f'1\tdef {tasks.FUNCTION}(\n2\t    a,\n3\t):\n5\t    return "a"\n')
    assert tasks.shows_function(tree, f'"def {tasks.FUNCTION}(\\n    a,\\n):\\n\\n    return \\"a\\"\\n"')
    assert not tasks.shows_function(tree, f"def {tasks.FUNCTION}(\n    a,\n):\n")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a.py\njson/\n", True),
        ('["src/flask/a.py", "src/flask/json"]', True),
        ("a.py", False),
        ("a.py json b.py", False),
    ],
)
def test_a_folder_is_shown_by_the_names_in_it(text: str, *, shown: bool) -> None:
    assert tasks.shows_folder(TREE, text) is shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("src/flask/a.py\n1 file", True),
        (f"./src/flask/a.py:1: {ROOT}/src/flask/a.py", True),
        (r'{"stdout": "\n./src/flask/a.py\n"}', True),
        ("other/src/flask/a.py", False),
        ("src/flask/a.py\ndocs/flask/a.py", False),
    ],
)
def test_exactly_the_matching_files_must_be_named(text: str, *, shown: bool) -> None:
    assert tasks.shows_files(TREE, text) is shown


def test_a_script_receives_the_answer_to_each_call() -> None:
    def script() -> Steps:
        answer = yield Call("first", {})
        yield Call(f"after {answer.text}", {})

    steps = follow(client(), script, pause=0)
    assert [step.answer.text for step in steps] == ["first", "after first"]
    assert [step.call.tool for step in follow(client(), each(Call("a", {}), Call("b", {})), pause=0)] == ["a", "b"]
    assert follow(client(), once("read", path="a"), pause=0) == [
        Step(Call("read", {"path": "a"}), Answer(("read",)), 0.25)
    ]


def test_files_and_answers_must_both_be_right() -> None:
    task = Task("find", "find", dict, lambda _tree, text: text == "read")
    steps = follow(client(), once("read"), pause=0)
    assert judge(task, TREE, dict(TREE), steps).right
    assert not judge(task, TREE, TREE | {"new": b""}, steps).right
    assert not judge(task, TREE, dict(TREE), []).right


def test_the_tables_sum_up_what_was_possible() -> None:
    step = Step(Call("read", {}), Answer(("12345678",), {"text": "12345678"}), 0.25)
    outcomes = {task.name: Outcome([step], right=True) for task in TASKS}
    outcomes |= {"line": Outcome([step, step]), "undo": Outcome(impossible="no undo")}
    session = Session(100, 7, Outcome([step]))
    contestant = Contestant("peer", "1", lambda _root, _own: client(), {})
    same = Contestant("twin", "1", lambda _root, _own: client(), {})
    results = [Result(contestant, session, outcomes), Result(same, session, outcomes)]
    by_task, together = tables(results, ["other left out"])
    assert by_task.head == ["", "peer"]
    cells = {row[0]: row[1] for row in by_task.rows}
    assert (cells["edit one line"], cells["take back the edit of one line"]) == ("wrong 8 (2)", "-")
    assert by_task.notes[2:] == ["the same as peer: twin", "- peer: no undo", "- twin: no undo", "other left out"]
    assert [*together.rows[0]] == [
        "peer 1", "100", "7", "20", "20", "40", "144", "177", "10", "2", "2,500", "8 of 10"
    ]  # fmt: skip


def test_what_is_said_about_a_container_does_not_count() -> None:
    paths = "IMPORTANT: Paths are normalized."
    docker = "\n\n🐳 DOCKER: Prefer /home.\nWhen users ask about files, check these. Relative paths may fail."
    assert outside_a_container(paths + docker) == f"{paths} Relative paths may fail."
    head, tail = "Running on Linux", ". Default shell: bash."
    found = "\n\n🐳 DOCKER CONTAINER ENVIRONMENT DETECTED:\nMany.\n\nlines"
    notes = "\n        \nLINUX-SPECIFIC NOTES:"
    assert outside_a_container(f"{head} (Docker){tail}{found}{notes}") == head + tail + notes


def test_every_contestant_has_a_script_or_a_reason_for_every_task() -> None:
    assert [[*contestant.scripts] for contestant in ALL] == [[task.name for task in TASKS]] * len(ALL)
