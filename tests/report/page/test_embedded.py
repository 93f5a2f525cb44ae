"""The chart of a result in a notebook: its own colours, whatever the page around it has."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

import heldout
from heldout.assess.scorecard import Scorecard
from heldout.auditing.audit import Audit
from heldout.comparison.comparison import Comparison
from heldout.comparison.over_sets.sets_comparison import ResultsComparison
from heldout.core import shown
from heldout.curves.columns import ShownTable
from heldout.curves.curve import Curve
from heldout.evaluation.evaluation import Evaluation
from heldout.selection.selection import Selection
from heldout.tally.confusion import Confusion
from tests.report.page.pages import opened

if TYPE_CHECKING:
    from pathlib import Path

#: the style of a page that knows nothing of heldout, and shouts
FOREIGN = "<style>svg text{fill:red} ul{font-size:90px} p{color:red}</style>"
DARK = {
    "jupyter": '<body data-jp-theme-light="false">',
    "code": '<body class="vscode-dark">',
}
LIGHT = {"jupyter": '<body data-jp-theme-light="true">', "code": '<body class="vscode-light">'}


@pytest.mark.parametrize("notebook", ["jupyter", "code"])
@pytest.mark.parametrize("is_dark", [True, False])
def test_chart_follows_the_notebook_and_not_the_system(
    tmp_path: Path, browser: Any, notebook: str, is_dark: bool
) -> None:
    card = heldout.score(["a", "b", "a", "b"] * 9, y_score=[0.1, 0.8, 0.6, 0.4] * 9, pos_label="b")
    body = (DARK if is_dark else LIGHT)[notebook]
    target = tmp_path / "notebook.html"
    html = card._repr_mimebundle_()["text/html"]
    target.write_text(f"<!doctype html><meta charset=utf-8>{FOREIGN}{body}{html}<p>beside</p>")
    # the system says the opposite
    with opened(browser, target, color_scheme="light" if is_dark else "dark") as page:
        style = "(part, name) => getComputedStyle(part)[name]"
        chart = page.locator(".heldout-chart")
        ground = chart.evaluate(style, "backgroundColor")
        assert ground == ("rgb(22, 23, 26)" if is_dark else "rgb(255, 255, 255)")
        ink = chart.locator("svg text").first.evaluate(style, "fill")
        assert ink == ("rgb(208, 208, 212)" if is_dark else "rgb(51, 51, 51)")
        assert float(chart.locator("ul").first.evaluate(style, "fontSize").rstrip("px")) < 20
        # and the page around it keeps its own
        assert page.locator("p").last.evaluate(style, "color") == "rgb(255, 0, 0)"


#: every kind of result that shows itself; what shows it is named by text in ``core/shown``
KINDS = (
    Audit,
    Comparison,
    Confusion,
    Curve,
    Evaluation,
    ResultsComparison,
    Scorecard,
    Selection,
    ShownTable,
)


def test_every_kind_of_result_is_shown_by_what_there_is() -> None:
    names = {kind.__name__ for kind in KINDS}
    assert set(shown.PAGES) == names
    for places in (shown.PAGES, shown.CHARTS, shown.FILES):
        assert set(places) <= names
        for place in places.values():
            module, _, name = place.rpartition(".")
            assert hasattr(import_module(f"heldout.report.{module}"), name), place
