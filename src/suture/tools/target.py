"""Which file a block of a reply is about, where the lines above it only mention some: the files decide.

A file of the workspace that is mentioned goes before the file of the block before. Several are decided by what the
block says it finds, if it fits exactly one of them. Whatever else would put the block into a file that the reply did
not mean is refused: a mention of a file that does not exist, a block that fits only the file of the block before
although another one is mentioned.
"""

from __future__ import annotations

from suture.errors import FileChanged, NoPath, ProtectedPath, SutureError
from suture.fitting import fit
from suture.formats.blocks import Mention
from suture.formats.naming import is_known
from suture.locate import Found
from suture.tools.sheets import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from suture.formats.blocks import Block, Hunk, Split
    from suture.tools.sheets import Sheet, Sheets

    Landed = dict[tuple[str, tuple[Split, ...]], int]

_MOST = 20
"""Files that are tried; a name that more of them have says nothing."""


class Targets:
    """The files that the blocks of one reply are about."""

    def __init__(self, sheets: Sheets, match: str, landed: Landed) -> None:
        """`landed` has the hunks that blocks before applied, and where."""
        self._sheets = sheets
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
        """The block, about the file that is meant; `NoPath` if nothing tells which one that is."""
        if block.number not in self._decided:
            try:
                self._decided[block.number] = self._of(block)
            except NoPath as error:
                self._decided[block.number] = error
        found = self._decided[block.number]
        if isinstance(found, NoPath):
            raise found
        return found

    def _of(self, block: Block) -> Block:
        inherited = block.inherited
        if block.follows is not None:
            inherited = self._followed(block)
        if not block.mentions:
            return block if block.follows is None else block.but(path=inherited, path_as_written=inherited)
        mentions = [each for each in block.mentions if not self._is_content(each, inherited)]
        made = self._new(block, mentions) if _creates(block) else self._existing(block, mentions, inherited)
        path, written = made or (inherited, inherited)
        return block.but(path=path, path_as_written=written)

    def _followed(self, block: Block) -> str | None:
        """The file of the block that this one follows."""
        try:
            return self.of(self._blocks[block.follows or 0]).path
        except NoPath as error:
            raise NoPath(**{**error.fields(), "reply_line": block.line}) from None

    def _is_content(self, mention: Mention, inherited: str | None) -> bool:
        """Whether a line that names a file is simply text of the file that is meant without it."""
        sheet = self._sheet(inherited) if mention.inside and inherited else None
        line = mention.inside.strip().encode("utf-8", "surrogatepass")
        return sheet is not None and any(each.strip() == line for each in sheet.body.split(b"\n"))

    def _new(self, block: Block, mentions: Sequence[Mention]) -> tuple[str, str] | None:
        """The file that a block makes: the only one mentioned, or the only one of them that is not there yet."""
        likely = [each for each in mentions if each.sure] or [each for each in mentions if is_known(each.path)]
        likely = [each for each in likely if each.role == "target"] or likely
        paths = list(dict.fromkeys(each.path for each in likely))
        if len(paths) > 1:
            free = list(dict.fromkeys(each.path for each in likely if not any(map(self._holds, self._meant(each)))))
            if len(free) != 1:
                raise NoPath(reply_line=block.line, candidates=paths, why="several")
            paths = free
        return (paths[0], paths[0]) if paths else None

    def _holds(self, name: str) -> bool:
        """Whether there is anything in a file."""
        sheet = self._sheet(name)
        return sheet is not None and bool(sheet.body)

    def _existing(self, block: Block, mentions: Sequence[Mention], inherited: str | None) -> tuple[str, str] | None:
        """The file that a block changes, and how it was written; None: the inherited one."""
        held = self._name(inherited)
        targets = [each for each in mentions if each.role == "target"]
        found = self._files(targets, held)
        missing = [each.path for each in targets if each.sure and not self._meant(each)]
        protected = [each for each in missing if self._is_protected(each)]
        if protected and set(found) <= {held}:
            return protected[-1], protected[-1]  # whoever opens it tells why not
        if missing and inherited is not None and set(found) <= {held}:
            raise NoPath(reply_line=block.line, candidates=[*missing, inherited], why="missing")
        if missing and not found:
            return missing[-1], missing[-1]
        if not found:
            others = [each for each in mentions if each.role != "target"]
            lost = [each.path for each in others if each.role == "source" and each.sure and not self._meant(each)]
            if lost and inherited is not None:
                raise NoPath(reply_line=block.line, candidates=[*lost, inherited], why="missing")
            found = self._files(others, held)
            if inherited is not None:
                found = {held or inherited: inherited, **found}
        return self._fitting(block, found, held) if found else None

    def _fitting(self, block: Block, found: dict[str, str], held: str | None) -> tuple[str, str]:
        """The only one of some files, or the only one of them that the block fits."""
        names = list(found)
        if len(names) > _MOST:
            raise NoPath(reply_line=block.line, candidates=names[:_MOST], why="several")
        fits = [name for name in names if self._fits(block, name)]
        if len(fits) > 1:
            raise NoPath(reply_line=block.line, candidates=fits, why="several")
        if fits:
            return self._written(fits[0], found)
        if held is not None and held not in found and self._fits(block, held):
            raise NoPath(reply_line=block.line, candidates=[*names, held], why="elsewhere")
        if len(names) > 1 and any(self._fits(block, name, any_hunk=True) for name in names):
            raise NoPath(reply_line=block.line, candidates=names, why="several")
        return self._written(held if held in found else names[-1], found)

    @staticmethod
    def _written(name: str, found: dict[str, str]) -> tuple[str, str]:
        """A file, and how it is written; a name with a slip is left, so that whoever looks for it tells of the slip."""
        written = found[name]
        bare = written.lstrip("/")
        slip = not f"/{name}".endswith(f"/{bare}") and nearest(bare, [name])
        return (written if slip else name), written

    def _files(self, mentions: Iterable[Mention], held: str | None) -> dict[str, str]:
        """The files that are mentioned, each with how that is written. A bare name may mean the file in force, too."""
        found: dict[str, str] = {}
        for each in mentions:
            names = self._meant(each)
            if held is not None and names and held.endswith(f"/{each.path}"):
                names = [*names, held]
            for name in names:
                found.setdefault(name, each.path)
        return found

    def _meant(self, mention: Mention) -> list[str]:
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
            sheet = self._sheets.at(path)
        except FileChanged:  # it is there, though not as the caller wants it
            return self._sheets.shelf.name_of(path)
        except SutureError:
            return ""
        if sheet.moved_to is not None:
            return sheet.moved_to.name
        return sheet.name if sheet.exists else ""

    def _is_protected(self, path: str) -> bool:
        try:
            self._sheets.at(path)
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
            return [each for each in same if each.endswith(f"/{path}")]
        try:
            return nearest(path, same) or nearest(path, self._sheets.near(path))
        except SutureError:
            return []

    def _same_named(self, path: str) -> list[str]:
        """The files of the workspace that have the last part of a path as their name; one walk finds all of them."""
        if self._named is None:
            paths = [each.path for block in self._blocks.values() for each in block.mentions]
            self._named = self._sheets.same_named({each.rpartition("/")[2] for each in paths})
        return self._named.get(path.rpartition("/")[2], [])

    def _name(self, path: str | None) -> str | None:
        """The file in force; of a name that does not exist, the only one that it may mean."""
        if path is None:
            return None
        meant = self._meant(Mention(path, sure=True))
        return meant[0] if len(meant) == 1 else path

    def _sheet(self, path: str) -> Sheet | None:
        try:
            return self._sheets.at(path)
        except SutureError:
            return None

    def _fits(self, block: Block, path: str, *, any_hunk: bool = False) -> bool:
        """Whether a block can be applied to a file, or has been, by someone else than the blocks before it."""
        sheet = self._sheet(path)
        if sheet is None or not sheet.exists or sheet.text.is_binary():
            return False
        return (any if any_hunk else all)(self._is_in(hunk, sheet) for hunk in block.hunks)

    def _is_in(self, hunk: Hunk, sheet: Sheet) -> bool:
        answer = fit(sheet.index, hunk, self._match).answer
        return isinstance(answer, Found) or (answer.why == "applied" and (sheet.name, hunk.splits) not in self._landed)


def _creates(block: Block) -> bool:
    """Whether a block has nothing to find in a file."""
    return block.content is not None or not any(split.old for hunk in block.hunks for split in hunk.splits)
