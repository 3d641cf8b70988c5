"""`suture completion`: the completions of a line, and real shells, each in one process."""

import argparse
import json
import os
import pty
import select
import shlex
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from time import monotonic

import pytest

from suture.cli import COMMANDS, main
from suture.cli.arguments import build_parser
from suture.cli.init import CLIENTS
from suture.tools import DIALECTS, PROFILES, TOOLS
from suture.workspace import Workspace

SHELLS = ("bash", "zsh", "fish")
NASTY = ("$(touch pwned)", "`touch pwned`", 'it\'s "one"; touch pwned', "before:x", "%F{red}~*[a]", "--root=x\\")
WORDBREAKS = " \t\n\"'@><=;|&(:"
"""The characters at which bash breaks words by default."""


def commands() -> dict[str, argparse.ArgumentParser]:
    parser = build_parser()
    group = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return dict(group.choices)


def visible_options(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [action for action in parser._actions if action.option_strings and action.help != argparse.SUPPRESS]


def options() -> dict[str, set[str]]:
    return {
        name: {word for action in visible_options(parser) for word in action.option_strings}
        for name, parser in commands().items()
    }


def choices() -> dict[tuple[str, str], list[str]]:
    """The choices of each option; a short name is tested like a long one."""
    return {
        (name, word): [str(choice) for choice in action.choices]
        for name, parser in commands().items()
        for action in visible_options(parser)
        if action.choices
        for word in action.option_strings
    }


def script(shell: str, capfd: pytest.CaptureFixture[str]) -> str:
    assert main(["completion", shell]) == 0
    return capfd.readouterr().out


def completions(line: str, capfd: pytest.CaptureFixture[str], shell: str = "bash") -> list[str]:
    """What suture prints for a shell's script."""
    assert main(["completion", shell, f"--line={line}"]) == 0
    output = capfd.readouterr()
    assert output.err == ""
    return output.out.splitlines()


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with two files, a folder and a program named suture; the real suture is on the PATH."""
    program = tmp_path / "bin" / "suture"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m suture "$@"\n')
    root = tmp_path / "root"
    (root / "sub dir").mkdir(parents=True)
    for path in ("same", "sub dir/f"):
        (root / path).write_text("x\n")
    planted = root / "suture"
    planted.write_text("#!/bin/sh\ntouch pwned\n")
    for script in (program, planted):
        script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(root)
    return root


def history(root: Path) -> tuple[list[str], str]:
    """Record changes and checkpoints with hostile names; returns the ids of all changes, and of the undone one."""
    workspace = Workspace(root)
    ids = []
    for summary, path in (("first", "same"), ("$(touch pwned)\nrm\t-rf `touch pwned`", "sub dir/f")):
        with workspace.transaction(summary) as tx:
            tx.write(path, summary)
        assert tx.change is not None
        ids.append(tx.change.id)
    ids.append(workspace.undo(ids[0]).metadata["change_id"])
    for name in NASTY:
        assert not workspace.checkpoint(name).is_error
    workspace.close()
    return ids[::-1], ids[0]


def is_unchanged(root: Path) -> bool:
    return sorted(path.name for path in root.iterdir()) == ["same", "sub dir", "suture"]


@pytest.mark.promise("cli.completion")
def test_every_option_of_every_command_and_every_choice_is_offered(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    every, taken = options(), choices()
    assert {name: set(completions(f"suture {name} -", capfd)) for name in every} == every
    assert {(name, option): completions(f"suture {name} {option} ", capfd) for name, option in taken} == taken
    whole = {(name, option): [f"{option}={word}" for word in words] for (name, option), words in taken.items()}
    assert {(name, option): completions(f"suture {name} {option}=", capfd) for name, option in taken} == whole
    monkeypatch.setenv("_ARGCOMPLETE_COMP_WORDBREAKS", WORDBREAKS)
    assert {(name, option): completions(f"suture {name} {option}=", capfd) for name, option in taken} == taken


LINES: dict[str, list[str]] = {
    "suture ": [*COMMANDS, "help"],
    "suture --root 'x y' --json und": ["undo"],
    "suture help und": ["undo"],
    "suture --v": ["--version", "--verbose"],
    "suture init ": list(CLIENTS),
    "suture call ": [*TOOLS, *DIALECTS],
    "suture call --root show file_r": ["file_read"],
    "suture mcp --profile ": list(PROFILES),
    "suture tools --tools patch,file_r": ["patch,file_read"],
    "suture mcp --set max_cl": ["max_clipboards=", "max_clipboard_bytes="],
    "suture completion ": list(SHELLS),
    "suture doctor ": ["-h", "--help", "--json", "--root", "--quiet", "--verbose"],
    "suture completion bash --li": [],
    "suture write --mode x": [],
    "suture write --mode 'st": ["strict"],
    "suture write --no-such=": [],
    "suture write --mode=st": ["--mode=strict"],
    "suture log --limit ": [],
    "suture show x -- -": [],
    "suture search ": [],
    "suture read sa": ["same"],
    "suture read 'sub": ["sub dir/"],
    "suture read sub\\ dir/": ["sub\\ dir/f"],
    "suture read ~/b": ["~/bin/"],
    "suture read .": [".hidden"],
    "suture read no/": [],
    "suture search x --names a sa": ["same"],
    "suture restore --to x sa": ["same"],
    "suture restore --to now sa": ["same"],
    "suture edit --old-file s": ["same", "sub\\ dir/", "suture"],
    "suture mcp --extra-root s": ["sub\\ dir/"],
    "suture --root s": ["sub\\ dir/"],
    "suture read --root ~/root sa": ["same"],
    "suture --root 'sub dir' read ": ["f"],
    "suture read --root=.// sub": ["sub\\ dir/"],
    "suture read --root 'sub dir' /us": ["/usr/"],
}
"""The completions of a line in bash."""


@pytest.mark.parametrize("line", LINES)
def test_what_can_be_where_is_offered(line: str, world: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (world / ".hidden").write_text("")
    (world / "odd\nname").write_text("")
    assert completions(line, capfd) == LINES[line]


@pytest.mark.promise("cli.completion")
def test_ids_and_names_are_offered_with_what_they_are(world: Path, capfd: pytest.CaptureFixture[str]) -> None:
    ids, undone = history(world)
    landed = [change for change in ids if change != undone]
    described = dict(line.split("\t") for line in completions("suture restore --to ", capfd, "fish"))
    assert [*described] == [*NASTY[::-1], *ids]
    assert described[NASTY[0]].startswith("checkpoint of 20")
    assert described[undone].endswith(" (undone) transaction: first")
    assert described[ids[1]].endswith(" transaction: $(touch pwned)")
    assert completions("suture restore --to bef", capfd, "zsh") == [f"before\\:x:{described['before:x']}"]
    assert completions("suture und", capfd, "zsh") == ["undo:undo a change, keeping later work"]
    assert [completions(f"suture {name} ", capfd) for name in ("show", "redo", "undo")] == [ids, [undone], landed]
    assert completions("suture undo --root ~/root ", capfd) == landed
    with Workspace(world).transaction("long " * 100) as tx:
        tx.write("same", "y")
    about = completions("suture undo ", capfd, "fish")[0].split("\t")[1]
    assert [len(about), about[-1]] == [70, "…"]


@pytest.mark.parametrize("root", ["missing", "same", "sub\\ dir"])
def test_what_cannot_be_known_is_not_offered_and_no_error(
    world: Path, root: str, capfd: pytest.CaptureFixture[str]
) -> None:
    before = sorted(world.parent.rglob("*"))
    assert completions(f"suture restore --root {root} --to ", capfd, "zsh") == []
    assert sorted(world.parent.rglob("*")) == before


ASK = r"""
compopt() { completing="$completing $*"; }
ask() {
    COMP_LINE=$1 COMP_POINT=${#1} completing=
    _suture || printf 'failed\n'
    [ "${#COMPREPLY[@]}" -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
    printf '\t%s\n' "${completing# }"
}
"""


def bash(text: str, lines: list[str]) -> list[tuple[list[str], str]]:
    """The completions of each line in bash, and the completion options that it sets."""
    process = subprocess.run(
        ["bash", "--norc", "--noprofile", "-u"],
        input="\n".join([text, ASK, *(shlex.join(["ask", line]) for line in lines)]).encode(),
        capture_output=True,
        check=True,
    )
    assert process.stderr == b""
    parts = process.stdout.decode().split("\t")
    return [
        (before.splitlines()[at > 0 :], after.splitlines()[0]) for at, (before, after) in enumerate(pairwise(parts))
    ]


@pytest.mark.process
@pytest.mark.promise("cli.completion")
def test_bash_inserts_what_is_offered_and_nothing_in_it_is_obeyed(
    world: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    ids, undone = history(world)
    lines = [
        "suture restore --to ",
        "./suture redo ",
        "suture undo --root '$(touch pwned)' ",
        "suture restore --to=before:",
        'suture restore --to "$(tou',
        "suture restore --to \\$\\(tou",
        "suture read sub",
    ]
    points, again, missing, files, quoted, escaped, folder = bash(script("bash", capfd), lines)
    read = subprocess.run(["bash", "-c", f"printf '%s\\0' {' '.join(points[0])}"], capture_output=True, check=True)
    assert read.stdout.decode().split("\0")[:-1] == [*NASTY[::-1], *ids]
    assert [again, missing, files] == [([undone], ""), ([], ""), (["x"], "")]
    assert [quoted[0], escaped[0]] == [["\\$(touch pwned)"], ["\\$\\(touch\\ pwned\\)"]]
    assert folder == (["sub\\ dir/"], "-o nospace")
    assert is_unchanged(world)


def fish(text: str, lines: list[str], folder: Path) -> list[list[str]]:
    """The completions of each line in fish."""
    file = folder / "suture.fish"
    file.write_text(text)
    queries = [f"complete -C {fish_quoted(line)}; echo -s \\t" for line in lines]
    process = subprocess.run(
        ["fish", "--no-config"],
        input="\n".join([f"source {file}", *queries]),
        capture_output=True,
        text=True,
        check=True,
    )
    assert process.stderr == ""
    return [part.splitlines() for part in process.stdout.split("\t\n")[:-1]]


def fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


@pytest.mark.process
@pytest.mark.promise("cli.completion")
@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_offers_options_choices_ids_and_files(
    world: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    ids, undone = history(world)
    lines = [
        "suture write -",
        "suture write --mode ",
        "suture restore --to ",
        "true; suture redo ",
        "suture undo --root ~/root ",
        "cat same | suture --root ~/root read sa",
        "suture read --root=s",
    ]
    answers = fish(script("fish", capfd), lines, tmp_path)
    assert all("\t" in line for line in answers[0])
    assert answers[2][-1].endswith(" (undone) transaction: first")
    bare = [[line.partition("\t")[0] for line in words] for words in answers]
    assert set(bare.pop(0)) == options()["write"]
    assert bare == [
        choices()["write", "--mode"],
        [*NASTY[::-1], *ids],
        [undone],
        ids[:2],
        ["same"],
        ["--root=sub dir/"],
    ]
    assert is_unchanged(world)


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
    """The completions of each line in zsh, which completes only on a terminal."""
    folder.mkdir()
    (folder / ".zshrc").write_text(ZSHRC.replace("@LOAD@", load))
    (folder / "questions").write_text("\n".join(lines) + "\n")
    terminal, its = pty.openpty()
    environment = {**os.environ, "ZDOTDIR": str(folder), "TERM": "dumb"}
    with subprocess.Popen(
        ["zsh", "-d", "-i"], stdin=its, stdout=its, stderr=its, env=environment, start_new_session=True
    ) as started:
        os.close(its)
        ends = monotonic() + 60
        while started.poll() is None and monotonic() < ends:  # what it writes must be read, or it waits
            if select.select([terminal], [], [], 0.05)[0]:
                try:
                    os.read(terminal, 1 << 16)
                except OSError:
                    break
        started.kill() if monotonic() >= ends else started.wait()
    os.close(terminal)
    return [part.splitlines() for part in (folder / "answers").read_text().split("\t\n")[:-1]]


@pytest.mark.process
@pytest.mark.promise("cli.completion")
@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_offers_options_choices_ids_and_files(
    world: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    ids, undone = history(world)
    lines = [
        "suture write -",
        "suture write --mode=",
        "suture restore --to ",
        "true; suture redo ",
        "suture undo --root ~/root ",
        "cat same | suture --root ~/root read s",
        "suture read 'su",
        "suture log --limit ",
    ]
    (tmp_path / "fpath").mkdir()
    (tmp_path / "fpath" / "_suture").write_text(script("zsh", capfd))
    answers = zsh(f'eval "$(<{tmp_path}/fpath/_suture)"', lines, tmp_path / "z")
    assert set(answers.pop(0)) == options()["write"]
    assert [sorted(words) for words in answers] == [
        sorted(f"--mode={choice}" for choice in choices()["write", "--mode"]),
        sorted([*NASTY, *ids]),
        [undone],
        sorted(ids[:2]),
        ["same", "sub dir/", "suture"],
        ["sub dir/", "suture"],
        [],
    ]
    by_path = f"fpath=({tmp_path}/fpath $fpath); autoload -Uz compinit && compinit -D"
    assert zsh(by_path, ["suture help und"], tmp_path / "y") == [["undo"]]
    assert is_unchanged(world)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_can_be_had_as_json(shell: str, capfd: pytest.CaptureFixture[str]) -> None:
    text = script(shell, capfd)
    assert main(["completion", shell, "--json"]) == 0
    assert json.loads(capfd.readouterr().out) == {"shell": shell, "script": text}


def test_the_help_keeps_silent_about_what_only_scripts_use(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "--help"]) == 0
    assert "--line" not in capfd.readouterr().out
