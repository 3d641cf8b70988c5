"""The types of the tools' results, from which their JSON schemas are derived.

    class FileReadResult(ToolData):
        path: str = results.PATH
        size: int = results.integer("Of the whole file, in bytes")

`FileReadResult(path=…, size=…).data()` is what a call gives back, `FileReadResult.output_schema()` what clients are
told about it. A field that is `.optional` is left out unless it is given.

A schema fits whatever a call gives, for clients check failures, too: what worked has all the keys that are always
there, what failed has `error`. Keys may be added later: nothing that a schema does not name is refused.

Rejected: references and formats. Not every client knows them, and one that does not takes the result for a wrong one.
"""

from __future__ import annotations

from suture.records import Record, dataclass_transform

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Schema = dict[str, Any]


class _LeftOut:
    """The value of an optional field that was not given."""

    def __repr__(self) -> str:
        return "LEFT_OUT"


LEFT_OUT = _LeftOut()


class Field:
    """A key of a result: the JSON schema of its value, and whether it is always there."""

    def __init__(self, schema: Schema, *, always: bool = True) -> None:
        self.schema = schema
        self.always = always

    @property
    def optional(self) -> Field:
        """The same, but not always there."""
        return Field(self.schema, always=False)

    @property
    def nullable(self) -> Field:
        """The same, or null."""
        schema = {**self.schema, "type": [self.schema["type"], "null"]}
        return Field({**schema, "enum": [*schema["enum"], None]} if "enum" in schema else schema, always=self.always)

    def with_description(self, about: str) -> Field:
        """The same with another description."""
        return Field({**self.schema, "description": about}, always=self.always)


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Data(Record):
    """An object in a result."""

    _shape: dict[str, Field] = {}  # noqa: RUF012  every class gets its own

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._shape = {name: getattr(cls, name) for name in cls._fields}
        cls._defaults = {name: LEFT_OUT for name, field in cls._shape.items() if not field.always}

    def data(self) -> dict[str, Any]:
        """The object as JSON has it."""
        fields = ((name, self.__dict__[name]) for name in self._fields)
        return {name: _plain(value) for name, value in fields if value is not LEFT_OUT}

    @classmethod
    def schema(cls) -> Schema:
        """The object's schema, without a description."""
        required = [name for name, field in cls._shape.items() if field.always]
        return {"type": "object", "properties": cls._properties(), "required": required}

    @classmethod
    def _properties(cls) -> dict[str, Schema]:
        """What is always there comes first."""
        ordered = sorted(cls._shape.items(), key=lambda item: not item[1].always)
        return {name: field.schema for name, field in ordered}


def or_left_out(value: Any) -> Any:
    """The value of an optional field, which None leaves out."""
    return LEFT_OUT if value is None else value


def _plain(value: object) -> object:
    if isinstance(value, Data):
        return value.data()
    if isinstance(value, list) and value and isinstance(value[0], Data):
        return [item.data() for item in value]
    return value


def text(about: str, choices: Iterable[str] = ()) -> Any:
    """A string, perhaps one of a few."""
    return Field({"type": "string", **({"enum": [*choices]} if choices else {}), "description": about})


def digest(about: str) -> Any:
    """A content's hash."""
    return Field({"type": "string", "pattern": "^sha256:[0-9a-f]{64}$", "description": about})


def integer(about: str) -> Any:
    """A whole number."""
    return Field({"type": "integer", "description": about})


def number(about: str) -> Any:
    """A number."""
    return Field({"type": "number", "description": about})


def flag(about: str) -> Any:
    """True or false."""
    return Field({"type": "boolean", "description": about})


def values(about: str, of: str = "string") -> Any:
    """A list of plain values."""
    return Field({"type": "array", "items": {"type": of}, "description": about})


def objects(about: str, model: type[Data]) -> Any:
    """A list of objects of one type."""
    return Field({"type": "array", "items": model.schema(), "description": about})


def member(about: str, model: type[Data]) -> Any:
    """An object."""
    return Field({**model.schema(), "description": about})


def mapping(about: str) -> Any:
    """An object of any shape."""
    return Field({"type": "object", "description": about})


def error(about: str, model: type[Failure]) -> Any:
    """An error: what fields it has besides depends on its code."""
    described = member(f"{about}. Further fields depend on the code", model)
    return Field({**described.schema, "additionalProperties": True})


class Failure(Data):
    """What an error always tells."""

    code: str = text("Stable name of the error")
    message: str = text("What happened")
    hint: str = text("What to do about it")
    retryable: bool = flag("Whether the same call may succeed later")


class _Problem(Data):
    argument: str = text("Which one")
    problem: str = text("What is wrong with it")
    nearest: str = text("The one that was probably meant").optional


class ToolFailure(Failure):
    """The error of a call. A tool whose errors have fields of their own adds them."""

    problems: list[_Problem] = objects("INVALID_ARGUMENTS: what does not fit", _Problem).optional


class Rejection(ToolFailure):
    """The error of a call whose result checks may reject."""

    files: list[str] = values("VALIDATION_FAILED: the files").optional
    validation: dict[str, Any] = mapping("VALIDATION_FAILED: what checks found, as in a result").optional
    diff: str = text("VALIDATION_FAILED: what would have changed").optional


class _HistoryNote(Data):
    recorded: bool = flag("Whether this change can be undone")
    reason: str = text("What is wrong")
    aside: str | None = text("Where a damaged history was put").nullable


class _RecoveryNote(Data):
    id: str = text("That transaction")
    direction: str = text(
        "back: rolled back; forward: complete, has landed; unknown: a power cut destroyed its intent",
        ("back", "forward", "unknown"),
    )
    files: list[str] = values("The paths that it was about")
    aside: list[str] = values("Files that hold content that recovery could not leave in place or put back")


_HISTORY = member("Only if something is wrong with the history", _HistoryNote)
_RECOVERED = member("Only if an interrupted transaction was cleared up before this call", _RecoveryNote)
_NO_CHANGE = flag("True if the call leaves every file as it was; left out otherwise")


class ToolData(Data):
    """The result of a tool. What may be noted of any call is added to it by the workspace."""

    failure = ToolFailure  # no annotation, so no field: the type of its errors

    @classmethod
    def output_schema(cls) -> Schema:
        """The schema of whatever a call gives: the result, or an error."""
        failure = error("Only if the call, or a part of it, failed", cls.failure)
        notes = {"history": _HISTORY, "recovered": _RECOVERED, "error": failure}
        if "change_id" in cls._shape:
            notes["no_change"] = _NO_CHANGE
        always = [name for name, field in cls._shape.items() if field.always]
        return {
            "type": "object",
            "properties": cls._properties() | {name: field.schema for name, field in notes.items()},
            "anyOf": [{"required": always}, {"required": ["error"]}],
        }


ACTIONS = ("create", "update", "delete", "rename")
PATH = text("The file, relative to the workspace root; absolute below an extra root")
CHANGE_ID = text("The change that landed, for undo; null if nothing was changed").nullable
HASH = digest("Of the file's new content, for expect_hash; in a dry run, of what it would be")
DIFF = text("All that changes, as a unified diff; empty if nothing does")
DRY_RUN = flag("True if nothing was to be written; left out otherwise").optional
WARNINGS = values("What may not have been meant, but was done")
START_LINE = integer("First line, from 1")
END_LINE = integer("Last line, inclusive")


class ChangedFile(Data):
    """A file of a plan."""

    path: str = PATH
    action: str = text("What happens to it", ACTIONS)
    hash: str | None = digest("Of its new content; null if it is deleted").nullable
    to: str = text("Its new name, if it is renamed").optional


FILES = objects("The files that change", ChangedFile)


class Issue(Data):
    """A problem that a check found."""

    path: str = text("The file")
    line: int = integer("From 1")
    column: int = integer("From 1")
    severity: str = text("How bad it is", ("error", "warning"))
    code: str = text("The check's own code")
    message: str = text("What is wrong")
    validator: str = text("The check")
    source: str = text("The line it is in")


class NotRun(Data):
    """A check that could not be carried out."""

    path: str = text("The file")
    validator: str = text("The check")
    reason: str = text("Why not")
    required: bool = flag("Whether the edit is rejected for that")


class Validation(Data):
    """What checks of a new content found."""

    passed: bool = flag("Whether every check was run and found no error that counts")
    new: list[Issue] = objects("Problems that the edit brings", Issue)
    existing: list[Issue] = objects("Problems that were there before", Issue)
    fixed: list[Issue] = objects("Problems that the edit takes away", Issue)
    not_run: list[NotRun] = objects("Checks that could not be carried out", NotRun)


VALIDATION = member("What checks of the new content found", Validation)
VALIDATION_IF_ASKED = VALIDATION.with_description("Only with validate: what checks of the new content found").optional
