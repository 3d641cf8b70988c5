"""The command `run`: run a command, and record what it changes as one change.

The command gets this process's standard streams, and what a terminal sends to both of them. SIGTERM and SIGHUP, which
are sent to this process only, are passed on.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress

from suture.audience import TERMINAL
from suture.cli.output import at_root, note, print_json, refuse, refuse_for, report_misuse
from suture.errors import SutureError
from suture.wording import count, error_text
from suture.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence
    from types import FrameType
    from typing import Any

    from suture.engine.checkpoint import Recording

NOT_RUN, NOT_EXECUTABLE, NOT_FOUND, KILLED = 125, 126, 127, 128
"""Exit codes, as those of `env` and of shells; to the last one the number of a signal is added."""
_FROM_TERMINAL = (signal.SIGINT, signal.SIGQUIT)
_TO_US_ONLY = (signal.SIGTERM, signal.SIGHUP)


def run(options: argparse.Namespace) -> int:
    """`suture run`."""
    words: list[str] = options.words[1:] if options.words[:1] == ["--"] else options.words
    if not words:
        return report_misuse("run", "expected a command, such as: suture run -- make format")
    from shlex import join

    recording: Recording | None = None
    code = NOT_RUN
    try:
        workspace = Workspace(options.root, options.settings, session=options.caller, audience=TERMINAL)
        with workspace.recording(join(words)) as recording:
            code = _run(words, {**os.environ, **_session_variable(workspace)})
    except SutureError as error:
        if recording is None or not recording.has_begun:
            refuse_for(error)
            note("The command was not run.")
            return NOT_RUN
        note(f"What the command changed could not be recorded. {error_text(error, TERMINAL)}")
    _report(options, recording, code)
    return code


def _session_variable(workspace: Workspace) -> Mapping[str, str]:
    """The session's name, if it has one, so that commands of suture in the command belong to it."""
    label = workspace.session.label
    return {"SUTURE_SESSION": label} if label else {}


def _run(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run a command to its end; returns its exit code."""
    from subprocess import Popen

    process: Popen[bytes] | None = None

    def pass_on(number: int, _: FrameType | None) -> None:
        if process is not None:
            with suppress(ProcessLookupError):
                process.send_signal(number)

    handlers: dict[int, Any] = {}
    with suppress(ValueError):  # not the main thread, which gets no signals
        for number in (*_FROM_TERMINAL, *_TO_US_ONLY):
            if signal.getsignal(number) != signal.SIG_IGN:  # a handler, unlike SIG_IGN, is not inherited
                handlers[number] = signal.signal(number, pass_on if number in _TO_US_ONLY else _ignore)
    try:
        process = Popen(words, env=dict(environment))  # noqa: S603  the command that the user gave
        code = process.wait()
    except OSError as error:
        refuse("NOT_STARTED", f"{words[0]}: {error.strerror}.")
        return NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_EXECUTABLE
    finally:
        for signal_number, handler in handlers.items():
            signal.signal(signal_number, handler)
    return code if code >= 0 else KILLED - code


def _ignore(_: int, __: FrameType | None) -> None:
    """Leave a signal to the command, which gets it from the terminal too."""


def _report(options: argparse.Namespace, recording: Recording | None, code: int) -> None:
    """Say what the command changed."""
    change = None if recording is None else recording.change
    withheld = () if recording is None else recording.withheld
    if options.json:
        files = [] if change is None else [{"path": file.path, "action": file.action} for file in change.files]
        change_id = None if change is None else change.id
        print_json({"exit_code": code, "change_id": change_id, "files": files, "withheld": list(withheld)})
        return
    if change is not None:
        changed = count(len(change.files), "file")
        note(f"{changed} changed (change {change.id}). To undo: suture undo {change.id}{at_root(options)}")
    if withheld:
        note(f"Also changed, but without their contents being kept, so this cannot be undone: {', '.join(withheld)}")
