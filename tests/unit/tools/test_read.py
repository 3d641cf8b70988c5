from pathlib import Path

from suture import Workspace

THREE = b"one\ntwo\nthree\n"


def test_the_typed_method_is_the_same_call(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(THREE)
    workspace = Workspace(tmp_path)
    assert workspace.file_read("a", 2, 3, format="raw") == workspace.call(
        "file_read", {"path": "a", "start_line": 2, "end_line": 3, "format": "raw"}
    )
