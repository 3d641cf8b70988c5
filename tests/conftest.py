"""Settings that hold for all tests."""

import atexit
import os
import shutil
import tempfile

from hypothesis import settings

settings.register_profile("suture", deadline=None)  # a shared machine stalls now and then, and time proves nothing here
settings.load_profile("suture")

# Histories go here, not into the state folder of whoever runs the tests; child processes inherit it.
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="suture-tests-")
atexit.register(shutil.rmtree, os.environ["XDG_STATE_HOME"], ignore_errors=True)
