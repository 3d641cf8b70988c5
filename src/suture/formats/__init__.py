"""The edits in a model's reply, as values: blocks, hunks, and the lines that they are read from.

Texts are whole lines, each with its line ending. A last line without one is the end of a file without a final newline.
Only the texts of a call may be parts of lines: they are exactly what was sent.

Readers are generators. They yield None when they need a line that has not arrived, and a `Block` as soon as it is
complete; they return the number of the first line after what they read. So the same parser reads a complete reply and
one that arrives in pieces, with the same result. Rejected: parsing everything again with every piece.

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

    Reader = Generator["Block | None", None, int]


class Notation(Record):
    """A way to write changes."""

    name: str
    """The `format` of its blocks."""
    reader: str | None = None
    """The module of this package whose `begin` returns the reader for a line, or None. Without a module, its blocks are
    read by another notation's reader."""
    starts: str = ""
    """The possible first characters, after spaces, of a line that begins a block."""
    is_doubtful: bool = False
    """Whether only its end shows that it is a block; then it is looked for only in replies."""
    first: str = "its beginning"
    """The first line of a block, in messages."""
    last: str = "its end"
    cut_off: str = ""
    """The problem of a block that is cut off, if it is not just a missing last line."""
    old: str = ""
    """The name of the text to find in messages, if it is not the SEARCH part."""
    marked: bool = False
    """Whether blocks have their own markers, between which any text may occur. The reply parser looks for a path behind
    the first one, with `search_replace.path_after_marker`."""
    in_hunks: bool = False
    """Whether blocks consist of hunks that can be chosen one by one."""
    overwrites: bool = False
    """Whether a new file may replace an existing one."""


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
        Notation("whole_file", overwrites=True),  # a fence, which the reply parser recognizes, or a call
    )
}
_TWO_LINES = ("--- ", "Index: ")  # starts of lines that need the next line to show whether they begin a block
DIFFS = frozenset(("diff", "patch", "udiff"))
"""Languages of fences that contain a diff."""

PROBLEMS = (
    "no_start",  # an end marker without a beginning
    "no_separator",  # a block without =======
    "many_separators",  # a block with too many lines of ======= to tell which one is meant
    "no_end",  # the reply ends, or continues with something else, before the block ends
    "two_ends",  # the block may end at either of two markers, and other blocks are between them
    "inside",  # it follows a block without an end, and may be its content
    "excerpt",  # a fence that is introduced as part of a file or as an example, not as a whole file
    "empty",  # a section that says nothing about its file
    "not_a_hunk",  # a line that is neither context, added nor removed
    "binary",  # a change of a binary file
    "not_a_file",  # a symbolic link or a submodule
    "not_exact",  # a call that asks for something that can't be done exactly
    "not_asked",  # a call that writes a whole file, which was not asked for
)

LANGUAGES = frozenset(
    (
        *("", "json", "jsonc", "json5", "jsonl", "xml", "html", "text", "txt", "plain", "plaintext"),
        *("tool", "tool_call", "tool_calls", "tool_use", "tool_code", "function_call"),
    )
)
"""Languages of fences in which calls and quoted blocks are read; in other fences they are code."""
_MAX_PATTERNS = 128  # compiled patterns that are cached: more than the readers have
_CLOCK_LINES = 1_024  # lines between two looks at the clock: a look takes as long as a short line
MAX_DIGITS = 18
"""Digits of a line number: longer numbers are something else, and `int` refuses very many digits."""
MAX_UNENDED = 20
"""Calls without an end after which no more are looked for: each one costs a pass over the rest of the reply."""


class Split(Record):
    """One way to read a change: the lines to find, and the lines to put in their place."""

    old: str
    new: str
    literal: bool = False
    """Whether a line such as `# ... existing code ...` is text of the file and not a placeholder."""


class Hunk(Record):
    """One change of a file's lines."""

    line: int
    """The line of the reply at which it begins, counted from 1."""
    splits: tuple[Split, ...]
    """The ways to read it. Several only if a separator occurs in the content; then the file decides."""
    context: tuple[str, ...] = ()
    """Lines of the file above the change that name what it is in, outermost first."""
    at: int | None = None
    """The line of the file at which it begins, counted from 1, if the diff says so; if it only inserts, the line after
    which it inserts."""
    at_end: bool = False
    """Whether it must be at the end of the file."""
    inner: bool = False
    """Whether a SEARCH marker without an end precedes it: then it may be part of that marker's content."""
    likely: int = 0
    """The number of likely splits, which come first: those at a separator as long as the block's first marker."""
    section: str = ""
    """The line that a diff shows after `@@`: in git, the header of the section in which the hunk begins."""
    near: int | None = None
    """A hint: the line of the file at which it begins, counted from 1. It decides only between equal places."""
    part: bool = False
    """Whether its texts may be parts of lines."""
    occurrences: int = 1
    """How often the old text must occur; all occurrences are replaced. 0 means at least once."""


class Mention(Record):
    """A file that a line above a block mentions."""

    path: str
    sure: bool
    """Whether it certainly is a file name; `self.value` may be something else."""
    role: str = "target"
    """`target`: the block may be about it. `source`: the sentence takes something from it, so the block may as well be
    about the previous block's file. `aside`: the sentence compares something with it ("as in b.py"). `spared`: the
    sentence says that it stays as it is, or is only run; it is not a candidate."""
    inside: str = ""
    """The line of the block's own text that names it, if any: that line may also be text of the file."""
    literal: bool = False
    """Whether it is the whole of a line, a label or a quotation and does not look like a path (`my notes (old).md`,
    `a=b.txt`, `notes`): it counts only if a file has exactly this name."""


class Block(Record):
    """What a reply says about one file."""

    number: int
    """Its number in the reply, counted from 1. Readers give 0; the reply parser numbers the blocks."""
    format: str
    """The name of its notation, as in the result of `apply_reply`."""
    action: str
    """`create`, `update`, `delete` or `rename`."""
    line: int
    """Its first line in the reply, counted from 1."""
    end_line: int
    path: str | None
    """The file, as far as the reply names it. If the block's own lines do not name it, a reader gives None; the reply
    parser looks for it in the lines above."""
    path_as_written: str | None = None
    alternatives: tuple[str, ...] = ()
    """Other files that it may be about, if only prose names a file; the file contents decide."""
    hunks: tuple[Hunk, ...] = ()
    content: str | None = None
    """The content of the whole file, if given."""
    to: str | None = None
    """The new name of a file that is renamed."""
    mode: int | None = None
    """Git's mode of the file after the change, if the diff has it."""
    copied_from: str | None = None
    """The file of which a new file is a copy."""
    problem: str | None = None
    """Why it can't be used, as one of `PROBLEMS`."""
    doubts: int | None = None
    """The number of an earlier block that may continue up to here, and so can't be used either."""
    mentions: tuple[Mention, ...] = ()
    """The files that the lines since the previous block mention, likeliest last, if no line names its file."""
    inherited: str | None = None
    """Its file if those lines did not exist: that of a heading, the default path, or that of the previous block."""
    follows: int | None = None
    """The number of the block whose file it inherits, if that file is still undecided."""

    @property
    def notation(self) -> Notation:
        """The notation in which it is written."""
        return NOTATIONS[self.format]

    def id_of(self, hunk: int) -> str:
        """The id for choosing a hunk, counted from 0; a hunk that is the whole block has the block's number."""
        in_hunks = self.notation.in_hunks and self.hunks and self.action != "delete"
        in_hunks = in_hunks or (self.format == "call" and len(self.hunks) > 1)
        return f"{self.number}.{hunk + 1}" if in_hunks else str(self.number)

    @property
    def ids(self) -> list[str]:
        """The ids of everything in it that can be chosen."""
        return list(dict.fromkeys(self.id_of(number) for number in range(len(self.hunks) or 1)))

    def chosen(self, only: Sequence[str] | None) -> list[str]:
        """Its ids that `only` chooses; the block's own number chooses all."""
        if only is None or str(self.number) in only:
            return self.ids
        return [name for name in self.ids if name in only or (name == str(self.number) and f"{name}.1" in only)]


class Unread(Record):
    """Something in a reply that looks like an edit but was not read."""

    line: int
    """The line of the reply at which it begins, counted from 1."""
    kind: str
    """What it seems to be, as one of `shapes.UNREAD_KINDS`."""
    path: str | None = None
    """The file it seems to be about."""
    edits: bool = False
    """Whether it clearly edits a file: a path with old and new text, or with all of the file."""


class Source:
    r"""The lines of a text that arrives in pieces. Lines end at a newline; a `\r` before it is kept."""

    def __init__(self, *, whole_files: bool = False) -> None:
        self.whole_files = whole_files
        """Whether calls may write whole files."""
        self.fence: str | None = None
        """The open fence in a reply, or an empty string; None in a text that is not a reply but a single change."""
        self.language = ""
        """The language of the last fence."""
        self.lines: list[str] = []
        self.over = False
        self.cut = False
        """Whether the last line has no line ending."""
        self._rest: list[str] = []
        self._looks = 0
        self.block_ends: dict[int, int | None] = {}
        """The line at which the block beginning at a line ends, once known; None if it has no end."""
        self.early_ends: dict[int, int] = {}
        """Blocks that may have ended earlier, at a marker of another length followed by other blocks."""
        self.unclosed = False
        """Whether the last block is a SEARCH without an end."""
        self.unended = 0
        """The number of calls, and of blocks in entities, without an end: each costs a pass over the rest."""
        self.endless_from: int | None = None
        """From this line on, no line ends a block; known once the reply is complete and a reader has searched it."""
        self.quotation_end = 0
        """The end of the last quotation in which no block begins."""

    @classmethod
    def of(cls, text: str) -> Source:
        """The source of a complete text."""
        source = cls()
        source.add(text)
        source.close()
        return source

    def add(self, chunk: str) -> None:
        """Add a piece of the text."""
        first, *lines = chunk.split("\n")
        self._rest.append(first)
        if lines:
            self.lines += ["".join(self._rest), *lines[:-1]]
            self._rest = lines[-1:]

    def close(self) -> None:
        """Mark the text as complete."""
        last = "".join(self._rest)
        self.cut = bool(last)
        self.lines += [last] if last else []
        self._rest.clear()
        self.over = True

    def replace(self, first: int, lines: list[str]) -> None:
        """Replace lines by as many others."""
        end = first + len(lines)
        self.lines[first:end] = lines
        if self.endless_from is not None:
            self.endless_from = max(self.endless_from, end)

    def forget(self) -> None:
        """Drop what is known about blocks, because it may depend on text that no longer counts."""
        self.block_ends.clear()
        self.early_ends.clear()
        self.unclosed = False

    def ready(self, at: int) -> bool:
        """Whether the line has arrived, or the text is complete. Lines are counted from 0."""
        self._looks += 1
        if not self._looks % _CLOCK_LINES:  # every reader calls this for each line
            check_time()
        return at < len(self.lines) or self.over

    def line(self, at: int) -> str | None:
        """A line without its ending, or None after the last one."""
        return self.lines[at].removesuffix("\r") if at < len(self.lines) else None

    def wait(self, at: int) -> Generator[None, None, str | None]:
        """The line, as soon as it has arrived."""
        while not self.ready(at):
            yield None
        return self.line(at)

    @property
    def is_diff(self) -> bool:
        """Whether the open fence is for a diff."""
        return bool(self.fence) and self.language in DIFFS

    def text(self, first: int, end: int, *, crlf: bool = False) -> str:
        r"""Some lines as a text, each with `\n`; with `crlf`, the lines of the reply end with `\r\n`."""
        lines = self.lines[first:end]
        if crlf:
            lines = [line.removesuffix("\r") for line in lines]
        return "".join([f"{line}\n" for line in lines])

    def lead(self, at: int) -> str:
        """The indentation of a line."""
        line = self.lines[at]
        return line[: len(line) - len(line.lstrip())]

    def is_crlf(self, at: int) -> bool:
        r"""Whether a line of the reply ends with `\r\n`; if it is a marker, so do the lines of its block."""
        return self.lines[at].endswith("\r")


@lru_cache(maxsize=_MAX_PATTERNS)
def pattern(text: str) -> Pattern[str]:
    """A regular expression, compiled once."""
    import re  # not every reply needs it

    return re.compile(text)


def find_reader(source: Source, at: int, *, doubtful: bool = False) -> Reader | None:
    """The reader of the block that begins at a line; None for most lines, as their first character shows."""
    from importlib import import_module  # a reply needs only the readers of its own notations

    for notation in _BY_START.get((source.line(at) or "").lstrip()[:1], ()):
        if doubtful or not notation.is_doubtful:
            begun: Reader | None = import_module(f"suture.formats.{notation.reader}").begin(source, at)
            if begun is not None:
                return begun
    return None


def wait_for_reader(source: Source, at: int, *, doubtful: bool = False) -> Generator[None, None, Reader | None]:
    """The same as `find_reader`, after waiting for the lines that decide."""
    line = yield from source.wait(at)
    if line is not None and line.startswith(_TWO_LINES):
        yield from source.wait(at + 1)
    return find_reader(source, at, doubtful=doubtful)


_BY_START = {
    char: [notation for notation in NOTATIONS.values() if char in notation.starts]
    for char in {*"".join(notation.starts for notation in NOTATIONS.values())}
}
