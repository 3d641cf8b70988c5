"""Check messages against the types of an SDK."""

from typing import Any

from pydantic import TypeAdapter


def fits(value: dict[str, Any], shape: Any) -> bool:
    """Whether a typed dictionary of an SDK accepts this value with all of its keys."""
    TypeAdapter(shape).validate_python(value, strict=True)
    return set(value) <= set(shape.__annotations__)
