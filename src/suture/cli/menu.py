"""The commands: what each is for, and an example of it. The help page is made from this, without argparse."""

from __future__ import annotations

DESCRIPTION = "Put edits into files: each lands exactly where it was meant, or nothing changes."

COMMANDS = {
    "read": ("print a file's lines", "suture read src/app.py --start-line 10 --end-line 20"),
    "search": ("search files by a regular expression", "suture search -i 'todo: (\\w+)' src '*.md'"),
    "replace": ("replace in files by a regular expression", r"suture replace '\bfoo\((\w+)\)' 'bar($1)' src --write"),
    "extract": ("print the groups of a regular expression", r"""suture extract '^(\w+) *= *(.*)$' setup.cfg"""),
    "lines": ("print the lines that match a regular expression", "suture lines -n '^(ERROR|FATAL)' server.log"),
    "split": ("split a file by a regular expression", r"suture split '\n\n+' notes.txt"),
    "edit": ("replace exact text in a file", "suture edit src/app.py --old 'timeout=30' --new 'timeout=60'"),
    "write": ("write a file from stdin if nothing breaks", "suture write src/app.py --mode strict < new.py"),
    "patch": ("edit a file by patches", "suture patch src/app.py patches.json --dry-run"),
    "apply": ("apply a model's reply: blocks, patches, diffs", "suture apply reply.md --dry-run"),
    "check": ("check files: syntax, leftover conflicts, and more", "suture check src '*.toml'"),
    "prompt": ("print how a model should write its changes", "suture prompt --format blocks"),
    "mcp": ("serve the tools to an agent, over MCP", "suture mcp --root ~/project"),
    "init": ("put the MCP server into an agent's settings", "suture init claude-code --write"),
    "call": ("call a tool with JSON arguments", """suture call file_read '{"path": "README.md"}'"""),
    "tools": ("list the tools", "suture tools --json"),
    "log": ("list the changes, newest first", "suture log src/ --limit 5"),
    "show": ("show a change and its diff", "suture show 537g4n9w3cgmdf5"),
    "undo": ("take a change back, keeping later work", "suture undo --dry-run"),
    "redo": ("do again what undo took back", "suture redo"),
    "snapshot": ("name this point, or list the named ones", "suture snapshot before-refactoring"),
    "restore": ("bring files back to a change or snapshot", "suture restore --to before-refactoring src/"),
    "recover": ("clear up an interrupted transaction", "suture recover --root ~/project"),
}


def page() -> str:
    """What `suture --help` prints."""
    width = max(map(len, COMMANDS)) + 2
    lines = [
        "usage: suture COMMAND ...",
        "",
        DESCRIPTION,
        "",
        "commands:",
        *(f"  {name:{width}}{about}" for name, (about, _) in COMMANDS.items()),
        "",
        "options:",
        f"  {'--help':{width + 2}}show this page; after a command, show its options and an example",
        f"  {'--version':{width + 2}}show the version",
        "",
        "exit codes: 0 done, 1 refused or failed, 2 wrong usage",
    ]
    return "\n".join(lines) + "\n"
