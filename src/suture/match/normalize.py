"""Normalize texts, so that harmless differences vanish: look-alikes, whitespace, escapes, comments, mistyped words.

`fold` makes look-alikes plain. `coarse` goes further: no whitespace, no backslashes, no accents, lower case, one kind
of quotes. Lines that differ in nothing else have the same key. It translates a whole text at once, which is faster than
line by line.
"""

from __future__ import annotations

import re
from functools import cache

from suture.bounds import check_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
"""What begins a comment, and the file name endings for which it does."""
_COMMENT_LINE = rb"^[ \t]*%b[ !]"
_SAMPLE_SIZE = 1 << 16  # bytes of a file without a name that are searched for comments
_HEREDOC = re.compile(r"<<[-~]?[\"']?[A-Z_]{2,}\b")

_WORD = re.compile(r"\w+|[^\w\s]")
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
QUOTES = ("'", '"')
_ESCAPED_QUOTE = re.compile(r"\\([\"'`])")
_ESCAPED_SIGN = re.compile(r"\\([\"'`\\])")
_SHORTEST_WORD = 4  # letters of a word that may be mistyped: shorter ones differ from others in one letter by chance
_LONGEST_WORD = 200  # letters; a longer one is data, and comparing takes time
_LONGEST_LINE = 4_000  # characters of a line that is compared by characters


def fold(text: str) -> str:
    """The text with plain characters for look-alikes, composed."""
    if text.isascii():
        return text
    from unicodedata import normalize

    return normalize("NFC", text).translate(_PLAIN_TABLE)


def encoded(text: str) -> bytes:
    """Encode text with lines of a file: escaped bytes become the bytes that they were, lone surrogates stay."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def coarse(body: bytes) -> bytes:
    r"""The keys of a text's lines, each ended by `\n` as the line was."""
    if not body.isascii():
        body = _BEYOND_ASCII.sub(lambda match: _plain(match[0]), body)
    if b"\n" not in body:
        body = body.replace(b"\r", b"\n")
    if b"\\\n" in body or b"\\\r\n" in body:  # a line that is continued differs from one that is not
        body = body.replace(b"\\\n", b"\1\n").replace(b"\\\r\n", b"\1\n")
    return body.translate(_LOWER_TABLE, _DROPPED_BYTES)


def line_keys(lines: Sequence[str]) -> list[bytes]:
    """The keys of some lines."""
    return coarse("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")).split(b"\n")[:-1]


def solid_keys(lines: Sequence[str]) -> list[bytes]:
    """The keys of those lines that are not blank."""
    return [key for key in line_keys(lines) if key]


def marks_of(name: str, body: bytes) -> tuple[str, ...]:
    """What begins a comment in a file of this name; without a name, what lines of the text begin with."""
    if name:
        kind = name.rsplit("/", 1)[-1].rsplit(".", 1)[-1].lower()
        return tuple(mark for mark, kinds in _COMMENT_MARKS.items() if kind in kinds.split())
    sample = body[:_SAMPLE_SIZE]
    patterns = {mark: _COMMENT_LINE % re.escape(mark.encode()) for mark in _COMMENT_MARKS}
    return tuple(mark for mark, pattern in patterns.items() if re.search(pattern, sample, re.MULTILINE))


def comment_in(line: str, marks: tuple[str, ...]) -> int | None:
    """Where the comment at the end of a line begins, with the space before it; not inside a string."""
    if not marks:
        return None
    for match in re.finditer(r"\s+(?:{})".format("|".join(map(re.escape, marks))), line):
        if is_closed(line[: match.start()]):
            return match.start()
    return None


def string_quotes(text: str, marks: tuple[str, ...]) -> list[int] | None:
    """Where strings begin and end in a line of code, by turns; None if one does not end in it.

    Quotes in a comment, and those inside other quotes, are no ends of strings.
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
    """Whether every string that begins in a text ends in it."""
    text = re.sub(r"\\.", "", text)
    return not any(text.count(quote) % 2 for quote in "\"'`")


def opens_literal(line: str) -> bool:
    """Whether a text begins in a line that must not be indented: a here-document, a string over several lines."""
    if _HEREDOC.search(line):
        return True
    text = line.strip().lstrip("rRbBuUfF")
    return any(text.count(quote) % 2 and not text.startswith(quote) for quote in ('"""', "'''"))


def parts(line: str) -> tuple[str, str, str]:
    """A line's whitespace before, what it says, and the whitespace after; a blank line is all lead."""
    rest = line.lstrip()
    body = rest.rstrip()
    return line[: len(line) - len(rest)], body, rest[len(body) :]


def lead(line: str) -> str:
    """The whitespace before a line's text."""
    return line[: len(line) - len(line.lstrip())]


def depth(line: str) -> int:
    """How many characters of whitespace a line begins with."""
    return len(line) - len(line.lstrip())


def trail(line: str) -> str:
    """The whitespace after a line's text; of a blank line, all of it."""
    return line[len(line.rstrip()) :]


def words(text: str) -> list[str]:
    """Words and single marks; whitespace only separates."""
    return _WORD.findall(text)


def tokens(text: str) -> list[str]:
    """Words, single marks, and runs of whitespace."""
    return _TOKEN.findall(text)


def unescaped(text: str) -> str:
    r"""The text with `"` for `\"`."""
    return _ESCAPED_QUOTE.sub(r"\1", text) if "\\" in text else text


def halved(text: str) -> str:
    r"""The text with `\` for `\\`."""
    return text.replace("\\\\", "\\")


def bared(text: str) -> str:
    r"""The text with `"` and `\` for what is escaped."""
    return _ESCAPED_SIGN.sub(r"\1", text)


UNESCAPES = (unescaped, halved, bared)
"""What undoes the escapes that models add: of quotes, of backslashes, of both."""


def is_escaped(sent: str, actual: str) -> bool:
    """Whether one line is the other with something escaped."""
    sent, actual = fold(sent), fold(actual)
    return any(undo(sent) == actual for undo in UNESCAPES) or unescaped(sent) == unescaped(actual)


def meaning(line: str) -> list[str]:
    """The words of a line without harmless differences: look-alikes plain, one kind of quotes, no escapes, no case."""
    goes_on = "\1" if line.rstrip().endswith("\\") else ""
    return words(fold(line).replace("\\", "").replace("'", '"').lower() + goes_on)


def informative(line: str) -> int:
    """How many letters and digits a line has."""
    return sum(map(str.isalnum, line))


def is_known(old: str, here: str, occurs: Callable[[str], bool], marks: tuple[str, ...]) -> bool:
    """Whether a line of the request is surely the file's line `here`, in spite of a harmless difference.

    `occurs` tells whether a word occurs in the file: a word that does is no slip of another one. `marks` begin
    comments.
    """
    if old == here:
        return True
    said, actual = meaning(old), meaning(here)
    if said == actual:
        return bool(said) or not old.strip() == here.strip() == ""
    if len(actual) > len(said) and actual[: len(said)] == said:
        at = comment_in(here, marks)
        return at is not None and len(meaning(here[:at])) <= len(said)
    if len(said) != len(actual):
        return False
    differing = [pair for pair in zip(said, actual, strict=True) if pair[0] != pair[1]]
    return len(differing) == 1 and is_slip(*differing[0]) and not occurs(differing[0][0])


def slipped(sent: str, actual: str) -> tuple[str, str] | None:
    """The one word that is mistyped in a line, and what it should be."""
    one, other = words(fold(sent)), words(fold(actual))
    differing = [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]] if len(one) == len(other) else []
    return differing[0] if len(differing) == 1 and is_slip(*differing[0]) else None


def is_slip(one: str, other: str) -> bool:
    """Whether two words are one, mistyped: a letter wrong, missing, too many, or two swapped."""
    from rapidfuzz.distance import OSA

    if min(len(one), len(other)) < _SHORTEST_WORD or one[0] != other[0] or len(one) > _LONGEST_WORD:
        return False
    if one.startswith(other) or other.startswith(one) or _digits(one) != _digits(other):
        return False
    return OSA.distance(one, other, score_cutoff=1) == 1


def likeness(one: str, other: str) -> float:
    """How much of two lines is the same, from 0 to 1, whitespace around them aside."""
    from rapidfuzz.distance import Indel

    check_time()
    one, other = one.strip(), other.strip()
    if max(len(one), len(other)) > _LONGEST_LINE:
        return float(one == other)
    return Indel.normalized_similarity(one, other)


@cache
def _plain(run: bytes) -> bytes:
    """A run of bytes beyond ASCII: look-alikes plain, accents gone, lower case."""
    from unicodedata import combining, normalize

    try:
        text = normalize("NFD", run.decode("utf-8").translate(_PLAIN_TABLE))
    except UnicodeDecodeError:
        return run
    return "".join(char for char in text if not combining(char)).lower().encode()


def _digits(word: str) -> str:
    return "".join(filter(str.isdigit, word))
