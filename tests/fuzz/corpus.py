"""What broke a promise once, as small as it could be made; what took too long is written as a product.

All of it is run again by `test_fuzz.py`, within the limits of its target.
"""

from __future__ import annotations

from typing import Any

INPUTS: list[tuple[str, str, bytes]] = [
    ("reply", "a here-document without a word raised IndexError", b"```bash\npython <<\n```\n"),
    ("reply once", "ends of thinking took quadratic time", b"[/THINK]\n\n" * 16_000),
    ("reply once", "lines that mention files took quadratic time", b"see a.py, b.py, c.py, d.py, e.py\n" * 10_000),
    ("reply once", "programs in here-documents took quadratic time", b"```bash\n" + b"python - <<E\n" * 6_000),
    ("pending", "deep JSON raised RecursionError", b'{"a":' * 5_000),
]
"""A target, what was wrong, and the input."""

CALLS: list[tuple[str, str, dict[str, Any]]] = [
    (
        "apply_reply",
        "half a surrogate pair in what a file has not was INTERNAL",
        {"reply": "a.py\n<<<<<<< SEARCH\ndef f(x):\n    return x + 1\ud800\n=======\n>>>>>>> REPLACE\n"},
    ),
]
"""A tool, what was wrong, and the arguments of a call on the files of `calls.opened`: bytes that a target takes its
decisions from would mean something else after the next change of it."""
