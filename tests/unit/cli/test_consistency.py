"""The commands compared: the same thing has the same name and description everywhere, and everything is documented."""

import argparse
import re
import shlex
from collections import Counter
from collections.abc import Iterator

import pytest

from suture.cli import COMMANDS, EXIT_CODES, GROUPS, SUGGESTIONS, main, page
from suture.cli.arguments import build_parser
from suture.cli.output import CODES
from suture.cli.prompt import PROMPTS
from suture.errors import SutureError
from suture.tools import TOOLS, find

COMMON = ("--json", "--root", "--quiet", "--verbose")


def commands() -> dict[str, argparse.ArgumentParser]:
    chooser = next(action for action in build_parser()._actions if isinstance(action, argparse._SubParsersAction))
    return dict(chooser.choices)


PARSERS = commands()


def actions(command: str) -> list[argparse.Action]:
    return [action for action in PARSERS[command]._actions if "-h" not in action.option_strings]


def options(command: str) -> dict[str, argparse.Action]:
    return {name: action for action in actions(command) for name in action.option_strings}


def each_action() -> Iterator[tuple[str, argparse.Action]]:
    return ((command, action) for command in PARSERS for action in actions(command))


# What the help of every command has


@pytest.mark.promise("cli.help")
@pytest.mark.parametrize("command", PARSERS)
def test_a_command_says_what_it_is_for_in_a_line(command: str) -> None:
    about, example = COMMANDS[command]
    assert re.fullmatch(r"[a-z][^\n.]{10,50}", about)
    assert (PARSERS[command].description or "").lower() == f"{about}.".lower()
    assert (PARSERS[command].epilog or "").startswith(f"example:\n  {example}\n\n")


@pytest.mark.promise("cli.help")
@pytest.mark.parametrize("command", PARSERS)
def test_the_example_of_a_command_can_be_parsed(command: str) -> None:
    example = COMMANDS[command][1].partition(" < ")[0]
    inner = re.search(r"\$\((.*)\)", example)
    program, *words = shlex.split(inner[1] if inner else example)
    assert (program, build_parser(words).parse_args(words).command) == ("suture", command)


@pytest.mark.promise("cli.exit-codes")
@pytest.mark.parametrize("command", PARSERS)
def test_a_command_says_what_its_exit_codes_mean(command: str) -> None:
    codes = (PARSERS[command].epilog or "").partition("exit codes: ")[2].replace("\n ", "")
    assert [int(part.split()[0]) for part in codes.split(", ") if part[:1].isdecimal()] == [0, 1, 2, 130]
    assert list(EXIT_CODES) == [0, 1, 2, 130, 141]


@pytest.mark.promise("cli.help")
def test_every_option_and_argument_has_help_and_a_name_for_its_value() -> None:
    bare = [
        (command, action.dest)
        for command, action in each_action()
        if not action.help or not (action.nargs == 0 or action.metavar or action.choices)
    ]
    assert bare == []


@pytest.mark.promise("cli.common")
@pytest.mark.parametrize("command", PARSERS)
def test_what_every_command_takes_is_last_and_together(command: str) -> None:
    assert [action.option_strings[-1] for action in actions(command)[-len(COMMON) :]] == list(COMMON)
    group = PARSERS[command]._action_groups[-1]
    assert (group.title, len(group._group_actions)) == ("common options", len(COMMON))


# The same everywhere

OTHERWISE = {
    ("read", "--format"): "how lines are shown; elsewhere a language to write in",
    ("prompt", "--format"): "what the model is to write",
    ("tools", "--format"): "which API the definitions are for",
    ("write", "--validate"): "what is written is checked anyway, so this says only which errors count",
    ("edit", "--mode"): "requires --lines, and its help says so; without it nothing is checked by default",
    ("apply", "--expect-hash"): "a reply may apply to several files, each with its hash",
    ("search", "--encoding"): "files that a folder or a glob brings keep their own",
    ("replace", "--encoding"): "as with search",
    ("log", "--session"): "selects the changes of a session; where a change is made, it names the session",
    ("undo", "--session"): "as with log",
    ("mcp", "--session"): "names the session of the client; over HTTP there may be several",
    ("clipboards", "--session"): "as with log",
    ("init", "--write"): "says which file is written; both show what they would do without it",
    ("extract", "--max-matches"): "of one file, where search counts over all",
}
"""Options that differ in one command, and why."""


def nature(action: argparse.Action) -> tuple[object, ...]:
    """The properties of an option, except its default, which may depend on the command."""
    help_ = "" if action.dest == "json" else action.help  # what the JSON holds differs
    return (action.dest, action.metavar, action.type, action.nargs, type(action), tuple(action.choices or ()), help_)


@pytest.mark.promise("cli.consistent")
def test_an_option_means_the_same_in_every_command() -> None:
    natures: dict[str, set[tuple[object, ...]]] = {}
    for command in PARSERS:
        for name, action in options(command).items():
            if (command, name) not in OTHERWISE:
                natures.setdefault(name, set()).add(nature(action))
    assert {name: meanings for name, meanings in natures.items() if len(meanings) > 1} == {}


def test_no_exception_is_listed_that_is_none() -> None:
    for command, name in OTHERWISE:
        action = options(command)[name]
        others = {nature(options(other)[name]) for other in PARSERS if other != command and name in options(other)}
        assert others - {nature(action)}, (command, name)


@pytest.mark.promise("cli.consistent")
def test_an_argument_has_the_same_name_in_every_command() -> None:
    names: dict[str, set[object]] = {}
    for _, action in each_action():
        if not action.option_strings:
            names.setdefault(action.dest, set()).add(action.metavar)
    assert {dest: names for dest, names in names.items() if len(names) > 1} == {}


@pytest.mark.promise("cli.consistent")
def test_a_value_has_one_option_and_a_letter_one_meaning() -> None:
    by_dest: dict[str, set[tuple[str, ...]]] = {}
    for _, action in each_action():
        if action.option_strings:
            by_dest.setdefault(action.dest, set()).add(tuple(action.option_strings))
    assert {dest: options for dest, options in by_dest.items() if len(options) > 1} == {}


@pytest.mark.promise("cli.consistent")
def test_options_are_written_in_one_way() -> None:
    names = {name for command in PARSERS for name in options(command)}
    assert [name for name in names if not re.fullmatch(r"-[a-zA-Z0]|--[a-z]+(-[a-z]+)*", name)] == []
    for _, action in each_action():
        if action.option_strings:
            long = [name for name in action.option_strings if name.startswith("--")]
            assert long[0] == f"--{action.dest.replace('_', '-')}"


# Commands and tools

MADE_OF = {
    "apply": "apply_reply",
    "edit": "file_edit",
    "extract": "regex_extract",
    "lines": "regex_match_lines",
    "log": "history",
    "patch": "patch",
    "read": "file_read",
    "redo": "redo",
    "replace": "regex_replace_multi",
    "search": "regex_search_multi",
    "split": "regex_split",
    "undo": "undo",
    "write": "safe_edit",
}
"""The tool of each command that has one."""

NOT_BY_NAME = {
    ("extract", "file_path"): "PATH",
    ("lines", "file_path"): "PATH",
    ("split", "file_path"): "PATH",
    ("search", "path_pattern"): "PATH, any number of them, files and folders too",
    ("replace", "path_pattern"): "PATH, as with search",
    ("lines", "format"): "--line-number, as grep has it",
    ("write", "content"): "stdin",
    ("write", "line_edits"): "suture edit --lines",
    ("write", "search_replace"): "suture edit --old-text --new-text",
    ("write", "show_diff"): "--no-diff: a flag that is on unless it is turned off",
    ("replace", "context_before"): "the diff shows what is around a replacement",
    ("replace", "context_after"): "as context_before",
    ("undo", "list"): "suture log",
    ("replace", "expect_hash"): "a hash for each of many files is for programs: suture call",
    **{
        (command, "binary_check_buffer_size"): "kept for callers of the older tool; nobody types it"
        for command in ("extract", "lines", "replace", "search", "split")
    },
}
"""Arguments of tools without an option of that name, and what replaces them, or why nothing does."""


@pytest.mark.promise("cli.consistent")
@pytest.mark.parametrize("command", MADE_OF)
def test_arguments_of_a_tool_have_the_same_names_on_the_command_line(command: str) -> None:
    arguments = set(find(MADE_OF[command]).definition()["inputSchema"]["properties"])
    by_name = {action.dest for action in actions(command)}
    assert arguments - by_name == {argument for name, argument in NOT_BY_NAME if name == command}


def test_every_tool_has_a_command() -> None:
    single = {"regex_replace", "regex_search"}  # of one file: the commands take any number
    assert set(MADE_OF.values()) == set(TOOLS) - single, "give the tool a command, and add it to MADE_OF"


def test_the_formats_of_prompts_that_can_be_chosen_are_those_that_there_are() -> None:
    assert options("prompt")["--format"].choices == tuple(PROMPTS)


# Pages


@pytest.mark.promise("cli.help")
def test_the_page_lists_each_command_once_in_groups_within_80_columns() -> None:
    text = page()
    rows = re.findall(r"^  ([a-z]+) +(.*)$", text, re.MULTILINE)
    assert rows == [(name, about) for name, (about, _) in COMMANDS.items()]
    assert Counter(name for group in GROUPS.values() for name in group) == Counter(PARSERS.keys())
    titles = re.findall(r"^([A-Z][a-z ]+):$", text, re.MULTILINE)
    assert titles == [*GROUPS, "Common options", "Exit codes"]
    assert max(map(len, text.split("\n"))) <= 80
    assert all(f"\n  {name} " in text for name in ("--root DIR", *COMMON[2:], "--json", "--help"))


@pytest.mark.promise("cli.help")
@pytest.mark.parametrize("command", PARSERS)
def test_the_help_of_a_command_fits_100_columns_and_may_be_asked_for_in_several_ways(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    outputs = []
    for words in ([command, "--help"], [command, "-h"], ["help", command], ["--help", command]):
        assert main(words) == 0
        outputs.append(capsys.readouterr())
    assert outputs == [(outputs[0].out, "")] * 4
    assert max(map(len, outputs[0].out.split("\n"))) <= 100


def test_what_is_meant_by_other_names_is_a_command_and_no_command_itself() -> None:
    assert set(SUGGESTIONS.values()) <= set(COMMANDS)
    assert set(SUGGESTIONS).isdisjoint(COMMANDS)


@pytest.mark.promise("cli.errors")
def test_codes_of_the_command_line_are_no_codes_of_the_tools() -> None:
    def codes(kind: type[SutureError]) -> set[str]:
        return {child.code for child in kind.__subclasses__() if hasattr(child, "code")}.union(
            *map(codes, kind.__subclasses__())
        )

    assert set(CODES).isdisjoint(codes(SutureError))
    assert all(re.fullmatch(r"[A-Z]+(_[A-Z]+)*", code) and codes.endswith(".") for code, codes in CODES.items())
