r"""Sets of characters that patterns name: `\d`, `\w`, `\s`, and Unicode properties."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Ranges = tuple[tuple[int, int], ...]

LAST = 0x10FFFF
DIGITS: Ranges = ((0x30, 0x39),)
WORDS: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
ALSO_WORDS: Ranges = (*WORDS, (0x17F, 0x17F), (0x212A, 0x212A))
r"""`\w` where case is ignored: what becomes an `s` or a `k`, too, so that `\W` is the rest."""
SPACES: Ranges = (
    (0x09, 0x0D),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
)
"""As ECMAScript has them; RE2 knows the ASCII ones only."""
LINE_ENDS: Ranges = ((0x0A, 0x0A), (0x0D, 0x0D))

_CATEGORIES = {
    "L": "Letter",
    "LC": "Cased_Letter",
    "Lu": "Uppercase_Letter",
    "Ll": "Lowercase_Letter",
    "Lt": "Titlecase_Letter",
    "Lm": "Modifier_Letter",
    "Lo": "Other_Letter",
    "M": "Mark Combining_Mark",
    "Mn": "Nonspacing_Mark",
    "Mc": "Spacing_Mark",
    "Me": "Enclosing_Mark",
    "N": "Number",
    "Nd": "Decimal_Number digit",
    "Nl": "Letter_Number",
    "No": "Other_Number",
    "P": "Punctuation punct",
    "Pc": "Connector_Punctuation",
    "Pd": "Dash_Punctuation",
    "Ps": "Open_Punctuation",
    "Pe": "Close_Punctuation",
    "Pi": "Initial_Punctuation",
    "Pf": "Final_Punctuation",
    "Po": "Other_Punctuation",
    "S": "Symbol",
    "Sm": "Math_Symbol",
    "Sc": "Currency_Symbol",
    "Sk": "Modifier_Symbol",
    "So": "Other_Symbol",
    "Z": "Separator",
    "Zs": "Space_Separator",
    "Zl": "Line_Separator",
    "Zp": "Paragraph_Separator",
    "C": "Other",
    "Cc": "Control cntrl",
    "Cf": "Format",
    "Cs": "Surrogate",
    "Co": "Private_Use",
    "Cn": "Unassigned",
}
_SHORT = {name: short for short, names in _CATEGORIES.items() for name in (short, *names.split())}
_BINARY = frozenset(
    [
        "ASCII",
        "ASCII_Hex_Digit",
        "AHex",
        "Alphabetic",
        "Alpha",
        "Any",
        "Assigned",
        "Bidi_Control",
        "Bidi_C",
        "Bidi_Mirrored",
        "Bidi_M",
        "Case_Ignorable",
        "CI",
        "Cased",
        "Changes_When_Casefolded",
        "CWCF",
        "Changes_When_Casemapped",
        "CWCM",
        "Changes_When_Lowercased",
        "CWL",
        "Changes_When_NFKC_Casefolded",
        "CWKCF",
        "Changes_When_Titlecased",
        "CWT",
        "Changes_When_Uppercased",
        "CWU",
        "Dash",
        "Default_Ignorable_Code_Point",
        "DI",
        "Deprecated",
        "Dep",
        "Diacritic",
        "Dia",
        "Emoji",
        "Emoji_Component",
        "EComp",
        "Emoji_Modifier",
        "EMod",
        "Emoji_Modifier_Base",
        "EBase",
        "Emoji_Presentation",
        "EPres",
        "Extended_Pictographic",
        "ExtPict",
        "Extender",
        "Ext",
        "Grapheme_Base",
        "Gr_Base",
        "Grapheme_Extend",
        "Gr_Ext",
        "Hex_Digit",
        "Hex",
        "ID_Continue",
        "IDC",
        "ID_Start",
        "IDS",
        "Ideographic",
        "Ideo",
        "Join_Control",
        "Join_C",
        "Logical_Order_Exception",
        "LOE",
        "Lowercase",
        "Lower",
        "Math",
        "Noncharacter_Code_Point",
        "NChar",
        "Pattern_Syntax",
        "Pat_Syn",
        "Pattern_White_Space",
        "Pat_WS",
        "Quotation_Mark",
        "QMark",
        "Radical",
        "Regional_Indicator",
        "RI",
        "Sentence_Terminal",
        "STerm",
        "Soft_Dotted",
        "SD",
        "Terminal_Punctuation",
        "Term",
        "Unified_Ideograph",
        "UIdeo",
        "Uppercase",
        "Upper",
        "Variation_Selector",
        "VS",
        "White_Space",
        "space",
        "XID_Continue",
        "XIDC",
        "XID_Start",
        "XIDS",
    ]
)
_LONGEST_NAME = 60


def inverted(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """All other characters."""
    result, start = [], 0
    for low, high in joined(ranges):
        if low > start:
            result.append((start, low - 1))
        start = high + 1
    return (*result, (start, LAST)) if start <= LAST else tuple(result)


def joined(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """The same characters, sorted, in as few ranges as possible."""
    result: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if result and low <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(high, result[-1][1]))
        else:
            result.append((low, high))
    return tuple(result)


def property_of(name: str) -> str | None:
    r"""The one spelling of a property in `\p{name}`: `Lu`, `Script=Greek`, `Alphabetic`; None if there is none."""
    kind, equals, value = name.partition("=")
    if kind in {"General_Category", "gc"} and equals:
        return _SHORT.get(value)
    if kind in {"Script", "sc", "Script_Extensions", "scx"} and equals:
        spelled = f"{'Script' if kind in {'Script', 'sc'} else 'Script_Extensions'}={value}"
        return spelled if _is_known(spelled) else None
    if equals:
        return None
    if name in _SHORT:
        return _SHORT[name]
    if name in _BINARY:
        return name if name in {"Any", "ASCII", "Assigned"} or _is_known(name) else None
    return f"Script={name}" if _is_known(f"Script={name}") else None


def members(name: str) -> Ranges:
    """The characters that have a property, whose name is one that `property_of` gave."""
    found = _members.get(name)
    if found is None:
        import regex  # few patterns need it

        everything = "".join(map(chr, range(LAST + 1)))
        spans = (match.span() for match in regex.finditer(rf"\p{{{name}}}+", everything))
        found = _members[name] = tuple((start, end - 1) for start, end in spans)
    return found


_members: dict[str, Ranges] = {}


def _is_known(spelled: str) -> bool:
    """Whether the engine that knows most properties knows this one."""
    value = spelled.partition("=")[2] or spelled
    if len(spelled) > _LONGEST_NAME or not value.replace("_", "").isalnum() or not value.isascii():
        return False
    import regex  # few patterns need it

    try:
        regex.compile(rf"\p{{{spelled}}}")
    except regex.error:
        return False
    return True
