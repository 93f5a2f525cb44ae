"""Charts of a regression show every row, the line of no error, and the bias."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import heldout
from heldout.core.errors import InputError

RNG = np.random.default_rng(1)


def card(rows: int = 50) -> heldout.Scorecard:
    truth = RNG.normal(size=rows) * 10
    return heldout.score(truth, truth + RNG.normal(size=rows) + 2)


def test_every_row_is_a_point_where_rows_are_few() -> None:
    figure = card().plot("predicted")
    (points,) = figure.axes[0].collections
    assert len(points.get_offsets()) == 50
    assert figure.axes[0].get_xlim() == figure.axes[0].get_ylim()


def test_many_rows_are_counted_and_none_is_lost() -> None:
    figure = card(5000).plot("residuals")
    (cells,) = figure.axes[0].collections
    assert int(cells.get_array().sum()) == 5000


def test_mean_residual_is_drawn_and_named() -> None:
    made = card()
    figure = made.plot("residuals")
    bias = made["bias"].value
    heights = [line.get_ydata()[0] for line in figure.axes[0].lines]
    assert any(abs(height + bias) < 1e-12 for height in heights)
    texts = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert any(text.startswith("mean residual") for text in texts)


def test_all_charts_of_a_regression_are_files(tmp_path: Path) -> None:
    made = card().plot("all", path=tmp_path / "charts")
    assert sorted(made) == ["errors", "predicted", "residuals"]
    assert sorted(p.name for p in (tmp_path / "charts").iterdir()) == [
        "errors.png",
        "predicted.png",
        "residuals.png",
    ]


@pytest.mark.parametrize(("column", "label"), [("truth", "True value"), ("price", "True price")])
def test_axes_name_what_was_predicted_where_the_column_does(column: str, label: str) -> None:
    rows = {column: [1.0, 2.5, 4.0], "predicted": [1.5, 2.0, 3.5]}
    chart = heldout.score(rows, truth=column).plot("predicted", as_data=True)
    assert chart.panels[0].x.label == label


def test_charts_of_the_other_kind_of_problem_are_refused() -> None:
    with pytest.raises(InputError, match="no chart 'roc'"):
        card().plot("roc")
    with pytest.raises(InputError, match="is for regression"):
        heldout.score([1, 0, 1, 0], y_score=[0.9, 0.2, 0.6, 0.4]).plot("residuals")


def test_errors_are_counted_by_size() -> None:
    rng = np.random.default_rng(4)
    truth = rng.normal(size=500)
    residual = rng.exponential(size=500)
    chart = heldout.score(truth, truth - residual).plot("errors", as_data=True)
    (bars,) = (mark for mark in chart.panels[0].marks if hasattr(mark, "heights"))
    assert bars.heights.sum() == 500
    assert bars.edges[[0, -1]] == pytest.approx([residual.min(), residual.max()])
    assert bars.heights[0] == np.count_nonzero(residual < bars.edges[1])
