"""What `suture doctor` looks at besides files: the program, what it needs and can use, and the machine."""

from __future__ import annotations

import os
import sys

import suture
from suture.cli.doctor.finding import note, ok, problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from suture.cli.doctor.finding import Finding

PACKAGES = {
    "ahocorasick-rs": "ahocorasick_rs",
    "google-re2": "re2",
    "orjson": "orjson",
    "pyyaml": "yaml",
    "rapidfuzz": "rapidfuzz",
    "regex": "regex",
    "tomli": "tomli",
    "zstandard": "zstandard",
}
"""What must be installed with suture, and the module of each."""
_OLDEST = (3, 11)
_FEW = 5
_SYSTEMS = {"linux": "Linux", "darwin": "macOS"}


def program(root: str) -> Iterator[Finding]:
    """The suture that runs, and the one that a shell finds."""
    del root
    yield ok("suture", f"{suture.__version__}, in {os.path.dirname(suture.__file__)}")
    found = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info >= _OLDEST:
        yield ok("python", f"{found}, {sys.executable}")
    else:
        wanted = ".".join(map(str, _OLDEST))
        yield problem("python", f"{found}, {sys.executable}", f"Install suture with Python {wanted} or newer.")
    yield _on_path()


def packages(root: str) -> Iterator[Finding]:
    """What suture cannot do without."""
    del root
    from importlib import import_module

    there: list[str] = []
    for distribution, module in PACKAGES.items():
        try:
            import_module(module)
            there.append(f"{distribution} {_version(distribution)}")
        except Exception as error:  # noqa: BLE001  a package that is broken fails in any way
            why = f"{distribution} cannot be imported: {type(error).__name__}: {error}"
            yield problem("packages", why, f"Install it again: pip install --force-reinstall {distribution}")
    if there:
        yield ok("packages", ", ".join(there))


def extras(root: str) -> Iterator[Finding]:
    """What suture can use."""
    from importlib.util import find_spec

    from suture.validate.programs import program as found_program
    from suture.validate.programs import program_inside

    for extra, purpose in (("mcp", "suture mcp"), ("models", "SafeEditInput")):
        distribution = {"models": "pydantic"}.get(extra, extra)
        if find_spec(distribution) is None:
            yield note(extra, f"{distribution} is not installed; {purpose} needs it", _install(extra))
        else:
            yield ok(extra, f"{distribution} {_version(distribution)}")
    ruff, held = found_program("ruff", [root]), program_inside("ruff", [root])
    if ruff is None and held is not None:
        advice = "Install ruff outside of the workspace: pipx install ruff"
        yield note("lint", f"{held} is in the workspace, where an agent can change it, and is not run", advice)
    elif ruff is None:
        yield note("lint", "ruff is not installed; of Python files only the syntax is checked", _install("lint"))
    else:
        yield ok("lint", ruff)
    yield _grammars()


def platform(root: str) -> Iterator[Finding]:
    """The machine."""
    del root
    system = os.uname()
    name = _SYSTEMS.get(sys.platform)
    found = f"{name or system.sysname} {system.release}, {system.machine}"
    if name is None:
        yield note("system", found, f"suture is tested on {' and '.join(_SYSTEMS.values())} only.")
    else:
        yield ok("system", found)
    encoding = sys.getfilesystemencoding()
    if encoding != "utf-8":
        yield note("names of files", f"the locale makes Python read them as {encoding}", "Set LANG to C.UTF-8.")


def _on_path() -> Finding:
    """Whether `suture` in a shell is the one that runs now."""
    from shutil import which

    found, running = which("suture"), sys.argv[0]
    if found is None:
        advice = "Agents do not need it there: suture init names the program by its full path."
        return note("on PATH", "there is no suture on PATH", advice)
    if os.path.basename(running) == "suture" and os.path.realpath(running) == os.path.realpath(found):
        return ok("on PATH", found)
    folders = {os.path.dirname(os.path.realpath(found)), os.path.dirname(found)}
    if os.path.dirname(sys.executable) in folders or _interpreter(found) == sys.executable:
        return ok("on PATH", found)
    said = f"{found} is another one than this, which runs by {sys.executable}"
    return note("on PATH", said, "Remove one of them, or see which is which by: suture --version")


def _interpreter(script: str) -> str:
    """What a script says that it runs by."""
    with open(script, "rb") as file:
        first = file.readline(1000)
    return os.fsdecode(first.removeprefix(b"#!").strip()) if first.startswith(b"#!") else ""


def _grammars() -> Finding:
    from importlib import import_module

    from suture.validate.languages import LANGUAGES

    grammars = {grammar.module: grammar.distribution for each in LANGUAGES for grammar in each.grammars}
    missing = []
    for module in ("tree_sitter", *grammars):
        try:
            import_module(module)
        except Exception:  # noqa: BLE001  as above
            missing.append(grammars.get(module, "tree-sitter"))
    if not missing:
        return ok("syntax", f"all {len(grammars)} grammars, for {len(LANGUAGES)} languages")
    found = f"{len([each for each in missing if each != 'tree-sitter'])} of {len(grammars)} grammars are missing"
    which = f": {', '.join(missing)}" if len(missing) <= _FEW else ""
    return note("syntax", f"{found}{which}; such files are not checked", _install("syntax"))


def _version(distribution: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return "of an unknown version"


def _install(extra: str) -> str:
    return f"pip install 'suture[{extra}]'"
