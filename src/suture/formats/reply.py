"""What a whole reply contains: blocks of every format, in order, with the files they are about.

Prose is passed over. The path of a block that does not name its file itself is looked for in the lines above it and
in the fence around it; else it is that of the last `### File:` heading, the default path, or that of the block
before. A file that only a sentence mentions is one that the block may be about: the files decide. A fenced file
without any marker is a block only if whole files are asked for. Behind a block that nothing ends, patches and diffs
are not believed: they may be its content.

The parser is one generator over a source of lines, so that it can be fed in pieces: it stops where it needs a line
that has not come yet, and goes on from there.
"""

from __future__ import annotations

from suture.formats import calls, search_replace, unified, v4a
from suture.formats.blocks import Block, Unread
from suture.formats.naming import alone, as_path, closes, fence_of, in_info, is_announcement, labelled, mentioned
from suture.formats.search_replace import marker, path_behind
from suture.formats.source import Source
from suture.formats.unread import find_unread
from suture.formats.unwrapping import unwrap
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from suture.formats.source import Reading

_LOOKED_AT = 3
"""Lines above a block that may name its file, blank ones not counted."""
_MOST_UNCLOSED = 20
_MARKED = {"search_replace", "new_file"}
"""Formats whose blocks stand between markers of their own, in which anything may stand."""
_THOUGHTS = {"<think>": "</think>", "<thinking>": "</thinking>"}
_TEXTS = {"md", "markdown"}
_LONG_FENCE = 4
_MOST_MENTIONED = 5
_DIFFS = {"diff", "patch", "udiff"}
_NO_FILES = {
    "bash",
    "sh",
    "shell",
    "zsh",
    "fish",
    "console",
    "terminal",
    "powershell",
    "text",
    "output",
    "log",
    *_DIFFS,
}
"""Languages of fences that hold commands or what they print, not a file."""


class Reply(Record):
    """The blocks of a reply, in order; a sequence of them."""

    blocks: tuple[Block, ...]
    paths: tuple[str, ...]
    """Every file that it names, in order: those of its blocks and headings."""
    fenced: tuple[str, ...]
    """Whole files in fences that were passed over."""
    unread: tuple[Unread, ...] = ()
    """What looks like an edit and was not read, in order; known when the reply is over."""

    def __len__(self) -> int:
        return len(self.blocks)

    def __getitem__(self, number: int) -> Block:
        return self.blocks[number]

    def __iter__(self) -> Iterator[Block]:
        return iter(self.blocks)


def parse_reply(
    text: str, default_path: str | None = None, *, whole_files: bool = False, most: int | None = None
) -> Reply:
    """Everything a reply asks for, or its first blocks."""
    parser = ReplyParser(default_path, whole_files=whole_files, most=most)
    parser.feed(text)
    parser.close()
    return parser.reply


class ReplyParser:
    """A parser that is fed a reply in pieces, as it comes from a model."""

    def __init__(self, default_path: str | None = None, *, whole_files: bool = False, most: int | None = None) -> None:
        """`most` ends it after so many blocks: somebody does not want more."""
        self._default_path = default_path
        self._whole_files = whole_files
        self._most = most
        self._source = Source()
        self._begun = False
        self._blocks: list[Block] = []
        self._paths: dict[str, None] = {}
        self._fenced: dict[str, None] = {}
        self._unread: list[Unread] = []
        self._seen: list[int] = []
        """Lines that no block took, thoughts left out."""
        self._fence = self._language = ""
        self._unclosed = 0
        """How many fenced files had no end: each takes a look at all that follows."""
        self._heading: str | None = None
        self._last: str | None = None
        self._above: tuple[int, str | None] = (-1, None)
        """The line for which the path above it was looked for last, and that path."""
        self._floor = 0
        """The first line that belongs to no block before."""
        self._after = _After()
        self._said = _Said()
        self._unsure = False
        """Whether a block has no end, and none of its kind was complete since."""
        self._thought = ""
        """What ends the thoughts of a model, which are no part of its reply."""
        self._running = self._run()

    def feed(self, chunk: str) -> list[Block]:
        """Take more of the reply; the blocks that are complete now."""
        self._source.add(chunk if self._begun else chunk.removeprefix("\ufeff"))
        self._begun = self._begun or bool(chunk)
        return self._advance()

    def close(self) -> list[Block]:
        """The reply is over; the blocks that were still open, as far as they can be used."""
        self._source.close()
        return self._advance()

    @property
    def reply(self) -> Reply:
        """What was found so far."""
        unread = find_unread(self._source, self._seen, self._blocks, self._unread) if self._source.over else []
        return Reply(tuple(self._blocks), tuple(self._paths), tuple(self._fenced), tuple(unread))

    def _advance(self) -> list[Block]:
        known = len(self._blocks)
        for found in self._running:
            if found is None:
                break
            self._blocks.append(found)
            if len(self._blocks) == self._most:
                self._running.close()
        return self._blocks[known:]

    def _run(self) -> Generator[Block | None, None, None]:
        source, at = self._source, 0
        while True:
            while not source.ready(at):
                yield None
            if at >= len(source.lines):
                return
            if self._is_thought(source.lines[at]):
                at += 1
                self._floor = at
                continue
            reading = self._reading(at)
            if reading is None and source.lines[at][:4] in {"--- ", "Inde"}:  # the next line tells whether it is a diff
                while not source.ready(at + 1):
                    yield None
                reading = self._diff(at, source.line(at + 1))
            if reading is None:
                reading = yield from self._wrapped(at)
            end = at if reading is None else (yield from self._numbered(reading, at))
            at = end if end > at else (yield from self._passed(at))

    def _wrapped(self, at: int) -> Generator[Block | None, None, Reading | None]:
        """The reader of a call, or of a block in a quotation or in the entities of HTML."""
        source = self._source
        if self._fence and self._language not in calls.LANGUAGES:
            return None
        yield from unwrap(source, at)
        if calls.begins(source.lines[at]):
            return calls.read(source, at, self._fence or None, whole_files=self._whole_files)
        return self._reading(at) or self._diff(at, source.line(at + 1))

    def _is_thought(self, line: str) -> bool:
        """Whether a line is among the thoughts that some models print before they reply."""
        text = line.strip().lower()
        if self._thought:
            self._thought = "" if self._thought in text else self._thought
            return True
        opened = next((tag for tag in _THOUGHTS if text.startswith(tag)), None) if text[:1] == "<" else None
        if opened is not None and not self._fence:
            self._thought = "" if _THOUGHTS[opened] in text else _THOUGHTS[opened]
        return opened is not None and not self._fence

    def _reading(self, at: int) -> Reading | None:
        """The reader of what begins at a line."""
        line = self._source.lines[at]
        start = line.lstrip()[:1]
        if start not in {"<", "-", "*", "d", "@"}:
            return None
        if marker(line) in {"search", "new_file"}:
            return search_replace.read(self._source, at)
        if v4a.begins(line) and (self._fence or not v4a.is_bare_deletion(line)):
            return v4a.read(self._source, at, self._fence or None)
        return self._diff(at, None) if start in {"d", "@"} else None

    def _diff(self, at: int, next_line: str | None) -> Reading | None:
        line = self._source.line(at) or ""
        if unified.begins(line, next_line, fenced=bool(self._fence) and self._language in _DIFFS):
            return unified.read(self._source, at, self._fence or None)
        return None

    def _numbered(self, reading: Reading, at: int) -> Generator[Block | None, None, int]:
        """The blocks of a reader, numbered, with their paths."""
        above = self._path_above(at)
        while True:
            try:
                block = next(reading)
            except StopIteration as stop:
                end: int = stop.value
                self._floor = end if end > at else self._floor
                return end
            if block is None:
                yield None
                continue
            written = block.path_as_written or self._own_path(block) or above
            yield self._noted(self._named(block, written))

    def _own_path(self, block: Block) -> str | None:
        """The path in the line of a block's first marker."""
        if block.format not in _MARKED or block.problem == "no_start":
            return None
        return alone(path_behind(self._source.lines[block.line - 1]))

    def _named(self, block: Block, written: str | None) -> Block:
        """A block with its number and its path: as written for it, else as said in prose, else that in force."""
        path = block.path or (None if written is None else as_path(written))
        if path and self._heading and block.path is None:
            self._heading = path  # what is named last holds, but for what a diff is about
        others: list[str] = []
        if path is None:
            said = self._said
            held = self._heading or self._default_path or self._last
            announced = said.announced if not self._heading else None
            path = announced or held or next(iter(said.paths), None)
            others = [] if announced else [each for each in said.paths if each != path]
        number = len(self._blocks) + 1
        if self._unsure and block.format not in _MARKED and not block.problem:
            block = block.but(problem="inside", hunks=(), content=None)
        return block.but(number=number, path=path, path_as_written=written or path, alternatives=tuple(others))

    def _noted(self, block: Block) -> Block:
        """Remember what later blocks depend on."""
        self._last = block.path
        self._said = _Said()
        self._paths.update((each, None) for each in (block.path, block.to) if each)
        self._source.unclosed = block.problem == "no_end" and block.format == "search_replace"
        self._unsure = block.problem in {"no_end", "inside"} or (self._unsure and block.format not in _MARKED)
        self._after = _After(None if block.problem else block.number, block.format)
        return block

    def _passed(self, at: int) -> Generator[Block | None, None, int]:
        """Go on behind a line that begins no block."""
        line = self._source.lines[at]
        self._seen.append(at)
        start = line.lstrip()[:1]
        if start in {"`", "~"} and (fence := fence_of(line)) is not None:
            return (yield from self._fence_line(at, *fence))
        if start in {"=", ">", "+"} and (kind := marker(line)) is not None:
            if kind != "separator":
                yield from self._stray(at, kind)
            self._after.separated = True
            return at + 1
        if line.strip():
            self._after.text = True
            if not self._fence:
                self._listen(line)
        return at + 1

    def _listen(self, line: str) -> None:
        """Take note of the paths in a line of prose."""
        heading = labelled(line) if line.lstrip()[:1] == "#" or ":" in line else None
        if heading is not None:
            self._heading = as_path(heading)
            self._paths[self._heading] = None
        name = heading or alone(line)
        if name is not None:
            self._said = _Said(as_path(name))
        elif "." in line or "/" in line or "`" in line:
            self._said.add([as_path(each) for each in mentioned(line)], announced=is_announcement(line))
        else:
            self._said.announced = None

    def _stray(self, at: int, kind: str) -> Generator[Block | None, None, None]:
        """An end marker that nothing began. If text goes on to it from a block, that block may end only here."""
        after = self._after
        name = "new_file" if kind == "end_of_file" else "search_replace"
        continued = after.text and after.format == name and not (after.separated or after.fenced)
        doubts = after.number if continued else None
        if doubts is None and not after.separated:
            return  # the end of a block once more, or a word about it
        action = "create" if name == "new_file" else "update"
        self._floor = at + 1
        block = Block(0, name, action, at + 1, at + 1, None, problem="no_start", doubts=doubts)
        yield self._noted(self._named(block, None))

    def _fence_line(self, at: int, fence: str, info: str) -> Generator[Block | None, None, int]:
        """A fence that begins or ends."""
        if self._fence and (not info or info.startswith(("<|", "<\uff5c"))) and closes(fence, self._fence):
            self._fence = ""
            self._after.fenced = True
            return at + 1
        self._fence, self._language = fence, info.partition(" ")[0].lower()
        if self._language in _NO_FILES - _DIFFS:
            return at + 1
        while not self._source.ready(at + 1):
            yield None
        first = self._source.line(at + 1) or ""
        if self._language in _DIFFS:
            return (yield from self._bare_diff(at, fence, self._path_above(at + 1)))
        written = in_info(self._source.lines[at]) or self._line_above(at)
        if written is None and self._whole_files:
            written = alone(first) or (None if self._said.paths else self._default_path)
        if written is None:
            return at + 1
        return (yield from self._whole_file(at, fence, written))

    def _bare_diff(self, at: int, fence: str, written: str | None) -> Generator[Block | None, None, int]:
        """A fence for a diff: one that is indented is taken without that; hunks without any header are read here."""
        source = self._source
        lead = source.lead(at)
        if lead:
            end = yield from self._fence_end(at, fence)
            source.dedent(at + 1, len(source.lines) if end is None else end, lead)
        if not unified.is_bare(source.line(at + 1) or ""):
            return at + 1
        if written is None and self._said.announced is None:
            self._unread.append(Unread(at + 1, "diff"))
            return at + 1
        return (yield from self._numbered(unified.read(source, at + 1, fence), at + 1))

    def _whole_file(self, at: int, fence: str, written: str) -> Generator[Block | None, None, int]:
        """A fence with a path: a whole file, unless something else begins in it."""
        source, first = self._source, at + 1
        while True:
            while not source.ready(first + 1):
                yield None
            line = source.line(first)
            if line is None or line.strip():
                break
            first += 1
        whole = self._whole_files and (len(fence) >= _LONG_FENCE or self._language in _TEXTS)
        if line is None or (not whole and (self._begins(first) or (alone(line) and self._begins(first + 1)))):
            return at + 1
        if line.lstrip().startswith(("<<<<", "----", ">>>>", "++++")) and not whole:
            return at + 1
        path = as_path(written)
        if not self._whole_files:
            self._fenced[path] = None
            self._unread.append(Unread(at + 1, "fenced_file", path))
            return at + 1
        end = (yield from self._fence_end(at, fence)) if self._unclosed < _MOST_UNCLOSED else None
        last = (end or at) + 1
        block = Block(0, "whole_file", "create", at + 1, last, path, written, problem=None if end else "no_end")
        if end is not None:
            self._fence = ""
            skipped = at + 1 if alone(line) != written or _is_comment(line) else at + 2
            block = block.but(content=source.text(skipped, end, crlf=source.is_crlf(at)))
        self._unclosed += end is None
        self._floor = last
        yield self._noted(self._named(block, written))
        return last

    def _begins(self, at: int) -> bool:
        """Whether a block begins at a line that has come."""
        found = at < len(self._source.lines)
        return found and (self._reading(at) or self._diff(at, self._source.line(at + 1))) is not None

    def _fence_end(self, at: int, fence: str) -> Generator[Block | None, None, int | None]:
        """The line that ends a fenced file; fences inside it that name a language have ends of their own."""
        source, number, inner = self._source, at + 1, 0
        while True:
            while not source.ready(number):
                yield None
            line = source.line(number)
            if line is None:
                return None
            found = fence_of(line) if line.lstrip()[:1] == fence[0] else None
            if found is not None and len(found[0]) >= len(fence):
                if found[1]:
                    inner += 1
                elif not inner:
                    return number
                else:
                    inner -= 1
            number += 1

    def _line_above(self, at: int) -> str | None:
        """The path that the last line above a line is, blank ones not counted."""
        above = next(
            (number for number in range(at - 1, self._floor - 1, -1) if self._source.lines[number].strip()), None
        )
        return None if above is None else alone(self._source.line(above) or "")

    def _path_above(self, at: int) -> str | None:
        """The path that the lines above a line name."""
        if self._above[0] == at:
            return self._above[1]
        self._above = at, self._found_above(at)
        return self._above[1]

    def _found_above(self, at: int) -> str | None:
        looked = 0
        for number in range(at - 1, self._floor - 1, -1):
            line = self._source.line(number) or ""
            if not line.strip():
                continue
            looked += 1
            fence = fence_of(line)
            found = alone(line) if fence is None else in_info(line)
            if found is not None:
                return found
            if looked == _LOOKED_AT:
                break
        return self._said.name


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(("#", "//", "/*", "<!--", "--", ";", "%"))


class _Said:
    """What prose said about files since the last block."""

    def __init__(self, name: str | None = None) -> None:
        self.name = name
        """The one that a line named; then nothing else counts."""
        self.paths: list[str] = []
        """Those that sentences mentioned, the last first."""
        self.announced: str | None = None
        """The one in the last line, if that says what comes next."""

    def add(self, paths: Sequence[str], *, announced: bool) -> None:
        """Take note of the paths in a sentence."""
        self.announced = paths[0] if announced and len(paths) == 1 else None
        if self.name is None:
            self.paths = list(dict.fromkeys([*reversed(paths), *self.paths]))[:_MOST_MENTIONED]


class _After:
    """What came since the last block that can be used."""

    def __init__(self, number: int | None = None, format: str = "") -> None:  # noqa: A002  the block's own name for it
        self.number = number
        self.format = format
        self.text = self.separated = self.fenced = False
