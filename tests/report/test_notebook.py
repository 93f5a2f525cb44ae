"""Results in a notebook: one HTML form each, text where text is asked for, charts as pictures."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest

pytest.importorskip("ipykernel")
nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

#: a cell, and what its output holds
CELLS = {
    "import heldout, numpy as np": None,
    "rng = np.random.default_rng(0)\ny = rng.integers(0, 2, 60)\n"
    "card = heldout.score(y, y_score=np.clip(0.4 * y + rng.uniform(size=60) * 0.6, 0, 1))": None,
    "ev = heldout.evaluate('lda,nb', data='iris', procedure='3-fold', store=False)": None,
    "comparison = heldout.compare(ev)": None,
    "sel = heldout.select('knn', 'n_neighbors=1..3', data='iris', procedure='3-fold',"
    " store=False)": None,
    "print(str(card)[:10] == f'{card}'[:10], len(str(card)) > 500, len(str(sel)) > 500)": "True "
    * 3,
    "card": "text/html",
    "ev": "text/html",
    "sel": "text/html",
    "comparison": "text/html",
    "heldout.audit(data='iris', target='species')": "text/html",
    "ev.table": "text/html",
    "ev.folds": "text/html",
    "ev.predictions": "text/html",
    "card.confusion()": "text/html",
    "card['auc']": "text/html",
    "comparison.differences[0]": "text/html",
    "card.curve('roc')": "text/html",
    "card.plot('roc')": "image/png",
    "sel.plot('parameter')": "image/png",
    "card.plot('roc');": None,
    "ev.plot('all', model='lda')": "text/html",
    "%matplotlib inline": None,
    "card.plot('pr')": "image/png",
    "figure = card.plot('pr')": None,
}


@pytest.fixture(scope="module")
def outputs() -> dict[str, list[Any]]:
    cells = [nbformat.v4.new_code_cell(code) for code in CELLS]
    book = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3").execute()
    return {cell.source: cell.outputs for cell in book.cells}


@pytest.mark.parametrize(("code", "kind"), CELLS.items())
def test_cell_shows_its_result_once(
    outputs: dict[str, list[Any]], code: str, kind: str | None
) -> None:
    found = outputs[code]
    if kind is None:
        assert found == []
    elif "/" not in kind:
        assert found[0]["text"].split() == kind.split()
    else:
        (only,) = found
        assert only["output_type"] == "execute_result"
        # what is shown as HTML is there as Markdown too, for readers that show no HTML
        assert set(only["data"]) - {"text/markdown"} == {"text/plain", kind}
        assert ("text/markdown" in only["data"]) == (kind == "text/html" and "plot" not in code)
        assert len(only["data"]["text/plain"]) < 20_000
        if kind == "text/html" and "plot" not in code:
            assert len(only["data"][kind]) < 60_000


def test_a_long_table_says_how_many_rows_are_not_shown(outputs: dict[str, list[Any]]) -> None:
    (table,) = outputs["ev.table"]
    assert "rows)" in table["data"]["text/plain"].splitlines()[-1]
    reader = Shown()
    reader.feed(table["data"]["text/html"])
    assert " more rows" in reader.text
    assert reader.rows == 21


class Shown(HTMLParser):
    """What a browser shows, and how many rows its tables have."""

    rows, text = 0, ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.rows += tag == "tr"

    def handle_data(self, data: str) -> None:
        self.text += data
