"""`grep` and `glob`: what case files do not show."""

import pytest

from suture import Settings
from suture.tools.grep import fitting
from tests.unit.changes import error_of, workspace


def test_an_answer_is_cut_to_its_budget_and_gives_the_totals() -> None:
    files = {f"folder/file-{number:03}.txt": b"user\n" * 50 for number in range(100)}
    ws, _ = workspace(files, Settings(max_answer_chars=1_000))
    for mode, noun, total in (("content", "more lines in", 5_000), ("count", "more files", 5_000)):
        result = ws.grep("user", output_mode=mode, head_limit=10_000)
        assert len(result.text) <= 1_000
        assert noun in result.text.split("\n")[-1]
        assert (result.metadata["total"], result.metadata["truncated"]) == (total, True)
    result = ws.glob("*.txt", head_limit=10_000)
    assert len(result.text) <= 1_000
    assert result.text.endswith("more of 100; narrow pattern or path")
    assert len(result.metadata["paths"]) == 100


def test_a_heading_is_shown_once_and_a_gap_only_between_lines_that_are_shown() -> None:
    entries = [("a", "1:x"), ("a", None), ("a", "5:x"), ("b", "1:x"), ("b", None), ("b", "9:x")]
    assert fitting(iter(entries), 9, 10_000).lines == ["a", "1:x", "--", "5:x", "", "b", "1:x", "--", "9:x"]
    shown = fitting(iter(entries), 3, 10_000)
    assert (shown.lines, shown.left, shown.files_left) == (["a", "1:x", "--", "5:x", "", "b", "1:x"], 1, 1)


def test_a_minified_line_is_cut_around_its_match() -> None:
    ws, _ = workspace({"a.js": b"x" * 100_000 + b" user " + b"y" * 100_000})
    (line,) = ws.grep("user", path="a.js", output_mode="content").text.split("\n")
    assert "user" in line
    assert line.endswith("(200,006 characters)")
    assert len(line) <= 500


@pytest.mark.parametrize(
    ("pattern", "multiline", "lines"),
    [
        (r"foo\s+bar", False, ["1:foo bar"]),
        (r"foo\s+bar", True, ["1:foo bar", "2:foo", "3:bar"]),
        (r"\([^)]*\)", False, ["4:(a)"]),
        (r"foo\nbar", False, ["2:foo", "3:bar"]),
        (r"(foo|ba)\S(?=[^x]|$)", False, ["1:foo bar", "3:bar"]),
        (r"^\P{L}*$", False, ["6:"]),
    ],
)
def test_a_match_stays_in_its_line_unless_the_pattern_leaves_it(
    pattern: str, *, multiline: bool, lines: list[str]
) -> None:
    ws, _ = workspace({"a.txt": b"foo bar\nfoo\nbar\n(a)\n(b\n\nc)\n"})
    result = ws.grep(pattern, path="a.txt", output_mode="content", multiline=multiline)
    assert result.text.split("\n") == lines


@pytest.mark.parametrize(
    ("path", "glob", "paths"),
    [
        (None, "*.py", ["a.py", "src/b.py", "src/web/c.py"]),
        (None, "src/*.py", ["src/b.py"]),
        (None, "./src/*.py", ["src/b.py"]),
        (None, "src/**/*.{py,js}", ["src/b.py", "src/web/c.py", "src/web/d.js"]),
        ("src", "*.py", ["src/b.py", "src/web/c.py"]),
        ("src", "src/*.py", ["src/b.py"]),
        ("src/", "web", ["src/web/c.py", "src/web/d.js"]),
        ("src", None, ["src/b.py", "src/web/c.py", "src/web/d.js"]),
        ("src", "!*.py", ["src/web/d.js"]),
        ("src/**/*.js", None, ["src/web/d.js"]),
        (".", "*.js", ["src/web/d.js"]),
        ("<root>/src", "*.js", ["src/web/d.js"]),
        (None, "<root>/src/*.py", ["src/b.py"]),
    ],
)
def test_a_path_and_a_glob_choose_the_files(path: str | None, glob: str | None, paths: list[str]) -> None:
    ws, fs = workspace({"a.py": b"x", "src/b.py": b"x", "src/web/c.py": b"x", "src/web/d.js": b"x"})
    path, glob = (None if name is None else name.replace("<root>", fs.root) for name in (path, glob))
    assert ws.grep("x", path=path, glob=glob).text.split("\n") == paths
    if glob is not None and not glob.startswith("!"):
        assert ws.glob(glob, path=path).text.split("\n") == paths


def test_a_path_that_does_not_exist_suggests_one_that_does() -> None:
    ws, _ = workspace({"src/app.py": b"x"})
    for result in (ws.grep("x", path="app.py"), ws.glob("*.py", path="app.py")):
        assert (error_of(result)["code"], error_of(result)["near"]) == ("FILE_NOT_FOUND", ["src/app.py"])


@pytest.mark.parametrize("head_limit", [0, 3])
def test_a_number_of_entries_limits_an_answer_unless_it_is_0(head_limit: int) -> None:
    ws, _ = workspace({f"{number}.txt": b"x\n" for number in range(5)})
    shown = head_limit or 5
    for result in (ws.grep("x", head_limit=head_limit), ws.glob("*", head_limit=head_limit)):
        names = [line for line in result.text.split("\n") if line.endswith(".txt")]
        assert len(names) == shown
        assert ("or raise head_limit" in result.text) == (head_limit == 3)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"type": "python"}, "a.py"),
        ({"type": "toml"}, "c.toml"),
        ({"type": "js", "glob": "*.py"}, "a.py"),
        ({"glob": "*.py", "output_mode": "content", "-A": 1, "-B": 0}, "a.py\n2:x\n3-z"),
        ({"glob": "*.py", "output_mode": "content", "-A": 1, "context": 0}, "a.py\n2:x"),
    ],
)
def test_the_options_of_ripgrep_are_understood(arguments: dict[str, object], text: str) -> None:
    ws, _ = workspace({"a.py": b"y\nx\nz\n", "b.js": b"x\n", "c.toml": b"x\n"})
    result = ws.call("grep", {"pattern": "^x", **arguments})
    assert [line for line in result.text.split("\n") if line != "1-y"] == text.split("\n")


def test_ignored_files_are_included_on_request() -> None:
    ws, _ = workspace({".gitignore": b"*.log\n", "a.log": b"user\n"})
    assert ws.grep("user", glob="*.log").text.startswith("No files match *.log. The matching files are ignored")
    assert ws.grep("user", glob="*.log", include_ignored=True).text == "a.log"
    assert ws.glob("*.log", include_ignored=True).text == "a.log"


def test_a_line_feed_in_a_pattern_matches_the_line_breaks_of_every_file() -> None:
    ws, _ = workspace({"lf.txt": b"x\ny\n", "crlf.txt": b"x\r\ny\r\n", "empty.txt": b""})
    assert ws.grep("x\\ny").text == ws.grep("x\ny", multiline=True).text == "crlf.txt\nlf.txt"
    assert ws.grep("^", output_mode="count").text == "crlf.txt:2\nlf.txt:2"
