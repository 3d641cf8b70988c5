"""Bytes as text, JSON, diffs and merges; and the checks of file contents."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any, cast

from suture import json_text
from suture.check.data import Json, JsonWithComments, Toml, Xml, Yaml, load_toml
from suture.check.issue import NotRunError, compare
from suture.check.markers import ConflictMarkers
from suture.check.python import PythonSyntax
from suture.check.registry import merge_configurations, parse_configuration
from suture.errors import SutureError
from suture.text import Lines, Text
from suture.text.diff import FileDiff, counts, line_edits, unified_and_counts
from suture.text.edits import apply
from suture.text.merge import STRATEGIES, merge
from tests.fuzz.mutation import encode_words
from tests.fuzz.target import Choices, Target, as_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from suture.check.issue import Issue, Staging, Validator

_ENCODINGS = [None, "utf-8", "latin-1", "cp1252", "shift_jis", "gb18030", "utf-16", "utf-7", "iso2022_jp", "utf-32-be"]
_ENCODINGS += ["idna", "punycode", "hz", "big5", "unicode_escape", "raw_unicode_escape", "x", "\0", "rot13", "mbcs"]


def _text(data: bytes) -> object:
    choices = Choices(data)
    encoding = choices.of(_ENCODINGS)
    new, raw = as_text(choices.piece()), choices.rest()
    try:
        text = Text.decode(raw, encoding)
    except SutureError as error:
        return error.code
    assert text.encode() == raw, "a text is not what was read"
    lines = text.lines
    for offset in filter(lambda offset: _is_boundary(text.body, offset), (0, len(text.body) // 2, len(text.body))):
        line, column = lines.position(offset)
        assert lines.offset(line, column) == offset, "a position leads elsewhere"
    assert b"".join(text.body[slice(*lines.span(line))] for line in range(1, len(lines) + 1)) == text.body, (
        "lines leave something out"
    )
    text.show(0, 50), text.candidates()
    try:
        added = text.body_bytes(new)
        places = [offset for offset in range(min(len(text.body), 30) + 1) if _is_boundary(text.body, offset)]
        start = choices.of(places or [0])
        inserted = b"".join(bytes(piece) for piece in text.splice([(start, start, added)]))
    except SutureError as error:
        return text.encoding, error.code
    if text.body_is_raw:
        assert inserted == text.bom + text.body[:start] + added + text.body[start:], "an insertion gives something else"
    return text.encoding, lines.style()


def _is_boundary(body: bytes, offset: int) -> bool:
    return offset == len(body) or body[offset] & 0xC0 != 0x80


def _json(data: bytes) -> object:
    text = as_text(data)
    actual = _try_read(lambda: json_text.loads(text))
    expected = _try_read(lambda: json.loads(text))
    if "RecursionError" in f"{actual!r:.20}{expected!r:.20}":  # how deep is too deep depends on the caller
        return "deep"
    assert repr(actual) == repr(expected), "JSON is read otherwise than by json"
    if isinstance(actual, _Refusal):
        return actual[:30]
    json_text.loads_own(text)
    try:
        assert repr(json.loads(json_text.dumps(actual))) == repr(actual), "JSON does not come back"
    except RecursionError:
        return "deep"
    json.loads(json_text.quoted(text[:1000]))
    return type(actual).__name__


def _try_read(read: Callable[[], object]) -> object:
    try:
        return read()
    except (ValueError, RecursionError) as error:
        return _Refusal(f"{type(error).__name__} {error}")


class _Refusal(str):
    """The refusal of a text that cannot be read, with the reason."""

    __slots__ = ()


def _difference(data: bytes) -> object:
    before, _, after = data.partition(b"\xfe")
    edits = line_edits(before, after)
    assert apply(before, edits) == after, "a difference does not give the new text"
    diff, added, removed = unified_and_counts(FileDiff("a", "a", before, tuple(edits)))
    assert (added, removed) == counts(before, edits), "lines are counted differently"
    Lines(before).style()
    return len(edits), added > removed, len(diff) > 100


def _merge(data: bytes) -> object:
    base, ours, theirs, *_ = (*data.split(b"\xfe"), b"", b"")
    outcome = []
    for strategy in STRATEGIES:
        result = merge(base, ours, theirs, strategy, touching=bool(len(data) % 2))
        outcome.append(len(result.conflicts))
        if not result.conflicts or strategy != "refuse":
            apply(ours, result.edits)
    assert apply(ours, merge(ours, ours, theirs).edits) == theirs, "what only they changed is not taken"
    return outcome


class _Staged:
    """Staging for a text that no program reads; a long one is checked in a worker."""

    root = "/nowhere"
    name = ""
    seconds = 10.0

    def folder(self) -> str:
        raise NotImplementedError

    file = folder


_STAGING: Staging = _Staged()


def _check(validator: Validator, name: str, read: Callable[[str], object] | None = None) -> Callable[[bytes], object]:
    """A check: it reports problems that exist, or says that it could not run."""

    def run(data: bytes) -> object:
        text = as_text(data)
        try:
            issues = validator.check(name, None, text, _STAGING)
        except NotRunError as error:
            return str(error)[:20]
        _check_issues(issues, text)
        if read is not None and not issues:
            read(text)
        changed = text[: len(text) // 2] + text[len(text) // 2 + 1 :]
        try:
            later = validator.check(name, text, changed, _STAGING)
        except NotRunError:
            return len(issues)
        result = compare(text, changed, issues, later, getattr(validator, "syntax_codes", ()), first_only=True)
        assert len(result.new) + len(result.existing) == len(later), "a comparison loses problems"
        return len(issues), [issue.code for issue in issues][:3]

    return run


def _check_issues(issues: Sequence[Issue], text: str) -> None:
    lines = text.count("\n") + text.count("\r") + 2
    for issue in issues:
        assert 1 <= issue.line <= lines, "a problem lies outside of the text"
        assert issue.column >= 0, "a problem lies before its line"
        assert len(issue.message) < 2_000, "a message is too long"


def _read_json(text: str) -> object:
    return json.loads(text.removeprefix("\ufeff"), parse_int=str)  # int() accepts at most 4300 digits


def _configuration(data: bytes) -> object:
    text = as_text(data)
    try:
        tables = cast("dict[str, Any]", load_toml("x", text))
    except (ValueError, NotRunError):
        return None
    configuration = parse_configuration(tables, "x", by_project=bool(len(data) % 2))
    merge_configurations(configuration, parse_configuration(tables, "y", by_project=False))
    return len(configuration.rules), len(configuration.problems)


_JSONS = encode_words(['{"a": [1, 2.5e3, null, true, "\\u00e9\\n"], "b": {}}', "[]", "1", '"x"', '{"a": 1, "a": 2}'])
_JSON_WORDS = encode_words(
    [
        '{"a":',
        "}",
        "[",
        "]",
        ",",
        ":",
        '"',
        '"a"',
        "1",
        "-0",
        "1e5",
        "0x1",
        "null",
        "true",
        "NaN",
        "Infinity",
        "\\u",
        "//",
    ],
    ["/*", "*/", "\\", "\\ud83c", "'", ".5", "+1", "01", " ", "\n"],
)
_YAMLS = encode_words(
    ["a: 1\nb:\n  - c\n  - {d: e, f: [g]}\n--- \n&x y: *x\n<<: {}\n", "- |\n  a\n  b\n- >-\n  c\n", "? a\n: b\n"]
)
_YAML_WORDS = encode_words(
    [
        "a: ",
        "- ",
        "? ",
        ": ",
        "&a ",
        "*a",
        "!!str ",
        "!t ",
        "|",
        ">",
        "|-2",
        "'",
        '"',
        "{",
        "}",
        "[",
        "]",
        ",",
        "#",
        "%",
    ],
    [
        "---\n",
        "...\n",
        "%YAML 1.2\n",
        "<<: ",
        "\n",
        "  ",
        "\t",
        "\n  ",
        "0o7",
        "2001-01-01",
        "\\x",
        "@",
        "`",
        "{{ a }}",
    ],
)
_TOMLS = encode_words(['a = 1\n[b]\nc = [1, "x"]\nd = {e = 1.5}\n[[f]]\ng = 1979-05-27T07:32:00Z\n"h.i" = """\nj"""\n'])
_TOML_WORDS = encode_words(
    [
        "a",
        " = ",
        "[",
        "]",
        "[[",
        "]]",
        "{",
        "}",
        ".",
        ",",
        '"',
        '"""',
        "'",
        "'''",
        "1",
        "1_0",
        "0x",
        "inf",
        "nan",
        "true",
    ],
    [
        "1979-05-27",
        "07:32",
        "\\u",
        "\\",
        "#",
        "\n",
        "[validators.ruff]\n",
        "files = [",
        "command = ",
        "trust = ",
        "[tool.",
    ],
    ["timeout_ms = ", "severity = ", "enabled = ", "[validators]\n", "validators = "],
)
_XMLS = encode_words(
    ["<?xml version='1.0'?>\n<!DOCTYPE a [<!ENTITY b 'c'>]>\n<a x='1'><b/>&amp;<![CDATA[x]]><!-- y --></a>\n"]
)
_XML_WORDS = encode_words(
    [
        "<",
        ">",
        "/>",
        "</",
        "<a>",
        "</a>",
        "<a x='",
        "&",
        "&amp;",
        "&b;",
        "&#0;",
        "&#xD800;",
        "<!--",
        "-->",
        "<![CDATA[",
    ],
    [
        "]]>",
        "<?",
        "?>",
        "<!DOCTYPE a [",
        "<!ENTITY b '&c;&c;&c;'>",
        "<!ENTITY % p SYSTEM 'x'>",
        "]>",
        "xmlns:a='",
        "a:b",
    ],
    ["encoding='utf-16'", "<?xml version='1.0' "],
)
_CONFLICTS = encode_words(["a\n<<<<<<< ours\nb\n||||||| base\nc\n=======\nd\n>>>>>>> theirs\ne\n"])
_CONFLICT_WORDS = encode_words(
    ["<<<<<<< ", "=======\n", ">>>>>>> ", "||||||| ", "a\n", "<<<<<<<\n", "<<<<<<< SEARCH\n", "====\n"]
)
_PYTHONS = encode_words(
    ["def f(x):\n    return [x for y in z]\n\nclass A:\n    '''b'''\n    c: int = 1\n", "match x:\n    case 1: pass\n"]
)
_PYTHON_WORDS = encode_words(
    [
        "def ",
        "(",
        ")",
        ":",
        "\n",
        "    ",
        "\t",
        "f'{",
        "}'",
        '"""',
        "'",
        "\\\n",
        "lambda: ",
        "async ",
        "await ",
        "yield ",
    ],
    [
        "[",
        "]",
        "{",
        "}",
        "if ",
        "else",
        "=",
        ":=",
        "*",
        "**",
        "->",
        "@",
        "#",
        "1_",
        "0x",
        "b'",
        "-",
        "not ",
        "class ",
        "~",
    ],
)
_LINES = [b"a\n", b"b\n", b"c\n", b"\n", b"\r\n", b"\xfe", b"x", b"same\n", b"same\n" * 20, b"}\n", b"    "]

TARGETS = [
    Target("text", _text, [bytes(2) + b"one\r\ntwo\xc3\xa9\n", b"\0\0\xff\xfea\0\n\0", b"\4\0\x82\xa0"], ()),
    Target("json", _json, _JSONS, _JSON_WORDS),
    Target("difference", _difference, [b"a\nb\nc\n\xfea\nx\nc\nd\n"], _LINES),
    Target("merge", _merge, [b"a\nb\nc\n\xfea\nx\nc\nd\n\xfea\nb\ny\n"], _LINES, most=20_000),
    Target("check json", _check(Json(), "a.json", _read_json), _JSONS, _JSON_WORDS),
    Target("check json lines", _check(Json(), "a.jsonl"), _JSONS, _JSON_WORDS),
    Target("check jsonc", _check(JsonWithComments(), "tsconfig.json"), _JSONS, _JSON_WORDS),
    Target("check yaml", _check(Yaml(), "a.yaml"), _YAMLS, _YAML_WORDS, most=10_000, seconds=4),
    Target("check toml", _check(Toml(), "a.toml", tomllib.loads), _TOMLS, _TOML_WORDS),
    Target("check xml", _check(Xml(), "a.xml"), _XMLS, _XML_WORDS),
    Target("check markers", _check(ConflictMarkers(), "a.py"), _CONFLICTS, _CONFLICT_WORDS),
    Target("check python", _check(PythonSyntax(), "a.py"), _PYTHONS, _PYTHON_WORDS, most=20_000),
    Target("configuration", _configuration, _TOMLS, _TOML_WORDS),
]
