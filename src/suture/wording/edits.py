"""Why an edit could not be placed: in `file_edit`, in `patch`, and in a block or hunk of a reply."""

from __future__ import annotations

from suture import errors
from suture.audience import MODEL
from suture.budget import LINE_CHARS
from suture.wording import (
    AS_SENT,
    LINE,
    as_it_is,
    count,
    entry,
    first_line,
    how_matched,
    in_argument,
    in_symbol,
    literal,
    ordinal,
    origin,
    plain,
    plural,
    provenance,
    shown_lines,
    side_by_side,
    span,
    span_of,
    version_name,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from suture.audience import Audience
    from suture.shapes import SimilarContent
    from suture.wording import Sentence, Words

    Fixes = Callable[[Any, Audience], Iterable[dict[str, str]]]
    Mismatch = errors.NoMatch | errors.WrongCount
    RepeatedPatch = errors.EditConflict | errors.OldTextNotFound | errors.OldTextNotUnique | errors.UnprovedChange
    OfPatch = (
        errors.AlreadyApplied
        | errors.ClipboardNotFound
        | errors.ClipboardRequiresReplace
        | errors.EditConflict
        | errors.ElisionInNewText
        | errors.MissingOldText
        | errors.OldTextNotFound
        | errors.OldTextNotUnique
        | errors.PartlyApplied
        | errors.StripPreconditionFailed
        | errors.TargetDeleted
        | errors.UnprovedChange
    )


_SHOWN_DIFFERENCES = (3, 2)  # of the nearest place, and of the next
_SHOWN_FIXES = 5  # at the first attempt; a second failure gets all of them
_SHOWN_LOCATIONS = 8  # where a text occurs, if not as often as expected
_SHOWN_REGION_LINES = 80  # of the place that a failure is about
_SHOWN_PREVIEW_LINES = 15  # of a file in which nothing is similar
_MAX_EXAMPLE_CHARS = 4_000  # characters of a corrected edit that is written out in the text
_SPACES = {"indentation", "trailing", "spacing", "exotic_space"}
_LINES = {"line_break", "blank_line", "missing_line", "extra_line", "spelled"}
_ADDED = {"escape", "entities", "numbers", "fence", "spelled"}
"""Differences that get a suggestion of their own."""
_SHOWN_LINES = 2  # of each place that a failed patch may be meant for, and of its differences
_SHOWN_PLACES = 10  # where oldText occurs, or lines of it
_SHOWN_NAMES = 10  # known clipboards
_SHOWN_NEAREST = 2  # places that are most similar to oldText
_SHOWN_BLOCK_LINES = 6  # of a place in a file, for a block of a reply
_SHOWN_WORDS = 2  # of a block's text that the file does not contain
_SHOWN_CHANGED_LINES = 10  # of what changed in a file
_SHOWN_BLOCK_DIFFERENCES = 3  # of the nearest place
_SIMILAR_SCORE = 0.5  # below it, a place differs in too much to list


def suggestions(error: errors.SutureError, audience: Audience = MODEL) -> list[dict[str, str]]:
    """What to do about an error: type, suggestion, and an example where one can be given."""
    return list(_SUGGESTIONS[error.code](error, audience))


def _read_first(audience: Audience) -> str:
    return f"Use {audience.tool('file_read')} to see the exact content, then copy it precisely"


def _no_match(error: errors.NoMatch, audience: Audience) -> Iterator[str]:
    """The specification's message for a text that was not found."""
    again = " again" if error.attempt > 1 else ""
    yield f"{_head(error)} failed{again}: Could not find exact text in {plain(error.path)}."
    yield ""
    if error.attempt > 1:
        yield _refused_before(error, "edit")
    else:
        yield "Searched for (between >>>markers<<<):"
        places = [] if any(_certainties(error, audience)) else error.similar_content
        yield f">>>{_search_excerpt(error.search_text, places)}<<<"
    yield from _evidence(error, audience)
    yield from _closer(error, audience)
    yield ""
    yield "Suggestions:"
    yield from _number_fixes(suggestions(error, audience)[: _SHOWN_FIXES if error.attempt == 1 else None])
    yield _nothing_changed(error)


def _nothing_changed(error: Mismatch) -> str:
    if error.total_edits == 1:
        return "Nothing was changed."
    fixed = "with all failures fixed" if error.further else "with this one fixed"
    every = {2: "both edits"}.get(error.total_edits, f"all {error.total_edits} edits")
    return f"Nothing was changed: send {every} again, {fixed}."


def _search_excerpt(text: str, places: list[SimilarContent]) -> str:
    """A line of what was sent, with its whitespace: the first that is not at the nearest place, if lines before it are.

    Otherwise the first non-blank line, and the number of lines.
    """
    lines = text.removesuffix("\n").split("\n")
    equal = _equal_lines(lines, places[0].content) if places else 0
    if 0 < equal < len(lines) and lines[equal].strip():
        return f"{as_it_is(lines[equal])} … (line {equal + 1} of {len(lines)})"
    shown = as_it_is(next((line for line in lines if line.strip()), lines[0]))
    if len(lines) > 1:
        return f"{shown} … ({count(len(lines), 'line')})"
    return f"{shown}\n" if text.endswith("\n") else shown


def _equal_lines(sent: list[str], content: str) -> int:
    """How many lines at the beginning of what was sent are at a place exactly."""
    pairs = zip(sent, content.split("\n"), strict=False)
    return next((number for number, (line, own) in enumerate(pairs) if line != own), 0)


def _evidence(error: errors.NoMatch, audience: Audience) -> Iterator[str]:
    """What is known about where the text should be."""
    if error.applied is None and error.consumed_by is not None:
        yield ""
        yield f"It is in the file, but edit {error.consumed_by + 1} of this call changes it first."
        return
    if certain := [*_certainties(error, audience)]:
        yield ""
        yield from certain
        return
    if not error.file_preview:
        yield ""
        yield f"{plain(error.path)} is empty."
    if error.similar_content and (error.attempt == 1 or error.why == "ambiguous"):
        yield ""
        yield from _similar(error, audience)


def _certainties(error: errors.NoMatch, audience: Audience) -> Iterator[str]:
    """Where the change is already, which version the text is from, or which line differs, if that is known."""
    if error.applied is not None:
        new_text = "The new text" if audience.is_about_block else audience.of_this_edit("new_text")
        change = f", written by change {error.applied['change_id']}" if error.applied["change_id"] else ""
        yield f"{new_text} is already at {span_of(error.applied)}{change}."
    elif error.written_on is not None:
        yield provenance(error.why, error.written_on)
        if error.stale is not None:
            yield f"{span_of(error.stale).capitalize()} now:"
            yield from shown_lines(error.stale["start_line"], error.stale["text"], _SHOWN_BLOCK_LINES)
    elif error.why == "conflict" and error.sides is not None and (error.sides["base"] + error.sides["ours"]).strip():
        line, assumed, actual = _differing_lines(error.sides["line"], error.sides["base"], error.sides["ours"])
        yield f"Line {line} is not what the change assumes:"
        old_text = audience.old_text if audience.is_about_block else audience.of_this_edit("old_text")
        yield from side_by_side({f"in {old_text}": assumed, "in the file": actual}, 1)


def _differing_lines(line: int, base: str, ours: str) -> tuple[int, str, str]:
    """The part of two sides that differs, and its line: a deletion touches every line, and differs in few."""
    sides = base.split("\n"), ours.split("\n")
    before, after = ([text.strip() for text in side] for side in sides)
    shorter = min(len(before), len(after))
    head = next((number for number in range(shorter) if before[number] != after[number]), shorter)
    rest = shorter - head
    tail = next((number for number in range(rest) if before[-1 - number] != after[-1 - number]), rest)
    assumed, actual = ("\n".join(side[head : len(side) - tail]) for side in sides)
    return (line + head, assumed, actual) if (assumed + actual).strip() else (line, base, ours)


def _refused_before(error: errors.NoMatch | RepeatedPatch, what: str) -> str:
    return f"This {what} was refused before, and the file has not changed since (attempt {error.attempt})."


def _exact_lines(error: errors.NoMatch | RepeatedPatch, region: errors.Region) -> Iterator[str]:
    """The lines to copy."""
    yield f"{span_of(region).capitalize()} of {plain(error.path)}, exactly:"
    yield from map(as_it_is, region["text"].split("\n")[:_SHOWN_REGION_LINES])


def _similar(error: errors.NoMatch, audience: Audience) -> Iterator[str]:
    places, new_text = error.similar_content, audience.of_this_edit("new_text")
    if error.why == "unproved":
        yield f"It was found {how_matched(error.rung)}, but it is not clear how to apply {new_text} there:"
    elif error.why == "ambiguous":
        unclear = ", and it is not clear which one you mean" if error.expected_occurrences == 1 else ""
        yield f"It fits {count(len(places), 'place')} {how_matched(error.rung)}{unclear}:"
    else:
        after = "" if not error.edit_index else "After the edits before this one: "
        yield f"{after}File contains similar content that might be what you're looking for:"
    yield ""
    for place, most in zip(places, _SHOWN_DIFFERENCES, strict=False):
        line, shown_line = _line_to_show(error.search_text, place)
        yield f"Line {line}{in_symbol(place.symbol)}: {shown_line}"
        differences = place.differences
        shown = most if len(differences) <= most else most - 1
        for difference in differences[:shown]:
            where = f" in line {difference.line_number}" if "\n" in place.content else ""
            yield f"  Difference{where}: {difference.description}"
        if len(differences) > shown:
            yield f"  … and {count(len(differences) - shown, 'more difference')}"


def _line_to_show(search_text: str, place: SimilarContent) -> tuple[int, str]:
    """The line of a place to show, and its number: the first that differs, if the lines before it are as sent.

    Otherwise the first line with text.
    """
    lines = place.content.split("\n")
    equal = _equal_lines(search_text.removesuffix("\n").split("\n"), place.content)
    if equal and lines[equal].strip():
        where = span(place.line_number, place.line_number + len(lines) - 1)
        return place.line_number + equal, f"{as_it_is(lines[equal])} … ({where})"
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    shown = as_it_is(lines[first])
    return place.line_number + first, f"{shown} … ({len(lines)} lines)" if len(lines) > 1 else shown


def _closer(error: errors.NoMatch, audience: Audience) -> Iterator[str]:
    """What a repeated edit shows in addition: the region itself, or the words that the file has."""
    if error.region is not None and error.attempt > 1:
        yield ""
        yield from _exact_lines(error, error.region)
    elif error.words is not None and error.why == "missing" and error.file_preview and error.consumed_by is None:
        yield from _words(error, error.words, audience.of_this_edit("old_text"))


def _words(error: errors.NoMatch, known: errors.WordsFound, old_text: str) -> Iterator[str]:
    """Which words of the text the file has; the second time, with the lines that they are in."""
    there, missing = known["there"], known["missing"]
    if not there and not missing:
        return
    yield ""
    if there and error.attempt == 1:
        yield from _missing_words(missing, old_text)
        words = ", ".join(f"{plain(known_word['word'])} (line {known_word['line_number']})" for known_word in there)
        yield f"Words of {old_text} that are in the file: {words}."
        return
    yield from _shared_words(known, old_text)
    if not there:
        yield f"Is {plain(error.path)} the right file?"
        if error.attempt > 1 and error.file_preview is not None:
            yield "It begins:"
            yield from map(as_it_is, error.file_preview.content.split("\n")[:_SHOWN_PREVIEW_LINES])


def _missing_words(missing: list[str], old_text: str) -> Iterator[str]:
    if missing:
        yield f"Words of {old_text} that are not in the file: {', '.join(map(plain, missing))}."


def _shared_words(known: errors.WordsFound, old_text: str) -> Iterator[str]:
    """The words that the file lacks, and the lines with the others."""
    yield from _missing_words(known["missing"], old_text)
    if known["there"]:
        yield f"Lines that share a word with {old_text}:"
        lines = dict.fromkeys((known_word["line_number"], known_word["content"]) for known_word in known["there"])
        yield from (f"Line {number}: {as_it_is(content)}" for number, content in lines)


def _head(error: Mismatch) -> str:
    return f"Edit {error.edit_index + 1} of {error.total_edits}"


def _number_fixes(fixes: list[dict[str, str]]) -> Iterator[str]:
    for number, fix in enumerate(fixes, 1):
        line, example = f"{number}. {fix['suggestion']}", fix.get("example", "")
        if not example:
            yield line
            continue
        if len(example) > _MAX_EXAMPLE_CHARS:
            example = "(too long to show; see metadata.suggested_fixes)"
        yield from beside_or_below(f"{line}:", example, "metadata.suggested_fixes")


def _no_match_fixes(error: errors.NoMatch, audience: Audience) -> Iterator[dict[str, str]]:
    old_text, new_text = audience.of_this_edit("old_text"), audience.of_this_edit("new_text")
    if error.applied is not None:
        done = "it has" if error.applied["change_id"] else "if this is the place, it has"
        yield _fix("ALREADY_APPLIED", f"Leave this edit out: {done} already been applied")
        return
    if not error.file_preview:
        yield _fix("USE_EXACT_TEXT", f"To fill the empty file, send an empty {old_text}. {_read_first(audience)}")
        return
    if error.why == "deleted":
        yield _fix("TARGET_DELETED", "Read the file again, and decide whether the change is still needed")
        return
    if error.why == "empty":
        yield _fix("USE_EXACT_TEXT", f"Say which text to replace: an empty {old_text} fits only an empty file")
        yield _fix("USE_EXACT_TEXT", f"To insert, send an adjacent line as {old_text}, and repeat it in {new_text}")
        return
    if (fits := error.correction) is not None:
        fixed = visible_json({"old_text": fits.old_text, "new_text": fits.new_text})
        others = f" in place of edit {error.edit_index + 1}, with the others" if error.total_edits > 1 else ""
        order, example = audience.correction(error.path, fixed, others=others)
        yield _fix("USE_EXACT_TEXT", f"{order}; it occurs once, at {span(fits.start_line, fits.end_line)}", example)
    yield from _special_fixes(error, audience)
    if error.attempt > 1 and error.region is not None:
        place = span_of(error.region)
        whole = f"Replace {place} completely: send this as {old_text}, and the new lines as {new_text}"
        yield _fix("USE_EXACT_TEXT", whole, _old_text_to_send(error.region["text"], audience))
    yield from _unique_fixes(error, audience)
    if error.stale is None:
        yield _fix("USE_EXACT_TEXT", _read_first(audience))
    yield from _white_space_fixes(error)


def _white_space_fixes(error: errors.NoMatch) -> Iterator[dict[str, str]]:
    """What to look at if whitespace differs, or nothing is known."""
    differing = [difference for place in error.similar_content[:1] for difference in place.differences]
    spaces = [difference for difference in differing if difference.name in _SPACES]
    tabs = any("\t" in difference.expected + difference.found for difference in spaces)
    is_indented = any(line[:1] in {" ", "\t"} for line in error.search_text.split("\n"))
    if tabs or (is_indented and not differing):
        yield _fix("CHECK_WHITESPACE", f"Check for tabs vs spaces - the file uses {_style(error.indent)}")
    elif spaces:
        yield _fix("CHECK_WHITESPACE", f"Check the whitespace - {spaces[0].description}")
    broken = any(difference.name in _LINES for difference in differing)
    if "\n" in error.search_text.strip("\n") and (broken or not differing):
        yield _fix("CHECK_WHITESPACE", "Ensure you include all line breaks in multi-line searches")


def _special_fixes(error: errors.NoMatch, audience: Audience) -> Iterator[dict[str, str]]:
    """What only some failures need."""
    if error.consumed_by is not None:
        first = error.consumed_by + 1
        yield _fix(
            "USE_EXACT_TEXT", f"Each edit sees the result of the previous ones: match the text that edit {first} leaves"
        )
    if error.stale is not None:
        yield _fix("USE_EXACT_TEXT", f"Your copy of the file is old. {_read_first(audience)}")
    if error.why == "ambiguous":
        copy_lines = "Copy the lines you mean, with enough surrounding lines to make them unique"
        every = "Copy the text exactly; it must be identical at every place to replace"
        yield _fix("USE_EXACT_TEXT", copy_lines if error.expected_occurrences == 1 else every)
    if error.why == "partly_applied":
        yield _fix("USE_EXACT_TEXT", "Part of this change has already been made: send only the rest")
    if error.why == "elided":
        both = f"{audience.of_this_edit('old_text')} and {audience.of_this_edit('new_text')}"
        yield _fix("USE_EXACT_TEXT", f"Write out what is left out ('...') in {both}")
    if error.why == "conflict" and error.detail == "two_sided":
        yield _fix("USE_EXACT_TEXT", "The file has lines of its own there: decide whether yours come before or after")
    elif error.why == "conflict":
        old_text, new_text = audience.of_this_edit("old_text"), audience.of_this_edit("new_text")
        copy_exactly = f"Copy the file's lines into {old_text} exactly, and write in {new_text} what they should become"
        yield _fix("USE_EXACT_TEXT", copy_exactly)
    if any(difference.name in _ADDED for place in error.similar_content[:1] for difference in place.differences):
        yield _fix("ESCAPE_SPECIAL", "Send characters exactly as in the file: no escapes, entities or line numbers")
    if error.candidates is not None and not error.search_text.isascii():
        some = f" ({', '.join(error.candidates[:3])})" if error.candidates else ""
        where = audience.by("encoding") or " in the argument encoding"
        yield _fix("ESCAPE_SPECIAL", f"The file's encoding is not known: name it{where}{some}")


def _style(indent: errors.IndentStyle) -> str:
    if indent["style"] == "spaces" and indent["width"]:
        return f"spaces ({indent['width']} per level)"
    return {"none": "no indentation", "mixed": "both tabs and spaces"}.get(indent["style"], str(indent["style"]))


def _wrong_count(error: errors.WrongCount, audience: Audience) -> Iterator[str]:
    """The specification's message for a text that occurs more or less often than expected."""
    expected, actual = error.expected_occurrences, error.actual_occurrences
    again = " again" if error.attempt > 1 else ""
    counts = f"Expected {expected} {plural(expected, 'occurrence')} but found {actual}"
    yield f"{_head(error)} failed{again}: {counts} in {plain(error.path)}."
    yield ""
    search = f"'{first_line(error.search_text)}'"
    wanted, found = (f"{number} {plural(number, 'instance')}" for number in (expected, actual))
    yield f"Expected to replace {wanted} of {search} but found {found} at:"
    yield from occurrences(error)
    if error.originally is not None:
        cause = "made" if error.originally < actual else "changed"
        yield f"The file itself has {error.originally}; earlier edits of this call {cause} the others."
    yield ""
    yield "Options to fix:"
    yield from _number_fixes(suggestions(error, audience))
    yield _nothing_changed(error)


def occurrences(error: errors.WrongCount) -> Iterator[str]:
    """Where a text occurs: each place with its line, and the class or function that it is in."""
    for location in error.match_locations[:_SHOWN_LOCATIONS]:
        where = f"  Line {location.line_number}, column {location.column_start}{in_symbol(location.symbol)}"
        yield f"{where}: {as_it_is(location.line_content.strip())}"
    if error.actual_occurrences > _SHOWN_LOCATIONS:
        yield f"  … and {error.actual_occurrences - _SHOWN_LOCATIONS} more"


def _wrong_count_fixes(error: errors.WrongCount, audience: Audience) -> Iterator[dict[str, str]]:
    actual, expected = error.actual_occurrences, error.expected_occurrences
    every = f"{audience.update_occurrences(actual)} if you want to replace all instances"
    few_only = "the one" if expected == 1 else f"just the {expected}"
    adjust = _fix("ADJUST_COUNT", every, f'"occurrences": {actual}' if error.attempt > 1 else "")
    old_text = audience.of_this_edit("old_text")
    context = _fix("USE_EXACT_TEXT", f"Add more context to make the {old_text} unique to {few_only} you want")
    if expected < actual:
        yield adjust
        yield context
        yield _fix("USE_EXACT_TEXT", f"Split into multiple edits with unique {old_text} for each target")
    else:
        yield adjust
        missing = "one is" if expected - actual == 1 else f"{expected - actual} are"
        check = f"Check whether the missing {missing} spelled differently"
        yield _fix("USE_EXACT_TEXT", f"{check}. {_read_first(audience)}")
    if error.attempt > 1:
        yield from _unique_fixes(error, audience)


def _unique_fixes(error: Mismatch, audience: Audience) -> Iterator[dict[str, str]]:
    for text in error.unique:
        old_text = audience.of_this_edit("old_text")
        only = f"To change line {text['line_number']} and no other, use this {old_text}, which occurs once"
        yield _fix("USE_EXACT_TEXT", only, _old_text_to_send(text["old_text"], audience))


def _not_found_fixes(error: errors.FileNotFound, _: Audience) -> Iterator[dict[str, str]]:
    for near in error.near:
        yield _fix("CHECK_PATH", f"Did you mean {plain(near)}?")
    yield _fix("CHECK_PATH", "Check the path: file_edit changes existing files; patch can create one")


def _old_text_to_send(text: str, audience: Audience) -> str:
    return audience.text_to_send("old_text", text, visible_json({"old_text": text}))


def visible_json(value: Mapping[str, object]) -> str:
    """JSON to be copied; invisible characters are escaped."""
    import json  # only a failure needs it

    encoded = json.dumps(value, ensure_ascii=False)
    return encoded if encoded.isascii() else "".join(map(_visible, encoded))


def beside_or_below(words: str, example: str, source: str) -> Iterator[str]:
    """Words and JSON to be copied: beside them, or below, with the line breaks of its texts as line breaks.

    Every reader of a call's arguments takes both for the same. JSON whose lines are too long even then cannot be shown
    whole, and half of it would be wrong: it is at `source`.
    """
    if len(words) + len(example) < LINE_CHARS or not example.startswith("{"):
        yield f"{words} {example}"
        return
    lines = _break_lines(example).split("\n")
    if max(map(len, lines)) > LINE_CHARS:
        yield f"{words} (too long to show; see {source})"
        return
    yield words
    yield from lines


def _break_lines(json: str) -> str:
    """JSON with line breaks instead of escaped ones in its texts."""
    return "\\\\".join(part.replace("\\n", "\n") for part in json.split("\\\\"))


def _visible(char: str) -> str:
    """A character of JSON; an invisible or combining one is escaped."""
    if char.isascii():
        return char
    from unicodedata import combining

    if char.isprintable() and not combining(char):
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _fix(kind: str, suggestion: str, example: str = "") -> dict[str, str]:
    return {"type": kind, "suggestion": suggestion, **({"example": example} if example else {})}


def _first_fix(error: Mismatch, audience: Audience) -> str:
    return f"Nothing was changed. {suggestions(error, audience)[0]['suggestion']}."


EDIT_TEXTS: dict[str, Callable[[Any, Audience], Iterator[str]]] = {"NO_MATCH": _no_match, "WRONG_COUNT": _wrong_count}
"""The whole text of the errors whose wording a specification fixes."""
_SUGGESTIONS: dict[str, Fixes] = {
    "NO_MATCH": _no_match_fixes,
    "WRONG_COUNT": _wrong_count_fixes,
    "FILE_NOT_FOUND": _not_found_fixes,
    "BINARY_FILE": lambda _, audience: [
        _fix(
            "CHECK_ENCODING",
            f"Edit the text this file is generated from, or name its encoding{audience.by('encoding')}",
        )
    ],
    "PERMISSION_DENIED": lambda error, _: [
        _fix("CHECK_PERMISSIONS", f"Ask the operator for permission to {error.operation} {plain(error.path)}")
    ],
}
EDIT_MESSAGES: dict[str, Words] = dict(
    [
        entry(
            errors.NoMatch,
            lambda e: f"{_head(e)} failed: Could not find exact text in {e.path}.",
            hint_for=_first_fix,
        ),
        entry(
            errors.WrongCount,
            lambda e: (
                f"{_head(e)} failed: Expected {e.expected_occurrences} {plural(e.expected_occurrences, 'occurrence')} "
                f"but found {e.actual_occurrences} in {e.path}."
            ),
            hint_for=_first_fix,
        ),
    ]
)


def _patch(error: OfPatch) -> str:
    """Which patch an error is about."""
    which = f" (the {ordinal(error.index + 1)} of {error.total})" if error.total > 1 else ""
    return f"patches[{error.index}]{which}"


def _overlapping(error: errors.OverlappingPatches) -> str:
    first, second = (
        f"patches[{index}] (the {ordinal(index + 1)} of {error.total}, {span(*lines)})"
        for index, lines in ((error.first, error.first_lines), (error.second, error.second_lines))
    )
    return f"{first} and {second} replace the same text of {error.path}."


def _begin(error: OfPatch, audience: Audience, words: str) -> str:
    """The beginning of a sentence: with the patch that it is about, unless it is about a block of a reply."""
    if not audience.is_about_block:
        return f"{_patch(error)}: {words}"
    return words if "_" in words.partition(" ")[0] else f"{words[0].upper()}{words[1:]}"  # an argument's name stays


def _not_found(error: errors.OldTextNotFound) -> str:
    made = "" if error.depends_on is None else f", but is in the result of patches[{error.depends_on}]"
    return f"{_patch(error)}: oldText was not found in {error.path}{made}: {first_line(error.search_text)}"


def _nearest(error: errors.OldTextNotFound, _: Audience) -> Iterator[str]:
    if error.depends_on is not None:
        return
    if error.region is not None:
        yield from _lines_again(error)
        return
    if error.stale is not None:
        until = f"until change {error.stale['change_id']}" if error.stale["change_id"] else "earlier"
        yield f"  It was there {until}; {span_of(error.stale)} of the file now:"
        yield from shown_lines(error.stale["start_line"], error.stale["text"], _SHOWN_LINES)
    for place in error.nearest[:_SHOWN_NEAREST]:
        yield f"  {_place(span_of(place), place['symbol'], error.rung, place['score'])}:"
        yield from shown_lines(place["start_line"], place["text"], _SHOWN_LINES)
        yield from (f"    {plain(words)}" for words in place["differences"][:_SHOWN_LINES] if not error.rung)
    if error.attempt > 1:
        yield _refused_before(error, "patch")
        yield from _shared_words(error.words, "oldText") if error.words is not None else ()


def _lines_again(error: RepeatedPatch) -> Iterator[str]:
    """What a repeated patch shows: the lines to copy."""
    yield _refused_before(error, "patch")
    region = None if isinstance(error, errors.OldTextNotUnique) else error.region
    yield from _exact_lines(error, region) if region is not None else ()


def _places_and_unique_texts(error: errors.OldTextNotUnique, audience: Audience) -> Iterator[str]:
    """The lines of all places; the second time, also longer texts that occur once."""
    yield from places(error)
    if error.attempt > 1:
        yield from _lines_again(error)
    for unique in error.unique:
        example = visible_json({audience.old_text: unique["old_text"]})
        yield f"To change line {unique['line_number']} and no other, start from this, which occurs once: {example}"


def places(error: errors.OldTextNotUnique) -> Iterator[str]:
    """The places that a text fits: each with its line, and the class or function that it is in."""
    from collections import Counter  # only this failure needs it

    number = Counter(place["start_line"] for place in error.places)
    for place in error.shown:
        times = f" ({number[place['line']]} times)" if number[place["line"]] > 1 else ""
        yield f"Line {place['line']}{in_symbol(place['symbol'])}{times}: {as_it_is(place['text'])}"
    listed = sum(number[place["line"]] for place in error.shown)
    more = (error.number or len(error.places)) - listed
    if error.shown and more > 0:
        yield f"… and {more} more"


def _place(lines: str, symbol: str, rung: str | None, score: float) -> str:
    """A place that the text may be meant for, and how well it fits."""
    where = f"at {lines}{in_symbol(symbol)}"
    if rung == "similar":
        return f"Similar text {where}, not close enough to edit"
    return f"Found {where}, {how_matched(rung)}" if rung else f"Closest match ({score:.0%}) {where}"


def _look_again(error: errors.OldTextNotFound, audience: Audience) -> str:
    if error.depends_on is not None:
        both = f"patches[{error.depends_on}] and patches[{error.index}]"
        return (
            f"Nothing was changed. Patches refer to the original file: combine {both} into one patch, "
            f"or send patches[{error.index}] in a second call."
        )
    if error.stale is not None:
        return "Nothing was changed. Your copy of the file is old: read it again, and send the text as it is now."
    if error.region is not None:
        return f"Nothing was changed. Copy oldText from {span_of(error.region)} exactly, or replace all of these lines."
    if error.match != "lenient":
        looser = audience.choose("match", "lenient")
        return f"Nothing was changed. Send the text as it is in the file, or {looser} to allow more differences."
    return "Nothing was changed. Read the file again, and send the text exactly as it is in the file."


def _not_unique(error: errors.OldTextNotUnique, audience: Audience) -> str:
    numbers: dict[str, int] = {}
    for place in error.places:
        where = span_of(place)
        numbers[where] = numbers.get(where, 0) + 1
    places = [f"{where} ({times} times)" if times > 1 else where for where, times in numbers.items()]
    places, more = places[:_SHOWN_PLACES], len(places) - _SHOWN_PLACES
    where = ", ".join(places) + (f" and {more} more" if more > 0 else "")
    how = "" if error.rung in AS_SENT else f" {how_matched(error.rung)}"
    how_often = f"{count(len(error.places), 'place')} in {error.path}{how}"
    return _begin(error, audience, f"{audience.old_text} fits {how_often}: {where}.")


def _deleted(error: errors.TargetDeleted, audience: Audience) -> str:
    gone = f"{audience.old_text} is no longer in {error.path}: {first_line(error.search_text)}."
    return f"{_begin(error, audience, gone)} {provenance('deleted', error.written_on)}"


def _conflict(error: errors.EditConflict, audience: Audience) -> str:
    line, _, _ = _conflicting_lines(error)
    where = f"{error.path}:{line}"
    if error.written_on is not None:
        known = f"{audience.old_text} is from {version_name(error.written_on)}; {where} has changed since."
    else:
        known = f"{audience.old_text} differs from {where} in lines that the change touches."
    return _begin(error, audience, known)


def _conflicting_lines(error: errors.EditConflict) -> tuple[int, str, str]:
    """The line of the conflict, and the two texts there; if the change deletes them, only where they differ."""
    if error.theirs:
        return error.line, error.base, error.ours
    return _differing_lines(error.line, error.base, error.ours)


def _sides(error: errors.EditConflict, audience: Audience) -> Iterator[str]:
    _, assumed, actual = _conflicting_lines(error)
    texts = {audience.old_text: assumed, "the file": actual, audience.new_text: error.theirs}
    yield from side_by_side({f"in {name}": text for name, text in texts.items()}, _SHOWN_LINES)
    if error.attempt > 1:
        yield from _lines_again(error)


def _partly(error: errors.PartlyApplied, audience: Audience) -> str:
    where = f"{span(error.start_line, error.end_line)} of {error.path}"
    return _begin(error, audience, f"part of this change has already been made, at {where}.")


def _unproved(error: errors.UnprovedChange, audience: Audience) -> str:
    where = f"{span(error.start_line, error.end_line)} of {error.path}"
    found = f"{audience.old_text} was found at {where} {how_matched(error.rung)}"
    if error.detail == "other_word":
        return _begin(
            error, audience, f"{found}, but a word differs there in several lines: this may be another place."
        )
    why = f" ({error.detail.replace('_', ' ')})" if error.detail not in {"", "unproved"} else ""
    return _begin(error, audience, f"{found}, but it is not clear how to apply {audience.new_text} there{why}.")


def _lines_there(error: errors.PartlyApplied | errors.UnprovedChange, _: Audience) -> Iterator[str]:
    if isinstance(error, errors.UnprovedChange) and error.attempt > 1:
        yield from _lines_again(error)
    else:
        yield from shown_lines(error.start_line, error.text, _SHOWN_BLOCK_LINES)


def _lines_now(error: errors.TargetDeleted, _: Audience) -> Iterator[str]:
    yield f"{span(error.start_line, error.end_line).capitalize()} now:"
    yield from shown_lines(error.start_line, error.text, _SHOWN_BLOCK_LINES)


def _placeholder_message(error: errors.ElisionInNewText, audience: Audience) -> str:
    if not error.marker:
        texts = f"{audience.old_text} and {audience.new_text}"
        return _begin(error, audience, f"{texts} leave out ('...') different parts: code would be deleted silently.")
    marker = plain(error.marker.strip())[:LINE]
    argument = in_argument(error.argument) or _begin(error, audience, audience.new_text)
    return f"{argument} has a placeholder ({marker}): the text it represents would be deleted from {error.path}."


def _write_out(error: errors.ElisionInNewText, audience: Audience) -> str:
    advice = "Write everything out, or leave out the same parts in both texts."
    if error.operation == "overwrite":
        advice = "Write out the whole file, or replace only the parts that change."
    return f"{audience.unchanged}{advice} {literal(audience)}"


def _known_clipboards(error: errors.ClipboardNotFound) -> str:
    if not error.origins and error.short_lived:
        return (
            "Each command has its own clipboards. To share them, add --session NAME to this command and to the one "
            "that fills the clipboard, or set SUTURE_SESSION."
        )
    if not error.origins:
        return "There are no clipboards yet: fill one with toClipboard in a replace."
    more = len(error.origins) - _SHOWN_NAMES
    names = ", ".join(f"{plain(known.name)} ({origin(known)})" for known in error.origins[:_SHOWN_NAMES])
    return f"Clipboards of this session: {names}{f' and {more} more' if more > 0 else ''}."


PATCH_MESSAGES: dict[str, Words] = dict(
    [
        entry(errors.OldTextNotFound, _not_found, hint_for=_look_again),
        entry(
            errors.OldTextNotUnique,
            message_for=_not_unique,
            hint_for=lambda _, audience: (
                f"{audience.unchanged}{audience.resend} with more of the lines around the place you mean, "
                "so that only one fits."
            ),
        ),
        entry(
            errors.MissingOldText,
            lambda e: f"{_patch(e)}: replace needs oldText; an empty one fits only an empty file.",
            "Say what to replace. To write a whole file, use overwrite; to add to it, append_eof or prepend_bof.",
        ),
        entry(
            errors.AlreadyApplied,
            lambda e: (
                f"{_patch(e)}: newText is already at {span(e.start_line, e.end_line)} of {e.path}"
                f"{f', written by change {e.change_id}' if e.change_id else ''}."
            ),
            "Nothing was changed. Leave this patch out.",
        ),
        entry(
            errors.PartlyApplied,
            message_for=_partly,
            hint_for=lambda _, audience: (
                f"{audience.unchanged}Read these lines again, and send only what is still to be changed."
            ),
        ),
        entry(
            errors.TargetDeleted,
            message_for=_deleted,
            hint_for=lambda e, audience: (
                f"{audience.unchanged}Read {e.path} again, and decide whether the change is still needed."
            ),
        ),
        entry(
            errors.EditConflict,
            message_for=_conflict,
            hint_for=lambda _, audience: (
                f"{audience.unchanged}Decide what these lines should be. "
                f"{audience.resend} with the lines as they are in the file."
            ),
        ),
        entry(errors.ElisionInNewText, message_for=_placeholder_message, hint_for=_write_out),
        entry(
            errors.UnprovedChange,
            message_for=_unproved,
            hint_for=lambda _, audience: (
                f"{audience.unchanged}{audience.resend} with whole lines, indented and spelled as in the file."
            ),
        ),
        entry(
            errors.OverlappingPatches,
            _overlapping,
            "Nothing was changed. Combine them into one patch, or leave the shared lines out of one.",
        ),
        entry(
            errors.ClipboardNotFound,
            lambda e: f"{_patch(e)}: there is no clipboard '{e.name}'.",
            _known_clipboards,
        ),
        entry(
            errors.ClipboardRequiresReplace,
            lambda e: f"{_patch(e)}: toClipboard works only with replace, not with {e.operation}.",
            "Nothing was changed. Fill the clipboard with a replace that finds the text.",
        ),
        entry(
            errors.StripPreconditionFailed,
            lambda e: (
                f"{_patch(e)}: line {e.line_number} of the text to insert does not begin with {e.prefix[:LINE]!r}: "
                f"{e.line[:LINE]!r}."
            ),
            "Nothing was changed. Strip only a prefix that all non-empty lines have.",
        ),
    ]
)


def where_it_went(error: errors.NoMatch, audience: Audience) -> Iterator[str]:
    """Where the text may have gone, or the closest match."""
    if certain := [*_certainties(error, audience)]:
        yield from certain
    elif not error.search_text.strip():
        yield "It has only whitespace: include lines with text."
    elif error.why == "ambiguous":
        places = ", ".join(f"line {place.line_number}" for place in error.similar_content)
        how = "" if error.rung in AS_SENT else f" {how_matched(error.rung)}"
        yield f"It fits {count(len(error.similar_content), 'place')}{how}: {places}."
    elif error.attempt > 1 and error.region is not None:
        yield _refused_before(error, audience.hunk if audience.is_about_block else "edit")
        yield from _exact_lines(error, error.region)
    elif error.similar_content:
        yield from _closest(error)
    elif error.words is not None and error.words["missing"]:
        missing = ", ".join(map(plain, error.words["missing"][:_SHOWN_WORDS]))
        yield f"Words that are not in the file: {missing}. Is {plain(error.path)} the right file?"


def _closest(error: errors.NoMatch) -> Iterator[str]:
    best = error.similar_content[0]
    yield f"{_place(f'line {best.line_number}', best.symbol, error.rung, best.similarity_score)}:"
    yield from shown_lines(best.line_number, best.content, _SHOWN_BLOCK_LINES)
    differing = best.differences if best.similarity_score >= _SIMILAR_SCORE else []
    for difference in differing[:_SHOWN_BLOCK_DIFFERENCES]:
        yield f"  Difference in line {difference.line_number}: {difference.description}"
    if len(differing) > _SHOWN_BLOCK_DIFFERENCES:
        yield f"  … and {count(len(differing) - _SHOWN_BLOCK_DIFFERENCES, 'more difference')}"


def _look_at_file(error: errors.NoMatch, audience: Audience) -> str:
    if error.applied is not None:
        return f"If {span_of(error.applied)} is the place, leave the {audience.hunk} out."
    if error.why == "deleted":
        return f"Read {error.path} again, and decide whether the change is still needed."
    if error.stale is not None:
        return f"Your copy of {error.path} is old: read it again. {audience.resend} with the lines as they are now."
    advice = f"Read {error.path}. {audience.resend} with {audience.old_part} copied from the file."
    if error.why == "ambiguous":
        more = "more lines around the place you mean, copied from the file, so that only one fits"
        advice = f"{audience.resend} with {more}."
    elif error.why == "found" and error.search_text.strip():
        advice = f"{audience.resend} with the lines as they are in the file, or {audience.choose('match', 'lenient')}."
        if error.rung in {"exact", "line_ends"}:
            advice = "It is only part of a line there, and blocks are whole lines: send the whole line in both parts."
    return advice


def _changed_lines(error: errors.FileChanged, _: Audience) -> Iterator[str]:
    """What has changed since the expected version."""
    if error.changed_lines:
        lines = error.changed_lines.removesuffix("\n").split("\n")
        yield "Changed since that version:"
        yield from (plain(line)[:LINE] for line in lines[:_SHOWN_CHANGED_LINES])
        if len(lines) > _SHOWN_CHANGED_LINES:
            yield f"… and {count(len(lines) - _SHOWN_CHANGED_LINES, 'line')} more"


DETAILS: dict[str, Callable[[Any, Audience], Iterator[str]]] = {
    "NO_MATCH": where_it_went,
    "OLD_TEXT_NOT_FOUND": _nearest,
    "OLD_TEXT_NOT_UNIQUE": _places_and_unique_texts,
    "EDIT_CONFLICT": _sides,
    "PARTLY_APPLIED": _lines_there,
    "UNPROVED_CHANGE": _lines_there,
    "TARGET_DELETED": _lines_now,
    "FILE_CHANGED": _changed_lines,
}


BLOCK_MESSAGES: dict[str, Words] = dict(
    [
        entry(
            errors.WrongCount,
            lambda e: (
                f"The text occurs {count(e.actual_occurrences, 'time')} in {e.path}, not "
                f"{count(e.expected_occurrences, 'time')}: {first_line(e.search_text)}"
            ),
            hint_for=lambda _, audience: (
                f"{audience.resend} with the right number, or with more of the text around the place you mean."
            ),
        ),
        entry(
            errors.NoMatch,
            lambda e: f"Could not find matching text in {e.path}: {first_line(e.search_text)}",
            hint_for=_look_at_file,
        ),
        entry(
            errors.MissingOldText,
            "The SEARCH part is empty, which fits only a new or empty file.",
            "To insert, put an adjacent line in the SEARCH part, and repeat it in the REPLACE part.",
        ),
        entry(
            errors.FileExists,
            lambda e: f"{e.path} already exists with different content.",
            "Change it with SEARCH/REPLACE blocks, or choose another name.",
        ),
    ]
)


def _read_for_hunk(error: errors.NoMatch, audience: Audience) -> str:
    if error.applied is not None or error.why == "deleted" or error.stale is not None:
        return _look_at_file(error, audience)
    return f"Read {error.path}, and copy whole context and - lines from it."


HUNK_HINTS: dict[str, Sentence] = {
    "NO_MATCH": _read_for_hunk,
    "OLD_TEXT_NOT_UNIQUE": lambda _error, _audience: (
        "Add context lines, or an @@ line with the class or function around the place, so that only one fits."
    ),
    "OUT_OF_SCOPE": lambda error, _: (
        f"Read {error.path} again, and change the @@ line to the class or function that contains the hunk's lines."
    ),
    "ELISION_IN_NEW_TEXT": lambda _, audience: f"Write out all lines of the hunk. {literal(audience)}",
    "INCOMPLETE_BLOCK": lambda _error, _audience: "Write it in full; the patch ends with *** End Patch.",
}
"""What to do about a part of a patch that failed, in the terms of `apply_patch`."""
