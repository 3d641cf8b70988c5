"""XML: errors, entities, and texts made to take forever."""

from typing import TYPE_CHECKING, cast
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suture.check.data import Xml
from suture.check.issue import Issue, NotRunError

if TYPE_CHECKING:
    from suture.check.issue import Staging

NOWHERE = cast("Staging", None)  # this check needs no file
NAMES = st.sampled_from(["a", "b:c", "é", "d-1"])
TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters="\ufffe\uffff"), max_size=5
)
ELEMENTS = st.recursive(
    TEXTS.map(escape),
    lambda inner: st.tuples(NAMES, TEXTS, st.lists(inner, max_size=3)).map(
        lambda element: f"<{element[0]} x={quoteattr(element[1])}>{''.join(element[2])}</{element[0]}>"
    ),
    max_leaves=6,
)


def find_issues(text: str, path: str = "a.xml") -> list[Issue]:
    return Xml().check(path, None, text, NOWHERE)


WRONG = {
    "wrong closing tag": ("<a>\n  <b>\n</a>\n", 2, 3, "mismatched tag: <b> is not closed before </a> in line 3"),
    "closing tags crossed": ("<a><b></a></b>", 1, 4, "mismatched tag: <b> is not closed before </a> in line 1"),
    "case of a closing tag": ("<A></a>", 1, 4, "mismatched tag: </a> does not close <A> in line 1"),
    "root never closed": ("<a>\n  <b/>\n", 1, 1, "no element found: <a> is not closed"),
    "element never closed": ("<a>\n  <b>text\n", 2, 3, "no element found: <b> is not closed"),
    "tag never closed": ("<a>\n<b c='d'\n", 2, 1, "unclosed token"),
    "closing tag never closed": ("<a></a", 1, 4, "unclosed token"),
    "comment never closed": ("<a><!-- b</a>", 1, 4, "unclosed token"),
    "CDATA never closed": ("<a>\n<![CDATA[b</a>", 2, 15, "unclosed CDATA section"),
    "undefined entity": ("<a>é&nbsp;</a>", 1, 5, "undefined entity: &nbsp;"),
    "undefined entity in an attribute": ("<a\n b='&lt;&copy;'/>", 2, 9, "undefined entity: &copy;"),
    "undefined entity in another": ("<!DOCTYPE a [<!ENTITY b '&c;'>]>\n<a d='&b;'/>", 2, 1, "undefined entity"),
    "lone ampersand": (
        "<a>b & c</a>",
        1,
        7,
        "not well-formed (invalid token): ` ` behind `<a>b &`; a single & is written &amp;",
    ),
    "ampersand in an address": (
        "<a b='?c=1&d=2'/>",
        1,
        13,
        "not well-formed (invalid token): `=` behind `<a b='?c=1&d`",
    ),
    "entity without an end": ("<a>&amp</a>", 1, 8, "not well-formed (invalid token): `<` behind `<a>&amp`"),
    "lone less-than": ("<a>1 < 2</a>", 1, 7, "not well-formed (invalid token): ` ` behind `<a>1 <`"),
    "name that begins with a digit": ("<1a/>", 1, 2, "not well-formed (invalid token): `1` behind `<`"),
    "less-than in an attribute": ('<a b="<"/>', 1, 7, 'not well-formed (invalid token): `<` behind `<a b="`'),
    "quotation mark missing": (
        '<a>\n<b c="d>\n</b></a>',
        3,
        1,
        'not well-formed (invalid token): `<` behind `<b c="d>`',
    ),
    "value without quotes": ("<a b=c/>", 1, 6, "not well-formed (invalid token): `c` behind `<a b=`"),
    "attribute without a value": (
        "<input disabled/>",
        1,
        16,
        "not well-formed (invalid token): `/` behind `put disabled`",
    ),
    "no space between attributes": ('<a b="1"c="2"/>', 1, 9, 'not well-formed (invalid token): `c` behind `<a b="1"`'),
    "attribute twice": ('<a b="1" b="2"/>', 1, 10, "duplicate attribute"),
    "space in a closing tag": ("<a></ a>", 1, 6, "not well-formed (invalid token): ` ` behind `<a></`"),
    "closing tag alone": ("</a>", 1, 2, "not well-formed (invalid token): `/` behind `<`"),
    "second root": ("<a/>\n<b/>\n", 2, 1, "junk after document element"),
    "text behind the root": ("<a/>\nb", 2, 1, "junk after document element"),
    "text before the root": ("b<a/>", 1, 2, "not well-formed (invalid token): `<` behind `b`"),
    "declaration not first": ('\n<?xml version="1.0"?>\n<a/>', 2, 1, "XML or text declaration not at start of entity"),
    "bad declaration": ('<?xml version="1.0" standalone="b"?><a/>', 1, 33, "XML declaration not well-formed"),
    "two dashes in a comment": (
        "<a><!-- -- --></a>",
        1,
        11,
        "not well-formed (invalid token): ` ` behind `<a><!-- --`",
    ),
    "end of CDATA in text": ("<a>b]]></a>", 1, 7, "not well-formed (invalid token): `>` behind `<a>b]]`"),
    "control character": ("<a>é\x01</a>", 1, 5, "not well-formed (invalid token): `\\u0001` behind `<a>é`"),
    "reference to no character": ("<a>&#0;</a>", 1, 4, "reference to invalid character number"),
    "processing instruction": ("<a><?xml?></a>", 1, 4, "XML or text declaration not at start of entity"),
    "empty": ("", 1, 1, "no element found"),
    "only a comment": ("<!-- a -->\n", 2, 1, "no element found"),
    "CRLF": ("<a>\r\n<b>\r\n</a>\r\n", 2, 1, "mismatched tag: <b> is not closed before </a> in line 3"),
    "lone CR": ("<a>\r<b>\r</a>\r", 2, 1, "mismatched tag: <b> is not closed before </a> in line 3"),
    "beyond ASCII before it": ("<é b='ü😀'><c></é>", 1, 11, "mismatched tag: <c> is not closed before </é> in line 1"),
}


@pytest.mark.parametrize(("text", "line", "column", "message"), WRONG.values(), ids=WRONG)
def test_an_error_is_reported_where_one_would_look(text: str, line: int, column: int, message: str) -> None:
    assert find_issues(text) == [Issue("error", line, column, "invalid-syntax", message)]


RIGHT = {
    "element": '<a b="c"><d/>text &amp; &#233; &#xe9;</a>\n',
    "declared encoding": '<?xml version="1.0" encoding="UTF-16"?>\n<a>é</a>',
    "unknown encoding": '<?xml version="1.0" encoding="klingon"?>\n<a>é</a>',
    "unbound prefix": '<a:b c:d="e"/>',
    "comments and instructions": "<!-- a --><?b c?><a><!-- <b> --><![CDATA[<c> & d]]></a><!-- e -->",
    "entities": '<!DOCTYPE a [<!ENTITY b "c">]><a d="&b;">&b;</a>',
    "parameter entity": "<!DOCTYPE a [<!ENTITY % b '<!ENTITY c \"d\">'> %b;]><a>&c;</a>",
    "external entity": '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///dev/zero">]><a>&b;</a>',
    "entities of an external subset": '<!DOCTYPE html PUBLIC "a" "b.dtd"><a>&nbsp;</a>',
    "lines": "<a>\r\n  <b>\r\n  </b>\r\n</a>\r\n",
    "deep": "<a>" * 20_000 + "</a>" * 20_000,
}


@pytest.mark.parametrize("text", RIGHT.values(), ids=RIGHT)
def test_what_is_right_passes(text: str) -> None:
    assert find_issues(text) == []


def entities(number: int, repeated: int, use: str) -> str:
    rows = [f'<!ENTITY e{n} "{f"&e{n - 1};" * repeated}">' for n in range(1, number)]
    return f'<!DOCTYPE a [<!ENTITY e0 "lol">{"".join(rows)}]>{use.replace("&e;", f"&e{number - 1};")}'


def test_entities_of_entities_in_a_text_stay_as_they_are() -> None:
    assert find_issues(entities(30, 10, "<a>&e;</a>")) == []


@pytest.mark.parametrize(
    "text",
    [entities(30, 10, '<a b="&e;"/>'), entities(100_000, 1, '<a b="&e;"/>'), entities(100_000, 1, "<a>&e;</a>")],
    ids=["growing", "a chain in an attribute", "a chain in a text"],
)
def test_entities_of_entities_without_end_are_not_judged(text: str) -> None:
    with pytest.raises(NotRunError, match="entities"):
        find_issues(text)


def test_what_is_of_another_format_is_not_judged() -> None:
    assert find_issues("<plist/>", "a.plist") == []
    assert len(find_issues("", "a.plist")) == 1
    with pytest.raises(NotRunError):
        find_issues("{ a = b; }", "a.plist")
    with pytest.raises(NotRunError):
        find_issues("a=b\n", "c/a.props")


@pytest.mark.parametrize("text", ["---\n---\n<a/>", "{{ head }}<a/>", "<a>{% if b %}<c>{% endif %}</a>", "<%= a %>"])
def test_a_template_is_not_judged_unless_it_is_xml(text: str) -> None:
    assert find_issues("<a>{{ b }}</a>") == []
    with pytest.raises(NotRunError, match="template"):
        find_issues(text)


@settings(max_examples=40)
@given(st.lists(ELEMENTS, max_size=3))
def test_what_is_escaped_passes(elements: list[str]) -> None:
    assert find_issues(f"<root>{''.join(elements)}</root>") == []


@settings(max_examples=150)
@given(st.text("<>/ab=\"'&;!-[]?# \n\ré", max_size=20) | st.text(max_size=10))
def test_any_text_is_judged(text: str) -> None:
    for whole in (text, f"<a>{text}</a>"):
        lines = whole.split("\n" if "\n" in whole else "\r")
        try:
            issues = find_issues(whole)
        except NotRunError:
            continue
        for issue in issues:
            assert issue.severity == "error"
            assert 1 <= issue.line <= len(lines)
            assert 1 <= issue.column <= len(lines[issue.line - 1]) + 1
