"""`regex_extract`, `regex_match_lines` and `regex_split`: groups, lines and segments of one file."""

from __future__ import annotations

from itertools import islice

from suture.errors import NoCaptureGroups
from suture.patterns.scan import each_match, extracts, line_rows, matching_lines, segments
from suture.tools.matching import (
    ABOUT_PATTERN,
    binary_check,
    explain_one,
    file_path,
    flags,
    joined,
    limit,
    opened,
    pattern,
    prepared,
)
from suture.tools.request import Request, encoding, flag, text
from suture.tools.spec import Example, ToolSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from suture.session import Session
    from suture.tools.spec import Answer


class RegexExtract(Request):
    """Arguments of `regex_extract`."""

    file_path: str = file_path()
    pattern: str = pattern()
    flags: str | None = flags()
    max_matches: int | None = limit("At most so many matches; all if left out")
    binary_check_buffer_size: int | None = binary_check()
    encoding: str | None = encoding()


class RegexMatchLines(Request):
    """Arguments of `regex_match_lines`."""

    file_path: str = file_path()
    pattern: str = pattern()
    flags: str | None = flags()
    invert: bool = flag("Give the lines that do not match")
    max_lines: int | None = limit("At most so many lines; all if left out")
    binary_check_buffer_size: int | None = binary_check()
    encoding: str | None = encoding()
    format: str = text(
        "json: file, line and content of each; text: the lines themselves", default="json", choices=("json", "text")
    )


class RegexSplit(Request):
    """Arguments of `regex_split`."""

    file_path: str = file_path()
    pattern: str = pattern()
    flags: str | None = flags()
    max_splits: int | None = limit("At most so many splits; the rest stays in the last segment")
    binary_check_buffer_size: int | None = binary_check()
    encoding: str | None = encoding()


def extract(session: Session, request: RegexExtract) -> Answer:
    """The groups of each match."""
    compiled, clock = prepared(session, request)
    if not compiled.pattern.groups:
        raise NoCaptureGroups(pattern=request.pattern)
    before, subject = opened(session, request)
    if subject is None:
        return joined([])
    name, room = before.place.name, session.settings.max_result_bytes
    clock.start(name)
    matches = islice(each_match(compiled, subject, clock), request.max_matches)
    return joined(extracts(name, subject, matches, room))


def match_lines(session: Session, request: RegexMatchLines) -> Answer:
    """The lines that match, or those that do not."""
    compiled, clock = prepared(session, request)
    before, subject = opened(session, request)
    name = before.place.name
    clock.start(name)
    if subject is None:
        return joined([])
    most, room = request.max_lines, session.settings.max_result_bytes
    lines = matching_lines(compiled, subject, clock, invert=request.invert, most=most)
    if request.format == "json":
        return joined(line_rows(name, lines, room))
    contents: list[str] = []
    rows = line_rows(name, _noting(lines, contents), room)
    return joined(rows).but(text="\n".join(contents))


def _noting(lines: Iterable[tuple[int, str]], contents: list[str]) -> Iterator[tuple[int, str]]:
    """The same lines, their contents noted."""
    for number, content in lines:
        contents.append(content)
        yield number, content


def split(session: Session, request: RegexSplit) -> Answer:
    """What stands between the matches."""
    compiled, clock = prepared(session, request)
    before, subject = opened(session, request)
    if subject is None:
        return joined([])
    clock.start(before.place.name)
    matches = clock.untimed(compiled.matches(subject, clock))
    return joined(segments(subject, matches, request.max_splits, session.settings.max_result_bytes))


REGEX_EXTRACT = ToolSpec(
    name="regex_extract",
    title="Extract groups",
    description=(
        "Give what the groups of a regular expression capture in one file, without the whole match. The answer is a "
        f"JSON array: file, line, groups (null for one without part). {ABOUT_PATTERN}"
    ),
    request=RegexExtract,
    examples=(
        Example(
            "Names and values",
            {"package.json": '{\n  "name": "my-project",\n  "version": "1.0.0"\n}\n'},
            {"file_path": "package.json", "pattern": r'"(\w+)": "([^"]+)"'},
            '[{"file":"package.json","line":2,"groups":["name","my-project"]},'
            '{"file":"package.json","line":3,"groups":["version","1.0.0"]}]',
        ),
    ),
    read=extract,
    explain=explain_one,
)
REGEX_MATCH_LINES = ToolSpec(
    name="regex_match_lines",
    title="Filter lines",
    description=(
        "Give the lines of one file that match a regular expression, or with invert those that do not. Each line is "
        "looked at alone: ^ and $ are its ends. The answer is a JSON array (file, line, content), or the lines "
        f"themselves with format text. {ABOUT_PATTERN}"
    ),
    request=RegexMatchLines,
    examples=(
        Example(
            "What went wrong",
            {"server.log": "INFO start\nERROR: timeout\nINFO retry\nFATAL: unreachable\n"},
            {"file_path": "server.log", "pattern": "^(ERROR|FATAL)", "format": "text"},
            "ERROR: timeout\nFATAL: unreachable",
        ),
    ),
    read=match_lines,
    explain=explain_one,
)
REGEX_SPLIT = ToolSpec(
    name="regex_split",
    title="Split a file",
    description=(
        "Split the content of one file where a regular expression matches. The answer is a JSON array: segment (from "
        "1), content, line_start, line_end. The delimiters are in no segment; empty segments are kept. " + ABOUT_PATTERN
    ),
    request=RegexSplit,
    examples=(
        Example(
            "Paragraphs",
            {"text.txt": "First paragraph\nwith multiple lines\n\nSecond paragraph"},
            {"file_path": "text.txt", "pattern": r"\n\n+"},
            '[{"segment":1,"content":"First paragraph\\nwith multiple lines","line_start":1,"line_end":2},'
            '{"segment":2,"content":"Second paragraph","line_start":4,"line_end":4}]',
        ),
    ),
    read=split,
    explain=explain_one,
)
