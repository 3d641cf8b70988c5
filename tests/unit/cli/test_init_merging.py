"""Entries in settings: the result has one more entry, and every old character is kept."""

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suture.check.data import without_comments
from suture.cli.init import Addition, DifferentEntry, Merged, Unmergeable, merge, snippet

ENTRY = {"command": "/bin/suture", "args": ["mcp"]}
JSON = Addition("json", ("mcpServers",), "suture", ENTRY)
JSONC = JSON.evolve(format="jsonc")
TOML = Addition("toml", ("mcp_servers",), "suture", ENTRY)
INLINE = '"suture": {"command": "/bin/suture", "args": ["mcp"]}'


def lines(indent: str, unit: str = "  ", newline: str = "\n") -> str:
    """The entry as a member on several lines, without the indentation of the first line."""
    inner = newline + indent + unit
    return f'"suture": {{{inner}"command": "/bin/suture",{inner}"args": ["mcp"]{newline}{indent}}}'


FOUR = lines("    ")
TABS = lines("\t\t", "\t")
CRLF = lines("    ", newline="\r\n")
SERVERS = f'"mcpServers": {{\n    {FOUR}\n  }}'
WHOLE = f"{{\n  {SERVERS}\n}}"

LOOKS_LIKE = r'{"a": "\"mcpServers\": {", "b": {"mcpServers": {"suture": 1}}, "c": ["}", "{\\"]}'

CASES = {
    "an empty text": ("", WHOLE + "\n"),
    "blanks only": (" \n", f" \n{WHOLE}\n"),
    "an empty object": ("{}", WHOLE),
    "an empty object over lines": ("{\n}\n", WHOLE + "\n"),
    "other settings": ('{\n  "theme": "dark"\n}\n', f'{{\n  "theme": "dark",\n  {SERVERS}\n}}\n'),
    "no servers yet": ('{\n  "mcpServers": {}\n}\n', WHOLE + "\n"),
    "no servers yet, over lines": ('{\n  "mcpServers": {\n  }\n}\n', WHOLE + "\n"),
    "another server": (
        '{\n  "mcpServers": {\n    "git": {"command": "git"}\n  },\n  "x": 1\n}',
        f'{{\n  "mcpServers": {{\n    "git": {{"command": "git"}},\n    {FOUR}\n  }},\n  "x": 1\n}}',
    ),
    "four spaces": (
        '{\n    "mcpServers": {\n        "git": {}\n    }\n}',
        f'{{\n    "mcpServers": {{\n        "git": {{}},\n        {lines("        ", "    ")}\n    }}\n}}',
    ),
    "tabs": (
        '{\n\t"mcpServers": {\n\t\t"git": {}\n\t}\n}',
        f'{{\n\t"mcpServers": {{\n\t\t"git": {{}},\n\t\t{TABS}\n\t}}\n}}',
    ),
    "CRLF": (
        '{\r\n  "mcpServers": {\r\n    "git": {}\r\n  }\r\n}\r\n',
        f'{{\r\n  "mcpServers": {{\r\n    "git": {{}},\r\n    {CRLF}\r\n  }}\r\n}}\r\n',
    ),
    "one line": ('{"a": 1, "mcpServers": {"git": {}}}', f'{{"a": 1, "mcpServers": {{"git": {{}}, {INLINE}}}}}'),
    "one line, no servers yet": ('{"mcpServers": {}}', f'{{"mcpServers": {{{INLINE}}}}}'),
    "one line, other settings": ('{"a": 1}', f'{{"a": 1, "mcpServers": {{{INLINE}}}}}'),
    "servers in one line": (
        '{\n  "mcpServers": {"git": {}}\n}',
        f'{{\n  "mcpServers": {{"git": {{}}, {INLINE}}}\n}}',
    ),
    "a bracket behind the last one": (
        '{\n  "mcpServers": {\n    "git": {} }\n}',
        f'{{\n  "mcpServers": {{\n    "git": {{}},\n    {FOUR} }}\n}}',
    ),
    "no member that begins a line": (
        '{ "a": 1, "mcpServers": { "git": {},\n"x": {} } }',
        f'{{ "a": 1, "mcpServers": {{ "git": {{}},\n"x": {{}},\n{lines("")} }} }}',
    ),
    "members that are not indented": (
        '{\n"mcpServers": {\n"git": {}\n}\n}',
        f'{{\n"mcpServers": {{\n"git": {{}},\n{lines("")}\n}}\n}}',
    ),
    "look-alikes in strings and below": (
        LOOKS_LIKE,
        f'{LOOKS_LIKE[:-1]}, "mcpServers": {{{INLINE}}}}}',
    ),
    "an escaped key": (
        '{"mcp\\u0053ervers": {"x": {}}}',
        f'{{"mcp\\u0053ervers": {{"x": {{}}, {INLINE}}}}}',
    ),
    "numbers as nobody else writes them": (
        '{"a": 1.50e+00, "b": -0, "c": 123456789012345678901234567890}',
        f'{{"a": 1.50e+00, "b": -0, "c": 123456789012345678901234567890, "mcpServers": {{{INLINE}}}}}',
    ),
}
WITH_COMMENTS = {
    "comments only": ("// settings\n", f"// settings\n{WHOLE}\n"),
    "a comment without an end of line": ("// settings", f"// settings\n{WHOLE}\n"),
    "comments around": (
        '// { "mcpServers": {\n{ /* } */\n  "a": 1 // "b": 2 }\n  // the end\n}\n// }',
        f'// {{ "mcpServers": {{\n{{ /* }} */\n  "a": 1, // "b": 2 }}\n  {SERVERS}\n  // the end\n}}\n// }}',
    ),
    "a comment between key and value": (
        '{\n  "mcpServers" /* : */ : /* { */ {\n    "git" : /* , */ {} /* } */\n  }\n}',
        f'{{\n  "mcpServers" /* : */ : /* {{ */ {{\n    "git" : /* , */ {{}}, /* }} */\n    {FOUR}\n  }}\n}}',
    ),
    "a trailing comma": (
        '{\n  "mcpServers": {\n    "git": {},\n  },\n}',
        f'{{\n  "mcpServers": {{\n    "git": {{}},\n    {FOUR},\n  }},\n}}',
    ),
    "a trailing comma with a remark": (
        '{\n  "a": [1,],  // one\n}',
        f'{{\n  "a": [1,],  // one\n  {SERVERS},\n}}',
    ),
    "a trailing comma in one line": ('{"a": 1,}', f'{{"a": 1, "mcpServers": {{{INLINE}}},}}'),
    "only a comment among the servers": (
        '{\n  "mcpServers": {\n    // none yet\n  }\n}',
        f'{{\n  "mcpServers": {{\n    // none yet\n    {FOUR}\n  }}\n}}',
    ),
    "only a comment in one line": (
        '{"mcpServers": {/* none */}}',
        f'{{"mcpServers": {{/* none */{INLINE}}}}}',
    ),
    "a comment over lines": (
        '{\n  "a": 1 /* x\n  y */ // z\n}',
        f'{{\n  "a": 1, /* x\n  y */ // z\n  {SERVERS}\n}}',
    ),
    "no comment but a link": ('{"a": "http://x/*"}', f'{{"a": "http://x/*", "mcpServers": {{{INLINE}}}}}'),
}
TABLE = '[mcp_servers.suture]\ncommand = "/bin/suture"\nargs = ["mcp"]\n'
IN_TOML = {
    "an empty text": ("", TABLE),
    "blank lines only": ("\n", "\n" + TABLE),
    "settings": ('model = "o3"\n', f'model = "o3"\n\n{TABLE}'),
    "no end of line": ('model = "o3" # x', f'model = "o3" # x\n\n{TABLE}'),
    "a blank line at the end": ("a = 1\n\n", f"a = 1\n\n{TABLE}"),
    "CRLF": ("a = 1\r\n", "a = 1\r\n\r\n" + TABLE.replace("\n", "\r\n")),
    "another server": ('[mcp_servers.git]\ncommand = "git"\n', f'[mcp_servers.git]\ncommand = "git"\n\n{TABLE}'),
    "a table of servers": ("[mcp_servers]\n", f"[mcp_servers]\n\n{TABLE}"),
    "other tables": ("[a]\nb = 1\n[[c]]\n", f"[a]\nb = 1\n[[c]]\n\n{TABLE}"),
    "a look-alike": ('a = """\n[mcp_servers.suture]\n"""\n', f'a = """\n[mcp_servers.suture]\n"""\n\n{TABLE}'),
}


@pytest.mark.parametrize(("text", "result"), CASES.values(), ids=CASES)
@pytest.mark.parametrize("addition", [JSON, JSONC], ids=["json", "jsonc"])
def test_an_entry_is_added_to_json_as_the_file_is_written(addition: Addition, text: str, result: str) -> None:
    assert merge(text, addition).text == result


LOCAL = JSON.evolve(container=("projects", "/a", "mcpServers"))
EIGHT = lines("        ")
OF_PROJECT = f'"mcpServers": {{\n        {EIGHT}\n      }}'
OF_PROJECTS = {
    "an empty object": (
        "{}",
        f'{{\n  "projects": {{\n    "/a": {{\n      "mcpServers": {{\n        {EIGHT}\n      }}\n    }}\n  }}\n}}',
    ),
    "other projects": (
        '{\n  "mcpServers": {},\n  "projects": {\n    "/b": {}\n  }\n}',
        (
            '{\n  "mcpServers": {},\n  "projects": {\n    "/b": {},\n    '
            f'"/a": {{\n      {OF_PROJECT}\n    }}\n  }}\n}}'
        ),
    ),
    "no projects yet": (
        '{\n  "projects": {}\n}',
        f'{{\n  "projects": {{\n    "/a": {{\n      {OF_PROJECT}\n    }}\n  }}\n}}',
    ),
    "other settings of the project": (
        '{\n  "projects": {\n    "/a": {\n      "x": []\n    }\n  }\n}',
        f'{{\n  "projects": {{\n    "/a": {{\n      "x": [],\n      {OF_PROJECT}\n    }}\n  }}\n}}',
    ),
    "other servers of the project": (
        '{"projects": {"/a": {"mcpServers": {"git": {}}}}}',
        f'{{"projects": {{"/a": {{"mcpServers": {{"git": {{}}, {INLINE}}}}}}}}}',
    ),
    "another entry": (
        '{"projects": {"/a": {"mcpServers": {"suture": {"command": "x"}, "b": 1}}}}',
        f'{{"projects": {{"/a": {{"mcpServers": {{{INLINE}, "b": 1}}}}}}}}',
    ),
}


@pytest.mark.parametrize(("text", "result"), OF_PROJECTS.values(), ids=OF_PROJECTS)
def test_an_entry_is_added_for_one_project(text: str, result: str) -> None:
    assert merge(text, LOCAL, replace=True).text == result
    for wrong in ('{"projects": 1}', '{"projects": {"/a": []}}', '{"projects": {"/a": {"mcpServers": null}}}'):
        with pytest.raises(Unmergeable, match="in it is not an object"):
            merge(wrong, LOCAL)


@pytest.mark.parametrize(("text", "result"), WITH_COMMENTS.values(), ids=WITH_COMMENTS)
def test_comments_and_trailing_commas_stay_where_they_belong(text: str, result: str) -> None:
    assert merge(text, JSONC).text == result
    if "http" not in text:
        with pytest.raises(Unmergeable):
            merge(text, JSON)


@pytest.mark.parametrize(("text", "result"), IN_TOML.values(), ids=IN_TOML)
def test_an_entry_is_added_to_toml_as_a_table_at_the_end(text: str, result: str) -> None:
    assert merge(text, TOML).text == result


@pytest.mark.parametrize("addition", [JSON, JSONC, TOML], ids=["json", "jsonc", "toml"])
def test_what_is_there_already_is_left_alone(addition: Addition) -> None:
    text = snippet(addition)
    assert merge(text, addition) == Merged(text)
    assert merge(text, addition, replace=True) == Merged(text)


@pytest.mark.parametrize(
    ("text", "addition"),
    [
        ('{"mcpServers": {"suture": {"args": ["mcp"], "command": "/bin/s\\u0075ture"}}}', JSON),
        ("mcp_servers.suture = {args = [\"mcp\"], command = '/bin/suture'}", TOML),
    ],
)
def test_an_entry_that_is_written_otherwise_is_there_all_the_same(text: str, addition: Addition) -> None:
    assert merge(text, addition) == Merged(text)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"command": "old", "args": ["mcp"]}, "command is 'old'"),
        ({"command": "/bin/suture", "args": ["mcp", "-x"]}, "args is ['mcp', '-x']"),
        ({"args": ["mcp"]}, "command is missing"),
        ({**ENTRY, "env": {"KEY": "secret"}}, "env is set"),
        ({"url": "x"}, "command is missing; args is missing; url is set"),
        (1, "it is not an object"),
        (None, "it is not an object"),
    ],
)
def test_an_entry_that_differs_is_refused_with_what_differs(entry: object, message: str) -> None:
    text = json.dumps({"mcpServers": {"suture": entry}})
    with pytest.raises(DifferentEntry) as error:
        merge(text, JSON)
    assert str(error.value) == message
    assert merge(text, JSON, replace=True) == Merged(
        f'{{"mcpServers": {{{INLINE}}}}}',
        ((26, len(text) - 2, INLINE.removeprefix('"suture": ')),),
    )


@pytest.mark.parametrize(
    ("text", "result"),
    [
        (
            '{\n\t"mcpServers": {\n\t\t"suture": { // old\n\t\t}, // ours\n\t\t"git": {}\n\t}\n}',
            f'{{\n\t"mcpServers": {{\n\t\t{TABS}, // ours\n\t\t"git": {{}}\n\t}}\n}}',
        ),
    ],
)
def test_only_the_entry_itself_is_replaced(text: str, result: str) -> None:
    assert merge(text, JSONC, replace=True).text == result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        (
            '[mcp_servers.suture] # ours\ncommand = "old"\nargs = [\n  "x",\n]\n\n# others\n[b]\nc = 1\n',
            f"{TABLE.replace(']', '] # ours', 1)}\n# others\n[b]\nc = 1\n",
        ),
        ("a = 1\n\n [ \"mcp_servers\" . 'suture' ]\nx = 1", f"a = 1\n\n [ \"mcp_servers\" . 'suture' ]\n{TABLE[21:]}"),
        ("[mcp_servers.suture]\r\nx = 1\r\n\r\n[b]\r\n", TABLE.replace("\n", "\r\n") + "\r\n[b]\r\n"),
        ("[mcp_servers.suture]\n# nothing yet\n", f"{TABLE}# nothing yet\n"),
    ],
)
def test_the_lines_of_a_table_are_replaced(text: str, result: str) -> None:
    with pytest.raises(DifferentEntry):
        merge(text, TOML)
    assert merge(text, TOML, replace=True) == Merged(result, merge(text, TOML, replace=True).cuts)


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers.suture.command = "old"\n',
        'mcp_servers = {suture = {command = "old"}}\n',
        '[mcp_servers]\nsuture = {command = "old"}\n',
        '[mcp_servers.suture]\ncommand = "old"\n[mcp_servers.suture.env]\nA = "1"\n',
        '[mcp_servers.suture]\ncommand = """\n[x]\n"""\n',
        'a = """\n[mcp_servers.suture]\n"""\n[mcp_servers.suture]\ncommand = "old"\n',
        'a = """\n[mcp_servers.suture]\n"""\nmcp_servers.suture.command = "old"\n',
        "[mcp_servers.suture]",
    ],
)
def test_what_is_not_clearly_one_table_is_not_replaced(text: str) -> None:
    with pytest.raises(Unmergeable):
        merge(text, TOML, replace=True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]", "its content is not an object"),
        ('"x"', "its content is not an object"),
        ('{"mcpServers": []}', "mcpServers in it is not an object"),
        ('{"mcpServers": null}', "mcpServers in it is not an object"),
        ('{"a": 1', "it is not JSON with comments: line 1, column 8: "),
        ("{'a': 1}", "it is not JSON with comments: line 1, column 2: "),
        ('{"a": 1,,}', "it is not JSON with comments: line 1, column 9: "),
        ("{,}", "it is not JSON with comments: line 1, column 2: "),
        ('{"a": NaN}', "it is not JSON with comments: line 1, column 7: "),
        ('{"a": 1} x', "it is not JSON with comments: line 1, column 10: "),
        ("/* never closed", "it is not JSON with comments: line 1, "),
        ('{"a": 1,\n "a": 2}', "line 2, column 2: "),
        ('{"mcpServers": {}, "mcpServers": {}}', "line 1, column 20: "),
        ('{"mcpServers": {"x": {"y": 1, "\\u0079": 2}}}', "line 1, column 31: "),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "it is nested too deeply"),
        ('{"a": ' + "9" * 5_000 + "}", "it cannot be read: "),
    ],
)
def test_json_that_cannot_be_read_for_certain_is_refused(text: str, message: str) -> None:
    with pytest.raises(Unmergeable) as error:
        merge(text, JSONC)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = ", "it is not TOML: line 1, "),
        ("a = 1\na = 2", "it is not TOML: line 2, "),
        ("mcp_servers = 1", "mcp_servers in it is not a table"),
        ("[[mcp_servers]]", "mcp_servers in it is not a table"),
        ('mcp_servers = {git = {command = "git"}}', "mcp_servers has a form that cannot be edited safely"),
        ("a = " + "[" * 100_000, "it is nested too deeply"),
        (".".join("a" * 1_000) + " = 1", "it has a key of more than 500 parts"),
    ],
)
def test_toml_that_cannot_be_added_to_for_certain_is_refused(text: str, message: str) -> None:
    with pytest.raises(Unmergeable) as error:
        merge(text, TOML)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("name", ["two words", "a.b", ""])
def test_a_name_that_toml_takes_for_something_else_is_refused(name: str) -> None:
    with pytest.raises(Unmergeable):
        merge("", TOML.evolve(name=name))


def test_nesting_that_can_be_read_but_not_compared_is_refused() -> None:
    for depth in range(100, 1_200, 50):
        text = '{"a": ' + '{"a":' * depth + "1" + "}" * depth + "}"
        try:
            merged = merge(text, JSON).text
        except Unmergeable:
            continue
        assert merged.startswith(text[:-1])


@pytest.mark.parametrize("path", ['C:\\suture "x"', "/größe/\U0001f600", "/a\tb\nc\x7f\x1b", "/$HOME/#{x}"])
@pytest.mark.parametrize("addition", [JSON, JSONC, TOML], ids=["json", "jsonc", "toml"])
def test_any_path_comes_through(addition: Addition, path: str) -> None:
    entry = {"command": path, "args": ["--root", path]}
    text = merge("", addition.evolve(entry=entry)).text
    data = tomllib.loads(text) if addition is TOML else json.loads(text)
    assert data == {addition.container[0]: {"suture": entry}}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from(["a", "suture", "{", '"', "//", "mcp_servers"]) | st.text(max_size=4), VALUES)
SPACE = st.sampled_from(["", " ", "\n", "\t", "\r\n  ", "\n    "])
REMARK = SPACE | st.sampled_from(["// {\n", '/* " */', " // x, \n", "/**/", "\n  /* }\n */ ", "//\r\n"])


@st.composite
def documents(draw: st.DrawFn, blank: st.SearchStrategy[str], *, trailing: bool) -> tuple[str, dict[str, Any]]:
    """A text with blanks anywhere, and its data."""
    data = draw(OBJECTS)
    if draw(st.booleans()):
        servers = draw(st.dictionaries(st.text(max_size=4), VALUES, max_size=3))
        items = [*data.items(), ("mcpServers", servers)]
        data = dict(draw(st.permutations(items)))

    def write(value: object) -> str:
        if isinstance(value, dict):
            parts = [f"{gap()}{text(key)}{gap()}:{gap()}{write(item)}{gap()}" for key, item in value.items()]
        elif isinstance(value, list):
            parts = [f"{gap()}{write(item)}{gap()}" for item in value]
        else:
            return text(value)
        end = f",{gap()}" if trailing and parts and draw(st.booleans()) else gap()
        opened, closed = "{}" if isinstance(value, dict) else "[]"
        return opened + ",".join(parts) + end + closed

    def text(value: object) -> str:
        return json.dumps(value, ensure_ascii=draw(st.booleans()))

    def gap() -> str:
        return draw(blank)

    return gap() + write(data) + gap(), data


def without_new(result: Merged) -> str:
    """The new text without what was inserted, found by walking the cuts."""
    text, shift, parts = result.text, 0, []
    position = 0
    for start, end, new in result.cuts:
        assert start == end
        parts.append(text[position : start + shift])
        position = start + shift + len(new)
        assert text[start + shift : position] == new
        shift += len(new)
    return "".join([*parts, text[position:]])


@settings(max_examples=60)
@given(documents(SPACE, trailing=False))
def test_any_json_says_one_thing_more_and_keeps_every_character(document: tuple[str, dict[str, Any]]) -> None:
    text, data = document
    result = merge(text, JSON)
    assert json.loads(result.text) == {**data, "mcpServers": {**data.get("mcpServers", {}), "suture": ENTRY}}
    assert without_new(result) == text
    nested = merge(text, JSON.evolve(container=("projects", "c", "d")))
    assert json.loads(nested.text) == {**data, "projects": {"c": {"d": {"suture": ENTRY}}}}
    assert without_new(nested) == text


@pytest.mark.promise("api.init")
@settings(max_examples=60)
@given(documents(REMARK, trailing=True))
def test_any_json_with_comments_keeps_every_character(document: tuple[str, dict[str, Any]]) -> None:
    text, data = document
    result = merge(text, JSONC)
    assert without_new(result) == text
    assert merge(result.text, JSONC) == Merged(result.text)
    assert json.loads(without_comments(result.text)) == {
        **data,
        "mcpServers": {**data.get("mcpServers", {}), "suture": ENTRY},
    }


@pytest.mark.promise("api.init")
@settings(max_examples=60)
@given(
    st.dictionaries(st.text("ab-_1", min_size=1, max_size=3), st.integers() | st.booleans(), max_size=3),
    st.dictionaries(st.text("st", min_size=1, max_size=3), st.text("a[# ", max_size=4), max_size=3),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_any_toml_says_one_thing_more_and_keeps_every_character(
    options: dict[str, Any],
    servers: dict[str, str],
    newline: str,
    ended: bool,  # noqa: FBT001  a drawn value
) -> None:
    rows = [f"{key} = {str(value).lower()} # {key}" for key, value in options.items()]
    for name, command in servers.items():
        rows += ["", f"[mcp_servers.{name}x]", f'command = "{command}"']
    text = newline.join(rows) + newline * ended
    result = merge(text, TOML)
    old = tomllib.loads(text)
    assert tomllib.loads(result.text) == {**old, "mcp_servers": {**old.get("mcp_servers", {}), "suture": ENTRY}}
    assert without_new(result) == text
