"""Trees of real files: pinned packages, plus a few files that searches must ignore."""

from __future__ import annotations

import os
import zipfile
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from bench.editbench.corpus import Pin, download
from bench.search import queries

if TYPE_CHECKING:
    from collections.abc import Iterator

HOMEASSISTANT = Pin(
    "pip", "homeassistant", "2024.3.3", "6e1ec2c07441d63fdcfb8acd2c4bbb6f68bc97330855784d3623d10c38fe3577"
)
TRANSFORMERS = Pin("pip", "transformers", "5.22.2", "829c2820aff91730b8ec45a4b8ff4be07f586a140b68a9073998b36fa35297dc")
DJANGO = Pin("pip", "django", "5.2.19", "5965d974a5218a2b68a11dd1276434707f23886525c23f0598eccedaf4f4ca00")

IGNORED_FOLDERS = ("__pycache__", "build")
IGNORED_ENDINGS = (".pyc", ".mo", ".local.yaml")
GITIGNORE = "__pycache__/\n*.py[cod]\n/build/\n"
NESTED_GITIGNORE = "*.mo\n*.local.yaml\n"


@dataclass(frozen=True)
class Tree:
    """A folder, and how many files, of how many bytes, are visible in it."""

    title: str
    root: Path
    files: int
    size: int
    binary: tuple[str, ...]
    """Extensions of files with a NUL, which everyone leaves out."""
    left_out: int
    """The number of those files."""

    @property
    def unseen(self) -> tuple[str, ...]:
        """Extensions of all files that are left out, including those listed in a `.gitignore`."""
        return IGNORED_ENDINGS + self.binary

    @property
    def excluded(self) -> list[str]:
        """The extensions of binary files as patterns."""
        return [f"*{ending}" for ending in self.binary]


def create_tree(pin: Pin, folder: Path) -> Tree:
    """The package's files below `folder`, with `.gitignore` files, and with ignored and hidden ones."""
    root = unpack(pin, folder)
    package = root / pin.name
    samples = sorted({query.sample for query in chain(queries.LARGE, queries.SMALL, queries.FOLDERS)})
    decoy = "".join(f"{sample}\n" for sample in samples).encode()
    for path in (
        root / "build" / "decoy.py",
        root / ".hidden" / "decoy.py",
        package / ".decoy.py",
        package / "decoy.pyc",
        package / "__pycache__" / "decoy.py",
        package / "decoy.local.yaml",
    ):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(decoy)
    (root / ".gitignore").write_text(GITIGNORE)
    (package / ".gitignore").write_text(NESTED_GITIGNORE)
    return survey(f"{pin.name} {pin.version}", root)


def unpack(pin: Pin, folder: Path) -> Path:
    """A folder with the package's files."""
    root = folder / f"{pin.name}-{pin.version}"
    packages = folder / "packages"
    packages.mkdir(exist_ok=True)
    with zipfile.ZipFile(download(pin, packages)) as archive:
        archive.extractall(root)
    os.sync()
    return root


def survey(title: str, root: Path) -> Tree:
    """The visible files below a folder; reading them all also fills the system's cache."""
    sizes, binary = dict[str, int](), set[str]()
    for name in visible_files(root, IGNORED_ENDINGS):
        content = Path(root, name).read_bytes()
        sizes[name] = len(content)
        if b"\0" in content:
            binary.add(Path(name).suffix or name)
    endings = tuple(sorted(binary))
    text_sizes = [size for name, size in sizes.items() if not name.endswith(endings)]
    return Tree(title, root, len(text_sizes), sum(text_sizes), endings, len(sizes) - len(text_sizes))


def visible_files(root: Path, endings: tuple[str, ...]) -> Iterator[str]:
    """Paths of files below `root`, without hidden and ignored ones, and without those of some endings."""
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in IGNORED_FOLDERS]
        below = folder[len(str(root)) + 1 :]
        for name in names:
            if not name.startswith(".") and not name.endswith(endings):
                yield os.path.join(below, name)  # noqa: PTH118  pathlib would take longer than the reading
