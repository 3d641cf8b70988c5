"""Learn a file's dialect: its form of what the request writes differently (indentation, look-alikes, escapes).

A dialect is learned from pairs of lines, one of the request and one of the file; nothing is guessed. A pair proves how
indentation maps, which look-alikes of the request are plain characters in the file, that quotes need no backslash, how
accents are composed, or that trailing whitespace is not wanted. Characters are mapped from exotic to plain only. What
the pairs contradict is `doubtful`: new text that contains it can't be translated.

An indentation rule is a conversion (none, tabs to spaces, spaces to tabs, another width) plus a shift. All rules that
explain every known pair are collected. If they disagree on a new line's indentation, the indentation units of the file
and the request decide; if those don't, the answer is None.
"""

from __future__ import annotations

import re
from functools import cache

from suture.match.normalize import (
    FAMILIES,
    PLAIN,
    QUOTES,
    UNESCAPES,
    depth,
    fold,
    lead,
    parts,
    string_quotes,
    trail,
    unescape_literal,
    unescape_quotes,
)
from suture.records import Record
from suture.text import Indent, detect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Literal

    from suture.match.index import Index
    from suture.match.normalize import Request

_WIDTHS = (1, 2, 3, 4, 8)  # spaces of one step of indentation that occur in practice
_SCALES = (
    (1, 2),
    (1, 4),
    (2, 3),
    (2, 4),
    (2, 8),
    (3, 4),
    (4, 8),
)
"""Pairs of indentation widths, converted in either direction: the usual ones."""

_OPENS = re.compile(r"(?:if|else|elif|for|while)\b")


class Rule(Record):
    """Converts indentation units, then removes the prefix `cut`, then adds the prefix `add`."""

    kind: str
    """`same`, `expand` (tabs to spaces), `tabs` (spaces to tabs) or `scale`."""
    width: int = 0
    to: int = 0
    rest: bool = False
    """Whether spaces beyond the last whole step are kept, as some line of the request needs."""
    cut: str = ""
    add: str = ""

    def convert(self, lead: str) -> str | None:
        """The lead in the file's units, or None if it is not a whole number of steps."""
        if self.kind == "same":
            return lead
        if self.kind == "expand":
            return lead.replace("\t", " " * self.width)
        tabs = len(lead) - len(lead.lstrip("\t"))
        if self.kind == "scale" and tabs:
            return None
        steps, rest = divmod(len(lead) - tabs, self.width)
        if (rest and not self.rest) or lead.strip("\t ") or "\t" in lead[tabs:]:
            return None
        return ("\t" * (tabs + steps) if self.kind == "tabs" else " " * (steps * self.to)) + " " * rest

    def __call__(self, lead: str) -> str | None:
        """The file's lead for the request's."""
        converted = self.convert(lead)
        if converted is None or not converted.startswith(self.cut):
            return None
        return self.add + converted[len(self.cut) :]


_SAME = Rule("same")
# The conversions that may explain indentation with tabs, and indentation without
_OF_TABS = (_SAME, *(Rule("expand", width) for width in _WIDTHS))
_OF_SPACES = (
    _SAME,
    *(Rule("tabs", width) for width in _WIDTHS),
    *(Rule("scale", *widths) for one, other in _SCALES for widths in ((one, other), (other, one))),
)
_OF_SPACES_WITH_REST = tuple(rule.evolve(rest=rule.width > 1) for rule in _OF_SPACES)


class Leads:
    """Maps the leads of a request to those of a file. `units` says how both are indented, and is called if needed."""

    def __init__(self, pairs: Iterable[tuple[str, str]], units: Callable[[], tuple[Indent, Indent]]) -> None:
        pairs = list(dict.fromkeys(pairs))
        self._table = dict(pairs)
        contradicted = {sent for sent, actual in pairs if self._table[sent] != actual}
        self.rules = [] if contradicted else _rules_for(pairs)
        for sent in contradicted:
            del self._table[sent]
        self._units = units

    @property
    def explained(self) -> bool:
        """Whether a rule explains every pair."""
        return bool(self.rules)

    @property
    def unchanged(self) -> bool:
        """Whether all leads are the same on both sides."""
        return bool(self.rules) and self.rules[0] is _SAME

    def __call__(self, lead: str) -> str | None:
        """The file's lead for one of the request's, or None if it can't be determined."""
        if not self.rules:
            return lead if self._table.get(lead) == lead else None
        if lead in self._table:
            return self._table[lead]
        if self.unchanged:
            return lead
        leads = {rule(lead) for rule in self.rules if self._fits(rule)} - {None}
        return leads.pop() if len(leads) == 1 else None

    def _fits(self, rule: Rule) -> bool:
        """Whether a rule agrees with the indentation units of both sides."""
        sent, actual = self._units()
        if rule.kind == "same":
            if sent.style in {"spaces", "tabs"} and actual.style in {"spaces", "tabs"} and sent.style != actual.style:
                return False
            return (
                not sent.width
                or not actual.width
                or (sent.width % actual.width == 0 and sent.width != 2 * actual.width)
            )
        if rule.kind == "expand":
            return actual.style != "tabs" and rule.width == (actual.width or rule.width)
        if rule.kind == "tabs":
            return actual.style in {"tabs", "mixed"} and rule.width == sent.width
        return actual.style != "tabs" and (rule.width, rule.to) == (sent.width, actual.width)


class Dialect:
    """Translates lines of a request into a file's dialect.

    It learns from `pairs`: (number in old, line of old, line of the file) for each line that both sides have. Lines
    that are only `alike`, such as mistyped ones, teach it about indentation alone.
    """

    def __init__(
        self,
        request: Request,
        pairs: Sequence[tuple[int, str, str]],
        index: Index,
        alike: Sequence[tuple[int, str, str]] = (),
    ) -> None:
        self._units = cache(lambda: (_indent_of(request.old, request.new), index.indent))
        solid = [(number, parts(sent), parts(actual)) for number, sent, actual in pairs if sent.strip()]
        others = [(number, parts(sent), parts(actual)) for number, sent, actual in alike]
        self._learn_leads(request, sorted((*solid, *others)))
        trails = [(trail(sent), trail(actual)) for _, sent, actual in pairs]
        self._trim = any(sent for sent, _ in trails) and not any(sent and actual for sent, actual in trails)
        bodies = [(sent[1], actual[1]) for _, sent, actual in solid]
        differ = any(sent != actual for sent, actual in bodies)
        self._form = self._learn_form(bodies) if differ else None
        self._unescape = _learn_escapes(bodies) if differ else None
        spaces = {" ": {"plain"}} if request.exotic and all(actual[0].isascii() for _, _, actual in solid) else {}
        self._plain, self._doubtful = self._learn_look_alikes(bodies if differ else [], spaces)
        self._marks = index.marks if differ else ()
        self._quotes, self._doubtful_quotes = self._learn_quotes(bodies) if differ else ({}, set())

    def _learn_leads(
        self, request: Request, solid: list[tuple[int, tuple[str, str, str], tuple[str, str, str]]]
    ) -> None:
        pairs = [(sent[0], actual[0]) for _, sent, actual in solid]
        self.missing_lead: str | None = None
        """The indentation that only the first line of the request lacks."""
        self.leads = Leads(pairs, self._units)
        if not solid or self.leads.unchanged:
            return
        (number, first, here), rest = solid[0], pairs[1:]
        if not rest:
            self._learn_from_one(request, first[0], here[0])
            return
        opens = not any(map(str.strip, request.old[:number]))
        others_stay = all(sent == actual for sent, actual in rest)
        proved = any(sent for sent, _ in rest) or not self.leads.explained
        if opens and here[0].endswith(first[0]) and others_stay and proved:
            self.missing_lead = here[0][: len(here[0]) - len(first[0])]
            self.leads = Leads(rest, self._units)

    def _learn_from_one(self, request: Request, sent: str, actual: str) -> None:
        """Learn from a single line, which proves either a shift of all lines or that only the first line lacks it.

        The structure of the new lines decides which one.
        """
        new = [line for line in request.new if line.strip()]
        if len(new) < 2 or not actual.endswith(sent):  # noqa: PLR2004  the structure needs two lines
            return
        sent_indent, file_indent = self._units()
        deeper = depth(new[1]) - depth(new[0])
        unit = 1 if "\t" in actual else file_indent.width or sent_indent.width
        shifted = deeper <= 0 or _follows(new[0], new[1], deeper, unit)
        alone = not sent and all(map(lead, new[1:]))
        first_only = alone and _follows(new[0], new[1], deeper - len(actual), unit)
        if first_only:
            self.leads = Leads([("", "")], self._units)
            self.missing_lead = actual
        if shifted == first_only:
            self.leads = Leads([("", " "), ("", "")], self._units)  # contradictory: it can't be determined

    @staticmethod
    def _learn_form(bodies: list[tuple[str, str]]) -> Literal["NFC", "NFD"] | None:
        from unicodedata import is_normalized, normalize

        for sent, actual in bodies:
            if sent.isascii() or normalize("NFC", sent) == sent == actual:
                continue
            forms: tuple[Literal["NFC", "NFD"], ...] = ("NFC", "NFD")
            for form in forms:
                if is_normalized(form, actual) and not is_normalized(form, sent):
                    return form
        return None

    def _learn_quotes(self, bodies: list[tuple[str, str]]) -> tuple[dict[str, str], set[str]]:
        """The quotes around strings that the file writes as the other kind, and those that are doubtful."""
        seen: dict[str, set[str]] = {quote: set() for quote in QUOTES}
        for sent, actual in bodies:
            ours, theirs = (
                [line[at] for at in string_quotes(line, self._marks) or ()] for line in (fold(sent), fold(actual))
            )
            for quote, file_quote in zip(ours, theirs, strict=False) if len(ours) == len(theirs) else ():
                seen[quote].add(file_quote)
        swapped = {
            sent: actual for sent, actual in zip(QUOTES, reversed(QUOTES), strict=True) if seen[sent] == {actual}
        }
        if not swapped:
            return {}, {quote for quote in QUOTES if len(seen[quote]) > 1}
        return swapped, {quote for quote in QUOTES if quote not in swapped}

    def _convert_quotes(self, body: str) -> str | None:
        """A line with the file's quotes around its strings; None if they can't be determined."""
        if not self._quotes and not self._doubtful_quotes:
            return body
        ends = string_quotes(body, self._marks)
        if ends is None:
            return None
        chars = list(body)
        for start, end in zip(ends[::2], ends[1::2], strict=True):
            if body[start] in self._doubtful_quotes:
                return None
            quote = self._quotes.get(body[start], body[start])
            if quote != body[start] and (quote in body[start:end] or "\\" in body[start:end]):
                return None
            chars[start] = chars[end] = quote
        return "".join(chars)

    def _learn_look_alikes(
        self, bodies: list[tuple[str, str]], seen: dict[str, set[str]]
    ) -> tuple[dict[int, str], set[str]]:
        for sent, actual in bodies:
            if sent.isascii():
                continue
            sides = [unescape_quotes(self._normalize(line)) for line in (sent, actual)]
            facing = _pair_exotic(*sides) or _pair_exotic(*("".join(side.split()) for side in sides))
            for exotic, counterpart in facing:
                seen.setdefault(PLAIN[exotic], set()).add("plain" if counterpart == PLAIN[exotic] else "exotic")
        doubtful = {char for family, kinds in seen.items() if len(kinds) > 1 for char in FAMILIES[family]}
        proved = [family for family, kinds in seen.items() if kinds == {"plain"}]
        if any(family in QUOTES for family in proved):  # a text with one kind of typographic quotes has both kinds
            proved += [family for family in QUOTES if family not in seen]
        return {ord(char): family for family in proved for char in FAMILIES[family]}, doubtful

    def _normalize(self, text: str) -> str:
        if self._form is None or text.isascii():
            return text
        from unicodedata import normalize

        return normalize(self._form, text)

    def translate(self, line: str, *, opens: bool = False) -> str | None:
        """A line of the request in the file's dialect; None if it can't be determined.

        `opens` says that it is a first line, which may lack indentation.
        """
        before, body, after = parts(line)
        if not body:
            return self.translate_blank(line)
        if self.missing_lead is not None and opens:
            where: str | None = (
                before if before.startswith(self.missing_lead) and before else self.missing_lead + before
            )
        else:
            where = self.leads(before)
        text = self.translate_body(body)
        if where is None or text is None:
            return None
        return where + text + ("" if self._trim else after)

    def translate_body(self, body: str) -> str | None:
        """A line's text, without the whitespace around it, in the file's characters."""
        if not self._doubtful.isdisjoint(body):
            return None
        if self._unescape is not None and "\\" in body:
            plain = self._unescape(body)
            if plain is None or (self._unescape is unescape_quotes and unescape_literal(body) != plain):
                return None
            body = plain
        return self._convert_quotes(self._normalize(body).translate(self._plain))

    def translate_blank(self, line: str) -> str:
        """A line of only whitespace in the file's dialect."""
        if self._trim or not line:
            return ""
        return self.leads(line) or line


def _rules_for(pairs: Sequence[tuple[str, str]]) -> list[Rule]:
    """The rules that explain every pair, those without a shift first; only "same" if no lead changes."""
    if all(sent == actual for sent, actual in pairs):
        return [_SAME]  # also if there are no pairs
    several = len({sent for sent, _ in pairs}) > 1
    shift = _add_shift(_SAME, pairs)
    if several and shift is not None:
        return [shift]  # two depths moved by the same shift
    conversions = _OF_TABS
    if not any("\t" in sent for sent, _ in pairs):
        conversions = tuple(
            loose if loose.rest and any(len(sent) % loose.width for sent, _ in pairs) else rule
            for rule, loose in zip(_OF_SPACES, _OF_SPACES_WITH_REST, strict=True)
        )
    straight = [rule for rule in conversions if all(rule(sent) == actual for sent, actual in pairs)]
    shifted = [
        rule
        for conversion in conversions
        if (several or conversion.kind != "scale") and (rule := _add_shift(conversion, pairs)) is not None
    ]
    return straight + [rule for rule in shifted if rule not in straight]


def _add_shift(rule: Rule, pairs: Sequence[tuple[str, str]]) -> Rule | None:
    """Extend a conversion by the one shift that explains every pair; None if there is none."""
    sent, actual = pairs[0]
    converted = rule.convert(sent)
    if converted is None:
        return None
    if actual.endswith(converted):
        shifted = rule.evolve(add=actual[: len(actual) - len(converted)])
    elif converted.endswith(actual):
        shifted = rule.evolve(cut=converted[: len(converted) - len(actual)])
    else:
        return None
    return shifted if all(shifted(one) == other for one, other in pairs) else None


def _follows(line: str, following: str, deeper: int, unit: int) -> bool:
    """Whether a line that is indented `deeper` by so many characters can follow this one."""
    text, after = line.strip(), following.strip()
    if text.endswith((":", "{", "do", "then", ">")) or (_OPENS.match(text) and not text.endswith((";", "}"))):
        return deeper == unit or (not unit and deeper > 0)
    open_brackets = sum(map(text.count, "([{")) - sum(map(text.count, ")]}"))
    goes_on = text.endswith(("\\", "=", "&&", "||", "+")) or text.startswith(("- ", "* ", "+ "))
    if open_brackets > 0 or goes_on or after.startswith((".", "&&", "||", "?", "+ ", "- ", "* ")):
        return deeper > 0
    return deeper <= 0


def _indent_of(*texts: Sequence[str]) -> Indent:
    """How a request is indented, not counting the indentation that all its lines share."""
    lines = []
    for text in texts:
        solid = [line for line in text if line.strip()]
        leads = [lead(line) for line in solid]
        shared = min(leads, key=len, default="")
        while not all(indent.startswith(shared) for indent in leads):
            shared = shared[:-1]
        lines += [line[len(shared) :] for line in solid]
        lines += ["\tx"] if "\t" in shared else []
    return detect("\n".join(lines).encode("utf-8", "surrogatepass"))


def _learn_escapes(bodies: list[tuple[str, str]]) -> Callable[[str], str | None] | None:
    """A function that removes the backslashes that the file doesn't have; None if there are none to remove."""
    escaped = [(fold(sent), fold(actual)) for sent, actual in bodies if "\\" in sent]
    if all(sent == actual or "".join(sent.split()) == "".join(actual.split()) for sent, actual in escaped):
        return None
    for undo in UNESCAPES:
        if all(undo(sent) == actual for sent, actual in escaped):
            return undo
    return lambda _: None


def _pair_exotic(sent: str, actual: str) -> list[tuple[str, str]]:
    """Each exotic character of the sent line with its counterpart in the file's line; none if the lines differ."""
    pairs, at = [], 0
    for char in sent:
        plain = PLAIN.get(char)
        if actual.startswith(char, at):
            counterpart = char
        elif plain is not None and actual.startswith(plain, at):
            counterpart = plain
        else:
            return []
        if plain is not None:
            pairs.append((char, counterpart))
        at += len(counterpart)
    return pairs if at == len(actual) else []
