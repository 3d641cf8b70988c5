"""Calls of `file_edit`, and altered copies of a text, for the tests of that tool."""

import json
import unicodedata
from collections.abc import Callable
from typing import Any

from suture import Settings, ToolResult, Workspace
from suture.testing import MemoryFS
from tests.unit.changes import succeed, workspace

Edit = dict[str, Any]
Spoil = Callable[[str], str]


def edit(old: str, new: str, occurrences: int | None = None) -> Edit:
    return {"old_text": old, "new_text": new} | ({} if occurrences is None else {"occurrences": occurrences})


def ask(ws: Workspace, path: str, *edits: Edit, **more: Any) -> ToolResult:
    return ws.call("file_edit", {"path": path, "edits": list(edits), **more})


def bytes_after(before: bytes, *edits: Edit, **more: Any) -> bytes:
    """A file's bytes after a call that succeeds."""
    ws, fs = workspace({"a": before})
    succeed(ask(ws, "a", *edits, **more))
    return fs.files()["a"]


def snapshot(fs: MemoryFS) -> dict[str, object]:
    """All that a call could have touched: contents, modes, nodes, times, folders, the history."""
    nodes = {path: fs.node_of(path) for path in fs.files()}
    files = {path: (node.data, node.mode, node.inode, node.modified_ns, node.links) for path, node in nodes.items()}
    return {**files, "folders": fs.folders(), "shelf": dict(fs.shelf)}


def failure(before: bytes, *edits: Edit, path: str = "a", settings: Settings | None = None, **more: Any) -> ToolResult:
    """The error of a call that fails and changes nothing."""
    ws, fs = workspace({path: before}, settings)
    state = snapshot(fs)
    result = ask(ws, path, *edits, **more)
    assert result.is_error, result.text
    assert snapshot(fs) == state
    return result


def wrong(result: ToolResult) -> dict[str, Any]:
    """The validation error of a call that failed."""
    assert result.is_error, result.text
    error: dict[str, Any] = result.metadata["validation_error"]
    return error


def fixes(result: ToolResult) -> list[dict[str, Any]]:
    """The fixes that a failed call suggests."""
    assert result.is_error, result.text
    suggestions: list[dict[str, Any]] = result.metadata.get("suggested_fixes", [])
    return suggestions


def kinds(result: ToolResult) -> list[str]:
    return [fix["type"] for fix in fixes(result)]


def corrected_edits(result: ToolResult) -> list[Edit]:
    """The corrected edits that a failed call offers."""
    examples = [fix["example"] for fix in fixes(result) if (fix.get("example") or "").startswith("{")]
    return [edit for edit in map(json.loads, examples) if "new_text" in edit]


def part(data: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    """Only the expected fields."""
    return {name: data.get(name) for name in expected}


# A file, a change of it, and how a model may misremember both sides of the change.

CODE = '''\
"""Orders and what they cost."""

import json
from pathlib import Path

RATES = {"de": 0.19, "fr": 0.20}


def load_orders(path):
    """Read the orders from a file."""
    text = Path(path).read_text()
    orders = json.loads(text)
    return [order for order in orders if order["paid"]]


def total_price(orders, country):
    """Add up what the orders cost - café and naïve ones, too."""
    rate = RATES.get(country, 0)
    total = 0
    for order in orders:
        if order["price"] > 0 and order["count"] < 100:
            total += order["price"] * order["count"]

    # tax comes last
    total = total * (1 + rate)
    return round(total, 2)


def report(orders, country):
    print("Total:", total_price(orders, country))
    print('Orders:', len(orders))
'''
OLD = '''\
    """Add up what the orders cost - café and naïve ones, too."""
    rate = RATES.get(country, 0)
    total = 0
    for order in orders:
        if order["price"] > 0 and order["count"] < 100:
            total += order["price"] * order["count"]

    # tax comes last
    total = total * (1 + rate)
    return round(total, 2)
'''
NEW = OLD.replace(
    '            total += order["price"] * order["count"]\n',
    '            total += order["price"] * order["count"]\n            logged(order["name"])\n',
).replace("round(total, 2)", "round(total, 3)")
AFTER = CODE.replace(OLD, NEW)


def _lines(change: Spoil) -> Spoil:
    """A change of every line that is not blank."""
    return lambda text: "\n".join(change(line) if line.strip() else line for line in text.split("\n"))


def _number_lines(text: str) -> str:
    return "".join(f"{number:6d}\t{line}\n" for number, line in enumerate(text.split("\n")[:-1], 17))


def _halve_indent(line: str) -> str:
    return line[(len(line) - len(line.lstrip())) // 2 :]


SPOILED: dict[str, Spoil] = {
    "tabs for spaces": lambda text: text.replace("    ", "\t"),
    "half the indentation": _lines(_halve_indent),
    "dedented block": _lines(lambda line: line[4:]),
    "deeper block": _lines(lambda line: "    " + line),
    "trailing space": _lines(lambda line: line + " "),
    "CRLF for LF": lambda text: text.replace("\n", "\r\n"),
    "curly quotes": lambda text: text.replace('"price"', "“price”").replace('"count"', "“count”"),
    "en dash for hyphen": lambda text: text.replace(" - ", " – "),
    "no-break space": lambda text: text.replace(" and ", "\u00a0and "),
    "decomposed letters": lambda text: unicodedata.normalize("NFD", text),
    "case in a comment": lambda text: text.replace("# tax comes", "# Tax comes"),
    "escaped quotes": lambda text: text.replace('"', '\\"'),
    "HTML entities": lambda text: text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"),
    "line numbers": _number_lines,
    "code fence": lambda text: f"```python\n{text}```\n",
    "blank lines before": lambda text: f"\n\n\n{text}",
    "extra blank line": lambda text: text.replace("    total = 0\n", "    total = 0\n\n"),
    "missing blank line": lambda text: text.replace("\n\n", "\n"),
    "two spaces in a line": lambda text: text.replace("rate = RATES", "rate  =  RATES"),
    "line break escaped": lambda text: text.replace("\n", "\\n"),
    "typo in a word": lambda text: text.replace("# tax comes", "# tax cmoes"),
}

# The same where the file is the odd one: the edit is what a model would write, the file is not.

ODD_FILES: dict[str, Spoil] = {
    "file has tabs": lambda text: text.replace("    ", "\t"),
    "file is indented by two": lambda text: text.replace("    ", "  "),
    "file has trailing spaces": lambda text: text.replace("    total = 0\n", "    total = 0  \n"),
    "file has curly quotes": lambda text: text.replace('"price"', "“price”").replace('"count"', "“count”"),
    "file has a dash": lambda text: text.replace(" - ", " — "),
    "file has a no-break space": lambda text: text.replace(" and ", "\u00a0and "),
    "file has decomposed letters": lambda text: unicodedata.normalize("NFD", text),
    "file has two spaces": lambda text: text.replace("rate = RATES", "rate  =  RATES"),
    "file has an extra blank line": lambda text: text.replace("    total = 0\n", "    total = 0\n\n"),
    "file has another case": lambda text: text.replace("# tax comes", "# TAX comes"),
}

# Single edits with a slip, as they are sent, and what is meant: (sent, meant).

_HEAD = "def load_orders(path):\n    # ... existing code ...\n"
SLIPS: dict[str, tuple[Edit, Edit]] = {
    "two spaces in one line": (
        edit("    return  round(total, 2)\n", "    return  round(total, 4)\n"),
        edit("    return round(total, 2)\n", "    return round(total, 4)\n"),
    ),
    "a slip in the line that changes": (
        edit(
            "    # tax comes last\n    total = total * (1 + rate)\n    retrun round(total, 2)\n",
            "    # tax comes last\n    total = total * (1 + rate)\n    return round(total, 4)\n",
        ),
        edit("return round(total, 2)", "return round(total, 4)"),
    ),
    "something left out": (
        edit(
            _HEAD + '    return [order for order in orders if order["paid"]]\n',
            _HEAD + '    return [order for order in orders if order["sent"]]\n',
        ),
        edit('order["paid"]', 'order["sent"]'),
    ),
    "other quotes in one line": (
        edit(
            "    print('Total:', total_price(orders, country))\n", "    print('Sum:', total_price(orders, country))\n"
        ),
        edit('print("Total:"', 'print("Sum:"'),
    ),
    "broken over two lines": (
        edit("    print('Orders:',\n        len(orders))\n", "    print('Number of orders:',\n        len(orders))\n"),
        edit("'Orders:'", "'Number of orders:'"),
    ),
    "tab inside a one-line text": (
        edit("RATES\t= {", 'RATES\t= {"at": 0.2, '),
        edit("RATES = {", 'RATES = {"at": 0.2, '),
    ),
}
