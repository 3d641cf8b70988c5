r"""Calls of edit tools, written as text: JSON, tags, and the special tokens of some models.

    call     = json | element
    json     = an object with a path, old and new text; or one with a tool's name and its arguments, as an object or
               as a string of JSON (Anthropic, OpenAI, Gemini, Mistral and others); or a list of these
    element  = "<invoke name=N>" { "<parameter name=K>" text "</parameter>" } "</invoke>"        (Anthropic, DeepSeek)
             | "<function=N>" { "<parameter=K>" text "</parameter>" } "</function>"              (Qwen)
             | "<tool_call>" N { "<arg_key>" K "</arg_key>" "<arg_value>" text "</arg_value>" } "</tool_call>"
             | "<N [path=P]>" { "<" K ">" text "</" K ">" } "</N>", N an edit tool               (Cline, Roo)
             | "<file path=P>" text "</file>"
             | "<old_text [line=L]>" text "</old_text>" "<new_text>" text "</new_text>"          (Zed)

Tags around a call (`<tool_call>`, `<function_calls>`) and the tokens of DeepSeek, Kimi and others are skipped. A text
with a line ending right after its opening tag is laid out in lines: it loses that line ending and the last one, as in
Qwen and Zed. Everything else is taken literally, so that texts may be parts of lines.

A call is read only if it is exact: one path, one old and one new text for each change, and nothing else that would
change what it does. Otherwise none of its lines is taken, and `unread` reports it. If one of several calls is not
exact, it becomes a block with a problem.

Rejected: reading what is nearly a call (single quotes, truncated JSON, an old text without a new one). What it would do
can't be known, only that it is there.
"""

from __future__ import annotations

from suture.formats import LANGUAGES, MAX_DIGITS, MAX_UNENDED, Block, Hunk, Source, Split, find_reader, pattern
from suture.formats.file_names import as_path, closes_fence, is_known
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping
    from re import Match
    from typing import Any

    from suture.formats import Reader

    Place = tuple[int, int]

_BLOCKS_INSIDE = frozenset(("patch", "texteditor", "applydiff", "replaceinfile", "applypatch"))
"""Elements that contain blocks of other formats; those blocks are read instead."""
_BARS = "|\uff5c"
"""The characters around the name of a token; DeepSeek uses a full-width bar."""

_CALL_LISTS = ("toolcalls", "tooluses", "functioncall", "tooluse", "toolcall", "calls", "actions")
_NAMES = ("name", "tool", "toolname", "function", "action", "recipientname")
_ARGUMENTS = ("input", "arguments", "parameters", "args", "params", "actioninput", "toolinput", "kwargs")


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


PATHS = word_set("path filepath file filename targetfile targetpath relativepath absolutepath relativeworkspacepath")
OLD = word_set(
    "old oldstr oldstring oldtext oldcode search searchtext searchstring find before original originaltext "
    "targetcontent"
)
NEW = word_set(
    "new newstr newstring newtext newcode replace replacewith replacement replacetext replacementtext after updated "
    "updatedtext replacementcontent"
)
CONTENTS = word_set("content contents filetext filecontent filecontents")
WEAK = word_set("old new before after original updated search find replace")
"""Names that occur in other JSON as well: with only these, the path must look like a file's."""
_PATCHES = word_set("patch patchtext diff udiff input")
_LISTS = word_set("edits operations replacements changes patches replacementchunks edit change replacement")
_HINTS = word_set("line startline linenumber")
_ALL = word_set("replaceall allowmultiple global")
_COUNTS = word_set("expectedreplacements expectedoccurrences occurrences count")
_UNSUPPORTED = word_set("useregex regex isregex ignorecase caseinsensitive dryrun insertline occurrence append")
"""Options that change the edit in a way that can't be done exactly."""
_NOTES = word_set("endline linecount id index timeout requiresapproval")
_OTHER_ACTIONS = word_set("append prepend insert delete remove regex rename move")
"""Actions other than replacing text."""
_EDIT_NAMES = (
    *(PATHS | OLD | NEW | _LISTS | _HINTS | _ALL | _COUNTS | _UNSUPPORTED | _NOTES),
    *("from", "to", "with", "command", "mode", "operation", "type", "action", "tool", "name", "language"),
    *("explanation", "description", "reason", "comment", "instruction", "instructions"),
)
"""All names that an edit may have. JSON with weak names and any other names is not an edit."""
EDITORS = word_set(
    "strreplacebasededittool strreplaceeditor strreplace texteditor edit editfile fileedit fileeditor multiedit "
    "multieditfile replace replaceinfile replacestringinfile multireplacestringinfile replacefilecontent "
    "multireplacefilecontent searchreplace searchandreplace applydiff applypatch patch patchfile updatefile modifyfile "
    "safeedit applyedit applyedits findandreplace"
)
WRITERS = word_set("write writefile writetofile createfile newfile filewrite savefile create overwritefile")
_ELEMENTS = (EDITORS - _BLOCKS_INSIDE) | (WRITERS - {"create", "write"}) | {"file", "change", "write"}
_WRAPPERS = word_set(
    "functioncalls functioncall toolcalls toolcall tooluse toolcallbegin toolcallsbegin toolcallssectionbegin "
    "toolcallsectionbegin toolcallargumentbegin toolcallargbegin toolsep start channel constrain message arguments "
    "tools pythontag toolcallstart toolcode"
)
_READS = word_set("view read undoedit readfile")


def plain(name: str) -> str:
    """A name in the form for comparing: `oldString`, `old_string` and `antml:old-string` are the same."""
    name = name.strip(_BARS).replace(_BARS[1], ":").rpartition(":")[2]
    return "".join(char for char in name if char.isalnum()).lower()


def tool(name: str) -> str:
    """The plain name of a tool: `functions.edit_file:3` is `editfile`."""
    return plain(name.rpartition(".")[2].partition(":")[0].rpartition("__")[2])


def tags(text: str) -> list[Tag]:
    """The tags in a text."""
    return [_tag_of(match) for match in pattern(_TAG).finditer(text)]


def opening_tag(line: str) -> str | None:
    """The name, as written, of the opening tag that a line begins with, or None."""
    tag = _tag(line, 0)
    return None if tag is None or tag.is_closing else tag.raw


def has_other_names(text: str) -> bool | None:
    """Whether JSON with a path and texts has names that no edit has; None for any other text."""
    try:
        edits = (
            [{plain(key) for key in arguments} for _, arguments in _find_calls(_load(text), "")]
            if text[:1] in "{["
            else []
        )
    except _InexactError:
        return None
    edits = [keys for keys in edits if keys & PATHS and keys & (OLD | NEW | {"from"})]
    return not all(keys.issubset(_EDIT_NAMES) for keys in edits) if edits else None


def begin(source: Source, at: int) -> Reader | None:
    """The reader of the call that may begin at a line, or None."""
    if (source.fence and source.language not in LANGUAGES) or source.unended >= MAX_UNENDED:
        return None
    opening = _opening(source.line(at) or "")
    return None if opening is None else _read(source, at, opening)


def _read(source: Source, at: int, opening: _Opening) -> Reader:
    """Read the blocks of a call; if it is not exact, there are none, and no line is taken."""
    tag = opening.tag
    end = yield from (_json_end(source, at, opening.column) if tag is None else _element_end(source, at, tag))
    if end is None:
        source.unended += 1
        return at
    lines = [(source.line(number) or "") for number in range(at, end[0] + 1)]
    if not _only_closes(lines[-1][end[1] :]):
        return at
    lines[-1] = lines[-1][: end[1]]
    lines[0] = lines[0][opening.column :]
    text = "\n".join(lines)
    reader = _Reader(at + 1, end[0] + 1, whole_files=source.whole_files)
    try:
        blocks = reader.json(text, opening.name) if tag is None else reader.element(text)
    except _InexactError:
        return at
    if not any(block.problem is None for block in blocks):
        return at
    yield from blocks
    return end[0] + 1


_TAG = rf"<([{_BARS}]*/?[\w{_BARS}\u2581:.-]+)((?:=|\s)[^<>]*)?>"
_ATTRIBUTE = r"""([\w:-]+)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)"""
_IN_JSON = r'"(?:[^"\\]|\\.)*"|["{}\[\]]'
_REST_OF_TEXT = r'(?:[^"\\]|\\.)*"'


class _InexactError(Exception):
    """A call is not exact."""


class Tag(Record):
    """A tag in a line."""

    name: str
    """The plain name: lower case, letters and digits only, without a prefix before a colon or a bar."""
    raw: str
    attributes_text: str
    """The text after the name: attributes, or `=value`."""
    start: int
    end: int

    @property
    def is_closing(self) -> bool:
        """Whether it is a closing tag."""
        return self.raw.lstrip(_BARS).startswith("/")

    @property
    def attributes(self) -> dict[str, str]:
        """Its attributes, by plain name; in `function=value`, the value is the `name`."""
        if self.attributes_text.startswith("="):
            return {"name": self.attributes_text[1:].strip().strip("\"'")}
        return {plain(name): value.strip("\"'") for name, value in pattern(_ATTRIBUTE).findall(self.attributes_text)}


class _Opening(Record):
    """Where a call begins in a line."""

    column: int
    tag: Tag | None
    """None for JSON."""
    name: str
    """The name of the tool, if a token before the call has it."""


def _tag(text: str, at: int) -> Tag | None:
    """The tag that begins at a position."""
    match = pattern(_TAG).match(text, at) if text[at : at + 1] == "<" else None
    return None if match is None else _tag_of(match)


def _tag_of(match: Match[str]) -> Tag:
    raw, attributes_text = match[1], (match[2] or "").strip().removesuffix("/")
    return Tag(plain(raw), raw, attributes_text, match.start(), match.end())


def _opening(line: str) -> _Opening | None:
    at, name = len(line) - len(line.lstrip()), ""
    while True:
        rest = line[at:].lstrip()
        at = len(line) - len(rest)
        if rest[:1] in {"{", "["} and _is_json(rest):
            return _Opening(at, None, name)
        if rest.startswith("[TOOL_CALL"):
            at += rest.find("]") + 1 or len(rest)
            continue
        tag = _tag(line, at)
        if tag is None or tag.is_closing:
            return None
        if _is_element(tag):
            return _Opening(at, tag, name)
        if tag.name not in _WRAPPERS:
            return None
        behind = next((place for place in range(tag.end, len(line)) if line[place] in "<{["), len(line))
        words = line[tag.end : behind].split()
        if tag.name == "toolcall" and words and (behind == len(line) or line.startswith("<arg_key>", behind)):
            return _Opening(at, tag, words[0])
        name = words[-1].removeprefix("to=") if words else name
        at = behind


def _is_json(text: str) -> bool:
    inside = text[1:].lstrip()
    return not inside or inside[0] in ('"' if text[0] == "{" else "{")


def _is_element(tag: Tag) -> bool:
    if tag.name == "function":
        return tag.attributes_text.startswith("=")
    if tag.name == "file":
        return bool(PATHS & tag.attributes.keys())
    return tag.name in {"invoke", "oldtext", "oldstr", "oldstring"} or tag.name in _ELEMENTS


def _only_closes(rest: str) -> bool:
    """Whether the rest of a call's line only closes what is around the call."""
    at = 0
    while rest[at:].strip():
        at = len(rest) - len(rest[at:].lstrip())
        tag = _tag(rest, at)
        if tag is None or not (tag.is_closing or "end" in tag.name or tag.name == "call"):
            return rest[at:].strip() in {",", "]"}
        at = tag.end
    return True


def _json_end(source: Source, at: int, column: int) -> Generator[None, None, Place | None]:
    """The end of the object or list that begins at a position; None if the reply or its fence ends before."""
    depth, inside, number = 0, False, at
    while True:
        line = yield from source.wait(number)
        if line is None or (source.fence and not inside and number > at and closes_fence(line, source.fence)):
            return None
        place = column if number == at else 0
        if inside:
            end = pattern(_REST_OF_TEXT).match(line)
            inside, place = end is None, end.end() if end else len(line)
        for match in pattern(_IN_JSON).finditer(line, place):
            depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(match[0], 0)
            inside = match[0] == '"'
            if inside:
                break
            if not depth:
                return number, match.end()
        number += 1


def _element_end(source: Source, at: int, tag: Tag) -> Generator[None, None, Place | None]:
    """The end of the element that a tag begins; a file element must end at the start of a line."""
    raw = tag.raw.replace("old", "new") if tag.name.startswith("old") else tag.raw
    closing, opening = f"</{raw}>", f"<{raw}"
    content = tag.name == "file"
    number, depth = at, 1
    while True:
        line = yield from source.wait(number)
        if line is None:
            return None
        place = tag.end if number == at else 0
        if content and number > at:
            depth += line.lstrip().startswith((f"{opening} ", f"{opening}>"))
        end = line.find(closing, place)
        if end >= 0 and (not content or number == at or not line[:end].strip()):
            depth -= 1
            if not depth:
                return number, end + len(closing)
        number += 1


class _Reader:
    """Makes blocks of the call at some lines of a reply."""

    def __init__(self, line: int, end_line: int, *, whole_files: bool) -> None:
        self._line = line
        self._end_line = end_line
        self._whole_files = whole_files

    def json(self, text: str, name: str) -> list[Block]:
        """The blocks of all calls in a JSON text."""
        blocks: list[Block] = []
        for tool_name, arguments in _find_calls(_load(text), name):
            try:
                blocks += self._read_call(tool_name, arguments)
            except _InexactError:
                path = next((value for key, value in arguments.items() if plain(key) in PATHS), None)
                blocks.append(self._block("call", path if isinstance(path, str) else None, problem="not_exact"))
        return blocks

    def element(self, text: str) -> list[Block]:
        """The blocks of an element."""
        tag = _tag(text, 0)
        assert tag is not None  # noqa: S101  the caller found it
        if tag.name.startswith("old"):
            given = _by_plain_name(_children(text))
            return [self._block("call", None, hunks=(self._hunk(given),))]
        body = text[tag.end : text.rindex("<")]
        if tag.name == "toolcall":
            name, _, rest = body.partition("<")
            pairs = _children(f"<{rest}")
            keys = [value for key, value in pairs if key == "argkey"]
            values = [value for key, value in pairs if key == "argvalue"]
            if len(keys) != len(values):
                raise _InexactError
            return list(
                self._read_call(name.strip(), _with_content(_by_plain_name(list(zip(keys, values, strict=True)))))
            )
        if tag.name in {"invoke", "function"}:
            arguments = _with_content(_by_plain_name(_children(body, strict=tag.name == "invoke")))
            return list(self._read_call(tag.attributes.get("name", ""), arguments))
        given = dict(tag.attributes)
        inner = _tag(body.lstrip(), 0)
        if tag.name == "file" and (inner is None or inner.name not in PATHS | OLD | CONTENTS | _LISTS | _PATCHES):
            if find_reader(Source.of(body.lstrip()), 0) is not None:
                raise _InexactError
            return list(self._read_call("writefile", {**given, "content": _end_line(_without_layout(body))}))
        children = _by_plain_name(_children(body))
        if given.keys() & children.keys():
            raise _InexactError
        name = tag.raw if tag.name not in {"file", "change"} else "writefile" if CONTENTS & children.keys() else "edit"
        return list(self._read_call(name, {**given, **_with_content(children)}))

    def _read_call(self, name: str, arguments: Mapping[str, Any]) -> Iterator[Block]:
        """The blocks of one call."""
        plain_arguments = _by_plain_name(list(arguments.items()))
        tool_name, command = tool(name), plain(str(plain_arguments.get("command", "")))
        if {tool_name, command} & _READS:
            return
        if isinstance(plain_arguments.get("files"), list):
            for file in plain_arguments["files"]:
                yield from self._read_call(name or "writefile", _object(file))
            return
        change, value = _requested_change(plain_arguments, tool_name)
        path = _only_text(plain_arguments, PATHS)
        if change == "patch":
            yield from self._nested_blocks(f"<apply_diff>\n{value}" if tool_name == "applydiff" else value, path)
        elif change == "changes":
            yield from self._changed_blocks(tool_name, path, value)
        elif change and (tool_name in WRITERS or command == "create" or "filetext" in plain_arguments):
            yield self._whole_file(path, value)

    def _changed_blocks(self, tool_name: str, path: str | None, changes: list[dict[str, Any]]) -> Iterator[Block]:
        """The blocks of changes to the file that the call names, or to a file per change."""
        paths = [_only_text(change, PATHS) or path for change in changes]
        weak = all(WEAK.issuperset(change.keys() & (OLD | NEW)) for change in changes)
        if weak and tool_name not in EDITORS:
            exact = all({*change}.issubset(_EDIT_NAMES) for change in changes)
            if not exact or not all(file and is_known(file) for file in paths):
                return
        for change in changes:
            _check_supported(change)
        if not paths or (path is not None and {*paths} != {path}):
            raise _InexactError
        hunks = [self._hunk(change) for change in changes]
        if len({*paths}) > 1:
            for name, hunk in zip(paths, hunks, strict=True):
                yield self._edit(name, [hunk])
        else:
            yield self._edit(paths[0], hunks)

    def _edit(self, path: str | None, hunks: list[Hunk]) -> Block:
        if not path:
            raise _InexactError
        if all(hunk.splits[0].old for hunk in hunks):
            return self._block("call", path, hunks=tuple(hunks))
        if len(hunks) > 1:
            raise _InexactError
        return self._block("call", path, action="create", content=hunks[0].splits[0].new)

    def _whole_file(self, path: str | None, content: str) -> Block:
        if not path:
            raise _InexactError
        if not self._whole_files:
            return self._block("whole_file", path, action="create", problem="not_asked")
        return self._block("whole_file", path, action="create", content=content)

    def _nested_blocks(self, text: str, path: str | None) -> Iterator[Block]:
        """The blocks of a patch that is the text of a call."""
        blocks = list(_blocks_in(text))
        if not blocks or any(block.path is None and not path for block in blocks):
            raise _InexactError
        for block in blocks:
            hunks = tuple(hunk.evolve(line=self._line) for hunk in block.hunks)
            name = block.path or as_path(path or "")
            yield block.evolve(
                line=self._line,
                end_line=self._end_line,
                hunks=hunks,
                path=name,
                path_as_written=block.path_as_written or path,
            )

    def _hunk(self, arguments: Mapping[str, Any]) -> Hunk:
        old, new = _only_text(arguments, OLD), _only_text(arguments, NEW)
        if old is None or new is None:
            raise _InexactError
        near = _number(arguments, _HINTS)
        return Hunk(
            self._line, (Split(old, new),), near=near or None, part=True, occurrences=_expected_count(arguments)
        )

    def _block(self, format: str, path: str | None, *, action: str = "update", **more: Any) -> Block:  # noqa: A002  the block's own name for it
        written = None if path is None else path.strip()
        name = None if written is None else as_path(written)
        return Block(0, format, action, self._line, self._end_line, name, written, **more)


def _load(text: str) -> Any:
    """A JSON text as a value; its strings may contain raw line endings."""
    import json

    try:
        return json.loads(text, strict=False, object_pairs_hook=_unique_pairs)
    except (ValueError, RecursionError):
        raise _InexactError from None


def _unique_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object without duplicate names."""
    if len(dict(pairs)) < len(pairs):
        raise _InexactError
    return dict(pairs)


def _find_calls(value: Any, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The calls in a JSON value, each as the tool's name and its arguments."""
    if isinstance(value, list):
        for item in value:
            yield from _find_calls(item, name)
    if not isinstance(value, dict):
        return
    items = {plain(key): item for key, item in value.items()}
    inside = [items[key] for key in (*_CALL_LISTS, "function") if isinstance(items.get(key), (list, dict))]
    arguments = next((items[key] for key in _ARGUMENTS if isinstance(items.get(key), (str, dict))), None)
    tool_name = next((items[key] for key in _NAMES if isinstance(items.get(key), str)), None)
    if not inside and isinstance(items.get("content"), list):
        inside = [items["content"]]
    if inside:
        for item in inside:
            yield from _find_calls(item, name)
    elif tool_name is not None and arguments is not None:
        yield tool_name, _as_object(arguments)
    else:
        yield name, value


def _as_object(arguments: str | dict[str, Any]) -> Mapping[str, Any]:
    """The arguments, if necessary from a string of JSON; any other string is the tool's input."""
    if isinstance(arguments, dict):
        return arguments
    if not arguments.lstrip().startswith("{"):
        return {"input": arguments}
    return _object(_load(arguments))


def _object(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise _InexactError
    return value


def _by_plain_name(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Arguments by plain name, without duplicates; null values are left out."""
    arguments: dict[str, Any] = {}
    for name, value in pairs:
        key = plain(name)
        if key in arguments:
            raise _InexactError
        if value is not None:
            arguments[key] = _decode_list(key, value)
    return arguments


def _decode_list(key: str, value: Any) -> Any:
    """A value, decoded from JSON if it should be a list or an object."""
    listed = isinstance(value, str) and key in _LISTS | {"files"} and value.lstrip()[:1] in {"[", "{"}
    return _load(value) if listed else value


def _only_text(arguments: Mapping[str, Any], keys: frozenset[str]) -> str | None:
    """The text under one of some names; several different texts are not exact."""
    texts = {arguments[key] for key in keys if isinstance(arguments.get(key), str)}
    if len(texts) > 1:
        raise _InexactError
    return next(iter(texts), None)


def _requested_change(arguments: dict[str, Any], tool_name: str) -> tuple[str, Any]:
    """What a call asks for: a list of `changes`; a `patch`; the `content` of a file; or nothing known."""
    lists = [value for key, value in arguments.items() if key in _LISTS and isinstance(value, list)]
    requests: list[tuple[str, Any]] = [
        ("changes", [_by_plain_name(list(_object(change).items())) for change in items]) for items in lists
    ]
    requests += [("changes", [arguments])] if arguments.keys() & (OLD | NEW) else []
    patch, content = None if requests else _only_text(arguments, _PATCHES), _only_text(arguments, CONTENTS)
    requests += [(kind, text) for kind, text in (("patch", patch), ("content", content)) if text is not None]
    if len(requests) == 1:
        _check_supported(arguments)
        return requests[0]
    if requests or tool_name in EDITORS | WRITERS:
        raise _InexactError
    return "", None


def _is_set(value: object) -> bool:
    return bool(value) and str(value).strip().lower() not in {"false", "0", "no", "none", "null"}


def _check_supported(arguments: Mapping[str, Any]) -> None:
    """Refuse arguments that can't be followed exactly."""
    supported = PATHS | OLD | NEW | CONTENTS | _PATCHES | _LISTS | _HINTS | _ALL | _COUNTS | _NOTES
    for key, value in arguments.items():
        if key in _UNSUPPORTED and _is_set(value):
            raise _InexactError
        if key not in supported and value and not isinstance(value, str):
            raise _InexactError
        if key in {"command", "mode", "operation", "type", "action"} and {*_words(value)} & _OTHER_ACTIONS:
            raise _InexactError


def _words(value: object) -> list[str]:
    return str(value).lower().replace("_", " ").replace("-", " ").split()


def _expected_count(arguments: Mapping[str, Any]) -> int:
    """How often the old text must occur; 0 means any number of times."""
    every = any(_is_set(arguments.get(key)) for key in _ALL)
    number = _number(arguments, _COUNTS)
    if number is not None and (every or number < -1 or not number):
        raise _InexactError
    return 0 if every or number == -1 else 1 if number is None else number


def _number(arguments: Mapping[str, Any], keys: frozenset[str]) -> int | None:
    numbers = {str(arguments[key]).strip() for key in keys & arguments.keys()}
    if len(numbers) > 1 or not all(
        number.removeprefix("-").isdecimal() and len(number) <= MAX_DIGITS for number in numbers
    ):
        raise _InexactError
    return int(numbers.pop()) if numbers else None


def _children(body: str, *, strict: bool = False) -> list[tuple[str, Any]]:
    """The elements in a text, each as its name and value, with nothing between them.

    With `strict`, either both or none of old and new text must be laid out in lines.
    """
    pairs: list[tuple[str, Any]] = []
    laid_out: set[bool] = set()
    at = 0
    while body[at:].strip():
        at = len(body) - len(body[at:].lstrip())
        tag = _tag(body, at)
        end = -1 if tag is None else body.find(f"</{tag.raw}>", tag.end)
        if tag is None or end < 0:
            raise _InexactError
        attributes = tag.attributes
        key = plain(attributes.get("name", "")) if tag.name == "parameter" else tag.name
        value: Any = body[tag.end : end]
        if strict and key in OLD | NEW and value:
            laid_out.add(value.startswith("\n"))
        pairs.append((key, _listed_value(key, _without_layout(value))))
        pairs += [("line", attributes["line"])] if key in OLD and "line" in attributes else []
        at = end + len(f"</{tag.raw}>")
    if len(laid_out) > 1:
        raise _InexactError
    listed = [value for key, value in pairs if key in _LISTS and isinstance(value, dict)]
    others = [(key, value) for key, value in pairs if key not in _LISTS or not isinstance(value, dict)]
    return [*others, *([("edits", listed)] if listed else [])]


def _listed_value(key: str, value: str) -> Any:
    """The value of an element: a change if it is an element of a list, else the text."""
    if key not in _LISTS or not value.lstrip().startswith("<"):
        return value
    inside = _by_plain_name(_children(value))
    return inside["edits"] if inside.keys() == {"edits"} else inside


def _with_content(arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments from tags, with a line ending at the end of a file's content."""
    return {key: _end_line(value) if key in CONTENTS else value for key, value in arguments.items()}


def _without_layout(value: str) -> str:
    """The text of an element, without the outer line endings if it is laid out in lines."""
    text = value.strip()
    if text.startswith("<![CDATA[") and text.endswith("]]>"):
        value = text.removeprefix("<![CDATA[").removesuffix("]]>")
    if not value.startswith("\n"):
        return value
    text, _, last = value[1:].rpartition("\n")
    return text if not last.strip() else value[1:]


def _end_line(content: str) -> str:
    return content if content.endswith("\n") or not content else f"{content}\n"


def _blocks_in(text: str) -> Iterator[Block]:
    """The blocks of a text that is a patch."""
    source, at = Source.of(text), 0
    while at < len(source.lines):
        reader = find_reader(source, at)
        at = at + 1 if reader is None else (yield from _drain(reader))


def _drain(reader: Reader) -> Generator[Block, None, int]:
    while True:
        try:
            block = next(reader)
        except StopIteration as stop:
            return int(stop.value)
        assert block is not None  # noqa: S101  the source is complete
        yield block
