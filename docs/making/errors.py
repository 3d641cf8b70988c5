"""The page about the errors: their codes, fields and messages. `errors.toml` has what the code does not say."""

import inspect
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docs.making.fields import type_in_words
from docs.making.markdown import code_block, link, prose, table
from suture import errors, shapes, wording
from suture.cli.output import CODES
from suture.errors import SutureError
from suture.records import field_docstrings
from suture.shapes import Field

ABOUT = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
SAMPLES: dict[str, Any] = ABOUT["samples"]
MEANINGS: dict[str, str] = ABOUT["meanings"]
COMMAND_LINE = "About the command line"
COMMAND_LINE_NOTE = """\
These have no class and no fields: only the command line uses them.
"""
INTRODUCTION = """\
# Errors

Every error has a stable code and typed fields. In Python, an error is an exception of the class named here, in
`suture.errors`; in a result, it is `metadata.error`, with `code`, `message`, `hint`, `retryable` and the fields. For
`NO_MATCH` and `WRONG_COUNT`, `file_edit` puts places, preview and correction next to it, in `validation_error`,
`file_preview` and `suggested_fixes`. On the command line, the message begins with the code.

After an error nothing has changed, unless the message says what did, as for `BLOCKS_FAILED`. *May work later* means
that the same call can succeed if it is repeated; for all other errors, change the call or fix the cause first.

The examples show each error as a model reads it: what happened, and what to do.
"""


def page() -> Iterator[str]:
    """The page about the errors."""
    groups = error_groups()
    yield INTRODUCTION
    codes = {title: [kind.code for kind in kinds] for title, kinds in groups.items()} | {COMMAND_LINE: [*CODES]}
    for title, names in codes.items():
        yield from (f"**{title}:** " + ", ".join(map(link, names)), "")
    for title, kinds in groups.items():
        yield from (f"## {title}", "")
        for kind in kinds:
            yield from _error(kind)
    yield from (f"## {COMMAND_LINE}", "", COMMAND_LINE_NOTE)
    for code, meaning in CODES.items():
        yield from (f"### `{code}`", "", prose(meaning), "")


def classes() -> dict[str, type[SutureError]]:
    """The errors by class name; a class whose name begins with `_` only has fields that several share."""
    public = {name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and name[0] != "_"}
    return {name: kind for name, kind in public.items() if issubclass(kind, SutureError) and kind is not SutureError}


def fields_of(kind: type[SutureError]) -> dict[str, str]:
    """The fields of a class and their types, in the order of answers."""
    types: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        types |= vars(base).get("__annotations__", {})
    return {name: types[name] for name in kind._fields}


def error_groups() -> dict[str, list[type[SutureError]]]:
    """The classes, grouped as in the module's docstring."""
    groups: dict[str, list[type[SutureError]]] = {}
    title = ""
    for line in (errors.__doc__ or "").splitlines():
        if about := re.search(r"── about (.+?)  +", line):
            title = "About " + about[1]
        names = [
            word for word in line.split() if isinstance(getattr(errors, word, None), type) and word != "SutureError"
        ]
        if "└──" in line:
            title = "About suture itself"
        if names:
            groups.setdefault(title, []).extend(getattr(errors, name) for name in names)
    missing = classes().keys() - {kind.__name__ for kinds in groups.values() for kind in kinds}
    if missing:
        raise ValueError(
            f"src/suture/errors.py: add {', '.join(sorted(missing))} to the tree in the module's docstring"
        )
    return groups


def _error(kind: type[SutureError]) -> Iterator[str]:
    yield from (f"### `{kind.code}`", "", prose(inspect.cleandoc(kind.__doc__ or "")), "")
    later = "*May work later.* " if kind.retryable else ""
    yield from (
        f"{later}Class `{kind.__name__}`. Example:",
        "",
        *code_block("text", wording.error_text(sample(kind))),
        "",
    )
    meanings = field_docstrings(kind)
    fields = fields_of(kind)
    if fields:
        rows = []
        for name, annotation in fields.items():
            meaning = MEANINGS.get(f"{kind.code}.{name}") or meanings.get(name) or MEANINGS.get(name)
            if not meaning:
                raise ValueError(f"src/suture/errors.py: say in a docstring below {kind.__name__}.{name} what it is")
            rows.append([f"`{name}`", type_in_words(annotation), _link_classes(prose(meaning))])
        yield from (*table(("field", "type", "meaning"), rows), "")


def _link_classes(text: str) -> str:
    """The text, with each class name as a link to its code."""
    codes = {name: kind.code for name, kind in classes().items()}
    return re.sub(r"`(\w+)`", lambda match: link(codes[match[1]]) if match[1] in codes else match[0], text)


def sample(kind: type[SutureError]) -> SutureError:
    """An error of this class with the values of `errors.toml`; a field without its own keeps its default."""
    values = {}
    for name, annotation in fields_of(kind).items():
        key = f"{kind.code}.{name}"
        if key in SAMPLES:
            values[name] = _value(SAMPLES[key], annotation)
        elif not hasattr(kind, name):
            if name not in SAMPLES and not annotation.endswith("| None"):
                raise ValueError(f'docs/making/errors.toml: give "{key}" a value below [samples]')
            values[name] = SAMPLES.get(name)
    return kind(**values)


def _value(value: Any, annotation: str) -> Any:
    """A sample's value, with objects of the types that the annotation names."""
    model = next((vars(shapes)[name] for name in re.findall(r"\w+", annotation) if name in vars(shapes)), None)
    return value if model is None else Field({}, model).read(value)
