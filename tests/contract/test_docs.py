"""The examples of the documentation work, its links lead somewhere, and its lists are complete."""

import re
from collections.abc import Collection
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from textwrap import dedent

import pytest

from suture.apis import FORMATS
from suture.check import registry
from suture.check.programs import ON_REQUEST
from suture.check.syntax import LANGUAGES
from suture.cli.init import CLIENTS
from suture.formats import NOTATIONS
from suture.match.ladder import RUNGS
from suture.settings import Settings
from suture.tools import PROFILES
from tests.contract.pages import DOCS, GENERATED, ROOT, blocks, match_lines, mistakes, pages, rewrite, run_page

PAGES = {str(path.relative_to(ROOT)): path for path in pages()}
DOCUMENTS = {
    str(path.relative_to(ROOT)): path
    for path in (*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md")), ROOT / "examples" / "README.md")
    if path.relative_to(ROOT).parts[:2] not in {("docs", "_build"), ("docs", "spec")}
}
LINK = re.compile(r"\[[^\]]*\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)|^\[[^\]]+\]: <?(\S+?)>?$", re.MULTILINE)
FENCED = re.compile(r"^( *)(`{3,})[^`\n]*\n.*?^ *\2`*$", re.DOTALL | re.MULTILINE)
TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("name", PAGES)
def test_every_example_of_a_page_prints_what_is_shown(name: str, tmp_path: Path) -> None:
    run_page(PAGES[name], tmp_path)


def test_blocks_that_are_not_run_are_the_exception() -> None:
    comments = [block.comment for path in pages() for block in blocks(path.read_text("utf-8"))]
    print(f"{comments.count('not run')} of {len(comments)} blocks are not run")  # noqa: T201  shown by pytest -rP
    assert comments.count("not run") * 3 <= len(comments)


PAGE = """\
A page.

```console
$ cat greeting.txt; false
hello world
$ echo $?; echo to stderr >&2; printf 'no line end'
1
to stderr
no line end
$ cat << END
> a
>
> b
> END
a

b
$ seq 9
1
...
9
```

<!-- file: sub/own.py -->
```python
NAME = "537kv5vq5dnk6gp"
```

1. In a list:

   ```python
   import os
   from sub.own import NAME

   print(NAME, os.environ["HOME"], "2026-01-01 10:11", "1.5 ms")
   ```

   ```text
   537jfty8wddg3by ~ 1999-12-31 23:59 20 ms
   ```

<!-- not run: it is only shown -->

```toml
a = 1
```
"""


def test_a_page_that_shows_what_is_printed_has_no_mistakes(tmp_path: Path) -> None:
    assert mistakes(PAGE, tmp_path) == []


def test_a_page_with_a_wrong_output_fails_and_says_where(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A page\n\n```console\n$ echo a\na\n$ echo b; echo c\nb\nd\n```\n")
    (tmp_path / "folder").mkdir()
    with pytest.raises(AssertionError) as failed:
        run_page(page, tmp_path / "folder")
    assert str(failed.value).split("\nassert not")[0] == dedent(
        f"""\
        {page}:6: $ echo b; echo c
        --- shown
        +++ printed
        @@ -1,2 +1,2 @@
         b
        -d
        +c"""
    )


@pytest.mark.parametrize(
    ("page", "line", "words"),
    [
        ("```json\n{}\n```\n", 2, "a block of json that is neither run nor an output"),
        ("```\n{}\n```\n", 2, "a block of no language"),
        ("```console\n$ true\n```\n```text\n```\n", 5, "a block of text that is neither run"),
        ("```console\nmake test\n```\n", 2, "begins with `$ `"),
        ("```console\n$ true\n$ exit 3\n$ true\n```\n", 3, "$ exit 3\nended the shell"),
        ("```python\nraise SystemExit('no')\n```\n", 2, "the script failed:\nno"),
        ("```python\nprint(1)\n```\n", 2, "the script prints something"),
        ("```python\nprint(1)\n```\n<!-- not run: other -->\n```text\n1\n```\n", 2, "the script prints something"),
        ("<!-- not run: -->\n```console\n$ false\n```\n", 3, "say why"),
        ("<!-- file: x -->\ntext\n", 1, "is above no block"),
        ("```console\n$ true\n", 1, "does not end"),
    ],
)
def test_a_block_that_does_not_say_what_it_is_fails(page: str, line: int, words: str, tmp_path: Path) -> None:
    (mistake,) = mistakes(page, tmp_path)
    assert mistake.line == line
    assert words in mistake.what


@pytest.mark.parametrize(
    ("shown", "printed", "expected"),
    [
        ("a b", "a b", True),
        ("a", "a b", False),
        ("a ...", "a b c", True),
        ("... c", "c", True),
        ("a ... c", "a b", False),
        ("...", "", True),
        ("", "a", False),
    ],
)
def test_three_dots_match_any_number_of_lines(shown: str, printed: str, *, expected: bool) -> None:
    assert (match_lines(shown.split(), printed.split()) is not None) is expected


PRINTS_IDS = """\
```console
$ echo 5aaaaaaaaaaaaaa
{}
$ echo; echo 5aaaaaaaaaaaaaa; echo 5bbbbbbbbbbbbbb
...
{}
{}
```
"""


@pytest.mark.parametrize(
    ("shown", "inserted"),
    [
        (["5x000000000000x", "5x000000000000x", "5y000000000000y"], None),
        (["5x000000000000x", "5y000000000000y", "5z000000000000z"], ["...", "5x000000000000x", "5bbbbbbbbbbbbbb"]),
        (["5x000000000000x", "5x000000000000x", "5x000000000000x"], ["...", "5x000000000000x", "5bbbbbbbbbbbbbb"]),
    ],
    ids=["consistent", "two for one", "one for two"],
)
def test_a_page_has_one_id_for_each_that_is_printed(
    shown: list[str], inserted: list[str] | None, tmp_path: Path
) -> None:
    page = PRINTS_IDS.format(*shown)
    wrong = mistakes(page, tmp_path)
    assert [list(mistake.printed) for mistake in wrong] == ([] if inserted is None else [inserted])


def test_a_page_runs_this_checkout(tmp_path: Path) -> None:
    script = "import suture\nprint(suture.__file__)"
    page = f"```python\n{script}\n```\n```text\n{ROOT}/src/suture/__init__.py\n```\n"
    assert mistakes(page, tmp_path) == []


def test_the_actual_output_can_be_inserted(tmp_path: Path) -> None:
    script = "\n```python\nprint(1)\n```\n```text\n"
    page = f"- x\n\n  ```console\n  $ echo a\n  $ seq 2\n  1\n  3\n  ```\n{script}```\n"
    corrected = f"- x\n\n  ```console\n  $ echo a\n  a\n  $ seq 2\n  1\n  2\n  ```\n{script}1\n```\n"
    assert rewrite(page, mistakes(page, tmp_path)) == corrected


@cache
def anchors(path: Path) -> set[str]:
    """The anchors of a document's headings, as GitHub and MyST make them."""
    result: set[str] = set()
    for heading in re.findall(r"^#{1,6} (.+?) *$", FENCED.sub("", path.read_text("utf-8")), re.MULTILINE):
        slug = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()).replace(" ", "-")
        number = 0
        while (anchor := f"{slug}-{number}" if number else slug) in result:
            number += 1
        result.add(anchor)
    return result


def leads_nowhere(path: Path, target: str) -> bool:
    name, _, anchor = target.partition("#")
    goal = path.parent / name if name else path
    return not goal.exists() or (anchor != "" and (goal.suffix != ".md" or anchor not in anchors(goal)))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_link_leads_somewhere(name: str) -> None:
    prose = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "", FENCED.sub("", DOCUMENTS[name].read_text("utf-8")))
    targets = [first or second for first, second in LINK.findall(prose)]
    relative = [target for target in targets if not re.match(r"[a-z]+:", target)]
    assert [target for target in relative if leads_nowhere(DOCUMENTS[name], target)] == []


def test_a_link_to_a_heading_that_is_not_there_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A `b_c`: d?\n\n```text\n# no\n```\n\n## Twice\n\n## Twice\n")
    targets = ["page.md", "#a-b_c-d", "page.md#twice", "#twice-1", "#no", "other.md", "page.md#twice-2"]
    assert [target for target in targets if leads_nowhere(page, target)] == ["#no", "other.md", "page.md#twice-2"]


def toctree_entries(index: Path) -> list[str]:
    """The entries of all toctrees of a page, as paths below docs/ without their suffix."""
    lines = [line for tree in TOCTREE.findall(index.read_text("utf-8")) for line in tree.splitlines()]
    entries = [re.sub(r".*<(.*)>$", r"\1", line) for line in lines if line and not line.startswith(":")]
    return [str((index.parent / entry.removesuffix(".md")).relative_to(DOCS)) for entry in entries]


def test_every_page_is_in_a_table_of_contents() -> None:
    sources = {
        str(path.relative_to(DOCS).with_suffix("")): path for path in {*pages(), *GENERATED, *DOCS.glob("adr/*.md")}
    }
    reached, new = set[str](), ["index"]
    while new:
        page = new.pop()
        reached.add(page)
        entries = toctree_entries(sources[page])
        new += [name for name in sources if name not in reached and any(fnmatch(name, entry) for entry in entries)]
        assert [entry for entry in entries if not any(fnmatch(name, entry) for name in sources)] == []
    assert sorted(sources.keys() - reached) == []


FAST = (
    "a killed process leaves all or nothing; after a power cut each file changed in the last seconds may be old, new "
    "or incomplete"
)
ABOUT_FAST = [
    "docs/adr/0023-which-intents-are-believed.md",
    "docs/how-to/recover.md",
    "docs/limits.md",
    "docs/promises/all-or-nothing.md",
    "docs/reference/commands.md",
    "docs/reference/mcp.md",
    "docs/reference/settings.md",
    "docs/spec/TOOLS.md",
    "src/suture/settings.py",
]


@pytest.mark.promise("atomic.fast")
@pytest.mark.parametrize("name", ABOUT_FAST)
def test_every_page_describes_fast_in_the_same_words(name: str) -> None:
    assert FAST in " ".join((ROOT / name).read_text("utf-8").split())


AGENTS = [client.title for client in CLIENTS.values()]
CHECKS = ["ruff", "conflict-markers", *(parser.name for parser in registry._parsers()), *ON_REQUEST]
SEARCHED = [name for name in RUNGS if name not in {"elision", "rebased", "similar"}]  # these are found in other ways
LIMITS = [name for name in Settings.__annotations__ if type(getattr(Settings, name)) is int]
LISTS: dict[str, list[Collection[str]]] = {
    "README.md": [AGENTS],
    "docs/how-to/agents.md": [AGENTS, CLIENTS],
    "docs/limits.md": [LIMITS],
    "docs/promises/right-place.md": [SEARCHED],
    "docs/reference/mcp.md": [PROFILES],
    "docs/reference/model-apis.md": [FORMATS],
    "docs/reference/validators.md": [CHECKS, [language.name for language in LANGUAGES]],
    "docs/spec/TOOLS.md": [NOTATIONS, RUNGS],
}
"""Lists on hand-written pages that must be complete."""


def missing_names(text: str, names: Collection[str]) -> list[list[str]]:
    """Names missing from a page, and from each paragraph or row that has more than half of them."""
    missing = [
        [name for name in names if not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", part)]
        for part in (text, *re.split(r"\n\n|\n(?=\|)", text))
    ]
    return [missing[0], *(part for part in missing[1:] if 0 < len(part) < len(names) / 2)]


@pytest.mark.parametrize("name", LISTS)
def test_a_list_on_a_page_is_complete(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    for names in LISTS[name]:
        page, *parts = missing_names(text, names)
        assert page == [], f"{name} names {', '.join(list(names)[:2])}, …, but not these"
        assert parts == [], f"{name}: a paragraph or row that names {', '.join(list(names)[:2])}, …, leaves these out"


@pytest.mark.parametrize("name", ["README.md", *PAGES])
def test_a_page_counts_the_languages_that_there_are(name: str) -> None:
    counts = re.findall(r"\b(\d+)(?: other)?\s+languages\b", DOCUMENTS[name].read_text("utf-8"))
    assert {*counts} <= {str(len(LANGUAGES))}


def test_a_list_that_leaves_something_out_is_noticed() -> None:
    assert missing_names("a, b, c, d\n\na or b\n\na, b, d-e", "abcd") == [[]]
    assert missing_names("a, b, d\n| a, b, c, d-e |\n", "abcd") == [[], ["c"], ["d"]]


EXAMPLES = {"src/ap.py", "src/app.py", "src/greet.py", "tools/no_print.py"}
"""Files that pages use as examples."""


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_source_file_that_a_page_names_is_there(name: str) -> None:
    prose = FENCED.sub("", DOCUMENTS[name].read_text("utf-8"))
    sources = set(re.findall(r"`([\w/]+/\w+\.py)\b", prose)) - EXAMPLES
    folders = (ROOT, ROOT / "src" / "suture")
    assert [path for path in sorted(sources) if not any((folder / path).is_file() for folder in folders)] == []
