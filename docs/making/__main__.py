"""Write the pages: `python -m docs.making`, from the root of the repository."""

from docs.making import FOLDER, PAGES, page

for name in PAGES:
    try:
        (FOLDER / name).write_text(page(name), "utf-8")
    except ValueError as error:
        raise SystemExit(f"docs/reference/{name}: {error}") from error
