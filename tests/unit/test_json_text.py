import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suture.json_text import dumps, loads

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_dumps_gives_what_the_standard_library_gives(value: object) -> None:
    assert dumps(value) == json.dumps(value)


@given(VALUES, st.sampled_from(["", " ", "\n\t "]))
def test_loads_gives_what_the_standard_library_gives(value: object, space: str) -> None:
    assert loads(space + json.dumps(value, indent=1, ensure_ascii=False) + space) == value


@pytest.mark.parametrize("text", ["", " ", "{", "[1,]", "1 2", "nul", '{"a" 1}', "'a'", '"\n"', "\ufeff{}", "{}x"])
def test_what_is_not_json_is_refused_in_the_words_of_the_standard_library(text: str) -> None:
    with pytest.raises(json.JSONDecodeError) as expected:
        json.loads(text)
    with pytest.raises(json.JSONDecodeError) as found:
        loads(text)
    assert str(found.value) == str(expected.value)


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
