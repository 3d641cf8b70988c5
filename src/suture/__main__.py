"""`python -m suture`."""

import os
import sys

# Python puts the current folder first, which is usually the workspace: a module there would be imported instead of one
# of Python's or of suture's dependencies. The folder stays if suture itself was found there.
try:
    current = os.getcwd()
except OSError:  # the folder was deleted
    current = ""
if sys.path[:1] == [current] and os.path.abspath(__file__) != os.path.join(current, "suture", "__main__.py"):
    del sys.path[:1]

from suture.cli import main

sys.exit(main())
