"""Regular expressions: parse them, translate them for an engine, search, and fill in replacements."""
