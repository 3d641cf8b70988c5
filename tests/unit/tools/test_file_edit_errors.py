"""The tool `file_edit`, the specification's category 6: errors that a model can act on."""

from pathlib import Path

import pytest

from suture import ToolResult, Workspace
from tests.unit.changes import refused, workspace
from tests.unit.file_edits import Edit, ask, edit, failed, kinds, offered, seen, wrong

# The specification's own examples

APP = [f"// line {number}" for number in range(1, 71)]
APP[44] = "const  foo = 'bar';"
APP[66] = 'const foo = "bar";'
UTILS = [f"// line {number}" for number in range(1, 121)]
for number, depth in ((12, 4), (34, 8), (56, 4), (78, 12), (102, 4)):
    UTILS[number - 1] = " " * depth + f"console.log('message {number}');"
MOST = 16  # lines that are not blank: the specification says about 15
UTILS[10:13] = ["function init() {", "    console.log('Starting process');", "    const config = loadConfig();"]


def in_order(text: str, *lines: str) -> bool:
    """Whether these lines stand in a text in this order, with others between them or not."""
    rest = iter(line.rstrip() for line in text.split("\n"))
    return all(line in rest for line in lines)


def told(result: ToolResult) -> list[str]:
    """The lines of a text that are not blank."""
    return [line for line in result.text.split("\n") if line.strip()]


@pytest.mark.promise("edit.words")
def test_no_match_is_told_in_the_words_of_the_specification() -> None:
    edits = [edit("const foo = 'bar';", "x"), edit("a", "b"), edit("c", "d")]
    result = failed("\n".join(APP).encode(), *edits, path="src/app.ts")
    assert in_order(
        result.text,
        "Edit 1 of 3 failed: Could not find exact text in src/app.ts.",
        "Searched for (between >>>markers<<<):",
        ">>>const foo = 'bar';<<<",
        "File contains similar content that might be what you're looking for:",
        "Suggestions:",
    )
    assert result.text.startswith("Edit 1 of 3 failed: Could not find exact text in src/app.ts.\n")
    assert "Line 45: const  foo = 'bar';" in result.text
    assert 'Line 67: const foo = "bar";' in result.text
    assert result.text.count("  Difference: ") == 2
    assert "1. " in result.text.partition("Suggestions:")[2]
    assert "file_read" in result.text
    found = {each["line_number"]: each for each in wrong(result)["similar_content"]}
    assert (found[45]["content"], found[67]["content"]) == (APP[44], APP[66])
    assert {each["type"] for each in found[45]["differences"]} == {"whitespace"}
    assert {each["type"] for each in found[67]["differences"]} == {"punctuation"}
    assert len(told(result)) <= MOST


@pytest.mark.promise("edit.words")
def test_a_wrong_count_is_told_in_the_words_of_the_specification() -> None:
    edits = [edit("// line 1\n", "// first\n"), edit("console.log", "logger.info", 3)]
    result = failed("\n".join(UTILS).encode(), *edits, path="src/utils.ts")
    assert in_order(
        result.text,
        "Edit 2 of 2 failed: Expected 3 occurrences but found 5 in src/utils.ts.",
        "",
        "Expected to replace 3 instances of 'console.log' but found 5 instances at:",
        "  Line 12, column 5",
        "  Line 34, column 9",
        "  Line 56, column 5",
        "  Line 78, column 13",
        "  Line 102, column 5",
        "",
        "Options to fix:",
        "1. Update occurrences to 5 if you want to replace all instances",
        "2. Add more context to make the old_text unique to just the 3 you want",
        "3. Split into multiple edits with unique old_text for each target",
    )
    assert result.text.startswith("Edit 2 of 2 failed: Expected 3 occurrences but found 5 in src/utils.ts.\n")
    assert wrong(result)["match_locations"][0] == {
        "line_number": 12,
        "column_start": 5,
        "column_end": 16,
        "line_content": "    console.log('Starting process');",
        "context_before": "function init() {",
        "context_after": "    const config = loadConfig();",
    }
    assert len(told(result)) <= MOST
    assert "ADJUST_COUNT" in kinds(result)


# The specification's list


@pytest.mark.parametrize(
    ("before", "old", "words"),
    [
        ("\t\treturn 1\n", "        return 1", ["2 tabs", "8 spaces"]),
        ("        return 1\n", "\t\treturn 1", ["8 spaces", "2 tabs"]),
        ("a = 1  \nb = 2\n", "a = 1\nb = 2\n", ["2 spaces"]),
        ("a = 1\nb = 2\n", "a = 1   \nb = 2\n", ["3 spaces"]),
        ("alpha = 1\nbeta = 2\n", "alpha = 1\r\nbeta = 2\r\n", ["CRLF"]),
        ("function  foo() {\n}\n", "function foo() {", ["space"]),
    ],
)
@pytest.mark.promise("edit.differences")
def test_suggests_fixes_for_whitespace_mismatches(before: str, old: str, words: list[str]) -> None:
    result = failed(before.encode(), edit(old, "something else"))
    assert {each["type"] for each in wrong(result)["similar_content"][0]["differences"]} == {"whitespace"}
    assert {"CHECK_WHITESPACE", "USE_EXACT_TEXT"} & set(kinds(result))
    for word in words:
        assert word in result.text


@pytest.mark.parametrize(
    ("before", "style"),
    [("if a:\n\tb = 1\n\tc = 2\n", "tabs"), ("if a:\n    b = 1\n    c = 2\n", "spaces")],
)
def test_says_whether_the_file_uses_tabs_or_spaces(before: str, style: str) -> None:
    other = before.replace("\t", "  ") if style == "tabs" else before.replace("    ", "\t")
    text = failed(before.encode(), edit(other, other.replace("1", "3"))).text
    assert "tabs" in text
    assert "spaces" in text
    assert f"the file uses {style}" in text


@pytest.mark.parametrize(
    ("before", "old"),
    [
        ("const userId = getUserId();\n", "const userid = getUserId();"),
        ("SELECT * FROM users;\n", "select * from users;"),
        ("class Straße:\n", "class STRAßE:"),
    ],
)
@pytest.mark.promise("edit.differences")
def test_identifies_case_sensitivity_issues(before: str, old: str) -> None:
    result = failed(before.encode(), edit(old, "x"))
    assert {each["type"] for each in wrong(result)["similar_content"][0]["differences"]} == {"case"}
    assert "case" in result.text


@pytest.mark.parametrize(
    ("before", "old", "kind", "words"),
    [
        ("say(“hello”)\n", 'say("hello")', "punctuation", ["U+201C", "U+0022"]),
        ('say("hello")\n', "say(“hello”)", "punctuation", ["U+0022", "U+201C"]),
        ("a – b = c\n", "a - b = c", "punctuation", ["U+2013", "U+002D"]),
        ("let\u00a0value = 1\n", "let value = 1", "whitespace", ["U+00A0"]),
        ("value = total(1);\n", "value = total(1)\n", "punctuation", []),
        ("value = totals(1)\n", "value = total_of(1)", "content", []),
    ],
)
@pytest.mark.promise("edit.differences")
def test_differences_are_typed_and_named(before: str, old: str, kind: str, words: list[str]) -> None:
    result = failed(before.encode(), edit(old, "x"))
    assert {each["type"] for each in wrong(result)["similar_content"][0]["differences"]} == {kind}
    for word in words:
        assert word in result.text


@pytest.mark.parametrize(
    ("before", "old"),
    [
        ("def one():\n    return 2\n", "    return 1\n"),
        ("def one():\n    return 2\n", "    return 1"),
        ("if a:\n\tb = call(2)\n\tc = 3\n", "\tb = call(1)\n\tc = 3\n"),
        ("if a:\n    b = call(2)\n    c = 3\n", "    b = call(1)\n    c = 4\n"),
    ],
)
def test_white_space_that_is_the_same_is_not_called_different(before: str, old: str) -> None:
    result = failed(before.encode(), edit(old, "    something else\n"))
    for each in wrong(result)["similar_content"]:
        assert "whitespace" not in {one["type"] for one in each["differences"]}
    assert "file has none" not in result.text


def test_a_difference_has_what_was_sent_and_what_is_found() -> None:
    told = wrong(failed(b"say(hello)\n", edit("say(hullo)", "x")))
    (difference,) = told["similar_content"][0]["differences"]
    assert "u" in difference["expected"]
    assert "e" in difference["found"]
    assert difference["type"] == "content"


@pytest.mark.parametrize(
    ("old", "word"),
    [
        ('print(\\"total of all\\", total)', "escape"),
        ("if total &lt; limit:", "entit"),
        ("     3\tif total < limit:\n     4\t    print()\n", "number"),
    ],
)
def test_what_a_copy_adds_is_named(old: str, word: str) -> None:
    before = b'x = 1\nprint("total of all", total)\nif total < limit:\n    print()\n'
    result = failed(before, edit(old, "something else"))
    assert word in result.text.lower()
    assert {"ESCAPE_SPECIAL", "USE_EXACT_TEXT"} & set(kinds(result))


@pytest.mark.promise("edit.nearest")
def test_shows_similar_content_when_no_exact_match() -> None:
    before = b"def one():\n    return 1\n\n\ndef compute_total(orders):\n    return sum(orders)\n"
    result = failed(before, edit("def compute_totals(order):", "x"))
    assert wrong(result)["similar_content"][0]["line_number"] == 5
    assert wrong(result)["similar_content"][0]["similarity_score"] > 0.7
    assert wrong(result)["similar_content"][0]["symbol"] == "compute_total"
    assert "Line 5 in compute_total: def compute_total(orders):" in result.text
    preview = result.metadata["file_preview"]
    assert preview["preview_start_line"] <= 5 <= preview["preview_end_line"]


def test_nothing_is_shown_as_similar_that_is_not() -> None:
    result = failed(b"def one():\n    return 1\n", edit("SELECT name FROM customers WHERE id = 7", "x"))
    assert wrong(result)["similar_content"] == []
    assert "similar content" not in result.text
    assert "file_read" in result.text


def test_provides_line_numbers_for_all_matches() -> None:
    result = failed(b"x\ny\nx\n  x\n", edit("x", "z"))
    for place in ("Line 1, column 1", "Line 3, column 1", "Line 4, column 3"):
        assert place in result.text


@pytest.mark.parametrize(
    ("before", "old"), [(b"one\n", "two"), (b"def one():\n    pass\n", "def  one():\n\tpass"), (b"", "x")]
)
def test_suggests_using_file_read_for_exact_content(before: bytes, old: str) -> None:
    assert "file_read" in failed(before, edit(old, "x")).text


def test_explains_why_binary_files_cannot_be_edited() -> None:
    result = failed(b"\x7fELF\0\0", edit("ELF", "x"), path="bin/tool")
    assert "bin/tool" in result.text
    assert "binary" in result.text
    assert "NUL" in result.text or "null" in result.text.lower()


@pytest.mark.parametrize(
    ("path", "edits", "code"),
    [
        ("a", [edit("two", "x")], "NO_MATCH"),
        ("a", [edit("one", "x", 2)], "WRONG_COUNT"),
        ("b", [edit("one", "x")], "FILE_NOT_FOUND"),
        ("bin", [edit("one", "x")], "BINARY_FILE"),
        ("ro", [edit("one", "x")], "PERMISSION_DENIED"),
        ("l1", [edit("one", "é")], "ENCODING_UNKNOWN"),
        ("a", [edit("one", "x")] * 1_001, "INPUT_TOO_LARGE"),
        ("../a", [edit("one", "x")], "PATH_OUTSIDE_WORKSPACE"),
        ("a", [], "INVALID_ARGUMENTS"),
    ],
)
def test_provides_clear_next_steps_for_each_error_type(path: str, edits: list[Edit], code: str) -> None:
    ws, fs = workspace({"a": b"one\n", "bin": b"\0", "ro": b"one\n", "l1": b"one \xe9\n"})
    fs.node_of("ro").mode = 0o444
    result = ask(ws, path, *edits)
    error = refused(result)
    assert error["code"] == code
    assert error["hint"]
    assert 2 <= len(told(result)) <= MOST


# How much is said


@pytest.mark.promise("edit.words")
def test_of_what_was_sent_at_most_one_line_is_repeated() -> None:
    sent = "".join(f"wholly_new_line_{word}()\n" for word in "alpha beta gamma delta epsilon".split())
    new = sent.replace("wholly", "entirely")
    for before in (b"one\ntwo\n", b"wholly_other_line()\n" * 3, b""):
        result = failed(before, edit(sent, new))
        assert sum(line in result.text for line in (sent + new).split("\n") if line) <= 1
        assert len(told(result)) <= MOST


@pytest.mark.promise("edit.words")
def test_of_lines_that_the_file_lacks_at_most_one_is_repeated() -> None:
    lacking = ["brand_new_a()", "brand_new_b()", "brand_new_c()", "brand_new_d()"]
    before = b"import os\nkeep_this_line_here = 1\nother = 2\n"
    text = failed(before, edit("\n".join(["keep_this_line_here = 1", *lacking]), "x")).text
    assert sum(line in text for line in lacking) <= 1


@pytest.mark.parametrize(
    ("before", "old"),
    [
        ("A_FUTURE_ANNOTATIONS = 1  # kept\nB = 2\n", "ANNOTATIONS\n"),
        ("value = total\n", "value = total\n\n"),
        ("value = total", "value = total\n"),
        ("x = 1\nvalue = total\n", "x = 1\n\n\nvalue = total\n"),
    ],
)
def test_what_does_not_match_differs_in_something(before: str, old: str) -> None:
    for each in wrong(failed(before.encode(), edit(old, "something_else\n")))["similar_content"]:
        assert each["differences"]
        assert each["similarity_score"] < 1


def test_no_place_is_told_twice() -> None:
    sent = "".join(f"wholly_new_line_{word}()\n" for word in "alpha beta gamma delta epsilon".split())
    for before in (b"wholly_other_line()\n" * 3, b"wholly_new_line_alpha\n\n\nwholly_new_line_beta\n"):
        similar = wrong(failed(before, edit(sent, "x\n")))["similar_content"]
        places = [(each["line_number"], each["content"]) for each in similar]
        assert len(set(places)) == len(places)


@pytest.mark.parametrize("old", ["    return 1", "\treturn 1", "return 1  ", "  return 1\n"])
def test_what_was_searched_is_shown_with_its_white_space(old: str) -> None:
    text = failed(b"def one():\n      return 2\n", edit(old, "x")).text
    shown = text.partition(">>>markers<<<):\n>>>")[2].partition("<<<")[0]
    assert shown.replace("\\t", "\t").replace("\\n", "\n").rstrip("\n") == old.rstrip("\n")


def test_a_long_line_that_was_sent_is_cut() -> None:
    text = failed(b"one\n", edit("x" * 5_000, "y" * 5_000)).text
    assert len(text) < 2_000
    assert "yyyy" not in text


@pytest.mark.parametrize("size", [1, 10, 100, 1_000])
def test_a_text_stays_short_whatever_the_size_of_the_file(size: int) -> None:
    before = "".join(f"def function_{number}(a, b):\n    return a + b * {number}\n\n\n" for number in range(size))
    for each in (edit("def function_0(a, c):\n    return a - c * 0\n", "x\n"), edit("return", "x", size + 1)):
        result = failed(before.encode(), each)
        assert len(told(result)) <= MOST
        assert len(result.text) < 3_000


def test_the_words_wrapped_in_quotes_of_a_wrong_count_are_one_line() -> None:
    result = failed(b"alpha\nbeta\n" * 3, edit("alpha\nbeta\n", "x\n"))
    assert "Expected 1 occurrence" in result.text
    assert "but found 3 in a." in result.text
    assert "beta" not in result.text


def test_control_characters_of_a_file_are_not_handed_on() -> None:
    text = failed(b"say hello \x1b[31mred\x1b[0m\n", edit("say hullo \x1b[31mred\x1b[0m", "x")).text
    assert "\x1b" not in text


# What a failed call leaves behind


@pytest.mark.parametrize(
    "edits",
    [
        [edit("nowhere", "x")],
        [edit("one", "1"), edit("nowhere", "x")],
        [edit("one", "1"), edit("two", "x", 7)],
        [edit("one", "1", 0)],
        [],
    ],
)
@pytest.mark.parametrize("dry", [False, True])
@pytest.mark.promise("edit.one-read-one-write")
def test_a_failed_call_leaves_no_trace_on_the_disk(tmp_path: Path, edits: list[Edit], *, dry: bool) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\r\ntwo\n")
    before, folder = path.stat(), tmp_path.stat().st_mtime_ns
    assert ask(Workspace(tmp_path), "a", *edits, dry_run=dry).is_error
    after = path.stat()
    assert (after.st_mtime_ns, after.st_ino, after.st_mode) == (before.st_mtime_ns, before.st_ino, before.st_mode)
    assert path.read_bytes() == b"one\r\ntwo\n"
    assert ([each.name for each in tmp_path.iterdir()], tmp_path.stat().st_mtime_ns) == (["a"], folder)


def test_a_failed_call_is_not_in_the_history_and_takes_back_nothing() -> None:
    ws, fs = workspace({"a": b"one\n"})
    untouched = seen(fs)
    for _ in range(3):
        assert ask(ws, "a", edit("one", "1"), edit("nowhere", "x")).is_error
    assert refused(ws.undo())["code"] == "NOTHING_TO_UNDO"
    assert seen(fs) == untouched


def test_an_error_about_a_later_edit_is_about_the_text_it_would_have_met() -> None:
    result = failed(b"alpha beta gamma\n", edit("beta", "delta"), edit("alpha  delta", "x"))
    assert wrong(result)["edit_index"] == 1
    assert wrong(result)["similar_content"][0]["line_number"] == 1
    assert "alpha delta gamma" in wrong(result)["similar_content"][0]["content"]
    ws, fs = workspace({"a": b"alpha beta gamma\n"})
    assert not ask(ws, "a", edit("beta", "delta"), *offered(result)).is_error
    assert fs.files()["a"] == b"x gamma\n"
