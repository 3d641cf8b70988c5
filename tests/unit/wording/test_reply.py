"""What is wrong with a whole reply, in words."""

import pytest

from suture.wording.reply import validate_reply

AB = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
DIFF = "--- a/d.py\n+++ b/d.py\n@@ -1 +1 @@\n-a\n+b\n"
PATCH = "*** Begin Patch\n*** Update File: p.py\n@@\n-a\n+b\n*** End Patch\n"
NEW = "<<<<<<< NEW_FILE\nx\n>>>>>>> NEW_FILE\n"
REAL = f"a.py\n{AB}"
MISSING = (
    "Some SEARCH/REPLACE blocks may be missing the separator (=======). {} complete blocks found out of {} expected."
)
MALFORMED = "Some file blocks may be malformed"
VALIDATIONS: dict[str, tuple[str, list[str], list[str]]] = {
    "a good one": (AB, [], []),
    "nothing": ("Hello", ["No valid blocks found"], []),
    "one end is missing": (
        f"{AB}{AB}<<<<<<< SEARCH\na\n=======\nb\n",
        ["Mismatched SEARCH/REPLACE: 3 SEARCH vs 2 REPLACE"],
        [MALFORMED],
    ),
    "one is cut off before its separator": (
        f"{AB}{AB}<<<<<<< SEARCH\na\n",
        ["Mismatched SEARCH/REPLACE: 3 SEARCH vs 2 REPLACE"],
        [MISSING.format(2, 3), MALFORMED],
    ),
    "one separator is missing": (f"{AB}<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", [], [MISSING.format(1, 2), MALFORMED]),
    "a new file is cut": (
        f"{NEW}<<<<<<< NEW_FILE\nx\n",
        ["Mismatched NEW_FILE: 2 start vs 1 end"],
        [MALFORMED],
    ),
    "one beginning is missing": (
        f"{AB}a\n=======\nb\n>>>>>>> REPLACE\n",
        ["Mismatched SEARCH/REPLACE: 1 SEARCH vs 2 REPLACE"],
        [MALFORMED],
    ),
    "other formats": (f"{PATCH}{DIFF}", [], []),
}


@pytest.mark.parametrize(("text", "errors", "warnings"), VALIDATIONS.values(), ids=VALIDATIONS)
def test_a_reply_is_validated_in_the_words_of_the_specification(
    text: str, errors: list[str], warnings: list[str]
) -> None:
    validation = validate_reply(text)
    assert (validation.is_valid, validation.errors, validation.warnings) == (not errors, errors, warnings)


def test_skipped_edits_are_reported() -> None:
    text = f"a.py\n{AB}\nLike this:\n\n```diff\n-a\n+b\n```\n\n**w.py**\n```python\nx\n```\n<<<<<<< HEAD\n"
    assert validate_reply(text).warnings == [
        "Some markers were not understood: blocks begin with <<<<<<< SEARCH or <<<<<<< NEW_FILE.",
        "The diff at line 10 of the reply names no file and was ignored.",
        "A code fence names w.py, but writing whole files is not turned on.",
    ]


def test_markers_in_content_are_not_counted() -> None:
    text = (
        "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n <<<<<<< SEARCH\n-a\n+b\n"
        "y\n<<<<<<< NEW_FILE\n>>>>>>> REPLACE\n>>>>>>> NEW_FILE\n"
    )
    assert validate_reply(text).errors == []


WARNINGS = {
    f"<think>\n{REAL}</think>\n{REAL}": (
        "1 block was skipped: the text inside <think> at lines 1-8 of the reply is the model's thinking."
    ),
    f"{REAL}{REAL}</think>\n{REAL}": (
        "2 blocks were skipped: the text before </think> at line 13 of the reply is the model's thinking."
    ),
    f"{REAL}<think>\n{REAL}": (
        "1 block was skipped: the text after <think> (which is not closed) at line 7 of the reply "
        "is the model's thinking."
    ),
}


@pytest.mark.parametrize(("text", "warning"), WARNINGS.items(), ids=["inside", "before", "after"])
def test_a_warning_says_that_blocks_were_skipped(text: str, warning: str) -> None:
    assert validate_reply(text).warnings == [warning]
