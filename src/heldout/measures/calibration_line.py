"""Calibration by a logistic line: its slope, its intercept, and the shift in the large."""

from __future__ import annotations

from functools import partial
from math import nan
from typing import Any

from heldout.measures.calibration_fit import (
    best_line,
    best_shift,
    line_influence,
    obstacle,
    separation,
    within,
)
from heldout.measures.calibration_together import fit_lines, fit_shifts
from heldout.measures.kinds import Fit
from heldout.measures.registry import measure
from heldout.tally.scores import ScoreCounts

__all__ = [
    "NO_LINE",
    "calibration_in_the_large",
    "calibration_intercept",
    "calibration_slope",
    "no_line",
    "no_shift",
]

COX = "Cox (1958), Biometrika 45:562"
NO_LINE = (
    "all rows are of one class, all probabilities are the same, one is exactly 0 or 1,"
    " or they separate the classes"
)


def clipped_note(clip: float) -> str:
    """What an explicit clip did."""
    return f"probabilities are kept within {clip:g} and 1 - {clip:g}" if clip else ""


def no_line(scores: ScoreCounts, *, clip: float = 0.0, **_: Any) -> str:
    """Why no line could be fitted, or what a clip did."""
    inside = within(scores, clip)
    reason = obstacle(inside) or (separation(inside) if best_line(inside) is None else "")
    return f"undefined: {reason}" if reason else clipped_note(clip)


def no_shift(scores: ScoreCounts, *, clip: float = 0.0, **_: Any) -> str:
    """Why no intercept could be fitted, or what a clip did."""
    reason = obstacle(within(scores, clip))
    return f"undefined: {reason}" if reason else clipped_note(clip)


@measure(
    kind=Fit(partial(line_influence, "slope"), fit_lines),
    title="Calibration slope",
    aliases=("cal_slope", "recalibration_slope"),
    direction="target",
    best=1,
    formula=r"b: \operatorname{logit} P(y) = a + b \operatorname{logit} p",
    undefined=NO_LINE,
    reference=COX,
    note=no_line,
    headline=("binary",),
    needs_probability=True,
    averaged=False,
    symmetric=True,
    needs_classes=(0, 1),
)
def calibration_slope(scores: ScoreCounts, *, clip: float = 0.0) -> float:
    """Slope of truth on the logit of its probability: below 1 is too extreme.

    Fitted by maximum likelihood together with the calibration intercept. ``clip`` keeps
    probabilities within it and 1 - clip, where 0 and 1 would make the logit infinite.

    Examples
    --------
    >>> import numpy as np
    >>> truth = np.array([1, 0, 0, 0, 1, 1, 1, 0]) == 1  # 1 of 4 at 0.1, 3 of 4 at 0.9
    >>> scores = ScoreCounts.of(truth, np.repeat([0.1, 0.9], 4))
    >>> calibration_slope(scores)  # the logit of 3/4 over that of 0.9: log 3 / log 9
    0.5
    """
    line = best_line(within(scores, clip))
    return nan if line is None else line.slope


@measure(
    kind=Fit(partial(line_influence, "intercept"), fit_lines),
    title="Calibration intercept",
    aliases=("cal_intercept", "recalibration_intercept", "calibration_intercept_joint"),
    direction="target",
    best=0,
    formula=r"a: \operatorname{logit} P(y) = a + b \operatorname{logit} p",
    undefined=NO_LINE,
    reference=COX,
    note=no_line,
    needs_probability=True,
    averaged=False,
    needs_classes=(0, 1),
)
def calibration_intercept(scores: ScoreCounts, *, clip: float = 0.0) -> float:
    """Intercept of truth on the logit of its probability, beside the slope.

    Some authors give this name to the intercept with the slope fixed at 1: that is
    ``calibration_in_the_large``.

    Examples
    --------
    >>> import numpy as np
    >>> truth = np.array([1, 0, 0, 0, 1, 1, 1, 0]) == 1
    >>> round(calibration_intercept(ScoreCounts.of(truth, np.repeat([0.1, 0.9], 4))), 9) + 0.0
    0.0
    """
    line = best_line(within(scores, clip))
    return nan if line is None else line.intercept


@measure(
    kind=Fit(partial(line_influence, "shift"), fit_shifts),
    title="Calibration in the large",
    aliases=("citl", "mean_calibration_intercept", "calibration_intercept_slope_fixed"),
    direction="target",
    best=0,
    formula=r"a: \operatorname{logit} P(y) = a + \operatorname{logit} p",
    undefined="all rows are of one class, or a probability is exactly 0 or 1",
    reference=COX,
    note=no_shift,
    headline=("binary",),
    needs_probability=True,
    averaged=False,
    needs_classes=(0, 1),
)
def calibration_in_the_large(scores: ScoreCounts, *, clip: float = 0.0) -> float:
    """Shift of all logits to expect as many positives as there are: above 0, too few.

    Examples
    --------
    >>> import numpy as np
    >>> truth = np.array([True, True, True, False])  # 3 of 4 at 0.5: log 3
    >>> calibration_in_the_large(ScoreCounts.of(truth, np.full(4, 0.5)))
    1.098612
    """
    line = best_shift(within(scores, clip))
    return nan if line is None else line.intercept
