"""The places where models name the file of a block."""

import pytest

from suture.formats import Mention
from suture.formats.file_names import (
    LinesAbove,
    as_path,
    closes_fence,
    is_excerpt,
    mentions,
    parse_fence,
    path_after_label,
    path_in_info,
    path_on_line,
)

LABELLED = {
    "### File: src/app.ts": "src/app.ts",
    "#### 2. File: `src/app.ts`": "src/app.ts",
    "**File:** src/app.ts": "src/app.ts",
    "**File: src/app.ts**": "src/app.ts",
    "File: `my notes.md`": "my notes.md",
    "File: docs/My Notes.md": "docs/My Notes.md",
    "File: see below": None,
    "File:": None,
    "File: https://example.org/a.py": None,
    "File: a/*.py": None,
    "File: a/t.py:12": "a/t.py",
    "### `dir with space/x.txt`": "dir with space/x.txt",
    "# path: src/app.py": "src/app.py",
    "// path: src/app.js": "src/app.js",
    "/* File: a.css */": "a.css",
    "<!-- File: index.html -->": "index.html",
    "-- file: schema.sql": "schema.sql",
    "> Filename: a.py (new)": "a.py",
    "- New file: a.py": "a.py",
    "### src/app.ts": "src/app.ts",
    "### `Makefile`": "Makefile",
    "### Changes": None,
    "### Node": None,
    "src/app.ts": None,
    "Note: src/app.ts": None,
    "\u6587\u4ef6\uff1ab.py": "b.py",
    "**\u6587\u4ef6\uff1a** `b.py`": "b.py",
    "File\uff1ab.py": "b.py",
    "Datei: b.py": "b.py",
}


@pytest.mark.parametrize(("line", "path"), LABELLED.items(), ids=list(LABELLED))
def test_a_label_or_a_heading_names_a_file(line: str, path: str | None) -> None:
    assert path_after_label(line) == path


ALONE = {
    "src/app.py": "src/app.py",
    "`src/app.py`": "src/app.py",
    "`src/app.py`:": "src/app.py",
    "**src/app.py**": "src/app.py",
    "**`src/app.py`**": "src/app.py",
    '"src/app.py"': "src/app.py",
    "src/app.py:": "src/app.py",
    "1. src/app.py": "src/app.py",
    "2) `app.py`": "app.py",
    "- app.py": "app.py",
    "* app.py (modified)": "app.py",
    "`app.py` (new file)": "app.py",
    "`app.py` is changed": None,
    "# src/app.py": "src/app.py",
    "// src/app.js": "src/app.js",
    "{/* src/app.jsx */}": "src/app.jsx",
    "src\\app\\main.py": "src\\app\\main.py",
    "__init__.py": "__init__.py",
    ".gitignore": ".gitignore",
    "Dockerfile": "Dockerfile",
    "bin/run": "bin/run",
    "(a/b.py)": "a/b.py",
    "**a/s.py**: raise it": "a/s.py",
    "1. **a/s.py**: raise it": "a/s.py",
    "- `a/s.py` \u2014 raise it": "a/s.py",
    "### 1. a/s.py - change f": "a/s.py",
    "### a/s.py (new)": "a/s.py",
    "a/s.py - change f": None,
    "### Changes - a/s.py": None,
    "=== a/s.py ===": "a/s.py",
    "<path>a/s.py</path>": "a/s.py",
    '<file path="a/s.py">': "a/s.py",
    '<file id="3" path="a/s.py">': "a/s.py",
    "<file name='a/s.py' />": "a/s.py",
    "<div class='x'>": None,
    "<b>a/s.py</b>": None,
    "<!-- a/s.html -->": "a/s.html",
    "see a/b.py": None,
    "https://example.org/a.py": None,
    "e.g.": None,
    "and so on.": None,
    "1.5": None,
    "v1.2": None,
    "word": None,
    "README": "README",
    "Build:": None,
    "Notice": None,
    "src/app.py\uff1a": "src/app.py",
    "src/": None,
    "call(a.b)": None,
    "f(x).y": None,
    "a.b(": None,
    "x=a.py": None,
    "": None,
    "...": None,
    "x" * 400 + ".py": None,
}


@pytest.mark.parametrize(("line", "path"), ALONE.items(), ids=[line[:40] for line in ALONE])
def test_a_line_may_be_a_path(line: str, path: str | None) -> None:
    assert path_on_line(line) == path


MENTIONED: dict[str, list[str]] = {
    "Now update `src/app.py`:": ["src/app.py"],
    "In `app.py` we need this": ["app.py"],
    "`Makefile` needs it": ["Makefile"],
    "The Makefile needs it": ["Makefile"],
    "First `a.py`, and then `a.py` again": ["a.py"],
    "Copy it from `a.py` to `b.py`:": ["a.py", "b.py"],
    "**Update (src/app.py):**": ["src/app.py"],
    "Update src/app.py now, as lib/x.py's twin.": ["src/app.py", "lib/x.py"],
    "Update app.py now": ["app.py"],
    "### Changes to app.py": ["app.py"],
    "| app.py | changed |": ["app.py"],
    "[app.py](src/app.py)": ["app.py", "src/app.py"],
    "[[app.py]] (lib.py) {x.py} <y.py>": ["app.py", "lib.py", "x.py", "y.py"],
    '{"file": "src/app.py", "line": 3}': ["src/app.py"],
    "app.py:12, b.py#L3, c.py(4).": ["app.py", "b.py"],
    "\u2705app.py \u2192 b.py": ["app.py", "b.py"],
    "\u5728app.py\u4e2d\u4fee\u6539": ["app.py"],
    "gr\u00f6\u00dfe.py": ["gr\u00f6\u00dfe.py"],
    "index.html/about.html": ["index.html", "about.html"],
    "__init__.py and _a.py_": ["__init__.py", "a.py"],
    "app/[id]/(site)/+page.svelte": ["app/[id]/(site)/+page.svelte"],
    "file:///srv/a.py": ["/srv/a.py"],
    "@a.py ~b.py~ 'c.py' \u00abd.py\u00bb": ["a.py", "b.py", "c.py", "d.py"],
    "src\\app.py": ["src/app.py"],
    "We use `React.memo` here:": [],
    "We use `self.config` and `response.json`": [],
    "This is for Node.js:": [],
    "See https://example.org/a.py": [],
    "Call foo.py() now": [],
    "v1.2, 3.11/3.12, e.g. and i.e.": [],
    "Run `python build.py` first": [],
    "Nothing here:": [],
    "Run `npm run build` in a.py": ["a.py"],
    "the license of this build": [],
    "file=Makefile, [Dockerfile](docker/Dockerfile)": ["Makefile", "Dockerfile", "docker/Dockerfile"],
    "(in app/(site)/page.tsx)": ["app/(site)/page.tsx"],
    "Next comes foo.h, foo.m and a.c": ["foo.h", "foo.m", "a.c"],
    "It is in .gitignore and .env.local": [".gitignore", ".env.local"],
    "The Cargo.lock and Dockerfile.dev": ["Cargo.lock", "Dockerfile.dev"],
    "Now the same change in `foo.env`:": ["foo.env"],
    "Next, README:": ["README"],
    "Update `README` now": ["README"],
    "## Changes to bin/run": ["bin/run"],
    "- bin/run: faster": ["bin/run"],
    "| bin/run | faster |": ["bin/run"],
    "Now in `scripts/deploy` as well": ["scripts/deploy"],
    "**scripts/deploy**": ["scripts/deploy"],
    "In .env, set it": [".env"],
    "foo.properties:": ["foo.properties"],
    "In `src/a.d` and `src/b.X`:": ["src/a.d", "src/b.X"],
    "foo.env has it": [],
    "`items.map` returns it:": [],
    "Now for `process.env` and `self.config`:": [],
    "In `cache.lock` and `threading.Lock`:": [],
    "We ship to the U.S.": [],
    "At 5 p.m:": [],
    "As `text/html`, to `/api/users`:": [],
    "Then, and/or:": [],
    "For http/1.1:": [],
    "Now for `os.path` and `React.memo`:": [],
    "In `make all in bin/run`:": [],
    "Now in <b>a.py</b> and </think>:": ["a.py"],
    "&lt;/think&gt; and <|/think|> or </a:think>": [],
}


@pytest.mark.parametrize(("line", "paths"), MENTIONED.items(), ids=list(MENTIONED))
def test_a_line_may_mention_files(line: str, paths: list[str]) -> None:
    assert [mention.path for mention in mentions(line) if mention.sure] == paths


UNSURE = {
    "`React.memo`": ["React.memo"],
    "`my notes.md`": ["my notes.md", "notes.md"],
    "Run `python build.py` first": ["python build.py", "build.py"],
    "README and `build`": ["README", "build"],
    "and/or": ["and/or"],
    "a .env file": [".env"],
    "Node.js": ["Node.js"],
    "a...b": [],
}


@pytest.mark.parametrize(("line", "words"), UNSURE.items(), ids=list(UNSURE))
def test_other_words_are_files_only_if_such_files_exist(line: str, words: list[str]) -> None:
    assert [(mention.path, mention.sure) for mention in mentions(line)] == [(word, False) for word in words]


LITERAL = {
    "File: my notes (old).md": ["my notes (old).md"],
    "File: bin/run me (new)": ["bin/run me (new)", "bin/run me"],
    "## my notes (old).md": ["my notes (old).md"],
    "In `notes`:": ["notes"],
    "Update `notes` now": [],
    "As in `notes`:": [],
    "<path>my notes</path>": ["my notes"],
    "<file id='3' path=\"my notes\">": ["my notes"],
    '<img src="my notes">': [],
    '<file path="a.py">': [],
    "`a?b`:": [],
    "`https://example.org/x y`:": [],
    "my notes (old).md": ["my notes (old).md"],
    f"{'x ' * 150}end": [],
    f"{'x ' * 350}`notes`:": [],
    "...": [],
    "Then, and so on,": [],
}


@pytest.mark.parametrize(("line", "names"), LITERAL.items(), ids=[line[:40] for line in LITERAL])
def test_what_does_not_look_like_a_path_may_be_a_file_of_exactly_that_name(line: str, names: list[str]) -> None:
    above = LinesAbove()
    above.add(line)
    found = [mention.path for mention in above.candidates if mention.literal]
    whole = [name for name in found if name not in names]
    assert [name for name in found if name in names] == names
    assert all(name in line for name in whole)


def test_only_the_last_line_is_read_as_a_name() -> None:
    above = LinesAbove()
    for line in ("my notes", "other notes"):
        above.add(line)
    assert above.candidates == (Mention("other notes", sure=False, literal=True),)


ROLES = {
    "Now the same for a.py": "target",
    "I'd like to change a.py": "target",
    "As well in a.py": "target",
    "As in a.py": "aside",
    "The same as we did in a.py": "aside",
    "Just like the one in `a.py`": "aside",
    "There is no a.py": "aside",
    "Instead of `a.py`": "aside",
    "Import it from a.py": "source",
    "It uses a.py": "source",
    "Remove it from a.py": "target",
    "Like before, a.py": "target",
    "As in b.py, c.py and a.py": "aside",
    "(a.py already has this.)": "spared",
    "`a.py` already has this": "spared",
    "a.py already has the import, but not this:": "target",
    "a.py already has the import:": "target",
    "Do not touch a.py.": "spared",
    "Please don't edit `a.py`.": "spared",
    "Do not change the header in a.py": "aside",
    "Don't forget a.py:": "target",
    "Leave a.py as it is.": "spared",
    "We leave `a.py` alone": "spared",
    "Keep a.py consistent:": "target",
    "a.py needs no change": "spared",
    "**a.py** doesn't need changes.": "spared",
    "a.py is unchanged.": "spared",
    "a.py is unchanged so far, so here:": "target",
    "Run pytest tests/test_a.py afterwards.": "spared",
    "run `python b.py`": "spared",
    "Then run b.py": "aside",
    "$ python -m pytest b.py": "aside",
    "Running `python b.py` fails:": "aside",
    "I have not changed a.py yet.": "aside",
    "a.py already has a footer.": "target",
    "a.py doesn't need the import anymore.": "target",
    "Now run the same edit on b.py:": "target",
}


@pytest.mark.parametrize(("line", "role"), ROLES.items(), ids=list(ROLES))
def test_the_words_around_a_file_determine_its_role(line: str, role: str) -> None:
    assert mentions(line)[-1].role == role


EXCERPTS = {
    "Here is the relevant part of `app.py`:": True,
    "For example:": True,
    "app.py (excerpt)": True,
    "A snippet:": True,
    "Only the changed function:": True,
    "Just the updated method in app.py:": True,
    "### Usage": True,
    "# ... partial file": True,
    "Not the complete file, only the changed part:": True,
    "Here is the complete example:": False,
    "As part of this change, the whole file:": False,
    "examples/app.py": False,
    "**docs/snippets/part.md**": False,
    "Here is app.py:": False,
    "app.py now looks like this:": False,
    "I extract the helper into utils.py:": False,
    "An extract from app.py:": True,
    "Showing only `main`:": True,
    "The `_nav` partial:": False,
    "Usage:": True,
}


@pytest.mark.parametrize(("line", "expected"), EXCERPTS.items(), ids=list(EXCERPTS))
def test_a_line_may_announce_an_excerpt(line: str, expected: bool) -> None:  # noqa: FBT001  from a table
    assert is_excerpt(line) is expected


INFO = {
    "```python src/app.py": "src/app.py",
    "```src/app.py": "src/app.py",
    "```python:src/app.py": "src/app.py",
    '```python title="src/app.py"': "src/app.py",
    "~~~~ts filename='my app.ts' {1,2}": "my app.ts",
    "```{.python file=app.py}": "app.py",
    "```{.html file=app.html}": "app.html",
    "```js a.js": "a.js",
    "```python": None,
    "```makefile": None,
    "```dockerfile linenums": None,
    "```c++": None,
    "```python title=": None,
    "```diff, a/b.py": "a/b.py",
    "```text C:/x": "C:/x",
    "```C:\\x.py": "C:\\x.py",
    "```": None,
}


@pytest.mark.parametrize(("line", "path"), INFO.items(), ids=list(INFO))
def test_a_fence_may_name_a_file(line: str, path: str | None) -> None:
    assert path_in_info(line) == path


def test_a_fence_is_three_of_its_characters_or_more() -> None:
    assert parse_fence("````python x") == ("````", "python x")
    assert parse_fence("  ~~~") == ("~~~", "")
    assert parse_fence("``") is None
    assert parse_fence("```inline```") is None
    assert parse_fence("~~~a~") == ("~~~", "a~")


def test_a_fence_ends_with_as_many_characters_or_more() -> None:
    assert closes_fence("````", "```")
    assert closes_fence(" ``` ", "```")
    assert not closes_fence("``", "```")
    assert not closes_fence("```python", "```")
    assert not closes_fence("~~~", "```")


def test_separators_of_windows_become_those_of_workspaces() -> None:
    assert as_path("src\\app.py") == "src/app.py"
    assert as_path("./src/app.py") == "src/app.py"
    assert as_path("a/b\\c") == "a/b\\c"
