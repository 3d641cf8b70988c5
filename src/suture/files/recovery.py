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
from suture.files.paths import INTENT_NAME, shown
from suture.files.tree import split
from suture.plan import Trouble, digest
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.files.history import History
    from suture.files.journal import Intent, Step
    from suture.files.tree import Tree
    from suture.plan import ChangeRecord


class Recovered(Record):
    """An interrupted transaction that was cleared up: rolled `back`, or `forward` if it was complete."""

    id: str
    direction: str
    files: tuple[str, ...]
    aside: tuple[str, ...]
    """Where old content was put because somebody else had written the file since."""
    trouble: Trouble | None = None
    """Why a complete transaction, which was finished, could not be recorded."""


def recover(trees: Sequence[Tree], history: History, *, durable: bool) -> Recovered | None:
    """Clear up what an earlier process left behind. The caller holds the workspace lock."""
    try:
        return _recover(trees, history, durable=durable)
    except OSError as error:
        reason = os.strerror(error.errno or errno.EIO)
        raise RecoveryBlocked(intent=INTENT_NAME, reason=reason) from error


def _recover(trees: Sequence[Tree], history: History, *, durable: bool) -> Recovered | None:
    journal = Journal(trees)
    if not journal.exists():
        return None
    intent, done = journal.read()
    if intent is None:  # torn while being written: nothing else had been begun
        journal.remove()
        return None
    files = tuple(step.path for step in intent.steps)
    if done:
        trouble = _record(trees, intent, history)
        finish(trees, intent, journal, durable=durable)
        found = Recovered(intent.id, "forward", files, (), trouble)
    else:
        found = Recovered(intent.id, "back", files, roll_back(trees, intent, journal, durable=durable))
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
    if durable:  # or a power cut could bring it back, when its folders are perhaps gone
        trees[0].sync_folder("")
    return tuple(path for path in aside if path is not None)


def finish(trees: Sequence[Tree], intent: Intent, journal: Journal, *, durable: bool, published: bool = False) -> None:
    """Drop what helped with a transaction that is complete, and forget the intent; `published`: by this process."""
    for step in intent.steps:
        try:
            steps.finish(trees[step.root], step, published=published)
        except SutureError as error:  # somebody moved the folder: what landed has landed
            log.warning("recovery", "%s is left behind: %s", step.path, error)
    if durable:  # or a power cut could bring back what no intent names any more
        sync_folders(trees, intent, lenient=True)
    for root, path in sorted(intent.emptied, key=lambda each: len(each[1]), reverse=True):
        _remove_folder(trees[root], path)
        above = split(path)[0]
        if durable and (not above or trees[root].stat(above) is not None):
            trees[root].sync_folder(above)
    journal.remove()


def made(trees: Sequence[Tree], intent: Intent) -> ChangeRecord:
    """What the history will say, with the permission bits that new files were given."""
    modes = {
        shown(trees, step.root, step.path): _mode(trees[step.root], step.path) for step in intent.steps if step.after
    }
    files = [
        file.but(after=file.after.but(mode=mode))
        if file.after and (mode := modes.get(file.to or file.path)) != file.after.mode
        else file
        for file in intent.record.files
    ]
    return intent.record.but(files=tuple(files))


def _mode(tree: Tree, path: str) -> int | None:
    try:
        found = tree.stat(path)
    except SutureError:
        return None  # the change has landed: it must not fail any more
    return None if found is None else found.mode


def _record(trees: Sequence[Tree], intent: Intent, history: History) -> Trouble | None:
    """Record a change whose process died before it could, while everything it replaced is still there."""
    try:
        backups = [trees[step.root].stat(step.backup) for step in intent.steps if step.backup is not None]
    except SutureError as error:
        return Trouble(recorded=False, reason=f"what it replaced cannot be read ({error.code})")
    if None in backups:  # it had come to tidying up: it is recorded, or could not be
        return None
    return history.record(made(trees, intent), lambda name: _content(trees, intent.steps, name))


def _content(trees: Sequence[Tree], found: Sequence[Step], name: str) -> bytes | None:
    """The content of this hash among what a transaction replaced and what it made."""
    for step in found:
        for path in (step.backup if name == step.before else None, step.path if name == step.after else None):
            if path is not None and trees[step.root].stat(path) is not None:
                content = b"".join(trees[step.root].chunks(path))
                if digest((content,), len(content)) == name:
                    return content
    return None


def sync_folders(trees: Sequence[Tree], intent: Intent, *, lenient: bool = False) -> None:
    """Wait until every folder the transaction works in is on the disk; if `lenient`, but for those that are gone."""
    made = [(root, split(path)[0]) for root, path in intent.folders]
    for root, path in dict.fromkeys((*((step.root, split(step.path)[0]) for step in intent.steps), *made)):
        try:
            if path == "" or trees[root].stat(path) is not None:
                trees[root].sync_folder(path)
        except SutureError as error:  # somebody put a link there
            if not lenient:
                raise
            log.warning("recovery", "%s is not synced: %s", path, error)


def _remove_folder(tree: Tree, path: str) -> None:
    try:
        if tree.stat(path) is not None:
            tree.rmdir(path)
    except OSError as error:
        if error.errno not in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}:
            raise  # somebody else uses the folder now: it stays
