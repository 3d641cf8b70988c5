"""Files of installed packages: they are in use, so a check that finds an error in one is wrong."""

import os
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from suture.check.data import Json, JsonWithComments, Toml, Xml, Yaml
from suture.check.issue import Issue, NotRunError
from suture.check.markers import ConflictMarkers
from suture.check.python import PythonSyntax
from suture.check.registry import built_in
from suture.files.local_fs import Layout

if TYPE_CHECKING:
    from suture.check.issue import Validator

NOWHERE = Layout("/nowhere", {}).stage("file").within(60)
MOST, LONGEST, MOST_SEEN = 60, 20_000, 40_000
FOLDERS = tuple(dict.fromkeys(Path(sysconfig.get_path(name)) for name in ("purelib", "platlib", "stdlib", "include")))
BROKEN = {"test", "tests", "test_data", "testdata", "fixtures", "data", "lib2to3", "__pycache__", "idlelib", "arch"}
"""Folders whose files may be wrong on purpose, or are pieces that others include in the middle of a function."""
CHECKS: list[tuple["Validator", tuple[str, ...]]] = [
    (PythonSyntax(), (".py", ".pyi")),
    (Json(), (".json",)),
    (JsonWithComments(), (".json", ".jsonc")),
    (Yaml(), (".yaml", ".yml")),
    (Toml(), (".toml",)),
    (Xml(), (".xml", ".svg", ".xsd", ".xsl")),
    (ConflictMarkers(), (".py", ".md", ".rst", ".txt", ".h", ".c", ".js", ".css", ".html")),
]
CHECKS += [
    (built_in(name), endings)
    for name, endings in (
        ("javascript", (".js",)),
        ("css", (".css",)),
        ("html", (".html",)),
        ("bash", (".sh",)),
        ("c", (".c",)),
        ("header", (".h",)),
        ("cpp", (".cpp", ".hpp")),
    )
]
"""Checks, and the endings of the files that each must pass."""


def walk_files() -> Iterator[Path]:
    for root in FOLDERS:
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(set(folders) - BROKEN)
            yield from (Path(folder, name) for name in sorted(names))


@cache
def files() -> dict[str, list[Path]]:
    """The first files found, by ending."""
    by_suffix: dict[str, list[Path]] = {}
    for number, path in enumerate(walk_files()):
        if number == MOST_SEEN:
            break
        by_suffix.setdefault(path.suffix, []).append(path)
    return by_suffix


def chosen(endings: tuple[str, ...]) -> list[Path]:
    """A sample of files with these endings."""
    fitting = [path for ending in endings for path in files().get(ending, []) if path.stat().st_size <= LONGEST]
    return fitting[:: max(1, len(fitting) // MOST)][:MOST]


def errors(check: "Validator", path: Path) -> list[Issue]:
    try:
        text = path.read_bytes().decode()
        issues = check.check(path.as_posix(), None, text.removeprefix("\ufeff"), NOWHERE)
    except (UnicodeDecodeError, NotRunError):
        return []
    return [issue for issue in issues if issue.severity == "error"]


@pytest.mark.parametrize(("check", "endings"), CHECKS, ids=[check.name for check, _ in CHECKS])
def test_real_files_pass(check: "Validator", endings: tuple[str, ...]) -> None:
    assert {path: problems for path in chosen(endings) if (problems := errors(check, path))} == {}


def test_there_are_files_to_look_at() -> None:
    assert len(chosen((".py",))) == MOST
    assert all(chosen((ending,)) for ending in (".js", ".css", ".html", ".h"))
