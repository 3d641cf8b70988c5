"""`patch`: edits of one file by text, with clipboards; all of them or none."""

from __future__ import annotations

from suture.edits import splice
from suture.errors import ClipboardNotFound, FileNotFound, InputTooLarge, InvalidArguments
from suture.plan import Plan
from suture.text import Text
from suture.tools.outcome import check_hash
from suture.tools.patched import Patched
from suture.tools.patches import OnePatch, gathered
from suture.tools.placement import Placing, edits_of
from suture.tools.request import Request, dry_run, encoding, expect_hash, items, literal, text, validate
from suture.tools.spec import Example, Proposal, ToolSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

    from suture.plan import FileChange, Snapshot
    from suture.session import Session
    from suture.tools.placement import Placement


_VERBS = {"append_eof": "append", "prepend_bof": "prepend", "overwrite": 'write; "" empties the file'}


class Patch(Request):
    """Arguments of `patch`."""

    path: str = text("Path to the file to patch")
    patches: list[OnePatch] = items("List of patch requests to apply", model=OnePatch)
    match: str = text(
        "How far the file may differ from oldText: not at all, in white space, or in what is provably harmless",
        default="lenient",
        choices=("exact", "whitespace", "lenient"),
    )
    dry_run: bool = dry_run()
    encoding: str | None = encoding()
    expect_hash: str | dict[str, str] | None = expect_hash()
    validate: str = validate()
    literal: bool = literal()

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> Self:
        """Check a call's arguments; null means left out, and one patch may stand beside the path."""
        named = cls.arguments()
        left_out = {name for name, value in given.items() if value is None and name in named}
        request = super().parse(gathered({name: value for name, value in given.items() if name not in left_out}))
        problem = None
        if not request.patches:
            problem = "patches", "empty: say what to change"
        for index, each in enumerate(request.patches):
            if each.operation == "overwrite" and len(request.patches) > 1:
                problem = f"patches[{index}].operation", "overwrite replaces the whole file and must be the only patch"
            if each.operation != "replace" and each.newText is None and each.fromClipboard is None:
                problem = f"patches[{index}].newText", f"missing: the text to {_VERBS[each.operation]}"
        if problem is not None:
            raise InvalidArguments(problems=[{"argument": problem[0], "problem": problem[1]}])
        return request


def plan_patch(session: Session, request: Patch) -> Proposal:
    """Plan all patches on the file as it stands."""
    most = session.settings.max_edits
    if len(request.patches) > most:
        size = len(request.patches)
        raise InputTooLarge(what="The request", size=size, limit=most, setting="max_edits", unit="patches")
    before = _before(session, request)
    name = session.locate(request.path).name if before is None else before.place.name
    check_hash(request.expect_hash, name, before)
    blank = session.blank(request.path, request.encoding) if before is None else before.text
    if _holds_bytes(session, request, blank):
        blank = Text(blank.raw, bom=b"", encoding=None, body=blank.raw)
        before = None if before is None else before.but(text=blank)

    def recall(clipboard: str) -> str:
        found = session.clipboard(clipboard)
        if found is None:
            raise ClipboardNotFound(index=0, total=0, name=clipboard, known=session.clipboard_names())
        return found

    bases = () if before is None else session.bases(before)
    placing = Placing(name, blank, request.patches, request.match, recall, bases, literal=request.literal)
    placed = placing.place()
    _check_clipboards(session, placing.clipboards)
    change = _change(session, request, before, blank, placed)
    kept = tuple(sorted(placing.clipboards.items()))
    plan = Plan((change,), "patch", _summary(request, name), clipboards=kept)
    told = Patched(session, plan, blank, placed, request, placing.warnings, created=before is None)
    return Proposal(plan, told.answer)


def _before(session: Session, request: Patch) -> Snapshot | None:
    """The file, or None where none stands and none is needed."""
    needed = any(each.operation == "replace" for each in request.patches)
    if not needed and session.locate(request.path).stat is None:
        return None
    try:
        return session.text(request.path, request.encoding)
    except FileNotFound as error:
        raise FileNotFound(path=error.path, near=error.near, create_by=["overwrite", "append_eof"]) from None


def _holds_bytes(session: Session, request: Patch, original: Text) -> bool:
    """Whether bytes of an unknown encoding are pasted into a file that could be in any: then it is in that one."""
    if request.encoding is not None or original.encoding != "utf-8" or not original.raw.isascii():
        return False
    filled = {each.toClipboard for each in request.patches}
    pasted = dict.fromkeys(each.fromClipboard for each in request.patches)
    names = [name for name in pasted if name is not None and name not in filled]
    return any("\udc80" <= char <= "\udcff" for name in names for char in session.clipboard(name) or "")


def _check_clipboards(session: Session, filled: Mapping[str, str]) -> None:
    most, largest = session.settings.max_clipboards, session.settings.max_clipboard_bytes
    for name, content in filled.items():
        size = len(content.encode("utf-8", "surrogateescape"))
        if size > largest:
            what, setting = f"The text for clipboard '{name}'", "max_clipboard_bytes"
            raise InputTooLarge(what=what, size=size, limit=largest, setting=setting)
    known = session.clipboard_names() if filled else []
    size = len({*known, *filled})
    if size > max(most, len(known)):
        raise InputTooLarge(what="The workspace", size=size, limit=most, setting="max_clipboards", unit="clipboards")


def _change(
    session: Session, request: Patch, before: Snapshot | None, blank: Text, placed: Sequence[Placement]
) -> FileChange:
    edits = edits_of(placed)
    if before is not None:
        return session.plan_update(before, edits)
    return session.plan_create(request.path, b"".join(splice(blank, edits)))


def _summary(request: Patch, name: str) -> str:
    kinds = list(dict.fromkeys(each.operation for each in request.patches))
    number = f"{len(request.patches)} patches" if len(request.patches) > 1 else "patch"
    return f"{number} of {name}: {', '.join(kinds)}"


_DESCRIPTION = """\
File modification tool for precise text edits.

Operations:
- replace: Substitute unique text with new content
- append_eof: Append new text at the end of the file
- prepend_bof: Insert new text at the beginning of the file
- overwrite: Replace the entire file with new content (automatically creates the file)

Clipboard:
- toClipboard: Store oldText to a named clipboard before the operation
- fromClipboard: Use clipboard content as newText (ignores provided newText)
- Clipboards persist across patch calls
- Always use clipboards when moving/copying code (within or across files)

Indentation adjustment:
- reindent applies to whatever text is being inserted
- First strips the specified prefix from each line, then adds the new prefix
- Useful when moving code from one indentation to another

Recipes:
- cut: replace with empty newText and toClipboard
- copy: replace with toClipboard and fromClipboard using the same clipboard name
- paste: replace with fromClipboard

Usage notes:
- All inputs are interpreted literally (no automatic newline handling)
- For replace operations, oldText must appear EXACTLY ONCE in the file
- All patches refer to the file as it was before the call; all of them land, or none
- Small differences in oldText (indentation, white space, quotes) are bridged where only one place fits, and \
newText then takes on the file's own; set match to "exact" to forbid it"""

PATCH = ToolSpec(
    name="patch",
    title="Patch a file",
    description=_DESCRIPTION,
    request=Patch,
    examples=(
        Example(
            "Replace text that stands once",
            {"app.py": "def greet():\n    print('hello')\n"},
            {
                "path": "app.py",
                "patches": [{"operation": "replace", "oldText": "print('hello')", "newText": "print('hi')"}],
            },
            "<patches_applied>all</patches_applied>",
        ),
        Example(
            "Move a function to the end of the file, out of its class",
            {"app.py": "class App:\n    def helper():\n        pass\n\n    x = 1\n"},
            {
                "path": "app.py",
                "patches": [
                    {
                        "operation": "replace",
                        "oldText": "    def helper():\n        pass\n\n",
                        "newText": "",
                        "toClipboard": "fn",
                    },
                    {"operation": "append_eof", "fromClipboard": "fn", "reindent": {"strip": "    "}},
                ],
            },
            "<patches_applied>all</patches_applied>\nCut lines 2-4 to clipboard 'fn'.",
        ),
        Example(
            "Create a file, and the folders it needs; try it out first",
            {},
            {
                "path": "docs/notes.md",
                "patches": [{"operation": "overwrite", "newText": "# Notes\n"}],
                "dry_run": True,
            },
            "<patches_applied>none</patches_applied>\n"
            "Dry run: the patch would create docs/notes.md; nothing was written.\n\n"
            "diff --git a/docs/notes.md b/docs/notes.md\nnew file mode 100644\n--- /dev/null\n"
            "+++ b/docs/notes.md\n@@ -0,0 +1 @@\n+# Notes",
        ),
    ),
    plan=plan_patch,
)
