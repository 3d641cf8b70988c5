"""Records are values: named fields, equal by content, never changed."""

from typing import Any, ClassVar

import pytest

from suture.records import Record, field_docstrings
from suture.settings import Settings


class Point(Record):
    x: int
    y: int = 7
    _hidden: ClassVar[int] = 0


class Named(Point):
    name: str = "origin"
    y: int = 8


class Bag(Record):
    things: list[int]


class Nothing(Record):
    pass


@pytest.mark.parametrize(
    ("record", "fields"),
    [
        (Point(1, 2), {"x": 1, "y": 2}),
        (Point(1), {"x": 1, "y": 7}),
        (Point(x=1), {"x": 1, "y": 7}),
        (Point(1, y=2), {"x": 1, "y": 2}),
        (Point(y=2, x=1), {"x": 1, "y": 2}),
        (Named(1), {"x": 1, "y": 8, "name": "origin"}),
        (Named(1, 2, "a"), {"x": 1, "y": 2, "name": "a"}),
        (Nothing(), {}),
    ],
    ids=repr,
)
def test_a_record_has_the_fields_that_were_given_and_the_defaults_of_the_rest(
    record: Record, fields: dict[str, object]
) -> None:
    assert vars(record) == fields


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((), {}),
        ((), {"y": 1}),
        ((1, 2, 3), {}),
        ((1,), {"x": 1}),
        ((1,), {"z": 1}),
        ((1, 2), {"z": 1}),
        ((1,), {"_hidden": 1}),
    ],
    ids=[
        "nothing",
        "a field missing",
        "one too many",
        "one twice",
        "an unknown name",
        "all and more",
        "a private name",
    ],
)
def test_a_record_refuses_arguments_that_do_not_fit_its_fields(args: tuple[int, ...], kwargs: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="Point"):
        Point(*args, **kwargs)


def test_records_of_one_type_are_equal_by_content() -> None:
    records: list[Record] = [Point(1, 2), Point(2, 1), Named(1, 2), Nothing()]
    same: list[Record] = [Point(1, 2), Point(2, 1), Named(1, 2), Nothing()]
    assert [[left == right for right in same] for left in records] == [
        [True, False, False, False],
        [False, True, False, False],
        [False, False, True, False],
        [False, False, False, True],
    ]
    assert Point(1, 2) != (1, 2)


def test_equal_records_are_one_member_of_a_set() -> None:
    assert len({Point(1, 2), Point(1, 2), Point(2, 1), Named(1, 2)}) == 3


def test_a_record_of_something_unhashable_is_unhashable_too() -> None:
    with pytest.raises(TypeError):
        hash(Bag([]))


def test_a_field_cannot_be_set() -> None:
    point = Point(1, 2)
    with pytest.raises(AttributeError, match=r"Point\.x"):
        point.x = 3  # type: ignore[misc]  # what is refused
    assert point == Point(1, 2)


def test_but_makes_the_same_record_with_some_fields_changed() -> None:
    named = Named(1, 2, "a")
    assert (named.evolve(), named.evolve(x=5), named) == (Named(1, 2, "a"), Named(5, 2, "a"), Named(1, 2, "a"))


def test_but_refuses_an_unknown_field() -> None:
    with pytest.raises(TypeError):
        Point(1).evolve(z=1)


def test_a_record_shows_its_fields_as_it_would_be_made() -> None:
    assert repr(Named(1, 2, "a")) == "Named(x=1, y=2, name='a')"


def test_a_record_is_matched_by_position_and_by_name() -> None:
    match Named(1, 2, "a"):
        case Named(x, y, name=name):
            assert (x, y, name) == (1, 2, "a")


def test_the_default_settings_open_nothing_and_lose_nothing() -> None:
    settings = Settings()
    assert (settings.extra_roots, settings.allow_protected, settings.durability) == ((), (), "full")


def test_a_field_cannot_be_deleted() -> None:
    value = Point(1, 2)
    with pytest.raises(AttributeError):
        del value.x
    assert value == Point(1, 2)


class Described(Record):
    size: int = 0
    """How large it is,
    in bytes."""
    name: str = ""


def test_the_docstrings_below_fields_are_read_from_the_source() -> None:
    assert field_docstrings(Described) == {"size": "How large it is, in bytes."}


def test_a_class_without_source_has_no_docstrings_of_fields() -> None:
    assert field_docstrings(type("Made", (Record,), {"__annotations__": {}})) == {}
