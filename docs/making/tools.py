"""The page about the tools: what an agent can call, its arguments, its result and its examples."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from docs.making.markdown import code_block, link, prose, table, wrap
from suture.tools import DIALECTS, PROFILES, TOOLS, find
from suture.tools.spec import Example, ToolSpec

PLAINLY_RARE = ("Only", "In a dry run", "True if")
COMMON_ERROR = ("code", "message", "hint", "retryable", "problems")
INTRODUCTION = """\
# Tools

Everything that an agent can call, with its arguments and its result. Names and shapes are the same from Python
(`Workspace.call`, or a method of the same name), from the command line (`suture call`), over [MCP](mcp.md) and
through the [APIs of models](model-apis.md).

A result has a text for the model and metadata for programs. A call never raises: a failure is a result that is marked
as one, with an [error](errors.md) in its metadata. A path is relative to the workspace root, or absolute and inside it.
Lines are counted from 1. A field marked *Sometimes* is omitted if there is nothing to report.

The tools of the profile `agent` are the ones that are offered by default: few, with names and arguments that models
know, and short answers. The others do the same and more, as they were specified.
"""
DIALECTS_NOTE = """\
A tool without a profile is a dialect: it does what other tools do, with a name and arguments that models were trained
on. It is offered only if it is [named explicitly](model-apis.md#dialects).

## In every result

Every tool can return these fields in the metadata. They are omitted if there is nothing to report.
"""
CHECKS_NOTE = """\
## Checks in a result

If a tool was asked to check what it writes, `validation` contains what the [checks](validators.md) found.
"""
LIST_NOTE = "The description above explains the text."
READ_NOTE = "The metadata has no schema; a failure has `error`."
EDIT_NOTE = "The metadata has no schema: it contains `change_id` and `files`, or `error`."


def page() -> Iterator[str]:
    """The page about the tools."""
    yield INTRODUCTION
    names = dict.fromkeys((*PROFILES["agent"], *sorted(TOOLS), *sorted(DIALECTS)))
    specs = [find(name) for name in names]
    rows = [[link(spec.name), prose(spec.title), "reads" if spec.read else "edits", _profiles(spec)] for spec in specs]
    yield from table(("tool", "what it does", "kind", "profiles"), rows)
    yield from ("", DIALECTS_NOTE, *_every_result(specs))
    for spec in specs:
        yield from _tool(spec)


def _profiles(spec: ToolSpec) -> str:
    return ", ".join(f"`{name}`" for name, names in PROFILES.items() if spec.name in names)


def _every_result(specs: Sequence[ToolSpec]) -> Iterator[str]:
    """The fields that the schemas of all tools have in common."""
    schema = next(spec.output_schema for spec in specs if spec.output_schema is not None)
    common = {name: schema["properties"][name] for name in _common(specs)}
    yield from table(("field", "type", "meaning"), _fields({"properties": common}, only=COMMON_ERROR))
    checks = next(
        validation for spec in specs if (validation := (spec.output_schema or schema)["properties"].get("validation"))
    )
    yield from ("", CHECKS_NOTE)
    yield from (*table(("field", "type", "meaning"), _fields(checks, "validation.")), "")


def _common(specs: Sequence[ToolSpec]) -> list[str]:
    all_fields = [spec.output_schema["properties"] for spec in specs if spec.output_schema is not None]
    return [
        name
        for name in all_fields[0]
        if name in {"history", "recovered", "error"} and all(name in fields for fields in all_fields)
    ]


def _tool(spec: ToolSpec) -> Iterator[str]:
    yield from (f"## `{spec.name}`", "", f"{prose(spec.title)}. The description that a model gets:", "")
    yield from code_block("text", wrap(spec.description))
    yield from (
        "",
        f"Annotations for MCP: {', '.join(f'`{name}: {_json(on)}`' for name, on in spec.annotations.items())}.",
    )
    yield from ("", f"### Arguments of `{spec.name}`", "")
    yield from table(("argument", "type", "default", "meaning"), _arguments(spec.request.schema(full=True)))
    yield from ("", f"### Result of `{spec.name}`", "")
    output = spec.output_schema
    same = next(
        (find(name) for name in sorted(TOOLS) if spec.name in DIALECTS and find(name).output_schema == output), None
    )
    if output is None:
        yield f"{LIST_NOTE} {READ_NOTE if spec.read else EDIT_NOTE}"
    elif same is not None:
        without = "" if "validate" in spec.request.schema()["properties"] else ", without `validation`"
        yield f"The same as for {link(same.name)}{without}."
    else:
        fields = {name: field for name, field in output["properties"].items() if name not in {"history", "recovered"}}
        always = output["anyOf"][0]["required"]
        yield from table(
            ("field", "type", "meaning"), _fields({"properties": fields, "required": always}, hidden=COMMON_ERROR)
        )
    yield from ("", f"### Examples of `{spec.name}`", "")
    for example in spec.examples:
        yield from _example(example)


def _arguments(schema: Mapping[str, Any], above: str = "") -> Iterator[list[str]]:
    for name, field in schema["properties"].items():
        if name in schema["required"]:
            default = "**required**"
        else:
            default = f"`{_json(field['default'])}`" if "default" in field else ""
        yield [f"`{above}{name}`", _kind(field), default, prose(field["description"])]
        yield from _inner(field, f"{above}{name}", _arguments)


def _fields(
    schema: Mapping[str, Any], above: str = "", *, only: Iterable[str] = (), hidden: Iterable[str] = ()
) -> Iterator[list[str]]:
    """The fields of a result; of an error, only those in `only`, if it has any, and none in `hidden`."""
    required = schema.get("required", ())
    shown_items: dict[str, Any] = {}
    for name, field in schema["properties"].items():
        inner = field
        if name == "error" and not above:
            shown = {
                key: value
                for key, value in field["properties"].items()
                if key not in hidden and (key in only or not only)
            }
            if hidden and not shown:
                continue
            inner = {**field, "properties": shown}
        about = prose(field["description"])
        if required and not above and name not in required and not about.startswith(PLAINLY_RARE):
            about = f"*Sometimes.* {about}"
        if name == "validation" and hidden:
            yield [f"`{name}`", _kind(field), f"{about}: [fields](#checks-in-a-result)"]
        elif "properties" in field.get("items", {}) and field["items"] in shown_items.values():
            (same,) = [other for other, items in shown_items.items() if items == field["items"]]
            yield [f"`{above}{name}`", _kind(field), f"{about}; its items are like those of `{above}{same}`"]
        else:
            shown_items[name] = field.get("items")
            yield [f"`{above}{name}`", _kind(field), about]
            yield from _inner(inner, f"{above}{name}", _fields)


def _inner(schema: Mapping[str, Any], name: str, rows: Any) -> Iterator[list[str]]:
    """Rows for the fields of an object, or of each item of a list."""
    if "properties" in schema:
        yield from rows(schema, f"{name}.")
    elif "properties" in schema.get("items", {}):
        yield from rows(schema["items"], f"{name}[].")


def _kind(schema: Mapping[str, Any]) -> str:
    """The type in words, with its bounds."""
    if "anyOf" in schema:
        return " or ".join(_kind(option) for option in schema["anyOf"])
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if "enum" in schema:
        return _alternatives(f"`{_json(value)}`" for value in schema["enum"])
    words = " or ".join(kinds)
    if "array" in kinds:
        words = words.replace("array", f"array of {_kind(schema['items'])}s")
    if isinstance(of := schema.get("additionalProperties"), dict):
        words += f" of {_kind(of)}s"
    bounds = {
        "minimum": "at least {}",
        "maximum": "at most {}",
        "minItems": "at least {} items",
        "maxItems": "at most {}",
    }
    return ", ".join([words, *(template.format(schema[name]) for name, template in bounds.items() if name in schema)])


def _alternatives(words: Iterable[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def _example(example: Example) -> Iterator[str]:
    yield from (f"**{prose(example.title)}.**", "")
    for name, content in example.files.items():
        yield from (f"`{name}` before:" if content else f"`{name}` is empty.", "")
        if content:
            yield from (*code_block("text", content), "")
    if example.earlier:
        steps = (
            f"`{step}` is called" if isinstance(step, str) else _changes_in_words(step) for step in example.earlier
        )
        yield from (f"Then {', then '.join(steps)}.", "")
    yield from ("Arguments:", "", *code_block("json", json.dumps(example.arguments, indent=2, ensure_ascii=False)), "")
    yield from ("Answer:", "", *code_block("text", example.text), "")


def _changes_in_words(files: Mapping[str, str]) -> str:
    return " and ".join(f"`{name}` becomes `{_json(content)}`" for name, content in files.items())


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
