"""JSON without importing `re`.

The standard `json` package is a thin layer over the C module `_json`, but importing it imports `re`, which takes as
long as starting Python (docs/adr/0002). These functions call the C module directly, as the package does, and leave
everything unusual, errors included, to the package.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_SPACE = " \t\n\r"
_ORJSON_SIZE = 200_000  # characters of a text above which orjson saves more time than the 40 ms that loading it takes


class _Plain:
    """The decoder attributes that the C scanner reads, with default values."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int = float, int
    memo: dict[str, str] = {}  # noqa: RUF012  the scanner's own

    @staticmethod
    def parse_constant(name: str) -> float:
        return float(name.replace("Infinity", "inf"))


def loads(text: str) -> object:
    """As `json.loads`."""
    stripped = text.strip(_SPACE)
    try:
        from _json import make_scanner

        value, end = make_scanner(_Plain)(stripped, 0)  # type: ignore[arg-type]  # any object with these attributes
        if end == len(stripped):
            return value
    except Exception:  # noqa: BLE001, S110  the package says what is wrong, in its own words
        pass
    import json

    return json.loads(text)


def dumps(value: object, default: Callable[[Any], object] | None = None) -> str:
    """As `json.dumps`; `default` replaces values that JSON does not have."""
    try:
        from _json import encode_basestring_ascii, make_encoder

        sort_keys = skip_keys = False
        allow_nan, indent = True, None
        encode = make_encoder(
            {}, default or _refuse, encode_basestring_ascii, indent, ": ", ", ", sort_keys, skip_keys, allow_nan
        )
        return "".join(encode(value, 0))
    except Exception:  # noqa: BLE001  `_json` is private, and may change in any way
        import json

        return json.dumps(value, default=default)


def loads_own(text: str) -> Any:
    """The value of JSON that suture wrote; uses orjson for long texts."""
    if len(text) > _ORJSON_SIZE:
        from orjson import JSONDecodeError
        from orjson import loads as quickly

        try:
            return quickly(text)
        except JSONDecodeError:  # a lone surrogate, which a file name may contain
            return loads(text)
    return loads(text)


def quoted(text: str) -> str:
    """A string as JSON: characters as they are, unless one of them is a lone surrogate, as in some file names."""
    from _json import encode_basestring, encode_basestring_ascii

    try:
        text.encode()
    except UnicodeEncodeError:
        return encode_basestring_ascii(text)
    return encode_basestring(text)


def quoter() -> Callable[[str], str]:
    """The C function that quotes a string without lone surrogates; faster than `quoted` for many strings."""
    from _json import encode_basestring

    return encode_basestring


def _refuse(value: object) -> object:
    raise TypeError(value)
