"""How a command is chosen: by name, with common options before it; and what is suggested for an unknown one."""

import json

import pytest

from suture.cli import SUGGESTIONS, command_first, main, page

FILES = {"inner/a.txt": "one\n"}


@pytest.mark.promise("cli.help")
@pytest.mark.parametrize(
    "words",
    [["help"], ["--help"], ["-h"], ["help", "help"], ["help", "--help"], ["--root", "x", "--help"]],
    ids=" ".join,
)
def test_the_page_is_printed_on_request(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    assert capsys.readouterr() == (page(), "")


@pytest.mark.promise("cli.help")
@pytest.mark.parametrize("words", [[], ["--json"], ["--root", "x"], ["--root"], ["--quiet", "--verbose"]], ids=" ".join)
def test_without_a_command_the_page_goes_to_stderr(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
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
        *SUGGESTIONS.items(),
        ("raed", "read"),
        ("READ", "read"),
        ("Grep", "search"),
        ("serach", "search"),
        ("aply", "apply"),
    ],
)
@pytest.mark.parametrize("before", [[], ["help"], ["--quiet"]], ids=" ".join)
def test_for_an_unknown_command_a_similar_one_is_suggested(
    before: list[str], word: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*before, word]) == 2
    assert capsys.readouterr() == ("", f"WRONG_USAGE: unknown command {word!r}.\nDid you mean: suture {meant}\n")


@pytest.mark.promise("cli.errors")
def test_two_equally_similar_commands_are_both_suggested(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reed"]) == 2
    hint = "Did you mean: suture read or suture redo\n"
    assert capsys.readouterr() == ("", f"WRONG_USAGE: unknown command 'reed'.\n{hint}")


@pytest.mark.promise("cli.errors")
@pytest.mark.parametrize(("word", "name"), [("xyzzy", "'xyzzy'"), ("\x1b[2J", "'\\x1b[2J'"), ("", "''")])
def test_without_a_similar_command_the_list_is_suggested(
    word: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([word]) == 2
    assert capsys.readouterr() == ("", f"WRONG_USAGE: unknown command {name}.\nSee: suture --help\n")


@pytest.mark.promise("cli.common")
@pytest.mark.parametrize(
    ("words", "expected"),
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
def test_common_options_may_precede_the_command(words: list[str], expected: list[str]) -> None:
    assert command_first(words) == expected


@pytest.mark.promise("cli.common")
@pytest.mark.usefixtures("root")
def test_options_before_and_after_a_command_do_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    outputs = []
    for words in (["read", "a.txt", "--root", "inner", "--json"], ["--json", "--root", "inner", "read", "a.txt"]):
        assert main(words) == 0
        outputs.append(capsys.readouterr().out)
    assert json.loads(outputs[0])["content"][0]["text"] == "     1\tone"
    assert outputs[0] == outputs[1]


@pytest.mark.promise("cli.common")
@pytest.mark.usefixtures("root")
def test_a_call_takes_a_root_before_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--root", "inner", "call", "file_read", '{"path": "a.txt"}']) == 0
    assert json.loads(capsys.readouterr().out)["metadata"]["path"] == "a.txt"
