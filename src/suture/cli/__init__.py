"""The command line: its commands, their help, and the dispatch to them.

Every `suture …` imports this module, and `suture --help` no other, so it imports next to nothing.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from suture.cli.paths import Location
    from suture.plan import SessionInfo
    from suture.settings import Settings

_USAGE = 2
_INTERRUPTED = 130
_PIPE_CLOSED = 141
_FLAGS = frozenset(("--json", "--quiet", "--verbose"))
_HELP = frozenset(("help", "--help", "-h"))
_SELECTING = ("clipboards", "log", "undo")  # their --session is one whose changes or clipboards are meant
_MAX_SUGGESTIONS = 3  # for an unknown command: more do not help


DESCRIPTION = "Apply edits to files: each exactly where it was meant, or not at all."

GROUPS = {
    "Read and search": {
        "read": ("print a file's lines", "suture read src/app.py --start-line 10 --end-line 20"),
        "search": ("search files for a regular expression", "suture search -i 'todo: (\\w+)' src '*.md'"),
        "extract": ("print the groups of a regular expression", r"suture extract '^(\w+) *= *(.*)$' setup.cfg"),
        "lines": ("print the lines that match a regular expression", "suture lines -n '^(ERROR|FATAL)' server.log"),
        "split": ("split a file by a regular expression", r"suture split '\n\n+' notes.txt"),
    },
    "Edit": {
        "edit": ("replace exact text in a file", "suture edit src/app.py --old 'timeout=30' --new 'timeout=60'"),
        "patch": (
            "apply patches that may not match the file exactly",
            "suture patch src/app.py patches.json --dry-run",
        ),
        "write": ("write a file from stdin if it passes the checks", "suture write src/app.py --mode strict < new.py"),
        "replace": ("replace regular expression matches in files", r"suture replace '\bfoo\(' 'bar(' src --write"),
    },
    "Apply a reply": {
        "apply": ("apply a model's reply: blocks, patches, diffs", "suture apply reply.md --dry-run"),
        "prompt": ("print instructions for models on writing changes", "suture prompt --format blocks"),
    },
    "Undo": {
        "log": ("list the changes, newest first", "suture log src/ --limit 5"),
        "show": ("show a change and its diff", "suture show 537g4n9w3cgmdf5"),
        "undo": ("undo a change, keeping later work", "suture undo --dry-run"),
        "redo": ("reapply an undone change", "suture redo"),
        "checkpoint": ("take a checkpoint of all files, or list checkpoints", "suture checkpoint before-refactoring"),
        "run": ("run a command, and record what it changes", "suture run -- make format"),
        "restore": ("restore files to a checkpoint or change", "suture restore --to before-refactoring src/"),
        "clipboards": ("list or clear the clipboards of patch", "suture clipboards --session refactoring"),
        "forget": ("remove versions of files from the history for good", "suture forget config.env --dry-run"),
        "recover": ("recover from an interrupted transaction", "suture recover --root ~/project"),
    },
    "Serve": {
        "mcp": ("serve the tools to an agent over MCP", "suture mcp --root ~/project"),
        "init": ("add the MCP server to an agent's settings", "suture init claude-code --write"),
        "tools": ("list the tools, or print definitions for an API", "suture tools --format anthropic"),
        "call": ("call a tool with JSON arguments", """suture call file_read '{"path": "README.md"}'"""),
    },
    "Check and set up": {
        "check": ("check files: syntax, conflict markers, and more", "suture check src '*.toml'"),
        "doctor": ("check the installation and the workspace", "suture doctor --root ~/project"),
        "completion": ("print a shell completion script", 'eval "$(suture completion bash)"'),
    },
}
COMMANDS = {name: texts for group in GROUPS.values() for name, texts in group.items()}
SUGGESTIONS = {
    "cat": "read",
    "commit": "checkpoint",
    "diff": "show",
    "file_edit": "edit",
    "file_read": "read",
    "find": "search",
    "grep": "search",
    "history": "log",
    "install": "init",
    "purge": "forget",
    "revert": "undo",
    "rollback": "undo",
    "safe_edit": "write",
    "sed": "replace",
    "serve": "mcp",
    "server": "mcp",
    "snapshot": "checkpoint",
    "status": "log",
    "validate": "check",
}
"""Commands of other programs, and tools, with the command to suggest for each."""

EXIT_CODES = {
    0: "success; matches found; no errors found (check)",
    1: "refused or failed; nothing found; errors found (check)",
    2: "usage error; nothing to apply; refused (searches, replace, check)",
    130: "interrupted (Ctrl-C)",
    141: "output closed by the reader",
}


class QuickOptions:
    """The options of `suture call`, instead of an `argparse.Namespace`."""

    location: Location

    def __init__(self, name: str, arguments: str, root: str | None) -> None:
        self.command = "call"
        self.name = name
        self.arguments = arguments
        self.root = root
        self.json = self.quiet = self.verbose = False
        self.set: list[tuple[str, object]] | None = None
        self.by_option: dict[str, str] = {}
        self.settings: Settings | None = None
        self.session: str | None = None
        self.caller: SessionInfo | None = None


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; `EXIT_CODES` says what they mean."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        try:
            code = _run(command_first(words), own_process=argv is None)
        except SystemExit as stop:  # argparse has printed the help or an error
            code = stop.code if isinstance(stop.code, int) else 0
        if sys.stdout is not None:
            sys.stdout.flush()
    except KeyboardInterrupt:
        return _INTERRUPTED
    except OSError as error:  # the reader has closed the pipe, or the disk is full
        sys.stdout = None  # or the interpreter would flush it again, and fail again
        if isinstance(error, BrokenPipeError):
            return _PIPE_CLOSED
        _report_failure(f"OUTPUT_FAILED: the output could not be written: {error.strerror}")
        return 1
    except MemoryError:  # a call reports its own; this one came while the answer was printed
        _report_failure("OUT_OF_MEMORY: there is no memory left to print the output.")
        return 1
    return code


def _report_failure(problem: str) -> None:
    """Print why the output could not be written, unless stderr failed."""
    try:
        if sys.stderr is not None:
            sys.stderr.write(f"{problem}\nWhatever the command changed has landed: see suture log.\n")
    except OSError:
        sys.stderr = None  # or the interpreter would flush it again, and fail again


def command_first(words: list[str]) -> list[str]:
    """The words with the common options moved after the command, where argparse looks for them.

    If there is no command, the options are dropped.
    """
    at = 0
    while at < len(words) and (words[at] in {*_FLAGS, "--root"} or words[at].startswith("--root=")):
        at += 2 if words[at] == "--root" else 1
    return [*words[at : at + 1], *words[:at], *words[at + 1 :]] if at < len(words) else []


def quick_options(words: Sequence[str]) -> QuickOptions | None:
    """`call NAME JSON [--root DIR]` without argparse, which would double the start-up time; None for anything else."""
    root: str | None = None
    match words:
        case ["call", name, arguments]:
            pass
        case ["call", name, arguments, "--root", root] | ["call", "--root", root, name, arguments]:
            pass
        case _:
            return None
    plain = all(word == "-" or not word.startswith("-") for word in (name, arguments, root or ""))
    return QuickOptions(name, arguments, root) if plain else None


def _clean_sys_path(words: Sequence[str]) -> Location | None:
    """Remove the entries of `sys.path` that are in the workspace, so that nothing is imported from there.

    Returns the workspace, unless it is named.
    """
    from suture.cli.paths import locate  # --help needs none of it
    from suture.origins import drop_root_entries

    named = [words[at + 1] for at, word in enumerate(words[:-1]) if word == "--root"]
    named += [word.partition("=")[2] for word in words if word.startswith("--root=")]
    found = None if named else locate(None)
    drop_root_entries(named if found is None else [found.root])
    return found


def _run(words: list[str], *, own_process: bool) -> int:
    options: QuickOptions | Namespace | None = quick_options(words)
    if options is not None:
        found = _clean_sys_path(words)
        from suture.cli.commands import call
        from suture.cli.output import set_verbosity

        set_verbosity(options)
        return _configure(options, found, own_process=own_process) or call(options)
    if words and words[0] in _HELP:
        words = [*(word for word in words[1:2] if word[:1] != "-" and word not in _HELP), "--help"]
    if words in ([], ["--help"]):
        return _help(asked=bool(words))
    found = _clean_sys_path(words)
    from suture.cli.output import set_verbosity

    if not words[0].startswith("-") and (code := _unknown(words[0])):
        return code
    from suture.cli.arguments import build_parser

    options = build_parser(words).parse_args(words)
    set_verbosity(options)
    result: int = _configure(options, found, own_process=own_process) or options.run(options)
    return result


def _configure(options: QuickOptions | Namespace, found: Location | None, *, own_process: bool) -> int:
    """Set a command's workspace and settings, and apply those of the process; the exit code, 0 if they are valid."""
    from suture.cli.paths import locate
    from suture.cli.settings import settings_of
    from suture.settings import Settings

    options.location = found if found is not None and options.root is None else locate(options.root)
    options.root = options.location.root
    if hasattr(options, "settings"):
        from suture.engine import own_session

        try:
            options.settings = settings_of(options)
            name = None if options.command in _SELECTING else getattr(options, "session", None)
            options.caller = own_session("cli", name)
        except ValueError as error:
            from suture.cli.output import report_misuse

            return report_misuse(options.command, error)
    settings = getattr(options, "settings", None) or Settings()
    if own_process and options.command != "run":  # the command would inherit the limit
        _limit_memory(settings.max_memory_bytes)
    return 0


def _limit_memory(most: int) -> None:
    """Limit the memory of this process and of its children, where the platform supports it; 0: no limit.

    Limits data, not address space, which includes memory that threads and programs reserve and never use.
    """
    if not most:
        return
    try:
        from resource import RLIM_INFINITY, RLIMIT_DATA, getrlimit, setrlimit

        soft, hard = getrlimit(RLIMIT_DATA)
        known = [limit for limit in (soft, hard) if limit != RLIM_INFINITY]
        setrlimit(RLIMIT_DATA, (min([most, *known]), hard))
    except (ImportError, OSError, OverflowError, ValueError):  # the platform has no such limit
        return


def _help(*, asked: bool) -> int:
    """Print the list of commands, to stderr unless the user asked for it."""
    if asked and sys.stdout is not None:
        sys.stdout.write(page())
    elif not asked and sys.stderr is not None:
        sys.stderr.write(page())
    return 0 if asked else _USAGE


def page() -> str:
    """What `suture --help` prints."""
    width = max(map(len, COMMANDS)) + 2
    lines = ["usage: suture COMMAND ...", "", DESCRIPTION, ""]
    for title, group in GROUPS.items():
        lines += [f"{title}:", *(f"  {name:{width}}{about}" for name, (about, _) in group.items()), ""]
    lines += [
        "Common options:",
        f"  {'--help':{width}}show a command's options and an example; also: suture help COMMAND",
        f"  {'--root DIR':{width}}the workspace (default: the one that the current folder is in)",
        f"  {'--json':{width}}print the result as JSON",
        f"  {'--quiet':{width}}print only errors",
        f"  {'--verbose':{width}}write a log to stderr",
        "",
        "suture --version prints the version. NO_COLOR turns colors off.",
        "",
        "Exit codes:",
        *(f"  {code:<{width}}{meaning}" for code, meaning in EXIT_CODES.items()),
    ]
    return "\n".join(lines) + "\n"


def _unknown(command: str) -> int:
    """Suggest a command for one that does not exist; 0 if it exists."""
    if command in COMMANDS:
        return 0
    from suture.cli.output import refuse

    similar = _similar_commands(command.lower())
    hint = f"Did you mean: {' or '.join(f'suture {name}' for name in similar)}" if similar else "See: suture --help"
    refuse("WRONG_USAGE", f"unknown command {command!r}.", hint)
    return _USAGE


def _similar_commands(word: str) -> list[str]:
    """The command that a word probably means; several if they are equally similar."""
    from difflib import SequenceMatcher, get_close_matches  # slow to import, and only a typing error needs them

    if word in SUGGESTIONS:
        return [SUGGESTIONS[word]]
    if transposed := [name for name in COMMANDS if sorted(name) == sorted(word)]:
        return transposed
    similar = get_close_matches(word, COMMANDS, _MAX_SUGGESTIONS)
    scores = {name: SequenceMatcher(None, name, word).ratio() for name in similar}
    return sorted(name for name in similar if scores[name] == scores[similar[0]])
