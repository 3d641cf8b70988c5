from __future__ import annotations

import pytest

from suture.check.issue import Issue, NotRunError
from suture.check.syntax import LANGUAGES, Grammar, Language, Syntax
from tests.unit.check.syntax_samples import BROKEN, GOOD, REPEATED, repeat_sample

LANGUAGE = {language.name: language for language in LANGUAGES}
GOOD_TEXTS = [(name, number) for name, texts in GOOD.items() for number in range(len(texts))]
BROKEN_TEXTS = [(name, number) for name, breaks in BROKEN.items() for number in range(len(breaks))]


class Staged:
    root = "/"
    name = "/file"

    def __init__(self, seconds: float = 10.0) -> None:
        self.seconds = seconds

    def folder(self) -> str:
        raise NotImplementedError

    def file(self) -> str:
        raise NotImplementedError


def issues(name: str, after: str, before: str | None = None) -> list[Issue]:
    pytest.importorskip(LANGUAGE[name].grammars[0].module)
    return Syntax(LANGUAGE[name]).check("file", before, after, Staged())


def break_sample(name: str, number: int) -> tuple[str, str, int]:
    """A good text, a broken one, and the line where a person would look."""
    good, old, new = BROKEN[name][number]
    assert good.count(old) == 1, f"{old!r} must occur once"
    at = good.index(old)
    same = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    line = good.count("\n", 0, at + same) + 1
    return good, good.replace(old, new), line


def test_every_language_has_samples() -> None:
    assert dict.fromkeys(LANGUAGE, 3) == {name: min(3, len(GOOD[name]), len(BROKEN[name])) for name in LANGUAGE}


@pytest.mark.parametrize(("name", "number"), GOOD_TEXTS)
def test_good_text_has_no_issue(name: str, number: int) -> None:
    assert issues(name, GOOD[name][number]) == []


@pytest.mark.parametrize(("name", "number"), BROKEN_TEXTS)
def test_what_an_edit_broke_is_shown_there(name: str, number: int) -> None:
    good, bad, line = break_sample(name, number)
    [issue] = issues(name, bad, good)
    assert abs(issue.line - line) <= 1, issue
    assert (issue.code, issue.severity) == ("invalid-syntax", "error")


@pytest.mark.parametrize(("name", "number"), [case for case in BROKEN_TEXTS if LANGUAGE[case[0]].trusted])
def test_a_new_file_that_is_broken_is_shown_there(name: str, number: int) -> None:
    _, bad, line = break_sample(name, number)
    first = issues(name, bad)[0]
    assert abs(first.line - line) <= 1, first


def long_text(name: str) -> list[str]:
    return repeat_sample(name, 40).split("\n")


def inner_end(lines: list[str]) -> int:
    """The line that ends the inner block of a function in the middle."""
    call = next(at for at, line in enumerate(lines) if at > 150 and line.strip().lower().startswith("call("))
    return call + 1


@pytest.mark.parametrize("name", sorted(REPEATED))
@pytest.mark.parametrize("known", [True, False], ids=["edit", "new"])
def test_closer_missing_in_a_long_file_is_shown_where_it_was(name: str, *, known: bool) -> None:
    lines = long_text(name)
    at = inner_end(lines)
    after = "\n".join(lines[:at] + lines[at + 1 :])
    [issue] = issues(name, after, "\n".join(lines) if known else None)
    assert abs(issue.line - (at + 1)) <= 1, issue
    assert issue.message.startswith("missing `")


@pytest.mark.parametrize("name", sorted(REPEATED))
@pytest.mark.parametrize("known", [True, False], ids=["edit", "new"])
def test_function_that_is_not_closed_in_a_long_file_is_shown_at_its_end(name: str, *, known: bool) -> None:
    lines = long_text(name)
    at = inner_end(lines) + 2
    assert lines[at].strip() in {"}", "end"}
    after = "\n".join(lines[:at] + lines[at + 1 :])
    [issue] = issues(name, after, "\n".join(lines) if known else None)
    assert abs(issue.line - (at + 1)) <= 1, issue


@pytest.mark.parametrize("name", sorted(REPEATED))
@pytest.mark.parametrize("known", [True, False], ids=["edit", "new"])
def test_parenthesis_missing_in_a_long_file_is_shown_where_it_was(name: str, *, known: bool) -> None:
    lines = long_text(name)
    at = inner_end(lines) - 1
    after = "\n".join([*lines[:at], lines[at].replace(")", ""), *lines[at + 1 :]])
    problems = issues(name, after, "\n".join(lines) if known else None)
    assert abs(problems[0].line - (at + 1)) <= 1, problems


@pytest.mark.parametrize("name", sorted(REPEATED))
def test_fault_in_a_rewritten_function_is_shown_inside_of_it(name: str) -> None:
    lines = long_text(name)
    at = inner_end(lines)
    fresh = [line.replace("call", "other").replace("Call", "Other") for line in lines[at - 5 : at + 5]]
    after = "\n".join([*lines[: at - 5], *fresh[:5], *fresh[6:], *lines[at + 5 :]])
    [issue] = issues(name, after, "\n".join(lines))
    assert abs(issue.line - (at + 1)) <= 1, issue


def test_lines_that_end_with_carriage_returns() -> None:
    assert issues("go", GOOD["go"][0].replace("\n", "\r\n")) == []
    good, bad, _ = break_sample("go", 3)
    plain, returned = issues("go", bad, good), issues("go", bad.replace("\n", "\r\n"), good.replace("\n", "\r\n"))
    assert plain == returned


@pytest.mark.parametrize(
    ("after", "line", "column"),
    [
        ('const a = "äöü", b = f(1 2);\n', 1, 26),
        ('const a = "😀", b = f(1 2);\n', 1, 24),
        ("// ünïcödé\nlet x = ;\n", 2, 9),
        ('const s = "日本語";\r\nlet x = (1;\r\n', 2, 11),
    ],
)
def test_columns_are_code_points(after: str, line: int, column: int) -> None:
    [issue] = issues("javascript", after)
    assert (issue.line, issue.column) == (line, column)


@pytest.mark.parametrize("name", LANGUAGE)
def test_empty_text_has_no_issue(name: str) -> None:
    assert [issues(name, text) for text in ("", "\n", "\r\n\r\n")] == [[], [], []]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("javascript", "// only\n/* words\n   here */"),
        ("go", "// only words\n"),
        ("rust", "//! only words\n"),
        ("python-like", "# only words"),
        ("bash", "#!/bin/sh\n# only words"),
        ("css", "/* only words */"),
        ("html", "<!-- only words -->"),
        ("lua", "-- only words\n--[[ and\nmore ]]"),
        ("haskell", "-- only words\n"),
        ("sql", "-- only words\n"),
        ("make", "# only words"),
        ("nix", "# only words\n{ }"),
    ],
)
def test_text_of_comments_has_no_issue(name: str, text: str) -> None:
    assert issues("ruby" if name == "python-like" else name, text) == []


MESSAGES = [
    ("function a() {\n  if (x) {\n    b();\n}\n", "missing `}` to close the `{` in line 2", 3, 9),
    ("f(a, (b);\n", "missing `)` to close the `(` in line 1", 1, 9),
    ("a();\n}\nb();\n", "unexpected `}`: it closes nothing", 2, 1),
    ("function a()\n  b();\n}\n", "missing `{`", 1, 13),
    ('const a = "one;\nconst b = "two";\n', 'this `"` is never closed', 1, 11),
    ("f(1 2);\n", "unexpected `2`", 1, 5),
    ("f();\n...\ng();\n", "`...` is not code: something was left out here", 2, 1),
]


@pytest.mark.parametrize(("after", "message", "line", "column"), MESSAGES)
def test_message_says_what_is_wrong(after: str, message: str, line: int, column: int) -> None:
    assert issues("javascript", after) == [Issue("error", line, column, "invalid-syntax", message)]


def test_block_that_a_word_closes() -> None:
    text = "def a(x)\n  if x\n    b\nend\n\ndef c\nend\n"
    assert [(issue.line, issue.message) for issue in issues("ruby", text)] == [
        (3, "missing `end` to close the `if` in line 2")
    ]


def test_independent_faults_are_all_shown_and_no_more_than_forty() -> None:
    assert [issue.line for issue in issues("javascript", "f(1 2);\ng();\nf(3 4);\n")] == [1, 3]
    assert len(issues("javascript", "f(1 2);\n" * 50)) == 40


def test_only_the_guilty_one_of_several_changes_is_shown() -> None:
    lines = long_text("javascript")
    after = [line.replace("return b", "return a") for line in lines]
    at = inner_end(lines)
    problems = issues("javascript", "\n".join(after[:at] + after[at + 1 :]), "\n".join(lines))
    assert [abs(issue.line - (at + 1)) <= 1 for issue in problems] == [True]


DEEP = ("(" * 100_000, "[" * 50_000 + "]" * 50_000, ")" * 100_000)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "text"), [*(("javascript", text) for text in DEEP), ("go", DEEP[0]), ("c", DEEP[1])])
def test_deep_nesting_ends(name: str, text: str) -> None:
    try:
        issues(name, text)
    except NotRunError as error:
        assert "time limit" in str(error) or "cannot parse it" in str(error)  # noqa: PT017  a hang would be wrong


@pytest.mark.promise("safe.not-run")
def test_untrusted_language_has_not_checked_what_its_grammar_could_not_read_before() -> None:
    unreadable = "BEGIN_LIST(a b c)\nint x = 1;\n"
    for text, before in ((unreadable, None), (f"{unreadable}int y = ;\n", unreadable)):
        with pytest.raises(NotRunError, match="may be the grammar's fault"):
            issues("c", text, before)
    [issue] = issues("c", "int x = ;\n", "int x = 1;\n")
    assert (issue.severity, issue.line) == ("error", 1)


@pytest.mark.parametrize(
    ("name", "text"), [("c", "int main( {\n  return 0\n}\n"), ("csharp", "class A { void f( { } }\n")]
)
def test_untrusted_language_knows_brackets(name: str, text: str) -> None:
    assert [issue.line for issue in issues(name, text)] == [1]


def test_all_faults_of_a_text_that_was_broken_before_are_reported() -> None:
    text = "const a = ;\nfunction b( {\n}\nconst c = 1;\n"
    assert {1, 2} <= {issue.line for issue in issues("javascript", text)}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("const x = (\n  <div>\n    <p>hi</span>\n  </div>\n);\n", 3, "`</span>` does not close the `<p>` in line 3"),
        ("const x = <A.b>é</A.c>;\n", 1, "`</A.c>` does not close the `<A.b>` in line 1"),
    ],
)
def test_elements_that_are_closed_by_another_name(text: str, line: int, words: str) -> None:
    [issue] = issues("tsx", text)
    assert (issue.line, issue.message) == (line, words)
    assert issues("tsx", "const x = <><p>a</p><br /></>;\n") == []


def test_dialects_that_a_grammar_does_not_know_are_not_checked() -> None:
    with pytest.raises(NotRunError, match="it contains @flow"):
        issues("javascript", "/* @flow */\nimport type {A} from './a';\nconst a: A = 1;\n")
    with pytest.raises(NotRunError, match="such files"):
        Syntax(LANGUAGE["typescript"]).check("a.d.ts", None, "let = ;", Staged())
    assert issues("javascript", "/* @flow */\nconst a = 1;\n") == []


def test_grammar_that_is_not_installed() -> None:
    language = Language("nothing", ("*.nothing",), (Grammar("tree_sitter_no_such_thing"),))
    with pytest.raises(NotRunError) as caught:
        Syntax(language).check("a.nothing", None, "x", Staged())
    assert str(caught.value) == "tree-sitter-no-such-thing is not installed: pip install 'suture[syntax]'"


def test_grammar_of_another_shape() -> None:
    pytest.importorskip("tree_sitter")
    language = Language("json", ("*.x",), (Grammar("json", "language"),))
    with pytest.raises(NotRunError, match="does not fit"):
        Syntax(language).check("a.x", None, "x", Staged())


def test_time_limit_stops() -> None:
    pytest.importorskip("tree_sitter_javascript")
    with pytest.raises(NotRunError, match="time limit"):
        Syntax(LANGUAGE["javascript"]).check("a.js", None, "f();\n" * 100_000, Staged(0.0))


@pytest.mark.parametrize("name", ["javascript", "c"])
def test_whenever_the_time_is_over_it_is_said_or_there_is_an_answer(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(LANGUAGE[name].grammars[0].module)
    good, bad, line = break_sample(name, 0)
    answers: list[list[int] | None] = []
    for ticks in range(1, 60):
        clock = iter([0.0] * ticks)
        monkeypatch.setattr("suture.check.syntax.monotonic", lambda clock=clock: next(clock, 100.0))
        try:
            answers.append([issue.line for issue in Syntax(LANGUAGE[name]).check("file", good, bad, Staged())])
        except NotRunError:
            answers.append(None)
    assert answers[0] is None
    assert [abs(number - line) <= 1 for number in answers[-1] or []] == [True]


def test_line_that_was_taken_away_is_shown_where_it_was() -> None:
    lines = long_text("javascript")
    at = inner_end(lines) - 4
    assert lines[at].startswith("function")
    [issue] = issues("javascript", "\n".join(lines[:at] + lines[at + 1 :]), "\n".join(lines))
    assert abs(issue.line - (at + 1)) <= 1, issue
    assert issue.message.startswith("broken here, noticed in line ")


def test_several_changes_that_all_break_are_all_shown() -> None:
    before = "f(1, 2);\ng();\nf(3, 4);\n"
    assert [issue.line for issue in issues("javascript", before.replace(", ", " "), before)] == [1, 3]


def test_names_and_globs_are_unique() -> None:
    checks = [Syntax(language) for language in LANGUAGES]
    globs = [glob for check in checks for glob in check.files]
    assert len(globs) == len(set(globs))
    assert len({check.name for check in checks}) == len(LANGUAGES)
    assert all("/" not in glob for glob in globs)
    assert {check.syntax_codes for check in checks} == {("invalid-syntax",)}
