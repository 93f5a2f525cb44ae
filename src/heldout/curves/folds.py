"""The ROC curve of cross-validation: folds pooled, their vertical average, and its draws."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from heldout.core.nearest import chosen
from heldout.core.random import stream
from heldout.curves.bands import (
    FEWEST,
    MOST_DRAWS,
    limits_of_draws,
    rising_to_one,
)
from heldout.curves.curve import Band, CurveKind, absent_band
from heldout.curves.points import KINDS, SPREAD
from heldout.curves.ranking import FALSE_POSITIVE_RATE, SENSITIVITY, roc
from heldout.curves.sources import RankedRows
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.interval import checked_level
from heldout.uncertainty.rankings import ScoreSampler, coarse_scores
from heldout.uncertainty.sample import RowSampler, content_order, in_blocks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.random import Generator

    from heldout.core.arrays import Array, Floats
    from heldout.curves.curve import Curve


class _Fold(NamedTuple):
    """A fold's rows in falling order of score."""

    rows: Array
    #: the weight of each as a positive, and as a negative
    positives: Floats
    negatives: Floats
    #: the last row of each distinct score
    ends: Array

    def heights(self, often: Array, grid: Floats) -> Floats | None:
        """The ROC curve of the rows, each as often as said; None where a class is missing.

        What ``roc(...).at(grid)`` gives, without making a curve of each of thousands of draws.
        """
        y, x = (
            np.concatenate([[0.0], np.cumsum(often * part)[self.ends]])
            for part in (self.positives, self.negatives)
        )
        if not (x[-1] > 0 and y[-1] > 0):
            return None
        x, y = x / x[-1], y / y[-1]
        left = np.searchsorted(x, grid, side="right") - 1
        right = np.minimum(left + 1, len(x) - 1)
        run = x[right] - x[left]
        part = np.divide(grid - x[left], run, out=np.zeros(len(grid)), where=run > 0)
        return np.asarray(y[left] + part * (y[right] - y[left]))


@dataclass(frozen=True, eq=False)
class FoldRows(RankedRows):
    """Rows in folds, of which whole units are drawn over all folds at once.

    A unit may be in several folds: a row in one of each repeat, a group wherever its rows are.
    """

    #: the rows of each fold that has both classes
    folds: tuple[Array, ...] = ()

    @cached_property
    def sampler(self) -> RowSampler:
        """What draws the units."""
        part = np.full(len(self.score), -1)
        for number, rows in enumerate(self.folds):
            part[rows] = number
        columns = self.score, self.positive, self.weight, part
        return RowSampler(
            len(self.score), groups=self.units.codes, order=lambda: content_order(*columns)
        )

    @cached_property
    def _sorted(self) -> list[_Fold]:
        """The rows of each fold in falling order of score, as draws of them are counted."""
        folds = []
        for rows in self.folds:
            taken = rows[np.argsort(-self.score[rows], kind="stable")]
            score = self.score[taken]
            ends = np.flatnonzero(np.append(score[1:] != score[:-1], True))
            weight = np.ones(len(taken)) if self.weight is None else self.weight[taken]
            hits = np.where(self.positive[taken], weight, 0.0)
            folds.append(_Fold(taken, hits, weight - hits, ends))
        return folds

    def replicate(self, grid: Floats, *, replicates: int, rng: Generator) -> Floats:
        """The average over a grid of false positive rates, a row for each draw.

        A fold counts as much as is drawn of it: where each fold is one group, folds are drawn.
        One without both classes has no curve in a draw; where none has, the draw is NaN.
        """

        def average(own: Generator) -> Floats:
            often = self.sampler.multiplicities(own)
            total, count = np.zeros(len(grid)), 0.0
            for fold in self._sorted:
                drawn = often[fold.rows]
                height = fold.heights(drawn, grid)
                if height is not None:
                    share = float(drawn.mean())
                    total += share * height
                    count += share
            return total / count if count else np.full(len(grid), nan)

        return in_blocks(average, replicates=replicates, rng=rng, size=len(self.score))

    def positives(self, share: Floats) -> Floats:
        """How many positives a share of them is of: where all groups agree, each counts once."""
        kept = np.zeros(len(self.score), bool)
        kept[np.concatenate(self.folds)] = True
        return self.worth(self.positive & kept).at(share)


STEPS = 100
AVERAGE = CurveKind(
    "roc", "ROC curve, vertical average of the folds", FALSE_POSITIVE_RATE, SENSITIVITY, "auc"
)


def pooled(folds: Mapping[str, ScoreCounts]) -> Curve:
    """The ROC curve of the rows of all folds together.

    It answers how one threshold does on all of them, so it asks that scores of different
    folds' models mean the same; where they do not, it lies below the average.
    """
    whole = roc(sum(folds.values(), start=ScoreCounts()))
    return replace(whole, title="ROC curve, folds pooled", note=f"{len(folds)} folds pooled")


def vertical_average(folds: Mapping[str, ScoreCounts]) -> Curve:
    """The mean sensitivity of the folds' ROC curves at each false positive rate.

    It answers how a model does on average that is judged by the ranking within one fold. Its
    area is the mean of the folds' areas, exactly. Folds without both classes have no curve:
    they are left out and named in the note. No threshold belongs to a point of it.

    Notes
    -----
    Fawcett (2006), Pattern Recognit. Lett. 27:861; Forman & Scholz (2010), SIGKDD Explor. 12:49.

    Examples
    --------
    >>> up = ScoreCounts.of(np.array([True, False]), np.array([0.9, 0.1]))
    >>> down = ScoreCounts.of(np.array([True, False]), np.array([0.1, 0.9]))
    >>> curve = vertical_average({"1": up, "2": down})
    >>> curve.x, curve.y, curve.area
    (array([0., 0., 1., 1.]), array([0. , 0.5, 0.5, 1. ]), 0.5)
    """
    curves = {name: roc(counts, corners=True) for name, counts in folds.items()}
    known = {name: curve for name, curve in curves.items() if not curve.is_empty}
    lost = [name for name in curves if name not in known]
    note = f"mean of {len(known)} of {len(curves)} folds"
    if lost:
        note += f"; no curve in {', '.join(lost[:5])}{' ...' if len(lost) > 5 else ''}"
    whole = sum(folds.values(), start=ScoreCounts())
    if not known:
        return AVERAGE.empty(whole, "no fold has both a positive and a negative row", note=note)
    x = np.unique(np.concatenate([curve.x for curve in known.values()]))
    below = np.mean([_from_below(curve, x) for curve in known.values()], axis=0)
    above = np.mean([curve.at(x) for curve in known.values()], axis=0)
    jumps = above > below
    at = np.repeat(np.arange(len(x)), 1 + jumps)
    second = np.append(False, at[1:] == at[:-1])
    y = np.where(second | ~jumps[at], above[at], below[at])
    area = float(np.mean([curve.area for curve in known.values()]))
    return AVERAGE.of(whole, x[at], y, area=area, note=note)


def _from_below(curve: Curve, x: Floats) -> Floats:
    """The height that a ROC curve reaches an x at, before it climbs there."""
    lowest = np.searchsorted(curve.x, x, side="left")
    return np.where(curve.x[lowest] == x, curve.y[lowest], curve.at(x))


def average_band(
    folds: Mapping[str, ScoreCounts],
    *,
    kind: str = "pointwise",
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 1,
    rows: FoldRows | None = None,
) -> Band:
    """The band of the vertical average.

    ``pointwise`` and ``simultaneous``: rows are drawn anew within each class of each fold, so
    it says how the average varies with the test rows while the folds' models stay as they
    are. Where ``rows`` are given, which come in groups, are judged in several repeats or
    carry weights, groups or rows are drawn with all of theirs, over all folds. ``spread``:
    one standard deviation of the folds around their mean; it describes how folds differ and
    is no confidence band, as folds share their training rows.
    """
    kind = chosen("kind", kind, *KINDS, SPREAD)
    level = checked_level(level)
    known = [counts for counts in folds.values() if counts.has_both]
    if len(known) < 2:
        return absent_band("fewer than two folds have a curve", level=level, kind=kind)
    weighted = any("f" in (c.positives.dtype.kind, c.negatives.dtype.kind) for c in known)
    if weighted and rows is None and kind != SPREAD:
        return absent_band("rows of folds carry weights", level=level, kind=kind)
    grid = _grid(known)
    heights = np.array([roc(counts, corners=True).at(grid) for counts in known])
    mean = heights.mean(axis=0)
    if kind == SPREAD:
        spread = heights.std(axis=0, ddof=1)
        low, high = np.clip([mean - spread, mean + spread], 0, 1)
        return Band(grid, low, high, nan, kind, f"± 1 standard deviation of {len(known)} folds")
    if rows is None:
        drawn = _within_folds(known, grid, replicates, seed)
        of = np.full(len(grid), float(sum(counts.total_positives for counts in known)))
        what = "rows within each fold and class"
    else:
        replicates = min(replicates, max(FEWEST, MOST_DRAWS // max(len(rows.score), 1)))
        drawn = rows.replicate(grid, replicates=replicates, rng=stream(seed, "band", "folds"))
        of, what = rows.positives(mean), f"{rows.units.words} over all folds"
    method = f"bootstrap, {replicates:,} draws of {what}, seed {seed}; at least Wilson's"
    groups = 0 if rows is None else rows.sampler.units
    limits = limits_of_draws(drawn, mean, of, level=level, kind=kind, groups=groups)
    if isinstance(limits, str):
        return absent_band(limits, level=level, kind=kind, method=method)
    low, high, _ = limits
    low = low if rows is None else rising_to_one(mean, low)
    low[0], low[-1], high[-1] = 0.0, 1.0, 1.0  # as of the band of a single curve
    return Band(grid, low, high, level, kind, method)


def _within_folds(folds: list[ScoreCounts], grid: Floats, replicates: int, seed: int) -> Floats:
    """The average over the grid, with rows drawn anew within each class of each fold."""
    total = np.zeros((replicates, len(grid)))
    for number, counts in enumerate(folds):
        total += ScoreSampler(coarse_scores(counts), stratified=True).replicate(
            lambda drawn: roc(drawn).at(grid),
            replicates=replicates,
            rng=stream(seed, "band", "folds", str(number)),
        )
    return total / len(folds)


def _grid(folds: list[ScoreCounts]) -> Floats:
    """Even steps, and where few rows make a fold's curve turn, those too."""
    even = np.linspace(0, 1, STEPS + 1)
    if max(counts.total_negatives for counts in folds) > STEPS:
        return even
    return np.unique(np.concatenate([even, *(roc(c, corners=True).x for c in folds)]))
