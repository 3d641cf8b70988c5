"""The file system, as the few calls the engine makes.

Every call works on a folder that is already open and on one plain name in it, and never follows a
symbolic link: there is no path that could be swapped between a check and its use. Handles are small
integers. The one thing outside the workspace is the shelf: SQLite databases in the user's state folder.
`files.local_fs` is the operating system; `suture.testing` has one in memory and one that fails on demand.
"""

from __future__ import annotations

import errno
import os

from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from sqlite3 import Connection

MEMORY = ":memory:"
"""The name of a database that is always new, empty, and kept nowhere."""


class Stat(Record):
    """What stands under a name. `kind` is `file`, `folder`, `link` or `other`."""

    kind: str
    size: int
    mode: int
    uid: int
    gid: int
    links: int
    device: int
    inode: int
    modified_ns: int

    @property
    def fingerprint(self) -> tuple[int, ...]:
        """What changes when the file is written or replaced."""
        return self.device, self.inode, self.size, self.modified_ns

    def same_file(self, other: Stat | None) -> bool:
        """Whether both are one file, perhaps under two names."""
        return other is not None and (self.device, self.inode) == (other.device, other.inode)


class FS:
    """The calls a file system must offer. Failures are `OSError` with the errno a POSIX system gives."""

    def open_root(self, path: str) -> int:
        """Open a folder by its full path, links followed: the operator chose it."""
        raise NotImplementedError

    def real_path(self, path: str) -> str:
        """A full path with its links resolved as far as it exists."""
        raise NotImplementedError

    def open_folder(self, folder: int, name: str) -> int:
        """Open a folder inside a folder."""
        raise NotImplementedError

    def close(self, handle: int) -> None:
        """Close a folder or a file."""
        raise NotImplementedError

    def stat(self, folder: int, name: str) -> Stat | None:
        """What stands under a name, or None."""
        raise NotImplementedError

    def fstat(self, handle: int) -> Stat:
        """What an open file or folder is."""
        raise NotImplementedError

    def read_link(self, folder: int, name: str) -> str:
        """Where a symbolic link points."""
        raise NotImplementedError

    def scan(self, folder: int, name: str) -> tuple[int, list[str], list[str]]:
        """Open a folder inside a folder, or the folder itself for ``; with it the files and the folders in it.

        The handle is as good as one of `open_folder`. Names are not sorted; links and the like are left out.
        """
        raise NotImplementedError

    def list(self, folder: int) -> list[str]:
        """The names in a folder, sorted."""
        raise NotImplementedError

    def open_file(self, folder: int, name: str) -> int:
        """Open for reading, without waiting for a pipe's other end."""
        raise NotImplementedError

    def fill(self, folder: int, name: str, buffer: bytearray) -> int:
        """Read a file into a buffer until that is full or the file ends; how many bytes there are."""
        raise NotImplementedError

    def read(self, handle: int, size: int) -> bytes:
        """Up to `size` bytes from where the last read ended."""
        raise NotImplementedError

    def writable(self, folder: int, name: str) -> bool:
        """Whether the mode bits let this user write the file."""
        raise NotImplementedError

    def removable(self, folder: int, name: str) -> bool:
        """Whether this user may take the name away: by the folder's mode bits, its sticky bit among them."""
        raise NotImplementedError

    def lock(self, folder: int) -> int | None:
        """Take the folder's lock and give the handle that holds it, or None while another has it."""
        raise NotImplementedError

    def unlock(self, handle: int) -> None:
        """Let go of a lock, also for a process that was forked meanwhile."""
        raise NotImplementedError

    def create(self, folder: int, name: str, mode: int) -> int:
        """Open a new file for writing; an existing name is an error."""
        raise NotImplementedError

    def open_write(self, folder: int, name: str) -> int:
        """Open an existing file for writing in place."""
        raise NotImplementedError

    def write(self, handle: int, pieces: Sequence[bytes | memoryview]) -> None:
        """Write all pieces where the last write ended."""
        raise NotImplementedError

    def truncate(self, handle: int, size: int) -> None:
        """Cut a file to a size."""
        raise NotImplementedError

    def set_mode(self, handle: int, mode: int) -> None:
        """Set an open file's permission bits."""
        raise NotImplementedError

    def capability(self, handle: int) -> bytes:
        """The privileges a program gets from its file, which writing to it takes away; empty for none."""
        raise NotImplementedError

    def set_capability(self, handle: int, value: bytes) -> None:
        """Give a program its privileges back."""
        raise NotImplementedError

    def copy_metadata(self, source: int, target: int) -> bool:
        """Give an open file another's owner, mode, ACL and extended attributes; False if one can't be kept."""
        raise NotImplementedError

    def sync(self, handle: int) -> None:
        """Wait until a file or a folder is on the disk."""
        raise NotImplementedError

    def rename(self, folder: int, name: str, to_folder: int, to_name: str) -> None:
        """Give a file another name, replacing what had it."""
        raise NotImplementedError

    def link(self, folder: int, name: str, to_folder: int, to_name: str) -> None:
        """Give a file a second name; an existing one is an error."""
        raise NotImplementedError

    def unlink(self, folder: int, name: str) -> None:
        """Take a name away."""
        raise NotImplementedError

    def mkdir(self, folder: int, name: str) -> None:
        """Make a folder."""
        raise NotImplementedError

    def rmdir(self, folder: int, name: str) -> None:
        """Remove an empty folder."""
        raise NotImplementedError

    def born(self, folder: int) -> int:
        """When a folder was made, in nanoseconds; 0 where the system does not tell. No two folders share it."""
        raise NotImplementedError

    def machine(self, folder: int) -> tuple[str, bool]:
        """What tells this machine, or this container, from others; and whether they may see this folder, too."""
        raise NotImplementedError

    def secret(self) -> bytes:
        """The user's own key, which is made when it is asked for first; OSError where none can be kept."""
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))

    def databases(self) -> Sequence[str]:
        """The names of the databases on the shelf, sorted."""
        raise NotImplementedError

    def open_database(self, name: str, create: bool, timeout_ms: int) -> Connection:  # noqa: FBT001  as all calls here
        """Open a database on the shelf; where there is none, and none shall be made, FileNotFoundError.

        Any thread may use it, but only one at a time.
        """
        raise NotImplementedError

    def database_file(self, name: str) -> tuple[int, ...] | None:
        """What tells a database's file from any other that gets its name; None where nothing does."""
        raise NotImplementedError

    def commit_database(self, database: Connection) -> None:
        """Make a database's transaction durable."""
        raise NotImplementedError

    def rename_database(self, name: str, to: str) -> None:
        """Give a database another name."""
        raise NotImplementedError

    def copy_database(self, name: str, to: str) -> None:
        """Give a database a twin."""
        raise NotImplementedError

    def pending(self, name: str) -> bytes:  # noqa: ARG002  this is what one without these three calls answers
        """What was put down beside a database, to be taken into it later."""
        return b""

    def append_pending(self, name: str, data: bytes, size: int) -> bool:  # noqa: ARG002  as above
        """Put down more, without waiting for the disk; False if there is not as much as `size` says."""
        return False

    def drop_pending(self, name: str) -> None:
        """Take away all that was put down beside a database."""
