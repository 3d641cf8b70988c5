r"""Where a member goes into an object of JSON, with or without comments.

    insertion(text, container, name, entry) -> [(start, end, new), …]

A small scanner finds where strings, marks and words stand; the text is known to be right, so it need not judge. The
member comes behind the others, and behind what is said about the last of them, indented as they are.
"""

from __future__ import annotations

from suture.json_text import loads, quoted
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from re import Match
    from typing import Any

    Cut = tuple[int, int, str]
    Token = tuple[int, int]

# No group is possessive: until Python 3.11.4 `re` ended such a loop too early. There is only one way to match each.
_COMMENT = r"//[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*\*/"
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*"'
_TRAILING = rf",(?=(?:[ \t\r\n]++|{_COMMENT})*[\]}}])"
_TOKEN = rf"(?P<comment>{_COMMENT})|{_STRING}|[{{}}\[\],:]|[^\s\"{{}}\[\],:/]++"
_UNIT = "  "


class _Member(Record):
    """A member of an object: where its key begins, its value, and the number of the value's first token."""

    key: str
    begin: int
    start: int
    end: int
    number: int


class _Object(Record):
    """An object in a text: its brackets, its members, and the end of the comma behind the last of them, if any."""

    start: int
    end: int
    members: tuple[_Member, ...]
    comma: int | None

    def member(self, key: str) -> _Member | None:
        return next((member for member in self.members if member.key == key), None)


def insertion(text: str, container: str, name: str, entry: Mapping[str, Any]) -> list[Cut]:
    """How an entry gets into an object at the top, which is made if it is missing; one of its name is replaced."""
    tokens, newline = _tokens(text), _newline(text)
    if not tokens:
        between = newline if text.strip(" \t") and not text.endswith(("\n", "\r")) else ""
        document = _written({container: {name: entry}}, newline, _UNIT)
        return [(len(text), len(text), between + document + newline)]
    root = _object(text, tokens, 0)
    unit = _unit(text, root)
    outer = root.member(container)
    if outer is None:
        inline = bool(root.members) and "\n" not in text[root.start : root.end]
        return _inserted(text, root, container, {name: entry}, None if inline else unit)
    servers = _object(text, tokens, outer.number)
    inline = "\n" not in (text[servers.start : servers.end] if servers.members else text)
    inner = servers.member(name)
    if inner is None:
        return _inserted(text, servers, name, entry, None if inline else unit)
    lead = None if inline else newline + _indentation(text, inner.begin)
    return [(inner.start, inner.end, _written(entry, lead, unit))]


def plain(text: str) -> str:
    """JSON with comments and trailing commas as JSON without."""
    from re import DOTALL
    from re import compile as pattern

    def kept(found: Match[str]) -> str:
        return found[0] if found[0].startswith('"') else " "

    return pattern(f"{_STRING}|{_COMMENT}|{_TRAILING}", DOTALL).sub(kept, text)


def _inserted(text: str, target: _Object, key: str, value: Mapping[str, Any], unit: str | None) -> list[Cut]:
    """How a member gets into an object, in lines of its own if there is a unit to indent them by."""
    newline, members = _newline(text), target.members
    lead = None if unit is None else newline + _member_indent(text, target, unit)
    member = f"{quoted(key)}: {_written(value, lead, unit or '')}"
    if not members:
        place = _behind_comments(text, target.start + 1, " \t\r\n")
        if lead is None:
            return [(place, place, member)]
        close = "" if "\n" in text[place : target.end] else newline + _indentation(text, target.start)
        return [(place, place, lead + member + close)]
    new = (lead or " ") + member
    if target.comma is not None:
        place = _behind_comments(text, target.comma, " \t")
        return [(place, place, new + ",")]
    last = members[-1].end
    place = _behind_comments(text, last, " \t")
    return [(last, last, "," + new)] if place == last else [(last, last, ","), (place, place, new)]


def _written(value: object, lead: str | None, unit: str) -> str:
    """A value of strings: objects over several lines, each begun by `lead`, or all in one line if there is none."""
    if isinstance(value, dict):
        inner = None if lead is None else lead + unit
        members = [f"{quoted(key)}: {_written(each, inner, unit)}" for key, each in value.items()]
        return f"{{{', '.join(members)}}}" if inner is None else f"{{{inner}{f',{inner}'.join(members)}{lead}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(quoted, value))}]"
    return quoted(str(value))


def _tokens(text: str) -> list[Token]:
    """Where strings, marks and words stand; comments are none."""
    from re import DOTALL, finditer

    return [found.span() for found in finditer(_TOKEN, text, DOTALL) if found["comment"] is None]


def _object(text: str, tokens: list[Token], number: int) -> _Object:
    """The object that begins with the token of this number."""
    start, comma = tokens[number][0], None
    members: list[_Member] = []
    number += 1
    while text[tokens[number][0]] != "}":
        (begin, end), value = tokens[number], number + 2
        key = str(loads(text[begin:end]))
        number = _behind(text, tokens, value)
        members.append(_Member(key, begin, tokens[value][0], tokens[number - 1][1], value))
        comma = tokens[number][1] if text[tokens[number][0]] == "," else None
        number += comma is not None
    return _Object(start, tokens[number][0], tuple(members), comma)


def _behind(text: str, tokens: list[Token], number: int) -> int:
    """The number of the token behind the value that begins with the one of this number."""
    depth = 0
    while True:
        mark = text[tokens[number][0]]
        depth += (mark in "{[") - (mark in "}]")
        number += 1
        if not depth:
            return number


def _behind_comments(text: str, place: int, space: str) -> int:
    """The end of the last comment that only `space` separates from a place, or the place itself."""
    from re import DOTALL
    from re import compile as pattern

    found = pattern(rf"(?:[{space}]*+(?:{_COMMENT}))*", DOTALL).match(text, place)
    return place if found is None else found.end()


def _newline(text: str) -> str:
    return "\r\n" if text[: text.find("\n") + 1].endswith("\r\n") else "\n"


def _unit(text: str, root: _Object) -> str:
    """How far the members of an object are indented, as the text itself does it."""
    base = _indentation(text, root.start)
    for member in root.members:
        found = _indentation(text, member.begin)
        if _begins_line(text, member.begin) and found.startswith(base) and found != base:
            return found.removeprefix(base)
    return _UNIT


def _member_indent(text: str, target: _Object, unit: str) -> str:
    for member in reversed(target.members):
        if _begins_line(text, member.begin):
            return _indentation(text, member.begin)
    return _indentation(text, target.start) + unit


def _indentation(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _begins_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip(" \t")
