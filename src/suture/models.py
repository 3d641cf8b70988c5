r"""The arguments of the tools as pydantic models, for programs that build or describe their requests with them.

    Workspace(".").call("safe_edit", SafeEditInput(path="a.py", content="x = 1\n"))
    arguments_model("patch").model_json_schema()

They are generated from the tools' declarations, and the tool itself checks the values: a model accepts what the
tool accepts, and reports the tool's error messages. suture does not use pydantic itself: it takes eight times as long
to import as Python to start (docs/adr/0002). Needs the extra `models`.
"""

from __future__ import annotations

from functools import cache
from inspect import get_annotations
from typing import TYPE_CHECKING, Any, ClassVar, Self

try:
    from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model, model_validator
    from pydantic_core import InitErrorDetails, PydanticCustomError
except ModuleNotFoundError as error:
    message = "pydantic is not installed: pip install 'suture[models]'"
    raise ModuleNotFoundError(message, name=error.name) from error

from suture.errors import InvalidArguments
from suture.tools import find, safe

if TYPE_CHECKING:
    from suture.tools.spec import Argument, Request

_FIELD_NAMES = {"validate": "validate_errors"}
"""Fields that need another name than their argument, which is their alias: pydantic uses the name itself."""


class Arguments(BaseModel):
    """The base class of all models."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True, serialize_by_alias=True, validate_default=True)

    declared: ClassVar[type[Request]]
    """The declarations that a model is generated from."""

    @model_validator(mode="after")
    def check(self) -> Self:
        """Refuse what the tool would refuse."""
        try:
            self.declared.parse(self.model_dump())
        except InvalidArguments as error:
            raise self._invalid(error) from None
        return self

    def _invalid(self, error: InvalidArguments) -> ValidationError:
        """The same problems, each at the field that it is about."""
        values, details = self.model_dump(), list[InitErrorDetails]()
        for problem in error.problems:
            kind = PydanticCustomError("invalid_argument", "{problem}", {"problem": problem["problem"]})
            location = _location(problem["argument"])
            details.append({"type": kind, "loc": location, "input": values.get(str(location[0]))})
        return ValidationError.from_exception_data(type(self).__name__, details)

    @classmethod
    def __get_pydantic_json_schema__(cls, _: object, __: object) -> dict[str, Any]:
        """The schema that models and servers get."""
        return cls.declared.schema()


def arguments_model(tool: str) -> type[Arguments]:
    """The pydantic model of a tool's arguments."""
    declared: Any = find(tool).request
    return _model(declared)


def _location(argument: str) -> tuple[str | int, ...]:
    """The path of an argument such as `edits[0].old_text`."""
    parts = argument.replace("[", ".").replace("]", "").split(".")
    return tuple(int(part) if part.isdecimal() else part for part in parts)


@cache
def _model(declared: Any, name: str = "") -> type[Arguments]:
    arguments: dict[str, Argument] = declared.arguments()
    parts = {part.__name__: _model(part) for argument in arguments.values() if (part := argument.bounds.get("model"))}
    types = get_annotations(declared, locals=parts, eval_str=True)
    fields: dict[str, Any] = {
        _FIELD_NAMES.get(key, key): (types[key], Field(... if argument.required else argument.default, alias=key))
        for key, argument in arguments.items()
    }
    model = create_model(
        name or declared.__name__, __base__=Arguments, __module__=__name__, __doc__=declared.__doc__, **fields
    )
    model.declared = declared
    return model


if TYPE_CHECKING:  # type checkers know the fields from the declarations

    class LineEdit(safe.LineEdit, Arguments):  # type: ignore[misc]  # never made: see below
        """One range of lines."""

    class SearchReplace(safe.SearchReplace, Arguments):  # type: ignore[misc]  # as above
        """A text to replace, and its replacement."""

    class SafeEditInput(safe.SafeEdit, Arguments):  # type: ignore[misc]  # as above
        """The arguments of `safe_edit`."""

else:
    LineEdit = _model(safe.LineEdit)
    SearchReplace = _model(safe.SearchReplace)
    SafeEditInput = _model(safe.SafeEdit, "SafeEditInput")
