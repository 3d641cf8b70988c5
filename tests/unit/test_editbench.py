from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from bench.editbench import correct, run, siblings, stale
from bench.editbench.corpus import Source, installed_sources
from bench.editbench.corruptions import KINDS
from bench.editbench.functions import functions, pairs
from bench.editbench.show import dump, load
from bench.editbench.tasks import generate, make_task

SEED = 7
FOLDER = Path(run.__file__).parent
GENERATOR = [
    *("changes", "corpus", "corruptions", "functions", "kinds", "layout", "letters", "refusals", "rows", "tasks"),
    "words",
]
SOME = tuple(source for source in installed_sources() if source.name.startswith(("click/", "coverage/", "rich/")))
PYTHON = """\
class Cart:
    # The sum.
    @cached
    def total(
        self,
        rate: float,
    ) -> float:
        # With the tax.
        return self.net * rate

    def one(self): return 1


async def main():
    run()
"""
JAVASCRIPT = """\
class Cart {
  /** The sum. */
  total(rate) {
    const net = this.net
    return net * rate
  }
}

exports.main = function (
  argument
) {
  for (const each of argument) {
    run(each)
    stop(each)
  }
  return 1
}
"""
JAVA = """\
class Cart {
  // The sum.
  @Override
  double total(double rate) {
    double net = this.net;
    return net * rate;
  }
}
"""


def test_a_task_depends_on_kind_seed_and_index_only() -> None:
    names = ["exact", "typo_old", "three_at_once"]
    together = [*generate(installed_sources(), SEED, 6, names)]
    single = [make_task(installed_sources(), name, SEED, index) for name in names for index in range(2)]
    assert together == single
    assert together != [*generate(installed_sources(), SEED + 1, 6, names)]


def test_at_least_thirty_kinds_are_to_be_applied_and_nine_to_be_refused() -> None:
    refused = [kind for kind in KINDS.values() if kind.refuse]
    assert len(refused) >= 9
    assert len(KINDS) - len(refused) >= 30


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_finds_tasks_in_the_installed_corpus(name: str) -> None:
    task = make_task(installed_sources(), name, SEED, 0)
    assert task is not None
    assert (task.expected == ()) == KINDS[name].refuse
    assert task.old != task.new
    assert task.body not in task.expected


@pytest.mark.process
def test_the_generator_does_not_know_what_it_tests() -> None:
    names = ", ".join(f"bench.editbench.{name}" for name in [*GENERATOR, "correct", "run", "show", "siblings", "stale"])
    code = f"import sys, {names}; sys.exit(any(name.startswith('suture.match') for name in sys.modules))"
    subprocess.run([sys.executable, "-c", code], cwd=FOLDER.parent.parent, check=True)


def test_the_generator_imports_nothing_of_suture() -> None:
    for name in GENERATOR:
        tree = ast.parse((FOLDER / f"{name}.py").read_bytes())
        modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        modules += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
        assert [module for module in modules if module.split(".")[0] == "suture"] == []


def test_an_unspoiled_change_is_a_replacement_of_bytes() -> None:
    for task in generate(installed_sources(), SEED, 30, ["exact"]):
        assert task.expected == (task.body.replace(task.old.encode(), task.new.encode()),)


def test_lines_that_stay_keep_the_bytes_of_the_file() -> None:
    for task in generate(installed_sources(), SEED, 20, ["crlf_file"]):
        assert task.expected[0].count(b"\n") == task.expected[0].count(b"\r\n")
    for task in generate(installed_sources(), SEED, 20, ["stale_line", "trailing_space_file"]):
        gone = set(task.body.split(b"\n")) - set(task.expected[0].split(b"\n"))
        assert {line.rstrip() for line in gone} <= {line.rstrip().encode() for line in task.old.split("\n")}


def test_a_dump_can_be_replayed(tmp_path: Path) -> None:
    tasks = [*generate(installed_sources(), SEED, 3, ["exact", "nfd_file", "near_twins"])]
    dump(run.run(tasks), tmp_path / "tasks.json")
    assert load(tmp_path / "tasks.json") == tasks


@pytest.mark.slow
def test_suture_makes_no_wrong_edit_in_a_sample() -> None:
    results = run.run(generate(installed_sources(), SEED, 3 * len(KINDS)))
    wrong = [result.task.name for result in results if result.verdict == run.WRONG]
    assert wrong == []


@pytest.mark.slow
def test_corrections_sent_back_unread_land_right_and_never_wrongly_in_a_sample() -> None:
    results = correct.attempts(generate(installed_sources(), SEED, 140))
    unwanted = [result.task.name for result in results if result.verdict in {run.WRONG, correct.BROKEN}]
    spoiled = [result for result in results if result.task.expected and result.verdict in correct.AFTER_REFUSAL]
    right = sum(result.verdict == run.RIGHT for result in spoiled)
    assert unwanted == []
    assert right >= 0.9 * len(spoiled) > 50


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.py", PYTHON, [("total", "Cart", 1, 3, 7, 9), ("main", "", 13, 13, 14, 15)]),
        ("a.js", JAVASCRIPT, [("total", "Cart", 1, 2, 3, 6), ("exports.main", "", 8, 8, 11, 17)]),
        ("a.java", JAVA, [("total", "Cart", 1, 3, 4, 7)]),
        ("a.py", "def broken(:\n    pass\n", []),
        ("a.md", "# def none():\n", []),
    ],
)
def test_functions_are_found_with_what_is_above_them(
    name: str, text: str, expected: list[tuple[str, str, int, int, int, int]]
) -> None:
    rows = [
        (function.name, function.owner, function.first, function.head, function.body, function.stop)
        for function in functions(Source(name, text))
    ]
    assert sorted(rows, key=lambda function: function[2]) == expected


def test_a_sibling_has_six_in_ten_of_a_functions_lines() -> None:
    body = "    a = 1\n    b = 2\n    c = 3\n    d = 4\n"
    near, far = body.replace("4", "5"), body.replace("2", "6").replace("3", "7").replace("4", "8")
    source = Source("a.py", f"def one():\n{body}\n\ndef two():\n{near}\n\ndef three():\n{far}")
    assert [(pair.function.name, pair.sibling.name) for pair in pairs(source)] == [("one", "two"), ("two", "one")]


@pytest.mark.parametrize("form", siblings.FORMS)
def test_a_request_about_a_function_that_is_gone_is_not_in_the_rest_of_the_file(form: str) -> None:
    task = siblings.make_task(SOME, form, SEED, 0)
    assert task is not None
    text = task.old.removesuffix("\n")
    assert task.body.decode().count(text) == (form in siblings.EXACT)
    assert task.expected == ()
    assert text in next(source.text for source in SOME if source.name == task.source)
    assert task == siblings.make_task(SOME, form, SEED, 0)


@pytest.mark.slow
def test_no_edit_of_a_function_that_is_gone_lands_in_its_sibling() -> None:
    results = siblings.run(siblings.generate(SOME, SEED, 12 * len(siblings.FORMS)))
    assert len(results) == 12 * len(siblings.FORMS)
    assert [result.task.name for result in results if result.failed] == []


@pytest.mark.process
def test_a_stale_request_is_in_the_earlier_version_once_and_not_in_the_later_one() -> None:
    tasks = [*stale.generate(SOME, SEED, 24)]
    assert {task.kind for task in tasks} == {*stale.KINDS}
    for task in tasks:
        assert task.base.count(task.old.encode()) == 1
        assert task.old.encode() not in task.body
        assert task.body not in {task.base, *task.expected}
    assert tasks == [*stale.generate(SOME, SEED, 24)]


@pytest.mark.process
def test_a_landing_on_a_conflict_is_judged_by_the_lines_it_changes() -> None:
    base, later = b"one\ntwo\nthree\n", b"zero\none\n2\nthree\nend\n"
    task = stale.Stale("", 0, 0, "a.txt", "", later, "two\nthree\n", "two\n3\n", (), base=base, among=(2, 4))
    verdicts = {
        b"zero\none\n2\n3\nend\n": stale.TOUCHING,
        b"zero\none\n3\nend\n": run.WRONG,
        b"3\none\n2\nthree\nend\n": run.WRONG,
        later: run.RIGHT,
    }
    assert {after: stale.judge_file(task, after) for after in verdicts} == verdicts


@pytest.mark.process
def test_edits_of_an_earlier_version_that_is_known_are_merged_as_git_merges_them() -> None:
    results = stale.run([*stale.generate(SOME, SEED, 20 * len(stale.KINDS))])
    known = [result for result in results if result.task.expected and not result.task.kind.startswith("unknown")]
    assert [result.task.name for result in results if result.verdict == run.WRONG] == []
    assert sum(result.verdict == run.RIGHT for result in known) >= 0.95 * len(known) > 60
