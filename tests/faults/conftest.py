"""What holds for all tests of this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def own_state_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder for each test, also for the processes it starts.

    In a shared one a new folder may get the inode of a deleted workspace. suture then opens that one's history to
    see whose it is, and a transaction makes more calls than the same transaction elsewhere.
    """
    folder = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    return folder
