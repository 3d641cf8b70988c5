"""Properties of the readers of patches and diffs for any input."""

import difflib
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from suture.formats import PROBLEMS, Block, Source, Split, unified, v4a
from tests.unit.formats.reading import Reader, feed

READERS: list[Reader] = [v4a.read, unified.read]

PATCH = """*** Begin Patch
*** Add File: new.py
+a
+
+b
*** Update File: x.py
*** Move to: y.py
@@ class A:
@@ def f():
 c
-d
+e

@@ -7,2 +7,2 @@
 f
-g
*** End of File
*** Delete File: z.py
*** End Patch
"""
DIFF = """diff --git a/x b/x
old mode 100644
new mode 100755
index 1234567..89abcde
--- a/x
+++ b/x
@@ -1,2 +1,2 @@
 a
-b
+c
@@ -8,0 +9 @@ def f():
+d
\\ No newline at end of file
diff --git a/y b/y
new file mode 100644
--- /dev/null
+++ b/y
@@ -0,0 +1,2 @@
+f
+g
Index: z
=====
--- z
+++ z
@@ ... @@
-h
--- i
+++ j

@@ k
-l
"""
UNFINISHED = "\\ No newline at end of file"
STRAY = [
    "",
    " ",
    "+",
    "-",
    "Text",
    "```",
    "EOF",
    "\\ No newline",
    "@@",
    "@@@ -1 -1 +1 @@@",
    "--- x",
    "+++ x",
    "-- ",
    "\r",
]
PIECES = st.sampled_from(sorted({*PATCH.split("\n"), *DIFF.split("\n"), *STRAY}))
FENCES = st.sampled_from([None, "```"])


@st.composite
def replies(draw: st.DrawFn) -> str:
    """Lines of patches and diffs, in any order or nearly in the right one, with any line endings; never empty."""
    if draw(st.booleans()):
        lines = draw(st.lists(PIECES, min_size=1, max_size=25))
    else:
        lines = draw(st.sampled_from([PATCH, DIFF])).split("\n")
        for _ in range(draw(st.integers(0, 4))):
            at = draw(st.integers(0, len(lines) - 1))
            lines[at : at + draw(st.integers(0, 2))] = draw(st.lists(PIECES, max_size=2))
            lines = lines or [""]
        lines = lines[draw(st.integers(0, len(lines) - 1)) :]
    indent = draw(st.sampled_from(["", "", "", "  "]))
    end = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    return "".join(f"{indent}{line}{end}" for line in lines)[: draw(st.integers(1, 2000))]


def add_beginning(reader: Reader, text: str) -> str:
    """A reply that begins as the reader expects."""
    line, _, rest = text.partition("\n")
    if reader is v4a.read:
        return text if v4a.begin(Source.of(f"{line}\n"), 0) else f"*** Begin Patch\n{text}"
    return text if unified.begins(line, rest.partition("\n")[0], fenced=True) else f"diff --git a/x b/x\n{text}"


@given(text=replies(), fence=FENCES, reader=st.sampled_from(READERS), sizes=st.lists(st.integers(1, 30), min_size=1))
def test_it_does_not_matter_how_a_reply_is_cut_into_pieces(
    text: str, fence: str | None, reader: Reader, sizes: list[int]
) -> None:
    text = add_beginning(reader, text)
    whole = feed(reader, [text], fence)
    assert feed(reader, list(text), fence) == whole
    assert feed(reader, [f"{line}\n" for line in text.split("\n")[:-1]] + [text.rpartition("\n")[2]], fence) == whole
    chunks, at = list[str](), 0
    while at < len(text):
        size = sizes[len(chunks) % len(sizes)]
        chunks.append(text[at : at + size])
        at += size
    assert feed(reader, chunks, fence) == whole


@settings(max_examples=150)
@given(text=replies(), fence=FENCES, reader=st.sampled_from(READERS))
def test_blocks_are_in_order_and_contain_only_text_of_the_reply(text: str, fence: str | None, reader: Reader) -> None:
    text = add_beginning(reader, text)
    ends = "*** end of file" if reader is v4a.read else UNFINISHED.lower()
    blocks, end = feed(reader, [text], fence)
    lines = text.split("\n")
    assert blocks
    assert 1 <= end <= len(lines)
    begin = last = 0
    for block in blocks:
        assert begin < block.line <= block.end_line <= end
        assert last <= block.line
        assert block.problem is None or block.problem in PROBLEMS
        begin, last = block.line, block.end_line
        if block.problem is not None:
            assert (block.hunks, block.content) == ((), None)
        if block.content:
            shown = {form for line in lines[block.line : block.end_line] for form in _forms(line)}
            assert {line for line in block.content.split("\n") if line} <= {*shown, *(form[1:] for form in shown)}
        starts = [hunk.line for hunk in block.hunks]
        assert starts == sorted(set(starts))
        for hunk, stop in zip(block.hunks, [*starts[1:], block.end_line + 1], strict=False):
            body = [line for line in lines[hunk.line - 1 : stop - 1] if not line.lstrip().lower().startswith(ends)]
            *shorter, split = hunk.splits  # one without what may be an empty line of the reply comes first
            assert len(shorter) <= 1
            assert all(variant.old in split.old and variant.new in split.new for variant in shorter)
            assert any(_says([_forms(line)[form] for line in body], split) for form in range(4))


def _forms(line: str) -> list[str]:
    """A line in a reply, perhaps indented, perhaps with its own line ending."""
    return [line, line.removesuffix("\r"), line.removeprefix("  "), line.removeprefix("  ").removesuffix("\r")]


def _says(lines: list[str], split: Split) -> bool:
    """Whether lines are a hunk with these sides: all that they add and remove, and the context around it."""
    start = next((at for at, line in enumerate(lines) if line and not unified.hunk_header(line)), 0)
    end = next((at for at in range(start, len(lines)) if unified.hunk_header(lines[at])), len(lines))
    while start and not unified.hunk_header(lines[start - 1]):  # empty lines are context
        start -= 1
    body = [line for line in lines[start:end] if not line.startswith("\\ ")]
    for side, mark, other in ((split.old, "-", "+"), (split.new, "+", "-")):
        texts = side.removesuffix("\n").split("\n") if side else []
        side_lines = [line for line in body if not line.startswith(other)]
        if texts != [line[1:] if line[:1] in {" ", mark} else line for line in side_lines[: len(texts)]]:
            return False
        if any(line.startswith(mark) for line in side_lines[len(texts) :]):
            return False
    return True


@pytest.mark.parametrize("sample", [PATCH, DIFF.replace(f"{UNFINISHED}\n", "")])  # no reader can miss that line
@given(data=st.data())
def test_what_can_be_used_of_a_reply_that_is_cut_can_be_used_of_all_of_it(sample: str, data: st.DataObject) -> None:
    reader = v4a.read if sample == PATCH else unified.read
    lines = sample.split("\n")
    cut = data.draw(st.integers(1, len(lines) - 1))
    fence = data.draw(FENCES)
    whole, _ = feed(reader, [f"{sample}```\n"], "```")
    blocks, _ = feed(reader, ["".join(f"{line}\n" for line in lines[:cut])], fence)
    for block in blocks:
        if block.problem is None:
            same = next(candidate for candidate in whole if candidate.line == block.line)
            assert block.hunks == same.hunks[: len(block.hunks)]
            assert block.content == same.content


def apply_block(block: Block, old: str) -> str:
    """The result of applying the hunks of a block to a text, each at the place that it names."""
    lines = old.split("\n")
    texts = [f"{line}\n" for line in lines[:-1]] + [lines[-1]] * (lines[-1] != "")
    result, at = list[str](), 0
    for hunk in block.hunks:
        (split,) = hunk.splits
        assert hunk.at is not None
        start = hunk.at - 1 if split.old else hunk.at
        result += texts[at:start]
        at, removed = start, ""
        while len(removed) < len(split.old):
            removed += texts[at]
            at += 1
        assert removed == split.old
        result.append(split.new)
    return "".join(result + texts[at:])


WORDS = [
    "a",
    "b",
    "c",
    "",
    " d",
    "- e",
    "-- f",
    "++ g",
    "+h",
    "@@ -1 +1 @@",
    "\\ i",
    "diff --git a/x b/x",
    "j\r",
    "```",
    "-- ",
]
TEXTS = st.builds(
    lambda lines, end: "".join(f"{line}\n" for line in lines) + end,
    st.lists(st.sampled_from(WORDS), max_size=25),
    st.sampled_from(["", "", "z", "-- f"]),
)


@st.composite
def changes(draw: st.DrawFn) -> tuple[str, str]:
    old = draw(TEXTS)
    if draw(st.booleans()):
        return old, draw(TEXTS)
    lines = old.split("\n")
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(lines)))
        lines[at : at + draw(st.integers(0, 2))] = draw(st.lists(st.sampled_from(WORDS), max_size=3))
    return old, "\n".join(lines)


@pytest.mark.process
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(change=changes(), context=st.integers(0, 4), fence=FENCES)
def test_a_diff_of_git_makes_one_text_of_the_other(
    tmp_path: Path, change: tuple[str, str], context: int, fence: str | None
) -> None:
    for name, text in zip(("old", "new"), change, strict=True):
        (tmp_path / name).write_bytes(text.encode())
    command = [
        "git",
        "-c",
        "core.autocrlf=false",
        "diff",
        "--no-index",
        "--no-color",
        "--text",
        f"-U{context}",
        "old",
        "new",
    ]
    output = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).stdout.decode()
    if change[0] == change[1]:
        assert not output
        return
    (block,), end = feed(unified.read, [output, f"{fence}\n" if fence else ""], fence)
    assert (block.action, block.path, block.problem, end) == ("update", "new", None, output.count("\n"))
    assert apply_block(block, change[0]) == change[1]


@given(change=changes(), context=st.integers(0, 4))
def test_a_diff_without_newlines_at_the_end_makes_one_text_of_the_other(change: tuple[str, str], context: int) -> None:
    old, new = (text if text.endswith("\n") or not text else f"{text}\n" for text in change)
    before, after = ([f"{line}\n" for line in text.split("\n")[:-1]] for text in (old, new))
    diff = "".join(difflib.unified_diff(before, after, "x", "x", n=context))
    if diff:
        (block,), _ = feed(unified.read, [diff], None)
        assert apply_block(block, old) == new


@settings(max_examples=40)
@given(change=changes())
def test_a_patch_of_any_lines_says_what_it_was_made_of(change: tuple[str, str]) -> None:
    old, new = ([line for line in text.split("\n") if not line.startswith("\\ ")] for text in change)
    lines = ["*** Update File: x", "@@", *(f"-{line}" for line in old), *(f"+{line}" for line in new)]
    text = "".join(f"{line}\n" for line in ["*** Begin Patch", *lines, "*** End Patch"])
    ((block,), _) = feed(v4a.read, [text], None)
    (split,) = block.hunks[0].splits
    assert (split.old, split.new) == tuple("".join(f"{line}\n" for line in side) for side in (old, new))


@pytest.mark.parametrize(
    ("reader", "head", "line"),
    [
        (v4a.read, "*** Begin Patch\n*** Update File: x\n", " a\n-b\n+c\n"),
        (v4a.read, "*** Begin Patch\n", "*** Update File: x\n@@ a\n@@ b\n"),
        (unified.read, "--- x\n+++ x\n@@ -1,100000 +1,100000 @@\n", " a\n-b\n+c\n"),
        (unified.read, "--- x\n+++ x\n@@ -1,2000000 +1,2000000 @@\n", "--- x\n+++ x\n"),
        (unified.read, "--- x\n+++ x\n", "@@ -1,2000000 +1,2000000 @@\n\n"),
        (unified.read, "--- x\n+++ x\n@@ -1 +1 @@\n", "\n"),
    ],
)
def test_a_long_reply_takes_one_look_at_each_line(reader: Reader, head: str, line: str) -> None:
    blocks, end = feed(reader, [head, line * 20_000], "```")
    assert blocks[-1].problem == "no_end"
    assert end <= head.count("\n") + 60_000
