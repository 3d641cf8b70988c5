"""What is read from disk and may be damaged or planted: git's files, intents, pending changes, packed contents."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
import zlib
from functools import cache
from pathlib import Path

from suture.errors import SutureError
from suture.files.fs import Tree
from suture.files.git import repository
from suture.files.history import PendingChanges, PendingFile
from suture.files.paths import Resolver, check_new_name
from suture.files.protected import Guard
from suture.files.store import Packed, apply_delta, delta, pack, unpack
from suture.plan import digest
from suture.testing import MemoryFS
from tests.fuzz.calls import open_workspace, state
from tests.fuzz.mutation import encode_words
from tests.fuzz.target import Choices, Target, as_text
from tests.unit.files import git_writer as git
from tests.unit.files.test_journal import RECORD, journal, write_intent
from tests.unit.files.test_paths import make as linked

NAME = ".suture/intent"


def _intent_line() -> bytes:
    """The JSON of a valid intent."""
    return write_intent().files()[NAME].split(b"\n")[1]


def _intent(data: bytes) -> object:
    """An intent with a matching checksum, whatever it contains."""
    fs = MemoryFS({"a.txt": b"one"})
    fs.make_folder("/extra")
    fs.put(NAME, _with_checksum(data, (b"open", b"done")[len(data) % 2]))
    try:
        return type(journal(fs).read()).__name__
    except SutureError as error:
        return error.code


def _with_checksum(data: bytes, state: bytes = b"open") -> bytes:
    line = data.replace(b"\n", b" ")
    return b"suture-intent 1 %b\n%b\n%b\n" % (state, line, digest((line,), len(line)).encode())


def _intent_raw(data: bytes) -> object:
    """Any bytes as an intent, and a whole workspace that finds it."""
    fs, workspace = open_workspace()
    fs.put(NAME, data)
    before = {path: content for path, content in fs.files().items() if path != NAME}
    try:
        result = workspace.call("file_read", {"path": "a.py"})
    finally:
        workspace.close()
    code = result.metadata["error"]["code"] if result.is_error else ""
    assert code != "INTERNAL", f"INTERNAL with an intent: {result.text}"
    after = {path: content for path, content in fs.files().items() if path != NAME}
    assert after == before, "an intent that says nothing changed a file"
    return code


def _planted_intent(data: bytes) -> object:
    """As above, with a matching checksum: nothing may happen that the intent's own steps do not name."""
    fs, workspace = open_workspace()
    fs.put(NAME, _with_checksum(data))
    before = state(fs)
    try:
        result = workspace.call("file_read", {"path": "a.py"})
    finally:
        workspace.close()
    code = result.metadata["error"]["code"] if result.is_error else ""
    assert code != "INTERNAL", f"INTERNAL with a planted intent: {result.text}"
    assert fs.files().items() >= {path: content for path, content in before[0].items() if path != NAME}.items(), (
        "a planted intent changed a file"
    )
    return code


class _Appending(MemoryFS):
    """Lets changes wait, which the file system in memory does not."""

    waiting = b""

    def append_pending(self, name: str, data: bytes, size: int) -> bool:
        assert (name, size) == ("x", len(self.waiting))
        self.waiting += data
        return True


@cache
def _pending_bytes() -> bytes:
    """Pending changes as they are written."""
    fs = _Appending()
    pending = PendingFile(fs, "x")
    contents = {
        version.digest: b"content" * 300 for file in RECORD.files for version in (file.before, file.after) if version
    }
    pending.add(RECORD, contents.get)
    pending.add(RECORD.evolve(id="1" * 13), contents.get)
    return fs.waiting


def _pending(data: bytes) -> object:
    """Entries, the first with a matching checksum if the input begins with a line of JSON."""
    if data[:1] == b"{":
        data = b"%s %d\n%s" % (digest((data,), len(data)).encode(), len(data), data)
    pending = PendingChanges(data)
    changes = pending.unrecorded(lambda _id: False)
    supply = pending.supply(lambda _name: b"old content")
    for change in changes:
        for file in change.files:
            for version in (file.before, file.after, file.replaced):
                if version is not None:
                    content = supply(version.digest)
                    assert content in {None, b"old content"} or digest((content or b"",), 1) == version.digest
    return len(changes)


def _packing(data: bytes) -> object:
    """Two versions survive unchanged; damaged data is refused, or gives the expected number of bytes."""
    choices = Choices(data)
    codec, head, tail, size = (
        choices.of(("raw", "zstd", "zstd+", "delta", "x")),
        choices.number(40),
        choices.number(40),
        0,
    )
    size = choices.of((0, 10, 1_000, 2**31, 2**62, choices.number(65_536)))
    old, new = choices.piece(), choices.rest()
    assert unpack(pack(new, old), len(new), old) == new, "a packed version is another one"
    assert unpack(pack(new * 40, old * 30), len(new) * 40, old * 30) == new * 40, "a packed version is another one"
    difference = delta(new, old)
    assert difference is None or apply_delta(difference, old, len(new)) == new, "a delta gives another version"
    try:
        unpacked = unpack(Packed(head, tail, codec, new), size, old)
    except ValueError:
        return codec
    assert len(unpacked) == size, "unpacking gives another size"
    return codec, size


class _Repository:
    """A repository on the disk, whose files an input damages one at a time."""

    def __init__(self) -> None:
        self.top = Path(tempfile.mkdtemp(prefix="suture-fuzz-git-")).resolve()
        repo = git.Repo(self.top)
        first = repo.commit(b"first\n" * 20)
        second = repo.commit(b"second\n" * 20, first, time=5)
        packer = git.PackWriter()
        base = b"packed\n" * 50
        place = packer.add(git.object_name(git.BLOB, base), git.pack_object(git.BLOB, base))
        result = base[:70] + b"changed\n"
        change = git.delta(base, result, 70)
        back = git.back(len(packer.data) - place)
        blob = git.object_name(git.BLOB, result)
        packer.add(blob, git.pack_object(git.OFFSET_DELTA, change, back))
        below = git.tree([(b"100644", b"a.py", blob)])
        above = git.tree([(b"40000", b"src", git.object_name(git.TREE, below))])
        third = git.commit(git.object_name(git.TREE, above), [second], 9)
        for kind, content in ((git.TREE, below), (git.TREE, above), (git.COMMIT, third)):
            packer.add(git.object_name(kind, content), git.pack_object(kind, content))
        packer.write(repo.objects)
        head = git.object_name(git.COMMIT, third)
        (repo.git / "HEAD").write_bytes(b"ref: refs/heads/main\n")
        (repo.git / "refs/heads").mkdir(parents=True)
        (repo.git / "refs/heads/main").write_bytes(head.hex().encode() + b"\n")
        (repo.git / "packed-refs").write_bytes(b"# pack-refs\n%s refs/heads/other\n" % head.hex().encode())
        (repo.git / "config").write_bytes(
            b"[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha1\n"
        )
        (repo.git / "index").write_bytes(git.index([(b"src/a.py", blob, 0o100644, 0)]))
        (repo.git / "objects/info").mkdir()
        (repo.git / "objects/info/alternates").write_bytes(b"../../other\n")
        self.files = sorted(path for path in repo.git.rglob("*") if path.is_file())
        self.contents = {path: path.read_bytes() for path in self.files}

    def read(self) -> list[object]:
        """Everything that is read from a repository."""
        reader = repository(str(self.top / "src/a.py"), [str(self.top)], time.monotonic() + 5)
        if reader is None:
            return [None]
        with reader as repo:
            head = repo.head()
            staged = repo.staged_blob()
            outcome: list[object] = [head is None, staged is None]
            for blob in [staged, repo.at(head) if head else None]:
                content = None if blob is None else repo.content(blob, 100_000)
                outcome.append(None if content is None else len(content))
            versions = [] if head is None else list(repo.versions_before(head))
            return [*outcome, *(repo.content(version.blob, 100_000) is None for version in versions)]


@cache
def _repository() -> _Repository:
    repo = _Repository()
    import atexit  # noqa: PLC0415  only here

    atexit.register(shutil.rmtree, repo.top, ignore_errors=True)
    return repo


def _git(data: bytes) -> object:
    """One of a repository's files, changed somewhere, replaced, or compressed again."""
    repo, choices = _repository(), Choices(data)
    path = choices.of(repo.files)
    old = repo.contents[path]
    way, at = choices.number(5), choices.number(len(old) + 1)
    new = choices.rest()
    damaged = (
        old[:at] + new + old[at:],
        old[:at] + new + old[at + len(new) :],
        new,
        old[:at],
        zlib.compress(_inflate(old)[:at] + new + _inflate(old)[at + len(new) :]),
    )[way]
    path.write_bytes(damaged)
    try:
        return path.name[:5], way, repo.read()
    finally:
        path.write_bytes(old)


def _inflate(raw: bytes) -> bytes:
    try:
        return zlib.decompress(raw)
    except zlib.error:
        return raw


def _path(data: bytes) -> object:
    """Paths: the resolved one is inside, without detours, and is not protected."""
    fs = linked()
    resolver = Resolver([Tree(fs, "/t/ws"), Tree(fs, "/t/extra")], guard := Guard())
    requested = as_text(data)
    try:
        target = resolver.resolve(requested)
        names = target.path.split("/")
        assert not {"", ".", ".."} & set(names), "a resolved path has detours"
        assert guard.rule(target.path) is None, "a protected path is resolved"
        check_new_name(target)
    except SutureError as error:
        return error.code
    return target.root, target.stat is None, target.by_link, len(names)


def _roots(data: bytes) -> object:
    """An absolute path, as callers and links write it."""
    return _path(b"/t/ws/" + data)


_JSON = [
    _intent_line(),
    json.dumps({"record": 1, "roots": [], "folders": [], "steps": [], "emptied": []}).encode(),
]
_JSON_WORDS = encode_words(
    ['{"', '":', ",", "null", "true", "1", "-1", "1e400", '""', '"a"', "[]", "{}", "[[0, ", '"record"', '"roots"'],
    [
        '"steps"',
        '"folders"',
        '"emptied"',
        '"path"',
        '"temp"',
        '"backup"',
        '".suture-0.new"',
        '".suture/0.new"',
        '".git/config"',
        '"../a"',
    ],
    [
        '"/etc/passwd"',
        '"\\u0000"',
        '"\\ud800"',
        '"sha256:1"',
        '"a.py"',
        '"files"',
        '"clipboards"',
        '"contents"',
        '"delta"',
    ],
    ['"update"', '"create"', '"rename"', '"in_place": true', '"before"', '"after"', '"mode"', "99999999999999999999"],
)
_GIT_WORDS = encode_words(
    ["tree ", "parent ", "committer ", "ref: ", "gitdir: ", "\0", "100644 a.py\0", "40000 src\0", "blob "]
)
_PATHS = encode_words(
    ["a.txt", "sub", "..", ".", "/", "//", "/t/ws", "/t/ws/", "file", "folder", "absolute", "chained", "loop", "out"],
    ["git", ".git", ".suture", "extra", "here", "root", "by-way", "~", "\0", "dangling", "sub/deep/back", "x" * 256],
)
_SEED = bytes(range(48))

TARGETS = [
    Target("intent", _intent, _JSON, _JSON_WORDS),
    Target("intent raw", _intent_raw, [write_intent().files()[NAME]], _JSON_WORDS, seconds=4, most=20_000),
    Target("intent planted", _planted_intent, _JSON, _JSON_WORDS, seconds=4, most=20_000),
    Target(
        "pending",
        _pending,
        [_pending_bytes(), _pending_bytes().split(b"\n", 1)[1], *_JSON, b'{"a":' * 5_000],
        _JSON_WORDS,
    ),
    Target("packing", _packing, [_SEED, bytes(5) + pack(b"x" * 2_000).data, b"\3\0\0\0" + bytes(40)], ()),
    Target(
        "git", _git, [bytes([number, way, 3, 0]) for number in range(14) for way in range(5)], _GIT_WORDS, most=4_000
    ),
    Target("path", _path, [b"a.txt", b"sub/../file", b"/t/ws/sub/deep/back"], _PATHS),
    Target("path absolute", _roots, [b"a.txt", b"../ws/a.txt"], _PATHS),
]
