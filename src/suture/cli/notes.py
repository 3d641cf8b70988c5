"""What is told besides a result: where what was written means something else than it looks like."""

from __future__ import annotations

from suture.cli.terminal import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping
    from typing import Any

    from suture.cli import QuickOptions

_DELIMITERS = 2
_NOT_ALLOWED = "can allow (project_commands)"
"""How a line ends that tells of a check which only who sits at the command line can allow."""
_DIGITS = frozenset("123456789")


def on_pattern(pattern: str) -> list[str]:
    """Whether slashes were taken for those of /pattern/flags although there is no flag."""
    body = pattern[1:-1]
    if len(pattern) <= _DELIMITERS or pattern[0] + pattern[-1] != "//" or body.endswith("\\"):
        return []
    return [f"note: read as the pattern {body}; for the slashes themselves write \\/{body}\\/"]


def on_replacement(replacement: str) -> list[str]:
    """Whether it holds what other tools take for a group."""
    literal = _looks_like_group(replacement)
    if literal is None:
        return []
    how = "groups are written $1 or ${name}, the whole match $&"
    return [f"note: {literal} is taken literally; {how}"]


def _looks_like_group(replacement: str) -> str | None:
    at = 0
    while at < len(replacement) - 1:
        pair, rest = replacement[at : at + 2], replacement[at + 2 :]
        if pair[0] == "\\" and pair[1] in _DIGITS:
            return pair
        if pair == "$0" and rest.lstrip("0")[:1] not in _DIGITS:
            return pair
        if pair == "\\g" and rest.startswith("<"):
            return "\\g<"
        at += 2 if pair == "$$" else 1
    return None


def on_validation(metadata: Mapping[str, Any]) -> list[str]:
    """What checks found, if there were any."""
    if "validation" not in metadata:
        return []
    from suture.safe_wording import checked_lines  # most calls ask for no checks

    return [*map(allowable, checked_lines(metadata["validation"]))]


def allowable(line: str) -> str:
    """A line about a check; one that was not run, because nobody allowed it, names the option that does."""
    return in_options(line) if line.endswith(_NOT_ALLOWED) else line


def skipped(paths: Iterable[str]) -> list[str]:
    """Which files were named, and not looked into."""
    return [f"note: {clean(path)} is binary and was skipped" for path in paths]


_CLEARED_UP = {
    "back": "change {} had been interrupted and was rolled back first",
    "forward": "change {} had been interrupted; it was complete and has landed",
    "unknown": "a power cut had interrupted change {}; what was left of it was cleared up first",
}


def recovered(metadata: Mapping[str, Any]) -> list[str]:
    """Whether an interrupted transaction had to be cleared up before the call."""
    found = metadata.get("recovered")
    return [] if found is None else [f"note: {_CLEARED_UP[found['direction']].format(found['id'])}; see --json"]


def way_back(options: argparse.Namespace, metadata: Mapping[str, Any]) -> str:
    """How to take a change back, or that it cannot be."""
    if not metadata.get("history", {}).get("recorded", "history" not in metadata):
        return "note: it cannot be undone, for it could not be recorded; see --json"
    return f"To take it back: suture undo {metadata['change_id']}{at_root(options)}"


def at_root(options: argparse.Namespace | QuickOptions) -> str:
    """The option that names the workspace, behind a command that somebody is told to type."""
    from shlex import quote

    return "" if options.root == "." else f" --root {quote(options.root)}"


def in_options(hint: str) -> str:
    """A hint to callers of tools, for who sits at the command line."""
    for argument, option in _OPTIONS.items():
        hint = hint.replace(argument, option)
    return hint


def as_option(argument: str) -> str:
    """What gives an argument of a tool: an option, or a word; in JSON it has its own name."""
    name = argument.partition("[")[0]
    if name in _IN_JSON:
        return argument
    return _NAMED_OTHERWISE.get(name) or f"--{name.replace('_', '-')}"


_IN_JSON = {"edits", "patches"}
_NAMED_OTHERWISE = {
    "change_id": "ID",
    "content": "stdin",
    "file_path": "PATH",
    "line_edits": "--lines",
    "name": "NAME",
    "path": "PATH",
    "paths": "PATH",
    "pattern": "PATTERN",
    "replacement": "REPLACEMENT",
    "reply": "the reply",
}
_OPTIONS = {
    "add literal: true": "add --literal",
    "set include_ignored": "add --include-ignored",
    "set whole_files": "add --whole-files",
    "give default_path": "name it by --default-path",
    'set match to "lenient"': "use --match lenient",
    '"lenient" finds more.': "--match lenient finds more.",
    "Use file_read to see": "Use suture read to see",
    "Update occurrences to": "Give --occurrences",
    "or raise max_replacements": "or raise --max-replacements",
    "set allow_over_match": "add --allow-over-match",
    "Name the encoding (": "Name the encoding by --encoding (",
    "name its encoding.": "name its encoding by --encoding.",
    "expected_text does not stand": "What --expected-text says does not stand",
    "expected_text stands": "What --expected-text says stands",
    "expected_text begins": "What --expected-text says begins",
    "give its whole content instead.": "give its whole content instead, by suture write.",
    _NOT_ALLOWED: "can allow (--allow-commands)",
    "(check_max_files)": "(--max-files)",
    "(check_max_issues)": "(--max-issues)",
    "(check_call_ms)": "(--max-time)",
    "can allow (allow_executables)": "can allow (--allow-executables)",
}
