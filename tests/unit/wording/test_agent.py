"""What the profile `agent` says about failures: what case files do not show."""

from typing import Any

import pytest

from suture import errors
from suture.audience import AGENT
from suture.shapes import CorrectedEdit, FilePreview, SimilarContent
from suture.wording import error_text

PREVIEW = FilePreview(total_lines=9, preview_start_line=1, preview_end_line=1, content="one", highlights=[])
FITS = CorrectedEdit(old_text="one\n", new_text="two\n", start_line=3, end_line=3)


def similar(score: float, content: str = "one") -> SimilarContent:
    return SimilarContent(line_number=4, content=content, similarity_score=score, symbol="", differences=[])


def no_match(**fields: Any) -> str:
    known: dict[str, Any] = {
        "path": "a.py",
        "search_text": "sent\n",
        "why": "missing",
        "rung": None,
        "similar_content": [],
        "indent": {},
        "file_preview": PREVIEW,
    }
    error = errors.NoMatch(**known | fields)
    error.at_edit = 0, 1
    return error_text(error, AGENT)


@pytest.mark.parametrize(
    ("fields", "lines"),
    [
        (
            {"correction": FITS},
            ["Send this instead; it fits line 3:", r'{"old_string": "one\n", "new_string": "two\n"}'],
        ),
        ({"correction": FITS.evolve(old_text="x" * 500)}, ["Read line 3, and copy old_string from there."]),
        ({"file_preview": None}, ["The file is empty: to fill it, send an empty old_string, or use write."]),
        (
            {"applied": {"start_line": 2, "end_line": 3, "change_id": None}},
            ["If that is the place, leave the edit out."],
        ),
        ({"why": "deleted"}, ["Read the file again, and decide whether the change is still needed."]),
        ({"why": "elided"}, ["Write out what is left out (...) in old_string and new_string."]),
        ({"similar_content": [similar(0.9)]}, ["Copy old_string from the lines above."]),
        ({"similar_content": [similar(0.4)]}, ["If this is not the place, read the file."]),
        (
            {"similar_content": [similar(0.9)], "search_text": "one\ntwo\nthree\n"},
            ["Read lines 4-6, and copy old_string from there."],
        ),
        (
            {"candidates": ["latin-1"], "search_text": "é"},
            ["The file's encoding is unknown, so only ASCII can be found in it.", "Read the file first."],
        ),
    ],
)
def test_a_text_that_is_not_there_is_answered_with_what_to_do(fields: dict[str, Any], lines: list[str]) -> None:
    text = no_match(**fields).split("\n")
    assert text[0] == "NO_MATCH: old_string is not in a.py."
    assert text[-1] == "Nothing was changed."
    assert text[-1 - len(lines) : -1] == lines


@pytest.mark.parametrize(
    ("kind", "advice"),
    [
        ("folder", "Name a file in it."),
        (
            "symbolic link",
            "Links are neither moved nor deleted; in a folder, move or delete the other files one by one.",
        ),
        ("other", "Name a regular file."),
    ],
)
def test_what_is_no_file_is_answered_by_its_kind(kind: str, advice: str) -> None:
    assert error_text(errors.NotAFile(path="a", kind=kind), AGENT).split("\n")[1] == advice


def test_a_missing_file_is_answered_with_those_that_may_be_meant() -> None:
    text = error_text(errors.FileNotFound(path="a", near=["b", "c", "d"]), AGENT)
    assert text == "FILE_NOT_FOUND: a does not exist.\nDid you mean b, c or d?"
