"""What an error is."""

from __future__ import annotations

from suture.records import dataclass_transform

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Further = tuple[int, "SutureError", bool]
    """The index of a part, its error, and whether that was looked into."""


@dataclass_transform(kw_only_default=True)
class SutureError(Exception):
    """An edit or a read that did not happen, and why. Nothing was changed."""

    code = "INTERNAL"
    retryable = False
    standing: str | None = None
    """The hash of the file that it is about, where somebody has read it; not one of the fields."""
    further: Sequence[Further] = ()
    """The other parts of the call that fail, after this first one; not one of the fields either."""
    unexamined: int = 0
    """How many parts were not looked at any more, because it would have taken too long."""
    _fields: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        cls._fields = tuple(cls.__annotations__)

    def __init__(self, **fields: Any) -> None:
        unknown = fields.keys() - set(self._fields)
        missing = [name for name in self._fields if name not in fields and not hasattr(self, name)]
        if unknown or missing:
            wrong = f"{type(self).__name__}: unknown {sorted(unknown)}, missing {missing}"
            raise TypeError(wrong)
        self.__dict__.update(fields)
        super().__init__(self.code, self.fields())

    def fields(self) -> dict[str, Any]:
        """The typed fields, as they appear in `metadata.error`."""
        return {name: getattr(self, name) for name in self._fields}

    def __reduce__(self) -> tuple[Any, ...]:
        """Survive a process boundary: exceptions are remade from positional arguments otherwise."""
        return _remade, (type(self), self.fields())

    def __str__(self) -> str:
        return " ".join([self.code, *(f"{name}={value!r}" for name, value in self.fields().items())])


def _remade(kind: type[SutureError], fields: dict[str, Any]) -> SutureError:
    return kind(**fields)


class InternalError(SutureError):
    """A defect in suture. The traceback is in the log."""

    code = "INTERNAL"
    exception: str
