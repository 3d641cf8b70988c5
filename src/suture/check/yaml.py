"""YAML, judged by PyYAML: by libyaml where it was built with it, else by its Python code, which is 15 times slower.

Only events are read: tags may be unknown, aliases are not followed, and nothing is made of what a file says.
A file that is wrong and looks like a template that makes YAML is not judged. Errors are told in PyYAML's words; of a
quote that is never closed, and a key without a colon, at the beginning, where it is (docs/adr/0025).

Rejected: composing nodes. It recurses in C without a limit, and does not say where a key was before.
"""

from __future__ import annotations

from suture.check.issue import INVALID, Issue, NotRunError, Places, cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
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

    from suture.check.issue import Staging

_MAX_DEPTH = 1_000  # libyaml's time grows with the square of the depth
_LONGEST_WITHOUT_LIBYAML = 300_000
_MAX_ISSUES = 1_000  # in one text
_MERGE = "tag:yaml.org,2002:merge"
_TEMPLATE = r"(?m)^[ \t]*(?:-[ \t]+)*(?:\{%|\{\{|<%|[^#\n\r'\"{\[]*:[ \t]+\{\{)"


class Yaml:
    """YAML 1.1, as PyYAML reads it. A duplicate key is an error; all of them are listed."""

    name = "yaml"
    files = ("*.yaml", "*.yml", "*.sublime-syntax", ".clang-format", ".clang-tidy", ".clangd", "CITATION.cff")
    syntax_codes = (INVALID,)
    first_only = True
    tame = 1_000  # libyaml looks at a long line again and again: 5 KB of tabs take 0.1 s, and 20 KB 2 s

    def check(self, path: str, before: str | None, after: str, staging: Staging) -> list[Issue]:
        """The first error of syntax, or all duplicate keys and all aliases without an anchor."""
        del before, staging
        try:
            from yaml import YAMLError
        except ImportError:
            raise NotRunError("PyYAML is not installed: pip install PyYAML") from None
        reader = _Reader(path, after)
        try:
            reader.read()
        except YAMLError as error:
            if _is_template(after):
                why = "its lines hold {{ }}, {% %} or <% %>"
                raise NotRunError(f"{path} is a template, which is not YAML yet: {why}") from None
            return [reader.issue(error)]
        except UnicodeEncodeError:
            raise NotRunError(f"{path} holds half a surrogate pair") from None
        return reader.issues


class _Collection:
    """A mapping that is being read, or a list, which has no keys."""

    def __init__(self, *, has_keys: bool) -> None:
        self.has_keys = has_keys
        self.key_is_next = has_keys
        self.keys: dict[str | tuple[str, str], ScalarEvent] = {}


class _Reader:
    """Reads a text once, and says of an error where it is and what it means."""

    def __init__(self, path: str, text: str) -> None:
        self.issues: list[Issue] = []
        self._path = path
        self._text = text
        self._places = Places(text)
        self._open = [_Collection(has_keys=False)]
        self._anchors: set[str] = set()

    def read(self) -> None:
        """Collect what is wrong with keys and aliases; raise PyYAML's error where the syntax is."""
        import yaml

        handlers: dict[object, Callable[[Any], object]] = {
            yaml.ScalarEvent: self._scalar,
            yaml.AliasEvent: self._alias,
            yaml.SequenceStartEvent: self._list,
            yaml.MappingStartEvent: self._mapping,
            yaml.SequenceEndEvent: self._end,
            yaml.MappingEndEvent: self._end,
            yaml.DocumentStartEvent: self._document,
        }
        if not hasattr(yaml, "CSafeLoader") and len(self._text) > _LONGEST_WITHOUT_LIBYAML:
            raise NotRunError(f"{self._path} is too long for PyYAML without libyaml: install one that has it")
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(self._text)
        while event := loader.get_event():
            if handle := handlers.get(event.__class__):
                handle(event)

    def issue(self, error: YAMLError) -> Issue:
        """What an error of PyYAML means."""
        offset, message = self._explain(error)
        return Issue("error", *self._places.at(offset), INVALID, message)

    def _key_is_next(self) -> bool:
        """Whether the next event is a key, as every second thing in a mapping is."""
        around = self._open[-1]
        is_key = around.key_is_next
        around.key_is_next = around.has_keys and not is_key
        return is_key

    def _document(self, _: object) -> None:
        self._anchors = set()

    def _scalar(self, event: ScalarEvent) -> None:
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
        """Compare two keys of the same letters: `1` is a number, and `"1"` a text."""
        tag = _tag(event)
        if _tag(first) != tag:
            first = keys.setdefault((event.value, tag), event)
        if first is not event and tag != _MERGE:
            line = self._places.line(_offset(first))
            self._report(event, "duplicate-key", f"duplicate key {cut(event.value)}, first in line {line}")

    def _alias(self, event: AliasEvent) -> None:
        self._key_is_next()
        if event.anchor not in self._anchors:
            self._report(event, "undefined-alias", f"undefined alias: there is no anchor &{event.anchor} before it")

    def _list(self, event: SequenceStartEvent) -> None:
        self._begin(event, has_keys=False)

    def _mapping(self, event: MappingStartEvent) -> None:
        self._begin(event, has_keys=True)

    def _begin(self, event: CollectionStartEvent, *, has_keys: bool) -> None:
        self._key_is_next()
        if event.anchor is not None:
            self._anchors.add(event.anchor)
        if len(self._open) > _MAX_DEPTH:
            raise NotRunError(f"{self._path} is nested too deeply: more than {_MAX_DEPTH:,} levels")
        self._open.append(_Collection(has_keys=has_keys))

    def _end(self, _: object) -> None:
        self._open.pop()

    def _report(self, event: Event, code: str, message: str) -> None:
        if len(self.issues) < _MAX_ISSUES:
            self.issues.append(Issue("error", *self._places.at(_offset(event)), code, message))

    def _explain(self, error: YAMLError) -> tuple[int, str]:
        """Where an error is, and PyYAML's message with the line in which what it is part of begins."""
        text = self._text
        character = getattr(error, "character", None)
        if isinstance(character, int):
            return max(0, text.find(chr(character))), f"the character U+{character:04X} is not allowed in YAML"
        message = str(getattr(error, "problem", None) or error)
        context = str(getattr(error, "context", None) or "")
        offset, begin = _offsets(error)
        if "expected ':'" in message or "end of stream" in message:
            return begin, f"{message} {context}".rstrip()
        if "cannot start any token" in message:
            return offset, message if "'" in message else f"{message}: {text[offset : offset + 1]!r}"  # a tab, often
        if context and begin >= len(text.rstrip()):
            message += "" if "stream end" in message else " before the end of the text"
        elif context:
            message = f"{message} {context} that begins in line {self._places.line(begin)}"
        return min(offset, len(text.rstrip())), message


def _tag(event: ScalarEvent) -> str:
    from yaml import ScalarNode
    from yaml.resolver import Resolver

    if event.tag is not None and event.tag != "!":
        return str(event.tag)
    return str(Resolver().resolve(ScalarNode, event.value, event.implicit))  # type: ignore[no-untyped-call]  # the stubs leave it out


def _is_template(text: str) -> bool:
    from re import search

    return search(_TEMPLATE, text) is not None


def _offset(event: Event) -> int:
    return event.start_mark.index if event.start_mark else 0


def _offsets(error: YAMLError) -> tuple[int, int]:
    """Where the problem is, and where what it is a part of begins."""
    mark = getattr(error, "problem_mark", None)
    context = getattr(error, "context_mark", None)
    offset = mark.index if mark else 0
    return offset, context.index if context else offset
