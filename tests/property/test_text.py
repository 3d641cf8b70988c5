"""For any bytes: decoding and encoding is the identity, and an edit changes nothing outside its span."""

import codecs
import re

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from suture import text as text_module
from suture.errors import EncodingMismatch, NotEncodable
from suture.text import Lines, Text
from suture.text.edits import Edit, edit, splice

MARKED = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}
CODECS = """
    ascii latin-1 cp1252 cp1251 cp437 cp037 koi8-r mac-roman utf-8 utf-8-sig utf-16 utf-16-le utf-16-be utf-32 utf-32-le
    utf-7 shift_jis cp932 euc-jp euc_jis_2004 iso2022_jp iso2022_jp_2 iso2022_kr hz gb18030 gbk big5 big5hkscs
    euc-kr johab unicode_escape raw_unicode_escape punycode idna charmap hex rot13 undefined no-such-codec
""".split()
ALPHABETS = {
    "latin-1": "ab \r\n\x0c\x85éÿ",
    "cp1252": "ab \r\n\x0cé€“",
    "shift_jis": "ab \r\nｱ表ソ能日本",
    "gb18030": "ab \r\né中🙂",
    "cp037": "ab \r\n\x85é",
    "utf-16-le": "ab \r\né中🙂",
}
STATEFUL = {  # the parts of a text; two characters in one string are written as one
    "utf-7": [*"ab .+-~\r\né中🙂"],
    "iso2022_jp": [*"ab \r\nあ日"],
    "iso2022_kr": [*"ab \r\n가나"],
    "hz": [*"ab~{}\r\n中文"],
    "euc_jis_2004": [*"ab\nかæ", "か\u309a", "æ\u0300"],
    "shift_jisx0213": [*"ab\nかæ", "か\u309a", "æ\u0300"],
    "big5hkscs": [*"ab\nÊ中", "Ê\u0304"],
    "punycode": [*"ab-\né中"],
}
ANY_TEXT = st.text(alphabet="ab \t\r\n\x0c\x00\x85\u2028é中🙂\ufeff\ud800", max_size=20)
CHUNKS = st.sampled_from([1, 2, 3, 5, 7, 1 << 20])
STEADY = settings(deadline=None, max_examples=150)


@st.composite
def raws(draw: st.DrawFn) -> bytes:
    """Any bytes, but often ones that some codec wrote."""
    codec = draw(st.sampled_from([*MARKED, *CODECS[: CODECS.index("hex")]]))
    mark = draw(st.sampled_from([b"", *MARKED.values()]))
    mess = draw(st.one_of(st.just(b""), st.binary(max_size=8)))
    try:
        return mark + draw(ANY_TEXT).encode(codec) + mess
    except UnicodeError:
        return mark + mess


@pytest.mark.promise("span.identity")
@pytest.mark.filterwarnings("ignore:invalid escape sequence:DeprecationWarning")
@STEADY
@given(raw=st.one_of(st.binary(max_size=60), raws()), encoding=st.sampled_from([None, *CODECS]), chunk=CHUNKS)
@example(raw=b"\x87\x90", encoding="cp932", chunk=1)
@example(raw=b"\xff\xfe\0\0\0\xd8", encoding=None, chunk=1)
@example(raw=b"\xff\xfe\x3d\xd8\x42\xde", encoding=None, chunk=1)
def test_for_any_bytes_and_any_encoding_decode_then_encode_is_the_identity(
    raw: bytes, encoding: str | None, chunk: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_module, "_CHUNK_SIZE", chunk)
        try:
            text = Text.decode(raw, encoding)
        except EncodingMismatch:
            assert encoding is not None
            return
        assert (text.encode(), b"".join(splice(text, []))) == (raw, raw)


Parts = list[tuple[str, str, str]]


def parts(alphabet: str, *, surrogates: str = "") -> st.SearchStrategy[Parts]:
    """A text in parts (kept, old, new): each `old` is to be replaced by `new`."""
    old_text = st.text(alphabet=alphabet + surrogates, max_size=6)
    return st.lists(st.tuples(old_text, old_text, st.text(alphabet=alphabet, max_size=6)), min_size=1, max_size=3)


def edits_for(text: Text, cut: Parts) -> list[Edit]:
    """The edits that replace each old part of the text by the new one."""
    edits, position = [], 0
    for kept, old, new in cut:
        start = position + len(kept.encode("utf-8", "surrogatepass"))
        position = start + len(old.encode("utf-8", "surrogatepass"))
        edits.append(edit(start, position, text.body_bytes(new)))
    return edits


def encode(words: list[str], codec: str) -> bytes:
    return b"".join(word.encode(codec, "surrogatepass" if codec in MARKED else "strict") for word in words)


def before_and_after(cut: Parts, codec: str) -> tuple[bytes, bytes]:
    """The bytes of the file with the old parts, and with the new ones, each part encoded on its own."""
    olds = [word for kept, old, _ in cut for word in (kept, old)]
    news = [word for kept, _, new in cut for word in (kept, new)]
    return encode(olds, codec), encode(news, codec)


@pytest.mark.promise("span.outside")
@STEADY
@given(cut=parts("ab \t\r\n\x0c\x85\u2028é中🙂"))
def test_an_edit_of_utf8_changes_nothing_outside_its_span(cut: Parts) -> None:
    before, after = before_and_after(cut, "utf-8")
    text = Text.decode(before)
    assert b"".join(splice(text, edits_for(text, cut))) == after


@pytest.mark.promise("span.outside")
@pytest.mark.promise("span.bom")
@pytest.mark.parametrize("codec", MARKED)
@STEADY
@given(data=st.data())
def test_an_edit_behind_a_byte_order_mark_changes_nothing_outside_its_span(codec: str, data: st.DataObject) -> None:
    lone = "" if codec == "utf-8" else "\ud800"
    cut = data.draw(parts("ab\r\n\x85\u2028é中🙂\ufeff", surrogates=lone))
    before, after = before_and_after(cut, codec)
    text = Text.decode(MARKED[codec] + before)
    assume(text.bom == MARKED[codec])  # a UTF-16 text that begins with NUL is mistaken for UTF-32
    assert b"".join(splice(text, edits_for(text, cut))) == MARKED[codec] + after


@pytest.mark.promise("span.outside")
@pytest.mark.promise("span.codec")
@pytest.mark.parametrize("codec", ALPHABETS)
@STEADY
@given(data=st.data())
def test_an_edit_in_a_named_encoding_changes_nothing_outside_its_span(codec: str, data: st.DataObject) -> None:
    cut = data.draw(parts(ALPHABETS[codec]))
    before, after = before_and_after(cut, codec)
    text = Text.decode(before, codec)
    assume(text.encoding == codecs.lookup(codec).name)  # not by chance valid UTF-8
    assert b"".join(splice(text, edits_for(text, cut))) == after


@pytest.mark.promise("span.outside")
@pytest.mark.promise("span.unknown-bytes")
@STEADY
@given(
    kept=st.tuples(st.binary(max_size=10), st.binary(max_size=10)),
    old=st.binary(max_size=5),
    new=st.text(alphabet="ab\r\n", max_size=5),
)
def test_an_ascii_edit_of_unknown_bytes_changes_nothing_outside_its_span(
    kept: tuple[bytes, bytes], old: bytes, new: str
) -> None:
    left, right = kept
    text = Text.decode(left + old + b"\xff" + right)
    assume(text.encoding is None)
    pieces = splice(text, [edit(len(left), len(left) + len(old), text.body_bytes(new))])
    assert b"".join(pieces) == left + new.encode() + b"\xff" + right


@st.composite
def cut_anywhere(draw: st.DrawFn, codec: str) -> Parts:
    words = st.lists(st.sampled_from(STATEFUL[codec]), max_size=12).map("".join)
    text = draw(words)
    borders = sorted(draw(st.lists(st.integers(0, len(text)), min_size=4, max_size=4)))
    olds = [text[a:b] for a, b in zip([0, *borders], [*borders, len(text)], strict=True)]
    return [(olds[0], olds[1], draw(words)), (olds[2], olds[3], draw(words)), (olds[4], "", "")]


@pytest.mark.promise("span.outside")
@pytest.mark.promise("span.codec")
@pytest.mark.parametrize("codec", STATEFUL)
@STEADY
@given(data=st.data())
def test_an_edit_in_an_encoding_with_state_leaves_the_bytes_beside_it_or_is_refused(
    codec: str, data: st.DataObject
) -> None:
    cut = data.draw(cut_anywhere(codec))
    raw = "".join(kept + old for kept, old, _ in cut).encode(codec)
    try:
        text = Text.decode(raw, codec)
        assume(text.encoding == codecs.lookup(codec).name)
        result = b"".join(splice(text, edits_for(text, cut)))
    except (EncodingMismatch, NotEncodable):
        return
    assert Text.decode(result, codec).body == "".join(kept + new for kept, _, new in cut).encode()
    (first, _, _), (middle, _, _), (last, _, _) = cut
    assert result == before_and_after(cut, codec)[1]
    assert (raw.startswith(first.encode(codec)), raw.endswith(last.encode(codec))) == (True, True)
    assert middle.encode(codec) in raw[len(first.encode(codec)) : len(raw) - len(last.encode(codec))]


BREAKS = st.lists(
    st.sampled_from(
        [
            b"\n",
            b"\r\n",
            b"\r",
            b"a",
            b"",
            "é".encode(),
            "🙂".encode(),
            b"\x0c",
            b"\xe2\x80\xa8",
            b"\xc2\x85",
            b"\x85",
            b"\xff",
            b"\xe2\x82",
        ]
    ),
    max_size=24,
).map(b"".join)


def naive_lines(body: bytes) -> list[tuple[bytes, bytes]]:
    """Each line and its ending, by the definition."""
    if b"\n" in body:
        pattern = rb"([^\n]*?)(\r?\n)|([^\n]+)()"
    elif b"\r" in body:
        pattern = rb"([^\r]*)(\r)|([^\r]+)()"
    else:
        return [(body, b"")] if body else []
    return [(a or c, b or d) for a, b, c, d in re.findall(pattern, body)]


def naive_style(endings: set[bytes]) -> str:
    names = {
        frozenset[bytes](): "none",
        frozenset([b"\n"]): "lf",
        frozenset([b"\r\n"]): "crlf",
        frozenset([b"\r"]): "cr",
    }
    return names.get(frozenset(endings - {b""}), "mixed")


@pytest.mark.promise("place.line-breaks")
@STEADY
@given(body=st.one_of(BREAKS, st.binary(max_size=40)), chunk=CHUNKS)
def test_lines_are_what_the_definition_says(body: bytes, chunk: int) -> None:
    expected = naive_lines(body)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_module, "_CHUNK_SIZE", chunk)
        lines = Lines(body)
        counts = (len(lines), lines.style())
        numbers = range(1, len(lines) + 1)
        assert [(lines.content(number), lines.ending(number)) for number in numbers] == expected
    assert counts == (len(expected), naive_style({ending for _, ending in expected}))
    spans = [lines.span(number) for number in numbers]
    assert b"".join(body[start:end] for start, end in spans) == body
    assert [lines.at(offset) for start, end in spans for offset in range(start, end)] == [
        number for number, (start, end) in zip(numbers, spans, strict=True) for _ in range(start, end)
    ]


@pytest.mark.promise("place.line-column")
@STEADY
@given(body=st.one_of(BREAKS, st.binary(max_size=40)))
def test_every_place_in_the_text_of_a_line_has_one_position_and_comes_back_from_it(body: bytes) -> None:
    lines = Lines(body)
    offset = 0
    for number, (content, ending) in enumerate(naive_lines(body), 1):
        characters = content.decode("utf-8", "surrogateescape")
        for column in range(len(characters) + 1):
            place = offset + len(characters[:column].encode("utf-8", "surrogateescape"))
            assert (lines.position(place), lines.offset(number, column)) == ((number, column), place)
        offset += len(content + ending)


@pytest.mark.promise("place.line-column")
@STEADY
@given(body=st.one_of(BREAKS, st.text(max_size=40).map(str.encode)))
def test_every_place_between_two_characters_comes_back_from_its_position(body: bytes) -> None:
    lines = Lines(body)
    text = body.decode("utf-8", "surrogateescape")
    places = [len(text[:index].encode("utf-8", "surrogateescape")) for index in range(len(text) + 1)]
    assert [lines.offset(*lines.position(place)) for place in places] == places


@STEADY
@given(body=st.one_of(BREAKS, st.binary(max_size=40)), data=st.data())
def test_several_lines_at_once_are_the_same_as_one_by_one(body: bytes, data: st.DataObject) -> None:
    lines = Lines(body)
    first = data.draw(st.integers(1, len(lines) + 1))
    last = data.draw(st.integers(0, len(lines)))
    assert lines.contents(first, last) == [lines.content(number) for number in range(first, last + 1)]
