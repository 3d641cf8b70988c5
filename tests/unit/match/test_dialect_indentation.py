"""The file's indentation, derived from the request's."""

import pytest

from suture.match.dialect import Leads, Rule
from suture.text import Indent

Pairs = list[tuple[str, str]]
NONE = Indent("none", 0)
TABS = Indent("tabs", 0)
TWO = Indent("spaces", 2)
FOUR = Indent("spaces", 4)
MIXED = Indent("mixed", 4)


def leads(pairs: Pairs, request: Indent = FOUR, file: Indent = FOUR) -> Leads:
    return Leads(pairs, lambda: (request, file))


def spaces(*counts: int) -> Pairs:
    """Pairs of leads with so many spaces, in the request and in the file."""
    return [(" " * sent, " " * actual) for sent, actual in zip(counts[::2], counts[1::2], strict=True)]


RULES: dict[str, tuple[Rule, str, str | None]] = {
    "same": (Rule("same"), "  \t", "  \t"),
    "a shift to the right": (Rule("same", add="  "), "\t", "  \t"),
    "a shift to the left": (Rule("same", cut="  "), "    ", "  "),
    "a shift that does not fit": (Rule("same", cut="    "), "  ", None),
    "tabs to spaces": (Rule("expand", 4), "\t\t ", "         "),
    "spaces to tabs": (Rule("tabs", 4), "        ", "\t\t"),
    "spaces to tabs, uneven": (Rule("tabs", 4), "      ", None),
    "spaces to tabs with a rest": (Rule("tabs", 4, rest=True), "      ", "\t  "),
    "spaces after tabs, to tabs": (Rule("tabs", 2), "\t  ", "\t\t"),
    "tabs after spaces": (Rule("tabs", 2), "  \t", None),
    "what is neither": (Rule("tabs", 1), "\f", None),
    "another width": (Rule("scale", 2, 4), "      ", " " * 12),
    "another width, uneven": (Rule("scale", 4, 2), "      ", None),
    "another width of a tab": (Rule("scale", 4, 2), "\t", None),
    "another width and a shift": (Rule("scale", 4, 2, add="\t"), "    ", "\t  "),
}


@pytest.mark.parametrize(("rule", "lead", "expected"), RULES.values(), ids=RULES)
def test_a_rule_converts_cuts_and_adds(rule: Rule, lead: str, expected: str | None) -> None:
    assert rule(lead) == expected


LEARNED: dict[str, tuple[Leads, dict[str, str | None]]] = {
    "nothing is known: as it is": (leads([]), {"": "", "  ": "  ", "\t": "\t"}),
    "the same": (leads(spaces(0, 0, 4, 4)), {"        ": "        ", "\t": "\t"}),
    "a shift": (leads(spaces(0, 8, 4, 12)), {"        ": " " * 16}),
    "a shift to the left": (leads(spaces(8, 4, 12, 8)), {" " * 16: " " * 12, "": None}),
    "a shift of tabs": (leads([("", "\t"), ("\t", "\t\t")], TABS, TABS), {"\t\t": "\t\t\t"}),
    "one depth, units alike: a shift": (leads(spaces(4, 8)), {"": "    ", "        ": " " * 12}),
    "one depth, units of two and four: scaled": (leads(spaces(2, 4), TWO, FOUR), {"    ": "        ", "": ""}),
    "one depth, units of four and two: scaled": (leads(spaces(4, 2), FOUR, TWO), {"        ": "    "}),
    "two depths, scaled": (leads(spaces(2, 4, 4, 8), TWO, FOUR), {"      ": " " * 12}),
    "two depths, scaled and shifted": (leads(spaces(0, 4, 2, 8), TWO, FOUR), {"    ": " " * 12}),
    "tabs to spaces": (leads([("\t", "    "), ("\t\t", "        ")], TABS, FOUR), {"\t\t\t": " " * 12}),
    "one tab, by the file's unit": (leads([("\t", "    ")], TABS, FOUR), {"\t\t": "        "}),
    "tabs to spaces and a shift": (leads([("", "  "), ("\t", "    ")], TABS, TWO), {"\t\t": "      "}),
    "spaces to tabs": (leads([("    ", "\t"), ("        ", "\t\t")], FOUR, TABS), {" " * 12: "\t\t\t"}),
    "spaces to tabs in a mixed file": (leads([("    ", "\t")], FOUR, MIXED), {"        ": "\t\t"}),
    "spaces to tabs with a rest": (
        leads([("    ", "\t"), ("      ", "\t  ")], FOUR, TABS),
        {"        ": "\t\t", "          ": "\t\t  "},
    ),
    "spaces to tabs and a shift": (leads([("", "\t"), ("    ", "\t\t")], FOUR, TABS), {"        ": "\t\t\t"}),
    "one shift of no spaces by a tab": (leads([("", "\t")], FOUR, TABS), {"    ": "\t\t"}),
    "a depth between": (leads([("    ", "\t"), ("        ", "\t\t")], FOUR, TABS), {"      ": None}),
    "no units to decide by": (leads([("\t", "    ")], TABS, NONE), {"\t": "    ", "\t\t": None}),
}


@pytest.mark.promise("locate.dialect")
@pytest.mark.parametrize(("learned", "expected"), LEARNED.values(), ids=LEARNED)
def test_a_new_lead_follows_from_those_that_are_known(learned: Leads, expected: dict[str, str | None]) -> None:
    assert learned.explained
    assert {lead: learned(lead) for lead in expected} == expected


@pytest.mark.promise("locate.dialect")
def test_a_lead_that_is_known_is_what_the_file_has() -> None:
    learned = leads(spaces(0, 8, 4, 12))
    assert [learned(lead) for lead in ("", "    ")] == [" " * 8, " " * 12]


@pytest.mark.promise("locate.dialect")
def test_without_a_rule_the_lead_is_unknown() -> None:
    learned = leads(spaces(0, 2, 4, 4, 8, 10))
    assert (learned.explained, learned.unchanged) == (False, False)
    assert [learned(lead) for lead in ("", "        ", "  ")] == [None, None, None]
    assert learned("    ") == "    "


@pytest.mark.promise("locate.dialect")
def test_a_lead_that_is_neither_spaces_nor_tabs_proves_nothing() -> None:
    assert not leads([("\f", "    ")]).explained


@pytest.mark.promise("locate.dialect")
def test_contradictory_leads_are_unknown() -> None:
    learned = leads(spaces(4, 4, 4, 8))
    assert (learned.explained, learned("    "), learned("")) == (False, None, None)


def test_leads_that_are_the_same_are_unchanged() -> None:
    assert leads([]).unchanged
    assert leads(spaces(4, 4)).unchanged
    assert not leads(spaces(4, 8)).unchanged
