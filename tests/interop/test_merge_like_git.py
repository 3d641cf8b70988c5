"""Our merge compared with `git merge-file`, on thousands of triples of texts.

The two agree in how changes are put together, and that is tested exactly: with git's own line diff in place of
ours, every triple gives git's result, clean or conflict, byte for byte. What is left is how lines are paired.
git's diff is the shortest one; ours holds fast to lines that occur once. Where lines repeat, or a block moved,
both pairings are right and tell different stories. So a difference is allowed only where the line diffs differ,
and only rarely.
"""

import os
import re
import shutil
import subprocess
import sysconfig
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from suture.records import Record
from suture.text import merge as merging
from suture.text.diff import Change, split_lines
from suture.text.edits import apply
from suture.text.merge import Merged, merge
from tests.scale import scaled

Triple = tuple[bytes, bytes, bytes]
NAMES = ("base", "ours", "theirs")
HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


class Case(Record):
    """A triple, git's line diffs of its sides, and git's result, None for a conflict."""

    name: str
    triple: Triple
    ours: list[Change]
    theirs: list[Change]
    result: bytes | None


def git(folder: Path, *arguments: str) -> tuple[int, bytes]:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_CEILING_DIRECTORIES": str(folder.parent),
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    command = ["git", *arguments]
    process = subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    return process.returncode, process.stdout


def merge_file(folder: Path, name: str, *options: str) -> tuple[int, bytes]:
    return git(folder, "merge-file", "-p", *options, f"ours/{name}", f"base/{name}", f"theirs/{name}")


def cases(folder: Path, triples: Iterable[Triple]) -> list[Case]:
    """Write the triples; let git merge them one by one, and compare them all at once."""
    by_name = {str(number): triple for number, triple in enumerate(triples)}
    for index, side in enumerate(NAMES):
        (folder / side).mkdir()
        for name, triple in by_name.items():
            (folder / side / name).write_bytes(triple[index])
    ours, theirs = line_diffs(folder, "ours"), line_diffs(folder, "theirs")
    result = []
    for name, triple in by_name.items():
        conflicts, output = merge_file(folder, name)
        merged_text = None if conflicts else output
        result.append(Case(name, triple, ours.get(name, []), theirs.get(name, []), merged_text))
    return result


def line_diffs(folder: Path, side: str) -> dict[str, list[Change]]:
    """Git's line diff between each base and that side, as made for a merge."""
    options = "--no-index --no-renames --text --unified=1 --diff-algorithm=myers --no-indent-heuristic".split()
    _, output = git(folder, "diff", *options, "base", side)
    parts = re.split(rb"^diff --git .*/(\d+)\n", output, flags=re.MULTILINE)
    return {name.decode(): list(hunk_changes(part)) for name, part in zip(parts[1::2], parts[2::2], strict=True)}


def hunk_changes(part: bytes) -> Iterable[Change]:
    """The changes in the hunks of one file."""
    lines = iter(part.split(b"\n"))
    for head in lines:
        if not (match := HUNK.match(head)):
            continue
        first, length, new_first, new_length = (int(1 if number is None else number) for number in match.groups())
        i = j = first - 1 if length else first
        k = m = new_first - 1 if new_length else new_first
        end = (j + length, m + new_length)
        while (j, m) != end:
            sign = next(lines)[:1]
            j, m = j + (sign in b" -"), m + (sign in b" +")
            if sign == b" ":
                if (i + 1, k + 1) != (j, m):
                    yield i, j - 1, k, m - 1
                i, k = j, m
        if (i, k) != (j, m):
            yield i, j, k, m


def result_of(case: Case, merged: Merged) -> bytes | None:
    return None if merged.conflicts else apply(case.triple[1], merged.edits)


def merge_on_line_diffs_of_git(case: Case, strategy: str = "refuse") -> Merged:
    diffs = iter([case.ours, case.theirs])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "_push_down", lambda _old, _new: next(diffs))
        return merge(*case.triple, strategy)


def our_line_diffs(triple: Triple) -> tuple[list[Change], list[Change]]:
    base, ours, theirs = map(split_lines, triple)
    return merging._push_down(base, ours), merging._push_down(base, theirs)


def outcome(case: Case) -> str:
    """How our result relates to git's. A difference that the line diffs do not explain is a failure."""
    assert result_of(case, merge_on_line_diffs_of_git(case)) == case.result, case
    result = result_of(case, merge(*case.triple))
    if result == case.result:
        return "same"
    assert our_line_diffs(case.triple) != (case.ours, case.theirs), case
    if result is None:
        return "conflict only here"
    return "conflict only in git" if case.result is None else "other result"


def few_lines(random: Random) -> Triple:
    """A short text of few different lines, so that most occur several times, and two versions of it."""
    words = "abcdefgh"[: random.choice([3, 5, 8])]
    ending = random.choice(["\n", "\n", "\n", "\r\n"])
    base = random.choices(words, k=random.randrange(20))

    def finish(lines: list[str]) -> bytes:
        text = "".join(line + ending for line in lines)
        return text.removesuffix(random.choice([ending, *[" "] * 5])).encode()

    def change() -> bytes:
        lines = list(base)
        for _ in range(random.choice([1, 1, 2, 3])):
            at = random.randrange(len(lines) + 1)
            removed, added = random.choice([(0, 1), (0, 2), (1, 0), (2, 0), (1, 1), (1, 2)])
            lines[at : at + removed] = random.choices(words + "XY", k=added)
        return finish(lines)

    return finish(base), change(), change()


MODULES = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))


def a_module(random: Random) -> Triple:
    """Some lines of a module of the standard library, and two changed versions."""
    lines = split_lines(random.choice(MODULES).read_bytes())
    size = random.choice([20, 60, 200, 1000])
    at = random.randrange(max(1, len(lines) - size))
    base = lines[at : at + size]
    return b"".join(base), a_revision(random, base), a_revision(random, base)


def a_revision(random: Random, base: list[bytes]) -> bytes:
    lines = list(base)
    for _ in range(random.choice([1, 2, 5, 10])):
        at, other = random.randrange(len(lines) + 1), random.randrange(len(lines) + 1)
        count = random.choice([1, 1, 3, 8])
        match random.choice(["change", "insert", "insert", "delete", "copy", "move", "blank", "indent"]):
            case "change":
                lines[at : at + 1] = [
                    b"%s  # %d\n" % (line.rstrip(), random.randrange(9)) for line in lines[at : at + 1]
                ]
            case "insert":
                lines[at:at] = [b"    value = %d\n" % random.randrange(20)] * random.choice([1, 2])
            case "delete":
                del lines[at : at + count]
            case "copy":
                lines[at:at] = lines[other : other + count]
            case "move":
                block = lines[at : at + count]
                del lines[at : at + count]
                lines[other:other] = block
            case "blank":
                lines[at:at] = [b"\n"]
            case "indent":
                lines[at : at + count] = [b"    " + line for line in lines[at : at + count]]
    return b"".join(lines)


@pytest.mark.promise("back.merge-like-git")
@pytest.mark.parametrize("seed", range(4))
def test_short_texts_of_repeated_lines_merge_as_in_git_or_their_lines_are_paired_otherwise(
    seed: int, tmp_path: Path
) -> None:
    random = Random(f"few lines {seed}")
    counts = Counter(map(outcome, cases(tmp_path, [few_lines(random) for _ in range(300)])))
    assert counts["other result"] <= 3
    assert counts["conflict only here"] <= 9
    assert counts["conflict only in git"] <= 6
    assert counts["same"] >= 288


@pytest.mark.promise("back.merge-like-git")
@pytest.mark.parametrize("seed", range(3))
def test_revisions_of_real_modules_merge_as_in_git_or_their_lines_are_paired_otherwise(
    seed: int, tmp_path: Path
) -> None:
    random = Random(f"modules {seed}")
    counts = Counter(map(outcome, cases(tmp_path, [a_module(random) for _ in range(200)])))
    assert counts["other result"] <= 1
    assert counts["conflict only here"] <= 5
    assert counts["conflict only in git"] <= 2
    assert counts["same"] >= 194


def lines(letters: str) -> bytes:
    return "".join(letter + "\n" for letter in letters).encode()


@pytest.mark.promise("back.merge-like-git")
@pytest.mark.parametrize(
    ("letters", "of_git", "of_ours", "results"),
    [
        pytest.param(
            ("aba", "aab", "aa"),
            [(1, 2, 1, 1), (3, 3, 2, 3)],
            [(1, 1, 1, 2), (2, 3, 3, 3)],
            ("aab", None),
            id="git takes b as moved down and theirs as the first half of that; we take a as moved up",
        ),
        pytest.param(
            ("baab", "acb", "aab"),
            [(0, 2, 0, 0), (3, 3, 1, 2)],
            [(0, 1, 0, 0), (2, 3, 1, 2)],
            (None, "acb"),
            id="git takes two deleted lines where theirs has one; we take one, as theirs, and a replaced one",
        ),
        pytest.param(
            ("abaa", "baaa", "abaca"),
            [(0, 1, 0, 0), (4, 4, 3, 4)],
            [(0, 0, 0, 1), (1, 2, 2, 2)],
            ("bacaa", "baaca"),
            id="git takes a as moved to the end, behind c; we take b as moved up",
        ),
    ],
)
def test_what_a_pairing_of_lines_makes_of_a_merge(
    letters: tuple[str, str, str],
    of_git: list[Change],
    of_ours: list[Change],
    results: tuple[str | None, str | None],
    tmp_path: Path,
) -> None:
    base, ours, theirs = map(lines, letters)
    [case] = cases(tmp_path, [(base, ours, theirs)])
    assert (case.ours, our_line_diffs(case.triple)[0]) == (of_git, of_ours)
    assert case.theirs == our_line_diffs(case.triple)[1]
    assert [case.result, result_of(case, merge(*case.triple))] == [
        None if text is None else lines(text) for text in results
    ]


@pytest.mark.promise("back.merge-like-git")
@pytest.mark.parametrize(
    "letters",
    [("dcccd", "dccd", "edccd"), ("bbcccc", "bbccc", "bYbXccc"), ("eabbd", "eabbbd", "abbbd"), ("abc", "ac", "ac")],
    ids=" ".join,
)
def test_the_same_change_among_equal_lines_is_made_once_as_in_git(
    letters: tuple[str, str, str], tmp_path: Path
) -> None:
    [case] = cases(tmp_path, [(lines(letters[0]), lines(letters[1]), lines(letters[2]))])
    assert case.result is not None
    assert result_of(case, merge(*case.triple)) == case.result


@pytest.mark.parametrize("strategy", ["ours", "theirs"])
@pytest.mark.parametrize("make", [few_lines, a_module])
def test_the_strategies_ours_and_theirs_decide_conflicts_as_in_git(
    make: Callable[[Random], Triple], strategy: str, tmp_path: Path
) -> None:
    random = Random(f"strategies {strategy}")
    for case in cases(tmp_path, [make(random) for _ in range(scaled(100))]):
        merged = merge_on_line_diffs_of_git(case, strategy)
        assert (0, apply(case.triple[1], merged.edits)) == merge_file(tmp_path, case.name, f"--{strategy}")


def test_union_of_a_conflict_is_that_of_git_but_leaves_a_last_line_unfinished_that_nothing_follows(
    tmp_path: Path,
) -> None:
    """Several conflicts are not compared: git joins those with three lines or fewer between them."""
    random = Random("union")
    count = 0
    for case in cases(tmp_path, [few_lines(random) for _ in range(200)]):
        merged = merge_on_line_diffs_of_git(case, "union")
        if len(merged.conflicts) != 1:
            continue
        [conflict] = merged.conflicts
        if set(split_lines(conflict.ours)) & set(split_lines(conflict.theirs)):
            continue  # git looks for smaller conflicts between the lines they share
        result = apply(case.triple[1], merged.edits)
        _, expected = merge_file(tmp_path, case.name, "--union")
        if not conflict.theirs and not conflict.ours.endswith(b"\n"):
            expected = expected.removesuffix(b"\n").removesuffix(b"\r")
        assert result == expected, case
        count += 1
    assert count > 50


def test_the_line_diffs_of_git_are_read_as_they_are(tmp_path: Path) -> None:
    random = Random("line diffs")
    for case in cases(tmp_path, [few_lines(random) for _ in range(scaled(60))]):
        base, *sides = map(split_lines, case.triple)
        for side, changes in zip(sides, (case.ours, case.theirs), strict=True):
            result, position = list[bytes](), 0
            for i, j, k, m in changes:
                result += [*base[position:i], *side[k:m]]
                position = j
            assert [*result, *base[position:]] == side
            assert all(left[1] < right[0] for left, right in pairwise(changes))
