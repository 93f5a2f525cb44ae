"""The calibration curve: how often rows came true beside what their probabilities said."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.nearest import chosen
from heldout.core.random import stream
from heldout.curves.bands import wilson_limits
from heldout.curves.curve import CONSISTENCY, Axis, Band, CurveKind, absent_band
from heldout.curves.points import NO_ROWS, NOT_PROBABILITIES
from heldout.measures.calibration import bins_of, sums_between
from heldout.tally.hull import hull
from heldout.uncertainty.interval import absent, checked_level
from heldout.uncertainty.proportions import (
    ShareParts,
    group_share_interval,
    proportion_interval,
)
from heldout.uncertainty.worth import FEW_GROUPS

if TYPE_CHECKING:
    from heldout.core.arrays import Array, Floats
    from heldout.curves.curve import Curve
    from heldout.curves.sources import RankedRows
    from heldout.tally.scores import ScoreCounts
    from heldout.uncertainty.interval import Interval

#: of those bins that have no interval
FEWEST = 2


@dataclass(frozen=True, slots=True, eq=False)
class BinLimits:
    """Limits of the share of positives in bins of rows.

    Rows in groups, or judged in several repeats, count for as many independent rows as would
    vary as much. Where nothing says which rows of several repeats are the same, each counts
    for its share of a repeat: a row is no more than once in each, so this is never too much.
    """

    rows: RankedRows
    level: float

    def of(self, counts: ScoreCounts, weights: Array) -> tuple[Floats, Floats, str, str]:
        """Limits of the share of positives in bins, the method, and what to know about it.

        ``weights`` are those of the bins, from high to low scores.
        """
        units = self.rows.units
        if units.is_hopeless:
            nothing = np.full(len(weights), nan)
            return nothing, nothing, "", units.reason
        # bins are spans of scores, and their weights say how long
        reached = np.cumsum(weights)[:-1] * (1 - 1e-9)
        last = np.searchsorted(counts.tp + counts.fp, reached)  # of the falling scores
        of_bin = np.searchsorted(-counts.score[last], -self.rows.score, side="left")
        order = np.argsort(of_bin, kind="stable")
        parts = np.split(order, np.searchsorted(of_bin[order], np.arange(1, len(weights))))
        each = [self._interval(rows) for rows in parts]
        low, high = np.array([i.low for i in each]), np.array([i.high for i in each])
        return low, high, self._method(), self._note(each, parts)

    def _interval(self, rows: Array) -> Interval:
        own, units = self.rows.take(rows), self.rows.units
        weight = np.ones(len(rows)) if own.weight is None else own.weight
        codes = None if units.codes is None else units.codes[rows]
        share = ShareParts.of_rows(own.positive, weight, codes)
        if share.sums is None:
            size = share.rows / units.repeats
            return proportion_interval(share.value * size, size, level=self.level)
        if share.sums.units < FEWEST:
            return absent(f"fewer than two {units.words}", level=self.level)
        # the repeats of a row say no more than the row, however alike its answers are to others'
        most = share.rows if units.are_groups else min(share.rows, float(share.sums.units))
        return group_share_interval(share.sums, level=self.level, rows=most)

    def _method(self) -> str:
        units = self.rows.units
        if units.codes is not None and not units.are_groups:
            return "Wilson on effective rows, the repeats of a row as one"
        if units.codes is not None:
            return f"Wilson on effective rows of {units.words}"
        if units.repeats > 1:
            return f"Wilson on a row in {units.repeats}, as each may occur once per repeat"
        return "Wilson on effective rows"

    def _note(self, intervals: list[Interval], parts: list[Array]) -> str:
        units = self.rows.units
        lost = Counter(i.note for i in intervals if i.is_absent)
        if sum(lost.values()) == len(intervals):
            return "; ".join(lost)
        words = [f"none in {_bins_of(count)} of {reason}" for reason, count in lost.items()]
        if units.codes is not None and units.are_groups:
            codes = units.codes
            few = sum(FEWEST <= len(np.unique(codes[rows])) < FEW_GROUPS for rows in parts)
            if few:
                hardly = "the variation between groups is poorly estimated"
                words.append(f"{_bins_of(few)} of fewer than {FEW_GROUPS} groups, where {hardly}")
        return "; ".join(words)


def _bins_of(count: int) -> str:
    return "1 bin" if count == 1 else f"{count} bins"


FORECAST = Axis("forecast", "Predicted probability (mean of the bin)")
SCORE = Axis("forecast", "Predicted probability")
OBSERVED = Axis("observed", "Observed share of positives")
BINNED = CurveKind("calibration", "Calibration curve", FORECAST, OBSERVED)
ISOTONIC = CurveKind("calibration", "Calibration curve (isotonic)", SCORE, OBSERVED)


def calibration(
    counts: ScoreCounts,
    *,
    bins: int | None = None,
    strategy: str | None = None,
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 1,
    intervals: bool = True,
    rows: RankedRows | None = None,
) -> Curve:
    """The share of positives against the predicted probability, in rising probability.

    Parameters
    ----------
    bins, strategy
        ``isotonic``, unless bins are asked for: no bins to choose, but the rising step
        function nearest to the truth (CORP), by which the probabilities could be corrected.
        Else bins (10 unless said) of equal ``width`` or of equal ``mass`` (weight of rows),
        open below and closed above; those without rows are left out.
    level
        Of the Wilson interval of each bin's share (``low`` and ``high`` in the table), or of
        the consistency band of the isotonic curve (``consistent_low``, ``consistent_high``):
        there the curve of a calibrated model lies, at each probability by itself.
    replicates, seed
        Draws of the consistency band.
    intervals
        Whether there is a consistency band, which takes most of the time.
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
    >>> curve = calibration(ScoreCounts.of(truth, np.array([0.2, 0.4, 0.8, 0.8])))
    >>> curve.x, curve.y
    (array([0.2, 0.4, 0.8]), array([0., 1., 1.]))
    """
    usual = "isotonic" if bins is None else "width"
    way = chosen("strategy", strategy or usual, "width", "mass", "isotonic")
    if bins is not None and way == "isotonic":
        raise InputError("an isotonic calibration curve has no bins: leave bins out, or strategy")
    bins = 10 if bins is None else bins
    if bins < 1 or bins != int(bins):
        raise InputError(f"bins={bins!r}: a whole number from 1 on is needed")
    level = checked_level(level)
    kind = ISOTONIC if way == "isotonic" else BINNED
    if not counts.total or not counts.is_probability:
        return kind.empty(counts, NOT_PROBABILITIES if counts.total else NO_ROWS)
    if way == "isotonic":
        if reason := _no_consistency(rows) or ("" if intervals else "not asked for"):
            band = absent_band(reason, level=level, kind=CONSISTENCY)
        else:
            band = consistency_band(counts, level=level, replicates=replicates, seed=seed)
        return _isotonic(counts, band)
    binned = bins_of(counts, bins=bins, strategy=way)
    weight, positives = binned.weight[::-1], binned.positives[::-1]
    x, y = binned.forecast[::-1], np.minimum(positives / weight, 1.0)
    method, remark = "Wilson", ""
    if rows is None:
        low, high = wilson_limits(positives, weight, level)
    else:
        low, high, method, remark = BinLimits(rows, level).of(counts, binned.weight)
        low, high = low[::-1], high[::-1]
    columns = {"rows": weight, "positives": positives, "low": low, "high": high}
    band = Band(x, low, high, level, "pointwise", method, remark)
    if np.isnan(low).all():
        band = absent_band(remark, level=level, kind="pointwise", method=method)
    binning = f"{bins} bins of equal {'mass' if way == 'mass' else 'width'}"
    more: dict[str, Any] = {"columns": columns, "band": band, "note": f"{len(x)} of {binning}"}
    return BINNED.of(counts, x, y, binning=binning, **more)


#: distinct probabilities that draws keep apart
LEVELS = 1000


def consistency_band(
    counts: ScoreCounts, *, level: float = 0.95, replicates: int = 1000, seed: int = 1
) -> Band:
    """Where the isotonic curve of a calibrated model lies, at each probability by itself.

    In each draw as many probabilities are drawn with repetition as there are rows, each comes
    true as often as it says, and the isotonic curve is fitted to that. Rows count singly.

    Notes
    -----
    Dimitriadis, Gneiting & Jordan (2021), PNAS 118:e2016191118. Of more than 1,000 distinct
    probabilities neighbours are put together for the draws, and stand for their mean.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth, score = np.arange(100) % 4 == 0, np.full(100, 0.25)
    >>> band = consistency_band(ScoreCounts.of(truth, score))
    >>> band.low, band.high  # 2.5% and 97.5% quantiles of a binomial share of 100 rows
    (array([0.17]), array([0.34]))
    """
    from scipy.optimize import isotonic_regression

    running = counts.tp + counts.fp
    starts = np.arange(len(running))
    if len(running) > LEVELS:
        edges = np.arange(LEVELS) / LEVELS * float(running[-1])
        starts = np.unique(np.searchsorted(running, edges, side="right"))
    weight, _, total = (part[::-1] for part in sums_between(counts, starts.tolist()))
    probability, share = np.minimum(total / weight, 1.0), weight / weight.sum()
    rng = stream(seed, "consistency")
    curves = np.empty((replicates, len(share)))
    for curve in curves:
        often = rng.multinomial(counts.rows, share)
        kept = often > 0
        hits = rng.binomial(often[kept], probability[kept])
        fit = isotonic_regression(hits / often[kept], weights=often[kept].astype(float))
        curve[:] = np.interp(probability, probability[kept], fit.x)
    low, high = np.quantile(curves, [(1 - level) / 2, (1 + level) / 2], axis=0)
    what = "rows" if len(share) == len(running) else f"{len(share):,} bins of probabilities"
    where = "where the curve of a calibrated model lies"
    method = f"{where}; {replicates:,} draws of {what}, seed {seed}"
    return Band(probability, low, high, level, CONSISTENCY, method)


def _no_consistency(rows: RankedRows | None) -> str:
    """Why no consistency band is known to be valid; empty where one is."""
    if rows is None:
        return ""
    only = "a consistency band is known for independent rows that all count the same"
    if rows.units.reason:
        return rows.units.reason
    return (
        f"rows carry weights, and {only}"
        if rows.units.codes is None
        else (f"{rows.units.words} are what is independent, and {only}")
    )


def _isotonic(counts: ScoreCounts, band: Band) -> Curve:
    """Each edge of the ROC hull as a block of scores of one calibrated probability."""
    vertex = hull(counts)
    tp, fp = np.diff(vertex.tp), np.diff(vertex.fp)
    observed = tp / (tp + fp)
    first, last = vertex.position[:-1] + 1, vertex.position[1:]
    # from the lowest block up, each from its lowest score to its highest
    x = counts.score[np.column_stack([last, first])[::-1].ravel()]
    y = np.repeat(observed[::-1], 2)
    rows = np.repeat((tp + fp)[::-1], 2)
    kept = np.append(True, (np.diff(x) > 0) | (np.diff(y) > 0))  # a block of one score is a point
    binning = f"isotonic, {len(observed):,} blocks"
    low, high = band.at(x[kept])
    columns = {"rows": rows[kept], "consistent_low": low, "consistent_high": high}
    more: dict[str, Any] = {"columns": columns, "note": binning, "binning": binning}
    return ISOTONIC.of(counts, x[kept], y[kept], band=band, **more)


def score_bars(counts: ScoreCounts, bars: int) -> tuple[Array, Array]:
    """Positives and negatives in bars of equal width, closed below, the last one above too."""
    bar = np.minimum((counts.score * bars).astype(np.int64), bars - 1)
    hits, rest = (np.bincount(bar, c, bars) for c in (counts.positives, counts.negatives))
    return hits, rest
