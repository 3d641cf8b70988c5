"""Whether a reply is well formed, in the specification's words."""

from __future__ import annotations

from suture.formats.reply import parse_reply
from suture.formats.search_replace import marker
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.formats.blocks import Block, Unread
    from suture.formats.reply import Reply
    from suture.formats.thinking import Thought

_SEEMS = {
    "call": "an edit tool call",
    "fields": "an edit written as fields",
    "tag": "an edit in tags",
    "file": "a whole file",
    "fenced_file": "a whole file in a code fence",
    "markers": "a block with unknown markers",
    "escaped": "a block with escaped markers",
    "diff": "a diff",
    "fences": "an edit in code fences",
    "sentence": "an edit in a sentence",
    "heredoc": "a shell command that writes a file",
    "shell": "a shell command that changes files",
}


class Validation(Record):
    """What is wrong with a reply, and what may be. What can be used of it can be used in any case."""

    is_valid: bool
    errors: list[str]
    warnings: list[str]
    unread: tuple[Unread, ...] = ()
    """What looks like an edit and was not read; each is among the errors or the warnings."""


def describe_unread(unread: Unread) -> str:
    """What was not read, and where."""
    if unread.kind == "diff" and unread.path is None:
        return f"The diff at line {unread.line} of the reply names no file and was ignored"
    if unread.kind == "fenced_file":
        return f"A code fence names {unread.path}, but whole_files is not set"
    path = f" ({unread.path})" if unread.path else ""
    return f"Line {unread.line} of the reply was not read: it looks like {_SEEMS[unread.kind]}{path}"


def validate_reply(text: str) -> Validation:
    """Check that markers are balanced, that blocks are complete, and that there is one at all."""
    return validated(text, parse_reply(text))


def validated(text: str, reply: Reply) -> Validation:
    """As `validate_reply`, for a reply that has been parsed."""
    usable = [block for block in reply if not block.problem]
    found = _markers(text, usable, reply.thoughts)
    errors, warnings = [], []
    if found["search"] != found["replace"]:
        errors.append(f"Mismatched SEARCH/REPLACE: {found['search']} SEARCH vs {found['replace']} REPLACE")
    if found["new_file"] != found["end_of_file"]:
        errors.append(f"Mismatched NEW_FILE: {found['new_file']} start vs {found['end_of_file']} end")
    if not usable:
        errors.append("No valid blocks found")
    expected = [block for block in reply if block.format == "search_replace" and block.problem != "no_start"]
    complete = sum(not block.problem for block in expected)
    if complete < len(expected) and found["separator"] < found["search"]:
        warnings.append(
            "Some SEARCH/REPLACE blocks may be missing the separator (=======). "
            f"{complete} complete blocks found out of {len(expected)} expected."
        )
    if len(usable) < len(reply):
        warnings.append("Some file blocks may be malformed")
    if found["unknown"]:
        warnings.append("Some markers were not understood: blocks begin with <<<<<<< SEARCH or <<<<<<< NEW_FILE")
    warnings += [_skipped(each) for each in reply.thoughts if each.blocks]
    errors += [describe_unread(each) for each in reply.unread if each.edits]
    told = [each for each in reply.unread if not each.edits and (usable or each.kind != "fenced_file")]
    warnings += dict.fromkeys(describe_unread(each) for each in told)
    return Validation(not errors, errors, warnings, reply.unread)


def _skipped(thought: Thought) -> str:
    blocks = "1 block was" if thought.blocks == 1 else f"{thought.blocks} blocks were"
    lines = f"lines {thought.line} to {thought.end_line}" if thought.line < thought.end_line else f"line {thought.line}"
    where = {
        "beginning": f"before {thought.tag} at line {thought.end_line}",
        "end": f"after {thought.tag} (which is not closed) at line {thought.line}",
    }.get(thought.missing, f"inside {thought.tag} at {lines}")
    return f"{blocks} skipped: the text {where} of the reply is the model's thinking"


def _markers(text: str, usable: Sequence[Block], thoughts: Sequence[Thought]) -> dict[str, int]:
    """How many markers of each kind there are, those in the content of usable blocks and in thinking not counted."""
    found: dict[str, int] = dict.fromkeys(("search", "replace", "new_file", "end_of_file", "separator", "unknown"), 0)
    lines, at = text.split("\n"), 0
    for thought in thoughts:
        lines[thought.line - 1 : thought.end_line] = [""] * (thought.end_line - thought.line + 1)
    for block in usable:
        found = _counted(lines[at : block.line - 1], found)
        names = {"search_replace": ("search", "separator", "replace"), "new_file": ("new_file", "end_of_file")}
        for name in names.get(block.format, ()):
            found[name] += 1
        at = block.end_line
    return _counted(lines[at:], found)


def _counted(lines: Sequence[str], found: dict[str, int]) -> dict[str, int]:
    for line in lines:
        if line.lstrip()[:1] in {"<", "=", ">", "-", "+"}:
            kind = marker(line)
            if kind is not None or line.startswith(("<<<< ", "<<<<<")):
                found[kind or "unknown"] += 1
    return found


def extract_paths(text: str) -> list[str]:
    """The files that a reply names, in order, each once."""
    return list(parse_reply(text).paths)
