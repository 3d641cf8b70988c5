"""The settings of a command: the defaults, then the operator's file, then the options.

    [settings]                    # suture/suture.toml in the user's configuration folder
    call_ms = 120_000
    protect = ["deploy/**"]

An option overrides the file: `--set NAME=VALUE` sets any setting, and some have their own option. A file in the
workspace, where an agent can write it, is not used (docs/adr/0019), and a project's `suture.toml` cannot have
`[settings]`.
"""

from __future__ import annotations

import os
from contextlib import suppress

from suture.cli.output import clean, note
from suture.origins import is_outside
from suture.settings import Settings, check_name, check_value, operator_file, parse_value, read_operator_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence
    from typing import Any

    from suture.cli import QuickOptions


def parse_setting(text: str) -> tuple[str, object]:
    """The name and the value in NAME=VALUE; ValueError says what is wrong with them."""
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"expected NAME=VALUE, such as call_ms=120000, got {text!r}")
    name = name.strip().replace("-", "_")
    check_name(name)
    return name, parse_value(name, value)


def settings_of(options: argparse.Namespace | QuickOptions) -> Settings:
    """The settings of a command; ValueError says what is wrong with them."""
    from_options = _from_options(options)
    for name, value in from_options.items():
        check_value(name, value)
    config, roots = from_options.get("config"), [options.location.root, *from_options.get("extra_roots", ())]
    from_file = settings_in_file(operator_file(config), roots, named=config is not None)
    settings = Settings(**{**from_file, **from_options})
    if file_ms := getattr(options, "timeout", None):  # the other limits must not end the search before this one
        call_ms = max(file_ms, settings.regex_call_ms)
        settings = settings.evolve(regex_call_ms=call_ms, call_ms=file_ms + settings.call_ms)
    return settings


def _from_options(options: argparse.Namespace | QuickOptions) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    for name, value in options.set or ():
        settings[name] = (*settings.get(name, ()), *value) if isinstance(value, tuple) else value
    for option, name in options.by_option.items():
        value = getattr(options, option)
        if value is not None and value is not False:
            settings[name] = tuple(value) if isinstance(value, list) else value
    return settings


def settings_in_file(file: str, roots: Sequence[str], *, named: bool) -> dict[str, Any]:
    """The `[settings]` of the operator's file; empty if there is no such file, unless an option `named` it."""
    if not file or not (named or os.path.lexists(file)):
        return {}
    if not is_outside(file, roots):  # before it is opened: it might be a pipe
        _note_unused(file)
        return {}
    try:
        raw = read_operator_file(file)
    except (OSError, ValueError) as error:
        raise ValueError(f"{file} cannot be read: {error}") from None
    if b"settings" not in raw:
        return {}
    settings = _parse_file(file, raw)
    if not is_outside(file, settings.get("extra_roots", ())):
        _note_unused(file)
        return {}
    return settings


def _parse_file(file: str, raw: bytes) -> dict[str, Any]:
    import tomllib  # most files have no settings

    try:
        table: Mapping[str, Any] = tomllib.loads(raw.decode("utf-8-sig")).get("settings", {})
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file} is not TOML: {error}") from None
    if not isinstance(table, dict):
        raise ValueError(f"{file}: settings must be a table")  # noqa: TRY004  callers report a ValueError
    try:
        return {name: _check_setting(name, value) for name, value in table.items()}
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def _check_setting(name: str, value: object) -> object:
    check_name(name)
    if name == "config":
        raise ValueError("config names this file, and cannot be set in it")
    check_value(name, value)
    if name == "extra_roots" and isinstance(value, list) and not all(map(os.path.isabs, value)):
        raise ValueError("extra_roots must be absolute paths")
    return _freeze(value)


def _freeze(value: object) -> object:
    return tuple(map(_freeze, value)) if isinstance(value, list) else value


def _note_unused(file: str) -> None:
    """Print a note that a file's settings are not used, if it has any."""
    content = b""
    with suppress(OSError, ValueError):
        content = read_operator_file(file)
    if b"settings" in content:
        note(f"note: {clean(file)} is in the workspace, where an agent can change it: its settings are not used")
