"""`grep` and `glob`: find files by content and by name.

They answer as ripgrep prints, with the file's name once above its lines. `^` and `$` match at line breaks, and every
match counts. A glob without a slash matches names at any depth, as in ripgrep's `-g`.
"""

from __future__ import annotations

from itertools import chain

from suture import shapes
from suture.audience import AGENT
from suture.budget import LINE_CHARS, NOTICE_CHARS
from suture.errors import FileNotFound, InvalidArguments, NoFilesMatched, SutureError
from suture.files.glob import WILD, escape
from suture.files.paths import display_path
from suture.tools import results, spec
from suture.tools.paths import EVERYTHING
from suture.tools.search import Search, find_in_paths
from suture.tools.spec import Answer, Example, Request, ToolSpec
from suture.wording import as_path, count, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Self

    from suture.engine.session import Session
    from suture.tools.search import FileMatches, Line

_ALIASES = {"-i": "ignore_case", "-C": "context", "include": "glob", "dir_path": "path"}
_VIEWS = {"files_with_matches": "names", "content": "lines", "count": "numbers"}
_INLINE = {"i": "ignore_case", "s": "multiline"}
_MAX_CONTEXT = 1_000  # lines around a match: more is a file to read
_MAX_LINE_CHARS = LINE_CHARS - 50  # of a line that is shown, beside its number and a note
_SHOWN_BEFORE = 100  # characters before the first match of a line that is cut
_NARROWER = "narrow pattern, path or glob"
_NARROWER_GLOB = "narrow pattern or path"
_RAISE = ", or raise head_limit"
_TYPES = {
    "c": "*.{c,h}",
    "cpp": "*.{cpp,cc,cxx,hpp,hh,hxx,h}",
    "js": "*.{js,jsx,mjs,cjs}",
    "kotlin": "*.{kt,kts}",
    "markdown": "*.{md,markdown}",
    "python": "*.py",
    "ruby": "*.rb",
    "rust": "*.rs",
    "ts": "*.{ts,tsx,mts,cts}",
    "yaml": "*.{yaml,yml}",
}
"""Globs for ripgrep's types whose name is not simply the ending."""


class Grep(Request):
    """Arguments of `grep`."""

    pattern: str = spec.text("Regular expression")
    path: str | None = spec.text("File or folder (default: all)", default=None)
    glob: str | None = spec.text("Only these files: *.py, src/**/*.{js,ts}; !*.min.js excludes", default=None)
    output_mode: str = spec.text(
        "The files, their lines, or the number of matches in each",
        default="files_with_matches",
        choices=tuple(_VIEWS),
        told=False,
    )
    context: int = spec.integer(
        "Lines before and after each match (output_mode content)", default=0, minimum=0, maximum=_MAX_CONTEXT
    )
    ignore_case: bool = spec.flag("Ignore case", told=False)
    multiline: bool = spec.flag("Let . match line breaks")
    head_limit: int = spec.integer("Maximum number of files or lines; 0: no limit", default=100, minimum=0, told=False)
    include_ignored: bool = spec.flag("Include files that .gitignore ignores", listed=False)

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> Self:
        """Check a call's arguments; those of ripgrep's options and inline flags such as `(?i)` are understood."""
        fields = spec.rename_fields(given, _ALIASES)
        fields.pop("-n", None)
        around = [fields.pop(name) for name in ("-A", "-B") if name in fields]
        if around and "context" not in fields:
            fields["context"] = max(around, key=str)
        kind = fields.pop("type", None)
        if isinstance(kind, str) and fields.get("glob") is None:
            fields["glob"] = _TYPES.get(kind, f"*.{kind}")
        request = super().parse(fields)
        if not request.pattern:
            raise InvalidArguments.of("pattern", "must not be empty")
        flags, closed, rest = request.pattern.removeprefix("(?").partition(")")
        if request.pattern.startswith("(?") and closed and flags and set(flags) <= {*_INLINE, "m"}:
            return request.evolve(pattern=rest, **{_INLINE[flag]: True for flag in flags if flag in _INLINE})
        return request


class Glob(Request):
    """Arguments of `glob`."""

    pattern: str = spec.text("Such as **/*.py or src/*.{js,ts}; without a slash, at any depth")
    path: str | None = spec.text("Folder", default=None, told=False)
    head_limit: int = spec.integer("Maximum number of paths; 0: no limit", default=200, minimum=0, told=False)
    include_ignored: bool = spec.flag("Include files that .gitignore ignores", listed=False)


class GrepResult(results.ToolData):
    """What `grep` found."""

    files: list[dict[str, object]] = shapes.values("path and number of matches of each file", "object")
    total: int = shapes.integer("Files, lines or matches, as output_mode says")
    truncated: bool = shapes.flag("Whether some are not shown")


class GlobResult(results.ToolData):
    """The files that `glob` found."""

    paths: list[str] = shapes.values("The paths")
    total: int = shapes.integer("How many")
    truncated: bool = shapes.flag("Whether some are not shown")


def globs(session: Session, path: str | None, glob: str | None) -> tuple[list[str], list[str]]:
    """The paths to search, and the globs to exclude, for a file or folder and a glob below it."""
    exclude = [glob[1:]] if glob is not None and glob.startswith("!") else []
    glob = None if exclude else glob
    if path is not None and not _is_folder(session, path):
        if WILD.isdisjoint(path) and session.locate(path).stat is None:
            raise FileNotFound(path=path, near=session.similar_files(path))
        return [path], exclude  # a file or a glob
    base = "" if path is None else escape(session.locate(path, folders=True).name)
    base = f"{base}/" if base else ""
    if glob is None:
        return [f"{base}{EVERYTHING}"], exclude
    if glob.startswith("/"):
        return [glob], exclude
    glob = glob.removeprefix("./")
    whole = glob if base and glob.startswith(base) else f"{base}{glob}"
    if _is_folder(session, whole):
        return [f"{whole.rstrip('/')}/{EVERYTHING}"], exclude
    return [f"{base}**/{glob}" if "/" not in glob else whole], exclude


def _is_folder(session: Session, path: str) -> bool:
    """Whether a path or glob is the name of a folder."""
    try:
        stat = session.locate(path, folders=True).stat
    except SutureError:
        return False  # whoever uses it says what is wrong
    return stat is not None and stat.kind == "folder"


def no_files(pattern: str, error: NoFilesMatched) -> str:
    """What to answer if no file matches a glob."""
    return f"No files match {plain(pattern)}.{f' {error.hidden_by}.' if error.hidden_by else ''}"


def whole_pattern(pattern: str, flags: str) -> str:
    """A pattern in the delimited form, so that its own slashes mean nothing."""
    return f"/{pattern}/{flags}"


def grep(session: Session, request: Grep) -> Answer:
    """Search files, and show the files, their lines, or the number of matches."""
    paths, exclude = globs(session, request.path, request.glob)
    flags = f"gm{'i' * request.ignore_case}{'s' * request.multiline}"
    search = Search(
        paths=paths,
        pattern=whole_pattern(request.pattern, flags),
        flags=None,
        context_before=request.context,
        context_after=request.context,
        max_matches=None,
        exclude=exclude,
        include_ignored=request.include_ignored,
        encoding=None,
        view=_VIEWS[request.output_mode],
    )
    try:
        files, binary = find_in_paths(session, search, by_line=not request.multiline, any_break=True)
    except NoFilesMatched as error:
        if request.path is not None and request.glob is None and error.hidden_by is None:
            words = f"{plain(request.path)} contains no files to search."
            return _nothing(words, GrepResult(files=[], total=0, truncated=False))
        empty = GrepResult(files=[], total=0, truncated=False)
        return _nothing(no_files(request.glob or request.path or "*", error), empty)
    if binary:
        empty = GrepResult(files=[], total=0, truncated=False)
        return _nothing(f"{plain(binary[0])} is binary and was not searched.", empty)
    one_file = request.path is not None and [file.name for file in files] == [request.path]
    lines, total, noun = _lines(files, request, one_file=one_file)
    shown = fitting(lines, request.head_limit, session.settings.max_answer_chars)
    result = GrepResult(
        files=[{"path": file.name, "matches": len(file.matches)} for file in files],
        total=total,
        truncated=shown.left > 0,
    )
    if not files:
        return _nothing("No matches.", result)
    notes = []
    if shown.left:
        more = count(shown.left, f"more {noun}")
        where = f" in {count(shown.files_left, 'file')}" if request.output_mode == "content" and not one_file else ""
        notes.append(f"… {more}{where}; {_NARROWER}{_RAISE * shown.by_number}")
    return Answer("\n".join([*shown.lines, *notes]), result.data())


class Shown:
    """The first lines of an answer, and how many more there are."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.left = 0
        """Entries that are not shown."""
        self.files_left = 0
        """Files with entries that are not shown."""
        self.by_number = False
        """Whether it is their number that left them out, and not their size."""


def fitting(entries: Iterator[tuple[str, str | None]], most: int, most_chars: int) -> Shown:
    """The first entries, up to a number (0: no limit) and to a number of characters.

    An entry is its heading, which is shown once, and its text; None for a line that only separates.
    """
    shown, room, used, heading, left_in = Shown(), most_chars - NOTICE_CHARS, 0, "", set[str]()
    separator = ""
    for name, text in entries:
        if text is None:
            separator = "--"
            continue
        head = [] if name == heading else [*([""] if heading and name else []), *([name] if name else [])]
        head = head or ([separator] if separator else [])
        size = sum(len(line) + 1 for line in (*head, text))
        if shown.left or (used == most and most) or (size > room and used):
            shown.by_number = shown.by_number or (not shown.left and used == most)
            shown.left += 1
            left_in.add(name)
            continue
        shown.lines += [*head, text]
        room, used, heading, separator = room - size, used + 1, name, ""
    shown.files_left = len(left_in)
    return shown


def _lines(
    files: Sequence[FileMatches], request: Grep, *, one_file: bool
) -> tuple[Iterator[tuple[str, str | None]], int, str]:
    """The entries of an answer, how many there are, and what they are."""
    if request.output_mode == "files_with_matches":
        return (("", as_path(file.name)) for file in files), len(files), "file"
    if request.output_mode == "count":
        total = sum(len(file.matches) for file in files)
        return (("", f"{as_path(file.name)}:{len(file.matches)}") for file in files), total, "file"
    by_file = [(file, file.lines(request.context)) for file in files]
    entries = chain.from_iterable(_content("" if one_file else file.name, lines) for file, lines in by_file)
    return entries, sum(len(lines) for _, lines in by_file), "line"


def _content(name: str, lines: Sequence[Line]) -> Iterator[tuple[str, str | None]]:
    """The lines of a file, with `:` after the number of a line that matches, and `-` after that of another."""
    name, last = as_path(name), 0
    for number, content, spans in lines:
        if last and number > last + 1 and any(line[2] is None for line in lines):
            yield name, None
        last = number
        yield name, f"{number}{'-' if spans is None else ':'}{_cut(content, spans)}"


def _cut(content: str, spans: Sequence[tuple[int, int]] | None) -> str:
    """A line as it is shown: a very long one only around its first match."""
    if len(content) <= _MAX_LINE_CHARS:
        return content
    at = max(spans[0][0] - _SHOWN_BEFORE, 0) if spans else 0
    part = content[at : at + _MAX_LINE_CHARS]
    return f"{'… ' if at else ''}{part} … ({len(content):,} characters)"


def glob(session: Session, request: Glob) -> Answer:
    """The files whose paths match a pattern, sorted."""
    (pattern,), exclude = globs(session, request.path, request.pattern)
    try:
        root, runs = session.runs(pattern, exclude, include_ignored=request.include_ignored)
        paths = [display_path(session.trees, root, prefix + name) for _, prefix, names in runs for name in names]
    except NoFilesMatched as error:
        empty = GlobResult(paths=[], total=0, truncated=False)
        return _nothing(no_files(request.pattern, error), empty)
    shown = fitting((("", as_path(path)) for path in paths), request.head_limit, session.settings.max_answer_chars)
    notes = (
        [f"… {shown.left:,} more of {len(paths):,}; {_NARROWER_GLOB}{_RAISE * shown.by_number}"] if shown.left else []
    )
    result = GlobResult(paths=paths, total=len(paths), truncated=shown.left > 0)
    return Answer("\n".join([*shown.lines, *notes]), result.data())


def _nothing(words: str, result: GrepResult | GlobResult) -> Answer:
    return Answer(words.strip(), result.data())


GREP = ToolSpec(
    name="grep",
    title="Search files",
    description=(
        "Search file contents with a JavaScript regular expression; ^ and $ match at each line. Ignored and hidden "
        "files are skipped unless path names them."
    ),
    request=Grep,
    examples=(
        Example(
            "Which files contain a word",
            {"src/app.js": "import os\n", "lib/web.js": "import re\n", "notes.txt": "import\n"},
            {"pattern": "^import \\w+", "glob": "*.js"},
            "lib/web.js\nsrc/app.js",
        ),
        Example(
            "The lines, with one line around each",
            {"src/app.py": "import os\n\ndef main():\n    return os.name\n"},
            {"pattern": "def \\w+", "output_mode": "content", "context": 1},
            "src/app.py\n2-\n3:def main():\n4-    return os.name",
        ),
    ),
    read=grep,
    audience=AGENT,
)
GLOB = ToolSpec(
    name="glob",
    title="Find files",
    description="List files whose paths match a glob. Ignored and hidden files are skipped.",
    request=Glob,
    examples=(
        Example(
            "By name, in any folder",
            {"src/app.js": "", "lib/app.js": "", "notes.txt": ""},
            {"pattern": "app.js"},
            "lib/app.js\nsrc/app.js",
        ),
    ),
    read=glob,
    audience=AGENT,
)
