"""Whether what suture makes is what an SDK's own types describe."""

from typing import Any

from pydantic import TypeAdapter


def fits(value: dict[str, Any], shape: Any) -> bool:
    """Whether a typed dictionary of an SDK takes this value, and knows each of its keys."""
    TypeAdapter(shape).validate_python(value, strict=True)
    return set(value) <= set(shape.__annotations__)
