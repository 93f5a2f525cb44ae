"""The calibration curve: how often rows came true beside what their probabilities said."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.curves.bin_limits import wilson_limits
from heldout.curves.curve import Axis, Band, Curve, absent_band, empty_curve
from heldout.curves.points import NO_ROWS, prevalence_of
from heldout.intervals.interval import checked_level
from heldout.measures.calibration_bins import value_of_bins
from heldout.measures.choices import chosen
from heldout.tally.hull import hull

if TYPE_CHECKING:
    from heldout.curves.bin_limits import BinRows
    from heldout.measures.calibration_bins import Bins
    from heldout.tally.scores import ScoreCounts

__all__ = ["calibration"]

FORECAST = Axis("forecast", "Predicted probability (mean of the bin)")
SCORE = Axis("forecast", "Predicted probability")
OBSERVED = Axis("observed", "Observed share of positives")
TITLE = "Calibration curve"
NOT_PROBABILITIES = "the scores are not probabilities: some lie outside 0 to 1"


def calibration(
    counts: ScoreCounts,
    *,
    bins: int = 10,
    strategy: str = "width",
    level: float = 0.95,
    rows: BinRows | None = None,
) -> Curve:
    """The share of positives against the predicted probability, in rising probability.

    Parameters
    ----------
    bins, strategy
        Bins of equal ``width`` or of equal ``mass`` (weight of rows), open below and closed
        above; those without rows are left out. ``isotonic``: no bins, but the rising step
        function nearest to the truth (CORP), by which the probabilities could be corrected.
    level
        Of the Wilson interval of each bin's share (``low`` and ``high`` in the table).
    rows
        The rows themselves, where they carry weights, come in groups or are judged in several
        repeats: the interval is on as many rows as they are worth.

    Notes
    -----
    Dimitriadis, Gneiting & Jordan (2021), PNAS 118:e2016191118. The isotonic curve follows
    from the ROC hull: along an edge of it the calibrated probability is constant.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth = np.array([False, True, True, True])
    >>> curve = calibration(ScoreCounts.of(truth, np.array([0.2, 0.4, 0.8, 0.8])), bins=2)
    >>> curve.x, curve.y
    (array([0.3, 0.8]), array([0.5, 1. ]))
    >>> curve = calibration(
    ...     ScoreCounts.of(truth, np.array([0.2, 0.4, 0.8, 0.8])), strategy="isotonic"
    ... )
    >>> curve.x, curve.y
    (array([0.2, 0.4, 0.8]), array([0., 1., 1.]))
    """
    way = chosen("strategy", strategy, "width", "mass", "isotonic")
    if bins < 1 or bins != int(bins):
        raise InputError(f"bins={bins!r}: a whole number from 1 on is needed")
    level = checked_level(level)
    x_axis = SCORE if way == "isotonic" else FORECAST
    same: dict[str, Any] = {"rows": counts.rows, "prevalence": prevalence_of(counts)}
    if not counts.total or not counts.is_probability:
        reason = NOT_PROBABILITIES if counts.total else NO_ROWS
        return empty_curve("calibration", TITLE, x_axis, OBSERVED, reason, **same)
    if way == "isotonic":
        return _isotonic(counts, same)
    # a function of the bins may give the bins themselves
    made: Bins = value_of_bins(counts, lambda part: part, bins=bins, strategy=way)[0]  # type: ignore[arg-type,return-value,assignment]
    weight, positives = made.weight[::-1], made.positives[::-1]
    x, y = made.forecast[::-1], np.minimum(positives / weight, 1.0)
    method, remark = "Wilson", ""
    if rows is None:
        low, high = wilson_limits(positives, weight, level)
    else:
        low, high, method, remark = rows.limits(counts, made.weight, level)
        low, high = low[::-1], high[::-1]
    columns = {"rows": weight, "positives": positives, "low": low, "high": high}
    band = Band(x, low, high, level, "pointwise", method, remark)
    if np.isnan(low).all():
        band = absent_band(remark, level=level, kind="pointwise", method=method)
    kind = "mass" if way == "mass" else "width"
    return Curve(
        "calibration",
        TITLE,
        x,
        y,
        np.full(len(x), nan),
        x_axis,
        OBSERVED,
        columns=columns,
        band=band,
        note=f"{len(x)} of {bins} bins of equal {kind}",
        **same,
    )


def _isotonic(counts: ScoreCounts, same: dict[str, Any]) -> Curve:
    """Each edge of the ROC hull as a block of scores of one calibrated probability."""
    found = hull(counts)
    tp, fp = np.diff(found.tp), np.diff(found.fp)
    observed = tp / (tp + fp)
    first, last = found.position[:-1] + 1, found.position[1:]
    # from the lowest block up, each from its lowest score to its highest
    x = counts.score[np.column_stack([last, first])[::-1].ravel()]
    y = np.repeat(observed[::-1], 2)
    rows = np.repeat((tp + fp)[::-1], 2)
    kept = np.append(True, (np.diff(x) > 0) | (np.diff(y) > 0))  # a block of one score is a point
    return Curve(
        "calibration",
        "Calibration curve (isotonic)",
        x[kept],
        y[kept],
        np.full(int(kept.sum()), nan),
        SCORE,
        OBSERVED,
        columns={"rows": rows[kept]},
        note=f"isotonic, {len(observed):,} blocks",
        **same,
    )
