"""What `apply_patch` answers: the files as Codex lists them, or what failed and how to mend it."""

from __future__ import annotations

from suture import render
from suture.errors import NoBlocks
from suture.phrases import AS_SENT, LITERAL, same
from suture.plan import Create, Delete, Rename
from suture.tools import outcome
from suture.tools.refusal import version_of
from suture.tools.replied import unapplied
from suture.tools.spec import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from suture.errors import SutureError
    from suture.plan import Change, FileChange, Plan
    from suture.settings import Settings
    from suture.tools.replied import Replied
    from suture.tools.section import Outcome

LOOKS_SO = """\
*** Begin Patch
*** Update File: path/to/file.py
@@ def function_around():
 a line as it stands in the file
-a line that goes away
+a line that comes in
*** Add File: path/to/new.txt
+every line of the new file
*** Delete File: path/to/old.txt
*** End Patch"""
_SHOWN_FAILED = 5
_SHOWN_LINES = 60
_NOTHING_CHANGED = "Nothing was changed: send the whole patch again, with what failed mended."


class Enveloped:
    """The outcome of a call, told once it landed, or would have. The metadata are those of `apply_reply`."""

    def __init__(
        self, settings: Settings, plan: Plan, outcomes: Sequence[Outcome], replied: Replied, *, dry_run: bool
    ) -> None:
        self._settings = settings
        self._plan = plan
        self._outcomes = outcomes
        self._replied = replied
        self._dry_run = dry_run

    def answer(self, change: Change | None) -> Answer:
        """What the caller is told."""
        made = self._replied.answer(change)
        failed = [each for each in self._outcomes if each.status == "failed"]
        if failed:
            return self._failed(made.data, failed)
        files = sorted({_line(each) for each in self._plan.changes})
        words = [*self._head(files), *self._notes(), *(f"warning: {each}" for each in made.data["warnings"])]
        shown = outcome.cut(made.data["diff"], self._settings) if self._dry_run and files else ""
        return Answer("\n".join([*words, "", shown] if shown else words), made.data)

    def _head(self, files: Sequence[str]) -> Iterator[str]:
        """`A` for added, `M` for modified, `D` for deleted, in this order."""
        if not files:
            yield "No change: every file is already as the patch would make it."
        elif self._dry_run:
            yield "Dry run: nothing was written. The patch would update the following files:"
        else:
            yield "Success. Updated the following files:"
        yield from sorted(files, key=lambda line: "AMD".index(line[0]))

    def _notes(self) -> Iterator[str]:
        for each in self._outcomes:
            name = render.plain(each.path or "")
            if each.status == "already_applied":
                at = f" at line {each.line}" if each.line else ""
                yield f"note: {_named(each)} of {name} stands there already{at}, and was left out."
            elif (version := version_of(each.base)) is not None:
                merged = f"was written on {render.written_on(version)}, and merged into the current file"
                yield f"note: {_named(each)} {merged}, at {name}:{each.line}."
            elif each.rung not in AS_SENT:
                found = f"{_named(each)} was found {render.matched(each.rung)} at {name}:{each.line}"
                yield f"note: {found}, and carried over to the file's own text."

    def _failed(self, data: dict[str, Any], failed: Sequence[Outcome]) -> Answer:
        """Each part that failed: what happened, what is known, what to do."""
        total, lines = len(self._outcomes), list[str]()
        for number, each in enumerate(failed):
            error = _error(each)
            line = f"{_named(each).capitalize()} (line {_line_of(each)} of the input) failed: {_message(error)}"
            more = [*(f"  {detail}" for detail in _details(error)), f"  {_hint(error)}"]
            lines += [line, *more] if number < _SHOWN_FAILED and len(lines) < _SHOWN_LINES else [line]
        told = {each.id: _error(each) for each in failed}
        for block in data["blocks"]:
            if (error_of := told.get(block["id"])) is not None:
                words = {"message": _message(error_of), "hint": _hint(error_of), "details": _details(error_of)}
                block["error"] |= words
        data["error"] |= {"hint": _NOTHING_CHANGED}
        head = f"The patch was not applied: {len(failed)} of {render.count(total, 'change')} failed."
        return Answer("\n".join([head, *lines, _NOTHING_CHANGED]), data, is_error=True)


def unapplied_patch(error: SutureError) -> Answer:
    """The answer to a call that could not be carried out at all."""
    made = unapplied(error)
    if not isinstance(error, NoBlocks):
        return made
    message, hint = "The input holds no patch.", f"One looks so:\n{LOOKS_SO}"
    told = made.data["error"] | {"message": message, "hint": hint}
    return made.but(text=f"{error.code}: {message} {hint}", data=made.data | {"errors": [message], "error": told})


def _line(change: FileChange) -> str:
    name = change.to.name if isinstance(change, Rename) else change.place.name
    kind = "A" if isinstance(change, Create) else "D" if isinstance(change, Delete) else "M"
    return f"{kind} {render.plain(name)}"


def _named(each: Outcome) -> str:
    return f"hunk {each.id}" if "." in each.id else f"section {each.id}"


def _line_of(each: Outcome) -> int:
    """Where in the input it begins."""
    lines = {each.block.id_of(number): hunk.line for number, hunk in enumerate(each.block.hunks)}
    return lines.get(each.id, each.block.line)


def _error(each: Outcome) -> SutureError:
    assert each.error is not None  # noqa: S101  a failure has its reason
    return each.error


def _message(error: SutureError) -> str:
    said = render.block_message(error)
    if error.code != "INCOMPLETE_BLOCK":
        return said
    return said.replace("The block", "The section").replace(" of the reply", " of the input")


def _details(error: SutureError) -> list[str]:
    first, *rest = render.block_details(error) or [""]
    first = first.replace("This block was refused before", "This hunk was refused before", 1)
    return [first, *rest] if first else []


def _hint(error: SutureError) -> str:
    return _HINTS.get(error.code, render.block_hint)(error)


def _look_again(error: Any) -> str:
    path = render.plain(error.path)
    if error.why == "deleted":
        return f"Read {path} again, and decide whether the change is still needed."
    if error.stale is not None:
        return f"Your copy of {path} is old: read it again, and write the hunk with the lines as they are now."
    return f"Copy the context and - lines from the file, whole: read {path} first."


def _near(error: Any) -> str:
    if error.create_by is not None:
        return "There is nothing to delete: leave the section out."
    meant = f"Did you mean {' or '.join(map(render.plain, error.near))}? " if error.near else ""
    return f"{meant}To create the file, use *** Add File: PATH."


_HINTS: dict[str, Callable[[Any], str]] = {
    "NO_MATCH": _look_again,
    "OLD_TEXT_NOT_UNIQUE": same(
        "Add context lines, or a line of @@ with the class or function around the place, so that only one fits."
    ),
    "EDIT_CONFLICT": same(
        "Decide what these lines should say, and write the hunk with the lines as the file has them."
    ),
    "TARGET_DELETED": lambda e: f"Read {render.plain(e.path)} again, and decide whether the change is still needed.",
    "OUT_OF_SCOPE": lambda e: (
        f"Read {render.plain(e.path)} again, and write the class or function that contains the lines after @@."
    ),
    "UNPROVED_CHANGE": same("Write the hunk with the lines indented and spelled as the file has them."),
    "ELISION_IN_NEW_TEXT": same(f"Write out all lines of the hunk. {LITERAL}"),
    "FILE_NOT_FOUND": _near,
    "INCOMPLETE_BLOCK": same("Write the patch again, whole, from *** Begin Patch to *** End Patch."),
}
"""What to do about what failed, in the words of this format."""
