"""Carrying a request's change over to the file's own text."""

import pytest

from tests.unit.match.asking import apply_edit, swap, with_proof
from tests.unit.match.test_ladder_rungs import CLIENT, COMPOSE, GO, GUIDE, SERVER, Case

KEPT: dict[str, Case] = {
    "trailing space": (
        "def run():  \n    start()\t\n    stop()\n",
        "def run():\n    start()\n    stop()\n",
        "def run():\n    start()\n    end()\n",
        "stop",
        "end",
    ),
    "spaces in a blank line": (
        "one = 1\n    \ntwo = 2\n",
        "one = 1\n\ntwo = 2\n",
        "one = 1\n\ntwo = 3\n",
        "= 2",
        "= 3",
    ),
    "indentation that no rule explains": (
        "if a:\n     one()\n    two()\n   three()\nlast(1)\n",
        "if a:\n    one()\n    two()\n    three()\nlast(1)\n",
        "if a:\n    one()\n    two()\n    three()\nlast(2)\n",
        "last(1)",
        "last(2)",
    ),
    "alignment inside a line": (
        "alpha    = 1\nbeta     = 2\ngamma    = 3\n",
        "alpha = 1\nbeta = 2\ngamma = 3\n",
        "alpha = 1\nbeta = 4\ngamma = 3\n",
        "= 2",
        "= 4",
    ),
    "curly quotes of lines that stay": (
        "print(“hello there”)\nprint('end')\n",
        "print(\"hello there\")\nprint('end')\n",
        "print(\"hello there\")\nprint('stop')\n",
        "end",
        "stop",
    ),
    "curly quotes of a line that changes": (
        GUIDE,
        'It\'s started by "make run", and stopped by "make stop".\n',
        'It\'s now started by "make run", and stopped by "make stop".\n',
        "It’s started",
        "It’s now started",
    ),
    "a comment that was left out": (
        "limit = 10  # per second\nburst = 20\ntotal = limit + burst\n",
        "limit = 10\nburst = 20\ntotal = limit + burst\n",
        "limit = 10\nburst = 30\ntotal = limit + burst\n",
        "= 20",
        "= 30",
    ),
    "a comment left out of the line that changes": (
        "limit = 10  # per second\nburst = 20\ntotal = limit + burst\n",
        "limit = 10\nburst = 20\ntotal = limit + burst\n",
        "limit = 15\nburst = 20\ntotal = limit + burst\n",
        "= 10",
        "= 15",
    ),
    "a line of its own": (
        *with_proof(
            SERVER,
            (
                "    def __init__(self, port):\n        self.started = False\n"
                "\n    def start(self):\n        if self.started:\n"
            ),
            (
                "    def __init__(self, port):\n        self.started = False\n"
                "\n    def start(self):\n        if self.ready:\n"
            ),
        ),
        "if self.started",
        "if self.ready",
    ),
    "a line that was sent and is not there": (
        *with_proof(
            SERVER,
            (
                "        if self.started:\n            return None\n        log()\n        self.started = True\n"
                "        return self.port\n"
            ),
            (
                "        if self.started:\n            return None\n        log()\n        self.started = True\n"
                "        return 0\n"
            ),
        ),
        "return self.port",
        "return 0",
    ),
    "the case of a keyword in the line that changes": (
        "SELECT name, price\nFROM products\nWHERE price > 10\nORDER BY name\n",
        "select name, price\nfrom products\nwhere price > 10\norder by name\n",
        "select name, price\nfrom products\nwhere price > 20\norder by name\n",
        "WHERE price > 10",
        "WHERE price > 20",
    ),
    "a word that was mistyped, in the line that changes": (
        CLIENT,
        "export function load(url, options) {\n  const respnse = await fetch(url, options);\n  if (!response.ok) {\n",
        "export function load(url, options) {\n  const respnse = await request(url, options);\n  if (!response.ok) {\n",
        "await fetch",
        "await request",
    ),
    "a word that was mistyped, and again in a new line": (
        CLIENT,
        "export function load(url, options) {\n  const respnse = await fetch(url, options);\n  if (!response.ok) {\n",
        (
            "export function load(url, options) {\n  const respnse = await fetch(url, options);\n  log(respnse);\n"
            "  if (!response.ok) {\n"
        ),
        "  if (!",
        "  log(response);\n  if (!",
    ),
    "words in a line that was re-spaced": (
        CLIENT,
        "export const retry = (times)=>({times, delay:100});\n",
        "export const retry = (count)=>({times, delay:100});\n",
        "(times)",
        "(count)",
    ),
    "how long lines are broken": (
        "result = compute(alpha,\n                 beta)\nprint(result)\n",
        "result = compute(alpha, beta)\nprint(result)\n",
        "result = compute(alpha, gamma)\nprint(result)\n",
        "beta",
        "gamma",
    ),
    "blank lines that were left out": (
        SERVER,
        "import os\nclass Server:\n",
        "import sys\nclass Server:\n",
        "import os",
        "import sys",
    ),
    "elided lines": (
        COMPOSE,
        "services:\n  ...\n  db:\n    image: postgres:16\n",
        "services:\n  ...\n  db:\n    image: postgres:17\n",
        "16",
        "17",
    ),
}

NEW: dict[str, Case] = {
    "a line more at the shift of its neighbors": (
        SERVER,
        "if self.started:\n    return None\n",
        "if self.started:\n    log()\n    return None\n",
        "            return None",
        "            log()\n            return None",
    ),
    "tabs for what was sent with spaces": (
        GO,
        '    for _, name := range names {\n        if name == "" {\n            continue\n        }\n',
        (
            '    for _, name := range names {\n        if name == "" {\n            if debug {\n                log()\n'
            "            }\n            continue\n        }\n"
        ),
        "\t\t\tcontinue",
        "\t\t\tif debug {\n\t\t\t\tlog()\n\t\t\t}\n\t\t\tcontinue",
    ),
    "an alignment beyond the tabs stays": (
        "call(\n\tfirst,\n\t  second)\nend()\n",
        "call(\n    first,\n      second)\n",
        "call(\n    first,\n      second,\n      third)\n",
        "second)",
        "second,\n\t  third)",
    ),
    "plain quotes where the file has plain ones": (
        CLIENT,
        "throw new Error(“load failed: ” + response.status);\n",
        "console.log(“oops”);\nthrow new Error(“load failed: ” + response.status);\n",
        "    throw",
        '    console.log("oops");\n    throw',
    ),
    "other exotic quotes of the same family": (
        CLIENT,
        "throw new Error(“load failed: ” + response.status);\n",
        "throw new Error(„not loaded: ” + response.status);\n",
        "load failed",
        "not loaded",
    ),
    "quotes without backslashes": (
        CLIENT,
        '    throw new Error(\\"load failed: \\" + response.status);\n',
        '    console.log(\\"oops\\");\n    throw new Error(\\"load failed: \\" + response.status);\n',
        "    throw",
        '    console.log("oops");\n    throw',
    ),
    "composed accents": (
        "name: caf\u00e9\nstreet: main\n",
        "name: cafe\u0301\nstreet: main\n",
        "name: cafe\u0301\nowner: Rene\u0301\nstreet: main\n",
        "street",
        "owner: Ren\u00e9\nstreet",
    ),
    "accents apart": (
        "name: cafe\u0301\nstreet: main\n",
        "name: caf\u00e9\nstreet: main\n",
        "name: caf\u00e9\nowner: Ren\u00e9\nstreet: main\n",
        "street",
        "owner: Rene\u0301\nstreet",
    ),
    "single quotes where double ones were sent": (
        "const a = 'one';\nconst b = 'two';\nconst c = 3;\n",
        'const a = "one";\nconst b = "two";\nconst c = 3;\n',
        'const a = "one";\nconst b = "two";\nconst d = "four";\nconst c = 3;\n',
        "const c",
        "const d = 'four';\nconst c",
    ),
    "no trailing space where the file has none": (
        "alpha = 1\nbeta = 2\n",
        "alpha = 1 \nbeta = 2 \n",
        "alpha = 1 \ngamma = 3 \nbeta = 2 \n",
        "beta",
        "gamma = 3\nbeta",
    ),
    "blank lines without the spaces that the file has not": (
        "def f():\n    one()\n\n    two()\n",
        "def f():\n    one()\n    \n    two()\n",
        "def f():\n    one()\n    \n    more()\n    \n    two()\n",
        "    two()",
        "    more()\n\n    two()",
    ),
    "lines before the first": (
        COMPOSE,
        "web:\n  image: nginx:1.25\n",
        "cache:\n  image: redis\nweb:\n  image: nginx:1.25\n",
        "  web:\n",
        "  cache:\n    image: redis\n  web:\n",
    ),
    "lines after the last": (
        COMPOSE,
        "environment:\n  POSTGRES_DB: app\n",
        "environment:\n  POSTGRES_DB: app\n  POSTGRES_USER: me\n",
        "      POSTGRES_DB: app\n",
        "      POSTGRES_DB: app\n      POSTGRES_USER: me\n",
    ),
    "a wrapped block, at the file's depth": (
        SERVER,
        "self.started = True\nreturn self.port\n",
        "with self.lock:\n    self.started = True\nreturn self.port\n",
        "        self.started = True\n",
        "        with self.lock:\n            self.started = True\n",
    ),
    "a block taken out of its wrapping": (
        SERVER,
        "if self.started:\n    return None\n",
        "return None\n",
        "        if self.started:\n            return None\n",
        "        return None\n",
    ),
    "a deletion": (
        SERVER,
        "if self.started:\n    return None\nself.started = True\n",
        "self.started = True\n",
        "        if self.started:\n            return None\n",
        "",
    ),
    "a move": (
        SERVER,
        "self.port = port\nself.started = False\n",
        "self.started = False\nself.port = port\n",
        "        self.port = port\n        self.started = False\n",
        "        self.started = False\n        self.port = port\n",
    ),
    "one line, and a block of which the first line alone lacks its indentation": (
        "class A:\n    def f(self):\n        alpha = 1\n",
        "alpha = 1\n",
        "if alpha:\n            alpha = 1\n",
        "        alpha = 1",
        "        if alpha:\n            alpha = 1",
    ),
    "one line, and a block that lacks its indentation": (
        "class A:\n    def f(self):\n        alpha = 1\n",
        "alpha = 1\n",
        "if alpha:\n    alpha = 1\n",
        "        alpha = 1",
        "        if alpha:\n            alpha = 1",
    ),
    "one line, and another at the file's depth": (
        "class A:\n    def f(self):\n        alpha = 1\n",
        "alpha = 1\n",
        "alpha = 1\n        beta = 2\n",
        "alpha = 1\n",
        "alpha = 1\n        beta = 2\n",
    ),
    "white space in a new blank line": (
        GO,
        '        if name == "" {\n            continue\n        }\n',
        '        if name == "" {\n            continue\n        }\n        \n        done()\n',
        "\t\t}\n",
        "\t\t}\n\t\t\n\t\tdone()\n",
    ),
    "tabs and spaces in one request": (
        "if x:\n        alpha = 1\n        beta = 2\n",
        "\talpha = 1\n        beta = 2\n",
        "\talpha = 1\n\tif y:\n\t\tgamma = 3\n        beta = 2\n",
        "        beta",
        "        if y:\n                gamma = 3\n        beta",
    ),
    "one line before a comment, as sent": (
        "total = price  # net\nrest()\n",
        "total = price",
        "total = price\nprint(total)",
        "  # net\n",
        "  # net\nprint(total)\n",
    ),
    "one line that goes on in the next": (
        "class A:\n    def f(self):\n        alpha = 1\n",
        "alpha = 1\n",
        "alpha = (\n    1)\n",
        "alpha = 1",
        "alpha = (\n            1)",
    ),
    "a mistaken shift and a first line without": (
        "def f():\n    if a:\n        alpha = load(1)  # one\n    rest_of_it()\n    more_of_the_rest()\n",
        "if a:\n            alpha = load(1)\n        rest_of_it()\n        more_of_the_rest()\n",
        "if a:\n            alpha = load(2)\n        rest_of_it()\n        more_of_the_rest()\n",
        "load(1)",
        "load(2)",
    ),
    "quotes around a string, and not those in a comment": (
        "first = 'one';\nsecond = 'two';\nthird = 3;\n",
        'first = "one";\nsecond = "two";\nthird = 3;\n',
        'first = "one";\nsecond = "two";\nthird = "x" + "";  # that\'s "all"\n',
        "third = 3;",
        "third = 'x' + '';  # that's \"all\"",
    ),
    "quotes between backticks stay": (
        "first_one = 'one'\nsecond_one = 'two'\nthird_one = 3\n",
        'first_one = "one"\nsecond_one = "two"\nthird_one = 3\n',
        'first_one = "one"\nsecond_one = "two"\nthird_one = `"x"`\n',
        "third_one = 3",
        'third_one = `"x"`',
    ),
    "a line that gets space at the end": (
        "    alpha = 1\n    beta = 2\n",
        "alpha = 1\nbeta = 2\n",
        "alpha = 1  \nbeta = 2\n",
        "alpha = 1\n",
        "alpha = 1  \n",
    ),
    "a blank line that loses its spaces": (
        "def f():\n    one()  # 1\n    \n    two()\n    three_of_them()\n",
        "def f():\n    one()\n    \n    two()\n    three_of_them()\n",
        "def f():\n    one()\n\n    two()\n    three_of_them()\n",
        "# 1\n    \n",
        "# 1\n\n",
    ),
    "space at the end that the file has not": (
        "    alpha = 1\n    beta = 2\n",
        "alpha = 1 \nbeta = 2\n",
        "alpha = 1\nbeta = 3\n",
        "beta = 2",
        "beta = 3",
    ),
    "a last line that loses its end": (
        "if x:\n    alpha = 1\n    beta = 2\n",
        "alpha = 1\nbeta = 2\n",
        "alpha = 1\nbeta = 3",
        "beta = 2\n",
        "beta = 3",
    ),
    "a last line that stays, and loses its end": (
        "if x:\n    alpha = 1\n    beta = 2\n",
        "alpha = 1\nbeta = 2\n",
        "alpha = 0\nbeta = 2",
        "alpha = 1\n    beta = 2\n",
        "alpha = 0\n    beta = 2",
    ),
    "a line in the middle that keeps its end": (
        "if x:\n    alpha = 1\n    beta = 2\nelse:\n",
        "alpha = 1\nbeta = 2\n",
        "alpha = 1\nbeta = 3",
        "beta = 2",
        "beta = 3",
    ),
    "a line that loses its space at the end": (
        "    alpha = 1 \n    beta = 2\n",
        "alpha = 1 \nbeta = 2\n",
        "alpha = 1\nbeta = 3\n",
        "alpha = 1 \n    beta = 2",
        "alpha = 1\n    beta = 3",
    ),
}


TWO = "    alpha = load(1)  # one\n    beta = load(2)  # two\n    rest()\n    more_of_the_rest()\n"
SENT = "    alpha = load(1)\n    beta = load(2)\n    rest()\n    more_of_the_rest()\n"
OWN = """\
def load():
    alpha = load(1)
    own_line_of_the_file()
    beta = load(2)
    rest_of_it()
    more_of_the_rest()
"""
ROUTES = """\
routes.add("users", () => {
  list_users()
})

routes.add("teams", () => {
  list_teams()
})
"""

PORT = "self.port = port\n        self.started = False\n"
FIRST_STRIPPED: dict[str, Case] = {
    "a line before it, stripped as well": (
        SERVER,
        "if self.started:\n            return None\n        self.started = True\n",
        "check()\nif self.started:\n            return None\n        self.started = True\n",
        "        if self.started:\n",
        "        check()\n        if self.started:\n",
    ),
    "the line gone, and what follows stripped": (
        SERVER,
        "if self.started:\n            return None\n        self.started = True\n",
        "self.started = True\n",
        "        if self.started:\n            return None\n",
        "",
    ),
    "the line replaced by two": (
        SERVER,
        PORT,
        "self.host = host\n" + PORT,
        "        self.port = port\n",
        "        self.host = host\n        self.port = port\n",
    ),
    "the line wrapped": (
        SERVER,
        PORT,
        "if port:\n            " + PORT,
        "        self.port = port\n",
        "        if port:\n            self.port = port\n",
    ),
    "the line moved": (
        SERVER,
        PORT,
        "self.started = False\n        self.port = port\n",
        "        " + PORT,
        "        self.started = False\n        self.port = port\n",
    ),
    "a line of another depth at the end": (
        SERVER,
        "self.started = True\n        return self.port\n",
        "self.started = True\n        return self.port\n\n    def more(self):\n        pass\n",
        "        return self.port\n",
        "        return self.port\n\n    def more(self):\n        pass\n",
    ),
    "letters of another case": (
        (
            "class A:\n    def f(self):\n        ALPHA = compute(1)\n"
            "        beta = compute(2)\n        gamma = compute(3)\n"
        ),
        "alpha = compute(1)\n        beta = compute(2)\n        gamma = compute(3)\n",
        "zero()\n        alpha = compute(1)\n        beta = compute(2)\n        gamma = compute(3)\n",
        "        ALPHA",
        "        zero()\n        ALPHA",
    ),
    "a comment left out, and a line before it": (
        swap(SERVER, "if self.started:", "if self.started:  # done"),
        "if self.started:\n            return None\n        self.started = True\n",
        "check()\n        if self.started:\n            return None\n        self.started = True\n",
        "        if self.started:",
        "        check()\n        if self.started:",
    ),
    "a mistyped word, and a line before it": (
        (
            "class A:\n    def f(self):\n        alpha = compute(1)\n"
            "        beta = compute(2)\n        gamma = compute(3)\n"
        ),
        "alhpa = compute(1)\n        beta = compute(2)\n        gamma = compute(3)\n",
        "zero()\n        alhpa = compute(1)\n        beta = compute(2)\n        gamma = compute(3)\n",
        "        alpha",
        "        zero()\n        alpha",
    ),
    "lines broken in another way": (
        "class A:\n    def f(self):\n        call(alpha, beta)\n        rest_of_it()\n",
        "call(alpha,\n             beta)\n        rest_of_it()\n",
        "call(alpha,\n             gamma)\n        rest_of_it()\n",
        "beta",
        "gamma",
    ),
    "a part left out": (
        SERVER,
        "def start(self):\n        ...\n        return self.port\n",
        "@cached\n    def start(self):\n        ...\n        return self.port\n",
        "    def start",
        "    @cached\n    def start",
    ),
}

PIECEMEAL: dict[str, Case] = {
    "a line more between lines that change": (
        TWO,
        SENT,
        "    alpha = load(10)\n    check()\n    beta = load(20)\n    rest()\n    more_of_the_rest()\n",
        "load(1)  # one\n    beta = load(2)",
        "load(10)  # one\n    check()\n    beta = load(20)",
    ),
    "a line more before lines that change": (
        TWO,
        SENT,
        "    check()\n    alpha = load(10)\n    beta = load(20)\n    rest()\n    more_of_the_rest()\n",
        "    alpha = load(1)  # one\n    beta = load(2)",
        "    check()\n    alpha = load(10)  # one\n    beta = load(20)",
    ),
    "a blank line gone that is not there": (
        TWO,
        "    alpha = load(1)\n\n    beta = load(2)\n    rest()\n    more_of_the_rest()\n",
        "    alpha = load(10)\n    beta = load(20)\n    rest()\n    more_of_the_rest()\n",
        "load(1)  # one\n    beta = load(2)",
        "load(10)  # one\n    beta = load(20)",
    ),
    "a line of the file's own between lines that change": (
        *with_proof(
            OWN,
            OWN.replace("    own_line_of_the_file()\n", ""),
            OWN.replace("    own_line_of_the_file()\n", "")
            .replace("load(1)", "load(10)")
            .replace("load(2)", "load(20)"),
        ),
        "load(1)\n    own_line_of_the_file()\n    beta = load(2)",
        "load(10)\n    own_line_of_the_file()\n    beta = load(20)",
    ),
    "a line that is wrapped, with its comment": (
        "if a:\n    alpha = load(1)  # one\nrest_of_it()\nmore_of_the_rest()\n",
        "if a:\n    alpha = load(1)\nrest_of_it()\nmore_of_the_rest()\n",
        "if a:\n    if b:\n        alpha = load(1)\nrest_of_it()\nmore_of_the_rest()\n",
        "    alpha",
        "    if b:\n        alpha",
    ),
    "two words in lines that are one here": (
        "call(alpha, beta, gamma)\nrest()\n",
        "call(alpha,\nbeta,\ngamma)\nrest()\n",
        "call(ALPHA,\nbeta,\nGAMMA)\nrest()\n",
        "alpha, beta, gamma",
        "ALPHA, beta, GAMMA",
    ),
    "an insertion before blank lines that were left out, by its depth": (
        "def one():\n    first_line()\n\nsecond_line_of_it()\nthird_line_of_it()\n",
        "def one():\n    first_line()\nsecond_line_of_it()\nthird_line_of_it()\n",
        "def one():\n    first_line()\n    print(1)\nsecond_line_of_it()\nthird_line_of_it()\n",
        "    first_line()\n",
        "    first_line()\n    print(1)\n",
    ),
    "a blank line before that the file has, too": (
        "a = 0\n\n    b = 1\n    c = 2\n",
        "\nb = 1\nc = 2\n",
        "\nb = 1\nd = 3\nc = 2\n",
        "    c = 2",
        "    d = 3\n    c = 2",
    ),
    "a part left out, and a line moved over it": (
        SERVER,
        "    def start(self):\n        ...\n        self.started = True\n        return self.port\n",
        "    def start(self):\n        self.started = True\n        ...\n        return self.port\n",
        "        if self.started:\n            return None\n        self.started = True\n",
        "        self.started = True\n        if self.started:\n            return None\n",
    ),
    "a blank line gone that is not there, and something else changed": (
        "alpha = load(1)\nbeta = load(2)\ngamma = load(3)\n",
        "alpha = load(1)\n\nbeta = load(2)\ngamma = load(3)\n",
        "alpha = load(1)\nbeta = load(2)\ngamma = load(4)\n",
        "load(3)",
        "load(4)",
    ),
    "a line of the file's own beside a line that changes": (
        *with_proof(
            OWN,
            OWN.replace("    own_line_of_the_file()\n", ""),
            OWN.replace("    own_line_of_the_file()\n", "").replace("load(2)", "load(20)"),
        ),
        "load(2)",
        "load(20)",
    ),
    "an insertion behind a blank line, below a line of the file's own": (
        *with_proof(
            "one = load(1)\nown_line()\n\ntwo = load(2)\nthree = load(3)\n",
            "one = load(1)\n\ntwo = load(2)\nthree = load(3)\n",
            "one = load(1)\n\nmore = load(7)\ntwo = load(2)\nthree = load(3)\n",
        ),
        "two",
        "more = load(7)\ntwo",
    ),
    "quotes of another kind in a line that stays": (
        "say('hello you there my friend')\nrest_of_it()\n",
        "say(“hello you there my friend”)\nrest_of_it()\n",
        "say(“hello you there my friend”)\nrest_of_this()\n",
        "rest_of_it",
        "rest_of_this",
    ),
    "a part left out that is empty, and the line before it": (
        "alpha = load(1)\nbeta = load(2)\n",
        "alpha = load(1)\n...\nbeta = load(2)\n",
        "alpha = load(9)\n...\nbeta = load(2)\n",
        "load(1)",
        "load(9)",
    ),
    "a part left out that is empty, and the line behind it": (
        "alpha = load(1)\nbeta = load(2)\n",
        "alpha = load(1)\n...\nbeta = load(2)\n",
        "alpha = load(1)\n...\nbeta = load(9)\n",
        "load(2)",
        "load(9)",
    ),
    "a part left out that can end at two lines": (
        "start()\nalpha = 1\nstop()\nbeta = 2\nstop()\nrest_of_it()\n",
        "start()\n...\nstop()\n",
        "begin()\n...\nstop()\n",
        "start",
        "begin",
    ),
    "an insertion that can slide out of a gap where the file has a line of its own": (
        *with_proof(
            "begin_one(1)\nend\nown_line()\nbegin_three(3)\nend\nrest_of_it()\n",
            "begin_one(1)\nend\nbegin_three(3)\nend\nrest_of_it()\n",
            "begin_one(1)\nend\nbegin_two(2)\nend\nbegin_three(3)\nend\nrest_of_it()\n",
        ),
        "end\nown",
        "end\nbegin_two(2)\nend\nown",
    ),
    "an insertion that can slide, behind a line of the file's own": (
        *with_proof(
            ROUTES.replace("  list_users()\n", "  list_users()\n  audit()\n"),
            ROUTES,
            ROUTES.replace("\nroutes", '\nroutes.add("items", () => {\n  list_items()\n})\n\nroutes'),
        ),
        'routes.add("teams"',
        'routes.add("items", () => {\n  list_items()\n})\n\nroutes.add("teams"',
    ),
}


@pytest.mark.promise("locate.carry")
@pytest.mark.parametrize("case", KEPT.values(), ids=KEPT)
def test_what_the_change_leaves_alone_keeps_the_files_bytes(case: Case) -> None:
    file, old, new, was, now = case
    assert apply_edit(file, old, new)[1].decode() == swap(file, was, now)


@pytest.mark.promise("locate.carry")
@pytest.mark.parametrize("case", PIECEMEAL.values(), ids=PIECEMEAL)
def test_a_block_that_changes_is_carried_line_by_line(case: Case) -> None:
    file, old, new, was, now = case
    assert apply_edit(file, old, new)[1].decode() == swap(file, was, now)


@pytest.mark.promise("locate.dialect")
@pytest.mark.parametrize("case", FIRST_STRIPPED.values(), ids=FIRST_STRIPPED)
def test_a_first_line_that_lacks_its_indentation_gets_it_back(case: Case) -> None:
    file, old, new, was, now = case
    assert apply_edit(file, old, new)[1].decode() == swap(file, was, now)


@pytest.mark.promise("locate.dialect")
@pytest.mark.parametrize("case", NEW.values(), ids=NEW)
def test_new_text_is_written_as_the_file_is(case: Case) -> None:
    file, old, new, was, now = case
    assert apply_edit(file, old, new)[1].decode() == swap(file, was, now)


BYTES: dict[str, tuple[bytes, str, str, bytes]] = {
    "CRLF, exact": (b"one\r\ntwo\r\nthree\r\n", "one\ntwo\n", "one\nmore\ntwo\n", b"one\r\nmore\r\ntwo\r\nthree\r\n"),
    "CRLF, sent as CRLF": (b"one\r\ntwo\r\n", "one\r\ntwo\r\n", "one\r\n2\r\n", b"one\r\n2\r\n"),
    "CRLF, dedented": (
        b"a:\r\n  b: 1\r\n  c: 2\r\n",
        "b: 1\nc: 2\n",
        "b: 1\nd: 3\nc: 2\n",
        b"a:\r\n  b: 1\r\n  d: 3\r\n  c: 2\r\n",
    ),
    "LF, sent as CRLF": (b"one\ntwo\nthree\n", "one\r\ntwo\r\n", "one\r\nmore\r\ntwo\r\n", b"one\nmore\ntwo\nthree\n"),
    "CR alone": (b"one\rtwo\rthree\r", "two\nthree\n", "two\nmore\nthree\n", b"one\rtwo\rmore\rthree\r"),
    "CR alone, dedented": (
        b"a:\r  b: 1\r  c: 2\r",
        "b: 1\nc: 2\n",
        "b: 1\nd: 3\nc: 2\n",
        b"a:\r  b: 1\r  d: 3\r  c: 2\r",
    ),
    "mixed, each line keeps its own": (
        b"one\r\ntwo\nthree\r\nfour\n",
        "one\ntwo\nthree\nfour\n",
        "one\ntwo\n3\nfour\n",
        b"one\r\ntwo\n3\r\nfour\n",
    ),
    "mixed, a new line ends as the one before it": (
        b"one\r\ntwo\nthree\r\nfour\n",
        "one\ntwo\nthree\nfour\n",
        "one\nmore\ntwo\nthree\nfour\n",
        b"one\r\nmore\r\ntwo\nthree\r\nfour\n",
    ),
    "no final newline, a line before the last": (
        b"  one\n  two",
        "one\ntwo\n",
        "one\nmore\ntwo\n",
        b"  one\n  more\n  two",
    ),
    "no final newline, the last line changed": (b"  one\n  two", "one\ntwo\n", "one\n2\n", b"  one\n  2"),
    "no final newline, a line after the last": (
        b"  one\n  two",
        "one\ntwo\n",
        "one\ntwo\nmore\n",
        b"  one\n  two\n  more",
    ),
    "no final newline, the last line gone": (b"  one\n  two", "one\ntwo\n", "one\n", b"  one"),
    "no final newline, CRLF, the last line gone": (b"  one\r\n  two", "one\ntwo\n", "one\n", b"  one"),
    "no final newline, all lines gone": (b"zero\n  one\n  two", "one\ntwo\n", "", b"zero"),
    "no final newline, the only lines gone": (b"  one\n  two", "one\ntwo\n", "", b""),
    "unknown bytes in a line that stays": (
        b"  name = '\xff\xfe'\n  one = 1\n  two = 2\n",
        "one = 1\ntwo = 2\n",
        "one = 1\ntwo = 3\n",
        b"  name = '\xff\xfe'\n  one = 1\n  two = 3\n",
    ),
    "unknown bytes between lines that were sent": (
        b"def first():\n    one = 1\n    # gr\xfc\xdfe\n    two = 2\n    three = 3\n    return one + two + three\n",
        "def first():\n    one = 1\n    two = 2\n    three = 3\n    return one + two + three\n",
        "def first():\n    one = 1\n    two = 2\n    three = 3\n    return one * two * three\n",
        b"def first():\n    one = 1\n    # gr\xfc\xdfe\n    two = 2\n    three = 3\n    return one * two * three\n",
    ),
    "unknown bytes in a line that was sent without them": (
        b"alpha = load(1)\nbeta = load(2)  # gr\xfc\xdfe\ngamma = load(3)\ndelta = load(4)\n",
        "alpha = load(1)\nbeta = load(2)\ngamma = load(3)\ndelta = load(4)\n",
        "alpha = load(1)\nbeta = load(2)\ngamma = load(3)\ndelta = load(5)\n",
        b"alpha = load(1)\nbeta = load(2)  # gr\xfc\xdfe\ngamma = load(3)\ndelta = load(5)\n",
    ),
    "unknown bytes in the line that changes": (
        b"alpha = load(1)\nbeta = load(2)  # gr\xfc\xdfe\ngamma = load(3)\ndelta = load(4)\n",
        "alpha = load(1)\nbeta = load(2)\ngamma = load(3)\ndelta = load(4)\n",
        "alpha = load(1)\nbeta = load(7)\ngamma = load(3)\ndelta = load(4)\n",
        b"alpha = load(1)\nbeta = load(7)  # gr\xfc\xdfe\ngamma = load(3)\ndelta = load(4)\n",
    ),
    "a form feed and U+2028 end no line": (
        "  one = 1\f\n  two = '\u2028'\n  three = 3\n".encode(),
        "one = 1\f\ntwo = '\u2028'\nthree = 3\n",
        "one = 1\f\ntwo = '\u2028'\nthree = 4\n",
        "  one = 1\f\n  two = '\u2028'\n  three = 4\n".encode(),
    ),
    "half a line end is none": (b"a\r\nb\r\n", "\nb\r", "\nc\r", b"a\r\nc\r\n"),
    "an exact piece of several lines takes the file's ends": (
        b"call(one,\r\n     two)\r\n",
        "(one,\n     two)",
        "(one,\n     2,\n     3)",
        b"call(one,\r\n     2,\r\n     3)\r\n",
    ),
    "an exact piece of one line that becomes several": (
        b"call(one, two)\r\nrest()\r\n",
        "(one, two)",
        "(\n    one,\n    two,\n)",
        b"call(\r\n    one,\r\n    two,\r\n)\r\nrest()\r\n",
    ),
    "new text with CR of its own is literal": (b"one\ntwo\n", "one\n", "1\r\n", b"1\r\ntwo\n"),
}


@pytest.mark.promise("locate.carry")
@pytest.mark.parametrize(("file", "old", "new", "expected"), BYTES.values(), ids=BYTES)
def test_line_ends_a_missing_final_newline_and_unknown_bytes_stay(
    file: bytes, old: str, new: str, expected: bytes
) -> None:
    assert apply_edit(file, old, new)[1] == expected


@pytest.mark.promise("locate.rungs")
def test_an_insertion_as_sent_beside_other_lines_is_not_already_applied() -> None:
    assert apply_edit("a = 1\nc = 3\n", "a = 1\n", "a = 1\nbbbb = 2\n") == ("exact", b"a = 1\nbbbb = 2\nc = 3\n")


def test_a_very_large_block_is_replaced_as_a_whole() -> None:
    old = "".join(f"    value_{number} = load({number})\n" for number in range(120))
    new = "".join(f"    other_{number} = load({number})\n" for number in range(110))
    file = "def f():\n" + old.replace("value_7 ", "value_7  ")
    assert apply_edit(file, old, new) == ("tokens", b"def f():\n" + new.encode())


@pytest.mark.promise("locate.dialect")
def test_deleting_the_first_line_leaves_the_others_unchanged() -> None:
    file = "class A:\n    def f(self):\n        x = compute(1)\n        y = compute(2)\n"
    old = "def f(self):\n        x = compute(1)\n        y = compute(2)\n"
    new = "        x = compute(1)\n        y = compute(2)\n"
    assert apply_edit(file, old, new) == ("indentation", b"class A:\n        x = compute(1)\n        y = compute(2)\n")
