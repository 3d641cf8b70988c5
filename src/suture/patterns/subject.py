r"""What the engines look at: the body as UTF-8, in which lone surrogates may stand, with a way back to its offsets.

The body of nearly every file is that already. In a file of unknown encoding, each byte that is not UTF-8 becomes a
lone surrogate in the view, as Python's `surrogateescape` has it, so that `.` and `[^x]` match it; RE2 and `regex`
both take it for a character.
"""

from __future__ import annotations

from bisect import bisect_left

TYPE_CHECKING = False
if TYPE_CHECKING:
    from suture.text import Text

_SMALL = 10_000_000
_GROWTH = 2  # bytes by which an undecodable byte is longer in the view


class Subject:
    """A text to be searched."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.body = text.body
        self._errors = "surrogatepass"
        self._escaped: list[int] | None = None
        self.view = self.body
        """The text that is searched."""
        if text.encoding is None:
            self._errors = "surrogateescape"
            self.view = self.body.decode("utf-8", "surrogateescape").encode("utf-8", "surrogatepass")

    def offset(self, place: int) -> int:
        """Where a place in the view is in the body."""
        return place if self.view is self.body else place - _GROWTH * bisect_left(self._places(), place)

    def place(self, offset: int) -> int:
        """Where an offset of the body is in the view."""
        if self.view is self.body:
            return offset
        places = self._places()
        return offset + _GROWTH * bisect_left(range(len(places)), offset, key=lambda n: places[n] - _GROWTH * n)

    def _places(self) -> list[int]:
        """Where the bytes that are no characters begin in the view."""
        if self._escaped is None:
            import re  # rare

            self._escaped = [found.start() for found in re.finditer(rb"\xed[\xb2\xb3]", self.view)]
        return self._escaped

    def string(self) -> str | None:
        """The text, if its characters are its bytes and it is not too large to have twice."""
        return self.body.decode() if len(self.body) <= _SMALL and self.body.isascii() else None

    def shown(self, start: int, end: int) -> str:
        """A part of the body for people and models; what is no character becomes U+FFFD, one for each."""
        return self.readable(self.body[start:end])

    def readable(self, part: bytes) -> str:
        """As `shown`, of bytes in the body's form."""
        try:
            return part.decode()
        except UnicodeDecodeError:
            characters = part.decode("utf-8", self._errors)
            return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in characters)

    def width(self, start: int, end: int) -> int:
        """How many characters a part of the body has."""
        part = self.body[start:end]
        return len(part) if part.isascii() else len(part.decode("utf-8", self._errors))


class Places:
    """Offsets in UTF-8 of places in a string, asked for from left to right, or nearly so."""

    def __init__(self, string: str, errors: str = "surrogatepass") -> None:
        self._string = string
        self._errors = errors
        self._at = self._offset = 0

    def offset(self, place: int) -> int:
        """The offset of a place; -1 stays what it is."""
        if place < 0:
            return place
        if place >= self._at:
            self._offset += len(self._string[self._at : place].encode("utf-8", self._errors))
        else:
            self._offset -= len(self._string[place : self._at].encode("utf-8", self._errors))
        self._at = place
        return self._offset
