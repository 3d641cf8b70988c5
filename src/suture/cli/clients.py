"""The agents that `suture init` knows, and how their settings files are changed without loss.

    insertion(text, container, name, entry) -> [(start, end, new), …]

A small scanner finds the strings, marks and words; the text is known to be valid, so it need not check it. The
member comes after the others, and after the comments on the last of them, indented as they are.

    merge(text, addition) -> Merged, or Unmergeable

An addition is a key in an object at the top: `mcpServers`, and in it `suture`. What comes out is read again and must
say what the text said before and the addition, nothing else; what cannot be proved so is refused. A text has no byte
order mark; an empty one says nothing yet.

Rejected: reading, changing and dumping the data. It would lose comments, order, indentation and numbers as they are
written, in files that people keep by hand.

As their documentation has it in 2026. Places are functions of the platform and the environment, so that they can be
told for any.

It is written by the engine as any other file: at once, keeping its mode and its links, with a copy of what was there.
"""

from __future__ import annotations

import os
import sys

from suture.engine import Engine
from suture.files.protected import Guard
from suture.json_text import loads, quoted
from suture.plan import Plan
from suture.records import Record
from suture.settings import Settings
from suture.text import Text
from suture.text.edits import edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from re import Match
    from typing import Any

    from suture.check.issue import Validator
    from suture.engine.session import Session
    from suture.plan import Change, FileChange
    from suture.text.edits import Edit

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
        document = _render_value({container: {name: entry}}, newline, _UNIT)
        return [(len(text), len(text), between + document + newline)]
    root = _object(text, tokens, 0)
    unit = _unit(text, root)
    outer = root.member(container)
    if outer is None:
        inline = bool(root.members) and "\n" not in text[root.start : root.end]
        return _insert_member(text, root, container, {name: entry}, None if inline else unit)
    servers = _object(text, tokens, outer.number)
    inline = "\n" not in (text[servers.start : servers.end] if servers.members else text)
    inner = servers.member(name)
    if inner is None:
        return _insert_member(text, servers, name, entry, None if inline else unit)
    lead = None if inline else newline + _indentation(text, inner.begin)
    return [(inner.start, inner.end, _render_value(entry, lead, unit))]


def plain(text: str) -> str:
    """JSON with comments and trailing commas as JSON without."""
    from re import DOTALL
    from re import compile as pattern

    def keep_string(match: Match[str]) -> str:
        return match[0] if match[0].startswith('"') else " "

    return pattern(f"{_STRING}|{_COMMENT}|{_TRAILING}", DOTALL).sub(keep_string, text)


def _insert_member(text: str, target: _Object, key: str, value: Mapping[str, Any], unit: str | None) -> list[Cut]:
    """How a member gets into an object, in lines of its own if there is a unit to indent them by."""
    newline, members = _newline(text), target.members
    lead = None if unit is None else newline + _member_indent(text, target, unit)
    member = f"{quoted(key)}: {_render_value(value, lead, unit or '')}"
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


def _render_value(value: object, lead: str | None, unit: str) -> str:
    """A value of strings: objects over several lines, each begun by `lead`, or all in one line if there is none."""
    if isinstance(value, dict):
        inner = None if lead is None else lead + unit
        members = [f"{quoted(key)}: {_render_value(member, inner, unit)}" for key, member in value.items()]
        return f"{{{', '.join(members)}}}" if inner is None else f"{{{inner}{f',{inner}'.join(members)}{lead}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(quoted, value))}]"
    return quoted(str(value))


def _tokens(text: str) -> list[Token]:
    """The spans of strings, marks and words; comments are left out."""
    from re import DOTALL, finditer

    return [match.span() for match in finditer(_TOKEN, text, DOTALL) if match["comment"] is None]


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

    match = pattern(rf"(?:[{space}]*+(?:{_COMMENT}))*", DOTALL).match(text, place)
    return place if match is None else match.end()


def _newline(text: str) -> str:
    return "\r\n" if text[: text.find("\n") + 1].endswith("\r\n") else "\n"


def _unit(text: str, root: _Object) -> str:
    """How far the members of an object are indented, as the text itself does it."""
    base = _indentation(text, root.start)
    for member in root.members:
        indentation = _indentation(text, member.begin)
        if _begins_line(text, member.begin) and indentation.startswith(base) and indentation != base:
            return indentation.removeprefix(base)
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


_FORMATS = {"json": "JSON", "jsonc": "JSON with comments", "toml": "TOML"}


class Addition(Record):
    """What a file is to contain: `entry`, as `name` in the object or table `container`."""

    format: str
    """json, jsonc (with comments and trailing commas) or toml."""
    container: str
    name: str
    """For TOML, one that needs no quotes."""
    entry: dict[str, Any]
    """Strings and lists of strings."""


class Merged(Record):
    """The outcome for a text."""

    state: str
    """added, replaced, or present: then there is nothing to do."""
    text: str
    cuts: tuple[Cut, ...] = ()
    """What makes the new text of the old: (start, end, new), in characters, in order."""


class Unmergeable(Exception):
    """Nothing can be put into this text; the message says why."""


class Different(Unmergeable):
    """There is an entry of this name already, and it says something else."""


def merge(text: str, addition: Addition, *, replace: bool = False) -> Merged:
    """The text with the addition in it; an entry of its name that says something else is replaced only if asked."""
    data = parse(text, addition.format)
    servers = servers_in(data, addition)
    exists = addition.name in servers
    if exists and servers[addition.name] == addition.entry:
        return Merged("present", text)
    if exists and not replace:
        raise Different("; ".join(_differences(servers[addition.name], addition.entry)))
    cuts = _cuts(text, addition, exists=exists)
    new = _apply_cuts(text, cuts)
    _prove(new, {**data, addition.container: {**servers, addition.name: addition.entry}}, addition)
    return Merged("replaced" if exists else "added", new, tuple(cuts))


def snippet(addition: Addition) -> str:
    """The addition as a file of its own."""
    return _apply_cuts("", _cuts("", addition, exists=False))


def has_entry(text: str, addition: Addition) -> bool:
    """Whether a text has an entry of the addition's name, whatever it says; Unmergeable if it cannot be read."""
    return addition.name in servers_in(parse(text, addition.format), addition)


def servers_in(data: Mapping[str, Any], addition: Addition) -> dict[str, Any]:
    """The servers that settings have already."""
    servers = data.get(addition.container, {})
    if not isinstance(servers, dict):
        raise Unmergeable(f"{addition.container} in it is no {'table' if addition.format == 'toml' else 'object'}")
    return servers


def _differences(server: object, entry: Mapping[str, object]) -> list[str]:
    """What an entry says otherwise; of what is not ours, and may be secret, only the name."""
    if not isinstance(server, dict):
        return ["it is not an object"]
    changed = [f"{key} is {server[key]!r}" for key in entry if key in server and server[key] != entry[key]]
    missing = [f"{key} is missing" for key in entry if key not in server]
    return [*changed, *missing, *(f"{key} is set" for key in server if key not in entry)]


def _prove(text: str, data: Mapping[str, Any], addition: Addition) -> None:
    """Refuse a result that says anything but what it should."""
    try:
        is_proved = parse(text, addition.format) == data
    except (Unmergeable, RecursionError):
        is_proved = False
    if not is_proved:
        raise Unmergeable(f"{addition.container} is written there in a way that nothing can be put into it for certain")


def parse(text: str, format: str) -> dict[str, Any]:  # noqa: A002  as the addition calls it
    """The value of a text; Unmergeable if it is invalid, or a key occurs twice."""
    bare = plain(text) if format == "jsonc" else text
    if not bare.strip(" \t\r\n"):
        return {}
    try:
        _check_syntax(text, format)
        data = _toml(text) if format == "toml" else loads(bare)
    except RecursionError:
        raise Unmergeable("it is nested too deeply") from None
    except ValueError as error:  # a number of very many digits
        raise Unmergeable(f"it cannot be read: {error}") from None
    if not isinstance(data, dict):
        raise Unmergeable("what it holds is no object")
    return data


def _check_syntax(text: str, format: str) -> None:  # noqa: A002  as above
    from suture.check.issue import NotRunError
    from suture.check.json import Json, JsonWithComments
    from suture.check.toml import Toml

    checks: dict[str, Validator] = {"json": Json(), "jsonc": JsonWithComments(), "toml": Toml()}
    try:
        issues = checks[format].check("it", None, text, None)  # type: ignore[arg-type]  # these look at no file
    except NotRunError as error:
        raise Unmergeable(str(error)) from None
    for issue in issues:
        what = f"it is not {_FORMATS[format]}: " if issue.severity == "error" else ""
        raise Unmergeable(f"{what}line {issue.line}, column {issue.column}: {issue.message}")


def _toml(text: str) -> object:
    from suture.check.toml import load

    return load("it", text)


def _apply_cuts(text: str, cuts: Iterable[Cut]) -> str:
    pieces, position = [], 0
    for start, end, new in cuts:
        pieces += [text[position:start], new]
        position = end
    return "".join([*pieces, text[position:]])


def _cuts(text: str, addition: Addition, *, exists: bool) -> list[Cut]:
    if addition.format != "toml":
        return insertion(text, addition.container, addition.name, addition.entry)
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = "".join(f"{key} = {_toml_value(value)}{newline}" for key, value in addition.entry.items())
    if exists:
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
    """The span of the lines of the addition's table, if they look like one; `_prove` finds out if they are not."""
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


_UNSET = "HOME is not set to a folder's full path, so your own settings cannot be found"


class Client(Record):
    """An agent."""

    name: str
    title: str
    format: str
    container: str
    user: tuple[str, str]
    """Which folder of the user's, a key of `_FOLDERS`, and the path of the settings in it."""
    project: str | None
    """The path of the settings in a project; None: it has none of its own there."""
    hint: str
    """What to do for it to take notice."""
    by_default: str = "project"
    typed: bool = False
    """Whether an entry says that the server speaks over stdio."""

    def addition(self, name: str, command: Sequence[str]) -> Addition:
        """What its file must hold for it to start a server."""
        kind = {"type": "stdio"} if self.typed else {}
        entry = {**kind, "command": command[0], "args": [*command[1:]]}
        return Addition(self.format, self.container, name, entry)


class NoHomeError(Exception):
    """Nobody knows where the user's own settings are; the message says why."""


CLIENTS = {
    client.name: client
    for client in (
        Client(
            "claude-desktop",
            "Claude Desktop",
            "json",
            "mcpServers",
            ("applications", "Claude/claude_desktop_config.json"),
            None,
            "Quit Claude Desktop and start it again.",
            by_default="user",
        ),
        Client(
            "claude-code",
            "Claude Code",
            "json",
            "mcpServers",
            ("claude", ".claude.json"),
            ".mcp.json",
            "Start Claude Code again in the project; /mcp lists its servers.",
            typed=True,
        ),
        Client(
            "cursor",
            "Cursor",
            "jsonc",
            "mcpServers",
            ("home", ".cursor/mcp.json"),
            ".cursor/mcp.json",
            "Switch the server on in Cursor, among the MCP servers of its settings.",
        ),
        Client(
            "vscode",
            "VS Code",
            "jsonc",
            "servers",
            ("applications", "Code/User/mcp.json"),
            ".vscode/mcp.json",
            "Start the server in VS Code by the command MCP: List Servers.",
            typed=True,
        ),
        Client(
            "codex",
            "Codex",
            "toml",
            "mcp_servers",
            ("codex", "config.toml"),
            ".codex/config.toml",
            "Start Codex again; it reads a project's file only if the project is trusted.",
            by_default="user",
        ),
        Client(
            "gemini",
            "Gemini CLI",
            "jsonc",
            "mcpServers",
            ("home", ".gemini/settings.json"),
            ".gemini/settings.json",
            "Start Gemini CLI again; /mcp lists its servers.",
        ),
        Client(
            "zed",
            "Zed",
            "jsonc",
            "context_servers",
            ("zed", "settings.json"),
            ".zed/settings.json",
            "Zed takes notice by itself; its settings list the servers.",
            by_default="user",
        ),
    )
}


_FOLDERS: dict[str, dict[str, tuple[tuple[str, str], ...]]] = {
    "linux": {
        "home": (("HOME", ""),),
        "applications": (("XDG_CONFIG_HOME", ""), ("HOME", ".config")),
        "claude": (("CLAUDE_CONFIG_DIR", ""), ("HOME", "")),
        "codex": (("CODEX_HOME", ""), ("HOME", ".codex")),
        "zed": (("XDG_CONFIG_HOME", "zed"), ("HOME", ".config/zed")),
    },
    "darwin": {
        "applications": (("HOME", "Library/Application Support"),),
        "zed": (("HOME", ".config/zed"),),
    },
    "win32": {
        "home": (("USERPROFILE", ""),),
        "applications": (("APPDATA", ""), ("USERPROFILE", "AppData/Roaming")),
        "claude": (("CLAUDE_CONFIG_DIR", ""), ("USERPROFILE", "")),
        "codex": (("CODEX_HOME", ""), ("USERPROFILE", ".codex")),
        "zed": (("APPDATA", "Zed"), ("USERPROFILE", "AppData/Roaming/Zed")),
    },
}
"""Where settings are: below the first of these variables that names a folder. What a platform lacks is as on Linux."""


def user_file(client: Client, platform: str, environment: Mapping[str, str]) -> str:
    """The full path of the user's own settings; NoHomeError if it depends on a home that nobody knows."""
    folder, path = client.user
    for variable, below in {**_FOLDERS["linux"], **_FOLDERS.get(platform, {})}[folder]:
        if os.path.isabs(home := environment.get(variable, "")):
            return os.path.join(home, *filter(None, below.split("/")), *path.split("/"))
    raise NoHomeError(_UNSET)


_PERMISSIONS = 0o777


class Place(Record):
    """A file for settings: the folder below which it is written, and its path in it."""

    path: str
    scope: str
    base: str
    name: str


class Outcome(Record):
    """What became of a file."""

    status: str
    """written or already there."""
    backup: str | None = None
    undo: str = ""
    """How it is taken back."""


def place_of(client: Client, scope: str, root: str) -> Place:
    """Where settings are. A link of the user's own is followed anywhere, one in a project not out of that."""
    if scope == "project" and client.project is not None:
        return Place(os.path.join(root, *client.project.split("/")), scope, root, client.project)
    path = user_file(client, sys.platform, os.environ)
    base, name = os.path.split(os.path.realpath(path))
    while not os.path.isdir(base) and os.path.dirname(base) != base:
        base, folder = os.path.split(base)
        name = f"{folder}/{name}"
    return Place(path, scope, base, name)


def state(path: str, addition: Addition) -> str:
    """Whether an entry of the addition's name is in a file, in words."""
    if not os.path.lexists(path):
        return "no file"
    try:
        if not os.path.isfile(path):
            return "not a file"
        with open(path, "rb") as file:
            text = as_utf8(Text.decode(file.read()))
        return f"with {addition.name}" if has_entry(text, addition) else f"without {addition.name}"
    except (OSError, Unmergeable):
        return "cannot be read"


def put(place: Place, addition: Addition, *, force: bool) -> Outcome:
    """Write the settings, with a copy of what was there, and so that it can be taken back.

    What is protected, and opened here because it was asked for, is not recorded: `suture undo` would refuse it, and
    so block the way to all earlier changes.
    """
    home = os.environ.get("HOME", "").rstrip("/")
    if home and place.scope == "user" and place.path.startswith(f"{home}/") and not os.path.isdir(home):
        raise Unmergeable(f"HOME, {home}, is no folder")
    protected = Guard().rule(place.name) is not None
    opened = (place.name, f"{place.name}.bak*") if protected else ()
    engine = Engine(place.base, Settings(allow_protected=opened, history=not protected))
    try:
        change = engine.land(lambda session: _plan(session, place, addition, force=force)).change
    except KeyboardInterrupt:
        engine.recover()  # nobody may come back to this folder soon
        raise
    finally:
        engine.close()
    if change is None:
        return Outcome("already there")
    copy = next((os.path.join(place.base, landed.path) for landed in change.files[1:]), None)
    return Outcome("written", copy, _undo_command(place, copy, None if protected else change))


def _plan(session: Session, place: Place, addition: Addition, *, force: bool) -> Plan:
    """What is to be done to the file as it is now; nothing, if the addition is in it."""
    summary = f"Put {addition.name} into {place.name}"
    if session.locate(place.name).stat is None:
        return Plan((session.plan_create(place.name, merge("", addition).text.encode()),), "init", summary)
    before = session.text(place.name)
    text = as_utf8(before.text)
    cuts = merge(text, addition, replace=force).cuts
    if not cuts:
        return Plan(())
    changes: list[FileChange] = [session.plan_update(before, [_in_bytes(text, *cut) for cut in cuts])]
    if before.text.raw:
        changes.append(session.plan_create(_free_name(place), before.text.raw, before.mode & _PERMISSIONS))
    return Plan(tuple(changes), "init", summary)


def _undo_command(place: Place, backup: str | None, change: Change | None) -> str:
    from shlex import join

    if change is not None and change.trouble is None:
        return join(["suture", "undo", change.id, "--root", place.base])
    target = os.path.join(place.base, place.name)
    return join(["rm", target] if backup is None else ["cp", backup, target])


def as_utf8(text: Text) -> str:
    """The text of settings, which must be UTF-8."""
    try:
        if text.encoding is not None:
            return text.body.decode()
    except UnicodeDecodeError:  # half a surrogate pair in UTF-16
        pass
    raise Unmergeable("it is not UTF-8")


def _in_bytes(text: str, start: int, end: int, new: str) -> Edit:
    first = len(text[:start].encode())
    return edit(first, first + len(text[start:end].encode()), new.encode())


def _free_name(place: Place) -> str:
    """A name for a copy that nothing has yet."""
    number = 0
    while os.path.lexists(os.path.join(place.base, name := f"{place.name}.bak{number or ''}")):
        number += 1
    return name
