"""Fixtures for all tests in this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def state_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder for each test, also for the processes it starts.

    In a shared one, a new folder may reuse the inode of a deleted workspace. suture would then open that workspace's
    history to compare it, and a transaction would make more calls than elsewhere.
    """
    folder = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    return folder
