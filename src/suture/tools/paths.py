"""The files that `search`, `replace` and `check` work on: their argument `paths`.

A path is a file, a folder (everything below it) or a glob. A file with exactly that name takes precedence over a glob,
since shells pass names such as `[id].tsx`. A file that is named is read even if `.gitignore` ignores it.

Rejected: combining all paths into one glob `{a,b}`. Links and ignored folders that are named would not be followed, and
a name that does not exist would go unnoticed.
"""

from __future__ import annotations

from suture.errors import InvalidArguments, NoFilesMatched, SutureError
from suture.files.glob import Excluded, escape, may_be_glob

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeVar

    from suture.engine.session import Session
    from suture.files.paths import Target
    from suture.tools.check import Check
    from suture.tools.replace import Replace
    from suture.tools.search import Search

    T = TypeVar("T")


EVERYTHING = "**/*"


def visit_paths(
    session: Session,
    request: Search | Replace | Check,
    in_file: Callable[[str], T],
    in_glob: Callable[[str, list[str]], T],
    encoding: str | None = None,
) -> Iterator[T]:
    """The result for each path. A glob that matches no file is an error; an empty folder only if no path has files.

    `in_glob` also gets what to exclude: with an encoding, the files that have it are left to `in_file`.
    """
    excluded, failures = Excluded(request.exclude), list[NoFilesMatched]()
    paths = list(dict.fromkeys(request.paths)) or [EVERYTHING]
    targets = [_target(session, path) for path in paths]  # a name that does not exist is reported before any search
    named_files = [f"/{escape(target.path)}" for target in targets if target is not None and not _is_folder(target)]
    if encoding is not None and not named_files:
        problem = "applies only to files that are named; name them instead of folders and globs"
        raise InvalidArguments.of("encoding", problem)
    others = [*request.exclude, *(named_files if encoding is not None else ())]
    for path, target in zip(paths, targets, strict=True):
        if target is not None and not _is_folder(target):
            if not _is_excluded(excluded, target.path):
                session.progress(1, 0)
                yield in_file(path)
            continue
        glob = path if target is None else f"{escape(target.name)}/{EVERYTHING}" if target.path else EVERYTHING
        try:
            yield in_glob(glob, others)
        except NoFilesMatched as error:
            if target is None:
                _check_any(session, request, glob)
            failures.append(error)
    if len(failures) == len(paths):
        raise failures[0]


def _check_any(session: Session, request: Search | Replace | Check, glob: str) -> None:
    """Refuse a glob that matches no file, not even one that is also named."""
    _, runs = session.runs(glob, request.exclude, include_ignored=request.include_ignored)
    next(iter(runs), None)


def _target(session: Session, path: str) -> Target | None:
    """The file or folder with exactly this name; None if there is none and the name may be a glob."""
    try:
        target = session.locate(path, folders=True)
    except SutureError:
        if may_be_glob(path):
            return None  # the glob reports what is wrong
        raise
    if target.stat is not None:
        return target
    if not may_be_glob(path):
        session.read(path)  # raises an error that suggests files
    return None


def _is_folder(target: Target) -> bool:
    return target.stat is not None and target.stat.kind == "folder"


def _is_excluded(excluded: Excluded, path: str) -> bool:
    *folders, name = path.split("/")
    above = ["".join(f"{folder}/" for folder in folders[:depth]) for depth in range(len(folders) + 1)]
    inside = any(excluded.folders([folder], prefix) for folder, prefix in zip(folders, above, strict=False))
    return inside or bool(excluded.files([name], above[-1]))
