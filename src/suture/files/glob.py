r"""Match names and paths with globs, excludes and .gitignore rules.

Wildcards:

    *  any number of characters    ?  one character    \  the next character as it is
    […]  one of these, [!…] and [^…] one of the others; ranges and [:digit:] and its like may occur in it

None of them matches a `/`. They are translated to RE2, so that every pattern takes linear time. All names of a folder
are searched in one call, because most match nothing: a call per name takes longer than reading the folder.

Rejected: `fnmatch`, which backtracks; RE2's `Set`, which silently finds nothing when it runs out of memory; `rignore`,
which walks a tree, but takes six times as long.

Globs:

    path     := name ("/" name)*     from the root on; a trailing "/" stands for "/**"
    name     := "**" | (char | "*" | "?" | "[…]" | braces | group | "\" char)*
    braces   := "{" path ("," path)* "}" | "{" from ".." to (".." step)? "}"     numbers or letters
    group    := ("@" | "?" | "*" | "+" | "!") "(" path ("|" path)* ")"

`**` matches any number of folders, and at the end everything below. A hidden name matches only if the pattern
contains its dot. `.git` and suture's own files never match.

Groups are those of bash and fast-glob: `@(a|b)` one of them, `?(a)` at most one, `*(a)` any number, `+(a)` at least
one, `!(a)` a text that is none of them. Only `@(…)` and `?(…)` may contain a slash. `!(…)` may contain texts that are
left out, texts with `*` at the beginning, or texts with `*` at the end; these are the sets whose complement is
a short expression, for RE2 knows no negation. Braces are expanded first, so `!({a,b})` would leave nothing out; it is
refused.

An exclude without a slash is a name anywhere, otherwise a path from the root on. It matches hidden names too; a
matching folder is excluded with everything below it.

A pattern is followed folder by folder: a `Stage` is what is left of it in one folder, and knows which folders to skip.

Rules of a .gitignore:

    # comment    !pattern: not ignored after all    pattern/: folders only
    pattern: a name, here or anywhere below    a/pattern, /pattern: a path from this folder on

The last rule that matches decides. `**` between slashes matches any number of folders. `\` makes the next character
literal, also `#`, `!` or a trailing space. Git compares bytes, so `?` is one byte here. A rule that git cannot read
matches nothing, as in git; here also one that is longer than any path.
"""

from __future__ import annotations

import os
import sys

from suture.errors import InvalidGlob, PathOutsideWorkspace
from suture.files.protected import is_own
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import Any

CHAR, ONE, STARS, SET, SLASH, GROUP, DOT_GROUP = "char", "one", "stars", "set", "slash", "group", "dot_group"
"""The kinds of token; a text in the last one may begin with a dot."""
ANY = r"[^\x00/]*"
"""Any part of a name, in RE2's syntax."""
FOLDERS = r"(?:[^\x00]*/)?"
"""Any number of folders."""
BELOW = r"[^\x00]*"
"""Any part of a path."""

_SYSTEM = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()
_LOSSLESS = "utf-8", "surrogatepass"
_ONE = r"[^\x00/]"
_NOTHING = r"[^\s\S]"
_RE2_MEMORY = 64 << 20  # bytes that RE2 may use for a pattern: as much as for a search
_MANY_STARS = 32  # expressions with a star in the middle, for which RE2 still builds a table
_MAX_PROGRAM_CHARS = 1 << 16  # of a program; RE2's memory allows many times as much
_CLASSES = {
    "alnum": "09AZaz",
    "alpha": "AZaz",
    "blank": "\t\t  ",
    "cntrl": "\x01\x1f\x7f\x7f",
    "digit": "09",
    "graph": "!~",
    "lower": "az",
    "print": " ~",
    "punct": "!/:@[`{~",
    "space": "\t\n\r\r  ",
    "upper": "AZ",
    "xdigit": "09AFaf",
}

WILD = frozenset("*?[]{}\\,(")
"""The characters with a special meaning in a pattern."""
_OUTSIDE_GROUPS = WILD - {"("}
MAX_LENGTH = 4096
"""Characters of a pattern: no path is longer."""
MAX_ALTERNATIVES = 1000
"""Patterns that braces may expand to: braces in a row multiply."""
MAX_EXPANDED = 100_000
"""Characters of all expanded patterns together: bounds the memory."""
_BRACE, _PAREN, _ONE_OF, _AT_MOST_ONE, _NONE_OF = "{", "(", "@(", "?(", "!("
_REPEATS = {_ONE_OF: "", _AT_MOST_ONE: "?", "*(": "*", "+(": "+"}
"""How a group's alternatives are repeated, in RE2's syntax."""
_GROUPS = (*_REPEATS, _NONE_OF)
_SEPARATORS = {_BRACE: ",", _ONE_OF: "|", _AT_MOST_ONE: "|"}
"""Between the alternatives of what is expanded."""
_EMPTY = "@()"
"""An empty alternative, so that the folder before it is not taken for all that is below it."""
_STEPS = 3  # parts of a range with a step
_MAX_GROUP_DEPTH = 20  # of groups in groups: each is a call
_MAX_NAME_CHARS = 255  # of a text that `!(…)` leaves out: no name is longer; bounds the depth of the expression
_FEW_ENDINGS = 8  # of names, up to which they are compared one by one instead of by RE2

_Route = tuple["_Name | None", ...]  # None is any number of folders; the last part is a name

_BOM = b"\xef\xbb\xbf"
_SPECIAL = "*?[\\"
_MAX_RULE_BYTES = 4096  # bytes of a rule in a .gitignore: no path is longer


class Malformed(ValueError):
    """An invalid pattern; the message says why."""


class NameMatcher:
    """Finds the names that match one of several expressions.

    `names` are expressions for a name, `paths` for a path from some folder on, all in RE2's syntax. With `raw` they
    match bytes, otherwise characters; an undecodable byte counts as a character.
    """

    def __init__(self, names: Iterable[str] = (), paths: Iterable[str] = (), *, raw: bool = False) -> None:
        self._names, self._paths = list(dict.fromkeys(names)), list(dict.fromkeys(paths))
        self._raw = raw
        self._programs: list[Any] | None = None if self._names or self._paths else []
        self._unanchored: Any = None

    def _prepare(self) -> list[Any]:
        sources = [(source, False) for source in self._names] + [(source, True) for source in self._paths]
        chunks: list[list[tuple[str, bool]]] = []
        hard = size = 0
        for source, whole in sources:
            hard += source.removeprefix(FOLDERS).rfind("*") >= len(ANY)
            size += len(source)
            if not chunks or hard > _MANY_STARS or size > _MAX_PROGRAM_CHARS:
                chunks.append([])
                hard = size = 0
            chunks[-1].append((source, whole))
        return [self._compile(chunk) for chunk in chunks]

    def _compile(self, sources: list[tuple[str, bool]]) -> Any:
        """A function that searches for these expressions."""
        from re2 import _re2  # only walks need it

        self._unanchored = _re2.RE2.Anchor.UNANCHORED
        options = _re2.RE2.Options()
        encoding = _re2.RE2.Options.Encoding
        options.encoding = encoding.LATIN1 if self._raw else encoding.UTF8
        options.log_errors = False
        options.never_capture = True
        options.max_mem = _RE2_MEMORY
        names, paths = ("|".join(source for source, whole in sources if whole is wanted) for wanted in (False, True))
        parts = [f"{FOLDERS}(?:{names})" if self._paths else names] * bool(names) + [paths] * bool(paths)
        program = _re2.RE2(rf"\x00(?:{'|'.join(parts)})\x00".encode(), options)
        if not program.ok():  # it would silently match nothing
            raise ValueError(program.error())
        return program.Match

    def among(self, names: Collection[str], prefix: str = "", joined: str | None = None) -> set[str]:
        """The names of a folder that match; `prefix` is the folder's path with a trailing slash.

        A caller that asks several matchers about the same names can pass them `joined`.
        """
        if self._programs is None:
            self._programs = self._prepare()
        if not names or not self._programs:
            return set()
        lead = "\0" + prefix if self._paths else "\0"
        encoding = _SYSTEM if self._raw else _LOSSLESS
        data = (join(names, lead) if joined is None or self._paths else joined).encode(*encoding)
        matches: list[bytes] = []
        for match in self._programs:
            start, end = match(self._unanchored, data, 0, len(data))[0]
            while end > 0:
                matches.append(data[start:end])
                start, end = match(self._unanchored, data, end - 1, len(data))[0]
        return {hit.decode(*encoding)[len(lead) : -1] for hit in matches} if matches else set()


class Selection:
    """The files that a path_pattern and its excludes select below one root."""

    def __init__(self, routes: Sequence[_Route], excluded: Excluded) -> None:
        self.excluded = excluded
        self.start = _Stages(routes).at(frozenset((number, 0) for number in range(len(routes))))
        """The stage of the root, where a walk begins."""
        names = _common([_literal(route) for route in routes])
        self.literal = len(routes) == 1 and len(names) == len(routes[0])
        """Whether the pattern has no wildcard: it names one file."""
        self.path = "/".join(names) if self.literal else ""
        """That file."""
        self.base = "/".join(names[: min(len(route) for route in routes) - 1])
        """The folder above the first wildcard, '' for the root."""

    @classmethod
    def parse(cls, pattern: str, exclude: Iterable[str] = ()) -> Selection:
        """Parse a pattern relative to the root."""
        routes = [_route(pattern, path) for path in dict.fromkeys(_expand(pattern))]
        return cls(routes, Excluded(exclude))


class Stage:
    """What is left of a pattern in one folder."""

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
        self._tails = tuple(tails) if len(tails) <= _FEW_ENDINGS else ()
        wild = [name for name in last if name.text is None and name.tail not in self._tails]
        self._matcher = NameMatcher(name.source for name in wild if not name.hidden)
        self._hidden = any(name.hidden for name in last)
        self._hidden_matcher = NameMatcher(name.source for name in wild if name.hidden)

    def files(self, names: Collection[str]) -> list[str]:
        """The files of a folder that match."""
        shown = [name for name in names if name[0] != "."]
        if not self._all:
            wanted, tails = self._matcher.among(shown) | self._texts, self._tails
            shown = [name for name in shown if name.endswith(tails) or name in wanted]
        if self._hidden:
            hidden = [name for name in names if name[0] == "." and not _is_never_matched(name)]
            wanted = self._hidden_matcher.among(hidden) | self._texts
            shown += [name for name in hidden if name in wanted]
        return shown

    def below(self, name: str) -> Stage | None:
        """The stage of a subfolder; None if nothing in it can match."""
        hidden = name[0] == "."
        if not self._steps:
            if hidden or not self._stay:
                return None
            if self._onward is None:
                self._onward = self._stages.at(frozenset(self._stay))
            return self._onward
        if hidden and _is_never_matched(name):
            return None
        at = {step for part, step in self._steps if part.matches(name)}
        at |= set() if hidden else self._stay
        return self._stages.at(frozenset(at)) if at else None


class Excluded:
    """The files and folders that exclude patterns match."""

    def __init__(self, patterns: Iterable[str]) -> None:
        rules = [_exclude_rule(pattern, path) for pattern in patterns for path in _expand(pattern)]
        self._files = _matcher_of(rule for rule in rules if not rule.folders_only)
        self._folders = _matcher_of(rules)
        self.nothing = not rules
        """Whether there are no patterns."""
        self.by_name = not any(rule.whole for rule in rules)
        """Whether only names count, and not where a folder is."""

    def files(self, names: Collection[str], prefix: str) -> set[str]:
        """The files of a folder that are excluded; `prefix` is the folder's path with a trailing slash."""
        return self._files.among(names, prefix)

    def folders(self, names: Collection[str], prefix: str) -> set[str]:
        """As `files`, for folders."""
        return self._folders.among(names, prefix)


class Ignore:
    """The rules of one `.gitignore`, for names in its folder and below."""

    def __init__(self, data: bytes) -> None:
        rules = [rule for line in data.removeprefix(_BOM).split(b"\n") if (rule := _parse(line)) is not None]
        self._heads = {rule.head for rule in rules}
        self._here = _Verdict([rule for rule in rules if not rule.folders_only]), _Verdict(rules)
        rules = [rule for rule in rules if rule.head is None]
        self._elsewhere = _Verdict([rule for rule in rules if not rule.folders_only]), _Verdict(rules)

    def matches_any(self, names: Collection[str], prefix: str, joined: str) -> bool:
        """Whether any rule matches any of the names, as files or folders; usually none does."""
        return self._for(prefix)[1].matches_any(names, prefix, joined)

    def by_name(self, prefix: str) -> bool:
        """Whether the rules that can match in a folder depend on names only, not on where it is."""
        return self._for(prefix)[1].by_name

    def files(self, names: Collection[str], prefix: str) -> tuple[set[str], set[str]]:
        """The files that are ignored, and those explicitly not; `prefix` is the path from the `.gitignore` to here."""
        return self._for(prefix)[0].verdict(names, prefix)

    def folders(self, names: Collection[str], prefix: str) -> tuple[set[str], set[str]]:
        """As `files`, for folders."""
        return self._for(prefix)[1].verdict(names, prefix)

    def _for(self, prefix: str) -> tuple[_Verdict, _Verdict]:
        """The rules that can match in a folder, for files and for folders."""
        return self._here if not prefix or prefix[: prefix.index("/")] in self._heads else self._elsewhere


def tokens(text: str, *, groups: bool = False) -> Iterator[tuple[str, str]]:
    """A pattern's tokens: a kind, and the character, the stars or slash as written, or the set in RE2's syntax.

    With `groups`, which a .gitignore does not have, also those, in RE2's syntax.
    """
    at = 0
    while at < len(text):
        kind, value, at = _token(text, at, 0 if groups else None)
        yield kind, value


def _token(text: str, at: int, depth: int | None) -> tuple[str, str, int]:
    """The token at an offset, and where it ends. `depth` counts the groups that it is in; None: there are none."""
    char, end = text[at], at + 1
    if depth is not None and text.startswith(_GROUPS, at):
        return _group(text, at, depth + 1)
    if char == "*":
        while text[end : end + 1] == "*" and (depth is None or not text.startswith(_GROUPS, end)):
            end += 1
        return STARS, text[at:end], end
    if char == "?":
        return ONE, char, end
    if char == "[":
        source, end = bracket(text, at)
        return SET, source, end
    if char == "\\":
        end += 1
        if end > len(text):
            raise Malformed("it ends with a lone backslash")
        return (SLASH, "\\/", end) if text[end - 1] == "/" else (CHAR, text[end - 1], end)
    return (SLASH if char == "/" else CHAR), char, end


def _group(text: str, at: int, depth: int) -> tuple[str, str, int]:
    """The group at an offset, as a token, and where it ends."""
    opening = text[at : at + 2]
    options, end = _options_of(text, at + 2, depth, opening)
    if opening == _NONE_OF:
        return GROUP, _complement(options), end
    sources = ["".join(source_of(*token) for token in option) for option in options]
    dotted = any(option and (option[0] == (CHAR, ".") or option[0][0] == DOT_GROUP) for option in options)
    return DOT_GROUP if dotted else GROUP, f"(?:{'|'.join(sources)}){_REPEATS[opening]}", end


def _options_of(text: str, at: int, depth: int, opening: str) -> tuple[list[list[tuple[str, str]]], int]:
    """The alternatives of a group, each as tokens, and where it ends; in `!(…)` without the groups that are choices."""
    if depth > _MAX_GROUP_DEPTH:
        raise Malformed(f"its groups are nested more than {_MAX_GROUP_DEPTH} deep")
    done, current, parens = list[list[tuple[str, str]]](), [list[tuple[str, str]]()], 0
    while (char := text[at : at + 1]) != ")" or parens:
        if not char:
            raise Malformed("a ( is never closed")
        if char == "|" and not parens:
            done, current, at = done + current, [[]], at + 1
            continue
        parens += (char == "(") - (char == ")")
        if opening == _NONE_OF and text.startswith((_ONE_OF, _AT_MOST_ONE), at):
            options, end = _options_of(text, at + 2, depth + 1, opening)
            options += [[]] * (char == "?")
        else:
            kind, value, end = _token(text, at, depth)
            if kind == SLASH:
                raise Malformed(f"a {opening}…) cannot contain a slash")
            options = [[(kind, value)]]
        if len(current) * len(options) > MAX_ALTERNATIVES:
            raise Malformed(f"it has more than {MAX_ALTERNATIVES} alternatives")
        current, at = [first + then for first in current for then in options], end
    return done + current, at + 1


def _complement(options: list[list[tuple[str, str]]]) -> str:
    """The texts that are none of some alternatives, in RE2's syntax."""
    at_start, at_end = (any(len(option) > 1 and option[side][0] == STARS for option in options) for side in (0, -1))
    tree = _Texts()
    for option in options:
        chars = [char for kind, char in option if kind == CHAR]
        open_ended = bool(option) and STARS in {option[0][0], option[-1][0]}
        if len(chars) + open_ended != len(option) or (at_start and at_end):
            raise Malformed(
                "!(…) can leave out only texts, texts that begin with * or texts that end with *; use exclude instead"
            )
        if len(chars) > _MAX_NAME_CHARS:
            raise Malformed("it leaves out a text that is longer than any name")
        tree.add(chars[::-1] if at_start else chars, open_ended=open_ended)
    return tree.complement(backwards=at_start) or _NOTHING


class _Texts:
    """Some texts as a tree, with what follows each character; `open_ended` ones stand for all that begin like them."""

    def __init__(self) -> None:
        self._following: dict[str, _Texts] = {}
        self._ends = self._open_ended = False

    def add(self, chars: Sequence[str], *, open_ended: bool) -> None:
        """Add a text."""
        if chars:
            self._following.setdefault(chars[0], _Texts()).add(chars[1:], open_ended=open_ended)
        else:
            self._ends = True
            self._open_ended |= open_ended

    def complement(self, *, backwards: bool) -> str | None:
        """The texts that are not among them, in RE2's syntax; None if there are none. `backwards`: reverse them."""
        if self._open_ended:
            return None
        other = rf"[^\x00/{''.join(map(_point, self._following))}]"
        options = [f"{ANY}{other}" if backwards else f"{other}{ANY}"]
        for char, tree in self._following.items():
            rest = tree.complement(backwards=backwards)
            if rest is not None:
                options.append(f"{rest}{_point(char)}" if backwards else f"{_point(char)}{rest}")
        return f"(?:{'|'.join(options)}){'' if self._ends else '?'}"


def bracket(text: str, at: int) -> tuple[str, int]:
    """The set at an offset, in RE2's syntax, and where it ends, as git reads it."""
    first = at + 1
    negated = text[first : first + 1] in {"!", "^"}
    first += negated
    at, low, ranges = first, "", []
    while (char := text[at : at + 1]) != "]" or at == first:
        high, end = _set_character(text, at)
        if char == "-" and low and text[at + 1 : at + 2] not in {"", "]"}:
            high, end = _set_character(text, at + 1)
            ranges.append((low, high))
            low = ""
        elif (named := _class_name(text, at)) is not None:
            pairs = _CLASSES.get(named)
            if pairs is None:
                raise Malformed(f"[:{named}:] is not a character class")
            ranges += zip(pairs[::2], pairs[1::2], strict=True)
            low, end = "", at + len(named) + 4
        else:
            ranges.append((high, high))
            low = high
        at = end
    return _set(ranges, negated=negated), at + 1


def source_of(kind: str, value: str) -> str:
    """One token in RE2's syntax."""
    if kind == CHAR:
        return value if value.isascii() and value.isalnum() else _point(value)
    return {ONE: _ONE, STARS: ANY, SLASH: "/"}.get(kind, value)


def join(names: Iterable[str], lead: str = "\0") -> str:
    """Names in the form that `NameMatcher` searches, each after a NUL and the folder's path."""
    return lead + lead.join(names) + "\0"


def split_root(pattern: str, roots: Sequence[str]) -> tuple[int, str]:
    """The number of the innermost root that contains a pattern, and the pattern relative to it.

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


def may_be_glob(path: str) -> bool:
    """Whether a path has characters with a special meaning in a pattern."""
    return not _OUTSIDE_GROUPS.isdisjoint(path) or any(opening in path for opening in _GROUPS)


def escape(path: str) -> str:
    """Escape a path: a pattern that matches only it."""
    return "".join(f"\\{char}" if char in WILD else char for char in path)


def _set_character(text: str, at: int) -> tuple[str, int]:
    """The character of a set at an offset, and where it ends."""
    start = at + (text[at : at + 1] == "\\")
    if start >= len(text):
        raise Malformed("a [ is never closed")
    return text[start], start + 1


def _class_name(text: str, at: int) -> str | None:
    """The name in a `[:name:]` at an offset, if there is one."""
    if not text.startswith("[:", at):
        return None
    end = text.find("]", at + 2)
    if end < 0:
        raise Malformed("a [ is never closed")
    return text[at + 2 : end - 1] if end > at + 2 and text[end - 1] == ":" else None


def _set(ranges: list[tuple[str, str]], *, negated: bool) -> str:
    if negated:
        return rf"[^\x00/{''.join(_range(low, high) for low, high in ranges)}]"
    halves = [half for low, high in ranges for half in ((low, min(high, ".")), (max(low, "0"), high))]
    return f"[{''.join(_range(low, high) for low, high in halves)}]" if any(map(_is_ascending, halves)) else _NOTHING


def _range(low: str, high: str) -> str:
    return f"{_point(low)}-{_point(high)}" if low <= high else ""


def _is_ascending(pair: tuple[str, str]) -> bool:
    return pair[0] <= pair[1]


def _point(char: str) -> str:
    return f"\\x{{{ord(char):x}}}"


class _Name(Record):
    """One part of a path pattern. `text` is the name of a part without wildcards, else None."""

    source: str
    text: str | None
    tail: str | None
    """What the name must end with, if that is the only condition."""
    hidden: bool
    """Whether the pattern contains the dot of a hidden name."""
    matcher: NameMatcher

    def matches(self, name: str) -> bool:
        """Whether a name matches."""
        if self.text is not None:
            return name == self.text
        if name.startswith(".") and not self.hidden:
            return False
        return bool(self.matcher.among((name,)))


class _Stages:
    """The stages of some routes, cached."""

    def __init__(self, routes: Sequence[_Route]) -> None:
        self.routes = routes
        self._known: dict[frozenset[tuple[int, int]], Stage] = {}

    def at(self, places: frozenset[tuple[int, int]]) -> Stage:
        """The stage for some positions, each a route's number and an index in it."""
        stage = self._known.get(places)
        if stage is None:
            skipped = {(number, index + 1) for number, index in places if self.routes[number][index] is None}
            stage = self._known[places] = Stage(self, places | skipped)
        return stage


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in {"", "."}]


def _is_never_matched(name: str) -> bool:
    """Whether a hidden name is never matched."""
    folded = name.casefold()
    return folded == ".git" or is_own(folded)


class _Open(Record):
    """Braces or a group that an expansion is in: how it begins, and where its content does.

    Groups that are not expanded, and parentheses in a group, are only followed to their end.
    """

    opening: str
    start: int
    before: list[str]
    """The alternatives of the text before it."""
    options: list[str]
    """Its own alternatives so far."""


def _expand(pattern: str) -> list[str]:
    """A pattern's alternatives: without braces, and without the groups that are like braces."""
    _check_sane(pattern)
    texts = [text for text in _alternatives_of(pattern) if text.replace(_EMPTY, "")]
    if sum(map(len, texts)) > MAX_EXPANDED:
        raise InvalidGlob(pattern=pattern, reason=f"its alternatives have more than {MAX_EXPANDED} characters")
    if not texts:
        raise InvalidGlob(pattern=pattern, reason="it is empty")
    return texts


def _alternatives_of(pattern: str) -> list[str]:
    """As `_expand`, with empty alternatives."""
    outer: list[_Open] = []
    texts, start, at, kept = [""], 0, 0, 0
    while at < len(pattern):
        top = outer[-1].opening if outer else ""
        opening = _opening(pattern, at, in_group=top not in {"", _BRACE})
        end = at + len(opening) if opening else _end(pattern, at)
        if opening and opening != _BRACE and (kept or opening not in _SEPARATORS):
            outer.append(_Open(_NONE_OF if opening == _NONE_OF else _PAREN, end, [], []))
            kept += 1
        elif opening:
            if any(part.opening == _NONE_OF for part in outer):
                raise InvalidGlob(pattern=pattern, reason="{a,b} in !(…) would leave nothing out; write !(a|b)")
            outer.append(_Open(opening, end, [text + pattern[start:at] for text in texts], []))
            texts, start = [""], end
        elif top in _SEPARATORS and pattern[at] in {_SEPARATORS[top], _closing(top)}:
            outer[-1].options.extend([text + pattern[start:at] or _EMPTY for text in texts])
            texts, start = [""], end
            if pattern[at] == _closing(top):
                texts = _close(pattern, outer.pop(), at)
        elif top not in {"", *_SEPARATORS} and pattern[at] == ")":
            outer.pop()
            kept -= 1
        at = end
    if outer:
        raise InvalidGlob(pattern=pattern, reason=f"a {outer[-1].opening[-1]} is never closed")
    return [text + pattern[start:] for text in texts]


def _opening(pattern: str, at: int, *, in_group: bool) -> str:
    """How the braces or the group at an offset begin; a parenthesis only counts in a group. Empty if there are none."""
    if pattern[at] == _BRACE or (pattern[at] == _PAREN and in_group):
        return pattern[at]
    return pattern[at : at + 2] if pattern.startswith(_GROUPS, at) else ""


def _closing(opening: str) -> str:
    return "}" if opening == _BRACE else ")"


def _close(pattern: str, closed: _Open, at: int) -> list[str]:
    """The alternatives up to the end of some braces or a group."""
    options = closed.options
    if closed.opening == _AT_MOST_ONE:
        options = [*options, _EMPTY]
    elif closed.opening == _BRACE and len(options) == 1:
        options = _range_of(pattern, pattern[closed.start : at]) or options
    if len(closed.before) * len(options) > MAX_ALTERNATIVES:
        raise InvalidGlob(pattern=pattern, reason=f"it has more than {MAX_ALTERNATIVES} alternatives")
    return [first + then for first in closed.before for then in options]


def _range_of(pattern: str, content: str) -> list[str]:
    """The alternatives of braces such as `1..3`, `01..12..2` and `a..c`; empty if they are no range."""
    parts = content.split("..")
    if not 1 < len(parts) <= _STEPS or not all(parts) or not {*WILD, "/"}.isdisjoint(content):
        return []
    first, last = parts[:2]
    step = max(abs(int(parts[2])), 1) if len(parts) == _STEPS and _is_integer(parts[2]) else 1
    letters = all(len(part) == 1 and part.isascii() and part.isalpha() for part in (first, last))
    if (not letters and not (_is_integer(first) and _is_integer(last))) or not all(map(_is_integer, parts[2:])):
        raise InvalidGlob(pattern=pattern, reason=f"{{{content}}} is no range of numbers or letters")
    low, high = (ord(first), ord(last)) if letters else (int(first), int(last))
    if abs(high - low) // step >= MAX_ALTERNATIVES:
        raise InvalidGlob(pattern=pattern, reason=f"it has more than {MAX_ALTERNATIVES} alternatives")
    numbers = range(low, high + (1 if low <= high else -1), step if low <= high else -step)
    if letters:
        return [escape(chr(number)) for number in numbers]
    padded = any(part.lstrip("-").startswith("0") and part.lstrip("-") != "0" for part in parts)
    width = max(map(len, parts)) if padded else 0
    return [str(number).zfill(width) for number in numbers]


def _is_integer(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit()


def _check_sane(pattern: str) -> None:
    if len(pattern) > MAX_LENGTH:
        raise InvalidGlob(pattern=pattern[:80] + "…", reason=f"it is longer than {MAX_LENGTH} characters")
    if "\0" in pattern:
        raise InvalidGlob(pattern=pattern, reason="it contains a NUL byte")


def _end(pattern: str, at: int) -> int:
    """Where the character, the escape or the set that begins at an offset ends."""
    if pattern[at] != "[":
        return at + 1 + (pattern[at] == "\\")
    try:
        return bracket(pattern, at)[1]
    except Malformed as error:
        raise InvalidGlob(pattern=pattern, reason=str(error)) from error


def _route(pattern: str, text: str) -> _Route:
    """The route of a pattern without braces."""
    if text.startswith("/"):
        raise PathOutsideWorkspace(path=pattern, reason="it is not below the workspace root")
    names, open_end = _names(pattern, text)
    route: list[_Name | None] = []
    for name in [*names, None] if open_end else names:
        if name is not None or route[-1:] != [None]:
            route.append(name)
    return tuple(route) if route[-1] else (*route, _name([(STARS, "*")]))


def _names(pattern: str, text: str) -> tuple[list[_Name | None], bool]:
    """The names of a pattern without braces, None for `**`, and whether it ends with a slash."""
    parts: list[list[tuple[str, str]]] = [[]]
    try:
        for kind, value in tokens(text, groups=True):
            if kind == SLASH:
                parts.append([])
            else:
                parts[-1].append((kind, value))
    except Malformed as error:
        raise InvalidGlob(pattern=pattern, reason=str(error)) from error
    parts = [[token for token in part if token != (GROUP, "(?:)")] or part for part in parts]  # `_EMPTY`
    if [(CHAR, ".")] * 2 in parts:
        raise PathOutsideWorkspace(path=pattern, reason="it contains '..'")
    if any(part and part[0][0] == DOT_GROUP for part in parts):
        raise InvalidGlob(pattern=pattern, reason="*(…) and +(…) find no hidden names; write those with {a,b}")
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
    return _Name(source, literal if plain else None, tail, part[0] == (CHAR, "."), NameMatcher([source]))


def _literal(route: _Route) -> list[str]:
    """The names before the first with a wildcard."""
    names: list[str] = []
    for name in route:
        if name is None or name.text is None:
            break
        names.append(name.text)
    return names


def _common(lists: Sequence[list[str]]) -> list[str]:
    """The longest common prefix of all lists."""
    low, high = min(lists), max(lists)
    for index, name in enumerate(low):
        if high[index] != name:
            return low[:index]
    return low


def _exclude_rule(pattern: str, text: str) -> _Rule:
    """The rule of an exclude without braces; `pattern` is the exclude as written."""
    names, open_end = _names(pattern, text.removeprefix("/"))
    whole = "/" in text.rstrip("/")
    while names and names[-1] is None:
        names.pop()
        open_end = True
    if not names:
        return _Rule(negated=False, folders_only=False, whole=False, source=ANY)
    parts = [FOLDERS if name is None else name.source + "/" for name in names]
    return _Rule(negated=False, folders_only=open_end, whole=whole, source="".join(parts)[:-1])


class _Rule(Record):
    """A line of a .gitignore, or an exclude: `source` in RE2's syntax, for a path if `whole`, else for a name."""

    negated: bool
    folders_only: bool
    whole: bool
    source: str
    head: str | None = None
    """The one subfolder in which the rule can match; '' if only in this folder, None if anywhere."""


class _Verdict:
    """Rules in runs of ignoring or negated ones. Bisection finds the last run that matches, in few calls."""

    def __init__(self, rules: list[_Rule]) -> None:
        self._runs: list[tuple[bool, list[_Rule]]] = []
        self._matcher: dict[tuple[int, int], NameMatcher] = {}
        self.by_name = not any(rule.whole for rule in rules)
        for rule in rules:
            if not self._runs or self._runs[-1][0] != rule.negated:
                self._runs.append((rule.negated, []))
            self._runs[-1][1].append(rule)

    def matches_any(self, names: Collection[str], prefix: str, joined: str) -> bool:
        return bool(self._runs) and bool(self._in_range(0, len(self._runs)).among(names, prefix, joined))

    def verdict(self, names: Collection[str], prefix: str) -> tuple[set[str], set[str]]:
        verdict: tuple[set[str], set[str]] = (set(), set())
        if self._runs:
            self._decide(names, prefix, 0, len(self._runs), verdict)
        return verdict

    def _decide(
        self, names: Collection[str], prefix: str, start: int, end: int, verdict: tuple[set[str], set[str]]
    ) -> set[str]:
        """Add the decisions of a range of runs to the verdict; returns the names that they match."""
        hits = self._in_range(start, end).among(names, prefix)
        if end - start == 1:
            verdict[self._runs[start][0]].update(hits)
        elif hits:
            middle = (start + end) // 2
            rest = hits - self._decide(hits, prefix, middle, end, verdict)
            if rest:
                self._decide(rest, prefix, start, middle, verdict)
        return hits

    def _in_range(self, start: int, end: int) -> NameMatcher:
        matcher = self._matcher.get((start, end))
        if matcher is None:
            rules = (rule for _, run in self._runs[start:end] for rule in run)
            matcher = self._matcher[start, end] = _matcher_of(rules, raw=True)
        return matcher


def _matcher_of(rules: Iterable[_Rule], *, raw: bool = False) -> NameMatcher:
    names: list[str] = []
    paths: list[str] = []
    for rule in rules:
        (paths if rule.whole else names).append(rule.source)
    return NameMatcher(names, paths, raw=raw)


def _parse(line: bytes) -> _Rule | None:
    """The rule of one line, or None if it has none."""
    text = _trim(line.removesuffix(b"\r").partition(b"\0")[0].decode("latin-1"))
    if text.startswith("#") or len(text) > _MAX_RULE_BYTES:
        return None
    negated = text.startswith("!")
    text = text[negated:]
    folders_only = text.endswith("/")
    text = text[: len(text) - folders_only]
    whole = "/" in text
    try:
        source = _path_source(text.removeprefix("/")) if whole else _name_source(text)
    except Malformed:
        return None
    head = _head(text) if whole else None
    return _Rule(negated=negated, folders_only=folders_only, whole=whole, source=source, head=head) if source else None


def _trim(text: str) -> str:
    """Remove trailing spaces, except for one after a backslash."""
    bare = text.rstrip(" ")
    slashes = len(bare) - len(bare.rstrip("\\"))
    return bare + " " if slashes % 2 and len(bare) < len(text) else bare


def _head(text: str) -> str | None:
    """The first folder of a path, None if it has a wildcard; '' if the path has no folder."""
    first, slash, _ = text.removeprefix("/").partition("/")
    if slash:
        return None if any(char in first for char in _SPECIAL) else os.fsdecode(first.encode("latin-1"))
    return None if "**" in first else ""


def _name_source(text: str) -> str:
    return "".join(source_of(kind, value) for kind, value in tokens(text))


def _path_source(text: str) -> str:
    """A path in RE2's syntax. Git compares the part before the first wildcard, and then matches the rest separately.

    So two stars right after that part always count as being after a slash.
    """
    plain = min((at for char in _SPECIAL if (at := text.find(char)) >= 0), default=len(text))
    parts = [source_of(kind, value) for kind, value in tokens(text[:plain])]
    parts_left = [*tokens(text[plain:]), (SLASH, "")]
    at = 0
    while at < len(parts_left) - 1:
        kind, value = parts_left[at]
        following, slash = parts_left[at + 1]
        starts = at == 0 or parts_left[at - 1][0] == SLASH
        at += 1
        if kind == STARS and len(value) > 1 and starts and following == SLASH:
            parts.append({"": BELOW, "/": FOLDERS, "\\/": BELOW + "/"}[slash])
            at += 1
        else:
            parts.append(ANY if kind == STARS else source_of(kind, value))
    return "".join(parts)
