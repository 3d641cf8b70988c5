"""How Sphinx builds the documentation: `make docs`."""

import re
from pathlib import Path

_SOURCE = (Path(__file__).parents[1] / "src" / "suture" / "__init__.py").read_text("utf-8")
(_VERSION,) = re.findall(r'^__version__ = "(.+)"$', _SOURCE, re.MULTILINE)

project = "suture"
author = "The suture authors"
project_copyright = author
release = version = _VERSION

extensions = ["myst_parser"]
exclude_patterns = ["_build", "spec"]  # the specification is cited by code and tests, not written for readers
nitpicky = True
myst_heading_anchors = 4  # the anchors are those of GitHub, where the pages are read, too
suppress_warnings = ["misc.highlighting_failure"]  # an output that is cut is no JSON any more
smartquotes = False  # a quote that is copied must be one

html_theme = "furo"
html_title = f"suture {release}"
html_copy_source = False
html_show_sourcelink = False
