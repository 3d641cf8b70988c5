"""How a command is named: by its word, with common options before it, and what is said of a word that is none."""

import json
from pathlib import Path

import pytest

from suture.cli import MEANT, command_first, main, page


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner/a.txt").write_text("one\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.promise("cli.help")
@pytest.mark.parametrize(
    "words",
    [["help"], ["--help"], ["-h"], ["help", "help"], ["help", "--help"], ["--root", "x", "--help"]],
    ids=" ".join,
)
def test_the_page_is_printed_when_asked_for(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    assert capsys.readouterr() == (page(), "")


@pytest.mark.promise("cli.help")
@pytest.mark.parametrize("words", [[], ["--json"], ["--root", "x"], ["--root"], ["--quiet", "--verbose"]], ids=" ".join)
def test_without_a_command_the_page_is_what_is_wrong(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert capsys.readouterr() == ("", page())


def test_closed_streams_change_no_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", None)
    monkeypatch.setattr("sys.stderr", None)
    assert (main([]), main(["help"]), main(["grep"]), main(["log", "--nothing"])) == (2, 0, 2, 2)


@pytest.mark.promise("cli.errors")
@pytest.mark.parametrize(
    ("word", "meant"),
    [
        *MEANT.items(),
        ("raed", "read"),
        ("READ", "read"),
        ("Grep", "search"),
        ("serach", "search"),
        ("aply", "apply"),
        ("reed", "read or suture redo"),
    ],
)
@pytest.mark.parametrize("before", [[], ["help"], ["--quiet"]], ids=" ".join)
def test_a_word_that_is_no_command_is_told_with_the_one_that_is_meant(
    before: list[str], word: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*before, word]) == 2
    assert capsys.readouterr() == ("", f"WRONG_USAGE: there is no command {word!r}.\nDid you mean: suture {meant}\n")


@pytest.mark.promise("cli.errors")
@pytest.mark.parametrize(("word", "shown"), [("xyzzy", "'xyzzy'"), ("\x1b[2J", "'\\x1b[2J'"), ("", "''")])
def test_a_word_that_is_like_no_command_is_told_with_where_they_are_listed(
    word: str, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([word]) == 2
    assert capsys.readouterr() == ("", f"WRONG_USAGE: there is no command {shown}.\nSee: suture --help\n")


@pytest.mark.promise("cli.common")
@pytest.mark.parametrize(
    ("words", "moved"),
    [
        (["read", "a"], ["read", "a"]),
        (["--root", "x", "read", "a"], ["read", "--root", "x", "a"]),
        (["--json", "--root=x", "--quiet", "read"], ["read", "--json", "--root=x", "--quiet"]),
        (["--root", "read", "read"], ["read", "--root", "read"]),
        (["--verbose", "call", "--", "-"], ["call", "--verbose", "--", "-"]),
        (["--version"], ["--version"]),
        (["--json"], []),
        (["--root", "x"], []),
    ],
)
def test_what_every_command_takes_may_stand_before_it(words: list[str], moved: list[str]) -> None:
    assert command_first(words) == moved


@pytest.mark.promise("cli.common")
@pytest.mark.usefixtures("root")
def test_options_before_a_command_and_behind_it_do_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for words in (["read", "a.txt", "--root", "inner", "--json"], ["--json", "--root", "inner", "read", "a.txt"]):
        assert main(words) == 0
        shown.append(capsys.readouterr().out)
    assert json.loads(shown[0])["content"][0]["text"] == "     1\tone"
    assert shown[0] == shown[1]


@pytest.mark.promise("cli.common")
@pytest.mark.usefixtures("root")
def test_a_call_takes_its_root_from_before_it_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--root", "inner", "call", "file_read", '{"path": "a.txt"}']) == 0
    assert json.loads(capsys.readouterr().out)["metadata"]["path"] == "a.txt"
