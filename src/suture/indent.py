"""How a text is indented."""

from __future__ import annotations

from suture.records import Record

_WINDOW = 1 << 18
_LINES = 2_000


class Indent(Record):
    """`style` is `spaces`, `tabs`, `mixed` or `none`; `width` counts the spaces of one step, or is 0."""

    style: str
    width: int


def detect(body: bytes) -> Indent:
    """The indentation of a text, from its first few thousand lines."""
    tabs = spaces = 0
    steps: dict[int, int] = {}
    previous = 0
    for line in body[:_WINDOW].split(b"\n")[:_LINES]:
        stripped = line.lstrip(b" \t")
        if not stripped.strip():
            continue
        lead = line[: len(line) - len(stripped)]
        if lead.startswith(b"\t"):
            tabs += 1
            continue
        spaces += bool(lead)
        step = abs(len(lead) - previous)
        previous = len(lead)
        if step > 1:  # one column is alignment, or the star of a block comment
            steps[step] = steps.get(step, 0) + 1
    if not tabs and not spaces:
        return Indent("none", 0)
    width = max(steps, key=lambda step: (steps[step], -step), default=0)
    if tabs and spaces and min(tabs, spaces) * 10 > max(tabs, spaces):
        return Indent("mixed", width)
    return Indent("tabs", 0) if tabs > spaces else Indent("spaces", width)
