"""The reference is complete and up to date. What must be in it comes from the code, not from docs/making."""

import argparse
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from docs.making import FOLDER, PAGES, page
from suture.cli import EXIT_CODES
from suture.cli.arguments import build_parser
from suture.cli.output import CODES
from suture.errors import SutureError
from suture.settings import Settings
from suture.tools import AGENT_TOOLS, DIALECTS, TOOLS, find

cached_page = cache(page)


@cache
def read_page(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")


@cache
def section(page: str, heading: str) -> str:
    """The text below a heading, up to the next of its level or above."""
    level = heading.partition(" ")[0]
    sections = re.findall(rf"^{re.escape(heading)}\n(.*?)(?=^#{{1,{len(level)}}} |\Z)", page, re.DOTALL | re.MULTILINE)
    assert len(sections) == 1, f"{len(sections)} sections {heading!r}: run `make reference`"
    return str(sections[0])


def kinds(kind: type[SutureError] = SutureError) -> Iterator[type[SutureError]]:
    for subclass in kind.__subclasses__():
        if subclass.__module__ == "suture.errors":
            yield from () if subclass.__name__.startswith("_") else (subclass,)
            yield from kinds(subclass)


@cache
def commands() -> dict[str, argparse.ArgumentParser]:
    (parsers,) = [action.choices for action in build_parser()._actions if isinstance(action.choices, dict)]
    return parsers


def paths(schema: dict[str, Any], above: str = "") -> Iterator[str]:
    """The arguments of a schema, nested ones as `edits[].old_text`."""
    for name, definition in schema.get("properties", {}).items():
        yield above + name
        yield from paths(definition, f"{above}{name}.")
        yield from paths(definition.get("items", {}), f"{above}{name}[].")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_the_code_says_now(name: str) -> None:
    assert read_page(name) == cached_page(name), f"docs/reference/{name} is out of date: run `make reference`"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_does_not_depend_on_the_terminal(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = cached_page(name)
    monkeypatch.setenv("COLUMNS", "40")
    assert page(name) == expected


@pytest.mark.parametrize("name", [*AGENT_TOOLS, *TOOLS, *DIALECTS])
def test_a_tool_has_all_its_arguments_results_and_examples(name: str) -> None:
    spec, text = find(name), section(read_page("tools.md"), f"## `{name}`")
    definition = spec.definition()
    arguments = section(text, f"### Arguments of `{name}`")
    assert [path for path in paths(definition["inputSchema"]) if f"| `{path}` |" not in arguments] == []
    results = section(text, f"### Result of `{name}`")
    if same := re.match(r"\nThe same as for \[`(\w+)`\]", results):
        results = section(read_page("tools.md"), f"### Result of `{same[1]}`")
        assert definition["outputSchema"] == find(same[1]).definition()["outputSchema"]
    results += section(read_page("tools.md"), "## In every result")
    fields = definition.get("outputSchema", {}).get("properties", {})
    assert [field for field in fields if f"| `{field}` |" not in results] == []
    assert [example.title for example in spec.examples if f"**{example.title}.**" not in text] == []
    assert spec.description.split("\n")[0].split()[0] in text


def test_every_argument_says_its_type_default_and_meaning() -> None:
    rows = re.findall(r"^\| `([^`]+)` \| (.*) \| (.*) \| (.*) \|$", read_page("tools.md"), re.MULTILINE)
    assert [name for name, kind, _, meaning in rows if not kind or not meaning] == []
    row = '| `patches[].operation` | `"replace"`, `"append_eof"`, `"prepend_bof"` or `"overwrite"` | **required** |'
    assert row in read_page("tools.md")
    assert "| `start_line` | integer, at least 1 | `1` |" in read_page("tools.md")


@pytest.mark.parametrize("name", commands())
def test_a_command_is_there_with_all_arguments_and_options(name: str) -> None:
    parser = commands()[name]
    text = section(read_page("commands.md"), f"### `suture {name}`")
    common = section(read_page("commands.md"), "## With every command")
    shown = {action.dest: action for action in parser._actions if action.help != argparse.SUPPRESS}
    options = [option for action in shown.values() for option in action.option_strings]
    assert [option for option in options if not re.search(rf"`{option}[` ]", text + common)] == []
    places = [action.metavar or action.dest for action in shown.values() if not action.option_strings]
    assert [place for place in places if str(place).replace("|", r"\|") not in text] == []
    assert "xit codes: " in text


def test_every_exit_code_is_documented() -> None:
    text = section(read_page("commands.md"), "## Exit codes")
    assert [code for code in EXIT_CODES if f"| {code} |" not in text] == []


def test_every_setting_is_documented_with_its_default_and_meaning() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+) \| `(.+)` \| (.+\.) \|$", read_page("settings.md"), re.MULTILINE)
    assert [name for name, *_ in rows] == list(Settings.__annotations__), "run `make reference`"
    defaults = {name: getattr(Settings, name) for name in Settings.__annotations__}
    assert {name: default for name, _, default, _ in rows} == {
        name: f"{value:_}" if type(value) is int else repr(value) for name, value in defaults.items()
    }


@pytest.mark.parametrize("code", sorted(kind.code for kind in kinds()))
def test_an_error_is_there_with_its_fields_and_words(code: str) -> None:
    (kind,) = [error_class for error_class in kinds() if error_class.code == code]
    text = section(read_page("errors.md"), f"### `{kind.code}`")
    assert f"`{kind.__name__}`" in text
    assert ("*May work later.*" in text) == kind.retryable
    assert [name for name in kind.__annotations__ if f"| `{name}` |" not in text] == []
    assert text.count("```text\n") == 1


@pytest.mark.parametrize("code", CODES)
def test_an_error_of_the_command_line_is_there(code: str) -> None:
    assert section(read_page("errors.md"), f"### `{code}`").strip() == CODES[code]
