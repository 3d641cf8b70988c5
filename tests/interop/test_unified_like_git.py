"""Unified diffs compared with `git apply`: git's own diffs of real files and of trees.

With right numbers, every diff gives the bytes that git gives. Without numbers, or with wrong ones, a hunk lands where
it belongs or nowhere. Only a hunk that fits at several places may be misled by a wrong number, as it is in git.
"""

import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from suture import Settings, Workspace, preview_reply
from suture.records import Record
from tests.interop.real_diffs import (
    HEADER,
    Tree,
    Versions,
    a_file,
    a_pair,
    apply_hunks,
    apply_with_git,
    hunks,
    occurs_once,
    read,
    second_version,
    sections,
    write,
)
from tests.scale import scaled

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

OPTIONS = ("-U1", "-U3", "-U8", "-U3 --patience", "-U1 --minimal", "-U3 --histogram --inter-hunk-context=2")
SHIFT = 17


class Diffs(Record):
    """Two versions of some files, and git's diff between them."""

    before: Tree
    after: Tree
    diff: str


def some_diffs(folder: Path, random: Random, number: int, options: str) -> Diffs:
    before, after = Tree(), Tree()
    for at in range(number):
        suffix, *both = a_pair(random)
        before[f"src/f{at}{suffix}"], after[f"src/f{at}{suffix}"] = both
    versions = Versions(folder / "versions")
    diff = versions.diff(versions.add(before), versions.add(after), *options.split())
    return Diffs(before, after, diff)


def preview(diff: str, before: Tree) -> tuple[Tree, Counter[str]]:
    """The tree after our patch, and the outcomes of the hunks."""
    texts = {name: content.decode() for name, content in before.items()}
    result = preview_reply(diff, texts, literal=True)  # git leaves nothing out: dots in its diffs are text
    changed = {name: text.encode() for name, text in result.files.items() if text is not None}
    deleted = {name for name, text in result.files.items() if text is None}
    tree = {name: content for name, content in (before | changed).items() if name not in deleted}
    return tree, Counter(outcome.status for outcome in result.outcomes)


def names_of_difference(before: Tree, after: Tree) -> list[str]:
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))


def check_like_git(folder: Path, random: Random, number: int, options: str) -> None:
    diffs = some_diffs(folder, random, number, options)
    files = apply_with_git(folder / "git", diffs.before, diffs.diff)
    assert {name: content for name, (content, _) in files.items()} == diffs.after
    tree, statuses = preview(diffs.diff, diffs.before)
    assert (names_of_difference(tree, diffs.after), set(statuses)) == ([], {"applied"})


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.promise("reply.git")
def test_diffs_of_real_files_make_what_they_make_in_git(options: str, tmp_path: Path) -> None:
    check_like_git(tmp_path, Random(f"real files {options}"), scaled(40), options)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(scaled(12)))
@pytest.mark.parametrize("options", OPTIONS)
def test_thousands_of_diffs_of_real_files_make_what_they_make_in_git(options: str, seed: int, tmp_path: Path) -> None:
    check_like_git(tmp_path, Random(f"many real files {options} {seed}"), 150, options)


LETTERS = "".join(f"{letter}\n" for letter in "abcdefghij")
SMALL = {
    "an insertion before a blank line": ("x\n\ny\nx\n\nz\n", "x\n\ny\nx\nnew\n\nz\n"),
    "an insertion among blank lines": ("x\n\n\n\n\nx\n\n\n\n\ny\n", "x\n\n\n\n\nx\n\n\nnew\n\n\ny\n"),
    "a blank line more": ("x\n\ny\nx\n\ny\n", "x\n\ny\nx\n\n\ny\n"),
    "a blank line less": ("x\n\ny\nx\n\n\ny\n", "x\n\ny\nx\n\ny\n"),
    "a repeated line less": ("a\n" * 20, "a\n" * 19),
    "a repeated line changed": ("a\n" * 20, "a\n" * 9 + "b\n" + "a\n" * 10),
    "a repeated line changed at the end": ("a\n" * 20, "a\n" * 19 + "b\n"),
    "a copy of a later place put in": (LETTERS * 2, f"a\nb\ni\nj\na\n{LETTERS}c\n{LETTERS}"),
    "a block moved down": (LETTERS, "abchidefgj".replace("", "\n").lstrip()),
    "CRLF": ("a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n"),
    "CRLF to LF": ("a\r\nb\r\n", "a\nb\n"),
    "CRLF to LF in one line": ("a\r\nb\r\nc\r\n", "a\r\nb\nc\r\n"),
    "LF to CRLF": ("a\nb\n", "a\r\nb\r\n"),
    "LF to CRLF in one line": ("a\nb\nc\n", "a\nb\r\nc\n"),
    "a CRLF line replaced by a LF line beside others": ("a\r\nb\n", "x\nb\n"),
    "CRLF and LF lines replaced by LF lines": ("a\r\nb\n", "c\nd\n"),
    "a LF line put into CRLF lines": ("a\r\nb\r\nc\r\n", "a\r\nnew\nb\r\nc\r\n"),
    "lone CR": ("a\rb\nc\n", "a\rB\nc\n"),
    "no newline before": ("a\nb", "a\nb\n"),
    "no newline after": ("a\nb\n", "a\nb"),
    "no newline before and after": ("a\nb", "a\nc"),
    "no newline beside the change": ("a\nb\nc", "A\nb\nc"),
    "no newline, and a line more": ("a\nb", "a\nb\nc"),
    "no newline, and CRLF": ("a\r\nb", "a\r\nb\r\n"),
    "one of several equal ends without newline": ("a\nb\na\nb", "a\nb\na\nc"),
    "empty to content": ("", "a\nb\n"),
    "empty to a blank line": ("", "\n"),
    "empty to content without newline": ("", "a"),
    "content to empty": ("a\nb\n", ""),
    "content without newline to empty": ("a", ""),
    "white space at the ends of lines": ("a \n\tb\n c\n", "a\n\tb \n c\n"),
    "form feeds and other separators": ("a\x0cb\n\x0c\nc\u2028d\x85e\n", "a\x0cb\n\x0c\nC\u2028d\x85e\n"),
    "lines that look like a diff": ("--- a\n+++ b\n@@ -1 +1 @@\n\\ x\n", "--- c\n+++ c\n@@ -2 +1 @@\n\\ x\n"),
    "lines that look like markers": (
        "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
        "<<<<<<< SEARCH\nA\n=======\nB\n>>>>>>> REPLACE\n",
    ),
    "lines of dashes less": ("a\n-- b\n--\nc\n", "a\nc\n"),
    "lines of pluses more": ("a\nc\n", "a\n++ b\n++\nc\n"),
    "a fence": ("```\na\n```\n", "```\nb\n```\n"),
}


@pytest.mark.parametrize("options", ["-U1", "-U3"])
@pytest.mark.parametrize(("before", "after"), SMALL.values(), ids=SMALL)
@pytest.mark.parametrize("wrap", [str, lambda diff: f"So:\n\n```diff\n{diff}```\n\nDone.\n"], ids=["bare", "fenced"])
def test_a_small_change_makes_what_it_makes_in_git(
    wrap: Callable[[str], str], before: str, after: str, options: str, tmp_path: Path
) -> None:
    versions = Versions(tmp_path / "versions")
    trees = {"x": before.encode()}, {"x": after.encode()}
    diff = versions.diff(*map(versions.add, trees), options)
    assert apply_with_git(tmp_path / "git", trees[0], diff) == {"x": (after.encode(), False)}
    assert preview(wrap(diff), trees[0])[0] == trees[1]


AROUND: dict[str, Callable[[str], str]] = {
    "in a fence": lambda diff: f"I changed some files:\n\n```diff\n{diff}```\n\nThat is all.\n",
    "in a longer fence": lambda diff: f"Here you are.\n~~~~\n{diff}~~~~\n",
    "in prose": lambda diff: f"I changed some files:\n\n{diff}\nThat is all: the tests pass.\n",
    "without git's headers": lambda diff: re.sub(r"^(diff --git|index) .*\n", "", diff, flags=re.MULTILINE),
}


@pytest.mark.parametrize("around", AROUND)
def test_what_is_around_a_diff_makes_no_difference(around: str, tmp_path: Path) -> None:
    diffs = some_diffs(tmp_path, Random(f"around {around}"), scaled(60), "-U3")
    tree, statuses = preview(AROUND[around](diffs.diff), diffs.before)
    assert (names_of_difference(tree, diffs.after), set(statuses)) == ([], {"applied"})


def test_a_diff_whose_lines_end_in_crlf_is_that_of_the_files_that_do_not(tmp_path: Path) -> None:
    diffs = some_diffs(tmp_path, Random("crlf"), scaled(60), "-U3")
    names = [name for name in diffs.before if b"\r" not in diffs.before[name] + diffs.after[name]]
    diff = "".join(section for name, section in sections(diffs.diff).items() if name in names)
    before, after = ({name: tree[name] for name in names} for tree in (diffs.before, diffs.after))
    tree, statuses = preview(diff.replace("\n", "\r\n"), before)
    assert (names_of_difference(tree, after), set(statuses)) == ([], {"applied"})


def shift(section: str) -> str:
    def move(header: re.Match[str]) -> str:
        old, new = (f"{int(header[at]) + SHIFT},{header[at + 1] or 1}" for at in (1, 3))
        return f"@@ -{old} +{new} @@"

    return re.sub(f"^{HEADER.pattern}", move, section, flags=re.MULTILINE)


def replace_headers(new: str) -> Callable[[str], str]:
    return lambda section: re.sub(f"^{HEADER.pattern}.*", new, section, flags=re.MULTILINE)


def keep_names(section: str) -> str:
    return re.sub(f"^{HEADER.pattern}", "@@", section, flags=re.MULTILINE)


WRONG = {
    "shifted": shift,
    "without numbers": replace_headers("@@ ... @@"),
    "with bare headers": replace_headers("@@"),
    "with names instead of numbers": keep_names,
}


def check_right_or_nowhere(folder: Path, random: Random, change: Callable[[str], str], options: str) -> Counter[bool]:
    """Count whether hunks that occur once were applied; each applied one must be in its place."""
    diffs = some_diffs(folder, random, 120, options)
    counts, wrong = Counter[bool](), list[str]()
    for name, section in sections(diffs.diff).items():
        text, file_hunks = diffs.before[name].decode(), list(hunks(section))
        once = [occurs_once(text, hunk) for hunk in file_hunks]
        result = preview_reply(change(section), {name: text}, literal=True)
        assert len(result.outcomes) == len(file_hunks), name
        landed = [outcome.status == "applied" for outcome in result.outcomes]
        counts.update(has_landed for has_landed, is_unique in zip(landed, once, strict=True) if is_unique)
        expected = apply_hunks(text, [hunk for hunk, has_landed in zip(file_hunks, landed, strict=True) if has_landed])
        if result.files.get(name, text) != expected and (change is not shift or all(once)):
            wrong.append(name)
    assert wrong == []
    return counts


@pytest.mark.parametrize("how", WRONG)
def test_a_hunk_does_not_land_in_what_an_earlier_one_has_put_in(how: str) -> None:
    diff = "--- a/x\n+++ b/x\n@@ -2,2 +2,5 @@ out:\n     a\n+    }\n+end\n+c\n     b\n"
    diff += "@@ -4,2 +7,3 @@ out:\n     }\n end\n+last\n"
    tree, _ = preview(WRONG[how](diff), {"x": b"out:\n    a\n    b\n    }\nend\n"})
    assert tree == {"x": b"out:\n    a\n    }\nend\nc\n    b\n    }\nend\nlast\n"}


@pytest.mark.parametrize("options", ["-U1", "-U3"])
@pytest.mark.parametrize("how", WRONG)
@pytest.mark.promise("reply.git")
def test_a_hunk_lands_where_it_belongs_or_nowhere_though_its_numbers_are_wrong(
    how: str, options: str, tmp_path: Path
) -> None:
    counts = check_right_or_nowhere(tmp_path, Random(f"wrong {how} {options}"), WRONG[how], options)
    assert counts[True] >= 0.98 * counts.total() > 100


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("options", ["-U1", "-U3"])
@pytest.mark.parametrize("how", WRONG)
def test_thousands_of_hunks_land_where_they_belong_or_nowhere_though_their_numbers_are_wrong(
    how: str, options: str, seed: int, tmp_path: Path
) -> None:
    counts = check_right_or_nowhere(tmp_path, Random(f"wrong {how} {options} {seed}"), WRONG[how], options)
    assert counts[True] >= 0.98 * counts.total()


NAMES = [
    "plain.py",
    "two words.txt",
    " leading space",
    "größe.md",
    "日本/語.txt",
    "🙂.txt",
    'quo"ted.py',
    "it's.py",
    "a b/a b",
    "x b/x b",
    "a/b/a",
    "-n",
    "[a]*",
    "deep/er/still/file.c",
]
KINDS = (
    "update update create delete rename rename-update mode mode-update rename-mode empty fill unfinished same".split()
)


class Trees(Record):
    """Two trees, and their executable files."""

    before: Tree
    after: Tree
    executable: set[str]
    executable_after: set[str]


def some_trees(random: Random) -> Trees:
    trees = Trees({}, {}, set(), set())
    for at, name in enumerate(NAMES):
        for kind in random.sample(KINDS, 3):
            path = f"{kind}/{name}"
            lines = a_file(random, ".py")[:120] or ["pass\n"]
            new = second_version(random, lines, a_file(random, ".py"))[: len(lines) + 40]
            changed = [*lines[:-1], f"# {at}\n"]
            to = f"to/{name}" if "rename" in kind else path
            before = {"create": None, "fill": []}.get(kind, lines)
            after = {"delete": None, "empty": [], "update": new, "fill": new, "create": random.choice([new, []])}.get(
                kind, changed if "update" in kind else lines
            )
            if before is not None:
                trees.before[path] = "".join(before).encode()
            if after is not None:
                text = "".join(after).encode()
                trees.after[to] = text.rstrip(b"\n") if kind == "unfinished" else text
            if random.random() < 0.3:
                trees.executable.add(path)
            if (path in trees.executable) != ("mode" in kind):
                trees.executable_after.add(to)
    return trees


def check_trees(folder: Path, random: Random, options: str, wrap: Callable[[str], str]) -> None:
    trees = some_trees(random)
    versions = Versions(folder / "versions")
    names = versions.add(trees.before, trees.executable), versions.add(trees.after, trees.executable_after)
    diff = versions.diff(*names, *options.split())
    expected = {name: (content, name in trees.executable_after) for name, content in trees.after.items()}
    assert apply_with_git(folder / "git", trees.before, diff, trees.executable) == expected
    ours = folder / "ours"
    ours.mkdir()
    write(ours, trees.before, trees.executable)
    workspace = Workspace(ours, Settings(durability="fast", allow_executables=True))
    result = workspace.apply_reply(wrap(diff))
    assert not result.is_error, result.text
    assert {block["status"] for block in result.metadata["blocks"]} == {"applied"}
    actual = read(ours)
    assert sorted(name for name in actual.keys() | expected.keys() if actual.get(name) != expected.get(name)) == []
    assert not workspace.call("undo", {}).is_error
    assert read(ours) == {name: (content, name in trees.executable) for name, content in trees.before.items()}
    workspace.close()


@pytest.mark.parametrize("options", ["-M", "--no-renames", "-C --find-copies-harder", "--full-index -M10%"])
@pytest.mark.parametrize("wrap", [str, lambda diff: f"So:\n\n```diff\n{diff}```\n\nDone.\n"], ids=["bare", "fenced"])
def test_a_diff_of_a_tree_makes_the_tree_that_it_makes_in_git(
    wrap: Callable[[str], str], options: str, tmp_path: Path
) -> None:
    check_trees(tmp_path, Random(f"trees {options}"), options, wrap)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(scaled(30)))
@pytest.mark.parametrize("options", ["-M -U1", "-C --find-copies-harder"])
def test_diffs_of_many_trees_make_the_trees_that_they_make_in_git(options: str, seed: int, tmp_path: Path) -> None:
    check_trees(tmp_path, Random(f"trees {options} {seed}"), options, str)
