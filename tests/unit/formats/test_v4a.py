"""Patches in the format of `apply_patch`."""

import pytest

from suture.formats import Block, Hunk, Source, Split, v4a
from tests.unit.formats.reading import feed, in_pieces


def read(text: str, fence: str | None = None, at: int = 0, step: int = 0) -> tuple[list[Block], int]:
    """The blocks of a text that arrives in pieces, and the first line after them."""
    return feed(v4a.read, in_pieces(text, step), fence, at)


def block(action: str, line: int, end_line: int, path: str | None, **more: object) -> Block:
    return Block(0, "v4a", action, line, end_line, path).evolve(**{"path_as_written": path, **more})


def hunk(line: int, old: str, new: str, *context: str, at: int | None = None, at_end: bool = False) -> Hunk:
    return Hunk(line, (Split(old, new),), context, at, at_end)


def patch(*lines: str, begin: str = "*** Begin Patch", end: str = "*** End Patch") -> str:
    return "\n".join([begin, *lines, end, ""])


CHANGE = hunk(3, "a\n", "b\n")

SECTIONS = {
    "a new file": (patch("*** Add File: x.py", "+a", "+", "++b"), [block("create", 2, 5, "x.py", content="a\n\n+b\n")]),
    "a new file that is empty": (patch("*** Add File: x.py"), [block("create", 2, 2, "x.py", content="")]),
    "an empty line in a new file is one, but not at its end": (
        patch("*** Add File: x.py", "+a", "", "+b", "", ""),
        [block("create", 2, 5, "x.py", content="a\n\nb\n")],
    ),
    "a new file without any plus": (
        patch("*** Add File: x.py", "def f():", "    pass", "", "- x", "*** Delete File: y"),
        [block("create", 2, 6, "x.py", content="def f():\n    pass\n\n- x\n"), block("delete", 7, 7, "y")],
    ),
    "a new file with some": (
        patch("*** Add File: x.py", "+def f():", "    pass"),
        [block("create", 2, 4, "x.py", problem="not_a_hunk")],
    ),
    "a new file with a strange marker": (
        patch("*** Add File: x.py", "a", "*** Mode: 755"),
        [block("create", 2, 4, "x.py", problem="not_a_hunk")],
    ),
    "a new file with an end of its own": (
        patch("*** Add File: x.py", "+a", "*** End of File"),
        [block("create", 2, 4, "x.py", content="a\n")],
    ),
    "a deletion": (patch("*** Delete File: x.py", ""), [block("delete", 2, 2, "x.py")]),
    "a deletion with lines": (
        patch("*** Delete File: x.py", "-a"),
        [block("delete", 2, 3, "x.py", problem="not_a_hunk")],
    ),
    "a change without a header": (
        patch("*** Update File: x.py", " a", "-b", "+c"),
        [block("update", 2, 5, "x.py", hunks=(hunk(3, "a\nb\n", "a\nc\n"),))],
    ),
    "a change without any hunk": (patch("*** Update File: x.py"), [block("update", 2, 2, "x.py", problem="empty")]),
    "headers without lines": (
        patch("*** Update File: x.py", "@@ def f():", "", "*** End of File"),
        [block("update", 2, 5, "x.py", hunks=(hunk(3, "\n", "\n", "def f():", at_end=True),))],
    ),
    "a header at the end": (
        patch("*** Update File: x.py", "-a", "@@ f"),
        [block("update", 2, 4, "x.py", hunks=(hunk(3, "a\n", ""),))],
    ),
    "only headers": (patch("*** Update File: x.py", "@@ f", ""), [block("update", 2, 3, "x.py", problem="empty")]),
    "a move": (
        patch("*** Update File: x.py", "*** Move to: y.py"),
        [block("rename", 2, 3, "x.py", to="y.py")],
    ),
    "a move with a change": (
        patch("*** Update File: x.py", "*** Move to: y.py", "@@", "-a", "+b"),
        [block("rename", 2, 6, "x.py", to="y.py", hunks=(hunk(4, "a\n", "b\n"),))],
    ),
    "several files": (
        patch("*** Update File: x", "-a", "+b", "*** Add File: y", "+a", "*** Delete File: z"),
        [
            block("update", 2, 4, "x", hunks=(CHANGE,)),
            block("create", 5, 6, "y", content="a\n"),
            block("delete", 7, 7, "z"),
        ],
    ),
    "a patch without files": (patch(""), [block("update", 1, 1, None, problem="empty")]),
    "a line above the first file": (
        patch("*** Patch File: x", "-a", "*** Delete File: y"),
        [block("update", 1, 3, None, problem="not_a_hunk"), block("delete", 4, 4, "y")],
    ),
    "a marker without its path": (
        patch("*** Update File: x", "-a", "+b", "*** Update File:", "@@", "-c"),
        [block("update", 2, 7, "x", problem="not_a_hunk")],
    ),
}


@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_is_a_block(name: str) -> None:
    text, expected = SECTIONS[name]
    assert read(text) == (expected, text.count("\n"))
    assert read(text, step=1) == (expected, text.count("\n"))


HUNKS = {
    "two": (["@@", " a", "-b", "@@", "+c"], [hunk(3, "a\nb\n", "a\n"), hunk(6, "", "c\n")]),
    "context": (["@@ def f():", "-a", "+b"], [hunk(3, "a\n", "b\n", "def f():")]),
    "context that is indented": (["@@     def f():", "-a", "+b"], [hunk(3, "a\n", "b\n", "    def f():")]),
    "context that is closed": (["@@ def f(): @@", "-a", "+b"], [hunk(3, "a\n", "b\n", "def f():")]),
    "context at several levels": (
        ["@@ class A:", "@@ def f():", "", "@@", "-a", "+b"],
        [hunk(3, "a\n", "b\n", "class A:", "def f():")],
    ),
    "numbers": (["@@ -7,2 +7,3 @@ def f():", "-a", "+b"], [hunk(3, "a\n", "b\n", at=7).evolve(section="def f():")]),
    "numbers behind context": (["@@ class A:", "@@ -7 +7 @@", "-a", "+b"], [hunk(3, "a\n", "b\n", "class A:", at=7)]),
    "an insertion behind a line": (["@@ -7,0 +8 @@", "+b"], [hunk(3, "", "b\n", at=7)]),
    "an insertion with numbers that show a line": (["@@ -7,1 +7,2 @@", "+b"], [hunk(3, "", "b\n")]),
    "empty lines inside": (["@@", " a", "", "-b"], [hunk(3, "a\n\nb\n", "a\n\n")]),
    "empty lines first": (["@@", "", "-b"], [hunk(3, "\nb\n", "\n")]),
    "empty lines at the end": (["@@", "-a", "", "", "@@", "-b", ""], [hunk(3, "a\n", ""), hunk(7, "b\n", "")]),
    "empty context at the end": (["@@", "-a", " "], [hunk(3, "a\n\n", "\n")]),
    "no prefix": (["@@", "def f():", "-a"], [hunk(3, "def f():\na\n", "def f():\n")]),
    "no header of any kind": (["@@count = 0", "-a"], [hunk(3, "@@count = 0\na\n", "@@count = 0\n")]),
    "stars": (["@@", "***", "-*** x", "+*** End Patch"], [hunk(3, "***\n*** x\n", "***\n*** End Patch\n")]),
    "the end of the file": (["@@", "-a", "", "*** End of File"], [hunk(3, "a\n\n", "\n", at_end=True)]),
    "the end of the file, and more": (
        ["-a", "*** End of File", "-b", "*** End of File"],
        [hunk(3, "a\n", "", at_end=True), hunk(5, "b\n", "", at_end=True)],
    ),
    "the end of the file twice": (["-a", "*** end of file ", "*** End of File"], [hunk(3, "a\n", "", at_end=True)]),
    "no newline": (["-a", "+b", "\\ No newline at end of file"], [hunk(3, "a\n", "b")]),
}


@pytest.mark.parametrize("name", HUNKS)
def test_a_hunk_is_read(name: str) -> None:
    lines, expected = HUNKS[name]
    (section,), _ = read(patch("*** Update File: x", *lines))
    assert (list(section.hunks), section.problem) == (expected, None)
    assert section.line == 2


SPOILED = {
    "in the first hunk": (["-a", "*** Rename: y", "@@", "-b"], [block("update", 2, 6, "x", problem="not_a_hunk")]),
    "in the second hunk": (
        ["-a", "", "@@ f", "-b", "*** Rename: y", "*** Rename: z"],
        [block("update", 2, 3, "x", hunks=(hunk(3, "a\n", ""),)), block("update", 5, 8, "x", problem="not_a_hunk")],
    ),
    "between hunks": (
        ["-a", "*** End of File", "*** Rename: y"],
        [
            block("update", 2, 4, "x", hunks=(hunk(3, "a\n", "", at_end=True),)),
            block("update", 5, 5, "x", problem="not_a_hunk"),
        ],
    ),
    "by a move that comes late": (["-a", "*** Move to: y"], [block("update", 2, 4, "x", problem="not_a_hunk")]),
    "by a line behind the last one": (
        ["+a", "\\ No newline at end of file", "+b"],
        [block("update", 2, 5, "x", problem="not_a_hunk")],
    ),
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_section_may_be_unusable_from_a_hunk_on(name: str) -> None:
    lines, expected = SPOILED[name]
    assert read(patch("*** Update File: x", *lines))[0] == expected


UPDATED = [block("update", 2, 4, "x", hunks=(CHANGE,))]
MARKERS = {
    "spaces behind": patch("*** Update File: x  ", "-a", "+b", begin="*** Begin Patch ", end="*** End Patch  "),
    "upper case": patch("*** UPDATE FILE: x", "-a", "+b", begin="*** BEGIN PATCH", end="*** END PATCH"),
    "lower case": patch("*** update file:x", "-a", "+b", begin="*** begin patch", end="*** end patch"),
}


@pytest.mark.parametrize("name", MARKERS)
def test_markers_may_be_written_differently(name: str) -> None:
    assert read(MARKERS[name]) == (UPDATED, 5)


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("`src/a b.py`", "src/a b.py"),
        ('"a.py"', "a.py"),
        ("'a.py'", "a.py"),
        ("src\\a.py", "src/a.py"),
        ("`a`.py", "`a`.py"),
        ('""', '""'),
    ],
)
def test_paths_may_be_quoted_and_have_backslashes(written: str, path: str) -> None:
    text = patch(f"*** Update File: {written}", f"*** Move to: {written}")
    assert read(text)[0] == [block("rename", 2, 3, path, path_as_written=written, to=path)]


def test_a_patch_that_is_indented_loses_its_indentation() -> None:
    lines = ["*** Begin Patch", "*** Update File: x", " a", "", "-  b", "*** End of File", "*** End Patch", ""]
    text = "\n".join(f"  {line}" if line else line for line in lines)
    expected = block("update", 2, 6, "x", hunks=(hunk(3, "a\n\n  b\n", "a\n\n", at_end=True),))
    assert read(text) == ([expected], 7)


def test_only_markers_are_indented() -> None:
    text = "  *** Begin Patch\n  *** Update File: x\n@@\n   a\n-b\n  *** End Patch\n"
    assert read(text)[0] == [block("update", 2, 5, "x", hunks=(hunk(3, "  a\nb\n", "  a\n"),))]


@pytest.mark.parametrize(("fence", "closing"), [("```", "```"), ("```", "````  "), ("~~~~", "~~~~")])
def test_the_fence_may_end_a_patch(fence: str, closing: str) -> None:
    text = f"*** Begin Patch\n*** Update File: x\n-a\n+b\n{closing}\nx"
    assert read(text, fence) == (UPDATED, 4)


def test_a_fence_in_the_text_does_not() -> None:
    text = patch("*** Update File: x", " ```", "-~~~", "```py")
    assert read(text, "```")[0][0].hunks == (hunk(3, "```\n~~~\n```py\n", "```\n```py\n"),)


def test_a_new_file_without_any_plus_may_contain_a_fence() -> None:
    text = "*** Begin Patch\n*** Add File: x\na\n```\nb\n```\n*** End Patch\n```\n"
    assert read(text, "```") == ([block("create", 2, 3, "x", problem="no_end")], 3)
    assert read("*** Add File: x\na\n```\n", "```") == ([block("create", 1, 2, "x", content="a\n")], 2)


@pytest.mark.parametrize(
    ("command", "end"),
    [
        ("apply_patch <<'EOF'", "EOF"),
        ('apply_patch <<"PATCH"', "PATCH"),
        ("apply_patch << EOF", "EOF"),
        ("apply_patch <<-EOF", "EOF"),
        ("cat <<'EOF' | apply_patch", "EOF"),
    ],
)
def test_a_here_document_may_end_a_patch(command: str, end: str) -> None:
    text = f"{command}\n*** Begin Patch\n*** Delete File: x\n{end}\nx\n"
    assert read(text, at=1) == ([block("delete", 3, 3, "x")], 3)


def test_the_delimiter_of_a_here_document_is_text_outside_one() -> None:
    text = f"Text:\n{patch('*** Update File: x', 'EOF', '-a')}"
    assert read(text, at=1)[0][0].hunks == (hunk(4, "EOF\na\n", "EOF\n"),)


BARE = {
    "may be cut off at the end of the reply": ("*** Update File: x\n-a\n+b", None, 3, [()], "no_end"),
    "ends before a text": (
        "*** Update File: x\n@@ f\n-a\n\n+b\n\nText",
        None,
        6,
        [(hunk(2, "a\n\n", "\nb\n", "f"),)],
        None,
    ),
    "ends at the end of the patch": (
        "*** Update File: x\n-a\n*** End Patch\nx",
        None,
        3,
        [(hunk(2, "a\n", ""),)],
        None,
    ),
    "ends before a patch": ("*** Update File: x\n-a\n*** Begin Patch\nx", None, 2, [(hunk(2, "a\n", ""),)], None),
    "ends before another marker": ("*** Update File: x\n-a\n*** Other\nx", None, 2, [(hunk(2, "a\n", ""),)], None),
    "ends with the fence": ("*** Update File: x\n-a\nb\n```\n", "```", 3, [(hunk(2, "a\nb\n", "b\n"),)], None),
    "does not end without the fence": ("*** Update File: x\n-a\n", "```", 2, [()], "no_end"),
    "is cut behind a header": ("*** Update File: x\n-a\n@@ b\n", None, 3, [(hunk(2, "a\n", ""),), ()], "no_end"),
    "is moved": ("*** Update File: x\n*** Move to: y\nText", None, 2, [()], None),
    "is deleted": ("*** Delete File: x\n\n-a", None, 2, [()], None),
    "is deleted before the fence": ("*** Delete File: x\n```\n", "```", 1, [()], None),
    "is deleted at an end without a fence": ("*** Delete File: x", "```", 1, [()], "no_end"),
    "is several": (
        "*** Update File: x\n-a\n\n*** Update File: y\n-a\n\nText",
        None,
        6,
        [(hunk(2, "a\n", ""),), (hunk(5, "a\n", ""),)],
        None,
    ),
}


@pytest.mark.parametrize("name", BARE)
def test_a_section_without_a_patch_around_it(name: str) -> None:
    text, fence, end, hunks, problem = BARE[name]
    for step in (0, 1):
        sections, after = read(text, fence, step=step)
        assert ([section.hunks for section in sections], sections[-1].problem, after) == (hunks, problem, end)


def test_a_new_file_without_a_patch_around_it() -> None:
    assert read("*** Add File: x\n+a\n\n+b\nText") == ([block("create", 1, 4, "x", content="a\n\nb\n")], 4)
    assert read("*** Add File: x\nText") == ([block("create", 1, 1, "x", problem="empty")], 1)


def test_a_patch_ends_before_the_next_one() -> None:
    text = "*** Begin Patch\n*** Delete File: x\n*** Begin Patch\n*** Delete File: y\n"
    assert read(text) == ([block("delete", 2, 2, "x", problem="no_end")], 2)
    assert read("*** Begin Patch\n*** Begin Patch\n") == ([block("update", 1, 1, None, problem="no_end")], 1)


SAMPLE = patch(
    "*** Add File: new.py",
    "+a",
    "+b",
    "*** Update File: x.py",
    "*** Move to: y.py",
    "@@ class A:",
    " c",
    "-d",
    "+e",
    "",
    "@@ f",
    "-g",
    "*** End of File",
    "*** Delete File: z.py",
)


NEW = block("create", 2, 4, "new.py", content="a\nb\n")
MOVED = block("rename", 5, 10, "x.py", to="y.py", hunks=(hunk(7, "c\nd\n", "c\ne\n", "class A:"),))
MOVED_ALL = MOVED.evolve(end_line=14, hunks=(*MOVED.hunks, hunk(12, "g\n", "", "f", at_end=True)))
UNFINISHED = MOVED.evolve(hunks=(), problem="no_end")
CUT = {
    1: [block("update", 1, 1, None, problem="no_end")],
    **{number: [NEW.evolve(end_line=number, content=None, problem="no_end")] for number in (2, 3, 4)},
    5: [NEW, block("update", 5, 5, "x.py", problem="no_end")],
    **{number: [NEW, UNFINISHED.evolve(end_line=min(number, 10))] for number in range(6, 12)},
    12: [NEW, MOVED, UNFINISHED.evolve(line=12, end_line=12)],
    13: [NEW, MOVED, UNFINISHED.evolve(line=12, end_line=13)],
    14: [NEW, MOVED_ALL, UNFINISHED.evolve(line=14, end_line=14)],
    15: [NEW, MOVED_ALL, block("delete", 15, 15, "z.py", problem="no_end")],
}


@pytest.mark.parametrize("lines", CUT)
@pytest.mark.parametrize("fence", [None, "```"])
def test_a_truncated_patch_keeps_what_is_complete(lines: int, fence: str | None) -> None:
    text = "".join(f"{line}\n" for line in SAMPLE.split("\n")[:lines])
    assert read(text, fence) == (CUT[lines], lines)


def test_a_marker_may_be_truncated() -> None:
    text = "*** Begin Patch\n*** Update File: x\n-a\n*** End Pat"
    assert read(text)[0] == [block("update", 2, 4, "x", problem="no_end")]


def test_line_endings_of_the_reply_are_not_those_of_the_file() -> None:
    text = patch("*** Add File: x", "+a", "", "+b", "*** Update File: y", "-a", "", "+b").replace("\n", "\r\n")
    expected = [
        block("create", 2, 5, "x", content="a\n\nb\n"),
        block("update", 6, 9, "y", hunks=(hunk(7, "a\n\n", "\nb\n"),)),
    ]
    assert read(text) == (expected, 10)
    assert read(text, step=1) == (expected, 10)


def test_a_carriage_return_in_another_reply_is_text() -> None:
    text = patch("*** Add File: x", "+a\r", "\r", "+b\r", "\r", "*** Update File: y", "-a\r", "\r", "+b")
    assert read(text)[0] == [
        block("create", 2, 5, "x", content="a\r\n\r\nb\r\n"),
        block("update", 7, 10, "y", hunks=(hunk(8, "a\r\n\r\n", "\r\nb\n"),)),
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("*** Begin Patch", True),
        ("*** Begin Patch\r", True),
        ("   *** begin patch", True),
        ("*** Add File: x", True),
        ("*** Update File: x", True),
        ("*** Delete File: x", True),
        ("*** Delete File:", False),
        ("*** Begin Patch: x", False),
        ("*** End Patch", False),
        ("*** Move to: x", False),
        ("***", False),
        ("+*** Begin Patch", False),
        ("Text", False),
        ("", False),
    ],
)
def test_a_patch_begins_with_its_marker_or_that_of_a_file(line: str, *, expected: bool) -> None:
    assert (v4a.begin(Source.of(f"{line}\n"), 0) is not None) is expected
