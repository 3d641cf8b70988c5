"""`apply_patch`: OpenAI's patches, `*** Begin Patch … *** End Patch`, all of one call or nothing.

What `apply_reply` does with such a patch among others, under the name and with the words that models were trained on.
Rejected: taking the other formats of a reply as well. Who calls this tool wrote a patch, and what looks like something
else stands there by mistake.
"""

from __future__ import annotations

from suture.errors import InputTooLarge, InvalidArguments, NoBlocks
from suture.formats.reply import parse_reply
from suture.formats.validation import validated
from suture.plan import Plan
from suture.tools.enveloped import LOOKS_SO, Enveloped, unapplied_patch
from suture.tools.replied import Replied
from suture.tools.request import Request, dry_run, literal, text
from suture.tools.sheets import Files, Sheets
from suture.tools.spec import Example, Proposal, ToolSpec
from suture.tools.stitching import Stitching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from suture.errors import SutureError
    from suture.formats.reply import Reply
    from suture.session import Session
    from suture.tools.spec import Answer

_NAME = "apply_patch"
_SHOWN_NAMES = 3
_HEADS = {"create_file": "*** Add File: ", "update_file": "*** Update File: ", "delete_file": "*** Delete File: "}
_QUOTES = ("'", '"', "`")


class ApplyPatch(Request):
    """Arguments of `apply_patch`."""

    input: str = text("The patch, from *** Begin Patch to *** End Patch")
    dry_run: bool = dry_run()
    literal: bool = literal()


def plan_apply_patch(session: Session, request: ApplyPatch) -> Proposal:
    """Apply the patch in memory, and plan what that changes; if a part of it fails, nothing."""
    reply = _parsed(request.input, session.settings.max_edits)
    sheets = Sheets(Files(session))
    stitching = Stitching(sheets, "lenient", session, dry_run=request.dry_run, literal=request.literal)
    outcomes = stitching.run(reply.blocks)
    if any(each.status == "failed" for each in outcomes):
        outcomes = [each.but(status="skipped") if each.status == "applied" else each for each in outcomes]
        sheets = Sheets(Files(session))
    changes = tuple(sheets.plan(session))
    plan = Plan(changes, _NAME, _summary([each.place.name for each in changes]))
    found = validated(request.input, reply)
    replied = Replied(session.settings, plan, outcomes, found, dry_run=request.dry_run, atomic=True)
    return Proposal(plan, Enveloped(session.settings, plan, outcomes, replied, dry_run=request.dry_run).answer)


def _parsed(given: str, most: int) -> Reply:
    """The sections of the patch; text around it is passed over, but nothing that is meant to change a file."""
    reply = parse_reply(given, most=most + 1)
    own = [block for block in reply if block.format == "v4a"]
    if not own:
        raise NoBlocks(fenced=[], characters=len(given))
    others = [block.line for block in reply if block.format != "v4a"] + [
        each.line for each in reply.unread if each.edits
    ]
    if others:
        problem = (
            f"line {min(others)} is outside of the patch; put all changes between *** Begin Patch and *** End Patch"
        )
        raise InvalidArguments(problems=[{"argument": "input", "problem": problem}])
    size = sum(len(block.ids) for block in reply)
    if size > most:
        raise InputTooLarge(what="The patch", size=size, limit=most, setting="max_edits", unit="hunks")
    return reply


def _summary(names: list[str]) -> str:
    return f"patch of {', '.join(names[:_SHOWN_NAMES])}{' …' if len(names) > _SHOWN_NAMES else ''}"


def operation_envelope(operation: Mapping[str, object]) -> str:
    """The patch that an `operation` of an `apply_patch_call` means, which OpenAI's built-in tool sends, one a file.

    `{"type": "create_file" | "update_file" | "delete_file", "path": …, "diff": …}`; what is deleted needs no diff. A
    diff speaks of its own file only: one that holds another section, or the end of the patch, is refused.
    """
    kind, path, diff = (operation.get(name) for name in ("type", "path", "diff"))
    head = _HEADS.get(kind) if isinstance(kind, str) else None
    if head is None:
        raise _wrong("type", f"expected one of {', '.join(_HEADS)}")
    if not isinstance(path, str) or not _can_stand(path):
        raise _wrong("path", "expected a path in one line, without quotes or spaces around it")
    if kind == "delete_file":
        diff = ""
    if not isinstance(diff, str):
        raise _wrong("diff", "expected the lines of a V4A diff" if diff is not None else f"missing: {kind} needs it")
    lines = diff.removesuffix("\n").removesuffix("\r").split("\n") if diff else []
    if any(line.startswith("*** ") and line.rstrip().lower() != "*** end of file" for line in lines):
        raise _wrong("diff", "a line begins as a marker of a patch (***); expected only the lines of this file's diff")
    end = "\r\n" if "\r\n" in diff else "\n"
    lines = [line.removesuffix("\r") for line in lines] if end == "\r\n" else lines
    return "".join(f"{line}{end}" for line in ("*** Begin Patch", f"{head}{path}", *lines, "*** End Patch"))


def _can_stand(path: str) -> bool:
    """Whether a path comes out of a patch as it went in; a backslash separates folders there."""
    quoted = path[:1] in _QUOTES and path[-1:] == path[:1]
    return bool(path) and path == path.strip() and not quoted and not {"\n", "\r"} & {*path}


def _wrong(argument: str, problem: str) -> InvalidArguments:
    return InvalidArguments(problems=[{"argument": f"operation.{argument}", "problem": problem}])


def explain_apply_patch(_: Mapping[str, object], error: SutureError) -> Answer:
    """A failure of the whole call, in the shape of its result."""
    return unapplied_patch(error)


_DESCRIPTION = f"""\
Create, change, move and delete files by a patch. All of it lands, or nothing does. It looks so:

{LOOKS_SO}

A hunk shows about 3 lines of the file above and below what changes, each behind a space; - is a line that goes away, \
+ one that comes in. Lines of @@ name the class or function a hunk stands in, and separate hunks; there are no line \
numbers. *** Move to: PATH below *** Update File: renames the file. *** End of File below a hunk says that it stands \
at the end."""

APPLY_PATCH = ToolSpec(
    name=_NAME,
    title="Apply a patch",
    description=_DESCRIPTION,
    request=ApplyPatch,
    examples=(
        Example(
            "Change a file, and add another",
            {"app.py": "def greet():\n    print('hello')\n"},
            {
                "input": "*** Begin Patch\n*** Update File: app.py\n@@ def greet():\n-    print('hello')\n"
                "+    print('hi')\n*** Add File: notes.md\n+# Notes\n*** End Patch\n"
            },
            "Success. Updated the following files:\nA notes.md\nM app.py",
        ),
    ),
    plan=plan_apply_patch,
    explain=explain_apply_patch,
)
