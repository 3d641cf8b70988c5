"""XML: errors, entities, and what is built to take forever."""

from typing import TYPE_CHECKING, cast
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suture.check.issue import Issue, NotRunError
from suture.check.xml import Xml

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
        lambda each: f"<{each[0]} x={quoteattr(each[1])}>{''.join(each[2])}</{each[0]}>"
    ),
    max_leaves=6,
)


def found(text: str, path: str = "a.xml") -> list[Issue]:
    return Xml().check(path, None, text, NOWHERE)


WRONG = {
    "wrong closing tag": ("<a>\n  <b>\n</a>\n", 3, 1, "<b>, which is open since line 2"),
    "closing tags crossed": ("<a><b></a></b>", 1, 7, "</a> does not close <b>"),
    "case of a closing tag": ("<A></a>", 1, 4, "</a> does not close <A>"),
    "root never closed": ("<a>\n  <b/>\n", 1, 1, "<a> is never closed"),
    "element never closed": ("<a>\n  <b>text\n", 2, 3, "<b> is never closed"),
    "tag never closed": ("<a>\n<b c='d'\n", 2, 1, "tag that begins here"),
    "closing tag never closed": ("<a></a", 1, 4, "tag that begins here"),
    "comment never closed": ("<a><!-- b</a>", 1, 4, "comment that begins here"),
    "CDATA never closed": ("<a>\n<![CDATA[b</a>", 2, 1, "CDATA"),
    "undefined entity": ("<a>é&nbsp;</a>", 1, 5, "&nbsp;"),
    "undefined entity in an attribute": ("<a\n b='&lt;&copy;'/>", 2, 9, "&copy;"),
    "undefined entity in another": ("<!DOCTYPE a [<!ENTITY b '&c;'>]>\n<a d='&b;'/>", 2, 1, "not defined"),
    "lone ampersand": ("<a>b & c</a>", 1, 6, "&amp;"),
    "ampersand in an address": ("<a b='?c=1&d=2'/>", 1, 11, "';' is missing"),
    "entity without an end": ("<a>&amp</a>", 1, 4, "';' is missing"),
    "lone less-than": ("<a>1 < 2</a>", 1, 6, "&lt;"),
    "name that begins with a digit": ("<1a/>", 1, 1, "no tag begins"),
    "less-than in an attribute": ('<a b="<"/>', 1, 7, "quotation mark"),
    "quotation mark missing": ('<a>\n<b c="d>\n</b></a>', 3, 1, "line 2"),
    "value without quotes": ("<a b=c/>", 1, 6, "must stand in quotes"),
    "attribute without a value": ("<input disabled/>", 1, 16, "without a value"),
    "no space between attributes": ('<a b="1"c="2"/>', 1, 9, "space is missing"),
    "attribute twice": ('<a b="1" b="2"/>', 1, 10, "twice"),
    "space in a closing tag": ("<a></ a>", 1, 6, "a space cannot"),
    "closing tag alone": ("</a>", 1, 1, "no element is open"),
    "second root": ("<a/>\n<b/>\n", 2, 1, "one root only"),
    "text behind the root": ("<a/>\nb", 2, 1, "one root only"),
    "text before the root": ("b<a/>", 1, 1, "outside"),
    "declaration not first": ('\n<?xml version="1.0"?>\n<a/>', 2, 1, "very first"),
    "bad declaration": ('<?xml version="1.0" standalone="b"?><a/>', 1, 33, "declaration"),
    "two dashes in a comment": ("<a><!-- -- --></a>", 1, 9, "'--'"),
    "end of CDATA in text": ("<a>b]]></a>", 1, 5, "']]>'"),
    "control character": ("<a>é\x01</a>", 1, 5, "U+0001"),
    "reference to no character": ("<a>&#0;</a>", 1, 4, "no character"),
    "processing instruction": ("<a><?xml?></a>", 1, 4, ""),
    "empty": ("", 1, 1, "no element"),
    "only a comment": ("<!-- a -->\n", 1, 11, "no element"),
    "CRLF": ("<a>\r\n<b>\r\n</a>\r\n", 3, 1, "line 2"),
    "lone CR": ("<a>\r<b>\r</a>\r", 3, 1, "line 2"),
    "beyond ASCII before it": ("<é b='ü😀'><c></é>", 1, 14, "<c>"),
}


@pytest.mark.parametrize(("text", "line", "column", "word"), WRONG.values(), ids=WRONG)
def test_an_error_is_told_where_one_would_look(text: str, line: int, column: int, word: str) -> None:
    (issue,) = found(text)
    assert (issue.severity, issue.line, issue.column, issue.code) == ("error", line, column, "invalid-syntax")
    assert word in issue.message


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
    assert found(text) == []


def entities(number: int, repeated: int, use: str) -> str:
    rows = [f'<!ENTITY e{n} "{f"&e{n - 1};" * repeated}">' for n in range(1, number)]
    return f'<!DOCTYPE a [<!ENTITY e0 "lol">{"".join(rows)}]>{use.replace("&e;", f"&e{number - 1};")}'


def test_entities_of_entities_in_a_text_stay_as_they_are() -> None:
    assert found(entities(30, 10, "<a>&e;</a>")) == []


@pytest.mark.parametrize(
    "text",
    [entities(30, 10, '<a b="&e;"/>'), entities(100_000, 1, '<a b="&e;"/>'), entities(100_000, 1, "<a>&e;</a>")],
    ids=["growing", "a chain in an attribute", "a chain in a text"],
)
def test_entities_of_entities_without_end_are_not_judged(text: str) -> None:
    with pytest.raises(NotRunError, match="entities"):
        found(text)


def test_what_is_of_another_format_is_not_judged() -> None:
    assert found("<plist/>", "a.plist") == []
    assert len(found("", "a.plist")) == 1
    with pytest.raises(NotRunError):
        found("{ a = b; }", "a.plist")
    with pytest.raises(NotRunError):
        found("a=b\n", "c/a.props")


@pytest.mark.parametrize("text", ["---\n---\n<a/>", "{{ head }}<a/>", "<a>{% if b %}<c>{% endif %}</a>", "<%= a %>"])
def test_a_template_is_not_judged_unless_it_is_xml(text: str) -> None:
    assert found("<a>{{ b }}</a>") == []
    with pytest.raises(NotRunError, match="template"):
        found(text)


@settings(max_examples=40)
@given(st.lists(ELEMENTS, max_size=3))
def test_what_is_escaped_passes(elements: list[str]) -> None:
    assert found(f"<root>{''.join(elements)}</root>") == []


@settings(max_examples=150)
@given(st.text("<>/ab=\"'&;!-[]?# \n\ré", max_size=20) | st.text(max_size=10))
def test_any_text_is_judged(text: str) -> None:
    for whole in (text, f"<a>{text}</a>"):
        lines = whole.split("\n" if "\n" in whole else "\r")
        try:
            issues = found(whole)
        except NotRunError:
            continue
        for each in issues:
            assert each.severity == "error"
            assert 1 <= each.line <= len(lines)
            assert 1 <= each.column <= len(lines[each.line - 1]) + 1
