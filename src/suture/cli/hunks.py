"""The blocks of a reply, and the hunks of its diffs, as people see them; `suture apply -p` asks about each."""

from __future__ import annotations

import sys

from suture import render
from suture.cli.notes import in_options
from suture.cli.output import flush, print_always
from suture.cli.terminal import clean, colored, colored_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    Told = dict[str, Any]
    """A block, as the tool's metadata have it."""

_TERMINAL = "/dev/tty"
_AS_SENT = {"exact", "line_ends", None}
_SIGNS = {
    "applied": ("green", "✓"),
    "already_applied": ("faint", "="),
    "failed": ("red", "✗"),
    "skipped": ("faint", "-"),
}
_DONE = {"create": "created", "delete": "deleted", "rename": "renamed"}
_BECAME = {"already_applied": "applied already", "failed": "failed", "skipped": "skipped"}
_WORDS = {"yes": "y", "no": "n", "quit": "q"}
_HELP = """\
y - apply this block
n - leave this block out
q - quit: apply what was said yes to so far, and nothing further
a - apply this block and all later ones of its file
d - leave out this block and all later ones of its file
? - print this help"""


def line(block: Told) -> str:
    """What became of a block, in a line."""
    color, sign = _SIGNS[block["status"]]
    done = _BECAME.get(block["status"]) or _DONE.get(block["action"])
    about = ", ".join(filter(None, [_where(block), done, _how(block)]))
    return f"{colored(color, sign)} {block['id']} {about}"


def failure(block: Told) -> str:
    """Why a block failed, what is known about it, and what to do."""
    error = block["error"]
    message, *more = error["message"].split("\n")
    known = [*more, *error["details"], in_options(error["hint"])]
    return "\n".join(
        map(clean, [f"{error['code']}: Block {block['id']} failed: {message}", *(f"  {each}" for each in known)])
    )


def choose(blocks: Sequence[Told], reply: str) -> list[str] | None:
    """The ids of those that are wanted, of the blocks that can be applied; None if no more answers come.

    `reply` is where the blocks come from: what follows on the same stream is no answer.
    """
    wanted: list[str] = []
    files: dict[str, bool] = {}
    for block in blocks:
        if block["status"] in {"failed", "already_applied"}:
            _say(line(block) + "\n")
        if block["status"] != "applied":
            continue
        path = block["path"]
        if path not in files:
            _say("\n".join(_shown(block)) + "\n")
            answer = _answer(f"Apply block {block['id']} to {clean(path)}? [y,n,q,a,d,?] ", reply)
            if answer in {"", "q"}:
                return wanted if answer else None
            if answer in {"a", "d"}:
                files[path] = answer == "a"
        else:
            answer = ""
        if files.get(path, answer == "y"):
            wanted.append(block["id"])
    return wanted


def _where(block: Told) -> str:
    """The file of a block, and the line."""
    if block["path"] is None:
        return f"(line {block['reply_line']} of the reply)"
    at = f":{block['line']}" if block["line"] and block["action"] == "update" else ""
    to = f" → {block['to']}" if block.get("to") else ""
    return clean(block["path"] + at + to)


def _how(block: Told) -> str:
    """How its place was found, unless it is as the block has it."""
    return "" if block["rung"] in _AS_SENT else f"found {render.matched(block['rung'])}"


def _shown(block: Told) -> Iterator[str]:
    """A block that can be applied."""
    about = ", ".join(filter(None, [f"{block['action']} {_where(block)}", _how(block)]))
    yield colored("bold", f"Block {block['id']}: {about}")
    if block["diff"]:
        yield from colored_diff(block["diff"].removesuffix("\n"))


def _answer(question: str, reply: str) -> str:
    """One of the letters that can be answered; nothing if no answer comes."""
    while True:
        _say(question)
        given = _line_from(reply)
        word = given.strip().lower()
        letter = _WORDS.get(word, word)
        if not given:
            _say("\n")
            return ""
        if letter in {"y", "n", "q", "a", "d"}:
            return letter
        _say(_HELP + "\n")


def _line_from(reply: str) -> str:
    """A line that was typed; ValueError if nobody can type."""
    if reply == "-":
        try:
            with open(_TERMINAL, "rb") as terminal:  # it hands over a line at a time: none is lost in between
                return terminal.readline().decode("utf-8", "replace")
        except OSError as error:
            message = f"-p asks on the terminal if the reply comes from stdin, and there is none: {error.strerror}"
            raise ValueError(message) from error
    if sys.stdin is None:
        message = "-p reads the answers from stdin, which is closed"
        raise ValueError(message)
    return sys.stdin.buffer.readline().decode("utf-8", "replace")


def _say(text: str) -> None:
    """Print at once: what follows is a question, or its answer."""
    print_always(text)
    flush()
