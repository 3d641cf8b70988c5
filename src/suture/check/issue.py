r"""What a check is, what it finds, and which findings an edit brought.

    class NoTabs:
        name = "no-tabs"
        files = ("*.py",)

        def check(self, path, before, after, staging):
            return [Issue("error", n, 1, "TAB", "a tab") for n, line in enumerate(after.split("\n"), 1) if "\t" in line]

A check that cannot run raises `NotRunError`; any other exception is reported as a crash. Neither ever counts as
a pass.

Line numbers mean little across an edit, so an old problem is looked for where its line is now:

1. the same words at the line it had, mapped through the edit;
2. the same words in the same changed region, line for line if it has as many as before: rewritten, and still wrong;
3. the same words at a line that says the same, and was put in or is still beside its neighbor: it was moved;
4. the same words at the end of the text.

Any other problem in what was changed is new: whoever writes lines must write correct ones, whatever was there before.

What a check could not see before is not blamed on the edit: behind a syntax error that was in the text before, a check
that stops at the first error has not looked, others may recover anywhere, and do not report other problems.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from itertools import accumulate

from suture.records import Record
from suture.text.diff import changes, split_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from typing import Protocol
else:
    Protocol = object


INVALID = "invalid-syntax"
"""The code of every syntax error."""
_QUOTATIONS = (", not `", ": `")
"""How messages about data formats go on when they quote the text at the place (`check.data`)."""
_CLOSED = " closed"
"""In messages on what was never closed, which are reported where it was opened."""
_MAX_SHOWN = 30  # characters of a text in a message


class Issue(Record):
    """A problem: `severity` is error or warning, `line` and `column` count from 1."""

    severity: str
    line: int
    column: int
    code: str
    message: str


class Places:
    r"""Lines and columns of a text, both from 1, in code points.

    A line ends at `\n`; at a lone `\r` only where there is no `\n` at all.
    """

    def __init__(self, text: str) -> None:
        self._end = len(text)
        lengths = map(len, text.split("\n" if "\n" in text else "\r"))
        self._starts = array("Q", [0, *accumulate(length + 1 for length in lengths)][:-1])

    def at(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset; one beyond the text is its end."""
        offset = max(0, min(offset, self._end))
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def line(self, offset: int) -> int:
        """The line of an offset."""
        return self.at(offset)[0]

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and column, which are brought inside the text."""
        line = max(1, min(line, len(self._starts)))
        last = self._starts[line] - 1 if line < len(self._starts) else self._end
        return min(self._starts[line - 1] + max(0, column - 1), last)

    def error(self, offset: int, message: str, code: str = INVALID) -> Issue:
        """An error at an offset."""
        return Issue("error", *self.at(offset), code, message)


def cut(text: str) -> str:
    """A text short enough for a message, on one line."""
    return printable(text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…")


def printable(chars: Iterable[str]) -> str:
    """Characters that can be shown, the others as escapes."""
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in chars)


class NotRunError(Exception):
    """A check could not run; the message says why, and how to make it possible."""

    def __init__(self, reason: str, setting: str = "") -> None:
        """`setting` is the one that makes it possible, where one does."""
        super().__init__(reason)
        self.setting = setting


class Staging(Protocol):
    """The text that is checked, as a file that other programs can read, and what it is a part of."""

    @property
    def root(self) -> str:
        """The workspace's own folder, as it is."""

    @property
    def name(self) -> str:
        """The file's full path in it, whether it exists yet or not."""

    @property
    def seconds(self) -> float:
        """How long this check may take."""

    def folder(self) -> str:
        """A private folder laid out as the workspace is, with the checked text in place; made when first asked for."""

    def file(self) -> str:
        """The checked text in it."""


class Validator(Protocol):
    """A check of one file. A plugin needs `name`, `files` and `check`.

    It may have more attributes: `syntax_codes`, the codes of issues that keep it from seeing others; `first_only`, if
    it stops at the first problem; `sees_all`, if it finds everything although there are syntax errors.
    """

    @property
    def name(self) -> str:
        """What it is called in results and in configurations."""

    @property
    def files(self) -> Sequence[str]:
        """Globs of the files it checks; one without a slash fits a name anywhere."""

    def check(self, path: str, before: str | None, after: str, staging: Staging) -> list[Issue]:
        """The problems of `after`, the text that `path` (below the root, with `/`) is going to hold.

        `before` is the text it holds now, for a check that wants to compare; None where there is none.
        Bytes that are not text are U+FFFD. To tell old problems from new ones, it is asked about the old text, too.
        """


class Parser:
    """A built-in check of one kind of text, which looks at nothing else and stops at the first error."""

    name = ""
    files: tuple[str, ...] = ()
    syntax_codes = (INVALID,)
    first_only = True
    max_characters_in_process = 0
    """Longer texts are parsed in a worker. Whatever one of so many says, it takes some milliseconds. 0: all are."""

    def check(self, path: str, before: str | None, after: str, staging: Staging) -> list[Issue]:
        """As of a `Validator`."""
        del before, staging
        return self.issues(path, after)

    def issues(self, path: str, text: str) -> list[Issue]:
        """What is wrong with a text."""
        raise NotImplementedError


class Comparison(Record):
    """The problems after an edit, told apart, and those that are gone."""

    new: tuple[Issue, ...] = ()
    existing: tuple[Issue, ...] = ()
    fixed: tuple[Issue, ...] = ()


def compare(
    before: str | None,
    after: str,
    old: Sequence[Issue],
    new: Sequence[Issue],
    syntax: Collection[str] = (),
    *,
    first_only: bool = False,
) -> Comparison:
    """Tell new problems from old ones. `syntax` are the codes that hide others, `first_only` that only one is found."""
    if not old or before is None:
        return Comparison(new=tuple(new))
    if not new:
        return Comparison(fixed=tuple(old))
    return _Pairing(before, after, old, new, syntax, first_only=first_only).result()


class _Pairing:
    """The problems that are not paired yet, and what the edit did to the lines."""

    def __init__(
        self,
        before: str,
        after: str,
        old: Sequence[Issue],
        new: Sequence[Issue],
        syntax: Collection[str],
        *,
        first_only: bool,
    ) -> None:
        self._lines = [split_lines(text.encode("utf-8", "surrogatepass")) for text in (before, after)]
        self._regions = changes(*self._lines)
        """(i, j, k, m): the lines i to j became the lines k to m, counted from 0."""
        self._last = [max((n for n, line in enumerate(lines, 1) if line.strip()), default=0) for lines in self._lines]
        """The number of the last line that is not blank."""
        self._syntax = syntax
        self._first_only = first_only
        self._old = list(old)
        self._new = list(new)
        self._existing: list[Issue] = []
        blind = [self._new_line(issue.line) or self._region_start(issue.line) for issue in old if issue.code in syntax]
        self._seen_until = min(blind, default=None)
        """The line, as it is now, at which the check stopped looking before; None if it saw all."""

    def result(self) -> Comparison:
        """The comparison: pair the problems by each rule in turn."""
        self._pair(
            lambda issue: (_identity(issue), self._new_line(issue.line)), lambda issue: (_identity(issue), issue.line)
        )
        self._pair_alike(lambda issue, side: (_identity(issue), self._place_in_region(issue.line, side)))
        self._pair_alike(lambda issue, side: (_identity(issue), self._context(issue.line, side, -1)))
        self._pair_alike(lambda issue, side: (_identity(issue), self._context(issue.line, side, 1)))
        self._pair_alike(lambda issue, side: (_identity(issue), self._context(issue.line, side, 0)))
        self._pair_alike(lambda issue, side: (_identity(issue), self._is_at_end(issue.line, side) or None))
        broken = {(_identity(issue), issue.line) for issue in self._existing if self._is_syntax(issue)}
        unseen: list[Issue] = []
        blamed: list[Issue] = []
        for issue in self._new:
            was_there = self._was_unseen(issue) or (_identity(issue), issue.line) in broken
            (unseen if was_there else blamed).append(issue)
        existing = sorted([*self._existing, *unseen], key=lambda issue: (issue.line, issue.column))
        fixed = self._old
        if any(map(self._is_syntax, blamed)):  # what is not seen behind it need not be gone
            fixed = [issue for issue in fixed if self._new_line(issue.line) is None]
        return Comparison(tuple(blamed), tuple(existing), tuple(fixed))

    def _pair_alike(self, key: Callable[[Issue, int], object]) -> None:
        """As `_pair`, by one function of a problem and its side: 0 for the old text, 1 for the new one."""
        self._pair(lambda issue: key(issue, 0), lambda issue: key(issue, 1))

    def _pair(self, old_key: Callable[[Issue], object], new_key: Callable[[Issue], object]) -> None:
        """Take every new problem for an old one of the same key, each old one once. A key that lacks a part is none."""
        known: dict[object, list[int]] = {}
        for at in reversed(range(len(self._old))):
            known.setdefault(old_key(self._old[at]), []).append(at)
        taken: set[int] = set()
        rest: list[Issue] = []
        for issue in self._new:
            key = new_key(issue)
            candidates = known.get(key)
            if not candidates or not key or (isinstance(key, tuple) and None in key):
                rest.append(issue)
                continue
            taken.add(candidates.pop())
            self._existing.append(issue)
        self._old = [issue for at, issue in enumerate(self._old) if at not in taken]
        self._new = rest

    def _new_line(self, line: int) -> int | None:
        """The number that a line of the old text has in the new one; None if it was changed."""
        at = bisect_right(self._regions, line - 1, key=lambda region: region[0]) - 1
        if at < 0:
            return line
        _, end, _, new_end = self._regions[at]
        return None if line <= end else line - end + new_end

    def _region_start(self, line: int) -> int:
        """Where, in the new text, the region begins in which a line was changed."""
        at = bisect_right(self._regions, line - 1, key=lambda region: region[0]) - 1
        return self._regions[at][2] + 1

    def _region(self, line: int, side: int) -> tuple[int, ...] | None:
        """The changed region that a line lies in, or None. Behind the last line is as good as in it."""
        line = min(line, len(self._lines[side]))
        at = bisect_right(self._regions, line - 1, key=lambda region: region[2 * side]) - 1
        region = self._regions[at] if at >= 0 else (0, 0, 0, 0)
        return region if region[2 * side] < line <= region[2 * side + 1] else None

    def _is_at_end(self, line: int, side: int) -> bool:
        """Whether only blank lines follow a line."""
        return line >= self._last[side]

    def _is_edited(self, line: int) -> bool:
        """Whether a line is new, or just behind what was changed, where a parser notices it; or beside a gap."""
        line = min(line, len(self._lines[1]))
        at = bisect_right(self._regions, line, key=lambda region: region[2])
        return any(k + (k < m) <= line <= m + 1 for _, _, k, m in self._regions[max(at - 2, 0) : at])

    def _place_in_region(self, line: int, side: int) -> tuple[int, ...] | None:
        """The changed region that a line lies in, and the line in it where all have been replaced one by one."""
        region = self._region(line, side)
        if region is None:
            return None
        i, j, k, m = region
        return (*region, line - (i, k)[side]) if j - i == m - k else region

    def _context(self, line: int, side: int, beside: int) -> tuple[bytes, bytes] | None:
        """The content of a line and of its neighbor; with no neighbor, of a line that was only removed or inserted."""
        content = self._content(line, side)
        if beside:
            neighbor = self._content(line + beside, side)
            return None if content is None or neighbor is None else (content, neighbor)
        region = self._region(line, side)
        pure = region is not None and region[0 if side else 2] == region[1 if side else 3]
        return (content, b"") if content is not None and pure else None

    def _content(self, line: int, side: int) -> bytes | None:
        """The content of a line; None if it is blank or there is none."""
        lines = self._lines[side]
        return lines[line - 1].strip() or None if 0 < line <= len(lines) else None

    def _is_syntax(self, issue: Issue) -> bool:
        return issue.code in self._syntax

    def _was_unseen(self, issue: Issue) -> bool:
        """Whether the check could not have seen a problem before, if it was there."""
        if self._seen_until is None:
            return False
        if not self._is_syntax(issue):
            return self._region(issue.line, 1) is None
        behind = issue.line >= self._seen_until or _CLOSED in issue.message  # reported where it was opened
        return not self._is_edited(issue.line) and (behind or not self._first_only)


def _identity(issue: Issue) -> tuple[str, str, str]:
    """What two problems share if they are the same: line numbers, and text that a parser quotes, do not count."""
    message = issue.message
    if issue.code == INVALID:
        for quotation in _QUOTATIONS:
            message = message.partition(quotation)[0]
    first, *rest = message.split("line ")
    return issue.severity, issue.code, "line ".join([first, *(part.lstrip("0123456789") for part in rest)])
