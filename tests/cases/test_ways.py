"""Every case file by the command line and by MCP: the same outcome and the same files as by the library."""

from __future__ import annotations

import pytest

from tests.cases.case_file import Case, every_case
from tests.cases.ways import run

pytestmark = pytest.mark.slow  # two servers or parsers per case: `make quick` runs the cases by the library

PARAMETERS = [
    pytest.param(case, way, id=f"{case.id}, {way}") for case in every_case() for way in case.ways if way != "library"
]


@pytest.mark.parametrize(("case", "way"), PARAMETERS)
def test_a_case_is_the_same_by_command_line_and_server(case: Case, way: str) -> None:
    for count, (library, other) in enumerate(zip(run(case, "library"), run(case, way), strict=True), 1):
        assert other.outcome == library.outcome, f"request {count}"
        assert other.tree == library.tree, f"request {count}"
