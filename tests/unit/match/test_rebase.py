"""Requests that were written for an earlier version of the file: merged into the current one, or refused."""

from collections.abc import Iterator

import pytest

from suture.match import locate, locate_in_bases
from suture.match.index import Base, Found, Index, Refused, Sides, Site
from suture.text.edits import apply

SHOP = """\
class Net:
    def prepare(
        self,
        total,
    ):
        rate = 0.19
        value = total / (1 + rate)
        return value

    def gross(self, total):
        rate = 0.19
        value = total * (1 + rate)
        return value


def other(x):
    alpha = 1
    beta = 2
    return x + alpha + beta
"""
PREPARE = SHOP[SHOP.index("    def prepare") : SHOP.index("    def gross")]
OLD = "    alpha = 1\n    beta = 2\n    return x + alpha + beta\n"
NEW = "    alpha = 1\n    beta = 2\n    return x - alpha - beta\n"
HEAD = Base(SHOP.encode(), "head", "c0ffee", "decaf")


def ask(file: str | bytes, old: str, new: str, *bases: Base) -> Found | Refused:
    body = file if isinstance(file, bytes) else file.encode()
    return locate(Index(body, "shop.py", bases), old, new)


def merge(file: str | bytes, old: str, new: str, *bases: Base) -> bytes:
    """The file after a change that must be merged."""
    answer = ask(file, old, new, *bases)
    assert isinstance(answer, Found), answer
    assert answer.rung == "rebased"
    return apply(file if isinstance(file, bytes) else file.encode(), answer.edits)


def swap(text: str, was: str, now: str) -> str:
    assert text.count(was) == 1
    return text.replace(was, now)


MERGED: dict[str, tuple[str, str, str, str]] = {
    "a line of context is another now": (swap(SHOP, "alpha = 1", "alpha = 11"), OLD, NEW, "return x - alpha - beta"),
    "all context above is another now": (
        swap(SHOP, "class Net:", "class Gross:"),
        "class Net:\n    def prepare(\n        self,\n        total,\n",
        "class Net:\n    def prepare(\n        self,\n        the_total,\n",
        "        the_total,\n",
    ),
    "lines were put between": (
        swap(SHOP, "    beta = 2\n", "    beta = 2\n    gamma = 3\n\n    delta = 4\n"),
        OLD,
        OLD.replace("alpha = 1", "alpha = 9"),
        "    alpha = 9\n    beta = 2\n    gamma",
    ),
    "the text was sent dedented": (
        swap(SHOP, "alpha = 1", "alpha = 11"),
        "alpha = 1\nbeta = 2\nreturn x + alpha + beta\n",
        "alpha = 1\nbeta = 2\nreturn x - alpha - beta\n",
        "    return x - alpha - beta\n",
    ),
    "a line is deleted": (
        swap(SHOP, "alpha = 1", "alpha = 11"),
        OLD,
        OLD.replace("    return x + alpha + beta\n", ""),
        "    beta = 2\n",
    ),
    "in one of two that are alike": (
        swap(SHOP, "total / (1 + rate)\n", "total / (1 + rate)\n        check(total)\n"),
        "        rate = 0.19\n        value = total / (1 + rate)\n        return value\n",
        "        rate = 0.20\n        value = total / (1 + rate)\n        return value\n",
        "    ):\n        rate = 0.20\n        value = total / (1 + rate)\n        check(total)\n",
    ),
}


@pytest.mark.promise("place.rebase")
@pytest.mark.parametrize(("file", "old", "new", "expected"), MERGED.values(), ids=MERGED)
def test_a_change_of_an_earlier_version_is_merged_as_git_merges_it(
    file: str, old: str, new: str, expected: str
) -> None:
    assert expected in merge(file, old, new, HEAD).decode()
    without = ask(file, old, new)
    assert isinstance(without, Refused)
    assert without.why == "missing"


@pytest.mark.promise("place.rebase")
def test_the_answer_has_the_version_and_the_current_place() -> None:
    file = "# above\n" + swap(SHOP, "    beta = 2\n", "    beta = 2\n    gamma = 3\n").replace(
        "alpha = 1", "alpha = 11"
    )
    answer = ask(file, OLD, OLD.replace("return x", "return y"), Base(b"another\n", "read"), HEAD)
    assert isinstance(answer, Refused)
    assert (answer.why, answer.base, answer.sites) == ("conflict", HEAD, (Site(18, 21),))
    file = file.replace("    gamma = 3\n", "")
    answer = ask(file, OLD, NEW, HEAD)
    assert isinstance(answer, Found)
    assert (answer.site, answer.base, answer.score, answer.runner_up) == (Site(18, 20), HEAD, 1.0, None)
    assert answer.span == (file.index("    alpha"), len(file))


CONFLICTS: dict[str, tuple[str, str, str, Sides]] = {
    "the line that changes is another now": (
        swap(SHOP, "return x + alpha", "return y + alpha"),
        OLD,
        NEW,
        Sides(19, "    return x + alpha + beta", "    return y + alpha + beta", "    return x - alpha - beta"),
    ),
    "the line beside it is": (
        swap(SHOP, "beta = 2", "beta = 22"),
        OLD,
        NEW,
        Sides(
            18,
            "    beta = 2\n    return x + alpha + beta",
            "    beta = 22\n    return x + alpha + beta",
            "    beta = 2\n    return x - alpha - beta",
        ),
    ),
}


@pytest.mark.promise("place.rebase")
@pytest.mark.parametrize(("file", "old", "new", "sides"), CONFLICTS.values(), ids=CONFLICTS)
def test_changes_that_touch_are_a_conflict_with_three_sides(file: str, old: str, new: str, sides: Sides) -> None:
    answer = ask(file, old, new, HEAD)
    assert isinstance(answer, Refused)
    assert (answer.why, answer.rung, answer.sides, answer.detail) == ("conflict", "rebased", sides, "changed_since")
    assert answer.base == HEAD


DELETED: dict[str, tuple[str, str]] = {
    "the body of a function": (PREPARE, "        value = total / (1 + rate)\n        return value\n"),
    "a function with its header": (PREPARE, PREPARE),
    "a part of its header": (PREPARE, "    def prepare(\n        self,\n        total,\n"),
    "what is in the sibling, too, but for a line": (
        PREPARE,
        "        rate = 0.19\n        value = total / (1 + rate)\n        return value\n",
    ),
    "the last function": (SHOP[SHOP.index("\n\ndef other") :], OLD),
}


@pytest.mark.promise("place.deleted")
@pytest.mark.parametrize(("target", "old"), DELETED.values(), ids=DELETED)
def test_a_text_whose_target_was_deleted_lands_nowhere(target: str, old: str) -> None:
    file = swap(SHOP, target, "")
    answer = ask(file, old, old + "# more\n", HEAD)
    assert isinstance(answer, Refused)
    assert (answer.why, answer.rung, answer.sides, answer.base) == ("deleted", "rebased", None, HEAD)
    assert 1 <= answer.sites[0].start_line <= answer.sites[0].end_line <= len(Index(file.encode()).lines)


@pytest.mark.promise("place.deleted")
def test_the_newest_recorded_version_says_what_deleted_a_text() -> None:
    read, committed = HEAD.evolve(source="read", id=None, until=None), HEAD.evolve(source="commit")
    file = swap(SHOP, PREPARE, "")
    answer = ask(file, PREPARE, PREPARE + "\n", read, HEAD.evolve(body=b"older\n", until="x"), committed)
    assert isinstance(answer, Refused)
    assert answer.base == committed
    single = ask(file, PREPARE, PREPARE + "\n", read)
    assert isinstance(single, Refused)
    assert single.base == read


def test_lines_that_were_rewritten_are_a_conflict_and_not_deleted() -> None:
    file = swap(SHOP, OLD, "    alpha = 11\n    beta = 22\n    return y + alpha + beta\n")
    answer = ask(file, OLD, NEW, HEAD)
    assert isinstance(answer, Refused)
    assert answer.why == "conflict"


def test_a_text_that_is_only_to_be_found_must_be_there_whole() -> None:
    """For a copy, or an insertion of text from elsewhere, the request changes nothing in the version."""
    file = swap(SHOP, "alpha = 1", "alpha = 11")
    answer = ask(file, OLD, OLD, HEAD)
    assert isinstance(answer, Refused)
    was = OLD.removesuffix("\n")
    assert (answer.why, answer.sides) == ("conflict", Sides(17, was, was.replace("alpha = 1", "alpha = 11"), was))
    missing = ask(swap(SHOP, PREPARE, ""), PREPARE, PREPARE, HEAD)
    assert isinstance(missing, Refused)
    assert missing.why == "deleted"


@pytest.mark.promise("place.rebase")
def test_a_change_that_is_already_made_is_applied() -> None:
    file = swap(swap(SHOP, OLD, NEW), "alpha = 1\n", "alpha = 11\n")
    answer = ask(file, OLD, NEW, HEAD)
    assert answer == Refused("applied", "rebased", (Site(17, 19),), base=HEAD)


@pytest.mark.promise("place.rebase")
def test_the_newest_version_that_contains_the_text_decides() -> None:
    older = HEAD.evolve(body=b"# older\n" + SHOP.encode(), source="commit", id="older")
    file = swap(SHOP, "alpha = 1", "alpha = 11")
    for bases, chosen in (((HEAD, older), HEAD), ((older, HEAD), older), ((HEAD.evolve(body=b"x\n"), older), older)):
        answer = ask(file, OLD, NEW, *bases)
        assert isinstance(answer, Found)
        assert answer.base == chosen


def test_a_version_with_the_text_as_sent_is_preferred_to_one_with_another_form() -> None:
    dedented = HEAD.evolve(body=SHOP.replace(OLD, OLD.replace("    ", "\t")).encode(), id="dedented")
    answer = ask(swap(SHOP, "alpha = 1", "alpha = 11"), OLD, NEW, dedented, HEAD)
    assert isinstance(answer, Found)
    assert answer.base == HEAD


@pytest.mark.promise("place.rebase")
def test_a_text_that_is_ambiguous_in_a_version_is_not_searched_for_elsewhere() -> None:
    twice = HEAD.evolve(body=SHOP.encode() + OLD.encode())
    file = swap(SHOP, "alpha = 1", "alpha = 11")
    assert ask(file, OLD, NEW, twice) == Refused("missing", detail="several_in_base")
    assert ask(file, OLD, NEW, twice, HEAD) == Refused("missing", detail="several_in_base")
    assert isinstance(ask(file, OLD, NEW, HEAD, twice), Found)


def test_blank_lines_have_no_version() -> None:
    assert locate_in_bases(Index(b"x\n", "a", [Base(b"x\n\n\ny\n", "read")]), "\n\n", "z\n") is None


def test_versions_are_searched_only_if_the_text_is_not_in_the_file() -> None:
    def versions() -> Iterator[Base]:
        yield Base(b"x\n", "read")
        raise AssertionError

    index = Index(SHOP.encode(), "shop.py", versions())
    assert isinstance(locate(index, OLD, NEW), Found)
    assert isinstance(locate(index, "nowhere\n", "x\n", match="exact"), Refused)
    with pytest.raises(AssertionError):
        locate(index, "nowhere\n", "x\n")


START = """\
def start(npx):
    if not npx:
        for tool in TOOLS:
            log.error("not found")
            sys.exit( 1 )


def run(file):
    if not file:
        log.error("no file")
        sys.exit(1)
"""
RUN = START[START.index("def run") :]
MANNERS: dict[str, tuple[str, str]] = {
    "indentation": ("            sys.exit(1)\n", "            sys.exit(2)\n"),
    "tokens": ("sys.exit( 1 )\n", "sys.exit( 2 )\n"),
    "trailing": ("        sys.exit(1)  \n", "        sys.exit(2)  \n"),
}


@pytest.mark.promise("place.deleted")
@pytest.mark.parametrize(("old", "new"), MANNERS.values(), ids=MANNERS)
def test_a_place_in_another_form_is_not_taken_if_the_text_was_deleted(old: str, new: str) -> None:
    base = START.replace("            sys.exit( 1 )\n", f"            {old.strip(chr(10)).lstrip()}\n")
    known = ask(RUN, old, new, Base(base.encode(), "read"))
    assert isinstance(known, Refused)
    assert (known.why, known.base is not None) == ("deleted", True)
    assert isinstance(ask(RUN, old, new), Found)
    assert isinstance(ask(RUN, old, new, Base(base.encode(), "commit", "c0ffee")), Found)  # takes too long to ask


def test_a_place_in_another_form_is_taken_if_the_text_was_there() -> None:
    """The whole file was reindented since it was read."""
    file = START.replace("    ", "\t").encode()
    for base in (Base(START.encode(), "read"), Base(START.encode() * 2, "read"), Base(b"other\n", "head", "c0ffee")):
        old = '    if not file:\n        log.error("no file")\n'
        answer = locate(Index(file, "a.py", [base]), old, old.replace("no file", "none"))
        assert isinstance(answer, Found)
        assert answer.rung == "indentation"


def test_versions_are_fetched_once() -> None:
    index = Index(swap(SHOP, "alpha = 1", "alpha = 11").encode(), "shop.py", iter([HEAD]))
    assert locate(index, OLD, NEW) == locate(index, OLD, NEW)
    assert list(index.earlier()) == [HEAD]


@pytest.mark.promise("place.rebase")
@pytest.mark.parametrize(("file_end", "base_end"), [("\n", "\r\n"), ("\r\n", "\n"), ("\r\n", "\r\n")])
def test_line_endings_are_those_of_the_file(file_end: str, base_end: str) -> None:
    file = swap(SHOP, "alpha = 1", "alpha = 11").replace("\n", file_end)
    base = HEAD.evolve(body=SHOP.replace("\n", base_end).encode())
    expected = file.replace("return x + alpha + beta", "return x - alpha - beta")
    assert merge(file, OLD, NEW, base).decode() == expected


def test_a_file_with_mixed_line_endings_keeps_them() -> None:
    mixed = swap(SHOP, "    beta = 2\n", "    beta = 2\r\n").encode()
    file = mixed.replace(b"alpha = 1", b"alpha = 11")
    answer = ask(file, OLD.replace("2\n", "2\r\n"), NEW.replace("2\n", "2\r\n"), HEAD.evolve(body=mixed))
    assert isinstance(answer, Found)
    assert b"    beta = 2\r\n    return x - alpha" in apply(file, answer.edits)


TWO = "def first():\n    start()\n    work(1)\n    stop()\n\n\ndef second():\n    start()\n    work(2)\n    stop()\n"


@pytest.mark.promise("place.rebase")
def test_a_merge_that_would_land_in_another_function_is_a_conflict() -> None:
    """The file's only function is the second one, with the first one's body: lines alone take it for the first."""
    base = TWO.replace("    work(1)", "    prepare()\n    work(1)")
    file = "def second():\n    start()\n    prepare()\n    work(1)\n    stop()\n"
    old = "def first():\n    start()\n    prepare()\n    work(1)\n"
    answer = ask(file, old, old.replace("prepare()", "prepare(now)"), Base(base.encode(), "read"))
    assert isinstance(answer, Refused)
    assert (answer.why, answer.rung, answer.detail) == ("conflict", "rebased", "other_scope")
    sent = old.removesuffix("\n")
    assert answer.sides == Sides(1, sent, sent.replace("first", "second"), sent.replace("prepare()", "prepare(now)"))


@pytest.mark.promise("place.rebase")
def test_a_change_follows_a_function_that_got_a_new_name() -> None:
    file = TWO.replace("first", "renamed")
    old = "def first():\n    start()\n    work(1)\n    stop()\n"
    assert merge(file, old, old.replace("stop()", "stop(now)"), Base(TWO.encode(), "read")).decode() == file.replace(
        "stop()", "stop(now)", 1
    )


def test_many_large_versions_are_searched_only_for_the_text_as_it_was_sent() -> None:
    large = HEAD.evolve(body=SHOP.encode() + b"# filler\n" * 500_000)
    file = swap(SHOP, "alpha = 1", "alpha = 11")
    dedented = "alpha = 1\nbeta = 2\nreturn x + alpha + beta\n"
    answer = ask(file, dedented, dedented.replace("x +", "x -"), large)
    assert isinstance(answer, Refused)
    assert answer.base is None


def test_versions_can_be_searched_without_the_file() -> None:
    index = Index(SHOP.encode(), "shop.py", [HEAD.evolve(body=b"x = 1\n")])
    assert locate_in_bases(index, OLD, NEW) is None
    answer = locate_in_bases(
        Index(SHOP.encode(), "shop.py", [HEAD.evolve(body=SHOP.replace("alpha = 1", "alpha = 0").encode())]),
        OLD.replace("alpha = 1", "alpha = 0"),
        NEW.replace("alpha = 1", "alpha = 0"),
    )
    assert isinstance(answer, Found)
