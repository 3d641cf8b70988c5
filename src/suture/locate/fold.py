"""Characters that look alike, and keys of lines that are the same for whoever reads them.

`fold` makes look-alikes plain. `coarse` goes further, on a whole text at once: no white space, no backslashes,
no accents, lower case, one kind of quotes. Lines that differ in nothing else have one key.
"""

from __future__ import annotations

from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

FAMILIES = {
    '"': "\u201c\u201d\u201e\u201f\u2033\uff02",
    "'": "\u2018\u2019\u201a\u201b\u2032\uff07",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d",
    " ": "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000",
    "...": "\u2026",
    "": "\u200b\u200c\u200d\u2060\ufeff\u00ad",
}
"""What each plain text is confused with."""

PLAIN = {exotic: plain for plain, members in FAMILIES.items() for exotic in members}
_TABLE = {ord(exotic): plain for exotic, plain in PLAIN.items()}

_DROPPED = b" \t\r\v\f\\"
_LOWER = bytes(range(256)).lower().replace(b"'", b'"')


def fold(text: str) -> str:
    """The text with plain characters for look-alikes, composed."""
    if text.isascii():
        return text
    from unicodedata import normalize

    return normalize("NFC", text).translate(_TABLE)


def encoded(text: str) -> bytes:
    """Text that holds lines of a file: bytes of an unknown encoding are bytes again, half characters stay halves."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def coarse(body: bytes) -> bytes:
    r"""The keys of a text's lines, each ended by `\n` as the line was."""
    if not body.isascii():
        body = _beyond_ascii().sub(lambda found: _plain(found[0]), body)
    if b"\n" not in body:
        body = body.replace(b"\r", b"\n")
    if b"\\\n" in body or b"\\\r\n" in body:  # a line that goes on is another than one that ends
        body = body.replace(b"\\\n", b"\1\n").replace(b"\\\r\n", b"\1\n")
    return body.translate(_LOWER, _DROPPED)


def line_keys(lines: Sequence[str]) -> list[bytes]:
    """The keys of some lines."""
    return coarse("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")).split(b"\n")[:-1]


def solid_keys(lines: Sequence[str]) -> list[bytes]:
    """The keys of those lines that are not blank."""
    return [key for key in line_keys(lines) if key]


@cache
def _beyond_ascii():  # type: ignore[no-untyped-def]  # noqa: ANN202
    import re

    return re.compile(rb"[\x80-\xff]+")


@cache
def _plain(run: bytes) -> bytes:
    """A run of bytes beyond ASCII: look-alikes plain, accents gone, lower case."""
    from unicodedata import combining, normalize

    try:
        text = normalize("NFD", run.decode("utf-8").translate(_TABLE))
    except UnicodeDecodeError:
        return run
    return "".join(char for char in text if not combining(char)).lower().encode()
