"""XML, judged by expat: well-formed or not. Nothing outside the file is read, and namespaces are not looked at.

Entities stay as they are in text. In attributes expat expands them, up to its own limit; chains of
them are refused here before that, because expat follows them by recursion and has crashed on long ones.

Errors are told in expat's words. Of tags that do not match it names neither, so they are added, and an element that is
not closed is told where it begins, which is nearer to the fault (docs/adr/0025).
"""

from __future__ import annotations

from suture.check.issue import INVALID, Issue, NotRunError, Places, cut
from suture.check.worker import TAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyexpat import XMLParserType

    from suture.check.issue import Staging

_MAYBE_OTHER = (".plist", ".props", ".targets", ".ui", ".rdf", ".config")
_TEMPLATE = ("{{", "{%", "<%")
_MAX_CHAINED = 200
_MAX_SHOWN = 12
_ENTITY = r"&(?!(?:amp|lt|gt|quot|apos);|#)[^\s;&<]+;"
_LIMITED = (2, 4, 1)
"""The version of expat that began to limit what entities grow to."""
_NO_ELEMENT, _INVALID_TOKEN, _MISMATCH, _UNDEFINED_ENTITY, _GROWTH = 3, 4, 7, 11, 43
"""Some of expat's codes; `pyexpat.errors` has them as texts."""


class Xml:
    """XML 1.0."""

    name = "xml"
    files = (
        "*.xml",
        "*.svg",
        "*.xsd",
        "*.xsl",
        "*.xslt",
        "*.xhtml",
        "*.xaml",
        "*.xlf",
        "*.xliff",
        "*.wsdl",
        "*.rss",
        "*.atom",
        "*.rdf",
        "*.plist",
        "*.csproj",
        "*.vbproj",
        "*.fsproj",
        "*.vcxproj",
        "*.vcxproj.filters",
        "*.props",
        "*.targets",
        "*.nuspec",
        "*.resx",
        "*.fxml",
        "*.glade",
        "*.gpx",
        "*.kml",
        "*.qrc",
        "*.ui",
        "*.storyboard",
        "*.xib",
        "*.iml",
        "web.config",
        "app.config",
        "packages.config",
        "nuget.config",
        "NuGet.Config",
    )
    syntax_codes = (INVALID,)
    first_only = True
    tame = TAME

    def check(self, path: str, before: str | None, after: str, staging: Staging) -> list[Issue]:
        """The first error."""
        del before, staging
        if path.lower().endswith(_MAYBE_OTHER) and after.strip() and not after.lstrip().startswith("<"):
            raise NotRunError(f"{path} does not begin with '<': it is of another format than XML")
        reader = _Reader(path, after)
        if reader.is_fine():
            return []
        if after.startswith("---") or any(mark in after for mark in _TEMPLATE):
            raise NotRunError(f"{path} is a template, which is not XML yet: it holds {{{{ }}}}, {{% %}} or <% %>")
        return [reader.issue()]


class _Reader:
    """Reads a text once, and a second time to say where it is wrong."""

    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._text = text
        self._data = text.encode("utf-8", "replace")
        self._chained = 0
        self._open: list[tuple[str, int]] = []
        self._code, self._offset, self._said = 0, 0, ""

    def is_fine(self) -> bool:
        """Whether the text is well-formed."""
        return self._parses(self._parser())

    def issue(self) -> Issue:
        """What is wrong."""
        self._chained = 0
        parser = self._parser()

        def begin(name: str, _: object) -> None:
            self._open.append((name, parser.CurrentByteIndex))

        parser.StartElementHandler = begin
        parser.EndElementHandler = lambda _: self._open.pop()
        self._parses(parser)
        offset, message = self._explain()
        return Issue("error", *Places(self._text).at(offset), INVALID, message)

    def _parser(self) -> XMLParserType:
        from pyexpat import ParserCreate

        parser = ParserCreate("utf-8")  # whatever the file declares: it is decoded already
        if "<!ENTITY" in self._text:
            parser.EntityDeclHandler = self._on_entity
            parser.DefaultHandler = lambda _: None  # with it, expat leaves entities in text as they are
        return parser

    def _on_entity(self, _name: str, _is_parameter: int, value: str | None, *_: object) -> None:
        from pyexpat import version_info

        self._chained += value is not None and ("&" in value or "%" in value)
        if self._chained > (_MAX_CHAINED if version_info >= _LIMITED else 0):
            raise NotRunError(f"{self._path} declares too many entities that are made of others")

    def _parses(self, parser: XMLParserType) -> bool:
        from pyexpat import ErrorString, ExpatError

        try:
            parser.Parse(self._data, True)  # noqa: FBT003  no keywords there
        except ExpatError as error:
            if error.code == _GROWTH:
                raise NotRunError(f"{self._path} has entities that grow beyond all limits") from None
            self._code, self._offset = error.code, self._characters(parser.ErrorByteIndex)
            self._said = ErrorString(error.code)
            return False
        return True

    def _characters(self, size: int) -> int:
        return len(self._data[: max(0, size)].decode("utf-8", "ignore"))

    def _explain(self) -> tuple[int, str]:
        """Where the error is, and expat's message with the names of tags, or what is there."""
        from re import compile as pattern

        at, text = self._offset, self._text
        if self._code == _MISMATCH:
            return self._mismatch()
        if self._code == _NO_ELEMENT and self._open:
            name, begin = self._open[-1]
            return self._characters(begin), f"{self._said}: <{cut(name)}> is not closed"
        if self._code == _INVALID_TOKEN:
            return at, f"{self._said}: `{cut(text[at : at + 1])}` behind `{cut(text[max(0, at - _MAX_SHOWN) : at])}`"
        if self._code == _UNDEFINED_ENTITY and "<!ENTITY" not in text:
            entity = pattern(_ENTITY).search(text, at)
            return (entity.start(), f"{self._said}: {cut(entity[0])}") if entity else (at, self._said)
        return at, self._said

    def _mismatch(self) -> tuple[int, str]:
        from re import compile as pattern

        places = Places(self._text)
        at = self._offset - len("</")
        closing = pattern(r"</([^\s>]*)").match(self._text, at)
        closed = closing[1] if closing else ""
        name, begin = self._open[-1]
        begin = self._characters(begin)
        if any(closed == other for other, _ in self._open):
            closer = f"</{cut(closed)}> of line {places.line(at)}"
            return begin, f"{self._said}: <{cut(name)}> is not closed before {closer}"
        return at, f"{self._said}: </{cut(closed)}> does not close <{cut(name)}> of line {places.line(begin)}"
