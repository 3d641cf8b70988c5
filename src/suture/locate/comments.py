"""Comments at the end of a line: what marks one, and where it begins."""

from __future__ import annotations

import re

_MARKS = {
    "#": "bash cfg cmake conf dockerfile ex exs gemfile gitignore graphql ini jl ksh makefile mk nix pl pm podfile "
    "properties ps1 pxd py pyi pyx r rake rakefile rb robot sh tcl tf toml yaml yml zsh",
    "//": "c cc cjs cpp cs cts cxx dart fs go gradle groovy h hh hpp java js jsx kt kts less m mjs mm mts php proto "
    "rs sass scala scss sol swift ts tsx v vue zig",
    "/*": "c cc cjs cpp cs css cts cxx dart go gradle groovy h hh hpp java js jsx kt kts less m mjs mm mts php rs "
    "scala scss sql swift ts tsx vue",
    "--": "adb ads elm hs lua sql vhdl",
    ";": "asm clj cljs el ini lisp nim s scm",
    "%": "erl hrl sty tex",
    "<!--": "htm html md svg vue xhtml xml",
}
_ORDER = tuple(_MARKS)
_BEGINS = rb"^[ \t]*%b[ !]"
_SAMPLE = 1 << 16
_HEREDOC = re.compile(r"<<[-~]?[\"']?[A-Z_]{2,}\b")


def marks_of(name: str, body: bytes) -> tuple[str, ...]:
    """What begins a comment in a file of this name; without a name, what lines of the text begin with."""
    if name:
        kind = name.rsplit("/", 1)[-1].rsplit(".", 1)[-1].lower()
        return tuple(mark for mark in _ORDER if kind in _MARKS[mark].split())
    seen = body[:_SAMPLE]
    return tuple(mark for mark in _ORDER if re.search(_BEGINS % re.escape(mark.encode()), seen, re.MULTILINE))


def comment_in(line: str, marks: tuple[str, ...]) -> int | None:
    """Where the comment at the end of a line begins, with the space before it; not inside a string."""
    if not marks:
        return None
    for found in re.finditer(r"\s+(?:{})".format("|".join(map(re.escape, marks))), line):
        if is_closed(line[: found.start()]):
            return found.start()
    return None


def string_quotes(text: str, marks: tuple[str, ...]) -> list[int] | None:
    """Where strings begin and end in a line of code, by turns; None if one does not end in it.

    Quotes in a comment, and those inside other quotes, are no ends of strings.
    """
    found: list[int] = []
    within, at = "", 0
    while at < len(text):
        char = text[at]
        if within:
            at += char == "\\"
            if char == within:
                within = ""
                found += [at] * (char != "`")
        elif char in "\"'`":
            within = char
            found += [at] * (char != "`")
        elif marks and text.startswith(marks, at) and not text[:at].strip()[-1:].isalnum():
            break
        at += 1
    return None if within else found


def is_closed(text: str) -> bool:
    """Whether every string that begins in a text ends in it."""
    text = re.sub(r"\\.", "", text)
    return not any(text.count(quote) % 2 for quote in "\"'`")


def opens_literal(line: str) -> bool:
    """Whether a text begins in a line that must not be indented: a here-document, a string over several lines."""
    if _HEREDOC.search(line):
        return True
    text = line.strip().lstrip("rRbBuUfF")
    return any(text.count(quote) % 2 and not text.startswith(quote) for quote in ('"""', "'''"))
