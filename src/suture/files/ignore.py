r"""The rules of one `.gitignore`, as git reads them.

    # comment    !pattern: not ignored after all    pattern/: folders only
    pattern: a name, here or anywhere below    a/pattern, /pattern: a path from this folder on

The last rule that fits decides. `**` between slashes stands for any number of folders. `\` takes the next character
as it stands, also `#`, `!` or a space at the end. Git compares bytes, so `?` is one byte here. A rule that git
cannot read fits nothing, as in git; here also one that is longer than any path the system takes.
"""

from __future__ import annotations

import os

from suture.files.wildcards import (
    ANY,
    BELOW,
    FOLDERS,
    SLASH,
    STARS,
    Fits,
    Malformed,
    source_of,
    tokens,
)
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

_BOM = b"\xef\xbb\xbf"
_SPECIAL = "*?[\\"
_MAX_RULE = 4096


class _Rule(Record):
    """One line: `source` in RE2's language, for a path if `whole`, else for a name."""

    negated: bool
    folders_only: bool
    whole: bool
    source: str
    head: str | None = None
    """The one folder here that the rule can fit something in; '' if it fits only in this, None if in any."""


class Ignore:
    """What one `.gitignore` says about the names in a folder at or below its own."""

    def __init__(self, data: bytes) -> None:
        rules = [rule for line in data.removeprefix(_BOM).split(b"\n") if (rule := _parse(line)) is not None]
        self._heads = {rule.head for rule in rules}
        self._here = _Verdict([rule for rule in rules if not rule.folders_only]), _Verdict(rules)
        rules = [rule for rule in rules if rule.head is None]
        self._elsewhere = _Verdict([rule for rule in rules if not rule.folders_only]), _Verdict(rules)

    def touches(self, names: Collection[str], prefix: str, joined: str) -> bool:
        """Whether a rule fits one of the names at all, of files or of folders; most often none does."""
        return self._for(prefix)[1].touches(names, prefix, joined)

    def by_name(self, prefix: str) -> bool:
        """Whether the rules that can fit something in a folder speak of names only, wherever it is."""
        return self._for(prefix)[1].by_name

    def files(self, names: Collection[str], prefix: str) -> tuple[set[str], set[str]]:
        """The files that are ignored, and those that are expressly not; `prefix` leads here from the `.gitignore`."""
        return self._for(prefix)[0].on(names, prefix)

    def folders(self, names: Collection[str], prefix: str) -> tuple[set[str], set[str]]:
        """As `files`, for folders."""
        return self._for(prefix)[1].on(names, prefix)

    def _for(self, prefix: str) -> tuple[_Verdict, _Verdict]:
        """The rules that can fit something in a folder, for files and for folders."""
        return self._here if not prefix or prefix[: prefix.index("/")] in self._heads else self._elsewhere


class _Verdict:
    """Rules in runs of one sign. The last run that fits is found by halving: a call for each would be too many."""

    def __init__(self, rules: list[_Rule]) -> None:
        self._runs: list[tuple[bool, list[_Rule]]] = []
        self._fits: dict[tuple[int, int], Fits] = {}
        self.by_name = not any(rule.whole for rule in rules)
        for rule in rules:
            if not self._runs or self._runs[-1][0] != rule.negated:
                self._runs.append((rule.negated, []))
            self._runs[-1][1].append(rule)

    def touches(self, names: Collection[str], prefix: str, joined: str) -> bool:
        return bool(self._runs) and bool(self._in_range(0, len(self._runs)).among(names, prefix, joined))

    def on(self, names: Collection[str], prefix: str) -> tuple[set[str], set[str]]:
        verdict: tuple[set[str], set[str]] = (set(), set())
        if self._runs:
            self._decide(names, prefix, 0, len(self._runs), verdict)
        return verdict

    def _decide(
        self, names: Collection[str], prefix: str, start: int, end: int, verdict: tuple[set[str], set[str]]
    ) -> set[str]:
        """Add to the verdict what the runs of a range say; the names they say something about."""
        hits = self._in_range(start, end).among(names, prefix)
        if end - start == 1:
            verdict[self._runs[start][0]].update(hits)
        elif hits:
            middle = (start + end) // 2
            rest = hits - self._decide(hits, prefix, middle, end, verdict)
            if rest:
                self._decide(rest, prefix, start, middle, verdict)
        return hits

    def _in_range(self, start: int, end: int) -> Fits:
        fits = self._fits.get((start, end))
        if fits is None:
            rules = [rule for _, run in self._runs[start:end] for rule in run]
            names, paths = ([rule.source for rule in rules if rule.whole is whole] for whole in (False, True))
            fits = self._fits[start, end] = Fits(names, paths, raw=True)
        return fits


def _parse(line: bytes) -> _Rule | None:
    """The rule of one line, or None if it says nothing."""
    text = _trimmed(line.removesuffix(b"\r").partition(b"\0")[0].decode("latin-1"))
    if text.startswith("#") or len(text) > _MAX_RULE:
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
    return _Rule(negated, folders_only, whole, source, _head(text) if whole else None) if source else None


def _trimmed(text: str) -> str:
    """Without the spaces at its end, but for one that a backslash keeps."""
    bare = text.rstrip(" ")
    slashes = len(bare) - len(bare.rstrip("\\"))
    return bare + " " if slashes % 2 and len(bare) < len(text) else bare


def _head(text: str) -> str | None:
    """The folder that a path begins with, if it has no wildcard; '' if no folder can stand in it."""
    first, slash, _ = text.removeprefix("/").partition("/")
    if slash:
        return None if any(char in first for char in _SPECIAL) else os.fsdecode(first.encode("latin-1"))
    return None if "**" in first else ""


def _name_source(text: str) -> str:
    return "".join(source_of(kind, value) for kind, value in tokens(text))


def _path_source(text: str) -> str:
    """A path in RE2's language. Git compares what stands before the first wildcard, then forgets that it was there.

    So two stars right after it always count as being between slashes.
    """
    plain = min((at for char in _SPECIAL if (at := text.find(char)) >= 0), default=len(text))
    parts = [source_of(kind, value) for kind, value in tokens(text[:plain])]
    found = [*tokens(text[plain:]), (SLASH, "")]
    at = 0
    while at < len(found) - 1:
        kind, value = found[at]
        following, slash = found[at + 1]
        starts = at == 0 or found[at - 1][0] == SLASH
        at += 1
        if kind == STARS and len(value) > 1 and starts and following == SLASH:
            parts.append({"": BELOW, "/": FOLDERS, "\\/": BELOW + "/"}[slash])
            at += 1
        else:
            parts.append(ANY if kind == STARS else source_of(kind, value))
    return "".join(parts)
