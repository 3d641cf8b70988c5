"""The rungs of the ladder: what each one finds, and the file after the change."""

import pytest
from _pytest.mark import ParameterSet

from suture import wording
from suture.match.index import Site
from suture.match.ladder import LADDER, RUNGS
from suture.match.normalize import line_keys, meaning
from tests.unit.match.asking import apply_edit, find_place, swap, with_proof

Case = tuple[str, str, str, str, str]
"""A file, an old and a new text, and the part of the file that is replaced with its replacement."""

SERVER = '''\
import os


class Server:
    """Serves."""

    def __init__(self, port):
        self.port = port
        self.started = False

    def start(self):
        if self.started:
            return None
        self.started = True
        return self.port

    def stop(self):
        self.started = False
'''

GO = """\
func main() {
\tfor _, name := range names {
\t\tif name == "" {
\t\t\tcontinue
\t\t}
\t\tfmt.Println(name)
\t}
}
"""

CLIENT = """\
export function load(url, options) {
  const response = await fetch(url, options);
  if (!response.ok) {
    throw new Error("load failed: " + response.status);
  }
  return response.json();
}

export const retry = (times) => ({ times, delay: 100 });
"""

COMPOSE = """\
services:
  web:
    image: nginx:1.25
    ports:
      - "8080:80"
  db:
    image: postgres:16
    environment:
      POSTGRES_DB: app
"""

GUIDE = """\
# Guide

The server listens on port 8080 – change it with `--port`.

It’s started by “make run”, and stopped by “make stop”.

* one
* two
"""

EXACT: dict[str, Case] = {
    "a line": (SERVER, "        self.port = port\n", "        self.port = int(port)\n", "= port\n", "= int(port)\n"),
    "a piece of a line": (SERVER, "return None", "return self.port", "return None", "return self.port"),
    "a piece over two lines": (
        SERVER,
        "None\n        self.started = True",
        "0\n        self.started = 1",
        "None\n        self.started = True",
        "0\n        self.started = 1",
    ),
    "lines, one of them gone": (
        COMPOSE,
        '    ports:\n      - "8080:80"\n',
        "",
        '    ports:\n      - "8080:80"\n',
        "",
    ),
    "what is no letter": (CLIENT, "=> ({ times,", "=> ({ count: times,", "=> ({ times,", "=> ({ count: times,"),
    "characters beyond ASCII": (GUIDE, "8080 – change", "8081 – change", "8080 – change", "8081 – change"),
    "trailing space, sent and wanted": ("a = 1  \nb = 2\n", "a = 1  \n", "a = 1 \n", "a = 1  \n", "a = 1 \n"),
}

TRAILING: dict[str, Case] = {
    "space that the file has": (
        "def run():   \n    start()\n    stop()\n",
        "def run():\n    start()\n",
        "def run():\n    begin()\n",
        "start",
        "begin",
    ),
    "space that the file has not": (SERVER, "class Server:  \n", "class Service:  \n", "class Server", "class Service"),
    "spaces in a blank line of the file": (
        "one = 1\n    \ntwo = 2\n",
        "one = 1\n\ntwo = 2\n",
        "one = 1\n\ntwo = 3\n",
        "= 2",
        "= 3",
    ),
    "a tab at the end of a YAML line": (
        "jobs:\t\n  build: yes\n",
        "jobs:\n  build: yes\n",
        "jobs:\n  build: no\n",
        "yes",
        "no",
    ),
}

INDENTATION: dict[str, Case] = {
    "all of it left out": (
        SERVER,
        "if self.started:\n    return None\nself.started = True\n",
        "if self.started:\n    return None\nself.count += 1\nself.started = True\n",
        "            return None\n",
        "            return None\n        self.count += 1\n",
    ),
    "more than the file has": (
        "def f():\n    a = 1\n    b = 2\n",
        "        a = 1\n        b = 2\n",
        "        a = 1\n        if a:\n            b = 2\n",
        "    b = 2\n",
        "    if a:\n        b = 2\n",
    ),
    "spaces for tabs": (
        GO,
        '        if name == "" {\n            continue\n        }\n',
        '        if name == "" {\n            skipped++\n            continue\n        }\n',
        "\t\t\tcontinue",
        "\t\t\tskipped++\n\t\t\tcontinue",
    ),
    "two spaces for a tab": (
        GO,
        '    if name == "" {\n      continue\n    }\n    fmt.Println(name)\n',
        '    if name == "" {\n      break\n    }\n    if debug {\n      fmt.Println(name)\n    }\n',
        "\t\t\tcontinue\n\t\t}\n\t\tfmt.Println(name)\n",
        "\t\t\tbreak\n\t\t}\n\t\tif debug {\n\t\t\tfmt.Println(name)\n\t\t}\n",
    ),
    "tabs for spaces": (
        SERVER,
        "\t\tif self.started:\n\t\t\treturn None\n\t\tself.started = True\n",
        "\t\tif self.started:\n\t\t\tself.stop()\n\t\t\treturn None\n\t\tself.started = True\n",
        "            return None\n",
        "            self.stop()\n            return None\n",
    ),
    "rescaled from two to four": (
        SERVER,
        "  def start(self):\n    if self.started:\n      return None\n",
        "  def start(self):\n    if self.started:\n      while True:\n        return None\n",
        "            return None\n",
        "            while True:\n                return None\n",
    ),
    "rescaled from four to two": (
        CLIENT,
        '    if (!response.ok) {\n        throw new Error("load failed: " + response.status);\n    }\n',
        '    if (!response.ok) {\n        log();\n        throw new Error("load failed: " + response.status);\n    }\n',
        "    throw new",
        "    log();\n    throw new",
    ),
    "the first line alone without": (
        SERVER,
        "if self.started:\n            return None\n        self.started = True",
        "if self.started:\n            return None\n        self.count += 1\n        self.started = True",
        "            return None\n",
        "            return None\n        self.count += 1\n",
    ),
    "the first line alone without, and a line before it": (
        SERVER,
        "if self.started:\n            return None\n        self.started = True\n",
        "check()\n        if self.started:\n            return None\n        self.started = True\n",
        "        if self.started:\n",
        "        check()\n        if self.started:\n",
    ),
    "one line without, several to come": (
        SERVER,
        "self.started = True\n",
        "self.started = True\nself.count += 1\n",
        "self.started = True\n",
        "self.started = True\n        self.count += 1\n",
    ),
    "one line without, a block to come": (
        COMPOSE,
        "image: postgres:16\n",
        "image: postgres:17\nrestart: always\n",
        "    image: postgres:16\n",
        "    image: postgres:17\n    restart: always\n",
    ),
    "a list of YAML at another depth": (
        COMPOSE,
        'ports:\n  - "8080:80"\n',
        'ports:\n  - "8080:80"\n  - "443:443"\n',
        '      - "8080:80"\n',
        '      - "8080:80"\n      - "443:443"\n',
    ),
}

TRIMMED: dict[str, Case] = {
    "blank lines before that the file has not": (
        SERVER,
        "\n\n        self.port = port\n        self.started = False\n",
        "\n\n        self.port = port\n        self.started = None\n",
        "= port\n        self.started = False",
        "= port\n        self.started = None",
    ),
    "blank lines behind that the file has not": (
        COMPOSE,
        "  web:\n    image: nginx:1.25\n\n\n",
        "  web:\n    image: nginx:1.27\n\n\n",
        "1.25",
        "1.27",
    ),
}

LOOK_ALIKE: dict[str, Case] = {
    "curly quotes sent, plain ones in the file": (
        CLIENT,
        "throw new Error(“load failed: ” + response.status);",
        "throw new Error(“not loaded: ” + response.status);",
        "load failed",
        "not loaded",
    ),
    "plain quotes sent, curly ones in the file": (
        GUIDE,
        'It\'s started by "make run", and stopped by "make stop".\n',
        'It\'s started by "make run", and ended by "make stop".\n',
        "stopped",
        "ended",
    ),
    "a dash": (
        GUIDE,
        "The server listens on port 8080 - change it with `--port`.",
        "The server listens on port 9090 - change it with `--port`.",
        "8080",
        "9090",
    ),
    "spaces that do not break": (
        SERVER,
        "        self.port\u00a0=\u00a0port\n",
        "        self.port\u00a0=\u00a0int(port)\n",
        "self.port = port",
        "self.port = int(port)",
    ),
    "a space without width": ("total = 1\nrest = 2\n", "to\u200btal = 1\n", "to\u200btal = 3\n", "= 1", "= 3"),
    "an accent composed here and apart there": (
        "name: caf\u00e9\nstreet: main\n",
        "name: cafe\u0301\nstreet: main\n",
        "name: cafe\u0301\nstreet: old\n",
        "main",
        "old",
    ),
}

ESCAPE: dict[str, Case] = {
    "quotes with backslashes": (
        CLIENT,
        '    throw new Error(\\"load failed: \\" + response.status);\n',
        '    throw new Error(\\"load failed: \\" + response.statusText);\n',
        "response.status)",
        "response.statusText)",
    ),
    "backslashes doubled": (
        'PATTERN = r"\\d+\\s"\nFLAGS = 0\n',
        'PATTERN = r"\\\\d+\\\\s"\n',
        'PATTERN = r"\\\\d+\\\\w"\n',
        "\\s",
        "\\w",
    ),
    "line breaks spelled out": (
        SERVER,
        "        self.port = port\\n        self.started = False",
        "        self.port = port\\n        self.started = None",
        "= port\n        self.started = False",
        "= port\n        self.started = None",
    ),
    "tabs spelled out": (
        GO,
        "\\t\\t\\tcontinue\\n\\t\\t}",
        "\\t\\t\\tbreak\\n\\t\\t}",
        "continue",
        "break",
    ),
    "entities": (
        CLIENT,
        "export const retry = (times) =&gt; ({ times, delay: 100 });\n",
        "export const retry = (times) =&gt; ({ times, delay: 200 });\n",
        "delay: 100",
        "delay: 200",
    ),
    "entities by number": (
        CLIENT,
        "throw new Error(&#34;load failed: &#x22; + response.status);",
        "throw new Error(&#34;not loaded: &#x22; + response.status);",
        "load failed",
        "not loaded",
    ),
    "a fence around both": (
        SERVER,
        "```python\n        self.port = port\n        self.started = False\n```\n",
        "```python\n        self.port = int(port)\n        self.started = False\n```\n",
        "= port\n",
        "= int(port)\n",
    ),
    "a fence of tildes around both": (
        COMPOSE,
        "~~~\n    image: postgres:16\n    environment:\n~~~",
        "~~~\n    image: postgres:17\n    environment:\n~~~",
        "16",
        "17",
    ),
    "a fence around what is to go": (
        COMPOSE,
        "```yaml\n    environment:\n      POSTGRES_DB: app\n```",
        "",
        "    environment:\n      POSTGRES_DB: app\n",
        "",
    ),
    "line numbers and a tab, as cat -n": (
        SERVER,
        "    12\t        if self.started:\n    13\t            return None\n",
        "    12\t        if self.started:\n    13\t            return 0\n",
        "return None",
        "return 0",
    ),
    "line numbers and an arrow, old alone": (
        SERVER,
        "    12→        if self.started:\n    13→            return None\n",
        "        if self.started:\n            return 0\n",
        "return None",
        "return 0",
    ),
    "line numbers and a bar": (
        SERVER,
        '12 | class Server:\n13 |     """Serves."""\n',
        '12 | class Server:\n13 |     """Serves it."""\n',
        "Serves.",
        "Serves it.",
    ),
    "line numbers and a colon": (
        COMPOSE,
        "7:    image: postgres:16\n8:    environment:\n",
        "7:    image: postgres:17\n8:    environment:\n",
        "16",
        "17",
    ),
    "line numbers and a dot": (
        COMPOSE,
        "7. services:\n8.   web:\n9.     image: nginx:1.25\n",
        "7. services:\n8.   web:\n9.     image: nginx:1.27\n",
        "1.25",
        "1.27",
    ),
    "line numbers in brackets": (
        CLIENT,
        "[2]   const response = await fetch(url, options);\n[3]   if (!response.ok) {\n",
        "[2]   const response = await fetch(url);\n[3]   if (!response.ok) {\n",
        "fetch(url, options)",
        "fetch(url)",
    ),
    "line numbers, and a new line without": (
        SERVER,
        "8\t        self.port = port\n9\t        self.started = False\n",
        "8\t        self.port = port\n        self.count = 0\n9\t        self.started = False\n",
        "= port\n",
        "= port\n        self.count = 0\n",
    ),
    "line numbers and blank lines": (
        SERVER,
        "13\t            return None\n14\t        self.started = True\n15\t        return self.port\n16\t\n",
        "13\t            return None\n14\t        self.started = True\n15\t        return 0\n16\t\n",
        "return self.port",
        "return 0",
    ),
    "line numbers in a fence": (
        SERVER,
        "```\n8\t        self.port = port\n9\t        self.started = False\n```",
        "```\n8\t        self.port = 80\n9\t        self.started = False\n```",
        "= port\n",
        "= 80\n",
    ),
}

TOKENS: dict[str, Case] = {
    "spaces inside a line": (
        CLIENT,
        "export const retry = (times) => ({times, delay: 100});\n",
        "export const retry = (times) => ({times, delay: 200});\n",
        "delay: 100",
        "delay: 200",
    ),
    "a blank line that the file has not": (
        SERVER,
        "        self.started = True\n\n        return self.port\n",
        "        self.started = True\n\n        return 0\n",
        "return self.port",
        "return 0",
    ),
    "a blank line left out": (
        SERVER,
        "        self.started = False\n    def start(self):\n",
        "        self.started = False\n    def begin(self):\n",
        "def start(",
        "def begin(",
    ),
    "two lines that are one in the file": (
        CLIENT,
        "export function load(\n  url, options) {\n  const response = await fetch(url, options);\n",
        "export function load(\n  url, options) {\n  const response = await request(url, options);\n",
        "fetch(",
        "request(",
    ),
    "one line that is several in the file": (
        "call(\n    first,\n    second,\n)\nother = 1\n",
        "call( first, second, )\nother = 1\n",
        "call( first, second, )\nother = 2\n",
        "other = 1",
        "other = 2",
    ),
    "a word changed in lines that are broken elsewhere": (
        "result = compute(alpha,\n                 beta)\nprint(result)\n",
        "result = compute(alpha, beta)\nprint(result)\n",
        "result = compute(gamma, beta)\nprint(result)\n",
        "alpha",
        "gamma",
    ),
    "a paragraph wrapped at another column": (
        "# Title\n\nThe quick brown fox jumps\nover the lazy dog and\nruns away.\n",
        "The quick brown fox\njumps over the lazy dog\nand runs away.\n",
        "The quick brown fox\njumps over the tired dog\nand runs away.\n",
        "lazy",
        "tired",
    ),
}

PIECES: dict[str, dict[str, Case]] = {
    "look_alike": {
        "a piece of a line": (
            'x = say("hello", 1) + 2\n',
            "say(“hello”, 1)",
            "say(“bye”, 1)",
            "hello",
            "bye",
        ),
    },
    "tokens": {
        "a piece of a line": ("x = foo( a, b ) + 1\n", "foo(a, b)", "foo(a, c)", "b", "c"),
        "a piece of a line with blank lines around": (
            "x = foo( a, b ) + 1\n",
            "\nfoo(a, b)\n\n",
            "\nfoo(a, c)\n\n",
            "b",
            "c",
        ),
        "a piece of a line with unknown letters": ("é = foo( a, b ) + 1\n", "foo(a, b)", "foo(a, c)", "b", "c"),
    },
}

ELISION: dict[str, Case] = {
    "dots between two lines": (
        SERVER,
        "class Server:\n    ...\n    def stop(self):\n        self.started = False\n",
        "class Server:\n    ...\n    def stop(self):\n        self.started = None\n",
        "    def stop(self):\n        self.started = False\n",
        "    def stop(self):\n        self.started = None\n",
    ),
    "a comment that says so": (
        CLIENT,
        "export function load(url, options) {\n  // ... existing code ...\n  return response.json();\n}\n",
        "export function load(url, options) {\n  // ... existing code ...\n  return response.text();\n}\n",
        "response.json()",
        "response.text()",
    ),
    "a hash and words": (
        COMPOSE,
        "services:\n  # ... rest of the services\n    environment:\n      POSTGRES_DB: app\n",
        "services:\n  # ... rest of the services\n    environment:\n      POSTGRES_DB: main\n",
        "POSTGRES_DB: app",
        "POSTGRES_DB: main",
    ),
    "two parts left out": (
        SERVER,
        "import os\n...\n    def start(self):\n...\n    def stop(self):\n",
        "import os\n...\n    def begin(self):\n...\n    def end(self):\n",
        SERVER[SERVER.index("    def start") : SERVER.index("        self.started = False\n", -30)],
        SERVER[SERVER.index("    def start") : SERVER.index("        self.started = False\n", -30)]
        .replace("def start", "def begin")
        .replace("def stop", "def end"),
    ),
    "an insertion after the part": (
        CLIENT,
        "export function load(url, options) {\n  ...\n  return response.json();\n",
        "export function load(url, options) {\n  ...\n  done();\n  return response.json();\n",
        "  return response",
        "  done();\n  return response",
    ),
    "at another indentation": (
        SERVER,
        "def start(self):\n    ...\n    return self.port\n",
        "def start(self):\n    ...\n    return int(self.port)\n",
        "return self.port",
        "return int(self.port)",
    ),
    "before the first line": (
        SERVER,
        "...\n        self.started = True\n        return self.port\n",
        "...\n        self.started = True\n        return 0\n",
        "return self.port",
        "return 0",
    ),
    "after the last line": (
        SERVER,
        "    def start(self):\n        if self.started:\n            ...\n",
        "    def begin(self):\n        if self.started:\n            ...\n",
        "def start",
        "def begin",
    ),
}

SIMILAR: dict[str, Case] = {
    "a line that was left out": (
        *with_proof(
            SERVER,
            (
                "    def __init__(self, port):\n        self.started = False\n\n    def start(self):\n"
                "        if self.started:\n            return None\n"
            ),
            (
                "    def __init__(self, port):\n        self.started = False\n\n    def start(self):\n"
                "        if self.started:\n            return 0\n"
            ),
        ),
        "return None",
        "return 0",
    ),
    "a first line that both have and the file has not": (
        *with_proof(
            CLIENT,
            "/** Loads. */\nexport function load(url, options) {\n  const response = await fetch(url, options);\n",
            "/** Loads. */\nexport function load(url, options) {\n  const response = await request(url, options);\n",
        ),
        "fetch(",
        "request(",
    ),
    "a mistyped word": (
        CLIENT,
        (
            '  if (!response.ok) {\n    throw new Error("load failed: " + respnse.status);\n'
            "  }\n  return response.json();\n"
        ),
        (
            '  if (!response.ok) {\n    throw new Error("load failed: " + respnse.status);\n'
            "  }\n  return response.text();\n"
        ),
        "response.json",
        "response.text",
    ),
    "a comment left out": (
        "def area(radius):\n    radius = float(radius)  # may be text\n    return 3.14 * radius ** 2\n",
        "def area(radius):\n    radius = float(radius)\n    return 3.14 * radius ** 2\n",
        "def area(radius):\n    radius = float(radius)\n    return math.pi * radius ** 2\n",
        "3.14",
        "math.pi",
    ),
    "a comment left out before a bracket that occurs everywhere": (
        "if (ready) {\n  start_the_engine();\n}\nif (done) {\n  stop_the_engine();  # now\n}\n",
        "if (done) {\n  stop_the_engine();\n}\n",
        "if (over) {\n  stop_the_engine();\n}\n",
        "done",
        "over",
    ),
    "letters of another case": (
        "SELECT name, price\nFROM products\nWHERE price > 10\nORDER BY name\n",
        "select name, price\nfrom products\nwhere price > 10\norder by name\n",
        "select name, price\nfrom products\nwhere price > 10\norder by price\n",
        "ORDER BY name",
        "ORDER BY price",
    ),
}

BY_RUNG = {
    "exact": EXACT,
    "trailing": TRAILING,
    "indentation": INDENTATION,
    "trimmed": TRIMMED,
    "look_alike": LOOK_ALIKE,
    "escape": ESCAPE,
    "tokens": TOKENS,
    "elision": ELISION,
    "similar": SIMILAR,
}


def parameters(ladder: dict[str, dict[str, Case]]) -> list[ParameterSet]:
    return [
        pytest.param(rung, case, id=f"{rung}: {name}") for rung, cases in ladder.items() for name, case in cases.items()
    ]


OTHERWISE_TESTED = {"line_ends", "rebased"}
"""`line_ends` is tested by the exact cases with CRLF, below; `rebased` needs an earlier version: `test_rebase.py`."""


def test_every_rung_has_examples() -> None:
    assert set(BY_RUNG) == set(RUNGS) - OTHERWISE_TESTED, "give the rung examples in BY_RUNG"


CASES = [*parameters(BY_RUNG), *parameters(PIECES)]


@pytest.mark.promise("locate.rungs")
@pytest.mark.parametrize(("rung", "case"), CASES)
def test_the_change_is_made_at_the_one_place_and_the_rung_is_returned(rung: str, case: Case) -> None:
    file, old, new, was, now = case
    assert apply_edit(file, old, new) == (rung, swap(file, was, now).encode())


@pytest.mark.promise("locate.rungs")
@pytest.mark.parametrize("ending", ["\r\n", "\r"], ids=["CRLF", "CR"])
@pytest.mark.parametrize(("rung", "case"), CASES)
def test_a_file_with_other_line_endings_is_changed_the_same_way(rung: str, case: Case, ending: str) -> None:
    file, old, new, was, now = case
    expected = swap(file, was, now).replace("\n", ending)
    name, text = apply_edit(file.replace("\n", ending), old, new)
    assert text == expected.encode()
    assert name == rung or (name, rung) == ("line_ends", "exact")


@pytest.mark.promise("locate.rungs")
def test_the_answer_has_the_place_of_the_text() -> None:
    answer = find_place(SERVER, "if self.started:\n    return None\n", "if self.started:\n    return 0\n")
    begin, end = SERVER.index("        if self"), SERVER.index("        self.started = True")
    assert (answer.score, answer.runner_up, answer.span) == (1.0, None, (begin, end))
    assert (answer.site.start_line, answer.site.end_line) == (12, 13)


@pytest.mark.promise("locate.similar")
def test_a_similar_place_has_its_score_and_the_next_best_place() -> None:
    users = "def load_users(path, strict):\n    rows = read_rows(path)\n    check(rows)\n    return Users(rows)\n"
    teams = "def load_teams(path):\n    rows = read_rows(path)\n    check(rows)\n    return Teams(rows)\n"
    between = "".join(f"\n\nNUMBER_{number} = {number}\n" for number in range(10))
    old = users.replace("strict", "strcit")
    answer = find_place(users + between + teams, old, old.replace("Users(rows)", "Users(*rows)"))
    assert (answer.rung, answer.site) == ("similar", Site(1, 4))
    assert 0.7 < answer.score < 1
    assert answer.runner_up is not None
    assert (answer.runner_up.start_line, answer.runner_up.end_line) == (35, 37)
    assert 0 < answer.runner_up.score < answer.score - 0.05


TOLD_APART = {
    "line_ends": ("a = 'b'", "a = 'b'"),
    "trailing": ("a = 'b'", "a = 'b'  "),
    "indentation": ("a = 'b'", "\ta = 'b'"),
    "look_alike": ("a = \u2018b\u2019", "a = 'b'"),
    "escape": ('a = \\"b\\"', 'a = "b"'),
    "tokens": ("a='b'", "a = 'b'"),
}
"""For every rung that compares lines: a line that was sent, and one that only this rung and looser ones accept."""


@pytest.mark.parametrize(("sent", "here"), TOLD_APART.values(), ids=TOLD_APART)
def test_what_a_rung_forgives_vanishes_from_the_keys_and_the_meaning_of_lines(sent: str, here: str) -> None:
    assert line_keys([sent]) == line_keys([here]), "let `coarse` in match.normalize ignore the difference"
    assert meaning(sent) == meaning(here), "let `meaning` in match.normalize ignore the difference"


def test_every_rung_that_compares_lines_accepts_what_stricter_rungs_do() -> None:
    compared = [rung for rung in LADDER if rung.fits is not None]
    accepted = {
        strictest: [rung.name for rung in compared if rung.fits is not None and rung.fits(*lines)]
        for strictest, lines in TOLD_APART.items()
    }
    names = [rung.name for rung in compared]
    assert list(TOLD_APART) == names, "give each rung that compares lines a row in TOLD_APART, strictest first"
    assert accepted == {name: names[number:] for number, name in enumerate(names)}


def test_every_rung_has_words() -> None:
    assert list(wording.RUNG_WORDS) == list(RUNGS), "change RUNG_WORDS in src/suture/wording/__init__.py"
