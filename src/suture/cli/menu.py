"""The commands by what people want to do: what each is for, and an example. The help page is made from it alone."""

from __future__ import annotations

DESCRIPTION = "Put edits into files: each lands exactly where it was meant, or nothing changes."

GROUPS = {
    "Read and search": {
        "read": ("print a file's lines", "suture read src/app.py --start-line 10 --end-line 20"),
        "search": ("search files by a regular expression", "suture search -i 'todo: (\\w+)' src '*.md'"),
        "extract": ("print the groups of a regular expression", r"suture extract '^(\w+) *= *(.*)$' setup.cfg"),
        "lines": ("print the lines that match a regular expression", "suture lines -n '^(ERROR|FATAL)' server.log"),
        "split": ("split a file by a regular expression", r"suture split '\n\n+' notes.txt"),
    },
    "Edit": {
        "edit": ("replace exact text in a file", "suture edit src/app.py --old 'timeout=30' --new 'timeout=60'"),
        "patch": (
            "edit a file by patches, which may differ a little",
            "suture patch src/app.py patches.json --dry-run",
        ),
        "write": ("write a file from stdin if nothing breaks", "suture write src/app.py --mode strict < new.py"),
        "replace": ("replace in files by a regular expression", r"suture replace '\bfoo\(' 'bar(' src --write"),
    },
    "Apply a reply": {
        "apply": ("apply a model's reply: blocks, patches, diffs", "suture apply reply.md --dry-run"),
        "prompt": ("print how a model should write its changes", "suture prompt --format blocks"),
    },
    "Take back": {
        "log": ("list the changes, newest first", "suture log src/ --limit 5"),
        "show": ("show a change and its diff", "suture show 537g4n9w3cgmdf5"),
        "undo": ("take a change back, keeping later work", "suture undo --dry-run"),
        "redo": ("do again what undo took back", "suture redo"),
        "snapshot": ("name this point, or list the named ones", "suture snapshot before-refactoring"),
        "restore": ("bring files back to a change or snapshot", "suture restore --to before-refactoring src/"),
        "recover": ("clear up an interrupted transaction", "suture recover --root ~/project"),
    },
    "Serve": {
        "mcp": ("serve the tools to an agent, over MCP", "suture mcp --root ~/project"),
        "init": ("put the MCP server into an agent's settings", "suture init claude-code --write"),
        "tools": ("list the tools, for a model's API too", "suture tools --format anthropic"),
        "call": ("call a tool with JSON arguments", """suture call file_read '{"path": "README.md"}'"""),
    },
    "Check and set up": {
        "check": ("check files: syntax, leftover conflicts, and more", "suture check src '*.toml'"),
        "doctor": ("check the installation and the workspace", "suture doctor --root ~/project"),
        "completion": ("print what makes a shell complete commands", 'eval "$(suture completion bash)"'),
    },
}
COMMANDS = {name: said for group in GROUPS.values() for name, said in group.items()}
MEANT = {
    "cat": "read",
    "commit": "snapshot",
    "diff": "show",
    "file_edit": "edit",
    "file_read": "read",
    "find": "search",
    "grep": "search",
    "history": "log",
    "install": "init",
    "revert": "undo",
    "rollback": "undo",
    "safe_edit": "write",
    "sed": "replace",
    "serve": "mcp",
    "server": "mcp",
    "status": "log",
    "validate": "check",
}
"""Commands of other programs, and tools, that somebody may type."""

EXIT_CODES = {
    0: "done; found: search, extract, lines, split, replace; sound: check",
    1: "refused or failed, with nothing half done; not found; not sound",
    2: "wrong usage; refused, by commands that search, replace or check",
    130: "interrupted (Ctrl-C)",
    141: "nobody reads the output any more",
}


def page() -> str:
    """What `suture --help` prints."""
    width = max(map(len, COMMANDS)) + 2
    lines = ["usage: suture COMMAND ...", "", DESCRIPTION, ""]
    for title, group in GROUPS.items():
        lines += [f"{title}:", *(f"  {name:{width}}{about}" for name, (about, _) in group.items()), ""]
    lines += [
        "With every command:",
        f"  {'--help':{width}}its options and an example; also: suture help COMMAND",
        f"  {'--root DIR':{width}}the workspace (default: this folder)",
        f"  {'--json':{width}}print the result as JSON",
        f"  {'--quiet':{width}}print nothing but errors",
        f"  {'--verbose':{width}}log what happens to stderr",
        "",
        "suture --version prints the version. NO_COLOR turns colors off.",
        "",
        "Exit codes:",
        *(f"  {code:<{width}}{meaning}" for code, meaning in EXIT_CODES.items()),
    ]
    return "\n".join(lines) + "\n"
