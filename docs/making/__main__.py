"""Write the pages: `python -m docs.making`, from the root of the repository."""

from docs.making import FOLDER, pages

for name, page in pages().items():
    (FOLDER / name).write_text(page, "utf-8")
