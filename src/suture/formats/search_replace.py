r"""SEARCH/REPLACE blocks, also in quotations and in HTML entities.

    block     = search | new_file
    search    = "<<<<<<< SEARCH" lines "=======" lines ">>>>>>> REPLACE"
    new_file  = "<<<<<<< NEW_FILE" lines ">>>>>>> NEW_FILE"
    lines     = *( any line )

Each marker is on its own line. Either part of a search may be empty: an empty search part fits a new or empty file, an
empty replace part deletes. Looser: a marker may have 5 to 9 characters, be indented (the block's lines then lose that
indentation, if all have it), be in lower case, and be followed by spaces; a path may follow SEARCH. Markers may also be
`------- SEARCH` and `+++++++ REPLACE`.

Roo's `:start_line:10` and `:end_line:12`, with or without `-------` below them, may precede the search part, and Zed's
`line=10` may follow SEARCH: a hint of where it is. In Roo's blocks, which have such a number or are inside
`<apply_diff>`, a backslash before `<<<<<<<`, `=======`, `>>>>>>>`, `-------` or one of those words is removed.

Markers may occur in the content. Starts and ends are matched like brackets, so that whole blocks can be content; an
unmatched start is a block without an end. Several separators at the top level of a block are several ways to split it:
all are returned, those as long as the first marker first, and the file decides. A block after a start without an end
may be content of that start, and is marked accordingly.

Rejected: a pattern such as `SEARCH\n(.*?)\n=======\n(.*?)\n>>>>>>> REPLACE`. An empty part makes it run into the next
block, content that looks like a marker ends it too early, and it may scan a long reply again and again.

A quotation, or a block in entities, is unwrapped only if that is exact: all lines of the quotation begin with its mark,
and all angle brackets of the block are entities.
"""

from __future__ import annotations

from suture.formats import MAX_DIGITS, MAX_UNENDED, Block, Hunk, Source, Split, find_reader
from suture.formats.file_names import parse_fence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

    from suture.formats import Reader

_MIN_MARKER_CHARS, _MAX_MARKER_CHARS = 5, 9  # characters; models miscount the 7
_MARKERS = {
    "<": {"SEARCH": "search", "NEW_FILE": "new_file"},
    "-": {"SEARCH": "search"},
    ">": {"REPLACE": "replace", "NEW_FILE": "end_of_file"},
    "+": {"REPLACE": "replace"},
}
_END_OF = {"search": "replace", "new_file": "end_of_file"}
_START_OF = {"replace": "search", "end_of_file": "new_file"}
_MAX_SPLITS = 20  # ways to split a block: each one is searched for in the file
_MAX_INNER_BLOCKS = 1_000  # blocks in the content of a block that are considered: bounds the time
_MAX_LINES_ABOVE = 500  # lines above a block in which `<apply_diff>` is searched for: bounds the time
_NUMBERS = (":start_line:", ":end_line:")
_ESCAPED = ("\\<<<<<<<", "\\=======", "\\>>>>>>>", "\\-------", *(f"\\{name}" for name in _NUMBERS))

_QUOTE, _ENTITY, _LEAST_ENTITIES = ">", "&lt;", 5


def marker(line: str) -> str | None:
    """The kind of marker that a line is: `search`, `new_file`, `separator`, `replace`, `end_of_file`; None for none."""
    text = line.strip()
    char = text[:1]
    if char not in {"<", "=", ">", "-", "+"} or not text.startswith(char * _MIN_MARKER_CHARS):
        return None
    words = text.lstrip(char)
    if not _MIN_MARKER_CHARS <= len(text) - len(words) <= _MAX_MARKER_CHARS:
        return None
    if char == "=":
        return None if words else "separator"
    words = words.lstrip()
    for name, kind in _MARKERS[char].items():
        if words[: len(name)].upper() == name and _may_follow(words[len(name) :], kind):
            return kind
    return None


def is_separator(line: str) -> bool:
    """Whether a line looks like the separator between the two parts of a block."""
    return marker(line) == "separator"


def path_after_marker(line: str) -> str:
    """The text after the marker on its line."""
    words = line.strip().lstrip("<-").lstrip()
    return words[len("SEARCH" if words[:1] in {"S", "s"} else "NEW_FILE") :].strip(" \t:`*'\"<>")


def begins(line: str) -> bool:
    """Whether a block begins at a line."""
    return marker(line) in _END_OF


def begin(source: Source, at: int) -> Reader | None:
    """The reader of the block that begins at a line, if one does."""
    return read(source, at) if begins(source.lines[at]) else None


def read(source: Source, at: int) -> Reader:
    """Read the block that begins at a line."""
    kind = marker(source.lines[at]) or ""
    end = yield from _find_end(source, at, kind)
    if end is None:
        name, action = ("new_file", "create") if kind == "new_file" else ("search_replace", "update")
        yield Block(0, name, action, at + 1, at + 1, None, problem="no_end")
        return at + 1
    block = _new_file(source, at, end) if kind == "new_file" else _search(source, at, end)
    yield block if at not in source.early_ends else block.evolve(problem="two_ends", hunks=(), content=None)
    return end + 1


def unwrap(source: Source, at: int) -> Generator[None, None, bool]:
    """Remove the quotation or entities around a block or fence that begins at a line. Returns whether it did."""
    start = source.lines[at].lstrip()
    if start.startswith(_QUOTE) and at >= source.quotation_end:
        return (yield from _unquote(source, at))
    if start.startswith(_ENTITY * _LEAST_ENTITIES) and source.unended < MAX_UNENDED:
        decoded = Source.of(_unescape_line(source.lines[at]))
        return find_reader(decoded, 0) is not None and (yield from _decode(source, at))
    return False


def _may_follow(rest: str, kind: str) -> bool:
    """Whether a line with this rest is still a marker: nothing, a path after SEARCH, or stray punctuation."""
    if not rest or not any(char.isalnum() or char == "_" for char in rest):
        return True
    remark = rest[0].isspace() and rest.lstrip().startswith(("#", "//", "(", "<!--", "--"))
    return remark or (kind in {"search", "new_file"} and rest[0] in " \t:")


def _find_end(source: Source, at: int, kind: str) -> Generator[None, None, int | None]:
    """The line that ends the block beginning at `at`; None if there is none."""
    if at not in source.block_ends:
        pairing = _Pairing(source, at, kind)
        while not pairing.is_over():
            yield None
    return source.block_ends[at]


class _Pairing:
    """Finds the end of a block by matching starts and ends like brackets.

    An end belongs to the nearest start with as many characters, or else to the nearest start. The block itself is an
    exception: an end of another length is its end only if no end of the right length follows before another block.
    """

    def __init__(self, source: Source, at: int, kind: str) -> None:
        self._source = source
        self._at = at
        self._next = at + 1
        self._open: list[tuple[int, tuple[str, int]]] = []
        """The starts without an end so far: the line of each, and its kind and length."""
        self._places: dict[tuple[str, int], list[int]] = {}
        """The indexes in that list, by kind and length."""
        self._last_end = 0
        """The last line that ends any block."""
        self._loose_end: int | None = None
        """The first end whose length differs from the block's own."""
        self._block_follows = False
        """Whether another block begins after it."""
        self._begin(at, kind)

    def is_over(self) -> bool:
        """Read the lines that have arrived. Returns whether the end of the block is known."""
        source, lines = self._source, self._source.lines
        for number in range(self._next, len(lines) if source.endless_from is None else source.endless_from):
            line = lines[number]
            marks = "<<<<<" in line or ">>>>>" in line or "-----" in line or "+++++" in line
            if marks and self._take(number, marker(line)):
                return True
        self._next = len(lines)
        if source.over:
            source.endless_from = max(self._last_end, self._at) + 1
            source.block_ends.update((begin, None) for begin, _ in self._open)
            source.block_ends[self._at] = self._loose_end
        return source.over

    def _take(self, number: int, kind: str | None) -> bool:
        """Read a line that may be a marker. Returns whether the block has ended."""
        if kind in _END_OF:
            if self._loose_end is not None and _size(self._source.lines[number]) == self._open[0][1][1]:
                self._source.block_ends[self._at] = self._loose_end
                return True
            self._block_follows = self._loose_end is not None
            self._begin(number, kind)
        elif kind in _START_OF:
            self._last_end = number
            self._close(number, _START_OF[kind])
        return not self._open

    def _begin(self, number: int, kind: str) -> None:
        kind_and_size = kind, _size(self._source.lines[number])
        self._places.setdefault(kind_and_size, []).append(len(self._open))
        self._open.append((number, kind_and_size))

    def _close(self, number: int, kind: str) -> None:
        same = self._places.get((kind, _size(self._source.lines[number])))
        others = [places[-1] for (begun, _), places in self._places.items() if begun == kind and places]
        if not same and others and max(others) == 0:
            self._loose_end = self._loose_end or number
            return
        if not others:
            return
        place = same[-1] if same else max(others)
        while len(self._open) > place:  # starts inside the block are content
            begin, kind_and_size = self._open.pop()
            self._places[kind_and_size].pop()
            self._source.block_ends[begin] = None
        self._source.block_ends[begin] = number
        if not self._open and self._block_follows and self._loose_end is not None:
            self._source.early_ends[self._at] = self._loose_end


def _new_file(source: Source, at: int, end: int) -> Block:
    content = _dedent([source.text(at + 1, end, crlf=source.is_crlf(at))], source.lead(at))[0]
    return Block(0, "new_file", "create", at + 1, end + 1, None, content=content)


def _search(source: Source, at: int, end: int) -> Block:
    separators = _separators(source, at, end)
    size = _size(source.lines[at])
    same = [separator for separator in separators if _size(source.lines[separator]) == size]
    if len(separators) > _MAX_SPLITS:
        separators = same
    if not 0 < len(separators) <= _MAX_SPLITS:
        problem = "many_separators" if separators else "no_separator"
        return Block(0, "search_replace", "update", at + 1, end + 1, None, problem=problem)
    crlf, lead = source.is_crlf(at), source.lead(at)
    splits = []
    first, near = _skip_line_numbers(source, at + 1)
    near = _number_in_marker(source.lines[at]) if near is None else near
    for middle in sorted(separators, key=lambda number: (number not in same, number)):
        sides = [source.text(first, middle, crlf=crlf), source.text(middle + 1, end, crlf=crlf)]
        old, new = _unescape(_dedent(sides, lead), source, at, numbered=first > at + 1)
        splits.append(Split(old, new))
    action = "update" if any(split.old for split in splits) else "create"
    hunk = Hunk(at + 1, tuple(splits), inner=source.unclosed, likely=len(same), near=near)
    return Block(0, "search_replace", action, at + 1, end + 1, None, None, (), (hunk,))


def _skip_line_numbers(source: Source, at: int) -> tuple[int, int | None]:
    """The line at which the search part begins, after line numbers, and the first line number."""
    lines = [line.strip() for line in source.lines[at : at + 3]]
    numbers: dict[str, int] = {}
    for line, name in zip(lines, _NUMBERS if lines[0].startswith(_NUMBERS[0]) else _NUMBERS[1:], strict=False):
        number = line.removeprefix(name).strip()
        if number == line or not number.isdecimal() or len(number) > MAX_DIGITS:
            break
        numbers[name] = int(number)
    behind = lines[len(numbers) : len(numbers) + 1]
    ruled = bool(numbers) and bool(behind) and len(behind[0]) >= _MIN_MARKER_CHARS and not behind[0].strip("-")
    return at + len(numbers) + ruled, numbers.get(_NUMBERS[0])


def _number_in_marker(line: str) -> int | None:
    """The line number in `line=10` after a marker."""
    _, sign, number = line.partition(" line=")
    number = number.strip().strip("\"'")
    return int(number) if sign and number.isdecimal() and len(number) <= MAX_DIGITS else None


def _unescape(texts: list[str], source: Source, at: int, *, numbered: bool) -> list[str]:
    """Remove the backslashes before marker-like text in Roo's blocks."""
    if not any(line.startswith(_ESCAPED) for text in texts for line in text.split("\n")):
        return texts
    if not numbered and not _is_applied_diff(source, at):
        return texts
    return ["\n".join([line[line.startswith(_ESCAPED) :] for line in text.split("\n")]) for text in texts]


def _is_applied_diff(source: Source, at: int) -> bool:
    """Whether a block is in Roo's `<apply_diff>`."""
    for line in reversed(source.lines[max(at - _MAX_LINES_ABOVE, 0) : at]):
        if "apply_diff>" in line:
            return "</apply_diff>" not in line
    return False


def _separators(source: Source, at: int, end: int) -> list[int]:
    """The lines that may separate the parts of a block: not those of blocks in its content."""
    lines = source.lines
    numbers = [number for number in range(at + 1, end) if "=====" in lines[number] and is_separator(lines[number])]
    if len(numbers) > 1:
        inner = [(begin, last) for begin in range(at + 1, end) if (last := source.block_ends.get(begin)) is not None]
        numbers = [
            number for number in numbers if not any(begin < number < last for begin, last in inner[:_MAX_INNER_BLOCKS])
        ]
    return numbers


def _size(line: str) -> int:
    """The number of characters in a marker."""
    text = line.strip()
    return len(text) - len(text.lstrip(text[0]))


def _dedent(texts: list[str], lead: str) -> list[str]:
    """Remove the markers' indentation from texts, if all lines have it."""
    if not lead:
        return texts
    lines = [text.split("\n") for text in texts]
    if any(line.strip() and not line.startswith(lead) for side in lines for line in side):
        return texts
    return ["\n".join([line.removeprefix(lead) for line in side]) for side in lines]


def _unquote(source: Source, at: int) -> Generator[None, None, bool]:
    first = _without_mark(source.lines[at])
    if first[:1].isspace():  # an example inside a quotation, not a quoted block
        return False
    may_begin = first.startswith("--- ") or find_reader(Source.of(first), 0) is not None
    if not (may_begin or parse_fence(first)):
        return False
    end = at
    while (line := (yield from source.wait(end))) is not None and line.lstrip().startswith(_QUOTE):
        end += 1
    lines = [_without_mark(line) for line in source.lines[at:end]]
    inside = Source.of("\n".join(lines))
    if all(find_reader(inside, number) is None for number in range(len(inside.lines))):
        source.quotation_end = end
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
        if marker(_unescape_line(line)) in _START_OF:
            break
    source.replace(at, [_unescape_line(line) for line in source.lines[at:end]])
    return True


def _unescape_line(line: str) -> str:
    from html import unescape  # rarely needed

    return unescape(line)
