"""Lines as words: when two lines say the same, and when one is the other with a slip of the finger."""

from __future__ import annotations

import re

from suture.bounds import check_time
from suture.locate.comments import comment_in
from suture.locate.fold import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_WORD = re.compile(r"\w+|[^\w\s]")
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
QUOTES = ("'", '"')
_ESCAPED_QUOTE = re.compile(r"\\([\"'`])")
_ESCAPED_SIGN = re.compile(r"\\([\"'`\\])")
_SHORTEST_SLIP = 4
_LONGEST_WORD = 200
_LONGEST_LINE = 4_000


def parts(line: str) -> tuple[str, str, str]:
    """A line's white space before, what it says, and the white space after; a blank line is all lead."""
    rest = line.lstrip()
    body = rest.rstrip()
    return line[: len(line) - len(rest)], body, rest[len(body) :]


def lead(line: str) -> str:
    """The white space before."""
    return line[: len(line) - len(line.lstrip())]


def trail(line: str) -> str:
    """The white space after; of a blank line, all of it."""
    return line[len(line.rstrip()) :]


def words(text: str) -> list[str]:
    """Words and single marks; white space only separates."""
    return _WORD.findall(text)


def tokens(text: str) -> list[str]:
    """Words, single marks, and runs of white space."""
    return _TOKEN.findall(text)


def unescaped(text: str) -> str:
    r"""The text with `"` for `\"`."""
    return _ESCAPED_QUOTE.sub(r"\1", text) if "\\" in text else text


def halved(text: str) -> str:
    r"""The text with `\` for `\\`."""
    return text.replace("\\\\", "\\")


def bared(text: str) -> str:
    """The text as a string literal would say it, but for letters."""
    return _ESCAPED_SIGN.sub(r"\1", text)


UNESCAPES = (unescaped, halved, bared)
"""What a model may have done too often: escaping quotes, backslashes, both."""


def is_escaped(sent: str, stands: str) -> bool:
    """Whether one line is the other with something escaped."""
    sent, stands = fold(sent), fold(stands)
    return any(undo(sent) == stands for undo in UNESCAPES) or unescaped(sent) == unescaped(stands)


def meaning(line: str) -> list[str]:
    """The words of a line as a reader takes them: look-alikes plain, one kind of quotes, no escapes, no case."""
    goes_on = "\1" if line.rstrip().endswith("\\") else ""
    return words(fold(line).replace("\\", "").replace("'", '"').lower() + goes_on)


def informative(line: str) -> int:
    """How many letters and digits a line has."""
    return sum(map(str.isalnum, line))


def is_known(old: str, here: str, occurs: Callable[[str], bool], marks: tuple[str, ...]) -> bool:
    """Whether a line of the request is surely the file's line `here`, in spite of a harmless difference.

    `occurs` tells whether a word stands in the file: a word that does is no slip of another one. `marks` begin
    comments.
    """
    if old == here:
        return True
    said, stands = meaning(old), meaning(here)
    if said == stands:
        return bool(said) or not old.strip() == here.strip() == ""
    if len(stands) > len(said) and stands[: len(said)] == said:
        at = comment_in(here, marks)
        return at is not None and len(meaning(here[:at])) <= len(said)
    if len(said) != len(stands):
        return False
    differing = [pair for pair in zip(said, stands, strict=True) if pair[0] != pair[1]]
    return len(differing) == 1 and is_slip(*differing[0]) and not occurs(differing[0][0])


def slipped(sent: str, stands: str) -> tuple[str, str] | None:
    """The one word that is mistyped in a line, and what it should be."""
    one, other = words(fold(sent)), words(fold(stands))
    differing = [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]] if len(one) == len(other) else []
    return differing[0] if len(differing) == 1 and is_slip(*differing[0]) else None


def is_slip(one: str, other: str) -> bool:
    """Whether two words are one, mistyped: a letter wrong, missing, too many, or two swapped."""
    from rapidfuzz.distance import OSA

    if min(len(one), len(other)) < _SHORTEST_SLIP or one[0] != other[0] or len(one) > _LONGEST_WORD:
        return False
    if one.startswith(other) or other.startswith(one) or _digits(one) != _digits(other):
        return False
    return OSA.distance(one, other, score_cutoff=1) == 1


def _digits(word: str) -> str:
    return "".join(filter(str.isdigit, word))


def likeness(one: str, other: str) -> float:
    """How much of two lines is the same, from 0 to 1, white space around them aside."""
    from rapidfuzz.distance import Indel

    check_time()
    one, other = one.strip(), other.strip()
    if max(len(one), len(other)) > _LONGEST_LINE:
        return float(one == other)
    return Indel.normalized_similarity(one, other)
