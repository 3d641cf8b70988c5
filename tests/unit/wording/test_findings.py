"""What checks found, in lines: how much of it is shown, and how much is only counted."""

from typing import Any

import pytest

from suture.shapes import Findings, FoundIssue, SkippedCheck, UnlistedFindings
from suture.wording import existing_errors, new_lines, other_lines, required_lines, validation_lines

NO_MORE = UnlistedFindings(new=0, existing=0, fixed=0, not_run=0)


def issue(line: int, code: str = "F821", severity: str = "error", column: int = 1) -> FoundIssue:
    return FoundIssue(
        path="a.py",
        line=line,
        column=column,
        severity=severity,
        code=code,
        message=f"problem {code}",
        validator="ruff",
        source="",
    )


def skipped(number: int, *, required: bool = False) -> SkippedCheck:
    return SkippedCheck(path="a.py", validator=f"check {number}", reason="it is missing", required=required)


def findings(**fields: Any) -> Findings:
    none = Findings(passed=False, new=[], existing=[], fixed=[], not_run=[])
    return none.evolve(**fields)


@pytest.mark.parametrize(
    ("number", "unlisted", "last"),
    [
        (10, 0, "a.py:10:1 F821 problem F821"),
        (11, 0, "… and 1 more in the metadata"),
        (500, 0, "… and 490 more in the metadata"),
        (500, 1_200, "… and 1,690 more (490 of them in the metadata)"),
    ],
)
def test_those_that_are_not_shown_are_counted(number: int, unlisted: int, last: str) -> None:
    issues = [issue(line) for line in range(1, number + 1)]
    more = {"unlisted": NO_MORE.evolve(new=unlisted, existing=unlisted)} if unlisted else {}
    lines = [*new_lines(findings(new=issues, **more))]
    assert (lines[:2], lines[-1]) == (["a.py:1:1 F821 problem F821", "a.py:2:1 F821 problem F821"], last)
    assert existing_errors(findings(existing=issues, **more)) == lines


def test_a_syntax_error_with_consequences_in_its_line_is_shown_once_and_all_are_counted() -> None:
    twice = [issue(line, "invalid-syntax", column=column) for line in range(1, 13) for column in (1, 2)]
    assert [*new_lines(findings(new=twice[:6]))] == [
        f"a.py:{line}:1 invalid-syntax problem invalid-syntax" for line in (1, 2, 3)
    ]
    lines = [*new_lines(findings(new=twice))]
    assert (len(lines), lines[-1]) == (11, "… and 14 more in the metadata")


def test_warnings_are_no_existing_errors() -> None:
    issues = [issue(1, severity="warning"), issue(2)]
    data = findings(existing=issues, unlisted=NO_MORE.evolve(existing=9))
    assert existing_errors(data) == ["a.py:2:1 F821 problem F821"]
    assert [*other_lines(data)] == [
        "Existing problems, not caused by this edit:",
        "a.py:2:1 F821 problem F821",
        "a.py:1:1 F821 problem F821 (warning)",
        "… and 9 more (0 of them in the metadata)",
    ]


def test_checks_that_did_not_run_and_fixed_problems_are_counted_too() -> None:
    many = [skipped(number, required=True) for number in range(12)]
    data = findings(not_run=many, fixed=[issue(1)], unlisted=NO_MORE.evolve(fixed=2, not_run=3))
    assert [*required_lines(data)][-1] == "… and 5 more (2 of them in the metadata)"
    lines = validation_lines(data)
    assert (lines[0], lines[-1]) == ("Fixed: 3 problems.", "⚠️ Not validated: … and 5 more (2 of them in the metadata)")
    assert [*required_lines(findings(not_run=[skipped(1), skipped(2, required=True)], unlisted=NO_MORE))] == [
        "a.py by check 2: it is missing"
    ]
