"""Whether two searches found the same: compared match by match, with nothing left over on either side."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.search.peers import Match

FIELDS = ("match", "context_before", "context_after")
SHOWN = 10


def differences(ours: Sequence[Match], theirs: Sequence[Match], fields: Sequence[str] = FIELDS) -> Iterator[str]:
    """What one side has and the other lacks or has differently. A match is identified by file, line and column."""
    if len(our_matches := _by_place(ours)) != len(ours):
        yield f"ours names {len(ours) - len(our_matches)} places twice"
    their_matches = _by_place(theirs)
    for place in sorted(our_matches.keys() | their_matches.keys()):
        where = "{}:{}:{}".format(*place)
        if place not in their_matches:
            yield f"{where} only ours: {our_matches[place]['match']!r}"
        elif place not in our_matches:
            yield f"{where} only theirs: {their_matches[place]['match']!r}"
        else:
            our_match, their_match = our_matches[place], their_matches[place]
            for field in fields:
                if our_match[field] != their_match[field]:
                    yield f"{where} {field}: ours {our_match[field]!r}, theirs {their_match[field]!r}"


def require_equal(what: str, reports: Iterator[str]) -> None:
    """End the benchmark if there is a difference: times of different answers cannot be compared."""
    shown = [difference for difference, _ in zip(reports, range(SHOWN), strict=False)]
    if shown:
        raise SystemExit("\n".join([f"{what}: not the same matches; the first differences:", *shown]))


def _by_place(matches: Sequence[Match]) -> dict[tuple[str, int, int], Match]:
    return {(match["file"], match["line"], match["column"]): match for match in matches}
