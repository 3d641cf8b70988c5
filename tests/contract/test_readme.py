"""The README shows what works: every example in it is run."""

import re
from pathlib import Path

import pytest

from tests.contract.pages import ROOT, run_page

README = ROOT / "README.md"


@pytest.mark.promise("project.documents")
def test_every_example_of_the_readme_prints_what_is_shown(tmp_path: Path) -> None:
    run_page(README, tmp_path)


def test_the_two_commands_are_targets_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in ("demo", "test"):
        assert f"make {target} " in README.read_text(encoding="utf-8")
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
