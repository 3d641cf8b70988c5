r"""Search in many files: `regex_search_multi` against ripgrep, grep and a plain loop, on trees that anyone can fetch.

`trees` fetches three pinned packages and hides some files in them, `queries` has the patterns, `peers` are the
other programs, and `compare` requires the same matches from all before `run` measures anything.

All search the same files: hidden files and those that a `.gitignore` lists are left out, and so are, by extension,
files that contain a NUL, for which each program has its own rule (ripgrep stops at the NUL, suture looks at the first
8,192 bytes). Whatever ripgrep would read beyond the tree (global excludes, a parent's `.gitignore`, `.ignore`) is off.

Here `\w` means `[0-9A-Za-z_]`; the others get that class, because their own `\w` may be Unicode's.
"""
