"""Every case file by the command line and by MCP: the same outcome and the same files as by the library."""

from __future__ import annotations

import pytest

from tests.cases.case_file import Case, every_case
from tests.cases.ways import run

pytestmark = pytest.mark.slow  # two servers or parsers per case: `make quick` runs the cases by the library

PARAMETERS = [pytest.param(case, id=case.id) for case in every_case() if set(case.ways) - {"library"}]


@pytest.mark.parametrize("case", PARAMETERS)
def test_a_case_is_the_same_by_command_line_and_server(case: Case) -> None:
    by_library = run(case, "library")
    for way in case.ways:
        results = by_library if way == "library" else run(case, way)
        for count, (expected, result) in enumerate(zip(by_library, results, strict=True), 1):
            assert result.outcome == expected.outcome, f"{way}, request {count}"
            assert result.tree == expected.tree, f"{way}, request {count}"
