"""One change from start to end: read → plan → lock → commit.

`Engine.land` takes a function that makes a plan, and lands the plan. The first plan is made without the
lock, so that slow planning never blocks another process. If a file changed meanwhile, the plan is made
again, now under the lock, where no other suture process can interfere. `Transaction` lands changes that
a program collects.
"""

from __future__ import annotations

import os
from contextlib import contextmanager

from suture.audience import MODEL
from suture.bounds import suspend, within
from suture.engine.session import Session, SharedState
from suture.errors import FileChanged, NotEncodable, WorkspaceNotFound
from suture.files.fs import Tree
from suture.files.local_fs import LocalFS
from suture.files.paths import has_intent
from suture.files.protected import Guard, is_own
from suture.origins import exclude_roots
from suture.plan import Plan, SessionInfo
from suture.records import Record
from suture.settings import Settings, operator_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import LockType
    from collections.abc import Callable, Iterable, Iterator
    from typing import Self

    from suture.audience import Audience
    from suture.engine.checkpoint import SessionStart
    from suture.engine.session import Progress
    from suture.errors import SutureError
    from suture.files.fs import FS
    from suture.files.history import History, IdleDatabase
    from suture.files.recovery import Recovered
    from suture.files.worker import GetWorker, WorkerPool
    from suture.plan import Change, Content, FileChange, Trouble
    from suture.text import Text
    from suture.text.edits import Edit

    Path = str | os.PathLike[str]

_MAX_NAME_CHARS = 100  # characters of a session's name
_process_ids: dict[int, str] = {}
_PERMISSION_BITS = 0o777  # the bits of a mode that a caller may set: not setuid, setgid or sticky
_MAX_REPLANS = 3  # after that, a file that keeps changing is an error: another program is writing it
_MAX_SESSIONS = 200  # whose state is kept in memory: as many as may be connected
_MAX_HELD_BYTES = 1_000_000  # bytes of content kept between calls, so that the next call need not hash it again


class Landing(Record):
    """The outcome of a plan: the change, or None if there was nothing to do; and what else the caller should know."""

    change: Change | None
    recovered: Recovered | None = None
    trouble: Trouble | None = None


class _Kept:
    """What stays open between calls, and the state of each session, for all sessions of an engine."""

    def __init__(self) -> None:
        self.turns: dict[int, LockType] = {}
        self.idle_database: IdleDatabase | None = None
        self.worker_pool: WorkerPool | None = None
        self.remembered: dict[str, object] = {}
        self.starts: list[SessionStart] = []
        """The checkpoints at the start of sessions that may still be under way."""
        self._states: dict[str, SharedState] = {}

    def state(self, session: str) -> SharedState:
        """The state of the session with this id."""
        state = self._states.get(session)
        if state is None:
            state = self._states.setdefault(session, SharedState(self.remembered, self._states))
            if len(self._states) > _MAX_SESSIONS:
                del self._states[next(iter(self._states))]
        return state


class Engine:
    """A workspace's root and settings. `session` reads its files, `land` changes them."""

    def __init__(
        self,
        root: str | os.PathLike[str],
        settings: Settings | None = None,
        fs: FS | None = None,
        audience: Audience = MODEL,
        caller: SessionInfo | None = None,
    ) -> None:
        self.fs = fs or LocalFS()
        self.audience = audience
        self.settings = settings or Settings()
        self.settings.check()
        self._kept = _Kept()
        self.caller = caller or own_session()
        """The session that makes the calls."""
        self._start: SessionStart | None = None
        self._start_problem: SutureError | None = None
        self.progress: Progress = _ignore_progress
        try:
            self.root = os.path.abspath(os.fspath(root))
            places = [self.fs.real_path(path) for path in (self.root, *self.settings.extra_roots)]
        except (OSError, ValueError) as error:
            raise WorkspaceNotFound(root=str(root), reason=str(error)) from error
        for place in places:
            if any(is_own(name) for name in place.split("/")):
                raise WorkspaceNotFound(root=place, reason="suture keeps its own files there")
        self.guard = Guard(self.settings.protect, self.settings.allow_protected)
        self.roots = list(dict.fromkeys((self.root, *map(os.path.abspath, self.settings.extra_roots))))
        self._own_places: list[str] = []
        if isinstance(self.fs, LocalFS):
            self._own_places = [*exclude_roots(self.roots), *_operator_place(self.settings)]
        with self.session() as session:
            for tree in session.trees:
                stat = tree.stat("")
                if stat is None or stat.kind != "folder":
                    raise WorkspaceNotFound(root=tree.root, reason="not a folder")

    def for_session(self, caller: SessionInfo) -> Engine:
        """The same engine for another session: it shares everything but what belongs to a session."""
        from copy import copy  # most workspaces have one session

        engine = copy(self)
        engine.caller = caller
        engine._start = engine._start_problem = None  # noqa: SLF001  a copy of this one
        return engine

    @property
    def _shared(self) -> SharedState:
        return self._kept.state(self.caller.id)

    def begin_session(self) -> None:
        """Take a checkpoint in the background, for which the first call that writes will wait."""
        if self.settings.checkpoints and self.settings.history:
            from suture.engine.checkpoint import SessionStart  # only servers need it

            self._start = SessionStart(self.session, self.settings)
            self._kept.starts = [*(start for start in self._kept.starts if start.is_running), self._start]

    def _wait_for_start(self) -> None:
        start = self._start
        if start is not None:
            problem = start.wait()  # other calls wait here too
            if self._start is start:
                self._start, self._start_problem = None, problem

    def take_start_problem(self) -> SutureError | None:
        """Why there is no checkpoint of the session's start, to be told once."""
        problem, self._start_problem = self._start_problem, None
        return problem

    def close(self) -> None:
        """Close what stays open between calls; a later call reopens what it needs."""
        while self._kept.starts:
            self._kept.starts.pop().wait()
        if self._kept.idle_database is not None:
            self._kept.idle_database.close()
        if self._kept.worker_pool is not None:
            self._kept.worker_pool.close()

    def session(self, progress: Progress | None = None, audience: Audience | None = None) -> Session:
        """A view for one call; `progress` is called while it runs. `audience`: if its reader is not the usual one."""
        return Session(
            [Tree(self.fs, root) for root in self.roots],
            self.settings,
            self.guard,
            self._shared,
            history=self._history,
            worker=self._worker,
            progress=progress or self.progress,
            audience=audience or self.audience,
            caller=self.caller,
            lock=self._hold,
            own_places=self._own_places,
        )

    def land(
        self,
        propose: Callable[[Session], Plan],
        *,
        replan: bool = True,
        serial: bool = False,
        progress: Progress | None = None,
        audience: Audience | None = None,
    ) -> Landing:
        """Make a plan and land it, unless canceled first. With `serial`, plan only under the lock."""
        from suture.files.commit import commit, hold_lock  # reading does not need the writer
        from suture.files.recovery import recover

        self._wait_for_start()
        with within(self.settings), self.session(progress, audience) as session:
            # A transaction is running or was interrupted: a plan made now could be based on half-changed files.
            interrupted = any(map(has_intent, session.trees))
            plan = None if interrupted or serial else session.check_plan(propose(session))
            if plan is not None and not plan.changes and not plan.clipboards:
                return Landing(None)
            with hold_lock(session.trees, self.settings.lock_timeout_ms, self._kept.turns, session.checkpoint):
                session.close()  # folders opened while planning may have been moved since
                history = session.history
                with suspend():
                    recovered = recover(session.trees, self._history, self.guard, self.settings)
                session.holds_lock = True
                for attempts_left in range(_MAX_REPLANS, -1, -1):
                    plan = plan or session.check_plan(propose(session))
                    if not plan.changes:
                        with suspend():
                            self._keep_clipboards(session, plan)
                        return Landing(None, recovered)
                    session.checkpoint()
                    try:
                        with suspend():
                            change = commit(session.trees, self._with_origin(plan, session), history, self.settings)
                        self._update_shared(plan, change.trouble)
                        return Landing(change, recovered, change.trouble)
                    except FileChanged as error:
                        if not replan or not attempts_left:
                            session.explain_change(error, _contents_before(plan))
                            raise
                        plan = None
        raise AssertionError  # the loop returns or raises

    @contextmanager
    def _hold(self, session: Session) -> Iterator[None]:
        """Hold the workspace lock for a part of a call, unless the call holds it already."""
        if session.holds_lock:
            yield
            return
        from suture.files.commit import hold_lock
        from suture.files.recovery import recover

        with hold_lock(session.trees, self.settings.lock_timeout_ms, self._kept.turns, session.checkpoint):
            session.close()  # folders opened before may have been moved since
            with suspend():
                recover(session.trees, self._history, self.guard, self.settings)
            session.holds_lock = True
            try:
                yield
            finally:
                session.holds_lock = False

    def recover(self, *, wait: bool = True) -> Recovered | None:
        """Recover an interrupted transaction, if there is one and no other process is writing.

        With `wait`, for a caller that wants nothing else, also remove files that a power cut left without an intent.
        """
        waiting = any(map(self._has_intent, self.roots))
        if not waiting and not wait:
            return None
        with self.session() as session:
            from suture.errors import WorkspaceBusy  # rarely needed
            from suture.files.commit import hold_lock
            from suture.files.recovery import recover

            patient = wait and waiting
            try:
                with hold_lock(session.trees, self.settings.lock_timeout_ms if patient else 0, self._kept.turns):
                    return recover(session.trees, self._history, self.guard, self.settings, strays=wait)
            except WorkspaceBusy:
                if patient:
                    raise
                return None  # a transaction is under way, not interrupted

    def _has_intent(self, root: str) -> bool:
        """Whether a transaction is running in a root, or was interrupted."""
        with Tree(self.fs, root) as home:
            return has_intent(home)

    def _history(self, tree: Tree) -> History:
        """The workspace's history; its database stays open between changes."""
        from suture.files.history import History, IdleDatabase  # reading a file does not need it

        if self._kept.idle_database is None:
            self._kept.idle_database = IdleDatabase()
        return History(tree, self.settings, self._kept.idle_database)

    @contextmanager
    def _worker(self, entry: str) -> Iterator[GetWorker]:
        """A function that returns a second process, which stays alive between calls; one call uses it at a time."""
        from suture.files.worker import WorkerPool

        if self._kept.worker_pool is None:
            local = isinstance(self.fs, LocalFS) and self.settings.second_process
            self._kept.worker_pool = WorkerPool(entry, self.roots, local=local)
        with self._kept.worker_pool.worker() as worker:
            yield worker

    def _with_origin(self, plan: Plan, session: Session) -> Plan:
        """The plan with what the history records of where it comes from."""
        return plan.evolve(session=self.caller, head=session.head() if self.settings.history else None)

    def _keep_clipboards(self, session: Session, plan: Plan) -> None:
        """Keep the clipboards of a plan without file changes."""
        if plan.clipboards:
            from suture.files.journal import new_id

            made = new_id()
            plan = plan.evolve(clipboards=tuple(clipboard.evolve(made=made) for clipboard in plan.clipboards))
            self._update_shared(plan, session.history.keep_clipboards(self.caller.id, plan.clipboards))

    def _update_shared(self, plan: Plan, trouble: Trouble | None) -> None:
        """Keep in memory the clipboards that the history could not store, and the newest content."""
        for clipboard in plan.clipboards:
            self._shared.unsaved.pop(clipboard.name, None)
            if trouble is not None and not trouble.recorded:
                self._shared.unsaved[clipboard.name] = clipboard
        after = getattr(plan.changes[-1], "after", None) if plan.changes else None
        self._shared.newest = after if after is not None and _is_small(after) else None


class Transaction:
    """Changes to several files that land together at the end of a `with` block.

    An exception in the block drops them all.

    Files are read when the block ends, and again if one changed meanwhile: `edit` takes a function that
    finds the edits in the file's current text.
    """

    def __init__(self, engine: Engine, summary: str) -> None:
        self._engine = engine
        self._summary = summary
        self._planners: list[Callable[[Session], FileChange]] = []
        self._over = False
        self.change: Change | None = None
        """What landed, after the block; None if nothing had to change."""
        self.recovered: Recovered | None = None
        """The interrupted transaction that was recovered first, if there was one."""

    def create(self, path: Path, content: bytes | str, *, mode: int | None = None) -> None:
        """Create a file, optionally with permission bits."""
        name, new = os.fspath(path), _bytes(content)
        if mode is not None and not 0 <= mode <= _PERMISSION_BITS:
            raise ValueError(mode)
        self._add(lambda session: session.plan_create(name, new, mode))

    def write(self, path: Path, content: bytes | str) -> None:
        """Write a file's whole content, whether it exists or not."""
        name, new = os.fspath(path), _bytes(content)
        self._add(lambda session: session.plan_write(name, new))

    def edit(self, path: Path, edits: Callable[[Text], Iterable[Edit]], *, encoding: str | None = None) -> None:
        """Apply the edits that the function `edits` returns for the file's text."""
        name = os.fspath(path)
        if not hasattr(edits, "__call__"):  # noqa: B004  callable() would tell mypy that this cannot be
            message = "edits must be a function of the text: it is called again if the file changes"
            raise TypeError(message)
        self._add(lambda session: session.plan_edit(name, edits, encoding))

    def delete(self, path: Path) -> None:
        """Delete a file. A symbolic link is refused: only its target could be deleted."""
        name = os.fspath(path)
        self._add(lambda session: session.plan_delete(name))

    def rename(self, path: Path, to: Path, content: bytes | str | None = None) -> None:
        """Rename a file, optionally with new content; an existing file is never replaced."""
        name, target = os.fspath(path), os.fspath(to)
        new = None if content is None else _bytes(content)
        self._add(lambda session: session.plan_rename(name, target, new))

    def _add(self, change: Callable[[Session], FileChange]) -> None:
        self._check_open()
        self._planners.append(change)

    def _check_open(self) -> None:
        if self._over:
            message = "this transaction has ended; start another one"
            raise RuntimeError(message)

    def __enter__(self) -> Self:
        self._check_open()
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        self._over = True
        if kind is None:
            landing = self._engine.land(self._plan)
            self.change, self.recovered = landing.change, landing.recovered

    def _plan(self, session: Session) -> Plan:
        return Plan(tuple(wanted(session) for wanted in self._planners), "transaction", self._summary)


def own_session(agent: str = "library", name: str | None = None) -> SessionInfo:
    """The session of this process, or the one with this name; by default the name is in SUTURE_SESSION."""
    name = name or os.environ.get("SUTURE_SESSION", "").strip()
    if not name:
        return SessionInfo(_process_id(), agent, "", agent, "")
    check_session_name(name)
    return SessionInfo(name, agent, "", agent, name)


def check_session_name(name: str) -> None:
    """Refuse a name of a session that could not be typed or shown; ValueError says why."""
    if not name.strip() or name != name.strip() or not name.isprintable() or len(name) > _MAX_NAME_CHARS:
        message = f"a session's name has 1 to {_MAX_NAME_CHARS} printable characters, not {name[:_MAX_NAME_CHARS]!r}"
        raise ValueError(message)


def _process_id() -> str:
    """The id of this process's session."""
    pid = os.getpid()
    if pid not in _process_ids:  # also after a fork
        from suture.files.journal import new_id

        _process_ids[pid] = new_id()
    return _process_ids[pid]


def _contents_before(plan: Plan) -> list[Content]:
    """The contents that a plan is based on."""
    snapshots = (getattr(change, "before", None) for change in plan.changes)
    return [snapshot.content for snapshot in snapshots if snapshot is not None]


def _ignore_progress(files: int, matches: int) -> None:
    """Ignore progress."""


def _bytes(content: bytes | str) -> bytes:
    try:
        return content.encode() if isinstance(content, str) else content
    except UnicodeEncodeError as error:
        raise NotEncodable(character=error.object[error.start], encoding="utf-8") from None


def _is_small(content: Content) -> bool:
    """Whether some content may stay in memory between calls. A view would keep the whole buffer alive."""
    return content.size <= _MAX_HELD_BYTES and all(isinstance(piece, bytes) for piece in content.pieces)


def _operator_place(settings: Settings) -> list[str]:
    """The real path of the operator's file: an agent that could write it would control every workspace."""
    file = operator_file(settings.config)
    try:
        return [os.path.realpath(file)] if file and not os.path.isdir(file) else []
    except (OSError, ValueError):  # not a valid path
        return []
