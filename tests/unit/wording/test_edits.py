"""The words of `file_edit`: what to do about an edit that failed."""

import json
from typing import Any

import pytest

from suture import errors, wording
from suture.match.diagnose import Difference
from suture.shapes import CorrectedEdit, FilePreview, MatchLocation, NamedDifference, SimilarContent, WrittenOn
from suture.wording import edits

# NO_MATCH

MOST = 19
"""Lines of a text that a model is shown the first time."""


def place(line: int = 3, content: str = "\tvalue = 1", *differences: Difference, symbol: str = "") -> SimilarContent:
    named = [
        NamedDifference(
            type=difference.kind,
            name=difference.what,
            expected=difference.expected,
            found=difference.found,
            line_number=difference.line,
            description=wording.difference(difference),
        )
        for difference in differences or (Difference("indentation", "    ", "\t", line, 1, 2),)
    ]
    return SimilarContent(line_number=line, content=content, similarity_score=0.9, symbol=symbol, differences=named)


PREVIEW = FilePreview(total_lines=1, preview_start_line=1, preview_end_line=1, content="x", highlights=[])


def no_match(**fields: Any) -> errors.NoMatch:
    known: dict[str, Any] = {
        "path": "src/app.py",
        "edit_index": 0,
        "total_edits": 1,
        "search_text": "    value = 1\n",
        "expected_occurrences": 1,
        "why": "missing",
        "rung": None,
        "similar_content": [],
        "indent": {"style": "tabs", "width": None},
        "file_preview": PREVIEW,
    }
    return errors.NoMatch(**{**known, **fields})


def text(error: errors.SutureError) -> list[str]:
    return wording.error_text(error).split("\n")


def body(error: errors.SutureError) -> list[str]:
    """The text between what was searched for and the suggestions, without blank lines."""
    lines = text(error)
    begin = next(number for number, line in enumerate(lines) if line.endswith("<<<") or "(attempt" in line)
    return [line for line in lines[begin + 1 : lines.index("Suggestions:")] if line]


def suggestion_lines(error: errors.SutureError) -> list[str]:
    """The suggestions as they are worded, and what follows them."""
    lines = text(error)
    return lines[lines.index("Suggestions:") + 1 :]


def fixes(error: errors.SutureError) -> list[tuple[str, str]]:
    return [(suggestion["type"], suggestion["suggestion"]) for suggestion in edits.suggestions(error)]


READ = ("USE_EXACT_TEXT", "Use file_read to see the exact content, then copy it precisely")
TABS = ("CHECK_WHITESPACE", "Check for tabs vs spaces - the file uses tabs")
BREAKS = ("CHECK_WHITESPACE", "Ensure you include all line breaks in multi-line searches")
SOME = {"there": [{"word": "value", "line_number": 3, "content": "\tvalue = 1"}], "missing": ["amount"]}
FIXED = CorrectedEdit(old_text="\tvalue = 1\n", new_text="\tvalue = 2\n", start_line=3, end_line=3)


def test_a_text_that_is_not_there_is_reported_as_in_the_specification() -> None:
    spaces = Difference("spacing", "const ", "const  ", 45)
    quotes = Difference("quotes", "'", '"', 67)
    error = no_match(
        path="src/app.ts",
        total_edits=3,
        search_text="const foo = 'bar';",
        similar_content=[place(45, "const  foo = 'bar';", spaces), place(67, 'const foo = "bar";', quotes)],
        indent={"style": "spaces", "width": 2},
    )
    assert text(error) == [
        "Edit 1 of 3 failed: Could not find exact text in src/app.ts.",
        "",
        "Searched for (between >>>markers<<<):",
        ">>>const foo = 'bar';<<<",
        "",
        "File contains similar content that might be what you're looking for:",
        "",
        "Line 45: const  foo = 'bar';",
        "  Difference: Extra space after 'const'",
        'Line 67: const foo = "bar";',
        "  Difference: Uses double quotes instead of single quotes",
        "",
        "Suggestions:",
        "1. Use file_read to see the exact content, then copy it precisely",
        "2. Check the whitespace - Extra space after 'const'",
        "Nothing was changed: send all 3 edits again, with this one fixed.",
    ]


def test_the_edit_that_lands_is_the_first_suggestion() -> None:
    error = no_match(why="found", rung="indentation", similar_content=[place()], correction=FIXED)
    first, *others = edits.suggestions(error)
    assert first["suggestion"] == "Send this edit instead; it occurs once, at line 3"
    assert json.loads(first["example"]) == {"old_text": "\tvalue = 1\n", "new_text": "\tvalue = 2\n"}
    assert [suggestion.get("example") for suggestion in others] == [None] * len(others)
    assert fixes(error)[1:] == [READ, TABS]
    assert r'{"old_text": "\tvalue = 1\n", "new_text": "\tvalue = 2\n"}' in wording.error_text(error)
    assert wording.hint(error) == "Nothing was changed. Send this edit instead; it occurs once, at line 3."


def test_an_example_that_is_long_is_in_the_metadata_only() -> None:
    long = FIXED.evolve(old_text="x" * 5_000)
    error = no_match(why="found", rung="indentation", similar_content=[place()], correction=long)
    assert "x" * 5_000 in edits.suggestions(error)[0]["example"]
    assert "at line 3: (too long to show; see metadata.suggested_fixes)" in wording.error_text(error)
    assert "xxx" not in wording.error_text(error)


@pytest.mark.parametrize(
    ("char", "written"),
    [
        ("é", "é"),
        ("\U0001f600", "\U0001f600"),
        ("e\u0301", "e\\u0301"),
        ("\u00a0", "\\u00a0"),
        ("\u200b", "\\u200b"),
        ("\U000e0041", "\\udb40\\udc41"),
        ("\t", "\\t"),
    ],
)
def test_an_example_shows_what_cannot_be_seen_and_says_the_same(char: str, written: str) -> None:
    edit = {"old_text": f"a {char}\n", "new_text": f"b {char}"}
    error = no_match(why="found", similar_content=[place()], correction=FIXED.evolve(**edit))
    example = edits.suggestions(error)[0]["example"]
    assert json.loads(example) == edit
    assert f'"b {written}"' in example


# (fields, what each line of evidence has in it, what the first suggestion has); the specification fixes no more

SIMILAR = "File contains similar content that might be what you're looking for:"
TAB = "Difference: indentation: file has 1 tab, you sent 4 spaces"
SIDES: dict[str, Any] = {"line": 3, "base": "one\n", "ours": "two\n", "theirs": "three\n"}
OTHER = [place(3, "x", Difference("word", "y", "x", 3))]
NONE: dict[str, Any] = {"there": [], "missing": []}
READ_VERSION = WrittenOn(source="read", id=None, until=None)
OLD_VERSION = WrittenOn(source="history", id="abc", until=None)
STALE = {"change_id": "def", "start_line": 7, "end_line": 8, "text": "one\ntwo"}
NOW = ["Lines 7-8 now:", "     7  one", "     8  two"]
EVIDENCE: dict[str, tuple[dict[str, Any], list[str], str]] = {
    "missing": ({}, [], "file_read"),
    "other words only": (
        {"similar_content": OTHER},
        [SIMILAR, "Line 3: x", "Difference: 'x' in the file, 'y' in your text"],
        "file_read",
    ),
    "ambiguous": (
        {"why": "ambiguous", "rung": "indentation", "similar_content": [place(3), place(9), place(12)]},
        ["It fits 3 places ignoring indentation", "Line 3: \tvalue = 1", TAB, "Line 9: \tvalue = 1", TAB],
        "Copy the lines you mean, with enough surrounding lines",
    ),
    "unproved": (
        {"why": "unproved", "rung": "similar", "detail": "no_rule", "similar_content": [place()]},
        ["It was found by similarity, but it is not clear", "Line 3: \tvalue = 1", TAB],
        "file_read",
    ),
    "partly applied": ({"why": "partly_applied"}, [], "has already been made"),
    "conflict": (
        {"why": "conflict", "sides": SIDES},
        ["Line 3 ", "in old_text: one", "in the file: two"],
        "Copy the file's lines",
    ),
    "conflict in one of many lines": (
        {
            "why": "conflict",
            "sides": {**SIDES, "base": "one\n  two\nthree", "ours": "one\ntwo\n3\nthree", "theirs": ""},
        },
        ["Line 5 ", "in old_text: (nothing)", "in the file: 3"],
        "Copy the file's lines",
    ),
    "conflict in lines between others": (
        {"why": "conflict", "sides": {**SIDES, "base": "a\nb\nc\nd", "ours": "a\nB\nd", "theirs": ""}},
        ["Line 4 ", "in old_text: b … and 1 line more", "in the file: B"],
        "Copy the file's lines",
    ),
    "conflict in lines that occur twice": (
        {"why": "conflict", "sides": {**SIDES, "base": "a\na", "ours": "a\na\na", "theirs": ""}},
        ["Line 5 ", "in old_text: (nothing)", "in the file: a"],
        "Copy the file's lines",
    ),
    "conflict in a blank line": (
        {"why": "conflict", "sides": {**SIDES, "base": "a\n\nb", "ours": "a\nb", "theirs": ""}},
        ["Line 3 ", "in old_text: a … and 2 lines more", "in the file: a … and 1 line more"],
        "Copy the file's lines",
    ),
    "conflict beside": (
        {"why": "conflict", "sides": {**SIDES, "base": "", "ours": "\n"}, "similar_content": [place()]},
        [SIMILAR, "Line 3: \tvalue = 1", TAB],
        "Copy the file's lines",
    ),
    "conflict on two sides": (
        {"why": "conflict", "detail": "two_sided", "sides": {**SIDES, "base": "", "ours": "two\nmore\n"}},
        ["Line 3 ", "in old_text: (nothing)", "in the file: two … and 1 line more"],
        "before or after",
    ),
    "elided": ({"why": "elided"}, [], "what is left out ('...')"),
    "empty": ({"why": "empty", "search_text": ""}, [], "an empty old_text fits only an empty file"),
    "an empty file": ({"file_preview": None}, ["src/app.py is empty."], "send an empty old_text"),
    "an old copy": (
        {
            "why": "conflict",
            "written_on": OLD_VERSION.evolve(until="def"),
            "stale": {"change_id": "def", "start_line": 7, "end_line": 8, "text": "one\ntwo"},
        },
        ["It is in change abc; change def changed these lines.", "Lines 7-8 now:", "     7  one", "     8  two"],
        "Your copy of the file is old",
    ),
    "an old copy, changed by somebody": (
        {
            "why": "conflict",
            "written_on": OLD_VERSION,
            "stale": {"change_id": None, "start_line": 7, "end_line": 7, "text": ""},
        },
        ["It is in change abc; a later change changed these lines.", "Line 7 now:", "     7  (nothing)"],
        "Your copy of the file is old",
    ),
    "inside something": (
        {"similar_content": [place(3, "x", Difference("word", "y", "x", 3), symbol="Order.total")]},
        [SIMILAR, "Line 3 in Order.total: x", "Difference: "],
        "file_read",
    ),
    "written on a version that can be merged": (
        {"why": "found", "rung": "rebased", "written_on": READ_VERSION},
        ["It is in the version you read; the file has changed since."],
        "file_read",
    ),
    "deleted by a change": (
        {"why": "deleted", "written_on": OLD_VERSION.evolve(until="def"), "stale": STALE},
        ["It is in change abc; change def removed it.", *NOW],
        "decide whether the change is still needed",
    ),
    "deleted by somebody": (
        {"why": "deleted", "written_on": OLD_VERSION, "stale": STALE},
        ["It is in change abc; a later change removed it.", *NOW],
        "decide whether the change is still needed",
    ),
    "deleted by a commit": (
        {"why": "deleted", "written_on": WrittenOn(source="commit", id="a" * 40, until="b" * 40), "stale": STALE},
        [f"It is in commit {'a' * 12}; commit {'b' * 12} removed it.", *NOW],
        "decide whether the change is still needed",
    ),
    "an earlier edit": (
        {"edit_index": 2, "total_edits": 3, "consumed_by": 0},
        ["edit 1 of this call"],
        "edit 1",
    ),
    "after other edits": (
        {"edit_index": 1, "total_edits": 2, "similar_content": OTHER},
        [SIMILAR, "Line 3: x", "Difference: "],
        "file_read",
    ),
    "an unknown encoding": (
        {"search_text": "größe", "candidates": ["latin-1", "cp1252"]},
        [],
        "the argument encoding (latin-1, cp1252)",
    ),
    "an encoding that nobody knows": (
        {"search_text": "größe", "candidates": []},
        [],
        "the argument encoding",
    ),
    "an unknown encoding that does not matter": ({"search_text": "size", "candidates": []}, [], "file_read"),
    "words, some of them there": (
        {"words": SOME},
        ["that are not in the file: amount.", "that are in the file: value (line 3)."],
        "file_read",
    ),
    "words, all of them there": ({"words": {**SOME, "missing": []}}, ["in the file: value (line 3)."], "file_read"),
    "words, none of them there": (
        {"words": {**NONE, "missing": ["zebra"]}},
        ["that are not in the file: zebra.", "Is src/app.py the right file?"],
        "file_read",
    ),
    "no words": ({"words": NONE}, [], "file_read"),
}


def has(lines: list[str], parts: list[str]) -> list[bool]:
    """Which lines have their parts in them."""
    return [part in line for line, part in zip(lines, parts, strict=True)]


@pytest.mark.promise("teach.data")
@pytest.mark.parametrize(("fields", "expected", "first"), EVIDENCE.values(), ids=EVIDENCE)
def test_what_is_known_is_reported_and_what_to_do_first(
    fields: dict[str, Any], expected: list[str], first: str
) -> None:
    error = no_match(**fields)
    assert all(has([*body(error), fixes(error)[0][1]], [*expected, first])), wording.error_text(error)
    *suggestions, last = suggestion_lines(error)
    assert suggestions == [f"{number}. {words}" for number, (_, words) in enumerate(fixes(error), 1)]
    assert last.startswith("Nothing was changed")
    assert len(text(error)) <= MOST
    assert not any("example" in suggestion for suggestion in edits.suggestions(error))


@pytest.mark.parametrize(("change_id", "by"), [(None, ""), ("abc", ", written by change abc")])
def test_what_is_there_already_is_reported_and_nothing_is_to_be_sent(change_id: str | None, by: str) -> None:
    applied = {"start_line": 3, "end_line": 4, "change_id": change_id}
    error = no_match(why="applied", applied=applied, correction=FIXED, similar_content=[place()])
    assert body(error) == [f"new_text is already at lines 3-4{by}."]
    ((kind, words),) = fixes(error)
    assert kind == "ALREADY_APPLIED"
    assert words.startswith("Leave this edit out: ")
    assert "example" not in edits.suggestions(error)[0]


@pytest.mark.parametrize(
    ("what", "sent", "here", "words"),
    [
        ("indentation", "    ", "\t", "Check for tabs vs spaces - the file uses tabs"),
        ("indentation", "    ", "  ", "Check the whitespace - indentation: file has 2 spaces, you sent 4 spaces"),
        ("spacing", "a ", "a  ", "Check the whitespace - Extra space after 'a'"),
        ("word", "a", "b", None),
        ("case", "a", "A", None),
    ],
)
def test_white_space_is_to_be_checked_where_it_differs(what: str, sent: str, here: str, words: str | None) -> None:
    error = no_match(similar_content=[place(3, "x", Difference(what, sent, here, 3))])
    assert [suggested for kind, suggested in fixes(error) if kind == "CHECK_WHITESPACE"] == ([words] if words else [])


@pytest.mark.parametrize(
    ("sent", "difference", "expected"),
    [
        ("one\ntwo\n", None, True),
        ("one\n", None, False),
        ("one\ntwo\n", Difference("blank_line", "\n", "", 3), True),
        ("one\ntwo\n", Difference("line_break", "2 lines", "3 lines", 3), True),
        ("one\ntwo\n", Difference("word", "a", "b", 3), False),
    ],
)
def test_line_breaks_are_to_be_included_where_they_may_be_missing(
    sent: str, difference: Difference | None, *, expected: bool
) -> None:
    error = no_match(search_text=sent, similar_content=[] if difference is None else [place(3, "x", difference)])
    assert (BREAKS in fixes(error)) is expected


SPECIAL = [
    ("escape", '\\"', '"'),
    ("entities", "&lt;", ""),
    ("numbers", "1: ", ""),
    ("fence", "```", ""),
    ("spelled", "\\n", "\n"),
]


@pytest.mark.parametrize(("what", "sent", "here"), SPECIAL)
def test_what_was_decoded_is_told_to_be_sent_as_it_stands(what: str, sent: str, here: str) -> None:
    error = no_match(similar_content=[place(3, "x", Difference(what, sent, here, 3))])
    assert ("ESCAPE_SPECIAL", "Send characters exactly as in the file: no escapes, entities or line numbers") in (
        fixes(error)
    )


@pytest.mark.parametrize(
    ("style", "width", "words"),
    [
        ("tabs", None, "tabs"),
        ("spaces", 4, "spaces (4 per level)"),
        ("spaces", None, "spaces"),
        ("none", None, "no indentation"),
        ("mixed", None, "both tabs and spaces"),
    ],
)
def test_the_indentation_of_the_file_is_named(style: str, width: int | None, words: str) -> None:
    error = no_match(indent={"style": style, "width": width})
    assert ("CHECK_WHITESPACE", f"Check for tabs vs spaces - the file uses {words}") in fixes(error)


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ("    return 1\n", ">>>    return 1\n<<<"),
        ("\treturn 1", ">>>\treturn 1<<<"),
        ("return 1  ", ">>>return 1  <<<"),
        ("\n\none\ntwo\n", ">>>one … (4 lines)<<<"),
        ("\x1b[31m", ">>>\\x1b[31m<<<"),
        ("x" * 500, f">>>{'x' * 200}<<<"),
    ],
)
def test_one_line_of_what_was_sent_is_repeated_with_its_space(sent: str, expected: str) -> None:
    assert f"\n{expected}\n" in wording.error_text(no_match(search_text=sent))


def test_places_and_differences_are_not_told_without_end() -> None:
    many = [Difference("word", f"sent{number}", f"here{number}", 3 + number) for number in range(6)]
    content = "\n\nfirst_line\n" + "x\n" * 30
    lines = body(no_match(similar_content=[place(number, content, *many) for number in range(3, 8)]))
    assert lines[1:3] == [
        "Line 5: first_line … (34 lines)",
        "  Difference in line 3: 'here0' in the file, 'sent0' in your text",
    ]
    assert [line for line in lines if line.startswith("Line ")] == [
        "Line 5: first_line … (34 lines)",
        "Line 6: first_line … (34 lines)",
    ]
    for number in (5, 6):
        start = lines.index(f"Line {number}: first_line … (34 lines)") + 1
        count = next(at for at, line in enumerate(lines[start:]) if not line.startswith("  Difference in line "))
        assert 1 <= count <= 3
        assert lines[start + count] == f"  … and {6 - count} more differences"


def test_a_difference_of_many_lines_is_reported_with_the_first() -> None:
    tabs = Difference("indentation", "    ", "\t", 7, 1, 2, times=3)
    lines = body(no_match(similar_content=[place(6, "a\n\tb\n\tc\n\td", tabs)]))
    assert lines[-1] == "  Difference in line 7: indentation: file has 1 tab, you sent 4 spaces (3 times)"


def test_more_suggestions_than_five_are_in_the_metadata() -> None:
    spelled = Difference("spelled", "\\n", "\n", 3)
    error = no_match(
        search_text="größe\nx",
        candidates=[],
        consumed_by=0,
        similar_content=[place(3, "x", spelled, Difference("indentation", "    ", "\t", 3))],
        correction=FIXED,
    )
    assert len(fixes(error)) > 5
    assert len(suggestion_lines(error)) == 6


# Sent again

REGION = {"start_line": 2, "end_line": 4, "text": "def one():\n\tvalue = 1\x07\n\treturn value"}


def test_a_repeated_edit_is_shown_the_region_and_how_to_replace_it() -> None:
    error = no_match(attempt=2, region=REGION, words=SOME, similar_content=[place()])
    lines = text(error)
    assert lines[0] == "Edit 1 of 1 failed again: Could not find exact text in src/app.py."
    assert "(attempt 2)" in lines[2]
    assert lines[4].startswith("Lines 2-4 of src/app.py, ")
    assert lines[5:9] == ["def one():", "\tvalue = 1\\x07", "\treturn value", ""]
    whole = edits.suggestions(error)[0]
    assert whole["suggestion"].startswith("Replace lines 2-4 completely: send this as old_text")
    assert json.loads(whole["example"]) == {"old_text": REGION["text"]}


def test_a_repeated_edit_without_a_region_is_shown_the_lines_that_share_its_words() -> None:
    assert body(no_match(attempt=2, words=SOME)) == [
        "Words of old_text that are not in the file: amount.",
        "Lines that share a word with old_text:",
        "Line 3: \tvalue = 1",
    ]


def test_a_repeated_edit_that_was_corrected_is_given_the_correction_first() -> None:
    error = no_match(attempt=3, why="found", region=REGION, words=SOME, similar_content=[place()], correction=FIXED)
    first, second, *_ = edits.suggestions(error)
    assert json.loads(first["example"])["new_text"] == FIXED.new_text
    assert "completely" in second["suggestion"]
    assert "Words of old_text" not in wording.error_text(error)
    assert "(attempt 3)" in wording.error_text(error)


def test_a_repeated_edit_of_which_nothing_is_there_is_shown_how_the_file_begins() -> None:
    head = PREVIEW.evolve(content="\n".join(f"line {number}" for number in range(200)))
    lines = body(no_match(attempt=2, words={"there": [], "missing": ["zebra"]}, file_preview=head))
    assert lines[:5] == [
        "Words of old_text that are not in the file: zebra.",
        "Is src/app.py the right file?",
        "It begins:",
        "line 0",
        "line 1",
    ]
    assert len(lines) < 50


def test_a_repeated_edit_that_fits_several_places_is_shown_them_and_what_is_unique() -> None:
    unique = [{"line_number": 3, "old_text": "a\n\tvalue = 1"}, {"line_number": 9, "old_text": "b\n\tvalue = 1"}]
    error = no_match(
        attempt=2, why="ambiguous", rung="indentation", similar_content=[place(3), place(9)], unique=unique
    )
    lines = text(error)
    assert "It fits 2 places ignoring indentation, and it is not clear which one you mean:" in lines
    examples = [json.loads(suggestion["example"]) for suggestion in edits.suggestions(error) if "example" in suggestion]
    assert examples == [{"old_text": edit["old_text"]} for edit in unique]


# WRONG_COUNT


def location(line: int, column: int = 5, content: str = "    console.log('x');") -> MatchLocation:
    return MatchLocation(line_number=line, column_start=column, column_end=column + 11, line_content=content, symbol="")


def wrong_count(lines: list[int], expected: int = 3, **fields: Any) -> errors.WrongCount:
    known: dict[str, Any] = {
        "path": "src/utils.ts",
        "edit_index": 1,
        "total_edits": 2,
        "search_text": "console.log",
        "expected_occurrences": expected,
        "actual_occurrences": len(lines),
        "match_locations": [*map(location, lines)],
        "file_preview": None,
        "unique": [{"line_number": lines[0], "old_text": "only here"}],
    }
    return errors.WrongCount(**{**known, **fields})


def test_a_text_that_is_there_too_often_is_reported_as_in_the_specification() -> None:
    assert text(wrong_count([12, 34, 56, 78, 102])) == [
        "Edit 2 of 2 failed: Expected 3 occurrences but found 5 in src/utils.ts.",
        "",
        "Expected to replace 3 instances of 'console.log' but found 5 instances at:",
        "  Line 12, column 5: console.log('x');",
        "  Line 34, column 5: console.log('x');",
        "  Line 56, column 5: console.log('x');",
        "  Line 78, column 5: console.log('x');",
        "  Line 102, column 5: console.log('x');",
        "",
        "Options to fix:",
        "1. Update occurrences to 5 if you want to replace all instances",
        "2. Add more context to make the old_text unique to just the 3 you want",
        "3. Split into multiple edits with unique old_text for each target",
        "Nothing was changed: send both edits again, with this one fixed.",
    ]


def test_a_text_that_should_be_there_once_is_reported() -> None:
    error = wrong_count([1, 2], 1)
    assert text(error)[0] == "Edit 2 of 2 failed: Expected 1 occurrence but found 2 in src/utils.ts."
    assert fixes(error)[1] == ("USE_EXACT_TEXT", "Add more context to make the old_text unique to the one you want")
    assert wording.message(error) == text(error)[0]
    assert wording.hint(error).startswith("Nothing was changed. Update occurrences to 2")


def test_a_text_that_is_there_too_rarely_may_be_spelled_otherwise() -> None:
    error = wrong_count([7], 4)
    assert "but found 1 instance at:" in text(error)[2]
    assert [kind for kind, _ in fixes(error)] == ["ADJUST_COUNT", "USE_EXACT_TEXT"]
    assert fixes(error)[0][1] == "Update occurrences to 1 if you want to replace all instances"
    assert fixes(error)[1][1].startswith("Check whether the missing 3 are spelled differently. ")
    assert fixes(wrong_count([7], 2))[1][1].startswith("Check whether the missing one is spelled differently. ")


def test_places_are_counted_where_they_are_too_many_to_be_shown() -> None:
    lines = text(wrong_count([*range(1, 31)]))
    places = [line for line in lines if line.startswith("  Line ")]
    assert places == [f"  Line {line}, column 5: console.log('x');" for line in range(1, len(places) + 1)]
    assert lines[3 + len(places)] == f"  … and {30 - len(places)} more"
    assert len(lines) <= MOST


@pytest.mark.parametrize(("originally", "did"), [(4, "changed"), (1, "made")])
def test_what_earlier_edits_did_is_reported(originally: int, did: str) -> None:
    lines = text(wrong_count([1, 2], originally=originally))
    assert f"The file itself has {originally}; earlier edits of this call {did} the others." in lines


def test_a_repeated_count_is_shown_the_lines_and_a_text_for_each() -> None:
    error = wrong_count([3, 9], 1, attempt=2)
    lines = text(error)
    assert lines[0] == "Edit 2 of 2 failed again: Expected 1 occurrence but found 2 in src/utils.ts."
    assert lines[3] == "  Line 3, column 5: console.log('x');"
    examples = [suggestion.get("example") for suggestion in edits.suggestions(error)]
    assert examples == ['"occurrences": 2', None, None, '{"old_text": "only here"}']


# Other errors in the shape of the specification


@pytest.mark.parametrize(
    ("error", "parts"),
    [
        (errors.FileNotFound(path="x", near=["y", "z"]), ["Did you mean y?", "Did you mean z?"]),
        (errors.FileNotFound(path="x", near=[]), ["Check the path"]),
        (errors.BinaryFile(path="x"), ["name its encoding"]),
        (errors.PermissionDenied(path="x", operation="write"), ["permission to write x"]),
    ],
)
def test_other_errors_have_a_next_step(error: errors.SutureError, parts: list[str]) -> None:
    suggestions = [words for _, words in fixes(error)]
    assert all(has(suggestions[: len(parts)], parts))
    assert all("example" not in suggestion for suggestion in edits.suggestions(error))


def test_an_edit_of_an_empty_file_that_is_sent_again_is_reported_again() -> None:
    words = {"there": [], "missing": ["gone"]}
    error = no_match(why="missing", file_preview=None, similar_content=[], attempt=2, words=words)
    assert "is empty." in wording.error_text(error)
    assert "It begins:" not in wording.error_text(error)
