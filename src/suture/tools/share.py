"""Work on many files, shared with a second process: whoever is free takes the next of them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from suture.files.partner import Finder, Partner

    Run = tuple[int, str, list[str]]
    Files = list[tuple[str, list[str]]]
    Batch = tuple[str, dict[str, Any], dict[str, Any], int, Files]

_WORTH_ASKING = 200  # files that are looked at alone before a second process is asked,
_WORTH_STARTING = 1_500  # or started
_BATCH = 400


class Shared:
    """The files of one call. `own` gives those to look at here, `others` what came of the rest."""

    def __init__(self, find: Finder, batch: Callable[[int, Files], Batch]) -> None:
        self._find = find
        self._batch = batch
        self._partner: Partner | None = None
        self._given: Files = []
        self._done: list[tuple[Files, Any]] = []

    @property
    def was_used(self) -> bool:
        """Whether a part of the files was looked at elsewhere."""
        return bool(self._done)

    def own(self, root: int, runs: Iterable[Run]) -> Iterator[Run]:
        """The runs to look at here."""
        seen, filling, size = 0, list[tuple[str, list[str]]](), 0
        for folder, prefix, names in _pieces(runs):
            seen += len(names)
            if seen < _WORTH_ASKING or not (filling or self._is_free(start=seen >= _WORTH_STARTING)):
                yield folder, prefix, names
                continue
            filling.append((prefix, names))
            size += len(names)
            if size >= _BATCH:
                self._give(root, filling)
                filling, size = [], 0
        if filling:
            self._give(root, filling)

    def _is_free(self, *, start: bool) -> bool:
        if self._partner is None:
            self._partner = self._find(start=start)
        if self._partner is None or not self._partner.usable:
            return False
        if self._given and self._partner.ready:
            self._take()
        return not self._given

    def _give(self, root: int, files: Files) -> None:
        assert self._partner is not None  # noqa: S101  it was free
        if self._partner.give(self._batch(root, files)):
            self._given = files
        else:
            self._done.append((files, None))

    def _take(self) -> None:
        assert self._partner is not None  # noqa: S101  it was given something
        self._done.append((self._given, self._partner.take()))
        self._given = []

    def others(self) -> list[tuple[Files, Any]]:
        """The files that were given away, and the answers; None where there is none."""
        if self._given:
            self._take()
        return self._done


def _pieces(runs: Iterable[Run]) -> Iterator[Run]:
    """The runs, none of them longer than a batch."""
    for folder, prefix, names in runs:
        for start in range(0, len(names), _BATCH):
            yield folder, prefix, names[start : start + _BATCH]
