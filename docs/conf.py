"""How is the site built? `make docs`; nothing is fetched while it is built or read."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from steelyard import __version__  # noqa: E402
from tools import site_pages  # noqa: E402

site_pages.write(ROOT / "docs")

project, author, release, version = "Steelyard", "The Steelyard developers", __version__, __version__
project_copyright = "The Steelyard developers"
extensions = ["myst_nb", "sphinx.ext.autodoc"]
source_suffix = {".md": "myst-nb", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "_generated/*.rst", "_generated/*.md"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
suppress_warnings = ["mystnb.unknown_mime_type"]
autodoc_typehints = "none"
autodoc_member_order = "bysource"
html_theme = "pydata_sphinx_theme"
html_title = "Steelyard"
html_theme_options = {
    "show_prev_next": False,
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "navbar_persistent": ["search-button"],
}
html_show_sourcelink = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["_generated/report.html"]
default_role = "code"


def as_written(app: object, what: str, name: str, it: object, options: object, lines: list[str]) -> None:
    """Docstrings are plain words: outside `code` a star begins no emphasis, and an underscore ends no link."""
    for place, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            parts = line.split("`")
            parts[::2] = [re.sub(r"(\*|_(?!\w))", r"\\\1", part) for part in parts[::2]]
            lines[place] = "`".join(parts)


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", as_written)
