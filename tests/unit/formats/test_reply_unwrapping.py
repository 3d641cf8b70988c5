"""Blocks in quotations and in HTML entities."""

import pytest

from suture import parse_reply

BLOCK = "<<<<<<< SEARCH\na < b\n=======\nb\n>>>>>>> REPLACE\n"


def escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def quote(text: str, mark: str = "> ") -> str:
    return "".join(f"{mark}{line}\n" for line in text.removesuffix("\n").split("\n"))


READ = {
    "quoted": quote(BLOCK),
    "quoted at the end": quote(BLOCK).removesuffix("\n"),
    "quoted, indented": quote(BLOCK, "  > "),
    "quoted with text around": quote(f"Text.\n\n{BLOCK}\nMore."),
    "quoted with a fence": quote(f"```\n{BLOCK}```\n"),
    "entities": escape(BLOCK),
    "entities in a fence": f"```\n{escape(BLOCK)}```\n",
}


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_a_block_is_read_as_it_was_before(text: str) -> None:
    (block,) = parse_reply(f"a.py\n{text}\n\nText.\n")
    assert (block.path, block.problem) == ("a.py", None)
    assert block.hunks[0].splits[0].old == "a < b\n"


def test_a_quotation_after_a_block_stays_outside() -> None:
    first, second = parse_reply(f"a.py\n{quote(BLOCK)}\nText.\n\nb.py\n{BLOCK}")
    assert [(block.path, block.line) for block in (first, second)] == [("a.py", 2), ("b.py", 11)]


NOT_READ = {
    "a quotation of prose": "> Text.\n> - a\n",
    "a quotation with code": "> ```\n> x = 1\n> ```\n",
    "a prompt of Python": ">>> <<<<<<< SEARCH\n",
    "a rule": "> --- a\n> text\n",
    "an example, indented in a quotation": quote(BLOCK, ">    "),
    "a patch, indented in a quotation": quote("*** Begin Patch\n*** Delete File: a.py\n*** End Patch\n", ">   "),
    "entities without an end": escape(BLOCK.partition(">>>>")[0]),
    "entities, and brackets": escape(BLOCK).replace("=======", "======= <b>"),
    "entities of other markers": escape("<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n"),
}


@pytest.mark.parametrize("text", NOT_READ.values(), ids=NOT_READ)
def test_other_quotations_stay_as_they_are(text: str) -> None:
    assert len(parse_reply(f"a.py\n{text}\nText.\n")) == 0


def test_a_quoted_block_after_unfinished_quoted_blocks_is_read() -> None:
    beginning = "> <<<<<<< SEARCH\na.py\n"
    reply = parse_reply(f"{beginning * 3}> <<<<<<< SEARCH\n> x\n> =======\n> y\n> >>>>>>> REPLACE\n{beginning * 2}")
    assert [block.problem for block in reply] == ["no_end"] * 3 + [None] + ["no_end"] * 2
