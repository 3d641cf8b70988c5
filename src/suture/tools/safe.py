"""`safe_edit`: one file by its whole content, by lines or by search, written only if nothing breaks."""

from __future__ import annotations

from suture.edits import splice
from suture.errors import InputTooLarge, InvalidArguments, PatternNotFound, SutureError, ValidationFailed
from suture.plan import Plan
from suture.tools import checking, outcome
from suture.tools.losses import check_placeholders, shrinkage, whole_lines
from suture.tools.outcome import check_hash
from suture.tools.request import Request, encoding, expect_hash, flag, integer, items, literal, member, text
from suture.tools.rewriting import by_lines, by_search, whole
from suture.tools.saved import Saved, unsaved
from suture.tools.spec import Example, Proposal, ToolSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

    from suture.edits import Edit
    from suture.plan import Create, Snapshot, Update
    from suture.session import Session
    from suture.text import Text
    from suture.tools.spec import Answer

MODES = ("content", "line_edits", "search_replace")
NO_MODE = "At least one edit mode must be specified (content, line_edits, or search_replace)"
TWO_MODES = "Only one edit mode can be specified at a time"
_KNOWN_FLAGS = 2 | 8 | 16 | 32 | 64 | 256


def backwards(start_line: int, end_line: int) -> str:
    """What is wrong with a range that ends before it starts."""
    return f"end_line ({end_line}) must be >= start_line ({start_line})"


class LineEdit(Request):
    """One range of lines."""

    start_line: int = integer(
        "1-based line number to start edit (inclusive)", minimum=1, words="start_line must be >= 1"
    )
    end_line: int = integer("1-based line number to end edit (inclusive)", minimum=1, words="end_line must be >= 1")
    new_content: str = text("New content for line range (include newlines if multi-line)")
    expected_text: str | None = text("What the lines hold now; if they do not, nothing is changed", default=None)

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> Self:
        """Check one range."""
        request = super().parse(given)
        if request.end_line < request.start_line:
            problem = backwards(request.start_line, request.end_line)
            raise InvalidArguments(problems=[{"argument": "end_line", "problem": problem}])
        return request


class SearchReplace(Request):
    """What to replace, and by what."""

    search: str = text("Pattern to search for (literal string or regex)")
    replace: str = text("Replacement text (supports \\1, \\2, etc. for regex capture groups)")
    regex: bool = flag("Treat search pattern as regular expression")
    count: int | None = integer(
        "Maximum number of replacements (None = replace all occurrences)",
        default=None,
        minimum=0,
        words="count must be >= 0",
    )
    flags: int = integer(
        "Regex flags (e.g., re.IGNORECASE, re.MULTILINE). Only used if regex=True.", default=0, minimum=0
    )

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> Self:
        """Check it; null means left out."""
        request = super().parse({name: each for name, each in given.items() if each is not None})
        if request.regex and request.flags & ~_KNOWN_FLAGS:
            known = "IGNORECASE 2, MULTILINE 8, DOTALL 16, UNICODE 32, VERBOSE 64, ASCII 256"
            problem = f"expected a sum of {known}, got {request.flags}"
            raise InvalidArguments(problems=[{"argument": "flags", "problem": problem}])
        return request


class SafeEdit(Request):
    """Arguments of `safe_edit`."""

    path: str = text("Path of the file, absolute or relative to the workspace root")
    mode: str = text(
        "Validation mode: strict (reject on error), interactive (warn), verify_only (no write)",
        default="strict",
        choices=("strict", "interactive", "verify_only"),
    )
    show_diff: bool = flag("Show unified diff preview in output", default=True)
    content: str | None = text("Full file content (replaces entire file)", default=None)
    line_edits: list[LineEdit] | None = items("List of line-based edits to apply", model=LineEdit, default=None)
    search_replace: SearchReplace | None = member("Search and replace operation", model=SearchReplace)
    encoding: str | None = encoding()
    expect_hash: str | dict[str, str] | None = expect_hash()
    validate: str = text(
        "Which errors reject: those that the edit brings (new), or any in the file (all)",
        default="new",
        choices=("new", "all"),
    )
    literal: bool = literal()

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> Self:
        """Check a call's arguments; null means left out."""
        kept = {name: each for name, each in given.items() if each is not None or name not in cls._fields}
        if "path" not in kept and "file_path" in kept:
            kept["path"] = kept.pop("file_path")
        request = super().parse(kept)
        chosen = [name for name in MODES if getattr(request, name) is not None]
        if len(chosen) != 1:
            problem = TWO_MODES if chosen else NO_MODE
            raise InvalidArguments(problems=[{"argument": " and ".join(chosen or MODES), "problem": problem}])
        return request

    @property
    def dry_run(self) -> bool:
        """Whether nothing is written in any case."""
        return self.mode == "verify_only"


def plan_safe_edit(session: Session, request: SafeEdit) -> Proposal:
    """Make the new text, check it, and plan to write it."""
    target = session.locate(request.path)
    before = None if target.stat is None else session.text(request.path, request.encoding)
    name = target.name if before is None else before.place.name
    try:
        return _proposal(session, request, name, before)
    except SutureError as error:
        error.standing = None if before is None else before.content.digest
        raise


def _proposal(session: Session, request: SafeEdit, name: str, before: Snapshot | None) -> Proposal:
    check_hash(request.expect_hash, name, before)
    old = session.blank(request.path, request.encoding) if before is None else before.text
    edits = _edits(session, request, name, before, old)
    replacements = None if request.search_replace is None else len(edits)
    if replacements == 0 and request.mode == "strict":
        raise _not_found(session, request.search_replace, name, before)
    warnings = [] if before is None else _losses(request, name, old, edits)
    changes = _changes(session, request, before, old, edits)
    every = request.validate == "all"
    report = checking.report(session, changes)
    found = checking.told(report, every=every)
    diff, current = outcome.plan_diff(changes), None if before is None else before.content.digest
    if request.mode == "strict" and diff and report.blocks(every=every):
        raise ValidationFailed(files=[name], validation=found, diff=diff, replacements=replacements)
    saved = Saved(request, name, current, changes, diff, replacements, found, warnings)
    return Proposal(Plan(tuple(changes), "safe_edit", f"safe_edit of {name}"), saved.answer, checked=True)


def _edits(session: Session, request: SafeEdit, name: str, before: Snapshot | None, old: Text) -> list[Edit]:
    if request.content is not None:
        return whole(old, request.content)
    if request.search_replace is not None:
        return by_search(session, name, old, request.search_replace)
    assert request.line_edits is not None  # noqa: S101  one of the three is given
    size, most = len(request.line_edits), session.settings.max_edits
    if size > most:
        raise InputTooLarge(what="The request", size=size, limit=most, setting="max_edits", unit="edits")
    near = session.near(request.path) if before is None and request.line_edits else ()
    return by_lines(name, old, request.line_edits, near)


def _losses(request: SafeEdit, name: str, old: Text, edits: Sequence[Edit]) -> list[str]:
    """What should be known about text that goes away; refuse new text that would delete what it leaves out."""
    if request.content is not None:
        placeholders = (
            [] if request.literal else check_placeholders(old.body, request.content, name, "content", whole=True)
        )
        return [*placeholders, *shrinkage(name, old.body, request.content.encode("utf-8", "surrogatepass"))]
    if request.literal:
        return []
    argument, order = "search_replace.replace", [0] * len(edits)
    if request.line_edits is not None:
        order = sorted(range(len(edits)), key=lambda number: request.line_edits[number].start_line)  # type: ignore[index]
    warnings: dict[str, None] = {}
    judged: set[tuple[bytes, bytes]] = set()
    for number, each in zip(order, edits, strict=True):
        known = old.body[each.span.start : each.span.end], each.new
        if known not in judged:
            judged.add(known)
            where = argument if request.line_edits is None else f"line_edits[{number}].new_content"
            warnings |= dict.fromkeys(check_placeholders(*whole_lines(old.body, each), name, where, index=number))
    return list(warnings)


def _changes(
    session: Session, request: SafeEdit, before: Snapshot | None, old: Text, edits: Sequence[Edit]
) -> list[Update | Create]:
    """The one change; none where nothing becomes of a file that is not there."""
    if before is not None:
        return [session.plan_update(before, edits)]
    if request.content is None:
        return []
    return [session.plan_create(request.path, b"".join(splice(old, edits)))]


def _not_found(session: Session, wanted: SearchReplace | None, name: str, before: Snapshot | None) -> PatternNotFound:
    """Why there is nothing to replace, found by looking closer."""
    assert wanted is not None  # noqa: S101  asked only then
    if before is None:
        return PatternNotFound(path=name, search=wanted.search, exists=False, near=session.near(name), details=[])
    found = PatternNotFound(path=name, search=wanted.search, exists=True, near=[], details=[])
    if wanted.regex:
        return found
    from suture.render import block_details
    from suture.tools.edit import OneEdit
    from suture.tools.mismatch import no_match

    one = OneEdit(old_text=wanted.search, new_text=wanted.replace, occurrences=1)
    missing = no_match(session, before, one, dry_run=False)
    fits = missing.correction
    corrected = None if fits is None else {"search": fits["old_text"], "replace": fits["new_text"]}
    fields = {**found.fields(), "details": block_details(missing), "correction": corrected}
    return PatternNotFound(**fields)


def explain_safe_edit(given: Mapping[str, object], error: SutureError) -> Answer:
    """A failure in the shape of a result."""
    return unsaved(given, error)


_DESCRIPTION = """\
Edit one file and check the result before anything is written: by its whole content, by ranges of lines, or by search \
and replace. Give exactly one of content, line_edits and search_replace.

- strict (default): an edit that brings errors is rejected, with the errors; problems that the file had before do not \
count. interactive: written all the same, with the errors. verify_only: only checked, nothing is written.
- Checked are syntax (Python, JSON, YAML, TOML, XML, and many languages more), undefined names in Python, leftover \
merge conflicts, and what the operator has configured.
- line_edits: start_line and end_line are 1-based and inclusive, all of them refer to the file as it is now; an empty \
new_content deletes the lines. expected_text, if given, must be what the lines hold.
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
            "Only check what an edit would do",
            {"data.json": '{"a": 1}\n'},
            {"path": "data.json", "content": '{"a": 1,}\n', "mode": "verify_only", "show_diff": False},
            "❌ Validation Failed:\ndata.json:1:8 invalid-syntax a trailing comma: JSON allows none before a '}'",
        ),
    ),
    plan=plan_safe_edit,
    explain=explain_safe_edit,
)
