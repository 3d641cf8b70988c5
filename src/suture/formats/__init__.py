"""Parsers of what models write to change files. They yield what could be meant, and never look at a file."""
