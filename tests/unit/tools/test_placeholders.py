"""Lines that stand for left-out text, through every tool that edits: refused where they would delete it."""

from collections.abc import Callable
from typing import Any

import pytest

from suture import Workspace
from suture.match.placeholders import find_added
from suture.text.edits import edit
from suture.tools import find
from suture.tools.results import whole_lines
from suture.tools.spec import ToolResult
from tests.unit.changes import succeed, workspace
from tests.unit.placeholder_lines import HONEST, PLACEHOLDERS

BEFORE = "import os\n\n\ndef one():\n    return 1\n\n\ndef two():\n    return 2\n"
OLD = "def one():\n    return 1\n"
NAME = "app.py"
V4A = "*** Begin Patch\n*** Update File: {}\n@@\n{}*** End Patch\n"
Ask = Callable[[Workspace, str, dict[str, Any]], ToolResult]
"""Make OLD, or in a whole file all, to this text."""


def new_text(line: str) -> str:
    return f"def one():\n    {line}\n"


def whole(new: str) -> str:
    return f"import os\n\n\n{new}"


def hunk(new: str) -> str:
    lines = ["-    return 1\n", *(f"+{line}\n" for line in new.removesuffix("\n").split("\n")[1:])]
    return "".join([" def one():\n", *lines])


def unified_diff(new: str) -> str:
    return f"--- a/{NAME}\n+++ b/{NAME}\n@@ -4,2 +4,{new.count(chr(10))} @@\n{hunk(new)}"


def patch_list(new: str, **more: Any) -> list[dict[str, Any]]:
    return [{"operation": "replace", "oldText": OLD, "newText": new, **more}]


def editor(**arguments: Any) -> Ask:
    return lambda ws, new, more: ws.call(
        "str_replace_based_edit_tool",
        {"path": NAME, **{name: make(new) for name, make in arguments.items()}, **more},
    )


def same(value: str) -> Callable[[str], str]:
    return lambda _: value


TOOLS: dict[str, Ask] = {
    "patch, replace": lambda ws, new, more: ws.patch(NAME, patch_list(new), **more),
    "patch, replace, white space": lambda ws, new, more: ws.patch(NAME, patch_list(new), "whitespace", **more),
    "patch, reindented": lambda ws, new, more: ws.patch(
        NAME, patch_list(f"  {new}".replace("\n    ", "\n      "), reindent={"strip": "  "}), **more
    ),
    "patch, overwrite": lambda ws, new, more: ws.patch(
        NAME, [{"operation": "overwrite", "newText": whole(new)}], **more
    ),
    "file_edit": lambda ws, new, more: ws.file_edit(NAME, [{"old_text": OLD, "new_text": new}], **more),
    "safe_edit, content": lambda ws, new, more: ws.safe_edit(NAME, content=whole(new), mode="interactive", **more),
    "safe_edit, lines": lambda ws, new, more: ws.safe_edit(
        NAME, line_edits=[{"start_line": 4, "end_line": 5, "new_content": new}], mode="interactive", **more
    ),
    "safe_edit, search": lambda ws, new, more: ws.safe_edit(
        NAME, search_replace={"search": OLD, "replace": new}, mode="interactive", **more
    ),
    "safe_edit, regex": lambda ws, new, more: ws.safe_edit(
        NAME,
        search_replace={"search": r"def one.*\n.*\n", "replace": new.replace("\\", "\\\\"), "regex": True},
        mode="interactive",
        **more,
    ),
    "apply_reply, blocks": lambda ws, new, more: ws.apply_reply(
        f"{NAME}\n<<<<<<< SEARCH\n{OLD}=======\n{new}>>>>>>> REPLACE\n", **more
    ),
    "apply_reply, whole file": lambda ws, new, more: ws.apply_reply(
        f"~~~~~python {NAME}\n{whole(new)}~~~~~\n", whole_files=True, **more
    ),
    "apply_reply, V4A": lambda ws, new, more: ws.apply_reply(V4A.format(NAME, hunk(new)), **more),
    "apply_reply, V4A, whole file": lambda ws, new, more: ws.apply_reply(
        "*** Begin Patch\n*** Add File: {}\n{}*** End Patch\n".format(
            NAME, "".join(f"+{line}\n" for line in whole(new).removesuffix("\n").split("\n"))
        ),
        **more,
    ),
    "apply_reply, unified": lambda ws, new, more: ws.apply_reply(unified_diff(new), **more),
    "str_replace": editor(command=same("str_replace"), old_str=same(OLD), new_str=str),
    "create": editor(command=same("create"), file_text=whole),
    "apply_patch": lambda ws, new, more: ws.call("apply_patch", {"input": V4A.format(NAME, hunk(new)), **more}),
}


def codes(result: ToolResult) -> list[str]:
    blocks = [block["error"]["code"] for block in result.metadata.get("blocks", ()) if block["error"]]
    return blocks or [result.metadata["error"]["code"]]


@pytest.mark.process
@pytest.mark.promise("place.placeholder")
@pytest.mark.parametrize("ask", TOOLS.values(), ids=TOOLS)
def test_a_placeholder_where_lines_go_away_is_refused_unless_it_is_meant_literally(ask: Ask) -> None:
    for line in PLACEHOLDERS[::2]:  # all of them are judged in tests/unit/match
        ws, fs = workspace({NAME: BEFORE.encode()})
        result = ask(ws, new_text(line), {})
        assert result.is_error, line
        assert codes(result) == ["ELISION_IN_NEW_TEXT"], line
        assert "literal: true" in result.text
        assert fs.files() == {NAME: BEFORE.encode()}
        succeed(ask(ws, new_text(line), {"literal": True}))
        assert line.encode() in fs.files()[NAME]


@pytest.mark.process
@pytest.mark.promise("place.placeholder")
@pytest.mark.parametrize("ask", TOOLS.values(), ids=TOOLS)
def test_an_honest_line_lands_without_a_word(ask: Ask) -> None:
    for line in [*HONEST[::2], "..."]:
        ws, fs = workspace({NAME: BEFORE.encode()})
        result = ask(ws, new_text(line), {})
        succeed(result)
        assert line.encode() in fs.files()[NAME]
        assert "leave something out" not in result.text


@pytest.mark.process
@pytest.mark.promise("place.placeholder")
def test_a_placeholder_that_is_there_may_stay() -> None:
    line = "    # rest of the function unchanged\n"
    before = BEFORE.replace("    return 1\n", f"{line}    return 1\n")
    after = before.replace("return 1", "return 3")
    start = f"def one():\n{line}"
    for name in ("patch, overwrite", "safe_edit, content", "apply_reply, whole file", "create"):
        ws, fs = workspace({NAME: before.encode()})
        succeed(TOOLS[name](ws, after.removeprefix("import os\n\n\n"), {}))
        assert fs.files()[NAME] == after.encode()
    for tool in ("file_edit", "patch"):
        ws, fs = workspace({NAME: before.encode()})
        succeed(ws.call(tool, {"path": NAME, "old_text": f"{start}    return 1", "new_text": f"{start}    return 3"}))
        assert fs.files()[NAME] == after.encode()


INSERTED = OLD + "# rest of the file unchanged\n"
INSERTING: dict[str, Ask] = {
    **{name: ask for name, ask in TOOLS.items() if name in {"patch, replace", "file_edit", "safe_edit, search"}},
    **{name: ask for name, ask in TOOLS.items() if name in {"safe_edit, lines", "str_replace", "apply_reply, blocks"}},
    "patch, append": lambda ws, new, more: ws.patch(NAME, [{"operation": "append_eof", "newText": new}], **more),
    "insert": editor(command=same("insert"), insert_line=same("0"), insert_text=str),
}


@pytest.mark.process
@pytest.mark.promise("place.placeholder")
@pytest.mark.parametrize("ask", INSERTING.values(), ids=INSERTING)
def test_a_placeholder_that_is_only_inserted_lands_with_a_warning(ask: Ask) -> None:
    ws, fs = workspace({NAME: BEFORE.encode()})
    result = ask(ws, INSERTED, {})
    succeed(result)
    assert b"# rest of the file unchanged" in fs.files()[NAME]
    assert "seems to contain a placeholder (# rest of the file unchanged)" in result.text
    assert "leave something out" not in ask(ws, INSERTED, {"literal": True}).text


@pytest.mark.parametrize("tool", ["str_replace_based_edit_tool"])
def test_a_dialect_takes_literal_without_listing_it(tool: str) -> None:
    spec = find(tool)
    assert "literal" not in spec.request.schema()["properties"]
    assert spec.request.arguments()["literal"].about


LONG = "".join(f"line_{number} = {number}\n" for number in range(120))
SHORT = "".join(f"line_{number} = {number}\n" for number in range(25)) + "other = 1\n" * 15
WHOLE: dict[str, Ask] = {
    "patch": lambda ws, new, more: ws.patch(NAME, [{"operation": "overwrite", "newText": new}], **more),
    "safe_edit": lambda ws, new, more: ws.safe_edit(NAME, content=new, **more),
    "apply_reply": lambda ws, new, more: ws.apply_reply(f"```python {NAME}\n{new}```\n", whole_files=True, **more),
    "V4A": lambda ws, new, more: ws.apply_reply(
        "*** Begin Patch\n*** Add File: {}\n{}*** End Patch\n".format(
            NAME, "".join(f"+{line}\n" for line in new.removesuffix("\n").split("\n"))
        ),
        **more,
    ),
    "create": editor(command=same("create"), file_text=str),
}


@pytest.mark.process
@pytest.mark.promise("place.shrinks")
@pytest.mark.parametrize("ask", WHOLE.values(), ids=WHOLE)
def test_a_file_that_loses_more_than_half_of_its_lines_is_reported_with_the_numbers(ask: Ask) -> None:
    ws, _ = workspace({NAME: LONG.encode()})
    warning = "warning: app.py: 120 lines became 40; 95 of the old lines are gone."
    result = ask(ws, SHORT, {})
    assert warning in result.text.split("\n")
    if "warnings" in result.metadata:
        assert [warning.removeprefix("warning: ")] == result.metadata["warnings"]


@pytest.mark.process
@pytest.mark.promise("place.shrinks")
@pytest.mark.parametrize("ask", WHOLE.values(), ids=WHOLE)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (LONG, LONG.replace("line_7 = 7", "line_7 = 8")),
        (LONG.replace("\n", "\r\n"), "".join(LONG.splitlines(keepends=True)[:60])),
        ("".join(f"    {line}\n" for line in LONG.split("\n")), LONG),
        ("a = 1\n" * 29, "b = 1\n"),
        ("", LONG),
    ],
    ids=["one line", "half of it", "indentation", "a short file", "an empty file"],
)
def test_a_file_that_keeps_half_of_its_lines_or_is_short_is_written_without_a_word(
    ask: Ask, before: str, after: str
) -> None:
    ws, _ = workspace({NAME: before.encode()})
    assert "of the old lines are gone" not in ask(ws, after, {}).text


# Long lines


@pytest.mark.parametrize("at", [0, 500, 50_000, 99_500, 100_000])
def test_of_a_very_long_line_only_what_is_near_an_edit_is_looked_at(at: int) -> None:
    """A minified file may be one line, and have thousands of edits."""
    body = b"a" * 100_000
    old, new = whole_lines(body, edit(at, at, b"..."))
    assert (len(old), len(new)) < (2_000, 2_000)
    assert find_added(old.decode(), new) is None


@pytest.mark.parametrize(("around", "expected"), [(b" " * 700, True), (b"x" + b" " * 5_000, False)])
def test_blanks_of_a_long_line_do_not_make_it_a_placeholder(around: bytes, *, expected: bool) -> None:
    body = b"one\n" + around + b"old()" + around[::-1] + b"\n"
    at = body.index(b"old()")
    old, new = whole_lines(body, edit(at, at + 5, b"# ... existing code ..."))
    assert (find_added(old.decode(), new) is not None) == expected
