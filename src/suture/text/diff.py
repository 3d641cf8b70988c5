r"""Unified diffs of known edits, and the line diff that finds the edits between two texts.

The diff of known edits needs no diff algorithm: each edit is widened to whole lines and printed. Only a whole-file
rewrite, a merge or an undo has to compare two texts. That is the anchored line diff: trim equal ends, anchor on lines
that occur once on both sides, take the longest run of anchors in order, repeat between them, and use difflib only for
small gaps. A large gap without anchors is replaced as a whole: the diff gets longer, but the time never quadratic.

Lines here end at `\n` alone, as they do for `git apply` and `patch`.

Rejected: difflib for the whole text (quadratic: 20 s for 200,000 lines of C); libgit2 (GPL, 6 MB).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from io import BytesIO
from itertools import accumulate, compress, islice
from operator import lt, ne

from suture.bounds import check_time
from suture.records import Record
from suture.text.edits import Edit, edit, sort_edits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

CONTEXT = 3
"""Lines of context around a change, as in git."""
Change = tuple[int, int, int, int]
"""(i, j, k, m): old[i:j] became new[k:m]."""
_MAX_CELLS_OF_GAP = 400 * 400  # old times new lines of a gap that difflib compares: bounds the time
_MAX_CELLS = 8 * _MAX_CELLS_OF_GAP  # the same for all gaps together; real diffs need a small part of it
_WINDOW_LINES = 256  # lines in which an equal run is searched for first: most changes are shorter
_SURE_RUN = 32  # lines of an equal run that is not equal by chance
_SURE_VARIETY = 8  # it must have more than so many different lines
_MAX_ROUNDS = 16  # rounds of anchoring; each costs one pass over the rest
_QUOTED_BYTES = bytes(range(0x21)) + b'"\\\x7f'  # a path with one of these is quoted
_NO_NEWLINE = b"\\ No newline at end of file\n"


class FileDiff(Record):
    """One file's part of a diff. `old_path` is None for a new file, `new_path` for a deleted one."""

    old_path: str | None
    new_path: str | None
    before: bytes
    edits: tuple[Edit, ...]
    mode: int = 0o644
    new_mode: int | None = None


class Block(Record):
    """A change of whole lines: `removed` lines from `line` (0-based) become the `added` lines of `new`.

    `start` and `end` are the offsets of the removed lines.
    """

    line: int
    removed: int
    start: int
    end: int
    added: int
    new: bytes


def unified(file: FileDiff, context: int = CONTEXT) -> bytes:
    """The diff, in the form that `git apply` and `patch` accept; empty if nothing changes."""
    return unified_and_counts(file, context)[0]


def unified_and_counts(file: FileDiff, context: int = CONTEXT) -> tuple[bytes, int, int]:
    """The same as `unified`, and the numbers of lines that the diff adds and removes."""
    blocks = list(_blocks(file.before, file.edits))
    added, removed = sum(block.added for block in blocks), sum(block.removed for block in blocks)
    hunks = b"".join(_hunks(file.before, blocks, context))
    stays = file.old_path is not None and file.new_path is not None
    renamed = stays and file.old_path != file.new_path
    if stays and not renamed and not hunks and file.new_mode in {None, file.mode}:
        return b"", 0, 0
    return _header(file, hunks=bool(hunks), renamed=renamed) + hunks, added, removed


def counts(before: bytes, edits: Iterable[Edit]) -> tuple[int, int]:
    """The numbers of lines that the diff adds and removes."""
    added = removed = 0
    for start, end, after in _regions(before, edits):
        for i, j, k, m in changes(split_lines(before[start:end]), split_lines(after)):
            added, removed = added + m - k, removed + j - i
    return added, removed


def line_edits(before: bytes, after: bytes) -> list[Edit]:
    """Edits of whole lines that turn `before` into `after`."""
    old, new = split_lines(before), split_lines(after)
    starts = list(accumulate(map(len, old), initial=0))
    return [edit(starts[i], starts[j], b"".join(new[k:end])) for i, j, k, end in changes(old, new)]


def split_lines(text: bytes) -> list[bytes]:
    r"""The lines of a text, each with its `\n`."""
    return BytesIO(text).readlines()


def changes(old: Sequence[bytes], new: Sequence[bytes]) -> list[Change]:
    """The differences of two lists: (i, j, k, m) says that old[i:j] became new[k:m]; in order, never touching."""
    changes: list[Change] = []
    patience = _MAX_CELLS
    stack = [(0, len(old), 0, len(new), _MAX_ROUNDS)]
    while stack:
        check_time()
        i, j, k, m, depth = stack.pop()
        head = _equal_run(old, new, (i, j, k, m))
        i, k = i + head, k + head
        while i < j and k < m and old[j - 1] == new[m - 1]:
            j, m = j - 1, m - 1
        if i == j and k == m:
            continue
        if min(j - i, m - k) <= 1:
            changes += _changes_around_line(old, new, (i, j, k, m))
        elif j - i == m - k and (replaced := _line_by_line(old, new, (i, j, k, m))):
            changes += replaced
        elif len(parts := list(_split_at_runs(old, new, (i, j, k, m)))) > 1:
            stack += [(*box, depth) for box in parts]
        elif anchors := _anchors(old[i:j], new[k:m]) if depth else []:
            boxes = _split_at_anchors(old, new, (i, j, k, m), [(i + x, k + y) for x, y in anchors])
            stack += [(*box, depth - 1) for box in boxes]
        elif (j - i) * (m - k) > min(_MAX_CELLS_OF_GAP, patience):
            changes.append((i, j, k, m))
        else:
            patience -= (j - i) * (m - k)
            changes += [(i + a, i + b, k + c, k + d) for a, b, c, d in _small_changes(old[i:j], new[k:m])]
    return sorted(changes)


def _header(file: FileDiff, *, hunks: bool, renamed: bool) -> bytes:
    old, new = file.old_path or file.new_path, file.new_path or file.old_path
    lines = [b"diff --git %s %s" % (_quote("a/", old), _quote("b/", new))]
    if file.old_path is None:
        lines.append(b"new file mode 100%03o" % (file.mode & 0o777))
    elif file.new_path is None:
        lines.append(b"deleted file mode 100%03o" % (file.mode & 0o777))
        if not hunks:  # an empty file: without this line `patch` takes the diff for a reversed one
            lines.append(b"index e69de29..0000000")
    elif file.new_mode not in {None, file.mode}:
        modes = (file.mode & 0o777, (file.new_mode or 0) & 0o777)
        lines += [b"old mode 100%03o" % modes[0], b"new mode 100%03o" % modes[1]]
    if renamed:
        if not hunks:
            lines.append(b"similarity index 100%")
        lines += [b"rename from " + _quote("", old), b"rename to " + _quote("", new)]
    if hunks:
        lines.append(b"--- " + (b"/dev/null" if file.old_path is None else _quote("a/", old)))
        lines.append(b"+++ " + (b"/dev/null" if file.new_path is None else _quote("b/", new)))
    return b"".join(line + b"\n" for line in lines)


def _quote(prefix: str, path: str | None) -> bytes:
    """A path, quoted as in git if it contains a control character, a quote, a backslash or a space.

    Git does not quote a space, but `patch` would cut the path there.
    """
    raw = (prefix + (path or "").lstrip("/")).encode("utf-8", "surrogateescape")  # paths in a diff are relative
    if raw == raw.translate(None, _QUOTED_BYTES):
        return raw
    escaped = b"".join(
        b"\\" + bytes([byte]) if byte in b'"\\' else b"\\%03o" % byte if byte < 0x20 or byte == 0x7F else bytes([byte])  # noqa: PLR2004  ASCII control characters
        for byte in raw
    )
    return b'"' + escaped + b'"'


def _hunks(before: bytes, blocks: Iterable[Block], context: int) -> Iterator[bytes]:
    group: list[Block] = []
    growth = 0
    for block in blocks:
        if group and block.line - group[-1].line - group[-1].removed > 2 * context:
            yield _hunk(before, group, context, growth)
            growth += sum(changed.added - changed.removed for changed in group)
            group = []
        group.append(block)
    if group:
        yield _hunk(before, group, context, growth)


def _hunk(before: bytes, blocks: list[Block], context: int, growth: int) -> bytes:
    """One hunk; the preceding hunks added `growth` lines."""
    start = _lines_before(before, blocks[0].start, context)
    end = _lines_after(before, blocks[-1].end, context)
    lines, position = [], start
    added: list[bytes] = []
    for block in blocks:
        if block.start > position:  # adjacent blocks are shown together: first all removed, then all added lines
            lines += [*added, _mark(b" ", before[position : block.start])]
            added = []
        lines.append(_mark(b"-", before[block.start : block.end]))
        added.append(_mark(b"+", block.new))
        position = block.end
    lines += [*added, _mark(b" ", before[position:end])]
    first = blocks[0].line - before.count(b"\n", start, blocks[0].start)
    trail = before.count(b"\n", position, end) + (position < end and before[end - 1 : end] != b"\n")
    old = blocks[-1].line + blocks[-1].removed + trail - first
    new = old + sum(block.added - block.removed for block in blocks)
    return b"@@ -%s +%s @@\n" % (_range(first, old), _range(first + growth, new)) + b"".join(lines)


def _mark(mark: bytes, text: bytes) -> bytes:
    """Put a mark before every line of a text."""
    if not text:
        return b""
    marked = mark + text.replace(b"\n", b"\n" + mark)
    return marked[:-1] if text.endswith(b"\n") else marked + b"\n" + _NO_NEWLINE


def _range(first: int, length: int) -> bytes:
    """A range of lines as in a hunk header; an empty range is named by the line before it."""
    if length == 1:
        return b"%d" % (first + 1)
    return b"%d,%d" % (first + 1 if length else first, length)


def _blocks(before: bytes, edits: Iterable[Edit]) -> Iterator[Block]:
    """Widen edits to whole lines, without lines that stay equal."""
    line = counted = 0
    for start, end, after in _regions(before, edits):
        line += before.count(b"\n", counted, start)
        counted = start
        old, new = split_lines(before[start:end]), split_lines(after)
        starts = list(accumulate(map(len, old), initial=start))
        for i, j, k, m in changes(old, new):
            yield Block(line + i, j - i, starts[i], starts[j], m - k, b"".join(new[k:m]))


def _regions(before: bytes, edits: Iterable[Edit]) -> Iterator[tuple[int, int, bytes]]:
    """The ranges of whole lines that edits touch, in order, each with its new text."""
    queue = sort_edits(edits, len(before))
    index = 0
    while index < len(queue):
        first = queue[index].span.start
        start = position = before.rfind(b"\n", 0, first) + 1
        end = _line_end(before, first)
        pieces: list[bytes] = []
        while True:
            while index < len(queue) and queue[index].span.start <= end:
                change = queue[index]
                pieces += [before[position : change.span.start], change.new]
                position = change.span.end
                end = end if position <= end else _line_end(before, position)
                index += 1
            after = b"".join((*pieces, before[position:end]))
            if end == len(before) or not after or after.endswith(b"\n"):
                break
            end = _line_end(before, end + 1)  # the new text runs into the next line
        yield start, end, after


def _line_end(text: bytes, offset: int) -> int:
    """The first offset at or after `offset` at which a line begins, or the end."""
    if offset == 0 or text[offset - 1 : offset] == b"\n":
        return offset
    return text.find(b"\n", offset) + 1 or len(text)


def _lines_before(text: bytes, end: int, count: int) -> int:
    """Where the `count` lines before a line start begin."""
    for _ in range(count):
        end = text.rfind(b"\n", 0, max(end - 1, 0)) + 1
    return end


def _lines_after(text: bytes, start: int, count: int) -> int:
    """Where the `count` lines from a line start on end."""
    for _ in range(count):
        start = text.find(b"\n", start) + 1 or len(text)
    return start


def _changes_around_line(old: Sequence[bytes], new: Sequence[bytes], box: Change) -> list[Change]:
    """The changes of a box with one line or none on one side: the other side contains that line, or not."""
    i, j, k, m = box
    if j - i == 1 and old[i] in new[k:m]:
        at = new.index(old[i], k, m)
        return [(i, i, k, at), (j, j, at + 1, m)]
    if m - k == 1 and new[k] in old[i:j]:
        at = old.index(new[k], i, j)
        return [(i, at, k, k), (at + 1, j, m, m)]
    return [box]


def _line_by_line(old: Sequence[bytes], new: Sequence[bytes], box: Change) -> list[Change]:
    """Compare two ranges of equal length line by line.

    Returns nothing if a differing line also occurs on the other side: then another diff may be smaller.
    """
    i, j, k, m = box
    old_lines, new_lines = old[i:j], new[k:m]
    differing = list(compress(range(len(old_lines)), map(ne, old_lines, new_lines)))
    if not {old_lines[at] for at in differing}.isdisjoint(new_lines) or not {
        new_lines[at] for at in differing
    }.isdisjoint(old_lines):
        return []
    changes: list[Change] = []
    first = last = differing[0]
    for at in (*differing[1:], len(old_lines) + 1):
        if at > last + 1:
            changes.append((i + first, i + last + 1, k + first, k + last + 1))
            first = at
        last = at
    return changes


def _split_at_runs(old: Sequence[bytes], new: Sequence[bytes], box: Change) -> Iterator[Change]:
    """Split a box at long equal runs that follow a difference within a few lines; the rest is the last box.

    Most changes are local. Anchors for the whole text cost a pass over all of it; these cost only a window each.
    """
    i, j, k, m = box
    while min(j - i, m - k) > 2 * _WINDOW_LINES:
        anchors = _anchors(old[i : i + _WINDOW_LINES], new[k : k + _WINDOW_LINES])
        for x, y in ((i + x, k + y) for x, y in anchors):
            run_lines = old[x : x + _SURE_RUN]
            if run_lines == new[y : y + _SURE_RUN] and len(set(run_lines)) > _SURE_VARIETY:
                break
        else:
            break
        yield i, x, k, y
        run = _equal_run(old, new, (x, j, y, m))
        i, k = x + run, y + run
    yield i, j, k, m


def _split_at_anchors(
    old: Sequence[bytes], new: Sequence[bytes], box: Change, anchors: list[tuple[int, int]]
) -> Iterator[Change]:
    """Split a box at anchors: skip equal lines, then jump from each difference to the next anchor."""
    i, j, k, m = box
    while True:
        run = _equal_run(old, new, (i, j, k, m))
        i, k = i + run, k + run
        if i == j and k == m:
            return
        following = max(bisect_left(anchors, (i, 0)), bisect_left(anchors, k, key=lambda pair: pair[1]))
        x, y = anchors[following] if following < len(anchors) else (j, m)
        yield i, x, k, y
        i, k = x, y


def _equal_run(old: Sequence[bytes], new: Sequence[bytes], box: Change) -> int:
    """How many lines are equal at the start of a box, in doubling steps: slices of lists compare at the speed of C."""
    i, j, k, m = box
    run, step, limit = 0, 1, min(j - i, m - k)
    while run < limit and step:
        step = min(step, limit - run)
        if old[i + run : i + run + step] == new[k + run : k + run + step]:
            run += step
            step *= 2
        else:
            step //= 2
    return run


def _anchors(old: Sequence[bytes], new: Sequence[bytes]) -> list[tuple[int, int]]:
    """Pairs of equal lines, in the same order on both sides, from lines that occur once on each side.

    If there are none, lines that occur equally often are paired by rank.
    """
    in_old, in_new = _find_unique(old), _find_unique(new)
    pairs = [(x, y) for x, y in zip(map(in_old.get, in_new), in_new.values(), strict=True) if x is not None]
    if not pairs:
        in_old, in_new = Counter(old), Counter(new)
        even = {line for line, number in in_new.items() if in_old.get(line) == number}
        ranked = {key: index for index, key in enumerate(_rank(old, even)) if key}
        pairs = [(ranked[key], index) for index, key in enumerate(_rank(new, even)) if key]
    return _longest_increasing(pairs)


def _find_unique(lines: Sequence[bytes]) -> dict[bytes, int]:
    """The lines that occur once, in order, each with its index."""
    where = dict(zip(lines, range(len(lines)), strict=True))
    if len(where) < len(lines):
        for line, number in Counter(lines).items():
            if number > 1:
                del where[line]
    return where


def _rank(lines: Sequence[bytes], chosen: set[bytes]) -> Iterator[tuple[bytes, int] | None]:
    seen: dict[bytes, int] = {}
    for line in lines:
        if line not in chosen:
            yield None
            continue
        seen[line] = seen.get(line, 0) + 1
        yield line, seen[line]


def _longest_increasing(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest subsequence of the pairs, which are ordered by their second item, with increasing first items."""
    firsts = [first for first, _ in pairs]
    if all(map(lt, firsts, islice(firsts, 1, None))):
        return pairs
    tops: list[int] = []
    at_top: list[int] = []
    before: list[int] = []
    for index, (first, _) in enumerate(pairs):
        pile = bisect_left(tops, first)
        before.append(at_top[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [first]
        at_top[pile : pile + 1] = [index]
    result, index = [], at_top[-1]
    while index >= 0:
        result.append(pairs[index])
        index = before[index]
    return result[::-1]


def _small_changes(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[tuple[int, int, int, int]]:
    from difflib import SequenceMatcher  # needed only for a small gap without anchors

    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield i, j, k, m
