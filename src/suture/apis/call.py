"""One call of a tool, as the APIs share it."""

from __future__ import annotations

from suture.errors import InvalidArguments
from suture.json_text import loads
from suture.records import Record
from suture.tools.spec import ToolResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeGuard


_CUT_OFF = "cut off: the reply ended inside this call, by its length limit or a filter; send it again, in smaller parts"


def sendable(value: Any) -> Any:
    """A JSON value in which U+FFFD replaces what is not a character."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {sendable(name): sendable(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [sendable(item) for item in value]
    return value


class Call(Record):
    """One call of a tool."""

    name: str
    arguments: object
    """An object, or the JSON of one; None for no arguments; or what makes them, or raises InvalidArguments."""
    tell: Callable[[ToolResult], dict[str, Any]]
    """What the API is sent for this call."""
    together: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]
    """The messages that carry what several calls are told."""
    cut_off: bool = False
    """Whether the reply ended before the call was complete, so that a part of it may look like the whole."""

    def run(self, tool: Callable[[str, object], ToolResult]) -> ToolResult:
        """Make the call; what is wrong with its arguments is a result, too."""
        try:
            if self.cut_off:
                raise _refusal(_CUT_OFF)
            given = self.arguments() if callable(self.arguments) else self.arguments
            given = _decoded(given) if isinstance(given, str) else given
        except InvalidArguments as error:
            return ToolResult.failed(error)
        return tool(self.name, given)


def separately(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """`Call.together` of an API that wants a message for each call."""
    return told


def plain(value: Any) -> dict[str, Any]:
    """A dictionary, or what an object of an SDK would be as one."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, type):
        if hasattr(value, "model_dump"):  # pydantic, which every one of these SDKs is made with
            made: dict[str, Any] = value.model_dump(by_alias=True, warnings=False)
            return made
        if hasattr(value, "to_dict"):
            return plain(value.to_dict())
    raise TypeError(f"expected a dictionary or an object of an API's SDK, not {type(value).__name__}")


def is_text(value: object) -> TypeGuard[str]:
    """Whether this is a string with something in it."""
    return isinstance(value, str) and value != ""


def named(call: dict[str, Any], key: str = "name") -> str:
    """The call's name, or id, without which there is nobody to answer."""
    if not is_text(found := call.get(key)):
        raise ValueError(f"a tool call needs a {key!r}; this one has only {', '.join(map(repr, call)) or 'nothing'}")
    return found


def _decoded(text: str) -> object:
    """What JSON says. Nothing at all is no arguments; line breaks inside of strings can only mean one thing."""
    if not text.strip():
        return {}
    try:
        return loads(text)
    except (ValueError, RecursionError):
        import json  # only what is broken needs it

        try:
            return json.loads(text, strict=False)
        except (ValueError, RecursionError) as error:
            raise _refusal(f"expected JSON: {error}") from None


def _refusal(problem: str) -> InvalidArguments:
    return InvalidArguments.of("(all)", problem)
