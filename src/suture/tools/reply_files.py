"""The files that a reply is about: which one a block means, and what each is so far.

A `FileSource` has the files as they are before the call: a workspace, or texts in memory. `ReplyFiles` have what the
blocks made of them so far, and at the end the changes that make a plan.

A mentioned file of the workspace takes precedence over the file of the previous block. If several are mentioned, the
block must fit exactly one of them. Whatever else would put the block into a file that the reply did not mean is
refused: a mention of a file that does not exist, a block that fits only the file of the previous block although
another one is mentioned.
"""

from __future__ import annotations

from suture.bounds import check_size
from suture.errors import FileChanged, FileNotFound, NoPath, ProtectedPath, SutureError
from suture.formats import Mention
from suture.formats.file_names import is_known
from suture.match.hunks import fit
from suture.match.index import Found, Index
from suture.plan import Content, Place, Rename, Snapshot
from suture.text import Text
from suture.text.edits import apply, compose, edit, minimize, splice
from suture.tools.results import check_hash, check_whole, check_writable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from typing import Protocol

    from suture.engine.session import Session
    from suture.formats import Block, Hunk, Split
    from suture.match.index import Base
    from suture.plan import FileChange
    from suture.text.edits import Edit

    class FileSource(Protocol):
        """The files as they are before the call."""

        def name_of(self, path: str) -> str:
            """The one name of the file that a path means."""

        def read(self, name: str) -> Snapshot | None:
            """The file; None if it does not exist."""

        def bases(self, before: Snapshot) -> Iterable[Base]:
            """Earlier versions of a file, newest first."""

        def blank(self, name: str) -> Text:
            """The text that a new file begins with."""

        def is_link(self, path: str) -> bool:
            """Whether a path leads to its file by a link."""

        def near(self, path: str) -> list[str]:
            """Files that may be meant by a path that does not exist."""

        def same_named(self, names: Collection[str]) -> list[str]:
            """The files that have one of some names, in any folder."""

    Landed = dict[tuple[str, tuple[Split, ...]], int]


_EXECUTABLE_BITS = 0o111  # of a mode, for the owner, the group and others
_SHORTEST_MISTYPED = 5  # characters of a name in which another letter counts as a slip
_SHORTEST_RESPELLED = 2  # characters, if only case, hyphens or underscores differ
_MOST_CANDIDATES = 20  # files that are tried; a name that more of them have says nothing


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

    def begin_as(self, other: ReplyFile) -> None:
        """Be what another one was before all blocks, as a copy that a diff makes."""
        self.become(other)
        if other.before is not None:
            self.text, self.body, self._steps = other.before.text, other.before.text.body, []

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
        return bool(self._mode_so_far & _EXECUTABLE_BITS)

    @property
    def _mode_so_far(self) -> int:
        known = 0o644 if self.before is None else self.before.mode
        return known if self.mode is None else self.mode

    def set_executable(self, git_mode: int) -> bool:
        """Take over the one permission that git knows; whether that changes anything."""
        mode = self._mode_so_far
        executable = mode | (mode & 0o444) >> 2
        self.mode = executable if git_mode & _EXECUTABLE_BITS else mode & ~_EXECUTABLE_BITS
        return self.mode != mode


class ReplyFiles:
    """All files that blocks were about so far."""

    def __init__(self, source: FileSource, expect_hash: str | dict[str, str] | None = None) -> None:
        self.source = source
        self._expect_hash = expect_hash
        self._open: dict[str, ReplyFile] = {}

    def at(self, path: str) -> ReplyFile:
        """The file that a path means, there or not."""
        name = self.source.name_of(path)
        if name not in self._open:
            before = self.source.read(name)
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
        for path in self.source.same_named(names):
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


class WorkspaceFiles:
    """A workspace as a source."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def name_of(self, path: str) -> str:
        """The name that results have for the file."""
        return self._session.locate(path).name

    def read(self, name: str) -> Snapshot | None:
        """The file's text."""
        return None if self._session.locate(name).stat is None else self._session.read(name)

    def bases(self, before: Snapshot) -> Iterable[Base]:
        """What this session was shown, what the history has, and what git has."""
        return self._session.bases(before)

    def blank(self, name: str) -> Text:
        """An empty text in the encoding that is configured for the name."""
        return self._session.blank(name)

    def is_link(self, path: str) -> bool:
        """Whether it is a symbolic link, or is behind one."""
        return self._session.locate(path).by_link

    def near(self, path: str) -> list[str]:
        """WorkspaceFiles of nearly that name, and those of the same name in other folders."""
        return self._session.near(path)

    def same_named(self, names: Collection[str]) -> list[str]:
        """WorkspaceFiles that are not ignored."""
        return self._session.same_named(names)


def nearest(path: str, names: Iterable[str]) -> list[str]:
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


def not_found(path: str, near: Sequence[str]) -> FileNotFound:
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
        self._found: dict[tuple[str, bool], list[str]] = {}

    def begin(self, blocks: Sequence[Block]) -> None:
        """Know all blocks, of which some are about the file of another one."""
        self._blocks = {block.number: block for block in blocks}

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
        slip = not f"/{name}".endswith(f"/{bare}") and nearest(bare, [name])
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
            return self._files.source.name_of(path)
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
            return nearest(path, same) or nearest(path, self._files.near(path))
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
