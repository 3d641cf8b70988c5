"""Where suture keeps what belongs to a user and not to a workspace: histories, locks, a key.

This is needed before anything is known of a workspace, so it imports nothing that is not loaded already.
"""

from __future__ import annotations

import os
import sys

DATABASE = ".db"
"""The ending of a history database's name."""
ASIDE = ".damaged-"
"""In the name of a damaged database that was set aside."""
_PATH_HASH_LENGTH = 20  # characters of a hash (80 bits) in the name of a database


def state_folder() -> str:
    """The folder for what belongs to the user and not to a workspace."""
    base = os.environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(base):
        platform = ("Library", "Application Support") if sys.platform == "darwin" else (".local", "state")
        base = os.path.join(os.path.expanduser("~"), *platform)
    return os.path.join(base, "suture")


def history_folder() -> str:
    """The folder of the history databases. Its name is protected, in case a workspace contains it."""
    return f"{state_folder()}/.suture-history"


def database_path(name: str) -> str:
    """The path of a database."""
    return f"{history_folder()}/{name}"


def is_set_aside(path: str) -> bool:
    """Whether this is a damaged database that was set aside, or belongs to one."""
    return ASIDE in path.rpartition("/")[2]


def path_hash(root: str) -> str:
    """The hash of a root's real path, with which the name of its database begins."""
    from suture.plan import digest  # it may load a module; to find a root, it is rarely needed

    path = root.encode("utf-8", "surrogateescape")
    return digest((path,), len(path)).removeprefix("sha256:")[:_PATH_HASH_LENGTH]
