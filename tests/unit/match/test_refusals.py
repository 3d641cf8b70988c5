"""Requests that must be refused, and the refusals: reason, rung, places, and sides."""

import pytest

from suture.match.index import Refused, Sides, Site
from tests.unit.match.asking import refusal, swap, with_proof
from tests.unit.match.test_carry import OWN
from tests.unit.match.test_ladder_rungs import SERVER

Request = tuple[str, str, str]
"""A file, an old text and a new text."""

TWINS = """\
def load_users(path):
    with open(path) as file:
        rows = json.load(file)
    check(rows)
    return [User(row) for row in rows]


def load_teams(path):
    with open(path) as file:
        rows = json.load(file)
    check(rows)
    return [Team(row) for row in rows]
"""

WORKERS = """\
def one():
    start()
    work(1)
    stop()


def two():
    start()
    work(2)
    stop()
"""

MISSING: dict[str, Request] = {
    "an outer line that is not there, and a rest that no rule indents": (
        "start()\nalpha_long_line_here = 1\n        beta_long_line_here = 2\nend()\n",
        "not_in_the_file()\n  alpha_long_line_here = 1\nbeta_long_line_here = 2\n",
        "not_in_the_file()\n  alpha_long_line_here = 1\nbeta_long_line_here = 3\n",
    ),
    "one of two lines, which says what the other is about": (
        "DELETE FROM users\nWHERE created_at < now();\n",
        "SELECT * FROM users\nWHERE created_at < now();\n",
        "SELECT * FROM users\nWHERE created_at < now() OR true;\n",
    ),
    "text of another file": (
        SERVER,
        "  const response = await fetch(url, options);\n  return response.json();\n",
        "  return null;\n",
    ),
    "a target that was deleted": (
        SERVER,
        "    def restart(self):\n        self.stop()\n        self.start()\n",
        "    def restart(self):\n        self.start()\n",
    ),
    "a target that was rewritten": (
        SERVER,
        "    def start(self):\n        for worker in self.workers:\n            worker.start()\n        self.wait()\n",
        "    def start(self):\n        for worker in self.workers:\n            worker.begin()\n        self.wait()\n",
    ),
    "the same first and last line, another middle": (
        SERVER,
        (
            "    def start(self):\n        connect(self.address)\n"
            "        listen(self.address, 5)\n        return self.port\n"
        ),
        (
            "    def start(self):\n        connect(self.address)\n"
            "        listen(self.address, 9)\n        return self.port\n"
        ),
    ),
    "a third function beside two near-identical ones": (
        TWINS,
        TWINS[: TWINS.index("\n\n\n")].replace("users", "items").replace("User", "Item") + "\n",
        TWINS[: TWINS.index("\n\n\n")].replace("users", "items").replace("User(row)", "Item(row, 1)") + "\n",
    ),
    "one short line that is similar": ("alpha = 1\nbeta = 2\n", "alpah = 1\n", "alpah = 3\n"),
    "one line that is not very similar": (
        "configuration = load_configuration(path)\nbeta = 2\n",
        "configuration = read_configuration_of(user)\n",
        "configuration = None\n",
    ),
    "closing brackets alone": (
        "f(() => {\n  g({\n    a: 1\n  })\n})\nh(() => {\n  b()\n  })\n})\n",
        "  })\n })\n})\n",
        "  })\n  x()\n })\n})\n",
    ),
    "blank lines alone": ("a\n  b\n", "  \n \t\n", "b\n"),
    "blank lines in an empty file": ("", "\n\n", "b\n"),
    "a text longer than the file": ("a = 1\n", "a = 1\nb = 2\nc = 3\nd = 4\n", "a = 2\n"),
    "parts in another order": (
        SERVER,
        "    def stop(self):\n...\n    def start(self):\n",
        "    def stop(self):\n...\n",
    ),
    "nothing but a part left out": (SERVER, "...\n", "...\nx = 1\n"),
    "two words that are one here": ("notable\nx = 1\n", "no table\n", "no chair\n"),
    "two lines that are one word here": ("no\ntable = 1\n", "notable = 1\n", "x\n"),
    "an outer line that is not here, and little else": (
        "x = 1\ny = 2\n",
        "completely_unknown_line_here()\nx = 1\n",
        "completely_unknown_line_here()\nx = 3\n",
    ),
    "an outer line that is not here, and words that are one here": (
        "the_notable = make_it_now(1)\ny = 2\n",
        "unknown_line()\nthe_no table = make_it_now(1)\n",
        "unknown_line()\nthe_no table = make_it_now(2)\n",
    ),
    "parts at depths that no rule explains": (
        "a:\n  alpha: 1\n  beta: 2\n  gamma: 3\nb: 4\n",
        "alpha: 1\n...\n    gamma: 3\nb: 4\n",
        "alpha: 1\n...\n    gamma: 5\nb: 4\n",
    ),
    "one short line of it at another depth": (
        "x = 1\nother\n",
        "  x = 1\nsomething completely different here\n",
        "  x = 2\nsomething completely different here\n",
    ),
    "a line that occurs everywhere, and others that are others": (
        "x = 1\n" * 60 + "alpha = load(1)\nbeta = load(2)\ngamma = load(3)\n",
        "x = 1\nalpha = load(1)\nbeta = load(2)\ngamma = load(5)\nrest()\n",
        "x = 1\nalpha = load(9)\nbeta = load(2)\ngamma = load(5)\nrest()\n",
    ),
    "a very long line": ("x = 1\n", "y = '" + "abc" * 2_000 + "'\nz = 1\n", "q\n"),
    "what is to remain of it": (
        SERVER,
        (
            "    def reset_all(self):\n        if self.started:\n            return None\n        self.started = True\n"
            "        return self.host\n"
        ),
        "        if self.started:\n            return None\n        self.started = True\n        return self.host\n",
    ),
    "what is here in another case": (
        "select name\nFROM products_of_the_shop\nmore = 1\n",
        "select name\nfrom things_of_the_shop\n",
        "SELECT name\nfrom products_of_the_shop\n",
    ),
    "one line with other letters, set far apart": (
        "abcdefghijklmnopqrst\n",
        "   ".join("abcdefghijklmnopqrsx") + "\n",
        "x\n",
    ),
    "less than a word": ("total = 1\n", "ota l", "x"),
    "a piece of a few letters": ("x = a*b\n", "a  =", "b  ="),
    "a piece of a very long line": ("x = foo( a, b ) + 1;" * 2_000, "foo(a, b)", "foo(a, c)"),
}


@pytest.mark.promise("locate.refused")
@pytest.mark.parametrize(("file", "old", "new"), MISSING.values(), ids=MISSING)
def test_a_text_that_is_not_in_the_file_is_missing(file: str, old: str, new: str) -> None:
    answer = refusal(file, old, new)
    assert (answer.why, answer.sides, answer.detail) == ("missing", None, "")


@pytest.mark.promise("locate.similar")
def test_a_missing_text_comes_with_the_nearest_places_and_how_near_they_are() -> None:
    _, old, new = MISSING["a third function beside two near-identical ones"]
    answer = refusal(TWINS, old, new)
    assert [(site.start_line, site.end_line) for site in answer.sites] == [(8, 12), (1, 5)]
    assert 1 > answer.sites[0].score > answer.sites[1].score > 0.7


def test_a_text_of_another_file_has_no_nearest_place() -> None:
    assert refusal(*MISSING["text of another file"]).sites == ()


AMBIGUOUS: dict[str, tuple[Request, str, list[tuple[int, int]]]] = {
    "a line, twice": (("a = 1\nb = 2\na = 1\n", "a = 1\n", "a = 2\n"), "exact", [(1, 1), (3, 3)]),
    "a piece of four lines": (
        (SERVER, "self.started", "self.running"),
        "exact",
        [(9, 9), (12, 12), (14, 14), (18, 18)],
    ),
    "twice in one line": (("f(x) + f(x)\n", "f(x)", "g(x)"), "exact", [(1, 1), (1, 1)]),
    "two places that overlap": (("a\na\na\n", "a\na\n", "b\n"), "exact", [(1, 2), (2, 3)]),
    "a line, and a piece of another": (
        ("port = 1\nreport = 1\n", "port = 1\n", "port = 2\n"),
        "exact",
        [(1, 1), (2, 2)],
    ),
    "two near-identical functions": (
        (TWINS, "        rows = json.load(file)\n    check(rows)\n", "        rows = json.load(file)\n"),
        "exact",
        [(3, 4), (10, 11)],
    ),
    "in a file with CRLF": (
        ("a = 1\r\nb = 2\r\na = 1\r\nb = 2\r\n", "a = 1\nb = 2\n", "a = 2\n"),
        "line_ends",
        [(1, 2), (3, 4)],
    ),
    "with space at the ends": (
        ("a = 1 \nb = 2\na = 1  \nb = 2\n", "a = 1\nb = 2\n", "a = 2\nb = 2\n"),
        "trailing",
        [(1, 2), (3, 4)],
    ),
    "the same text at two depths": (
        (
            "if a:\n    start()\n    wait()\nif b:\n    if c:\n        start()\n        wait()\n",
            "start()\nwait()\n",
            "start()\nstop()\n",
        ),
        "indentation",
        [(2, 3), (6, 7)],
    ),
    "with quotes of two kinds": (
        ("say(“hello”)\nrest()\nsay(„hello“)\n", 'say("hello")\n', 'say("bye")\n'),
        "look_alike",
        [(1, 1), (3, 3)],
    ),
    "with line breaks spelled out": (
        ("start()\nwait()\nstart()\nwait()\n", "start()\\nwait()", "start()"),
        "escape",
        [(1, 2), (3, 4)],
    ),
    "with other spaces": (
        ("f( a,b )\nrest()\nf( a,b )\n", "f(a, b)\n", "f(b, a)\n"),
        "tokens",
        [(1, 1), (3, 3)],
    ),
    "pieces of lines with other spaces": (
        ("x = foo( a, b )\ny = foo( a, b ) + 1\n", "foo(a, b)", "foo(b, a)"),
        "tokens",
        [(1, 1), (2, 2)],
    ),
    "broken in another way": (
        ("f(alpha,\n  beta)\nrest()\nf(alpha,\n  beta)\n", "f(alpha, beta)\n", "f(beta)\n"),
        "tokens",
        [(1, 2), (4, 5)],
    ),
}


@pytest.mark.promise("locate.one-place")
@pytest.mark.parametrize(("request_", "rung", "lines"), AMBIGUOUS.values(), ids=AMBIGUOUS)
def test_two_places_on_a_rung_end_the_search_and_all_are_named(
    request_: Request, rung: str, lines: list[tuple[int, int]]
) -> None:
    sites = tuple(Site(first, last) for first, last in lines)
    assert refusal(*request_) == Refused("ambiguous", rung, sites)


@pytest.mark.promise("locate.one-place")
@pytest.mark.parametrize("old", ["x = foo(a, b)\n", "\tx = foo(a, b)\n", "x = foo( a,b )\n", "foo( a,b )"])
def test_a_text_that_occurs_everywhere_is_refused(old: str) -> None:
    answer = refusal("x = foo(a, b)\n" * 5_000, old, "y\n")
    assert (answer.why, answer.sites[0]) == ("ambiguous", Site(1, 1))


@pytest.mark.promise("locate.one-place")
def test_pieces_that_can_be_placed_in_two_ways_are_refused() -> None:
    answer = refusal(WORKERS, "    start()\n    ...\n    stop()\n", "    start()\n    ...\n    end()\n")
    assert (answer.why, answer.rung) == ("ambiguous", "elision")
    assert answer.sites[0] == Site(2, 4)


@pytest.mark.promise("locate.similar")
def test_two_places_that_are_nearly_as_similar_are_refused() -> None:
    file = """\
def load_users(path):
    with open(path) as file:
        rows = json.load(file)
    check(rows, "users")
    return rows


def load_teams(path):
    with open(path) as file:
        rows = json.load(file)
    check(rows, "teams")
    return rows
"""
    old = '    with open(path) as file:\n        rows = json.load(file)\n    check(rows, "x")\n    return rows\n'
    answer = refusal(file, old, old.replace("return rows", "return list(rows)"))
    assert answer == Refused("ambiguous", "similar", (Site(2, 5), Site(9, 12)))


APPLIED: dict[str, tuple[Request, str | None, tuple[int, int]]] = {
    "a line that changes": (
        (
            swap(SERVER, "return None", "return 0"),
            "        if self.started:\n            return None\n        self.started = True\n",
            "        if self.started:\n            return 0\n        self.started = True\n",
        ),
        None,
        (12, 14),
    ),
    "a line more": (
        (
            swap(SERVER, "= port\n", "= port\n        self.count = 0\n"),
            "        self.port = port\n        self.started = False\n",
            "        self.port = port\n        self.count = 0\n        self.started = False\n",
        ),
        "similar",
        (8, 10),
    ),
    "a line more behind, as sent": (
        (
            swap(SERVER, "= port\n", "= port\n        self.count = 0\n"),
            "        self.port = port\n",
            "        self.port = port\n        self.count = 0\n",
        ),
        "exact",
        (8, 9),
    ),
    "a line more before, as sent": (
        (
            swap(SERVER, "class Server", "@final\nclass Server"),
            "class Server:\n",
            "@final\nclass Server:\n",
        ),
        "exact",
        (4, 5),
    ),
    "a line more behind, dedented": (
        (
            swap(SERVER, "= port\n", "= port\n        self.count = 0\n"),
            "self.port = port\n",
            "self.port = port\nself.count = 0\n",
        ),
        "indentation",
        (8, 8),
    ),
    "a line less": (
        (
            swap(SERVER, "            return None\n", ""),
            (
                "        if self.started:\n            return None\n"
                "        self.started = True\n        return self.port\n"
            ),
            "        if self.started:\n        self.started = True\n        return self.port\n",
        ),
        "similar",
        (12, 14),
    ),
    "other indentation": (
        ("def f():\n    one()\n    two()\n", "one()\ntwo()\n", "    one()\n    two()\n"),
        "indentation",
        (2, 3),
    ),
    "a whole rewrite that is elsewhere": (
        (
            swap(SERVER, "return None", "raise RuntimeError(self.started)"),
            "        if self.is_started():\n            return False\n",
            "        if self.started:\n            raise RuntimeError(self.started)\n",
        ),
        None,
        (12, 13),
    ),
}


@pytest.mark.promise("locate.applied")
@pytest.mark.parametrize(("request_", "rung", "lines"), APPLIED.values(), ids=APPLIED)
def test_a_change_that_is_already_in_the_file_is_reported_with_its_place(
    request_: Request, rung: str | None, lines: tuple[int, int]
) -> None:
    assert refusal(*request_) == Refused("applied", rung, (Site(*lines),))


FIRST = "begin_it(1)\nend\nbegin_of_more(2)\nend\nstop_it_now(3)\nend_of_all(4)\nclose_it(5)\nleave_it(6)\n"
SENT = FIRST.replace("begin_of_more(2)\nend\n", "")
APPLIED["a block more that can slide"] = (
    (FIRST, SENT, FIRST),
    "similar",
    (1, 8),
)

PARTLY: dict[str, tuple[Request, str, tuple[int, int]]] = {
    "one of two lines": (
        (
            swap(SERVER, "return None", "return 0"),
            (
                "        if self.started:\n            return None\n"
                "        self.started = True\n        return self.port\n"
            ),
            (
                "        if self.started:\n            return 0\n"
                "        self.started = True\n        return int(self.port)\n"
            ),
        ),
        "similar",
        (12, 15),
    ),
    "one of two blocks, which can slide": (
        (FIRST, SENT, FIRST.replace("(4)", "(5)")),
        "similar",
        (1, 8),
    ),
    "the line's end": (
        ("total = price + tax\nrest = 1\n", "total = price", "count = 1\ntotal = price + tax"),
        "exact",
        (1, 1),
    ),
}


@pytest.mark.promise("locate.applied")
@pytest.mark.parametrize(("request_", "rung", "lines"), PARTLY.values(), ids=PARTLY)
def test_a_partly_applied_change_is_distinguished_from_both(
    request_: Request, rung: str, lines: tuple[int, int]
) -> None:
    assert refusal(*request_) == Refused("partly_applied", rung, (Site(*lines),))


START = "    def start(self):\n        if self.started:\n            return None\n"

CONFLICTS: dict[str, tuple[Request, str, tuple[int, int], Sides]] = {
    "words that are one word here": (
        ("notable = make(notable)\nrest = 1\n", "no table = make(no table)\n", "x\n"),
        "differs",
        (1, 1),
        Sides(1, "no table = make(no table)", "notable = make(notable)", "x"),
    ),
    "both have a line at one point": (
        with_proof(
            SERVER, START + "        return self.port\n", START + "        self.count += 1\n        return self.port\n"
        ),
        "two_sided",
        (11, 21),
        Sides(14, "", "        self.started = True", "        self.count += 1"),
    ),
    "an insertion beside a line that is not here": (
        with_proof(
            SERVER,
            "        verify_everything()\n" + START[21:] + "        self.started = True\n        return self.port\n",
            "        prepare()\n        verify_everything()\n"
            + START[21:]
            + "        self.started = True\n        return self.port\n",
        ),
        "beside_missing",
        (12, 21),
        Sides(12, "", "", "        prepare()"),
    ),
    "a line with a comment to replace by others": (
        (
            OWN.replace("load(1)", "load(1)  # one"),
            OWN,
            OWN.replace("    alpha = load(1)\n", "    zzz\n    yyy\n"),
        ),
        "same_words",
        (1, 6),
        Sides(2, "    alpha = load(1)", "    alpha = load(1)  # one", "    zzz\n    yyy"),
    ),
    "a line that changes is not here": (
        with_proof(
            SERVER,
            START[21:] + "        log_the_start()\n        self.started = True\n        return self.port\n",
            START[21:] + "        log_the_start(1)\n        self.started = True\n        return self.port\n",
        ),
        "not_there",
        (12, 21),
        Sides(14, "        log_the_start()", "", "        log_the_start(1)"),
    ),
    "a block to replace with a line of the file's own": (
        with_proof(
            OWN,
            OWN.replace("    own_line_of_the_file()\n", ""),
            "def load():\n    xxxxxxxx\n    yyyyyyyyyyyyyy\n    rest_of_it()\n    more_of_the_rest()\n",
        ),
        "own_lines",
        (1, 12),
        Sides(
            2,
            "    alpha = load(1)\n    beta = load(2)",
            "    alpha = load(1)\n    own_line_of_the_file()\n    beta = load(2)",
            "    xxxxxxxx\n    yyyyyyyyyyyyyy",
        ),
    ),
    "a line to replace beside a line of the file's own": (
        with_proof(
            OWN,
            OWN.replace("    own_line_of_the_file()\n", ""),
            OWN.replace("    own_line_of_the_file()\n", "").replace("beta = load(2)", "xxxx"),
        ),
        "own_lines",
        (1, 12),
        Sides(3, "    beta = load(2)", "    own_line_of_the_file()\n    beta = load(2)", "    xxxx"),
    ),
    "part of a block to replace with a line of the file's own": (
        (
            OWN.replace("load(1)\n", "load(1)\n    gamma = make(3)\n"),
            OWN.replace("load(1)\n    own_line_of_the_file()\n", "load(1)\n    gamma = make(3)\n"),
            OWN.replace("load(1)\n    own_line_of_the_file()\n    beta = load(2)\n", "load(10)\n    x\n"),
        ),
        "own_lines",
        (1, 7),
        Sides(
            2,
            "    alpha = load(1)\n    gamma = make(3)\n    beta = load(2)",
            "    alpha = load(1)\n    gamma = make(3)\n    own_line_of_the_file()\n    beta = load(2)",
            "    alpha = load(10)\n    x",
        ),
    ),
    "an insertion between lines that change where the file has one of its own": (
        with_proof(
            OWN.replace("load(1)", "load(1)  # one").replace("load(2)", "load(2)  # two"),
            OWN.replace("    own_line_of_the_file()\n", ""),
            OWN.replace("own_line_of_the_file()", "check()").replace("load(1)", "load(10)").replace("(2)", "(20)"),
        ),
        "two_sided",
        (1, 12),
        Sides(3, "", "    own_line_of_the_file()", "    check()"),
    ),
    "a first line to replace, which occurs elsewhere, too, before a line of the file's own": (
        with_proof(
            "check_it()\nown_line()\nrest_of_it()\nmore_of_the_rest()\n\n\ncheck_it()\n",
            "check_it()\nrest_of_it()\nmore_of_the_rest()\n",
            "check_them()\nrest_of_it()\nmore_of_the_rest()\n",
        ),
        "own_lines",
        (1, 10),
        Sides(1, "check_it()", "check_it()\nown_line()", "check_them()"),
    ),
    "a comment that cannot stay behind the new line": (
        (
            OWN.replace("load(1)", "load(1)  # one"),
            OWN,
            OWN.replace("load(1)", "load(1) + '''"),
        ),
        "same_words",
        (1, 6),
        Sides(2, "    alpha = load(1)", "    alpha = load(1)  # one", "    alpha = load(1) + '''"),
    ),
    "a block to delete with a line of the file's own": (
        with_proof(SERVER, START + "        return self.port\n\n    def stop(self):\n", "    def stop(self):\n"),
        "own_lines",
        (11, 23),
        Sides(
            11,
            START + "        return self.port\n",
            START + "        self.started = True\n        return self.port\n",
            "",
        ),
    ),
}


WHITE: dict[str, tuple[Request, str, tuple[int, int], Sides]] = {
    "an insertion beside blank lines that were left out": (
        (
            "def one():\n    first_line()\n\nsecond_line_of_it()\nthird_line_of_it()\n",
            "def one():\n    first_line()\nsecond_line_of_it()\nthird_line_of_it()\n",
            "def one():\n    first_line()\nprint(1)\nsecond_line_of_it()\nthird_line_of_it()\n",
        ),
        "two_sided",
        (1, 5),
        Sides(3, "", "", "print(1)"),
    ),
    "a word for two around a line break": (
        (
            "call(alpha,\n  beta)\nrest()\n",
            "call(alpha, beta)\nrest()\n",
            "call(gamma)\nrest()\n",
        ),
        "same_words",
        (1, 3),
        Sides(1, "call(alpha, beta)", "call(alpha,\n  beta)", "call(gamma)"),
    ),
    "a word more where the file has other spaces": (
        (
            "total = price * count\nrest_of_it()\n",
            "total = price*count\nrest_of_it()\n",
            "total = price*1*count\nrest_of_it()\n",
        ),
        "same_words",
        (1, 2),
        Sides(1, "total = price*count", "total = price * count", "total = price*1*count"),
    ),
}


@pytest.mark.promise("locate.refused")
@pytest.mark.parametrize(("request_", "detail", "lines", "sides"), WHITE.values(), ids=WHITE)
def test_a_conflict_in_whitespace_is_a_conflict(
    request_: Request, detail: str, lines: tuple[int, int], sides: Sides
) -> None:
    assert refusal(*request_) == Refused("conflict", "tokens", (Site(*lines),), sides, detail)


@pytest.mark.promise("locate.refused")
@pytest.mark.parametrize(("request_", "detail", "lines", "sides"), CONFLICTS.values(), ids=CONFLICTS)
def test_a_conflict_is_refused_with_what_each_side_has(
    request_: Request, detail: str, lines: tuple[int, int], sides: Sides
) -> None:
    assert refusal(*request_) == Refused("conflict", "similar", (Site(*lines),), sides, detail)


UNPROVED_PLACES: dict[str, Request] = {
    "the line that changes is another here": (
        SERVER,
        START + "        self.started = True\n        return self.host\n",
        START + "        self.started = True\n        return int(self.host)\n",
    ),
    "a line of context is another here": (
        SERVER,
        START.replace("self.started", "self.running()") + "        self.started = True\n        return self.port\n",
        START.replace("self.started", "self.running()") + "        self.started = True\n        return 0\n",
    ),
    "a line of context is another here, among many that occur once": with_proof(
        SERVER,
        START.replace("self.started", "self.running()") + "        self.started = True\n        return self.port\n",
        START.replace("self.started", "self.running()") + "        self.started = True\n        return 0\n",
    ),
    "a line in place of another": (
        "def one(path):\n    rows = read_rows(path)\n    check_users(rows)\n    return [User(row) for row in rows]\n",
        "def one(path):\n    rows = read_rows(path)\n    verify_all(rows)\n    return [User(row) for row in rows]\n",
        "def one(path):\n    rows = read_rows(path)\n    verify_all(rows)\n    return [User(*row) for row in rows]\n",
    ),
    "a very long line that is another here": with_proof(
        "alpha = '" + "abc " * 1_500 + "'\nbeta = load_it(2)\ngamma = load_it(3)\ndelta = load_it(4)\n",
        "alpha = '" + "abd " * 1_500 + "'\nbeta = load_it(2)\ngamma = load_it(3)\ndelta = load_it(4)\n",
        "alpha = '" + "abd " * 1_500 + "'\nbeta = load_it(2)\ngamma = load_it(5)\ndelta = load_it(4)\n",
    ),
    "an insertion beside lines that are others here": (
        OWN,
        OWN.replace("load(1)", "load(5)").replace("load(2)", "load(6)"),
        OWN.replace("load(1)", "load(5)\n    check()").replace("load(2)", "load(6)"),
    ),
    "a line more in the file, and little else": (
        SERVER,
        START + "        return self.port\n",
        START + "        return 0\n",
    ),
    "a line less in the file, and little else": (
        SERVER,
        START + "        log_the_start()\n        self.started = True\n        return self.port\n",
        START + "        log_the_start()\n        self.started = True\n        return 0\n",
    ),
    "an outer line less, and another like it beside the place": with_proof(
        OWN,
        OWN.replace("def load():", "def load_all():"),
        OWN.replace("def load():", "def load_all():").replace("rest_of_it", "rest_of_all"),
    ),
    "a header less": with_proof(
        "\n\n" + OWN.replace("def load():\n", ""),
        OWN.replace("def load():", "def fetch_them_from(everywhere):"),
        OWN.replace("def load():", "def fetch_them_from(everywhere):").replace("rest_of_it", "rest_of_all"),
    ),
    "a line more and a line less": with_proof(
        OWN,
        OWN.replace("    own_line_of_the_file()\n", "").replace("    rest", "    invented_by_somebody()\n    rest"),
        OWN.replace("    own_line_of_the_file()\n", "")
        .replace("    rest", "    invented_by_somebody()\n    rest")
        .replace("more_of_the_rest", "more_of_all"),
    ),
}


@pytest.mark.promise("locate.proof")
@pytest.mark.parametrize(("file", "old", "new"), UNPROVED_PLACES.values(), ids=UNPROVED_PLACES)
def test_a_place_that_may_be_a_sibling_is_refused(file: str, old: str, new: str) -> None:
    answer = refusal(file, old, new)
    assert (answer.why, answer.rung, answer.sides, answer.detail) == ("missing", None, None, "unproved_place")
    assert len(answer.sites) >= 1


ELIDED: dict[str, tuple[Request, Refused]] = {
    "a comment in new alone": (
        (
            SERVER,
            START + "        self.started = True\n        return self.port\n",
            "    def start(self):\n        # ... existing code ...\n        return 0\n",
        ),
        Refused("elided"),
    ),
    "dots in new alone": (
        (
            SERVER,
            START + "        self.started = True\n        return self.port\n",
            "    def start(self):\n        ...\n        return 0\n",
        ),
        Refused("elided"),
    ),
    "one part in old, two in new": (
        (
            SERVER,
            "class Server:\n    # ...\n    def stop(self):\n        self.started = False\n",
            "class Server:\n    # ...\n    def stop(self):\n        # ...\n",
        ),
        Refused("elided"),
    ),
    "a part in old alone": (
        (
            SERVER,
            "    def start(self):\n        ...\n        return self.port\n",
            "    def start(self):\n        return 0\n",
        ),
        Refused("elided", "elision", (Site(11, 15),)),
    ),
    "a part that lines move over": (
        (
            SERVER,
            (
                "    def start(self):\n        ...\n        self.started = True\n"
                "        return self.port\n\n    def stop(self):\n"
            ),
            (
                "    def start(self):\n        self.started = True\n"
                "        return self.port\n        ...\n\n    def stop(self):\n"
            ),
        ),
        Refused(
            "elided",
            "elision",
            (Site(11, 17),),
            Sides(12, "        ...", "        if self.started:\n            return None", ""),
        ),
    ),
    "a part that is indented in another way": (
        (
            SERVER,
            "    def start(self):\n        ...\n        return self.port\n",
            "    def start(self):\n        if True:\n            ...\n        return self.port\n",
        ),
        Refused("unproved", "elision", (Site(11, 15),), None, "elided_lines_move"),
    ),
    "something new behind a part at the end": (
        (
            SERVER,
            "    def stop(self):\n        ...\n",
            "    def stop(self):\n        ...\n\n    def more(self):\n        pass\n",
        ),
        Refused("elided", "elision", (Site(17, 17),)),
    ),
    "something new before a part at the beginning": (
        (SERVER, "    ...\n        return self.port\n", "import re\n    ...\n        return self.port\n"),
        Refused("elided", "elision", (Site(15, 15),)),
    ),
}


@pytest.mark.promise("locate.elision")
@pytest.mark.parametrize(("request_", "expected"), ELIDED.values(), ids=ELIDED)
def test_an_omission_in_only_one_text_is_refused(request_: Request, expected: Refused) -> None:
    assert refusal(*request_) == expected


UNPROVED: dict[str, tuple[Request, Refused]] = {
    "a quote that stands for two things": (
        (
            'say(“hello you”, "bye now")\nend()\n',
            "say(“hello you”, “bye now”)\nend()\n",
            "say(“hello you”, “bye now”)\nsay(“more”)\nend()\n",
        ),
        Refused("unproved", "look_alike", (Site(1, 2),), Sides(2, "", "", "say(“more”)"), "indentation_or_characters"),
    ),
    "a backslash that stands for two things": (
        (
            'a = \\"one\\"\nb = "two"\nc = 3\n',
            'a = \\"one\\"\nb = \\"two\\"\nc = 3\n',
            'a = \\"one\\"\nb = \\"two\\"\nd = \\"x\\"\nc = 3\n',
        ),
        Refused("unproved", "escape", (Site(1, 3),), Sides(3, "", "", 'd = \\"x\\"'), "indentation_or_characters"),
    ),
    "an indentation that no rule explains": (
        (
            "if a:\n     one(1)\n    two(2)\n   three(3)\nlast(4)\n",
            "if a:\n    one(1)\n    two(2)\n    three(3)\nlast(4)\n",
            "if a:\n    one(1)\n        two(2)\n    three(3)\nlast(4)\n",
        ),
        Refused(
            "unproved",
            "similar",
            (Site(1, 5),),
            Sides(3, "    two(2)", "    two(2)", "        two(2)"),
            "indentation_or_characters",
        ),
    ),
    "a string with the other quote in it": (
        (
            "first_one = 'one'\nsecond_one = 'two'\nthird_one = 3\n",
            'first_one = "one"\nsecond_one = "two"\nthird_one = 3\n',
            'first_one = "one"\nsecond_one = "two"\nthird_one = "it\'s"\n',
        ),
        Refused(
            "unproved",
            "similar",
            (Site(1, 3),),
            Sides(3, "third_one = 3", "third_one = 3", 'third_one = "it\'s"'),
            "indentation_or_characters",
        ),
    ),
    "a string that does not end in its line": (
        (
            "first_one = 'one'\nsecond_one = 'two'\nthird_one = 3\n",
            'first_one = "one"\nsecond_one = "two"\nthird_one = 3\n',
            'first_one = "one"\nsecond_one = "two"\nthird_one = "it\n',
        ),
        Refused(
            "unproved",
            "similar",
            (Site(1, 3),),
            Sides(3, "third_one = 3", "third_one = 3", 'third_one = "it'),
            "indentation_or_characters",
        ),
    ),
    "a quote that is of both kinds here": (
        (
            "first_one = 'one'\nsecond_one = \"two\"\nthird_one = 3\n",
            'first_one = "one"\nsecond_one = "two"\nthird_one = 3\n',
            'first_one = "one"\nsecond_one = "two"\nthird_one = "x"\n',
        ),
        Refused(
            "unproved",
            "similar",
            (Site(1, 3),),
            Sides(3, "third_one = 3", "third_one = 3", 'third_one = "x"'),
            "indentation_or_characters",
        ),
    ),
    "a quote that stands for two things, in a line that changes": (
        (
            'say(“hello you”, "bye now")  # one\nrest_of_it()\nsay(“more”, "less")\n',
            "say(“hello you”, “bye now”)\nrest_of_it()\nsay(“more”, “less”)\n",
            "say(“hello you”, “bye now”, 1)\nrest_of_it()\nsay(“more”, “less”)\n",
        ),
        Refused(
            "unproved",
            "similar",
            (Site(1, 3),),
            Sides(
                1,
                "say(“hello you”, “bye now”)",
                'say(“hello you”, "bye now")  # one',
                "say(“hello you”, “bye now”, 1)",
            ),
            "indentation_or_characters",
        ),
    ),
    "lines broken in another way at another depth": (
        (
            "    call(alpha, beta)\n    rest()\n",
            "call(alpha,\n  beta)\nrest()\n",
            "call(alpha,\n  gamma)\nrest()\n",
        ),
        Refused(
            "unproved",
            "tokens",
            (Site(1, 2),),
            Sides(1, "call(alpha,\n  beta)", "    call(alpha, beta)", "call(alpha,\n  gamma)"),
            "indentation_or_characters",
        ),
    ),
    "a text over several lines that would be indented": (
        (
            "def f():\n    alpha = 1\n    beta = 2\n",
            "alpha = 1\nbeta = 2\n",
            "alpha = 1\ntext = '''\nfirst\n'''\nbeta = 2\n",
        ),
        Refused("unproved", "indentation", (Site(2, 3),), Sides(3, "", "", "text = '''\nfirst\n'''"), "literal_text"),
    ),
    "a quote in a piece of a line that stands for two things": (
        ('x = say(“a b”, "c d") + 1\n', "say(“a b”, “c d”)", "say(“a b”, “e”)"),
        Refused("unproved", "look_alike", (Site(1, 1),), None, "indentation_or_characters"),
    ),
    "a piece of a line that goes, with other spaces": (
        ("x = foo( a, b ) + 1\n", "foo(a, b) +", ""),
        Refused("unproved", "tokens", (Site(1, 1),), None, "indentation_or_characters"),
    ),
    "a depth that is neither a shift nor the first line's alone": (
        ("class A:\n    def f(self):\n        alpha = 1\n", "alpha = 1\n", "if alpha:\n  alpha = 1\n"),
        Refused("unproved", "indentation", (Site(3, 3),), Sides(3, "", "", "if alpha:"), "indentation_or_characters"),
    ),
    "a line that goes on, and others to come": (
        ("    total = price + tax\n", "total = price", "total = price\nprint(total)"),
        Refused("unproved", "exact", (Site(1, 1),), None, "line_goes_on"),
    ),
}


@pytest.mark.promise("locate.dialect")
@pytest.mark.parametrize(("request_", "expected"), UNPROVED.values(), ids=UNPROVED)
def test_what_the_match_does_not_prove_is_refused_where_new_text_needs_it(request_: Request, expected: Refused) -> None:
    assert refusal(*request_) == expected


CROWDS: dict[str, tuple[str, str, str, bool]] = {
    "whole lines among pieces": ("  x();\n" * 250 + "x();\n" + "  x();\n" * 100 + "x();\n", "x();\n", "y();\n", True),
    "several whole lines among pieces": (
        "  x();\ny();\n" * 250 + "x();\ny();\n" + "  x();\ny();\n" * 100 + "x();\ny();\n",
        "x();\ny();\n",
        "z();\n",
        False,
    ),
    "lines of another depth among others": (
        "x( );\n" * 250 + "  x();\n" + "x( );\n" * 100 + "  x();\n",
        "\tx();\n",
        "\tx();\n\ty();\n",
        False,
    ),
    "pieces with other quotes among others": (
        "z = xyz('1') + 1;\n" * 250 + 'z = xyz("1") + 1;\n' + "z = xyz('1') + 2;\n" * 100 + 'z = xyz("1") + 2;\n',
        "xyz(“1”)",
        "xyz(2)",
        False,
    ),
    "parts left out between lines that occur everywhere": (
        "start()\nwork(1)\n" * 100 + "stop()\n",
        "start()\n...\nstop()\n",
        "begin()\n...\nstop()\n",
        False,
    ),
}


@pytest.mark.promise("locate.one-place")
@pytest.mark.parametrize(("file", "old", "new", "whole_lines"), CROWDS.values(), ids=CROWDS)
def test_two_places_among_very_many_that_are_nearly_the_same_are_refused(
    file: str, old: str, new: str, *, whole_lines: bool
) -> None:
    assert refusal(file, old, new, whole_lines=whole_lines).why == "ambiguous"


@pytest.mark.promise("locate.similar")
def test_a_long_stretch_of_other_lines_between_equal_ones_is_not_paired() -> None:
    names = ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india", "juliett", "kilo")
    first = "".join(f"    begin_with(the_{name}_of_all, and_what_belongs_to_it_{name})\n" for name in names)
    ends = "def first(alpha, beta):\n" + first, "    finish(alpha)\n    return beta\n"
    file = ends[0] + "".join(f"    value_{n} = compute({n})\n" for n in range(25)) + ends[1]
    old = ends[0] + "".join(f"    velue_{n} = computed({n}, 0)\n" for n in range(25)) + ends[1]
    assert refusal(file, old, old.replace("return beta", "return None")).why == "missing"


@pytest.mark.promise("locate.refused")
def test_a_part_omitted_from_a_block_does_not_leave_the_block() -> None:
    file = "def first():\n    a = 1\n\ndef second():\n    c = 3\n    return z\n"
    old = "def first():\n    ...\n    return z\n"
    assert refusal(file, old, "def first():\n    log()\n    ...\n    return z + 1\n").why == "missing"


@pytest.mark.promise("locate.similar")
def test_a_text_that_is_mostly_not_in_the_file_is_missing() -> None:
    file = "".join(f"first_{n} = compute_the_value_of({n})\n" for n in range(20)) + "done = True\nclose()\n"
    old = "".join(f"an invented line, number {n}, that stands nowhere\n" for n in range(10)) + "done = True\nclose()\n"
    assert refusal(file, old, old.replace("done = True", "done = False")).why == "missing"
