"""Whole replies: their blocks, and the file of each block."""

import pytest

from suture.formats.reply import ReplyParser, extract_paths, parse_reply

AB = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
DIFF = "--- a/d.py\n+++ b/d.py\n@@ -1 +1 @@\n-a\n+b\n"
HUNK = "@@ -1 +1 @@\n-a\n+b\n"
PATCH = "*** Begin Patch\n*** Update File: p.py\n@@\n-a\n+b\n*** End Patch\n"
NEW = "<<<<<<< NEW_FILE\nx\n>>>>>>> NEW_FILE\n"


def formats_and_paths(
    text: str, default_path: str | None = None, *, whole_files: bool = False
) -> list[tuple[str, str | None]]:
    """Format and path of each block."""
    return [(block.format, block.path) for block in parse_reply(text, default_path, whole_files=whole_files)]


def paths(text: str, default_path: str | None = None) -> list[str | None]:
    return [path for _, path in formats_and_paths(text, default_path)]


PLACES = {
    "a heading": f"### File: a.py\n{AB}",
    "the line before": f"a.py\n{AB}",
    "blank lines between": f"a.py\n\n\n{AB}",
    "bold": f"**a.py**\n{AB}",
    "backticks": f"`a.py`\n{AB}",
    "a sentence": f"Now change `a.py`:\n{AB}",
    "the line before a fence": f"a.py\n```python\n{AB}```\n",
    "two lines before": f"a.py\n\nThis makes it faster:\n{AB}",
    "the info string": f"```python a.py\n{AB}```\n",
    "the info string only": f"```a.py\n{AB}```\n",
    "inside the fence": f"```\na.py\n{AB}```\n",
    "a comment inside the fence": f"```python\n# path: a.py\n{AB}```\n",
    "a long fence": f"a.py\n``````python\n{AB}``````\n",
    "tildes": f"a.py\n~~~\n{AB}~~~\n",
    "behind the marker": f"b.py\n{AB.replace('SEARCH', 'SEARCH a.py', 1)}",
    "separators of Windows": f"### File: .\\a.py\n{AB}",
    "a list item": f"1. `a.py`\n{AB}",
    "the info string of a diff": f"```diff a.py\n{HUNK}```\n",
    "the line before a diff": f"`a.py`\n```diff\n{HUNK}```\n",
    "above an apply_patch": f"x.py\n{PATCH.replace('p.py', 'a.py')}",
}


@pytest.mark.parametrize("text", PLACES.values(), ids=PLACES)
@pytest.mark.promise("reply.paths")
def test_the_path_is_found_wherever_models_put_it(text: str) -> None:
    assert paths(text) == ["a.py"]
    assert paths(f"Some words.\n\n{text}\nMore words.\n") == ["a.py"]


def test_a_heading_counts_until_the_next_one() -> None:
    text = f"### File: a.py\n{AB}text\n{AB}\n### File: b.py\nwords\n\nmore words\n\nand more\n{AB}"
    assert paths(text) == ["a.py", "a.py", "b.py"]


def test_the_file_named_last_counts() -> None:
    assert paths(f"### File: a.py\n{AB}b.py\n{AB}\n{AB}") == ["a.py", "b.py", "b.py"]
    assert paths(f"### File: a.py\n{AB}b.py\n{AB}\n{AB}", "d.py") == ["a.py", "b.py", "b.py"]


def test_without_a_path_the_previous_one_is_meant() -> None:
    assert paths(f"a.py\n{AB}And also:\n{AB}") == ["a.py", "a.py"]
    assert paths(AB) == [None]


def test_the_default_path_is_for_blocks_whose_file_nothing_names() -> None:
    assert paths(f"{AB}a.py\n{AB}words\n{AB}", "d.py") == ["d.py", "a.py", "d.py"]
    assert paths(f"### File: a.py\n{AB}words\n{AB}", "d.py") == ["a.py", "a.py"]


def test_the_path_of_a_block_is_not_searched_for_in_the_previous_block() -> None:
    text = "a.py\n<<<<<<< SEARCH\nx\n=======\nb.py\n>>>>>>> REPLACE\n" + AB
    assert paths(text) == ["a.py", "a.py"]


def test_a_path_in_a_code_fence_is_not_a_heading() -> None:
    assert paths(f"```python\n# File: b.py\nx\ny\nz\n```\n\nWords.\n{AB}") == [None]


def test_a_diff_in_a_fence_with_a_path_is_known_by_its_second_line_in_pieces_too() -> None:
    text = "```python a.py\na.py\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n```\n"
    parser = ReplyParser(whole_files=True)
    for char in text:
        parser.feed(char)
    parser.close()
    assert [(block.format, block.path) for block in parser.reply] == [("unified", "x")]
    assert parser.reply == parse_reply(text, whole_files=True)


def test_formats_may_be_mixed_in_any_order() -> None:
    text = f"Hello\n### File: a.py\n{AB}\n{PATCH}\n```diff\n{DIFF}```\nn.md\n{NEW}{DIFF}{AB}"
    assert formats_and_paths(text) == [
        ("search_replace", "a.py"),
        ("v4a", "p.py"),
        ("unified", "d.py"),
        ("new_file", "n.md"),
        ("unified", "d.py"),
        ("search_replace", "n.md"),
    ]
    assert [block.number for block in parse_reply(text)] == [1, 2, 3, 4, 5, 6]


NOTHING = {
    "nothing": "",
    "prose": "Hello.\n\n---\n\n* a\n* b\n",
    "a fence": "```python\nprint(1)\n```\n",
    "a rule and a list": "--- \n+ a\n- b\n",
    "class variables": "```ruby\n@@count = 1\n@@ -1 +1 @@\n```\n",
    "a conflict": "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n",
    "a table": "=====  =====\na      b\n=====  =====\n",
    "an index": "Index: none\n",
}


@pytest.mark.parametrize("text", NOTHING.values(), ids=NOTHING)
def test_no_block_is_invented(text: str) -> None:
    assert len(parse_reply(text, "d.py", whole_files=False)) == 0


FILES = {
    "a path in the info string": ("```python a.py\nx = 1\n```\n", "x = 1\n"),
    "a path above": ("**a.py**\n\n```python\nx = 1\n```\n", "x = 1\n"),
    "a comment in the first line stays": ("```python\n# a.py\nx = 1\n```\n", "# a.py\nx = 1\n"),
    "a path in the first line goes": ("```python\na.py\nx = 1\n```\n", "x = 1\n"),
    "blank lines first": ("```python a.py\n\n\nx = 1\n\n```\n", "\n\nx = 1\n\n"),
    "fences in it": ("a.py\n```md\ntext\n```sh\nls\n```\n```\n", "text\n```sh\nls\n```\n"),
    "shorter fences in it": ("a.py\n````md\n```\nls\n```\n````\n", "```\nls\n```\n"),
    "windows line ends": ("a.py\r\n```\r\nx\r\n```\r\n", "x\n"),
}


@pytest.mark.parametrize(("text", "content"), FILES.values(), ids=FILES)
def test_a_fenced_file_is_a_block_only_if_that_is_asked_for(text: str, content: str) -> None:
    assert parse_reply(text).blocks == ()
    (block,) = parse_reply(text, whole_files=True)
    assert (block.format, block.path, block.content) == ("whole_file", "a.py", content)


def test_skipped_fenced_files_are_named() -> None:
    assert parse_reply("```python a.py\nx\n```\nb.py\n```\ny\n```\n").fenced == ("a.py", "b.py")
    assert parse_reply("```bash run.sh\nls\n```\n").fenced == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.py\n```bash\nls\n```\n", []),
        ("```python\nx\n```\n", []),
        (f"a.py\n```python\n{AB}```\n", [("search_replace", "a.py")]),
        (f"```python\na.py\n{AB}```\n", [("search_replace", "a.py")]),
        (f"a.py\n```diff\n{DIFF}```\n", [("unified", "d.py")]),
        (f"a.py\n```\n{DIFF}```\n", [("unified", "d.py")]),
        ("```python a.py\nx\n", [("whole_file", "a.py")]),
        ("```python a.py\n", []),
        ("```python a.py\n\n", []),
    ],
)
def test_other_fences_are_not_whole_files(text: str, expected: list[tuple[str, str]]) -> None:
    assert formats_and_paths(text, whole_files=True) == expected


def test_a_fenced_file_without_an_end_cannot_be_used() -> None:
    (block,) = parse_reply("```python a.py\nx\n```sh\n", whole_files=True)
    assert (block.problem, block.content) == ("no_end", None)


def test_the_default_path_is_for_a_code_fence() -> None:
    assert formats_and_paths("```python\nx\n```\n```bash\nls\n```\n", "d.py", whole_files=True) == [
        ("whole_file", "d.py")
    ]


def test_a_block_is_returned_as_soon_as_it_is_complete() -> None:
    parser = ReplyParser()
    lines = f"### File: a.py\n{AB}Done.\n{PATCH}".split("\n")
    came = [(line, blocks) for line in lines if (blocks := parser.feed(f"{line}\n"))]
    assert [line for line, _ in came] == [">>>>>>> REPLACE", "*** End Patch"]
    assert parser.close() == []
    assert parser.reply.blocks == tuple(block for _, blocks in came for block in blocks)


def test_a_reply_is_a_sequence_of_its_blocks() -> None:
    reply = parse_reply(f"a.py\n{AB}{AB}")
    assert (len(reply), reply[1], list(reply)) == (2, reply.blocks[1], list(reply.blocks))


def test_all_paths_are_listed_once_in_order() -> None:
    text = f"### File: z.py\nNothing.\n### File: a.py\n{AB}{PATCH}{AB}\n"
    text += "*** Begin Patch\n*** Update File: o.py\n*** Move to: n.py\n*** End Patch\n"
    assert extract_paths(text) == ["z.py", "a.py", "p.py", "o.py", "n.py"]


def test_a_block_is_chosen_by_its_number_or_by_those_of_its_hunks() -> None:
    first, second = parse_reply(f"a.py\n{AB}{PATCH}")
    assert (first.ids, second.ids) == (["1"], ["2.1"])
    assert (first.chosen(None), first.chosen(["1.1"]), first.chosen(["2"])) == (["1"], ["1"], [])
    assert (second.chosen(["2"]), second.chosen(["2.1"]), second.chosen(["2.2", "1"])) == (["2.1"], ["2.1"], [])


def alternatives(text: str, default_path: str | None = None) -> list[tuple[str | None, tuple[str, ...]]]:
    return [(block.path, block.alternatives) for block in parse_reply(text, default_path)]


SAID: dict[str, tuple[str, list[tuple[str | None, tuple[str, ...]]]]] = {
    "a heading holds over what is mentioned below it": (
        f"### File: a.py\n\nAs in `b.py`:\n{AB}",
        [("a.py", ())],
    ),
    "and so does a line of its own": (f"**a.py**\n\nAs in `b.py`, we return:\n{AB}", [("a.py", ())]),
    "a line of its own is likelier than what is said below it": (
        f"`a.py`\n\none\n\ntwo\n\nthree\n\nfour `b.py`\n{AB}",
        [("a.py", ("b.py",))],
    ),
    "a heading from before a block does not rule out what is mentioned behind it": (
        f"### File: a.py\n{AB}\nNow the same in `b.py`:\n{AB}",
        [("a.py", ()), ("b.py", ("a.py",))],
    ),
    "what announces a block names its file": (
        f"a.py\n{AB}\nI looked at `c.py`.\n\nNow the same in `b.py`:\n{AB}",
        [("a.py", ()), ("b.py", ("a.py",))],
    ),
    "what is mentioned otherwise may be its file": (
        f"a.py\n{AB}\nThe rest is in lib/b.py and `c.py`.\n{AB}",
        [("a.py", ()), ("c.py", ("a.py", "lib/b.py"))],
    ),
    "two that are announced": (f"From `a.py` to `b.py`:\n{AB}", [("b.py", ("a.py",))]),
    "an announcement counts only before its block": (f"In `a.py`:\n\nWords.\n{AB}", [("a.py", ())]),
    "a heading may say what is done": (f"### 2. b/t.py - change g\n{AB}", [("b/t.py", ())]),
}


@pytest.mark.parametrize(("text", "expected"), SAID.values(), ids=SAID)
def test_a_file_that_prose_mentions_may_be_meant(text: str, expected: list[tuple[str | None, tuple[str, ...]]]) -> None:
    named = alternatives(text)
    assert [(path, set(others)) for path, others in named] == [(path, set(others)) for path, others in expected]


def test_a_path_of_any_kind_counts_right_above_a_block() -> None:
    assert paths(f"a.py\n{AB}bin/run\n{AB}") == ["a.py", "bin/run"]
    assert paths(f"a.py\n{AB}- obj.method\n- obj.other\n\nWords.\n{AB}") == ["a.py", "a.py"]


def test_a_fence_with_nothing_but_a_path_names_the_file() -> None:
    assert paths(f"### File: a.py\n{AB}```\nb.py\n```\n```python\n{AB}```\n") == ["a.py", "b.py"]
    assert paths(f"### File: a.py\n{AB}```bash\n./b.sh\n```\n{AB}") == ["a.py", "a.py"]
    assert paths(f"### File: a.py\n{AB}```\nb.py\nx\n```\n{AB}") == ["a.py", "a.py"]


def test_only_the_first_lines_of_a_fence_may_name_a_file() -> None:
    code = "x\n" * 10
    assert paths(f"a.py\n{AB}```html\n{code}<!-- b.html -->\n{AB}```\n") == ["a.py", "a.py"]


@pytest.mark.parametrize(
    "header", ["*** Update File: b.py\n", "diff --git a/b.py b/b.py\n", "--- a/b.py\n+++ b/b.py\n"]
)
def test_the_header_of_a_patch_above_a_block_names_its_file(header: str) -> None:
    text = f"### File: a.py\n{AB}{header}\n```\n{AB}```\n"
    parser = ReplyParser()
    for line in text.split("\n"):
        parser.feed(f"{line}\n")
    parser.close()
    assert [(block.path, block.problem) for block in parser.reply] == [("a.py", None), ("b.py", None)]
    assert paths(text) == ["a.py", "b.py"]


def test_thinking_is_not_read() -> None:
    assert paths(f"<think>\nMaybe\na.py\n{AB}\n</think>\n\nb.py\n{AB}") == ["b.py"]
    assert paths(f"<Thinking>short</thinking>\nb.py\n{AB}") == ["b.py"]
    assert paths(f"<think>\na.py\n{AB}") == []
    assert paths(f"```\n<think>\n```\nb.py\n{AB}") == ["b.py"]


def test_patches_after_a_block_without_an_end_cannot_be_used() -> None:
    text = f"n.md\n<<<<<<< NEW_FILE\nExample:\n\n{PATCH}{DIFF}"
    assert [block.problem for block in parse_reply(text)] == ["no_end", "inside", "inside"]
    assert [block.problem for block in parse_reply(f"{text}a.py\n{AB}{PATCH}")] == [
        "no_end",
        "inside",
        "inside",
        None,
        None,
    ]


def test_a_patch_in_a_patch_cannot_be_used() -> None:
    inner = "*** Begin Patch\n*** Delete File: a.py\n*** End Patch\n"
    blocks = parse_reply(f"*** Begin Patch\n*** Add File: n.md\nexample:\n{inner}*** End Patch\n")
    assert [block for block in blocks if not block.problem] == []


def test_a_deletion_alone_may_be_a_mention() -> None:
    assert len(parse_reply("You would write:\n\n*** Delete File: a.py\n\nbut don't.\n")) == 0
    assert paths("```\n*** Delete File: a.py\n```\n") == ["a.py"]


def test_a_fenced_text_may_contain_blocks() -> None:
    text = f"n.md\n````md\n### File: a.py\n{AB}````\n"
    assert formats_and_paths(text, whole_files=True) == [("whole_file", "n.md")]


def test_a_file_that_a_sentence_mentions_is_not_written_whole() -> None:
    assert formats_and_paths("In `m.py`, change g:\n\n```python\nx\n```\n", whole_files=True) == []
    assert formats_and_paths("In `m.py`, change g:\n\n```python\nx\n```\n", "d.py", whole_files=True) == []
    assert formats_and_paths("### File: m.py\nUsage:\n```python\nimport m\n```\n", whole_files=True) == []


def test_a_fence_with_markers_is_not_a_whole_file() -> None:
    assert parse_reply("m.py\n```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n```\n").fenced == ()


DIFFS = {
    "without a header, behind a path": ("`d.py`\n```diff\n a\n-b\n+c\n```\n", ["d.py"]),
    "announced": ("In `d.py`:\n\n```diff\n a\n-b\n+c\n```\n", ["d.py"]),
    "without a path": ("a.py\n" + AB + "Like this:\n\n```diff\n a\n-b\n+c\n```\n", ["a.py"]),
    "in a list item": (
        "- `d.py`:\n  ```diff\n  --- a/d.py\n  +++ b/d.py\n  @@ -1 +1 @@\n  -a\n  +b\n  ```\n",
        ["d.py"],
    ),
    "in a list item without an end": ("- x\n  ```diff\n  --- a/d.py\n  +++ b/d.py\n  @@ -1 +1 @@\n  -a\n", ["d.py"]),
}


@pytest.mark.parametrize(("text", "expected"), DIFFS.values(), ids=DIFFS)
def test_diffs_in_fences_are_read_without_headers_and_indented(text: str, expected: list[str]) -> None:
    assert paths(text) == expected
