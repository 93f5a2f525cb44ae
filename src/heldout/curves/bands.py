"""Bands of the ROC and the precision-recall curve, no narrower than binomial counts allow."""

from __future__ import annotations

from math import ceil, log, sqrt
from typing import TYPE_CHECKING

import numpy as np

from heldout.core.errors import InputError
from heldout.core.nearest import chosen
from heldout.core.random import stream
from heldout.curves.curve import Band, absent_band
from heldout.curves.points import KINDS
from heldout.curves.ranking import precision_recall, roc
from heldout.curves.sources import Worth
from heldout.uncertainty.interval import checked_level
from heldout.uncertainty.limits import UNDEFINED_ALLOWED, stretch_for
from heldout.uncertainty.proportions import proportion_interval
from heldout.uncertainty.rankings import ScoreSampler, coarse_scores, recentred

if TYPE_CHECKING:
    from heldout.core.arrays import Array, Floats
    from heldout.curves.curve import Curve
    from heldout.curves.sources import RankedRows
    from heldout.tally.scores import ScoreCounts

Limits = tuple["Floats", "Floats"]
#: even steps of the grid; as many again follow the curve where it is steep
STEPS = 100


def grid_of(curve: Curve, positives: float) -> Floats:
    """Where a band is computed: even steps of x, and where the curve climbs, of y."""
    even = np.linspace(0, 1, STEPS + 1)
    if curve.name == "pr":  # precision moves most where few positives have been found
        few = np.array([1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233]) / positives
        return np.unique(np.concatenate([even, few[few < 1]]))
    climbing = curve.x[np.searchsorted(curve.y, even)]
    return np.unique(np.concatenate([even, climbing]))


def wilson_limits(positives: Array, weights: Array, level: float) -> Limits:
    """Wilson's limits of shares of rows that are independent."""
    each = [
        proportion_interval(min(hits, n), n, level=level)
        for hits, n in zip(positives.tolist(), weights.tolist(), strict=True)
    ]
    return np.array([i.low for i in each]), np.array([i.high for i in each])


def at_least_wilson(share: Floats, of: Floats, limits: Limits, level: float) -> Limits:
    """The limits with those of Wilson for shares of so many rows, where they are wider.

    Examples
    --------
    >>> at_least_wilson(np.ones(1), np.array([20.0]), (np.ones(1), np.ones(1)), 0.95)
    (array([0.8389]), array([1.]))
    """
    low, high = wilson_limits(np.clip(share, 0, 1) * of, of, level)
    return np.minimum(limits[0], low), np.maximum(limits[1], high)


def at_least_sideways(
    curve: Curve, grid: Floats, negatives: float, limits: Limits, level: float
) -> Limits:
    """The limits with the heights of the curve where so many negatives pass as may be at x.

    Which threshold has a false positive rate of x is known no better than binomial counts
    allow: of 20 negatives none may pass, although one in seven does in truth. So far to the
    left a curve is not known at all.
    """
    from heldout.core.special import bdtrik

    low, high = limits[0].copy(), limits[1].copy()
    inner = (grid > 0) & (grid < 1)
    tail = (1 - level) / 2
    fewest = np.ceil(bdtrik(tail, negatives, grid[inner])) - 1
    most = np.ceil(bdtrik(1 - tail, negatives, grid[inner])) + 1
    below = np.where(fewest < 0, 0, curve.at(np.maximum(fewest, 0) / negatives))
    above = curve.at(np.minimum(most / negatives, 1))
    low[inner], high[inner] = np.minimum(low[inner], below), np.maximum(high[inner], above)
    return low, high


def at_least_as_recall_varies(
    counts: ScoreCounts, grid: Floats, sizes: tuple[float, float], limits: Limits, level: float
) -> Limits:
    """The limits with the precision of the thresholds that may have a recall of x in truth.

    Of 6 positives all may be found although one in six is missed in truth. At a threshold
    that finds more of them, or fewer, more or fewer negatives pass.
    """
    from heldout.core.special import bdtrik

    positives, negatives = sizes
    inner = (grid > 0) & (grid < 1)
    tail = (1 - level) / 2
    fewest, most = np.zeros(len(grid)), np.full(len(grid), positives)
    fewest[inner] = np.maximum(np.ceil(bdtrik(tail, positives, grid[inner])), 0)
    most[inner] = np.minimum(np.ceil(bdtrik(1 - tail, positives, grid[inner])), positives)
    fewest[grid == 1] = positives
    most[grid == 0] = 0
    # as many of either class as its rows are worth
    passed, reached = (
        np.append(0.0, np.minimum(part * (worth / float(part[-1])), worth))
        for part, worth in ((counts.fp, negatives), (counts.tp, positives))
    )
    # the fewest negatives that pass with so few found, and the most with so many
    at = np.searchsorted(reached, fewest, side="left")
    fewer = passed[np.minimum(at, len(reached) - 1)]  # the last may be less than all by rounding
    more = passed[np.searchsorted(reached, most, side="right") - 1]
    # where every row may have to pass, precision is the share of positives, itself uncertain
    share = float(counts.total_positives / counts.total)
    least = proportion_interval(share * sum(sizes), sum(sizes), level=level).low
    share_below = np.where(most >= positives, least, share)
    low, high = limits
    found_below = grid * share_below
    passed_below = (1 - share_below) * more / negatives
    below = np.divide(found_below, found_below + passed_below, out=low.copy(), where=grid > 0)
    found_above, passed_above = grid * share, (1 - share) * fewer / negatives
    above = np.divide(found_above, found_above + passed_above, out=high.copy(), where=grid > 0)
    return np.minimum(low, below), np.maximum(high, above)


def rows_of_value(curve: Curve, positives: float, grid: Floats) -> Floats:
    """Of how many rows the value is a share: positives, or rows called positive at a recall."""
    if curve.name == "roc":
        return np.full(len(grid), positives)
    called, share = np.maximum(grid * positives, 1.0), curve.at(grid)
    return np.divide(called, share, out=np.ones(len(grid)), where=share > 0)


def rising_to_one(height: Floats, low: Floats) -> Floats:
    """The lower limits with those where a ROC curve is 1 no lower than just before it is.

    Groups that all agree are few rows, but a ROC curve does not fall.

    Examples
    --------
    >>> rising_to_one(np.array([0.9, 0.98, 1.0]), np.array([0.8, 0.9, 0.85]))
    array([0.8, 0.9, 0.9])
    """
    first = int(np.argmax(height >= 1))
    risen = low.copy()
    if first:
        risen[first:] = np.maximum(risen[first:], risen[first - 1])
    return risen


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
    rows: RankedRows | None = None,
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
        The rows themselves, where they carry weights or come in units, which are then drawn
        whole; else score counts are drawn, on about 1,000 scores where there are more.
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
    of_positives, of_negatives = (
        (Worth(n, n) for n in each)
        if rows is None
        else (rows.worth(side) for side in (rows.positive, ~rows.positive))
    )
    grid = grid_of(curve, of_positives.rows)
    drawn, what, groups = _draws_over(grid, counts, curve, rows, replicates=replicates, seed=seed)
    words = f"bootstrap, {len(drawn):,} draws of {what}, seed {seed}; at least binomial limits"
    height = curve.at(grid)
    # of groups that all agree each says no more than a row
    of = rows_of_value(curve, of_positives.rows, grid) * of_positives.at(height) / of_positives.rows
    limits = limits_of_draws(drawn, height, of, level=level, kind=kind, groups=groups)
    if isinstance(limits, str):
        return absent_band(limits, level=level, kind=kind, method=words)
    low, high, own = limits
    if name == "roc":
        low = rising_to_one(height, low) if of_positives.units < of_positives.rows else low
        low, high = at_least_sideways(curve, grid, of_negatives.rows, (low, high), own)
        # every row is called positive at 1; at 0 no more than nothing can be vouched for
        low[0], low[-1], high[-1] = 0.0, 1.0, 1.0
    elif counts.has_both:
        both = of_positives.rows, of_negatives.rows
        low, high = at_least_as_recall_varies(counts, grid, both, (low, high), own)
    return Band(grid, low, high, level, kind, words)


def _draws_over(
    grid: Floats,
    counts: ScoreCounts,
    curve: Curve,
    rows: RankedRows | None,
    *,
    replicates: int,
    seed: int,
) -> tuple[Floats, str, int]:
    """Draws of a curve over a grid (a row each), what is drawn, and of how many groups."""
    rng = stream(seed, "band", curve.name)

    def values(drawn: ScoreCounts) -> Floats:
        return np.asarray(CURVES[curve.name](drawn).at(grid))

    if rows is not None:
        replicates = min(replicates, max(FEWEST, MOST_DRAWS // max(counts.rows, 1)))
        draws = rows.draws(rows.units.codes)
        units = draws.sampler.units
        drawn = draws.replicate(values, replicates=replicates, rng=rng)
        return np.clip(drawn, 0, 1), rows.units.words, units * (units < draws.sampler.rows)
    coarse, is_roc = coarse_scores(counts), curve.name == "roc"
    sampler = ScoreSampler(coarse, stratified=is_roc)
    drawn = sampler.replicate(values, replicates=replicates, rng=rng)
    if coarse is not counts:
        drawn = recentred(drawn, values(coarse), curve.at(grid))
    # recentring may leave by a rounding
    return np.clip(drawn, 0, 1), "rows of each class" if is_roc else "rows", 0


def limits_of_draws(
    drawn: Floats, height: Floats, of: Floats, *, level: float, kind: str, groups: int = 0
) -> tuple[Floats, Floats, float] | str:
    """Limits of a curve from draws of it (a row each), and their level at a single x.

    No narrower than Wilson's of shares ``of`` so many rows; of whole groups (0: of rows) as far
    from the curve as so few of them ask for. A reason where the curve is undefined too often.
    """
    lost = np.isnan(drawn).any(axis=1)
    if lost.mean() > UNDEFINED_ALLOWED:
        return f"undefined in {np.count_nonzero(lost):,} of {len(drawn):,} replicates"
    low, high, own = envelope(drawn[~lost], level=level, kind=kind)
    if groups > 1:
        ends, stretch = (low, high), stretch_for(groups, level)
        low, high = (np.clip(height + stretch * (end - height), 0, 1) for end in ends)
        low, high = np.minimum(low, ends[0]), np.maximum(high, ends[1])
    return *at_least_wilson(height, of, (low, high), own), own


def envelope(drawn: Array, *, level: float, kind: str) -> tuple[Floats, Floats, float]:
    """Limits of replicates (a row each), and the level that they have at a single x.

    Simultaneous: ranks are counted from both ends at each x, and the limits lie at the
    highest rank that no more than the allowed share of replicates falls short of anywhere.

    Examples
    --------
    >>> drawn = np.column_stack([np.arange(100.0), np.arange(100.0)[::-1]])
    >>> envelope(drawn, level=0.9, kind="simultaneous")[:2]
    (array([5., 5.]), array([94., 94.]))
    """
    count = len(drawn)
    tail = (1 - level) / 2
    if kind == "pointwise":
        low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
        return low, high, level
    ordered = np.sort(drawn, axis=0)
    depth = np.full(count, count)
    for column, values in zip(ordered.T, drawn.T, strict=True):
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
