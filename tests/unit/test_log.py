"""Logging under `suture.*`: silent without a handler, and free until `logging` is imported."""

import logging
import sys

import pytest

from suture import log


@pytest.fixture(autouse=True)
def unconfigured_logger(monkeypatch: pytest.MonkeyPatch) -> None:
    """The logger in a process that has not configured it."""
    monkeypatch.setattr(logging.getLogger("suture"), "handlers", [])


def test_each_level_logs_under_the_name_of_its_channel(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "suture")
    log.debug("files", "opened %s", "a")
    log.warning("files.commit", "slow: %d ms", 5)
    assert caplog.record_tuples == [
        ("suture.files", logging.DEBUG, "opened a"),
        ("suture.files.commit", logging.WARNING, "slow: 5 ms"),
    ]


def test_an_exception_is_logged_with_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    try:
        raise KeyError("lost")  # noqa: TRY301  the exception is what is tested
    except KeyError as error:
        log.exception("tools", "call failed")
        raised = error
    (record,) = caplog.records
    assert (record.name, record.levelno, record.message) == ("suture.tools", logging.ERROR, "call failed")
    assert record.exc_info is not None
    assert record.exc_info[1] is raised


def test_a_warning_prints_nothing_where_nobody_listens(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("suture"), "parent", None)
    log.warning("files", "unheard")
    log.warning("files", "unheard again")
    assert capsys.readouterr() == ("", "")
    assert len(logging.getLogger("suture").handlers) == 1


def test_a_handler_of_the_user_is_left_as_it_is() -> None:
    handler = logging.NullHandler()
    logging.getLogger("suture").addHandler(handler)
    log.warning("files", "heard")
    assert logging.getLogger("suture").handlers == [handler]


def test_nothing_is_imported_to_say_something_that_nobody_can_hear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "logging")
    log.warning("files", "unheard")
    assert "logging" not in sys.modules
