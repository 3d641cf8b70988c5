"""Start-up: suture's commands against the bare interpreter, and against the cost of importing other libraries.

All are processes of the same interpreter. Byte code is compiled first, as an installer would do: the environment may
forbid Python to write it, and then every start would compile the package again.
"""

from __future__ import annotations

import compileall
import json
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import suture
from bench.table import Table, comparison, measure_rounds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROUNDS = 40
BARE = "python -c pass"
LIBRARIES = ("argparse", "dataclasses", "click", "pydantic", "mcp")


def tables(folder: Path) -> Iterator[Table]:
    """Time of a whole process."""
    package = Path(suture.__file__).parent
    compileall.compile_dir(package, quiet=2)
    (folder / "small.txt").write_text("one\ntwo\nthree\n")
    ours = our_command()
    request = json.dumps({"path": "small.txt"})
    commands = {
        BARE: [sys.executable, "-c", "pass"],
        "suture --help": [*ours, "--help"],
        "suture call file_read": [*ours, "call", "file_read", request],
        **{
            f"python -c 'import {name}'": [sys.executable, "-c", f"import {name}"]
            for name in LIBRARIES
            if find_spec(name) is not None
        },
    }
    samples = measure_rounds({name: _process(command, folder) for name, command in commands.items()}, ROUNDS)
    yield comparison(
        f"Start-up ({ROUNDS} rounds)",
        samples,
        against=[BARE],
        goals={name: "< 2.5 x" for name in samples if name.startswith("suture")},
        notes=[f"byte code of {package} compiled before measuring; command: {' '.join(ours)}"],
    )


def our_command() -> list[str]:
    """The command that starts `suture`: its script, if installed."""
    script = Path(sysconfig.get_path("scripts")) / "suture"
    return [sys.executable, str(script)] if script.exists() else [sys.executable, "-m", "suture"]


def _process(command: list[str], folder: Path) -> Callable[[], object]:
    return lambda: subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=True)
