r"""What a check is, and what it finds.

    class NoTabs:
        name = "no-tabs"
        files = ("*.py",)

        def check(self, path, before, after, staging):
            return [Issue("error", n, 1, "TAB", "a tab") for n, line in enumerate(after.split("\n"), 1) if "\t" in line]

A check that cannot be carried out raises `NotRunError`; any other exception is told as a crash. Neither is ever taken
for a pass.
"""

from __future__ import annotations

from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Protocol
else:
    Protocol = object


class Issue(Record):
    """A problem: `severity` is error or warning, `line` and `column` count from 1."""

    severity: str
    line: int
    column: int
    code: str
    message: str


class NotRunError(Exception):
    """A check could not be carried out; the message says why, and how to make it possible."""


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
    """A check of one file. A plugin needs `name`, `files` and `check`."""

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


def syntax_codes(validator: Validator) -> Collection[str]:
    """The codes of issues that keep a check from seeing others; its attribute `syntax_codes`, if it has one."""
    found: Collection[str] = getattr(validator, "syntax_codes", ())
    return found


def first_only(validator: Validator) -> bool:
    """Whether a check stops at the first problem; its attribute `first_only`, if it has one."""
    return bool(getattr(validator, "first_only", False))


def sees_all(validator: Validator) -> bool:
    """Whether a check finds everything although there are syntax errors; its attribute `sees_all`, if it has one."""
    return bool(getattr(validator, "sees_all", False))
