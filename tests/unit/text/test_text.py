"""Bytes to text and back."""

import codecs

import pytest

from suture import text as module
from suture.errors import EncodingMismatch, EncodingUnknown, NotEncodable, SutureError
from suture.text import Text
from suture.text.edits import apply, edit, splice

FACE = "a🙂\n"
DECODED = {
    "empty": (b"", None, "utf-8", b"", b""),
    "ASCII": (b"a\n", None, "utf-8", b"", b"a\n"),
    "UTF-8": (FACE.encode(), None, "utf-8", b"", FACE.encode()),
    "UTF-8 with NUL": (b"a\0\xc3\xa9", None, "utf-8", b"", b"a\0\xc3\xa9"),
    "UTF-8 BOM": (codecs.BOM_UTF8 + b"a", None, "utf-8", codecs.BOM_UTF8, b"a"),
    "UTF-8 BOM alone": (codecs.BOM_UTF8, None, "utf-8", codecs.BOM_UTF8, b""),
    "UTF-8 BOM twice": (codecs.BOM_UTF8 * 2, None, "utf-8", codecs.BOM_UTF8, codecs.BOM_UTF8),
    "UTF-16 LE": (b"\xff\xfe" + FACE.encode("utf-16-le"), None, "utf-16-le", b"\xff\xfe", FACE.encode()),
    "UTF-16 BE": (b"\xfe\xff" + FACE.encode("utf-16-be"), None, "utf-16-be", b"\xfe\xff", FACE.encode()),
    "UTF-16 BOM alone": (b"\xff\xfe", None, "utf-16-le", b"\xff\xfe", b""),
    "UTF-16 with a lone surrogate": (b"\xff\xfe\x00\xd8", None, "utf-16-le", b"\xff\xfe", b"\xed\xa0\x80"),
    "UTF-32 LE": (b"\xff\xfe\0\0" + FACE.encode("utf-32-le"), None, "utf-32-le", b"\xff\xfe\0\0", FACE.encode()),
    "UTF-32 BE": (b"\0\0\xfe\xff" + FACE.encode("utf-32-be"), None, "utf-32-be", b"\0\0\xfe\xff", FACE.encode()),
    "UTF-32 mark, UTF-16 text": (b"\xff\xfe\0\0a\0", None, "utf-16-le", b"\xff\xfe", b"\0a"),
    "UTF-8 BOM before other bytes": (codecs.BOM_UTF8 + b"\xff", None, None, b"", codecs.BOM_UTF8 + b"\xff"),
    "UTF-16 BOM before an odd byte": (b"\xff\xfea", None, None, b"", b"\xff\xfea"),
    "unknown": (b"caf\xe9\n", None, None, b"", b"caf\xe9\n"),
    "a surrogate in UTF-8": (b"\xed\xa0\x80", None, None, b"", b"\xed\xa0\x80"),
    "half a character": (b"a\xe2\x82", None, None, b"", b"a\xe2\x82"),
    "named, ASCII": (b"a\n", "latin-1", "iso8859-1", b"", b"a\n"),
    "named, empty": (b"", "cp1252", "cp1252", b"", b""),
    "named, other bytes": (b"caf\xe9\n", "latin-1", "iso8859-1", b"", "café\n".encode()),
    "named by an alias": (b"caf\xe9\n", "L1", "iso8859-1", b"", "café\n".encode()),
    "named Shift JIS": (b"\x95\\\n", "shift_jis", "shift_jis", b"", "表\n".encode()),
    "named UTF-8, ASCII": (b"a\n", "utf8", "utf-8", b"", b"a\n"),
    "named UTF-16 without BOM": (b"a\0\n\0", "utf-16-le", "utf-16-le", b"", b"a\n"),
    "UTF-8 wins over the name": ("é".encode(), "latin-1", "utf-8", b"", "é".encode()),
    "UTF-8 wins over a name that nobody knows": ("é".encode(), "nope", "utf-8", b"", "é".encode()),
    "BOM wins over the name": (b"\xff\xfea\0", "latin-1", "utf-16-le", b"\xff\xfe", b"a"),
    "UTF-8 BOM wins over the name": (codecs.BOM_UTF8 + b"a", "cp1252", "utf-8", codecs.BOM_UTF8, b"a"),
    "a mark that lies leaves the name": (b"\xff\xfea", "latin-1", "iso8859-1", b"", "ÿþa".encode()),
}


@pytest.mark.promise("span.bom")
@pytest.mark.promise("span.codec")
@pytest.mark.parametrize(("raw", "named", "encoding", "bom", "body"), DECODED.values(), ids=DECODED)
def test_the_bytes_say_what_they_are_and_the_name_helps_where_they_do_not(
    raw: bytes, named: str | None, encoding: str | None, bom: bytes, body: bytes
) -> None:
    text = Text.decode(raw, named)
    assert (text.encoding, text.bom, text.body, text.encode()) == (encoding, bom, body, raw)


@pytest.mark.promise("span.codec")
@pytest.mark.parametrize(
    ("raw", "encoding"),
    [
        (b"a", "no-such-codec"),
        (b"a", ""),
        (b"a", "a\0b"),
        (b"a", "\ud800"),
        (b"a", "x" * 10_000),
        (b"61", "hex"),
        (b"a", "rot13"),
        (b"a", "base64"),
        (b"a", "undefined"),
        (b"\xe9", "ascii"),
        (b"\xe9", "utf-8"),
        (b"\x81", "cp1252"),
        (b"\x95", "shift_jis"),
        (b"\x87\x90", "cp932"),
        (b"a", "utf-16-le"),
        (b"a", "utf-16"),
        (b"a", "utf-8-sig"),
        (b"+AGE-", "utf-7"),
        (b"+AOk", "utf-7"),
        (b"\x1b$B\x1b(Ba", "iso2022_jp"),
        (b"a\x1b(B", "iso2022_jp"),
        (b"~~~", "hz"),
    ],
    ids=repr,
)
def test_an_encoding_that_does_not_reproduce_the_file_is_refused(raw: bytes, encoding: str) -> None:
    with pytest.raises(EncodingMismatch) as caught:
        Text.decode(raw, encoding)
    assert (caught.value.code, caught.value.encoding) == ("ENCODING_MISMATCH", encoding)


@pytest.mark.parametrize("chunk", [1, 2, 3, 5])
@pytest.mark.parametrize(("raw", "named", "encoding", "bom", "body"), DECODED.values(), ids=DECODED)
def test_chunks_of_the_check_do_not_show(
    raw: bytes,
    named: str | None,
    encoding: str | None,
    bom: bytes,
    body: bytes,
    chunk: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_CHUNK_SIZE", chunk)
    text = Text.decode(raw, named)
    assert (text.encoding, text.bom, text.body, text.encode()) == (encoding, bom, body, raw)


@pytest.mark.parametrize(
    ("raw", "edits", "encoding", "expected"),
    [
        ("aé\n".encode(), [edit(1, 3, b"b")], None, b"ab\n"),
        (codecs.BOM_UTF8 + b"ab", [edit(0, 1, b"x"), edit(2, 2, b"y")], None, codecs.BOM_UTF8 + b"xby"),
        (codecs.BOM_UTF8, [edit(0, 0, b"x")], None, codecs.BOM_UTF8 + b"x"),
        (codecs.BOM_UTF8 + b"x", [edit(0, 1, b"")], None, codecs.BOM_UTF8),
        ("\ufeffaé\n".encode("utf-16-le"), [edit(1, 3, "🙂".encode())], None, "\ufeffa🙂\n".encode("utf-16-le")),
        ("\ufeffaé\n".encode("utf-32-be"), [edit(1, 3, "🙂".encode())], None, "\ufeffa🙂\n".encode("utf-32-be")),
        (b"\xff\xfe\x00\xd8a\0", [edit(3, 4, b"b")], None, b"\xff\xfe\x00\xd8b\0"),
        (b"caf\xe9\r\n\xff", [edit(0, 3, b"th")], None, b"th\xe9\r\n\xff"),
        (b"caf\xe9", [edit(0, 1, b"C")], "latin-1", b"Caf\xe9"),
        (b"caf\xe9", [edit(3, 5, "ü".encode())], "latin-1", b"caf\xfc"),
        (b"plain", [edit(5, 5, "é".encode())], "latin-1", b"plain\xe9"),
        (b"plain", [edit(5, 5, "€".encode())], "cp1252", b"plain\x80"),
        (b"\x95\\a\\", [edit(3, 4, b"b")], "shift_jis", b"\x95\\b\\"),
        (b'x\x1b$B$"\x1b(By', [edit(0, 1, b"X"), edit(4, 5, b"Y")], "iso2022_jp", b'X\x1b$B$"\x1b(BY'),
        (b"x+AOk-y", [edit(0, 1, b"X"), edit(3, 4, b"Y")], "utf-7", b"X+AOk-Y"),
        (b"", [edit(0, 0, "é".encode())], "latin-1", b"\xe9"),
    ],
    ids=repr,
)
@pytest.mark.promise("span.outside")
@pytest.mark.promise("span.bom")
@pytest.mark.promise("span.codec")
def test_an_edit_is_written_in_the_encoding_and_leaves_the_other_bytes(
    raw: bytes, edits: list[object], encoding: str | None, expected: bytes
) -> None:
    assert b"".join(splice(Text.decode(raw, encoding), edits)) == expected  # type: ignore[arg-type]  # a table of edits


@pytest.mark.promise("span.endings")
@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"a\r\nX\nc\rd", b"a\r\nY\nc\rd"),
        (b"a\rX\rb", b"a\rY\rb"),
        (b"X", b"Y"),
        (b"\r\nX\r\n", b"\r\nY\r\n"),
        (b"\x0cX\xe2\x80\xa8\xc2\x85\n", b"\x0cY\xe2\x80\xa8\xc2\x85\n"),
    ],
    ids=repr,
)
def test_line_endings_stay_as_they_are(raw: bytes, expected: bytes) -> None:
    text = Text.decode(raw)
    at = text.body.index(b"X")
    assert b"".join(splice(text, [edit(at, at + 1, b"Y")])) == expected


@pytest.mark.promise("span.codec")
@pytest.mark.parametrize(
    ("raw", "encoding", "cut"),
    [
        (b"+AOkA6A-", "utf-7", (2, 2, "x")),
        (b"+AOkA6A-", "utf-7", (0, 2, "")),
        (b"+AOk.", "utf-7", (0, 2, "")),
        (b"+AOk.", "utf-7", (2, 2, "x")),
        (b"+AOk.", "utf-7", (2, 3, "")),
        (b"+AOk-", "utf-7", (2, 2, "é")),
        (b'\x1b$B$"$$\x1b(B', "iso2022_jp", (3, 3, "x")),
        (b'\x1b$B$"$$\x1b(B', "iso2022_jp", (0, 3, "")),
        (b'\x1b$B$"\x1b(B', "iso2022_jp", (3, 3, "い")),
        ("か\u309a".encode("euc_jis_2004"), "euc_jis_2004", (3, 3, "x")),
        (b"\x88\x62a", "big5hkscs", (2, 4, "")),
        (b"abc", "shift_jis", (0, 1, "¥")),
    ],
    ids=repr,
)
def test_a_cut_that_would_change_the_bytes_beside_it_is_refused(
    raw: bytes, encoding: str, cut: tuple[int, int, str]
) -> None:
    text = Text.decode(raw, encoding)
    start, end, new = cut
    with pytest.raises(EncodingMismatch) as caught:
        splice(text, [edit(start, end, text.body_bytes(new))])
    assert (caught.value.code, caught.value.encoding) == ("ENCODING_MISMATCH", encoding)


@pytest.mark.promise("span.codec")
def test_a_cut_that_leaves_half_of_what_the_encoding_writes_as_one_is_refused() -> None:
    text = Text.decode("か\u309a".encode("euc_jis_2004"), "euc_jis_2004")
    with pytest.raises((EncodingMismatch, NotEncodable)):
        splice(text, [edit(0, 3, b"")])


@pytest.mark.promise("span.bom")
def test_two_halves_of_a_surrogate_pair_are_not_brought_together() -> None:
    text = Text.decode("\ufeff\ud83dx\ude42".encode("utf-16-le", "surrogatepass"))
    with pytest.raises(EncodingMismatch):
        splice(text, [edit(3, 4, b"")])


@pytest.mark.parametrize(
    ("raw", "named", "new", "expected"),
    [
        (b"a", None, "é🙂", "é🙂".encode()),
        (b"a", "latin-1", "é", "é".encode()),
        (b"\xff\xfea\0", None, "🙂", "🙂".encode()),
        (b"\xff", None, "plain\n", b"plain\n"),
        (b"\xff", None, "", b""),
    ],
    ids=repr,
)
def test_new_text_takes_the_form_of_the_body(raw: bytes, named: str | None, new: str, expected: bytes) -> None:
    assert Text.decode(raw, named).body_bytes(new) == expected


@pytest.mark.promise("span.unknown-bytes")
@pytest.mark.parametrize(
    ("raw", "named", "new", "error"),
    [
        (b"a", "latin-1", "né€", NotEncodable(character="€", encoding="iso8859-1")),
        (b"a", "ascii", "é", NotEncodable(character="é", encoding="ascii")),
        (b"a", None, "x\ud800", NotEncodable(character="\ud800", encoding="utf-8")),
        (b"\xff\xfea\0", None, "x\ud800", NotEncodable(character="\ud800", encoding="utf-16-le")),
        (b"\x81\x98\xff", None, "aé", EncodingUnknown(character="é", candidates=["latin-1"])),
        (b"caf\xe9", None, "aé", EncodingUnknown(character="é", candidates=["cp1252", "latin-1", "cp1251"])),
        (
            b"\x95\\\n",
            None,
            "é表",
            EncodingUnknown(character="é", candidates=["cp1252", "latin-1", "shift_jis", "gb18030", "cp1251"]),
        ),
        (b"a\n\x81", None, "é", EncodingUnknown(character="é", candidates=["latin-1", "cp1251"])),
    ],
    ids=str,
)
def test_a_character_that_cannot_be_written_is_refused(
    raw: bytes, named: str | None, new: str, error: SutureError
) -> None:
    with pytest.raises(SutureError) as caught:
        Text.decode(raw, named).body_bytes(new)
    assert (type(caught.value), caught.value.fields()) == (type(error), error.fields())


@pytest.mark.promise("span.unknown-bytes")
def test_an_edit_that_the_encoding_has_no_character_for_is_refused() -> None:
    text = Text.decode(b"a", "latin-1")
    with pytest.raises(NotEncodable) as caught:
        splice(text, [edit(0, 0, "€".encode())])
    assert caught.value.fields() == {"character": "€", "encoding": "iso8859-1"}


def test_the_candidates_are_encodings_that_reproduce_the_beginning_of_a_long_file() -> None:
    raw = b"a" * (module._SAMPLE_SIZE - 2) + b"\n" + b"\xe9" * 10
    with pytest.raises(EncodingUnknown) as caught:
        Text.decode(raw).body_bytes("é")
    assert caught.value.candidates == list(module._CANDIDATES)


@pytest.mark.parametrize(
    ("raw", "window", "expected"),
    [
        (b"", 8_192, False),
        (b"a\n", 8_192, False),
        (b"\0", 8_192, True),
        (b"a" * 8_191 + b"\0", 8_192, True),
        (b"a" * 8_192 + b"\0", 8_192, False),
        (b"ab\0", 2, False),
        (b"\xff\xfea\0", 8_192, False),
        (b"\xff\xfe\0\0", 8_192, False),
        (b"\x89PNG\r\n\x1a\n\0", 8_192, True),
    ],
    ids=["empty", "text", "NUL", "at the edge", "past the edge", "past a set edge", "UTF-16", "UTF-32", "PNG"],
)
def test_a_nul_near_the_beginning_makes_a_file_binary(raw: bytes, window: int, *, expected: bool) -> None:
    assert Text.decode(raw).is_binary(window) is expected


def test_the_binary_window_has_the_default_of_the_settings() -> None:
    assert [Text.decode(b"a" * size + b"\0").is_binary() for size in (8_191, 8_192)] == [True, False]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [(b"", False), (b"a", False), (b"a\n", True), (b"a\r\n", True), (b"a\r", True), (b"a\nb\r", False)],
    ids=repr,
)
def test_a_text_knows_whether_its_last_line_is_finished(raw: bytes, *, expected: bool) -> None:
    assert Text.decode(raw).final_newline is expected


def test_a_part_is_shown_with_a_mark_for_each_unknown_byte() -> None:
    assert Text.decode(b"caf\xe9 au\xff").show(1, 8) == "af\ufffd au\ufffd"


@pytest.mark.promise("bound.lazy")
@pytest.mark.parametrize("raw", [b"a\nb\n", "é\n".encode(), codecs.BOM_UTF8 + b"a\n"], ids=["ASCII", "UTF-8", "BOM"])
def test_the_common_case_does_no_work_per_line_until_asked(raw: bytes) -> None:
    text = Text.decode(raw)
    assert (text._lines, text.is_binary()) == (None, False)
    assert (len(text.lines), text.lines.style()) == (raw.count(b"\n"), "lf")
    assert b"".join(splice(text, [edit(0, 0, text.body_bytes("x"))])) == text.bom + b"x" + text.body
    assert text.lines._starts is None
    assert text.lines is text.lines


def test_the_body_of_ascii_and_utf8_and_unknown_bytes_is_the_file_itself() -> None:
    raws = [b"a\n", "é\n".encode(), b"\xff\n"]
    assert all(Text.decode(raw).body is raw for raw in raws)


def test_an_edit_shares_the_memory_of_what_stays() -> None:
    raw = b"a" * 100
    pieces = splice(Text.decode(raw), [edit(50, 50, b"x")])
    views = [piece for piece in pieces if isinstance(piece, memoryview)]
    assert [(piece.obj is raw, len(piece)) for piece in views] == [(True, 50), (True, 50)]


def test_an_edit_of_a_body_in_another_encoding_says_what_the_edit_says() -> None:
    text, edits = Text.decode("aéb".encode("latin-1"), "latin-1"), [edit(1, 3, b"-"), edit(4, 4, b"!")]
    assert Text.decode(b"".join(splice(text, edits)), "latin-1").body == apply(text.body, edits)


def test_a_codec_for_names_refuses_what_is_no_name() -> None:
    text = Text.decode(b"a.b", "idna")
    errors = (EncodingMismatch, NotEncodable)  # newer Pythons know which character it was
    with pytest.raises(errors):
        text.body_bytes("a..b")
    with pytest.raises(errors):
        splice(text, [edit(0, 1, b"")])


def test_candidates_are_tested_where_the_unknown_bytes_are() -> None:
    text = Text.decode(b"ascii only\n" * 10_000 + b"\xff\xff\n" + b"more\n" * 20_000)
    with pytest.raises(EncodingUnknown) as caught:
        text.body_bytes("é")
    assert caught.value.candidates == ["cp1252", "latin-1", "cp1251"]


def test_whether_the_last_line_is_finished_needs_no_index() -> None:
    text = Text.decode(b"a\nb\n")
    assert text.final_newline
    assert text.lines._starts is None


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"abc", "Text(3 bytes, utf-8)"),
        (b"\xef\xbb\xbfa", "Text(4 bytes, utf-8, marked)"),
        (b"\xe9", "Text(1 bytes, unknown encoding)"),
    ],
)
def test_the_repr_of_a_text_has_no_content(raw: bytes, expected: str) -> None:
    assert repr(Text.decode(raw)) == expected
