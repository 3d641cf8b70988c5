"""Whether two searches found the same: compared match by match, with nothing left over on either side."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.search.rivals import Match

FIELDS = ("match", "context_before", "context_after")
SHOWN = 10


def differences(ours: Sequence[Match], theirs: Sequence[Match], fields: Sequence[str] = FIELDS) -> Iterator[str]:
    """What one side has and the other lacks or has differently. A match is identified by file, line and column."""
    if len(known := _by_place(ours)) != len(ours):
        yield f"ours names {len(ours) - len(known)} places twice"
    others = _by_place(theirs)
    for place in sorted(known.keys() | others.keys()):
        where = "{}:{}:{}".format(*place)
        if place not in others:
            yield f"{where} only ours: {known[place]['match']!r}"
        elif place not in known:
            yield f"{where} only theirs: {others[place]['match']!r}"
        else:
            mine, other = known[place], others[place]
            for field in fields:
                if mine[field] != other[field]:
                    yield f"{where} {field}: ours {mine[field]!r}, theirs {other[field]!r}"


def hold_equal(what: str, found: Iterator[str]) -> None:
    """End the benchmark if there is a difference: times of different answers cannot be compared."""
    shown = [difference for difference, _ in zip(found, range(SHOWN), strict=False)]
    if shown:
        raise SystemExit("\n".join([f"{what}: not the same matches; the first differences:", *shown]))


def _by_place(matches: Sequence[Match]) -> dict[tuple[str, int, int], Match]:
    return {(match["file"], match["line"], match["column"]): match for match in matches}
