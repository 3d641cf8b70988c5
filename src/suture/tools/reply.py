"""`apply_reply`: a model's whole reply, in whatever format it came, applied to the files it names."""

from __future__ import annotations

from suture.errors import InputTooLarge, InvalidArguments, NoBlocks
from suture.formats.reply import parse_reply
from suture.formats.validation import validated
from suture.plan import Plan
from suture.tools.replied import Replied, unapplied, unread_data
from suture.tools.request import Request, dry_run, expect_hash, flag, ids, literal, text, validate
from suture.tools.sheets import Files, Sheets
from suture.tools.spec import Example, Proposal, ToolSpec
from suture.tools.stitching import Stitching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from suture.errors import SutureError
    from suture.formats.blocks import Block
    from suture.session import Session
    from suture.tools.section import Outcome
    from suture.tools.spec import Answer

_SHOWN_IDS = 20
_LONGEST_ID = 20
_SHOWN_NAMES = 3


class ApplyReply(Request):
    """Arguments of `apply_reply`."""

    reply: str = text("The model's reply: SEARCH/REPLACE and NEW_FILE blocks, apply_patch envelopes, unified diffs")
    atomic: bool = flag("Apply all blocks or none")
    dry_run: bool = dry_run()
    only: list[str] | None = ids("Ids of the blocks or hunks to apply, as a dry run lists them; all others are skipped")
    whole_files: bool = flag("Also read a code fence or tag with a path as the whole content of that file")
    match: str = text(
        "How far a file may differ from what a block says it holds: not at all, in white space, or harmlessly",
        default="lenient",
        choices=("exact", "whitespace", "lenient"),
    )
    validate: str = validate()
    default_path: str | None = text("File of the blocks that name none", default=None)
    expect_hash: str | dict[str, str] | None = expect_hash()
    literal: bool = literal()


def plan_apply_reply(session: Session, request: ApplyReply) -> Proposal:
    """Apply every block in memory, and plan what that changes."""
    most = session.settings.max_edits + 1
    reply = parse_reply(request.reply, request.default_path, whole_files=request.whole_files, most=most)
    if not reply:
        skipped = sum(each.blocks for each in reply.thoughts)
        unread = [unread_data(each) for each in reply.unread]
        raise NoBlocks(fenced=list(reply.fenced), characters=len(request.reply), skipped=skipped, unread=unread)
    _check(reply.blocks, request.only, session.settings.max_edits)
    sheets = Sheets(Files(session), request.expect_hash)
    stitching = Stitching(sheets, request.match, session, dry_run=request.dry_run, literal=request.literal)
    outcomes = stitching.run(reply.blocks, request.only)
    sheets.check_others(request.expect_hash)
    missed = request.only is None and any(each.edits for each in reply.unread)
    if request.atomic and (missed or any(each.status == "failed" for each in outcomes)):
        outcomes = [each.but(status="skipped") if each.status == "applied" else each for each in outcomes]
        sheets = Sheets(Files(session))
    changes = tuple(sheets.plan(session))
    plan = Plan(changes, "apply_reply", _summary(outcomes))
    told = Replied(
        session.settings,
        plan,
        outcomes,
        validated(request.reply, reply),
        dry_run=request.dry_run,
        atomic=request.atomic,
        chosen=request.only is not None,
    )
    return Proposal(plan, told.answer)


def explain_apply_reply(_: Mapping[str, object], error: SutureError) -> Answer:
    """A failure of the whole call, in the shape of its result."""
    return unapplied(error)


def _check(blocks: Sequence[Block], only: Sequence[str] | None, most: int) -> None:
    known = [each for block in blocks for each in block.ids]
    if len(known) > most:
        raise InputTooLarge(what="The reply", size=len(known), limit=most, setting="max_edits", unit="blocks")
    unknown = [each for each in only or () if not any(block.chosen([each]) for block in blocks)]
    if unknown:
        shown = ", ".join(known[:_SHOWN_IDS])
        problem = f"there is no block {unknown[0][:_LONGEST_ID]}; known are {shown}"
        raise InvalidArguments(problems=[{"argument": "only", "problem": problem}])


def _summary(outcomes: Sequence[Outcome]) -> str:
    applied = [each for each in outcomes if each.status == "applied"]
    names = list(dict.fromkeys(each.path or "" for each in applied))
    blocks = f"{len(applied)} blocks" if len(applied) != 1 else "1 block"
    return f"{blocks} of a reply: {', '.join(names[:_SHOWN_NAMES])}{' …' if len(names) > _SHOWN_NAMES else ''}"


_DESCRIPTION = """\
Apply everything a reply says about files, in one transaction that `undo` takes back. Formats may be mixed, with \
prose between them:

- SEARCH/REPLACE blocks, below the path of the file:
  path/to/file.py
  <<<<<<< SEARCH
  whole lines as they stand in the file
  =======
  the lines that replace them
  >>>>>>> REPLACE
  An empty REPLACE part deletes; an empty SEARCH part fills a new or empty file.
- <<<<<<< NEW_FILE … >>>>>>> NEW_FILE, below the path: a file that does not exist yet.
- *** Begin Patch … *** End Patch (apply_patch), and unified diffs; line numbers may be wrong or missing.

Blocks are applied in order, each to the result of those before. A block fits one place, or it fails, and the answer \
says why and how to mend it; the others land (set atomic to have all or none). Small differences in white space, \
quotes or indentation are bridged where only one place fits. Send again only what failed or is in unread."""

APPLY_REPLY = ToolSpec(
    name="apply_reply",
    title="Apply a model's reply",
    description=_DESCRIPTION,
    request=ApplyReply,
    examples=(
        Example(
            "Change a file and create another",
            {"app.py": "def greet():\n    print('hello')\n"},
            {
                "reply": "### File: app.py\n<<<<<<< SEARCH\n    print('hello')\n=======\n    print('hi')\n"
                ">>>>>>> REPLACE\n\n### File: notes.md\n<<<<<<< NEW_FILE\n# Notes\n>>>>>>> NEW_FILE\n",
            },
            "Applied both blocks (change <id>).\n1 app.py:2, updated\n2 notes.md, created",
        ),
    ),
    plan=plan_apply_reply,
    explain=explain_apply_reply,
)
