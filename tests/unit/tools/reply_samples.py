"""Replies of models, the trees they meet and the trees they make: for the tests of `apply_reply` and its functions.

Each sample says what becomes of each block: `applied`, `already_applied`, `skipped`, or the code of its error.
The categories are those of the specification (docs/spec/seeds, 004).
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

Tree = dict[str, bytes]


class Sample(NamedTuple):
    """A reply, the files before and after it, and what is told of each block."""

    name: str
    before: Mapping[str, bytes]
    reply: str
    after: Mapping[str, bytes]
    told: Mapping[str, str]


def block(old: str, new: str, size: int = 7) -> str:
    """A SEARCH/REPLACE block with markers of some size."""
    return f"{'<' * size} SEARCH\n{old}{'=' * size}\n{new}{'>' * size} REPLACE\n"


def new_file(content: str, size: int = 7) -> str:
    """A NEW_FILE block."""
    return f"{'<' * size} NEW_FILE\n{content}{'>' * size} NEW_FILE\n"


def at(path: str, *blocks: str) -> str:
    """Blocks under the heading of their file, with an empty line between them."""
    return f"### File: {path}\n" + "\n".join(blocks)


def fenced(text: str, fence: str = "```", info: str = "") -> str:
    return f"{fence}{info}\n{text}{fence}\n"


def applied(*ids: str, **other: str) -> dict[str, str]:
    """Blocks that land."""
    return dict.fromkeys(ids, "applied") | other


def numbered(count: int) -> dict[str, str]:
    """As many blocks, all of which land."""
    return applied(*(str(number) for number in range(1, count + 1)))


def one(name: str, before: bytes, reply: str, after: bytes, *ids: str) -> Sample:
    """A sample of a single file `a.py`, all of whose blocks land."""
    return Sample(name, {"a.py": before}, reply, {"a.py": after}, applied(*(ids or ("1",))))


def by_name(samples: Iterable[Sample]) -> dict[str, Sample]:
    return {sample.name: sample for sample in samples}


SIMPLE = at("a.py", block("x = 1\n", "x = 2\n"))

# Basic

BASIC = [
    Sample(
        "the seed's own example",
        {"src/app.ts": b"const a = 1;\nconst b = 2;\nconst c = 3;\n"},
        """\
### File: src/app.ts
<<<<<<< SEARCH
const a = 1;
=======
const a = 10;
>>>>>>> REPLACE

<<<<<<< SEARCH
const b = 2;
=======
const b = 20;
>>>>>>> REPLACE
""",
        {"src/app.ts": b"const a = 10;\nconst b = 20;\nconst c = 3;\n"},
        applied("1", "2"),
    ),
    one("one line", b"w = 0\nx = 1\ny = 3\n", SIMPLE, b"w = 0\nx = 2\ny = 3\n"),
    one("the only line", b"x = 1\n", SIMPLE, b"x = 2\n"),
    one("the first line", b"x = 1\ny = 3\n", SIMPLE, b"x = 2\ny = 3\n"),
    one("the last line", b"w = 0\nx = 1\n", SIMPLE, b"w = 0\nx = 2\n"),
    one(
        "several lines become fewer",
        b"def f():\n    a = 1\n    b = 2\n    return a + b\n",
        at("a.py", block("    a = 1\n    b = 2\n    return a + b\n", "    return 3\n")),
        b"def f():\n    return 3\n",
    ),
    one(
        "one line becomes several",
        b"def f():\n    return 3\n",
        at("a.py", block("    return 3\n", "    a = 1\n\n    b = 2\n    return a + b\n")),
        b"def f():\n    a = 1\n\n    b = 2\n    return a + b\n",
    ),
    one(
        "a line is inserted after another",
        b"import os\n\nprint(os)\n",
        at("a.py", block("import os\n", "import os\nimport sys\n")),
        b"import os\nimport sys\n\nprint(os)\n",
    ),
    one(
        "a line is inserted before another",
        b"import os\n\nprint(os)\n",
        at("a.py", block("print(os)\n", "print(1)\nprint(os)\n")),
        b"import os\n\nprint(1)\nprint(os)\n",
    ),
    Sample(
        "a new file",
        {"a.py": b"x = 1\n"},
        at("src/deep/new.py", new_file('"""New."""\n\nVALUE = 1\n')),
        {"a.py": b"x = 1\n", "src/deep/new.py": b'"""New."""\n\nVALUE = 1\n'},
        applied("1"),
    ),
    Sample(
        "a new file and an edit that uses it",
        {"a.py": b"x = 1\n"},
        at("b.py", new_file("VALUE = 2\n")) + "\n" + at("a.py", block("x = 1\n", "from b import VALUE as x\n")),
        {"a.py": b"from b import VALUE as x\n", "b.py": b"VALUE = 2\n"},
        applied("1", "2"),
    ),
    Sample(
        "two files",
        {"a.py": b"x = 1\n", "b.py": b"x = 1\n"},
        at("a.py", block("x = 1\n", "x = 2\n")) + "\n" + at("b.py", block("x = 1\n", "x = 3\n")),
        {"a.py": b"x = 2\n", "b.py": b"x = 3\n"},
        applied("1", "2"),
    ),
    Sample(
        "one file, then another, then the first again",
        {"a.py": b"x = 1\ny = 1\n", "b.py": b"x = 1\n"},
        "\n".join(
            [
                at("a.py", block("x = 1\n", "x = 2\n")),
                at("b.py", block("x = 1\n", "x = 3\n")),
                at("a.py", block("y = 1\n", "y = 4\n")),
            ]
        ),
        {"a.py": b"x = 2\ny = 4\n", "b.py": b"x = 3\n"},
        applied("1", "2", "3"),
    ),
]

# Several edits in one file, in and out of order

FUNCTIONS = b"def one():\n    return 1\n\n\ndef two():\n    return 2\n\n\ndef three():\n    return 3\n"

MULTIPLE = [
    one(
        "three edits from top to bottom",
        FUNCTIONS,
        at(
            "a.py",
            block("    return 1\n", "    return 10\n"),
            block("    return 2\n", "    return 20\n"),
            block("    return 3\n", "    return 30\n"),
        ),
        FUNCTIONS.replace(b"1\n", b"10\n").replace(b"2\n", b"20\n").replace(b"3\n", b"30\n"),
        "1",
        "2",
        "3",
    ),
    one(
        "three edits from bottom to top",
        FUNCTIONS,
        at(
            "a.py",
            block("    return 3\n", "    x = 3\n    return x\n"),
            block("    return 2\n", ""),
            block("    return 1\n", "    return 10\n"),
        ),
        b"def one():\n    return 10\n\n\ndef two():\n\n\ndef three():\n    x = 3\n    return x\n",
        "1",
        "2",
        "3",
    ),
    one(
        "neighboring lines by two blocks",
        b"a = 1\nb = 2\nc = 3\n",
        at("a.py", block("a = 1\n", "a = 10\n"), block("b = 2\n", "c = 30\n")),
        b"a = 10\nc = 30\nc = 3\n",
        "1",
        "2",
    ),
    one(
        "blocks with nothing between them",
        b"a = 1\nb = 2\n",
        "### File: a.py\n" + block("a = 1\n", "a = 10\n") + block("b = 2\n", "b = 20\n"),
        b"a = 10\nb = 20\n",
        "1",
        "2",
    ),
]

# Deletions

DELETIONS = [
    Sample(
        "the seed's own deletion",
        {"src/app.ts": b"const used = 1;\nconst unused = true;\nexport { used };\n"},
        """\
### File: src/app.ts
<<<<<<< SEARCH
const unused = true;
=======
>>>>>>> REPLACE
""",
        {"src/app.ts": b"const used = 1;\nexport { used };\n"},
        applied("1"),
    ),
    one(
        "a deletion followed by another block",
        b"a = 1\nb = 2\nc = 3\n",
        at("a.py", block("a = 1\n", ""), block("c = 3\n", "c = 4\n")),
        b"b = 2\nc = 4\n",
        "1",
        "2",
    ),
    one(
        "a deletion followed at once by another block",
        b"a = 1\nb = 2\nc = 3\n",
        "### File: a.py\n" + block("a = 1\n", "") + block("c = 3\n", "c = 4\n"),
        b"b = 2\nc = 4\n",
        "1",
        "2",
    ),
    one(
        "three deletions in a row",
        b"a = 1\nb = 2\nc = 3\nd = 4\n",
        at("a.py", block("a = 1\n", ""), block("c = 3\n", ""), block("d = 4\n", "")),
        b"b = 2\n",
        "1",
        "2",
        "3",
    ),
    one("all there is", b"x = 1\ny = 2\n", at("a.py", block("x = 1\ny = 2\n", "")), b""),
    one(
        "a function and the empty lines after it",
        FUNCTIONS,
        at("a.py", block("def two():\n    return 2\n\n\n", "")),
        b"def one():\n    return 1\n\n\ndef three():\n    return 3\n",
    ),
    one("an empty line instead", b"a\nb\nc\n", at("a.py", block("b\n", "\n")), b"a\n\nc\n"),
    Sample(
        "a deletion followed by a block of another file",
        {"a.py": b"a = 1\nb = 2\n", "b.py": b"c = 3\n"},
        at("a.py", block("a = 1\n", "")) + "\n" + at("b.py", block("c = 3\n", "c = 4\n")),
        {"a.py": b"b = 2\n", "b.py": b"c = 4\n"},
        applied("1", "2"),
    ),
]

# Edits that depend on those before

SEQUENTIAL = [
    Sample(
        "the seed's own example of dependent edits",
        {"add.ts": b"function add(a, b) {\n  return a + b;\n}\n"},
        at(
            "add.ts",
            block("function add(a, b) {\n", "function add(a: number, b: number) {\n"),
            block("function add(a: number, b: number) {\n", "function add(a: number, b: number): number {\n"),
        ),
        {"add.ts": b"function add(a: number, b: number): number {\n  return a + b;\n}\n"},
        applied("1", "2"),
    ),
    one(
        "an edit of inserted lines",
        b"start\nend\n",
        at("a.py", block("start\n", "start\nmiddle\n"), block("middle\nend\n", "middle\n\nend\n")),
        b"start\nmiddle\n\nend\n",
        "1",
        "2",
    ),
    one(
        "an import, its use, and the handling of its errors",
        b"import os\n\n\ndef load(path):\n    return None\n",
        at(
            "a.py",
            block("import os\n", "import json\nimport os\n"),
            block("    return None\n", "    return json.load(path.open())\n"),
            block(
                "    return json.load(path.open())\n",
                "    try:\n        return json.load(path.open())\n    except OSError:\n        return None\n",
            ),
        ),
        b"import json\nimport os\n\n\ndef load(path):\n    try:\n        return json.load(path.open())\n"
        b"    except OSError:\n        return None\n",
        "1",
        "2",
        "3",
    ),
    Sample(
        "a block that needs one that failed fails as well",
        {"a.py": b"x = 1\n"},
        at("a.py", block("nothing_like_that = here\n", "brand_new = 5\n"), block("brand_new = 5\n", "brand_new = 6\n")),
        {"a.py": b"x = 1\n"},
        {"1": "NO_MATCH", "2": "NO_MATCH"},
    ),
    Sample(
        "a text that stands twice until an edit takes one away",
        {"a.py": b"# one\nsame()\n# two\nsame()\n"},
        at("a.py", block("# one\nsame()\n", "# one\nother()\n"), block("same()\n", "last()\n")),
        {"a.py": b"# one\nother()\n# two\nlast()\n"},
        applied("1", "2"),
    ),
    Sample(
        "an edit of a file that the reply creates",
        {},
        at("new.py", new_file("VALUE = 1\n"), block("VALUE = 1\n", "VALUE = 2\n")),
        {"new.py": b"VALUE = 2\n"},
        applied("1", "2"),
    ),
    one(
        "there and further",
        b"one\n",
        at("a.py", *(block(f"{old}\n", f"{new}\n") for old, new in (("one", "two"), ("two", "three")))),
        b"three\n",
        "1",
        "2",
    ),
]

# Many and long

MANY = Sample(
    "20 files and 10 edits of each",
    {
        f"src/module_{file}.ts": "".join(f"const value_{n} = {file + n};\n" for n in range(10)).encode()
        for file in range(20)
    },
    "\n".join(
        at(
            f"src/module_{file}.ts",
            *(
                block(f"const value_{n} = {file + n};\n", f"const value_{n} = compute({file + n});\n")
                for n in range(10)
            ),
        )
        for file in range(20)
    ),
    {
        f"src/module_{file}.ts": "".join(f"const value_{n} = compute({file + n});\n" for n in range(10)).encode()
        for file in range(20)
    },
    numbered(200),
)
LONG_LINE = "const data = '" + "abcdefghij" * 1_000 + "';\n"
LONG_FILE = "".join(f"def function_{n}():\n    return {n}\n\n\n" for n in range(200))

LONG = [
    MANY,
    one(
        "a line of 10,000 characters",
        f"before\n{LONG_LINE}after\n".encode(),
        at("a.py", block(LONG_LINE, LONG_LINE.replace("data", "other"))),
        f"before\n{LONG_LINE.replace('data', 'other')}after\n".encode(),
    ),
    one(
        "a line of 10,000 characters is inserted",
        b"before\nafter\n",
        at("a.py", block("before\n", f"before\n{LONG_LINE}")),
        f"before\n{LONG_LINE}after\n".encode(),
    ),
    one(
        "a file of 800 lines, edited at both ends and in the middle",
        LONG_FILE.encode(),
        at(
            "a.py",
            block("def function_0():\n    return 0\n", "def function_0():\n    return None\n"),
            block("def function_100():\n    return 100\n", "def function_100():\n    x = 100\n    return x\n"),
            block("def function_199():\n    return 199\n\n\n", "def function_199():\n    return -1\n"),
        ),
        LONG_FILE.replace("return 0\n", "return None\n")
        .replace("    return 100\n", "    x = 100\n    return x\n")
        .replace("return 199\n\n\n", "return -1\n")
        .encode(),
        "1",
        "2",
        "3",
    ),
    one(
        "a block of 600 lines",
        LONG_FILE.encode(),
        at("a.py", block(LONG_FILE[: LONG_FILE.index("def function_150")], "# gone\n")),
        b"# gone\n" + LONG_FILE[LONG_FILE.index("def function_150") :].encode(),
    ),
    Sample(
        "a new file of 700 lines",
        {},
        at("big.py", new_file("".join(f"line_{n} = {n}\n" for n in range(700)))),
        {"big.py": "".join(f"line_{n} = {n}\n" for n in range(700)).encode()},
        applied("1"),
    ),
]

# Special characters

SPECIAL = [
    one(
        "a regular expression",
        rb"const re = /test\\.value\\[0\\]/;" + b"\n",
        at("a.py", block("const re = /test\\\\.value\\\\[0\\\\]/;\n", "const re = /^test\\.(?<n>\\w+)$/gi;\n")),
        rb"const re = /^test\.(?<n>\w+)$/gi;" + b"\n",
    ),
    one(
        "a template literal",
        b"const s = `hello ${name}`;\n",
        at("a.py", block("const s = `hello ${name}`;\n", "const s = `bye ${name} $1 $& \\1`;\n")),
        b"const s = `bye ${name} $1 $& \\1`;\n",
    ),
    one(
        "the separator as a string",
        b'const sep = "=======";\nconst x = 1;\n',
        at("a.py", block('const sep = "=======";\n', 'const sep = "======= =======";\n')),
        b'const sep = "======= =======";\nconst x = 1;\n',
    ),
    one(
        "all markers as strings",
        b'OPEN = "<<<<<<< SEARCH"\nMIDDLE = "======="\nCLOSE = ">>>>>>> REPLACE"\n',
        at(
            "a.py",
            block(
                'OPEN = "<<<<<<< SEARCH"\nMIDDLE = "======="\nCLOSE = ">>>>>>> REPLACE"\n',
                'MARKERS = ("<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE")\n',
            ),
        ),
        b'MARKERS = ("<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE")\n',
    ),
    one(
        "quotes, backslashes, dollars and percents",
        b's = "a\\tb" + \'c\' + "%s $HOME `x`"\n',
        at("a.py", block('s = "a\\tb" + \'c\' + "%s $HOME `x`"\n', "s = '\\\\n' + \"\\\"\" + '%d {0} {{}} $$'\n")),
        b"s = '\\\\n' + \"\\\"\" + '%d {0} {{}} $$'\n",
    ),
    one(
        "angle brackets and entities",
        b'<div class="a">&nbsp;&lt;</div>\n<p>x</p>\n',
        at("a.py", block('<div class="a">&nbsp;&lt;</div>\n', '<div class="b">&amp;</div>\n')),
        b'<div class="b">&amp;</div>\n<p>x</p>\n',
    ),
    one(
        "shift operators, doctests and here-documents",
        b"x = 1 << 7 >> 2\n>>> x\n32\ncat <<EOF\n",
        at("a.py", block(">>> x\n32\ncat <<EOF\n", ">>> x >> 1\n16\ncat <<'END'\n")),
        b"x = 1 << 7 >> 2\n>>> x >> 1\n16\ncat <<'END'\n",
    ),
    one(
        "letters of many languages",
        "greeting = 'héllo wörld'\n# 日本語 ελληνικά עברית 🎉👩‍💻\n".encode(),
        at("a.py", block("# 日本語 ελληνικά עברית 🎉👩‍💻\n", "# naïve — “quoted” 🚀\n")),
        "greeting = 'héllo wörld'\n# naïve — “quoted” 🚀\n".encode(),
    ),
    one(
        "characters that some take for line ends",
        "a = '\u2028'\nb = '\x0c \x0b \x85 \x1c \u2029'\nc = 3\n".encode(),
        at("a.py", block("b = '\x0c \x0b \x85 \x1c \u2029'\n", "b = '\u2028 \x0c'\n")),
        "a = '\u2028'\nb = '\u2028 \x0c'\nc = 3\n".encode(),
    ),
    Sample(
        "a path that is not ASCII, with a blank",
        {"docs/über uns.md": b"alt\n"},
        at("docs/über uns.md", block("alt\n", "neu\n")),
        {"docs/über uns.md": b"neu\n"},
        applied("1"),
    ),
    one(
        "YAML documents and front matter",
        b"---\ntitle: old\n---\n+++\nx\n",
        at("a.py", block("---\ntitle: old\n---\n", "---\ntitle: new\n---\n")),
        b"---\ntitle: new\n---\n+++\nx\n",
    ),
]

# Edge cases: truncated and malformed blocks

OTHER = at("b.py", block("y = 1\n", "y = 2\n"))
TWO = {"a.py": b"x = 1\n", "b.py": b"y = 1\n"}
ONLY_B = {"a.py": b"x = 1\n", "b.py": b"y = 2\n"}
ONLY_A = {"a.py": b"x = 2\n", "b.py": b"y = 1\n"}

BROKEN = [
    Sample(
        "cut inside SEARCH",
        TWO,
        SIMPLE + "\n### File: b.py\n<<<<<<< SEARCH\ny = ",
        ONLY_A,
        {"1": "applied", "2": "INCOMPLETE_BLOCK"},
    ),
    Sample(
        "cut after the separator",
        TWO,
        SIMPLE + "\n### File: b.py\n<<<<<<< SEARCH\ny = 1\n=======\n",
        ONLY_A,
        {"1": "applied", "2": "INCOMPLETE_BLOCK"},
    ),
    Sample(
        "cut inside REPLACE",
        TWO,
        SIMPLE + "\n### File: b.py\n<<<<<<< SEARCH\ny = 1\n=======\ny = 2\n",
        ONLY_A,
        {"1": "applied", "2": "INCOMPLETE_BLOCK"},
    ),
    Sample(
        "cut inside the last marker",
        TWO,
        SIMPLE + "\n### File: b.py\n<<<<<<< SEARCH\ny = 1\n=======\ny = 2\n>>>>>>> REP",
        ONLY_A,
        {"1": "applied", "2": "INCOMPLETE_BLOCK"},
    ),
    Sample(
        "cut right after the last marker",
        TWO,
        (SIMPLE + OTHER)[:-1],
        {"a.py": b"x = 2\n", "b.py": b"y = 2\n"},
        applied("1", "2"),
    ),
    Sample(
        "cut inside a new file",
        {"a.py": b"x = 1\n"},
        SIMPLE + "\n### File: new.py\n<<<<<<< NEW_FILE\nVALUE = 1\n",
        {"a.py": b"x = 2\n"},
        {"1": "applied", "2": "INCOMPLETE_BLOCK"},
    ),
    Sample(
        "cut inside a fence",
        TWO,
        "a.py\n" + fenced(block("x = 1\n", "x = 2\n")) + "\nb.py\n```\n<<<<<<< SEARCH\ny = 1\n```\n",
        ONLY_A,
        {"1": "applied", "2": "INCOMPLETE_BLOCK"},
    ),
    Sample(
        "no separator, then a good block",
        TWO,
        "### File: a.py\n<<<<<<< SEARCH\nx = 1\nx = 2\n>>>>>>> REPLACE\n\n" + OTHER,
        ONLY_B,
        {"1": "INCOMPLETE_BLOCK", "2": "applied"},
    ),
    Sample(
        "no last marker, then a good block",
        TWO,
        "### File: a.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n\n" + OTHER,
        ONLY_B,
        {"1": "INCOMPLETE_BLOCK", "2": "applied"},
    ),
    Sample(
        "no last marker, then two good blocks of the same file",
        {"a.py": b"x = 1\ny = 1\nz = 1\n"},
        "### File: a.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n\n"
        + block("y = 1\n", "y = 2\n")
        + "\n"
        + block("z = 1\n", "z = 2\n"),
        {"a.py": b"x = 1\ny = 2\nz = 2\n"},
        {"1": "INCOMPLETE_BLOCK", "2": "applied", "3": "applied"},
    ),
    Sample(
        "only SEARCH, then a good block",
        TWO,
        "### File: a.py\n<<<<<<< SEARCH\nx = 1\n\n" + OTHER,
        ONLY_B,
        {"1": "INCOMPLETE_BLOCK", "2": "applied"},
    ),
    Sample(
        "a new file without its end, then a good block",
        TWO,
        "### File: new.py\n<<<<<<< NEW_FILE\nVALUE = 1\n\n" + OTHER,
        ONLY_B,
        {"1": "INCOMPLETE_BLOCK", "2": "applied"},
    ),
    Sample(
        "good, malformed, good, missing, good",
        {"a.py": b"one\ntwo\nthree\n"},
        at(
            "a.py",
            block("one\n", "1\n"),
            "<<<<<<< SEARCH\ntwo\n>>>>>>> REPLACE\n",
            block("two\n", "2\n"),
            block("something that nobody wrote\n", "x\n"),
            block("three\n", "3\n"),
        ),
        {"a.py": b"1\n2\n3\n"},
        {"1": "applied", "2": "INCOMPLETE_BLOCK", "3": "applied", "4": "NO_MATCH", "5": "applied"},
    ),
    Sample(
        "a last marker without a beginning",
        TWO,
        ">>>>>>> REPLACE\n\n" + OTHER,
        ONLY_B,
        {"1": "applied"},
    ),
    Sample(
        "a block without its beginning",
        TWO,
        "### File: a.py\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n\n" + OTHER,
        ONLY_B,
        {"1": "INCOMPLETE_BLOCK", "2": "applied"},
    ),
]

# Edge cases: markers and separators in content

CONFLICT = b"""\
a = 0
<<<<<<< HEAD
b = 1
=======
b = 2
>>>>>>> feature
c = 3
"""
RST = b"Title\n=======\n\nSome text.\n"

SEPARATORS = [
    Sample(
        "a setext heading in REPLACE",
        {"doc.md": b"# Title\n\nSome text.\n"},
        at("doc.md", block("# Title\n", "Heading\n=======\n")),
        {"doc.md": b"Heading\n=======\n\nSome text.\n"},
        applied("1"),
    ),
    Sample(
        "a shorter underline in SEARCH",
        {"doc.rst": b"Intro\n=====\n\nSome text.\n"},
        at("doc.rst", block("Intro\n=====\n", "Outro\n-----\n")),
        {"doc.rst": b"Outro\n-----\n\nSome text.\n"},
        applied("1"),
    ),
    Sample(
        "a shorter underline on both sides",
        {"doc.rst": b"Intro\n=====\n\nSome text.\n"},
        at("doc.rst", block("Intro\n=====\n", "Outro\n=====\n\nMore.\n")),
        {"doc.rst": b"Outro\n=====\n\nMore.\n\nSome text.\n"},
        applied("1"),
    ),
    Sample(
        "a longer underline on both sides",
        {"doc.rst": b"Introduction\n============\n\nSome text.\n"},
        at("doc.rst", block("Introduction\n============\n", "Introductions\n=============\n")),
        {"doc.rst": b"Introductions\n=============\n\nSome text.\n"},
        applied("1"),
    ),
    Sample(
        "a setext heading with longer markers around it",
        {"doc.md": RST},
        at("doc.md", block("Title\n=======\n", "Head\n=======\n", size=9)),
        {"doc.md": b"Head\n=======\n\nSome text.\n"},
        applied("1"),
    ),
    Sample(
        "a conflict is resolved",
        {"a.py": CONFLICT},
        at(
            "a.py",
            block("<<<<<<< HEAD\nb = 1\n=======\nb = 2\n>>>>>>> feature\n", "b = 12\n"),
        ),
        {"a.py": b"a = 0\nb = 12\nc = 3\n"},
        applied("1"),
    ),
    Sample(
        "a conflict is resolved by a deletion",
        {"a.py": CONFLICT},
        at("a.py", block("<<<<<<< HEAD\nb = 1\n=======\nb = 2\n>>>>>>> feature\n", "")),
        {"a.py": b"a = 0\nc = 3\n"},
        applied("1"),
    ),
    Sample(
        "a conflict is written",
        {"a.py": b"a = 0\nb = 1\nc = 3\n"},
        at("a.py", block("b = 1\n", "<<<<<<< HEAD\nb = 1\n=======\nb = 2\n>>>>>>> feature\n")),
        {"a.py": CONFLICT},
        applied("1"),
    ),
    Sample(
        "a line beside a conflict",
        {"a.py": CONFLICT},
        at("a.py", block("c = 3\n", "c = 4\n")),
        {"a.py": CONFLICT.replace(b"3", b"4")},
        applied("1"),
    ),
    Sample(
        "a block inside a block, by longer markers",
        {"doc.md": b"See below.\n"},
        at("doc.md", block("See below.\n", "Write:\n" + block("old\n", "new\n") + "Done.\n", size=9)),
        {"doc.md": ("Write:\n" + block("old\n", "new\n") + "Done.\n").encode()},
        applied("1"),
    ),
    Sample(
        "a block inside a new file",
        {},
        at("doc.md", new_file("Write:\n" + block("old\n", "new\n") + "Done.\n")),
        {"doc.md": ("Write:\n" + block("old\n", "new\n") + "Done.\n").encode()},
        applied("1"),
    ),
    Sample(
        "a separator inside a new file",
        {},
        at("doc.md", new_file("Title\n=======\n\nText\n")),
        {"doc.md": b"Title\n=======\n\nText\n"},
        applied("1"),
    ),
    Sample(
        "a separator line in the REPLACE of code",
        {"a.py": b'TEXT = """\nold\n"""\n'},
        at("a.py", block("old\n", "new\n=======\nmore\n")),
        {"a.py": b'TEXT = """\nnew\n=======\nmore\n"""\n'},
        applied("1"),
    ),
    Sample(
        "a diff inside a block",
        {"doc.md": b"Patch:\n"},
        at("doc.md", block("Patch:\n", "Patch:\n\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")),
        {"doc.md": b"Patch:\n\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"},
        applied("1"),
    ),
    Sample(
        "an apply_patch envelope inside a new file",
        {},
        at("doc.md", new_file("*** Begin Patch\n*** Delete File: x\n*** End Patch\n")),
        {"doc.md": b"*** Begin Patch\n*** Delete File: x\n*** End Patch\n"},
        applied("1"),
    ),
]

UNDECIDED = [
    Sample(
        "a setext heading on both sides",
        {"doc.md": RST},
        at("doc.md", block("Title\n=======\n", "Head\n=======\n")),
        {"doc.md": b"Head\n=======\n\nSome text.\n"},
        {},
    ),
    Sample(
        "a setext heading in SEARCH",
        {"doc.md": RST},
        at("doc.md", block("Title\n=======\n", "# Title\n")),
        {"doc.md": b"# Title\n\nSome text.\n"},
        {},
    ),
    Sample(
        "a block inside a block with markers of the same length",
        {"doc.md": b"See below.\n"},
        at("doc.md", block("See below.\n", "Write:\n" + block("old\n", "new\n") + "Done.\n")),
        {"doc.md": ("Write:\n" + block("old\n", "new\n") + "Done.\n").encode()},
        {},
    ),
    Sample(
        "an end marker of seven inside markers of nine",
        {"doc.md": b"See below.\n"},
        at("doc.md", block("See below.\n", "Last line:\n>>>>>>> REPLACE\n", size=9)),
        {"doc.md": b"Last line:\n>>>>>>> REPLACE\n"},
        {},
    ),
    Sample(
        "a beginning of seven inside markers of nine",
        {"doc.md": b"First line:\n<<<<<<< SEARCH\nEnd.\n"},
        at("doc.md", block("First line:\n<<<<<<< SEARCH\nEnd.\n", "None.\n", size=9)),
        {"doc.md": b"None.\n"},
        {},
    ),
    Sample(
        "two beginnings in a block",
        {"doc.md": b"a\n<<<<<<< SEARCH\n<<<<< SEARCH\nb\nc\n"},
        at("doc.md", block("a\n<<<<<<< SEARCH\n<<<<< SEARCH\nb\n", "d\n")),
        {"doc.md": b"d\nc\n"},
        {},
    ),
    Sample(
        "a longer underline in REPLACE, below lines that follow in the file",
        {"doc.md": b"head\ntitle\n=======\ntext\n"},
        at("doc.md", block("title\n", "text\n=========\nmore\n")),
        {"doc.md": b"head\ntext\n=========\nmore\n=======\ntext\n"},
        {},
    ),
]
"""The parser can't know how these are meant: they land as meant, or are refused. Nothing else may happen."""

# Edge cases: spelling of markers, fences, line ends

FENCES = [
    one(
        f"a fence of {fence}{info} around a block",
        b"x = 1\n",
        "### File: a.py\n" + fenced(block("x = 1\n", "x = 2\n"), fence, info),
        b"x = 2\n",
    )
    for fence, info in (("```", ""), ("```", "python"), ("````", "diff"), ("~~~", ""), ("``````", "text"))
]

MARKDOWN = b"# How\n\n```python\nold()\n```\n\nEnd.\n"

EDGES = [
    *(
        one(f"markers of {size}", b"x = 1\ny = 1\n", at("a.py", block("x = 1\n", "x = 2\n", size)), b"x = 2\ny = 1\n")
        for size in (5, 6, 7, 8, 9)
    ),
    *(
        Sample(
            f"a new file by markers of {size}",
            {},
            at("n.py", new_file("n = 1\n", size)),
            {"n.py": b"n = 1\n"},
            applied("1"),
        )
        for size in (5, 9)
    ),
    one(
        "white space after markers",
        b"x = 1\n",
        "### File: a.py  \n<<<<<<< SEARCH  \nx = 1\n=======\t\nx = 2\n>>>>>>> REPLACE \t\n",
        b"x = 2\n",
    ),
    Sample(
        "white space after the markers of a new file",
        {},
        "### File: n.py\n<<<<<<< NEW_FILE \nn = 1\n>>>>>>> NEW_FILE\t\n",
        {"n.py": b"n = 1\n"},
        applied("1"),
    ),
    one("a byte order mark before the reply", b"x = 1\n", "\ufeff" + SIMPLE, b"x = 2\n"),
    one("a reply with CRLF", b"w\nx = 1\ny\n", SIMPLE.replace("\n", "\r\n"), b"w\nx = 2\ny\n"),
    one("a file with CRLF", b"w\r\nx = 1\r\ny\r\n", SIMPLE, b"w\r\nx = 2\r\ny\r\n"),
    one("a reply and a file with CRLF", b"w\r\nx = 1\r\ny\r\n", SIMPLE.replace("\n", "\r\n"), b"w\r\nx = 2\r\ny\r\n"),
    one(
        "lines inserted into a file with CRLF",
        b"w\r\nx = 1\r\ny\r\n",
        at("a.py", block("x = 1\n", "x = 1\nx += 1\n\nx += 2\n")),
        b"w\r\nx = 1\r\nx += 1\r\n\r\nx += 2\r\ny\r\n",
    ),
    one(
        "a file with both line ends",
        b"w\nx = 1\r\ny = 1\nz\r\n",
        at("a.py", block("x = 1\n", "x = 2\n"), block("y = 1\n", "y = 2\n")),
        b"w\nx = 2\r\ny = 2\nz\r\n",
        "1",
        "2",
    ),
    one("no final newline", b"w\nx = 1", SIMPLE, b"w\nx = 2"),
    one("no final newline, an edit above", b"x = 1\ny = 3", SIMPLE, b"x = 2\ny = 3"),
    one(
        "no final newline, several lines instead",
        b"w\nx = 1",
        at("a.py", block("x = 1\n", "x = 1\ny = 2\n")),
        b"w\nx = 1\ny = 2",
    ),
    one("a byte order mark", b"\xef\xbb\xbfx = 1\ny\n", SIMPLE, b"\xef\xbb\xbfx = 2\ny\n"),
    one("bytes of an unknown encoding", b"# caf\xe9\nx = 1\n# \xff\n", SIMPLE, b"# caf\xe9\nx = 2\n# \xff\n"),
    one("UTF-16", "é\r\nx = 1\r\n".encode("utf-16"), SIMPLE, "é\r\nx = 2\r\n".encode("utf-16")),
    *FENCES,
    one(
        "a fence with the path before it",
        b"x = 1\n",
        "a.py\n```python\n" + block("x = 1\n", "x = 2\n") + "```\n",
        b"x = 2\n",
    ),
    one(
        "several blocks in one fence",
        b"x = 1\ny = 1\n",
        "a.py\n```python\n" + block("x = 1\n", "x = 2\n") + "\n" + block("y = 1\n", "y = 2\n") + "```\n",
        b"x = 2\ny = 2\n",
        "1",
        "2",
    ),
    Sample(
        "fences that are the file's own",
        {"doc.md": MARKDOWN},
        at("doc.md", block("```python\nold()\n```\n", "```python\nnew()\n```\n\n````text\n```\n````\n")),
        {"doc.md": b"# How\n\n```python\nnew()\n```\n\n````text\n```\n````\n\nEnd.\n"},
        applied("1"),
    ),
    Sample(
        "fences that are the file's own, in a longer fence",
        {"doc.md": MARKDOWN},
        "doc.md\n" + fenced(block("```python\nold()\n```\n", "```python\nnew()\n```\n"), "````", "markdown"),
        {"doc.md": MARKDOWN.replace(b"old", b"new")},
        applied("1"),
    ),
    Sample(
        "fences that are the file's own, in a fence of the same length",
        {"doc.md": MARKDOWN},
        "doc.md\n" + fenced(block("```python\nold()\n```\n", "```python\nnew()\n```\n"), "```", "markdown"),
        {"doc.md": MARKDOWN.replace(b"old", b"new")},
        applied("1"),
    ),
    one(
        "a half fence inside a block",
        b"def f():\n    '''\n    ```\n    '''\n    return 1\n",
        at("a.py", block("    ```\n    '''\n    return 1\n", "    ```\n    '''\n    return 2\n")),
        b"def f():\n    '''\n    ```\n    '''\n    return 2\n",
    ),
    one(
        "fences inside both sides that are not the file's",
        b"x = compute(1)\ny = compute(2)\n",
        at("a.py", block("```python\nx = compute(1)\n```\n", "```python\nx = compute(3)\n```\n")),
        b"x = compute(3)\ny = compute(2)\n",
    ),
    Sample(
        "a new file with fences in a fence",
        {},
        "doc.md\n" + fenced(new_file("# How\n\n```sh\nls\n```\n"), "````"),
        {"doc.md": b"# How\n\n```sh\nls\n```\n"},
        applied("1"),
    ),
    Sample(
        "an empty SEARCH makes a new file", {}, at("n.py", block("", "n = 1\n")), {"n.py": b"n = 1\n"}, applied("1")
    ),
    one("an empty SEARCH fills an empty file", b"", at("a.py", block("", "x = 1\n")), b"x = 1\n"),
    Sample("an empty new file", {}, at("pkg/__init__.py", new_file("")), {"pkg/__init__.py": b""}, applied("1")),
    Sample(
        "a new file that begins and ends with empty lines",
        {},
        at("n.txt", new_file("\n\nx\n\n")),
        {"n.txt": b"\n\nx\n\n"},
        applied("1"),
    ),
    one(
        "empty lines at the edges of a block",
        b"a\n\nx = 1\n\nb\n",
        at("a.py", block("\nx = 1\n\n", "\nx = 2\n\n")),
        b"a\n\nx = 2\n\nb\n",
    ),
    Sample(
        "separators of Windows",
        {"src/win/app.py": b"x = 1\n"},
        at("src\\win\\app.py", block("x = 1\n", "x = 2\n")),
        {"src/win/app.py": b"x = 2\n"},
        applied("1"),
    ),
    Sample(
        "separators of Windows for a new file",
        {},
        at("src\\win\\new.py", new_file("x = 1\n")),
        {"src/win/new.py": b"x = 1\n"},
        applied("1"),
    ),
    Sample(
        "a path with ./",
        {"src/app.py": b"x = 1\n"},
        at("./src/app.py", block("x = 1\n", "x = 2\n")),
        {"src/app.py": b"x = 2\n"},
        applied("1"),
    ),
    one(
        "tabs in the file, spaces in the block",
        b"def f():\n\tif x:\n\t\treturn 1\n\treturn 2\n",
        at("a.py", block("    if x:\n        return 1\n", "    if x:\n        y = 3\n        return y\n")),
        b"def f():\n\tif x:\n\t\ty = 3\n\t\treturn y\n\treturn 2\n",
    ),
    one(
        "spaces in the file, tabs in the block",
        b"def f():\n    if x:\n        return 1\n    return 2\n",
        at("a.py", block("\tif x:\n\t\treturn 1\n", "\tif x:\n\t\ty = 3\n\t\treturn y\n")),
        b"def f():\n    if x:\n        y = 3\n        return y\n    return 2\n",
    ),
    one(
        "a block without its indentation",
        b"class A:\n    def f(self):\n        x = 1\n        return x\n",
        at(
            "a.py",
            block(
                "def f(self):\n    x = 1\n    return x\n", "def f(self):\n    if y:\n        return 2\n    return 1\n"
            ),
        ),
        b"class A:\n    def f(self):\n        if y:\n            return 2\n        return 1\n",
    ),
    one(
        "trailing white space in the file",
        b"def f():   \n    x = 1\t\n    return x\n",
        at("a.py", block("def f():\n    x = 1\n    return x\n", "def f():\n    x = 1\n    return x + 1\n")),
        b"def f():   \n    x = 1\t\n    return x + 1\n",
    ),
    one(
        "trailing white space in the block",
        b"def f():\n    x = 1\n    return x\n",
        at("a.py", block("def f():  \n    x = 1  \n    return x  \n", "def f():  \n    x = 1  \n    return x + 1  \n")),
        b"def f():\n    x = 1\n    return x + 1\n",
    ),
    one(
        "typographic quotes in the block",
        b"name = 'value'\nother = \"thing\"\n",
        at("a.py", block("name = ‘value’\nother = “thing”\n", "name = ‘changed’\nother = “thing”\n")),
        b"name = 'changed'\nother = \"thing\"\n",
    ),
    Sample(
        "an empty SEARCH on a file that is not empty",
        {"a.py": b"x = 1\n"},
        at("a.py", block("", "y = 2\n")),
        {"a.py": b"x = 1\n"},
        {"1": "*"},
    ),
    Sample(
        "a block that changes nothing",
        {"a.py": b"x = 1\n"},
        at("a.py", block("x = 1\n", "x = 1\n")),
        {"a.py": b"x = 1\n"},
        {"1": "already_applied"},
    ),
    Sample(
        "a block that has been applied",
        {"a.py": b"import os\nimport sys\n\nvalue = compute(2)\n"},
        at("a.py", block("value = compute(1)\n", "value = compute(2)\n")),
        {"a.py": b"import os\nimport sys\n\nvalue = compute(2)\n"},
        {"1": "already_applied"},
    ),
]

# Complex scenarios

REACT = b"""\
import React from 'react';

interface Props {
  name: string;
}

export function Greeting({ name }: Props) {
  return (
    <div className="greeting">
      <h1>Hello, {name}!</h1>
    </div>
  );
}
"""
API = b"""\
import { User } from './types';

export async function getUser(id: number): Promise<User> {
  const response = await fetch(`/api/users/${id}`);
  return response.json();
}

export async function listUsers(): Promise<User[]> {
  const response = await fetch('/api/users');
  return response.json();
}
"""
TYPES = b"export interface User {\n  id: number;\n  name: string;\n}\n"

COMPLEX = [
    Sample(
        "a React component gets state",
        {"src/Greeting.tsx": REACT},
        """\
I'll add a counter to the component.

### File: src/Greeting.tsx

First the import:

```tsx
<<<<<<< SEARCH
import React from 'react';
=======
import React, { useState } from 'react';
>>>>>>> REPLACE
```

Then the state and the button:

```tsx
<<<<<<< SEARCH
export function Greeting({ name }: Props) {
  return (
=======
export function Greeting({ name, start = 0 }: Props) {
  const [count, setCount] = useState(start);

  return (
>>>>>>> REPLACE
```

```tsx
<<<<<<< SEARCH
      <h1>Hello, {name}!</h1>
=======
      <h1>Hello, {name}!</h1>
      <button onClick={() => setCount(count + 1)}>{`Clicked ${count} times`}</button>
>>>>>>> REPLACE
```

```tsx
<<<<<<< SEARCH
  name: string;
=======
  name: string;
  start?: number;
>>>>>>> REPLACE
```

That's all!
""",
        {
            "src/Greeting.tsx": b"""\
import React, { useState } from 'react';

interface Props {
  name: string;
  start?: number;
}

export function Greeting({ name, start = 0 }: Props) {
  const [count, setCount] = useState(start);

  return (
    <div className="greeting">
      <h1>Hello, {name}!</h1>
      <button onClick={() => setCount(count + 1)}>{`Clicked ${count} times`}</button>
    </div>
  );
}
"""
        },
        applied("1", "2", "3", "4"),
    ),
    Sample(
        "an API and its types",
        {"src/api.ts": API, "src/types.ts": TYPES},
        at(
            "src/types.ts",
            block(
                "  name: string;\n}\n",
                "  name: string;\n  email: string | null;\n}\n\nexport type UserId = User['id'];\n",
            ),
        )
        + "\n"
        + at(
            "src/api.ts",
            block("import { User } from './types';\n", "import { User, UserId } from './types';\n"),
            block(
                "export async function getUser(id: number): Promise<User> {\n",
                "export async function getUser(id: UserId): Promise<User> {\n",
            ),
            block(
                "export async function listUsers(): Promise<User[]> {\n  const response = await fetch('/api/users');\n",
                "export async function listUsers(page = 1): Promise<User[]> {\n"
                "  const response = await fetch(`/api/users?page=${page}`);\n",
            ),
        ),
        {
            "src/api.ts": API.replace(b"{ User }", b"{ User, UserId }")
            .replace(b"id: number", b"id: UserId")
            .replace(b"listUsers()", b"listUsers(page = 1)")
            .replace(b"'/api/users'", b"`/api/users?page=${page}`"),
            "src/types.ts": b"export interface User {\n  id: number;\n  name: string;\n  email: string | null;\n}\n\n"
            b"export type UserId = User['id'];\n",
        },
        applied("1", "2", "3", "4"),
    ),
    Sample(
        "a function is renamed in all files",
        {
            "lib/math.py": b"def sum_all(values):\n    return sum(values)\n",
            "app/main.py": b"from lib.math import sum_all\n\nprint(sum_all([1, 2]))\n",
            "tests/test_math.py": b"from lib.math import sum_all\n\n\ndef test_sum_all():\n"
            b"    assert sum_all([1]) == 1\n",
        },
        "\n".join(
            [
                at("lib/math.py", block("def sum_all(values):\n", "def total(values):\n")),
                at(
                    "app/main.py",
                    block("from lib.math import sum_all\n", "from lib.math import total\n"),
                    block("print(sum_all([1, 2]))\n", "print(total([1, 2]))\n"),
                ),
                at(
                    "tests/test_math.py",
                    block("from lib.math import sum_all\n", "from lib.math import total\n"),
                    block(
                        "def test_sum_all():\n    assert sum_all([1]) == 1\n",
                        "def test_total():\n    assert total([1]) == 1\n",
                    ),
                ),
            ]
        ),
        {
            "lib/math.py": b"def total(values):\n    return sum(values)\n",
            "app/main.py": b"from lib.math import total\n\nprint(total([1, 2]))\n",
            "tests/test_math.py": b"from lib.math import total\n\n\ndef test_total():\n    assert total([1]) == 1\n",
        },
        applied("1", "2", "3", "4", "5"),
    ),
    Sample(
        "a part is moved into a module of its own",
        {
            "app.py": b"import re\n\n\ndef slug(text):\n    return re.sub(r'\\W+', '-', text)\n\n\n"
            b"def main():\n    print(slug('A b'))\n"
        },
        at("text/slug.py", new_file("import re\n\n\ndef slug(text):\n    return re.sub(r'\\W+', '-', text)\n"))
        + "\n"
        + at("text/__init__.py", new_file(""))
        + "\n"
        + at(
            "app.py",
            block("import re\n", "from text.slug import slug\n"),
            block("def slug(text):\n    return re.sub(r'\\W+', '-', text)\n\n\n", ""),
        ),
        {
            "app.py": b"from text.slug import slug\n\n\ndef main():\n    print(slug('A b'))\n",
            "text/slug.py": b"import re\n\n\ndef slug(text):\n    return re.sub(r'\\W+', '-', text)\n",
            "text/__init__.py": b"",
        },
        applied("1", "2", "3", "4"),
    ),
    Sample(
        "all formats in one reply",
        {
            "a.py": b"x = 1\n",
            "b.py": b"def f():\n    return 1\n",
            "c.py": b"one\ntwo\nthree\n",
            "old.txt": b"gone\n",
        },
        """\
Here is the first change:

### File: a.py
<<<<<<< SEARCH
x = 1
=======
x = 2
>>>>>>> REPLACE

Then a patch:

*** Begin Patch
*** Update File: b.py
@@ def f():
-    return 1
+    return 2
*** Delete File: old.txt
*** End Patch

A diff:

```diff
--- a/c.py
+++ b/c.py
@@ -1,3 +1,3 @@
 one
-two
+2
 three
```

And a new file:

### File: d.py
<<<<<<< NEW_FILE
d = 4
>>>>>>> NEW_FILE
""",
        {"a.py": b"x = 2\n", "b.py": b"def f():\n    return 2\n", "c.py": b"one\n2\nthree\n", "d.py": b"d = 4\n"},
        applied("1", "2.1", "3", "4.1", "5"),
    ),
    Sample(
        "one file by all formats, each on the result of the one before",
        {"a.txt": b"one\ntwo\nthree\nfour\n"},
        at("a.txt", block("one\n", "1\n"))
        + "\n*** Begin Patch\n*** Update File: a.txt\n@@\n 1\n-two\n+2\n*** End Patch\n\n"
        + "```diff\n--- a/a.txt\n+++ b/a.txt\n@@ -1,4 +1,4 @@\n 1\n 2\n-three\n+3\n four\n```\n",
        {"a.txt": b"1\n2\n3\nfour\n"},
        applied("1", "2.1", "3.1"),
    ),
    Sample(
        "prose with code, lists and rules between the blocks",
        {"a.py": b"x = 1\ny = 1\n"},
        """\
# Plan

1. change `x`
2. change `y`

---

Currently the code is:

```python
x = 1
y = 1
```

* I use `<<<<<<< SEARCH` blocks, separated by `=======`.
* a < b << c, and a >> b

**a.py**
```python
<<<<<<< SEARCH
x = 1
=======
x = 2
>>>>>>> REPLACE
```

| a | b |
|---|---|
| 1 | 2 |

> And the second:

```python
<<<<<<< SEARCH
y = 1
=======
y = 2
>>>>>>> REPLACE
```

After that, run:

```sh
cat <<EOF
=======
EOF
```
""",
        {"a.py": b"x = 2\ny = 2\n"},
        applied("1", "2"),
    ),
    Sample(
        "a large refactoring, some of it stale",
        {
            "models.py": b"class User:\n    def __init__(self, name):\n        self.name = name\n\n"
            b"    def greet(self):\n        return 'Hi'\n",
            "views.py": b"from models import User\n\n\ndef show(name):\n    return User(name).greet()\n",
            "settings.py": b"DEBUG = True\n",
        },
        "\n".join(
            [
                at(
                    "models.py",
                    block(
                        "    def __init__(self, name):\n        self.name = name\n",
                        "    def __init__(self, name, *, polite=False):\n        self.name = name\n"
                        "        self.polite = polite\n",
                    ),
                    block("        return 'Hi'\n", "        return 'Good day' if self.polite else 'Hi'\n"),
                ),
                at("views.py", block("    return render_template_of(User(name).profile_page)\n", "    return None\n")),
                at("settings.py", block("DEBUG = True\n", "DEBUG = False\n")),
                at("missing/nowhere.txt", block("some line of text\n", "another line\n")),
            ]
        ),
        {
            "models.py": b"class User:\n    def __init__(self, name, *, polite=False):\n        self.name = name\n"
            b"        self.polite = polite\n\n    def greet(self):\n"
            b"        return 'Good day' if self.polite else 'Hi'\n",
            "views.py": b"from models import User\n\n\ndef show(name):\n    return User(name).greet()\n",
            "settings.py": b"DEBUG = False\n",
        },
        {"1": "applied", "2": "applied", "3": "NO_MATCH", "4": "applied", "5": "FILE_NOT_FOUND"},
    ),
    Sample(
        "a configuration in several languages",
        {
            "package.json": b'{\n  "name": "app",\n  "version": "1.0.0",\n  "scripts": {\n    "test": "jest"\n  }\n}\n',
            "Makefile": b"test:\n\tnpm test\n\nclean:\n\trm -rf dist\n",
            ".github/workflows/ci.yml": b"on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n"
            b"      - run: make test\n",
        },
        "\n".join(
            [
                at("package.json", block('    "test": "jest"\n', '    "test": "vitest",\n    "lint": "eslint ."\n')),
                at("Makefile", block("test:\n\tnpm test\n", "test: lint\n\tnpm test\n\nlint:\n\tnpm run lint\n")),
                at(
                    ".github/workflows/ci.yml",
                    block("      - run: make test\n", "      - run: make lint\n      - run: make test\n"),
                ),
            ]
        ),
        {
            "package.json": b'{\n  "name": "app",\n  "version": "1.0.0",\n  "scripts": {\n    "test": "vitest",\n'
            b'    "lint": "eslint ."\n  }\n}\n',
            "Makefile": b"test: lint\n\tnpm test\n\nlint:\n\tnpm run lint\n\nclean:\n\trm -rf dist\n",
            ".github/workflows/ci.yml": b"on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n"
            b"      - run: make lint\n      - run: make test\n",
        },
        applied("1", "2", "3"),
    ),
    Sample(
        "a class is wrapped, which moves its lines to the right",
        {"a.py": b"def run():\n    first()\n    second()\n    third()\n"},
        at(
            "a.py",
            block(
                "    first()\n    second()\n    third()\n",
                "    with lock:\n        first()\n        second()\n        third()\n",
            ),
        ),
        {"a.py": b"def run():\n    with lock:\n        first()\n        second()\n        third()\n"},
        applied("1"),
    ),
    Sample(
        "the same edit in many files that differ in their manner",
        {
            "lf.py": b"import os\nx = 1\n",
            "crlf.py": b"import os\r\nx = 1\r\n",
            "bom.py": b"\xef\xbb\xbfimport os\nx = 1\n",
            "none.py": b"import os\nx = 1",
        },
        "\n".join(at(path, block("x = 1\n", "x = 2\n")) for path in ("lf.py", "crlf.py", "bom.py", "none.py")),
        {
            "lf.py": b"import os\nx = 2\n",
            "crlf.py": b"import os\r\nx = 2\r\n",
            "bom.py": b"\xef\xbb\xbfimport os\nx = 2\n",
            "none.py": b"import os\nx = 2",
        },
        applied("1", "2", "3", "4"),
    ),
    Sample(
        "created, edited, moved and edited again",
        {},
        at("new.py", new_file("a = 1\nb = 2\n"), block("a = 1\n", "a = 10\n"))
        + "\n*** Begin Patch\n*** Update File: new.py\n*** Move to: src/moved.py\n@@\n a = 10\n-b = 2\n"
        "+b = 20\n*** End Patch\n\n" + at("src/moved.py", block("b = 20\n", "b = 200\n")),
        {"src/moved.py": b"a = 10\nb = 200\n"},
        applied("1", "2", "3.1", "4"),
    ),
]

# V4A, the envelope of apply_patch

TWINS = b"""\
class A:
    def f(self):
        return 1

    def g(self):
        return 1


class B:
    def f(self):
        return 1
"""


def v4a(body: str) -> str:
    return f"*** Begin Patch\n{body}*** End Patch\n"


V4A = [
    Sample(
        "V4A: update, add, delete and move",
        {"a.py": b"x = 1\ny = 2\n", "b.py": b"b\n", "c.py": b"one\ntwo\n"},
        v4a(
            "*** Update File: a.py\n@@\n x = 1\n-y = 2\n+y = 3\n"
            "*** Add File: src/n.py\n+n = 1\n+\n+m = 2\n"
            "*** Delete File: b.py\n"
            "*** Update File: c.py\n*** Move to: d/c.py\n@@\n-one\n+1\n two\n"
        ),
        {"a.py": b"x = 1\ny = 3\n", "src/n.py": b"n = 1\n\nm = 2\n", "d/c.py": b"1\ntwo\n"},
        applied("1.1", "2", "3", "4.1"),
    ),
    Sample(
        "V4A: several hunks",
        {"a.py": FUNCTIONS},
        v4a(
            "*** Update File: a.py\n@@ def one():\n-    return 1\n+    return 10\n@@ def three():\n"
            "-    return 3\n+    return 30\n"
        ),
        {"a.py": FUNCTIONS.replace(b"1\n", b"10\n").replace(b"3\n", b"30\n")},
        applied("1.1", "1.2"),
    ),
    Sample(
        "V4A: a context line chooses among equal lines",
        {"a.py": b"def one():\n    return 0\n\n\ndef two():\n    return 0\n"},
        v4a("*** Update File: a.py\n@@ def two():\n-    return 0\n+    return 2\n"),
        {"a.py": b"def one():\n    return 0\n\n\ndef two():\n    return 2\n"},
        applied("1.1"),
    ),
    Sample(
        "V4A: several levels of context",
        {"a.py": TWINS},
        v4a("*** Update File: a.py\n@@ class B:\n@@     def f(self):\n-        return 1\n+        return 2\n"),
        {"a.py": TWINS[: -len(b"1\n")] + b"2\n"},
        applied("1.1"),
    ),
    Sample(
        "V4A: the end of the file",
        {"a.txt": b"same\nother\nsame\n"},
        v4a("*** Update File: a.txt\n@@\n-same\n+last\n*** End of File\n"),
        {"a.txt": b"same\nother\nlast\n"},
        applied("1.1"),
    ),
    Sample(
        "V4A: lines are only inserted, after their context",
        {"a.py": b"import os\n\n\ndef f():\n    return 1\n\n\ndef g():\n    return 2\n"},
        v4a("*** Update File: a.py\n@@ def f():\n+    x = 1\n"),
        {"a.py": b"import os\n\n\ndef f():\n    x = 1\n    return 1\n\n\ndef g():\n    return 2\n"},
        applied("1.1"),
    ),
    Sample(
        "V4A: lines are inserted between context",
        {"a.py": b"one\ntwo\nthree\n"},
        v4a("*** Update File: a.py\n@@\n one\n+1.5\n two\n"),
        {"a.py": b"one\n1.5\ntwo\nthree\n"},
        applied("1.1"),
    ),
    Sample(
        "V4A: without @@",
        {"a.py": b"one\ntwo\n"},
        v4a("*** Update File: a.py\n one\n-two\n+2\n"),
        {"a.py": b"one\n2\n"},
        applied("1.1"),
    ),
    Sample(
        "V4A: in a fence",
        {"a.py": b"x = 1\n"},
        "Apply this:\n\n" + fenced(v4a("*** Update File: a.py\n@@\n-x = 1\n+x = 2\n"), info="patch"),
        {"a.py": b"x = 2\n"},
        applied("1.1"),
    ),
    Sample(
        "V4A: in a here-document",
        {"a.py": b"x = 1\n"},
        "apply_patch <<'EOF'\n" + v4a("*** Update File: a.py\n@@\n-x = 1\n+x = 2\n") + "EOF\n",
        {"a.py": b"x = 2\n"},
        applied("1.1"),
    ),
    Sample(
        "V4A: in a here-document in a fence",
        {"a.py": b"x = 1\n"},
        fenced("apply_patch <<EOF\n" + v4a("*** Update File: a.py\n@@\n-x = 1\n+x = 2\n") + "EOF\n", info="bash"),
        {"a.py": b"x = 2\n"},
        applied("1.1"),
    ),
    Sample(
        "V4A: two envelopes",
        {"a.py": b"x = 1\n", "b.py": b"y = 1\n"},
        v4a("*** Update File: a.py\n@@\n-x = 1\n+x = 2\n")
        + "\nand\n\n"
        + v4a("*** Update File: b.py\n@@\n-y = 1\n+y = 2\n"),
        {"a.py": b"x = 2\n", "b.py": b"y = 2\n"},
        applied("1.1", "2.1"),
    ),
    Sample(
        "V4A: a file with CRLF",
        {"a.py": b"one\r\ntwo\r\n"},
        v4a("*** Update File: a.py\n@@\n one\n-two\n+2\n+3\n"),
        {"a.py": b"one\r\n2\r\n3\r\n"},
        applied("1.1"),
    ),
    Sample(
        "V4A: an empty line without its blank",
        {"a.py": b"one\n\ntwo\nthree\n"},
        v4a("*** Update File: a.py\n@@\n one\n\n-two\n+2\n three\n"),
        {"a.py": b"one\n\n2\nthree\n"},
        applied("1.1"),
    ),
    Sample(
        "V4A: a move whose hunk is stale",
        {"a.py": b"one\ntwo\n"},
        v4a("*** Update File: a.py\n*** Move to: b.py\n@@\n-nothing_like_that(here)\n+x\n"),
        {"a.py": b"one\ntwo\n"},
        {"1.1": "NO_MATCH"},
    ),
    Sample(
        "V4A: a hunk that is stale beside one that fits",
        {"a.py": FUNCTIONS},
        v4a(
            "*** Update File: a.py\n@@\n-    raise NothingLikeThat(here)\n+    pass\n@@ def three():\n"
            "-    return 3\n+    return 30\n"
        ),
        {"a.py": FUNCTIONS.replace(b"3\n", b"30\n")},
        {"1.1": "NO_MATCH", "1.2": "applied"},
    ),
    Sample(
        "V4A: an update of a file that is not there",
        {"a.py": b"x = 1\n"},
        v4a("*** Update File: nowhere/else.txt\n@@\n-some text of it\n+x\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n"),
        {"a.py": b"x = 2\n"},
        {"1.1": "FILE_NOT_FOUND", "2.1": "applied"},
    ),
    Sample(
        "V4A: a deletion of a file that is not there",
        {"a.py": b"x = 1\n"},
        v4a("*** Delete File: nowhere/else.txt\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n"),
        {"a.py": b"x = 2\n"},
        {"1": "FILE_NOT_FOUND", "2.1": "applied"},
    ),
    Sample(
        "V4A: a new file where one stands",
        {"a.py": b"old\ncontent\n"},
        v4a("*** Add File: a.py\n+new\n"),
        {"a.py": b"new\n"},
        applied("1"),
    ),
    Sample(
        "V4A: a file is moved to where one stands",
        {"a.py": b"one\ntwo\n", "b.py": b"in the way\n"},
        v4a("*** Update File: a.py\n*** Move to: b.py\n@@\n-one\n+1\n two\n"),
        {"b.py": b"1\ntwo\n"},
        applied("1.1"),
    ),
    Sample(
        "V4A: cut before its end",
        {"a.py": b"x = 1\n", "b.py": b"y = 1\ny = 2\n"},
        "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** Update File: b.py\n@@\n-y = 1\n+y",
        {"a.py": b"x = 2\n", "b.py": b"y = 1\ny = 2\n"},
        {"1.1": "applied", "2": "INCOMPLETE_BLOCK"},
    ),
]

# Unified diffs

NINE = b"1\n2\n3\n4\n5\n6\n7\n8\n9\n"
REPEATED = b"begin\nsame\nend\n" * 5

UNIFIED = [
    Sample(
        "diff: of git",
        {"src/a.py": NINE},
        "diff --git a/src/a.py b/src/a.py\nindex 0719398..a29bdeb 100644\n--- a/src/a.py\n+++ b/src/a.py\n"
        "@@ -3,5 +3,6 @@ some function\n 3\n 4\n-5\n+five\n+5.5\n 6\n 7\n",
        {"src/a.py": b"1\n2\n3\n4\nfive\n5.5\n6\n7\n8\n9\n"},
        applied("1.1"),
    ),
    Sample(
        "diff: without a/ and b/",
        {"src/a.py": NINE},
        "--- src/a.py\n+++ src/a.py\n@@ -4,3 +4,3 @@\n 4\n-5\n+five\n 6\n",
        {"src/a.py": NINE.replace(b"5", b"five")},
        applied("1.1"),
    ),
    Sample(
        "diff: with times",
        {"src/a.py": NINE},
        "--- src/a.py\t2026-01-01 10:00:00.000000000 +0100\n+++ src/a.py\t2026-01-01 10:00:01.000000000 +0100\n"
        "@@ -4,3 +4,3 @@\n 4\n-5\n+five\n 6\n",
        {"src/a.py": NINE.replace(b"5", b"five")},
        applied("1.1"),
    ),
    Sample(
        "diff: wrong numbers",
        {"a.py": NINE},
        "--- a/a.py\n+++ b/a.py\n@@ -100,3 +200,3 @@\n 4\n-5\n+five\n 6\n",
        {"a.py": NINE.replace(b"5", b"five")},
        applied("1.1"),
    ),
    Sample(
        "diff: numbers that say too much, in a fence",
        {"a.py": NINE},
        "```diff\n--- a/a.py\n+++ b/a.py\n@@ -1,9 +1,19 @@\n 4\n-5\n+five\n 6\n```\n",
        {"a.py": NINE.replace(b"5", b"five")},
        applied("1.1"),
    ),
    Sample(
        "diff: numbers that say too little",
        {"a.py": NINE},
        "--- a/a.py\n+++ b/a.py\n@@ -4,1 +4,1 @@\n 4\n-5\n+five\n 6\n",
        {"a.py": NINE.replace(b"5", b"five")},
        applied("1.1"),
    ),
    Sample(
        "diff: numbers that say too little, and another hunk",
        {"a.py": NINE},
        "--- a/a.py\n+++ b/a.py\n@@ -1,1 +1,1 @@\n-1\n+one\n 2\n 3\n@@ -8,9 +8,9 @@\n 7\n-8\n+eight\n 9\n\nDone.\n",
        {"a.py": NINE.replace(b"1", b"one").replace(b"8", b"eight")},
        applied("1.1", "1.2"),
    ),
    Sample(
        "diff: no numbers",
        {"a.py": NINE},
        "--- a/a.py\n+++ b/a.py\n@@ ... @@\n 4\n-5\n+five\n 6\n@@\n 7\n-8\n+eight\n",
        {"a.py": NINE.replace(b"5", b"five").replace(b"8", b"eight")},
        applied("1.1", "1.2"),
    ),
    Sample(
        "diff: numbers choose among equal places",
        {"a.py": REPEATED},
        "--- a/a.py\n+++ b/a.py\n@@ -7,3 +7,3 @@\n begin\n-same\n+other\n end\n",
        {"a.py": b"begin\nsame\nend\n" * 2 + b"begin\nother\nend\n" + b"begin\nsame\nend\n" * 2},
        applied("1.1"),
    ),
    Sample(
        "diff: numbers choose among equal places, and the hunk ends with an empty line",
        {"a.py": b"1\nsame\n\n4\nsame\n\n7\n"},
        "--- a/a.py\n+++ b/a.py\n@@ -5,2 +5,3 @@\n same\n+new\n \n",
        {"a.py": b"1\nsame\n\n4\nsame\nnew\n\n7\n"},
        applied("1.1"),
    ),
    Sample(
        "diff: numbers choose among equal places, and the hunk begins with an empty line",
        {"a.py": b"1\n\nsame\n4\n\nsame\n7\n"},
        "--- a/a.py\n+++ b/a.py\n@@ -5,2 +5,3 @@\n \n+new\n same\n",
        {"a.py": b"1\n\nsame\n4\n\nnew\nsame\n7\n"},
        applied("1.1"),
    ),
    Sample(
        "diff: numbers of later hunks refer to the original",
        {"a.py": REPEATED},
        "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,6 @@\n begin\n+1\n+2\n+3\n same\n end\n@@ -7,3 +10,2 @@\n begin\n"
        "-same\n end\n"
        "@@ -13,3 +15,3 @@\n begin\n same\n-end\n+END\n",
        {
            "a.py": b"begin\n1\n2\n3\nsame\nend\nbegin\nsame\nend\nbegin\nend\nbegin\nsame\nend\nbegin\nsame\nEND\n",
        },
        applied("1.1", "1.2", "1.3"),
    ),
    Sample(
        "diff: a new file",
        {},
        "diff --git a/src/n.py b/src/n.py\nnew file mode 100644\nindex 0000000..1\n--- /dev/null\n"
        "+++ b/src/n.py\n@@ -0,0 +1,2 @@\n+n = 1\n+m = 2\n",
        {"src/n.py": b"n = 1\nm = 2\n"},
        applied("1"),
    ),
    Sample(
        "diff: a deleted file",
        {"a.py": b"x = 1\ny = 2\n", "b.py": b"y\n"},
        "diff --git a/a.py b/a.py\ndeleted file mode 100644\nindex 1..0000000\n--- a/a.py\n+++ /dev/null\n"
        "@@ -1,2 +0,0 @@\n-x = 1\n-y = 2\n",
        {"b.py": b"y\n"},
        applied("1"),
    ),
    Sample(
        "diff: a renamed file",
        {"a.py": NINE},
        "diff --git a/a.py b/src/b.py\nsimilarity index 100%\nrename from a.py\nrename to src/b.py\n",
        {"src/b.py": NINE},
        applied("1"),
    ),
    Sample(
        "diff: a renamed and changed file",
        {"a.py": NINE},
        "diff --git a/a.py b/src/b.py\nsimilarity index 90%\nrename from a.py\nrename to src/b.py\nindex 1..2 100644\n"
        "--- a/a.py\n+++ b/src/b.py\n@@ -4,3 +4,3 @@\n 4\n-5\n+five\n 6\n",
        {"src/b.py": NINE.replace(b"5", b"five")},
        applied("1.1"),
    ),
    Sample(
        "diff: no newline at the end of either side",
        {"a.py": b"one\ntwo"},
        "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n one\n-two\n\\ No newline at end of file\n+2\n"
        "\\ No newline at end of file\n",
        {"a.py": b"one\n2"},
        applied("1.1"),
    ),
    Sample(
        "diff: the newline at the end comes",
        {"a.py": b"one\ntwo"},
        "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n one\n-two\n\\ No newline at end of file\n+two\n",
        {"a.py": b"one\ntwo\n"},
        applied("1.1"),
    ),
    Sample(
        "diff: the newline at the end goes",
        {"a.py": b"one\ntwo\n"},
        "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n one\n-two\n+two\n\\ No newline at end of file\n",
        {"a.py": b"one\ntwo"},
        applied("1.1"),
    ),
    Sample(
        "diff: a new file without a newline at its end",
        {},
        "--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+n = 1\n\\ No newline at end of file\n",
        {"n.py": b"n = 1"},
        applied("1"),
    ),
    Sample(
        "diff: several files in a fence",
        {"a.py": b"x = 1\n", "b.py": b"y = 1\n"},
        "```diff\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n"
        "-y = 1\n+y = 2\n```\n",
        {"a.py": b"x = 2\n", "b.py": b"y = 2\n"},
        applied("1.1", "2.1"),
    ),
    Sample(
        "diff: an empty context line without its blank",
        {"a.py": b"one\n\ntwo\n"},
        "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n one\n\n-two\n+2\n",
        {"a.py": b"one\n\n2\n"},
        applied("1.1"),
    ),
    Sample(
        "diff: lines that look like headers",
        {"a.sql": b"select 1;\n-- old comment\nselect 2;\n"},
        "--- a/a.sql\n+++ b/a.sql\n@@ -1,3 +1,3 @@\n select 1;\n--- old comment\n+++ new comment\n select 2;\n",
        {"a.sql": b"select 1;\n++ new comment\nselect 2;\n"},
        applied("1.1"),
    ),
    Sample(
        "diff: a file with CRLF",
        {"a.py": b"one\r\ntwo\r\nthree\r\n"},
        "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+2.5\n three\n",
        {"a.py": b"one\r\n2\r\n2.5\r\nthree\r\n"},
        applied("1.1"),
    ),
    Sample(
        "diff: the file has moved on, and the hunk still fits",
        {"a.py": b"new head\nmore\n" + NINE},
        "--- a/a.py\n+++ b/a.py\n@@ -4,3 +4,3 @@\n 4\n-5\n+five\n 6\n",
        {"a.py": b"new head\nmore\n" + NINE.replace(b"5", b"five")},
        applied("1.1"),
    ),
    Sample(
        "diff: a stale hunk beside one that fits",
        {"a.py": b"alpha = 1\nbeta = 2\ngamma = 3\n"},
        "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-something_else_entirely(with, arguments)\n+x\n@@ -3 +3 @@\n"
        "-gamma = 3\n+gamma = 4\n",
        {"a.py": b"alpha = 1\nbeta = 2\ngamma = 4\n"},
        {"1.1": "NO_MATCH", "1.2": "applied"},
    ),
    Sample(
        "diff: an empty file comes and another goes",
        {"old": b""},
        "diff --git a/new b/new\nnew file mode 100644\nindex 0000000..e69de29\n"
        "diff --git a/old b/old\ndeleted file mode 100644\nindex e69de29..0000000\n",
        {"new": b""},
        applied("1", "2"),
    ),
    Sample(
        "diff: a name in quotes",
        {"a b é.txt": b"x\n"},
        '--- "a/a b \\303\\251.txt"\n+++ "b/a b \\303\\251.txt"\n@@ -1 +1 @@\n-x\n+y\n',
        {"a b é.txt": b"y\n"},
        applied("1.1"),
    ),
    Sample(
        "diff: of a folder that is called a",
        {"a/x.py": b"1\n"},
        "--- a/x.py\n+++ a/x.py\n@@ -1 +1 @@\n-1\n+2\n",
        {"a/x.py": b"2\n"},
        applied("1.1"),
    ),
    Sample(
        "diff: a new file where another stands",
        {"n.py": b"something else\n"},
        "--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+n = 1\n",
        {"n.py": b"something else\n"},
        {"1": "FILE_EXISTS"},
    ),
    Sample(
        "diff: a deletion of a file with another content",
        {"a.py": b"something else\nthat nobody may lose\n"},
        "--- a/a.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x = 1\n-y = 2\n",
        {"a.py": b"something else\nthat nobody may lose\n"},
        {"1": "*"},
    ),
    Sample(
        "diff: two hunks of one file, of which the first is an insertion at the top",
        {"a.py": NINE},
        "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -7,3 +8,4 @@\n 7\n 8\n 9\n+10\n",
        {"a.py": b"0\n" + NINE + b"10\n"},
        applied("1.1", "1.2"),
    ),
]

# Partial success

PARTIAL = [
    Sample(
        "a text that is not there",
        TWO,
        at("a.py", block("no_such_function(call)\n", "x\n")) + "\n" + OTHER,
        ONLY_B,
        {"1": "NO_MATCH", "2": "applied"},
    ),
    Sample(
        "a text that stands twice",
        {"a.py": b"same()\nother()\nsame()\n", "b.py": b"y = 1\n"},
        at("a.py", block("same()\n", "changed()\n")) + "\n" + OTHER,
        {"a.py": b"same()\nother()\nsame()\n", "b.py": b"y = 2\n"},
        {"1": "OLD_TEXT_NOT_UNIQUE", "2": "applied"},
    ),
    Sample(
        "a file that is not there",
        TWO,
        at("nowhere/else.txt", block("line of it\n", "x\n")) + "\n" + OTHER,
        ONLY_B,
        {"1": "FILE_NOT_FOUND", "2": "applied"},
    ),
    Sample(
        "a new file where another stands",
        TWO,
        at("a.py", new_file("z = 3\n")) + "\n" + OTHER,
        ONLY_B,
        {"1": "FILE_EXISTS", "2": "applied"},
    ),
    Sample(
        "a new file where the same stands",
        TWO,
        at("a.py", new_file("x = 1\n")) + "\n" + OTHER,
        ONLY_B,
        {"1": "already_applied", "2": "applied"},
    ),
    Sample(
        "a path outside",
        TWO,
        at("../outside.py", block("x = 1\n", "x = 2\n")) + "\n" + OTHER,
        ONLY_B,
        {"1": "PATH_OUTSIDE_WORKSPACE", "2": "applied"},
    ),
    Sample(
        "a new file outside",
        TWO,
        at("/somewhere/else/outside.py", new_file("x = 2\n")) + "\n" + OTHER,
        ONLY_B,
        {"1": "PATH_OUTSIDE_WORKSPACE", "2": "applied"},
    ),
    Sample(
        "a move to the outside",
        TWO,
        v4a("*** Update File: a.py\n*** Move to: ../outside.py\n@@\n-x = 1\n+x = 2\n") + "\n" + OTHER,
        ONLY_B,
        {"1.1": "PATH_OUTSIDE_WORKSPACE", "2": "applied"},
    ),
    Sample(
        "a protected path",
        TWO,
        at(".git/hooks/pre-commit", new_file("x\n")) + "\n" + OTHER,
        ONLY_B,
        {"1": "PROTECTED_PATH", "2": "applied"},
    ),
    Sample(
        "a binary file",
        {"a.py": b"\0\1\2", "b.py": b"y = 1\n"},
        SIMPLE + "\n" + OTHER,
        {"a.py": b"\0\1\2", "b.py": b"y = 2\n"},
        {"1": "BINARY_FILE", "2": "applied"},
    ),
    Sample(
        "a character that cannot be written",
        {"a.py": b"# caf\xe9\nx = 1\n", "b.py": b"y = 1\n"},
        at("a.py", block("x = 1\n", "x = 'é'\n")) + "\n" + OTHER,
        {"a.py": b"# caf\xe9\nx = 1\n", "b.py": b"y = 2\n"},
        {"1": "ENCODING_UNKNOWN", "2": "applied"},
    ),
    Sample(
        "a new file below a file",
        TWO,
        at("a.py/new.py", new_file("n\n")) + "\n" + OTHER,
        ONLY_B,
        {"1": "NOT_A_FOLDER", "2": "applied"},
    ),
    Sample(
        "a folder",
        {"src/a.py": b"x = 1\n", "b.py": b"y = 1\n"},
        at("src", block("x = 1\n", "x = 2\n")) + "\n" + OTHER,
        {"src/a.py": b"x = 1\n", "b.py": b"y = 2\n"},
        {"1": "NOT_A_FILE", "2": "applied"},
    ),
    Sample("no path", TWO, block("x = 1\n", "x = 2\n") + "\n" + OTHER, ONLY_B, {"1": "NO_PATH", "2": "applied"}),
    Sample(
        "some blocks of one file",
        {"a.py": b"one\ntwo\nthree\n"},
        at("a.py", block("one\n", "1\n"), block("nothing like this line here\n", "x\n"), block("three\n", "3\n")),
        {"a.py": b"1\ntwo\n3\n"},
        {"1": "applied", "2": "NO_MATCH", "3": "applied"},
    ),
    Sample(
        "none at all",
        TWO,
        at("a.py", block("nothing like this line here\n", "x\n"), block("nor is there such a line\n", "y\n")),
        TWO,
        {"1": "NO_MATCH", "2": "NO_MATCH"},
    ),
]

SEED = [*BASIC, *MULTIPLE, *DELETIONS, *SEQUENTIAL, *LONG, *SPECIAL, *BROKEN, *SEPARATORS, *EDGES, *COMPLEX]
SAMPLES = by_name([*SEED, *V4A, *UNIFIED, *PARTIAL])

# Where models write the path

IN_BLOCK = block("x = 1\n", "x = 2\n")
PATHS = {
    "heading": "### File: src/app.py\n" + IN_BLOCK,
    "heading, empty line": "### File: src/app.py\n\n" + IN_BLOCK,
    "heading of another level": "## File: src/app.py\n" + IN_BLOCK,
    "heading with backticks": "### File: `src/app.py`\n" + IN_BLOCK,
    "heading with a fence": "### File: src/app.py\n" + fenced(IN_BLOCK, info="python"),
    "heading, prose and a fence": "### File: src/app.py\n\nThis changes x.\n\n" + fenced(IN_BLOCK, info="python"),
    "heading that is the path": "### src/app.py\n" + IN_BLOCK,
    "heading that is the path in backticks": "### `src/app.py`\n\n" + fenced(IN_BLOCK),
    "File:": "File: src/app.py\n" + IN_BLOCK,
    "File: in bold": "**File: src/app.py**\n" + IN_BLOCK,
    "File: and bold": "**File:** `src/app.py`\n" + IN_BLOCK,
    "bold": "**src/app.py**\n" + IN_BLOCK,
    "bold before a fence": "**src/app.py**\n\n" + fenced(IN_BLOCK),
    "bold and backticks": "**`src/app.py`**\n" + IN_BLOCK,
    "backticks": "`src/app.py`\n" + IN_BLOCK,
    "backticks and a colon": "`src/app.py`:\n" + IN_BLOCK,
    "the line before": "src/app.py\n" + IN_BLOCK,
    "the line before, with a colon": "src/app.py:\n" + IN_BLOCK,
    "the line before the fence": "src/app.py\n" + fenced(IN_BLOCK, info="python"),
    "the first line in the fence": fenced("src/app.py\n" + IN_BLOCK, info="python"),
    "the info string": fenced(IN_BLOCK, info="src/app.py"),
    "the info string after the language": fenced(IN_BLOCK, info="python src/app.py"),
    "the info string after the language and a colon": fenced(IN_BLOCK, info="python:src/app.py"),
    "a comment in the fence": fenced("# path: src/app.py\n" + IN_BLOCK, info="python"),
    "a comment before the block": "// path: src/app.py\n" + IN_BLOCK,
    "separators of Windows": "### File: src\\app.py\n" + IN_BLOCK,
    "./": "### File: ./src/app.py\n" + IN_BLOCK,
    "white space around": "### File:   src/app.py   \n" + IN_BLOCK,
}
"""The same block for `src/app.py`, with the path in all the places."""

# Replies without any block

NOTHING = {
    "nothing": "",
    "white space": " \n\n\t\n",
    "prose": "I looked at the code, and nothing has to change.\n",
    "code": "Use this:\n\n```python\nx = 2\n```\n",
    "inline markers": "Write `<<<<<<< SEARCH`, then `=======`, then `>>>>>>> REPLACE`.\n",
    "a conflict of git": CONFLICT.decode(),
    "a heading of setext": RST.decode(),
    "a list with plus and minus": "Changes:\n\n- x = 1\n+ x = 2\n",
    "rules and front matter": "---\ntitle: x\n---\n\n+++\ny = 1\n+++\n",
    "quoted mail": ">>>>>>> you wrote\n>>>>>> I wrote\n",
    "here-document": "cat <<'EOF' > a.py\nx = 2\nEOF\n",
    "doctest": ">>> x = 1\n>>> x\n1\n",
    "only a path": "### File: a.py\n",
    "shifts": "<<<<<<< 3\n=======\n>>>>>>> 4\n",
}
