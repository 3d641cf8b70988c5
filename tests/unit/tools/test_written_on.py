"""A text that is not in the file any more, but in an earlier version of it: what every tool makes of it."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from suture import ToolResult, Workspace
from suture.testing import MemoryFS
from tests.unit.changes import land, workspace, write
from tests.unit.file_edits import snapshot
from tests.unit.tools.reply_samples import at, block

WAS = b"[server]\nhost = one\nport = 80\n\n[client]\nhost = two\nretries = 3\n"
NOW = WAS.replace(b"host = one", b"host = www").replace(b"retries = 3", b"retries = 5")
SHORTER = WAS.replace(b"host = one\nport = 80\n", b"")
CLIENT = "[client]\nhost = two\nretries = 3\n"
SERVER = "host = one\nport = 80\n"

Send = Callable[[Workspace, str, str], ToolResult]


def _sign(sign: str, text: str) -> str:
    return "".join(f"{sign}{line}\n" for line in text.removesuffix("\n").split("\n"))


def _v4a(old: str, new: str) -> str:
    return f"*** Begin Patch\n*** Update File: a\n@@\n{_sign('-', old)}{_sign('+', new)}*** End Patch\n"


def _diff(old: str, new: str) -> str:
    return f"--- a/a\n+++ b/a\n@@ -1 +1 @@\n{_sign('-', old)}{_sign('+', new)}"


MERGING: dict[str, Send] = {
    "patch": lambda ws, old, new: ws.patch("a", [{"operation": "replace", "oldText": old, "newText": new}]),
    "apply_reply": lambda ws, old, new: ws.call("apply_reply", {"reply": at("a", block(old, new))}),
    "apply_reply with a diff": lambda ws, old, new: ws.call("apply_reply", {"reply": _diff(old, new)}),
    "apply_patch": lambda ws, old, new: ws.call("apply_patch", {"input": _v4a(old, new)}),
}
"""Tools that merge."""
EXACT: dict[str, Send] = {
    "file_edit": lambda ws, old, new: ws.call(
        "file_edit", {"path": "a", "edits": [{"old_text": old, "new_text": new}]}
    ),
    "str_replace_based_edit_tool": lambda ws, old, new: ws.call(
        "str_replace_based_edit_tool", {"command": "str_replace", "path": "a", "old_str": old, "new_str": new}
    ),
}
"""Tools that change only an exact match, and report what is known about other texts."""
TOOLS: dict[str, Send] = MERGING | EXACT


class Known:
    """A file that has changed, and an earlier version of it that is known."""

    def __init__(self, known: str, now: bytes) -> None:
        self.ws, self.fs = workspace({"a": b""})
        self.fs.put("a", b"" if known.startswith("recorded") else WAS)
        change = replaced = None
        if known.startswith("recorded"):
            change = land(self.ws, write("a", WAS))
        elif known.startswith("viewed"):
            self.ws.call("str_replace_based_edit_tool", {"command": "view", "path": "a"})
        else:
            self.ws.file_read("a")
        if known.endswith("a change of ours"):
            replaced = land(self.ws, write("a", now))
        self.fs.put("a", now)
        source = "history" if known.startswith("recorded") else "read"
        self.change = replaced
        self.version = {"source": source, "id": change, "until": replaced}
        self.named = f"change {change}" if change else "the version you read"


VERSIONS = [
    f"{known}, {by}"
    for known in ("read", "viewed", "recorded")
    for by in ("changed by somebody", "replaced by a change of ours")
]


def describe_change(result: ToolResult) -> dict[str, Any]:
    """What a tool that merges reports about its only change: the place or the error."""
    entry: dict[str, Any] = next(iter(result.metadata.get("patches") or result.metadata.get("blocks") or [{}]))
    error = entry.get("error") or ({} if "blocks" in result.metadata else result.metadata.get("error") or {})
    return {**entry, **error}


def part(data: dict[str, Any], names: dict[str, Any]) -> dict[str, Any]:
    return {name: data.get(name) for name in names}


def call_unchanged(fs: MemoryFS, send: Callable[[], ToolResult]) -> ToolResult:
    before = snapshot(fs)
    result = send()
    assert snapshot(fs) == before
    return result


@pytest.mark.promise("patch.stale")
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("tool", MERGING)
def test_a_change_of_an_earlier_version_is_merged_where_nothing_else_touched_it(tool: str, version: str) -> None:
    known = Known(version, NOW)
    result = MERGING[tool](known.ws, CLIENT, CLIENT.replace("[client]", "[clients]"))
    assert not result.is_error, result.text
    expected = {"rung": "rebased", "score": 1.0, "written_on": known.version}
    assert part(describe_change(result), expected) == expected
    assert known.fs.files() == {"a": NOW.replace(b"[client]", b"[clients]")}


@pytest.mark.promise("patch.stale")
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("tool", MERGING)
def test_a_change_of_what_was_changed_since_is_a_conflict(tool: str, version: str) -> None:
    known = Known(version, NOW)
    result = call_unchanged(known.fs, lambda: MERGING[tool](known.ws, "retries = 3\n", "retries = 4\n"))
    sides = {"line": 7, "base": "retries = 3", "ours": "retries = 5", "theirs": "retries = 4"}
    expected = {"code": "EDIT_CONFLICT", "path": "a", **sides, "written_on": known.version}
    assert part(describe_change(result), expected) == expected
    assert all(text in result.text for text in ("retries = 3", "retries = 5", "retries = 4"))


@pytest.mark.promise("patch.stale")
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("tool", MERGING)
def test_what_was_deleted_since_is_looked_for_nowhere_else(tool: str, version: str) -> None:
    known = Known(version, SHORTER)
    result = call_unchanged(known.fs, lambda: MERGING[tool](known.ws, SERVER, SERVER.replace("80", "81")))
    where = {"start_line": 2, "end_line": 2, "text": "", "search_text": SERVER}
    expected = {"code": "TARGET_DELETED", "path": "a", **where, "written_on": known.version}
    assert part(describe_change(result), expected) == expected


@pytest.mark.promise("patch.stale")
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("tool", MERGING)
def test_what_was_done_since_is_not_done_again(tool: str, version: str) -> None:
    known = Known(version, NOW)
    result = call_unchanged(known.fs, lambda: MERGING[tool](known.ws, "retries = 3\n", "retries = 5\n"))
    if tool == "patch":
        expected = {"code": "ALREADY_APPLIED", "start_line": 7, "end_line": 7, "change_id": known.change}
    else:
        expected = {"status": "already_applied", "line": 7, "written_on": None}
    assert part(describe_change(result), expected) == expected


# Tools that are exact


def exact_error(result: ToolResult) -> dict[str, Any]:
    """The error of a tool that is exact."""
    assert result.is_error, result.text
    error: dict[str, Any] = result.metadata["error"]
    assert error["code"] == "NO_MATCH"
    return error


def correction(result: ToolResult) -> tuple[str, str]:
    """The old and the new text that a failure suggests."""
    start = min(at for at in (result.text.find('{"old_text"'), result.text.find('{"command"')) if at >= 0)
    call = json.loads(result.text[start:].split("\n")[0])
    old, new = (call.get(f"{which}_text", call.get(f"{which}_str")) for which in ("old", "new"))
    return old, new


@pytest.mark.promise("edit.stale")
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("tool", EXACT)
def test_an_exact_tool_says_what_to_send_where_the_change_can_be_merged(tool: str, version: str) -> None:
    known = Known(version, NOW)
    sent = CLIENT, CLIENT.replace("[client]", "[clients]")
    result = call_unchanged(known.fs, lambda: EXACT[tool](known.ws, *sent))
    expected = {"why": "found", "rung": "rebased", "stale": None, "written_on": known.version}
    assert part(exact_error(result), expected) == expected
    assert not EXACT[tool](known.ws, *correction(result)).is_error
    assert known.fs.files() == {"a": NOW.replace(b"[client]", b"[clients]")}


@pytest.mark.promise("edit.stale")
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("tool", EXACT)
def test_an_exact_tool_shows_what_was_changed_since(tool: str, version: str) -> None:
    known = Known(version, NOW)
    result = call_unchanged(known.fs, lambda: EXACT[tool](known.ws, "retries = 3", "retries = 4"))
    sides = {"line": 7, "base": "retries = 3", "ours": "retries = 5", "theirs": "retries = 4"}
    stale = {"change_id": known.change, "start_line": 7, "end_line": 7, "text": "retries = 5"}
    expected = {"why": "conflict", "sides": sides, "stale": stale, "written_on": known.version}
    assert part(exact_error(result), expected) == expected
    assert "retries = 5" in result.text
    assert '"new_' not in result.text


@pytest.mark.promise("edit.stale")
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("tool", EXACT)
def test_an_exact_tool_says_that_a_text_was_deleted(tool: str, version: str) -> None:
    known = Known(version, SHORTER)
    result = call_unchanged(known.fs, lambda: EXACT[tool](known.ws, SERVER, SERVER.replace("80", "81")))
    stale = {"change_id": known.change, "start_line": 2, "end_line": 2, "text": ""}
    expected = {"why": "deleted", "stale": stale, "written_on": known.version}
    assert part(exact_error(result), expected) == expected
    if tool == "file_edit":
        assert [fix["type"] for fix in result.metadata["suggested_fixes"]] == ["TARGET_DELETED"]


@pytest.mark.promise("edit.stale")
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("tool", EXACT)
def test_an_exact_tool_says_that_a_change_was_made_already(tool: str, version: str) -> None:
    known = Known(version, NOW)
    result = call_unchanged(known.fs, lambda: EXACT[tool](known.ws, "retries = 3", "retries = 5"))
    applied = {"start_line": 7, "end_line": 7, "change_id": known.change}
    expected = {"why": "applied", "applied": applied, "stale": None, "written_on": known.version}
    assert part(exact_error(result), expected) == expected
    assert (known.change or "is already at line 7") in result.text


# The text that a model reads


@pytest.mark.promise("teach.data")
@pytest.mark.parametrize("version", ["read, changed by somebody", "recorded, replaced by a change of ours"])
@pytest.mark.parametrize(
    ("now", "old", "new"),
    [
        (NOW, CLIENT, CLIENT.replace("[client]", "[clients]")),
        (NOW, "retries = 3\n", "retries = 4\n"),
        (SHORTER, SERVER, SERVER.replace("80", "81")),
    ],
    ids=["merged", "changed", "deleted"],
)
@pytest.mark.parametrize("tool", TOOLS)
def test_the_text_names_the_version_that_the_change_was_written_on(
    tool: str, now: bytes, old: str, new: str, version: str
) -> None:
    known = Known(version, now)
    text = TOOLS[tool](known.ws, old, new).text
    assert known.named in text
    if now is SHORTER:
        assert f"{f'change {known.change}' if known.change else 'a later change'} removed it" in text
