"""Changes written in every format are read as intended, whatever their lines and however they are chunked."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suture import ReplyParser, parse_reply
from suture.formats import Block, Split
from suture.formats.search_replace import marker

PATHS = ["src/a.py", "b/größe.md", "Makefile", "dir with space/x.txt", "deep/er/still.tsx", "a/b.c", "日本.json"]
PROSE = [
    "Now the next one.",
    "1. First: do that, then this.",
    "- a point",
    "> a quote",
    "***",
    "---",
    "It's `done`, I think.",
    "Note: nothing else changes.",
    "",
    "x < y > z == 7",
]
LOOKALIKES = [
    "<<<<<<< SEARCH",
    "=======",
    ">>>>>>> REPLACE",
    "<<<<<<< NEW_FILE",
    ">>>>>>> NEW_FILE",
    "*** Begin Patch",
    "*** End Patch",
    "*** Update File: z.py",
    "*** End of File",
    "@@",
    "@@ -1 +1 @@",
    "```",
    "```diff",
    "~~~",
    "--- a/z.py",
    "+++ b/z.py",
    "-- z",
    "++ z",
    "-",
    "+",
    "diff --git a/z b/z",
    "Index: z",
    "\\ No newline at end of file",
    "### File: z.py",
    "z.py",
    "EOF",
]
NESTED = "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE"

texts = st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=12)
plain_lines = st.sampled_from(["", " ", "\t", "    x = 1", "é", "a\x0cb", "c\u2028d"]) | texts
any_lines = plain_lines | st.sampled_from(LOOKALIKES)
contents = st.lists(any_lines, max_size=6)
"""Of formats that mark every line."""
markable = any_lines.filter(lambda line: marker(line) in {None, "separator"})
carried_lines = st.lists(markable | st.just(NESTED), max_size=6).map("\n".join).map(str.splitlines)
signed_lines = st.lists(st.tuples(st.sampled_from(" +- "), any_lines), min_size=1, max_size=8)


class Hunk(NamedTuple):
    """Lines with their signs, and the description of their place."""

    lines: Sequence[tuple[str, str]]
    at: int = 1
    name: str = ""
    at_end: bool = False
    unfinished: str = ""
    """The sides whose last line has no newline: `-`, `+`, both or none."""

    def side(self, sign: str) -> str:
        text = "".join(f"{line}\n" for mark, line in self.lines if mark in {" ", sign})
        return text[:-1] if sign in self.unfinished else text


class Change(NamedTuple):
    """The intended change of one file."""

    path: str
    hunks: Sequence[Hunk] = ()
    content: str | None = None
    to: str | None = None


Rendered = tuple[str, str, list[Change]]
"""The format, the part of the reply, and its meaning."""


def search_replace(change: Change, size: int) -> str:
    parts = []
    for hunk in change.hunks:
        old, new = hunk.side("-"), hunk.side("+")
        parts.append(f"{'<' * size} SEARCH\n{old}{'=' * size}\n{new}{'>' * size} REPLACE\n")
    return "\n".join(parts)


def new_file(change: Change, size: int) -> str:
    return f"{'<' * size} NEW_FILE\n{change.content}{'>' * size} NEW_FILE\n"


def v4a(changes: Sequence[Change]) -> str:
    parts = ["*** Begin Patch\n"]
    for change in changes:
        if change.content is not None:
            parts.append(f"*** Add File: {change.path}\n" + add_prefix("+", change.content))
            continue
        parts.append(f"*** Update File: {change.path}\n")
        parts += [f"*** Move to: {change.to}\n"] * bool(change.to)
        for hunk in change.hunks:
            parts.append(f"@@ {hunk.name}".rstrip() + "\n" + "".join(f"{mark}{line}\n" for mark, line in hunk.lines))
            parts += ["*** End of File\n"] * hunk.at_end
    return "".join([*parts, "*** End Patch\n"])


def unified(changes: Sequence[Change], *, git: bool) -> str:
    parts = []
    for change in changes:
        path, tab = change.path, "\t" * (" " in change.path)
        created = change.content is not None
        if git:
            parts.append(f"diff --git a/{path} b/{change.to or path}\n")
            parts += ["new file mode 100644\nindex 0000000..e69de29\n"] * created
            parts += [f"similarity index 60%\nrename from {path}\nrename to {change.to}\n"] * bool(change.to)
        if change.content != "":
            old, new = "/dev/null" if created else f"a/{path}", f"b/{change.to or path}"
            parts.append(f"--- {old}{tab}\n+++ {new}{tab}\n")
        if change.content:
            count = change.content.count("\n")
            parts.append(f"@@ -0,0 +1,{count} @@\n" + add_prefix("+", change.content))
        parts += map(unified_hunk, change.hunks)
    return "".join(parts)


def unified_hunk(hunk: Hunk) -> str:
    marks = [mark for mark, _ in hunk.lines]
    old, new = len(marks) - marks.count("+"), len(marks) - marks.count("-")
    parts = [f"@@ -{hunk.at},{old} +{hunk.at},{new} @@\n"]
    for number, (mark, line) in enumerate(hunk.lines):
        parts.append(f"{mark}{line}\n")
        sides = {"-": "-", "+": "+", " ": "-+"}[mark]
        last = [side for side in sides if not any(other in {" ", side} for other in marks[number + 1 :])]
        if any(side in hunk.unfinished for side in last):
            parts.append("\\ No newline at end of file\n")
    return "".join(parts)


def add_prefix(sign: str, text: str) -> str:
    return "".join(f"{sign}{line}\n" for line in text.split("\n")[:-1])


def join(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


@st.composite
def block_parts(draw: st.DrawFn) -> Rendered:
    """SEARCH/REPLACE blocks or a new file, below the name of their file."""
    path, size = draw(st.sampled_from(PATHS)), draw(st.integers(5, 9))
    if draw(st.booleans()):
        change = Change(path, content=join(draw(carried_lines)))
        name, text = "new_file", new_file(change, size)
    else:
        sides = draw(st.lists(st.tuples(carried_lines, carried_lines), min_size=1, max_size=3))
        hunks = [Hunk([*(("-", line) for line in old), *(("+", line) for line in new)]) for old, new in sides]
        change = Change(path, hunks)
        name, text = "search_replace", search_replace(change, size)
    fence = draw(st.sampled_from(["", "", "```", "~~~~"]))
    if fence:
        text = f"{fence}\n{text}{fence}\n"
    bare = [] if " " in path else ["### `{}`\n", *["{}\n"] * (len(change.hunks) < 2)]
    heading = draw(st.sampled_from(["### File: {}\n", "**File:** `{}`\n", "File: {}\n\n", *bare]))
    return name, heading.format(path) + text, [change]


@st.composite
def patch_parts(draw: st.DrawFn) -> Rendered:
    changes = []
    for path in draw(st.lists(st.sampled_from(PATHS), min_size=1, max_size=3, unique=True)):
        if draw(st.integers(0, 3)) == 0:
            changes.append(Change(path, content=join(draw(contents))))
            continue
        names = st.sampled_from(["", "", "class A:", "def f(self) -> None:"])
        hunk_data = draw(st.lists(st.tuples(signed_lines, names, st.booleans()), min_size=1, max_size=3))
        hunks = [Hunk(lines, name=name, at_end=at_end) for lines, name, at_end in hunk_data]
        changes.append(Change(path, hunks, to=draw(st.sampled_from([None, None, "moved/there.py"]))))
    return "v4a", add_fence(draw, v4a(changes), ""), changes


@st.composite
def diff_parts(draw: st.DrawFn) -> Rendered:
    git = draw(st.booleans())
    changes = []
    for path in draw(st.lists(st.sampled_from(PATHS), min_size=1, max_size=3, unique=True)):
        if draw(st.integers(0, 3)) == 0:
            changes.append(Change(path, content=join(draw(st.lists(any_lines, min_size=not git, max_size=6)))))
            continue
        hunk_data = draw(st.lists(st.tuples(signed_lines, st.integers(1, 999)), min_size=1, max_size=3))
        hunks = [Hunk(lines, at) for lines, at in hunk_data]
        hunks[-1] = hunks[-1]._replace(unfinished=draw(st.sampled_from(["", *endable_sides(hunks[-1].lines)])))
        to = draw(st.sampled_from([None, None, "moved/there.py"])) if git else None
        changes.append(Change(path, hunks, to=to))
    return "unified", add_fence(draw, unified(changes, git=git), draw(st.sampled_from(["", "diff"]))), changes


def endable_sides(lines: Sequence[tuple[str, str]]) -> list[str]:
    """The sides of a hunk whose last lines may have no newline, and therefore end the file."""
    if lines[-1][0] == " ":
        return ["-+"] if lines[-1][1] else []
    last = {sign: [entry for entry in lines if entry[0] in {" ", sign}][-1:] for sign in "-+"}
    return [sign for sign, last_lines in last.items() if last_lines and last_lines[0][0] == sign and last_lines[0][1]]


def add_fence(draw: st.DrawFn, text: str, language: str) -> str:
    fence = draw(st.sampled_from(["", "", "```", "~~~~"]))
    return f"{fence}{language}\n{text}{fence}\n" if fence else text


parts = block_parts() | patch_parts() | diff_parts()
prose = st.lists(st.sampled_from(PROSE), max_size=3).map(lambda lines: join(["", *lines, ""]))
replies = st.lists(st.tuples(prose, parts), min_size=1, max_size=4)


def means(block: Block, change: Change) -> bool:
    """Whether a block means what was intended, in at least one reading."""
    if (block.path, block.to, block.problem, block.content) != (change.path, change.to, None, change.content):
        return False
    if block.format == "search_replace":
        [hunk] = block.hunks
        return Split(change.hunks[0].side("-"), change.hunks[0].side("+")) in hunk.splits
    actual = [(hunk.splits, hunk.context, hunk.at_end, hunk.at) for hunk in block.hunks]
    return actual == [
        (
            (Split(hunk.side("-"), hunk.side("+")),),
            (hunk.name,) if hunk.name else (),
            hunk.at_end,
            None if block.format == "v4a" else hunk.at,
        )
        for hunk in change.hunks
    ]


def expected(reply: Sequence[tuple[str, Rendered]]) -> list[tuple[str, Change]]:
    """The blocks of a reply; with SEARCH/REPLACE, each hunk is a block."""
    result = []
    for _, (name, _, changes) in reply:
        for change in changes:
            pieces = [change] if name != "search_replace" else [change._replace(hunks=[hunk]) for hunk in change.hunks]
            result += [(name, hunk) for hunk in pieces]
    return result


def render(reply: Sequence[tuple[str, Rendered]]) -> str:
    return "".join(before + text for before, (_, text, _) in reply) + "\nThat is all.\n"


def check(text: str, intended: Sequence[tuple[str, Change]]) -> None:
    blocks = parse_reply(text).blocks
    assert [block.format for block in blocks] == [name for name, _ in intended], text
    for block, (_, change) in zip(blocks, intended, strict=True):
        assert means(block, change), (text, block, change)


def chunks(text: str, sizes: Sequence[int]) -> list[str]:
    result, at = list[str](), 0
    while at < len(text):
        size = sizes[len(result) % len(sizes)]
        result.append(text[at : at + size])
        at += size
    return result


@pytest.mark.promise("reply.round-trip")
@settings(max_examples=50)
@given(replies)
def test_changes_in_any_format_are_read_as_they_were_meant(reply: list[tuple[str, Rendered]]) -> None:
    check(render(reply), expected(reply))


@settings(max_examples=50)
@given(replies)
def test_changes_are_the_same_in_a_reply_whose_lines_end_in_crlf(reply: list[tuple[str, Rendered]]) -> None:
    check(render(reply).replace("\n", "\r\n"), expected(reply))


@settings(max_examples=50)
@given(
    replies,
    st.lists(st.integers(1, 40), min_size=1, max_size=8),
    st.sampled_from([str, lambda text: text.replace("\n", "\r\n")]),
)
def test_a_reply_that_comes_in_pieces_is_read_as_one_that_comes_at_once(
    reply: list[tuple[str, Rendered]], sizes: list[int], change_endings: Callable[[str], str]
) -> None:
    text = change_endings(render(reply))
    parser = ReplyParser()
    blocks = [block for chunk in chunks(text, sizes) for block in parser.feed(chunk)]
    blocks += parser.close()
    whole = parse_reply(text)
    assert (tuple(blocks), parser.reply) == (whole.blocks, whole)


@settings(max_examples=50)
@given(replies, st.data())
def test_what_a_cut_reply_has_of_whole_blocks_is_what_the_whole_reply_has(
    reply: list[tuple[str, Rendered]], data: st.DataObject
) -> None:
    """A block may be missing or unusable, but a usable one never means anything else."""
    text = render(reply)
    cut = text[: data.draw(st.integers(0, len(text)))]
    whole = {block.line: block for block in parse_reply(text)}
    for block in parse_reply(cut):
        if block.problem is None and block.line in whole and block.end_line < cut.count("\n"):
            assert block.path == whole[block.line].path
            assert set(block.hunks) <= set(whole[block.line].hunks)
