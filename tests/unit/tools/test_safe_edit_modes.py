"""The tool `safe_edit`: what blocks in which mode, which problems are new, and what was not checked at all."""

import json
import os
import subprocess
import sysconfig
import venv
from pathlib import Path
from typing import Any

import pytest

import suture
from tests.unit.changes import hash_of, list_changes, succeed, workspace
from tests.unit.file_edits import snapshot
from tests.unit.tools.safe_edits import (
    NOTHING,
    SAVED,
    Folder,
    ask,
    code_of,
    codes,
    errors,
    line,
    line_of,
    shown_issues,
    split_text,
    swap,
)

pytestmark = pytest.mark.process

REJECTED = "❌ Edit rejected due to validation errors (Mode: strict):\n"
WARNED = "⚠️ Saved with validation warnings (Mode: interactive):\n"
BROKEN = "import os\n\n\ndef one():\n    return missing\n\n\nprint(os.name, one())\n"


def issues_after(folder: Folder, path: str = "a.py", **arguments: Any) -> dict[str, list[tuple[int, str]]]:
    """The problems of a file that a successful edit reports."""
    data = succeed(folder.ask(path, **arguments))
    assert data["written"] == (arguments.get("mode") != "verify_only")
    return {name: codes(data["validation"][name]) for name in ("new", "existing", "fixed")}


# Which errors block


@pytest.mark.promise("safe.new-errors")
@pytest.mark.parametrize(
    ("content", "line_number"),
    [
        ("x = 1\nprint(y)\n", 2),
        ("x = 1\ndef f(:\n    pass\n", 2),
        ("x = 1\nreturn x\n", 2),
        ("x = 1\nif x is 'a':\n    pass\n", 2),
        ("x = 1\n  y = 2\n", 2),
        ("x = 1\n__all__ = ['nothing']\n", 2),
        ("x = '\n", 1),
    ],
)
def test_an_error_that_an_edit_brings_blocks_in_strict_only(tmp_path: Path, content: str, line_number: int) -> None:
    folder = Folder(tmp_path, a="x = 1\n")
    state = folder.state()
    verified = folder.ask("a.py", content=content, mode="verify_only")
    rejected = folder.ask("a.py", content=content)
    assert folder.state() == state
    assert (verified.is_error, code_of(rejected)) == (False, "VALIDATION_FAILED")
    problems = errors(rejected.data["validation"]["new"])
    assert problems[0]["line"] == line_number
    listing = "\n".join(map(line_of, shown_issues(problems)))
    assert split_text(rejected).status.startswith(REJECTED + listing)
    assert split_text(verified).status.startswith("❌ Validation Failed:\n" + listing)
    warned = folder.ask("a.py", content=content, mode="interactive")
    assert split_text(warned).status.startswith(f"{SAVED}\n{WARNED}{listing}")
    assert folder.read("a.py") == content
    succeed(folder.ws.undo())
    assert folder.read("a.py") == "x = 1\n"


@pytest.mark.promise("safe.new-errors")
def test_an_import_before_its_use_is_a_warning_and_passes(tmp_path: Path) -> None:
    folder = Folder(tmp_path, a="x = 1\n")
    result = folder.ask("a.py", line_edits=[line(1, 1, "import os\nx = 1\n")])
    validation = succeed(result)["validation"]
    assert [(issue["code"], issue["severity"], issue["line"]) for issue in validation["new"]] == [
        ("F401", "warning", 1)
    ]
    assert validation["passed"]
    assert split_text(result).status.startswith(SAVED)
    assert issues_after(folder, line_edits=[line(2, 2, "x = os.name\n")])["fixed"] == [(1, "F401")]


@pytest.mark.promise("safe.new-errors")
def test_a_new_file_has_only_new_problems(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    result = folder.ask("new/a.py", content="print(y)\n")
    assert code_of(result) == "VALIDATION_FAILED"
    assert (result.data["hash"], codes(result.data["validation"]["new"])) == (None, [(1, "F821")])
    assert folder.state() == {}
    assert succeed(folder.ask("new/a.py", content="y = 1\nprint(y)\n"))["validation"] == {**NOTHING, "passed": True}


# Old and new


@pytest.mark.promise("safe.new-errors")
def test_a_file_that_was_broken_before_can_be_edited_elsewhere(tmp_path: Path) -> None:
    folder = Folder(tmp_path, a=BROKEN)
    issues = issues_after(folder, search_replace=swap("os.name", "os.sep"))
    assert issues == {"new": [], "existing": [(5, "F821")], "fixed": []}


@pytest.mark.promise("safe.new-errors")
def test_a_file_that_does_not_parse_can_be_edited_elsewhere(tmp_path: Path) -> None:
    folder = Folder(tmp_path, a="def f(:\n    pass\n\n\nx = 1\n")
    issues = issues_after(folder, line_edits=[line(5, 5, "x = 2\n")])
    assert (issues["new"], issues["fixed"]) == ([], [])
    assert {number for number, _ in issues["existing"]} == {1}
    result = folder.ask("a.py", line_edits=[line(5, 5, "x = = 3\n")])
    assert code_of(result) == "VALIDATION_FAILED"
    assert {issue["line"] for issue in errors(result.data["validation"]["new"])} == {5}


@pytest.mark.promise("safe.new-errors")
@pytest.mark.parametrize(
    "way",
    [
        {"line_edits": [line(1, 1, "import os\n\nTWO = 2\n")]},
        {"content": "# a\n# b\n" + BROKEN},
        {"search_replace": swap("import os\n", "\n\n\nimport os\n")},
    ],
)
def test_an_old_error_that_moved_is_not_new(tmp_path: Path, way: dict[str, Any]) -> None:
    folder = Folder(tmp_path, a=BROKEN)
    issues = issues_after(folder, **way)
    at = folder.read("a.py").split("\n").index("    return missing") + 1
    assert at > 5
    assert issues == {"new": [], "existing": [(at, "F821")], "fixed": []}


@pytest.mark.promise("safe.new-errors")
def test_an_old_error_in_an_edited_line_is_still_old(tmp_path: Path) -> None:
    folder = Folder(tmp_path, a="print(missing)\n")
    assert issues_after(folder, line_edits=[line(1, 1, "print(1, missing)\n")])["existing"] == [(1, "F821")]


@pytest.mark.promise("safe.new-errors")
def test_an_error_that_is_repaired_is_reported_as_fixed(tmp_path: Path) -> None:
    folder = Folder(tmp_path, a=BROKEN)
    issues = issues_after(folder, search_replace=swap("missing", "1"))
    assert issues == {"new": [], "existing": [], "fixed": [(5, "F821")]}


@pytest.mark.promise("safe.new-errors")
def test_one_more_error_of_an_old_kind_is_new(tmp_path: Path) -> None:
    folder = Folder(tmp_path, a="print(y)\n")
    for new in ("print(y)\nprint(y)\n", "print(y)\n# more\n\nprint(y, y)\n"):
        result = folder.ask("a.py", content=new)
        assert code_of(result) == "VALIDATION_FAILED"
        validation = result.data["validation"]
        assert len(errors(validation["existing"])) == 1
        assert len(errors(validation["new"])) == new.count("y") - 1


@pytest.mark.promise("safe.new-errors")
def test_an_error_put_for_another_is_new(tmp_path: Path) -> None:
    folder = Folder(tmp_path, a="print(one)\n")
    validation = folder.ask("a.py", content="print(two)\n").data["validation"]
    assert (codes(validation["new"]), codes(validation["existing"])) == ([(1, "F821")], [])
    assert "two" in validation["new"][0]["message"]


@pytest.mark.promise("safe.new-errors")
def test_what_a_repaired_line_uncovers_is_not_new(tmp_path: Path) -> None:
    folder = Folder(tmp_path, a="def f(:\n    pass\n\n\nprint(missing)\n")
    issues = issues_after(folder, line_edits=[line(1, 1, "def f():\n")])
    assert (errors_at(issues, "new"), errors_at(issues, "existing")) == ([], [5])
    assert errors_at(issues, "fixed")[:1] == [1]


def errors_at(issues: dict[str, list[tuple[int, str]]], name: str) -> list[int]:
    return [number for number, _ in issues[name]]


@pytest.mark.promise("safe.new-errors")
def test_what_a_repairing_edit_brings_itself_is_new(tmp_path: Path) -> None:
    folder = Folder(tmp_path, a="def f(:\n    pass\n")
    result = folder.ask("a.py", line_edits=[line(1, 1, "def f():\n    print(y)\n")])
    assert code_of(result) == "VALIDATION_FAILED"
    assert codes(errors(result.data["validation"]["new"])) == [(2, "F821")]


@pytest.mark.promise("safe.new-errors")
@pytest.mark.parametrize(
    ("before", "edit", "at"),
    [
        ("import os\n\n\ndef f():\n    return os.name\n", line(1, 1, ""), (4, "F821")),
        ("one = 1\n\n\ndef f():\n    return one\n", line(1, 1, "two = 2\n"), (5, "F821")),
        ("x = 1\nprint(missing)\ny = x\n", line(1, 1, ""), (2, "F821")),
        ("for x in []:\n    print(x)\n    break\n", line(1, 1, "if True:\n    x = 1\n"), (4, "F701")),
    ],
)
def test_an_error_that_an_edit_brings_to_other_lines_is_new(
    tmp_path: Path, before: str, edit: dict[str, Any], at: tuple[int, str]
) -> None:
    result = Folder(tmp_path, a=before).ask("a.py", line_edits=[edit])
    assert code_of(result) == "VALIDATION_FAILED"
    assert codes(errors(result.data["validation"]["new"])) == [at]


@pytest.mark.promise("safe.new-errors")
def test_a_syntax_error_put_for_another_is_new(tmp_path: Path) -> None:
    folder = Folder(tmp_path, a="def f(:\n    pass\n\n\nx = 1\ny = 2\n")
    result = folder.ask("a.py", line_edits=[line(1, 1, "def f():\n"), line(5, 5, "x = = 1\n")])
    assert code_of(result) == "VALIDATION_FAILED"
    assert {issue["line"] for issue in errors(result.data["validation"]["new"])} == {5}


@pytest.mark.promise("safe.new-errors")
def test_old_errors_block_if_all_are_to_be_checked(tmp_path: Path) -> None:
    folder = Folder(tmp_path, a=BROKEN)
    state = folder.state()
    edit = swap("os.name", "os.sep")
    result = folder.ask("a.py", search_replace=edit, validate="all")
    assert code_of(result) == "VALIDATION_FAILED"
    assert split_text(result).status.startswith(REJECTED)
    assert "\na.py:5:12 F821 Undefined name `missing`" in split_text(result).status
    verified = folder.ask("a.py", search_replace=edit, validate="all", mode="verify_only")
    assert not succeed(verified)["validation"]["passed"]
    assert "❌ Validation Failed" in split_text(verified).status
    assert folder.state() == state
    warned = folder.ask("a.py", search_replace=edit, validate="all", mode="interactive")
    assert succeed(warned)["written"]
    assert "⚠️ Saved with validation warnings (Mode: interactive):" in warned.text
    succeed(folder.ask("a.py", search_replace=swap("missing", "1"), validate="all"))


# Looking only


@pytest.mark.promise("safe.modes")
def test_verify_only_lists_existing_problems_apart(tmp_path: Path) -> None:
    folder = Folder(tmp_path, a=BROKEN)
    state = folder.state()
    passing = folder.ask("a.py", search_replace=swap("os.name", "os.sep"), mode="verify_only")
    status = split_text(passing).status
    assert "✅ Validation Passed" in status.split("\n")
    assert succeed(passing)["validation"]["passed"]
    _, _, below = status.partition("\nExisting problems")
    assert "\na.py:5:12 F821 Undefined name `missing`" in below
    failing = folder.ask("a.py", search_replace=swap("os.name", "absent"), mode="verify_only")
    above, _, below = split_text(failing).status.partition("\nExisting problems")
    assert "❌ Validation Failed:\na.py:8:7 F821 Undefined name `absent`" in above
    assert "`missing`" not in above
    assert "\na.py:5:12 F821 Undefined name `missing`" in below
    assert folder.state() == state
    assert list_changes(folder.ws) == []


@pytest.mark.promise("safe.modes")
@pytest.mark.parametrize("way", [{"content": BROKEN}, {"line_edits": []}, {"search_replace": swap("os", "os")}])
def test_verify_only_of_nothing_tells_how_the_file_stands(tmp_path: Path, way: dict[str, Any]) -> None:
    folder = Folder(tmp_path, a=BROKEN)
    result = folder.ask("a.py", **way, mode="verify_only")
    validation = succeed(result)["validation"]
    assert (codes(validation["existing"]), validation["new"], validation["passed"]) == ([(5, "F821")], [], True)
    assert result.text.startswith("✅ No changes")
    assert "✅ Validation Passed" in result.text
    assert "a.py:5:12 F821 Undefined name `missing`" in result.text
    everything = folder.ask("a.py", **way, mode="verify_only", validate="all")
    assert not succeed(everything)["validation"]["passed"]
    assert "❌ Validation Failed" in everything.text


@pytest.mark.promise("safe.modes")
@pytest.mark.parametrize("mode", ["strict", "interactive"])
def test_changing_nothing_in_a_broken_file_is_no_error(tmp_path: Path, mode: str) -> None:
    folder = Folder(tmp_path, a=BROKEN)
    state = folder.state()
    result = folder.ask("a.py", content=BROKEN, mode=mode)
    assert (succeed(result)["written"], result.text.startswith("✅ No changes")) == (False, True)
    assert folder.state() == state


# What a check touches


@pytest.mark.promise("safe.modes")
def test_a_check_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = Folder(tmp_path, a="x = 1\n", b="import a\n\nprint(a.x)\n")
    before = folder.state()
    succeed(folder.ask("a.py", content="x = 2\n", mode="verify_only"))
    assert folder.state() == before
    succeed(folder.ask("a.py", content="x = 2\n"))
    after = folder.state()
    assert (set(after), after["b.py"]) == (set(before), before["b.py"])


def test_a_checked_file_keeps_its_bytes_outside_of_the_edit(tmp_path: Path) -> None:
    before = "\ufeffx = 1\r\ny = 'é'  \r\nz = 3".encode()
    (tmp_path / "a.py").write_bytes(before)
    folder = Folder(tmp_path)
    succeed(folder.ask("a.py", line_edits=[line(1, 1, "x = 2\nw = 4\n")]))
    assert (tmp_path / "a.py").read_bytes() == "\ufeffx = 2\r\nw = 4\r\ny = 'é'  \r\nz = 3".encode()
    assert code_of(folder.ask("a.py", line_edits=[line(4, 4, "z = q")])) == "VALIDATION_FAILED"
    succeed(folder.ws.undo())
    assert (tmp_path / "a.py").read_bytes() == before


def test_the_workspace_cannot_run_anything_by_its_own_configuration(tmp_path: Path) -> None:
    (tmp_path / "ruff").write_text("#!/bin/sh\ntouch ran\n")
    (tmp_path / "ruff").chmod(0o755)
    (tmp_path / "ruff.py").write_text("open('ran', 'w')\n")
    folder = Folder(tmp_path, a="x = 1\n")
    folder.ask("a.py", content="x = 2\n")
    assert not (tmp_path / "ran").exists()


def test_a_broken_configuration_of_the_project_never_makes_an_error_pass(tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text("no-such-option = 1\n")
    folder = Folder(tmp_path, a="x = 1\n")
    validation = folder.ask("a.py", content="print(y)\n", mode="verify_only").data["validation"]
    assert not validation["passed"]
    assert errors(validation["new"]) or validation["not_run"]


# What could not be checked


def test_without_ruff_python_itself_looks_at_the_syntax(tmp_path: Path) -> None:
    unparsed, undefined = without_ruff(
        tmp_path, {"path": "a.py", "content": "x = (\n"}, {"path": "a.py", "content": "x = y\n", "mode": "verify_only"}
    )
    assert unparsed["isError"]
    assert [issue["validator"] for issue in unparsed["metadata"]["validation"]["new"]] == ["python"]
    assert undefined["metadata"]["validation"] == {**NOTHING, "passed": True}


def without_ruff(folder: Path, *calls: dict[str, Any]) -> list[dict[str, Any]]:
    """What calls are answered in an environment that has everything but ruff."""
    root, here, state = folder / "root", folder / "packages", folder / "state"
    for path in (root, here, state):
        path.mkdir()
    (root / "a.py").write_bytes(b"x = 1\n")
    venv.EnvBuilder(symlinks=True).create(folder / "venv")
    for package in Path(sysconfig.get_path("purelib")).iterdir():
        if not package.name.startswith("ruff"):
            (here / package.name).symlink_to(package)
    source = Path(suture.__file__).parents[1]
    script = (
        "import json, sys, suture\n"
        "ws = suture.Workspace(sys.argv[1])\n"
        "print(json.dumps([ws.call('safe_edit', each).to_dict() for each in json.loads(sys.argv[2])]))\n"
    )
    process = subprocess.run(
        [folder / "venv" / "bin" / "python", "-c", script, root, json.dumps(calls)],
        cwd=folder,
        env={
            "PATH": str(state),
            "HOME": str(folder),
            "XDG_STATE_HOME": str(state),
            "PYTHONPATH": os.pathsep.join([str(source), str(here)]),
        },
        capture_output=True,
        check=True,
    )
    answers: list[dict[str, Any]] = json.loads(process.stdout)
    return answers


# Other files than Python


@pytest.mark.promise("safe.new-errors")
@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("a.json", '{"a": [1, 2]}\n', '{"a": [1, 2,}\n'),
        ("a.toml", "[a]\nb = 1\n", "[a]\nb = \n"),
        ("pyproject.toml", "a = 1\n", "a = 1\na = 2\n"),
        ("a.xml", "<a><b/></a>\n", "<a><b></a>\n"),
        ("a.txt", "Title\n=======\n\n>>> x\n", "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n"),
        ("Makefile", "a:\n", "a:\n<<<<<<< HEAD\nb:\n=======\nc:\n>>>>>>> branch\n"),
    ],
)
def test_files_of_other_kinds_are_checked(name: str, good: str, bad: str) -> None:
    ws, fs = workspace({name: good.encode()})
    state = snapshot(fs)
    result = ask(ws, name, content=bad)
    assert code_of(result) == "VALIDATION_FAILED"
    assert split_text(result).status.startswith(f"{REJECTED}{name}:")
    assert result.data["hash"] == hash_of(good.encode())
    assert not succeed(ask(ws, name, content=bad, mode="verify_only"))["validation"]["passed"]
    assert snapshot(fs) == state
    assert succeed(ask(ws, name, content=bad, mode="interactive"))["written"]
    repaired = succeed(ask(ws, name, content=good))["validation"]
    assert (repaired["passed"], repaired["new"], repaired["existing"]) == (name != "a.txt", [], [])
    assert repaired["fixed"] != []
    assert fs.files() == {name: good.encode()}


@pytest.mark.promise("safe.not-run")
@pytest.mark.parametrize("name", ["a.yaml", "a.yml"])
def test_a_broken_yaml_file_never_passes(name: str) -> None:
    ws, _ = workspace({name: b"a: 1\n"})
    validation = succeed(ask(ws, name, content="a: [1\nb: }\n", mode="verify_only"))["validation"]
    assert not validation["passed"]
    assert errors(validation["new"]) or validation["not_run"]
    fine = succeed(ask(ws, name, content="a: [1]\nb: {}\n", mode="verify_only"))["validation"]
    assert (fine["new"], fine["passed"]) == ([], not fine["not_run"])


@pytest.mark.promise("safe.new-errors")
@pytest.mark.parametrize(
    ("name", "before", "old", "new"),
    [
        ("a.json", '{\n"a": ,\n"b": 1\n}\n', '"b": 1', '"b": 2'),
        ("a.toml", "a = \nb = 1\n", "b = 1", "b = 2"),
        ("a.xml", "<a>\n<b>\n</a>\n<!-- x -->\n", "x", "y"),
        ("a.txt", "x\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n", "x\n", "y\nz\n"),
    ],
)
def test_files_of_other_kinds_that_were_broken_can_be_edited(name: str, before: str, old: str, new: str) -> None:
    ws, fs = workspace({name: before.encode()})
    validation = succeed(ask(ws, name, search_replace=swap(old, new)))["validation"]
    assert (errors(validation["new"]), bool(errors(validation["existing"]))) == ([], True)
    assert fs.files() == {name: before.replace(old, new).encode()}
    assert code_of(ask(ws, name, search_replace=swap(new, old), validate="all")) == "VALIDATION_FAILED"


@pytest.mark.promise("safe.new-errors")
def test_a_check_that_stops_at_the_first_error_tells_old_from_new_as_well() -> None:
    ws, fs = workspace({"a.json": b'{\n"a": ,\n"b": 1,\n"c": ,\n"d": 1\n}\n'})
    result = ask(ws, "a.json", line_edits=[line(1, 1, "{ ]\n")])
    assert code_of(result) == "VALIDATION_FAILED"
    assert {issue["line"] for issue in errors(result.data["validation"]["new"])} == {1}
    data = succeed(ask(ws, "a.json", line_edits=[line(2, 2, '"a": 1,')]))
    assert (data["written"], errors(data["validation"]["new"])) == (True, [])
    assert {issue["line"] for issue in errors(data["validation"]["existing"])} == {4}
    assert succeed(ask(ws, "a.json", line_edits=[line(4, 4, '"c": 1,')]))["validation"]["passed"]
    assert fs.files() == {"a.json": b'{\n"a": 1,\n"b": 1,\n"c": 1,\n"d": 1\n}\n'}


@pytest.mark.promise("safe.new-errors")
@pytest.mark.parametrize(
    ("name", "before", "repair", "harm"),
    [
        ("a.json", '{\n"a": ,\n"b": 1,\n"c": 1\n}\n', '"a": 1,', line(4, 4, '"c": ]')),
        ("a.toml", "# a\na = \nb = 1\nc = 1\n", "a = 1", line(4, 4, "c = ]")),
        ("a.xml", "<a>\n<b x>\n<c/>\n<d/>\n</a>\n", "<b/>", line(4, 4, "<d></e>")),
    ],
)
def test_an_error_written_by_an_edit_that_repairs_another_is_new(
    name: str, before: str, repair: str, harm: dict[str, Any]
) -> None:
    ws, fs = workspace({name: before.encode()})
    result = ask(ws, name, line_edits=[line(2, 2, repair), harm])
    assert code_of(result) == "VALIDATION_FAILED"
    validation = result.data["validation"]
    assert (len(errors(validation["new"])), errors(validation["existing"]), len(validation["fixed"])) == (1, [], 1)
    assert fs.files() == {name: before.encode()}


@pytest.mark.promise("safe.new-errors")
@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.py", "x = (\ny = 1\n", "x = 1\ny = = 1\n"),
        ("a.json", '{"a": }\n', '["x" "y"]\n'),
        ("a.xml", "<a>\n", "<a></c>\n"),
    ],
)
def test_another_error_in_the_place_of_an_old_one_is_new(tmp_path: Path, name: str, before: str, after: str) -> None:
    (tmp_path / name).write_bytes(before.encode())
    folder = Folder(tmp_path)
    result = folder.ask(name, content=after)
    assert code_of(result) == "VALIDATION_FAILED"
    assert len(errors(result.data["validation"]["new"])) == 1
    assert folder.read(name) == before


@pytest.mark.promise("safe.new-errors")
@pytest.mark.parametrize("number", [1, 5])
def test_a_conflict_that_is_resolved_by_half_is_still_one(number: int) -> None:
    ws, _ = workspace({"a.cfg": b"<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n"})
    edit = [line(number, number, "")]
    validation = succeed(ask(ws, "a.cfg", line_edits=edit, mode="interactive"))["validation"]
    assert errors(validation["new"]) or errors(validation["existing"])


@pytest.mark.parametrize(
    "content",
    [
        "=======\n",
        "a\n=======\nb\n",
        "  <<<<<<< HEAD\n  a\n  =======\n  b\n  >>>>>>> x\n",
        "",
    ],
)
def test_what_only_looks_like_a_conflict_passes(content: str) -> None:
    ws, _ = workspace({"a.md": b"x\n"})
    data = succeed(ask(ws, "a.md", content=content))
    assert (data["written"], errors(data["validation"]["new"])) == (True, [])
