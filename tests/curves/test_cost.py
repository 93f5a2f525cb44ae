"""The cost curve is the lowest of all lines; measures over thresholds are those of the counts."""

from __future__ import annotations

from math import inf, isnan

import numpy as np
import pytest
from hypothesis import given

from heldout.core.errors import InputError
from heldout.curves.cuts import measure_by_threshold
from heldout.curves.hull import cost, cost_line, probability_cost, trapezoids
from heldout.curves.ranking import roc
from heldout.measures.registry import Measure, measures
from heldout.measures.spec import Request
from heldout.tally.confusion import Binary, Confusion
from heldout.tally.scores import ScoreCounts
from tests.measures.scored_rows import Rows, scored_rows

OF_COUNTS = [m for m in measures("binary") if m.needs in ((Binary,), (Confusion,))]
SOME = ScoreCounts.of(
    np.array([1, 1, 0, 1, 0, 1, 0, 0, 1, 0], bool),
    np.array([9.0, 8, 8, 7, 6, 5, 5, 4, 3, 3]),
)


@given(rows=scored_rows())
def test_cost_curve_is_the_lowest_line_of_all_thresholds(rows: Rows) -> None:
    curve, line = cost(rows.counts), roc(rows.counts)
    where = np.linspace(0, 1, 41)
    every = (1 - line.y)[:, None] * where + line.x[:, None] * (1 - where)
    np.testing.assert_allclose(curve.at(where), every.min(axis=0), rtol=0, atol=1e-12)
    assert (curve.x[0], curve.x[-1]) == (0, 1)
    assert (np.diff(curve.x) > 0).all()
    assert (curve.y <= np.minimum(curve.x, 1 - curve.x) + 1e-12).all()
    assert curve.area == pytest.approx(trapezoids(curve.x, curve.y))


@given(rows=scored_rows())
def test_named_threshold_is_best_up_to_the_next_point(rows: Rows) -> None:
    curve, line = cost(rows.counts), roc(rows.counts)
    for i, middle in enumerate((curve.x[:-1] + curve.x[1:]) / 2):
        at = int(np.flatnonzero(line.threshold == curve.threshold[i])[0])
        own = (1 - line.y[at]) * middle + line.x[at] * (1 - middle)
        assert own == pytest.approx(curve.at(middle), abs=1e-12)


def test_cost_line_and_place_by_hand() -> None:
    line = cost_line(Binary(tp=3, fp=1, fn=1, tn=3))
    assert line.y.tolist() == [0.25, 0.25]
    assert line.area == 0.25
    assert cost_line(Binary(tp=3, fp=0, fn=1, tn=0)).is_empty
    assert cost(ScoreCounts()).is_empty
    assert probability_cost(0.2) == 0.2
    assert probability_cost(0.2, false_negative=4) == 0.5
    for wrong in ((1.2, 1, 1), (0.5, -1, 1), (0.0, 1, 0)):
        with pytest.raises(InputError, match="cost"):
            probability_cost(*wrong)


@pytest.mark.parametrize("measure", OF_COUNTS, ids=lambda m: m.name)
def test_measure_at_each_threshold_is_that_of_its_counts(measure: Measure) -> None:
    request = Request(measure)
    if "matrix" in request.values:
        request = request.with_parameter("matrix", ((1.0, -2.0), (-5.0, 3.0)))
    curve = measure_by_threshold(SOME, request)
    assert curve.x[0] == inf
    assert len(curve) == 1 + len(SOME.score)
    tp, fp = curve.columns["tp"].tolist(), curve.columns["fp"].tolist()
    for i, (a, b) in enumerate(zip(tp, fp, strict=True)):
        tally = (
            Binary(a, b, 5 - a, 5 - b)
            if measure.needs == (Binary,)
            else Confusion.from_matrix([[5 - b, b], [5 - a, a]], positive=1)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = float(measure(tally, **request.values))
        assert curve.y[i] == pytest.approx(expected, nan_ok=True), (measure.name, i)


def test_value_holds_from_a_threshold_up_to_the_next() -> None:
    curve = measure_by_threshold(SOME, "recall")
    for threshold, expected in ((9.5, 0.0), (9, 0.2), (8.5, 0.2), (8, 0.4), (3, 1.0), (-1, 1.0)):
        assert curve.at(threshold) == pytest.approx(expected)
    assert isnan(curve.at(np.nan))


def test_profit_knows_which_class_is_positive() -> None:
    matrix = ((10.0, -1.0), (-3.0, 2.0))  # rows: truth
    second = Request(next(m for m in OF_COUNTS if m.name == "profit"))
    second = second.with_parameter("matrix", matrix)
    # all rows called positive: five right, five wrong
    assert measure_by_threshold(SOME, second).y[-1] == 5 * 2 + 5 * -1
    assert measure_by_threshold(SOME, second, positive=0).y[-1] == 5 * 10 + 5 * -3


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("auc", "takes a measure of confusion counts"),
        ("precision_macro", "takes a measure of confusion counts"),
        ("profit", "needs a profit or cost matrix"),
        ("recal", "did you mean recall"),
    ],
)
def test_measure_that_counts_do_not_give_is_refused(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        measure_by_threshold(SOME, name)
