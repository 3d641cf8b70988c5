"""The fields of a class, from its source: their meanings and types."""

import ast
import inspect
from importlib import import_module
from itertools import pairwise
from pathlib import Path


def documented(kind: type) -> dict[str, str]:
    """The docstrings below the fields of a class."""
    source = ast.parse(Path(inspect.getfile(import_module(kind.__module__))).read_text("utf-8"))
    (body,) = [node.body for node in ast.walk(source) if isinstance(node, ast.ClassDef) and node.name == kind.__name__]
    found = {}
    for field, after in pairwise(body):
        match field, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(said))):
                found[name] = " ".join(said.split())
    return found


def typed(annotation: str) -> str:
    """A type in words."""
    words = {"str": "string", "int": "integer", "bool": "true or false", "None": "null"}
    known = {
        "list[str]": "list of strings",
        "list[int]": "list of integers",
        "list[dict[str, Any]]": "list of objects",
        "list[dict[str, str]]": "list of objects",
        "list[dict[str, int]]": "list of objects",
        "dict[str, Any]": "object",
        "tuple[int, int]": "two integers",
        "tuple[str, ...]": "strings",
        "tuple[tuple[str, str], ...]": "pairs of strings",
    }
    return " or ".join(known.get(part) or words.get(part) or _shape(part) for part in annotation.split(" | "))


def _shape(annotation: str) -> str:
    """What to call a class that describes an object, or a list of such objects."""
    listed = annotation.removeprefix("list[").removesuffix("]")
    if not listed.isidentifier() or not listed[0].isupper():
        raise ValueError(f"{annotation}: say in docs/making/fields.py what to call this type")
    return "object" if listed == annotation else "list of objects"
