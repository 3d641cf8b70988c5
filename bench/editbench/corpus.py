"""Real files to edit, the same for everyone: pinned packages, or what constraints.txt pins into the environment.

Packages are downloaded with pip and npm as configured, verified by SHA-256, and kept in a cache folder outside the
repository. There are two versions of each, so that real changes are known.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

LANGUAGES = {
    ".c": "c",
    ".cpp": "cpp",
    ".css": "css",
    ".h": "cpp",
    ".html": "html",
    ".java": "java",
    ".js": "javascript",
    ".json": "json",
    ".md": "markdown",
    ".mm": "cpp",
    ".py": "python",
    ".pyi": "python",
    ".rst": "rest",
    ".scss": "css",
    ".ts": "typescript",
    ".tsx": "typescript",
    ".xsd": "html",
    ".yaml": "yaml",
    ".yml": "yaml",
}
LINES = range(30, 2001)
WIDEST = 300
PER_PACKAGE = 60

INSTALLED = (
    "click", "coverage", "hypothesis", "importlinter", "markdown_it", "mypy", "mypyc", "packaging", "pathspec",
    "pluggy", "_pytest", "pygments", "rich", "tomlkit", "xdist",
)  # fmt: skip


@dataclass(frozen=True)
class Pin:
    """A published archive."""

    tool: str
    """`pip` for a wheel, `sdist` for a source archive from the same index, or `npm`."""
    name: str
    version: str
    sha256: str


@dataclass(frozen=True)
class Source:
    """A text that ends in a newline, and its later version, if known."""

    name: str
    text: str
    later: str | None = None

    @property
    def language(self) -> str:
        """The name of its language or format."""
        return LANGUAGES[PurePosixPath(self.name).suffix]

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their endings."""
        return self.text.split("\n")[:-1]


PAIRS = (
    (
        Pin("pip", "ansible-core", "2.17.5", "10f165b475cf2bc8d886e532cadb32c52ee6a533649793101d3166bca9bd3ea3"),
        Pin("pip", "ansible-core", "2.18.1", "4a312e416e09c7271188d6b8e2b1062fc6834fefd6a1814d0e02fb8aadb3e1ba"),
    ),
    (
        Pin("pip", "django", "5.0.9", "f219576ba53be4e83f485130a7283f0efde06a9f2e3a7c3c5180327549f078fa"),
        Pin("pip", "django", "5.1.4", "236e023f021f5ce7dee5779de7b286565fdea5f4ab86bae5338e3f7b69896cf0"),
    ),
    (
        Pin("pip", "flask", "3.0.3", "34e815dfaa43340d1d15a5c3a02b8476004037eb4840b34910c6e21679d288f3"),
        Pin("pip", "flask", "3.1.0", "d667207822eb83f1c4b50949b1623c8fc8d51f2341d65f72e1a1815397551136"),
    ),
    (
        Pin("pip", "requests", "2.31.0", "58cd2187c01e70e6e26505bca751777aa9f2ee0b7f4300988b709f44e013003f"),
        Pin("pip", "requests", "2.32.3", "70761cfe03c773ceb22aa2f671b4757976145175cdfca038c02654d061d6dcc6"),
    ),
    (
        Pin("pip", "rich", "13.7.1", "4edbae314f59eb482f54e9e30bf00d33350aaa94f4bfcd4e9e3110e64d0d7222"),
        Pin("pip", "rich", "13.9.4", "6049d5e6ec054bf2779ab3358186963bac2ea89175919d699e378b99738c2a90"),
    ),
    (
        Pin("npm", "@wordpress/data", "10.0.0", "212247aba1e5037dc0f9ba1c50f62e7ff8ed6736f6d5b8f36c5351fc57720d5a"),
        Pin("npm", "@wordpress/data", "10.10.0", "f608a3f48493a5d1a36982e9bba7e5554e9e86624efbad858657fb8767852d99"),
    ),
    (
        Pin("npm", "bootstrap", "5.3.0", "9f63ace4e98f71c50aab3948772e3bf5e176f6b39708e914b09ed32f845a8db2"),
        Pin("npm", "bootstrap", "5.3.3", "38cee936dbd80138de6775683149f22e9226fc2d654392337a921f53000c789e"),
    ),
    (
        Pin("npm", "eslint", "8.57.0", "97ec696de2427643aaa7cfa0478ea4fc8ef964c3b2fc9b1f4b57b5180629cf12"),
        Pin("npm", "eslint", "9.10.0", "734343703675ae5cfbe44d98173eb601e187551e64618d8153aad8ec36db9714"),
    ),
    (
        Pin("npm", "express", "4.18.2", "8a4a69997fb326bd5966256709dbce2acff6cd53e048fc017c28b8c85f91c37e"),
        Pin("npm", "express", "4.21.1", "4097da0999b7078263460df02b0990244794d84e79e185e6d4ff50ce06d79462"),
    ),
    (
        Pin("npm", "fastify", "4.28.1", "df149dcab400c90ed4b703d77381d7c6a47dc394c76f2491ff3a8647d332854b"),
        Pin("npm", "fastify", "5.1.0", "9535de5c4ec7ff257bbabb6a6a5f1dadc2fab9e9b46e018dff4a9a20656683ab"),
    ),
    (
        Pin("npm", "jquery", "3.6.4", "5da5b59c2862bc7b860249d509397d452cf0d4a098d9a01b09d8e78e145efd86"),
        Pin("npm", "jquery", "3.7.1", "68a9f787516da47c680e09c187bcbac4536b6f85d90eb882844e12919e583f53"),
    ),
    (
        Pin("npm", "nan", "2.18.0", "f33c1a196850b2281bcbb2f1dafd2961d9b5ba01a3c23bcb7245fb0fadaaa021"),
        Pin("npm", "nan", "2.22.0", "51c97babb80a0902728fda03d1bec90514b34b92fbee0786db1d21b4077a9d00"),
    ),
    (
        Pin("npm", "node-addon-api", "7.0.0", "0535f2f93f0d3f0d94b6724884bae940f1b45b08ee4dd5b0b5b85525c1f7748d"),
        Pin("npm", "node-addon-api", "8.2.1", "9478204da46f1ca4a0d9434aa21b9241a1432bbdc49bd9aa6c8e1523b0c44fca"),
    ),
    (
        Pin("npm", "react-native-svg", "15.2.0", "aeae7575fdb69a82786ab7b2761d487bf376200fc50bee91192be476111e40d6"),
        Pin("npm", "react-native-svg", "15.8.0", "05638528a448ba70f68e1378d1d0d0a59592c3f6bb62aafbb9e0c2124bcb7164"),
    ),
)


@cache
def installed_sources() -> tuple[Source, ...]:
    """Files of packages in this environment: no network, no second version."""
    root = next(folder for folder in map(Path, sys.path) if (folder / INSTALLED[0]).is_dir())
    sources = []
    for package in INSTALLED:
        paths = sorted(path for path in (root / package).rglob("*") if path.suffix in LANGUAGES)
        texts = {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}
        sources += [Source(name, text) for name, text in _sample(texts)]
    return tuple(sources)


@cache
def package_sources(folder: Path, limit: int = PER_PACKAGE) -> tuple[Source, ...]:
    """Files of the pinned packages, fetched into `folder` if missing; of each, about `limit` that changed."""
    folder.mkdir(parents=True, exist_ok=True)
    sources = []
    for first, second in PAIRS:
        before, after = (_members(download(pin, folder)) for pin in (first, second))
        changed = {name: text for name, text in before.items() if after.get(name, text) != text}
        unchanged = {name: text for name, text in before.items() if name not in changed}
        for texts, most in ((changed, limit), (unchanged, limit // 4)):
            for name, text in _sample(texts, most):
                later = _text(after[name]) if texts is changed else None
                sources.append(Source(f"{first.name}-{first.version}/{name}", text, later))
    return tuple(sources)


def cache_folder() -> Path:
    """Where packages and peers are kept."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "suture-editbench"


def _sample(texts: dict[str, bytes], limit: int = PER_PACKAGE) -> list[tuple[str, str]]:
    """Some human-written files, spread evenly over each language."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for name in sorted(texts):
        text = _text(texts[name])
        if text is not None:
            groups.setdefault(LANGUAGES[PurePosixPath(name).suffix], []).append((name, text))
    share = max(1, limit // max(1, len(groups)))
    return [item for group in groups.values() for item in group[:: max(1, -(-len(group) // share))]]


def _text(raw: bytes) -> str | None:
    """The text, if it is suitable: a certain length, short lines, plain line endings."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return None
    lines = text.split("\n")
    unsuitable = "\r" in text or "\0" in text or text.startswith("\ufeff") or not text.endswith("\n")
    return None if unsuitable or len(lines) - 1 not in LINES or max(map(len, lines)) > WIDEST else text


def download(pin: Pin, folder: Path) -> Path:
    """The published file, downloaded into `folder` if missing, and verified."""
    target = folder / f"{pin.tool}-{pin.name.replace('/', '-').lstrip('@')}-{pin.version}"
    if not target.is_dir():
        with tempfile.TemporaryDirectory(prefix=f"{target.name}.", dir=folder) as temporary:
            copy = Path(temporary, target.name)
            copy.mkdir()
            subprocess.run(_command(pin), cwd=copy, check=True, stdout=subprocess.DEVNULL, timeout=300)
            try:
                copy.rename(target)
            except OSError:
                if not target.is_dir():  # otherwise another process has been faster, and its copy is used
                    raise
    (path,) = target.iterdir()
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != pin.sha256:
        raise SystemExit(f"{pin.name} {pin.version}: SHA-256 is {digest}, not {pin.sha256}")
    return path


def _command(pin: Pin) -> list[str]:
    if pin.tool == "npm":
        return ["npm", "pack", "--silent", f"{pin.name}@{pin.version}"]
    wheel = ["--only-binary", ":all:", "--python-version", "3.11"]
    kind = wheel if pin.tool == "pip" else ["--no-binary", pin.name]
    return [sys.executable, "-m", "pip", "download", "-q", "--no-deps", *kind, f"{pin.name}=={pin.version}"]


def _members(path: Path) -> dict[str, bytes]:
    return {name: text for name, text in _archive_members(path) if PurePosixPath(name).suffix in LANGUAGES}


def _archive_members(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as archive:
            yield from ((name, archive.read(name)) for name in archive.namelist() if ".dist-info/" not in name)
        return
    with tarfile.open(path) as archive:
        for member in archive:
            stream = archive.extractfile(member)
            if stream is not None:
                yield member.name, stream.read()
