"""Files that are found by their name alone."""

import pytest

from suture import Workspace
from suture.testing import MemoryFS


@pytest.mark.parametrize("length", [0, 40, 120])
def test_any_number_of_names_is_found_however_long_they_are(length: int) -> None:
    names = [f"{'x' * length}{number}" for number in range(1_200)]
    fs = MemoryFS({f"folder/{name}": b"" for name in names[::100]})
    with Workspace(fs.root, fs=fs)._engine.session() as session:
        assert sorted(session.same_named(names)) == sorted(f"folder/{name}" for name in names[::100])
        assert session.same_named([]) == []
