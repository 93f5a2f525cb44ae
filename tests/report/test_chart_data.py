"""Charts are data before they are drawn: all of them, without matplotlib."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

import heldout
from heldout.report.plots.chart import Band, Line
from heldout.report.plots.pair_charts import forest_chart
from heldout.report.plots.plot import curve_chart

CODE = """
import sys
import numpy as np
import heldout
from heldout.report.plots.curve_kinds import KINDS
from heldout.report.plots.pair_charts import forest_chart, paired_roc_chart
from heldout.report.plots.plot import curve_chart, lack_of
from heldout.report.plots.posterior import posterior_chart
from heldout.report.plots.comparison import ranks_chart
from heldout.report.plots.regression import regression_chart

rng = np.random.default_rng(1)
truth = np.arange(80) % 2
card = heldout.score(truth, y_score=rng.random(80) / 2 + truth / 3, folds=np.arange(80) // 2 % 4)
charts = [curve_chart(card, name, {}) for name in KINDS if not lack_of(card, name)]
value = rng.normal(size=40)
charts.append(regression_chart(heldout.score(value, value + rng.normal(size=40)), "residuals"))
two = [heldout.from_arrays(truth, y_score=rng.random(80), model=name) for name in "ab"]
pair = heldout.compare(*two, measures=["auc"], rope=0.02)
charts += [forest_chart(pair), paired_roc_chart(pair), posterior_chart(pair)]
values = {name: rng.random(9).tolist() for name in "abc"}
sets = heldout.compare_results({"set": list(range(9)), **values}, datasets="set", rope=0.01)
charts += [ranks_chart(sets), posterior_chart(sets)]
assert len(charts) > 14, len(charts)
assert all(panel.marks for chart in charts for panel in chart.panels)
assert "matplotlib" not in sys.modules
"""


def test_every_chart_is_made_without_matplotlib() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_chart_holds_points_bands_names_and_axes() -> None:
    card = heldout.score([1, 0, 1], y_score=[0.9, 0.6, 0.4])
    chart = curve_chart(card, "roc", {"band": "pointwise", "replicates": 50})
    (panel,) = chart.panels
    line = next(mark for mark in panel.marks if isinstance(mark, Line))
    np.testing.assert_array_equal(line.x, [0, 0, 1, 1])
    np.testing.assert_array_equal(line.y, [0, 0.5, 0.5, 1])
    assert any(isinstance(mark, Band) for mark in panel.marks)
    assert panel.x.label.startswith("False positive rate")
    assert (panel.x.low, panel.x.high) == (0, 1)
    assert any(entry.mark is line and "AUC" in entry.text for entry in panel.legend)


def test_rows_of_a_forest_are_those_of_the_comparison() -> None:
    rng = np.random.default_rng(1)
    truth = np.arange(60) % 2
    models = [heldout.from_arrays(truth, y_score=rng.random(60), model=name) for name in "abc"]
    comparison = heldout.compare(*models, measures=["auc"])
    (panel,) = forest_chart(comparison).panels
    values = [mark.x[0] for mark in panel.marks if isinstance(mark, Line) and mark.marker == "s"]
    assert values == [d.value for d in comparison.differences]
    assert panel.y.labels == tuple(f"{d.first} - {d.second}" for d in comparison.differences)
