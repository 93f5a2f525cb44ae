"""What every curve starts from: counts at and above each score, and how bands are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.core.errors import InputError
from heldout.core.memo import once
from heldout.core.nearest import chosen
from heldout.core.random import checked_draws
from heldout.tally.roc import corners as turns
from heldout.uncertainty.interval import checked_level

if TYPE_CHECKING:
    from heldout.core.arrays import Array, Floats
    from heldout.tally.scores import ScoreCounts

ONE_CLASS = "there is no positive row, or no negative row"
NO_POSITIVE = "there is no positive row"
NO_ROWS = "there are no rows"
NOT_PROBABILITIES = "the scores are not probabilities: some lie outside 0 to 1"


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Rows called positive at each threshold, from none (``above_all``) to all."""

    tp: Array
    fp: Array
    threshold: Floats

    @property
    def columns(self) -> dict[str, Array]:
        """The counts as columns of a curve's table; at the last point every row is positive."""
        fn, tn = self.tp[-1:] - self.tp, self.fp[-1:] - self.fp
        return {"tp": self.tp, "fp": self.fp, "fn": fn, "tn": tn}


#: the points of a curve: all, those at which it turns, or those that a chart can show
Corners = bool | Literal["seen"]
#: with no more distinct scores a chart is made of every point
ALL_SEEN = 100_000
#: steps of an axis, and of a rate as a share of itself: precision then moves by a step at most
STEPS, FACTOR = 4000, 1.001
#: the least share of the rows that has a place of its own
LEAST = 2.0**-23


def points(counts: ScoreCounts, *, corners: Corners = False) -> Points:
    """A point for no row called positive, then one for each distinct score in falling order.

    ``corners`` leaves out, exactly, what lies in the midst of a straight line of the ROC
    curve; ``"seen"`` leaves out what lies closer to other points than a chart can show.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth, score = np.array([True, True, False]), np.array([0.9, 0.8, 0.5])
    >>> points(ScoreCounts.of(truth, score)).threshold
    array([inf, 0.9, 0.8, 0.5])
    >>> points(ScoreCounts.of(truth, score), corners=True).tp
    array([0, 2, 2])
    """
    if corners == "seen":  # every chart of a ranking is made of these
        return once(counts, "seen", lambda own: _points_at(own, _seen(own)))
    return _points_at(counts, turns(counts) if corners else slice(None))


def _points_at(counts: ScoreCounts, where: Any) -> Points:
    return Points(
        origin(counts.tp[where]),
        origin(counts.fp[where]),
        origin(counts.score[where], counts.above_all),
    )


def _seen(counts: ScoreCounts) -> Any:
    """Positions in steps of both rates, of shares of either class from either end, of scores."""
    score = counts.score
    if len(score) <= ALL_SEEN:
        return slice(None)
    near = np.geomspace(LEAST, 1, 1 + int(np.log(1 / LEAST) / np.log(FACTOR)))
    shares = np.concatenate([np.linspace(0, 1, STEPS + 1), near, 1 - near])
    finite = score[np.isfinite(score)]
    levels = np.linspace(finite[-1], finite[0], STEPS + 1) if len(finite) else finite
    positions = [np.searchsorted(-score, -levels), np.array([len(score) - 1])]
    positions += [
        np.searchsorted(side, (shares * side[-1]).astype(side.dtype))
        for side in (counts.tp, counts.fp)
    ]
    is_seen = np.zeros(len(score), bool)
    is_seen[np.minimum(np.concatenate(positions), len(score) - 1)] = True
    return np.flatnonzero(is_seen)


def rows_between(counts: ScoreCounts, edges: Floats) -> tuple[Floats, Floats]:
    """Negatives and positives with scores between rising edges, the last of which is included.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth, score = np.array([True, True, False]), np.array([0.9, 0.5, 0.5])
    >>> rows_between(ScoreCounts.of(truth, score), np.array([0, 0.5, 0.9]))
    (array([0., 1.]), array([0., 2.]))
    """
    score = np.asarray(counts.score, float)
    above = np.searchsorted(-score, -edges, side="right")
    above[-1] = np.searchsorted(-score, -edges[-1], side="left")
    rows = [np.append(0.0, cumulative)[above] for cumulative in (counts.fp, counts.tp)]
    return rows[0][:-1] - rows[0][1:], rows[1][:-1] - rows[1][1:]


def bars_of(values: Array, bars: int, *, weight: Array | None = None) -> tuple[Array, Array]:
    """The edges of bars of equal width from the least value to the largest, and their heights.

    Examples
    --------
    >>> edges, heights = bars_of(np.array([0.0, 1, 1, 4]), 2)
    >>> edges.tolist(), heights.tolist()
    ([0.0, 2.0, 4.0], [3, 1])
    """
    heights, edges = np.histogram(values, bars, weights=weight)
    return edges, heights


def origin(values: Array, first: float = 0) -> Array:
    """The values with that of a threshold above all, at which no row is positive, before."""
    return np.concatenate([np.array([first], values.dtype), values])


KINDS = ("pointwise", "simultaneous")
#: how folds differ, which is no confidence band
SPREAD = "spread"
FEWEST_REPLICATES = 20
REPLICATES = 2000


def drawing_of(
    intervals: Any,
    *,
    band: str | None = None,
    is_of_folds: bool = False,
    level: Any = None,
    replicates: Any = None,
    seed: Any = None,
) -> dict[str, Any]:
    """The options of a band, those not given from a scorecard's (None: it has no intervals).

    Examples
    --------
    >>> drawing_of(None, band="Pointwise", level=0.9)
    {'kind': 'pointwise', 'level': 0.9, 'replicates': 2000, 'seed': 1}
    """
    if level is None:
        level = 0.95 if intervals is None else intervals.level
    if seed is None:
        seed = 1 if intervals is None else intervals.seed
    if replicates is None:
        replicates = getattr(intervals, "replicates", None) or REPLICATES
    if isinstance(level, bool) or not isinstance(level, Real):
        raise InputError(f"a level is a number between 0 and 1 (0.95), not {level!r}")
    kinds = (*KINDS, SPREAD) if is_of_folds else KINDS
    return {
        "kind": KINDS[0] if band is None else chosen("band", band, *kinds),
        "level": checked_level(float(level)),
        "replicates": checked_draws(replicates, "replicates", least=FEWEST_REPLICATES),
        "seed": seed,
    }
