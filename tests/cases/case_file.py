"""Case files: one behavior each, as text. `README.md` explains the format; here it is read and written.

A file has a header, perhaps files that all its cases begin with, and its cases. A case is a list of steps: calls of
tools with what they answer and which files they change, and what others do to the files between calls.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

CASES = Path(__file__).parent
WAYS = ("library", "command line", "mcp")
ANYTHING = "<any>"
ABSENT = "<absent>"

_HEADING = re.compile(r"=== ([a-z]+)(?:: (.+?))?(?: \| ([a-z0-9, -]+))?")
_LOOKS_LIKE_HEADING = re.compile(r"^=== [a-z]", re.MULTILINE)
_KINDS = frozenset(
    ("case", "before", "request", "argument", "answer", "error", "text", "hints", "after", "write", "delete")
)
_BYTE_ORDER_MARKS = {
    "bom": ("utf-8", b"\xef\xbb\xbf"),
    "utf-16": ("utf-16-le", b"\xff\xfe"),
    "utf-32": ("utf-32-le", b"\xff\xfe\0\0"),
}
_OPTIONS = frozenset(
    ("crlf", "no-eol", "escaped", *_BYTE_ORDER_MARKS, "executable", "link", "gone", "whole", "contains", "lacks")
)
_HEADERS = frozenset(("promise", "settings", "ways", "process"))
_ESCAPE = re.compile(rb"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|(.|\Z))", re.DOTALL)
_SHORT = {b"\\": b"\\", b"t": b"\t", b"r": b"\r"}
_INVISIBLE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\xa0\xad\u2000-\u200f\u2028-\u202f\u2060-\u2064\ufe00-\ufe0f\ufeff]")
_WIDTH = 116


class CaseError(ValueError):
    """What is wrong with a case file, and in which line."""


class Entry(NamedTuple):
    """Something in a tree: a `file`, an `executable`, a `link` with its aim, or an empty `folder`."""

    content: bytes
    kind: str = "file"


Tree = dict[str, Entry]


class Section(NamedTuple):
    """A heading and the lines below it."""

    kind: str
    name: str
    options: frozenset[str]
    body: str
    line: int
    heading: str = ""

    @property
    def source(self) -> str:
        """The section as it is written."""
        return f"{self.heading}\n{self.body}"

    @property
    def content(self) -> bytes:
        """The body as the bytes of a file."""
        body = self.body
        if "no-eol" in self.options:
            body = body.removesuffix("\n")
        raw = body.encode("utf-8", "surrogatepass")
        if "escaped" in self.options:
            raw = _ESCAPE.sub(self._unescape, raw)
        raw = raw.replace(b"\n", b"\r\n") if "crlf" in self.options else raw
        for name in self.options & _BYTE_ORDER_MARKS.keys():
            codec, mark = _BYTE_ORDER_MARKS[name]
            return mark + raw.decode("utf-8", "surrogatepass").encode(codec, "surrogatepass")
        return raw

    @property
    def text(self) -> str:
        """The body as a text, as an argument or a field of an answer has it."""
        return self.content.decode("utf-8", "surrogatepass")

    @property
    def value(self) -> Any:
        """The body as JSON; None if it is empty."""
        if not self.body.strip():
            return None
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise self.error(f"this is not JSON: {error}") from None

    @property
    def entry(self) -> Entry:
        """The body as something in a tree."""
        if self.name.endswith("/"):
            return Entry(b"", "folder")
        kind = next((option for option in ("executable", "link") if option in self.options), "file")
        return Entry(self.content, kind)

    def error(self, problem: str) -> CaseError:
        return CaseError(f"line {self.line}: {problem}")

    def _unescape(self, match: re.Match[bytes]) -> bytes:
        byte, character, other = match.groups()
        if byte:
            return bytes.fromhex(byte.decode())
        if character:
            return chr(int(character, 16)).encode("utf-8", "surrogatepass")
        if other in _SHORT:
            return _SHORT[other]
        raise self.error(f"there is no escape \\{other.decode(errors='replace')}")


class Expected(NamedTuple):
    """What a call must answer. `fields` are compared where they are given, unless the answer is `whole`."""

    code: str | None
    """The code of its error; None if it succeeds."""
    error: Any
    fields: Any
    whole: bool
    texts: tuple[tuple[str, str], ...]
    """Texts, each with how the answer's own compares to it: `is`, `contains`, `lacks`; or the `hints` beside it."""


class Call(NamedTuple):
    """A call of a tool, what it answers, and what the tree is then."""

    tool: str
    arguments: Any
    expected: Expected
    tree: Tree
    sections: tuple[Section, ...]

    @property
    def changes(self) -> bool:
        """Whether the case says of a file that the call changed it."""
        return any(section.kind == "after" for section in self.sections)


class OutsideChange(NamedTuple):
    """What somebody else writes, or deletes (None), between calls."""

    path: str
    entry: Entry | None


class Case(NamedTuple):
    """A behavior. `before` is the tree that it begins with."""

    file: str
    title: str
    promises: tuple[str, ...]
    settings: Mapping[str, Any]
    ways: tuple[str, ...]
    process: bool
    """Whether a call starts a process."""
    before: Tree
    steps: tuple[Call | OutsideChange, ...]

    @property
    def id(self) -> str:
        return f"{self.file}: {self.title}"

    @property
    def calls(self) -> list[Call]:
        return [step for step in self.steps if isinstance(step, Call)]


def every_case() -> list[Case]:
    """All cases of all files."""
    return [case for path in sorted(CASES.rglob("*.case")) for case in read(path)]


def read(path: Path) -> list[Case]:
    """The cases of a file; CaseError says in which line something is wrong."""
    name = path.relative_to(CASES).with_suffix("").as_posix() if path.is_relative_to(CASES) else path.stem
    try:
        return parse(path.read_bytes().decode(), name)
    except CaseError as error:
        raise CaseError(f"{path.name}, {error}") from None


def parse(text: str, file: str = "") -> list[Case]:
    """The cases of a file's text."""
    header, sections = split(text)
    common = _headers(header, 1)
    starts = [index for index, section in enumerate(sections) if section.kind == "case"]
    if not starts:
        raise CaseError("line 1: there is no case")
    shared = _tree(sections[: starts[0]])
    cases = [
        _case(file, common, shared, sections[start:end])
        for start, end in zip(starts, [*starts[1:], len(sections)], strict=True)
    ]
    titles = [case.title for case in cases]
    if len(set(titles)) < len(titles):
        raise CaseError("line 1: two cases have the same title")
    return cases


def split(text: str) -> tuple[str, list[Section]]:
    """The header of a file's text, and its sections."""
    lines = re.findall(r"[^\n]*\n|[^\n]+\Z", text)
    header, sections, current, body = "", list[Section](), None, list[str]()
    for number, line in enumerate([*lines, None], 1):
        if line is not None and not line.startswith("=== "):
            body.append(line)
            continue
        if current is None:
            header = "".join(body)
        else:
            ends = line is not None and line.startswith("=== case") and body[-1:] == ["\n"]
            sections.append(current._replace(body="".join(body[:-1] if ends else body)))
        if line is not None:
            current, body = _heading(line, number), []
    return header, sections


def _heading(line: str, number: int) -> Section:
    match = _HEADING.fullmatch(line.rstrip("\n"))
    if match is None or match[1] not in _KINDS:
        raise CaseError(f"line {number}: this is no heading: {line!r}")
    options = frozenset((match[3] or "").split(", ")) - {""}
    if not options <= _OPTIONS:
        raise CaseError(f"line {number}: there is no option {', '.join(sorted(options - _OPTIONS))}")
    return Section(match[1], match[2] or "", options, "", number, line.rstrip("\n"))


def _headers(text: str, first: int) -> dict[str, list[str]]:
    headers: dict[str, list[str]] = {}
    for number, line in enumerate(text.split("\n"), first):
        name, colon, value = line.partition(": ")
        if not line.strip() or line.startswith("#"):
            continue
        if not colon or name not in _HEADERS:
            raise CaseError(f"line {number}: this is no line of a header: {line!r}")
        headers.setdefault(name, []).append(value)
    return headers


def _case(file: str, common: dict[str, list[str]], shared: Tree, sections: list[Section]) -> Case:
    head, *body = sections
    if not head.name:
        raise head.error("a case needs a title")
    own_headers = _headers(head.body, head.line + 1)
    header = {name: [*common.get(name, []), *own_headers.get(name, [])] for name in _HEADERS}
    promises = tuple(promise for line in header["promise"] for promise in line.split(", "))
    settings = {name: value for line in header["settings"] for name, value in json.loads(line).items()}
    ways = tuple(header["ways"][-1].partition(" (")[0].split(", ")) if header["ways"] else WAYS
    if not set(ways) <= set(WAYS):
        raise head.error(f"ways are {', '.join(WAYS)}")
    if header["process"] and not header["process"][-1]:
        raise head.error("process: say which it starts")
    if header["ways"] and "(" not in header["ways"][-1]:
        raise head.error("some ways only: say why, in parentheses")
    if settings:
        ways = WAYS[:1]  # the others use the settings of the process that starts them
    count = next((index for index, section in enumerate(body) if section.kind != "before"), len(body))
    before = {**shared, **_tree(body[:count])}
    process = bool(header["process"])
    return Case(file, head.name, promises, settings, ways, process, before, _steps(head, before, body[count:]))


def _tree(sections: Iterable[Section]) -> Tree:
    tree: Tree = {}
    for section in sections:
        if section.kind != "before" or not section.name:
            raise section.error(f"{section.kind} cannot be here: a tree comes first, then requests")
        tree[section.name] = section.entry
    return tree


def _steps(head: Section, before: Tree, sections: list[Section]) -> tuple[Call | OutsideChange, ...]:
    steps, tree, at = list[Call | OutsideChange](), dict(before), 0
    while at < len(sections):
        first = sections[at]
        end = at + 1
        if first.kind in {"write", "delete"}:
            entry = first.entry if first.kind == "write" else None
            steps.append(OutsideChange(first.name, entry))
            _put(tree, first.name, entry)
        elif first.kind == "request":
            while end < len(sections) and sections[end].kind not in {"request", "write", "delete"}:
                end += 1
            call = _call(sections[at:end], tree)
            tree = dict(call.tree)
            steps.append(call)
        else:
            raise first.error(f"{first.kind} cannot be here: it belongs to a request")
        at = end
    if not any(isinstance(step, Call) for step in steps):
        raise head.error("a case needs a request")
    return tuple(steps)


def _call(sections: list[Section], tree: Tree) -> Call:
    request, *parts = sections
    arguments, tree = request.value, dict(tree)
    arguments = {} if arguments is None else arguments
    code, error, whole, texts = None, None, False, list[tuple[str, str]]()
    fields: Any = {}
    for section in parts:
        match section.kind:
            case "argument":
                put_text(arguments, section.name, section.text, section)
            case "answer" if section.name:
                put_text(fields, section.name, section.text, section)
            case "answer":
                fields, whole = ({} if section.value is None else section.value), "whole" in section.options
            case "error":
                code, error = section.name, section.value or {}
            case "text":
                relation = next((option for option in ("contains", "lacks") if option in section.options), "is")
                texts.append((relation, section.text.removesuffix("\n")))
            case "hints":
                texts.append(("hints", section.text.removesuffix("\n")))
            case "after":
                _put(tree, section.name, None if "gone" in section.options else section.entry)
            case _:
                raise section.error(f"{section.kind} cannot be here")
    expected = Expected(code, error, fields, whole, tuple(texts))
    return Call(request.name, arguments, expected, tree, tuple(sections))


def _put(tree: Tree, path: str, entry: Entry | None) -> None:
    if entry is None:
        tree.pop(path, None)
    else:
        tree[path] = entry


def put_text(value: Any, path: str, text: str, section: Section) -> None:
    """Put a text where a dotted path leads, making the objects and lists on the way."""
    steps = path.split(".")
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        key: Any = int(step) if step.isdecimal() else step
        if isinstance(key, int) != isinstance(value, list) or (isinstance(key, int) and key > len(value)):
            raise section.error(f"{path} leads nowhere")
        if following is None:
            new: Any = text
        elif isinstance(value, list):
            new = value[key] if key < len(value) else ([] if following.isdecimal() else {})
        else:
            new = value.get(key, [] if following.isdecimal() else {})
        if isinstance(value, list):
            value[key : key + 1] = [new]
        else:
            value[key] = new
        value = new


def differences(expected: Any, actual: Any, at: str = "") -> list[str]:
    """What is not as expected: objects in the fields that are given, lists and all else whole."""
    if expected == ANYTHING:
        return []
    if isinstance(expected, dict) and isinstance(actual, dict):
        return [problem for name in expected for problem in _differences_of(name, expected, actual, at)]
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        pairs = enumerate(zip(expected, actual, strict=True))
        return [problem for index, pair in pairs for problem in differences(*pair, f"{at}{index}.")]
    same = expected == actual and isinstance(expected, bool) == isinstance(actual, bool)
    return [] if same else [f"{at.rstrip('.') or 'the answer'} is {actual!r}, not {expected!r}"]


def _differences_of(name: str, expected: dict[str, Any], actual: dict[str, Any], at: str) -> list[str]:
    if expected[name] == ABSENT:
        return [f"{at}{name} is there: {actual[name]!r}"] if name in actual else []
    return differences(expected[name], actual[name], f"{at}{name}.") if name in actual else [f"{at}{name} is missing"]


def section_text(kind: str, name: str, content: bytes, *options: str) -> str:
    """A section with these bytes, in the plainest notation that can give them."""
    names = list(options)
    if (decoded := _split_mark(content)) is not None:
        content, mark = decoded
        names.append(mark)
    if b"\r\n" in content and content.count(b"\r\n") == content.count(b"\n") == content.count(b"\r"):
        names.append("crlf")
        content = content.replace(b"\r\n", b"\n")
    if not content.endswith(b"\n") and content:
        names.append("no-eol")
        content += b"\n"
    elif not content and kind not in {"before", "after", "write"}:
        names.append("no-eol")
        content = b"\n"
    try:
        body = content.decode("utf-8", "surrogatepass")
        plain = not _INVISIBLE.search(body) and not _LOOKS_LIKE_HEADING.search(body) and not _surrogates(body)
        plain = plain and not re.search(r"[ ]$", body, re.MULTILINE)
    except UnicodeDecodeError:
        plain = False
    if not plain:
        names.append("escaped")
        body = escape(content)
    heading = f"=== {kind}" + (f": {name}" if name else "") + (f" | {', '.join(names)}" if names else "")
    return f"{heading}\n{body}"


def _split_mark(content: bytes) -> tuple[bytes, str] | None:
    """The content of a file that begins with a mark, in UTF-8, and the mark's name."""
    for name, (codec, mark) in reversed(_BYTE_ORDER_MARKS.items()):
        if content.startswith(mark):
            try:
                return content.removeprefix(mark).decode(codec, "surrogatepass").encode("utf-8", "surrogatepass"), name
            except UnicodeDecodeError:
                return None
    return None


def escape(content: bytes) -> str:
    """Bytes as lines in which everything that cannot be seen is escaped."""
    text = content.replace(b"\\", b"\\\\").decode("utf-8", "surrogateescape")
    text = re.sub("[\udc80-\udcff]", lambda byte: f"\\x{ord(byte[0]) - 0xDC00:02x}", text)
    text = text.replace("\t", "\\t").replace("\r", "\\r")
    text = _INVISIBLE.sub(
        lambda mark: f"\\x{ord(mark[0]):02x}" if ord(mark[0]) < 0x80 else f"\\u{ord(mark[0]):04x}", text
    )
    text = re.sub(r"[ ]$", r"\\x20", text, flags=re.MULTILINE)
    return _LOOKS_LIKE_HEADING.sub(lambda head: f"\\x3d{head[0][1:]}", text)


def _surrogates(text: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in text)


def json_text(value: Any, indent: str = "") -> str:
    """JSON with each value in one line where it fits."""
    line = json.dumps(value, ensure_ascii=_surrogates(json.dumps(value, ensure_ascii=False)))
    line = _INVISIBLE.sub(lambda mark: f"\\u{ord(mark[0]):04x}", line)
    if len(indent) + len(line) <= _WIDTH or not isinstance(value, dict | list) or not value:
        return line
    deeper = indent + "  "
    if isinstance(value, dict):
        rows = [f"{deeper}{json.dumps(name)}: {json_text(item, deeper)}" for name, item in value.items()]
        return "{\n" + ",\n".join(rows) + f"\n{indent}}}"
    return "[\n" + ",\n".join(deeper + json_text(item, deeper) for item in value) + f"\n{indent}]"
