"""Names that no tool may touch, because something on this machine runs or obeys them.

A pattern is a name, or names joined by `/`, with `*`, `?` and `[…]`; `name/**` stands for a folder and all below it.
It fits at any depth. Names are compared as the most forgiving file system would: without case, without characters
that are not seen, without trailing dots and spaces.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

OWN_PREFIX = ".suture-"
"""Every temporary, backup and intent file begins so; walks and globs skip them."""

PROTECTED = (
    ".git/**",
    ".hg/**",
    ".mcp.json",
    ".cursor/mcp.json",
    ".vscode/settings.json",
    ".vscode/tasks.json",
    ".vscode/mcp.json",
    ".claude/settings*.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".zed/settings.json",
    ".zed/tasks.json",
    ".envrc",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".mkshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
    ".logout",
    ".inputrc",
    "config.fish",
    "fish/conf.d/**",
)
OWN = (OWN_PREFIX + "*/**",)
_REMEMBERED = 1_000
_IGNORABLE = {*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0x00AD, 0xFEFF}


class Guard:
    """Which paths are protected: the list above and `protect`, but for those that `allow` names; our own always."""

    def __init__(self, protect: Iterable[str] = (), allow: Iterable[str] = ()) -> None:
        self._own = Patterns(OWN)
        self._protected = Patterns((*PROTECTED, *protect))
        self._allowed = Patterns(allow)
        self._free: set[str] = set()
        """Paths that turned out not to be protected: an agent comes back to a few files."""

    def last_names(self) -> list[str]:
        """What the last name of a protected path, or of a folder around it, is like: names and wildcards, folded."""
        return [names[-1] for patterns in (self._own, self._protected) for names in patterns.names()]

    def rule(self, path: str) -> str | None:
        """The pattern that protects a path, or None."""
        if path in self._free:
            return None
        names = folded_names(path)
        found = self._own.match(names) or (None if self._allowed.match(names) else self._protected.match(names))
        if found is None:
            if len(self._free) >= _REMEMBERED:
                self._free.clear()
            self._free.add(path)
        return found


class Patterns:
    """A list of patterns, found by the name they begin with."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._by_name: dict[str, list[tuple[str, list[str], bool]]] = {}
        self._by_wildcard: list[tuple[str, list[str], bool]] = []
        self._plain_parts: tuple[str, ...] = ()
        """What stands before the wildcard in those."""
        for pattern in patterns:
            names = pattern.casefold().removesuffix("/**").split("/")
            rule = pattern, names, pattern.endswith("/**")
            plain = plain_part(names[0])
            if plain == names[0]:
                self._by_name.setdefault(plain, []).append(rule)
            else:
                self._by_wildcard.append(rule)
                self._plain_parts += (plain,)

    def names(self) -> list[list[str]]:
        """The patterns, taken apart."""
        rules = [*self._by_wildcard, *(rule for rules in self._by_name.values() for rule in rules)]
        return [names for _, names, _ in rules]

    def match(self, names: Sequence[str]) -> str | None:
        """The first pattern that fits a path, given by its `folded_names`."""
        for start, name in enumerate(names):
            if name not in self._by_name and not name.startswith(self._plain_parts):
                continue
            for pattern, wanted, whole in self._by_name.get(name, []) + self._by_wildcard:
                rest = len(names) - start - len(wanted)
                if (rest == 0 or (whole and rest > 0)) and all(map(_like, names[start:], wanted)):
                    return pattern
        return None


def folded_names(path: str) -> list[str]:
    """The names in a path, as patterns are compared with them."""
    return [_folded(name) for name in path.split("/") if name not in {"", "."}]


def _like(name: str, pattern: str) -> bool:
    """Whether a name fits a pattern; only a pattern with wildcards that could fit costs the import."""
    plain = plain_part(pattern)
    if plain == pattern or not name.startswith(plain):
        return name == pattern
    from fnmatch import fnmatchcase

    return fnmatchcase(name, pattern)


def plain_part(pattern: str) -> str:
    """What stands before the first wildcard."""
    return pattern[: min(pattern.find(char) % (len(pattern) + 1) for char in "*?[")]


def _folded(name: str) -> str:
    if not name.isascii():
        from unicodedata import normalize

        name = normalize("NFKC", "".join(char for char in name if ord(char) not in _IGNORABLE))
    return name.casefold().rstrip(". ")
