"""What each error says: what happened, and what to do about it."""

from __future__ import annotations

from suture import errors
from suture.audience import Agent, Editor, PatchWriter
from suture.formats import NOTATIONS
from suture.formats.v4a import EXAMPLE
from suture.wording import (
    LINE,
    count,
    either,
    entry,
    errors_first,
    few,
    in_symbol,
    plain,
    plural,
    rejection_lines,
    side_by_side,
    span,
)
from suture.wording.edits import BLOCK_MESSAGES, EDIT_MESSAGES, HUNK_HINTS, PATCH_MESSAGES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from suture.audience import Audience
    from suture.shapes import UndoClash, UnreadEdit
    from suture.wording import E, Words

_SHOWN_PROBLEMS = 8  # of the arguments
_SHOWN_IN_LINE = 3  # of the arguments, where an error is one line
_SHOWN_CONFLICTS = 2  # of an undo
_SHOWN_CONFLICT_LINES = 2  # of each side, if there is one conflict; else 1
_SHOWN_DRIFTED_LINES = 3  # of the current lines, if they are not the expected ones
_SHOWN_DRIFTED_PLACES = 5  # where the expected lines are now
_SHOWN_PLACES = 10  # where a hunk's lines occur
_SHOWN_FILES = 5  # that a block may be about
_SHOWN_UNREAD = 3  # parts of a reply that could not be read
_AGAIN = "Send this block again"
_OTHER_MARKERS = f"{_AGAIN} with markers of 9 characters (<<<<<<<<< SEARCH, =========, >>>>>>>>> REPLACE)."


_UNBLOCKED = {
    "left": "Fix the cause and retry. Keep {intent}, which is needed to roll back, unless it is not suture's.",
    "open": (
        "Do not repeat the change yet: its files may be half changed. Fix the cause and make any call; "
        "its answer says whether {change} landed or was rolled back."
    ),
    "foreign": (
        "If {intent} came with a clone or a copy, delete it. Otherwise look at .suture/*.old and .suture-*.old first: "
        "these files have the old contents."
    ),
}


def _problems(error: errors.InvalidArguments, most: int) -> list[str]:
    return [plain(f"{problem['argument']}: {problem['problem']}") for problem in error.problems[:most]]


def _arguments(error: errors.InvalidArguments) -> str:
    lines = _problems(error, _SHOWN_PROBLEMS)
    more = len(error.problems) - len(lines)
    return "Invalid arguments:\n" + "\n".join(f"  {line}" for line in lines) + (f"\n  … {more} more" if more else "")


def _no_file(error: errors.FileNotFound | errors.PatternNotFound) -> str:
    return f"There is no file {error.path}."


def _near(error: errors.FileNotFound, audience: Audience) -> str:
    if audience.is_about_block and error.create_by is not None:
        return f"There is nothing to delete: leave the {audience.part} out."
    ways = audience.create_file if audience.is_about_block else ""
    if error.create_by:
        ways = f"use {' or '.join(error.create_by)}"
    check = (
        f"Did you mean {either(error.near)}?" if error.near else f"Check the path; it is relative to {audience.base()}."
    )
    return f"{check} To create it, {ways}." if ways else check


def _range(error: errors.RangeOutOfBounds) -> str:
    asked = f"line {error.start_line}" if error.end_line is None else f"lines {error.start_line} to {error.end_line}"
    if error.end_line is not None and error.end_line < error.start_line:
        return (
            f"Lines {error.start_line} to {error.end_line} of {error.path} cannot be read: the end is before the start."
        )
    return f"{error.path} has {error.total_lines} {plural(error.total_lines, 'line')}; {asked} cannot be read."


def _all_lines(number: int) -> str:
    return "line 1" if number == 1 else f"lines 1 to {number}"


_WHY_PROTECTED = {"suture": "it belongs to suture", "machine": "it runs or configures something on this machine"}
"""By what uses a protected path."""


def _name_encoding(audience: Audience, encoding: str) -> str:
    """How to name a file's encoding, as an imperative. A reply cannot do that for its files."""
    if audience.is_about_block:
        return audience.ask_operator(f"name {encoding}", "encodings")
    return f"name {encoding}{audience.by('encoding')}"


def _known_encodings(error: errors.EncodingUnknown, audience: Audience) -> str:
    candidates = ", ".join(error.candidates) or "no common one fits"
    if audience.is_about_block:
        return f"Write ASCII, or {_name_encoding(audience, 'the encoding of the file')}: {candidates}."
    name = _name_encoding(audience, "the encoding")
    return f"{name[0].upper()}{name[1:]} ({candidates}), or write ASCII."


def _file_changed(error: errors.FileChanged) -> str:
    if error.found is None:
        return f"{error.path} was removed by another process."
    if error.expected is None:
        return f"{error.path} was created by another process."
    return f"{error.path} does not have the expected content: its hash is {error.found}."


def _history_damaged(error: errors.HistoryDamaged) -> str:
    if error.what == "content":
        return f"The needed version of {error.path} is damaged in the history: {error.name}."
    if error.path is not None:
        return f"The state of {error.path} is unknown: the later change {error.name} is damaged in the history."
    name = error.name if error.what == "change" else f"'{error.name}'"
    return f"The {error.what} {name} is damaged in the history."


def _conflicts(error: errors.UndoConflict) -> str:
    number = len(error.conflicts)
    most = _SHOWN_CONFLICT_LINES if number == 1 else 1
    done = "redone" if error.operation == "redo" else "undone"
    lines = [f"{error.change_id} cannot be {done}: later changes conflict with it ({count(number, 'place')})."]
    for conflict in error.conflicts[:_SHOWN_CONFLICTS]:
        lines.append(f"  {plain(conflict.path)}:{conflict.line} {_what_happened(conflict)}")
        sides = {"expected": conflict.base, "in the file": conflict.ours, f"after {error.operation}": conflict.theirs}
        lines += [f"  {line}" for line in side_by_side(sides, most)]
    if number > _SHOWN_CONFLICTS:
        lines.append(f"  … {number - _SHOWN_CONFLICTS} more in the metadata")
    return "\n".join(lines)


def _what_happened(conflict: UndoClash) -> str:
    """Why there is a conflict."""
    if conflict.about == "name":
        return "was renamed again"
    if conflict.about == "file":
        return "was replaced by another file"
    if conflict.ours is None:
        return "is gone"
    if conflict.base is None:
        return "exists again"
    if conflict.theirs is None:
        return "was changed after it was created"
    return "has changed since"


def _what_can_be_restored(error: errors.NotRecorded, audience: Audience) -> str:
    if error.is_point:
        return f"To restore to the change or checkpoint of this name, {audience.choose('to', error.path)}."
    if error.near:
        return f"Did you mean {either(error.near)}?"
    return "The history contains only files that suture changed here, and files in checkpoints."


_SMALLER_TREE = "List what should not be in checkpoints in .gitignore"


def _limit_reached(error: errors.CheckpointTooLarge) -> str:
    """Why no checkpoint was taken."""
    if error.setting.endswith("_ms"):
        return f"not all files could be read within {error.limit / 1_000:g} s ({error.files:,} were found)"
    if error.setting.endswith("_files"):
        return f"the tree has more than {count(error.limit, 'file')}"
    return f"the contents of {count(error.files, 'file')} would take too much of the history"


def _named(paths: list[str], total: int) -> str:
    """Some files, of more."""
    more = f" and {total - len(paths):,} more" if total > len(paths) else ""
    return f"{', '.join(map(plain, paths))}{more}"


def _way_out(error: errors.UndoConflict) -> str:
    if error.made_on:
        return f"Nothing was changed. {error.change_id} was made on branch {error.made_on}: {error.operation} it there."
    if not error.later:
        return "Nothing was changed. Someone else has changed these lines: edit them yourself."
    return f"Nothing was changed. Undo the later change {error.later[0]} first, or edit these lines yourself."


def _nothing_to_undo(error: errors.NothingToUndo) -> str:
    if error.newest is not None:
        return "This session has made no change that is still in effect."
    where = f"in {error.root}" if error.session is None else f"of session {error.session}"
    if not error.all_undone:
        return f"There is nothing to undo {where}."
    if error.session is not None:
        return f"All changes {where} are already undone."
    return f"No change that suture made {where} is left to undo; changes by other programs are undone by id."


def _what_else_to_undo(error: errors.NothingToUndo, audience: Audience) -> str:
    if error.newest is not None:
        by = f" by session {error.by}" if error.by else ""
        return f"The newest change is {error.newest}{by}; to undo it, give its id."
    if error.all_undone:
        return f"To reapply a change, use {audience.tool('redo')}."
    return "suture can undo only its own changes in this workspace. Is this the right folder?"


def _where_it_is(error: errors.NotHere) -> str:
    if error.operation == "redo":
        return "Nothing was changed or marked as redone."
    if error.branch is not None and error.branch != error.now:
        now = f"the current branch is {error.now}" if error.now else "another commit is checked out"
        return f"It was made on branch {error.branch}; {now}. Undo it on that branch. It was not marked as undone."
    return (
        "It was reverted in another way, for example by git stash or git checkout. It was not marked as undone. To "
        "undo an earlier change, give its id."
    )


def _other_change(error: errors.ChangeNotFound, audience: Audience) -> str:
    if error.candidates:
        return "Give more characters of the id."
    names = f" Checkpoints: {', '.join(error.checkpoints)}." if error.checkpoints else ""
    forgotten = " Older changes were removed (history_max_bytes, history_max_days)." if error.forgotten else ""
    return f"Use {audience.tool('history')} to list the changes.{names}{forgotten}"


def _smaller(error: errors.InputTooLarge, audience: Audience) -> str:
    smaller = "Reuse an existing name" if error.unit == "clipboards" else "Make it smaller"
    return (
        f"{smaller}, or {audience.ask_operator('raise the limit', error.setting)}." if error.setting else f"{smaller}."
    )


def _no_files(error: errors.NoFilesMatched, audience: Audience) -> str:
    if error.hidden_by:
        return f"{error.hidden_by}."
    return f"Check the pattern: it is relative to {audience.base()}, and ** matches any number of folders."


def _invalid_group(error: errors.InvalidCaptureGroup) -> str:
    if error.meant is not None:
        return f"Invalid capture group: {error.reference} (write {error.meant})"
    return f"Invalid capture group: {error.reference} (only {count(error.groups, 'group')} in pattern)"


def _groups(error: errors.InvalidCaptureGroup) -> str:
    if error.meant is not None and error.dialect == "Python":
        return r"Groups are \1 and \g<name> here, as in Python. For a dollar sign before a number or name, write \044."
    if error.meant is not None:
        return (
            "Write groups as $1 and ${name} here. To insert this text literally, make the groups of the "
            "pattern non-capturing: (?:…)."
        )
    if not error.groups:
        return "Put parentheses around the part of the pattern to refer to, or write $$ for a dollar sign."
    names = f" Named groups: {', '.join(error.names)}." if error.names else ""
    return f"Refer to a group of the pattern, or write $$ for a dollar sign.{names}"


def _fewer(error: errors.TooManyReplacements, audience: Audience) -> str:
    if error.setting:
        raise_limit = audience.ask_operator("raise the limit", error.setting)
        return f"Nothing was changed. Replace in fewer files, or {raise_limit}."
    return f"Nothing was changed. Narrow the pattern, or raise {audience.argument('max_replacements')}."


PATTERN_MESSAGES: dict[str, Words] = dict(
    [
        entry(
            errors.InvalidRegex,
            lambda e: (
                f"Invalid regex: {e.reason} at position {e.position}"
                if e.dialect == "JavaScript"
                else f"Invalid regex pattern: {e.reason}"
            ),
            lambda e: (
                f"{f'{e.advice}. ' if e.advice else ''}The dialect is JavaScript with the flag u; "
                "the position counts characters from 0."
                if e.dialect == "JavaScript"
                else f"Use the regular expression syntax of {e.dialect}, or search for literal text."
            ),
        ),
        entry(
            errors.InvalidFlags,
            lambda e: f"Invalid flags: {e.flags} (supported: {e.supported})",
            "g: all matches, i: ignore case, m: ^ and $ match at line breaks, s: . also matches line breaks.",
        ),
        entry(
            errors.RegexTimeout,
            lambda e: f"Regex timed out after {e.timeout_ms} ms: {e.pattern}",
            hint_for=lambda e, audience: (
                f"It was searching {e.path}. Avoid nested or adjacent quantifiers that can match the same text, "
                f"search fewer files, or {audience.ask_operator('raise the limit', e.setting)}."
            ),
        ),
        entry(
            errors.InvalidGlob,
            lambda e: f"Invalid glob pattern: {e.pattern}",
            lambda e: f"Fix the pattern: {e.reason}.",
        ),
        entry(errors.NoFilesMatched, lambda e: f"No files matched pattern: {e.pattern}", hint_for=_no_files),
        entry(
            errors.InvalidCaptureGroup,
            _invalid_group,
            _groups,
        ),
        entry(
            errors.NoCaptureGroups,
            lambda e: f"Pattern has no capture groups: {e.pattern}",
            "Put parentheses around what to extract.",
        ),
        entry(
            errors.TooManyReplacements,
            lambda e: f"Max replacements exceeded: {e.found} (limit: {e.limit})",
            hint_for=_fewer,
        ),
        entry(
            errors.OverMatch,
            lambda e: (
                f"Over-match: the match at {e.path}:{e.line} ends at line {e.end_line} and contains "
                f"another match at line {e.inner_line}"
            ),
            hint_for=lambda _, audience: (
                "Nothing was changed. Use a lazy quantifier (*?), or "
                f"{audience.turn_on('allow_over_match')} if the whole match is intended."
            ),
        ),
    ]
)


def _line(kind: type[E], words: Callable[[E], str]) -> tuple[str, Callable[[Any], str]]:
    """An entry of the table of one-line texts."""
    return kind.code, words


LINES: dict[str, Callable[[Any], str]] = dict(
    [
        _line(errors.FileNotFound, lambda e: f"File not found: {plain(e.path)}"),
        _line(errors.NotAFile, lambda e: f"Not a file: {plain(e.path)} ({e.kind})"),
        _line(errors.PathOutsideWorkspace, lambda e: f"Path outside workspace: {plain(e.path)} ({plain(e.reason)})"),
        _line(errors.ProtectedPath, lambda e: f"Protected path: {plain(e.path)} ({plain(e.rule)})"),
        _line(
            errors.InputTooLarge,
            lambda e: (
                f"Too large: {plain(e.what)} has {e.size:,} {e.unit} (limit: {e.limit:,}"
                f"{f', setting {e.setting}' if e.setting else ''})"
            ),
        ),
        _line(errors.ValidationFailed, lambda e: "Validation failed: " + "; ".join(rejection_lines(e.validation))),
        _line(errors.InvalidArguments, lambda e: "Invalid arguments: " + "; ".join(_problems(e, _SHOWN_IN_LINE))),
        _line(
            errors.FileChanged,
            lambda e: f"File modified during operation: {plain(e.path)} (another process changed it)",
        ),
    ]
)


def _meant(error: errors.LineOutOfBounds | errors.PatternNotFound) -> str:
    return f" Did you mean {either(error.near)}?" if error.near else ""


def _drift_message(error: errors.Drifted, audience: Audience) -> str:
    where = span(error.start_line, error.end_line)
    shown = "\n".join(f"  {line}" for line in few(error.text.replace("\r\n", "\n"), _SHOWN_DRIFTED_LINES))
    expected = audience.text_given_by("expected_text")
    return f"{expected} is not at {where} of {error.path}; found there:\n{shown}"


def _drifted_to(error: errors.Drifted, audience: Audience) -> str:
    expected = audience.text_given_by("expected_text")
    if not error.stands_at:
        return f"{expected} is not in the file. Read the lines again, and retry with the current ones."
    places = ", ".join(map(str, error.stands_at[:_SHOWN_DRIFTED_PLACES]))
    lines = plural(len(error.stands_at), "line")
    return f"{expected} is now at {lines} {places}. Retry with the right line numbers."


def _search_not_found(error: errors.PatternNotFound) -> str:
    if not error.exists:
        return f"{_no_file(error)}{_meant(error)}"
    advice = "Read the file, and search for text that is in it; nothing was changed."
    if error.correction is not None:
        advice = "The metadata has the corrected search_replace, ready to send (error.correction); nothing was changed."
    return "\n".join([*error.details, advice])


def _validation_message(error: errors.ValidationFailed) -> str:
    """Why, with the first wrong line, which is not in any file yet."""
    why = rejection_lines(error.validation)
    first = next((issue.source for issue in errors_first(error.validation.new)), "")
    if first and why:
        why.insert(1, f"  | {plain(first)}")
    lines = [f"  {line}" for line in (*why, *map(plain, error.failed))]
    introduces = any(issue.severity == "error" for issue in error.validation.new)
    return "\n".join([f"The edit was rejected{' because it introduces errors' if introduces else ''}:", *lines])


def _fix_first(error: errors.ValidationFailed) -> str:
    validation = error.validation
    if any(issue.severity == "error" for issue in validation.new):
        return "Nothing was written. Fix the edit and send it again; existing problems do not block it."
    if any(check.required for check in validation.not_run):
        return "Nothing was written. Make the check run, or ask the operator not to require it."
    first = "fix them first, or check only for new errors"
    return f"Nothing was written. These errors were there before this edit: {first}."


SAFE_MESSAGES: dict[str, Words] = dict(
    [
        entry(
            errors.LineOutOfBounds,
            lambda e: f"{e.which} {e.line} exceeds file length ({e.total_lines} {plural(e.total_lines, 'line')})",
            hint_for=lambda e, audience: (
                f"Use {_all_lines(e.total_lines)} of {e.path}; to append, replace the last line."
                if e.total_lines
                else f"{e.path} is empty or does not exist: {audience.whole_content()}.{_meant(e)}"
            ),
        ),
        entry(
            errors.OverlappingLines,
            lambda e: f"Overlapping edits: lines {e.first[0]}-{e.first[1]} and {e.second[0]}-{e.second[1]}",
            "All ranges refer to the file as it is. Combine them into one edit.",
        ),
        entry(errors.Drifted, message_for=_drift_message, hint_for=_drifted_to),
        entry(errors.PatternNotFound, lambda e: f"Pattern '{e.search}' not found in file", _search_not_found),
        entry(
            errors.ValidationFailed,
            _validation_message,
            _fix_first,
        ),
    ]
)


def _incomplete(error: errors.IncompleteBlock, audience: Audience) -> str:
    where, part = f"line {error.reply_line} of the {audience.source}", audience.part
    path = f" for {error.path}" if error.path else ""
    notation = NOTATIONS[error.format]
    end = notation.cut_off or f"{notation.last} is missing"
    return {
        "no_end": f"The {part}{path} that begins at {where} is cut off: {end}.",
        "no_separator": f"The {part}{path} at {where} has no ======= between the text to find and its replacement.",
        "many_separators": f"The {part}{path} at {where} has too many lines that look like its separator.",
        "no_start": f"{notation.last} at {where} has no {notation.first} before it.",
        "empty": f"The section{path} at {where} contains no change; a hunk begins with an @@ line.",
        "not_a_hunk": f"The section{path} at {where} has lines that are neither context nor added (+) nor removed (-).",
        "two_ends": f"The {part}{path} at {where} may end at either of two markers of different lengths.",
        "excerpt": f"The code fence{path} at {where} is introduced as an excerpt or an example, not as the whole file.",
        "inside": f"The section{path} at {where} follows a block that has no end, and may be part of it.",
        "not_exact": f"The call at {where} is not exact: it needs one path, and an old and a new text for each change.",
        "not_asked": f"The call{path} at {where} writes a whole file, which is not turned on.",
        "partial": f"The diff at {where} deletes {error.path}, but shows only part of it.",
    }.get(error.problem, f"The {part}{path} at {where} cannot be read: {error.problem}.")


def _how_to_complete(error: errors.IncompleteBlock, audience: Audience) -> str:
    return {
        "excerpt": "Send the whole file, or a SEARCH/REPLACE block for the part that changes.",
        "many_separators": _OTHER_MARKERS,
        "two_ends": _OTHER_MARKERS,
        "not_asked": f"To write whole files, {audience.turn_on('whole_files')}.",
        "not_exact": f"{_AGAIN} as a SEARCH/REPLACE block.",
    }.get(error.problem, f"{_AGAIN} in full.")


def _ambiguous(error: errors.AmbiguousBlock, audience: Audience) -> str:
    where = f"for {error.path} at line {error.reply_line} of the {audience.source}"
    if error.ends:
        lines = " or ".join(map(str, error.ends))
        return f"The {audience.part} {where} may end at line {lines}: there is text between two end markers."
    if len(error.readings) == 1:
        return (
            f"The {audience.part} {where} follows a SEARCH marker without "
            "an end, and the file also contains that marker: it is not clear what to replace."
        )
    if len({reading["old"] for reading in error.readings}) == 1:
        return (
            f"The hunk {where} is followed by more added lines "
            "than its @@ line counts; it is not clear whether they belong to it."
        )
    ways = count(len(error.readings), "way")
    return (
        f"The {audience.part} {where} can be split in {ways}, because its text "
        "contains =======; the file does not show which is meant."
    )


def _unambiguous(error: errors.AmbiguousBlock) -> str:
    if len(error.readings) > 1 and len({reading["old"] for reading in error.readings}) == 1:
        return "Send it again in a code fence, or with the right counts."
    return _OTHER_MARKERS


def _no_blocks(error: errors.NoBlocks) -> str:
    """That there is no block, and what the reply has instead."""
    sentences = ["The reply contains no block that can be applied."]
    if error.skipped:
        are = "is" if error.skipped == 1 else "are"
        sentences.append(
            f"{count(error.skipped, 'block')} in it {are} part of the model's thinking, which is not applied."
        )
    seen = [part for part in error.unread if part.kind != "fenced_file"]
    return " ".join([*sentences, *_few_unread(seen)])


def _fenced_files(error: errors.NoBlocks, audience: Audience) -> str:
    tagged = [str(part.path) for part in error.unread if part.kind == "file"]
    if error.fenced or tagged:
        names = ", ".join([*error.fenced, *tagged][:3])
        subject = f"whole files{'' if tagged else ' in code fences'} ({names})"
        return f"It has {subject}: to write them, {audience.turn_on('whole_files')}."
    if error.skipped:
        return "Send the blocks again outside of <think> and other thinking tags."
    return (
        "Write the path of the file on a line of its own, and below it a block: <<<<<<< SEARCH, the lines to find, "
        "=======, the replacement lines, >>>>>>> REPLACE. An apply_patch envelope or a unified diff also works."
    )


def _out_of_scope(error: errors.OutOfScope) -> str:
    named = " / ".join(plain(line.strip())[:LINE] for line in error.context)
    where = [span(place["start_line"], place["end_line"]) + in_symbol(place["symbol"]) for place in error.places]
    places = f" Its lines were found at {', '.join(where[:_SHOWN_PLACES])}." if where else ""
    problem = f"does not contain the hunk's lines in {error.path}" if error.exists else f"is not in {error.path}"
    return f"The hunk names {named}, which {problem}.{places}"


def _no_path(error: errors.NoPath) -> str:
    """Which files the lines above a block mention, and why that is not enough."""
    block = f"block at line {error.reply_line} of the reply"
    *named, last = map(plain, error.candidates or [""])
    more = f", and {len(named) - _SHOWN_FILES} more" if len(named) > _SHOWN_FILES else ""
    names = f"{', '.join(named[:_SHOWN_FILES])}{more}"
    return {
        "several": f"The {block} may apply to {names} or {last}: the text above mentions them, and the block does "
        "not fit exactly one of them.",
        "missing": f"The text above the {block} mentions {names}, which {'does' if len(named) == 1 else 'do'} not "
        f"exist; without the mention, the block would apply to {last}.",
        "elsewhere": f"The text above the {block} mentions {names}, but the block fits only {last}.",
    }.get(error.why, f"The {block} does not name its file.")


def _name_file(error: errors.NoPath, audience: Audience) -> str:
    default = "" if error.candidates else f", or give {audience.argument('default_path')}"
    return f"{_AGAIN} below a line `### File: PATH`{default}."


def _few_unread(unread: list[UnreadEdit]) -> Iterator[str]:
    yield from (part.message for part in unread[:_SHOWN_UNREAD])
    if len(unread) > _SHOWN_UNREAD:
        yield f"… and {len(unread) - _SHOWN_UNREAD} more (unread)."


def _send_unread(error: errors.UnreadEdits, audience: Audience) -> str:
    whole = any(part.kind == "file" for part in error.unread)
    only = "only " if error.landed else ""
    asked = f"To write whole files, {audience.turn_on('whole_files')}. " if whole else ""
    return f"{asked}Resend {only}what was not read, as SEARCH/REPLACE blocks or as a patch."


def _send_again(error: errors.BlocksFailed) -> str:
    return f"Fix and resend {'only ' if error.landed else ''}these blocks."


REPLY_MESSAGES: dict[str, Words] = dict(
    [
        entry(errors.NoBlocks, _no_blocks, hint_for=_fenced_files),
        entry(errors.UnreadEdits, lambda e: " ".join(_few_unread(e.unread)), hint_for=_send_unread),
        entry(
            errors.BlocksFailed,
            lambda e: f"{len(e.failed)} of {count(e.total, 'block')} could not be applied: {', '.join(e.failed)}.",
            _send_again,
        ),
        entry(
            errors.IncompleteBlock,
            message_for=_incomplete,
            hint_for=_how_to_complete,
        ),
        entry(
            errors.AmbiguousBlock,
            message_for=_ambiguous,
            hint=_unambiguous,
        ),
        entry(
            errors.NoPath,
            _no_path,
            hint_for=_name_file,
        ),
        entry(
            errors.ReplyTimeout,
            lambda e: f"The time limit (reply_call_ms, {e.limit:,} ms) expired before this block was reached.",
            f"{_AGAIN} in a smaller reply.",
        ),
        entry(
            errors.NoContext,
            lambda e: (
                f"The hunk only inserts, and nothing in it says where in {e.path}"
                f"{': ' + plain(e.context[-1])[:LINE] + ' is not there' if e.context else ''}."
            ),
            "Add context: lines of the file around the new ones.",
        ),
        entry(
            errors.OutOfScope,
            _out_of_scope,
            lambda e: f"Read {e.path} again. {_AGAIN}, and name the class or function that contains its lines.",
        ),
        entry(
            errors.UnsupportedBlock,
            lambda e: (
                f"The diff only makes {e.path} executable."
                if e.problem == "executable"
                else f"The diff changes {e.path or 'a file'}, which is "
                f"{'binary' if e.problem == 'binary' else 'a symbolic link or a submodule'}."
            ),
            hint_for=lambda e, audience: (
                f"Leave it out, or {audience.ask_operator('allow executable files', 'allow_executables')}."
                if e.problem == "executable"
                else "Only text files can be changed this way."
            ),
        ),
    ]
)


PATCH_WRITER_MESSAGES: dict[str, Words] = dict(
    [
        entry(errors.NoBlocks, "The input contains no patch.", f"A patch looks like this:\n{EXAMPLE}"),
        entry(
            errors.BlocksFailed,
            message_for=REPLY_MESSAGES[errors.BlocksFailed.code][0],
            hint="Nothing was changed: fix what failed, and send the whole patch again.",
        ),
    ]
)
"""What `apply_patch` says about the whole call."""


MESSAGES: dict[str, Words] = dict(
    [
        *EDIT_MESSAGES.items(),
        *PATCH_MESSAGES.items(),
        *PATTERN_MESSAGES.items(),
        *REPLY_MESSAGES.items(),
        *SAFE_MESSAGES.items(),
        entry(errors.InvalidArguments, _arguments, "Correct the arguments and call again; nothing was changed."),
        entry(
            errors.UnknownTool,
            lambda e: f"There is no tool '{e.name}'.",
            lambda e: f"{f'Did you mean {e.near[0]}? ' if e.near else ''}Available tools: {', '.join(e.known)}.",
        ),
        entry(
            errors.InputTooLarge,
            lambda e: f"{e.what} has {e.size:,} {e.unit}; the limit is {e.limit:,}.",
            hint_for=_smaller,
        ),
        entry(
            errors.ServerBusy,
            lambda e: f"The server is already running {e.limit:,} calls, which is its limit.",
            "Nothing was changed. Wait for one to finish, then retry.",
        ),
        entry(
            errors.NoWorkspace,
            lambda e: (
                f"There is no folder to work in: the server was started in {e.started_in}"
                + (f", {e.reason}" if e.reason else "")
                + (f", and may not serve {', '.join(e.declared)}." if e.declared else ".")
            ),
            hint_for=lambda _, audience: (
                "Start suture mcp in a project, or name the folder with --root DIR."
                if audience.prints_data
                else "Ask the user to start suture mcp in a project or with --root DIR, or with --allow-root DIR to "
                "let the client choose a folder in DIR."
            ),
        ),
        entry(
            errors.InvalidPath,
            lambda e: f"'{e.path}' cannot be used as a path: {e.reason}.",
            "Give a plain path relative to the workspace root.",
        ),
        entry(
            errors.PathOutsideWorkspace,
            lambda e: f"{e.path} is outside the workspace: {e.reason}.",
            hint_for=lambda _, audience: (
                "Only files below the workspace root, or a configured extra root, can be used."
                f"{' suture doctor shows the root; --root names another.' if audience.folder else ''}"
            ),
        ),
        entry(
            errors.ProtectedPath,
            lambda e: f"{e.path} is protected ({e.rule}): {_WHY_PROTECTED[e.used_by]}.",
            hint_for=lambda e, audience: (
                "Leave it alone."
                if e.used_by == "suture"
                else f"Leave it alone, or {audience.ask_operator('allow it', 'allow_protected')}."
            ),
        ),
        entry(errors.FileNotFound, _no_file, hint_for=_near),
        entry(
            errors.NotAFile,
            lambda e: f"{e.path} is a {'device, pipe or socket' if e.kind == 'other' else e.kind}, not a file.",
            "Name a regular file.",
        ),
        entry(
            errors.NotAFolder,
            lambda e: f"{e.path} cannot exist: {e.folder} is not a folder.",
            "Check the path.",
        ),
        entry(
            errors.FileExists,
            lambda e: f"{e.path} already exists.",
            "Edit the existing file, or choose another name.",
        ),
        entry(
            errors.PermissionDenied,
            lambda e: f"No permission to {e.operation} {e.path}.",
            "Ask the operator to change the permissions, or work on another file; nothing was changed.",
        ),
        entry(
            errors.WorkspaceNotFound,
            lambda e: f"The workspace root {e.root} cannot be opened: {e.reason}.",
            "Give the path of an existing folder.",
        ),
        entry(
            errors.BinaryFile,
            lambda e: f"{e.path} is a binary file: it contains a NUL byte near the beginning.",
            hint_for=lambda _, audience: (
                "Only text can be read and edited. If it is UTF-16 without a byte order mark, "
                f"{_name_encoding(audience, 'its encoding')}."
            ),
        ),
        entry(
            errors.RangeOutOfBounds,
            _range,
            lambda e: f"Request {_all_lines(e.total_lines)}." if e.total_lines else "The file is empty.",
        ),
        entry(
            errors.EncodingUnknown,
            lambda e: f"U+{ord(e.character):04X} cannot be written: the file's encoding is not known.",
            hint_for=_known_encodings,
        ),
        entry(
            errors.EncodingMismatch,
            lambda e: f"The encoding {e.encoding} cannot be used here: {e.reason}.",
            "Name the file's actual encoding (for UTF-16 without a byte order mark, utf-16-le or utf-16-be).",
        ),
        entry(
            errors.NotEncodable,
            lambda e: f"U+{ord(e.character):04X} does not exist in the file's encoding, {e.encoding}.",
            "Write it another way (an escape, an entity), or convert the file first.",
        ),
        entry(
            errors.OverlappingEdits,
            lambda e: f"The edits at {e.first[0]}-{e.first[1]} and {e.second[0]}-{e.second[1]} overlap.",
            "Combine them into one edit.",
        ),
        entry(
            errors.EditOutOfBounds,
            lambda e: f"Span {e.start}-{e.end} is outside the text ({e.size} bytes).",
            "Search again in the current text.",
        ),
        entry(
            errors.FileChanged,
            _file_changed,
            lambda e: (
                "Read the file again and repeat the edit; nothing was changed."
                if not e.changed_lines
                else "Nothing was changed. If the edit still fits, repeat it with the new hash."
            ),
        ),
        entry(
            errors.SameFileTwice,
            lambda e: f"{e.path} and {e.other} are the same file, named twice in one transaction.",
            "Change each file once.",
        ),
        entry(
            errors.ReadFailed,
            lambda e: f"{e.path or 'The workspace'} could not be read: {e.reason}.",
            "Nothing was changed. Fix the cause and retry.",
        ),
        entry(
            errors.WriteFailed,
            lambda e: f"{e.path} could not be written: {e.reason}.",
            "Nothing was changed. Fix the cause and retry.",
        ),
        entry(
            errors.WorkspaceBusy,
            lambda e: f"Another process has held the workspace lock for {e.waited_ms:,} ms.",
            hint_for=lambda e, audience: (
                f"Nothing was changed. Retry, or {audience.ask_operator('raise the limit', e.setting)}."
            ),
        ),
        entry(
            errors.Cancelled,
            "The call was canceled.",
            "Nothing was changed.",
        ),
        entry(
            errors.CallTimedOut,
            lambda e: f"The call took longer than {e.timeout_ms:,} ms.",
            hint_for=lambda e, audience: (
                "Nothing was changed. Do less in one call: fewer edits, exact search texts, a smaller file; "
                f"or {audience.ask_operator('raise the limit', e.setting)}."
            ),
        ),
        entry(
            errors.OutOfMemory,
            "The call ran out of memory.",
            hint_for=lambda e, audience: (
                "Nothing was changed. Do less in one call, make calls one at a time, "
                f"or {audience.ask_operator('raise the limit', e.setting)}."
            ),
        ),
        entry(
            errors.RecoveryBlocked,
            lambda e: (
                f"Change {e.change_id} failed, and could not be rolled back: {e.reason}."
                if e.state == "open"
                else f"An interrupted transaction cannot be recovered: {e.reason}."
            ),
            lambda e: _UNBLOCKED[e.state].format(intent=e.intent, change=e.change_id),
        ),
        entry(
            errors.HistoryUnavailable,
            lambda e: f"The history of this workspace cannot be used: {e.reason}.",
            "Nothing was changed. Edits still work. If the history is damaged, the next edit renames it and starts a "
            "new one.",
        ),
        entry(
            errors.HistoryDamaged,
            _history_damaged,
            "Nothing was changed. Undo other changes by id, or restore files by path to another point.",
        ),
        entry(
            errors.ChangeNotFound,
            lambda e: (
                f"More than one change id begins with '{e.change_id}': {', '.join(e.candidates)}."
                if e.candidates
                else f"No checkpoint or change has the name or id '{e.change_id}'."
                if e.checkpoints is not None
                else f"No change has the id '{e.change_id}'."
            ),
            hint_for=_other_change,
        ),
        entry(errors.NothingToUndo, _nothing_to_undo, hint_for=_what_else_to_undo),
        entry(
            errors.NothingToRedo,
            lambda e: f"{e.change_id} has not been undone." if e.change_id else "There is nothing to redo.",
            hint_for=lambda _, audience: (
                f"Only an undone change can be redone. Use {audience.tool('history')} to see the state of each change."
            ),
        ),
        entry(
            errors.AlreadyUndone,
            lambda e: f"{e.change_id} has already been undone.",
            hint_for=lambda e, audience: f"To reapply it, use {audience.tool('redo')} {e.change_id}.",
        ),
        entry(
            errors.NotHere,
            lambda e: (
                f"{e.change_id} is already in the files: there is nothing to redo."
                if e.operation == "redo"
                else f"{e.change_id} is not in the files: there is nothing to undo."
            ),
            _where_it_is,
        ),
        entry(
            errors.SessionNotFound,
            lambda e: (
                f"'{e.session}' matches several sessions."
                if e.ambiguous
                else f"No session '{e.session}' has made a change here."
            ),
            lambda e: (
                f"Give the id of one: {', '.join(e.candidates)}."
                if e.ambiguous
                else f"The latest sessions: {', '.join(e.candidates)}."
                if e.candidates
                else "No session is recorded here."
            ),
        ),
        entry(
            errors.UndoConflict,
            _conflicts,
            _way_out,
        ),
        entry(
            errors.ContentNotKept,
            lambda e: f"The history has only the hash of the needed version of {e.path}: {e.hash}.",
            hint_for=lambda e, _: (
                "Its content was removed for good (suture forget). Nothing was changed."
                if e.forgotten
                else "Its content was lost in a crash. Nothing was changed; restore another version."
            ),
        ),
        entry(
            errors.NotRecorded,
            lambda e: f"The history has no version of {e.path}.",
            hint_for=_what_can_be_restored,
        ),
        entry(
            errors.CheckpointExists,
            lambda e: f"Checkpoint '{e.name}' already exists, or a change id begins with '{e.name}'.",
            "Choose another name.",
        ),
        entry(
            errors.CheckpointTooLarge,
            lambda e: f"No checkpoint was taken: {_limit_reached(e)}.",
            hint_for=lambda e, audience: f"{_SMALLER_TREE}, or {audience.ask_operator('raise the limit', e.setting)}.",
        ),
        entry(
            errors.GitBusy,
            lambda e: f"A git {e.operation} is in progress: nothing was restored.",
            hint_for=lambda _, audience: f"Finish or abort it first, or {audience.turn_on('during_git')}.",
        ),
        entry(
            errors.HeadMoved,
            lambda e: f"At checkpoint '{e.checkpoint}', git's HEAD was at {e.then}; now it is at {e.now}.",
            hint_for=lambda e, audience: (
                f"Nothing was restored. Check out {e.then} first, or {audience.turn_on('any_head')} "
                "to restore only the files and leave HEAD where it is."
            ),
        ),
        entry(
            errors.DeletionsNotConfirmed,
            lambda e: f"This would delete {_named(e.paths, e.total)}, created since the checkpoint.",
            hint_for=lambda _, audience: f"Nothing was changed. To delete them, {audience.turn_on('yes')}.",
        ),
        entry(
            errors.InternalError,
            lambda e: f"suture failed: {e.exception}.",
            "This is a bug in suture; the log (suture.call) has the traceback. Nothing was changed.",
        ),
    ]
)


def dialect(audience: Audience) -> Mapping[str, Words]:
    """The sentences that a reader has instead of the general ones."""
    if isinstance(audience, Editor):
        from suture.wording.editor import EDITOR_MESSAGES

        return EDITOR_MESSAGES
    if isinstance(audience, Agent):
        from suture.wording.agent import AGENT_MESSAGES

        return AGENT_MESSAGES
    if isinstance(audience, PatchWriter):
        return _HUNK_MESSAGES if audience.is_about_block else PATCH_WRITER_MESSAGES
    return BLOCK_MESSAGES if audience.is_about_block else {}


_HUNK_MESSAGES = BLOCK_MESSAGES | {
    code: ((BLOCK_MESSAGES.get(code) or MESSAGES[code])[0], hint) for code, hint in HUNK_HINTS.items()
}
