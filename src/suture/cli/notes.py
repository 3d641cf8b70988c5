"""What is told besides a result: where what was written means something else than it looks like."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_DELIMITERS = 2
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
    how = "groups are written $1 or ${name}, the whole match by putting parentheses around the pattern"
    return [f"note: {literal} is taken literally; {how}"]


def _looks_like_group(replacement: str) -> str | None:
    at = 0
    while at < len(replacement) - 1:
        pair, rest = replacement[at : at + 2], replacement[at + 2 :]
        if pair == "$&" or (pair[0] == "\\" and pair[1] in _DIGITS):
            return pair
        if pair == "$0" and rest.lstrip("0")[:1] not in _DIGITS:
            return pair
        if pair == "\\g" and rest.startswith("<"):
            return "\\g<"
        name, closed, _ = rest.partition(">")
        if pair == "$<" and closed and name.isidentifier():
            return f"$<{name}>"
        at += 2 if pair == "$$" else 1
    return None


def on_validation(metadata: Mapping[str, Any]) -> list[str]:
    """What checks found, if there were any."""
    if "validation" not in metadata:
        return []
    from suture.safe_wording import checked_lines  # most calls ask for no checks

    return checked_lines(metadata["validation"])


def in_options(hint: str) -> str:
    """A hint to callers of tools, for who sits at the command line."""
    for argument, option in _OPTIONS.items():
        hint = hint.replace(argument, option)
    return hint


def as_option(argument: str) -> str:
    """The option that gives an argument of a tool."""
    return _NAMED_OTHERWISE.get(argument.partition("[")[0]) or f"--{argument.replace('_', '-')}"


_NAMED_OTHERWISE = {
    "context_before": "--before-context",
    "context_after": "--after-context",
    "line_edits": "--lines",
    "path": "PATH",
    "paths": "PATH",
}
_OPTIONS = {
    "set include_ignored": "add --include-ignored",
    "or raise max_replacements": "or raise --max-replacements",
    "set allow_over_match": "add --allow-over-match",
    "Name the encoding (": "Name the encoding by --encoding (",
    "name its encoding.": "name its encoding by --encoding.",
    "expected_text does not stand": "What --expect says does not stand",
    "expected_text stands": "What --expect says stands",
    "expected_text begins": "What --expect says begins",
    "give its whole content instead.": "give its whole content instead, by suture write.",
    "can allow (project_commands)": "can allow (--allow-commands)",
}
