"""How results show themselves: text wherever they are printed, one piece of HTML in a notebook."""

from __future__ import annotations

import re
import reprlib
from dataclasses import fields
from importlib import import_module
from math import isnan
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from heldout.report.table import Document

#: characters of a terminal, and of a page in a notebook
WIDTH, PAGE = 80, 120
#: where a reader in Python finds how intervals were made
MORE = "the column method of .table shows how they are computed"
#: lines of text that a repr shows
LINES = 60
#: drawn as nothing though ``isprintable`` holds: fillers, joiners, variation selectors, a blank
BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
INVISIBLE = re.compile(f"[{BLANK}\U000e0100-\U000e01ef]")
#: what joins pictures to one, and what says that a sign is drawn as one
JOINER, AS_PICTURE = "\u200d", "\ufe0f"
PICTURE = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23fa\u24c2\u25aa-\u25fe\u2600-\u27bf"
    "\u2934\u2935\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
    f"[\U0001f3fb-\U0001f3ff]?{AS_PICTURE}?"
)
EMOJI = re.compile(f"{PICTURE}(?:{JOINER}{PICTURE})*|[0-9#*]{AS_PICTURE}\u20e3")

#: what in report/ shows each kind of result: its page, its charts and the text of its files; the
#: stages that make results know nothing of those that show them
PAGES = {
    "Audit": "audit_text.audit_page",
    "Comparison": "comparison.comparison_document",
    "Confusion": "confusion_tables.confusion_page",
    "Curve": "table.curve_page",
    "Evaluation": "evaluation.evaluation_page",
    "ResultsComparison": "comparison.results_document",
    "Scorecard": "scorecard.scorecard_page",
    "Selection": "selection.selection_page",
    "ShownTable": "table.table_page",
}
CHARTS = {
    "Comparison": "plots.comparison.BOOK",
    "ResultsComparison": "plots.comparison.BOOK",
    "Scorecard": "plots.plot.BOOK",
    "Selection": "plots.selection.BOOK",
}
FILES = {"Evaluation": "evaluation.saved_text", "Selection": "selection.saved_text"}


def visible(text: str, *, keep: str = "") -> str:
    r"""The text with control and other invisible characters written as escapes, save ``keep``.

    A label that holds an escape sequence cannot take over the terminal, and two labels
    that differ only in an invisible character look different. What joins several emoji to one
    is part of it.

    Examples
    --------
    >>> print(visible("tab\there \x1b[31m \u202e"), visible("a\nb", keep="\n"))
    tab\there \x1b[31m \u202e a
    b
    """
    if text.isprintable() and (text.isascii() or not INVISIBLE.search(text)):
        return text
    from unicodedata import east_asian_width

    seen = {
        i
        for emoji in EMOJI.finditer(text)
        for i in range(*emoji.span())
        # a wide sign is a picture without being told so
        if text[i] == JOINER or (text[i] == AS_PICTURE and east_asian_width(text[i - 1]) != "W")
    }
    return "".join(
        c
        if c in keep or i in seen or (c.isprintable() and not INVISIBLE.match(c))
        else c.encode("unicode_escape").decode()
        for i, c in enumerate(text)
    )


def first_lines(text: str) -> str:
    """The first lines of a long text, and how many more there are."""
    lines = visible(text, keep="\n").split("\n")
    more = len(lines) - LINES
    return "\n".join([*lines[:LINES], f"... and {more:,} more lines"] if more > 0 else lines)


def p_text(value: float) -> str:
    """A p-value: two digits, and below 0.0001 only that it is below.

    Examples
    --------
    >>> p_text(0.04321), p_text(1e-7), p_text(1.0), p_text(float("nan"))
    ('0.043', '<0.0001', '1', 'none')
    """
    return "none" if isnan(value) else "<0.0001" if value < 1e-4 else f"{min(value, 1):.2g}"


def p_in_words(value: float) -> str:
    """A p-value behind its letter: ``= 0.031``, ``< 0.0001``."""
    return "= none" if isnan(value) else "< 0.0001" if value < 1e-4 else f"= {p_text(value)}"


class Brief:
    """A dataclass that may hold many values: its repr shortens each field."""

    __slots__ = ()

    def __repr__(self) -> str:
        shown = (f for f in fields(self) if f.repr)  # type: ignore[arg-type]
        cells = ", ".join(f"{f.name}={reprlib.repr(getattr(self, f.name))}" for f in shown)
        return visible(f"{type(self).__name__}({cells})")


class Shown:
    """A result that is drawn as a document: text where it is printed, HTML in a notebook.

    A class whose text is a line has its own ``__repr__``, and that line as its document.
    """

    __slots__ = ()

    def _document(self) -> Document:
        from heldout.report.table import Text

        page = _shower(self, PAGES)
        return (Text(repr(self)),) if page is None else page(self)

    def _plot(self, name: Any, **options: Any) -> Any:
        """A chart of the result by its name."""
        book = _shower(self, CHARTS)
        assert book is not None
        return book.plot(self, name, **options)

    def _write(self, path: Path) -> None:
        """The result as a file, whole or not at all, in the format that its ending names."""
        from heldout.report.output import write_whole

        text = _shower(self, FILES)
        assert text is not None
        write_whole(path, text(self, path))

    def __repr__(self) -> str:
        from heldout.report.table import first_pages
        from heldout.report.terminal import terminal_text

        return terminal_text(first_pages(self._document()), width=WIDTH, more=MORE).rstrip("\n")

    def _repr_html_(self) -> str:
        from heldout.report.page.notebook import html_text
        from heldout.report.table import first_pages

        return html_text(first_pages(self._document()), width=PAGE, more=MORE)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """All that a notebook may choose from; HTML has the first chart, where there is any."""
        from heldout.report.markdown import markdown_text
        from heldout.report.page.notebook import chart_html
        from heldout.report.table import first_pages

        html, source = self._repr_html_(), getattr(self, "scorecard", self)
        return {
            "text/plain": repr(self),
            "text/markdown": markdown_text(first_pages(self._document()), width=PAGE, more=MORE),
            "text/html": html + chart_html(source, _shower(source, CHARTS), html),
        }


def _shower(result: Any, places: dict[str, str]) -> Any:
    """What shows a result of its class, or of the nearest class that it is made from."""
    for kind in type(result).__mro__:
        if kind.__name__ in places:
            module, _, name = places[kind.__name__].rpartition(".")
            return getattr(import_module(f"heldout.report.{module}"), name)
    return None
