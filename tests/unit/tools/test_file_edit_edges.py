"""The tool `file_edit`, the specification's category 4: text matching, file operations, boundary conditions."""

import errno
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from suture import Settings, Workspace
from suture.testing import FaultyFS, MemoryFS
from tests.unit.changes import done, hashed, refused, workspace
from tests.unit.file_edits import Edit, ask, edit, edited, failed, seen, wrong

# Text matching


@pytest.mark.parametrize(
    "old", [".*", "a.c", "^x$", "(a|b)+", "[a-z]", "\\d", "\\", "$", "{2}", "?", "\\n", "$1", "%s"]
)
@pytest.mark.promise("edit.exact")
def test_matches_text_with_special_regex_characters_literally(old: str) -> None:
    assert edited(f"abc <{old}> 12\n".encode(), edit(f"<{old}>", f"[{old}]")) == f"abc [{old}] 12\n".encode()
    assert edited(f"abc <{old}> x\n".encode(), edit(f"{old}>", ">")) == b"abc <> x\n"
    assert wrong(failed(b"abc zz 12 yy\n", edit(f"q{old}", "w")))["type"] == "NO_MATCH"


@pytest.mark.parametrize(
    ("before", "edits", "after"),
    [
        (b"a\nb\nc\n", [edit("b", "B")], b"a\nB\nc\n"),
        (b"a\r\nb\r\nc\r\n", [edit("b", "B")], b"a\r\nB\r\nc\r\n"),
        (b"a\rb\rc\r", [edit("b", "B")], b"a\rB\rc\r"),
        (b"a\r\nb\nc\rd\n", [edit("b", "B")], b"a\r\nB\nc\rd\n"),
        (b"a\r\nb\r\nc\r\n", [edit("b", "1\n2")], b"a\r\n1\r\n2\r\nc\r\n"),
        (b"a\rb\rc\r", [edit("b", "1\n2")], b"a\r1\r2\rc\r"),
        (b"a\nb\nc\n", [edit("b", "1\n2")], b"a\n1\n2\nc\n"),
        (b"a\r\nb\r\nc\r\n", [edit("a\nb\n", "x\ny\nz\n")], b"x\r\ny\r\nz\r\nc\r\n"),
        (b"a\r\nb\r\nc\r\n", [edit("a\r\nb\r\n", "x\r\n")], b"x\r\nc\r\n"),
        (b"a\r\nb\r\nc\r\n", [edit("b", "1\r\n2")], b"a\r\n1\r\n2\r\nc\r\n"),
        (b"a\nb\nc\n", [edit("b", "1\r\n2")], b"a\n1\r\n2\nc\n"),
        (b"a\nb\nc\n", [edit("b", "1\r2")], b"a\n1\r2\nc\n"),
        (b"a\r\nb\nc\n", [edit("a", "1\n2")], b"1\r\n2\r\nb\nc\n"),
        (b"a\r\nb\nc\n", [edit("b", "1\n2")], b"a\r\n1\n2\nc\n"),
        (b"a\r\nb\nc\r\nd\r\n", [edit("a\nb\nc\n", "a\nB\nc\n")], b"a\r\nB\nc\r\nd\r\n"),
        (b"a\r\nb\r\n", [edit("a\nb", "x"), edit("x\n", "1\n2\n")], b"1\r\n2\r\n"),
        (b"a\x0bb\x0cc\xc2\x85d\xe2\x80\xa8e\n", [edit("b\x0cc", "x")], b"a\x0bx\xc2\x85d\xe2\x80\xa8e\n"),
    ],
)
@pytest.mark.promise("edit.span")
def test_preserves_different_line_endings(before: bytes, edits: list[Edit], after: bytes) -> None:
    assert edited(before, *edits) == after


def test_crlf_that_is_sent_for_lf_is_not_exact() -> None:
    assert wrong(failed(b"a\nb\nc\n", edit("a\r\nb", "x")))["type"] == "NO_MATCH"


@pytest.mark.parametrize(
    ("before", "edits", "after"),
    [
        ("naïve café\n", [edit("naïve", "naïf")], "naïf café\n"),
        ("a 🎉 b 🎉\n", [edit("🎉", "🚀", 2)], "a 🚀 b 🚀\n"),
        ("👨‍👩‍👧 x 👨\n", [edit("👨‍👩‍👧", "family")], "family x 👨\n"),
        ("e\u0301 é\n", [edit("e\u0301", "E")], "E é\n"),
        ("e\u0301 é\n", [edit("é", "E")], "e\u0301 E\n"),
        ("日本語テキスト\n", [edit("本語", "x")], "日xテキスト\n"),
        ("שלום עולם\n", [edit("עולם", "x")], "שלום x\n"),
        ("x\n", [edit("x", "🏳️‍🌈 \U00010348 \ufb01")], "🏳️‍🌈 \U00010348 \ufb01\n"),
        ("a\u200bb ab\n", [edit("a\u200bb", "z")], "z ab\n"),
        ("I\u0130i\u0131\n", [edit("\u0130", "x")], "Ixi\u0131\n"),
        ("straße STRASSE\n", [edit("ß", "ss")], "strasse STRASSE\n"),
    ],
)
@pytest.mark.promise("edit.exact")
def test_handles_unicode_and_emoji_correctly(before: str, edits: list[Edit], after: str) -> None:
    assert edited(before.encode(), *edits) == after.encode()


@pytest.mark.promise("edit.exact")
def test_what_only_looks_alike_is_not_matched() -> None:
    for before, old in (("e\u0301\n", "é"), ("é\n", "e\u0301"), ("“x”\n", '"x"'), ("a\u00a0b\n", "a b")):
        assert wrong(failed(before.encode(), edit(old, "new")))["type"] == "NO_MATCH"


def test_a_base_letter_is_found_below_its_combining_mark() -> None:
    assert edited("e\u0301\n".encode(), edit("e", "a")) == "a\u0301\n".encode()


def test_matches_empty_strings_correctly() -> None:
    assert edited(b"", edit("", "new\n")) == b"new\n"
    assert edited(b"\xef\xbb\xbf", edit("", "new\n")) == b"\xef\xbb\xbfnew\n"
    assert edited(b"", edit("", "", 1)) == b""
    assert edited(b"x", edit("x", "")) == b""
    for before in (b"x", b"\n", b" "):
        assert wrong(failed(before, edit("", "new")))["type"] == "NO_MATCH"
    assert wrong(failed(b"", edit("", "new", 2)))["type"] == "WRONG_COUNT"
    assert wrong(failed(b"", edit("x", "new")))["type"] == "NO_MATCH"


def test_an_empty_text_in_a_file_that_is_not_empty_is_told_what_to_do() -> None:
    result = failed(b"some text\n", edit("", "new"))
    assert "empty" in result.text
    assert refused(result)["hint"]


def test_handles_null_bytes_in_text() -> None:
    far = b"x" * 9_000 + b"\nbefore \0 after\n"
    assert edited(far, edit("before \0 after", "no zero")) == b"x" * 9_000 + b"\nno zero\n"
    assert edited(far, edit("after", "\0")) == b"x" * 9_000 + b"\nbefore \0 \0\n"
    assert edited(b"a b\n", edit("a", "a\0")) == b"a\0 b\n"
    assert wrong(failed(b"a b\n", edit("a\0b", "x")))["type"] == "NO_MATCH"


def test_what_a_null_byte_was_put_into_can_be_brought_back() -> None:
    ws, fs = workspace({"a": b"a b\n"})
    done(ask(ws, "a", edit("a", "\0")))
    assert refused(ask(ws, "a", edit("b", "c")))["code"] == "BINARY_FILE"
    done(ws.undo())
    assert fs.files() == {"a": b"a b\n"}


# Encodings


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be"])
@pytest.mark.promise("edit.span")
def test_a_file_stays_in_its_encoding(codec: str) -> None:
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(codec, b"")
    before, after = ("ä naïve\r\n{}\r\nend".format, "ö naïf\r\n{}\r\nend".format)
    edits = [edit("ä naïve\n", "ö naïf\n"), edit("old", "🎉\n“new”")]
    expected = mark + after("🎉\r\n“new”").encode(codec)
    assert edited(mark + before("old").encode(codec), *edits) == expected


def test_a_mark_is_no_text() -> None:
    before = b"\xef\xbb\xbfone\n"
    assert edited(before, edit("one", "two")) == b"\xef\xbb\xbftwo\n"
    ws, _ = workspace({"a": before * 1 + b"one\n"})
    locations = wrong(ask(ws, "a", edit("one", "x")))["match_locations"]
    assert [each["column_start"] for each in locations] == [1, 1]


def test_a_named_encoding_is_used_and_what_it_lacks_is_refused() -> None:
    before = "naïve café\n".encode("cp1252")
    assert edited(before, edit("naïve", "“näiv”"), encoding="cp1252") == "“näiv” café\n".encode("cp1252")
    error = refused(failed(before, edit("naïve", "→"), encoding="cp1252"))
    assert (error["code"], error["character"]) == ("NOT_ENCODABLE", "→")
    assert refused(failed(before, edit("naïve", "x"), encoding="klingon"))["code"] == "ENCODING_MISMATCH"


def test_bytes_of_an_unknown_encoding_pass_through() -> None:
    before = b"na\xefve caf\xe9\r\nplain text\n"
    assert edited(before, edit("plain", "clear")) == b"na\xefve caf\xe9\r\nclear text\n"
    error = refused(failed(before, edit("plain", "klår")))
    assert (error["code"], "cp1252" in error["candidates"]) == ("ENCODING_UNKNOWN", True)
    ws, fs = workspace({"a.l1": before}, Settings(encodings=(("*.l1", "latin-1"),)))
    done(ask(ws, "a.l1", edit("naïve", "naïf"), edit("plain", "klår")))
    assert fs.files()["a.l1"] == "naïf café\r\nklår text\n".encode("latin-1")


def test_half_characters_are_refused() -> None:
    for half in ("\ud800", "\udc80"):
        assert refused(failed(b"a\n", edit("a", half)))["code"] == "NOT_ENCODABLE"
        assert wrong(failed(b"a\n", edit(half, "b")))["type"] == "NO_MATCH"


# File operations


def test_handles_permission_denied_errors_of_reading() -> None:
    fs = MemoryFS({"a": b"one\n"})
    untouched = seen(fs)
    for dry in (False, True):
        faulty = FaultyFS(fs, fail_at=1, error=errno.EACCES, only={"open_file"})
        result = ask(Workspace(fs.root, fs=faulty), "a", edit("one", "two"), dry_run=dry)
        assert (wrong(result)["type"], refused(result)["code"]) == ("PERMISSION_DENIED", "PERMISSION_DENIED")
        assert (result.metadata["path"], refused(result)["retryable"]) == ("a", False)
        assert "ermission" in result.text
    assert seen(fs) == untouched


@pytest.mark.parametrize("dry", [False, True])
def test_handles_permission_denied_errors_of_writing(*, dry: bool) -> None:
    ws, fs = workspace({"a": b"one\n"})
    fs.node_of("a").mode = 0o444
    untouched = seen(fs)
    result = ask(ws, "a", edit("one", "two"), dry_run=dry)
    assert (wrong(result)["type"], refused(result)["code"]) == ("PERMISSION_DENIED", "PERMISSION_DENIED")
    assert result.metadata["path"] == "a"
    assert seen(fs) == untouched


@pytest.mark.parametrize("dry", [False, True])
def test_handles_file_not_found_errors(*, dry: bool) -> None:
    ws, fs = workspace({"src/app.ts": b"one\n", "src/other.ts": b"", "lib/app.ts": b""})
    untouched = seen(fs)
    result = ask(ws, "src/apps.ts", edit("one", "two"), edit("x", "y"), dry_run=dry)
    told, error = wrong(result), refused(result)
    assert (told["type"], told["total_edits"], error["code"]) == ("FILE_NOT_FOUND", 2, "FILE_NOT_FOUND")
    assert (result.metadata["path"], error["near"][0]) == ("src/apps.ts", "src/app.ts")
    assert "src/app.ts" in result.text
    assert seen(fs) == untouched


@pytest.mark.parametrize("path", ["src/Button.tsx", "src/button.ts", "src/buton.tsx", "src/buttons.tsx"])
def test_a_missing_file_is_told_with_names_that_are_near(path: str) -> None:
    ws, fs = workspace({"src/button.tsx": b"one\n", "src/readme.md": b""})
    result = ask(ws, path, edit("one", "two"))
    assert wrong(result)["type"] == "FILE_NOT_FOUND"
    assert refused(result)["near"] == ["src/button.tsx"]
    assert "src/button.tsx" in result.text
    assert fs.files() == {"src/button.tsx": b"one\n", "src/readme.md": b""}


@pytest.mark.parametrize(
    "before", [b"\0", b"PK\x03\x04\0\0data one", b"one\n" * 2_000 + b"\0", b"\x89PNG\r\n\x1a\n\0one"]
)
def test_detects_and_rejects_binary_files(before: bytes) -> None:
    result = failed(before, edit("one", "two"))
    told, error = wrong(result), refused(result)
    assert (told["type"], error["code"], result.metadata["path"]) == ("BINARY_FILE", "BINARY_FILE", "a")
    assert "binary" in result.text


def test_handles_symlinks_correctly(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "real.txt").write_bytes(b"one\n")
    (root / "link").symlink_to("sub/real.txt")
    (root / "chain").symlink_to(root / "link")
    ws = Workspace(root)
    assert done(ask(ws, "link", edit("one", "two")))["path"] == "sub/real.txt"
    data = done(ask(ws, "chain", edit("two", "three")))
    assert (data["path"], data["diff"]["unified"].count("sub/real.txt") > 0) == ("sub/real.txt", True)
    assert (root / "sub" / "real.txt").read_bytes() == b"three\n"
    assert (root / "link").is_symlink()
    assert (root / "chain").is_symlink()
    assert ask(ws, "link", edit("nowhere", "x")).metadata["path"] == "sub/real.txt"


@pytest.mark.parametrize("aim", ["../outside.txt", "/etc/hostname", "loop", "../missing"])
def test_symlinks_that_lead_outside_are_refused(tmp_path: Path, aim: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "outside.txt").write_bytes(b"one\n")
    (root / "loop").symlink_to("loop")
    if aim != "loop":
        (root / "link").symlink_to(aim)
    result = ask(Workspace(root), "loop" if aim == "loop" else "link", edit("one", "two"))
    assert refused(result)["code"] == "PATH_OUTSIDE_WORKSPACE"
    assert (tmp_path / "outside.txt").read_bytes() == b"one\n"


@pytest.mark.parametrize("path", ["../outside.txt", "/etc/passwd", "sub/../../outside.txt", "/ws-other/a"])
@pytest.mark.parametrize("dry", [False, True])
def test_paths_outside_the_workspace_are_refused(path: str, *, dry: bool) -> None:
    ws, fs = workspace({"a": b"one\n", "sub/b": b"one\n"})
    untouched = seen(fs)
    assert refused(ask(ws, path, edit("one", "two"), dry_run=dry))["code"] == "PATH_OUTSIDE_WORKSPACE"
    assert seen(fs) == untouched


def test_what_is_protected_or_no_file_is_refused() -> None:
    ws, fs = workspace({".git/config": b"one\n", "sub/a": b"one\n"})
    fs.put_special("pipe")
    untouched = seen(fs)
    for path, code in ((".git/config", "PROTECTED_PATH"), ("sub", "NOT_A_FILE"), ("pipe", "NOT_A_FILE")):
        assert refused(ask(ws, path, edit("one", "two")))["code"] == code
    assert seen(fs) == untouched


def test_an_absolute_path_inside_is_told_relative() -> None:
    ws, fs = workspace({"sub/a": b"one\n"})
    assert done(ask(ws, f"{fs.root}/sub/a", edit("one", "two")))["path"] == "sub/a"
    assert done(ask(ws, "./sub/../sub/a", edit("two", "three")))["path"] == "sub/a"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o4755])
@pytest.mark.promise("edit.span")
def test_preserves_file_permissions_and_attributes(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "script.sh"
    path.write_bytes(b"#!/bin/sh\necho one\n")
    path.chmod(mode)
    before = path.stat()
    done(ask(Workspace(tmp_path), "script.sh", edit("one", "two")))
    after = path.stat()
    assert path.read_bytes() == b"#!/bin/sh\necho two\n"
    assert stat.S_IMODE(after.st_mode) == mode
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)
    assert os.listdir(tmp_path) == ["script.sh"]  # noqa: PTH208  names, hidden ones too


def test_extended_attributes_and_hard_links_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\n")
    (tmp_path / "b").hardlink_to(path)
    try:
        os.setxattr(path, "user.note", b"mine")
    except (AttributeError, OSError):
        note = None
    else:
        note = b"mine"
    done(ask(Workspace(tmp_path), "a", edit("one", "two")))
    assert (path.read_bytes(), (tmp_path / "b").read_bytes(), path.stat().st_nlink) == (b"two\n", b"two\n", 2)
    assert note is None or os.getxattr(path, "user.note") == note


# Boundary conditions


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"start middle end\n", "start", "", b" middle end\n"),
        (b"start middle end\n", "start", "new\nstart", b"new\nstart middle end\n"),
        (b"\nstart\n", "\nstart", "start", b"start\n"),
        (b"s", "s", "t", b"t"),
    ],
)
def test_handles_editing_at_start_of_file(before: bytes, old: str, new: str, after: bytes) -> None:
    assert edited(before, edit(old, new)) == after
    assert edited(b"\xef\xbb\xbf" + before, edit(old, new)) == b"\xef\xbb\xbf" + after


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"start\nend\n", "end\n", "END\n", b"start\nEND\n"),
        (b"start\nend\n", "end\n", "END", b"start\nEND"),
        (b"start\nend\n", "end\n", "", b"start\n"),
        (b"start\nend", "end", "end\n", b"start\nend\n"),
        (b"start\r\nend", "end", "end\n", b"start\r\nend\r\n"),
        (b"start\nend", "\nend", "", b"start"),
        (b"start\r\nend\r\n", "end\n", "1\n2\n", b"start\r\n1\r\n2\r\n"),
    ],
)
def test_handles_editing_at_end_of_file(before: bytes, old: str, new: str, after: bytes) -> None:
    assert edited(before, edit(old, new)) == after


@pytest.mark.parametrize("before", ["one\ntwo\n", "one", "one\r\ntwo", "ä\n", "\n", " \t\n\n"])
@pytest.mark.parametrize("new", ["", "new", "new\n"])
def test_handles_replacing_entire_file_content(before: str, new: str) -> None:
    expected = new.replace("\n", "\r\n") if "\r" in before else new
    assert edited(before.encode(), edit(before, new)) == expected.encode()


def test_handles_file_with_no_newline_at_end() -> None:
    assert edited(b"a\nb\nc", edit("b", "B")) == b"a\nB\nc"
    assert edited(b"a\nb\nc", edit("c", "C")) == b"a\nb\nC"
    assert edited(b"a", edit("a", "b")) == b"b"
    assert wrong(failed(b"a\nb\nc", edit("c\n", "C\n")))["type"] == "NO_MATCH"


# A file that is not the one the caller knows


@pytest.mark.parametrize("dry", [False, True])
def test_a_file_that_is_not_the_expected_one_is_refused_before_it_is_searched(*, dry: bool) -> None:
    for each in (edit("one", "two"), edit("nowhere", "two")):
        for expected in (hashed(b"other\n"), {"a": hashed(b"other\n")}):
            error = refused(failed(b"one\n", each, expect_hash=expected, dry_run=dry))
            assert (error["code"], error["retryable"], error["found"]) == ("FILE_CHANGED", True, hashed(b"one\n"))
    ws, _ = workspace({"a": b"one\n"})
    done(ask(ws, "a", edit("one", "two"), expect_hash=hashed(b"one\n"), dry_run=dry))


def test_the_hash_of_one_call_is_what_the_next_may_expect() -> None:
    ws, fs = workspace({"a": b"one\n"})
    first: dict[str, Any] = done(ask(ws, "a", edit("one", "two")))
    done(ask(ws, "a", edit("two", "three"), expect_hash=first["hash"]))
    fs.put("a", b"three, by somebody else\n")
    assert refused(ask(ws, "a", edit("three", "four"), expect_hash=hashed(b"three\n")))["code"] == "FILE_CHANGED"


def test_a_file_that_changes_during_the_call_is_edited_as_it_then_is() -> None:
    fs = MemoryFS({"a": b"one\n"})

    def somebody_else(number: int, _: str) -> None:
        if number == 1:
            fs.put("a", b"first\none\n")

    ws = Workspace(fs.root, fs=FaultyFS(fs, only={"lock"}, on_call=somebody_else))
    data = done(ask(ws, "a", edit("one", "two")))
    assert (fs.files(), data["edits_applied"][0]["line_numbers"]) == ({"a": b"first\ntwo\n"}, [2])


def test_a_file_that_changes_during_the_call_can_make_it_fail() -> None:
    fs = MemoryFS({"a": b"one\n"})

    def somebody_else(number: int, _: str) -> None:
        if number == 1:
            fs.put("a", b"one\none\n")

    ws = Workspace(fs.root, fs=FaultyFS(fs, only={"lock"}, on_call=somebody_else))
    told = wrong(ask(ws, "a", edit("one", "two")))
    assert (told["type"], told["actual_occurrences"], fs.files()) == ("WRONG_COUNT", 2, {"a": b"one\none\n"})


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO])
def test_a_write_that_fails_leaves_everything_as_it_was(error: int) -> None:
    fs = MemoryFS({"a": b"one\n"})
    ws = Workspace(fs.root, fs=FaultyFS(fs, fail_at=2, error=error, only={"write"}))
    told = refused(ask(ws, "a", edit("one", "two")))
    assert (told["code"], told["retryable"], fs.files()) == ("WRITE_FAILED", True, {"a": b"one\n"})
