"""What one patch of a `patch` call says, and the wrong shapes that can only mean one thing.

The fields are spelled as the specification spells them (docs/spec/seeds/003). Models also send snake_case, the
names of other tools (`old_string`), null or an empty string for what is left out, an operation in another case.
What is unknown, or could mean two things, is refused with its index.
"""

from __future__ import annotations

from suture.bounds import check_size
from suture.errors import InvalidArguments, StripPreconditionFailed
from suture.tools.request import Request, member, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

OPERATIONS = ("replace", "append_eof", "prepend_bof", "overwrite")
_OPERATIONS = {name.replace("_", ""): name for name in OPERATIONS} | {"append": "append_eof", "prepend": "prepend_bof"}
_ALIASES = {
    "old_text": "oldText",
    "old_string": "oldText",
    "old_str": "oldText",
    "new_text": "newText",
    "new_string": "newText",
    "new_str": "newText",
    "to_clipboard": "toClipboard",
    "from_clipboard": "fromClipboard",
}
_LONGEST_NAME = 200


class Reindent(Request):
    """How the indentation of inserted text is changed."""

    strip: str | None = text("Remove this prefix from each non-empty line", default=None)
    add: str | None = text("Add this prefix to each non-empty line after stripping", default=None)


class OnePatch(Request):
    """One patch, as it was meant."""

    operation: str = text("Type of operation to perform", choices=OPERATIONS)
    oldText: str | None = text(  # noqa: N815  the specification's name
        "Text to locate (must be unique in file, required for replace)", default=None
    )
    newText: str | None = text(  # noqa: N815
        "The new text to use (empty for deletions, leave empty if fromClipboard is set)", default=None
    )
    toClipboard: str | None = text(  # noqa: N815
        "Save oldText to this named clipboard before the operation", default=None
    )
    fromClipboard: str | None = text(  # noqa: N815
        "Use content from this clipboard as newText (overrides newText field)", default=None
    )
    reindent: Reindent | None = member("Modify indentation of inserted text before insertion", model=Reindent)

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> Self:
        """Check one patch, taking well-known wrong spellings for what they mean."""
        found: dict[str, object] = {}
        for name, value in given.items():
            meant = _ALIASES.get(name, name)
            found[name if meant in given else meant] = value  # named twice: the second name is unknown
        found = {name: value for name, value in found.items() if value is not None or name not in cls._fields}
        if "operation" not in found and "oldText" in found:
            found["operation"] = "replace"
        elif isinstance(named := found.get("operation"), str):
            found["operation"] = _OPERATIONS.get(_bare(named), named)
        patch = super().parse(found)
        patch.check()
        return patch.but(toClipboard=patch.toClipboard or None, fromClipboard=patch.fromClipboard or None)

    def check(self) -> None:
        """Refuse what would be passed over otherwise."""
        if self.oldText and self.operation != "replace":
            raise _invalid("oldText", f"goes with replace only; {self.operation} needs no place")
        for name in ("toClipboard", "fromClipboard"):
            clipboard = getattr(self, name) or ""
            if len(clipboard) > _LONGEST_NAME or any("\ud800" <= char <= "\udfff" for char in clipboard):
                raise _invalid(name, f"expected a name of 1 to {_LONGEST_NAME} characters")

    @property
    def is_copy(self) -> bool:
        """Whether it only fills a clipboard: what it finds stays where it is."""
        return self.toClipboard is not None and self.toClipboard == self.fromClipboard and not self.reindents

    @property
    def reindents(self) -> bool:
        """Whether the indentation of what it inserts changes."""
        return self.reindent is not None and bool(self.reindent.strip or self.reindent.add)

    @property
    def carries(self) -> bool:
        """Whether a change is described, which can be carried over to a text that differs; else text is put in."""
        return self.fromClipboard is None and not self.reindents


def gathered(given: Mapping[str, object]) -> Mapping[str, object]:
    """The arguments of a call with `patches`, where the fields of one patch stand beside the path."""
    fields = {*OnePatch._fields, *_ALIASES}
    if given.get("patches") is not None or not fields & given.keys():
        return given
    one = {name: value for name, value in given.items() if name in fields}
    rest = {name: value for name, value in given.items() if name not in fields}
    return {**rest, "patches": [one]}


def reindented(inserted: str, patch: OnePatch, index: int, total: int) -> str:
    """The text to insert with its indentation changed, line by line; empty lines stay empty."""
    if patch.reindent is None or not patch.reindents:
        return inserted
    strip, add = patch.reindent.strip or "", patch.reindent.add or ""
    result = []
    ending = "\r" if "\r" in inserted and "\n" not in inserted else "\n"
    check_size("The new text", len(inserted) + inserted.count(ending) * (len(add) - len(strip)))
    for number, line in enumerate(inserted.split(ending), 1):
        if line in {"", "\r"}:
            result.append(line)
            continue
        if not line.startswith(strip):
            raise StripPreconditionFailed(
                index=index, total=total, line_number=number, line=line.removesuffix("\r"), prefix=strip
            )
        result.append(add + line[len(strip) :])
    return ending.join(result)


def _bare(operation: str) -> str:
    """An operation's name without what is written in many ways."""
    return "".join(char for char in operation.casefold() if char.isalnum())


def _invalid(argument: str, problem: str) -> InvalidArguments:
    return InvalidArguments(problems=[{"argument": argument, "problem": problem}])
