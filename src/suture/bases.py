"""The earlier versions of a file, on which a request may have been written.

    shown     what this workspace's callers were shown, kept in memory (`session.Shown`)
    history   what our changes found and left
    git       the index, HEAD, and the commits before it

They are fetched one by one, as long as somebody asks for more, within the bounds of the settings. What cannot be
fetched is not there: this never fails.
"""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import islice
from time import monotonic

from suture import log
from suture.errors import EncodingMismatch, SutureError
from suture.files.local_fs import LocalFS
from suture.locate.found import Base
from suture.text import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from suture.files.git import PastVersion, Repository
    from suture.files.history import History
    from suture.files.logbook import KnownVersion, LogBook
    from suture.files.tree import Tree
    from suture.plan import Content, Snapshot
    from suture.settings import Settings

_MOST_CHANGES = 100  # of a file in the history
_MOST_COMMITS = 20  # that touched the file, before the one that is checked out
_REMEMBERED = 1_000


class Bases:
    """Where the earlier versions of one file come from, and how much of them is still allowed."""

    def __init__(self, now: Snapshot, settings: Settings, remembered: dict[str, object]) -> None:
        """`remembered` keeps what commits had, from one call to the next."""
        self._now = now
        self._settings = settings
        self._remembered = remembered
        self._ends = monotonic() + settings.base_ms / 1000
        body = now.text.body
        self._seen = {_plain(body)} if len(body) <= 2 * settings.max_base_bytes else set()  # a larger one is none
        self._room = settings.max_bases_bytes
        self._left = settings.max_bases

    def every(self, shown: Sequence[Content], history: Callable[[], History], trees: Sequence[Tree]) -> Iterator[Base]:
        """Every earlier version, once, in the order of where it is from, and there the newest first."""
        known: list[KnownVersion] = []
        try:
            if not self._over:
                with history().reading() as book:
                    known = list(islice(book.versions(self._now.place.name), _MOST_CHANGES))
                    yield from self._shown(shown, known)
                    yield from self._recorded(book, known)
        except SutureError as error:
            log.debug("bases", "no history: %s", error)
            yield from self._shown(shown, known)  # those that were given already count once
        try:
            if not self._over and isinstance(trees[0].fs, LocalFS):
                yield from self._committed(trees)
        except (OSError, ValueError) as error:
            log.debug("bases", "no more of git: %r", error)

    def _shown(self, shown: Sequence[Content], known: Sequence[KnownVersion]) -> Iterator[Base]:
        recorded = {each.digest: each for each in reversed(known)}
        for content in shown:
            version = recorded.get(content.digest) if recorded else None
            made_by, replaced_by = (version.made_by, version.replaced_by) if version else (None, None)
            yield from self._base(content.bytes(), "read", made_by, replaced_by)

    def _recorded(self, book: LogBook, known: Sequence[KnownVersion]) -> Iterator[Base]:
        given: set[str] = set()
        for version in known:
            if version.digest in given:
                continue
            given.add(version.digest)
            size = book.size(version.digest)
            if size is not None and self._fits(size) and (content := book.content(version.digest)) is not None:
                yield from self._base(content, "history", version.made_by, version.replaced_by)
            if self._over:
                break

    def _committed(self, trees: Sequence[Tree]) -> Iterator[Base]:
        from suture.files.git import repository

        roots = [tree.fs.real_path(tree.root) for tree in trees]
        file = os.path.join(roots[self._now.place.root], self._now.place.path)
        found = repository(file, roots, self._ends)
        if found is None:
            return
        with found:
            head, staged = found.head(), found.staged()
            newest = None if head is None else found.at(head)
            if staged is not None and staged != newest:
                yield from self._object(found, staged, "index", None, None)
            if head is None or newest is None:
                return
            yield from self._object(found, newest, "head", head.hex(), None)
            for version in self._past(found, file, head):
                yield from self._object(found, version.blob, "commit", version.commit, version.until)
                if self._over:
                    break

    def _past(self, repository: Repository, file: str, head: bytes) -> Iterator[PastVersion]:
        """The versions before a commit, each once; and if they are looked for again, without going through commits."""
        commits = self._remembered.setdefault("commits", {})
        assert isinstance(commits, dict)  # noqa: S101  ours
        kept = commits.get(file)
        if kept is not None and kept[0] == head:
            yield from kept[1]
            return
        found: dict[bytes, PastVersion] = {}
        for version in repository.past(head):
            if version.blob not in found:
                found[version.blob] = version
                if len(found) == _MOST_COMMITS:
                    break
                yield version
        if len(commits) >= _REMEMBERED:
            commits.clear()
        commits[file] = head, list(found.values())
        yield from list(found.values())[_MOST_COMMITS - 1 :]

    def _object(
        self, repository: Repository, blob: bytes, source: str, commit: str | None, until: str | None
    ) -> Iterator[Base]:
        content = repository.content(blob, self._settings.max_base_bytes)
        if content is not None:
            yield from self._base(content, source, commit, until)

    @property
    def _over(self) -> bool:
        """Whether there are enough, or it took long enough."""
        return self._left <= 0 or monotonic() >= self._ends

    def _fits(self, size: int) -> bool:
        return size <= min(self._settings.max_base_bytes, self._room)

    def _base(self, content: bytes, source: str, made_by: str | None, until: str | None) -> Iterator[Base]:
        """A version, unless it is known already or too much."""
        if self._over or not self._fits(len(content)):
            return
        body = _body(content, self._now.text.encoding)
        if (plain := _plain(body)) not in self._seen:
            self._seen.add(plain)
            self._room -= len(content)
            self._left -= 1
            yield Base(body, source, made_by, until)


def _body(content: bytes, encoding: str | None) -> bytes:
    """A version's text; in the file's encoding of now, if it does not say itself what it is in."""
    text = Text.decode(content)
    if text.encoding is None:
        with suppress(EncodingMismatch):  # it was in another one then
            text = Text.decode(content, encoding)
    return text.body


def _plain(body: bytes) -> bytes:
    """A text whose line ends do not matter."""
    return body.replace(b"\r\n", b"\n")
