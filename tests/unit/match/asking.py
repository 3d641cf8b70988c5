"""Make a request on a file, for tests that compare whole texts."""

from suture.match import locate
from suture.match.index import Found, Index, Refused
from suture.text.edits import apply

NAME = "server.py"
"""The name of every file in these tests: a hash begins a comment."""


def ask(file: str | bytes, old: str, new: str, *, match: str = "lenient", whole_lines: bool = False) -> Found | Refused:
    """The answer."""
    return locate(Index(raw(file), NAME), old, new, match=match, whole_lines=whole_lines)


def find_place(file: str | bytes, old: str, new: str, *, match: str = "lenient", whole_lines: bool = False) -> Found:
    """The answer, which must be a place."""
    answer = ask(file, old, new, match=match, whole_lines=whole_lines)
    assert isinstance(answer, Found), answer
    return answer


def apply_edit(
    file: str | bytes, old: str, new: str, *, match: str = "lenient", whole_lines: bool = False
) -> tuple[str, bytes]:
    """The name of the rung, and the file's bytes after the change."""
    answer = find_place(file, old, new, match=match, whole_lines=whole_lines)
    return answer.rung, apply(raw(file), answer.edits)


def refusal(file: str | bytes, old: str, new: str, *, match: str = "lenient", whole_lines: bool = False) -> Refused:
    """The answer, which must be a refusal."""
    answer = ask(file, old, new, match=match, whole_lines=whole_lines)
    assert isinstance(answer, Refused), answer
    return answer


PROOF = tuple(f"proof_of_the_place_{letter}()" for letter in "abcdef")
"""Lines that are enough to prove a place with one line more or less."""


def with_proof(file: str, old: str, new: str) -> tuple[str, str, str]:
    """A file and a request, both with lines after the last line of old that prove the place."""
    last = old.rstrip("\n").rpartition("\n")[2]
    lines = file.split("\n")
    at = max(number for number, line in enumerate(lines) if line.strip() == last.strip())
    here, sent = (line[: len(line) - len(line.lstrip())] for line in (lines[at], last))
    lines[at + 1 : at + 1] = [here + line for line in PROOF]
    more = "".join(f"{sent}{line}\n" for line in PROOF)
    return "\n".join(lines), old + more, new + more


def raw(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


def swap(file: str, was: str, now: str) -> str:
    """A file with one part, which must occur once, replaced."""
    assert file.count(was) == 1
    return file.replace(was, now)
