"""Find what looks like an edit in the lines of a reply that belong to no block.

Each rule examines the passages of the reply (prose, and code fences without a block) for one way to write an edit. It
reports the line at which the edit begins, what it seems to be, which file it seems to be about, and whether that is
beyond doubt: a path with old and new text, or with a whole file. Each line is reported once. Nothing is applied: what
is only nearly an edit has no exact meaning, but an edit must not get lost silently.

Not reported: text that only explains a block (its texts are in that block), code in a fence for a programming language,
a command that only runs something, or a sentence that mentions markers.
"""

from __future__ import annotations

from suture.formats import DIFFS, LANGUAGES, Unread, calls, pattern
from suture.formats.file_names import as_path, closes_fence, is_known, mentions, parse_fence, path_in_info, path_on_line
from suture.formats.search_replace import marker
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from re import Match

    from suture.formats import Block, Source

    Rule = Callable[["_Reply", "_Passage"], Iterator[Unread]]


def _phrases(text: str) -> frozenset[str]:
    return frozenset(text.split(", "))


_SHELLS = calls.word_set("bash sh shell zsh fish console terminal powershell ps1 pwsh cmd bat shell-session")
_OUTPUTS = calls.word_set("text txt output log console terminal csv")
_NOT_CODE = _OUTPUTS | _SHELLS | DIFFS
_SETTINGS = calls.word_set("yaml yml toml ini")
_OLD_WORDS = _phrases(
    "search, find, old, original, before, existing, current, from, replace, remove, delete, change, change from, "
    "change this, find this, instead of, look for, replace this, search for"
)
_NEW_WORDS = _phrases(
    "replace, new, updated, after, replacement, with, to, by, modified, changed, add, insert, use, by this, "
    "change to, replace by, replace with, should be, to this, use this, with this"
)
_FILLERS = calls.word_set("the this that code block text version section snippet line lines in of file for it part")
_LABEL_WORDS = _OLD_WORDS | _NEW_WORDS
_TEXTS = calls.OLD | calls.NEW | calls.CONTENTS | calls.word_set("patch diff input insertline codeedit edits")
"""Names of arguments of edit tools that are texts."""
_WEAK = calls.WEAK | {"with", "from", "to"}
_WRITERS = calls.WRITERS - {"write", "create"}
_MOVERS = calls.word_set(
    "renamefile movefile copyfile insertcontent insertline insertlines inserttext insertatline insertintofile "
    "appendfile appendtofile prependtofile addlines"
)
"""Tools that change files by other means than old and new text."""
_WRAPPER_TAGS = calls.word_set(
    "functioncalls toolcalls tools edits files changes args a b body br center code dd details div dl dt em footer "
    "h1 h2 h3 head header hr html i img kbd li main ol p pre section span strong sub summary sup table tbody td th "
    "thead tr u ul"
)
"""Tags that enclose other tags or prose."""
_CALL_BEGINS = ("[TOOL", "Action:")
_MAX_LINES_BETWEEN = 300  # lines between the two halves of an edit: bounds the time
_FEW_LINES_BETWEEN, _MAX_UNENDED = 20, 100
"""After `_MAX_UNENDED` calls without an end, an end is searched for only in the next `_FEW_LINES_BETWEEN` lines."""
_MAX_LINES_ABOVE = 6  # lines above a passage, not counting blank ones, that may name its file: higher ones name others
_MAX_LINE_CHARS = 2_000  # characters at the start of a line that are examined: bounds the time
_MAX_LINES_TO_FENCE = 3  # lines from an introduction to its fence, counting blank ones: later fences have their own
_MAX_LABEL_CHARS = 100  # characters of a label: longer lines are prose
_SHORTEST_TEXT = 4  # characters, not counting whitespace, recognized in a block: shorter texts occur by chance

_NAMED = "path|file_?path|filePath|file|file_?name|target_?file|TargetFile|target_?path|relative_?path"
_OPENING = (
    r"^\W*(?:\d+[.)]\s*)?(?:(?:in|inside|at|on|within)\s+(?:[^,]{1,80},|\S+?,?)\s+)?"
    r"(?:(?:then|next|also|finally|now|please|and)[,:]?\s+)*"
)
"""The words of an instruction before its verb."""
_PATTERNS = {
    "key": r"""["'<=\s,({*_-]([A-Za-z][\w-]*)(?=[\\"'*_]*\s*[:=>])""",
    "value": rf"""(?i)(?:{_NAMED})[\\"'*_]*\s*[:=>]\s*[\\\["'`]*\s*([^\\"'`<>,\]\n]+)""",
    "source": r"""\b(?:from|source|src|old_?path|old_?name|from_?path|source_?path|source_?file)["']*\s*[:=>]\s*"""
    r"""["']*([^\\"'`<>,\]\n]+)""",
    "call": r"""(?:name|tool|tool_name|function|action|recipient_name|Action)["']?\s*[:=]\s*["']?([\w.:-]+)""",
    "key_tag": r"<arg_key>\s*([\w-]+)\s*</arg_key>",
    "value_tag": rf"(?i)<arg_key>\s*(?:{_NAMED})\s*</arg_key>\s*<arg_value>\s*([^<\n]+)",
    "named": r"<tool_call>\s*([\w-]+)",
    "command": r"""command["']?\s*[:=>]\s*["']?(\w+)""",
    "function": r"""^\W*(?:print\()?(?:[\w.]*\.)?(\w+)\s*\(""",
    "first": r"""^\W*(?:print\()?(?:[\w.]*\.)?\w+\(\s*["']([^"'\s]+)["']""",
    "begin": r"^\s*(<{3,}|-{5,})\s*([A-Za-z_]+)\b(.*)$",
    "end": r"^\s*(>{3,}|\+{5,})\s*([A-Za-z_]+)\b",
    "inside": r"(?:<{5,}|(?:\\<){5,}|(?:&lt;|&#60;|&#x3c;){5,}|-{5,})\s*(?:SEARCH|NEW_FILE)\b",
    "closed": r"(?:>{5,}|(?:\\>){5,}|(?:&gt;|&#62;|&#x3e;){5,}|\+{5,})\s*(?:REPLACE|NEW_FILE)\b",
    "section": r"\*\*\* (?:Add|Update|Delete|Create|Modify|Remove) File:\s*([^\s`\"'\\]+)",
    "hunk": r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@",
    "header": r"(?:\+\+\+|---) (?:[ab]/)?([^\s\\\"]+)",
    "field": r"^\s*(?:[-*+>]|\d+\.)?\s*[*_`\"']*([A-Za-z][\w -]{0,24}?)[*_`\"']*\s*[:=][*_]*\s*(.*)$",
    "heredoc": r"""(?:\btee\s+(?:-a\s+)?["']?([^\s"'<>|&;]+)[^<]*|>>?\s*["']?([^\s"'<>|&;]+)["']?\s*)<<"""
    r"""|<<-?\s*["'\\]?\w+["']?\s*>>?\s*["']?([^\s"'<>|&;]+)""",
    "in_place": r"\b(?:g?sed\s+(?:-\w+\s+)*-[a-z]*i|perl\s+(?:-\w+\s+)*-\w*i|sd\s+['\"]|ed\s+-s)|^ed\s[^|]*<<-?\s*\S"
    r"|\b(?:Set-Content|Out-File)\b|-replace\s|^:%?s/.+/.*/",
    "written": r"""\b(?:open\(\s*\\?["']([^"'\\]+)\\?["']\s*,\s*(?:mode=)?\\?["']r?b?[wax+]"""
    r"""|Path\(\\?["']([^"'\\]+)\\?["']\)\.write_|writeFile(?:Sync)?\(\\?["']([^"'\\]+))""",
    "listing": r"^\s*[\u25cf\u23fa]\s*(?:Update|Edit|MultiEdit|Write|Create|Delete)\(([^()\s]+)\)",
    "signed": r"^\s*\d*\s*\+\s*(.*)$",
    "echo": r"""\b(?:echo|printf)\b.*?(>>?)\s*["']?([^\s"'<>|&;]+)""",
    "moved": r"^(?:sudo\s+)?(?:git\s+)?(?:rm|mv|unlink|del|Remove-Item|Move-Item|ren)\s+(.+)$",
    "normal": r"^\d+(?:,\d+)?[acd]\d+(?:,\d+)?$",
    "ed": r"^(?:\d+|\$)(?:,(?:\d+|\$))?[acdis]$",
    "words": r"\[-.+?-\]\s*\{\+.+?\+\}",
    "sentence": rf"(?i){_OPENING}(replace|change|substitute|swap|update|rename|set)\b"
    r"(.+?)\b(?:with|to|by|for|into)\b(.+)$",
    "order": rf"(?i){_OPENING}(add|insert|append|prepend|put|update|replace|change|modify|rewrite|create|edit|set"
    r"|delete|remove|drop|move)\b",
    "put": rf"(?i){_OPENING}(?:add|insert|append|prepend|put)\s+"
    r"(?:(?:the|this|an?|new|lines?|import|statement|following|code|call)[:\s]+)*`([^`]+)`",
    "arrow": r"^\W*(?:[\w./-]+:\s*)?`([^`]+)`\s*(?:\u2192|->|=>|\u279c|\u27f6)\s*`([^`]+)`",
    "rule": r"(?i)^(?:[-=+%*~]{3,}|\[+|<{2,})\s*(?:BEGIN |START |NEW )?FILE\s*[:=]?\s*([^\s\]>]+)"
    r"\s*(?:[-=+%*~]{3,}|\]+|>{2,})?$",
    "entry": r"""["']([^"'\s:]+\.\w+)["']\s*:\s*(?:[{\[]|["'].*\\n)""",
    "whole": r"(?i)\b(?:updated|new|complete|full|modified|final|revised|corrected|whole)\b",
    "quoted": r"`([^`]+)`|\"([^\"]+)\"|“([^”]+)”|'([^']{2,})'",
}
_NEEDED_TEXTS = {
    "begin": ("<<<", "-----"),
    "end": (">>>", "+++++"),
    "inside": ("SEARCH", "NEW_FILE"),
    "closed": ("REPLACE", "NEW_FILE"),
    "section": ("*** ",),
    "hunk": ("@@ -",),
    "field": (":", "="),
    "function": ("(",),
    "listing": ("\u25cf", "\u23fa"),
    "words": ("[-",),
    "sentence": ("`", '"', "'", "\u201c"),
    "order": (".", "/"),
    "arrow": ("`",),
    "put": ("`",),
    "rule": ("file", "FILE", "File"),
}
"""Texts of which a line must contain one for a pattern to be tried: most lines contain none."""


def find_unread(source: Source, seen: Sequence[int], blocks: Sequence[Block], known: Sequence[Unread]) -> list[Unread]:
    """Find what looks like an edit in the lines `seen`, which belong to no block. The parser itself found `known`."""
    reply = _Reply(source, seen, blocks)
    by_line = {unread.line: unread for unread in known if unread.line - 1 in reply.lines}
    passages = list(reply.passages())
    openings = {passage.opening: passage for passage in passages if passage.language is not None}
    for rule in (
        _find_calls,
        _find_markers,
        _find_escaped_blocks,
        _find_fields,
        _find_rows,
        _find_commands,
        _find_diffs,
        _find_listings,
    ):
        for passage in passages:
            for unread in rule(reply, passage):
                reply.report(unread, by_line)
    for unread in _find_in_prose(reply, passages):
        reply.report(unread, by_line)
    for unread in known:
        if unread.kind == "fenced_file":
            inside = openings.get(unread.line - 1)
            if inside is None or any(number + 1 in by_line for number in inside.numbers):
                by_line.pop(unread.line, None)  # it contains a block, or something other than a file
    return [by_line[line] for line in sorted(by_line)]


class _Passage(Record):
    """A code fence, or the prose between two fences."""

    numbers: tuple[int, ...]
    """Its lines, counted from 0, without the fence lines."""
    language: str | None
    """The language of the fence; None for prose."""
    opening: int
    """The line of the opening fence, or the first line of prose."""


class _Reply:
    """The lines that belong to no block."""

    def __init__(self, source: Source, seen: Sequence[int], blocks: Sequence[Block]) -> None:
        usable = [block for block in blocks if not block.problem]
        self.covered = {number for block in usable for number in range(block.line - 1, block.end_line)}
        self.seen = [number for number in seen if number not in self.covered]
        self.lines = {number: (source.line(number) or "")[:_MAX_LINE_CHARS] for number in self.seen}
        self.reads = bool(usable)
        self.reported: set[int] = set()
        """Lines that are part of a reported item."""
        self.unended = 0
        """The number of calls without an end."""
        self.here_ends: dict[tuple[int, str], int] = {}
        """The line at which a here-document ends, by the last line of its passage and its delimiter."""
        splits = [split for block in usable for hunk in block.hunks for split in hunk.splits]
        self.old = [_squeeze(split.old) for split in splits]
        self.new = [_squeeze(split.new) for split in splits] + [_squeeze(block.content or "") for block in usable]

    def passages(self) -> Iterator[_Passage]:
        """Prose and fences, in order; fences that contain a block are skipped."""
        prose: list[int] = []
        inside: list[int] = []
        fence, language, opening = "", "", 0
        for number in self.seen:
            line = self.lines[number]
            opened = parse_fence(line) if line.lstrip()[:1] in {"`", "~"} else None
            if opened is None:
                (inside if fence else prose).append(number)
            elif fence and closes_fence(opened[0], fence):
                if not self.covered & {*range(opening, number)}:
                    yield _Passage(tuple(inside), language, opening)
                fence = ""
            elif not fence:
                if prose:
                    yield _Passage(tuple(prose), None, prose[0])
                fence, language, opening = opened[0], opened[1].partition(" ")[0].lower(), number
                prose, inside = [], []
        rest = inside if fence else prose
        if rest:
            yield _Passage(tuple(rest), language if fence else None, rest[0])

    def text(self, numbers: Sequence[int]) -> str:
        """Some lines as a text."""
        return "\n".join([self.lines[number] for number in numbers])

    def last_line(self, passage: _Passage) -> int:
        """The last line of a passage that is not blank; -1 if there is none."""
        return next((number for number in reversed(passage.numbers) if self.lines[number].strip()), -1)

    def path_above(self, number: int) -> str | None:
        """The file that the lines above a line name, up to the previous block."""
        looked = 0
        while number - 1 in self.lines and looked < _MAX_LINES_ABOVE:
            number -= 1
            line = self.lines[number]
            path = _path_in(line)
            if path is not None:
                return path
            looked += bool(line.strip())
        return None

    def unread(self, number: int, kind: str, path: str | None = None, *, edits: bool = True) -> Unread:
        """An item at a line, about `path` or the file that the lines above name; without a file, it is doubtful."""
        path = path or self.path_above(number)
        return Unread(number + 1, kind, path, edits and path is not None)

    def report(self, unread: Unread, by_line: dict[int, Unread]) -> None:
        """Add an item, unless it is inside another one."""
        if unread.line - 1 not in self.reported:
            by_line.setdefault(unread.line, unread)

    def explains(self, old: str, new: str) -> bool:
        """Whether one of two texts is part of a change that was read."""
        return _is_in(old, self.old) or _is_in(new, self.new)


def _search(name: str, text: str) -> Match[str] | None:
    """Search a text for a named pattern."""
    needed = _NEEDED_TEXTS.get(name)
    return None if needed and not any(word in text for word in needed) else pattern(_PATTERNS[name]).search(text)


def _path_in(line: str) -> str | None:
    path = path_in_info(line) if parse_fence(line) else None if line.lstrip().startswith("</") else path_on_line(line)
    files = _files(line) if path is None else [as_path(path)]
    return files[0] if len(files) == 1 else None


def _files(line: str) -> list[str]:
    return [mention.path for mention in mentions(line) if mention.sure]


def _known_path(path: str | None) -> str | None:
    """The path, if it is one beyond doubt."""
    path = (path or "").strip()
    return as_path(path) if is_known(path) else None


def _is_in(text: str, texts: Sequence[str]) -> bool:
    squeezed = _squeeze(text)
    return len(squeezed) >= _SHORTEST_TEXT and any(squeezed in text for text in texts)


def _squeeze(text: str) -> str:
    return "".join(text.split())


def _find_calls(reply: _Reply, passage: _Passage) -> Iterator[Unread]:
    """Find tool calls, and edits in JSON and in tags."""
    if passage.language not in {None, *LANGUAGES}:
        return
    numbers, at = passage.numbers, 0
    while at < len(numbers):
        end = _end_of_call(reply, numbers, at)
        fenced, inside = passage.language is not None, numbers[at:end]
        unread = _classify_call(reply, numbers[at], reply.text(inside), fenced=fenced) if inside else None
        if unread is not None:
            yield unread
            reply.reported.update(inside)
        at = max(end, at + 1)


def _end_of_call(reply: _Reply, numbers: Sequence[int], at: int) -> int:
    """The end of the call that may begin at a line; the line itself if none does."""
    line = reply.lines[numbers[at]].strip()
    tag = calls.opening_tag(line)
    called = _search("function", line) and line[:1] not in {"`", "#"}
    listed = line.startswith(("{", "[{", "- {")) or line == "["
    around = tag is None or (calls.plain(tag) in _WRAPPER_TAGS and _path_of(line) is None)
    if around and not (listed or called or line.startswith(_CALL_BEGINS)):
        return at
    depth, parentheses, blank = 0, 0, len(numbers)
    reach = _MAX_LINES_BETWEEN if reply.unended < _MAX_UNENDED else _FEW_LINES_BETWEEN
    for place in range(at, min(len(numbers), at + reach)):
        text = reply.lines[numbers[place]]
        if place > at and numbers[place] != numbers[place - 1] + 1:
            reply.unended += 1
            return at if (tag or depth > 0) and blank > place else min(blank, place)  # it contains a block
        if not text.strip():
            blank = min(blank, place)
            if tag is None and depth <= 0:
                break
        depth += sum(text.count(char) for char in "{[") - sum(text.count(char) for char in "}]")
        if tag and f"</{tag}>" in text:
            return _pair_end(reply, numbers, place + 1) if calls.plain(tag) in calls.OLD else place + 1
        parentheses += text.count("(") - text.count(")")
        if (listed and depth <= 0) or (called and tag is None and parentheses <= 0):
            return place + 1
    reply.unended += 1
    return blank


def _pair_end(reply: _Reply, numbers: Sequence[int], at: int) -> int:
    """The end of the element with the new text that follows one with the old text."""
    second = next((place for place in range(at, len(numbers)) if reply.lines[numbers[place]].strip()), at)
    tag = calls.opening_tag(reply.lines[numbers[second]].strip()) if second < len(numbers) else None
    return max(at, _end_of_call(reply, numbers, second)) if tag and calls.plain(tag) in calls.NEW else at


def _classify_call(reply: _Reply, number: int, text: str, *, fenced: bool) -> Unread | None:
    """Classify a text that may be a call."""
    opened = [tag for tag in calls.tags(text) if not tag.is_closing]
    keys = {calls.plain(key) for name in ("key", "key_tag") for key in pattern(_PATTERNS[name]).findall(f" {text}")}
    names = {calls.tool(name) for key in ("call", "named") for name in pattern(_PATTERNS[key]).findall(text)}
    names |= {name for tag in opened for name in (tag.name, calls.tool(tag.attributes.get("name", "")))}
    called = _search("function", text)
    names |= {calls.tool(called[1])} if called else set()
    moved = _known_path(_path_of(text) or _moved_file(text)) if names & (_MOVERS | _WRITERS) else None
    editor, more, tags = bool(calls.EDITORS & names), calls.has_other_names(text), text.lstrip().startswith("<")
    old, new = _sides(keys, either=moved is None and (editor or tags or more is False))
    content = bool(keys & calls.CONTENTS)
    if called and not (old and new):
        return _classify_function_call(number, text, calls.tool(called[1]), fenced=fenced)
    tags = bool(opened) and tags and not any(word in text for word in ("invoke", "function", "tool"))
    strong = bool((old | new) - _WEAK)
    path = _path_of(text) or _file_of_entry(text) or (reply.path_above(number) if tags and old else None)
    inside = content or bool(_search("inside", text))
    writer = bool((calls.WRITERS | {"file"}) & names) or "create" in pattern(_PATTERNS["command"]).findall(text)
    kind, line = "tag" if tags else "call", number + 1
    paired = bool(old and new) and (strong or editor or _known_path(path) is not None)
    if paired or ((old or new) and (editor or (strong and path))):
        doubtful = not strong and not editor and (more or old == {"from"})
        return Unread(line, kind, path, path is not None and (paired or strong) and not doubtful)
    if path and (
        (content and (writer or keys & {"files", "filetext"}))
        or (not fenced and "\n" in text and opened and _holds_file(opened[0], text))
    ):
        return Unread(line, "file", path, edits=True)
    if moved or (path and any(name.startswith(("delete", "remove")) for name in names)):
        return Unread(line, kind, moved or path, edits=True)
    if editor and keys & _TEXTS:
        return Unread(line, kind, path, path is not None and inside)
    return Unread(line, "file", path) if path and "\\n" in text and path == _file_of_entry(text) else None


def _sides(keys: set[str], *, either: bool = False) -> tuple[set[str], set[str]]:
    """The names of old and of new texts. `with` counts beside an old text, and `from` with `to` if `either` is set."""
    old, new = keys & calls.OLD, keys & calls.NEW
    if "with" in keys and (old or "replace" in keys):
        return old or {"replace"}, {"with"}
    return ({"from"}, {"to"}) if either and {"from", "to"} <= keys and not old | new else (old, new)


def _classify_function_call(number: int, text: str, name: str, *, fenced: bool) -> Unread | None:
    """A call of an edit tool as a function, with a path and texts without names; in a fence it may be code."""
    match = _search("first", text)
    path, texts = _known_path(match[1]) if match else None, len(_quoted_texts(text)) - 1
    if path is None:
        return None
    if name in calls.EDITORS and texts > 1:
        return Unread(number + 1, "call", path, not fenced)
    if name in _WRITERS and texts:
        return Unread(number + 1, "file", path, not fenced)
    return Unread(number + 1, "call", path) if name in _MOVERS | {"deletefile", "removefile"} else None


def _moved_file(text: str) -> str | None:
    """The file that a call moves."""
    match = _search("source", text)
    return match[1] if match else None


def _file_of_entry(text: str) -> str | None:
    """The file that is a key of a JSON object."""
    match = _search("entry", text) if text.lstrip().startswith(("{", "[")) else None
    return _known_path(match[1]) if match else None


def _holds_file(tag: calls.Tag, text: str) -> bool:
    """Whether a tag at the start of a text names the file whose content it has."""
    return tag.start == 0 and _known_path(_path_of(text[: tag.end])) is not None


def _path_of(text: str) -> str | None:
    """The path in a field or an attribute of a text."""
    for match in [*pattern(_PATTERNS["value"]).finditer(text), *pattern(_PATTERNS["value_tag"]).finditer(text)]:
        path = match[1].strip()
        if path and " " not in path and ("." in path or "/" in path):
            return as_path(path)
    return None


def _find_markers(reply: _Reply, passage: _Passage) -> Iterator[Unread]:
    """Find blocks with unknown words or numbers of characters in their markers."""
    open_at: dict[str, tuple[int, Match[str]]] = {}
    for number in passage.numbers:
        line = reply.lines[number]
        start, end = _search("begin", line), _search("end", line)
        if start:
            open_at.setdefault({"<": ">", "-": "+"}[start[1][0]], (number, start))
        first, start = open_at.pop(end[1][0], (0, None)) if end else (0, None)
        if start and number - first < _MAX_LINES_BETWEEN:
            word = start[2].lower()
            edits = word in _OLD_WORDS or word.startswith(("edit", "patch", "update", "file"))
            yield reply.unread(first, "markers", _known_path(start[3].strip(" :`")), edits=edits)


def _find_escaped_blocks(reply: _Reply, passage: _Passage) -> Iterator[Unread]:
    """Find blocks whose markers are not at the start of their lines, or are escaped."""
    open_at = -_MAX_LINES_BETWEEN
    for number in passage.numbers:
        line = reply.lines[number]
        start, end = _search("inside", line), _search("closed", line)
        if start and end and "=====" in line:
            yield reply.unread(number, "escaped")
        elif start and not end and marker(line) is None:
            open_at = number
        elif end and not start and number - open_at < _MAX_LINES_BETWEEN:
            yield reply.unread(open_at, "escaped")
            open_at = -_MAX_LINES_BETWEEN
        section = _search("section", line)
        if section and line.count("`", 0, section.start()) % 2 == 0:
            yield Unread(number + 1, "escaped", as_path(section[1]), edits=True)
        hunk = _search("hunk", line)
        if hunk and passage.language in {None, *LANGUAGES} and line.count("`", 0, hunk.start()) % 2 == 0:
            above = [reply.lines.get(at, "") for at in range(number - 2, number + 1)]
            header = next(filter(None, (_search("header", text) for text in above)), None)
            yield reply.unread(number, "diff", as_path(header[1]) if header else None, edits=header is not None)


def _find_fields(reply: _Reply, passage: _Passage) -> Iterator[Unread]:
    """Find edits written as fields: `path`, `old` and `new`, each at the start of a line."""
    if passage.language not in {None, *_SETTINGS, *LANGUAGES}:
        return
    matches = [(number, _search("field", reply.lines[number])) for number in passage.numbers]
    fields = [(number, (calls.plain(match[1]), match[2])) for number, match in matches if match]
    listed = any(key in {"files", "edits", "changes"} for _, (key, _) in fields)
    for place, (number, (key, value)) in enumerate(fields):
        path = _known_path(value.strip(" `\"'*"))
        if key not in calls.PATHS or path is None:
            continue
        names = set()
        for later, (name, _) in fields[place + 1 : place + _MAX_LINES_BETWEEN]:
            if name in calls.PATHS or later - number > _MAX_LINES_BETWEEN:
                break
            names.add(name)
        old, new = _sides(names)
        if old and new:
            sample = passage.language in _SETTINGS and not listed and old | new <= _WEAK and reply.reads
            yield Unread(number + 1, "fields", path, edits=not sample)
        elif names & calls.CONTENTS and listed:
            yield Unread(number + 1, "file", path)


def _find_rows(reply: _Reply, passage: _Passage) -> Iterator[Unread]:
    """Find rows of tables with files, old and new texts; and rules with a file name above its content."""
    columns: list[str] = []
    for number in passage.numbers if passage.language is None else ():
        line = reply.lines[number].strip()
        cells = [cell.strip(" `*") for cell in line.strip("|").split("|")] if line.startswith("|") else []
        named = [calls.plain(cell) for cell in cells]
        if {*named} & calls.PATHS and {*named} & calls.OLD and {*named} & calls.NEW:
            columns = named
            continue
        columns = columns if cells else []
        texts = dict(zip(columns, cells, strict=False))
        path = next((_known_path(value) for key, value in texts.items() if key in calls.PATHS), None)
        old, new = (next((value for key, value in texts.items() if key in keys), "") for keys in (calls.OLD, calls.NEW))
        if path and not reply.explains(old, new):
            yield Unread(number + 1, "fields", path)
        ruled = _search("rule", line)
        if ruled and _known_path(ruled[1]) and number + 1 in reply.lines:
            yield Unread(number + 1, "file", _known_path(ruled[1]))


def _find_commands(reply: _Reply, passage: _Passage) -> Iterator[Unread]:
    """Find shell commands that write, change, move or delete files."""
    if passage.language not in {None, "", *_SHELLS}:
        return
    for place, number in enumerate(passage.numbers):
        line = reply.lines[number].strip()
        if number in reply.reported:
            continue
        whole = passage.language is not None or line.startswith(("$ ", "> ", "# $"))
        for command in [line.lstrip("$> ")] if whole else line.split("`")[1::2]:
            unread = _read_command(command, number + 1, whole_line=whole)
            unread = unread or _read_script(reply, passage.numbers, place, command)
            if unread is not None:
                yield unread
                here = unread.kind == "heredoc" or (command.startswith("ed ") and "<<" in command)
                end = _here_end(reply, passage.numbers, place) if here else number
                reply.reported.update(range(number, end + 1))
                break


def _read_command(command: str, line: int, *, whole_line: bool) -> Unread | None:
    here = _search("heredoc", command)
    if here:
        path = here[1] or here[2] or here[3]
        return Unread(line, "heredoc", as_path(path), whole_line and _is_own(path))
    if _search("in_place", command):
        files = [word for word in command.split()[1:] if _known_path(word.strip("\"'();")) or "*." in word]
        path = files[-1].strip("\"'();") if files else None
        return Unread(line, "shell", path, whole_line and path is not None)
    echoed = _search("echo", command)
    if echoed and _known_path(echoed[2]):
        return Unread(line, "shell", as_path(echoed[2]), whole_line and echoed[1] == ">" and _is_own(echoed[2]))
    moved = _search("moved", command)
    files = [word for word in moved[1].split() if _known_path(word)] if moved else []
    return Unread(line, "shell", as_path(files[0])) if files else None


def _read_script(reply: _Reply, numbers: Sequence[int], place: int, command: str) -> Unread | None:
    """A program, in a here-document or an argument, that writes a file."""
    if not command.startswith(("python", "node", "ruby", "perl")):
        return None
    if "<<" not in command:
        match = _search("written", command)
        path = _known_path(next(filter(None, match.groups()))) if match else None
        return Unread(numbers[place] + 1, "shell", path) if path else None
    end = _here_end(reply, numbers, place)
    lines = [reply.lines[number] for number in numbers[place + 1 : place + _MAX_LINES_BETWEEN] if number < end]
    paths = [path for line in lines for word in _quoted_texts(line) if (path := _known_path(word))]
    return Unread(numbers[place] + 1, "shell", next(iter(paths), None)) if "write" in " ".join(lines) else None


def _is_own(path: str) -> bool:
    """Whether a path may be in the workspace."""
    return not path.startswith(("~", "/dev/", "/etc/", "/tmp/", "$")) and _known_path(path) is not None  # noqa: S108  it is not used


def _here_end(reply: _Reply, numbers: Sequence[int], place: int) -> int:
    """The line that ends a here-document, or the last line."""
    behind = reply.lines[numbers[place]].partition("<<")[2].lstrip("-").split()
    word = behind[0].strip("'\"\\") if behind else ""
    end = reply.here_ends.get((numbers[-1], word), -1)
    if end <= numbers[place]:
        below = (numbers[at] for at in range(place + 1, len(numbers)))
        end = next((number for number in below if reply.lines[number].strip() == word), numbers[-1])
        reply.here_ends[numbers[-1], word] = end
    return end


def _find_diffs(reply: _Reply, passage: _Passage) -> Iterator[Unread]:
    """Find diffs other than unified ones."""
    lines = [(number, reply.lines[number]) for number in passage.numbers]
    for place, (number, line) in enumerate(lines):
        following = lines[place + 1][1] if place + 1 < len(lines) else ""
        normal = _search("normal", line.strip()) and following.lstrip()[:2] in {"< ", "> "}
        context = line.strip() == "*" * 15 and following.startswith("*** ")
        script = _search("ed", line.strip()) and passage.language in {"ed", "diff", ""}
        words = _search("words", line) and passage.language is not None
        if normal or context or script or words:
            yield reply.unread(number, "diff")
            return


def _find_listings(reply: _Reply, passage: _Passage) -> Iterator[Unread]:
    """Find edits as a terminal shows them: `\u25cf Update(a.py)`, and below it lines with numbers and signs."""
    if passage.language not in {None, "", *_OUTPUTS}:
        return
    for place, number in enumerate(passage.numbers):
        match = _search("listing", reply.lines[number])
        path = _known_path(match[1]) if match else None
        if path is None:
            continue
        below = [reply.lines[number] for number in passage.numbers[place + 1 : place + _MAX_LINES_BETWEEN]]
        end = next((at for at, line in enumerate(below) if line[:1].strip()), len(below))
        added = [signed[1] for line in below[:end] if (signed := _search("signed", line))]
        if not any(_is_in(text, reply.new) for text in added):
            yield Unread(number + 1, "diff", path)


def _find_in_prose(reply: _Reply, passages: Sequence[_Passage]) -> Iterator[Unread]:
    """Find edits in sentences and below labels, with or without code fences."""
    halves: set[int] = set()
    for place, passage in enumerate(passages):
        if passage.language is not None:
            continue
        after = passages[place + 1] if place + 1 < len(passages) else None
        for unread in _find_below_labels(reply, passages, place):
            halves |= {fence.opening for fence in passages[place + 1 : place + 4]}
            yield unread
        last = reply.last_line(passage)
        for number in passage.numbers:
            line = reply.lines[number]
            sentence = _read_sentence(reply, line, number)
            if sentence is not None:
                yield sentence
            elif after is not None and number == last and after.opening not in halves:
                yield from _find_below_introduction(reply, number, after)


def _find_below_introduction(reply: _Reply, number: int, fence: _Passage) -> Iterator[Unread]:
    """Find a fence with code below a line that says what to do with it."""
    line = reply.lines[number]
    if fence.language in {None, *_NOT_CODE} or fence.opening - number > _MAX_LINES_TO_FENCE:
        return
    paths = _files(line)
    ordered = _search("order", line) or (_search("whole", line) and line.rstrip().endswith(":"))
    if ordered and len(paths) == 1 and not reply.explains("", reply.text(fence.numbers)):
        yield Unread(fence.opening + 1, "fences", paths[0])


def _find_below_labels(reply: _Reply, passages: Sequence[_Passage], place: int) -> Iterator[Unread]:
    """Find two labels, such as Before and After, each with its text below it, in fences or clearly set off."""
    passage = passages[place]
    labels = [(number, word) for number in passage.numbers if (word := _label(reply.lines[number]))]
    if labels and labels[-1][1] in _OLD_WORDS and labels[-1][0] == reply.last_line(passage):
        yield from _find_in_fences(reply, passages[place + 1 :], labels[-1][0])
    marked = [(number, word) for number, word in labels if _is_marked(reply.lines[number])]
    old = next((number for number, word in marked if word in _OLD_WORDS), None)
    if old is not None and any(word in _NEW_WORDS and number > old + 1 for number, word in marked):
        yield reply.unread(old, "markers", _path_in(reply.lines[old]))


def _find_in_fences(reply: _Reply, rest: Sequence[_Passage], number: int) -> Iterator[Unread]:
    """Find an edit that is a label, a fence, another label and another fence."""
    if len(rest) < 3:  # noqa: PLR2004  fence, label, fence
        return
    old, between, new = rest[:3]
    lines = [reply.lines[number] for number in between.numbers if reply.lines[number].strip()]
    label = _label(lines[0]) if lines and between.language is None else ""
    if new.language is None or label not in _NEW_WORDS or {old.language, new.language} & _OUTPUTS:
        return
    if not reply.explains(reply.text(old.numbers), reply.text(new.numbers)):
        yield reply.unread(number, "fences", _path_in(reply.lines[number]) or _path_in(reply.lines[old.opening]))


def _label(line: str) -> str:
    """The words of a label without filler words; empty for other lines."""
    if len(line) > _MAX_LABEL_CHARS:
        return ""
    named = {word for path in _files(line) for word in path.split()}
    words = [
        word.strip("#*_`<>[](){}=-+:;.,!/@%|~\"'\u2192").lower()
        for word in line.split()
        if word.strip("`*_():,") not in named
    ]
    words = [word for word in words if word]
    whole, short = " ".join(words), " ".join(word for word in words if word not in _FILLERS)
    return whole if whole in _LABEL_WORDS else short if short in _LABEL_WORDS else ""


def _is_marked(line: str) -> bool:
    """Whether a label is set off by more than a colon or emphasis."""
    text = line.strip()
    return text.startswith(("[", "{", "<", "===", "---", "###", "@@", "%%", ":::", "//", "+++", ">>>", "|", "--")) or (
        text.rstrip(":").isupper() and text.endswith(":")
    )


def _read_sentence(reply: _Reply, line: str, number: int) -> Unread | None:
    """A sentence that says which text to replace by which, or what to delete or add."""
    arrow = _search("arrow", line)
    if arrow and not reply.explains(arrow[1], arrow[2]) and not {*_files(line)} & {arrow[1], arrow[2]}:
        return reply.unread(number, "sentence", _path_in(line), edits=False)
    match = _search("sentence", line)
    if match is None:
        return _read_order(reply, line, number)
    old, new = (_quoted_texts(text) for text in (match[2], match[3]))
    paths = _files(line)
    old, new = ([text for text in side if as_path(text) not in paths] for side in (old, new))
    if not old or not new or reply.explains(old[0], new[0]) or _is_blank_to_fill(old[0]):
        return None
    path = paths[0] if len(paths) == 1 else reply.path_above(number) if not paths else None
    return Unread(number + 1, "sentence", path, len(paths) == 1)


def _read_order(reply: _Reply, line: str, number: int) -> Unread | None:
    """A sentence that says what to delete or which text to add."""
    order, put = _search("order", line), _search("put", line)
    removes = order is not None and order[1].lower() in {"delete", "remove", "drop", "move"}
    paths = _files(line) if removes or put else []
    if len(paths) != 1 or (put and paths[0] in put[1]):
        return None
    was_read = _is_in(put[1], reply.new) if put else any(_is_in(text, reply.old) for text in _quoted_texts(line))
    return None if was_read else Unread(number + 1, "sentence", paths[0])


def _quoted_texts(text: str) -> list[str]:
    return ["".join(groups) for groups in pattern(_PATTERNS["quoted"]).findall(text)]


def _is_blank_to_fill(text: str) -> bool:
    """Whether a text is a blank for the reader to fill in."""
    word = text.strip("<>{}[]$%\"' ")
    return text[:1] in {"<", "{", "$"} or "your" in word.lower() or (word.isupper() and "_" in word)
