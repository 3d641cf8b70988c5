"""`suture init`: print the settings that add suture's MCP server to an agent, or write them to the agent's file.

The entry finds the root when the agent starts it (docs/adr/0031), so it has no path of a project, unless --root asks
for one. It has the full path of the program, because agents have their own PATH; but in a file that is committed with
the project, nothing of this machine: there the program is found on PATH.

By default, the entry goes where only this user and this project are concerned (`local`), if the agent has such a place,
else to the user's settings: neither changes a file of the project.

The rest of the settings is preserved. In a top-level object such as `mcpServers`, the entry goes after the others and
after the comments on the last one, with the same indentation. The new text is parsed, and must contain the old data
and the entry, nothing else; otherwise the change is refused. The engine writes the file like any other: atomically,
keeping mode and links, with a backup.

Rejected: parsing, changing and dumping the data. It would lose comments, order, indentation and the notation of
numbers, in files that people edit by hand.
"""

from __future__ import annotations

import os
import sys

from suture import wording
from suture.cli.commands import chosen_tools
from suture.cli.output import clean, note, print_json, print_text, refuse, report_misuse
from suture.engine import Engine
from suture.errors import SutureError
from suture.files.protected import Guard
from suture.json_text import dumps, loads, quoted
from suture.plan import Plan
from suture.records import Record
from suture.settings import Settings
from suture.text import Text
from suture.text.edits import edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from suture.check.issue import Parser
    from suture.engine.session import Session
    from suture.plan import Change, FileChange, Snapshot
    from suture.text.edits import Edit

    Cut = tuple[int, int, str]

_NAME = "suture"
_MAX_NAME_CHARS = 64  # characters, as for names of tools
_NAME_SIGNS = frozenset("-_")
_PERMISSIONS = 0o777
_INDENT = "  "  # for settings without indentation
_FORMATS = {"json": "JSON", "jsonc": "JSON with comments", "toml": "TOML"}


class Client(Record):
    """An agent, as documented in 2026."""

    name: str
    title: str
    format: str
    """One of `_FORMATS`."""
    container: str
    """The top-level object or table of the servers."""
    user: tuple[str, str]
    """The user's folder, a key of `_FOLDERS`, and the path of the settings in it."""
    project: str | None
    """The path of the settings in a project; None if the agent has no project settings."""
    hint: str
    """How to make the agent read its settings."""
    has_local: bool = False
    """Whether the user's settings have servers for one project, below its path in `projects`."""
    typed: bool = False
    """Whether an entry has `"type": "stdio"`."""
    root: str = ""
    """The variable for the open folder that the agent replaces in arguments, if it starts servers elsewhere."""
    cwd: str = ""
    """The same for the folder that a project's servers are started in."""
    opens_folders: bool = True

    @property
    def scopes(self) -> tuple[str, ...]:
        """Whose settings may have the entry, the default first."""
        return (*(("local",) if self.has_local else ()), "user", *(() if self.project is None else ("project",)))

    def place_in(self, scope: str, project: str) -> tuple[str, ...]:
        """The keys of the object with the servers of a scope."""
        return ("projects", project, self.container) if scope == "local" else (self.container,)

    def addition(self, name: str, command: Sequence[str], scope: str = "user", project: str = "") -> Addition:
        """What the agent's file must contain to start a server."""
        kind = {"type": "stdio"} if self.typed else {}
        cwd = {"cwd": self.cwd} if self.cwd and scope == "project" else {}
        entry = {**kind, "command": command[0], "args": [*command[1:]], **cwd}
        return Addition(self.format, self.place_in(scope, project), name, entry)


class Place(Record):
    """A settings file: the folder that is the root for writing it, and its path in that folder."""

    path: str
    scope: str
    base: str
    name: str


class Addition(Record):
    """What to add to a file: `entry`, as `name` in the object or table with the keys `container`."""

    format: str
    container: tuple[str, ...]
    """One key in TOML."""
    name: str
    """Needs no quotes in TOML."""
    entry: Any
    """For a server, an object of strings and lists of strings."""


class Merged(Record):
    """A text with an addition."""

    text: str
    cuts: tuple[Cut, ...] = ()
    """The edits that make the text: (start, end, new), in characters, in order; empty if it had the addition."""


class Outcome(Record):
    """What was done to a file."""

    status: str
    """written or already there."""
    backup: str | None = None
    undo: str = ""
    """The command that undoes it."""


class NoHomeError(Exception):
    """The user's settings cannot be located; the message says why."""


class Unmergeable(Exception):
    """The addition cannot be made to this text; the message says why."""


class DifferentEntry(Unmergeable):
    """A different entry of this name exists."""


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
            "Quit and restart Claude Desktop.",
            opens_folders=False,
        ),
        Client(
            "claude-code",
            "Claude Code",
            "json",
            "mcpServers",
            ("claude", ".claude.json"),
            ".mcp.json",
            "Restart Claude Code in the project; /mcp lists its servers.",
            has_local=True,
            typed=True,
        ),
        Client(
            "cursor",
            "Cursor",
            "jsonc",
            "mcpServers",
            ("home", ".cursor/mcp.json"),
            ".cursor/mcp.json",
            "Enable the server in Cursor's settings, among the MCP servers.",
            root="${workspaceFolder}",
        ),
        Client(
            "vscode",
            "VS Code",
            "jsonc",
            "servers",
            ("applications", "Code/User/mcp.json"),
            ".vscode/mcp.json",
            "Start the server in VS Code with the command MCP: List Servers.",
            typed=True,
            cwd="${workspaceFolder}",
        ),
        Client(
            "codex",
            "Codex",
            "toml",
            "mcp_servers",
            ("codex", "config.toml"),
            ".codex/config.toml",
            "Restart Codex; it reads a project's file only if the project is trusted.",
        ),
        Client(
            "gemini",
            "Gemini CLI",
            "jsonc",
            "mcpServers",
            ("home", ".gemini/settings.json"),
            ".gemini/settings.json",
            "Restart Gemini CLI; /mcp lists its servers.",
        ),
        Client(
            "zed",
            "Zed",
            "jsonc",
            "context_servers",
            ("zed", "settings.json"),
            ".zed/settings.json",
            "Zed reloads its settings by itself; they list the servers.",
        ),
    )
}


_FOLDERS: dict[str, dict[str, tuple[tuple[str, str], ...]]] = {
    "linux": {
        "home": (("HOME", ""),),
        "applications": (("XDG_CONFIG_HOME", ""), ("HOME", ".config")),
        "claude": (("CLAUDE_CONFIG_DIR", ""), ("HOME", "")),
        "claude-settings": (("CLAUDE_CONFIG_DIR", ""), ("HOME", ".claude")),
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
        "claude-settings": (("CLAUDE_CONFIG_DIR", ""), ("USERPROFILE", ".claude")),
        "codex": (("CODEX_HOME", ""), ("USERPROFILE", ".codex")),
        "zed": (("APPDATA", "Zed"), ("USERPROFILE", "AppData/Roaming/Zed")),
    },
}
"""Where settings are: below the first of these variables that is set to a folder. Missing keys are as on Linux."""


def user_file(client: Client, platform: str, environment: Mapping[str, str]) -> str:
    """The full path of the user's settings; NoHomeError if it depends on a home folder that is not known."""
    return _below_home(*client.user, platform, environment)


def _below_home(folder: str, path: str, platform: str, environment: Mapping[str, str]) -> str:
    for variable, below in {**_FOLDERS["linux"], **_FOLDERS.get(platform, {})}[folder]:
        if os.path.isabs(home := environment.get(variable, "")):
            return os.path.join(home, *filter(None, below.split("/")), *path.split("/"))
    raise NoHomeError("HOME is not an absolute path, so your settings cannot be found")


def place_of(client: Client, scope: str, root: str) -> Place:
    """The file of a scope. Links in the user's settings are followed anywhere, links in a project only within it."""
    if scope == "project" and client.project is not None:
        return Place(os.path.join(root, *client.project.split("/")), scope, root, client.project)
    return _in_existing_folder(user_file(client, sys.platform, os.environ), scope)


def place_at(folder: str, path: str, scope: str, root: str) -> Place:
    """A file below the project's root (`project`), or below one of the user's folders."""
    if folder == "project":
        return Place(os.path.join(root, *path.split("/")), scope, root, path)
    return _in_existing_folder(_below_home(folder, path, sys.platform, os.environ), scope)


def _in_existing_folder(path: str, scope: str) -> Place:
    base, name = os.path.split(os.path.realpath(path))
    while not os.path.isdir(base) and os.path.dirname(base) != base:
        base, folder = os.path.split(base)
        name = f"{folder}/{name}"
    return Place(path, scope, base, name)


def merge(text: str, addition: Addition, *, replace: bool = False) -> Merged:
    """The text with the addition; a different entry of its name is replaced only with `replace`.

    `text` has no byte order mark; it may be empty.
    """
    data = parse(text, addition.format)
    servers = servers_in(data, addition)
    exists = addition.name in servers
    if exists and servers[addition.name] == addition.entry:
        return Merged(text)
    if exists and not replace:
        raise DifferentEntry("; ".join(_differences(servers[addition.name], addition.entry)))
    expected = _with_servers(data, addition.container, {**servers, addition.name: addition.entry})
    try:
        cuts = _toml_cuts(text, addition, exists=exists) if addition.format == "toml" else _json_cuts(text, addition)
        merged = Merged(_apply_cuts(text, cuts), tuple(cuts))
        is_proved = _has_data(merged.text, addition.format, expected)
    except RecursionError:
        is_proved = False
    if not is_proved:
        raise Unmergeable(f"{addition.container[-1]} has a form that cannot be edited safely")
    return merged


def _with_servers(data: dict[str, Any], keys: tuple[str, ...], servers: dict[str, Any]) -> dict[str, Any]:
    """The data with another object at these keys."""
    first, *rest = keys
    return {**data, first: _with_servers(data.get(first, {}), tuple(rest), servers) if rest else servers}


def _has_data(text: str, format: str, data: dict[str, Any]) -> bool:  # noqa: A002  as in `Addition`
    try:
        return parse(text, format) == data
    except Unmergeable:
        return False


def snippet(addition: Addition) -> str:
    """The addition as a whole file."""
    return merge("", addition).text


def servers_in(data: Mapping[str, Any], addition: Addition) -> dict[str, Any]:
    """The servers in settings."""
    servers: Any = data
    for key in addition.container:
        servers = servers.get(key, {})
        if not isinstance(servers, dict):
            raise Unmergeable(f"{key} in it is not {'a table' if addition.format == 'toml' else 'an object'}")
    return dict(servers)


def parse(text: str, format: str) -> dict[str, Any]:  # noqa: A002  as above
    """The data of a text; Unmergeable if it is invalid or a key occurs twice."""
    from suture.check.data import load_toml, without_comments

    bare = without_comments(text) if format == "jsonc" else text
    if not bare.strip(" \t\r\n"):
        return {}
    try:
        _check_syntax(text, format)
        data = load_toml("it", text) if format == "toml" else loads(bare)
    except RecursionError:
        raise Unmergeable("it is nested too deeply") from None
    except ValueError as error:  # a number with too many digits
        raise Unmergeable(f"it cannot be read: {error}") from None
    if not isinstance(data, dict):
        raise Unmergeable("its content is not an object")
    return data


def _check_syntax(text: str, format: str) -> None:  # noqa: A002  as above
    from suture.check.data import Json, JsonWithComments, Toml
    from suture.check.issue import NotRunError

    checks: dict[str, Parser] = {"json": Json(), "jsonc": JsonWithComments(), "toml": Toml()}
    try:
        issues = checks[format].issues("it", text)
    except NotRunError as error:
        raise Unmergeable(str(error)) from None
    for issue in issues:
        what = f"it is not {_FORMATS[format]}: " if issue.severity == "error" else ""
        raise Unmergeable(f"{what}line {issue.line}, column {issue.column}: {issue.message}")


def _differences(server: object, entry: Mapping[str, object]) -> list[str]:
    """How an entry differs; keys that are not ours are only named, since their values may be secret."""
    if not isinstance(server, dict):
        return ["it is not an object"]
    changed = [f"{key} is {server[key]!r}" for key in entry if key in server and server[key] != entry[key]]
    missing = [f"{key} is missing" for key in entry if key not in server]
    return [*changed, *missing, *(f"{key} is set" for key in server if key not in entry)]


def _apply_cuts(text: str, cuts: Iterable[Cut]) -> str:
    pieces, position = [], 0
    for start, end, new in cuts:
        pieces += [text[position:start], new]
        position = end
    return "".join([*pieces, text[position:]])


def _newline(text: str) -> str:
    return "\r\n" if text[: text.find("\n") + 1].endswith("\r\n") else "\n"


def _toml_cuts(text: str, addition: Addition, *, exists: bool) -> list[Cut]:
    newline = _newline(text)
    lines = "".join(f"{key} = {_toml_value(value)}{newline}" for key, value in addition.entry.items())
    if exists:
        return [(*_table_body(text, addition), lines)]
    unfinished = bool(text) and not text.endswith("\n")
    apart = bool(text.strip()) and not text.endswith(("\n\n", "\n\r\n"))
    head = f"{newline * (unfinished + apart)}[{addition.container[0]}.{addition.name}]{newline}"
    return [(len(text), len(text), head + lines)]


def _toml_value(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml_value, value))}]"
    return quoted(str(value)).replace("\x7f", "\\u007f")


def _table_body(text: str, addition: Addition) -> tuple[int, int]:
    """The span of the lines of the addition's table, as far as they look like one; `merge` verifies the result."""
    from re import MULTILINE, escape, finditer

    container, name = (rf"[ \t]*[\"']?{escape(part)}[\"']?[ \t]*" for part in (addition.container[0], addition.name))
    heads = [*finditer(rf"^[ \t]*\[{container}\.{name}\][^\n]*\n", text, MULTILINE)]
    if len(heads) != 1:
        raise Unmergeable(f"{addition.name} in it is not one table")
    start = position = end = heads[0].end()
    for line in text[start:].split("\n"):
        position += len(line) + 1
        if line.lstrip().startswith("["):
            break
        if line.strip() and not line.lstrip().startswith("#"):
            end = min(position, len(text))
    return start, end


class _Member(Record):
    """A member of an object: the start of its key, and the span of its value."""

    key: str
    key_start: int
    start: int
    end: int


class _Object(Record):
    """An object in a text: the positions of its brackets, and its members."""

    start: int
    end: int
    members: tuple[_Member, ...]

    def member(self, key: str) -> _Member | None:
        return next((member for member in self.members if member.key == key), None)


# Groups are not possessive: before Python 3.11.4, `re` ended such a loop too early. Each matches in only one way.
_SPACE = r"[ \t\r\n]*+"
_COMMENT = r"(?://[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*\*/)"
_COMMENTS = rf"(?:{_SPACE}{_COMMENT})*"
_COMMENTS_IN_LINE = rf"(?:[ \t]*+{_COMMENT})*"


def _json_cuts(text: str, addition: Addition) -> list[Cut]:
    """The edits that put the entry into its object, creating the object if needed; an entry of its name is replaced."""
    from suture.check.data import without_comments

    bare, newline = without_comments(text), _newline(text)
    start = _skip(_SPACE, bare, 0)
    if start == len(bare):
        between = newline if text.strip(" \t") and not text.endswith(("\n", "\r")) else ""
        document = _render_value(_nested(addition.container, addition), newline, _INDENT)
        return [(len(text), len(text), between + document + newline)]
    target = _object(bare, start)
    unit = _unit(text, target)
    inline = bool(target.members) and "\n" not in text[target.start : target.end]
    for depth, key in enumerate(addition.container, 1):
        member = target.member(key)
        if member is None:
            value = _nested(addition.container[depth:], addition)
            return _insert_member(text, target, key, value, None if inline else unit)
        target = _object(bare, member.start)
        inline = "\n" not in (text[target.start : target.end] if target.members else text)
    inner = target.member(addition.name)
    if inner is None:
        return _insert_member(text, target, addition.name, addition.entry, None if inline else unit)
    lead = None if inline else newline + _indentation(text, inner.key_start)
    return [(inner.start, inner.end, _render_value(addition.entry, lead, unit))]


def _nested(keys: tuple[str, ...], addition: Addition) -> dict[str, Any]:
    """An object with the entry, in objects with these keys."""
    value: dict[str, Any] = {addition.name: addition.entry}
    for key in reversed(keys):
        value = {key: value}
    return value


def _object(bare: str, start: int) -> _Object:
    """The object at `start` in a text without comments."""
    from json import JSONDecoder

    decode = JSONDecoder().raw_decode
    members: list[_Member] = []
    at = _skip(_SPACE, bare, start + 1)
    while bare[at] != "}":
        key, end = decode(bare, at)
        value = _skip(rf"{_SPACE}:{_SPACE}", bare, end)
        _, end = decode(bare, value)
        members.append(_Member(key, at, value, end))
        at = _skip(rf"{_SPACE},?{_SPACE}", bare, end)
    return _Object(start, at, tuple(members))


def _insert_member(text: str, target: _Object, key: str, value: Mapping[str, Any], unit: str | None) -> list[Cut]:
    """The edits that add a member to an object, on new lines if there is a `unit` of indentation."""
    newline, members = _newline(text), target.members
    lead = None if unit is None else newline + _member_indent(text, target, unit)
    member = f"{quoted(key)}: {_render_value(value, lead, unit or '')}"
    if not members:
        place = _skip(_COMMENTS, text, target.start + 1)
        if lead is None:
            return [(place, place, member)]
        close = "" if "\n" in text[place : target.end] else newline + _indentation(text, target.start)
        return [(place, place, lead + member + close)]
    new = (lead or " ") + member
    last = members[-1].end
    comma = _skip(rf"{_COMMENTS}{_SPACE},", text, last)
    if comma != last:
        place = _skip(_COMMENTS_IN_LINE, text, comma)
        return [(place, place, new + ",")]
    place = _skip(_COMMENTS_IN_LINE, text, last)
    return [(last, last, "," + new)] if place == last else [(last, last, ","), (place, place, new)]


def _render_value(value: object, lead: str | None, unit: str) -> str:
    """A value of strings as JSON: objects on several lines, each after `lead`, or on one line without `lead`."""
    if isinstance(value, dict):
        inner = None if lead is None else lead + unit
        members = [f"{quoted(key)}: {_render_value(member, inner, unit)}" for key, member in value.items()]
        return f"{{{', '.join(members)}}}" if inner is None else f"{{{inner}{f',{inner}'.join(members)}{lead}}}"
    if isinstance(value, list):
        if all(isinstance(item, str) for item in value):
            return f"[{', '.join(map(quoted, value))}]"
        inner = None if lead is None else lead + unit
        items = [_render_value(item, inner, unit) for item in value]
        return f"[{', '.join(items)}]" if inner is None else f"[{inner}{f',{inner}'.join(items)}{lead}]"
    return quoted(value) if isinstance(value, str) else dumps(value)


def _skip(pattern: str, text: str, at: int) -> int:
    """The end of the match at a position, or the position itself."""
    from re import compile as compile_pattern

    match = compile_pattern(pattern).match(text, at)
    return at if match is None else match.end()


def _unit(text: str, root: _Object) -> str:
    """The indentation of the members of an object, relative to the object."""
    base = _indentation(text, root.start)
    for member in root.members:
        indentation = _indentation(text, member.key_start)
        if _begins_line(text, member.key_start) and indentation.startswith(base) and indentation != base:
            return indentation.removeprefix(base)
    return _INDENT


def _member_indent(text: str, target: _Object, unit: str) -> str:
    for member in reversed(target.members):
        if _begins_line(text, member.key_start):
            return _indentation(text, member.key_start)
    return _indentation(text, target.start) + unit


def _indentation(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _begins_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip(" \t")


def state(path: str, addition: Addition) -> str:
    """Whether a file has an entry of the addition's name, in words."""
    if not os.path.lexists(path):
        return "no file"
    try:
        if not os.path.isfile(path):
            return "not a file"
        with open(path, "rb") as file:
            text = as_utf8(Text.decode(file.read()))
        return (
            f"with {addition.name}"
            if addition.name in servers_in(parse(text, addition.format), addition)
            else f"without {addition.name}"
        )
    except (OSError, Unmergeable):
        return "cannot be read"


def put(place: Place, addition: Addition, *, force: bool) -> Outcome:
    """Write an addition to settings."""
    return land(place, lambda session: _plan(session, place, addition, force=force))


def land(place: Place, propose: Callable[[Session], Plan]) -> Outcome:
    """Write settings, with a backup, in a way that can be undone.

    A protected file, which is opened here because the user asked for it, is not recorded: `suture undo` would refuse
    the change, and block the way to all earlier ones.
    """
    home = os.environ.get("HOME", "").rstrip("/")
    if home and place.scope != "project" and place.path.startswith(f"{home}/") and not os.path.isdir(home):
        raise Unmergeable(f"HOME, {home}, is not a folder")
    protected = Guard().rule(place.name) is not None
    allowed = (place.name, f"{place.name}.bak*") if protected else ()
    engine = Engine(place.base, Settings(allow_protected=allowed, history=not protected))
    try:
        change = engine.land(propose).change
    except KeyboardInterrupt:
        engine.recover()  # the next call in this folder may be far off
        raise
    finally:
        engine.close()
    if change is None:
        return Outcome("already there")
    copy = next((os.path.join(place.base, landed.path) for landed in change.files[1:]), None)
    return Outcome("written", copy, _undo_command(place, copy, None if protected else change))


def _plan(session: Session, place: Place, addition: Addition, *, force: bool) -> Plan:
    """The plan for the current file; empty if it has the addition."""
    summary = f"Add {addition.name} to {place.name}"
    if session.locate(place.name).stat is None:
        return Plan((session.plan_create(place.name, snippet(addition).encode()),), "init", summary)
    before = session.text(place.name)
    text = as_utf8(before.text)
    cuts = merge(text, addition, replace=force).cuts
    if not cuts:
        return Plan(())
    update = session.plan_update(before, [_in_bytes(text, *cut) for cut in cuts])
    return Plan((update, *with_backup(session, place, before)), "init", summary)


def with_backup(session: Session, place: Place, before: Snapshot) -> list[FileChange]:
    """The copy of a file that is changed; none of an empty one."""
    if not before.text.raw:
        return []
    return [session.plan_create(_free_name(place), before.text.raw, before.mode & _PERMISSIONS)]


def _undo_command(place: Place, backup: str | None, change: Change | None) -> str:
    from shlex import join

    if change is not None and change.trouble is None:
        return join(["suture", "undo", change.id, "--root", place.base])
    target = os.path.join(place.base, place.name)
    return join(["rm", target] if backup is None else ["cp", backup, target])


def as_utf8(text: Text) -> str:
    """The text of settings; Unmergeable if it is not UTF-8."""
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
    number = 0
    while os.path.lexists(os.path.join(place.base, name := f"{place.name}.bak{number or ''}")):
        number += 1
    return name


def init(options: argparse.Namespace) -> int:
    """Print or write the settings."""
    if code := _check_usage(options):
        return code
    root = os.path.abspath(options.location.root)
    if options.client is None:
        return _list(options, root)
    client = CLIENTS[options.client]
    if options.hooks:
        from suture.cli.init_hooks import init_hooks  # few ask for hooks

        return init_hooks(options, client, _asked_scope(options))
    scope = _scope(client, options)
    try:
        command = _command(options, client, scope, root)
        place = place_of(client, scope, root)
    except (NoHomeError, Unmergeable) as error:
        hint = "Fix that, or use another --root."
        if isinstance(error, _NoProgram):
            hint = f"Install it there, or write to your own settings: --scope {client.scopes[0]}"
        problem = clean(str(error))
        if options.json:
            print_json({"client": client.name, "status": "refused", "written": False, "error": problem, "hint": hint})
        else:
            refuse("SETTINGS_NOT_WRITTEN", f"suture init: {problem}.", hint)
        return 1
    entry = _Entry(client, place, client.addition(options.name, command, scope, root), options.location.given and root)
    return _write(options, entry) if options.write else _show(options, entry)


def _check_usage(options: argparse.Namespace) -> int:
    """Print what is wrong with the arguments; returns the exit code, 0 if they are valid."""
    names = chosen_tools(options)
    if isinstance(names, int):
        return names
    problem = _misuse(options)
    return report_misuse("init", problem) if problem else 0


def _misuse(options: argparse.Namespace) -> str:
    """What is wrong with the arguments; empty if they are valid."""
    name: str = options.name
    if options.client is not None and options.client not in CLIENTS:
        from difflib import get_close_matches  # slow to import, and only a typing error needs it

        near = get_close_matches(options.client.lower(), CLIENTS, 1)
        hint = f"did you mean {near[0]}?" if near else f"choose from {', '.join(CLIENTS)}"
        return f"unknown agent '{clean(options.client)}'; {hint}"
    if options.client is None and (options.write or options.force):
        return f"expected an agent: {', '.join(CLIENTS)}"
    if options.force and not options.write:
        return "--force requires --write"
    if options.client is not None and (scope := _asked_scope(options)) not in {None, *CLIENTS[options.client].scopes}:
        client = CLIENTS[options.client]
        return f"{client.title} has no {scope} settings; use --scope {' or '.join(client.scopes)}"
    if not name.isascii() or not name or not all(char.isalnum() or char in _NAME_SIGNS for char in name):
        return "--name: expected letters, digits, - and _"
    return f"--name: at most {_MAX_NAME_CHARS} characters" if len(name) > _MAX_NAME_CHARS else ""


class _NoProgram(Unmergeable):
    """The program is not where a file that others share can name it."""


def _command(options: argparse.Namespace, client: Client, scope: str, root: str) -> list[str]:
    if not os.path.isdir(root):
        raise Unmergeable(f"folder {root} does not exist")
    served = [] if options.location.given is None or scope == "project" else ["--root", root]
    if client.root and not served:
        served = ["--root", client.root]
    profile = [] if options.profile is None else ["--profile", options.profile]
    tools = [] if options.tools is None else ["--tools", ",".join(options.tools)]
    command = [*program_of(scope), "mcp", *served, *profile, *tools]
    try:
        "".join(command).encode()
    except UnicodeEncodeError:
        raise Unmergeable(f"{root} or the path of suture is not UTF-8, as settings must be") from None
    return command


def program_of(scope: str) -> list[str]:
    """The command that starts suture, as a file of this scope may name it."""
    return _shared_program() if scope == "project" else _program()


def _shared_program() -> list[str]:
    """The command as a file of the project may have it."""
    from shutil import which  # other commands do not need it

    if which(_NAME) is None:
        raise _NoProgram(f"{_NAME} is not on PATH, and an entry in a project's file must find it there")
    return [_NAME]


def _program() -> list[str]:
    """The command that starts this suture: the full path of its program, or its module."""
    from shutil import which  # other commands do not need it

    running = sys.argv[0]
    path = which(running) if os.path.basename(running).removesuffix(".exe") == _NAME else None
    if path is None:  # -P: import nothing from the folder in which an agent starts it
        return [sys.executable, "-P", "-m", _NAME]
    return [os.path.abspath(path)]


def _asked_scope(options: argparse.Namespace) -> str | None:
    scope: str | None = "user" if options.user else "project" if options.project else options.scope
    return scope


def _scope(client: Client, options: argparse.Namespace) -> str:
    return _asked_scope(options) or client.scopes[0]


def _list(options: argparse.Namespace, root: str) -> int:
    rows = []
    for client in CLIENTS.values():
        scope = _scope(client, options)
        if scope not in client.scopes:
            continue
        try:
            path = place_of(client, scope, root).path
            entry_state = state(path, client.addition(options.name, [_NAME], scope, root))
        except NoHomeError as error:
            path, entry_state = None, str(error)
        rows.append({"client": client.name, "title": client.title, "scope": scope, "path": path, "state": entry_state})
    if options.json:
        print_json(rows)
        return 0
    width, longest = (max(len(row[key] or "") for row in rows) for key in ("client", "path"))
    for row in rows:
        print_text(f"{row['client']:{width}}  {clean(row['path'] or ''):{longest}}  {row['state']}".rstrip())
    return 0


class _Entry(Record):
    """An agent, its settings file, the addition to the file, and the root that was given, if any."""

    client: Client
    place: Place
    addition: Addition
    root: str | None

    def data(self, status: str, backup: str | None = None) -> dict[str, object]:
        return {
            "client": self.client.name,
            "path": self.place.path,
            "scope": self.place.scope,
            "format": self.client.format,
            "entry": self.addition.entry,
            "status": status,
            "written": status == "written",
            "backup": backup,
            "snippet": snippet(self.addition),
        }

    def print_hint(self, before: str = "", after: str = "") -> None:
        """Print what to do next."""
        more = ""
        if self.root is None and not self.client.opens_folders:
            more = (
                f"\n{self.client.title} opens no folders: name the one to serve with --root DIR, or calls are refused."
            )
        elif self.root is not None and self.place.scope == "project":
            more = (
                "\nThe entry does not name this folder, because others use the file: the server finds the root when it "
                "starts."
            )
        elif self.root is not None:
            where = " in every project" if self.place.scope == "user" else ""
            more = f"\nThe entry serves {clean(self.root)}{where}; for other folders, use another --name."
        note(f"{before}{self.client.hint}{more}{after}")


def _show(options: argparse.Namespace, entry: _Entry) -> int:
    client, place, addition = entry.client, entry.place, entry.addition
    if options.json:
        print_json(entry.data("shown"))
        return 0
    print_text(f"{client.title} reads its MCP servers from {clean(place.path)}. Add this:\n")
    print_text(snippet(addition), end="")
    if client.name == "claude-code":
        from shlex import join

        own = ["claude", "mcp", "add", "--scope", place.scope, "--transport", "stdio", addition.name, "--"]
        command = join([*own, addition.entry["command"], *addition.entry["args"]])
        print_text(f"\nOr, in the project:\n\n  {clean(command)}")
    entry.print_hint("Nothing was written; use --write to add the entry.\n")
    return 0


def _write(options: argparse.Namespace, entry: _Entry) -> int:
    place, addition = entry.place, entry.addition
    hint = "Add the entry by hand."
    try:
        outcome = put(place, addition, force=options.force)
    except DifferentEntry as error:
        problem = f"it has a different entry named {addition.name} ({clean(str(error))})."
        hint = "Use --force to replace it, or a different --name to keep both."
    except Unmergeable as error:
        problem = clean(str(error))
    except SutureError as error:
        problem = wording.error_text(error)
    else:
        if options.json:
            print_json(entry.data(outcome.status, outcome.backup))
            return 0
        backup = "" if outcome.backup is None else f" (backup: {clean(outcome.backup)})"
        print_text(f"{outcome.status}: {clean(place.path)}{backup}")
        if outcome.undo:
            entry.print_hint(after=f"\nTo undo: {clean(outcome.undo)}")
        return 0
    if options.json:
        print_json({**entry.data("refused"), "error": problem, "hint": hint})
    else:
        refuse("SETTINGS_NOT_WRITTEN", f"nothing was written to {clean(place.path)}: {problem}", hint)
        note("\nThe entry:\n")
        print_text(snippet(addition), end="")
    return 1
