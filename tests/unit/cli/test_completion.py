"""`suture completion`: the shells themselves are asked, one process each for all questions."""

import argparse
import json
import os
import pty
import select
import shlex
import shutil
import subprocess
from pathlib import Path
from time import monotonic

import pytest

from suture.cli import main
from suture.cli.arguments import build_parser
from suture.cli.clients import CLIENTS
from suture.cli.completion import LISTS
from suture.cli.menu import COMMANDS
from suture.tools import DIALECTS, PROFILES, TOOLS
from suture.workspace import Workspace

SHELLS = ("bash", "zsh", "fish")
NASTY = ("$(touch pwned)", "`touch pwned`", 'it\'s "one"; touch pwned', "before:x", "%F{red}~*[a]", "--root=x\\")
ASK = r"""
compopt() { completing="$completing $*"; }
ask() {
    unset COMP_LINE COMP_POINT
    [ -z "$1" ] || { COMP_LINE=$1 COMP_POINT=${#1}; }
    shift
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) completing=
    _suture || printf 'failed\n'
    [ "${#COMPREPLY[@]}" -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
    printf '\t%s\n' "${completing# }"
}
"""
Line = tuple[str, ...]


def commands() -> dict[str, argparse.ArgumentParser]:
    parser = build_parser()
    found = next(each for each in parser._actions if isinstance(each, argparse._SubParsersAction))
    return dict(found.choices)


def shown(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [each for each in parser._actions if each.option_strings and each.help != argparse.SUPPRESS]


def options() -> dict[str, set[str]]:
    return {
        name: {word for each in shown(parser) for word in each.option_strings} for name, parser in commands().items()
    }


def choices() -> dict[tuple[str, str], list[str]]:
    """What each option with choices takes; a short name is tried as a long one is."""
    return {
        (name, word): [str(choice) for choice in each.choices]
        for name, parser in commands().items()
        for each in shown(parser)
        if each.choices
        for word in each.option_strings
    }


def script(shell: str, capfd: pytest.CaptureFixture[str]) -> str:
    assert main(["completion", shell]) == 0
    return capfd.readouterr().out


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with two files and a folder; on the path is a program that says what suture said, and is quicker."""
    program = tmp_path / "bin" / "suture"
    program.parent.mkdir()
    program.write_text(
        '#!/bin/sh\nprintf "%s\\n" "$*" >> ~/asked\ncase $5 in --root=$HOME/root | --root=.) cat ~/"$4" ;; esac\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    root = tmp_path / "root"
    (root / "sub dir").mkdir(parents=True)
    for path in ("same", "sub dir/f"):
        (root / path).write_text("x\n")
    monkeypatch.chdir(root)
    return root


def history(root: Path, capfd: pytest.CaptureFixture[str]) -> tuple[list[str], str]:
    """Record changes and snapshots whose names are meant to hurt; the ids of all changes, and of the one undone."""
    workspace = Workspace(root)
    ids = []
    for summary, path in (("first", "same"), ("$(touch pwned)\nrm\t-rf `touch pwned`", "sub dir/f")):
        with workspace.transaction(summary) as tx:
            tx.write(path, summary)
        assert tx.change is not None
        ids.append(tx.change.id)
    ids.append(workspace.undo(ids[0]).metadata["change_id"])
    for name in NASTY:
        assert not workspace.snapshot(name).is_error
    workspace.close()
    for kind in LISTS:
        assert main(["completion", "bash", "--values", kind]) == 0
        (root.parent / kind).write_text(capfd.readouterr().out)
    return ids[::-1], ids[0]


def asked(root: Path) -> set[tuple[str, str]]:
    """What the program was asked for, and where; its words are understood."""
    lines = (root.parent / "asked").read_text().splitlines()
    found = [build_parser().parse_args(line.split(" ", 4)) for line in lines]
    return {(each.values, each.root) for each in found}


def bash(text: str, questions: list[tuple[str, Line]], *before: str) -> list[tuple[list[str], str]]:
    """What bash offers for each, and the options of completion that it sets."""
    asked = [shlex.join(["ask", line, *words]) for line, words in questions]
    told = subprocess.run(
        ["bash", "--norc", "--noprofile", "-u"],
        input="\n".join([*before, text, ASK, *asked]).encode(),
        capture_output=True,
        check=True,
    )
    assert told.stderr == b""
    found: list[tuple[list[str], str]] = []
    words: list[str] = []
    for line in told.stdout.decode().splitlines():
        if line.startswith("\t"):
            found.append((words, line[1:]))
            words = []
        else:
            words.append(line)
    return found


def split(*words: str) -> tuple[str, Line]:
    """A line as bash 4 gives it: words are broken at = and :, too."""
    pieces = [piece for word in words for piece in word.replace("=", "\0=\0").replace(":", "\0:\0").split("\0")]
    return " ".join(words), tuple(piece for at, piece in enumerate(pieces) if piece or (at and words[-1] == ""))


@pytest.mark.process
@pytest.mark.promise("cli.completion")
def test_bash_offers_every_option_of_every_command_and_every_choice(capfd: pytest.CaptureFixture[str]) -> None:
    text = script("bash", capfd)
    every = options()
    found = bash(text, [("", ("suture", name, "x", "-")) for name in every])
    assert {name: set(words) for name, (words, _) in zip(every, found, strict=True)} == every
    taken = choices()
    spaced = bash(text, [("", ("suture", name, option, "")) for name, option in taken])
    assert dict(zip(taken, [words for words, _ in spaced], strict=True)) == taken
    joined = bash(text, [split("suture", name, f"{option}=") for name, option in taken])
    assert dict(zip(taken, [words for words, _ in joined], strict=True)) == taken
    old = bash(text, [(f"suture {name} {option}=", ("suture", name, f"{option}=")) for name, option in taken])
    assert old == joined


STATIC: dict[Line, list[str]] = {
    ("suture", ""): [*COMMANDS, "help"],
    ("suture", "--root", "x y", "--json", "und"): ["undo"],
    ("suture", "help", "und"): ["undo"],
    ("suture", "--v"): ["--verbose", "--version"],
    ("suture", "init", ""): list(CLIENTS),
    ("suture", "call", ""): [*TOOLS, *DIALECTS],
    ("suture", "call", "--root", "show", "file_r"): ["file_read"],
    ("suture", "mcp", "--profile", ""): list(PROFILES),
    ("suture", "tools", "--tools", "patch,file_r"): ["patch,file_read"],
    ("suture", "completion", ""): list(SHELLS),
}
"""What every shell offers on these lines."""
BASH: dict[Line, list[str]] = {
    ("suture", "doctor", ""): ["-h", "--help", "--json", "--root", "--quiet", "--verbose"],
    ("suture", "completion", "bash", "--va"): [],
    ("suture", "write", "--mode", "x"): [],
    ("suture", "write", "--mode", "'st"): ["strict"],
    ("suture", "write", "--no-such="): [],
    ("suture", "write", "--mode=st"): ["--mode=strict"],
    ("suture", "no_such", "-"): [],
    ("suture", "log", "--limit", ""): [],
    ("suture", "show", "x", "--", "-"): [],
    ("suture", "read", "--root", "sub dir/..", "sa"): ["same"],
    ("suture", "read", "--root=.//", "sub"): ["sub\\ dir/"],
}


@pytest.mark.process
def test_bash_knows_what_can_stand_where(world: Path, capfd: pytest.CaptureFixture[str]) -> None:
    table = STATIC | BASH
    found = bash(script("bash", capfd), [("", words) for words in table], "COMP_WORDBREAKS=' '")
    assert dict(zip(table, [words for words, _ in found], strict=True)) == table
    assert {how.removeprefix("-o nospace ") for _, how in found} == {"+o default"}
    assert world.exists()


@pytest.mark.process
def test_bash_leaves_files_and_folders_to_readline(capfd: pytest.CaptureFixture[str]) -> None:
    lines: dict[Line, str] = {
        ("suture", "read", ""): "",
        ("suture", "search", "x", "--names", "a", "b"): "",
        ("suture", "snapshot", "now", "a"): "",
        ("suture", "apply", "re"): "",
        ("suture", "edit", "--old-file", ""): "",
        ("suture", "read", "--root", "x", "/et"): "",
        ("suture", "read", "--root", ""): "-o dirnames +o default",
        ("suture", "--root", ""): "-o dirnames +o default",
        ("suture", "mcp", "--extra-root", ""): "-o dirnames +o default",
        ("suture", "search", ""): "+o default",
    }
    found = bash(script("bash", capfd), [("", words) for words in lines])
    assert found == [([], how) for how in lines.values()]


@pytest.mark.process
@pytest.mark.promise("cli.completion")
def test_bash_asks_for_ids_and_names_and_nothing_in_them_is_obeyed(
    world: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    ids, undone = history(world, capfd)
    names = list(NASTY[::-1])
    landed = [each for each in ids if each != undone]
    elsewhere = ("suture", "undo", "--root")
    lines: list[tuple[str, Line]] = [
        ("", ("suture", "restore", "--to", "")),
        ("", ("suture", "show", ids[0])),
        ("", ("suture", "redo", "")),
        ("", (*elsewhere, "~/root", "")),
        ("", (*elsewhere, f"'{world}'", "")),
        ("", (*elsewhere, "$(touch pwned)", "")),
        split("suture", "restore", "--to=before:"),
        ("", ("suture", "restore", "--to", '"')),
        ("", ("suture", "restore", "--to", "\\$\\(tou")),
    ]
    points, shown, again, home, full, missing, rest, quoted, escaped = bash(script("bash", capfd), lines)
    read = subprocess.run(["bash", "-c", f"printf '%s\\0' {' '.join(points[0])}"], capture_output=True, check=True)
    assert read.stdout.decode().split("\0")[:-1] == [*names, *ids]
    assert shown == ([ids[0]], "-o nosort +o default")
    assert [each[0] for each in (again, home, full, missing)] == [[undone], landed, landed, []]
    assert [rest[0], quoted[0], escaped[0]] == [["x"], ["before:x", *ids], ["\\$\\(touch\\ pwned\\)"]]
    assert asked(world) == {
        ("points", "."),
        ("changes", "."),
        ("undone", "."),
        ("landed", str(world)),
        ("landed", "$(touch pwned)"),
    }
    assert sorted(path.name for path in world.iterdir()) == ["same", "sub dir"]


def fish(text: str, lines: list[str], folder: Path) -> list[list[str]]:
    """What fish offers for each line."""
    file = folder / "suture.fish"
    file.write_text(text)
    asked = [f"complete -C {fish_quoted(line)}; echo -s \\t" for line in lines]
    told = subprocess.run(
        ["fish", "--no-config"], input="\n".join([f"source {file}", *asked]), capture_output=True, text=True, check=True
    )
    assert told.stderr == ""
    return [part.splitlines() for part in told.stdout.split("\t\n")[:-1]]


def fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


@pytest.mark.process
@pytest.mark.promise("cli.completion")
@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_offers_options_choices_ids_and_files(
    world: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    ids, undone = history(world, capfd)
    every, taken = options(), choices()
    lines = [
        *(f"suture {name} -" for name in every),
        *(f"suture {name} {option} " for name, option in taken),
        *(" ".join(words) for words in STATIC if "x y" not in words),
        "suture restore --to ",
        "suture redo ",
        "suture undo --root ~/root ",
        "suture search x sa",
        "suture --root ~/root read sa",
        "suture log --limit ",
        "suture read --root=s",
    ]
    found = dict(zip(lines, fish(script("fish", capfd), lines, tmp_path), strict=True))
    bare = {line: [word.partition("\t")[0] for word in words] for line, words in found.items()}
    assert {name: set(bare[f"suture {name} -"]) for name in every} == every
    assert {key: bare[f"suture {key[0]} {key[1]} "] for key in taken} == taken
    for words, offered in STATIC.items():
        assert sorted(bare.get(" ".join(words), offered)) == sorted(offered)
    assert bare["suture restore --to "] == [*NASTY[::-1], *ids]
    assert found["suture restore --to "][-1].endswith(" (undone) transaction: first")
    assert [bare["suture redo "], bare["suture undo --root ~/root "]] == [[undone], ids[:2]]
    assert [bare["suture search x sa"], bare["suture --root ~/root read sa"]] == [["same"], ["same"]]
    assert [bare["suture log --limit "], bare["suture read --root=s"]] == [[], ["--root=sub dir/"]]
    assert asked(world) >= {("points", "."), ("undone", "."), ("landed", str(world))}
    assert sorted(path.name for path in world.iterdir()) == ["same", "sub dir"]


ZSHRC = r"""
autoload -Uz compinit && compinit -D
@LOAD@
compadd() {
    local -a hits
    [[ " ${(j: :)argv} " == *' -'[OAD]' '* ]] || { builtin compadd -O hits "$@"; offered+=("${hits[@]}") }
    builtin compadd "$@"
}
zle-line-init() {
    local line
    local -a offered
    while IFS= read -r line; do
        offered=()
        BUFFER=$line CURSOR=$#line
        zle list-choices
        print -rl -- $offered $'\t' >> $ZDOTDIR/answers
    done < $ZDOTDIR/questions
    exit
}
zle -N zle-line-init
"""


def zsh(load: str, lines: list[str], folder: Path) -> list[list[str]]:
    """What zsh offers for each line; it completes on a terminal only."""
    folder.mkdir()
    (folder / ".zshrc").write_text(ZSHRC.replace("@LOAD@", load))
    (folder / "questions").write_text("\n".join(lines) + "\n")
    own, its = pty.openpty()
    environment = {**os.environ, "ZDOTDIR": str(folder), "TERM": "dumb"}
    with subprocess.Popen(
        ["zsh", "-d", "-i"], stdin=its, stdout=its, stderr=its, env=environment, start_new_session=True
    ) as started:
        os.close(its)
        ends = monotonic() + 60
        while started.poll() is None and monotonic() < ends:  # what it writes must be read, or it waits
            if select.select([own], [], [], 0.05)[0]:
                try:
                    os.read(own, 1 << 16)
                except OSError:
                    break
        started.kill() if monotonic() >= ends else started.wait()
    os.close(own)
    return [part.splitlines() for part in (folder / "answers").read_text().split("\t\n")[:-1]]


@pytest.mark.process
@pytest.mark.promise("cli.completion")
@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_offers_options_choices_ids_and_files(
    world: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    ids, undone = history(world, capfd)
    every, taken = options(), choices()
    lines = [
        *(f"suture {name} -" for name in every),
        *(f"suture {name} {option}=" for name, option in taken),
        *(" ".join(words) for words in STATIC if "x y" not in words and "patch,file_r" not in words),
        "suture restore --to ",
        "suture redo ",
        "suture undo --root ~/root ",
        "suture search x sa",
        "suture --root ~/root read sa",
        "suture log --limit ",
    ]
    (tmp_path / "fpath").mkdir()
    (tmp_path / "fpath" / "_suture").write_text(script("zsh", capfd))
    found = dict(zip(lines, zsh(f'eval "$(<{tmp_path}/fpath/_suture)"', lines, tmp_path / "z"), strict=True))
    assert {name: set(found[f"suture {name} -"]) for name in every} == every
    assert {key: found[f"suture {key[0]} {key[1]}="] for key in taken} == taken
    for words, offered in STATIC.items():
        assert sorted(found.get(" ".join(words), offered)) == sorted(offered)
    assert found["suture restore --to "] == [*NASTY[::-1], *ids]
    assert [found["suture redo "], found["suture undo --root ~/root "]] == [[undone], ids[:2]]
    assert [found["suture search x sa"], found["suture --root ~/root read sa"]] == [["same"], ["same"]]
    assert found["suture log --limit "] == []
    by_path = f"fpath=({tmp_path}/fpath $fpath); autoload -Uz compinit && compinit -D"
    assert zsh(by_path, ["suture help und"], tmp_path / "y") == [["undo"]]
    assert asked(world) >= {("points", "."), ("undone", "."), ("landed", str(world))}
    assert sorted(path.name for path in world.iterdir()) == ["same", "sub dir"]


@pytest.mark.promise("cli.completion")
@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_names_every_option_and_choice(shell: str, capfd: pytest.CaptureFixture[str]) -> None:
    text = script(shell, capfd)
    names = {option for each in options().values() for option in each}
    written = {f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in names}
    for wanted in (*(written if shell == "fish" else names), *(word for words in choices().values() for word in words)):
        assert wanted in text
    assert main(["completion", shell, "--json"]) == 0
    assert json.loads(capfd.readouterr().out) == {"shell": shell, "script": text}


def test_the_help_keeps_silent_about_what_only_scripts_use(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "--help"]) == 0
    assert "--values" not in capfd.readouterr().out


def test_values_are_printed_with_what_they_are_and_cut_to_a_line(
    world: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    ids, _ = history(world, capfd)
    with Workspace(world).transaction("long " * 100) as tx:
        tx.write("same", "y")
    capfd.readouterr()
    assert main(["completion", "bash", "--values", "landed"]) == 0
    first, *others = [line.split("\t") for line in capfd.readouterr().out.splitlines()]
    assert [each[0] for each in others] == ids[:2]
    assert [len(first[1]), first[1][-1]] == [70, "…"]
    assert others[1][1].endswith(" transaction: $(touch pwned)")


@pytest.mark.parametrize("root", ["missing", "same", "\udcff", "sub dir"])
def test_values_that_cannot_be_known_are_none_without_an_error(
    world: Path, root: str, capfd: pytest.CaptureFixture[str]
) -> None:
    before = sorted(world.parent.rglob("*"))
    assert main(["completion", "zsh", "--values", "points", "--root", root]) == 0
    assert capfd.readouterr() == ("", "")
    assert sorted(world.parent.rglob("*")) == before
