"""Write git's files by hand, including some that git would never write."""

import zlib
from collections.abc import Iterable, Sequence
from hashlib import sha1
from pathlib import Path

from suture.text.edits import common_ends

COMMIT, TREE, BLOB, TAG, OFFSET_DELTA, NAME_DELTA = 1, 2, 3, 4, 6, 7
WORDS = {COMMIT: b"commit", TREE: b"tree", BLOB: b"blob", TAG: b"tag"}


def object_name(kind: int, content: bytes) -> bytes:
    return sha1(b"%b %d\0%b" % (WORDS[kind], len(content), content), usedforsecurity=False).digest()


def loose(objects: Path, kind: int, content: bytes, raw: bytes | None = None) -> bytes:
    """Write a loose object, or other bytes in its place; returns its name."""
    name = object_name(kind, content)
    place = objects / name.hex()[:2] / name.hex()[2:]
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(zlib.compress(b"%b %d\0%b" % (WORDS[kind], len(content), content)) if raw is None else raw)
    return name


def tree(entries: Iterable[tuple[bytes, bytes, bytes]]) -> bytes:
    return b"".join(b"%b %b\0%b" % entry for entry in entries)


def commit(tree_name: bytes, parents: Iterable[bytes] = (), time: int = 0) -> bytes:
    before = b"".join(b"parent %b\n" % parent.hex().encode() for parent in parents)
    return b"tree %b\n%bauthor a <a@b> 0 +0000\ncommitter a <a@b> %d +0000\n\nx\n" % (
        tree_name.hex().encode(),
        before,
        time,
    )


def number(value: int) -> bytes:
    """A number as encoded in a delta."""
    return bytes([value & 127 | 128]) + number(value >> 7) if value > 127 else bytes([value])


def delta(base: bytes, result: bytes, keep: int) -> bytes:
    """A delta to a text that starts with the first `keep` bytes of the base."""
    order = b"\xf0" + keep.to_bytes(3, "little") if keep else b""
    pieces = [result[at : at + 127] for at in range(keep, len(result), 127)]
    return number(len(base)) + number(len(result)) + order + b"".join(bytes([len(piece)]) + piece for piece in pieces)


def pack_object(kind: int, data: bytes, head: bytes = b"", size: int | None = None) -> bytes:
    """An object in a pack; `head` names its base."""
    size = len(data) if size is None else size
    first, more = kind << 4 | size & 15, size >> 4
    sizes = bytes([first | 128]) + number(more) if more else bytes([first])
    return sizes + head + zlib.compress(data)


def back(distance: int) -> bytes:
    """The distance back to an object's base."""
    encoded = [distance & 127]
    while distance := distance >> 7:
        distance -= 1
        encoded.append(distance & 127 | 128)
    return bytes(reversed(encoded))


class PackWriter:
    """A pack and its index."""

    def __init__(self) -> None:
        self.data = bytearray(b"PACK\0\0\0\2\0\0\0\0")
        self.places: dict[bytes, int] = {}

    def add(self, name: bytes, raw: bytes) -> int:
        place = len(self.data)
        self.places[name] = place
        self.data += raw
        return place

    def write(self, objects: Path, *, far: bool = False, more: Sequence[bytes] = ()) -> Path:
        """Write both files; `far`: with offsets of eight bytes; `more`: names without an object."""
        folder = objects / "pack"
        folder.mkdir(parents=True, exist_ok=True)
        places = {**dict.fromkeys(more, 0), **self.places}
        names = sorted(places)
        counts = [sum(name[0] <= first for name in names) for first in range(256)]
        idx = b"\xfftOc\0\0\0\2" + b"".join(count.to_bytes(4, "big") for count in counts)
        idx += b"".join(names) + bytes(4 * len(names))
        near = [at | 1 << 31 if far else places[name] for at, name in enumerate(names)]
        idx += b"".join(place.to_bytes(4, "big") for place in near)
        idx += b"".join(places[name].to_bytes(8, "big") for name in names) if far else b""
        path = folder / f"pack-{sha1(idx, usedforsecurity=False).hexdigest()}.idx"
        path.write_bytes(idx + bytes(40))
        path.with_suffix(".pack").write_bytes(self.data + bytes(20))
        return path


def index(entries: Iterable[tuple[bytes, bytes, int, int]], version: int = 2) -> bytes:
    """An index of (path, object, mode, flags)."""
    content, last, count = b"", b"", 0
    for path, name, mode, flags in entries:
        count += 1
        extended = version == 3
        entry = bytes(24) + mode.to_bytes(4, "big") + bytes(12) + name
        entry += (flags | min(len(path), 0xFFF) | (1 << 14 if extended else 0)).to_bytes(2, "big") + bytes(2 * extended)
        if version == 4:
            shared = common_ends(last, path)[0]
            entry += back(len(last) - shared) + path[shared:] + b"\0"
        else:
            entry += path + b"\0" * (8 - (len(entry) + len(path)) % 8)
        content, last = content + entry, path
    return b"DIRC" + version.to_bytes(4, "big") + count.to_bytes(4, "big") + content + bytes(20)


class Repo:
    """A repository whose commits contain one file."""

    def __init__(self, top: Path) -> None:
        self.git = top / ".git"
        self.objects = self.git / "objects"
        self.objects.mkdir(parents=True)
        self.file = top / "src/a.py"
        self.file.parent.mkdir()
        self.file.write_bytes(b"now")

    def commit(self, content: bytes, *parents: bytes, time: int = 0) -> bytes:
        blob = loose(self.objects, BLOB, content)
        below = loose(self.objects, TREE, tree([(b"100644", b"a.py", blob)]))
        above = loose(self.objects, TREE, tree([(b"40000", b"src", below)]))
        return loose(self.objects, COMMIT, commit(above, parents, time))
