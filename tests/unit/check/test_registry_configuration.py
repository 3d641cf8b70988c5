"""What a project and an operator can configure, and what is invalid."""

from typing import Any

import pytest

from suture.check.registry import Configuration, Rule, merge_configurations, parse_configuration


def test_everything_that_can_be_said_about_a_check() -> None:
    table = {
        "files": ["src/**"],
        "exclude": ["a.py"],
        "severity": "warning",
        "required": True,
        "enabled": True,
        "timeout_ms": 5,
        "command": ["x", "{file}"],
    }
    configuration = parse_configuration({"validators": {"x": table}}, "suture.toml", by_project=True)
    rule = Rule("x", ("src/**",), ("a.py",), "warning", True, True, 5, ("x", "{file}"), by_project=True)  # noqa: FBT003  in the order of its fields
    assert configuration == Configuration({"x": rule})


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ({"file": ["x"]}, "unknown key file; valid keys are command, enabled,"),
        ({"files": "x"}, "files must be a list of strings"),
        ({"files": []}, "files must be a list of strings"),
        ({"files": [1]}, "files must be a list of strings"),
        ({"command": "rm -rf /", "files": ["*"]}, "command must be a list of strings"),
        ({"command": ["x"]}, "a command needs files"),
        ({"required": "yes"}, "required must be true or false"),
        ({"enabled": 1}, "enabled must be true or false"),
        ({"severity": "fatal"}, "severity must be error or warning"),
        ({"timeout_ms": 0}, "timeout_ms must be a positive integer"),
        ({"timeout_ms": True}, "timeout_ms must be a positive integer"),
        ({"timeout_ms": "5"}, "timeout_ms must be a positive integer"),
        (["x"], "it must be a table"),
    ],
)
def test_what_does_not_fit_is_reported_and_left_out(table: Any, problem: str) -> None:
    configuration = parse_configuration({"validators": {"x": table}}, "here", by_project=False)
    assert configuration.rules == {}
    assert len(configuration.problems) == 1
    assert configuration.problems[0].startswith(f"here: validators.x: {problem}")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({"validators": []}, "here: validators must be a table of tables"),
        ({"validator": {}}, "here: unknown key validator; expected validators"),
        ({"trust": "/root"}, "here: trust must be a list of folders"),
    ],
)
def test_a_file_that_says_something_else_is_reported(content: dict[str, Any], problem: str) -> None:
    assert parse_configuration(content, "here", by_project=False) == Configuration(problems=(problem,))


@pytest.mark.promise("safe.commands")
def test_only_the_operator_can_trust() -> None:
    table = {"trust": ["/project"]}
    assert parse_configuration(table, "suture.toml", by_project=False).trust == ("/project",)
    configuration = parse_configuration(table, "suture.toml", by_project=True)
    assert configuration.trust == ()
    assert configuration.problems == ("suture.toml: only the operator's own file may set trust",)


@pytest.mark.promise("safe.commands")
def test_what_the_operator_names_is_the_operators_alone() -> None:
    weak = {"validators": {"x": {"command": ["evil"], "files": ["*"], "enabled": False}, "y": {"enabled": False}}}
    project = parse_configuration(weak, "suture.toml", by_project=True)
    operator = parse_configuration({"validators": {"x": {"required": True}}, "trust": ["/a"]}, "own", by_project=False)
    merged = merge_configurations(project, operator)
    assert merged.rules["x"] == Rule("x", required=True)
    assert merged.rules["y"] == Rule("y", enabled=False, by_project=True)
    assert merged.trust == ("/a",)
