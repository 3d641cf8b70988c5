"""`suture completion`: scripts for bash, zsh and fish.

What a value can be is a kind: the words themselves, or one of `files` (here), `paths` (in the workspace), `folders`,
`nothing` that could be known, or what suture is asked for while somebody types (`LISTS`).

Files are left to readline, which quotes names and expands `~` as everywhere. What stands on the line, or comes from the
workspace, is never expanded: it is compared literally and quoted by `printf %q`. bash 3.2 has no `compopt`: there,
files are offered where nothing else fits.

Everything is left to `_arguments`, which quotes what it inserts; what comes from the workspace is added literally.

The scripts are made from the parser (`completable`). What only the workspace knows, changes and snapshots, they ask
for while somebody types, by the hidden option --values: a value in each line, and behind a tab what it is. Whatever
goes wrong then, nothing is printed. A name that is no line of plain text is left out; shells quote the others.
"""

from __future__ import annotations

import argparse
from itertools import islice

from suture.cli.output import print_json, print_text
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from suture.plan import ChangeRecord


LISTS = ("changes", "landed", "undone", "points")
"""All changes, those in force, those taken back, and all changes and snapshots."""
_BY_METAVAR = {
    "DIR": "folders",
    "FILE|-": "files",
    "FILE|JSON|-": "files",
    "GLOB": "paths",
    "ID": "changes",
    "ID|NAME": "points",
    "PATH": "paths",
}
_BY_COMMAND = {("undo", "change_id"): "landed", ("redo", "change_id"): "undone"}


class Value(Record):
    """What can stand in a place."""

    kind: str
    words: tuple[str, ...] = ()
    """If the kind is `words`, or `list`: several of them, with commas between."""


class Option(Record):
    """An option, by all its names."""

    names: tuple[str, ...]
    about: str
    value: Value | None
    """None: it takes none."""
    metavar: str = ""


class Argument(Record):
    """An argument; one that is `many` takes all that follow."""

    name: str
    about: str
    value: Value
    many: bool = False


class Command(Record):
    """A command."""

    name: str
    about: str
    options: tuple[Option, ...]
    arguments: tuple[Argument, ...]


def commands() -> list[Command]:
    """All commands in the order of the help page, `help`, and first, without a name, what stands before a command."""
    from suture.cli.arguments import build_parser
    from suture.cli.menu import COMMANDS

    parser = build_parser()
    group = next(each for each in _actions(parser) if isinstance(each, argparse._SubParsersAction))  # noqa: SLF001  argparse has no other name for it
    found = [_command(name, about, group.choices[name]) for name, (about, _) in COMMANDS.items()]
    shared = set.intersection(*({option.names for option in each.options} for each in found))
    common = [option for option in found[0].options if option.names in shared]
    own = [option for option in _command("", "", parser).options if option.names not in shared]
    which = Argument("COMMAND", "the command", Value("words", tuple(COMMANDS)))
    helping = Command("help", "print a command's options and an example", (), (which,))
    before = Argument("COMMAND", "the command", Value("words", (*COMMANDS, "help")))
    return [Command("", "", (*common, *own), (before,)), *found, helping]


def _command(name: str, about: str, parser: argparse.ArgumentParser) -> Command:
    shown = [each for each in _actions(parser) if each.help != argparse.SUPPRESS]
    options = [
        Option(
            tuple(each.option_strings),
            each.help or "",
            None if each.nargs == 0 else _value(name, each),
            str(each.metavar or each.dest).upper(),
        )
        for each in shown
        if each.option_strings
    ]
    arguments = [
        Argument(str(each.metavar), each.help or "", _value(name, each), many=each.nargs == "*")
        for each in shown
        if not each.option_strings and not isinstance(each, argparse._SubParsersAction)  # noqa: SLF001  as above
    ]
    return Command(name, about, tuple(options), tuple(arguments))


def _actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return parser._actions  # noqa: SLF001  argparse tells them nowhere else


def _value(command: str, action: argparse.Action) -> Value:
    """What can stand there: what the parser says, or what the names of options and arguments tell."""
    from suture.cli.clients import CLIENTS
    from suture.tools import DIALECTS, PROFILES, TOOLS

    if action.choices is not None:
        return Value("words", tuple(map(str, action.choices)))
    match (command, action.dest):
        case ("call", "name"):
            return Value("words", (*TOOLS, *DIALECTS))
        case ("init", "client"):
            return Value("words", tuple(CLIENTS))
        case (_, "profile"):
            return Value("words", tuple(PROFILES))
        case (_, "tools"):
            return Value("list", tuple(TOOLS))
    return Value(_BY_COMMAND.get((command, action.dest)) or _BY_METAVAR.get(str(action.metavar), "nothing"))


_BASH_SCRIPT = r"""# Completion of suture in bash. In ~/.bashrc: eval "$(suture completion bash)"

_suture_takes() { # sets the options of a command, and those of them that take a value
    case $1 in
@TAKES@
    *) options= taking= ;;
    esac
}

_suture_value() { # sets what can stand behind an option, or in a place, of a command
    case $1 in
@VALUES@
    *) kind= ;;
    esac
}

_suture_offer() { # a word that goes on as the line does, written as the shell wants it
    local word=$1 safe
    printf -v safe %q "$word"
    [ -z "$quoted" ] || [ "$safe" = "$word" ] || return 0
    case $word in
    "$current"*) ;;
    *) case $safe in "$current"*) ;; *) return 0 ;; esac ;;
    esac
    word=$lead$safe
    COMPREPLY[${#COMPREPLY[@]}]=${word#"$kept"}
}

_suture_ask() { # what only the workspace knows: in each line a value, and behind a tab what it is
    local line
    while IFS= read -r line; do
        [ -z "$line" ] || _suture_offer "${line%%$'\t'*}"
    done <<<"$(command suture completion bash --values "$1" --root="$root" 2>/dev/null </dev/null)"
    compopt -o nosort 2>/dev/null
}

_suture_below() { # names below another root
    local found
    for found in "$root/${current//\\/}"*; do
        if [ -d "$found" ]; then
            _suture_offer "${found#"$root/"}/"
            compopt -o nospace 2>/dev/null
        elif [ -e "$found" ]; then
            _suture_offer "${found#"$root/"}"
        fi
    done
}

_suture() {
    local IFS=$' \t\n' line=${COMP_LINE-} rest piece word at option= command= plain= place=1 root=. quoted= lead= kept=
    local current options taking kind words key
    local -a said
    COMPREPLY=()
    said=()
    [ -z "${COMP_POINT-}" ] || line=${line:0:COMP_POINT}
    for ((at = 0; at <= COMP_CWORD; at++)); do # readline breaks words at = and : too, the shell does not
        rest=${line#"${line%%[![:space:]]*}"}
        piece=${COMP_WORDS[at]}
        [ "$at" -ne "$COMP_CWORD" ] || [ -z "$line" ] || piece=$rest
        if [ "$at" -gt 0 ] && [ -n "$line" ] && [ "$line" = "$rest" ]; then
            said[${#said[@]} - 1]=${said[${#said[@]} - 1]}$piece
        else
            said[${#said[@]}]=$piece
        fi
        line=${rest#"$piece"}
    done

    _suture_takes ''
    for ((at = 1; at < ${#said[@]} - 1; at++)); do
        word=${said[at]}
        if [ -n "$option" ]; then
            [ "$option" != --root ] || root=$word
            option=
        elif [ -n "$plain" ]; then
            place=$((place + 1))
        else
            case $word in
            --root=*) root=${word#*=} ;;
            --) plain=${command:+yes} ;;
            -?*) case " $taking " in *" $word "*) option=$word ;; esac ;;
            *)
                if [ -n "$command" ]; then
                    place=$((place + 1))
                else
                    command=$word
                    _suture_takes "$command"
                fi
                ;;
            esac
        fi
    done
    case $root in
    \'*\' | \"*\") root=${root:1:${#root}-2} ;;
    '~'/*) root=$HOME/${root#*/} && root=${root//\\/} ;;
    '~') root=$HOME ;;
    *) root=${root//\\/} ;;
    esac

    current=${said[${#said[@]} - 1]}
    word=$current
    for piece in = : @; do # what readline leaves alone on the line
        case ${COMP_WORDBREAKS-} in *"$piece"*) word=${word##*"$piece"} ;; esac
    done
    kept=${current%"$word"}
    key="$command $place"
    if [ -n "$option" ]; then
        key="$command $option"
    elif [ -z "$plain" ]; then
        case $current in
        --*=*)
            key="$command ${current%%=*}"
            lead=${current%%=*}=
            current=${current#*=}
            ;;
        -*) key= ;;
        esac
    fi
    case $current in
    [\'\"]*) quoted=yes lead= kept= current=${current:1} ;;
    esac

    kind=options
    if [ -n "$key" ]; then
        _suture_value "$key"
        [ -n "$kind$option$lead" ] || _suture_value "$command more"
        [ -n "$kind$option$lead$plain" ] || kind=options
    fi
    case $kind in
    files) return 0 ;;
    folders) compopt -o dirnames 2>/dev/null ;;
    paths)
        [ "$root" != . ] || return 0
        case $current in /* | '~'*) return 0 ;; esac
        _suture_below
        ;;
    list)
        lead=$lead${current%"${current##*,}"}
        current=${current##*,}
        for word in $words; do _suture_offer "$word"; done
        ;;
    words) for word in $words; do _suture_offer "$word"; done ;;
    options) for word in $options; do _suture_offer "$word"; done ;;
    nothing | '') ;;
    *) _suture_ask "$kind" ;;
    esac
    compopt +o default 2>/dev/null
    return 0
}

complete -o default -F _suture suture
"""


def bash_script(commands: Sequence[Command]) -> str:
    """The script for these commands."""
    takes = []
    values: dict[str, list[str]] = {}
    for command in commands:
        options = [name for each in command.options for name in each.names]
        taking = [name for each in command.options if each.value is not None for name in each.names]
        takes.append(f"    '{command.name}') options='{' '.join(options)}' taking='{' '.join(taking)}' ;;")
        places = [(name, each.value) for each in command.options if each.value is not None for name in each.names]
        for number, argument in enumerate(command.arguments, 1):
            places += [(place, argument.value) for place in (str(number), "more")[: 1 + argument.many]]
        for place, value in places:
            values.setdefault(_set(value), []).append(f"'{command.name} {place}'")
    told = [f"    {' | '.join(places)}) {said} ;;" for said, places in values.items()]
    return _BASH_SCRIPT.replace("@TAKES@", "\n".join(takes)).replace("@VALUES@", "\n".join(told))


def _set(value: Value) -> str:
    """What sets the variables for a value."""
    return f"kind={value.kind}" + (f" words='{' '.join(value.words)}'" if value.words else "")


_ZSH_SCRIPT = r"""#compdef suture
# Completion of suture in zsh. In ~/.zshrc, below compinit: eval "$(suture completion zsh)"

_suture_ask() { # what only the workspace knows: in each line a value, and behind a tab what it is
    local -a values shown
    local line
    for line in ${(f)"$(command suture completion zsh --values $1 --root=$root 2>/dev/null </dev/null)"}; do
        values+=("${line%%$'\t'*}")
        shown+=("${line/$'\t'/  }")
    done
    compadd -V suture-$1 -l -d shown -a values
}

_suture_paths() {
    if [[ $root == . ]]; then
        _files
    else
        _files -W $root
    fi
}

_suture_commands() {
    local -a found=(
@COMMANDS@
    )
    _describe -t commands command found
}

_suture() {
    local root=. curcontext=$curcontext
    integer at=2
    for ((at = 2; at < CURRENT; at++)); do
        case $words[at] in
            (--root) ((at + 1 < CURRENT)) && root=${(Q)words[at + 1]} ;;
            (--root=*) root=${(Q)words[at]#*=} ;;
        esac
    done
    root=${root/#\~\//$HOME/}
    for ((at = 2; at < CURRENT; at++)); do
        case $words[at] in
            (--root) ((at++)) ;;
            (-*) ;;
            (*) break ;;
        esac
    done
    if ((at >= CURRENT)); then
        _arguments@BEFORE@
        return
    fi
    words=("${(@)words[at,-1]}")
    ((CURRENT -= at - 1))
    case $words[1] in
@CASES@
    esac
}

if [[ $funcstack[1] == _suture ]]; then
    _suture "$@"
elif (($+functions[compdef])); then
    compdef _suture suture
else
    print -u2 'suture: completion needs this first: autoload -Uz compinit && compinit'
fi
"""


def zsh_script(commands: Sequence[Command]) -> str:
    """The script for these commands."""
    before, *named = commands
    about = [f"        {_quoted(f'{each.name}:{each.about}')}" for each in named]
    cases = [f"        ({each.name}) _arguments{_specs(each)} ;;" for each in named]
    first = _specs(before.but(arguments=())) + " \\\n            '1:command:_suture_commands' '*:: :'"
    return (
        _ZSH_SCRIPT.replace("@COMMANDS@", "\n".join(about))
        .replace("@BEFORE@", first)
        .replace("@CASES@", "\n".join(cases))
    )


def _specs(command: Command) -> str:
    options = [spec for each in command.options for spec in _option(each)]
    places = [_argument(number, each) for number, each in enumerate(command.arguments, 1)]
    return "".join(f" \\\n            {_quoted(spec)}" for spec in (*options, *places))


def _option(option: Option) -> list[str]:
    """A spec for each name of an option; all may be given again, as argparse has it."""
    about = f"[{_escaped(option.about)}]"
    if option.value is None:
        return [f"*{name}{about}" for name in option.names]
    value = f":{_escaped(option.metavar)}:{_action(option.value)}"
    return [f"*{name}{'=' if name.startswith('--') else '+'}{about}{value}" for name in option.names]


def _argument(number: int, argument: Argument) -> str:
    return f"{'*' if argument.many else number}:{_escaped(argument.name)}:{_action(argument.value)}"


def _action(value: Value) -> str:
    """How to complete a value; a space before it: it wants no arguments besides its own."""
    words = " ".join(value.words)
    known = {
        "words": f"({words})",
        "list": f"_values -s , {words}",
        "files": "_files",
        "paths": " _suture_paths",
        "folders": "_files -/",
        "nothing": " ",
    }
    return known.get(value.kind, f" _suture_ask {value.kind}")


def _escaped(text: str) -> str:
    for char in "\\:[]":
        text = text.replace(char, f"\\{char}")
    return text


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


_FISH_SCRIPT = r"""# Completion of suture in fish. In ~/.config/fish/config.fish: suture completion fish | source

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


def fish_script(commands: Sequence[Command]) -> str:
    """The script for these commands."""
    taking = [
        f"'{command.name} {name}'"
        for command in commands
        for option in command.options
        if option.value is not None
        for name in option.names
    ]
    before, *named = commands
    lines = [f"complete -c suture -n '__suture_at \"\"' -a {each.name} -d {_fish_quoted(each.about)}" for each in named]
    lines += [line for each in (before.but(arguments=()), *named) for line in _lines(each)]
    return _FISH_SCRIPT.replace("@TAKING@", " ".join(taking)).replace("@LINES@", "\n".join(lines))


def _lines(command: Command) -> Iterator[str]:
    at = command.name or '""'
    for option in command.options:
        names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
        for where, how in _ways(option.value):
            yield f"complete -c suture -n '{where} {at}' {names}{how} -d {_fish_quoted(option.about)}"
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


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


_MOST = 200
_LONGEST = 70
_PATIENCE_MS = 200  # somebody waits, with a finger on the key
_STATES = {"landed": "landed", "undone": "undone"}
_SCRIPTS = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}


def completion(options: argparse.Namespace) -> int:
    """Print a shell's script, or, for such a script, values."""
    if options.values:
        for line in _values(options.values, options.root):
            print_text(line)
        return 0
    script = _SCRIPTS[options.shell](commands())
    if options.json:
        print_json({"shell": options.shell, "script": script})
    else:
        print_text(script, end="")
    return 0


def _values(kind: str, root: str) -> list[str]:
    try:
        return [*_printed_lines(kind, root)]
    except Exception:  # noqa: BLE001  what stands on the line is not done yet, and nobody asked for an error
        return []


def _printed_lines(kind: str, root: str) -> Iterator[str]:
    import os

    from suture.cli.readonly import sight

    with sight(os.path.abspath(root), _PATIENCE_MS) as seen:
        if kind == "points":
            for point in reversed(seen.book.snapshots()):
                if point.name.isprintable() and not point.is_damaged:
                    yield f"{point.name}\tsnapshot of {_when(point.id)}"
        for change in islice(seen.changes(), _MOST):
            if change.state != "damaged" and change.state == _STATES.get(kind, change.state):
                yield f"{change.id}\t{_about(change)}"


def _about(change: ChangeRecord) -> str:
    from suture.tools.history import about

    said = "".join(char if char.isprintable() else " " for char in about(vars(change)))
    undone = "(undone) " if change.state == "undone" else ""
    whole = f"{_when(change.id)} {undone}{said}"
    return whole if len(whole) <= _LONGEST else f"{whole[: _LONGEST - 1]}…"


def _when(change_id: str) -> str:
    """The time in an id, as the clock on the wall has it."""
    from time import localtime, strftime

    from suture.files.journal import time_of

    return strftime("%Y-%m-%d %H:%M", localtime(time_of(change_id)))
