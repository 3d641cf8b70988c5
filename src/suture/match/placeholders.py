r"""Recognize lines that stand for omitted text: `...`, `# ... existing code ...`, `// rest unchanged`, `[unchanged]`.

    placeholder = dots | comment | brackets | "..." words | nothing comment
    comment     = a line that is a comment of only dots and words that say that text was omitted
    brackets    = "[" words "]" | "(" words ")" | "<" words ">" | "{{" words "}}"
    dots        = "..." | "…" | "⋮" | "⋯" | "[...]" | "{{ ... }}" …, alone on a line
    nothing     = "pass" | "..." | "return" | "return None" | "raise NotImplementedError" …: code that does nothing

Only whole lines count: `x = 1  # unchanged` and `f(...)` are code. A comment that merely contains such a word ("# keep
this in sync", "# other methods are tested below") does not count: its words must be a complete phrase of the list
below. Dots alone can be code (a Python stub, a C parameter list, the end of a YAML document) or prose; `_dots_are_text`
decides.

`is_marker` is narrower: such a line stands for lines of the file if both old and new have it; see `similar`.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from suture.match.normalize import depth, with_newlines
from suture.records import Record
from suture.text.diff import changes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_MAX_LINE_CHARS = 200  # characters of a placeholder: longer lines say more than that text was omitted
_MAX_WORDS = 8  # words of a comment with dots in which a single hint is enough

_DOTS = re.compile(r"\s*(?:\.{3,}|\u2026|\[\.{3}\]|<\.{3}>|\(\.{3}\))\s*")
_ONLY_DOTS = re.compile(r"(?:[\[(<]|\{{1,3}|<!)?\s*(?:(?:\.{3,}|[\u2026\u22ee\u22ef])\s*)+(?:[\])>]|\}{1,3})?")
_ELLIPSIS = re.compile(r"\.{3,}|[\u2026\u22ee\u22ef]")
_ONLY_WORDS = re.compile(r"[\w\s,'/&-]+")
_WORD = re.compile(r"\w+")
_RULE_CHARACTERS = " \t-=*~"

_MARKER_OPEN = r"(?:#+|//+|--+|/\*+|<!--|\{/\*|;+|%+|\"\"\"|\*)"
_MARKER_CLOSE = r"(?:\*+/|-->|\*/\}|\"\"\")?"
_MARKER_COMMENT = re.compile(rf"{_MARKER_OPEN}\s*(.*?)\s*{_MARKER_CLOSE}")
_MARKER_SAYS = re.compile(
    r"\b(?:existing|rest of|remaining|unchanged|same as (?:before|above|original)|omitted|previous|other|more)\b"
    r"[\w\s,'/-]*",
    re.IGNORECASE,
)

_OPEN = (
    r"(?:#+|//+|--+(?:\[\[)?|/\*+|<!--|<%--|\{/\*|\{#|\{-|\(\*|@\*|;+|%+|!+|::+|\"\"\"|'''|'|\*(?!/)"
    r"|(?:rem|dnl)\b|\.\.(?=\s))"
)
_WORDS_THAT_COMMENT = ("rem", "dnl")
_CLOSE = r"(?:\*+/\}?|-->|--%>|#\}|-\}|\*\)|\*@|\]\]|\"\"\"|''')?"
_COMMENT = re.compile(rf"({_OPEN})\s*(.*?)\s*{_CLOSE}", re.IGNORECASE)
_NOTHING = re.compile(
    r"(?:pass|\.\.\.|return(?: (?:None|null|undefined|nil))?|raise NotImplementedError(?:\(\))?);?\s*((?:#|//|/\*).*)"
)
"""Code that does nothing, followed by a comment."""
_BRACKETS = re.compile(r"\[(.+)\]|\((.+)\)|<(.+)>|\{\{?(.+?)\}?\}")
_DECORATION = " \t.\u2026:;,!()[]{}<>*_=~-\u2013\u2014"

_CORE = r"(?:code|implementations?|logic|imports?|methods?|functions?|class(?:es)?|components?|body)"
_THING = (
    rf"(?:{_CORE}|contents?|files?|(?:function|method|class) body|props|properties|fields|(?:test )?cases|tests?"
    r"|routes?|handlers?|styles?|rules?|definitions?|statements?|sections?|parts?|modules?|script|settings|markup"
    r"|config(?:uration)?|html|css|jsx|templates?|variables|constants|declarations|setup|initiali[sz]ation|docs"
    r"|documentation|docstrings?|text|page|document|helpers|utilities|members|attributes|hooks|endpoints|blocks?"
    r"|dependencies|loop|lines?(?: of code)?|stuff|things|program|source|query|table|columns|entries|items|elements"
    r"|keys|options|parameters|types?|interfaces?|structs?|schema|(?:module )?exports)"
)
_DET = r"(?:the |this |that |your |my |our |all |any |some |of |and )"
_AUX = r"(?:will|should|must|to)"
_VERB = rf"(?:(?:is|are|was|were|remains?|stays?|kept|left|{_AUX} (?:remain|stay)) )"
_ORIGINAL = r"(?:the )?original(?: \w+)?"
_AS_IT_WAS = rf"(?:as[ -]is|as it (?:is|was)|as they (?:are|were)|(?:as|like) (?:before|previously)|as in {_ORIGINAL})"
_WHY = r"(?: (?:for|due to) (?:brevity|clarity|space|simplicity|conciseness|now|length))"
_AS_WHAT = rf"(?: (?:as (?:before|above|previously|(?:in )?{_ORIGINAL})|from (?:before|above|{_ORIGINAL})|here))"
_EQUAL = rf"(?:same|identical|unchanged|untouched|unmodified|unaltered|intact){_AS_WHAT}?"
_MISSING = rf"(?:omitted|elided|snipped|not shown|left out|hidden){_WHY}?(?: here)?"
_DEGREE = r"(?:exactly |completely |otherwise |all |largely |mostly )"
_SAME = rf"(?:{_VERB}*{_DEGREE}?(?:the )?(?:{_EQUAL}|{_AS_IT_WAS}|{_MISSING}))"
_HERE = r"(?:(?:goes?|stays?|remains?|is|are|continues?|follows?) )?(?:here|remains?|continues?|follows?)"
_STAYS = rf"(?: (?:{_SAME}|{_HERE}))"
_REST = rf"(?:rest|remainder) of {_DET}*(?:existing |original |current )?(?:\w+ )?{_THING}"
_WHICH = r"(?:(?:more|other|the|some|remaining|existing|unchanged|unrelated) )"
_PASSIVE = rf"(?:{_VERB}|ha(?:s|ve) been )"
_KEPT = r"(?:(?:existing|remaining|current|other|original) )"
_KEEP = r"(?:please )?(?:keep|leave|preserve|retain|maintain|copy|paste|insert|include|put)"
_UNCHANGED = rf"(?:{_THING}|below|above|here|from (?:before|above|{_ORIGINAL}))"
_NUMBERED = r"lines? \d+(?:\s*(?:-|\u2013|to|through|and)?\s*\d+)?"
_PHRASES = (
    # the rest of the file (remains unchanged); the rest is the same; everything else stays as it was
    rf"{_DET}*{_REST}{_STAYS}?",
    rf"{_DET}*(?:rest|remainder|everything else|all else)(?: of (?:it|this|that))?{_STAYS}",
    # existing code (here); remaining methods; your existing imports remain; existing tests unchanged
    rf"{_DET}*(?:other |original )?(?:existing|remaining) (?:\w+ )?{_CORE}{_STAYS}?",
    rf"{_DET}*(?:existing|remaining) (?:\w+ )?{_THING}{_STAYS}",
    # other methods (remain) unchanged; original implementation here; previous code
    rf"{_DET}*(?:other|original|current|previous|prior|old|same|additional|more) (?:\w+ )?{_THING} {_SAME}",
    rf"{_DET}*(?:other|original|current|previous|prior|old|more) (?:\w+ )?{_THING} (?:(?:goe?|stay|remain)s? )?here",
    rf"{_DET}*(?:previous|prior) code|{_DET}*(?:previous|prior|original) implementation",
    # code above remains; the code below stays the same; TODO: rest of the implementation
    rf"{_DET}*(?:\w+ )?{_CORE} (?:above|below) (?:{_SAME}|remains?|stays?)",
    rf"todo {_DET}*(?:rest|remainder|remaining|existing)(?: of)? {_DET}*{_KEPT}?{_CORE}(?: here)?",
    # imports unchanged; function body omitted for brevity; code remains the same
    rf"{_DET}*(?:\w+ )?(?:{_CORE}|(?:function|method|class) body) {_SAME}",
    # unchanged; remains unchanged; unchanged code; no changes here; same as before; same code as before
    rf"(?:(?:is|remains|stays|left) )?unchanged(?: {_UNCHANGED})?",
    rf"no (?:other )?changes? (?:here|below|above|needed|required|to (?:the )?rest(?: of .*)?|in this {_THING})",
    rf"{_DET}*same (?:{_CORE} )?as (?:before|previously|existing|(?:in )?(?:the )?(?:original|existing)(?: \w+)?)",
    # omitted; 120 lines omitted; other methods omitted for brevity; 40 more lines; snip
    rf"(?:\d[\d,]* {_WHICH}*{_THING} |{_WHICH}*(?:{_THING} )?){_PASSIVE}?(?:omitted|elided|snipped){_WHY}?(?: here)?",
    rf"(?:{_DET}|other |remaining )*{_THING} (?:truncated|abbreviated|skipped|removed){_WHY}",
    rf"\d[\d,]* (?:(?:more|other|unchanged|existing) )+lines?(?: of code)?{_STAYS}?",
    rf"(?:\d[\d,]* lines?(?: of code)?|{_NUMBERED}) {_SAME}",
    r"snip",
    # keep the existing code; keep everything else (as is); leave the rest of the file unchanged
    rf"{_KEEP} {_DET}*(?:{_KEPT}(?:\w+ )?{_CORE}|{_REST})(?:{_STAYS}| in place| below)?",
    rf"(?:keep|leave|preserve|retain) {_DET}*(?:rest|everything else|all else|others?)(?: {_SAME})?",
    rf"(?:keep|leave) {_DET}*(?:\w+ )?{_CORE} {_SAME}",
    # other languages, as far as models write them without dots
    r"(?:le )?reste du (?:code|fichier)(?: (?:est |reste )?(?:inchangé|identique))?|code existant(?: ici)?",
    r"(?:el )?resto del? (?:código|archivo)(?: (?:sin cambios|igual))?|código existente(?: aquí| aqui)?",
    r"(?:o )?resto do (?:código|arquivo)(?: (?:sem alterações|inalterado|igual))?",
    r"(?:der )?rest(?: des codes| der datei)? (?:bleibt )?(?:unverändert|gleich)",
    r"(?:restlicher|bestehender|vorhandener) code(?: (?:bleibt )?(?:unverändert|gleich|hier))?",
    r"(?:остальной|существующий) код(?: .{0,20})?|(?:код )?без изменений",
    r"(?:此处|以下|这里)?(?:其余|其他|其它|剩余|剩下|现有|原有|已有|之前)的?\w{0,4}(?:代码|内容|部分|函数|方法|逻辑)\w{0,6}",
    r"(?:代码|内容)?(?:保持不变|无需修改|省略)|以下省略",
    r"(?:既存|残り|その他)の?\w{0,4}(?:コード|処理|部分)\w{0,8}|変更なし",
    r"(?:기존|나머지) ?코드\w{0,4}(?: ?\w{1,4})?|변경 ?없음",
)
_WITH_DOTS = re.compile(
    rf"(?:{_DET}|\d[\d,]* |keep |with |plus |insert )*(?:existing|rest|remaining|remainder|unchanged|same|omitted"
    r"|elided|previous|original|other|more|additional|everything|etc|snip|truncated|no changes?)\b",
    re.IGNORECASE,
)
_STRONG = re.compile(
    rf"\b(?:existing|rest of|remaining|unchanged|omitted|same as (?:before|above|original))\b|^{_NUMBERED}$",
    re.IGNORECASE,
)
_NAMES_AS_BEFORE = re.compile(r"(\w+(?:(?:, and |, | and )\w+)+) (?:(?:same )?as before|as[ -]is|unchanged)")
"""Counts only if the edit removes lines with these names; otherwise the comment merely mentions them."""
_ENDS_WITH_THING = re.compile(rf".*\b{_THING}", re.IGNORECASE)
_HINTS = (
    *("...", "…", "⋮", "⋯", "exist", "rest", "remain", "unchanged", "untouched", "intact", "same", "identical"),
    *("omit", "elid", "snip", "keep", "leave", "preserve", "previous", "prior", "original", "stay", "here"),
    *("as-is", "brevity", "lines", "unverändert", "gleich", "код", "изменени", "代码", "内容", "省略", "不变"),
    *("修改", "部分", "函数", "方法", "逻辑", "コード", "処理", "変更", "코드", "변경", "no change"),
    *("no other change", "as is", "as it", "as before"),
)
"""Every placeholder contains one of these; testing for them first is fast."""

_PYTHON = ("py", "pyi", "pyw", "pyx")
_PROSE = ("md", "markdown", "mdx", "rst", "txt", "text", "adoc", "asciidoc", "org", "tex", "log", "out", "snap", "eml")
_MARKUP = ("", "html", "htm", "xml", "svg", "csv", "tsv", "ipynb", "patch", "diff", "po", "srt")
"""Suffixes of files in which dots alone may be content: they count only if the edit also removes two lines or more."""
_OPENERS = ("(", "[", "{", ",", ":")
_DEFINITION = re.compile(r"\s*(?:async\s+)?(?:def|class)\s+(\w+)")
_MAX_SIGNATURE_LINES = 30  # lines above a body in which its definition is searched for
_MANY_LINES_GONE = 2
"""Dots that may be code are a placeholder only if the edit removes so many lines."""


class Placeholder(Record):
    """A line of the new text that stands for omitted text."""

    line: str
    deletes: bool
    """Whether the edit removes lines, so that the text it stands for would be lost."""


def is_marker(line: str) -> bool:
    """Whether a line that is in both old and new stands for the file's lines at that place."""
    return _DOTS.fullmatch(line) is not None or _is_comment_with_dots(line)


def is_placeholder(line: str, name: str = "") -> bool:
    """Whether a line says, in words or by dots in a comment, that text was omitted. Dots alone do not count here.

    `name` is the file's name: in prose, `#` begins a heading and not a comment.
    """
    line = line.strip()
    trailing = _NOTHING.fullmatch(line)
    if trailing is not None:
        words = _words(trailing[1].lstrip("#/* "))  # of a value, one word may be said: `return None  # unchanged`
        alone = " " not in words and _ELLIPSIS.search(trailing[1]) is None
        return not alone and not words.lower().startswith("no ") and is_placeholder(trailing[1])
    is_code = line[:1].isalnum() and line[:3].lower() not in _WORDS_THAT_COMMENT
    if is_code or not line or len(line) > _MAX_LINE_CHARS or not _has_hint(line):
        return False
    match = _COMMENT.fullmatch(line)
    if match is not None:
        opener, inner = match[1], match[2]
        heading = opener.startswith("#") and _suffix(name) in _PROSE
        name_like = line[len(opener)].isalnum() and " " not in _words(inner)  # `#unchanged`, `--omitted`
        return _is_omission(inner, alone=opener != "*" and not heading and not name_like)
    if _ELLIPSIS.match(line):
        words = _words(line)
        framed = bool(_ELLIPSIS.search(line[3:])) or " " in words
        return framed and _ONLY_WORDS.fullmatch(words) is not None and (_is_phrase(words) or _is_lenient(words))
    match = _BRACKETS.fullmatch(line)
    inner = "" if match is None else next(group for group in match.groups() if group is not None)
    return bool(_words(inner)) and _is_omission(inner, alone=True)


def find_added(old: str | Sequence[str], new: str | Sequence[str], name: str = "") -> Placeholder | None:
    """The first placeholder of `new` that `old` does not have as often; None if there is none.

    `old` is the text that the edit replaces: part of a file, or all of it.
    """
    wanted = _lines(new)
    if not any(map(_has_hint, [new] if isinstance(new, str) else new)):
        return None
    worded = [number for number, line in enumerate(wanted) if is_placeholder(line, name)]
    dots = [number for number, line in enumerate(wanted) if _ONLY_DOTS.fullmatch(line.strip()) is not None]
    naming_lines = {number: names for number, line in enumerate(wanted) if (names := _names_as_before(line))}
    if not worded and not dots and not naming_lines:
        return None
    before = _lines(old)
    removed = _removed_lines(before, wanted)
    lost = {word for line in removed for word in _WORD.findall(line)}
    worded += [number for number, names in naming_lines.items() if names <= lost]
    unmatched = Counter(line.strip() for line in before)
    added = []
    for number in sorted({*worded, *dots}):
        unmatched[wanted[number].strip()] -= 1
        if unmatched[wanted[number].strip()] < 0:
            added.append(number)
    for number in added:
        if number in dots and number not in worded and _dots_are_text(before, wanted, number, removed, name):
            continue
        return Placeholder(wanted[number].strip(), deletes=bool(removed) or _replaces(before, wanted, number))
    return None


def elides_only_in_new(old: Sequence[str], new: Sequence[str], name: str = "") -> bool:
    """Whether new omits text that old has in full, so that the edit would delete code."""
    placeholder = find_added(old, new, name)
    if placeholder is None or not placeholder.deletes:
        return False
    if len(old) == len(new) == 1 and not is_placeholder(placeholder.line, name):
        return False  # the dots may be part of a line
    before, after = (sum(is_marker(line) or is_placeholder(line, name) for line in lines) for lines in (old, new))
    return after > before  # if both have as many, each stands for the same lines on both sides


def _is_comment_with_dots(line: str) -> bool:
    line = line.strip()
    if len(line) > _MAX_LINE_CHARS or ("..." not in line and "\u2026" not in line):
        return False
    match = _MARKER_COMMENT.fullmatch(line)
    if match is None or not _ELLIPSIS.search(match[1]):
        return False
    words = _ELLIPSIS.sub(" ", match[1]).strip(" ()[]")
    if not words.isascii() and _ELLIPSIS.match(match[1]):
        return True  # in words of any language
    hint = _MARKER_SAYS
    return not words or hint.match(words) is not None or (len(words.split()) <= _MAX_WORDS and bool(hint.search(words)))


def _is_omission(inner: str, *, alone: bool) -> bool:
    """Whether a comment's text is a placeholder; with `alone`, words without dots are enough."""
    words = _words(inner)
    dotted = _ELLIPSIS.search(inner)
    if not words:
        return _ONLY_DOTS.fullmatch(inner.strip(_RULE_CHARACTERS)) is not None
    if _is_phrase(words):
        return alone or dotted is not None
    if dotted is None:
        return False
    if _ELLIPSIS.match(inner.lstrip("([{< ")):
        return not words.isascii() or _is_lenient(words)
    return (
        len(words.split()) <= _MAX_WORDS and bool(_WITH_DOTS.match(words)) and bool(_ENDS_WITH_THING.fullmatch(words))
    )


def _is_lenient(words: str) -> bool:
    """Whether words after dots mention omitted text."""
    return len(words.split()) <= _MAX_WORDS and bool(_WITH_DOTS.match(words) or _STRONG.search(words))


@cache
def _phrase() -> re.Pattern[str]:
    """The pattern of all phrases, compiled on first use: that takes 25 ms, and most edits don't need it."""
    return re.compile("|".join(f"(?:{phrase})" for phrase in _PHRASES), re.IGNORECASE)


def _is_phrase(words: str) -> bool:
    return _phrase().fullmatch(words) is not None


def _words(inner: str) -> str:
    """The words of a comment, without dots, brackets and rules."""
    words = " ".join(_ELLIPSIS.sub(" ", inner).strip(_DECORATION).split())
    return re.sub(r"\s*[,;:()\[\]]\s*|\s+[-\u2013\u2014]+\s+", " ", words).strip()


def _has_hint(text: str) -> bool:
    text = text.casefold()
    return any(hint in text for hint in _HINTS)


def _replaces(before: Sequence[str], after: Sequence[str], number: int) -> bool:
    """Whether a line replaces other lines, even lines such as `},` that the new text also has elsewhere."""
    old, new = ([line.strip().encode("utf-8", "surrogatepass") for line in lines] for lines in (before, after))
    return any(k <= number < m and any(old[i:j]) for i, j, k, m in changes(old, new))


def _names_as_before(line: str) -> set[str]:
    """The names that a comment says are unchanged, as in `# y, z as before`."""
    comment = _COMMENT.fullmatch(line.strip()) if len(line) <= _MAX_LINE_CHARS and _has_hint(line) else None
    match = _NAMES_AS_BEFORE.fullmatch(comment[2].strip(_DECORATION)) if comment is not None else None
    return {*_WORD.findall(match[1])} - {"and"} if match is not None else set()


def _lines(text: str | Sequence[str]) -> Sequence[str]:
    return with_newlines(text).split("\n") if isinstance(text, str) else text


def _removed_lines(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """The lines that no longer occur, at any place or indentation."""
    kept = Counter(line.strip() for line in after)
    removed = []
    for line in before:
        kept[line.strip()] -= 1
        if line.strip() and kept[line.strip()] < 0:
            removed.append(line)
    return removed


def _suffix(name: str) -> str:
    base = name.rpartition("/")[2]
    return base.rpartition(".")[2].lower() if "." in base else ""


def _dots_are_text(before: Sequence[str], after: Sequence[str], number: int, removed: Sequence[str], name: str) -> bool:
    """Whether dots alone on a line of the new text are code or content, not a placeholder."""
    suffix, line = _suffix(name), after[number]
    if suffix in _PROSE or (suffix in {"yaml", "yml"} and line.rstrip() == "..."):
        return True
    above = next((text.strip() for text in reversed(after[:number]) if text.strip()), "")
    if above.startswith((">>>", "... ")):
        return True  # the continuation of a doctest
    if suffix in _PYTHON and line.strip() == "...":
        opened = above.endswith((*_OPENERS, '"""', "'''", '"', "'"))
        return len(removed) < _MANY_LINES_GONE or (opened and _is_new_stub(before, after, number))
    shorter = sum(bool(text.strip()) for text in before) - sum(bool(text.strip()) for text in after)
    return (suffix in _MARKUP and shorter < _MANY_LINES_GONE) or above.endswith(("(", ","))


def _is_new_stub(before: Sequence[str], after: Sequence[str], number: int) -> bool:
    """Whether `...` is the body of something that has no longer body in the old text."""
    indent = depth(after[number])
    below = next((text for text in after[number + 1 :] if text.strip()), "")
    if below and depth(below) >= indent:
        return False  # more of the body follows
    definition = None
    for line in reversed(after[max(number - _MAX_SIGNATURE_LINES, 0) : number]):
        definition = _DEFINITION.match(line) if depth(line) < indent else None
        if definition is not None:
            break
    if definition is None:
        above = next(text.strip() for text in reversed(after[:number]) if text.strip())
        return all(line.strip() != above for line in before)
    name = definition[1]
    places = [place for place, line in enumerate(before) if _defines(line, name)]
    if len(places) < sum(_defines(line, name) for line in after):
        return True
    kept_lines = {line.strip() for line in after}
    return all(
        sum(line.strip() not in kept_lines for line in _body(before, place)) < _MANY_LINES_GONE for place in places
    )


def _defines(line: str, name: str) -> bool:
    match = _DEFINITION.match(line)
    return match is not None and match[1] == name


def _body(lines: Sequence[str], start: int) -> list[str]:
    """The lines of the body below a definition."""
    indent, body = depth(lines[start]), list[str]()
    for line in lines[start + 1 :]:
        if line.strip() and depth(line) <= indent and not line.lstrip().startswith((")", "]")):
            break
        body += [line] if line.strip() else []
    return body
