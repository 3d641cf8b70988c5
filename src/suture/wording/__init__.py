"""Sentences for errors and outcomes, which are data everywhere else.

Every message says what happened and where; every hint says what to do next. Both are written for an audience: a model,
someone at a terminal, the editor dialect, `apply_patch`. Phrases that several sentences share are here;
`wording.messages` has an entry for each error code, which a test checks; `wording.edits` has the entries for edits
that could not be placed, also in a block of a reply; `wording.editor` has those of the editor dialect. They are loaded
only when a call fails. `wording.reply` has what is wrong with a reply as a whole.
"""

from __future__ import annotations

from suture.audience import MODEL, Agent, Editor
from suture.errors import InputTooLarge, PermissionDenied, ReadFailed, RegexTimeout
from suture.json_text import dumps
from suture.shapes import Data, json_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, TypeVar

    from suture.audience import Audience
    from suture.errors import LineRange, SutureError
    from suture.files.recovery import Recovered
    from suture.match.diagnose import Difference
    from suture.plan import Trouble
    from suture.shapes import Findings, FoundIssue, KnownClipboard, SkippedCheck, WrittenOn

    E = TypeVar("E", bound=SutureError)
    Sentence = Callable[[Any, Audience], str]
    Words = tuple[Sentence, Sentence]
    """What happened, and what to do about it, for an audience."""


_MAX_VALUE_CHARS = 300  # characters of a value in a sentence
_MAX_COPY_CHARS = 200  # characters of a line that is shown verbatim
_SHORT_ID = 12  # characters of a commit's id
LINE = 120
"""Characters of each line where several are shown."""
AS_SENT = {"exact", "line_ends", None}
"""The rungs of a text that is in the file exactly as it was sent; None if there was no text to find."""
RUNG_WORDS = {
    "exact": "exactly",
    "line_ends": "ignoring line endings",
    "trailing": "ignoring trailing whitespace",
    "indentation": "ignoring indentation",
    "trimmed": "ignoring its first or last line",
    "look_alike": "ignoring look-alike characters",
    "escape": "ignoring escapes, line numbers or a code fence",
    "tokens": "ignoring whitespace",
    "elision": "around elided lines",
    "rebased": "as it was in an earlier version",
    "similar": "by similarity",
}
"""How a text was found, by the names of `match.ladder.LADDER`."""
_MAX_QUOTE_CHARS = 40  # characters of either side of a difference
_NAMES = {" ": "space", "\t": "tab", "\u00a0": "no-break space", "\u200b": "zero-width space"}
_SHOWN_FURTHER = 10  # failures after the first
_MAX_CORRECTION_CHARS = 400  # characters of a corrected edit among further failures
_SHOWN_ISSUES = 10  # that a check found in new content; also of checks that did not run
_SHOWN_FILES = 3  # that were only checked for conflict markers
_SHOWN_EXISTING = 5  # issues that the file had before the edit
_SYNTAX, _CONFLICT = "invalid-syntax", "conflict-marker"
_NOT_REPEATED = {
    *(
        "path",
        "total",
        "total_edits",
        "edit_index",
        "index",
        "search_text",
        "expected_occurrences",
        "attempt",
        "indent",
    ),
    *("file_preview", "similar_content", "match_locations", "region", "words", "unique"),
}
"""Fields that a call's further failures leave out: they repeat what was sent, or are long."""
_PATHS = {"folder", "files", "markers_only", "other", "path", "paths"}
"""Fields that are paths, in every error."""
_PATHS_IN = {
    *(("FILE_NOT_FOUND", "near"), ("NOT_RECORDED", "near")),
    *(("INVALID_GLOB", "pattern"), ("NO_FILES_MATCHED", "pattern")),
}
"""Other fields that are paths, by the code of the error."""
_CUT_IN_SENTENCE = {"character", "search_text", "text", "base", "ours", "theirs", "line", "prefix", "marker"}
"""Fields that the sentences cut and escape themselves."""


class _SafeFields:
    """An error's fields, safe to show: no control characters, limited in length."""

    def __init__(self, error: SutureError) -> None:
        self._error = error

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._error, name)
        if isinstance(value, list):
            return [plain(item) if isinstance(item, str) else item for item in value]
        return plain(value) if isinstance(value, str) and name not in _CUT_IN_SENTENCE else value


def message(error: SutureError, audience: Audience = MODEL) -> str:
    """What happened, in a sentence."""
    error = as_seen(error, audience)
    return _words(error, audience)[0](_SafeFields(error), audience)


def hint(error: SutureError, audience: Audience = MODEL) -> str:
    """What to do about it, in a sentence."""
    error = as_seen(error, audience)
    return _words(error, audience)[1](_SafeFields(error), audience)


def details(error: SutureError, audience: Audience = MODEL) -> list[str]:
    """What is known about why it happened: places, differences, the file's own lines."""
    from suture.wording.edits import DETAILS

    error = as_seen(error, audience)
    known = DETAILS.get(error.code)
    if isinstance(audience, Editor):
        from suture.wording.editor import EDITOR_DETAILS

        known = EDITOR_DETAILS.get(error.code)
    elif isinstance(audience, Agent):
        from suture.wording.agent import AGENT_DETAILS

        known = AGENT_DETAILS.get(error.code, known)
    return [] if known is None else list(known(error, audience))


def as_seen(error: SutureError, audience: Audience) -> SutureError:
    """The error with its paths as the audience writes them."""
    if error.seen_from == audience.folder:
        return error
    copy = error.evolve()
    copy.__dict__.update(vars(error))  # also what is not a field
    for name, value in error.fields().items():
        is_path = name in _PATHS or (error.code, name) in _PATHS_IN or _unusable_file(error) == value
        copy.__dict__[name] = _with_paths(value, audience, is_path=is_path)
    copy.seen_from = audience.folder
    return copy


def _with_paths(value: Any, audience: Audience, *, is_path: bool) -> Any:
    """A field of an error with its paths converted, also those of objects in it."""
    if isinstance(value, str):
        return audience.path(value) if is_path else value
    if isinstance(value, list):
        return [_with_paths(item, audience, is_path=is_path) for item in value]
    if not isinstance(value, Data):
        return value
    fields = ((name, item, name in _PATHS) for name, item in vars(value).items())
    return value.evolve(**{name: _with_paths(item, audience, is_path=is_path) for name, item, is_path in fields})


def _words(error: SutureError, audience: Audience) -> Words:
    """The sentences for an error: the audience's own, if there are any."""
    from suture.wording.messages import MESSAGES, dialect

    return dialect(audience).get(error.code) or MESSAGES[error.code]


def error_data(error: SutureError, audience: Audience = MODEL) -> dict[str, Any]:
    """An error as `metadata.error` has it."""
    further = [_further(*part, audience) for part in error.further]
    return {
        "code": error.code,
        "message": message(error, audience),
        "hint": hint(error, audience),
        "retryable": error.retryable,
        **_json_fields(error),
        **({"further_failures": further} if further else {}),
        **({"unexamined": error.unexamined} if error.unexamined else {}),
        **({"edit_index": error.at_edit[0], "total_edits": error.at_edit[1]} if error.at_edit else {}),
    }


def _json_fields(error: SutureError) -> dict[str, Any]:
    return {name: json_value(value) for name, value in error.fields().items()}


def _further(
    index: int,
    error: SutureError,
    detailed: bool,  # noqa: FBT001  one of the three values of `Further`
    audience: Audience,
) -> dict[str, Any]:
    """A further failure of a call: what happened, and if it was examined, its fields."""
    data: dict[str, Any] = {"index": index, "code": error.code, "message": message(error, audience)}
    if not detailed:
        return data
    known = {
        name: value for name, value in _json_fields(error).items() if name not in _NOT_REPEATED and value is not None
    }
    return {**data, "hint": hint(error, audience), **known}


def error_text(error: SutureError, audience: Audience = MODEL) -> str:
    """An error as text: what happened, what is known, what to do."""
    error = as_seen(error, audience)
    if isinstance(audience, Agent):
        from suture.wording.agent import failure_text

        return failure_text(error, audience)
    from suture.wording.edits import EDIT_TEXTS

    is_fixed = error.code in EDIT_TEXTS and not isinstance(audience, Editor)
    lines = EDIT_TEXTS[error.code](error, audience) if is_fixed else _error_lines(error, audience)
    return "\n".join([*lines, *_further_lines(error, audience)])


def _error_lines(error: SutureError, audience: Audience) -> Iterator[str]:
    yield audience.mark_failure(f"{error.code}:", message(error, audience))
    yield from details(error, audience)
    yield hint(error, audience)


def _further_lines(error: SutureError, audience: Audience) -> Iterator[str]:
    """The further failures of a call, one line each, with a correction if it is short."""
    if error.further:
        yield f"{count(len(error.further), 'more failure')} in this call:"
    for _, other, _ in error.further[:_SHOWN_FURTHER]:
        yield f"- {other.code}: {message(other, audience)}"
        fits = getattr(other, "correction", None)
        if fits is not None:
            edit = dumps({"old_text": fits.old_text, "new_text": fits.new_text})
            if len(edit) <= _MAX_CORRECTION_CHARS:
                yield f"  Send this edit instead: {edit}"
    if len(error.further) > _SHOWN_FURTHER:
        yield f"… and {len(error.further) - _SHOWN_FURTHER} more (error.further_failures)."
    if error.unexamined:
        yield f"{count(error.unexamined, 'more part')} not checked: time limit reached."


def error_line(error: SutureError, audience: Audience = MODEL, *, several: bool) -> str:
    """An error as the regex tools show it: in the words of their specification, and what to do in a second line.

    `several`: the tool works on many files.
    """
    from suture.wording.messages import LINES

    error = as_seen(error, audience)
    if isinstance(error, PermissionDenied):
        doing = " writing" if error.operation == "write" else " reading" if several else ""
        words = f"Permission denied{doing}: {plain(error.path)}"
    elif error.code in LINES:
        words = LINES[error.code](error)
    else:
        words = message(error, audience)
    return f"{words}\n{_hint_of_line(error, audience, several=several)}"


def error_line_data(error: SutureError, audience: Audience = MODEL, *, several: bool) -> dict[str, Any]:
    """The same error as `metadata.error` has it."""
    return error_data(error, audience) | {"hint": _hint_of_line(error, audience, several=several)}


def _hint_of_line(error: SutureError, audience: Audience, *, several: bool) -> str:
    """What to do about an error of a regex tool: one that works on several files can leave one out."""
    error = as_seen(error, audience)
    words = hint(error, audience)
    path = _unusable_file(error) if several else None
    if path is None:
        return words
    from suture.files.glob import escape

    skip = f"To skip it, {audience.choose('exclude', plain(escape(path)))}"
    if isinstance(error, PermissionDenied):
        return f"{skip}; or ask the operator to change its permissions. Nothing was changed."
    return f"{words} {skip}."


def _unusable_file(error: SutureError) -> str | None:
    """The file that an error is about, if other files can be worked on without it."""
    if isinstance(error, InputTooLarge):
        return error.what if error.setting == "max_file_bytes" else None
    return error.path if isinstance(error, PermissionDenied | ReadFailed | RegexTimeout) else None


_ASIDE = {
    "back": "Some files had changed since; what could not be put back is in",
    "unknown": "The old content of files that it replaced or deleted is in",
}


def recovered_data(recovered: Recovered) -> dict[str, Any]:
    """A recovery as data."""
    return {
        "id": recovered.id,
        "direction": recovered.direction,
        "files": list(recovered.files),
        "aside": list(recovered.aside),
    }


def recovered_text(recovered: Recovered) -> str:
    """A recovery in words."""
    if recovered.direction == "unknown":
        text = f"A power cut interrupted change {recovered.id}; its temporary files were removed. Check recent edits."
    else:
        way = "was complete and has landed" if recovered.direction == "forward" else "has been rolled back"
        text = f"An interrupted transaction ({recovered.id}, {count(len(recovered.files), 'path')}) {way}."
    if recovered.aside:
        text += f" {_ASIDE[recovered.direction]} {', '.join(recovered.aside)}."
    return text


def trouble_data(trouble: Trouble) -> dict[str, Any]:
    """What is wrong with the history, as data."""
    return {"recorded": trouble.recorded, "reason": trouble.reason, "aside": trouble.aside}


def trouble_text(trouble: Trouble, subject: str = "This change") -> str:
    """What is wrong with the history, in words; `subject` is what cannot be undone."""
    if trouble.recorded:
        return f"The history was damaged; it is kept as {trouble.aside}. Earlier changes cannot be undone."
    why = "it was not recorded, because" if trouble.usable else "the history cannot be used,"
    return f"{subject} cannot be undone: {why} {trouble.reason}."


def plain(text: str) -> str:
    """A line that is safe to show: no control characters, limited in length."""
    short = text if len(text) <= _MAX_VALUE_CHARS else text[:_MAX_VALUE_CHARS] + "…"
    if short.isprintable():
        return short
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in short)


def as_path(path: str) -> str:
    """A path on a line of its own: it has no line breaks or other control characters, and is not cut."""
    return path if path.isprintable() else "".join(map(plain, path))


def as_it_is(line: str) -> str:
    """A line to be copied: no control characters except tabs, limited in length."""
    return "\t".join(map(plain, line[:_MAX_COPY_CHARS].split("\t")))


def origin(clipboard: KnownClipboard) -> str:
    """Where the text of a clipboard came from."""
    where = f"{'part of ' if clipboard.part else ''}{span(clipboard.start_line, clipboard.end_line)}"
    when = f" before change {clipboard.change_id}" if clipboard.change_id else ""
    if not when and clipboard.time:
        when = f" at {clipboard.time[:16].replace('T', ' ')} UTC"
    return f"{where} of {plain(clipboard.path)}{when}"


def count(number: int, noun: str) -> str:
    """A number of things, such as `1,234 files`."""
    return f"{number:,} {plural(number, noun)}"


def plural(number: int, noun: str) -> str:
    """The noun for a number of things."""
    return noun if number == 1 else f"{noun}{'es' if noun.endswith('ch') else 's'}"


def either(names: Sequence[str]) -> str:
    """Some names to choose from, such as `a, b or c`."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def few(side: str | None, most: int) -> list[str]:
    """The beginning of one side of a conflict."""
    if not side:
        return ["(no file)" if side is None else "(nothing)"]
    lines = side.split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    shown = [plain(line)[:LINE] for line in lines[:most]]
    more = len(lines) - most
    return shown if more <= 0 else [*shown[:-1], f"{shown[-1]} … and {count(more, 'line')} more"]


def side_by_side(sides: Mapping[str, str | None], most: int) -> Iterator[str]:
    """The sides of a conflict: the beginning of each, behind its name."""
    width = max(map(len, sides))
    for name, side in sides.items():
        yield from (f"  {name}:{' ' * (width - len(name))} {line}" for line in few(side, most))


def how_matched(rung: str | None) -> str:
    """How a text was found, in words."""
    return RUNG_WORDS.get(str(rung), f"by {str(rung).replace('_', ' ')}")


def in_symbol(symbol: str) -> str:
    """The class or function that a place is in, to be put after the place."""
    return f" in {plain(symbol)}" if symbol else ""


def version_name(version: WrittenOn) -> str:
    """The version of a file that a text was written on, in words."""
    source, known, until = version.source, version.id, version.until
    if source == "history":
        return f"change {known}" if known else f"the version before change {until}" if until else "an earlier version"
    named = {"read": "the version you read", "index": "the version in git's index"}
    return named.get(source) or f"commit {str(known)[:_SHORT_ID]}{' (HEAD)' if source == 'head' else ''}"


def _replaced_by(version: WrittenOn) -> str:
    """What replaced a version of a file, in words."""
    until = version.until
    if until is None:
        return "a later change"
    return f"change {until}" if version.source in {"read", "history"} else f"commit {until[:_SHORT_ID]}"


def provenance(why: str, version: WrittenOn | None) -> str:
    """The version that a text was written on, if it was not found as it was sent, and what happened to it since."""
    if version is None:
        return "It was in an earlier version of the file."
    did = {"deleted": "removed it", "conflict": "changed these lines"}.get(why)
    rest = f"{_replaced_by(version)} {did}" if did else "the file has changed since"
    if did and version.source == "history" and version.id is None and version.until:
        return f"{rest[0].upper()}{rest[1:]}."
    return f"It is in {version_name(version)}; {rest}."


def span(start_line: int, end_line: int) -> str:
    """Lines, in words."""
    return f"line {start_line}" if start_line >= end_line else f"lines {start_line}-{end_line}"


def span_of(lines: LineRange) -> str:
    """`span` of a range."""
    return span(lines["start_line"], lines["end_line"])


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd."""
    ending = "th" if number % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def shown_lines(start_line: int, text: str, most: int) -> list[str]:
    """The first lines of a region of a file, numbered."""
    return [f"    {start_line + at:6}  {line}" for at, line in enumerate(few(text, most))]


def first_line(text: str) -> str:
    """The first non-blank line of what was sent, to recognize it by, and the number of lines."""
    lines = text.removesuffix("\n").split("\n")
    shown = plain(next((line.strip() for line in lines if line.strip()), text))[:LINE]
    return f"{shown} … ({count(len(lines), 'line')})" if len(lines) > 1 else shown


def dry_run(forecast: str) -> str:
    """The sentence on a dry run; `forecast` says what the call would do."""
    return f"Dry run: {forecast}; nothing was written."


def in_argument(argument: str) -> str:
    """Where in a call's arguments something is, such as `edits[0].new_text`, at the beginning of a sentence."""
    part, dot, name = argument.rpartition("].")
    return f"{part}]: {name}" if dot else argument


def literal(audience: Audience) -> str:
    """What to do if a placeholder is meant as text."""
    return f"If the file should contain this line, {audience.add_literal()}."


def entry(
    kind: type[E],
    message: str | Callable[[E], str] = "",
    hint: str | Callable[[E], str] = "",
    *,
    message_for: Callable[[E, Audience], str] | None = None,
    hint_for: Callable[[E, Audience], str] | None = None,
) -> tuple[str, Words]:
    """An entry of a table of sentences: the code of a kind of error, its message and its hint.

    A string does not depend on the error's fields. `message_for` and `hint_for` also get the audience.
    """
    return kind.code, (message_for or _for_all(message), hint_for or _for_all(hint))


def _for_all(sentence: str | Callable[[E], str]) -> Sentence:
    """A sentence that is the same for every audience."""
    if isinstance(sentence, str):
        return lambda _error, _audience: sentence
    return lambda error, _audience: sentence(error)


def difference(differing: Difference) -> str:
    """A difference, in words."""
    if differing.what == "missing_line":  # not quoted: the message already has a line of what was sent
        return f"line {differing.sent_line} of your text is not at this place"
    words = _DIFFERENCES[differing.what](differing.expected, differing.found)
    return f"{words} ({differing.times} times)" if differing.times > 1 else words


def _space(white: str) -> str:
    """Whitespace in words: 2 tabs, 8 spaces."""
    if not white:
        return "none"
    runs: list[tuple[str, int]] = []
    for char in white:
        if runs and runs[-1][0] == char:
            runs[-1] = char, runs[-1][1] + 1
        else:
            runs.append((char, 1))
    return " and ".join(count(number, _NAMES.get(char, _point(char))) for char, number in runs[:3])


def _point(char: str) -> str:
    return f"U+{ord(char):04X}"


def _points(text: str) -> str:
    named = [f"{_point(char)}" + (f" ({_NAMES[char]})" if char in _NAMES else "") for char in text[:3]]
    return " ".join(named) or "nothing"


def _quote(text: str) -> str:
    try:
        shown = plain(text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))
    except UnicodeEncodeError:  # a lone surrogate in what was sent, which is no byte of the file
        shown = plain(text.encode("utf-8", "backslashreplace").decode())
    shown = f"{shown[:_MAX_QUOTE_CHARS]}…" if len(shown) > _MAX_QUOTE_CHARS else shown
    return f'"{shown}"' if "'" in shown else f"'{shown}'"


def _spacing(expected: str, actual: str) -> str:
    word = expected.rstrip() if expected.strip() and actual.strip() else ""
    sent, own = (text[len(word) :] for text in (expected, actual)) if actual.startswith(word) else (expected, actual)
    if word and not (sent + own).strip():
        if own == f"{sent} ":
            return f"Extra space after {_quote(word)}"
        return f"after {_quote(word)}: file has {_space(own)}, you sent {_space(sent)}"
    return f"whitespace: {_quote(actual)} in the file, {_quote(expected)} in your text"


def _quotes(expected: str, actual: str) -> str:
    kinds = {'"': "double", "'": "single"}
    own, sent = (next((kinds[char] for char in text if char in kinds), "other") for text in (actual, expected))
    return f"Uses {own} quotes instead of {sent} quotes"


def _other(expected: str, actual: str) -> str:
    if not expected or not actual:
        return f"only in {'the file' if actual else 'your text'}: {_quote(actual or expected)}"
    return f"{_quote(actual)} in the file, {_quote(expected)} in your text"


_DIFFERENCES: dict[str, Callable[[str, str], str]] = {
    "indentation": lambda sent, here: f"indentation: file has {_space(here)}, you sent {_space(sent)}",
    "trailing": lambda sent, here: f"at the end of the line: file has {_space(here)}, you sent {_space(sent)}",
    "spacing": _spacing,
    "line_end": lambda sent, here: f"line ends {_end(here)} in the file, {_end(sent)} in your text",
    "line_break": lambda sent, here: f"lines are broken differently: {here} in the file, {sent} in your text",
    "blank_line": lambda sent, _here: f"a blank line is only in {'your text' if sent else 'the file'}",
    "spelled": lambda sent, _here: f"your text has {sent} written out where the file has a line break",
    "exotic_space": lambda sent, here: f"{_points(here)} in the file, {_points(sent)} in your text",
    "case": lambda sent, here: f"case: {_quote(here)} in the file, {_quote(sent)} in your text",
    "look_alike": lambda sent, here: f"{_points(here)} in the file, {_points(sent)} in your text",
    "quotes": _quotes,
    "escape": lambda sent, here: f"escaped differently: {_quote(here)} in the file, {_quote(sent)} in your text",
    "entities": lambda sent, _here: f"your text has HTML entities ({sent}) instead of characters",
    "marks": _other,
    "composition": lambda sent, here: f"{_quote(here)} is {_points(here)} in the file, {_points(sent)} in your text",
    "numbers": lambda sent, _here: f"your text has line numbers ({_quote(sent)}) that are not in the file",
    "fence": lambda _sent, _here: "your text is in a code fence that is not in the file",
    "word": _other,
    "extra_line": lambda _sent, here: f"the file has an extra line here: {_quote(here.strip())}",
}


def _end(ending: str) -> str:
    return {"\r\n": "CRLF", "\n": "LF", "\r": "CR"}.get(ending, "without a line break")


def issue_parts(issue: FoundIssue) -> tuple[str, str, str]:
    """The place, the code and the message of a problem, safe to show."""
    warning = " (warning)" if issue.severity == "warning" else ""
    place = f"{issue.path}:{issue.line}:{issue.column}"
    return plain(place), plain(issue.code), plain(issue.message + warning)


def issue_line(issue: FoundIssue) -> str:
    """A problem in one line."""
    return " ".join(issue_parts(issue))


def new_lines(validation: Findings) -> Iterator[str]:
    """The problems that an edit introduces, errors first."""
    yield from _issue_lines(validation.new, _SHOWN_ISSUES, _unlisted(validation, "new"))


def required_lines(validation: Findings) -> Iterator[str]:
    """The required checks that could not run."""
    required = [_not_run(check) for check in validation.not_run if check.required]
    unlisted = _unlisted(validation, "not_run") if len(required) == len(validation.not_run) else 0
    yield from _some_lines(required, _SHOWN_ISSUES, len(required), unlisted)


def existing_errors(validation: Findings) -> list[str]:
    """The errors that the file had before."""
    issues = [issue for issue in validation.existing if issue.severity == "error"]
    unlisted = _unlisted(validation, "existing") if len(issues) == len(validation.existing) else 0
    return [*_issue_lines(issues, _SHOWN_ISSUES, unlisted)]


def other_lines(validation: Findings, *, existing: bool = True, required: bool = True) -> Iterator[str]:
    """The rest of the findings: existing problems, fixed ones, and checks that did not run."""
    if existing and validation.existing:
        yield "Existing problems, not caused by this edit:"
        yield from _issue_lines(validation.existing, _SHOWN_EXISTING, _unlisted(validation, "existing"))
    if validation.fixed:
        fixed = len(validation.fixed) + _unlisted(validation, "fixed")
        yield f"Fixed: {count(fixed, 'problem')}."
    unchecked = [_not_run(check) for check in validation.not_run if required or not check.required]
    shown = _some_lines(unchecked, _SHOWN_ISSUES, len(unchecked), _unlisted(validation, "not_run"))
    yield from (f"⚠️ Not validated: {line}" for line in shown)


def validation_lines(validation: Findings) -> list[str]:
    """The findings for an edit that landed, as tools append them to their text."""
    new, others = [*new_lines(validation)], [*markers_only_lines(validation), *other_lines(validation)]
    if validation.passed and not new:
        return ["✅ Validation Passed", *others]
    return [*(["⚠️ Validation found:", *new] if new else []), *others]


def markers_only_lines(validation: Findings) -> Iterator[str]:
    """That files were only checked for conflict markers, so that nobody takes them for valid."""
    if names := validation.markers_only:
        more = f" and {count(len(names) - _SHOWN_FILES, 'more file')}" if len(names) > _SHOWN_FILES else ""
        yield f"⚠️ Only conflict markers were checked in {plain(', '.join(names[:_SHOWN_FILES]))}{more}."


def errors_first(issues: Sequence[FoundIssue]) -> list[FoundIssue]:
    """Errors before warnings, a merge conflict before its consequences, and each syntax error's line only once."""
    shown: dict[tuple[str, int, str, str], FoundIssue] = {}
    for issue in issues:
        words = "" if issue.code == _SYNTAX else issue.message
        shown.setdefault((issue.path, issue.line, issue.code, words), issue)
    return sorted(shown.values(), key=lambda issue: (issue.severity != "error", issue.code != _CONFLICT))


def _not_run(check: SkippedCheck) -> str:
    return plain(f"{check.path} by {check.validator}: {check.reason}")


def _unlisted(validation: Findings, kind: str) -> int:
    """How many findings of a kind are not in the metadata."""
    number: int = getattr(validation.unlisted, kind, 0)  # left out if all are
    return number


def _issue_lines(issues: Sequence[FoundIssue], most: int, unlisted: int) -> Iterator[str]:
    """Some problems, errors first, and how many others there are."""
    yield from _some_lines([*map(issue_line, errors_first(issues))], most, len(issues), unlisted)


def _some_lines(lines: list[str], most: int, listed: int, unlisted: int) -> Iterator[str]:
    """Some lines, and how many others there are: of those `listed` in the metadata, and of those that are not."""
    yield from lines[:most]
    if len(lines) > most or unlisted:
        others = listed - min(len(lines), most)
        where = f" ({others:,} of them in the metadata)" if unlisted else " in the metadata"
        yield f"… and {others + unlisted:,} more{where}"


def rejection_lines(validation: Findings) -> list[str]:
    """Why an edit is refused."""
    return [*new_lines(validation), *required_lines(validation)] or existing_errors(validation)
