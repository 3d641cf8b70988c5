"""Search and replace for the command line, in files that are named one by one.

An argument is a file, a folder (all below it) or a glob; what exists under that very name is meant before a glob is,
since shells hand over names such as `[id].tsx`. A file is looked at even if `.gitignore` names it.

Rejected: one glob `{a,b}` made of all. Links and ignored folders that it names would not be followed, and a name that
does not exist would go unnoticed.

It answers with the same rows; with the lines that hold the matches, for which their files are read once more: what
the search itself keeps of a file is what its answer needs; or only with names and numbers of matches.

It answers with the same rows; or with the diff, too. A preview and the change itself are the same plan.
"""

from __future__ import annotations

from suture.errors import InvalidArguments, NoFilesMatched, SutureError, TooManyReplacements
from suture.files.glob import WILD, Excluded, literally
from suture.patterns.engines import Subject
from suture.plan import Plan, Update
from suture.tools.search import (
    RegexSearch,
    RegexSearchMulti,
    explain_several,
    flags,
    in_file,
    in_many,
    joined,
    limit,
    lines,
    listed,
    opened,
    pattern,
)
from suture.tools.spec import (
    Answer,
    Proposal,
    Request,
    ToolSpec,
    dry_run,
    encoding,
    exclude,
    flag,
    include_ignored,
    paths,
    text,
    validate,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from suture.engine.session import Session
    from suture.files.paths import Target
    from suture.plan import Change, FileChange

    Row = dict[str, Any]
    Line = tuple[int, str, list[tuple[int, int]] | None]


EVERYTHING = "**/*"


def for_each(
    session: Session, request: Any, in_file: Callable[[str], Any], in_many: Callable[[str, list[str]], Any]
) -> Iterator[Any]:
    """What is found for each argument. A glob that means no file is an error, a folder without any only if all are.

    `in_many` is told what to exclude, too: if there is an encoding, the files that have it are left to `in_file`.
    """
    excluded, nothing = Excluded(request.exclude), list[NoFilesMatched]()
    paths = list(dict.fromkeys(request.paths)) or [EVERYTHING]
    targets = [_target(session, path) for path in paths]  # a name that does not exist is told before any search
    outright = [f"/{literally(each.path)}" for each in targets if each is not None and not _is_folder(each)]
    if request.encoding is not None and not outright:
        problem = "is that of files that are named outright; name them, instead of folders and globs"
        raise InvalidArguments(problems=[{"argument": "encoding", "problem": problem}])
    others = [*request.exclude, *(outright if request.encoding is not None else ())]
    for path, target in zip(paths, targets, strict=True):
        if target is not None and not _is_folder(target):
            if not _is_excluded(excluded, target.path):
                session.progress(1, 0)
                yield in_file(path)
            continue
        glob = path if target is None else f"{literally(target.name)}/{EVERYTHING}" if target.path else EVERYTHING
        try:
            yield in_many(glob, others)
        except NoFilesMatched as error:
            if target is None:
                _check_any(session, request, glob)
            nothing.append(error)
    if len(nothing) == len(paths):
        raise nothing[0]


def _check_any(session: Session, request: Any, glob: str) -> None:
    """Refuse a glob that means no file, not even one that is named outright besides."""
    _, runs = session.runs(glob, request.exclude, include_ignored=request.include_ignored)
    next(iter(runs), None)


def _target(session: Session, path: str) -> Target | None:
    """What stands under this very name; None if nothing does and it may be a glob."""
    may_be_glob = not WILD.isdisjoint(path)
    try:
        target = session.locate(path, folders=True)
    except SutureError:
        if may_be_glob:
            return None  # whatever is wrong with it is told of the glob
        raise
    if target.stat is not None:
        return target
    if not may_be_glob:
        session.read(path)  # tells that there is none, and what was perhaps meant
    return None


def _is_folder(target: Target) -> bool:
    return target.stat is not None and target.stat.kind == "folder"


def _is_excluded(excluded: Excluded, path: str) -> bool:
    *folders, name = path.split("/")
    above = ["".join(f"{each}/" for each in folders[:depth]) for depth in range(len(folders) + 1)]
    inside = any(excluded.folders([each], prefix) for each, prefix in zip(folders, above, strict=False))
    return inside or bool(excluded.files([name], above[-1]))


def taken(request: Any, names: Iterable[str], **more: object) -> dict[str, object]:
    """Some arguments of a request, for the request of a tool."""
    return {**{name: getattr(request, name) for name in names}, **more}


def grouped(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of each file."""
    result: dict[str, list[Row]] = {}
    for row in rows:
        result.setdefault(row["file"], []).append(row)
    return result


_SHARED = ("pattern", "flags", "max_matches")


class Search(Request):
    """Arguments of `search`."""

    paths: list[str] = paths()
    pattern: str = pattern()
    flags: str | None = flags()
    context_before: int = lines("Lines to show before each match")
    context_after: int = lines("Lines to show after each match")
    max_matches: int | None = limit("At most so many matches in all files together; all if left out")
    exclude: list[str] = exclude()
    include_ignored: bool = include_ignored()
    encoding: str | None = encoding("files that are named themselves, not by a folder or a glob")
    view: str = text(
        "The matches; the lines that they stand in; the number of them in each file; or the files that have any",
        default="rows",
        choices=("rows", "lines", "numbers", "names"),
    )


def search_named(session: Session, request: Search) -> Answer:
    """The matches in what the arguments name, or what the view makes of them."""
    names = (*_SHARED, "context_before", "context_after") if request.view == "rows" else _SHARED
    view = "rows" if request.view == "lines" else request.view
    outright, binary = set[str](), list[str]()

    def named(path: str) -> list[tuple[str, list[str]]]:
        given = taken(request, (*names, "encoding"), file_path=path)
        name, found = in_file(session, RegexSearch.parse(given), view)
        outright.add(name)
        if found is None:
            binary.append(name)
        return [(name, found)] if found else []

    def meant(glob: str, exclude: list[str]) -> list[tuple[str, list[str]]]:
        given = taken(request, (*names, "include_ignored"), path_pattern=glob, exclude=exclude)
        return in_many(session, RegexSearchMulti.parse(given), view)

    by_file: dict[str, list[str]] = {}
    for found in for_each(session, request, named, meant):
        for name, own in found:
            by_file.setdefault(name, own)
    data: dict[str, Any] = {"binary": binary} if binary else {}
    cut = _cut(by_file, request.max_matches)
    if request.view == "rows":
        return joined((row for own in cut.values() for row in own), data)
    if request.view == "lines":
        around = request.context_before, request.context_after
        known = {name: request.encoding if name in outright else None for name in cut}
        files = [_file(session, name, known[name], joined(own).made_rows(), *around) for name, own in cut.items()]
    else:
        files = [{"path": name, "matches": len(own)} for name, own in cut.items()]
    return Answer("", {"files": files, **data}, verbatim=True)


def _cut(by_file: dict[str, list[str]], most: int | None) -> dict[str, list[str]]:
    """The matches, sorted by file, as many as asked for."""
    result, left = dict[str, list[str]](), most
    for name in sorted(by_file):
        own = by_file[name][:left]
        if own:
            result[name] = own
        if left is not None:
            left -= len(own)
    return result


def _file(
    session: Session, name: str, encoding: str | None, rows: list[Row], before: int, after: int
) -> dict[str, Any]:
    """A file's lines that hold matches, each with what matches in it, and the lines around them."""
    try:
        subject = Subject(session.read(name, encoding).text)
    except SutureError:  # it has vanished since
        return _alone(name, rows)
    numbers, contents = subject.text.lines, dict[int, str]()
    spans: dict[int, list[tuple[int, int]]] = {}
    line_end = "\r" if numbers.style() == "cr" else "\n"
    for row in rows:
        pieces = row["match"].removesuffix(line_end).split(line_end)
        first, last = row["line"], row["line"] + len(pieces) - 1
        for number in range(max(first - before, 1), min(last + after, len(numbers)) + 1):
            if number not in contents:
                contents[number] = subject.readable(numbers.content(number))
        for number, piece in enumerate(pieces, first):
            start = row["column"] if number == first else 0
            there = contents.setdefault(number, "")[start : start + len(piece)]
            if there not in {piece, piece.removesuffix("\r")}:
                return _alone(name, rows)  # it has changed since
            spans.setdefault(number, []).append((start, start + len(piece)))
    lines: list[Line] = [(number, contents[number], spans.get(number)) for number in sorted(contents)]
    return {"path": name, "matches": len(rows), "lines": lines}


def _alone(name: str, rows: list[Row]) -> dict[str, Any]:
    """The matches without the lines that they stood in."""
    starts = [(row["line"], row["match"].partition("\n")[0]) for row in rows]
    lines: list[Line] = [(number, start, [(0, len(start))]) for number, start in starts]
    return {"path": name, "matches": len(rows), "lines": lines}


SEARCH = ToolSpec(
    name="search",
    title="Search",
    description="The matches of a regular expression in files, folders and globs.",
    request=Search,
    examples=(),
    read=search_named,
    explain=explain_several,
)


_REPLACE_SHARED = ("pattern", "flags", "replacement", "max_replacements", "allow_over_match")


class Replace(Request):
    """Arguments of `replace`."""

    paths: list[str] = paths()
    pattern: str = pattern()
    replacement: str = text(
        "What each match becomes: $1 and ${name} are groups, $& is the match, $$ a dollar sign; for a line break, use "
        "the shell's: $'one\\ntwo'"
    )
    flags: str | None = flags()
    dry_run: bool = dry_run()
    max_replacements: int | None = limit("Refuse if there are more matches in all files together, and change nothing")
    exclude: list[str] = exclude()
    include_ignored: bool = include_ignored()
    allow_over_match: bool = flag("Replace a match of more than 50 lines although it holds another match")
    encoding: str | None = encoding("files that are named themselves, not by a folder or a glob")
    validate: str = validate()
    view: str = text("The replacements, or the diff, too", default="rows", choices=("rows", "diff"))


def plan_replace_named(session: Session, request: Replace) -> Proposal:
    """Plan the replacements in what the arguments name, as one change."""
    from suture.tools.outcome import plan_diff  # a search needs none of it
    from suture.tools.replace import RegexReplace, RegexReplaceMulti, plan_replace, plan_replace_multi

    binary: list[str] = []

    def in_file(path: str) -> Proposal:
        given = RegexReplace.parse(taken(request, (*_REPLACE_SHARED, "encoding"), file_path=path))
        proposal = plan_replace(session, given)
        if not proposal.plan.changes:
            before, text = opened(session, given)
            binary.extend([before.place.name] if text is None else [])
        return proposal

    def in_many(glob: str, exclude: list[str]) -> Proposal:
        given = taken(request, (*_REPLACE_SHARED, "include_ignored"), path_pattern=glob, exclude=exclude)
        return plan_replace_multi(session, RegexReplaceMulti.parse(given))

    rows: dict[str, list[Row]] = {}
    changes: dict[str, FileChange] = {}
    for proposal in for_each(session, request, in_file, in_many):
        for name, own in grouped(proposal.describe(None).made_rows()).items():
            rows.setdefault(name, own)
        for change in proposal.plan.changes:
            changes.setdefault(change.place.name, change)
    made = [row for name in sorted(rows) for row in rows[name]]
    _check_number(session, request, len(made))
    places = f"{len(made)} match{'es' * (len(made) != 1)}"
    summary = f"replace {places} of {request.pattern:.60} in {' '.join(request.paths) or EVERYTHING:.200}"
    plan = Plan(tuple(changes[name] for name in sorted(changes)), "regex_replace_multi", summary)

    def describe(change: Change | None) -> Answer:
        changed = [each for each in plan.changes if isinstance(each, Update) and not each.same_content]
        files = [{"path": each.place.name, "hash": each.after.digest} for each in changed]
        data: dict[str, Any] = {"change_id": None if change is None else change.id, "files": files}
        data.update({"binary": binary} if binary else {})
        return listed(made, data if request.view == "rows" else {**data, "diff": plan_diff(changed)})

    return Proposal(plan, describe)


def _check_number(session: Session, request: Replace, number: int) -> None:
    """Hold all together to the limits that each argument was held to."""
    asked, setting = request.max_replacements, session.settings.max_replacements
    most = setting if asked is None else min(asked, setting)
    if number > most:
        raise TooManyReplacements(found=number, limit=most, setting=None if most == asked else "max_replacements")


REPLACE = ToolSpec(
    name="replace",
    title="Replace",
    description="Replace the matches of a regular expression in files, folders and globs, as one change.",
    request=Replace,
    examples=(),
    plan=plan_replace_named,
    explain=explain_several,
)
