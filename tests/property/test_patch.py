"""Properties of every patch: another patch can revert it, and it changes nothing outside its span."""

from itertools import permutations
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from suture import Workspace
from suture.match import locate
from suture.match.index import Found
from suture.testing import MemoryFS
from suture.tools import patch as patch_tool
from tests.unit.changes import succeed

# Little variety, so that texts match; whitespace, look-alikes and non-ASCII, so that the ladder has something to do.
LINES = st.text("ab =x(){}\"'é–\t", max_size=12)
WORDS = st.sampled_from("alpha beta gamma delta return if total = value ( ) : , “x” 'y' é 🎉".split())
CODE_LINES = st.builds(
    lambda depth, words: "    " * depth + " ".join(words), st.integers(0, 3), st.lists(WORDS, max_size=5)
)
BLOCKS = st.lists(st.one_of(LINES, CODE_LINES), min_size=1, max_size=8).map("\n".join)
TEXTS = st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"]), max_size=60)
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200)


def replace(old: str, new: str, **more: str) -> dict[str, Any]:
    return {"operation": "replace", "oldText": old, "newText": new, **more}


def open_workspace(content: bytes) -> tuple[Workspace, MemoryFS]:
    fs = MemoryFS({"a": content})
    return Workspace(fs.root, fs=fs), fs


@pytest.mark.promise("patch.reversible")
@given(BLOCKS, BLOCKS, BLOCKS, BLOCKS, st.sampled_from(["exact", "whitespace", "lenient"]))
def test_a_replacement_is_taken_back_by_its_reverse(before: str, old: str, new: str, after: str, match: str) -> None:
    assume(old.strip() and new.strip())
    original = f"{before}\n{old}\n{after}\n"
    ws, fs = open_workspace(original.encode())
    forward = ws.patch("a", [replace(old, new)], match)
    assume(not forward.is_error and forward.metadata["patches"][0]["rung"] == "exact")
    changed = fs.files()["a"].decode()
    assume(changed.count(new) == 1)
    back = ws.patch("a", [replace(new, old)], match)
    assume(not back.is_error and back.metadata["patches"][0]["rung"] == "exact")
    assert fs.files()["a"] == original.encode()


@pytest.mark.promise("patch.clipboards")
@given(TEXTS, NAMES, st.booleans(), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
def test_a_clipboard_gives_back_exactly_what_went_in(text: str, name: str, crlf: bool, codec: str) -> None:  # noqa: FBT001  drawn
    content = text.replace("\n", "\r\n") if crlf else text
    raw = f"<<{content}>>".encode(codec)
    ws, fs = open_workspace(raw)
    cut = replace(f"<<{content}>>", "", toClipboard=name)
    succeed(ws.patch("a", [cut]))
    succeed(Workspace(fs.root, fs=fs).patch("a", [{"operation": "append_eof", "fromClipboard": name}]))
    assert fs.files()["a"] == raw


@pytest.mark.promise("patch.original")
@given(st.lists(CODE_LINES, min_size=3, max_size=6), st.lists(BLOCKS, min_size=2, max_size=2), st.randoms())
def test_the_order_of_patches_does_not_matter(lines: list[str], news: list[str], random: Any) -> None:
    numbered = [f"{line} # {number}" for number, line in enumerate(lines)]
    content = "\n".join(numbered)
    indexes = random.sample(range(len(lines)), 2)
    patches = [replace(numbered[at], new) for at, new in zip(indexes, news, strict=True)]
    results = set()
    for order in permutations([*patches, {"operation": "append_eof", "newText": "end"}]):
        ws, fs = open_workspace(content.encode())
        result = ws.patch("a", list(order), "exact")
        results.add(fs.files()["a"] if not result.is_error else result.metadata["error"]["code"])
    assert len(results) == 1


@pytest.mark.promise("patch.text")
@given(BLOCKS, BLOCKS, BLOCKS, BLOCKS, st.integers(0, 2), st.booleans())
def test_nothing_changes_outside_of_what_was_found(
    before: str,
    old: str,
    new: str,
    after: str,
    shift: int,
    crlf: bool,  # noqa: FBT001  drawn by Hypothesis
) -> None:
    original = f"{before}\n{old}\n{after}".replace("\n", "\r\n" if crlf else "\n").encode()
    request = "\n".join(line[2 * shift :] if not line[: 2 * shift].strip() else line for line in old.split("\n"))
    assume(request)
    spans: list[tuple[int, int]] = []
    original_locate = locate

    def record(*arguments: Any, **options: Any) -> Any:
        answer = original_locate(*arguments, **options)
        if isinstance(answer, Found):
            spans.append(answer.span)
        return answer

    ws, fs = open_workspace(original)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(patch_tool, "locate", record)
        result = ws.patch("a", [replace(request, new)])
    if result.is_error:
        assert fs.files()["a"] == original
        return
    (start, end), changed = spans[-1], fs.files()["a"]
    assert changed.startswith(original[:start])
    assert changed.endswith(original[end:])
    assert len(changed) >= start + len(original) - end


@pytest.mark.promise("patch.copy")
@given(BLOCKS, BLOCKS, BLOCKS, st.integers(0, 2))
def test_a_copy_never_changes_the_file(before: str, old: str, after: str, shift: int) -> None:
    original = f"{before}\n{old}\n{after}".encode()
    request = "\n".join(line[2 * shift :] if not line[: 2 * shift].strip() else line for line in old.split("\n"))
    ws, fs = open_workspace(original)
    ws.patch("a", [replace(request, "", toClipboard="x", fromClipboard="x")])
    assert fs.files()["a"] == original
    assert ws.history().metadata["changes"] == []
