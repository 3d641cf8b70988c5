"""The built-in checks on files of 100 KB, valid ones and ones with an error near the end.

Each check is compared with its bare parser: the difference is the cost of places, messages and duplicate keys.
TOML is measured with both parsers, the compiled `tomli` and the standard library's.
"""

from __future__ import annotations

import json
import sys
import sysconfig
import tomllib
from functools import partial
from pathlib import Path
from pyexpat import ParserCreate
from typing import TYPE_CHECKING, cast

import yaml

from bench.table import Table, comparison, measure_rounds
from suture.check.data import Json, JsonWithComments, Toml, Xml, Yaml
from suture.check.issue import NotRunError
from suture.check.markers import ConflictMarkers
from suture.check.python import PythonSyntax

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from suture.check.issue import Staging, Validator

SIZE, ROUNDS = 100_000, 7
GOAL = "< 20 ms"
NOWHERE = cast("Staging", None)  # these checks need no file
STANDARD = "TOML, tomllib"


def tables(_: Path) -> Iterator[Table]:
    """Valid files, invalid files, and inputs designed to take long."""
    texts = {name: make() for name, (_, _, make) in FORMATS.items()}
    yield _measure_checks("Checks of valid files", texts, bare=True)
    wrong = {name: text[: -SIZE // 50] + WRONG.get(name, "\n<<<<<<< HEAD\n((") for name, text in texts.items()}
    yield _measure_checks("Checks of files with an error near the end", wrong, bare=False)
    yield _hostile()


def _measure_checks(title: str, texts: dict[str, str], *, bare: bool) -> Table:
    runs: dict[str, Callable[[], object]] = {}
    for name, text in texts.items():
        check, path, _ = FORMATS[name]
        runs[name] = partial(check.check, path, None, text, NOWHERE)
        if bool(runs[name]()) is bare:
            raise SystemExit(f"{name}: the check is wrong")
    runs[STANDARD] = partial(_without_tomli, texts["TOML"])
    if bare:
        runs |= {f"bare {name}": partial(parse, texts[name]) for name, parse in BARE.items()}
    goals = dict.fromkeys([*texts, STANDARD], GOAL)
    sizes = ", ".join(f"{name} {len(text) / 1000:.0f}" for name, text in texts.items())
    return comparison(
        f"{title} ({ROUNDS} rounds)", measure_rounds(runs, ROUNDS), against=[], goals=goals, notes=[f"KB: {sizes}"]
    )


def _without_tomli(text: str) -> None:
    original = sys.modules.get("tomli")
    sys.modules["tomli"] = cast("ModuleType", None)  # so that an import fails
    try:
        Toml().check("a.toml", None, text, NOWHERE)
    finally:
        del sys.modules["tomli"]
        if original is not None:
            sys.modules["tomli"] = original


def _hostile() -> Table:
    rows: list[list[str | float]] = []
    for name, (format_name, text) in HOSTILE.items():
        check, path, _ = FORMATS[format_name]
        seconds = min(measure_rounds({"": partial(_judge, check, path, text)}, 1)[""])
        rows.append([name, len(text) / 1000, seconds * 1000, _judge(check, path, text)])
    return Table("Inputs designed to take long", ["", "KB", "ms", "judgment"], rows)


def _judge(check: Validator, path: str, text: str) -> str:
    try:
        return f"{len(check.check(path, None, text, NOWHERE)):,} issues"
    except NotRunError:
        return "not run"


def _json() -> str:
    row = {"tags": ["a", "b", "c"], "nested": {"x": 1.5, "y": None, "z": True}}
    return json.dumps([{"id": n, "name": f"name {n}", **row} for n in range(570)], indent=2)


def _jsonc() -> str:
    return "// comments\n" + _json().replace('"tags"', '/* and more */ "tags"')[:-1].rstrip() + ",\n]\n"


def _toml() -> str:
    return "".join(
        f'[[package]]\nname = "package-{n}"\nversion = "1.{n}.0"\nsource = {{ registry = "https://example.org/" }}\n'
        f'dependencies = [\n    {{ name = "one-{n}", marker = "python_full_version < \'3.11\'" }},\n'
        f'    {{ name = "two-{n}" }},\n]\nsdist = {{ url = "https://example.org/packages/package-{n}.tar.gz", '
        f'hash = "sha256:{n:064d}", size = {n} }}\n\n'
        for n in range(255)
    )


def _yaml() -> str:
    return "services:\n" + "".join(
        f'  service{n}:\n    image: registry/app:{n}\n    ports:\n      - "80{n}:80"\n    environment:\n'
        f"      - KEY=value\n      - OTHER={n}\n    labels: {{a: 1, b: two}}\n"
        for n in range(660)
    )


def _xml() -> str:
    rows = (
        f'  <item id="{n}" name="name {n}"><title>Title {n}</title><body>Some text &amp; more</body></item>\n'
        for n in range(1_080)
    )
    return f"<?xml version='1.0'?>\n<root>\n{''.join(rows)}</root>\n"


def _python() -> str:
    return Path(sysconfig.get_path("stdlib"), "argparse.py").read_text()


def _parse_xml(text: str) -> None:
    ParserCreate().Parse(text.encode(), True)  # noqa: FBT003  no keywords there


def _parse_yaml(text: str) -> None:
    for _ in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        pass


FORMATS: dict[str, tuple[Validator, str, Callable[[], str]]] = {
    "JSON": (Json(), "a.json", _json),
    "JSON with comments": (JsonWithComments(), "a.jsonc", _jsonc),
    "TOML": (Toml(), "a.toml", _toml),
    "YAML": (Yaml(), "a.yaml", _yaml),
    "XML": (Xml(), "a.xml", _xml),
    "Python": (PythonSyntax(), "a.py", _python),
    "conflict markers": (ConflictMarkers(), "a.py", _python),
}
BARE: dict[str, Callable[[str], object]] = {
    "JSON": json.loads,
    "TOML": tomllib.loads,
    "YAML": _parse_yaml,
    "XML": _parse_xml,
    "Python": lambda text: compile(text, "a.py", "exec", dont_inherit=True),
}
WRONG = {"YAML": "\n\t: [", "XML": "</wrong>"}
"""How to make a truncated text invalid; by default with a marker and two brackets."""
HOSTILE = {
    "JSON, brackets never closed": ("JSON", "[" * 2_000_000),
    "JSON, a key again and again": ("JSON", "{" + '"a":1,' * 300_000 + '"a":1}'),
    "JSON with comments, all comments": ("JSON with comments", "[" + "/**/" * 500_000),
    "YAML, brackets never closed": ("YAML", "[" * 2_000_000),
    "YAML, 2 MB of keys": ("YAML", "".join(f"key{n}: value\n" for n in range(115_000))),
    "YAML, aliases of aliases": (
        "YAML",
        "a0: &a0 x\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 50)),
    ),
    "TOML, brackets never closed": ("TOML", "a = " + "[" * 2_000_000),
    "XML, elements never closed": ("XML", "<a>" * 600_000),
    "XML, entities that grow": (
        "XML",
        '<!DOCTYPE a [<!ENTITY e0 "x">'
        + "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 20))
        + ']><a b="&e19;"/>',
    ),
    "Python, brackets never closed": ("Python", "(" * 2_000_000),
    "Python, operators": ("Python", "-" * 2_000_000 + "x"),
    "Python, 2 MB of lines": ("Python", "x = 1\n" * 330_000),
    "Python, equal functions": ("Python", "def f(a, b=1):\n    return a + b\n" * 60_000),
    "conflict markers, nothing else": ("conflict markers", "<<<<<<< a\n" * 200_000),
}
