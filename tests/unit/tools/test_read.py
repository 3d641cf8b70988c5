from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from suture import Settings, Workspace
from suture.testing import MemoryFS

THREE = b"one\ntwo\nthree\n"


def read(files: dict[str, bytes], settings: Settings | None = None, **arguments: Any) -> Any:
    fs = MemoryFS(files)
    return Workspace(fs.root, settings, fs=fs).call("file_read", arguments)


@pytest.mark.promise("call.file-read")
def test_a_whole_file_comes_numbered_with_all_that_an_edit_must_know() -> None:
    raw = b"def f():\n    return 1\n"
    result = read({"src/a.py": raw}, path="src/a.py")
    assert result.to_dict() == {
        "isError": False,
        "content": [{"type": "text", "text": "     1\tdef f():\n     2\t    return 1"}],
        "metadata": {
            "path": "src/a.py",
            "hash": "sha256:" + sha256(raw).hexdigest(),
            "size": 22,
            "encoding": "utf-8",
            "bom": False,
            "line_ending": "lf",
            "final_newline": True,
            "indent": {"style": "spaces", "width": 4},
            "total_lines": 2,
            "start_line": 1,
            "end_line": 2,
            "truncated": False,
        },
    }


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"start_line": 2}, "     2\ttwo\n     3\tthree"),
        ({"start_line": 2, "end_line": 2}, "     2\ttwo"),
        ({"end_line": 99}, "     1\tone\n     2\ttwo\n     3\tthree"),
        ({"start_line": 3, "format": "raw"}, "three\n"),
        ({"format": "raw"}, "one\ntwo\nthree\n"),
        ({"start_line": 1, "end_line": 1, "format": "raw"}, "one\n"),
    ],
)
def test_a_range_is_inclusive_and_cut_to_the_file(arguments: dict[str, Any], text: str) -> None:
    assert read({"a": THREE}, path="a", **arguments).text == text


@pytest.mark.parametrize(
    ("raw", "metadata"),
    [
        (b"", {"line_ending": "none", "final_newline": False, "total_lines": 0, "end_line": 0}),
        (b"a", {"line_ending": "none", "final_newline": False, "total_lines": 1}),
        (b"a\r\nb\r\n", {"line_ending": "crlf", "final_newline": True, "total_lines": 2}),
        (b"a\r\nb\n", {"line_ending": "mixed", "total_lines": 2}),
        (b"a\rb", {"line_ending": "cr", "final_newline": False, "total_lines": 2}),
        (b"\xef\xbb\xbfa\n", {"encoding": "utf-8", "bom": True, "size": 5}),
        ("\ufeffé\n".encode("utf-16-le"), {"encoding": "utf-16-le", "bom": True, "line_ending": "lf"}),
        (b"caf\xe9\n", {"encoding": None, "bom": False}),
        (b"\tx\n\ty\n", {"indent": {"style": "tabs", "width": 0}}),
    ],
)
def test_the_metadata_tell_how_the_file_is_written(raw: bytes, metadata: dict[str, Any]) -> None:
    found = read({"a": raw}, path="a").metadata
    assert {name: found[name] for name in metadata} == metadata


@pytest.mark.parametrize(
    ("raw", "arguments", "text"),
    [
        (b"caf\xe9\n", {"format": "raw"}, "caf\ufffd\n"),
        (b"caf\xe9\n", {"encoding": "latin-1"}, "     1\tcafé"),
        (b"\xef\xbb\xbfa\n", {"format": "raw"}, "a\n"),
        ("\ufeffhé\r\n".encode("utf-16-be"), {}, "     1\thé"),
        ("h\u2028i\x0cj\x85\n".encode(), {}, "     1\th\u2028i\x0cj\x85"),
        ("hi\n".encode("utf-16-le"), {"encoding": "utf-16-le"}, "     1\thi"),
    ],
)
def test_text_is_shown_decoded(raw: bytes, arguments: dict[str, Any], text: str) -> None:
    assert read({"a": raw}, path="a", **arguments).text == text


@pytest.mark.parametrize(
    ("files", "arguments", "code"),
    [
        ({"a": THREE}, {"path": "a", "start_line": 4}, "RANGE_OUT_OF_BOUNDS"),
        ({"a": THREE}, {"path": "a", "start_line": 3, "end_line": 2}, "RANGE_OUT_OF_BOUNDS"),
        ({"a": b""}, {"path": "a", "start_line": 2}, "RANGE_OUT_OF_BOUNDS"),
        ({"a": THREE}, {"path": "a", "start_line": 0}, "INVALID_ARGUMENTS"),
        ({"a": THREE}, {"path": "b"}, "FILE_NOT_FOUND"),
        ({"a/b": THREE}, {"path": "a"}, "NOT_A_FILE"),
        ({"a": b"x\0y"}, {"path": "a"}, "BINARY_FILE"),
        ({"a": b"caf\xe9"}, {"path": "a", "encoding": "ascii"}, "ENCODING_MISMATCH"),
        ({"a": b"caf\xe9"}, {"path": "a", "encoding": "klingon"}, "ENCODING_MISMATCH"),
        ({"a": THREE}, {"path": "../a"}, "PATH_OUTSIDE_WORKSPACE"),
        ({"a": THREE}, {}, "INVALID_ARGUMENTS"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_code(
    files: dict[str, bytes], arguments: dict[str, Any], code: str
) -> None:
    result = read(files, **arguments)
    assert (result.is_error, result.metadata["error"]["code"]) == (True, code)


def test_a_missing_file_names_those_with_a_similar_name() -> None:
    result = read({"src/parser.py": b"", "src/other.py": b""}, path="src/parsr.py")
    assert result.metadata["error"]["near"] == ["src/parser.py"]
    assert "src/parser.py" in result.text


def test_a_missing_folder_still_leads_to_similar_names_above_it() -> None:
    assert read({"app.py": b""}, path="srcs/app.py").metadata["error"]["near"] == ["app.py"]


@pytest.mark.parametrize(
    ("settings", "raw", "end_line", "length"),
    [
        (Settings(max_read_lines=2), THREE, 2, len("one\ntwo\n")),
        (Settings(max_read_bytes=8), THREE, 2, 8),
        (Settings(max_read_bytes=2), THREE, 1, 2),
        (Settings(max_read_bytes=20), b"x" * 100, 1, 20),
    ],
)
def test_an_answer_is_bounded_and_says_that_it_was_cut(
    settings: Settings, raw: bytes, end_line: int, length: int
) -> None:
    result = read({"a": raw}, settings, path="a", format="raw")
    assert (result.metadata["end_line"], result.metadata["truncated"], len(result.text)) == (end_line, True, length)


def test_a_numbered_answer_says_what_is_missing_and_what_is_not_known() -> None:
    result = read({"a": b"\xe9\ntwo\n"}, Settings(max_read_lines=1), path="a")
    assert result.text == (
        "     1\t\ufffd\n\nNote: cut after line 1 of 2; go on with start_line 2."
        "\n\nNote: the encoding is not known; name it with `encoding` to see what U+FFFD stands for."
    )


def test_a_configured_encoding_is_used_where_it_fits() -> None:
    settings = Settings(encodings=(("*.txt", "latin-1"), ("*.jis", "ascii")))
    assert read({"a.txt": b"\xe9"}, settings, path="a.txt").text == "     1\té"
    assert read({"a.jis": b"\xe9"}, settings, path="a.jis", format="raw").text == "\ufffd"


def test_the_typed_method_is_the_same_call(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(THREE)
    workspace = Workspace(tmp_path)
    assert workspace.file_read("a", 2, 3, format="raw") == workspace.call(
        "file_read", {"path": "a", "start_line": 2, "end_line": 3, "format": "raw"}
    )
