"""Bands of the ROC and the precision-recall curve: at each point, or over the whole curve."""

from __future__ import annotations

from math import ceil, log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.random import stream
from heldout.curves.band_floors import (
    at_least_as_recall_varies,
    at_least_sideways,
    at_least_wilson,
    grid_of,
    rising_to_one,
    rows_of_value,
    stretched_limits,
)
from heldout.curves.curve import Band, absent_band
from heldout.curves.design import Worth
from heldout.curves.drawing import KINDS
from heldout.curves.precision_recall import precision_recall
from heldout.curves.roc import roc
from heldout.intervals.bootstrap import UNDEFINED_ALLOWED
from heldout.intervals.coarse_scores import coarse_scores, recentred
from heldout.intervals.interval import checked_level
from heldout.intervals.score_bootstrap import replicate_scores
from heldout.measures.choices import chosen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.curves.design import Units
    from heldout.intervals.score_rows import ScoreRows
    from heldout.tally.scores import ScoreCounts

__all__ = [
    "FEWEST",
    "MOST_DRAWS",
    "band_of",
    "envelope",
    "kolmogorov_band",
]

CURVES = {"roc": roc, "pr": precision_recall}
#: rows times replicates of a bootstrap that has to draw single rows
MOST_DRAWS = 200_000_000
FEWEST = 200


def band_of(
    counts: ScoreCounts,
    name: str,
    *,
    kind: str = "pointwise",
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 1,
    rows: ScoreRows | None = None,
    units: Units | None = None,
    sizes: tuple[Worth, Worth] | None = None,
    method: str = "bootstrap",
) -> Band:
    """The band of the ROC (``roc``) or precision-recall curve (``pr``) of score counts.

    Vertical: how sensitivity varies at a given false positive rate, or precision at a given
    recall. ``pointwise`` covers at its level at each x by itself; ``simultaneous`` covers the
    whole curve at once: the range, between equal ranks at every x, in which the wanted share
    of replicates lies entirely.

    Parameters
    ----------
    rows
        The rows themselves, where they carry weights or come in groups, which are then drawn
        whole; else score counts are drawn, on about 1,000 scores where there are more.
    units
        What is drawn whole, where single rows are not.
    sizes
        How many independent positives and negatives say as much as these, where that is not
        their number.
    method
        ``bootstrap``, or ``ks``: the simultaneous band of Campbell (1994) from the
        Dvoretzky-Kiefer-Wolfowitz inequality, wide but valid for any number of rows (ROC).

    Notes
    -----
    A ROC band keeps the numbers of both classes; a precision-recall band lets them vary.
    Replicates that all agree at some x would say that nothing varies there, so a band is
    nowhere narrower than the Wilson interval of the share itself, nor than what so many
    negatives can tell about the false positive rate, or positives about recall. What bands
    cover in simulation is in docs/coverage.md.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> counts = ScoreCounts.of(np.arange(40) % 2 == 0, np.arange(40.0) // 3)
    >>> band = band_of(counts, "roc", replicates=200)
    >>> bool((band.low <= roc(counts).at(band.x)).all())
    True
    """
    kind = chosen("kind", kind, *KINDS)
    name = chosen("curve", name, *CURVES)
    if chosen("method", method, "bootstrap", "ks") == "ks":
        if (name, kind) != ("roc", "simultaneous"):
            raise InputError(
                f"method ks gives a simultaneous band of roc, not a {kind} one of {name}"
            )
        return kolmogorov_band(counts, level=level)
    level = checked_level(level)
    curve = CURVES[name](counts)
    if curve.is_empty:
        return absent_band(curve.reason, level=level, kind=kind)
    each = (float(counts.total_positives), float(counts.total_negatives))
    of_positives, of_negatives = sizes or (Worth(n, n) for n in each)
    grid = grid_of(curve, of_positives.rows)
    rng = stream(seed, "band", name)

    def values(drawn: ScoreCounts) -> NDArray[np.float64]:
        return np.asarray(CURVES[name](drawn).at(grid))

    if rows is not None:
        replicates = min(replicates, max(FEWEST, MOST_DRAWS // max(counts.rows, 1)))
        made = rows.replicate(values, replicates=replicates, rng=rng)
        what = "groups" if rows.sampler.units < rows.sampler.rows else "rows"
        what = units.words if units is not None and units.codes is not None else what
    else:
        coarse = coarse_scores(counts)
        made = replicate_scores(
            coarse, values, replicates=replicates, rng=rng, stratified=name == "roc"
        )
        if coarse is not counts:
            made = recentred(made, values(coarse), curve.at(grid))
        what = "rows of each class" if name == "roc" else "rows"
    words = f"bootstrap, {replicates:,} draws of {what}, seed {seed}; at least binomial limits"
    lost = float(np.isnan(made).any(axis=1).mean())
    if lost > UNDEFINED_ALLOWED:
        reason = f"undefined in {round(lost * replicates):,} of {replicates:,} replicates"
        return absent_band(reason, level=level, kind=kind, method=words)
    made = np.clip(made[~np.isnan(made).any(axis=1)], 0, 1)  # recentring may leave by a rounding
    low, high, own = envelope(made, level=level, kind=kind)
    height = curve.at(grid)
    if rows is not None and 1 < rows.sampler.units < rows.sampler.rows:
        low, high = stretched_limits(height, (low, high), rows.sampler.units, level)
    # of groups that all agree each says no more than a row
    of = rows_of_value(curve, of_positives.rows, grid) * of_positives.at(height) / of_positives.rows
    low, high = at_least_wilson(height, of, (low, high), own)
    if name == "roc":
        low = rising_to_one(height, low) if of_positives.units < of_positives.rows else low
        low, high = at_least_sideways(curve, grid, of_negatives.rows, (low, high), own)
        # every row is called positive at 1; at 0 no more than nothing can be vouched for
        low[0], low[-1], high[-1] = 0.0, 1.0, 1.0
    elif counts.has_both:
        both = of_positives.rows, of_negatives.rows
        low, high = at_least_as_recall_varies(counts, grid, both, (low, high), own)
    return Band(grid, low, high, level, kind, words)


def envelope(
    made: NDArray[Any], *, level: float, kind: str
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Limits of replicates (a row each), and the level that they have at a single x.

    Simultaneous: ranks are counted from both ends at each x, and the limits lie at the
    highest rank that no more than the allowed share of replicates falls short of anywhere.

    Examples
    --------
    >>> made = np.column_stack([np.arange(100.0), np.arange(100.0)[::-1]])
    >>> envelope(made, level=0.9, kind="simultaneous")[:2]
    (array([5., 5.]), array([94., 94.]))
    """
    count = len(made)
    tail = (1 - level) / 2
    if kind == "pointwise":
        low, high = np.quantile(made, [tail, 1 - tail], axis=0)
        return low, high, level
    ordered = np.sort(made, axis=0)
    depth = np.full(count, count)
    for column, values in zip(ordered.T, made.T, strict=True):
        below = np.searchsorted(column, values, side="right")
        above = count - np.searchsorted(column, values, side="left")
        depth = np.minimum(depth, np.minimum(below, above))
    allowed = int((1 - level) * count + 1e-9)
    rank = min(int(np.sort(depth)[min(allowed, count - 1)]) - 1, ceil(tail * count))
    return ordered[rank], ordered[count - 1 - rank], 1 - 2 * max(rank, 0.5) / count


def kolmogorov_band(counts: ScoreCounts, *, level: float = 0.95) -> Band:
    """The simultaneous ROC band that holds for any number of rows, without drawing any.

    Both rates stay within a distance of the true ones at all thresholds at once, by the
    inequality of Dvoretzky, Kiefer and Wolfowitz with Massart's constant; each at the square
    root of the level. Campbell (1994), Stat. Med. 13:499.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth = np.arange(200) % 2 == 0
    >>> band = kolmogorov_band(ScoreCounts.of(truth, truth.astype(float)))
    >>> band.at(np.array([0.5]))[0]  # 1 - sqrt(log(2 / 0.0253) / 200)
    array([0.8522])
    """
    level = checked_level(level)
    curve = roc(counts)
    kind, method = "simultaneous", "Kolmogorov-Smirnov (Campbell)"
    if curve.is_empty:
        return absent_band(curve.reason, level=level, kind=kind, method=method)
    spare = log(2 / (1 - sqrt(level)))
    up = sqrt(spare / (2 * counts.total_positives))
    across = sqrt(spare / (2 * counts.total_negatives))
    grid = np.unique(
        np.concatenate(
            [grid_of(curve, counts.total_positives), np.clip([across, 1 - across], 0, 1)]
        )
    )
    high = np.minimum(curve.at(np.minimum(grid + across, 1)) + up, 1)
    low = np.where(grid < across, 0, np.maximum(curve.at(np.maximum(grid - across, 0)) - up, 0))
    low[-1] = 1.0
    return Band(grid, low, high, level, kind, method)
