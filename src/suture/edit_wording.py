"""The words of `file_edit`: what to do about an edit that failed, and the specification's texts."""

from __future__ import annotations

from suture.phrases import (
    as_it_is,
    count,
    few,
    first_line,
    in_symbol,
    matched,
    plain,
    provenance,
    shown_lines,
    span,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from suture.phrases import Words

_SHOWN_DIFFERENCES = (3, 2)  # of the nearest place, and of the next
_SHOWN_FIXES = 5
_SHOWN_LOCATIONS = 8
_SHOWN_REGION = 80
_SHOWN_HEAD = 15
_LONGEST_EXAMPLE = 4_000
_SPACES = {"indentation", "trailing", "spacing", "exotic_space"}
_LINES = {"line_break", "blank_line", "missing_line", "extra_line", "spelled"}
_ADDED = {"escape", "entities", "numbers", "fence", "spelled"}
"""Differences that call for a suggestion of their own."""
_FILE_READ = "Use file_read to see the exact content, then copy it precisely"


def suggestions(error: Any) -> list[dict[str, str]]:
    """What to do about an error: type, suggestion, and an example where one can be given."""
    return list(_SUGGESTIONS[error.code](error))


def _no_match(error: Any) -> Iterator[str]:
    """The specification's text for a text that is not there."""
    again = " again" if error.attempt > 1 else ""
    yield f"{_head(error)} failed{again}: Could not find exact text in {plain(error.path)}."
    yield ""
    if error.attempt > 1:
        yield f"This same edit was refused before, and the file has not changed since (attempt {error.attempt})."
    else:
        yield "Searched for (between >>>markers<<<):"
        yield f">>>{_searched(error.search_text)}<<<"
    yield from _evidence(error)
    yield from _closer(error)
    yield ""
    yield "Suggestions:"
    yield from _numbered(suggestions(error)[: _SHOWN_FIXES if error.attempt == 1 else None])
    yield _unchanged(error)


def _unchanged(error: Any) -> str:
    if error.total_edits == 1:
        return "Nothing was changed."
    fixed = "with all failures fixed" if error.further else "with this one fixed"
    return f"Nothing was changed, not by the other edits either: send all {error.total_edits} again, {fixed}."


def _searched(text: str) -> str:
    """The first line of what was sent that says something, with all white space around it; and how many there are."""
    lines = text.removesuffix("\n").split("\n")
    shown = as_it_is(next((line for line in lines if line.strip()), lines[0]))
    if len(lines) > 1:
        return f"{shown} … ({count(len(lines), 'line')})"
    return f"{shown}\n" if text.endswith("\n") else shown


def _evidence(error: Any) -> Iterator[str]:
    """What is known about where the text should stand."""
    if error.applied is not None:
        change = f", by change {error.applied['change_id']}" if error.applied["change_id"] else ""
        yield ""
        yield f"new_text stands already at {_span(error.applied)}{change}."
        return
    if error.consumed_by is not None:
        yield ""
        yield f"It stands in the file, but edit {error.consumed_by + 1} of this call changes it first."
        return
    if error.written_on is not None:
        yield ""
        yield provenance(error.why, error.written_on)
        if error.stale is not None:
            yield f"{_span(error.stale).capitalize()} now:"
            yield from shown_lines(error.stale["start_line"], error.stale["text"], 3)
        return
    if error.why == "conflict" and (error.sides["base"] + error.sides["ours"]).strip():
        yield ""
        yield f"Line {error.sides['line']} is not what the change assumes:"
        sides = {"in old_text:": error.sides["base"], "in the file:": error.sides["ours"]}
        yield from (f"  {name} {line}" for name, side in sides.items() for line in few(side, 1))
        return
    if not error.file_preview:
        yield ""
        yield f"{plain(error.path)} is empty."
    if error.similar_content and (error.attempt == 1 or error.why == "ambiguous"):
        yield ""
        yield from _similar(error)


def _similar(error: Any) -> Iterator[str]:
    found = error.similar_content
    if error.why == "unproved":
        yield f"It stands there {matched(error.rung)}; what new_text becomes there cannot be told for sure:"
    elif error.why == "ambiguous":
        one = ", and nothing tells which one is meant" if error.expected_occurrences == 1 else ""
        yield f"It fits {count(len(found), 'place')} {matched(error.rung)}{one}:"
    else:
        after = "" if not error.edit_index else "After the edits before this one: "
        yield f"{after}File contains similar content that might be what you're looking for:"
    yield ""
    for each, most in zip(found, _SHOWN_DIFFERENCES, strict=False):
        yield f"Line {each['line_number']}{in_symbol(each['symbol'])}: {_one_line(each['content'])}"
        where = " (line {})" if "\n" in each["content"] else ""
        named = [one["description"] + where.format(one["line_number"]) for one in each["differences"]]
        named = [words.replace(" times) (line", " times, first in line") for words in named]
        shown = most if len(named) <= most else most - 1
        for words in named[:shown]:
            yield f"  Difference: {words}"
        if len(named) > shown:
            yield f"  … and {count(len(named) - shown, 'more difference')}"


def _one_line(content: str) -> str:
    lines = content.split("\n")
    first = as_it_is(next((line for line in lines if line.strip()), ""))
    return f"{first} … ({len(lines)} lines)" if len(lines) > 1 else first


def _closer(error: Any) -> Iterator[str]:
    """What a repeated edit shows in addition: the region itself, or the words that are there at all."""
    if error.region is not None and error.attempt > 1:
        yield ""
        yield f"{_span(error.region).capitalize()} of {plain(error.path)}, exactly:"
        yield from map(as_it_is, error.region["text"].split("\n")[:_SHOWN_REGION])
    elif error.words is not None and error.why == "missing":
        yield from _words(error)


def _words(error: Any) -> Iterator[str]:
    """Which words of the text are there at all; the second time, with the lines in which they stand."""
    there, missing = error.words["there"], ", ".join(map(plain, error.words["missing"]))
    if not there and not missing:
        return
    yield ""
    if missing:
        yield f"Words of old_text that stand nowhere in the file: {missing}."
    if there and error.attempt == 1:
        words = ", ".join(f"{plain(each['word'])} (line {each['line_number']})" for each in there)
        yield f"Words of old_text that stand in the file: {words}."
    elif there:
        yield "Lines that share a word with old_text:"
        lines = dict.fromkeys((each["line_number"], each["content"]) for each in there)
        yield from (f"Line {number}: {as_it_is(content)}" for number, content in lines)
    else:
        yield f"Is {plain(error.path)} the right file?"
        if error.attempt > 1 and error.file_preview is not None:
            yield "It begins:"
            yield from map(as_it_is, error.file_preview["content"].split("\n")[:_SHOWN_HEAD])


def _span(lines: dict[str, Any]) -> str:
    return span(lines["start_line"], lines["end_line"])


def _head(error: Any) -> str:
    return f"Edit {error.edit_index + 1} of {error.total_edits}"


def _numbered(fixes: list[dict[str, str]]) -> Iterator[str]:
    for number, each in enumerate(fixes, 1):
        example = each.get("example", "")
        if example and len(example) > _LONGEST_EXAMPLE:
            example = "(in metadata.suggested_fixes, for it is long)"
        yield f"{number}. {each['suggestion']}{f': {example}' if example else ''}"


def _no_match_fixes(error: Any) -> Iterator[dict[str, str]]:
    if error.applied is not None:
        seems = "it has been" if error.applied["change_id"] else "if this is the place, it has been"
        yield _fix("ALREADY_APPLIED", f"Leave this edit out: {seems} applied already")
        return
    if not error.file_preview:
        yield _fix("USE_EXACT_TEXT", f"To fill the empty file, send an empty old_text. {_FILE_READ}")
        return
    if error.why == "deleted":
        yield _fix("TARGET_DELETED", "Read the file again, and decide whether the change is still needed")
        return
    if error.why == "empty":
        yield _fix("USE_EXACT_TEXT", "Say which text to replace: an empty old_text fits only an empty file")
        yield _fix("USE_EXACT_TEXT", "To insert, send a line beside the place as old_text, and repeat it in new_text")
        return
    if error.correction is not None:
        fixed = _json({name: error.correction[name] for name in ("old_text", "new_text")})
        others = f" in place of edit {error.edit_index + 1}, with the others" if error.total_edits > 1 else " instead"
        place = f"it stands once, at {_span(error.correction)}"
        yield _fix("USE_EXACT_TEXT", f"Send this edit{others}; {place}", fixed)
    yield from _special_fixes(error)
    if error.attempt > 1 and error.region is not None:
        whole = f"Replace {_span(error.region)} whole: send this as old_text, and what it should become as new_text"
        yield _fix("USE_EXACT_TEXT", whole, _json({"old_text": error.region["text"]}))
    yield from _unique_fixes(error)
    if error.stale is None:
        yield _fix("USE_EXACT_TEXT", _FILE_READ)
    yield from _white_space_fixes(error)


def _white_space_fixes(error: Any) -> Iterator[dict[str, str]]:
    """What to look at where white space differs, or nothing is known."""
    differing = [each for place in error.similar_content[:1] for each in place["differences"]]
    spaces = [each for each in differing if each["name"] in _SPACES]
    tabs = any("\t" in each["expected"] + each["found"] for each in spaces)
    if tabs or not differing:
        yield _fix("CHECK_WHITESPACE", f"Check for tabs vs spaces - the file uses {_style(error.indent)}")
    elif spaces:
        yield _fix("CHECK_WHITESPACE", f"Check the white space - {spaces[0]['description']}")
    broken = any(each["name"] in _LINES for each in differing)
    if "\n" in error.search_text.strip("\n") and (broken or not differing):
        yield _fix("CHECK_WHITESPACE", "Ensure you include all line breaks in multi-line searches")


def _special_fixes(error: Any) -> Iterator[dict[str, str]]:
    """What only some failures need."""
    if error.consumed_by is not None:
        first = error.consumed_by + 1
        yield _fix("USE_EXACT_TEXT", f"Edits see the result of those before: match what edit {first} makes of it")
    if error.stale is not None:
        yield _fix("USE_EXACT_TEXT", f"Your copy of the file is old. {_FILE_READ}")
    if error.why == "ambiguous":
        one = "Copy the lines of the place you mean, with enough around them to stand only there"
        every = "Copy the text as it stands there; it must be the same at every place that is to be replaced"
        yield _fix("USE_EXACT_TEXT", one if error.expected_occurrences == 1 else every)
    if error.why == "partly_applied":
        yield _fix("USE_EXACT_TEXT", "A part of this change is there already: send only what is still to be changed")
    if error.why == "elided":
        yield _fix("USE_EXACT_TEXT", "Write out what is left out ('...') in old_text and new_text")
    if error.why == "conflict" and error.detail == "two_sided":
        yield _fix("USE_EXACT_TEXT", "The file has lines of its own there: decide whether yours come before or after")
    elif error.why == "conflict":
        what = "Copy these lines into old_text exactly, and write in new_text what they should become"
        yield _fix("USE_EXACT_TEXT", what)
    if any(each["name"] in _ADDED for place in error.similar_content[:1] for each in place["differences"]):
        yield _fix("ESCAPE_SPECIAL", "Send characters as they stand in the file: no escapes, entities or line numbers")
    if error.candidates is not None and not error.search_text.isascii():
        some = f" ({', '.join(error.candidates[:3])})" if error.candidates else ""
        yield _fix("ESCAPE_SPECIAL", f"The file's encoding is not known: name it in the argument encoding{some}")


def _style(indent: dict[str, Any]) -> str:
    if indent["style"] == "spaces" and indent["width"]:
        return f"spaces ({indent['width']} a step)"
    return {"none": "no indentation", "mixed": "both tabs and spaces"}.get(indent["style"], str(indent["style"]))


def _wrong_count(error: Any) -> Iterator[str]:
    """The specification's text for a text that stands there more or less often than expected."""
    expected, actual = error.expected_occurrences, error.actual_occurrences
    again = " again" if error.attempt > 1 else ""
    found = f"Expected {count(expected, 'occurrence')} but found {actual}"
    yield f"{_head(error)} failed{again}: {found} in {plain(error.path)}."
    yield ""
    sought = f"'{first_line(error.search_text)}'"
    yield f"Expected to replace {count(expected, 'instance')} of {sought} but found {count(actual, 'instance')} at:"
    for each in error.match_locations[:_SHOWN_LOCATIONS]:
        content = f": {as_it_is(each['line_content'].strip())}" if error.attempt > 1 else ""
        yield f"  Line {each['line_number']}, column {each['column_start']}{content}"
    if actual > _SHOWN_LOCATIONS:
        yield f"  … and {actual - _SHOWN_LOCATIONS} more"
    if error.originally is not None:
        what = "made" if error.originally < actual else "changed"
        yield f"The file itself has {error.originally}; earlier edits of this call {what} the others."
    yield ""
    yield "Options to fix:"
    yield from _numbered(suggestions(error))
    yield _unchanged(error)


def _wrong_count_fixes(error: Any) -> Iterator[dict[str, str]]:
    actual, expected = error.actual_occurrences, error.expected_occurrences
    every = f"Update occurrences to {actual} if you want to replace all instances"
    few_only = "the one" if expected == 1 else f"just the {expected}"
    adjust = _fix("ADJUST_COUNT", every, f'"occurrences": {actual}' if error.attempt > 1 else "")
    context = _fix("USE_EXACT_TEXT", f"Add more context to make the old_text unique to {few_only} you want")
    if expected < actual:
        yield adjust
        yield context
        yield _fix("USE_EXACT_TEXT", "Split into multiple edits with unique old_text for each target")
    else:
        yield adjust
        yield _fix("USE_EXACT_TEXT", f"Check whether the missing {expected - actual} differ in spelling. {_FILE_READ}")
    if error.attempt > 1:
        yield from _unique_fixes(error)


def _unique_fixes(error: Any) -> Iterator[dict[str, str]]:
    for each in error.unique:
        only = f"To change line {each['line_number']} and no other, begin from this old_text, which stands once"
        yield _fix("USE_EXACT_TEXT", only, _json({"old_text": each["old_text"]}))


def _not_found_fixes(error: Any) -> Iterator[dict[str, str]]:
    for near in error.near:
        yield _fix("USE_EXACT_TEXT", f"Did you mean {plain(near)}?")
    yield _fix("USE_EXACT_TEXT", "Check the path: file_edit changes existing files; patch can create one")


def _json(value: dict[str, Any]) -> str:
    import json  # only a failure needs it

    said = json.dumps(value, ensure_ascii=False)
    return said if said.isascii() else "".join(map(_visible, said))


def _visible(char: str) -> str:
    """A character of JSON; one that can't be seen, or sits on another, by its code points."""
    if char.isascii():
        return char
    from unicodedata import combining

    if char.isprintable() and not combining(char):
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _fix(kind: str, suggestion: str, example: str = "") -> dict[str, str]:
    return {"type": kind, "suggestion": suggestion, **({"example": example} if example else {})}


def _first_fix(error: Any) -> str:
    return f"Nothing was changed. {suggestions(error)[0]['suggestion']}."


EDIT_TEXTS = {"NO_MATCH": _no_match, "WRONG_COUNT": _wrong_count}
_SUGGESTIONS: dict[str, Callable[[Any], Iterable[dict[str, str]]]] = {
    "NO_MATCH": _no_match_fixes,
    "WRONG_COUNT": _wrong_count_fixes,
    "FILE_NOT_FOUND": _not_found_fixes,
    "BINARY_FILE": lambda _: [_fix("USE_EXACT_TEXT", "Edit the text this file is made from, or name its encoding")],
    "PERMISSION_DENIED": lambda _: [_fix("USE_EXACT_TEXT", "Ask the operator to change the permissions of the file")],
}
EDIT_MESSAGES: dict[str, Words] = {
    "NO_MATCH": (
        lambda e: f"{_head(e)} failed: Could not find exact text in {e.path}.",
        _first_fix,
    ),
    "WRONG_COUNT": (
        lambda e: (
            f"{_head(e)} failed: Expected {count(e.expected_occurrences, 'occurrence')} "
            f"but found {e.actual_occurrences} in {e.path}."
        ),
        _first_fix,
    ),
}
