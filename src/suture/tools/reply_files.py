"""The files that a reply is about: which one a block means, what each is so far, and how hunks change it.

A `FileSource` has the files as they are before the call: a session, or `Texts` in memory. `ReplyFiles` have what the
blocks made of them so far, and at the end the changes that make a plan. Nothing is written here.

A mentioned file of the workspace takes precedence over the file of the previous block. If several are mentioned, the
block must fit exactly one of them. Whatever else would put the block into a file that the reply did not mean is
refused: a mention of a file that does not exist, a block that fits only the file of the previous block although
another one is mentioned.

The hunks of a patch are all about the file as it is before them, in order: they are looked for there, so that none can
land in what another one inserts. Only a hunk that is not found there is looked for in what the others made.
"""

from __future__ import annotations

from bisect import bisect_right, insort

from suture import errors
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
from suture.text import Text
from suture.text.diff import FileDiff, changes, unified
from suture.text.edits import apply, compose, edit, minimize, splice
from suture.tools.results import check_hash, check_whole, check_writable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Protocol

    from suture.engine.session import Session
    from suture.formats import Block, Hunk, Split
    from suture.match.index import Base
    from suture.plan import FileChange
    from suture.text.edits import Edit

    class Located(Protocol):
        """The file that a path means."""

        @property
        def name(self) -> str:
            """The one name that it has."""

        @property
        def stat(self) -> object:
            """What is known of it; None if it does not exist."""

        @property
        def by_link(self) -> bool:
            """Whether the path leads to it by a link."""

    class FileSource(Protocol):
        """The files as they are before the call. A session is one."""

        def locate(self, path: str) -> Located:
            """The file that a path means, there or not."""

        def read(self, path: str) -> Snapshot:
            """A file that exists."""

        def bases(self, before: Snapshot) -> Iterable[Base]:
            """Earlier versions of a file, newest first."""

        def blank(self, path: str) -> Text:
            """The text that a new file begins with."""

        def near(self, path: str) -> list[str]:
            """Files that may be meant by a path that does not exist."""

        def same_named(self, names: Collection[str]) -> list[str]:
            """The files that have one of some names, in any folder."""

    Landed = dict[tuple[str, tuple[Split, ...]], int]
    Reject = Callable[["ReplyFile", Hunk, Fit], SutureError]


EXECUTABLE_BITS = 0o111
"""Of a file's mode, for the owner, the group and others."""
_SHORTEST_MISTYPED = 5  # characters of a name in which another letter counts as a slip
_SHORTEST_RESPELLED = 2  # characters, if only case, hyphens or underscores differ
_MOST_CANDIDATES = 20  # files that are tried; a name that more of them have says nothing
_MOST_NEAR = 20  # files of a similar name that a block is tried on
_SETTLED = {"ambiguous", "applied", "elided", "unplaced", "unsplit"}
"""Why a hunk is refused whatever other hunks made."""


class ReplyFile:
    """One file, as it is so far."""

    def __init__(self, name: str, before: Snapshot | None, text: Text, bases: Iterable[Base] = ()) -> None:
        self.name = name
        self._bases = bases
        self.before = before
        """The file before the call, or None."""
        self.text = text
        """As it was read; of a new file, empty."""
        self.body = text.body
        self._steps: list[tuple[int, int, list[Edit]]] = []
        """What makes `body` of the text, one step after the other: how many were made, on how many bytes, and edits."""
        self.exists = before is not None
        self.mode: int | None = None
        self.moved_from: ReplyFile | None = None
        self.moved_to: ReplyFile | None = None
        self._index: Index | None = None

    @property
    def index(self) -> Index:
        """As it is so far, prepared for searching."""
        if self._index is None or self._index.body is not self.body:
            bases = self._bases if self._index is None else self._index.earlier()
            self._index = Index(self.body, self.name, bases)
        return self._index

    @property
    def snapshot(self) -> Snapshot:
        """As it is so far, as if it had been read so."""
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
            self._join()  # so that each edit is joined with others a few times only
        self.body = apply(self.body, new_edits)
        self.exists = True

    def _join(self) -> None:
        (number, size, first), (more, _, second) = self._steps[-2:]
        self._steps[-2:] = [(number + more, size, compose(size, first, second))]

    def prepare_content(self, content: str) -> bytes:
        """A whole content as its text can hold it; a byte order mark is not doubled."""
        check_whole(self.text, content, "")
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
        """Be what another one is, byte for byte."""
        self.text, self.body, self._steps = other.text, other.body, list(other._steps)
        self.mode = other.before.mode if other.mode is None and other.before is not None else other.mode
        self.exists = True

    def check(self, edits: Iterable[Edit]) -> None:
        """Refuse what the file's encoding cannot hold."""
        for change in edits:
            check_writable(self.text, change.new, self.body)

    def check_text(self) -> None:
        """Refuse a binary file."""
        if self.text.is_binary():
            raise errors.BinaryFile(path=self.name)

    def begin_as(self, other: ReplyFile) -> None:
        """Be what another one was before all blocks, as a copy that a diff makes."""
        self.become(other)
        if other.before is not None:
            self.text, self.body, self._steps = other.before.text, other.before.text.body, []

    @property
    def decoded(self) -> str:
        """The text of one in memory as it is so far."""
        return self.body.decode("utf-8", "surrogatepass")

    @property
    def content(self) -> bytes:
        """The bytes of the file as it is so far."""
        return b"".join(splice(self.text, self.changes))

    @property
    def changes(self) -> list[Edit]:
        """The edits of the text, with nothing in them that stays."""
        while len(self._steps) > 1:
            self._join()
        return minimize(self.text.body, [edit for _, _, edits in self._steps for edit in edits])

    def line_now(self, line: int) -> int:
        """Where a line of the file as it was read is so far, counted from 1."""
        lines, body = self.text.lines, self.text.body
        start = lines.span(line)[0] if line <= len(lines) else len(body)
        edits = [edit for edit in self.changes if edit.span.end <= start]
        return line + sum(edit.new.count(b"\n") - body.count(b"\n", edit.span.start, edit.span.end) for edit in edits)

    @property
    def is_executable(self) -> bool:
        """Whether it may be run as it is so far."""
        return bool(self._mode_so_far & EXECUTABLE_BITS)

    @property
    def _mode_so_far(self) -> int:
        known = 0o644 if self.before is None else self.before.mode
        return known if self.mode is None else self.mode

    def set_executable(self, git_mode: int) -> bool:
        """Take over the one permission that git knows; whether that changes anything."""
        mode = self._mode_so_far
        executable = mode | (mode & 0o444) >> 2
        self.mode = executable if git_mode & EXECUTABLE_BITS else mode & ~EXECUTABLE_BITS
        return self.mode != mode


class ReplyFiles:
    """All files that blocks were about so far."""

    def __init__(self, source: FileSource, expect_hash: str | dict[str, str] | None = None) -> None:
        self.source = source
        self._expect_hash = expect_hash
        self._open: dict[str, ReplyFile] = {}

    def at(self, path: str) -> ReplyFile:
        """The file that a path means, there or not."""
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
        """Hold the files that no block was about to what is expected of them, too."""
        for path, wanted in expected.items() if isinstance(expected, dict) else ():
            file = self.at(path)
            check_hash(wanted, file.name, file.before)

    def near(self, path: str) -> list[str]:
        """Files that may be meant by a path that does not exist."""
        moved = [file.moved_to.name for file in self._open.values() if file.name == path and file.moved_to is not None]
        created = [file.name for file in self._open.values() if file.exists and file.name.endswith(f"/{path}")]
        return list(dict.fromkeys([*moved, *created, *self.source.near(path)]))

    def same_named(self, names: Collection[str]) -> dict[str, list[str]]:
        """The files that have one of some names, in any folder, by that name."""
        names_by_file: dict[str, list[str]] = {}
        for path in sorted(self.source.same_named(names)):  # so that every source names them in one order
            names_by_file.setdefault(path.rpartition("/")[2], []).append(path)
        return names_by_file

    def move(self, file: ReplyFile, to: ReplyFile) -> None:
        """Give a file another name; a file that had it is gone."""
        to.become(file)
        file.empty()
        to.moved_from, file.moved_to = file, to

    def changed_files(self) -> list[ReplyFile]:
        """The files that are not as they were."""
        return [file for file in self._open.values() if _differs(file)]

    def plan(self, session: Session) -> list[FileChange]:
        """What has to be done to have the files as they are here."""
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
        session.plan_delete(source.name)  # refuses what cannot be taken away
        return Rename(source.before.place, source.before, to.before.place, Content((content,)), to.before)


def _is_move(source: ReplyFile, to: ReplyFile) -> bool:
    """Whether a file got another name, and is the same in all but its content."""
    moved = source.before is not None and to.exists and not source.exists
    return moved and source.before is not None and to.mode == source.before.mode


def _change(session: Session, file: ReplyFile) -> FileChange:
    if file.before is None:
        moved = file.moved_from is not None and not file.moved_from.exists  # and not copied: no more are executable
        executable = file.is_executable and (moved or session.settings.allow_executables)
        return session.plan_create(file.name, file.content, 0o755 if executable else None)
    if not file.exists:
        return session.plan_delete(file.name)
    if file.text is not file.before.text:
        return session.plan_write(file.name, file.content)
    return session.plan_update(file.before, file.changes).but(mode=file.mode)


def _differs(file: ReplyFile) -> bool:
    if file.before is None or not file.exists:
        return file.exists or file.before is not None
    moved = file.text is not file.before.text
    return moved or bool(file.changes) or file.mode not in {None, file.before.mode}


class _InMemory(Record):
    """A text as a file."""

    name: str
    stat: str | None
    by_link: bool = False


class Texts:
    """Texts by path, as a source of files. They have no earlier versions."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def locate(self, path: str) -> _InMemory:
        """The text at the path without detours."""
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

    def near(self, path: str) -> list[str]:
        """Texts of nearly that name, or of the same one elsewhere."""
        from difflib import get_close_matches  # only a failure needs it

        return list(dict.fromkeys([*self.same_named({path.rpartition("/")[2]}), *get_close_matches(path, self._texts)]))

    def same_named(self, names: Collection[str]) -> list[str]:
        """Texts whose paths end so."""
        return [known for known in self._texts if known.rpartition("/")[2] in names]


def _nearest(path: str, names: Iterable[str]) -> list[str]:
    """The files that a path may mean: with more or fewer folders above; if there are none, with a slip in a name."""
    candidates = list(names)
    same = [name for name in candidates if f"/{name}".endswith(f"/{path}") or f"/{path}".endswith(f"/{name}")]
    return same or [name for name in candidates if _has_slip(path, name)]


def _has_slip(path: str, name: str) -> bool:
    sent, own = path.split("/"), name.split("/")
    pairs = [(ours, theirs) for ours, theirs in zip(sent, own, strict=False) if ours != theirs]
    return len(sent) == len(own) and len(pairs) == 1 and _is_slip(*pairs[0])


def _is_slip(ours: str, theirs: str) -> bool:
    """Whether two names differ in case, in how words are joined, or by one letter; short ones not by another one."""
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
    """There is no such file."""
    return FileNotFound(path=path, near=list(near[:3]))


class Targets:
    """The files that the blocks of one reply are about."""

    def __init__(self, files: ReplyFiles, match: str, landed: Landed) -> None:
        """`landed` has the hunks that blocks before applied, and where."""
        self._files = files
        self._match = match
        self._landed = landed
        self._blocks: dict[int, Block] = {}
        self._decided: dict[int, Block | NoPath] = {}
        self._named: dict[str, list[str]] | None = None
        """The files of the workspace that have the last part of a mentioned path, by that part."""
        self._touched: set[str] = set()
        """Files that the reply creates, deletes or renames: such a name is no slip."""
        self._meant: dict[str, str] = {}
        """What a path that does not exist turned out to mean."""
        self._found: dict[tuple[str, bool], list[str]] = {}

    def begin(self, blocks: Sequence[Block]) -> None:
        """Know all blocks, of which some are about the file of another one."""
        self._blocks = {block.number: block for block in blocks}
        touching = (block for block in blocks if block.action != "update")
        self._touched = {name for block in touching for name in (block.path, block.to) if name}

    def of(self, block: Block) -> Block:
        """The block, about the file that is meant; `NoPath` if nothing says which one that is."""
        if block.number not in self._decided:
            try:
                self._decided[block.number] = self._of(block)
            except NoPath as error:
                self._decided[block.number] = error
        decision = self._decided[block.number]
        if isinstance(decision, NoPath):
            raise decision
        return decision

    def existing(self, path: str) -> ReplyFile:
        """The file of this name, which must be there."""
        file = self._files.at(path)
        if not file.exists:
            raise _not_found(path, self._files.near(path))
        return file

    def that_fits(self, block: Block) -> ReplyFile:
        """The file that a block is about; if there is none of this name, the one of nearly that name that it fits."""
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
        near = self._files.near(path)
        if file.moved_to is not None:
            candidates = [file.moved_to.name]
        else:
            candidates = [] if path in self._touched else _nearest(path, near)
        verdicts = {name: self._verdict(block, name) for name in candidates[: _MOST_NEAR + 1]}
        fits = [name for name, verdict in verdicts.items() if verdict != "missing"]
        if self._meant.get(path) in fits:
            fits = [self._meant[path]]
        if len(fits) != 1 or verdicts[fits[0]] != "found" or len(candidates) > _MOST_NEAR:
            raise _not_found(path, [name for name in near if name != path])
        self._meant[path] = fits[0]
        return self._files.at(fits[0])

    def note(self, block: Block, file: ReplyFile) -> str:
        """What to say of a file that has nearly the name that was written; empty of any other."""
        if self._meant.get(block.path or "") != file.name:
            return ""
        return f"There is no {block.path}; the block fits {file.name}, and no other file of a similar name."

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

    def _of(self, block: Block) -> Block:
        inherited = block.inherited
        if block.follows is not None:
            inherited = self._path_of_previous(block)
        if not block.mentions:
            return block if block.follows is None else block.but(path=inherited, path_as_written=inherited)
        mentions = [mention for mention in block.mentions if not self._is_content(mention, inherited)]
        decision = self._new(block, mentions) if _creates(block) else self._existing(block, mentions, inherited)
        path, written = decision or (inherited, inherited)
        return block.but(path=path, path_as_written=written)

    def _path_of_previous(self, block: Block) -> str | None:
        """The file of the block that this one follows."""
        try:
            return self.of(self._blocks[block.follows or 0]).path
        except NoPath as error:
            raise error.but(reply_line=block.line) from None

    def _is_content(self, mention: Mention, inherited: str | None) -> bool:
        """Whether a line that names a file is simply text of the file that is meant without it."""
        file = self._file_at(inherited) if mention.inside and inherited else None
        line = mention.inside.strip().encode("utf-8", "surrogatepass")
        return file is not None and any(own.strip() == line for own in file.body.split(b"\n"))

    def _new(self, block: Block, mentions: Sequence[Mention]) -> tuple[str, str] | None:
        """The file that a block makes: the only one mentioned, or the only one of them that is not there yet."""
        likely = [mention for mention in mentions if mention.sure] or [
            mention for mention in mentions if is_known(mention.path)
        ]
        likely = [mention for mention in likely if mention.role == "target"] or likely
        paths = list(dict.fromkeys(mention.path for mention in likely))
        if len(paths) > 1:
            free = list(
                dict.fromkeys(
                    mention.path for mention in likely if not any(map(self._holds, self._candidates(mention)))
                )
            )
            if len(free) != 1:
                raise NoPath(reply_line=block.line, candidates=paths, why="several")
            paths = free
        return (paths[0], paths[0]) if paths else None

    def _holds(self, name: str) -> bool:
        """Whether there is anything in a file."""
        file = self._file_at(name)
        return file is not None and bool(file.body)

    def _existing(self, block: Block, mentions: Sequence[Mention], inherited: str | None) -> tuple[str, str] | None:
        """The file that a block changes, and how it was written; None: the inherited one."""
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
        """The only one of some files, or the only one of them that the block fits."""
        names = list(mentioned)
        if len(names) > _MOST_CANDIDATES:
            raise NoPath(reply_line=block.line, candidates=names[:_MOST_CANDIDATES], why="several")
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
        """A file, and how it is written; a name with a slip is kept: looking for it reports the slip."""
        written = mentioned[name]
        bare = written.lstrip("/")
        slip = not f"/{name}".endswith(f"/{bare}") and _nearest(bare, [name])
        return (written if slip else name), written

    def _mentioned_files(self, mentions: Iterable[Mention], held: str | None) -> dict[str, str]:
        """The files that are mentioned, each with how that is written. A bare name may mean the file in force, too."""
        mentioned: dict[str, str] = {}
        for mention in mentions:
            names = self._candidates(mention)
            if held is not None and names and held.endswith(f"/{mention.path}"):
                names = [*names, held]
            for name in names:
                mentioned.setdefault(name, mention.path)
        return mentioned

    def _candidates(self, mention: Mention) -> list[str]:
        """The files of the workspace that a mention may mean, by the names that they have now."""
        if now := self._now(mention.path):
            return [now]
        key = mention.path, mention.sure
        if key not in self._found:
            self._found[key] = self._look(mention)
        return [now for name in self._found[key] if (now := self._now(name))]

    def _now(self, path: str) -> str:
        """What a file is called after the blocks before; nothing if it is not there."""
        try:
            file = self._files.at(path)
        except FileChanged:  # it is there, though not as the caller wants it
            return self._files.source.locate(path).name
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

    def _look(self, mention: Mention) -> list[str]:
        """The files that a path without a file may mean."""
        path = mention.path.lstrip("/")
        if path.isalnum() and not mention.sure:
            return []  # a word
        same = self._same_named(path)
        if not mention.sure:
            return [name for name in same if name.endswith(f"/{path}")]
        try:
            return _nearest(path, same) or _nearest(path, self._files.near(path))
        except SutureError:
            return []

    def _same_named(self, path: str) -> list[str]:
        """The files of the workspace that have the last part of a path as their name; one walk finds all of them."""
        if self._named is None:
            paths = [mention.path for block in self._blocks.values() for mention in block.mentions]
            self._named = self._files.same_named({mentioned.rpartition("/")[2] for mentioned in paths})
        return self._named.get(path.rpartition("/")[2], [])

    def _name(self, path: str | None) -> str | None:
        """The file in force; of a name that does not exist, the only one that it may mean."""
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
        """Whether a block can be applied to a file, or has been, by someone else than the blocks before it."""
        file = self._file_at(path)
        if file is None or not file.exists or file.text.is_binary():
            return False
        return (any if any_hunk else all)(self._is_in(hunk, file) for hunk in block.hunks)

    def _is_in(self, hunk: Hunk, file: ReplyFile) -> bool:
        answer = fit(file.index, hunk, self._match).answer
        return isinstance(answer, Found) or (answer.why == "applied" and (file.name, hunk.splits) not in self._landed)


def _creates(block: Block) -> bool:
    """Whether a block has nothing to find in a file."""
    return block.content is not None or not any(split.old for hunk in block.hunks for split in hunk.splits)


class Outcome(Record):
    """What became of a block, or of a hunk of one."""

    id: str
    block: Block
    status: str
    """`applied`, `already_applied`, `failed` or `skipped`."""
    action: str
    path: str | None
    """The file's name; of one that was renamed, the old one."""
    line: int | None = None
    """Where in the file the change begins, as the block found it."""
    rung: str | None = None
    score: float | None = None
    diff: str = ""
    base: Base | None = None
    """The version that it was written on, if it was merged from there."""
    error: SutureError | None = None
    note: str = ""
    """What else the caller should know."""
    holds_marker: bool = False
    """Whether a line that looks like a separator was taken for content of the new text."""
    to: str | None = None
    """The new name of a file that was renamed."""
    warnings: tuple[str, ...] = ()
    """What may not have been meant."""

    @classmethod
    def failed(cls, name: str, block: Block, error: SutureError, path: str | None = None) -> Outcome:
        """A block or hunk that was not applied."""
        return cls(name, block, "failed", block.action, path or block.path, error=error)


class HunkApplier:
    """A block and its file."""

    def __init__(self, block: Block, file: ReplyFile, match: str, reject: Reject, check: Callable[[], None]) -> None:
        """`reject` says why a hunk has no place; `check` is asked before each whether there is time."""
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
        """Apply all hunks to the file as it is, and those that are not found in it to the result."""
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
                elsewhere = isinstance(answer, Refused) and answer.why not in _SETTLED and not answer.detail
                yield self._apply(name, hunk, self._fit_in_result(hunk, inserted) if elsewhere else fits[name])

    def _fit_all(self, hunks: Mapping[str, Hunk]) -> dict[str, Fit]:
        """Where each hunk is before all of them: just where its number says, or wherever it is found."""
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
        """Whether a placeholder line is just where the hunk takes lines away."""
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
        """The place of a hunk. Dots in a patch leave nothing out: what goes away is written there."""
        self._check()
        match = fit(self._file.index, hunk, self._match, expected)
        if isinstance(match.answer, Refused) and match.answer.why == "elided":
            return fit(self._file.index, hunk, "exact", expected)
        return match

    def _fit_in_result(self, hunk: Hunk, inserted: _Insertions) -> Fit:
        """Where a hunk is that may be about what those before it made, but not in the middle of that."""
        again = fit(self._file.index, hunk.but(at=None, context=()), self._match)
        inside = isinstance(again.answer, Found) and inserted.holds(again.answer.span)
        return again.but(answer=Refused("missing")) if inside else again

    def _can_hold(self, match: Found) -> bool:
        """Whether the file can hold the new text; if not, applying it says why."""
        try:
            self._file.check(match.edits)
        except SutureError:
            return False
        return True

    def _apply(self, name: str, hunk: Hunk, placement: Fit) -> Outcome:
        """Apply one hunk, if it has a place."""
        before, block, file = self._file.body, self._block, self._file
        try:
            if isinstance(placement.answer, Found):
                file.make(placement.answer.edits)
                holds_marker = len(hunk.splits) > 1 and any(map(is_separator, placement.split.new.split("\n")))
                return self._success(name, before, placement.answer).but(holds_marker=holds_marker)
        except SutureError as error:
            return Outcome.failed(name, block, error, file.name)
        rejected = self._reject(file, hunk, placement)
        if isinstance(rejected, AlreadyApplied):
            return Outcome(name, block, "already_applied", block.action, file.name, rejected.start_line)
        return Outcome.failed(name, block, rejected, file.name)

    def _success(self, name: str, before: bytes, match: Found) -> Outcome:
        """A hunk that was applied, or changes nothing."""
        block, file = self._block, self._file
        edits = minimize(before, match.edits)
        line = before.count(b"\n", 0, edits[0].span.start) + 1 if edits else match.site.start_line
        at = file.name, line, match.rung, match.score
        if not edits and not block.to:
            return Outcome(name, block, "already_applied", block.action, *at)
        diff = diff_of(file.name, file.name, before, edits)
        return Outcome(name, block, "applied", block.action, *at, diff, match.base)


class _FoundHunks:
    """The hunks of a patch that were found so far, in the file as it was before all of them."""

    def __init__(self) -> None:
        self._offset = 0
        self._behind = 1
        self._taken: list[tuple[int, int]] = []
        """The ranges that are changed, sorted."""

    def expected(self, hunk: Hunk) -> Expected:
        """Where a hunk should be."""
        lines = () if hunk.at is None else (hunk.at + self._offset, hunk.at)
        return Expected(tuple(line for line in dict.fromkeys(lines) if line >= self._behind), self._behind)

    def note(self, placement: Fit, hunk: Hunk) -> Fit:
        """Take note of a hunk; where another one has its place, it has none."""
        answer = placement.answer
        if not isinstance(answer, Found):
            return placement
        spans = [(edit.span.start, edit.span.end) for edit in answer.edits]
        if any(map(self._is_taken, spans)):
            return placement.but(answer=Refused("missing"))
        for span in spans:
            insort(self._taken, span)
        if hunk.at is not None:
            self._offset = answer.site.start_line - hunk.at
        self._behind = answer.site.end_line + 1
        return placement

    def _is_taken(self, span: tuple[int, int]) -> bool:
        place = bisect_right(self._taken, span)
        near = self._taken[max(place - 1, 0) : place + 1]
        return any(span == other or (span[0] < other[1] and other[0] < span[1]) for other in near)


class _Insertions:
    """What edits put in, as ranges of the result."""

    def __init__(self, edits: Iterable[Edit]) -> None:
        self._ranges: list[tuple[int, int]] = []
        growth = 0
        for change in sorted(edits, key=lambda change: change.span.start):
            start = change.span.start + growth
            self._ranges.append((start, start + len(change.new)))
            growth += change.growth

    def holds(self, span: tuple[int, int]) -> bool:
        """Whether a range is in the middle of what was put in."""
        place = bisect_right(self._ranges, (span[0], span[1])) - 1
        near = self._ranges[max(place, 0) : place + 2]
        return any(start <= span[0] and span[1] <= end for start, end in near)


def diff_of(old_path: str | None, new_path: str | None, before: bytes, edits: Iterable[Edit]) -> str:
    """What edits change, as text; a path that is None does not exist."""
    return unified(FileDiff(old_path, new_path, before, tuple(edits))).decode("utf-8", "replace")
