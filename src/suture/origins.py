"""Where code may come from: no file that a tool can write is run or imported.

A tool can write anything below a root. So a program or a module is used only if nothing on the way to it, neither a
link nor a folder, is below a root (`is_outside`). In a running process, two things ensure that:

- `exclude_roots` installs a finder that searches Python's own modules, and those that suture needs, only outside the
  roots. An agent that writes `yaml.py` into a folder on `sys.path` does not get it imported by the next check.
- suture itself may be installed below a root, in a project's `.venv`. It keeps running from there; in exchange, no tool
  may write to those folders (`own_places`).
"""

from __future__ import annotations

import os
import sys
from _thread import _local
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

_MAX_LINKS = 40  # in one path, as on Linux
_NEEDED_MODULES = frozenset(
    [
        "suture",
        "_cffi_backend",
        "_re2",
        "_yaml",
        "ahocorasick_rs",
        "argcomplete",
        "cffi",
        "orjson",
        "rapidfuzz",
        "re2",
        "regex",
        "tomli",
        "tree_sitter",
        "yaml",
        "zstandard",
    ]
)
"""Modules that suture imports on demand, and those that these import if available."""
_GRAMMARS = "tree_sitter_"
_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_STANDARD_LIBRARY = os.path.dirname(os.path.realpath(os.__file__))
_PACKAGE_FOLDERS = ("site-packages", "dist-packages")
"""Names of folders that contain only installed packages, nothing that a project edits."""
_VENV_PARTS = ("bin", "lib", "lib64", "pyvenv.cfg")
"""The parts of an environment that count if its folder is itself a root: the rest are the project's own files."""


class RootSet:
    """Tests whether a path is below one of some roots, by name and by the identity of folders."""

    def __init__(self, roots: Iterable[str]) -> None:
        self._names = [_real(root).rstrip("/") for root in roots]
        self._folders = {identity for name in self._names if (identity := _identity(name or "/")) is not None}
        self._cache: dict[str, tuple[bool, str | None]] = {}
        """For each inspected path: whether it is below a root, and the target of a link."""

    def contains(self, path: str) -> bool:
        """Whether a path, a link on the way to it, or its target is a root or below one."""
        try:
            rest = _names_reversed(path if path.startswith("/") else os.path.join(os.getcwd(), path))
        except OSError:  # the current folder is gone
            return True
        place, links = "/", 0
        while rest:
            name = rest.pop()
            place = os.path.dirname(place) if name == ".." else os.path.join(place, name)
            below, target = self._inspect(place)
            if below:
                return True
            if target is None:
                continue
            links += 1
            if links > _MAX_LINKS:
                return True
            place = "/" if target.startswith("/") else os.path.dirname(place)
            rest += _names_reversed(target)
        return "" in self._names  # the whole disk is a root

    def _inspect(self, place: str) -> tuple[bool, str | None]:
        if place not in self._cache:
            below = any(place == name or place.startswith(f"{name}/") for name in self._names)
            # A file system may ignore case, or show a folder in two places.
            below = below or _identity(place) in self._folders
            try:
                target = os.readlink(place)
            except (OSError, ValueError):  # not a link, or missing, and then nothing can run
                target = None
            self._cache[place] = below, target
        return self._cache[place]


def is_outside(path: str, roots: Iterable[str]) -> bool:
    """Whether neither a path, nor a link or folder on the way to it, nor its target is below a root."""
    return not RootSet(roots).contains(path)


def own_places(roots: Sequence[str]) -> list[str]:
    """The real paths, below a root, that suture runs from: its package, its Python, and installed packages."""
    return _own_places(roots, RootSet(roots))


def _own_places(roots: Sequence[str], inside: RootSet) -> list[str]:
    places = [_PACKAGE, os.path.dirname(sys.executable or _PACKAGE)]
    places += [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix]
    places += [entry for entry in sys.path if os.path.basename(entry) in _PACKAGE_FOLDERS]
    inner = dict.fromkeys(_real(place) for place in dict.fromkeys(places) if inside.contains(place))
    whole = {_real(root) for root in roots}
    parts = [os.path.join(place, part) for place in inner if place in whole for part in _VENV_PARTS]
    library = [_STANDARD_LIBRARY] if inside.contains(_STANDARD_LIBRARY) else []  # the whole of it, even as a root
    return [*(place for place in inner if place not in whole), *parts, *library]


def usable_path(roots: Sequence[str]) -> list[str]:
    """The folders of `sys.path` that may be imported from: outside the roots, or what suture runs from."""
    inside = RootSet(roots)
    return _usable(inside, _own_places(roots, inside))


def _usable(inside: RootSet, own: Sequence[str]) -> list[str]:
    return [entry for entry in sys.path if not _is_writable_entry(entry, inside, own)]


def start_code(roots: Sequence[str]) -> str:
    """Python code that makes another process import this installation of suture, and nothing from a root."""
    path = [os.path.abspath(entry) for entry in usable_path([*roots, *_roots_kept_out()])]
    code = f"import sys; sys.path[:] = {path!r}; "
    if os.path.dirname(_PACKAGE) in path:
        return code
    first = os.path.join(_PACKAGE, "__init__.py")
    return (
        f"{code}from importlib.util import module_from_spec, spec_from_file_location; "
        f"spec = spec_from_file_location('suture', {first!r}, submodule_search_locations=[{_PACKAGE!r}]); "
        "sys.modules['suture'] = module_from_spec(spec); spec.loader.exec_module(sys.modules['suture']); "
    )


def exclude_roots(roots: Sequence[str]) -> list[str]:
    """From now on, import what suture needs only from outside the roots, if `sys.path` leads into them at all.

    Returns the `own_places`, which are still used.
    """
    inside = RootSet(roots)
    own = _own_places(roots, inside)
    if len(_usable(inside, own)) == len(sys.path):
        return own
    finder = _finder()
    if finder is None:
        finder = OutsideFinder()
        kinds = [getattr(importer, "__name__", "") for importer in sys.meta_path]
        sys.meta_path.insert(kinds.index("PathFinder") if "PathFinder" in kinds else len(kinds), finder)
    finder.add(roots)
    return own


def drop_root_entries(roots: Sequence[str]) -> None:
    """Remove entries inside a root from `sys.path`, in a process that is suture's own."""
    sys.path[:] = usable_path(roots)


class _Restriction(_local):
    """The roots from which this thread imports nothing at all."""

    roots: tuple[str, ...] = ()


_restricted = _Restriction()


@contextmanager
def importing_outside(roots: Sequence[str]) -> Iterator[None]:
    """Keep this thread from importing anything below these roots: for the code of plugins."""
    before = _restricted.roots
    if roots:
        exclude_roots(roots)
    _restricted.roots = tuple(roots)
    try:
        yield
    finally:
        _restricted.roots = before


class OutsideFinder:
    """Finds the modules that suture needs, and Python's own, only outside the roots; it handles no others.

    In a restricted thread (`importing_outside`), it handles all modules.
    """

    def __init__(self) -> None:
        self.roots: tuple[str, ...] = ()
        self._path: tuple[list[str], list[str]] = ([], [])
        """The last `sys.path`, and the usable part of it."""

    def add(self, roots: Iterable[str]) -> None:
        """Exclude these roots too."""
        self.roots = tuple(dict.fromkeys((*self.roots, *roots)))
        self._path = ([], [])

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a module; None to leave it to other finders."""
        is_ours = name in _NEEDED_MODULES or name in sys.stdlib_module_names or name.startswith(_GRAMMARS)
        if path is not None or not (is_ours or _restricted.roots):
            return None
        from _frozen_importlib_external import PathFinder  # loaded already: to import it, this finder would be asked

        if self._path[0] != sys.path or "" in sys.path:  # an empty entry is the current folder, which may change
            self._path = list(sys.path), usable_path(self.roots)
        usable = self._path[1] if is_ours else usable_path(_restricted.roots)
        spec = PathFinder.find_spec(name, usable, target)
        if spec is None or (is_ours and spec.origin is None):
            message = f"No module named {name!r} outside of the workspace"
            raise ModuleNotFoundError(message, name=name)
        return spec


def _finder() -> OutsideFinder | None:
    return next((finder for finder in sys.meta_path if isinstance(finder, OutsideFinder)), None)


def _roots_kept_out() -> Sequence[str]:
    """The roots that are excluded in this process."""
    finder = _finder()
    return () if finder is None else finder.roots


def _is_writable_entry(entry: str, inside: RootSet, own: Sequence[str]) -> bool:
    """Whether a folder is below a root and tools can write to it."""
    if not inside.contains(entry or "."):
        return False
    real = _real(entry or ".")
    return not any(real == place or real.startswith(f"{place}/") for place in own)


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except OSError:  # the current folder is gone
        return path


def _identity(path: str) -> tuple[int, int] | None:
    try:
        stat = os.stat(path)
    except (OSError, ValueError):
        return None
    return stat.st_dev, stat.st_ino


def _names_reversed(path: str) -> list[str]:
    return [name for name in path.split("/") if name not in {"", "."}][::-1]
