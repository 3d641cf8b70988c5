"""A large file as copies from its old version: it is restored exactly, and damage is an error."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suture.files.store import apply_delta, delta, pack, unpack
from tests.scale import scaled

LINES = [b"%06d = make(%d, 'a value of some length')\n" % (number, number * 7919) for number in range(30_000)]
OLD = b"".join(LINES)


def scatter_edits(seed: int, edits: int) -> bytes:
    """The old text with scattered changed, inserted and removed lines."""
    random, lines = Random(seed), [*LINES]
    for _ in range(edits):
        at = random.randrange(len(lines))
        lines[at] = random.choice([b"", lines[at] + b"another line\n", lines[at].replace(b"make", b"made"), b"x" * 900])
    return b"".join(lines)


FEW = scatter_edits(1, 3), delta(scatter_edits(1, 3), OLD) or b""


@pytest.mark.parametrize("seed", range(scaled(3)))
@pytest.mark.parametrize("edits", [1, 30, 1_000])
def test_scattered_edits_come_back_and_cost_little_more_than_they_say(seed: int, edits: int) -> None:
    new = scatter_edits(seed, edits)
    data = delta(new, OLD)
    assert data is not None
    assert apply_delta(data, OLD, len(new)) == new
    assert len(data) < 1_000 * (edits + 1)


def test_a_version_with_scattered_edits_is_packed_as_a_delta() -> None:
    new = scatter_edits(1, 200)
    packed = pack(new, OLD)
    assert (packed.codec, packed.head, packed.tail) == ("delta", 0, 0)
    assert unpack(packed, len(new), OLD) == new


def test_a_file_that_was_rewritten_has_no_delta_and_is_packed_in_another_way() -> None:
    new = b"".join(b"%d is another text\n" % (number * 31) for number in range(80_000))
    assert delta(new, OLD) is None
    packed = pack(new, OLD)
    assert packed.codec == "zstd+"
    assert unpack(packed, len(new), OLD) == new


def test_a_text_of_more_pieces_than_are_allowed_has_no_delta() -> None:
    old = b"".join(b"%07d and so on and so forth\n" % number for number in range(40_000))
    assert delta(old.replace(b"and so on", b"and so in"), old) is None


texts = st.lists(st.sampled_from([b"one line\n", b"two\n", b"a", b"the third line is long enough to meet at\n", b""]))


@given(texts.map(b"".join), texts.map(b"".join))
def test_any_delta_gives_the_text_back(new: bytes, old: bytes) -> None:
    data = delta(new, old)
    assert data is None or apply_delta(data, old, len(new)) == new


@given(st.data(), texts.map(b"".join))
def test_damage_is_an_error_or_another_text_of_the_same_size(data: st.DataObject, old: bytes) -> None:
    new, whole = FEW
    at = data.draw(st.integers(0, 60))
    damaged = whole[:at] + bytes([whole[at] ^ data.draw(st.integers(1, 255))]) + whole[at + 1 :]
    for wrong, base in ((damaged, OLD), (whole, old), (whole[:at], OLD)):
        try:
            assert len(apply_delta(wrong, base, len(new))) == len(new)
        except ValueError:
            continue
