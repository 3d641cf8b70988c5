"""The pages of docs/reference that are generated from the code: tools, commands, settings and errors.

`python -m docs.making` writes them; `tests/contract/test_reference.py` compares the files with `page(name)`.
"""

from pathlib import Path

from docs.making import commands, errors, settings, tools

FOLDER = Path(__file__).parents[1] / "reference"
HEADER = "<!-- Generated from the code by docs/making. Change the code, then run `make reference`. -->"
PAGES = {"tools.md": tools, "commands.md": commands, "settings.md": settings, "errors.md": errors}
"""The module that generates each page, by file name."""


def page(name: str) -> str:
    """The text of a page. Raises ValueError if the code lacks a needed description."""
    return "\n".join([HEADER, "", *PAGES[name].page()]).rstrip("\n") + "\n"
