"""The pages of docs/reference that are made from the code: tools, commands, settings and errors.

`python -m docs.making` writes them; `tests/contract/test_reference.py` compares what is written with `page(name)`.
"""

from pathlib import Path

from docs.making import commands, errors, settings, tools

FOLDER = Path(__file__).parents[1] / "reference"
MADE = "<!-- Made by docs/making from the code. Change the code, then run `make reference`. -->"
PAGES = {"tools.md": tools, "commands.md": commands, "settings.md": settings, "errors.md": errors}
"""The module that makes each page, by the name of the page's file."""


def page(name: str) -> str:
    """The text of a page; ValueError says what the code does not say."""
    return "\n".join([MADE, "", *PAGES[name].page()]).rstrip("\n") + "\n"
