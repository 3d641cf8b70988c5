"""`file_read`: a file's lines, numbered or raw, and what an edit must respect."""

from __future__ import annotations

from suture import shapes
from suture.errors import RangeOutOfBounds
from suture.text import detect
from suture.tools import results, spec
from suture.tools.spec import Answer, Example, Request, ToolSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from suture.engine.session import Session
    from suture.text import Text


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
