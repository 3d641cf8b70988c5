"""Regular expressions as data: read, translated for an engine, searched for, and their replacements filled in."""
