"""Replacing a word in 1,000 files: `regex_replace_multi` against `rg -l | xargs sed -i`, and undoing it.

Every run has a fresh copy of the files, on the disk before it begins; suture's workspace has landed a change before,
so that its history exists. Each result, including `sed`'s, is compared byte by byte with the result of Python's `re`,
and the result of `undo` with the original files. `sed` does not keep the old content, and can leave the files half
changed.
"""

from __future__ import annotations

import gc
import os
import re
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.search.peers import SAME_FILES, ripgrep
from bench.search.trees import DJANGO, unpack, visible_files
from bench.table import comparison
from suture import Settings, Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.table import Samples, Table

    Contents = dict[str, bytes]
    Run = Callable[[Path], dict[str, float]]
    """Changes the files of a folder; returns the seconds of each step by name."""

FILES, ROUNDS = 1_000, 5
WORD = b"django"
TRIED_LAST = (".mo", ".gz", ".po")
"""Left out: the package's files with a NUL, and its translations, unless the other files are too few."""
SED = "rg -l | xargs sed -i"
SETTINGS = {
    "suture, fast": Settings(durability="fast"),
    "suture, fast, no history": Settings(durability="fast", history=False),
    "suture, full": Settings(durability="full"),
}
UNDONE = "undo of "


@dataclass(frozen=True)
class Case:
    """A replacement, for suture and for `sed -E`."""

    name: str
    pattern: str
    replacement: str
    script: str


CASES = (
    Case("a word", "django", "jangod", "s/django/jangod/g"),
    Case("captures", r"(\w+)\.django", "django.$1", r"s/([0-9A-Za-z_]+)\.django/django.\1/g"),
)


def tables(folder: Path) -> Iterator[Table]:
    """Times from the call, or the start of the processes, to the last write."""
    original = _sample(unpack(DJANGO, folder) / DJANGO.name)
    for case in CASES:
        yield _table(folder / case.name.replace(" ", "-"), case, original)


def _table(folder: Path, case: Case, original: Contents) -> Table:
    pattern = re.compile(case.pattern.encode())
    replacement = case.replacement.replace("$", "\\").encode()
    expected = {name: pattern.sub(replacement, content) for name, content in original.items()}
    contestants = {name: _ours(settings, case, original, expected) for name, settings in SETTINGS.items()}
    if _has_sed():
        contestants[SED] = _by_sed(case, expected)
    changed = sum(original[name] != content for name, content in expected.items())
    samples: Samples = {}
    for number in range(ROUNDS + 1):
        for at, (name, run) in enumerate(contestants.items()):
            place = folder / f"{number}-{at}"
            _copy(original, place)
            for what, seconds in run(place).items():
                samples.setdefault(what.format(name), []).extend([seconds] * (number > 0))
    size = sum(map(len, original.values()))
    return comparison(
        f"Replacing {case.name} in {changed:,} of {len(original):,} files, {size / 1e6:.1f} MB ({ROUNDS} rounds)",
        samples,
        against=[SED],
        goals={"suture, fast": "<= 1.3"},
        notes=[
            f"{DJANGO.name} {DJANGO.version}, files with the word '{WORD.decode()}'; pattern {case.pattern}",
            "all results equal byte for byte, and after undo equal to the files before",
        ],
    )


def _sample(root: Path) -> Contents:
    """Files with the word: all but translations, and as many of those as are missing."""
    names = sorted(visible_files(root, TRIED_LAST)) + sorted(
        name for name in visible_files(root, ()) if name.endswith(".po")
    )
    contents = ((name, Path(root, name).read_bytes()) for name in names)
    sample = [(name, content) for name, content in contents if WORD in content][:FILES]
    if len(sample) < FILES:
        raise SystemExit(f"only {len(sample)} files of {DJANGO.name} hold the word '{WORD.decode()}'")
    return dict(sample)


def _copy(contents: Contents, folder: Path) -> None:
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    os.sync()


def _ours(settings: Settings, case: Case, original: Contents, expected: Contents) -> Run:
    arguments = {"path_pattern": "**/*", "pattern": case.pattern, "replacement": case.replacement, "flags": "g"}

    def run(folder: Path) -> dict[str, float]:
        workspace = Workspace(folder, settings)
        first = {"path": "first.txt", "edits": [{"old_text": "one", "new_text": "two"}]}
        (folder / "first.txt").write_text("one\n")
        _call(workspace, "file_edit", first)
        seconds = {"{}": _measure(lambda: _call(workspace, "regex_replace_multi", arguments))}
        _require_equal(folder, expected)
        if settings.history:
            seconds[f"{UNDONE}{{}}"] = _measure(lambda: _call(workspace, "undo", {}))
            _require_equal(folder, original)
        workspace.close()
        return seconds

    return run


def _by_sed(case: Case, expected: Contents) -> Run:
    def run(folder: Path) -> dict[str, float]:
        seconds = _measure(lambda: _sed(folder, case))
        _require_equal(folder, expected)
        return {"{}": seconds}

    return run


def _sed(folder: Path, case: Case) -> None:
    """Two processes connected by a pipe, as a shell would start them."""
    pattern = case.pattern.replace("\\w", "[0-9A-Za-z_]")
    search_command = [ripgrep(), *SAME_FILES, "--files-with-matches", "--null", "-e", pattern, "./"]
    replace_command = ["xargs", "-0", "sed", "-i", "-E", case.script]
    with subprocess.Popen(search_command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as search:
        subprocess.run(replace_command, cwd=folder, stdin=search.stdout, check=True)


def _has_sed() -> bool:
    """Whether GNU sed is available, whose `-i` needs no suffix for a backup."""
    if shutil.which("sed") is None or shutil.which("xargs") is None:
        return False
    return b"GNU" in subprocess.run(["sed", "--version"], capture_output=True, check=False).stdout


def _require_equal(folder: Path, expected: Contents) -> None:
    wrong = [name for name, content in expected.items() if (folder / name).read_bytes() != content]
    if wrong:
        raise SystemExit(f"{folder}: {len(wrong)} files are not as they should be, the first is {wrong[0]}")


def _measure(run: Callable[[], object]) -> float:
    gc.collect()
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def _call(workspace: Workspace, name: str, arguments: dict[str, Any]) -> None:
    result = workspace.call(name, arguments)
    if result.is_error:
        raise SystemExit(f"{name} failed: {result.text}")
