"""A private folder that looks like the workspace, with other content."""

import os
from pathlib import Path

import pytest

from suture.files.local_fs import Layout


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "src" / "pkg").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "setup.cfg").write_text("[x]\n")
    (root / "src" / "other.py").write_text("other\n")
    (root / "src" / "pkg" / "a.py").write_text("old\n")
    (root / "src" / "pkg" / "b.py").write_text("b\n")
    (root / "src" / "pkg" / ".suture-temporary").write_text("")
    (root / "src" / "pkg" / ".suture").mkdir()
    return root


def files_in(folder: str) -> set[str]:
    paths = [os.path.join(above, name) for above, _, names in os.walk(folder) for name in names]  # noqa: PTH118  strings, as os.walk has them
    return {os.path.relpath(path, folder) for path in paths}


@pytest.mark.promise("safe.staging")
def test_the_text_is_where_it_belongs_and_the_rest_is_unchanged(root: Path) -> None:
    layout = Layout(str(root), {"src/pkg/a.py": b"new\n", "src/new/deep/c.py": b"c\n", "src/pkg/b.py": None})
    try:
        folder = Path(layout.folder())
        assert (folder / "src" / "pkg" / "a.py").read_text() == "new\n"
        assert (folder / "src" / "new" / "deep" / "c.py").read_text() == "c\n"
        assert (folder / "src" / "other.py").read_text() == "other\n"
        assert files_in(str(folder)) == {"setup.cfg", "src/pkg/a.py", "src/new/deep/c.py", "src/other.py"}
        assert folder.stat().st_mode & 0o777 == 0o700
        assert (root / "src" / "pkg" / "a.py").read_text() == "old\n"
    finally:
        layout.remove()


@pytest.mark.promise("safe.staging")
def test_nothing_is_left_of_it_and_nothing_of_the_workspace_goes_with_it(root: Path) -> None:
    before = sorted(root.rglob("*"))
    layout = Layout(str(root), {"src/pkg/a.py": b"new\n"})
    folder = layout.folder()
    assert layout.folder() == folder
    layout.remove()
    assert not Path(folder).exists()
    assert sorted(root.rglob("*")) == before


def test_it_is_made_only_on_request(root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    empty = tmp_path / "tmp"
    empty.mkdir()
    monkeypatch.setenv("TMPDIR", str(empty))
    layout = Layout(str(root), {"src/pkg/a.py": b"new\n"})
    staged = layout.stage("src/pkg/a.py").within(3)
    assert (staged.root, staged.name, staged.seconds) == (str(root), str(root / "src/pkg/a.py"), 3)
    assert list(empty.iterdir()) == []
    assert staged.file() == f"{staged.folder()}/src/pkg/a.py"
    assert len(list(empty.iterdir())) == 1
    layout.remove()
    assert list(empty.iterdir()) == []


def test_a_workspace_that_is_in_no_folder_is_staged_by_itself(tmp_path: Path) -> None:
    layout = Layout(str(tmp_path / "nowhere"), {"a.py": b"x"})
    assert os.listdir(layout.folder()) == ["a.py"]  # noqa: PTH208  names are enough
    layout.remove()
