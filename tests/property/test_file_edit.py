"""Properties of every call of `file_edit`: all edits as a plain loop would make them, or none at all."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from suture import Workspace
from suture.testing import MemoryFS
from tests.unit.changes import hash_of

# Little variety, so that texts meet and overlap; a few wide characters and blanks, so that offsets differ.
LITTLE = st.text("ab\n", max_size=30)
WIDE = st.text("ab \t\né🎉e\u0301{}", max_size=60)
ANY = st.text(st.characters(exclude_characters="\r\0\ufeff", exclude_categories=["Cs"]), max_size=60)
TEXTS = st.one_of(LITTLE, WIDE, ANY)
ENDINGS = st.sampled_from(["\n", "\r\n", "\r"])

Edit = dict[str, Any]


@st.composite
def right_calls(draw: Callable[[Any], Any]) -> tuple[str, list[Edit]]:
    """A text, and edits whose counts are right when they are made one after the other."""
    before: str = draw(TEXTS)
    text, edits = before, []
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, max(0, len(text) - 1)))
        old = text[start : start + draw(st.integers(1, 6))]
        new = draw(st.one_of(LITTLE, WIDE, st.just(old), st.just(old + old)))
        edits.append({"old_text": old, "new_text": new, "occurrences": text.count(old)})
        text = text.replace(old, new)
    return before, edits


@st.composite
def any_calls(draw: Callable[[Any], Any]) -> tuple[str, list[Edit]]:
    """A text, and edits, some of which may match."""
    edit = st.fixed_dictionaries(
        {"old_text": st.text("ab\n", max_size=3), "new_text": st.text("ab\n", max_size=4)},
        optional={"occurrences": st.integers(1, 4)},
    )
    text: str = draw(LITTLE)
    edits: list[Edit] = draw(st.lists(edit, min_size=1, max_size=5))
    return text, edits


def run_loop(text: str, edits: list[Edit]) -> tuple[str, tuple[int, int] | None]:
    """The text after a plain loop over the edits, and the first that does not match, with its real count."""
    for index, edit in enumerate(edits):
        old = edit["old_text"]
        count = text.count(old) if old else int(not text)
        if count != edit.get("occurrences", 1):
            return text, (index, count)
        text = text.replace(old, edit["new_text"])
    return text, None


def open_workspace(content: bytes) -> tuple[Workspace, MemoryFS]:
    fs = MemoryFS({"a": content})
    return Workspace(fs.root, fs=fs), fs


@given(right_calls())
@pytest.mark.promise("edit.count")
def test_edits_with_right_counts_give_what_a_plain_loop_gives(call: tuple[str, list[Edit]]) -> None:
    before, edits = call
    ws, fs = open_workspace(before.encode())
    result = ws.call("file_edit", {"path": "a", "edits": edits})
    assert not result.is_error, result.text
    expected, failing = run_loop(before, edits)
    assert failing is None
    assert fs.files()["a"] == expected.encode()
    assert result.metadata["total_replacements"] == sum(edit["occurrences"] for edit in edits)
    assert (result.metadata["change_id"] is None) == (expected == before)


@given(st.one_of(any_calls(), right_calls()), st.booleans())
@settings(max_examples=200)
@pytest.mark.promise("edit.sequence")
def test_a_call_makes_all_edits_or_fails_where_a_plain_loop_fails(
    call: tuple[str, list[Edit]],
    dry: bool,  # noqa: FBT001  drawn by Hypothesis
) -> None:
    before, edits = call
    ws, fs = open_workspace(before.encode())
    result = ws.call("file_edit", {"path": "a", "edits": edits, "dry_run": dry})
    expected, failing = run_loop(before, edits)
    assert result.is_error == (failing is not None), result.text
    assert fs.files() == {"a": before.encode() if dry or failing else expected.encode()}
    if failing is None:
        assert result.metadata["hash"] == hash_of(expected.encode())
        return
    index, count = failing
    error = result.metadata["validation_error"]
    assert (error["edit_index"], error["total_edits"]) == (index, len(edits))
    assert error["type"] == ("WRONG_COUNT" if count else "NO_MATCH")
    if count:
        assert (error["actual_occurrences"], len(error["match_locations"])) == (count, count)
    assert ws.history().metadata["changes"] == []
    assert fs.shelf == {}


@given(right_calls())
@example(("a\na", [{"old_text": "a\na", "new_text": "a\na"}, {"old_text": "a", "new_text": "a", "occurrences": 2}]))
@pytest.mark.promise("edit.dry-run")
def test_a_dry_run_predicts_the_call(call: tuple[str, list[Edit]]) -> None:
    before, edits = call
    ws, fs = open_workspace(before.encode())
    arguments = {"path": "a", "edits": edits}
    trial = ws.call("file_edit", {**arguments, "dry_run": True})
    assert fs.files() == {"a": before.encode()}
    real = ws.call("file_edit", arguments)
    after = fs.files()["a"]
    assert trial.metadata["hash"] == real.metadata["hash"] == hash_of(after)
    assert trial.metadata["would_modify"] == bool(trial.metadata["diff"]["unified"]) == (after != before.encode())
    assert trial.metadata["change_id"] is None


@given(right_calls())
@pytest.mark.promise("edit.undo")
def test_undo_brings_the_bytes_back(call: tuple[str, list[Edit]]) -> None:
    before, edits = call
    ws, fs = open_workspace(before.encode())
    if ws.call("file_edit", {"path": "a", "edits": edits}).metadata["change_id"] is not None:
        assert not ws.undo().is_error
    assert fs.files() == {"a": before.encode()}


@st.composite
def mixed_lines(draw: Callable[[Any], Any]) -> str:
    """Lines with endings of every kind."""
    lines = st.tuples(st.text("abé🎉 ", max_size=5), ENDINGS)
    return "".join(line + end for line, end in draw(st.lists(lines, max_size=6)))


@given(
    mixed_lines(),
    st.lists(st.text("xyé", max_size=4), min_size=1, max_size=4),
    st.sampled_from(["\n", "\r\n"]),
    st.text("xy\né", max_size=8),
    mixed_lines(),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
)
@pytest.mark.promise("edit.span")
def test_bytes_outside_of_the_span_never_change(
    above: str, lines: list[str], ending: str, new: str, below: str, codec: str
) -> None:
    before, old, after = f"{above}<<", ending.join(lines), f">>{below}"
    original = (before + "#" + old + "#" + after).encode(codec)
    ws, fs = open_workspace(original)
    edit = {"old_text": "#" + "\n".join(lines) + "#", "new_text": new}
    result = ws.call("file_edit", {"path": "a", "edits": [edit]})
    assert not result.is_error, result.text
    changed = fs.files()["a"].decode(codec)
    assert changed.encode(codec) == fs.files()["a"]
    assert changed.startswith(before)
    assert changed.endswith(after)
    inside = changed[len(before) : len(changed) - len(after)]
    assert inside.replace("\r\n", "\n").replace("\r", "\n") == new


@given(mixed_lines(), mixed_lines(), st.text("xy\n\ré", max_size=8))
def test_what_is_sent_with_carriage_returns_is_written_as_it_is(above: str, below: str, new: str) -> None:
    ws, fs = open_workspace(f"{above}<#>{below}".encode())
    literal = f"\r{new}"
    result = ws.call("file_edit", {"path": "a", "edits": [{"old_text": "<#>", "new_text": literal}]})
    assert not result.is_error, result.text
    assert fs.files()["a"] == f"{above}{literal}{below}".encode()


@given(st.lists(st.sampled_from(["ab", "ba", "a", "\n", "é"]), min_size=1, max_size=30), st.integers(0, 9))
@pytest.mark.promise("edit.places")
def test_places_of_a_wrong_count_are_where_they_are_said_to_be(pieces: list[str], more: int) -> None:
    text = "".join(pieces)
    old = "ab" if "ab" in text else text[0]
    count = text.count(old)
    ws, _ = open_workspace(text.encode())
    edit = {"old_text": old, "new_text": "x", "occurrences": count + 1 + more}
    error = ws.call("file_edit", {"path": "a", "edits": [edit]}).metadata["validation_error"]
    lines = text.split("\n")
    for place in error["match_locations"]:
        line = lines[place["line_number"] - 1]
        assert place["line_content"] == line
        assert (line + "\n")[place["column_start"] - 1 :].startswith(old)
    assert len(error["match_locations"]) == count
