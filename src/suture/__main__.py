"""`python -m suture`."""

import os
import sys

# Python puts the current folder first, which mostly is the workspace: a module there would be taken for one of Python's
# or for one that suture needs. It stays if suture itself was found there.
try:
    current = os.getcwd()
except OSError:  # it is gone
    current = ""
if sys.path[:1] == [current] and os.path.abspath(__file__) != os.path.join(current, "suture", "__main__.py"):
    del sys.path[:1]

from suture.cli import main

sys.exit(main())
