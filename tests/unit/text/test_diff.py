"""Unified diffs and the line diff."""

import difflib
from collections.abc import Callable, Sequence
from random import Random

import pytest

from suture.text import diff
from suture.text.diff import FileDiff, counts, line_edits, unified
from suture.text.edits import Edit, apply, edit

NUMBERS = b"".join(b"%d\n" % number for number in range(1, 21))

DIFFS = {
    "nothing": (FileDiff("a", "a", b"a\n", ()), b""),
    "nothing that changes": (FileDiff("a", "a", b"a\n", (edit(0, 1, b"a"),)), b""),
    "one line": (
        FileDiff("a", "a", b"1\n2\n3\n4\n5\n6\n7\n8\n9\n", (edit(8, 9, b"five"),)),
        b"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
    ),
    "two hunks": (
        FileDiff("a", "a", NUMBERS, (edit(0, 2, b""), edit(len(NUMBERS), len(NUMBERS), b"21\n"))),
        (
            b"diff --git a/a b/a\n--- a/a\n+++ b/a\n"
            b"@@ -1,4 +1,3 @@\n-1\n 2\n 3\n 4\n"
            b"@@ -18,3 +17,4 @@\n 18\n 19\n 20\n+21\n"
        ),
    ),
    "six lines between: one hunk": (
        FileDiff("a", "a", b"1\n2\n3\n4\n5\n6\n7\n8\n", (edit(0, 1, b"x"), edit(14, 15, b"y"))),
        b"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,8 +1,8 @@\n-1\n+x\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+y\n",
    ),
    "no newline at the end": (
        FileDiff("a", "a", b"1\n2", (edit(2, 3, b"3"),)),
        (
            b"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n"
            b"+3\n\\ No newline at end of file\n"
        ),
    ),
    "new": (
        FileDiff(None, "a", b"", (edit(0, 0, b"1\n"),), 0o755),
        b"diff --git a/a b/a\nnew file mode 100755\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+1\n",
    ),
    "new and empty": (FileDiff(None, "a", b"", ()), b"diff --git a/a b/a\nnew file mode 100644\n"),
    "deleted": (
        FileDiff("a", None, b"1\n2\n", (edit(0, 4, b""),)),
        b"diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-1\n-2\n",
    ),
    "deleted and empty": (
        FileDiff("a", None, b"", ()),
        b"diff --git a/a b/a\ndeleted file mode 100644\nindex e69de29..0000000\n",
    ),
    "renamed": (
        FileDiff("a", "b", b"1\n", ()),
        b"diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n",
    ),
    "renamed with edits": (
        FileDiff("a", "b", b"1\n", (edit(0, 1, b"2"),)),
        b"diff --git a/a b/b\nrename from a\nrename to b\n--- a/a\n+++ b/b\n@@ -1 +1 @@\n-1\n+2\n",
    ),
    "names in quotes": (
        FileDiff('q"', "s p\t\\\x7fé", b"", ()),
        (
            b'diff --git "a/q\\"" "b/s p\\011\\\\\\177\xc3\xa9"\nsimilarity index 100%\n'
            b'rename from "q\\""\nrename to "s p\\011\\\\\\177\xc3\xa9"\n'
        ),
    ),
}


@pytest.mark.parametrize(("file", "expected"), DIFFS.values(), ids=DIFFS)
def test_a_diff_is_written_as_git_writes_it(file: FileDiff, expected: bytes) -> None:
    assert unified(file) == expected


def test_the_number_of_context_lines_can_be_chosen() -> None:
    file = FileDiff("a", "a", b"1\n2\n3\n4\n5\n", (edit(4, 5, b"x"),))
    heads = [unified(file, context).splitlines()[3] for context in (0, 1, 2, 9)]
    assert heads == [b"@@ -3 +3 @@", b"@@ -2,3 +2,3 @@", b"@@ -1,5 +1,5 @@", b"@@ -1,5 +1,5 @@"]


@pytest.mark.parametrize(
    ("before", "edits", "expected"),
    [
        (b"", [], (0, 0)),
        (b"a\n", [edit(0, 1, b"b")], (1, 1)),
        (b"a\n", [edit(0, 1, b"a")], (0, 0)),
        (b"a\nb\n", [edit(1, 2, b" ")], (1, 2)),
        (b"a\nb\n", [edit(2, 2, b"x\ny\n")], (2, 0)),
        (b"a\nb", [edit(0, 3, b"")], (0, 2)),
        (b"a", [edit(1, 1, b"\n")], (1, 1)),
    ],
    ids=repr,
)
def test_counts_are_the_added_and_removed_lines(before: bytes, edits: list[Edit], expected: tuple[int, int]) -> None:
    assert counts(before, edits) == expected


@pytest.mark.promise("span.diff-semantics")
@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (b"", b"", []),
        (b"a\n", b"a\n", []),
        (b"", b"a\n", [edit(0, 0, b"a\n")]),
        (b"a\n", b"", [edit(0, 2, b"")]),
        (b"a\nb\nc\n", b"a\nx\nc\n", [edit(2, 4, b"x\n")]),
        (b"a\nb", b"a\nb\n", [edit(2, 3, b"b\n")]),
        (b"a\r\nb\n", b"a\nb\n", [edit(0, 3, b"a\n")]),
        (b"a\nb\nc\nd\n", b"x\nb\nc\ny\n", [edit(0, 2, b"x\n"), edit(6, 8, b"y\n")]),
        (b"a\nb\nc\nb\na\n", b"x\ny\nc\nb\nx\n", [edit(0, 4, b"x\ny\n"), edit(8, 10, b"x\n")]),
        (b"a\nb\nc\nd\n", b"b\nx\nc\ne\n", [edit(0, 2, b""), edit(4, 4, b"x\n"), edit(6, 8, b"e\n")]),
        (b"x\nb\nc\nd\n", b"a\nx\nc\ne\n", [edit(0, 0, b"a\n"), edit(2, 4, b""), edit(6, 8, b"e\n")]),
        (b"b\n", b"a\nb\nc\n", [edit(0, 0, b"a\n"), edit(2, 2, b"c\n")]),
        (b"a\nb\nc\n", b"b\n", [edit(0, 2, b""), edit(4, 6, b"")]),
        (b"a\na\nb\nb\n", b"b\nb\na\na\n", [edit(0, 0, b"b\nb\n"), edit(4, 8, b"")]),
        (b"x\na\na\ny\n", b"p\na\na\na\nq\n", [edit(0, 2, b"p\n"), edit(6, 8, b"a\nq\n")]),
    ],
    ids=repr,
)
def test_the_line_diff_finds_the_lines_that_differ(before: bytes, after: bytes, expected: list[Edit]) -> None:
    edits = line_edits(before, after)
    assert apply(before, edits) == after
    assert edits == expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("abc", "abc", [(0, 0), (1, 1), (2, 2)]),
        ("axbxc", "xabcx", [(0, 1), (2, 2), (4, 3)]),
        ("abcd", "dabc", [(0, 1), (1, 2), (2, 3)]),
        ("axx", "axxx", [(0, 0)]),
        ("aabb", "aabbb", [(0, 0), (1, 1)]),
        ("aab", "aabb", [(0, 0), (1, 1)]),
        ("aaa", "aa", []),
        ("ab", "cd", []),
    ],
)
def test_anchors_are_lines_that_occur_once_or_else_equally_often(
    old: str, new: str, expected: list[tuple[int, int]]
) -> None:
    assert diff._anchors([*map(str.encode, old)], [*map(str.encode, new)]) == expected


def test_a_large_gap_without_anchors_is_replaced_whole() -> None:
    before, after = b"a\n" * 500 + b"b\n" * 500, b"b\n" * 501 + b"a\n" * 501
    assert line_edits(before, after) == [edit(0, len(before), after)]


SIGHT: dict[str, tuple[Callable[[list[bytes]], list[bytes]], list[diff.Change]]] = {
    "a line changed, one more, one less": (
        lambda lines: [b"x\n", *lines[1:600], b"y\n", *lines[600:1000], *lines[1001:]],
        [(0, 1, 0, 1), (600, 600, 600, 601), (1000, 1001, 1001, 1001), (2000, 2000, 2000, 2000)],
    ),
    "nothing equal": (lambda lines: [b"x" + line for line in lines], [(0, 2000, 0, 2000)]),
    "an equal line in sight, but no long run": (
        lambda lines: [line if int(line) % 2 else b"x" + line for line in lines],
        [(0, 2000, 0, 2000)],
    ),
    "a long run in sight, and then nothing": (
        lambda lines: [b"x\n", *lines[1:600], *(b"x" + line for line in lines[600:])],
        [(0, 1, 0, 1), (600, 2000, 600, 2000)],
    ),
    "a long run out of sight": (
        lambda lines: [*(b"x" + line for line in lines[:256]), *lines[256:]],
        [(0, 2000, 0, 2000)],
    ),
    "the end in sight": (
        lambda lines: [b"x\n", *lines[1:1600], b"y\n", *lines[1601:]],
        [(0, 1, 0, 1), (1600, 2000, 1600, 2000)],
    ),
}


@pytest.mark.parametrize(("edit_lines", "expected"), SIGHT.values(), ids=SIGHT)
def test_a_difference_before_a_long_equal_run_is_a_separate_box(
    edit_lines: Callable[[list[bytes]], list[bytes]], expected: list[diff.Change]
) -> None:
    old = number_lines(2000)
    new = edit_lines(old)
    assert list(diff._split_at_runs(old, new, (0, len(old), 0, len(new)))) == expected
    assert rebuilt(old, new, diff.changes(old, new)) == new


@pytest.mark.parametrize(
    ("different", "expected"), [(7, [(0, 602, 0, 602)]), (8, [(0, 1, 0, 1), (602, 602, 602, 602)])]
)
def test_a_long_equal_run_of_few_different_lines_may_be_chance(different: int, expected: list[diff.Change]) -> None:
    run = [b"once\n", *(b"%d\n" % (index % different) for index in range(600))]
    assert list(diff._split_at_runs([b"x\n", *run], [b"y\n", *run], (0, 602, 0, 602))) == expected


class Line(bytes):
    """A line that counts comparisons and hashes of all lines: the work of a line diff."""

    work = 0

    def __eq__(self, other: object) -> bool:
        Line.work += 1
        return super().__eq__(other)

    def __hash__(self) -> int:
        Line.work += 1
        return super().__hash__()


def number_lines(count: int, prefix: str = "") -> list[bytes]:
    return [f"{prefix}{number}\n".encode() for number in range(count)]


def shuffle(lines: Sequence[bytes], seed: int) -> list[bytes]:
    return Random(seed).sample(lines, len(lines))


def edit_some(count: int) -> tuple[list[bytes], list[bytes]]:
    old = number_lines(count)
    return old, [b"changed\n" if index % 200 == 0 else line for index, line in enumerate(old)]


def move_third(count: int) -> tuple[list[bytes], list[bytes]]:
    old, third = number_lines(count), count // 3
    return old, [*old[third:], *old[:third]]


def zigzag(count: int) -> tuple[list[bytes], list[bytes]]:
    """Texts in which each round of anchoring finds only one line."""
    old, new = [b"x\n"] * count, [b"x\n", b"x\n", b"y\n"] * (count // 3)
    return [*old, b"once\n"], [b"once\n", *new]


HARD: dict[str, Callable[[int], tuple[list[bytes], list[bytes]]]] = {
    "few lines edited": edit_some,
    "nothing in common": lambda n: (number_lines(n), number_lines(n, "x")),
    "all lines equal, fewer": lambda n: ([b"a\n"] * n, [b"a\n"] * (n // 2)),
    "all lines equal between others": lambda n: (
        [b"x\n", *[b"a\n"] * n, b"y\n"],
        [b"p\n", *[b"a\n"] * (n // 2), b"q\n"],
    ),
    "reversed": lambda n: (number_lines(n), number_lines(n)[::-1]),
    "shuffled": lambda n: (number_lines(n), shuffle(number_lines(n), 1)),
    "two lines alternating, shifted": lambda n: ([b"a\n", b"b\n"] * n, [b"b\n", b"a\n"] * n),
    "two lines alternating, fewer": lambda n: ([b"a\n", b"b\n"] * n, [b"b\n", b"a\n"] * (n // 2)),
    "no line occurs once": lambda n: (number_lines(n // 2) * 2, shuffle(number_lines(n // 2) * 2, 2)),
    "few different lines at random": lambda n: (
        Random(3).choices(number_lines(5), k=n),
        Random(4).choices(number_lines(5), k=n),
    ),
    "many different lines at random": lambda n: (
        Random(5).choices(number_lines(n), k=n),
        Random(6).choices(number_lines(n), k=n),
    ),
    "a large block moved": move_third,
    "anchors in the wrong order": zigzag,
    "one line against many": lambda n: ([b"a\n", *number_lines(n), b"b\n"], [b"x\n", b"%d\n" % (n // 2), b"y\n"]),
}


@pytest.fixture
def cells(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The size of each comparison by difflib: lines times lines."""
    sizes: list[int] = []

    class Counting(difflib.SequenceMatcher[bytes]):
        def __init__(self, isjunk: None, a: Sequence[bytes], b: Sequence[bytes], autojunk: bool) -> None:  # noqa: FBT001  difflib's
            sizes.append(len(a) * len(b))
            super().__init__(isjunk, a, b, autojunk)

    monkeypatch.setattr(difflib, "SequenceMatcher", Counting)
    return sizes


@pytest.mark.slow
@pytest.mark.promise("bound.diff-time")
@pytest.mark.parametrize("make", HARD.values(), ids=HARD)
def test_twice_the_lines_take_at_most_twice_the_work(
    make: Callable[[int], tuple[list[bytes], list[bytes]]], cells: list[int]
) -> None:
    def work(count: int) -> int:
        old, new = make(count)
        cells.clear()
        Line.work = 0
        changes = diff.changes([Line(line) for line in old], [Line(line) for line in new])
        steps = Line.work
        assert rebuilt(old, new, changes) == new
        assert sum(cells) <= 400 * (len(old) + len(new))
        return steps

    assert work(8_000) <= 2.4 * work(4_000) + 1_000


def rebuilt(old: list[bytes], new: list[bytes], changes: list[diff.Change]) -> list[bytes]:
    """The new lines, made from the old ones and the changes, which must be in order and never touch."""
    result: list[bytes] = []
    position = 0
    for i, j, k, m in changes:
        assert (i, k) >= (position, len(result))
        result += [*old[position:i], *new[k:m]]
        position = j
    return [*result, *old[position:]]


@pytest.mark.promise("bound.diff-time")
def test_a_thousand_edits_in_a_large_file_are_found_by_anchors_alone(cells: list[int]) -> None:
    old, new = edit_some(200_000)
    edits = line_edits(b"".join(old), b"".join(new))
    assert (len(edits), cells) == (1_000, [])


@pytest.fixture
def compared_sizes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of lines in each line diff."""
    sizes: list[int] = []
    real = diff.changes

    def note_size(old: Sequence[bytes], new: Sequence[bytes]) -> list[diff.Change]:
        sizes.append(len(old) + len(new))
        return real(old, new)

    monkeypatch.setattr(diff, "changes", note_size)
    return sizes


@pytest.mark.promise("bound.diff-time")
def test_a_diff_from_known_edits_compares_only_the_lines_they_touch(compared_sizes: list[int]) -> None:
    before = b"".join(number_lines(200_000))
    places = [before.index(b"\n%d\n" % number) + 1 for number in range(100, 200_000, 2_000)]
    edits = tuple(edit(place, place + 1, b"x") for place in places)
    file = FileDiff("a", "a", before, edits)
    assert (unified(file).count(b"\n@@ "), counts(before, edits)) == (len(edits), (len(edits), len(edits)))
    assert compared_sizes == [2] * (2 * len(edits))


class Scanned(bytes):
    """Bytes that count how many of them are searched."""

    work = 0

    def find(self, *args: object) -> int:
        position = super().find(*args)  # type: ignore[arg-type]  # as `bytes.find` takes them
        Scanned.work += (position if position >= 0 else len(self)) - int(str(args[1]))
        return position


@pytest.mark.promise("bound.diff-time")
def test_many_edits_in_one_long_line_do_not_search_it_again_and_again() -> None:
    before = Scanned(b"x" * 100_000)
    edits = tuple(edit(place, place + 1, b"y") for place in range(0, 100_000, 100))
    Scanned.work = 0
    text = unified(FileDiff("a", "a", before, edits))
    assert text.count(b"y") == 1_000
    assert Scanned.work <= 4 * len(before)
