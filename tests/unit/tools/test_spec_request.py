import json
from typing import Any

import pytest

from suture.errors import InvalidArguments
from suture.tools.file_edit import FILE_EDIT
from suture.tools.read import FILE_READ
from suture.tools.safe import SAFE_EDIT
from suture.tools.spec import (
    DRY_RUN,
    EXPECT_HASH,
    VALIDATE,
    Request,
    ToolSpec,
    encoding,
    flag,
    integer,
    items,
    member,
    text,
)

HASH = "sha256:" + "0a" * 32
NOT_JSON = "got a string that is not valid JSON: "
NO_HASH = "expected sha256: and 64 hexadecimal digits, as in results, got the string "


class Item(Request):
    """An item."""

    old: str = text("Old")
    count: int = integer("How many", default=1, minimum=1)


class Inner(Request):
    """An object."""

    add: str | None = text("Add", default=None)


class Sample(Request):
    """A request with every kind of argument."""

    path: str = text("Path of the file")
    edits: list[Item] = items("Edits", model=Item)
    inner: Inner | None = member("Inner", model=Inner)
    limit: int | None = integer("Limit", default=None, minimum=1, maximum=9)
    format: str = text("Format", default="raw", choices=("raw", "numbered"))
    loud: bool = flag("Loud")
    dry_run: bool = DRY_RUN
    encoding: str | None = encoding()
    expect_hash: str | dict[str, str] | None = EXPECT_HASH
    validate: str = VALIDATE


def parse(**arguments: Any) -> Sample:
    return Sample.parse({"path": "a", "edits": [], **arguments})


def problems(**arguments: Any) -> list[dict[str, str]]:
    with pytest.raises(InvalidArguments) as caught:
        parse(**arguments)
    return caught.value.problems


def test_defaults_fill_what_is_not_given() -> None:
    assert parse() == Sample(
        path="a",
        edits=[],
        inner=None,
        limit=None,
        format="raw",
        loud=False,
        dry_run=False,
        encoding=None,
        expect_hash=None,
        validate="off",
    )


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("limit", 3, 3),
        ("limit", "3", 3),
        ("limit", 3.0, 3),
        ("limit", None, None),
        ("loud", True, True),
        ("loud", "True", True),
        ("loud", "false", False),
        ("loud", None, False),
        ("format", None, "raw"),
        ("format", "numbered", "numbered"),
        ("encoding", None, None),
        ("encoding", "latin-1", "latin-1"),
        ("expect_hash", HASH, HASH),
        ("expect_hash", f" {HASH.upper()}\n", HASH),
        ("expect_hash", HASH.removeprefix("sha256:"), HASH),
        ("expect_hash", {"a": HASH}, {"a": HASH}),
        ("expect_hash", json.dumps({"a": HASH}), {"a": HASH}),
        ("edits", [{"old": "x"}], [Item(old="x", count=1)]),
        ("edits", {"old": "x"}, [Item(old="x", count=1)]),
        ("edits", '[{"old": "x", "count": "2"}]', [Item(old="x", count=2)]),
        ("edits", '{"old": "x"}', [Item(old="x", count=1)]),
        ("edits", ['{"old": "x"}'], [Item(old="x", count=1)]),
        ("edits", '[{"old": "x\n\ty"}]', [Item(old="x\n\ty", count=1)]),
        ("inner", {"add": "x"}, Inner(add="x")),
        ("inner", '{"add": null}', Inner(add=None)),
        ("inner", None, None),
    ],
)
def test_shapes_that_models_send_are_understood(name: str, given: object, expected: object) -> None:
    assert getattr(parse(**{name: given}), name) == expected


@pytest.mark.parametrize(
    ("name", "given", "where", "problem"),
    [
        ("limit", 0, "limit", "expected a whole number from 1 to 9, got 0"),
        ("limit", 10, "limit", "expected a whole number from 1 to 9, got 10"),
        ("limit", True, "limit", "expected a whole number from 1 to 9, got true or false"),
        ("limit", 1.5, "limit", "expected a whole number from 1 to 9, got the number 1.5"),
        ("limit", "many", "limit", "expected a whole number from 1 to 9, got the string 'many'"),
        ("limit", "--1", "limit", "expected a whole number from 1 to 9, got the string '--1'"),
        ("loud", 1, "loud", "expected true or false, got the number 1"),
        ("path", None, "path", "expected a string, got null"),
        ("format", "xml", "format", "expected one of raw, numbered, got the string 'xml'"),
        ("format", [], "format", "expected one of raw, numbered, got a list"),
        ("path", {}, "path", "expected a string, got an object"),
        ("path", "x" * 3, None, None),
        ("expect_hash", 3, "expect_hash", "expected a hash, or an object of path: hash, got the number 3"),
        ("expect_hash", {"a": 1}, "expect_hash", "expected a hash, or an object of path: hash, got an object"),
        ("expect_hash", "sha256:0a", "expect_hash", NO_HASH + "'sha256:0a'"),
        ("expect_hash", "", "expect_hash", NO_HASH + "''"),
        ("expect_hash", HASH[:-1] + "x", "expect_hash", NO_HASH + repr(HASH[:40]) + "…"),
        ("expect_hash", {"a": HASH, "b": "md5:0"}, "expect_hash['b']", NO_HASH + "'md5:0'"),
        ("edits", "nonsense", "edits", "expected a list of objects, got the string 'nonsense'"),
        (
            "edits",
            '[\n  {"old": "x" "count": 1}\n]',
            "edits",
            (
                f"expected a list of objects, {NOT_JSON}Expecting ',' delimiter at line 2, column 15, "
                """between '[\\n  {"old": "x" ' and '"count": 1}\\n]'"""
            ),
        ),
        (
            "edits",
            f'[{{"old": "{"a" * 50}", "count": {"b" * 50}',
            "edits",
            (
                f"expected a list of objects, {NOT_JSON}Expecting value at line 1, column 73, "
                f"""between '{"a" * 18}", "count": ' and '{"b" * 30}'"""
            ),
        ),
        (
            "edits",
            '[{"old": "x"}',
            "edits",
            (
                f"expected a list of objects, {NOT_JSON}Expecting ',' delimiter at line 1, column 14, "
                """at the end, after '[{"old": "x"}'"""
            ),
        ),
        (
            "edits",
            '[{"old": "x}]',
            "edits",
            (
                f"expected a list of objects, {NOT_JSON}Unterminated string starting at line 1, column 10, "
                """between '[{"old": ' and '"x}]'"""
            ),
        ),
        ("edits", "[" * 200_000, "edits", f"expected a list of objects, {NOT_JSON}it is nested too deeply"),
        (
            "edits",
            [{"old": "x"}, '{"old": y}'],
            "edits[1]",
            f"""expected an object, {NOT_JSON}Expecting value at line 1, column 9, between '{{"old": ' and 'y}}'""",
        ),
        (
            "inner",
            '{"add": }',
            "inner",
            f"""expected an object, {NOT_JSON}Expecting value at line 1, column 9, between '{{"add": ' and '}}'""",
        ),
        ("edits", 3, "edits", "expected a list of objects, got the number 3"),
        ("edits", ["x"], "edits[0]", "expected an object, got the string 'x'"),
        (
            "edits",
            [{"old": "x"}, {"old": "y", "count": 0}],
            "edits[1].count",
            "expected a whole number of at least 1, got 0",
        ),
        ("edits", [{}], "edits[0].old", "missing: Old"),
        ("inner", "x", "inner", "expected an object, got the string 'x'"),
        ("inner", [], "inner", "expected an object, got a list"),
        ("inner", {"add": 3}, "inner.add", "expected a string, got the number 3"),
        ("format", "y" * 50, "format", "expected one of raw, numbered, got the string " + repr("y" * 40) + "…"),
    ],
)
def test_a_wrong_value_is_named_with_what_was_expected(
    name: str, given: object, where: str | None, problem: str | None
) -> None:
    if where is None:
        assert getattr(parse(**{name: given}), name) == given
    else:
        assert problems(**{name: given}) == [{"argument": where, "problem": problem}]


@pytest.mark.promise("teach.unknown-argument")
def test_an_unknown_argument_names_the_nearest_known_one() -> None:
    assert problems(dry_rum=True) == [
        {"argument": "dry_rum", "problem": "unknown; did you mean dry_run?", "nearest": "dry_run"}
    ]


@pytest.mark.parametrize(
    ("tool", "arguments", "argument", "meant", "nearest"),
    [
        (SAFE_EDIT, {"old_text": "x", "content": "y"}, "old_text", "search in search_replace", "search_replace"),
        (SAFE_EDIT, {"newString": "x", "content": "y"}, "newString", "replace in search_replace", "search_replace"),
        (SAFE_EDIT, {"file_text": "x"}, "file_text", "content", "content"),
        (SAFE_EDIT, {"search_replace": {"old_str": "x"}}, "search_replace.old_str", "search", "search"),
        (SAFE_EDIT, {"line_edits": [{"new_text": "x"}]}, "line_edits[0].new_text", "new_content", "new_content"),
        (FILE_EDIT, {"old_text": "x", "edits": [{}]}, "old_text", "old_text in edits", "edits"),
        (FILE_EDIT, {"edits": [{"search": "x"}]}, "edits[0].search", "old_text", "old_text"),
    ],
)
def test_the_name_of_another_tool_means_the_argument_for_the_same(
    tool: ToolSpec, arguments: dict[str, object], argument: str, meant: str, nearest: str
) -> None:
    with pytest.raises(InvalidArguments) as caught:
        tool.request.parse({"path": "a", **arguments})
    problem = {"argument": argument, "problem": f"unknown; did you mean {meant}?", "nearest": nearest}
    assert problem in caught.value.problems


def test_no_argument_of_another_meaning_is_suggested() -> None:
    with pytest.raises(InvalidArguments) as caught:
        FILE_READ.request.parse({"path": "a", "file_text": "x"})
    assert "nearest" not in caught.value.problems[0]


@pytest.mark.promise("bound.call")
def test_of_very_many_unknown_arguments_the_first_hundred_are_reported() -> None:
    *first, last = problems(**{f"argument {number}": 1 for number in range(300_000)})
    assert [problem["argument"] for problem in first] == [f"argument {number}" for number in range(100)]
    assert last == {"argument": "…", "problem": "299,900 more are unknown"}


def test_an_unknown_argument_like_no_other_lists_the_known_ones() -> None:
    (problem,) = problems(zzz=1)
    assert problem["problem"].startswith("unknown; choose from path, edits, inner, limit")


def test_all_problems_are_reported_at_once() -> None:
    with pytest.raises(InvalidArguments) as caught:
        Sample.parse({"limit": 0, "loud": "maybe", "what": 1})
    assert [problem["argument"] for problem in caught.value.problems] == ["what", "path", "edits", "limit", "loud"]


def test_all_problems_of_an_object_and_of_all_items_are_reported() -> None:
    assert problems(inner={"ad": "x"}, edits=[{"count": 0}, {"old": "x"}, "y"]) == [
        {"argument": "edits[0].old", "problem": "missing: Old"},
        {"argument": "edits[0].count", "problem": "expected a whole number of at least 1, got 0"},
        {"argument": "edits[2]", "problem": "expected an object, got the string 'y'"},
        {"argument": "inner.ad", "problem": "unknown; did you mean add?", "nearest": "add"},
    ]


@pytest.mark.promise("bound.call")
def test_of_very_many_wrong_items_the_first_hundred_are_reported() -> None:
    reported = problems(edits=[{}] * 300_000)
    assert [problem["argument"] for problem in reported] == [f"edits[{index}].old" for index in range(100)]


def test_the_schema_says_what_parse_accepts() -> None:
    assert Sample.schema() == {
        "type": "object",
        "required": ["path", "edits"],
        "additionalProperties": False,
        "properties": {
            "path": {"type": "string", "description": "Path of the file"},
            "edits": {"type": "array", "items": Item.schema(), "description": "Edits"},
            "inner": {**Inner.schema(), "description": "Inner"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 9, "description": "Limit"},
            "format": {"type": "string", "enum": ["raw", "numbered"], "description": "Format", "default": "raw"},
            "loud": {"type": "boolean", "description": "Loud", "default": False},
            "dry_run": {
                "type": "boolean",
                "description": "Show what would happen and change nothing",
                "default": False,
            },
            "encoding": {
                "type": "string",
                "description": "Encoding (a Python codec name) of a file that has no byte order mark and is not UTF-8",
            },
            "expect_hash": {
                "anyOf": [{"type": "string"}, {"type": "object", "additionalProperties": {"type": "string"}}],
                "description": "Hash the file must have, as returned by an earlier call; or {path: hash}",
            },
            "validate": {
                "type": "string",
                "enum": ["off", "warn", "strict", "all"],
                "description": "Check the result before it is written: report errors (warn), reject errors that the "
                "edit introduces (strict), or reject any error (all)",
                "default": "off",
            },
        },
    }


class InFile(Request):
    file_path: str = text("The file")


@pytest.mark.parametrize(
    "given",
    [
        {"path": "a"},
        {"file_path": "a"},
        {"path": "a", "file_path": None},
        {"path": None, "file_path": "a"},
    ],
)
def test_path_and_file_path_mean_the_same(given: dict[str, object]) -> None:
    assert InFile.parse(given) == InFile(file_path="a")


@pytest.mark.parametrize("other", ["a", "b"])
def test_a_path_that_is_given_twice_is_refused(other: str) -> None:
    with pytest.raises(InvalidArguments):
        InFile.parse({"path": other, "file_path": "a"})
