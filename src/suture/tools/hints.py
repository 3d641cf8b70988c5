"""What the regex tools say beside their list: what a limit left out, and why there may be no match.

A list says neither: it is as empty after a search of a binary file as after one of a text without matches. Nothing here
takes long: a search that only a hint needs ends after 200 ms, and the hint says less.
"""

from __future__ import annotations

from suture.bounds import timed
from suture.errors import InvalidRegex, RegexTimeout
from suture.patterns.dialect import with_flag
from suture.patterns.engines import Clock, compile_pattern
from suture.patterns.scan import each_match
from suture.records import Record
from suture.wording import count, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from suture.engine.session import Session
    from suture.patterns.engines import Compiled, Subject

_TEXT_ENDS = "without the flag m, ^ and $ match only at the ends of the file"
_SEARCH_MS = 200  # of time for a search that only a hint needs
_SHOWN_NAMES = 3  # of binary files


class Shown(Record):
    """How much of what is in a file an answer shows."""

    number: int
    most: int | None
    """The limit that the caller set."""
    limit: str = "max_matches"
    """The argument's name."""
    noun: str = "match"


class Counted:
    """The same items, counted on the way."""

    def __init__(self, items: Iterable[Any]) -> None:
        self._items = items
        self.number = 0

    def __iter__(self) -> Iterator[Any]:
        for item in self._items:
            self.number += 1
            yield item


def binary_hints(session: Session, name: str, done: str = "searched") -> list[str]:
    """Why a binary file has no matches; `done` is what was not done with it."""
    as_text, encoding = map(session.audience.argument, ("binary_check_buffer_size", "encoding"))
    why = f"0 matches: {plain(name)} is binary (it has a NUL byte near the beginning) and was not {done}."
    return [f"{why} To search it as text, set {as_text} to 0, or name its {encoding} if it is UTF-16 or UTF-32."]


def file_hints(
    session: Session,
    compiled: Compiled,
    subject: Subject,
    name: str,
    shown: Shown,
    every: Callable[[Clock], Iterable[object]] | None = None,
) -> list[str]:
    """What to say about the matches in one file. `every` finds what is counted, by default all matches of its text."""
    if shown.most is not None and shown.number >= shown.most:
        clock = _clock(session)
        return _cut_hints(session, shown, each_match(compiled, subject, clock) if every is None else every(clock))
    return [] if shown.number else no_match_hints(session, compiled, subject, name, by_line=shown.noun == "line")


def _cut_hints(session: Session, shown: Shown, every: Iterable[object]) -> list[str]:
    """What a limit left out, counted as long as that takes little time."""
    counted, complete = Counted(every), True
    try:
        for _ in timed(counted):
            pass
    except RegexTimeout:
        complete = False
    limit = session.audience.argument(shown.limit)
    if counted.number > shown.number:
        more_than = "" if complete else "more than "
        return [f"{shown.number:,} of {more_than}{count(counted.number, shown.noun)} shown ({limit})."]
    return [] if complete else [f"{count(shown.number, shown.noun)} shown ({limit}); there may be more."]


def no_match_hints(
    session: Session, compiled: Compiled, subject: Subject, name: str, *, by_line: bool = False
) -> list[str]:
    """Why there may be no match in a file. `by_line`: each of its lines was searched by itself."""
    hints: list[str] = []
    if not by_line and compiled.pattern.has_text_end and _matches_at_lines(session, compiled, subject):
        hints.append(f"0 matches; {_TEXT_ENDS}.")
    if len(subject.view) > len(subject.body):
        encodings = ", ".join(subject.text.candidates()) or "no common one fits"
        encoding = session.audience.argument("encoding")
        hints.append(
            f"0 matches; {plain(name)} is not UTF-8, so only ASCII text can be found. "
            f"To find other text, name its {encoding} ({encodings})."
        )
    return hints


def _matches_at_lines(session: Session, compiled: Compiled, subject: Subject) -> bool:
    """Whether a pattern would match if `^` and `$` matched at line breaks."""
    try:
        at_lines = compile_pattern(with_flag(compiled.pattern, "m"))
        return next(each_match(at_lines, subject, _clock(session)), None) is not None
    except (InvalidRegex, RegexTimeout):
        return False


def _clock(session: Session) -> Clock:
    most = min(session.settings.regex_file_ms, _SEARCH_MS)
    return Clock(most, most)


def more_hints(session: Session, most: int, *, sure: bool) -> list[str]:
    """That a limit left out matches in many files; not `sure` if the rest could not be searched."""
    limit, more = session.audience.argument("max_matches"), "are" if sure else "may be"
    return [f"{count(most, 'match')} shown ({limit}); there {more} more."]


def files_hints(compiled: Compiled, searched: int, binary: Sequence[str]) -> list[str]:
    """How many files have no match, and why that may be."""
    files = count(searched, "file")
    hints = [f"0 matches in {files}."]
    if compiled.pattern.has_text_end:
        hints = [f"0 matches; {_TEXT_ENDS} ({files} searched)."]
    if binary:
        names = [plain(name) for name in sorted(binary)[:_SHOWN_NAMES]]
        names += ["…"] * (len(binary) > _SHOWN_NAMES)
        verb = "was" if len(binary) == 1 else "were"
        hints.append(f"{count(len(binary), 'binary file')} that may match {verb} not searched: {', '.join(names)}.")
    return hints
