"""Commands on the history: `log`, `show`, `undo`, `redo`, `checkpoint`, `restore`, `forget`, `clipboards`."""

from __future__ import annotations

import os
import sys

from suture.cli.commands import attempt, exit_code, print_change, print_refusal, run, run_and_show, tool_arguments
from suture.cli.output import (
    ask,
    at_root,
    can_ask,
    clean,
    colored,
    colored_diff,
    flush,
    note,
    print_always,
    refuse,
    report_misuse,
)
from suture.files.journal import is_id
from suture.tools.checkpoint import why
from suture.tools.history import about, file_name
from suture.tools.results import cut
from suture.wording import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import Any

    from suture.tools.spec import ToolResult
    from suture.workspace import Workspace

_NO_AGENTS = ("cli", "library")  # what is recorded if no agent is known
_BAR_WIDTH = 40  # characters of the longest bar: with a name and a number it fits in 80 columns


def log(options: argparse.Namespace) -> int:
    """`suture log`: list changes with their files; the first page also shows the checkpoints between them."""
    from shlex import join

    path, before = options.path, options.before

    def page(workspace: Workspace) -> ToolResult:
        result = workspace.call("history", tool_arguments(options))
        points = None if path or before or options.session or result.is_error else workspace.checkpoints()
        if points is not None and not points.is_error:
            result = result.evolve(metadata={**result.metadata, "checkpoints": points.metadata["checkpoints"]})
        return result

    def lines(result: ToolResult) -> str:
        if not result.metadata["changes"]:
            of_path = f" of {clean(path)}" if path else ""
            of_path += f" by session {clean(options.session)}" if options.session else ""
            return f"No changes{of_path} are recorded in {os.path.abspath(options.location.root)}."
        limit = [] if options.limit is None else ["--limit", str(options.limit)]
        limit += [] if options.session is None else ["--session", options.session]
        words = ["suture", "log", *([path] if path else []), *limit, "--before"]
        older = f"{join([*words, result.metadata['next']])}{at_root(options)}" if result.metadata["next"] else ""
        more = [colored("faint", f"… older changes: {clean(older)}")] if older else []
        return "\n".join([*_log_lines(result.metadata), *more])

    return run(options, page, lines)


def show(options: argparse.Namespace) -> int:
    """`suture show`: print a change and its diff."""

    def change(workspace: Workspace) -> ToolResult:
        if options.change_id is not None:
            return workspace.show(options.change_id)
        newest = workspace.history(limit=1)
        changes = newest.metadata.get("changes")
        return workspace.show(changes[0]["change_id"]) if changes else newest

    return run(options, change, lambda result: _render_change(result) if "diff" in result.metadata else result.answer)


def undo(options: argparse.Namespace) -> int:
    """`suture undo`."""
    if options.partly and options.session is None:
        return report_misuse("undo", "--partly needs --session")
    return _change_files(options, "undo", session=options.session, partly=options.partly)


def redo(options: argparse.Namespace) -> int:
    """`suture redo`."""
    return _change_files(options, "redo")


def checkpoint(options: argparse.Namespace) -> int:
    """`suture checkpoint`: take a checkpoint, or list them."""
    if options.hook is not None:
        from suture.cli.hook import run_hook  # only hooks need it

        return run_hook(options)
    if options.name is None:
        return run(options, lambda workspace: workspace.checkpoints(), _checkpoint_list)
    arguments = tool_arguments(options)
    return run(options, lambda workspace: workspace.command("checkpoint", arguments), lambda result: result.answer)


def restore(options: argparse.Namespace) -> int:
    """`suture restore`: at a terminal, show what restoring to a checkpoint would do, and ask."""
    if options.to is None and not options.paths:
        return report_misuse("restore", "expected --to NAME|ID, PATH, or both")
    if options.dry_run or options.yes or options.json or options.to is None or not can_ask():
        return _change_files(options, "restore")
    arguments = tool_arguments(options)
    preview = attempt(options, lambda workspace: workspace.command("restore", {**arguments, "dry_run": True}))
    if preview.is_error or preview.metadata["checkpoint"] is None or not preview.metadata["files"]:
        return _change_files(options, "restore")
    print_change(options, preview, preview.answer, cut(preview.metadata["diff"], options.settings))
    answer = ask("Restore these files? [y/n] ")
    if answer is None:
        refuse("NO_ANSWER", "No answer: nothing was changed.", "Answer y or n, or add --yes.")
        return 1
    if not answer:
        note("Nothing was changed.")
        return 0
    confirmed = {**arguments, "deletions": preview.metadata["deleted"]}

    def show(result: ToolResult) -> None:
        print_change(options, result, result.answer, "")

    return run_and_show(options, lambda workspace: workspace.command("restore", confirmed), show)


def clipboards(options: argparse.Namespace) -> int:
    """`suture clipboards`: list or clear clipboards."""
    if options.names and not options.clear:
        return report_misuse("clipboards", "names need --clear")
    arguments = {"session": options.session or options.caller.label or None}
    if options.clear:
        arguments["names"] = options.names
    name = "clear_clipboards" if options.clear else "clipboards"
    return run(options, lambda workspace: workspace.command(name, arguments), lambda result: result.answer)


def forget(options: argparse.Namespace) -> int:
    """`suture forget`: show what would be removed and ask, unless told not to."""
    if not options.targets:
        return report_misuse("forget", "expected files, folders, or ids of changes")

    def remove(workspace: Workspace, **more: object) -> ToolResult:
        return workspace.command("forget", {**tool_arguments(options), "targets": _targets(options, workspace), **more})

    if not options.yes and not options.dry_run:
        if options.json or sys.stdin is None or not sys.stdin.isatty():
            problem = "this cannot be undone: add --dry-run to see what would be removed, then --yes to remove it"
            return report_misuse("forget", problem)
        preview = attempt(options, lambda workspace: remove(workspace, dry_run=True))
        if preview.is_error:
            print_refusal(options, preview)
            return exit_code(preview)
        print_always(f"{preview.answer}\nRemove this for good? It cannot be undone. [y/N] ")
        flush()
        typed = sys.stdin.buffer.readline()
        if typed.strip().lower() not in {b"y", b"yes"}:
            print_always("Nothing was removed.\n" if typed else "\nNothing was removed.\n")
            return 1
    return run(options, remove, lambda result: result.answer)


def _targets(options: argparse.Namespace, workspace: Workspace) -> list[str]:
    """The files and changes to forget, as the tool takes them.

    In a subfolder, a word may be the id of a change if no file of that name is recorded there.
    """
    if not options.location.folder:
        return list(options.targets)
    paths = [options.location.to_root(word) for word in options.targets]
    return [
        word if "/" not in word and _is_change(workspace, word, path) else path
        for word, path in zip(options.targets, paths, strict=True)
    ]


def _is_change(workspace: Workspace, word: str, path: str) -> bool:
    """Whether a word names a change, and not a recorded path."""
    if workspace.history(path, limit=1).metadata.get("changes"):
        return False
    shown = workspace.show(word)
    return not shown.is_error or shown.metadata["error"]["code"] != "CHANGE_NOT_FOUND"


def _change_files(options: argparse.Namespace, name: str, **more: object) -> int:
    """Make a call that changes files, with more arguments than the options set."""
    arguments = {**tool_arguments(options), **more}

    def show(result: ToolResult) -> None:
        print_change(options, result, result.answer, cut(result.metadata["diff"], options.settings))

    return run_and_show(options, lambda workspace: workspace.command(name, arguments), show)


def _log_lines(data: dict[str, Any]) -> Iterator[str]:
    oldest = data["changes"][-1]["change_id"] if data["next"] else ""
    points = [point for point in data.get("checkpoints", []) if point["id"] > oldest]
    for change in data["changes"]:
        while points and points[-1]["id"] > change["change_id"]:
            yield _point_line(points.pop())
        yield from _change_lines(change)
    for point in reversed(points):
        yield _point_line(point)


def _checkpoint_list(result: ToolResult) -> str:
    points = result.metadata["checkpoints"]
    return "\n".join(_point_line(point) for point in reversed(points)) if points else result.answer


def _point_line(point: dict[str, Any]) -> str:
    """A checkpoint in one line."""
    damaged = colored("red", " (damaged)") if point.get("damaged") else ""
    kind, name = "snapshot" if point["kind"] == "snapshot" else "checkpoint", clean(point["name"] or point["id"])
    reason = clean(why(point["kind"], point["about"]))
    more = f" ({reason})" if reason else ""
    return f"{colored('faint', _when(point['time']))} {colored('cyan', f'{kind} {name}')}{more}{damaged}"


def _change_lines(change: dict[str, Any]) -> Iterator[str]:
    state = "" if change["state"] == "landed" else colored("red", f" ({change['state']})")
    when = colored("faint", _when(change["time"]))
    if change["state"] == "damaged":
        yield f"{colored('yellow', change['change_id'])}{state} {when}"
        yield " what it changed is unknown"
        return
    origin = colored("faint", clean(_origin(change)))
    yield f"{colored('yellow', change['change_id'])}{state} {when} {clean(about(change))}{origin}"
    names = [clean(file_name(file)) for file in change["files"]]
    width = max(map(len, names), default=0)
    most = max((file["added"] + file["removed"] for file in change["files"]), default=0)
    for name, file in zip(names, change["files"], strict=True):
        yield f" {name:{width}} | {_bar(file, most)}"
    added, removed = (sum(file[key] for file in change["files"]) for key in ("added", "removed"))
    counts = [count(len(names), "file") + " changed"]
    counts += [f"{count(added, 'insertion')}(+)"] if added else []
    counts += [f"{count(removed, 'deletion')}(-)"] if removed else []
    yield " " + ", ".join(counts)


def _origin(change: dict[str, Any]) -> str:
    """The agent and the session that made a change, and the branch, as far as they say something."""
    session, head = change["session"], change["head"]
    known = []
    if session is not None and session["agent"] not in _NO_AGENTS:
        known = [session["agent"], f"session {session['id']}"]
    elif session is not None and not is_id(session["id"]):
        known = [f"session {session['id']}"]
    known += [head["branch"]] if head is not None and head["branch"] else []
    return f" ({', '.join(known)})" if known else ""


def _bar(file: dict[str, Any], most: int) -> str:
    """A bar as in `git log --stat`: a plus or minus for each line, scaled down if there are many."""
    total = f"{file['added'] + file['removed']:{len(str(most))}}"
    scale = min(1, _BAR_WIDTH / max(most, 1))
    plus, minus = (max(1, round(file[key] * scale)) if file[key] else 0 for key in ("added", "removed"))
    return f"{total} {colored('green', '+' * plus)}{colored('red', '-' * minus)}".rstrip()


def _render_change(result: ToolResult) -> str:
    lines = [*_change_lines(result.metadata), ""]
    return "\n".join([*lines, *colored_diff(result.metadata["diff"])]).rstrip("\n")


def _when(time: str) -> str:
    """A time in the local time zone; empty if unknown."""
    from datetime import datetime

    return time and datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M")
