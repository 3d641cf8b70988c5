"""The words for what can go wrong with a patch; `render` is the one to ask for them."""

from __future__ import annotations

from suture.phrases import (
    LINE,
    LITERAL,
    count,
    few,
    first_line,
    in_symbol,
    matched,
    ordinal,
    plain,
    provenance,
    same,
    shown_lines,
    span,
    written_on,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from suture.phrases import Words

_SHOWN_LINES = 2
_SHOWN_PLACES = 10
_SHOWN_NAMES = 10
_SHOWN_NEAR = 2


def _patch(error: Any) -> str:
    """Which patch an error is about."""
    which = f" (the {ordinal(error.index + 1)} of {error.total})" if error.total > 1 else ""
    return f"patches[{error.index}]{which}"


def _overlapping(error: Any) -> str:
    one, other = (
        f"patches[{index}] (the {ordinal(index + 1)} of {error.total}, {span(*lines)})"
        for index, lines in ((error.first, error.first_lines), (error.second, error.second_lines))
    )
    return f"{one} and {other} replace the same text of {error.path}."


def _not_found(error: Any) -> str:
    lines = [f"{_patch(error)}: oldText does not stand in {error.path}: {first_line(error.search_text)}"]
    if error.stale is not None:
        where = span(error.stale["start_line"], error.stale["end_line"])
        until = f"until change {error.stale['change_id']}" if error.stale["change_id"] else "earlier"
        lines.append(f"  It stood there {until}; {where} of the file now:")
        lines += shown_lines(error.stale["start_line"], error.stale["text"], _SHOWN_LINES)
    how = f"It stands there {matched(error.rung)}," if error.rung else "Most like it,"
    for each in error.nearest[:_SHOWN_NEAR]:
        score = "" if error.rung else f" {each['score']:.0%},"
        lines.append(f"  {how}{score} at {span(each['start_line'], each['end_line'])}{in_symbol(each['symbol'])}:")
        lines += shown_lines(each["start_line"], each["text"], _SHOWN_LINES)
        lines += [f"    {plain(words)}" for words in each["differences"][:_SHOWN_LINES] if not error.rung]
    return "\n".join(lines)


def _look_again(error: Any) -> str:
    if error.stale is not None:
        return "Nothing was changed. Your copy of the file is old: read it again, and send the text as it is now."
    if error.match != "lenient":
        return f'Nothing was changed. Send the text as the file has it; match is "{error.match}", "lenient" finds more.'
    return "Nothing was changed. Read the file again, and send the text as it stands there."


def _not_unique(error: Any) -> str:
    found: dict[str, int] = {}
    for each in error.places:
        where = span(each["start_line"], each["end_line"])
        found[where] = found.get(where, 0) + 1
    places = [f"{where} ({times} times)" if times > 1 else where for where, times in found.items()]
    places, more = places[:_SHOWN_PLACES], len(places) - _SHOWN_PLACES
    return (
        f"{_patch(error)}: oldText fits {count(len(error.places), 'place')} in {error.path} {matched(error.rung)}: "
        + ", ".join(places)
        + (f" and {more} more" if more > 0 else "")
        + "."
    )


def _sides(error: Any) -> str:
    lines = [f"{_patch(error)}: {error.path}:{error.line} differs from oldText in what the change touches."]
    if error.written_on is not None:
        version = written_on(error.written_on)
        lines = [f"{_patch(error)}: oldText is from {version}; {error.path}:{error.line} has changed since."]
    sides = {"in oldText: ": error.base, "in the file:": error.ours, "in newText: ": error.theirs}
    lines += [f"    {name} {line}" for name, side in sides.items() for line in few(side, _SHOWN_LINES)]
    return "\n".join(lines)


def _partly(error: Any) -> str:
    where = f"{span(error.start_line, error.end_line)} of {error.path}"
    head = f"{_patch(error)}: a part of this change has been made already, at {where}:"
    return "\n".join([head, *shown_lines(error.start_line, error.text, _SHOWN_PLACES)])


def _unproved(error: Any) -> str:
    where = f"{span(error.start_line, error.end_line)} of {error.path}"
    why = f" ({error.detail.replace('_', ' ')})" if error.detail else ""
    head = f"{_patch(error)}: oldText stands at {where} {matched(error.rung)}, but newText does not fit there{why}:"
    return "\n".join([head, *shown_lines(error.start_line, error.text, _SHOWN_PLACES)])


def _elided(error: Any) -> str:
    if error.marker:
        said = plain(error.marker.strip())[:LINE]
        own = not error.argument or error.argument.startswith("patches[")
        argument = f"{_patch(error)}: newText" if own else error.argument.replace("].", "]: ")
        return f"{argument} has a placeholder ({said}): the text it represents would be deleted from {error.path}."
    return (
        f"{_patch(error)}: oldText and newText do not leave out ('...') the same parts: code would be deleted unseen."
    )


def _whole(error: Any) -> str:
    if error.operation == "overwrite":
        return f"Nothing was changed. Write the whole file, or replace only the parts that change. {LITERAL}"
    return f"Nothing was changed. Write everything out, or leave out the same parts in both texts. {LITERAL}"


def _known_clipboards(error: Any) -> str:
    if not error.known:
        return "There are no clipboards yet: fill one with toClipboard in a replace."
    more = len(error.known) - _SHOWN_NAMES
    return f"Known are {', '.join(error.known[:_SHOWN_NAMES])}{f' and {more} more' if more > 0 else ''}."


PATCH_MESSAGES: dict[str, Words] = {
    "OLD_TEXT_NOT_FOUND": (_not_found, _look_again),
    "OLD_TEXT_NOT_UNIQUE": (
        _not_unique,
        same("Nothing was changed. Send more of the lines around the place you mean, so that only one fits."),
    ),
    "MISSING_OLD_TEXT": (
        lambda e: f"{_patch(e)}: replace needs oldText; an empty one fits only an empty file.",
        same("Say what to replace; to write a whole file use overwrite, to add to it append_eof or prepend_bof."),
    ),
    "ALREADY_APPLIED": (
        lambda e: (
            f"{_patch(e)}: newText stands already at {span(e.start_line, e.end_line)} of {e.path}"
            f"{f', by change {e.change_id}' if e.change_id else ''}."
        ),
        same("Nothing was changed. Leave this patch out."),
    ),
    "PARTLY_APPLIED": (
        _partly,
        same("Nothing was changed. Read these lines again, and send only what is still to be changed."),
    ),
    "TARGET_DELETED": (
        lambda e: "\n".join(
            [
                f"{_patch(e)}: oldText is no longer in {e.path}. {provenance('deleted', e.written_on)}",
                f"  {span(e.start_line, e.end_line).capitalize()} now:",
                *shown_lines(e.start_line, e.text, _SHOWN_LINES),
            ]
        ),
        same("Nothing was changed. Read the file again, and decide whether the change is still needed."),
    ),
    "EDIT_CONFLICT": (
        _sides,
        same("Nothing was changed. Decide what these lines should say, and send them as the file has them."),
    ),
    "ELISION_IN_NEW_TEXT": (
        _elided,
        _whole,
    ),
    "UNPROVED_CHANGE": (
        _unproved,
        same(
            "Nothing was changed. Send whole lines in oldText and newText, indented and spelled as the file has them."
        ),
    ),
    "OVERLAPPING_PATCHES": (
        _overlapping,
        same("Nothing was changed. Make one patch of them, or leave the shared lines out of one."),
    ),
    "CLIPBOARD_NOT_FOUND": (
        lambda e: f"{_patch(e)}: there is no clipboard '{e.name}'.",
        _known_clipboards,
    ),
    "CLIPBOARD_REQUIRES_REPLACE": (
        lambda e: f"{_patch(e)}: toClipboard goes with replace only, not with {e.operation}.",
        same("Nothing was changed. Put the text into the clipboard by a replace that finds it."),
    ),
    "STRIP_PRECONDITION_FAILED": (
        lambda e: (
            f"{_patch(e)}: line {e.line_number} of the text to insert does not begin with {e.prefix[:LINE]!r}: "
            f"{e.line[:LINE]!r}."
        ),
        same("Nothing was changed. Strip only what every line that is not empty begins with."),
    ),
}
