"""Corrupted edits of real files: an editor makes the intended change, or refuses.

    python -m bench.editbench                     some 2,450 tasks, a table with a row per kind
    python -m bench.editbench --show typo_old     the tasks of a kind that went wrong, in full
    python -m bench.editbench --peers             other editors on the same tasks
    python -m bench.editbench --correct           `file_edit`, with its own corrections sent back
    python -m bench.editbench --siblings          edits of a function that is gone, while one like it is there
    python -m bench.editbench --stale             edits of an earlier version of the file

A task is a file, an old text and a new text. Old and new are a real change of a real file, corrupted in ways in which
language models corrupt edits, or the file has changed since. `tasks` combines `corpus` (the files), `changes` (the
intended changes) and `corruptions` (what goes wrong in them); `rows` is the model that records the right result.

What is right
    The file with only the intended lines changed. Lines that are equal in old and new keep the file's bytes. New
    lines are the intended ones, with the file's line endings and indentation.

    `siblings`: nothing. The function that the request edits has been deleted; whatever lands, lands in another
    function, and so would an offered correction.

    `stale`: git's three-way merge of the earlier version, the file and the edit, if it has no conflict. If it has one,
    a refusal; or, if both changes touch and do not overlap, only the lines of the edit, at their place (counted
    separately). If the earlier version is not known, a refusal is right too.

What is undecidable, and therefore not generated (decided on development seeds, before any held-out seed was run)
    The criterion is what a careful human could decide from file, old and new alone.

    1.  Old, compared without whitespace, case, look-alikes and backslashes, occurs in the file more than once, or
        another part of the file has 70 % as much of its text as the right place.
    2.  New is already in the file and is not a part of old.
    3.  Both the request and the file have additional lines at one point: a line that old omits, an elided part, a blank
        line added or dropped, an invented line directly next to a line that the change touches. (The file having its
        own lines exactly where the change inserts some is generated, as a kind that must be refused.)
    4.  There are two answers to which lines are unchanged (an insertion that can slide, a moved line, a lone bracket
        between changed lines), and the bytes in the file differ between them.
    5.  Lost indentation that cannot be learned from lines in the file: a new line at a depth that the matched lines
        don't prove; a single old line without indentation, and several new ones.
    6.  A look-alike, entity or escaped quote in a new line without a counterpart in any matched line; a plain quote
        in a changed line whose line in the file has a typographic one.
    7.  A typo only in old in an unchanged line: new corrects it, so it looks partly applied. The same typo in both
        sides of a changed line; reflowed whitespace in a new line; whitespace at the end of a line that the change
        touches.
    8.  Old with and new without a final newline, or vice versa, unless new is empty.
    9.  An edit at the outer edge of old whose result still contains old: applied or not, old occurs there.
    10. Old of which fewer than three lines with words, or 30 letters, are exactly as in the file, while other lines
        are not.

    11. A line that was rewritten, without an earlier version that shows it (`stale_line`, `stale_line_rewritten`): a
        line of a sibling looks the same. The same holds for a line that old omits or adds, if fewer than six lines of
        old occur once in the file, or three of at least seven: among edits of deleted functions (`siblings`), one in
        16 looks like this. These are generated; refusing them is right too.
    12. `siblings`: old that occurs in the rest of the file, exactly or except for whitespace, case, look-alikes and
        backslashes. If the request names the function (V4A, git), it is decidable after all, and generated as separate
        kinds.
    13. `stale`: old that occurs more than once in the earlier version, or occurs in the later one, as above; a conflict
        over a line that changed only in quotes or one letter; a change that the later version has made itself; lines
        whose fate differs between git's diff algorithms.

Seeds
    1 to 99 are for development. 1001, 1002 and 1003 are held out: look at them only at the end.
"""
