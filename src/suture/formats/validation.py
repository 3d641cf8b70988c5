"""Whether a reply is well formed, in the specification's words."""

from __future__ import annotations

from suture.formats.reply import parse_reply
from suture.formats.search_replace import marker
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from suture.formats.reply import Reply


class Validation(Record):
    """What is wrong with a reply, and what may be. What can be used of it can be used in any case."""

    is_valid: bool
    errors: list[str]
    warnings: list[str]


def validate_reply(text: str) -> Validation:
    """Check that markers are balanced, that blocks are complete, and that there is one at all."""
    return validated(text, parse_reply(text))


def validated(text: str, reply: Reply) -> Validation:
    """As `validate_reply`, for a reply that has been parsed."""
    found = dict.fromkeys(("search", "replace", "new_file", "end_of_file", "separator", None), 0)
    for line in text.split("\n"):
        if line.lstrip()[:1] in {"<", "=", ">"}:
            found[marker(line)] += 1
    errors, warnings = [], []
    if found["search"] != found["replace"]:
        errors.append(f"Mismatched SEARCH/REPLACE: {found['search']} SEARCH vs {found['replace']} REPLACE")
    if found["new_file"] != found["end_of_file"]:
        errors.append(f"Mismatched NEW_FILE: {found['new_file']} start vs {found['end_of_file']} end")
    usable = [block for block in reply if not block.problem]
    if not usable:
        errors.append("No valid blocks found")
    expected = [block for block in reply if block.format == "search_replace" and block.problem != "no_start"]
    complete = sum(not block.problem for block in expected)
    if complete < len(expected):
        warnings.append(
            "Some SEARCH/REPLACE blocks may be missing the separator (=======). "
            f"{complete} complete blocks found out of {len(expected)} expected."
        )
    if len(usable) < len(reply):
        warnings.append("Some file blocks may be malformed")
    return Validation(not errors, errors, warnings)


def extract_paths(text: str) -> list[str]:
    """The files that a reply names, in order, each once."""
    return list(parse_reply(text).paths)
