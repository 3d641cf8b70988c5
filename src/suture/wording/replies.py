"""The words for what can go wrong with a model's reply, or with one block of it."""

from __future__ import annotations

from suture.wording.phrases import (
    LINE,
    LITERAL,
    as_it_is,
    count,
    few,
    first_line,
    in_symbol,
    matched,
    plain,
    provenance,
    same,
    shown_lines,
    span,
    written_on,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from suture.wording.phrases import Words

_SHOWN_PLACES = 10
_SHOWN_LINES = 6
_SHOWN_REGION = 60
_SHOWN_WORDS = 2
_SHOWN_FILES = 5
_SHOWN_DIFFERENCES = 3
_SHOWN_UNREAD = 3
_NEAR = 0.5
_MARKERS = {
    "search_replace": ">>>>>>> REPLACE is missing",
    "new_file": ">>>>>>> NEW_FILE is missing",
    "v4a": "*** End Patch is missing",
    "unified": "its @@ line counts more lines than follow, or its fence has no end",
}
_BEGINS = {"search_replace": "<<<<<<< SEARCH", "new_file": "<<<<<<< NEW_FILE"}
_AGAIN = "Send this block again"
_OTHER_MARKERS = f"{_AGAIN} with markers of 9 characters (<<<<<<<<< SEARCH, =========, >>>>>>>>> REPLACE)."


def details(error: Any) -> list[str]:
    """What is known about why a block failed, beyond the message: places, differences, the file's own lines."""
    return list(_DETAILS.get(error.code, _nothing)(error))


def _nothing(_: Any) -> Iterator[str]:
    yield from ()


def _not_found(error: Any) -> Iterator[str]:
    """Where the text may have gone, or what is most like it."""
    if error.applied is not None:
        where = span(error.applied["start_line"], error.applied["end_line"])
        yield f"The new text stands already at {where}; if that is the place, leave the block out."
    elif error.written_on is not None:
        yield provenance(error.why, error.written_on)
        if error.stale is not None:
            yield f"{span(error.stale['start_line'], error.stale['end_line']).capitalize()} now:"
            yield from shown_lines(error.stale["start_line"], error.stale["text"], _SHOWN_LINES)
    elif error.attempt > 1 and error.region is not None:
        where = span(error.region["start_line"], error.region["end_line"])
        yield f"This block was refused before, and the file has not changed since. {where.capitalize()}, exactly:"
        yield from map(as_it_is, error.region["text"].split("\n")[:_SHOWN_REGION])
    elif error.similar_content:
        yield from _similar(error)
    elif error.words is not None and error.words["missing"]:
        missing = ", ".join(map(plain, error.words["missing"][:_SHOWN_WORDS]))
        yield f"Words of it that stand nowhere in the file: {missing}. Is {plain(error.path)} the right file?"


def _similar(error: Any) -> Iterator[str]:
    best = error.similar_content[0]
    how = f"It stands there {matched(error.rung)}" if error.rung else f"Most like it ({best['similarity_score']:.0%})"
    yield f"{how}, line {best['line_number']}{in_symbol(best['symbol'])}:"
    yield from shown_lines(best["line_number"], best["content"], _SHOWN_LINES)
    differing = best["differences"] if best["similarity_score"] >= _NEAR else []
    for each in differing[:_SHOWN_DIFFERENCES]:
        yield f"  Difference in line {each['line_number']}: {each['description']}"
    if len(differing) > _SHOWN_DIFFERENCES:
        yield f"  … and {count(len(differing) - _SHOWN_DIFFERENCES, 'more difference')}"


def _sides(error: Any) -> Iterator[str]:
    sides = {"in the block:": error.base, "in the file: ": error.ours, "wanted:      ": error.theirs}
    yield from (f"  {name} {line}" for name, side in sides.items() for line in few(side, 2))


def _region(error: Any) -> Iterator[str]:
    yield from shown_lines(error.start_line, error.text, _SHOWN_LINES)


def _places(error: Any) -> str:
    where = list(dict.fromkeys(span(each["start_line"], each["end_line"]) for each in error.places))
    more = f" and {len(where) - _SHOWN_PLACES} more" if len(where) > _SHOWN_PLACES else ""
    return ", ".join(where[:_SHOWN_PLACES]) + more


def _look_again(error: Any) -> str:
    if error.applied is not None:
        return "Read the file, and leave the block out if it is done."
    if error.why == "deleted":
        return f"Read {error.path} again, and decide whether the change is still needed."
    if error.stale is not None:
        return f"Your copy of {error.path} is old: read it again. {_AGAIN} with the lines as they are now."
    if error.why == "found" and error.rung in {"exact", "line_ends"}:
        return "It is a part of a line there, and blocks are whole lines: send the whole line in both parts."
    if error.why == "found" or error.rung:
        return f'{_AGAIN} with the lines as the file has them, or set match to "lenient".'
    return f"{_AGAIN}, its SEARCH part copied from the file: read {error.path} first."


def _incomplete(error: Any) -> str:
    where = f"line {error.reply_line} of the reply"
    path = f" for {error.path}" if error.path else ""
    end = _MARKERS.get(error.format, "its end is missing")
    begin = _BEGINS.get(error.format, "its beginning")
    return {
        "no_end": f"The block{path} that begins at {where} is cut off: {end}.",
        "no_separator": f"The block{path} at {where} has no ======= between what to find and what to put in.",
        "many_separators": f"The block{path} at {where} has too many lines that look like its separator.",
        "no_start": f"{end.split(' is')[0]} at {where} ends nothing: {begin} is missing.",
        "empty": f"The section{path} at {where} says nothing to change; a hunk begins with a line of @@.",
        "not_a_hunk": f"The section{path} at {where} has lines that are neither context nor added (+) nor removed (-).",
        "two_ends": f"The block{path} at {where} may end at either of two markers of different lengths.",
        "excerpt": f"The code fence{path} at {where} is introduced as an excerpt or an example, not as the whole file.",
        "inside": f"The section{path} at {where} comes behind a block that nothing ends, and may be a part of it.",
        "not_exact": f"The call at {where} is not exact: it needs one path, and an old and a new text for each change.",
        "not_asked": f"The call{path} at {where} writes a whole file, but whole_files is not set.",
        "partial": f"The diff at {where} deletes {error.path}, but shows only a part of it.",
    }.get(error.problem, f"The block{path} at {where} cannot be read: {error.problem}.")


def _completed(error: Any) -> str:
    return {
        "excerpt": "Send the whole file, or a SEARCH/REPLACE block for the part that changes.",
        "many_separators": _OTHER_MARKERS,
        "two_ends": _OTHER_MARKERS,
        "not_asked": "To write whole files, set whole_files.",
        "not_exact": f"{_AGAIN} as a SEARCH/REPLACE block.",
    }.get(error.problem, f"{_AGAIN}, whole.")


def _ambiguous(error: Any) -> str:
    if error.ends:
        lines = " or ".join(map(str, error.ends))
        return (
            f"The block for {error.path} at line {error.reply_line} of the reply may end at line {lines}: "
            "text stands between two end markers."
        )
    if len(error.readings) == 1:
        return (
            f"The block for {error.path} at line {error.reply_line} of the reply comes behind a SEARCH marker without "
            "an end, and the file has that marker, too: what is to be replaced cannot be told."
        )
    if len({each["old"] for each in error.readings}) == 1:
        return (
            f"The hunk for {error.path} at line {error.reply_line} of the reply has more added lines behind it "
            "than its @@ line counts; nothing tells whether they belong to it."
        )
    ways = count(len(error.readings), "way")
    return (
        f"The block for {error.path} at line {error.reply_line} of the reply can be split in {ways}, for ======= "
        "stands in its text; the file does not tell which is meant."
    )


def _unambiguous(error: Any) -> str:
    if len(error.readings) > 1 and len({each["old"] for each in error.readings}) == 1:
        return "Send it again in a code fence, or with the right counts."
    return _OTHER_MARKERS


def _near(error: Any) -> str:
    if error.create_by is not None:
        return "There is nothing to delete: leave the block out."
    if error.near:
        return f"Did you mean {' or '.join(error.near)}? To create the file, send a NEW_FILE block."
    return "Check the path; it is relative to the workspace root. To create the file, send a NEW_FILE block."


def _no_blocks(error: Any) -> str:
    """That there is no block, and what is there instead."""
    said = ["The reply holds no block that could be applied."]
    if error.skipped:
        are = "is" if error.skipped == 1 else "are"
        said.append(f"{count(error.skipped, 'block')} in it {are} part of the model's thinking, which is not applied.")
    seen = [each for each in error.unread if each["kind"] != "fenced_file"]
    return " ".join([*said, *_few_unread(seen)])


def _fenced(error: Any) -> str:
    tagged = [each["path"] for each in error.unread if each["kind"] == "file"]
    if error.fenced or tagged:
        names = ", ".join([*error.fenced, *tagged][:3])
        return f"It has whole files{'' if tagged else ' in code fences'} ({names}): to write those, set whole_files."
    if error.skipped:
        return "Send the blocks again outside of <think> and other thinking tags."
    return (
        "Write the path of the file on a line of its own, and below it a block: <<<<<<< SEARCH, the lines to find, "
        "=======, the lines to put in, >>>>>>> REPLACE. An apply_patch envelope or a unified diff will do, too."
    )


def _out_of_scope(error: Any) -> str:
    named = " / ".join(plain(each.strip())[:LINE] for each in error.context)
    where = [span(each["start_line"], each["end_line"]) + in_symbol(each["symbol"]) for each in error.places]
    found = f" Its lines were found at {', '.join(where[:_SHOWN_PLACES])}." if where else ""
    what = f"does not contain the hunk's lines in {error.path}" if error.exists else f"is not in {error.path}"
    return f"The hunk names {named}, which {what}.{found}"


def _no_path(error: Any) -> str:
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


def _few_unread(unread: list[dict[str, Any]]) -> Iterator[str]:
    yield from (f"{each['message']}." for each in unread[:_SHOWN_UNREAD])
    if len(unread) > _SHOWN_UNREAD:
        yield f"… and {len(unread) - _SHOWN_UNREAD} more (unread)."


def _send_unread(error: Any) -> str:
    whole = any(each["kind"] == "file" for each in error.unread)
    only = "only " if error.landed else ""
    asked = "To write whole files, set whole_files. " if whole else ""
    return f"{asked}Send {only}what was not read again, as SEARCH/REPLACE blocks or as a patch."


def _landed(error: Any) -> str:
    only = " only" if error.landed else ""
    return f"Mend these blocks, and send{only} them again."


_DETAILS = {
    "NO_MATCH": _not_found,
    "EDIT_CONFLICT": _sides,
    "PARTLY_APPLIED": _region,
    "UNPROVED_CHANGE": _region,
    "TARGET_DELETED": _region,
}
REPLY_MESSAGES: dict[str, Words] = {
    "NO_BLOCKS": (_no_blocks, _fenced),
    "UNREAD_EDITS": (lambda e: " ".join(_few_unread(e.unread)), _send_unread),
    "BLOCKS_FAILED": (
        lambda e: f"{len(e.failed)} of {count(e.total, 'block')} could not be applied: {', '.join(e.failed)}.",
        _landed,
    ),
    "INCOMPLETE_BLOCK": (
        _incomplete,
        _completed,
    ),
    "AMBIGUOUS_BLOCK": (
        _ambiguous,
        _unambiguous,
    ),
    "NO_PATH": (
        _no_path,
        lambda e: f"{_AGAIN} below a line `### File: PATH`{'' if e.candidates else ', or give default_path'}.",
    ),
    "REPLY_TIMEOUT": (
        lambda e: f"There was no time left for this block: {e.limit:,} ms (reply_call_ms) have passed.",
        same("Send it again, in a smaller reply."),
    ),
    "NO_CONTEXT": (
        lambda e: (
            f"The hunk only inserts, and nothing in it says where in {e.path}"
            f"{': ' + plain(e.context[-1])[:LINE] + ' is not there' if e.context else ''}."
        ),
        same("Add lines of the file around the new ones, as context."),
    ),
    "OUT_OF_SCOPE": (
        _out_of_scope,
        lambda e: f"Read {e.path} again. {_AGAIN}, and name the class or function that contains its lines.",
    ),
    "UNSUPPORTED_BLOCK": (
        lambda e: (
            f"The diff makes {e.path} executable, and changes nothing else."
            if e.problem == "executable"
            else f"The diff changes {e.path or 'a file'}, which is "
            f"{'binary' if e.problem == 'binary' else 'a symbolic link or a submodule'}."
        ),
        lambda e: (
            "Leave it out: executable files are something only the operator can allow (allow_executables)."
            if e.problem == "executable"
            else "Only text files can be changed this way."
        ),
    ),
}
BLOCK_MESSAGES: dict[str, Words] = {
    **REPLY_MESSAGES,
    "WRONG_COUNT": (
        lambda e: (
            f"The text occurs {count(e.actual_occurrences, 'time')} in {e.path}, not "
            f"{count(e.expected_occurrences, 'time')}: {first_line(e.search_text)}"
        ),
        same(f"{_AGAIN} with the right number, or with more of the text around the place you mean."),
    ),
    "NO_MATCH": (
        lambda e: f"Could not find matching text in {e.path}: {first_line(e.search_text)}",
        _look_again,
    ),
    "OLD_TEXT_NOT_UNIQUE": (
        lambda e: f"The text fits {count(len(e.places), 'place')} in {e.path} {matched(e.rung)}: {_places(e)}.",
        same(f"{_AGAIN} with more of the lines around the place you mean, so that only one fits."),
    ),
    "TARGET_DELETED": (
        lambda e: (
            f"The text is no longer in {e.path}: {first_line(e.search_text)}. {provenance('deleted', e.written_on)}"
        ),
        lambda e: f"Read {e.path} again, and decide whether the change is still needed.",
    ),
    "EDIT_CONFLICT": (
        lambda e: (
            f"{e.path}:{e.line} differs from the block in what it changes."
            if e.written_on is None
            else f"The text was written on {written_on(e.written_on)}; {e.path}:{e.line} has changed since."
        ),
        same(f"Decide what these lines should say. {_AGAIN} with the lines as the file has them."),
    ),
    "PARTLY_APPLIED": (
        lambda e: f"A part of this change has been made already, at {span(e.start_line, e.end_line)} of {e.path}.",
        same("Read these lines, and send only what is still to be changed."),
    ),
    "UNPROVED_CHANGE": (
        lambda e: (
            f"The text stands at {span(e.start_line, e.end_line)} of {e.path} {matched(e.rung)}, but the new one "
            "does not fit there."
        ),
        same(f"{_AGAIN} with the lines indented and spelled as the file has them."),
    ),
    "ELISION_IN_NEW_TEXT": (
        lambda e: (
            f"The new text has a placeholder ({plain(e.marker.strip())[:LINE] or '...'}): "
            f"the text it represents would be deleted from {e.path}."
        ),
        lambda e: (
            f"Write out the whole file, or send blocks for the parts that change. {LITERAL}"
            if e.operation == "overwrite"
            else f"{_AGAIN} with everything written out, or with the same parts left out in both halves. {LITERAL}"
        ),
    ),
    "MISSING_OLD_TEXT": (
        same("The SEARCH part is empty, which fits only a new or empty file."),
        same("To insert, put a line beside the place into the SEARCH part, and repeat it in the REPLACE part."),
    ),
    "FILE_NOT_FOUND": (lambda e: f"There is no file {e.path}.", _near),
    "FILE_EXISTS": (
        lambda e: f"{e.path} exists already, and has other content.",
        same("Change it by SEARCH/REPLACE blocks, or choose another name."),
    ),
}
