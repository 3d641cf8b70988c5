"""Functions and methods of real files: where they begin and end, and which of them are similar."""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from importlib import import_module
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import tree_sitter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.editbench.corpus import Source

SIBLING = 0.6
"""The minimum share of its lines that a function has in common with its sibling."""
SIZES = range(5, 61)
GRAMMARS = {
    ".c": ("tree_sitter_c", "language"),
    ".cpp": ("tree_sitter_cpp", "language"),
    ".h": ("tree_sitter_cpp", "language"),
    ".java": ("tree_sitter_java", "language"),
    ".js": ("tree_sitter_javascript", "language"),
    ".ts": ("tree_sitter_typescript", "language_typescript"),
    ".tsx": ("tree_sitter_typescript", "language_tsx"),
}
FUNCTIONS = {
    *("arrow_function", "constructor_declaration", "function", "function_declaration", "function_definition"),
    *("function_expression", "generator_function", "generator_function_declaration", "method_declaration"),
    "method_definition",
}
BODIES = {"statement_block", "compound_statement", "block", "constructor_body"}
OWNERS = {"class_declaration", "class_specifier", "struct_specifier", "class", "interface_declaration"}
REMARKS = ("#", "//", "/*", "*", "@")
"""How lines begin that belong to the function below them."""


@dataclass(frozen=True)
class Function:
    """Lines of a file, counted from 0: `first` to `stop`, with comments and decorators above; the header is at `head`.

    `owner` is the class of a method, which begins at the line `owner_at`.
    """

    name: str
    owner: str
    owner_at: int
    first: int
    head: int
    body: int
    body_stop: int
    stop: int

    @property
    def is_long_headed(self) -> bool:
        """Whether its signature takes several lines."""
        return self.body - self.head > 1


@dataclass(frozen=True)
class Pair:
    """A function, and the most similar one in the same file."""

    function: Function
    sibling: Function


@cache
def pairs(source: Source) -> tuple[Pair, ...]:
    """The functions that have a sibling."""
    candidates = [function for function in functions(source) if function.stop - function.head in SIZES]
    lines = {
        function: [line.strip() for line in source.lines[function.head : function.stop] if line.strip()]
        for function in candidates
    }
    counts = {function: Counter(lines[function]) for function in candidates}
    result = []
    for function in candidates:
        needed = SIBLING * len(lines[function])
        others = [other for other in candidates if other.stop <= function.first or function.stop <= other.first]
        similar = [other for other in others if (counts[function] & counts[other]).total() >= needed]
        shares = [(_count_common_lines(lines[function], lines[other]), -at, other) for at, other in enumerate(similar)]
        share, _, sibling = max(shares, default=(0, 0, function), key=lambda item: item[:2])
        if share >= needed and sibling is not function:
            result.append(Pair(function, sibling))
    return tuple(result)


@cache
def functions(source: Source) -> tuple[Function, ...]:
    """All functions and methods whose bodies have their own lines, in order."""
    if source.language == "python":
        return tuple(_python_functions(source))
    return tuple(_tree_functions(source)) if PurePosixPath(source.name).suffix in GRAMMARS else ()


def _count_common_lines(one: list[str], other: list[str]) -> int:
    return sum(block.size for block in SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks())


def _python_functions(source: Source) -> Iterator[Function]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # odd escapes in strings
        try:
            tree = ast.parse(source.text)
        except SyntaxError:
            return
    waiting: list[tuple[ast.AST, tuple[str, int]]] = [(tree, ("", 0))]
    while waiting:
        node, owner = waiting.pop()
        for child in ast.iter_child_nodes(node):
            waiting.append((child, (child.name, child.lineno - 1) if isinstance(child, ast.ClassDef) else owner))
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                body = child.body[0].lineno - 1
                while source.lines[body - 1].strip()[:1] in {"", "#"}:
                    body -= 1
                stop = child.end_lineno or body
                if body > child.lineno - 1:
                    first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)]) - 1
                    yield Function(
                        child.name, *owner, _first_line_with_remarks(source, first), child.lineno - 1, body, stop, stop
                    )


def _tree_functions(source: Source) -> Iterator[Function]:
    text = source.text.encode()
    starts = [0, *(match.end() for match in re.finditer(rb"\n", text))]
    for nodes in _walk(_parser(*GRAMMARS[PurePosixPath(source.name).suffix]).parse(text), starts):
        node = nodes[-1]
        if node.opened is None or node.type not in FUNCTIONS:
            continue
        whole, name, head = node, "", node.row
        for outer in reversed(nodes):  # the outermost node on the same lines; what the function is called, and where
            if (outer.row, outer.last) != (node.row, node.last):
                break
            whole, name, head = outer, name or outer.name, head if name else outer.name_at
        bare = not text[starts[whole.row] : whole.start].strip()
        if name and bare and node.last > node.opened + 1:
            owner = next(
                ((ancestor.name, ancestor.row) for ancestor in reversed(nodes) if ancestor.type in OWNERS), ("", 0)
            )
            first = _first_line_with_remarks(source, whole.row)
            yield Function(name, *owner, first, head, node.opened + 1, node.last, node.last + 1)


@dataclass(frozen=True)
class _Node:
    """The relevant data of a node; `opened` is the line where its body begins, if the body ends with the node."""

    type: str
    start: int
    row: int
    last: int
    name: str
    name_at: int
    opened: int | None


def _walk(tree: tree_sitter.Tree, starts: list[int]) -> Iterator[list[_Node]]:
    """Every node below the root, after its ancestors."""
    cursor = tree.walk()
    nodes: list[_Node] = []
    deeper = cursor.goto_first_child()
    while deeper or nodes:
        if deeper and cursor.node is not None:
            nodes.append(_read_node(cursor.node, starts))
            yield nodes
            deeper = cursor.goto_first_child()
        else:
            nodes.pop()
            deeper = cursor.goto_next_sibling()
            if not deeper:
                cursor.goto_parent()


def _read_node(node: tree_sitter.Node, starts: list[int]) -> _Node:
    # Lines are counted here: asking many nodes for their `start_point` crashes the interpreter (0.26.0).
    body = node.child_by_field_name("body")
    named = next(filter(None, map(node.child_by_field_name, ("name", "declarator", "key", "left"))), None)
    name = "" if named is None or named.text is None else named.text.decode().partition("(")[0].strip()
    places = (node.start_byte, node.end_byte, (named or node).start_byte)
    row, last, name_at = (bisect_right(starts, at) - 1 for at in places)
    opened = None
    if body is not None and body.type in BODIES and bisect_right(starts, body.end_byte) - 1 == last:
        opened = bisect_right(starts, body.start_byte) - 1
    return _Node(node.type, node.start_byte, row, last, name, name_at, opened)


@cache
def _parser(module: str, function: str) -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(getattr(import_module(module), function)()))


def _first_line_with_remarks(source: Source, first: int) -> int:
    """The first line of the comments and decorators directly above a line."""
    while first and source.lines[first - 1].strip().startswith(REMARKS):
        first -= 1
    return first
