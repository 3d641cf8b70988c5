"""The intended changes: realistic invented changes of a file, and real ones from a later version."""

from __future__ import annotations

import difflib
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from bench.editbench.rows import draft_change, has_words, indentation

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from bench.editbench.corpus import Source
    from bench.editbench.rows import Draft

    Op = Callable[[random.Random, list[str], Source], list[str] | None]

LONGEST = 40
REAL = "real"
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{3,}")
NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
STRING = re.compile(r"(?<=[\"'])[A-Za-z][\w ./:-]{2,}(?=[\"'])")
SWAPS = [(" == ", " != "), (" and ", " or "), (" && ", " || "), (" < ", " <= "), ("true", "false"), (" + ", " - ")]
NAMES = ["amount", "buffer", "channel", "delta", "entry", "frame", "handle", "limit", "marker", "offset", "payload"]
KEYWORDS = {
    "async", "await", "break", "case", "char", "class", "const", "continue", "default", "define", "elif", "else",
    "endif", "enum", "export", "extends", "false", "final", "from", "function", "ifdef", "ifndef", "import",
    "include", "int", "interface", "let", "long", "none", "null", "package", "pass", "private", "protected", "public",
    "raise", "return", "self", "static", "struct", "super", "switch", "this", "throw", "true", "type", "typeof",
    "var", "void", "while", "with", "yield",
}  # fmt: skip
COMMENTS = {"python": "# {}", "yaml": "# {}", "html": "<!-- {} -->", "markdown": "<!-- {} -->", "css": "/* {} */"}


def pick_change(rng: random.Random, source: Source, *, context: tuple[int, int] = (0, 5)) -> Draft | None:
    """A change of the file whose old lines occur in it exactly once, or None, depending on the random draws."""
    real = hunks(source)
    if real and rng.random() < 0.6:
        op, (start, stop, core) = REAL, rng.choice(real)
    else:
        op = rng.choice([*OPS])
        size = rng.choice(SIZES[op])
        lines = source.lines
        start = rng.randrange(len(lines) - size)
        start = {"first_line": 0, "last_line": len(lines) - size}.get(op, start)
        stop = start + size
        changed = OPS[op](rng, lines[start:stop], source)
        if changed is None or changed == lines[start:stop]:
            return None
        core = changed
    single = op == "single_line" and context[0] == 0
    before, after = (0, 0) if single else (rng.randint(*context), rng.randint(*context))
    return add_context(source, op, (start - before, start), core, (stop, stop + after))


def add_context(
    source: Source, op: str, above: tuple[int, int], core: list[str], below: tuple[int, int]
) -> Draft | None:
    """The change with some lines around it, if these occur once in the file."""
    lines = source.lines
    first, last = max(0, above[0]), min(len(lines), below[1])
    old = lines[first:last]
    new = [*lines[first : above[1]], *core, *lines[below[0] : last]]
    suitable = 0 < len(old) <= LONGEST and len(new) <= LONGEST + 20 and any(map(has_words, old)) and old != new
    text = "\n" + "\n".join(old) + "\n"
    unique = suitable and ("\n" + source.text).count(text) == 1
    return draft_change(source, op, first, old, new) if unique else None


@lru_cache(maxsize=1000)
def hunks(source: Source) -> list[tuple[int, int, list[str]]]:
    """The real changes: which lines became which."""
    if source.later is None:
        return []
    before, after = source.lines, source.later.split("\n")[:-1]
    skip = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    blocks = difflib.SequenceMatcher(None, before[skip:], after[skip:], autojunk=False).get_opcodes()
    changes = [(a + skip, b + skip, after[c + skip : d + skip]) for tag, a, b, c, d in blocks if tag != "equal"]
    return [(a, b, new) for a, b, new in changes if b - a <= LONGEST // 2 and len(new) <= LONGEST // 2]


def comment(source: Source, text: str) -> str:
    """A comment in the source's language."""
    return COMMENTS.get(source.language, "// {}").format(text)


def invent_line(rng: random.Random, source: Source, indent: str) -> str:
    """A line in the style of the file, with a word that the file doesn't contain."""
    candidates = [line.strip() for line in rng.sample(source.lines, 12) if WORD.search(line) and len(line) < 100]
    line = rng.choice(candidates) if candidates else "value"
    word = rng.choice(WORD.findall(line) or ["value"])
    return indent + line.replace(word, f"{rng.choice(NAMES)}_{rng.choice(NAMES)}_{rng.randrange(10, 99)}", 1)


def rename(rng: random.Random, lines: list[str], _source: Source) -> list[str] | None:
    """Another name wherever it occurs in the lines."""
    words = [word for word in WORD.findall("\n".join(lines)) if word.lower() not in KEYWORDS]
    if not words:
        return None
    word, name = rng.choice(words), f"{rng.choice(NAMES)}_{rng.choice(NAMES)}"
    return [re.sub(rf"\b{word}\b", name, line) for line in lines]


def _insert(rng: random.Random, lines: list[str], source: Source) -> list[str]:
    return [*lines, *(invent_line(rng, source, indentation(lines[-1])) for _ in range(rng.randint(1, 4)))]


def _delete(_rng: random.Random, _lines: list[str], _source: Source) -> list[str]:
    return []


def _value(rng: random.Random, lines: list[str], _source: Source) -> list[str] | None:
    text = "\n".join(lines)
    numbers = [(match, str(int(match.group()) + rng.randint(1, 9))) for match in NUMBER.finditer(text)]
    strings = [(match, f"{match.group()}-{rng.choice(NAMES)}") for match in STRING.finditer(text)]
    if not numbers and not strings:
        return None
    match, replacement = rng.choice(numbers + strings)
    return (text[: match.start()] + replacement + text[match.end() :]).split("\n")


def _condition(rng: random.Random, lines: list[str], _source: Source) -> list[str] | None:
    text = "\n".join(lines)
    swaps = [(a, b) for a, b in SWAPS if a in text]
    return text.replace(*rng.choice(swaps), 1).split("\n") if swaps else None


def _argument(rng: random.Random, lines: list[str], _source: Source) -> list[str] | None:
    text, name = "\n".join(lines), rng.choice(NAMES)
    place = re.search(r"\w\((?=\w)", text)
    return f"{text[: place.end()]}{name}, {text[place.end() :]}".split("\n") if place else None


def _wrap(rng: random.Random, lines: list[str], source: Source) -> list[str] | None:
    indents = [indentation(line) for line in lines if line.strip()]
    if not indents or source.language in {"markdown", "rest", "json", "yaml"}:
        return None
    indent, unit, name = min(indents, key=len), unit_of(source), rng.choice(NAMES)
    head, foot = {"python": (f"if {name}:", None), "html": ("<div>", "</div>")}.get(
        source.language, (f"if ({name}) {{", "}")
    )
    body = [unit + line if line.strip() else line for line in lines]
    return [indent + head, *body, *([indent + foot] if foot else [])]


def _move(rng: random.Random, lines: list[str], _source: Source) -> list[str]:
    cut = rng.randint(1, len(lines) - 1)
    return lines[cut:] + lines[:cut]


def _comment(rng: random.Random, lines: list[str], source: Source) -> list[str]:
    text = comment(source, f"The {rng.choice(NAMES)} keeps its {rng.choice(NAMES)}.")
    return [indentation(lines[0]) + text, *lines]


def _expand(rng: random.Random, lines: list[str], source: Source) -> list[str]:
    return [invent_line(rng, source, indentation(lines[0])) for _ in range(rng.randint(2, 3))]


def _reindent(rng: random.Random, lines: list[str], source: Source) -> list[str]:
    unit = unit_of(source)
    if rng.random() < 0.5 and all(line.startswith(unit) or not line.strip() for line in lines):
        return [line.removeprefix(unit) for line in lines]
    return [unit + line if line.strip() else line for line in lines]


def _any_small(rng: random.Random, lines: list[str], source: Source) -> list[str] | None:
    return rng.choice([rename, _value, _condition, _argument, _expand])(rng, lines, source)


def unit_of(source: Source) -> str:
    """One level of the file's indentation."""
    indents = [indentation(line) for line in source.lines if line.strip()]
    if sum("\t" in indent for indent in indents) > len(indents) // 4:
        return "\t"
    twos = sum(len(indent) % 4 == 2 for indent in indents)
    return "  " if twos > len(indents) // 10 else "    "


OPS: dict[str, Op] = {
    "rename": rename,
    "insert": _insert,
    "delete": _delete,
    "delete_block": _delete,
    "value": _value,
    "condition": _condition,
    "argument": _argument,
    "wrap": _wrap,
    "move": _move,
    "comment": _comment,
    "expand": _expand,
    "reindent": _reindent,
    "first_line": _any_small,
    "last_line": _any_small,
    "single_line": _any_small,
}
SIZES = dict.fromkeys(OPS, range(1, 6)) | {
    "rename": range(3, 16),
    "delete_block": range(4, 15),
    "move": range(2, 5),
    "first_line": range(1, 2),
    "last_line": range(1, 2),
    "single_line": range(1, 2),
}
