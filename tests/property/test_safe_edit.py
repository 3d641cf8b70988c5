"""Properties of every call of `safe_edit`: the same as a few lines of Python would do, or nothing at all."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from suture import Workspace
from suture.testing import MemoryFS
from tests.unit.changes import hash_of, succeed
from tests.unit.tools.safe_edits import ask, line, lines_of, near_end, pattern, swap, with_ending

Edit = dict[str, Any]

ENDS = st.sampled_from(["\n", "\n", "\r\n"])
WORDS = st.text("ab é🎉\r\x0c\u2028", max_size=4).map(lambda word: word.rstrip("\r"))
NEW = st.one_of(
    st.text("xy\né", max_size=6),
    st.text("xy\n\r", max_size=6).filter(lambda new: not new.endswith("\r")),
    st.sampled_from(["", "\n", "x", "x\n", "x\r\n", "x\ny\n"]),
)
FEW = settings(max_examples=40)


@st.composite
def files(draw: Callable[[Any], Any]) -> str:
    """Lines with endings of both kinds; the last one may lack a newline."""
    lines = draw(st.lists(st.tuples(WORDS, ENDS), min_size=1, max_size=8))
    return "".join(word + end for word, end in lines) + str(draw(st.sampled_from(["", "", "end", " "])))


@st.composite
def calls(draw: Callable[[Any], Any]) -> tuple[str, list[Edit]]:
    """A text, and edits of ranges that do not overlap, in any order."""
    text: str = draw(files())
    count = len(lines_of(text))
    edits: list[Edit] = []
    at = 1
    while at <= count and len(edits) < 4:
        start = draw(st.integers(at, count))
        end = draw(st.integers(start, min(count, start + 2)))
        edits.append(line(start, end, draw(NEW)))
        at = end + draw(st.integers(1, 3))
    return text, draw(st.permutations(edits))


def open_workspace(content: bytes) -> tuple[Workspace, MemoryFS]:
    fs = MemoryFS({"a.txt": content})
    return Workspace(fs.root, fs=fs), fs


def apply_model(text: str, edits: list[Edit]) -> list[tuple[str, bool]]:
    """The text after the edits in pieces, each with whether its line endings are known exactly."""
    lines = lines_of(text)
    pieces, at = [], 1
    for edit in sorted(edits, key=lambda edit: int(edit["start_line"])):
        start, end, new = edit["start_line"], edit["end_line"], edit["new_content"]
        ending = near_end(lines, start, end)
        exact = ending is not None or "\r" in new or "\n" not in new
        pieces.append(("".join(lines[at - 1 : start - 1]), True))
        pieces.append((with_ending(lines[end - 1], new, ending or "\n"), exact))
        at = end + 1
    return [*pieces, ("".join(lines[at - 1 :]), True)]


@given(calls())
@FEW
@pytest.mark.promise("safe.lines")
def test_line_edits_do_what_a_list_of_lines_would_do(call: tuple[str, list[Edit]]) -> None:
    text, edits = call
    ws, fs = open_workspace(text.encode())
    data = succeed(ask(ws, "a.txt", line_edits=edits))
    after = fs.files()["a.txt"]
    assert data["hash"] == hash_of(after)
    assert data["written"] == (after != text.encode())
    expected = "".join(
        re.escape(piece) if exact else re.escape(piece.replace("\r\n", "\n")).replace("\\\n", "\r?\n")
        for piece, exact in apply_model(text, edits)
    )
    assert re.fullmatch(expected, after.decode()), (expected, after)


@given(calls(), st.sampled_from(["utf-8-sig", "utf-16", "utf-32"]))
@FEW
@pytest.mark.promise("safe.lines")
def test_line_edits_do_the_same_in_every_encoding(call: tuple[str, list[Edit]], codec: str) -> None:
    text, edits = call
    plain, plain_fs = open_workspace(text.encode())
    marked, marked_fs = open_workspace(text.encode(codec))
    succeed(ask(plain, "a.txt", line_edits=edits))
    succeed(ask(marked, "a.txt", line_edits=edits))
    assert marked_fs.files()["a.txt"] == plain_fs.files()["a.txt"].decode().encode(codec)


@given(
    files(),
    st.lists(st.tuples(st.integers(1, 10), st.integers(0, 3), NEW).map(lambda of: line(of[0], sum(of[:2]), of[2]))),
    st.sampled_from(["strict", "interactive", "verify_only"]),
)
@FEW
@pytest.mark.promise("safe.lines")
def test_line_edits_are_all_made_or_none(text: str, edits: list[Edit], mode: str) -> None:
    ws, fs = open_workspace(text.encode())
    result = ask(ws, "a.txt", line_edits=edits, mode=mode)
    count = len(lines_of(text))
    numbers = [number for edit in edits for number in range(edit["start_line"], edit["end_line"] + 1)]
    if max(numbers, default=0) > count:
        code = "LINE_OUT_OF_BOUNDS"
    elif len(set(numbers)) < len(numbers):
        code = "OVERLAPPING_LINES"
    else:
        code = None
    assert (result.data["error"]["code"] if result.is_error else None) == code, result.text
    if code or mode == "verify_only":
        assert (fs.files(), fs.shelf) == ({"a.txt": text.encode()}, {})


@given(calls())
@FEW
@pytest.mark.promise("safe.modes")
def test_verify_only_predicts_the_edit_and_undo_reverts_it(call: tuple[str, list[Edit]]) -> None:
    text, edits = call
    ws, fs = open_workspace(text.encode())
    preview = succeed(ask(ws, "a.txt", line_edits=edits, mode="verify_only"))
    assert (fs.files(), fs.shelf, preview["hash"]) == ({"a.txt": text.encode()}, {}, hash_of(text.encode()))
    data = succeed(ask(ws, "a.txt", line_edits=edits))
    assert (data["diff"], bool(data["diff"])) == (preview["diff"], data["written"])
    if data["written"]:
        assert not ws.undo().is_error
    assert fs.files() == {"a.txt": text.encode()}


# Search and replace

PLAIN = st.text("ab1 _é\n", max_size=30)
PIECES = st.sampled_from(
    r"a b é \n . a* b+? [ab]+ [^a] (?:ab)? (a|b) (a)? \w+ \d \s* \b ^ $ \Z (?=a) (?<=b) (?<!a) a{2} (?i:A) _|".split()
)
TEMPLATES = st.lists(st.sampled_from(["x", r"\n", r"\g<0>", "\\\\", "$1", "é", "&"]), max_size=4).map("".join)
FLAGS = st.lists(st.sampled_from([2, 8, 16, 256]), max_size=2, unique=True).map(sum)


@st.composite
def patterns(draw: Callable[[Any], Any]) -> tuple[str, str, int, int]:
    """A valid Python pattern, a template for it, flags and a count."""
    search = "".join(draw(st.lists(PIECES, min_size=1, max_size=4)))
    flags = draw(FLAGS)
    groups = re.compile(search, flags).groups
    replace = draw(TEMPLATES) + (r"<\1>" if groups and draw(st.booleans()) else "")
    return search, replace, flags, draw(st.sampled_from([0, 0, 1, 2]))


@given(PLAIN, patterns(), st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=60)
@pytest.mark.promise("safe.search")
def test_a_pattern_replaces_what_python_replaces(text: str, call: tuple[str, str, int, int], ending: str) -> None:
    search, replace, flags, count = call
    after, number = re.subn(search, replace, text, count=count, flags=flags)
    assume("\n" in text or ending == "\n")  # a line ending that does not occur cannot be followed
    assume("$1" not in replace or not re.compile(search, flags).groups)  # refused: JavaScript's syntax for a group
    ws, fs = open_workspace(text.replace("\n", ending).encode())
    edit = pattern(search, replace, flags=flags, count=count)
    result = ask(ws, "a.txt", search_replace=edit, mode="interactive")
    assert succeed(result)["replacements"] == number
    assert fs.files()["a.txt"].decode() == after.replace("\n", ending)
    assert succeed(result)["written"] == (after != text)


@given(PLAIN, st.text("ab\n\\.", min_size=1, max_size=3), st.text("ab\n\\1g<>$&", max_size=5), st.integers(0, 3))
@FEW
@pytest.mark.promise("safe.search")
def test_a_literal_text_is_replaced_as_python_replaces_it(text: str, search: str, replace: str, count: int) -> None:
    ws, fs = open_workspace(text.encode())
    edit = swap(search, replace, count=count)
    data = succeed(ask(ws, "a.txt", search_replace=edit, mode="interactive"))
    occurrences = text.count(search)
    assert data["replacements"] == (min(count, occurrences) if count else occurrences)
    assert fs.files()["a.txt"].decode() == text.replace(search, replace, count or -1)


@given(st.text("()[]{}*+?|\\^$.ab1<>=!:P#- \n", max_size=12), st.text("\\g<>0123a", max_size=6))
@FEW
@pytest.mark.promise("safe.search")
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
def test_any_pattern_is_known_to_python_or_refused(search: str, replace: str) -> None:
    text = "ab1 (a) [b]\n{1}\n"
    try:
        after, number = re.subn(search, replace, text)
    except (re.error, IndexError, OverflowError):
        after, number = text, -1
    assume("\0" not in after)
    ws, fs = open_workspace(text.encode())
    result = ask(ws, "a.txt", search_replace=pattern(search, replace), mode="interactive")
    if number < 0:
        assert result.data["error"]["code"] == "INVALID_REGEX", result.text
    else:
        assert succeed(result)["replacements"] == number
    assert fs.files()["a.txt"].decode() == after
