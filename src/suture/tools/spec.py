"""What a tool is: its arguments, and how they are read and checked; its function; its examples.

    class FileRead(Request):
        path: str = text("Path of the file")
        start_line: int = integer("First line", default=1, minimum=1)

`FileRead.parse(arguments)` returns a `FileRead` or raises `InvalidArguments`, which names every problem and, for an
unknown argument, the nearest known one. It accepts unambiguous mistakes of models: a number as a string, a list as JSON
text, a single object instead of a list of objects.

Rejected: pydantic. It is good, but importing it takes 95 ms, eight times as long as starting Python; `suture call`
would spend more time on that than on everything else together (docs/adr/0002).
"""

from __future__ import annotations

from suture import wording
from suture.audience import MODEL
from suture.budget import (
    LINE_CHARS,
    MORE,
    NOTICE_CHARS,
    Excerpt,
    are_lines_short,
    cut_data,
    cut_rows,
    cut_sentences,
    cut_text,
    describe_cut,
    first_lines,
)
from suture.errors import InvalidArguments
from suture.json_text import loads, loads_own
from suture.records import Record, dataclass_transform

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence
    from typing import Any, Self

    from suture.audience import Audience
    from suture.engine.session import Session
    from suture.errors import SutureError
    from suture.plan import Change, Plan
    from suture.tools.results import ToolData


class Rows:
    """A list of objects, as JSON. It is decoded on demand: most callers only pass the text on."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._objects: list[dict[str, Any]] | None = None

    def objects(self) -> list[dict[str, Any]]:
        """The decoded list."""
        if self._objects is None:
            self._objects = loads_own(self.text)
        return self._objects


class Answer(Record):
    """A tool's answer: the text that a model reads, and the same as data."""

    text: str
    data: dict[str, Any]
    verbatim: bool = False
    """Whether the text is a file's own, so that nothing may be added to it."""
    is_error: bool = False
    rows: Rows | None = None
    """The list, if the answer is one."""
    hints: tuple[str, ...] = ()
    """Hints and warnings beside a text to which nothing may be added: a sentence each, in a second block of text."""
    above: str = ""
    """A diff above the text, in a fence. If an answer is too long for a model, its diff is cut first."""
    below: Excerpt = Excerpt()
    """A diff below the text."""
    ending: str = ""
    """The last lines of the text, which are kept if it is cut: what failed, and warnings."""
    more: str = MORE
    """How to get the rest of a text that is cut, such as "view one of the folders"."""
    view: View | None = None
    """Makes a shorter answer, if the tool knows best what to leave out."""


class View(Record):
    """What an answer shows a part of, such as a file."""

    def within(self, most: int) -> Answer:
        """The answer with up to `most` characters of text, hints included."""
        raise NotImplementedError


class Proposal(Record):
    """An editing tool's plan, and the function that describes its result: the change that landed, or None."""

    plan: Plan
    describe: Callable[[Change | None], Answer]
    checked: bool = False
    """Whether the tool itself checks the new content and reports the findings."""
    failed: tuple[str, ...] = ()
    """The parts of the request that the plan leaves out because they failed, and why: a sentence each."""


class Example(Record):
    """A call that works: run as a test, printed in the reference. `files` is the workspace before it.

    `earlier` is what was done before: files written together, or tools called. `<id>` and `<time>` match any.
    """

    title: str
    files: dict[str, str]
    arguments: dict[str, Any]
    text: str
    earlier: tuple[dict[str, str] | str, ...] = ()


class ToolSpec(Record):
    """A tool. A reading tool has `read`; an editing tool has `plan`, and does not write itself."""

    name: str
    title: str
    description: str
    request: type[Request]
    examples: tuple[Example, ...]
    read: Callable[[Session, Any], Answer] | None = None
    plan: Callable[[Session, Any], Proposal] | None = None
    result: type[ToolData] | None = None
    """The type of its results' metadata; None if nothing is promised, as for lists."""
    explain: Callable[[Mapping[str, object], SutureError, Audience], Answer] | None = None
    """Describes a failure, if the tool's specification has a shape for that."""
    own_clock: bool = False
    """Whether it limits its time itself, and returns what it has when the time is over."""
    locked: bool = False
    """Whether it reads under the workspace's lock, because it writes to the history."""
    serial: bool = False
    """Whether the plan is made only under the lock, because it depends on what landed before."""
    audience: Audience | None = None
    """Who reads its answers; None: whoever reads those of the workspace."""

    @property
    def annotations(self) -> dict[str, bool]:
        """The tool's effects, as MCP annotations."""
        if self.read is not None:
            return {"readOnlyHint": True, "openWorldHint": False}
        return {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": False}

    @property
    def output_schema(self) -> dict[str, Any] | None:
        """The JSON schema of its results' metadata, including failures; None if nothing is promised."""
        return None if self.result is None else self.result.output_schema()

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
            "examples": [{"title": example.title, "arguments": example.arguments} for example in self.examples],
        }


_NOTE = "Note: "


class ToolResult(Record):
    """The result of a call. A call never raises: a failure is a result with `is_error`."""

    is_error: bool
    answer: str
    """The tool's text."""
    metadata: dict[str, Any]
    listed: Rows | None = None
    notes: tuple[str, ...] = ()
    """What the workspace adds: a recovery, or a history that cannot be written."""
    verbatim: bool = False
    """Whether the tool's text is a file's own, so that the notes are not added to it."""
    hints: tuple[str, ...] = ()
    """What the tool says beside such a text."""
    source: Answer | None = None
    """What the tool answered, for `within`."""

    @classmethod
    def of(cls, answer: Answer) -> ToolResult:
        """The result for a tool's answer."""
        text = _join_parts(answer.above, answer.text, answer.below.text)
        verbatim, hints = answer.verbatim, answer.hints
        return cls(answer.is_error, text, answer.data, answer.rows, verbatim=verbatim, hints=hints, source=answer)

    @classmethod
    def failed(cls, error: SutureError, audience: Audience = MODEL) -> ToolResult:
        """The result for an error."""
        data = {"error": wording.error_data(error, audience)}
        return cls(is_error=True, answer=wording.error_text(error, audience), metadata=data)

    def __eq__(self, other: object) -> bool:
        """Whether both say the same, wherever it comes from."""
        return isinstance(other, ToolResult) and vars(self.evolve(source=None)) == vars(other.evolve(source=None))

    __hash__ = Record.__hash__

    @property
    def text(self) -> str:
        """The first block of text; for most tools, the only one."""
        return "\n\n".join([self.answer, *([] if self.verbatim else self._notes())])

    @property
    def blocks(self) -> list[str]:
        """The blocks of text: hints and notes that may not be added to the first are in a second one."""
        beside = [*self.hints, *(self._notes() if self.verbatim else [])]
        return [self.text, *(["\n".join(beside)] if beside else [])]

    def _notes(self) -> list[str]:
        return [f"{_NOTE}{note}" for note in self.notes]

    @property
    def data(self) -> Any:
        """The result as data: the list, if there is one; else the metadata."""
        return self.metadata if self.listed is None else self.listed.objects()

    @property
    def rows(self) -> list[dict[str, Any]] | None:
        """The list, if the result is one."""
        return None if self.listed is None else self.listed.objects()

    def within(self, most: int) -> ToolResult:
        """Cut this result to what a model reads: `most` characters of text in all its blocks, and as many of metadata.

        A diff is cut first, then the text, from its end: it begins with what happened, and with what failed. Notes and
        hints stay. What is cut ends with how much there is in all, and how to get the rest.
        """
        notes, hints = (cut_sentences(sentences, most // 4) for sentences in (self.notes, self.hints))
        beside = sum(len(_NOTE) + len(sentence) + 2 for sentence in [*hints, *notes])
        part = self._cut_answer(most - beside)
        data = cut_data({**self.metadata, **part.data}, most)
        return self.evolve(answer=part.text, notes=notes, hints=(*part.hints, *hints), metadata=data)

    def _cut_answer(self, room: int) -> Answer:
        """What the tool said, cut; with hints on what is cut if nothing may be added to the text."""
        source = self.source or Answer(self.answer, {})
        if source.view is not None:
            whole = len(self.answer) <= room and are_lines_short(self.answer)
            return Answer(self.answer, {}) if whole else source.view.within(room)
        if source.rows is not None:
            return _cut_rows(self.answer, source.rows, room)
        diff_room = NOTICE_CHARS * bool(source.above or source.below.text)
        words = cut_text(source.text, room - diff_room, source.more, ending=source.ending)
        room -= len(words) + 2
        above = cut_text(source.above, room, source.more, ending=source.above.rpartition("\n")[2])
        below = cut_text(source.below.text, room, source.more, total=source.below.total)
        return Answer(_join_parts(above, words, below), {})

    def to_dict(self) -> dict[str, Any]:
        """The result in the shape of the protocols."""
        return {
            "isError": self.is_error,
            "content": [{"type": "text", "text": block} for block in self.blocks],
            "metadata": self.metadata,
        }


def _join_parts(*parts: str) -> str:
    return "\n\n".join(filter(None, parts))


def _cut_rows(text: str, listed: Rows, room: int) -> Answer:
    """A list, cut at an item, or its lines if they are the text; a hint says what is missing."""
    if len(text) <= min(room, LINE_CHARS):
        return Answer(text, {})
    rows, is_json = listed.objects(), text == listed.text
    if len(text) <= room and are_lines_short(rows if is_json else text):
        return Answer(text, {})
    if is_json:
        shown, kept = cut_rows(rows, room - NOTICE_CHARS)
    else:
        shown, left = first_lines(text, room - NOTICE_CHARS)
        kept = len(rows) - left
    return Answer(shown, {}, hints=(describe_cut(rows, kept),))


_REQUIRED = object()
_NUMBER_TEXT = 20  # characters of a string that is read as a number
_MAX_INTEGER = 2**53  # readers that treat JSON's numbers as floats round a larger one
_MAX_UNKNOWN_ARGUMENTS = 100  # unknown arguments that are reported one by one: each is compared with the known ones
_MAX_PROBLEMS = 100  # problems of the items of a list, after which the rest are not checked
_SAME_MEANING = (
    (
        *("old_text", "old_string", "old_str", "oldText", "oldString", "old", "search", "find"),
        *("expected_text", "search_replace", "edits", "patches"),
    ),
    (
        *("new_text", "new_string", "new_str", "newText", "newString", "new", "replace", "replacement"),
        *("new_content", "search_replace", "edits", "patches"),
    ),
    ("content", "file_text", "contents", "text"),
)
"""What tools call the text to find, its replacement, and a whole file; each with the arguments that contain it."""
_MAX_NAME_CHARS = 100  # characters of an argument's or an encoding's name
_PATH_NAMES = (
    ("path", "file_path"),
    ("file_path", "path"),
    *(("path_pattern", name) for name in ("path", "file_path", "glob")),
)
"""What a tool calls its path, and what a model may call it."""
_JSON_AROUND = 30  # characters that are quoted on each side of a mistake in JSON
_DIGITS = 64  # of SHA-256 in hexadecimal


class _WrongError(ValueError):
    """A value is not valid: what was expected, and where inside the argument."""

    def __init__(self, problem: str, where: str = "") -> None:
        super().__init__(problem)
        self.problems = [{"argument": where, "problem": problem}]

    @classmethod
    def of(cls, problems: Sequence[Mapping[str, str]], where: str = "") -> Self:
        """The error for all problems of an object or a list at one place inside the argument."""
        error = cls(problems[0]["problem"])
        error.problems = [{**problem, "argument": where + problem["argument"]} for problem in problems]
        return error


class Argument:
    """One argument: its kind, bounds and default, and a line of description."""

    expected = "a value"

    def __init__(self, about: str, *, default: object = _REQUIRED, **bounds: Any) -> None:
        self.about = about
        self.default = default
        self.required = default is _REQUIRED
        """Whether a call must have it."""
        self.bounds = bounds
        self.listed = bounds.get("listed", True)
        """Whether the schema has it; a tool may accept more than its schema says."""

    def check(self, value: object) -> object:
        """The value as the tool takes it; raises an error that says what is expected."""
        raise NotImplementedError

    def schema(self, *, full: bool = False) -> dict[str, Any]:
        """The argument as JSON schema; with `full`, with a description that models are not told."""
        schema = {**self.kind(), **self.inside(full=full)}
        if full or self.bounds.get("told", True):
            schema["description"] = self.about
        if not self.required and self.default is not None:
            schema["default"] = self.default
        return schema

    def kind(self) -> dict[str, Any]:
        """The part of the schema that says what values are possible."""
        raise NotImplementedError

    def inside(self, *, full: bool) -> dict[str, Any]:  # noqa: ARG002  only arguments with objects need it
        """The part of the schema that describes the objects in a value; `full` as for `schema`."""
        return {}

    def wrong(self, value: object) -> _WrongError:
        """The error for a value of another kind."""
        return _WrongError(f"expected {self.expected}, got {_describe(value)}")


class _Text(Argument):
    expected = "a string"

    def check(self, value: object) -> object:
        choices = self.bounds.get("choices")
        if choices and value not in choices:
            raise _WrongError(f"expected one of {', '.join(choices)}, got {_describe(value)}")
        if not isinstance(value, str):
            raise self.wrong(value)
        longest = self.bounds.get("longest")
        if longest is not None and len(value) > longest:
            raise _WrongError(f"expected at most {longest} characters, got {len(value):,}")
        return value

    def kind(self) -> dict[str, Any]:
        choices = self.bounds.get("choices")
        return {"type": "string", "enum": list(choices)} if choices else {"type": "string"}


def whole_number(bounds: Mapping[str, Any]) -> str:
    """What a number must be, within a minimum and a maximum if there are any, in words."""
    low, high = bounds.get("minimum"), bounds.get("maximum")
    if low is None:
        return "a whole number"
    return f"a whole number of at least {low}" if high is None else f"a whole number from {low} to {high}"


class _Content(_Text):
    """A text, or a JSON value in its place; the tool decides whether it takes one."""

    def check(self, value: object) -> object:
        return value if isinstance(value, dict | list) else super().check(value)


class _Integer(Argument):
    def __init__(self, about: str, **more: Any) -> None:
        super().__init__(about, **more)
        self.expected = whole_number(self.bounds)

    def check(self, value: object) -> object:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, str) and len(value) < _NUMBER_TEXT and value.strip().removeprefix("-").isdecimal():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or abs(value) > _MAX_INTEGER:
            raise self.wrong(value)
        low, high = self.bounds.get("minimum"), self.bounds.get("maximum")
        if (low is not None and value < low) or (high is not None and value > high):
            raise _WrongError(self.bounds.get("words") or f"expected {self.expected}, got {value}")
        return value

    def kind(self) -> dict[str, Any]:
        return {"type": "integer"} | {name: self.bounds[name] for name in ("minimum", "maximum") if name in self.bounds}


class _Flag(Argument):
    expected = "true or false"

    def check(self, value: object) -> object:
        if isinstance(value, str) and value.lower() in {"true", "false"}:
            return value.lower() == "true"
        if not isinstance(value, bool):
            raise self.wrong(value)
        return value

    def kind(self) -> dict[str, Any]:
        return {"type": "boolean"}


class _Items(Argument):
    expected = "a list of objects"

    def check(self, value: object) -> object:
        if isinstance(value, str):
            value = _decode_json(value, self.expected)
        if isinstance(value, dict):
            value = [value]
        if not isinstance(value, list):
            raise self.wrong(value)
        parsed: list[Request] = []
        problems: list[dict[str, str]] = []
        for index, item in enumerate(value):
            try:
                parsed.append(_parse_object(self.bounds["model"], item, f"[{index}]"))
            except _WrongError as error:
                problems += error.problems
                if len(problems) >= _MAX_PROBLEMS:
                    break
        if problems:
            raise _WrongError.of(problems)
        return parsed

    def kind(self) -> dict[str, Any]:
        return {"type": "array"}

    def inside(self, *, full: bool) -> dict[str, Any]:
        return {"items": self.bounds["model"].schema(full=full)}


class _Object(Argument):
    def check(self, value: object) -> object:
        value = _decode_json(value, "an object") if isinstance(value, str) else value
        if isinstance(value, list) and len(value) > 1:
            raise _WrongError(f"expected one object, got a list of {len(value):,}: make a call for each")
        return _parse_object(self.bounds["model"], value[0] if isinstance(value, list) and value else value)

    def kind(self) -> dict[str, Any]:
        return {}

    def inside(self, *, full: bool) -> dict[str, Any]:
        schema: dict[str, Any] = self.bounds["model"].schema(full=full)
        return schema


def _parse_object(model: type[Request], value: object, where: str = "") -> Request:
    value = _decode_json(value, "an object", where) if isinstance(value, str) else value
    if not isinstance(value, dict):
        raise _WrongError(f"expected an object, got {_describe(value)}", where)
    try:
        return model.parse(value)
    except InvalidArguments as error:
        raise _WrongError.of(error.problems, f"{where}.") from None


class _Texts(Argument):
    expected = "a list of strings"

    def check(self, value: object) -> object:
        if isinstance(value, str):
            value = items if isinstance(items := _decode(value), list) else [value]
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            raise self.wrong(value)
        return list(value)

    def kind(self) -> dict[str, Any]:
        return {"type": "array", "items": {"type": "string"}}


class _Ids(_Texts):
    expected = 'a list of ids, such as ["1", "3.2"]'

    def check(self, value: object) -> object:
        if isinstance(value, str):
            decoded = _decode(value)
            value = decoded if isinstance(decoded, list) else value.replace(",", " ").split()
        value = value if isinstance(value, list | tuple) else [value]
        if any(isinstance(item, bool) or (isinstance(item, int) and abs(item) > _MAX_INTEGER) for item in value):
            raise self.wrong(value)
        return super().check(
            [str(item) if isinstance(item, int) else f"{item:g}" if isinstance(item, float) else item for item in value]
        )


class _Hashes(Argument):
    expected = "a hash, or an object of path: hash"

    def check(self, value: object) -> object:
        if isinstance(value, str) and value.lstrip().startswith("{"):
            value = _decode(value)
        if isinstance(value, str):
            return self._hash(value)
        if isinstance(value, dict) and all(isinstance(digest, str) for digest in value.values()):
            return {path: self._hash(digest, f"[{path!r:.{_MAX_NAME_CHARS}}]") for path, digest in value.items()}
        raise self.wrong(value)

    @staticmethod
    def _hash(value: str, where: str = "") -> str:
        """A hash as results spell it; one that no file can have is a wrong argument, not a file that changed."""
        digits = value.strip().casefold().removeprefix("sha256:")
        if len(digits) != _DIGITS or not set(digits) <= set("0123456789abcdef"):
            problem = f"expected sha256: and {_DIGITS} hexadecimal digits, as in results, got {_describe(value)}"
            raise _WrongError(problem, where)
        return f"sha256:{digits}"

    def kind(self) -> dict[str, Any]:
        return {"anyOf": [{"type": "string"}, {"type": "object", "additionalProperties": {"type": "string"}}]}


def text(about: str, *, default: object = _REQUIRED, choices: Sequence[str] = (), **how: bool) -> Any:
    """A string, or one of some choices. `how`: `listed` and `told` are false for what a schema leaves out."""
    return _Text(about, default=default, choices=tuple(choices), **how)


def content(about: str) -> Any:
    """The content of a file: a string, or a JSON value, which is not in the schema; None if omitted."""
    return _Content(about, default=None)


def integer(about: str, *, default: object = _REQUIRED, words: str | None = None, **bounds: int) -> Any:
    """A whole number, optionally with `minimum` and `maximum`; `words` is the message for one outside them.

    `listed` and `told` as for `text`.
    """
    return _Integer(about, default=default, words=words, **bounds)


def flag(about: str, *, default: bool = False, **how: bool) -> Any:
    """True or false; `how` as for `text`."""
    return _Flag(about, default=default, **how)


def items(about: str, *, model: type[Request], default: object = _REQUIRED) -> Any:
    """A list of objects, each read by `model`."""
    return _Items(about, default=default, model=model)


def member(about: str, *, model: type[Request]) -> Any:
    """An object, read by `model`; None if omitted."""
    return _Object(about, default=None, model=model)


def texts(about: str) -> Any:
    """A list of strings, empty if omitted."""
    return _Texts(about, default=())


def ids(about: str) -> Any:
    """A list of ids such as 1 and 3.2, which may be sent as numbers; None if omitted."""
    return _Ids(about, default=None)


def encoding(of: str = "a file that has no byte order mark and is not UTF-8") -> Any:
    """The encoding of one file; `of` describes the files."""
    return _Text(f"Encoding (a Python codec name) of {of}", default=None, longest=_MAX_NAME_CHARS)


def literal(*, listed: bool = True) -> Any:
    """Whether placeholders are text."""
    about = "Write lines such as '# ... existing code ...' literally; by default they are refused if they delete text"
    return _Flag(about, default=False, listed=listed)


# Arguments that several tools have.
DRY_RUN = flag("Show what would happen and change nothing")
ENCODING = encoding()
EXCLUDE = texts("Globs of files and folders to skip; a glob without / matches names at any depth")
EXPECT_HASH: Any = _Hashes("Hash the file must have, as returned by an earlier call; or {path: hash}", default=None)
EXPECTED_TEXT = text("The current text of the lines; if they differ, nothing is changed", default=None)
INCLUDE_IGNORED = flag("Include files that .gitignore ignores")
LITERAL = literal()
MATCH = text(
    "How far the file may differ from the text to find: not at all, in whitespace, or in provably harmless ways",
    default="lenient",
    choices=("exact", "whitespace", "lenient"),
)
MODE = text(
    "Validation mode: strict (reject on error), interactive (warn), verify_only (no write)",
    default="strict",
    choices=("strict", "interactive", "verify_only"),
)
PATHS = texts(
    "Files, folders (recursively), and globs such as 'src/**/*.js' (default: the current folder). Hidden and ignored "
    "files are skipped unless they are named"
)
VALIDATE = text(
    "Check the result before it is written: report errors (warn), reject errors that the edit introduces (strict), or "
    "reject any error (all)",
    default="off",
    choices=("off", "warn", "strict", "all"),
)


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Request(Record):
    """The arguments of one call, checked."""

    @classmethod
    def arguments(cls) -> dict[str, Argument]:
        """The arguments by name."""
        return cls._defaults

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> Self:
        """Check a call's arguments: null means omitted, and `path` and `file_path` mean the same."""
        known = cls.arguments()
        optional = {name for name, argument in known.items() if not argument.required}
        given = without_null(_rename_path(given, known), optional)
        unknown = [name for name in given if name not in known]
        problems = [_unknown_argument(str(name), known) for name in unknown[:_MAX_UNKNOWN_ARGUMENTS]]
        if len(unknown) > _MAX_UNKNOWN_ARGUMENTS:
            problems.append({"argument": "…", "problem": f"{len(unknown) - _MAX_UNKNOWN_ARGUMENTS:,} more are unknown"})
        values: dict[str, object] = {}
        for name, argument in known.items():
            if name not in given:
                if argument.required:
                    choices = argument.bounds.get("choices")
                    needed = f"{argument.about}, one of {', '.join(choices)}" if choices else argument.about
                    problems.append({"argument": name, "problem": f"missing: {needed}" if needed else "missing"})
                else:
                    values[name] = argument.default
                continue
            try:
                values[name] = argument.check(given[name])
            except _WrongError as error:
                problems += _WrongError.of(error.problems, name).problems
        if problems:
            raise InvalidArguments(problems=problems)
        return cls(**values)

    @classmethod
    def schema(cls, *, full: bool = False) -> dict[str, Any]:
        """The model as JSON schema; with `full`, with the descriptions that models are not told."""
        known = cls.arguments()
        return {
            "type": "object",
            "properties": {name: argument.schema(full=full) for name, argument in known.items() if argument.listed},
            "required": [name for name, argument in known.items() if argument.required],
            "additionalProperties": False,
        }


def _rename_path(given: Mapping[str, object], known: Container[str]) -> Mapping[str, object]:
    """A call's arguments, with the name that this tool has for its path."""
    for own, other in _PATH_NAMES:
        if own not in known or other in known or other not in given:
            continue
        rest = {name: value for name, value in given.items() if name != other}
        if given[other] is None:
            return rest
        if given.get(own) is None:
            return {own if name == other else name: value for name, value in given.items() if name != own}
    return given


def without_null(given: Mapping[str, object], names: Container[str]) -> dict[str, object]:
    """A call's arguments; for these names, null means omitted."""
    return {name: value for name, value in given.items() if value is not None or name not in names}


def rename_fields(given: Mapping[str, object], own_names: Mapping[str, str]) -> dict[str, object]:
    """A call's arguments, with other tools' names replaced by our own; an argument given under both stays unknown."""
    fields: dict[str, object] = {}
    for name, value in given.items():
        own = own_names.get(name, name)
        fields[name if own in given else own] = value
    return fields


def gather(given: Mapping[str, object], holder: str, fields: Container[str]) -> dict[str, object]:
    """A call's arguments; the fields of a single item may be given instead of the list `holder`."""
    item = {name: value for name, value in given.items() if name in fields}
    if given.get(holder) is not None or not item:
        return dict(given)
    return {name: value for name, value in given.items() if name not in fields} | {holder: [item]}


def _unknown_argument(name: str, known: Mapping[str, Argument]) -> dict[str, str]:
    name = name[:_MAX_NAME_CHARS]
    names = [listed for listed, argument in known.items() if argument.listed]
    same = [other for group in _SAME_MEANING if name in group for other in group]
    near = next((other for other in same if other in names), None)
    if not same:
        from difflib import get_close_matches  # only a failure needs it

        near = next(iter(get_close_matches(name, names, 1, 0.5)), None)
    if near is None:
        return {"argument": name, "problem": f"unknown; choose from {', '.join(names)}"}
    model = known[near].bounds.get("model")
    field = next((f"{other} in " for other in same if model is not None and other in model.arguments()), "")
    return {"argument": name, "problem": f"unknown; did you mean {field}{near}?", "nearest": near}


def _decode(value: str) -> object:
    try:
        return loads(value)
    except RecursionError:
        return value
    except ValueError:
        return _decode_loosely(value)


def _decode_loosely(value: str) -> object:
    """Decode JSON whose strings have raw line breaks: models write that, and it is unambiguous."""
    import json

    try:
        return json.loads(value, strict=False) if _is_like_json(value) else value
    except (ValueError, RecursionError):
        return value


def _is_like_json(value: str) -> bool:
    return value.lstrip()[:1] in {"[", "{"}


def _decode_json(value: str, expected: str, where: str = "") -> object:
    """Decode JSON; a text that begins like JSON, and is not, is refused with the place of the mistake."""
    decoded = _decode(value)
    if isinstance(decoded, str) and _is_like_json(value):
        raise _WrongError(f"expected {expected}, got a string that is not valid JSON: {_json_problem(value)}", where)
    return decoded


def _json_problem(value: str) -> str:
    """What the parser says about a text that is not JSON, where, and the text around."""
    import json

    try:
        json.loads(value, strict=False)
    except json.JSONDecodeError as error:
        at = error.pos
        before, after = value[max(at - _JSON_AROUND, 0) : at], value[at : at + _JSON_AROUND]
        around = f"between {before!r} and {after!r}" if after.strip() else f"at the end, after {before!r}"
        return f"{error.msg.removesuffix(' at')} at line {error.lineno}, column {error.colno}, {around}"
    except RecursionError:
        pass
    return "it is nested too deeply"


def _describe(value: object) -> str:
    names = {dict: "an object", list: "a list", bool: "true or false", type(None): "null"}
    if isinstance(value, str):
        return f"the string {value[:40]!r}" + ("…" if len(value) > 40 else "")  # noqa: PLR2004  what fits a line
    if type(value) in names:
        return names[type(value)]
    if isinstance(value, int) and abs(value) > _MAX_INTEGER:
        return "a number too large for JSON"
    return f"the number {value!r:.40}" if isinstance(value, int | float) else "a value that JSON does not have"
