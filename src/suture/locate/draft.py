"""A change before it is made: whether it, or a part of it, stands in the file already, or is about something else."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from suture.locate.fold import fold, line_keys, solid_keys
from suture.locate.ground import Ground
from suture.locate.words import informative, lead, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.diff import Change

_TELLING = 4
_PATIENCE = 4_000_000  # lines that are compared, at all places where old ones may stand among new ones
_ADDED = 3  # letters and digits that can't be there by chance
_NEAR = 3


class Draft(Ground):
    """The ground, and the request's lines as the file would have them; None where that can't be known."""

    old: list[str | None]
    new: list[str | None]

    def is_done(self, region: Change) -> bool:
        """Whether the file has this part of the change already."""
        i, j, k, m = region
        low, high = self.before(i)[0], self.after(j)[0]
        if low is None or high is None:
            return False
        here = [self.file[place].rstrip() for place in range(low + 1, high)]
        wanted = [None if line is None else line.rstrip() for line in self.new[k:m]]
        if here != wanted or not any(line.strip() for line in (*self.request.old[i:j], *self.request.new[k:m])):
            return False
        return not all(self.known(number) for number in range(i, j)) or i == j

    def is_there(self, region: Change) -> bool:
        """Whether what this part of the change adds stands in the file, over the old lines or right beside them."""
        i, j, k, m = region
        before, after = self.request.old[i:j], self.request.new[k:m]
        old, new = solid_keys(before), solid_keys(after)
        more = sum(map(informative, after)) - sum(map(informative, before))
        known = set(line_keys(self.request.old))
        if all(key in known for key in new):
            return False  # they are moved
        if more < _ADDED or not 0 < len(new) - len(old) <= _PATIENCE // max(len(old), 1):
            return False
        solid, keys = self.index.solid, self.index.keys
        if old:
            first = next((place for place in self.at[i:j] if place is not None and keys[place]), None)
            offsets = [n for n in range(len(new) - len(old) + 1) if new[n : n + len(old)] == old]
            starts = [bisect_left(solid, first) - n for n in offsets] if first is not None else []
        else:
            low, high = self.before(i)[0], self.after(j)[0]
            starts = [] if low is None else [bisect_right(solid, low)]
            starts += [] if high is None else [bisect_left(solid, high) - len(new)]
        return any(n >= 0 and [keys[place] for place in solid[n : n + len(new)]] == new for n in starts)

    def is_begun(self, region: Change) -> bool:
        """Whether a telling line that the change brings stands beside the place already, unknown to the request."""
        missing = any(place is None and self.says(n) for n, place in enumerate(self.at))
        own = any(place not in self.taken and line.strip() for place, line in self.file.items())
        if not missing and not own:
            return False
        fresh = self.request.new[region[2] : region[3]]
        known = set(line_keys(self.request.old))
        return any(
            informative(line) >= _TELLING and key not in known and self._stands_near(key)
            for line, key in zip(fresh, line_keys(fresh), strict=True)
        )

    def _stands_near(self, key: bytes) -> bool:
        places = self.index.where(key)
        reach = len(self.request.new) if len(places) == 1 else _NEAR
        return any(min(self.file) - reach <= place <= max(self.file) + reach for place in places)

    def known(self, number: int) -> bool:
        """Whether an old line is surely one of the file's."""
        place = self.at[number]
        if place is None:
            return not self.request.old[number].strip()
        sent = self.old[number]
        return self.index.knows(self.request.old[number] if sent is None else sent, self.file[place])

    def check_touched(self, regions: Sequence[Change]) -> None:
        """Refuse to touch a line that stands at another depth than it was sent at, or names something else in it."""
        pairs = zip(self.request.old, self.at, strict=True)
        kept = any(place is not None and lead(line) == lead(self.file[place]) for line, place in pairs)
        for region in regions:
            for number in range(region[0], region[1]):
                said, here = self.old[number], self.line(number)
                if said is None and kept:  # no one rule moves all lines
                    said = self.request.old[number]
                if said is None or here is None or not said.strip():
                    continue
                if lead(said) != lead(here) or self._names_other(said, here):
                    raise self.clash("conflict", "differs", region)

    def _names_other(self, sent: str, here: str) -> bool:
        """Whether a word that differs from the file's in case is another word of the file."""
        one, other = words(fold(sent)), words(fold(here))
        pairs = zip(one, other, strict=True) if sent != here and len(one) == len(other) else ()
        return any(a != b and a.lower() == b.lower() and self.index.has_word(a, cased=True) for a, b in pairs)
