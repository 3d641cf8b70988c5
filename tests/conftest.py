"""Settings that hold for all tests."""

import atexit
import functools
import os
import shutil
import signal
import tempfile
from typing import Any

from hypothesis import settings


def scale_examples(factor: float) -> None:
    """Multiply every `max_examples` that a profile, a test or a state machine asks for; one example is the least.

    Done where Hypothesis makes settings, because a state machine may get them in the body of a test, where no hook of
    pytest sees them. Settings that inherit the number from others inherit the scaled one.
    """
    make = settings.__init__

    @functools.wraps(make)
    def scaled(self: settings, parent: settings | None = None, **options: Any) -> None:
        if "max_examples" in options:
            options["max_examples"] = max(1, round(options["max_examples"] * factor))
        make(self, parent, **options)

    settings.__init__ = scaled  # type: ignore[method-assign]  # the class has no hook for this


scale_examples(float(os.environ.get("SUTURE_EXAMPLES", "1")))

# A shared machine stalls now and then, and time proves nothing here.
settings.register_profile("suture", deadline=None, max_examples=100)
settings.load_profile("suture")

# Histories go here, not into the state folder of whoever runs the tests, whose own configuration does not count either;
# child processes inherit it.
for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
    os.environ[name] = tempfile.mkdtemp(prefix="suture-tests-")
    atexit.register(shutil.rmtree, os.environ[name], ignore_errors=True)

# A shell starts background jobs with SIGINT ignored, and `nohup` ignores SIGHUP. Children inherit that, and would not
# notice the signals that tests send them.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
