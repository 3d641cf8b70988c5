"""`python -m bench.cost`: what ten tasks cost a model with suture and with other servers."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from bench.cost import compare, report
from bench.cost.tasks import TASKS


def main() -> None:
    """Run the chosen contestants and print tables, or the transcripts of a task."""
    parser = argparse.ArgumentParser(prog="python -m bench.cost", description="What editing tasks cost a model.")
    names = [contestant.name for contestant in compare.ALL]
    parser.add_argument("--only", metavar="NAME", action="append", choices=names, help=f"one of: {', '.join(names)}")
    parser.add_argument("--show", metavar="TASK", choices=[task.name for task in TASKS], help="print every request")
    options = parser.parse_args()
    chosen = [contestant for contestant in compare.ALL if contestant.name in (options.only or names)]
    with tempfile.TemporaryDirectory(prefix="bench-cost-") as folder:
        results, notes = compare.run_all(chosen, Path(folder).resolve())
    if options.show:
        print("\n\n".join([*(report.transcript(result, options.show) for result in results), *notes]))
    else:
        print("\n\n".join(table.text() for table in report.tables(results, notes)))


if __name__ == "__main__":
    main()
