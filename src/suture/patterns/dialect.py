r"""JavaScript's regular expressions: the parser, its syntax tree, and the characters of classes.

    pattern      = choice
    choice       = sequence { "|" sequence }
    sequence     = { piece }
    piece        = assertion | atom [ quantifier ]
    assertion    = "^" | "$" | "\b" | "\B" | "(?=" choice ")" | "(?!" … | "(?<=" … | "(?<!" …
    atom         = character | "." | class | escape | "(" choice ")" | "(?:" choice ")" | "(?" flags ":" choice ")"
                 | "(?<" name ">" choice ")" | "(?P<" name ">" choice ")"
                 | "\" number | "\k<" name ">" | "(?P=" name ")"
    quantifier   = ( "*" | "+" | "?" | "{" n [ "," [ m ] ] "}" ) [ "?" ]
    class        = "[" [ "^" ] { character [ "-" character ] | escape } "]"

Looser than ECMAScript: `(?P<name>…)`, `(?P=name)` and a leading `(?i)` are accepted; a `{`, `}` or `]` that can't mean
anything else is a character; every punctuation mark may be escaped. Stricter: an escaped letter without a meaning is
refused (`\A` and `\z` belong to other dialects), and so is `[[:alpha:]]`.

Rejected: passing the pattern to an engine as it is written. No available engine reads this dialect, and two that read
nearly the same dialect would find different matches.
"""

from __future__ import annotations

from suture.errors import InvalidFlags, InvalidRegex
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Ranges = tuple[tuple[int, int], ...]

LAST = 0x10FFFF
"""The last code point of Unicode."""
DIGITS: Ranges = ((0x30, 0x39),)
WORDS: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
ALSO_WORDS: Ranges = (*WORDS, (0x17F, 0x17F), (0x212A, 0x212A))
r"""`\w` if case is ignored: also the characters that fold to `s` or `k`, so that `\W` is the complement."""
SPACES: Ranges = (
    *((0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029)),
    *((0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)),
)
"""Whitespace as in ECMAScript; RE2 knows only the ASCII characters."""
LINE_ENDS: Ranges = ((0x0A, 0x0A), (0x0D, 0x0D))

_CATEGORY_NAMES = """
L Letter, LC Cased_Letter, Lu Uppercase_Letter, Ll Lowercase_Letter, Lt Titlecase_Letter, Lm Modifier_Letter,
Lo Other_Letter, M Mark Combining_Mark, Mn Nonspacing_Mark, Mc Spacing_Mark, Me Enclosing_Mark, N Number,
Nd Decimal_Number digit, Nl Letter_Number, No Other_Number, P Punctuation punct, Pc Connector_Punctuation,
Pd Dash_Punctuation, Ps Open_Punctuation, Pe Close_Punctuation, Pi Initial_Punctuation, Pf Final_Punctuation,
Po Other_Punctuation, S Symbol, Sm Math_Symbol, Sc Currency_Symbol, Sk Modifier_Symbol, So Other_Symbol, Z Separator,
Zs Space_Separator, Zl Line_Separator, Zp Paragraph_Separator, C Other, Cc Control cntrl, Cf Format, Cs Surrogate,
Co Private_Use, Cn Unassigned
"""
_SHORT_NAMES = {name: names[0] for names in map(str.split, _CATEGORY_NAMES.split(",")) for name in names}
"""The general categories, by all their names."""
_BINARY_NAMES = """
ASCII ASCII_Hex_Digit AHex Alphabetic Alpha Any Assigned Bidi_Control Bidi_C Bidi_Mirrored Bidi_M Case_Ignorable CI
Cased Changes_When_Casefolded CWCF Changes_When_Casemapped CWCM Changes_When_Lowercased CWL
Changes_When_NFKC_Casefolded CWKCF Changes_When_Titlecased CWT Changes_When_Uppercased CWU Dash
Default_Ignorable_Code_Point DI Deprecated Dep Diacritic Dia Emoji Emoji_Component EComp Emoji_Modifier EMod
Emoji_Modifier_Base EBase Emoji_Presentation EPres Extended_Pictographic ExtPict Extender Ext Grapheme_Base Gr_Base
Grapheme_Extend Gr_Ext Hex_Digit Hex ID_Continue IDC ID_Start IDS Ideographic Ideo Join_Control Join_C
Logical_Order_Exception LOE Lowercase Lower Math Noncharacter_Code_Point NChar Pattern_Syntax Pat_Syn
Pattern_White_Space Pat_WS Quotation_Mark QMark Radical Regional_Indicator RI Sentence_Terminal STerm Soft_Dotted SD
Terminal_Punctuation Term Unified_Ideograph UIdeo Uppercase Upper Variation_Selector VS White_Space space XID_Continue
XIDC XID_Start XIDS
"""
_BINARY = frozenset(_BINARY_NAMES.split())
"""Binary properties."""
_MAX_NAME_CHARS = 60  # characters of a property's name: all names in Unicode are shorter

_members: dict[str, Ranges] = {}
"""A cache of the characters of each property: finding them takes a pass over all of Unicode."""

FLAGS = "gimsu"
_FLAG_LETTERS = "dgimsuvy"  # those of ECMAScript: `/a/y` is a pattern with a flag that is not supported, not a path
_MAX_DEPTH = 50  # levels of nested groups: each one takes several calls on Python's stack
MAX_DIGITS = 9
"""Digits of a number: more are not needed, and `int` refuses very many."""
_MAX_GROUPS = 500  # capturing groups, by choice: each match has a span for every group
_MAX_SHOWN_CHARS = 40  # characters of an unknown property that a message shows: a model pays for each
_MAX_COUNT = 2**31 - 1  # repetitions; a larger number is reduced to this one, because no text is that long
_MAX_QUANTIFIER_CHARS = 40  # characters of `{n,m}`: braces around longer numbers are literal text
_LOCAL_FLAGS = frozenset("ims")
"""Flags that can be set for part of a pattern."""
DECIMALS = frozenset("0123456789")
_HEX = frozenset("0123456789abcdefABCDEF")
_GROUP = r"(?s)\\.|\[(?:\\.|[^\]\\])*|\((?:(?!\?)|\?P?<(?![=!])(?:(?P<name>[^>(]*)>)?)"
"""A capturing group; or an escape or a class, in which parentheses are characters."""
_CONTROLS = {"t": 0x09, "n": 0x0A, "v": 0x0B, "f": 0x0C, "r": 0x0D}
_SHORTHANDS = {"d": DIGITS, "w": WORDS, "s": SPACES}
_PLAIN_PROPERTIES = {"Any": ((0, LAST),), "ASCII": ((0, 0x7F),)}
_ESCAPES = {
    "A": "^ without the flag m is the start of the text",
    "Z": "$ without the flag m is the end of the text",
    "z": "$ without the flag m is the end of the text",
    "h": "Write [ \\t] for a space or tab",
    "R": "Write \\r?\\n for a line end",
    "Q": "Escape each character by itself",
    "K": "Use a look-behind, (?<=…)",
    "a": "Write \\x07",
    "e": "Write \\x1b",
}
_GROUPS = {
    "(?>": "Atomic groups are not supported; a plain group, (?:…), matches the same or more",
    "(?#": "Comments are not supported",
    "(?x": "The flag x is not supported",
    "(?R": "Recursion is not supported",
    "(?|": "Number the groups one by one",
    "(?'": "Write (?<name>…)",
}
_LINE_FEED, _RETURN = 0x0A, 0x0D
_ENDS = ((_LINE_FEED, _LINE_FEED), (_RETURN, _RETURN))
_BACKSPACE, _MINUS = 0x08, 0x2D
_HIGH, _LOW, _LAST_LOW = 0xD800, 0xDC00, 0xDFFF


class Node(Record):
    """A part of a pattern."""


class Char(Node):
    """One character."""

    point: int
    fold: bool = False


class Class(Node):
    """One character in some ranges or with some properties; if negated, any other character."""

    ranges: tuple[tuple[int, int], ...]
    properties: tuple[tuple[str, bool], ...] = ()
    """Names as returned by `property_of`, and whether each is inverted."""
    negated: bool = False
    fold: bool = False


class Edge(Node):
    """An assertion about a position: `start`, `end`, `line_start`, `line_end`, `word` or `no_word`."""

    kind: str


class Group(Node):
    """A group; without a number it does not capture."""

    body: Node
    number: int | None = None


class Look(Node):
    """A lookahead or lookbehind."""

    body: Node
    ahead: bool
    negative: bool


class Back(Node):
    """A back-reference to a group."""

    number: int
    fold: bool = False


class Repeat(Node):
    """A body repeated `least` to `most` times; None means no limit."""

    body: Node
    least: int
    most: int | None
    lazy: bool


class Sequence(Node):
    """Nodes that match one after the other."""

    parts: tuple[Node, ...]


class Choice(Node):
    """Alternatives; the first one that leads to a match is taken."""

    options: tuple[Node, ...]


class Pattern(Record):
    """A parsed pattern."""

    source: str
    """The pattern as written, including delimiters and flags."""
    flags: frozenset[str]
    root: Node
    groups: int
    names: dict[str, int]
    rewritten: tuple[str, ...] = ()
    """How it differs from what its source says: `lines`, `breaks`."""

    @property
    def every(self) -> bool:
        """Whether all matches are requested, not just the first one of each line."""
        return "g" in self.flags

    @property
    def has_text_end(self) -> bool:
        """Whether it has a `^` or `$` that means an end of the text, not of a line."""
        return _has_text_end(self.root)


def invert(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """All other characters."""
    result, start = [], 0
    for low, high in join_ranges(ranges):
        if low > start:
            result.append((start, low - 1))
        start = high + 1
    return (*result, (start, LAST)) if start <= LAST else tuple(result)


def join_ranges(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """The same characters in as few ranges as possible, sorted."""
    result: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if result and low <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(high, result[-1][1]))
        else:
            result.append((low, high))
    return tuple(result)


def property_of(name: str) -> str | None:
    r"""The canonical name of a property in `\p{name}`: `Lu`, `Script=Greek`, `Alphabetic`; None if it is unknown."""
    kind, equals, value = name.partition("=")
    if kind in {"General_Category", "gc"} and equals:
        return _SHORT_NAMES.get(value)
    if kind in {"Script", "sc", "Script_Extensions", "scx"} and equals:
        spelled = f"{'Script' if kind in {'Script', 'sc'} else 'Script_Extensions'}={value}"
        return spelled if _is_known(spelled) else None
    if equals:
        return None
    if name in _SHORT_NAMES:
        return _SHORT_NAMES[name]
    if name in _BINARY:
        return name if name in {"Any", "ASCII", "Assigned"} or _is_known(name) else None
    return f"Script={name}" if _is_known(f"Script={name}") else None


def members(name: str) -> Ranges:
    """The characters that have a property, whose name `property_of` returned."""
    ranges = _members.get(name)
    if ranges is None:
        import regex  # rarely needed

        everything = "".join(map(chr, range(LAST + 1)))
        spans = (match.span() for match in regex.finditer(rf"\p{{{name}}}+", everything))
        ranges = _members[name] = tuple((start, end - 1) for start, end in spans)
    return ranges


def parse(written: str, flags: str = "") -> Pattern:
    """Parse `pattern` or `/pattern/flags`; flags of the delimited form take precedence."""
    body, start, own = _split_delimited(written)
    chosen = own or flags.strip()
    unknown = [flag for flag in dict.fromkeys(chosen) if flag not in FLAGS]
    if unknown:
        raise InvalidFlags(flags="".join(unknown), supported=", ".join(FLAGS))
    reader = _Reader(written, start, start + len(body), chosen)
    return Pattern(written, frozenset(chosen), reader.read(), reader.groups, reader.names)


def within_lines(pattern: Pattern) -> Pattern:
    r"""The same pattern, but for classes such as `\s` and `[^x]`, which match no line break.

    So a search finds what a search line by line would, unless the pattern has a line break of its own.
    """
    return pattern.evolve(root=_rewrite(pattern.root, _without_breaks), rewritten=(*pattern.rewritten, "lines"))


def with_any_break(pattern: Pattern) -> Pattern:
    r"""The same pattern, but for a line feed, which also matches `\r\n`: the line break of some files."""
    return pattern.evolve(root=_rewrite(pattern.root, _with_any_break), rewritten=(*pattern.rewritten, "breaks"))


def _rewrite(node: Node, change: Callable[[Node], Node]) -> Node:
    """A node in which `change` has been made to each character and class."""
    match node:
        case Char() | Class():
            return change(node)
        case Group(body=body) | Look(body=body) | Repeat(body=body):
            return node.evolve(body=_rewrite(body, change))
        case Sequence(parts=parts):
            return node.evolve(parts=tuple(_rewrite(part, change) for part in parts))
        case Choice(options=options):
            return node.evolve(options=tuple(_rewrite(option, change) for option in options))
    return node


def _without_breaks(node: Node) -> Node:
    match node:
        case Class(ranges=ranges, negated=True):
            return node.evolve(ranges=join_ranges((*ranges, *_ENDS)))
        case Class(ranges=ranges, properties=properties):
            having = [members(name) if not inverse else invert(members(name)) for name, inverse in properties]
            every = join_ranges((*ranges, *(span for spans in having for span in spans)))
            return node.evolve(ranges=invert((*invert(every), *_ENDS)), properties=())
    return node


def _with_any_break(node: Node) -> Node:
    if node == Char(_LINE_FEED):
        return Sequence((Repeat(Char(_RETURN), 0, 1, lazy=False), node))
    return node


def with_flag(pattern: Pattern, flag: str) -> Pattern:
    """The same pattern with one more flag."""
    body, start, _ = _split_delimited(pattern.source)
    chosen = "".join(sorted({*pattern.flags, flag}))
    reader = _Reader(pattern.source, start, start + len(body), chosen)
    return pattern.evolve(flags=frozenset(chosen), root=reader.read())


def _has_text_end(node: Node) -> bool:
    match node:
        case Edge():
            return node.kind in {"start", "end"}
        case Group() | Look() | Repeat():
            return _has_text_end(node.body)
        case Sequence():
            return any(map(_has_text_end, node.parts))
        case Choice():
            return any(map(_has_text_end, node.options))
    return False


def _is_known(spelled: str) -> bool:
    """Whether `regex`, the engine that knows most properties, knows this one."""
    value = spelled.partition("=")[2] or spelled
    if len(spelled) > _MAX_NAME_CHARS or not value.replace("_", "").isalnum() or not value.isascii():
        return False
    import regex  # rarely needed

    try:
        regex.compile(rf"\p{{{spelled}}}")
    except regex.error:
        return False
    return True


def _split_delimited(written: str) -> tuple[str, int, str]:
    """The body, its start, and its flags, if the text can only be `/body/flags`; else the whole text."""
    last = written.rfind("/")
    if last > 1 and written.startswith("/") and all(letter in _FLAG_LETTERS for letter in written[last + 1 :]):
        return written[1:last], 1, written[last + 1 :]
    return written, 0, ""


class _Reader:
    """A recursive-descent parser."""

    def __init__(self, written: str, start: int, end: int, flags: str) -> None:
        self._text = written
        self._at = start
        self._end = end
        self._flags = frozenset(flags)
        self._depth = 0
        self.groups = 0
        self.names: dict[str, int] = {}
        self._total, self._all_names = _count_groups(written, start, end)

    def read(self) -> Node:
        """Parse the whole pattern."""
        self._take_leading_flags()
        root = self._choice()
        if self._at < self._end:
            raise self._error("Unmatched ')'", self._at)
        return root

    @property
    def _fold(self) -> bool:
        return "i" in self._flags

    def _error(self, reason: str, position: int, advice: str | None = None) -> InvalidRegex:
        return InvalidRegex(pattern=self._text, reason=reason, position=position, advice=advice)

    def _next(self, ahead: int = 0) -> str:
        at = self._at + ahead
        return self._text[at] if at < self._end else ""

    def _take(self, wanted: str) -> bool:
        if self._text.startswith(wanted, self._at, self._end):
            self._at += len(wanted)
            return True
        return False

    def _take_leading_flags(self) -> None:
        """A leading `(?i)`, as in other dialects, sets the flag."""
        close = self._text.find(")", self._at, self._end)
        if not self._text.startswith("(?", self._at) or close < 0:
            return
        letters = self._text[self._at + 2 : close]
        if letters and set(letters) <= _LOCAL_FLAGS:
            self._flags |= set(letters)
            self._at = close + 1

    def _choice(self) -> Node:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise self._error("Nested too deeply", self._at)
        options = [self._sequence()]
        while self._take("|"):
            options.append(self._sequence())
        self._depth -= 1
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def _sequence(self) -> Node:
        parts: list[Node] = []
        while self._at < self._end and self._next() not in "|)":
            parts.append(self._piece())
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _piece(self) -> Node:
        start = self._at
        node = self._atom()
        quantified = self._quantifier()
        if quantified is None:
            return node
        if isinstance(node, Edge | Look):
            raise self._error("Nothing to repeat", start)
        least, most, lazy = quantified
        if self._next() and self._next() in "*+?":
            advice = "Possessive quantifiers are not supported" if self._next() == "+" else None
            raise self._error("Nothing to repeat", self._at, advice)
        return Repeat(node, least, most, lazy)

    def _quantifier(self) -> tuple[int, int | None, bool] | None:
        bounds: tuple[int, int | None] | None = None
        for sign, meant in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if bounds is None and self._take(sign):
                bounds = meant
        if bounds is None:
            bounds = self._counts()
        return None if bounds is None else (*bounds, self._take("?"))

    def _counts(self) -> tuple[int, int | None] | None:
        """`{n}`, `{n,}` or `{n,m}`; other braces are literal."""
        start = self._at
        close = self._text.find("}", start, start + _MAX_QUANTIFIER_CHARS)
        if self._next() != "{" or not 0 <= close < self._end:
            return None
        low, comma, high = self._text[start + 1 : close].partition(",")
        if comma and not low and _is_number(high):
            raise self._error("Incomplete quantifier", start, f"Write {{0,{high}}}")
        if not _is_number(low) or (high and not _is_number(high)):
            return None
        self._at = close + 1
        least = min(int(low), _MAX_COUNT)
        most = least if not comma else min(int(high), _MAX_COUNT) if high else None
        if most is not None and most < least:
            raise self._error("Numbers out of order in {} quantifier", start)
        return least, most

    def _atom(self) -> Node:  # noqa: PLR0911  one for each kind
        start, char = self._at, self._next()
        self._at += 1
        match char:
            case "^":
                return Edge("line_start" if "m" in self._flags else "start")
            case "$":
                return Edge("line_end" if "m" in self._flags else "end")
            case ".":
                return Class(() if "s" in self._flags else LINE_ENDS, negated=True)
            case "[":
                return self._class(start)
            case "(":
                return self._group(start)
            case "\\":
                return self._escape(start)
            case "*" | "+" | "?":
                raise self._error("Nothing to repeat", start)
            case "{":
                self._at = start
                if self._counts() is not None:
                    raise self._error("Nothing to repeat", start)
                self._at = start + 1
        return Char(ord(char), self._fold)

    def _group(self, start: int) -> Node:
        if not self._take("?"):
            return self._capture(start, None)
        for sign, ahead, negative in (("=", True, False), ("!", True, True), ("<=", False, False), ("<!", False, True)):
            if self._take(sign):
                return Look(self._inside(start), ahead, negative)
        if self._take(":"):
            return Group(self._inside(start))
        if self._take("P="):
            return self._named_reference(start, ")")
        if self._take("<") or self._take("P<"):
            return self._capture(start, self._name(start, ">"))
        return self._group_with_flags(start)

    def _group_with_flags(self, start: int) -> Node:
        """`(?i:…)` and `(?-i:…)`: flags for part of the pattern."""
        colon = self._text.find(":", self._at, min(self._at + 8, self._end))
        added, _, removed = self._text[self._at : max(colon, self._at)].partition("-")
        letters = added + removed
        if colon < 0 or not letters or not set(letters) <= _LOCAL_FLAGS or len(set(letters)) < len(letters):
            raise self._error("Invalid group", start, _GROUPS.get(self._text[start : start + 3]))
        self._at = colon + 1
        around = self._flags
        self._flags = (around | set(added)) - set(removed)
        body = self._inside(start)
        self._flags = around
        return Group(body)

    def _capture(self, start: int, name: str | None) -> Node:
        self.groups += 1
        if self.groups > _MAX_GROUPS:
            raise self._error(f"More than {_MAX_GROUPS} groups", start)
        number = self.groups
        if name is not None:
            if name in self.names:
                raise self._error(f"Duplicate group name '{name}'", start)
            self.names[name] = number
        return Group(self._inside(start), number)

    def _inside(self, start: int) -> Node:
        body = self._choice()
        if not self._take(")"):
            raise self._error("Unmatched '('", start)
        return body

    def _name(self, start: int, close: str) -> str:
        end = self._text.find(close, self._at, self._end)
        name = self._text[self._at : max(end, self._at)]
        if not _is_name(name):
            raise self._error("Invalid group name", start)
        self._at = end + 1
        return name

    def _named_reference(self, start: int, close: str) -> Node:
        name = self._name(start, close)
        if name not in self._all_names:
            raise self._error(f"Unknown group name '{name}'", start)
        return Back(self._all_names[name], self._fold)

    def _escape(self, start: int) -> Node:
        char = self._next()
        if not char:
            raise self._error("Trailing backslash", start)
        if char in "bB":
            self._at += 1
            return Edge("word" if char == "b" else "no_word")
        if char in "123456789":
            return self._numbered_reference(start)
        if char == "k":
            self._at += 1
            if not self._take("<"):
                raise self._error("Invalid named reference", start)
            return self._named_reference(start, ">")
        shorthand = self._set(start)
        if shorthand is not None:
            return shorthand.evolve(fold=self._fold)
        return Char(self._character(start), self._fold)

    def _numbered_reference(self, start: int) -> Node:
        digits = ""
        while self._next() and self._next() in "0123456789" and len(digits) < MAX_DIGITS:
            digits += self._next()
            self._at += 1
        if int(digits) > self._total:
            plural = "" if self._total == 1 else "s"
            raise self._error(f"\\{digits} refers to a group, and the pattern has {self._total} group{plural}", start)
        return Back(int(digits), self._fold)

    def _set(self, start: int) -> Class | None:
        r"""`\d`, `\W`, `\p{…}` after the backslash, or None if it is another escape."""
        char = self._next()
        if char.lower() in _SHORTHANDS and char:
            self._at += 1
            ranges = ALSO_WORDS if self._fold and char in {"w", "W"} else _SHORTHANDS[char.lower()]
            return Class(ranges, (), negated=char.isupper())
        if char not in {"p", "P"}:
            return None
        close = self._text.find("}", self._at, self._end)
        name = self._text[self._at + 2 : max(close, self._at)]
        property_name = property_of(name) if self._next(1) == "{" and close >= 0 else None
        if property_name is None:
            raise self._error(
                f"Unknown property \\{self._text[self._at : max(close + 1, self._at + 1)][:_MAX_SHOWN_CHARS]}", start
            )
        self._at = close + 1
        inverse, plain = char == "P", _PLAIN_PROPERTIES.get(property_name)
        if plain is not None:
            return Class(invert(plain) if inverse else plain)
        return Class((), ((property_name, inverse),))

    def _character(self, start: int) -> int:
        """The character of an escape, after the backslash."""
        char = self._next()
        self._at += 1
        if char in _CONTROLS:
            return _CONTROLS[char]
        if char == "0" and self._next() not in DECIMALS:
            return 0
        if char == "c" and self._next().isascii() and self._next().isalpha():
            self._at += 1
            return ord(self._text[self._at - 1]) % 32
        if char == "x":
            return self._hexadecimal(start, 2)
        if char == "u":
            return self._unicode(start)
        if char and (not char.isascii() or not char.isalnum()):
            return ord(char)
        raise self._error(f"Unknown escape \\{char}", start, _ESCAPES.get(char))

    def _hexadecimal(self, start: int, size: int) -> int:
        digits = self._text[self._at : min(self._at + size, self._end)]
        if len(digits) < size or not set(digits) <= _HEX:
            raise self._error("Invalid escape", start)
        self._at += size
        return int(digits, 16)

    def _unicode(self, start: int) -> int:
        if self._take("{"):
            close = self._text.find("}", self._at, self._end)
            digits = self._text[self._at : max(close, self._at)]
            if not digits or not set(digits) <= _HEX or len(digits.lstrip("0")) > MAX_DIGITS:
                raise self._error("Invalid Unicode escape", start)
            self._at = close + 1
            if int(digits, 16) > LAST:
                raise self._error("Invalid Unicode escape", start)
            return int(digits, 16)
        point = self._hexadecimal(start, 4)
        if _HIGH <= point < _LOW and self._text.startswith("\\u", self._at, self._end):
            low = self._text[self._at + 2 : min(self._at + 6, self._end)]
            if len(low) == 4 and set(low) <= _HEX and _LOW <= int(low, 16) <= _LAST_LOW:  # noqa: PLR2004  digits
                self._at += 6
                return 0x10000 + ((point - _HIGH) << 10) + int(low, 16) - _LOW
        return point

    def _class(self, start: int) -> Class:
        negated = self._take("^")
        ranges: list[tuple[int, int]] = []
        properties: list[tuple[str, bool]] = []
        while not self._take("]"):
            if self._at >= self._end:
                raise self._error("Unterminated character class", start)
            if self._next() == "[" and self._next(1) in {":", "=", "."}:
                self._refuse_posix()
            at, first = self._at, self._member()
            if self._next() == "-" and self._next(1) not in {"", "]"} and isinstance(first, int):
                self._at += 1
                last = self._member()
                if isinstance(last, int):
                    if last < first:
                        raise self._error("Range out of order in character class", at)
                    ranges.append((first, last))
                    continue
                ranges += [(first, first), (_MINUS, _MINUS)]
                first = last
            if isinstance(first, int):
                ranges.append((first, first))
            elif first.properties:
                properties += first.properties
            else:
                ranges += invert(first.ranges) if first.negated else first.ranges
        return Class(join_ranges(ranges), tuple(dict.fromkeys(properties)), negated, self._fold)

    def _refuse_posix(self) -> None:
        sign = self._next(1)
        close = self._text.find(sign + "]", self._at + 2, self._end)
        name = self._text[self._at + 2 : max(close, 0)]
        if name.isalpha() and name.islower():
            advice = "Write the characters, such as A-Za-z, or a property such as \\p{L}"
            raise self._error(f"POSIX class [{sign}{name}{sign}] is not supported", self._at, advice)

    def _member(self) -> int | Class:
        """One character of a class, or a set of characters."""
        start, char = self._at, self._next()
        self._at += 1
        if char != "\\":
            return ord(char)
        if not self._next():
            raise self._error("Unterminated character class", start)
        if self._take("b"):
            return _BACKSPACE
        return self._set(start) or self._character(start)


def _count_groups(text: str, start: int, end: int) -> tuple[int, dict[str, int]]:
    """The number and names of capturing groups, counted in advance: a reference may come before its group."""
    total, names = 0, dict[str, int]()
    if "(" not in text:
        return total, names
    from re import compile as expression  # most patterns have no groups, and RE2 does not need `re`

    for match in expression(_GROUP).finditer(text, start, end):
        total += match[0].startswith("(")
        if match["name"]:
            names.setdefault(match["name"], total)
    return total, names


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _is_name(name: str) -> bool:
    return name.replace("$", "_").isidentifier()
