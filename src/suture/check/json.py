"""JSON, JSON lines, and JSON with comments and trailing commas.

The C scanner of the standard library judges nearly every text that is right. Any other is read again by a scanner
without recursion, whose judgment counts: it says where a text is wrong, and how, and knows no nesting too deep.

Rejected: `orjson` for the first look. It is faster still, but knows neither of keys that stand twice nor, like the
grammar, of half a surrogate pair in an escape, and stops at 1,024 levels.
"""

from __future__ import annotations

from suture.check.issue import INVALID, Issue, Places, cut
from suture.check.worker import TAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from re import Match

    from suture.check.issue import Staging

_LINE_BY_LINE = (".jsonl", ".ndjson", ".jsonlines")
_CLOSED_BY = {"{": "}", "[": "]"}
_WORDS = {"True": "true", "False": "false", "None": "null", "nil": "null", "NULL": "null", "undefined": "null"}
_NOT_NUMBERS = ("NaN", "nan", "Infinity", "inf", "-Infinity", "-inf", "-NaN", "+Infinity")
_QUOTES = "\u201c\u201d\u201e\u00ab\u00bb\u2018\u2019`"
_MOST_TWICE = 1_000

_MAYBE_SPACE = frozenset(" \t\n\r/")
_SPACE = r"[ \t\n\r]*+"
# No group is possessive: until Python 3.11.4 `re` ended such a loop too early. What a group repeats begins with another
# character each time, so there is only one way to match.
_SPACE_OR_COMMENT = r"(?:[ \t\n\r]++|//[^\n\r]*+|/\*(?:[^*]++|\*(?!/))*\*/)*"
_CHARS = r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\x00-\x1f]*+)*'
_NUMBER = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?![\w.+-])"
_LITERAL = r"(?:true|false|null)(?!\w)"
_WORD = r"[^\s{}\[\]\",:']++"


class Json:
    """JSON as RFC 8259 has it. A key that stands twice is a warning."""

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
        """The first error, or all keys that stand twice; of JSON lines, up to the first line that has an error."""
        del before, staging
        if path.lower().endswith(_LINE_BY_LINE):
            return _lines(after)
        return _judged(after, comments=False)


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
        """The first error, or all keys that stand twice."""
        del path, before, staging
        return _judged(after, comments=True)


def _judged(text: str, *, comments: bool) -> list[Issue]:
    if _is_plain(text):
        return []
    scanner = _Scanner(text, comments=comments)
    try:
        scanner.read()
    except _Fault as fault:
        return [Issue("error", *scanner.places.at(fault.offset), INVALID, fault.message)]
    return scanner.twice


def _lines(text: str) -> list[Issue]:
    """The problems of the lines up to the first that has an error."""
    found: list[Issue] = []
    for number, line in enumerate(text.split("\n" if "\n" in text else "\r"), 1):
        if line.strip(" \t\r"):
            issues = [issue.but(line=number) for issue in _judged(line, comments=False)]
            found += issues
            if any(issue.code == INVALID for issue in issues):
                return issues
    return found


class _Odd(Exception):
    pass


class _Strict:
    """What the C scanner asks its decoder for."""

    strict = True
    object_hook = None
    parse_float, parse_int = float, int
    memo: dict[str, str] = {}  # noqa: RUF012  the scanner's own

    @staticmethod
    def parse_constant(name: str) -> float:
        raise _Odd(name)

    @staticmethod
    def object_pairs_hook(pairs: Sequence[tuple[str, object]]) -> None:
        if len({key for key, _ in pairs}) != len(pairs):
            raise _Odd


def _is_plain(text: str) -> bool:
    """Whether a text is JSON with nothing to be said about it; False where this is not certain."""
    from _json import make_scanner

    stripped = text.strip(" \t\n\r")
    try:
        _, end = make_scanner(_Strict)(stripped, 0)  # type: ignore[arg-type]  # any object with these attributes
    except (_Odd, StopIteration, ValueError, RecursionError, SystemError):
        return False  # ValueError: wrong, or a number of many digits; SystemError: wrong, and `json` is not imported
    return bool(end == len(stripped))


class _Fault(Exception):
    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset, self.message = offset, message


class _Scanner:
    """Reads a text once, from its beginning to the first fault."""

    def __init__(self, text: str, *, comments: bool) -> None:
        from re import compile as pattern

        self.places = Places(text)
        self.twice: list[Issue] = []
        self._text = text
        self._comments = comments
        self._space = pattern(_SPACE_OR_COMMENT if comments else _SPACE).match
        self._chars = pattern(_CHARS).match
        self._simple = pattern(f"{_NUMBER}|{_LITERAL}").match
        self._word = pattern(_WORD).match
        self._open: list[tuple[int, dict[str, int] | None]] = []
        """The brackets around the place: offset, and the keys of an object."""

    def read(self) -> None:
        """Raise the first fault, and collect the keys that stand twice."""
        text, at = self._text, self._skip(0)
        if at == len(text):
            raise _Fault(0, "the file holds no value: JSON is never empty (write {} or null)")
        at = self._value(at, "")
        while self._open:
            begin, keys = self._open[-1]
            closer = _CLOSED_BY[text[begin]]
            end, at = at, self._skip(at)
            char = text[at : at + 1]
            if char == closer:
                self._open.pop()
                at += 1
            elif end == begin + 1:  # nothing stands in the brackets yet
                at = self._member(at, keys, char)
            elif char == ",":
                comma, at = at, self._skip(at + 1)
                if text[at : at + 1] == closer:
                    if not self._comments:
                        raise _Fault(comma, f"a trailing comma: JSON allows none before a '{closer}'")
                    self._open.pop()
                    at += 1
                else:
                    at = self._member(at, keys, ",")
            else:
                raise self._behind_value(end, at)
        at = self._skip(at)
        if at < len(text):
            raise self._behind_all(at)

    def _member(self, at: int, keys: dict[str, int] | None, previous: str) -> int:
        """The end of an element, or of a key and its value; of a bracket's beginning where they begin with one."""
        if keys is None:
            return self._value(at, previous)
        end = self._key(at, keys, previous)
        colon = self._skip(end)
        if self._text[colon : colon + 1] != ":":
            raise self._no_colon(end, colon)
        return self._value(self._skip(colon + 1), ":")

    def _value(self, at: int, previous: str) -> int:
        char = self._text[at : at + 1]
        if char == '"':
            return self._string(at)
        if char in _CLOSED_BY:
            self._open.append((at, {} if char == "{" else None))
            return at + 1
        if simple := self._simple(self._text, at):
            return simple.end()
        raise self._no_value(at, previous)

    def _string(self, at: int) -> int:
        found: Match[str] | None = self._chars(self._text, at)
        end = found.end() if found else at
        if self._text[end : end + 1] != '"':
            raise self._bad_string(at, end)
        return end + 1

    def _key(self, at: int, keys: dict[str, int], previous: str) -> int:
        if self._text[at : at + 1] != '"':
            raise self._no_key(at, previous)
        end = self._string(at)
        key = self._text[at + 1 : end - 1]
        if "\\" in key:
            from suture.json_text import loads

            key = str(loads(f'"{key}"'))
        first = keys.setdefault(key, at)
        if first != at and len(self.twice) < _MOST_TWICE:
            message = f"the key {_shown(self._text[at:end])} stands twice in its object, first in line "
            message += f"{self.places.line(first)}: most programs see the last only"
            self.twice.append(Issue("warning", *self.places.at(at), "duplicate-key", message))
        return end

    def _skip(self, at: int) -> int:
        if self._text[at : at + 1] not in _MAYBE_SPACE:
            return at
        found: Match[str] | None = self._space(self._text, at)
        return found.end() if found else at

    def _bad_string(self, begin: int, at: int) -> _Fault:
        char = self._text[at : at + 1]
        if not char:
            return _Fault(begin, "the string that begins here is never closed")
        if char in "\n\r":
            why = "a '\"' is missing, or a line break inside it must be written as \\n"
            return _Fault(begin, f"the string that begins here is not closed in its line: {why}")
        if char == "\\":
            after = self._text[at + 1 : at + 2]
            if after == "u":
                return _Fault(at, "\\u must be followed by four hexadecimal digits")
            return _Fault(at, f"{_shown(char + after)} is no escape that JSON knows: a '\\' itself is written as \\\\")
        written = "\\t" if char == "\t" else f"\\u{ord(char):04x}"
        return _Fault(at, f"{_visible(char)} inside a string must be written as {written}")

    def _no_value(self, at: int, previous: str) -> _Fault:
        char = self._text[at : at + 1]
        if not char:
            return self._never_closed()
        if fault := self._strange(at):
            return fault
        if char in "}]" and previous != ":":
            return self._wrong_closer(at)
        return _Fault(at, self._about_value(at, char, previous))

    def _about_value(self, at: int, char: str, previous: str) -> str:
        """Why no value begins at an offset."""
        if char in "}]":
            return f"a value is missing between ':' and '{char}'"
        if char == ",":
            return "a value is missing " + ("behind ':'" if previous == ":" else "before the comma")
        if char == ":":
            return "a ':' cannot stand here: only objects, which stand in {}, have keys"
        word = self._word_at(at)
        if word in _NOT_NUMBERS:
            return f"{word} is not JSON: it has no such number (write null, or a string)"
        meant = _WORDS.get(word, word.lower())
        if meant in {"true", "false", "null"}:
            return f"{word} is not JSON: write {meant}"
        return _about_number(word)

    def _no_key(self, at: int, previous: str) -> _Fault:
        char = self._text[at : at + 1]
        if not char:
            return self._never_closed()
        if fault := self._strange(at):
            return fault
        if char == "]":
            return self._wrong_closer(at)
        if char == ",":
            what = "before" if previous == "," else "behind '{', before"
            return _Fault(at, f"a key and its value are missing {what} this comma")
        word = self._word_at(at)
        if not word[0].isalnum() and word[0] not in "_$":
            return _Fault(at, f"a key in double quotes must stand here, not {_shown(char)}")
        return _Fault(at, f'a key needs double quotes: "{cut(word)}"')

    def _no_colon(self, end: int, at: int) -> _Fault:
        char = self._text[at : at + 1]
        if not char:
            return self._never_closed()
        if char == "=":
            return _Fault(at, "between a key and its value stands ':', not '='")
        if char in ",}":
            return _Fault(end, "a ':' and a value are missing behind this key")
        return self._comment(at) or _Fault(end, "a ':' is missing behind this key")

    def _behind_value(self, end: int, at: int) -> _Fault:
        char = self._text[at : at + 1]
        if not char:
            return self._never_closed()
        if char in "}]":
            return self._wrong_closer(at)
        if fault := self._comment(at):
            return fault
        if char in ";:.=" or ord(char) < ord(" "):
            return _Fault(at, f"{_visible(char)} cannot stand behind a value: a ',' or a closing bracket must")
        if at == end and self._text[end - 1] == '"' and (char.isalnum() or char == "\\"):
            return _Fault(end, "text behind the end of a string: a '\"' inside a string must be written as \\\"")
        return _Fault(end, "a comma is missing here, behind the previous value")

    def _behind_all(self, at: int) -> _Fault:
        char = self._text[at]
        if fault := self._comment(at):
            return fault
        if char in "}]":
            return _Fault(at, f"this '{char}' closes nothing: the value has ended before")
        if char == ",":
            return _Fault(at, "a comma behind the end of the value: a JSON file holds one value only")
        return _Fault(at, "text behind the end of the value: a JSON file holds one value only")

    def _never_closed(self) -> _Fault:
        begin = self._open[-1][0]
        return _Fault(begin, f"this '{self._text[begin]}' is never closed")

    def _wrong_closer(self, at: int) -> _Fault:
        char = self._text[at]
        if not self._open:
            return _Fault(at, f"this '{char}' closes nothing")
        begin = self._open[-1][0]
        opener = self._text[begin]
        line = self.places.line(begin)
        return _Fault(at, f"this '{char}' does not close the '{opener}' of line {line}: '{_CLOSED_BY[opener]}' must")

    def _strange(self, at: int) -> _Fault | None:
        """What can stand neither as a key nor as a value."""
        char = self._text[at]
        if char == "'":
            return _Fault(at, "single quotes are not JSON: a string stands in double quotes")
        if char in _QUOTES:
            return _Fault(at, f"{char} is no quotation mark of JSON: a string stands in straight double quotes")
        if char.isspace() or ord(char) < ord(" ") or char == "\ufeff":
            return _Fault(at, f"{_visible(char)} is no space that JSON allows")
        if self._text.startswith("...", at):
            return _Fault(at, "'...' is not JSON: something was left out here")
        return self._comment(at)

    def _comment(self, at: int) -> _Fault | None:
        if self._text.startswith("/*", at) and self._comments:
            return _Fault(at, "the comment that begins here is never closed")
        if self._text.startswith(("//", "/*"), at) and not self._comments:
            return _Fault(at, "a comment: plain JSON has none")
        if self._text.startswith("#", at):
            kinds = "a comment begins with // or /* here" if self._comments else "plain JSON has none"
            return _Fault(at, f"a comment with '#': {kinds}")
        return None

    def _word_at(self, at: int) -> str:
        found: Match[str] | None = self._word(self._text, at)
        return found[0] if found else self._text[at : at + 1]


def _about_number(word: str) -> str:
    """What is wrong with a word that is no value."""
    digits = word.lstrip("+-")
    reasons = (
        (digits[:1] not in set("0123456789.") and word[:1] not in set("+-"), ""),
        (word.startswith("+"), "no '+' may stand before it"),
        (digits[:2].lower() in {"0x", "0o", "0b"}, "only decimal digits are allowed"),
        ("_" in word, "no '_' may stand in it"),
        (digits.startswith("."), "a digit must stand before the point"),
        (digits[:1] == "0" and digits[1:2].isdigit(), "it may not begin with 0"),
        (digits.endswith(".") or ".e" in digits.lower(), "a digit must stand behind the point"),
        (any(char.isalpha() and char not in "eE" for char in digits), ""),
    )
    why = next((why for holds, why in reasons if holds), "digits are missing or too many")
    if not why:
        return f"{_shown(word)} is no value of JSON: a text needs double quotes"
    return f"{_shown(word)} is no number of JSON: {why}"


def _shown(text: str) -> str:
    return f"'{cut(text)}'" if not text.startswith('"') else cut(text)


def _visible(char: str) -> str:
    if char == "\t":
        return "a tab"
    return f"'{char}'" if char.isprintable() and not char.isspace() else f"the character U+{ord(char):04X}"
