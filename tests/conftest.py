"""Settings that hold for all tests."""

import atexit
import os
import shutil
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
