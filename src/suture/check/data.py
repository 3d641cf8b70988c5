"""Data formats: JSON, TOML, XML and YAML, each checked by a widely used parser.

Errors are reported in the parser's words. If a parser notices an error far behind its cause, the place is corrected
where that was measured to help (docs/adr/0025): a missing bracket in JSON, an unclosed quote in YAML, an unclosed
element in XML, a duplicate key in TOML.
"""

from __future__ import annotations

from suture.check.issue import INVALID, Issue, NotRunError, Parser, Places, cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pyexpat import ExpatError
    from re import Match
    from typing import Any

    from yaml import (
        AliasEvent,
        CollectionStartEvent,
        Event,
        MappingStartEvent,
        ScalarEvent,
        SequenceStartEvent,
        YAMLError,
    )

_MAX_DUPLICATES = 1_000  # reported in one text, by choice: far fewer show the pattern
_MAX_IN_PROCESS_CHARS = 10_000  # characters: no text made for it (docs/adr/0020) took these parsers over 50 ms at 20 KB


# JSON, JSON lines, and JSON with comments and trailing commas, by the standard library's parser. It notices a missing
# or extra bracket far behind, often at the end; the indentation shows where it belongs. Comments and trailing commas
# are replaced by spaces before parsing, so that offsets stay the same.
#
# Rejected: `orjson`. It is faster, but silently accepts duplicate keys, and rejects a lone surrogate in an escape,
# which RFC 8259 allows.

_LINE_BY_LINE = (".jsonl", ".ndjson", ".jsonlines")
_JSON_FILES = """
*.json *.jsonl *.ndjson *.jsonlines *.geojson *.topojson *.jsonld *.ipynb *.webmanifest *.har *.sarif *.gltf *.tfstate
.watchmanconfig .bowerrc .all-contributorsrc Pipfile.lock composer.lock deno.lock flake.lock
"""
_JSONC_FILES = """
*.jsonc *.code-workspace *.code-snippets *.sublime-build *.sublime-color-scheme *.sublime-commands
*.sublime-completions *.sublime-keymap *.sublime-macro *.sublime-menu *.sublime-mousemap *.sublime-project
*.sublime-settings *.sublime-theme **/.vscode/*.json **/.zed/*.json tsconfig*.json jsconfig*.json appsettings*.json
devcontainer.json .devcontainer.json .eslintrc.json .oxlintrc.json .jshintrc .jscsrc .jslintrc .babelrc .babelrc.json
babel.config.json .swcrc .luarc.json .markdownlint.json .cspell.json cspell.json angular.json api-extractor.json
biome.json deno.json language-configuration.json pyrightconfig.json rush.json tslint.json turbo.json typedoc.json
"""
"""Files that tools read as JSON with comments."""
_CLOSED_BY = {"{": "}", "[": "]"}
_SPACE = " \t\n\r"
_STRING = r'"[^"\\\n\r]*+(?:\\.[^"\\\n\r]*+)*"?'
"""A string; an unclosed one extends to the end of its line."""
_COMMENT = rf"{_STRING}|//[^\n\r]*+|/\*[\s\S]*?\*/|(?P<unclosed>/\*[\s\S]*+)"
_TRAILING = rf"(?:{_STRING}|[\w\]}}])[{_SPACE}]*+,(?=[{_SPACE}]*+[}}\]])|{_STRING}"
_NESTING = rf"(?P<indent>(?<![^\n\r])[ \t]*+)?(?P<token>{_STRING}|[{{}}\[\]])(?P<is_key>[{_SPACE}]*+:)?"
_CONSTANT = rf"{_STRING}|-?(?:NaN|Infinity)"


class Json(Parser):
    """JSON as in RFC 8259. A duplicate key is a warning."""

    name = "json"
    files = tuple(_JSON_FILES.split())
    max_characters_in_process = _MAX_IN_PROCESS_CHARS

    def issues(self, path: str, text: str) -> list[Issue]:
        """The first error, or all duplicate keys; in JSON lines, only up to the first line with an error."""
        return _json_lines(text) if path.lower().endswith(_LINE_BY_LINE) else _json_issues(text, text)


class JsonWithComments(Parser):
    """JSON with comments and trailing commas."""

    name = "jsonc"
    files = tuple(_JSONC_FILES.split())
    max_characters_in_process = _MAX_IN_PROCESS_CHARS

    def issues(self, path: str, text: str) -> list[Issue]:
        """The first error, or all duplicate keys."""
        del path
        return _json_issues(text, without_comments(text))


def _json_lines(text: str) -> list[Issue]:
    issues: list[Issue] = []
    for number, line in enumerate(text.split("\n" if "\n" in text else "\r"), 1):
        if line.strip(" \t\r"):
            line_issues = [issue.evolve(line=number) for issue in _json_issues(line, line)]
            issues += line_issues
            if any(issue.code == INVALID for issue in line_issues):
                return line_issues
    return issues


def _json_issues(written: str, text: str) -> list[Issue]:
    """The problems of a text. `written` is the same text before comments were blanked; offsets are equal."""
    from json import JSONDecodeError, JSONDecoder

    constants: list[str] = []
    has_duplicates = False

    def take(pairs: list[tuple[str, object]]) -> None:
        nonlocal has_duplicates
        has_duplicates = has_duplicates or len({key for key, _ in pairs}) != len(pairs)

    places = Places(written)
    # Numbers are not converted: `int` refuses one with too many digits.
    decoder = JSONDecoder(object_pairs_hook=take, parse_constant=constants.append, parse_float=len, parse_int=len)
    try:
        decoder.decode(text)
    except JSONDecodeError as error:
        return [places.error(*_explain_json(text, places, error.pos, error.msg))]
    except RecursionError:
        raise NotRunError("it is nested too deeply") from None
    if constants:
        from re import finditer

        offset = next(match.start() for match in finditer(_CONSTANT, text) if match[0] == constants[0])
        return [places.error(offset, f"Expecting value, not `{constants[0]}`")]
    return _duplicate_keys(text, places) if has_duplicates else []


def without_comments(text: str) -> str:
    """Replace comments and trailing commas by spaces."""
    from re import sub

    def blank(match: Match[str]) -> str:
        kept = match[0].startswith('"') or match["unclosed"]
        return match[0] if kept else sub(r"[^\n\r]", " ", match[0])

    def drop(match: Match[str]) -> str:
        return match[0][:-1] + " " if match[0].endswith(",") else match[0]

    return sub(_TRAILING, drop, sub(_COMMENT, blank, text))


def _explain_json(text: str, places: Places, at: int, message: str) -> tuple[int, str]:
    """The offset of the parser's error, and its message with the text there."""
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
    """The first line whose indentation contradicts the bracket around it, or a bracket not closed by its own kind."""
    from re import compile as pattern

    lead = pattern(r"[ \t]*+").match
    around: list[tuple[int, int, int | None]] = []
    """For each open bracket: its offset, the indentation of its line, and of the lines inside if they are indented."""
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
                opener = f"'{text[begin]}' in line {places.line(begin)}"
                message = "a bracket above is missing or extra: this line is not indented like the contents of"
                return at, f"{message} the {opener}"
        if token in _CLOSED_BY:
            line = lead(text, at - places.at(at)[1] + 1)
            around.append((at, len(line[0]) if line else 0, None))
        elif closes:
            begin = around.pop()[0]
            if _CLOSED_BY[text[begin]] != token:
                return at, f"'{token}' does not close the '{text[begin]}' in line {places.line(begin)}"
    if around and until == len(text):
        opener = f"'{text[around[-1][0]]}' in line {places.line(around[-1][0])}"
        return len(text.rstrip(_SPACE)), f"the text ends inside the {opener}"
    return None


def _duplicate_keys(text: str, places: Places) -> list[Issue]:
    """The duplicate keys of a valid text."""
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


# TOML, by `tomli` if it is installed, else by the standard library's `tomllib`. They are the same parser, but the
# wheels of `tomli` are compiled, and two to four times as fast. Since 2.4 it reads TOML 1.1.

_LONG_LINE = 1_000  # characters; a shorter line cannot contain too many parts
_MAX_KEY_PARTS = 500  # of one key: `tomllib` takes 3 ms for 500, 190 ms for 5,000, and memory grows alike
_TOML_STATEMENT = r"""(?m)^[ \t]*+(\[[^\n]*\Z|(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*[.=])"""
_TOML_DUPLICATE = ("Cannot ", "Duplicate ")
"""How messages about a duplicate key or table start; they are reported at its end."""


class Toml(Parser):
    """TOML 1.0, or the version that the installed `tomli` reads. A duplicate key is an error."""

    name = "toml"
    files = ("*.toml", "Pipfile", "Cargo.lock", "poetry.lock", "uv.lock", "pdm.lock")
    max_characters_in_process = _MAX_IN_PROCESS_CHARS

    def issues(self, path: str, text: str) -> list[Issue]:
        """The first error."""
        try:
            load_toml(path, text)
        except ValueError as error:
            return [_toml_issue(text, str(error))]
        return []


def load_toml(path: str, text: str) -> object:
    """The value of a TOML text; ValueError if it is not valid, NotRunError if parsing would take too long."""
    from importlib import import_module  # so that mypy does not need `tomli`

    for line in text.split("\n"):
        if len(line) > _LONG_LINE and line.partition("=")[0].count(".") > _MAX_KEY_PARTS:
            raise NotRunError(f"{path} has a key of more than {_MAX_KEY_PARTS} parts")
    try:
        module = import_module("tomli")
    except ImportError:
        module = import_module("tomllib")
    try:
        value: object = module.loads(text)
    except RecursionError:
        raise NotRunError(f"{path} is nested too deeply") from None
    return value


def _toml_issue(text: str, error: str) -> Issue:
    """The parser's error as an issue; its message without the position at the end."""
    from re import finditer, search

    places = Places(text)
    message, _, place = error.rpartition(" (at ")
    numbers = search(r"line (\d+), column (\d+)", place)
    offset = len(text)
    if numbers is not None:
        line, column = map(int, numbers.groups())
        offset = places.offset(line, column) if "\n" in text else column - 1  # a lone \r ends no line for it
    if numbers is None or message.startswith("Unclosed"):
        offset = len(text[:offset].rstrip())
    elif message.startswith(_TOML_DUPLICATE):
        offset = max((match.start(1) for match in finditer(_TOML_STATEMENT, text[:offset])), default=offset)
    return places.error(offset, message or error)


# XML: expat checks that it is well-formed. Nothing outside the file is read, and namespaces are not checked. Entities
# in text are not expanded. In attributes expat expands them, up to its own limit; chains of entities are refused here
# first, because expat follows them recursively and has crashed on long ones.

_XML_FILES = """
*.xml *.svg *.xsd *.xsl *.xslt *.xhtml *.xaml *.xlf *.xliff *.wsdl *.rss *.atom *.rdf *.plist *.csproj *.vbproj
*.fsproj *.vcxproj *.vcxproj.filters *.props *.targets *.nuspec *.resx *.fxml *.glade *.gpx *.kml *.qrc *.ui
*.storyboard *.xib *.iml web.config app.config packages.config nuget.config NuGet.Config
"""
_MAYBE_NOT_XML = (".plist", ".props", ".targets", ".ui", ".rdf", ".config")
_XML_TEMPLATE = ("{{", "{%", "<%")
_MAX_CHAINED = 200  # entities that refer to others, by choice: expat's stack must not overflow
_MAX_CONTEXT_CHARS = 12  # characters before an invalid one that a message shows
_ENTITY = r"&(?!(?:amp|lt|gt|quot|apos);|#)[^\s;&<]+;"
_LIMITED = (2, 4, 1)
"""The version of expat that introduced a limit for the expansion of entities."""
_NO_ELEMENT, _INVALID_TOKEN, _MISMATCH, _UNDEFINED_ENTITY, _GROWTH = 3, 4, 7, 11, 43
"""Some of expat's error codes; `pyexpat.errors` has only their texts."""


class Xml(Parser):
    """XML 1.0."""

    name = "xml"
    files = tuple(_XML_FILES.split())
    max_characters_in_process = _MAX_IN_PROCESS_CHARS

    def issues(self, path: str, text: str) -> list[Issue]:
        """The first error."""
        if path.lower().endswith(_MAYBE_NOT_XML) and text.strip() and not text.lstrip().startswith("<"):
            raise NotRunError(f"{path} does not begin with '<': it is not XML")
        reader = _XmlReader(path, text)
        if reader.error() is None:
            return []
        if text.startswith("---") or any(mark in text for mark in _XML_TEMPLATE):
            raise NotRunError(f"{path} is a template, not XML: it contains {{{{ }}}}, {{% %}} or <% %>")
        return [reader.issue()]


class _XmlReader:
    """Parses a text, and a second time to locate an error."""

    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._text = text
        self._data = text.encode("utf-8", "replace")
        self._chained = 0
        self._open: list[tuple[str, int]] = []
        """The open elements, if they are tracked."""
        self._offset = 0
        """Where the error is."""

    def error(self, *, following: bool = False) -> ExpatError | None:
        """The error that expat reports. `following` tracks open elements, which takes longer."""
        from pyexpat import ExpatError, ParserCreate

        parser = ParserCreate("utf-8")  # regardless of the declared encoding: the text is decoded already
        self._chained = 0
        if "<!ENTITY" in self._text:
            parser.EntityDeclHandler = self._on_entity
            parser.DefaultHandler = lambda _: None  # with it, expat leaves entities in text as they are
        if following:
            parser.StartElementHandler = lambda name, _: self._open.append((name, parser.CurrentByteIndex))
            parser.EndElementHandler = lambda _: self._open.pop()
        try:
            parser.Parse(self._data, True)  # noqa: FBT003  no keywords there
        except ExpatError as error:
            if error.code == _GROWTH:
                raise NotRunError(f"{self._path} has entities that expand beyond all limits") from None
            self._offset = self._characters(parser.ErrorByteIndex)
            return error
        return None

    def issue(self) -> Issue:
        """Expat's error as an issue, with the names of tags, or the text at the place."""
        from pyexpat import ErrorString
        from re import compile as pattern

        error = self.error(following=True)
        code, at, text, places = error.code if error else 0, self._offset, self._text, Places(self._text)
        message = ErrorString(code) or ""
        if code == _MISMATCH:
            at, more = self._mismatch(places)
            message += more
        elif code == _NO_ELEMENT and self._open:
            name, begin = self._open[-1]
            at, message = self._characters(begin), f"{message}: <{cut(name)}> is not closed"
        elif code == _INVALID_TOKEN:
            before = text[max(0, at - _MAX_CONTEXT_CHARS) : at].rstrip("\r\n").rpartition("\n")[2]
            message += f": `{cut(text[at : at + 1])}`{f' behind `{cut(before)}`' if before else ''}"
            message += "; a single & is written &amp;" if before.endswith("&") else ""
        elif code == _UNDEFINED_ENTITY and "<!ENTITY" not in text and (entity := pattern(_ENTITY).search(text, at)):
            at, message = entity.start(), f"{message}: {cut(entity[0])}"
        return places.error(at, message)

    def _on_entity(self, _name: str, _is_parameter: int, value: str | None, *_: object) -> None:
        from pyexpat import version_info

        self._chained += value is not None and ("&" in value or "%" in value)
        if self._chained > (_MAX_CHAINED if version_info >= _LIMITED else 0):
            raise NotRunError(f"{self._path} declares too many entities that refer to others")

    def _characters(self, size: int) -> int:
        return len(self._data[: max(0, size)].decode("utf-8", "ignore"))

    def _mismatch(self, places: Places) -> tuple[int, str]:
        """The likely place of the mistake: an element that is not closed, or a closing tag that matches nothing."""
        from re import compile as pattern

        at = self._offset - len("</")
        closing = pattern(r"</([^\s>]*)").match(self._text, at)
        closed = closing[1] if closing else ""
        name, begin = self._open[-1]
        begin = self._characters(begin)
        if any(closed == other for other, _ in self._open):
            return begin, f": <{cut(name)}> is not closed before </{cut(closed)}> in line {places.line(at)}"
        return at, f": </{cut(closed)}> does not close <{cut(name)}> in line {places.line(begin)}"


# YAML, by PyYAML: with libyaml if available, else with its Python code, which is 15 times slower. Only events are read:
# tags may be unknown, aliases are not followed, and no objects are created. An invalid file that looks like a template
# for YAML is not checked.
#
# Rejected: composing nodes. It recurses in C without a limit, and does not report where the first key was.

_MAX_DEPTH = 1_000  # levels: libyaml's time grows with the square of the depth
_MAX_WITHOUT_LIBYAML_CHARS = 300_000  # PyYAML's Python code takes 0.7 s for them, where they are not hostile
_MAX_YAML_ISSUES = 1_000  # in one text, as for duplicates of JSON
_MERGE = "tag:yaml.org,2002:merge"
_YAML_TEMPLATE = r"(?m)^[ \t]*(?:-[ \t]+)*(?:\{%|\{\{|<%|[^#\n\r'\"{\[]*:[ \t]+\{\{)"


class Yaml(Parser):
    """YAML 1.1, as PyYAML reads it. A duplicate key is an error; all of them are listed."""

    name = "yaml"
    files = ("*.yaml", "*.yml", "*.sublime-syntax", ".clang-format", ".clang-tidy", ".clangd", "CITATION.cff")
    max_characters_in_process = 1_000  # libyaml rereads a long line: 5 KB of tabs take 0.1 s, and 20 KB 2 s

    def issues(self, path: str, text: str) -> list[Issue]:
        """The first error of syntax, or all duplicate keys and all aliases without an anchor."""
        from re import search

        try:
            from yaml import YAMLError
        except ImportError:
            raise NotRunError("PyYAML is not installed: pip install PyYAML") from None
        reader = _YamlReader(path, text)
        try:
            reader.read()
        except YAMLError as error:
            if search(_YAML_TEMPLATE, text):
                why = "it contains {{ }}, {% %} or <% %>"
                raise NotRunError(f"{path} is a template, not YAML: {why}") from None
            return [reader.issue(error)]
        except UnicodeEncodeError:
            raise NotRunError(f"{path} contains a lone surrogate") from None
        return reader.issues


class _Collection:
    """A mapping or a list that is being read; a list has no keys."""

    def __init__(self, *, has_keys: bool) -> None:
        self.has_keys = has_keys
        self.key_is_next = has_keys
        self.keys: dict[str | tuple[str, str], ScalarEvent] = {}


class _YamlReader:
    """Reads a text once; locates and explains an error."""

    def __init__(self, path: str, text: str) -> None:
        self.issues: list[Issue] = []
        self._path = path
        self._text = text
        self._places = Places(text)
        self._open = [_Collection(has_keys=False)]
        self._anchors: set[str] = set()

    def read(self) -> None:
        """Collect problems of keys and aliases; raise PyYAML's error for invalid syntax."""
        import yaml

        handlers: dict[object, Callable[[Any], object]] = {
            yaml.ScalarEvent: self._on_scalar,
            yaml.AliasEvent: self._on_alias,
            yaml.SequenceStartEvent: self._on_list,
            yaml.MappingStartEvent: self._on_mapping,
            yaml.SequenceEndEvent: self._on_end,
            yaml.MappingEndEvent: self._on_end,
            yaml.DocumentStartEvent: self._on_document,
        }
        if not hasattr(yaml, "CSafeLoader") and len(self._text) > _MAX_WITHOUT_LIBYAML_CHARS:
            raise NotRunError(f"{self._path} is too long for PyYAML without libyaml: install one that has it")
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(self._text)
        while event := loader.get_event():
            if handle := handlers.get(event.__class__):
                handle(event)

    def issue(self, error: YAMLError) -> Issue:
        """An error of PyYAML as an issue, with the line where the surrounding structure begins."""
        text, at = self._text, self._places
        character = getattr(error, "character", None)
        if isinstance(character, int):
            offset = max(0, text.find(chr(character)))
            return at.error(offset, f"the character U+{character:04X} is not allowed in YAML")
        message = str(getattr(error, "problem", None) or error)
        context = str(getattr(error, "context", None) or "")
        offset = _mark_index(getattr(error, "problem_mark", None), 0)
        begin = _mark_index(getattr(error, "context_mark", None), offset)
        if "expected ':'" in message or "end of stream" in message:
            return at.error(begin, f"{message} {context}".rstrip())
        if "cannot start any token" in message:
            return at.error(offset, message if "'" in message else f"{message}: {text[offset : offset + 1]!r}")  # a tab
        end = len(text.rstrip())
        if context and begin >= end:
            message += "" if "stream end" in message else " before the end of the text"
        elif context:
            message = f"{message} {context} that begins in line {at.line(begin)}"
        return at.error(min(offset, end), message)

    def _key_is_next(self) -> bool:
        """Whether the next event is a key, like every second one in a mapping."""
        around = self._open[-1]
        is_key = around.key_is_next
        around.key_is_next = around.has_keys and not is_key
        return is_key

    def _on_document(self, _: object) -> None:
        self._anchors = set()

    def _on_scalar(self, event: ScalarEvent) -> None:
        if event.anchor is not None:
            self._anchors.add(event.anchor)
        if self._key_is_next():
            keys = self._open[-1].keys
            first = keys.setdefault(event.value, event)
            if first is not event:
                self._maybe_twice(keys, first, event)

    def _maybe_twice(
        self, keys: dict[str | tuple[str, str], ScalarEvent], first: ScalarEvent, event: ScalarEvent
    ) -> None:
        """Compare two keys with the same characters: `1` is a number, `"1"` a string."""
        tag = _tag(event)
        if _tag(first) != tag:
            first = keys.setdefault((event.value, tag), event)
        if first is not event and tag != _MERGE:
            line = self._places.line(_mark_index(first.start_mark, 0))
            self._report(event, "duplicate-key", f"duplicate key {cut(event.value)}, first in line {line}")

    def _on_alias(self, event: AliasEvent) -> None:
        self._key_is_next()
        if event.anchor not in self._anchors:
            self._report(
                event, "undefined-alias", f"undefined alias: there is no anchor &{cut(event.anchor or '')} before it"
            )

    def _on_list(self, event: SequenceStartEvent) -> None:
        self._begin(event, has_keys=False)

    def _on_mapping(self, event: MappingStartEvent) -> None:
        self._begin(event, has_keys=True)

    def _begin(self, event: CollectionStartEvent, *, has_keys: bool) -> None:
        self._key_is_next()
        if event.anchor is not None:
            self._anchors.add(event.anchor)
        if len(self._open) > _MAX_DEPTH:
            raise NotRunError(f"{self._path} is nested too deeply: more than {_MAX_DEPTH:,} levels")
        self._open.append(_Collection(has_keys=has_keys))

    def _on_end(self, _: object) -> None:
        self._open.pop()

    def _report(self, event: Event, code: str, message: str) -> None:
        if len(self.issues) < _MAX_YAML_ISSUES:
            self.issues.append(self._places.error(_mark_index(event.start_mark, 0), message, code))


def _tag(event: ScalarEvent) -> str:
    from yaml import ScalarNode
    from yaml.resolver import Resolver

    if event.tag is not None and event.tag != "!":
        return str(event.tag)
    return str(Resolver().resolve(ScalarNode, event.value, event.implicit))  # type: ignore[no-untyped-call]  # the stubs leave it out


def _mark_index(mark: Any, default: int) -> int:
    """The offset of a mark from PyYAML, or the default if there is none."""
    index: int = mark.index if mark else default
    return index


PARSERS = (JsonWithComments(), Json(), Yaml(), Toml(), Xml())
"""The checks of data formats; a file gets the first one that it fits."""
