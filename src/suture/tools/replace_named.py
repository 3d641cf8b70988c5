"""`replace`, for the command line: as `regex_replace_multi`, in several files, folders and globs, as one change.

It answers with the same rows; or with the diff, too. A preview and the change itself are the same plan.
"""

from __future__ import annotations

from suture.errors import TooManyReplacements
from suture.plan import Plan, Update
from suture.tools.matching import explain_several, flags, limit, listed, opened, pattern
from suture.tools.named import EVERYTHING, for_each, grouped, taken
from suture.tools.outcome import plan_diff
from suture.tools.replace import RegexReplace, RegexReplaceMulti, plan_replace, plan_replace_multi
from suture.tools.request import Request, dry_run, encoding, flag, text, texts, validate
from suture.tools.spec import Proposal, ToolSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from suture.plan import Change, FileChange
    from suture.session import Session
    from suture.tools.named import Row
    from suture.tools.spec import Answer

_SHARED = ("pattern", "flags", "replacement", "max_replacements", "allow_over_match")


class Replace(Request):
    """Arguments of `replace`."""

    paths: list[str] = texts("Files, folders and globs; everything if left out")
    pattern: str = pattern()
    replacement: str = text("What each match becomes")
    flags: str | None = flags()
    dry_run: bool = dry_run()
    max_replacements: int | None = limit("Refuse if there are more matches in all files together, and change nothing")
    exclude: list[str] = texts("Globs of files and folders to leave out; one without / is a name anywhere")
    include_ignored: bool = flag("Whether files that .gitignore names are changed, too")
    allow_over_match: bool = flag("Replace a match of more than 50 lines although it holds another match")
    encoding: str | None = encoding()
    """Of the files that are named outright."""
    validate: str = validate()
    view: str = text("The replacements, or the diff, too", default="rows", choices=("rows", "diff"))


def plan_replace_named(session: Session, request: Replace) -> Proposal:
    """Plan the replacements in what the arguments name, as one change."""
    binary: list[str] = []

    def in_file(path: str) -> Proposal:
        given = RegexReplace.parse(taken(request, (*_SHARED, "encoding"), file_path=path))
        proposal = plan_replace(session, given)
        if not proposal.plan.changes:
            before, text = opened(session, given)
            binary.extend([before.place.name] if text is None else [])
        return proposal

    def in_many(glob: str, exclude: list[str]) -> Proposal:
        given = taken(request, (*_SHARED, "include_ignored"), path_pattern=glob, exclude=exclude)
        return plan_replace_multi(session, RegexReplaceMulti.parse(given))

    rows: dict[str, list[Row]] = {}
    changes: dict[str, FileChange] = {}
    for proposal in for_each(session, request, in_file, in_many):
        for name, own in grouped(proposal.describe(None).made_rows()).items():
            rows.setdefault(name, own)
        for change in proposal.plan.changes:
            changes.setdefault(change.place.name, change)
    made = [row for name in sorted(rows) for row in rows[name]]
    _check_number(session, request, len(made))
    places = f"{len(made)} match{'es' * (len(made) != 1)}"
    summary = f"replace {places} of {request.pattern:.60} in {' '.join(request.paths) or EVERYTHING:.200}"
    plan = Plan(tuple(changes[name] for name in sorted(changes)), "regex_replace_multi", summary)

    def describe(change: Change | None) -> Answer:
        changed = [each for each in plan.changes if isinstance(each, Update) and not each.same_content]
        files = [{"path": each.place.name, "hash": each.after.digest} for each in changed]
        data: dict[str, Any] = {"change_id": None if change is None else change.id, "files": files}
        data.update({"binary": binary} if binary else {})
        return listed(made, data if request.view == "rows" else {**data, "diff": plan_diff(changed)})

    return Proposal(plan, describe)


def _check_number(session: Session, request: Replace, number: int) -> None:
    """Hold all together to the limits that each argument was held to."""
    asked, setting = request.max_replacements, session.settings.max_replacements
    most = setting if asked is None else min(asked, setting)
    if number > most:
        raise TooManyReplacements(found=number, limit=most, setting=None if most == asked else "max_replacements")


REPLACE = ToolSpec(
    name="replace",
    title="Replace",
    description="Replace the matches of a regular expression in files, folders and globs, as one change.",
    request=Replace,
    examples=(),
    plan=plan_replace_named,
    explain=explain_several,
)
