"""Settings that hold for all tests."""

import atexit
import functools
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import settings

from suture import Settings
from tests.scale import scaled


def scale_examples() -> None:
    """Multiply every `max_examples` that a profile, a test or a state machine asks for.

    Done where Hypothesis makes settings, because a state machine may get them in the body of a test, where no hook of
    pytest sees them. Settings that inherit the number from others inherit the scaled one.
    """
    make = settings.__init__

    @functools.wraps(make)
    def make_scaled(self: settings, parent: settings | None = None, **options: Any) -> None:
        if "max_examples" in options:
            options["max_examples"] = scaled(options["max_examples"])
        make(self, parent, **options)

    settings.__init__ = make_scaled  # type: ignore[method-assign]  # the class has no hook for this


scale_examples()

# A shared machine stalls now and then, and time proves nothing here.
settings.register_profile("suture", deadline=None, max_examples=100)
settings.load_profile("suture")

# Earlier versions are searched for 200 ms. On a machine that stalls, some would not be found, and answers would differ.
Settings._defaults["base_ms"] = 60_000  # tests of the limit set their own

# Histories are written here, not into the user's state folder, and the user's configuration is not read; child
# processes inherit this.
for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
    os.environ[name] = tempfile.mkdtemp(prefix="suture-tests-")
    atexit.register(shutil.rmtree, os.environ[name], ignore_errors=True)

# A shell starts background jobs with SIGINT ignored, and `nohup` ignores SIGHUP. Children inherit that, and would not
# notice the signals that tests send them.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown() -> None:
    """Wait for the checkpoint of a server's session: it would be written to the state folder of the next test."""
    for thread in threading.enumerate():
        if thread.name == "checkpoint":
            thread.join()


class Quick:
    """`--quick`: leaves out tests marked `process` or `slow`, and fails one that starts a process without the mark.

    The process is started all the same: a test that waits for it in another thread would wait forever. A check keeps
    its process for later calls; that one is ended, so that the next test that needs one is seen to start it.
    """

    STARTS = frozenset(
        ("os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "subprocess.Popen")
    )

    def __init__(self) -> None:
        self.running = False
        self.started = ""
        sys.addaudithook(self.watch)

    def watch(self, event: str, _arguments: tuple[object, ...]) -> None:
        if self.running and event in self.STARTS:
            self.started = event

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        deselected = [item for item in items if any(mark.name in {"process", "slow"} for mark in item.iter_markers())]
        config.hook.pytest_deselected(items=deselected)
        excluded = set(deselected)
        items[:] = [item for item in items if item not in excluded]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Generator[None, object, object]:
        self.running = True
        try:
            return (yield)
        finally:
            self.running = False

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if self.started:
            report.outcome = "failed"
            report.longrepr = f"this test starts a process ({self.started}): mark it with @pytest.mark.process"
            self.started = ""
            if (worker := sys.modules.get("suture.check.worker")) is not None:
                worker.close()
        return report


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="only tests that start no process and are not slow")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--quick"):
        config.pluginmanager.register(Quick())
