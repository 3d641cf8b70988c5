r"""What the header of a diff says about its file: the names, and what became of it.

    name    = text | '"' { character | escape } '"'
    escape  = "\" ( "a" | "b" | "t" | "n" | "v" | "f" | "r" | '"' | "\" | octal octal octal )
    header  = keyword value, as git writes them: see `KEYWORDS`

Prefixes are taken off where the two names have two different ones of git's: `a/` and `b/`, or `i/`, `w/`, `c/`, `o/`,
`1/`, `2/`. Beside `/dev/null` only `a/` of an old name and `b/` of a new one are, unless the line `diff --git` tells.
A quoted name with an escape that git does not write is taken as it stands.
"""

from __future__ import annotations

from suture.records import Record

KEYWORDS = (
    "old mode ",
    "new mode ",
    "new file mode ",
    "deleted file mode ",
    "rename from ",
    "rename to ",
    "copy from ",
    "copy to ",
    "similarity index ",
    "dissimilarity index ",
    "index ",
    "mode ",
    "Binary files ",
    "GIT binary patch",
)
NOWHERE = "/dev/null"

_PREFIXES = frozenset("abciow12")
_OCTAL = frozenset("01234567")
_ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}
_MOST_BYTE = 0xFF
_KIND, _REGULAR = 0o170000, 0o100000
_EMPTY_BLOBS = (
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
)


class Heading(Record):
    """What shall become of which file, before any hunk is looked at."""

    action: str
    path: str | None
    path_as_written: str | None
    to: str | None = None
    mode: int | None = None
    copied_from: str | None = None
    problem: str | None = None


def heading(said: dict[str, str]) -> Heading:
    """Read a header: what stands behind `---`, `+++`, `Index`, `diff --git`, `diff --cc` and git's keywords."""
    first, second = _both_names(said)
    old, new = said.get("---", first), said.get("+++", second or said.get("---"))
    known = _name(old), _name(new)
    stripped = _prefixed(_name(first), _name(second)) or _prefixed(*known)
    if NOWHERE in known and not stripped:
        before, after = (name and name.removeprefix(prefix) for name, prefix in zip(known, ("a/", "b/"), strict=True))
    else:
        before, after = (_without_prefix(name) if stripped else name for name in known)
    mode = _octal(said.get("new file mode", said.get("new mode")))
    problem = _problem(said)
    if "rename from" in said or "rename to" in said:
        source, to = _name(said.get("rename from")) or before, _name(said.get("rename to")) or after
        return Heading("rename", source, said.get("rename from", old), to, mode, problem=problem)
    if "copy from" in said or "copy to" in said:
        source, path = _name(said.get("copy from")) or before, _name(said.get("copy to")) or after
        return Heading("create", path, said.get("copy to", new), None, mode, source, problem)
    if "new file mode" in said or before == NOWHERE != after:
        return Heading("create", after, new, mode=mode, problem=problem)
    if "deleted file mode" in said or after == NOWHERE != before:
        return Heading("delete", before, old, problem=problem)
    if after == NOWHERE:
        return Heading("update", None, new, problem="empty")
    return Heading("update", after, new, mode=mode, problem=problem)


def problem_without_hunks(said: dict[str, str], *, cut: bool) -> str | None:
    """What is wrong with a section that has no hunks: it may need none, unless the reply is `cut` before they came.

    That a file is empty, or was not changed on its way, git says in the header.
    """
    moved = {"rename from", "rename to"} <= said.keys() or {"copy from", "copy to"} <= said.keys()
    made, gone = "new file mode" in said, "deleted file mode" in said
    if cut:
        if moved:
            name = said.get("rename to", said.get("copy to", ""))
            done = said.get("similarity index") == "100%" and said.get("diff --git", name).endswith(name)
        elif made or gone:
            done = _is_empty(said, new=made)
        else:
            done = "new mode" in said and "index" not in said
        return None if done and "---" not in said else "no_end"
    if made and ("---" in said or ("index" in said and not _is_empty(said, new=True))):
        return "no_end"
    return None if moved or made or gone or "new mode" in said else "empty"


def _both_names(said: dict[str, str]) -> tuple[str | None, str | None]:
    """The names of a section's first line."""
    if "diff --git" in said:
        return _split_names(said["diff --git"])
    name = said.get("diff --cc", said.get("Index"))
    return name, name


def _split_names(both: str) -> tuple[str, str]:
    """The two names of `diff --git`. They may hold spaces, but are the same in all but the prefix, as a rule."""
    if both.startswith('"'):
        end = both.find('" ', 1) + 1
        return (both[:end], both[end + 1 :]) if end else (both, both)
    if both.endswith('"') and ' "' in both:
        old, _, new = both.partition(' "')
        return old, f'"{new}'
    middle = len(both) // 2
    old, new = both[:middle], both[middle + 1 :]
    if both[middle : middle + 1] == " " and (old == new or old.partition("/")[2] == new.partition("/")[2] != ""):
        return old, new
    old, between, new = both.partition(" b/")
    if between:
        return old, f"b/{new}"
    old, _, new = both.rpartition(" ")
    return old or new, new


def _name(written: str | None) -> str | None:
    """A name as the file system has it."""
    return _unquoted(written) if written and written.startswith('"') else written


def _unquoted(written: str) -> str:
    raw, at = bytearray(), 1
    while at < len(written) and written[at] != '"':
        if written[at] != "\\":
            raw += written[at].encode("utf-8", "surrogatepass")
            at += 1
        elif (escape := written[at + 1 : at + 2]) in _ESCAPES:
            raw.append(_ESCAPES[escape])
            at += 2
        else:
            byte = _octal(written[at + 1 : at + 4])
            if byte is None or byte > _MOST_BYTE:
                return written
            raw.append(byte)
            at += 4
    return raw.decode("utf-8", "surrogateescape") if at < len(written) else written


def _prefixed(old: str | None, new: str | None) -> bool:
    if not old or not new or old[0] == new[0]:
        return False
    return old[1:2] == new[1:2] == "/" and {old[0], new[0]} <= _PREFIXES


def _without_prefix(name: str | None) -> str | None:
    return name[2:] if name and name[1:2] == "/" and name[0] in _PREFIXES else name


def _problem(said: dict[str, str]) -> str | None:
    if "diff --cc" in said:
        return "not_a_hunk"
    modes = [said[word] for word in ("old mode", "new mode", "new file mode", "deleted file mode") if word in said]
    for written in (*modes, said.get("index", "").rpartition(" ")[2]):
        mode = _octal(written)
        if mode and mode & _KIND not in {0, _REGULAR}:
            return "not_a_file"
    return "binary" if "Binary files" in said or "GIT binary patch" in said else None


def _octal(written: str | None) -> int | None:
    if not written or len(written) > len("100644") or not _OCTAL.issuperset(written):
        return None
    return int(written, 8)


def _is_empty(said: dict[str, str], *, new: bool) -> bool:
    """Whether the line `index old..new` says that the file holds nothing, on that side."""
    old_hash, _, new_hash = said.get("index", "").partition(" ")[0].partition("..")
    written = new_hash if new else old_hash
    return bool(written) and any(blob.startswith(written) for blob in _EMPTY_BLOBS)
