r"""Search over many files: `regex_search_multi` beside ripgrep, grep and a plain loop, on trees that anyone can fetch.

`trees` fetches three pinned packages and hides some files in them, `queries` says what is looked for, `rivals` are the
others' ways to find it, and `compare` holds all answers to the same matches before `run` measures anything.

What everyone sees is the same: hidden files and those that a `.gitignore` names are left out, and by their endings
those that hold a NUL, for which each has a rule of its own (ripgrep stops where it meets one, ours looks at the first
8,192 bytes). What ripgrep would read beyond the tree (global excludes, a parent's `.gitignore`, `.ignore`) is off.

`[0-9A-Za-z_]` is what `\w` means here; the others are given that class, for their own `\w` may be Unicode's.
"""
