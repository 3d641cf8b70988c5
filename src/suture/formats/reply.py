"""Parse a whole reply into blocks, in any notation, and report what is wrong with it.

Prose and the model's thinking (`thinking`) are skipped. A block that does not name its file is about the file that the
lines since the previous block name. If they only mention files, it may be about any of them, and the files decide. If
they say nothing, its file is that of the last `### File:` heading, the default path, or that of the previous block. A
fenced file without a marker is a block only if whole files are asked for. After a block without an end, patches and
diffs can't be used: they may be its content.

The parser is one generator over a source of lines, so that it can be fed in pieces: it stops where it needs a line that
has not arrived, and resumes there. Rejected: a separate reader per format over the whole text, because each would find
"blocks" in the content of the others.
"""

from __future__ import annotations

from suture.formats import (
    DIFFS,
    LANGUAGES,
    Block,
    Mention,
    Source,
    Unread,
    search_replace,
    unified,
    wait_for_reader,
)
from suture.formats.file_names import (
    LinesAbove,
    as_path,
    closes_fence,
    is_excerpt,
    mentions,
    parse_fence,
    path_in_info,
    path_on_line,
)
from suture.formats.search_replace import marker, path_after_marker, unwrap
from suture.formats.thinking import Tag, Thinking, Thought, is_end, tags
from suture.formats.unread import find_unread
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from suture.formats import Reader

_MAX_INTRODUCTION_LINES = 3
"""Lines above a fence, not counting blank ones, that may say what it contains."""
_MAX_NOTED_LINES = 10
"""Lines of a fence, at its start or after a block, that may say which file comes."""
_MAX_UNCLOSED_FILES = 20  # without an end, after which no end is searched for: each search reads all the rest
_TEXTS = {"md", "markdown"}
_THOUGHTS = {"think", "thinking", "thought", "thoughts", "reasoning", "scratchpad"}
"""Languages of fences that contain thinking."""
_OUTER_FENCE_CHARACTERS = 4  # characters of a fence in which other fences are content
_COMMANDS = {"bash", "sh", "shell", "zsh", "fish", "console", "terminal", "powershell"}
_NO_FILES = {*_COMMANDS, "text", "output", "log"}
"""Languages of fences that contain commands or their output."""


class Reply(Record):
    """A parsed reply: a sequence of its blocks, in order."""

    blocks: tuple[Block, ...]
    paths: tuple[str, ...]
    """All files that its blocks and headings name, in order."""
    fenced: tuple[str, ...]
    """The paths of whole files in fences that were skipped."""
    unread: tuple[Unread, ...] = ()
    """What looks like an edit but was not read, in order; known once the reply is complete."""
    thoughts: tuple[Thought, ...] = ()
    """The model's thinking, which contains no blocks."""

    def __len__(self) -> int:
        return len(self.blocks)

    def __getitem__(self, number: int) -> Block:
        return self.blocks[number]

    def __iter__(self) -> Iterator[Block]:
        return iter(self.blocks)


class ReplyParser:
    """A parser for a reply that arrives in pieces.

    `feed` returns each block as soon as it is complete. An end of thinking without a beginning withdraws all blocks
    before it, and later blocks are numbered from 1 again. `reply` has the valid result, the same for any pieces.
    """

    def __init__(self, default_path: str | None = None, *, whole_files: bool = False, most: int | None = None) -> None:
        """`most` is the number of blocks after which to stop."""
        self._default_path = default_path
        self._most = most
        self._source = Source(whole_files=whole_files)
        self._begun = False
        self._blocks: list[Block] = []
        self._new_blocks: list[Block] = []
        """The blocks that the last piece completed."""
        self._unclosed = 0
        """The number of fenced files without an end: each one costs a pass over the rest."""
        self._thinking: Thinking | None = None
        self._is_thinking = False
        """Whether the text is thinking, whose blocks are only counted."""
        self._thoughts: list[Thought] = []
        self._thinking_ends: dict[str, int | None] = {}
        """The line of the next end of thinking, by the family of the beginning; None if there is none."""
        self._first_free_line = 0
        self._start_over(0)
        self._generator = self._run()

    def _start_over(self, floor: int) -> None:
        """Start over at a line."""
        self._first_free_line = floor
        """The first line after the last block."""
        self._blocks.clear()
        self._new_blocks.clear()
        self._paths: dict[str, None] = {}
        self._fenced: dict[str, None] = {}
        self._unread: list[Unread] = []
        self._skipped: list[int] = []
        """Lines that belong to no block and no thinking."""
        self._source.fence = self._source.language = ""
        self._thought_fence = ""
        """A fence that was open at the end of the last thinking: it, and the thinking, may continue after that end."""
        self._doubtful = False
        """Whether the open fence may really be the end of that fence, so that what follows is not its content."""
        self._lines_noted = 0
        """The number of lines read for file names since the fence began or since the last block."""
        self._heading = self._last = _CurrentFile()
        self._since_block = _SinceBlock()
        self._above = LinesAbove()
        self._may_be_content = False
        """Whether the last block with its own markers has no end, so that later diffs may be its content."""
        self._source.forget()

    def feed(self, chunk: str) -> list[Block]:
        """Add a piece of the reply. Returns the blocks that are now complete."""
        self._source.add(chunk if self._begun else chunk.removeprefix("\ufeff"))
        self._begun = self._begun or bool(chunk)
        return self._advance()

    def close(self) -> list[Block]:
        """Mark the reply as complete. Returns the blocks that were still open, as far as they can be used."""
        self._source.close()
        return self._advance()

    @property
    def reply(self) -> Reply:
        """The result so far, without withdrawn blocks."""
        unread = self._find_unread() if self._source.over else ()
        return Reply(tuple(self._blocks), tuple(self._paths), tuple(self._fenced), unread, tuple(self._thoughts))

    def _find_unread(self) -> tuple[Unread, ...]:
        """Find what looks like an edit in the lines that belong to no block and no thinking."""
        hidden: set[int] = set()
        for thought in self._thoughts:
            # the lines before an end without a beginning were withdrawn, and are not among the lines seen
            first = thought.end_line if thought.missing == "beginning" else thought.line
            hidden.update(range(first - 1, thought.end_line))
        seen = [at for at in self._skipped if at not in hidden]
        return tuple(find_unread(self._source, seen, self._blocks, self._unread))

    def _advance(self) -> list[Block]:
        self._new_blocks = []
        for block in self._generator:
            if block is None:
                break
            self._blocks.append(block)
            self._new_blocks.append(block)
            if len(self._blocks) == self._most:
                self._generator.close()
        return self._new_blocks

    def _run(self) -> Generator[Block | None, None, None]:
        source, at = self._source, 0
        while (yield from source.wait(at)) is not None:
            if not self._is_thinking and _may_hold_tag(source.lines[at]) and self._may_think(at):
                at = yield from self._skip_thinking(at)
                if at >= len(source.lines):
                    return
            reader = yield from wait_for_reader(source, at, doubtful=True)
            is_text = not source.fence or source.language in LANGUAGES
            if reader is None and is_text and (yield from unwrap(source, at)):
                reader = yield from wait_for_reader(source, at)
            end = at if reader is None else (yield from self._number_blocks(reader, at))
            at = end if end > at else (yield from self._skip_line(at))

    def _may_think(self, at: int) -> bool:
        """Whether tags in a line count: in a fence they are content."""
        return not self._source.fence or (self._doubtful and is_end(self._source.lines[at]))

    def _skip_thinking(self, at: int) -> Generator[None, None, int]:
        """Skip thinking. Returns the first line with other text, from which the thinking is removed."""
        source, first = self._source, at
        thinking = self._thinking = self._thinking or Thinking()
        tag: Tag | None = None
        hidden: list[str] = []
        fence = ""
        while True:
            line = source.lines[at]
            seen = thinking.read(line, (yield from self._find_unpaired(at))) if _may_hold_tag(line) else None
            fence = _fence_behind(line, fence)
            if seen is not None and seen.lone is not None:
                self._withdraw(at, seen.lone)
            hidden.append(line if seen is None else seen.hidden)
            if seen is not None:
                source.replace(at, [seen.shown])
            now = thinking.tag
            if tag is not None and now is not tag:
                self._thoughts.append(Thought(first + 1, at + 1, tag.written, self._count_blocks(hidden)))
                self._first_free_line, self._thought_fence, fence = at, fence, ""
            if now is None:
                return at
            if now is not tag:
                first, tag, hidden = at, now, hidden[-1:]
                if source.lines[at].strip():
                    self._note_files(source.lines[at])
            at += 1
            if (yield from source.wait(at)) is None:
                self._thoughts.append(Thought(first + 1, at, tag.written, self._count_blocks(hidden), "end"))
                return at

    def _find_unpaired(self, at: int) -> Generator[None, None, set[int]]:
        """The positions in a line, except at its start, of beginnings without an end."""
        source = self._source
        unpaired: set[int] = set()
        behind: dict[str, Tag] = {}
        for tag in reversed(tags(source.lines[at])):
            if not tag.begins:
                behind[tag.family] = tag
            if not tag.begins or tag.at_start or any(end_tag.ends(tag) for end_tag in behind.values()):
                continue
            end = self._thinking_ends.get(tag.family, 0)
            if end is not None and end <= at:
                end = at + 1
                while True:
                    line = yield from source.wait(end)
                    if line is None or (_may_hold_tag(line) and any(later.ends(tag) for later in tags(line))):
                        break
                    end += 1
                self._thinking_ends[tag.family] = end = None if line is None else end
            if end is None:
                unpaired.add(tag.start)
        return unpaired

    def _withdraw(self, at: int, tag: Tag) -> None:
        """Withdraw everything before an end of thinking without a beginning."""
        usable = sum(not block.problem for block in self._blocks)
        self._thoughts.append(Thought(1, at + 1, tag.written, usable, "beginning"))
        self._start_over(at)

    def _count_blocks(self, lines: list[str]) -> int:
        """The number of usable blocks in some lines."""
        parser = ReplyParser(self._default_path, whole_files=self._source.whole_files)
        parser._is_thinking = True
        parser.feed("".join([f"{line}\n" for line in lines]))
        parser.close()
        return sum(not block.problem for block in parser.reply)

    def _number_blocks(self, reader: Reader, at: int) -> Generator[Block | None, None, int]:
        """Number the blocks of a reader and set their paths."""
        above: str | None = None
        empty: Block | None = None
        while True:
            try:
                block = next(reader)
            except StopIteration as stop:
                end: int = stop.value
                self._first_free_line = end if end > at else self._first_free_line
                break
            if block is None:
                yield None
                continue
            if empty is not None:
                yield self._record(self._with_path(empty, empty.path_as_written))
            empty = block if block.problem == "empty" and block.path else None
            if empty is None:
                own = block.path_as_written or self._own_path(block)
                above = above or self._above.certain_path
                yield self._record(self._with_path(block, own or above))
        if empty is not None:
            yield from self._use_empty_header(empty, end)
        return end

    def _use_empty_header(self, empty: Block, at: int) -> Generator[Block | None, None, None]:
        """Handle a header of a patch or diff without hunks: it names the file of the block that follows."""
        while True:
            line = yield from self._source.wait(at)
            if line is None or (line.strip() and parse_fence(line) is None):
                break
            at += 1
        if line is None or not search_replace.begins(line):
            yield self._record(self._with_path(empty, empty.path_as_written))
        self._above.name_file((empty.path or "").strip("`*\"'"))

    def _own_path(self, block: Block) -> str | None:
        """The path on the line of a block's first marker; any other text there is read for file names."""
        if not block.notation.marked or block.problem == "no_start":
            return None
        behind = path_after_marker(self._source.lines[block.line - 1])
        path = path_on_line(behind)
        if path is None and behind:
            self._above.add(behind, fenced=True)
        return path

    def _with_path(self, block: Block, written: str | None) -> Block:
        """Set a block's number and path: the written one, else from the lines above, else the current one."""
        number = len(self._blocks) + 1
        if self._may_be_content and not block.notation.marked and not block.problem:
            block = block.evolve(problem="inside", hunks=(), content=None)
        path = block.path or (None if written is None else as_path(written))
        if path:
            if self._heading.path and block.path is None:
                self._heading = _CurrentFile(path)  # the file named last stays current, unless only a diff names it
            return block.evolve(number=number, path=path, path_as_written=written or path)
        current = (
            self._heading
            if self._heading.path
            else _CurrentFile(self._default_path)
            if self._default_path
            else self._last
        )
        above, inside = self._above.candidates, _mentions_inside(block)
        sure = [mention.path for mention in above if mention.sure]
        targets = [mention.path for mention in above if mention.sure and mention.role == "target"]
        own = [mention.path for mention in inside if mention.sure]  # may be text of the file: the files decide
        in_force = [current.path] if current.path else []
        path = next(iter([*targets[-1:], *in_force, *sure[-1:], *own]), None)
        others = dict.fromkeys([*own, *reversed(sure), *in_force])
        block = block.evolve(number=number, path=path, path_as_written=path, inherited=current.path, follows=current.by)
        if above and self._heading.path:
            self._heading = _CurrentFile(path, number)
        return block.evolve(alternatives=tuple(other for other in others if other != path), mentions=(*above, *inside))

    def _record(self, block: Block) -> Block:
        """Record what later blocks depend on."""
        self._last = _CurrentFile(block.path, block.number if block.mentions else block.follows)
        self._above = LinesAbove()
        self._lines_noted = 0
        self._paths.update((name, None) for name in (block.path, block.to) if name)
        self._source.unclosed = block.problem == "no_end" and block.format == "search_replace"
        self._may_be_content = block.problem in {"no_end", "inside"} or (
            self._may_be_content and not block.notation.marked
        )
        self._since_block = _SinceBlock(None if block.problem else block.number, block.format)
        return block

    def _skip_line(self, at: int) -> Generator[Block | None, None, int]:
        """Read a line that begins no block. Returns the line to go on with."""
        line = self._source.lines[at]
        self._skipped.append(at)
        start = line.lstrip()[:1]
        if start in {"`", "~"} and (fence := parse_fence(line)) is not None:
            return (yield from self._read_fence_line(at, *fence))
        if start in {"=", ">", "+"} and (kind := marker(line)) is not None:
            if kind != "separator":
                yield from self._handle_stray_end(at, kind)
            self._since_block.separated = True
            return at + 1
        if line.strip():
            self._since_block.text = True
            self._note_files(line)
        return at + 1

    def _note_files(self, line: str) -> None:
        """Read a line for file names; in a fence, only the first lines."""
        if self._source.fence:
            self._lines_noted += 1
            if self._lines_noted <= _MAX_NOTED_LINES:
                self._above.add(line, fenced=True)
            return
        heading = self._above.add(line)
        if heading is not None:
            self._heading = _CurrentFile(as_path(heading))
            self._paths[as_path(heading)] = None

    def _handle_stray_end(self, at: int, kind: str) -> Generator[Block | None, None, None]:
        """Handle an end marker without a beginning. If only text precedes it, the last block may really end here."""
        after = self._since_block
        name = "new_file" if kind == "end_of_file" else "search_replace"
        continued = after.text and after.format == name and not (after.separated or after.fenced)
        doubts = after.number if continued else None
        if doubts is None and not after.separated:
            return  # a repeated end of a block, or a mention of one
        action = "create" if name == "new_file" else "update"
        self._first_free_line = at + 1
        block = Block(0, name, action, at + 1, at + 1, None, problem="no_start", doubts=doubts)
        yield self._record(self._with_path(block, None))

    def _read_fence_line(self, at: int, fence: str, info: str) -> Generator[Block | None, None, int]:
        """Read a line that begins or ends a fence."""
        source = self._source
        self._above.leave_fence(label=self._lines_noted == 1 and source.language not in _COMMANDS)
        self._lines_noted = 0
        if source.fence and (not info or info.startswith(("<|", "<\uff5c"))) and closes_fence(fence, source.fence):
            source.fence = ""
            self._since_block.fenced = True
            return at + 1
        self._doubtful = bool(self._thought_fence) and not info and closes_fence(fence, self._thought_fence)
        self._thought_fence = ""
        source.fence, source.language = fence, info.partition(" ")[0].lower()
        if source.language in _THOUGHTS and not self._is_thinking:
            return (yield from self._skip_thinking_fence(at, fence))
        named = path_in_info(source.lines[at])
        if named is not None:
            self._above.name_file(named, fenced=True)
        else:
            self._above.add_info(info)
        if source.language in _NO_FILES:
            return at + 1
        first = (yield from source.wait(at + 1)) or ""
        if source.language in DIFFS:
            return (yield from self._begin_diff(at, fence))
        written = named or self._path_above(at)
        if written is None and source.whole_files:
            is_mentioned = any(candidate.sure for candidate in self._above.candidates)
            written = path_on_line(first) or (None if is_mentioned else self._default_path)
        if written is None:
            return at + 1
        return (yield from self._read_whole_file(at, fence, written))

    def _skip_thinking_fence(self, at: int, fence: str) -> Generator[None, None, int]:
        """Skip a fence that contains thinking."""
        source = self._source
        end = yield from self._fence_end(at, fence)
        last = len(source.lines) if end is None else end + 1
        blocks = self._count_blocks(source.lines[at + 1 : last - (end is not None)])
        self._thoughts.append(Thought(at + 1, last, source.lines[at].strip(), blocks, "" if end else "end"))
        source.fence, self._first_free_line = "", last
        return last

    def _begin_diff(self, at: int, fence: str) -> Generator[Block | None, None, int]:
        """Begin a fence for a diff: remove the fence's indentation, and read a hunk that has no header."""
        source = self._source
        lead = source.lead(at)
        if lead:
            end = yield from self._fence_end(at, fence)
            inside = source.lines[at + 1 : end]
            source.replace(at + 1, [line.removeprefix(lead) for line in inside])
        if not unified.is_bare(source.line(at + 1) or ""):
            return at + 1
        if not any(candidate.sure and candidate.role == "target" for candidate in self._above.candidates):
            self._unread.append(Unread(at + 1, "diff"))
            return at + 1
        return (yield from self._number_blocks(unified.read(source, at + 1, fence), at))

    def _read_whole_file(self, at: int, fence: str, written: str) -> Generator[Block | None, None, int]:
        """Read a fence with a path as a whole file, unless a block begins in it."""
        source, first = self._source, at + 1
        while (line := (yield from source.wait(first))) is not None and not line.strip():
            first += 1
        if line is None:
            return at + 1
        if not (source.whole_files and (len(fence) >= _OUTER_FENCE_CHARACTERS or source.language in _TEXTS)):
            reader = (yield from wait_for_reader(source, first)) or (
                (yield from wait_for_reader(source, first + 1)) if path_on_line(line) else None
            )
            if reader is not None or line.lstrip().startswith(("<<<<", "----", ">>>>", "++++")):
                return at + 1
        path = as_path(written)
        if not source.whole_files:
            self._fenced[path] = None
            self._unread.append(Unread(at + 1, "fenced_file", path))
            return at + 1
        end = (yield from self._fence_end(at, fence)) if self._unclosed < _MAX_UNCLOSED_FILES else None
        last = (end or at) + 1
        block = Block(0, "whole_file", "create", at + 1, last, path, written, problem=None if end else "no_end")
        if end is not None:
            source.fence = ""
        if end is not None and self._is_excerpt(at, line):
            block = block.evolve(problem="excerpt")
        elif end is not None:
            skipped = at + 1 if path_on_line(line) != written or _is_comment(line) else at + 2
            block = block.evolve(content=source.text(skipped, end, crlf=source.is_crlf(at)))
        self._unclosed += end is None
        self._first_free_line = last
        yield self._record(self._with_path(block, written))
        return last

    def _is_excerpt(self, at: int, first: str) -> bool:
        """Whether a fence is introduced as an excerpt: above it, in its info string, or in its first line."""
        lines = [first] if _is_comment(first) else []
        lines.append(self._source.lines[at].strip().lstrip("`~"))
        above = (line for line in reversed(self._source.lines[self._first_free_line : at]) if line.strip())
        for line, _ in zip(above, range(_MAX_INTRODUCTION_LINES), strict=False):
            if parse_fence(line) is not None:
                break
            lines.append(line)
        return any(map(is_excerpt, lines))

    def _fence_end(self, at: int, fence: str) -> Generator[None, None, int | None]:
        """The line that closes a fenced file; fences inside it that name a language have closing lines of their own."""
        source, number, inner = self._source, at + 1, 0
        while True:
            line = yield from source.wait(number)
            if line is None:
                return None
            inner_fence = parse_fence(line) if line.lstrip()[:1] == fence[0] else None
            if inner_fence is not None and len(inner_fence[0]) >= len(fence):
                if inner_fence[1]:
                    inner += 1
                elif not inner:
                    return number
                else:
                    inner -= 1
            number += 1

    def _path_above(self, at: int) -> str | None:
        """The path, if the last line above that is not blank is one."""
        lines = self._source.lines
        above = (lines[number] for number in range(at - 1, self._first_free_line - 1, -1) if lines[number].strip())
        return path_on_line(next(above, "").removesuffix("\r"))


def parse_reply(
    text: str, default_path: str | None = None, *, whole_files: bool = False, most: int | None = None
) -> Reply:
    """Parse a complete reply, or its first `most` blocks."""
    parser = ReplyParser(default_path, whole_files=whole_files, most=most)
    parser.feed(text)
    parser.close()
    return parser.reply


def extract_paths(text: str) -> list[str]:
    """The files that a reply names, in order, without duplicates."""
    return list(parse_reply(text).paths)


def count_markers(text: str, reply: Reply) -> dict[str, int]:
    """The number of markers of each kind, not counting those in usable blocks' content and in thinking."""
    counts = dict.fromkeys(("search", "replace", "new_file", "end_of_file", "separator", "unknown"), 0)
    parts = {"search_replace": ("search", "separator", "replace"), "new_file": ("new_file", "end_of_file")}
    lines = text.split("\n")
    usable = [block for block in reply if not block.problem]
    passages: tuple[Thought | Block, ...] = (*reply.thoughts, *usable)
    for passage in passages:
        lines[passage.line - 1 : passage.end_line] = [""] * (passage.end_line - passage.line + 1)
    for block in usable:
        for kind in parts.get(block.format, ()):
            counts[kind] += 1
    for line in lines:
        if line.lstrip()[:1] in {"<", "=", ">", "-", "+"}:
            known = marker(line)
            if known is not None or line.startswith(("<<<< ", "<<<<<")):
                counts[known or "unknown"] += 1
    return counts


def _may_hold_tag(line: str) -> bool:
    """Whether a line may contain a tag of thinking: a quick test."""
    if "<" in line and (">" in line or "<!--" in line):
        return True
    return ("[" in line and "THINK" in line) or "\u25c1" in line or "-->" in line or "&lt;" in line


def _fence_behind(line: str, fence: str) -> str:
    """The fence that is open after a line; `fence` is the one that is open before it."""
    if fence:
        return "" if closes_fence(line, fence) else fence
    opened = parse_fence(line)
    return "" if opened is None else opened[0]


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(("#", "//", "/*", "<!--", "--", ";", "%"))


def _mentions_inside(block: Block) -> list[Mention]:
    """The file that a comment in a block's first line names; that line may also be text of the file."""
    texts = [split.old or split.new for hunk in block.hunks[:1] for split in hunk.splits[:1]]
    first = (block.content or "".join(texts)).partition("\n")[0]
    path = path_on_line(first) if block.notation.marked and _is_comment(first) else None
    named = [] if path is None else mentions(first)
    return [mention.evolve(inside=first) for mention in named if mention.path == as_path(path or "")]


class _CurrentFile(Record):
    """The file for blocks whose file nothing names."""

    path: str | None = None
    by: int | None = None
    """The number of the block that has this file, if the file is still undecided."""


class _SinceBlock:
    """What followed the last usable block."""

    def __init__(self, number: int | None = None, format: str = "") -> None:  # noqa: A002  the block's own name for it
        self.number = number
        self.format = format
        self.text = self.separated = self.fenced = False
