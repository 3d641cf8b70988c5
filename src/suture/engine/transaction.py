"""Transactions of the library: changes to several files that a program collects, and that land together or not."""

from __future__ import annotations

from os import fspath

from suture.errors import NotEncodable
from suture.plan import Plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable
    from types import TracebackType
    from typing import Self

    from suture.engine import Engine
    from suture.engine.session import Session
    from suture.files.recovery import Recovered
    from suture.plan import Change, FileChange
    from suture.text import Text
    from suture.text.edits import Edit

    Path = str | os.PathLike[str]

_PERMISSION_BITS = 0o777


class Transaction:
    """Collects changes and lands them together at the end of a `with` block; an exception drops them all.

    Reading happens when the block ends, and again if a file changed meanwhile: `edit` takes a function
    that finds the edits in whatever the file then says.
    """

    def __init__(self, engine: Engine, summary: str) -> None:
        self._engine = engine
        self._summary = summary
        self._wanted: list[Callable[[Session], FileChange]] = []
        self._over = False
        self.change: Change | None = None
        """What landed, after the block; None if nothing had to change."""
        self.recovered: Recovered | None = None
        """The interrupted transaction that had to be cleared up first, if there was one."""

    def create(self, path: Path, content: bytes | str, *, mode: int | None = None) -> None:
        """A new file, perhaps with permission bits of its own."""
        name, new = fspath(path), _bytes(content)
        if mode is not None and not 0 <= mode <= _PERMISSION_BITS:
            raise ValueError(mode)
        self._want(lambda session: session.plan_create(name, new, mode))

    def write(self, path: Path, content: bytes | str) -> None:
        """A file's whole content, whether it exists or not."""
        name, new = fspath(path), _bytes(content)
        self._want(lambda session: session.plan_write(name, new))

    def edit(self, path: Path, edits: Callable[[Text], Iterable[Edit]], *, encoding: str | None = None) -> None:
        """Edits that the function `edits` finds in the file's text."""
        name = fspath(path)
        if not hasattr(edits, "__call__"):  # noqa: B004  callable() would tell mypy that this cannot be
            message = "edits must be a function of the text: it may be asked again if the file changes"
            raise TypeError(message)
        self._want(lambda session: session.plan_edit(name, edits, encoding))

    def delete(self, path: Path) -> None:
        """A file goes away. A symbolic link is refused: only what it points to could be deleted."""
        name = fspath(path)
        self._want(lambda session: session.plan_delete(name))

    def rename(self, path: Path, to: Path, content: bytes | str | None = None) -> None:
        """A file gets another name, perhaps with new content; an existing file is never replaced."""
        name, target = fspath(path), fspath(to)
        new = None if content is None else _bytes(content)
        self._want(lambda session: session.plan_rename(name, target, new))

    def _want(self, change: Callable[[Session], FileChange]) -> None:
        self._check_open()
        self._wanted.append(change)

    def _check_open(self) -> None:
        if self._over:
            message = "this transaction is over; begin another one"
            raise RuntimeError(message)

    def __enter__(self) -> Self:
        self._check_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over = True
        if kind is None:
            landing = self._engine.land(self._plan)
            self.change, self.recovered = landing.change, landing.recovered

    def _plan(self, session: Session) -> Plan:
        return Plan(tuple(wanted(session) for wanted in self._wanted), "transaction", self._summary)


def _bytes(content: bytes | str) -> bytes:
    try:
        return content.encode() if isinstance(content, str) else content
    except UnicodeEncodeError as error:
        raise NotEncodable(character=error.object[error.start], encoding="utf-8") from None
