r"""Read a request in every way it may be meant, and normalize lines so that harmless differences vanish.

A `Request` is a change as lines without line endings; `split` makes lines of a text. `readings` are the ways a request
may be meant, in this order: as sent; without the code fence around it; with `\n` and `\t` decoded; without the line
numbers that a tool printed; with HTML entities decoded. They stack: a numbered text in a fence has a reading without
both. A reading never replaces the text as sent: it is another request, which is searched for only if the more literal
ones have no place.

`fold` replaces look-alikes by plain characters. `coarse` goes further: no whitespace, no backslashes, no accents, lower
case, one kind of quotes. Lines that differ in nothing else have the same key. It translates a whole text at once, which
is faster than line by line. `is_known` and `find_slip` decide which differences are harmless: escapes, comments,
mistyped words.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

from suture.bounds import check_time
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    _Readings = list[tuple[list[str], list[str]]]

FAMILIES = {
    '"': "\u201c\u201d\u201e\u201f\u2033\uff02",
    "'": "\u2018\u2019\u201a\u201b\u2032\uff07",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d",
    " ": "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000",
    "...": "\u2026",
    "": "\u200b\u200c\u200d\u2060\ufeff\u00ad",
}
"""The look-alikes of each plain text."""

PLAIN = {exotic: plain for plain, members in FAMILIES.items() for exotic in members}
"""The plain text of each look-alike."""
_PLAIN_TABLE = {ord(exotic): plain for exotic, plain in PLAIN.items()}

_BEYOND_ASCII = re.compile(rb"[\x80-\xff]+")
_DROPPED_BYTES = b" \t\r\v\f\\"
_LOWER_TABLE = bytes(range(256)).lower().replace(b"'", b'"')

_COMMENT_MARKS = {
    "#": "bash cfg cmake conf dockerfile ex exs gemfile gitignore graphql ini jl ksh makefile mk nix pl pm podfile "
    "properties ps1 pxd py pyi pyx r rake rakefile rb robot sh tcl tf toml yaml yml zsh",
    "//": "c cc cjs cpp cs cts cxx dart fs go gradle groovy h hh hpp java js jsx kt kts less m mjs mm mts php proto "
    "rs sass scala scss sol swift ts tsx v vue zig",
    "/*": "c cc cjs cpp cs css cts cxx dart go gradle groovy h hh hpp java js jsx kt kts less m mjs mm mts php rs "
    "scala scss sql swift ts tsx vue",
    "--": "adb ads elm hs lua sql vhdl",
    ";": "asm clj cljs el ini lisp nim s scm",
    "%": "erl hrl sty tex",
    "<!--": "htm html md svg vue xhtml xml",
}
"""The marks that begin a comment, each with the file name suffixes it is for."""
_COMMENT_LINE = rb"^[ \t]*%b[ !]"
_SAMPLE_SIZE = 1 << 16  # bytes of a text without a file name that are searched for comments: bounds the time
_HEREDOC = re.compile(r"<<[-~]?[\"']?[A-Z_]{2,}\b")

_WORD = re.compile(r"\w+|[^\w\s]")
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
QUOTES = ("'", '"')
_ESCAPED_QUOTE = re.compile(r"\\([\"'`])")
_ESCAPED_SIGN = re.compile(r"\\([\"'`\\])")
_SHORTEST_WORD = 4  # letters of a word that may be mistyped: shorter words often differ in one letter by chance
_MAX_WORD_LETTERS = 200  # letters of a word that may be mistyped: longer ones are data, and slow to compare
_MAX_LINE_CHARS = 4_000  # characters of a line that is compared by characters: bounds the time

# What readings undo
_FENCE = re.compile(r"\s*(`{3,}|~{3,})[^`]*")
_NUMBER = re.compile(r"(\s*)[\[(L]?(\d{1,9})([\])]?(?:\t|→| ?[|│:]|\.(?= )|(?=  ?)))")
_BARE_NUMBER = re.compile(r"\s*[\[(L]?\d{1,9}[\])]?(?:→|[|│:.])?\s*")
_SPELLED = re.compile(r"\\([nt\"'\\])")
_ENTITY = re.compile(r"&(?:(lt|gt|amp|quot|apos|nbsp)|#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6}));")
_NAMED_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'", "nbsp": "\u00a0"}
_SPELLED_CHARACTERS = {"n": "\n", "t": "\t"}


class Request(Record):
    """A change as lines without line endings."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    undone: tuple[str, ...] = ()
    """What this reading removed or decoded: `fence`, `spelled`, `numbers`, `entities`."""
    exotic: bool = False
    """Whether old lines were indented by exotic spaces."""
    unfinished: bool = False
    """Whether old ends with a newline and new, which is not empty, does not."""

    @property
    def plain(self) -> bool:
        """Whether this is the request as sent."""
        return not self.undone


def readings(old: str, new: str) -> list[Request]:
    """All readings of a request, the most literal first."""
    wanted = split(new)
    if new.strip() and new.endswith("\n") and not old.endswith(("\n", "\r")):
        wanted.append("")  # the line ending that follows the old text also follows the new one
    texts: list[tuple[list[str], list[str], tuple[str, ...]]] = [(split(old), wanted, ())]
    for name, undo in _UNDO.items():
        texts += [(*reading, (*undone, name)) for before, after, undone in texts for reading in undo(before, after)]
    unfinished = old.endswith("\n") and not new.endswith("\n") and bool(new.strip())
    result = []
    for before, after, undone in texts:
        old_lines, new_lines = (tuple(map(_plain_indentation, lines)) for lines in (before, after))
        result.append(Request(old_lines, new_lines, undone, list(old_lines) != before, unfinished))
    return result


def with_newlines(text: str) -> str:
    r"""The text with `\n` as line ending."""
    if "\r" not in text:
        return text
    return text.replace("\r\n", "\n") if "\n" in text else text.replace("\r", "\n")


def split(text: str) -> list[str]:
    r"""The lines of a text; nothing after the final newline. A lone `\r` ends lines only if there is no `\n`."""
    lines = with_newlines(text).split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def fold(text: str) -> str:
    """The text in NFC, with look-alikes replaced by plain characters."""
    if text.isascii():
        return text
    from unicodedata import normalize

    return normalize("NFC", text).translate(_PLAIN_TABLE)


def encode_line(text: str) -> bytes:
    """Encode a line of a file: escaped bytes become the original bytes, lone surrogates stay."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def coarse(body: bytes) -> bytes:
    r"""The keys of a text's lines, each followed by `\n`.

    What is dropped is dropped everywhere, not only at the end of a line: lines that the file breaks at other points
    are found by their joined keys. `Rung.fits` then compares the lines.
    """
    if not body.isascii():
        body = _BEYOND_ASCII.sub(lambda match: _plain(match[0]), body)
    if b"\n" not in body:
        body = body.replace(b"\r", b"\n")
    if b"\\\n" in body or b"\\\r\n" in body:  # a continued line differs from one that is not
        body = body.replace(b"\\\n", b"\1\n").replace(b"\\\r\n", b"\1\n")
    return body.translate(_LOWER_TABLE, _DROPPED_BYTES)


def line_keys(lines: Sequence[str]) -> list[bytes]:
    """The keys of some lines."""
    return coarse("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")).split(b"\n")[:-1]


def solid_keys(lines: Sequence[str]) -> list[bytes]:
    """The keys of the lines that are not blank."""
    return [key for key in line_keys(lines) if key]


def marks_of(name: str, body: bytes) -> tuple[str, ...]:
    """The marks that begin a comment in a file of this name; without a name, those that begin lines of the text."""
    if name:
        kind = name.rsplit("/", 1)[-1].rsplit(".", 1)[-1].lower()
        return tuple(mark for mark, kinds in _COMMENT_MARKS.items() if kind in kinds.split())
    sample = body[:_SAMPLE_SIZE]
    patterns = {mark: _COMMENT_LINE % re.escape(mark.encode()) for mark in _COMMENT_MARKS}
    return tuple(mark for mark, pattern in patterns.items() if re.search(pattern, sample, re.MULTILINE))


def comment_in(line: str, marks: tuple[str, ...]) -> int | None:
    """Where the comment at the end of a line begins, including the whitespace before it; None if there is none."""
    if not marks:
        return None
    for match in re.finditer(r"\s+(?:{})".format("|".join(map(re.escape, marks))), line):
        if is_closed(line[: match.start()]):
            return match.start()
    return None


def string_quotes(text: str, marks: tuple[str, ...]) -> list[int] | None:
    """Where strings begin and end in a line of code, alternately; None if a string does not end in the line.

    Quotes in comments and inside other quotes do not count.
    """
    ends: list[int] = []
    within, at = "", 0
    while at < len(text):
        char = text[at]
        if within:
            at += char == "\\"
            if char == within:
                within = ""
                ends += [at] * (char != "`")
        elif char in "\"'`":
            within = char
            ends += [at] * (char != "`")
        elif marks and text.startswith(marks, at) and not text[:at].strip()[-1:].isalnum():
            break
        at += 1
    return None if within else ends


def is_closed(text: str) -> bool:
    """Whether every string that begins in a text also ends in it."""
    text = re.sub(r"\\.", "", text)
    return not any(text.count(quote) % 2 for quote in "\"'`")


def opens_literal(line: str) -> bool:
    """Whether a line opens a text that must not be indented: a here-document or a string over several lines."""
    if _HEREDOC.search(line):
        return True
    text = line.strip().lstrip("rRbBuUfF")
    return any(text.count(quote) % 2 and not text.startswith(quote) for quote in ('"""', "'''"))


def parts(line: str) -> tuple[str, str, str]:
    """A line's leading whitespace, its text, and its trailing whitespace; a blank line is all leading."""
    rest = line.lstrip()
    body = rest.rstrip()
    return line[: len(line) - len(rest)], body, rest[len(body) :]


def lead(line: str) -> str:
    """The leading whitespace of a line."""
    return line[: len(line) - len(line.lstrip())]


def depth(line: str) -> int:
    """The number of leading whitespace characters of a line."""
    return len(line) - len(line.lstrip())


def trail(line: str) -> str:
    """The trailing whitespace of a line; all of a blank line."""
    return line[len(line.rstrip()) :]


def words(text: str) -> list[str]:
    """The words and punctuation marks of a text."""
    return _WORD.findall(text)


def tokens(text: str) -> list[str]:
    """The words, punctuation marks and runs of whitespace of a text."""
    return _TOKEN.findall(text)


def unescape_quotes(text: str) -> str:
    r"""The text with `"` for `\"`."""
    return _ESCAPED_QUOTE.sub(r"\1", text) if "\\" in text else text


def plain_words(text: str) -> list[str]:
    """The words of a text without look-alikes and escaped quotes."""
    return words(unescape_quotes(fold(text)))


def unescape_backslashes(text: str) -> str:
    r"""The text with `\` for `\\`."""
    return text.replace("\\\\", "\\")


def unescape_literal(text: str) -> str:
    r"""The text with escaped quotes and backslashes unescaped."""
    return _ESCAPED_SIGN.sub(r"\1", text)


UNESCAPES = (unescape_quotes, unescape_backslashes, unescape_literal)
"""Functions that undo escapes that models add: of quotes, of backslashes, of both."""


def is_escaped(sent: str, actual: str) -> bool:
    """Whether the lines differ only in escapes."""
    sent, actual = fold(sent), fold(actual)
    return any(undo(sent) == actual for undo in UNESCAPES) or unescape_quotes(sent) == unescape_quotes(actual)


def meaning(line: str) -> list[str]:
    """The words of a line in lower case, with plain characters for look-alikes, one kind of quotes, and no escapes."""
    goes_on = "\1" if line.rstrip().endswith("\\") else ""
    return words(fold(line).replace("\\", "").replace("'", '"').lower() + goes_on)


def informative(line: str) -> int:
    """The number of letters and digits in a line."""
    return sum(map(str.isalnum, line))


def is_known(old: str, current: str, occurs: Callable[[str], bool], marks: tuple[str, ...]) -> bool:
    """Whether a line of the request is certainly the file's line `current`, except for a harmless difference.

    `occurs` says whether a word occurs in the file: such a word is not mistyped. `marks` begin comments.
    """
    if old == current:
        return True
    sent, actual = meaning(old), meaning(current)
    if sent == actual:
        return bool(sent) or not old.strip() == current.strip() == ""
    if len(actual) > len(sent) and actual[: len(sent)] == sent:
        at = comment_in(current, marks)
        return at is not None and len(meaning(current[:at])) <= len(sent)
    if len(sent) != len(actual):
        return False
    differing = [pair for pair in zip(sent, actual, strict=True) if pair[0] != pair[1]]
    return len(differing) == 1 and is_slip(*differing[0]) and not occurs(differing[0][0])


def find_slip(sent: str, actual: str) -> tuple[str, str] | None:
    """The only mistyped word of a line, and the right word; None if there is no such word."""
    sent_words, file_words = words(fold(sent)), words(fold(actual))
    if len(sent_words) != len(file_words):
        return None
    differing = [(a, b) for a, b in zip(sent_words, file_words, strict=True) if a != b]
    return differing[0] if len(differing) == 1 and is_slip(*differing[0]) else None


def is_slip(one: str, other: str) -> bool:
    """Whether one word is the other one mistyped: a letter wrong, missing or added, or two letters swapped."""
    from rapidfuzz.distance import OSA

    if min(len(one), len(other)) < _SHORTEST_WORD or one[0] != other[0] or len(one) > _MAX_WORD_LETTERS:
        return False
    if one.startswith(other) or other.startswith(one) or _digits(one) != _digits(other):
        return False
    return OSA.distance(one, other, score_cutoff=1) == 1


def likeness(one: str, other: str) -> float:
    """The likeness of two lines, from 0 to 1, ignoring whitespace around them."""
    from rapidfuzz.distance import Indel

    check_time()
    one, other = one.strip(), other.strip()
    if max(len(one), len(other)) > _MAX_LINE_CHARS:
        return float(one == other)
    return Indel.normalized_similarity(one, other)


@cache
def _plain(run: bytes) -> bytes:
    """A run of non-ASCII bytes in lower case, with plain characters for look-alikes and no accents."""
    from unicodedata import combining, normalize

    try:
        text = normalize("NFD", run.decode("utf-8").translate(_PLAIN_TABLE))
    except UnicodeDecodeError:
        return run
    return "".join(char for char in text if not combining(char)).lower().encode()


def _digits(word: str) -> str:
    return "".join(filter(str.isdigit, word))


def _plain_indentation(line: str) -> str:
    """A line with plain spaces for exotic ones in its indentation."""
    text = line.lstrip()
    return line if line.isascii() else fold(line[: len(line) - len(text)]) + text


def _undo_fence(old: list[str], new: list[str]) -> _Readings:
    inner = [_inside(lines) for lines in (old, new)]
    if inner[0] is None or (inner[1] is None and any(map(str.strip, new))):
        return []
    nothing = inner[1] is None or inner[1] in ([], [""])
    blank_outside = not (inner[0] and inner[0][0].strip() and inner[0][-1].strip())
    return [(inner[0], [] if inner[1] is None or (nothing and not blank_outside) else inner[1])]


def _inside(lines: list[str]) -> list[str] | None:
    solid = [number for number, line in enumerate(lines) if line.strip()]
    if len(solid) < 2 or not _FENCE.fullmatch(lines[solid[0]]):  # noqa: PLR2004  the two fences
        return None
    if lines[solid[-1]].strip() != lines[solid[0]].strip().rstrip(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+#-._ 0123456789/:="
    ):
        return None
    return lines[solid[0] + 1 : solid[-1]]


def _undo_numbers(old: list[str], new: list[str]) -> _Readings:
    """Remove line numbers; a space after them may belong to the number or to the line."""
    pairs = [texts for space in ("", " ") if (texts := _without_numbers(old, new, space)) is not None]
    shared = [len(set(before) & set(after)) for before, after in pairs]
    return [pair for pair, count in zip(pairs, shared, strict=True) if count == max(shared)]


def _without_numbers(old: list[str], new: list[str], space: str) -> tuple[list[str], list[str]] | None:
    """Both texts without line numbers and `space`; None unless every old line has a number and they count up."""
    numbered = [_split_numbers(old), _split_numbers(new)]
    numbers = [number for number, _, _ in numbered[0] if number is not None]
    if numbers and any(not 0 <= n - numbers[0] <= len(old) + len(new) for n, _, _ in numbered[1] if n is not None):
        numbered[1] = [(None, None, line) for line in new]  # its numbers are not line numbers
    separators = {separator for lines in numbered for number, separator, _ in lines if separator is not None}
    solid = sum(bool(line.strip()) for line in old)
    if not numbers or len(numbers) < solid or len(separators) > 1:
        return None
    if any(later - earlier != 1 for earlier, later in pairwise(numbers)):
        return None
    bare: list[list[str]] = []
    for lines in numbered:
        if any(number is not None and text and not text.startswith(space) for number, _, text in lines):
            return None
        bare.append([text if number is None else text[len(space) :] for number, _, text in lines])
    return bare[0], bare[1]


def _split_numbers(lines: Sequence[str]) -> list[tuple[int | None, str | None, str]]:
    """Each line as its number, the separator after it, and the rest."""
    result: list[tuple[int | None, str | None, str]] = []
    for line in lines:
        match = _NUMBER.match(line)
        if match is not None:
            result.append((int(match[2]), match[3].strip() or match[3], line[match.end() :]))
        elif _BARE_NUMBER.fullmatch(line) and line.strip():
            result.append((int("".join(filter(str.isdigit, line))), None, ""))
        else:
            result.append((None, None, line))
    return result


def _undo_spelling(old: list[str], new: list[str]) -> _Readings:
    if len(old) != 1 or "\\n" not in old[0] or len(new) > 1:
        return []
    lines = split(_decode_escapes("\n".join(new)))
    if any(one.count(quote) % 2 and other.count(quote) % 2 for one, other in pairwise(lines) for quote in "\"'"):
        return []  # a newline that belongs to a string would break the string
    return [(split(_decode_escapes(old[0])), lines)]


def _decode_escapes(text: str) -> str:
    return _SPELLED.sub(lambda match: _SPELLED_CHARACTERS.get(match[1], match[1]), text)


def _undo_entities(old: list[str], new: list[str]) -> _Readings:
    if not any(map(_ENTITY.search, old)):
        return []
    return [([_ENTITY.sub(_character, line) for line in old], [_ENTITY.sub(_character, line) for line in new])]


_UNDO = {"fence": _undo_fence, "spelled": _undo_spelling, "numbers": _undo_numbers, "entities": _undo_entities}


def _character(match: re.Match[str]) -> str:
    name, decimal, hexadecimal = match.groups()
    if name:
        return _NAMED_ENTITIES[name]
    code = int(decimal) if decimal else int(hexadecimal, 16)
    surrogate = 0xD800 <= code <= 0xDFFF  # noqa: PLR2004  Unicode's ranges
    return match[0] if code > 0x10FFFF or surrogate or not code else chr(code)  # noqa: PLR2004  Unicode's last character
