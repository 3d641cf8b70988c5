"""The pydantic models of tools: fields, defaults and descriptions as specified, and the tool's own validation."""

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from suture import LineEdit, SafeEditInput, SearchReplace, Workspace, arguments_model
from suture.errors import InvalidArguments
from suture.testing import MemoryFS
from suture.tools import DIALECTS, TOOLS, find
from suture.tools.safe import SafeEdit

EDIT = {"start_line": 1, "end_line": 1, "new_content": "x"}
WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "At least one edit mode must be specified (content, line_edits, or search_replace)"),
    ({"content": "", "line_edits": []}, "Only one edit mode can be specified at a time"),
    ({"line_edits": [{**EDIT, "start_line": 5, "end_line": 3}]}, "end_line (3) must be >= start_line (5)"),
]


def test_the_defaults_are_the_specifications() -> None:
    made = SafeEditInput(path="a", content="x")
    assert (made.mode, made.show_diff, made.line_edits, made.search_replace) == ("strict", True, None, None)
    search = SearchReplace(search="a", replace="b")
    assert (search.regex, search.count, search.flags) == (False, None, 0)
    assert LineEdit(start_line=1, end_line=1, new_content="").expected_text is None


@pytest.mark.promise("safe.texts")
@pytest.mark.parametrize(("given", "words"), WRONG)
def test_both_refuse_with_the_same_words(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=r".*") as theirs:
        SafeEditInput(path="a", **given)
    assert words in str(theirs.value)
    with pytest.raises(InvalidArguments) as ours:
        SafeEdit.parse({"path": "a", **given})
    assert [problem["problem"] for problem in ours.value.problems] == [words]


VALUES = st.fixed_dictionaries(
    {},
    optional={
        "mode": st.sampled_from(["strict", "interactive", "verify_only", "wild"]),
        "show_diff": st.booleans(),
        "content": st.none() | st.text(max_size=3),
        "line_edits": st.none()
        | st.lists(
            st.fixed_dictionaries(
                {"start_line": st.integers(-1, 3), "end_line": st.integers(-1, 3), "new_content": st.text(max_size=2)}
            ),
            max_size=2,
        ),
        "search_replace": st.none()
        | st.fixed_dictionaries(
            {"search": st.text(max_size=2), "replace": st.text(max_size=2)},
            optional={
                "regex": st.booleans(),
                "count": st.none() | st.integers(-1, 2),
                "flags": st.sampled_from([0, 2]),
            },
        ),
    },
)


@given(VALUES)
def test_what_the_models_accept_the_tool_accepts(given: dict[str, Any]) -> None:
    try:
        made = SafeEditInput(path="a", **given)
    except ValidationError:
        with pytest.raises(InvalidArguments):
            SafeEdit.parse({"path": "a", **given})
    else:
        parsed = SafeEdit.parse(made.model_dump())
        assert (parsed.mode, parsed.show_diff, parsed.content) == (made.mode, made.show_diff, made.content)


def test_a_model_can_be_handed_to_call() -> None:
    fs = MemoryFS({})
    result = Workspace("/ws", fs=fs).call("safe_edit", SafeEditInput(path="a.txt", content="x\n"))
    assert not result.is_error
    assert result.data["written"]


def test_a_typo_is_not_taken_for_nothing() -> None:
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        SafeEditInput(path="a", content="x", expected_hash="sha256:0")  # type: ignore[call-arg]  # the typo


def test_parts_can_be_handed_to_the_method_and_guards_are_kept() -> None:
    workspace = Workspace("/ws", fs=MemoryFS({"a.txt": b"x\n"}))
    edit = LineEdit(start_line=1, end_line=1, new_content="y", expected_text="z")
    assert workspace.safe_edit("a.txt", line_edits=[edit]).metadata["error"]["code"] == "DRIFTED"
    assert workspace.safe_edit("a.txt", search_replace=SearchReplace(search="x", replace="y")).data["written"]
    guarded = SafeEditInput(path="a.txt", content="", expect_hash=f"sha256:{'0' * 64}", validate="all")
    assert workspace.call("safe_edit", guarded).metadata["error"]["code"] == "FILE_CHANGED"


@pytest.mark.parametrize("tool", [*TOOLS, *DIALECTS])
def test_every_tool_has_a_model_with_its_schema_that_takes_its_examples(tool: str) -> None:
    spec, model = find(tool), arguments_model(tool)
    assert model.model_json_schema() == spec.request.schema()
    for example in spec.examples:
        made = model.model_validate(example.arguments)
        assert made.model_dump(exclude_unset=True, exclude_none=True) == example.arguments
        assert _plain(spec.request.parse(made.model_dump())) == _plain(spec.request.parse(example.arguments))


def _plain(request: object) -> str:
    """A request as text; lists that are left out are empty tuples."""
    return repr(request).replace("()", "[]")


def test_a_model_refuses_what_its_tool_refuses() -> None:
    with pytest.raises(ValidationError, match="expected one of numbered, raw, got the string 'html'"):
        arguments_model("file_read").model_validate({"path": "a", "format": "html"})


def test_each_problem_is_reported_at_its_field() -> None:
    with pytest.raises(ValidationError) as caught:
        arguments_model("file_read").model_validate({"path": "a", "start_line": 0, "format": "html"})
    problems = [(problem["loc"], problem["input"]) for problem in caught.value.errors()]
    assert problems == [(("start_line",), 0), (("format",), "html")]
    patch = {"operation": "append_eof", "oldText": "x", "newText": "{y}"}
    with pytest.raises(ValidationError) as caught:
        arguments_model("patch").model_validate({"path": "a", "patches": [patch]})
    assert [problem["loc"] for problem in caught.value.errors()] == [("patches", 0, "oldText")]


def test_without_pydantic_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic", None)
    monkeypatch.delitem(sys.modules, "suture.models")
    import suture  # noqa: PLC0415  the module is loaded already; its names are not

    with pytest.raises(ModuleNotFoundError, match=r"pip install 'suture\[models\]'"):
        _ = suture.SafeEditInput
