"""The chart of a result in a notebook: SVG with a style of its own, and no script."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.report.page.frame import resource
from heldout.report.page.svg import chart_figures

if TYPE_CHECKING:
    from heldout.report.plots.book import Book

#: what a page of a browser takes for a dark reader; a notebook has a setting of its own, which
#: Jupyter and VS Code tell by an attribute and a class
BROWSER = "@media (prefers-color-scheme:dark){:root"
NOTEBOOKS = "@media all{[data-jp-theme-light=false] &,.vscode-dark &"
CLASS = "heldout-chart"
GROUND = "background:var(--paper);color:var(--ink);padding:.5rem;width:fit-content"
#: captions and legends, which a notebook styles in ways of its own
WORDS = "figcaption,.legend,p{font:13px/1.4 system-ui,sans-serif;color:var(--grey)}"


def chart_html(result: Any, book: Book | None, beside: str) -> str:
    """The first of the charts that a result has; empty where it has none.

    Its style holds within it only, and it has a ground of its own, so that it can be read on any.
    A notebook holds many charts, so its parts are named by the HTML that it stands ``beside``.
    """
    if book is None:
        return ""
    try:
        _, name, options = next(iter(book.every(result, {})))
        chart = book.plot(result, name, as_data=True, **options)
    except (InputError, StopIteration):
        return ""
    figures = chart_figures(chart, f"heldout-{sha256(beside.encode()).hexdigest()[:10]}")
    style = resource("chart.css").replace(BROWSER, NOTEBOOKS).replace(":root", "&")
    return f'<style>.{CLASS}{{{GROUND};{WORDS}{style}}}</style><div class="{CLASS}">{figures}</div>'
