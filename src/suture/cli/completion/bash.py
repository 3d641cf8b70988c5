"""The completion of bash, from 3.2 (macOS) on, without the package bash-completion.

Files are left to readline, which quotes names and expands `~` as everywhere. What stands on the line, or comes from the
workspace, is never expanded: it is compared literally and quoted by `printf %q`. bash 3.2 has no `compopt`: there,
files are offered where nothing else fits.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.cli.completion.completable import Command, Value

_SCRIPT = r"""# Completion of suture in bash. In ~/.bashrc: eval "$(suture completion bash)"

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


def script(commands: Sequence[Command]) -> str:
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
    return _SCRIPT.replace("@TAKES@", "\n".join(takes)).replace("@VALUES@", "\n".join(told))


def _set(value: Value) -> str:
    """What sets the variables for a value."""
    return f"kind={value.kind}" + (f" words='{' '.join(value.words)}'" if value.words else "")
