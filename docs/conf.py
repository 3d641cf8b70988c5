"""Sphinx configuration for `make docs`."""

import re
from pathlib import Path

_SOURCE = (Path(__file__).parents[1] / "src" / "suture" / "__init__.py").read_text("utf-8")
(_VERSION,) = re.findall(r'^__version__ = "(.+)"$', _SOURCE, re.MULTILINE)

project = "suture"
author = "The suture authors"
project_copyright = author
release = version = _VERSION

extensions = ["myst_parser"]
exclude_patterns = ["_build", "spec"]  # for code and tests to cite, not for readers
nitpicky = True
myst_heading_anchors = 4  # as on GitHub, where the pages are read too
suppress_warnings = ["misc.highlighting_failure"]  # truncated outputs are not valid JSON
smartquotes = False  # quotes must stay copyable

html_theme = "furo"
html_title = f"suture {release}"
html_copy_source = False
html_show_sourcelink = False
