"""Calls of edit tools: their edits, what is not exact, and where they end."""

import json
from typing import Any

import pytest

from suture import parse_reply, preview_reply
from suture.formats import Hunk, Split
from suture.formats.reply import Reply

ARGS: dict[str, Any] = {"path": "a.py", "old_str": "x", "new_str": "y"}
EDIT = {"old_str": "x", "new_str": "y"}


def js(value: object) -> str:
    return json.dumps(value)


def hunks(text: str) -> list[Hunk]:
    (block,) = parse_reply(text)
    assert (block.format, block.problem) == ("call", None)
    return list(block.hunks)


def unread_kinds(reply: Reply) -> list[str]:
    return [passage.kind for passage in reply.unread]


def test_a_call_is_a_block_with_parts_of_lines() -> None:
    (block,) = parse_reply(f"Now:\n\n{js(ARGS)}\n\nDone.\n")
    assert (block.number, block.format, block.action, block.line, block.end_line) == (1, "call", "update", 3, 3)
    assert (block.path, block.path_as_written, block.ids) == ("a.py", "a.py", ["1"])
    assert block.hunks == (Hunk(3, (Split("x", "y"),), part=True),)


def test_several_edits_of_one_file_are_hunks_of_one_block() -> None:
    (block,) = parse_reply(js({"path": "./a.py", "edits": [EDIT, {"old_text": "p", "new_text": "q"}]}))
    assert (block.path, block.ids) == ("a.py", ["1.1", "1.2"])
    assert [hunk.splits[0] for hunk in block.hunks] == [Split("x", "y"), Split("p", "q")]


def test_several_edits_are_applied_one_after_the_other() -> None:
    reply = js({"path": "a.py", "edits": [EDIT, {"old_str": "y", "new_str": "z"}]})
    assert preview_reply(reply, {"a.py": "x\n"}).files == {"a.py": "z\n"}


def test_edits_with_their_own_files_are_separate_blocks() -> None:
    reply = parse_reply(js({"edits": [{**ARGS}, {**ARGS, "path": "b.py"}]}))
    assert [(block.number, block.path) for block in reply] == [(1, "a.py"), (2, "b.py")]


FOUND = {
    "all": ({"replace_all": True}, (None, 0)),
    "all, as a word": ({"replace_all": "true"}, (None, 0)),
    "not all": ({"replace_all": "false"}, (None, 1)),
    "a number": ({"expected_replacements": 3}, (None, 3)),
    "a number as a text": ({"expected_replacements": "3"}, (None, 3)),
    "minus one": ({"occurrences": -1}, (None, 0)),
    "a line": ({"start_line": 7, "end_line": 9}, (7, 1)),
    "no line": ({"line": 0}, (None, 1)),
    "notes": ({"explanation": "So.", "reason": None, "preview": False, "id": 3}, (None, 1)),
}


@pytest.mark.parametrize(("more", "place"), FOUND.values(), ids=FOUND)
def test_what_a_call_says_about_its_place_is_kept(more: dict[str, Any], place: tuple[int | None, int]) -> None:
    (hunk,) = hunks(js({**ARGS, **more}))
    assert (hunk.near, hunk.occurrences) == place


INEXACT: dict[str, dict[str, Any]] = {
    "a regular expression": {"use_regex": True},
    "all and a number": {"replace_all": True, "count": 2},
    "no occurrences": {"occurrences": 0},
    "fewer than none": {"occurrences": -2},
    "a number that is none": {"count": "two"},
    "two numbers": {"count": 2, "occurrences": 3},
    "two old texts": {"search": "q"},
    "something unknown": {"range": [1, 2]},
    "another command": {"command": "insert"},
    "another mode": {"mode": "append-only"},
    "content, too": {"content": "z"},
    "another path": {"file": "b.py"},
    "an old text that is none": {"old_str": 7},
    "a new text that is none": {"new_str": ["y"]},
    "no new text": {"new_str": None},
    "no path": {"path": None},
    "a path that is none": {"path": ["a.py"]},
    "edits with other files": {"old_str": None, "new_str": None, "edits": [{**EDIT, "path": "b.py"}]},
    "edits that are none": {"old_str": None, "new_str": None, "edits": ["x"]},
    "no edits": {"old_str": None, "new_str": None, "edits": []},
    "an edit that creates among others": {
        "old_str": None,
        "new_str": None,
        "edits": [EDIT, {"old_str": "", "new_str": "z"}],
    },
}


@pytest.mark.parametrize("more", INEXACT.values(), ids=INEXACT)
def test_a_call_that_is_not_exact_is_not_read(more: dict[str, Any]) -> None:
    reply = parse_reply(js({"name": "edit_file", "arguments": {**ARGS, **more}}))
    assert (len(reply), unread_kinds(reply)) == (0, ["call"])


def test_one_inexact_call_among_others_is_a_block_that_cannot_be_used() -> None:
    calls = [ARGS, {**ARGS, "use_regex": True}, {"name": "write_file", "arguments": {"path": "b.py", "content": "c"}}]
    rows = [(block.format, block.problem, block.path) for block in parse_reply(js(calls))]
    assert rows == [("call", None, "a.py"), ("call", "not_exact", "a.py"), ("whole_file", "not_asked", "b.py")]
    outcomes = preview_reply(js(calls), {"a.py": "x\n"}).outcomes
    assert [outcome.status for outcome in outcomes] == ["applied", "failed", "failed"]


def test_an_empty_old_text_creates_a_file() -> None:
    reply = js({**ARGS, "old_str": ""})
    assert preview_reply(reply, {}).files == {"a.py": "y"}
    (outcome,) = preview_reply(reply, {"a.py": "x"}).outcomes
    assert outcome.error is not None
    assert outcome.error.code == "FILE_EXISTS"


NO_CALLS = {
    "nothing known": {"a": 1},
    "a text": ["x"],
    "a call that reads": {"name": "Read", "input": {"file_path": "a.py"}},
    "arguments that are no object": {"name": "run", "arguments": "ls"},
    "a tool with a patch of its own": {"name": "apply", "arguments": {"patch": "no patch"}},
    "a file without a tool": {"path": "a.py", "content": "x"},
    "an empty list": {"changes": []},
    "weak names without a file": {"path": "/name", "changes": [{"old": "x", "new": "y"}]},
}


@pytest.mark.parametrize("value", NO_CALLS.values(), ids=NO_CALLS)
def test_other_json_is_not_an_edit(value: object) -> None:
    reply = parse_reply(js(value), whole_files=True)
    assert (len(reply), reply.unread) == (0, ())


TWICE = '{"path": "a.py", "old_str": "x", "old_str": "z", "new_str": "y"}'
BROKEN = {
    "a name twice": TWICE,
    "a name twice, spelled otherwise": '{"path": "a.py", "old_str": "x", "oldStr": "z", "new_str": "y"}',
    "no JSON": '{"path": "a.py", "old_str": "x", "new_str": }',
    "arguments that are no JSON": js({"name": "edit", "arguments": '{"path": "a.py", "old_str": "x"'}),
    "arguments that are a list": js({"name": "edit", "arguments": "{}", "path": "a.py", "old_str": "x"}),
    "a patch without a path": js(
        {"name": "apply_diff", "arguments": {"diff": "<<<<<<< SEARCH\nx\n=======\n>>>>>>> REPLACE"}}
    ),
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_broken_calls_are_not_read(text: str) -> None:
    reply = parse_reply(text)
    assert (len(reply), unread_kinds(reply)) == (0, ["call"])


def test_texts_in_json_may_contain_raw_line_endings() -> None:
    (hunk,) = hunks('{"path": "a.py",\n "old_str": "x {\n  \\"q\\"\n",\n "new_str": "\ty"}\nText.\n')
    assert hunk.splits == (Split('x {\n  "q"\n', "\ty"),)


def test_a_fence_ends_an_unfinished_call() -> None:
    reply = parse_reply(f'```json\n{{"path": "a.py",\n```\n\n{js(ARGS)}\n')
    assert [(block.line, block.path) for block in reply] == [(5, "a.py")]


def test_a_call_is_read_in_a_reply_with_other_line_endings() -> None:
    assert hunks(json.dumps(ARGS, indent=1).replace("\n", "\r\n") + "\r\n")[0].splits == (Split("x", "y"),)


def test_code_that_looks_like_a_call_is_code() -> None:
    assert len(parse_reply(f"```python\n{js(ARGS)}\n```\n")) == 0


def test_many_calls_without_an_end_are_read_fast() -> None:
    text = '{"a":\n' * 3_000 + js(ARGS) + "\n"
    assert len(parse_reply(text)) == 0


LAID_OUT = {
    "in its line": ("x", "y", ("x", "y")),
    "with blanks": (" x ", " y ", (" x ", " y ")),
    "in lines": ("\nx\n", "\ny\n", ("x", "y")),
    "in lines, indented": ("\n  x\n  ", "\n  y\n  ", ("  x", "  y")),
    "with a line end": ("x\n", "y\n", ("x\n", "y\n")),
    "in lines, without the last": ("\nx", "\ny", ("x", "y")),
    "deleted": ("\nx\n", "", ("x", "")),
    "in CDATA": ("<![CDATA[<x>]]>", "<![CDATA[\ny\n]]>", ("<x>", "y")),
}


@pytest.mark.parametrize(("old", "new", "split"), LAID_OUT.values(), ids=LAID_OUT)
def test_a_text_in_a_tag_is_literal_or_laid_out_in_lines(old: str, new: str, split: tuple[str, str]) -> None:
    (hunk,) = hunks(f'<edit path="a.py">\n<old>{old}</old>\n<new>{new}</new>\n</edit>\n')
    assert hunk.splits == (Split(*split),)


def test_the_file_of_zeds_edits_is_named_above_them() -> None:
    pair = "<old_text line=12>\nx\n</old_text>\n<new_text>\ny\n</new_text>\n"
    first, second, third = parse_reply(f"### File: a.py\n<edits>\n{pair}\n{pair}</edits>\n\nb.py\n{pair}")
    assert [block.path for block in (first, second, third)] == ["a.py", "a.py", "b.py"]
    assert first.hunks == (Hunk(3, (Split("x", "y"),), near=12, part=True),)


ELEMENTS = {
    "a path twice": '<edit path="a.py">\n<path>a.py</path>\n<old>x</old>\n<new>y</new>\n</edit>',
    "two texts of one kind": '<edit path="a.py">\n<old>x</old>\n<old>z</old>\n<new>y</new>\n</edit>',
    "a tag without an end": '<edit path="a.py">\n<old>x\n<new>y</new>\n</edit>',
    "no new text": '<edit path="a.py">\n<old_text>x</old_text>\n</edit>',
    "an argument without a value": (
        "<tool_call>edit\n<arg_key>path</arg_key>\n<arg_value>a.py</arg_value>\n<arg_key>old_str</arg_key>\n</tool_call>"
    ),
}


@pytest.mark.parametrize("text", ELEMENTS.values(), ids=ELEMENTS)
def test_an_element_that_is_not_exact_is_not_read(text: str) -> None:
    reply = parse_reply(f"{text}\n")
    assert len(reply) == 0
    assert unread_kinds(reply) in (["tag"], ["call"])


def test_old_text_without_new_text_is_not_read() -> None:
    reply = parse_reply("a.py\n<old_text>\nx\n</old_text>\n\nText.\n")
    assert (len(reply), unread_kinds(reply)) == (0, ["tag"])


def test_a_file_element_ends_at_its_own_tag() -> None:
    inside = 'a = "</file>"\n<file>\nb\n</file>\nc\n'
    (block,) = parse_reply(f'<file path="a.xml">\n{inside}</file>\n', whole_files=True)
    assert (block.format, block.content) == ("whole_file", inside)
    (block,) = parse_reply('<file path="a.txt">x</file>\n', whole_files=True)
    assert block.content == "x\n"
    (block,) = parse_reply('<file path="a.txt"></file>\n', whole_files=True)
    assert block.content == ""


def test_a_file_element_with_blocks_is_not_a_whole_file() -> None:
    search = "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n"
    for inside in (search, "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n"):
        (block,) = parse_reply(f'<file path="a.py">\n{inside}</file>\n', whole_files=True)
        assert (block.format in {"search_replace", "unified"}, block.path) == (True, "a.py")


def test_a_call_without_a_path_writes_no_file() -> None:
    call = js({"name": "write_file", "arguments": {"content": "x"}})
    assert len(parse_reply(call, whole_files=True)) == 0


def test_a_patch_in_a_call_is_read_as_a_patch() -> None:
    patch = "Text\n*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** Add File: b.py\n+z\n*** End Patch"
    blocks = parse_reply(f"Text.\n{js({'name': 'apply_patch', 'input': patch})}\n")
    assert [(block.format, block.path, block.line, block.end_line) for block in blocks] == [
        ("v4a", "a.py", 2, 2),
        ("v4a", "b.py", 2, 2),
    ]
    assert blocks[0].hunks[0].line == 2


def test_markers_are_unescaped_in_an_apply_diff_of_json() -> None:
    diff = "<<<<<<< SEARCH\n\\=======\n=======\ny\n>>>>>>> REPLACE"
    reply = js({"name": "apply_diff", "arguments": {"path": "a.py", "diff": diff}})
    assert preview_reply(reply, {"a.py": "=======\n"}).files == {"a.py": "y\n"}


def test_a_call_after_a_block_without_an_end_cannot_be_used() -> None:
    reply = parse_reply(f"a.py\n<<<<<<< SEARCH\nx\n=======\n{js(ARGS)}\n")
    assert [block.problem for block in reply] == ["no_end", "inside"]


def test_text_after_a_call_on_its_line_prevents_reading_it() -> None:
    for behind, read in {" </tool_call>": 1, ",": 1, " and so on": 0, "<b>": 0, " <|call|> x": 0}.items():
        assert len(parse_reply(f"{js(ARGS)}{behind}\n")) == read
