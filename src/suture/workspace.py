"""`Workspace`: a folder, and calls of tools on it. All callers use it."""

from __future__ import annotations

from contextlib import nullcontext
from os import fspath

from suture import log, wording
from suture.audience import MODEL
from suture.bounds import Overrun, check_limit, check_time, suspend, within
from suture.engine import Engine, Transaction, own_session
from suture.errors import FileChanged, InputTooLarge, InternalError, InvalidArguments, OutOfMemory, SutureError
from suture.plan import SessionInfo
from suture.tools import command, find
from suture.tools.spec import Answer, ToolResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Self

    from suture.audience import Audience
    from suture.engine.checkpoint import Recording
    from suture.engine.session import Progress, Session
    from suture.files.fs import FS
    from suture.files.recovery import Recovered
    from suture.plan import Change, Plan, Trouble
    from suture.settings import Settings
    from suture.tools.spec import Proposal, Request, ToolSpec

    Path = str | os.PathLike[str]
    _Outcome = tuple[Answer, Recovered | None, Trouble | None]

_MAX_VALUES = 1_000_000  # of a request; one that contains itself would never end


class Workspace:
    """A folder of files that tools may read and edit.

    >>> Workspace(".").call("file_read", {"path": "README.md", "end_line": 1}).is_error
    False
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        settings: Settings | None = None,
        *,
        session: str | SessionInfo | None = None,
        fs: FS | None = None,
        audience: Audience = MODEL,
    ) -> None:
        """`session` says who makes the changes: a name, or the details of an agent. By default, it is this process.

        The variable SUTURE_SESSION names it too. `audience` is the reader of the results: a model, or a person at the
        command line.
        """
        caller = session if isinstance(session, SessionInfo) else own_session(name=session)
        self._engine = Engine(root, settings, fs, audience, caller)

    @classmethod
    def find(
        cls,
        start: str | os.PathLike[str] = ".",
        settings: Settings | None = None,
        *,
        session: str | SessionInfo | None = None,
    ) -> Self:
        """The workspace that a folder is in, as the command line finds it.

        Its root is the nearest folder, from `start` upwards, with `.git`, `.jj` or a history; else `start` itself.
        Paths in calls are relative to the root, not to `start`.
        """
        from suture.files.root import find_root  # most programs name their root

        return cls(find_root(start).path, settings, session=session)

    @property
    def root(self) -> str:
        """The folder's full path."""
        return self._engine.root

    @property
    def settings(self) -> Settings:
        """The limits and permissions in force."""
        return self._engine.settings

    @property
    def session(self) -> SessionInfo:
        """The session that makes the changes."""
        return self._engine.caller

    def for_session(self, session: SessionInfo) -> Workspace:
        """The same workspace for another session, as a server with several clients needs it."""
        from copy import copy  # most workspaces have one session

        workspace = copy(self)
        workspace._engine = self._engine.for_session(session)  # noqa: SLF001  a copy of this one
        return workspace

    def call(self, name: str, arguments: object = None, *, progress: Progress | None = None) -> ToolResult:
        """Call a tool by name. Never raises: a failure is a result that says what to do about it.

        `progress` is called often, with the numbers of files walked over and of matches found since the last time,
        which may be 0. It may raise `errors.Cancelled`, which ends a call that has not begun to write.
        """
        return self._call_safely(str(name), lambda: self._answer(find(str(name)), arguments, progress))

    def handle(self, tool_call: object, tools: str | Iterable[str] | None = None) -> Any:
        """Make a call in the form of a model's API, and return the message to send back.

        Takes a dictionary or an object of the API's SDK: Anthropic's `tool_use`, a tool call of OpenAI's Chat
        Completions or Responses, Gemini's function call, MCP's `tools/call`. An invalid name or argument is reported
        to the model; ValueError or TypeError if `tool_call` is not a tool call. `tools` are the tools that may be
        called, as for `definitions` (default: all). The message has up to `max_answer_chars` of the result.
        """
        from suture.apis import handle  # most programs do not need it

        return handle(self._restricted_call(tools), tool_call, self.settings.max_answer_chars)

    def handle_all(self, reply: object, tools: str | Iterable[str] | None = None) -> list[Any]:
        """Make all calls in a model's reply, in order, and return the messages to send back; none if it has no calls.

        Takes the whole reply, as a dictionary or an object of the API's SDK, or a list of its items. A call that was
        truncated by the length limit of the reply or by a filter is not made. `tools` is as for `handle`, and so is the
        length of each result.
        """
        from suture.apis import handle_all  # most programs do not need it

        return handle_all(self._restricted_call(tools), reply, self.settings.max_answer_chars)

    def _restricted_call(self, tools: str | Iterable[str] | None) -> Callable[[str, object], ToolResult]:
        """`call`, restricted to these tools."""
        if tools is None:
            return self.call
        from suture.tools import choose, unknown_tool

        names = choose(tools) if isinstance(tools, str) else choose(names=tools)

        def call(name: str, arguments: object) -> ToolResult:
            return self.call(name, arguments) if name in names else ToolResult.failed(unknown_tool(name, names))

        return call

    def _call_safely(self, name: str, answer: Callable[[], _Outcome]) -> ToolResult:
        """The result of a call; never raises."""
        try:
            return self._result(name, answer)
        except MemoryError:
            log.exception("call", "%s needs too much memory", name)
            return ToolResult.failed(OutOfMemory(), self._engine.audience)
        except Exception as error:  # noqa: BLE001  the one broad handler of this surface
            log.exception("call", "%s failed", name)
            problem = InternalError(exception=f"{type(error).__name__}: {error}")
            return ToolResult.failed(problem, self._engine.audience)

    def _result(self, name: str, answer: Callable[[], _Outcome]) -> ToolResult:
        recovered, trouble = None, None
        try:
            recovered = self._engine.recover(wait=False)
            outcome, recovered_too, trouble = answer()
            recovered = recovered or recovered_too
            result = ToolResult.of(outcome)
        except SutureError as error:
            result = ToolResult.failed(error, self._engine.audience)
        log.debug("call", "%s: %s", name, result.metadata["error"]["code"] if result.is_error else "done")
        if trouble is not None:
            result = _add_note(result, "history", wording.trouble_data(trouble), wording.trouble_text(trouble))
        if (problem := self._engine.take_start_problem()) is not None:
            words = f"At the start of this session: {wording.message(problem)}"
            result = _add_note(result, "checkpoint", {"code": problem.code}, words)
        if recovered is None:
            return result
        if (lost := recovered.trouble) is not None:
            words = wording.trouble_text(lost, "The interrupted transaction, which is finished now,")
            result = _add_note(result, "history", wording.trouble_data(lost), words)
        return _add_note(result, "recovered", wording.recovered_data(recovered), wording.recovered_text(recovered))

    def read(self, file_path: Path, offset: int = 1, limit: int = 2_000) -> ToolResult:
        """Read lines of a text file, or list a folder."""
        return self.call("read", _arguments(locals()))

    def edit(
        self,
        file_path: Path | None = None,
        old_string: str | None = None,
        new_string: str | None = None,
        *,
        replace_all: bool = False,
        line: int | None = None,
        edits: list[dict[str, Any]] | None = None,
        literal: bool = False,
    ) -> ToolResult:
        """Replace a text in a file, or make several edits of one or more files: all of them or none."""
        return self.call("edit", _arguments(locals()))

    def write(
        self,
        file_path: Path,
        content: str | None = None,
        *,
        move_to: Path | None = None,
        delete: bool = False,
        literal: bool = False,
    ) -> ToolResult:
        """Write a whole file, or move or delete a file or folder."""
        return self.call("write", _arguments(locals()))

    def grep(
        self,
        pattern: str,
        path: Path | None = None,
        glob: str | None = None,
        output_mode: str = "files_with_matches",
        context: int = 0,
        *,
        ignore_case: bool = False,
        multiline: bool = False,
        head_limit: int = 100,
        include_ignored: bool = False,
    ) -> ToolResult:
        """Search files for a regular expression: the files that match, their lines, or the number of matches."""
        return self.call("grep", _arguments(locals()))

    def glob(
        self, pattern: str, path: Path | None = None, head_limit: int = 200, *, include_ignored: bool = False
    ) -> ToolResult:
        """List the files that match a glob."""
        return self.call("glob", _arguments(locals()))

    def replace_in_files(
        self,
        old: str,
        new: str,
        glob: str | None = None,
        *,
        regex: bool = False,
        whole_word: bool = False,
        dry_run: bool = False,
        path: Path | None = None,
    ) -> ToolResult:
        """Replace a text, or the matches of a regular expression, in all files that match a glob."""
        return self.call("replace_in_files", _arguments(locals()))

    def file_read(
        self,
        path: Path,
        start_line: int = 1,
        end_line: int | None = None,
        *,
        format: str = "numbered",  # noqa: A002  the tool's own argument name
        encoding: str | None = None,
    ) -> ToolResult:
        """Read a text file, whole or a range of lines."""
        return self.call("file_read", _arguments(locals()))

    def file_edit(
        self,
        path: Path,
        edits: list[dict[str, Any]],
        *,
        dry_run: bool = False,
        encoding: str | None = None,
        expect_hash: str | dict[str, str] | None = None,
        validate: str = "off",
        literal: bool = False,
    ) -> ToolResult:
        """Replace exact texts in a file, in order, each as often as expected; all of them or none."""
        return self.call("file_edit", _arguments(locals()))

    def patch(
        self,
        path: Path,
        patches: list[dict[str, Any]],
        match: str = "lenient",
        *,
        dry_run: bool = False,
        encoding: str | None = None,
        expect_hash: str | dict[str, str] | None = None,
        validate: str = "off",
        literal: bool = False,
    ) -> ToolResult:
        """Apply patches to a text file, all of them or none; see `docs/spec/TOOLS.md` for their fields."""
        return self.call("patch", _arguments(locals()))

    def apply_reply(
        self,
        reply: str,
        *,
        atomic: bool = False,
        dry_run: bool = False,
        only: Iterable[str] | None = None,
        whole_files: bool = False,
        match: str = "lenient",
        validate: str = "off",
        default_path: Path | None = None,
        expect_hash: str | dict[str, str] | None = None,
        literal: bool = False,
    ) -> ToolResult:
        """Apply the changes in a model's reply, in any supported format; see `docs/spec/TOOLS.md`."""
        only = None if only is None else list(only)
        return self.call("apply_reply", _arguments(locals()))

    def safe_edit(
        self,
        path: Path,
        *,
        mode: str = "strict",
        show_diff: bool = True,
        content: str | None = None,
        line_edits: list[Any] | None = None,
        search_replace: Any = None,
        encoding: str | None = None,
        expect_hash: str | dict[str, str] | None = None,
        validate: str = "new",
        literal: bool = False,
    ) -> ToolResult:
        """Replace a file's content, lines or text, and write the file only if it passes the checks.

        Line edits and the search are dictionaries, or models such as `LineEdit` and `SearchReplace`.
        """
        return self.call("safe_edit", _arguments(locals()))

    def regex_search(
        self,
        file_path: Path,
        pattern: str,
        flags: str | None = None,
        context_before: int = 0,
        context_after: int = 0,
        max_matches: int | None = None,
        binary_check_buffer_size: int | None = None,
        *,
        encoding: str | None = None,
    ) -> ToolResult:
        """Find the matches of a regular expression in one file; `data` is the list of them."""
        return self.call("regex_search", _arguments(locals()))

    def regex_search_multi(
        self,
        path_pattern: str,
        pattern: str,
        flags: str | None = None,
        context_before: int = 0,
        context_after: int = 0,
        max_matches: int | None = None,
        exclude: Iterable[str] = (),
        binary_check_buffer_size: int | None = None,
        *,
        include_ignored: bool = False,
    ) -> ToolResult:
        """Find the matches of a regular expression in the files that match a glob."""
        return self.call("regex_search_multi", _arguments(locals()))

    def regex_replace(
        self,
        file_path: Path,
        pattern: str,
        replacement: str,
        flags: str | None = None,
        context_before: int = 0,
        context_after: int = 0,
        *,
        dry_run: bool = False,
        max_replacements: int | None = None,
        binary_check_buffer_size: int | None = None,
        allow_over_match: bool = False,
        encoding: str | None = None,
        expect_hash: str | dict[str, str] | None = None,
        validate: str = "off",
    ) -> ToolResult:
        """Replace the matches of a regular expression in one file."""
        return self.call("regex_replace", _arguments(locals()))

    def regex_replace_multi(
        self,
        path_pattern: str,
        pattern: str,
        replacement: str,
        flags: str | None = None,
        context_before: int = 0,
        context_after: int = 0,
        *,
        dry_run: bool = False,
        max_replacements: int | None = None,
        exclude: Iterable[str] = (),
        binary_check_buffer_size: int | None = None,
        include_ignored: bool = False,
        allow_over_match: bool = False,
        expect_hash: str | dict[str, str] | None = None,
        validate: str = "off",
    ) -> ToolResult:
        """Replace the matches of a regular expression in the files that match a glob, all of them or none."""
        return self.call("regex_replace_multi", _arguments(locals()))

    def regex_extract(
        self,
        file_path: Path,
        pattern: str,
        flags: str | None = None,
        max_matches: int | None = None,
        binary_check_buffer_size: int | None = None,
        *,
        encoding: str | None = None,
    ) -> ToolResult:
        """Extract the groups of a regular expression's matches in one file."""
        return self.call("regex_extract", _arguments(locals()))

    def regex_match_lines(
        self,
        file_path: Path,
        pattern: str,
        flags: str | None = None,
        *,
        invert: bool = False,
        max_lines: int | None = None,
        binary_check_buffer_size: int | None = None,
        encoding: str | None = None,
        format: str = "json",  # noqa: A002  the tool's own argument name
    ) -> ToolResult:
        """Find the lines of one file that match a regular expression, or those that do not match."""
        return self.call("regex_match_lines", _arguments(locals()))

    def regex_split(
        self,
        file_path: Path,
        pattern: str,
        flags: str | None = None,
        max_splits: int | None = None,
        binary_check_buffer_size: int | None = None,
        *,
        encoding: str | None = None,
    ) -> ToolResult:
        """Split the content of one file where a regular expression matches."""
        return self.call("regex_split", _arguments(locals()))

    def undo(
        self,
        change_id: str | None = None,
        *,
        dry_run: bool = False,
        list: bool = False,  # noqa: A002  the tool's own argument name
        session: str | None = None,
        partly: bool = False,
    ) -> ToolResult:
        """Undo a change (default: this session's newest), keeping later work; with `list`, list the last ones instead.

        With `session`, undo all changes of a session; if one conflicts, undo none or, with `partly`, the others.
        """
        return self.call("undo", _arguments(locals()))

    def redo(self, change_id: str | None = None, *, dry_run: bool = False) -> ToolResult:
        """Reapply an undone change (default: the most recently undone)."""
        return self.call("redo", _arguments(locals()))

    def history(
        self, path: str | None = None, limit: int = 20, before: str | None = None, session: str | None = None
    ) -> ToolResult:
        """List the changes, newest first; with `session`, only those of a session or an agent."""
        return self.call("history", _arguments(locals()))

    def show(self, change_id: str) -> ToolResult:
        """Show a change and its diff."""
        return self.command("show", {"change_id": change_id})

    def restore(
        self,
        to: str | None = None,
        paths: Iterable[str] = (),
        *,
        dry_run: bool = False,
        yes: bool = False,
        deletions: Iterable[str] | None = None,
        any_head: bool = False,
        during_git: bool = False,
    ) -> ToolResult:
        """Restore files to a checkpoint, to the state after a change, or to the last recorded state, as a new change.

        Files created since a checkpoint are deleted only with `yes`, or if all of them are in `deletions`.
        """
        paths, deletions = list(paths), None if deletions is None else list(deletions)
        return self.command("restore", _arguments(locals()))

    def checkpoint(self, name: str | None = None) -> ToolResult:
        """Take a checkpoint of all files, and record what other programs changed since the last one."""
        return self.command("checkpoint", {"name": name})

    def checkpoints(self) -> ToolResult:
        """List the checkpoints."""
        return self.command("checkpoints", {})

    def clipboards(self, session: str | None = None) -> ToolResult:
        """List the clipboards of a session (default: this one), newest first, and where their texts came from."""
        return self.command("clipboards", {"session": session or self.session.id})

    def clear_clipboards(self, names: Iterable[str] = (), session: str | None = None) -> ToolResult:
        """Remove clipboards of a session (default: this one), by name or all."""
        return self.command("clear_clipboards", {"names": list(names), "session": session or self.session.id})

    def forget(self, targets: Iterable[str], *, dry_run: bool = False) -> ToolResult:
        """Remove all recorded contents of files or folders, or those of changes, from the history for good.

        The changes stay in the history, but these contents can no longer be shown or restored.
        """
        return self.command("forget", {"targets": list(targets), "dry_run": dry_run})

    def command(self, name: str, arguments: object) -> ToolResult:
        """Like `call`, but also calls the tools that are for the command line only."""
        return self._call_safely(name, lambda: self._answer(command(name), arguments))

    def watch(self, progress: Progress) -> None:
        """Set the function that later calls over many files call with their progress, as in `call`."""
        self._engine.progress = progress

    def transaction(self, summary: str = "") -> Transaction:
        """Changes to several files that land together, or not at all, at the end of the `with` block."""
        return Transaction(self._engine, summary)

    def recording(self, summary: str) -> Recording:
        """Record what other programs change in a `with` block as one change, after taking a checkpoint.

        Afterwards, the attribute `change` of the returned object is that change, or None. Raises SutureError if the
        checkpoint cannot be taken, or the change cannot be recorded.
        """
        from suture.engine.checkpoint import Recording  # most callers need none of it

        return Recording(self._engine.session, self.settings, summary)

    def begin_session(self) -> None:
        """Take a checkpoint in the background, for an agent whose session begins; calls that write wait for it."""
        self._engine.begin_session()

    def recover(self) -> Recovered | None:
        """Recover from an interrupted transaction; every call does this by itself."""
        return self._engine.recover()

    def close(self) -> None:
        """Close what is open between calls, such as the history's database; a later call reopens it."""
        self._engine.close()

    def _answer(self, spec: ToolSpec, arguments: object, progress: Progress | None = None) -> _Outcome:
        checked: Mapping[str, Any] = {}
        try:
            with suspend() if spec.own_clock else within(self.settings):
                checked = self._check_arguments({} if arguments is None else arguments)
                return self._run(spec, spec.request.parse(checked), progress)
        except (SutureError, MemoryError) as error:
            problem = OutOfMemory() if isinstance(error, MemoryError) else error
            audience = self._audience(spec) or self._engine.audience
            if spec.explain is not None:
                return spec.explain(checked, problem, audience), None, None
            failed = ToolResult.failed(problem, audience)
            return Answer(failed.text, failed.metadata, is_error=True), None, None

    def _audience(self, spec: ToolSpec) -> Audience | None:
        """The tool's own reader; at a terminal, a person reads the answers of all tools."""
        return None if self._engine.audience.prints_data else spec.audience

    def _run(self, spec: ToolSpec, request: Request, progress: Progress | None) -> _Outcome:
        if spec.read is not None:
            with (
                self._engine.session(progress, self._audience(spec)) as session,
                session.locked() if spec.locked else nullcontext(),
            ):
                check_time()
                return spec.read(session, request), None, None
        assert spec.plan is not None  # noqa: S101  a tool reads or plans
        proposed: list[Proposal] = []
        expected, level = getattr(request, "expect_hash", None), getattr(request, "validate", "off")

        def propose(session: Session) -> Plan:
            try:
                proposal: Proposal = spec.plan(session, request)  # type: ignore[misc]  # checked above
                _check_hashes(expected, proposal.plan)
            except FileChanged as error:
                session.explain_change(error)
                raise
            if level != "off" and not proposal.checked:
                from suture.tools.check import gate_proposal  # most calls request no checks

                proposal = gate_proposal(session, proposal, level)
            proposed.append(proposal)
            return proposal.plan

        if getattr(request, "dry_run", False):
            with self._engine.session(progress, self._audience(spec)) as session:
                session.check_permitted(propose(session))
                answer = _describe(proposed[-1], None)
                note = {"dry_run": True} if "dry_run" in request.arguments() else {}
                return answer.evolve(data=answer.data | note), None, None
        replan, audience = expected is None, self._audience(spec)
        landing = self._engine.land(propose, replan=replan, serial=spec.serial, progress=progress, audience=audience)
        with (
            suspend(),
            within(self.settings),
        ):  # with time of its own: a change that landed is not reported as a failure
            return _describe_landed(proposed[-1], landing.change), landing.recovered, landing.trouble

    def _check_arguments(self, arguments: Any) -> Mapping[str, Any]:
        if hasattr(arguments, "model_dump"):  # a pydantic model, such as `SafeEditInput`
            arguments = arguments.model_dump()
        if not isinstance(arguments, dict):
            raise InvalidArguments.of("(all)", "expected an object of arguments")
        check_limit("The request", _text_size(arguments), self.settings, "max_request_bytes")
        return arguments


def _describe_landed(proposal: Proposal, change: Change | None) -> Answer:
    """A tool's answer for a plan that landed; a brief one if there is no time or memory left to show the changes."""
    try:
        return _describe(proposal, change)
    except (Overrun, MemoryError) as error:
        if change is None:
            raise
        left = "memory" if isinstance(error, MemoryError) else "time"
        note = f"There was no {left} left to show what changed."
        files = [{"path": file.to or file.path, "action": file.action, "hash": file.after} for file in change.files]
        data = {"change_id": change.id, "files": files, "diff": "", "warnings": [note]}
        return Answer(f"Done: {proposal.plan.summary} (change {change.id}). {note}", data)


def _describe(proposal: Proposal, change: Change | None) -> Answer:
    """A tool's answer for its plan, with `no_change` if the plan leaves every file unchanged."""
    answer = proposal.describe(change)
    plan = proposal.plan
    if change is not None or answer.is_error or not plan.tool or plan.without_no_ops().changes:
        return answer
    return answer.evolve(data={**answer.data, "no_change": True})


def _arguments(arguments: dict[str, Any]) -> dict[str, Any]:
    """A method's arguments in the form that its tool takes."""
    del arguments["self"]
    return {name: list(value) if isinstance(value, tuple) else _plain(value) for name, value in arguments.items()}


def _plain(value: Any) -> Any:
    """A value in the form that tools take: models as objects, alone or in a list."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value.model_dump() if hasattr(value, "model_dump") else _path_text(value)


def _path_text(path: Any) -> Any:
    """A path in the form that tools take; other values are unchanged, and the tool refuses them."""
    return fspath(path) if hasattr(path, "__fspath__") else path


def _add_note(result: ToolResult, key: str, data: dict[str, Any], words: str) -> ToolResult:
    """The result with one more note."""
    return result.evolve(notes=(*result.notes, words), metadata={**result.metadata, key: data})


def _check_hashes(expected: str | dict[str, str] | None, plan: Plan) -> None:
    """Refuse a plan if a file does not have the hash that the caller expects."""
    from suture.tools.results import check_hash  # reading tools need none

    for change in plan.changes:
        check_hash(expected, change.place.name, getattr(change, "before", None))


def _text_size(value: object) -> int:
    """The size of the texts in a request, without copying them."""
    total, values, stack = 0, 0, [value]
    while stack:
        item = stack.pop()
        values += 1
        if values > _MAX_VALUES:  # it may contain itself
            raise InputTooLarge(what="The request", size=values, limit=_MAX_VALUES, setting="", unit="values")
        if isinstance(item, str):
            total += len(item) if item.isascii() else len(item.encode("utf-8", "surrogatepass"))
        elif isinstance(item, dict):
            stack.extend((*item.keys(), *item.values()))
        elif isinstance(item, list | tuple):
            stack.extend(item)
    return total
