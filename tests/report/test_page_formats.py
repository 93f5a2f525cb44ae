"""Markdown, LaTeX and HTML: every label comes out as itself and not as markup."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

import heldout
from heldout.core.shown import visible
from heldout.report.latex import latex_text
from heldout.report.markdown import markdown_text
from heldout.report.page.notebook import html_text
from heldout.report.table import Column, Document, Table, Text
from heldout.report.terminal import terminal_text
from tests.report.cards import card

TAGS = {
    "div",
    "p",
    "span",
    "strong",
    "small",
    "table",
    "caption",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
}
NASTY = r"a|b_c%d&e$f#g{h}i~j^k\l<m>n*o`p[q]"


def page(label: str) -> Document:
    columns = (Column("class"), Column("value ↑", "decimal"))
    rows = ((label, "-0.5"), ("b", "1"))
    return (Text(label), Table(label, columns, rows, sections={1: label}, notes=(label,)))


def test_markdown_is_a_pipe_table() -> None:
    grid = Table("Title", (Column("class"), Column("x", "decimal")), (("a|b", "1"), ("c", "2")))
    assert (
        markdown_text((Text("line", "strong"), grid))
        == """\
**line**

**Title**

| class | x |
| --- | ---: |
| a\\|b | 1 |
| c | 2 |
"""
    )


def test_markdown_escapes_all_that_is_special() -> None:
    made = markdown_text(page(NASTY))
    for special in "|_*`[]<>#{}&~$":
        assert not re.search(rf"[a-z](?<!\\){re.escape(special)}[a-z]", made)


@given(st.text())
def test_markdown_row_has_as_many_cells_as_the_head(label: str) -> None:
    lines = markdown_text((Table("", (Column("a"), Column("b")), ((label, "1"),)),)).splitlines()
    assert len(lines) == 3
    assert {len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in lines} == {3}


def test_latex_is_in_the_style_of_booktabs() -> None:
    made = latex_text(page("a_b & 50%"))
    assert made.splitlines()[0].startswith("% needs \\usepackage{booktabs}")
    body = made[made.index("\\begin{tabular}") : made.index("\\end{tabular}")]
    assert body == (
        "\\begin{tabular}{lr}\n\\toprule\nclass & value $\\uparrow$ \\\\\n\\midrule\n"
        "a\\_b \\& 50\\% & $-0.5$ \\\\\n\\midrule\n"
        "\\multicolumn{2}{l}{\\emph{a\\_b \\& 50\\%}} \\\\\nb & 1 \\\\\n\\bottomrule\n"
    )
    assert "\\caption{a\\_b \\& 50\\%}" in made


def test_latex_escapes_all_that_is_special() -> None:
    made = latex_text((Text(NASTY),)).split("\\noindent ")[1]
    for special in "_%&$#":
        assert not re.search(rf"(?<!\\){re.escape(special)}", made)
    assert "\\textbackslash{}" in made
    assert "\\{h\\}" in made


def test_latex_cell_that_starts_with_a_bracket_is_no_option() -> None:
    made = latex_text((Table("", (Column("a"),), (("x",), ("[1]",), ("*",))),))
    assert "{[1]} \\\\" in made
    assert "{*} \\\\" in made


@pytest.mark.parametrize(("rows", "kind"), [(40, "tabular"), (41, "longtable")])
def test_latex_table_of_many_rows_runs_over_pages(rows: int, kind: str) -> None:
    made = latex_text((Table("t", (Column("a"),), (("x",),) * rows),))
    assert made.count(f"\\begin{{{kind}}}") == made.count(f"\\end{{{kind}}}") == 1
    assert made.count("\\begin{") == made.count("\\end{")


@pytest.mark.parametrize("write", [markdown_text, latex_text, html_text, terminal_text])
@pytest.mark.parametrize(
    "hidden", ["\x1b[31m", "\u202e", "\u200b", "\x08", "\u3164", "\0", "\ufeff"]
)
def test_every_format_shows_what_is_invisible(
    write: Callable[[Document], str], hidden: str
) -> None:
    made = write(page(f"a{hidden}b"))
    assert hidden[0] not in made
    assert len({write(page(f"a{code}b")) for code in (hidden, "", "\u2060")}) == 3


class Reader(HTMLParser):
    """Collects what a browser would show, and the tags it would obey."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.shown.append(data)


@pytest.mark.parametrize("label", ["<script>alert(1)</script>", "a&amp;b", '"><img src=x>', NASTY])
def test_html_shows_labels_and_obeys_none(label: str) -> None:
    reader = Reader()
    reader.feed(html_text(page(label)))
    reader.close()
    assert reader.shown.count(label) == 5
    assert reader.tags <= TAGS


def test_scorecard_in_a_notebook_is_html() -> None:
    made = card([0, 1, 1, 0], [0, 1, 0, 0], ("<b>", "yes"))
    assert "<b>" not in made._repr_html_()
    assert "&lt;b&gt;" in made._repr_html_()
    assert "Confusion matrix" in repr(made)


@pytest.mark.parametrize("label", ["null", "\0", "\ud800", "\u202e"])
def test_any_label_has_an_html_form(label: str) -> None:
    made = heldout.score([label, "a", "b"] * 4, [label, "b", "b"] * 4, labels=[label, "a", "b"])
    made._repr_html_().encode()
    assert repr(made).isprintable() or visible(repr(made), keep="\n") == repr(made)


def test_latex_prose_stands_in_a_box_that_fits_the_page() -> None:
    columns = (Column("a"), Column("how", excess="wrap"))
    assert r"{lp{0.4\textwidth}}" in latex_text((Table("", columns, (("x", "word " * 20),)),))
    assert "{ll}" in latex_text((Table("", columns, (("x", "a word"),)),))
