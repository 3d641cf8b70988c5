"""Put a server's entry into the text of a configuration, and leave every other character of it as it is.

    merged(text, addition) -> Merged, or Unmergeable

An addition is a key in an object at the top: `mcpServers`, and in it `suture`. What comes out is read again and must
say what the text said before and the addition, nothing else; what cannot be proved so is refused. A text has no byte
order mark; an empty one says nothing yet.

Rejected: reading, changing and dumping the data. It would lose comments, order, indentation and numbers as they are
written, in files that people keep by hand.
"""

from __future__ import annotations

from suture.cli.insertion import insertion, plain
from suture.json_text import loads, quoted
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from suture.cli.insertion import Cut
    from suture.validate.issue import Validator

_FORMATS = {"json": "JSON", "jsonc": "JSON with comments", "toml": "TOML"}


class Addition(Record):
    """What is to stand in a file: `entry`, as `name` in the object or table `container`."""

    format: str
    """json, jsonc (with comments and trailing commas) or toml."""
    container: str
    name: str
    """For TOML, one that needs no quotes."""
    entry: dict[str, Any]
    """Strings and lists of strings."""


class Merged(Record):
    """What became of a text."""

    state: str
    """added, replaced, or present: then there is nothing to do."""
    text: str
    cuts: tuple[Cut, ...] = ()
    """What makes the new text of the old: (start, end, new), in characters, in order."""


class Unmergeable(Exception):
    """Nothing can be put into this text; the message says why."""


class Different(Unmergeable):
    """There is an entry of this name already, and it says something else."""


def merged(text: str, addition: Addition, *, replace: bool = False) -> Merged:
    """The text with the addition in it; an entry of its name that says something else is replaced only if asked."""
    data = parsed(text, addition.format)
    servers = servers_in(data, addition)
    found = addition.name in servers
    if found and servers[addition.name] == addition.entry:
        return Merged("present", text)
    if found and not replace:
        raise Different("; ".join(_differences(servers[addition.name], addition.entry)))
    cuts = _cuts(text, addition, found=found)
    new = _applied(text, cuts)
    _prove(new, {**data, addition.container: {**servers, addition.name: addition.entry}}, addition)
    return Merged("replaced" if found else "added", new, tuple(cuts))


def written(addition: Addition) -> str:
    """The addition as a file of its own."""
    return _applied("", _cuts("", addition, found=False))


def holds(text: str, addition: Addition) -> bool:
    """Whether a text has an entry of the addition's name, whatever it says; Unmergeable if it cannot be read."""
    return addition.name in servers_in(parsed(text, addition.format), addition)


def servers_in(data: Mapping[str, Any], addition: Addition) -> dict[str, Any]:
    """The servers that settings have already."""
    servers = data.get(addition.container, {})
    if not isinstance(servers, dict):
        raise Unmergeable(f"{addition.container} in it is no {'table' if addition.format == 'toml' else 'object'}")
    return servers


def _differences(found: object, entry: Mapping[str, object]) -> list[str]:
    """What an entry says otherwise; of what is not ours, and may be secret, only the name."""
    if not isinstance(found, dict):
        return ["it is not an object"]
    changed = [f"{key} is {found[key]!r}" for key in entry if key in found and found[key] != entry[key]]
    missing = [f"{key} is missing" for key in entry if key not in found]
    return [*changed, *missing, *(f"{key} is set" for key in found if key not in entry)]


def _prove(text: str, data: Mapping[str, Any], addition: Addition) -> None:
    """Refuse a result that says anything but what it should."""
    try:
        proved = parsed(text, addition.format) == data
    except (Unmergeable, RecursionError):
        proved = False
    if not proved:
        raise Unmergeable(f"{addition.container} is written there in a way that nothing can be put into it for certain")


def parsed(text: str, format: str) -> dict[str, Any]:  # noqa: A002  as the addition calls it
    """What a text says; Unmergeable if it is wrong, or a key stands twice."""
    bare = plain(text) if format == "jsonc" else text
    if not bare.strip(" \t\r\n"):
        return {}
    try:
        _judge(text, format)
        found = _toml(text) if format == "toml" else loads(bare)
    except RecursionError:
        raise Unmergeable("it is nested too deeply") from None
    except ValueError as error:  # a number of very many digits
        raise Unmergeable(f"it cannot be read: {error}") from None
    if not isinstance(found, dict):
        raise Unmergeable("what it holds is no object")
    return found


def _judge(text: str, format: str) -> None:  # noqa: A002  as above
    from suture.validate.issue import NotRunError
    from suture.validate.json_check import Json, JsonWithComments
    from suture.validate.toml_check import Toml

    checks: dict[str, Validator] = {"json": Json(), "jsonc": JsonWithComments(), "toml": Toml()}
    try:
        issues = checks[format].check("it", None, text, None)  # type: ignore[arg-type]  # these look at no file
    except NotRunError as error:
        raise Unmergeable(str(error)) from None
    for issue in issues:
        what = f"it is not {_FORMATS[format]}: " if issue.severity == "error" else ""
        raise Unmergeable(f"{what}line {issue.line}, column {issue.column}: {issue.message}")


def _toml(text: str) -> object:
    from suture.validate.toml_check import loaded

    return loaded("it", text)


def _applied(text: str, cuts: Iterable[Cut]) -> str:
    pieces, position = [], 0
    for start, end, new in cuts:
        pieces += [text[position:start], new]
        position = end
    return "".join([*pieces, text[position:]])


def _cuts(text: str, addition: Addition, *, found: bool) -> list[Cut]:
    if addition.format != "toml":
        return insertion(text, addition.container, addition.name, addition.entry)
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = "".join(f"{key} = {_toml_value(value)}{newline}" for key, value in addition.entry.items())
    if found:
        return [(*_table_body(text, addition), lines)]
    unfinished = bool(text) and not text.endswith("\n")
    apart = bool(text.strip()) and not text.endswith(("\n\n", "\n\r\n"))
    head = f"{newline * (unfinished + apart)}[{addition.container}.{addition.name}]{newline}"
    return [(len(text), len(text), head + lines)]


def _toml_value(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml_value, value))}]"
    return quoted(str(value)).replace("\x7f", "\\u007f")


def _table_body(text: str, addition: Addition) -> tuple[int, int]:
    """Where the lines of the addition's table stand, if they look like one; the proof finds out if they are not."""
    from re import MULTILINE, escape, finditer

    container, name = (rf"[ \t]*[\"']?{escape(part)}[\"']?[ \t]*" for part in (addition.container, addition.name))
    heads = [*finditer(rf"^[ \t]*\[{container}\.{name}\][^\n]*\n", text, MULTILINE)]
    if len(heads) != 1:
        raise Unmergeable(f"{addition.name} in it is not written as one table")
    start = position = end = heads[0].end()
    for line in text[start:].split("\n"):
        position += len(line) + 1
        if line.lstrip().startswith("["):
            break
        if line.strip() and not line.lstrip().startswith("#"):
            end = min(position, len(text))
    return start, end
