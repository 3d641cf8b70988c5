"""XML, judged by expat: well-formed or not. Nothing outside the file is read, and namespaces are not looked at.

Entities stay as they are where they stand in text. In attributes expat expands them, up to its own limit; chains of
them are refused here before that, because expat follows them by recursion and has crashed on long ones.
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
_MOST_CHAINED = 200
_LONGEST_ENTITY = 100
_LIMITED = (2, 4, 1)
"""The version of expat that began to limit what entities grow to."""
_KNOWN = frozenset({"amp", "lt", "gt", "quot", "apos"})
_SYNTAX, _NOTHING, _TOKEN, _UNCLOSED, _MISMATCH, _TWICE, _JUNK, _UNDEFINED = 2, 3, 4, 5, 7, 8, 9, 11
_NO_CHARACTER, _DECLARATION, _CDATA, _BAD_DECLARATION, _GROWTH = 14, 17, 20, 30, 43
_WORDS = {
    _SYNTAX: "this cannot stand outside of the root element",
    _TWICE: "this attribute stands twice in its tag",
    _JUNK: "this stands behind the end of the root element: a file has one root only",
    _NO_CHARACTER: "this number stands for no character of XML",
    _DECLARATION: "the XML declaration must be the very first thing in the file",
    _BAD_DECLARATION: "the XML declaration is not as it must be",
}


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
        self._entities = set(_KNOWN)
        self._open: list[tuple[str, int]] = []
        self._code, self._offset, self._said = 0, 0, ""

    def is_fine(self) -> bool:
        """Whether the text is well-formed."""
        return self._parsed(self._parser())

    def issue(self) -> Issue:
        """What is wrong."""
        self._chained = 0
        parser = self._parser()

        def begin(name: str, _: object) -> None:
            self._open.append((name, parser.CurrentByteIndex))

        parser.StartElementHandler = begin
        parser.EndElementHandler = lambda _: self._open.pop()
        self._parsed(parser)
        offset, message = self._meaning()
        return Issue("error", *Places(self._text).at(offset), INVALID, message)

    def _parser(self) -> XMLParserType:
        from pyexpat import ParserCreate

        parser = ParserCreate("utf-8")  # whatever the file declares: it is decoded already
        if "<!ENTITY" in self._text:
            parser.EntityDeclHandler = self._declared
            parser.DefaultHandler = lambda _: None  # with it, expat leaves entities in text as they are
        return parser

    def _declared(self, name: str, is_parameter: int, value: str | None, *_: object) -> None:
        from pyexpat import version_info

        if not is_parameter:
            self._entities.add(name)
        self._chained += value is not None and ("&" in value or "%" in value)
        if self._chained > (_MOST_CHAINED if version_info >= _LIMITED else 0):
            raise NotRunError(f"{self._path} declares too many entities that are made of others")

    def _parsed(self, parser: XMLParserType) -> bool:
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

    def _meaning(self) -> tuple[int, str]:
        """Where the error is, and what is wrong there."""
        at = self._offset
        told = {
            _NOTHING: self._never_closed,
            _MISMATCH: self._mismatch,
            _UNCLOSED: self._unclosed,
            _UNDEFINED: self._undefined,
            _TOKEN: self._token,
        }
        if self._code in told:
            return told[self._code]()
        if self._code == _CDATA:
            return max(0, self._text.rfind("<![CDATA[", 0, at)), "the CDATA section that begins here is never closed"
        return at, _WORDS.get(self._code, self._said)

    def _never_closed(self) -> tuple[int, str]:
        if not self._open:
            return len(self._text.rstrip()), "the file holds no element"
        name, begin = self._open[-1]
        return self._characters(begin), f"<{cut(name)}> is never closed"

    def _unclosed(self) -> tuple[int, str]:
        what = "comment" if self._text.startswith("<!--", self._offset) else "tag"
        return self._offset, f"the {what} that begins here is never closed"

    def _mismatch(self) -> tuple[int, str]:
        from re import compile as pattern

        at = self._offset - len("</")
        closing = pattern(r"</([^\s>]*)").match(self._text, at)
        name, begin = self._open[-1]
        line = Places(self._text).line(self._characters(begin))
        return (
            at,
            f"</{cut(closing[1] if closing else '')}> does not close <{cut(name)}>, which is open since line {line}",
        )

    def _undefined(self) -> tuple[int, str]:
        from re import compile as pattern

        for found in pattern(r"&([^\s;&#<]+);").finditer(self._text, self._offset):
            if found[1] not in self._entities:
                return found.start(), f"the entity {cut(found[0])} is not defined: XML knows amp, lt, gt, quot and apos"
        return self._offset, "an entity that is not defined"

    def _token(self) -> tuple[int, str]:
        """What is wrong at a character that expat can make nothing of."""
        from re import search

        text, at = self._text, self._offset
        if not text.lstrip().startswith("<"):
            return len(text) - len(text.lstrip()), _WORDS[_SYNTAX]
        before, char = text[max(0, at - _LONGEST_ENTITY) : at], text[at : at + 1]
        if entity := search(r"&[#\w.:-]*$", before):
            name = entity[0]
            lone = "a lone '&': write &amp;"
            return at - len(name), lone if name == "&" else f"a ';' is missing behind '{cut(name)}', or write &amp;"
        if before.endswith("<"):
            lone = "no tag begins here: a lone '<' is written as &lt;"
            return at - 1, "a closing tag, but no element is open" if char == "/" else lone
        if before.endswith("]]") and char == ">":
            return at - 2, "']]>' cannot stand in text: write ]]&gt;"
        if before.endswith("--"):
            return at - 2, "'--' cannot stand inside a comment"
        return at, self._about(char, before)

    def _about(self, char: str, before: str) -> str:
        if char == "<":
            line = Places(self._text).line(max(0, self._text.rfind("<", 0, self._offset)))
            return f"a '<' inside the tag of line {line}: that is not closed, or a quotation mark is missing"
        if char < " " or char in "\ufffe\uffff":
            return f"the character U+{ord(char or chr(0)):04X} cannot stand in XML"
        if before.rstrip().endswith("="):
            return "the value of an attribute must stand in quotes"
        if char in "/>":
            return "an attribute without a value: '=' and a value in quotes are missing"
        shown = f"'{char}'" if char.strip() else "a space"
        return f"{shown} cannot stand here: a quotation mark, a '=' or a space is missing, or a name is wrong"
