"""`suture doctor`: what is installed, what works, and what does not.

Each check runs in its own thread with a timeout; a check that hangs, for example on a network disk, is abandoned. An
unexpected exception in a check is reported as a problem.
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
from suture.cli.output import clean, colored, in_bytes, print_json, print_text, refuse
from suture.cli.paths import GIVEN
from suture.engine import Engine
from suture.errors import HistoryUnavailable, RecoveryBlocked, WorkspaceNotFound
from suture.files.fs import Tree
from suture.files.history import LOCKED, is_damage, read_history, sqlite_code
from suture.files.journal import Leftover, find_journals
from suture.files.local_fs import LocalFS
from suture.files.protected import Guard
from suture.files.recovery import find_strays
from suture.files.root import GIT, JJ, KNOWN, START
from suture.files.state import history_folder
from suture.records import Record
from suture.settings import Settings
from suture.text import Text
from suture.wording import count, hint

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
_MAX_SETTINGS_BYTES = 10_000_000  # of an agent's settings file, which has much more than servers
_MAX_GRAMMARS_NAMED = 5  # missing ones; a longer list is omitted to keep the line short
_MAX_FILES_NAMED = 3  # of an interrupted change, to keep the line short
_MAX_COMMAND_SHOWN_CHARS = 60  # characters of the command line of the process that holds the lock
_OTHER_USERS = 0o077  # the permissions of everyone but the owner
_TOO_LITTLE, _LITTLE = 10_000_000, 500_000_000  # bytes: for a file's copy, and for a day of edits
_TIMEOUT_MS = 1_000  # for a database that another process has locked
_CHECK_SECONDS = 10.0  # for one check: a longer one waits for a disk that does not respond
_SQLITE_SECONDS = 5  # for SQLite's own check: half of the above
_MAX_CHANGES = 1_000  # the newest recorded changes, which are read
_SQLITE_STEPS = 10_000  # instructions of SQLite between two looks at the clock
_READ_ONLY = 8  # SQLITE_READONLY
_MOUNTS = "/proc/self/mountinfo"
_NETWORK = frozenset(
    ("9p", "afs", "ceph", "cifs", "davfs", "glusterfs", "lustre", "nfs", "nfs4", "smb3", "smbfs", "virtiofs", "vboxsf")
)
_NO_LOCKS = "unsupported"  # instead of the name of a process
_NEW_HISTORY = "The next change renames it and starts a new history. Until then changes cannot be listed or undone."
_FORMAT_HINT = "See docs/reference/validators.md. Until it is fixed, strict edits are refused or get a warning."
_WHY = {
    GIVEN: "--root names it",
    GIT: "the nearest folder with .git, from the current one upwards",
    JJ: "the nearest folder with .jj, from the current one upwards",
    KNOWN: "the nearest folder with a history, from the current one upwards",
    START: "the current folder: no .git, .jj or history was found from there upwards",
}
"""Why a folder is the workspace's root."""
_COLORS = {OK: "green", NOTE: "yellow", PROBLEM: "red"}
_WIDTH = max(map(len, _COLORS))


class Finding(Record):
    """One line: what was checked, its state, and what to do about it."""

    name: str
    state: str
    """ok; note: works, but perhaps not as expected; problem: does not work."""
    found: str
    advice: str = ""


def _ok(name: str, found: str) -> Finding:
    return Finding(name, OK, found)


def _note(name: str, found: str, advice: str) -> Finding:
    return Finding(name, NOTE, found, advice)


def _problem(name: str, found: str, advice: str) -> Finding:
    return Finding(name, PROBLEM, found, advice)


def agents(root: str) -> Iterator[Finding]:
    """Every entry in an agent's settings, the user's and the project's, that starts suture."""
    findings = [
        finding
        for client in CLIENTS.values()
        for scope in reversed(client.scopes)
        for finding in _entries(client, scope, root)
    ]
    yield from findings or [
        _note("settings", "no agent is configured to start suture", "To add it to one: suture init")
    ]


def _entries(client: Client, scope: str, root: str) -> Iterator[Finding]:
    try:
        path = place_of(client, scope, root).path
        servers = _read(path, client, scope, root)
    except NoHomeError:
        return
    except (OSError, Unmergeable) as error:
        why = getattr(error, "strerror", None) or str(error)
        yield _note(client.name, f"{path} cannot be read: {why}", "Fix it, or the agent cannot start its servers.")
        return
    for name, entry in servers.items():
        if isinstance(entry, dict) and _is_ours(name, entry):
            yield _entry(client, scope, root, path, name, entry)


def _read(path: str, client: Client, scope: str, root: str) -> dict[str, Any]:
    """The servers of a scope in a file; empty if there is no file."""
    if not os.path.isfile(path):
        return {}
    with open(path, "rb") as file:
        text = as_utf8(Text.decode(file.read(_MAX_SETTINGS_BYTES)))
    return servers_in(parse(text, client.format), client.addition(_NAME, [_NAME], scope, root))


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
        return _note(client.name, description, "Nothing to do if it works; suture cannot tell what it starts.")
    served = words[words.index("--root") + 1] if "--root" in words[:-1] else None
    if served is not None and served.startswith("${"):  # a variable of the agent
        served = None
    init = join([_NAME, "init", client.name, "--scope", scope, "--write", "--force", "--name", name])
    if which(command) is None:
        description = f"{path} starts {command}, which does not exist"
        where = root if scope == "project" else served
        return _problem(client.name, description, init if where is None else f"{init} --root {join([where])}")
    if served is not None and not os.path.isdir(served):
        description = f"{path} serves {served}, which is not a folder"
        return _problem(client.name, description, f"{init} --root {join([root])}" if scope == "project" else init)
    return _ok(client.name, f"{path} starts {command}{'' if served is None else f' for {served}'}")


def program(root: str) -> Iterator[Finding]:
    """The running suture, and the one on PATH."""
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
    """The packages that suture needs."""
    del root
    usable: list[str] = []
    for distribution, module in PACKAGES.items():
        if failure := _import_failure(module):
            advice = f"Reinstall it: pip install --force-reinstall {distribution}"
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
    except Exception as error:  # noqa: BLE001  a broken package can raise anything
        return f"{type(error).__name__}: {error}"
    return ""


def extras(root: str) -> Iterator[Finding]:
    """Optional packages and programs."""
    from importlib.util import find_spec

    from suture.check.programs import program as found_program
    from suture.check.programs import program_inside

    for extra, distribution, purpose in (("mcp", "mcp", "suture mcp --http"), ("models", "pydantic", "SafeEditInput")):
        if find_spec(distribution) is None:
            yield _note(extra, f"{distribution} is not installed; {purpose} needs it", _install(extra))
        else:
            yield _ok(extra, f"{distribution} {_version(distribution)}")
    ruff, inside = found_program("ruff", [root]), program_inside("ruff", [root])
    if ruff is None and inside is not None:
        advice = "Install ruff outside the workspace: pipx install ruff"
        yield _note("lint", f"{inside} is not run: it is in the workspace, where an agent can change it", advice)
    elif ruff is None:
        yield _note("lint", "ruff is not installed; only the syntax of Python files is checked", _install("lint"))
    else:
        yield _ok("lint", ruff)
    yield _grammars()


def platform(root: str) -> Iterator[Finding]:
    """The operating system."""
    del root
    system = os.uname()
    name = _SYSTEMS.get(sys.platform)
    description = f"{name or system.sysname} {system.release}, {system.machine}"
    if name is None:
        yield _note("system", description, "suture is tested on Linux, and should work on macOS.")
    else:
        yield _ok("system", description)
    encoding = sys.getfilesystemencoding()
    if encoding != "utf-8":
        yield _note("file names", f"the locale makes Python decode them as {encoding}", "Set LANG to C.UTF-8.")


def _on_path() -> Finding:
    path, running = which("suture"), sys.argv[0]
    if path is None:
        advice = "Agents do not need it there: suture init writes the full path of the program."
        return _note("on PATH", "suture is not on PATH", advice)
    if os.path.basename(running) == "suture" and os.path.realpath(running) == os.path.realpath(path):
        return _ok("on PATH", path)
    folders = {os.path.dirname(os.path.realpath(path)), os.path.dirname(path)}
    if os.path.dirname(sys.executable) in folders or _interpreter(path) == sys.executable:
        return _ok("on PATH", path)
    description = f"{path} is a different installation; this one runs with {sys.executable}"
    return _note("on PATH", description, "Remove one of them. To compare them: suture --version")


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
    description = f"{number} of {len(grammars)} grammars are missing{names}; files of their languages are not checked"
    return _note("syntax", description, _install("syntax"))


def _version(distribution: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return "(unknown version)"


def _install(extra: str) -> str:
    return f"pip install 'suture[{extra}]'"


def state_folder(root: str) -> Iterator[Finding]:
    """The folder of all histories, which may not exist yet."""
    del root
    folder = history_folder()
    place = folder
    while not os.path.lexists(place):
        place = os.path.dirname(place)
    elsewhere = "Or set the variable XDG_STATE_HOME to another folder."
    if not os.path.isdir(place):
        yield _problem(
            "folder", f"{folder} cannot be created: {place} is not a folder", f"Move {place} away. {elsewhere}"
        )
        return
    if not os.access(place, os.W_OK | os.X_OK):
        command = f"chmod u+wx {quote(place)}"
        yield _problem("folder", f"{place} is not writable", f"{command}. {elsewhere}")
    elif place == folder:
        yield _ok("folder", folder)
    else:
        yield _ok("folder", f"{folder} (the first change creates it)")
    if place == folder:
        yield from _ownership(folder)
    yield free_space(place)


def history(root: str) -> Iterator[Finding]:
    """The workspace's history."""
    if not os.path.isdir(history_folder()):
        yield _ok("history", "nothing is recorded yet")
        return
    try:
        with read_history(root, _TIMEOUT_MS) as recorded:
            if recorded.file is None:
                yield _ok("history", "nothing is recorded yet")
                return
            size, most = os.path.getsize(recorded.file), Settings().history_max_bytes
            rows = recorded.connection.execute("SELECT (SELECT count(*) FROM change), (SELECT count(*) FROM snapshot)")
            counts = ", ".join(map(count, rows.fetchone(), ("change", "checkpoint")))
            yield _ok("history", f"{counts}; {in_bytes(size)} of at most {in_bytes(most)}")
            finding = _soundness(recorded.connection, recorded.file)
            yield finding
            changes = islice(recorded.database.changes(), _MAX_CHANGES) if finding.state == OK else ()
            if damaged := [change.id for change in changes if change.state == "damaged"]:
                description = f"{count(len(damaged), 'change')} damaged, such as {damaged[0]}"
                yield _problem("records", description, "They cannot be undone. To list all changes: suture log")
            if recorded.waiting:
                waits = f"{count(len(recorded.waiting), 'change')} waiting to be recorded"
                yield _note("waiting", waits, "Nothing to do: the next change, or suture log, records them.")
    except WorkspaceNotFound:
        return  # `workspace_folder` reports it
    except HistoryUnavailable as error:
        yield _unavailable(error)


def free_space(place: str) -> Finding:
    """The free space on the disk of a folder."""
    disk = os.statvfs(place)
    free = disk.f_bavail * disk.f_frsize
    description = f"{in_bytes(free)} on the disk of {place}"
    if free < _TOO_LITTLE:
        return _problem("free space", description, "Free some space: an edit needs space for a copy of each file.")
    if free < _LITTLE:
        return _note("free space", description, "Free some space soon.")
    return _ok("free space", description)


def _ownership(folder: str) -> Iterator[Finding]:
    status = os.stat(folder)
    user = os.geteuid()
    if status.st_uid == user:
        yield _ok("owner", "you")
    else:
        advice = f"sudo chown -R {user} {quote(folder)}"
        yield _problem("owner", f"{folder} belongs to user {status.st_uid}, not to you ({user})", advice)
    mode = status.st_mode & 0o777
    if mode & _OTHER_USERS:
        description = f"0{mode:o}: other users can access the recorded content of your files"
        yield _problem("permissions", description, f"chmod 700 {quote(folder)}")
    else:
        yield _ok("permissions", f"0{mode:o}")


def _soundness(database: Connection, file: str) -> Finding:
    """Whether SQLite finds damage in the database within a few seconds."""
    from sqlite3 import OperationalError

    ends = monotonic() + _SQLITE_SECONDS
    database.set_progress_handler(lambda: monotonic() > ends, _SQLITE_STEPS)
    try:
        messages = [str(row[0]) for row in database.execute("PRAGMA quick_check(1)").fetchall()]
    except OperationalError:
        if monotonic() < ends:
            raise  # `history` reports why it cannot be read
        return _ok("database", f"{file}: no damage found in {_SQLITE_SECONDS} s")
    finally:
        database.set_progress_handler(None, 0)
    if messages == ["ok"]:
        return _ok("database", f"{file} is not damaged")
    return _problem("database", f"{file} is damaged: {' '.join(messages[0].split())}", _NEW_HISTORY)


def _unavailable(error: HistoryUnavailable) -> Finding:
    """Why a history cannot be read, and what happens next."""
    cause = error.__cause__ or error
    code = sqlite_code(cause)
    if code == _READ_ONLY:
        advice = "Nothing to do: the next change, or suture log, rolls that back."
        return _note("history", "a program was interrupted while it wrote the history", advice)
    if code in LOCKED:
        return _note("history", error.reason, "Wait until it is done; changes that land meanwhile are not recorded.")
    is_blocked = isinstance(cause, OSError)  # something is in its place
    advice = _NEW_HISTORY if is_damage(cause) and not is_blocked else f"Check the files in {history_folder()}."
    return _problem("history", error.reason, advice)


def workspace_folder(root: str) -> Iterator[Finding]:
    """The workspace folder, and whether it can be read and written."""
    try:
        Engine(root).close()
    except WorkspaceNotFound as error:
        yield _problem("root", f"{root}: {_plain(error.reason)}", "Name an existing folder: --root DIR")
        return
    yield from _breadth(root)
    if not _is_open(root):
        yield _problem("reading", "you cannot read the folder", f"chmod u+rx {quote(root)}")
    if os.access(root, os.W_OK):
        yield _ok("writing", "files can be created and changed")
    else:
        yield _problem("writing", "no edit can land: you cannot write to the folder", f"chmod u+w {quote(root)}")
    yield free_space(root)
    yield from _file_system(root)


def transaction(root: str) -> Iterator[Finding]:
    """The lock, and a transaction that is running or was interrupted."""
    if not _is_open(root):
        return
    holder = _holder(root)
    if holder == _NO_LOCKS:
        advice = "suture locks a file in your state folder instead, which other machines and users do not see."
        yield _note("lock", "this file system cannot lock folders", advice)
    elif holder:
        yield _note("lock", f"held by {holder}, which is editing", "Wait until it is done.")
    else:
        yield _ok("lock", "free")
    with Tree(LocalFS(), root) as tree:
        try:
            waiting = find_journals([tree])
            left = waiting[0].read() if waiting else Leftover(None)
        except RecoveryBlocked as error:
            advice = f"{hint(error)} Then: {_recover(root)}" if error.state == "foreign" else _recover(root)
            yield _problem("transaction", f"cannot be recovered: {error.reason}", advice)
            return
        strays = [] if waiting else [path for _, path, _ in find_strays([tree], Guard())]
    if strays:
        more = " and more" if len(strays) > _MAX_FILES_NAMED else ""
        what = f"a power cut left {', '.join(strays[:_MAX_FILES_NAMED])}{more}"
        yield _problem("transaction", what, _recover(root))
    elif not waiting:
        yield _ok("transaction", "none was interrupted")
    elif holder:
        yield _ok("transaction", "one is running")
    else:
        steps = () if left.intent is None else left.intent.steps[:_MAX_FILES_NAMED]
        files = f" of {', '.join(step.path for step in steps)}" if steps else ""
        outcome = "finishes it" if left.done else "rolls it back"
        yield _problem("transaction", f"a change{files} was interrupted", f"{_recover(root)} ({outcome})")


def configuration(root: str) -> Iterator[Finding]:
    """The configuration of checks, and whether its programs are installed."""
    from suture.check.issue import NotRunError
    from suture.check.registry import Unavailable
    from suture.engine.checks import registry

    if not _is_open(root):
        return
    engine = Engine(root)
    with engine.session() as session:
        names, configured, trusted = _read_configuration(session, root)
        settings = yield from _operator_settings(root)
        trusted = trusted or "project_commands" in settings
        asked = [chosen.validator for chosen in registry(session).checks_for("x")]
    wrong = 0
    for validator in asked:
        if isinstance(validator, Unavailable) and validator.name not in configured.rules:
            try:
                validator.check("x", None, "", None)  # type: ignore[arg-type]  # it ignores its arguments
            except NotRunError as error:
                wrong += 1
                yield _problem(validator.name, _plain(str(error)), _FORMAT_HINT)
    if not wrong:
        yield _ok("configuration", ", ".join(names) or "none: each file gets the checks for its type")
    for rule in configured.rules.values():
        if rule.enabled is not False:
            yield from _program(rule, root, trusted=trusted)


def _operator_settings(root: str) -> Generator[Finding, None, dict[str, Any]]:
    """Whether the operator's file has settings, and whether they are valid; returns the settings."""
    from suture.cli.settings import settings_in_file
    from suture.settings import operator_file

    file = operator_file()
    try:
        settings = settings_in_file(file, [root], named=False)
    except ValueError as error:
        yield _problem("settings", _plain(str(error)), "Fix it: until then, commands that use a workspace do not run.")
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
        what = "the whole disk" if real == "/" else "your home folder" if real == home else "everything in it"
        advice = "Name the project's folder: --root DIR"
        yield _note("root", f"{root} is very broad: an agent can edit {what}", advice)
    else:
        yield _ok("root", root)


def _file_system(root: str) -> Iterator[Finding]:
    """The file system of the folder, if the system reports it."""
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
        advice = "Edit it from one machine at a time: other machines may not see the locks."
        yield _note("file system", f"{kind}, perhaps shared with other machines", advice)
    elif kind:
        yield _ok("file system", kind)


def _holder(root: str) -> str:
    """The process that holds the workspace's lock; empty if none does. Asking takes the lock only for a moment."""
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
    """The process that has locked a folder, from Linux's list of locks."""
    try:
        with open("/proc/locks", encoding="ascii") as file:
            locks = [line.split() for line in file]
        process = next(lock[4] for lock in locks if lock[1] == "FLOCK" and lock[5].endswith(f":{inode}"))
        with open(f"/proc/{process}/cmdline", "rb") as file:
            words = os.fsdecode(file.read()).split("\0")
    except (OSError, StopIteration, IndexError):
        return ""
    return f"process {process} ({' '.join(words).strip()[:_MAX_COMMAND_SHOWN_CHARS]})"


def _recover(root: str) -> str:
    return f"suture recover --root {quote(root)}"


def _read_configuration(session: Session, root: str) -> tuple[list[str], Configuration, bool]:
    """The configuration files, the configuration in force, and whether the project may name programs."""
    from suture.check.registry import Configuration, merge_configurations
    from suture.engine.checks import PROJECT_FILES, operator_configuration, project_configuration
    from suture.settings import operator_file

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
    """Whether the program of a check is installed and may be run; nothing for a check that needs none."""
    from suture.check.programs import ON_REQUEST, program, program_inside
    from suture.origins import is_outside

    name, roots = f"validators.{rule.name}", [] if trusted else [root]
    if rule.command is not None:
        first = rule.command[0]
        path = which(first) if "/" in first else program(first, roots, beside=False)
    elif rule.name in {*ON_REQUEST, "ruff"}:
        first, path = rule.name, program(rule.name, roots)
    else:
        if not _is_known(rule.name, root):
            yield _problem(name, "no check has this name, and no command is configured for it", _FORMAT_HINT)
        return
    report = _problem if rule.required else _note
    place = program_inside(first, roots) if path is None else path if not is_outside(path, roots) else None
    if place is not None:
        advice = f"Install {first} outside the workspace, or trust the workspace in your own suture.toml."
        yield report(name, f"{place} is not run: it is in the workspace, where an agent can change it", advice)
    elif path is None:
        yield report(name, f"{first} is not installed", f"Install {first}, or set: enabled = false")
    elif rule.by_project and not trusted and rule.name != "ruff":
        advice = "If you trust the project: --allow-commands, or `trust` in your own suture.toml."
        yield _note(name, f"{path} is not run, because only the project asks for it", advice)
    else:
        yield _ok(name, path)


def _is_known(name: str, root: str) -> bool:
    """Whether there is a check of this name, built in or from a plugin."""
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
    """Print the findings of all checks."""
    root = os.path.abspath(options.root)
    findings: list[tuple[str, Finding]] = []
    for group, checks in CHECKS.items():
        if group == "workspace":
            findings.append((group, _ok("chosen", _WHY[options.location.reason])))
        findings += [(group, finding) for check in checks for finding in _run_check(check, root)]
    states = [finding.state for _, finding in findings]
    problems = states.count(PROBLEM)
    if options.json:
        lines = [
            {"group": group} | {name: getattr(finding, name) for name in finding._fields} for group, finding in findings
        ]
        print_json({"version": __version__, "ok": not problems, "checks": lines})
    else:
        _print_findings(findings, _summary(problems, states.count(NOTE)), quiet=options.quiet)
    return int(problems > 0)


def _run_check(check: Check, root: str) -> list[Finding]:
    """The findings of a check until it ends, fails or times out."""
    from threading import Thread

    findings: list[Finding] = []

    def run() -> None:
        try:
            for finding in check(root):
                findings.append(finding)  # noqa: PERF402  findings before a failure count
        except Exception as error:  # noqa: BLE001  the other checks go on
            why = f"could not be checked: {type(error).__name__}: {error}"
            findings.append(_problem(name, why, "If you see no cause for it, report it as a bug in suture."))

    name = check.__name__.replace("_", " ")
    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(_CHECK_SECONDS)
    if thread.is_alive():
        return [*findings, _problem(name, f"no answer within {_CHECK_SECONDS:g} s", "Is the disk still connected?")]
    return findings


def _print_findings(findings: list[tuple[str, Finding]], summary: str, *, quiet: bool) -> None:
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
    print_text(f"\n{summary}")


def _summary(problems: int, notes: int) -> str:
    more = count(notes, "note") if notes else ""
    if problems:
        return f"{count(problems, 'problem')}{more and f' and {more}'} found; what to do is below each."
    return f"No problems found{more and f'; {more} above'}."
