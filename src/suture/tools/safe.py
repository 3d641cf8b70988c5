"""`safe_edit`: content, lines or search and replace, behind validators."""

from __future__ import annotations

from itertools import islice, pairwise

from suture import shapes, wording
from suture.bounds import check_limit, check_size, timed
from suture.engine.checks import check_changes
from suture.errors import (
    Drifted,
    FileChanged,
    InvalidArguments,
    LineOutOfBounds,
    OverlappingLines,
    PatternNotFound,
    PermissionDenied,
    ProtectedPath,
    SutureError,
    TooManyReplacements,
    ValidationFailed,
)
from suture.plan import Plan
from suture.records import Record
from suture.shapes import CorrectedSearch, Findings
from suture.text.edits import edit, minimize, splice
from suture.text.replace import adapt_endings, occurrences
from suture.tools import results, spec
from suture.tools.check import validation_data
from suture.tools.results import (
    check_hash,
    check_placeholders,
    check_surrogates,
    check_writable,
    shrinkage,
    whole_lines,
)
from suture.tools.spec import Answer, Example, Proposal, Request, ToolSpec
from suture.wording import existing_errors, markers_only_lines, new_lines, other_lines, rejection_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, Self

    from suture.audience import Audience
    from suture.engine.session import Session
    from suture.plan import Change, Create, Snapshot, Update
    from suture.text import Text
    from suture.text.edits import Edit

_CROSS = "❌"
_SHOWN_PROBLEMS = 8  # of the arguments
_SHORTEST_FENCE = 3  # backticks
_EDIT_ERRORS = {
    "LINE_OUT_OF_BOUNDS",
    "OVERLAPPING_LINES",
    "DRIFTED",
    "INVALID_REGEX",
    "INVALID_CAPTURE_GROUP",
    "REGEX_TIMEOUT",
}
_FILE_ERRORS = {"PERMISSION_DENIED", "READ_FAILED", "WRITE_FAILED"}
_SHOWN_ELSEWHERE = {"validation", "diff", "replacements"}  # fields of an error that are in another part of the answer
MODES = ("content", "line_edits", "search_replace")
NO_MODE = "At least one edit mode must be specified (content, line_edits, or search_replace)"
TWO_MODES = "Only one edit mode can be specified at a time"
_JSON_INDENT = 2  # spaces, of a new file
_FLAG_NAMES = {
    "i": 2,
    "ignorecase": 2,
    "m": 8,
    "multiline": 8,
    "s": 16,
    "dotall": 16,
    "u": 32,
    "unicode": 32,
    "x": 64,
    "verbose": 64,
    "a": 256,
    "ascii": 256,
    "g": 0,
    "global": 0,
}
"""Names of flags in Python, and their letters in other languages; all occurrences are replaced anyway."""
_MAX_FLAG_CHARS = 40  # characters of a number, and of an unknown name in an error
_KNOWN_FLAGS = 2 | 8 | 16 | 32 | 64 | 256  # I, M, S, U, X and A of `re`, which is not loaded for them


def whole(text: Text, content: str) -> list[Edit]:
    """The edits that replace a whole text; its byte order mark and encoding stay."""
    content = content.removeprefix("\ufeff") if text.bom else content
    new = text.body_bytes(content)
    return minimize(text.body, [edit(0, len(text.body), new)])


def json_content(value: object, now: str) -> str:
    """A JSON value as the text of a file, with the indentation, line endings and end of its text until now."""
    import json  # most contents are texts

    indented = next((line for line in now.split("\n") if line.strip() and line[0] in " \t"), "")
    indent: str | int | None = indented[: len(indented) - len(indented.lstrip())] or _JSON_INDENT
    separators = None
    if now.strip() not in {"", "{}", "[]"} and "\n" not in now.strip():
        indent, separators = None, None if " " in now.strip() else (",", ":")
    try:
        text = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators)
    except (TypeError, ValueError, RecursionError):  # another value of Python, in itself, or nested too deeply
        raise InvalidArguments.of("content", "it cannot be written as JSON") from None
    text += "" if now and not now.endswith("\n") else "\n"
    return text.replace("\n", "\r\n") if "\r\n" in now else text


def by_lines(name: str, text: Text, edits: Sequence[LineEdit], near: Sequence[str]) -> list[Edit]:
    """The edits of line ranges, all of which refer to the text as it is. `near` are files that may be meant instead."""
    total = len(text.lines)
    for line_edit in edits:
        for which, line in (("start_line", line_edit.start_line), ("end_line", line_edit.end_line)):
            if line > total:
                raise LineOutOfBounds(path=name, which=which, line=line, total_lines=total, near=list(near))
    in_order = sorted(edits, key=lambda line_edit: (line_edit.start_line, line_edit.end_line))
    for earlier, later in pairwise(in_order):
        if earlier.end_line >= later.start_line:
            first, second = ((line_edit.start_line, line_edit.end_line) for line_edit in (earlier, later))
            raise OverlappingLines(first=first, second=second)
    return [_by_lines(name, text, line_edit) for line_edit in in_order]


def _by_lines(name: str, text: Text, line_edit: LineEdit) -> Edit:
    lines, body = text.lines, text.body
    start, end = lines.span(line_edit.start_line)[0], lines.span(line_edit.end_line)[1]
    if line_edit.expected_text is not None:
        _check_expected(name, text, line_edit, body[start:end])
    ending = lines.ending(line_edit.end_line)
    new = line_edit.new_content.encode("utf-8", "surrogatepass")
    check_surrogates(text, line_edit.new_content, "")
    check_writable(text, new, body[start:end])
    if not new:
        return edit(start, end, b"")
    new = adapt_endings(body, start, end, new)
    finished = new.endswith(b"\n") or (new.endswith(b"\r") and ending in {b"", b"\r"})
    if ending and not finished:
        new += ending
    elif finished and not ending:
        bare = new.removesuffix(b"\n").removesuffix(b"\r")
        new = new if bare == body[start:end] else bare  # the same text with a line ending: that is what is to be added
    return edit(start, end, new)


def _check_expected(name: str, text: Text, line_edit: LineEdit, actual: bytes) -> None:
    """Refuse lines that do not have the expected text, ignoring line endings."""
    assert line_edit.expected_text is not None  # noqa: S101  asked only then
    expected = _bare(line_edit.expected_text.encode("utf-8", "surrogatepass"))
    if _bare(actual) == expected:
        return
    places = occurrences(text.body, expected, 20) if expected else []
    stands_at = [text.lines.at(start) for start, _ in places]
    raise Drifted(
        path=name,
        start_line=line_edit.start_line,
        end_line=line_edit.end_line,
        text=actual.decode("utf-8", "replace"),
        stands_at=stands_at,
    )


def _bare(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n").removesuffix(b"\n")


def by_search(session: Session, name: str, text: Text, search: SearchReplace) -> list[Edit]:
    """The edits of a search and replace, from left to right."""
    most = session.settings.max_replacements
    limit = min(search.count, most + 1) if search.count else most + 1
    if search.regex:
        edits = _by_pattern(session, name, text, search, limit)
        _check_number(len(edits), most)
        check_size(name, len(text.body) + sum(change.growth for change in edits))
        return edits
    old, new = _old_and_new(text, search)
    spans = occurrences(text.body, old, limit)
    _check_number(len(spans), most)
    check_size(name, len(text.body) + len(spans) * (len(new) - len(old)))
    return [edit(start, end, adapt_endings(text.body, start, end, new)) for start, end in timed(spans)]


def _check_number(number: int, most: int) -> None:
    if number > most:
        raise TooManyReplacements(found=number, limit=most, setting="max_replacements")


def _old_and_new(text: Text, search: SearchReplace) -> tuple[bytes, bytes]:
    """The two texts as bytes; refuses a new text that the file's encoding does not have."""
    if not search.search:
        raise InvalidArguments.of("search_replace.search", "empty: say what to search for")
    old = search.search.encode("utf-8", "surrogatepass")
    new = search.replace.encode("utf-8", "surrogatepass")
    check_surrogates(text, search.replace, search.search)
    check_writable(text, new, old)
    return old, new


def _by_pattern(session: Session, name: str, text: Text, search: SearchReplace, limit: int) -> list[Edit]:
    from suture.patterns.engines import Clock
    from suture.patterns.python import PythonPattern, parse_template

    settings = session.settings
    check_limit("The pattern", len(search.search), settings, "max_pattern_chars", "characters")
    pattern = PythonPattern(search.search, search.flags)
    template = parse_template(search.replace, pattern)
    clock = Clock(settings.regex_file_ms, settings.regex_call_ms)
    clock.start(name)
    edits: list[Edit] = []
    grown = 0
    for spans in timed(islice(pattern.matches(text, clock), limit)):
        grown += template.size(text, spans)
        check_limit("All new text", grown, settings, "max_result_bytes")
        edits.append(edit(*spans[0], template.fill(text, spans)))
    return edits


class SafeEditFailure(results.ToolFailure):
    """The error of a call of `safe_edit`."""

    correction: CorrectedSearch | None = shapes.member(
        "PATTERN_NOT_FOUND: the corrected search, if it is known", CorrectedSearch
    ).nullable.optional


class SafeEditResult(results.ToolData):
    """What a call of `safe_edit` did."""

    failure = SafeEditFailure
    path: str | None = results.PATH.nullable
    mode: str = shapes.text("The requested mode: strict, interactive or verify_only")
    written: bool = shapes.flag("Whether the file was written")
    change_id: str | None = results.CHANGE_ID
    hash: str | None = shapes.digest("Of the file as it is now, for expect_hash; null if there is none").nullable
    replacements: int | None = shapes.integer("How many occurrences the search found; null without a search").nullable
    diff: str = results.DIFF
    validation: Findings = results.VALIDATION
    warnings: list[str] = results.WARNINGS.optional


class SafeEditReport(Record):
    """The outcome of a call, for its answer."""

    request: SafeEdit
    name: str
    current: str | None
    """The file's hash before the call."""
    changes: Sequence[Update | Create]
    diff: str
    replacements: int | None
    validation: Findings
    cautions: Sequence[str]
    """Warnings about deleted text, and about a file that cannot be written."""

    def answer(self, change: Change | None) -> Answer:
        """The answer for the caller."""
        written, warnings = change is not None, [*self._warnings()]
        result = SafeEditResult(
            path=self.name,
            mode=self.request.mode,
            written=written,
            change_id=None if change is None else change.id,
            hash=self.changes[0].after.digest if written else self.current,
            replacements=self.replacements,
            diff=self.diff,
            validation=self.validation,
            warnings=shapes.or_left_out(warnings or None),
        )
        words = "\n".join([*self._status(change), *(f"warning: {warning}" for warning in warnings)])
        return Answer(words, result.data(), above=preview(self.diff) if self.request.show_diff else "")

    def _status(self, change: Change | None) -> Iterator[str]:
        request, validation = self.request, self.validation
        counted = [*new_lines(validation)]
        if every := request.validate == "all":
            counted += existing_errors(validation)
        yield from self._done_lines(change)
        if request.mode == "verify_only":
            yield from self._verified_lines(counted)
        elif change is not None and counted:
            yield f"⚠️ Saved with validation warnings (Mode: {request.mode}):"
            yield from counted
        yield from other_lines(validation, existing=not every)

    def _done_lines(self, change: Change | None) -> Iterator[str]:
        """What happened to the file."""
        search = self.request.search_replace
        if search is not None and not self.replacements:
            yield f"⚠️ Pattern '{wording.plain(search.search)}' not found (no changes made)"
        elif not self.changes:
            yield f"✅ No changes: {wording.plain(self.name)} does not exist, and there was nothing to write."
        elif not self.diff and self.current is not None:
            yield f"✅ No changes: {wording.plain(self.name)} already has this content."
        elif change is not None:
            if search is not None:
                old, new = (f"'{wording.plain(text)}'" for text in (search.search, search.replace))
                yield f"✅ Replaced {wording.count(self.replacements or 0, 'occurrence')} of {old} → {new}"
            yield "✅ File saved successfully."

    def _verified_lines(self, counted: Sequence[str]) -> Iterator[str]:
        """The findings for an edit that is only checked."""
        validation = self.validation
        errors = [issue for issue in validation.new if issue.severity == "error"]
        if validation.passed:
            yield "✅ Validation Passed"
        yield from markers_only_lines(validation)
        if errors or (self.request.validate == "all" and existing_errors(validation)):
            yield "❌ Validation Failed:"
        elif counted:
            yield "⚠️ Warnings:"
        yield from counted

    def _warnings(self) -> Iterator[str]:
        yield from self.cautions
        for change in self.changes:
            before = getattr(change, "before", None)
            content = self.request.content
            if before is not None and content is not None and "\r" not in content and b"\r\n" in before.text.body:
                yield "the file had CRLF line endings; content has LF, which is kept."
            if before is not None and self.diff and (generated := results.warning(self.name, before.text.body)):
                yield generated


def preview(diff: str) -> str:
    """A diff, to be put above the words; its fence is longer than any run of backticks inside."""
    if not diff:
        return ""
    longest = max((len(run) for line in diff.split("\n") for run in _backticks(line)), default=0)
    fence = "`" * max(longest + 1, _SHORTEST_FENCE)
    return f"**Diff Preview:**\n{fence}diff\n{diff.removesuffix(chr(10))}\n{fence}"


def _backticks(line: str) -> list[str]:
    """The runs of backticks in a line."""
    return "".join(char if char == "`" else " " for char in line).split() if "`" in line else []


def explain_safe_edit(given: Mapping[str, object], error: SutureError, audience: Audience) -> Answer:
    """A failure in the shape of a result."""
    path, mode = getattr(error, "path", given.get("path")), given.get("mode")
    result = SafeEditResult(
        path=path if isinstance(path, str) else None,
        mode=mode if isinstance(mode, str) else "strict",
        written=False,
        change_id=None,
        hash=error.current_hash,
        replacements=None,
        diff="",
        validation=Findings(passed=False, new=[], existing=[], fixed=[], not_run=[]),
    )
    above = ""
    if isinstance(error, ValidationFailed):
        result = result.evolve(
            path=error.files[0], replacements=error.replacements, diff=error.diff, validation=error.validation
        )
        above = preview(error.diff) if given.get("show_diff") not in {False, "false"} else ""
    elif isinstance(error, PatternNotFound):
        result = result.evolve(replacements=0)
    shown = {name: value for name, value in wording.error_data(error, audience).items() if name not in _SHOWN_ELSEWHERE}
    return Answer(_error_words(error, audience), {**result.data(), "error": shown}, is_error=True, above=above)


def _error_words(error: SutureError, audience: Audience) -> str:
    """An error in the specification's form: a cross, what is wrong, and what to do."""
    error = wording.as_seen(error, audience)
    if isinstance(error, ValidationFailed):
        validation = error.validation
        blamed = bool(validation.new) or any(skipped.required for skipped in validation.not_run)
        lines, others = rejection_lines(validation), other_lines(validation, existing=blamed, required=False)
        head = audience.mark_failure(_CROSS, "Edit rejected due to validation errors (Mode: strict):")
        advice = [wording.hint(error, audience)] if audience.prints_data else []  # the specified text has none
        return "\n".join([head, *lines, *others, *advice])
    if isinstance(error, InvalidArguments):
        problems = [
            wording.plain(f"{problem['argument']}: {problem['problem']}")
            for problem in error.problems[:_SHOWN_PROBLEMS]
        ]
        return "\n".join(
            [audience.mark_failure(_CROSS, "Invalid arguments:"), *problems, wording.hint(error, audience)]
        )
    message, hint = wording.message(error, audience), wording.hint(error, audience)
    if error.code in _EDIT_ERRORS:
        message = f"Edit failed: {message}"
    elif error.code == "BINARY_FILE":
        message = f"Cannot edit binary file {wording.plain(getattr(error, 'path', ''))}"
    elif error.code in _FILE_ERRORS:
        writing = error.code == "WRITE_FAILED" or getattr(error, "operation", "read") == "write"
        message = f"Failed to {'write' if writing else 'read'} file: {message}"
    known = wording.details(error, audience) if isinstance(error, FileChanged) else []
    return "\n".join([audience.mark_failure(_CROSS, message), *known, hint])


def backwards(start_line: int, end_line: int) -> str:
    """The message for a range that ends before it starts."""
    return f"end_line ({end_line}) must be >= start_line ({start_line})"


class LineEdit(Request):
    """One range of lines."""

    start_line: int = spec.integer(
        "1-based line number to start edit (inclusive)", minimum=1, words="start_line must be >= 1"
    )
    end_line: int = spec.integer(
        "1-based line number to end edit (inclusive)", minimum=1, words="end_line must be >= 1"
    )
    new_content: str = spec.text("New content for line range (include newlines if multi-line)")
    expected_text: str | None = spec.EXPECTED_TEXT

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> Self:
        """Check one range; without an end, it is one line."""
        given = spec.without_null(given, {"end_line"})
        request = super().parse({"end_line": given["start_line"], **given} if "start_line" in given else given)
        if request.end_line < request.start_line:
            raise InvalidArguments.of("end_line", backwards(request.start_line, request.end_line))
        return request


class SearchReplace(Request):
    """What to replace, and with what."""

    search: str = spec.text("Pattern to search for (literal string or regex)")
    replace: str = spec.text("Replacement text (supports \\1, \\2, etc. for regex capture groups)")
    regex: bool = spec.flag("Treat search pattern as regular expression")
    count: int | None = spec.integer(
        "Maximum number of replacements (None = replace all occurrences)",
        default=None,
        minimum=0,
        words="count must be >= 0",
    )
    flags: int = spec.integer(
        "Regex flags (e.g., re.IGNORECASE, re.MULTILINE). Only used if regex=True.", default=0, minimum=0
    )

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> Self:
        """Check a search and replacement; null means omitted, and flags may have names."""
        kept = spec.without_null(given, given)
        if "flags" in kept:
            kept["flags"] = _flags(kept["flags"])
        request = super().parse(kept)
        if request.regex and request.flags & ~_KNOWN_FLAGS:
            known = "IGNORECASE 2, MULTILINE 8, DOTALL 16, UNICODE 32, VERBOSE 64, ASCII 256"
            problem = f"expected a sum of {known}, got {request.flags}"
            raise InvalidArguments.of("flags", problem)
        return request


def _flags(given: object) -> object:
    """Flags as a number, if they are names such as `i`, `IGNORECASE` or `re.I|re.M`, or a list of names."""
    if isinstance(given, list):
        given = "|".join(map(str, given))
    if not isinstance(given, str):
        return given
    total = 0
    for part in given.replace("|", " ").replace(",", " ").replace("+", " ").split():
        name = part.rpartition(".")[2].lower()
        letters = [name] if name in _FLAG_NAMES else list(name)
        if name.isdecimal() and len(name) < _MAX_FLAG_CHARS:
            total |= int(name)
        elif all(letter in _FLAG_NAMES for letter in letters):
            for letter in letters:
                total |= _FLAG_NAMES[letter]
        else:
            problem = f"expected a number, or names such as i, IGNORECASE or re.I|re.M, got {part[:_MAX_FLAG_CHARS]!r}"
            raise InvalidArguments.of("flags", problem)
    return total


class SafeEdit(Request):
    """Arguments of `safe_edit`."""

    path: str = spec.text("Path of the file, absolute or relative to the workspace root")
    mode: str = spec.MODE
    show_diff: bool = spec.flag("Show unified diff preview in output", default=True)
    content: str | None = spec.content("Full file content (replaces entire file)")
    line_edits: list[LineEdit] | None = spec.items("List of line-based edits to apply", model=LineEdit, default=None)
    search_replace: SearchReplace | None = spec.member("Search and replace operation", model=SearchReplace)
    encoding: str | None = spec.ENCODING
    expect_hash: str | dict[str, str] | None = spec.EXPECT_HASH
    validate: str = spec.text(
        "Which errors reject the edit: those that it introduces (new), or any in the file (all)",
        default="new",
        choices=("new", "all"),
    )
    literal: bool = spec.LITERAL

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> Self:
        """Check a call's arguments; null means omitted."""
        request = super().parse(given)
        chosen = [name for name in MODES if getattr(request, name) is not None]
        if len(chosen) != 1:
            raise InvalidArguments.of(" and ".join(chosen or MODES), TWO_MODES if chosen else NO_MODE)
        content: Any = request.content
        if isinstance(content, dict | list) and not request.path.lower().endswith(".json"):
            kind = "an object" if isinstance(content, dict) else "a list"
            raise InvalidArguments.of(
                "content", f"expected a string, got {kind}: only a .json file can be a JSON value"
            )
        return request

    @property
    def dry_run(self) -> bool:
        """Whether nothing is written."""
        return self.mode == "verify_only"


def plan_safe_edit(session: Session, request: SafeEdit) -> Proposal:
    """Plan the new text and check it."""
    target = session.locate(request.path)
    before = None if target.stat is None else session.text(request.path, request.encoding)
    name = target.name if before is None else before.place.name
    try:
        return _proposal(session, request, name, before)
    except SutureError as error:
        error.current_hash = None if before is None else before.content.digest
        raise


def _proposal(session: Session, request: SafeEdit, name: str, before: Snapshot | None) -> Proposal:
    check_hash(request.expect_hash, name, before)
    old = session.blank(request.path, request.encoding) if before is None else before.text
    content: Any = request.content
    if isinstance(content, dict | list):
        request = request.evolve(content=json_content(content, old.body.decode("utf-8", "replace")))
    edits = _edits(session, request, name, before, old)
    replacements = None if request.search_replace is None else len(edits)
    if replacements == 0 and request.mode == "strict":
        raise _not_found(session, request.search_replace, name, before)
    warnings = [] if before is None else _losses(request, name, old, edits)
    changes = _changes(session, request, before, old, edits)
    every = request.validate == "all"
    report = check_changes(session, changes)
    validation = validation_data(report, session.audience, every=every)
    diff, current = results.plan_diff(changes), None if before is None else before.content.digest
    if request.mode == "strict" and diff and report.blocks(every=every):
        raise ValidationFailed(files=[name], validation=validation, diff=diff, replacements=replacements)
    plan = Plan(tuple(changes), "safe_edit", f"safe_edit of {name}")
    if request.dry_run:
        try:
            session.check_permitted(plan)
        except (PermissionDenied, ProtectedPath) as error:  # the verdict is wanted all the same
            warnings.append(f"the edit cannot be written: {wording.message(error, session.audience)}")
            plan = Plan(())
    edit_report = SafeEditReport(request, name, current, changes, diff, replacements, validation, warnings)
    return Proposal(plan, edit_report.answer, checked=True)


def _edits(session: Session, request: SafeEdit, name: str, before: Snapshot | None, old: Text) -> list[Edit]:
    if request.content is not None:
        return whole(old, request.content)
    if request.search_replace is not None:
        return by_search(session, name, old, request.search_replace)
    assert request.line_edits is not None  # noqa: S101  one of the three is given
    check_limit("The request", len(request.line_edits), session.settings, "max_edits", "edits")
    near = session.similar_files(request.path) if before is None and request.line_edits else ()
    return by_lines(name, old, request.line_edits, near)


def _losses(request: SafeEdit, name: str, old: Text, edits: Sequence[Edit]) -> list[str]:
    """Warnings about deleted text; refuses new text that would delete what it leaves out."""
    if request.content is not None:
        placeholders = (
            [] if request.literal else check_placeholders(old.body, request.content, name, "content", whole=True)
        )
        return [*placeholders, *shrinkage(name, old.body, request.content.encode("utf-8", "surrogatepass"))]
    if request.literal:
        return []
    argument, order = "search_replace.replace", [0] * len(edits)
    if request.line_edits is not None:
        order = sorted(range(len(edits)), key=lambda number: request.line_edits[number].start_line)  # type: ignore[index]  # not None, see the condition
    warnings: dict[str, None] = {}
    checked: set[tuple[bytes, bytes]] = set()
    for number, change in zip(order, edits, strict=True):
        replacement = old.body[change.span.start : change.span.end], change.new
        if replacement not in checked:
            checked.add(replacement)
            where = argument if request.line_edits is None else f"line_edits[{number}].new_content"
            warnings |= dict.fromkeys(check_placeholders(*whole_lines(old.body, change), name, where, index=number))
    return list(warnings)


def _changes(
    session: Session, request: SafeEdit, before: Snapshot | None, old: Text, edits: Sequence[Edit]
) -> list[Update | Create]:
    """The change; none for edits of a file that does not exist, which do nothing."""
    if before is not None:
        return [session.plan_update(before, edits)]
    if request.content is None:
        return []
    return [session.plan_create(request.path, b"".join(splice(old, edits)))]


def _not_found(session: Session, search: SearchReplace | None, name: str, before: Snapshot | None) -> PatternNotFound:
    """The error for a search without matches, with a diagnosis."""
    assert search is not None  # noqa: S101  asked only then
    if before is None:
        return PatternNotFound(
            path=name, search=search.search, exists=False, near=session.similar_files(name), details=[]
        )
    error = PatternNotFound(path=name, search=search.search, exists=True, near=[], details=[])
    if search.regex:
        return error
    from suture.tools.failure import SearchTarget, examine
    from suture.wording import details

    missing = examine(session, before, SearchTarget(before.place.name, search.search, search.replace), dry_run=False)
    fits = missing.correction
    corrected = None if fits is None else CorrectedSearch(search=fits.old_text, replace=fits.new_text)
    return error.evolve(details=details(missing, session.audience.evolve(hunk="edit")), correction=corrected)


_DESCRIPTION = """\
Edit one file and check the result before it is written: by its whole content, by line ranges, or by search and \
replace. Give exactly one of content, line_edits and search_replace.

- strict (default): an edit that introduces errors is rejected, with the errors; problems that the file already had do \
not count. interactive: written anyway, with the errors. verify_only: only checked, not written.
- It checks syntax (Python, JSON, YAML, TOML, XML, and many more languages), undefined names in Python, leftover merge \
conflicts, and what the operator has configured.
- line_edits: start_line and end_line are 1-based and inclusive, and all refer to the file as it is now; an empty \
new_content deletes the lines. expected_text, if given, must be the current text of the lines.
- search_replace: literal text, or with regex a Python regular expression (\\1 and \\g<name> in replace); all \
occurrences, or the first count.
- content creates the file, and its folders, if it does not exist."""

SAFE_EDIT = ToolSpec(
    name="safe_edit",
    title="Edit a file if nothing breaks",
    description=_DESCRIPTION,
    request=SafeEdit,
    examples=(
        Example(
            "Replace a line",
            {"config.toml": 'name = "app"\nport = 80\n'},
            {"path": "config.toml", "line_edits": [{"start_line": 2, "end_line": 2, "new_content": "port = 8080\n"}]},
            "**Diff Preview:**\n```diff\ndiff --git a/config.toml b/config.toml\n--- a/config.toml\n+++ b/config.toml\n"
            '@@ -1,2 +1,2 @@\n name = "app"\n-port = 80\n+port = 8080\n```\n\n✅ File saved successfully.',
        ),
        Example(
            "Replace everywhere, without the diff",
            {"notes.txt": "red green red\n"},
            {"path": "notes.txt", "search_replace": {"search": "red", "replace": "blue"}, "show_diff": False},
            "✅ Replaced 2 occurrences of 'red' → 'blue'\n✅ File saved successfully.",
        ),
        Example(
            "Only check an edit",
            {"data.json": '{"a": 1}\n'},
            {"path": "data.json", "content": '{"a": 1,}\n', "mode": "verify_only", "show_diff": False},
            "❌ Validation Failed:\ndata.json:1:8 invalid-syntax Illegal trailing comma before '}'",
        ),
    ),
    plan=plan_safe_edit,
    result=SafeEditResult,
    explain=explain_safe_edit,
)
