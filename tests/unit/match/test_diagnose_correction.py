"""Corrections: the exact form of an edit that was found in another form."""

import pytest

from suture.match import locate
from suture.match.diagnose import Correction, correction, diagnose
from suture.match.index import Found, Index, Site
from suture.text.edits import apply, edit

BLOCK = "def one():\n    alpha = 1\n    beta = 2\n    return alpha\n"


def correction_of(file: str | bytes, old: str, new: str) -> Correction | None:
    return diagnose(Index(file.encode() if isinstance(file, str) else file), old, new).correction


def fields(correction: Correction | None) -> tuple[str, str, int, int] | None:
    return None if correction is None else (correction.old, correction.new, correction.start_line, correction.end_line)


def fill_lines(number: int, line: str = "    value_{} = {}\n") -> str:
    return "".join(line.format(at, at) for at in range(number))


# (file, old, new, the correction: old, new, first and last line)

LANDS = {
    "indentation": (
        BLOCK,
        "alpha = 1\nbeta = 2\n",
        "alpha = 1\nbeta = 3\n",
        ("    alpha = 1\n    beta = 2\n", "    alpha = 1\n    beta = 3\n", 2, 3),
    ),
    "no final newline was sent": (
        BLOCK,
        "alpha = 1\nbeta = 2",
        "alpha = 1\nbeta = 3",
        ("    alpha = 1\n    beta = 2", "    alpha = 1\n    beta = 3", 2, 3),
    ),
    "a piece of a line is told with its line": (
        BLOCK,
        "return  alpha",
        "return  beta",
        ("    return alpha", "    return beta", 4, 4),
    ),
    "a deleted line goes with its end": (BLOCK, "beta  = 2", "", ("    beta = 2\n", "", 3, 3)),
    "a piece may be deleted": ("a\nf(alpha,  beta)\n", "(alpha, beta)", "", ("f(alpha,  beta)", "f", 2, 2)),
    "lines with CRLF are sent with LF": (
        BLOCK.replace("\n", "\r\n"),
        "alpha = 1\nbeta = 2\n",
        "alpha = 1\nbeta = 3\n",
        ("    alpha = 1\n    beta = 2\n", "    alpha = 1\n    beta = 3\n", 2, 3),
    ),
    "lines with CR are sent with LF": (
        BLOCK.replace("\n", "\r"),
        "alpha = 1\nbeta = 2\n",
        "alpha = 1\nbeta = 3\n",
        ("    alpha = 1\n    beta = 2\n", "    alpha = 1\n    beta = 3\n", 2, 3),
    ),
    "the last line has no end": (
        BLOCK.removesuffix("\n"),
        "beta = 2\nreturn alpha\n",
        "beta = 2\nreturn beta\n",
        ("    beta = 2\n    return alpha", "    beta = 2\n    return beta", 3, 4),
    ),
    "characters beyond ASCII": (
        "a = 'größe'\nb = 'é'\n",
        "b =  'é'\n",
        "b =  'è'\n",
        ("b = 'é'\n", "b = 'è'\n", 2, 2),
    ),
}


@pytest.mark.parametrize(("file", "old", "new", "expected"), LANDS.values(), ids=LANDS)
def test_a_correction_is_the_current_lines_and_what_they_become(
    file: str, old: str, new: str, expected: tuple[str, str, int, int]
) -> None:
    assert fields(correction_of(file, old, new)) == expected


MIXED = b"begin\r\n\talpha = 1\n\tbeta = 2\r\n\tgamma = 3\nend\n"
OLD = "alpha = 1\nbeta = 2\ngamma = 3\n"


def test_lines_with_mixed_endings_are_sent_plainly_if_each_keeps_its_own() -> None:
    fixed = correction_of(MIXED, OLD, OLD.replace("2", "4"))
    plain = "\talpha = 1\n\tbeta = 2\n\tgamma = 3\n"
    assert fields(fixed) == (plain, plain.replace("2", "4"), 2, 4)


def test_lines_with_mixed_endings_are_sent_literally_if_they_would_change() -> None:
    fixed = correction_of(MIXED, OLD, f"zero = 0\n{OLD}")
    literal = "\talpha = 1\n\tbeta = 2\r\n\tgamma = 3\n"
    assert fields(fixed) == (literal, f"\tzero = 0\r\n{literal}", 2, 4)


def test_lines_whose_mixed_endings_cannot_be_expressed_are_not_offered() -> None:
    assert correction_of(MIXED.replace(b"begin\r\n", b""), OLD, "one = 1\ntwo = 2\n") is None
    assert fields(correction_of(MIXED, OLD, "one = 1\ntwo = 2\n")) == (
        MIXED.decode(),
        "begin\r\n\tone = 1\n\ttwo = 2\nend\n",
        1,
        5,
    )


def test_mixed_line_endings_elsewhere_do_not_matter() -> None:
    file = b"begin\r\n\talpha = 1\n\tbeta = 2\nend\n"
    fixed = correction_of(file, "alpha = 1\nbeta = 2\n", "alpha = 1\nbeta = 3\n")
    assert fields(fixed) == ("\talpha = 1\n\tbeta = 2\n", "\talpha = 1\n\tbeta = 3\n", 2, 3)


@pytest.mark.parametrize(
    ("old", "new", "there"),
    [
        ("alpha  = 1\nbeta = 2\n", "alpha  = 1\nbeta = 3\n", True),
        ("b\u00a0= '\\xff'\n", "b\u00a0= 2\n", False),
        ("a  = '\ufffd'\n", "a  = 2\n", False),
    ],
)
def test_bytes_that_are_not_text_are_not_offered(old: str, new: str, *, there: bool) -> None:
    file = b"alpha = 1\nbeta = 2\na = '\xff'\nb = '\xff'\n"
    assert (correction_of(file, old, new) is not None) is there


def test_lines_with_bytes_of_unknown_encoding_cannot_be_sent() -> None:
    file = b"alpha\nname = 'caf\xe9'  \ngamma_value = 1\n"
    place = Found("trailing", Site(2, 3), (6, 40), (edit(36, 37, b"2"),))
    assert correction(Index(file), place) is None
    assert correction_of(b"alpha\nname = 'caf\xe9'\n", "alpha \n", "beta \n") is not None


# Only one place


def test_lines_that_also_occur_elsewhere_are_returned_with_their_neighbors() -> None:
    file = "def one():\n    # first\n    value = 1\n\ndef two():\n    # second\n    value = 1\n\n"
    place = Found("exact", Site(7, 7), (0, 0), (edit(file.rindex("1"), file.rindex("1") + 1, b"2"),))
    assert fields(correction(Index(file.encode()), place)) == (
        "    # second\n    value = 1\n\n",
        "    # second\n    value = 2\n\n",
        6,
        8,
    )


def test_a_text_that_is_only_unique_with_its_line_ending_keeps_it() -> None:
    file = b"\tvalue = 10\n\tvalue = 1\n"
    place = locate(Index(file), "  value = 1\n", "  value = 2\n")
    assert isinstance(place, Found)
    for finished in (True, False):
        assert fields(correction(Index(file), place, finished=finished)) == ("\tvalue = 1\n", "\tvalue = 2\n", 2, 2)


def test_there_are_no_neighbors_beyond_the_ends_of_a_file() -> None:
    file = b"x\ny\nx\nx\ny\nx"
    for at, expected in ((0, ("x\ny\nx\n", 1, 3)), (8, ("x\nx\ny\nx", 3, 6))):
        line = at // 2 + 1
        place = Found("exact", Site(line, line), (0, 0), (edit(at, at + 1, b"z"),))
        fixed = correction(Index(file), place)
        assert fixed is not None
        assert (fixed.old, fixed.start_line, fixed.end_line) == expected


def test_there_is_no_correction_if_no_neighbors_make_it_unique() -> None:
    file = b"x\n" * 100
    place = Found("exact", Site(50, 50), (98, 100), (edit(98, 99, b"y"),))
    assert correction(Index(file), place) is None


def test_a_long_correction_has_only_the_lines_around_the_change() -> None:
    file = f"begin\n{fill_lines(30)}end\n"
    old = fill_lines(30, "value_{} = {}\n")
    fixed = correction_of(file, old, old.replace("value_20 = 20", "value_20 = 21"))
    expected = "".join(f"    value_{number} = {number}\n" for number in range(18, 23))
    assert fields(fixed) == (expected, expected.replace("= 20", "= 21"), 20, 24)


def test_a_short_correction_has_all_lines() -> None:
    old = fill_lines(12, "value_{} = {}\n")
    fixed = correction_of(fill_lines(12), old, old.replace("= 9", "= 8"))
    assert fields(fixed) == (fill_lines(12), fill_lines(12).replace("= 9", "= 8"), 1, 12)


def test_a_long_correction_spans_from_the_first_change_to_the_last() -> None:
    old = fill_lines(40, "value_{} = {}\n")
    fixed = correction_of(fill_lines(40), old, old.replace("= 5\n", "= 4\n").replace("= 35", "= 36"))
    assert fixed is not None
    assert (fixed.start_line, fixed.end_line) == (4, 38)
    assert fill_lines(40).replace(fixed.old, fixed.new) == fill_lines(40).replace("= 5\n", "= 4\n").replace(
        "= 35", "= 36"
    )


def test_more_than_a_model_can_send_is_not_offered() -> None:
    line = "x" * 600_000
    assert correction_of(f"alpha\n{line}\nbeta\n", f"{line} \nbeta\n", f"{line} \ngamma\n") is None
    assert correction_of(f"alpha\n{line}\nbeta\n", "beta \n", "gamma \n") is not None


def test_a_request_without_a_change_has_no_correction() -> None:
    place = Found("trailing", Site(1, 1), (0, 2), ())
    assert correction(Index(b"x\n"), place) is None


def test_lines_at_the_end_of_a_file_are_put_after_its_last_line() -> None:
    file = b"begin\n\talpha = 1\n\tbeta = 2"
    old = "alpha = 1\nbeta = 2\n"
    fixed = correction_of(file, old, f"{old}gamma = 3\n")
    assert fixed is not None
    answer = locate(Index(file), old, f"{old}gamma = 3\n")
    assert isinstance(answer, Found)
    assert file.replace(fixed.old.encode(), fixed.new.encode()) == apply(file, answer.edits)
