"""`SUTURE_EXAMPLES` multiplies the number of random inputs that a test tries.

Hypothesis's counts are scaled in `conftest`. A loop over random inputs, or a range of seeds, calls `scaled`, unless the
test needs that many: one that asserts a rate, or that every outcome occurs.
"""

import os

_FACTOR = float(os.environ.get("SUTURE_EXAMPLES", "1"))


def scaled(number: int) -> int:
    """The number of inputs to try where a test asks for `number`; at least one."""
    return max(1, round(number * _FACTOR))
