"""The files of a reply: which one a block changes, its current text, and how hunks change it.

A `FileSource` has the files as they are before the call: a session, or `Texts` in memory. `ReplyFiles` has them as the
blocks so far have changed them, and at the end makes the changes of a plan. Nothing is written here.

A mentioned file of the workspace takes precedence over the file of the previous block. If several are mentioned, the
block must fit exactly one of them. Whatever could put a block into the wrong file is refused: a mention of a file that
does not exist, a block that fits only the file of the previous block although another one is mentioned.

The hunks of a patch refer, in order, to the file as it was before them. They are searched for there, so that none can
land in what another one inserts. Only a hunk that is not found there is searched for in the result of the others.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from contextlib import suppress

from suture import errors
from suture.audience import MODEL
from suture.bounds import check_size
from suture.errors import AlreadyApplied, FileChanged, FileNotFound, NoPath, ProtectedPath, SutureError
from suture.formats import Mention
from suture.formats.file_names import is_known
from suture.formats.search_replace import is_separator
from suture.match.hunks import Expected, Fit, fit, fit_by_numbers
from suture.match.index import Found, Index, Refused
from suture.match.placeholders import find_added
from suture.plan import Content, Place, Rename, Snapshot
from suture.records import Record
from suture.settings import Settings
from suture.text import Text
from suture.text.diff import FileDiff, changes, unified
from suture.text.edits import apply, compose, edit, minimize, splice
from suture.tools.results import check_hash, check_surrogates, check_writable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Protocol

    from suture.audience import Audience
    from suture.engine.session import Session
    from suture.formats import Block, Hunk, Split
    from suture.match.index import Base
    from suture.plan import FileChange
    from suture.text.edits import Edit
    from suture.tools.failure import Source

    class Located(Protocol):
        """The file at a path."""

        @property
        def name(self) -> str:
            """Its canonical name."""

        @property
        def stat(self) -> object:
            """Its status; None if it does not exist."""

        @property
        def by_link(self) -> bool:
            """Whether the path leads to it through a link."""

    class FileSource(Source, Protocol):
        """The files as they are before the call, and what decides about them. A session is one."""

        @property
        def settings(self) -> Settings:
            """The limits and permissions in force."""

        @property
        def audience(self) -> Audience:
            """The audience that the call's result is worded for."""

        def checkpoint(self) -> None:
            """Raise if the caller canceled the call."""

        def locate(self, path: str) -> Located:
            """The file at a path, which need not exist."""

        def read(self, path: str) -> Snapshot:
            """A file that exists."""

        def blank(self, path: str) -> Text:
            """The empty text of a new file."""

        def near(self, path: str) -> list[str]:
            """Files to which a block for a path that does not exist may be applied."""

        def similar_files(self, path: str) -> list[str]:
            """Files that a path that does not exist may mean, best first, to be suggested."""

        def same_named(self, names: Collection[str]) -> list[str]:
            """The files with one of these names, in any folder."""

        def had_file(self, path: str) -> bool:
            """Whether a recorded change replaced, moved or deleted what was at a path."""

        def plan_create(self, path: str, content: bytes) -> object:
            """Plan a new file; refuses one that could not be created."""

    Landed = dict[tuple[str, tuple[Split, ...]], int]
    Reject = Callable[["ReplyFile", Hunk, Fit], SutureError]


_NO_LIMIT = 1_000_000_000  # milliseconds: the caller of a function can end it
EXECUTABLE_BITS = 0o111
"""Of a file's mode, for the owner, the group and others."""
_SHORTEST_MISTYPED = 5  # characters of a name in which a different letter counts as a typo
_SHORTEST_RESPELLED = 2  # characters of a name with a letter too many, too few, or swapped
_MAX_CANDIDATES = 20  # files that are tried; a name that more files have is no evidence
_MAX_SUGGESTED_FILES = 5  # files that a missing one may mean
_MAX_NEAR_FILES = 20  # files of a similar name that a block is tried on
_FINAL = {"ambiguous", "applied", "elided", "unplaced", "unsplit"}
"""Reasons to refuse a hunk that other hunks cannot change."""


class ReplyFile:
    """One file, as the blocks so far have left it."""

    def __init__(self, name: str, before: Snapshot | None, text: Text, bases: Iterable[Base] = ()) -> None:
        self.name = name
        self._bases = bases
        self.before = before
        """The file before the call, or None."""
        self.text = text
        """As it was read; of a new file, empty."""
        self.body = text.body
        self._steps: list[tuple[int, int, list[Edit]]] = []
        """The steps from the text to `body`: how many were joined, the size before it, its edits."""
        self.exists = before is not None
        self.mode: int | None = None
        self.moved_from: ReplyFile | None = None
        self.moved_to: ReplyFile | None = None
        self._index: Index | None = None

    @property
    def index(self) -> Index:
        """Its current text, prepared for searching."""
        if self._index is None or self._index.body is not self.body:
            bases = self._bases if self._index is None else self._index.earlier()
            self._index = Index(self.body, self.name, bases)
        return self._index

    @property
    def snapshot(self) -> Snapshot:
        """Its current text, as if it had been read from disk."""
        place = Place(0, self.name, self.name) if self.before is None else self.before.place
        text = Text(self.body, bom=b"", encoding=self.text.encoding, body=self.body)
        return Snapshot(place, text, Content((self.body,)), (), 0)

    def make(self, edits: Iterable[Edit]) -> None:
        """Edit it."""
        new_edits = list(edits)
        self.check(new_edits)
        check_size(self.name, len(self.body) + sum(edit.growth for edit in new_edits))
        self._steps.append((1, len(self.body), new_edits))
        while len(self._steps) > 1 and self._steps[-2][0] <= self._steps[-1][0]:
            self._join()  # sizes double, so each edit is joined only a few times
        self.body = apply(self.body, new_edits)
        self.exists = True

    def _join(self) -> None:
        (number, size, first), (more, _, second) = self._steps[-2:]
        self._steps[-2:] = [(number + more, size, compose(size, first, second))]

    def prepare_content(self, content: str) -> bytes:
        """The bytes of a whole content in the file's encoding; a byte order mark is not doubled."""
        check_surrogates(self.text, content, "")
        new = (content.removeprefix("\ufeff") if self.text.bom else content).encode("utf-8", "surrogatepass")
        check_writable(self.text, new, self.body)
        return new

    def fill(self, new: bytes) -> None:
        """Replace it whole."""
        self.make([edit(0, len(self.body), new)])

    def empty(self) -> None:
        """Delete it."""
        self.fill(b"")
        self.exists = False

    def become(self, other: ReplyFile) -> None:
        """Take the content and mode of another file."""
        self.text, self.body, self._steps = other.text, other.body, list(other._steps)
        self.mode = other.before.mode if other.mode is None and other.before is not None else other.mode
        self.exists = True

    def check(self, edits: Iterable[Edit]) -> None:
        """Refuse characters that the file's encoding does not have."""
        for change in edits:
            check_writable(self.text, change.new, self.body)

    def check_text(self) -> None:
        """Refuse a binary file."""
        if self.text.is_binary():
            raise errors.BinaryFile(path=self.name)

    def begin_as(self, other: ReplyFile) -> None:
        """Take the content that another file had before all blocks, as a copy in a diff does."""
        self.become(other)
        if other.before is not None:
            self.text, self.body, self._steps = other.before.text, other.before.text.body, []

    @property
    def decoded(self) -> str:
        """The current text of a file in memory."""
        return self.body.decode("utf-8", "surrogatepass")

    @property
    def content(self) -> bytes:
        """The current bytes of the file."""
        return b"".join(splice(self.text, self.changes))

    @property
    def changes(self) -> list[Edit]:
        """The edits from the original text to the current one, without unchanged parts."""
        while len(self._steps) > 1:
            self._join()
        return minimize(self.text.body, [edit for _, _, edits in self._steps for edit in edits])

    def line_now(self, line: int) -> int:
        """The current number of a line of the original file, counted from 1."""
        lines, body = self.text.lines, self.text.body
        start = lines.span(line)[0] if line <= len(lines) else len(body)
        edits = [edit for edit in self.changes if edit.span.end <= start]
        return line + sum(edit.new.count(b"\n") - body.count(b"\n", edit.span.start, edit.span.end) for edit in edits)

    @property
    def is_executable(self) -> bool:
        """Whether it is currently executable."""
        return bool(self._current_mode & EXECUTABLE_BITS)

    @property
    def _current_mode(self) -> int:
        known = 0o644 if self.before is None else self.before.mode
        return known if self.mode is None else self.mode

    def set_executable(self, git_mode: int) -> bool:
        """Apply the one permission that git records; returns whether that changes anything."""
        mode = self._current_mode
        executable = mode | (mode & 0o444) >> 2
        self.mode = executable if git_mode & EXECUTABLE_BITS else mode & ~EXECUTABLE_BITS
        return self.mode != mode


class ReplyFiles:
    """The files of all blocks so far."""

    def __init__(self, source: FileSource, expect_hash: str | dict[str, str] | None = None) -> None:
        self.source = source
        self._expect_hash = expect_hash
        self._open: dict[str, ReplyFile] = {}

    def at(self, path: str) -> ReplyFile:
        """The file at a path, which need not exist."""
        target = self.source.locate(path)
        name = target.name
        if name not in self._open:
            before = None if target.stat is None else self.source.read(name)
            check_hash(self._expect_hash, name, before)
            text = self.source.blank(name) if before is None else before.text
            bases = () if before is None else self.source.bases(before)
            self._open[name] = ReplyFile(name, before, text, bases)
        return self._open[name]

    def check_others(self, expected: object) -> None:
        """Check the expected hashes of the files that no block changes."""
        for path, wanted in expected.items() if isinstance(expected, dict) else ():
            file = self.at(path)
            check_hash(wanted, file.name, file.before)

    def near(self, path: str) -> list[str]:
        """Files to which a block for a path that does not exist may be applied."""
        return list(dict.fromkeys([*self._moved_or_created(path), *self.source.near(path)]))

    def similar_files(self, path: str) -> list[str]:
        """Files that a path that does not exist may mean, best first, to be suggested."""
        names = dict.fromkeys([*self._moved_or_created(path), *self.source.similar_files(path)])
        return [name for name in names if name != path]

    def _moved_or_created(self, path: str) -> list[str]:
        """The file that had this path before the reply, and those of this name that the reply created."""
        moved = [file.moved_to.name for file in self._open.values() if file.name == path and file.moved_to is not None]
        created = [file.name for file in self._open.values() if file.exists and file.name.endswith(f"/{path}")]
        return [*moved, *created]

    def same_named(self, names: Collection[str]) -> dict[str, list[str]]:
        """The files with one of these names, in any folder, by name."""
        names_by_file: dict[str, list[str]] = {}
        for path in sorted(self.source.same_named(names)):  # so that every source names them in one order
            names_by_file.setdefault(path.rpartition("/")[2], []).append(path)
        return names_by_file

    def move(self, file: ReplyFile, to: ReplyFile) -> None:
        """Rename a file, replacing a file with the new name."""
        to.become(file)
        file.empty()
        to.moved_from, file.moved_to = file, to

    def changed_files(self) -> list[ReplyFile]:
        """The files that differ from before the call."""
        return [file for file in self._open.values() if _differs(file)]

    def plan(self, session: Session) -> list[FileChange]:
        """The changes to write."""
        changes: list[FileChange] = []
        moved: set[str] = set()
        for to in self._open.values():
            source = to.moved_from
            if source is not None and _is_move(source, to):
                changes.append(self._rename(session, source, to))
                moved |= {source.name, to.name}
        changes += [_change(session, file) for file in self.changed_files() if file.name not in moved]
        return changes

    def _rename(self, session: Session, source: ReplyFile, to: ReplyFile) -> FileChange:
        content = to.content
        if to.before is None:
            return session.plan_rename(source.name, to.name, content)
        assert source.before is not None  # noqa: S101  it is a file that moves
        session.plan_delete(source.name)  # refuses what cannot be deleted
        return Rename(source.before.place, source.before, to.before.place, Content((content,)), to.before)


def _is_move(source: ReplyFile, to: ReplyFile) -> bool:
    """Whether a file was renamed, and differs in its content at most."""
    moved = source.before is not None and to.exists and not source.exists
    return moved and source.before is not None and to.mode == source.before.mode


def _change(session: Session, file: ReplyFile) -> FileChange:
    if file.before is None:
        moved = file.moved_from is not None and not file.moved_from.exists  # a copy does not make more files executable
        executable = file.is_executable and (moved or session.settings.allow_executables)
        return session.plan_create(file.name, file.content, 0o755 if executable else None)
    if not file.exists:
        return session.plan_delete(file.name)
    if file.text is not file.before.text:
        return session.plan_write(file.name, file.content)
    return session.plan_update(file.before, file.changes).evolve(mode=file.mode)


def _differs(file: ReplyFile) -> bool:
    if file.before is None or not file.exists:
        return file.exists or file.before is not None
    moved = file.text is not file.before.text
    return moved or bool(file.changes) or file.mode not in {None, file.before.mode}


class _InMemory(Record):
    """A text in place of a file."""

    name: str
    stat: str | None
    by_link: bool = False


class Texts:
    """Texts by path, as a source of files: without earlier versions, and with all permissions."""

    settings = Settings(allow_executables=True, reply_call_ms=_NO_LIMIT)
    audience = MODEL

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def locate(self, path: str) -> _InMemory:
        """The text at the normalized path."""
        names: list[str] = []
        for number, name in enumerate(path.split("/")):
            if (name == ".." and not names) or (not name and not number):
                raise errors.PathOutsideWorkspace(path=path, reason="it leads above all files")
            if name == "..":
                names.pop()
            elif name not in {"", "."}:
                names.append(name)
        name = "/".join(names)
        return _InMemory(name, self._texts.get(name))

    def read(self, path: str) -> Snapshot:
        """The text, as if it were a file."""
        body = self._texts[path].encode("utf-8", "surrogatepass")
        text = Text(body, bom=b"", encoding="utf-8", body=body)
        return Snapshot(Place(0, path, path), text, Content((body,)), (), 0o644)

    def bases(self, before: Snapshot) -> tuple[Base, ...]:  # noqa: ARG002  as a session has it
        """None."""
        return ()

    def blank(self, path: str) -> Text:  # noqa: ARG002  as above
        """Nothing."""
        return Text.decode(b"")

    def checkpoint(self) -> None:
        """Nothing: no caller can cancel."""

    def had_file(self, path: str) -> bool:  # noqa: ARG002  as above
        """Nothing is recorded."""
        return False

    def plan_create(self, path: str, content: bytes) -> None:
        """Nothing: every text can be created."""

    def attempt(self, request: int) -> int:  # noqa: ARG002  as above
        """Nothing is counted."""
        return 1

    def near(self, path: str) -> list[str]:
        """Texts with a similar path, or with the same name in another folder."""
        from difflib import get_close_matches  # only a failure needs it

        return list(dict.fromkeys([*self.same_named({path.rpartition("/")[2]}), *get_close_matches(path, self._texts)]))

    def similar_files(self, path: str) -> list[str]:
        """As `near`, best first; also names that differ only in case or Unicode normalization."""
        from suture.files.paths import rank_same_named  # only a failure needs it
        from suture.files.protected import fold

        folded = fold(path.rpartition("/")[2])
        same = [known for known in self._texts if fold(known.rpartition("/")[2]) == folded]
        return list(dict.fromkeys([*rank_same_named(path, same), *self.near(path)]))

    def same_named(self, names: Collection[str]) -> list[str]:
        """Texts with one of these names, in any folder."""
        return [known for known in self._texts if known.rpartition("/")[2] in names]


def _nearest(path: str, names: Iterable[str]) -> list[str]:
    """The files that a path may mean: with more or fewer parent folders; if there are none, with a typo in a name."""
    candidates = list(names)
    same = [name for name in candidates if f"/{name}".endswith(f"/{path}") or f"/{path}".endswith(f"/{name}")]
    return same or [name for name in candidates if _has_typo(path, name)]


def _has_typo(path: str, name: str) -> bool:
    sent, own = path.split("/"), name.split("/")
    pairs = [(ours, theirs) for ours, theirs in zip(sent, own, strict=False) if ours != theirs]
    return len(sent) == len(own) and len(pairs) == 1 and _is_typo(*pairs[0])


def _is_typo(ours: str, theirs: str) -> bool:
    """Whether two names differ in case, in how words are joined, or by one letter; in short names, no different one."""
    from rapidfuzz.distance import OSA  # only a missing file needs it

    plain = [name.lower().replace("-", "_") for name in (ours, theirs)]
    if plain[0] == plain[1]:
        return True
    (stem, _, extension), (other_stem, _, other_extension) = (name.rpartition(".") for name in plain)
    digits = [[char for char in name if char.isdigit()] for name in plain]
    if extension != other_extension or digits[0] != digits[1] or OSA.distance(stem, other_stem) != 1:
        return False
    same_letters = len(stem) != len(other_stem) or sorted(stem) == sorted(other_stem)
    return min(len(stem), len(other_stem)) >= (_SHORTEST_RESPELLED if same_letters else _SHORTEST_MISTYPED)


def _not_found(path: str, near: Sequence[str]) -> FileNotFound:
    """The error for a file that does not exist."""
    return FileNotFound(path=path, near=list(near[:_MAX_SUGGESTED_FILES]))


class Targets:
    """Decides which files the blocks of one reply change."""

    def __init__(self, files: ReplyFiles, match: str, landed: Landed) -> None:
        """`landed` has the hunks that earlier blocks applied, and where."""
        self._files = files
        self._match = match
        self._landed = landed
        self._blocks: dict[int, Block] = {}
        self._decisions: dict[int, Block | NoPath] = {}
        self._paths_by_name: dict[str, list[str]] | None = None
        """The files of the workspace that have the last part of a mentioned path, by that part."""
        self._touched_paths: set[str] = set()
        """Files that the reply creates, deletes or renames: such a name is not a typo."""
        self._corrections: dict[str, str] = {}
        """The file that a path that does not exist turned out to mean."""
        self._candidates_of: dict[tuple[str, bool], list[str]] = {}

    def begin(self, blocks: Sequence[Block]) -> None:
        """Take all blocks, some of which depend on others for their file."""
        self._blocks = {block.number: block for block in blocks}
        touching = (block for block in blocks if block.action != "update")
        self._touched_paths = {name for block in touching for name in (block.path, block.to) if name}

    def of(self, block: Block) -> Block:
        """The block with the path of its file; raises `NoPath` if that cannot be decided."""
        if block.number not in self._decisions:
            try:
                self._decisions[block.number] = self._decide(block)
            except NoPath as error:
                self._decisions[block.number] = error
        decision = self._decisions[block.number]
        if isinstance(decision, NoPath):
            raise decision
        return decision

    def existing(self, path: str) -> ReplyFile:
        """The file at a path, which must exist."""
        file = self._files.at(path)
        if not file.exists:
            raise _not_found(path, self._files.similar_files(path))
        return file

    def that_fits(self, block: Block) -> ReplyFile:
        """The file that a block changes; if it does not exist, the one with a similar name that the block fits."""
        path = block.path or ""
        file = self._files.at(path)
        if file.exists:
            return file
        written = block.path_as_written
        if written and written != path:
            try:
                literal = self._files.at(written)
            except SutureError:
                literal = file
            if literal.exists:
                return literal
        if file.moved_to is not None:
            candidates = [file.moved_to.name]
        else:
            candidates = [] if path in self._touched_paths else _nearest(path, self._files.near(path))
        verdicts = {name: self._verdict(block, name) for name in candidates[: _MAX_NEAR_FILES + 1]}
        fits = [name for name, verdict in verdicts.items() if verdict != "missing"]
        if self._corrections.get(path) in fits:
            fits = [self._corrections[path]]
        if len(fits) != 1 or verdicts[fits[0]] != "found" or len(candidates) > _MAX_NEAR_FILES:
            raise _not_found(path, self._files.similar_files(path))
        self._corrections[path] = fits[0]
        return self._files.at(fits[0])

    def note(self, block: Block, file: ReplyFile) -> str:
        """A note if the file's name is only similar to the one that was written; else empty."""
        if self._corrections.get(block.path or "") != file.name:
            return ""
        return f"There is no {block.path}; the block fits {file.name}, and no other file with a similar name."

    def _verdict(self, block: Block, path: str) -> str:
        """Whether all of a block can be applied to a file: `found`, `missing`, or `unclear`."""
        try:
            file = self._files.at(path)
            file.check_text()
        except FileChanged:
            raise
        except SutureError:
            return "missing"
        answers = [fit(file.index, hunk, self._match).answer for hunk in block.hunks] if file.exists else []
        if not answers or all(isinstance(answer, Refused) and answer.why == "missing" for answer in answers):
            return "missing"
        return "found" if all(isinstance(answer, Found) for answer in answers) else "unclear"

    def _decide(self, block: Block) -> Block:
        inherited = block.inherited
        if block.follows is not None:
            inherited = self._path_of_previous(block)
        if not any(self._counts(mention) for mention in block.mentions):
            return block if block.follows is None else block.evolve(path=inherited, path_as_written=inherited)
        counting = [mention for mention in block.mentions if self._counts(mention)]
        mentions = [mention for mention in counting if not self._is_content(mention, inherited)]
        decision = self._new(block, mentions) if _creates(block) else self._existing(block, mentions, inherited)
        path, written = decision or (inherited, inherited)
        return block.evolve(path=path, path_as_written=written)

    def _counts(self, mention: Mention) -> bool:
        """Whether a mention is one of a file: a name that does not look like a path is one only if the file exists."""
        return not mention.literal or bool(self._current_name(mention.path))

    def _path_of_previous(self, block: Block) -> str | None:
        """The file of the block that this one follows."""
        undecided = []
        previous = block.follows
        while previous is not None and previous not in self._decisions:
            undecided.append(self._blocks[previous])
            previous = undecided[-1].follows
        for earlier in reversed(undecided[1:]):  # first those that others follow: a chain may be long
            with suppress(NoPath):
                self.of(earlier)
        try:
            return self.of(self._blocks[block.follows or 0]).path
        except NoPath as error:
            raise error.evolve(reply_line=block.line) from None

    def _is_content(self, mention: Mention, inherited: str | None) -> bool:
        """Whether a line that names a file is just text of the inherited file."""
        file = self._file_at(inherited) if mention.inside and inherited else None
        line = mention.inside.strip().encode("utf-8", "surrogatepass")
        return file is not None and any(own.strip() == line for own in file.body.split(b"\n"))

    def _new(self, block: Block, mentions: Sequence[Mention]) -> tuple[str, str] | None:
        """The file that a block creates: the only one mentioned, or the only one of them that does not exist yet."""
        likely = [mention for mention in mentions if mention.sure] or [
            mention for mention in mentions if is_known(mention.path) and not mention.literal
        ]
        likely = [mention for mention in likely if mention.role == "target"] or likely
        paths = list(dict.fromkeys(mention.path for mention in likely))
        if len(paths) > 1:
            free = list(
                dict.fromkeys(
                    mention.path for mention in likely if not any(map(self._has_text, self._candidates(mention)))
                )
            )
            if len(free) != 1:
                raise NoPath(reply_line=block.line, candidates=paths, why="several")
            paths = free
        return (paths[0], paths[0]) if paths else None

    def _has_text(self, name: str) -> bool:
        """Whether a file exists and is not empty."""
        file = self._file_at(name)
        return file is not None and bool(file.body)

    def _existing(self, block: Block, mentions: Sequence[Mention], inherited: str | None) -> tuple[str, str] | None:
        """The file that a block changes, and how it is written; None: the inherited one."""
        held = self._name(inherited)
        targets = [mention for mention in mentions if mention.role == "target"]
        mentioned = self._mentioned_files(targets, held)
        missing = [mention.path for mention in targets if mention.sure and not self._candidates(mention)]
        protected = [path for path in missing if self._is_protected(path)]
        if protected and set(mentioned) <= {held}:
            return protected[-1], protected[-1]  # opening it says why not
        if missing and inherited is not None and set(mentioned) <= {held}:
            raise NoPath(reply_line=block.line, candidates=[*missing, inherited], why="missing")
        if missing and not mentioned:
            return missing[-1], missing[-1]
        if not mentioned:
            others = [mention for mention in mentions if mention.role != "target"]
            lost = [
                mention.path
                for mention in others
                if mention.role == "source" and mention.sure and not self._candidates(mention)
            ]
            if lost and inherited is not None:
                raise NoPath(reply_line=block.line, candidates=[*lost, inherited], why="missing")
            mentioned = self._mentioned_files(others, held)
            if inherited is not None:
                mentioned = {held or inherited: inherited, **mentioned}
        return self._fitting(block, mentioned, held) if mentioned else None

    def _fitting(self, block: Block, mentioned: dict[str, str], held: str | None) -> tuple[str, str]:
        """The only mentioned file, or the only one of them that the block fits."""
        names = list(mentioned)
        if len(names) > _MAX_CANDIDATES:
            raise NoPath(reply_line=block.line, candidates=names[:_MAX_CANDIDATES], why="several")
        fits = [name for name in names if self._fits(block, name)]
        if len(fits) > 1:
            raise NoPath(reply_line=block.line, candidates=fits, why="several")
        if fits:
            return self._written(fits[0], mentioned)
        if held is not None and held not in mentioned and self._fits(block, held):
            raise NoPath(reply_line=block.line, candidates=[*names, held], why="elsewhere")
        if len(names) > 1 and any(self._fits(block, name, any_hunk=True) for name in names):
            raise NoPath(reply_line=block.line, candidates=names, why="several")
        return self._written(held if held in mentioned else names[-1], mentioned)

    @staticmethod
    def _written(name: str, mentioned: dict[str, str]) -> tuple[str, str]:
        """A file, and how it is written; a name with a typo is kept, so that the correction is noted."""
        written = mentioned[name]
        bare = written.lstrip("/")
        has_typo = not f"/{name}".endswith(f"/{bare}") and _nearest(bare, [name])
        return (written if has_typo else name), written

    def _mentioned_files(self, mentions: Iterable[Mention], held: str | None) -> dict[str, str]:
        """The mentioned files, each with its spelling. A bare name may also mean the inherited file."""
        mentioned: dict[str, str] = {}
        for mention in mentions:
            names = self._candidates(mention)
            if held is not None and names and held.endswith(f"/{mention.path}"):
                names = [*names, held]
            for name in names:
                mentioned.setdefault(name, mention.path)
        return mentioned

    def _candidates(self, mention: Mention) -> list[str]:
        """The files of the workspace that a mention may mean, by their current names."""
        if current := self._current_name(mention.path):
            return [current]
        key = mention.path, mention.sure
        if key not in self._candidates_of:
            self._candidates_of[key] = self._find_candidates(mention)
        return [current for name in self._candidates_of[key] if (current := self._current_name(name))]

    def _current_name(self, path: str) -> str:
        """The name of a file after the earlier blocks; empty if it does not exist."""
        try:
            file = self._files.at(path)
        except FileChanged:  # it may exist, though not with the expected hash
            target = self._files.source.locate(path)
            return "" if target.stat is None else target.name
        except SutureError:
            return ""
        if file.moved_to is not None:
            return file.moved_to.name
        return file.name if file.exists else ""

    def _is_protected(self, path: str) -> bool:
        try:
            self._files.at(path)
        except SutureError as error:
            return isinstance(error, ProtectedPath)
        return False

    def _find_candidates(self, mention: Mention) -> list[str]:
        """The files that a path that does not exist may mean."""
        path = mention.path.lstrip("/")
        if mention.literal or (path.isalnum() and not mention.sure):
            return []  # an ordinary word, or several
        same = self._same_named(path)
        if not mention.sure:
            return [name for name in same if name.endswith(f"/{path}")]
        try:
            return _nearest(path, same) or _nearest(path, self._files.near(path))
        except SutureError:
            return []

    def _same_named(self, path: str) -> list[str]:
        """The files of the workspace with the same name as a path; one walk finds those of all mentions."""
        if self._paths_by_name is None:
            mentions = (mention for block in self._blocks.values() for mention in block.mentions)
            paths = [mention.path for mention in mentions if not mention.literal]
            self._paths_by_name = self._files.same_named({mentioned.rpartition("/")[2] for mentioned in paths})
        return self._paths_by_name.get(path.rpartition("/")[2], [])

    def _name(self, path: str | None) -> str | None:
        """The inherited file; if it does not exist, the only one that the path may mean."""
        if path is None:
            return None
        meant = self._candidates(Mention(path, sure=True))
        return meant[0] if len(meant) == 1 else path

    def _file_at(self, path: str) -> ReplyFile | None:
        try:
            return self._files.at(path)
        except SutureError:
            return None

    def _fits(self, block: Block, path: str, *, any_hunk: bool = False) -> bool:
        """Whether a block can be applied to a file, or has been, but not by an earlier block."""
        file = self._file_at(path)
        if file is None or not file.exists or file.text.is_binary():
            return False
        return (any if any_hunk else all)(self._is_in(hunk, file) for hunk in block.hunks)

    def _is_in(self, hunk: Hunk, file: ReplyFile) -> bool:
        answer = fit(file.index, hunk, self._match).answer
        return isinstance(answer, Found) or (answer.why == "applied" and (file.name, hunk.splits) not in self._landed)


def _creates(block: Block) -> bool:
    """Whether a block has no text to find in a file."""
    return block.content is not None or not any(split.old for hunk in block.hunks for split in hunk.splits)


class Outcome(Record):
    """The outcome of a block, or of a hunk of one."""

    id: str
    block: Block
    status: str
    """`applied`, `already_applied`, `failed` or `skipped`."""
    action: str
    path: str | None
    """The file's name; the old one, if it was renamed."""
    line: int | None = None
    """The line at which the change begins, in the file as the block found it."""
    rung: str | None = None
    score: float | None = None
    diff: str = ""
    base: Base | None = None
    """The version that it was written on, if it was merged from there."""
    error: SutureError | None = None
    note: str = ""
    """A note for the caller."""
    holds_marker: bool = False
    """Whether a line that looks like a separator was taken for content of the new text."""
    to: str | None = None
    """The new name of a renamed file."""
    warnings: tuple[str, ...] = ()
    """What may not be intended."""

    @classmethod
    def failed(cls, name: str, block: Block, error: SutureError, path: str | None = None) -> Outcome:
        """A block or hunk that was not applied."""
        return cls(name, block, "failed", block.action, path or block.path, error=error)


class HunkApplier:
    """Applies the hunks of a block to its file."""

    def __init__(self, block: Block, file: ReplyFile, match: str, reject: Reject, check: Callable[[], None]) -> None:
        """`reject` explains why a hunk has no place; `check` is called before each and raises when time is up."""
        self._block = block
        self._file = file
        self._match = match
        self._reject = reject
        self._check = check

    def apply_one_by_one(self, hunks: Mapping[str, Hunk]) -> Iterator[Outcome]:
        """Apply each hunk to the result of those before."""
        for name, hunk in hunks.items():
            hints = () if hunk.near is None else (hunk.near, self._file.line_now(hunk.near))
            expected = Expected(hints=tuple(dict.fromkeys(hints)))
            yield self._apply(name, hunk, fit(self._file.index, hunk, self._match, expected))

    def apply_in_patch(self, hunks: Mapping[str, Hunk]) -> Iterator[Outcome]:
        """Apply all hunks to the file as it is, and those that are not found there to the result."""
        file, before = self._file, self._file.body
        fits = self._fit_all(hunks)
        matches = {name: placement.answer for name, placement in fits.items() if isinstance(placement.answer, Found)}
        matches = {name: match for name, match in matches.items() if self._can_hold(match)}
        edits = [edit for match in matches.values() for edit in match.edits]
        file.make(edits)
        inserted = _Insertions(minimize(before, edits))
        for name, hunk in hunks.items():
            if name in matches:
                yield self._success(name, before, matches[name])
            else:
                answer = fits[name].answer
                elsewhere = isinstance(answer, Refused) and answer.why not in _FINAL and not answer.detail
                yield self._apply(name, hunk, self._fit_in_result(hunk, inserted) if elsewhere else fits[name])

    def _fit_all(self, hunks: Mapping[str, Hunk]) -> dict[str, Fit]:
        """Where each hunk is in the file before all of them: exactly where its number says, or wherever it is found."""
        index = self._file.index
        lossy = {} if self._match == "exact" else {name: hunk for name, hunk in hunks.items() if self._leaves_out(hunk)}
        if lossy:
            refused = {name: Fit(Refused("elided"), hunk.splits[0]) for name, hunk in lossy.items()}
            return refused | self._fit_all({name: hunk for name, hunk in hunks.items() if name not in lossy})
        exact = fit_by_numbers(index, list(hunks.values()))
        if exact is not None:
            return {name: Fit(match, hunk.splits[0]) for (name, hunk), match in zip(hunks.items(), exact, strict=True)}
        run = _FoundHunks()
        return {name: run.note(self._fit(hunk, run.expected(hunk)), hunk) for name, hunk in hunks.items()}

    def _leaves_out(self, hunk: Hunk) -> bool:
        """Whether a placeholder line is where the hunk removes lines."""
        for split in hunk.splits:
            if split.literal or find_added(split.old, split.new, self._file.name) is None:
                continue
            old, new = (text.encode("utf-8", "surrogatepass").split(b"\n") for text in (split.old, split.new))
            for i, j, k, m in changes(old, new):
                gone, come = (b"\n".join(lines).decode("utf-8", "surrogatepass") for lines in (old[i:j], new[k:m]))
                placeholder = find_added(gone, come, self._file.name)
                if placeholder is not None and placeholder.deletes:
                    return True
        return False

    def _fit(self, hunk: Hunk, expected: Expected) -> Fit:
        """The place of a hunk. Dots in a patch leave nothing out: removed lines are written out."""
        self._check()
        match = fit(self._file.index, hunk, self._match, expected)
        if isinstance(match.answer, Refused) and match.answer.why == "elided":
            return fit(self._file.index, hunk, "exact", expected)
        return match

    def _fit_in_result(self, hunk: Hunk, inserted: _Insertions) -> Fit:
        """Where a hunk is in the result of those before it, but not inside what they inserted."""
        again = fit(self._file.index, hunk.evolve(at=None, context=()), self._match)
        inside = isinstance(again.answer, Found) and inserted.contain(again.answer.span)
        return again.evolve(answer=Refused("missing")) if inside else again

    def _can_hold(self, match: Found) -> bool:
        """Whether the file's encoding has the new text; if not, applying it says why."""
        try:
            self._file.check(match.edits)
        except SutureError:
            return False
        return True

    def _apply(self, name: str, hunk: Hunk, placement: Fit) -> Outcome:
        """Apply a hunk, if it has a place."""
        before, block, file = self._file.body, self._block, self._file
        try:
            if isinstance(placement.answer, Found):
                file.make(placement.answer.edits)
                holds_marker = len(hunk.splits) > 1 and any(map(is_separator, placement.split.new.split("\n")))
                return self._success(name, before, placement.answer).evolve(holds_marker=holds_marker)
        except SutureError as error:
            return Outcome.failed(name, block, error, file.name)
        rejected = self._reject(file, hunk, placement)
        if isinstance(rejected, AlreadyApplied):
            return Outcome(name, block, "already_applied", block.action, file.name, rejected.start_line)
        return Outcome.failed(name, block, rejected, file.name)

    def _success(self, name: str, before: bytes, match: Found) -> Outcome:
        """The outcome of a hunk that was applied, or that changes nothing."""
        block, file = self._block, self._file
        edits = minimize(before, match.edits)
        line = before.count(b"\n", 0, edits[0].span.start) + 1 if edits else match.site.start_line
        at = file.name, line, match.rung, match.score
        if not edits and not block.to:
            return Outcome(name, block, "already_applied", block.action, *at)
        diff = diff_of(file.name, file.name, before, edits)
        return Outcome(name, block, "applied", block.action, *at, diff, match.base)


class _FoundHunks:
    """The hunks of a patch that have been found, in the file as it was before all of them."""

    def __init__(self) -> None:
        self._offset = 0
        self._next_line = 1
        self._taken: list[tuple[int, int]] = []
        """The ranges that are changed, sorted."""

    def expected(self, hunk: Hunk) -> Expected:
        """Where a hunk should be."""
        lines = () if hunk.at is None else (hunk.at + self._offset, hunk.at)
        return Expected(tuple(line for line in dict.fromkeys(lines) if line >= self._next_line), self._next_line)

    def note(self, placement: Fit, hunk: Hunk) -> Fit:
        """Record the place of a hunk; if another hunk has that place, this one has none."""
        answer = placement.answer
        if not isinstance(answer, Found):
            return placement
        spans = [(edit.span.start, edit.span.end) for edit in answer.edits]
        if any(map(self._is_taken, spans)):
            return placement.evolve(answer=Refused("missing"))
        for span in spans:
            insort(self._taken, span)
        if hunk.at is not None:
            self._offset = answer.site.start_line - hunk.at
        self._next_line = answer.site.end_line + 1
        return placement

    def _is_taken(self, span: tuple[int, int]) -> bool:
        place = bisect_right(self._taken, span)
        near = self._taken[max(place - 1, 0) : place + 1]
        return any(span == other or (span[0] < other[1] and other[0] < span[1]) for other in near)


class _Insertions:
    """The text that edits insert, as ranges of the result."""

    def __init__(self, edits: Iterable[Edit]) -> None:
        self._ranges: list[tuple[int, int]] = []
        growth = 0
        for change in sorted(edits, key=lambda change: change.span.start):
            start = change.span.start + growth
            self._ranges.append((start, start + len(change.new)))
            growth += change.growth

    def contain(self, span: tuple[int, int]) -> bool:
        """Whether a range is inside inserted text."""
        place = bisect_right(self._ranges, (span[0], span[1])) - 1
        near = self._ranges[max(place, 0) : place + 2]
        return any(start <= span[0] and span[1] <= end for start, end in near)


def diff_of(old_path: str | None, new_path: str | None, before: bytes, edits: Iterable[Edit]) -> str:
    """The diff of edits; a path that is None does not exist."""
    return unified(FileDiff(old_path, new_path, before, tuple(edits))).decode("utf-8", "replace")
