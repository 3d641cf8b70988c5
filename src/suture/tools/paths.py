"""The argument `paths` of the commands that work on files named one by one: `search`, `replace` and `check`.

A path is a file, a folder (all below it) or a glob; what exists under that very name is meant before a glob is, since
shells hand over names such as `[id].tsx`. A file is looked at even if `.gitignore` names it.

Rejected: one glob `{a,b}` made of all. Links and ignored folders that it names would not be followed, and a name that
does not exist would go unnoticed.
"""

from __future__ import annotations

from suture.errors import InvalidArguments, NoFilesMatched, SutureError
from suture.files.glob import WILD, Excluded, literally

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeVar

    from suture.engine.session import Session
    from suture.files.paths import Target

    T = TypeVar("T")


EVERYTHING = "**/*"


def visit_paths(
    session: Session, request: Any, in_file: Callable[[str], T], in_glob: Callable[[str, list[str]], T]
) -> Iterator[T]:
    """What is found for each path. A glob that names no file is an error, a folder without any only if all are.

    `in_glob` also gets what to exclude: if there is an encoding, the files that have it are left to `in_file`.
    """
    excluded, nothing = Excluded(request.exclude), list[NoFilesMatched]()
    paths = list(dict.fromkeys(request.paths)) or [EVERYTHING]
    targets = [_target(session, path) for path in paths]  # a name that does not exist is reported before any search
    outright = [f"/{literally(target.path)}" for target in targets if target is not None and not _is_folder(target)]
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
            yield in_glob(glob, others)
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
    """What has exactly this name; None if nothing has and it may be a glob."""
    may_be_glob = not WILD.isdisjoint(path)
    try:
        target = session.locate(path, folders=True)
    except SutureError:
        if may_be_glob:
            return None  # whatever is wrong with it is reported for the glob
        raise
    if target.stat is not None:
        return target
    if not may_be_glob:
        session.read(path)  # raises, and says which file may be meant
    return None


def _is_folder(target: Target) -> bool:
    return target.stat is not None and target.stat.kind == "folder"


def _is_excluded(excluded: Excluded, path: str) -> bool:
    *folders, name = path.split("/")
    above = ["".join(f"{folder}/" for folder in folders[:depth]) for depth in range(len(folders) + 1)]
    inside = any(excluded.folders([folder], prefix) for folder, prefix in zip(folders, above, strict=False))
    return inside or bool(excluded.files([name], above[-1]))
