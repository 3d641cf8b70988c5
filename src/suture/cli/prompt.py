"""`suture prompt`: instructions that tell a model how to write a reply that can be applied."""

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
them to the files; anything you write between them is for people.

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
  More blocks for the same file may follow it, like the second one.
- Each marker is on its own line and begins in the first column.
- SEARCH contains lines that are in the file now, REPLACE the lines that replace them. To
  insert, search for a line next to the place and repeat it in REPLACE.
- An empty REPLACE part deletes the lines, as in the second block. NEW_FILE contains the whole of a
  new file. To delete a file, write what the end of the example shows.
"""

_V4A = """\
# How to write changes to files

Write all changes as one patch like the one below. A program finds it in your reply and applies it
to the files; anything you write around it is for people.

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
  A hunk begins with "@@". If similar places exist, follow it with a line from further up in the
  file, such as the first line of the function.
- In a hunk, the first character of each line says what happens to it: "-" for a removed line, "+"
  for an added one, a space for an unchanged one. The line itself follows, with its indentation.
  To delete lines, mark them with "-" and add nothing.
- Show about three unchanged lines above and below each change. Additions need them most: nothing
  else says where they belong.
- A section that adds a file has all its lines, each with a "+"; one that deletes a file is empty.
- To rename a file, write "*** Move to: " and the new path below the line that begins its section.
"""

_UNIFIED = """\
# How to write changes to files

Write all changes as one unified diff like the one below. A program finds it in your reply and
applies it to the files; anything you write around it is for people.

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

- Each file has a section, which begins with its path from the root of the project: the current
  path after "--- a/", the new one after "+++ b/".
- A section may have any number of hunks, from the top of the file to its end. Begin each with
  "@@ ... @@": the lines themselves say where it belongs, so there is nothing to count.
- In a hunk, the first character of each line says what happens to it: "-" for a removed line, "+"
  for an added one, a space for an unchanged one. The line itself follows, with its indentation.
  To delete lines, mark them with "-" and add nothing.
- Show about three unchanged lines above and below each change. Additions need them most: nothing
  else says where they belong.
- For a new file, write /dev/null as the current path, and mark all lines with "+".
- To delete a file, write /dev/null as the new path, and mark every single line with "-".
"""

_PRACTICES = """\
To make each change land in the right place:

- Copy existing text character by character, in whole lines, including indentation, blank lines,
  quotes and comments. Never write it from memory; ask for a file that you have not seen.
- Show enough lines to make the place unique in the file, and not many more. A lone closing bracket
  or "return None" can be anywhere.
- Use one block or hunk per purpose: two independent changes are two blocks or hunks.
- Blocks are applied in the order in which you write them, each to the result of those before it.
  All hunks of one patch or diff refer to the file as it is before that patch or diff.
- Write everything out. Three dots, or a comment that the rest is unchanged, are refused or end up
  in the file.
- If some changes failed, send only those again, corrected. The others are in the file already: do
  not send them again.
"""

PROMPTS = {"blocks": _BLOCKS, "v4a": _V4A, "unified": _UNIFIED}
"""How to write each format; `_PRACTICES` is printed after it."""
