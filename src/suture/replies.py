r"""Replies without a workspace: what they make of texts in memory. Nothing is read or written.

>>> reply = parse_reply("a.txt\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n")
>>> apply_blocks("one\n", reply).text
'two\n'
"""

from __future__ import annotations

from suture.errors import PathOutsideWorkspace
from suture.formats.reply import ReplyParser, parse_reply
from suture.formats.validation import Validation, extract_paths, validate_reply, validated
from suture.plan import Content, Place, Snapshot
from suture.records import Record
from suture.text import Text
from suture.tools.section import Outcome
from suture.tools.sheets import Sheets
from suture.tools.stitching import Stitching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from suture.formats.blocks import Block
    from suture.locate import Base

__all__ = [
    "Applied",
    "Outcome",
    "Preview",
    "ReplyParser",
    "apply_blocks",
    "extract_paths",
    "parse_reply",
    "preview_reply",
    "validate_reply",
]

_ONLY = "text"


class Applied(Record):
    """One text after the blocks, and what became of each."""

    text: str
    outcomes: list[Outcome]


class Preview(Record):
    """What a reply would do: each file that changes with its new text (None: it goes away), and each block."""

    files: dict[str, str | None]
    outcomes: list[Outcome]
    validation: Validation


def apply_blocks(
    text: str, blocks: Iterable[Block], match: str = "lenient", *, path: str | None = None, literal: bool = False
) -> Applied:
    """Apply blocks to one text: those about `path`, or all, whatever they are about. One that fails changes nothing."""
    sheets = Sheets(_Texts({_ONLY: text}))
    chosen = [block for block in blocks if path in {None, block.path}]
    named = [_about_text(block) for block in chosen]
    known = {block.number: block for block in chosen}
    outcomes = [
        each.but(block=known[each.block.number], path=known[each.block.number].path)
        for each in Stitching(sheets, match, literal=literal).run(named)
    ]
    return Applied(_said(sheets.at(_ONLY).body), outcomes)


def preview_reply(
    text: str,
    files: Mapping[str, str],
    *,
    only: Iterable[str] | None = None,
    match: str = "lenient",
    default_path: str | None = None,
    whole_files: bool = False,
    literal: bool = False,
) -> Preview:
    """What a reply would make of some files, given by path."""
    reply = parse_reply(text, default_path, whole_files=whole_files)
    sheets = Sheets(_Texts(files))
    outcomes = Stitching(sheets, match, literal=literal).run(reply.blocks, None if only is None else list(only))
    changed = {each.name: _said(each.body) if each.exists else None for each in sheets.changed()}
    return Preview(changed, outcomes, validated(text, reply))


def _about_text(block: Block) -> Block:
    """A block that is about the one text there is; a new name means nothing there."""
    action = "update" if block.action == "rename" else block.action
    named = block.but(path=_ONLY, path_as_written=_ONLY, alternatives=(), mentions=(), inherited=None, follows=None)
    return named.but(action=action, to=None)


class _Texts:
    """Texts by path, as a shelf."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def name_of(self, path: str) -> str:
        """The path without detours."""
        names: list[str] = []
        for number, name in enumerate(path.split("/")):
            if (name == ".." and not names) or (not name and not number):
                raise PathOutsideWorkspace(path=path, reason="it leads above all files")
            if name == "..":
                names.pop()
            elif name not in {"", "."}:
                names.append(name)
        return "/".join(names)

    def read(self, name: str) -> Snapshot | None:
        """The text, as if it were a file."""
        if name not in self._texts:
            return None
        body = self._texts[name].encode("utf-8", "surrogatepass")
        text = Text(body, bom=b"", encoding="utf-8", body=body)
        return Snapshot(Place(0, name, name), text, Content((body,)), (), 0o644)

    def bases(self, before: Snapshot) -> tuple[Base, ...]:  # noqa: ARG002  nobody knows what stood there
        """None."""
        return ()

    def blank(self, name: str) -> Text:  # noqa: ARG002  every text begins so
        """Nothing."""
        return Text.decode(b"")

    def is_link(self, path: str) -> bool:  # noqa: ARG002  texts have none
        """No."""
        return False

    def near(self, path: str) -> list[str]:
        """Texts of nearly that name, or of the same one elsewhere."""
        from difflib import get_close_matches  # only a failure needs it

        same = [each for each in self._texts if each.rpartition("/")[2] == path.rpartition("/")[2]]
        return list(dict.fromkeys([*same, *get_close_matches(path, self._texts)]))

    def same_named(self, names: Collection[str]) -> list[str]:
        """Texts whose paths end so."""
        return [each for each in self._texts if each.rpartition("/")[2] in names]


def _said(body: bytes) -> str:
    return body.decode("utf-8", "surrogatepass")
