r"""Globs: which files a path pattern and its excludes mean.

    path     := name ("/" name)*     from the root on; a trailing "/" stands for "/**"
    name     := "**" | (char | "*" | "?" | "[…]" | "{" path ("," path)* "}" | "\" char)*

`**` stands for any number of folders, at the end for everything below. A hidden name fits only where the pattern
itself writes its dot. `.git` and what suture keeps for itself fit nothing.

An exclude without a slash is a name anywhere, otherwise a path from the root on; it fits hidden names too, and a
folder that it fits is excluded with everything below.

A pattern is followed folder by folder: a `Stage` is where that stands, and knows which folders lead nowhere.
"""

from __future__ import annotations

from suture.errors import PathOutsideWorkspace
from suture.errors.patterns import InvalidGlob
from suture.files.protected import OWN_PREFIX
from suture.files.wildcards import ANY, CHAR, FOLDERS, SLASH, STARS, Fits, Malformed, bracket, source_of, tokens
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

WILD = frozenset("*?[]{}\\,")
"""What means more than itself in a pattern."""
MAX_LENGTH = 4096
MAX_ALTERNATIVES = 1000
MAX_EXPANDED = 100_000
_FEW = 8  # so many ends of names are compared one by one


class _Name(Record):
    """One part of a path pattern. `text` is what a part without wildcards stands for, else None."""

    source: str
    text: str | None
    tail: str | None
    """What the name must end with, if that is all."""
    hidden: bool
    """Whether the dot of a hidden name is written out."""
    fits: Fits

    def has(self, name: str) -> bool:
        """Whether a name fits."""
        if self.text is not None:
            return name == self.text
        if name.startswith(".") and not self.hidden:
            return False
        return bool(self.fits.among((name,)))


_Route = tuple["_Name | None", ...]  # None is any number of folders; the last is a name


class Selection:
    """Which files a path_pattern and its excludes mean, below one root."""

    def __init__(self, routes: Sequence[_Route], excluded: Excluded) -> None:
        self.excluded = excluded
        self.start = _Stages(routes).at(frozenset((number, 0) for number in range(len(routes))))
        """Where a walk stands in the root."""
        names = _common([_literal(route) for route in routes])
        self.literal = len(routes) == 1 and len(names) == len(routes[0])
        """Whether there is no wildcard at all: it names one file."""
        self.path = "/".join(names) if self.literal else ""
        """That file."""
        self.base = "/".join(names[: min(len(route) for route in routes) - 1])
        """The folder that no wildcard stands in, '' for the root."""

    @classmethod
    def parse(cls, pattern: str, exclude: Iterable[str] = ()) -> Selection:
        """Read a pattern that is relative to the root."""
        routes = [_route(pattern, each) for each in dict.fromkeys(_expanded(pattern))]
        return cls(routes, Excluded(exclude))


class Stage:
    """Where a pattern stands in one folder."""

    def __init__(self, stages: _Stages, at: frozenset[tuple[int, int]]) -> None:
        self._stages = stages
        self._stay: set[tuple[int, int]] = set()
        self._steps: list[tuple[_Name, tuple[int, int]]] = []
        last: list[_Name] = []
        for number, index in at:
            name = stages.routes[number][index]
            if name is None:
                self._stay.add((number, index))
            elif index + 1 == len(stages.routes[number]):
                last.append(name)
            else:
                self._steps.append((name, (number, index + 1)))
        self._onward: Stage | None = None
        self._all = any(name.source == ANY for name in last)
        self._texts = {name.text for name in last if name.text is not None}
        tails = {name.tail for name in last if name.tail is not None}
        self._tails = tuple(tails) if len(tails) <= _FEW else ()
        wild = [name for name in last if name.text is None and name.tail not in self._tails]
        self._fits = Fits(name.source for name in wild if not name.hidden)
        self._hidden = any(name.hidden for name in last)
        self._hidden_fits = Fits(name.source for name in wild if name.hidden)

    def files(self, names: Collection[str]) -> list[str]:
        """Those of a folder's files that are meant."""
        shown = [name for name in names if name[0] != "."]
        if not self._all:
            wanted, tails = self._fits.among(shown) | self._texts, self._tails
            shown = [name for name in shown if name.endswith(tails) or name in wanted]
        if self._hidden:
            hidden = [name for name in names if name[0] == "." and not _never(name)]
            wanted = self._hidden_fits.among(hidden) | self._texts
            shown += [name for name in hidden if name in wanted]
        return shown

    def below(self, name: str) -> Stage | None:
        """Where the pattern stands in a folder of this one; None if it means no file there."""
        hidden = name[0] == "."
        if not self._steps:
            if hidden or not self._stay:
                return None
            if self._onward is None:
                self._onward = self._stages.at(frozenset(self._stay))
            return self._onward
        if hidden and _never(name):
            return None
        at = {step for part, step in self._steps if part.has(name)}
        at |= set() if hidden else self._stay
        return self._stages.at(frozenset(at)) if at else None


class _Stages:
    """The stages of some routes, each made once."""

    def __init__(self, routes: Sequence[_Route]) -> None:
        self.routes = routes
        self._known: dict[frozenset[tuple[int, int]], Stage] = {}

    def at(self, places: frozenset[tuple[int, int]]) -> Stage:
        """The stage for some places, each a route's number and an index in it."""
        stage = self._known.get(places)
        if stage is None:
            skipped = {(number, index + 1) for number, index in places if self.routes[number][index] is None}
            stage = self._known[places] = Stage(self, places | skipped)
        return stage


class Excluded:
    """What exclude patterns take away."""

    def __init__(self, patterns: Iterable[str]) -> None:
        found: dict[tuple[bool, bool], list[str]] = {}
        for pattern in patterns:
            for each in _expanded(pattern):
                source, whole, folders_only = _excluding(pattern, each)
                found.setdefault((whole, folders_only), []).append(source)
        names, paths = found.get((False, False), []), found.get((True, False), [])
        self._files = Fits(names, paths)
        self._folders = Fits(names + found.get((False, True), []), paths + found.get((True, True), []))
        self.nothing = not found
        """Whether there are none."""
        self.by_name = not any(whole for whole, _ in found)
        """Whether where a folder is makes no difference."""

    def files(self, names: Collection[str], prefix: str) -> set[str]:
        """Those of a folder's files that are excluded; `prefix` is the folder's path with a slash at its end."""
        return self._files.among(names, prefix)

    def folders(self, names: Collection[str], prefix: str) -> set[str]:
        """As `files`, for folders."""
        return self._folders.among(names, prefix)


def below_root(pattern: str, roots: Sequence[str]) -> tuple[int, str]:
    """The number of the root that a pattern lies under, the innermost, and the pattern from there on.

    A relative pattern belongs to the first root.
    """
    if not pattern.startswith("/"):
        return 0, pattern
    parts = _parts(pattern)
    ways = sorted(((_parts(root), number) for number, root in enumerate(roots)), key=lambda way: -len(way[0]))
    for way, number in ways:
        if parts[: len(way)] == way:
            rest = "/".join(parts[len(way) :])
            return number, f"{rest}/" if pattern.endswith("/") and rest else rest or "."
    raise PathOutsideWorkspace(path=pattern, reason="it is not below the workspace root")


def literally(path: str) -> str:
    """A path as a pattern that means just it."""
    return "".join(f"\\{char}" if char in WILD else char for char in path)


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in {"", "."}]


def _never(name: str) -> bool:
    """Whether a hidden name fits nothing."""
    folded = name.casefold()
    return folded == ".git" or folded.startswith(OWN_PREFIX)


def _expanded(pattern: str) -> list[str]:
    """A pattern's alternatives, without braces."""
    _check_sane(pattern)
    outer: list[tuple[list[str], list[str]]] = []  # of each open brace: what stands before it, its alternatives
    texts, start, at = [""], 0, 0
    while at < len(pattern):
        char = pattern[at]
        end = _end(pattern, at)
        if char == "{" or (char in ",}" and outer):
            texts = [text + pattern[start:at] for text in texts]
            start = end
            if char == "{":
                outer.append((texts, []))
            else:
                outer[-1][1].extend(texts)
            texts = [""]
            if char == "}":
                before, options = outer.pop()
                if len(before) * len(options) > MAX_ALTERNATIVES:
                    raise InvalidGlob(pattern=pattern, reason=f"it has more than {MAX_ALTERNATIVES} alternatives")
                texts = [first + then for first in before for then in options]
        at = end
    if outer:
        raise InvalidGlob(pattern=pattern, reason="a { is never closed")
    texts = [text + pattern[start:] for text in texts if text or pattern[start:]]
    if sum(map(len, texts)) > MAX_EXPANDED:
        raise InvalidGlob(pattern=pattern, reason=f"its alternatives have more than {MAX_EXPANDED} characters")
    if not texts:
        raise InvalidGlob(pattern=pattern, reason="it is empty")
    return texts


def _check_sane(pattern: str) -> None:
    if len(pattern) > MAX_LENGTH:
        raise InvalidGlob(pattern=pattern[:80] + "…", reason=f"it is longer than {MAX_LENGTH} characters")
    if "\0" in pattern:
        raise InvalidGlob(pattern=pattern, reason="it holds a NUL")


def _end(pattern: str, at: int) -> int:
    """Where the character, the escape or the set that begins at an offset ends."""
    if pattern[at] != "[":
        return at + 1 + (pattern[at] == "\\")
    try:
        return bracket(pattern, at)[1]
    except Malformed as error:
        raise InvalidGlob(pattern=pattern, reason=str(error)) from error


def _route(pattern: str, text: str) -> _Route:
    """A pattern without braces, name by name."""
    if text.startswith("/"):
        raise PathOutsideWorkspace(path=pattern, reason="it is not below the workspace root")
    names, open_end = _names(pattern, text)
    route: list[_Name | None] = []
    for name in [*names, None] if open_end else names:
        if name is not None or route[-1:] != [None]:
            route.append(name)
    return tuple(route) if route[-1] else (*route, _name([(STARS, "*")]))


def _names(pattern: str, text: str) -> tuple[list[_Name | None], bool]:
    """The names of a pattern without braces, None for `**`, and whether a slash stands at its end."""
    parts: list[list[tuple[str, str]]] = [[]]
    try:
        for kind, value in tokens(text):
            if kind == SLASH:
                parts.append([])
            else:
                parts[-1].append((kind, value))
    except Malformed as error:
        raise InvalidGlob(pattern=pattern, reason=str(error)) from error
    if [(CHAR, ".")] * 2 in parts:
        raise PathOutsideWorkspace(path=pattern, reason="it climbs by '..'")
    nothing: list[list[tuple[str, str]]] = [[], [(CHAR, ".")]]
    names = [
        None if len(part) == 1 and part[0][0] == STARS and len(part[0][1]) > 1 else _name(part)
        for part in parts
        if part not in nothing
    ]
    return names, parts[-1] in nothing


def _name(part: list[tuple[str, str]]) -> _Name:
    source = "".join(source_of(kind, value) for kind, value in part)
    literal = "".join(value for kind, value in part if kind == CHAR)
    plain = len(literal) == len(part)
    tail = literal if not plain and part[0][0] == STARS and len(literal) == len(part) - 1 else None
    return _Name(source, literal if plain else None, tail, part[0] == (CHAR, "."), Fits([source]))


def _literal(route: _Route) -> list[str]:
    """The names before the first with a wildcard."""
    names: list[str] = []
    for name in route:
        if name is None or name.text is None:
            break
        names.append(name.text)
    return names


def _common(lists: Sequence[list[str]]) -> list[str]:
    """What all lists begin with."""
    low, high = min(lists), max(lists)
    for index, name in enumerate(low):
        if high[index] != name:
            return low[:index]
    return low


def _excluding(pattern: str, text: str) -> tuple[str, bool, bool]:
    """An exclude without braces: in RE2's language, whether it is a path, and whether it fits folders only."""
    names, open_end = _names(pattern, text.removeprefix("/"))
    whole = "/" in text.rstrip("/")
    while names and names[-1] is None:
        names.pop()
        open_end = True
    if not names:
        return ANY, False, False
    parts = [FOLDERS if name is None else name.source + "/" for name in names]
    return "".join(parts)[:-1], whole, open_end
