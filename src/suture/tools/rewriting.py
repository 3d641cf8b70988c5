"""What `safe_edit` makes of a text: edits by lines, by search, or the whole of it."""

from __future__ import annotations

from itertools import islice, pairwise

from suture.bounds import check_size, timed
from suture.edits import edit, minimize
from suture.errors import (
    Drifted,
    InputTooLarge,
    InvalidArguments,
    LineOutOfBounds,
    OverlappingLines,
    TooManyReplacements,
)
from suture.occurrences import adapted, occurrences
from suture.tools.writable import check, check_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.edits import Edit
    from suture.session import Session
    from suture.text import Text
    from suture.tools.safe import LineEdit, SearchReplace


def whole(text: Text, content: str) -> list[Edit]:
    """The edit that makes a text say just this; its mark and encoding stay."""
    content = content.removeprefix("\ufeff") if text.bom else content
    new = text.body_bytes(content)
    return minimize(text.body, [edit(0, len(text.body), new)])


def by_lines(name: str, text: Text, edits: Sequence[LineEdit], near: Sequence[str]) -> list[Edit]:
    """Edits of ranges of lines, all of them as the text stands. `near` are files that may be meant instead."""
    total = len(text.lines)
    for each in edits:
        for which, line in (("start_line", each.start_line), ("end_line", each.end_line)):
            if line > total:
                raise LineOutOfBounds(path=name, which=which, line=line, total_lines=total, near=list(near))
    in_order = sorted(edits, key=lambda each: (each.start_line, each.end_line))
    for one, other in pairwise(in_order):
        if one.end_line >= other.start_line:
            first, second = ((each.start_line, each.end_line) for each in (one, other))
            raise OverlappingLines(first=first, second=second)
    return [_by_lines(name, text, each) for each in in_order]


def _by_lines(name: str, text: Text, wanted: LineEdit) -> Edit:
    lines, body = text.lines, text.body
    start, end = lines.span(wanted.start_line)[0], lines.span(wanted.end_line)[1]
    if wanted.expected_text is not None:
        _check_expected(name, text, wanted, body[start:end])
    ending = lines.ending(wanted.end_line)
    new = wanted.new_content.encode("utf-8", "surrogatepass")
    check_whole(text, wanted.new_content, "")
    check(text, new, body[start:end])
    if not new:
        return edit(start, end, b"")
    new = adapted(body, start, end, new)
    finished = new.endswith(b"\n") or (new.endswith(b"\r") and ending in {b"", b"\r"})
    if ending and not finished:
        new += ending
    elif finished and not ending:
        new = new.removesuffix(b"\n").removesuffix(b"\r")
    return edit(start, end, new)


def _check_expected(name: str, text: Text, wanted: LineEdit, found: bytes) -> None:
    """Refuse lines that do not say what the caller expects; how they end makes no difference."""
    assert wanted.expected_text is not None  # noqa: S101  asked only then
    expected = _bare(wanted.expected_text.encode("utf-8", "surrogatepass"))
    if _bare(found) == expected:
        return
    places = occurrences(text.body, expected, 20) if expected else []
    stands_at = [text.lines.at(start) for start, _ in places]
    raise Drifted(
        path=name,
        start_line=wanted.start_line,
        end_line=wanted.end_line,
        text=found.decode("utf-8", "replace"),
        stands_at=stands_at,
    )


def _bare(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n").removesuffix(b"\n")


def by_search(session: Session, name: str, text: Text, wanted: SearchReplace) -> list[Edit]:
    """The replacements, from left to right."""
    most = session.settings.max_replacements
    limit = min(wanted.count, most + 1) if wanted.count else most + 1
    if wanted.regex:
        made = _by_pattern(session, name, text, wanted, limit)
        _check_number(len(made), most)
        check_size(name, len(text.body) + sum(each.growth for each in made))
        return made
    old, new = _old_and_new(text, wanted)
    spans = occurrences(text.body, old, limit)
    _check_number(len(spans), most)
    check_size(name, len(text.body) + len(spans) * (len(new) - len(old)))
    return [edit(start, end, adapted(text.body, start, end, new)) for start, end in timed(spans)]


def _check_number(found: int, most: int) -> None:
    if found > most:
        raise TooManyReplacements(found=found, limit=most, setting="max_replacements")


def _old_and_new(text: Text, wanted: SearchReplace) -> tuple[bytes, bytes]:
    """The two texts as bytes, if the file can hold the new one."""
    if not wanted.search:
        raise InvalidArguments(problems=[{"argument": "search_replace.search", "problem": "empty: say what to search"}])
    old = wanted.search.encode("utf-8", "surrogatepass")
    new = wanted.replace.encode("utf-8", "surrogatepass")
    check_whole(text, wanted.replace, wanted.search)
    check(text, new, old)
    return old, new


def _by_pattern(session: Session, name: str, text: Text, wanted: SearchReplace, limit: int) -> list[Edit]:
    from suture.patterns.clock import Clock
    from suture.patterns.python import PythonPattern, parse_template

    settings = session.settings
    size, most = len(wanted.search), settings.max_pattern_chars
    if size > most:
        raise InputTooLarge(what="The pattern", size=size, limit=most, setting="max_pattern_chars", unit="characters")
    pattern = PythonPattern(wanted.search, wanted.flags)
    template = parse_template(wanted.replace, pattern)
    clock = Clock(settings.regex_file_ms, settings.regex_call_ms)
    clock.start(name)
    made: list[Edit] = []
    grown = 0
    for spans in timed(islice(pattern.matches(text, clock), limit)):
        grown += template.size(text, spans)
        if grown > settings.max_result_bytes:
            limit, setting = settings.max_result_bytes, "max_result_bytes"
            raise InputTooLarge(what="All new text", size=grown, limit=limit, setting=setting)
        made.append(edit(*spans[0], template.filled(text, spans)))
    return made
