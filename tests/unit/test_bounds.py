"""Limits of time and size for every call: the mechanism, and that every tool uses it."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from suture import Settings, Workspace, bounds
from suture.bounds import Overrun, check_size, check_time, suspend, timed, within
from suture.cli import main
from suture.errors import CallTimedOut, InputTooLarge, OutOfMemory, SutureError
from suture.formats.reply import parse_reply
from suture.match import locate
from suture.match.diagnose import diagnose
from suture.match.index import Index
from suture.plan import Change, Landed, Plan
from suture.testing import MemoryFS
from suture.text import Lines
from suture.text.diff import changes
from suture.text.edits import edit
from suture.text.merge import merge
from suture.text.replace import Step, apply_steps
from suture.tools import TOOLS, all_tools, find
from suture.tools.spec import Answer, Proposal
from suture.workspace import _describe_landed

EXAMPLES = [(spec.name, example) for spec in all_tools() for example in spec.examples]


class Clock:
    """A clock that reaches the call's time limit at the `last` check; checks are counted."""

    def __init__(self, last: int) -> None:
        self.last = last
        self.looks = -1  # the first is the call's beginning

    def __call__(self) -> float:
        self.looks += 1
        return 1e9 if self.looks >= self.last else 0.0


@pytest.fixture
def over_at(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Clock]:
    """Set the clock so that a call's time is over at a given check."""

    def set_clock(last: int) -> Clock:
        clock = Clock(last)
        monkeypatch.setattr(bounds, "monotonic", clock)
        return clock

    return set_clock


def test_outside_of_a_call_there_are_no_bounds(over_at: Callable[[int], Clock]) -> None:
    over_at(0)
    check_time()
    check_size("a", 10**18)
    assert list(timed(range(3))) == [0, 1, 2]


def call(*parts: Callable[[], object], **settings: Any) -> None:
    """A call that does these things."""
    with within(Settings(**settings)):
        for part in parts:
            part()


def test_a_call_ends_where_its_time_is_over(over_at: Callable[[int], Clock]) -> None:
    over_at(2)
    with pytest.raises(CallTimedOut) as caught:
        call(check_time, check_time, lambda: pytest.fail("it went on"), call_ms=7)
    assert (caught.value.timeout_ms, caught.value.setting) == (7, "call_ms")
    check_time()  # the call is over, and so are its bounds


def test_a_part_of_a_call_that_fails_does_not_hide_that_the_time_is_over(over_at: Callable[[int], Clock]) -> None:
    def part() -> None:
        try:
            check_time()
        except SutureError:
            pytest.fail("it was taken for the failure of a part")

    assert not issubclass(Overrun, SutureError)
    over_at(1)
    with pytest.raises(CallTimedOut):
        call(part)


def test_a_call_inside_of_another_has_the_bounds_of_that(over_at: Callable[[int], Clock]) -> None:
    over_at(2)
    with pytest.raises(CallTimedOut) as caught:
        call(lambda: call(check_time, check_time, call_ms=2), call_ms=1)
    assert caught.value.timeout_ms == 1


def test_what_has_begun_to_write_is_not_stopped(over_at: Callable[[int], Clock]) -> None:
    def write() -> None:
        with suspend():
            check_time()
            check_size("a", 10)

    over_at(2)
    call(write, write, max_file_bytes=9)
    over_at(3)
    with pytest.raises(CallTimedOut):
        call(write, check_time, check_time, max_file_bytes=9)


def test_a_long_loop_looks_at_the_clock(over_at: Callable[[int], Clock]) -> None:
    over_at(3)
    seen: list[int] = []
    with pytest.raises(CallTimedOut), within(Settings()):
        seen.extend(timed(count()))  # which has no end
    assert 0 < len(seen) < 10_000


def test_a_size_is_refused_before_it_is_made() -> None:
    with within(Settings(max_file_bytes=9)):
        check_size("a", 9)
        with pytest.raises(InputTooLarge) as caught:
            check_size("a", 10)
    assert caught.value.fields() == {
        "what": "a",
        "size": 10,
        "limit": 9,
        "setting": "max_file_bytes",
        "unit": "bytes",
    }


def prepare(example: Any) -> tuple[MemoryFS, Workspace]:
    fs = MemoryFS({path: content.encode() for path, content in example.files.items()})
    workspace = Workspace(fs.root, fs=fs)
    for step in example.earlier:
        if isinstance(step, str):
            assert not workspace.call(step).is_error
        else:
            with workspace.transaction("an edit") as tx:
                for path, content in step.items():
                    tx.write(path, content)
    return fs, workspace


@pytest.mark.promise("bound.call")
@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[f"{name}-{example.title}" for name, example in EXAMPLES])
def test_a_call_of_every_tool_ends_by_its_clock_and_changes_nothing(
    name: str, example: Any, over_at: Callable[[int], Clock]
) -> None:
    """At every look at the clock: the time is over, and nothing has changed; or the call is done."""
    for last in range(1, 60):
        clock = over_at(10**9)
        fs, workspace = prepare(example)
        before, clock.looks, clock.last = fs.files(), -1, last
        result = workspace.call(name, example.arguments)
        if not result.is_error:
            assert last > 1, "it never looked"
            return
        assert result.metadata["error"]["code"] == "CALL_TIMED_OUT"
        assert result.metadata["error"]["setting"] == "call_ms"
        assert fs.files() == before
        clock.last = 10**9
        assert not workspace.call(name, example.arguments).is_error
    pytest.fail("it looks at the clock too often for so small a call")


@pytest.mark.promise("bound.call")
def test_a_transaction_ends_by_its_clock(over_at: Callable[[int], Clock]) -> None:
    fs = MemoryFS({"a": b"x"})
    workspace = Workspace(fs.root, fs=fs)
    over_at(1)
    with pytest.raises(CallTimedOut), workspace.transaction() as tx:
        tx.edit("a", lambda _: [edit(0, 1, b"y")])
    assert fs.files() == {"a": b"x"}


@pytest.mark.promise("bound.call")
def test_a_checkpoint_ends_by_its_clock(over_at: Callable[[int], Clock]) -> None:
    fs = MemoryFS({"a": b"x"})
    workspace = Workspace(fs.root, fs=fs)
    clock = over_at(1)
    assert workspace.checkpoint("s").metadata["error"]["code"] == "CALL_TIMED_OUT"
    clock.last = 10**9
    assert workspace.checkpoints().metadata["checkpoints"] == []


LINES = b"".join(b"    value_%d = compute(%d, other)\n" % (n % 97, n) for n in range(5_000))
LONG: dict[str, tuple[bytes, str, dict[str, Any]]] = {
    "edits that are not found": (
        LINES,
        "file_edit",
        {"edits": [{"old_text": f"    value_{n} = compote({n}, others)\n", "new_text": "q"} for n in range(20)]},
    ),
    "edits one after the other": (
        b"ab\n" * 100,
        "file_edit",
        {
            "edits": [
                {"old_text": "ba" if n % 2 else "ab", "new_text": "ab" if n % 2 else "ba", "occurrences": 100}
                for n in range(100)
            ]
        },
    ),
    "edits of mixed line ends": (
        b"x\r\ny\n" * 3_000,
        "file_edit",
        {"edits": [{"old_text": "x\ny\n", "new_text": "\n\n", "occurrences": 3_000}]},
    ),
    "patches that are not found": (
        LINES,
        "patch",
        {
            "patches": [
                {"operation": "replace", "oldText": f"value_{n} = compote({n})\nvalue_0 = 1\n", "newText": "q"}
                for n in range(50)
            ]
        },
    ),
    "equal lines": (
        b"    x = 1\n" * 5_000,
        "patch",
        {"patches": [{"operation": "replace", "oldText": "x = 1\n" * 100 + "y = 2\n", "newText": "q"}]},
    ),
    "a long line": (
        b"xyz abc " * 10_000,
        "file_edit",
        {"edits": [{"old_text": "xyz abd ", "new_text": "q"}]},
    ),
    "blocks of a reply": (
        LINES,
        "apply_reply",
        {
            "reply": "".join(
                f"a\n<<<<<<< SEARCH\nvalue_{n} = 1\nx = 1\n=======\nz\n>>>>>>> REPLACE\n" for n in range(50)
            )
        },
    ),
    "fences of a reply": (b"x\n", "apply_reply", {"reply": "```\n" * 20_000}),
    "replacements by a long template": (
        b"x\n" * 300,
        "regex_replace",
        {"pattern": "x", "replacement": "$&" * 100, "flags": "g"},
    ),
    "a template": (b"x\n", "regex_replace", {"pattern": "x", "replacement": "$&" * 5_000}),
    "lines that do not match": (b"\n" * 10_000, "regex_match_lines", {"pattern": "y", "invert": True}),
    "segments": (b"\n" * 10_000, "regex_split", {"pattern": "\n"}),
    "groups": (b"x\n" * 10_000, "regex_extract", {"pattern": "(x)", "flags": "g"}),
    "replacements of a safe edit": (
        b"x\n" * 3_000,
        "safe_edit",
        {"search_replace": {"search": "x", "replace": "\\g<0>y", "regex": True}},
    ),
}


@pytest.mark.promise("bound.call")
@pytest.mark.parametrize(
    "work",
    [
        lambda: changes([b"a\n", b"b\n"], [b"c\n", b"d\n", b"e\n"]),
        lambda: merge(b"a\nb\n", b"c\nb\n", b"a\nd\n"),
        lambda: apply_steps(b"aXbX", [Step(b"a", b"c"), Step(b"b", b"d")]),
        lambda: Lines(b"a\nb\n").starts,
        lambda: parse_reply("text\n" * 5_000),
        lambda: locate(Index(b"a = 1\nb = 2\n"), "a = 1\nc = 2\n", "x"),
        lambda: diagnose(Index(b"alpha = 1\nbeta = 2\n"), "alpha = 3\ngamma = 2\n", "x"),
    ],
    ids=["diff", "merge", "sequence", "lines", "formats", "locate", "diagnose"],
)
def test_pure_layers_look_at_the_clock(work: Callable[[], object], over_at: Callable[[int], Clock]) -> None:
    over_at(1)
    with pytest.raises(CallTimedOut), within(Settings()):
        work()


@pytest.mark.promise("bound.call")
@pytest.mark.parametrize("case", LONG)
def test_long_work_looks_at_the_clock_while_it_is_done(case: str, over_at: Callable[[int], Clock]) -> None:
    """Not only where the call begins and before it writes: at the fourth look something is still to be done."""
    body, name, arguments = LONG[case]
    fs = MemoryFS({"a": body})
    workspace = Workspace(fs.root, Settings(history=False), fs=fs)
    path = "file_path" if name.startswith("regex_") else "path"
    clock = over_at(10**9)
    workspace.call(name, arguments if name == "apply_reply" else {path: "a", **arguments})
    looks = clock.looks
    fs.put("a", body)
    assert looks > 5
    over_at(looks // 2)
    result = workspace.call(name, arguments if name == "apply_reply" else {path: "a", **arguments})
    assert result.metadata["error"]["code"] == "CALL_TIMED_OUT"
    assert fs.files() == {"a": body}


LIMITED = """
import json, os, resource, sys

from suture import Settings, Workspace

root, room, calls, settings = json.load(sys.stdin)
workspace = Workspace(root, Settings(**settings))
workspace.call("regex_search", {"file_path": "small", "pattern": "x"})  # what is loaded once is loaded now
workspace.call("file_edit", {"path": "small", "edits": [{"old_text": "y", "new_text": "z"}]})
with open("/proc/self/statm") as status:
    most = int(status.read().split()[0]) * os.sysconf("SC_PAGE_SIZE") + room
resource.setrlimit(resource.RLIMIT_AS, (most, most))
codes = []
for name, arguments in calls:
    result = workspace.call(name, arguments)
    codes.append(result.metadata["error"]["code"] if result.is_error else "done")
print(json.dumps(codes))
"""


def run_limited(root: Path, room: int, calls: list[tuple[str, dict[str, Any]]], **settings: Any) -> list[str]:
    """The error codes of calls in a process that may use only `room` bytes more than at its start."""
    (root / "small").write_bytes(b"x\n")
    given = json.dumps([str(root), room, calls, {"history": False, "second_process": False, **settings}])
    done = subprocess.run([sys.executable, "-c", LIMITED], input=given, capture_output=True, text=True, check=True)
    codes: list[str] = json.loads(done.stdout)
    return codes


def amplifying_calls() -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls whose results would be much larger than the request and the files."""
    wide = " " * 1_000_000
    lines = "y\n" * 25_000
    yield "patch", {"path": "x", "patches": [{"operation": "append_eof", "newText": lines, "reindent": {"add": wide}}]}
    yield "patch", {"path": "new", "patches": [{"operation": "overwrite", "newText": lines, "reindent": {"add": wide}}]}
    cut = {"operation": "replace", "oldText": "x" * 900_000, "newText": "", "toClipboard": "c"}
    yield "patch", {"path": "long", "patches": [cut, *[{"operation": "append_eof", "fromClipboard": "c"}] * 900]}
    moved = {"operation": "replace", "oldText": "foo(1)\nbar(2)\n", "newText": f"foo(1)\n{lines}bar(2)\n"}
    yield "patch", {"path": "deep.py", "patches": [moved]}
    many = {"old_text": "x", "new_text": "y" * 1_000_000, "occurrences": 10_000}
    yield "file_edit", {"path": "x", "edits": [many]}
    yield (
        "file_edit",
        {"path": "x", "edits": [many, {"old_text": many["new_text"], "new_text": "", "occurrences": 10_000}]},
    )
    yield "regex_replace", {"file_path": "long", "pattern": "x+", "replacement": "$&" * 1_000}
    yield "regex_replace", {"file_path": "x", "pattern": "x", "replacement": "$`", "flags": "g"}
    yield "regex_replace_multi", {"path_pattern": "lon*", "pattern": "x+", "replacement": "$&" * 1_000}
    yield "regex_replace", {"file_path": "x", "pattern": "(x)" + "(y)?" * 30, "replacement": "z", "flags": "g"}
    yield "safe_edit", {"path": "x", "search_replace": {"search": "x", "replace": "y\n" * 500_000}}
    yield "safe_edit", {"path": "long", "search_replace": {"search": "x+", "replace": r"\g<0>" * 1_000, "regex": True}}
    reply = f"deep.py\n<<<<<<< SEARCH\nfoo(1)\nbar(2)\n=======\nfoo(1)\n{lines}bar(2)\n>>>>>>> REPLACE\n"
    yield "apply_reply", {"reply": reply}
    copies = "".join(
        f"diff --git a/long b/long{n}\nsimilarity index 100%\ncopy from long\ncopy to long{n}\n" for n in range(100)
    )
    yield "apply_reply", {"reply": f"```diff\n{copies}```\n"}
    yield "regex_match_lines", {"file_path": "blank", "pattern": "y", "invert": True}
    yield "regex_match_lines", {"file_path": "blank", "pattern": "^", "format": "text"}
    yield "regex_split", {"file_path": "blank", "pattern": "\n"}
    yield "regex_extract", {"file_path": "blank", "pattern": "(^)" + "(y)?" * 30, "flags": "gm"}
    yield "regex_search", {"file_path": "blank", "pattern": "^", "flags": "gm"}
    yield "regex_search", {"file_path": "x", "pattern": "x", "context_before": 9_999, "context_after": 9_999}
    yield "regex_search_multi", {"path_pattern": "blan*", "pattern": "^", "flags": "gm"}
    yield "regex_search", {"file_path": "long", "pattern": "(" * 40 + "x+" + ")" * 40}


@pytest.mark.process
@pytest.mark.promise("bound.size")
@pytest.mark.promise("bound.rows")
def test_sizes_are_known_before_anything_of_that_size_is_made(tmp_path: Path) -> None:
    """Each call asks for gigabytes, or for much more than a result may have."""
    (tmp_path / "x").write_bytes(b"x\n" * 10_000)
    (tmp_path / "long").write_bytes(b"x" * 900_000 + b"\n")
    (tmp_path / "blank").write_bytes(b"\n" * 100_000)
    (tmp_path / "deep.py").write_text(f"if x:\n{' ' * 100_000}foo(1)\n{' ' * 100_000}bar(2)\n")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    names, calls = [name for name, _ in amplifying_calls()], list(amplifying_calls())
    assert TOOLS.keys() - {*names} == {"file_read", "history", "redo", "undo"}  # they show or write what is there
    sizes = {"max_file_bytes": 5_000_000, "max_call_bytes": 20_000_000, "max_result_bytes": 1_000_000}
    patient = dict.fromkeys(("regex_file_ms", "regex_call_ms", "reply_call_ms", "call_ms"), 600_000)
    codes = run_limited(tmp_path, 300_000_000, calls, **sizes, **patient)
    expected = ["INPUT_TOO_LARGE"] * len(calls)
    expected[names.index("apply_reply")] = "BLOCKS_FAILED"  # the block is what is too large
    assert [*zip(names, codes, strict=True)] == [*zip(names, expected, strict=True)]
    (tmp_path / "small").unlink()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.process
@pytest.mark.promise("bound.process")
def test_a_call_without_memory_is_answered_and_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 40_000_000)
    edits = [{"old_text": "x" * 80_000, "new_text": "y", "occurrences": 500}]
    calls: list[tuple[str, dict[str, Any]]] = [
        ("file_edit", {"path": "a", "edits": edits}),
        ("file_read", {"path": "a"}),
        ("regex_match_lines", {"file_path": "a", "pattern": "x"}),
        ("file_read", {"path": "small"}),
    ]
    assert run_limited(tmp_path, 30_000_000, calls) == ["OUT_OF_MEMORY"] * 3 + ["done"]
    assert (tmp_path / "a").stat().st_size == 40_000_000


@pytest.mark.parametrize(("problem", "left"), [(MemoryError, "memory"), (Overrun, "time")])
def test_what_landed_is_not_reported_as_a_failure(problem: type[Exception], left: str) -> None:
    def describe(_: Change | None) -> Answer:
        raise problem

    proposal = Proposal(Plan((), "patch", "patch of a"), describe)
    result = _describe_landed(proposal, Change("537kv5vq5dnk6gp", (Landed("a", "update", "sha256:1", "sha256:2"),)))
    note = f"There was no {left} left to show what changed."
    assert (result.is_error, result.text) == (False, f"Done: patch of a (change 537kv5vq5dnk6gp). {note}")
    assert result.data["files"] == [{"path": "a", "action": "update", "hash": "sha256:2"}]
    with pytest.raises(problem):
        _describe_landed(proposal, None)


@pytest.mark.promise("bound.size")
def test_files_that_are_together_too_large_are_refused() -> None:
    fs = MemoryFS(dict.fromkeys("abc", b"x" * 1000))
    workspace = Workspace(fs.root, Settings(max_call_bytes=2_500), fs=fs)
    result = workspace.regex_replace_multi("*", "^x", "y")
    assert result.metadata["error"]["code"] == "INPUT_TOO_LARGE"
    assert result.metadata["error"]["setting"] == "max_call_bytes"
    assert fs.files() == dict.fromkeys("abc", b"x" * 1000)
    assert not workspace.regex_replace_multi("{a,b}", "^x", "y").is_error


@pytest.mark.promise("bound.size")
def test_what_is_taken_back_is_bounded_too() -> None:
    fs = MemoryFS(dict.fromkeys("abc", b"x" * 1000))
    with Workspace(fs.root, fs=fs).transaction() as tx:
        for name in "abc":
            tx.write(name, b"y" * 1_000)
    workspace = Workspace(fs.root, Settings(max_call_bytes=5_000), fs=fs)
    assert workspace.undo().metadata["error"]["setting"] == "max_call_bytes"
    for name in "abc":
        fs.put(name, b"z" * 1_000)
    assert workspace.restore(paths=["a", "b", "c"]).metadata["error"]["setting"] == "max_call_bytes"
    assert fs.files() == dict.fromkeys("abc", b"z" * 1_000)


def test_the_check_of_files_sees_to_its_time_itself(over_at: Callable[[int], Clock]) -> None:
    fs = MemoryFS({"a.json": b"{}"})
    over_at(1)
    assert not Workspace(fs.root, fs=fs).command("check", {"paths": ["a.json"]}).is_error


def test_every_tool_has_an_example_that_is_called_here() -> None:
    assert {name for name, _ in EXAMPLES} == {spec.name for spec in all_tools()}
    assert find("file_read").own_clock is False
    assert OutOfMemory().setting == "max_memory_bytes"


MAIN = (
    "import sys; from suture.cli import main; main(); import resource; print(*resource.getrlimit(resource.RLIMIT_DATA))"
)


@pytest.mark.process
@pytest.mark.promise("bound.process")
@pytest.mark.parametrize("words", [["tools"], ["call", "file_read", '{"path": "a"}']], ids=["a command", "a call"])
def test_the_command_line_limits_its_own_memory(tmp_path: Path, words: list[str]) -> None:
    def limits(code: str) -> tuple[int, int]:
        done = subprocess.run(
            [sys.executable, "-c", code, *words], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        soft, hard = done.stdout.split()[-2:]
        return int(soft), int(hard)

    lower = "import resource; resource.setrlimit(resource.RLIMIT_DATA, (10**9, resource.RLIM_INFINITY)); "
    assert limits(MAIN) == (Settings.max_memory_bytes, -1)
    assert limits(lower + MAIN) == (10**9, -1)  # the user's own limit is lower
    assert limits(MAIN.replace("main()", "main(sys.argv[1:])")) == (-1, -1)  # in another program's process


@pytest.mark.promise("bound.process")
def test_output_that_does_not_fit_into_memory_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    class Full:
        def write(self, _: object) -> int:
            raise MemoryError

        def flush(self) -> None:
            self.buffer = self

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", Full())
        assert main(["tools"]) == 1
    assert capsys.readouterr().err.startswith("OUT_OF_MEMORY: ")
