"""Plans and contents as values."""

import hashlib
import sys

import pytest

from suture import plan
from suture.plan import (
    Change,
    Content,
    Create,
    Delete,
    FileChange,
    Landed,
    Place,
    Plan,
    Rename,
    Snapshot,
    Update,
    file_record,
)
from suture.text import Text
from suture.text.edits import edit

HELLO = "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
NOTHING = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize(
    ("pieces", "whole", "name"),
    [
        ([], b"", NOTHING),
        ([b""], b"", NOTHING),
        ([b"hello"], b"hello", HELLO),
        ([b"he", memoryview(b"xllx")[1:3], b"o"], b"hello", HELLO),
    ],
    ids=["no piece", "an empty piece", "one piece", "pieces that share memory"],
)
def test_a_content_is_the_same_however_it_is_cut(pieces: list[bytes | memoryview], whole: bytes, name: str) -> None:
    content = Content(pieces)
    assert (content.bytes(), content.size, content.digest) == (whole, len(whole), name)


def test_a_small_content_is_one_piece_and_a_large_one_shares_memory() -> None:
    view = memoryview(bytes(1 << 16))
    assert Content([view[:2], b"a", view[2:9]]).pieces == (b"\0\0a\0\0\0\0\0\0\0",)
    assert Content([view, b"a"]).pieces == (view, b"a")
    assert Content([view]).pieces == (view,)


def test_a_content_is_hashed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    content = Content([b"hello"])
    first = content.digest
    monkeypatch.delattr(plan, "digest")
    assert (first, content.digest) == (HELLO, HELLO)


def test_a_large_content_has_the_same_kind_of_hash_as_a_small_one() -> None:
    large = b"x" * plan._MIN_OPENSSL_BYTES
    assert Content([large]).digest == "sha256:" + hashlib.sha256(large).hexdigest()


def test_many_small_contents_have_the_same_kind_of_hash_as_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan._HashedSize, "bytes", 0)
    digests = {Content([b"hello"]).digest for _ in range(plan._MIN_OPENSSL_BYTES // len(b"hello") + 1)}
    assert (digests, plan._HashedSize.bytes >= plan._MIN_OPENSSL_BYTES) == ({HELLO}, True)


def test_a_python_without_a_hash_of_its_own_uses_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan._HashedSize, "bytes", 0)
    monkeypatch.setitem(sys.modules, "_sha256", None)
    monkeypatch.setitem(sys.modules, "_sha2", None)
    assert Content([b"hello"]).digest == HELLO


def test_a_plan_of_all_kinds_of_change_is_a_value() -> None:
    def make() -> Plan:
        return Plan(
            (
                Create(Place(0, "new", "new"), after, 0o755),
                Update(place, snapshot, after, (edit(0, 1, b"b"),)),
                Delete(place, snapshot),
                Rename(place, snapshot, Place(1, "to", "/x/to")),
            )
        )

    place, after, text = Place(0, "a", "a"), Content([b"b"]), Text.decode(b"a")
    snapshot = Snapshot(place, text, Content([b"a"]), (1, 2, 3), 0o644)
    assert make() == make()
    assert make().changes[3] == Rename(place=place, before=snapshot, to=Place(1, "to", "/x/to"))


def test_what_landed_is_another_type_than_what_was_planned() -> None:
    change = Change("1", (Landed("a", "delete", HELLO, None),))
    assert change.files[0] == Landed(path="a", action="delete", before=HELLO, after=None, to=None)
    assert not isinstance(change, Plan)


def test_what_is_no_kind_of_change_has_no_record() -> None:
    with pytest.raises(TypeError):
        file_record(FileChange(Place(0, "a", "a")))
