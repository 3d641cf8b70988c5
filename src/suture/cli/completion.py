"""`suture completion`: shell completion of commands, options, files, changes and checkpoints.

A shell's script passes the line up to the cursor with the hidden option --line, and gets the completions.
`argcomplete` finds them from the parser; this module only supplies the values. If anything goes wrong, there are no
completions. zsh and fish quote what they insert, argcomplete quotes it for bash, so nothing is expanded.

The scripts are not argcomplete's own. In zsh those complete only the first command of a line, in fish they sort the
completions, and they start whatever program the line names, even `./suture` in a workspace.
"""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import islice

from suture.cli.output import print_json, print_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from suture.plan import ChangeRecord

_MAX_CHANGES = 200  # the newest: nobody reads a longer list
_MAX_ABOUT_CHARS = 70  # characters, so that an id and its description fit on a line
_TIMEOUT_MS = 200  # for a locked history: a person has pressed a key and waits
_KINDS = {
    "DIR": "folders",
    "FILE|-": "files",
    "FILE|JSON|-": "files",
    "GLOB": "paths",
    "ID": "changes",
    "ID|NAME": "points",
    "PATH": "paths",
}
"""The kind of a value, by its placeholder in the help."""
_STATES = {"undo": "landed", "redo": "undone"}
"""The state of the changes that a command takes; other commands take all changes."""

_SCRIPTS = {
    "bash": r"""# Completion of suture in bash. In ~/.bashrc: eval "$(suture completion bash)"
_suture() {
    local word
    COMPREPLY=()
    while IFS= read -r word; do
        [ -z "$word" ] || COMPREPLY[${#COMPREPLY[@]}]=$word
    done <<<"$(_ARGCOMPLETE_COMP_WORDBREAKS=${COMP_WORDBREAKS-} \
        command suture completion bash --line="${COMP_LINE:0:COMP_POINT}" 2>/dev/null </dev/null)"
    case ${COMPREPLY-} in */) compopt -o nospace 2>/dev/null ;; esac
    return 0
}
complete -o nosort -F _suture suture 2>/dev/null || complete -F _suture suture
""",
    "zsh": r"""#compdef suture
# Completion of suture in zsh. In ~/.zshrc, below compinit: eval "$(suture completion zsh)"
_suture() {
    local line="${(j: :)words[1,CURRENT-1]} $QIPREFIX$PREFIX"
    local -a found folders
    found=(${(f)"$(command suture completion zsh --line=$line 2>/dev/null </dev/null)"})
    folders=(${(M)found:#*/:})
    found=(${found:#*/:})
    _describe -V suture found -- folders -S ''
}
if [[ $funcstack[1] == _suture ]]; then
    _suture "$@"
elif (($+functions[compdef])); then
    compdef _suture suture
else
    print -u2 'suture: completion needs this first: autoload -Uz compinit && compinit'
fi
""",
    "fish": r"""# Completion of suture in fish. In ~/.config/fish/config.fish: suture completion fish | source
function __suture_complete
    command suture completion fish --line=(commandline -cp | string collect) 2>/dev/null </dev/null
end
complete -c suture -e
complete -c suture -k -f -a '(__suture_complete)'
""",
}


def completion(options: argparse.Namespace) -> int:
    """Print a shell's script or, when a script asks, the completions of a line."""
    if options.line is not None:
        with suppress(Exception):  # the line is incomplete; an error would disturb the prompt
            for text in [*_completions(options.line, options.shell)]:
                print_text(text)
    elif options.json:
        print_json({"shell": options.shell, "script": _SCRIPTS[options.shell]})
    else:
        print_text(_SCRIPTS[options.shell], end="")
    return 0


def _completions(line: str, shell: str) -> Iterator[str]:
    """The completions of a line, as the shell's script reads them: for zsh and fish, each with a description."""
    from argcomplete.finders import CompletionFinder
    from argcomplete.lexers import split_line

    quote, prefix, _, words, wordbreak = split_line(line)
    option, equals, _ = prefix.partition("=")
    only_values = "--" in words

    class Finder(CompletionFinder):
        def collect_completions(self, active_parsers: Any, parsed_args: Any, cword_prefix: str) -> list[str]:
            parser = active_parsers[-1]
            if option.startswith("-") and (only_values or (equals and option not in parser._option_string_actions)):  # noqa: SLF001  argparse has no public name for it
                return []
            completions = super().collect_completions(active_parsers, parsed_args, cword_prefix)
            if completions or parser.active_actions:
                return completions
            for action in parser._get_positional_actions():  # noqa: SLF001  as above
                if action.nargs == "*":  # also takes words after options: see `arguments`
                    return [*action.completer(prefix=cword_prefix, parsed_args=parsed_args)]
            self.always_complete_options = not (cword_prefix or only_values)
            return super().collect_completions(active_parsers, parsed_args, cword_prefix)

        def quote_completions(self, completions: list[str], *how: Any) -> list[str]:
            return super().quote_completions(completions, *how) if shell == "bash" else completions

        def __iter__(self) -> Iterator[str]:
            typed = [*words, option] if equals and option.startswith("-") else words
            yield from self._get_completions(typed, prefix, quote, wordbreak)  # type: ignore[no-untyped-call]  # argcomplete has no types there

    finder = Finder(_parser(words), always_complete_options=False, append_space=False)
    for value in finder:
        about = finder.get_display_completions().get(value, "")
        if shell == "zsh":
            escaped = value.replace("\\", "\\\\").replace(":", "\\:")
            yield f"{escaped}:{about}"
        else:
            yield value if shell == "bash" else f"{value}\t{about}"


def _parser(words: list[str]) -> argparse.ArgumentParser:
    """The parser, with what `suture.cli` handles before parsing: `help`, and options before the command."""
    import argparse

    from suture.cli import COMMANDS
    from suture.cli.arguments import add_common, build_parser

    parser = build_parser(words)
    add_common(parser, "print the whole result as JSON")
    group = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))  # noqa: SLF001  argparse has no public name for it
    help_parser = group.add_parser("help", help="print a command's options and an example")
    help_parser.add_argument("name", metavar="COMMAND", choices=tuple(COMMANDS))
    for command in (parser, *group.choices.values()):
        for action in command._actions:  # noqa: SLF001  as above
            if action.dest == "root":
                action.default = argparse.SUPPRESS  # or it would override one before the command
            if action.choices is None and action.nargs != 0:
                action.completer = _completer(command.prog.rpartition(" ")[2], action)
    return parser


def _completer(command: str, action: argparse.Action) -> Callable[..., Iterable[str]]:
    """A function that returns the values of an option or argument, some with descriptions."""
    kind = _KINDS.get(str(action.metavar), "")

    def values(prefix: str, parsed_args: argparse.Namespace, **_: object) -> Iterable[str]:
        from suture.cli.paths import HERE, locate

        given = getattr(parsed_args, "root", None)
        location = locate(given and os.path.expanduser(given))
        match kind:
            case "files" | "folders":
                return _files(prefix, HERE, only_folders=kind == "folders")
            case "paths":
                return _files(prefix, location.typed_from)
            case "changes" | "points":
                return dict(_changes(location.root, _STATES.get(command), checkpoints=kind == "points"))
        return _names(command, action.dest, prefix)

    return values


def _names(command: str, place: str, prefix: str) -> Iterable[str]:
    """The values of arguments that have a fixed list."""
    match command, place:
        case "init", "client":
            from suture.cli.init import CLIENTS  # other values need less

            return CLIENTS
        case _, "set":
            from suture.settings import Settings

            return [f"{name}=" for name in Settings._fields]
    from suture.tools import DIALECTS, PROFILES, TOOLS

    match command, place:
        case "call", "name":
            return (*TOOLS, *DIALECTS)
        case _, "profile":
            return PROFILES
        case _, "tools":  # a list with commas
            return [prefix[: prefix.rfind(",") + 1] + tool for tool in TOOLS]
    return ()


def _files(prefix: str, root: str, *, only_folders: bool = False) -> Iterator[str]:
    """Names that begin with the prefix; hidden ones only if the prefix begins with a dot."""
    folder = prefix[: prefix.rfind("/") + 1]
    with os.scandir(os.path.join(root, os.path.expanduser(folder))) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            name = f"{folder}{entry.name}/" if entry.is_dir() else f"{folder}{entry.name}"
            hidden = entry.name.startswith(".") and prefix == folder
            if (
                name.startswith(prefix)
                and name.isprintable()
                and not hidden
                and name.endswith("/" if only_folders else "")
            ):
                yield name


def _changes(root: str, state: str | None, *, checkpoints: bool) -> Iterator[tuple[str, str]]:
    """Ids of changes and printable names of checkpoints, each with a description."""
    from suture.files.history import read_history
    from suture.origins import drop_root_entries

    drop_root_entries([root])
    with read_history(os.path.abspath(root), _TIMEOUT_MS) as recorded:
        if checkpoints:
            for point in reversed(recorded.database.snapshots()):
                if point.name.isprintable() and not point.is_damaged:
                    yield point.name, f"checkpoint of {_when(point.id)}"
        for change in islice(recorded.changes(), _MAX_CHANGES):
            if change.state != "damaged" and change.state == (state or change.state):
                yield change.id, _about(change)


def _about(change: ChangeRecord) -> str:
    from suture.tools.history import about

    summary = "".join(char if char.isprintable() else " " for char in about(vars(change)))
    undone = "(undone) " if change.state == "undone" else ""
    text = f"{_when(change.id)} {undone}{summary}"
    return text if len(text) <= _MAX_ABOUT_CHARS else f"{text[: _MAX_ABOUT_CHARS - 1]}…"


def _when(change_id: str) -> str:
    """The time in an id, in the local time zone."""
    from time import localtime, strftime

    from suture.files.journal import time_of

    return strftime("%Y-%m-%d %H:%M", localtime(time_of(change_id)))
