"""The errors of the seven regex tools: a line in the words of the specification, a hint, and a stable code."""

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
from tests.unit.changes import error_of, list_changes, sentence_of, workspace

SINGLE = ["regex_search", "regex_replace", "regex_extract", "regex_match_lines", "regex_split"]
MULTI = ["regex_search_multi", "regex_replace_multi"]
READING = [name for name in SINGLE if name != "regex_replace"]
EVERY = [*SINGLE, *MULTI]


def arguments(tool: str, path: str = "a", pattern: str = "(x)", **more: Any) -> dict[str, Any]:
    """A call that succeeds where there is such a file."""
    where = {"path_pattern" if tool in MULTI else "file_path": path, "pattern": pattern}
    return where | ({"replacement": "y"} if "replace" in tool else {}) | more


def code_and_text(result: ToolResult) -> tuple[str, str]:
    """The code and the first line of an error, which has the shape of every error."""
    error = error_of(result)
    assert {"code", "message", "hint", "retryable"} <= set(error)
    assert result.to_dict() == {
        "isError": True,
        "content": [{"type": "text", "text": result.text}],
        "metadata": result.metadata,
    }
    return error["code"], sentence_of(result)


def failure(tool: str, files: dict[str, bytes], settings: Settings | None = None, **given: Any) -> tuple[str, str]:
    """How a call is refused that changes nothing."""
    ws, fs = workspace(files, settings)
    answer = code_and_text(ws.call(tool, arguments(tool, **given)))
    assert (fs.files(), list_changes(ws)) == (files, [])
    return answer


# Files


@pytest.mark.promise("regex.errors")
@pytest.mark.parametrize("tool", READING)
def test_a_file_that_may_not_be_read_is_reported(tool: str) -> None:
    fs = MemoryFS({"a": b"x\n"})
    ws = Workspace(fs.root, fs=FaultyFS(fs, fail_at=1, error=errno.EACCES, only={"open_file"}))
    assert code_and_text(ws.call(tool, arguments(tool))) == ("PERMISSION_DENIED", "Permission denied: a")


@pytest.mark.promise("regex.errors")
def test_a_file_that_may_not_be_written_is_reported() -> None:
    ws, fs = workspace({"sub/hosts": b"x\n"})
    fs.node_of("sub/hosts").mode = 0o444
    answer = code_and_text(ws.call("regex_replace", arguments("regex_replace", "sub/hosts")))
    assert answer == ("PERMISSION_DENIED", "Permission denied writing: sub/hosts")
    assert fs.files() == {"sub/hosts": b"x\n"}


@pytest.fixture
def shared_folder() -> Iterator[Path]:
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
def test_one_unreadable_file_fails_a_call_over_many(shared_folder: Path, tool: str) -> None:
    ws = Workspace(shared_folder, Settings(durability="fast"))
    given = arguments(tool, "src/**/*.js") | ({"dry_run": True} if "replace" in tool else {})
    assert not ws.call(tool, given).is_error  # as an ordinary user modules may not be loadable
    (shared_folder / "src/private/data.js").chmod(0)
    with nobody():
        answer = code_and_text(ws.call(tool, given))
    assert answer == ("PERMISSION_DENIED", "Permission denied reading: src/private/data.js")


# Patterns


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
def test_a_pattern_that_cannot_be_read_is_reported_with_reason_and_position(pattern: str) -> None:
    code, text = failure("regex_search", {"a": b"x\n"}, pattern=pattern)
    assert code == "INVALID_REGEX"
    read = re.fullmatch(r"Invalid regex: \S.* at position (\d+)", text)
    assert read is not None, text
    assert 0 <= int(read[1]) <= len(pattern)


@pytest.mark.promise("regex.errors")
@pytest.mark.parametrize("tool", EVERY)
@pytest.mark.parametrize("flags", ["y", "x", "d", "G"])
def test_a_flag_that_is_not_known_is_reported(tool: str, flags: str) -> None:
    text = f"Invalid flags: {flags} (supported: g, i, m, s, u)"
    assert failure(tool, {"a": b"x\n"}, flags=flags) == ("INVALID_FLAGS", text)
    assert failure(tool, {"a": b"x\n"}, pattern="/(x)/", flags=flags) == ("INVALID_FLAGS", text)
