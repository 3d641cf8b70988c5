"""`suture edit`: exact replacements, one by options or several as JSON."""

from __future__ import annotations

from suture.cli.commands import run
from suture.cli.documents import content_of, document
from suture.cli.output import complain
from suture.cli.terminal import clean, colored_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from suture.tools.spec import ToolResult

_USAGE = 2


def edit(options: argparse.Namespace) -> int:
    """Make the edits and print the diff."""
    try:
        arguments = _arguments(options)
    except ValueError as error:
        complain(f"suture edit: {error}")
        return _USAGE
    return run(options, lambda workspace: workspace.call("file_edit", arguments), _told)


def _arguments(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of the tool; ValueError says why they cannot be."""
    given = _from_document(options) if options.edits is not None else {"edits": [_from_options(options)]}
    named = {name: getattr(options, name) for name in ("encoding", "expect_hash")}
    chosen = {name: value for name, value in named.items() if value is not None}
    dry_run = {"dry_run": True} if options.dry_run else {}
    return {**given, "path": options.path, **chosen, **dry_run}


def _from_document(options: argparse.Namespace) -> dict[str, Any]:
    source, found = document(options.edits)
    if any(getattr(options, name) is not None for name in ("old", "new", "old_file", "new_file", "count")):
        message = f"the edits stand in {source} already: leave out --old, --new and --count"
        raise ValueError(message)
    given: dict[str, Any] = found if isinstance(found, dict) and "edits" in found else {"edits": found}
    if given.get("path", options.path) != options.path:
        message = f"{source} is for {given['path']}, not for {options.path}"
        raise ValueError(message)
    return given


def _from_options(options: argparse.Namespace) -> dict[str, Any]:
    if options.count is not None and options.count < 1:
        message = f"--count is how often the text stands in the file: at least 1, not {options.count}"
        raise ValueError(message)
    edit = {"old_text": _text(options, "old"), "new_text": _text(options, "new")}
    return edit if options.count is None else {**edit, "occurrences": options.count}


def _text(options: argparse.Namespace, name: str) -> str:
    """The old or the new text, from an option or from a file."""
    said, file = getattr(options, name), getattr(options, f"{name}_file")
    if (said is None) == (file is None):
        wrong = "give only one of" if said is not None else "give"
        message = f"{wrong} --{name} TEXT or --{name}-file FILE{' (or the edits as JSON)' * (said is None)}"
        raise ValueError(message)
    if file is None:
        return str(said)
    try:
        return content_of(file).decode()
    except UnicodeDecodeError:
        message = f"{file} is not UTF-8; send its text as JSON"
        raise ValueError(message) from None


def _told(result: ToolResult) -> str:
    """What happened, the warnings, and the whole diff."""
    data = result.metadata
    path, number = clean(data["path"]), data["total_replacements"]
    replacements = f"{number} replacement{'s' * (number != 1)}"
    diff = data["diff"]["unified"].removesuffix("\n")
    if data.get("dry_run"):
        head = f"Would make {replacements} in {path}." if diff else f"{path} would stay as it is ({replacements})."
    elif data["change_id"] is None:
        head = f"{path} is as it was ({replacements})."
    else:
        head = f"Edited {path} ({replacements}) as change {data['change_id']}."
    notes = [f"warning: {clean(each)}" for each in data["warnings"]]
    return "\n".join([head, *notes, *(["", *colored_diff(diff)] if diff else [])])
