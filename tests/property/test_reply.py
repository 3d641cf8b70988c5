"""Replies of any kind: chunking, truncation, fuzz."""

import json
from html import unescape
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suture import ReplyParser, parse_reply, preview_reply, validate_reply
from suture.formats import Block, Split
from tests.unit.formats.test_notations import EVERY, beside_block
from tests.unit.tools.reply_samples import SAMPLES

MARKERS = [
    "<<<<<<< SEARCH",
    "<<<<< SEARCH x.py",
    "<<<<<<<<< search",
    "=======",
    "=====",
    "=========",
    ">>>>>>> REPLACE",
    ">>>>> REPLACE ",
    ">>>>>>>>> REPLACE",
    "<<<<<<< NEW_FILE",
    ">>>>>>> NEW_FILE",
    "<<<<<<< HEAD",
    ">>>>>>> main",
    "*** Begin Patch",
    "*** Update File: a.py",
    "*** Add File: b.py",
    "*** Delete File: c.py",
    "*** Move to: d.py",
    "*** End of File",
    "*** End Patch",
    "diff --git a/a.py b/a.py",
    "--- a/a.py",
    "+++ b/a.py",
    "--- /dev/null",
    "+++ /dev/null",
    "@@ -1,2 +1,3 @@",
    "@@ ... @@",
    "@@",
    "\\ No newline at end of file",
    "rename from a.py",
    "rename to b.py",
    "```",
    "```python",
    "```diff",
    "```python a.py",
    "~~~~",
    "### File: a.py",
    "**b.py**",
    "Now `c.py`:",
    "Now the same for b.py",
    "# in b.py",
    "- a.py",
    "As in `x.py`, e.g. v1.2",
    "For example:",
    "<think>",
    "</think>",
    "hm </thinking> b.py",
    "<|channel|>analysis<|message|>",
    "<|end|><|start|>assistant<|channel|>final<|message|>",
    "<!--",
    "-->",
    "[/THINK]",
    "",
    '{"path": "a.py", "old_str": "a", "new_str": "b"}',
    '{"name": "edit_file", "arguments": {"path": "a.py",',
    '"old_str": "a", "new_str": "b"}}',
    "{",
    "}",
    "<tool_call>",
    "</tool_call>",
    '<invoke name="Edit">',
    '<parameter name="file_path">a.py</parameter>',
    '<parameter name="old_string">a</parameter>',
    '<parameter name="new_string">b</parameter>',
    "</invoke>",
    '<edit path="a.py"><old>a</old><new>b</new></edit>',
    '<file path="a.py">',
    "</file>",
    "<old_text line=1>",
    "</old_text>",
    "<new_text>",
    "</new_text>",
    "> <<<<<<< SEARCH",
    "> =======",
    "> >>>>>>> REPLACE",
    "> ```",
    "> a",
    "&lt;&lt;&lt;&lt;&lt;&lt;&lt; SEARCH",
    "&gt;&gt;&gt;&gt;&gt;&gt;&gt; REPLACE",
    "<apply_diff>",
    ":start_line:1",
    "-------",
    "\\=======",
    "*** Modify File: a.py",
]
LINES = st.one_of(
    st.sampled_from(MARKERS),
    st.sampled_from([" a", "-a", "+a", "a", "b", "  b", "\tc", "+", "-", " ", "x = 1\r", "\u2028"]),
    st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=8),
)
REPLIES = st.lists(LINES, max_size=40).map("\n".join)


@st.composite
def damaged_replies(draw: st.DrawFn) -> str:
    """A realistic reply, with some lines dropped, doubled or exchanged."""
    samples = st.sampled_from([sample.reply for sample in SAMPLES.values() if len(sample.reply) < 3_000])
    notations = st.sampled_from(sorted(EVERY)).map(lambda name: beside_block(EVERY[name]))
    lines = draw(samples | notations).split("\n")
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, max(len(lines) - 1, 0)))
        action = draw(st.sampled_from(["drop", "double", "put", "cut"]))
        if action == "drop":
            del lines[at : at + 1]
        elif action == "double":
            lines[at:at] = lines[at : at + 1]
        elif action == "put":
            lines.insert(at, draw(LINES))
        else:
            lines = lines[: at + 1]
    return "\n".join(lines)


def parse_in_pieces(text: str, cuts: list[int]) -> tuple[list[Block], ReplyParser]:
    parser = ReplyParser(whole_files=True)
    blocks: list[Block] = []
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    for start, end in pairwise(places):
        blocks += parser.feed(text[start:end])
    return [*blocks, *parser.close()], parser


@pytest.mark.promise("reply.stream")
@given(text=REPLIES | damaged_replies(), cuts=st.lists(st.integers(0, 10_000), max_size=12))
def test_a_reply_in_pieces_has_the_same_blocks(text: str, cuts: list[int]) -> None:
    whole = parse_reply(text, whole_files=True)
    blocks, parser = parse_in_pieces(text, cuts)
    assert (blocks[len(blocks) - len(whole) :], parser.reply) == (list(whole), whole)
    retracted = any(thought.missing == "beginning" for thought in whole.thoughts)
    assert len(blocks) == len(whole) or retracted


@pytest.mark.promise("reply.thinking")
@given(
    before=REPLIES | damaged_replies(),
    after=damaged_replies(),
    tag=st.sampled_from(["</think>", "[/THINK]", "</analysis>"]),
)
def test_what_comes_before_an_end_of_thinking_does_not_matter(before: str, after: str, tag: str) -> None:
    line = before.count("\n") + 2
    reply = parse_reply(f"{before}\n{tag}\n{after}")
    rest = parse_reply(after)
    if any((thought.missing, thought.end_line) == ("beginning", line) for thought in reply.thoughts):
        assert [block.evolve(line=block.line - line, end_line=0, hunks=()) for block in reply] == [
            block.evolve(end_line=0, hunks=()) for block in rest
        ]
        assert [block.content for block in reply] == [block.content for block in rest]


def texts_of(block: Block) -> list[str]:
    sides = [side for hunk in block.hunks for split in hunk.splits for side in (split.old, split.new)]
    return [*sides, block.content or ""]


def is_written(line: str, full: str) -> bool:
    """Whether a line of a block is one of the reply, except for the sign of a diff and text around its markers."""
    full = full if full.endswith(line) else unescape(full)
    return full.endswith(line) and full[: len(full) - len(line)].strip() in {"", "+", "-", ">", "> +", "> -", "\\"}


def is_in_text(line: str, text: str) -> bool:
    """Whether a line of a call is in the reply, as it is or as JSON writes it."""
    return line in text or json.dumps(line)[1:-1] in text or json.dumps(json.dumps(line)[1:-1])[1:-1] in text


@pytest.mark.promise("reply.invents-nothing")
@given(text=REPLIES | damaged_replies() | st.text())
def test_nothing_is_invented_whatever_the_text_is(text: str) -> None:
    reply = parse_reply(text, whole_files=True)
    reply_lines = text.removeprefix("\ufeff").split("\n")
    reply_lines += [line.removesuffix("\r") for line in reply_lines]
    ends = 0
    before: Block | None = None
    for number, block in enumerate(reply, 1):
        assert block.number == number
        assert 0 < block.line <= block.end_line <= len(reply_lines) // 2
        one_call = before is not None and (block.line, block.end_line) == (before.line, before.end_line)
        assert block.line > ends or block.problem or one_call
        ends = block.end_line if not block.problem else ends
        before = block
        for line in {line for side in texts_of(block) for line in side.split("\n")}:
            assert not line or any(is_written(line, reply_line) for reply_line in reply_lines) or is_in_text(line, text)
    for passage in reply.unread:
        assert 0 < passage.line <= len(reply_lines) // 2
    assert validate_reply(text).is_valid <= any(not block.problem for block in parse_reply(text))


@given(text=REPLIES | damaged_replies())
def test_whatever_a_reply_says_applying_it_to_texts_ends_in_an_answer_for_each_block(text: str) -> None:
    files = {"a.py": "a\nb\nx = 1\n", "b.py": "", "x.py": "a\r\nb\r\n"}
    preview = preview_reply(text, files, whole_files=True)
    assert [outcome.id for outcome in preview.outcomes] == [
        name for block in parse_reply(text, whole_files=True) for name in block.ids
    ]
    assert all((outcome.error is None) == (outcome.status != "failed") for outcome in preview.outcomes)


@pytest.mark.promise("reply.truncated")
@given(name=st.sampled_from(sorted(SAMPLES)), share=st.floats(0, 1))
def test_of_a_reply_that_is_cut_off_the_complete_blocks_are_left(name: str, share: float) -> None:
    text = SAMPLES[name].reply
    lines = text.split("\n")
    count = int(len(lines) * share)
    whole = {block.line: block for block in parse_reply(text) if not block.problem}
    for block in parse_reply("\n".join(lines[:count])):
        if block.problem is None and block.line in whole and whole[block.line].format in {"search_replace", "new_file"}:
            complete = whole[block.line]
            assert (block.hunks, block.content, block.path) == (complete.hunks, complete.content, complete.path)
    cut = {block.line for block in parse_reply("\n".join(lines[:count])) if not block.problem}
    inside = {
        line
        for line, block in whole.items()
        if block.end_line <= count and block.format in {"search_replace", "new_file"}
    }
    assert inside <= cut


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\r"), min_size=1)
PLAIN = st.text(st.characters(codec="utf-8", exclude_characters="\r<>"), min_size=1).filter(
    lambda text: text[0] != "\n"
)


@pytest.mark.promise("reply.round-trip")
@given(old=TEXTS, new=st.just("") | TEXTS, stringified=st.booleans(), width=st.sampled_from([None, 2]))
def test_a_call_in_json_says_what_was_written(old: str, new: str, *, stringified: bool, width: int | None) -> None:
    wanted = {"path": "a.py", "old_str": old, "new_str": new}
    call = {"name": "edit_file", "arguments": json.dumps(wanted) if stringified else wanted}
    (block,) = parse_reply(f"Text.\n\n{json.dumps(call, indent=width)}\n\nText.\n")
    assert (block.path, [hunk.splits for hunk in block.hunks]) == ("a.py", [(Split(old, new),)])


@pytest.mark.promise("reply.round-trip")
@given(old=PLAIN, new=st.just("") | PLAIN)
def test_a_call_in_tags_says_what_was_written(old: str, new: str) -> None:
    wanted = {"file_path": "a.py", "old_string": old, "new_string": new}
    inside = "".join(f'<parameter name="{name}">{value}</parameter>\n' for name, value in wanted.items())
    (block,) = parse_reply(f'Text.\n\n<invoke name="Edit">\n{inside}</invoke>\n\nText.\n')
    assert (block.path, [hunk.splits for hunk in block.hunks]) == ("a.py", [(Split(old, new),)])
