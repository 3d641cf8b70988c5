"""The completion of fish. fish quotes what it inserts, and expands nothing of what a function prints."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from suture.cli.completion.completable import Command, Value

_SCRIPT = r"""# Completion of suture in fish. In ~/.config/fish/config.fish: suture completion fish | source

set -g __suture_taking @TAKING@

function __suture_line -d 'The command on the line, the place of the argument at the cursor, and the root'
    set -l command ''
    set -l place 1
    set -l root .
    set -l option ''
    set -l plain ''
    for word in (commandline -opc)[2..-1]
        if test -n "$option"
            test "$option" = --root; and set root $word
            set option ''
        else if test -n "$plain"
            set place (math $place + 1)
        else if string match -q -- '--root=*' "$word"
            set root (string replace -- --root= '' "$word")
        else if test "$word" = --
            test -n "$command"; and set plain yes
        else if string match -q -- '-?*' "$word"
            contains -- "$command $word" $__suture_taking; and set option $word
        else if test -z "$command"
            set command $word
        else
            set place (math $place + 1)
        end
    end
    printf '%s\n' "$command" $place (string replace -r '^~(?=/|$)' "$HOME" -- "$root")
end

function __suture_at -d 'Whether this command is on the line, and this argument at the cursor, or a later one'
    set -l line (__suture_line)
    test "$line[1]" = "$argv[1]"; or return
    switch (count $argv)
        case 1
            return 0
        case 2
            test $line[2] -eq $argv[2]
        case '*'
            test $line[2] -ge $argv[2]
    end
end

function __suture_here -d 'The same, where files are looked for in this folder'
    __suture_at $argv; and test (__suture_line)[3] = .
end

function __suture_ask -d 'What only the workspace knows: in each line a value, and behind a tab what it is'
    command suture completion fish --values $argv[1] --root=(__suture_line)[3] 2>/dev/null </dev/null
end

function __suture_below -d 'Names below another root'
    set -l root (__suture_line)[3]
    test "$root" = .; and return
    set -l start (string replace -r -- '^--[a-z-]+=' '' (commandline -ct))
    for found in $root/$start*
        test -d $found; and set found $found/
        string sub -s (math (string length -- $root/) + 1) -- $found
    end
end

function __suture_several -d 'Words with commas between'
    set -l start (string match -r -- '.*,' (string replace -r -- '^--[a-z-]+=' '' (commandline -ct)))
    for word in $argv
        printf '%s%s\n' "$start" $word
    end
end

complete -c suture -e
complete -c suture -f
@LINES@
"""


def script(commands: Sequence[Command]) -> str:
    """The script for these commands."""
    taking = [
        f"'{command.name} {name}'"
        for command in commands
        for option in command.options
        if option.value is not None
        for name in option.names
    ]
    before, *named = commands
    lines = [f"complete -c suture -n '__suture_at \"\"' -a {each.name} -d {_quoted(each.about)}" for each in named]
    lines += [line for each in (before.but(arguments=()), *named) for line in _lines(each)]
    return _SCRIPT.replace("@TAKING@", " ".join(taking)).replace("@LINES@", "\n".join(lines))


def _lines(command: Command) -> Iterator[str]:
    at = command.name or '""'
    for option in command.options:
        names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
        for where, how in _ways(option.value):
            yield f"complete -c suture -n '{where} {at}' {names}{how} -d {_quoted(option.about)}"
    for number, argument in enumerate(command.arguments, 1):
        for where, how in _ways(argument.value):
            place = f"{number} on" if argument.many else str(number)
            yield f"complete -c suture -n '{where} {at} {place}'{how.replace(' -r', '').replace(' -x', '')}"


def _ways(value: Value | None) -> list[tuple[str, str]]:
    """How to complete a value, each with the condition for it."""
    if value is None:
        return [("__suture_at", "")]
    if value.kind == "files":
        return [("__suture_at", " -r -F")]
    if value.kind == "paths":
        return [("__suture_here", " -r -F"), ("__suture_at", " -x -a '(__suture_below)'")]
    if value.kind == "nothing":
        return [("__suture_at", " -x")]
    words = " ".join(value.words)
    said = {
        "words": words,
        "list": f"(__suture_several {words})",
        "folders": "(__fish_complete_directories)",
    }.get(value.kind, f"(__suture_ask {value.kind})")
    return [("__suture_at", f" -x -k -a '{said}'")]


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
