"""Promises and tests, checked both ways: `tests/promises.toml` against the markers in test files and case files."""

import ast
import re
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tests.cases.case_file import read

TESTS = Path(__file__).parents[1]
FAMILIES = {
    "safe",
    "serve",
    "api",
    "place",
    "span",
    "atomic",
    "back",
    "teach",
    "bound",
    "confine",
    "call",
    "cli",
    "edit",
    "locate",
    "patch",
    "project",
    "regex",
    "reply",
}
ID = re.compile(r"[a-z]+\.[a-z0-9]+(-[a-z0-9]+)*")


def promises() -> list[dict[str, str]]:
    promises: list[dict[str, str]] = tomllib.loads((TESTS / "promises.toml").read_text("utf-8"))["promise"]
    return promises


def marker(node: ast.AST) -> ast.Call | None:
    """Return the node if it is a call of `pytest.mark.promise`."""
    match node:
        case ast.Call(func=ast.Attribute(attr="promise", value=ast.Attribute(attr="mark"))):
            return node
    return None


def promise_id(call: ast.Call) -> str:
    match call:
        case ast.Call(args=[ast.Constant(value=str(name))], keywords=[]):
            return name
    return f"line {call.lineno}: not one literal id"


def marked_ids(source: str) -> tuple[set[str], int]:
    """Return the ids on test functions, and the number of markers anywhere else."""
    tree = ast.parse(source)
    markers = sum(marker(node) is not None for node in ast.walk(tree))
    on_tests = [
        promise_id(call)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
        for decorator in node.decorator_list
        if (call := marker(decorator)) is not None
    ]
    return set(on_tests), markers - len(on_tests)


@cache
def ids_by_file() -> dict[str, tuple[set[str], int]]:
    return {str(path.relative_to(TESTS)): marked_ids(path.read_text("utf-8")) for path in sorted(TESTS.rglob("*.py"))}


@cache
def ids_by_case_file() -> dict[str, set[str]]:
    files = sorted((TESTS / "cases").rglob("*.case"))
    return {str(path.relative_to(TESTS)): {name for case in read(path) for name in case.promises} for path in files}


def all_ids() -> dict[str, set[str]]:
    return {path: ids for path, (ids, _) in ids_by_file().items()} | ids_by_case_file()


def test_an_id_on_a_test_function_is_found_and_one_elsewhere_is_counted() -> None:
    source = """
import pytest
pytestmark = pytest.mark.promise("span.module")
@pytest.mark.promise("span.one")
@pytest.mark.promise("span.two")
def test_it(): ...
@pytest.mark.promise("span.helper")
def helper(): ...
"""
    assert marked_ids(source) == ({"span.one", "span.two"}, 2)


def test_every_entry_is_well_formed() -> None:
    wrong = [
        entry
        for entry in promises()
        if set(entry) != {"id", "text", "source"}
        or not all(entry.values())
        or not ID.fullmatch(entry["id"])
        or entry["id"].partition(".")[0] not in FAMILIES
    ]
    assert wrong == []


def test_ids_are_unique() -> None:
    counts = Counter(entry["id"] for entry in promises())
    assert [name for name, count in counts.items() if count > 1] == []


@pytest.mark.promise("project.promises")
def test_every_marker_names_a_listed_promise() -> None:
    known = {entry["id"] for entry in promises()}
    unlisted = {path: ids - known for path, ids in all_ids().items() if ids - known}
    assert unlisted == {}


@pytest.mark.promise("project.promises")
def test_every_listed_promise_is_on_a_test() -> None:
    tested = set().union(*all_ids().values())
    assert [entry["id"] for entry in promises() if entry["id"] not in tested] == []


def test_every_marker_is_on_a_test_function() -> None:
    stray = [path for path, (_, elsewhere) in ids_by_file().items() if elsewhere]
    assert stray == []
