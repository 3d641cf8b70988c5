import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suture.json_text import dumps, loads, loads_own, quoted, quoter

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_dumps_gives_what_the_standard_library_gives(value: object) -> None:
    assert dumps(value) == json.dumps(value)


class Named:
    def __init__(self, name: str) -> None:
        self.name = name


@pytest.mark.parametrize(
    "value", [Named("a"), [Named("a"), {"b": Named("é")}], (Named("a"),)], ids=["one", "two", "in"]
)
def test_something_else_can_stand_for_what_json_has_not(value: object) -> None:
    assert dumps(value, vars) == json.dumps(value, default=vars)
    with pytest.raises(TypeError):
        dumps([object()], vars)


@given(VALUES, st.sampled_from(["", " ", "\n\t "]))
def test_loads_gives_what_the_standard_library_gives(value: object, space: str) -> None:
    assert loads(space + json.dumps(value, indent=1, ensure_ascii=False) + space) == value


@pytest.mark.parametrize("text", ["", " ", "{", "[1,]", "1 2", "nul", '{"a" 1}', "'a'", '"\n"', "\ufeff{}", "{}x"])
def test_what_is_not_json_is_refused_in_the_words_of_the_standard_library(text: str) -> None:
    with pytest.raises(json.JSONDecodeError) as expected:
        json.loads(text)
    with pytest.raises(json.JSONDecodeError) as caught:
        loads(text)
    assert str(caught.value) == str(expected.value)


@pytest.mark.parametrize("text", ["NaN", "[Infinity, -Infinity]", "1e5", "-0", "1.0"])
def test_unusual_numbers_are_read_as_the_standard_library_reads_them(text: str) -> None:
    assert repr(loads(text)) == repr(json.loads(text))


def test_a_nesting_too_deep_is_an_error_and_no_crash() -> None:
    with pytest.raises(RecursionError):
        loads("[" * 100_000)


def test_what_json_cannot_say_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        dumps({"a": object()})


def test_an_interpreter_without_the_c_module_uses_the_standard_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "_json", None)
    assert loads(dumps({"a": [1, None]})) == {"a": [1, None]}


@pytest.mark.parametrize("text", ["a", "é", 'say "hi"\n', "\udc80", "\u2028\x07"])
def test_a_quoted_string_is_as_written_if_it_can_be_encoded(text: str) -> None:
    assert json.loads(quoted(text)) == text
    surrogate = text == "\udc80"
    assert quoted(text) == json.dumps(text, ensure_ascii=surrogate)
    assert surrogate or quoter()(text) == quoted(text)


@pytest.mark.parametrize("number", [1, 30_000])
@pytest.mark.parametrize("text", ["é ", "\udc80"])
def test_parsed_reads_what_was_written(number: int, text: str) -> None:
    value = [{"file": text}] * number
    assert loads_own(json.dumps(value)) == value
