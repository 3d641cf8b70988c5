"""The earlier versions of a file: from what was shown, from the history, and within their limits."""

from collections.abc import Callable
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suture import Settings, Workspace
from suture.engine.session import ShownVersions
from suture.match.index import Base
from suture.plan import Content, Place
from suture.testing import MemoryFS
from tests.unit.changes import land, rename, workspace, write
from tests.unit.files.git_writer import BLOB, Repo, index, loose

PATIENT: dict[str, Any] = {"base_ms": 60_000}


def bases(ws: Workspace, path: str = "a") -> list[Base]:
    with ws._engine.session() as session:
        return list(session.bases(session.read(path)))


def bodies(ws: Workspace, path: str = "a") -> list[bytes]:
    return [base.body for base in bases(ws, path)]


def read(ws: Workspace, path: str = "a") -> None:
    assert not ws.call("file_read", {"path": path}).is_error


def view(ws: Workspace, path: str = "a", view_range: list[int] | None = None) -> None:
    arguments = {"command": "view", "path": f"{ws.root}/{path}", "view_range": view_range}
    assert not ws.call("str_replace_based_edit_tool", arguments).is_error


SHOWN: dict[str, Callable[[Workspace], object]] = {
    "file_read": read,
    "file_read of a range": lambda ws: ws.call("file_read", {"path": "a", "start_line": 2, "end_line": 2}),
    "file_read, raw": lambda ws: ws.call("file_read", {"path": "a", "format": "raw"}),
    "view": view,
    "view of a range": lambda ws: view(ws, view_range=[2, 2]),
    "view by a link": lambda ws: view(ws, "link"),
}


def test_a_search_that_stopped_half_way_ends_with_its_call(tmp_path: Path) -> None:
    ws = Workspace(tmp_path, settings=Settings(**PATIENT))
    for content in (b"1\n", b"2\n", b"3\n"):
        land(ws, write("a", content))
    with ws._engine.session() as session:
        search = session.bases(session.read("a"))
        assert next(search).body == b"2\n"
    assert next(search, None) is None  # else another thread may have to close the database, which SQLite refuses


@pytest.mark.promise("place.bases")
@pytest.mark.parametrize("show", SHOWN.values(), ids=SHOWN)
def test_a_version_that_was_shown_is_known_as_a_whole(show: Callable[[Workspace], object]) -> None:
    ws, fs = workspace({"a": b"1\n2\n3\n"}, Settings(history=False, **PATIENT))
    fs.put_link("link", "a")
    show(ws)
    fs.put("a", b"other\n")
    assert bases(ws) == [Base(b"1\n2\n3\n", "read")]


@pytest.mark.parametrize(
    "call",
    [
        ("file_read", {"path": "a", "start_line": 9}),
        ("regex_search", {"file_path": "a", "pattern": "1"}),
        ("file_edit", {"path": "a", "edits": [{"old_text": "x", "new_text": "y"}]}),
    ],
    ids=lambda call: call[0],
)
def test_what_was_not_shown_is_not_known(call: tuple[str, dict[str, object]]) -> None:
    ws, fs = workspace({"a": b"1\n2\n3\n"}, Settings(history=False, **PATIENT))
    ws.call(*call)
    fs.put("a", b"other\n")
    assert bases(ws) == []


@pytest.mark.promise("place.bases")
def test_what_was_shown_comes_before_what_the_history_has_and_says_who_replaced_it() -> None:
    ws, fs = workspace({"a": b"0"}, Settings(**PATIENT))
    first = land(ws, write("a", b"1"))
    read(ws)
    second = land(ws, write("a", b"2"))
    fs.put("a", b"by somebody else")
    read(ws)
    third = land(ws, write("a", b"3"))
    fs.put("a", b"now")
    assert bases(ws) == [
        Base(b"by somebody else", "read", None, third),
        Base(b"1", "read", first, second),
        Base(b"3", "history", third, None),
        Base(b"2", "history", second, None),
        Base(b"0", "history", None, first),
    ]


@pytest.mark.promise("back.stale")
@pytest.mark.promise("place.bases")
def test_the_history_is_followed_under_earlier_names() -> None:
    ws, _ = workspace({"a": b"0", "b": b"x"}, Settings(**PATIENT))
    first = land(ws, write("a", b"1"))
    land(ws, rename("b", "c"))
    renaming = land(ws, rename("a", "b", b"2"))
    last = land(ws, write("b", b"3"))
    assert bases(ws, "b") == [
        Base(b"2", "history", renaming, last),
        Base(b"1", "history", first, renaming),
        Base(b"0", "history", None, first),
    ]
    assert bases(ws, "c") == []


@pytest.mark.promise("place.bases")
@given(steps=st.lists(st.tuples(st.sampled_from(["read", "change", "others"]), st.integers(0, 6)), max_size=12))
@hypothesis.settings(max_examples=40)
def test_whatever_was_shown_found_or_left_is_a_base_once(steps: list[tuple[str, int]]) -> None:
    ws, fs = workspace({"a": b"0"}, Settings(**PATIENT))
    now, shown, recorded = b"0", list[bytes](), set[bytes]()
    for step, number in steps:
        content = b"%d" % number
        if step == "read":
            read(ws)
            shown = [now, *(body for body in shown if body != now)][:4]
        elif step == "others":
            fs.put("a", content)
            now = content
        elif content != now:
            land(ws, write("a", content))
            recorded |= {now, content}
            now = content
    known = bases(ws)
    assert [base.body for base in known if base.source == "read"] == [body for body in shown if body != now]
    assert sorted(base.body for base in known) == sorted({*shown, *recorded} - {now})


def test_neither_the_current_file_nor_a_repeated_content_is_a_base_whatever_its_line_ends() -> None:
    ws, fs = workspace({"a": b"1\r\n"}, Settings(**PATIENT))
    land(ws, write("a", b"2\n"))
    land(ws, write("a", b"1\n"))
    land(ws, write("a", b"3\n"))
    fs.put("a", b"2\r\n")
    assert bodies(ws) == [b"3\n", b"1\n"]


@pytest.mark.parametrize(
    ("now", "body"), [(b"\xe9", "é1".encode()), ("é".encode(), b"\xe91")], ids=["in latin-1", "in UTF-8"]
)
def test_versions_are_read_in_the_encoding_of_the_file_if_they_fit_it(now: bytes, body: bytes) -> None:
    ws, fs = workspace({}, Settings(encodings=(("a", "latin-1"),), **PATIENT))
    for version in (b"\xe91", "é2".encode(), b"\xff\xfe" + "é3".encode("utf-16-le")):
        fs.put("a", version)
        read(ws)
    fs.put("a", now)
    assert bodies(ws) == ["é3".encode(), "é2".encode(), body]


def test_a_workspace_without_files_of_the_system_has_no_git() -> None:
    ws, _ = workspace({"a": b"1"})
    assert bases(ws) == []


LIMITS = [
    ({}, [b"4444", b"333333", b"22", b"1"]),
    ({"max_bases": 0}, []),
    ({"max_bases": 1}, [b"4444"]),
    ({"max_bases": 3}, [b"4444", b"333333", b"22"]),
    ({"max_base_bytes": 5}, [b"4444", b"22", b"1"]),
    ({"max_base_bytes": 1}, [b"1"]),
    ({"max_bases_bytes": 5}, [b"4444", b"1"]),
    ({"max_bases_bytes": 6}, [b"4444", b"22"]),
]


@pytest.mark.promise("back.stale")
@pytest.mark.promise("bound.bases")
@pytest.mark.parametrize("shown", [False, True], ids=["history", "read"])
@pytest.mark.parametrize(("limits", "expected"), LIMITS, ids=[str(limit) for limit, _ in LIMITS])
def test_versions_are_bounded_in_number_and_size(limits: dict[str, int], expected: list[bytes], *, shown: bool) -> None:
    ws, fs = workspace({"a": b"1"}, Settings(history=not shown, **{**PATIENT, **limits}))
    for content in (b"22", b"333333", b"4444", b"now"):
        if shown:
            read(ws)
            fs.put("a", content)
        else:
            land(ws, write("a", content))
    assert bodies(ws) == expected


@pytest.mark.promise("back.stale")
@pytest.mark.promise("bound.bases")
@pytest.mark.parametrize(("past", "known"), [(0.0, 5), (0.15, 5), (0.25, 0)])
def test_when_the_time_is_over_there_are_no_more(monkeypatch: pytest.MonkeyPatch, past: float, known: int) -> None:
    ws, _ = workspace({"a": b"0"}, Settings(base_ms=200))
    for number in range(1, 6):
        read(ws)
        land(ws, write("a", b"%d" % number))
    with ws._engine.session() as session:
        bases = session.bases(session.read("a"))
        now = monotonic()
        monkeypatch.setattr("suture.engine.session.monotonic", lambda: now + past)
        assert len(list(bases)) == known


@pytest.mark.promise("bound.bases")
def test_a_history_that_cannot_be_read_takes_nothing_else_away() -> None:
    ws, fs = workspace({"a": b"0"}, Settings(**PATIENT))
    land(ws, write("a", b"1"))
    read(ws)
    land(ws, write("a", b"2"))
    ws.close()
    for name in fs.databases():
        database = fs.open_database(name, create=False, timeout_ms=0)
        database.execute("BEGIN")
        database.execute("DROP TABLE file")
        fs.commit_database(database)
    assert bases(ws) == [Base(b"1", "read")]


# Git


def disk(top: Path, **limits: Any) -> Workspace:
    return Workspace(top, Settings(history=False, **{**PATIENT, **limits}))


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "top")


def check_out(repo: Repo, commit: bytes) -> None:
    (repo.git / "HEAD").write_text(commit.hex())


def stage(repo: Repo, content: bytes) -> None:
    name = loose(repo.objects, BLOB, content)
    (repo.git / "index").write_bytes(index([(b"src/a.py", name, 0o100644, 0)]))


@pytest.mark.promise("place.bases")
def test_what_git_has_comes_last(repo: Repo, tmp_path: Path) -> None:
    ws = Workspace(tmp_path, Settings(**PATIENT))
    first = repo.commit(b"1")
    two = repo.commit(b"2", first)
    check_out(repo, two)
    stage(repo, b"staged")
    repo.file.write_bytes(b"3")
    change = land(ws, write("top/src/a.py", b"4"))
    read(ws, "top/src/a.py")
    repo.file.write_bytes(b"now")
    assert bases(ws, "top/src/a.py") == [
        Base(b"4", "read", change, None),
        Base(b"3", "history", None, change),
        Base(b"staged", "index"),
        Base(b"2", "head", two.hex()),
        Base(b"1", "commit", first.hex(), two.hex()),
    ]


def test_the_index_is_named_only_where_it_differs_from_head(repo: Repo) -> None:
    ws = disk(repo.git.parent)
    stage(repo, b"1")
    assert bases(ws, "src/a.py") == [Base(b"1", "index")]
    first = repo.commit(b"1")
    check_out(repo, first)
    assert bases(ws, "src/a.py") == [Base(b"1", "head", first.hex())]


def test_commits_are_gone_through_again_only_after_another_was_made(repo: Repo) -> None:
    ws = disk(repo.git.parent)
    commits: list[bytes] = []
    for number in range(3):
        commits.append(repo.commit(b"%d" % number, *commits[-1:]))
    check_out(repo, commits[-1])
    assert bodies(ws, "src/a.py") == [b"2", b"1", b"0"]
    for name in commits[:-1]:
        (repo.objects / name.hex()[:2] / name.hex()[2:]).unlink()
    assert bodies(ws, "src/a.py") == [b"2", b"1", b"0"]
    check_out(repo, repo.commit(b"3", commits[-1]))
    assert bodies(ws, "src/a.py") == [b"3", b"2"]


def test_of_many_commits_the_last_twenty_versions_are_given(repo: Repo) -> None:
    commits: list[bytes] = []
    for number in range(30):
        commits.append(repo.commit(b"%d" % number, *commits[-1:], time=number))
    check_out(repo, commits[-1])
    assert bodies(disk(repo.git.parent), "src/a.py") == [b"%d" % number for number in range(29, 8, -1)]
    assert bodies(disk(repo.git.parent, max_bases=4), "src/a.py") == [b"29", b"28", b"27", b"26"]


@pytest.mark.promise("bound.bases")
def test_a_common_folder_that_no_path_can_name_is_passed_over(repo: Repo) -> None:
    assert bases(disk(repo.git.parent), "src/a.py") == []
    repo.git.joinpath("commondir").write_bytes(b"\0")
    check_out(repo, repo.commit(b"1"))
    assert bodies(disk(repo.git.parent, max_base_bytes=3), "src/a.py") == [b"1"]


@pytest.mark.promise("bound.bases")
def test_a_file_that_is_deleted_meanwhile_has_no_versions(repo: Repo, caplog: pytest.LogCaptureFixture) -> None:
    check_out(repo, repo.commit(b"1"))
    with caplog.at_level("DEBUG", "suture"), disk(repo.git.parent)._engine.session() as session:
        before = session.read("src/a.py")
        repo.git.parent.joinpath("src/a.py").unlink()
        assert list(session.bases(before)) == []
    assert "no more of git" in caplog.text


def test_a_thousand_files_are_remembered(repo: Repo) -> None:
    ws = disk(repo.git.parent)
    check_out(repo, repo.commit(b"1"))
    with ws._engine.session() as session:
        session.remembered["commits"] = {str(number): (b"", []) for number in range(1_000)}
        assert len(list(session.bases(session.read("src/a.py")))) == 1
        assert list(session.remembered["commits"]) == [str(repo.file)]  # type: ignore[call-overload]  # it is a dict


# What was shown


def place(path: str) -> Place:
    return Place(0, path, path)


def content(text: bytes) -> Content:
    return Content((text,))


def texts(store: ShownVersions, path: str) -> list[bytes]:
    return [version.bytes() for version in store.versions(place(path))]


def test_the_same_content_is_kept_once_and_the_newest_four_are_kept() -> None:
    store = ShownVersions()
    for text in (b"1", b"1", b"2", b"1"):
        store.add(place("a"), content(text))
    assert texts(store, "a") == [b"1", b"2"]
    for text in (b"3", b"4", b"5"):
        store.add(place("a"), content(text))
    assert texts(store, "a") == [b"5", b"4", b"3", b"1"]
    assert texts(store, "b") == []


def test_the_file_that_was_used_least_recently_is_forgotten_first() -> None:
    store = ShownVersions()
    for number in range(100):
        store.add(place(str(number)), content(b"x"))
    assert texts(store, "0") == [b"x"]
    store.add(place("new"), content(b"x"))
    assert (texts(store, "0"), texts(store, "1"), texts(store, "2")) == ([b"x"], [], [b"x"])


def test_what_was_shown_is_bounded_in_size() -> None:
    store = ShownVersions()
    large = bytes(1_999_999)
    for number in range(20):
        store.add(place(str(number)), content(large))
        store.add(place(str(number)), content(large))
    assert [number for number in range(20) if texts(store, str(number))] == list(range(4, 20))


def test_a_file_larger_than_a_version_may_be_is_not_kept() -> None:
    ws, fs = workspace({"a": b"large"}, Settings(history=False, max_base_bytes=4, **PATIENT))
    read(ws)
    fs.put("a", b"now")
    assert bases(ws) == []


def test_several_threads_may_show_files() -> None:
    store = ShownVersions()

    def show(number: int) -> None:
        for turn in range(300):
            store.add(place(str(turn % 120)), content(b"%d" % (turn + number)))
            store.versions(place(str(turn % 7)))

    threads = [Thread(target=show, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(len(versions) for versions in store._files.values()) <= 400
    assert store._size == sum(version.size for versions in store._files.values() for version in versions)


def test_two_workspaces_do_not_share_what_was_shown() -> None:
    fs = MemoryFS({"a": b"1"})
    first, two = (Workspace(fs.root, Settings(history=False, **PATIENT), fs=fs) for _ in range(2))
    read(first)
    fs.put("a", b"now")
    assert (bodies(first), bodies(two)) == ([b"1"], [])
