"""The intent file: written, marked, read by another process, and torn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from suture.errors import RecoveryBlocked
from suture.files.fs import Tree
from suture.files.journal import Intent, Journal, Leftover, Step, find_journals, new_id
from suture.files.paths import has_intent
from suture.plan import ChangeRecord, Clipboard, FileRecord, Head, SessionInfo, Version, digest
from suture.testing import MemoryFS

if TYPE_CHECKING:
    from collections.abc import Callable

NAME = ".suture/intent"
OLDER_NAME = ".suture-intent"
STEM = ".suture-0123456789abcde-"
STAGED = ".suture/0123456789abcde-"


def hash_of(number: int) -> str:
    return f"sha256:{number:064}"


RECORD = ChangeRecord(
    "0123456789abcde",
    "transaction",
    "about é",
    (
        FileRecord("a.txt", "update", Version(hash_of(1), 0o644), Version(hash_of(2), 0o644)),
        FileRecord("/extra/sub/b é\n.txt", "create", None, Version(hash_of(3), None)),
        FileRecord("c.txt", "rename", Version(hash_of(4), 0o755), Version(hash_of(4), 0o755), "d.txt"),
    ),
    ("new",),
    "00000000000aaaa",
    clipboards=(
        Clipboard("name é", "a text\n\udcff", "a.txt", 1, 2, made="0123456789abcde", by_change=True),
        Clipboard("other", "", "b", 7, 7, is_part=True),
    ),
    also_undoes=("00000000000aaac", "00000000000aaab"),
    session=SessionInfo("0123456789abcdf", "claude é\ud83d", "2.0", "stdio", ""),
    head=Head("feature/\udcff", "f" * 40),
)
INTENT = Intent(
    RECORD,
    ((0, "new"), (1, "new/deep")),
    (
        Step(0, "a.txt", hash_of(1), hash_of(2), f"{STAGED}7-0.new", f"{STAGED}7-0.old"),
        Step(1, "sub/b é\n.txt", None, hash_of(3), f"sub/{STEM}7-1.new", None),
        Step(0, "c.txt", hash_of(4), hash_of(1), f"{STEM}7-2.new", f"{STEM}7-2.old", in_place=True),
    ),
    ((0, "old"), (1, "old/deep")),
)


def disk() -> MemoryFS:
    fs = MemoryFS()
    fs.make_folder("/ws/.suture")
    fs.make_folder("/extra")
    fs.make_folder("/moved/.suture")
    fs.sync_all()
    return fs


SIGNED = Leftover(INTENT, done=False, signed=True)


def journal(fs: MemoryFS, *roots: str) -> Journal:
    return Journal([Tree(fs, root) for root in roots or ("/ws", "/extra")])


def write_intent(*, durable: bool = False, name: str = NAME) -> MemoryFS:
    fs = disk()
    writer = Journal([Tree(fs, root) for root in ("/ws", "/extra")], name=name)
    writer.write(INTENT, durable=durable)
    if durable:
        writer.sync_name()
    return fs


def test_an_intent_is_read_as_it_was_written() -> None:
    fs = write_intent()
    assert journal(fs).exists()
    assert journal(fs).read() == SIGNED


def test_an_intent_is_for_its_owner_only() -> None:
    assert write_intent().node_of(NAME).mode == 0o600


def test_an_intent_is_marked_done_in_place_and_the_mark_can_be_taken_back() -> None:
    fs = disk()
    writer = journal(fs)
    writer.write(INTENT, durable=False)
    size = len(fs.node_of(NAME).data)
    writer.mark(done=True, durable=False)
    assert journal(fs).read() == SIGNED.evolve(done=True)
    assert len(fs.node_of(NAME).data) == size
    writer.mark(done=False, durable=False)
    assert journal(fs).read() == SIGNED


def test_an_intent_is_removed() -> None:
    fs = write_intent()
    journal(fs).remove()
    assert not journal(fs).exists()
    assert fs.files() == {}


@pytest.mark.parametrize("durable", [True, False])
def test_a_durable_intent_outlives_a_power_cut(*, durable: bool) -> None:
    fs = write_intent(durable=durable)
    fs.power_loss()
    assert journal(fs).exists() is durable


def test_a_durable_mark_outlives_a_power_cut() -> None:
    fs = disk()
    writer = journal(fs)
    writer.write(INTENT, durable=True)
    writer.sync_name()
    writer.mark(done=True, durable=True)
    fs.power_loss()
    assert journal(fs).read() == SIGNED.evolve(done=True)


def test_an_intent_torn_anywhere_was_never_written() -> None:
    whole = write_intent().node_of(NAME).data
    for length in range(len(whole) - 1):
        fs = disk()
        fs.put(NAME, whole[:length])
        assert journal(fs).read() == Leftover(None), length


def test_an_intent_whose_state_cannot_be_read_is_not_done() -> None:
    fs = write_intent()
    fs.put(NAME, fs.node_of(NAME).data.replace(b" open ", b" doen "))
    assert journal(fs).read() == SIGNED


@pytest.mark.parametrize(
    "data",
    [
        lambda whole: whole[:95] + b"?" + whole[96:],
        lambda whole: whole.replace(b"\nsha256:", b"\nsha256?"),
        lambda whole: whole.replace(b"intent 2 ", b"intent 9 "),
        lambda _: b"garbage",
        lambda _: b"garbage\n" * 3,
    ],
    ids=["body", "checksum", "version", "one line", "three lines"],
)
def test_an_intent_that_is_damaged_or_foreign_blocks_the_recovery(data: Callable[[bytes], bytes]) -> None:
    fs = write_intent()
    fs.put(NAME, data(fs.node_of(NAME).data))
    with pytest.raises(RecoveryBlocked):
        journal(fs).read()
    assert NAME in fs.files()


@pytest.mark.parametrize(
    "data", [lambda whole: b"\0" * len(whole), lambda whole: whole[:30] + b"\0" * 30, lambda _: b""]
)
def test_an_intent_that_a_power_cut_left_unwritten_means_that_nothing_was_begun(data: Callable[[bytes], bytes]) -> None:
    fs = write_intent()
    fs.put(NAME, data(fs.node_of(NAME).data))
    assert journal(fs).read() == Leftover(None)


def test_roots_are_known_by_their_paths_and_the_first_by_the_place_of_the_intent() -> None:
    fs = write_intent()
    fs.put("../moved/.suture/intent", fs.node_of(NAME).data)
    intent = journal(fs, "/moved", "/ws", "/extra").read().intent
    assert intent is not None
    assert [step.root for step in intent.steps] == [0, 2, 0]
    assert intent.folders == ((0, "new"), (2, "new/deep"))


def test_an_intent_of_an_earlier_version_knows_no_clipboards() -> None:
    fs = disk()
    record = RECORD.evolve(clipboards=())
    journal(fs).write(INTENT.evolve(record=record), durable=False)
    rewrite(fs, b', "clipboards": []', b"")
    assert journal(fs).read() == Leftover(INTENT.evolve(record=record))


def test_clipboards_of_version_010_have_no_origin() -> None:
    fs = disk()
    journal(fs).write(INTENT.evolve(record=RECORD.evolve(clipboards=())), durable=False)
    rewrite(fs, b'"clipboards": []', b'"clipboards": [["name", "text"]]')
    intent = journal(fs).read().intent
    assert intent is not None
    assert intent.record.clipboards == (Clipboard("name", "text", "", 0, 0),)


WRONG = [
    b'[["name", 3]]',
    b'[["name"]]',
    b"3",
    b"[3]",
    b'[[null, "x"]]',
    b'[{"name": "x"}]',
    b'[{"name": "x", "text": "", "path": "", "start_line": "1", "end_line": 1}]',
    b'[{"name": "x", "text": "", "path": "", "start_line": 1, "end_line": 1, "is_part": 1}]',
    b'[{"name": "x", "text": "", "path": "", "start_line": 1, "end_line": 1, "other": 1}]',
]


@pytest.mark.parametrize("wrong", WRONG)
def test_clipboards_that_are_no_texts_block_the_recovery(wrong: bytes) -> None:
    fs = disk()
    journal(fs).write(INTENT.evolve(record=RECORD.evolve(clipboards=())), durable=False)
    rewrite(fs, b'"clipboards": []', b'"clipboards": ' + wrong)
    with pytest.raises(RecoveryBlocked):
        journal(fs).read()


PLAIN = RECORD.evolve(also_undoes=(), session=None, head=None)
FIELDS = {"also_undoes": b"[]", "session": b"null", "head": b"null"}


def test_an_intent_of_an_earlier_version_knows_no_session() -> None:
    fs = disk()
    journal(fs).write(INTENT.evolve(record=PLAIN), durable=False)
    for name, value in FIELDS.items():
        rewrite(fs, b', "%s": %s' % (name.encode(), value), b"")
    assert b"session" not in fs.files()[NAME]
    assert journal(fs).read() == Leftover(INTENT.evolve(record=PLAIN))


SESSION = {"id": '"x"', "agent": '"cli"', "version": '""', "transport": '"cli"', "label": '""'}
WRONG_ORIGINS = {
    "also_undoes": ["3", "{}", "[3]", '["x"]', "[null]", '"00000000000aaac"', '["00000000000aaaa"]', '[["a"]]'],
    "session": [
        *("3", '"x"', "[]", "{}", '{"id": "x"}', "true"),
        *(
            "{" + ", ".join(f'"{key}": {3 if key == name else value}' for key, value in SESSION.items()) + "}"
            for name in SESSION
        ),
        "{" + ", ".join(f'"{key}": {value}' for key, value in SESSION.items()) + ', "more": ""}',
        "{" + ", ".join(f'"{key}": {value}' for key, value in SESSION.items()).replace('"cli"', "null") + "}",
    ],
    "head": [
        "3",
        '"main"',
        "[]",
        "{}",
        '{"branch": "a"}',
        '{"branch": 3, "commit": null}',
        '{"branch": null, "commit": []}',
    ],
}


@pytest.mark.parametrize(
    ("name", "wrong"), [(name, value) for name, values in WRONG_ORIGINS.items() for value in values]
)
def test_a_session_or_a_head_of_a_wrong_type_blocks_the_recovery(name: str, wrong: str) -> None:
    fs = disk()
    journal(fs).write(INTENT.evolve(record=PLAIN), durable=False)
    before = fs.files()[NAME]
    rewrite(fs, b'"%s": %s' % (name.encode(), FIELDS[name]), b'"%s": %s' % (name.encode(), wrong.encode()))
    assert fs.files()[NAME] != before
    with pytest.raises(RecoveryBlocked):
        journal(fs).read()


@pytest.mark.parametrize(
    "record",
    [
        PLAIN.evolve(undoes=None, also_undoes=("00000000000aaac",)),
        PLAIN.evolve(also_undoes=("00000000000aaac",) * 2),
        PLAIN.evolve(also_undoes=("00000000000aaaa",)),
    ],
)
def test_a_change_that_is_undone_twice_or_not_first_blocks_the_recovery(record: ChangeRecord) -> None:
    fs = disk()
    journal(fs).write(INTENT.evolve(record=record), durable=False)
    with pytest.raises(RecoveryBlocked):
        journal(fs).read()


def rewrite(fs: MemoryFS, old: bytes, new: bytes) -> None:
    """Change an intent as its writer would have."""
    head, line, *_ = fs.files()[NAME].split(b"\n")
    line = line.replace(old, new)
    fs.put(NAME, b"\n".join((head, line, digest((line,), len(line)).encode(), b"unsigned", b"")))


def test_a_root_that_is_not_there_blocks_the_recovery() -> None:
    with pytest.raises(RecoveryBlocked):
        journal(write_intent(), "/ws").read()


@pytest.mark.parametrize("name", [NAME, OLDER_NAME])
def test_a_folder_of_that_name_is_not_an_intent(name: str) -> None:
    fs = disk()
    fs.make_folder(f"/ws/{name}")
    with pytest.raises(RecoveryBlocked):
        find_journals([Tree(fs, "/ws")])


def test_an_intent_is_found_at_both_places_the_older_one_first() -> None:
    fs = write_intent()
    plain = write_intent(name=OLDER_NAME)
    assert [found.name for found in find_journals([Tree(plain, "/ws"), Tree(plain, "/extra")])] == [OLDER_NAME]
    fs.put(OLDER_NAME, plain.node_of(OLDER_NAME).data)
    assert [found.name for found in find_journals([Tree(fs, "/ws")])] == [OLDER_NAME, NAME]


@pytest.mark.parametrize("kind", ["nothing", "a file", "a link", "an empty folder"])
def test_without_a_staging_folder_there_is_no_intent_in_it(kind: str) -> None:
    fs = MemoryFS({".suture": b"mine"} if kind == "a file" else {})
    if kind == "a link":
        fs.put("elsewhere/intent", b"not ours")
        fs.put_link(".suture", "elsewhere")
    if kind == "an empty folder":
        fs.make_folder("/ws/.suture")
    assert find_journals([Tree(fs, "/ws")]) == []
    assert not has_intent(Tree(fs, "/ws"))


def test_ids_are_short_plain_different_and_sort_by_time() -> None:
    ids = [new_id() for _ in range(500)]
    assert {len(id_) for id_ in ids} == {15}
    assert all(id_.isalnum() and id_ == id_.lower() for id_ in ids)
    assert len(set(ids)) == 500
    assert [id_[:9] for id_ in ids] == sorted(id_[:9] for id_ in ids)
