"""The operating system's files: in a workspace, in the user's state folder, and in private folders for checks.

Nothing here decides what happens to a file of the workspace. `Layout` decides what of the workspace a private folder
for checks shows.

Rejected: `openat2(RESOLVE_BENEATH)`. It needs ctypes (2 ms of start-up), exists only on Linux, refuses
absolute links that stay inside, and would still need the walk in `files.fs` as a fallback (docs/adr/0003).
"""

from __future__ import annotations

import errno
import os
import stat as modes
import sys
from _thread import allocate_lock
from contextlib import suppress

from suture.files.fs import FS, MEMORY, Stat
from suture.files.protected import is_own
from suture.files.state import DATABASE, database_path, history_folder, state_folder
from suture.plan import digest
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from sqlite3 import Connection

    from suture.files.fs import Stamp

_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PASS_THROUGH = getattr(os, "O_PATH", os.O_RDONLY)  # with O_PATH, search permission is enough
_FILE = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
_UNNAMED = getattr(os, "O_TMPFILE", os.O_CREAT | os.O_EXCL)  # where it does not exist, `.` exists already
_SET_ID_BITS = 0o6000
_IOV_MAX = 512  # pieces written in one call; systems allow 1,024
_JOURNAL = "-journal"  # SQLite's ending
_PENDING = "-pending"
_KEY = ".suture-key"  # a protected name, in case a workspace contains the state folder
_KEY_SIZE = 32  # bytes, as many as HMAC-SHA256 returns
_READ_SIZE = 1 << 20  # bytes read at once: bounds the memory
_MACHINE_HASH_LENGTH = 20  # characters of a hash (80 bits)
_COPY_TIMEOUT_MS = 2_000  # to wait for a lock on a database to copy: recording a change takes less
_AT_EMPTY_PATH, _STATX_BTIME, _STATX_SIZE = 0x1000, 0x800, 256
_CAPABILITY = "security.capability"
_INHERITABLE = ("system.posix_acl_default", "security.selinux")
_NO_LOCKS_HERE = {errno.EBADF, errno.ENOLCK, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS}
_PRIVATE_FOLDER, _PRIVATE_FILE = 0o700, 0o600  # modes
_MAX_LINKS = 20_000  # in one folder of a layout: bounds the time to make them
_NOT_SHOWN = (".git", ".hg", ".svn")
"""Folders that a layout does not show: a program that writes to them would write to the workspace."""
_KINDS = {modes.S_IFREG: "file", modes.S_IFDIR: "folder", modes.S_IFLNK: "link"}


class LocalFS(FS):
    """The operating system's files."""

    def open_root(self, path: str) -> int:
        return os.open(path, _PASS_THROUGH | os.O_DIRECTORY | os.O_CLOEXEC)

    def real_path(self, path: str) -> str:
        return os.path.realpath(path)

    def open_folder(self, folder: int, name: str) -> int:
        return os.open(name, _PASS_THROUGH | _FOLDER, dir_fd=folder)

    def close(self, handle: int) -> None:
        os.close(handle)

    def stat(self, folder: int, name: str) -> Stat | None:
        try:
            return _stat(os.stat(name, dir_fd=folder, follow_symlinks=False))
        except FileNotFoundError:
            return None

    def fstat(self, handle: int) -> Stat:
        return _stat(os.fstat(handle))

    def read_link(self, folder: int, name: str) -> str:
        return os.readlink(name, dir_fd=folder)

    def scan(self, folder: int, name: str) -> tuple[int, list[str], list[str]]:
        handle = os.open(name or ".", os.O_RDONLY | _FOLDER, dir_fd=folder)
        files, folders = [], []
        try:
            with os.scandir(handle) as entries:
                for entry in entries:
                    if entry.is_file(follow_symlinks=False):
                        files.append(entry.name)
                    elif entry.is_dir(follow_symlinks=False):
                        folders.append(entry.name)
        except BaseException:
            os.close(handle)
            raise
        return handle, files, folders

    def scan_stamps(self, folder: int, name: str) -> tuple[int, list[tuple[str, Stamp]], list[str]]:
        handle = os.open(name or ".", os.O_RDONLY | _FOLDER, dir_fd=folder)
        files, folders = [], []
        try:
            with os.scandir(handle) as entries:
                for entry in entries:
                    if entry.is_file(follow_symlinks=False):
                        try:
                            files.append((entry.name, _stamp(entry.stat(follow_symlinks=False))))
                        except FileNotFoundError:
                            continue
                    elif entry.is_dir(follow_symlinks=False):
                        folders.append(entry.name)
        except BaseException:
            os.close(handle)
            raise
        return handle, files, folders

    def stamp(self, folder: int, name: str) -> Stamp | None:
        try:
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return None
        return _stamp(status) if modes.S_ISREG(status.st_mode) else None

    def read_stamped(self, folder: int, name: str, most: int) -> tuple[bytes, Stamp | None]:
        handle = os.open(name, os.O_RDONLY | _FILE, dir_fd=folder)
        try:
            data = os.read(handle, most)
            while len(data) < most and (more := os.read(handle, most - len(data))):
                data += more
            status = os.fstat(handle)
        finally:
            os.close(handle)
        return data, _stamp(status) if modes.S_ISREG(status.st_mode) else None

    def list(self, folder: int) -> list[str]:
        readable = os.open(".", os.O_RDONLY | _FOLDER, dir_fd=folder)
        try:
            return sorted(os.listdir(readable))
        finally:
            os.close(readable)

    def open_file(self, folder: int, name: str) -> int:
        return os.open(name, os.O_RDONLY | _FILE, dir_fd=folder)

    def fill(self, folder: int, name: str, buffer: bytearray) -> int:
        handle = os.open(name, os.O_RDONLY | _FILE, dir_fd=folder)
        try:
            return os.readv(handle, (buffer,))  # a regular file returns less only at its end
        finally:
            os.close(handle)

    def read(self, handle: int, size: int) -> bytes:
        return os.read(handle, size)

    def writable(self, folder: int, name: str) -> bool:
        effective = os.access in os.supports_effective_ids
        return os.access(name, os.W_OK, dir_fd=folder, effective_ids=effective)

    def removable(self, folder: int, name: str) -> bool:
        effective = os.access in os.supports_effective_ids
        if not os.access(".", os.W_OK | os.X_OK, dir_fd=folder, effective_ids=effective):
            return False
        above, user = os.fstat(folder), os.geteuid()
        if not above.st_mode & modes.S_ISVTX or user in {0, above.st_uid}:
            return True
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_uid == user

    def lock(self, folder: int) -> int | None:
        handle = os.open(".", os.O_RDONLY | _FOLDER, dir_fd=folder)
        try:
            self._flock(handle)
        except BlockingIOError:
            os.close(handle)
            return None
        except BaseException as error:
            os.close(handle)
            if isinstance(error, OSError) and error.errno in _NO_LOCKS_HERE:
                return self._lock_file(folder)
            raise
        return handle

    def unlock(self, handle: int) -> None:
        from fcntl import LOCK_UN, flock

        try:
            flock(handle, LOCK_UN)
        finally:
            os.close(handle)

    def _flock(self, handle: int) -> None:
        from fcntl import LOCK_EX, LOCK_NB, flock  # only writers need it

        flock(handle, LOCK_EX | LOCK_NB)

    def _lock_file(self, folder: int) -> int | None:
        """Lock a file in the state folder instead: some network file systems cannot lock a folder."""
        status = os.fstat(folder)
        shelf = os.path.join(state_folder(), "locks")
        os.makedirs(shelf, mode=_PRIVATE_FOLDER, exist_ok=True)
        path = os.path.join(shelf, f"{status.st_dev:x}-{status.st_ino:x}")
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, _PRIVATE_FILE)
        try:
            LocalFS._flock(self, handle)
        except BaseException as error:
            os.close(handle)
            if isinstance(error, BlockingIOError):
                return None
            raise
        return handle

    def create(self, folder: int, name: str, mode: int) -> int:
        return os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | _FILE, mode, dir_fd=folder)

    def create_whole(self, folder: int, name: str, mode: int, data: bytes) -> None:
        handle = os.open(".", os.O_WRONLY | _UNNAMED | os.O_CLOEXEC, mode, dir_fd=folder)
        try:
            os.write(handle, data)
            os.link(f"/proc/self/fd/{handle}", name, dst_dir_fd=folder, follow_symlinks=True)
        finally:
            os.close(handle)

    def open_write(self, folder: int, name: str) -> int:
        return os.open(name, os.O_RDWR | _FILE, dir_fd=folder)

    def write(self, handle: int, pieces: Sequence[bytes | memoryview]) -> None:
        queue = [memoryview(piece) for piece in pieces if len(piece)]
        queue.reverse()
        while queue:
            batch = queue[: -_IOV_MAX - 1 : -1]
            written = os.writev(handle, batch)
            while queue and written >= len(queue[-1]):
                written -= len(queue.pop())
            if written:
                queue[-1] = queue[-1][written:]

    def truncate(self, handle: int, size: int) -> None:
        os.ftruncate(handle, size)

    def set_mode(self, handle: int, mode: int) -> None:
        os.fchmod(handle, mode)

    def capability(self, handle: int) -> bytes:
        return _attribute(handle, _CAPABILITY) or b""

    def set_capability(self, handle: int, value: bytes) -> None:
        os.setxattr(handle, _CAPABILITY, value)

    def copy_metadata(self, source: int, target: int) -> bool:
        old, new = os.fstat(source), os.fstat(target)
        try:
            if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
                os.fchown(target, old.st_uid, old.st_gid)
            os.fchmod(target, modes.S_IMODE(old.st_mode))
        except PermissionError:
            return False
        return _copy_attributes(source, target)

    def sync(self, handle: int) -> None:
        try:
            os.fsync(handle)
        except OSError as error:
            if error.errno != errno.EBADF or not modes.S_ISDIR(os.fstat(handle).st_mode):
                raise
            readable = os.open(".", os.O_RDONLY | _FOLDER, dir_fd=handle)  # O_PATH handles cannot be synced
            try:
                os.fsync(readable)
            finally:
                os.close(readable)

    def rename(self, folder: int, name: str, to_folder: int, to_name: str) -> None:
        os.rename(name, to_name, src_dir_fd=folder, dst_dir_fd=to_folder)

    def link(self, folder: int, name: str, to_folder: int, to_name: str) -> None:
        os.link(name, to_name, src_dir_fd=folder, dst_dir_fd=to_folder, follow_symlinks=False)

    def unlink(self, folder: int, name: str) -> None:
        os.unlink(name, dir_fd=folder)

    def inherited(self, folder: int) -> tuple[object, ...]:
        status = os.fstat(folder)
        return status.st_gid, status.st_mode & _SET_ID_BITS, *_inheritable(folder)

    def mkdir(self, folder: int, name: str, mode: int = 0o777) -> None:
        os.mkdir(name, mode, dir_fd=folder)

    def rmdir(self, folder: int, name: str) -> None:
        os.rmdir(name, dir_fd=folder)

    def born(self, folder: int) -> int:
        status = os.fstat(folder)
        return int(getattr(status, "st_birthtime_ns", 0)) or _born(folder)

    def machine(self, folder: int) -> tuple[str, bool]:
        container = _container()
        if container is None:
            return _short_hash(_text("/etc/machine-id").partition("\n")[0].strip() or os.uname().nodename), False
        return _short_hash(container), os.fstat(folder).st_dev != os.stat("/").st_dev

    def secret(self) -> bytes:
        path = f"{state_folder()}/{_KEY}"
        known = _Known.secret
        if known is not None and known[:2] == (path, _identity(path)):
            return known[2]
        secret = _read_secret(path)
        if secret is None:
            _make_secret(path, replacing=os.path.lexists(path))
            secret = _read_secret(path)
        if secret is None:
            raise OSError(errno.EINVAL, "not a key", path)
        _Known.secret = path, _identity(path), secret
        return secret

    def databases(self) -> Sequence[str]:
        try:
            return sorted(name for name in os.listdir(history_folder()) if name.endswith(DATABASE))
        except FileNotFoundError:
            return []

    def open_database(self, name: str, create: bool, timeout_ms: int) -> Connection:  # noqa: FBT001  as in `FS`
        from sqlite3 import connect  # reading files does not need it

        if name == MEMORY:
            return connect(MEMORY, isolation_level=None)
        path = database_path(name)
        if create:
            os.makedirs(history_folder(), mode=_PRIVATE_FOLDER, exist_ok=True)
            with suppress(FileExistsError):  # opening and closing an existing one would drop SQLite's locks on it
                os.close(
                    os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, _PRIVATE_FILE)
                )
        if not modes.S_ISREG(os.lstat(path).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", path)
        return connect(path, timeout=timeout_ms / 1000, isolation_level=None, check_same_thread=False)

    def database_file(self, name: str) -> tuple[int, ...] | None:
        stat = os.lstat(database_path(name))
        return stat.st_dev, stat.st_ino

    def commit_database(self, database: Connection) -> None:
        database.execute("COMMIT")

    def vacuum_database(self, database: Connection) -> None:
        database.execute("VACUUM")

    def history_files(self) -> Sequence[str]:
        return sorted(map(database_path, os.listdir(history_folder())))

    def rename_database(self, name: str, to: str) -> None:
        """Rename the journal first, if a crash left one: without it the database may be corrupt."""
        old, new = database_path(name), database_path(to)
        if os.path.exists(old + _JOURNAL):
            os.rename(old + _JOURNAL, new + _JOURNAL)
        os.rename(old, new)

    def copy_database(self, name: str, to: str) -> None:
        source = self.open_database(name, False, _COPY_TIMEOUT_MS)  # noqa: FBT003  see FS
        target = self.open_database(to, True, _COPY_TIMEOUT_MS)  # noqa: FBT003  as in `FS`
        try:
            source.backup(target)
        finally:
            source.close()
            target.close()

    def pending(self, name: str) -> bytes:
        try:
            handle = os.open(database_path(name + _PENDING), os.O_RDONLY | _FILE)
        except FileNotFoundError:
            return b""
        try:
            return b"".join(iter(lambda: os.read(handle, _READ_SIZE), b""))
        finally:
            os.close(handle)

    def append_pending(self, name: str, data: bytes, size: int) -> bool:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | _FILE
        handle = os.open(database_path(name + _PENDING), flags, _PRIVATE_FILE)
        try:
            if os.fstat(handle).st_size != size:
                return False
            LocalFS.write(self, handle, (data,))
        finally:
            os.close(handle)
        return True

    def drop_pending(self, name: str) -> None:
        with suppress(FileNotFoundError):
            os.unlink(database_path(name + _PENDING))


class Layout:
    """A private folder laid out like a workspace, with the new content of some files; None: a file to be deleted.

    Folders that contain these files are created; everything else is a link into the workspace. So relative imports and
    configuration are found as usual, and what a program writes beside its input does not land in the workspace. The
    folder is created on first use, in the system's temporary folder, readable only by the user. A content that is a
    function is called when the file is written.
    """

    def __init__(self, root: str, files: Mapping[str, bytes | Callable[[], bytes] | None]) -> None:
        self.root = root
        self._files = files
        self._made: str | None = None
        self._making = allocate_lock()

    def folder(self) -> str:
        """The private folder."""
        with self._making:
            if self._made is None:
                self._made = self._make()
            return self._made

    def remove(self) -> None:
        """Delete the folder, but nothing that its links lead to."""
        with self._making:
            if self._made is not None:
                from shutil import rmtree

                rmtree(self._made, ignore_errors=True)

    def stage(self, path: str) -> Staged:
        """One of its files."""
        return Staged(self, path)

    def _make(self) -> str:
        parent = os.path.realpath(os.environ.get("TMPDIR") or "/tmp")  # noqa: S108  the folder created there is private
        copy = os.path.join(parent, f"suture-check-{os.urandom(8).hex()}")
        os.mkdir(copy, _PRIVATE_FOLDER)
        folders = {""} | {folder for path in self._files for folder in _above(path)}
        for folder in sorted(folders):
            if folder:
                os.mkdir(os.path.join(copy, folder), _PRIVATE_FOLDER)
            self._link(folder, os.path.join(copy, folder), folders)
        for path, content in self._files.items():
            if content is not None:
                handle = os.open(os.path.join(copy, path), os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE_FILE)
                with os.fdopen(handle, "wb") as opened:
                    opened.write(content if isinstance(content, bytes) else content())
        return copy

    def _link(self, folder: str, copy: str, folders: set[str]) -> None:
        """Link to everything else in a folder."""
        original = os.path.join(self.root, folder)
        try:
            names = os.listdir(original)[:_MAX_LINKS]
        except OSError:  # the folder is new
            return
        for name in names:
            path = f"{folder}/{name}" if folder else name
            shown = name not in _NOT_SHOWN and not is_own(name)
            if shown and path not in self._files and path not in folders:
                os.symlink(os.path.join(original, name), os.path.join(copy, name))


class Staged(Record):
    """A file in a layout, as a check sees it."""

    layout: Layout
    path: str
    seconds: float = 0.0

    @property
    def root(self) -> str:
        """The workspace's own folder."""
        return self.layout.root

    @property
    def name(self) -> str:
        """The file's absolute path in the workspace."""
        return os.path.join(self.layout.root, self.path)

    def within(self, seconds: float) -> Staged:
        """The same file, for a check with this time limit."""
        return self.evolve(seconds=seconds)

    def folder(self) -> str:
        """The private folder."""
        return self.layout.folder()

    def file(self) -> str:
        """The path of the file in the private folder."""
        return os.path.join(self.layout.folder(), self.path)


def container_of(mounts: str) -> str | None:
    """The identity of a container, from Linux's list of mounts; None outside of containers.

    A container has its own writable layer at the root, and mounts its own files, whose paths contain its id.
    """
    ids = []
    for line in mounts.splitlines():
        fields = line.split(" ")
        if fields[4:5] == ["/"]:
            ids += [option for option in fields[-1].split(",") if option.startswith("upperdir=")]
        elif fields[4:5] == ["/etc/hostname"]:
            ids.append(fields[3])
    return " ".join(ids) or None


class _Known:
    """The last key that was read, with its file."""

    secret: tuple[str, object, bytes] | None = None


def _identity(path: str) -> object:
    try:
        stat = os.lstat(path)
    except OSError:
        return None
    return stat.st_dev, stat.st_ino, stat.st_mtime_ns, stat.st_mode


def _read_secret(path: str) -> bytes | None:
    """The key in a file; None if there is none, or if others may know it."""
    try:
        handle = os.open(path, os.O_RDONLY | _FILE)
    except FileNotFoundError:
        return None
    try:
        stat, key = os.fstat(handle), os.read(handle, _KEY_SIZE + 1)
    finally:
        os.close(handle)
    private = modes.S_ISREG(stat.st_mode) and not stat.st_mode & 0o077
    return key if private and len(key) == _KEY_SIZE and any(key) else None


def _make_secret(path: str, *, replacing: bool) -> None:
    """Create a key file atomically and durably; one that another process created meanwhile stays."""
    os.makedirs(os.path.dirname(path), mode=_PRIVATE_FOLDER, exist_ok=True)
    temporary = f"{path}.{os.urandom(8).hex()}"
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FILE, _PRIVATE_FILE)
    try:
        try:
            os.write(handle, os.urandom(_KEY_SIZE))
            os.fsync(handle)
        finally:
            os.close(handle)
        if replacing:
            os.rename(temporary, path)
        else:
            try:
                os.link(temporary, path)
            except FileExistsError:
                pass
            except OSError:  # no hard links here; of two created at once, the later one stays
                os.rename(temporary, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)


def _born(folder: int) -> int:
    """The birth time on Linux, by `statx`, which Python does not provide."""
    from ctypes import CDLL, create_string_buffer  # rarely needed

    try:
        statx = CDLL(None).statx
    except (AttributeError, OSError):
        return 0
    buffer = create_string_buffer(_STATX_SIZE)
    if statx(folder, b"", _AT_EMPTY_PATH, _STATX_BTIME, buffer):
        return 0
    mask, seconds, nanoseconds = (
        int.from_bytes(buffer.raw[start:end], sys.byteorder) for start, end in ((0, 4), (80, 88), (88, 92))
    )
    return seconds * 1_000_000_000 + nanoseconds if mask & _STATX_BTIME else 0


def _container() -> str | None:
    """The identity of this process's container; None if it is in none."""
    container = container_of(_text("/proc/self/mountinfo"))
    if container is None and any(os.path.exists(mark) for mark in ("/.dockerenv", "/run/.containerenv")):
        return os.uname().nodename
    return container


def _text(path: str) -> str:
    """The content of a system file; empty if it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return ""


def _short_hash(name: str) -> str:
    raw = name.encode("utf-8", "surrogateescape")
    return digest((raw,), len(raw)).removeprefix("sha256:")[:_MACHINE_HASH_LENGTH]


def _stat(status: os.stat_result) -> Stat:
    return Stat(
        _KINDS.get(modes.S_IFMT(status.st_mode), "other"),
        status.st_size,
        modes.S_IMODE(status.st_mode),
        status.st_nlink,
        status.st_dev,
        status.st_ino,
        status.st_mtime_ns,
    )


def _stamp(status: os.stat_result) -> Stamp:
    return (
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
        status.st_ino,
        modes.S_IMODE(status.st_mode),
    )


def _copy_attributes(source: int, target: int) -> bool:
    """Copy extended attributes, including POSIX ACLs, where supported; False if one cannot be copied."""
    if not hasattr(os, "listxattr"):
        return True
    try:
        names, inherited = os.listxattr(source), os.listxattr(target)
    except OSError as error:
        if error.errno == errno.ENOTSUP:
            return True
        raise
    try:
        for name in inherited:
            if name not in names:
                os.removexattr(target, name)  # from the folder's default ACL
        for name in names:
            value = _attribute(source, name)
            if value is not None and _attribute(target, name) != value:
                os.setxattr(target, name, value)
    except OSError as error:
        if error.errno not in {errno.EPERM, errno.EACCES, errno.ENOTSUP}:
            raise
        return False
    return True


def _inheritable(folder: int) -> tuple[object, ...]:
    """The attributes of a folder that decide about those of new files in it."""
    if not hasattr(os, "listxattr"):  # macOS has other ACLs, which Python cannot read: no two folders are the same
        status = os.fstat(folder)
        return status.st_dev, status.st_ino
    path = f"/proc/self/fd/{folder}"  # attributes cannot be read through an O_PATH handle
    try:
        names = os.listxattr(path)
        return tuple((name, os.getxattr(path, name)) for name in _INHERITABLE if name in names)
    except OSError as error:
        return () if error.errno == errno.ENOTSUP else (folder,)


def _attribute(handle: int, name: str) -> bytes | None:
    """An extended attribute, or None."""
    try:
        return os.getxattr(handle, name)
    except (OSError, AttributeError):
        return None


def _above(path: str) -> list[str]:
    """The folders in a path."""
    names = path.split("/")[:-1]
    return ["/".join(names[:end]) for end in range(1, len(names) + 1)]
