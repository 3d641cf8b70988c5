r"""SEARCH/REPLACE blocks, also in quotations and in the entities of HTML.

    block     = search | new_file
    search    = "<<<<<<< SEARCH" lines "=======" lines ">>>>>>> REPLACE"
    new_file  = "<<<<<<< NEW_FILE" lines ">>>>>>> NEW_FILE"
    lines     = *( any line )

Each marker is a line of its own. Either part of a search may be empty: nothing to find fits a file that is new or
empty, nothing to put in deletes. Looser: a marker has 5 to 9 characters, may be indented (its block's lines are then
taken without that indentation, if all have it), may be in lower case and followed by spaces; a path may follow SEARCH.
Markers may be `------- SEARCH` and `+++++++ REPLACE`.

Roo's `:start_line:10` and `:end_line:12`, with or without `-------` below them, may come before what to find, and
Zed's `line=10` behind SEARCH: a hint of where it is. In Roo's blocks, with such a number or inside `<apply_diff>`, a
backslash before `<<<<<<<`, `=======`, `>>>>>>>`, `-------` or one of its words is not content.

Markers may occur in the content. Begins and ends are matched like brackets, so that whole blocks can be content;
what is left over is a block without an end. Several separators at the top level of a block are several ways
to split it: all are given, those as long as the first marker before the others, and the file decides. A block behind
a beginning without an end may be a part of what that one began: it says so.

Rejected: a pattern such as `SEARCH\n(.*?)\n=======\n(.*?)\n>>>>>>> REPLACE`. An empty part makes it run into the next
block, content that looks like a marker ends it too early, and it may look at a long reply again and again.

A quotation, or a block in entities, is unwrapped only where that is exact: all lines of the quotation begin with its
mark, and the block in entities has no bracket that is not one.
"""

from __future__ import annotations

from suture.formats import MOST_DIGITS, MOST_UNENDED, Block, Hunk, Source, Split, reading
from suture.formats.file_names import fence_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

    from suture.formats import Reading

_SHORTEST_MARKER, _LONGEST_MARKER = 5, 9  # characters; models miscount the 7
_MARKERS = {
    "<": {"SEARCH": "search", "NEW_FILE": "new_file"},
    "-": {"SEARCH": "search"},
    ">": {"REPLACE": "replace", "NEW_FILE": "end_of_file"},
    "+": {"REPLACE": "replace"},
}
_CLOSED_BY = {"search": "replace", "new_file": "end_of_file"}
_ENDS = {"replace": "search", "end_of_file": "new_file"}
_MOST_SPLITS = 20  # ways to split one block, each of which is searched for in the file
_MOST_INNER = 1_000  # blocks in the content of a block that are looked at
_MOST_LINES_ABOVE = 500  # lines above a block that are searched for `<apply_diff>`
_NUMBERS = (":start_line:", ":end_line:")
_ESCAPED = ("\\<<<<<<<", "\\=======", "\\>>>>>>>", "\\-------", *(f"\\{name}" for name in _NUMBERS))

_QUOTE, _ENTITY, _LEAST_ENTITIES = ">", "&lt;", 5


def marker(line: str) -> str | None:
    """What a line marks: `search`, `new_file`, `separator`, `replace`, `end_of_file`, or nothing."""
    text = line.strip()
    char = text[:1]
    if char not in {"<", "=", ">", "-", "+"} or not text.startswith(char * _SHORTEST_MARKER):
        return None
    words = text.lstrip(char)
    if not _SHORTEST_MARKER <= len(text) - len(words) <= _LONGEST_MARKER:
        return None
    if char == "=":
        return None if words else "separator"
    words = words.lstrip()
    for name, kind in _MARKERS[char].items():
        if words[: len(name)].upper() == name and _may_follow(words[len(name) :], kind):
            return kind
    return None


def is_separator(line: str) -> bool:
    """Whether a line looks like the one between the two parts of a block."""
    return marker(line) == "separator"


def path_behind(line: str) -> str:
    """What is in a line behind its marker."""
    words = line.strip().lstrip("<-").lstrip()
    return words[len("SEARCH" if words[:1] in {"S", "s"} else "NEW_FILE") :].strip(" \t:`*'\"<>")


def begins(line: str) -> bool:
    """Whether a block begins at a line."""
    return marker(line) in _CLOSED_BY


def begin(source: Source, at: int) -> Reading | None:
    """The reader of the block that begins at a line, if one does."""
    return read(source, at) if begins(source.lines[at]) else None


def read(source: Source, at: int) -> Reading:
    """Read the block that begins at a line."""
    kind = marker(source.lines[at]) or ""
    end = yield from _closing(source, at, kind)
    if end is None:
        name, action = ("new_file", "create") if kind == "new_file" else ("search_replace", "update")
        yield Block(0, name, action, at + 1, at + 1, None, problem="no_end")
        return at + 1
    block = _new_file(source, at, end) if kind == "new_file" else _search(source, at, end)
    yield block if at not in source.torn else block.but(problem="two_ends", hunks=(), content=None)
    return end + 1


def unwrap(source: Source, at: int) -> Generator[None, None, bool]:
    """Take off what is around a block that begins at a line, or a fence with one in it; whether anything was."""
    start = source.lines[at].lstrip()
    if start.startswith(_QUOTE) and at >= source.quoted:
        return (yield from _unquote(source, at))
    if start.startswith(_ENTITY * _LEAST_ENTITIES) and source.unended < MOST_UNENDED:
        decoded = Source.of(_decode_line(source.lines[at]))
        return reading(decoded, 0) is not None and (yield from _decode(source, at))
    return False


def _may_follow(rest: str, kind: str) -> bool:
    """Whether the rest of a line leaves it a marker: nothing, a path after SEARCH, or stray punctuation."""
    if not rest or not any(char.isalnum() or char == "_" for char in rest):
        return True
    remark = rest[0].isspace() and rest.lstrip().startswith(("#", "//", "(", "<!--", "--"))
    return remark or (kind in {"search", "new_file"} and rest[0] in " \t:")


def _closing(source: Source, at: int, kind: str) -> Generator[None, None, int | None]:
    """The line that ends the block which begins at `at`; None if none does."""
    if at not in source.closings:
        pairing = _Pairing(source, at, kind)
        while not pairing.is_over():
            yield None
    return source.closings[at]


class _Pairing:
    """The beginnings and ends of blocks behind the beginning of one, matched like brackets.

    An end belongs to the nearest beginning with as many characters, and else to the nearest one; except for the block
    itself, one of another length is its end only if none of the right length follows before another block begins.
    """

    def __init__(self, source: Source, at: int, kind: str) -> None:
        self._source = source
        self._at = at
        self._next = at + 1
        self._begun: list[tuple[int, tuple[str, int]]] = []
        """The lines of beginnings that nothing has ended yet, and what each is: its kind and its length."""
        self._places: dict[tuple[str, int], list[int]] = {}
        """The places in that list, by what they are."""
        self._ended = 0
        """The last line that ends any block."""
        self._loose: int | None = None
        """The first end of another length than the block's own."""
        self._goes_on = False
        """Whether another block begins behind it."""
        self._begin(at, kind)

    def is_over(self) -> bool:
        """Look at the lines that have come, and tell whether it is known now where the block ends."""
        source, lines = self._source, self._source.lines
        for number in range(self._next, len(lines) if source.endless is None else source.endless):
            line = lines[number]
            marks = "<<<<<" in line or ">>>>>" in line or "-----" in line or "+++++" in line
            if marks and self._take(number, marker(line)):
                return True
        self._next = len(lines)
        if source.over:
            source.endless = max(self._ended, self._at) + 1
            source.closings.update((begin, None) for begin, _ in self._begun)
            source.closings[self._at] = self._loose
        return source.over

    def _take(self, number: int, kind: str | None) -> bool:
        """Look at a line that may be a marker; whether the block has its end now."""
        if kind in _CLOSED_BY:
            if self._loose is not None and _size(self._source.lines[number]) == self._begun[0][1][1]:
                self._source.closings[self._at] = self._loose
                return True
            self._goes_on = self._loose is not None
            self._begin(number, kind)
        elif kind in _ENDS:
            self._ended = number
            self._close(number, _ENDS[kind])
        return not self._begun

    def _begin(self, number: int, kind: str) -> None:
        what = kind, _size(self._source.lines[number])
        self._places.setdefault(what, []).append(len(self._begun))
        self._begun.append((number, what))

    def _close(self, number: int, kind: str) -> None:
        same = self._places.get((kind, _size(self._source.lines[number])))
        others = [places[-1] for (begun, _), places in self._places.items() if begun == kind and places]
        if not same and others and max(others) == 0:
            self._loose = self._loose or number
            return
        if not others:
            return
        place = same[-1] if same else max(others)
        while len(self._begun) > place:  # what was begun inside is content
            begin, what = self._begun.pop()
            self._places[what].pop()
            self._source.closings[begin] = None
        self._source.closings[begin] = number
        if not self._begun and self._goes_on and self._loose is not None:
            self._source.torn[self._at] = self._loose


def _new_file(source: Source, at: int, end: int) -> Block:
    content = _dedent([source.text(at + 1, end, crlf=source.is_crlf(at))], source.lead(at))[0]
    return Block(0, "new_file", "create", at + 1, end + 1, None, content=content)


def _search(source: Source, at: int, end: int) -> Block:
    separators = _separators(source, at, end)
    size = _size(source.lines[at])
    same = [separator for separator in separators if _size(source.lines[separator]) == size]
    if len(separators) > _MOST_SPLITS:
        separators = same
    if not 0 < len(separators) <= _MOST_SPLITS:
        problem = "many_separators" if separators else "no_separator"
        return Block(0, "search_replace", "update", at + 1, end + 1, None, problem=problem)
    crlf, lead = source.is_crlf(at), source.lead(at)
    splits = []
    first, near = _behind_number(source, at + 1)
    near = _behind_marker(source.lines[at]) if near is None else near
    for middle in sorted(separators, key=lambda number: (number not in same, number)):
        sides = [source.text(first, middle, crlf=crlf), source.text(middle + 1, end, crlf=crlf)]
        old, new = _unescape(_dedent(sides, lead), source, at, numbered=first > at + 1)
        splits.append(Split(old, new))
    action = "update" if any(split.old for split in splits) else "create"
    hunk = Hunk(at + 1, tuple(splits), inner=source.unclosed, likely=len(same), near=near)
    return Block(0, "search_replace", action, at + 1, end + 1, None, None, (), (hunk,))


def _behind_number(source: Source, at: int) -> tuple[int, int | None]:
    """Where the lines to find begin, if line numbers come first, and the number of the first."""
    lines = [line.strip() for line in source.lines[at : at + 3]]
    numbers: dict[str, int] = {}
    for line, name in zip(lines, _NUMBERS if lines[0].startswith(_NUMBERS[0]) else _NUMBERS[1:], strict=False):
        number = line.removeprefix(name).strip()
        if number == line or not number.isdecimal() or len(number) > MOST_DIGITS:
            break
        numbers[name] = int(number)
    behind = lines[len(numbers) : len(numbers) + 1]
    ruled = bool(numbers) and bool(behind) and len(behind[0]) >= _SHORTEST_MARKER and not behind[0].strip("-")
    return at + len(numbers) + ruled, numbers.get(_NUMBERS[0])


def _behind_marker(line: str) -> int | None:
    """The number in `line=10` behind a marker."""
    _, sign, number = line.partition(" line=")
    number = number.strip().strip("\"'")
    return int(number) if sign and number.isdecimal() and len(number) <= MOST_DIGITS else None


def _unescape(texts: list[str], source: Source, at: int, *, numbered: bool) -> list[str]:
    """Texts of Roo's blocks without the backslashes before what looks like markers."""
    if not any(line.startswith(_ESCAPED) for text in texts for line in text.split("\n")):
        return texts
    if not numbered and not _is_applied_diff(source, at):
        return texts
    return ["\n".join([line[line.startswith(_ESCAPED) :] for line in text.split("\n")]) for text in texts]


def _is_applied_diff(source: Source, at: int) -> bool:
    """Whether a block is in Roo's `<apply_diff>`."""
    for line in reversed(source.lines[max(at - _MOST_LINES_ABOVE, 0) : at]):
        if "apply_diff>" in line:
            return "</apply_diff>" not in line
    return False


def _separators(source: Source, at: int, end: int) -> list[int]:
    """The lines that may separate the two parts of a block: those that are not inside a block in its content."""
    lines = source.lines
    numbers = [number for number in range(at + 1, end) if "=====" in lines[number] and is_separator(lines[number])]
    if len(numbers) > 1:
        inner = [(begin, last) for begin in range(at + 1, end) if (last := source.closings.get(begin)) is not None]
        numbers = [
            number for number in numbers if not any(begin < number < last for begin, last in inner[:_MOST_INNER])
        ]
    return numbers


def _size(line: str) -> int:
    """How many characters a marker has."""
    text = line.strip()
    return len(text) - len(text.lstrip(text[0]))


def _dedent(texts: list[str], lead: str) -> list[str]:
    """Texts without the indentation of their markers, if all their lines have it."""
    if not lead:
        return texts
    lines = [text.split("\n") for text in texts]
    if any(line.strip() and not line.startswith(lead) for side in lines for line in side):
        return texts
    return ["\n".join([line.removeprefix(lead) for line in side]) for side in lines]


def _unquote(source: Source, at: int) -> Generator[None, None, bool]:
    first = _without_mark(source.lines[at])
    if first[:1].isspace():  # a quoted example, not a block that was quoted
        return False
    may_begin = first.startswith("--- ") or reading(Source.of(first), 0) is not None
    if not (may_begin or fence_of(first)):
        return False
    end = at
    while (line := (yield from source.wait(end))) is not None and line.lstrip().startswith(_QUOTE):
        end += 1
    lines = [_without_mark(line) for line in source.lines[at:end]]
    inside = Source.of("\n".join(lines))
    if all(reading(inside, number) is None for number in range(len(inside.lines))):
        source.quoted = end
        return False
    source.replace(at, lines)
    return True


def _without_mark(line: str) -> str:
    return line.lstrip().removeprefix(_QUOTE).removeprefix(" ")


def _decode(source: Source, at: int) -> Generator[None, None, bool]:
    end = at
    while True:
        line = yield from source.wait(end)
        if line is None or "<" in line or ">" in line:
            source.unended += 1
            return False
        end += 1
        if marker(_decode_line(line)) in _ENDS:
            break
    source.replace(at, [_decode_line(line) for line in source.lines[at:end]])
    return True


def _decode_line(line: str) -> str:
    from html import unescape  # only such a reply needs it

    return unescape(line)
