"""`regex_search` and `regex_search_multi`: matches of a pattern in one file, or in many."""

from __future__ import annotations

from itertools import chain, islice

from suture.bounds import timed
from suture.engine import Engine
from suture.errors import SutureError
from suture.patterns.scan import as_match, each_match, rows
from suture.settings import Settings
from suture.tools.matching import (
    ABOUT_PATTERN,
    binary_check,
    explain_one,
    explain_several,
    file_path,
    flags,
    joined,
    limit,
    lines,
    opened,
    path_pattern,
    pattern,
    prepared,
    sought,
    subject,
)
from suture.tools.request import Request, encoding, flag, texts
from suture.tools.share import Shared
from suture.tools.spec import Example, ToolSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from suture.session import Session
    from suture.tools.share import Batch
    from suture.tools.spec import Answer


class RegexSearch(Request):
    """Arguments of `regex_search`."""

    file_path: str = file_path()
    pattern: str = pattern()
    flags: str | None = flags()
    context_before: int = lines("Lines to show before each match")
    context_after: int = lines("Lines to show after each match")
    max_matches: int | None = limit("At most so many matches; all if left out")
    binary_check_buffer_size: int | None = binary_check()
    encoding: str | None = encoding()


class RegexSearchMulti(Request):
    """Arguments of `regex_search_multi`."""

    path_pattern: str = path_pattern()
    pattern: str = pattern()
    flags: str | None = flags()
    context_before: int = lines("Lines to show before each match")
    context_after: int = lines("Lines to show after each match")
    max_matches: int | None = limit("At most so many matches in all files together; all if left out")
    exclude: list[str] = texts("Globs of files and folders to leave out; one without / is a name anywhere")
    binary_check_buffer_size: int | None = binary_check()
    include_ignored: bool = flag("Whether files that .gitignore names are searched, too")


def search(session: Session, request: RegexSearch) -> Answer:
    """The matches in one file."""
    return joined(in_file(session, request)[1] or [])


def in_file(session: Session, request: RegexSearch, view: str = "rows") -> tuple[str, list[str] | None]:
    """A file's name and its matches, as `_Searching` has them; None if it is binary."""
    compiled, clock = prepared(session, request)
    before, text = opened(session, request)
    name = before.place.name
    if text is None:
        return name, None
    clock.start(name)
    matches = islice(each_match(compiled, text, clock), _most(view, request.max_matches))
    if view != "rows":
        return name, [""] * sum(1 for _ in timed(matches))
    around = request.context_before, request.context_after
    return name, rows(name, text, matches, around, as_match, session.settings.max_result_bytes)


def search_multi(session: Session, request: RegexSearchMulti) -> Answer:
    """The matches in many files."""
    by_file = in_many(session, request)
    return joined(islice(chain.from_iterable(own for _, own in by_file), request.max_matches))


def in_many(session: Session, request: RegexSearchMulti, view: str = "rows") -> list[tuple[str, list[str]]]:
    """Files, sorted by name, and the matches in each, as `_Searching` has them; perhaps more than asked for."""
    searching = _Searching(session, request, view)
    root, runs = session.runs(request.path_pattern, request.exclude, include_ignored=request.include_ignored)
    with session.partner(__name__) as partner:
        shared = Shared(partner, searching.batch)
        searching.look_into(root, shared.own(root, runs))
        for batch, answer in shared.others():
            if answer is None:  # another one: this may have matches enough, but of later files
                again = _Searching(session, request, view)
                again.look_into(root, session.reopened(root, batch))
                answer = again.found  # noqa: PLW2901  the same, by ourselves
            searching.found += answer
    return sorted(searching.found) if shared.was_used else searching.found


def _most(view: str, asked: int | None) -> int | None:
    """How many matches of a file are needed."""
    return 1 if view == "names" and asked is None else asked


class _Searching:
    """One call's matches, file by file: in JSON; as so many empty texts; or one such text for each file."""

    def __init__(self, session: Session, request: RegexSearchMulti, view: str) -> None:
        self._view = view
        self._session = session
        self._request = request
        self._compiled, self._clock = prepared(session, request)
        self.found: list[tuple[str, list[str]]] = []
        """Files, and the matches in each."""
        self._left = request.max_matches
        self._room = session.settings.max_result_bytes

    def look_into(self, root: int, runs: Iterable[tuple[int, str, list[str]]]) -> None:
        """Search files; no more of them once there are matches enough."""
        session, request = self._session, self._request
        around = request.context_before, request.context_after
        for _, place, raw in session.swept(root, runs, sought(session, request, self._compiled)):
            if self._left == 0:
                break
            text = subject(session, request, session.decoded(raw, place.path))
            if text is None:
                continue
            self._clock.start(place.name)
            matches = islice(each_match(self._compiled, text, self._clock), _most(self._view, self._left))
            if self._view == "rows":
                told = rows(place.name, text, matches, around, as_match, self._room)
            else:
                told = [""] * sum(1 for _ in timed(matches))
            if not told:
                continue
            session.progress(0, len(told))
            self.found.append((place.name, told))
            self._room -= sum(map(len, told))
            if self._left is not None:
                self._left -= len(told)

    def batch(self, root: int, files: list[tuple[str, list[str]]]) -> Batch:
        """Files to be searched by the partner."""
        session, request = self._session, self._request
        settings = {name: getattr(session.settings, name) for name in session.settings._fields}
        wanted = {"view": self._view, **{name: getattr(request, name) for name in request._fields}}
        return (session.trees[0].root, settings, wanted, root, files)


def answer(batch: Batch) -> list[tuple[str, list[str]]] | None:
    """What the partner does: the matches in the files of a batch; None if there was an error."""
    root, settings, wanted, number, files = batch
    try:
        with _engine(root, settings).session() as session:
            view = wanted.pop("view", "rows")
            searching = _Searching(session, RegexSearchMulti(**wanted), view)
            searching.look_into(number, session.reopened(number, files))
            return searching.found
    except SutureError:
        return None  # who gave the batch will find out why


class _Kept:
    """The partner's engine: one batch after the other is of the same workspace."""

    known: tuple[str, dict[str, Any]] | None = None
    engine: Engine


def _engine(root: str, settings: dict[str, Any]) -> Engine:
    if _Kept.known != (root, settings):
        _Kept.engine = Engine(root, Settings(**settings))
        _Kept.known = root, settings
    return _Kept.engine


REGEX_SEARCH = ToolSpec(
    name="regex_search",
    title="Search a file",
    description=(
        "Find the matches of a regular expression in one file. The answer is a JSON array: file, line (from 1), column "
        "(from 0, in characters), match, groups (the whole match first; null for one without part), context_before "
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
        "Find the matches of a regular expression in all files that a glob names. Files that .gitignore names, and "
        "hidden files unless the glob writes their dot, are left out; binary ones are skipped. The answer is one JSON "
        "array, sorted by file: file, line (from 1), column (from 0, in characters), match, groups (the whole match "
        f"first; null for one without part), context_before and context_after. {ABOUT_PATTERN}"
    ),
    request=RegexSearchMulti,
    examples=(
        Example(
            "What is still to do",
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
