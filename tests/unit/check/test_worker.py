"""Checks in processes that can be killed."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from suture import Settings, Workspace
from suture.check import worker
from suture.check.gate import Subject, run_checks
from suture.check.issue import Issue, NotRunError
from suture.check.python import PythonSyntax
from suture.check.registry import FileCheck, answer, built_in
from suture.files.local_fs import Layout

pytestmark = pytest.mark.process

COMMA = Issue("error", 1, 3, "invalid-syntax", "Illegal trailing comma before ']'")
GREEDY = "%w(" * 1_300
"""4 KB for which the grammar of Java wants 600 MB."""
ENDLESS = "<?" * 15_000
"""30 KB for which the grammar of Zig takes more than 10 s."""
HOSTILE = {"A.java": "a<" * 30_000, "B.cs": "a<" * 50_000, "c.zig": ENDLESS}


@pytest.fixture(autouse=True)
def no_workers() -> Iterator[None]:
    """End all workers before and after a test."""
    worker.close()
    yield
    worker.close()


def check(name: str, text: str, seconds: float = 60, before: str | None = None) -> list[Issue]:
    return worker.check(name, f"a.{name}", before, text, seconds, ())


def workers() -> list[int]:
    """The idle processes."""
    processes = [worker._process for _, worker in worker._workers._waiting]
    return [process for process in processes if process is not None]


def is_alive(process: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text("utf-8")
    except FileNotFoundError:
        return False


def is_gone(process: int) -> bool:
    ends = time.monotonic() + 60
    while is_alive(process) and time.monotonic() < ends:
        time.sleep(0.02)
    return not is_alive(process)


def run(script: str, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)


@pytest.mark.promise("bound.validators")
def test_a_worker_is_kept_and_reports_what_its_checks_find() -> None:
    assert check("json", "[1,]") == [COMMA]
    first = workers()
    assert check("java", "class A {}") == []
    assert check("java", "class A {", before="class A {}")[0].message == "missing `}` to close the `{` in line 1"
    with pytest.raises(NotRunError, match="nested too deeply"):
        check("yaml", "[" * 5_000)
    assert workers() == first != []


def test_what_a_worker_answers() -> None:
    assert answer(("json", "a.json", None, "[1,]", 9.0)) == (None, [tuple(getattr(COMMA, f) for f in COMMA._fields)])
    reason, issues = answer(("yaml", "a.yaml", None, "[" * 5_000, 9.0))
    assert (reason is not None, issues) == (True, [])
    assert answer(("python-parser", "a.py", None, "return 1\n", 9.0)) == (None, [])
    assert built_in("java").name == "java"


def test_a_check_that_has_too_little_memory_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy(*_: Any) -> list[Issue]:
        raise MemoryError

    monkeypatch.setattr("suture.check.data.Json.check", greedy)
    assert answer(("json", "a.json", None, "[]", 9.0)) == ("the parser ran out of memory on this text", [])


@pytest.mark.promise("bound.validators")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_worker_that_died_is_replaced(number: signal.Signals) -> None:
    assert check("json", "[1,]") == [COMMA]
    (first,) = workers()
    os.kill(first, number)
    assert check("json", "[1,]") == [COMMA]
    assert workers() != [first]
    assert is_gone(first)


@pytest.mark.promise("safe.not-run")
@pytest.mark.promise("bound.validators")
def test_a_text_that_takes_too_much_memory_is_not_checked_and_the_next_one_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "MEMORY", 250_000_000)
    assert check("java", "class A {}") == []
    with pytest.raises(NotRunError, match="or needed more than 250 MB"):
        check("java", GREEDY)
    assert check("java", "class A {}") == []


@pytest.mark.promise("safe.not-run")
@pytest.mark.promise("bound.validators")
def test_a_text_that_takes_too_long_is_not_checked_and_its_worker_ends() -> None:
    assert check("zig", "") == []
    (first,) = workers()
    with pytest.raises(NotRunError, match=r"took longer than|time limit was reached"):
        check("zig", ENDLESS, 0.5)
    assert first not in workers()
    assert is_gone(first)


def test_a_worker_that_does_not_move_is_killed() -> None:
    assert check("json", "[1,]") == [COMMA]
    (first,) = workers()
    os.kill(first, signal.SIGSTOP)
    with pytest.raises(NotRunError, match="took longer than"):
        check("json", "[1,]", 0.2)
    assert is_gone(first)


@pytest.mark.promise("bound.validators")
def test_while_one_text_takes_forever_another_thread_is_answered() -> None:
    errors: list[str] = []

    def slow() -> None:
        try:
            check("zig", ENDLESS)
        except NotRunError as error:
            errors.append(str(error))

    thread = threading.Thread(target=slow)
    thread.start()
    while not worker._workers._busy:
        time.sleep(0.001)
    answers = [check("json", "[1,]") for _ in range(3)]
    waited = thread.is_alive() and not errors
    worker.close()
    thread.join()
    assert (waited, answers) == (True, [[COMMA]] * 3)
    assert errors == ["the parser crashed on this text, or needed more than 1,000 MB of memory"]


def test_an_answer_that_nobody_waited_for_is_not_taken_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    assert check("json", "[1,]") == [COMMA]
    (first,) = workers()

    def interrupt(*_: Any) -> bytes:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("suture.files.worker._message", interrupt)
        with pytest.raises(KeyboardInterrupt):
            check("json", "[")
    assert is_gone(first)
    assert check("json", "[1,]") == [COMMA]


def test_threads_share_a_few_workers() -> None:
    answers: list[list[Issue]] = []
    threads = [threading.Thread(target=lambda: answers.append(check("json", "[1,]"))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [[COMMA]] * 20
    assert 1 <= len(workers()) <= 4


def test_a_check_that_gets_no_worker_in_time_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_MAX_WORKERS", 0)
    with pytest.raises(NotRunError, match="all workers were busy with other checks until its time limit"):
        worker._workers.take(((), ()), time.monotonic())


def test_where_no_process_can_be_started_nothing_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(NotRunError, match="no process could be started"):
        check("json", "[1,]")


def test_workers_that_import_from_elsewhere_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_MAX_WORKERS", 1)
    assert check("json", "[1,]") == [COMMA]
    (first,) = workers()
    monkeypatch.setattr(sys, "path", [*sys.path, "/nowhere/more"])
    assert check("json", "[1,]") == [COMMA]
    assert is_gone(first)
    assert len(workers()) == 1


@pytest.mark.promise("bound.validators")
def test_a_worker_that_waits_ends_with_the_process_that_started_it() -> None:
    script = (
        "import os; from suture.check import worker as apart; apart.check('json', 'a', None, '[]', 60, ());"
        "print(apart._workers._waiting[0][1]._process, flush=True); os.kill(os.getpid(), 9)"
    )
    assert is_gone(int(run(script).stdout))


@pytest.mark.promise("bound.validators")
def test_a_worker_that_is_busy_ends_when_the_time_of_its_check_is_over() -> None:
    script = (
        "import os, sys, threading, time; from suture.check import worker as apart;"
        "apart.check('zig', 'a', None, '', 60, ()); worker = apart._workers._waiting[0][1];"
        "worker.send(('zig', 'a', None, sys.argv[1], 0.5)); print(worker._process, flush=True);"
        "os.kill(os.getpid(), 9)"
    )
    assert is_gone(int(run(script, ENDLESS).stdout))


@pytest.mark.promise("bound.validators")
def test_a_process_that_was_forked_has_workers_of_its_own() -> None:
    script = """
import os, sys
from suture.check import worker as apart
def ask():
    found = apart.check('json', 'a', None, '[1,]', 60, ())
    return [worker._process for _, worker in apart._workers._waiting], len(found)
first = ask()
child = os.fork()
if not child:
    mine = ask()
    os._exit(0 if mine[1] == 1 and mine[0] != first[0] else 1)
assert os.waitpid(child, 0)[1] == 0
assert ask() == first
print('done')
"""
    process = run(script)
    assert (process.stdout, process.stderr) == ("done\n", "")


@pytest.mark.promise("confine.imports")
def test_a_worker_imports_nothing_from_the_workspace(tmp_path: Path) -> None:
    evil = "import pathlib; pathlib.Path(__file__).with_suffix('.ran').write_text('x')\n"
    for name in ("tree_sitter", "tree_sitter_java", "resource", "signal", "bisect"):
        (tmp_path / f"{name}.py").write_text(evil)
    script = (
        "import sys; sys.path.append(sys.path.pop(0)); import suture.check.worker, bisect, signal, resource\n"
        "sys.path[:0] = ['', sys.argv[1]]\n"
        "from suture import Workspace\n"
        "found = Workspace('.').call('safe_edit', {'path': 'A.java', 'content': 'class A {'})\n"
        "print(found.metadata['error']['code'])"
    )
    process = run(script, str(tmp_path), cwd=tmp_path)
    assert (process.stdout, process.stderr) == ("VALIDATION_FAILED\n", "")
    assert not list(tmp_path.glob("*.ran"))


@pytest.mark.promise("safe.not-run")
@pytest.mark.promise("bound.validators")
def test_hostile_texts_are_reported_as_not_run_and_cost_the_calling_process_nothing(tmp_path: Path) -> None:
    for name, text in HOSTILE.items():
        (tmp_path / name).write_text(text)
    script = """
import sys
from suture import Settings, Workspace
workspace = Workspace('.', Settings(validate_call_ms=1_000))
for name in sys.argv[1:]:
    with open(name) as opened:
        text = opened.read()
    found = workspace.call('safe_edit', {'path': 'new' + name, 'content': text, 'mode': 'verify_only'})
    told = found.metadata['validation']
    assert told['not_run'] or told['new'], told
    print(name, told['passed'])
assert 'tree_sitter' not in sys.modules
with open('/proc/self/status') as status:  # what getrusage says counts what the process was forked from
    print(next(line.split()[1] for line in status if line.startswith('VmHWM')))
"""
    process = run(script, *HOSTILE, cwd=tmp_path)
    *verdicts, memory = process.stdout.split("\n")[:-1]
    assert (verdicts, process.stderr) == ([f"{name} False" for name in HOSTILE], "")
    assert int(memory) < 300_000  # KB; the text of 100 KB took more than 10 GB


TOO_MUCH = {
    "python": "lambda:" * 3_000,
    "yaml": "\t" * 20_000,
    "json": "[" * 50_000,
    "jsonc": "[" * 50_000,
    "toml": "a = " + "[" * 50_000,
    "xml": "<a>" * 20_000,
    "bash": "a<a(" * 500,
}
"""Texts that take a parser seconds, or that are long enough to."""


@pytest.mark.promise("safe.not-run")
@pytest.mark.promise("bound.validators")
@pytest.mark.parametrize("name", TOO_MUCH)
def test_no_parser_is_given_what_may_be_too_much_for_it_in_the_calling_process(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    validator = built_in(name)
    monkeypatch.setattr(type(validator), "check", None)  # here, not in a worker
    staged = Layout("/nowhere", {}).stage("a")
    report = run_checks([Subject("a", "a", None, TOO_MUCH[name], staged, staged, (FileCheck(validator),))], 0.5)
    assert report.not_run or report.new
    assert not any("it crashed" in check.reason for check in report.not_run)


@pytest.mark.promise("bound.validators")
def test_python_behind_other_checks_is_read_in_a_worker_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PythonSyntax, "check", None)
    block = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
    staging = Layout("/nowhere", {}).stage("a.py").within(60)
    text = f"{TOO_MUCH['python']}\n{block}"
    assert [issue.line for issue in built_in("conflict-markers").check("a.py", None, text, staging)] == [2]


@pytest.mark.promise("safe.not-run")
def test_suture_check_survives_hostile_files(tmp_path: Path) -> None:
    for name, text in HOSTILE.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "b.json").write_text("[1,]")
    report = Workspace(tmp_path, Settings(validate_call_ms=1_000)).command("check", {}).metadata
    assert [issue["path"] for issue in report["issues"] if issue["validator"] == "json"] == ["b.json"]
    assert {entry["path"] for entry in (*report["not_run"], *report["issues"])} == {*HOSTILE, "b.json"}
