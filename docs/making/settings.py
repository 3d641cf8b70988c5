"""The page about the settings: limits and permissions, with their defaults."""

from collections.abc import Iterator

from docs.making.fields import documented, typed
from docs.making.markdown import prose, table
from suture.settings import Settings

INTRODUCTION = """\
# Settings

Limits and permissions of a workspace. The defaults are safe for an agent. They are set from Python:

```python
from suture import Settings, Workspace

workspace = Workspace(".", Settings(max_edits=100))
```

On the command line, options set some of them: `--durability`, `--extra-root`, `--allow-protected`, `--call-ms` and
`--max-memory-bytes` of [`suture mcp`](commands.md#suture-mcp), `--max-files`, `--max-issues` and `--max-time` of
[`suture check`](commands.md#suture-check), `--allow-commands` of every command that checks, `--allow-executables` of
`suture apply` and `suture mcp`, and `--timeout` of the commands that search. Checks have a
[configuration](validators.md#configuration) of their own.

Where a limit is exceeded, the error names the setting. A value that does not fit, such as a limit of -1, raises
`ValueError`. Sizes are in bytes, and times (`_ms`) in milliseconds.
"""


def page() -> Iterator[str]:
    """The page about the settings."""
    yield INTRODUCTION
    meanings = documented(Settings)
    rows = []
    for name in Settings._fields:
        default = getattr(Settings, name)
        shown = f"{default:_}" if isinstance(default, int) and not isinstance(default, bool) else repr(default)
        rows.append([f"`{name}`", typed(Settings.__annotations__[name]), f"`{shown}`", prose(meanings[name])])
    yield from table(("setting", "type", "default", "meaning"), rows)
