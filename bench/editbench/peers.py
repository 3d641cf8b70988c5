"""Other editors on the same tasks, each in its own environment in the cache folder.

A peer that can't be installed in time is left out, with a note. Any exception counts as a refusal.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench.editbench.run import REFUSED, RIGHT, WRONG, Reply, judge
from bench.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bench.editbench.run import Result
    from bench.editbench.tasks import Task
    from bench.table import Cell

INSTALL_SECONDS = 600
RUN_SECONDS = 1_800
VERDICTS = (RIGHT, WRONG, REFUSED)


@dataclass(frozen=True)
class Peer:
    """An editor on PyPI."""

    name: str
    package: str
    version: str
    python: str = sys.executable
    from_source: tuple[str, ...] = ()
    """Packages without a wheel."""


OPENHANDS = Peer("openhands", "openhands-aci", "0.3.3", "python3.12")
PEERS = (Peer("aider", "aider-chat", "0.86.2"), OPENHANDS, Peer("mpatch", "mpatch", "1.8.1"))
WORKER = Path(__file__).with_name("peer_worker.py")


class Unavailable(Exception):
    """A peer that can't be run here."""


def table(tasks: Sequence[Task], results: Sequence[Result], cache: Path) -> Table:
    """Right, wrong and refused, side by side."""
    rows, notes = [_row("suture", results)], []
    for peer in PEERS:
        try:
            rows.append(_row(f"{peer.package} {peer.version}", _results(peer, tasks, cache)))
        except Unavailable as error:
            notes.append(f"{peer.package} {peer.version} left out: {error}")
    head = ["", *(f"{verdict} %" for verdict in VERDICTS), "refused rightly %", "falsely applied %"]
    notes.append("the first three: of the edits to apply; the last two: of those to refuse, for whatever reason")
    return Table(f"Editors side by side over {len(tasks):,} tasks", head, rows, notes)


def _row(name: str, results: Sequence[Result]) -> list[Cell]:
    to_apply = [result for result in results if result.task.expected and not result.task.open]
    to_refuse = [result for result in results if not result.task.expected]
    shares = [_percent(sum(result.verdict == verdict for result in to_apply), len(to_apply)) for verdict in VERDICTS]
    wrong = sum(result.verdict == WRONG for result in to_refuse)
    return [name, *shares, _percent(len(to_refuse) - wrong, len(to_refuse)), _percent(wrong, len(to_refuse))]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else "-"


def _results(peer: Peer, tasks: Sequence[Task], cache: Path) -> list[Result]:
    python = install(peer, cache)
    requests = "".join(
        json.dumps({"body": task.body.decode(), "old": task.old, "new": task.new}) + "\n" for task in tasks
    )
    command = [python, str(WORKER), peer.name]
    try:
        process = subprocess.run(
            command, input=requests.encode(), capture_output=True, timeout=RUN_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise Unavailable(f"not done after {RUN_SECONDS} seconds") from None
    replies = [json.loads(line)["after"] for line in process.stdout.splitlines()]
    if len(replies) != len(tasks):
        raise Unavailable(f"answered {len(replies)} of {len(tasks)} tasks: {process.stderr.decode()[-200:].strip()}")
    return [_judge_text(task, after) for task, after in zip(tasks, replies, strict=True)]


def _judge_text(task: Task, after: str | None) -> Result:
    """The verdict; an unchanged file counts as a refusal."""
    raw = None if after is None else after.encode("utf-8", "surrogatepass")
    return judge(task, Reply(None if raw == task.body else raw), 0)


def install(peer: Peer, cache: Path) -> str:
    """The Python of the peer's environment, which is created if missing."""
    folder = cache / f"peer-{peer.name}-{peer.version}"
    python, ready = folder / "bin" / "python", folder / "ready"
    if ready.exists():
        return str(python)
    base = shutil.which(peer.python)
    if base is None or subprocess.run([base, "-c", ""], capture_output=True, check=False).returncode:
        raise Unavailable(f"it needs {Path(peer.python).name} on the PATH")
    wheels = ["--only-binary", ":all:", *(option for name in peer.from_source for option in ("--no-binary", name))]
    _run_installer([base, "-m", "venv", "--clear", str(folder)])
    _run_installer([str(python), "-m", "pip", "install", "-q", *wheels, f"{peer.package}=={peer.version}"])
    ready.touch()
    return str(python)


def install_npm(package: str, version: str, cache: Path, overrides: Mapping[str, str] | None = None) -> Path:
    """The folder of a package from npm, installed if missing. `overrides` has versions for its dependencies."""
    place = cache / f"peer-{package.rpartition('/')[2]}-{version}"
    folder, ready = place / "node_modules" / package, place / "ready"
    if ready.exists():
        return folder
    if shutil.which("npm") is None or shutil.which("node") is None:
        raise Unavailable("it needs npm and node on the PATH")
    place.mkdir(parents=True, exist_ok=True)
    (place / "package.json").write_text(json.dumps({"private": True, "overrides": overrides or {}}))
    places = ["--prefix", str(place), "--cache", str(place / "npm")]
    flags = ["--silent", "--no-audit", "--no-fund", "--ignore-scripts"]
    _run_installer(["npm", "install", *flags, *places, f"{package}@{version}"])
    ready.touch()
    return folder


def _run_installer(command: Sequence[str]) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=INSTALL_SECONDS)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"not installed after {INSTALL_SECONDS} seconds") from None
    except subprocess.CalledProcessError as error:
        raise Unavailable(f"it could not be installed: {error.stderr.decode().strip()[-200:]}") from None
