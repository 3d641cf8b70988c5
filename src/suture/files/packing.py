"""How a version of a file is stored beside the version before it: what they share, and the rest compressed.

    pack(new, old) -> Packed(head, tail, codec, data)             unpack(packed, size, old) -> new

The common beginning and end cost nothing. What lies between is compressed by zstd with the old file's own
middle as its dictionary, or stored as it is where it is too short to be worth loading zstd. A large file that was
changed here and there is stored as what it takes from the old one (`files.delta`).
"""

from __future__ import annotations

from suture.edits import common_ends
from suture.files.delta import delta, patched
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from zstandard import ZstdCompressor

_SHORT = 1_000  # bytes that are stored as they are
_LARGE = 1 << 20
_LARGEST_TABLE = 22  # 16 MB while packing
_SMALLEST_WINDOW, _SMALLEST_TABLE = 10, 6  # zstd's own bounds
_IDLE: list[ZstdCompressor] = []


class Packed(Record):
    """A version as the difference to another: its first `head` and last `tail` bytes are that one's."""

    head: int
    tail: int
    codec: str
    """What `data` is: `raw`, `zstd`, `zstd+` with the other version's middle as dictionary, or a `delta`."""
    data: bytes


def pack(new: bytes, old: bytes = b"", ends: tuple[int, int] | None = None) -> Packed:
    """Make a version small; `ends` are the lengths of what it shares with the old one, if that is known."""
    head, tail = ends or common_ends(old, new)
    if min(len(old), len(new)) - head - tail > _LARGE and (data := delta(new, old)) is not None:
        return Packed(0, 0, "delta", data)
    rest = new[head : len(new) - tail]
    if len(rest) < _SHORT:
        return Packed(head, tail, "raw", rest)
    known = old[head : len(old) - tail]
    if not known:
        return Packed(head, tail, "zstd", _compressed(rest))
    from zstandard import DICT_TYPE_RAWCONTENT, ZstdCompressionDict, ZstdCompressionParameters, ZstdCompressor

    both = len(known) + len(rest)
    parameters = ZstdCompressionParameters.from_level(
        1 if both > _LARGE else 3,
        source_size=len(rest),
        dict_size=len(known),
        window_log=max(both.bit_length(), _SMALLEST_WINDOW),
        hash_log=min(max(len(known).bit_length() + 1, _SMALLEST_TABLE), _LARGEST_TABLE),  # the default is too small
    )
    dictionary = ZstdCompressionDict(known, dict_type=DICT_TYPE_RAWCONTENT)
    compressor = ZstdCompressor(dict_data=dictionary, compression_params=parameters)
    return Packed(head, tail, "zstd+", compressor.compress(rest))


def _compressed(content: bytes) -> bytes:
    """A content by itself. Whoever compresses has a compressor alone; it is kept, since making it takes as long."""
    from zstandard import ZstdCompressor  # 8 ms: most edits are short

    try:
        compressor = _IDLE.pop()
    except IndexError:
        compressor = ZstdCompressor(level=3)
    data = compressor.compress(content)
    _IDLE[:] = [compressor]
    return data


def unpack(packed: Packed, size: int, old: bytes = b"") -> bytes:
    """The version of `size` bytes again. Raises ValueError where the data cannot be what was packed."""
    head, tail = packed.head, packed.tail
    length = size - head - tail
    rest = packed.data
    if min(head, tail, length) < 0 or max(head, tail) > len(old):
        raise ValueError(packed)
    if packed.codec == "delta":
        return patched(packed.data, old, size)
    if packed.codec != "raw":
        from zstandard import DICT_TYPE_RAWCONTENT, ZstdCompressionDict, ZstdDecompressor, ZstdError, frame_content_size

        known = old[head : len(old) - tail] if packed.codec == "zstd+" else b""
        dictionary = ZstdCompressionDict(known, dict_type=DICT_TYPE_RAWCONTENT) if known else None
        try:
            if frame_content_size(rest) != length:  # or it would ask for as much memory as the damage claims
                raise ValueError(packed.codec)
            decompressor = ZstdDecompressor(dict_data=dictionary, max_window_size=1 << 31)
            rest = decompressor.decompress(rest, max_output_size=length)
        except ZstdError as error:
            raise ValueError(packed.codec) from error
    if len(rest) != length:
        raise ValueError(len(rest))
    return old[:head] + rest + old[len(old) - tail :]
