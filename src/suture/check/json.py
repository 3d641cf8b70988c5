"""JSON, JSON lines, and JSON with comments and trailing commas.

The standard library's parser judges, and its words are used: what it expected, and what is there instead. A bracket
that is missing, or one too many, it notices far behind, often at the end; the indentation shows where it was to be
(docs/adr/0025 has the figures). Comments and trailing commas are blanked before it reads, so that places stay.

Rejected: `orjson`. It is faster still, but accepts duplicate keys without a word, and refuses half a surrogate pair in
an escape, which RFC 8259 allows.
"""

from __future__ import annotations

from suture.check.issue import INVALID, Issue, NotRunError, Places, cut
from suture.check.worker import TAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Match

    from suture.check.issue import Staging

_LINE_BY_LINE = (".jsonl", ".ndjson", ".jsonlines")
_CLOSED_BY = {"{": "}", "[": "]"}
_MAX_DUPLICATES = 1_000  # reported in one text
_SPACE = " \t\n\r"
_STRING = r'"[^"\\\n\r]*+(?:\\.[^"\\\n\r]*+)*"?'
"""A string, or one that is not closed, up to the end of its line."""
_COMMENT = rf"{_STRING}|//[^\n\r]*+|/\*[\s\S]*?\*/|(?P<unclosed>/\*[\s\S]*+)"
_TRAILING = rf"(?:{_STRING}|[\w\]}}])[{_SPACE}]*+,(?=[{_SPACE}]*+[}}\]])|{_STRING}"
_NESTING = rf"(?P<indent>(?<![^\n\r])[ \t]*+)?(?P<token>{_STRING}|[{{}}\[\]])(?P<is_key>[{_SPACE}]*+:)?"
_CONSTANT = rf"{_STRING}|-?(?:NaN|Infinity)"


class Json:
    """JSON as RFC 8259 has it. A duplicate key is a warning."""

    name = "json"
    files = (
        "*.json",
        "*.jsonl",
        "*.ndjson",
        "*.jsonlines",
        "*.geojson",
        "*.topojson",
        "*.jsonld",
        "*.ipynb",
        "*.webmanifest",
        "*.har",
        "*.sarif",
        "*.gltf",
        "*.tfstate",
        ".watchmanconfig",
        ".bowerrc",
        ".all-contributorsrc",
        "Pipfile.lock",
        "composer.lock",
        "deno.lock",
        "flake.lock",
    )
    syntax_codes = (INVALID,)
    first_only = True
    tame = TAME

    def check(self, path: str, before: str | None, after: str, staging: Staging) -> list[Issue]:
        """The first error, or all duplicate keys; of JSON lines, those up to the first line that has an error."""
        del before, staging
        if path.lower().endswith(_LINE_BY_LINE):
            return _check_lines(after)
        return _check(after, comments=False)


class JsonWithComments:
    """JSON in which comments and trailing commas are allowed, under the names by which tools read it so."""

    name = "jsonc"
    files = (
        "*.jsonc",
        "*.code-workspace",
        "*.code-snippets",
        "*.sublime-build",
        "*.sublime-color-scheme",
        "*.sublime-commands",
        "*.sublime-completions",
        "*.sublime-keymap",
        "*.sublime-macro",
        "*.sublime-menu",
        "*.sublime-mousemap",
        "*.sublime-project",
        "*.sublime-settings",
        "*.sublime-theme",
        "**/.vscode/*.json",
        "**/.zed/*.json",
        "tsconfig*.json",
        "jsconfig*.json",
        "appsettings*.json",
        "devcontainer.json",
        ".devcontainer.json",
        ".eslintrc.json",
        ".oxlintrc.json",
        ".jshintrc",
        ".jscsrc",
        ".jslintrc",
        ".babelrc",
        ".babelrc.json",
        "babel.config.json",
        ".swcrc",
        ".luarc.json",
        ".markdownlint.json",
        ".cspell.json",
        "cspell.json",
        "angular.json",
        "api-extractor.json",
        "biome.json",
        "deno.json",
        "language-configuration.json",
        "pyrightconfig.json",
        "rush.json",
        "tslint.json",
        "turbo.json",
        "typedoc.json",
    )
    syntax_codes = (INVALID,)
    first_only = True
    tame = TAME

    def check(self, path: str, before: str | None, after: str, staging: Staging) -> list[Issue]:
        """The first error, or all duplicate keys."""
        del path, before, staging
        return _check(after, comments=True)


def _check(text: str, *, comments: bool) -> list[Issue]:
    from json import JSONDecodeError, JSONDecoder

    constants: list[str] = []
    duplicates = False

    def take(pairs: list[tuple[str, object]]) -> None:
        nonlocal duplicates
        duplicates = duplicates or len({key for key, _ in pairs}) != len(pairs)

    places = Places(text)
    if comments:
        text = without_comments(text)
    try:
        # No number is made: `int` refuses one of many digits.
        JSONDecoder(object_pairs_hook=take, parse_constant=constants.append, parse_float=len, parse_int=len).decode(
            text
        )
    except JSONDecodeError as error:
        offset, message = _explain(text, places, error.pos, error.msg)
        return [Issue("error", *places.at(offset), INVALID, message)]
    except RecursionError:
        raise NotRunError("it is nested too deeply") from None
    if constants:
        return [_constant(text, places, constants[0])]
    return _duplicates(text, places) if duplicates else []


def _check_lines(text: str) -> list[Issue]:
    """The problems of the lines up to the first that has an error."""
    issues: list[Issue] = []
    for number, line in enumerate(text.split("\n" if "\n" in text else "\r"), 1):
        if line.strip(" \t\r"):
            line_issues = [issue.but(line=number) for issue in _check(line, comments=False)]
            issues += line_issues
            if any(issue.code == INVALID for issue in line_issues):
                return line_issues
    return issues


def without_comments(text: str) -> str:
    """A text whose comments and trailing commas are blanks."""
    from re import sub

    def blank(match: Match[str]) -> str:
        kept = match[0].startswith('"') or match["unclosed"]
        return match[0] if kept else sub(r"[^\n\r]", " ", match[0])

    def drop(match: Match[str]) -> str:
        return match[0][:-1] + " " if match[0].endswith(",") else match[0]

    return sub(_TRAILING, drop, sub(_COMMENT, blank, text))


def _explain(text: str, places: Places, at: int, message: str) -> tuple[int, str]:
    """Where the parser's error is, and its message with what is there."""
    from re import compile as pattern

    char = text[at : at + 1]
    end = len(text[:at].rstrip(_SPACE))
    comma = at if message.startswith("Illegal trailing comma") else end - 1
    if trailing := pattern(rf",[{_SPACE}]*([}}\]])").match(text, comma):
        return comma, f"Illegal trailing comma before '{trailing[1]}'"  # the words of Python 3.13
    if message == "Extra data" or char in {"", "}", "]"}:
        misplaced = _misplaced_bracket(text, places, at)
        if misplaced is not None:
            return misplaced
    message = message.removesuffix(" starting at").removesuffix(" at").rstrip(": ")
    if message.startswith("Expecting"):
        word = pattern(rf'{_STRING}|[^\s{{}}\[\]",:]++|.').match(text, at)
        actual = f"`{cut(word[0])}`" if word else "the end of the text"
        return at if word and "delimiter" not in message else end, f"{message}, not {actual}"
    return at, f"{message} in a string: {char!r}" if message == "Invalid control character" else message


def _misplaced_bracket(text: str, places: Places, until: int) -> tuple[int, str] | None:
    """The first line whose indentation does not fit the bracket around it, or a bracket that another one closes."""
    from re import compile as pattern

    lead = pattern(r"[ \t]*+").match
    around: list[tuple[int, int, int | None]] = []
    """Of the open brackets: offset, indentation of the line, and that of the lines inside, if they are indented."""
    for match in pattern(_NESTING).finditer(text, 0, until + 1):
        token, at = match["token"], match.start("token")
        closes = token in {"}", "]"}
        if closes and not around:
            return None
        if around and match["indent"] is not None:
            begin, outer, inner = around[-1]
            indent = len(match["indent"])
            if inner is None and indent > outer and not closes:
                around[-1] = (begin, outer, indent)
            elif inner is not None and indent != (outer if closes else inner):
                opener = f"'{text[begin]}' of line {places.line(begin)}"
                return at, f"a bracket is missing or too many above: this line is not indented as in the {opener}"
        if token in _CLOSED_BY:
            line = lead(text, at - places.at(at)[1] + 1)
            around.append((at, len(line[0]) if line else 0, None))
        elif closes:
            begin = around.pop()[0]
            if _CLOSED_BY[text[begin]] != token:
                return at, f"'{token}' does not close the '{text[begin]}' of line {places.line(begin)}"
    return None


def _constant(text: str, places: Places, name: str) -> Issue:
    """A number that Python's parser knows, and JSON does not."""
    from re import finditer

    offset = next(match.start() for match in finditer(_CONSTANT, text) if match[0] == name)
    return Issue("error", *places.at(offset), INVALID, f"Expecting value, not `{name}`")


def _duplicates(text: str, places: Places) -> list[Issue]:
    """The duplicate keys of a text that is right."""
    from json import loads
    from re import finditer

    issues: list[Issue] = []
    around: list[dict[object, int]] = []
    for match in finditer(_NESTING, text):
        token, at = match["token"], match.start("token")
        if token in _CLOSED_BY:
            around.append({})
        elif token in {"}", "]"}:
            around.pop()
        elif match["is_key"]:
            first = around[-1].setdefault(loads(token), at)
            if first != at and len(issues) < _MAX_DUPLICATES:
                message = f"duplicate key {cut(token)}, first in line {places.line(first)}: most programs use the last"
                issues.append(Issue("warning", *places.at(at), "duplicate-key", message))
    return issues
