"""No answer that a model reads is over its budget, whatever the files and the arguments are."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from suture import Settings, ToolResult, Workspace
from suture.budget import LINE_CHARS
from suture.server.calls import Calls
from suture.testing import MemoryFS
from suture.tools import AGENT_TOOLS, DIALECTS, TOOLS
from tests.budgets import CLIENTS, api_calls, check_budget, check_lines
from tests.interop.mcp_servers import stdio_caller, text_of

BUDGETS = (1_000, 25_000)
LONG_NAME = f"{'folder/' * 30}{'n' * 200}"
LONG = "".join(f"red line {number}\n" for number in range(3_000))
MINIFIED = "var red=0;" * 100_000
CODE = "".join(f"def function_{number}():\n    return {number}\n\n\n" for number in range(500))
FILES = {
    "long.txt": LONG.encode(),
    "min.js": MINIFIED.encode(),
    "code.py": CODE.encode(),
    "cr.txt": b"red line\r" * 5_000,
    "latin.txt": b"caf\xe9 red\n" * 5_000,
    "rows.txt": "".join(f"{number:05} {'red ' * 200}\n" for number in range(60)).encode(),
    "unicode.txt": ("𝔘𝔫𝔦 🧵 red é\n" * 5_000).encode(),
    **{f"{LONG_NAME}/{number}.txt": b"red\n" * 5 for number in range(150)},
    **{f"many/{number}/{inner}.txt": b"red\n" for number in range(60) for inner in range(3)},
}
EVERY = "**/*.txt"
BLOCK = "### File: {path}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n\n"


def edits(number: int, old: str = "no such text {}", new: str = "new {}") -> list[dict[str, Any]]:
    return [
        {"old_text": old.replace("{}", str(index)), "new_text": new.replace("{}", str(index))}
        for index in range(number)
    ]


def strings(number: int) -> dict[str, str]:
    return {"old_string": f"no such text {number}", "new_string": "new"}


def patches(number: int, old: str = "no such text {}", new: str = "new {}") -> list[dict[str, Any]]:
    return [
        {"operation": "replace", "oldText": old.replace("{}", str(index)), "newText": new.replace("{}", str(index))}
        for index in range(number)
    ]


def blocks(number: int, path: str, old: str, new: str) -> str:
    return "".join(
        BLOCK.format(path=path, old=old.replace("{}", str(index)), new=new.replace("{}", str(index)))
        for index in range(number)
    )


def new_files(number: int) -> str:
    return "".join(f"*** Add File: new/{LONG_NAME[:100]}/{index}.txt\n+{'x' * 600}\n" for index in range(number))


def envelope(body: str) -> str:
    return f"*** Begin Patch\n{body}*** End Patch\n"


WRONG: dict[str, Any] = {f"{'unknown' * 30}{number}": number for number in range(300)}
ADAPTED = "def function_{}():\n  return {}\n"
"""With other whitespace than the file's, so that the change is adapted."""
INPUTS: dict[str, list[dict[str, Any]]] = {
    "apply_reply": [
        {"reply": blocks(300, "code.py", "no such text {}", "new {}")},
        {"reply": blocks(300, "code.py", "no such text {}", "new {}"), "atomic": True},
        {"reply": blocks(100, "code.py", "def function_{}():\n  return", "def other_{}():\n  return")},
        {"reply": blocks(1, "min.js", MINIFIED[:5_000], "new")},
        {"reply": envelope(new_files(300)), "dry_run": True},
        {"reply": envelope(new_files(300))},
        {"reply": "no blocks " * 10_000},
    ],
    "file_edit": [
        {"path": "code.py", "edits": edits(300)},
        {"path": "code.py", "edits": edits(300, "def function_{}():\n  return", "x" * 3_000)},
        {"path": "code.py", "edits": edits(300, "def function_{}():", "def other_{}():"), "dry_run": True},
        {"path": "code.py", "edits": edits(300, "def function_{}():", "def other_{}():"), "validate": "warn"},
        {"path": "long.txt", "edits": [{"old_text": "red", "new_text": "x" * 900, "occurrences": 3_000}]},
        {
            "path": "long.txt",
            "edits": [{"old_text": "red", "new_text": "x", "occurrences": 3_000}],
            "dry_run": True,
            "validate": "all",
        },
        {"path": "min.js", "edits": [{"old_text": "var red=1;" * 900, "new_text": "var blue=1;"}]},
        {"path": "min.js", "edits": [{"old_text": "red", "new_text": "blue", "occurrences": 3}]},
        {"path": "x" * 4_000, "edits": edits(1)},
    ],
    "file_read": [
        {"path": "long.txt"},
        {"path": "long.txt", "format": "raw", "start_line": 500},
        {"path": "min.js"},
        {"path": "min.js", "format": "raw"},
        {"path": "cr.txt"},
        {"path": "cr.txt", "format": "raw"},
        {"path": "latin.txt"},
        {"path": "rows.txt"},
        {"path": "unicode.txt", "format": "raw"},
        {"path": "none" * 2_000},
    ],
    "history": [{"limit": 1_000}, {"path": LONG_NAME}, {"before": "x" * 10_000}],
    "patch": [
        {"path": "code.py", "patches": patches(300)},
        {"path": "code.py", "patches": patches(300, ADAPTED, "def function_{}():\n  return -1\n")},
        {
            "path": "code.py",
            "patches": [{"operation": "overwrite", "newText": "x = (\n" * 5_000}],
            "dry_run": True,
            "validate": "warn",
        },
        {"path": "code.py", "patches": [{"operation": "overwrite", "newText": "x = (\n" * 5_000}], "validate": "all"},
        {"path": "code.py", "patches": patches(200, "def function_{}():\n  return", "def other_{}():\n  return")},
        {"path": "long.txt", "patches": patches(1, "red", "blue")},
        {"path": "min.js", "patches": patches(1, "red", "blue")},
        {"path": "min.js", "patches": patches(1, "var red=0;var  red=0", "blue")},
    ],
    "redo": [{}, {"dry_run": True}, {"change_id": "x" * 5_000}],
    "regex_extract": [{"file_path": name, "pattern": "/(red)/g"} for name in ("long.txt", "min.js")],
    "regex_match_lines": [
        {"file_path": name, "pattern": "red", "format": shape}
        for name in ("long.txt", "min.js", "rows.txt")
        for shape in ("json", "text")
    ],
    "regex_replace": [
        {"file_path": "long.txt", "pattern": "/red/g", "replacement": "blue"},
        {"file_path": "min.js", "pattern": "/^[^]*$/", "replacement": "$&$&"},
        {"file_path": "long.txt", "pattern": "(", "replacement": "blue"},
        {"file_path": "code.py", "pattern": "/return/g", "replacement": "return (", "validate": "all"},
    ],
    "regex_replace_multi": [
        {"path_pattern": EVERY, "pattern": "/red/g", "replacement": "blue", "dry_run": True},
        {"path_pattern": EVERY, "pattern": "/red/g", "replacement": "blue", "context_after": 100},
    ],
    "regex_search": [
        {"file_path": "long.txt", "pattern": "/red/g", "context_after": 10_000, "max_matches": 30},
        {"file_path": "min.js", "pattern": "/red/g", "context_before": 2},
        {"file_path": "min.js", "pattern": "/.*/g"},
        {"file_path": "cr.txt", "pattern": "[^]*"},
    ],
    "regex_search_multi": [{"path_pattern": EVERY, "pattern": "/red/g"}, {"path_pattern": "x{" * 900, "pattern": "x"}],
    "regex_split": [{"file_path": name, "pattern": "red"} for name in ("long.txt", "min.js")],
    "safe_edit": [
        {"path": "code.py", "content": "x = (\n" * 5_000},
        {"path": "code.py", "content": "x = (\n" * 5_000, "mode": "interactive"},
        {"path": "code.py", "content": CODE.replace("return", "yield"), "mode": "verify_only"},
        {"path": "long.txt", "content": "x" * 100_000},
        {"path": "long.txt", "search_replace": {"search": "red", "replace": "x" * 1_000}},
        {"path": "min.js", "search_replace": {"search": "blue " * 300, "replace": "x"}},
        {"path": "code.py", "line_edits": [{"start_line": 9_000 + at, "end_line": 9_000} for at in range(300)]},
    ],
    "undo": [{}, {"dry_run": True}, {"change_id": "x" * 5_000}],
    "edit": [
        {"edits": [{"file_path": "code.py", **strings(number)} for number in range(300)]},
        {"file_path": "code.py", "old_string": "return", "new_string": "x" * 3_000},
        {"file_path": "code.py", "old_string": "return", "new_string": "x" * 3_000, "replace_all": True},
        {"file_path": "min.js", "old_string": "red", "new_string": "blue"},
        {"file_path": "min.js", "old_string": "var  red=0;" * 900, "new_string": "blue"},
        {"file_path": "code.py", "old_string": CODE.replace("    ", "  "), "new_string": CODE.replace("    r", "  r ")},
    ],
    "glob": [{"pattern": "**/*", "head_limit": 5_000}, {"pattern": "x{" * 900}],
    "grep": [
        {"pattern": "red", "output_mode": mode, "head_limit": 100_000}
        for mode in ("files_with_matches", "content", "count")
    ]
    + [{"pattern": "red", "path": "min.js", "output_mode": "content"}, {"pattern": "("}],
    "read": [
        {"file_path": path} for path in ("long.txt", "min.js", "cr.txt", "latin.txt", "rows.txt", ".", "none" * 2_000)
    ],
    "replace_in_files": [
        {"old": "red", "new": "blue", "glob": "**/*.txt"},
        {"old": "red", "new": "blue", "dry_run": True},
        {"old": "(", "new": "blue", "regex": True},
    ],
    "write": [
        {"file_path": "code.py", "content": "x = (\n" * 5_000},
        {"file_path": "min.js", "content": "x" * 900_000},
        {"file_path": "code.py/none", "content": "x"},
    ],
    "apply_patch": [
        {"input": envelope(new_files(300))},
        {"input": envelope(new_files(300)), "dry_run": True},
        {"input": envelope("*** Update File: code.py\n" + "@@\n-no such text\n+new\n" * 300)},
        {"input": "x" * 100_000},
    ],
    "str_replace_based_edit_tool": [
        {"command": "view", "path": "long.txt"},
        {"command": "view", "path": "min.js"},
        {"command": "view", "path": "latin.txt", "view_range": [100, -1]},
        {"command": "view", "path": "."},
        {"command": "view", "path": LONG_NAME},
        {"command": "str_replace", "path": "min.js", "old_str": "var  red=0;" * 900, "new_str": "x"},
        {"command": "str_replace", "path": "long.txt", "old_str": "red", "new_str": "x"},
        {"command": "str_replace", "path": "code.py", "old_str": CODE[:3_000].replace("    ", " "), "new_str": "x"},
        {"command": "create", "path": "long.txt", "file_text": "x\n" * 30_000},
        {"command": "insert", "path": "min.js", "insert_line": 9, "insert_text": "x" * 9_000},
    ],
}
NEEDS_CHANGES = {"history", "undo", "redo"}


def open_files() -> tuple[Workspace, MemoryFS]:
    fs = MemoryFS(FILES)
    return Workspace(fs.root, Settings(durability="fast"), fs=fs), fs


def prepare(name: str, workspace: Workspace) -> None:
    """Make the changes that a tool needs."""
    if name not in NEEDS_CHANGES:
        return
    replace = {"path_pattern": "many/**", "pattern": "/red/g", "replacement": "blue"}
    assert not workspace.call("regex_replace_multi", replace).is_error
    if name == "history":
        for number in range(15):
            workspace.call("file_edit", {"path": "code.py", "edits": edits(1, f"function_{number}()", "f()")})
    if name == "redo":
        assert not workspace.call("undo").is_error


@pytest.mark.promise("bound.answer")
@pytest.mark.parametrize("name", [*TOOLS, *AGENT_TOOLS, *DIALECTS])
def test_no_answer_of_a_tool_is_over_its_budget(name: str) -> None:
    assert INPUTS.get(name), f"add inputs of {name} that have long answers"
    is_cut = False
    for arguments in [*INPUTS[name], WRONG]:
        workspace, _ = open_files()
        prepare(name, workspace)
        result = workspace.call(name, arguments)
        for most in BUDGETS:
            check_budget(name, result, most)
            is_cut = is_cut or result.within(most).to_dict() != result.to_dict()
    assert is_cut, f"no input of {name} has an answer that is cut"


def conflicting_undo() -> ToolResult:
    workspace, fs = open_files()
    prepare("undo", workspace)
    for path in [path for path in FILES if path.startswith("many/")]:
        fs.put(path, b"green\n" * 3_000)
    return workspace.call("undo")


def undo_after_recovery() -> ToolResult:
    result = conflicting_undo()
    return result.evolve(notes=("An interrupted transaction was rolled back: " + ", ".join(FILES), "It is recorded."))


@pytest.mark.parametrize("call", [conflicting_undo, undo_after_recovery])
def test_conflicts_in_many_files_and_long_notes_are_within_the_budget(call: Callable[[], ToolResult]) -> None:
    result = call()
    assert result.metadata["error"]["code"] == "UNDO_CONFLICT"
    for most in BUDGETS:
        check_budget("undo", result, most)


@pytest.mark.parametrize("most", BUDGETS)
def test_the_workspace_and_the_server_use_the_setting(most: int) -> None:
    fs = MemoryFS(FILES)
    workspace = Workspace(fs.root, Settings(max_answer_chars=most), fs=fs)
    for call in api_calls("file_read").values():
        filled = json.loads(json.dumps(call).replace("{}", json.dumps({"path": "long.txt"})[:0] or "{}"))
        for key in ("input", "args"):
            for holder in (filled, filled.get("functionCall", {})):
                if key in holder:
                    holder[key] = {"path": "long.txt"}
        sent = json.dumps(workspace.handle(filled), ensure_ascii=False)
        assert len(sent) <= 3 * most
    calls = Calls(["file_read"])
    for client in CLIENTS:
        message = anyio.run(calls.run, workspace, "file_read", {"path": "long.txt"}, None, client)
        (text,) = (block["text"] for block in message["content"])
        assert most - 2 * LINE_CHARS < len(text) <= most
    assert workspace.call("file_read", {"path": "long.txt"}).text.count("\n") == 2_999


@pytest.mark.process
@pytest.mark.slow
def test_a_server_cuts_its_answers(tmp_path: Path) -> None:
    for path in ("long.txt", "min.js"):
        (tmp_path / path).write_bytes(FILES[path])
    with stdio_caller(tmp_path, "--max-answer", "1000", mode="auto") as caller:
        for name, arguments in (
            ("file_read", {"path": "long.txt"}),
            ("file_read", {"path": "min.js", "format": "raw"}),
            ("regex_match_lines", {"file_path": "min.js", "pattern": "red"}),
            ("safe_edit", {"path": "long.txt", "content": "x\n" * 9_000}),
            ("undo", {"dry_run": True}),
        ):
            result = caller.call(name, arguments)
            assert not result.is_error, text_of(result)
            shown = "\n".join(block.text for block in result.content if block.type == "text")
            assert len(shown) <= 1_000
            check_lines(shown, is_list=name.startswith("regex"))
            assert len(json.dumps(result.structured_content or {}, ensure_ascii=False)) <= 1_200
