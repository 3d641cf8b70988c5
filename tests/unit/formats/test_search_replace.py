"""SEARCH/REPLACE and NEW_FILE blocks: their markers, where they end, how they can be split."""

import pytest

from suture.formats import Block, Split
from suture.formats.reply import parse_reply
from suture.formats.search_replace import marker, path_after_marker

MARKERS = {
    "<<<<<<< SEARCH": "search",
    "<<<<< SEARCH": "search",
    "<<<<<<<<< SEARCH": "search",
    "<<<< SEARCH": None,
    "<<<<<<<<<< SEARCH": None,
    "<<<<<<< SEARCH   ": "search",
    "   <<<<<<< SEARCH": "search",
    "<<<<<<<SEARCH": "search",
    "<<<<<<< search": "search",
    "<<<<<<< SEARCH:": "search",
    "<<<<<<< SEARCH src/app.py": "search",
    "<<<<<<< SEARCHES": None,
    "<<<<<<< SEARCH_ME": None,
    "<<<<<<< HEAD": None,
    "<<<<<<< NEW_FILE": "new_file",
    "<<<<<<< NEW_FILE notes.md": "new_file",
    ">>>>>>> NEW_FILE": "end_of_file",
    ">>>>>>> REPLACE": "replace",
    ">>>>>>> REPLACE```": "replace",
    ">>>>>>> REPLACE the text": None,
    ">>>>>>> main": None,
    "=======": "separator",
    "===== ": "separator",
    "=========": "separator",
    "====": None,
    "==========": None,
    "======= x": None,
    "x =======": None,
    "": None,
}


@pytest.mark.parametrize(("line", "kind"), MARKERS.items(), ids=[repr(marker) for marker in MARKERS])
def test_a_marker_is_a_whole_line(line: str, kind: str | None) -> None:
    assert marker(line) == kind


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("<<<<<<< SEARCH", ""),
        ("<<<<<<< SEARCH `src/a b.py`", "src/a b.py"),
        ("<<<<<<< NEW_FILE: x.py", "x.py"),
        ("<<<<<<< search x", "x"),
    ],
)
def test_a_path_may_follow_the_marker(line: str, path: str) -> None:
    assert path_after_marker(line) == path


def block(old: str, new: str, size: int = 7, lead: str = "") -> str:
    lines = ["<" * size + " SEARCH", *old.split("\n")[:-1], "=" * size, *new.split("\n")[:-1], ">" * size + " REPLACE"]
    return "".join(f"{lead}{line}\n" for line in lines)


AB = block("a\n", "b\n")
BC = block("b\n", "c\n")
CD = block("c\n", "d\n")
DE = block("d\n", "e\n")
NB = block("", "b\n")


def only_block(text: str) -> Block:
    (block,) = parse_reply(text)
    return block


def splits(block: Block) -> list[tuple[str, str]]:
    (hunk,) = block.hunks
    return [(split.old, split.new) for split in hunk.splits]


PARTS = {
    "one line each": ("a\n", "b\n"),
    "nothing to put in": ("a\n", ""),
    "nothing to find": ("", "b\n"),
    "blank lines": ("\na\n\n", "\n"),
    "white space at the ends of lines": ("a \n\tb\t\n", "  \n"),
    "what looks like a fence": ("```\na\n```\n", "~~~\n"),
    "what looks like other markers": ("<<<<<<< HEAD\na\n>>>>>>> main\n", "*** Begin Patch\n@@ -1 +1 @@\n"),
    "a separator that is too long": ("==========\n", "a\n====\n"),
    "a character that some take for a line end": ("a\u2028b\x0cc\n", "\x85\n"),
}


@pytest.mark.parametrize(("old", "new"), PARTS.values(), ids=PARTS)
@pytest.mark.parametrize("size", [5, 7, 9])
def test_the_two_parts_are_taken_as_they_are(old: str, new: str, size: int) -> None:
    assert splits(only_block(f"a.py\n{block(old, new, size)}")) == [(old, new)]


def test_a_reply_with_windows_line_endings_has_the_same_blocks() -> None:
    text = "a.py\n" + block("a\n\nb\n", "c\n") + "\nb.py\n<<<<<<< NEW_FILE\nx\n>>>>>>> NEW_FILE\n"
    plain, windows = parse_reply(text), parse_reply(text.replace("\n", "\r\n"))
    assert windows == plain


def test_a_carriage_return_inside_a_block_of_a_plain_reply_is_content() -> None:
    assert splits(only_block(block("a\r\n", "b\r\n"))) == [("a\r\n", "b\r\n")]


def test_the_lines_of_an_indented_block_are_taken_without_its_indentation() -> None:
    assert splits(only_block("1. In `a.py`:\n" + block("a\n\n  b\n", "c\n", lead="   "))) == [("a\n\n  b\n", "c\n")]


def test_lines_that_lack_the_indentation_of_their_markers_stay_as_they_are() -> None:
    assert splits(only_block("  <<<<<<< SEARCH\n  a\n b\n  =======\n  c\n  >>>>>>> REPLACE\n")) == [
        ("  a\n b\n", "  c\n")
    ]


def test_every_separator_is_a_way_to_split_the_block() -> None:
    text = "<<<<<<< SEARCH\nTitle\n=====\nText\n=======\nHeading\n=======\n>>>>>>> REPLACE\n"
    assert splits(only_block(text)) == [
        ("Title\n=====\nText\n", "Heading\n=======\n"),
        ("Title\n=====\nText\n=======\nHeading\n", ""),
        ("Title\n", "Text\n=======\nHeading\n=======\n"),
    ]


def test_an_end_of_another_length_ends_a_block_if_no_better_one_follows() -> None:
    text = "<<<<<<<<< SEARCH\na\n=========\nb\n>>>>>>> REPLACE\n"
    assert splits(only_block(f"{text}>>>>>>>>> REPLACE\n")) == [("a\n", "b\n>>>>>>> REPLACE\n")]
    first, second = parse_reply(f"{text}{AB}")
    assert (splits(first), splits(second)) == ([("a\n", "b\n")], [("a\n", "b\n")])
    assert splits(only_block(text)) == [("a\n", "b\n")]


def test_markers_of_another_length_in_the_content_are_content() -> None:
    inner = "<<<<<<< SEARCH\nx\n"
    assert splits(only_block(block(inner, "y\n", size=9))) == [(inner, "y\n")]
    inner = "<<<<< SEARCH\n<<<<<<< SEARCH\n>>>>>> REPLACE\n"
    assert splits(only_block(block("a\n", inner, size=9))) == [("a\n", inner)]


def test_a_conflict_in_the_content_is_content() -> None:
    conflict = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n"
    assert splits(only_block(block(conflict, "a\n"))) == [
        ("<<<<<<< HEAD\na\n", "b\n>>>>>>> main\n=======\na\n"),
        (conflict, "a\n"),
    ]


def test_a_block_in_the_content_is_content() -> None:
    inner = block("x\n", "y\n")
    assert splits(only_block(block("text\n", f"text\n{inner}"))) == [("text\n", f"text\n{inner}")]
    assert splits(only_block(block(inner, ""))) == [(inner, "")]


def test_if_there_are_many_separators_those_of_the_right_length_count() -> None:
    headings = "".join(f"{number}\n=====\n" for number in range(30))
    assert splits(only_block(block(headings, "a\n"))) == [(headings, "a\n")]
    lines = "=======\n" * 30
    assert only_block(block(lines, "")).problem == "many_separators"


PROBLEMS = {
    "cut before the separator": ("<<<<<<< SEARCH\na\n", ["no_end"]),
    "cut behind the separator": ("<<<<<<< SEARCH\na\n=======\nb\n", ["no_end"]),
    "only a marker": ("<<<<<<< SEARCH", ["no_end"]),
    "a new file that is cut": ("<<<<<<< NEW_FILE\na\n", ["no_end"]),
    "no separator": ("<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", ["no_separator"]),
    "no beginning": ("a\n=======\nb\n>>>>>>> REPLACE\n", ["no_start"]),
    "no end, and then another block": (f"<<<<<<< SEARCH\na\n=======\nb\n\n{CD}", ["no_end", None]),
    "no separator, and then another block": (f"<<<<<<< SEARCH\na\n{CD}", ["no_end", None]),
    "no ends at all": ("<<<<<<< SEARCH\na\n=======\n" * 3, ["no_end"] * 3),
    "a new file without an end, and then a block": (f"<<<<<<< NEW_FILE\na\n{CD}", ["no_end", None]),
    "a block without an end, and then a new file": (
        "<<<<<<< SEARCH\na\n=======\nb\n<<<<<<< NEW_FILE\nc\n>>>>>>> NEW_FILE\n",
        ["no_end", None],
    ),
    "a block without an end in a new file": ("<<<<<<< NEW_FILE\n<<<<<<< SEARCH\n>>>>>>> NEW_FILE\n", [None]),
    "an end for something else": ("<<<<<<< SEARCH\na\n>>>>>>> NEW_FILE\n", ["no_end"]),
    "an end twice": (f"{CD}\n>>>>>>> REPLACE\n", [None]),
    "an end that nothing began": ("text\n>>>>>>> REPLACE\n", []),
    "a new file ends twice": ("<<<<<<< NEW_FILE\n>>>>>>> NEW_FILE\ntext\n>>>>>>> REPLACE\n", [None]),
}


@pytest.mark.parametrize(("text", "problems"), PROBLEMS.values(), ids=PROBLEMS)
def test_a_damaged_block_is_named_and_the_others_are_read(text: str, problems: list[str | None]) -> None:
    assert [block.problem for block in parse_reply(text)] == problems


def test_a_block_after_one_without_an_end_may_be_its_content() -> None:
    first, second, third = parse_reply(f"<<<<<<< SEARCH\na\n{BC}{DE}")
    assert (first.problem, splits(second), splits(third)) == ("no_end", [("b\n", "c\n")], [("d\n", "e\n")])
    assert [block.hunks[0].inner for block in (second, third)] == [True, False]


def test_text_between_two_ends_may_belong_to_the_block() -> None:
    first, stray = parse_reply(f"{AB}c\n>>>>>>> REPLACE\n")
    assert (first.problem, stray.problem, stray.doubts) == (None, "no_start", 1)


@pytest.mark.parametrize("between", ["```\ntext\n", "text\n=======\ntext\n"])
def test_a_fence_or_a_separator_shows_that_the_block_has_ended(between: str) -> None:
    blocks = parse_reply(f"```\n{AB}{between}>>>>>>> REPLACE\n")
    assert [block.doubts for block in blocks] == [None] * len(blocks)


def test_a_new_file_is_everything_between_its_markers() -> None:
    content = "a\n=======\n<<<<<<< SEARCH\n\n```\n"
    block = only_block(f"x.md\n<<<<<<< NEW_FILE\n{content}>>>>>>> NEW_FILE\n")
    assert (block.format, block.action, block.path, block.content) == ("new_file", "create", "x.md", content)


def test_a_block_has_its_number_and_its_lines() -> None:
    first, second = parse_reply(f"a.py\n{AB}\n{NB}")
    assert [(block.number, block.line, block.end_line, block.action) for block in (first, second)] == [
        (1, 2, 6, "update"),
        (2, 8, 11, "create"),
    ]
    assert first.hunks[0].splits == (Split("a\n", "b\n"),)


def test_a_remark_after_a_marker_is_not_a_path() -> None:
    block = only_block("a.py\n<<<<<<< SEARCH (line 1)\na\n=======\nb\n>>>>>>> REPLACE  # done\n")
    assert (block.path, splits(block)) == ("a.py", [("a\n", "b\n")])


def test_the_markers_of_other_tools_are_read() -> None:
    text = "a.py\n------- SEARCH\n:start_line:7\n-------\na\n=======\nb\n+++++++ REPLACE\n"
    assert splits(only_block(text)) == [("a\n", "b\n")]
    text = "a.py\n<<<<<<< SEARCH\n:start_line:7\n:end_line:9\n-------\na\n=======\nb\n>>>>>>> REPLACE\n"
    assert splits(only_block(text)) == [("a\n", "b\n")]
    assert splits(only_block("<<<<<<< SEARCH\n:start_line:7\na\n=======\n>>>>>>> REPLACE\n")) == [("a\n", "")]


HINTS = {
    ":start_line:7\n-------\na\n": ("a\n", 7),
    ":start_line: 7\na\n": ("a\n", 7),
    ":start_line:7\n:end_line:8\n-------\na\n": ("a\n", 7),
    ":end_line:8\n-------\na\n": ("a\n", None),
    ":start_line:x\na\n": (":start_line:x\na\n", None),
    ":start_line:7\n:end_line:\n": (":end_line:\n", 7),
    ":start_line:7\n": ("", 7),
    "a\n:start_line:7\n": ("a\n:start_line:7\n", None),
}


@pytest.mark.parametrize(("search", "expected"), HINTS.items(), ids=HINTS)
def test_the_number_of_a_line_is_a_hint(search: str, expected: tuple[str, int | None]) -> None:
    hunk = only_block(f"<<<<<<< SEARCH\n{search}=======\nb\n>>>>>>> REPLACE\n").hunks[0]
    assert (hunk.splits[0].old, hunk.near, hunk.at) == (*expected, None)


def test_a_number_after_the_marker_is_a_hint() -> None:
    for marked, near in {"line=42": 42, 'line="42"': 42, "line=x": None, "(line 42)": None}.items():
        hunk = only_block(f"a.py\n<<<<<<< SEARCH {marked}\na\n=======\nb\n>>>>>>> REPLACE\n").hunks[0]
        assert (hunk.splits[0].old, hunk.near) == ("a\n", near)


ESCAPED = "\\<<<<<<< HEAD\n\\=======\n \\=======\n\\>>>>>>> x\n\\:start_line:1\n"
PLAIN = "<<<<<<< HEAD\n=======\n \\=======\n>>>>>>> x\n:start_line:1\n"
ROO = {
    "a number": ("", ":start_line:1\n", PLAIN),
    "apply_diff": ("<apply_diff>\n<diff>\n", "", PLAIN),
    "apply_diff that is over": ("<apply_diff>\n</apply_diff>\n", "", ESCAPED),
    "neither": ("a.py\n", "", ESCAPED),
}


@pytest.mark.parametrize(("above", "number", "read"), ROO.values(), ids=ROO)
def test_markers_are_escaped_in_blocks_of_roo_only(above: str, number: str, read: str) -> None:
    block = only_block(f"{above}<<<<<<< SEARCH\n{number}{ESCAPED}=======\n{ESCAPED}>>>>>>> REPLACE\n")
    assert splits(block) == [(read, read)]


def test_a_block_that_may_end_before_others_of_another_length_cannot_be_used() -> None:
    inner = ">>>>>>> REPLACE\n<<<<<<< SEARCH\nzero\n=======\n2\n"
    block = only_block(f"<<<<<<<<< SEARCH\ntwo\n=========\n2\n{inner}>>>>>>>>> REPLACE\n")
    assert (block.problem, block.hunks) == ("two_ends", ())


def test_a_block_ends_at_a_marker_of_another_length_if_a_block_of_its_own_length_follows() -> None:
    text = "<<<<<<<<< SEARCH\na\n=========\nb\n>>>>>>> REPLACE\n"
    first, second = parse_reply(text + block("c\n", "d\n", size=9))
    assert (splits(first), splits(second)) == ([("a\n", "b\n")], [("c\n", "d\n")])
