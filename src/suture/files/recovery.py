"""Take an interrupted transaction back, or finish it.

Both ways are only ever gone under the workspace lock, so a transaction that is under way in another
process is never touched. Every action can be repeated: a recovery that is itself killed is begun
again by whoever comes next.
"""

from __future__ import annotations

import errno
import os

from suture import log
from suture.errors import RecoveryBlocked, SutureError
from suture.files import steps
from suture.files.journal import Journal
from suture.files.paths import INTENT_NAME
from suture.files.tree import split
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.files.journal import Intent
    from suture.files.tree import Tree


class Recovered(Record):
    """An interrupted transaction that was cleared up: rolled `back`, or `forward` if it was complete."""

    id: str
    direction: str
    files: tuple[str, ...]
    aside: tuple[str, ...]
    """Where old content was put because somebody else had written the file since."""


def recover(trees: Sequence[Tree], *, durable: bool) -> Recovered | None:
    """Clear up what an earlier process left behind. The caller holds the workspace lock."""
    try:
        return _recover(trees, durable=durable)
    except OSError as error:
        reason = os.strerror(error.errno or errno.EIO)
        raise RecoveryBlocked(intent=INTENT_NAME, reason=reason) from error


def _recover(trees: Sequence[Tree], *, durable: bool) -> Recovered | None:
    journal = Journal(trees)
    if not journal.exists():
        return None
    intent, done = journal.read()
    if intent is None:  # torn while being written: nothing else had been begun
        journal.remove()
        return None
    if done:
        finish(trees, intent, journal, durable=durable)
        aside: tuple[str, ...] = ()
    else:
        aside = roll_back(trees, intent, journal, durable=durable)
    found = Recovered(intent.id, "forward" if done else "back", tuple(step.path for step in intent.steps), aside)
    log.warning("recovery", "recovered %s: rolled %s, aside %s", found.id, found.direction, found.aside)
    return found


def roll_back(trees: Sequence[Tree], intent: Intent, journal: Journal, *, durable: bool) -> tuple[str, ...]:
    """Put everything back and forget the intent; it stays if a part cannot be put back, which stops no other part."""
    aside: list[str | None] = []
    blocked: list[str] = []
    made = set(intent.folders)
    for step in reversed(intent.steps):
        tree, folder = trees[step.root], split(step.path)[0]
        try:
            if folder and (step.root, folder) not in made and tree.stat(folder) is None:
                blocked.append(f"{step.path} cannot be put back: the folder {folder} is gone")
            else:
                aside.append(steps.undo(tree, step))
        except SutureError as error:
            blocked.append(f"{step.path} cannot be put back: {error.code}")
        except OSError as error:
            blocked.append(f"{step.path} cannot be put back: {error.strerror}")
    if blocked:
        raise RecoveryBlocked(intent=INTENT_NAME, reason=blocked[0])
    for root, path in reversed(intent.folders):
        _remove_folder(trees[root], path)
    if durable:
        sync_folders(trees, intent)
    journal.remove()
    return tuple(path for path in aside if path is not None)


def finish(trees: Sequence[Tree], intent: Intent, journal: Journal, *, durable: bool) -> None:
    """Drop what helped with a transaction that is complete, and forget the intent."""
    for step in intent.steps:
        try:
            steps.finish(trees[step.root], step)
        except SutureError as error:  # somebody moved the folder: what landed has landed
            log.warning("recovery", "%s is left behind: %s", step.path, error)
    if durable:  # or a power cut could bring back what no intent names any more
        sync_folders(trees, intent)
    journal.remove()


def sync_folders(trees: Sequence[Tree], intent: Intent) -> None:
    """Wait until every folder the transaction works in is on the disk."""
    made = [(root, split(path)[0]) for root, path in intent.folders]
    for root, path in dict.fromkeys((*((step.root, split(step.path)[0]) for step in intent.steps), *made)):
        if path == "" or trees[root].stat(path) is not None:
            trees[root].sync_folder(path)


def _remove_folder(tree: Tree, path: str) -> None:
    try:
        if tree.stat(path) is not None:
            tree.rmdir(path)
    except OSError as error:
        if error.errno not in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}:
            raise  # somebody else uses the folder now: it stays
