"""The tool `file_edit`, the specification's categories 2 and 3: occurrences, and edits in sequence."""

from typing import Any

import pytest

from tests.unit.file_edits import edit, edited

# Line numbers are those of the original


@pytest.mark.parametrize("size", [2, 30, 1000])
@pytest.mark.promise("edit.at-once")
def test_many_edits_give_the_same_as_one_after_the_other(size: int) -> None:
    before = "".join(f"<{number}>\n" for number in range(size))
    edits: list[dict[str, Any]] = [edit(f"<{number}>", f"<{number + 1}>") for number in reversed(range(size))]
    assert edited(before.encode(), *edits) == "".join(f"<{number + 1}>\n" for number in range(size)).encode()
