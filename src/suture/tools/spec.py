"""What a tool is. One `ToolSpec` makes the schema, the command line, the MCP tool and the reference page."""

from __future__ import annotations

from suture import render
from suture.json_text import parsed
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from suture.errors import SutureError
    from suture.plan import Change, Plan
    from suture.session import Session
    from suture.tools.request import Request


class Rows:
    """A list of objects. One that comes as JSON is made when it is asked for: most callers only pass the text on."""

    def __init__(self, made: list[dict[str, Any]] | None = None, text: str = "[]") -> None:
        self._made = made
        self._text = text

    def made(self) -> list[dict[str, Any]]:
        """The list."""
        if self._made is None:
            self._made = parsed(self._text)
        return self._made


class Answer(Record):
    """What a tool says: the text a model reads, and the same as data."""

    text: str
    data: dict[str, Any]
    verbatim: bool = False
    """Whether the text is a file's own and nothing may be added to it."""
    is_error: bool = False
    rows: Rows | None = None
    """The list that the answer is, where it is one."""

    def made_rows(self) -> list[dict[str, Any]]:
        """That list; empty where it is none."""
        return [] if self.rows is None else self.rows.made()


class Proposal(Record):
    """An editing tool's plan, and how its result is told once it landed (or would have: None)."""

    plan: Plan
    describe: Callable[[Change | None], Answer]
    checked: bool = False
    """Whether the tool has checked what it would write, and tells it."""


class Example(Record):
    """A call that works: run as a test, printed in the reference. `files` is the workspace before it.

    `earlier` is what was done there: files written together, or tools called. `<id>` and `<time>` stand for any.
    """

    title: str
    files: dict[str, str]
    arguments: dict[str, Any]
    text: str
    earlier: tuple[dict[str, str] | str, ...] = ()


class ToolSpec(Record):
    """A tool. A reading one has `read`; an editing one has `plan`, and never writes itself."""

    name: str
    title: str
    description: str
    request: type[Request]
    examples: tuple[Example, ...]
    read: Callable[[Session, Any], Answer] | None = None
    plan: Callable[[Session, Any], Proposal] | None = None
    explain: Callable[[Mapping[str, object], SutureError], Answer] | None = None
    """How a failure is told, where the tool's specification has a shape for that."""
    own_clock: bool = False
    """Whether it sees to its time itself, and gives what it has when that is over."""
    serial: bool = False
    """Whether the plan is made under the lock only, because it depends on what landed before."""

    @property
    def annotations(self) -> dict[str, bool]:
        """What an MCP client is told about the tool's effects."""
        if self.read is not None:
            return {"readOnlyHint": True, "openWorldHint": False}
        return {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": False}

    @property
    def output_schema(self) -> dict[str, Any] | None:
        """The JSON schema of its results' metadata, failures included; None where nothing is promised, as for lists."""
        from suture.tools.results import RESULTS  # only what is told to clients needs it

        return RESULTS.get(self.name)

    def definition(self) -> dict[str, Any]:
        """The tool as data, as `suture tools --json` prints it."""
        output = self.output_schema
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.request.schema(),
            **({} if output is None else {"outputSchema": output}),
            "annotations": self.annotations,
            "examples": [{"title": each.title, "arguments": each.arguments} for each in self.examples],
        }


class ToolResult(Record):
    """What a call gives back. It never raises: a failure is a result with `is_error`."""

    is_error: bool
    text: str
    metadata: dict[str, Any]
    listed: Rows | None = None

    @classmethod
    def failed(cls, error: SutureError) -> ToolResult:
        """The result that tells an error."""
        return cls(is_error=True, text=render.error_text(error), metadata={"error": render.error_data(error)})

    @property
    def data(self) -> Any:
        """The result as data: a list, where the text is one; else the metadata."""
        return self.metadata if self.listed is None else self.listed.made()

    @property
    def rows(self) -> list[dict[str, Any]] | None:
        """The list that the result is, where it is one."""
        return None if self.listed is None else self.listed.made()

    def to_dict(self) -> dict[str, Any]:
        """The result as the protocols spell it."""
        return {
            "isError": self.is_error,
            "content": [{"type": "text", "text": self.text}],
            "metadata": self.metadata,
        }
