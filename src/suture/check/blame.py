"""Find the places that may have broken a text's syntax, likeliest first.

A parser notices a missing brace only where the text stops making sense, often at the end of the file. So suspects are
found by brackets and indentation, by quotes, and by what the parser skipped or inserted. Each has a repair that can be
tried.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import chain, count, islice

from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import tree_sitter

    Token = tuple[int, int]
    """Start and end."""
    Mark = tuple[bool, str, int, int]
    """Whether it opens; the text that closes it; start and end."""

_PAIRS = {"(": ")", "[": "]", "{": "}"}
_CLOSERS = frozenset(_PAIRS.values())
_BEHIND_QUOTE = b";,)]}:({> \t"
"""Characters that may follow a missing quote at the end of a line."""
_ENDS = b";,{}([:>"
"""Characters at the end of a line that need no separator."""
_QUOTE_TYPES = {'"', "'", "`", '"""', "string_start", "''"}
_NO_STATE = {0, 65535}
"""Parse states of nodes that the parser read during error recovery."""
_MAX_MARK_BYTES = 3  # bytes of a token that may contain a bracket, such as `${` or `%w(`
_MAX_BLOCK_WORD_BYTES = 8  # bytes of a word that opens or closes a block: `function`
_NODES_PER_LOOK = 1 << 14  # between two checks of the deadline, whose cost is negligible then
_MAX_CANDIDATES = 6  # of one kind, by choice: trying one parses the text again, and leaves less time for others
_MAX_LINES_ABOVE = 3  # above an error, that may lack a separator; by choice: each is tried with three separators
_MAX_ERRORS = 40  # error nodes that are examined, as many as are shown: a hostile text has thousands
_MAX_CHILDREN = 200  # of an error node, as above
_MAX_SHOWN_CHARS = 24  # characters of a token in a message
_MAX_SHORT_NODE_BYTES = 80  # bytes of an error that is removed whole, by choice: a longer one also contains valid code


class Suspect(Record):
    """A place, what is wrong there, and the repair: `put` replaces the bytes from `start` to `end`."""

    at: int
    message: str
    start: int
    end: int
    put: bytes


class Lines:
    """The lines of a text, each with its indentation; places are bytes, a line is found by any place in it."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.starts = [0]
        self._firsts: list[int] = []
        self._indents: list[int] = []
        for line in source.split(b"\n"):
            text = line.lstrip(b" \t")
            lead = len(line) - len(text)
            self._firsts.append(self.starts[-1] + lead)
            self._indents.append(len(line[:lead].expandtabs(8)))
            self.starts.append(self.starts[-1] + len(line) + 1)

    def number(self, at: int) -> int:
        """The line's number, from 1."""
        return bisect_right(self.starts, at, 0, len(self._firsts))

    def column(self, at: int) -> int:
        """The code point's number in its line, from 1."""
        return len(self.source[self.start(at) : at].decode("utf-8", "replace")) + 1

    def start(self, at: int) -> int:
        """Where the line starts."""
        return self.starts[self.number(at) - 1]

    def end(self, at: int) -> int:
        """Where it ends, before its newline."""
        return self.starts[self.number(at)] - 1

    def first(self, at: int) -> int:
        """The place of its first character that is not blank."""
        return self._firsts[self.number(at) - 1]

    def indent(self, at: int) -> int:
        """How far it is indented."""
        return self._indents[self.number(at) - 1]

    def leads(self, at: int) -> bool:
        """Whether only blanks come before a place in its line."""
        return at <= self.first(at)

    def deeper(self, at: int) -> bool:
        """Whether the line below is indented more."""
        number = self.number(at)
        return number < len(self._indents) and self._indents[number] > self._indents[number - 1]

    def outside(self, at: int, *, back: bool = False) -> Iterator[int]:
        """Of the lines below, or above, those that are indented no more: the first characters."""
        number, indent = self.number(at), self.indent(at)
        for index in range(number - 2, -1, -1) if back else range(number, len(self._firsts)):
            first = self._firsts[index]
            if (
                self._indents[index] <= indent
                and first < self.starts[index + 1] - 1
                and self.source[first] not in b"\r"
            ):
                yield first


class View:
    """A text with errors, as its tree shows it."""

    def __init__(
        self, source: bytes, tree: tree_sitter.Tree, blocks: Sequence[tuple[str, str]], check_time: Callable[[], object]
    ) -> None:
        self.source = source
        self.lines = Lines(source)
        self._check_time = check_time
        self.tokens: list[Token] = []
        self.starts: list[int] = []
        self._marks: list[Mark] = []
        self._errors: list[tree_sitter.Node] = []
        self._missing: list[tree_sitter.Node] = []
        self._language = tree.language
        self._blocks = dict(blocks)
        self._ends = frozenset(self._blocks.values())
        self._fits: dict[int, frozenset[int]] = {}
        self._walk(tree.walk())
        if not self._errors and not self._missing:  # the parser put in what has no name
            self._errors.append(_deepest(tree.root_node))

    def suspects(self) -> list[Suspect]:
        """All suspects, likeliest first."""
        return list(
            dict.fromkeys(chain(self.brackets(), self._inserted(), self._quotes(), self._separators(), self._misfits()))
        )

    def pairs(self) -> list[Suspect]:
        """Suspects by brackets and quotes, which most languages share."""
        return list(dict.fromkeys(chain(self.brackets(), self._quotes())))

    def errors(self) -> list[Suspect]:
        """What the parser itself objects to, in text order; only the first suspect of each error node."""
        suspects: list[Suspect] = []
        after = -1
        for suspect in sorted(chain(self._inserted(), self._misfits()), key=lambda suspect: suspect.at):
            if suspect.at >= after:
                suspects.append(suspect)
                around = [node.end_byte for node in self._errors if node.start_byte <= suspect.at < node.end_byte]
                after = max(around, default=suspect.at + 1)
        return suspects

    def uneven(self) -> bool:
        """Whether the numbers of opening and closing brackets differ, wherever they are."""
        if self._blocks:
            return True
        count = self.source.count
        return any(count(opener.encode()) != count(closer.encode()) for opener, closer in _PAIRS.items())

    def behind(self, at: int) -> int:
        """The end of the last token that ends at or before a place; the place itself if there is none."""
        index = bisect_left(self.starts, at) - 1
        while index >= 0 and self.tokens[index][1] > at:
            index -= 1
        return self.tokens[index][1] if index >= 0 else at

    def _walk(self, cursor: tree_sitter.TreeCursor) -> None:
        down = True
        for step in count():
            if step % _NODES_PER_LOOK == 0:
                self._check_time()
            if down:
                node = cursor.node
                if node is None:  # pragma: no cover  a cursor that we move is on a node
                    return
                if node.is_error and len(self._errors) < _MAX_ERRORS:
                    self._errors.append(node)
                if node.is_missing:
                    self._missing.append(node)
                elif cursor.goto_first_child():
                    continue
                else:
                    self._take(node)
            if cursor.goto_next_sibling():
                down = True
            elif cursor.goto_parent():
                down = False
            else:
                return

    def _take(self, node: tree_sitter.Node) -> None:
        start, end = node.start_byte, node.end_byte
        if end == start:
            return
        self.tokens.append((start, end))
        self.starts.append(start)
        if node.is_named and not node.is_error and (not self._blocks or end - start > _MAX_BLOCK_WORD_BYTES):
            return
        text = self.source[start:end].decode("utf-8", "replace")
        if text in self._blocks:
            if text in {"do", "fn", "function"} or self.lines.leads(start):
                self._marks.append((True, self._blocks[text], start, end))
        elif text in self._ends:
            self._marks.append((False, text, start, end))
        elif len(text) <= _MAX_MARK_BYTES and not node.is_named:
            for at, letter in enumerate(text, start):
                if letter in _PAIRS:
                    self._marks.append((True, _PAIRS[letter], at, at + 1))
                elif letter in _CLOSERS:
                    self._marks.append((False, letter, at, at + 1))

    def brackets(self) -> list[Suspect]:
        """Missing or extra brackets; none if they are balanced."""
        stack: list[Mark] = []
        opened: dict[str, int] = {}
        lost, stray, short, extra = list[Suspect](), list[Suspect](), list[Suspect](), list[Suspect]()
        for mark in self._marks:
            opens, closer, start, _ = mark
            if opens:
                stack.append(mark)
                opened[closer] = opened.get(closer, 0) + 1
                continue
            if not opened.get(closer) or (closer in ")]" and stack[-1][1] == "}" and not self.lines.leads(start)):
                stray += self._too_many(mark) if len(stray) < _MAX_CANDIDATES else ()
                continue
            top = stack.pop()
            while top[1] != closer:
                opened[top[1]] -= 1
                lost += self._missing_closers(top, start) if len(lost) < _MAX_CANDIDATES else ()
                top = stack.pop()
            opened[closer] -= 1
            depth = self._misalignment(top, mark)
            short += self._missing_closers(top, start) if depth > 0 and len(short) < _MAX_CANDIDATES else ()
            extra += self._too_many(mark) if depth < 0 and len(extra) < _MAX_CANDIDATES else ()
        for top in stack[: -_MAX_CANDIDATES - 1 : -1]:
            lost += self._missing_closers(top, len(self.source))
        if lost:
            return [*short, *lost, *stray, *extra]
        return [*extra, *stray, *short] if stray else []

    def _misalignment(self, opener: Mark, closer: Mark) -> int:
        """Above 0 if a closer is indented like that of an outer opener, below 0 if like that of an inner one."""
        start = closer[2]
        if self.lines.number(opener[2]) == self.lines.number(start):
            return 0
        if self.lines.leads(start):
            return self.lines.indent(opener[2]) - self.lines.indent(start)
        block = closer[1] == "}" and not self.source[opener[3] : self.lines.end(opener[3])].strip()
        return (
            -1
            if block and (self.source[start - 1] in b"}" or self.source[self.lines.first(start)] not in b"})]")
            else 0
        )

    def _missing_closers(self, mark: Mark, before: int) -> list[Suspect]:
        """Suspects for a missing closer before a place: where the indentation shows that it belongs."""
        _, closer, start, end = mark
        opener = self.source[start:end].decode()
        message = f"missing `{closer}` to close the `{opener}` in line {self.lines.number(start)}"
        below = self.behind(self._dedent(mark, before))
        places = [below]
        text = self.source[end : self.lines.end(end)].rstrip()
        if closer in ")]" or (closer == "}" and text):
            inline = []
            while text and text[-1] in b"{;,:":
                inline.append(end + len(text))
                text = text[:-1].rstrip()
            inline.append(end + len(text))
            block = closer == "}" and self.lines.deeper(start)
            places = [below, *inline[::-1]] if block else [*inline[::-1], below]
        put = (closer if closer in _CLOSERS else f"\n{closer}\n").encode()
        return [Suspect(at, message, at, at, put) for at in dict.fromkeys(places)]

    def _dedent(self, mark: Mark, before: int) -> int:
        """The first line after an opener, and before a place, that is not indented deeper than the opener's line."""
        for first in self.lines.outside(mark[2]):
            if first >= before:
                break
            if self._is_token(first) and self.source[first] not in b"#{":
                return first
        return before

    def _too_many(self, mark: Mark) -> list[Suspect]:
        """A closer that closes nothing; or whose opener is missing in the line that it is aligned with."""
        _, closer, start, end = mark
        suspects = []
        header = self._header(start) if self.lines.leads(start) else None
        if header is not None:
            at = self.behind(self.lines.end(header))
            openers = [opener for opener, other in _PAIRS.items() if other == closer] or ["do", "then"]
            suspects = [Suspect(at, f"missing `{opener}`", at, at, f" {opener}".encode()) for opener in openers]
        suspects.append(Suspect(start, f"unexpected `{closer}`: it closes nothing", start, end, b""))
        return suspects

    def _header(self, start: int) -> int | None:
        """The line above a closer with the same indentation, if it opens nothing and deeper lines are between them."""
        indent = self.lines.indent(start)
        for first in self.lines.outside(start, back=True):
            if not self._is_token(first):
                continue
            text = self.source[first : self.lines.end(first)].rstrip()
            alone = text[-1] not in b"{([" and text.strip(b"})];, \t")
            between = self.source[self.lines.end(first) : self.lines.start(start)].strip()
            return first if alone and between and self.lines.indent(first) == indent else None
        return None

    def _inserted(self) -> Iterator[Suspect]:
        """Tokens that the parser inserted."""
        for node in islice(self._missing, _MAX_ERRORS):
            at = self.behind(node.start_byte)
            if node.is_named:
                yield Suspect(at, f"missing {node.type.replace('_', ' ')}", at, at, b"")
            else:
                put = f" {node.type} " if node.type in _CLOSERS | self._ends else node.type
                yield Suspect(at, f"missing `{node.type}`", at, at, put.encode())

    def _separators(self) -> Iterator[Suspect]:
        """Lines above an error without a separator at the end."""
        for node in islice(self._errors, 2):
            end = self.lines.start(self._misfit(node)[0])
            for _ in range(_MAX_LINES_ABOVE):
                at = self.behind(end)
                if at <= 0 or at > end:
                    break
                end = self.lines.start(at)
                if self.source[at - 1] not in _ENDS:
                    for put in (";", ",", ":"):
                        yield Suspect(at, f"missing `{put}`", at, at, put.encode())

    def _quotes(self) -> Iterator[Suspect]:
        """Lines near an error with an unpaired quote."""
        if not self._errors and not self._missing:
            return
        near = min(node.start_byte for node in chain(self._errors[:1], self._missing[:1]))
        places = {self.lines.start(self._misfit(node)[0]) for node in self._errors[:_MAX_CANDIDATES]}
        odd = []
        start = 0
        for line in self.source.split(b"\n"):
            text = line.rstrip()
            if b'"' in text or b"'" in text or b"`" in text:
                bare = text.replace(b'\\"', b"").replace(b"\\'", b"").replace(b'"""', b"")
                lone = [quote for quote in (b'"', b"'", b"`") if bare.count(quote) % 2]
                odd += [(start not in places, abs(start - near), start, text, quote) for quote in lone]
            start += len(line) + 1
        odd.sort()
        for _, _, start, text, quote in odd[:_MAX_CANDIDATES]:
            yield from self._unquoted(start, text, quote)

    def _unquoted(self, start: int, text: bytes, quote: bytes) -> Iterator[Suspect]:
        shown = quote.decode()
        last = start + text.rindex(quote)
        cut = text
        for _ in range(_MAX_CANDIDATES):
            at = start + len(cut)
            yield Suspect(last, f"this `{shown}` is never closed", at, at, quote)
            if not cut or cut[-1] not in _BEHIND_QUOTE:
                break
            cut = cut[:-1]
        first = max(text.rfind(separator, 0, last - start) for separator in (b" ", b"(", b"=", b"[", b","))
        at = start + first + 1
        yield Suspect(at, f"missing `{shown}`", at, at, quote)

    def _misfits(self) -> Iterator[Suspect]:
        """The first unexpected token of each innermost error."""
        for index, node in enumerate(self._errors):
            if index + 1 < len(self._errors) and self._errors[index + 1].end_byte <= node.end_byte:
                continue
            start, end, message = self._misfit(node)
            yield Suspect(start, message, start, end, b"")
            if start < node.end_byte <= start + _MAX_SHORT_NODE_BYTES:
                yield Suspect(start, message, start, node.end_byte, b"")

    def _misfit(self, node: tree_sitter.Node) -> tuple[int, int, str]:
        """The first part of an error that was invalid in the parser's state; else what follows the error."""
        children = node.children[:_MAX_CHILDREN]
        for child in children:
            if child.parse_state not in _NO_STATE and child.grammar_id not in self._valid_symbols(child.parse_state):
                token = self._token(child.start_byte)
                return self._unexpected(token or child.byte_range)
        if not children:
            return self._unexpected(node.byte_range)
        for quote in children[:-3:-1]:
            if quote.type in _QUOTE_TYPES:
                start, end = quote.byte_range
                return start, end, f"this `{self.source[start:end].decode()}` is never closed"
        token = self._token(node.end_byte)
        if token is None:
            return children[-1].end_byte, children[-1].end_byte, "unexpected end of the text"
        return self._unexpected(token)

    def _unexpected(self, token: Token) -> tuple[int, int, str]:
        start, end = token
        text = self.source[start:end].decode("utf-8", "replace").strip()
        first = text.partition("\n")[0].strip()
        shown = first if len(first) <= _MAX_SHOWN_CHARS else first[:_MAX_SHOWN_CHARS] + "…"
        if text.startswith(("...", "…")):
            return start, end, f"`{shown}` is not code: something was left out here"
        return start, end, f"unexpected `{shown}`"

    def _valid_symbols(self, state: int) -> frozenset[int]:
        symbols = self._fits.get(state)
        if symbols is None:
            lookahead = self._language.lookahead_iterator(state)
            symbols = self._fits[state] = frozenset(lookahead.symbols() if lookahead is not None else ())
        return symbols

    def _is_token(self, at: int) -> bool:
        index = bisect_left(self.starts, at)
        return index < len(self.starts) and self.starts[index] == at

    def _token(self, at: int) -> Token | None:
        index = bisect_left(self.starts, at)
        return self.tokens[index] if index < len(self.tokens) else None


def _deepest(node: tree_sitter.Node) -> tree_sitter.Node:
    while True:
        inner = next((child for child in node.children if child.has_error), None)
        if inner is None:
            return node
        node = inner
