"""Frozen value classes.

`Record` is like `dataclasses.dataclass(frozen=True)`, but faster to import: `dataclasses` takes
18 ms, and every class 0.5 ms more, on an interpreter that starts in 12 ms (docs/adr/0002). Type
checkers see a frozen dataclass.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self
    from typing import dataclass_transform as dataclass_transform  # noqa: PLC0414  an explicit re-export
else:

    def dataclass_transform(**_: object) -> object:
        """Replace typing.dataclass_transform, which only type checkers need."""
        return lambda cls: cls


def field_docstrings(kind: type) -> dict[str, str]:
    """The docstrings below the fields of a class, each as one line, from its source; none without the source."""
    import ast  # only help and the documentation need them
    import inspect
    from itertools import pairwise
    from textwrap import dedent

    try:
        (declared,) = ast.parse(dedent(inspect.getsource(kind))).body
    except OSError:
        return {}
    docstrings = {}
    for field, after in pairwise(declared.body if isinstance(declared, ast.ClassDef) else ()):
        match field, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                docstrings[name] = " ".join(text.split())
    return docstrings


@dataclass_transform(frozen_default=True)
class Record:
    """An immutable value with named fields, compared by content."""

    _fields: tuple[str, ...] = ()
    _defaults: dict[str, Any] = {}  # noqa: RUF012  every class gets its own

    def __init_subclass__(cls) -> None:
        names = (*cls._fields, *(name for name in cls.__annotations__ if not name.startswith("_")))
        cls._fields = tuple(dict.fromkeys(names))
        cls._defaults = {name: getattr(cls, name) for name in cls._fields if hasattr(cls, name)}
        cls.__match_args__ = cls._fields  # type: ignore[attr-defined, misc]  # type checkers generate their own

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        fields, values = self._fields, self.__dict__
        number, most = len(args), len(fields)
        if number < most:
            values.update(self._defaults)
        values.update(zip(fields, args))  # noqa: B905  `strict` takes 50 % longer, and there may be fewer values
        if kwargs:
            values.update(kwargs)
        if not len(values) == most >= number or (kwargs and not kwargs.keys() <= {*fields[number:]}):
            missing = [name for name in fields if name not in values]
            called = f"called with {number} positional and {sorted(kwargs)}, without {missing}"
            message = f"{type(self).__name__}{fields} {called}"
            raise TypeError(message)

    def evolve(self, **changes: Any) -> Self:
        """A copy with some fields changed."""
        if not changes.keys() <= self.__dict__.keys():
            return type(self)(**self.__dict__, **changes)  # raises the right error
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy.__dict__.update(changes)
        return copy

    def __setattr__(self, name: str, value: object) -> None:
        message = f"{type(self).__name__}.{name} cannot be changed"
        raise AttributeError(message)

    def __delattr__(self, name: str) -> None:
        self.__setattr__(name, None)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.__dict__ == self.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *(self.__dict__[name] for name in self._fields)))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={self.__dict__[name]!r}" for name in self._fields)
        return f"{type(self).__name__}({fields})"
