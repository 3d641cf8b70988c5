"""Recorded conversations with a model, to run an agent without one.

A file has two lines of JSON for each request, in the format of the API: the new part of the request, and the reply. A
replay takes only the model's replies from the file; the agent really makes the calls. A request must answer the same
calls as the recorded one, with the same success or failure, or the next reply would not fit what happened.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import ValidationError

Ask: TypeAlias = Callable[..., Any]
"""An API's `create`: the request as keywords, the reply as an object of the SDK."""


class BadTranscript(Exception):
    """A recording that cannot be read, or that differs from the run."""


class Replay:
    """Replaces an API's `create`, and returns the recorded replies in order."""

    def __init__(self, file: Path, read: Callable[[Any], Any], new: Callable[[dict[str, Any]], Any]) -> None:
        self._file, self._read, self._new = file, read, new
        self._lines = list(_lines(file))
        self._at = 0

    @property
    def task(self) -> str:
        """The task of the recorded model."""
        return str(self._expected(0))

    def __call__(self, **request: Any) -> Any:
        """The next reply, as an object of the SDK."""
        expected, actual = self._expected(self._at), _outline(self._new(request))
        if actual != expected:
            raise BadTranscript(f"{self._place(self._at)}: expected {expected}, but the run sends {actual}")
        self._at += 2
        try:
            return self._read(self._line(self._at - 1))
        except ValidationError as error:
            raise BadTranscript(f"{self._place(self._at - 1)} is not a reply of this API: {error}") from None

    def _expected(self, index: int) -> Any:
        try:
            return _outline(line := self._line(index))
        except (AttributeError, LookupError, TypeError):
            raise BadTranscript(f"{self._place(index)}: expected a request, got {line!r:.200}") from None

    def _line(self, index: int) -> Any:
        if index >= len(self._lines):
            raise BadTranscript(f"{self._file} ends after {len(self._lines)} lines, but the run continues")
        return self._lines[index]

    def _place(self, index: int) -> str:
        return f"{self._file}, line {index + 1}"


class Recorder:
    """Passes requests on, and records them with their replies."""

    def __init__(self, ask: Ask, file: Path, new: Callable[[dict[str, Any]], Any]) -> None:
        self._ask, self._file, self._new = ask, file, new
        file.write_text("")

    def __call__(self, **request: Any) -> Any:
        """The reply to this request."""
        reply = self._ask(**request)
        with self._file.open("a", encoding="utf-8") as out:
            for message in (self._new(request), reply.model_dump(mode="json", by_alias=True, exclude_unset=True)):
                out.write(json.dumps(message, ensure_ascii=False) + "\n")
        return reply


def _lines(file: Path) -> Iterator[Any]:
    try:
        lines = file.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise BadTranscript(f"{file} cannot be read: {error}") from None
    for number, line in enumerate(lines, 1):
        try:
            yield json.loads(line)
        except ValueError as error:
            raise BadTranscript(f"{file}, line {number} is not JSON: {error}") from None


def _outline(message: Any) -> Any:
    """The part that must not differ: a text, or the answered calls and their outcomes."""
    content = message["content"] if isinstance(message, dict) else message
    if isinstance(content, str):
        return content
    if content[0].get("role") == "user":
        return content[0]["content"]
    return {answer.get("tool_use_id") or answer["call_id"]: _outcome(answer) for answer in content}


def _outcome(answer: dict[str, Any]) -> str:
    return "failed" if answer.get("is_error") or answer.get("status") == "failed" else "done"
