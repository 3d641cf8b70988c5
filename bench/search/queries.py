"""The queries: no match spans lines, because ripgrep and grep never look past the end of a line."""

from __future__ import annotations

from dataclasses import dataclass

WORD = "[0-9A-Za-z_]"


@dataclass(frozen=True)
class Query:
    """A pattern, and a line that it matches. `perl` is for patterns that need ripgrep's second engine."""

    name: str
    pattern: str
    sample: str
    flags: str = "g"
    perl: bool = False

    @property
    def plain(self) -> str:
        r"""The pattern for the other programs, whose `\w` is not ASCII-only."""
        return self.pattern.replace("\\w", WORD)


RARE, COMMON = "rare literal", "common literal"

LARGE = (
    Query(RARE, "async_remove_config_entry_device", "async_remove_config_entry_device"),
    Query(COMMON, "return", "return None"),
    Query("literal, any case", "configentryauthfailed", "ConfigEntryAuthFailed", "gi"),
    Query("captures", r"async def (\w+)\((\w+)", "async def async_step_user(self)"),
    Query("no literal", "[0-9]{5}", "10243"),
    Query("no match", "async_setup_entries_of_nobody", "async_setup_entries_of_nobody"),
    Query("one of three words", "ConfigEntryNotReady|UpdateFailed|HomeAssistantError", "raise UpdateFailed"),
    Query("starts of lines", r"^class (\w+)\((\w+)", "class Entity(ABC):", "gm"),
    Query("look-behind", r"(?<=raise )\w+Error", "raise HomeAssistantError", perl=True),
)
SMALL = (
    Query(RARE, "apply_chunking_to_forward", "apply_chunking_to_forward"),
    Query(COMMON, "return", "return None"),
    Query("literal, any case", "importerror", "ImportError", "gi"),
    Query("captures", r"def (\w+)\(self, (\w+)", "def save(self, using)"),
    Query("no literal", "[0-9]{5}", "10243"),
    Query("no match", "select_unrelated_of_nobody", "select_unrelated_of_nobody"),
    Query("one of three words", "KeyError|TypeError|OSError", "raise TypeError"),
    Query("starts of lines", r"^class (\w+)\((\w+)", "class Entity(ABC):", "gm"),
    Query("look-behind", r"(?<=raise )\w+Error", "raise FieldError", perl=True),
)
FOLDERS = (
    Query(RARE, "select_related", "select_related"),
    Query(COMMON, "return", "return None"),
    Query("literal, any case", "improperlyconfigured", "ImproperlyConfigured", "gi"),
    Query("captures", r"def (\w+)\(self, (\w+)", "def save(self, using)"),
    Query("no literal", "[0-9]{5}", "10243"),
    Query("no match", "select_unrelated_of_nobody", "select_unrelated_of_nobody"),
    Query("one of three words", "ValidationError|FieldError|ObjectDoesNotExist", "raise FieldError"),
    Query("starts of lines", r"^class (\w+)\((\w+)", "class Entity(ABC):", "gm"),
    Query("look-behind", r"(?<=raise )\w+Error", "raise FieldError", perl=True),
)
