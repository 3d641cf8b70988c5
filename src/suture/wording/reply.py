"""What is wrong with a whole reply, besides the errors of its blocks."""

from __future__ import annotations

from suture.formats.reply import count_markers, parse_reply
from suture.records import Record
from suture.wording import count, span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from suture.formats import Unread
    from suture.formats.reply import Reply
    from suture.formats.thinking import Thought

_NO_BLOCKS = "No valid blocks found"
_MALFORMED = "Some file blocks may be malformed"
UNSPECIFIC = (_NO_BLOCKS, _MALFORMED)
"""The messages to leave out if the error of an unsupported block says the same in more detail."""
_KIND_NAMES = {
    "call": "an edit tool call",
    "fields": "an edit written as fields",
    "tag": "an edit in tags",
    "file": "a whole file",
    "markers": "a block with unknown markers",
    "escaped": "a block with escaped markers",
    "diff": "a diff",
    "fences": "an edit in code fences",
    "sentence": "an edit in a sentence",
    "heredoc": "a shell command that writes a file",
    "shell": "a shell command that changes files",
}
"""By `shapes.UNREAD_KINDS`; a file in a fence has a sentence of its own."""


class Validation(Record):
    """The errors and warnings of a reply. Its usable blocks can be used in any case."""

    is_valid: bool
    errors: list[str]
    warnings: list[str]
    unread: tuple[Unread, ...] = ()
    """What looks like an edit but was not read; each item is among the errors or the warnings."""
    malformed: tuple[str, ...] = ()
    """The errors and warnings that only say that some blocks are damaged; the blocks' own errors say more."""


def validate_reply(text: str) -> Validation:
    """Check that markers are balanced, blocks are complete, and there is at least one."""
    return validate_parsed(text, parse_reply(text))


def validate_parsed(text: str, reply: Reply) -> Validation:
    """The same as `validate_reply`, for a parsed reply."""
    usable = [block for block in reply if not block.problem]
    counts = count_markers(text, reply)
    errors, warnings = [], []
    if counts["search"] != counts["replace"]:
        errors.append(f"Mismatched SEARCH/REPLACE: {counts['search']} SEARCH vs {counts['replace']} REPLACE")
    if counts["new_file"] != counts["end_of_file"]:
        errors.append(f"Mismatched NEW_FILE: {counts['new_file']} start vs {counts['end_of_file']} end")
    if not usable:
        errors.append(_NO_BLOCKS)
    search_blocks = [block for block in reply if block.format == "search_replace" and block.problem != "no_start"]
    complete = sum(not block.problem for block in search_blocks)
    if complete < len(search_blocks) and counts["separator"] < counts["search"]:
        warnings.append(
            "Some SEARCH/REPLACE blocks may be missing the separator (=======). "
            f"{complete} complete blocks found out of {len(search_blocks)} expected."
        )
    if len(usable) < len(reply):
        warnings.append(_MALFORMED)
    if counts["unknown"]:
        warnings.append("Some markers were not understood: blocks begin with <<<<<<< SEARCH or <<<<<<< NEW_FILE.")
    malformed = (*errors, *warnings)
    warnings += [_describe_thought(thought) for thought in reply.thoughts if thought.blocks]
    errors += [describe_unread(unread) for unread in reply.unread if unread.edits]
    doubtful = [unread for unread in reply.unread if not unread.edits and (usable or unread.kind != "fenced_file")]
    warnings += dict.fromkeys(describe_unread(unread) for unread in doubtful)
    return Validation(not errors, errors, warnings, reply.unread, malformed)


def describe_unread(unread: Unread) -> str:
    """A sentence on an edit that was not read."""
    if unread.kind == "diff" and unread.path is None:
        return f"The diff at line {unread.line} of the reply names no file and was ignored."
    if unread.kind == "fenced_file":
        return f"A code fence names {unread.path}, but writing whole files is not turned on."
    path = f" ({unread.path})" if unread.path else ""
    return f"Line {unread.line} of the reply was not read: it looks like {_KIND_NAMES[unread.kind]}{path}."


def _describe_thought(thought: Thought) -> str:
    """A sentence on blocks that were skipped, because the model only thought about them."""
    blocks = f"{count(thought.blocks, 'block')} {'was' if thought.blocks == 1 else 'were'}"
    where = {
        "beginning": f"before {thought.tag} at line {thought.end_line}",
        "end": f"after {thought.tag} (which is not closed) at line {thought.line}",
    }.get(thought.missing, f"inside {thought.tag} at {span(thought.line, thought.end_line)}")
    return f"{blocks} skipped: the text {where} of the reply is the model's thinking."
