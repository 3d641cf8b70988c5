"""A small project to try things on."""

import tempfile
from pathlib import Path

FILES = {
    "README.md": "# Greeter\n\nGreets in Python, and on the web page.\n",
    "greeting.py": """\
def greet(name):
    name = name.strip()
    if not name:
        return "Helo, you"
    return "Helo, " + name
""",
    "web/greeting.js": """\
export function greet(name) {
  const known = name.trim();
  return known === "" ? "Helo, you" : `Helo, ${known}`;
}
""",
}

OLD = '    if not name:\n        return "Helo, you"\n    return "Helo, " + name\n'
EDIT = {"old_text": OLD, "new_text": OLD.replace("Helo", "Hello")}
RIGHT = {"path": "greeting.py", "edits": [EDIT]}
"""Arguments of `file_edit` that fix the greeting."""
WRONG = {"path": "greeting.py", "edits": [{name: text.replace("    ", "\t") for name, text in EDIT.items()}]}
"""The same with tabs where the file has spaces; the refusal suggests `EDIT` instead."""


def sample_project() -> Path:
    """Write the project to a new folder, which remains until you remove it."""
    root = Path(tempfile.mkdtemp(prefix="suture-sample-")).resolve()
    for name, content in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(content, encoding="utf-8", newline="")
    print(f"Sample project: {root}")
    return root
