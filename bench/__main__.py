"""`python -m bench [SUBJECT …]`: run the benchmarks and print tables."""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
from pathlib import Path

from bench import (
    bases,
    checkpoints,
    commit,
    diff,
    file_edit,
    history,
    mcp,
    memory,
    merge,
    read,
    replace,
    reply,
    safe,
    sequence,
    startup,
    syntax,
    validators,
)
from bench.cost import compare as cost
from bench.editbench import run as editbench
from bench.search import run as search

SUBJECTS = {
    "startup": startup.tables,
    "commit": commit.tables,
    "diff": diff.tables,
    "memory": memory.tables,
    "merge": merge.tables,
    "history": history.tables,
    "checkpoints": checkpoints.tables,
    "bases": bases.tables,
    "read": read.tables,
    "sequence": sequence.tables,
    "file_edit": file_edit.tables,
    "search": search.tables,
    "mcp": mcp.tables,
    "cost": cost.tables,
    "replace": replace.tables,
    "reply": reply.tables,
    "safe": safe.tables,
    "syntax": syntax.tables,
    "validators": validators.tables,
    "editbench": editbench.tables,
}


def main() -> None:
    """Run the chosen subjects one after the other, each in its own folder."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure suture side by side with peers.")
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help=f"some of: {', '.join(SUBJECTS)}; else all")
    parser.add_argument("--dir", type=Path, default=Path(), help="make test files below here: a real disk, not tmpfs")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of tables")
    options = parser.parse_args()
    if unknown := set(options.subjects) - SUBJECTS.keys():
        parser.error(f"no such subject: {', '.join(sorted(unknown))}")

    documents = []
    if not options.json:
        print(_machine())
    for name in options.subjects or SUBJECTS:
        with tempfile.TemporaryDirectory(prefix=".bench-", dir=options.dir) as folder:
            os.environ["XDG_STATE_HOME"] = str(Path(folder).resolve() / "state")  # keeps histories there too
            for table in SUBJECTS[name](Path(folder).resolve()):
                documents.append({"subject": name, **table.data()})
                if not options.json:
                    print(f"\n{table.text()}", flush=True)
    if options.json:
        print(json.dumps({"machine": _machine(), "tables": documents}, indent=2))


def _machine() -> str:
    load = ", ".join(f"{average:.1f}" for average in os.getloadavg())
    return f"Python {platform.python_version()}, {platform.platform()}, {os.cpu_count()} CPUs, load {load}"


if __name__ == "__main__":
    main()
