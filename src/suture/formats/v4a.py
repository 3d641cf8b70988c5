r"""Patches in the format of OpenAI's `apply_patch`.

    patch    = "*** Begin Patch" { section } "*** End Patch"
    section  = "*** Add File: " path { "+" text }
             | "*** Update File: " path [ "*** Move to: " path ] { hunk }
             | "*** Delete File: " path
    hunk     = { "@@" [ " " text ] } { ( " " | "-" | "+" ) text } [ "*** End of File" ]

Where it is looser:

- The words of a marker may be in any case, with trailing spaces; paths may be quoted and have backslashes.
- `Create File` and `New File` are `Add File`; `Modify File`, `Edit File` and `Change File` are `Update File`;
  `Remove File` is `Delete File`.
- A patch may be indented as a whole.
- The end of a model's thinking ends a patch as well: it was a draft.
- `*** End Patch` may be missing at the end of the fence or here-document around the patch.
- `*** Begin Patch` may be missing. Outside a fence, a section then ends before the first line that can't belong to it.
- Hunk headers may have the numbers of a unified diff.
- An empty line is an empty context line, except at the end of a hunk without `*** End of File`.
- Other lines of a hunk without a prefix are context lines as written, and so are all lines of a new file if none has a
  `+`. A line that begins like a marker but is not one makes the rest of its section, from its hunk on, unusable.
"""

from __future__ import annotations

from suture.formats import Block
from suture.formats.file_names import closes_fence
from suture.formats.thinking import is_end
from suture.formats.unified import HunkHeader, hunk_header, is_blank, make_hunk, split_of, without_blanks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

    from suture.formats import Hunk, Reader, Source

EXAMPLE = """\
*** Begin Patch
*** Update File: path/to/file.py
@@ def function_around():
 a line as it is in the file
-a line to remove
+a line to add
*** Add File: path/to/new.txt
+every line of the new file
*** Delete File: path/to/old.txt
*** End Patch"""
"""A patch, to explain the format with."""
_STARS = "*** "
_ACTIONS = {"add file": "create", "update file": "update", "delete file": "delete", "begin patch": "update"}
_WITH_PATH = {"add file", "update file", "delete file", "move to"}
_SYNONYMS = {
    "create file": "add file",
    "new file": "add file",
    "modify file": "update file",
    "edit file": "update file",
    "change file": "update file",
    "remove file": "delete file",
}
_WITHOUT_PATH = {"begin patch", "end patch", "end of file"}
_QUOTES = frozenset("`'\"")
_SIGNS = frozenset(" +-")
_TAGS = frozenset("<[\u25c1")


def begin(source: Source, at: int) -> Reader | None:
    """The reader of the patch, or of the section without a patch around it, that begins at a line, or None."""
    kind, _ = _marker(source.lines[at].lstrip(" ")) or ("", "")
    if kind not in _ACTIONS or (kind == "delete file" and source.fence == ""):
        return None  # a deletion in prose, without a patch or fence around it, may be a mere mention
    return read(source, at, source.fence or None)


def read(source: Source, at: int, fence: str | None) -> Reader:
    """Read the sections of the patch that begins at a line."""
    frame = _Frame(source, at, fence)
    while True:
        section = _Section(source, at, frame)
        at, stop = yield from frame.end_of(source, at, section.kind)
        yield from section.blocks(source.lines[section.first + 1 : at], stop)
        if stop == "end patch":
            return at + 1
        if stop == "begin patch" or stop not in _ACTIONS:
            return at


class _Frame:
    """The surroundings of a patch, which determine where its sections end."""

    def __init__(self, source: Source, at: int, fence: str | None) -> None:
        line = source.line(at) or ""
        self.indent = line[: len(line) - len(line.lstrip(" "))]
        self.fence = fence
        self.enveloped = (_marker(line.lstrip(" ")) or ("", ""))[0] == "begin patch"
        self.here_end = _here_end(source.line(at - 1) or "") if at and self.enveloped else ""
        self.strict = not self.enveloped and fence is None

    def end_of(self, source: Source, at: int, kind: str) -> Generator[None, None, tuple[int, str]]:
        """The line after a section, and what it is: a marker, `fence`, `here`, `other` or `over`."""
        while True:
            at += 1
            line = yield from source.wait(at)
            stop = "over" if line is None else self._stop(self.inside(line), kind)
            if stop:
                return at, stop

    def inside(self, line: str) -> str:
        """A line without the patch's indentation, as far as it has it."""
        return line[min(len(self.indent), len(line) - len(line.lstrip(" "))) :] if self.indent else line

    def _stop(self, line: str, kind: str) -> str:
        marker = _marker(line)
        if marker is not None and marker[0] not in {"move to", "end of file"}:
            return marker[0]
        if self.fence is not None and line[:1] == self.fence[0] and closes_fence(line, self.fence):
            return "fence"
        if self.here_end and line.rstrip() == self.here_end:
            return "here"
        if self.fence is None and line[:1] in _TAGS and is_end(line):
            return "over"  # the patch was thinking, and was never finished
        return "other" if self.strict and line and not _may_belong_to(kind, line) else ""


class _Section:
    """The part of a patch for one file. The lines above the first file are a section without a file."""

    def __init__(self, source: Source, at: int, frame: _Frame) -> None:
        self.first = at
        self.frame = frame
        self.kind, self.written = _marker((source.line(at) or "").lstrip(" ")) or ("", "")
        self.crlf = source.is_crlf(at)

    def blocks(self, lines: list[str], stop: str) -> list[Block]:
        """The blocks of the section."""
        lines = _unindent([line.removesuffix("\r") for line in lines] if self.crlf else lines, self.frame.indent)
        cut = stop == "over" or (stop == "begin patch" and self.frame.enveloped)
        end = without_blanks(lines, len(lines))
        if self.kind == "update file":
            return self._update_blocks(lines, end, cut=cut)
        block = self._block(end)
        if self.kind == "add file":
            problem, content = _content(lines[:end], stop, self.frame)
            return [block.evolve(problem="no_end" if cut else problem, content=None if cut or problem else content)]
        if self.kind == "begin patch" and not end and stop in _ACTIONS and stop != "begin patch":
            return []
        problem = "not_a_hunk" if end else "empty" if self.kind == "begin patch" else None
        return [block.evolve(problem="no_end" if cut else problem)]

    def _update_blocks(self, lines: list[str], end: int, *, cut: bool) -> list[Block]:
        hunks = _Hunks(self.first + 2)
        moved = _marker(lines[0]) if lines else None
        moved = moved if moved and moved[0] == "move to" else None
        for number, line in enumerate(lines[: end if cut else len(lines)]):
            if number or not moved:
                hunks.add(number, line)
        hunks.close(end, cut=cut)
        block = self._block(end)
        if moved:
            block = block.evolve(action="rename", to=_path(moved[1]))
        if hunks.problem is None:
            return [block.evolve(hunks=tuple(hunks.complete), problem=None if hunks.complete or moved else "empty")]
        if not hunks.complete:
            return [block.evolve(problem=hunks.problem)]
        usable = block.evolve(hunks=tuple(hunks.complete), end_line=self.first + 1 + hunks.complete_end)
        return [usable, block.evolve(line=hunks.problem_line, problem=hunks.problem)]

    def _block(self, size: int) -> Block:
        path = _path(self.written) if self.written else None
        line = self.first + 1
        return Block(0, "v4a", _ACTIONS[self.kind], line, line + size, path, self.written or None)


class _Hunks:
    """The hunks of a section, read line by line."""

    def __init__(self, first_line: int) -> None:
        self.complete: list[Hunk] = []
        self.complete_end = 0
        self.problem: str | None = None
        self.problem_line = 0
        self._first_line = first_line
        self._begin_line: int | None = None
        """The line of the reply at which the current hunk begins."""
        self._headers: list[HunkHeader] = []
        self._lines: list[str] = []

    def add(self, number: int, line: str) -> None:
        """Add the next line."""
        if self.problem is not None:
            return
        header = hunk_header(line)
        if header is None and line.startswith(_STARS):
            if _marker(line) == ("end of file", ""):
                self._finish(number + 1, at_end=True)
            else:
                self._reject(number, "not_a_hunk")
            return
        if header is not None:
            self._finish(number)
        if self._begin_line is None:
            self._begin_line = self._first_line + number
        if header is not None:
            self._headers.append(header)
        else:
            self._lines.append(line)

    def close(self, end: int, *, cut: bool) -> None:
        """Finish after the last line. If the patch is `cut` here, the last hunk may be incomplete."""
        if cut:
            self._reject(end - 1, "no_end")
            self.problem = "no_end"  # even if the last line is not a hunk's: it may be a truncated marker
        elif self.problem is None:
            self._finish(end)

    def _finish(self, end: int, *, at_end: bool = False) -> None:
        """End the current hunk, if it has any lines."""
        if self._begin_line is None:
            return
        lines = self._lines if at_end else self._lines[: without_blanks(self._lines, len(self._lines))]
        split = split_of(lines)
        if split is None:
            self._reject(end, "not_a_hunk")
        elif lines:
            self.complete.append(make_hunk(self._begin_line, self._headers, split, at_end=at_end))
            self.complete_end = end - (len(self._lines) - len(lines))
            self._begin_line, self._headers, self._lines = None, [], []
        else:
            self._lines.clear()

    def _reject(self, number: int, problem: str) -> None:
        """Mark everything from the current hunk on as unusable."""
        if self.problem is None:
            self.problem = problem
            self.problem_line = self._first_line + number if self._begin_line is None else self._begin_line


def _marker(line: str) -> tuple[str, str] | None:
    """The words of a marker and the path after them."""
    if not line.startswith(_STARS):
        return None
    words, colon, rest = line.removeprefix(_STARS).partition(":")
    kind, rest = " ".join(words.lower().split()), rest.strip()
    kind = _SYNONYMS.get(kind, kind)
    is_marker = (kind in _WITH_PATH and rest) or (kind in _WITHOUT_PATH and not colon)
    return (kind, rest) if is_marker else None


def _path(written: str) -> str:
    """A path without quotes around it, with the separators that workspaces use."""
    while len(written) > 2 and written[0] == written[-1] and written[0] in _QUOTES:  # noqa: PLR2004  more than quotes
        written = written[1:-1]
    return written.replace("\\", "/")


def _here_end(command: str) -> str:
    """The line that ends the here-document of a command; empty if there is none."""
    _, sign, word = command.partition("<<")
    word = word.removeprefix("-").lstrip(" ").partition(" ")[0]
    return word.strip("'\"\\") if sign else ""


def _may_belong_to(kind: str, line: str) -> bool:
    if kind == "update file":
        return line[0] in _SIGNS or hunk_header(line) is not None or _marker(line) is not None
    return kind == "add file" and line[0] == "+"


def _unindent(lines: list[str], indent: str) -> list[str]:
    if indent and all(line.startswith(indent) or not line.strip() for line in lines):
        return [line[len(indent) :] for line in lines]
    return lines


def _content(lines: list[str], stop: str, frame: _Frame) -> tuple[str | None, str]:
    """The problem with the lines of a new file, if any, and its text."""
    if lines and _marker(lines[-1]) == ("end of file", ""):
        lines = lines[:-1]
    plain = not any(line.startswith("+") for line in lines)
    if any(line.startswith(_STARS) or not (plain or is_blank(line) or line[0] == "+") for line in lines):
        return "not_a_hunk", ""
    if plain and lines and frame.enveloped and stop == "fence":
        return "no_end", ""  # the fence may have ended inside the file
    if not lines and frame.strict:
        return "empty", ""
    return None, "".join([f"{line.removeprefix('+')}\n" for line in lines])
