"""The ROC curve of cross-validation: all folds pooled, and the vertical average over them."""

from __future__ import annotations

from dataclasses import replace
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.random import stream
from heldout.curves.band_floors import at_least_wilson, rising_to_one, stretched_limits
from heldout.curves.bands import FEWEST, MOST_DRAWS, envelope
from heldout.curves.curve import Band, Curve, absent_band, empty_curve
from heldout.curves.drawing import KINDS, SPREAD
from heldout.curves.points import prevalence_of
from heldout.curves.roc import FALSE_POSITIVE_RATE, SENSITIVITY, roc
from heldout.intervals.bootstrap import UNDEFINED_ALLOWED
from heldout.intervals.coarse_scores import coarse_scores
from heldout.intervals.interval import checked_level
from heldout.intervals.score_bootstrap import replicate_scores
from heldout.measures.choices import chosen
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from heldout.curves.fold_draws import FoldRows

__all__ = ["average_band", "pooled", "vertical_average"]

STEPS = 100


def pooled(folds: Mapping[str, ScoreCounts]) -> Curve:
    """The ROC curve of the rows of all folds together.

    It answers how one threshold does on all of them, so it asks that scores of different
    folds' models mean the same; where they do not, it lies below the average.
    """
    made = roc(sum(folds.values(), start=ScoreCounts()))
    return replace(made, title="ROC curve, folds pooled", note=f"{len(folds)} folds pooled")


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
    title = "ROC curve, vertical average of the folds"
    curves = {name: roc(counts, corners=True) for name, counts in folds.items()}
    known = {name: curve for name, curve in curves.items() if not curve.is_empty}
    lost = [name for name in curves if name not in known]
    note = f"mean of {len(known)} of {len(curves)} folds"
    if lost:
        note += f"; no curve in {', '.join(lost[:5])}{' ...' if len(lost) > 5 else ''}"
    whole = sum(folds.values(), start=ScoreCounts())
    same: dict[str, Any] = {
        "measure": "auc",
        "rows": whole.rows,
        "prevalence": prevalence_of(whole),
        "note": note,
    }
    if not known:
        reason = "no fold has both a positive and a negative row"
        return empty_curve("roc", title, FALSE_POSITIVE_RATE, SENSITIVITY, reason, **same)
    x = np.unique(np.concatenate([curve.x for curve in known.values()]))
    below = np.mean([_from_below(curve, x) for curve in known.values()], axis=0)
    above = np.mean([curve.at(x) for curve in known.values()], axis=0)
    jumps = above > below
    place = np.repeat(np.arange(len(x)), 1 + jumps)
    second = np.append(False, place[1:] == place[:-1])
    y = np.where(second | ~jumps[place], above[place], below[place])
    return Curve(
        "roc",
        title,
        x[place],
        y,
        np.full(len(place), nan),
        FALSE_POSITIVE_RATE,
        SENSITIVITY,
        area=float(np.mean([curve.area for curve in known.values()])),
        **same,
    )


def _from_below(curve: Curve, x: NDArray[np.float64]) -> NDArray[np.float64]:
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
    if kind == SPREAD:
        made = np.array([roc(counts, corners=True).at(grid) for counts in known])
        mean, spread = made.mean(axis=0), made.std(axis=0, ddof=1)
        low, high = np.clip([mean - spread, mean + spread], 0, 1)
        return Band(grid, low, high, nan, kind, f"± 1 standard deviation of {len(known)} folds")
    mean = np.mean([roc(counts, corners=True).at(grid) for counts in known], axis=0)
    if rows is None:
        made = _within_folds(known, grid, replicates, seed)
        of = np.full(len(grid), float(sum(counts.total_positives for counts in known)))
        what = "rows within each fold and class"
    else:
        replicates = min(replicates, max(FEWEST, MOST_DRAWS // max(len(rows.score), 1)))
        made = rows.replicate(grid, replicates=replicates, rng=stream(seed, "band", "folds"))
        of, what = rows.positives(mean), f"{rows.units.words} over all folds"
    method = f"bootstrap, {replicates:,} draws of {what}, seed {seed}; at least Wilson's"
    lost = float(np.isnan(made).any(axis=1).mean())
    if lost > UNDEFINED_ALLOWED:
        reason = f"undefined in {round(lost * replicates):,} of {replicates:,} replicates"
        return absent_band(reason, level=level, kind=kind, method=method)
    low, high, own = envelope(made[~np.isnan(made).any(axis=1)], level=level, kind=kind)
    if rows is not None and rows.sampler.units > 1:
        low, high = stretched_limits(mean, (low, high), rows.sampler.units, level)
    low, high = at_least_wilson(mean, of, (low, high), own)
    low = low if rows is None else rising_to_one(mean, low)
    low[0], low[-1], high[-1] = 0.0, 1.0, 1.0  # as of the band of a single curve
    return Band(grid, low, high, level, kind, method)


def _within_folds(
    folds: list[ScoreCounts], grid: NDArray[np.float64], replicates: int, seed: int
) -> NDArray[np.float64]:
    """The average over the grid, with rows drawn anew within each class of each fold."""
    total = np.zeros((replicates, len(grid)))
    for number, counts in enumerate(folds):
        total += replicate_scores(
            coarse_scores(counts),
            lambda drawn: roc(drawn).at(grid),
            replicates=replicates,
            rng=stream(seed, "band", "folds", str(number)),
            stratified=True,
        )
    return total / len(folds)


def _grid(folds: list[ScoreCounts]) -> NDArray[np.float64]:
    """Even steps, and where few rows make a fold's curve turn, those too."""
    even = np.linspace(0, 1, STEPS + 1)
    if max(counts.total_negatives for counts in folds) > STEPS:
        return even
    return np.unique(np.concatenate([even, *(roc(c, corners=True).x for c in folds)]))
