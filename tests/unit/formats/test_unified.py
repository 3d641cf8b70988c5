"""Unified diffs, from git and from models."""

import os
import subprocess
from pathlib import Path

import pytest

from suture.formats import Block, Hunk, Split, unified
from tests.unit.formats.reading import feed, in_pieces


def read(text: str, fence: str | None = None, at: int = 0, step: int = 0) -> tuple[list[Block], int]:
    """The blocks of a text that arrives in pieces, and the first line after them."""
    return feed(unified.read, in_pieces(text, step), fence, at)


def text_of(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def block(action: str, line: int, end_line: int, path: str | None, written: str | None, **more: object) -> Block:
    return Block(0, "unified", action, line, end_line, path, written).evolve(**more)


def hunk(line: int, old: str, new: str, *context: str, at: int | None = None) -> Hunk:
    return Hunk(line, (Split(old, new),), context, at)


ONE = ("@@ -1 +1 @@", "-a", "+b")
"""A hunk."""
HEAD = ("--- a/x", "+++ b/x")


def one_hunk(line: int) -> tuple[Hunk]:
    return (hunk(line, "a\n", "b\n", at=1),)


SECTIONS = {
    "git's": (
        text_of("diff --git a/x b/x", "index 1234567..89abcde 100644", *HEAD, *ONE),
        [block("update", 1, 7, "x", "b/x", hunks=one_hunk(5))],
    ),
    "without git": (text_of(*HEAD, *ONE), [block("update", 1, 5, "x", "b/x", hunks=one_hunk(3))]),
    "without prefixes": (text_of("--- x", "+++ x", *ONE), [block("update", 1, 5, "x", "x", hunks=one_hunk(3))]),
    "with git's other prefixes": (
        text_of("diff --git i/x w/x", "--- i/x", "+++ w/x", *ONE),
        [block("update", 1, 6, "x", "w/x", hunks=one_hunk(4))],
    ),
    "in a folder that is called like a prefix": (
        text_of("diff --git a/x a/x", "--- a/x", "+++ a/x", *ONE),
        [block("update", 1, 6, "a/x", "a/x", hunks=one_hunk(4))],
    ),
    "with times": (
        text_of("--- x.py\t2026-01-01 10:00:00 +0000", "+++ x.py\t2026-01-02", *ONE),
        [block("update", 1, 5, "x.py", "x.py", hunks=one_hunk(3))],
    ),
    "with two names": (
        text_of("--- x.py.orig", "+++ x.py", *ONE),
        [block("update", 1, 5, "x.py", "x.py", hunks=one_hunk(3))],
    ),
    "with quoted names": (
        text_of(
            'diff --git "a/\\303\\244 \\"\\t\\\\.txt" "b/\\303\\244 \\"\\t\\\\.txt"',
            "old mode 100644",
            "new mode 100755",
            "x",
        ),
        [block("update", 1, 3, 'ä "\t\\.txt', '"b/\\303\\244 \\"\\t\\\\.txt"', mode=0o100755)],
    ),
    "with names that only look quoted": (
        text_of('--- "a/x', '+++ "b/\\x\\777"', *ONE),
        [block("update", 1, 5, '"b/\\x\\777"', '"b/\\x\\777"', hunks=one_hunk(3))],
    ),
    "of subversion": (
        text_of("Index: x.py", "=====", "--- x.py\t(revision 1)", "+++ x.py\t(working copy)", *ONE),
        [block("update", 1, 7, "x.py", "x.py", hunks=one_hunk(5))],
    ),
    "of subversion without names": (
        text_of("Index: x.py", "=====", "Cannot display"),
        [block("update", 1, 2, "x.py", "x.py", problem="empty")],
    ),
    "of diff": (
        text_of(*HEAD, *ONE, "diff -u old/y new/y", "--- old/y", "+++ new/y", *ONE),
        [
            block("update", 1, 5, "x", "b/x", hunks=one_hunk(3)),
            block("update", 6, 11, "new/y", "new/y", hunks=one_hunk(9)),
        ],
    ),
    "new": (
        text_of(
            "diff --git a/x b/x", "new file mode 100755", "--- /dev/null", "+++ b/x", "@@ -0,0 +1,2 @@", "+a", "+b"
        ),
        [block("create", 1, 7, "x", "b/x", content="a\nb\n", mode=0o100755)],
    ),
    "new without git": (
        text_of("--- /dev/null", "+++ b/x", "@@ -0,0 +1 @@", "+a", "\\ No newline at end of file"),
        [block("create", 1, 5, "x", "b/x", content="a")],
    ),
    "new with git's other prefixes": (
        text_of("diff --git i/x w/x", "new file mode 100644", "--- /dev/null", "+++ w/x", "@@ -0,0 +1 @@", "+a"),
        [block("create", 1, 6, "x", "w/x", content="a\n", mode=0o100644)],
    ),
    "new in a folder that is called like a prefix": (
        text_of("--- /dev/null", "+++ w/x", "@@ -0,0 +1 @@", "+a"),
        [block("create", 1, 4, "w/x", "w/x", content="a\n")],
    ),
    "new and empty": (
        text_of("diff --git a/x b/x", "new file mode 100644", "index 0000000..e69de29"),
        [block("create", 1, 3, "x", "b/x", content="", mode=0o100644)],
    ),
    "new, in a few words": (
        text_of("diff --git a/x b/x", "new file mode 100644", "Text"),
        [block("create", 1, 2, "x", "b/x", content="", mode=0o100644)],
    ),
    "new without its content": (
        text_of("diff --git a/x b/x", "new file mode 100644", "index 0000000..1234567", "Text"),
        [block("create", 1, 3, "x", "b/x", mode=0o100644, problem="no_end")],
    ),
    "new without git and without its content": (
        text_of("--- /dev/null", "+++ b/x", "Text"),
        [block("create", 1, 2, "x", "b/x", problem="empty")],
    ),
    "new with lines that are not": (
        text_of("--- /dev/null", "+++ b/x", "@@ -1 +1,2 @@", " a", "+b"),
        [block("create", 1, 5, "x", "b/x", problem="not_a_hunk")],
    ),
    "deleted": (
        text_of("diff --git a/x b/x", "deleted file mode 100644", "--- a/x", "+++ /dev/null", "@@ -1 +0,0 @@", "-a"),
        [block("delete", 1, 6, "x", "a/x", hunks=(hunk(5, "a\n", "", at=1),))],
    ),
    "deleted without git": (
        text_of("--- a/x", "+++ /dev/null", "@@ -1 +0,0 @@", "-a"),
        [block("delete", 1, 4, "x", "a/x", hunks=(hunk(3, "a\n", "", at=1),))],
    ),
    "deleted and empty": (
        text_of("diff --git a/x b/x", "deleted file mode 100644", "index e69de29..0000000"),
        [block("delete", 1, 3, "x", "a/x")],
    ),
    "deleted with lines that are not": (
        text_of("--- a/x", "+++ /dev/null", "@@ -1,2 +1 @@", "-a", " b"),
        [block("delete", 1, 5, "x", "a/x", problem="not_a_hunk")],
    ),
    "neither here nor there": (
        text_of("--- /dev/null", "+++ /dev/null", *ONE),
        [block("update", 1, 5, None, "/dev/null", problem="empty")],
    ),
    "renamed": (
        text_of("diff --git a/x b/y z", "similarity index 100%", "rename from x", "rename to y z"),
        [block("rename", 1, 4, "x", "x", to="y z")],
    ),
    "renamed with a change": (
        text_of(
            "diff --git a/x b/y", "similarity index 50%", "rename from x", "rename to y", "--- a/x", "+++ b/y", *ONE
        ),
        [block("rename", 1, 9, "x", "x", to="y", hunks=one_hunk(7))],
    ),
    "renamed in a few words": (
        text_of("diff --git a/x b/y", "rename from x", "--- a/x", "+++ b/y", *ONE),
        [block("rename", 1, 7, "x", "x", to="y", hunks=one_hunk(5))],
    ),
    "renamed in other words": (
        text_of("diff --git a/x b/y", "rename to y", *ONE),
        [block("rename", 1, 5, "x", "a/x", to="y", hunks=one_hunk(3))],
    ),
    "renamed from nothing": (
        text_of("diff --git a/x b/y", "rename to y", "Text"),
        [block("rename", 1, 2, "x", "a/x", to="y", problem="empty")],
    ),
    "copied": (
        text_of("diff --git a/x b/y", "similarity index 90%", "copy from x", "copy to y", "--- a/x", "+++ b/y", *ONE),
        [block("create", 1, 9, "y", "y", copied_from="x", hunks=one_hunk(7))],
    ),
    "copied without a change": (
        text_of("diff --git a/x b/y", "copy from x", "copy to y", "", "Text"),
        [block("create", 1, 3, "y", "y", copied_from="x")],
    ),
    "with another mode": (
        text_of("diff --git a/x b/x", "old mode 100644", "new mode 100755"),
        [block("update", 1, 3, "x", "b/x", mode=0o100755)],
    ),
    "with another mode and a change": (
        text_of("diff --git a/x b/x", "old mode 100644", "new mode 100755", "index 1..2", *HEAD, *ONE),
        [block("update", 1, 9, "x", "b/x", mode=0o100755, hunks=one_hunk(7))],
    ),
    "with a mode that is none": (
        text_of("diff --git a/x b/x", "new mode +rwx", "Text"),
        [block("update", 1, 2, "x", "b/x")],
    ),
    "that says nothing": (text_of("diff --git a/x b/x", "Text"), [block("update", 1, 1, "x", "b/x", problem="empty")]),
    "that says nothing behind its names": (
        text_of(*HEAD, "Text"),
        [block("update", 1, 2, "x", "b/x", problem="empty")],
    ),
    "that says nothing in its hunk": (
        text_of(*HEAD, "@@ f", "Text"),
        [block("update", 1, 3, "x", "b/x", problem="empty")],
    ),
    "that has a line without a prefix": (
        text_of(*HEAD, *ONE, "@@ -5,3 +5,3 @@", "-a", "+b", "Text", "+c"),
        [block("update", 1, 5, "x", "b/x", hunks=one_hunk(3)), block("update", 6, 8, "x", "b/x", problem="not_a_hunk")],
    ),
    "new, with a line without a prefix": (
        text_of("--- /dev/null", "+++ b/x", "@@ -0,0 +1,3 @@", "+a", "Text", "+c"),
        [block("create", 1, 4, "x", "b/x", problem="not_a_hunk")],
    ),
    "new, without hunks behind its names": (
        text_of("diff --git a/x b/x", "new file mode 100644", "--- /dev/null", "+++ b/x", "Text"),
        [block("create", 1, 4, "x", "b/x", mode=0o100644, problem="no_end")],
    ),
    "new, without lines in its hunk": (
        text_of("diff --git a/x b/x", "new file mode 100644", "@@", "Text"),
        [block("create", 1, 3, "x", "b/x", mode=0o100644, problem="empty")],
    ),
    "binary": (
        text_of("diff --git a/x b/x", "index 1..2 100644", "Binary files a/x and b/x differ", "Text"),
        [block("update", 1, 3, "x", "b/x", problem="binary")],
    ),
    "binary, with its content": (
        text_of(
            "diff --git a/x b/x", "index 1..2", "GIT binary patch", "delta 5", "Mc$", "", "literal 6", "Nd", "", "Text"
        ),
        [block("update", 1, 9, "x", "b/x", problem="binary")],
    ),
    "a link": (
        text_of("diff --git a/x b/x", "new file mode 120000", "--- /dev/null", "+++ b/x", "@@ -0,0 +1 @@", "+y"),
        [block("create", 1, 6, "x", "b/x", mode=0o120000, problem="not_a_file")],
    ),
    "a submodule": (
        text_of("diff --git a/x b/x", "index 1..2 160000", *HEAD, *ONE),
        [block("update", 1, 7, "x", "b/x", problem="not_a_file")],
    ),
    "combined": (
        text_of(
            "diff --cc x", "index 1,2..3", *HEAD, "@@@ -1 -1 +1 @@@", "- a", " -b", "++c", "@@@ -9 -9 +9 @@@", "++d"
        ),
        [block("update", 1, 10, "x", "b/x", problem="not_a_hunk")],
    ),
    "combined, in other words": (
        text_of("diff --combined x", "@@@ -1 -1 +1 @@@", "++c", "Text"),
        [block("update", 1, 3, "x", "x", problem="not_a_hunk")],
    ),
    "combined, without saying so": (
        text_of(*HEAD, *ONE, "@@@ -1 -1 +1 @@@", "++c"),
        [block("update", 1, 5, "x", "b/x", hunks=one_hunk(3)), block("update", 6, 7, "x", "b/x", problem="not_a_hunk")],
    ),
    "several": (
        text_of(
            "diff --git a/x b/x",
            *HEAD,
            *ONE,
            "",
            "diff --git a/y b/y",
            "--- a/y",
            "+++ b/y",
            *ONE,
            "--- z",
            "+++ z",
            *ONE,
        ),
        [
            block("update", 1, 6, "x", "b/x", hunks=one_hunk(4)),
            block("update", 8, 13, "y", "b/y", hunks=one_hunk(11)),
            block("update", 14, 18, "z", "z", hunks=one_hunk(16)),
        ],
    ),
}


@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_is_a_block(name: str) -> None:
    text, expected = SECTIONS[name]
    assert read(text) == (expected, expected[-1].end_line)
    assert read(text, step=1) == (expected, expected[-1].end_line)


@pytest.mark.parametrize(
    ("names", "path"),
    [
        ("a/x y b/x y", "x y"),
        ("x y x y", "x y"),
        ("a/x b/y z", "y z"),
        ("x y", "y"),
        ("x", "x"),
        ('"a/x\\ty" b/z', "z"),
        ('a/z "b/x\\ty"', "x\ty"),
        ('"a/x', '"a/x'),
        ("old/x new/x", "new/x"),
    ],
)
def test_the_two_names_of_diff_git_are_separated(names: str, path: str) -> None:
    sections, _ = read(text_of(f"diff --git {names}", "old mode 100644", "new mode 100755"))
    assert [section.path for section in sections] == [path]


HUNKS = {
    "several": (
        ["@@ -1,2 +1,3 @@", " a", "-b", "+c", "+d", "@@ -9 +10,0 @@ def f():", "-e", "", "@@ -20,0 +20 @@", "+f"],
        [
            hunk(3, "a\nb\n", "a\nc\nd\n", at=1),
            hunk(8, "e\n", "", at=9).evolve(section="def f():"),
            hunk(11, "", "f\n", at=20),
        ],
    ),
    "without numbers": (
        ["@@", "-a", "@@ @@", "-b", "@@ ... @@", "-c", "@@ -x,y +x,y @@", "-d"],
        [hunk(3, "a\n", ""), hunk(5, "b\n", ""), hunk(7, "c\n", ""), hunk(9, "d\n", "")],
    ),
    "numbers that are too much": (["@@ -1234567890123456789012 +1 @@", "-a"], [hunk(3, "a\n", "")]),
    "half of the numbers": (["@@ -1,2 @@", "-a", "@@ -1,b +2 @@", "-b"], [hunk(3, "a\n", ""), hunk(5, "b\n", "")]),
    "numbers without an end": (["@@ -5 +5", "-a", "+b"], [hunk(3, "a\n", "b\n", at=5)]),
    "context": (
        ["@@ def f():", "-a", "@@ def g(): @@ x", "-b"],
        [hunk(3, "a\n", "", "def f():"), hunk(5, "b\n", "", "def g():")],
    ),
    "context at two levels": (
        ["@@ class A:", "@@     def f():", "-a"],
        [hunk(3, "a\n", "", "class A:", "    def f():")],
    ),
    "an empty line": (["@@ -1,3 +1,2 @@", " a", "", "-b"], [hunk(3, "a\n\nb\n", "a\n\n", at=1)]),
    "an empty line that is counted": (["@@ -1,2 +1 @@", "-a", "", ""], [hunk(3, "a\n\n", "\n", at=1)]),
    "an empty line that is not": (["@@ -1 +0,0 @@", "-a", "", ""], [hunk(3, "a\n", "", at=1)]),
    "an empty line without counts": (["@@", "-a", "", "+b", "", ""], [hunk(3, "a\n\n", "\nb\n")]),
    "lines that look like a header": (
        ["@@ -1,3 +1,3 @@", " a", "--- b", "+++ c", " d"],
        [hunk(3, "a\n-- b\nd\n", "a\n++ c\nd\n", at=1)],
    ),
    "lines that look like a header, at the end": (
        ["@@ -1,2 +1,2 @@", " a", "--- b", "+++ c", "@@ -8 +8,0 @@", "-a"],
        [hunk(3, "a\n-- b\n", "a\n++ c\n", at=1), hunk(7, "a\n", "", at=8)],
    ),
    "lines that look like a header, without counts": (
        ["@@", " a", "--- b", "+++ c", " d"],
        [hunk(3, "a\n-- b\nd\n", "a\n++ c\nd\n")],
    ),
    "counts that are too small": (
        ["@@ -1 +1 @@", "-a", "+b", "+c", " d", "@@ -7 +7 @@", "-e", "+f"],
        [hunk(3, "a\nd\n", "b\nc\nd\n", at=1), hunk(8, "e\n", "f\n", at=7)],
    ),
    "counts that are exceeded on one side": (
        ["@@ -1,1 +1,9 @@", "-a", "-b", "@@", "-c"],
        [hunk(3, "a\nb\n", "", at=1), hunk(6, "c\n", "")],
    ),
    "counts that are too large": (
        ["@@ -1,9 +1,9 @@", "-a", "+b", "@@", "-c"],
        [hunk(3, "a\n", "b\n", at=1), hunk(6, "c\n", "")],
    ),
    "counts of an insertion that shows none": (
        ["@@ -5,3 +5,4 @@", "+a", "@@", "-c"],
        [hunk(3, "", "a\n"), hunk(5, "c\n", "")],
    ),
    "no newline in either": (
        ["@@ -1 +1 @@", "-a", "\\ No newline at end of file", "+b", "\\ No newline at end of file"],
        [hunk(3, "a", "b", at=1)],
    ),
    "no newline before": (["@@ -1 +1 @@", "-a", "\\ No newline at end of file", "+a"], [hunk(3, "a", "a\n", at=1)]),
    "no newline in both": (["@@ -1,2 +1 @@", "-a", " b", "\\ No newline at end of file"], [hunk(3, "a\nb", "b", at=1)]),
    "no newline of nothing": (["@@", "\\ No newline at end of file", "-a"], [hunk(3, "a\n", "")]),
    "the end of a mail": (["@@ -1 +1 @@", "-a", "+b", "-- ", "2.39.5"], [hunk(3, "a\n", "b\n", at=1)]),
    "carriage returns": (["@@ -1,3 +1,2 @@", " a\r", "\r", "-b\r"], [hunk(3, "a\r\n\r\nb\r\n", "a\r\n\r\n", at=1)]),
}


@pytest.mark.parametrize("name", HUNKS)
@pytest.mark.parametrize("fence", [None, "```"])
def test_a_hunk_is_read(name: str, fence: str | None) -> None:
    lines, expected = HUNKS[name]
    text = text_of(*HEAD, *lines) + (f"{fence}\nText\n" if fence else "")
    for step in (0, 1):
        (section,), _ = read(text, fence, step=step)
        assert (list(section.hunks), section.problem, section.path) == (expected, None, "x")


FENCED = {
    "a line without a prefix": (["@@ -1,3 +1,2 @@", "a", "-b", "c"], [hunk(3, "a\nb\nc\n", "a\nc\n", at=1)]),
    "a line without a prefix, without counts": (["@@", "a", "-b", "\\c"], [hunk(3, "a\nb\n\\c\n", "a\n\\c\n")]),
    "lines behind empty ones": (["@@ -1 +1 @@", "-a", "+b", "", "+c"], [hunk(3, "a\n\n", "b\n\nc\n", at=1)]),
    "lines behind one without a prefix": (
        ["@@ -1 +1 @@", "-a", "+b", "c", " x", "+d"],
        [hunk(3, "a\nc\nx\n", "b\nc\nx\nd\n", at=1)],
    ),
    "another fence": (["@@", " ```", "-~~~", "```py"], [hunk(3, "```\n~~~\n```py\n", "```\n```py\n")]),
    "a word of git": (["@@", "-a", "diff x", "Index: x"], [hunk(3, "a\ndiff x\nIndex: x\n", "diff x\nIndex: x\n")]),
}


@pytest.mark.parametrize("name", FENCED)
def test_only_the_fence_ends_a_hunk_inside_it(name: str) -> None:
    lines, expected = FENCED[name]
    (section,), end = read(text_of(*HEAD, *lines, "```", "Text"), "```")
    assert (list(section.hunks), section.problem, end) == (expected, None, len(lines) + 2)


def test_a_log_in_a_fence_ends_with_its_hunk() -> None:
    text = text_of(*HEAD, *ONE, "", "commit 1234", "", "    - message", "", "diff --git a/y b/y", *ONE, "```")
    assert read(text, "```") == ([block("update", 1, 5, "x", "b/x", hunks=one_hunk(3))], 5)


UNFENCED = {
    "before a rule": ["***", "+c"],
    "before a text": ["Text", "+c"],
    "before an empty line": ["", "- text"],
    "before a fence": ["```"],
}


@pytest.mark.parametrize("name", UNFENCED)
def test_outside_a_fence_a_hunk_ends(name: str) -> None:
    text = text_of(*HEAD, *ONE, *UNFENCED[name])
    assert read(text) == ([block("update", 1, 5, "x", "b/x", hunks=one_hunk(3))], 5)


def test_in_a_fence_a_diff_may_begin_with_a_hunk() -> None:
    text = text_of("Text", *ONE, "@@ f", "-c", "~~~")
    assert read(text, "~~~", at=1) == (
        [block("update", 2, 6, None, None, hunks=(*one_hunk(2), hunk(5, "c\n", "", "f")))],
        6,
    )


def test_an_email_from_git_ends_after_its_hunks() -> None:
    text = text_of("---", " x | 2 +-", "", "diff --git a/x b/x", *HEAD, *ONE, "-- ", "2.39.5", "")
    assert read(text, at=3) == ([block("update", 4, 9, "x", "b/x", hunks=one_hunk(7))], 9)


def test_line_endings_of_the_reply_are_not_those_of_the_file() -> None:
    text = text_of("diff --git a/x b/x", *HEAD, "@@ -1,2 +1,2 @@", "-a", "", "+b").replace("\n", "\r\n")
    expected = [block("update", 1, 7, "x", "b/x", hunks=(hunk(4, "a\n\n", "\nb\n", at=1),))]
    assert read(text) == (expected, 7)
    assert read(text, step=1) == (expected, 7)


def test_a_hunk_with_a_line_after_its_last_one_makes_the_rest_unusable() -> None:
    text = text_of(*HEAD, *ONE, "@@", "+a", "\\ No newline at end of file", "+b", "@@", "-c", "Text")
    assert read(text) == (
        [
            block("update", 1, 5, "x", "b/x", hunks=one_hunk(3)),
            block("update", 6, 11, "x", "b/x", problem="not_a_hunk"),
        ],
        11,
    )


SAMPLE = (
    "diff --git a/x b/x",
    "old mode 100644",
    "new mode 100755",
    "index 1234567..89abcde",
    "--- a/x",
    "+++ b/x",
    "@@ -1,2 +1,2 @@",
    " a",
    "-b",
    "+c",
    "@@ -8 +8 @@",
    "-d",
    "+e",
    "diff --git a/y b/y",
    "new file mode 100644",
    "index 0000000..1234567",
    "--- /dev/null",
    "+++ b/y",
    "@@ -0,0 +1,2 @@",
    "+f",
    "+g",
    "--- a/z",
    "+++ /dev/null",
    "@@ -1,2 +0,0 @@",
    "-h",
    "-i",
)
FIRST = block("update", 1, 10, "x", "b/x", mode=0o100755, hunks=(hunk(7, "a\nb\n", "a\nc\n", at=1),))
WHOLE = FIRST.evolve(end_line=13, hunks=(*FIRST.hunks, hunk(11, "d\n", "e\n", at=8)))
NEW = block("create", 14, 21, "y", "b/y", mode=0o100644, content="f\ng\n")
UNFINISHED = FIRST.evolve(hunks=(), problem="no_end")
CUT = {
    1: [UNFINISHED.evolve(end_line=1, mode=None)],
    2: [UNFINISHED.evolve(end_line=2, mode=None)],
    **{number: [UNFINISHED.evolve(end_line=number)] for number in (4, 6, 7, 8, 9)},
    5: [UNFINISHED.evolve(end_line=5)],
    10: [FIRST],
    11: [FIRST, UNFINISHED.evolve(line=11, end_line=11)],
    12: [FIRST, UNFINISHED.evolve(line=11, end_line=12)],
    13: [WHOLE],
    14: [WHOLE, block("update", 14, 14, "y", "b/y", problem="no_end")],
    **{number: [WHOLE, NEW.evolve(end_line=number, content=None, problem="no_end")] for number in range(15, 21)},
    21: [WHOLE, NEW],
    22: [WHOLE, NEW, block("update", 22, 22, "a/z", "a/z", problem="no_end")],
    **{number: [WHOLE, NEW, block("delete", 22, number, "z", "a/z", problem="no_end")] for number in (23, 24, 25)},
}


@pytest.mark.parametrize("lines", CUT)
def test_a_truncated_diff_keeps_what_is_complete(lines: int) -> None:
    assert read(text_of(*SAMPLE[:lines])) == (CUT[lines], lines)


@pytest.mark.parametrize("lines", range(1, len(SAMPLE) + 1))
def test_a_diff_in_a_fence_without_an_end_is_truncated(lines: int) -> None:
    sections, end = read(text_of(*SAMPLE[:lines]), "```")
    assert (sections[-1].problem, sections[-1].hunks, end) == ("no_end", (), lines)
    assert [section for section in sections if section.problem is None] == [WHOLE, NEW][
        : (lines > 13) + (lines > 21)
    ] or (10 < lines <= 13 and sections[0] == FIRST)


@pytest.mark.parametrize(
    "lines",
    [
        ["diff --git a/x b/y", "rename from x", "rename to y"],
        ["diff --git a/x b/y", "similarity index 99%", "copy from x", "copy to y"],
        ["diff --git a/x b/x", "new file mode 100644"],
        ["diff --git a/x b/x", "deleted file mode 100644", "index 1234567..0000000"],
        ["diff --git a/x b/x", "new mode 100755", "index 1234567..89abcde"],
        [*HEAD, "@@", "-a", "--- x"],
        [*HEAD, "@@ -1 +0,0 @@", "-a", "-b", "--- x"],
    ],
)
def test_a_section_that_may_lack_hunks_or_lines_cannot_be_used(lines: list[str]) -> None:
    assert [section.problem for section in read(text_of(*lines))[0]] == ["no_end"]


def test_a_truncated_header_is_not_part_of_the_previous_hunk() -> None:
    assert [section.problem for section in read(text_of(*HEAD, *ONE, "--- y", "+++ y"))[0]] == [None, "no_end"]
    assert [section.problem for section in read(text_of(*HEAD, "@@", "-a", "--- y", "+++ y"))[0]] == [None, "no_end"]


def test_a_header_after_a_hunk_without_counts_needs_a_hunk() -> None:
    sections, _ = read(text_of(*HEAD, "@@", "-a", "", "--- y", "+++ y", "", *ONE))
    assert sections == [
        block("update", 1, 4, "x", "b/x", hunks=(hunk(3, "a\n", ""),)),
        block("update", 6, 11, "y", "y", hunks=one_hunk(9)),
    ]


def test_a_dash_line_alone_begins_nothing() -> None:
    assert read(text_of("diff --git a/x b/x", "--- a/x", "Text"))[0][0].problem == "empty"
    assert read(text_of(*HEAD, *ONE, "", "--- text", "Text"))[1] == 5


@pytest.mark.process
@pytest.mark.parametrize(
    ("settings", "options"),
    [([], []), ([], ["--no-prefix"]), ([], ["--binary"]), (["-c", "diff.mnemonicPrefix=true"], [])],
)
def test_git_headers_are_understood(tmp_path: Path, settings: list[str], options: list[str]) -> None:
    def git(*arguments: str) -> str:
        isolated = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
        return subprocess.run(
            ["git", *arguments], cwd=tmp_path, env=isolated, capture_output=True, check=True
        ).stdout.decode()

    def text(name: str, *, first: int = 0) -> str:
        return "".join(f"{name} {number}\n" for number in range(first, 20))

    git("init", "-q")
    (tmp_path / "b").mkdir()
    for name in ("changed ä", "run", "moved away", "moved and changed", "gone", "copied", "b/binary"):
        (tmp_path / name).write_text(text(name))
    (tmp_path / "b/binary").write_bytes(b"\0")
    git("add", ".")
    before = git("write-tree").strip()
    (tmp_path / "changed ä").write_text(text("changed ä", first=1))
    (tmp_path / "run").chmod(0o755)
    (tmp_path / "moved away").rename(tmp_path / "b/moved\there")
    (tmp_path / "moved and changed").unlink()
    (tmp_path / 'a"b').write_text(text("moved and changed", first=1))
    (tmp_path / "copied").write_text(text("copied", first=1))
    (tmp_path / "copy").write_text(text("copied"))
    (tmp_path / "gone").unlink()
    (tmp_path / "new").write_text("a")
    (tmp_path / "new and empty").touch()
    (tmp_path / "link").symlink_to("new")
    (tmp_path / "b/binary").write_bytes(b"\0\0")
    git("add", ".")
    diff = git(*settings, "diff", "--cached", "-M", "-C", "--find-copies-harder", *options, before)
    sections, end = read(diff)
    assert end == diff.rstrip("\n").count("\n") + 1
    assert {
        (section.action, section.path, section.to, section.copied_from, section.mode, section.problem)
        for section in sections
    } == {
        ("update", "changed ä", None, None, None, None),
        ("update", "copied", None, None, None, None),
        ("update", "run", None, None, 0o100755, None),
        ("update", "b/binary", None, None, None, "binary"),
        ("rename", "moved away", "b/moved\there", None, None, None),
        ("rename", "moved and changed", 'a"b', None, None, None),
        ("create", "copy", None, "copied", None, None),
        ("create", "new", None, None, 0o100644, None),
        ("create", "new and empty", None, None, 0o100644, None),
        ("create", "link", None, None, 0o120000, "not_a_file"),
        ("delete", "gone", None, None, None, None),
    }
    assert {section.path: section.content for section in sections if section.content is not None} == {
        "new": "a",
        "new and empty": "",
    }


@pytest.mark.parametrize(
    ("line", "next_line", "expected"),
    [
        ("diff --git a/x b/x", None, True),
        ("diff --cc x", None, True),
        ("diff --combined x", None, True),
        ("diff -u x y", "--- x", False),
        ("--- a/x", "+++ b/x", True),
        ("--- a/x", None, False),
        ("---", "+++ b/x", False),
        ("Index: x", "=====", True),
        ("Index: x", "=====\r", True),
        ("Index: x", "== x", False),
        ("Index: x", "=== x", False),
        ("@@ -1 +1 @@", None, False),
        ("Text", "Text", False),
    ],
)
def test_a_diff_begins_with_its_header(line: str, next_line: str | None, *, expected: bool) -> None:
    assert unified.begins(line, next_line) is expected


@pytest.mark.parametrize(("line", "expected"), [("@@", True), ("@@ -1 +1 @@", True), ("@@@ -1", True), ("@@x", False)])
def test_a_fenced_diff_begins_with_a_hunk_too(line: str, *, expected: bool) -> None:
    assert unified.begins(line, None, fenced=True) is expected


def test_added_lines_after_the_counted_ones_may_be_a_list() -> None:
    lines = ("@@ -1 +1 @@", "-a", "+b", "+ c")
    (section,), _ = read(text_of(*HEAD, *lines))
    assert section.hunks == (Hunk(3, (Split("a\n", "b\n"), Split("a\n", "b\n c\n")), (), 1, likely=1),)
    (fenced,), _ = read(text_of(*HEAD, *lines, "```"), "```")
    assert fenced.hunks == (hunk(3, "a\n", "b\n c\n", at=1),)


def test_a_last_line_without_an_ending_may_be_truncated() -> None:
    text = text_of(*HEAD, "@@ -1,2 +1,2 @@", " a", "-b")
    (section,), _ = read(f"{text}+c")
    assert section.problem == "no_end"
    (whole,), _ = read(f"{text}+c\n")
    assert whole.hunks == (hunk(3, "a\nb\n", "a\nc\n", at=1),)


@pytest.mark.parametrize("head", [HEAD, ()], ids=["with a header", "without"])
def test_in_a_fence_hunks_need_no_header(head: tuple[str, ...]) -> None:
    (section,), _ = read(text_of(*head, " a", "-b", "+c", "```"), "```")
    assert section.hunks == (hunk(len(head) + 1, "a\nb\n", "a\nc\n"),)


def test_a_truncated_new_name_is_not_a_name() -> None:
    text = text_of("diff --git a/x b/long", "similarity index 100%", "rename from x", "rename to lo")
    (section,), _ = read(text)
    assert section.problem == "no_end"
