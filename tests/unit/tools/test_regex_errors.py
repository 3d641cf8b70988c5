"""The errors of the seven regex tools: one line of text, in the words of the specification, with a stable code."""

import errno
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from suture import Settings, ToolResult, Workspace
from suture.testing import FaultyFS, MemoryFS
from tests.faults.users import nobody
from tests.unit.changes import recorded, refused, workspace

SINGLE = ["regex_search", "regex_replace", "regex_extract", "regex_match_lines", "regex_split"]
MULTI = ["regex_search_multi", "regex_replace_multi"]
READING = [name for name in SINGLE if name != "regex_replace"]
EVERY = [*SINGLE, *MULTI]


def arguments(tool: str, path: str = "a", pattern: str = "(x)", **more: Any) -> dict[str, Any]:
    """A call that succeeds where there is such a file."""
    where = {"path_pattern" if tool in MULTI else "file_path": path, "pattern": pattern}
    return where | ({"replacement": "y"} if "replace" in tool else {}) | more


def told(result: ToolResult) -> tuple[str, str]:
    """The code and the text of an error, which has the shape of every error."""
    error = refused(result)
    assert {"code", "message", "hint", "retryable"} <= set(error)
    assert "\n" not in result.text
    assert result.to_dict() == {
        "isError": True,
        "content": [{"type": "text", "text": result.text}],
        "metadata": result.metadata,
    }
    return error["code"], result.text


def failed(tool: str, files: dict[str, bytes], settings: Settings | None = None, **given: Any) -> tuple[str, str]:
    """How a call is refused that changes nothing."""
    ws, fs = workspace(files, settings)
    answer = told(ws.call(tool, arguments(tool, **given)))
    assert (fs.files(), recorded(ws)) == (files, [])
    return answer


# Files


@pytest.mark.promise("regex.errors")
@pytest.mark.parametrize("tool", SINGLE)
@pytest.mark.parametrize("path", ["src/missing.js", "src/app.js", "data.json"])
def test_a_missing_file_is_told(tool: str, path: str) -> None:
    assert failed(tool, {"a": b"x\n"}, path=path) == ("FILE_NOT_FOUND", f"File not found: {path}")


@pytest.mark.promise("regex.errors")
@pytest.mark.parametrize("tool", READING)
def test_a_file_that_may_not_be_read_is_told(tool: str) -> None:
    fs = MemoryFS({"a": b"x\n"})
    ws = Workspace(fs.root, fs=FaultyFS(fs, fail_at=1, error=errno.EACCES, only={"open_file"}))
    assert told(ws.call(tool, arguments(tool))) == ("PERMISSION_DENIED", "Permission denied: a")


@pytest.mark.promise("regex.errors")
def test_a_file_that_may_not_be_written_is_told() -> None:
    ws, fs = workspace({"sub/hosts": b"x\n"})
    fs.node_of("sub/hosts").mode = 0o444
    answer = told(ws.call("regex_replace", arguments("regex_replace", "sub/hosts")))
    assert answer == ("PERMISSION_DENIED", "Permission denied writing: sub/hosts")
    assert fs.files() == {"sub/hosts": b"x\n"}


@pytest.fixture
def shared() -> Iterator[Path]:
    """A workspace that every user can reach, as pytest's own folders cannot be."""
    top = Path(tempfile.mkdtemp(prefix="suture-test-"))
    top.chmod(0o755)
    for name in ("src/a.js", "src/private/data.js", "src/z.js"):
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_bytes(b"x\n")
    yield top
    shutil.rmtree(top)


@pytest.mark.promise("regex.errors")
@pytest.mark.parametrize("tool", MULTI)
def test_one_unreadable_file_fails_a_call_over_many(shared: Path, tool: str) -> None:
    ws = Workspace(shared, Settings(durability="fast"))
    given = arguments(tool, "src/**/*.js") | ({"dry_run": True} if "replace" in tool else {})
    assert not ws.call(tool, given).is_error  # as an ordinary user modules may not be loadable
    (shared / "src/private/data.js").chmod(0)
    with nobody():
        answer = told(ws.call(tool, given))
    assert answer == ("PERMISSION_DENIED", "Permission denied reading: src/private/data.js")


@pytest.mark.parametrize("tool", SINGLE)
@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../a", "PATH_OUTSIDE_WORKSPACE"),
        ("sub/../../a", "PATH_OUTSIDE_WORKSPACE"),
        ("/etc/shadow", "PATH_OUTSIDE_WORKSPACE"),
        ("/etc/hosts", "PATH_OUTSIDE_WORKSPACE"),
        (".git/config", "PROTECTED_PATH"),
        (".GIT/config", "PROTECTED_PATH"),
        (".envrc", "PROTECTED_PATH"),
        ("sub", "NOT_A_FILE"),
        (".", "NOT_A_FILE"),
    ],
)
def test_a_path_that_may_not_be_used_is_refused(tool: str, path: str, code: str) -> None:
    files = {"a": b"x\n", "sub/b": b"x\n", ".git/config": b"x\n", ".envrc": b"x\n"}
    assert failed(tool, files, path=path)[0] == code


@pytest.mark.parametrize("tool", SINGLE)
def test_a_file_over_the_limit_is_refused(tool: str) -> None:
    assert failed(tool, {"a": b"x" * 11}, Settings(max_file_bytes=10))[0] == "INPUT_TOO_LARGE"


@pytest.mark.parametrize("tool", EVERY)
def test_a_request_over_the_limit_is_refused(tool: str) -> None:
    settings = Settings(max_request_bytes=100)
    assert failed(tool, {"a": b"x\n"}, settings, pattern="(x)" * 50)[0] == "INPUT_TOO_LARGE"


# Globs


@pytest.mark.promise("regex.errors")
@pytest.mark.parametrize("tool", MULTI)
@pytest.mark.parametrize(
    ("path", "code", "text"),
    [
        ("src/**/*.xyz", "NO_FILES_MATCHED", "No files matched pattern: src/**/*.xyz"),
        ("b", "NO_FILES_MATCHED", "No files matched pattern: b"),
        ("src/[**", "INVALID_GLOB", "Invalid glob pattern: src/[**"),
        ("[", "INVALID_GLOB", "Invalid glob pattern: ["),
    ],
)
def test_a_pattern_of_paths_that_means_no_file_is_told(tool: str, path: str, code: str, text: str) -> None:
    assert failed(tool, {"a": b"x\n", "src/a.js": b"x\n"}, path=path) == (code, text)


# Patterns


@pytest.mark.promise("regex.errors")
@pytest.mark.parametrize("tool", EVERY)
@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("function foo(", "Invalid regex: Unmatched '(' at position 12"),
        ("/function fo(/", "Invalid regex: Unmatched '(' at position 12"),
        ("/function fo(/gi", "Invalid regex: Unmatched '(' at position 12"),
    ],
)
def test_a_group_that_is_not_closed_is_told_as_in_the_specification(tool: str, pattern: str, text: str) -> None:
    assert failed(tool, {"a": b"x\n"}, pattern=pattern) == ("INVALID_REGEX", text)


@pytest.mark.promise("regex.errors")
@pytest.mark.parametrize(
    "pattern",
    [
        "(a",
        "a)",
        "((a)",
        "[a",
        "[z-a]",
        "*a",
        "+",
        "a**",
        "a{2,1}",
        "(?<n>a",
        "(?<n>a)(?<n>b)",
        "(?<1>a)",
        r"(?<n>a)\k<m>",
        "(?:",
        "(?=",
        "(?<=",
        "(?",
        "(?x",
        "a\\",
        r"\p{Nonsense}",
        r"\u{110000}",
        "/(/",
        "/[/g",
    ],
)
def test_a_pattern_that_cannot_be_read_is_told_with_reason_and_position(pattern: str) -> None:
    code, text = failed("regex_search", {"a": b"x\n"}, pattern=pattern)
    assert code == "INVALID_REGEX"
    read = re.fullmatch(r"Invalid regex: \S.* at position (\d+)", text)
    assert read is not None, text
    assert 0 <= int(read[1]) <= len(pattern)


@pytest.mark.parametrize(
    ("pattern", "position"),
    [("ab(cd", 2), ("(a)(b", 3), ("é😀(", 2), ("/ab(cd/", 3), ("/é😀(/g", 3), ("((a)", 0)],
)
def test_the_position_is_that_in_the_pattern_as_it_was_written(pattern: str, position: int) -> None:
    _, text = failed("regex_search", {"a": b"x\n"}, pattern=pattern)
    assert text == f"Invalid regex: Unmatched '(' at position {position}"


@pytest.mark.promise("regex.errors")
@pytest.mark.parametrize("tool", EVERY)
@pytest.mark.parametrize("flags", ["y", "x", "d", "G"])
def test_a_flag_that_is_not_known_is_told(tool: str, flags: str) -> None:
    text = f"Invalid flags: {flags} (supported: g, i, m, s, u)"
    assert failed(tool, {"a": b"x\n"}, flags=flags) == ("INVALID_FLAGS", text)
    assert failed(tool, {"a": b"x\n"}, pattern="/(x)/", flags=flags) == ("INVALID_FLAGS", text)


@pytest.mark.parametrize("flags", ["gy", "yg", "g i", "g,i", "/"])
def test_a_flag_that_is_not_known_is_refused_beside_others(flags: str) -> None:
    assert failed("regex_search", {"a": b"x\n"}, flags=flags)[0] == "INVALID_FLAGS"


def test_a_wrong_pattern_is_told_before_any_file_is_changed() -> None:
    files = {"a": b"x\n", "b": b"x\n"}
    assert failed("regex_replace_multi", files, path="*", pattern="(x")[0] == "INVALID_REGEX"


@pytest.mark.slow
@pytest.mark.promise("regex.bounded")
@pytest.mark.parametrize("tool", ["regex_search", "regex_replace_multi"])
def test_a_pattern_that_takes_too_long_is_stopped_and_nothing_is_changed(tool: str) -> None:
    slow = r"(a|aa)+\1$"
    files = {"a": b"aa", "b": b"a" * 80 + b"!", "c": b"aa"}
    path = "b" if tool == "regex_search" else "*"
    assert failed(tool, files, path=path, pattern=slow) == ("REGEX_TIMEOUT", f"Regex timed out after 1000 ms: {slow}")


@pytest.mark.parametrize("pattern", ["(?:a+)+$", "(?:a|aa)+$", "(?:a|a?)+$", "(?:[a-z]+)*$", "^(?:.*?,){20}x"])
def test_a_pattern_that_hangs_elsewhere_is_answered(pattern: str) -> None:
    ws, _ = workspace({"a": b"a" * 5_000 + b"!" + b"a," * 5_000 + b"\n"})
    result = ws.call("regex_search", {"file_path": "a", "pattern": pattern})
    assert not result.is_error, result.text
    assert result.data == []


# Groups


@pytest.mark.promise("regex.errors")
def test_a_pattern_without_groups_has_nothing_to_extract() -> None:
    answer = failed("regex_extract", {"a": b"x\n"}, pattern=r"\\d+")
    assert answer == ("NO_CAPTURE_GROUPS", r"Pattern has no capture groups: \\d+")


@pytest.mark.promise("regex.errors")
@pytest.mark.parametrize("tool", ["regex_replace", "regex_replace_multi"])
def test_a_group_that_the_pattern_has_not_is_told(tool: str) -> None:
    answer = failed(tool, {"a": b"x\n"}, pattern="(x)(y)?", replacement="$5")
    assert answer == ("INVALID_CAPTURE_GROUP", "Invalid capture group: $5 (only 2 groups in pattern)")


# Arguments


@pytest.mark.parametrize("tool", EVERY)
@pytest.mark.parametrize(
    ("name", "value"),
    [("binary_check_buffer_size", "much"), ("flags", 3), ("pattern", None), ("pattern", {}), ("nonsense", 1)],
)
def test_wrong_arguments_are_refused(tool: str, name: str, value: object) -> None:
    ws, fs = workspace({"a": b"x\n"})
    result = ws.call(tool, arguments(tool) | {name: value})
    assert refused(result)["code"] == "INVALID_ARGUMENTS"
    assert name in result.text
    assert fs.files() == {"a": b"x\n"}


@pytest.mark.parametrize("tool", EVERY)
def test_an_unknown_argument_names_the_nearest(tool: str) -> None:
    ws, _ = workspace({"a": b"x\n"})
    result = ws.call(tool, arguments(tool, binary_check_bufer_size=1))
    assert refused(result)["code"] == "INVALID_ARGUMENTS"
    assert "binary_check_buffer_size" in result.text
