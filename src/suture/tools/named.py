"""What the command line names: several files, folders and globs, where the tools take one.

An argument is a file, a folder (all below it) or a glob; what exists under that very name is meant before a glob is,
since shells hand over names such as `[id].tsx`. A file is looked at even if `.gitignore` names it.

Rejected: one glob `{a,b}` made of all. Links and ignored folders that it names would not be followed, and a name that
does not exist would go unnoticed.
"""

from __future__ import annotations

from suture.errors import NoFilesMatched, SutureError
from suture.files.globs import Excluded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from suture.engine import Session
    from suture.files.paths import Target

    Row = dict[str, Any]

EVERYTHING = "**/*"
_WILD = frozenset("*?[]{}\\,")


def for_each(
    session: Session, request: Any, in_file: Callable[[str], Any], in_many: Callable[[str], Any]
) -> Iterator[Any]:
    """What is found for each argument. Only if none of them names any file is that an error."""
    excluded, nothing = Excluded(request.exclude), list[NoFilesMatched]()
    paths = list(dict.fromkeys(request.paths)) or [EVERYTHING]
    for path in paths:
        target = _target(session, path)
        if target is None:
            glob = path
        elif target.stat is not None and target.stat.kind == "folder":
            glob = "/".join(["".join(f"\\{char}" if char in _WILD else char for char in target.name), EVERYTHING])
            glob = glob if target.path else EVERYTHING
        else:
            if not _is_excluded(excluded, target.path):
                session.progress(1, 0)
                yield in_file(path)
            continue
        try:
            yield in_many(glob)
        except NoFilesMatched as error:
            nothing.append(error)
    if len(nothing) == len(paths):
        raise nothing[0]


def _target(session: Session, path: str) -> Target | None:
    """What stands under this very name; None if nothing does and it may be a glob."""
    may_be_glob = not _WILD.isdisjoint(path)
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
