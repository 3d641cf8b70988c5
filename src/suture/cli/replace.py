"""`suture replace`: replace what a regular expression matches, after showing the diff."""

from __future__ import annotations

from suture.cli.amounts import several
from suture.cli.matching import ask
from suture.cli.notes import on_replacement, on_validation, way_back
from suture.cli.output import note, print_text
from suture.cli.terminal import clean, colored_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse


def replace(options: argparse.Namespace) -> int:
    """Print what would be replaced; with --write, replace it and say how to have it back."""
    chosen = {} if options.validate is None else {"validate": options.validate}
    result = ask(
        options,
        "replace",
        paths=options.paths,
        replacement=options.replacement,
        dry_run=not options.write,
        max_replacements=options.max_replacements,
        allow_over_match=options.allow_over_match,
        exclude=options.exclude,
        include_ignored=options.include_ignored,
        encoding=options.encoding,
        view="rows" if options.json else "diff",
        **chosen,
    )
    for line in on_replacement(options.replacement):
        note(line)
    if isinstance(result, int):
        return result
    if not result.rows:
        note("No matches: nothing to replace.")
        return 1
    data = result.metadata
    done = f"{several(len(result.rows), 'replacement')} in {several(len(data['files']), 'file')}"
    if not data["files"]:
        head = f"Nothing changes: {several(len(result.rows), 'match')}, each the same as its replacement."
    elif options.write:
        head = f"Made {done} as change {data['change_id']}."
    else:
        head = f"Would make {done}."
    diff = data["diff"].removesuffix("\n")
    print_text("\n".join([head, *(["", *colored_diff(diff)] if diff else [])]))
    for line in on_validation(data):
        note(clean(line))
    if not data["files"]:
        return 0
    note(way_back(options, data) if options.write else "Nothing is changed yet: add --write to make the change.")
    return 0
