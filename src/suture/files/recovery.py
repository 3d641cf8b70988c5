"""Take an interrupted transaction back, or finish it.

Both ways are only ever gone under the workspace lock, so a transaction that is under way in another
process is never touched. Every action can be repeated: a recovery that is itself killed is begun
again by whoever comes next.

An intent that this user did not sign (planted, another user's, 0.1.0's, or of a user who can keep no key) can do
little: it gets nothing into the history, and removes no folder in which it made nothing. A torn one names nothing at
all. A power cut can leave it together with helping files, which are known by their names (`journal.stray_id`).
"""

from __future__ import annotations

import errno
import os

from suture import log
from suture.errors import RecoveryBlocked, SutureError
from suture.files import steps
from suture.files.journal import Journal, stray_id
from suture.files.paths import INTENT_NAME, shown
from suture.files.tree import split
from suture.plan import Trouble
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from suture.files.history import History
    from suture.files.journal import Intent, Step
    from suture.files.protected import Guard
    from suture.files.tree import Tree
    from suture.plan import ChangeRecord
    from suture.settings import Settings

_UNSIGNED = "its intent is not signed with your key"


class Recovered(Record):
    """An interrupted transaction that was cleared up.

    `direction` is `back` (rolled back), `forward` (it was complete: it has landed), or `unknown`: a power cut took the
    intent, and what was left of the transaction is taken away.
    """

    id: str
    direction: str
    files: tuple[str, ...]
    aside: tuple[str, ...]
    """Where content was put: the old one of a file that somebody else had written since, or of which a power cut left
    no other copy; and what a power cut left of a new one."""
    trouble: Trouble | None = None
    """Why a complete transaction, which was finished, could not be recorded."""


def recover(
    trees: Sequence[Tree],
    histories: Callable[[Tree], History],
    guard: Guard,
    settings: Settings,
    *,
    strays: bool = False,
) -> Recovered | None:
    """Clear up what an earlier process left behind, in each root. The caller holds the locks of all roots.

    `strays`: look for helping files that no intent names, in all folders, even if nothing was interrupted.
    """
    found = []
    for home in trees:
        others = [tree for tree in trees if tree is not home]
        try:
            found.append(_recover([home, *others], histories, guard, settings, strays=strays))
        except OSError as error:
            reason = os.strerror(error.errno or errno.EIO)
            raise RecoveryBlocked(intent=INTENT_NAME, reason=reason) from error
    return next((each for each in found if each is not None), None)


def _recover(
    trees: Sequence[Tree],
    histories: Callable[[Tree], History],
    guard: Guard,
    settings: Settings,
    *,
    strays: bool,
) -> Recovered | None:
    journal = Journal(trees, settings, guard)
    left = journal.read() if journal.exists() else None
    if left is None:
        return _clear_strays(trees, guard) if strays else None
    intent = left.intent
    durable = settings.durability == "full" or (intent is not None and intent.in_place)
    if durable:  # or a power cut could bring back what it said before, when the backups or the folders are gone
        journal.sync()
    if intent is None:  # torn: by a crash before anything else was begun, or by a power cut at any time
        cleared = _clear_strays(trees, guard)
        journal.remove()
        return cleared
    files = tuple(shown(trees, step.root, step.path) for step in intent.steps)
    try:
        if left.done and not any(_is_unpublished(trees[step.root], step) for step in intent.steps):
            record = _record if left.signed else _look_up
            trouble = record(trees, intent, histories(trees[0]))
            finish(trees, intent if left.signed else intent.but(emptied=()), journal, durable=durable)
            found = Recovered(intent.id, "forward", files, (), trouble)
        else:
            aside = roll_back(trees, intent, journal, durable=durable, signed=left.signed)
            found = Recovered(intent.id, "back", files, aside)
    except SutureError as error:
        reason = error.reason if isinstance(error, RecoveryBlocked) else f"{error.code}{_named(error)}"
        state = "left" if left.signed else "foreign"
        raise RecoveryBlocked(intent=INTENT_NAME, reason=reason, state=state, change_id=intent.id) from error
    log.warning("recovery", "recovered %s: rolled %s, aside %s", found.id, found.direction, found.aside)
    return found


def _is_unpublished(tree: Tree, step: Step) -> bool:
    try:
        return steps.is_unpublished(tree, step)
    except SutureError:
        return False  # somebody put a link where a folder was: nothing speaks against the mark


def roll_back(
    trees: Sequence[Tree], intent: Intent, journal: Journal, *, durable: bool, signed: bool = True
) -> tuple[str, ...]:
    """Put everything back and forget the intent; it stays if a part cannot be put back, which stops no other part."""
    aside: list[str | None] = []
    blocked: list[str] = []
    made = set(intent.folders)
    removable = intent.folders if signed else _proven_folders(trees, intent)
    for step in reversed(intent.steps):
        tree, folder = trees[step.root], split(step.path)[0]
        try:
            if folder and (step.root, folder) not in made and tree.stat(folder) is None:
                blocked.append(f"{step.path} cannot be put back: the folder {folder} is gone")
            else:
                aside.append(steps.undo(tree, step, signed=signed))
        except SutureError as error:
            blocked.append(f"{step.path} cannot be put back: {error.code}{_named(error)}")
        except OSError as error:
            blocked.append(f"{step.path} cannot be put back: {error.strerror}")
    if blocked:
        raise RecoveryBlocked(intent=INTENT_NAME, reason=blocked[0])
    for root, path in reversed(removable):
        _remove_folder(trees[root], path)
    if durable:
        sync_folders(trees, intent)
        journal.empty()  # or a power cut could bring it back, when its folders are perhaps gone
    journal.remove()
    if durable:
        trees[0].sync_folder("")
    return tuple(path for path in aside if path is not None)


def _named(error: SutureError) -> str:
    """The file that an error is about, if it says so."""
    path = str(getattr(error, "path", ""))
    return f" ({path})" if path else ""


def _proven_folders(trees: Sequence[Tree], intent: Intent) -> tuple[tuple[int, str], ...]:
    """The folders of an intent in which it made something: an empty one that it only names may be anybody's."""
    used = set()
    for step in intent.steps:
        folder = split(step.path)[0]
        if any(path is not None and trees[step.root].stat(path) is not None for path in (step.temp, step.backup)):
            while folder:
                used.add((step.root, folder))
                folder = split(folder)[0]
    return tuple(place for place in intent.folders if place in used)


def find_strays(trees: Sequence[Tree], guard: Guard) -> Iterator[tuple[Tree, str, str]]:
    """The helping files that a transaction of the first root left anywhere, each with its change's id.

    Another root's are not touched: an intent there may name them. Nor is what is protected.
    """
    for tree in trees:
        folders = [""]
        while folders:
            folder = folders.pop()
            try:
                handle, files, below = tree.fs.scan(tree.folder(folder), "")
            except (OSError, SutureError) as error:
                log.debug("recovery", "%s is not searched: %s", folder, error)
                continue
            tree.let_go(handle)
            prefix = f"{folder}/" if folder else ""
            folders += [path for name in below if guard.rule(path := prefix + name) is None]
            for name in sorted(files):
                if (found := stray_id(name, trees[0])) is not None:
                    yield tree, prefix + name, found


def _clear_strays(trees: Sequence[Tree], guard: Guard) -> Recovered | None:
    """Take away what a transaction left and no intent names; the only copy of an old content gets another name."""
    found = list(find_strays(trees, guard))
    aside = []
    for tree, path, change in sorted(found, key=lambda each: each[1].endswith(".old")):  # a copy in a .new is none
        try:
            if path.endswith(".old") and not _has_twin(tree, path):
                folder, number = split(path)[0], path.removesuffix(".old").rpartition("-")[2]
                name = f"suture-{change}-{number}"
                aside.append(steps.put_aside(tree, f"{folder}/{name}" if folder else name, path))
            else:
                tree.unlink(path)
        except (OSError, SutureError) as error:  # nobody waits for it: `recover` finds it again
            log.warning("recovery", "%s is left behind: %s", path, error)
    if not found:
        return None
    newest = max(change for _, _, change in found)
    log.warning("recovery", "took %d files away that %s left, aside %s", len(found), newest, aside)
    return Recovered(newest, "unknown", (), tuple(aside))


def _has_twin(tree: Tree, path: str) -> bool:
    """Whether another name in the workspace has the file, or another file beside it the content."""
    found, folder = tree.stat(path), split(path)[0]
    if found is None or found.links > 1:
        return True
    content = None
    for name in tree.names(folder):
        other = f"{folder}/{name}" if folder else name
        status = tree.stat(other)
        if other == path or status is None or (status.kind, status.size) != ("file", found.size):
            continue
        content = content or steps.digest_of(tree, path)
        if steps.digest_of(tree, other) == content:
            return True
    return False


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


def _look_up(trees: Sequence[Tree], intent: Intent, history: History) -> Trouble | None:  # noqa: ARG001  as `_record`
    """Whether a change is recorded that this user did not sign; it is not recorded now."""
    try:
        with history.reading() as book:
            known = book.knows(intent.id)
    except SutureError:
        known = False
    return None if known else Trouble(recorded=False, reason=_UNSIGNED, usable=True)


def _content(trees: Sequence[Tree], found: Sequence[Step], name: str) -> bytes | None:
    """The content of this hash among what a transaction replaced and what it made."""
    for step in found:
        for path in (step.backup if name == step.before else None, step.path if name == step.after else None):
            if path is not None and steps.digest_of(trees[step.root], path) == name:
                return b"".join(trees[step.root].chunks(path))
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
