"""`python -m bench.editbench`: generate tasks, run editors on them, print the results."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from bench.editbench import correct, peers, run, show, siblings, stale
from bench.editbench.corpus import PER_PACKAGE, cache_folder, installed_sources, package_sources
from bench.editbench.corruptions import KINDS
from bench.editbench.tasks import generate, make_task

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bench.editbench.corpus import Source
    from bench.editbench.tasks import Task
    from bench.table import Table

T = TypeVar("T", bound="Task")
HELD_OUT = (1001, 1002, 1003)
MANY = 400
"""Files of a package, where only few of them have what is looked for."""


def main() -> None:
    """Parse the options and run."""
    options = _options()
    results, tables = _run(options)
    if options.failures:
        show.dump((result for result in results if result.failed), options.failures)
    if options.json:
        print(json.dumps([table.data() for table in tables], indent=2))
        return
    for result in _results_to_show(options, results):
        print(f"{show.render(result)}\n")
    for table in tables:
        print(f"{table.text()}\n")


def _run(options: argparse.Namespace) -> tuple[Sequence[run.Result], list[Table]]:
    if options.siblings:
        orphans = _select(
            siblings.generate(_sources(options, MANY), options.seed, options.tasks, options.kinds), options
        )
        results = siblings.run(orphans)
        title = _title(options, "edits of functions that are gone", results)
        return results, [siblings.table(results, title), siblings.differences(results)]
    if options.stale:
        outdated = _select(stale.generate(_sources(options, MANY), options.seed, options.tasks, options.kinds), options)
        outcomes = stale.run(outdated)
        return outcomes, [stale.table(outcomes, _title(options, "edits of earlier versions", outcomes))]
    tasks = _tasks(options)
    return _run_correct(options, tasks) if options.correct else _run_apply(options, tasks)


def _select(tasks: Iterable[T], options: argparse.Namespace) -> list[T]:
    """The tasks, or the one that `--only` names."""
    return [task for task in tasks if options.only in {None, task.name}]


def _sources(options: argparse.Namespace, limit: int = PER_PACKAGE) -> tuple[Source, ...]:
    return installed_sources() if options.corpus == "installed" else package_sources(options.cache, limit)


def _run_apply(options: argparse.Namespace, tasks: Sequence[Task]) -> tuple[Sequence[run.Result], list[Table]]:
    results = run.run(tasks)
    tables = [run.table(results, _title(options, "corrupted edits", results))]
    if options.big or not (options.kinds or options.only or options.replay or options.show):
        tables.append(run.big_table())
    if options.peers:
        tables.append(peers.table(tasks, results, options.cache))
    return results, tables


def _run_correct(options: argparse.Namespace, tasks: Sequence[Task]) -> tuple[Sequence[run.Result], list[Table]]:
    results = correct.attempts(tasks)
    return results, [correct.table(results, _title(options, "edits by `file_edit`, corrected by its errors", results))]


def _title(options: argparse.Namespace, what: str, results: Sequence[run.Result]) -> str:
    seed = f"{options.seed}{' (held out)' * (options.seed in HELD_OUT)}"
    return f"{len(results):,} {what}, seed {seed}, corpus {options.corpus}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.editbench", description="Corrupted edits of real files.")
    add = parser.add_argument
    add("--seed", type=int, default=1, help="1 to 99 for development; 1001, 1002, 1003 are for the very end")
    add("--tasks", type=int, default=2_450, help="how many in all, the same number of each kind")
    add("--kinds", nargs="+", metavar="KIND", default=[], help="only these kinds")
    add("--list", action="store_true", help="list the kinds and what they mean")
    add("--corpus", choices=["packages", "installed"], default="packages", help="where the files come from")
    add("--cache", type=Path, default=cache_folder(), help="where packages and peers are kept")
    add("--only", metavar="KIND:INDEX", help="this task alone, shown in full")
    add("--show", nargs="+", metavar=("KIND", "N"), help="show N (5) failing tasks of a kind, or of `all`, in full")
    add("--wrong", action="store_true", help="with --show: those that went wrong, not those that were refused")
    add("--failures", type=Path, metavar="FILE", help="write all failing tasks to this file")
    add("--replay", type=Path, metavar="FILE", help="run the tasks of such a file instead")
    add("--correct", action="store_true", help="by `file_edit`, and what its error suggests, instead of by `locate`")
    add("--siblings", action="store_true", help="edits of a function that is gone, while one like it is there")
    add("--stale", action="store_true", help="edits of an earlier version of a file, by how that version is known")
    add("--peers", action="store_true", help="run other editors over the same tasks; installs them into the cache")
    add("--big", action="store_true", help="time a file of 200,000 lines even if only some tasks are run")
    add("--json", action="store_true", help="print JSON instead of tables")
    options = parser.parse_args()
    known = {name: (kind.corrupt.__doc__ or "").strip().splitlines()[0] for name, kind in KINDS.items()}
    if options.siblings:
        known = siblings.FORMS
    elif options.stale:
        known = stale.KINDS
    if options.list:
        parser.exit(message="".join(f"{name:42} {what}\n" for name, what in known.items()))
    if unknown := [name for name in options.kinds if name not in known]:
        parser.error(f"no such kind: {unknown[0]}; --list shows them")
    if options.replay and (options.siblings or options.stale):
        parser.error("--replay has no tasks of --siblings or --stale: run them by their seed, with --only")
    return options


def _tasks(options: argparse.Namespace) -> list[Task]:
    if options.replay:
        return show.load(options.replay)
    sources = _sources(options)
    if options.only:
        kind, _, index = options.only.partition(":")
        if kind not in KINDS or not index.isdigit():
            raise SystemExit("--only takes KIND:INDEX; --list shows the kinds")
        task = make_task(sources, kind, options.seed, int(index))
        return [task] if task else []
    return [*generate(sources, options.seed, options.tasks, options.kinds)]


def _results_to_show(options: argparse.Namespace, results: Sequence[run.Result]) -> list[run.Result]:
    if options.only:
        return list(results)
    if not options.show:
        return []
    kind, number = options.show[0], int([*options.show, "5"][1])
    failures = [result for result in results if (result.verdict == run.WRONG if options.wrong else result.failed)]
    return [result for result in failures if kind in {"all", result.task.kind}][:number]


if __name__ == "__main__":
    main()
