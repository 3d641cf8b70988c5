"""Repositories written by hand, with what git rarely or never writes."""

import zlib
from collections.abc import Callable
from itertools import count
from pathlib import Path
from time import monotonic

import pytest

from suture.files.git import Objects, Repository, repository
from tests.unit.files.git_writer import (
    BLOB,
    COMMIT,
    NAME_DELTA,
    OFFSET_DELTA,
    TAG,
    TREE,
    PackWriter,
    Repo,
    back,
    commit,
    delta,
    index,
    loose,
    number,
    object_name,
    pack_object,
    tree,
)

LONG = b"0123456789" * 4_000
MUCH = 1_000_000


def objects(folder: Path, deadline: float | None = None) -> Objects:
    return Objects(str(folder), 20, monotonic() + 60 if deadline is None else deadline)


def read(folder: Path, name: bytes, kind: int = BLOB, most: int = MUCH) -> bytes | None:
    with objects(folder) as store:
        return store.read(name, kind, most)


# Objects


@pytest.mark.parametrize("content", [b"", b"text\n", LONG])
@pytest.mark.parametrize("kind", [COMMIT, TREE, BLOB])
def test_a_loose_object_is_read_if_it_is_of_the_kind_and_not_too_large(
    tmp_path: Path, kind: int, content: bytes
) -> None:
    name = loose(tmp_path, kind, content)
    assert read(tmp_path, name, kind, len(content)) == content
    assert read(tmp_path, name, kind % 3 + 1) is None
    assert read(tmp_path, name[::-1], kind) is None
    assert not content or read(tmp_path, name, kind, len(content) - 1) is None


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"no zlib",
        zlib.compress(b"blob 4\0text")[:-1],
        zlib.compress(b"blob 5\0text"),
        zlib.compress(b"blob 4text"),
        zlib.compress(b"flub 4\0text"),
        zlib.compress(b"blob 4\0tixt"),
        zlib.compress(b"blob 9999999\0" + bytes(9_999_999)),
        bytes(3 * MUCH),
    ],
)
def test_a_loose_object_that_is_damaged_is_none(tmp_path: Path, raw: bytes) -> None:
    assert read(tmp_path, loose(tmp_path, BLOB, b"text", raw)) is None


def chain(pack: PackWriter, *, by_name: bool) -> list[bytes]:
    """Versions of a text, each a delta to the one before; the first is whole."""
    versions = [LONG]
    place = pack.add(object_name(BLOB, LONG), pack_object(BLOB, LONG))
    for at in range(1, 6):
        versions.append(LONG[: 70_000 // at] + b"version %d" % at * 200)
        change = delta(versions[-2], versions[-1], min(len(LONG), 70_000 // at))
        here = len(pack.data)
        head = object_name(BLOB, versions[-2]) if by_name else back(here - place)
        place = pack.add(
            object_name(BLOB, versions[-1]), pack_object(NAME_DELTA if by_name else OFFSET_DELTA, change, head)
        )
    return versions


@pytest.mark.parametrize("by_name", [False, True], ids=["by place", "by name"])
@pytest.mark.parametrize("far", [False, True], ids=["near", "far"])
@pytest.mark.parametrize("order", [1, -1])
def test_objects_of_a_pack_are_put_together(tmp_path: Path, order: int, *, by_name: bool, far: bool) -> None:
    pack = PackWriter()
    versions = chain(pack, by_name=by_name)
    pack.write(tmp_path, far=far)
    with objects(tmp_path) as store:
        for version in versions[::order]:
            assert store.read(object_name(BLOB, version), BLOB) == version
    assert read(tmp_path, object_name(BLOB, versions[1]), most=len(versions[1]) - 1) is None
    assert (
        read(tmp_path, object_name(BLOB, versions[5]), most=len(versions[5])) is None
    )  # it rests on what is far larger


def test_every_one_of_several_packs_and_loose_objects_is_looked_into(tmp_path: Path) -> None:
    names = [loose(tmp_path, BLOB, b"loose")]
    for content in (b"one", b"two", b"three"):
        pack = PackWriter()
        names.append(object_name(BLOB, content))
        pack.add(names[-1], pack_object(BLOB, content))
        pack.write(tmp_path)
    (tmp_path / "pack/broken.idx").write_bytes(b"broken")
    (tmp_path / "pack/a.idx").mkdir()
    with objects(tmp_path) as store:
        assert [store.read(name, BLOB) for name in names * 2] == [b"loose", b"one", b"two", b"three"] * 2
        assert store.read(bytes(20), BLOB) is None


def test_a_name_is_found_among_thousands_that_begin_alike(tmp_path: Path) -> None:
    pack = PackWriter()
    contents = [content for at in range(3_000) if object_name(BLOB, content := b"%d" % at)[0] == 7]
    for content in contents:
        pack.add(object_name(BLOB, content), pack_object(BLOB, content))
    pack.write(tmp_path, more=[b"\7" + at.to_bytes(2, "big") + bytes(17) for at in range(0, 65_000, 13)])
    assert [read(tmp_path, object_name(BLOB, content)) for content in contents] == contents


def test_a_name_that_begins_in_the_middle_of_another_is_none_of_those(tmp_path: Path) -> None:
    pack = PackWriter()
    content = next(
        body for at in range(99_999) if (name := object_name(BLOB, body := b"%d" % at))[10] == name[0] < name[1]
    )
    name = object_name(BLOB, content)
    around = [name[:1] + bytes(9) + name[:10], name[10:] + b"\xff" * 10]
    pack.add(bytes(20), pack_object(BLOB, content))
    pack.write(tmp_path, more=around)
    assert read(tmp_path, name) is None
    pack.add(name, pack_object(BLOB, content))
    pack.write(tmp_path, more=around)
    assert read(tmp_path, name) == content


HOSTILE: dict[str, Callable[[bytes, int], bytes]] = {
    "another content": lambda _, __: pack_object(BLOB, b"tixt"),
    "another kind": lambda _, __: pack_object(TREE, b"text"),
    "a tag": lambda _, __: pack_object(TAG, b"text"),
    "no kind": lambda _, __: pack_object(5, b"text"),
    "kind 0": lambda _, __: pack_object(0, b"text"),
    "size too small": lambda _, __: pack_object(BLOB, b"text", size=3),
    "size too large": lambda _, __: pack_object(BLOB, b"text", size=5),
    "size far too large": lambda _, __: pack_object(BLOB, b"text", size=1 << 60),
    "size without an end": lambda _, __: b"\xff" * 5_000,
    "a bomb": lambda _, __: pack_object(BLOB, bytes(50_000_000), size=4),
    "no zlib": lambda _, __: b"\x34 this is none of that",
    "cut off": lambda _, __: pack_object(BLOB, LONG)[:50],
    "rests on itself by place": lambda _, __: pack_object(OFFSET_DELTA, delta(b"text", b"text", 4), back(0)),
    "rests on itself by name": lambda name, _: pack_object(NAME_DELTA, delta(b"text", b"text", 4), name),
    "rests on what is not there": lambda name, _: pack_object(NAME_DELTA, delta(b"text", b"text", 4), name[::-1]),
    "rests on what is before the pack": lambda _, at: pack_object(
        OFFSET_DELTA, delta(b"text", b"text", 4), back(at + 1)
    ),
    "place without an end": lambda _, __: b"\x64" + b"\xff" * 5_000,
    "rests on a name that is cut off": lambda name, _: b"\x74" + name[:5],
    "a base of another length": lambda _, at: pack_object(OFFSET_DELTA, delta(b"bases", b"text", 0), back(at - 12)),
    "a copy beyond the base": lambda _, at: pack_object(
        OFFSET_DELTA, number(4) + number(4) + b"\x91\2\4", back(at - 12)
    ),
    "an order of nothing": lambda _, at: pack_object(OFFSET_DELTA, number(4) + number(4) + b"\0", back(at - 12)),
    "an order that is cut off": lambda _, at: pack_object(OFFSET_DELTA, number(4) + number(4) + b"\xff", back(at - 12)),
    "more than it says": lambda _, at: pack_object(OFFSET_DELTA, number(4) + number(4) + b"\5texts", back(at - 12)),
    "less than it says": lambda _, at: pack_object(OFFSET_DELTA, number(4) + number(4) + b"\3tex", back(at - 12)),
    "far more than allowed": lambda _, at: pack_object(OFFSET_DELTA, number(4) + number(1 << 50), back(at - 12)),
    "an empty order": lambda _, at: pack_object(OFFSET_DELTA, b"", back(at - 12)),
}


@pytest.mark.promise("confine.git")
@pytest.mark.parametrize("raw", HOSTILE.values(), ids=HOSTILE)
def test_an_object_of_a_pack_that_is_damaged_or_hostile_is_none(
    tmp_path: Path, raw: Callable[[bytes, int], bytes]
) -> None:
    pack, name = PackWriter(), object_name(BLOB, b"text")
    pack.add(object_name(BLOB, b"base"), pack_object(BLOB, b"base"))
    pack.add(name, raw(name, len(pack.data)))
    pack.write(tmp_path)
    assert read(tmp_path, name) is None
    assert read(tmp_path, object_name(BLOB, b"base")) == b"base"


def test_two_objects_that_rest_on_each_other_are_none(tmp_path: Path) -> None:
    pack, names = PackWriter(), [object_name(BLOB, content) for content in (b"one", b"two")]
    for name, other in (names, names[::-1]):
        pack.add(name, pack_object(NAME_DELTA, delta(b"one", b"two", 0), other))
    pack.write(tmp_path)
    assert [read(tmp_path, name) for name in names] == [None, None]


@pytest.mark.parametrize(
    ("at", "raw"),
    [(0, b"\0"), (7, b"\3"), (8 + 4 * object_name(BLOB, b"text")[0], b"\xff\xff\xff\xff"), (8 + 255 * 4, b"\0\1\0\0")],
)
def test_a_list_of_a_pack_that_is_damaged_says_nothing(tmp_path: Path, at: int, raw: bytes) -> None:
    pack, name = PackWriter(), object_name(BLOB, b"text")
    pack.add(name, pack_object(BLOB, b"text"))
    path = pack.write(tmp_path)
    sound = path.read_bytes()
    for damaged in (sound[:at] + raw + sound[at + len(raw) :], sound[:at], sound[:1_040]):
        path.write_bytes(damaged)
        assert read(tmp_path, name) is None


def test_a_pack_without_its_list_or_a_list_without_its_pack_is_passed_over(tmp_path: Path) -> None:
    pack, name = PackWriter(), object_name(BLOB, b"text")
    pack.add(name, pack_object(BLOB, b"text"))
    path = pack.write(tmp_path)
    path.with_suffix(".pack").unlink()
    assert read(tmp_path, name) is None
    path.unlink()
    assert read(tmp_path, name) is None


def test_what_was_put_together_is_kept_within_bounds(tmp_path: Path) -> None:
    pack = PackWriter()
    contents = [b"%d" % at * 900_000 for at in range(10, 20)]
    for content in contents:
        pack.add(object_name(BLOB, content), pack_object(BLOB, content))
    pack.write(tmp_path)
    with objects(tmp_path) as store:
        for content in contents:
            assert store.read(object_name(BLOB, content), BLOB) == content
        assert store._cache._size <= 16_000_000
        assert store.read(object_name(BLOB, contents[-1]), BLOB) == contents[-1]


def test_other_folders_are_looked_into_as_the_file_of_alternates_says(tmp_path: Path) -> None:
    names = [loose(tmp_path / folder, BLOB, folder.encode()) for folder in "abc"]
    loose(tmp_path / "none", BLOB, b"x")
    for folder, written in (("a", f"# none\n\n../b\n{tmp_path}/gone\n"), ("b", "../c\n../a\n")):
        (tmp_path / folder / "info").mkdir()
        (tmp_path / folder / "info/alternates").write_text(written)
    assert [read(tmp_path / "a", name) for name in names] == [b"a", b"b", b"c"]
    assert [read(tmp_path / "b", name) for name in names] == [b"a", b"b", b"c"]
    assert [read(tmp_path / "c", name) for name in names] == [None, None, b"c"]
    (tmp_path / "c/info").mkdir()
    (tmp_path / "c/info/alternates").write_text("".join(f"../{at}\n" for at in range(99)))
    late = loose(tmp_path / "98", BLOB, b"late")
    assert read(tmp_path / "c", late) is None


@pytest.mark.promise("bound.bases")
def test_reading_ends_with_the_time(tmp_path: Path) -> None:
    pack = PackWriter()
    versions = chain(pack, by_name=False)
    pack.write(tmp_path)
    with objects(tmp_path, monotonic() - 1) as store, pytest.raises(TimeoutError):
        store.read(object_name(BLOB, versions[0]), BLOB)


@pytest.mark.promise("bound.bases")
def test_putting_an_object_together_ends_with_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pack, content = PackWriter(), b"x" * 100_000
    place = pack.add(object_name(BLOB, b"base"), pack_object(BLOB, b"base"))
    orders = number(4) + number(len(content)) + b"\1x" * len(content)
    pack.add(object_name(BLOB, content), pack_object(OFFSET_DELTA, orders, back(len(pack.data) - place)))
    pack.write(tmp_path)
    assert read(tmp_path, object_name(BLOB, content)) == content
    times = count()
    monkeypatch.setattr("suture.files.git.monotonic", lambda: next(times))
    with objects(tmp_path, 10) as store, pytest.raises(TimeoutError):
        store.read(object_name(BLOB, content), BLOB)


# Repositories


class Opened(Repo):
    """As it is read."""

    def open(self, seconds: float = 60) -> Repository:
        opened = repository(str(self.file), [str(self.file.parent)], monotonic() + seconds)
        assert opened is not None
        return opened


@pytest.fixture
def repo(tmp_path: Path) -> Opened:
    return Opened(tmp_path.resolve() / "top")


@pytest.mark.parametrize(
    "files",
    [
        {"HEAD": "{0}\n"},
        {"HEAD": "ref: refs/heads/main\n", "refs/heads/main": "{0}\n"},
        {
            "HEAD": "ref:refs/heads/main",
            "packed-refs": "# pack-refs with: peeled\n{1} refs/heads/m\n{0} refs/heads/main\n",
        },
        {"HEAD": "ref: refs/a", "refs/a": "ref: refs/b", "refs/b": "{0}"},
        {"HEAD": "ref: refs/heads/main\n", "refs/heads/main": "{0}\n", "packed-refs": "{1} refs/heads/main\n"},
    ],
)
def test_the_commit_that_is_checked_out_is_found(repo: Opened, files: dict[str, str]) -> None:
    one = repo.commit(b"1")
    for path, written in files.items():
        (repo.git / path).parent.mkdir(parents=True, exist_ok=True)
        (repo.git / path).write_text(written.format(one.hex(), bytes(20).hex()))
    with repo.open() as repository:
        assert repository.head() == one
        assert repository.at(one) == object_name(BLOB, b"1")


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"HEAD": ""},
        {"HEAD": "0123"},
        {"HEAD": "no hash at all, but of the length of one"},
        {"HEAD": "ref: refs/heads/main"},
        {"HEAD": "ref: refs/heads/.invalid", "packed-refs": "0 refs/heads/main\n"},
        {"HEAD": "ref: HEAD"},
        {"HEAD": "ref: refs/a", "refs/a": "ref: refs/a"},
        {"HEAD": "ref: refs/../HEAD2", "HEAD2": "{0}"},
        {"HEAD": "ref: /etc/hostname"},
        {"HEAD": "ref: refs/a\0b"},
        {"HEAD": "ref: refs/a", "commondir": "a\0b"},
    ],
)
def test_a_head_that_leads_nowhere_is_none(repo: Opened, files: dict[str, str]) -> None:
    for path, written in files.items():
        (repo.git / path).parent.mkdir(parents=True, exist_ok=True)
        (repo.git / path).write_text(written.format(bytes(20).hex()))
    with repo.open() as repository:
        assert repository.head() is None


BROKEN = [
    b"",
    b"tree ",
    b"tree zz\n",
    b"tree %b\n" % (b"0" * 40),
    b"tree %b\ncommitter a <a@b> soon\n" % (b"0" * 40),
    b"tree %b\ncommitter a <a@b>\n" % (b"0" * 40),
    b"tree %b\ncommitter nobody 1 +0000\n" % (b"0" * 40),
    b"tree %b\nparent zz\ncommitter a <a@b> 1 +0000\n" % (b"0" * 40),
    b"parent %b\n" % (b"0" * 40),
]


@pytest.mark.parametrize("raw", BROKEN)
def test_a_commit_that_is_none_ends_the_history(repo: Opened, raw: bytes) -> None:
    broken = loose(repo.objects, COMMIT, raw)
    one = repo.commit(b"1")
    two = repo.commit(b"2", one, broken)
    with repo.open() as repository:
        assert repository.at(broken) is None
        assert list(repository.versions_before(broken)) == []
        assert [version.commit for version in repository.versions_before(two)] == [one.hex()]


def test_lines_of_history_are_followed_by_time_and_once(repo: Opened) -> None:
    first = repo.commit(b"0", time=1)
    left, right = repo.commit(b"left", first, time=5), repo.commit(b"right", first, time=9)
    top = repo.commit(b"both", left, right, time=10)
    with repo.open() as repository:
        past = list(repository.versions_before(top))
    assert [(version.commit, version.until) for version in past] == [
        (left.hex(), top.hex()),
        (right.hex(), top.hex()),
        (first.hex(), right.hex()),
        (first.hex(), left.hex()),
    ]


def test_a_long_history_is_not_followed_forever(repo: Opened) -> None:
    repo.commit(b"1")
    pack, name = PackWriter(), b""
    above = object_name(
        TREE, tree([(b"40000", b"src", object_name(TREE, tree([(b"100644", b"a.py", object_name(BLOB, b"1"))])))])
    )
    for at in range(1_100):
        content = commit(above, [name] if name else [], at)
        name = object_name(COMMIT, content)
        pack.add(name, pack_object(COMMIT, content))
    changed = repo.commit(b"2", name)
    pack.write(repo.objects)
    with repo.open() as repository:
        assert [version.commit for version in repository.versions_before(changed)] == [name.hex()]


ENTRIES = [
    (path, bytes([at]) * 20, 0o100644, 0) for at, path in enumerate([b"a.py", b"src/a", b"src/a.py", b"src/a.pyc"], 1)
]


@pytest.mark.parametrize("version", [2, 3, 4])
def test_what_is_staged_is_found_in_every_kind_of_index(repo: Opened, version: int) -> None:
    (repo.git / "index").write_bytes(index(ENTRIES, version))
    with repo.open() as repository:
        assert repository.staged_blob() == b"\3" * 20


@pytest.mark.parametrize("version", [2, 3, 4])
@pytest.mark.parametrize(("mode", "flags"), [(0o120000, 0), (0o160000, 0), (0o100644, 1 << 12), (0o100644, 3 << 12)])
def test_a_link_a_submodule_or_a_conflict_is_no_version(repo: Opened, version: int, mode: int, flags: int) -> None:
    (repo.git / "index").write_bytes(index([(b"src/a.py", b"\3" * 20, mode, flags)], version))
    with repo.open() as repository:
        assert repository.staged_blob() is None


@pytest.mark.parametrize("version", [2, 3, 4, 5])
def test_an_index_that_is_damaged_has_nothing(repo: Opened, version: int) -> None:
    whole = index(ENTRIES[:2], version)
    for size in range(0, len(whole), 3):
        (repo.git / "index").write_bytes(whole[:size])
        with repo.open() as repository:
            assert repository.staged_blob() is None
    (repo.git / "index").write_bytes(b"DIRX" + whole[4:])
    with repo.open() as repository:
        assert repository.staged_blob() is None


@pytest.mark.promise("bound.bases")
@pytest.mark.parametrize("version", [2, 3, 4])
def test_a_large_index_is_not_gone_through_forever(repo: Opened, version: int) -> None:
    (repo.git / "index").write_bytes(index(ENTRIES, version))
    with repo.open(-1) as repository, pytest.raises(TimeoutError):
        repository.staged_blob()


@pytest.mark.parametrize(
    "written",
    [b"", b"gitdir: nowhere\n", b"gitdir:\n", b"something else", b"gitdir: \0\n"],
)
def test_a_file_that_leads_to_no_repository_is_passed_over(tmp_path: Path, written: bytes) -> None:
    (tmp_path / ".git").write_bytes(written)
    (tmp_path / "a").write_bytes(b"")
    assert repository(str(tmp_path.resolve() / "a"), [str(tmp_path.resolve())], monotonic() + 60) is None


def test_where_there_is_no_repository_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    assert repository(str(tmp_path.resolve() / "a"), [], monotonic() + 60) is None


@pytest.mark.parametrize(
    ("configuration", "belongs"),
    [
        ("[core]\n\tworktree = {top}\n", True),
        ("[core] worktree = ../top\n", True),
        ('[CORE]\n  WorkTree="{top}"\n', True),
        ("[core]\n\tworktree = {top}/src\n", False),
        ("[core]\n\tworktree =\n", False),
        ("[core]\n\tworktree = {top}\0\n", False),
        ("[core]\n\tbare = false\n# worktree = {top}\n", False),
        ("", False),
    ],
)
def test_a_folder_elsewhere_counts_if_it_is_made_for_this_one(
    repo: Opened, configuration: str, *, belongs: bool
) -> None:
    top = repo.git.parent
    elsewhere = top.parent / "elsewhere"
    repo.git.rename(elsewhere)
    repo.git.write_text("gitdir: ../elsewhere\n")
    (elsewhere / "config").write_text(configuration.format(top=top))
    opened = repository(str(repo.file), [str(top)], monotonic() + 60)
    assert (opened is not None) == belongs
    assert repository(str(repo.file), [str(top.parent)], monotonic() + 60) is not None or "worktree" in configuration


@pytest.mark.parametrize(
    "configuration", ["[extensions]\n\tobjectFormat = sha256\n", "[extensions] objectformat=SHA256"]
)
def test_names_may_be_of_the_longer_kind(repo: Opened, configuration: str) -> None:
    (repo.git / "config").write_text(configuration)
    (repo.git / "HEAD").write_text("ab" * 32)
    with repo.open() as repository:
        assert repository.head() == b"\xab" * 32
        assert repository.at(b"\xab" * 32) is None
