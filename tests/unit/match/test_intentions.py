"""Edits from a hostile tester: either the intended change is made, or none."""

import pytest

from suture.match import locate
from suture.match.diagnose import diagnose
from suture.match.index import Found, Index, Refused, declared_name, header_name, scope, symbol
from suture.text.edits import apply

HEAD = "import os\n\n\ndef alpha(value):\n    return value + 1\n\n\n"
WRAPPED = "def f(x):\n    first(x)\n    if ready:\n        compute(x, y, z)\n    finish(x, 1)\n    done()\n"
LAUNCHED = "def f():\n    setup(1)\n    if ready:\n        launch(FS, 0x1c)\n    teardown(2)\n    return 5\n"
HOOK = "    hook = cast(UserHook, menu_userptr(menu))\n    assert hook and hook.back == self and hook.owner == menu\n"
REFUSED = {
    "an insertion that is there, indented otherwise": (
        "a = require('path')\nb = require('link')\nx = 1\n",
        "  a = require('path')\n  b = require('link')\n",
        "  a = require('path')\n  b = require('link')\n  x = 1\n",
    ),
    "an insertion that is there, with a blank line more": (
        "def now():\n    return datetime.now()\n    x = 1\n",
        "def now():\n    return datetime.now()\n\n",
        "def now():\n    return datetime.now()\n    x = 1\n\n",
    ),
    "half of a change is there": (
        WRAPPED,
        "\n    compute(x, y, z)\n    finish(x, 1)\n    done()\n",
        "\n    if ready:\n        compute(x, y, z)\n    finish(x, 2)\n    done()\n",
    ),
    "the line to delete was moved into a block": (
        LAUNCHED,
        "    setup(1)\n    launch(FS, 0x1c)\n    teardown(2)\n    return 5\n",
        "    setup(1)\n    teardown(2)\n    return 5\n",
    ),
    "the function has another name": (
        "def process_v2(data):\n    check(data)\n    return run(data)\n",
        "def process_v1(data):\n    check(data)\n    return run(data)\n",
        "def process_v1(data):\n    return run(data)\n",
    ),
    "the method has another name and other arguments": (
        f"class M:\n  def set_user(self, user):\n{HOOK}    hook.user = user\n",
        f"\n  def get_user(self):\n{HOOK}",
        f"\n  def get_user(self):\n{HOOK.replace('(menu)', '(menu, 2)')}",
    ),
    "a function in a variable has another name": (
        "const store = (data) => {\n  check(data);\n  return run(data);\n}\n",
        "const load = (data) => {\n  check(data);\n  return run(data);\n",
        "const load = (data) => {\n  return run(data);\n",
    ),
    "a function whose brace has a line of its own has another name": (
        "int\nstore(const char *data)\n{\n  check(data);\n  return run(data);\n}\n",
        "int\nload(const char *data)\n{\n  check(data);\n  return run(data);\n",
        "int\nload(const char *data)\n{\n  return run(data);\n",
    ),
    "a function is decorated otherwise": (
        "@app.route('/store')\ndef handler(data):\n    check(data)\n    return run(data)\n",
        "@app.route('/load')\ndef handler(data):\n    check(data)\n    return run(data)\n",
        "@app.route('/load')\ndef handler(data):\n    return run(data)\n",
    ),
    "a word in another case is another word of the file": (
        "Buffer = buffer.Buffer\nSafer = safer.Buffer\nfor key in buffer:\n  safer[key] = buffer[key]\n  done(key)\n",
        "  Safer[key] = Buffer[key]\n  done(key)\n",
        "  Safer[key] = Buffer[other]\n  done(key)\n",
    ),
    "half of a change is there, before a blank line": (
        "def f(x):\n    first = compute(x, y, z)\n    return first\n    check(value)\n\ndef g():\n    pass\n",
        "    first = compute(x, y, z)\n    return first\n\n",
        "    first = other(x, y, z)\n    return first\n    check(value)\n\n",
    ),
    "half of a change is there: a line was wrapped": (
        "if ready:\n    import curses\nimport curses.ascii\n\nx = 1\n",
        "\nimport curses\nimport curses.ascii\n",
        "\nif ready:\n    import curses\nimport other.ascii\n",
    ),
    "an insertion that is there, but for trailing space": (
        "@cache\ndef f(x):\n    return x\n",
        "def f(x): \n    return x\n",
        "@cache\ndef f(x):\n    return x\n",
    ),
    "a comment that is there, though the file has a line of its own": (
        "# counts\ndef start(self):\n    if self.started:\n        return None\n    own_line()\n    return self.port\n",
        "def start(self):\n    if self.started:\n        return None\n    return self.port\n",
        "# counts\ndef start(self):\n    if self.started:\n        return None\n    return self.port\n",
    ),
    "a method of another type": (
        "func (f *File) Read(p []byte) int {\n\tf.prepare_it(p)\n\treturn f.finish_it(p)\n}\n",
        "func (s *Socket) Read(p []byte) int {\n\tf.prepare_it(p)\n\treturn f.finish_it(p)\n",
        "func (s *Socket) Read(p []byte) int {\n\treturn f.finish_it(p)\n",
    ),
    "the same method of another class": (
        "impl Reader for File {\n    self.prepare_it();\n    self.finish_it()\n}\n",
        "impl Reader for Socket {\n    self.prepare_it();\n    self.finish_it()\n",
        "impl Reader for Socket {\n    self.finish_it()\n",
    ),
    "an indented line is no argument": (
        "def build(mapping=MAPPING):\n    pass\n",
        "    mapping = MAPPING\n",
        "    mapping = 42\n",
    ),
    "an indented line is no part of a comment": (
        "def f():\n    # the result = compute(a, b) is cached\n    pass\n",
        "\tresult = compute(a, b)",
        "\tresult = compute(b, a)",
    ),
    "a line with its end is no part of another": ("def f():\n    y = lambda: save(a)\n", "save( a )\n", ""),
    "a condition above that differs": (
        "for item in list_all(x):\n    use_item(item)\n    done_with(item)\n    and_so_on(item)\n",
        "for item in list_some(x):\n    use_item(item)\n    done_with(item)\n    and_so_on(item)\n",
        "for item in list_some(x):\n    use_item(item)\n    and_so_on(item)\n",
    ),
    "another function above has another name": (
        "def one(x):\n    return first_value(x)\n\n\ndef two(x):\n    return second_value(x)\n",
        "def uno(x):\n    return first_value(x)\n\n\ndef two(x):\n    return second_value(x)\n",
        "def uno(x):\n    return first_value(x)\n\n\ndef two(x):\n    return third_value(x)\n",
    ),
    "a header that is nowhere in the file": (
        "first_thing = 1\nsecond_thing = 2\nthird_thing = 3\n",
        "setup() {\n  first_thing = 1\n  second_thing = 2\n  third_thing = 3\n",
        "setup() {\n  first_thing = 1\n  second_thing = 4\n  third_thing = 3\n",
    ),
    "a header with other arguments": (
        "def load(path, mode):\n    check(path)\n    log('loading', path)\n    return open(path)\n",
        "def load(path):\n    check(path)\n    log('loading', path)\n    return open(path)\n",
        "def load(path):\n    check(path)\n    return open(path)\n",
    ),
}
MADE = {
    "new text that is indented as the file is, with old text that is not": (
        "class A:\n    def f(self):\n        if not self.ok:\n            raise self.error()\n        return 1\n",
        "if not self.ok:\n    raise self.error()\n",
        "        if not self.ok:\n            check(value)\n            raise self.error()\n",
        "        if not self.ok:\n            check(value)\n            raise self.error()\n",
    ),
    "a block that is wrapped, indented as the file is, with old text that is not": (
        "class A:\n    def f(self):\n        self.run_it(1)\n        return self.total_value\n",
        "self.run_it(1)\nreturn self.total_value\n",
        "        if x:\n            self.run_it(1)\n        return self.total_value\n",
        "        if x:\n            self.run_it(1)\n        return self.total_value\n",
    ),
    "a name with a slip": (
        "def load_everything(self, path):\n    with open(path) as f:\n        data = f.read()\n",
        "def load_evrything(self, path):\n    with open(path) as f:\n        data = f.read()\n",
        "def load_evrything(self, path):\n    with open(path) as f:\n        data = f.read(5)\n",
        "def load_everything(self, path):\n    with open(path) as f:\n        data = f.read(5)\n",
    ),
    "typographic quotes of the other kind in new": (
        '    "r": 1,\n    "t": 2,\n',
        "    \u201dr\u201d: 1,\n    \u201dt\u201d: 2,",
        "    \u201dr\u201d: 1,\n    \u201dt\u201d: 2,\n    log(\u2019added\u2019)",
        "    log('added')",
    ),
    "a block that the change indents": (
        "def f():\n        one(1)\n        two(2)\n",
        "    one(1)\n    two(2)\n",
        "    if x:\n        one(1)\n        two(2)\n",
        "        if x:\n            one(1)\n            two(2)\n",
    ),
    "a line end more in new": (
        "def f():\n    log('remove', folder)\n\n    # get the version\n    version = 1\n",
        "        log('remove', folder)\n\n        # get the version",
        "        log('remove', folder)\n",
        "    log('remove', folder)\n\n    version",
    ),
}


@pytest.mark.promise("locate.refused")
@pytest.mark.parametrize("name", REFUSED)
def test_what_was_not_meant_is_not_done(name: str) -> None:
    file, old, new = REFUSED[name]
    answer = locate(Index((HEAD + file).encode(), "a.py"), old, new)
    assert not isinstance(answer, Found)


@pytest.mark.promise("locate.carry")
@pytest.mark.parametrize("name", MADE)
def test_what_was_meant_is_done(name: str) -> None:
    file, old, new, expected = MADE[name]
    body = (HEAD + file).encode()
    answer = locate(Index(body, "a.py"), old, new)
    assert isinstance(answer, Found)
    assert expected.encode() in apply(body, answer.edits)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (
            "def f(x):\n    total = other(x)\n    log(total)\n    return total\n",
            "    total = compute(x)\n    log(total)\n",
            "    total = other(x)\n",
        ),
        ("_globals = None()\n\nconvert(\n    1)\n", "_globals = globals()\n\nconvert(\n", "_globals = None()\n\n"),
    ],
)
def test_a_change_of_which_a_line_is_still_to_be_deleted_is_partly_applied(file: str, old: str, new: str) -> None:
    assert diagnose(Index((HEAD + file).encode(), "a.py"), old, new).why == "partly_applied"


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("def load(path):", "load"),
        ("    async def load(path):", "load"),
        ("class A(B):", "A"),
        ("class A:", "A"),
        ("func (s *Server) Serve(l net.Listener) error {", "Serve"),
        ("export function load(path) {", "load"),
        ("  load(path) {", "load"),
        ("int get_user(struct menu *m) {", "get_user"),
        ("if (ready) {", None),
        ("while check(x):", None),
        ("const load = (data) => {", "load"),
        ("exports.load = function (data) {", "exports.load"),
        ("load: function (data) {", "load"),
        ("list.forEach((item) => {", None),
        ("x" * 400 + "() {", None),
        ("x = 1", None),
        ("load(path);", None),
    ],
)
def test_a_name_is_what_a_line_declares(line: str, name: str | None) -> None:
    assert declared_name(line) == name


NESTED = """\
class Shop:
    rate = 0.19

    @cached
    def prepare(
        self,
        total,
    ) -> None:
        if total:
            for each in total:
                use(each)

        return None

    def net(self): return 1


static int
count(struct shop *shop,
      int most)
{
    int n = 0;
    return n;
}

export const load: Loader = async (url) => {
  await fetch(
    url,
  )
  return {
    url,
  }
}
print("end")
"""
SCOPES = {
    "rate = 0.19": "Shop",
    "@cached": "Shop",
    "    def prepare(": "Shop.prepare",
    "        total,": "Shop.prepare",
    "                use(each)": "Shop.prepare",
    "        return None": "Shop.prepare",
    "    def net(self)": "Shop.net",
    "static int": "",
    "    int n = 0;": "count",
    "    return n;": "count",
    "export const load": "load",
    "    url,\n  )": "load",
    "    url,\n  }": "load",
    'print("end")': "",
}


@pytest.mark.promise("locate.scope")
@pytest.mark.parametrize(("text", "name"), SCOPES.items())
def test_a_line_is_in_the_classes_and_functions_around_it(text: str, name: str) -> None:
    index = Index(NESTED.encode(), "a.py")
    assert NESTED.count(text) == 1
    number = NESTED[: NESTED.index(text)].count("\n")
    assert symbol(index.line, number, len(index.lines)) == name


def test_a_blank_line_is_in_what_the_next_line_is_in() -> None:
    lines = ["def one():", "    a()", "", "    b()", "", ""]
    assert [scope(lines.__getitem__, number, len(lines)) for number in (2, 4, 5)] == [("one",), (), ()]
    assert symbol(lines.__getitem__, 6, 6) == ""


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("def prepare(", "prepare"),
        ("static int count(struct shop *shop,", "count"),
        ("void Shop::count(int most)", "Shop::count"),
        ("const load: Loader = async (url) => {", "load"),
        ("if (ready)", None),
        ("return compute(x)", None),
        ("import os", None),
        ("", None),
    ],
)
def test_a_continued_header_has_its_name_before_the_bracket(line: str, name: str | None) -> None:
    assert header_name(line) == name


def test_a_header_that_is_nowhere_in_the_file_is_not_forgiven() -> None:
    file = "first_thing = 1\nsecond_thing = 2\nthird_thing = 3\n"
    old = "first_thing = 1\nsecond_thing = 2\nthird_thing = 3\n\ndef gone():\n"
    answer = locate(Index(file.encode(), "a.py"), old, old.replace("= 2", "= 4"))
    assert isinstance(answer, Refused)
    assert (answer.why, answer.detail) == ("missing", "unproved_place")


def test_a_first_line_that_lacks_its_indentation_can_be_deleted() -> None:
    body = b"def f():\n    alpha_thing = 1\n    beta_thing = 2\n"
    answer = locate(Index(body, "a.py"), "alpha_thing = 1\n    beta_thing = 2\n", "    beta_thing = 2\n")
    assert isinstance(answer, Found)
    assert apply(body, answer.edits) == b"def f():\n    beta_thing = 2\n"


def test_escapes_without_a_line_break_are_reported_as_escapes() -> None:
    body = b'func main() {\n\tfmt.Printf("\\tx=%d\\n", 1)\n}\n'
    old = '\\tfmt.Printf("\\\\tx=%d\\\\n", 1)'
    (place, *_) = diagnose(Index(body, "a.go"), old, old.replace("1", "2")).places
    assert {difference.what for difference in place.differences}.isdisjoint({"spelled", "line_break"})


def test_lines_of_which_the_first_lacks_its_indentation_can_all_be_deleted() -> None:
    body = b"def f():\n    alpha_thing = 1\n    beta_thing = 2\n    return 3\n"
    answer = locate(Index(body, "a.py"), "alpha_thing = 1\n    beta_thing = 2\n", "")
    assert isinstance(answer, Found)
    assert apply(body, answer.edits) == b"def f():\n    return 3\n"


def test_a_new_line_near_the_place_shows_that_the_change_is_partly_applied() -> None:
    body = (
        b"# counts every start\nown_thing()\ndef start(self):\n    if self.started:\n        return None\n"
        b"    line_of_its_own()\n    self.started = True\n    return self.port\n"
    )
    old = "def start(self):\n    if self.started:\n        return None\n    self.started = True\n    return self.port\n"
    answer = locate(Index(body, "a.py"), old, f"# counts every start\n{old}")
    assert isinstance(answer, Refused)
    assert answer.why == "partly_applied"


def test_lines_below_a_missing_header_are_not_inserted() -> None:
    body = b"first_thing = 1\nsecond_thing = 2\nthird_thing = 3\nfourth_thing = 4\n"
    old = "first_thing = 1\nsecond_thing = 2\nthird_thing = 3\ndef gone():\n"
    answer = locate(Index(body, "a.py"), old, f"{old}    return 5\n")
    assert isinstance(answer, Refused)


def test_a_text_of_very_many_lines_is_found_only_as_it_was_sent() -> None:
    lines = [f"    entry_{number} = make({number})\n" for number in range(6_000)]
    index = Index("".join(lines).encode(), "a.py")
    assert isinstance(locate(index, "".join(lines), "x\n"), Found)
    answer = locate(index, "".join(line[2:] for line in lines), "x\n")
    assert isinstance(answer, Refused)
    assert answer.why == "missing"
