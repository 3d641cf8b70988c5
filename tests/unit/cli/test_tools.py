"""`suture tools`: definitions that other programs send to a model."""

import json

import pytest

from suture import definitions
from suture.apis import FORMATS
from suture.cli import main
from suture.errors import UnknownTool
from suture.tools import PROFILES, find


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize(
    ("words", "tools"),
    [
        ([], None),
        (["--tools", "undo,file_read"], ["undo", "file_read"]),
        (["--tools", "apply_patch str_replace_based_edit_tool"], ["apply_patch", "str_replace_based_edit_tool"]),
        (["--profile", "read-only"], "read-only"),
    ],
)
def test_it_prints_what_an_api_takes(
    format_: str, words: list[str], tools: str | list[str] | None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tools", "--format", format_, *words]) == 0
    assert json.loads(capsys.readouterr().out) == definitions(format_, tools)


def test_the_list_and_the_own_definitions_can_be_narrowed_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tools", "--tools", "undo,redo"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["undo", "redo"]
    assert main(["tools", "--json", "--profile", "search"]) == 0
    assert [definition["name"] for definition in json.loads(capsys.readouterr().out)] == list(PROFILES["search"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--tools", "pach"], "Did you mean patch?"),
        (["--tools", ", "], "expected tool names such as file_read,patch"),
        (["--profile", "edti"], "did you mean edit?"),
        (["--format", "anthropic", "--profile", "serch"], "did you mean search?"),
        (["--format", "claude"], "invalid choice: 'claude'"),
        (["--format", "mcp", "--json"], "--json cannot be used with --format"),
        (["--profile", "edit", "--tools", "undo"], "not allowed with argument"),
    ],
)
def test_a_wrong_choice_is_wrong_usage(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tools", *words]) == 2
    output = capsys.readouterr()
    code = "UNKNOWN_TOOL: " if words[-1] == "pach" else "WRONG_USAGE: suture tools: "
    assert (output.out, output.err.startswith(code), message in output.err) == ("", True, True)


def test_a_tool_that_is_not_similar_is_not_suggested() -> None:
    with pytest.raises(UnknownTool) as error:
        find("nope")
    assert error.value.near == []
