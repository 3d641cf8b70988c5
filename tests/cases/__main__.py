"""Run case files and write into them what the library answers: `python -m tests.cases --write FILE...`.

What a request must answer stays as detailed as it was: the fields that are given, the texts that are there. A request
without any answer gets the least: that it succeeds, or the code of its error, and the files that it changes. Read the
difference before you commit it.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from tests.cases.case_file import ABSENT, ANYTHING, Call, Section, Tree, json_text, parse, section_text, split
from tests.cases.ways import CallResult, hash_of, run

_OF_A_REQUEST = {"argument", "answer", "error", "text", "hints", "after"}


def rewrite(text: str) -> str:
    """A case file's text with what the library answers."""
    header, sections = split(text)
    answers = iter(
        [answer for case in parse(text) for answer in _answers(case.before, case.steps, run(case, "library"))]
    )
    parts, at = list[str](), 0
    while at < len(sections):
        section, end = sections[at], at + 1
        if section.kind == "request":
            while end < len(sections) and sections[end].kind in _OF_A_REQUEST:
                end += 1
            parts += [part.source for part in sections[at:end] if part.kind in {"request", "argument"}]
            parts += next(answers)
        else:
            parts.append(("\n" if section.kind == "case" and parts else "") + section.source)
        at = end
    return header + "".join(parts)


def _answers(tree: Tree, steps: Any, call_results: list[CallResult]) -> list[list[str]]:
    answers, results = list[list[str]](), iter(call_results)
    for step in steps:
        if isinstance(step, Call):
            result = next(results)
            answers.append(_answer(step, result, tree))
            tree = result.tree
        else:
            tree = {path: entry for path, entry in {**tree, step.path: step.entry}.items() if entry is not None}
    return answers


def _answer(call: Call, result: CallResult, before: Tree) -> list[str]:
    """The sections with what a call answered, in as much detail as the present ones."""
    outcome, sections = result.outcome, call.sections
    data = json.loads(outcome.text) if isinstance(call.expected.fields, list) else outcome.data
    data = _with_hashes(data, result.tree)
    texts = []
    if outcome.is_error:
        code = outcome.data["error"]["code"]
        fields = update(call.expected.error or {}, data["error"])
        texts.append(f"=== error: {code}\n" + (f"{json_text(fields)}\n" if fields else ""))
    elif not any(section.kind == "answer" and not section.name for section in sections):
        texts.append("=== answer\n")
    for section in sections:
        if section.kind == "answer" and not section.name:
            fields = data if "whole" in section.options else update(section.value or {}, data)
            texts.append(f"{section.heading}\n" + (f"{json_text(fields)}\n" if fields else ""))
        elif section.kind == "answer":
            texts.append(section_text("answer", section.name, _bytes(_at(data, section))))
        elif section.kind == "text" and not section.options & {"contains", "lacks"}:
            texts.append(section_text("text", "", _bytes(f"{outcome.text}\n")))
        elif section.kind == "text":
            texts.append(section.source)
        elif section.kind == "hints":
            texts.append(section_text("hints", "", _bytes(f"{outcome.hints}\n")))
    return texts + _changes(before, result.tree)


def _changes(before: Tree, after: Tree) -> list[str]:
    texts = []
    for path in sorted({*before, *after}):
        entry = after.get(path)
        if entry is None:
            texts.append(f"=== after: {path} | gone\n")
        elif entry != before.get(path):
            kinds = [] if entry.kind in {"file", "folder"} else [entry.kind]
            texts.append(section_text("after", path, entry.content, *kinds))
    return texts


def update(expected: Any, actual: Any) -> Any:
    """The actual value, with only the fields that are expected."""
    if expected in (ANYTHING, ABSENT):
        return expected
    if isinstance(expected, dict) and isinstance(actual, dict):
        return {
            name: update(value, actual.get(name))
            for name, value in expected.items()
            if name in actual or value == ABSENT
        }
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        return [update(*pair) for pair in zip(expected, actual, strict=True)]
    return actual


def _with_hashes(value: Any, tree: Tree) -> Any:
    text = json.dumps(value)
    for path, entry in tree.items():
        text = text.replace(f'"{hash_of(entry)}"', json.dumps(f"<hash of {path}>"))
    return json.loads(text)


def _at(data: Any, section: Section) -> str:
    for step in section.name.split("."):
        data = data[int(step) if isinstance(data, list) else step]
    return str(data)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def main() -> int:
    parser = ArgumentParser(prog="python -m tests.cases", description="Run case files by the library.")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--write", action="store_true", help="put in what is answered; else only say what would change")
    options = parser.parse_args()
    differing = 0
    for path in options.files:
        before = path.read_bytes().decode()
        after = rewrite(before)
        differing += after != before
        if options.write:
            path.write_bytes(after.encode())
        state = "as it was" if after == before else "written" if options.write else "differs"
        sys.stdout.write(f"{path}: {state}\n")
    return 1 if differing and not options.write else 0


if __name__ == "__main__":
    sys.exit(main())
