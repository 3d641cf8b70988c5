"""A check in a process of its own."""

import io
import sys
from typing import Any

import pytest

from suture.files.staging import Layout
from suture.validate import apart
from suture.validate.apart import check_apart, main
from suture.validate.issue import Issue, NotRunError
from suture.validate.programs import Ran
from suture.validate.table import built_in

STAGED = Layout("/nowhere", {}).stage("a").within(20)


class Stdin:
    """A text to be read."""

    def __init__(self, text: str) -> None:
        self.buffer = io.BytesIO(text.encode())


@pytest.fixture(autouse=True)
def unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the limit for the child from this process."""
    import resource  # noqa: PLC0415  only here

    monkeypatch.setattr(resource, "setrlimit", lambda *_: None)


@pytest.mark.parametrize(
    ("name", "text", "code", "said"),
    [
        ("json", "{", None, """[["error",1,1,"invalid-syntax","this '{' is never closed"]]"""),
        ("json", "{}", None, "[]"),
        ("yaml", "[" * 5_000, 3, '"'),
    ],
)
def test_the_child_tells_its_issues(
    name: str,
    text: str,
    code: int | None,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(text))
    try:
        main(name, "a", 5)
    except SystemExit as stop:
        assert stop.code == code  # noqa: PT017  one case of three
    assert capsys.readouterr().out.startswith(said)


def test_a_system_without_limits_is_taken_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resource", None)
    apart._limit_memory()


def test_the_parent_reads_them() -> None:
    assert check_apart(built_in("json"), "a.json", "[1,]", STAGED) == [
        Issue("error", 1, 3, "invalid-syntax", "a trailing comma: JSON allows none before a ']'")
    ]
    with pytest.raises(NotRunError):
        check_apart(built_in("yaml"), "a.yaml", "[" * 5_000, STAGED)


@pytest.mark.promise("safe.not-run")
def test_a_child_that_dies_has_not_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    def dead(*_: Any) -> Ran:
        return Ran(-11, b"", b"")

    monkeypatch.setattr("suture.validate.programs.run", dead)
    with pytest.raises(NotRunError, match="too large for it"):
        check_apart(built_in("json"), "a.json", "[]", STAGED)


def test_nothing_in_it_asks_for_a_staged_file() -> None:
    with pytest.raises(NotImplementedError):
        apart._Here(1).folder()
