"""Parse a whole reply into blocks, in any notation, and say what is wrong with it.

Prose is skipped, and so is what the model thinks (`thinking`). A block that does not name its file itself is about
the one that the lines since the block before name. If they only mention files, it may be about any of them: the files
decide. Where they say nothing, it is that of the last `### File:` heading, the default path, or that of the block
before. A fenced file without any marker is a block only if whole files are asked for. Behind a block that nothing
ends, patches and diffs are not believed: they may be its content.

The parser is one generator over a source of lines, so that it can be fed in pieces: it stops where it needs a line
that has not come yet, and goes on from there. Rejected: a reader per format over the whole text; each would find
"blocks" in the content of the others.
"""

from __future__ import annotations

from suture.formats import (
    DIFFS,
    KINDS,
    LANGUAGES,
    Block,
    Mention,
    Source,
    Unread,
    search_replace,
    unified,
    wait_for_reader,
)
from suture.formats.file_names import Above, alone, as_path, closes, fence_of, in_info, is_excerpt, mentions
from suture.formats.search_replace import marker, path_behind, unwrap
from suture.formats.thinking import Tag, Thinking, Thought, is_end, tags
from suture.formats.unread import find_unread
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from suture.formats import Reading

_INTRODUCTION = 3
"""Lines above a fence that may say what it holds, blank ones not counted."""
_MOST_HEARD = 10
"""Lines in a fence, above its first block or behind one, that may say which file comes."""
_MOST_UNCLOSED = 20  # fenced files without an end after which no end is searched for: each look is a pass over the rest
_TEXTS = {"md", "markdown"}
_THOUGHTS = {"think", "thinking", "thought", "thoughts", "reasoning", "scratchpad"}
"""Languages of fences that hold what the model thinks."""
_LONG_FENCE = 4  # characters of a fence in which other fences are content
_COMMANDS = {"bash", "sh", "shell", "zsh", "fish", "console", "terminal", "powershell"}
_NO_FILES = {*_COMMANDS, "text", "output", "log"}
"""Languages of fences that hold commands or what they print."""


class Reply(Record):
    """The blocks of a reply, in order; a sequence of them."""

    blocks: tuple[Block, ...]
    paths: tuple[str, ...]
    """Every file that it names, in order: those of its blocks and headings."""
    fenced: tuple[str, ...]
    """Whole files in fences that were skipped."""
    unread: tuple[Unread, ...] = ()
    """What looks like an edit and was not read, in order; known when the reply is over."""
    thoughts: tuple[Thought, ...] = ()
    """What the model thinks: nothing in it is a block."""

    def __len__(self) -> int:
        return len(self.blocks)

    def __getitem__(self, number: int) -> Block:
        return self.blocks[number]

    def __iter__(self) -> Iterator[Block]:
        return iter(self.blocks)


class ReplyParser:
    """A parser that is fed a reply in pieces, as it comes from a model.

    `feed` gives each block as soon as it is complete. An end of thinking without a beginning takes back all blocks
    before it: those behind it are numbered from 1 again. What holds is in `reply`, which is the same for any pieces.
    """

    def __init__(self, default_path: str | None = None, *, whole_files: bool = False, most: int | None = None) -> None:
        """`most` ends it after so many blocks."""
        self._default_path = default_path
        self._most = most
        self._source = Source(whole_files=whole_files)
        self._begun = False
        self._blocks: list[Block] = []
        self._came: list[Block] = []
        """The blocks that the pieces fed last completed."""
        self._unclosed = 0
        """How many fenced files had no end: each takes a look at all that follows."""
        self._thinking: Thinking | None = None
        self._drafts = False
        """Whether this is thinking, whose blocks are only counted."""
        self._thoughts: list[Thought] = []
        self._ends: dict[str, int | None] = {}
        """Where the next end of thinking is, by the family of the beginning: its line, or None if there is none."""
        self._floor = 0
        self._forget(0)
        self._running = self._run()

    def _forget(self, floor: int) -> None:
        """Start over at a line."""
        self._floor = floor
        """The first line that belongs to no block before."""
        self._blocks.clear()
        self._came.clear()
        self._paths: dict[str, None] = {}
        self._fenced: dict[str, None] = {}
        self._unread: list[Unread] = []
        self._seen: list[int] = []
        """Lines that no block took, thoughts left out."""
        self._source.fence = self._source.language = ""
        self._thought_fence = ""
        """A fence in the thinking before that was open at its end: it may go on behind it, and the thinking, too."""
        self._doubtful = False
        """Whether the fence may be the end of that one, and what is in it no content."""
        self._heard = 0
        """How many lines of the fence were listened to, since it began or since the block before."""
        self._heading = self._last = _Held()
        self._after = _After()
        self._above = Above()
        self._unsure = False
        """Whether a block has no end, and none of its kind was complete since."""
        self._source.forget()

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
        """What was found so far, without what has been taken back."""
        unread = self._find_unread() if self._source.over else ()
        return Reply(tuple(self._blocks), tuple(self._paths), tuple(self._fenced), unread, tuple(self._thoughts))

    def _find_unread(self) -> tuple[Unread, ...]:
        """What looks like an edit in the lines that no block took, and that are no thinking."""
        hidden: set[int] = set()
        for thought in self._thoughts:
            # what comes before an end without a beginning was taken back, and is not among the lines seen
            first = thought.end_line if thought.missing == "beginning" else thought.line
            hidden.update(range(first - 1, thought.end_line))
        seen = [at for at in self._seen if at not in hidden]
        return tuple(find_unread(self._source, seen, self._blocks, self._unread))

    def _advance(self) -> list[Block]:
        self._came = []
        for block in self._running:
            if block is None:
                break
            self._blocks.append(block)
            self._came.append(block)
            if len(self._blocks) == self._most:
                self._running.close()
        return self._came

    def _run(self) -> Generator[Block | None, None, None]:
        source, at = self._source, 0
        while (yield from source.wait(at)) is not None:
            if not self._drafts and _may_hold_tag(source.lines[at]) and self._may_think(at):
                at = yield from self._past_thinking(at)
                if at >= len(source.lines):
                    return
            reader = yield from wait_for_reader(source, at, doubtful=True)
            is_text = not source.fence or source.language in LANGUAGES
            if reader is None and is_text and (yield from unwrap(source, at)):
                reader = yield from wait_for_reader(source, at)
            end = at if reader is None else (yield from self._number(reader, at))
            at = end if end > at else (yield from self._pass(at))

    def _may_think(self, at: int) -> bool:
        """Whether tags in a line mean something: in a fence they are content."""
        return not self._source.fence or (self._doubtful and is_end(self._source.lines[at]))

    def _past_thinking(self, at: int) -> Generator[None, None, int]:
        """The first line that is not all thinking, from a line on; what is thinking is taken out of it."""
        source, first = self._source, at
        thinking = self._thinking = self._thinking or Thinking()
        tag: Tag | None = None
        hidden: list[str] = []
        fence = ""
        while True:
            line = source.lines[at]
            seen = thinking.read(line, (yield from self._unpaired(at))) if _may_hold_tag(line) else None
            fence = _fence_behind(line, fence)
            if seen is not None and seen.lone is not None:
                self._withdraw(at, seen.lone)
            hidden.append(line if seen is None else seen.hidden)
            if seen is not None:
                source.replace(at, [seen.shown])
            now = thinking.tag
            if tag is not None and now is not tag:
                self._thoughts.append(Thought(first + 1, at + 1, tag.written, self._count(hidden)))
                self._floor, self._thought_fence, fence = at, fence, ""
            if now is None:
                return at
            if now is not tag:
                first, tag, hidden = at, now, hidden[-1:]
                if source.lines[at].strip():
                    self._hear(source.lines[at])
            at += 1
            if (yield from source.wait(at)) is None:
                self._thoughts.append(Thought(first + 1, at, tag.written, self._count(hidden), "end"))
                return at

    def _unpaired(self, at: int) -> Generator[None, None, set[int]]:
        """Where in a line, though not where it begins, are beginnings that nothing ends."""
        source = self._source
        unpaired: set[int] = set()
        behind: dict[str, Tag] = {}
        for tag in reversed(tags(source.lines[at])):
            if not tag.begins:
                behind[tag.family] = tag
            if not tag.begins or tag.at_start or any(end_tag.ends(tag) for end_tag in behind.values()):
                continue
            end = self._ends.get(tag.family, 0)
            if end is not None and end <= at:
                end = at + 1
                while True:
                    line = yield from source.wait(end)
                    if line is None or (_may_hold_tag(line) and any(later.ends(tag) for later in tags(line))):
                        break
                    end += 1
                self._ends[tag.family] = end = None if line is None else end
            if end is None:
                unpaired.add(tag.start)
        return unpaired

    def _withdraw(self, at: int, tag: Tag) -> None:
        """Take back everything before an end of thinking that nothing began."""
        usable = sum(not block.problem for block in self._blocks)
        self._thoughts.append(Thought(1, at + 1, tag.written, usable, "beginning"))
        self._forget(at)

    def _count(self, lines: list[str]) -> int:
        """How many blocks some lines hold."""
        parser = ReplyParser(self._default_path, whole_files=self._source.whole_files)
        parser._drafts = True
        parser.feed("".join([f"{line}\n" for line in lines]))
        parser.close()
        return sum(not block.problem for block in parser.reply)

    def _number(self, reader: Reading, at: int) -> Generator[Block | None, None, int]:
        """The blocks of a reader, numbered, with their paths."""
        above: str | None = None
        empty: Block | None = None
        while True:
            try:
                block = next(reader)
            except StopIteration as stop:
                end: int = stop.value
                self._floor = end if end > at else self._floor
                break
            if block is None:
                yield None
                continue
            if empty is not None:
                yield self._note(self._with_path(empty, empty.path_as_written))
            empty = block if block.problem == "empty" and block.path else None
            if empty is None:
                own = block.path_as_written or self._own_path(block)
                above = above or self._above.named
                yield self._note(self._with_path(block, own or above))
        if empty is not None:
            yield from self._after_header(empty, end)
        return end

    def _after_header(self, empty: Block, at: int) -> Generator[Block | None, None, None]:
        """A header of a patch or diff without anything below it: it names the file of the block that follows."""
        while True:
            line = yield from self._source.wait(at)
            if line is None or (line.strip() and fence_of(line) is None):
                break
            at += 1
        if line is None or not search_replace.begins(line):
            yield self._note(self._with_path(empty, empty.path_as_written))
        self._above.settle((empty.path or "").strip("`*\"'"))

    def _own_path(self, block: Block) -> str | None:
        """The path in the line of a block's first marker; what else that line says is taken note of."""
        if not block.notation.marked or block.problem == "no_start":
            return None
        behind = path_behind(self._source.lines[block.line - 1])
        path = alone(behind)
        if path is None and behind:
            self._above.add(behind, fenced=True)
        return path

    def _with_path(self, block: Block, written: str | None) -> Block:
        """A block with its number and its path: as written for it, else as the lines above say, else that in force."""
        number = len(self._blocks) + 1
        if self._unsure and not block.notation.marked and not block.problem:
            block = block.but(problem="inside", hunks=(), content=None)
        path = block.path or (None if written is None else as_path(written))
        if path:
            if self._heading.path and block.path is None:
                self._heading = _Held(path)  # what is named last holds, except for what a diff is about
            return block.but(number=number, path=path, path_as_written=written or path)
        held = self._heading if self._heading.path else _Held(self._default_path) if self._default_path else self._last
        above, inside = self._above.candidates, _said_inside(block)
        sure = [mention.path for mention in above if mention.sure]
        targets = [mention.path for mention in above if mention.sure and mention.role == "target"]
        own = [mention.path for mention in inside if mention.sure]  # or text of the file: the files decide
        in_force = [held.path] if held.path else []
        path = next(iter([*targets[-1:], *in_force, *sure[-1:], *own]), None)
        others = dict.fromkeys([*own, *reversed(sure), *in_force])
        block = block.but(number=number, path=path, path_as_written=path, inherited=held.path, follows=held.by)
        if above and self._heading.path:
            self._heading = _Held(path, number)
        return block.but(alternatives=tuple(other for other in others if other != path), mentions=(*above, *inside))

    def _note(self, block: Block) -> Block:
        """Remember what later blocks depend on."""
        self._last = _Held(block.path, block.number if block.mentions else block.follows)
        self._above = Above()
        self._heard = 0
        self._paths.update((name, None) for name in (block.path, block.to) if name)
        self._source.unclosed = block.problem == "no_end" and block.format == "search_replace"
        self._unsure = block.problem in {"no_end", "inside"} or (self._unsure and not block.notation.marked)
        self._after = _After(None if block.problem else block.number, block.format)
        return block

    def _pass(self, at: int) -> Generator[Block | None, None, int]:
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
            self._hear(line)
        return at + 1

    def _hear(self, line: str) -> None:
        """Take note of what a line says about files; in a fence, only of the lines that a block may follow."""
        if self._source.fence:
            self._heard += 1
            if self._heard <= _MOST_HEARD:
                self._above.add(line, fenced=True)
            return
        heading = self._above.add(line)
        if heading is not None:
            self._heading = _Held(as_path(heading))
            self._paths[as_path(heading)] = None

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
        yield self._note(self._with_path(block, None))

    def _fence_line(self, at: int, fence: str, info: str) -> Generator[Block | None, None, int]:
        """A fence that begins or ends."""
        source = self._source
        self._above.leave_fence(label=self._heard == 1 and source.language not in _COMMANDS)
        self._heard = 0
        if source.fence and (not info or info.startswith(("<|", "<\uff5c"))) and closes(fence, source.fence):
            source.fence = ""
            self._after.fenced = True
            return at + 1
        self._doubtful = bool(self._thought_fence) and not info and closes(fence, self._thought_fence)
        self._thought_fence = ""
        source.fence, source.language = fence, info.partition(" ")[0].lower()
        if source.language in _THOUGHTS and not self._drafts:
            return (yield from self._thought_in_fence(at, fence))
        named = in_info(source.lines[at])
        if named is not None:
            self._above.settle(named, fenced=True)
        else:
            self._above.add(info, fenced=True)
        if source.language in _NO_FILES:
            return at + 1
        first = (yield from source.wait(at + 1)) or ""
        if source.language in DIFFS:
            return (yield from self._bare_diff(at, fence))
        written = named or self._line_above(at)
        if written is None and source.whole_files:
            said = any(candidate.sure for candidate in self._above.candidates)
            written = alone(first) or (None if said else self._default_path)
        if written is None:
            return at + 1
        return (yield from self._whole_file(at, fence, written))

    def _thought_in_fence(self, at: int, fence: str) -> Generator[None, None, int]:
        """Go past a fence that holds what the model thinks."""
        source = self._source
        end = yield from self._fence_end(at, fence)
        last = len(source.lines) if end is None else end + 1
        blocks = self._count(source.lines[at + 1 : last - (end is not None)])
        self._thoughts.append(Thought(at + 1, last, source.lines[at].strip(), blocks, "" if end else "end"))
        source.fence, self._floor = "", last
        return last

    def _bare_diff(self, at: int, fence: str) -> Generator[Block | None, None, int]:
        """A fence for a diff: one that is indented is taken without that; hunks without any header are read here."""
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
        return (yield from self._number(unified.read(source, at + 1, fence), at))

    def _whole_file(self, at: int, fence: str, written: str) -> Generator[Block | None, None, int]:
        """A fence with a path: a whole file, unless something else begins in it."""
        source, first = self._source, at + 1
        while (line := (yield from source.wait(first))) is not None and not line.strip():
            first += 1
        if line is None:
            return at + 1
        if not (source.whole_files and (len(fence) >= _LONG_FENCE or source.language in _TEXTS)):
            reader = (yield from wait_for_reader(source, first)) or (
                (yield from wait_for_reader(source, first + 1)) if alone(line) else None
            )
            if reader is not None or line.lstrip().startswith(("<<<<", "----", ">>>>", "++++")):
                return at + 1
        path = as_path(written)
        if not source.whole_files:
            self._fenced[path] = None
            self._unread.append(Unread(at + 1, "fenced_file", path))
            return at + 1
        end = (yield from self._fence_end(at, fence)) if self._unclosed < _MOST_UNCLOSED else None
        last = (end or at) + 1
        block = Block(0, "whole_file", "create", at + 1, last, path, written, problem=None if end else "no_end")
        if end is not None:
            source.fence = ""
        if end is not None and self._is_excerpt(at, line):
            block = block.but(problem="excerpt")
        elif end is not None:
            skipped = at + 1 if alone(line) != written or _is_comment(line) else at + 2
            block = block.but(content=source.text(skipped, end, crlf=source.is_crlf(at)))
        self._unclosed += end is None
        self._floor = last
        yield self._note(self._with_path(block, written))
        return last

    def _is_excerpt(self, at: int, first: str) -> bool:
        """Whether a fence is introduced as a part of a file: above it, in its info string, or in its first line."""
        lines = [first] if _is_comment(first) else []
        lines.append(self._source.lines[at].strip().lstrip("`~"))
        above = (line for line in reversed(self._source.lines[self._floor : at]) if line.strip())
        for line, _ in zip(above, range(_INTRODUCTION), strict=False):
            if fence_of(line) is not None:
                break
            lines.append(line)
        return any(map(is_excerpt, lines))

    def _fence_end(self, at: int, fence: str) -> Generator[None, None, int | None]:
        """The line that ends a fenced file; fences inside it that name a language have ends of their own."""
        source, number, inner = self._source, at + 1, 0
        while True:
            line = yield from source.wait(number)
            if line is None:
                return None
            inner_fence = fence_of(line) if line.lstrip()[:1] == fence[0] else None
            if inner_fence is not None and len(inner_fence[0]) >= len(fence):
                if inner_fence[1]:
                    inner += 1
                elif not inner:
                    return number
                else:
                    inner -= 1
            number += 1

    def _line_above(self, at: int) -> str | None:
        """The path that the last line above a line is, blank ones not counted."""
        lines = self._source.lines
        above = (lines[number] for number in range(at - 1, self._floor - 1, -1) if lines[number].strip())
        return alone(next(above, "").removesuffix("\r"))


_NO_BLOCKS = "No valid blocks found"
_MALFORMED = "Some file blocks may be malformed"
UNSPECIFIC = (_NO_BLOCKS, _MALFORMED)
"""Errors and warnings of a reply that the error of an unusable block makes redundant."""


class Validation(Record):
    """What is wrong with a reply, and what may be. What can be used of it can be used in any case."""

    is_valid: bool
    errors: list[str]
    warnings: list[str]
    unread: tuple[Unread, ...] = ()
    """What looks like an edit and was not read; each is among the errors or the warnings."""
    malformed: tuple[str, ...] = ()
    """Those of the errors and warnings that only say that some blocks are damaged; the errors of these say more."""


def parse_reply(
    text: str, default_path: str | None = None, *, whole_files: bool = False, most: int | None = None
) -> Reply:
    """Everything a reply asks for, or its first blocks."""
    parser = ReplyParser(default_path, whole_files=whole_files, most=most)
    parser.feed(text)
    parser.close()
    return parser.reply


def describe_unread(unread: Unread) -> str:
    """What was not read, and where."""
    if unread.kind == "diff" and unread.path is None:
        return f"The diff at line {unread.line} of the reply names no file and was ignored"
    if unread.kind == "fenced_file":
        return f"A code fence names {unread.path}, but whole_files is not set"
    path = f" ({unread.path})" if unread.path else ""
    return f"Line {unread.line} of the reply was not read: it looks like {KINDS[unread.kind]}{path}"


def validate_reply(text: str) -> Validation:
    """Check that markers are balanced, that blocks are complete, and that there is one at all."""
    return validate_parsed(text, parse_reply(text))


def validate_parsed(text: str, reply: Reply) -> Validation:
    """As `validate_reply`, for a reply that has been parsed."""
    usable = [block for block in reply if not block.problem]
    counts = _markers(text, usable, reply.thoughts)
    errors, warnings = [], []
    if counts["search"] != counts["replace"]:
        errors.append(f"Mismatched SEARCH/REPLACE: {counts['search']} SEARCH vs {counts['replace']} REPLACE")
    if counts["new_file"] != counts["end_of_file"]:
        errors.append(f"Mismatched NEW_FILE: {counts['new_file']} start vs {counts['end_of_file']} end")
    if not usable:
        errors.append(_NO_BLOCKS)
    expected = [block for block in reply if block.format == "search_replace" and block.problem != "no_start"]
    complete = sum(not block.problem for block in expected)
    if complete < len(expected) and counts["separator"] < counts["search"]:
        warnings.append(
            "Some SEARCH/REPLACE blocks may be missing the separator (=======). "
            f"{complete} complete blocks found out of {len(expected)} expected."
        )
    if len(usable) < len(reply):
        warnings.append(_MALFORMED)
    if counts["unknown"]:
        warnings.append("Some markers were not understood: blocks begin with <<<<<<< SEARCH or <<<<<<< NEW_FILE")
    malformed = (*errors, *warnings)
    warnings += [_describe_thought(thought) for thought in reply.thoughts if thought.blocks]
    errors += [describe_unread(unread) for unread in reply.unread if unread.edits]
    doubtful = [unread for unread in reply.unread if not unread.edits and (usable or unread.kind != "fenced_file")]
    warnings += dict.fromkeys(describe_unread(unread) for unread in doubtful)
    return Validation(not errors, errors, warnings, reply.unread, malformed)


def extract_paths(text: str) -> list[str]:
    """The files that a reply names, in order, each once."""
    return list(parse_reply(text).paths)


def _may_hold_tag(line: str) -> bool:
    """Whether it is worth looking for tags of thinking in a line."""
    if "<" in line and (">" in line or "<!--" in line):
        return True
    return ("[" in line and "THINK" in line) or "\u25c1" in line or "-->" in line or "&lt;" in line


def _fence_behind(line: str, fence: str) -> str:
    """The fence that is open behind a line, if one is open before it or not."""
    if fence:
        return "" if closes(line, fence) else fence
    opened = fence_of(line)
    return "" if opened is None else opened[0]


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(("#", "//", "/*", "<!--", "--", ";", "%"))


def _said_inside(block: Block) -> list[Mention]:
    """The file that a comment in a block's first line names: the line may as well be text of the file."""
    texts = [split.old or split.new for hunk in block.hunks[:1] for split in hunk.splits[:1]]
    first = (block.content or "".join(texts)).partition("\n")[0]
    path = alone(first) if block.notation.marked and _is_comment(first) else None
    named = [] if path is None else mentions(first)
    return [mention.but(inside=first) for mention in named if mention.path == as_path(path or "")]


class _Held(Record):
    """A file that is in force for blocks that nothing names one for."""

    path: str | None = None
    by: int | None = None
    """The number of the block that it is the file of, if only the files tell which one that is."""


class _After:
    """What came since the last block that can be used."""

    def __init__(self, number: int | None = None, format: str = "") -> None:  # noqa: A002  the block's own name for it
        self.number = number
        self.format = format
        self.text = self.separated = self.fenced = False


def _describe_thought(thought: Thought) -> str:
    blocks = "1 block was" if thought.blocks == 1 else f"{thought.blocks} blocks were"
    lines = f"lines {thought.line} to {thought.end_line}" if thought.line < thought.end_line else f"line {thought.line}"
    where = {
        "beginning": f"before {thought.tag} at line {thought.end_line}",
        "end": f"after {thought.tag} (which is not closed) at line {thought.line}",
    }.get(thought.missing, f"inside {thought.tag} at {lines}")
    return f"{blocks} skipped: the text {where} of the reply is the model's thinking"


def _markers(text: str, usable: Sequence[Block], thoughts: Sequence[Thought]) -> dict[str, int]:
    """How many markers of each kind there are, those in the content of usable blocks and in thinking not counted."""
    counts = dict.fromkeys(("search", "replace", "new_file", "end_of_file", "separator", "unknown"), 0)
    parts = {"search_replace": ("search", "separator", "replace"), "new_file": ("new_file", "end_of_file")}
    lines = text.split("\n")
    apart: tuple[Thought | Block, ...] = (*thoughts, *usable)
    for passage in apart:
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
