"""Versions of a file from git, compared with those read from its folders without git."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suture import Settings, Workspace
from suture.match.index import Base
from tests.scale import scaled

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

CLEAN = {
    "PATH": os.environ.get("PATH", os.defpath),
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@localhost",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@localhost",
}
LOCAL = ("-c", "protocol.file.allow=always")


def git(folder: Path, *words: str, stdin: bytes = b"", **more: str) -> bytes:
    process = subprocess.run(
        ["git", *words], cwd=folder, input=stdin, env={**CLEAN, **more}, capture_output=True, check=True
    )
    return process.stdout.strip()


class Repo:
    """A repository whose commits are a minute apart."""

    def __init__(self, top: Path, *options: str) -> None:
        self.top = top
        self.minutes = 0
        top.mkdir(parents=True, exist_ok=True)
        git(top, "init", "-q", "-b", "main", *options)

    def commit(self, files: dict[str, bytes]) -> str:
        """Commit files; returns the id of the commit."""
        for path, content in files.items():
            target = self.top / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        git(self.top, "add", "-A")
        self.minutes += 1
        date = f"{1_700_000_000 + 60 * self.minutes} +0000"
        git(self.top, "commit", "-q", "-m", "x", GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date)
        return git(self.top, "rev-parse", "HEAD").decode()


def bases(root: Path, path: str, **limits: object) -> list[Base]:
    workspace = Workspace(root, Settings(**{"base_ms": 60_000, **limits}))  # type: ignore[arg-type]  # checked there
    with workspace._engine.session() as session:
        return list(session.bases(session.text(path)))


def read_versions(root: Path, path: str, **limits: object) -> list[tuple[str, bytes]]:
    return [(base.source, base.body) for base in bases(root, path, **limits)]


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """Two versions of a file, and a third that is not committed."""
    result = Repo(tmp_path / "top")
    for content in (b"1\n", b"2\n"):
        result.commit({"src/a.py": content})
    (result.top / "src/a.py").write_bytes(b"now\n")
    return result


BOTH = [("head", b"2\n"), ("commit", b"1\n")]


def test_versions_come_newest_first_with_the_commit_that_replaced_each(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    one, two = (repo.commit({"src/a.py": content}) for content in (b"1\n", b"2\n"))
    still_two = repo.commit({"other": b"x"})
    three = repo.commit({"src/a.py": b"3\n"})
    head = repo.commit({"other": b"y"})
    (tmp_path / "src/a.py").write_bytes(b"staged\n")
    git(tmp_path, "add", "-A")
    (tmp_path / "src/a.py").write_bytes(b"now\n")
    expected = [
        Base(b"staged\n", "index"),
        Base(b"3\n", "head", head),
        Base(b"2\n", "commit", still_two, three),
        Base(b"1\n", "commit", one, two),
    ]
    assert bases(tmp_path, "src/a.py") == expected
    git(tmp_path, "gc", "-q", "--prune=now")
    assert bases(tmp_path, "src/a.py") == expected


def test_what_the_file_is_now_and_what_was_given_is_left_out(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    for content in (b"1\n", b"2\n", b"1\n", b"3\n", b"2\n"):
        repo.commit({"a": content})
    assert read_versions(tmp_path, "a") == [("commit", b"3\n"), ("commit", b"1\n")]


@pytest.mark.parametrize("options", [(), ("--object-format=sha256",)], ids=["sha1", "sha256"])
@given(data=st.data())
@settings(max_examples=12)
def test_every_version_since_the_file_was_added_is_given_once_newest_first(
    tmp_path_factory: pytest.TempPathFactory, options: tuple[str, ...], data: st.DataObject
) -> None:
    top = tmp_path_factory.mktemp("top")
    Repo(top, *options)
    path, other = data.draw(st.sampled_from([("a", "aa"), ("src/a", "src/b"), ("x/y/é 1", "x/a"), ("a/a/a", "a/a/b")]))
    rng = Random(data.draw(st.integers(0, 1 << 30)))
    contents = [b"".join(b"%d\n" % rng.randrange(40) for _ in range(rng.choice([0, 3, 500]))) for _ in range(9)]
    steps = data.draw(
        st.lists(
            st.tuples(st.sampled_from(["write", "write", "other", "delete", "mode"]), st.integers(0, 8)), max_size=40
        )
    )
    stream, states, mode = [], [], b"100644"
    now: bytes | None = None
    for number, (step, which) in enumerate([("write", 0), *steps]):
        stream.append(b"commit refs/heads/main\ncommitter a <a@localhost> %d +0000\ndata 1\nx\n" % (number * 60))
        mode = rng.choice([b"100644", b"100755"]) if step == "mode" else mode
        if step == "write" or (step == "mode" and now is None):
            now = contents[which]
        if step in {"write", "mode"}:
            assert now is not None
            stream.append(b"M %b inline %b\ndata %d\n%b\n" % (mode, quote(path), len(now), now))
        elif step == "delete" and now is not None:
            now = None
            stream.append(b"D %b\n" % quote(path))
        elif step == "other":
            stream.append(b"M 100644 inline %b\ndata %d\n%d\n" % (quote(other), len(str(number)), number))
        states.append(now)
    git(top, "fast-import", "--quiet", stdin=b"".join(stream))
    if data.draw(st.booleans()):
        git(top, "gc", "-q")
    (top / path).parent.mkdir(parents=True, exist_ok=True)
    (top / path).write_bytes(b"now")
    last_gap = max((at for at, base in enumerate(states) if base is None), default=-1)
    expected = list(dict.fromkeys(reversed(states[last_gap + 1 :])))
    assert [base.body for base in bases(top, path)] == expected
    for base in bases(top, path):
        assert git(top, "show", f"{base.id}:{path}") == base.body.strip()


def quote(path: str) -> bytes:
    return b'"%b"' % path.encode()


@given(data=st.data())
@settings(max_examples=12)
def test_where_lines_of_history_meet_the_versions_are_those_of_git_log(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    top = tmp_path_factory.mktemp("top")
    Repo(top)
    commits = data.draw(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 4), st.integers(1, 4)), max_size=25))
    stream = []
    for number, (content, back, further) in enumerate([(0, 0, 0), *commits], 1):
        parents = dict.fromkeys(base for base in (number - back, number - back - further) if 0 < base < number)
        stream.append(b"commit refs/heads/main\nmark :%d\ncommitter a <a@localhost> %d +0000\n" % (number, number * 60))
        stream.append(b"data 1\nx\n")
        words = [b"from", *[b"merge"] * len(parents)]
        stream += [b"%b :%d\n" % pair for pair in zip(words, parents, strict=False)]
        stream.append(b"M 100644 inline a\ndata 1\n%d\nM 100644 inline b\ndata 2\n%02d\n" % (content, number))
    git(top, "fast-import", "--quiet", "--force", stdin=b"".join(stream))
    (top / "a").write_bytes(b"now")
    log = git(top, "log", "--format=%H", "main", "--", "a").decode().split()
    assert {base.body for base in bases(top, "a")} == {git(top, "show", f"{commit}:a") for commit in log}
    for base in bases(top, "a"):
        assert git(top, "show", f"{base.id}:a") == base.body
        if base.until is not None:
            assert base.id in git(top, "rev-parse", f"{base.until}^@").decode().split()
            assert git(top, "show", f"{base.until}:a") != base.body


def test_a_root_below_the_top_of_the_repository_is_no_hindrance(repo: Repo) -> None:
    assert read_versions(repo.top / "src", "a.py") == BOTH


def test_a_repository_below_the_root_or_below_another_root_is_found(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    assert read_versions(tmp_path, "top/src/a.py") == BOTH
    assert read_versions(tmp_path / "elsewhere", f"{repo.top}/src/a.py", extra_roots=(str(repo.top),)) == BOTH


def test_a_link_to_a_file_or_to_the_root_leads_to_what_git_has_of_it(repo: Repo, tmp_path: Path) -> None:
    (repo.top / "link.py").symlink_to("src/a.py")
    (tmp_path / "root").symlink_to("top/src")
    assert read_versions(repo.top, "link.py") == BOTH
    assert read_versions(tmp_path / "root", "a.py") == BOTH


def test_a_file_that_replaced_a_link_has_no_version_of_that(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.commit({"b": b"x"})
    (tmp_path / "a").symlink_to("b")
    repo.commit({})
    (tmp_path / "a").unlink()
    (tmp_path / "a").write_bytes(b"now")
    assert read_versions(tmp_path, "a") == []


def test_a_worktree_has_its_own_head_and_index(repo: Repo, tmp_path: Path) -> None:
    git(repo.top, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Repo.__new__(Repo)
    side.top, side.minutes = tmp_path / "side", 9
    side.commit({"src/a.py": b"side\n"})
    (side.top / "src/a.py").write_bytes(b"staged\n")
    git(side.top, "add", "-A")
    (side.top / "src/a.py").write_bytes(b"now\n")
    assert read_versions(side.top, "src/a.py") == [
        ("index", b"staged\n"),
        ("head", b"side\n"),
        ("commit", b"2\n"),
        BOTH[1],
    ]
    assert read_versions(repo.top, "src/a.py") == BOTH


def test_a_submodule_has_the_versions_of_its_own_repository(repo: Repo, tmp_path: Path) -> None:
    outer = Repo(tmp_path / "outer")
    git(outer.top, *LOCAL, "submodule", "-q", "add", str(repo.top), "deep/sub")
    outer.commit({"b": b"x"})
    (outer.top / "deep/sub/src/a.py").write_bytes(b"now\n")
    assert read_versions(outer.top, "deep/sub/src/a.py") == BOTH
    assert read_versions(outer.top / "deep/sub", "src/a.py") == BOTH
    git(outer.top, "worktree", "add", "-q", str(tmp_path / "side"))
    git(tmp_path / "side", *LOCAL, "submodule", "-q", "update", "--init")
    (tmp_path / "side/deep/sub/src/a.py").write_bytes(b"now\n")
    assert read_versions(tmp_path / "side", "deep/sub/src/a.py") == BOTH


def separate(repo: Repo) -> None:
    git(repo.top, "init", "-q", "--separate-git-dir", str(repo.top / "inside"))


def detach(repo: Repo) -> None:
    git(repo.top, "checkout", "-q", "--detach")


def pack(repo: Repo) -> None:
    git(repo.top, "gc", "-q", "--prune=now")
    git(repo.top, "pack-refs", "--all")
    assert not (repo.top / ".git/refs/heads/main").exists()


def pack_by_name(repo: Repo) -> None:
    git(repo.top, "repack", "-q", "-a", "-d", "-f")
    git(repo.top, "-c", "repack.useDeltaBaseOffset=false", "repack", "-q", "-a", "-d", "-F")


def make_two_packs(repo: Repo) -> None:
    git(repo.top, "repack", "-q", "-d")
    git(repo.top, "commit", "-q", "--allow-empty", "-m", "x")
    git(repo.top, "repack", "-q", "-d")
    assert len([*(repo.top / ".git/objects/pack").glob("*.idx")]) == 2


def use_prefixes(repo: Repo) -> None:
    git(repo.top, "update-index", "--index-version", "4")


def set_flags(repo: Repo) -> None:
    (repo.top / "b").write_bytes(b"x")
    git(repo.top, "add", "-N", "b")
    git(repo.top, "update-index", "--skip-worktree", "src/a.py")
    assert (repo.top / ".git/index").read_bytes()[4:8] == b"\0\0\0\3"


def split_index(repo: Repo) -> None:
    git(repo.top, "update-index", "--split-index")


def alias_names(repo: Repo) -> None:
    git(repo.top, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
    git(repo.top, "symbolic-ref", "HEAD", "refs/heads/alias")


@pytest.mark.parametrize(
    "change",
    [separate, detach, pack, pack_by_name, make_two_packs, use_prefixes, set_flags, split_index, alias_names],
    ids=lambda change: change.__name__,
)
def test_it_does_not_matter_how_git_keeps_its_things(repo: Repo, change: Callable[[Repo], None]) -> None:
    change(repo)
    assert read_versions(repo.top, "src/a.py") == BOTH


@pytest.mark.parametrize("change", [lambda _: None, use_prefixes, set_flags], ids=["2", "4", "3"])
def test_every_kind_of_index_has_what_is_staged(repo: Repo, change: Callable[[Repo], None]) -> None:
    for path in ("a.py", "src/a.pyx", "srx/src/a.py", "src/a", "src/a.py2/x"):
        target = repo.top / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.encode())
    (repo.top / "src/a.py").write_bytes(b"staged\n")
    git(repo.top, "add", "-A")
    change(repo)
    (repo.top / "src/a.py").write_bytes(b"now\n")
    assert read_versions(repo.top, "src/a.py") == [("index", b"staged\n"), *BOTH]


def test_a_clone_that_borrows_objects_has_their_versions(repo: Repo, tmp_path: Path) -> None:
    for name, source in (("one", repo.top), ("two", tmp_path / "one")):
        git(tmp_path, "clone", "-q", "--shared", str(source), name)
    (tmp_path / "two/src/a.py").write_bytes(b"now\n")
    assert read_versions(tmp_path / "two", "src/a.py") == BOTH


def test_a_shallow_clone_has_what_it_has(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"src/a.py": b"3\n"})
    git(tmp_path, *LOCAL, "clone", "-q", "--depth", "2", f"file://{repo.top}", "clone")
    (tmp_path / "clone/src/a.py").write_bytes(b"now\n")
    assert read_versions(tmp_path / "clone", "src/a.py") == [("head", b"3\n"), ("commit", b"2\n")]


def test_before_the_first_commit_there_is_the_index(tmp_path: Path) -> None:
    Repo(tmp_path)
    (tmp_path / "a").write_bytes(b"staged")
    git(tmp_path, "add", "a")
    (tmp_path / "a").write_bytes(b"now")
    assert bases(tmp_path, "a") == [Base(b"staged", "index")]


def test_a_file_that_git_does_not_know_has_no_versions(repo: Repo) -> None:
    (repo.top / "src/new.py").write_bytes(b"now\n")
    assert bases(repo.top, "src/new.py") == []


def test_a_file_in_conflict_has_the_version_at_head_and_none_in_the_index(repo: Repo) -> None:
    git(repo.top, "checkout", "-q", "-f", "-b", "side", "HEAD~")
    repo.commit({"src/a.py": b"side\n"})
    with pytest.raises(subprocess.CalledProcessError):
        git(repo.top, "merge", "-q", "main")
    (repo.top / "src/a.py").write_bytes(b"now\n")
    assert read_versions(repo.top, "src/a.py") == [("head", b"side\n"), ("commit", b"1\n")]


def test_line_ends_are_those_of_git_and_a_version_that_differs_in_them_alone_is_left_out(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.commit({".gitattributes": b"* text eol=crlf\n", "a": b"1\r\n2\r\n"})
    repo.commit({"a": b"2\r\n3\r\n"})
    assert read_versions(tmp_path, "a") == [("commit", b"1\n2\n")]


def test_versions_are_read_in_the_encoding_of_the_file(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.commit({"a": "é1\n".encode("utf-16"), "b.txt": "é1\n".encode("latin-1")})
    repo.commit({"a": "é2\n".encode("utf-16"), "b.txt": "é2\n".encode("latin-1")})
    encodings = (("*.txt", "latin-1"),)
    assert read_versions(tmp_path, "a") == [("commit", "é1\n".encode())]
    assert read_versions(tmp_path, "b.txt", encodings=encodings) == [("commit", "é1\n".encode())]
    assert read_versions(tmp_path, "b.txt") == [("commit", b"\xe91\n")]


def test_limits_are_kept(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    for number in range(5):
        repo.commit({"a": b"%d" % number * (200 if number == 3 else 100)})
    sizes = {"base_ms": 60_000, "max_base_bytes": 150}
    assert [body[:1] for _, body in read_versions(tmp_path, "a", max_base_bytes=150)] == [b"2", b"1", b"0"]
    assert [body[:1] for _, body in read_versions(tmp_path, "a", **sizes, max_bases_bytes=200)] == [b"2", b"1"]
    assert [body[:1] for _, body in read_versions(tmp_path, "a", max_bases=2)] == [b"3", b"2"]
    assert read_versions(tmp_path, "a", max_bases=0) == []


# Hostile repositories

COMMANDS = {
    "core.fsmonitor": "{run}",
    "core.hooksPath": "{hooks}",
    "core.sshCommand": "{run}",
    "core.gitProxy": "{run}",
    "core.askPass": "{run}",
    "core.pager": "{run}",
    "core.editor": "{run}",
    "core.alternateRefsCommand": "{run}",
    "core.attributesFile": "{attributes}",
    "pager.log": "{run}",
    "alias.log": "!{run}",
    "alias.cat-file": "!{run}",
    "alias.rev-list": "!{run}",
    "include.path": "{included}",
    "filter.evil.clean": "{run}",
    "filter.evil.smudge": "{run}",
    "filter.evil.process": "{run}",
    "diff.external": "{run}",
    "diff.evil.textconv": "{run}",
    "diff.evil.command": "{run}",
    "log.showSignature": "true",
    "gpg.program": "{run}",
    "gpg.ssh.program": "{run}",
    "credential.helper": "!{run}",
    "trace2.eventTarget": "{marker}",
    "uploadpack.packObjectsHook": "{run}",
    "extensions.partialClone": "origin",
    "remote.origin.promisor": "true",
    "remote.origin.url": "ext::{run}",
    "remote.origin.uploadpack": "{run}",
    "safe.directory": "/nowhere",
}
PROBE = """
import sys
forbidden = "subprocess.Popen os.exec os.fork os.forkpty os.posix_spawn os.spawn os.system pty.spawn socket.".split()
def hook(event, _):
    if event.startswith(tuple(forbidden)):
        print("started", event, flush=True)
sys.addaudithook(hook)
from suture import Settings, Workspace
with Workspace(sys.argv[1], Settings(base_ms=60_000))._engine.session() as session:
    print([(each.source, each.body) for each in session.bases(session.text(sys.argv[2]))])
"""


@pytest.mark.promise("confine.git")
def test_a_hostile_repository_can_have_nothing_run(repo: Repo, tmp_path: Path) -> None:
    marker, run, hooks = tmp_path / "marker", tmp_path / "run", tmp_path / "hooks"
    places = {"run": run, "hooks": hooks, "marker": marker}
    places |= {name: tmp_path / name for name in ("attributes", "included")}
    run.write_text(f"#!/bin/sh\necho x >> {marker}\n")
    run.chmod(0o755)
    hooks.mkdir()
    for name in "post-checkout post-index-change pre-auto-gc reference-transaction fsmonitor-watchman".split():
        shutil.copy(run, hooks / name)
    places["attributes"].write_text("* filter=evil diff=evil\n")
    places["included"].write_text(f"[core]\n\tfsmonitor = {run}\n")
    (repo.top / ".gitattributes").write_text("* filter=evil diff=evil\n")
    for name in ("git", "git-remote-ext", "gpg", "ssh"):
        shutil.copy(run, repo.top / name)
    blob = git(repo.top, "rev-parse", "HEAD~:src/a.py").decode()
    (repo.top / ".git/objects" / blob[:2] / blob[2:]).unlink()  # git would fetch it
    git(repo.top, "config", "core.repositoryFormatVersion", "1")
    for name, value in COMMANDS.items():
        git(repo.top, "config", "-f", ".git/config", name, value.format(**places))
    with pytest.raises(subprocess.CalledProcessError):
        git(repo.top, "cat-file", "blob", blob, GIT_ALLOW_PROTOCOL="ext")
    assert marker.exists(), "git itself would have run something to fetch it"
    marker.unlink()
    git(repo.top, "status")
    assert marker.exists(), "and the monitor of files"
    marker.unlink()
    process = subprocess.run(
        [sys.executable, "-c", PROBE, str(repo.top), "src/a.py"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PATH": f"{repo.top}:{CLEAN['PATH']}"},
    )
    assert (process.stdout.strip(), process.stderr) == (str(BOTH[:1]), "")
    assert not marker.exists()


def test_without_git_everything_is_as_with_it(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    assert read_versions(repo.top, "src/a.py") == BOTH


PIPES = {
    "HEAD": [("index", b"2\n")],
    "packed-refs": [("index", b"2\n")],
    "refs/heads/main": BOTH,
    "index": BOTH,
    "config": BOTH,
    "commondir": BOTH,
    "objects/info/alternates": BOTH,
    "idx": [],
    "pack": [],
}


@pytest.mark.parametrize(("name", "expected"), PIPES.items(), ids=PIPES)
def test_a_pipe_in_place_of_a_file_holds_nothing_up(repo: Repo, name: str, expected: list[tuple[str, bytes]]) -> None:
    pack(repo)
    places = [*repo.top.glob(f".git/objects/pack/*.{name}")] or [repo.top / ".git" / name]
    places[0].unlink(missing_ok=True)
    places[0].parent.mkdir(exist_ok=True)
    os.mkfifo(places[0])
    assert read_versions(repo.top, "src/a.py") == expected


@pytest.fixture
def private_root(tmp_path: Path) -> Path:
    """A workspace next to a repository that it must not read."""
    root = tmp_path / "workspace"
    (root / "src").mkdir(parents=True)
    (root / "src/a.py").write_bytes(b"mine\n")
    return root


def point_to(root: Path, other: Path) -> None:
    (root / ".git").write_text(f"gitdir: {other}/.git\n")


def link_to(root: Path, other: Path) -> None:
    (root / ".git").symlink_to(other / ".git")


def share(root: Path, other: Path) -> None:
    Repo(root)
    (root / ".git/commondir").write_text(f"{other}/.git\n")


def borrow(root: Path, other: Path) -> None:
    Repo(root)
    (root / ".git/objects/info/alternates").write_text(f"{other}/.git/objects\n")
    shutil.rmtree(root / ".git/refs")
    (root / ".git/refs").symlink_to(other / ".git/refs")
    (root / ".git/index").symlink_to(other / ".git/index")


def borrow_head(root: Path, other: Path) -> None:
    Repo(root)
    (root / ".git/objects/info/alternates").write_text(f"{other}/.git/objects\n")
    (root / ".git/HEAD").unlink()
    (root / ".git/HEAD").symlink_to(other / ".git/refs/heads/main")


def climb(root: Path, other: Path) -> None:
    Repo(root)
    (root / ".git/objects/info/alternates").write_text(f"{other}/.git/objects\n")
    (root / ".git/HEAD").write_text(f"ref: refs/../../../{other.name}/.git/refs/heads/main\n")


def copy_for_another(root: Path, other: Path) -> None:
    shutil.copytree(other / ".git", root / ".git")
    git(root, "config", "core.worktree", str(other))


def copy_worktree(root: Path, other: Path) -> None:
    git(other, "worktree", "add", "-q", str(other.parent / "side"))
    shutil.copy(other.parent / "side/.git", root / ".git")


@pytest.mark.promise("confine.git")
@pytest.mark.parametrize(
    "plant",
    [point_to, link_to, share, borrow, borrow_head, climb, copy_for_another, copy_worktree],
    ids=lambda plant: plant.__name__,
)
def test_nothing_of_a_repository_that_is_not_meant_for_the_folder_is_given(
    repo: Repo, private_root: Path, plant: Callable[[Path, Path], None]
) -> None:
    plant(private_root, repo.top)
    assert bases(private_root, "src/a.py") == []


@pytest.mark.promise("confine.git")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_repository_that_another_user_planted_above_is_passed_over(repo: Repo) -> None:
    os.chown(repo.top / ".git", 12345, -1)
    assert bases(repo.top / "src", "a.py") == []
    os.chown(repo.top / "src/a.py", 12345, -1)
    assert read_versions(repo.top / "src", "a.py") == BOTH


def test_whatever_is_damaged_a_version_that_is_given_is_one_of_the_file(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    rng = Random(1)
    versions = [b"".join(b"line %d\n" % rng.randrange(99) for _ in range(60))]
    for _ in range(6):
        lines = versions[-1].split(b"\n")
        lines[rng.randrange(60)] = b"changed"
        versions.append(b"\n".join(lines))
    for version in versions:
        repo.commit({"src/a": version, "src/b": version[::-1]})
    git(tmp_path, "repack", "-q", "-a", "-d", "--depth=50")
    places = [
        path for path in (tmp_path / ".git").rglob("*") if path.suffix in {".idx", ".pack"} or path.name == "index"
    ]
    for path in places:
        path.chmod(0o600)
        intact = path.read_bytes()
        for _ in range(scaled(60)):
            at = rng.choice([rng.randrange(len(intact)), rng.randrange(min(len(intact), 1_200))])
            damage = rng.choice([bytes([intact[at] ^ 1 << rng.randrange(8)]), b"", bytes(4), b"\xff" * 4])
            path.write_bytes(intact[:at] + damage + intact[at + max(len(damage), rng.choice([0, 1, 9999])) :])
            assert {body for _, body in read_versions(tmp_path, "src/a")} < {*versions}
        path.write_bytes(intact)
    assert [body for _, body in read_versions(tmp_path, "src/a")] == versions[-2::-1]
