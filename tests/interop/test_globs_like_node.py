"""Our globs compared with those of `fast-glob`, the library that the specification names, in one long-running process.

Differences, on purpose:

- `!(a).js` and `!(a)/b` are read as in bash: any name but `a.js` or `a`. `fast-glob` also leaves out what begins
  with `a`, unless the group is at the end of the pattern, or contains a `*` and stands before an ending.
- A hidden name is found only where the pattern contains its dot; `!(a)` of `fast-glob` finds all of them.
- `(a|b)`, without a sign before it, is literal: folders have such names.
- What `fast-glob` reads half, such as `{1..a}` and `{aa..ab}`, or finds nothing for, such as `*(a/b)`, is refused.
- In `!({a,b})`, braces are expanded first, so that it leaves nothing out; it is refused.
"""

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from suture.errors import InvalidGlob
from suture.files.fs import Tree
from suture.files.glob import Selection
from suture.files.local_fs import LocalFS
from suture.files.protected import Guard
from suture.files.walk import walk
from tests.scale import scaled

MODULES = Path(sys.prefix, "node", "node_modules")

pytestmark = pytest.mark.skipif(
    shutil.which("node") is None or not Path(MODULES, "fast-glob").exists(),
    reason="fast-glob is not installed: `make test` tells why",
)

SCRIPT = r"""
const glob = require(process.argv[1]);
require('readline').createInterface({ input: process.stdin, terminal: false }).on('line', (line) => {
  const [pattern, ignore] = JSON.parse(line);
  const options = { cwd: process.argv[2], ignore, onlyFiles: true, followSymbolicLinks: false };
  process.stdout.write(JSON.stringify(glob.sync(pattern, options)) + '\n');
});
"""

LETTERS = ["".join(letters) for size in (1, 2, 3) for letters in product("ab1", repeat=size)]
NAMES = [
    *LETTERS,
    *(f"{name}{ending}" for name in LETTERS[:12] for ending in (".ts", ".js", ".d.ts", ".test.ts", "-1.js")),
    *"2 3 4 7 9 10 11 12 01 02 03 05 007 -1 -2 c d e z A B v1.js v2.js v10.js foo.js bar.js foobar.js".split(),
    *"a|b a(b) (a) @a +a !a {c} 1..3 a..c x,y".split(),
    *(f"{folder}{name}" for folder in ("x/", "y/", "x/y/", "zy/", "node_modules/m/") for name in ("a", "b", "ab.js")),
]

TABLE = [
    *"{1..3} {3..1} {01..03} {001..7} {1..03} {-2..2} {1..12..2} {1..12..4} {12..1..-5} {1..3..0} {2..2}".split(),
    *"{a..d} {d..a} {a..e..2} {A..B} v{1..10}.js {x,y}/{a..b} {{1..2},4} {1..2}{1..2} {1..3,a} {,1..2}".split(),
    *"@(a|b) @(a) @(a|b).ts @(a|b)@(1|b) @(x|y)/a **/@(a|ab.js) @(a*|*b).js @([ab]|1) @({a,b}|c) {@(a|b),c}".split(),
    *"@(a,b) @(a|{b,c}) @(|a) @(\\||a) @(a\\|b) @\\(a) \\(a\\) **/@(x|y)/** @(foo|bar)*.js".split(),
    *"\\{1..3} ?(a) ?(a)b ?(a|b)1 a?(.d).ts a?(.d|.test).ts [ab]?(.d).ts foo?(bar).js ?(b)?(1)a".split(),
    *"*(a) *(a|b) *(a|b)1 *(a|b).ts +(a) +(a|b) +(foo|bar).js *(foo|bar).js +([0-9]) +([[:digit:]])".split(),
    *"v+([0-9]).js **/+(a|b) *(x|y)/a *({a,b}) a*(b)1 a+(b)*.ts x/+(a|b)?(.js)".split(),
    *"!(a) !(a|b) a!(b) !(*.ts) !(*.ts|*.js) !(a*) !(a*|b*) !(*.d).ts !(*.test).ts !(*.d|*.test).ts".split(),
    *"!(*.@(d|test)).ts !(x)/a !(x|y)/a **/!(a|b|ab.js) **/!(*.ts|*.js) *.!(js) *.!(js|ts) x/!(a) !(x*)/a".split(),
    *"!(node_modules)/** !(node_modules)/**/*.js a!(.d|.test).ts".split(),
]
REFUSED = (
    "{1..a} {1.0..2} {aa..ab} {foo..bar} @(a *(a +(a !(a @() *(x/a) !(!(a)) !(a*b) !({a,b}) +(.a) {1..2000}".split()
)


class FastGlob:
    """A process that answers with the files that a pattern means."""

    def __init__(self, root: Path) -> None:
        command = ["node", "-e", SCRIPT, str(MODULES / "fast-glob"), str(root)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def files(self, pattern: str, *ignore: str) -> list[str]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([pattern, ignore]) + "\n")
        self._process.stdin.flush()
        return sorted(json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        self._process.communicate()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("globs")
    for name in NAMES:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    return root


@pytest.fixture(scope="module")
def fast_glob(root: Path) -> Iterator[FastGlob]:
    process = FastGlob(root)
    yield process
    process.close()


def files(root: Path, pattern: str, *exclude: str) -> list[str]:
    """The files that a pattern means to us."""
    with Tree(LocalFS(), str(root)) as tree:
        runs = walk(tree, Selection.parse(pattern, exclude), Guard(), include_ignored=True)
        return sorted(prefix + name for _, prefix, names in runs for name in names)


@pytest.mark.parametrize("pattern", TABLE)
def test_a_pattern_means_the_same_files(root: Path, fast_glob: FastGlob, pattern: str) -> None:
    expected = fast_glob.files(pattern)
    if pattern.endswith("/**") and pattern.startswith("!"):
        expected = [name for name in expected if "/" in name]  # to fast-glob, `!(x)/**` is also the file `y`
    assert files(root, pattern) == expected


@pytest.mark.parametrize("pattern", TABLE)
def test_an_exclude_takes_the_same_files_away(root: Path, fast_glob: FastGlob, pattern: str) -> None:
    if "/" not in pattern:
        pattern = f"x/{pattern}"  # otherwise it is a name at any depth to us
    if "!" not in pattern:  # to us, it also excludes the folders that it means
        assert files(root, "**/*", pattern) == fast_glob.files("**/*", pattern)


@pytest.mark.parametrize("pattern", REFUSED)
def test_what_is_read_otherwise_is_refused(root: Path, pattern: str) -> None:
    with pytest.raises(InvalidGlob):
        files(root, pattern)


def test_random_patterns_mean_the_same_files(root: Path, fast_glob: FastGlob) -> None:
    rng = random.Random(24)
    for _ in range(scaled(400)):
        pattern = random_pattern(rng)
        assert files(root, pattern) == fast_glob.files(pattern), pattern


def random_pattern(rng: random.Random) -> str:
    texts = ["a", "b", "1", "ab", "b1", ".js", ".ts", ".d", "-"]

    def group(signs: str) -> str:
        return f"{rng.choice(signs)}({'|'.join(rng.sample(texts[:5], rng.randint(1, 3)))})"

    def piece() -> str:
        kind = rng.randrange(8)
        if kind < 3:
            return rng.choice(texts)
        if kind == 3:
            return rng.choice(["*", "[ab]", "[!a]", "{a,b}", "{1..3}", "{a..c}", "{b1,.js,.ts}"])
        return group("@?*+")

    name = "".join(piece() for _ in range(rng.randint(1, 4))).lstrip(".") or "a"
    name += group("!") if rng.randrange(5) == 0 else ""
    return rng.choice(["", "", "", "x/", "**/", "@(x|y)/", "{x,y}/"]) + name
