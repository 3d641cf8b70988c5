"""File systems for tests: one in memory, and one that fails or stops when told to.

    fs = FaultyFS(MemoryFS({"a.txt": b"one"}), stop_at=7)      # the 7th call never returns, nor any later one
    fs = FaultyFS(LocalFS(), fail_at=7, error=errno.ENOSPC)    # the 7th call fails, the others work

Both are peers of `LocalFS`: `Workspace(root, fs=…)` takes any of them.
"""

from suture.files.local_fs import LocalFS
from suture.testing.faulty_fs import FaultyFS, Stopped
from suture.testing.memory_fs import MemoryFS

__all__ = ["FaultyFS", "LocalFS", "MemoryFS", "Stopped"]
