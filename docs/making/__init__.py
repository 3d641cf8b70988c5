"""The pages of docs/reference that are made from the code: tools, commands, settings and errors.

`python -m docs.making` writes them; `tests/contract/test_reference.py` compares what is written with `pages()`.
"""

from pathlib import Path

from docs.making import commands, errors, settings, tools

FOLDER = Path(__file__).parents[1] / "reference"
MADE = "<!-- Made by docs/making from the code. Change the code, then run `make reference`. -->"


def pages() -> dict[str, str]:
    """The pages by the names of their files."""
    made = {"tools.md": tools, "commands.md": commands, "settings.md": settings, "errors.md": errors}
    return {name: "\n".join([MADE, "", *about.page()]).rstrip("\n") + "\n" for name, about in made.items()}
