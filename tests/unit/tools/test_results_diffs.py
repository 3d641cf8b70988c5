"""What changing tools answer with: files and diffs."""

from pathlib import Path

import pytest

from suture.plan import Content, Create, Delete, FileChange, Place, Rename, Snapshot, Update
from suture.settings import Settings
from suture.text import Text
from suture.text.edits import edit
from suture.tools.results import changed_files, cut, plan_diff, text_diff
from tests.unit.changes import create, git_apply, hash_of, land, lose, rename, succeed, workspace, write

BINARY = b"\0\1\2"


def place(path: str) -> Place:
    return Place(0, path, path)


def snapshot(path: str, content: bytes, mode: int = 0o644) -> Snapshot:
    return Snapshot(place(path), Text.decode(content), Content((content,)), (), mode)


def test_every_kind_of_file_change_is_reported_with_path_action_and_hash() -> None:
    old = snapshot("old", b"1\n")
    changes = [
        Create(place("a"), Content((b"1", b"2"))),
        Update(place("old"), old, Content((b"2\n",)), (edit(0, 1, b"2"),)),
        Delete(place("old"), old),
        Rename(place("old"), old, place("new")),
        Rename(place("old"), old, place("new"), Content((b"3\n",))),
    ]
    assert [file.data() for file in changed_files(changes)] == [
        {"path": "a", "action": "create", "hash": hash_of(b"12")},
        {"path": "old", "action": "update", "hash": hash_of(b"2\n")},
        {"path": "old", "action": "delete", "hash": None},
        {"path": "old", "action": "rename", "hash": hash_of(b"1\n"), "to": "new"},
        {"path": "old", "action": "rename", "hash": hash_of(b"3\n"), "to": "new"},
    ]


def test_a_kind_that_nobody_knows_is_a_defect() -> None:
    for tell in (changed_files, plan_diff):
        with pytest.raises(TypeError):
            tell([FileChange(place("a"))])


def test_the_diff_of_a_plan_is_that_of_its_files_one_after_the_other() -> None:
    old = snapshot("old", b"1\n", 0o755)
    assert plan_diff(
        [
            Create(place("a"), Content((b"1\n",))),
            Create(place("run"), Content((b"",)), 0o755),
            Update(place("old"), old, Content((b"2\n",))),
            Delete(place("old"), old),
            Rename(place("old"), old, place("new")),
        ]
    ) == (
        "diff --git a/a b/a\nnew file mode 100644\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+1\n"
        "diff --git a/run b/run\nnew file mode 100755\n"
        "diff --git a/old b/old\n--- a/old\n+++ b/old\n@@ -1 +1 @@\n-1\n+2\n"
        "diff --git a/old b/old\ndeleted file mode 100755\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n"
        "diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n"
    )


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        (b"1\n2\n", b"1\n2\n", []),
        (b"1\n2\n", b"1\n3\n", [" 1", "-2", "+3"]),
        (b"1\r\n2\r\n", b"1\r\n3\r\n", [" 1\r", "-2\r", "+3\r"]),
        (b"1\n2", b"1\n2\n", [" 1", "-2", "\\ No newline at end of file", "+2"]),
        (b"caf\xe9\n", b"caf\xe8\n", ["-caf\ufffd", "+caf\ufffd"]),
        (b"1\n", b"\xef\xbb\xbf1\n", ["-1", "+\ufeff1"]),
        (b"\xef\xbb\xbf1\n", b"1\n", ["-\ufeff1", "+1"]),
        ("\ufeffé\n".encode("utf-16-le"), "\ufeffè\n".encode("utf-16-le"), ["-é", "+è"]),
        ("\ufeffé\n".encode("utf-16-le"), "è\n".encode(), ["-é", "+è"]),
    ],
)
def test_a_text_is_compared_as_it_is_read(before: bytes, after: bytes, lines: list[str]) -> None:
    header = 4
    assert text_diff("a", "a", before, after, 0o644).split("\n")[header:-1] == lines


def test_a_binary_file_is_only_said_to_differ() -> None:
    assert text_diff("a", "a", BINARY, BINARY + b"1", 0o644) == "Binary files a and a differ\n"
    assert text_diff(None, "a", None, BINARY, 0o644) == "Binary files /dev/null and a differ\n"
    assert text_diff("a", None, BINARY, None, 0o644) == "Binary files a and /dev/null differ\n"


@pytest.mark.process
def test_a_binary_file_that_is_only_renamed_does_not_differ(tmp_path: Path) -> None:
    diff = text_diff("a", "b", BINARY, BINARY, 0o644)
    assert diff == "diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n"
    assert git_apply(tmp_path, {"a": BINARY}, diff) == {"b": BINARY}


def test_a_version_that_is_not_kept_is_named_in_the_diff_of_a_change() -> None:
    ws, fs = workspace({"a": b"1\n", "b": b"x\n"})
    change = land(ws, write("a", "2\n"), rename("b", "c"), create("run", "r\n", 0o755))
    lose(fs, b"1\n")
    assert succeed(ws.show(change))["diff"] == (
        "# a: a version of it was not kept\n"
        "diff --git a/b b/c\nsimilarity index 100%\nrename from b\nrename to c\n"
        "diff --git a/run b/run\nnew file mode 100755\n--- /dev/null\n+++ b/run\n@@ -0,0 +1 @@\n+r\n"
    )


@pytest.mark.parametrize(
    ("diff", "most", "expected"),
    [
        ("", 3, ""),
        ("1\n2\n3\n", 3, "1\n2\n3"),
        (
            "1\n2\n3\n4\n",
            3,
            "1\n2\n3\n… 1 more line (max_diff_lines)",
        ),
        (
            "1\n" * 2_000,
            1,
            "1\n… 1,999 more lines (max_diff_lines)",
        ),
    ],
)
def test_a_diff_is_cut_after_so_many_lines_and_says_so(diff: str, most: int, expected: str) -> None:
    assert cut(diff, Settings(max_diff_lines=most)).partition(";")[0] == expected


@pytest.mark.parametrize(
    ("most", "expected"),
    [
        (1, "… 2 more lines (max_read_bytes)"),
        (2, "12\n… 1 more line (max_read_bytes)"),
        (4, "12\n… 1 more line (max_read_bytes)"),
        (5, "12\n34"),
    ],
)
def test_a_diff_is_cut_between_lines(most: int, expected: str) -> None:
    assert cut("12\n34\n", Settings(max_read_bytes=most)).partition(";")[0] == expected


def test_a_long_line_of_a_diff_says_how_long_it_is() -> None:
    first, note = cut(f"+{'x' * 1_000}\n", Settings()).split("\n")
    assert first == f"+{'x' * 460} … (1,000 characters)"
    assert len(first) < 500
    assert note.startswith("… long lines are truncated;")


def test_names_that_need_quotes_get_them_and_absolute_ones_lose_their_slash() -> None:
    assert text_diff("a\tb", "a\tb", b"1\n", b"2\n", 0o644).split("\n")[0] == r'diff --git "a/a\011b" "b/a\011b"'
    assert text_diff("/x/y", "/x/y", b"1\n", b"2\n", 0o644).split("\n")[1] == "--- a/x/y"
