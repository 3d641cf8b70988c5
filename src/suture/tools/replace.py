"""`regex_replace` and `regex_replace_multi`: matches replaced in one file, or in many, all of them or none."""

from __future__ import annotations

from itertools import islice

from suture.bounds import timed
from suture.errors import InputTooLarge, OverMatch, TooManyReplacements
from suture.json_text import quoted
from suture.patterns.scan import each_match, rows
from suture.patterns.template import parse as parse_template
from suture.plan import Plan
from suture.text.edits import edit
from suture.tools.outcome import check_hash
from suture.tools.search import (
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
from suture.tools.spec import (
    Example,
    Proposal,
    Request,
    ToolSpec,
    dry_run,
    encoding,
    exclude,
    expect_hash,
    flag,
    include_ignored,
    text,
    validate,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from suture.engine.session import Session
    from suture.patterns.engines import Clock, Compiled, Spans, Subject
    from suture.plan import Change, Snapshot, Update
    from suture.text.edits import Edit
    from suture.tools.spec import Answer


_SPAN = 40
"""Bytes of an answer that a match or a group is counted for before it is told: in memory it takes three times that."""


def _allow_over_match() -> Any:
    return flag("Replace a match of more than 50 lines although it holds another match")


def _replacement() -> Any:
    about = "What each match becomes; $1 or ${1} and ${name} stand for groups, $& for the match, $$ for a dollar sign"
    return text(about)


class RegexReplace(Request):
    """Arguments of `regex_replace`."""

    file_path: str = file_path()
    pattern: str = pattern()
    replacement: str = _replacement()
    flags: str | None = flags()
    context_before: int = lines("Lines to show before each match")
    context_after: int = lines("Lines to show after each match")
    dry_run: bool = dry_run()
    max_replacements: int | None = limit("Refuse if there are more matches, and change nothing")
    binary_check_buffer_size: int | None = binary_check()
    allow_over_match: bool = _allow_over_match()
    encoding: str | None = encoding()
    expect_hash: str | dict[str, str] | None = expect_hash()
    validate: str = validate()


class RegexReplaceMulti(Request):
    """Arguments of `regex_replace_multi`."""

    path_pattern: str = path_pattern()
    pattern: str = pattern()
    replacement: str = _replacement()
    flags: str | None = flags()
    context_before: int = lines("Lines to show before each match")
    context_after: int = lines("Lines to show after each match")
    dry_run: bool = dry_run()
    max_replacements: int | None = limit("Refuse if there are more matches in all files together, and change nothing")
    exclude: list[str] = exclude()
    binary_check_buffer_size: int | None = binary_check()
    include_ignored: bool = include_ignored()
    allow_over_match: bool = _allow_over_match()
    expect_hash: str | dict[str, str] | None = expect_hash()
    validate: str = validate()


class _Replacing:
    """One call's replacements, file by file."""

    def __init__(self, session: Session, request: RegexReplace | RegexReplaceMulti) -> None:
        self._session = session
        self._request = request
        self.compiled: Compiled
        self.clock: Clock
        self.compiled, self.clock = prepared(session, request)
        self._template = parse_template(request.replacement, self.compiled.pattern)
        self._found = self._held = self._made = self._told = 0
        self._seen: set[tuple[int, ...]] = set()
        self.rows: list[str] = []
        """The replacements, in JSON."""
        self.changes: list[Update] = []

    def matches(self, name: str, text: Subject | None) -> bool:
        """Whether anything in a text matches."""
        self.clock.start(name)
        return text is not None and next(self.compiled.matches(text, self.clock), None) is not None

    def take(self, before: Snapshot, text: Subject) -> None:
        """Replace in one file, once, if it has several names."""
        same_file = before.fingerprint[:2]
        if same_file in self._seen:
            return
        self._seen.add(same_file)
        name, request = before.place.name, self._request
        self.clock.start(name)
        matches = self._matches(text)
        self._session.progress(0, len(matches))
        if not matches or self._found > self._most:
            return  # the rest is only counted
        if not request.allow_over_match:
            self._check_extent(name, text, matches)
        made: list[Edit] = []

        def told(spans: Spans, whole: str) -> str:
            self._grow(self._template.size(text.text, spans))
            new = self._template.filled(text.text, spans)
            made.append(edit(*spans[0], new))
            return f'"original":{whole},"replacement":{quoted(text.readable(new))}'

        around, room = (request.context_before, request.context_after), self._session.settings.max_result_bytes
        self.rows += rows(name, text, matches, around, told, room - self._told)
        self._told += sum(map(len, self.rows[-len(matches) :]))
        self.changes.append(self._session.plan_update(before, made))

    def _matches(self, text: Subject) -> list[Spans]:
        """The matches in a file. Those beyond what may be replaced are only counted."""
        every = each_match(self.compiled, text, self.clock)
        room = self._session.settings.max_result_bytes
        result: list[Spans] = []
        for spans in islice(every, max(self._most - self._found, 0)):
            result.append(spans)
            self._held += _SPAN * len(spans)
            if self._held > room:
                raise InputTooLarge(what="The result", size=self._held, limit=room, setting="max_result_bytes")
        self._found += len(result) + sum(1 for _ in timed(every))
        return result

    def _grow(self, size: int) -> None:
        """Refuse what would not fit into memory, before it is made."""
        limit = self._session.settings.max_result_bytes
        self._made += size
        if self._made > limit:
            raise InputTooLarge(what="All new text", size=self._made, limit=limit, setting="max_result_bytes")

    @property
    def _most(self) -> int:
        asked, setting = self._request.max_replacements, self._session.settings.max_replacements
        return setting if asked is None else min(asked, setting)

    def _check_extent(self, name: str, subject: Subject, matches: list[Spans]) -> None:
        """Refuse a match that is longer than was probably meant."""
        most, numbers = self._session.settings.over_match_lines, subject.text.lines
        for spans in matches:
            start, end = spans[0]
            if end - start <= most or subject.body.count(b"\n", start, end) < most:
                continue
            first, last = numbers.at(start), numbers.at(max(end - 1, start))
            inner = self.compiled.again(subject, spans[0], self.clock)
            if last - first >= most and inner is not None:
                raise OverMatch(path=name, line=first, end_line=last, inner_line=numbers.at(inner))

    def proposal(self, tool: str, where: str) -> Proposal:
        """What comes of it."""
        if self._found > self._most:
            own = self._most == self._request.max_replacements
            raise TooManyReplacements(found=self._found, limit=self._most, setting=None if own else "max_replacements")
        places = f"{self._found} match{'es' * (self._found != 1)}"
        plan = Plan(tuple(self.changes), tool, f"replace {places} of {self.compiled.pattern.source:.60} in {where}")
        return Proposal(plan, self._answer)

    def _answer(self, change: Change | None) -> Answer:
        changed = [each for each in self.changes if not each.same_content]
        files = [{"path": each.place.name, "hash": each.after.digest} for each in changed]
        return joined(self.rows, {"change_id": None if change is None else change.id, "files": files})


def plan_replace(session: Session, request: RegexReplace) -> Proposal:
    """Plan the replacements in one file."""
    replacing = _Replacing(session, request)
    before, text = opened(session, request)
    check_hash(request.expect_hash, before.place.name, before)
    if text is not None:
        replacing.take(before, text)
    return replacing.proposal("regex_replace", before.place.name)


def plan_replace_multi(session: Session, request: RegexReplaceMulti) -> Proposal:
    """Plan the replacements in many files."""
    replacing = _Replacing(session, request)
    root, runs = session.runs(request.path_pattern, request.exclude, include_ignored=request.include_ignored)
    for folder, place, raw in session.swept(root, runs, sought(session, request, replacing.compiled)):
        if not replacing.matches(place.name, subject(session, request, session.decoded(raw, place.path))):
            continue
        before = session.snapshot_in(folder, place)
        text = subject(session, request, before.text)
        if text is not None:
            replacing.take(before, text)
    return replacing.proposal("regex_replace_multi", request.path_pattern)


REGEX_REPLACE = ToolSpec(
    name="regex_replace",
    title="Replace in a file",
    description=(
        "Replace the matches of a regular expression in one file: all that are found, or none. Without the flag g, "
        "only the first of each line. The answer is a JSON array with one item per replacement: file, line, column, "
        "original, replacement, groups, context_before and context_after, as they were before. dry_run shows the same "
        f"and changes nothing. {ABOUT_PATTERN}"
    ),
    request=RegexReplace,
    examples=(
        Example(
            "var becomes const",
            {"src/app.js": "function init() {\n  var counter = 0;\n}\n"},
            {"file_path": "src/app.js", "pattern": r"var (\w+)", "replacement": "const $1", "context_before": 1},
            '[{"file":"src/app.js","line":2,"column":2,"original":"var counter","replacement":"const counter",'
            '"groups":["var counter","counter"],"context_before":["function init() {"],"context_after":[]}]',
        ),
    ),
    plan=plan_replace,
    explain=explain_one,
)
REGEX_REPLACE_MULTI = ToolSpec(
    name="regex_replace_multi",
    title="Replace in files",
    description=(
        "Replace the matches of a regular expression in all files that a glob names, in one transaction: every file, "
        "or none. Without the flag g, only the first of each line. Files that .gitignore names, and hidden files "
        "unless the glob writes their dot, are left out. The answer is one JSON array: file, line, column, original, "
        "replacement, groups, context_before and context_after, as they were before. dry_run shows the same and "
        f"changes nothing; undo takes it back. {ABOUT_PATTERN}"
    ),
    request=RegexReplaceMulti,
    examples=(
        Example(
            "A name in all files, shown first",
            {"src/app.ts": "interface User {}\n", "src/types.ts": "let a: User;\n"},
            {"path_pattern": "src/**/*.ts", "pattern": r"\bUser\b", "replacement": "Person", "dry_run": True},
            '[{"file":"src/app.ts","line":1,"column":10,"original":"User","replacement":"Person","groups":["User"],'
            '"context_before":[],"context_after":[]},{"file":"src/types.ts","line":1,"column":7,"original":"User",'
            '"replacement":"Person","groups":["User"],"context_before":[],"context_after":[]}]',
        ),
    ),
    plan=plan_replace_multi,
    explain=explain_several,
)
