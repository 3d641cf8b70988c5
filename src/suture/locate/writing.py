"""How a change is written into the file: lines with the file's ends, words into a line that has changed."""

from __future__ import annotations

from suture.diff import changes
from suture.edits import Edit, edit
from suture.locate.fold import encoded
from suture.locate.words import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.diff import Change
    from suture.locate.index import Index


def line_edit(index: Index, low: int, high: int, lines: Sequence[str]) -> Edit:
    """Lines of a file replaced by others, which end as those do that they replace, or as their neighbors."""
    file, count = index.lines, len(index.lines)
    start = file.span(low + 1)[0] if low < count else len(index.body)
    end = file.span(high)[1] if high > low else start
    near = [file.ending(n + 1) for n in (*range(low, high), low - 1, low, low + 1, 0) if 0 <= n < count]
    ending = next(filter(None, near), b"\n")
    own = [file.ending(n + 1) or ending for n in range(low, high)] if high - low == len(lines) else []
    endings = own or [ending] * len(lines)
    new = [encoded(line) for line in lines]
    text = b"".join(line + end for line, end in zip(new, endings, strict=True))
    if start == len(index.body) and start and not file.finished:
        return edit(start, end, ending + text.removesuffix(ending))
    if end == len(index.body) and high > low and not file.finished:
        text = text.removesuffix(endings[-1]) if lines else text
        start -= len(file.ending(low)) if low and not lines else 0  # the line before is the unfinished one now
    return edit(start, end, text)


def merged_words(base: str, ours: str, theirs: str, *, reflow: bool = False) -> str | None:
    """A line that both sides changed, word by word; None where they changed the same.

    With `reflow` it doesn't matter to theirs which white space stands between words.
    """
    if ours in {base, theirs}:
        return theirs
    if base == theirs:
        return ours
    was, here, wanted = (
        [each.encode("utf-8", "surrogatepass") for each in tokens(text)] for text in (base, ours, theirs)
    )
    keys = [[b" " if reflow and each.isspace() else each for each in side] for side in (was, here, wanted)]
    own, new = changes(keys[0], keys[1]), changes(keys[0], keys[2])
    for a, b, _, _ in own:
        for i, j, _, _ in new:
            covered = i <= a < b <= j  # what ours has there is harmless, and theirs replaces it
            at_end = a == b == i == j == len(was)
            if _meet(a, b, i, j) and not covered and not at_end:
                return None
    result, position = list[bytes](), 0
    for i, j, k, m in new:
        low, high = (_moved(own, at) for at in (i, j))
        if reflow and any(b"\n" in each for each in (*here[low:high], *wanted[k:m])):
            return None
        result += [*here[position:low], *wanted[k:m]]
        position = high
    return b"".join([*result, *here[position:]]).decode("utf-8", "surrogatepass")


def _moved(own: Sequence[Change], at: int) -> int:
    """Where a place of the base is in ours; before what ours inserted there."""
    return at + sum((d - c) - (b - a) for a, b, c, d in own if b <= at and not a == b == at)


def _meet(a: int, b: int, i: int, j: int) -> bool:
    """Whether two ranges overlap, an empty one by lying inside or at the same point."""
    if a == b and i == j:
        return a == i
    if a == b or i == j:
        point, low, high = (a, i, j) if a == b else (i, a, b)
        return low < point < high
    return max(a, i) < min(b, j)
