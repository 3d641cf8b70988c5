"""The file that an agent reads its settings from: where it is, what is in it, and how an entry gets into it.

It is written by the engine as any other file: at once, keeping its mode and its links, with a copy of what was there.
"""

from __future__ import annotations

import os
import sys

from suture.cli.clients import user_file
from suture.cli.merging import Unmergeable, holds, merged
from suture.edits import edit
from suture.engine import Engine
from suture.files.protected import Guard
from suture.plan import Plan
from suture.records import Record
from suture.settings import Settings
from suture.text import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from suture.cli.clients import Client
    from suture.cli.merging import Addition
    from suture.edits import Edit
    from suture.plan import Change, FileChange
    from suture.session import Session

_PERMISSIONS = 0o777


class Place(Record):
    """A file for settings: the folder below which it is written, and its path in it."""

    path: str
    scope: str
    base: str
    name: str


class Outcome(Record):
    """What became of a file."""

    status: str
    """written or already there."""
    backup: str | None = None
    undo: str = ""
    """How it is taken back."""


def place_of(client: Client, scope: str, root: str) -> Place:
    """Where settings are. A link of the user's own is followed anywhere, one in a project not out of that."""
    if scope == "project" and client.project is not None:
        return Place(os.path.join(root, *client.project.split("/")), scope, root, client.project)
    path = user_file(client, sys.platform, os.environ)
    base, name = os.path.split(os.path.realpath(path))
    while not os.path.isdir(base) and os.path.dirname(base) != base:
        base, folder = os.path.split(base)
        name = f"{folder}/{name}"
    return Place(path, scope, base, name)


def state(path: str, addition: Addition) -> str:
    """Whether an entry of the addition's name is in a file, in words."""
    if not os.path.lexists(path):
        return "no file"
    try:
        if not os.path.isfile(path):
            return "not a file"
        with open(path, "rb") as file:
            text = as_utf8(Text.decode(file.read()))
        return f"with {addition.name}" if holds(text, addition) else f"without {addition.name}"
    except (OSError, Unmergeable):
        return "cannot be read"


def put(place: Place, addition: Addition, *, force: bool) -> Outcome:
    """Write the settings, with a copy of what was there, and so that it can be taken back.

    What is protected, and opened here because it was asked for, is not recorded: `suture undo` would refuse it, and
    so stand in the way of all that comes before.
    """
    home = os.environ.get("HOME", "").rstrip("/")
    if home and place.scope == "user" and place.path.startswith(f"{home}/") and not os.path.isdir(home):
        raise Unmergeable(f"HOME, {home}, is no folder")
    protected = Guard().rule(place.name) is not None
    opened = (place.name, f"{place.name}.bak*") if protected else ()
    engine = Engine(place.base, Settings(allow_protected=opened, history=not protected))
    try:
        change = engine.land(lambda session: _plan(session, place, addition, force=force)).change
    except KeyboardInterrupt:
        engine.recover()  # nobody may come back to this folder soon
        raise
    finally:
        engine.close()
    if change is None:
        return Outcome("already there")
    copy = next((os.path.join(place.base, landed.path) for landed in change.files[1:]), None)
    return Outcome("written", copy, _way_back(place, copy, None if protected else change))


def _plan(session: Session, place: Place, addition: Addition, *, force: bool) -> Plan:
    """What is to be done to the file as it is now; nothing, if the addition is in it."""
    summary = f"Put {addition.name} into {place.name}"
    if session.locate(place.name).stat is None:
        return Plan((session.plan_create(place.name, merged("", addition).text.encode()),), "init", summary)
    before = session.text(place.name)
    text = as_utf8(before.text)
    cuts = merged(text, addition, replace=force).cuts
    if not cuts:
        return Plan(())
    changes: list[FileChange] = [session.plan_update(before, [_in_bytes(text, *cut) for cut in cuts])]
    if before.text.raw:
        changes.append(session.plan_create(_free_name(place), before.text.raw, before.mode & _PERMISSIONS))
    return Plan(tuple(changes), "init", summary)


def _way_back(place: Place, backup: str | None, change: Change | None) -> str:
    from shlex import join

    if change is not None and change.trouble is None:
        return join(["suture", "undo", change.id, "--root", place.base])
    target = os.path.join(place.base, place.name)
    return join(["rm", target] if backup is None else ["cp", backup, target])


def as_utf8(text: Text) -> str:
    """The text of settings, which must be UTF-8."""
    try:
        if text.encoding is not None:
            return text.body.decode()
    except UnicodeDecodeError:  # half a surrogate pair in UTF-16
        pass
    raise Unmergeable("it is not UTF-8")


def _in_bytes(text: str, start: int, end: int, new: str) -> Edit:
    first = len(text[:start].encode())
    return edit(first, first + len(text[start:end].encode()), new.encode())


def _free_name(place: Place) -> str:
    """A name for a copy that nothing has yet."""
    number = 0
    while os.path.lexists(os.path.join(place.base, found := f"{place.name}.bak{number or ''}")):
        number += 1
    return found
