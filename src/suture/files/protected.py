"""Names that no tool may touch, because something on this machine runs or obeys them.

A pattern is a name, or names joined by `/`, with `*`, `?` and `[…]`; `name/**` stands for a folder and all below it.
It fits at any depth. Names are compared as the most forgiving file system would: without case, without characters
that are not seen, in Unicode's compatibility form, without trailing dots and spaces.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

OWN_PREFIX = ".suture-"
"""Every temporary, backup and intent file begins so; walks and globs skip them."""

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
"""Servers and hooks that an agent starts, and what it may do without asking: an agent would free itself by them."""
_BACKUPS = (
    ".mcp.json.bak*",
    ".claude.json.bak*",
    "claude_desktop_config.json.bak*",
    ".*/mcp.json.bak*",
    "Code/User/mcp.json.bak*",
    ".codex/config.toml.bak*",
    ".gemini/settings.json.bak*",
    ".zed/settings.json.bak*",
    "zed/settings.json.bak*",
)
"""What `suture init` keeps beside the files that it changes: a user who takes that back copies it into place."""
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
"""Tasks, interpreters, containers and start-up scripts: run when somebody opens the folder, or a file in it."""
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
"""Who may log in here, as whom this user logs in elsewhere, and programs that are run for a password."""

PROTECTED = (*_VERSION_CONTROL, *_AGENTS, *_BACKUPS, *_EDITORS, *_SHELLS, *_SESSIONS, *_CONSOLES, *_KEYS)
"""Not what people have agents edit, although it is run, too, when somebody asks for it: `Makefile`, `package.json`,
`.npmrc`, `.github/workflows`, `.pre-commit-config.yaml`, `.gitattributes`, `.gitmodules`, `AGENTS.md`."""
OWN = (OWN_PREFIX + "*/**",)
_MOST_REMEMBERED = 1_000  # paths that are known to be free
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
"""Where they begin and end: a character behind an odd number of edges is one of them."""


class Guard:
    """Which paths are protected: the list above and `protect`, except for those that `allow` names; our own always."""

    def __init__(self, protect: Iterable[str] = (), allow: Iterable[str] = ()) -> None:
        self._own = Patterns(OWN)
        self._protected = Patterns((*PROTECTED, *protect))
        self._allowed = Patterns(allow)
        self._free: set[str] = set()
        """Paths that turned out not to be protected: an agent comes back to a few files."""

    def allows(self, path: str) -> bool:
        """Whether the operator opened a path by name."""
        return self._allowed.match(folded_names(path)) is not None

    def key_names(self) -> list[str]:
        """A name or wildcard of each pattern, folded, without which it fits no path: one that few names are like."""
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
            if len(self._free) >= _MOST_REMEMBERED:
                self._free.clear()
            self._free.add(path)
        return rule


class Patterns:
    """A list of patterns, found by the name they begin with."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._by_name: dict[str, list[tuple[str, list[str], bool]]] = {}
        self._by_wildcard: list[tuple[str, list[str], bool]] = []
        self._beginnings: tuple[str, ...] = ()
        self._endings: tuple[str, ...] = ()
        """What is before the wildcard in those, or after it."""
        for pattern in patterns:
            names = [_fold(name) for name in pattern.removesuffix("/**").split("/")]
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
        """The patterns, taken apart."""
        rules = [*self._by_wildcard, *(rule for rules in self._by_name.values() for rule in rules)]
        return [names for _, names, _ in rules]

    def match(self, names: Sequence[str]) -> str | None:
        """The first pattern that fits a path, given by its `folded_names`."""
        for start, name in enumerate(names):
            if name not in self._by_name and not (name.startswith(self._beginnings) or name.endswith(self._endings)):
                continue
            for pattern, wanted, whole in self._by_name.get(name, []) + self._by_wildcard:
                rest = len(names) - start - len(wanted)
                if (rest == 0 or (whole and rest > 0)) and all(map(_name_matches, names[start:], wanted)):
                    return pattern
        return None


def folded_names(path: str) -> list[str]:
    """The names in a path, as patterns are compared with them."""
    return [_fold(name) for name in path.split("/") if name not in {"", "."}]


def plain_part(pattern: str) -> str:
    """What is before the first wildcard."""
    if "*" not in pattern and "?" not in pattern and "[" not in pattern:
        return pattern
    return pattern[: min(pattern.find(char) % (len(pattern) + 1) for char in "*?[")]


def plain_ending(pattern: str) -> str:
    """What is after the only wildcard, if that is a `*` at the start."""
    ending = pattern[1:] if pattern.startswith("*") else ""
    return ending if plain_part(ending) == ending else ""


def _name_matches(name: str, pattern: str) -> bool:
    """Whether a name fits a pattern; only one with more than a single `*` costs the import."""
    before, star, after = pattern.partition("*")
    if plain_part(before) == before and plain_part(after) == after:
        if not star:
            return name == pattern
        return len(name) >= len(before) + len(after) and name.startswith(before) and name.endswith(after)
    from fnmatch import fnmatchcase

    return fnmatchcase(name, pattern)


def _fold(name: str) -> str:
    if name.isascii():
        return name.lower().rstrip(". ")
    from bisect import bisect
    from unicodedata import normalize

    before = ""
    while name != before:  # each step can make work for another
        before, seen = name, [char for char in name if char.isascii() or bisect(_EDGES, ord(char)) % 2 == 0]
        name = normalize("NFKC", "".join(seen)).casefold()
    return name.rstrip(". ")
