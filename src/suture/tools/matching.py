"""What the seven regex tools have in common: their arguments, their answers, and how they fail."""

from __future__ import annotations

from suture.errors import InputTooLarge
from suture.files.sweep import Sought
from suture.json_text import compact
from suture.patterns.clock import Clock
from suture.patterns.dialect import parse
from suture.patterns.engines import compiled
from suture.patterns.subject import Subject
from suture.render import error_data, error_line
from suture.tools.request import integer, text
from suture.tools.spec import Answer, Rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from suture.errors import SutureError
    from suture.patterns.engines import Compiled
    from suture.plan import Snapshot
    from suture.session import Session
    from suture.text import Text

ABOUT_PATTERN = """\
The pattern is a JavaScript regular expression (flag u), written plainly or as /pattern/flags. Flags: g all matches \
(without it, the first of each line), i ignore case, m ^ and $ at line ends, s . matches line ends."""


def file_path() -> Any:
    """The argument of tools that look into one file."""
    return text("Path of the file, absolute or relative to the workspace root")


def path_pattern() -> Any:
    """The argument of tools that look into many."""
    return text("Which files: a glob from the workspace root such as src/**/*.js; **, *, ?, […] and {a,b}")


def pattern() -> Any:
    """The argument of all."""
    return text("Regular expression: pattern or /pattern/flags")


def flags() -> Any:
    """As the flags behind a delimited pattern, which win."""
    return text("Flags: g, i, m, s; those of /pattern/flags win", default=None)


def lines(about: str) -> Any:
    """A number of lines to show."""
    return integer(about, default=0, minimum=0, maximum=10_000)


def limit(about: str) -> Any:
    """A number that results are cut at, or must not exceed."""
    return integer(about, default=None, minimum=0)


def binary_check() -> Any:
    """The argument that tells text from other files."""
    about = "First bytes in which a NUL makes a file binary, which is skipped (default 8192); 0 treats all as text"
    return integer(about, default=None)


def prepared(session: Session, request: Any) -> tuple[Compiled, Clock]:
    """The request's pattern, ready to search, and the time it has."""
    settings, size = session.settings, len(request.pattern)
    most = settings.max_pattern_chars
    if size > most:
        raise InputTooLarge(what="The pattern", size=size, limit=most, setting="max_pattern_chars", unit="characters")
    found = compiled(parse(request.pattern, request.flags or ""))
    return found, Clock(settings.regex_file_ms, settings.regex_call_ms)


def window(session: Session, request: Any) -> int:
    """The first bytes in which a NUL makes a file binary."""
    chosen = request.binary_check_buffer_size
    return session.settings.binary_window if chosen is None else max(chosen, 0)


def sought(session: Session, request: Any, compiled: Compiled) -> Sought:
    """What makes a file worth looking at."""
    largest, size = session.settings.max_file_bytes, window(session, request)
    if session.settings.encodings:  # the bytes of a file may mean anything
        return Sought(_always, _always, only_utf8=False, binary_window=size, largest=largest)
    only = not compiled.reads_undecodable
    return Sought(compiled.glimpse, compiled.may_hold, only_utf8=only, binary_window=size, largest=largest)


def _always(*_: object) -> bool:
    return True


def opened(session: Session, request: Any) -> tuple[Snapshot, Subject | None]:
    """The one file of a request; no subject if it is binary."""
    found = session.read(request.file_path, request.encoding)
    return found, subject(session, request, found.text)


def subject(session: Session, request: Any, text: Text) -> Subject | None:
    """A text to be searched; None if it is binary."""
    size = window(session, request)
    return None if size and text.is_binary(size) else Subject(text)


def listed(rows: list[dict[str, Any]], data: dict[str, Any] | None = None) -> Answer:
    """A list as an answer."""
    return Answer(compact(rows), data or {}, verbatim=True, rows=Rows(rows))


def joined(rows: Iterable[str], data: dict[str, Any] | None = None) -> Answer:
    """A list as an answer, its items in JSON."""
    text = f"[{','.join(rows)}]"
    return Answer(text, data or {}, verbatim=True, rows=Rows(text=text))


def explain_one(given: Mapping[str, object], error: SutureError) -> Answer:
    """A failure of a tool that works on one file, in one line."""
    del given  # the texts are fixed
    return Answer(error_line(error, several=False), {"error": error_data(error)}, verbatim=True, is_error=True)


def explain_several(given: Mapping[str, object], error: SutureError) -> Answer:
    """A failure of a tool that works on many files, in one line."""
    del given
    return Answer(error_line(error, several=True), {"error": error_data(error)}, verbatim=True, is_error=True)
