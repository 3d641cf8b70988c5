"""The source of Flask, from its archive on PyPI, as a folder and as a value."""

from __future__ import annotations

import tarfile
from typing import TYPE_CHECKING

from bench.editbench.corpus import Pin, cache_folder, download

if TYPE_CHECKING:
    from pathlib import Path

    Tree = dict[str, bytes]
    """The content of each file, by its path relative to the root."""

FLASK = Pin("sdist", "flask", "3.1.3", "0ef0e52b8a9cd932855379197dd8f94047b359ca0a78695144304cb45f87c9eb")
ROOT = "/workspace/flask"
"""What scripts and counted texts call the folder, because the length of its real path means nothing."""


def read_archive() -> Tree:
    """All files of the archive, which is downloaded if missing."""
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    tree = {}
    with tarfile.open(download(FLASK, cache)) as archive:
        for member in archive:
            stream = archive.extractfile(member)
            if stream is not None:
                tree[member.name.partition("/")[2]] = stream.read()
    return tree


def write_tree(tree: Tree, root: Path) -> None:
    """Create these files below a folder."""
    for name, content in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def read_tree(root: Path) -> Tree:
    """All files below a folder."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
