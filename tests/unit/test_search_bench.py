from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bench.search.compare import differences, require_equal
from bench.search.peers import by_lines, by_loop, by_ripgrep, from_grep
from bench.search.queries import LARGE, SMALL, Query
from bench.search.trees import survey

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bench.search.peers import Match
    from bench.search.trees import Tree

FILES = {
    "crlf.txt": b"one\r\n\xc3\xa4 the Needle, a needle\r\nthree\r\nneedle",
    "sub/last.txt": b"needle\n\nend\n",
    "sub/none.txt": b"nothing\n",
    "sub/data.bin": b"needle\n\0",
    "sub/.hidden": b"needle\n",
    "build/made.txt": b"needle\n",
    ".gitignore": b"/build/\n",
}
QUERY = Query("any case", r"(n)eed(\w+)", "needle", "gi")


def match_row(file: str, line: int, column: int, match: str, before: list[str], after: list[str]) -> dict[str, object]:
    return {
        "file": file,
        "line": line,
        "column": column,
        "match": match,
        "context_before": before,
        "context_after": after,
    }


MATCHES = [
    match_row("crlf.txt", 2, 6, "Needle", ["one"], ["three", "needle"]),
    match_row("crlf.txt", 2, 16, "needle", ["one"], ["three", "needle"]),
    match_row("crlf.txt", 4, 0, "needle", ["ä the Needle, a needle", "three"], []),
    match_row("sub/last.txt", 1, 0, "needle", [], ["", "end"]),
]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    return survey("tiny", tmp_path)


def test_files_with_a_nul_are_left_out_by_their_ending(tree: Tree) -> None:
    assert (tree.files, tree.binary, tree.left_out) == (3, (".bin",), 1)


@pytest.mark.process
def test_what_ripgrep_prints_becomes_the_list_of_matches(tree: Tree) -> None:
    assert by_ripgrep(tree, QUERY) == MATCHES


@pytest.mark.parametrize("loop", [by_loop, by_lines])
def test_the_loops_find_the_same_and_the_groups(tree: Tree, loop: Callable[[Tree, Query], list[Match]]) -> None:
    groups = [["Needle", "N", "le"], *[["needle", "n", "le"]] * 3]
    assert loop(tree, QUERY) == [match | {"groups": group} for match, group in zip(MATCHES, groups, strict=True)]


def test_lines_of_grep_are_read_by_file_and_number() -> None:
    assert from_grep(b"./crlf.txt\x002:a:b\n./sub/last.txt\x0011:c\n") == {("crlf.txt", 2), ("sub/last.txt", 11)}


def test_equal_matches_differ_in_nothing_in_any_order() -> None:
    assert [*differences(MATCHES, MATCHES[::-1])] == []


def test_every_difference_is_named() -> None:
    ours = [MATCHES[0] | {"column": 7}, MATCHES[1] | {"context_after": []}, *MATCHES[2:], MATCHES[3]]
    assert [*differences(ours, MATCHES)] == [
        "ours names 1 places twice",
        "crlf.txt:2:6 only theirs: 'Needle'",
        "crlf.txt:2:7 only ours: 'Needle'",
        "crlf.txt:2:16 context_after: ours [], theirs ['three', 'needle']",
    ]


def test_a_difference_ends_the_benchmark() -> None:
    require_equal("nothing", iter(()))
    with pytest.raises(SystemExit, match="only theirs"):
        require_equal("ripgrep", differences([], MATCHES))


def test_every_query_matches_what_is_hidden_from_it(tmp_path: Path) -> None:
    for query in (*LARGE, *SMALL):
        (tmp_path / "decoy.py").write_text(query.sample)
        assert len(by_loop(survey("decoy", tmp_path), query)) == 1, query.name
