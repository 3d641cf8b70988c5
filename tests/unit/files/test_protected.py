"""Protected names: the list, and every way to write a name that some file system takes for the same."""

import sys
import unicodedata

import pytest
import regex

from suture.cli.init import CLIENTS, Client, user_file
from suture.files.fs import Tree
from suture.files.glob import Selection
from suture.files.protected import _IGNORABLE, PROTECTED, Guard
from suture.files.walk import walk
from suture.testing import MemoryFS

HOMES = {"HOME": "/u", "USERPROFILE": "/u"}
UNSEEN = [chr(number) for first, last in _IGNORABLE for number in sorted({first, (first + last) // 2, last})]
ORDERED = """
    .claude.json .cursor/hooks.json .codex/hooks.json .devcontainer/devcontainer.json .husky/pre-commit
    my.code-workspace .gitconfig .ssh/authorized_keys .exrc claude_desktop_config.json .config/zed/settings.json
""".split()
ALIKE = """
    .git .git/hooks/pre-commit .jj/repo/config .claude/hooks/run.sh .claude/settings.local.json
    .gemini/settings.json .vscode/launch.json .devcontainer.json .idea/watcherTasks.xml .kiro/settings/mcp.json
    .roo/mcp.json .unknown/mcp.json .vimrc .nvim.lua .dir-locals.el .direnvrc .tmux.conf
    .config/systemd/user/x.service .gdbinit .pdbrc .netrc .pypirc .local/share/applications/x.desktop
    .config/autostart/x.desktop .windsurf/hooks.json .aws/credentials .cursor/permissions.json .github/hooks/x.json
    .config/emacs/init.el GIT~1/config .psqlrc
""".split()
OPEN = """
    .github/workflows/ci.yml package.json Makefile .pre-commit-config.yaml .gitignore .gitattributes .gitmodules
    AGENTS.md CLAUDE.md .claude/commands/x.md .claude/agents/x.md .claude/skills/x/SKILL.md .cursor/rules/x.mdc
    .npmrc .yarnrc.yml .vscode/extensions.json .idea/codeStyles/Project.xml .env .env.example .editorconfig
    settings.json mcp.json hooks.json src/mcp.json config.toml code/user/mcp.txt src/zed/main.rs
    .aws/task-definition.json .dockerignore .cargo/config.toml .config/app.toml tools/tasks.json code-workspace
    x.code-workspaces git/config ssh/config
""".split()


def sample(pattern: str) -> str:
    """A path that a pattern matches."""
    return pattern.replace("/**", "/x/y").replace("*", "any")


def spellings(path: str) -> set[str]:
    """Other ways to write a path, each taken for the same by a file system or by a person."""
    wide = "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" and char != "/" else char for char in path)
    start, end = path[:2], path[2:]
    return {
        path,
        path.upper(),
        path.title(),
        wide,
        f"deep/below/{path}",
        f"./{path}",
        path.replace("/", "./") + ".",
        path.replace("/", " /") + " . ",
        path.replace("/", "//"),
        path.replace("s", "\u017f"),
        path.replace("k", "\u212a"),
        path.replace("i", "\u2170"),
        path.replace("fi", "\ufb01"),
        *(start + char + end for char in UNSEEN),
        "".join(char + "\ufe0f\U000e0100\u200d" for char in path if char != "/") if "/" not in path else path,
    }


@pytest.mark.promise("confine.protected")
@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
def test_every_file_that_init_writes_is_protected(client: Client) -> None:
    """All but Codex's own where CODEX_HOME names a folder of another name."""
    places = [HOMES, {**HOMES, "XDG_CONFIG_HOME": "/u/else", "CLAUDE_CONFIG_DIR": "/u/else"}]
    written = [user_file(client, platform, home) for platform in ("linux", "darwin", "win32") for home in places]
    if client.project is not None:
        written.append(client.project)
    written += [f"{path}{backup}" for path in written for backup in (".bak", ".bak2")]
    assert [path for path in written if Guard().rule(path) is None] == [], "protect these in files/protected.py"


@pytest.mark.promise("confine.protected")
@pytest.mark.parametrize("path", [*dict.fromkeys([*ORDERED, *ALIKE, *map(sample, PROTECTED)])])
def test_a_protected_name_is_one_however_it_is_written(path: str) -> None:
    guard = Guard()
    assert [spelling for spelling in sorted(spellings(path)) if guard.rule(spelling) is None] == []


def test_what_people_have_agents_edit_stays_open() -> None:
    guard = Guard()
    assert [path for path in OPEN if guard.rule(path)] == []
    assert [path for path in OPEN if guard.rule(f"deep/below/{path}")] == []


@pytest.mark.promise("confine.protected")
def test_a_name_that_is_composed_is_compared_as_one_that_is_not() -> None:
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        guard = Guard([unicodedata.normalize(form, "Größe/ﬁñ*/**"), "d\u0323\u0307.txt", "a. "])
        for other in ("NFC", "NFD", "NFKC", "NFKD"):
            assert guard.rule(unicodedata.normalize(other, "sub/GRÖSSE/FIÑal/x"))
        assert guard.rule("d\u0307\u0323.TXT")
        assert guard.rule("\u1e0b\u034f\u0323.txt"), "only without the joiner its marks can be sorted"
        assert guard.rule("A")


def test_the_characters_that_are_not_seen_are_those_of_unicode() -> None:
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    theirs = {ord(char) for char in regex.findall(r"\p{Default_Ignorable_Code_Point}", every)}
    assert {number for first, last in _IGNORABLE for number in range(first, last + 1)} == theirs


@pytest.mark.promise("confine.protected")
def test_a_walk_leaves_out_what_a_path_may_not_name() -> None:
    protected = {spelling for path in [*ORDERED, *ALIKE, *map(sample, PROTECTED)] for spelling in (path, path.upper())}
    files = [f"deep/{path}" for path in protected if path.lower() != ".git"] + OPEN
    everything = "{**/{*,.*},**/.*/**/{*,.*}}"
    with Tree(MemoryFS(dict.fromkeys(files, b"")), "/ws") as tree:
        runs = walk(tree, Selection.parse(everything, ()), Guard(), include_ignored=True)
        visited = {prefix + name for _, prefix, names in runs for name in names}
    assert visited == set(OPEN)


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.key", "a.key", True),
        ("*.key", ".key", True),
        ("*.key", "a.keys", False),
        ("a*a", "a", False),
        ("a*a", "aa", True),
        ("a*b*c", "axbxc", True),
        ("a?c", "abc", True),
        ("[ab]c", "bc", True),
        ("[ab]c", "cc", False),
        ("*", "anything", True),
        ("*/x", "a/x", True),
        ("*s/x", "as/x", True),
        ("*s/x", "at/x", False),
    ],
)
def test_a_pattern_has_wildcards(pattern: str, path: str, fits: bool) -> None:  # noqa: FBT001  a case
    assert (Guard([pattern]).rule(path) == pattern) is fits
