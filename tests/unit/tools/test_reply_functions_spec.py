"""The public functions for replies, as the specification promises them: docs/spec/TOOLS.md section 5 and seed 004.

`parse_reply`, `validate_reply`, `extract_paths`, `apply_blocks`, `preview_reply` and `ReplyParser` are pure: they take
and give values, and no file is touched. Written from the specification alone.
"""

import random
from collections.abc import Iterable
from typing import Any

import pytest

from suture import ReplyParser, apply_blocks, extract_paths, parse_reply, preview_reply, validate_reply
from tests.scale import scaled
from tests.unit.tools.reply_samples import (
    COMPLEX,
    CONFLICT,
    NINE,
    NOTHING,
    OTHER,
    PATHS,
    SAMPLES,
    SIMPLE,
    TWO,
    Sample,
    at,
    block,
    in_fence,
    new_file,
    v4a,
)

SEPARATOR = (
    "Some SEARCH/REPLACE blocks may be missing the separator (=======). 2 complete blocks found out of 3 expected."
)
MALFORMED = "<<<<<<< SEARCH\nz = 1\n>>>>>>> REPLACE\n"
CUT = "<<<<<<< SEARCH\nz = 1\n=======\nz = 2\n"
MISSING = block("no_such_function(call)\n", "something_else\n")
AS_TEXT = {
    name: sample
    for name, sample in SAMPLES.items()
    if name not in {"UTF-16", "a byte order mark", "bytes of an unknown encoding", "a binary file", "a folder"}
    and name not in {"a new file below a file", "a character that cannot be written"}
    and "manner" not in name
    and not {"PATH_OUTSIDE_WORKSPACE", "PROTECTED_PATH"} & set(sample.statuses.values())
}
"""The samples whose files a `str` can hold, and for which no folder is needed."""


def texts(files: Any) -> dict[str, str]:
    return {path: content.decode() for path, content in files.items()}


def sides(parsed: Any) -> list[tuple[str, str]]:
    """Both sides of each hunk of a block that can be split in one way only."""
    assert parsed.problem is None
    result = []
    for hunk in parsed.hunks:
        (split,) = hunk.splits
        result.append((split.old, split.new))
    return result


def statuses_of(outcomes: Iterable[Any]) -> dict[str, str]:
    return {outcome.id: outcome.error.code if outcome.status == "failed" else outcome.status for outcome in outcomes}


def fits(expected: Any, outcomes: Iterable[Any]) -> bool:
    """Whether the blocks became what is expected; `*` is any error."""
    outcomes = list(outcomes)
    failed = {outcome.id for outcome in outcomes if outcome.status == "failed"}
    wild = {name for name, what in expected.items() if what == "*"}
    statuses = {name: "*" if name in wild & failed else what for name, what in statuses_of(outcomes).items()}
    return list(statuses.items()) == list(expected.items())


# parse_reply


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (SIMPLE, [("search_replace", "update", "a.py", [("x = 1\n", "x = 2\n")])]),
        (at("a.py", block("x = 1\n", "")), [("search_replace", "update", "a.py", [("x = 1\n", "")])]),
        (
            at("a.py", block("x\n", "y\n"), block("z\n", "")) + OTHER,
            [
                ("search_replace", "update", "a.py", [("x\n", "y\n")]),
                ("search_replace", "update", "a.py", [("z\n", "")]),
                ("search_replace", "update", "b.py", [("y = 1\n", "y = 2\n")]),
            ],
        ),
        (
            at("a.py", block("  x\n\n  y\n", "\n")),
            [("search_replace", "update", "a.py", [("  x\n\n  y\n", "\n")])],
        ),
        (
            "### File: a.py\r\n<<<<<<< SEARCH\r\nx\r\n=======\r\ny\r\n>>>>>>> REPLACE\r\n",
            [("search_replace", "update", "a.py", [("x\n", "y\n")])],
        ),
        (
            v4a("*** Update File: a.py\n@@\n c\n-x\n+y\n@@\n-z\n d\n"),
            [("v4a", "update", "a.py", [("c\nx\n", "c\ny\n"), ("z\nd\n", "d\n")])],
        ),
        (
            "--- a/src/a.py\n+++ b/src/a.py\n@@ -1,2 +1,2 @@\n c\n-x\n+y\n@@ -9,1 +9,2 @@\n d\n+e\n",
            [("unified", "update", "src/a.py", [("c\nx\n", "c\ny\n"), ("d\n", "d\ne\n")])],
        ),
    ],
    ids=["one", "deletion", "three", "blanks", "CRLF", "V4A", "diff"],
)
def test_blocks_are_read_with_both_sides_as_whole_lines(
    reply: str, expected: list[tuple[str, str, str, list[tuple[str, str]]]]
) -> None:
    blocks = parse_reply(reply)
    assert [(block.format, block.action, block.path, sides(block)) for block in blocks] == expected


def test_a_reply_is_a_sequence_of_numbered_blocks() -> None:
    blocks = parse_reply(SIMPLE + "\n" + OTHER)
    assert (len(blocks), [block.number for block in blocks]) == (2, [1, 2])
    assert (blocks[0].path, blocks[1].path, blocks[-1].path) == ("a.py", "b.py", "b.py")
    assert list(blocks) == list(blocks.blocks)


def test_blocks_say_where_they_are_in_the_reply() -> None:
    reply = "Hello.\n\n### File: a.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n\nThen:\n" + new_file("n\n")
    first, second = parse_reply(reply)
    assert (first.line, first.end_line) == (4, 8)
    assert (second.line, second.end_line) == (11, 13)


def test_a_new_file_has_a_content() -> None:
    (parsed,) = parse_reply(at("src/n.py", new_file("a\n\n=======\nb\n")))
    assert (parsed.format, parsed.action, parsed.path) == ("new_file", "create", "src/n.py")
    assert (parsed.content, parsed.problem) == ("a\n\n=======\nb\n", None)
    (parsed,) = parse_reply(v4a("*** Add File: n.py\n+a\n+\n+b\n"))
    assert (parsed.format, parsed.action, parsed.path, parsed.content) == ("v4a", "create", "n.py", "a\n\nb\n")


def test_a_moved_file_has_an_aim() -> None:
    (parsed,) = parse_reply(v4a("*** Update File: a.py\n*** Move to: src/b.py\n@@\n-x\n+y\n"))
    assert (parsed.action, parsed.path, parsed.to, sides(parsed)) == ("rename", "a.py", "src/b.py", [("x\n", "y\n")])
    (parsed,) = parse_reply("diff --git a/a.py b/b.py\nsimilarity index 100%\nrename from a.py\nrename to b.py\n")
    assert (parsed.format, parsed.action, parsed.path, parsed.to) == ("unified", "rename", "a.py", "b.py")


def test_a_deleted_file_is_a_deletion() -> None:
    (parsed,) = parse_reply(v4a("*** Delete File: a.py\n"))
    assert (parsed.format, parsed.action, parsed.path) == ("v4a", "delete", "a.py")
    (parsed,) = parse_reply("--- a/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n")
    assert (parsed.format, parsed.action, parsed.path) == ("unified", "delete", "a.py")


@pytest.mark.parametrize("place", PATHS)
def test_paths_are_read_wherever_models_put_them(place: str) -> None:
    (parsed,) = parse_reply(PATHS[place])
    assert parsed.path == "src/app.py"


def test_a_path_is_kept_as_it_was_written() -> None:
    (parsed,) = parse_reply(PATHS["separators of Windows"])
    assert parsed.path_as_written == "src\\app.py"


def test_a_default_path_stands_in_for_one_that_is_missing() -> None:
    reply = block("x\n", "y\n")
    assert [block.path for block in parse_reply(reply)] == [None]
    assert [block.path for block in parse_reply(reply, default_path="a.py")] == ["a.py"]
    assert [block.path for block in parse_reply(SIMPLE, default_path="z.py")] == ["a.py"]


@pytest.mark.parametrize("name", NOTHING)
def test_no_block_is_invented(name: str) -> None:
    assert (len(parse_reply(NOTHING[name])), extract_paths(NOTHING[name]) in ([], ["a.py"])) == (0, True)


def test_fenced_files_are_blocks_only_when_they_are_asked_for() -> None:
    reply = "### File: a.py\n" + in_fence("x = 2\n", info="python")
    assert len(parse_reply(reply)) == 0
    (parsed,) = parse_reply(reply, whole_files=True)
    assert (parsed.format, parsed.path, parsed.content) == ("whole_file", "a.py", "x = 2\n")


@pytest.mark.parametrize(
    "incomplete",
    [
        MALFORMED,
        CUT,
        "<<<<<<< SEARCH\nz = 1\n",
        "<<<<<<< NEW_FILE\nz = 1\n",
        CUT + ">>>>>>> REP",
    ],
)
def test_an_incomplete_block_is_a_block_with_a_problem(incomplete: str) -> None:
    blocks = parse_reply(at("a.py", incomplete))
    assert (len(blocks), blocks[0].problem is not None, blocks[0].path) == (1, True, "a.py")
    blocks = parse_reply(SIMPLE + "\n" + incomplete)
    assert [block.problem is None for block in blocks] == [True, False]


@pytest.mark.parametrize("incomplete", [MALFORMED, CUT, "<<<<<<< SEARCH\nz = 1\n"])
def test_an_incomplete_block_does_not_swallow_the_next(incomplete: str) -> None:
    first, second = parse_reply(at("a.py", incomplete) + "\n" + OTHER)
    assert (first.problem is None, second.problem is None) == (False, True)
    (hunk,) = second.hunks
    assert second.path == "b.py"
    assert ("y = 1\n", "y = 2\n") in [(split.old, split.new) for split in hunk.splits]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# Title\n", "Title\n=======\n"),
        ("Title\n=======\n", "# Title\n"),
        ("Title\n=======\n", "Head\n=======\n"),
        ("a\n=======\nb\n=======\n", "c\n"),
        (CONFLICT.decode(), "a = 0\n"),
    ],
)
def test_where_a_split_is_not_clear_the_right_one_is_among_them(old: str, new: str) -> None:
    (parsed,) = parse_reply(at("a.md", block(old, new)))
    (hunk,) = parsed.hunks
    splits = [(split.old, split.new) for split in hunk.splits]
    assert (old, new) in splits
    assert len(splits) == len(set(splits))
    for before, after in splits:
        assert before + "=======\n" + after == old + "=======\n" + new


@pytest.mark.parametrize("name", SAMPLES)
def test_texts_are_whole_lines_and_lines_of_blocks_rise(name: str) -> None:
    blocks = parse_reply(SAMPLES[name].reply)
    assert [parsed.number for parsed in blocks] == list(range(1, len(blocks) + 1))
    position = 0
    for parsed in blocks:
        assert position < parsed.line <= parsed.end_line
        position = parsed.end_line
        for hunk in parsed.hunks:
            for split in hunk.splits:
                assert all(text in {"", "\n"} or text.endswith("\n") for text in (split.old, split.new)) or (
                    parsed.format == "unified" and "No newline" in SAMPLES[name].reply
                )


@pytest.mark.parametrize("name", SAMPLES)
def test_parsing_twice_gives_equal_blocks(name: str) -> None:
    reply = SAMPLES[name].reply
    assert list(parse_reply(reply)) == list(parse_reply(reply))


@pytest.mark.parametrize("seed", range(scaled(40)))
def test_any_text_can_be_parsed(seed: int) -> None:
    """Whatever is cut, doubled, swapped or left out of replies: errors are values."""
    chance = random.Random(seed)
    pieces = "".join(sample.reply for sample in chance.sample(COMPLEX, 3)).split("\n")
    for _ in range(chance.randrange(1, 12)):
        place = chance.randrange(len(pieces))
        what = chance.choice(["cut", "double", "swap", "noise"])
        if what == "cut":
            del pieces[place : place + chance.randrange(1, 4)]
        elif what == "double":
            pieces.insert(place, pieces[place])
        elif what == "swap":
            other = chance.randrange(len(pieces))
            pieces[place], pieces[other] = pieces[other], pieces[place]
        else:
            pieces.insert(place, "".join(chance.choice("<>=@+-* \t`#~\r\0é\u2028") for _ in range(9)))
    reply = "\n".join(pieces)
    blocks = parse_reply(reply)
    assert all(block.line >= 1 for block in blocks)
    validation = validate_reply(reply)
    assert isinstance(validation.is_valid, bool)
    assert len(extract_paths(reply)) == len(set(extract_paths(reply)))
    parser = ReplyParser()
    assert [*parser.feed(reply[: len(reply) // 2]), *parser.feed(reply[len(reply) // 2 :]), *parser.close()] == list(
        blocks
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    ["<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n", "```\n", "*** Begin Patch\n", "--- a/x\n+++ b/x\n", "@@\n"],
)
def test_thousands_of_markers_without_sense_are_parsed(piece: str) -> None:
    """A parser that goes back for each of them would take minutes; times are in `bench/`."""
    for reply in (
        piece * 5_000,
        "<<<<<<< SEARCH\n" + piece * 5_000,
        "<<<<<<< SEARCH\n=======\n" + piece * 5_000 + ">>>>>>> REPLACE\n",
    ):
        assert all(block.line >= 1 for block in parse_reply(reply))


# validate_reply


@pytest.mark.parametrize(
    ("reply", "errors", "warnings"),
    [
        (SIMPLE, [], []),
        (SIMPLE + "\n" + OTHER, [], []),
        (at("n.py", new_file("n\n")), [], []),
        (
            at("a.py", block("x\n", "y\n"), block("y\n", "z\n"), "<<<<<<< SEARCH\nz = 1\n"),
            ["Mismatched SEARCH/REPLACE: 3 SEARCH vs 2 REPLACE"],
            None,
        ),
        (at("a.py", block("x\n", "y\n"), CUT), ["Mismatched SEARCH/REPLACE: 2 SEARCH vs 1 REPLACE"], None),
        (
            at("a.py", block("x\n", "y\n"), ">>>>>>> REPLACE\n"),
            ["Mismatched SEARCH/REPLACE: 1 SEARCH vs 2 REPLACE"],
            None,
        ),
        (
            at("n.py", new_file("n\n")) + "\n### File: m.py\n<<<<<<< NEW_FILE\nm\n",
            ["Mismatched NEW_FILE: 2 start vs 1 end"],
            None,
        ),
        (
            at("a.py", block("x\n", "y\n"), MALFORMED, block("y\n", "z\n")),
            [],
            [SEPARATOR],
        ),
    ],
    ids=["sound", "two", "new file", "3 vs 2", "2 vs 1", "1 vs 2", "NEW_FILE", "separator"],
)
def test_a_reply_is_validated_in_the_seeds_words(reply: str, errors: list[str], warnings: list[str] | None) -> None:
    validation = validate_reply(reply)
    assert [error for error in errors if error not in validation.errors] == []
    assert validation.is_valid is (not errors)
    assert validation.is_valid is (not validation.errors)
    if warnings is not None:
        given = [" ".join(warning.split()) for warning in validation.warnings]
        assert [warning for warning in warnings if warning not in given] == []
        assert bool(warnings) is bool(given)


@pytest.mark.parametrize("name", NOTHING)
def test_a_reply_without_blocks_is_reported(name: str) -> None:
    validation = validate_reply(NOTHING[name])
    assert [*validation.errors, *validation.warnings] != []


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLES)
def test_errors_and_warnings_are_strings(name: str) -> None:
    validation = validate_reply(SAMPLES[name].reply)
    assert isinstance(validation.errors, list)
    assert isinstance(validation.warnings, list)
    assert all(isinstance(message, str) for message in [*validation.errors, *validation.warnings])


@pytest.mark.parametrize("sample", COMPLEX, ids=lambda sample: sample.name)
def test_a_sound_reply_is_valid_even_if_it_does_not_fit_the_files(sample: Sample) -> None:
    assert validate_reply(sample.reply).is_valid


# extract_paths


@pytest.mark.parametrize(
    ("reply", "paths"),
    [
        (SIMPLE, ["a.py"]),
        (OTHER + SIMPLE + OTHER, ["b.py", "a.py"]),
        (at("z.py", block("a\n", "b\n"), block("c\n", "d\n")), ["z.py"]),
        (at("src/n.py", new_file("x\n")), ["src/n.py"]),
        (
            v4a("*** Update File: a.py\n@@\n-x\n+y\n*** Add File: b.py\n+b\n*** Delete File: c.py\n"),
            ["a.py", "b.py", "c.py"],
        ),
        (
            "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-x\n+y\n--- a/y.py\n+++ b/y.py\n@@ -1 +1 @@\n-x\n+y\n",
            ["x.py", "y.py"],
        ),
        ("--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+n\n", ["n.py"]),
        ("--- a/o.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-o\n", ["o.py"]),
        ("prose only\n", []),
        ("", []),
    ],
    ids=[
        "one",
        "in order, once",
        "two blocks",
        "new file",
        "V4A",
        "diff",
        "diff: new",
        "diff: deleted",
        "prose",
        "empty",
    ],
)
def test_paths_are_extracted_in_order_and_once(reply: str, paths: list[str]) -> None:
    assert extract_paths(reply) == paths


def test_the_paths_of_many_files_are_extracted() -> None:
    assert extract_paths(SAMPLES["20 files and 10 edits of each"].reply) == [f"src/module_{n}.ts" for n in range(20)]


def test_the_paths_of_all_formats_are_extracted_from_one_reply() -> None:
    reply = SAMPLES["all formats in one reply"].reply
    assert extract_paths(reply) == ["a.py", "b.py", "old.txt", "c.py", "d.py"]


# apply_blocks


@pytest.mark.parametrize(
    ("text", "reply", "after", "expected"),
    [
        ("x = 1\ny\n", SIMPLE, "x = 2\ny\n", {"1": "applied"}),
        ("x = 1\r\ny\r\n", SIMPLE, "x = 2\r\ny\r\n", {"1": "applied"}),
        ("y\nx = 1", SIMPLE, "y\nx = 2", {"1": "applied"}),
        ("x = 1\n", block("x = 1\n", "x = 2\n"), "x = 2\n", {"1": "applied"}),
        (
            "one\ntwo\nthree\n",
            at("a", block("one\n", "1\n"), MISSING, block("three\n", "")),
            "1\ntwo\n",
            {"1": "applied", "2": "NO_MATCH", "3": "applied"},
        ),
        ("same\nsame\n", block("same\n", "x\n"), "same\nsame\n", {"1": "OLD_TEXT_NOT_UNIQUE"}),
        ("alpha = 2\n", block("alpha = 2\n", "alpha = 2\n"), "alpha = 2\n", {"1": "already_applied"}),
        ("", block("", "x\n"), "x\n", {"1": "applied"}),
        ("a\n", at("a", block("a\n", "b\n"), block("b\n", "c\n")), "c\n", {"1": "applied", "2": "applied"}),
        (
            NINE.decode(),
            v4a("*** Update File: a\n@@\n 4\n-5\n+five\n"),
            NINE.decode().replace("5", "five"),
            {"1.1": "applied"},
        ),
        (
            NINE.decode(),
            "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-1\n+one\n 2\n@@ -8,2 +8,2 @@\n 8\n-9\n+nine\n",
            NINE.decode().replace("1", "one").replace("9", "nine"),
            {"1.1": "applied", "1.2": "applied"},
        ),
        (
            "def f():\n\treturn 1\n",
            block("    return 1\n", "    return 2\n"),
            "def f():\n\treturn 2\n",
            {"1": "applied"},
        ),
        (
            "x = 1\n",
            at("a.py", MALFORMED, block("x = 1\n", "x = 2\n")),
            "x = 2\n",
            {"1": "INCOMPLETE_BLOCK", "2": "applied"},
        ),
        ("x\n", "", "x\n", {}),
    ],
)
def test_blocks_are_applied_to_a_text_in_memory(text: str, reply: str, after: str, expected: dict[str, str]) -> None:
    result = apply_blocks(text, parse_reply(reply))
    assert (result.text, statuses_of(result.outcomes)) == (after, expected)


def test_some_blocks_of_a_reply_can_be_applied_and_keep_their_ids() -> None:
    blocks = parse_reply(at("a", block("one\n", "1\n"), block("two\n", "2\n"), block("three\n", "3\n")))
    result = apply_blocks("one\ntwo\nthree\n", [blocks[2], blocks[0]])
    assert (result.text, statuses_of(result.outcomes)) == ("1\ntwo\n3\n", {"3": "applied", "1": "applied"})
    result = apply_blocks("one\ntwo\nthree\n", blocks.blocks[1:])
    assert (result.text, statuses_of(result.outcomes)) == ("one\n2\n3\n", {"2": "applied", "3": "applied"})


def test_an_outcome_says_how_and_where() -> None:
    blocks = parse_reply(at("a", block("b = 1\n", "b = 2\n"), block("c = 1\nd = 1\n", "c = 1\nd = 2\n"), MISSING))
    result = apply_blocks("a = 1\nb = 1\nif x:\n    c = 1\n    d = 1\n", blocks)
    assert [(outcome.status, outcome.rung) for outcome in result.outcomes] == [
        ("applied", "exact"),
        ("applied", "indentation"),
        ("failed", None),
    ]
    assert [outcome.line for outcome in result.outcomes][::2] == [2, None]
    assert [outcome.error is None for outcome in result.outcomes] == [True, True, False]


def test_a_conflict_is_resolved_in_memory() -> None:
    conflict = "<<<<<<< HEAD\nb = 1\n=======\nb = 2\n>>>>>>> feature\n"
    result = apply_blocks(CONFLICT.decode(), parse_reply(block(conflict, "b = 12\n")))
    assert (result.text, statuses_of(result.outcomes)) == ("a = 0\nb = 12\nc = 3\n", {"1": "applied"})


# preview_reply


@pytest.mark.parametrize("name", AS_TEXT)
def test_a_preview_says_what_would_become_of_the_files(name: str) -> None:
    sample = AS_TEXT[name]
    files = texts(sample.before)
    preview = preview_reply(sample.reply, files)
    after = texts(sample.after)
    expected: dict[str, str | None] = {path: text for path, text in after.items() if files.get(path) != text}
    expected |= dict.fromkeys(set(files) - set(after))
    assert preview.files == expected
    assert fits(dict(sample.statuses), preview.outcomes), statuses_of(preview.outcomes)
    assert files == texts(sample.before)


def test_a_preview_has_paths_diffs_and_the_validation() -> None:
    reply = SIMPLE + "\n" + OTHER + "\n" + at("b.py", MISSING) + "\n" + CUT
    preview = preview_reply(reply, texts(TWO))
    assert [outcome.path for outcome in preview.outcomes] == ["a.py", "b.py", "b.py", "b.py"]
    assert statuses_of(preview.outcomes) == {"1": "applied", "2": "applied", "3": "NO_MATCH", "4": "INCOMPLETE_BLOCK"}
    assert "-x = 1\n+x = 2\n" in preview.outcomes[0].diff
    assert not preview.outcomes[2].diff
    assert not preview.validation.is_valid
    assert "Mismatched SEARCH/REPLACE: 4 SEARCH vs 3 REPLACE" in preview.validation.errors


def test_a_preview_of_a_deletion_has_no_text() -> None:
    preview = preview_reply(v4a("*** Delete File: a.py\n"), texts(TWO))
    assert preview.files == {"a.py": None}


def test_a_preview_of_prose_changes_nothing() -> None:
    preview = preview_reply("Nothing to do.\n", texts(TWO))
    assert (preview.files, list(preview.outcomes)) == ({}, [])


# ReplyParser


def parse_chunks(reply: str, sizes: Iterable[int]) -> list[Any]:
    parser, blocks, position = ReplyParser(), list[Any](), 0
    for size in sizes:
        blocks += parser.feed(reply[position : position + size])
        position += size
        if position >= len(reply):
            break
    blocks += parser.feed(reply[position:])
    return [*blocks, *parser.close()]


@pytest.mark.parametrize("name", SAMPLES)
def test_a_reply_in_pieces_gives_the_same_blocks(name: str) -> None:
    reply = SAMPLES[name].reply
    expected = list(parse_reply(reply))
    chance = random.Random(name)
    step = 1 if len(reply) < 2_000 else 97
    assert parse_chunks(reply, [step] * len(reply)) == expected
    for size in (2, 3, 7, 64, 1_000):
        assert parse_chunks(reply, [size] * (len(reply) // size)) == expected
    for _ in range(scaled(3)):
        assert parse_chunks(reply, [chance.randrange(1, 50) for _ in range(len(reply))]) == expected
    assert parse_chunks(reply, []) == expected


@pytest.mark.parametrize(
    "name", ["the seed's own example", "all formats in one reply", "V4A: several hunks", "cut inside SEARCH"]
)
def test_a_reply_with_crlf_in_pieces_gives_the_same_blocks(name: str) -> None:
    reply = SAMPLES[name].reply.replace("\n", "\r\n")
    expected = list(parse_reply(reply))
    for cut in range(len(reply)):
        assert parse_chunks(reply, [cut]) == expected, cut


def test_a_block_is_given_as_soon_as_it_is_complete() -> None:
    parser = ReplyParser()
    assert parser.feed("Here it comes.\n\n### File: a.py\n<<<<<<< SEARCH\nx = 1\n=======\nx") == []
    assert [block.path for block in parser.feed(" = 2\n>>>>>>> REPLACE\n")] == ["a.py"]
    assert parser.feed("\nNext:\n\n") == []
    assert parser.feed("### File: b.py\n<<<<<<< NEW_FILE\ny\n") == []
    assert [block.path for block in parser.feed(">>>>>>> NEW_FILE\n")] == ["b.py"]
    assert parser.feed("That's all.") == []
    assert parser.close() == []


def test_what_is_incomplete_is_given_at_the_close() -> None:
    parser = ReplyParser()
    assert [block.number for block in parser.feed(SIMPLE + "\n### File: b.py\n<<<<<<< SEARCH\ny = 1\n")] == [1]
    (last,) = parser.close()
    assert (last.number, last.path, last.problem is not None) == (2, "b.py", True)


def test_the_parser_takes_the_same_options() -> None:
    parser = ReplyParser(default_path="z.py", whole_files=True)
    reply = block("x\n", "y\n") + "\nsrc/new.py\n" + in_fence("n = 1\n", info="python")
    blocks = [*parser.feed(reply), *parser.close()]
    assert blocks == list(parse_reply(reply, default_path="z.py", whole_files=True))
    assert [(block.format, block.path) for block in blocks] == [
        ("search_replace", "z.py"),
        ("whole_file", "src/new.py"),
    ]
