"""`python -m suture`."""

import os
import sys

# Python puts the current folder first, which mostly is the workspace: a module there would be taken for one of its own.
# It stays if suture itself was found there.
if not sys.flags.safe_path and sys.path[:1] != [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]:
    del sys.path[:1]

from suture.cli import main

sys.exit(main())
