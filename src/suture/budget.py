"""How much of an answer a model reads: texts, lists and metadata, each cut to a number of characters.

A model pays for what it reads, in every later turn again. So an answer that leaves for a model has a budget, and no
line of it is longer than `LINE_CHARS`. What is cut says how much there is in all, and how to get the rest.

Everything here is a function on values. `tools.spec.ToolResult.within` applies them to a result.
"""

from __future__ import annotations

from itertools import accumulate

from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

LINE_CHARS = 500
"""Characters of a line: people write no longer ones, and a minified file is one line."""
MORE = "Workspace.call or suture mcp --max-answer has more"
"""How to get what is cut, if a tool knows no better way."""
MORE_ROWS = "narrow the pattern or the files"
NOTICE_CHARS = 200
"""Room for what is said about a cut."""
_MARK_CHARS = len("Note: ")  # what may be put before a sentence
_SHORTEST_PART = 40  # characters of a line that are worth showing
_SHORTEST_TEXT = 100  # characters: hashes, ids, times and codes are shorter, so a schema still describes them
_MOST_ITEMS = 200  # of a list that is cut for the first time
_MAX_SENTENCE_CHARS = 1_000  # characters of an error's message or hint, which are kept longer than other texts
_KEPT = ("code", "message", "hint", "retryable")
"""The fields that every error keeps."""
_NOUNS = {"original": "replacement", "match": "match", "segment": "segment", "content": "line", "groups": "match"}
"""What a row is called, by the first of these keys that it has."""


class Excerpt(Record):
    """The beginning of a diff, as a text shows it."""

    text: str = ""
    total: int = 0
    """The lines of the whole diff, if the last line of the text says that there are more; 0 if the text is whole."""


def shorten_line(line: str, most: int = LINE_CHARS) -> str:
    """A line, or its beginning and its length."""
    if len(line) <= most:
        return line
    mark = f"… ({len(line):,} characters)"
    return (line[: max(most - len(mark), 0)] + mark)[:most]


def shorten_lines(text: str) -> str:
    """A text whose long lines are shortened."""
    return text if len(text) <= LINE_CHARS else "\n".join(map(shorten_line, text.split("\n")))


def are_lines_short(value: Any) -> bool:
    """Whether no text of a JSON value has a line that would be shortened."""
    return bool(value == _shorten_texts(value))


def first_lines(text: str, most: int) -> tuple[str, int]:
    """As many lines as fit, the long ones shortened, and the number of lines left out."""
    lines = shorten_lines(text).split("\n")
    fitting = sum(size <= most + 1 for size in accumulate(len(line) + 1 for line in lines))
    if not fitting and most > _SHORTEST_PART:
        return shorten_line(lines[0], most), len(lines) - 1
    return "\n".join(lines[:fitting]), len(lines) - fitting


def cut_text(text: str, most: int, more: str = MORE, *, ending: str = "", total: int = 0) -> str:
    """As many lines as fit, and below them how many there are in all, and how to get the rest: `more`.

    `ending` are the last lines of the text, if these are to be kept. With `total`, the last line only says that there
    are so many lines in all.
    """
    whole, text = shorten_lines(text), shorten_lines(text.removesuffix(ending).removesuffix("\n"))
    if len(whole) <= most:
        return whole
    end = cut_text(ending, most // 2) if ending else ""
    text = text.rpartition("\n")[0] if total else text
    number = text.count("\n") + 1
    total = total or number
    shown, left = first_lines(text, most - len(_missing(total, total, more)) - len(end) - 2)
    left += total - number
    cut = "\n".join(filter(None, [shown, _missing(left, total, more) if left else "", end]))
    return cut if len(cut) <= most else shorten_line(whole.partition("\n")[0], max(most, 0))


def _missing(left: int, total: int, more: str) -> str:
    return f"… {left:,} more line{'s' * (left != 1)} (of {total:,}); {more}"


def cut_sentences(sentences: Sequence[str], most: int) -> tuple[str, ...]:
    """Some sentences, all of them: the long ones are shortened, so that they fit together."""
    each = min(LINE_CHARS - _MARK_CHARS, most // max(len(sentences), 1))
    return tuple([shorten_line(sentence.replace("\n", " "), each) for sentence in sentences])


def cut_rows(rows: Sequence[Any], most: int) -> tuple[str, int]:
    """A list as JSON, with as many of its items as fit, and their number; long texts inside an item are shortened."""
    kept, size = list[str](), len("[]")
    for row in rows:
        item = _json(_shorten_texts(row))
        size += len(item) + bool(kept)
        if size > most:
            break
        kept.append(item)
    if not kept and rows:
        first = _json(_shorten_texts(_fit(rows[0], most - len("[]"))[0]))
        kept = [first] if len(first) <= most - len("[]") else []
    return f"[{','.join(kept)}]", len(kept)


def describe_cut(rows: Sequence[Any], kept: int, more: str = MORE_ROWS) -> str:
    """What is missing from a list of which some items are shown: how many there are, in how many files."""
    total, first = len(rows), rows[0]
    noun = next((noun for key, noun in _NOUNS.items() if key in first), "item")
    names = noun + ("es" if noun.endswith("ch") else "s")
    files = {row["file"] for row in rows if "file" in row}
    where = f" in {len(files):,} files" if len(files) > 1 else ""
    if kept == total:
        return f"Lines are cut at {LINE_CHARS} characters; for a part of one, let the pattern match only that part."
    left = total - kept
    return f"… {left:,} more {noun if left == 1 else names} (of {total:,}{where}); {more}"


def cut_data(data: dict[str, Any], most: int) -> dict[str, Any]:
    """Metadata whose JSON fits: long texts and lists are cut, and `shortened` has their totals.

    Every key stays, and what identifies something (ids, hashes, codes) is whole, so that the output schema of the tool
    still fits. Only an error for which all that is too much is left with its own four fields.
    """
    if _size(data) <= most:
        return data
    short, totals = _fit(data, most, room_for_totals=True)
    cut: dict[str, Any] = short | {"shortened": totals}
    if _size(cut) > most and isinstance(error := data.get("error"), dict):
        change = {"change_id": data["change_id"]} if "change_id" in data else {}
        each = max(most // 3, _SHORTEST_TEXT)
        kept = {name: _shorten_text(error[name], each) for name in _KEPT if name in error}
        return {**change, "error": kept, "shortened": {"error": len(error)}}
    return cut


def _fit(value: Any, most: int, *, room_for_totals: bool = False) -> tuple[Any, dict[str, int]]:
    """A value whose texts and lists are cut until its JSON fits, or cannot be cut further; and their totals."""
    text_chars, items = max(most // 2, _SHORTEST_TEXT), _MOST_ITEMS
    while True:
        totals: dict[str, int] = {}
        short = _shorten(value, text_chars, items, totals, "")
        size = _size([short, totals] if room_for_totals else short) + len(',"shortened":') * room_for_totals
        if size <= most or not items:
            return short, totals
        text_chars, items = max(text_chars // 2, _SHORTEST_TEXT), items // 2


def _shorten(value: Any, text_chars: int, items: int, totals: dict[str, int], where: str) -> Any:
    """A value whose texts and lists are cut; `totals` gets the length of each, by the place where it is."""
    if isinstance(value, str):
        longest = max(text_chars, _MAX_SENTENCE_CHARS) if where in {"error.message", "error.hint"} else text_chars
        if len(value) > longest:
            totals[where] = len(value)
        return _shorten_text(value, longest)
    if isinstance(value, dict):
        prefix = f"{where}." if where else ""
        return {name: _shorten(item, text_chars, items, totals, prefix + name) for name, item in value.items()}
    if isinstance(value, list | tuple):
        if len(value) > items:
            totals[where] = len(value)
        return [
            _shorten(item, text_chars, items, totals, f"{where}[{index}]") for index, item in enumerate(value[:items])
        ]
    return value


def _shorten_text(value: Any, most: int) -> Any:
    return shorten_line(value, most) if isinstance(value, str) else value


def _shorten_texts(value: Any) -> Any:
    """A value whose texts have no long lines."""
    if isinstance(value, str):
        return shorten_lines(value)
    if isinstance(value, dict):
        return {name: _shorten_texts(item) for name, item in value.items()}
    return [_shorten_texts(item) for item in value] if isinstance(value, list | tuple) else value


def _json(value: object) -> str:
    """Compact JSON, as the rows of the tools are."""
    import json  # only processes that answer models need it

    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _size(value: object) -> int:
    return len(_json(value))
