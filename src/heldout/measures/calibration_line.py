"""Calibration slope and intercept, of one tally or of many fitted in the same passes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.memo import is_kept, keep
from heldout.measures.calibration_fit import (
    BEST_LINE,
    BEST_SHIFT,
    FEW,
    Pass,
    best_line,
    best_shift,
    climb,
    line_influence,
    logit,
    obstacle,
    separation,
    terms_of,
    within,
)
from heldout.measures.kinds import Fit
from heldout.measures.registry import measure
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.core.arrays import Array, Floats, Integers


#: steps after which a tally is left to be fitted alone
TOGETHER = 30
#: scores that are handled at once
BLOCK = 500_000


def fit_lines(tallies: Sequence[ScoreCounts], *, clip: float = 0.0) -> None:
    """Fit the best line to each tally, where its measures find it remembered.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth = np.array([1, 0, 0, 0, 1, 1, 1, 0]) == 1
    >>> some = [ScoreCounts.of(truth, np.repeat([p, 1 - p], 4)) for p in (0.1, 0.2)]
    >>> fit_lines(some)
    >>> [round(line.slope, 9) for line in map(best_line, some)]
    [0.5, 0.792481250]
    """
    _fit([within(tally, clip) for tally in tallies], free=2)


def fit_shifts(tallies: Sequence[ScoreCounts], *, clip: float = 0.0) -> None:
    """Fit the best shift to each tally, where its measures find it remembered."""
    _fit([within(tally, clip) for tally in tallies], free=1)


def _fit(tallies: Sequence[ScoreCounts], *, free: int) -> None:
    name, alone = (BEST_LINE, best_line) if free == 2 else (BEST_SHIFT, best_shift)
    todo = [
        tally
        for tally in tallies
        if len(tally.score) <= FEW
        and not is_kept(tally, name)
        and not obstacle(tally)
        and not (free == 2 and separation(tally))
    ]
    # samples that are compared are alike, so that the line of one is close to that of the next
    first = alone(todo[0]) if len(todo) > 1 else None
    if first is None:
        return
    per_block = max(BLOCK // max(len(tally.score) for tally in todo), 1)
    for start in range(1, len(todo), per_block):
        some = todo[start : start + per_block]
        rows = _Rows.of(some)
        slopes = np.full_like(rows.centre, first.slope)
        lines = np.stack([first.intercept + slopes * rows.centre, slopes])
        top = climb(rows.at, lines, free, most=TOGETHER)
        for tally, line in zip(some, top.lines(rows.centre), strict=True):
            if line is not None:
                keep(tally, name, line)


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The scores of several tallies one after the other, as logits around each one's centre."""

    starts: Integers
    lengths: Integers
    x: Floats
    positives: Array
    negatives: Array
    centre: Floats

    @classmethod
    def of(cls, tallies: Sequence[ScoreCounts]) -> _Rows:
        ends = np.cumsum([0, *(len(tally.score) for tally in tallies)])
        starts, lengths = ends[:-1], np.diff(ends)
        x = logit(np.concatenate([tally.score for tally in tallies]))
        positives, negatives = (
            np.concatenate([getattr(tally, side) for tally in tallies])
            for side in ("positives", "negatives")
        )
        weight = positives + negatives
        centre = np.add.reduceat(weight * x, starts) / np.add.reduceat(weight, starts)
        x -= np.repeat(centre, lengths)
        return cls(starts, lengths, x, positives, negatives, centre)

    def at(self, line: Floats) -> Pass:
        """One pass over all scores, as ``pass_of`` makes one over those of a tally."""
        intercept, slope = (np.repeat(part, self.lengths) for part in line)
        eta = slope * self.x + intercept
        rest, level, lost, small = terms_of(eta, self.positives, self.negatives)
        lost += (self.positives + self.negatives) * np.log1p(small)
        around = level * self.x
        terms = (rest, rest * self.x, level, around, around * self.x, -lost)
        return Pass(*(np.add.reduceat(term, self.starts) for term in terms))


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
    """Shift of all logits at which expected positives match observed ones; above 0: too few.

    Examples
    --------
    >>> import numpy as np
    >>> truth = np.array([True, True, True, False])  # 3 of 4 at 0.5: log 3
    >>> calibration_in_the_large(ScoreCounts.of(truth, np.full(4, 0.5)))
    1.098612
    """
    line = best_shift(within(scores, clip))
    return nan if line is None else line.intercept
