"""A model's thinking is never applied, however it is marked."""

from itertools import product

import pytest

from suture import ReplyParser, Workspace, parse_reply, preview_reply
from suture.formats.thinking import Thought, is_end
from tests.unit.changes import workspace

WRAPPERS = {
    "think": ("<think>", "</think>"),
    "thinking": ("<thinking>", "</thinking>"),
    "upper case": ("<THINK>", "</Think >"),
    "attributes": ('<thinking budget="10">', "</thinking>"),
    "reasoning": ("<reasoning>", "</reasoning>"),
    "thought": ("<thought>", "</thought>"),
    "thoughts": ("<thoughts>", "</thoughts>"),
    "scratchpad": ("<scratchpad>", "</scratchpad>"),
    "analysis": ("<analysis>", "</analysis>"),
    "reflection": ("<reflection>", "</reflection>"),
    "antThinking": ("<antThinking>", "</antThinking>"),
    "square": ("[THINK]", "[/THINK]"),
    "kimi": ("\u25c1think\u25b7", "\u25c1/think\u25b7"),
    "seed": ("<seed:think>", "</seed:think>"),
    "of thought": ("<|begin_of_thought|>", "<|end_of_thought|>"),
    "cohere": ("<|START_THINKING|>", "<|END_THINKING|>"),
    "harmony": ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    "harmony without an end": ("<|start|>assistant<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
    "HTML comment": ("<!--", "-->"),
    "fence": ("````thinking", "````"),
    "names mixed up": ("<think>", "</thinking>"),
    "names mixed up the other way": ("<reasoning>", "</think>"),
    "pipes": ("<|think|>", "<|/think|>"),
    "process": ("<thinking_process>", "</thinking_process>"),
    "any prefix": ("<acme.ai:think>", "</acme.ai:think>"),
    "a prefix that is left out": ("<acme:think>", "</thinking>"),
    "of thought, without pipes": ("<start_of_thought>", "<end_of_thought>"),
    "entities": ("&lt;think&gt;", "&lt;/think&gt;"),
    "entities with attributes": ("&lt;thinking budget='1'&gt;", "&lt;/thinking&gt;"),
}


def search(old: str, new: str) -> str:
    return f"a.py\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"


FORMATS = {
    "search_replace": search("x = 1", "x = 2"),
    "new_file": "n.py\n<<<<<<< NEW_FILE\nx = 2\n>>>>>>> NEW_FILE\n",
    "v4a": "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n",
    "unified": "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n",
    "fenced": f"```python\n{search('x = 1', 'x = 2')}```\n",
    "two": search("x = 1", "x = 2") + "\nAnd:\n\n" + search("y = 1", "y = 3"),
}
BEFORE = {"a.py": "x = 1\ny = 1\n"}
REAL = "a.py\n<<<<<<< SEARCH\ny = 1\n=======\ny = 2\n>>>>>>> REPLACE\n"
LAYOUTS = {
    "own lines": "{begin}\nHm.\n\n{draft}\nNo.\n{end}\n\n{real}",
    "in the middle of lines": "Well, {begin} I could:\n{draft}Better not.{end} So:\n\n{real}",
    "tight": "{begin}\n{draft}{end}\n{real}",
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("written", FORMATS)
@pytest.mark.promise("reply.thinking")
def test_a_draft_is_not_applied(written: str, wrapper: str, layout: str) -> None:
    begin, end = WRAPPERS[wrapper]
    if wrapper == "fence" and "Well" in layout:
        return  # a fence is a line of its own
    number = 2 if written == "two" else 1
    both = layout.format(begin=begin, draft=FORMATS[written], end=end, real=REAL)
    preview = preview_reply(both, BEFORE)
    assert (preview.files, [outcome.status for outcome in preview.outcomes]) == (
        {"a.py": "x = 1\ny = 2\n"},
        ["applied"],
    )
    assert [
        warning for warning in preview.validation.warnings if f"{number} block" in warning
    ] == preview.validation.warnings
    assert (preview.validation.errors, len(preview.validation.warnings)) == ([], 1)
    if "Well" in layout:
        return  # what is in the middle of a line counts only in pairs
    only_begin = preview_reply(layout.format(begin=begin, draft=FORMATS[written], end="", real=REAL), BEFORE)
    assert (only_begin.files, only_begin.outcomes) == ({}, [])
    if wrapper == "fence":
        return
    only_end = layout.format(begin="", draft=FORMATS[written], end=end, real=REAL)
    if wrapper != "HTML comment":  # its end is an arrow as well
        preview = preview_reply(only_end, BEFORE)
        assert (preview.files, [outcome.id for outcome in preview.outcomes]) == ({"a.py": "x = 1\ny = 2\n"}, ["1"])
        assert len(preview.validation.warnings) == 1


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_a_tag_in_the_middle_of_a_sentence_counts_only_in_pairs(wrapper: str) -> None:
    for tag in WRAPPERS[wrapper]:
        reply = parse_reply(f"The first one.\n{REAL}It takes {tag} for what it is.\n{REAL}")
        assert (len(reply), reply.thoughts) == (2, ())


COUNTING = {
    f"{REAL}So.</think>\n{REAL}": 1,
    f"{REAL}  </think> So:\n{REAL}": 1,
    f"{REAL}</think></think>\n{REAL}": 1,
    f"{REAL}I strip </think>.\n{REAL}": 2,
    f"{REAL}Well, </think> <|end|>\n{REAL}": 1,
    f"{REAL}  <think> So:\n{REAL}": 1,
    f"{REAL}<|start|>assistant<think> So:\n{REAL}": 1,
    f"{REAL}So <think>\n{REAL}": 2,
    f"{REAL}So <think>\n{REAL}And <think> too.\n{REAL}": 3,
    f"{REAL}So <think>\n{REAL}<think>\n{REAL}": 2,
    f"{REAL}So <think>\n{REAL}\n{REAL} or </thinking> so\n{REAL}": 2,
    f"{REAL}So <think> a\n</think>\nand <think> b\n{REAL}</think> c <think> d\n{REAL}": 2,
    f"{REAL}So `<think>` and <think>\n{REAL}": 2,
    f"So <think> a <thinking> b\n{REAL}</thinking>\n{REAL}</think>\n{REAL}": 1,
    f"<thinking>\n<think>a</think>\n{REAL}so </thinking> now\n{REAL}": 1,
}
"""The number of blocks that count."""


@pytest.mark.parametrize(("text", "number"), COUNTING.items())
def test_a_tag_alone_counts_at_the_edge_of_its_line(text: str, number: int) -> None:
    assert len(parse_reply(text)) == number
    parser = ReplyParser()
    for char in text:
        parser.feed(char)
    parser.close()
    assert parser.reply == parse_reply(text)


@pytest.mark.promise("reply.thinking")
@pytest.mark.parametrize("fence", ["```", "```html", "~~~~"])
def test_an_end_in_a_fence_inside_the_thinking_does_not_count(fence: str) -> None:
    end = fence.removesuffix("html")
    text = f"<think>\n{fence}\n</think>\n{end}\n{FORMATS['search_replace']}</think>\n{REAL}"
    preview = preview_reply(text, BEFORE)
    assert (preview.files, [outcome.status for outcome in preview.outcomes]) == (
        {"a.py": "x = 1\ny = 2\n"},
        ["applied"],
    )
    closed = text.replace("</think>", f"{end}\n</think>", 1)
    assert [block.hunks[0].splits[0].new for block in parse_reply(closed)] == ["x = 2\n", "y = 2\n"]


def test_a_fence_left_open_in_the_thinking_does_not_matter_after_it() -> None:
    text = f"<think>\n```\nx\n</think>\n```\n{REAL}```\nThen:\n```python\n</think>\n```\n{REAL}"
    assert len(parse_reply(text)) == 2


UNFINISHED = {
    "search_replace": "a.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n",
    "new_file": "n.py\n<<<<<<< NEW_FILE\nx = 2\n",
    "v4a": "*** Begin Patch\n*** Add File: b.py\n+x\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n",
    "unified": "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n",
}


@pytest.mark.parametrize(("draft", "begin"), list(product(UNFINISHED.values(), ["", "<think>\n"])))
def test_a_draft_that_was_never_finished_does_not_take_what_follows(draft: str, begin: str) -> None:
    preview = preview_reply(f"{begin}{draft}</think>\n{REAL}", BEFORE)
    assert (preview.files, [outcome.status for outcome in preview.outcomes]) == (
        {"a.py": "x = 1\ny = 2\n"},
        ["applied"],
    )


CONTENT = {
    "in a fence": f"```\n<think>\n```\n{REAL}",
    "an end in a fence": f"{REAL}\n```\nsome\n</think>\n```\n",
    "in a block": REAL.replace("y = 2", "y = 2\n</think>\n<think>"),
    "in a patch": "*** Begin Patch\n*** Update File: a.py\n@@\n-y = 1\n+y = 2\n+</think>\n*** End Patch\n",
    "in a new file": f"{REAL}n.py\n<<<<<<< NEW_FILE\n</think>\n>>>>>>> NEW_FILE\n",
    "in inline code": f"{REAL}\nI left the `</think>` tag and ``<think>`` alone.\n",
    "in quotes": f'The "<think>" tag stays.\n{REAL}',
    "a plan": f"<plan>\n{REAL}</plan>\n",
    "details": f"<details>\n<summary>x</summary>\n\n{REAL}</details>\n",
    "another tag": f"<thinker>\n{REAL}",
    "an empty tag": f"<think/>\n{REAL}",
    "a comment in one line": f"<!-- a.py -->\n{REAL.removeprefix('a.py')}",
    "a type": f"It returns List<Thought> and Map<str, Analysis> now.\n{REAL}",
    "an arrow": f"{REAL}\nx --> y\n",
    "a link": f"[think]\n{REAL}",
    "the end of a message": f"{REAL}<|end|>\n",
    "the final channel after the analysis": (
        "<|channel|>analysis<|message|>hm<|end|>\n<|start|>assistant<|channel|>commentary<|message|>\n"
        f"{REAL}<|start|>assistant<|channel|>final<|message|>Done.\n"
    ),
}


@pytest.mark.parametrize("text", CONTENT.values(), ids=CONTENT)
def test_text_that_is_not_thinking_is_applied(text: str) -> None:
    preview = preview_reply(text, BEFORE)
    assert (preview.files["a.py"] or "").startswith("x = 1\ny = 2\n")
    assert {outcome.status for outcome in preview.outcomes} == {"applied"}


def test_text_beside_a_tag_is_read() -> None:
    text = f"<think>no</think>### File: a.py\n{REAL.removeprefix('a.py')}"
    assert [block.path for block in parse_reply(text)] == ["a.py"]
    assert [block.path for block in parse_reply(f"Now `a.py`: <think>\nhm\n</think>\n{REAL.removeprefix('a.py')}")] == [
        "a.py"
    ]


def test_an_end_of_another_family_does_not_count() -> None:
    assert len(parse_reply(f"<thinking>\n<reflection>a</reflection>\n{REAL}</analysis>\n{REAL}")) == 0


def test_one_thought_may_follow_another_in_a_line() -> None:
    reply = parse_reply(f"<think>\n{REAL}</think> so <reflection>\n{REAL}</reflection>\n{REAL}")
    assert [(thought.tag, thought.line, thought.end_line, thought.blocks) for thought in reply.thoughts] == [
        ("<think>", 1, 8, 1),
        ("<reflection>", 8, 15, 1),
    ]
    assert len(reply) == 1


def test_thinking_is_reported_with_its_lines() -> None:
    assert parse_reply(f"{REAL}</think>\n{REAL}").thoughts == (Thought(1, 7, "</think>", 1, "beginning"),)
    assert parse_reply(f"<think>\n{REAL}").thoughts == (Thought(1, 7, "<think>", 1, "end"),)
    assert parse_reply("<think>x</think>\n").thoughts == ()


def test_files_named_in_thinking_do_not_count_after_it() -> None:
    bare = REAL.removeprefix("a.py")
    assert [block.path for block in parse_reply(f"### File: b.py\n{bare}</think>\n{bare}")] == [None]


@pytest.mark.promise("reply.stream")
def test_an_end_without_a_beginning_withdraws_earlier_blocks() -> None:
    parser = ReplyParser()
    assert [block.number for block in parser.feed(REAL)] == [1]
    assert len(parser.reply) == 1
    assert parser.feed("</think>\n") == []
    assert len(parser.reply) == 0
    assert [block.number for block in parser.feed(REAL)] == [1]
    assert parser.reply == parse_reply(f"{REAL}</think>\n{REAL}")


def call(ws: Workspace, reply: str) -> tuple[str, dict[str, object]]:
    result = ws.call("apply_reply", {"reply": reply})
    return result.text, result.metadata


def test_the_tool_also_says_that_blocks_were_skipped() -> None:
    ws, fs = workspace({"a.py": b"x = 1\ny = 1\n"})
    text, data = call(ws, f"<think>\n{FORMATS['search_replace']}</think>\n{REAL}")
    assert fs.files() == {"a.py": b"x = 1\ny = 2\n"}
    assert "warning: 1 block was skipped: the text inside <think>" in text
    assert isinstance(data["warnings"], list)
    assert len(data["warnings"]) == 1


def test_a_reply_that_is_all_thinking_has_no_blocks() -> None:
    ws, fs = workspace({"a.py": b"x = 1\ny = 1\n"})
    text, data = call(ws, f"<think>\n{REAL}{REAL}")
    assert isinstance(data["error"], dict)
    assert (data["error"]["code"], data["error"]["skipped"]) == ("NO_BLOCKS", 2)
    assert "2 blocks in it are part of the model's thinking" in text
    assert "1 block in it is part of the model's thinking" in call(ws, f"<think>\n{REAL}")[0]
    assert fs.files() == {"a.py": b"x = 1\ny = 1\n"}


def test_a_line_may_be_an_end_and_nothing_else() -> None:
    assert is_end("</think>")
    assert not any(map(is_end, ["<think>", "a </think>", "-->", "", "</think></think>"]))
