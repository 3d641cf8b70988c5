"""What counts as inside a root, and what is imported from where."""

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module, invalidate_caches
from pathlib import Path

import pytest

from suture import Settings, Workspace, origins
from suture.origins import (
    OutsideFinder,
    RootSet,
    drop_root_entries,
    exclude_roots,
    is_outside,
    own_places,
    start_code,
    usable_path,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "root"
    (made / "bin").mkdir(parents=True)
    return made


@pytest.fixture
def path(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Restore `sys.path` and the finders of modules."""
    entries = list(sys.path)
    finders = [finder for finder in sys.meta_path if not isinstance(finder, OutsideFinder)]
    monkeypatch.setattr(sys, "meta_path", finders)  # without the roots that other tests kept out
    monkeypatch.setattr(sys, "path", entries)
    yield entries
    assert sum(isinstance(finder, OutsideFinder) for finder in sys.meta_path) <= 1


def test_a_root_contains_itself_and_what_is_below(root: Path) -> None:
    inside = RootSet([str(root)])
    assert [inside.contains(str(path)) for path in (root, root / "bin", root / "bin/nothing", root.parent)] == [
        True,
        True,
        True,
        False,
    ]
    assert not inside.contains(f"{root}-other/bin")
    assert not RootSet([]).contains(str(root))
    assert RootSet(["/"]).contains("/")


@pytest.mark.promise("confine.no-code")
def test_a_link_in_the_root_or_into_it_is_inside_wherever_it_leads(root: Path, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/tool").touch()
    (root / "detour").symlink_to(tmp_path / "real")
    (tmp_path / "through").symlink_to("root/detour/tool")
    (tmp_path / "into").symlink_to(root / "bin")
    (tmp_path / "around").symlink_to("real/../real")
    (tmp_path / "circle").symlink_to("circle")
    names = ("through", "into", "into/x", "around/tool", "real/tool", "circle")
    assert {name: is_outside(str(tmp_path / name), [str(root)]) for name in names} == {
        "through": False,
        "into": False,
        "into/x": False,
        "around/tool": True,
        "real/tool": True,
        "circle": False,
    }


def test_a_root_that_is_a_link_is_known_by_both_names(root: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(root)
    for known in (root, tmp_path / "alias"):
        for path in (root, tmp_path / "alias"):
            assert not is_outside(str(path / "bin"), [str(known)])


def test_a_relative_path_is_taken_from_the_current_folder(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    assert not is_outside("bin", [str(root)])
    assert is_outside("..", [str(root / "bin")])
    folder = root / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    assert RootSet([str(root), "."]).contains("x")


def test_what_suture_runs_from_is_known_if_it_is_in_a_root() -> None:
    package = Path(origins.__file__).parent
    prefix = os.path.realpath(sys.prefix)
    assert str(package) in own_places([str(package.parent)])
    assert prefix in own_places([str(Path(prefix).parent)])
    assert {f"{prefix}/bin", f"{prefix}/lib", f"{prefix}/pyvenv.cfg"} <= {*own_places([prefix])}
    assert prefix not in own_places([prefix])
    assert own_places([]) == []


@pytest.mark.promise("confine.no-code")
def test_what_suture_needs_is_not_imported_from_a_root_and_other_modules_are(root: Path, path: list[str]) -> None:
    for name in ("tree_sitter_planted", "winreg", "own_module_of_the_host"):
        (root / f"{name}.py").write_text("planted = True\n")
    (root / "tree_sitter_folder").mkdir()
    path.insert(0, str(root))
    exclude_roots([str(root)])
    exclude_roots([str(root / "bin")])
    for name in ("tree_sitter_planted", "tree_sitter_folder", "winreg"):
        with pytest.raises(ModuleNotFoundError, match="outside of the workspace"):
            import_module(name)
    assert import_module("own_module_of_the_host").planted
    del sys.modules["own_module_of_the_host"]
    path.append(str(root.parent))
    (root.parent / "tree_sitter_later.py").touch()
    invalidate_caches()  # the folder may have been listed in the same tick of its clock
    assert import_module("tree_sitter_later").__file__ == str(root.parent / "tree_sitter_later.py")
    del sys.modules["tree_sitter_later"]


def test_nothing_is_installed_where_no_folder_of_modules_is_in_a_root(root: Path, path: list[str]) -> None:
    before = list(sys.meta_path)
    exclude_roots([str(root)])
    drop_root_entries([str(root)])
    assert (sys.meta_path, sys.path) == (before, path)


@pytest.mark.promise("confine.no-code")
def test_entries_that_lead_into_a_root_are_dropped(
    root: Path, path: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = [entry for entry in path if entry]
    monkeypatch.chdir(root)
    path[:] = ["", str(root / "bin"), *entries]
    assert usable_path([str(root)]) == entries
    drop_root_entries([str(root)])
    assert sys.path == entries


@pytest.mark.process
@pytest.mark.parametrize("hidden", [False, True])
def test_another_process_finds_suture_and_nothing_of_a_root(root: Path, path: list[str], *, hidden: bool) -> None:
    package = Path(origins.__file__).parent
    path.insert(0, str(root))
    (root / "yaml.py").write_text("raise SystemExit('planted')\n")
    roots = [str(root), *([str(package.parent)] if hidden else [])]
    code = f"{start_code(roots)}import yaml, suture.json_text; print(suture.json_text.__file__)"
    process = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
    assert (process.stdout.strip(), process.stderr) == (f"{package}/json_text.py", "")


@pytest.mark.process
def test_a_process_that_has_not_loaded_importlib_imports_what_it_needs(root: Path) -> None:
    package = str(Path(origins.__file__).parents[1])
    code = (
        f"import sys; sys.path[:0] = [{package!r}, {str(root)!r}]; from suture.origins import exclude_roots; "
        f"exclude_roots([{str(root)!r}]); assert 'importlib' not in sys.modules; import hashlib; print('imported')"
    )
    process = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
    assert (process.stdout, process.stderr) == ("imported\n", "")


@pytest.mark.promise("confine.no-code")
@pytest.mark.usefixtures("path")
def test_a_file_that_suture_runs_from_is_not_edited_unless_the_operator_opens_it() -> None:
    package = Path(origins.__file__).parent
    edits = [{"old_text": "TYPE_CHECKING = False", "new_text": "TYPE_CHECKING = True"}]
    given = {"path": "suture/origins.py", "edits": edits, "dry_run": True}
    result = Workspace(package.parent).call("file_edit", given)
    assert result.metadata["error"]["code"] == "PROTECTED_PATH"
    assert result.metadata["error"]["rule"] == "suture/**"
    assert not Workspace(package.parent).call("file_read", {"path": "suture/origins.py"}).is_error
    opened = Workspace(package.parent, Settings(allow_protected=("suture/**",)))
    assert not opened.call("file_edit", given).is_error


@pytest.mark.promise("confine.no-code")
@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("above", [False, True])
def test_a_root_that_is_the_standard_library_is_read_but_not_edited(*, above: bool) -> None:
    library = Path(os.__file__).resolve().parent
    root = library.parent if above else library
    workspace = Workspace(root)
    assert str(library) in usable_path([str(root)])
    file = f"{library.name}/signal.py" if above else "signal.py"
    arguments = {"path": file, "edits": [{"old_text": "import _signal\n", "new_text": ""}], "dry_run": True}
    assert workspace.call("file_edit", arguments).metadata["error"]["code"] == "PROTECTED_PATH"
    assert not workspace.call("regex_search", {"file_path": file, "pattern": "import _signal"}).is_error
