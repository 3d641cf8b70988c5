"""What a JSON schema of results is made of: each kind of value, with a line about it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Schema = dict[str, Any]
    Fields = dict[str, Schema]


def text(about: str, choices: Iterable[str] = ()) -> Schema:
    """A string, perhaps one of a few."""
    return {"type": "string", **({"enum": [*choices]} if choices else {}), "description": about}


def digest(about: str) -> Schema:
    """A content's hash."""
    return {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$", "description": about}


def integer(about: str) -> Schema:
    """A whole number."""
    return {"type": "integer", "description": about}


def number(about: str) -> Schema:
    """A number."""
    return {"type": "number", "description": about}


def flag(about: str) -> Schema:
    """True or false."""
    return {"type": "boolean", "description": about}


def values(about: str, of: str = "string") -> Schema:
    """A list of plain values."""
    return {"type": "array", "items": {"type": of}, "description": about}


def objects(about: str, always: Fields, sometimes: Fields | None = None) -> Schema:
    """A list of objects of one shape."""
    return {"type": "array", "items": _shape(always, sometimes), "description": about}


def object_of(about: str, always: Fields, sometimes: Fields | None = None) -> Schema:
    """An object: what it has `always`, and `sometimes`."""
    return {**_shape(always, sometimes), "description": about}


def _shape(always: Fields, sometimes: Fields | None) -> Schema:
    return {"type": "object", "properties": {**always, **(sometimes or {})}, "required": [*always]}


def nullable(schema: Schema) -> Schema:
    """The same, or null."""
    found = {**schema, "type": [schema["type"], "null"]}
    return {**found, "enum": [*schema["enum"], None]} if "enum" in schema else found
