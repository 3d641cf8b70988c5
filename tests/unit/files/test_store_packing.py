"""A version packed against the one before: it is restored exactly, and impossible data is an error."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from suture.files.store import Packed, pack, unpack

LINES = b"".join(b"line %d of the old text\n" % number for number in range(300))
OTHER_LINES = b"".join(b"row %d, which is new\n" % (number * 7) for number in range(300))


def noise(size: int, seed: int = 1) -> bytes:
    """Bytes that no compression makes smaller."""
    return Random(seed).randbytes(size)


sizes = st.one_of(st.integers(0, 40), st.integers(980, 1100), st.integers(0, 6000))
parts = st.one_of(
    st.binary(max_size=300),
    st.builds(noise, sizes, st.integers(0, 3)),
    st.builds(lambda size: LINES[:size], sizes),
    st.builds(lambda size: OTHER_LINES[-size:], sizes),
)


@st.composite
def two_versions(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """An old and a new version, with something in common at both ends more often than not."""
    head, tail = draw(parts), draw(parts)
    return head + draw(parts) + tail, head + draw(parts) + tail


def damage(data: bytes, at: int, mask: int) -> bytes:
    return data[:at] + bytes([data[at] ^ mask]) + data[at + 1 :]


def unpack_or_refuse(packed: Packed, size: int, old: bytes) -> bytes | None:
    try:
        return unpack(packed, size, old)
    except ValueError:
        return None


@given(two_versions())
@example((b"", b""))
@example((b"old", b""))
@example((b"", b"new"))
@example((b"same", b"same"))
@example((b"aa", b"a"))
@example((b"aba", b"ababa"))
def test_any_version_comes_back(versions: tuple[bytes, bytes]) -> None:
    old, new = versions
    packed = pack(new, old)
    assert unpack(packed, len(new), old) == new
    assert packed.head + packed.tail <= min(len(old), len(new))


@given(st.binary(max_size=4000))
def test_any_version_comes_back_without_another(new: bytes) -> None:
    assert unpack(pack(new), len(new)) == new


@pytest.mark.parametrize("new_size", [999, 1000, 1001, 5000])
@pytest.mark.parametrize("old_size", [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 1000])
def test_a_part_of_any_size_comes_back_in_place_of_a_part_of_any_size(old_size: int, new_size: int) -> None:
    old, new = b"<" + noise(old_size) + b">", b"<" + noise(new_size, 2) + b">"
    assert unpack(pack(new, old), len(new), old) == new


@pytest.mark.parametrize("size", [1 << 19, (1 << 20) + 1])
def test_a_large_version_comes_back_and_is_small_where_it_is_like_the_old_one(size: int) -> None:
    body = noise(size)
    old, new = b"1" + body + b"1", b"2" + body[size // 2 :] + b"between" + body[: size // 2] + b"2"
    packed = pack(new, old)
    assert unpack(packed, len(new), old) == new
    assert len(packed.data) < 2_000


@pytest.mark.parametrize(
    ("old", "new", "codec"),
    [
        (b"", b"short", "raw"),
        (b"a" * 5000, b"a" * 5000 + b"b", "raw"),
        (b"", noise(999), "raw"),
        (b"", noise(1000), "zstd"),
        (b"<>", b"<" + noise(1000) + b">", "zstd"),
        (b"<" + LINES + b">", b"<" + OTHER_LINES + b">", "zstd+"),
    ],
)
def test_what_is_short_is_stored_as_it_is_and_the_old_version_helps_with_the_rest(
    old: bytes, new: bytes, codec: str
) -> None:
    assert pack(new, old).codec == codec


def test_what_two_versions_share_at_both_ends_is_not_stored() -> None:
    old = LINES + LINES
    assert pack(LINES + b"!" + LINES, old) == Packed(len(LINES), len(LINES), "raw", b"!")
    assert pack(old, old) == Packed(len(old), 0, "raw", b"")


@given(two_versions(), st.integers(0), st.integers(1, 255))
def test_damaged_data_is_an_error_or_another_version_of_the_same_size(
    versions: tuple[bytes, bytes], where: int, mask: int
) -> None:
    """Where contents are stored, their hash detects the latter."""
    old, new = versions
    packed = pack(new, old)
    if packed.data:
        packed = packed.evolve(data=damage(packed.data, where % len(packed.data), mask))
        result = unpack_or_refuse(packed, len(new), old)
        assert result is None or len(result) == len(new)


@pytest.mark.parametrize("old", [b"", LINES], ids=["zstd", "zstd+"])
def test_any_damage_to_the_beginning_is_an_error_or_another_version_of_the_same_size(old: bytes) -> None:
    """The sizes that zstd trusts are there."""
    packed = pack(OTHER_LINES, old)
    for at in range(18):
        for mask in range(1, 256):
            broken = packed.evolve(data=damage(packed.data, at, mask))
            result = unpack_or_refuse(broken, len(OTHER_LINES), old)
            assert result is None or len(result) == len(OTHER_LINES), (at, mask)


@given(two_versions(), parts)
def test_the_wrong_old_version_is_an_error_or_another_version_of_the_same_size(
    versions: tuple[bytes, bytes], wrong: bytes
) -> None:
    old, new = versions
    result = unpack_or_refuse(pack(new, old), len(new), wrong)
    assert result is None or len(result) == len(new)


@pytest.mark.parametrize("length", [0, 1, 4, 17, 200])
def test_data_that_was_cut_off_is_an_error(length: int) -> None:
    packed = pack(OTHER_LINES, LINES)
    assert unpack_or_refuse(packed.evolve(data=packed.data[:length]), len(OTHER_LINES), LINES) is None


@pytest.mark.parametrize(
    ("packed", "size"),
    [
        (Packed(-1, 0, "raw", b"new"), 2),
        (Packed(0, -1, "raw", b"new"), 2),
        (Packed(4, 0, "raw", b"new"), 7),
        (Packed(0, 4, "raw", b"new"), 7),
        (Packed(2, 1, "raw", b"new"), 2),
        (Packed(0, 0, "raw", b"new"), 2),
        (Packed(0, 0, "raw", b"new"), 4),
        (Packed(0, 0, "zstd", pack(noise(1000)).data), 999),
        (Packed(0, 0, "zstd", pack(noise(1000)).data), 1001),
        (Packed(0, 0, "zstd", pack(noise(1000)).data), 0),
        (Packed(0, 0, "zstd", b"no frame"), 8),
        (Packed(0, 0, "zstd+", b"no frame"), 8),
        (Packed(0, 0, "lzma", b"unknown"), 7),
        (Packed(0, 0, "", b"unknown"), 7),
    ],
)
def test_sizes_and_codecs_that_do_not_fit_are_an_error(packed: Packed, size: int) -> None:
    assert unpack_or_refuse(packed, size, b"old") is None
