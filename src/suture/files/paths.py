"""Resolve paths without leaving the root, and suggest files that a missing path may mean.

A path is resolved one name at a time. Symbolic links are read and followed here, never by the
kernel: a relative target continues from the link's folder, an absolute one must be inside a root,
and `..` never goes above the root. The result is a path of plain names that `Tree` opens without
following links, so a swap after this point fails instead of escaping.

Paths are literal: no percent-decoding, no `~`, no drive letters.
"""

from __future__ import annotations

from suture.errors import (
    FileNotFound,
    InvalidPath,
    NotAFile,
    NotAFolder,
    PathOutsideWorkspace,
    PermissionDenied,
    ProtectedPath,
    SutureError,
)
from suture.files.fs import split
from suture.files.protected import OWN, OWN_FOLDER, OWN_PREFIX, fold, folded_names, is_own
from suture.plan import Place
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from suture.files.fs import Stat, Tree
    from suture.files.protected import Guard

INTENT_NAME = OWN_FOLDER + "/intent"
"""The intent of a transaction, relative to the workspace root."""
PLAIN_INTENT_NAME = OWN_PREFIX + "intent"
"""Where it is if the folder is somebody else's, and was in 0.1.0."""

_MAX_LINKS = 40  # in one path, as on Linux
_MAX_NAMES = 256  # in one path: each costs a system call
_MAX_NAME_BYTES = 255  # bytes, as on most file systems
_MAX_SHOWN_CHARS = 80  # characters of a path that a message shows: a model pays for each
_BIDI = {0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}
"""Controls that change the order in which a name is shown."""

_MAX_SIMILAR_NAMES = 3  # names similar to a missing one: more would not help to choose
_MAX_RANKED_PATHS = 2_000  # files with the name of a missing one: bounds the time, if all are called `index.js`
_MAX_COMPARED_NAMES = 2_000  # names in one folder: each is compared with the missing one


class Target(Record):
    """A resolved path argument: `path` is relative to the root with number `root` and contains no link."""

    requested: str
    root: int
    path: str
    name: str
    """The path as results show it: relative to the workspace root, absolute under an extra one."""
    stat: Stat | None
    """What is there; None if a file can be created there."""
    missing: str = ""
    """The part of the path that does not exist yet."""
    by_link: bool = False
    """Whether the path itself is a symbolic link."""

    @property
    def place(self) -> Place:
        """The place that the target names."""
        return Place(self.root, self.path, self.name)


class Resolver:
    """Turns path arguments into targets inside the given trees."""

    def __init__(self, trees: Sequence[Tree], guard: Guard) -> None:
        self._trees = trees
        self._guard = guard
        self._roots: list[tuple[int, list[str]]] = []

    def resolve(self, requested: str, *, folders: bool = False) -> Target:
        """The file that `requested` names, existing or new; with `folders`, also a folder."""
        check_sane(requested)
        start = self._split_root(requested) if requested.startswith("/") else (0, _names(requested))
        if start is None:
            raise PathOutsideWorkspace(path=requested, reason="it is not below the workspace root")
        root, names = start
        self._check_protected(requested, "/".join(names))
        path, queue = self._start(root, names)
        stat = None if queue else self._trees[root].stat(path)
        links, by_link = 0, False
        while queue:
            name = queue.pop()
            if stat is not None and stat.kind != "folder":
                raise NotAFolder(path=requested, folder=path)
            if not name:  # a trailing slash asks for a folder, and this is one
                continue
            if name == "..":
                if not path:
                    raise PathOutsideWorkspace(path=requested, reason="it climbs above the workspace root")
                path = split(path)[0]
                stat = self._trees[root].stat(path)
                continue
            path = f"{path}/{name}" if path else name
            stat = self._trees[root].stat(path)
            if stat is None:
                return self._missing_target(requested, root, path, queue[::-1], by_link=by_link)
            if stat.kind == "link":
                by_link = by_link or not any(queue)
                links += 1
                root, path, names = self._follow(requested, root, path, links)
                queue += names[::-1]
                stat = self._trees[root].stat(path)
        self._check_protected(requested, path)
        if stat is None or (stat.kind != "file" and not (folders and stat.kind == "folder")):
            kind = "folder" if stat is None else stat.kind
            raise NotAFile(path=requested, kind=kind)
        return Target(requested, root, path, display_path(self._trees, root, path), stat, "", by_link)

    def _start(self, root: int, names: list[str]) -> tuple[str, list[str]]:
        """Where to start, and the remaining names, reversed. An open folder was reached without links: start there."""
        folder = "/".join(names[:-1])
        if folder and names[-1] not in {"", ".."} and self._trees[root].is_open(folder):
            return folder, names[-1:]
        return "", names[::-1]

    def _follow(self, requested: str, root: int, path: str, links: int) -> tuple[int, str, list[str]]:
        if links > _MAX_LINKS:
            raise PathOutsideWorkspace(path=requested, reason="its symbolic links form a loop")
        aim = self._trees[root].read_link(path)
        if not aim.startswith("/"):
            return root, split(path)[0], _names(aim)
        inside = self._split_root(aim)
        if inside is None:
            raise PathOutsideWorkspace(path=requested, reason=f"the symbolic link {path} leads outside")
        return inside[0], "", inside[1]

    def _split_root(self, absolute: str) -> tuple[int, list[str]] | None:
        """The root that contains an absolute path, as written or with links resolved, and the rest of the path."""
        names, written = _names(absolute), _names(self._trees[0].root)
        if len(self._trees) == 1 and names[: len(written)] == written:  # the common case: no link to resolve
            return 0, names[len(written) :]
        self._roots = self._roots or _root_paths(self._trees)
        return self._match_root(names) or self._match_root(_names(self._trees[0].fs.real_path(absolute)))

    def _match_root(self, names: list[str]) -> tuple[int, list[str]] | None:
        for index, root in self._roots:
            if names[: len(root)] == root:
                return index, names[len(root) :]
        return None

    def _missing_target(self, requested: str, root: int, path: str, rest: list[str], *, by_link: bool) -> Target:
        if ".." in rest or (rest and not rest[-1]):
            raise FileNotFound(path=requested, near=[])
        folder, name = split(path)
        missing = "/".join((name, *rest))
        _check_lengths(requested, missing)  # a link may have led here
        path = f"{folder}/{missing}" if folder else missing
        self._check_protected(requested, path)
        return Target(requested, root, path, display_path(self._trees, root, path), None, missing, by_link)

    def _check_protected(self, requested: str, path: str) -> None:
        rule = self._guard.rule(path)
        if rule is not None:
            raise ProtectedPath(path=requested, rule=rule, used_by="suture" if rule in OWN else "machine")


def has_intent(tree: Tree) -> bool:
    """Whether a transaction is running in a root, or was interrupted."""
    if tree.stat(PLAIN_INTENT_NAME) is not None:
        return True
    folder = tree.stat(OWN_FOLDER)
    if folder is None or folder.kind != "folder":
        return False
    try:
        return tree.stat(INTENT_NAME) is not None
    except PermissionDenied:  # of another user, so it may contain one
        return True
    except SutureError:  # somebody replaced the folder
        return False


def display_path(trees: Sequence[Tree], root: int, path: str) -> str:
    """A path as results and the history name it."""
    return path if root == 0 else f"{trees[root].root.rstrip('/')}/{path}"


def check_new_name(target: Target) -> None:
    """Refuse names that a new file should not have. Existing files may have them."""
    new = target.missing
    for char in new:
        point = ord(char)
        if point < 0x20 or 0x7F <= point < 0xA0 or point in _BIDI or 0xD800 <= point < 0xE000:  # noqa: PLR2004  Unicode's ranges
            raise InvalidPath(path=target.requested, reason=f"a new name may not contain U+{point:04X}")
    if "\\" in new:
        raise InvalidPath(path=target.requested, reason="folders are separated by /, not by a backslash")
    if target.path.startswith("~"):
        raise InvalidPath(path=target.requested, reason="~ is not expanded")


def check_sane(requested: str) -> None:
    """Refuse what cannot be a path: empty, too long, too deep, or with a NUL or a lone surrogate."""
    if not requested:
        raise InvalidPath(path=requested, reason="it is empty")
    if "\0" in requested:
        raise InvalidPath(path=requested, reason="it contains a NUL byte")
    if requested.count("/") > _MAX_NAMES:
        raise InvalidPath(path=requested[:_MAX_SHOWN_CHARS] + "…", reason="it is too deep")
    try:
        requested.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise InvalidPath(path=ascii(requested), reason="it contains a lone surrogate") from None
    _check_lengths(requested, requested)


def find_similar(tree: Tree, path: str) -> list[str]:
    """Existing paths similar to a missing one: in a folder with a similar name, or with a similar file name."""
    from difflib import get_close_matches  # only a failure needs it

    folder, name = split(path)
    while folder and tree.stat(folder) is None:
        folder = split(folder)[0]
    try:
        names = [name for name in tree.names(folder) if not is_own(name)][:_MAX_COMPARED_NAMES]
    except PermissionDenied:
        return []
    prefix = f"{folder}/" if folder else ""
    missing, _, below = path.removeprefix(prefix).partition("/")
    paths = [f"{prefix}{similar}/{below}" for similar in get_close_matches(missing, names, _MAX_SIMILAR_NAMES) if below]
    paths = [path for path in paths if _is_file(tree, path)]
    paths += [f"{prefix}{similar}" for similar in get_close_matches(name, names, _MAX_SIMILAR_NAMES)]
    return paths[:_MAX_SIMILAR_NAMES]


def find_same(tree: Tree, path: str) -> list[str]:
    """Existing paths in the folder of a missing one that differ from it only in case or Unicode normalization."""
    folder, name = split(path)
    try:
        names = tree.names(folder)
    except SutureError:  # there is no such folder
        return []
    folded = fold(name)
    return [f"{folder}/{other}" if folder else other for other in names if fold(other) == folded]


def rank_same_named(path: str, others: Iterable[str]) -> list[str]:
    """Files with the name of a missing one, best first.

    A name that differs in case or Unicode normalization comes after those that are the same. Among equal names, those
    with more of the missing path's parent folders come first, then those with the most similar path.
    """
    from rapidfuzz.distance import OSA  # only a failure needs it

    name, parts = split(path)[1], folded_names(path)

    def distance(other: str) -> tuple[bool, int, int, str]:
        own = folded_names(other)
        same = next((at for at in range(min(len(own), len(parts))) if own[-1 - at] != parts[-1 - at]), len(own))
        return split(other)[1] != name, -same, OSA.distance("/".join(parts), "/".join(own)), other

    return sorted(list(others)[:_MAX_RANKED_PATHS], key=distance)


def _check_lengths(requested: str, path: str) -> None:
    raw = path.encode("utf-8", "surrogateescape")
    if len(raw) > _MAX_NAME_BYTES and any(len(name) > _MAX_NAME_BYTES for name in raw.split(b"/")):
        raise InvalidPath(path=requested[:_MAX_SHOWN_CHARS] + "…", reason="a name in it is too long")


def _names(path: str) -> list[str]:
    """The parts of a path; an empty last one stands for a trailing slash."""
    parts = path.split("/")
    names = [part for part in parts if part not in {"", "."}]
    return [*names, ""] if names and parts[-1] in {"", "."} else names


def _root_paths(trees: Sequence[Tree]) -> list[tuple[int, list[str]]]:
    """The roots' paths, as given and with links resolved. Longest first: a root may contain another."""
    paths = {(index, path) for index, tree in enumerate(trees) for path in (tree.root, tree.fs.real_path(tree.root))}
    return sorted(((index, _names(path)) for index, path in paths), key=lambda pair: -len(pair[1]))


def _is_file(tree: Tree, path: str) -> bool:
    try:
        stat = tree.stat(path)
    except SutureError:
        return False
    return stat is not None and stat.kind == "file"
