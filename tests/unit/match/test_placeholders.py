"""Placeholders, and whether an edit with one would delete text."""

import pytest

from suture.match.placeholders import Placeholder, find_added, is_marker, is_placeholder
from tests.unit.placeholder_lines import HONEST, PLACEHOLDERS

SPOKEN = [
    "# ...",
    "    # ... existing code ...",
    "// ... existing code ...",
    "// ...rest of the function",
    "/* ... unchanged ... */",
    "{/* ... other props ... */}",
    "<!-- ... rest of the page ... -->",
    "-- ... remaining columns",
    "; ... omitted ...",
    "% ... same as before ...",
    '""" ... """',
    "# … more …",
    "# (... previous code ...)",
    "# the rest of the function ...",
    "* ... other items",
    "// ... \u5176\u4ed6\u4ee3\u7801\u4fdd\u6301\u4e0d\u53d8",
]
DOTS = ["...", "    ...", "\u2026", "[...]", "<...>", "(...)", "....."]
TEXT = [
    "",
    "x = ...",
    "def f(): ...",
    "# existing code",
    "# wait for it...",
    "# ... and then the whole thing is written to the disk, once more, by the other one",
    "print('...')",
    "return [...items]",
    "..",
    "...args",
    "#" * 300 + " ...",
]


@pytest.mark.promise("locate.elision")
@pytest.mark.parametrize("line", SPOKEN)
def test_a_comment_with_dots_and_a_hint_stands_for_lines(line: str) -> None:
    assert (is_marker(line), is_placeholder(line)) == (True, True)


@pytest.mark.promise("locate.elision")
@pytest.mark.parametrize("line", DOTS)
def test_dots_alone_stand_for_lines_without_a_comment(line: str) -> None:
    assert (is_marker(line), is_placeholder(line)) == (True, False)


@pytest.mark.parametrize("line", TEXT)
def test_dots_in_a_text_are_text(line: str) -> None:
    assert not is_marker(line)


@pytest.mark.promise("place.placeholder")
@pytest.mark.parametrize("line", PLACEHOLDERS)
def test_a_line_that_only_says_that_text_was_omitted_is_a_placeholder(line: str) -> None:
    assert is_placeholder(line, "a.py")
    assert is_placeholder(f"\t    {line}  ", "a.py")


@pytest.mark.promise("place.placeholder")
@pytest.mark.parametrize("line", [*HONEST, "#" * 300, "# rest of the file" + " unchanged" * 30, ""])
def test_a_line_that_also_says_something_else_is_not_a_placeholder(line: str) -> None:
    assert not is_placeholder(line, "a.py")


@pytest.mark.parametrize(
    ("line", "name", "expected"),
    [
        ("# Existing code", "notes/a.md", False),
        ("## Unchanged", "CHANGELOG.md", False),
        ("# ... existing code ...", "a.md", True),
        ("<!-- rest of the file unchanged -->", "a.md", True),
        ("# Existing code", "a.md/b.py", True),
        ("# Existing code", "Makefile", True),
    ],
)
def test_a_heading_is_not_a_comment(line: str, name: str, *, expected: bool) -> None:
    assert is_placeholder(line, name) is expected


BODY = "def f():\n    a()\n    b()\n    c()\n"
STUB = (
    'class A(Protocol):\n    def h(self) -> int:\n        """Doc."""\n        ...\n\n'
    "    def g(self) -> int:\n        ...\n"
)
JUDGED: dict[str, tuple[str, str, str, Placeholder | None]] = {
    "nothing of the kind": ("a\nb\n", "a\nc\n", "a.py", None),
    "words without the form": ("a\nb\n", "x = existing\n", "a.py", None),
    "lines are replaced": ("a\nb\nc\n", "a\n# rest unchanged\n", "a.py", Placeholder("# rest unchanged", deletes=True)),
    "lines are only inserted": (
        "a\n",
        "a\n  # rest unchanged\n",
        "a.py",
        Placeholder("# rest unchanged", deletes=False),
    ),
    "old has it": ("# rest unchanged\na\n", "# rest unchanged\nb\n", "a.py", None),
    "old has it, indented in another way": ("    # ...\na\n", "# ...\nb\n", "a.py", None),
    "old has another one": (
        "# ...\na\n",
        "# rest unchanged\nb\n",
        "a.py",
        Placeholder("# rest unchanged", deletes=True),
    ),
    "new has it once more": ("# ...\na\n", "# ...\n# ...\n", "a.py", Placeholder("# ...", deletes=True)),
    "it comes in place of lines that are elsewhere, too": (
        "{\n  n1\n  u1\n},\n{\n  n2\n  u2\n}\n],\nend\n",
        ("{\n  n1\n  u1\n// ... rest unchanged ...\n  n2\n  u2\n},\n{\n  n3\n  u3\n},\n{\n  n4\n  u4\n}\n],\nend\n"),
        "a.json",
        Placeholder("// ... rest unchanged ...", deletes=True),
    ),
    "lines move": ("a\nb\n", "b\n# ...\na\n", "a.py", Placeholder("# ...", deletes=False)),
    "CRLF": ("a\r\nb\r\n", "a\r\n# ...\r\n", "a.py", Placeholder("# ...", deletes=True)),
    "CR": ("a\rb\r", "a\r# ...\r", "a.py", Placeholder("# ...", deletes=True)),
    "names of what goes away": (
        "x = 1\ny = 2\nz = 3\n",
        "x = 9\n# y, z as before\n",
        "a.py",
        Placeholder("# y, z as before", deletes=True),
    ),
    "names of something else": ("x = 1\ny = 2\n", "x = 9\n# Otherwise, behave as before\n", "a.py", None),
    "names of what stays": ("x = 1\ny = 2\nz = 3\n", "x = 9\n# y, z as before\ny = 2\nz = 3\n", "a.py", None),
    # dots alone
    "vertical dots": ("a()\nb()\n", "\u22ee\n", "a.py", Placeholder("\u22ee", deletes=True)),
    "dots for a line of JavaScript": ("a();\nb();\n", "a();\n...\n", "a.js", Placeholder("...", deletes=True)),
    "dots in braces": ("a();\nb();\n", "{{ ... }}\n", "a.js", Placeholder("{{ ... }}", deletes=True)),
    "a parameter list in C": ("int f(\n  int a\n);\n", "int f(\n  int a,\n  ...\n);\n", "a.c", None),
    "prose": ("one\ntwo\nthree\n", "...\n", "a.md", None),
    "the end of a YAML document": ("a: 1\nb: 2\n", "a: 1\n...\n", "a.yml", None),
    "inside a YAML document": ("a:\n  b: 2\n", "a:\n  ...\n", "a.yaml", Placeholder("...", deletes=True)),
    "no known language, one line for another": ("a\nb\n", "a\n...\n", "a", None),
    "no known language, shorter": ("a\nb\nc\nd\n", "a\n...\n", "a", Placeholder("...", deletes=True)),
    "a doctest": ("x\ny\nz\n", ">>> for a in b:\n...\n", "a.py", None),
    "one line of Python becomes a stub": ("def f():\n    return 1\n", "def f():\n    ...\n", "a.py", None),
    "a new stub in Python": (BODY, "@overload\ndef g(\n    a: int,\n) -> int:\n    ...\n", "a.py", None),
    "new stubs with a docstring": (BODY, STUB, "a.py", None),
    "a body in Python": (BODY, "def f():\n    ...\n", "a.py", Placeholder("...", deletes=True)),
    "a body with another signature": (BODY, "def f(x):\n    ...\n", "a.py", Placeholder("...", deletes=True)),
    "a body, and more below": (BODY, "def g():\n    ...\n    return 0\n", "a.py", Placeholder("...", deletes=True)),
    "a stub beside a body of the same name": (
        BODY,
        "class P:\n    def f(self):\n        ...\n\ndef f():\n    d()\n",
        "a.py",
        None,
    ),
    "a new block in Python": ("if a:\n    b()\n    c()\n", "while a:\n    ...\n", "a.py", None),
    "a block in Python": ("if a:\n    b()\n    c()\n", "if a:\n    ...\n", "a.py", Placeholder("...", deletes=True)),
    "nothing above in Python": ("a()\nb()\n", "...\n", "a.py", Placeholder("...", deletes=True)),
    "a call in Python": ("f(\n    a,\n    b,\n)\n", "f(\n    ...\n)\n", "a.py", Placeholder("...", deletes=True)),
    "a signature over several lines": (
        "def f(\n    a,\n) -> int:\n    a()\n\n    return 1\nx = 1\n",
        "def f(\n    a,\n    b,\n) -> int:\n    ...\nx = 1\n",
        "a.py",
        Placeholder("...", deletes=True),
    ),
}


@pytest.mark.promise("place.placeholder")
@pytest.mark.parametrize(("old", "new", "name", "expected"), JUDGED.values(), ids=JUDGED)
def test_a_new_placeholder_is_found_and_says_whether_it_deletes(
    old: str, new: str, name: str, expected: Placeholder | None
) -> None:
    assert find_added(old, new, name) == expected
