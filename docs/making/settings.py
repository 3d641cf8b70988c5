"""The page about the settings: limits and permissions, with their defaults."""

from collections.abc import Iterator

from docs.making.fields import type_in_words
from docs.making.markdown import prose, table
from suture.records import field_docstrings
from suture.settings import Settings

INTRODUCTION = """\
# Settings

Limits and permissions of a workspace. The defaults are safe for an agent. If a limit is exceeded, the error names the
setting. Sizes are in bytes, and times (`_ms`) in milliseconds.

## How to set them

For **the MCP server and the command line**, there are two ways:

- The option `--set NAME=VALUE`, which can be repeated: `suture mcp --set call_ms=120000 --set max_edits=5000`. Numbers
  may have underscores. For a list, each use adds an entry: `--set protect='deploy/**' --set protect='*.pem'`. A pair is
  `GLOB=ENCODING`: `--set encodings='*.csv=cp1252'`.
- The table `[settings]` in your own `suture.toml`: `suture/suture.toml` in your configuration folder
  (`$XDG_CONFIG_HOME` or `~/.config`), or the file that `--set config=FILE` names. It is read when a command or the
  server starts:

<!-- not run: in the operator's own file -->
```toml
[settings]
call_ms = 120_000
protect = ["deploy/**"]
encodings = [["*.csv", "cp1252"]]
```

An option overrides the file. Only you can change settings: a `suture.toml` inside the workspace or an extra root
cannot, because an agent could write it. An unknown name or an invalid value is an error (`WRONG_USAGE`), and nothing is
done; `suture doctor` checks your file.

Some settings have their own option: `--durability`, `--extra-root`, `--allow-protected`, `--max-answer`, `--call-ms`
and `--max-memory-bytes` of [`suture mcp`](commands.md#suture-mcp), `--max-files`, `--max-issues` and `--max-time` of
[`suture check`](commands.md#suture-check), `--allow-commands` of every command that checks, `--allow-executables` of
`suture apply` and `suture mcp`, and `--timeout` of the commands that search.

**In Python**, pass a `Settings` object. An invalid value, such as a limit of -1, raises `ValueError`. The file is not
read:

```python
from suture import Settings, Workspace

workspace = Workspace(".", Settings(max_edits=100))
```

Checks have their own [configuration](validators.md#configuration).

## All settings
"""


def page() -> Iterator[str]:
    """The page about the settings."""
    yield INTRODUCTION
    meanings = field_docstrings(Settings)
    rows = []
    for name in Settings._fields:
        default = getattr(Settings, name)
        shown = f"{default:_}" if isinstance(default, int) and not isinstance(default, bool) else repr(default)
        rows.append([f"`{name}`", type_in_words(Settings.__annotations__[name]), f"`{shown}`", prose(meanings[name])])
    yield from table(("setting", "type", "default", "meaning"), rows)
