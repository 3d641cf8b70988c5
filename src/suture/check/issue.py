r"""What a check is, what it finds, and which problems an edit introduced.

    class NoTabs:
        name = "no-tabs"
        files = ("*.py",)

        def check(self, path, before, after, staging):
            return [Issue("error", n, 1, "TAB", "a tab") for n, line in enumerate(after.split("\n"), 1) if "\t" in line]

A check that cannot run raises `NotRunError`; any other exception is reported as a crash. Neither counts as a pass.

Line numbers change with an edit, so an old problem is recognized by the same message

1. at its line, mapped through the edit;
2. in the same changed region, line by line if the number of lines is the same: rewritten, and still wrong;
3. at a line with the same content that was inserted, or is still next to the same neighbor: it was moved;
4. at the end of the text.

Any other problem in changed lines is new: an edit must write correct lines, whatever was there before.

An edit is not blamed for what a check could not see before. Behind an old syntax error, a check that stops at the first
error has not looked; others may recover anywhere, and do not report other problems.
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
"""How messages about data formats (`check.data`) continue before they quote the text at the place."""
_CLOSED = " closed"
"""Part of messages about something unclosed, which are reported where it was opened."""
_MAX_SHOWN_CHARS = 30  # characters of a quoted text in a message


class Issue(Record):
    """A problem: `severity` is error or warning; `line` and `column` start at 1."""

    severity: str
    line: int
    column: int
    code: str
    message: str


class Places:
    r"""Lines and columns of a text, in code points, both starting at 1.

    A line ends at `\n`; at a lone `\r` only if the text has no `\n`.
    """

    def __init__(self, text: str) -> None:
        self._end = len(text)
        lengths = map(len, text.split("\n" if "\n" in text else "\r"))
        self._starts = array("Q", [0, *accumulate(length + 1 for length in lengths)][:-1])

    def at(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset; beyond the text, those of its end."""
        offset = max(0, min(offset, self._end))
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def line(self, offset: int) -> int:
        """The line of an offset."""
        return self.at(offset)[0]

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and column, clamped to the text."""
        line = max(1, min(line, len(self._starts)))
        last = self._starts[line] - 1 if line < len(self._starts) else self._end
        return min(self._starts[line - 1] + max(0, column - 1), last)

    def error(self, offset: int, message: str, code: str = INVALID) -> Issue:
        """An error at an offset."""
        return Issue("error", *self.at(offset), code, message)


def cut(text: str) -> str:
    """Shorten a text for a message, on one line."""
    return printable(text if len(text) <= _MAX_SHOWN_CHARS else f"{text[:_MAX_SHOWN_CHARS]}…")


def printable(chars: Iterable[str]) -> str:
    """Replace characters that cannot be printed by escapes."""
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in chars)


class NotRunError(Exception):
    """A check could not run; the message says why, and how to make it possible."""

    def __init__(self, reason: str, setting: str = "") -> None:
        """`setting` is the setting that would allow the check, if there is one."""
        super().__init__(reason)
        self.setting = setting


class Staging(Protocol):
    """The checked text as a file for other programs, and the workspace around it."""

    @property
    def root(self) -> str:
        """The workspace's own folder."""

    @property
    def name(self) -> str:
        """The file's absolute path in the workspace; it may not exist yet."""

    @property
    def seconds(self) -> float:
        """The time limit of this check."""

    def folder(self) -> str:
        """A private folder laid out like the workspace, with the checked text in place; created on first use."""

    def file(self) -> str:
        """The checked text in that folder."""


class Validator(Protocol):
    """A check of one file. A plugin needs `name`, `files` and `check`.

    Optional attributes: `syntax_codes`, the codes of issues that hide others; `first_only`, if it stops at the first
    problem; `sees_all`, if it finds everything in spite of syntax errors.
    """

    @property
    def name(self) -> str:
        """Its name in results and configurations."""

    @property
    def files(self) -> Sequence[str]:
        """Globs of the files it checks; one without a slash matches a name anywhere."""

    def check(self, path: str, before: str | None, after: str, staging: Staging) -> list[Issue]:
        """The problems of `after`, the new text of `path` (relative to the root, with `/`).

        `before` is the current text, for a check that compares; None if there is none. Undecodable bytes are
        U+FFFD. To tell old problems from new ones, the check is also run on the old text.
        """


class Parser:
    """A built-in check of one kind of text, which needs only the text, and stops at the first error."""

    name = ""
    files: tuple[str, ...] = ()
    syntax_codes = (INVALID,)
    first_only = True
    max_characters_in_process = 0
    """Longer texts are parsed in a worker. No text of this length takes more than a few milliseconds. 0: always."""

    def check(self, path: str, before: str | None, after: str, staging: Staging) -> list[Issue]:
        """See `Validator.check`."""
        del before, staging
        return self.issues(path, after)

    def issues(self, path: str, text: str) -> list[Issue]:
        """The problems of a text."""
        raise NotImplementedError


class Comparison(Record):
    """The new and old problems after an edit, and those that it fixed."""

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
    """Tell new problems from old ones. Codes in `syntax` hide others; with `first_only` only one problem is found."""
    if not old or before is None:
        return Comparison(new=tuple(new))
    if not new:
        return Comparison(fixed=tuple(old))
    return _Pairing(before, after, old, new, syntax, first_only=first_only).result()


class _Pairing:
    """The problems that are not paired yet, and the changed regions."""

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
        """The line (in the new text) at which the check stopped before the edit; None if it saw everything."""

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
        if any(map(self._is_syntax, blamed)):  # problems hidden behind it may still exist
            fixed = [issue for issue in fixed if self._new_line(issue.line) is None]
        return Comparison(tuple(blamed), tuple(existing), tuple(fixed))

    def _pair_alike(self, key: Callable[[Issue, int], object]) -> None:
        """As `_pair`, by one function of a problem and its side: 0 for the old text, 1 for the new one."""
        self._pair(lambda issue: key(issue, 0), lambda issue: key(issue, 1))

    def _pair(self, old_key: Callable[[Issue], object], new_key: Callable[[Issue], object]) -> None:
        """Pair every new problem with an old one that has the same key, each once. Incomplete keys match nothing."""
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
        """The number of an old line in the new text; None if it was changed."""
        at = bisect_right(self._regions, line - 1, key=lambda region: region[0]) - 1
        if at < 0:
            return line
        _, end, _, new_end = self._regions[at]
        return None if line <= end else line - end + new_end

    def _region_start(self, line: int) -> int:
        """The first line, in the new text, of the region in which an old line was changed."""
        at = bisect_right(self._regions, line - 1, key=lambda region: region[0]) - 1
        return self._regions[at][2] + 1

    def _region(self, line: int, side: int) -> tuple[int, ...] | None:
        """The changed region that contains a line, or None. A line behind the last one counts as the last."""
        line = min(line, len(self._lines[side]))
        at = bisect_right(self._regions, line - 1, key=lambda region: region[2 * side]) - 1
        region = self._regions[at] if at >= 0 else (0, 0, 0, 0)
        return region if region[2 * side] < line <= region[2 * side + 1] else None

    def _is_at_end(self, line: int, side: int) -> bool:
        """Whether only blank lines follow a line."""
        return line >= self._last[side]

    def _is_edited(self, line: int) -> bool:
        """Whether a line is new, right after a change (where a parser notices it), or next to a deletion."""
        line = min(line, len(self._lines[1]))
        at = bisect_right(self._regions, line, key=lambda region: region[2])
        return any(k + (k < m) <= line <= m + 1 for _, _, k, m in self._regions[max(at - 2, 0) : at])

    def _place_in_region(self, line: int, side: int) -> tuple[int, ...] | None:
        """The changed region that contains a line, and the line's index in it if the number of lines is the same."""
        region = self._region(line, side)
        if region is None:
            return None
        i, j, k, m = region
        return (*region, line - (i, k)[side]) if j - i == m - k else region

    def _context(self, line: int, side: int, beside: int) -> tuple[bytes, bytes] | None:
        """The content of a line and its neighbor; for `beside` 0, of a line that was only removed or inserted."""
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
        """Whether the problem may have existed before, where the check could not see it."""
        if self._seen_until is None:
            return False
        if not self._is_syntax(issue):
            return self._region(issue.line, 1) is None
        behind = issue.line >= self._seen_until or _CLOSED in issue.message  # reported where it was opened
        return not self._is_edited(issue.line) and (behind or not self._first_only)


def _identity(issue: Issue) -> tuple[str, str, str]:
    """A key that is equal for the same problem; it ignores line numbers and text that a parser quotes."""
    message = issue.message
    if issue.code == INVALID:
        for quotation in _QUOTATIONS:
            message = message.partition(quotation)[0]
    first, *rest = message.split("line ")
    return issue.severity, issue.code, "line ".join([first, *(part.lstrip("0123456789") for part in rest)])
