"""What `suture doctor` looks at in a workspace: whether it can be edited, and what stands in the way."""

from __future__ import annotations

import os
from shlex import quote

from suture.cli.doctor.finding import note, ok, problem
from suture.cli.doctor.state import free_space
from suture.engine import Engine
from suture.errors import RecoveryBlocked, WorkspaceNotFound
from suture.files.journal import Journal, Left
from suture.files.local_fs import LocalFS
from suture.files.protected import Guard
from suture.files.recovery import find_strays
from suture.files.tree import Tree
from suture.render import hint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from suture.cli.doctor.finding import Finding
    from suture.session import Session
    from suture.validate.configuration import Configuration, Rule

_MOUNTS = "/proc/self/mountinfo"
_NETWORK = frozenset(
    ("9p", "afs", "ceph", "cifs", "davfs", "glusterfs", "lustre", "nfs", "nfs4", "smb3", "smbfs", "virtiofs", "vboxsf")
)
_FEW = 3
_SHOWN = 60
_NO_LOCKS = "nobody"
_FORM = "Write it as docs/reference/validators.md says; until then a strict edit is refused or told about it."


def folder(root: str) -> Iterator[Finding]:
    """The folder, and what may be done in it."""
    try:
        Engine(root).close()
    except WorkspaceNotFound as error:
        yield problem("root", f"{root}: {_plain(error.reason)}", "Name a folder that is there: --root DIR")
        return
    yield from _breadth(root)
    if not _is_open(root):
        yield problem("reading", "the folder cannot be read by you", f"chmod u+rx {quote(root)}")
    if os.access(root, os.W_OK):
        yield ok("writing", "files can be made and changed")
    else:
        yield problem("writing", "no edit can land: the folder cannot be written to by you", f"chmod u+w {quote(root)}")
    yield free_space(root)
    yield from _file_system(root)


def transaction(root: str) -> Iterator[Finding]:
    """What is under way, or was interrupted."""
    if not _is_open(root):
        return
    holder = _holder(root)
    if holder == _NO_LOCKS:
        advice = "suture locks a file in your state folder instead, which other machines and users do not see."
        yield note("lock", "folders cannot be locked on this file system", advice)
    elif holder:
        yield note("lock", f"held by {holder}, which is editing", "Wait until it is done.")
    else:
        yield ok("lock", "free")
    with Tree(LocalFS(), root) as tree:
        journal = Journal([tree])
        try:
            waiting = journal.exists()
            left = journal.read() if waiting else Left(None)
        except RecoveryBlocked as error:
            advice = f"{hint(error)} Then: {_recover(root)}" if error.state == "foreign" else _recover(root)
            yield problem("transaction", f"cannot be cleared up: {error.reason}", advice)
            return
        strays = [] if waiting else [path for _, path, _ in find_strays([tree], Guard())]
    if strays:
        what = f"a power cut left {', '.join(strays[:_FEW])}{' and more' if len(strays) > _FEW else ''}"
        yield problem("transaction", what, _recover(root))
    elif not waiting:
        yield ok("transaction", "none was interrupted")
    elif holder:
        yield ok("transaction", "one is under way")
    else:
        files = "" if left.intent is None else f" of {', '.join(step.path for step in left.intent.steps[:_FEW])}"
        how = "is finished" if left.done else "is taken back"
        yield problem("transaction", f"a change{files} was interrupted", f"{_recover(root)} (it {how})")


def configuration(root: str) -> Iterator[Finding]:
    """What is configured about checks, and whether the programs it names are there."""
    from suture.tools.checking import table
    from suture.validate.issue import NotRunError
    from suture.validate.table import Unavailable

    if not _is_open(root):
        return
    engine = Engine(root)
    with engine.session() as session:
        names, found, trusted = _configured(session, root)
        asked = [each.validator for each in table(session).chosen("x")]
    wrong = 0
    for validator in asked:
        if isinstance(validator, Unavailable) and validator.name not in found.rules:
            try:
                validator.check("x", None, "", None)  # type: ignore[arg-type]  # it looks at nothing
            except NotRunError as error:
                wrong += 1
                yield problem(validator.name, _plain(str(error)), _FORM)
    if not wrong:
        yield ok("configuration", ", ".join(names) or "none: every file is checked by its type")
    for rule in found.rules.values():
        if rule.enabled is not False:
            yield from _program(rule, root, trusted=trusted)


def _is_open(root: str) -> bool:
    """Whether it is worth looking into the folder; why not is told already."""
    return os.path.isdir(root) and os.access(root, os.R_OK | os.X_OK)


def _breadth(root: str) -> Iterator[Finding]:
    """Whether the root is more than a project."""
    real, home = os.path.realpath(root), os.path.realpath(os.path.expanduser("~"))
    if f"{home}/".startswith(f"{real.rstrip('/')}/"):
        what = "the whole disk" if real == "/" else "your home folder" if real == home else "all that is in it"
        advice = "Name the project's own folder: --root DIR"
        yield note("root", f"{root} is very broad: an agent can edit {what}", advice)
    else:
        yield ok("root", root)


def _file_system(root: str) -> Iterator[Finding]:
    """What the folder lies on, where the system tells it."""
    try:
        with open(_MOUNTS, "rb") as file:
            lines = os.fsdecode(file.read()).splitlines()
    except OSError:
        return
    real, best, kind = os.path.realpath(root) + "/", "", ""
    for line in lines:
        before, _, after = line.partition(" - ")
        mounted = before.split(" ")[4].replace("\\040", " ").rstrip("/") + "/"
        if real.startswith(mounted) and len(mounted) >= len(best):
            best, kind = mounted, after.split(" ")[0]
    if kind in _NETWORK or kind.startswith("fuse."):
        advice = "Edit it from one machine at a time: locks may not reach from one to another."
        yield note("file system", f"{kind}, perhaps shared with other machines", advice)
    elif kind:
        yield ok("file system", kind)


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
            found = [line.split() for line in file]
        process = next(each[4] for each in found if each[1] == "FLOCK" and each[5].endswith(f":{inode}"))
        with open(f"/proc/{process}/cmdline", "rb") as file:
            words = os.fsdecode(file.read()).split("\0")
    except (OSError, StopIteration, IndexError):
        return ""
    return f"process {process} ({' '.join(words).strip()[:_SHOWN]})"


def _recover(root: str) -> str:
    return f"suture recover --root {quote(root)}"


def _configured(session: Session, root: str) -> tuple[list[str], Configuration, bool]:
    """The files that say something, what they say, and whether the project may name programs."""
    from suture.tools.checking import PROJECT_FILES, operator_configuration, operator_file, project_configuration
    from suture.validate.configuration import Configuration, merged

    names, project = [], Configuration()
    for name in reversed(PROJECT_FILES):
        said = project_configuration(session, name) if os.path.lexists(os.path.join(root, name)) else None
        if said is not None:
            names, project = [name], said
    file = operator_file(None)
    operator = operator_configuration(file, [root], named=False)
    names += [file] if os.path.lexists(file) else []
    trusted = any(os.path.realpath(each) == os.path.realpath(root) for each in operator.trust)
    return names, merged(project, operator), trusted


def _program(rule: Rule, root: str, *, trusted: bool) -> Iterator[Finding]:
    """Whether the program of a check is there and may be run; nothing for a check that needs none."""
    from shutil import which

    from suture.validate.commands import ON_REQUEST
    from suture.validate.programs import is_outside, program, program_inside

    name, held = f"validators.{rule.name}", [] if trusted else [root]
    if rule.command is not None:
        first = rule.command[0]
        found = which(first) if "/" in first else program(first, held, beside=False)
    elif rule.name in {*ON_REQUEST, "ruff"}:
        first, found = rule.name, program(rule.name, held)
    else:
        if not _is_known(rule.name, root):
            yield problem(name, "there is no check of this name, and no command is given for it", _FORM)
        return
    tell = problem if rule.required else note
    place = program_inside(first, held) if found is None else found if not is_outside(found, held) else None
    if place is not None:
        advice = f"Install {first} outside of it, or trust the workspace in your own suture.toml."
        yield tell(name, f"{place} is in the workspace, where an agent can change it, and is not run", advice)
    elif found is None:
        yield tell(name, f"{first} is not installed", f"Install {first}, or say: enabled = false")
    elif rule.by_project and not trusted and rule.name != "ruff":
        advice = "If you trust the project: --allow-commands, or trust in your own suture.toml."
        yield note(name, f"{found} is not run, because the project asks for it and not you", advice)
    else:
        yield ok(name, found)


def _is_known(name: str, root: str) -> bool:
    """Whether there is a check of this name, built in or a plugin's."""
    from suture.validate.table import built_in, plugins

    try:
        return built_in(name).name == name
    except StopIteration:
        return any(each.name == name for each in plugins((root,)))


def _plain(reason: str) -> str:
    return " ".join(reason.split())
