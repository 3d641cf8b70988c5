r"""Bytes to text and back without loss.

A `Text` has the file's bytes and its `body`: the text as UTF-8, without a BOM, with its own line endings. Everything
that searches or edits uses offsets into the body. For UTF-8, ASCII and unknown bytes the body *is* the file's bytes. A
Python `str` of the whole file is never made, because a single emoji would make it four times the file's size.

The encoding is decided in this order: a byte order mark; UTF-8 with at least one non-ASCII character; the encoding that
the caller names, which must reproduce the file exactly; plain ASCII; unknown. Unknown bytes pass through untouched and
can be edited with ASCII.

A line ends at `\n` or `\r\n`. A lone `\r` ends a line only where there is no `\n` at all. Form feed, U+0085, U+2028 and
the rest of `str.splitlines` are ordinary characters. Line numbers are 1-based, offsets count bytes, columns count code
points from 0. The index of lines is one array of their starts, built in one pass when first needed.
"""

from __future__ import annotations

import codecs
from array import array
from bisect import bisect_right
from itertools import accumulate, count
from operator import add

from suture.bounds import check_time
from suture.errors import EncodingMismatch, EncodingUnknown, NotEncodable
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

BINARY_WINDOW = 8_192
"""Bytes at the start of a body that are searched for a NUL, which text files don't contain."""

_CHUNK_SIZE = 1 << 20  # bytes that are decoded or split at once: bounds the memory
_SAMPLE_SIZE = 1 << 16  # bytes that must be decodable for an encoding to be proposed: bounds the time
_WIDE = 1 << 32  # bytes of a text from which on an offset needs more than four bytes
_MAX_UNINDEXED_LOOKUPS = 8  # line numbers found by counting: an index of all lines costs as much as several counts
_INDENT_SAMPLE_SIZE = 1 << 18  # bytes in which the indentation is detected: bounds the time
_INDENT_SAMPLE_LINES = 2_000  # lines, at most, of these bytes
_ASCII = bytes(range(128))
_BOMS = (  # UTF-32 before UTF-16: the mark of UTF-32-LE begins with that of UTF-16-LE
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
MARKS = tuple(mark for mark, _ in _BOMS)
"""The byte order marks."""
_CANDIDATES = ("cp1252", "latin-1", "shift_jis", "gb18030", "euc-kr", "big5", "cp1251")


class Text:
    """A file's bytes and their text. Made by `decode`; `encode` returns the same bytes."""

    def __init__(self, raw: bytes, *, bom: bytes, encoding: str | None, body: bytes) -> None:
        self.raw = raw
        self.bom = bom
        self.encoding = encoding
        """The codec's name, or None if it is unknown."""
        self.body = body
        self._lines: Lines | None = None

    @classmethod
    def decode(cls, raw: bytes, encoding: str | None = None) -> Text:
        """Decode bytes; `encoding` is used if the bytes themselves don't show their encoding."""
        for bom, name in _BOMS:
            if raw.startswith(bom) and (marked := cls._decode_marked(raw, bom, name)) is not None:
                return marked
        ascii_only = raw.isascii()
        if not ascii_only and _is_utf8(raw):
            return cls(raw, bom=b"", encoding="utf-8", body=raw)
        if encoding is not None:
            return cls._decode_named(raw, encoding)
        return cls(raw, bom=b"", encoding="utf-8" if ascii_only else None, body=raw)

    @classmethod
    def _decode_marked(cls, raw: bytes, bom: bytes, name: str) -> Text | None:
        rest = raw[len(bom) :]
        body = rest if name == "utf-8" else _transcode(rest, name, "surrogatepass")
        if body is None or (name == "utf-8" and not _is_utf8(rest)):
            return None
        return cls(raw, bom=bom, encoding=name, body=body)

    @classmethod
    def _decode_named(cls, raw: bytes, encoding: str) -> Text:
        try:
            codec = codecs.lookup(encoding)
        except (LookupError, ValueError):
            raise EncodingMismatch(encoding=encoding, reason="it is unknown") from None
        if not getattr(codec, "_is_text_encoding", True):
            raise EncodingMismatch(encoding=encoding, reason="it is not a text encoding")
        body = _transcode(raw, codec.name, "strict")
        if body is None:
            raise EncodingMismatch(encoding=encoding, reason="it would not reproduce the file's bytes")
        return cls(raw, bom=b"", encoding=codec.name, body=body)

    def __repr__(self) -> str:
        return f"Text({len(self.raw)} bytes, {self.encoding or 'unknown encoding'}{', marked' if self.bom else ''})"

    def encode(self) -> bytes:
        """The file's bytes, as they were read."""
        return self.raw

    @property
    def body_is_raw(self) -> bool:
        """Whether the body consists of the file's bytes after the BOM."""
        return self.encoding in {"utf-8", None}

    @property
    def lines(self) -> Lines:
        """The body's lines."""
        if self._lines is None:
            self._lines = Lines(self.body)
        return self._lines

    @property
    def final_newline(self) -> bool:
        """Whether the last line has an ending."""
        return self.lines.finished

    def is_binary(self, window: int = BINARY_WINDOW) -> bool:
        """Whether a NUL occurs among the first `window` bytes of the body."""
        return self.body.find(b"\0", 0, window) >= 0

    def show(self, start: int, end: int) -> str:
        """A part of the body for display; bytes of unknown encoding become U+FFFD."""
        return self.body[start:end].decode("utf-8", "replace")

    def body_bytes(self, new: str) -> bytes:
        """New text in the form of the body; an error if the file's encoding can't represent it."""
        if self.encoding is None:
            if not new.isascii():
                character = next(char for char in new if not char.isascii())
                raise EncodingUnknown(character=character, candidates=self.candidates())
            return new.encode("ascii")
        try:
            new.encode(self.encoding)
            return new.encode("utf-8")
        except UnicodeEncodeError as error:
            character = new[error.start : error.start + 1]
            raise NotEncodable(character=character, encoding=self.encoding) from None
        except UnicodeError:  # idna, which is about names and not about text
            raise EncodingMismatch(
                encoding=self.encoding, reason="it does not have all characters of the text"
            ) from None

    def splice(self, cuts: Iterable[tuple[int, int, bytes]]) -> list[bytes | memoryview]:
        """The file's new bytes, in pieces. Each cut (start, end, new) replaces a part of the body.

        The cuts are ordered and do not overlap. Every byte outside them is unchanged.
        """
        if not self.body_is_raw:
            return self._splice_in_codec(cuts)
        view, position = memoryview(self.raw), 0
        shift = len(self.bom)
        pieces: list[bytes | memoryview] = []
        for start, end, new in cuts:
            pieces += [view[position : start + shift], new]
            position = end + shift
        pieces.append(view[position:])
        return [piece for piece in pieces if len(piece)]

    def _splice_in_codec(self, cuts: Iterable[tuple[int, int, bytes]]) -> list[bytes | memoryview]:
        """The same as `splice`, for a file whose bytes are not those of the body.

        In a stateful codec (UTF-7, ISO-2022) a cut can change the bytes beside it; such a cut is refused.
        """
        raw, old_position, position = self.raw, len(self.bom), 0
        body: list[bytes] = []
        pieces: list[bytes | memoryview] = [self.bom]
        for start, end, new in (*cuts, (len(self.body), len(self.body), b"")):
            kept, gone = self._cut_out(position, start), self._cut_out(start, end)
            if not raw.startswith(kept, old_position):
                raise EncodingMismatch(encoding=str(self.encoding), reason="it cannot be split at this place")
            pieces += [kept, self._in_codec(new)]
            body += [self.body[position:start], new]
            old_position += len(kept) + len(gone)
            position = end
        result = b"".join(pieces)
        if _transcode(result[len(self.bom) :], str(self.encoding), self._errors) != b"".join(body):
            raise EncodingMismatch(encoding=str(self.encoding), reason="it would not reproduce the edited file's bytes")
        return [result]

    def _cut_out(self, start: int, end: int) -> bytes:
        """A part of the body in the file's encoding."""
        try:
            return self._in_codec(self.body[start:end])
        except NotEncodable:  # it was written together with what is beside it
            raise EncodingMismatch(encoding=str(self.encoding), reason="it cannot be split at this place") from None

    def _in_codec(self, part: bytes) -> bytes:
        try:
            return part.decode("utf-8", "surrogatepass").encode(str(self.encoding), self._errors)
        except UnicodeEncodeError as error:
            raise NotEncodable(character=error.object[error.start], encoding=str(self.encoding)) from None
        except UnicodeError:
            raise EncodingMismatch(
                encoding=str(self.encoding), reason="it does not have all characters of the text"
            ) from None

    @property
    def _errors(self) -> str:
        return "surrogatepass" if self.bom else "strict"

    def candidates(self) -> list[str]:
        """Encodings that can decode a sample of a file whose encoding is unknown."""
        first_unknown = len(self.raw) - len(self.raw.lstrip(_ASCII))
        start = self.raw.rfind(b"\n", 0, first_unknown) + 1
        end = (
            self.raw.rfind(b"\n", start, start + _SAMPLE_SIZE) + 1
            if len(self.raw) > start + _SAMPLE_SIZE
            else len(self.raw)
        )
        sample = self.raw[start : end or start + _SAMPLE_SIZE]
        return [name for name in _CANDIDATES if _transcode(sample, name, "strict") is not None]


class Lines:
    """The lines of a body."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._terminator = terminator_of(body)
        self._starts: array[int] | None = None
        self._lookups = 0

    def __len__(self) -> int:
        if self._starts is not None:
            return len(self._starts)
        return self._body.count(self._terminator) + (bool(self._body) and not self.finished)

    @property
    def starts(self) -> array[int]:
        """The offset at which each line begins."""
        if self._starts is None:
            self._starts = _starts(self._body, self._terminator)
        return self._starts

    @property
    def finished(self) -> bool:
        """Whether the last line has an ending."""
        return self._body.endswith(self._terminator)

    def at(self, offset: int) -> int:
        """The number of the line that contains `offset`; the end of the file belongs to its last line."""
        if self._starts is None and self._lookups < _MAX_UNINDEXED_LOOKUPS:
            self._lookups += 1  # a few counts are faster than building the index
            behind = offset >= len(self._body) and self.finished
            return max(1, self._body.count(self._terminator, 0, offset) + (not behind))
        return max(1, bisect_right(self.starts, offset))

    def around(self, offset: int) -> tuple[int, int]:
        """The start and end of the line that contains `offset`, including its ending, like `span`."""
        if offset >= len(self._body) and self.finished:
            offset = len(self._body) - 1
        end = self._body.find(self._terminator, offset) + 1
        return self._body.rfind(self._terminator, 0, offset) + 1, end or len(self._body)

    def span(self, line: int) -> tuple[int, int]:
        """The start and end of a line, including its ending."""
        starts = self.starts
        if not 1 <= line <= len(starts):
            raise IndexError(line)
        return starts[line - 1], starts[line] if line < len(starts) else len(self._body)

    def ending(self, line: int) -> bytes:
        r"""The ending of a line: `\n`, `\r\n`, `\r`, or nothing for an unfinished last line."""
        return self.ending_of(*self.span(line))

    def ending_of(self, start: int, end: int) -> bytes:
        """The ending of the line with this span."""
        if not self._body.endswith(self._terminator, start, end):
            return b""
        return b"\r\n" if self._body.endswith(b"\r\n", start, end) else self._terminator

    def content(self, line: int) -> bytes:
        """A line without its ending."""
        start, end = self.span(line)
        return self._body[start : end - len(self.ending_of(start, end))]

    def contents(self, first: int, last: int) -> list[bytes]:
        """Lines `first` to `last` without their endings."""
        if last < first:
            return []
        lines = self._body[self.span(first)[0] : self.span(last)[1]].split(self._terminator)
        unfinished = lines.pop()
        if self._terminator == b"\n":
            lines = [line.removesuffix(b"\r") for line in lines]
        return [*lines, unfinished] if unfinished else lines

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset; the end of a finished text is the start of one more line."""
        if offset == len(self._body) and (self.finished or not offset):
            return len(self) + 1, 0
        line = self.at(offset)
        return line, len(self._body[self.starts[line - 1] : offset].decode("utf-8", "surrogateescape"))

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and column, the inverse of `position`; a column past the line is its end."""
        if (line, column) == (len(self) + 1, 0):
            return len(self._body)
        start, end = self.span(line)
        text = self._body[start:end].decode("utf-8", "surrogateescape")
        return start + len(text[:column].encode("utf-8", "surrogateescape"))

    def style(self) -> str:
        """The style of line endings: `lf`, `crlf`, `cr`, `mixed` or `none`."""
        if self._terminator == b"\r":
            return "cr"
        breaks = self._body.count(b"\n")
        pairs = self._body.count(b"\r\n") if breaks else 0
        if not breaks:
            return "none"
        return "lf" if not pairs else "crlf" if pairs == breaks else "mixed"


class Indent(Record):
    """`style` is `spaces`, `tabs`, `mixed` or `none`; `width` is the number of spaces in one step, or 0."""

    style: str
    width: int


def terminator_of(body: bytes) -> bytes:
    r"""The last byte of every line's ending: `\n`, or `\r` where there is no `\n` at all."""
    return b"\r" if b"\n" not in body and b"\r" in body else b"\n"


def detect(body: bytes) -> Indent:
    """Detect the indentation of a text from its first few thousand lines."""
    tabs = spaces = 0
    steps: dict[int, int] = {}
    previous = 0
    for line in body[:_INDENT_SAMPLE_SIZE].split(b"\n")[:_INDENT_SAMPLE_LINES]:
        stripped = line.lstrip(b" \t")
        if not stripped.strip():
            continue
        lead = line[: len(line) - len(stripped)]
        if lead.startswith(b"\t"):
            tabs += 1
            continue
        spaces += bool(lead)
        step = abs(len(lead) - previous)
        previous = len(lead)
        if step > 1:  # one column is alignment, or the star of a block comment
            steps[step] = steps.get(step, 0) + 1
    if not tabs and not spaces:
        return Indent("none", 0)
    width = max(steps, key=lambda step: (steps[step], -step), default=0)
    if tabs and spaces and min(tabs, spaces) * 10 > max(tabs, spaces):
        return Indent("mixed", width)
    return Indent("tabs", 0) if tabs > spaces else Indent("spaces", width)


def with_lf(body: bytes) -> bytes:
    """A text with LF line endings, for comparison."""
    return body.replace(b"\r\n", b"\n")


def newline_at(body: bytes, start: int) -> bytes:
    r"""The ending for a new line at an offset: that of the line there, else of the line before, else `\n`."""
    at = body.find(b"\n", start)
    if at < 0:
        at = body.rfind(b"\n", 0, start)
    if at < 0:
        return b"\r" if b"\r" in body else b"\n"
    return b"\r\n" if body.endswith(b"\r\n", 0, at + 1) else b"\n"


def _is_utf8(raw: bytes) -> bool:
    """Check for strict UTF-8, in chunks so that no string of the file's size is made."""
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    try:
        for base in range(0, len(raw), _CHUNK_SIZE):
            decoder.decode(raw[base : base + _CHUNK_SIZE])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _transcode(raw: bytes, encoding: str, errors: str) -> bytes | None:
    """`raw` as UTF-8, or None if decoding and encoding does not give exactly `raw` again."""
    try:
        decoder = codecs.getincrementaldecoder(encoding)(errors)
        encoder = codecs.getincrementalencoder(encoding)(errors)
        pieces, reproduced = [], 0
        for base in range(0, len(raw) or 1, _CHUNK_SIZE):
            last = base + _CHUNK_SIZE >= len(raw)
            text = decoder.decode(raw[base : base + _CHUNK_SIZE], last)
            again = encoder.encode(text, last)
            if raw[reproduced : reproduced + len(again)] != again:
                return None
            reproduced += len(again)
            pieces.append(text.encode("utf-8", "surrogatepass"))
    except (UnicodeError, LookupError, ValueError, TypeError):
        return None
    return b"".join(pieces) if reproduced == len(raw) else None


def _starts(body: bytes, terminator: bytes) -> array[int]:
    starts = array("I" if len(body) < _WIDE else "Q", [0] if body else [])
    for base in range(0, len(body), _CHUNK_SIZE):
        check_time()
        pieces = body[base : base + _CHUNK_SIZE].split(terminator)
        pieces.pop()  # what follows the last terminator of the chunk
        starts.extend(map(add, accumulate(map(len, pieces)), count(base + 1)))
    if starts and starts[-1] == len(body):
        starts.pop()  # nothing follows the final newline
    return starts
