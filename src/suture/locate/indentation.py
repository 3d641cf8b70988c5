"""How the file's indentation follows from the request's, learned from lines that both have.

A rule is a conversion (none, tabs to spaces, spaces to tabs, another width) and a shift. All rules that explain
every known pair are collected. Where they disagree on a new line's indentation, the units of file and request
decide; where these don't, nobody can know, and the answer is None.
"""

from __future__ import annotations

from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from suture.indent import Indent

_WIDTHS = (1, 2, 3, 4, 8)
_SCALES = (
    (2, 4),
    (4, 2),
    (1, 2),
    (1, 4),
    (2, 8),
    (4, 8),
    (8, 4),
    (8, 2),
    (3, 4),
    (4, 3),
    (2, 3),
    (3, 2),
    (2, 1),
    (4, 1),
)


class Rule(Record):
    """`convert` the units, then take off `cut`, then put `add` before."""

    kind: str
    """`same`, `expand` (tabs to spaces), `tabs` (spaces to tabs) or `scale`."""
    width: int = 0
    to: int = 0
    rest: bool = False
    """Whether spaces that make no whole step are kept: some line shows it."""
    cut: str = ""
    add: str = ""

    def convert(self, lead: str) -> str | None:
        """The lead in the file's units, or None where it doesn't come out even."""
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
        found = self.convert(lead)
        if found is None or not found.startswith(self.cut):
            return None
        return self.add + found[len(self.cut) :]


_SAME = Rule("same")
_OF_TABS = (_SAME, *(Rule("expand", width) for width in _WIDTHS))
_OF_SPACES = (
    _SAME,
    *(Rule("tabs", width) for width in _WIDTHS),
    *(Rule("scale", width, to) for width, to in _SCALES),
)
_OF_SPACES_WITH_REST = tuple(rule.but(rest=rule.width > 1) for rule in _OF_SPACES)


class Leads:
    """The leads of a file for those of a request. `units` tells how request and file are indented, if that matters."""

    def __init__(self, pairs: Iterable[tuple[str, str]], units: Callable[[], tuple[Indent, Indent]]) -> None:
        pairs = list(dict.fromkeys(pairs))
        self._table = dict(pairs)
        contradicted = {sent for sent, stands in pairs if self._table[sent] != stands}
        self.rules = [] if contradicted else _explaining(pairs)
        for sent in contradicted:
            del self._table[sent]
        self._units = units

    @property
    def explained(self) -> bool:
        """Whether a rule explains every pair."""
        return bool(self.rules)

    @property
    def unchanged(self) -> bool:
        """Whether leads are the same on both sides."""
        return bool(self.rules) and self.rules[0] is _SAME

    def __call__(self, lead: str) -> str | None:
        """The file's lead for one of the request's, or None where nobody can know."""
        if not self.rules:
            return lead if self._table.get(lead) == lead else None
        if lead in self._table:
            return self._table[lead]
        if self.unchanged:
            return lead
        found = {rule(lead) for rule in self.rules if self._fits(rule)} - {None}
        return found.pop() if len(found) == 1 else None

    def _fits(self, rule: Rule) -> bool:
        """Whether a rule is what the units of the two sides suggest."""
        asked, here = self._units()
        if rule.kind == "same":
            if asked.style in {"spaces", "tabs"} and here.style in {"spaces", "tabs"} and asked.style != here.style:
                return False
            return (
                not asked.width or not here.width or (asked.width % here.width == 0 and asked.width != 2 * here.width)
            )
        if rule.kind == "expand":
            return here.style != "tabs" and rule.width == (here.width or rule.width)
        if rule.kind == "tabs":
            return here.style in {"tabs", "mixed"} and rule.width == asked.width
        return here.style != "tabs" and (rule.width, rule.to) == (asked.width, here.width)


def _explaining(pairs: Sequence[tuple[str, str]]) -> list[Rule]:
    """The rules that explain every pair: those without a shift first, and nothing else if they leave all as it is."""
    if all(sent == stands for sent, stands in pairs):
        return [_SAME]  # and of no pairs at all
    several = len({sent for sent, _ in pairs}) > 1
    shift = _shifted(_SAME, pairs)
    if several and shift is not None:
        return [shift]  # two depths moved alike
    conversions = _OF_TABS
    if not any("\t" in sent for sent, _ in pairs):
        conversions = tuple(
            loose if loose.rest and any(len(sent) % loose.width for sent, _ in pairs) else rule
            for rule, loose in zip(_OF_SPACES, _OF_SPACES_WITH_REST, strict=True)
        )
    straight = [rule for rule in conversions if all(rule(sent) == stands for sent, stands in pairs)]
    shifted = [
        rule
        for each in conversions
        if (several or each.kind != "scale") and (rule := _shifted(each, pairs)) is not None
    ]
    return straight + [rule for rule in shifted if rule not in straight]


def _shifted(rule: Rule, pairs: Sequence[tuple[str, str]]) -> Rule | None:
    """A conversion with the one shift that explains every pair."""
    sent, stands = pairs[0]
    converted = rule.convert(sent)
    if converted is None:
        return None
    if stands.endswith(converted):
        shifted = rule.but(add=stands[: len(stands) - len(converted)])
    elif converted.endswith(stands):
        shifted = rule.but(cut=converted[: len(converted) - len(stands)])
    else:
        return None
    return shifted if all(shifted(one) == other for one, other in pairs) else None
