"""What an operator can set. An error about a size, a number or a time names the setting."""

from __future__ import annotations

import os

from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Settings(Record):
    """Limits and permissions of a workspace; the defaults are safe for an agent."""

    extra_roots: tuple[str, ...] = ()
    """Folders beside the root that tools may read and edit; results name their files absolutely."""

    allow_protected: tuple[str, ...] = ()
    """Protected paths to open after all: glob patterns such as `.vscode/settings.json`."""

    protect: tuple[str, ...] = ()
    """More paths to protect, in the same notation."""

    durability: str = "full"
    """`full`: every change is on the disk before it is reported. `fast`: a killed process leaves all or nothing; after
    a power cut each file changed in the last seconds may be old, new or incomplete."""

    encodings: tuple[tuple[str, str], ...] = ()
    """(glob, encoding) pairs for files that are neither marked by a BOM nor UTF-8; the first match counts."""

    history: bool = True
    """Whether changes are recorded, so that they can be taken back."""

    history_max_bytes: int = 500_000_000
    """Size of a workspace's history; the oldest changes are forgotten first, the newest never."""

    history_max_days: int = 180
    """Age at which a change is forgotten."""

    history_timeout_ms: int = 2_000
    """How long to wait for a history that another program has locked, before a change lands unrecorded."""

    max_file_bytes: int = 100_000_000
    """Size of a file that is read or edited, and of what an edit would make of it."""
    max_request_bytes: int = 10_000_000
    """Size of all texts in a call's arguments together."""
    max_call_bytes: int = 1_000_000_000
    """Size of all files that one call changes, as they were and as they become."""
    max_edits: int = 1_000
    """Edits, patches, hunks or blocks of one call."""
    max_intent_bytes: int = 64_000_000
    """Size of the file that says what a call is about to change (`.suture-intent`), about 1 KB for each file."""
    max_replacements: int = 100_000
    """Replacements of one call, over all its edits."""
    max_read_lines: int = 20_000
    """Lines of a file in one answer; what is more is cut, which is told."""
    max_read_bytes: int = 5_000_000
    """Size of a file's lines, or of a diff, in the text of one answer; what is more is cut, which is told."""
    max_diff_lines: int = 400
    """Lines of a diff in the text of one answer; its metadata have all of them."""
    max_pattern_chars: int = 20_000
    """Length of a regular expression."""
    regex_file_ms: int = 1_000
    """How long one file may be searched."""
    regex_call_ms: int = 30_000
    """How long all files of a call may be searched together."""
    reply_call_ms: int = 30_000
    """How long places may be looked for, for all blocks of a reply together."""
    validate_call_ms: int = 20_000
    """How long all checks of a call may take together; what is not checked by then is told."""
    validate_max_bytes: int = 2_000_000
    """A larger file is not checked, which is told."""
    check_max_files: int = 100_000
    """Files that one `suture check` looks at. If there are more, it says how many, and fails."""
    check_call_ms: int = 600_000
    """How long one `suture check` may take. If it does not get to all files, it says so, and fails."""
    check_max_issues: int = 10_000
    """Problems that one `suture check` lists, and checks that were not run; the rest is only counted."""
    project_commands: bool = False
    """Whether the project's own configuration may name programs that check files: who can edit it can run them."""
    allow_executables: bool = False
    """Whether a diff may make a new or existing file executable, with a mode such as 100755."""
    config: str | None = None
    """The operator's own file, TOML: the configuration of checks, and `[settings]` of the command line and the server.
    None: `suture/suture.toml` in the user's configuration folder, if it is there; an empty string: none."""
    max_bases: int = 40
    """How many earlier versions of a file (read before, in the history, in git) are searched for a text that the file
    does not have; 0: none."""
    max_base_bytes: int = 2_000_000
    """Size of such a version; a larger one is ignored."""
    max_bases_bytes: int = 40_000_000
    """Size of all such versions of a file together."""
    base_ms: int = 200
    """How long finding and searching such versions of a file may take."""
    call_ms: int = 60_000
    """How long a call may take until it begins to write; what has begun is finished."""
    max_memory_bytes: int = 4_000_000_000
    """Memory of the command line or the server, and of each program it starts (Linux only); 0: suture sets no limit."""
    max_result_bytes: int = 200_000_000
    """Size of the matches that one answer tells, with the lines around them."""
    second_process: bool = True
    """Whether a search over thousands of files may be shared with a second process."""
    over_match_lines: int = 50
    """A match that is longer, and holds another one, is not replaced unasked."""
    max_clipboards: int = 100
    """How many clipboards a workspace keeps."""
    max_clipboard_bytes: int = 1_000_000
    """Size of the text in one clipboard."""
    binary_window: int = 8_192
    """Bytes at a file's beginning in which a NUL makes it a binary one; 0: every file is text."""
    lock_timeout_ms: int = 30_000
    """How long to wait for another process that edits the workspace."""

    def check(self) -> None:
        """Refuse what would silently mean something else: one string where several are meant, a limit of -1."""
        for name in self._fields:
            try:
                check_value(name, getattr(self, name))
            except ValueError as error:
                message = f"Settings.{error}"
                raise ValueError(message) from None


_MAY_BE_ZERO = {"lock_timeout_ms", "history_timeout_ms", "binary_window", "max_bases", "max_memory_bytes"}
_OPERATOR_FILE = ("suture", "suture.toml")


def operator_file(named: str | None = None) -> str:
    """Where the operator's own configuration is, or would be; empty for none. `named` is the setting `config`."""
    if named is not None:
        return named
    home = os.environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(home):
        home = os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(home, *_OPERATOR_FILE) if os.path.isabs(home) else ""


def how_to_set(name: str) -> str:
    """A setting, and how the operator of the command line or of the server sets it, for a hint."""
    return f"{name} (--set {name}=N)"


def check_name(name: str) -> None:
    """Refuse a setting that does not exist, with the nearest one that does."""
    if name not in Settings._fields:
        from difflib import get_close_matches  # only a failure needs it

        near = get_close_matches(name[:_LONGEST_NAME], Settings._fields, 1, 0.5)
        message = f"there is no setting {name[:_LONGEST_NAME]!r}" + (f"; did you mean {near[0]}?" if near else "")
        raise ValueError(message)


def check_value(name: str, value: object) -> None:
    """Refuse a value that a setting cannot have."""
    default = getattr(Settings, name)
    entries: Any = value if isinstance(default, tuple) else [value]
    if not isinstance(entries, tuple | list):
        raise _misfit(name, value)
    for entry in entries:
        if not _fits(name, entry, default):
            raise _misfit(name, entry)
        if name == "encodings":
            _check_encoding(entry[1])


def _misfit(name: str, value: object) -> ValueError:
    return ValueError(f"{name}: {value!r:.{_LONGEST_NAME}} does not fit; expected {_expected_value(name)}")


def _check_encoding(encoding: str) -> None:
    if _is_encoding(encoding):
        return
    from difflib import get_close_matches  # only a failure needs it
    from encodings.aliases import aliases

    known = {name for pair in aliases.items() if _is_encoding(pair[1]) for name in pair}
    short = encoding[:_LONGEST_NAME]
    near = get_close_matches(short.lower().replace("-", "_"), known, 1, 0.5)
    raise ValueError(f"encodings: there is no encoding {short!r}" + (f"; did you mean {near[0]}?" if near else ""))


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
        return f"a whole number from {_least(name)} to {_LARGEST_NUMBER}"
    if isinstance(default, str):
        return " or ".join(_CHOICES[name])
    return "pairs of a glob and an encoding" if name == "encodings" else "a list of strings that are not empty"


def parse_value(name: str, given: str) -> object:
    """The value that a setting gets by a text, as options have it; one of a list, where it takes a list.

    ValueError says what is expected instead.
    """
    default = getattr(Settings, name)
    value: object = given
    if isinstance(default, bool):
        value = {"true": True, "false": False}.get(given.lower(), given)
    elif isinstance(default, int):
        digits = given.replace("_", "")
        short = len(digits) <= len(str(_LARGEST_NUMBER))
        value = int(digits) if short and digits.isascii() and digits.isdecimal() else given
    elif name == "encodings":
        glob, equals, encoding = given.rpartition("=")
        value = ((glob, encoding),) if equals else given
    elif isinstance(default, tuple):
        value = (given,)
    check_value(name, value)
    return value


_CHOICES = {"durability": ("full", "fast")}
"""The values of a setting that is a word."""
_LARGEST_NUMBER = 10**15
"""A petabyte, or 30,000 years in milliseconds: no more than that fits everywhere it is counted."""
_LONGEST_NAME = 100
"""Characters of a name or value that an error repeats."""


def _least(name: str) -> int:
    return 0 if name in _MAY_BE_ZERO else 1


def _fits(name: str, value: object, default: object) -> bool:
    """Whether a value, or an entry of a setting that takes several, is one that the setting can have."""
    if default is None:
        return value is None or isinstance(value, str)
    if isinstance(default, bool):
        return isinstance(value, bool)
    if isinstance(default, int):
        return isinstance(value, int) and not isinstance(value, bool) and _least(name) <= value <= _LARGEST_NUMBER
    if isinstance(default, str):
        return value in _CHOICES[name]
    if name == "encodings":
        return isinstance(value, tuple | list) and [*map(type, value)] == [str, str]
    return isinstance(value, str) and value != ""
