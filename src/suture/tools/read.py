"""`file_read`: a file's lines, numbered or raw, and what an edit must respect. Also the files that commands read.

`search`, `replace` and `check` take `paths`: a path is a file, a folder (everything below it) or a glob. A file with
exactly that name takes precedence over a glob, since shells pass names such as `[id].tsx`. A file that is named is read
even if `.gitignore` ignores it.

Rejected: combining all paths into one glob `{a,b}`. Links and ignored folders that are named would not be followed, and
a name that does not exist would go unnoticed.
"""

from __future__ import annotations

from suture import shapes
from suture.errors import InvalidArguments, NoFilesMatched, RangeOutOfBounds, SutureError
from suture.text import detect
from suture.tools import results, spec
from suture.tools.spec import Answer, Example, Request, ToolSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeVar

    from suture.engine.session import Session
    from suture.files.glob import Excluded
    from suture.files.paths import Target
    from suture.text import Text

    T = TypeVar("T")


class FileRead(Request):
    """Arguments of `file_read`."""

    path: str = spec.text("Path of the file, absolute or relative to the workspace root")
    start_line: int = spec.integer("First line, counted from 1", default=1, minimum=1)
    end_line: int | None = spec.integer("Last line, inclusive; to the end if omitted", default=None, minimum=1)
    format: str = spec.text(
        "numbered: each line prefixed with its number and a tab; raw: as in the file",
        default="numbered",
        choices=("numbered", "raw"),
    )
    encoding: str | None = spec.ENCODING


class Indentation(shapes.Data):
    """How a file's lines are indented."""

    style: str = shapes.text("Kind of indentation", ("spaces", "tabs", "mixed", "none"))
    width: int = shapes.integer("Spaces per level; 0 if there are none")


class FileReadResult(results.ToolData):
    """What an edit of the file must respect."""

    path: str = results.PATH
    hash: str = shapes.digest("Of the whole file, for expect_hash")
    size: int = shapes.integer("Of the whole file, in bytes")
    encoding: str | None = shapes.text("Null if it is unknown").nullable
    bom: bool = shapes.flag("Whether it begins with a byte order mark")
    line_ending: str = shapes.text("How its lines end", ("lf", "crlf", "cr", "mixed", "none"))
    final_newline: bool = shapes.flag("Whether the last line has a line ending")
    indent: Indentation = shapes.member("How its lines are indented", Indentation)
    total_lines: int = shapes.integer("Of the whole file")
    start_line: int = shapes.integer("First line that is shown, from 1")
    end_line: int = shapes.integer("Last line that is shown, inclusive")
    truncated: bool = shapes.flag("Whether some requested lines are not shown")


def read(session: Session, request: FileRead) -> Answer:
    """Read lines `start_line` to `end_line`."""
    snapshot = session.text(request.path, request.encoding)
    body, lines = snapshot.text, snapshot.text.lines
    total = len(lines)
    first, last = request.start_line, total if request.end_line is None else min(request.end_line, total)
    if first > max(total, 1) or (request.end_line is not None and request.end_line < first):
        raise RangeOutOfBounds(path=snapshot.place.name, start_line=first, end_line=request.end_line, total_lines=total)
    session.show(snapshot)
    most = session.settings.max_read_bytes
    shown_last = _last_within(body, first, last, session.settings.max_read_lines, most)
    shown = _number_lines(body, first, shown_last) if request.format == "numbered" else _raw(body, first, shown_last)
    truncated = shown_last < last or len(shown) > most
    shown = shown[:most]
    if request.format == "numbered":  # raw is the file's text and nothing else
        if truncated:
            start_line = session.audience.argument("start_line")
            shown += (
                f"\n\nNote: truncated after line {shown_last} of {total}; continue with {start_line} {shown_last + 1}."
            )
        if body.encoding is None:
            encoding = session.audience.argument("encoding")
            shown += (
                f"\n\nNote: the encoding is unknown; name it with `{encoding}` to see the characters shown as U+FFFD."
            )
    indent = detect(body.body)
    result = FileReadResult(
        path=snapshot.place.name,
        hash=snapshot.content.digest,
        size=snapshot.content.size,
        encoding=body.encoding,
        bom=bool(body.bom),
        line_ending=lines.style(),
        final_newline=body.final_newline,
        indent=Indentation(style=indent.style, width=indent.width),
        total_lines=total,
        start_line=first,
        end_line=shown_last,
        truncated=truncated,
    )
    return Answer(shown, result.data(), verbatim=request.format == "raw")


def _last_within(body: Text, first: int, last: int, max_lines: int, max_bytes: int) -> int:
    """The last line that fits into one answer; at least the first."""
    last = min(last, first + max_lines - 1)
    if last < first:
        return last
    start = body.lines.span(first)[0]
    if body.lines.span(last)[1] - start <= max_bytes:
        return last
    return max(first, min(last, body.lines.at(start + max_bytes) - 1))


def _number_lines(body: Text, first: int, last: int) -> str:
    lines = body.lines.contents(first, last)
    return "\n".join([f"{number:6d}\t{line.decode('utf-8', 'replace')}" for number, line in enumerate(lines, first)])


def _raw(body: Text, first: int, last: int) -> str:
    if last < first:
        return ""
    return body.show(body.lines.span(first)[0], body.lines.span(last)[1])


FILE_READ = ToolSpec(
    name="file_read",
    title="Read a file",
    description=(
        "Read a text file, whole or a range of lines. The answer has each line prefixed with its number and a tab "
        "(format numbered), or the text as it is in the file (format raw). The metadata has what an edit "
        "must respect: encoding, line ending, indentation, final newline, and the file's hash for expect_hash."
    ),
    request=FileRead,
    examples=(
        Example(
            "The second and third line",
            {"notes.txt": "one\ntwo\nthree\nfour\n"},
            {"path": "notes.txt", "start_line": 2, "end_line": 3},
            "     2\ttwo\n     3\tthree",
        ),
        Example(
            "A whole file as it is",
            {"src/app.py": "def main():\n    return 0\n"},
            {"path": "src/app.py", "format": "raw"},
            "def main():\n    return 0\n",
        ),
    ),
    read=read,
    result=FileReadResult,
)

EVERYTHING = "**/*"


def visit_paths(
    session: Session, request: Any, in_file: Callable[[str], T], in_glob: Callable[[str, list[str]], T]
) -> Iterator[T]:
    """The result for each path. A glob that matches no file is an error; an empty folder only if no path has files.

    `in_glob` also gets what to exclude: with an encoding, the files that have it are left to `in_file`.
    """
    from suture.files.glob import Excluded, escape  # `file_read` needs none

    excluded, failures = Excluded(request.exclude), list[NoFilesMatched]()
    paths = list(dict.fromkeys(request.paths)) or [EVERYTHING]
    targets = [_target(session, path) for path in paths]  # a name that does not exist is reported before any search
    named_files = [f"/{escape(target.path)}" for target in targets if target is not None and not _is_folder(target)]
    if request.encoding is not None and not named_files:
        problem = "applies only to files that are named; name them instead of folders and globs"
        raise InvalidArguments.of("encoding", problem)
    others = [*request.exclude, *(named_files if request.encoding is not None else ())]
    for path, target in zip(paths, targets, strict=True):
        if target is not None and not _is_folder(target):
            if not _is_excluded(excluded, target.path):
                session.progress(1, 0)
                yield in_file(path)
            continue
        glob = path if target is None else f"{escape(target.name)}/{EVERYTHING}" if target.path else EVERYTHING
        try:
            yield in_glob(glob, others)
        except NoFilesMatched as error:
            if target is None:
                _check_any(session, request, glob)
            failures.append(error)
    if len(failures) == len(paths):
        raise failures[0]


def _check_any(session: Session, request: Any, glob: str) -> None:
    """Refuse a glob that matches no file, not even one that is also named."""
    _, runs = session.runs(glob, request.exclude, include_ignored=request.include_ignored)
    next(iter(runs), None)


def _target(session: Session, path: str) -> Target | None:
    """The file or folder with exactly this name; None if there is none and the name may be a glob."""
    from suture.files.glob import WILD  # as above

    may_be_glob = not WILD.isdisjoint(path)
    try:
        target = session.locate(path, folders=True)
    except SutureError:
        if may_be_glob:
            return None  # the glob reports what is wrong
        raise
    if target.stat is not None:
        return target
    if not may_be_glob:
        session.read(path)  # raises an error that suggests files
    return None


def _is_folder(target: Target) -> bool:
    return target.stat is not None and target.stat.kind == "folder"


def _is_excluded(excluded: Excluded, path: str) -> bool:
    *folders, name = path.split("/")
    above = ["".join(f"{folder}/" for folder in folders[:depth]) for depth in range(len(folders) + 1)]
    inside = any(excluded.folders([folder], prefix) for folder, prefix in zip(folders, above, strict=False))
    return inside or bool(excluded.files([name], above[-1]))
