"""Text that can be sent as UTF-8: a file that is no UTF-8, or a name, is half surrogates inside suture."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def sendable(value: Any) -> Any:
    """A JSON value in which U+FFFD stands for what is no character."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {sendable(name): sendable(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [sendable(each) for each in value]
    return value
