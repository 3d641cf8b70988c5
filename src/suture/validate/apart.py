"""A built-in check in a process of its own, which can be ended: for large texts, whose parsers cannot be interrupted.

The child reads the text from stdin and writes its issues to stdout; it imports suture from where the parent has it.
"""

from __future__ import annotations

import sys

from suture.json_text import compact, loads
from suture.origins import start_code
from suture.validate.issue import Issue, NotRunError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from suture.validate.issue import Staging, Validator

_MEMORY = 2_000_000_000
_NOT_RUN = 3
_CHILD = "from suture.validate.apart import main; main({name!r}, {file!r}, {left!r})"


def check_apart(validator: Validator, path: str, text: str, staging: Staging) -> list[Issue]:
    """What the built-in check of a file finds; NotRunError if it takes too much time or memory."""
    from suture.validate.programs import run

    child = start_code([staging.root]) + _CHILD.format(name=validator.name, file=path, left=staging.seconds)
    ran = run([sys.executable, "-I", "-S", "-c", child], staging.seconds, "/", text.encode("utf-8", "replace"))
    if ran.code not in {0, _NOT_RUN}:
        raise NotRunError("the file is too large for it: it ran out of memory, or crashed")
    told: Any = loads(ran.out.decode("utf-8", "replace"))
    if ran.code == _NOT_RUN:
        raise NotRunError(told)
    return [Issue(*each) for each in told]


class _Here:
    """The staging of a text that no program reads."""

    root = name = ""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def folder(self) -> str:
        """Nothing that is checked apart asks for it."""
        raise NotImplementedError

    file = folder


def main(name: str, path: str, seconds: float) -> None:
    """Check the text on stdin by the check of a name."""
    from suture.validate.table import built_in

    _limit_memory()
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    try:
        found = built_in(name).check(path, None, text, _Here(seconds))
    except NotRunError as error:
        sys.stdout.write(compact(str(error)))
        sys.exit(_NOT_RUN)
    sys.stdout.write(compact([[getattr(each, field) for field in Issue._fields] for each in found]))


def _limit_memory() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    except (ImportError, ValueError, OSError):  # a system without, or a lower limit already
        return
