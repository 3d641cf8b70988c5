"""The JSON objects that results and errors are made of: each is declared once, as a class of values with a schema.

    class Match(Data):
        line: int = integer("From 1")
        text: str = text("The line").optional

`Match(line=3).data()` is the JSON object, and `Match.schema()` describes it. An `.optional` field is omitted unless it
is given; `text=or_left_out(line)` gives it unless `line` is None, which would be null, and not fit the schema.
"""

from __future__ import annotations

from suture.records import Record, dataclass_transform

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Self

    Schema = dict[str, Any]


UNREAD_KINDS = (
    "call",  # of an edit tool, or in JSON
    "fields",  # in YAML or TOML, or after labels
    "tag",
    "file",  # a whole one in a tag or a call, if whole files were not asked for
    "fenced_file",  # a whole one in a fence with a path, if whole files were not asked for
    "markers",  # unknown ones
    "escaped",  # markers that are escaped
    "diff",  # one that names no file, or is of another kind
    "fences",
    "sentence",
    "heredoc",  # a shell command that writes a file
    "shell",  # a shell command that changes, moves or deletes files
)
"""Kinds of text that looks like an edit but was not read; `wording.reply` has their names."""


DIFFERENCE_KINDS = {
    "indentation": "whitespace",
    "trailing": "whitespace",
    "spacing": "whitespace",
    "line_end": "whitespace",
    "line_break": "whitespace",
    "blank_line": "whitespace",
    "spelled": "whitespace",
    "exotic_space": "whitespace",
    "case": "case",
    "look_alike": "punctuation",
    "quotes": "punctuation",
    "escape": "punctuation",
    "entities": "punctuation",
    "marks": "punctuation",
    "composition": "content",
    "numbers": "content",
    "fence": "content",
    "word": "content",
    "missing_line": "content",
    "extra_line": "content",
}
"""Kinds of differences between a text and a place, each with its type in the specification."""


class _LeftOut:
    """The value of an optional field that was not given."""

    def __repr__(self) -> str:
        return "LEFT_OUT"

    def __bool__(self) -> bool:
        return False


LEFT_OUT = _LeftOut()


class Field:
    """A key of an object: the JSON schema of its value, whether it is required, and the type of objects in it."""

    def __init__(self, schema: Schema, model: type[Data] | None = None, *, always: bool = True) -> None:
        self.schema = schema
        self.model = model
        self.always = always

    @property
    def optional(self) -> Field:
        """The same field, not required."""
        return Field(self.schema, self.model, always=False)

    @property
    def nullable(self) -> Field:
        """The same field, which may be null."""
        schema = {**self.schema, "type": [self.schema["type"], "null"]}
        schema |= {"enum": [*schema["enum"], None]} if "enum" in schema else {}
        return Field(schema, self.model, always=self.always)

    def with_description(self, about: str) -> Field:
        """The same field with another description."""
        return Field({**self.schema, "description": about}, self.model, always=self.always)

    def read(self, value: Any) -> Any:
        """A value, with objects of the field's type."""
        if self.model is None or value is None:
            return value
        return [*map(self.model.read, value)] if isinstance(value, list) else self.model.read(value)


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Data(Record):
    """An object in a result."""

    _shape: dict[str, Field] = {}  # noqa: RUF012  every class gets its own

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._shape = {name: getattr(cls, name) for name in cls._fields}
        cls._defaults = {name: LEFT_OUT for name, field in cls._shape.items() if not field.always}

    def data(self) -> dict[str, Any]:
        """The object as JSON values."""
        fields = ((name, self.__dict__[name]) for name in self._fields)
        return {name: json_value(value) for name, value in fields if value is not LEFT_OUT}

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """The object that has this data."""
        return cls(**{name: cls._shape[name].read(value) for name, value in data.items()})

    @classmethod
    def schema(cls) -> Schema:
        """The object's schema, without a description."""
        required = [name for name, field in cls._shape.items() if field.always]
        return {"type": "object", "properties": cls._properties(), "required": required}

    @classmethod
    def _properties(cls) -> dict[str, Schema]:
        """The properties, required ones first."""
        ordered = sorted(cls._shape.items(), key=lambda item: not item[1].always)
        return {name: field.schema for name, field in ordered}


def or_left_out(value: Any) -> Any:
    """The value of an optional field; None is omitted."""
    return LEFT_OUT if value is None else value


def json_value(value: object) -> object:
    """A value as JSON has it: objects, also those in a list, as dictionaries."""
    if isinstance(value, Data):
        return value.data()
    if isinstance(value, list) and value and isinstance(value[0], Data):
        return [item.data() for item in value]
    return value


def text(about: str, choices: Iterable[str] = ()) -> Any:
    """A string, or one of some choices."""
    return Field({"type": "string", **({"enum": [*choices]} if choices else {}), "description": about})


def digest(about: str) -> Any:
    """The hash of some content."""
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
    return Field({"type": "array", "items": model.schema(), "description": about}, model)


def member(about: str, model: type[Data]) -> Any:
    """An object."""
    return Field({**model.schema(), "description": about}, model)


def mapping(about: str) -> Any:
    """An object of any shape."""
    return Field({"type": "object", "description": about})


class FoundIssue(Data):
    """A problem that a check found."""

    path: str = text("The file")
    line: int = integer("From 1")
    column: int = integer("From 1")
    severity: str = text("How bad it is", ("error", "warning"))
    code: str = text("The check's own code")
    message: str = text("What is wrong")
    validator: str = text("The check")
    source: str = text("The text of that line")


class SkippedCheck(Data):
    """A check that did not run."""

    path: str = text("The file")
    validator: str = text("The check")
    reason: str = text("Why not")
    required: bool = flag("Whether the edit is rejected because of it")


class UnlistedFindings(Data):
    """How much more checks found than is listed."""

    new: int = integer("Problems that the edit introduces")
    existing: int = integer("Problems that were there before")
    fixed: int = integer("Problems that the edit fixes")
    not_run: int = integer("Checks that did not run")


class Findings(Data):
    """What checks of new content found."""

    passed: bool = flag(
        "Whether every check ran and found no error that counts; false if only conflict markers were checked"
    )
    new: list[FoundIssue] = objects("Problems that the edit introduces", FoundIssue)
    existing: list[FoundIssue] = objects("Problems that were there before", FoundIssue)
    fixed: list[FoundIssue] = objects("Problems that the edit fixes", FoundIssue)
    not_run: list[SkippedCheck] = objects("Checks that did not run", SkippedCheck)
    markers_only: list[str] = values("Files that were only checked for conflict markers").optional
    unlisted: UnlistedFindings = member("What is only counted, as it is too much", UnlistedFindings).optional


class WrittenOn(Data):
    """An earlier version of a file."""

    source: str = text("Where it was found", ("read", "history", "index", "head", "commit"))
    id: str | None = text("The change or commit that has it").nullable
    until: str | None = text("The change or commit that replaced it").nullable


class CorrectedEdit(Data):
    """The corrected edit, which applies."""

    old_text: str = text("The lines of the file")
    new_text: str = text("What they become")
    start_line: int = integer("First line, from 1")
    end_line: int = integer("Last line, inclusive")


class CorrectedSearch(Data):
    """The search and replacement that were probably meant."""

    search: str = text("The file's text")
    replace: str = text("Its replacement")


class UnreadEdit(Data):
    """A part of a reply that looks like an edit but was not read."""

    line: int = integer("The line of the reply at which it begins")
    kind: str = text("What it seems to be", UNREAD_KINDS)
    path: str | None = text("The file it seems to change").nullable
    edits: bool = flag("Whether it clearly edits a file; if true, the call is an error unless `only` is given")
    message: str = text("All of this in one sentence")


class KnownClipboard(Data):
    """A clipboard, and where its text came from."""

    name: str = text("Its name")
    path: str = text("The file")
    start_line: int = integer("First line, from 1, before the change")
    end_line: int = integer("Last line, inclusive")
    part: bool = flag("Whether it is only a part of these lines")
    change_id: str | None = text("The change that cut it; null for a copy").nullable
    time: str = text("When it was filled, in UTC, as RFC 3339; empty if the history could not store it")


class UndoClash(Data):
    """A place where later changes conflict with an undo."""

    path: str = text("The file")
    line: int = integer("From 1")
    base: str | None = text("The text after the change").nullable
    ours: str | None = text("The current text").nullable
    theirs: str | None = text("The text that the undo would write").nullable
    about: str = text("Only if the sides are names, or files that were replaced as a whole", ("name", "file")).optional
    truncated: bool = flag("True if a side is truncated").optional


class Highlight(Data):
    """A part of a line."""

    line_number: int = integer("From 1")
    column_start: int = integer("From 1")
    column_end: int = integer("Exclusive")


class FilePreview(Data):
    """The lines that a failed edit is about."""

    total_lines: int = integer("Of the file")
    preview_start_line: int = integer("From 1")
    preview_end_line: int = integer("Inclusive")
    content: str = text("The lines")
    highlights: list[Highlight] = objects("What to look at", Highlight)


class MatchLocation(Highlight):
    """Where a text occurs."""

    line_content: str = text("The line")
    symbol: str = text("The class or function that the line is in; empty if none, or after the first ten")
    context_before: str = text("The line before").optional
    context_after: str = text("The line after").optional


class NamedDifference(Data):
    """A difference between a text and a place."""

    type: str = text("Kind of difference", dict.fromkeys(DIFFERENCE_KINDS.values()))
    name: str = text("The exact kind", DIFFERENCE_KINDS)
    expected: str = text("The text that was sent")
    found: str = text("The text in the file")
    line_number: int = integer("From 1")
    description: str = text("In words")


class SimilarContent(Data):
    """A place similar to the text to find."""

    line_number: int = integer("From 1")
    content: str = text("The text there")
    similarity_score: float = number("Up to 1")
    symbol: str = text("The class or function that it is in, if any")
    differences: list[NamedDifference] = objects("The differences", NamedDifference)
