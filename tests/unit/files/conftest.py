"""Fixtures for all tests in this folder."""

from pathlib import Path

import pytest

from tests.unit.files.histories import make


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a workspace, `ws`, and the user's state in `state`."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    make(tmp_path / "ws")
    return tmp_path
