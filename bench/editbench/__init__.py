"""Spoiled edits of real files: an editor makes the change that was meant, or says no.

    python -m bench.editbench                     some 2,450 tasks, a table with a row per kind
    python -m bench.editbench --show typo_old     the tasks of a kind that went wrong, in full
    python -m bench.editbench --peers             other editors on the same tasks
    python -m bench.editbench --correct           `file_edit`, with its own corrections sent back

A task is a file, an old text and a new text. Old and new are a true change of a true file, spoiled the way
language models spoil them, or the file has moved on since. `tasks` puts them together from `corpus` (the files),
`changes` (what is wanted) and `spoils` (what goes wrong); `rows` is the model in which truth is kept.

What is right
    The file with only those lines changed that the change really changes. Lines that are equal in old and new
    keep the file's bytes. Lines that are new are the true ones, in the file's line ending and indentation.

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

Seeds
    1 to 99 are for development. 1001, 1002 and 1003 are held out: look at them only at the end.
"""
