"""What may be meant by a path at which there is no file."""

from __future__ import annotations

from difflib import get_close_matches

from suture.errors import PermissionDenied, SutureError
from suture.files.protected import OWN_PREFIX
from suture.files.tree import split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from suture.files.tree import Tree

_MOST = 3
_COMPARED = 2_000  # names in one folder


def near(tree: Tree, path: str) -> list[str]:
    """Paths that resemble a missing file's: below a folder named nearly so, or of a name nearly the same."""
    folder, name = split(path)
    while folder and tree.stat(folder) is None:
        folder = split(folder)[0]
    try:
        names = [each for each in tree.names(folder) if not each.startswith(OWN_PREFIX)][:_COMPARED]
    except PermissionDenied:
        return []
    prefix = f"{folder}/" if folder else ""
    missing, _, below = path.removeprefix(prefix).partition("/")
    found = [f"{prefix}{each}/{below}" for each in get_close_matches(missing, names, _MOST) if below]
    found = [each for each in found if _is_file(tree, each)]
    found += [f"{prefix}{each}" for each in get_close_matches(name, names, _MOST)]
    return found[:_MOST]


def _is_file(tree: Tree, path: str) -> bool:
    try:
        found = tree.stat(path)
    except SutureError:
        return False
    return found is not None and found.kind == "file"
