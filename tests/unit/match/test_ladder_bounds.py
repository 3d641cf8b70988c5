"""The rungs that a search may use, and whether part of a line matches."""

import pytest

from suture.match.index import Found, Refused, Site
from suture.match.ladder import RUNGS
from suture.text.edits import apply
from tests.unit.match.asking import apply_edit, ask, raw, refusal, swap
from tests.unit.match.test_ladder_rungs import CASES, SERVER, Case
from tests.unit.match.test_refusals import AMBIGUOUS, Request

ALLOWED = {
    "exact": {"exact", "line_ends"},
    "whitespace": {"exact", "line_ends", "trailing", "indentation", "trimmed", "tokens"},
    "lenient": set(RUNGS),
}


@pytest.mark.promise("locate.bounds")
@pytest.mark.parametrize("match", ALLOWED)
@pytest.mark.parametrize(("rung", "case"), CASES)
def test_a_looser_match_than_allowed_is_missing(rung: str, case: Case, match: str) -> None:
    file, old, new, was, now = case
    answer = ask(file, old, new, match=match)
    if match == "exact" and file.count(old) == 1:
        rung, was, now = "exact", old, new
    if rung in ALLOWED[match]:
        assert isinstance(answer, Found), answer
        assert (answer.rung, apply(raw(file), answer.edits)) == (rung, swap(file, was, now).encode())
    else:
        assert isinstance(answer, Refused)
        assert answer.why == "missing"


@pytest.mark.promise("locate.bounds")
def test_with_whitespace_the_place_of_a_looser_match_is_reported() -> None:
    answer = refusal("say(“hello”)\nend()\n", 'say("hello")\n', 'say("bye")\n', match="whitespace")
    assert answer == Refused("missing", "look_alike", (Site(1, 1),))


@pytest.mark.promise("locate.bounds")
def test_with_exact_dots_in_new_are_text() -> None:
    file, old, new = "def f():\n    a()\n    b()\n    c()\n", "    a()\n    b()\n    c()\n", "    # ... existing code\n"
    assert refusal(file, old, new).why == "elided"
    assert apply_edit(file, old, new, match="exact") == ("exact", b"def f():\n    # ... existing code\n")


@pytest.mark.promise("locate.one-place")
@pytest.mark.parametrize("match", ["exact", "whitespace"])
@pytest.mark.parametrize(("request_", "rung"), [case[:2] for case in AMBIGUOUS.values()], ids=AMBIGUOUS)
def test_two_places_are_ambiguous_however_strict_the_search(request_: Request, rung: str, match: str) -> None:
    answer = refusal(*request_, match=match)
    assert answer.why == ("ambiguous" if rung in ALLOWED[match] and rung != "trimmed" else "missing")


@pytest.mark.promise("locate.whole-lines")
def test_a_piece_of_a_line_does_not_match_whole_lines() -> None:
    assert apply_edit(SERVER, "return None", "return 0")[0] == "exact"
    assert apply_edit(SERVER, "return None", "return 0", whole_lines=True)[0] == "indentation"
    assert refusal("report = 1\n", "port = 1", "port = 2", match="exact", whole_lines=True) == Refused("missing")


@pytest.mark.promise("locate.whole-lines")
def test_a_whole_line_is_taken_even_if_other_lines_contain_it() -> None:
    file, old, new = "report = 1\nport = 1\n", "port = 1\n", "port = 2\n"
    assert refusal(file, old, new).why == "ambiguous"
    assert apply_edit(file, old, new, whole_lines=True) == ("exact", b"report = 1\nport = 2\n")


@pytest.mark.promise("locate.whole-lines")
def test_several_whole_lines_are_preferred_to_a_piece_with_the_same_text() -> None:
    file = "start()\nwait()\nrestart()\nwait()\n"
    assert apply_edit(file, "start()\nwait()\n", "start()\nstop()\n") == (
        "exact",
        b"start()\nstop()\nrestart()\nwait()\n",
    )


@pytest.mark.promise("locate.whole-lines")
def test_a_block_that_lacks_only_its_first_indentation_is_whole_lines() -> None:
    file = "def f():\n    one()\n    two()\n"
    assert apply_edit(file, "one()\n    two()", "zero()\n    one()\n    two()") == (
        "indentation",
        b"def f():\n    zero()\n    one()\n    two()\n",
    )
