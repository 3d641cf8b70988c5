"""What an operator can set. An error about a limit names its setting.

A name ends with the unit: `_bytes`, `_chars`, `_lines`, `_ms`, `_days`; without one, it is a number of things. The
comment beside a default says why it has that value.
"""

from __future__ import annotations

import os

from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Settings(Record):
    """Limits and permissions of a workspace; the defaults are safe for an agent."""

    extra_roots: tuple[str, ...] = ()
    """Additional folders outside the root that tools may read and edit; results have absolute paths for them."""

    allow_protected: tuple[str, ...] = ()
    """Protected paths that tools may use anyway: glob patterns such as `.devcontainer/**`."""

    protect: tuple[str, ...] = ()
    """Additional paths to protect: glob patterns such as `deploy/**`."""

    durability: str = "full"
    """`full`: changes are flushed to disk before the call returns. `fast`: a killed process leaves all or nothing;
    after a power cut each file changed in the last seconds may be old, new or incomplete."""

    encodings: tuple[tuple[str, str], ...] = ()
    """(glob, encoding) pairs for files that have no byte order mark and are not UTF-8; the first match counts."""

    history: bool = True
    """Record changes, so that they can be undone."""

    history_max_bytes: int = 500_000_000  # of compressed differences: months of edits of a large project
    """Size of a workspace's history; the oldest changes are removed first, the newest never."""

    history_max_days: int = 180  # what is older is in version control
    """Age at which a change is removed from the history."""

    history_timeout_ms: int = 2_000  # recording takes milliseconds; an unrecorded change is better than a hung edit
    """How long to wait if another program has locked the history, before a change lands unrecorded."""

    checkpoints: bool = True
    """Take a checkpoint of the whole tree at the start of an agent's session."""
    checkpoint_ms: int = 2_000  # an agent waits for it
    """How long an automatic checkpoint may take; if it cannot read all files in that time, none is taken."""
    checkpoint_max_files: int = 50_000  # a scan of so many files takes half a second if none has changed
    """Files in a checkpoint; in a larger tree, none is taken."""
    checkpoint_max_file_bytes: int = 10_000_000  # people do not write larger files
    """Size of a file in a checkpoint; larger files are left out."""

    max_file_bytes: int = 100_000_000  # a failed edit indexes the lines, in 5 to 50 times the memory
    """Size of a file that is read or edited, before and after an edit."""
    max_request_bytes: int = 10_000_000  # more than any model writes in one reply
    """Total size of the texts in a call's arguments."""
    max_call_bytes: int = 1_000_000_000  # they are in memory together
    """Total size of the files that one call changes, before and after."""
    max_edits: int = 1_000  # each may be searched for in a whole file
    """Edits, patches, hunks or blocks of one call."""
    max_intent_bytes: int = 64_000_000  # 64,000 files; reading it takes up to 25 times the memory
    """Size of the file that says what a call is about to change (`.suture/intent`), about 1 KB for each file."""
    max_replacements: int = 100_000  # each is an edit in memory, and a row of the answer
    """Replacements of one call, in all its edits together."""
    max_read_lines: int = 20_000  # more than a model can read
    """Lines of a file in one answer; longer output is truncated, and the answer says so."""
    max_read_bytes: int = 5_000_000  # for files with very long lines
    """Size of a file's lines, or of a diff, in the text of one answer; longer output is truncated, and the answer says
    so. A model sees less of it: `max_answer_chars`."""
    max_diff_lines: int = 400  # a model pays for each, and has seen most of them in its own edit
    """Lines of a diff in the text of one answer; the metadata has the whole diff."""
    max_pattern_chars: int = 20_000  # as docs/spec/TOOLS.md says; a list of words fits
    """Length of a regular expression."""
    regex_file_ms: int = 1_000  # a search that takes longer backtracks
    """How long a search of one file may take."""
    regex_call_ms: int = 30_000  # a tree of 30,000 files takes less than a second
    """How long a search of all files of a call may take."""
    reply_call_ms: int = 30_000  # half of call_ms: the rest is for planning and checks
    """How long locating all blocks of a reply may take."""
    validate_call_ms: int = 20_000  # a third of call_ms: checks run before the call may write
    """How long all checks of a call may take; what is not checked by then is reported as not checked."""
    validate_max_bytes: int = 2_000_000  # people do not write larger files
    """Size of a file that is checked; a larger one is reported as not checked."""
    check_max_files: int = 100_000  # a very large repository
    """Files that one `suture check` checks; if there are more, it says how many, and fails."""
    check_call_ms: int = 600_000  # a person or a CI job waits longer than a model
    """How long one `suture check` may take; if it does not reach all files, it says so, and fails."""
    check_max_issues: int = 10_000  # nobody reads more, and all are in memory
    """Problems that one `suture check` lists, and checks that did not run; the rest are only counted."""
    project_commands: bool = False
    """Run the programs that the project's own `suture.toml` or `pyproject.toml` names for checks: anyone who can edit
    these files can then run any program."""
    allow_executables: bool = False
    """Let a diff make a new or existing file executable, with a mode such as 100755."""
    config: str | None = None
    """The operator's own TOML file: the configuration of checks, and `[settings]` of the command line and the server.
    None: `suture/suture.toml` in the user's configuration folder, if it exists; an empty string: no file."""
    max_bases: int = 40  # an agent's text is rarely older than the last few versions
    """How many earlier versions of a file (read before, in the history, in git) are searched for a text that is not in
    the file; 0: none."""
    max_base_bytes: int = 2_000_000  # each is decoded and searched in base_ms
    """Size of such a version; a larger one is ignored."""
    max_bases_bytes: int = 40_000_000  # they are in memory together
    """Total size of such versions of a file."""
    base_ms: int = 200  # only a text that was not found needs it, and its caller waits
    """How long finding and searching such versions of a file may take."""
    call_ms: int = 60_000  # MCP clients give up after about a minute
    """How long a call may take before it begins to write; a write that has begun is finished."""
    max_memory_bytes: int = 4_000_000_000  # half of what a small machine has
    """Memory of the command line or the server, and of each program it starts (Linux only); 0: suture sets no limit."""
    max_answer_chars: int = 25_000  # 6,000 tokens, which a model pays for in every later turn again
    """Characters of text in an answer to a model, over MCP or through `handle`, and as many of structured content; what
    is cut says so. `Workspace.call` returns all of it."""
    max_result_bytes: int = 200_000_000  # their rows are in memory, twice while the answer is made
    """Size of the matches in one answer, with their context lines."""
    second_process: bool = True
    """Use a second process to search thousands of files."""
    over_match_lines: int = 50  # as docs/spec/TOOLS.md says
    """Lines of a match; a longer one that contains another match is not replaced unless allow_over_match is set."""
    max_clipboards: int = 100  # an agent uses a few
    """Clipboards that a session keeps."""
    max_clipboard_bytes: int = 1_000_000  # as large as the code that an agent moves
    """Size of the text in one clipboard."""
    binary_window: int = 8_192  # as docs/spec/seeds/000 says; git looks at 8,000
    """Bytes at the beginning of a file in which a NUL makes the file binary; 0: every file is text."""
    lock_timeout_ms: int = 30_000  # another call holds the lock only while it writes
    """How long to wait while another process edits the workspace."""

    def check(self) -> None:
        """Refuse values that would silently mean something else: one string instead of several, a limit of -1."""
        for name in self._fields:
            try:
                check_value(name, getattr(self, name))
            except ValueError as error:
                message = f"Settings.{error}"
                raise ValueError(message) from None


_LEAST = {"max_answer_chars": 1_000}  # what happened, with its notes, fits
MAY_BE_ZERO = {"lock_timeout_ms", "history_timeout_ms", "binary_window", "max_bases", "max_memory_bytes"}
_OPERATOR_FILE = ("suture", "suture.toml")
_MAX_FILE_BYTES = 1_000_000  # far more than a person writes
_operator_files: dict[str, tuple[tuple[int, ...], bytes]] = {}
"""The content of each, with the identity and time of the file when it was read."""


def operator_file(config: str | None = None) -> str:
    """The path of the operator's own configuration; empty for none. `config` is the setting."""
    if config is not None:
        return config
    home = os.environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(home):
        home = os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(home, *_OPERATOR_FILE) if os.path.isabs(home) else ""


def read_operator_file(file: str) -> bytes:
    """The content of the operator's file, read again only if it has changed: a call needs it several times.

    Raises OSError, and ValueError for a pipe or a device, where reading could block forever.
    """
    from stat import S_ISREG  # most operators have no such file

    status = os.stat(file)
    if not S_ISREG(status.st_mode):
        raise ValueError("it is not a regular file")
    stamp = status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
    if _operator_files.get(file, (None,))[0] != stamp:
        with open(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as opened:
            _operator_files[file] = stamp, opened.read(_MAX_FILE_BYTES)
    return _operator_files[file][1]


def how_to_set(name: str) -> str:
    """The option with which the operator sets a setting, for a hint; the operator's file has the same names."""
    default = getattr(Settings, name)
    if isinstance(default, bool):
        value = str(not default).lower()
    elif isinstance(default, int):
        value = "N"
    elif isinstance(default, tuple):
        value = {"encodings": "GLOB=ENCODING", "extra_roots": "FOLDER"}.get(name, "GLOB")
    else:
        value = "|".join(CHOICES.get(name, ("FILE",)))
    return f"--set {name}={value}"


def check_name(name: str) -> None:
    """Refuse an unknown setting, naming the nearest one."""
    if name not in Settings._fields:
        from difflib import get_close_matches  # only a failure needs it

        near = get_close_matches(name[:_MAX_NAME_CHARS], Settings._fields, 1, 0.5)
        message = f"unknown setting {name[:_MAX_NAME_CHARS]!r}" + (f"; did you mean {near[0]}?" if near else "")
        raise ValueError(message)


def check_value(name: str, value: object) -> None:
    """Refuse a value that a setting cannot have."""
    default = getattr(Settings, name)
    entries: Any = value if isinstance(default, tuple) else [value]
    if not isinstance(entries, tuple | list):
        raise _invalid_value(name, value)
    for entry in entries:
        if not _fits(name, entry, default):
            raise _invalid_value(name, entry)
        if name == "encodings":
            _check_encoding(entry[1])


def _invalid_value(name: str, value: object) -> ValueError:
    return ValueError(f"{name}: invalid value {value!r:.{_MAX_NAME_CHARS}}; expected {_expected_value(name)}")


def _check_encoding(encoding: str) -> None:
    if _is_encoding(encoding):
        return
    from difflib import get_close_matches  # only a failure needs it
    from encodings.aliases import aliases

    known = {name for pair in aliases.items() if _is_encoding(pair[1]) for name in pair}
    short = encoding[:_MAX_NAME_CHARS]
    near = get_close_matches(short.lower().replace("-", "_"), known, 1, 0.5)
    raise ValueError(f"encodings: unknown encoding {short!r}" + (f"; did you mean {near[0]}?" if near else ""))


def _is_encoding(name: str) -> bool:
    import codecs  # few operators name an encoding

    try:
        return bool(getattr(codecs.lookup(name), "_is_text_encoding", True))
    except (LookupError, ValueError):
        return False


def _expected_value(name: str) -> str:
    default = getattr(Settings, name)
    if default is None:
        return "the path of a file"
    if isinstance(default, bool):
        return "true or false"
    if isinstance(default, int):
        return f"a whole number from {_least(name)} to {_MAX_NUMBER}"
    if isinstance(default, str):
        return " or ".join(CHOICES.get(name, ("a text",)))
    return "pairs of a glob and an encoding" if name == "encodings" else "a list of non-empty strings"


def parse_value(name: str, given: str) -> object:
    """The value of a setting from a string, as options have it; for a setting that takes a list, a list of one.

    Raises ValueError, which says what is expected instead.
    """
    default = getattr(Settings, name)
    value: object = given
    if isinstance(default, bool):
        value = {"true": True, "false": False}.get(given.lower(), given)
    elif isinstance(default, int):
        digits = given.replace("_", "")
        short = len(digits) <= len(str(_MAX_NUMBER))
        value = int(digits) if short and digits.isascii() and digits.isdecimal() else given
    elif name == "encodings":
        glob, equals, encoding = given.rpartition("=")
        value = ((glob, encoding),) if equals else given
    elif isinstance(default, tuple):
        value = (given,)
    check_value(name, value)
    return value


CHOICES = {"durability": ("full", "fast")}
"""The values of a setting that is one of a few words."""
_MAX_NUMBER = 10**15
"""A petabyte, or 30,000 years in milliseconds: a larger number would not fit everywhere it is used."""
_MAX_NAME_CHARS = 100
"""Characters of a name or value that an error repeats."""


def _least(name: str) -> int:
    return 0 if name in MAY_BE_ZERO else _LEAST.get(name, 1)


def _fits(name: str, value: object, default: object) -> bool:
    """Whether a value, or an entry of a list, is valid for a setting."""
    if default is None:
        return value is None or isinstance(value, str)
    if isinstance(default, bool):
        return isinstance(value, bool)
    if isinstance(default, int):
        return isinstance(value, int) and not isinstance(value, bool) and _least(name) <= value <= _MAX_NUMBER
    if isinstance(default, str):
        return isinstance(value, str) and value in CHOICES.get(name, (value,))
    if name == "encodings":
        return isinstance(value, tuple | list) and [*map(type, value)] == [str, str]
    return isinstance(value, str) and value != ""
