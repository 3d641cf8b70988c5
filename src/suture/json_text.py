"""JSON without the regular expressions.

The standard `json` package is a thin layer over the C module `_json`, but importing it imports `re`, which
takes as long as starting Python does (docs/adr/0002). These functions call the C module directly, as the
package does, and leave everything unusual, errors included, to the package itself.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_SPACE = " \t\n\r"
_MANY = 500
_LONG = 200_000


class _Plain:
    """What the C scanner asks its decoder for: nothing special."""

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
    """As `json.dumps`; `default` gives what stands for a value that JSON has not."""
    try:
        from _json import encode_basestring_ascii

        return _encoded(value, default or _unknown, encode_basestring_ascii, (": ", ", "))
    except Exception:  # noqa: BLE001  see above
        import json

        return json.dumps(value, default=default)


def parsed(text: str) -> Any:
    """What JSON of our own says; by orjson where there is much of it."""
    if len(text) > _LONG:
        from orjson import JSONDecodeError
        from orjson import loads as quickly

        try:
            return quickly(text)
        except JSONDecodeError:  # half a surrogate pair, which a file name may hold
            return loads(text)
    return loads(text)


def quoted(text: str) -> str:
    """A string as `compact` writes it."""
    from _json import encode_basestring

    return encode_basestring(text) if text.isascii() or text.isprintable() else compact(text)


def quoter() -> Callable[[str], str]:
    """What quotes strings that hold no lone surrogates, without a detour: for those who have many."""
    from _json import encode_basestring

    return encode_basestring


def compact(value: object) -> str:
    """JSON without spaces, characters as they are; by orjson where there is much of it, which takes 40 ms to load."""
    if isinstance(value, list) and len(value) > _MANY:
        from orjson import dumps as quickly

        try:
            return quickly(value).decode()
        except TypeError:  # a file name that is no Unicode
            return dumps(value)
    try:
        from _json import encode_basestring

        text = _encoded(value, _unknown, encode_basestring, (":", ","))
        text.encode()
    except Exception:  # noqa: BLE001  see above; or a file name that is no Unicode
        return dumps(value)
    return text


def _encoded(
    value: object, default: Callable[[Any], object], quote: Callable[[str], str], separators: tuple[str, str]
) -> str:
    from _json import make_encoder

    sort_keys = skip_keys = False
    allow_nan = True
    encode = make_encoder({}, default, quote, None, *separators, sort_keys, skip_keys, allow_nan)
    return "".join(encode(value, 0))


def _unknown(value: object) -> object:
    raise TypeError(value)
