"""How Sphinx makes a site of these pages: `make site`. Nothing is loaded from other hosts."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

import heldout

project = "heldout"
author = "The heldout developers"
version = release = heldout.__version__
html_title = f"heldout {release}"

extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
source_suffix = {".md": "markdown"}
# two dashes begin an option, and stay two dashes
smartquotes_action = "qe"
# blocks without a language are terminals, and their text is no code
highlight_language = "none"

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "footer_start": [],
    "footer_end": [],
}
html_sidebars = {"index": [], "coming_from": [], "gallery": []}
html_show_copyright = False
#: docutils puts a subscript under an accent rather than beside it, unless something stands between
ACCENT = re.compile(r"(\\(?:bar|hat|tilde) ?\w)(?=_)")


def mathml(self: Any, node: nodes.math | nodes.math_block) -> None:
    """A formula in the browser's own language, so that no script has to be loaded."""
    is_block = isinstance(node, nodes.math_block)
    self.body.append(tex2mathml(ACCENT.sub(r"\1{}", node.astext()), as_block=is_block))
    raise nodes.SkipNode


CHAPTERS = """
```{toctree}
:hidden:
:glob:

[1-9]*
```
"""


def add_chapters(_: Any, name: str, source: list[str]) -> None:
    """The chapters of the course below its first page, which is read as plain Markdown, too."""
    if name == "course/README":
        source[0] += CHAPTERS


def setup(app: Any) -> dict[str, bool]:
    """Formulas are written as MathML, and the course has its chapters."""
    app.connect("source-read", add_chapters)
    for node in (nodes.math, nodes.math_block):
        app.add_node(node, override=True, html=(mathml, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
