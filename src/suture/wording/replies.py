"""The words for what can go wrong with a model's reply, or with one block of it."""

from __future__ import annotations

from suture import errors
from suture.formats import NOTATIONS
from suture.wording.phrases import (
    LINE,
    as_it_is,
    count,
    entry,
    few,
    first_line,
    how_matched,
    in_symbol,
    literal,
    plain,
    provenance,
    shown_lines,
    span,
    version_name,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from suture.audience import Audience
    from suture.errors import UnreadEdit
    from suture.wording.phrases import Words

_SHOWN_PLACES = 10  # where lines occur
_SHOWN_LINES = 6  # of a place in a file
_SHOWN_REGION_LINES = 60  # of the place that a failure is about
_SHOWN_WORDS = 2  # of the sent text that the file does not contain
_SHOWN_FILES = 5  # that a block may mean
_SHOWN_DIFFERENCES = 3  # of the nearest place
_SHOWN_UNREAD = 3  # parts of a reply that could not be read
_SIMILAR_SCORE = 0.5  # from which on the differences of a place are worth listing
_AGAIN = "Send this block again"
_OTHER_MARKERS = f"{_AGAIN} with markers of 9 characters (<<<<<<<<< SEARCH, =========, >>>>>>>>> REPLACE)."


def details(error: errors.SutureError, audience: Audience) -> list[str]:
    """What is known about why a block failed, beyond the message: places, differences, the file's own lines."""
    known = _DETAILS.get(error.code)
    return [] if known is None else list(known(error, audience))


def _not_found(error: errors.NoMatch, audience: Audience) -> Iterator[str]:
    """Where the text may have gone, or what is most like it."""
    if error.applied is not None:
        where = span(error.applied["start_line"], error.applied["end_line"])
        yield f"The new text is already at {where}; if that is the place, leave the block out."
    elif error.written_on is not None:
        yield provenance(error.why, error.written_on)
        if error.stale is not None:
            yield f"{span(error.stale['start_line'], error.stale['end_line']).capitalize()} now:"
            yield from shown_lines(error.stale["start_line"], error.stale["text"], _SHOWN_LINES)
    elif error.attempt > 1 and error.region is not None:
        where = span(error.region["start_line"], error.region["end_line"])
        refused = f"This {audience.hunk} was refused before, and the file has not changed since"
        yield f"{refused}. {where.capitalize()}, exactly:"
        yield from map(as_it_is, error.region["text"].split("\n")[:_SHOWN_REGION_LINES])
    elif error.similar_content:
        yield from _similar(error)
    elif error.words is not None and error.words["missing"]:
        missing = ", ".join(map(plain, error.words["missing"][:_SHOWN_WORDS]))
        yield f"Words of it that are not in the file: {missing}. Is {plain(error.path)} the right file?"


def _similar(error: errors.NoMatch) -> Iterator[str]:
    best = error.similar_content[0]
    how = f"Found {how_matched(error.rung)}" if error.rung else f"Most like it ({best['similarity_score']:.0%})"
    yield f"{how}, line {best['line_number']}{in_symbol(best['symbol'])}:"
    yield from shown_lines(best["line_number"], best["content"], _SHOWN_LINES)
    differing = best["differences"] if best["similarity_score"] >= _SIMILAR_SCORE else []
    for difference in differing[:_SHOWN_DIFFERENCES]:
        yield f"  Difference in line {difference['line_number']}: {difference['description']}"
    if len(differing) > _SHOWN_DIFFERENCES:
        yield f"  … and {count(len(differing) - _SHOWN_DIFFERENCES, 'more difference')}"


def _sides(error: errors.EditConflict, _: Audience) -> Iterator[str]:
    sides = {"in the block:": error.base, "in the file: ": error.ours, "wanted:      ": error.theirs}
    yield from (f"  {name} {line}" for name, side in sides.items() for line in few(side, 2))


def _region(error: errors.PartlyApplied | errors.UnprovedChange | errors.TargetDeleted, _: Audience) -> Iterator[str]:
    yield from shown_lines(error.start_line, error.text, _SHOWN_LINES)


def _places(error: errors.OldTextNotUnique) -> str:
    where = list(dict.fromkeys(span(place["start_line"], place["end_line"]) for place in error.places))
    more = f" and {len(where) - _SHOWN_PLACES} more" if len(where) > _SHOWN_PLACES else ""
    return ", ".join(where[:_SHOWN_PLACES]) + more


def _look_again(error: errors.NoMatch, audience: Audience) -> str:
    if error.applied is not None:
        return "Read the file, and leave the block out if it is done."
    if error.why == "deleted":
        return f"Read {error.path} again, and decide whether the change is still needed."
    if error.stale is not None:
        return f"Your copy of {error.path} is old: read it again. {_AGAIN} with the lines as they are now."
    if error.why == "found" and error.rung in {"exact", "line_ends"}:
        return "It is a part of a line there, and blocks are whole lines: send the whole line in both parts."
    if error.why == "found" or error.rung:
        return f"{_AGAIN} with the lines as the file has them, or {audience.choose('match', 'lenient')}."
    return f"{_AGAIN}, {audience.old_part} copied from the file: read {error.path} first."


def _incomplete(error: errors.IncompleteBlock, audience: Audience) -> str:
    where, part = f"line {error.reply_line} of the {audience.source}", audience.part
    path = f" for {error.path}" if error.path else ""
    notation = NOTATIONS[error.format]
    end = notation.cut_off or f"{notation.last} is missing"
    return {
        "no_end": f"The {part}{path} that begins at {where} is cut off: {end}.",
        "no_separator": f"The {part}{path} at {where} has no ======= between what to find and what to put in.",
        "many_separators": f"The {part}{path} at {where} has too many lines that look like its separator.",
        "no_start": f"{notation.last} at {where} ends nothing: {notation.first} is missing.",
        "empty": f"The section{path} at {where} says nothing to change; a hunk begins with a line of @@.",
        "not_a_hunk": f"The section{path} at {where} has lines that are neither context nor added (+) nor removed (-).",
        "two_ends": f"The {part}{path} at {where} may end at either of two markers of different lengths.",
        "excerpt": f"The code fence{path} at {where} is introduced as an excerpt or an example, not as the whole file.",
        "inside": f"The section{path} at {where} comes behind a block that nothing ends, and may be a part of it.",
        "not_exact": f"The call at {where} is not exact: it needs one path, and an old and a new text for each change.",
        "not_asked": f"The call{path} at {where} writes a whole file, but whole_files is not set.",
        "partial": f"The diff at {where} deletes {error.path}, but shows only a part of it.",
    }.get(error.problem, f"The {part}{path} at {where} cannot be read: {error.problem}.")


def _how_to_complete(error: errors.IncompleteBlock, audience: Audience) -> str:
    return {
        "excerpt": "Send the whole file, or a SEARCH/REPLACE block for the part that changes.",
        "many_separators": _OTHER_MARKERS,
        "two_ends": _OTHER_MARKERS,
        "not_asked": f"To write whole files, {audience.turn_on('whole_files')}.",
        "not_exact": f"{_AGAIN} as a SEARCH/REPLACE block.",
    }.get(error.problem, f"{_AGAIN}, whole.")


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
            f"The hunk {where} has more added lines behind it "
            "than its @@ line counts; it is not clear whether they belong to it."
        )
    ways = count(len(error.readings), "way")
    return (
        f"The {audience.part} {where} can be split in {ways}, because its text "
        "contains =======; the file does not tell which is meant."
    )


def _unambiguous(error: errors.AmbiguousBlock) -> str:
    if len(error.readings) > 1 and len({reading["old"] for reading in error.readings}) == 1:
        return "Send it again in a code fence, or with the right counts."
    return _OTHER_MARKERS


def _written_out(error: errors.ElisionInNewText, audience: Audience) -> str:
    advice = f"{_AGAIN} with everything written out, or with the same parts left out in both halves."
    if error.operation == "overwrite":
        advice = "Write out the whole file, or send blocks for the parts that change."
    return f"{advice} {literal(audience)}"


def _near(error: errors.FileNotFound) -> str:
    if error.create_by is not None:
        return "There is nothing to delete: leave the block out."
    if error.near:
        return f"Did you mean {' or '.join(error.near)}? To create the file, send a NEW_FILE block."
    return "Check the path; it is relative to the workspace root. To create the file, send a NEW_FILE block."


def _no_blocks(error: errors.NoBlocks) -> str:
    """That there is no block, and what is there instead."""
    sentences = ["The reply contains no block that can be applied."]
    if error.skipped:
        are = "is" if error.skipped == 1 else "are"
        sentences.append(
            f"{count(error.skipped, 'block')} in it {are} part of the model's thinking, which is not applied."
        )
    seen = [part for part in error.unread if part["kind"] != "fenced_file"]
    return " ".join([*sentences, *_few_unread(seen)])


def _fenced_files(error: errors.NoBlocks, audience: Audience) -> str:
    tagged = [str(part["path"]) for part in error.unread if part["kind"] == "file"]
    if error.fenced or tagged:
        names = ", ".join([*error.fenced, *tagged][:3])
        subject = f"whole files{'' if tagged else ' in code fences'} ({names})"
        return f"It has {subject}: to write those, {audience.turn_on('whole_files')}."
    if error.skipped:
        return "Send the blocks again outside of <think> and other thinking tags."
    return (
        "Write the path of the file on a line of its own, and below it a block: <<<<<<< SEARCH, the lines to find, "
        "=======, the lines to put in, >>>>>>> REPLACE. An apply_patch envelope or a unified diff also works."
    )


def _out_of_scope(error: errors.OutOfScope) -> str:
    named = " / ".join(plain(line.strip())[:LINE] for line in error.context)
    where = [span(place["start_line"], place["end_line"]) + in_symbol(place["symbol"]) for place in error.places]
    places = f" Its lines were found at {', '.join(where[:_SHOWN_PLACES])}." if where else ""
    problem = f"does not contain the hunk's lines in {error.path}" if error.exists else f"is not in {error.path}"
    return f"The hunk names {named}, which {problem}.{places}"


def _no_path(error: errors.NoPath) -> str:
    """Which file the lines above a block say, and why that does not settle it."""
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
    }.get(error.why, f"The {block} does not say which file it is about.")


def _name_file(error: errors.NoPath, audience: Audience) -> str:
    default = "" if error.candidates else f", or give {audience.argument('default_path')}"
    return f"{_AGAIN} below a line `### File: PATH`{default}."


def _few_unread(unread: list[UnreadEdit]) -> Iterator[str]:
    yield from (f"{part['message']}." for part in unread[:_SHOWN_UNREAD])
    if len(unread) > _SHOWN_UNREAD:
        yield f"… and {len(unread) - _SHOWN_UNREAD} more (unread)."


def _send_unread(error: errors.UnreadEdits, audience: Audience) -> str:
    whole = any(part["kind"] == "file" for part in error.unread)
    only = "only " if error.landed else ""
    asked = f"To write whole files, {audience.turn_on('whole_files')}. " if whole else ""
    return f"{asked}Send {only}what was not read again, as SEARCH/REPLACE blocks or as a patch."


def _send_again(error: errors.BlocksFailed) -> str:
    only = " only" if error.landed else ""
    return f"Fix these blocks, and send{only} them again."


_DETAILS: dict[str, Callable[[Any, Audience], Iterator[str]]] = {
    "NO_MATCH": _not_found,
    "EDIT_CONFLICT": _sides,
    "PARTLY_APPLIED": _region,
    "UNPROVED_CHANGE": _region,
    "TARGET_DELETED": _region,
}
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
            lambda e: f"There was no time left for this block: {e.limit:,} ms (reply_call_ms) have passed.",
            "Send it again, in a smaller reply.",
        ),
        entry(
            errors.NoContext,
            lambda e: (
                f"The hunk only inserts, and nothing in it says where in {e.path}"
                f"{': ' + plain(e.context[-1])[:LINE] + ' is not there' if e.context else ''}."
            ),
            "Add lines of the file around the new ones, as context.",
        ),
        entry(
            errors.OutOfScope,
            _out_of_scope,
            lambda e: f"Read {e.path} again. {_AGAIN}, and name the class or function that contains its lines.",
        ),
        entry(
            errors.UnsupportedBlock,
            lambda e: (
                f"The diff makes {e.path} executable, and changes nothing else."
                if e.problem == "executable"
                else f"The diff changes {e.path or 'a file'}, which is "
                f"{'binary' if e.problem == 'binary' else 'a symbolic link or a submodule'}."
            ),
            hint_for=lambda e, audience: (
                "Leave it out: executable files are something only the operator can allow "
                f"({audience.setting('allow_executables')})."
                if e.problem == "executable"
                else "Only text files can be changed this way."
            ),
        ),
    ]
)
BLOCK_MESSAGES: dict[str, Words] = dict(
    [
        *REPLY_MESSAGES.items(),
        entry(
            errors.WrongCount,
            lambda e: (
                f"The text occurs {count(e.actual_occurrences, 'time')} in {e.path}, not "
                f"{count(e.expected_occurrences, 'time')}: {first_line(e.search_text)}"
            ),
            f"{_AGAIN} with the right number, or with more of the text around the place you mean.",
        ),
        entry(
            errors.NoMatch,
            lambda e: f"Could not find matching text in {e.path}: {first_line(e.search_text)}",
            hint_for=_look_again,
        ),
        entry(
            errors.OldTextNotUnique,
            lambda e: f"The text fits {count(len(e.places), 'place')} in {e.path} {how_matched(e.rung)}: {_places(e)}.",
            f"{_AGAIN} with more of the lines around the place you mean, so that only one fits.",
        ),
        entry(
            errors.TargetDeleted,
            lambda e: (
                f"The text is no longer in {e.path}: {first_line(e.search_text)}. {provenance('deleted', e.written_on)}"
            ),
            lambda e: f"Read {e.path} again, and decide whether the change is still needed.",
        ),
        entry(
            errors.EditConflict,
            lambda e: (
                f"{e.path}:{e.line} differs from the block in what it changes."
                if e.written_on is None
                else f"The text was written on {version_name(e.written_on)}; {e.path}:{e.line} has changed since."
            ),
            f"Decide what these lines should say. {_AGAIN} with the lines as the file has them.",
        ),
        entry(
            errors.PartlyApplied,
            lambda e: f"A part of this change has been made already, at {span(e.start_line, e.end_line)} of {e.path}.",
            "Read these lines, and send only what is still to be changed.",
        ),
        entry(
            errors.UnprovedChange,
            lambda e: (
                f"The text was found at {span(e.start_line, e.end_line)} of {e.path} {how_matched(e.rung)}, but the "
                "new one does not fit there."
            ),
            f"{_AGAIN} with the lines indented and spelled as the file has them.",
        ),
        entry(
            errors.ElisionInNewText,
            lambda e: (
                f"The new text has a placeholder ({plain(e.marker.strip())[:LINE] or '...'}): "
                f"the text it represents would be deleted from {e.path}."
            ),
            hint_for=_written_out,
        ),
        entry(
            errors.MissingOldText,
            "The SEARCH part is empty, which fits only a new or empty file.",
            "To insert, put a line next to the place in the SEARCH part, and repeat it in the REPLACE part.",
        ),
        entry(errors.FileNotFound, lambda e: f"There is no file {e.path}.", _near),
        entry(
            errors.FileExists,
            lambda e: f"{e.path} exists already, and has other content.",
            "Change it by SEARCH/REPLACE blocks, or choose another name.",
        ),
    ]
)


def _read_for_hunk(error: errors.NoMatch) -> str:
    if error.why == "deleted":
        return f"Read {error.path} again, and decide whether the change is still needed."
    if error.stale is not None:
        return f"Your copy of {error.path} is old: read it again, and write the hunk with the lines as they are now."
    return f"Copy the context and - lines from the file, whole: read {error.path} first."


def _near_section(error: errors.FileNotFound) -> str:
    if error.create_by is not None:
        return "There is nothing to delete: leave the section out."
    meant = f"Did you mean {' or '.join(error.near)}? " if error.near else ""
    return f"{meant}To create the file, use *** Add File: PATH."


PATCH_HINTS: dict[str, Words] = dict(
    [
        entry(errors.NoMatch, hint=_read_for_hunk),
        entry(
            errors.OldTextNotUnique,
            hint="Add context lines, or a line of @@ with the class or function around the place, "
            "so that only one fits.",
        ),
        entry(
            errors.EditConflict,
            hint="Decide what these lines should say, and write the hunk with the lines as the file has them.",
        ),
        entry(
            errors.TargetDeleted,
            hint=lambda e: f"Read {e.path} again, and decide whether the change is still needed.",
        ),
        entry(
            errors.OutOfScope,
            hint=lambda e: f"Read {e.path} again, and write the class or function that contains the lines after @@.",
        ),
        entry(errors.UnprovedChange, hint="Write the hunk with the lines indented and spelled as the file has them."),
        entry(
            errors.ElisionInNewText,
            hint_for=lambda _, audience: f"Write out all lines of the hunk. {literal(audience)}",
        ),
        entry(errors.FileNotFound, hint=_near_section),
        entry(
            errors.IncompleteBlock,
            hint="Write the patch again, whole, from *** Begin Patch to *** End Patch.",
        ),
    ]
)
"""What to do about a part of a patch that failed, in the words of `apply_patch`."""
