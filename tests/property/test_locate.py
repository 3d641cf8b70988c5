"""Properties of every search, and of every change that it makes."""

import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from suture.match import locate
from suture.match.index import Found, Index, Refused
from suture.text import Lines
from suture.text.edits import apply

STEADY = settings(deadline=None, max_examples=300)
MATCH = st.sampled_from(["exact", "whitespace", "lenient"])
LEADS = st.sampled_from(["", "", "  ", "    ", "        ", "\t", "\t\t"])
BODIES = st.sampled_from(
    [
        "",
        "}",
        "...",
        "# ... existing code ...",
        "return total",
        "retrun total",
        "total = price * count",
        "total = price * count  # in cents",
        "if (total > limit) {",
        "if total > limit:",
        "say('hello')",
        'say("hello")',
        'say(\\"hello\\")',
        "say(“hello”)",
        "say(&quot;hello&quot;)",
        "name = 'cafe\u0301'",
        "name = 'café'",
        "- item one",
        "– item one",
        "1\talpha",
        "2\tbeta",
        "```",
        "call(alpha, beta)",
        "call(alpha,",
        "beta)",
        "alpha\\nbeta",
        "x",
    ]
)
TRAILS = st.sampled_from(["", "", "", " ", "\t"])
LINES = st.builds("".join, st.tuples(LEADS, BODIES, TRAILS))
ENDINGS = st.sampled_from(["\n", "\n", "\r\n", "\r", "", "\n\n"])
Request = tuple[bytes, str, str]


@st.composite
def a_request(draw: st.DrawFn) -> Request:
    """A file, and a part of it that was corrupted here and there, with a change."""
    file = draw(st.lists(st.tuples(LINES, ENDINGS), max_size=14))
    first = draw(st.integers(0, max(len(file) - 1, 0)))
    old = [line for line, _ in file[first : first + draw(st.integers(1, 6))]]
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(old)))
        old[at : at + draw(st.integers(0, 1))] = draw(st.lists(LINES, max_size=1))
    new = list(old)
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(new)))
        new[at : at + draw(st.integers(0, 2))] = draw(st.lists(LINES, max_size=2))
    ending = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    body = "".join(line + end for line, end in file).encode()
    if draw(st.integers(0, 5)) == 0:
        body = body.replace(b"total", b"t\xf6tal", 1)
    last = draw(st.sampled_from(["", ending]))
    return body, ending.join(old) + last, ending.join(new) + last


@pytest.mark.promise("locate.outside")
@settings(deadline=None, max_examples=1_000)
@given(request_=a_request(), match=MATCH, whole_lines=st.booleans())
def test_every_request_is_answered_and_only_lines_of_the_place_change(
    request_: Request, match: str, *, whole_lines: bool
) -> None:
    body, old, new = request_
    answer = locate(Index(body), old, new, match=match, whole_lines=whole_lines)
    if isinstance(answer, Refused):
        assert answer.why in {"missing", "ambiguous", "applied", "partly_applied", "conflict", "elided", "unproved"}
        return
    lines = Lines(body)
    begin, end = lines.span(answer.site.start_line)[0], lines.span(answer.site.end_line)[1]
    at_end = end == len(body) and not lines.finished
    removed = len(lines.ending(answer.site.start_line - 1)) if at_end and answer.site.start_line > 1 else 0
    assert begin <= answer.span[0] <= answer.span[1] <= end
    for change in answer.edits:
        assert begin - removed <= change.span.start <= change.span.end <= end
    after = apply(body, answer.edits)
    assert after.startswith(body[: begin - removed])
    assert after.endswith(body[end:])


@pytest.mark.promise("locate.outside")
@STEADY
@given(body=st.binary(max_size=200), old=st.text(max_size=60), new=st.text(max_size=60), match=MATCH)
def test_any_bytes_and_any_text_have_an_answer(body: bytes, old: str, new: str, match: str) -> None:
    assert isinstance(locate(Index(body), old, new, match=match), Found | Refused)
    assert isinstance(locate(Index(body + old.encode()), old, new, match=match), Found | Refused)


@pytest.mark.promise("locate.outside")
@STEADY
@given(request_=a_request(), match=MATCH)
def test_a_request_that_changes_nothing_changes_nothing(request_: Request, match: str) -> None:
    body, old, _ = request_
    answer = locate(Index(body), old, old, match=match)
    if isinstance(answer, Found):
        assert apply(body, answer.edits) == body


@pytest.mark.promise("locate.one-place")
@STEADY
@given(
    text=st.lists(LINES, min_size=1, max_size=6),
    between=st.lists(LINES, max_size=3),
    new=st.lists(LINES, max_size=4),
    match=MATCH,
    whole_lines=st.booleans(),
)
def test_two_copies_of_a_text_are_refused_however_it_is_searched(
    text: list[str], between: list[str], new: list[str], match: str, *, whole_lines: bool
) -> None:
    old, replacement = "".join(f"{line}\n" for line in text), "".join(f"{line}\n" for line in new)
    assume(old.strip())
    body = (old + "".join(f"{line}\n" for line in between) + old).encode()
    answer = locate(Index(body), old, replacement, match=match, whole_lines=whole_lines)
    assert isinstance(answer, Refused)
    assert answer.why in {"ambiguous", "elided"}


NAMES = st.lists(st.integers(10, 99), min_size=3, max_size=8, unique=True)


@st.composite
def a_block(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """Unique statements of a function, at several depths, and the same with one line changed."""
    lines, depth = ["    with_lock():"], 2
    for number in draw(NAMES):
        lines.append("    " * depth + f"value_{number} = compute({number})")
        if draw(st.booleans()):
            lines.append("    " * depth + f"if value_{number}:")
            depth += 1
            lines.append("    " * depth + f"report({number})")
        elif depth > 2 and draw(st.booleans()):
            depth -= 1
    at = draw(st.integers(0, len(lines) - 1))
    changed = [line + "  # checked" if number == at else line for number, line in enumerate(lines)]
    return lines, changed


def render(lines: list[str], cut: int) -> str:
    return "".join(f"{line[cut:]}\n" for line in lines)


@pytest.mark.promise("locate.dialect")
@STEADY
@given(block=a_block(), cut=st.sampled_from([1, 2, 3, 4]))
def test_a_dedented_block_is_changed_as_if_it_was_sent_as_it_is_in_the_file(
    block: tuple[list[str], list[str]], cut: int
) -> None:
    lines, changed = block
    body = ("def main():\n" + render(lines, 0) + "\n\ndef other():\n    pass\n").encode()
    exact = locate(Index(body), render(lines, 0), render(changed, 0))
    dedented = locate(Index(body), render(lines, cut), render(changed, cut))
    assert isinstance(exact, Found)
    assert isinstance(dedented, Found)
    assert (exact.rung, dedented.rung) == ("exact", "indentation")
    assert apply(body, exact.edits) == apply(body, dedented.edits)


@pytest.mark.promise("locate.dialect")
@STEADY
@given(block=a_block(), ending=st.sampled_from(["\r\n", "\r"]), cut=st.integers(0, 4))
def test_a_file_with_other_line_ends_is_changed_the_same(
    block: tuple[list[str], list[str]], ending: str, cut: int
) -> None:
    lines, changed = block
    body = "def main():\n" + render(lines, 0) + "\n\ndef other():\n    pass\n"
    plain = locate(Index(body.encode()), render(lines, cut), render(changed, cut))
    other = body.replace("\n", ending).encode()
    answer = locate(Index(other), render(lines, cut), render(changed, cut))
    assert isinstance(plain, Found)
    assert isinstance(answer, Found)
    assert apply(other, answer.edits) == apply(body.encode(), plain.edits).replace(b"\n", ending.encode())


@pytest.mark.promise("locate.dialect")
@settings(deadline=None, max_examples=500)
@given(request_=a_request())
def test_a_request_is_answered_for_crlf_as_for_lf(request_: Request) -> None:
    body, old, new = (part.replace(b"\r", b"") for part in (request_[0], *(text.encode() for text in request_[1:])))
    assume(b"\n" in body)
    crlf = body.replace(b"\n", b"\r\n")
    plain, other = (locate(Index(content), old.decode(), new.decode()) for content in (body, crlf))
    if isinstance(plain, Found):
        assert isinstance(other, Found)
        assert apply(crlf, other.edits) == apply(body, plain.edits).replace(b"\n", b"\r\n")
    else:
        assert isinstance(other, Refused)
        assert other.why == plain.why


HARD = {
    "a line, many times": (b"    value = 1\n" * 30_000, "value = 1\n" * 40, "value = 2\n" * 40),
    "blank lines": (b"\n" * 50_000, "a\n\n\nb\n", "a\n\nb\n"),
    "closing brackets": (b"  }\n}\n" * 20_000, "}\n    }\nx\n", "}\nx\n"),
    "one long line": (b"a b " * 100_000, "a  b a  b", "c"),
    "parts left out": (b"start()\nstop()\n" * 5_000, "start()\n...\nstop()\n...\nstart()\n", "start()\n...\n"),
    "similar lines": (
        b"".join(b"value_%d = compute(%d)\n" % (n, n) for n in range(30_000)),
        "".join(f"value_{n} = compute({n + 1})\n" for n in range(30)),
        "",
    ),
    "a comment of spaces": (b"x\n", "# ... " + " " * 20_000 + "x\n", "y\n"),
    "a number without end": (b"x\n", "1" * 5_000 + ": a\n", "y\n"),
    "many words": (b"alpha beta\ngamma " * 20_000, "beta gamma\nalpha beta gamma alpha", "x"),
    "a long text": (
        b"".join(b"value_%d = compute(%d)\n" % (n, n) for n in range(5_000)),
        "".join(f"  value_{n} = compute({n})\n" for n in range(0, 5_000, 2)),
        "x\n",
    ),
}


@pytest.mark.promise("locate.outside")
@pytest.mark.parametrize(("body", "old", "new"), HARD.values(), ids=HARD)
def test_hard_texts_are_answered_in_bounded_time(body: bytes, old: str, new: str) -> None:
    began = time.process_time()
    assert isinstance(locate(Index(body), old, new), Refused)
    assert time.process_time() - began < 5
