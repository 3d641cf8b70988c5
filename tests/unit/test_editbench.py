from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from bench.editbench import correct, run
from bench.editbench.corpus import installed
from bench.editbench.show import dumped, loaded
from bench.editbench.spoils import KINDS
from bench.editbench.tasks import generated, made

SEED = 7
FOLDER = Path(run.__file__).parent
GENERATOR = ["changes", "corpus", "kinds", "layout", "marks", "refusals", "rows", "spoils", "tasks", "words"]


def test_a_task_depends_on_kind_seed_and_index_only() -> None:
    names = ["exact", "typo_old", "three_at_once"]
    together = [*generated(installed(), SEED, 6, names)]
    alone = [made(installed(), name, SEED, index) for name in names for index in range(2)]
    assert together == alone
    assert together != [*generated(installed(), SEED + 1, 6, names)]


def test_at_least_thirty_kinds_are_to_be_applied_and_nine_to_be_refused() -> None:
    refused = [kind for kind in KINDS.values() if kind.refuse]
    assert len(refused) >= 9
    assert len(KINDS) - len(refused) >= 30


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_finds_tasks_in_the_installed_corpus(name: str) -> None:
    task = made(installed(), name, SEED, 0)
    assert task is not None
    assert (task.expected == ()) == KINDS[name].refuse
    assert task.old != task.new
    assert task.body not in task.expected


def test_the_generator_does_not_know_what_it_tests() -> None:
    names = ", ".join(f"bench.editbench.{name}" for name in [*GENERATOR, "correct", "run", "show"])
    code = f"import sys, {names}; sys.exit(any(name.startswith('suture.locate') for name in sys.modules))"
    subprocess.run([sys.executable, "-c", code], cwd=FOLDER.parent.parent, check=True)


def test_the_generator_imports_nothing_of_suture() -> None:
    for name in GENERATOR:
        tree = ast.parse((FOLDER / f"{name}.py").read_bytes())
        modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        modules += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
        assert [module for module in modules if module.split(".")[0] == "suture"] == []


def test_an_unspoiled_change_is_a_replacement_of_bytes() -> None:
    for task in generated(installed(), SEED, 30, ["exact"]):
        assert task.expected == (task.body.replace(task.old.encode(), task.new.encode()),)


def test_lines_that_stay_keep_the_bytes_of_the_file() -> None:
    for task in generated(installed(), SEED, 20, ["crlf_file"]):
        assert task.expected[0].count(b"\n") == task.expected[0].count(b"\r\n")
    for task in generated(installed(), SEED, 20, ["stale_line", "trailing_space_file"]):
        gone = set(task.body.split(b"\n")) - set(task.expected[0].split(b"\n"))
        assert {line.rstrip() for line in gone} <= {line.rstrip().encode() for line in task.old.split("\n")}


def test_a_dump_can_be_replayed(tmp_path: Path) -> None:
    tasks = [*generated(installed(), SEED, 3, ["exact", "nfd_file", "near_twins"])]
    dumped(run.run(tasks), tmp_path / "tasks.json")
    assert loaded(tmp_path / "tasks.json") == tasks


def test_suture_makes_no_wrong_edit_in_a_sample() -> None:
    results = run.run(generated(installed(), SEED, 3 * len(KINDS)))
    wrong = [result.task.name for result in results if result.verdict == run.WRONG]
    assert wrong == []


def test_corrections_sent_back_unread_land_right_and_never_wrongly_in_a_sample() -> None:
    results = correct.attempts(generated(installed(), SEED, 140))
    unwanted = [result.task.name for result in results if result.verdict in {run.WRONG, correct.BROKEN}]
    spoiled = [result for result in results if result.task.expected and result.verdict in correct.AFTER_REFUSAL]
    right = sum(result.verdict == run.RIGHT for result in spoiled)
    assert unwanted == []
    assert right >= 0.9 * len(spoiled) > 50
