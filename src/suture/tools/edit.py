"""`file_edit`: exact replacements in one file, one after the other, each as often as expected; all of them or none."""

from __future__ import annotations

from suture.bounds import check_size, check_time
from suture.edits import edit
from suture.errors import ElisionInNewText, InputTooLarge, InvalidArguments
from suture.phrases import plain
from suture.plan import Plan
from suture.sequence import Outcome, Step, made
from suture.tools.edited import Edited
from suture.tools.losses import check_placeholders, whole_lines
from suture.tools.outcome import check_hash
from suture.tools.request import Request, dry_run, encoding, expect_hash, integer, items, literal, text, validate
from suture.tools.spec import Example, Proposal, ToolSpec
from suture.tools.writable import check, check_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Self

    from suture.errors import SutureError
    from suture.plan import Snapshot
    from suture.session import Session
    from suture.tools.spec import Answer

_ALIASES = {
    "oldText": "old_text",
    "old_string": "old_text",
    "old_str": "old_text",
    "newText": "new_text",
    "new_string": "new_text",
    "new_str": "new_text",
    "expected_replacements": "occurrences",
}
_LOOKED_AT = 1_000
_PATIENCE = 2.0
"""Seconds for looking into the other edits that fail."""
_CLOSELY = 10
"""How many of them are looked into."""


class OneEdit(Request):
    """One replacement."""

    old_text: str = text("Exact text to find and replace")
    new_text: str = text("Replacement text; an empty one deletes old_text")
    occurrences: int = integer("Expected number of occurrences", default=1, minimum=1)

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> Self:
        """Check one edit, taking the names of other tools for what they mean, and null for what is left out."""
        found: dict[str, object] = {}
        for name, value in given.items():
            meant = _ALIASES.get(name, name)
            found[name if meant in given else meant] = value  # named twice: the second name is unknown
        if found.pop("replace_all", False):
            problem = "unknown: say in occurrences how often old_text stands in the file; all of them are replaced"
            raise InvalidArguments(problems=[{"argument": "replace_all", "problem": problem}])
        return super().parse({name: each for name, each in found.items() if (name, each) != ("occurrences", None)})


class FileEdit(Request):
    """Arguments of `file_edit`."""

    path: str = text("File path (absolute or relative)")
    edits: list[OneEdit] = items("Array of edit operations (always an array)", model=OneEdit)
    dry_run: bool = dry_run()
    encoding: str | None = encoding()
    expect_hash: str | dict[str, str] | None = expect_hash()
    validate: str = validate()
    literal: bool = literal()

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> Self:
        """Check a call's arguments; null means left out, and one edit may stand beside the path."""
        named = cls.arguments()
        kept = {name: value for name, value in given.items() if value is not None or name not in named}
        if "path" not in kept and "file_path" in kept:
            kept["path"] = kept.pop("file_path")
        fields = {*OneEdit._fields, *_ALIASES} if "edits" not in kept else set()
        if fields & kept.keys():
            one = {name: value for name, value in kept.items() if name in fields}
            kept = {name: value for name, value in kept.items() if name not in fields} | {"edits": [one]}
        request = super().parse({"edits": [], **kept})
        if not request.edits:
            raise InvalidArguments(problems=[{"argument": "edits", "problem": "No edits provided"}])
        return request


def plan_file_edit(session: Session, request: FileEdit) -> Proposal:
    """Simulate all edits on the file as it stands, and plan what they do to it."""
    total, most = len(request.edits), session.settings.max_edits
    if total > most:
        raise InputTooLarge(what="The request", size=total, limit=most, setting="max_edits", unit="edits")
    expected, most = sum(each.occurrences for each in request.edits), session.settings.max_replacements
    if expected > most:
        setting = "max_replacements"
        raise InputTooLarge(what="The request", size=expected, limit=most, setting=setting, unit="replacements")
    before = session.text(request.path, request.encoding)
    check_hash(request.expect_hash, before.place.name, before)
    steps = [_step(before, each) for each in request.edits]
    size = len(before.text.body)
    for step in steps:  # a later edit may take away what an earlier one makes, but it is made
        size += step.count * (len(step.new) - len(step.old))
        check_size(before.place.name, size)
    outcome = made(before.text.body, steps)
    cautions, left_out = _placeholders(before, request, steps, outcome.places)
    if outcome.failed is not None or left_out:
        raise _failure(session, before, request, steps, outcome)
    change = session.plan_update(before, outcome.edits)
    number = f"{total} edits" if total > 1 else "edit"
    plan = Plan((change,), "file_edit", f"{number} of {before.place.name}")
    sizes = [len(step.old) for step in steps]
    cautions = [*_cautions(before.text.body, steps, outcome.places), *cautions]
    told = Edited(session.settings, change, outcome.places, sizes, cautions, dry_run=request.dry_run)
    return Proposal(plan, told.answer)


def _step(before: Snapshot, asked: OneEdit) -> Step:
    old, new = (each.encode("utf-8", "surrogatepass") for each in (asked.old_text, asked.new_text))
    if not new.isascii():
        check_whole(before.text, asked.new_text, asked.old_text)
        check(before.text, new, old)
    return Step(old, new, asked.occurrences)


def _cautions(body: bytes, steps: Sequence[Step], places: Sequence[Sequence[int]]) -> Iterator[str]:
    """What may not have been meant, but is done as it was said."""
    for number, (step, found) in enumerate(zip(steps, places, strict=True)):
        if b"\0" in step.new:
            yield f"edits[{number}]: new_text holds a NUL; the file may be taken for a binary one."
        yield from _cuts(body, step, number, found)
        at = step.new.find(step.old) if step.old and step.new != step.old else -1
        if at >= 0 and any(_stands(body, step.new, place - at) for place in found):
            yield f"edits[{number}]: new_text stood there already; if the edit was sent twice, undo it."


def _placeholders(
    before: Snapshot, request: FileEdit, steps: Sequence[Step], places: Sequence[Sequence[int]]
) -> tuple[list[str], list[ElisionInNewText]]:
    """Warnings of placeholders that edits only insert, and errors of those that would delete what they stand for.

    `places` are those of the first edits; one that was not found is none.
    """
    body, name, total = before.text.body, before.place.name, len(steps)
    warnings: list[str] = []
    failures: list[ElisionInNewText] = []
    for number, (step, found) in enumerate(zip(steps, places, strict=False)):
        check_time()
        if request.literal or not found or not step.new:
            continue
        old, new = step.old, step.new.decode("utf-8", "replace")
        if body.startswith(old, found[0]):  # else it is text of an earlier edit
            old, new = whole_lines(body, edit(found[0], found[0] + len(old), step.new))
        try:
            warnings += check_placeholders(old, new, name, f"edits[{number}].new_text", index=number, total=total)
        except ElisionInNewText as error:
            failures.append(error)
    return warnings, failures


def _failure(
    session: Session, before: Snapshot, request: FileEdit, steps: Sequence[Step], outcome: Outcome
) -> SutureError:
    """The error of the first edit that fails, and with it all others, each on the text without those that fail."""
    from time import monotonic

    from suture.tools.mismatch import mismatch, unexamined  # only a failure needs them

    found: list[tuple[int, SutureError]] = []
    until, left = monotonic() + _PATIENCE, 0
    for each in _one_by_one(outcome, steps):
        outcome = each
        if each.failed is not None:
            closely = not found or (len(found) <= _CLOSELY and monotonic() < until)
            error = mismatch(session, before, request, each) if closely else unexamined(before, request, each)
            found.append((each.failed, error))
            if monotonic() > until:
                left = len(steps) - 1 - each.failed
                break
    found += [(error.index, error) for error in _placeholders(before, request, steps, outcome.places)[1]]
    (_, first), *others = sorted(found, key=lambda each: each[0])
    first.further = [(index, error, number < _CLOSELY) for number, (index, error) in enumerate(others)]
    first.unexamined = left
    return first


def _one_by_one(outcome: Outcome, steps: Sequence[Step]) -> Iterator[Outcome]:
    """The outcome up to each edit that fails, on the text without those that fail; at last, without a failure."""
    origins = [outcome.origin]
    while outcome.failed is not None:
        yield outcome
        later = made(outcome.body, steps[outcome.failed + 1 :]) if outcome.failed + 1 < len(steps) else Outcome((), ())
        origins.append(later.origin)
        places = [tuple(map(outcome.origin, each)) for each in later.places]
        outcome = later.but(
            edits=(*outcome.edits, *later.edits),
            places=(*outcome.places, (), *places),
            failed=None if later.failed is None else outcome.failed + 1 + later.failed,
            origin=_composed(tuple(origins)),
        )
    yield outcome


def _composed(origins: Sequence[Callable[[int], int]]) -> Callable[[int], int]:
    def origin(offset: int) -> int:
        for each in reversed(origins):
            offset = each(offset)
        return offset

    return origin


def _stands(body: bytes, new: bytes, at: int) -> bool:
    """Whether a text stands there, and does not end in the middle of a line end."""
    return at >= 0 and body.startswith(new, at) and not body.startswith(b"\r\n", at + len(new) - 1)


def _cuts(body: bytes, step: Step, number: int, places: Sequence[int]) -> Iterator[str]:
    """Where a text begins or ends in the middle of something; told once an edit."""
    for start in places[:_LOOKED_AT]:
        end = start + len(step.old)
        if not step.old or not body.startswith(step.old, start):
            continue  # it is text of an earlier edit
        line = body.rfind(b"\n", 0, start) + 1
        before, after = body[max(start - 1, line) : start], body[end : end + 1]
        if any(len(pair) > 1 and pair.isalnum() for pair in (before + step.old[:1], step.old[-1:] + after)):
            word = body[max(start - 10, line) : end + 10].decode("utf-8", "ignore").split("\n")[0]
            yield f"edits[{number}]: old_text stands inside a longer word or number: {plain(word)}"
            return
        indent = body[line:start]
        others = step.new.strip(b"\n").split(b"\n")[1:]
        if indent and not indent.strip() and any(each.strip() and not each.startswith(indent) for each in others):
            yield (
                f"edits[{number}]: old_text begins inside the indentation of its line; "
                "new_text was put in as it is, its other lines without that indentation."
            )
            return


def explain_file_edit(given: Mapping[str, object], error: SutureError) -> Answer:
    """A failure in the specification's shape."""
    from suture.tools.mismatch import explained  # only a failure needs it

    return explained(given, error)


_DESCRIPTION = """\
Replace exact text in a file. One or several edits; all of them succeed, or the file is not changed.

- old_text must match exactly, white space included: no regular expressions, no fuzzy matching. "\\n" stands for the \
line ends that the file has.
- occurrences says how often old_text stands in the file (default 1). If it stands there more or less often, nothing \
is changed, and the answer names the places. All occurrences are replaced.
- Edits are applied in order: each one sees the result of those before it.
- If old_text is not found, the answer shows the nearest text, names what differs, and, where one place clearly \
fits, gives the corrected edit, ready to be sent back.
- To insert, repeat a neighboring line in new_text; to delete, send an empty new_text. Line numbers that file_read \
prints are not part of the file.
- dry_run shows what would change, without changing it."""

FILE_EDIT = ToolSpec(
    name="file_edit",
    title="Edit a file",
    description=_DESCRIPTION,
    request=FileEdit,
    examples=(
        Example(
            "Replace a text that stands once",
            {"hello.txt": "Hello World\n"},
            {"path": "hello.txt", "edits": [{"old_text": "World", "new_text": "Universe"}]},
            "Edited hello.txt: 1 replacement, at line 1 (change <id>).\n\n"
            "diff --git a/hello.txt b/hello.txt\n--- a/hello.txt\n+++ b/hello.txt\n"
            "@@ -1 +1 @@\n-Hello World\n+Hello Universe",
        ),
        Example(
            "Edits one after the other, the first of them at two places",
            {"app.js": "const a = 1;\nconst b = 2;\n"},
            {
                "path": "app.js",
                "edits": [
                    {"old_text": "const", "new_text": "let", "occurrences": 2},
                    {"old_text": "let a", "new_text": "let x"},
                ],
                "dry_run": True,
            },
            "Dry run: 2 edits would make 3 replacements in app.js; nothing was written.\n"
            "Edit 1: 2 replacements, at lines 1, 2.\nEdit 2: 1 replacement, at line 1.\n\n"
            "diff --git a/app.js b/app.js\n--- a/app.js\n+++ b/app.js\n"
            "@@ -1,2 +1,2 @@\n-const a = 1;\n-const b = 2;\n+let x = 1;\n+let b = 2;",
        ),
    ),
    plan=plan_file_edit,
    explain=explain_file_edit,
)
