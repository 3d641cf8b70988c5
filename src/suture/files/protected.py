"""Names that no tool may touch, because a program on this machine runs or obeys such files.

A pattern is a name, or names joined by `/`, with `*`, `?` and `[…]`; `name/**` is a folder and everything below it. A
pattern matches at any depth. Names are compared as the most lenient file system would: ignoring case, invisible
characters, Unicode compatibility variants, and trailing dots and spaces.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

OWN_FOLDER = ".suture"
"""The folder in a root that contains the intent and the temporary files of a transaction."""
OWN_PREFIX = ".suture-"
"""The prefix of temporary files outside of that folder, and of other files of suture's own."""

_VERSION_CONTROL = (
    ".git/**",
    "git~1/**",
    ".hg/**",
    ".svn/**",
    ".bzr/**",
    ".jj/**",
    ".gitconfig",
    ".config/git/**",
    ".hgrc",
    ".husky/**",
)
"""Hooks, filters, aliases and drivers: run by the next command of a version control system."""
_AGENTS = (
    ".config/suture/**",
    ".mcp.json",
    ".claude.json",
    ".claude/settings*.json",
    ".claude/hooks/**",
    ".claude/plugins/**",
    "claude_desktop_config.json",
    ".cursor/mcp.json",
    ".cursor/hooks.json",
    ".cursor/hooks/**",
    ".cursor/cli.json",
    ".cursor/permissions.json",
    ".cursor/sandbox.json",
    ".cursor/environment.json",
    ".cursor/worktrees.json",
    ".codex/config.toml",
    ".codex/hooks.json",
    ".codex/hooks/**",
    ".codex/rules/**",
    ".gemini/settings.json",
    ".gemini/extensions/**",
    ".windsurf/hooks.json",
    ".codeium/**",
    ".continue/config.*",
    ".continue/mcpServers/**",
    ".continuerc.json",
    ".kiro/settings/**",
    ".kiro/hooks/**",
    ".amazonq/mcp.json",
    ".amazonq/cli-agents/**",
    ".roo/mcp.json",
    ".aider.conf.yml",
    "opencode.json",
    "opencode.jsonc",
    ".opencode/plugin/**",
    ".opencode/plugins/**",
    ".amp/settings.json",
    ".github/hooks/**",
    ".*/mcp.json",
    ".*/mcp_config.json",
    ".*/hooks.json",
)
"""Servers and hooks that an agent starts, and what it may do without asking: with them it could grant itself more."""
_BACKUPS = (
    ".mcp.json.bak*",
    ".claude.json.bak*",
    "claude_desktop_config.json.bak*",
    ".*/mcp.json.bak*",
    "Code/User/mcp.json.bak*",
    ".codex/config.toml.bak*",
    ".gemini/settings.json.bak*",
    ".claude/settings*.json.bak*",
    ".codex/hooks.json.bak*",
    ".zed/settings.json.bak*",
    "zed/settings.json.bak*",
)
"""Copies that `suture init` makes before it changes a file: a user who reverts that copies them back."""
_EDITORS = (
    ".vscode/settings.json",
    ".vscode/tasks.json",
    ".vscode/launch.json",
    ".vscode/mcp.json",
    "*.code-workspace",
    "Code/User/mcp.json",
    "Code/User/settings.json",
    "Code/User/tasks.json",
    ".devcontainer/**",
    ".devcontainer.json",
    ".zed/settings.json",
    ".zed/tasks.json",
    ".zed/debug.json",
    ".config/zed/**",
    "zed/settings.json",
    "zed/tasks.json",
    ".vs/tasks.vs.json",
    ".vs/launch.vs.json",
    ".fleet/run.json",
    ".idea/workspace.xml",
    ".idea/startup.xml",
    ".idea/watcherTasks.xml",
    ".idea/runConfigurations/**",
    ".idea/tools/**",
    ".exrc",
    ".vimrc",
    ".gvimrc",
    ".lvimrc",
    ".nvimrc",
    ".nvim.lua",
    ".vim/**",
    ".config/nvim/**",
    ".emacs",
    ".emacs.d/**",
    ".config/emacs/**",
    ".dir-locals.el",
    ".dir-locals-2.el",
)
"""Tasks, interpreters, containers and start-up scripts: run when somebody opens the folder or a file in it."""
_SHELLS = (
    ".envrc",
    ".direnvrc",
    ".config/direnv/**",
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
    ".xonshrc",
    ".login",
    ".logout",
    ".inputrc",
    "config.fish",
    "fish/conf.d/**",
    ".config/fish/**",
    ".config/nushell/**",
    ".tmux.conf",
    ".screenrc",
)
"""Run by the next shell."""
_SESSIONS = (
    ".xinitrc",
    ".xprofile",
    ".xsession",
    ".xsessionrc",
    ".pam_environment",
    ".config/autostart/**",
    ".config/environment.d/**",
    ".config/systemd/**",
    ".local/share/applications/**",
    "Library/LaunchAgents/**",
)
"""Run when the user logs in."""
_CONSOLES = (
    ".gdbinit",
    ".gdbearlyinit",
    ".lldbinit",
    ".pdbrc",
    ".pythonrc",
    ".pythonrc.py",
    ".ipython/**",
    ".irbrc",
    ".pryrc",
    ".Rprofile",
    ".julia/config/startup.jl",
    ".psqlrc",
    ".sqliterc",
    "sitecustomize.py",
    "sitecustomize/**",
    "usercustomize.py",
    "usercustomize/**",
)
"""Run when somebody starts a debugger or an interpreter here."""
_KEYS = (
    ".ssh/**",
    ".gnupg/**",
    ".netrc",
    ".git-credentials",
    ".pypirc",
    ".aws/config",
    ".aws/credentials",
    ".kube/config",
    ".docker/config.json",
)
"""Who may log in here, this user's credentials elsewhere, and programs that are run to get a password."""

PROTECTED = (*_VERSION_CONTROL, *_AGENTS, *_BACKUPS, *_EDITORS, *_SHELLS, *_SESSIONS, *_CONSOLES, *_KEYS)
"""Left out are files that agents are asked to edit, although they run on request: `Makefile`, `package.json`, `.npmrc`,
`.github/workflows`, `.pre-commit-config.yaml`, `.gitattributes`, `.gitmodules`, `AGENTS.md`."""
OWN = (OWN_FOLDER + "/**", OWN_PREFIX + "*/**")
_MAX_REMEMBERED_PATHS = 1_000  # unprotected paths that are cached: bounds the memory
_IGNORABLE = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
"""Default_Ignorable_Code_Point of Unicode's DerivedCoreProperties.txt, which the standard library does not have."""
_EDGES = [edge for first, last in _IGNORABLE for edge in (first, last + 1)]
"""Where the ranges begin and end: a character after an odd number of edges is in one of them."""


def is_own(name: str) -> bool:
    """Whether a name in a folder is suture's own; walks and globs skip it."""
    return name == OWN_FOLDER or name.startswith(OWN_PREFIX)


class Guard:
    """Which paths are protected: the list above and `protect`, except those in `allow`; suture's own always."""

    def __init__(self, protect: Iterable[str] = (), allow: Iterable[str] = ()) -> None:
        self._own = Patterns(OWN)
        self._protected = Patterns((*PROTECTED, *protect))
        self._allowed = Patterns(allow)
        self._free: set[str] = set()
        """Paths known to be unprotected: an agent often returns to the same few files."""

    def allows(self, path: str) -> bool:
        """Whether the operator allows a path explicitly."""
        return self._allowed.match(folded_names(path)) is not None

    def key_names(self) -> list[str]:
        """One name or wildcard of each pattern, folded, that every matching path contains, and few others do."""
        every = [names for patterns in (self._own, self._protected) for names in patterns.names()]
        return [
            names[0] if names[0].startswith(".") and plain_part(names[0]) == names[0] else names[-1] for names in every
        ]

    def rule(self, path: str) -> str | None:
        """The pattern that protects a path, or None."""
        if path in self._free:
            return None
        names = folded_names(path)
        rule = self._own.match(names) or (None if self._allowed.match(names) else self._protected.match(names))
        if rule is None:
            if len(self._free) >= _MAX_REMEMBERED_PATHS:
                self._free.clear()
            self._free.add(path)
        return rule


class Patterns:
    """A list of patterns, indexed by their first name."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._by_name: dict[str, list[tuple[str, list[str], bool]]] = {}
        self._by_wildcard: list[tuple[str, list[str], bool]] = []
        self._beginnings: tuple[str, ...] = ()
        self._endings: tuple[str, ...] = ()
        """The plain parts of the patterns that start with a wildcard name."""
        for pattern in patterns:
            names = [fold(name) for name in pattern.removesuffix("/**").split("/")]
            rule = pattern, names, pattern.endswith("/**")
            if plain_part(names[0]) == names[0]:
                self._by_name.setdefault(names[0], []).append(rule)
            else:
                self._by_wildcard.append(rule)
                if ending := plain_ending(names[0]):
                    self._endings += (ending,)
                else:
                    self._beginnings += (plain_part(names[0]),)

    def names(self) -> list[list[str]]:
        """The names of each pattern."""
        rules = [*self._by_wildcard, *(rule for rules in self._by_name.values() for rule in rules)]
        return [names for _, names, _ in rules]

    def match(self, names: Sequence[str]) -> str | None:
        """The first pattern that matches a path, given by its `folded_names`."""
        for start, name in enumerate(names):
            if name not in self._by_name and not (name.startswith(self._beginnings) or name.endswith(self._endings)):
                continue
            for pattern, wanted, whole in self._by_name.get(name, []) + self._by_wildcard:
                rest = len(names) - start - len(wanted)
                if (rest == 0 or (whole and rest > 0)) and all(map(_name_matches, names[start:], wanted)):
                    return pattern
        return None


def folded_names(path: str) -> list[str]:
    """The names in a path, in the form in which they are compared with patterns."""
    return [fold(name) for name in path.split("/") if name not in {"", "."}]


def plain_part(pattern: str) -> str:
    """The part before the first wildcard."""
    if "*" not in pattern and "?" not in pattern and "[" not in pattern:
        return pattern
    return pattern[: min(pattern.find(char) % (len(pattern) + 1) for char in "*?[")]


def plain_ending(pattern: str) -> str:
    """The part after the only wildcard, if that is a leading `*`."""
    ending = pattern[1:] if pattern.startswith("*") else ""
    return ending if plain_part(ending) == ending else ""


def _name_matches(name: str, pattern: str) -> bool:
    """Whether a name matches a pattern. Patterns with at most one `*` need no import."""
    before, star, after = pattern.partition("*")
    if plain_part(before) == before and plain_part(after) == after:
        if not star:
            return name == pattern
        return len(name) >= len(before) + len(after) and name.startswith(before) and name.endswith(after)
    from fnmatch import fnmatchcase

    return fnmatchcase(name, pattern)


def fold(name: str) -> str:
    """A name in the form in which it is compared: without differences of case and Unicode normalization."""
    if name.isascii():
        return name.lower().rstrip(". ")
    from bisect import bisect
    from unicodedata import normalize

    before = ""
    while name != before:  # each step can require another
        before, seen = name, [char for char in name if char.isascii() or bisect(_EDGES, ord(char)) % 2 == 0]
        name = normalize("NFKC", "".join(seen)).casefold()
    return name.rstrip(". ")
