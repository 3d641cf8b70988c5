r"""Unified diffs, and the file names that git writes in them.

    name    = text | '"' { character | escape } '"'
    escape  = "\" ( "a" | "b" | "t" | "n" | "v" | "f" | "r" | '"' | "\" | octal octal octal )
    header  = keyword value, as git writes them: see `KEYWORDS`

Prefixes are removed if the two names have two different prefixes of git's: `a/` and `b/`, or `i/`, `w/`, `c/`, `o/`,
`1/`, `2/`. Beside `/dev/null`, only `a/` of an old name and `b/` of a new one are prefixes, unless `diff --git` says
otherwise. A quoted name with an escape that git does not write is taken as written.

    diff     = { section }
    section  = [ "Index: " name, line of "=" ] [ "diff " arguments { git's headers } ] [ "--- " name, "+++ " name ]
               { hunk }; a tab and a time may follow a name
    hunk     = "@@ -" range " +" range " @@" [ " " text ], { line [ "\ No newline at end of file" ] }
    range    = start [ "," count ]
    line     = ( " " | "-" | "+" ) text

Where it is looser:

- A hunk header may lack its numbers: `@@`, `@@ @@`, `@@ ... @@`. It may have a line of the file instead, which is
  context; so may several headers in a row: `@@ class A:`, `@@ def f(self):`.
- In a fence, a diff may begin with a hunk.
- An empty line is an empty context line if lines of the hunk follow or its counts say so.
- In a fence, any other line without a prefix is a context line as written.
- Counts decide where a hunk ends if they are right, that is, if no line of the hunk follows once they are satisfied. So
  a removed `-- x` is not taken for a header. Otherwise the prefixes decide, and `--- ` before `+++ ` is a header if a
  hunk or nothing at all follows. Outside a fence, an empty line ends a hunk whose counts are satisfied, and a line
  without a prefix makes one whose counts are not satisfied unusable.
"""

from __future__ import annotations

from suture.formats import Block, Hunk, Split
from suture.formats.file_names import closes_fence
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from suture.formats import Reader, Source

    Waiting = Generator[None, None, int]

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
_MAX_BYTE = 0xFF  # the largest escape: three octal digits can be more
_KIND, _REGULAR = 0o170000, 0o100000  # in git's modes: the bits of the file type, and those of a regular file
_EMPTY_BLOBS = (  # git's names of an empty file, in SHA-1 and SHA-256
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
)

_UNFINISHED = "\\ "
_GIT_STARTS = ("diff --git ", "diff --cc ", "diff --combined ")
_NUMBERLESS = frozenset(".…-+, 0123456789")


class Heading(Record):
    """What a section does to which file, apart from its hunks."""

    action: str
    path: str | None
    path_as_written: str | None
    to: str | None = None
    mode: int | None = None
    copied_from: str | None = None
    problem: str | None = None


class HunkHeader(Record):
    """A line with `@@`."""

    start: int | None = None
    counts: tuple[int, int] | None = None
    """The numbers of lines, before and after the change, that it announces."""
    context: tuple[str, ...] = ()
    section: str = ""
    """The text after the numbers: in git, the header of the section in which the hunk begins."""

    def place(self, old: str) -> int | None:
        """The line at which a hunk with this header and old text begins; None if they contradict each other."""
        return None if self.counts and self.counts[0] and not old else self.start


def heading(fields: dict[str, str]) -> Heading:
    """Read a header, given the values after `---`, `+++`, `Index`, `diff --git`, `diff --cc` and git's keywords."""
    first, second = _both_names(fields)
    old, new = fields.get("---", first), fields.get("+++", second or fields.get("---"))
    names = _name(old), _name(new)
    stripped = _have_git_prefixes(_name(first), _name(second)) or _have_git_prefixes(*names)
    if NOWHERE in names and not stripped:
        before, after = (name and name.removeprefix(prefix) for name, prefix in zip(names, ("a/", "b/"), strict=True))
    else:
        before, after = (_without_prefix(name) if stripped else name for name in names)
    mode = _octal(fields.get("new file mode", fields.get("new mode")))
    problem = _problem(fields)
    if "rename from" in fields or "rename to" in fields:
        source, to = _name(fields.get("rename from")) or before, _name(fields.get("rename to")) or after
        return Heading("rename", source, fields.get("rename from", old), to, mode, problem=problem)
    if "copy from" in fields or "copy to" in fields:
        source, path = _name(fields.get("copy from")) or before, _name(fields.get("copy to")) or after
        return Heading("create", path, fields.get("copy to", new), None, mode, source, problem)
    if "new file mode" in fields or before == NOWHERE != after:
        return Heading("create", after, new, mode=mode, problem=problem)
    if "deleted file mode" in fields or after == NOWHERE != before:
        return Heading("delete", before, old, problem=problem)
    if after == NOWHERE:
        return Heading("update", None, new, problem="empty")
    return Heading("update", after, new, mode=mode, problem=problem)


def problem_without_hunks(fields: dict[str, str], *, cut: bool) -> str | None:
    """The problem of a section without hunks, if any. It may need none, unless the reply is `cut` before them.

    Git's header says whether a file is empty or was renamed without changes.
    """
    moved = {"rename from", "rename to"} <= fields.keys() or {"copy from", "copy to"} <= fields.keys()
    created, deleted = "new file mode" in fields, "deleted file mode" in fields
    if cut:
        if moved:
            name = fields.get("rename to", fields.get("copy to", ""))
            done = fields.get("similarity index") == "100%" and fields.get("diff --git", name).endswith(name)
        elif created or deleted:
            done = _is_empty(fields, new=created)
        else:
            done = "new mode" in fields and "index" not in fields
        return None if done and "---" not in fields else "no_end"
    if created and ("---" in fields or ("index" in fields and not _is_empty(fields, new=True))):
        return "no_end"
    return None if moved or created or deleted or "new mode" in fields else "empty"


def begin(source: Source, at: int) -> Reader | None:
    """The reader of the diff that begins at a line, or None."""
    if begins(source.line(at) or "", source.line(at + 1), fenced=source.is_diff):
        return read(source, at, source.fence or None)
    return None


def begins(line: str, next_line: str | None, *, fenced: bool = False) -> bool:
    """Whether a diff begins at a line; `fenced` means in a fence for diffs."""
    following = next_line or ""
    if line.startswith("--- "):
        return following.startswith("+++ ")
    if line.startswith("Index: "):
        return following.startswith("===") and not following.strip("=\r ")
    return line.startswith(_GIT_STARTS) or (fenced and _begins_hunk(line))


def read(source: Source, at: int, fence: str | None) -> Reader:
    """Read the sections of the diff that begins at a line."""
    while True:
        at = yield from _section(source, at, fence)
        after = yield from _skip_blanks(source, at)
        if not (yield from _begins_section(source, after)):
            return at
        at = after


def hunk_header(line: str) -> HunkHeader | None:
    """Parse a hunk header; None for other lines."""
    text = line.rstrip()
    if text != "@@" and not text.startswith("@@ "):
        return None
    text = text[3:]
    closed = text.startswith("@@") or " @@" in text
    inside = "" if text.startswith("@@") else text.partition(" @@")[0]
    ranges = inside.strip().split(" ")
    if len(ranges) == 2:  # noqa: PLR2004  one of the file before, one of the file after
        old, new = _range(ranges[0], "-"), _range(ranges[1], "+")
        if old and new:
            return HunkHeader(old[0], (old[1], new[1]), section=text.partition("@@")[2].strip())
    if _NUMBERLESS.issuperset(inside) or (closed and inside.startswith("-")):
        return HunkHeader()
    return HunkHeader(context=(inside.rstrip(),))


def split_of(lines: Sequence[str]) -> Split | None:
    """The old and new text of a hunk's lines; None if another line follows one without a newline."""
    old: list[str] = []
    new: list[str] = []
    both, sides = [old, new], [old, new]
    marks = {"-": [old], "+": [new]}
    for line in lines:
        if line.startswith(_UNFINISHED):
            for side in sides:
                side[-1:] = [text.removesuffix("\n") for text in side[-1:]]
            continue
        mark = line[:1]
        sides = marks.get(mark, both)
        if any(side and not side[-1].endswith("\n") for side in sides):
            return None
        text = f"{line[1:] if mark in {' ', '-', '+'} else line}\n"
        for side in sides:
            side.append(text)
    return Split("".join(old), "".join(new))


def make_hunk(line: int, headers: Sequence[HunkHeader], *splits: Split, at_end: bool = False) -> Hunk:
    """A hunk below some headers, with the ways to read it."""
    context = tuple(name for header in headers for name in header.context)
    last = headers[-1] if headers else HunkHeader()
    at = last.place(splits[0].old)
    return Hunk(line, splits, context, at, at_end, likely=len(splits) - 1, section=last.section)


def is_blank(line: str) -> bool:
    r"""Whether a line is empty, apart from the `\r` of a `\r\n`."""
    return line in {"", "\r"}


def without_blanks(lines: Sequence[str], end: int) -> int:
    """The number of the first `end` lines without trailing empty ones."""
    while end and is_blank(lines[end - 1]):
        end -= 1
    return end


def is_bare(line: str) -> bool:
    """Whether a line is a line of a hunk and not a header: models forget the `@@`."""
    return line[:1] in {" ", "+", "-"} and not line.startswith(("--- ", "+++ "))


def _both_names(fields: dict[str, str]) -> tuple[str | None, str | None]:
    """The two names on a section's first line."""
    if "diff --git" in fields:
        return _split_names(fields["diff --git"])
    name = fields.get("diff --cc", fields.get("Index"))
    return name, name


def _split_names(both: str) -> tuple[str, str]:
    """The two names of `diff --git`. They may contain spaces, but usually differ only in the prefix."""
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
    """A name as in the file system, unquoted."""
    return _unquote(written) if written and written.startswith('"') else written


def _unquote(written: str) -> str:
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
            if byte is None or byte > _MAX_BYTE:
                return written
            raw.append(byte)
            at += 4
    return raw.decode("utf-8", "surrogateescape") if at < len(written) else written


def _have_git_prefixes(old: str | None, new: str | None) -> bool:
    if not old or not new or old[0] == new[0]:
        return False
    return old[1:2] == new[1:2] == "/" and {old[0], new[0]} <= _PREFIXES


def _without_prefix(name: str | None) -> str | None:
    return name[2:] if name and name[1:2] == "/" and name[0] in _PREFIXES else name


def _problem(fields: dict[str, str]) -> str | None:
    if "diff --cc" in fields:
        return "not_a_hunk"
    modes = [fields[word] for word in ("old mode", "new mode", "new file mode", "deleted file mode") if word in fields]
    for written in (*modes, fields.get("index", "").rpartition(" ")[2]):
        mode = _octal(written)
        if mode and mode & _KIND not in {0, _REGULAR}:
            return "not_a_file"
    return "binary" if "Binary files" in fields or "GIT binary patch" in fields else None


def _octal(written: str | None) -> int | None:
    if not written or len(written) > len("100644") or not _OCTAL.issuperset(written):
        return None
    return int(written, 8)


def _is_empty(fields: dict[str, str], *, new: bool) -> bool:
    """Whether the line `index old..new` says that the file is empty on that side."""
    old_hash, _, new_hash = fields.get("index", "").partition(" ")[0].partition("..")
    written = new_hash if new else old_hash
    return bool(written) and any(blob.startswith(written) for blob in _EMPTY_BLOBS)


class _OpenSection:
    """The section that is currently read."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.fields: dict[str, str] = {}
        self.end = first
        """The end of its usable lines."""
        self.hunks: list[Hunk] = []
        self.problem: str | None = None
        self.problem_line = 0
        self.headers: list[HunkHeader] = []
        """Hunk headers that no line has followed yet."""
        self.headers_line = 0

    def add(self, lines: Sequence[str], end: int, counted: int | None) -> None:
        """Add the lines after the last header as a hunk; the split with only the `counted` ones comes first, if any."""
        split = split_of(lines)
        short = None if counted is None or counted >= len(lines) else split_of(lines[:counted])
        if split is None:
            self.reject("not_a_hunk")
        elif lines and self.problem is None:
            splits = (split,) if short is None else (short, split)
            self.hunks.append(make_hunk(self.headers_line, self.headers, *splits))
            self.headers.clear()
            self.end = end

    def reject(self, problem: str) -> None:
        """Mark everything from here on as unusable."""
        if self.problem is None:
            self.problem, self.problem_line = problem, self.headers_line


def _section(source: Source, at: int, fence: str | None) -> Reader:
    section = _OpenSection(at)
    at = yield from _header(source, at, section.fields)
    if "GIT binary patch" in section.fields:
        at = yield from _skip_binary(source, at)
    section.end = at
    while True:
        start = yield from _skip_blanks(source, at)
        line = source.line(start)
        bare = fence is not None and not section.hunks and not section.headers and line is not None and is_bare(line)
        if line is None or not (bare or _begins_hunk(line)):
            break
        at = yield from _hunk(source, start - bare, fence, section, bare=bare)
    if line is None and not section.hunks and section.problem is None:
        section.problem = "no_end" if fence else problem_without_hunks(section.fields, cut=True)
    yield from _blocks(section, at)
    if fence is None and section.hunks and section.headers and section.problem is None:
        return section.headers_line - 1  # a header without lines may announce what comes next
    return at


def _hunk(source: Source, start: int, fence: str | None, section: _OpenSection, *, bare: bool) -> Waiting:
    """Read the lines of a hunk after its header; a `bare` hunk has no header."""
    if not section.headers:
        section.headers_line = start + 1 + bare
    stop = yield from _end_of_candidates(source, start + 1, fence)
    header = HunkHeader() if bare else hunk_header(source.line(start) or "")
    if header is None:
        section.reject("not_a_hunk")
        return stop
    section.headers.append(header)
    lines = source.lines[start + 1 : stop]
    if source.is_crlf(section.first):
        lines = [line.removesuffix("\r") for line in lines]
    over = source.line(stop) is None
    used = _hunk_length(lines, header, fenced=fence is not None, over=over)
    follows = _begins_hunk(source.line(stop) or "") or (yield from _begins_section(source, stop))
    ends = over and all(map(is_blank, lines[used:]))
    cut = not used or _is_short(lines[:used], header) or _may_begin_header(lines[:used], header)
    if ends and (fence or cut or (source.cut and lines[used - 1][:1] in {"+", "-"})):
        section.reject("no_end")
    elif not over and fence is None and _is_short(lines[:used], header) and not follows and _may_continue(lines, used):
        section.reject("not_a_hunk" if used == len(lines) else "no_end")  # the header says that there are more
    else:
        counted = None if fence or follows or not header.counts else _lines_by_counts(lines, *header.counts)
        section.add(lines[:used], start + 1 + used, counted)
    return start + 1 + used


def _blocks(section: _OpenSection, end: int) -> Iterator[Block]:
    """The blocks of a section, with its problem if any."""
    about = heading(section.fields)
    splits = [hunk.splits[0] for hunk in section.hunks]
    olds, news = "".join([split.old for split in splits]), "".join([split.new for split in splits])
    whole = about.copied_from is None and about.action in {"create", "delete"}
    problem = section.problem
    if about.problem:
        problem, whole = about.problem, True
    elif problem is None and not section.hunks:
        problem = "empty" if section.headers else problem_without_hunks(section.fields, cut=False)
    elif problem is None and whole and (olds if about.action == "create" else news):
        problem = "not_a_hunk"
    first, used = section.first + 1, section.end
    if problem and (whole or not section.hunks):
        yield _block(about, first, end, problem=problem)
    elif whole and about.action == "create":
        yield _block(about, first, used, content=news)
    else:
        yield _block(about, first, used, hunks=tuple(section.hunks))
        if problem:
            yield _block(about, section.problem_line, end, problem=problem)


def _block(
    about: Heading,
    line: int,
    end: int,
    *,
    hunks: tuple[Hunk, ...] = (),
    content: str | None = None,
    problem: str | None = None,
) -> Block:
    common = (0, "unified", about.action, line, end, about.path, about.path_as_written, ())
    return Block(*common, hunks, content, about.to, about.mode, about.copied_from, problem)


def _header(source: Source, at: int, fields: dict[str, str]) -> Waiting:
    """Read the header of a section. Returns the line at which the hunks begin."""
    line = yield from _line(source, at)
    if line.startswith("Index: "):
        fields["Index"] = line.removeprefix("Index: ").strip()
        at += 2
        line = yield from _line(source, at)
    git = line.startswith(_GIT_STARTS)
    if line.startswith("diff -"):
        keyword = " ".join(line.split(" ", 2)[:2])
        fields["diff --cc" if keyword == "diff --combined" else keyword] = line[len(keyword) :].strip()
        at += 1
        line = yield from _line(source, at)
    while git and (keyword := next((name for name in KEYWORDS if line.startswith(name)), "")):
        fields[keyword.rstrip()] = line[len(keyword) :].strip()
        at += 1
        line = yield from _line(source, at)
    if line.startswith("--- "):
        following = yield from _line(source, at + 1)
        if following.startswith("+++ "):
            fields["---"], fields["+++"] = _header_name(line), _header_name(following)
            return at + 2
        if source.line(at + 1) is None:
            fields["---"] = _header_name(line)
            return at + 1
    return at


def _header_name(line: str) -> str:
    """The name on a header line, without the time that may follow."""
    name, tab, _ = line[len("--- ") :].partition("\t")
    return name if tab else name.rstrip()  # git puts a tab after a name that ends with a space


def _skip_binary(source: Source, at: int) -> Waiting:
    """Skip a binary patch: one or two pieces, each ended by an empty line."""
    while (yield from _line(source, at)).startswith(("literal ", "delta ")):
        while (yield from _line(source, at)):
            at += 1
        at = yield from _skip_blanks(source, at)
    return at


def _skip_blanks(source: Source, at: int) -> Waiting:
    while not (yield from _line(source, at)) and at < len(source.lines):
        at += 1
    return at


def _end_of_candidates(source: Source, at: int, fence: str | None) -> Waiting:
    """The end of the lines that may belong to a hunk, regardless of its counts."""
    while True:
        line = yield from _line(source, at)
        if not line:
            if at >= len(source.lines):
                return at
        elif line[0] not in " +-" and not line.startswith(_UNFINISHED):
            if fence is None or (line[0] == fence[0] and closes_fence(line, fence)) or _begins_hunk(line):
                return at
            if (yield from _begins_section(source, at)):
                return at
        at += 1


def _hunk_length(lines: Sequence[str], header: HunkHeader, *, fenced: bool, over: bool) -> int:
    """The number of lines after a header that belong to its hunk."""
    if header.counts:
        end = _lines_by_counts(lines, *header.counts)
        if end is not None and not _continues(lines, end, fenced=fenced, over=over):
            return end
    end = without_blanks(lines, len(lines))
    if end > 1 and _is_header_pair(lines, end - 2):
        end = without_blanks(lines, end - 2)
    return end


def _lines_by_counts(lines: Sequence[str], old: int, new: int) -> int | None:
    """The number of lines that satisfy the counts; None if no number does."""
    end = 0
    while (old or new) and end < len(lines):
        line = lines[end]
        end += 1
        if not line.startswith(_UNFINISHED):
            old -= line[:1] != "+"
            new -= line[:1] != "-"
            if min(old, new) < 0:
                return None
    while end < len(lines) and lines[end].startswith(_UNFINISHED):
        end += 1
    return None if old or new else end


def _continues(lines: Sequence[str], at: int, *, fenced: bool, over: bool) -> bool:
    """Whether lines of a hunk follow those that its header counts."""
    foreign = False
    for number in range(at, len(lines)):
        line = lines[number]
        if is_blank(line):
            if not fenced:
                return False
        elif line.rstrip() == "--" or _is_header_pair(lines, number):  # the end of an email from git, or another file
            return False
        elif line[0] in "+-" or (line[0] == " " and not foreign):
            return not (over and number == len(lines) - 1 and line.startswith("--- "))
        else:
            foreign = True
    return False


def _is_short(lines: Sequence[str], header: HunkHeader) -> bool:
    """Whether a hunk has fewer lines than its header says."""
    shown, announced = _line_counts(lines), header.counts or (0, 0)
    return shown[0] < announced[0] or shown[1] < announced[1]


def _may_continue(lines: Sequence[str], used: int) -> bool:
    """Whether a hunk with too few lines may continue: text follows at once, or no context ends it."""
    return used == len(lines) or not used or lines[used - 1][:1] in {"+", "-"}


def _may_begin_header(lines: Sequence[str], header: HunkHeader) -> bool:
    """Whether the last line of a reply may begin another section."""
    return lines[-1].startswith("--- ") and _line_counts(lines) != header.counts


def _line_counts(lines: Sequence[str]) -> tuple[int, int]:
    """The numbers of lines before and after the change."""
    marks = [line[:1] for line in lines if not line.startswith(_UNFINISHED)]
    return len(marks) - marks.count("+"), len(marks) - marks.count("-")


def _is_header_pair(lines: Sequence[str], at: int) -> bool:
    return lines[at].startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ ")


def _begins_hunk(line: str) -> bool:
    return line.startswith(("@@ ", "@@@ ")) or line.rstrip() == "@@"


def _begins_section(source: Source, at: int) -> Generator[None, None, bool]:
    line = yield from _line(source, at)
    if not line.startswith(("diff -", "--- ", "Index: ")):
        return False
    following = yield from _line(source, at + 1)
    if line.startswith("--- ") and source.line(at + 1) is None:
        return True
    return begins(line, following) or (line.startswith("diff -") and following.startswith("--- "))


def _line(source: Source, at: int) -> Generator[None, None, str]:
    """A line, as soon as it has arrived; an empty string after the last one."""
    return (yield from source.wait(at)) or ""


def _range(text: str, sign: str) -> tuple[int, int] | None:
    """The start and count of a range, or None."""
    start, comma, count = text.removeprefix(sign).partition(",")
    if not text.startswith(sign) or not (start.isascii() and start.isdigit()) or len(text) > len("-,") + 18:
        return None
    if comma and not (count.isascii() and count.isdigit()):
        return None
    return int(start), int(count) if comma else 1
