"""The completion of zsh: a file for its fpath, or a text to eval.

Everything is left to `_arguments`, which quotes what it inserts; what comes from the workspace is added literally.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.cli.completion.completable import Argument, Command, Option, Value

_SCRIPT = r"""#compdef suture
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


def script(commands: Sequence[Command]) -> str:
    """The script for these commands."""
    before, *named = commands
    about = [f"        {_quoted(f'{each.name}:{each.about}')}" for each in named]
    cases = [f"        ({each.name}) _arguments{_specs(each)} ;;" for each in named]
    first = _specs(before.but(arguments=())) + " \\\n            '1:command:_suture_commands' '*:: :'"
    return (
        _SCRIPT.replace("@COMMANDS@", "\n".join(about)).replace("@BEFORE@", first).replace("@CASES@", "\n".join(cases))
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
