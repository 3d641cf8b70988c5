"""Paths that try to leave the workspace: a table, and every row by every operation.

Next to the root are a tree with a secret and a folder whose name begins like the root's. A row gives the
codes for reading and creating such a file. The promise itself is that nothing outside was read (its access
times are unchanged), nothing outside was changed, and a refusal changed nothing inside either.
"""

import json
import os
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from suture.engine import Transaction
from suture.errors import SutureError
from suture.settings import Settings
from suture.text.edits import edit
from suture.wording import error_data, error_text
from suture.workspace import Workspace

SECRET = "the-secret-of-the-outside"  # noqa: S105  what must never be shown
NEW = b"written by an agent\n"
FAST = Settings(durability="fast")

OUTSIDE, MISSING, FILE, FOLDER, INVALID, PROTECTED = (
    "PATH_OUTSIDE_WORKSPACE",
    "FILE_NOT_FOUND",
    "NOT_A_FILE",
    "NOT_A_FOLDER",
    "INVALID_PATH",
    "PROTECTED_PATH",
)
LANDS = "lands inside, under exactly this name"


class Hostile(NamedTuple):
    """A path, the code for reading it and for creating it. `<root>`, `<outside>` and `<fd>` are filled in."""

    path: str
    read: str
    new: str
    links: dict[str, str] | None = None


class Folders(NamedTuple):
    """The folders of a test: the root, and what is next to it."""

    root: Path
    outside: Path
    evil: Path
    fd: int

    def spell(self, path: str) -> str:
        for token, value in (("<root>", self.root), ("<outside>", self.outside), ("<fd>", self.fd)):
            path = path.replace(token, str(value))
        return path


def refuse(code: str, *paths: str, links: dict[str, str] | None = None) -> dict[str, Hostile]:
    return {path: Hostile(path, code, code, links) for path in paths}


def literal(*paths: str) -> dict[str, Hostile]:
    """Names that have a meaning elsewhere and none here."""
    return {path: Hostile(path, MISSING, LANDS) for path in paths}


def unfit(*paths: str) -> dict[str, Hostile]:
    """Names that existing files may have and new ones may not."""
    return {path: Hostile(path, MISSING, INVALID) for path in paths}


def through(code: str, path: str, **links: str) -> dict[str, Hostile]:
    return {f"{path}, {links}": Hostile(path, code, code, links)}


TABLE = {
    # climbing
    **refuse(OUTSIDE, "..", "../", "../.", "../outside/secret.txt", "./../outside/secret.txt", "../ws/a.txt"),
    **refuse(OUTSIDE, "sub/../..", "sub/../../outside/secret.txt", "sub/./../../outside/secret.txt"),
    **refuse(OUTSIDE, "sub//..//../outside/secret.txt", "../" * 12 + "etc/passwd", "../ws-evil/secret.txt"),
    **refuse(FOLDER, "a.txt/..", "a.txt/../../outside/secret.txt"),
    **refuse(MISSING, "missing/..", "missing/../../outside/secret.txt", "missing/../a.txt"),
    **refuse(FILE, "sub/..", "sub/../sub"),
    **literal("...", "..../x", ".. /x", "..a/x"),
    # absolute
    **refuse(OUTSIDE, "/", "/etc/passwd", "//etc/passwd", "///etc///passwd", "/./etc/passwd", "/../etc/passwd"),
    **refuse(OUTSIDE, "<outside>/secret.txt", "<outside>/new.txt", "<outside>", "//server/share/x"),
    **refuse(OUTSIDE, "<root>/..", "<root>/../outside/secret.txt", "<root>/sub/../../outside/secret.txt"),
    **refuse(OUTSIDE, "<root>-evil/secret.txt", "<root>-evil/new.txt", "<root>/../ws-evil/secret.txt", "<root>x"),
    **refuse(FILE, "<root>", "<root>/", "<root>/.", "/<root>"),
    **refuse(FOLDER, "<root>/a.txt/x"),
    **refuse(OUTSIDE, "/proc/self/root<outside>/secret.txt", "/proc/self/cwd/x", "/proc/self/environ"),
    **refuse(OUTSIDE, "/proc/self/fd/<fd>", "/dev/fd/<fd>", "/proc/self/mem", "/proc/self/fd/0"),
    **refuse(OUTSIDE, "/dev/zero", "/dev/stdin", "/dev/tty", "/dev/null"),
    # not a name
    **refuse(INVALID, "", "\0", "a.txt\0", "a\0/../../x", "../outside/secret.txt\0.txt", "<outside>/secret.txt\0"),
    **refuse(FILE, ".", "./", "././.", "sub", "sub/", "sub/."),
    **refuse(FOLDER, "a.txt/", "a.txt/.", "a.txt/x", "a.txt/x/y", "./a.txt//"),
    **refuse(MISSING, "missing/", "missing/."),
    **refuse(INVALID, "d/" * 300 + "x", "../" * 300 + "etc/passwd", "/" * 300 + "etc/passwd"),
    **refuse(INVALID, "n" * 256, "sub/" + "n" * 300, "é" * 128, "missing/" + "n" * 256),
    # other notations
    **literal("%2e%2e/x", "..%2foutside%2fsecret.txt", "%2e%2e%2foutside%2fsecret.txt", "%252e%252e/x", "%00", "a%00b"),
    **literal("C:/Windows/x", "file:///etc/passwd", "$HOME/x", "${HOME}/x", "$(id)", "sub/~", "..;/x", "-rf", "*", "?"),
    **unfit("..\\outside\\secret.txt", "sub\\..\\..\\x", "\\etc\\passwd", "C:\\Windows\\x", "\\\\server\\share\\x"),
    **unfit("~", "~/x", "~root/x", "./~/x"),
    **refuse(PROTECTED, "~root/.ssh/id"),
    # Unicode
    **literal("\u2025/outside/secret.txt", "\uff0e\uff0e/outside/secret.txt", "\u2024\u2024/x", "\u200b../x"),
    **literal("..\u2215outside\u2215secret.txt", "..\u2044x", "..\uff0fx", "cafe\u0301.txt", "A.TXT"),
    **refuse(INVALID, "\ud800", "a\udfffb", "\udc2e\udc2e/x", "sub/\udbff"),
    **unfit("\udcff", "sub/\udc80x", "a\nb", "a\rb", "\x1b[31mred", "\x7f", "a\x85b", "a\tb", "\x01/x"),
    **unfit("\u202etxt.exe", "\u2066x", "x\u2069", "\u200fx", "\u200ex", "\u061cx", "sub/\u202ax"),
    # links that leave
    **through(OUTSIDE, "l", l="<outside>/secret.txt"),
    **through(OUTSIDE, "l", l="../outside/secret.txt"),
    **through(OUTSIDE, "l", l="./.././outside//secret.txt"),
    **through(OUTSIDE, "l", l="<root>/../outside/secret.txt"),
    **through(OUTSIDE, "l", l="<root>-evil/secret.txt"),
    **through(OUTSIDE, "l", l="<outside>/missing.txt"),
    **through(OUTSIDE, "l", l="../missing.txt"),
    **through(OUTSIDE, "l", l="/nowhere/at/all"),
    **through(OUTSIDE, "l", l="../outside"),
    **through(OUTSIDE, "l/", l="../outside"),
    **through(OUTSIDE, "l/secret.txt", l="<outside>"),
    **through(OUTSIDE, "l/secret.txt", l="../outside"),
    **through(OUTSIDE, "l/new.txt", l="../outside"),
    **through(OUTSIDE, "l/new/new.txt", l="../outside/"),
    **through(OUTSIDE, "l/deep/secret.txt", l="../outside"),
    **through(OUTSIDE, "l/../ws/a.txt", l="../outside"),
    **through(OUTSIDE, "l/secret.txt", l="<root>-evil"),
    **through(OUTSIDE, "l", l=".."),
    **through(OUTSIDE, "l/outside/secret.txt", l=".."),
    **through(OUTSIDE, "l/ws/a.txt", l=".."),
    **through(OUTSIDE, "l/etc/passwd", l="/"),
    **through(OUTSIDE, "sub/l", **{"sub/l": "../../outside/secret.txt"}),
    **through(OUTSIDE, "l/../../outside/secret.txt", l="sub"),
    **through(OUTSIDE, "l/../outside/secret.txt", l="."),
    **through(OUTSIDE, "l/../outside/secret.txt", l="<root>"),
    **through(OUTSIDE, "one", one="two", two="<root>/three", three="../outside/secret.txt"),
    **through(OUTSIDE, "one/secret.txt", one="two/three", two="sub", **{"sub/three": "<outside>"}),
    **through(OUTSIDE, "l<outside>/secret.txt", l="/proc/self/root"),
    **through(OUTSIDE, "l", l="/proc/self/fd/<fd>"),
    **through(OUTSIDE, "l/environ", l="/proc/self"),
    **through(OUTSIDE, "l", l="/dev/zero"),
    **through(OUTSIDE, "l", l="/dev/stdin"),
    # links that lead nowhere
    **through(OUTSIDE, "l", l="l"),
    **through(OUTSIDE, "l/x", l="l"),
    **through(OUTSIDE, "one", one="two", two="one"),
    **through(OUTSIDE, "sub/l", **{"sub/l": "../sub/l"}),
    **through(OUTSIDE, "l", l="<root>/l"),
    **through(OUTSIDE, "l/" * 41 + "a.txt", l="."),
    **through(FOLDER, "l", l="a.txt/"),
    **through(FOLDER, "l/x", l="a.txt"),
    **through(FILE, "l", l="."),
    **through(FILE, "l", l="<root>"),
    **through(FILE, "l", l="sub/.."),
    **through(FILE, "l", l="sub"),
    **through(MISSING, "l", l="missing/../a.txt"),
    # not a regular file
    **refuse(FILE, "pipe", "socket", "sub/../pipe", "<root>/socket"),
    **refuse(FOLDER, "pipe/x", "socket/x", "pipe/"),
    **through(FILE, "l", l="pipe"),
    **through(FILE, "l", l="<root>/socket"),
    # protected
    **refuse(PROTECTED, ".git", ".git/", ".git/config", ".git/new", "./.git/config", "<root>/.git/config"),
    **refuse(PROTECTED, "sub/.git/hooks/pre-commit", "sub/../.git/config", ".git/../a.txt", ".git/../../x"),
    **refuse(PROTECTED, ".GIT/config", ".Git/CONFIG", ".gIT", ".git./config", ".git /config", ".git. ./config"),
    **refuse(PROTECTED, ".g\u200bit/config", ".git\u200d/x", ".gi\u00adt/config", "\ufeff.git/config", ".\u200cgit/x"),
    **refuse(PROTECTED, "\uff0egit/config", ".\uff27it/config", "\u2024git/x", ".g\u202eit/x", ".git\u2060/config"),
    **refuse(PROTECTED, ".hg/hgrc", ".envrc", ".ENVRC", ".envrc.", ".mcp.json", ".cursor/mcp.json", "config.fish"),
    **refuse(PROTECTED, ".vscode/settings.json", ".VSCode/Tasks.json", "sub/.vscode/mcp.json", ".vscode/./tasks.json"),
    **refuse(PROTECTED, ".claude/settings.json", ".claude/settings.local.json", "x/fish/conf.d/y.fish"),
    **refuse(PROTECTED, ".bashrc", ".baſhrc", "sub/.zshrc", ".PROFILE", ".bash_logout ", ".inputrc"),
    **refuse(PROTECTED, ".suture-intent", ".suture-x-0.new", "sub/.suture-x-0.old", ".SUTURE-x", ".suture-"),
    **refuse(PROTECTED, ".suture-folder/x", "sub/.suture-folder/x/y"),
    **refuse(PROTECTED, ".suture/intent", ".suture/.gitignore", ".SUTURE/x", "sub/.suture/x", ".suture"),
    **through(PROTECTED, "l/config", l=".git"),
    **through(PROTECTED, "l/new", l="<root>/.git"),
    **through(PROTECTED, "l", l=".envrc"),
    **through(PROTECTED, "l", l=".suture-x"),
    **through(PROTECTED, "l/settings.json", l=".vscode"),
    **through(PROTECTED, "sub/.mcp.json", **{"sub/.mcp.json": "../a.txt"}),
    **through(PROTECTED, ".vscode/settings.json", **{".vscode": "sub"}),
}


OPERATIONS: dict[str, tuple[str, Callable[[Transaction, str], None]]] = {
    "edit": ("read", lambda tx, path: tx.edit(path, lambda _: [edit(0, 0, NEW)])),
    "delete": ("read", lambda tx, path: tx.delete(path)),
    "move from": ("read", lambda tx, path: tx.rename(path, "moved.txt")),
    "create": ("new", lambda tx, path: tx.create(path, NEW)),
    "write": ("new", lambda tx, path: tx.write(path, NEW)),
    "move to": ("new", lambda tx, path: tx.rename("a.txt", path)),
}


@pytest.fixture
def folders(tmp_path: Path) -> Iterator[Folders]:
    root, outside, evil = tmp_path / "ws", tmp_path / "outside", tmp_path / "ws-evil"
    for folder in (root / "sub", root / ".git", outside / "deep", outside / "empty", evil):
        folder.mkdir(parents=True)
    for path in (outside / "secret.txt", outside / "deep" / "secret.txt", evil / "secret.txt"):
        path.write_text(f"{SECRET}\n", "ascii")
    (outside / "back").symlink_to(root / "a.txt")
    inside = {"a.txt": "one\n", "sub/b.txt": "two\n", ".git/config": "[core]\n", ".envrc": "true\n", "café.txt": "x\n"}
    for name, text in inside.items():
        (root / name).write_text(text, "ascii")
    os.mkfifo(root / "pipe")
    _make_socket(root, "socket")
    for folder in (outside, evil):
        for path in folder.rglob("*.txt"):
            os.utime(path, ns=(1, 2))  # an access time so old that any read would move it
    fd = os.open(outside / "secret.txt", os.O_RDONLY)
    yield Folders(root, outside, evil, fd)
    os.close(fd)


def _make_socket(folder: Path, name: str) -> None:
    previous = Path.cwd()
    with socket.socket(socket.AF_UNIX) as listener:
        os.chdir(folder)  # the path of a socket must be short
        try:
            listener.bind(name)
        finally:
            os.chdir(previous)


def create_links(folders: Folders, hostile: Hostile) -> str:
    """Make the row's links; returns the path to send."""
    for name, target in (hostile.links or {}).items():
        (folders.root / name).symlink_to(folders.spell(target))
    return folders.spell(hostile.path)


def outside_of(folders: Folders) -> dict[str, tuple[object, ...]]:
    """Everything outside, with its times, including access times."""
    return {path: entry for top in (folders.outside, folders.evil) for path, entry in _below(top, reading=True)}


def inside_of(folders: Folders) -> dict[str, tuple[object, ...]]:
    """Everything inside."""
    return dict(_below(folders.root, reading=False))


def _below(top: Path, *, reading: bool) -> Iterator[tuple[str, tuple[object, ...]]]:
    for folder, folders, files in os.walk(top):
        for path in (Path(folder), *(Path(folder, name) for name in (*files, *folders))):
            yield str(path), _look(path, reading=reading)


def _look(path: Path, *, reading: bool) -> tuple[object, ...]:
    """The file, folder or link at a path; looking at it leaves no trace."""
    status = path.lstat()
    metadata = (status.st_mode, status.st_uid, status.st_gid, status.st_nlink, status.st_ino, status.st_ctime_ns)
    if stat.S_ISLNK(status.st_mode):
        return (*metadata, str(path.readlink()))
    if not stat.S_ISREG(status.st_mode):
        return (*metadata, status.st_mtime_ns)
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOATIME", 0))
    try:
        return (*metadata, status.st_mtime_ns, status.st_atime_ns if reading else None, os.read(handle, 1 << 20))
    finally:
        os.close(handle)


def contents(tree: dict[str, tuple[object, ...]]) -> dict[str, object]:
    """The files of a tree, without folders, whose times change when a file is created in them."""
    return {path: entry[-1] for path, entry in tree.items() if isinstance(entry[-1], bytes)}


def full_text(error: SutureError) -> str:
    return f"{error} {error_text(error)} {json.dumps(error_data(error))}"


def refusal(workspace: Workspace, operation: str, path: str) -> SutureError:
    with pytest.raises(SutureError) as caught, workspace.transaction() as tx:
        OPERATIONS[operation][1](tx, path)
    return caught.value


def test_the_table_is_as_long_as_it_says() -> None:
    assert len(TABLE) >= 200


@pytest.mark.promise("confine.hostile")
@pytest.mark.parametrize("row", TABLE, ids=ascii)
def test_a_hostile_path_is_not_read(folders: Folders, row: str) -> None:
    path = create_links(folders, TABLE[row])
    outside, inside = outside_of(folders), inside_of(folders)
    result = Workspace(folders.root, FAST).call("file_read", {"path": path})
    assert (result.is_error, result.metadata["error"]["code"]) == (True, TABLE[row].read)
    assert SECRET not in json.dumps(result.to_dict())
    assert outside_of(folders) == outside
    assert inside_of(folders) == inside


@pytest.mark.promise("confine.hostile")
@pytest.mark.parametrize("row", TABLE, ids=ascii)
def test_a_hostile_path_is_not_written(folders: Folders, row: str) -> None:
    path = create_links(folders, TABLE[row])
    expected = {name: code for name, (kind, _) in OPERATIONS.items() if (code := getattr(TABLE[row], kind)) != LANDS}
    outside, inside = outside_of(folders), inside_of(folders)
    workspace = Workspace(folders.root, FAST)
    errors = {operation: refusal(workspace, operation, path) for operation in expected}
    assert {operation: error.code for operation, error in errors.items()} == expected
    assert SECRET not in "".join(map(full_text, errors.values()))
    assert outside_of(folders) == outside
    assert inside_of(folders) == inside


@pytest.mark.promise("confine.hostile")
@pytest.mark.parametrize("operation", ["create", "write", "move to"])
@pytest.mark.parametrize("row", [row for row, hostile in TABLE.items() if hostile.new == LANDS], ids=ascii)
def test_a_name_that_means_something_elsewhere_is_taken_literally(folders: Folders, row: str, operation: str) -> None:
    path = TABLE[row].path
    outside, before = outside_of(folders), contents(inside_of(folders))
    workspace = Workspace(folders.root, FAST)
    with workspace.transaction() as tx:
        OPERATIONS[operation][1](tx, path)
    new = before.pop(str(folders.root / "a.txt")) if operation == "move to" else NEW
    assert contents(inside_of(folders)) == {**before, str(folders.root / path): new}
    assert workspace.file_read(path, format="raw").text.encode() == new
    assert outside_of(folders) == outside


@pytest.mark.promise("confine.hostile")
@pytest.mark.parametrize("row", ["../outside/secret.txt", "<outside>/secret.txt"])
def test_one_hostile_path_among_good_ones_refuses_them_all(folders: Folders, row: str) -> None:
    outside, inside = outside_of(folders), inside_of(folders)
    transaction = Workspace(folders.root, FAST).transaction()
    transaction.write("a.txt", NEW)
    transaction.create("new.txt", NEW)
    transaction.write(folders.spell(row), NEW)
    with pytest.raises(SutureError) as caught, transaction:
        pass
    assert caught.value.code == OUTSIDE
    assert inside_of(folders) == inside
    assert outside_of(folders) == outside


@pytest.mark.promise("confine.not-a-file")
@pytest.mark.parametrize("numbers", [(1, 5), (1, 3), (5, 0)], ids=["zero", "null", "tty"])
def test_a_device_inside_is_not_a_file(folders: Folders, numbers: tuple[int, int]) -> None:
    try:
        os.mknod(folders.root / "device", 0o600 | stat.S_IFCHR, os.makedev(*numbers))
    except PermissionError:
        pytest.skip("making a device needs root")
    before = inside_of(folders)
    workspace = Workspace(folders.root, FAST)
    assert workspace.call("file_read", {"path": "device"}).metadata["error"]["code"] == FILE
    codes = {operation: refusal(workspace, operation, "device").code for operation in OPERATIONS}
    assert codes == dict.fromkeys(OPERATIONS, FILE)
    assert inside_of(folders) == before


@pytest.mark.promise("confine.not-a-file")
@pytest.mark.parametrize("path", ["pipe", "socket", "sub", ".", "<root>"])
def test_a_special_file_is_reported_without_waiting_for_it(folders: Folders, path: str) -> None:
    result = Workspace(folders.root, FAST).call("file_read", {"path": folders.spell(path)})
    assert result.metadata["error"]["code"] == FILE


@pytest.mark.promise("confine.not-a-file")
def test_a_pipe_with_a_writer_is_not_drained(folders: Folders) -> None:
    reader = os.open(folders.root / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    writer = os.open(folders.root / "pipe", os.O_WRONLY | os.O_NONBLOCK)
    try:
        os.write(writer, b"for somebody else")
        result = Workspace(folders.root, FAST).call("file_read", {"path": "pipe"})
        assert result.metadata["error"]["code"] == FILE
        assert os.read(reader, 100) == b"for somebody else"
    finally:
        os.close(reader)
        os.close(writer)


@pytest.mark.promise("confine.hostile")
def test_a_path_longer_than_the_system_takes_stays_inside(folders: Folders) -> None:
    outside = outside_of(folders)
    path = "/".join(["n" * 200] * 25)
    workspace = Workspace(folders.root, FAST)
    assert workspace.call("file_read", {"path": path}).metadata["error"]["code"] == MISSING
    with workspace.transaction() as tx:
        tx.create(path, NEW)
    assert workspace.file_read(path, format="raw").text == NEW.decode()
    with workspace.transaction() as tx:
        tx.delete(path)
    assert workspace.call("file_read", {"path": path}).metadata["error"]["code"] == MISSING
    assert outside_of(folders) == outside


INTENTS: dict[str, dict[str, object]] = {
    "climbs": {"path": "../outside/secret.txt", "backup": "../outside/.suture-b"},
    "climbs below": {"path": "sub/../../outside/secret.txt", "backup": "sub/../../outside/.suture-b"},
    "is absolute": {"path": "<outside>/secret.txt", "backup": "<outside>/.suture-b"},
    "goes through a link": {"path": "l/secret.txt", "backup": "l/.suture-b", "temp": "l/.suture-t"},
    "is a link": {"path": "s", "backup": ".suture-b", "in_place": True},
    "is a link, as a new file": {"path": "s", "temp": ".suture-b"},
    "has a linked backup": {"path": "a.txt", "backup": ".suture-s", "in_place": True},
    "has a linked temporary": {"path": "a.txt", "temp": ".suture-s", "backup": ".suture-b", "in_place": True},
    "names a helper of another folder": {"path": "a.txt", "backup": "l/.suture-b"},
    "names a helper that is none": {"path": "a.txt", "backup": "s"},
    "holds a NUL": {"path": "a.txt\0", "backup": ".suture-b\0"},
}


@pytest.mark.promise("confine.hostile")
@pytest.mark.parametrize("state", ["open", "done"])
@pytest.mark.parametrize("name", INTENTS)
@pytest.mark.parametrize("place", [".suture/intent", ".suture-intent"])
def test_an_intent_that_came_with_the_tree_reaches_nothing_outside(
    folders: Folders, place: str, name: str, state: str
) -> None:
    from hashlib import sha256  # noqa: PLC0415  used here only

    for link, target in (("l", "../outside"), ("s", "../outside/secret.txt"), (".suture-s", "../outside/secret.txt")):
        (folders.root / link).symlink_to(target)
    (folders.root / ".suture-b").write_bytes(NEW)
    secret_hash = "sha256:" + sha256((folders.outside / "secret.txt").read_bytes()).hexdigest()
    os.utime(folders.outside / "secret.txt", ns=(1, 2))
    step = {"root": 0, "before": "sha256:0", "after": secret_hash, "temp": None, "backup": None, "in_place": False}
    step |= {key: folders.spell(value) if isinstance(value, str) else value for key, value in INTENTS[name].items()}
    intent = {"id": "x", "tool": "x", "roots": [str(folders.root)], "folders": [[0, "l/new"]], "steps": [step]}
    line = json.dumps(intent).encode()
    check = b"sha256:" + sha256(line).hexdigest().encode()
    (folders.root / ".suture").mkdir()
    (folders.root / place).write_bytes(f"suture-intent 1 {state}\n".encode() + line + b"\n" + check + b"\n")
    outside = outside_of(folders)

    result = Workspace(folders.root, FAST).call("file_read", {"path": "a.txt"})

    assert SECRET not in json.dumps(result.to_dict())
    assert outside_of(folders) == outside
    assert SECRET.encode() not in b"".join(path.read_bytes() for path in _regular(folders.root))


@pytest.mark.promise("confine.hostile")
@pytest.mark.parametrize("target", ["../outside/secret.txt", "../outside", "/dev/zero", "pipe", "missing"])
@pytest.mark.parametrize("place", [".suture/intent", ".suture-intent"])
def test_an_intent_that_is_a_link_is_not_followed(folders: Folders, place: str, target: str) -> None:
    (folders.root / ".suture").mkdir()
    (folders.root / place).symlink_to(target if place == ".suture-intent" else f"../{target}")
    outside = outside_of(folders)
    workspace = Workspace(folders.root, FAST)
    result = workspace.call("file_read", {"path": "a.txt"})
    assert SECRET not in json.dumps(result.to_dict())
    assert outside_of(folders) == outside


@pytest.mark.promise("confine.hostile")
@pytest.mark.parametrize("content", [{}, {".gitignore": b"*\n"}, {"intent": b"suture-intent 2 open"}, {"x": b"x"}])
def test_a_staging_folder_that_is_a_link_is_not_followed(folders: Folders, content: dict[str, bytes]) -> None:
    """Nor is what it leads to taken for suture's own, or removed by a recovery."""
    (folders.outside / "staging").mkdir(mode=0o700)
    for name, data in content.items():
        (folders.outside / "staging" / name).write_bytes(data)
    (folders.root / ".suture").symlink_to("../outside/staging")
    outside = outside_of(folders)
    workspace = Workspace(folders.root, FAST)
    assert not workspace.call("file_read", {"path": "a.txt"}).is_error
    with workspace.transaction() as tx:
        tx.write("a.txt", NEW)
    assert workspace.recover() is None
    assert (outside_of(folders), (folders.root / "a.txt").read_bytes()) == (outside, NEW)
    assert (folders.root / ".suture").is_symlink()


def _regular(top: Path) -> list[Path]:
    paths = (Path(folder, name) for folder, _, names in os.walk(top) for name in names)
    return [path for path in paths if stat.S_ISREG(path.lstat().st_mode)]


@pytest.mark.promise("confine.inside-links")
@pytest.mark.parametrize(
    ("path", "final", "links"),
    [
        ("l", "a.txt", {"l": "a.txt"}),
        ("l", "a.txt", {"l": "./sub/.././a.txt"}),
        ("l", "a.txt", {"l": "<root>/a.txt"}),
        ("l", "a.txt", {"l": "//<root>//./a.txt"}),
        ("l", "sub/b.txt", {"l": "sub/b.txt"}),
        ("l/b.txt", "sub/b.txt", {"l": "sub"}),
        ("l/b.txt", "sub/b.txt", {"l": "sub/"}),
        ("l/b.txt", "sub/b.txt", {"l": "<root>/sub"}),
        ("l/../a.txt", "a.txt", {"l": "sub"}),
        ("l/a.txt", "a.txt", {"l": "."}),
        ("l/a.txt", "a.txt", {"l": "<root>"}),
        ("l/l/l/a.txt", "a.txt", {"l": "<root>/"}),
        ("sub/l", "a.txt", {"sub/l": "../a.txt"}),
        ("one", "sub/b.txt", {"one": "two", "two": "<root>/three", "three": "four/b.txt", "four": "sub"}),
        ("<root>/l", "a.txt", {"l": "a.txt"}),
        ("l", "a.txt", {"l": "<outside>/back"}),
        ("l", "a.txt", {"l": "/proc/self/root<root>/a.txt"}),
        ("l" + "/l" * 39 + "/a.txt", "a.txt", {"l": "."}),
    ],
)
def test_a_link_that_stays_inside_is_followed_and_stays_a_link(
    folders: Folders, path: str, final: str, links: dict[str, str]
) -> None:
    if any("/proc/" in target for target in links.values()) and not Path("/proc/self/root").exists():
        pytest.skip("there is no /proc here")
    spelling = create_links(folders, Hostile(path, "", "", links))
    targets = {name: (folders.root / name).readlink() for name in links}
    workspace = Workspace(folders.root, FAST)
    result = workspace.call("file_read", {"path": spelling})
    assert (result.is_error, result.metadata["path"]) == (False, final)
    with workspace.transaction() as tx:
        tx.edit(spelling, lambda _: [edit(0, 0, NEW)])
    assert tx.change is not None
    assert [file.path for file in tx.change.files] == [final]
    assert (folders.root / final).read_bytes().startswith(NEW)
    assert {name: (folders.root / name).readlink() for name in links} == targets


@pytest.mark.promise("confine.inside-links")
@pytest.mark.parametrize("target", ["new.txt", "<root>/new.txt", "sub/../new.txt"])
def test_a_dangling_link_that_stays_inside_names_the_file_to_make(folders: Folders, target: str) -> None:
    path = create_links(folders, Hostile("l", "", "", {"l": target}))
    workspace = Workspace(folders.root, FAST)
    assert workspace.call("file_read", {"path": path}).metadata["error"]["code"] == MISSING
    with workspace.transaction() as tx:
        tx.create(path, NEW)
    assert (folders.root / "l").is_symlink()
    assert (folders.root / "new.txt").read_bytes() == NEW
    assert workspace.call("file_read", {"path": path}).metadata["path"] == "new.txt"


@pytest.mark.promise("confine.inside-links")
def test_a_link_is_neither_deleted_nor_moved_and_neither_is_its_file(folders: Folders) -> None:
    create_links(folders, Hostile("", "", "", {"one": "a.txt", "two": "<root>/sub/b.txt", "way": "sub"}))
    inside = inside_of(folders)
    workspace = Workspace(folders.root, FAST)
    for operation, path in (("delete", "one"), ("move from", "two")):
        assert refusal(workspace, operation, path).code == "NOT_A_FILE"
    assert inside_of(folders) == inside
    with workspace.transaction() as tx:
        tx.delete("way/b.txt")
    assert not (folders.root / "sub" / "b.txt").exists()


@pytest.mark.promise("confine.inside-links")
def test_the_root_may_be_given_by_a_link_and_a_path_by_any_of_its_spellings(folders: Folders, tmp_path: Path) -> None:
    (tmp_path / "way").symlink_to(folders.root)
    (tmp_path / "up").symlink_to(tmp_path)
    (folders.root / "l").symlink_to(tmp_path / "way" / "a.txt")
    workspace = Workspace(tmp_path / "way", FAST)
    spellings = ["a.txt", f"{folders.root}/a.txt", f"{tmp_path}/way/a.txt", f"{tmp_path}/up/up/ws/a.txt", "l"]
    results = [workspace.call("file_read", {"path": path}) for path in spellings]
    assert [(result.is_error, result.metadata["path"]) for result in results] == [(False, "a.txt")] * len(spellings)
    with workspace.transaction() as tx:
        tx.write(f"{tmp_path}/up/way/a.txt", NEW)
        tx.create(f"{tmp_path}/up/ws/sub/new.txt", NEW)
    assert (folders.root / "a.txt").read_bytes() == NEW
    assert (folders.root / "sub" / "new.txt").read_bytes() == NEW


@pytest.mark.promise("confine.inside-links")
def test_an_extra_root_is_open_by_its_full_path_and_named_so(folders: Folders, tmp_path: Path) -> None:
    extra = tmp_path / "extra"
    (extra / "lib").mkdir(parents=True)
    (extra / "lib" / "x.py").write_text("x\n", "ascii")
    (folders.root / "l").symlink_to("../extra/lib/x.py")
    (folders.root / "m").symlink_to(extra / "lib")
    (extra / "back").symlink_to(folders.root / "a.txt")
    outside = outside_of(folders)
    workspace = Workspace(folders.root, FAST.evolve(extra_roots=(str(extra),)))
    names = {path: workspace.call("file_read", {"path": path}).metadata.get("path") for path in (
        f"{extra}/lib/x.py", "m/x.py", f"{extra}/back", "a.txt",
    )}  # fmt: skip
    full = f"{extra}/lib/x.py"
    assert names == {full: full, "m/x.py": full, f"{extra}/back": "a.txt", "a.txt": "a.txt"}
    with workspace.transaction() as tx:
        tx.write(full, NEW)
        tx.create(f"{extra}/new/y.py", NEW)
        tx.rename("a.txt", f"{extra}/a.txt")
    assert tx.change is not None
    assert [file.path for file in tx.change.files] == [full, f"{extra}/new/y.py", "a.txt"]
    assert (extra / "lib" / "x.py").read_bytes() == (extra / "new" / "y.py").read_bytes() == NEW
    assert (extra / "a.txt").read_bytes() == b"one\n"
    for path in (f"{extra}/../outside/secret.txt", f"{extra}/..", f"{extra}-evil/x", "../extra/lib/x.py"):
        assert workspace.call("file_read", {"path": path}).metadata["error"]["code"] == OUTSIDE, path
    assert outside_of(folders) == outside


@pytest.mark.promise("confine.inside-links")
def test_an_extra_root_given_relatively_is_named_by_its_full_path(
    folders: Folders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "extra").mkdir()
    (tmp_path / "extra" / "x.py").write_text("x\n", "ascii")
    monkeypatch.chdir(folders.root)
    workspace = Workspace(".", FAST.evolve(extra_roots=("../extra",)))
    result = workspace.call("file_read", {"path": f"{tmp_path}/extra/x.py"})
    assert (result.is_error, result.metadata["path"]) == (False, f"{tmp_path}/extra/x.py")


@pytest.mark.promise("confine.inside-links")
def test_an_extra_root_that_is_the_root_again_does_no_harm(folders: Folders, tmp_path: Path) -> None:
    (tmp_path / "way").symlink_to(folders.root)
    settings = FAST.evolve(extra_roots=(str(folders.root), str(tmp_path / "way")), lock_timeout_ms=0)
    with Workspace(folders.root, settings).transaction() as tx:
        tx.write("a.txt", NEW)
    assert (folders.root / "a.txt").read_bytes() == NEW


ODD_NAMES = [
    "a\nb",
    "tab\tbed",
    "\x1b[31m",
    "back\\slash",
    "..\\up",
    "100%25",
    "%2e%2e",
    "~",
    "\u202eb",
    "\udcff",
    " ",
    "-x",
]


@pytest.mark.promise("confine.hostile")
@pytest.mark.parametrize("name", ODD_NAMES, ids=ascii)
def test_a_file_that_has_an_odd_name_can_be_read_edited_moved_away_and_deleted(folders: Folders, name: str) -> None:
    try:
        (folders.root / name).write_bytes(b"odd\n")
    except OSError:
        pytest.skip("this file system has no such names")
    (folders.root / "sub" / name).write_bytes(b"odd\n")
    workspace = Workspace(folders.root, FAST)
    result = workspace.call("file_read", {"path": name})
    assert (result.is_error, result.metadata.get("path")) == (False, name)
    with workspace.transaction() as tx:
        tx.edit(name, lambda _: [edit(0, 3, b"even")])
        tx.rename(f"sub/{name}", "sub/plain.txt")
    assert (folders.root / name).read_bytes() == b"even\n"
    assert (folders.root / "sub" / "plain.txt").read_bytes() == b"odd\n"
    with workspace.transaction() as tx:
        tx.delete(name)
    assert name not in os.listdir(folders.root)  # noqa: PTH208  names as the system gives them


@pytest.mark.promise("confine.hostile")
def test_a_new_file_may_be_in_a_folder_with_an_odd_name(folders: Folders) -> None:
    (folders.root / "back\\slash").mkdir()
    with Workspace(folders.root, FAST).transaction() as tx:
        tx.create("back\\slash/new.txt", NEW)
    assert (folders.root / "back\\slash" / "new.txt").read_bytes() == NEW


@pytest.mark.promise("confine.protected")
@pytest.mark.parametrize(
    ("allow", "path"),
    [
        (".git/**", ".git/config"),
        (".GIT/**", ".git/config"),
        (".git/config", ".git/config"),
        (".envrc", ".envrc"),
        (".env*", ".envrc"),
        ("sub/.zshrc", "sub/.zshrc"),
        (".zshrc", "sub/.zshrc"),
        (".vscode/settings.json", ".vscode/settings.json"),
    ],
)
def test_allow_protected_opens_a_protected_name(folders: Folders, allow: str, path: str) -> None:
    workspace = Workspace(folders.root, FAST.evolve(allow_protected=(allow,)))
    with workspace.transaction() as tx:
        tx.write(path, NEW)
    assert workspace.file_read(path, format="raw").text == NEW.decode()


@pytest.mark.promise("confine.protected")
@pytest.mark.parametrize(
    ("allow", "path"),
    [
        (".git/config", ".git/hooks/pre-commit"),
        (".vscode/settings.json", ".vscode/tasks.json"),
        ("sub/.zshrc", ".zshrc"),
        (".suture-*", ".suture-intent"),
        (".suture-intent", ".suture-intent"),
        (".suture/**", ".suture/intent"),
        ("**", ".suture-x"),
        ("*", ".suture-x"),
        (".git/**", ".git/.suture-x"),
        (".git/**", ".git/.suture-x/y"),
    ],
)
def test_allow_protected_opens_nothing_else_and_never_our_own_files(folders: Folders, allow: str, path: str) -> None:
    workspace = Workspace(folders.root, FAST.evolve(allow_protected=(allow,)))
    before = inside_of(folders)
    assert workspace.call("file_read", {"path": path}).metadata["error"]["code"] == PROTECTED
    with pytest.raises(SutureError) as caught, workspace.transaction() as tx:
        tx.write(path, NEW)
    assert caught.value.code == PROTECTED
    assert inside_of(folders) == before


@pytest.mark.promise("confine.protected")
@pytest.mark.parametrize(
    ("protect", "path", "code"),
    [
        ("*.pem", "sub/key.PEM", PROTECTED),
        ("a.txt", "a.txt", PROTECTED),
        ("a.txt", "sub/../A.TXT", PROTECTED),
        ("sub/**", "sub/b.txt", PROTECTED),
        ("sub/**", "l", PROTECTED),
        ("sub/b.txt", "x/sub/b.txt", PROTECTED),
        ("sub/b.txt", "b.txt", MISSING),
    ],
)
def test_protect_adds_a_name(folders: Folders, protect: str, path: str, code: str) -> None:
    (folders.root / "l").symlink_to("sub/b.txt")
    result = Workspace(folders.root, FAST.evolve(protect=(protect,))).call("file_read", {"path": path})
    assert result.metadata["error"]["code"] == code


@pytest.mark.promise("confine.protected")
def test_what_looks_like_a_protected_name_and_is_none_is_open(folders: Folders) -> None:
    names = [
        ".gitignore",
        ".github/workflows/ci.yml",
        "git/config",
        ".envrc.example",
        ".git-blame-ignore-revs",
        "x.git/y",
    ]
    with Workspace(folders.root, FAST).transaction() as tx:
        for name in names:
            tx.create(name, NEW)
    assert [name for name in names if (folders.root / name).read_bytes() != NEW] == []
