r"""The arguments of `safe_edit` as pydantic models, for programs that build their requests with them.

    Workspace(".").call("safe_edit", SafeEditInput(path="a.py", content="x = 1\n").model_dump())

suture itself checks arguments without pydantic, which takes eight times as long to import as Python to start
(docs/adr/0002); a test holds both to the same judgment. Needs the extra `models`.
"""

from __future__ import annotations

from typing import Literal, Self

try:
    from pydantic import BaseModel, ConfigDict, Field, model_validator
except ModuleNotFoundError as error:
    message = "pydantic is not installed: pip install 'suture[models]'"
    raise ModuleNotFoundError(message, name=error.name) from error

from suture.tools.safe import MODES, NO_MODE, TWO_MODES, backwards


class LineEdit(BaseModel):
    """Single line-based edit operation."""

    model_config = ConfigDict(extra="forbid")

    start_line: int = Field(ge=1, description="1-based line number to start edit (inclusive)")
    end_line: int = Field(ge=1, description="1-based line number to end edit (inclusive)")
    new_content: str = Field(description="New content for line range (include newlines if multi-line)")
    expected_text: str | None = Field(
        default=None, description="What the lines hold now; if they do not, nothing is changed"
    )

    @model_validator(mode="after")
    def validate_range(self) -> Self:
        """Ensure end_line >= start_line."""
        if self.end_line < self.start_line:
            raise ValueError(backwards(self.start_line, self.end_line))
        return self


class SearchReplace(BaseModel):
    """Search and replace operation with regex support."""

    model_config = ConfigDict(extra="forbid")

    search: str = Field(description="Pattern to search for (literal string or regex)")
    replace: str = Field(description="Replacement text (supports \\1, \\2, etc. for regex capture groups)")
    regex: bool = Field(default=False, description="Treat search pattern as regular expression")
    count: int | None = Field(
        default=None, ge=0, description="Maximum number of replacements (None = replace all occurrences)"
    )
    flags: int = Field(
        default=0, description="Regex flags (e.g., re.IGNORECASE, re.MULTILINE). Only used if regex=True."
    )


class SafeEditInput(BaseModel):
    """Input for `safe_edit` with multiple edit modes."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True, serialize_by_alias=True)

    path: str = Field(description="Absolute path to the file")
    mode: Literal["strict", "interactive", "verify_only"] = Field(
        default="strict",
        description="Validation mode: strict (reject on error), interactive (warn), verify_only (no write)",
    )
    show_diff: bool = Field(default=True, description="Show unified diff preview in output")
    content: str | None = Field(default=None, description="Full file content (replaces entire file)")
    line_edits: list[LineEdit] | None = Field(default=None, description="List of line-based edits to apply")
    search_replace: SearchReplace | None = Field(default=None, description="Search and replace operation")
    encoding: str | None = Field(default=None, description="Encoding of a file that is neither marked nor UTF-8")
    expect_hash: str | None = Field(default=None, description="Hash the file must have, as an earlier result gave it")
    validate_errors: Literal["new", "all"] = Field(
        default="new", alias="validate", description="Which errors reject: those that the edit brings, or any"
    )
    literal: bool = Field(default=False, description="Write lines such as '# ... existing code ...' as they are")

    @model_validator(mode="after")
    def validate_edit_mode(self) -> Self:
        """Ensure exactly one edit mode is specified."""
        chosen = [name for name in MODES if getattr(self, name) is not None]
        if len(chosen) != 1:
            raise ValueError(TWO_MODES if chosen else NO_MODE)
        return self
