"""Contents in a database: each stored once, most as a difference, never wrong."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suture.files import store
from suture.files.store import SCHEMA, Contents
from suture.plan import digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from suture.files.store import Supply

LINES = [b"line %d of the text\n" % number for number in range(200)]


def name_of(content: bytes) -> str:
    return digest((content,), len(content))


def supply_of(*known: bytes) -> Supply:
    return {name_of(content): content for content in known}.get


def open_database() -> sqlite3.Connection:
    database = sqlite3.connect(":memory:", isolation_level=None)
    database.executescript(SCHEMA)
    return database


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    with closing(open_database()) as connection:
        yield connection


def keep(database: sqlite3.Connection, versions: Sequence[bytes]) -> list[int]:
    """Store versions, each against the one before it; their numbers."""
    numbers: list[int] = []
    for content in versions:
        base = numbers[-1] if numbers else None
        numbers.append(Contents(database).keep(name_of(content), supply_of(content), base))
    return numbers


def rows(database: sqlite3.Connection, columns: str) -> list[Any]:
    return database.execute(f"SELECT {columns} FROM content ORDER BY number").fetchall()  # noqa: S608  ours


def edit_versions(times: int) -> list[bytes]:
    """Versions of a text, each after one more small edit."""
    lines, versions = list(LINES), []
    for number in range(times):
        lines[number * 37 % len(lines)] = b"edited %d\n" % number
        versions.append(b"".join(lines))
    return versions


def rewritten(times: int, size: int = 10_000) -> list[bytes]:
    """Versions that have nothing in common."""
    return [Random(number).randbytes(size) for number in range(times)]


pieces = st.one_of(
    st.binary(max_size=50),
    st.integers(0, 9).map(lambda number: Random(number).randbytes(1_500)),
    st.integers(0, 9).map(lambda number: b"".join(LINES[number * 20 :])),
)
versions_of_a_file = st.lists(st.lists(pieces, max_size=4).map(b"".join), min_size=1, max_size=8)


@given(versions_of_a_file)
def test_every_version_comes_back(versions: list[bytes]) -> None:
    with closing(open_database()) as database:
        keep(database, versions)
        assert [Contents(database).get(name_of(version)) for version in versions] == versions
        assert [Contents(database).size(name_of(version)) for version in versions] == [
            len(version) for version in versions
        ]


@pytest.mark.promise("back.once")
def test_a_content_is_stored_once(database: sqlite3.Connection) -> None:
    first, second = keep(database, [b"content", b"another content"])
    before = rows(database, "*")
    assert keep(database, [b"another content", b"content"]) == [second, first]
    assert rows(database, "*") == before


def test_a_content_that_nobody_kept_is_none(database: sqlite3.Connection) -> None:
    assert Contents(database).get(name_of(b"content")) is None
    assert Contents(database).size(name_of(b"content")) is None


def test_a_content_that_is_gone_is_known_by_its_hash_until_it_turns_up(database: sqlite3.Connection) -> None:
    number = Contents(database).keep(name_of(b"gone"), supply_of(), None)
    assert Contents(database).get(name_of(b"gone")) is None
    assert Contents(database).size(name_of(b"gone")) is None
    assert Contents(database).keep(name_of(b"gone"), supply_of(), None) == number
    assert Contents(database).keep(name_of(b"gone"), supply_of(b"gone"), None) == number
    assert Contents(database).get(name_of(b"gone")) == b"gone"
    assert len(rows(database, "number")) == 1


def test_a_content_kept_against_one_that_is_gone_is_stored_whole(database: sqlite3.Connection) -> None:
    base = Contents(database).keep(name_of(b"gone"), supply_of(), None)
    Contents(database).keep(name_of(b"here"), supply_of(b"here"), base)
    assert Contents(database).get(name_of(b"here")) == b"here"
    assert rows(database, "base, depth, data") == [(None, 0, None), (None, 0, b"here")]


def test_a_content_kept_against_a_number_that_does_not_exist_is_stored_whole(database: sqlite3.Connection) -> None:
    Contents(database).keep(name_of(b"here"), supply_of(b"here"), 99)
    assert rows(database, "base, data") == [(None, b"here")]


@pytest.mark.promise("back.once")
def test_a_small_edit_costs_little(database: sqlite3.Connection) -> None:
    versions = edit_versions(1000)
    keep(database, versions)
    [(stored,)] = rows(database, "sum(length(data))")
    assert stored < sum(map(len, versions)) / 50


def test_a_chain_of_differences_has_an_end(database: sqlite3.Connection) -> None:
    versions = edit_versions(150)
    keep(database, versions)
    depths = [depth for (depth,) in rows(database, "depth")]
    assert (max(depths), depths.count(0)) == (32, 1)
    assert depths == depths_by_counting(database)
    assert [Contents(database).get(name_of(version)) for version in versions] == versions


def depths_by_counting(database: sqlite3.Connection) -> list[int]:
    """The length of each content's chain."""
    depths: dict[int | None, int] = {None: -1}
    for number, base in rows(database, "number, base"):
        depths[number] = depths[base] + 1
    return [depths[number] for (number,) in rows(database, "number")]


def test_a_chain_of_large_contents_ends_earlier(database: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = edit_versions(40)
    monkeypatch.setattr(store, "_CHAIN_BYTES", 5 * len(versions[0]))
    keep(database, versions)
    assert max(depth for (depth,) in rows(database, "depth")) in {4, 5}
    assert all(depth * size <= 5 * len(versions[0]) for depth, size in rows(database, "depth, size") if depth > 1)
    assert [Contents(database).get(name_of(version)) for version in versions] == versions


def test_what_has_nothing_in_common_with_the_whole_content_is_stored_whole(database: sqlite3.Connection) -> None:
    keep(database, rewritten(10))
    assert rows(database, "DISTINCT base, depth") == [(None, 0)]


def test_a_chain_that_drifted_far_from_its_end_starts_over(database: sqlite3.Connection) -> None:
    """The 33rd difference would be based on the end of the chain, with which it has nothing in common."""
    parts = rewritten(45, 400)
    versions = [b"".join(parts[start : start + 10]) for start in range(35)]
    keep(database, versions)
    depths = [depth for (depth,) in rows(database, "depth")]
    assert depths == [*range(33), 0, 1]
    assert [Contents(database).get(name_of(version)) for version in versions] == versions


@given(versions_of_a_file, st.data())
def test_damaged_data_never_gives_a_wrong_content(versions: list[bytes], data: st.DataObject) -> None:
    with closing(open_database()) as database:
        keep(database, versions)
        stored = [(number, blob) for number, blob in rows(database, "number, data") if blob]
        if stored:
            number, blob = data.draw(st.sampled_from(stored))
            at, mask = data.draw(st.integers(0, len(blob) - 1)), data.draw(st.integers(1, 255))
            broken = blob[:at] + bytes([blob[at] ^ mask]) + blob[at + 1 :]
            database.execute("UPDATE content SET data = ? WHERE number = ?", (broken, number))
        for content in versions:
            assert Contents(database).get(name_of(content)) in {content, None}


@pytest.mark.parametrize("codec", ["raw", "zstd", "zstd+"])
def test_any_damage_to_the_beginning_of_stored_data_never_gives_a_wrong_content(
    database: sqlite3.Connection, codec: str
) -> None:
    """The sizes that zstd trusts are there."""
    versions = {
        "raw": [b"short"],
        "zstd": [b"".join(LINES)],
        "zstd+": [b"<%b>" % version for version in edit_versions(2)],
    }[codec]
    versions = [*versions[:-1], b"[" + versions[-1] + b"]" if codec == "zstd+" else versions[-1]]
    number = keep(database, versions)[-1]
    ((name, blob),) = database.execute("SELECT codec, data FROM content WHERE number = ?", (number,)).fetchall()
    assert name == codec
    for at in range(min(len(blob), 18)):
        for bit in range(8):
            broken = blob[:at] + bytes([blob[at] ^ 1 << bit]) + blob[at + 1 :]
            database.execute("UPDATE content SET data = ? WHERE number = ?", (broken, number))
            assert Contents(database).get(name_of(versions[-1])) in {versions[-1], None}, (at, bit)


@pytest.mark.parametrize(
    "damage",
    [
        "base = 99",
        "base = number",
        "base = 'text'",
        "base = x'00'",
        "head = -1",
        "head = 1e9",
        "head = NULL",
        "head = 'text'",
        "tail = 99999999",
        "tail = x'00'",
        "size = 0",
        "size = size + 1",
        "size = 1 << 62",
        "size = 'text'",
        "codec = 'zstd'",
        "codec = 'zstd+'",
        "codec = 'lzma'",
        "codec = x'ff'",
        "data = 'text'",
        "data = 7",
        "data = x''",
        "data = zeroblob(length(data))",
        "data = zeroblob(length(data) + 1)",
    ],
)
def test_a_damaged_row_is_a_content_that_is_not_kept(database: sqlite3.Connection, damage: str) -> None:
    database.execute("DROP TABLE content")
    database.executescript(SCHEMA.replace(" NOT NULL", ""))
    versions = [b"".join(LINES), b"".join(LINES[:100]) + b"new\n" + b"".join(LINES[101:]), b"".join(LINES[1:])]
    keep(database, versions)
    database.execute(f"UPDATE content SET {damage} WHERE number = 2")  # noqa: S608  ours
    contents = [Contents(database).get(name_of(version)) for version in versions]
    assert contents[:2] == [versions[0], None]
    assert contents[2] in {versions[2], None}


def test_what_is_kept_against_a_damaged_content_is_kept_all_the_same(database: sqlite3.Connection) -> None:
    versions = edit_versions(3)
    number = keep(database, versions[:2])[-1]
    for damage in ("head = -1", "head = 0, codec = 'zstd'", "data = NULL"):
        database.execute(f"UPDATE content SET {damage} WHERE number = ?", (number,))  # noqa: S608  ours
        database.execute("DELETE FROM content WHERE number > ?", (number,))
        Contents(database).keep(name_of(versions[2]), supply_of(versions[2]), number)
        assert Contents(database).get(name_of(versions[2])) == versions[2]


def test_what_is_kept_against_a_content_that_rests_on_itself_is_stored_whole(database: sqlite3.Connection) -> None:
    (number,) = keep(database, [b"one"])
    database.execute("UPDATE content SET base = number, depth = 99")
    Contents(database).keep(name_of(b"two"), supply_of(b"two"), number)
    assert Contents(database).get(name_of(b"two")) == b"two"


def test_what_is_kept_against_a_wrong_content_is_right(database: sqlite3.Connection) -> None:
    """A flipped bit that only the hash reveals."""
    numbers = keep(database, [b"the first version", b"the second version"])
    database.execute("UPDATE content SET data = CAST(x'00' || substr(data, 2) AS BLOB) WHERE number = ?", numbers[1:])
    Contents(database).keep(name_of(b"the third version"), supply_of(b"the third version"), numbers[1])
    assert Contents(database).get(name_of(b"the second version")) is None
    assert Contents(database).get(name_of(b"the third version")) == b"the third version"


@pytest.mark.parametrize(
    "damage",
    ["data = CAST(substr(data, 1, 5000) || x'00' || substr(data, 5002) AS BLOB)", "data = x'00'", "head = -1"],
    ids=["unnoticed", "data", "head"],
)
@pytest.mark.parametrize("against", [None, 0, 1, 2])
def test_a_damaged_content_that_is_kept_again_is_sound_again_and_so_is_what_rests_on_it(
    database: sqlite3.Connection, damage: str, against: int | None
) -> None:
    (body,) = rewritten(1)
    versions = [body, body + b"and more", b"even" + body]
    numbers = keep(database, versions)
    database.execute(f"UPDATE content SET {damage} WHERE number = ?", numbers[:1])  # noqa: S608  ours
    base = None if against is None else numbers[against]
    assert Contents(database).keep(name_of(versions[0]), supply_of(versions[0]), base) == numbers[0]
    assert [Contents(database).get(name_of(version)) for version in versions] == versions


def test_contents_that_others_rest_on_are_not_dropped(database: sqlite3.Connection) -> None:
    versions = edit_versions(5)
    numbers = keep(database, versions)
    other = Contents(database).keep(name_of(b"other"), supply_of(b"other"), None)
    Contents(database).keep_only(f"SELECT {numbers[2]}")
    assert [number for (number,) in rows(database, "number")] == numbers[:3]
    assert Contents(database).get(name_of(versions[2])) == versions[2]
    assert other not in numbers


def test_a_chain_that_nobody_refers_to_is_dropped_whole(database: sqlite3.Connection) -> None:
    keep(database, edit_versions(70))
    (last,) = keep(database, [b"other"])
    Contents(database).keep_only(f"SELECT {last}")
    assert rows(database, "number") == [(last,)]
    Contents(database).keep_only("SELECT 0")
    assert rows(database, "number") == []


def test_what_is_held_in_memory_is_bounded(database: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_MAX_CACHED_BYTES", 100_000)
    versions = rewritten(30)
    contents, number = Contents(database), None
    for content in versions:
        number = contents.keep(name_of(content), supply_of(content), number)
        assert sum(map(len, contents._cache.values())) <= 100_000
    for content in versions:
        assert contents.get(name_of(content)) == content
        assert sum(map(len, contents._cache.values())) <= 100_000
