"""`regex_search`, `regex_search_multi`, `regex_extract`, `regex_match_lines`, `regex_split`; the command `search`.

A search keeps what its view needs of each match: a JSON row for the answer of a tool; the place and its lines for a
terminal; or nothing if matches are only counted. A row is made once, by the process that searched the file.
"""

from __future__ import annotations

from functools import partial
from itertools import islice

from suture import shapes
from suture.bounds import check_limit, timed
from suture.engine import Engine
from suture.errors import InputTooLarge, NoCaptureGroups, PermissionDenied, ReadFailed, RegexTimeout, SutureError
from suture.files.walk import ContentFilter
from suture.patterns.dialect import parse, with_any_break, within_lines
from suture.patterns.engines import Clock, Subject, compile_pattern
from suture.patterns.scan import (
    Room,
    delimiters,
    each_match,
    extents,
    extracts,
    line_rows,
    matching_lines,
    rows,
    segments,
)
from suture.records import Record
from suture.settings import Settings
from suture.tools import results, spec
from suture.tools.paths import visit_paths
from suture.tools.spec import Answer, Example, Request, Rows, ToolSpec
from suture.wording import error_line, error_line_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from suture.audience import Audience
    from suture.engine.session import Session
    from suture.files.worker import Files, Run
    from suture.patterns.engines import Compiled, Spans
    from suture.plan import Snapshot
    from suture.text import Text

    Batch = tuple[str, dict[str, Any], dict[str, Any], int, Files]
    Line = tuple[int, str, list[tuple[int, int]] | None]
    """Number, content, and the columns of its matches; None for a context line."""


ABOUT_PATTERN = """\
The pattern is a JavaScript regular expression (flag u), written plainly or as /pattern/flags. Flags: g all matches \
(without it, the first on each line), i ignore case, m ^ and $ at line breaks, s . matches line breaks."""


# Arguments of the tools that search or replace.
FILE_PATH = spec.text("Path of the file, absolute or relative to the workspace root")
PATH_PATTERN = spec.text(
    "Which files: a folder, or a glob from the workspace root such as src/**/*.js; **, *, ?, […], {a,b}, {1..3}, !(a)"
)
PATTERN = spec.text("Regular expression: pattern or /pattern/flags")
FLAGS = spec.text("Flags: g, i, m, s; those in /pattern/flags take precedence", default=None)
CONTEXT_BEFORE, CONTEXT_AFTER = (
    spec.integer(f"Lines to show {side} each match", default=0, minimum=0, maximum=10_000)
    for side in ("before", "after")
)
BINARY_CHECK = spec.integer(
    "Bytes at the start in which a NUL makes a file binary, so that it is skipped (default 8192); 0 treats all as text",
    default=None,
)


def limit(about: str) -> Any:
    """A limit that truncates results, or that they must not exceed."""
    return spec.integer(about, default=None, minimum=0)


def prepare(session: Session, request: Any, *, any_break: bool = False) -> tuple[Compiled, Clock]:
    """The request's pattern, compiled, and the clock of its time limits."""
    settings = session.settings
    check_limit("The pattern", len(request.pattern), settings, "max_pattern_chars", "characters")
    pattern = parse(request.pattern, request.flags or "")
    if any_break or getattr(request, "any_break", False):
        pattern = with_any_break(pattern)
    if getattr(request, "by_line", False):
        pattern = within_lines(pattern)
    return compile_pattern(pattern), Clock(settings.regex_file_ms, settings.regex_call_ms)


def binary_window(session: Session, request: Any) -> int:
    """The first bytes in which a NUL makes a file binary."""
    chosen = request.binary_check_buffer_size
    return session.settings.binary_window if chosen is None else max(chosen, 0)


def worth_reading(
    session: Session, request: Any, compiled: Compiled, note_binary: Callable[[str], None] | None = None
) -> ContentFilter:
    """Which files are worth reading; `note_binary` gets the paths of those that may match but are binary."""
    max_bytes, window = session.settings.max_file_bytes, binary_window(session, request)
    if session.settings.encodings:  # the bytes of a file may mean anything
        return ContentFilter(
            lambda *_: True,
            lambda *_: True,
            only_utf8=False,
            binary_window=window,
            max_bytes=max_bytes,
            note_binary=note_binary,
        )
    return ContentFilter(
        compiled.may_occur_in,
        compiled.may_hold,
        only_utf8=not compiled.reads_undecodable,
        binary_window=window,
        max_bytes=max_bytes,
        note_binary=note_binary,
    )


def read_subject(session: Session, request: Any, path: str) -> tuple[Snapshot, Subject | None]:
    """A file in the request's encoding, and its text to search; None if it is binary."""
    snapshot = session.read(path, request.encoding)
    return snapshot, subject_of(session, request, snapshot.text)


def subject_of(session: Session, request: Any, text: Text) -> Subject | None:
    """A text to search; None if it is binary."""
    window = binary_window(session, request)
    return None if window and text.is_binary(window) else Subject(text)


def list_answer(rows: Iterable[str], data: dict[str, Any] | None = None, hints: Iterable[str] = ()) -> Answer:
    """An answer from items that are JSON."""
    text = f"[{','.join(rows)}]"
    return Answer(text, data or {}, verbatim=True, rows=Rows(text), hints=tuple(hints))


def binary_answer(session: Session, name: str) -> Answer:
    """The answer of a tool that was given a binary file."""
    from suture.tools.hints import binary_hints

    return list_answer([], {"binary": [name]}, binary_hints(session, name))


def explain_one(_: Mapping[str, object], error: SutureError, audience: Audience, *, several: bool = False) -> Answer:
    """A failure as the specification words it, and a hint, for a tool that works on one file."""
    data = {"error": error_line_data(error, audience, several=several)}
    return Answer(error_line(error, audience, several=several), data, verbatim=True, is_error=True)


explain_several = partial(explain_one, several=True)


class RegexSearch(Request):
    """Arguments of `regex_search`."""

    file_path: str = FILE_PATH
    pattern: str = PATTERN
    flags: str | None = FLAGS
    context_before: int = CONTEXT_BEFORE
    context_after: int = CONTEXT_AFTER
    max_matches: int | None = limit("Maximum number of matches (default: all)")
    binary_check_buffer_size: int | None = BINARY_CHECK
    encoding: str | None = spec.ENCODING


class RegexSearchMulti(Request):
    """Arguments of `regex_search_multi`."""

    path_pattern: str = PATH_PATTERN
    pattern: str = PATTERN
    flags: str | None = FLAGS
    context_before: int = CONTEXT_BEFORE
    context_after: int = CONTEXT_AFTER
    max_matches: int | None = limit("Maximum number of matches in all files together (default: all)")
    exclude: list[str] = spec.EXCLUDE
    binary_check_buffer_size: int | None = BINARY_CHECK
    include_ignored: bool = spec.INCLUDE_IGNORED


class Search(Request):
    """Arguments of the command `search`."""

    paths: list[str] = spec.PATHS
    pattern: str = PATTERN
    flags: str | None = FLAGS
    context_before: int = CONTEXT_BEFORE
    context_after: int = CONTEXT_AFTER
    max_matches: int | None = limit("Maximum number of matches in all files together (default: all)")
    exclude: list[str] = spec.EXCLUDE
    include_ignored: bool = spec.INCLUDE_IGNORED
    encoding: str | None = spec.encoding("files that are named, not found through a folder or glob")
    view: str = spec.text(
        "The matches; their lines; their number in each file; or the files that have any",
        default="rows",
        choices=("rows", "lines", "numbers", "names"),
    )
    binary_check_buffer_size = None  # the command has no such option


class Query(Record):
    """What to search for, and what to keep of each match: the arguments that all searches share."""

    pattern: str
    flags: str | None
    context_before: int
    context_after: int
    max_matches: int | None
    binary_check_buffer_size: int | None = None
    view: str = "rows"
    by_line: bool = False
    """Whether only a line break that the pattern has itself crosses a line."""
    any_break: bool = False
    r"""Whether a line feed in the pattern also matches `\r\n`, and an empty file has no line."""
    looks_further: bool = False
    """Whether the search goes on after `max_matches`, to find out if there are more."""

    @classmethod
    def of(cls, request: RegexSearch | RegexSearchMulti | Search) -> Query:
        """The query of a request, from the arguments that it has."""
        return cls(**{name: getattr(request, name) for name in cls._fields if name in request._fields})


class FileMatches(Record):
    """The matches in one file."""

    name: str
    matches: list[Any]
    """For each match, a JSON row, an `Extent` for the view `lines`, or None if matches are only counted."""
    contents: dict[int, str]
    """The lines that the view `lines` shows, by number."""

    def first(self, most: int | None) -> FileMatches:
        """The first matches, up to a number."""
        return self if most is None or most >= len(self.matches) else self.evolve(matches=self.matches[:most])

    def lines(self, after: int) -> list[Line]:
        """The lines with matches, and the lines around them, with `after` lines after the last one."""
        spans, contents = dict[int, list[tuple[int, int]]](), self.contents
        for first, column, last, end in self.matches:
            for number in range(first, last + 1):
                start = column if number == first else 0
                spans.setdefault(number, []).append((start, end if number == last else len(contents[number])))
        shown = max(spans) + after
        return [(number, content, spans.get(number)) for number, content in contents.items() if number <= shown]


class MatchedFile(shapes.Data):
    """A file with matches."""

    path: str = results.PATH
    matches: int = shapes.integer("How many")
    lines: list[Line] = shapes.values("Number and content of the lines, and their matches", "array").optional


class SearchResult(shapes.Data):
    """What the command `search` found, besides the rows."""

    files: list[MatchedFile] = shapes.objects("The files with matches, if there are no rows", MatchedFile).optional
    binary: list[str] = shapes.values("Files that were named but are binary").optional


class _Searcher:
    """One call's matches, file by file."""

    def __init__(self, session: Session, query: Query) -> None:
        self._session = session
        self._query = query
        self._compiled, self._clock = prepare(session, query)
        self.files: list[FileMatches] = []
        """The files that have matches."""
        self.has_more = False
        """Whether more matches than requested were found, if the query asks that."""
        self.may_have_more = False
        """Whether the search for more was given up."""
        self.binary: list[str] = []
        """Binary files that may otherwise have a match."""
        self._left = query.max_matches
        self._room = Room(session.settings.max_result_bytes)

    def search_runs(self, root: int, runs: Iterable[Run]) -> None:
        """Search the files of a walk until there are enough matches."""
        try:
            self._search_runs(root, runs)
        except (InputTooLarge, PermissionDenied, ReadFailed, RegexTimeout):
            if self._left != 0:
                raise
            self.may_have_more = True  # the error is about a file that was not needed

    def _search_runs(self, root: int, runs: Iterable[Run]) -> None:
        session, query = self._session, self._query
        content_filter = worth_reading(session, query, self._compiled, self.binary.append)
        for _, place, raw in session.read_candidates(root, runs, content_filter):
            if self._left == 0 and (self.has_more or not query.looks_further):
                break
            subject = subject_of(session, query, session.decode_file(raw, place.path))
            if subject is None:
                self.binary.append(place.path)
            else:
                matches = self.search_subject(place.name, subject)
                if matches:
                    session.progress(0, matches)

    def search_subject(self, name: str, subject: Subject) -> int:
        """Search a file's text, up to the limit; returns the number of matches."""
        query = self._query
        if query.any_break and not subject.body:
            return 0
        self._clock.start(name)
        most = 1 if query.view == "names" and self._left is None else self._left
        every = each_match(self._compiled, subject, self._clock)
        matches = islice(every, most)
        around, contents = (query.context_before, query.context_after), dict[int, str]()
        items: list[Any]
        if query.view == "rows":
            items = rows(name, subject, matches, around, self._room)
        elif query.view == "lines":
            items, contents = extents(subject, matches, around, self._room)
        else:
            items = [None for _ in timed(matches)]
        if items:
            self.files.append(FileMatches(name, items, contents))
        if self._left is not None:
            self._left -= len(items)
        if self._left == 0 and query.looks_further and not self.has_more:
            self._look_further(every)
        return len(items)

    def _look_further(self, matches: Iterator[Spans]) -> None:
        try:
            self.has_more = next(matches, None) is not None
        except RegexTimeout:
            self.may_have_more = True

    def hints_of_file(self, name: str, subject: Subject, shown: int) -> list[str]:
        """What to say about the matches in the only file, of which some are shown."""
        from suture.tools.hints import Shown, file_hints

        return file_hints(self._session, self._compiled, subject, name, Shown(shown, self._query.max_matches))

    def hints_of_files(self) -> list[str]:
        """What to say about the matches in many files."""
        from suture.tools.hints import files_hints, more_hints

        most = self._query.max_matches
        if most is not None and (self.has_more or self.may_have_more):
            return more_hints(self._session, most, sure=self.has_more)
        return [] if self.files else files_hints(self._compiled, self._session.walked, self.binary)

    def batch(self, root: int, files: Files) -> Batch:
        """A batch of files for the second process."""
        session = self._session
        settings = {name: getattr(session.settings, name) for name in session.settings._fields}
        query = self._query
        if query.looks_further and query.max_matches is not None:
            query = query.evolve(max_matches=query.max_matches + 1, looks_further=False)
        return (session.trees[0].root, settings, dict(query.__dict__), root, files)


def search_glob(
    session: Session, query: Query, glob: str, exclude: list[str], *, include_ignored: bool
) -> list[FileMatches]:
    """The matches in all files that match a glob, sorted by file; perhaps more than requested."""
    return _search_glob(session, query, glob, exclude, include_ignored=include_ignored).files


def _search_glob(session: Session, query: Query, glob: str, exclude: list[str], *, include_ignored: bool) -> _Searcher:
    """As `search_glob`, with what else the search found out."""
    from suture.files.worker import SharedFiles  # a search of one file needs none

    searcher = _Searcher(session, query)
    root, runs = session.runs(glob, exclude, include_ignored=include_ignored)
    with session.worker(__name__) as worker:
        shared = SharedFiles(worker, searcher.batch)
        searcher.search_runs(root, shared.own(root, runs))
        for batch, batch_matches in shared.others():
            if batch_matches is None:  # a new searcher: this one may have enough matches, but from later files
                again = _Searcher(session, query)
                again.search_runs(root, session.reopen(root, batch))
                searcher.files += again.files
                searcher.has_more |= again.has_more
                searcher.may_have_more |= again.may_have_more
            else:
                searcher.files += [FileMatches(*values) for values in batch_matches]
    if shared.was_used:
        searcher.files.sort(key=lambda file: file.name)
        searcher.binary.clear()  # the other process does not tell its part
    if query.max_matches is not None and sum(len(file.matches) for file in searcher.files) > query.max_matches:
        searcher.has_more = True
    return searcher


def first_matches(files: Iterable[FileMatches], most: int | None) -> Iterator[FileMatches]:
    """The files with the first matches, up to a number in total."""
    for file in files:
        if most == 0:
            return
        part = file.first(most)
        yield part
        if most is not None:
            most -= len(part.matches)


def search(session: Session, request: RegexSearch) -> Answer:
    """The matches in one file."""
    searcher = _Searcher(session, Query.of(request))
    snapshot, subject = read_subject(session, request, request.file_path)
    name = snapshot.place.name
    if subject is None:
        return binary_answer(session, name)
    number = searcher.search_subject(name, subject)
    return _rows_of(searcher.files, None, searcher.hints_of_file(name, subject, number))


def search_multi(session: Session, request: RegexSearchMulti) -> Answer:
    """The matches in many files."""
    query = Query.of(request).evolve(looks_further=True)
    searcher = _search_glob(
        session, query, request.path_pattern, request.exclude, include_ignored=request.include_ignored
    )
    return _rows_of(first_matches(searcher.files, request.max_matches), None, searcher.hints_of_files())


def _rows_of(files: Iterable[FileMatches], data: dict[str, Any] | None = None, hints: Iterable[str] = ()) -> Answer:
    return list_answer((row for file in files for row in file.matches), data, hints)


def find_in_paths(
    session: Session, request: Search, *, by_line: bool = False, any_break: bool = False
) -> tuple[list[FileMatches], list[str]]:
    """The matches in the files that the arguments name, by file; and the files that were named but are binary."""
    query, binary = Query.of(request).evolve(by_line=by_line, any_break=any_break), list[str]()

    def search_named(path: str) -> list[FileMatches]:
        searcher = _Searcher(session, query)
        snapshot, subject = read_subject(session, request, path)
        if subject is None:
            binary.append(snapshot.place.name)
        else:
            searcher.search_subject(snapshot.place.name, subject)
        return searcher.files

    def search_all(glob: str, exclude: list[str]) -> list[FileMatches]:
        return search_glob(session, query, glob, exclude, include_ignored=request.include_ignored)

    by_name: dict[str, FileMatches] = {}
    for matches in visit_paths(session, request, search_named, search_all, request.encoding):
        for file in matches:
            by_name.setdefault(file.name, file)
    return list(first_matches((by_name[name] for name in sorted(by_name)), request.max_matches)), binary


def search_paths(session: Session, request: Search) -> Answer:
    """The matches in the files that the arguments name, as the view shows them."""
    files, binary = find_in_paths(session, request)
    result = SearchResult(binary=shapes.or_left_out(binary or None))
    if request.view == "rows":
        return _rows_of(files, result.data())
    shown = [
        MatchedFile(
            path=file.name,
            matches=len(file.matches),
            lines=shapes.or_left_out(file.lines(request.context_after) if request.view == "lines" else None),
        )
        for file in files
    ]
    return Answer("", result.evolve(files=shown).data(), verbatim=True)


def answer(batch: Batch) -> list[tuple[Any, ...]] | None:
    """The entry point of the second process: the matches in a batch of files; None if there was an error."""
    root, settings, query, number, files = batch
    try:
        with _engine(root, settings).session() as session:
            searcher = _Searcher(session, Query(**query))
            searcher.search_runs(number, session.reopen(number, files))
            return [(file.name, file.matches, file.contents) for file in searcher.files]
    except SutureError:
        return None  # the first process searches the batch itself, and reports the error


class _CachedEngine:
    """The second process's engine: successive batches are from the same workspace."""

    key: tuple[str, dict[str, Any]] | None = None
    engine: Engine


def _engine(root: str, settings: dict[str, Any]) -> Engine:
    if _CachedEngine.key != (root, settings):
        _CachedEngine.engine = Engine(root, Settings(**settings))
        _CachedEngine.key = root, settings
    return _CachedEngine.engine


REGEX_SEARCH = ToolSpec(
    name="regex_search",
    title="Search a file",
    description=(
        "Find the matches of a regular expression in one file. The answer is a JSON array: file, line (from 1), column "
        "(from 0, in characters), match, groups (the whole match first; null for unmatched groups), context_before "
        f"and context_after. {ABOUT_PATTERN}"
    ),
    request=RegexSearch,
    examples=(
        Example(
            "A function and its name, with the line after",
            {"src/app.js": "// Request handler\nfunction handleRequest() {\n  return 1;\n}\n"},
            {"file_path": "src/app.js", "pattern": r"function\s+(\w+)", "context_after": 1},
            '[{"file":"src/app.js","line":2,"column":0,"match":"function handleRequest",'
            '"groups":["function handleRequest","handleRequest"],"context_before":[],"context_after":["  return 1;"]}]',
        ),
    ),
    read=search,
    explain=explain_one,
)
REGEX_SEARCH_MULTI = ToolSpec(
    name="regex_search_multi",
    title="Search files",
    description=(
        "Find the matches of a regular expression in all files that match a glob. Binary files and files that "
        ".gitignore ignores are skipped, as are hidden files unless the glob contains the dot. The answer is one JSON "
        "array, sorted by file: file, line (from 1), column (from 0, in characters), match, groups (the whole match "
        f"first; null for unmatched groups), context_before and context_after. {ABOUT_PATTERN}"
    ),
    request=RegexSearchMulti,
    examples=(
        Example(
            "TODO comments",
            {"src/app.js": "init(); // TODO: fix\n", "src/lib/util.js": "\n// todo: sort\n", "docs/a.md": "TODO\n"},
            {"path_pattern": "src/**/*.js", "pattern": r"/todo: (\w+)/i"},
            '[{"file":"src/app.js","line":1,"column":11,"match":"TODO: fix","groups":["TODO: fix","fix"],'
            '"context_before":[],"context_after":[]},{"file":"src/lib/util.js","line":2,"column":3,'
            '"match":"todo: sort","groups":["todo: sort","sort"],"context_before":[],"context_after":[]}]',
        ),
    ),
    read=search_multi,
    explain=explain_several,
)
SEARCH = ToolSpec(
    name="search",
    title="Search",
    description="Find the matches of a regular expression in files, folders and globs.",
    request=Search,
    examples=(),
    read=search_paths,
    explain=explain_several,
)


class RegexExtract(Request):
    """Arguments of `regex_extract`."""

    file_path: str = FILE_PATH
    pattern: str = PATTERN
    flags: str | None = FLAGS
    max_matches: int | None = limit("Maximum number of matches (default: all)")
    binary_check_buffer_size: int | None = BINARY_CHECK
    encoding: str | None = spec.ENCODING


class RegexMatchLines(Request):
    """Arguments of `regex_match_lines`."""

    file_path: str = FILE_PATH
    pattern: str = PATTERN
    flags: str | None = FLAGS
    invert: bool = spec.flag("Return the lines that do not match")
    max_lines: int | None = limit("Maximum number of lines (default: all)")
    binary_check_buffer_size: int | None = BINARY_CHECK
    encoding: str | None = spec.ENCODING
    format: str = spec.text(
        "json: file, line and content of each; text: the lines themselves", default="json", choices=("json", "text")
    )


class RegexSplit(Request):
    """Arguments of `regex_split`."""

    file_path: str = FILE_PATH
    pattern: str = PATTERN
    flags: str | None = FLAGS
    max_splits: int | None = limit("Maximum number of splits; the rest stays in the last segment")
    binary_check_buffer_size: int | None = BINARY_CHECK
    encoding: str | None = spec.ENCODING


def _start(session: Session, request: Any, clock: Clock) -> tuple[str, Subject | None]:
    """The file's name, and its text or None if it is binary; starts the file's clock."""
    snapshot, subject = read_subject(session, request, request.file_path)
    clock.start(snapshot.place.name)
    return snapshot.place.name, subject


def extract(session: Session, request: RegexExtract) -> Answer:
    """The groups of each match."""
    compiled, clock = prepare(session, request)
    if not compiled.pattern.groups:
        raise NoCaptureGroups(pattern=request.pattern)
    name, subject = _start(session, request, clock)
    if subject is None:
        return binary_answer(session, name)
    from suture.tools.hints import Counted, Shown, file_hints

    matches = Counted(islice(each_match(compiled, subject, clock), request.max_matches))
    groups = extracts(name, subject, matches, Room(session.settings.max_result_bytes))
    hints = file_hints(session, compiled, subject, name, Shown(matches.number, request.max_matches))
    return list_answer(groups, None, hints)


def match_lines(session: Session, request: RegexMatchLines) -> Answer:
    """The lines that match, or those that do not."""
    compiled, clock = prepare(session, request)
    name, subject = _start(session, request, clock)
    if subject is None:
        return binary_answer(session, name)
    from suture.tools.hints import Counted, Shown, file_hints

    def lines_with(clock: Clock, most: int | None = None) -> Iterator[tuple[int, str]]:
        return matching_lines(compiled, subject, clock, invert=request.invert, most=most)

    lines, contents = Counted(lines_with(clock, request.max_lines)), list[str]()
    in_json = request.format == "json"
    room = Room(session.settings.max_result_bytes)
    rows = line_rows(name, lines if in_json else _copy_contents(lines, contents), room)
    shown = Shown(lines.number, request.max_lines, "max_lines", "line")
    answer = list_answer(rows, None, file_hints(session, compiled, subject, name, shown, lines_with))
    return answer if in_json else answer.evolve(text="\n".join(contents))


def _copy_contents(lines: Iterable[tuple[int, str]], contents: list[str]) -> Iterator[tuple[int, str]]:
    """The same lines; appends each content to `contents`."""
    for number, content in lines:
        contents.append(content)
        yield number, content


def split(session: Session, request: RegexSplit) -> Answer:
    """The text between the matches."""
    compiled, clock = prepare(session, request)
    name, subject = _start(session, request, clock)
    if subject is None:
        return binary_answer(session, name)
    from suture.tools.hints import Counted, Shown, file_hints

    def find_delimiters(clock: Clock) -> Iterator[tuple[int, int]]:
        return delimiters(clock.untimed(compiled.matches(subject, clock)), len(subject.body))

    matches, most = Counted(clock.untimed(compiled.matches(subject, clock))), request.max_splits
    rows = segments(subject, matches, most, Room(session.settings.max_result_bytes))
    shown = Shown(matches.number if most is None else min(matches.number, most), most, "max_splits", "split")
    hints = file_hints(session, compiled, subject, name, shown, find_delimiters)
    return list_answer(rows, None, hints)


REGEX_EXTRACT = ToolSpec(
    name="regex_extract",
    title="Extract groups",
    description=(
        "Extract the capture groups of a regular expression's matches in one file, without the whole match. The answer "
        f"is a JSON array: file, line, groups (null for unmatched groups). {ABOUT_PATTERN}"
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
        "Return the lines of one file that match a regular expression, or with invert those that do not. Each line is "
        "matched alone: ^ and $ are its ends. The answer is a JSON array (file, line, content), or with format text "
        f"the lines themselves. {ABOUT_PATTERN}"
    ),
    request=RegexMatchLines,
    examples=(
        Example(
            "Errors in a log",
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
        "Split one file at the matches of a regular expression. The answer is a JSON array: segment (from 1), content, "
        "line_start, line_end. Segments do not include the delimiters; empty segments are kept. " + ABOUT_PATTERN
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
