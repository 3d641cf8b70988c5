"""Spoiled edits of real files: an editor makes the change that was meant, or says no.

    python -m bench.editbench                     some 2,450 tasks, a table with a row per kind
    python -m bench.editbench --show typo_old     the tasks of a kind that went wrong, in full
    python -m bench.editbench --peers             other editors on the same tasks
    python -m bench.editbench --correct           `file_edit`, with its own corrections sent back
    python -m bench.editbench --siblings          edits of a function that is gone, while one like it is there
    python -m bench.editbench --stale             edits of an earlier version of the file

A task is a file, an old text and a new text. Old and new are a true change of a true file, spoiled the way
language models spoil them, or the file has moved on since. `tasks` puts them together from `corpus` (the files),
`changes` (what is wanted) and `spoils` (what goes wrong); `rows` is the model in which truth is kept.

What is right
    The file with only those lines changed that the change really changes. Lines that are equal in old and new
    keep the file's bytes. Lines that are new are the true ones, in the file's line ending and indentation.

    `siblings`: nothing. The function that the request edits has been deleted; whatever lands is in another function,
    and so is a correction that is offered.

    `stale`: what git's three-way merge makes of the earlier version, the file, and the edit, where it has no conflict.
    Where it has one, a refusal; or just the lines of the edit, at their place, where both changes touch and do not
    overlap (told apart). Where the earlier version is not known, a refusal is right, too.

What is undecidable, and therefore not generated (settled on development seeds, before any held-out seed was run)
    The measure is what a careful human could decide from file, old and new alone.

    1.  Old, compared without white space, case, look-alikes and backslashes, stands in the file more than once, or
        another part of the file has 70 % as much of its text as the true place has.
    2.  New stands in the file already and is not a part of old.
    3.  Both the request and the file put lines at one point: a line that old skips, an elided part, a blank line
        added or dropped, an invented line right beside a line that the change touches. (That the file has lines
        of its own exactly where the change inserts is generated: as a kind that must be refused.)
    4.  Which lines stay has two answers (an insertion that can slide, a moved line, a lone bracket between changed
        lines), and the bytes in the file make a difference between them.
    5.  Indentation that is gone and cannot be learned from lines that stand in the file: a new line at a depth
        that the matched lines don't prove; a single old line stripped, and several new ones.
    6.  A look-alike, entity or escaped quote in a new line that no matched line has a counterpart of; a plain quote
        in a changed line whose line in the file has a typographic one.
    7.  A slip in old alone in a line that stays: new corrects it, so it looks partly applied. The same slip in both
        sides of a changed line; reflowed white space in a new line; white space at the end of a line that the
        change touches.
    8.  Old with and new without a final newline, or the other way round, unless new is empty.
    9.  An edit at the outer edge of old whose result still contains old: applied or not, old stands there.
    10. Old in which fewer than three lines with words, or 30 letters, are as they stand in the file, when other
        lines are not.

    11. A line that has become another one, and no earlier version that says so (`stale_line`,
        `stale_line_rewritten`): a line of a sibling looks the same. The same holds for a line that old leaves out or
        has in addition, where fewer than six lines of old occur in the file once, or three of at least seven: among
        edits of deleted functions (`siblings`), one in 16 looks so. These are generated; refusing them is right, too.
    12. `siblings`: old that stands in the rest of the file, exactly or but for white space, case, look-alikes and
        backslashes. Where the request names the function (V4A, git), it is decidable after all, and generated: as
        kinds of their own.
    13. `stale`: old that is in the earlier version more than once, or that is in the later one, as above; a conflict
        over a line that became another one by quotes or a letter alone; a change that the later version has made
        itself; lines about whose fate git's ways to compare texts disagree.

Seeds
    1 to 99 are for development. 1001, 1002 and 1003 are held out: look at them only at the end.
"""
