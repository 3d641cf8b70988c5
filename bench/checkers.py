"""`python -m bench.checkers [SUBJECT …]`: how checks and bare parsers report faults.

Real files of this machine get one fault each, at a known place. A report is near if its line is at most one away from
the fault; a message names the fault if it says what is missing, or what is there instead. Code is checked as a new file
and as an edit that rewrote the 20 lines around the fault.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import statistics
import sys
import sysconfig
import tomllib
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from pyexpat import ExpatError, ParserCreate
from time import perf_counter
from typing import TYPE_CHECKING, cast

import orjson
import yaml

from bench.table import Table
from suture.check.issue import NotRunError
from suture.check.registry import built_in
from suture.check.syntax import LANGUAGES, Reader
from tests.unit.check.syntax_samples import GOOD, REPEATED, repeat_sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import tree_sitter

    from bench.table import Cell
    from suture.check.issue import Staging
    from suture.check.syntax import Grammar

FOLDERS = ["/usr/share", "/usr/lib", sys.prefix, sysconfig.get_path("stdlib"), "tests", "docs", "bench"]
SMALLEST, LARGEST = 300, 40_000
AROUND = 10
Report = tuple[int, str]


@dataclass(frozen=True)
class Fault:
    """A way to break a text: its group `at`, first group or whole match becomes `put`. `names`: what is missing."""

    name: str
    pattern: str
    put: str
    names: str

    def apply(self, text: str, rng: random.Random) -> tuple[str, int] | None:
        """The broken text, and the line of the fault."""
        places = list(re.finditer(self.pattern, text, re.MULTILINE))
        if not places:
            return None
        place = rng.choice(places)
        group = "at" if "at" in place.re.groupindex else min(1, place.re.groups)
        start, end = place.span(group)
        return text[:start] + place.expand(self.put) + text[end:], text.count("\n", 0, start) + 1


COMMA, COLON, QUOTE, BRACE, BRACKET = (
    "comma|','|`,`",
    "colon|':'|`:`",
    'quot|string|[\'"`]"',
    "[{}]",
    r"[\[\]]|list|array",
)
FAULTS: dict[str, tuple[Fault, ...]] = {
    "json": (
        Fault("no comma", r",(?=\s*\n)", "", COMMA),
        Fault("no colon", r'(?<="): ', " ", COLON),
        Fault("no closing brace", r"\}", "", BRACE),
        Fault("no closing bracket", r"\]", "", BRACKET),
        Fault("no opening brace", r"\{", "", BRACE),
        Fault("brace too many", r"\}", "}}", BRACE),
        Fault("no closing quote", r'"(?=,?\n)', "", QUOTE),
        Fault("no opening quote", r'(?<=: )"', "", QUOTE),
        Fault("trailing comma", r"[^\s,{\[](\n\s*[}\]])", r",\1", COMMA),
        Fault("single quotes", r'("(\w+)")(?=:)', r"'\2'", QUOTE),
        Fault("key without quotes", r'"(?:\w+)"(?=:)', "key", QUOTE),
        Fault("True", r'(?<=: )(?:"[^"\n]*"|\d+|true|false|null)(?=,?\n)', "True", "[Tt]rue"),
        Fault("quote inside a string", r'(?<=: "\w)(\w)', r'\1"', QUOTE),
        Fault("line break inside a string", r'(?<=: ")(\w) ', r"\1\n", "string|line|control"),
        Fault("comment", r"(,)(?=\n)", ", // why", "comment|//"),
        Fault("left out", r"^( *)\"[^\n]*,(?=\n)", r"\1...", r"\.\.\.|left out"),
        Fault("key twice", r'^(\s*("\w+": )[^{\[\n]*,\n)', r"\1\2 1,\n", "twice|duplicate"),
    ),
    "toml": (
        Fault("no equals sign", r" = ", " ", "="),
        Fault("no closing quote", r'"(?=\n)', "", QUOTE),
        Fault("no opening quote", r'(?<== )"', "", QUOTE),
        Fault("no closing bracket", r"\](?=\n)", "", BRACKET),
        Fault("no comma", r",(?=\n)", "", COMMA),
        Fault("text without quotes", r'(?<== )"[^"\n]*"(?=\n)', "text", QUOTE + "|value"),
        Fault("True", r"(?<== )(?:true|false|\"[^\"\n]*\")(?=\n)", "True", "[Tt]rue|value"),
        Fault("colon", r" = ", ": ", "="),
        Fault("backslash", r'(?<== ")(\w)', r"\1\\d", r"\\|escape"),
        Fault(
            "key twice", r"^(([\w-]+) = (?:\"[^\"\n]*\"|\d+|true|false)\n)", r"\1\2 = 1\n", "twice|overwrite|uplicate"
        ),
        Fault("array twice", r"^([\w-]+) = \[\n[^\[\]]*\n\]\n(?P<at>)", r"\1 = [\n1,\n2,\n3,\n]\n", "twice|overwrite"),
        Fault("table twice", r"^(\[[\w.-]+\]\n)", r"\1\1", "twice|already|declare"),
    ),
    "yaml": (
        Fault("no colon", r":(?=\n)", "", COLON),
        Fault("no space behind a colon", r"(?<=\w): (?=\w)", ":", COLON),
        Fault("no closing quote", r"['\"](?=\n)", "", QUOTE),
        Fault("no opening quote", r"(?<=: )['\"]", "", QUOTE),
        Fault("no closing bracket", r"\](?=\n)", "", BRACKET),
        Fault("indented more", r"^( +)(?=[\w-]+: )", r"\1 ", "indent"),
        Fault("indented less", r"^( +)(?=[\w-]+:)", " ", "indent"),
        Fault("tab", r"^( +)(?=[\w-]+:)", "\t", r"tab|\\t"),
        Fault("colon in a text", r"(?<=: )(\w+ )(?=\w+ \w+\n)", r"\1a: ", "colon|':'|values|quotes"),
        Fault("text begins with @", r"(?<=: )\w(?=\w+\n)", "@a", "@"),
        Fault("text begins with *", r"(?<=: )\w(?=\w+\n)", r"*a", r"\*|alias|anchor"),
        Fault("text begins with %", r"(?<=: )\w(?=\w+\n)", "%a", "%"),
        Fault("no dash", r"^ +(- )(?=\w)", "  ", "-|indent"),
        Fault("key twice", r"^(( *[\w-]+: )\w+\n)", r"\1\2other\n", "twice|duplicate"),
    ),
    "xml": (
        Fault("no closing tag", r"</[\w:-]+>", "", "</|close|tag|element"),
        Fault("another closing tag", r"</([\w:-]+)>", "other", "</|close|tag"),
        Fault("no opening tag", r"<[\w:-]+>", "", "</|close|tag|element"),
        Fault("no slash", r"/>", ">", "</|close|tag|element"),
        Fault("lone &", r"(?<=>\w)\w", "a & b", "&"),
        Fault("lone <", r"(?<=>\w)\w", "a < b", "<"),
        Fault("unknown entity", r"(?<=>\w)\w", "&nbsp;", "nbsp|entity"),
        Fault("no closing quote", r'"(?=[ />])', "", QUOTE),
        Fault("no opening quote", r'(?<==)"', "", QUOTE),
        Fault("no equals sign", r'(?<=\w)="', '"', "="),
        Fault("no >", r">(?=\n)", "", ">|tag"),
        Fault("attribute twice", r'( [\w:-]+="[^"]*")(?=[ />])', r"\1\1", "twice|duplicate"),
        Fault("-- in a comment", r"<!-- \w+( )", " -- ", "--"),
        Fault("two roots", r"\Z", "<a/>", "root|junk"),
    ),
}
CODE = (
    Fault("no )", r"\)", "", r"\)|\("),
    Fault("no (", r"\(", "", r"\(|\)"),
    Fault("no }", r"\}", "", "[{}]"),
    Fault("no {", r"\{", "", "[{}]"),
    Fault("no line }", r"^\s*\}\n", "", "[{}]"),
    Fault("no ]", r"\]", "", r"[\[\]]"),
    Fault("} too many", r"^(\s*\})\n", r"\1\n\1\n", "[{}]"),
    Fault(") too many", r"\)", "))", r"\)"),
    Fault("no quote", r"[\"'](?=[,;)])", "", "[\"']"),
    Fault("no comma", r",(?= )", "", ",|unexpected"),
    Fault("no semicolon", r";(?=\n)", "", ";|unexpected"),
    Fault("no operand", r"(?<= = )\w+(?=;)", "", "unexpected|missing"),
    Fault("left out", r"^( +)\w.*;$", r"\1...", r"\.\.\."),
)
REAL = {
    "javascript": (".js",),
    "typescript": (".ts",),
    "c": (".c",),
    "header": (".h",),
    "cpp": (".cpp", ".hpp"),
    "php": (".php",),
    "css": (".css",),
    "bash": (".sh",),
    "perl": (".pm",),
}
SAMPLED = (
    "go",
    "rust",
    "java",
    "csharp",
    "kotlin",
    "swift",
    "scala",
    "ruby",
    "lua",
    "dart",
    "zig",
    "elixir",
    "solidity",
)


class Staged:
    """Stand-in for a staged text; no folder exists."""

    root = name = "/"
    seconds = 10.0

    def folder(self) -> str:
        """Never called."""
        raise NotImplementedError

    file = folder


STAGED = cast("Staging", Staged())


@cache
def _files() -> dict[str, list[Path]]:
    paths = defaultdict(list)
    for root in FOLDERS:
        for folder, _, names in os.walk(root):
            for name in sorted(names):
                path = Path(folder, name)
                paths[path.suffix].append(path)
    return paths


def _texts(endings: Sequence[str], rng: random.Random) -> Iterator[str]:
    """Real texts in random order, without duplicates."""
    paths = sorted(path for ending in endings for path in _files()[ending])
    rng.shuffle(paths)
    seen = set()
    for path in paths:
        try:
            if not SMALLEST <= path.stat().st_size <= LARGEST:
                continue
            text = path.read_bytes().decode().removeprefix("\ufeff").replace("\r\n", "\n")
        except (OSError, UnicodeDecodeError):
            continue
        if text not in seen and text.count("\n") > AROUND:
            seen.add(text)
            yield text


def _by_json(text: str) -> Report | None:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.lineno, error.msg
    return None


def _by_orjson(text: str) -> Report | None:
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError as error:
        return error.lineno, error.msg
    return None


def _by_tomllib(text: str) -> Report | None:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"line (\d+)", str(error))
        return int(place[1]) if place else text.rstrip().count("\n") + 1, str(error)
    return None


def _by_yaml(loader: type) -> Callable[[str], Report | None]:
    def parse(text: str) -> Report | None:
        try:
            for _ in yaml.parse(text, Loader=loader):
                pass
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark
            return (mark.line if mark else 0) + 1, f"{error.context}, {error.problem}"
        except yaml.YAMLError as error:
            return 1, str(error)
        return None

    return parse


def _by_expat(text: str) -> Report | None:
    try:
        ParserCreate("utf-8").Parse(text.encode(), True)  # noqa: FBT003  no keywords there
    except ExpatError as error:
        return error.lineno, str(error)
    return None


def _by_check(name: str, path: str) -> Callable[[str], Report | None]:
    check = built_in(name)

    def report(text: str) -> Report | None:
        try:
            issues = check.check(path, None, text, STAGED)
        except NotRunError as error:
            return -9, str(error)
        return (issues[0].line, issues[0].message) if issues else None

    return report


FORMATS: dict[str, tuple[Sequence[str], dict[str, Callable[[str], Report | None]]]] = {
    "json": ((".json",), {"json": _by_json, "orjson": _by_orjson, "ours": _by_check("json", "a.json")}),
    "toml": ((".toml",), {"tomllib": _by_tomllib, "ours": _by_check("toml", "a.toml")}),
    "yaml": (
        (".yaml", ".yml"),
        {
            "libyaml": _by_yaml(yaml.CSafeLoader),
            "PyYAML": _by_yaml(yaml.SafeLoader),
            "ours": _by_check("yaml", "a.yaml"),
        },
    ),
    "xml": ((".xml", ".svg"), {"expat": _by_expat, "ours": _by_check("xml", "a.xml")}),
}


def _format(name: str, limit: int, seed: int, show: str) -> Table:
    """One format: how often each contestant reports each fault at all, near the fault, and by name."""
    endings, contestants = FORMATS[name]
    rng = random.Random(f"{seed} {name}")
    texts = [text for text in _texts(endings, rng) if not any(parse(text) for parse in contestants.values())]
    inputs = texts * (limit // max(1, len(texts)) + 1)
    totals: dict[str, Counter[str]] = {contestant: Counter() for contestant in contestants}
    rows: list[list[Cell]] = []
    for fault in FAULTS[name]:
        counts: dict[str, Counter[str]] = {contestant: Counter() for contestant in contestants}
        cases = 0
        for text in inputs:
            result = fault.apply(text, rng)
            if result is None:
                continue
            broken, line = result
            reports = {contestant: parse(broken) for contestant, parse in contestants.items()}
            if not any(reports.values()):
                continue
            cases += 1
            for contestant, report in reports.items():
                counts[contestant].update(_judge(report, line, fault.names))
            if show == fault.name:
                print(f"line {line}: {reports}")
            if cases == limit:
                break
        for contestant, count in counts.items():
            totals[contestant].update(count)
            totals[contestant]["cases"] += cases
        rows.append([fault.name, str(cases), *_shares(counts, cases)])
    rows.append(["all", str(totals["ours"]["cases"]), *_shares(totals, totals["ours"]["cases"])])
    head = ["fault", "cases", *(f"{contestant} {what}" for contestant in contestants for what in ("near %", "named %"))]
    return Table(f"{name}: {len(texts)} files", head, rows)


def _judge(report: Report | None, line: int, names: str) -> dict[str, int]:
    near = report is not None and abs(report[0] - line) <= 1
    return {"near": near, "named": report is not None and bool(re.search(names, report[1]))}


def _shares(counts: dict[str, Counter[str]], cases: int) -> Iterator[str]:
    for count in counts.values():
        for what in ("near", "named"):
            yield f"{100 * count[what] / cases:.0f}" if cases else "-"


def _first_error(node: tree_sitter.Node) -> tree_sitter.Node:
    """The first error or inserted token, in the order of the text."""
    while not node.is_error and (inner := next((child for child in node.children if child.has_error), None)):
        node = inner
    return node


def _inner_error(node: tree_sitter.Node) -> tree_sitter.Node:
    """The first error that contains no other."""
    while inner := next((child for child in node.children if child.has_error), None):
        node = inner
    return node


CONTESTANTS = ("first node", "inner node", "ours, new", "ours, edit", "node in edit")


def _code(names: Sequence[str], limit: int, seed: int, show: str) -> Iterator[Table]:
    by_language: list[list[Cell]] = []
    by_fault: dict[str, Counter[str]] = defaultdict(Counter)
    times: dict[str, list[float]] = defaultdict(list)
    for name in names:
        rng = random.Random(f"{seed} {name}")
        texts = list(_texts(REAL[name], rng)) if name in REAL else _samples(name)
        count: Counter[str] = Counter()
        for fault in CODE:
            count.update(fault_count := _count_reports(name, fault, texts, limit, rng, times, show))
            by_fault[fault.name].update(fault_count)
        by_language.append([name, str(len(texts)), *_cells(count)])
    head = ["cases", *(f"{contestant} %" for contestant in CONTESTANTS), "not told", "named %", "named, edit %"]
    yield Table("Code, by language", ["language", "files", *head], by_language)
    rows: list[list[Cell]] = [[fault, *_cells(count)] for fault, count in by_fault.items()]
    total: Counter[str] = Counter()
    for count in by_fault.values():
        total.update(count)
    yield Table("Code, by fault", ["fault", *head], [*rows, ["all", *_cells(total)]])
    timed: list[list[Cell]] = [
        [name, statistics.median(seconds) * 1000, statistics.quantiles(seconds, n=20)[-1] * 1000, max(seconds) * 1000]
        for name, seconds in times.items()
    ]
    yield Table("ms for a broken text", ["", "median", "95 %", "most"], timed)


def _cells(count: Counter[str]) -> list[Cell]:
    cases = count["cases"]
    shares = [f"{100 * count[what] / cases:.0f}" if cases else "-" for what in CONTESTANTS]
    words = [f"{100 * count[what] / cases:.0f}" if cases else "-" for what in ("named, new", "named, edit")]
    return [str(cases), *shares, str(count["not told"]), *words]


def _samples(name: str) -> list[str]:
    texts = list(GOOD[name])
    if name in REPEATED:
        texts.append(repeat_sample(name, 20))
    return texts * 12


def _count_reports(
    name: str,
    fault: Fault,
    texts: Sequence[str],
    limit: int,
    rng: random.Random,
    times: dict[str, list[float]],
    show: str,
) -> Counter[str]:
    """What the contestants report for one fault in texts of one language."""
    check = built_in(name)
    language = next(language for language in LANGUAGES if language.name == name)
    reader = Reader(language.grammars[0], perf_counter() + 1e6)
    count: Counter[str] = Counter()
    for text in texts:
        result = fault.apply(text, rng)
        if result is None or not reader.reads(text.encode()):
            continue
        broken, line = result
        began = perf_counter()
        tree = reader.parse(broken.encode())
        once = perf_counter() - began
        if not tree.root_node.has_error:
            continue
        before = _earlier_text(text, line)
        edited = range(line - AROUND, line + AROUND + 1)
        if not reader.reads(before.encode()) or _other_reads(language.grammars[1:], broken):
            continue
        count["cases"] += 1
        reports: dict[str, int | None] = {}
        messages = []
        times["parse"].append(once)
        reports["first node"] = _first_error(tree.root_node).start_point[0] + 1
        inner = reports["inner node"] = _inner_error(tree.root_node).start_point[0] + 1
        reports["node in edit"] = inner if inner in edited else None
        for what, old in (("ours, new", None), ("ours, edit", before)):
            began = perf_counter()
            try:
                issue = check.check("file", old, broken, STAGED)[0]
            except NotRunError:
                count["not told"] += old is None
                continue
            times[what].append(perf_counter() - began)
            reports[what] = issue.line
            count[f"named{what[4:]}"] += bool(re.search(fault.names, issue.message))
            messages.append(issue.message)
        count.update(what for what, at in reports.items() if at is not None and abs(at - line) <= 1)
        if show == fault.name:
            print(f"{name}, line {line}: {reports} {messages}")
        if count["cases"] == limit:
            break
    return count


def _other_reads(grammars: Sequence[Grammar], text: str) -> bool:
    return any(Reader(grammar, perf_counter() + 1e6).reads(text.encode()) for grammar in grammars)


def _earlier_text(text: str, line: int) -> str:
    """The text before an edit that rewrote the lines around a place."""
    lines = text.split("\n")
    window = slice(max(0, line - 1 - AROUND), line + AROUND)
    lines[window] = [
        f"{old_line} " if old_line.strip() and not old_line.endswith("\\") else old_line for old_line in lines[window]
    ]
    return "\n".join(lines)


def main() -> None:
    """Print a table for each format, and three for code."""
    parser = argparse.ArgumentParser(prog="python -m bench.checkers", description="Are our messages better?")
    parser.add_argument("subjects", nargs="*", help=f"{', '.join(FORMATS)}, code or a language; else all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=40, help="cases of each fault")
    parser.add_argument("--show", default="", help="print the cases of this fault")
    parser.add_argument("--folder", action="append", default=[], help="look for files here, too")
    options = parser.parse_args()
    FOLDERS.extend(options.folder)
    subjects = options.subjects or [*FORMATS, "code"]
    for name in subjects:
        if name in FORMATS:
            print(f"\n{_format(name, options.each, options.seed, options.show).text()}", flush=True)
    languages = [*REAL, *SAMPLED] if "code" in subjects else [name for name in subjects if name not in FORMATS]
    if languages:
        for table in _code(languages, options.each // 2, options.seed, options.show):
            print(f"\n{table.text()}", flush=True)


if __name__ == "__main__":
    main()
