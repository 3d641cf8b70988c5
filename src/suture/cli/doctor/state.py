"""What `suture doctor` looks at in the user's state folder: the folder, and the history of a workspace in it."""

from __future__ import annotations

import os
from itertools import islice
from shlex import quote
from time import monotonic

from suture.cli.amounts import in_bytes, several
from suture.cli.doctor.finding import note, ok, problem
from suture.cli.onlooker import sight
from suture.errors import HistoryUnavailable, WorkspaceNotFound
from suture.files.local_fs import shelf_folder
from suture.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from sqlite3 import Connection

    from suture.cli.doctor.finding import Finding

_OTHERS = 0o077
_TOO_LITTLE, _LITTLE = 10_000_000, 500_000_000
_PATIENCE_MS = 1_000
_SECONDS = 5
_LOOKED_AT = 1_000  # changes, the newest
_STEPS = 10_000
_NEW_ONE = "The next change puts it aside and begins a new one. Until then changes cannot be listed or taken back."
_READ_ONLY = 8  # SQLITE_READONLY


def folder(root: str) -> Iterator[Finding]:
    """Where histories lie, or will."""
    del root
    shelf = shelf_folder()
    place = shelf
    while not os.path.lexists(place):
        place = os.path.dirname(place)
    elsewhere = "Or name another folder by the variable XDG_STATE_HOME."
    if not os.path.isdir(place):
        yield problem("folder", f"{shelf} cannot be: {place} is not a folder", f"Move it away. {elsewhere}")
        return
    if not os.access(place, os.W_OK | os.X_OK):
        what = f"chmod u+wx {quote(place)}"
        yield problem("folder", f"{shelf}: nothing can be written to {place}", f"{what}. {elsewhere}")
    elif place == shelf:
        yield ok("folder", shelf)
    else:
        yield ok("folder", f"{shelf} (the first change makes it)")
    if place == shelf:
        yield from _ownership(shelf)
    yield free_space(place)


def history(root: str) -> Iterator[Finding]:
    """The workspace's history."""
    if not os.path.isdir(shelf_folder()):
        yield ok("history", "nothing is recorded yet")
        return
    try:
        with sight(root, _PATIENCE_MS) as seen:
            if seen.file is None:
                yield ok("history", "nothing is recorded yet")
                return
            size, most = os.path.getsize(seen.file), Settings().history_max_bytes
            counts = ", ".join(several(_count(seen.database, table), table) for table in ("change", "snapshot"))
            yield ok("history", f"{counts}; {in_bytes(size)} of at most {in_bytes(most)}")
            found = _soundness(seen.database, seen.file)
            yield found
            damaged = (
                []
                if found.state != "ok"
                else [each.id for each in islice(seen.book.changes(), _LOOKED_AT) if each.state == "damaged"]
            )
            if damaged:
                said = f"{several(len(damaged), 'change')} damaged, such as {damaged[0]}"
                yield problem("records", said, "They cannot be undone. To list all changes: suture log")
            if seen.waiting:
                waits = f"{several(len(seen.waiting), 'change')} waiting to be recorded"
                yield note("waiting", waits, "Nothing to do: the next change, or suture log, records them.")
    except WorkspaceNotFound:
        return  # which is told where the workspace is looked at
    except HistoryUnavailable as error:
        yield _unavailable(error)


def free_space(place: str) -> Finding:
    """How much can still be written."""
    found = os.statvfs(place)
    free = found.f_bavail * found.f_frsize
    said = f"{in_bytes(free)} on the disk of {place}"
    if free < _TOO_LITTLE:
        return problem("free space", said, "Make room: an edit needs some for a copy of each file.")
    return note("free space", said, "Make room soon.") if free < _LITTLE else ok("free space", said)


def _count(database: Connection, table: str) -> int:
    return int(database.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608  ours


def _ownership(shelf: str) -> Iterator[Finding]:
    status = os.stat(shelf)
    user = os.geteuid()
    if status.st_uid == user:
        yield ok("owner", "you")
    else:
        advice = f"sudo chown -R {user} {quote(shelf)}"
        yield problem("owner", f"{shelf} belongs to user {status.st_uid}, not to you ({user})", advice)
    mode = status.st_mode & 0o777
    if mode & _OTHERS:
        said = f"0{mode:o}: other users can get at what was in your files"
        yield problem("permissions", said, f"chmod 700 {quote(shelf)}")
    else:
        yield ok("permissions", f"0{mode:o}")


def _soundness(database: Connection, file: str) -> Finding:
    """Whether SQLite finds the database sound, as far as it gets in a few seconds."""
    from sqlite3 import OperationalError

    ends = monotonic() + _SECONDS
    database.set_progress_handler(lambda: monotonic() > ends, _STEPS)
    try:
        said = [str(row[0]) for row in database.execute("PRAGMA quick_check(1)").fetchall()]
    except OperationalError:
        if monotonic() < ends:
            raise  # which is told as what keeps the history from being read
        return ok("database", f"{file}: sound as far as it was read, for {_SECONDS} s")
    finally:
        database.set_progress_handler(None, 0)
    if said == ["ok"]:
        return ok("database", f"{file} is sound")
    return problem("database", f"{file} is damaged: {' '.join(said[0].split())}", _NEW_ONE)


def _unavailable(error: HistoryUnavailable) -> Finding:
    """Why a history cannot be read, and what becomes of it."""
    code = int(getattr(error.__cause__, "sqlite_errorcode", 0)) & 0xFF
    if code == _READ_ONLY:
        advice = "Nothing to do: the next change, or suture log, takes that back."
        return note("history", "it was being written when the program ended", advice)
    if "locked" in error.reason:
        return note("history", error.reason, "Wait until it is done; a change that lands meanwhile is not recorded.")
    advice = _NEW_ONE if "damaged" in error.reason else f"See to the files in {shelf_folder()}."
    return problem("history", error.reason, advice)
