"""The public names: sorted, importable, documented."""

import inspect
from types import ModuleType

import pytest

import suture
import suture.testing

MODULES = [suture, suture.testing]


def order(name: str) -> tuple[int, str]:
    """Constants, then classes, then the rest: the order ruff keeps `__all__` in."""
    if name.isupper():
        return 0, name
    return (1, name) if name[0].isupper() else (2, name)


@pytest.mark.promise("project.exports")
@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_all_is_sorted_without_duplicates(module: ModuleType) -> None:
    assert list(module.__all__) == sorted(set(module.__all__), key=order)


@pytest.mark.promise("project.exports")
@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_exported_name_is_there(module: ModuleType) -> None:
    assert [name for name in module.__all__ if not hasattr(module, name)] == []


@pytest.mark.promise("project.exports")
@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_exported_class_and_function_has_a_docstring_of_its_own(module: ModuleType) -> None:
    public = {name: getattr(module, name) for name in module.__all__}
    described = {name: value for name, value in public.items() if inspect.isclass(value) or inspect.isroutine(value)}
    assert [name for name, value in described.items() if not vars(value).get("__doc__", value.__doc__)] == []
