"""Reading many files: only those that may contain a match are returned."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from suture import Settings, Workspace
from suture.errors import InputTooLarge
from suture.files import walk as module
from suture.files.fs import Tree
from suture.files.walk import ContentFilter, read_candidates
from suture.testing import FaultyFS, MemoryFS
from tests.unit.changes import error_of, sentence_of


def swept(
    files: dict[str, bytes],
    word: bytes = b"needle",
    closer: Callable[[bytes], bool] | None = None,
    *,
    only_utf8: bool = True,
    window: int = 8_192,
    max_bytes: int = 10_000_000,
) -> list[str]:
    fs = MemoryFS(files)
    content_filter = ContentFilter(
        lambda buffer, size: buffer.find(word, 0, size) >= 0,
        closer or (lambda content: word in content),
        only_utf8=only_utf8,
        binary_window=window,
        max_bytes=max_bytes,
    )
    with Tree(fs, fs.root) as tree:
        runs = [(tree.folder(""), "", sorted(files))]
        candidates = list(read_candidates(tree, runs, content_filter))
    assert [content for _, _, name, content in candidates] == [files[name] for _, _, name, _ in candidates]
    return [prefix + name for _, prefix, name, _ in candidates]


@pytest.mark.parametrize(
    ("content", "comes"),
    [
        (b"a needle\n", True),
        (b"a noodle\n", False),
        (b"", False),
        (b"needle\0", False),
        (b"\0needle", False),
        ("noodle".encode("utf-32"), True),
        ("needle".encode("utf-16"), True),
        ("noodle".encode("utf-16"), True),
        (b"\xef\xbb\xbfnoodle", True),
        (b"\xff noodle", False),
        (b"\xe9 noodle", False),
    ],
)
def test_a_file_comes_out_if_it_may_hold_what_is_sought(content: bytes, *, comes: bool) -> None:
    assert swept({"f": content}) == ["f"] * comes


def test_a_closer_look_is_not_believed_about_bytes_that_are_not_utf8() -> None:
    files = {"a": b"needle", "b": b"needle \xe9", "c": "needle é".encode()}
    assert swept(files, closer=lambda _: False) == []
    assert swept(files, closer=lambda _: False, only_utf8=False) == ["b"]


def test_without_a_window_nothing_is_binary() -> None:
    assert swept({"f": b"x\0needle"}, window=0) == ["f"]
    assert swept({"f": b"needle" + b"." * 20 + b"\0"}, window=10) == ["f"]


def test_a_file_larger_than_the_buffer_is_read_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BUFFER_SIZE", 16)
    far = b"." * 100 + b"needle"
    assert swept({"far": far, "none": b"." * 100, "binary": b"\0." * 50 + b"needle"}) == ["far"]
    with pytest.raises(InputTooLarge):
        swept({"far": far}, max_bytes=50)
    assert swept({"big": b"x\0" * 100}, max_bytes=50) == []


def test_a_file_that_is_too_large_is_named_by_its_path() -> None:
    fs = MemoryFS({"src/far/big.txt": b"needle" * 20})
    workspace = Workspace(fs.root, Settings(max_file_bytes=50), fs=fs)
    result = workspace.call("regex_search_multi", {"path_pattern": "**/*", "pattern": "needle"})
    error = error_of(result)
    assert (error["code"], error["what"]) == ("INPUT_TOO_LARGE", "src/far/big.txt")
    assert error["hint"].endswith('To skip it, set exclude to "src/far/big.txt".')
    arguments = {"path_pattern": "**/*", "pattern": "needle", "exclude": "src/far/big.txt"}
    assert error_of(workspace.call("regex_search_multi", arguments))["code"] == "NO_FILES_MATCHED"


def failing_workspace(error: int, at: int = 2) -> Workspace:
    inner = MemoryFS({f"src/{name}": b"needle\n" for name in "abc"})
    return Workspace(inner.root, fs=FaultyFS(inner, fail_at=at, error=error, only={"fill"}))


@pytest.mark.parametrize("number", [errno.ENOENT, errno.ELOOP, errno.ENOTDIR])
def test_a_file_that_vanishes_is_passed_over(number: int) -> None:
    result = failing_workspace(number).call("regex_search_multi", {"path_pattern": "**/*", "pattern": "needle"})
    assert [row["file"] for row in result.data] == ["src/a", "src/c"]


@pytest.mark.parametrize(
    ("number", "code", "sentence", "way_out"),
    [
        (
            errno.EACCES,
            "PERMISSION_DENIED",
            "Permission denied reading: src/b",
            'To skip it, set exclude to "src/b"; or ask the operator to change its permissions. Nothing was changed.',
        ),
        (
            errno.EIO,
            "READ_FAILED",
            "src/b could not be read: Input/output error.",
            'Nothing was changed. Fix the cause and retry. To skip it, set exclude to "src/b".',
        ),
    ],
)
def test_a_file_that_cannot_be_read_fails_the_call(number: int, code: str, sentence: str, way_out: str) -> None:
    result = failing_workspace(number).call("regex_search_multi", {"path_pattern": "**/*", "pattern": "needle"})
    assert (result.is_error, result.metadata["error"]["code"]) == (True, code)
    assert (sentence_of(result), error_of(result)["hint"]) == (sentence, way_out)


def test_a_configured_encoding_is_searched_as_text() -> None:
    fs = MemoryFS({"a.txt": "größe\n".encode("latin-1"), "b.txt": "größe\n".encode()})
    workspace = Workspace(fs.root, Settings(encodings=(("*.txt", "latin-1"),)), fs=fs)
    result = workspace.call("regex_search_multi", {"path_pattern": "*", "pattern": "größe"})
    assert [(row["file"], row["match"]) for row in result.data] == [("a.txt", "größe"), ("b.txt", "größe")]


def test_a_link_in_the_literal_part_is_followed_if_it_stays_inside(tmp_path: Path) -> None:
    (tmp_path / "ws" / "real" / "deep").mkdir(parents=True)
    (tmp_path / "out").mkdir()
    for place in ("ws/real/deep/x.txt", "out/x.txt"):
        (tmp_path / place).write_text("needle\n")
    (tmp_path / "ws" / "inside").symlink_to("real")
    (tmp_path / "ws" / "root").symlink_to(".")
    (tmp_path / "ws" / "file").symlink_to("real/deep/x.txt")
    (tmp_path / "ws" / "outside").symlink_to("../out")
    workspace = Workspace(tmp_path / "ws")

    def files(pattern: str) -> list[str] | str:
        result = workspace.call("regex_search_multi", {"path_pattern": pattern, "pattern": "needle"})
        return result.metadata["error"]["code"] if result.is_error else [row["file"] for row in result.data]

    assert files("inside/**/*.txt") == ["real/deep/x.txt"]
    assert files("file") == ["real/deep/x.txt"]
    assert files("root/**") == ["real/deep/x.txt"]
    assert files("inside") == files("inside/") == files("inside/.") == ["real/deep/x.txt"]
    assert files("root") == files("root/") == ["real/deep/x.txt"]
    assert files("file/") == "NO_FILES_MATCHED"
    assert files("root/real/**/*.txt") == ["real/deep/x.txt"]
    assert files("**/*.txt") == ["real/deep/x.txt"]
    assert files("outside/*.txt") == "PATH_OUTSIDE_WORKSPACE"
    assert files("real/deep/x.txt/y") == "NO_FILES_MATCHED"
    assert files(f"{tmp_path}/ws/real/**/*") == ["real/deep/x.txt"]
    assert files(f"{tmp_path}/out/*") == "PATH_OUTSIDE_WORKSPACE"


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("src", "src/a src/deep/b"),
        ("src/", "src/a src/deep/b"),
        ("./src/.", "src/a src/deep/b"),
        ("/ws/src", "src/a src/deep/b"),
        ("/ws/src/", "src/a src/deep/b"),
        ("src/deep", "src/deep/b"),
        (".hidden", ".hidden/d"),
        ("[x]", ""),
        (r"\[x\]", "[x]/e"),
        ("build", "build/f"),
        (".", "[x]/e c src/a src/deep/b"),
        ("./", "[x]/e c src/a src/deep/b"),
        ("/ws", "[x]/e c src/a src/deep/b"),
    ],
)
def test_a_folder_means_everything_below_it(pattern: str, expected: str) -> None:
    names = ["src/a", "src/deep/b", "src/.c", "c", ".hidden/d", "[x]/e", "build/f"]
    fs = MemoryFS({".gitignore": b"build\n", **dict.fromkeys(names, b"needle")})
    result = Workspace(fs.root, fs=fs).call("regex_search_multi", {"path_pattern": pattern, "pattern": "needle"})
    assert result.metadata.get("error", {}).get("code") == (None if expected else "NO_FILES_MATCHED")
    assert [row["file"] for row in result.rows or []] == expected.split()


def test_a_folder_means_everything_below_it_in_a_replacement() -> None:
    fs = MemoryFS({"src/a": b"x", "src/b/c": b"x", "d": b"x"})
    workspace = Workspace(fs.root, fs=fs)
    workspace.call("regex_replace_multi", {"path_pattern": "src", "pattern": "x", "replacement": "y"})
    assert fs.files() == {"src/a": b"y", "src/b/c": b"y", "d": b"x"}


def test_an_absolute_exclude_is_a_path_below_the_root() -> None:
    fs = MemoryFS({"src/a": b"x", "src/b/c": b"x", "b/d": b"x", "more/e": b"x"})
    workspace = Workspace(fs.root, Settings(extra_roots=("/ws/more",)), fs=fs)

    def files(*exclude: str) -> list[str]:
        arguments = {"path_pattern": "**/*", "pattern": "x", "exclude": exclude}
        return [row["file"] for row in workspace.call("regex_search_multi", arguments).data]

    assert files("/ws/src/b") == ["b/d", "more/e", "src/a"]
    assert files("/ws/**/b/*") == ["more/e", "src/a"]
    assert files("/src/b") == ["b/d", "more/e", "src/a"]
    assert files("/other", "/ws/more") == ["b/d", "src/a", "src/b/c"]


def test_files_below_an_extra_root_are_named_absolutely(tmp_path: Path) -> None:
    for name in ("ws", "more"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.txt").write_text("needle\n")
    workspace = Workspace(tmp_path / "ws", Settings(extra_roots=(str(tmp_path / "more"),)))
    arguments = {"path_pattern": f"{tmp_path}/more/*", "pattern": "needle", "replacement": "thread"}
    result = workspace.call("regex_replace_multi", arguments)
    assert [row["file"] for row in result.data] == [f"{tmp_path}/more/x.txt"]
    assert [(tmp_path / name / "x.txt").read_text() for name in ("ws", "more")] == ["needle\n", "thread\n"]


@pytest.mark.parametrize(
    ("pattern", "hint"),
    [
        ("build/../x", None),
        ("*.log", "The matching files are ignored by .gitignore: to include them, set include_ignored."),
        ("empty", "empty is a folder with no files, or only hidden ones."),
        ("empty/", "empty/ is a folder with no files, or only hidden ones."),
        (".envrc", ".envrc is protected (.envrc)."),
        ("*.xyz", "Check the pattern: it is relative to the workspace root, and ** matches any number of folders."),
    ],
)
def test_a_pattern_that_means_no_file_says_why(pattern: str, hint: str | None) -> None:
    fs = MemoryFS({".gitignore": b"*.log\n", "a.log": b"x", "src/a": b"x", ".envrc": b"x", "empty/.a": b"x"})
    error = Workspace(fs.root, fs=fs).call("regex_search_multi", {"path_pattern": pattern, "pattern": "x"})
    if hint is None:
        assert error.metadata["error"]["code"] == "PATH_OUTSIDE_WORKSPACE"
    else:
        assert sentence_of(error) == f"No files matched pattern: {pattern}"
        assert error.metadata["error"]["hint"] == hint


@pytest.mark.slow
@pytest.mark.promise("regex.bounded")
def test_a_file_of_the_largest_size_is_searched_and_changed(tmp_path: Path) -> None:
    line = b"some words on a line of a large file\n"
    size = 99_000_000 // len(line) * len(line)
    (tmp_path / "large.txt").write_bytes(line * (size // len(line)) + b"needle one\nlast\n")
    workspace = Workspace(tmp_path, Settings(regex_file_ms=60_000, history=False, durability="fast"))
    number = size // len(line) + 1
    for pattern in ("needle (\\w+)", "(?<=needle )one", "[xyz]+"):
        result = workspace.call("regex_search", {"file_path": "large.txt", "pattern": pattern, "context_after": 1})
        assert [row["line"] for row in result.data] == ([] if "xyz" in pattern else [number]), pattern
    lines = workspace.call("regex_match_lines", {"file_path": "large.txt", "pattern": "^needle"})
    assert lines.data == [{"file": "large.txt", "line": number, "content": "needle one"}]
    changed = workspace.call(
        "regex_replace", {"file_path": "large.txt", "pattern": "one$", "flags": "m", "replacement": "two"}
    )
    assert [(row["line"], row["replacement"]) for row in changed.data] == [(number, "two")]
    assert (tmp_path / "large.txt").read_bytes()[-16:] == b"needle two\nlast\n"
