"""Checks of a file's new content before it is written: the protocol, the built-in checks, and what an edit broke."""
