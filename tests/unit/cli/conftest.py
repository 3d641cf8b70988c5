"""What the tests of commands share."""

from pathlib import Path

import pytest


@pytest.fixture
def root(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The workspace, which is also the current folder, with the files that the test module lists in `FILES`."""
    for name, content in request.module.FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    monkeypatch.chdir(tmp_path)
    return tmp_path
