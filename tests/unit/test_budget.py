"""What is cut from texts, lists and metadata, and what is said about it."""

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from suture.budget import (
    LINE_CHARS,
    MORE,
    are_lines_short,
    cut_data,
    cut_rows,
    cut_sentences,
    cut_text,
    describe_cut,
    first_lines,
    shorten_line,
    shorten_lines,
)

LINES = st.lists(st.text("ab🧵", max_size=20) | st.integers(0, 1_200).map("x".__mul__), max_size=8)
TEXTS = LINES.map("\n".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9) | TEXTS,
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.sampled_from("abcdef"), inner),
)


def size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def longest(text: str) -> int:
    return max(map(len, text.split("\n")))


def test_a_long_line_is_cut_and_says_how_long_it_is() -> None:
    assert shorten_line("x" * 500) == "x" * 500
    assert shorten_line("x" * 12_345) == f"{'x' * 479}… (12,345 characters)"
    assert shorten_line("x" * 50, 5) == "… (50"
    assert shorten_lines(f"a\n{'x' * 1_000}\nb") == f"a\n{'x' * 480}… (1,000 characters)\nb"


def test_a_text_that_fits_is_unchanged() -> None:
    assert cut_text("one\ntwo\n", 8) == "one\ntwo\n"
    assert first_lines("one\ntwo", 7) == ("one\ntwo", 0)


def test_a_cut_text_ends_with_the_number_of_lines_and_how_to_get_them() -> None:
    text = "\n".join(f"line {number}" for number in range(1_000))
    shown = cut_text(text, 120, "narrow the pattern")
    assert shown.split("\n")[-1] == "… 990 more lines (of 1,000); narrow the pattern"
    assert shown.split("\n")[:-1] == [f"line {number}" for number in range(10)]
    assert cut_text("a\n" + "b" * 400, 200).split("\n") == ["a", f"… 1 more line (of 2); {MORE}"]


def test_the_ending_of_a_text_is_kept() -> None:
    text = "\n".join(["done", *map(str, range(1_000)), "warning: two", "```"])
    shown = cut_text(text, 150, ending="warning: two\n```").split("\n")
    assert (shown[0], shown[-2:]) == ("done", ["warning: two", "```"])
    assert shown[-3].endswith(f" more lines (of 1,001); {MORE}")
    long_ending = "\n".join(f"warning: {number}" for number in range(100))
    both = cut_text(f"done\n{long_ending}", 400, ending=long_ending).split("\n")
    assert (both[0], both[1], both[-1]) == ("done", "warning: 0", f"… 89 more lines (of 100); {MORE}")


def test_a_text_that_was_cut_before_keeps_the_total() -> None:
    excerpt = "\n".join([*map(str, range(400)), "… 600 more lines (max_diff_lines)"])
    assert cut_text(excerpt, 200, total=1_000).split("\n")[-1].endswith(f"more lines (of 1,000); {MORE}")
    lines = cut_text(excerpt, 200, total=1_000).split("\n")
    assert lines[-1].startswith(f"… {1_000 - len(lines) + 1} more lines")


def test_one_line_that_does_not_fit_is_shortened() -> None:
    assert cut_text("x" * 400, 200).split("\n")[0].endswith("… (400 characters)")
    assert cut_text("x" * 400, 30) == f"{'x' * 12}… (400 characters)"
    assert cut_text("one\ntwo\nthree", 0) == ""


def test_sentences_share_their_room_and_are_lines() -> None:
    assert cut_sentences(["one\ntwo", "three"], 100) == ("one two", "three")
    assert [*map(len, cut_sentences(["x" * 900, "y" * 900], 400))] == [200, 200]
    assert cut_sentences([], 100) == ()


ROWS = [
    {"file": f"{number % 3}.txt", "line": number, "match": "red é", "groups": ["red", None]} for number in range(99)
]


def test_a_list_is_cut_at_an_item() -> None:
    text, kept = cut_rows(ROWS, 500)
    assert (json.loads(text), kept) == (ROWS[:kept], 7)
    assert describe_cut(ROWS, kept) == "… 92 more matches (of 99 in 3 files); narrow the pattern or the files"
    assert describe_cut(ROWS, 98, "use max_matches") == "… 1 more match (of 99 in 3 files); use max_matches"
    assert cut_rows([], 10) == ("[]", 0)


def test_long_texts_in_an_item_are_shortened() -> None:
    row = {"content": f"short\n{'x' * 2_000}", "list": ["y" * 600]}
    text, kept = cut_rows([row, row], 5_000)
    shortened = {"content": f"short\n{'x' * 480}… (2,000 characters)", "list": [f"{'y' * 482}… (600 characters)"]}
    assert (json.loads(text), kept) == ([shortened, shortened], 2)
    assert describe_cut([row, row], kept).startswith("Lines are cut at 500 characters;")
    assert (are_lines_short([row]), are_lines_short([shortened])) == (False, True)


def test_a_first_item_that_is_too_large_is_shortened_until_it_fits_or_left_out() -> None:
    row = {"file": "a", "segment": 1, "content": "line\n" * 1_000, "context": ["x"] * 1_000}
    text, kept = cut_rows([row, row], 400)
    (shown,) = json.loads(text)
    assert (len(text) <= 400, kept, shown.keys()) == (True, 1, row.keys())
    assert describe_cut([row, row], kept) == "… 1 more segment (of 2); narrow the pattern or the files"
    assert cut_rows([row], 20) == ("[]", 0)
    assert describe_cut([{}, {}], 0) == "… 2 more items (of 2); narrow the pattern or the files"


def test_metadata_keeps_its_keys_and_gives_the_totals_of_what_is_cut() -> None:
    data = {
        "change_id": "538expdf9ytr83s",
        "hash": f"sha256:{'0' * 64}",
        "diff": {"unified": "+x\n" * 9_000, "added": 9_000},
        "files": [{"path": "a.txt"}] * 1_000,
    }
    cut = cut_data(data, 2_000)
    assert (cut["change_id"], cut["hash"], cut["diff"]["added"]) == (data["change_id"], data["hash"], 9_000)
    assert cut["diff"]["unified"].endswith("… (27,000 characters)")
    assert (cut["files"][0], len(cut["files"]) < 1_000) == ({"path": "a.txt"}, True)
    assert cut["shortened"] == {"diff.unified": 27_000, "files": 1_000}
    assert size(cut) <= 2_000
    assert cut_data(data, 100_000) is data


def test_lists_inside_lists_have_their_totals_too() -> None:
    cut = cut_data({"changes": [{"files": ["x" * 50] * 300}, {"files": ["y"]}]}, 1_000)
    assert cut["shortened"]["changes[0].files"] == 300


def test_the_message_and_the_hint_of_an_error_are_longer_than_other_texts() -> None:
    error = {
        "code": "NO_MATCH",
        "message": "m" * 900,
        "hint": "h" * 900,
        "retryable": False,
        "search_text": "x" * 9_000,
    }
    cut = cut_data({"error": error}, 2_200)
    assert {name: cut["error"][name] for name in ("code", "message", "hint")} == {
        name: error[name] for name in ("code", "message", "hint")
    }
    assert cut["shortened"] == {"error.search_text": 9_000}


@pytest.mark.parametrize("change", [{}, {"change_id": "538expdf9ytr83s"}])
def test_an_error_with_too_many_fields_is_left_with_its_own(change: dict[str, Any]) -> None:
    fields = {f"field {number}": "x" * 100 for number in range(50)}
    error = {"code": "NO_MATCH", "message": "m" * 900, "hint": "h", "retryable": False}
    cut = cut_data({**change, "error": {**error, **fields}, "more": "x" * 9_000}, 1_000)
    assert size(cut) <= 1_000
    assert cut == {
        **change,
        "error": {**error, "message": f"{'m' * 315}… (900 characters)"},
        "shortened": {"error": 54},
    }


@settings(max_examples=50)
@given(TEXTS, st.integers(0, 3_000), TEXTS)
def test_a_cut_text_is_never_over_the_budget_and_has_no_long_line(text: str, most: int, ending: str) -> None:
    whole = f"{text}\n{ending}"
    shown = cut_text(whole, most, ending=ending)
    assert len(shown) <= most
    assert longest(shown) <= LINE_CHARS
    first = whole.split("\n", maxsplit=1)[0]
    assert most < 1_000 or shown.startswith(first[:400])  # the verdict
    kept, left = first_lines(text, most)
    assert len(kept) <= most
    assert left <= text.count("\n") + 1


@settings(max_examples=50)
@example([{"a": "\n" * 9 + "x" * 514, "b": "y" * 480 + "\nz" * 90}], 620)
@given(st.lists(st.dictionaries(st.sampled_from("abc"), JSON, min_size=1), max_size=6), st.integers(2, 3_000))
def test_a_cut_list_is_valid_and_within_the_budget(rows: list[dict[str, Any]], most: int) -> None:
    text, kept = cut_rows(rows, most)
    shown = json.loads(text)
    assert (len(text) <= most, len(shown), kept <= len(rows)) == (True, kept, True)
    assert are_lines_short(shown)
    assert [row.keys() for row in shown] == [row.keys() for row in rows[:kept]]


@settings(max_examples=50)
@given(st.dictionaries(st.sampled_from("abcdefgh"), JSON), st.integers(2_000, 4_000))
def test_cut_metadata_has_every_key_and_fits(data: dict[str, Any], most: int) -> None:
    cut = cut_data(data, most)
    assert data.keys() <= cut.keys()
    assert (cut == data) == ("shortened" not in cut)
