"""Intervals of a share: successes out of n, of rows alike, weighted or in groups."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, hypot, inf, isfinite, log, log1p, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.nearest import no_such
from heldout.uncertainty.influence import Spread
from heldout.uncertainty.interval import Interval, absent, checked_level
from heldout.uncertainty.means import ALIKE, ONE_GROUP
from heldout.uncertainty.quantiles import two_sided_normal
from heldout.uncertainty.sample import Sample
from heldout.uncertainty.worth import GroupSizes, effective_rows_of_share, effective_sample_size

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.tally.scores import ScoreCounts

Ends = tuple[float, float]
#: rows of the rarer kind bunch where they lie in groups worth fewer than this
BUNCHED = 5.0
#: fewer rows of the rarer kind say nothing of where they lie
FEWEST_RARE = 5


def proportion_interval(
    successes: float, n: float, *, level: float = 0.95, method: str = "wilson"
) -> Interval:
    """The interval of ``successes / n``.

    Parameters
    ----------
    successes, n
        Counts. Of weighted rows: the share times ``n``, with ``n`` the effective sample
        size; neither then needs to be whole.
    method
        ``wilson`` (score, the default), ``wilson_cc`` (with continuity correction),
        ``clopper_pearson`` (exact: covers at least at its level), ``jeffreys``,
        ``agresti_coull``, ``mid_p``, ``likelihood`` (profile likelihood), ``wald`` and
        ``wald_cc`` (too narrow near 0 and 1; ``wald`` collapses to a point at 0 and 1).

    Notes
    -----
    Newcombe (1998), Stat. Med. 17:857; Brown, Cai and DasGupta (2001), Stat. Sci. 16:101.

    Examples
    --------
    >>> interval = proportion_interval(0, 20)
    >>> interval.low, interval.high
    (0.0, 0.1611)
    """
    name, title, ends = _method(method)
    level = checked_level(level)
    if not (isfinite(n) and 0 <= successes <= n * (1 + 1e-12)):
        raise InputError(f"{successes!r} of {n!r} is no share: successes lie between 0 and n")
    if not n:
        return absent("no rows to take a share of", level=level, method=title)
    successes = min(float(successes), float(n))
    low, high = ends(successes, float(n), level)
    # rounding must not push a limit past the estimate or off the bounds that it reaches
    low = 0.0 if not successes else low
    high = 1.0 if successes == n else high
    interval = Interval(low, high, level, title, by=name).within((0, 1))
    if interval.low == interval.high:
        return interval.noted("a Wald interval collapses to a point here: it is not valid")
    return interval


@dataclass(frozen=True, slots=True, eq=False)
class ShareParts:
    """A share of rows: those that count, and all they are of.

    Parameters
    ----------
    successes, trials
        Rows, or their weights.
    squares
        For weighted rows: the sums of squared weights of those that count and of all.
    sums
        For rows in groups: both sums by group.
    total
        All rows there are: a share of fewer says of how many it is.
    """

    successes: float
    trials: float
    squares: tuple[float, float] | None = None
    sums: Sample | None = None
    total: float | None = None

    @classmethod
    def of_rows(
        cls,
        hits: NDArray[Any],
        weight: NDArray[Any],
        groups: NDArray[Any] | None = None,
        *,
        worth: float | None = None,
    ) -> ShareParts:
        """The share of rows that are hits (0 or 1), by their weights and groups.

        ``worth``: how many rows of one weight they are worth, where that is not Kish's number.
        """
        hits, squared = np.asarray(hits, float), weight * weight
        total, squares = float(weight.sum()), float(squared.sum())
        scale = 1.0 if worth is None else total**2 / worth / squares
        sums = None if groups is None else Sample.of_values(groups, hits * weight, weight)
        squares_of = (float(hits @ squared) * scale, squares * scale)
        return cls(min(float(hits @ weight), total), total, squares_of, sums)

    @property
    def value(self) -> float:
        """The share itself."""
        return self.successes / self.trials

    @property
    def rows(self) -> float:
        """How many rows it is of; of weighted ones, as many as they are worth (Kish)."""
        if self.squares is None:
            return self.trials
        return effective_sample_size(self.trials, self.squares[1])


def share_interval(parts: ShareParts, *, level: float = 0.95, method: str = "wilson") -> Interval:
    """The interval of a share of rows that weigh the same, have weights, or come in groups.

    Examples
    --------
    >>> share_interval(ShareParts(8, 10, total=50)).method
    'Wilson on 10 rows'
    >>> made = share_interval(ShareParts(2.0, 4.0, squares=(1.0, 2.0)))
    >>> made.low, made.high, made.method
    (0.215, 0.785, 'Wilson on 8 effective rows')
    """
    if parts.sums is not None:
        return group_share_interval(parts.sums, level=level, method=method, rows=parts.rows)
    if not parts.trials:
        return absent("no rows", level=level)
    if parts.squares is not None:
        hits, squares = parts.squares
        size = effective_rows_of_share(parts.trials, squares, parts.successes, hits)
        interval = proportion_interval(parts.value * size, size, level=level, method=method)
        return replace(interval, method=f"{interval.method} on {size:.4g} effective rows")
    interval = proportion_interval(parts.successes, parts.trials, level=level, method=method)
    if parts.total is None or parts.trials == parts.total:
        return interval
    return replace(interval, method=f"{interval.method} on {parts.trials:,.10g} rows")


def group_share_interval(
    sums: Sample, *, level: float = 0.95, method: str = "wilson", rows: float | None = None
) -> Interval:
    """The interval of a share of rows, with the rows counted for what they are worth.

    The effective sample size is the number of independent rows that would give the same
    standard error, made smaller for the degrees of freedom (see ``Influence.spread``). Where the
    share is 0 or 1 nothing is known of the spread between groups, and each group counts as one
    row. Groups that differ less than single rows would (by chance, or as each holds a case and
    a control) are worth no more than their rows. Where few groups make up the spread it is
    known as badly as if there were few; where what is rare bunches in them, a note says so,
    since groups like them that were not seen are in no interval.

    Parameters
    ----------
    sums
        ``Sample.of_values(codes, hits * weight, weight)``.
    method
        Any of ``proportion_interval``.
    rows
        How many rows there are (of weighted ones, as many as they are worth); None: the second
        sum counts them.

    Examples
    --------
    >>> from heldout.uncertainty.sample import Sample
    >>> made = group_share_interval(Sample(np.array([[5, 5]]), np.array([20])))
    >>> made.low, made.high
    (0.8203, 1.0)
    """
    level = checked_level(level)
    count = sums.units
    if count < 2:
        return absent(ONE_GROUP, level=level)
    mean, most = sums.ratio, sums.rows if rows is None else rows
    share = mean.value
    variance = share * (1 - share)
    spread = mean.spread(row_error=sqrt(variance / most), rows=most, has_tails=True)
    if not variance:
        variance, spread = 1.0, Spread(0.0, sqrt(1 / min(count, most)), count, count - 1)
    is_cut = spread.of_units < spread.of_rows and 0 < share < 1
    size = spread.effective_rows(variance, level)
    interval = proportion_interval(share * size, size, level=level, method=method)
    interval = replace(interval, method=f"{interval.method} on {worth_text(size, count)}")
    interval = interval.noted(mean.sizes.remark).noted(_bunched(sums, share, most))
    return interval.noted(ALIKE) if is_cut else interval


def best_distance_interval(
    counts: ScoreCounts,
    *,
    level: float = 0.95,
    two_sided: bool = False,
    squares: ScoreCounts | None = None,
) -> Interval:
    """The interval of TPR - FPR at its best threshold, as if that had not been chosen.

    Parameters
    ----------
    two_sided
        Where the distance of either sign is largest.
    squares
        For weighted rows: the same scores with the squares of the weights.

    Notes
    -----
    Newcombe (1998), Stat. Med. 17:873, method 10: Wilson's limits of both shares. They
    allow for misses where a sample has none, which no resampling of its rows does.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth = np.repeat([True, False], 10)
    >>> made = best_distance_interval(ScoreCounts.of(truth, np.where(truth, 0.9, 0.1)))
    >>> made.low, made.high
    (0.6075, 1.0)
    """
    level = checked_level(level)
    sizes = [float(counts.total_positives), float(counts.total_negatives)]
    surplus = counts.tp / sizes[0] - counts.fp / sizes[1]
    best = int(np.argmax(np.abs(surplus) if two_sided else surplus))
    shares = [float(counts.tp[best]) / sizes[0], float(counts.fp[best]) / sizes[1]]
    if squares is not None:
        both = float(squares.total_positives), float(squares.total_negatives)
        sizes = [effective_sample_size(*pair) for pair in zip(sizes, both, strict=True)]
    if shares[0] < shares[1]:
        # two-sided: the other class stands out; else no row is better called positive
        shares, sizes = (shares[::-1], sizes[::-1]) if two_sided else ([0.0, 0.0], sizes)
    more, less = (
        proportion_interval(min(share, 1.0) * size, size, level=level)
        for share, size in zip(shares, sizes, strict=True)
    )
    distance = shares[0] - shares[1]
    low = distance - hypot(shares[0] - more.low, less.high - shares[1])
    high = distance + hypot(more.high - shares[0], shares[1] - less.low)
    return Interval(low, high, level, "Newcombe").within((0, 1))


def worth_text(size: float, count: int) -> str:
    """How many rows some groups are worth, in words.

    Examples
    --------
    >>> worth_text(12.34, 5)
    '12.3 effective rows of 5 groups'
    """
    worth = f"{size:,.0f}" if size >= 100 else f"{size:.3g}"
    return f"{worth} effective rows of {count:,} groups"


def _bunched(sums: Sample, share: float, rows: float) -> str:
    """That what is rare lies in few groups, more than chance would have it; else empty."""
    top, bottom = sums.sums[:, 0].astype(float), sums.sums[:, 1].astype(float)
    rare = top if share < 1 / 2 else np.maximum(bottom - top, 0.0)
    total = float(sums.count @ rare) / sums.rows * rows
    if total < FEWEST_RARE:
        return ""
    own, by_chance = GroupSizes.of(rare, sums.count), 1 / (1 / sums.ratio.sizes.worth + 1 / total)
    if own.worth >= min(BUNCHED, by_chance / 2):
        return ""
    what = "what the share counts" if share < 1 / 2 else "what the share does not count"
    return (
        f"{what} lies in groups worth {own.worth:.2g} of {own.count:,}: "
        "its frequency in other groups is poorly estimated"
    )


def _wilson(x: float, n: float, level: float) -> Ends:
    z = two_sided_normal(level)
    share, square = x / n, z * z
    centre = (share + square / (2 * n)) / (1 + square / n)
    half = z / (1 + square / n) * sqrt(share * (1 - share) / n + square / (4 * n * n))
    return centre - half, centre + half


def _wilson_corrected(x: float, n: float, level: float) -> Ends:
    z = two_sided_normal(level)
    share, square = x / n, z * z
    bottom = 2 * (n + square)
    under = square - 2 - 1 / n + 4 * share * (n * (1 - share) + 1)
    over = square + 2 - 1 / n + 4 * share * (n * (1 - share) - 1)
    low = (2 * x + square - 1 - z * sqrt(max(under, 0.0))) / bottom
    high = (2 * x + square + 1 + z * sqrt(max(over, 0.0))) / bottom
    # part of Newcombe's definition, not a repair; effective rows may leave less than half a row
    # of a kind, which the correction takes wholly
    return (max(low, 0.0) if x > 0.5 else 0.0), (min(high, 1.0) if n - x > 0.5 else 1.0)


def _clopper_pearson(x: float, n: float, level: float) -> Ends:
    from heldout.core.special import betaincinv

    tail = (1 - level) / 2
    low = betaincinv(x, n - x + 1, tail) if x > 0 else 0.0
    high = betaincinv(x + 1, n - x, 1 - tail) if x < n else 1.0
    return float(low), float(high)


def _jeffreys(x: float, n: float, level: float) -> Ends:
    from heldout.core.special import betaincinv

    tail = (1 - level) / 2
    low = float(betaincinv(x + 0.5, n - x + 0.5, tail))
    return low, float(betaincinv(x + 0.5, n - x + 0.5, 1 - tail))


def _agresti_coull(x: float, n: float, level: float) -> Ends:
    z = two_sided_normal(level)
    size = n + z * z
    share = (x + z * z / 2) / size
    half = z * sqrt(share * (1 - share) / size)
    return share - half, share + half


def _wald(x: float, n: float, level: float) -> Ends:
    half = two_sided_normal(level) * sqrt(x / n * (1 - x / n) / n)
    return x / n - half, x / n + half


def _wald_corrected(x: float, n: float, level: float) -> Ends:
    low, high = _wald(x, n, level)
    return low - 1 / (2 * n), high + 1 / (2 * n)


def _mid_p(x: float, n: float, level: float) -> Ends:
    from heldout.core.special import betainc

    tail = (1 - level) / 2

    def above(share: float) -> float:
        """P(X > x) + P(X = x) / 2, which rises with the share."""
        at_least = betainc(x, n - x + 1, share) if x > 0 else 1.0
        more = betainc(x + 1, n - x, share) if x < n else 0.0
        return float(at_least + more) / 2

    low = crossing(lambda share: above(share) - tail, 0.0, x / n)
    return low, crossing(lambda share: above(share) - (1 - tail), x / n, 1.0)


def _likelihood(x: float, n: float, level: float) -> Ends:
    allowed = two_sided_normal(level) ** 2 / 2
    best = _log_likelihood(x, n, x / n)

    def excess(share: float) -> float:
        return best - _log_likelihood(x, n, share) - allowed

    if not x:
        return 0.0, 1 - exp(-allowed / n)
    if x == n:
        return exp(-allowed / n), 1.0
    return crossing(lambda share: -excess(share), 0.0, x / n), crossing(excess, x / n, 1.0)


def _log_likelihood(x: float, n: float, share: float) -> float:
    hits = x * log(share) if share > 0 else (-inf if x else 0.0)
    misses = (n - x) * log1p(-share) if share < 1 else (-inf if x < n else 0.0)
    return hits + misses


def crossing(rising: Callable[[float], float], low: float, high: float) -> float:
    """Where a rising function passes zero, by halving until the doubles run out."""
    while low < (middle := (low + high) / 2) < high:
        if rising(middle) < 0:
            low = middle
        else:
            high = middle
    return high


FUNCTIONS: dict[str, tuple[str, Callable[[float, float, float], Ends]]] = {
    "wilson": ("Wilson", _wilson),
    "wilson_cc": ("Wilson with continuity correction", _wilson_corrected),
    "clopper_pearson": ("Clopper-Pearson", _clopper_pearson),
    "jeffreys": ("Jeffreys", _jeffreys),
    "agresti_coull": ("Agresti-Coull", _agresti_coull),
    "wald": ("Wald", _wald),
    "wald_cc": ("Wald with continuity correction", _wald_corrected),
    "mid_p": ("mid-p", _mid_p),
    "likelihood": ("profile likelihood", _likelihood),
}
#: the name of each method in words
TITLES = {name: title for name, (title, _) in FUNCTIONS.items()}


def _method(name: str) -> tuple[str, str, Callable[[float, float, float], Ends]]:
    known = name.strip().lower().replace("-", "_").replace(" ", "_")
    try:
        return known, *FUNCTIONS[known]
    except KeyError:
        raise no_such("interval of a share", name, FUNCTIONS) from None
