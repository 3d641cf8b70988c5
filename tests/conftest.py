"""Settings that hold for all tests."""

import atexit
import os
import shutil
import signal
import tempfile

from hypothesis import settings

# A shared machine stalls now and then, and time proves nothing here. `make test` tries fewer examples than the soak.
settings.register_profile("suture", deadline=None, max_examples=int(os.environ.get("SUTURE_EXAMPLES", "100")))
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
