"""`read` and `file_read`: a file's lines, numbered or raw; `read` also lists a folder.

`read` gives only what a model needs next, cut to what an answer may have; `file_read` also says what an edit must
respect, as data.
"""

from __future__ import annotations

from suture import shapes
from suture.audience import AGENT
from suture.budget import LINE_CHARS, NOTICE_CHARS, shorten_line
from suture.errors import FileNotFound, RangeOutOfBounds
from suture.text import detect
from suture.tools import results, spec
from suture.tools.listing import Listing
from suture.tools.spec import Answer, Example, Request, ToolSpec, View
from suture.wording import count, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from suture.engine.session import Session
    from suture.files.paths import Target
    from suture.text import Text

_MAX_CHARS = LINE_CHARS - 10  # of a line that is shown, beside its number


class Read(Request):
    """Arguments of `read`."""

    file_path: str = spec.text("File or folder; paths are relative to the workspace root")
    offset: int = spec.integer("First line, from 1", default=1, minimum=0)
    limit: int = spec.integer("Number of lines", default=2_000, minimum=1, told=False)


class ReadResult(results.ToolData):
    """What was read."""

    path: str = results.PATH
    hash: str = results.HASH.optional
    total_lines: int = shapes.integer("Of the whole file, or entries of the folder")
    start_line: int = shapes.integer("First line or entry that is shown, from 1")
    end_line: int = shapes.integer("Last line or entry that is shown, inclusive")
    truncated: bool = shapes.flag("Whether some requested lines are not shown")


def read_path(session: Session, request: Read) -> Answer:
    """Read lines of a file, or list a folder."""
    target = session.locate(request.file_path, folders=True)
    if target.stat is None:
        raise FileNotFound(path=target.name, near=session.similar_files(request.file_path))
    if target.stat.kind == "folder":
        return _list_folder(session, target, request)
    snapshot = session.text(target.requested)
    body, name = snapshot.text, snapshot.place.name
    total, first = len(body.lines), max(request.offset, 1)
    if first > max(total, 1):
        raise RangeOutOfBounds(path=name, start_line=first, end_line=None, total_lines=total)
    session.show(snapshot)
    last = min(total, first + request.limit - 1)
    contents = body.lines.contents(first, min(last, first + session.settings.max_answer_chars))
    lines = (f"{number}\t{shorten_line(_decoded(line), _MAX_CHARS)}" for number, line in enumerate(contents, first))
    shown = _fitting(lines, session.settings.max_answer_chars - NOTICE_CHARS)
    end = first + len(shown) - 1
    notes = [] if total else [f"{plain(name)} is empty."]
    if end < last or (end < total and request.limit < total):
        notes.append(f"… {count(total - end, 'more line')} of {total:,}; continue with offset {end + 1}")
    elif first > 1:
        notes.append(f"({total:,} lines in all)")
    if any(len(line) > _MAX_CHARS and len(_decoded(line)) > _MAX_CHARS for line in contents[: len(shown)]):
        notes.append("(Long lines are cut; grep shows other parts of them.)")
    if body.encoding is None:
        notes.append("(The encoding is unknown: U+FFFD replaces what cannot be decoded.)")
    result = ReadResult(
        path=name,
        hash=snapshot.content.digest,
        total_lines=total,
        start_line=first,
        end_line=end,
        truncated=end < last,
    )
    return Answer("\n".join([*shown, *notes]), result.data())


def _list_folder(session: Session, target: Target, request: Read) -> Answer:
    """The entries of a folder, a line each; a folder ends with a slash."""
    first = max(request.offset, 1)
    listing = Listing(session, target, first - 1 + request.limit)
    entries = [plain(name) for name in listing.names()[first - 1 :]]
    shown = _fitting(entries, session.settings.max_answer_chars - NOTICE_CHARS)
    end, notes = first + len(shown) - 1, []
    if not listing.total:
        what = "has no visible files" if listing.left_out else "is an empty folder"
        notes.append(f"{plain(target.name or '.')} {what}.")
    if end < listing.total:
        notes.append(f"… {listing.total - end:,} more of {listing.total:,}; continue with offset {end + 1}")
    if listing.left_out:
        notes.append(f"({listing.left_out:,} hidden or ignored)")
    result = ReadResult(
        path=target.name or ".",
        total_lines=listing.total,
        start_line=first,
        end_line=end,
        truncated=end < listing.total,
    )
    return Answer("\n".join([*shown, *notes]), result.data())


def _decoded(line: bytes) -> str:
    return line.decode("utf-8", "replace")


def _fitting(lines: Iterable[str], most: int) -> list[str]:
    """The first lines that fit into a number of characters; at least one."""
    shown: list[str] = []
    for line in lines:
        most -= len(line) + 1
        if most < 0 and shown:
            break
        shown.append(line)
    return shown


_LONG_LINES = f"Note: lines are cut at {LINE_CHARS} characters; to see a part of one, search for it."


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
    resume, remarks = f"{session.audience.argument('start_line')} {{}}", list[str]()
    if body.encoding is None:
        encoding = session.audience.argument("encoding")
        remarks = [f"Note: the encoding is unknown; name it with `{encoding}` to see the characters shown as U+FFFD."]
    if request.format == "numbered":  # raw is the file's text and nothing else
        notes = [truncated_after(shown_last, total, resume)] if truncated else []
        shown = "\n\n".join([shown, *notes, *remarks])
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
    is_raw = request.format == "raw"
    view = FileView(body, first, shown_last, last, resume, () if is_raw else tuple(remarks), result, is_raw=is_raw)
    return Answer(shown, result.data(), verbatim=is_raw, view=view)


def truncated_after(line: int, total: int, resume: str) -> str:
    """The note on a file of which an answer shows only a part; `resume` says how to continue, with {} for a line."""
    return f"Note: truncated after line {line} of {total}; continue with {resume.format(line + 1)}."


class FileView(View):
    """Lines of a file. A model is shown as many as its answer may have."""

    body: Text
    first: int
    last: int
    """The last line that the whole answer shows."""
    requested: int
    """The last line that was requested."""
    resume: str
    remarks: tuple[str, ...]
    """Further notes."""
    result: results.ToolData
    """It has the fields `end_line` and `truncated`."""
    is_raw: bool = False

    def within(self, most: int) -> Answer:
        """The first lines that fit, each up to the limit, and how to continue."""
        room = max(most - 2 * NOTICE_CHARS - sum(len(remark) + 2 for remark in self.remarks), NOTICE_CHARS)
        if self.is_raw and self.body.lines.style() == "cr":
            room = min(room, LINE_CHARS)  # to a client that knows only line feeds, it is one line
        shown, size, is_short = list[str](), 0, True
        for number, line, ending in self._lines():
            part = shorten_line(line, min(LINE_CHARS, room) - len(number))
            size += len(number) + len(part) + len(ending)
            if shown and size > room:
                break
            shown.append(number + part + ending)
            is_short = is_short and part == line
        end = self.first + len(shown) - 1
        notes = [truncated_after(end, len(self.body.lines), self.resume)] if end < self.requested else []
        notes += [*([] if is_short else [_LONG_LINES]), *self.remarks]
        truncated = end < self.requested or not is_short
        data = self.result.evolve(end_line=end, truncated=truncated).data()
        if self.is_raw:
            return Answer("".join(shown), data, verbatim=True, hints=tuple(notes))
        return Answer("\n\n".join(["".join(shown).removesuffix("\n"), *notes]), data)

    def _lines(self) -> Iterator[tuple[str, str, str]]:
        """The lines: the number of each if it is shown, the content, and how it ends."""
        body, lines = self.body, self.body.lines
        for number in range(self.first, self.last + 1):
            if self.is_raw:
                text = body.show(*lines.span(number))
                line = text.removesuffix("\n").removesuffix("\r")
                yield "", line, text[len(line) :]
            else:
                (content,) = lines.contents(number, number)
                yield f"{number:6d}\t", content.decode("utf-8", "replace"), "\n"


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


READ = ToolSpec(
    name="read",
    title="Read",
    description="Read a text file (line number, tab, line), or list a folder.",
    request=Read,
    examples=(
        Example(
            "Two lines of a file",
            {"notes.txt": "one\ntwo\nthree\nfour\n"},
            {"file_path": "notes.txt", "offset": 2, "limit": 2},
            "2\ttwo\n3\tthree\n… 1 more line of 4; continue with offset 4",
        ),
        Example(
            "A folder",
            {"src/app.py": "", "src/web/index.html": "", "notes.txt": ""},
            {"file_path": "src"},
            "app.py\nweb/",
        ),
    ),
    read=read_path,
    audience=AGENT,
)
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
