"""Errors are data: a stable code and typed fields, no words."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from suture import errors
from suture.errors import FileChanged, FileExists, InternalError, OverlappingEdits, SutureError, WorkspaceBusy

KINDS = [
    kind
    for name, kind in sorted(vars(errors).items())
    if isinstance(kind, type) and issubclass(kind, SutureError) and not name.startswith("_") and kind is not SutureError
]
WITH_KIND = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def example(kind: type[SutureError]) -> SutureError:
    return kind(**{name: f"some {name}" for name in kind._fields})


@WITH_KIND
def test_an_error_has_a_code_and_exactly_its_fields(kind: type[SutureError]) -> None:
    error = example(kind)
    assert error.fields() == {name: f"some {name}" for name in kind._fields}
    assert error.args == (kind.code, error.fields())


@WITH_KIND
def test_the_code_is_the_name_of_the_class(kind: type[SutureError]) -> None:
    words = kind.__name__.removesuffix("Error")
    assert kind.code.replace("_", "").casefold() == words.casefold()


def test_no_two_errors_share_a_code() -> None:
    assert len({kind.code for kind in KINDS}) == len(KINDS)


def test_only_what_may_succeed_later_is_retryable() -> None:
    retryable = [kind.code for kind in KINDS if kind.retryable]
    assert retryable == [
        "CANCELLED",
        "FILE_CHANGED",
        "READ_FAILED",
        "REPLY_TIMEOUT",
        "SERVER_BUSY",
        "WORKSPACE_BUSY",
        "WRITE_FAILED",
    ]


@pytest.mark.parametrize(
    "fields",
    [{}, {"path": "a", "name": "b"}, {"name": "b"}, {"code": "X", "path": "a"}],
    ids=["missing", "unknown", "both", "the code"],
)
def test_fields_that_do_not_fit_are_a_type_error(fields: dict[str, str]) -> None:
    with pytest.raises(TypeError, match="FileExists"):
        FileExists(**fields)


def test_a_field_with_a_default_may_be_left_out() -> None:
    assert WorkspaceBusy(waited_ms=5).fields() == {"waited_ms": 5, "setting": "lock_timeout_ms"}
    assert WorkspaceBusy(waited_ms=5, setting="other").fields() == {"waited_ms": 5, "setting": "other"}


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (FileExists(path="a b"), "FILE_EXISTS path='a b'"),
        (OverlappingEdits(first=(0, 2), second=(1, 3)), "OVERLAPPING_EDITS first=(0, 2) second=(1, 3)"),
        (
            FileChanged(path="a", expected=None, found="x"),
            "FILE_CHANGED path='a' expected=None found='x' changed_lines=None",
        ),
        (InternalError(exception="KeyError"), "INTERNAL exception='KeyError'"),
        (SutureError(), "INTERNAL"),
    ],
    ids=lambda value: getattr(value, "code", ""),
)
def test_an_error_shows_its_code_and_fields(error: SutureError, line: str) -> None:
    assert str(error) == line


def test_an_error_of_another_program_keeps_the_code_of_its_body_or_of_its_base() -> None:
    class Mine(SutureError):
        code = "MINE"
        retryable = True

    class Narrower(Mine):
        name: str

    class Busier(WorkspaceBusy): ...

    kinds = (Mine, Narrower, Busier)
    assert [(kind.code, kind.retryable) for kind in kinds] == [
        ("MINE", True),
        ("MINE", True),
        ("WORKSPACE_BUSY", True),
    ]


def round_trip(error: Any) -> Any:
    return pickle.loads(pickle.dumps(error))  # noqa: S301  what was pickled one call before


@pytest.mark.parametrize("remake", [copy.copy, round_trip])
def test_an_error_survives_being_copied_and_sent_to_another_process(remake: Callable[[Any], Any]) -> None:
    error = FileChanged(path="a", expected=None, found="sha256:0")
    again = remake(error)
    assert (type(again), again.fields(), str(again)) == (FileChanged, error.fields(), str(error))
