"""What models write to change files, as values: blocks of edits, and the lines they are read from.

Texts are whole lines, each with its line ending. A last line without one is the end of a file that has none there.
Only the texts of a call may be parts of lines: there they are exactly what was sent.

Readers are generators: they yield None where they need a line that is not there yet, and a `Block` as soon as it
is complete; they return the number of the first line that is not theirs. So one parser serves a whole reply and one
that arrives in pieces, with the same result; rejected: to parse all of it again with every piece.

    line = yield from source.wait(at)

A notation is a module in this package and a row in `NOTATIONS`.
"""

from __future__ import annotations

from functools import lru_cache

from suture.bounds import check_time
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from re import Pattern

    Reading = Generator["Block | None", None, int]


class Notation(Record):
    """A way to write changes."""

    name: str
    """The `format` of its blocks."""
    reader: str | None = None
    """The module of this package whose `begin` gives the reader of what begins at a line, or None; without one, its
    blocks come from the reader of another notation."""
    starts: str = ""
    """The characters of which a line that begins something has one first, spaces not counted."""
    is_doubtful: bool = False
    """Whether only its end tells that something was begun: then, what is looked at must be a reply."""
    first: str = "its beginning"
    """The first line of a block, in messages."""
    last: str = "its end"
    cut_off: str = ""
    """What is wrong with a block that is cut off, where that is not only that its last line is missing."""
    old: str = ""
    """What messages call the text to find, if it is not the SEARCH part."""
    marked: bool = False
    """Whether blocks are between markers of their own, in which anything may occur."""
    in_hunks: bool = False
    """Whether blocks are made of hunks that can be chosen one by one."""
    overwrites: bool = False
    """Whether a new file may replace one that is there."""


NOTATIONS = {
    notation.name: notation
    for notation in (
        Notation("search_replace", "search_replace", "<-", first="<<<<<<< SEARCH", last=">>>>>>> REPLACE", marked=True),
        Notation("new_file", first="<<<<<<< NEW_FILE", last=">>>>>>> NEW_FILE", marked=True),
        Notation(
            "v4a", "v4a", "*", last="*** End Patch", old="its context and - lines", in_hunks=True, overwrites=True
        ),
        Notation(
            "unified",
            "unified",
            "d-@I",  # diff, ---, @@, Index:
            cut_off="its @@ line counts more lines than follow, or its fence has no end",
            old="its context and - lines",
            in_hunks=True,
        ),
        Notation("call", "calls", "<{[", is_doubtful=True, old="its old text"),
        Notation("whole_file", overwrites=True),  # a fence, which the reader of the whole reply recognizes, or a call
    )
}
_TWO_LINES = ("--- ", "Index: ")  # how a line begins that tells only with the next one whether it begins anything
DIFFS = frozenset(("diff", "patch", "udiff"))
"""Languages of fences that hold a diff."""

PROBLEMS = (
    "no_start",  # an end marker that nothing begins
    "no_separator",  # a block without =======
    "many_separators",  # a block with so many lines of ======= that it is not clear which is meant
    "no_end",  # the reply ends, or goes on with something else, before the block does
    "two_ends",  # the block may end at either of two markers, and other blocks are between them
    "inside",  # it comes behind a block that nothing ends, and may be its content
    "excerpt",  # a fence that is introduced as a part of a file or as an example, where a whole file is asked for
    "empty",  # a section that says nothing about its file
    "not_a_hunk",  # a line that is neither context nor added nor removed
    "binary",  # a change of a binary file
    "not_a_file",  # a symbolic link or a submodule
    "not_exact",  # a call that asks for something that cannot be done exactly as it says
    "not_asked",  # a whole file among other calls, where whole files were not asked for
)

KINDS = {
    "call": "an edit tool call",  # or an edit in JSON
    "fields": "an edit written as fields",  # in YAML or TOML, or behind labels
    "tag": "an edit in tags",
    "file": "a whole file",  # in a tag or a call, where whole files were not asked for
    "fenced_file": "a whole file in a code fence",  # with a path, where whole files were not asked for
    "markers": "a block with unknown markers",
    "escaped": "a block with escaped markers",
    "diff": "a diff",  # one that names no file, or of another kind
    "fences": "an edit in code fences",
    "sentence": "an edit in a sentence",
    "heredoc": "a shell command that writes a file",
    "shell": "a shell command that changes files",  # or moves or deletes them
}
"""What looks like an edit and was not read, and how a message names it."""

LANGUAGES = frozenset(
    (
        *("", "json", "jsonc", "json5", "jsonl", "xml", "html", "text", "txt", "plain", "plaintext"),
        *("tool", "tool_call", "tool_calls", "tool_use", "tool_code", "function_call"),
    )
)
"""Of fences in which a call is a call, and a quotation may hold a block; elsewhere these are code."""
_MOST_PATTERNS = 128  # more than the readers have
_CLOCK_LINES = 1_024  # lines between two looks at the clock
MOST_DIGITS = 18
"""Digits of a number that says where an edit goes: more are no line number, and `int` refuses very many."""
MOST_UNENDED = 20
"""Calls without an end after which no more are searched for."""


class Split(Record):
    """One way to read a change: the lines that are in the file, and those that should be there."""

    old: str
    new: str
    literal: bool = False
    """Whether a line such as `# ... existing code ...` is text of the file, and stands for nothing."""


class Hunk(Record):
    """One change of a file's lines."""

    line: int
    """Where it begins in the reply, counted from 1."""
    splits: tuple[Split, ...]
    """What it may mean. Several only where a separator occurs in the content: the file's text decides."""
    context: tuple[str, ...] = ()
    """Lines of the file above the change, the outermost first, which name what it is in."""
    at: int | None = None
    """The line of the file where it begins, counted from 1, if the diff says so; of one that only inserts, the line
    behind which it does."""
    at_end: bool = False
    """Whether it is at the end of the file."""
    inner: bool = False
    """Whether a SEARCH marker without an end comes before it: then it may be the rest of that one's content."""
    likely: int = 0
    """How many of the splits, the first ones, are at a separator as long as the block's first marker."""
    section: str = ""
    """The line above the hunk that a diff names behind `@@`: as git has it, the header of what the hunk begins in."""
    near: int | None = None
    """The line of the file where it begins, counted from 1, as a hint: it decides only between equal places."""
    part: bool = False
    """Whether its texts may be parts of lines."""
    occurrences: int = 1
    """How often the old text must occur, for all of them to be replaced; 0: at least once."""


class Mention(Record):
    """A file that a line above a block speaks of."""

    path: str
    sure: bool
    """Whether it looks like a file even if there is none of that name; `self.value` does not."""
    role: str = "target"
    """`target`: the block may be about it. `source`: a sentence takes something from it, so the block may as well be
    about the file of the block before. `aside`: a sentence compares with it ("as in b.py").
    `spared`: a sentence says that it stays as it is, or is only run; it is no candidate."""
    inside: str = ""
    """The line of the block's own text that names it, if it is named there: it may be text of the file as well."""


class Block(Record):
    """What a reply says about one file."""

    number: int
    """Its place among the blocks of the reply, counted from 1."""
    format: str
    """The name of its notation, as the result of `apply_reply` has it."""
    action: str
    """`create`, `update`, `delete` or `rename`."""
    line: int
    """Its first line in the reply, counted from 1."""
    end_line: int
    path: str | None
    """The file, as far as the reply says which."""
    path_as_written: str | None = None
    alternatives: tuple[str, ...] = ()
    """Other files that it may be about, where only prose names one: the files decide."""
    hunks: tuple[Hunk, ...] = ()
    content: str | None = None
    """The whole file, where it is given."""
    to: str | None = None
    """The new name of a file that is renamed."""
    mode: int | None = None
    """Git's mode of the file after the change, where the diff says it."""
    copied_from: str | None = None
    """The file that a new one begins as."""
    problem: str | None = None
    """Why it cannot be used, as a word of a fixed list: see `PROBLEMS`."""
    doubts: int | None = None
    """The number of an earlier block that may go on up to here, and so cannot be used either."""
    mentions: tuple[Mention, ...] = ()
    """The files that the lines since the block before mention, the likeliest last, if no line names its file."""
    inherited: str | None = None
    """The file in force without those lines: of a heading, the default path, or of the block before."""
    follows: int | None = None
    """The number of the block whose file is inherited, if only the files tell which one that is."""

    @property
    def notation(self) -> Notation:
        """How it is written."""
        return NOTATIONS[self.format]

    def id_of(self, hunk: int) -> str:
        """How a hunk is named when it is chosen, counted from 0; one that is the whole block has the block's name."""
        in_hunks = self.notation.in_hunks and self.hunks and self.action != "delete"
        in_hunks = in_hunks or (self.format == "call" and len(self.hunks) > 1)
        return f"{self.number}.{hunk + 1}" if in_hunks else str(self.number)

    @property
    def ids(self) -> list[str]:
        """What can be chosen of it."""
        return list(dict.fromkeys(self.id_of(number) for number in range(len(self.hunks) or 1)))

    def chosen(self, only: Sequence[str] | None) -> list[str]:
        """Those of its ids that are chosen by `only`; the block's own number chooses them all."""
        if only is None or str(self.number) in only:
            return self.ids
        return [name for name in self.ids if name in only or (name == str(self.number) and f"{name}.1" in only)]


class Unread(Record):
    """Something in a reply that looks like an edit and was not read."""

    line: int
    """Where it begins in the reply, counted from 1."""
    kind: str
    """What it seems to be, as a word of a fixed list: see `KINDS`."""
    path: str | None = None
    """The file it seems to be about."""
    edits: bool = False
    """Whether it clearly edits a file: a path with old and new text, or with all of the file."""


class Source:
    r"""A text that arrives in pieces. Lines end at a newline; a `\r` before it is left, to be looked at."""

    def __init__(self, *, whole_files: bool = False) -> None:
        self.whole_files = whole_files
        """Whether calls that write whole files are asked for."""
        self.fence: str | None = None
        """The fence that is open in a reply, or nothing; None in a text that is no reply, but is all a change."""
        self.language = ""
        """The language of the last fence."""
        self.lines: list[str] = []
        self.over = False
        self.cut = False
        """Whether the last line has no end."""
        self._rest: list[str] = []
        self._looks = 0
        self.closings: dict[int, int | None] = {}
        """Where a block ends that begins at a line, once that is known; None: nowhere."""
        self.torn: dict[int, int] = {}
        """Blocks that may have ended earlier, at a marker of another length, with other blocks behind it."""
        self.unclosed = False
        """Whether the last block is a SEARCH that nothing ends."""
        self.unended = 0
        """How many calls, and blocks in entities, nothing ended so far: each takes a look at all that follows."""
        self.endless: int | None = None
        """From this line on no line ends a block; known once the reply is over, and a reader has looked."""
        self.quoted = 0
        """Behind the last line of a quotation in which no block begins."""

    @classmethod
    def of(cls, text: str) -> Source:
        """A text that is all there."""
        source = cls()
        source.add(text)
        source.close()
        return source

    def add(self, chunk: str) -> None:
        """Take more of the text."""
        first, *lines = chunk.split("\n")
        self._rest.append(first)
        if lines:
            self.lines += ["".join(self._rest), *lines[:-1]]
            self._rest = lines[-1:]

    def close(self) -> None:
        """No more will come."""
        last = "".join(self._rest)
        self.cut = bool(last)
        self.lines += [last] if last else []
        self._rest.clear()
        self.over = True

    def replace(self, first: int, lines: list[str]) -> None:
        """Put other lines in the place of as many."""
        end = first + len(lines)
        self.lines[first:end] = lines
        if self.endless is not None:
            self.endless = max(self.endless, end)

    def forget(self) -> None:
        """Nothing before counts any more: what is known of blocks may depend on it."""
        self.closings.clear()
        self.torn.clear()
        self.unclosed = False

    def ready(self, at: int) -> bool:
        """Whether the line is there, or the text is over. Lines are counted from 0."""
        self._looks += 1
        if not self._looks % _CLOCK_LINES:  # every reader asks this of each line
            check_time()
        return at < len(self.lines) or self.over

    def line(self, at: int) -> str | None:
        """A line without its end, or None behind the last one."""
        return self.lines[at].removesuffix("\r") if at < len(self.lines) else None

    def wait(self, at: int) -> Generator[None, None, str | None]:
        """The line, as soon as it has come."""
        while not self.ready(at):
            yield None
        return self.line(at)

    @property
    def is_diff(self) -> bool:
        """Whether the fence that is open is one for a diff."""
        return bool(self.fence) and self.language in DIFFS

    def text(self, first: int, end: int, *, crlf: bool = False) -> str:
        r"""Some lines as a text, each with its end. In a reply that is `crlf`, lines end so, and the text has `\n`."""
        lines = self.lines[first:end]
        if crlf:
            lines = [line.removesuffix("\r") for line in lines]
        return "".join([f"{line}\n" for line in lines])

    def lead(self, at: int) -> str:
        """The indentation of a line."""
        line = self.lines[at]
        return line[: len(line) - len(line.lstrip())]

    def is_crlf(self, at: int) -> bool:
        r"""Whether a line of the reply ends with `\r\n`; for a marker, whether its block's lines do."""
        return self.lines[at].endswith("\r")


@lru_cache(maxsize=_MOST_PATTERNS)
def pattern(text: str) -> Pattern[str]:
    """A regular expression, compiled once."""
    import re  # a reply needs it, and not every one

    return re.compile(text)


def reading(source: Source, at: int, *, doubtful: bool = False) -> Reading | None:
    """The reader of what begins at a line. Most lines begin nothing, which their first character tells."""
    from importlib import import_module  # a reply needs the readers of the notations in it, and no others

    for notation in _BY_START.get((source.line(at) or "").lstrip()[:1], ()):
        if doubtful or not notation.is_doubtful:
            begun: Reading | None = import_module(f"suture.formats.{notation.reader}").begin(source, at)
            if begun is not None:
                return begun
    return None


def wait_for_reader(source: Source, at: int, *, doubtful: bool = False) -> Generator[None, None, Reading | None]:
    """The same, as soon as the lines have come that tell."""
    line = yield from source.wait(at)
    if line is not None and line.startswith(_TWO_LINES):
        yield from source.wait(at + 1)
    return reading(source, at, doubtful=doubtful)


_BY_START = {
    char: [notation for notation in NOTATIONS.values() if char in notation.starts]
    for char in {*"".join(notation.starts for notation in NOTATIONS.values())}
}
