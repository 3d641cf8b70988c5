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
from suture.tools import DIALECTS, TOOLS, find

generated = cache(page)


@cache
def committed(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")


@cache
def section(page: str, heading: str) -> str:
    """The text below a heading, up to the next of its level or above."""
    level = heading.partition(" ")[0]
    found = re.findall(rf"^{re.escape(heading)}\n(.*?)(?=^#{{1,{len(level)}}} |\Z)", page, re.DOTALL | re.MULTILINE)
    assert len(found) == 1, f"{len(found)} sections {heading!r}: run `make reference`"
    return str(found[0])


def kinds(kind: type[SutureError] = SutureError) -> Iterator[type[SutureError]]:
    for each in kind.__subclasses__():
        if each.__module__ == "suture.errors":
            yield from () if each.__name__.startswith("_") else (each,)
            yield from kinds(each)


@cache
def commands() -> dict[str, argparse.ArgumentParser]:
    (found,) = [each.choices for each in build_parser()._actions if isinstance(each.choices, dict)]
    return found


def paths(schema: dict[str, Any], above: str = "") -> Iterator[str]:
    """The arguments of a schema, nested ones as `edits[].old_text`."""
    for name, each in schema.get("properties", {}).items():
        yield above + name
        yield from paths(each, f"{above}{name}.")
        yield from paths(each.get("items", {}), f"{above}{name}[].")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_the_code_says_now(name: str) -> None:
    assert committed(name) == generated(name), f"docs/reference/{name} is out of date: run `make reference`"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_does_not_depend_on_the_terminal(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = generated(name)
    monkeypatch.setenv("COLUMNS", "40")
    assert page(name) == expected


@pytest.mark.parametrize("name", [*TOOLS, *DIALECTS])
def test_a_tool_has_all_its_arguments_results_and_examples(name: str) -> None:
    spec, told = find(name), section(committed("tools.md"), f"## `{name}`")
    definition = spec.definition()
    arguments = section(told, f"### Arguments of `{name}`")
    assert [each for each in paths(definition["inputSchema"]) if f"| `{each}` |" not in arguments] == []
    results = section(told, f"### Result of `{name}`")
    if same := re.match(r"\nThe same as for \[`(\w+)`\]", results):
        results = section(committed("tools.md"), f"### Result of `{same[1]}`")
        assert definition["outputSchema"] == find(same[1]).definition()["outputSchema"]
    results += section(committed("tools.md"), "## In every result")
    own = definition.get("outputSchema", {}).get("properties", {})
    assert [each for each in own if f"| `{each}` |" not in results] == []
    assert [each.title for each in spec.examples if f"**{each.title}.**" not in told] == []
    assert spec.description.split("\n")[0].split()[0] in told


def test_every_argument_says_its_type_default_and_meaning() -> None:
    rows = re.findall(r"^\| `([^`]+)` \| (.*) \| (.*) \| (.*) \|$", committed("tools.md"), re.MULTILINE)
    assert [name for name, kind, _, meaning in rows if not kind or not meaning] == []
    row = '| `patches[].operation` | `"replace"`, `"append_eof"`, `"prepend_bof"` or `"overwrite"` | **required** |'
    assert row in committed("tools.md")
    assert "| `start_line` | integer, at least 1 | `1` |" in committed("tools.md")


@pytest.mark.parametrize("name", commands())
def test_a_command_is_there_with_all_arguments_and_options(name: str) -> None:
    parser = commands()[name]
    told = section(committed("commands.md"), f"### `suture {name}`")
    common = section(committed("commands.md"), "## With every command")
    shown = {action.dest: action for action in parser._actions if action.help != argparse.SUPPRESS}
    options = [option for action in shown.values() for option in action.option_strings]
    assert [option for option in options if not re.search(rf"`{option}[` ]", told + common)] == []
    places = [action.metavar or action.dest for action in shown.values() if not action.option_strings]
    assert [place for place in places if str(place).replace("|", r"\|") not in told] == []
    assert "xit codes: " in told


def test_every_exit_code_is_documented() -> None:
    told = section(committed("commands.md"), "## Exit codes")
    assert [code for code in EXIT_CODES if f"| {code} |" not in told] == []


def test_every_setting_is_documented_with_its_default_and_meaning() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+) \| `(.+)` \| (.+\.) \|$", committed("settings.md"), re.MULTILINE)
    assert [name for name, *_ in rows] == list(Settings.__annotations__), "run `make reference`"
    defaults = {name: getattr(Settings, name) for name in Settings.__annotations__}
    assert {name: default for name, _, default, _ in rows} == {
        name: f"{value:_}" if type(value) is int else repr(value) for name, value in defaults.items()
    }


@pytest.mark.parametrize("code", sorted(kind.code for kind in kinds()))
def test_an_error_is_there_with_its_fields_and_words(code: str) -> None:
    (kind,) = [each for each in kinds() if each.code == code]
    told = section(committed("errors.md"), f"### `{kind.code}`")
    assert f"`{kind.__name__}`" in told
    assert ("*May work later.*" in told) == kind.retryable
    assert [name for name in kind.__annotations__ if f"| `{name}` |" not in told] == []
    assert told.count("```text\n") == 1


@pytest.mark.parametrize("code", CODES)
def test_an_error_of_the_command_line_is_there(code: str) -> None:
    assert section(committed("errors.md"), f"### `{code}`").strip() == CODES[code]
