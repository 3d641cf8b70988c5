"""Inputs that once broke a promise, made as small as possible; those that took too long are written as products.

`test_fuzz.py` runs all of them again, within the limits of their targets.
"""

from __future__ import annotations

from typing import Any

INPUTS: list[tuple[str, str, bytes]] = [
    ("reply", "a here-document without a word raised IndexError", b"```bash\npython <<\n```\n"),
    ("reply once", "ends of thinking took quadratic time", b"[/THINK]\n\n" * 16_000),
    ("reply once", "lines that mention files took quadratic time", b"see a.py, b.py, c.py, d.py, e.py\n" * 10_000),
    ("reply once", "programs in here-documents took quadratic time", b"```bash\n" + b"python - <<E\n" * 6_000),
    ("reply once", "blocks in quotations took quadratic time", b"> <<<<<<< SEARCH\na.py\n" * 4_000),
    ("reply once", "code fences took quadratic time", b"```\nx\n```\n" * 40_000),
    ("check yaml", "a message had a whole name of an alias", b"a: *" + b"9" * 1_950 + b"\n"),
    ("pending", "deep JSON raised RecursionError", b'{"a":' * 5_000),
]
"""A target, what was wrong, and the input."""

_MANY = "9" * 5_000
_BLOCK = "a.py\n<<<<<<< SEARCH{}\n{}x = 1\n=======\nx = 2\n>>>>>>> REPLACE\n"
_TAGS = '<edit path="a.py"><old_text line={}>x = 1</old_text><new_text>x = 2</new_text></edit>'

CALLS: list[tuple[str, str, dict[str, Any]]] = [
    ("apply_reply", "a line number of many digits", {"reply": _BLOCK.format("", f":start_line:{_MANY}\n-------\n")}),
    ("apply_reply", "a line number of many digits behind a marker", {"reply": _BLOCK.format(f" line={_MANY}", "")}),
    ("apply_reply", "a line number of many digits in a tag", {"reply": _TAGS.format(_MANY)}),
    ("apply_reply", "a block's id of many digits", {"reply": "x", "only": [10**5_000]}),
    ("file_read", "a number with two signs", {"path": "a.py", "start_line": "--1"}),
    (
        "safe_edit",
        "a flag's number of many digits",
        {"path": "a.py", "search_replace": {"search": "x", "replace": "y", "regex": True, "flags": f"i|{_MANY}"}},
    ),
    (
        "regex_replace",
        "a group's number of many digits",
        {"file_path": "a.py", "pattern": "(x)", "replacement": f"\\g<{_MANY}>"},
    ),
    (
        "apply_reply",
        "half a surrogate pair in what a file does not have",
        {"reply": "a.py\n<<<<<<< SEARCH\ndef f(x):\n    return x + 1\ud800\n=======\n>>>>>>> REPLACE\n"},
    ),
]
"""A tool, what made it fail with INTERNAL, and the arguments of a call on the files of `calls.open_workspace`. They are
not input bytes, which would mean something else after the next change of the target."""
