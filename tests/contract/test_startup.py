"""What `suture` imports decides how fast it answers; the times themselves are in bench/."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.interop.mcp_servers import INITIALIZED, hello, request, tool_call

SLOW = (
    "mcp tree_sitter rich pydantic typing dataclasses logging pathlib inspect asyncio shutil subprocess difflib".split()
)
CALL_ONLY = "argparse re json hashlib".split()
PROBE = """
import sys
from suture.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
sys.stderr.write("\\n".join(sys.modules))
"""


def imported_modules(words: list[str], cwd: Path, *messages: dict[str, Any]) -> set[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    baseline, modules = (
        set(
            subprocess.run(
                [sys.executable, "-c", code, *words],
                cwd=cwd,
                env=environment,
                input="".join(f"{json.dumps(message)}\n" for message in messages),
                capture_output=True,
                text=True,
                check=True,
            ).stderr.split()
        )
        for code in ("import sys; sys.stderr.write('\\n'.join(sys.modules))", PROBE)
    )
    return modules - baseline


@pytest.mark.promise("bound.start-up")
def test_help_imports_nothing_slow(tmp_path: Path) -> None:
    modules = imported_modules(["--help"], tmp_path)
    assert modules.isdisjoint([*SLOW, *CALL_ONLY])
    assert {name for name in modules if name.startswith("suture")} == {"suture", "suture.cli"}


@pytest.mark.promise("bound.start-up")
def test_a_call_imports_nothing_slow(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    modules = imported_modules(["call", "file_read", json.dumps({"path": "a"})], tmp_path)
    assert "suture.tools.read" in modules
    assert modules.isdisjoint([*SLOW, *CALL_ONLY])
    unneeded = ["suture.files.commit", "suture.files.history", "suture.text.diff", "suture.text.edits", "suture.match"]
    assert modules.isdisjoint(unneeded)


@pytest.mark.promise("bound.start-up")
@pytest.mark.parametrize("words", [["search", "x"], ["search", "x", "a", "-l"], ["lines", "x", "a"]], ids=" ".join)
def test_a_search_imports_nothing_slow(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "a").write_text("x")
    modules = imported_modules(words, tmp_path)
    assert "re2" in modules
    assert modules.isdisjoint([*SLOW, "json", "hashlib", "regex", "orjson"])
    unneeded = ["suture.files.commit", "suture.files.history", "suture.text.diff", "suture.text.edits", "suture.match"]
    assert modules.isdisjoint(unneeded)


@pytest.mark.promise("bound.start-up")
@pytest.mark.parametrize("words", [[], ["--profile", "full"]], ids=" ".join)
def test_a_server_over_stdio_imports_no_sdk(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "a").write_text("x")
    begins = [hello(), INITIALIZED, request(1, "ping"), request(2, "tools/list"), request(3, "resources/list")]
    modules = imported_modules(["mcp", *words], tmp_path, *begins)
    assert "suture.server.direct" in modules
    assert modules.isdisjoint([*SLOW, "json", "hashlib", "orjson", "mcp_types", "anyio", "suture.server.sdk"])
    modules = imported_modules(["mcp", *words], tmp_path, *begins, tool_call(4, "file_read", {"path": "a"}))
    assert "orjson" in modules
    assert modules.isdisjoint(["mcp", "mcp_types", "pydantic", "anyio", "asyncio", "suture.server.sdk"])
