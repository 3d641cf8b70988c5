"""Files that are found by their name alone."""

import pytest

import suture.engine.session as session_module
from suture import Settings, Workspace
from suture.testing import MemoryFS


@pytest.mark.parametrize("length", [0, 40, 120])
def test_any_number_of_names_is_found_however_long_they_are(length: int) -> None:
    names = [f"{'x' * length}{number}" for number in range(1_200)]
    fs = MemoryFS({f"folder/{name}": b"" for name in names[::100]})
    with Workspace(fs.root, fs=fs)._engine.session() as session:
        assert sorted(session.same_named(names)) == sorted(f"folder/{name}" for name in names[::100])
        assert session.same_named([]) == []


def suggestions(path: str, *files: str) -> list[str]:
    """What is suggested for a path that is not one of these files."""
    fs = MemoryFS(dict.fromkeys(files, b""))
    with Workspace(fs.root, fs=fs)._engine.session() as session:
        return session.similar_files(path)


COMPOSED, DECOMPOSED, WIDE = "caf\u00e9.py", "cafe\u0301.py", "\uff43af\u00e9.py"


@pytest.mark.parametrize("files", [(DECOMPOSED,), (f"src/{DECOMPOSED}",), (f"src/{WIDE.upper()}",)])
def test_a_name_in_another_normalization_is_found(files: tuple[str, ...]) -> None:
    assert suggestions(COMPOSED, *files) == list(files)


def test_the_same_name_comes_before_the_same_name_in_another_case_and_that_before_a_typo() -> None:
    files = ["a/Config.py", "b/config.py", "b/configs.py", "c/config.py", "a/confg.py"]
    assert suggestions("a/config.py", *files) == ["b/config.py", "c/config.py", "a/Config.py", "a/confg.py"]


def test_of_files_with_the_same_name_the_nearest_path_comes_first() -> None:
    files = ["lib/io/index.js", "web/src/io/index.js", "src/oi/index.js", "index.js"]
    expected = ["web/src/io/index.js", "lib/io/index.js", "src/oi/index.js", "index.js"]
    assert suggestions("src/io/index.js", *files) == expected


def test_at_most_five_files_are_suggested_each_once() -> None:
    files = [f"{folder}/index.js" for folder in "abcdefg"]
    assert suggestions("a/indx.js", "a/index.js") == ["a/index.js"]
    assert suggestions("index.js", *files) == files[:5]


def test_a_protected_file_is_not_suggested() -> None:
    assert suggestions(".envrcs", ".envrc", ".envs") == [".envs"]


def test_files_of_other_roots_are_suggested_with_their_whole_path() -> None:
    fs = MemoryFS({"ws/app.py": b"", "extra/lib/other.py": b""}, root="/")
    with Workspace("/ws", Settings(extra_roots=("/extra",)), fs=fs)._engine.session() as session:
        assert session.similar_files("Other.py") == ["/extra/lib/other.py"]


def test_the_workspace_is_walked_once_for_all_missing_files(monkeypatch: pytest.MonkeyPatch) -> None:
    fs = MemoryFS({"a/one.py": b"", "b/two.py": b""})
    scanned: list[str] = []
    scan = fs.scan

    def noted(folder: int, name: str) -> tuple[int, list[str], list[str]]:
        scanned.append(name)
        return scan(folder, name)

    with Workspace(fs.root, fs=fs)._engine.session() as session:
        monkeypatch.setattr(fs, "scan", noted)
        assert (session.similar_files("one.py"), session.similar_files("two.py")) == (["a/one.py"], ["b/two.py"])
    assert sorted(scanned) == ["", "a", "b"]


@pytest.mark.parametrize(("limit", "value"), [("_NAMING_SECONDS", -1), ("_MAX_NAMED_FILES", 1)])
def test_a_walk_that_takes_long_is_cut_off(limit: str, value: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, limit, value)
    assert suggestions("x.py", "a/x.py", "b/x.py") == ["a/x.py"]
