"""List the files of a whole tree, and read those that may have changed since they were last seen.

A file whose size, times, inode and mode are as they were is taken to be unchanged, as git does it with its index, and
not read. One that was written in the moment in which it was read could be written again without a trace, so it is read
again the next time ("racily clean").

The tree has every regular file below the root, except those in the folders of version control systems, suture's own,
and those that `.gitignore` files exclude, unless git tracks them or the history knows them. Folders that are
repositories of their own are entered, and their indexes are read too; but not worktrees, which are roots of their own.
Links are neither followed nor listed. Large files are listed, but not read. Contents of protected files and of files
with names of secrets are hashed, but not kept.

Every content is one that the file had at some moment: if its stamp changes while it is read, it is read again. Many
files are read in threads: reading, hashing and compressing let other threads run, which halves the time on two cores.
"""

from __future__ import annotations

import errno
import os
from time import monotonic, time_ns

from suture import log
from suture.bounds import check_time
from suture.errors import FileNotFound, InputTooLarge, NotAFolder, PathOutsideWorkspace, SutureError
from suture.files.fs import Tree, split, to_suture_error
from suture.files.gitignore import GITIGNORE, require_rules, rules_above
from suture.files.glob import join
from suture.files.local_fs import LocalFS
from suture.files.protected import Patterns, folded_names, is_own
from suture.files.walk import drop_ignored
from suture.files.worktree import tracked_files
from suture.plan import digest
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from suture.files.fs import FS, Stamp
    from suture.files.gitignore import Rules
    from suture.files.protected import Guard

    Seen = tuple[Stamp, str | None]
    """A file as it was last seen: its stamp, and the hash of its content, None if that was not read."""

    _Result = tuple[str, Stamp, str | None, Any]
    """A file that was read: its stamp, its hash, and what is kept of its content, None if that is withheld."""

VERSION_CONTROL = frozenset(
    (
        ".git",
        ".hg",
        ".svn",
        ".bzr",
        ".jj",
        ".sl",
        ".pijul",
        "_darcs",
        ".fossil",
        "_fossil_",
        ".fslckout",
        ".repo",
        "git~1",
    )
)
"""Names of version control systems, in lower case, which no checkpoint contains."""
_CVS = "CVS"  # in lower case, it may be a folder of the project
_BEGINNINGS = (".", "_", "g", "G")  # of names that are left out: most names begin in other ways
_GIT_FOLDERS = ("objects", "refs")  # in the folder of every repository, beside the file HEAD
SECRETS = (
    ".env*",
    "*.env",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    ".npmrc",
    ".pgpass",
    ".htpasswd",
    ".pypirc",
    "credentials",
    "credentials.json",
    "service-account*.json",
    "secrets.json",
    "secrets.toml",
    "secrets.yaml",
    "secrets.yml",
    "*.tfvars",
)
"""Names of files that often hold passwords or private keys: checkpoints keep only their hashes.

Case does not matter. Tools edit these files as they do any other, and record such an edit with its contents.
"""
_SECRETS = Patterns(SECRETS)
_WORKTREES = "worktrees"  # the folder of a repository in which it has those of its worktrees
_LINK = b"gitdir:"  # the beginning of a file that stands for a repository's folder
_MAX_LINK_BYTES = 1 << 16  # of such a file: far more than git writes
_MANY_FILES, _MANY_BYTES = 200, 4_000_000  # to read, from which on threads pay
_BATCH_FILES, _BATCH_BYTES = 256, 4_000_000  # that a thread reads at once
_MAX_THREADS = 4
_MAX_READS = 3  # of a file that changes while it is read
_TICK_NS = 20_000_000  # the clock of file systems advances in steps of up to 10 ms
_COARSE_TICK_NS = 2_000_000_000  # or of 2 s, where times have no fractions
_SECOND_NS = 1_000_000_000
_GONE = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}
_UNSETTLED = -1
"""Instead of the time of a file that must be read again."""


class Limits(Record):
    """When a scan stops."""

    files: int
    """The most files that a tree may have."""
    ends: float
    """The time, of `monotonic`, at which the scan must be over."""
    file_bytes: int
    """The size of the largest file whose content is read."""
    total_bytes: int
    """The total size of what is kept of contents."""


class Scan(Record):
    """The files of a tree."""

    files: dict[str, Seen]
    """Every file, with its stamp and the hash of its content."""
    kept: dict[str, Any]
    """What is kept of the contents that were read, by hash."""
    reread: set[str]
    """The files that were read, because they were not as they had been seen last."""
    withheld: set[str]
    """Those among them whose contents are not kept."""
    unreadable: set[str]
    """New files that cannot be read now, or change all the time."""
    repositories: tuple[str, ...]
    """The folders that are repositories, with a trailing slash; the root is empty."""
    left_out: frozenset[str]
    """The known files that no checkpoint contains any more, whether they are there or not."""
    stopped: str
    """The limit that was reached, if one was: `files`, `time` or `bytes`. Then files are missing, or their hashes."""


def scan(
    tree: Tree,
    guard: Guard,
    known: Mapping[str, Seen],
    changed: Iterable[str],
    limits: Limits,
    keep: Callable[[bytes], Any],
) -> Scan:
    """Scan a tree whose files were last seen as `known`; they, and those that suture `changed`, count even if ignored.

    `keep` makes of a content what is to be kept of it. It is called in threads.
    """
    began = time_ns()
    listing = _Listing(tree, limits)
    stopped = listing.walk() or listing.add({*known, *changed})
    files = {path: (stamp, known[path][1] if path in known else None) for path, stamp in listing.stamps.items()}
    files |= {path: seen for path, seen in known.items() if path not in files and listing.is_hidden(path)}
    to_read = [(path, stamp) for path, stamp in listing.stamps.items() if path not in known or known[path][0] != stamp]
    read = _ReadFiles(limits.total_bytes)
    if not stopped:
        for batch in _read_all(tree, _Reader(tree.fs, tree.root, guard, limits, keep), to_read):
            check_time()
            if not read.add(batch):
                stopped = "bytes"
                break
    for path, stamp in to_read:  # those that are missing cannot be read now, or change all the time
        last, name = read.files.get(path, (_unsettled(stamp), files[path][1]))
        files[path] = _settled(last, began), name
    if not stopped and monotonic() > limits.ends:
        stopped = "time"
    unreadable = {path for path, _ in to_read if path not in read.files and path not in known}
    left_out = frozenset(path for path in known if path not in files and listing.left_out.has(path))
    repositories = tuple(listing.repositories)
    return Scan(files, read.kept, set(read.files), read.withheld, unreadable, repositories, left_out, stopped)


def is_ignored(tree: Tree, path: str) -> bool:
    """Whether a scan would leave out a path, if neither git nor the history knew it."""
    if LeftOut(tree).has(path):
        return True

    def rules_in(prefix: str) -> Rules:
        rules = _ignore_rules(tree.fs, tree.folder(prefix.removesuffix("/")), prefix)
        return rules if prefix else (*rules_above(tree), *rules)

    try:
        return is_ignored_by(path, rules_in)
    except (OSError, SutureError) as error:
        log.debug("scan", "%s: %s", path, error)
        return True


def is_ignored_by(path: str, rules_in: Callable[[str], Rules]) -> bool:
    """Whether a path is ignored, given a function that returns the rules in a folder."""
    names = path.split("/")
    rules: Rules = ()
    for depth, name in enumerate(names):
        prefix = "".join(f"{above}/" for above in names[:depth])
        rules += rules_in(prefix)
        if not _not_ignored([name], prefix, rules, folders=depth < len(names) - 1):
            return True
    return False


def is_outside(path: str) -> bool:
    """Whether a path is in no checkpoint: in a folder of version control or of suture, or in another root."""
    return path.startswith("/") or any(map(_is_left_out, path.split("/")))


class LeftOut:
    """What no checkpoint contains, although it is below the root, found by looking at the folders above a path.

    A worktree below the root is a root of its own: git and other agents work there. A folder of a repository can have
    any name (`git init --bare`, `--separate-git-dir`); restoring it would move references back and delete objects.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._folders: dict[str, bool] = {}

    def has(self, path: str) -> bool:
        """Whether a path is in no checkpoint."""
        if is_outside(path):
            return True
        at = path.find("/")
        while at > 0:
            folder = path[:at]
            if folder not in self._folders:
                self._folders[folder] = self._look_at(folder)
            if self._folders[folder]:
                return True
            at = path.find("/", at + 1)
        return False

    def enter(self, folder: str, handle: int, files: Collection[str], folders: Collection[str]) -> bool:
        """Whether an open folder with these files and folders is a part of checkpoints."""
        left_out = ("HEAD" in files and all(name in folders for name in _GIT_FOLDERS)) or (
            bool(folder) and ".git" in files and self._is_worktree(folder, handle)
        )
        self._folders[folder] = left_out
        return not left_out

    def _look_at(self, folder: str) -> bool:
        try:
            handle = self._tree.folder(folder)
            if self._tree.fs.stamp(handle, "HEAD") is not None and self._has_folders(folder):
                return True
            has_link = self._tree.fs.stamp(handle, ".git") is not None
            return has_link and self._is_worktree(folder, handle)
        except (OSError, SutureError) as error:
            log.debug("scan", "%s: %s", folder, error)
            return False

    def _has_folders(self, folder: str) -> bool:
        """Whether there are the folders that every repository has."""
        try:
            for name in _GIT_FOLDERS:
                self._tree.folder(f"{folder}/{name}")
        except (OSError, SutureError) as error:
            if _is_gone(error):
                return False
            raise
        return True

    def _is_worktree(self, folder: str, handle: int) -> bool:
        """Whether the file `.git` in a folder is that of a worktree, and not of a submodule."""
        fs = self._tree.fs
        link = fs.read_stamped(handle, ".git", _MAX_LINK_BYTES)[0]
        git = os.fsdecode(link.removeprefix(_LINK).strip()).rstrip("/")
        if not link.startswith(_LINK) or split(split(git)[0])[1] != _WORKTREES:
            return False
        # That of a submodule `worktrees/x` ends in the same way, but has objects.
        return not (
            isinstance(fs, LocalFS)
            and os.path.isdir(os.path.join(fs.real_path(self._tree.root), folder, git, "objects"))
        )


def is_withheld(guard: Guard, path: str) -> bool:
    """Whether only the hash of a file is kept: it is protected, or its name is that of a secret."""
    return _SECRETS.match(folded_names(split(path)[1])) is not None or guard.rule(path) is not None


def check_again(
    tree: Tree,
    guard: Guard,
    scan: Scan,
    known: Mapping[str, Seen],
    limits: Limits,
    keep: Callable[[bytes], Any],
) -> Scan:
    """The scan with the files that differ from what is known as they are now: they may have changed during it."""
    began = time_ns()
    now: list[tuple[str, Stamp]] = []
    files, unsure = dict(scan.files), set[str]()
    for path in (*scan.reread, *(known.keys() - scan.files.keys() - scan.left_out)):
        folder, name = split(path)
        stamp, seen = None, files.get(path)
        try:
            stamp = tree.fs.stamp(tree.folder(folder), name)
        except (OSError, SutureError) as error:
            if not _is_gone(error):
                unsure.add(path)
                continue
        if stamp is None:
            files.pop(path, None)
        elif seen is None or seen[0] not in {stamp, _unsettled(stamp)}:
            now.append((path, stamp))
    read = _ReadFiles(limits.total_bytes)
    read.add(_Reader(tree.fs, tree.root, guard, limits, keep).read(now))
    files |= {path: (_settled(stamp, began), name) for path, (stamp, name) in read.files.items()}
    for path in unsure.union(path for path, _ in now if path not in read.files):
        if path in known:
            files[path] = known[path]
        else:
            files.pop(path, None)
    return scan.evolve(
        files=files,
        kept={**scan.kept, **read.kept},
        withheld=scan.withheld | read.withheld,
        reread=scan.reread.union(read.files),
    )


class _ReadFiles:
    """The files that were read."""

    def __init__(self, most_bytes: int) -> None:
        self._room = most_bytes
        self.files: dict[str, Seen] = {}
        self.kept: dict[str, Any] = {}
        self.withheld: set[str] = set()

    def add(self, batch: Iterable[_Result]) -> bool:
        """Add files; False if too much would have to be kept."""
        for path, stamp, name, content in batch:
            self.files[path] = stamp, name
            if content is None:
                self.withheld.add(path)
            elif name is not None and name not in self.kept:
                self.kept[name] = content
                self._room -= len(content)
        return self._room >= 0


class _Listing:
    """The files of a tree, found by walking and by name, with their stamps."""

    def __init__(self, tree: Tree, limits: Limits) -> None:
        self._tree = tree
        self._limits = limits
        self._unreadable: list[str] = []
        self.stamps: dict[str, Stamp] = {}
        self.repositories: list[str] = []
        self.left_out = LeftOut(tree)

    def walk(self) -> str:
        """Find the files that are not ignored; returns the limit that was reached, if one was."""
        stack: list[tuple[str, Rules]] = [("", rules_above(self._tree))]
        while stack:
            check_time()
            if len(self.stamps) > self._limits.files:
                return "files"
            if monotonic() > self._limits.ends:
                return "time"
            path, rules = stack.pop()
            try:
                stack += self._enter(path, rules)
            except (OSError, SutureError) as error:
                if not path or isinstance(error, InputTooLarge):  # of a .gitignore
                    raise
                log.debug("scan", "%s: %s", path, error)
                self._unreadable += [] if _is_gone(error) else [f"{path}/"]
        return "files" if len(self.stamps) > self._limits.files else ""

    def _enter(self, path: str, rules: Rules) -> list[tuple[str, Rules]]:
        """Add the files of a folder; returns the folders in it that are not ignored."""
        fs, (above, name) = self._tree.fs, split(path)
        handle, entries, folders = fs.scan_stamps(self._tree.folder(above), name)
        prefix = f"{path}/" if path else ""
        try:
            files = dict(entries)
            if not self.left_out.enter(path, handle, files, folders):
                return []
            if ".git" in files or ".git" in folders:
                self.repositories.append(prefix)
            if GITIGNORE in files:
                rules += _ignore_rules(fs, handle, prefix)
        finally:
            self._tree.close_quietly(handle)
        names = [name for name in files if not _is_left_out(name)]
        below = [name for name in folders if not _is_left_out(name)]
        if rules:
            names = _not_ignored(names, prefix, rules, folders=False)
            below = _not_ignored(below, prefix, rules, folders=True)
        self.stamps.update((prefix + name, files[name]) for name in names)
        return [(prefix + name, rules) for name in sorted(below, reverse=True)]

    def add(self, known: Collection[str]) -> str:
        """Add files that are known, or tracked by git, although they are ignored; returns the limit reached."""
        names = {name for name in known if name not in self.stamps}
        if isinstance(self._tree.fs, LocalFS):
            root = self._tree.fs.real_path(self._tree.root)
            for prefix in dict.fromkeys(("", *self.repositories)):
                tracked = tracked_files(os.path.join(root, prefix.removesuffix("/")).rstrip("/") or "/", [root])
                names.update(prefix + name for name in tracked)
        for path in sorted(names.difference(self.stamps)):
            folder, name = split(path)
            if monotonic() > self._limits.ends:
                return "time"
            if self.left_out.has(path):
                continue
            try:
                stamp = self._tree.fs.stamp(self._tree.folder(folder), name)
            except (OSError, SutureError) as error:
                self._unreadable += [] if _is_gone(error) else [path]
                continue
            if stamp is not None:
                self.stamps[path] = stamp
        return "files" if len(self.stamps) > self._limits.files else ""

    def is_hidden(self, path: str) -> bool:
        """Whether it is unknown if there is a file at a path: a folder above it cannot be read."""
        return any(path.startswith(unreadable) for unreadable in self._unreadable)


class _Reader:
    """Reads files; each thread opens its own folders."""

    def __init__(self, fs: FS, root: str, guard: Guard, limits: Limits, keep: Callable[[bytes], Any]) -> None:
        self._fs = fs
        self._root = root
        self._guard = guard
        self._limits = limits
        self._keep = keep

    def read(self, batch: Sequence[tuple[str, Stamp]]) -> list[_Result]:
        """The files of a batch: stamp, hash, and what is kept of the content. Those that cannot be read are missing."""
        results: list[_Result] = []
        with Tree(self._fs, self._root) as tree:
            for path, listed in batch:
                if monotonic() > self._limits.ends:
                    break
                stamp: Stamp | None = listed
                if listed[0] > self._limits.file_bytes:
                    results.append((path, listed, None, b""))
                    continue
                try:
                    content, stamp = self._content(tree, path, listed)
                except (OSError, SutureError) as error:
                    log.debug("scan", "%s: %s", path, error)
                    continue
                if content is not None and stamp is not None:
                    kept = None if is_withheld(self._guard, path) else self._keep(content)
                    results.append((path, stamp, digest((content,), len(content)), kept))
        return results

    def _content(self, tree: Tree, path: str, stamp: Stamp) -> tuple[bytes | None, Stamp | None]:
        """The content of a file, and the stamp that it had before and after it was read."""
        folder, name = split(path)
        before: Stamp | None = stamp
        for _ in range(_MAX_READS):
            if before is None or before[0] > self._limits.file_bytes:
                break
            content, after = self._fs.read_stamped(tree.folder(folder), name, before[0] + 1)
            if after == before and len(content) == before[0]:
                return content, after
            before = after
        return None, None


def _read_all(tree: Tree, reader: _Reader, files: Sequence[tuple[str, Stamp]]) -> Iterator[list[_Result]]:
    """Read files in batches, many of them in threads."""
    batches = list(_batches(files))
    many = len(files) > _MANY_FILES or sum(stamp[0] for _, stamp in files) > _MANY_BYTES
    if not many or not isinstance(tree.fs, LocalFS):
        yield from map(reader.read, batches)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(_MAX_THREADS, os.cpu_count() or 1)) as pool:
        try:
            yield from pool.map(reader.read, batches)
        finally:
            pool.shutdown(cancel_futures=True)


def _batches(files: Iterable[tuple[str, Stamp]]) -> Iterator[list[tuple[str, Stamp]]]:
    batch: list[tuple[str, Stamp]] = []
    size = 0
    for file in files:
        batch.append(file)
        size += file[1][0]
        if len(batch) == _BATCH_FILES or size > _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _ignore_rules(fs: FS, folder: int, prefix: str) -> Rules:
    """The rules of the `.gitignore` in a folder, if there is one. Without them, too much would be in a checkpoint."""
    try:
        return require_rules(fs, folder, prefix)
    except OSError as error:
        if error.errno in _GONE:
            return ()
        raise to_suture_error(error, prefix + GITIGNORE, "read") from error


def _not_ignored(names: list[str], prefix: str, rules: Rules, *, folders: bool) -> list[str]:
    """The names in a folder that are not ignored."""
    joined = join(names)
    relevant = [(ignore, prefix[skip:]) for skip, ignore in rules if ignore.matches_any(names, prefix[skip:], joined)]
    if not relevant:
        return names
    return drop_ignored(names, [(ignore.folders if folders else ignore.files, below) for ignore, below in relevant])


def _is_left_out(name: str) -> bool:
    """Whether a name is that of a version control system's folder, or of suture's own files."""
    if not name.startswith(_BEGINNINGS):
        return name == _CVS
    folded = name.casefold()
    return folded in VERSION_CONTROL or is_own(folded)


def _settled(stamp: Stamp, began: int) -> Stamp:
    """A stamp to compare with the next time; one that never equals another if the file was written just before."""
    changed = stamp[2]
    tick = _TICK_NS if changed % _SECOND_NS else _COARSE_TICK_NS
    return stamp if changed < began - tick else _unsettled(stamp)


def _unsettled(stamp: Stamp) -> Stamp:
    """A stamp that no file has, so that the file is read again."""
    size, _, changed, inode, mode = stamp
    return size, _UNSETTLED, changed, inode, mode


def _is_gone(error: OSError | SutureError) -> bool:
    if isinstance(error, OSError):
        return error.errno in _GONE
    return isinstance(error, FileNotFound | NotAFolder | PathOutsideWorkspace)
