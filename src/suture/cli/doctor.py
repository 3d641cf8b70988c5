"""`suture doctor`: what is installed, what works, and what does not.

Each check has a time of its own, in a thread that is left behind if it hangs, as on a network disk that does not
answer. One that fails in a way that nobody thought of is a problem itself.
"""

from __future__ import annotations

import os
import sys
from itertools import islice
from shlex import join, quote
from shutil import which
from time import monotonic

import suture
from suture import __version__
from suture.cli.init import CLIENTS, NoHomeError, Unmergeable, as_utf8, parse, place_of, servers_in
from suture.cli.output import clean, colored, in_bytes, print_json, print_text, refuse, several
from suture.cli.readonly import sight
from suture.engine import Engine
from suture.errors import HistoryUnavailable, RecoveryBlocked, WorkspaceNotFound
from suture.files.fs import Tree
from suture.files.history import LOCKED, is_damage, sqlite_code
from suture.files.journal import Journal, Leftover
from suture.files.local_fs import LocalFS, history_folder
from suture.files.protected import Guard
from suture.files.recovery import find_strays
from suture.records import Record
from suture.settings import Settings
from suture.text import Text
from suture.wording import hint

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Generator, Iterator
    from sqlite3 import Connection
    from typing import Any

    from suture.check.registry import Configuration, Rule
    from suture.cli.init import Client
    from suture.engine.session import Session

    Check = Callable[[str], Iterator["Finding"]]


OK, NOTE, PROBLEM = "ok", "note", "problem"
PACKAGES = {
    "ahocorasick-rs": "ahocorasick_rs",
    "argcomplete": "argcomplete",
    "google-re2": "re2",
    "orjson": "orjson",
    "pyyaml": "yaml",
    "rapidfuzz": "rapidfuzz",
    "regex": "regex",
    "tomli": "tomli",
    "zstandard": "zstandard",
}
"""The packages that suture needs, and the module of each."""
_NAME = "suture"
_OLDEST = (3, 11)
_SYSTEMS = {"linux": "Linux", "darwin": "macOS"}
_MAX_SETTINGS_BYTES = 10_000_000  # of an agent's settings file: agents keep much more than servers in it
_MAX_GRAMMARS_NAMED = 5  # missing ones, so that the line stays short
_MAX_FILES_NAMED = 3  # of an interrupted change, as above
_MAX_COMMAND_SHOWN = 60  # characters of the command line of the process that has the lock
_OTHER_USERS = 0o077  # the permissions of all but the owner
_TOO_LITTLE, _LITTLE = 10_000_000, 500_000_000  # bytes: for a file's copy, and for a day of edits
_PATIENCE_MS = 1_000  # for a database that another process has locked
_CHECK_SECONDS = 10.0  # for one check: then its disk does not answer
_SQLITE_SECONDS = 5  # for SQLite's own check, half of the above
_MAX_CHANGES = 1_000  # recorded changes that are read, the newest
_SQLITE_STEPS = 10_000  # of SQLite's machine, between two looks at the clock
_READ_ONLY = 8  # SQLITE_READONLY
_MOUNTS = "/proc/self/mountinfo"
_NETWORK = frozenset(
    ("9p", "afs", "ceph", "cifs", "davfs", "glusterfs", "lustre", "nfs", "nfs4", "smb3", "smbfs", "virtiofs", "vboxsf")
)
_NO_LOCKS = "nobody"
_NEW_ONE = "The next change puts it aside and begins a new one. Until then changes cannot be listed or taken back."
_FORM = "Write it as docs/reference/validators.md says; until then a strict edit is refused or told about it."
_COLORS = {OK: "green", NOTE: "yellow", PROBLEM: "red"}
_WIDTH = max(map(len, _COLORS))


class Finding(Record):
    """One line: what was looked at, how it is, and what to do about it."""

    name: str
    state: str
    """ok; note: it works, but perhaps not as somebody thinks; problem: it does not work."""
    found: str
    advice: str = ""


def _ok(name: str, found: str) -> Finding:
    return Finding(name, OK, found)


def _note(name: str, found: str, advice: str) -> Finding:
    return Finding(name, NOTE, found, advice)


def _problem(name: str, found: str, advice: str) -> Finding:
    return Finding(name, PROBLEM, found, advice)


def agents(root: str) -> Iterator[Finding]:
    """Every entry in the settings of an agent, the user's own and the project's, that starts suture."""
    findings = [
        finding
        for client in CLIENTS.values()
        for scope in ("user", "project")
        if scope == "user" or client.project is not None
        for finding in _entries(client, scope, root)
    ]
    yield from findings or [_note("settings", "no agent starts suture", "To put it into one: suture init")]


def _entries(client: Client, scope: str, root: str) -> Iterator[Finding]:
    try:
        path = place_of(client, scope, root).path
        servers = _read(path, client)
    except NoHomeError:
        return
    except (OSError, Unmergeable) as error:
        why = getattr(error, "strerror", None) or str(error)
        yield _note(client.name, f"{path} cannot be read: {why}", "Fix it, or its servers do not start.")
        return
    for name, entry in servers.items():
        if isinstance(entry, dict) and _is_ours(name, entry):
            yield _entry(client, scope, root, path, name, entry)


def _read(path: str, client: Client) -> dict[str, Any]:
    """The servers in a file; none where there is no file."""
    if not os.path.isfile(path):
        return {}
    with open(path, "rb") as file:
        text = as_utf8(Text.decode(file.read(_MAX_SETTINGS_BYTES)))
    return servers_in(parse(text, client.format), client.addition(_NAME, [_NAME]))


def _is_ours(name: str, entry: dict[str, Any]) -> bool:
    program = os.path.basename(str(entry.get("command", ""))).removesuffix(".exe")
    return _NAME in {name, program} or f"-m {_NAME} " in " ".join(_words(entry))


def _words(entry: dict[str, Any]) -> list[str]:
    words = entry.get("args")
    return [*map(str, words)] if isinstance(words, list) else []


def _entry(client: Client, scope: str, root: str, path: str, name: str, entry: dict[str, Any]) -> Finding:
    command, words = entry.get("command"), _words(entry)
    if not isinstance(command, str):
        description = f"{path} has {name}, but not as suture init writes it"
        return _note(client.name, description, "Nothing to do, if it works; suture cannot tell what it starts.")
    served = words[words.index("--root") + 1] if "--root" in words[:-1] else None
    again = join([_NAME, "init", client.name, f"--{scope}", "--write", "--force", "--name", name, "--root"])
    if which(command) is None:
        description = f"{path} starts {command}, which is not there"
        return _problem(client.name, description, f"{again} {join([served or root])}")
    if served is not None and not os.path.isdir(served):
        description = f"{path} serves {served}, which is no folder"
        return _problem(client.name, description, f"{again} DIR")
    return _ok(client.name, f"{path} starts {command}{'' if served is None else f' for {served}'}")


def program(root: str) -> Iterator[Finding]:
    """The suture that runs, and the one that a shell finds."""
    del root
    yield _ok("suture", f"{suture.__version__}, in {os.path.dirname(suture.__file__)}")
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info >= _OLDEST:
        yield _ok("python", f"{version}, {sys.executable}")
    else:
        wanted = ".".join(map(str, _OLDEST))
        yield _problem("python", f"{version}, {sys.executable}", f"Install suture with Python {wanted} or newer.")
    yield _on_path()


def packages(root: str) -> Iterator[Finding]:
    """What suture cannot do without."""
    del root
    usable: list[str] = []
    for distribution, module in PACKAGES.items():
        if failure := _import_failure(module):
            advice = f"Install it again: pip install --force-reinstall {distribution}"
            yield _problem("packages", f"{distribution} cannot be imported: {failure}", advice)
        else:
            usable.append(f"{distribution} {_version(distribution)}")
    if usable:
        yield _ok("packages", ", ".join(usable))


def _import_failure(module: str) -> str:
    """Why a module cannot be imported; empty if it can."""
    from importlib import import_module

    try:
        import_module(module)
    except Exception as error:  # noqa: BLE001  a package that is broken fails in any way
        return f"{type(error).__name__}: {error}"
    return ""


def extras(root: str) -> Iterator[Finding]:
    """What suture can use."""
    from importlib.util import find_spec

    from suture.check.programs import program as found_program
    from suture.check.programs import program_inside

    for extra, distribution, purpose in (("mcp", "mcp", "suture mcp"), ("models", "pydantic", "SafeEditInput")):
        if find_spec(distribution) is None:
            yield _note(extra, f"{distribution} is not installed; {purpose} needs it", _install(extra))
        else:
            yield _ok(extra, f"{distribution} {_version(distribution)}")
    ruff, held = found_program("ruff", [root]), program_inside("ruff", [root])
    if ruff is None and held is not None:
        advice = "Install ruff outside of the workspace: pipx install ruff"
        yield _note("lint", f"{held} is in the workspace, where an agent can change it, and is not run", advice)
    elif ruff is None:
        yield _note("lint", "ruff is not installed; of Python files only the syntax is checked", _install("lint"))
    else:
        yield _ok("lint", ruff)
    yield _grammars()


def platform(root: str) -> Iterator[Finding]:
    """The machine."""
    del root
    system = os.uname()
    name = _SYSTEMS.get(sys.platform)
    description = f"{name or system.sysname} {system.release}, {system.machine}"
    if name is None:
        yield _note("system", description, f"suture is tested on {' and '.join(_SYSTEMS.values())} only.")
    else:
        yield _ok("system", description)
    encoding = sys.getfilesystemencoding()
    if encoding != "utf-8":
        yield _note("names of files", f"the locale makes Python read them as {encoding}", "Set LANG to C.UTF-8.")


def _on_path() -> Finding:
    path, running = which("suture"), sys.argv[0]
    if path is None:
        advice = "Agents do not need it there: suture init names the program by its full path."
        return _note("on PATH", "there is no suture on PATH", advice)
    if os.path.basename(running) == "suture" and os.path.realpath(running) == os.path.realpath(path):
        return _ok("on PATH", path)
    folders = {os.path.dirname(os.path.realpath(path)), os.path.dirname(path)}
    if os.path.dirname(sys.executable) in folders or _interpreter(path) == sys.executable:
        return _ok("on PATH", path)
    description = f"{path} is another one than this, which runs by {sys.executable}"
    return _note("on PATH", description, "Remove one of them, or see which is which by: suture --version")


def _interpreter(script: str) -> str:
    with open(script, "rb") as file:
        first = file.readline(1000)
    return os.fsdecode(first.removeprefix(b"#!").strip()) if first.startswith(b"#!") else ""


def _grammars() -> Finding:
    from suture.check.syntax import LANGUAGES

    grammars = {grammar.module: grammar.distribution for language in LANGUAGES for grammar in language.grammars}
    modules = {"tree_sitter": "tree-sitter", **grammars}
    missing = [distribution for module, distribution in modules.items() if _import_failure(module)]
    if not missing:
        return _ok("syntax", f"all {len(grammars)} grammars, for {len(LANGUAGES)} languages")
    number = len(missing) - missing.count("tree-sitter")
    names = f": {', '.join(missing)}" if len(missing) <= _MAX_GRAMMARS_NAMED else ""
    description = f"{number} of {len(grammars)} grammars are missing{names}; such files are not checked"
    return _note("syntax", description, _install("syntax"))


def _version(distribution: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return "of an unknown version"


def _install(extra: str) -> str:
    return f"pip install 'suture[{extra}]'"


def state_folder(root: str) -> Iterator[Finding]:
    """Where histories lie, or will."""
    del root
    shelf = history_folder()
    place = shelf
    while not os.path.lexists(place):
        place = os.path.dirname(place)
    elsewhere = "Or name another folder by the variable XDG_STATE_HOME."
    if not os.path.isdir(place):
        yield _problem("folder", f"{shelf} cannot be: {place} is not a folder", f"Move it away. {elsewhere}")
        return
    if not os.access(place, os.W_OK | os.X_OK):
        what = f"chmod u+wx {quote(place)}"
        yield _problem("folder", f"{shelf}: nothing can be written to {place}", f"{what}. {elsewhere}")
    elif place == shelf:
        yield _ok("folder", shelf)
    else:
        yield _ok("folder", f"{shelf} (the first change makes it)")
    if place == shelf:
        yield from _ownership(shelf)
    yield free_space(place)


def history(root: str) -> Iterator[Finding]:
    """The workspace's history."""
    if not os.path.isdir(history_folder()):
        yield _ok("history", "nothing is recorded yet")
        return
    try:
        with sight(root, _PATIENCE_MS) as seen:
            if seen.file is None:
                yield _ok("history", "nothing is recorded yet")
                return
            size, most = os.path.getsize(seen.file), Settings().history_max_bytes
            rows = seen.database.execute("SELECT (SELECT count(*) FROM change), (SELECT count(*) FROM snapshot)")
            counts = ", ".join(map(several, rows.fetchone(), ("change", "snapshot")))
            yield _ok("history", f"{counts}; {in_bytes(size)} of at most {in_bytes(most)}")
            finding = _soundness(seen.database, seen.file)
            yield finding
            changes = islice(seen.book.changes(), _MAX_CHANGES) if finding.state == OK else ()
            if damaged := [change.id for change in changes if change.state == "damaged"]:
                description = f"{several(len(damaged), 'change')} damaged, such as {damaged[0]}"
                yield _problem("records", description, "They cannot be undone. To list all changes: suture log")
            if seen.waiting:
                waits = f"{several(len(seen.waiting), 'change')} waiting to be recorded"
                yield _note("waiting", waits, "Nothing to do: the next change, or suture log, records them.")
    except WorkspaceNotFound:
        return  # which is told where the workspace is looked at
    except HistoryUnavailable as error:
        yield _unavailable(error)


def free_space(place: str) -> Finding:
    """How much can still be written."""
    disk = os.statvfs(place)
    free = disk.f_bavail * disk.f_frsize
    description = f"{in_bytes(free)} on the disk of {place}"
    if free < _TOO_LITTLE:
        return _problem("free space", description, "Make room: an edit needs some for a copy of each file.")
    return _note("free space", description, "Make room soon.") if free < _LITTLE else _ok("free space", description)


def _ownership(shelf: str) -> Iterator[Finding]:
    status = os.stat(shelf)
    user = os.geteuid()
    if status.st_uid == user:
        yield _ok("owner", "you")
    else:
        advice = f"sudo chown -R {user} {quote(shelf)}"
        yield _problem("owner", f"{shelf} belongs to user {status.st_uid}, not to you ({user})", advice)
    mode = status.st_mode & 0o777
    if mode & _OTHER_USERS:
        description = f"0{mode:o}: other users can get at what was in your files"
        yield _problem("permissions", description, f"chmod 700 {quote(shelf)}")
    else:
        yield _ok("permissions", f"0{mode:o}")


def _soundness(database: Connection, file: str) -> Finding:
    """Whether SQLite finds the database sound, as far as it gets in a few seconds."""
    from sqlite3 import OperationalError

    ends = monotonic() + _SQLITE_SECONDS
    database.set_progress_handler(lambda: monotonic() > ends, _SQLITE_STEPS)
    try:
        messages = [str(row[0]) for row in database.execute("PRAGMA quick_check(1)").fetchall()]
    except OperationalError:
        if monotonic() < ends:
            raise  # which is told as what keeps the history from being read
        return _ok("database", f"{file}: sound as far as it was read, for {_SQLITE_SECONDS} s")
    finally:
        database.set_progress_handler(None, 0)
    if messages == ["ok"]:
        return _ok("database", f"{file} is sound")
    return _problem("database", f"{file} is damaged: {' '.join(messages[0].split())}", _NEW_ONE)


def _unavailable(error: HistoryUnavailable) -> Finding:
    """Why a history cannot be read, and what becomes of it."""
    cause = error.__cause__ or error
    code = sqlite_code(cause)
    if code == _READ_ONLY:
        advice = "Nothing to do: the next change, or suture log, takes that back."
        return _note("history", "it was being written when the program ended", advice)
    if code in LOCKED:
        return _note("history", error.reason, "Wait until it is done; a change that lands meanwhile is not recorded.")
    in_the_way = isinstance(cause, OSError)  # by the hand of somebody
    advice = _NEW_ONE if is_damage(cause) and not in_the_way else f"See to the files in {history_folder()}."
    return _problem("history", error.reason, advice)


def workspace_folder(root: str) -> Iterator[Finding]:
    """The folder, and what may be done in it."""
    try:
        Engine(root).close()
    except WorkspaceNotFound as error:
        yield _problem("root", f"{root}: {_plain(error.reason)}", "Name a folder that is there: --root DIR")
        return
    yield from _breadth(root)
    if not _is_open(root):
        yield _problem("reading", "the folder cannot be read by you", f"chmod u+rx {quote(root)}")
    if os.access(root, os.W_OK):
        yield _ok("writing", "files can be made and changed")
    else:
        yield _problem(
            "writing", "no edit can land: the folder cannot be written to by you", f"chmod u+w {quote(root)}"
        )
    yield free_space(root)
    yield from _file_system(root)


def transaction(root: str) -> Iterator[Finding]:
    """What is under way, or was interrupted."""
    if not _is_open(root):
        return
    holder = _holder(root)
    if holder == _NO_LOCKS:
        advice = "suture locks a file in your state folder instead, which other machines and users do not see."
        yield _note("lock", "folders cannot be locked on this file system", advice)
    elif holder:
        yield _note("lock", f"held by {holder}, which is editing", "Wait until it is done.")
    else:
        yield _ok("lock", "free")
    with Tree(LocalFS(), root) as tree:
        journal = Journal([tree])
        try:
            waiting = journal.exists()
            left = journal.read() if waiting else Leftover(None)
        except RecoveryBlocked as error:
            advice = f"{hint(error)} Then: {_recover(root)}" if error.state == "foreign" else _recover(root)
            yield _problem("transaction", f"cannot be cleared up: {error.reason}", advice)
            return
        strays = [] if waiting else [path for _, path, _ in find_strays([tree], Guard())]
    if strays:
        more = " and more" if len(strays) > _MAX_FILES_NAMED else ""
        what = f"a power cut left {', '.join(strays[:_MAX_FILES_NAMED])}{more}"
        yield _problem("transaction", what, _recover(root))
    elif not waiting:
        yield _ok("transaction", "none was interrupted")
    elif holder:
        yield _ok("transaction", "one is under way")
    else:
        steps = () if left.intent is None else left.intent.steps[:_MAX_FILES_NAMED]
        files = f" of {', '.join(step.path for step in steps)}" if steps else ""
        how = "is finished" if left.done else "is taken back"
        yield _problem("transaction", f"a change{files} was interrupted", f"{_recover(root)} (it {how})")


def configuration(root: str) -> Iterator[Finding]:
    """What is configured about checks, and whether the programs it names are there."""
    from suture.check.issue import NotRunError
    from suture.check.registry import Unavailable
    from suture.tools.check import table

    if not _is_open(root):
        return
    engine = Engine(root)
    with engine.session() as session:
        names, configured, trusted = _read_configuration(session, root)
        settings = yield from _operator_settings(root)
        trusted = trusted or "project_commands" in settings
        asked = [chosen.validator for chosen in table(session).checks_for("x")]
    wrong = 0
    for validator in asked:
        if isinstance(validator, Unavailable) and validator.name not in configured.rules:
            try:
                validator.check("x", None, "", None)  # type: ignore[arg-type]  # it looks at nothing
            except NotRunError as error:
                wrong += 1
                yield _problem(validator.name, _plain(str(error)), _FORM)
    if not wrong:
        yield _ok("configuration", ", ".join(names) or "none: every file is checked by its type")
    for rule in configured.rules.values():
        if rule.enabled is not False:
            yield from _program(rule, root, trusted=trusted)


def _operator_settings(root: str) -> Generator[Finding, None, dict[str, Any]]:
    """Whether the operator's file sets anything, and whether that fits."""
    from suture.cli.settings import settings_in_file
    from suture.settings import operator_file

    file = operator_file()
    try:
        settings = settings_in_file(file, [root], named=False)
    except ValueError as error:
        yield _problem("settings", _plain(str(error)), "Correct it: no command that uses a workspace runs until then.")
        return {}
    if settings:
        yield _ok("settings", f"{file} sets {', '.join(settings)}")
    return settings


def _is_open(root: str) -> bool:
    """Whether the folder can be read; `workspace_folder` reports why not."""
    return os.path.isdir(root) and os.access(root, os.R_OK | os.X_OK)


def _breadth(root: str) -> Iterator[Finding]:
    real, home = os.path.realpath(root), os.path.realpath(os.path.expanduser("~"))
    if f"{home}/".startswith(f"{real.rstrip('/')}/"):
        what = "the whole disk" if real == "/" else "your home folder" if real == home else "all that is in it"
        advice = "Name the project's own folder: --root DIR"
        yield _note("root", f"{root} is very broad: an agent can edit {what}", advice)
    else:
        yield _ok("root", root)


def _file_system(root: str) -> Iterator[Finding]:
    """What the folder lies on, where the system tells it."""
    try:
        with open(_MOUNTS, "rb") as file:
            lines = os.fsdecode(file.read()).splitlines()
    except OSError:
        return
    mounted, kind = "", ""
    for line in lines:
        before, _, after = line.partition(" - ")
        place = before.split(" ")[4].replace("\\040", " ").rstrip("/") + "/"
        if f"{os.path.realpath(root)}/".startswith(place) and len(place) >= len(mounted):  # the innermost, mounted last
            mounted, kind = place, after.split(" ")[0]
    if kind in _NETWORK or kind.startswith("fuse."):
        advice = "Edit it from one machine at a time: locks may not reach from one to another."
        yield _note("file system", f"{kind}, perhaps shared with other machines", advice)
    elif kind:
        yield _ok("file system", kind)


def _holder(root: str) -> str:
    """Who holds the workspace's lock; empty if nobody does. Asking takes no longer than a moment from others."""
    from fcntl import LOCK_NB, LOCK_SH, flock

    handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        flock(handle, LOCK_SH | LOCK_NB)
    except BlockingIOError:
        return _locker(os.fstat(handle).st_ino) or "another process"
    except OSError:
        return _NO_LOCKS
    finally:
        os.close(handle)
    return ""


def _locker(inode: int) -> str:
    """The process that has locked a folder, as Linux tells it."""
    try:
        with open("/proc/locks", encoding="ascii") as file:
            locks = [line.split() for line in file]
        process = next(lock[4] for lock in locks if lock[1] == "FLOCK" and lock[5].endswith(f":{inode}"))
        with open(f"/proc/{process}/cmdline", "rb") as file:
            words = os.fsdecode(file.read()).split("\0")
    except (OSError, StopIteration, IndexError):
        return ""
    return f"process {process} ({' '.join(words).strip()[:_MAX_COMMAND_SHOWN]})"


def _recover(root: str) -> str:
    return f"suture recover --root {quote(root)}"


def _read_configuration(session: Session, root: str) -> tuple[list[str], Configuration, bool]:
    """The files that say something, what they say, and whether the project may name programs."""
    from suture.check.registry import Configuration, merge_configurations
    from suture.settings import operator_file
    from suture.tools.check import PROJECT_FILES, operator_configuration, project_configuration

    names, project = [], Configuration()
    for name in reversed(PROJECT_FILES):
        configuration = project_configuration(session, name) if os.path.lexists(os.path.join(root, name)) else None
        if configuration is not None:
            names, project = [name], configuration
    file = operator_file(None)
    operator = operator_configuration(file, [root], named=False)
    names += [file] if os.path.lexists(file) else []
    trusted = os.path.realpath(root) in map(os.path.realpath, operator.trust)
    return names, merge_configurations(project, operator), trusted


def _program(rule: Rule, root: str, *, trusted: bool) -> Iterator[Finding]:
    """Whether the program of a check is there and may be run; nothing for a check that needs none."""
    from suture.check.programs import ON_REQUEST, program, program_inside
    from suture.origins import is_outside

    name, held = f"validators.{rule.name}", [] if trusted else [root]
    if rule.command is not None:
        first = rule.command[0]
        path = which(first) if "/" in first else program(first, held, beside=False)
    elif rule.name in {*ON_REQUEST, "ruff"}:
        first, path = rule.name, program(rule.name, held)
    else:
        if not _is_known(rule.name, root):
            yield _problem(name, "no check has this name, and no command is given for it", _FORM)
        return
    tell = _problem if rule.required else _note
    place = program_inside(first, held) if path is None else path if not is_outside(path, held) else None
    if place is not None:
        advice = f"Install {first} outside of it, or trust the workspace in your own suture.toml."
        yield tell(name, f"{place} is in the workspace, where an agent can change it, and is not run", advice)
    elif path is None:
        yield tell(name, f"{first} is not installed", f"Install {first}, or say: enabled = false")
    elif rule.by_project and not trusted and rule.name != "ruff":
        advice = "If you trust the project: --allow-commands, or trust in your own suture.toml."
        yield _note(name, f"{path} is not run, because the project asks for it and not you", advice)
    else:
        yield _ok(name, path)


def _is_known(name: str, root: str) -> bool:
    """Whether there is a check of this name, built in or a plugin's."""
    from suture.check.registry import built_in, plugins

    try:
        return built_in(name).name == name
    except StopIteration:
        return any(plugin.name == name for plugin in plugins((root,)))


def _plain(reason: str) -> str:
    return " ".join(reason.split())


CHECKS: dict[str, tuple[Check, ...]] = {
    "installation": (program, packages),
    "extras": (extras,),
    "platform": (platform,),
    "state folder": (state_folder, history),
    "workspace": (workspace_folder, transaction, configuration),
    "agents": (agents,),
}


def doctor(options: argparse.Namespace) -> int:
    """Print what every check finds."""
    root = os.path.abspath(options.root)
    findings = [
        (group, finding) for group, checks in CHECKS.items() for check in checks for finding in _run_check(check, root)
    ]
    states = [finding.state for _, finding in findings]
    problems = states.count(PROBLEM)
    if options.json:
        checks = [
            {"group": group} | {name: getattr(finding, name) for name in finding._fields} for group, finding in findings
        ]
        print_json({"version": __version__, "ok": not problems, "checks": checks})
    else:
        _print_findings(findings, _end(problems, states.count(NOTE)), quiet=options.quiet)
    return int(problems > 0)


def _run_check(check: Check, root: str) -> list[Finding]:
    """What a check finds, until it fails or its time is over."""
    from threading import Thread

    findings: list[Finding] = []

    def run() -> None:
        try:
            for finding in check(root):
                findings.append(finding)  # noqa: PERF402  what was found before a failure counts
        except Exception as error:  # noqa: BLE001  whatever it is, the other checks go on
            why = f"could not be looked at: {type(error).__name__}: {error}"
            findings.append(_problem(name, why, "If nothing explains it, it is a fault of suture: report it."))

    name = check.__name__.replace("_", " ")
    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(_CHECK_SECONDS)
    if thread.is_alive():
        return [*findings, _problem(name, f"no answer within {_CHECK_SECONDS:g} s", "Is its disk still connected?")]
    return findings


def _print_findings(findings: list[tuple[str, Finding]], end: str, *, quiet: bool) -> None:
    last = ""
    for group, finding in findings:
        if quiet and finding.state == PROBLEM:
            refuse("PROBLEM", clean(f"{group}: {finding.name}: {finding.found}"), clean(finding.advice))
        if group != last:
            print_text(colored("bold", group[0].upper() + group[1:]))
            last = group
        sign = colored(_COLORS[finding.state], f"{finding.state:{_WIDTH}}")
        print_text(f"  {sign}  {finding.name}: {clean(finding.found)}")
        if finding.advice:
            print_text(f"  {'':{_WIDTH}}  {colored('cyan', clean(finding.advice))}")
    print_text(f"\n{end}")


def _end(problems: int, notes: int) -> str:
    more = f"{several(notes, 'note')} above" if notes else ""
    if problems:
        return f"{several(problems, 'problem')}: what to do is below each." + (f" Also {more}." if more else "")
    return f"All is well; {more}." if more else "All is well."
