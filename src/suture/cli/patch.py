"""`suture patch`: edit a file by patches in JSON, from a file, stdin or the command line."""

from __future__ import annotations

from suture.cli.commands import run
from suture.cli.documents import document
from suture.cli.notes import on_validation
from suture.cli.output import misused
from suture.cli.terminal import clean, colored_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from suture.tools.spec import ToolResult


def patch(options: argparse.Namespace) -> int:
    """Apply patches and print the diff."""
    try:
        arguments = _arguments(options)
    except ValueError as error:
        return misused("patch", error)
    return run(options, lambda workspace: workspace.call("patch", arguments), _told, edits=True)


def _arguments(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of the tool: the document's, and the options'; ValueError says why they cannot be."""
    source, found = document(options.patches)
    given: dict[str, Any] = found if isinstance(found, dict) and "patches" in found else {"patches": found}
    if given.get("path", options.path) != options.path:
        message = f"{source} is for {given['path']}, not for {options.path}"
        raise ValueError(message)
    named = {name: getattr(options, name) for name in ("match", "encoding", "expect_hash", "validate")}
    chosen = {name: value for name, value in named.items() if value is not None}
    flags = {name: True for name in ("dry_run", "literal") if getattr(options, name)}
    return {**given, "path": options.path, **chosen, **flags}


def _told(result: ToolResult) -> str:
    """What happened, the notes, the whole diff, and what checks found."""
    data = result.metadata
    number, path = len(data["patches"]), clean(data["path"])
    patches = f"{number} patch{'es' * (number != 1)}"
    diff = data["display"]["diff"].removesuffix("\n")
    if data.get("dry_run") and not diff:
        head = f"{path} would stay as it is ({patches})."
    elif data.get("dry_run"):
        head = f"Would create {path} ({patches})." if data["created"] else f"Would apply {patches} to {path}."
    elif data["change_id"] is None:
        head = f"No change: {path} is as it was."
    else:
        head = f"{'Created' if data['created'] else 'Patched'} {path} ({patches}) as change {data['change_id']}."
    checked = on_validation(data)
    below = "\n".join(["", "", *checked]) if checked else ""
    said = result.text.replace(below, "", 1).partition("\n\ndiff --git ")[0].split("\n")[1:]
    notes = [clean(line) for line in said if not line.startswith(("Dry run", "No change: "))]
    found = ["", *map(clean, checked)] if checked else []
    return "\n".join([head, *notes, *(["", *colored_diff(diff)] if diff else []), *found])
