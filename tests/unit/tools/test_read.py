"""The tool `file_read`, and what a model is shown of a long file."""

from pathlib import Path
from typing import Any

from suture import ToolResult, Workspace
from tests.unit.changes import workspace

THREE = b"one\ntwo\nthree\n"


def test_the_typed_method_is_the_same_call(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(THREE)
    ws = Workspace(tmp_path)
    assert ws.file_read("a", 2, 3, format="raw") == ws.call(
        "file_read", {"path": "a", "start_line": 2, "end_line": 3, "format": "raw"}
    )


def within(content: bytes, most: int, **arguments: Any) -> ToolResult:
    ws, _ = workspace({"a": content})
    return ws.call("file_read", {"path": "a", **arguments}).within(most)


def test_a_model_is_shown_the_lines_that_fit_and_how_to_continue() -> None:
    part = within(b"line\n" * 900, 1_000, start_line=101, end_line=800)
    data = part.metadata
    end = data["end_line"]
    assert (data["start_line"], data["truncated"], data["total_lines"]) == (101, True, 900)
    note = f"Note: truncated after line {end} of 900; continue with start_line {end + 1}."
    assert part.text == "\n".join(f"{number:6d}\tline" for number in range(101, end + 1)) + f"\n\n{note}"
    assert part.blocks == [part.text]


def test_a_model_is_told_beside_a_raw_text_what_is_missing() -> None:
    part = within(b"line\r\n" * 900, 1_000, format="raw")
    end = part.metadata["end_line"]
    assert part.blocks == [
        "line\r\n" * end,
        f"Note: truncated after line {end} of 900; continue with start_line {end + 1}.",
    ]


def test_no_long_line_is_shown_whole() -> None:
    part = within(b"short\n" + b"x" * 1_000_000 + b"\nend\n", 25_000)
    first, second, third, _, note = part.text.split("\n")
    assert (first, third) == ("     1\tshort", "     3\tend")
    assert (second[:8], second[-24:], len(second)) == ("     2\tx", "… (1,000,000 characters)", 500)
    assert note == "Note: lines are cut at 500 characters; to see a part of one, search for it."
    assert (part.metadata["truncated"], part.metadata["end_line"]) == (True, 3)


def test_lines_that_end_with_a_carriage_return_are_one_line_to_a_client() -> None:
    part = within(b"line\r" * 900, 25_000, format="raw")
    assert (part.text, part.metadata["end_line"]) == ("line\r" * 100, 100)
    assert part.blocks[1].startswith("Note: truncated after line 100 of 900;")


def test_a_cut_answer_keeps_the_note_on_an_unknown_encoding() -> None:
    part = within(b"caf\xe9\n" * 900, 1_000)
    assert [line[:22] for line in part.text.split("\n") if line.startswith("Note")] == [
        "Note: truncated after ",
        "Note: the encoding is ",
    ]
