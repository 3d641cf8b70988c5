"""What each reader calls arguments, settings, tools and parts of a reply."""

from collections.abc import Callable

import pytest

from suture import errors, wording
from suture.audience import EDITOR, MODEL, PATCH_WRITER, TERMINAL, Audience

BLOCK, HUNK = MODEL.about_block(), PATCH_WRITER.about_block()
WORDS = [
    (lambda reader: reader.argument("default_path"), "default_path", "--default-path"),
    (lambda reader: reader.argument("path"), "path", "PATH"),
    (lambda reader: reader.argument("edits[0].old_text"), "edits[0].old_text", "edits[0].old_text"),
    (lambda reader: reader.argument("line_edits[0].start_line"), "line_edits[0].start_line", "--lines"),
    (lambda reader: reader.of_edit(1, "new_text"), "edits[1].new_text", "edits[1].new_text"),
    (lambda reader: reader.setting("project_commands"), "--set project_commands=true", "--allow-commands"),
    (lambda reader: reader.setting("max_edits"), "--set max_edits=N", "--set max_edits=N"),
    (lambda reader: reader.setting("history"), "--set history=false", "--set history=false"),
    (lambda reader: reader.setting("protect"), "--set protect=GLOB", "--set protect=GLOB"),
    (lambda reader: reader.setting("encodings"), "--set encodings=GLOB=ENCODING", "--set encodings=GLOB=ENCODING"),
    (lambda reader: reader.setting("extra_roots"), "--set extra_roots=FOLDER", "--set extra_roots=FOLDER"),
    (lambda reader: reader.setting("durability"), "--set durability=full|fast", "--set durability=full|fast"),
    (lambda reader: reader.setting("config"), "--set config=FILE", "--set config=FILE"),
    (
        lambda reader: reader.ask_operator("raise the limit", "regex_file_ms"),
        "ask the operator to raise the limit (--set regex_file_ms=N)",
        "raise the limit (--timeout SECONDS)",
    ),
    (lambda reader: reader.tool("file_read"), "file_read", "suture read"),
    (lambda reader: reader.tool("patch"), "patch", "patch"),
    (lambda reader: reader.turn_on("whole_files"), "set whole_files", "add --whole-files"),
    (lambda reader: reader.add_literal(), "add literal: true", "add --literal"),
    (lambda reader: reader.choose("match", "lenient"), 'set match to "lenient"', "use --match lenient"),
    (lambda reader: reader.by("encoding"), "", " with --encoding"),
    (lambda reader: reader.update_occurrences(3), "Update occurrences to 3", "Give --occurrences 3"),
    (lambda reader: reader.text_given_by("expected_text"), "expected_text", "The text of --expected-text"),
    (
        lambda reader: reader.whole_content(),
        "give its whole content instead",
        "give its whole content instead, with suture write",
    ),
    (lambda reader: reader.mark_failure("❌", "Invalid arguments:"), "❌ Invalid arguments:", "Invalid arguments:"),
]


@pytest.mark.promise("cli.errors")
@pytest.mark.parametrize(("words", "model", "terminal"), WORDS)
def test_a_terminal_reads_of_options_and_commands_and_a_model_of_arguments_and_tools(
    words: Callable[[Audience], str], model: str, terminal: str
) -> None:
    assert (words(MODEL), words(TERMINAL)) == (model, terminal)


def test_the_editor_dialect_has_its_own_names_for_the_two_texts() -> None:
    assert [EDITOR.argument(name) for name in ("old_text", "new_text", "path")] == ["old_str", "new_str", "path"]
    assert EDITOR.of_edit(0, "new_text") == "new_str"


@pytest.mark.parametrize(
    ("path", "edit", "command"),
    [
        ("a.py", '{"old_text": "a"}', """suture edit a.py '{"old_text": "a"}' --dry-run"""),
        ("-a b", "{}", "suture edit './-a b' '{}' --dry-run"),
        ("a", '"\u200b\U000e0001"', r"""suture edit a '"\u200b\udb40\udc01"' --dry-run"""),
    ],
)
def test_a_correction_on_a_terminal_is_a_command_to_copy(path: str, edit: str, command: str) -> None:
    reader = TERMINAL.evolve(edit_options=" --dry-run")
    assert reader.correction(path, edit, others="") == ("Type this instead", command)


def test_a_correction_of_one_of_several_edits_is_a_part_of_what_was_sent() -> None:
    expected = "Send this edit in place of edit 2", "{}"
    assert [reader.correction("a", "{}", others=" in place of edit 2") for reader in (MODEL, TERMINAL)] == [
        expected,
        expected,
    ]
    assert MODEL.correction("a", "{}", others="") == ("Send this edit instead", "{}")


def test_a_patch_has_sections_and_hunks_in_an_input_and_a_reply_has_blocks() -> None:
    error = errors.IncompleteBlock(problem="no_end", reply_line=3, format="v4a", path="a.py")
    assert wording.message(error, BLOCK) == (
        "The block for a.py that begins at line 3 of the reply is cut off: *** End Patch is missing."
    )
    assert wording.message(error, HUNK) == (
        "The section for a.py that begins at line 3 of the input is cut off: *** End Patch is missing."
    )
    assert wording.hint(error, BLOCK) == "Send this block again in full."
    assert wording.hint(error, HUNK) == ("Write it in full; the patch ends with *** End Patch.")
