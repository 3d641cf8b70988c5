"""`suture prompt`: what to tell a model, so that its reply can be applied."""

from __future__ import annotations

from suture.cli.output import print_json, print_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse


def prompt(options: argparse.Namespace) -> int:
    """Print the instructions for a format."""
    text = f"{PROMPTS[options.format]}\n{_PRACTICES}"
    if options.json:
        print_json({"format": options.format, "prompt": text})
    else:
        print_text(text, end="")
    return 0


_BLOCKS = """\
# How to write changes to files

Write each change as a block like those below. A program finds the blocks in your reply and applies
them to the files; whatever you write between them is for people.

```
### File: src/greeting.py
<<<<<<< SEARCH
def greet(name):
    return "Hello " + name
=======
def greet(name, end="!"):
    return "Hello " + name + end
>>>>>>> REPLACE

<<<<<<< SEARCH
UNUSED = 20
=======
>>>>>>> REPLACE

### File: src/farewell.py
<<<<<<< NEW_FILE
def part(name):
    return "Goodbye " + name
>>>>>>> NEW_FILE

*** Begin Patch
*** Delete File: src/old.py
*** End Patch
```

- Above the first block for a file, write "### File: " and its path from the root of the project.
  Further blocks for the same file may follow below it, as the second one does.
- Each marker is on a line of its own and begins in the first column.
- SEARCH holds lines that are in the file now, REPLACE the lines to put there instead. To
  insert, search for a line next to the place and repeat it in REPLACE.
- An empty REPLACE part deletes the lines, as in the second block. NEW_FILE holds all of a file that
  does not exist yet. A whole file is deleted as at the end of the example.
"""

_V4A = """\
# How to write changes to files

Write all changes as one patch like that below. A program finds it in your reply and applies it to
the files; whatever you write around it is for people.

```
*** Begin Patch
*** Update File: src/greeting.py
@@ def greet(name):
-    return "Hello " + name
+    return "Hello, " + name + "!"
@@
 LIMIT = 10
-UNUSED = 20
*** Add File: src/farewell.py
+def part(name):
+    return "Goodbye " + name
*** Delete File: src/old.py
*** End Patch
```

- Each file has a section, which begins with "*** Update File: ", "*** Add File: " or
  "*** Delete File: " and the file's path from the root of the project.
- A section that updates a file may have any number of hunks, from the top of the file to its end.
  A hunk begins with "@@", which a line from further up in the file may follow, such as the
  head of the function, to tell places apart that look alike.
- In a hunk, the first character of each line counts: "-" before a line that goes, "+" before one
  that comes, a space before one that stays. The line itself follows, with its own indentation.
  To delete lines, give them a "-" and put nothing in their place.
- Around what changes, show about three lines that stay, above and below. Lines that are only added
  need them most: nothing else says where they belong.
- A section that adds a file holds all its lines, each with a "+"; one that deletes a file is empty.
- To rename a file, write "*** Move to: " and the new path below the line that begins its section.
"""

_UNIFIED = """\
# How to write changes to files

Write all changes as one unified diff like that below. A program finds it in your reply and applies
it to the files; whatever you write around it is for people.

```diff
--- a/src/greeting.py
+++ b/src/greeting.py
@@ ... @@
 def greet(name):
-    return "Hello " + name
+    return "Hello, " + name + "!"
@@ ... @@
 LIMIT = 10
-UNUSED = 20
--- /dev/null
+++ b/src/farewell.py
@@ ... @@
+def part(name):
+    return "Goodbye " + name
--- a/src/old.py
+++ /dev/null
@@ ... @@
-print("old")
```

- Each file has a section, which begins with its path from the root of the project: behind "--- a/"
  as it is now, behind "+++ b/" as it will be.
- A section may have any number of hunks, from the top of the file to its end. Begin each with
  "@@ ... @@": the lines themselves tell where it belongs, so there is nothing to count.
- In a hunk, the first character of each line counts: "-" before a line that goes, "+" before one
  that comes, a space before one that stays. The line itself follows, with its own indentation.
  To delete lines, give them a "-" and put nothing in their place.
- Around what changes, show about three lines that stay, above and below. Lines that are only added
  need them most: nothing else says where they belong.
- A new file comes from /dev/null, and all its lines have a "+".
- A file to be deleted becomes /dev/null, and all its lines, without exception, have a "-".
"""

_PRACTICES = """\
What makes a change land where you mean it:

- Copy what is already in the file character by character, in whole lines: indentation, blank lines,
  quotes and comments included. Never write it from memory; ask for a file that you have not seen.
- Show as many lines as it takes for the place to be the only one of its kind in the file, and not
  many more. A lone closing bracket or "return None" can be anywhere.
- Keep to one purpose at a time: two changes that do not need each other are two blocks or hunks.
- Files and blocks are changed in the order in which you write them, each block as those before it
  have left the file. The hunks of one patch or diff are all about the file as it is before them.
- Write everything out. Three dots, or a remark that the rest stays the same, end up in the file or
  match nothing.
- If you are told that some of it failed, send only that again, corrected. What has landed is in the
  file: do not send it a second time.
"""

PROMPTS = {"blocks": _BLOCKS, "v4a": _V4A, "unified": _UNIFIED}
"""How to write each format; what holds for all of them is printed behind it."""
