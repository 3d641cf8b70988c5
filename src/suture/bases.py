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
from time import monotonic

from suture import log
from suture.errors import EncodingMismatch, HistoryUnavailable
from suture.files.local_fs import LocalFS
from suture.locate.rebase import Base
from suture.text import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from suture.files.history import History
    from suture.files.logbook import KnownVersion, LogBook
    from suture.files.tree import Tree
    from suture.plan import Content, Snapshot
    from suture.settings import Settings

_MOST_CHANGES = 100  # of a file in the history
_MOST_COMMITS = 20


class Bases:
    """Where the earlier versions of one file come from, and how much of them is still allowed."""

    def __init__(self, now: Snapshot, settings: Settings) -> None:
        self._now = now
        self._settings = settings
        self._ends = monotonic() + settings.base_ms / 1000
        self._seen = {_plain(now.text.body)}
        self._room = settings.max_bases_bytes
        self._left = settings.max_bases

    def every(self, shown: Sequence[Content], history: Callable[[], History], trees: Sequence[Tree]) -> Iterator[Base]:
        """Every earlier version, once, in the order of where it is from, and there the newest first."""
        if not self._left:
            return
        known: list[KnownVersion] = []
        try:
            with history().reading() as book:
                known = self._known(book)
                yield from self._shown(shown, known)
                yield from self._recorded(book, known)
        except HistoryUnavailable as error:
            log.debug("bases", "no history: %s", error)
            yield from self._shown(shown, known)  # again those that were given: they count once
        try:
            if isinstance(trees[0].fs, LocalFS):
                yield from self._committed(trees)
        except (OSError, ValueError) as error:
            log.debug("bases", "no more of git: %r", error)

    def _known(self, book: LogBook) -> list[KnownVersion]:
        found = []
        for each in book.versions(self._now.place.name):
            found.append(each)
            if len(found) >= _MOST_CHANGES:
                break
        return found

    def _shown(self, shown: Sequence[Content], known: Sequence[KnownVersion]) -> Iterator[Base]:
        recorded = {each.digest: each for each in reversed(known)}
        for content in shown:
            version = recorded.get(content.digest) if recorded else None
            made_by, replaced_by = (version.made_by, version.replaced_by) if version else (None, None)
            yield from self._base(content.bytes(), "read", made_by, replaced_by)

    def _recorded(self, book: LogBook, known: Sequence[KnownVersion]) -> Iterator[Base]:
        given: set[str] = set()
        for version in known:
            size = book.size(version.digest)
            if version.digest in given or size is None or not self._fits(size):
                continue
            given.add(version.digest)
            content = book.content(version.digest)
            if content is not None:
                yield from self._base(content, "history", version.made_by, version.replaced_by)

    def _committed(self, trees: Sequence[Tree]) -> Iterator[Base]:
        from suture.files.git import repository

        roots = [tree.fs.real_path(tree.root) for tree in trees]
        place = self._now.place
        found = repository(os.path.join(roots[place.root], place.path), roots, self._ends)
        if found is None:
            return
        with found:
            past, number = found.past(), 0
            newest = next(past, None)
            staged = found.staged()
            if staged is not None and (newest is None or staged != newest.blob):
                yield from self._object(found.content(staged, self._settings.max_base_bytes), "index", None, None)
            head = found.head()
            while newest is not None and number < _MOST_COMMITS:
                source, commit = ("commit", newest.commit) if number or head is None else ("head", head.hex())
                content = found.content(newest.blob, self._settings.max_base_bytes)
                yield from self._object(content, source, commit, newest.until)
                newest, number = next(past, None), number + 1

    def _object(self, content: bytes | None, source: str, commit: str | None, until: str | None) -> Iterator[Base]:
        if content is not None and self._fits(len(content)):
            yield from self._base(content, source, commit, until)

    def _fits(self, size: int) -> bool:
        return self._left > 0 and size <= min(self._settings.max_base_bytes, self._room) and monotonic() < self._ends

    def _base(self, content: bytes, source: str, made_by: str | None, until: str | None) -> Iterator[Base]:
        """A version, unless it is known already or too much."""
        if not self._fits(len(content)):
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
