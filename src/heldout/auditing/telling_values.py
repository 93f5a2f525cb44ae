"""What a column tells of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma, log
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.auditing.check import Severity
    from heldout.core.arrays import Array, Floats, Integers
    from heldout.datasets.dataset import Dataset, Feature

    #: what is seen, and how grave that is
    Verdict = tuple[str, Severity]

#: with fewer rows a correlation may be high by chance
FEW_ROWS = 30
#: correlations that measured quantities do not reach, or hardly
EXPLAINED, NEARLY_EXPLAINED = 0.9999, 0.999
#: a correlation from which on neighbours explain a target that rises or falls with the column
RISING = 0.98
#: share of the rows that may be off (a copy that was partly overwritten), if the rest still vary
OFF, VARIES = 0.05, 0.2
#: neighbours on each side, in order of the column, whose median foretells a value
NEIGHBOURS = 2
#: rows a distinct value from which on values are looked at one by one
REPEATED = 5
#: columns that tell less of a sample are not looked at whole
MANY_ROWS, SAMPLE, LITTLE = 50_000, 20_000, 0.99


@dataclass(frozen=True, eq=False)
class NumberTarget:
    """The numbers of some rows that columns may give away."""

    truth: Floats

    @classmethod
    def of(cls, data: Dataset) -> NumberTarget:
        """The target of a data set."""
        return cls(np.asarray(data.truth, float))

    def at(self, rows: Array) -> NumberTarget:
        """The same for some of the rows."""
        return NumberTarget(self.truth[rows])

    def verdict_on(self, feature: Feature, called: str = "") -> Verdict | None:
        """What is seen where a column alone gives the target away, and how grave that is."""
        known, column = ~feature.missing, called or repr(feature.name)
        x, y = feature.values[known], self.truth[known]
        if len(x) < FEW_ROWS or y.std() == 0:
            return None
        if len(x) > MANY_ROWS:
            rows = np.random.default_rng(0).permutation(len(x))[:SAMPLE]
            best = max(t.correlation for t in _tellings(x[rows], y[rows], feature.is_nominal))
            if best < LITTLE:
                few = _verdict_on_ranges(x[rows], y[rows], column)
                return _verdict_on_ranges(x, y, column) if few else None
        # of equal ones the plainest, which comes first
        tellings = list(_tellings(x, y, feature.is_nominal))
        best_of = max(tellings, key=lambda telling: round(telling.correlation, 9))
        if best_of.correlation < NEARLY_EXPLAINED:
            return _verdict_on_ranges(x, y, column)
        how = best_of.how.format(column)
        text = f"{how} {best_of.correlation:.6f} over {len(x):,} rows"
        if best_of.is_of_neighbours and _is_in_order(feature.values):
            # whatever changes slowly is foretold by its neighbours in time
            return f"the rows are in the order of {column}, and {text}", "note"
        # what rises with it, but not exactly, may follow the same trend
        plain = max(t.correlation for t in tellings if not t.is_of_neighbours)
        is_trend = best_of.is_of_neighbours and RISING <= plain < EXPLAINED
        is_grave = best_of.correlation >= EXPLAINED and not is_trend
        return text, "warning" if is_grave else "note"

    def verdict_on_texts(self, parts: Iterator[tuple[str, Feature]], looks: int) -> Verdict | None:
        """The first part of a text that gives the target away, looked at in so many ways."""
        del looks  # correlations as high as these are no chance
        verdicts = (self.verdict_on(feature, part) for part, feature in parts)
        return next(filter(None, verdicts), None)


@dataclass(frozen=True, slots=True)
class _Telling:
    """The correlation of the target with what a column says of it."""

    correlation: float
    #: of what it is the correlation; braces stand for the column
    how: str = ""
    is_of_neighbours: bool = False


def _tellings(x: Array, y: Array, is_nominal: bool) -> Iterator[_Telling]:
    """What a column says of the target, the plainest first."""
    yield _Telling(0.0)
    if is_nominal:
        means = "the means of the levels of {} explain the target: correlation"
        yield _Telling(_by_level(np.asarray(x, np.int64), y), means)
        return
    if x.std() == 0:
        return
    x = np.asarray(x, float)
    slope = float(np.cov(x, y)[0, 1] / np.var(x, ddof=1))
    from scipy.stats import rankdata

    ranks = rankdata(x), rankdata(y)
    without = f"without the {100 * OFF:g}% of rows that are furthest off, "
    plain, ranked = (f"the {kind}correlation of {{}} with the target is" for kind in ("", "rank "))
    for value, words in (
        (_correlation(x, y), plain),
        (_correlation(*ranks), ranked),
        (_without(slope * x, y), f"{without}{plain}"),
        (_without(np.sign(slope) * ranks[0], ranks[1]), f"{without}{ranked}"),
    ):
        yield _Telling(abs(value), words)
    order = np.random.default_rng(0).permutation(len(x))
    order = order[np.argsort(x[order], kind="stable")]
    yield _Telling(
        _without(_neighbours(y[order]), y[order]),
        "neighbouring values of {} explain the target: correlation",
        is_of_neighbours=True,
    )
    codes = np.cumsum(np.append(0, np.diff(x[order]) > 0))
    if (codes[-1] + 1) * REPEATED <= len(x):
        yield _Telling(
            _by_level(codes, y[order]),
            "the means of the target by value of {} explain it: correlation",
        )


def _correlation(first: Array, second: Array) -> float:
    if first.std() == 0 or second.std() == 0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])


def _without(explained: Array, y: Array) -> float:
    """The correlation without the rows that are furthest off; 0 if the rest hardly vary."""
    gap = y - explained
    # a copy with wrong rows has its own line, which the median finds
    far = np.abs(gap - np.median(gap))
    kept = far <= np.quantile(far, 1 - OFF)
    if y[kept].var() < VARIES * y.var():
        return 0.0
    return max(_correlation(explained[kept], y[kept]), 0.0)


def _neighbours(y: Floats) -> Floats:
    """The median of the rows before and after each, of which one may be off."""
    padded = np.concatenate([y[2:0:-1], y, y[-2:-4:-1]])
    steps = [k for k in range(2 * NEIGHBOURS + 1) if k != NEIGHBOURS]
    around = np.stack([padded[k : k + len(y)] for k in steps])
    around.sort(axis=0)
    return np.asarray(around[NEIGHBOURS - 1 : NEIGHBOURS + 1].mean(axis=0))


def _by_level(codes: Integers, y: Floats) -> float:
    """The correlation of a target with the mean of its level's other rows."""
    counts = np.bincount(codes)
    if np.count_nonzero(counts) > len(y) / 5:
        return 0.0
    several = counts[codes] > 1
    sums = np.bincount(codes, y)
    others = (sums[codes] - y)[several] / (counts[codes][several] - 1)
    return max(_correlation(others, y[several]), 0.0) if several.any() else 0.0


def _is_in_order(values: Array) -> bool:
    steps = np.diff(values)
    return bool((steps >= 0).all() or (steps <= 0).all())


#: rows that may be in another range than their value says, for a warning and for a note
WRONG, HARDLY_WRONG = 0.005, 0.03
#: rows a level at least, and distinct numbers of a target that can be cut
A_LEVEL, DISTINCT = 5, 10
#: the logarithm of how unlikely it must be by chance
CHANCE = log(1e-9)


def _verdict_on_ranges(x: Array, y: Floats, column: str) -> Verdict | None:
    """What is seen if levels, in the order of their medians, are ranges of the target.

    By chance levels stand in their ranges as seldom as rows have ways to be in order.
    """
    levels, codes, counts = np.unique(x, return_inverse=True, return_counts=True)
    if not 1 < len(levels) <= len(y) / A_LEVEL or len(np.unique(y)) < DISTINCT:
        return None
    order = np.argsort(y, kind="stable")
    places = np.empty(len(y))
    places[order] = np.arange(len(y))
    middle = np.bincount(codes, places) / counts
    ranks = np.argsort(np.argsort(middle))[codes]
    # rows of equal target may stand in any order
    wrong = int((ranks[np.lexsort((ranks, y))] != np.sort(ranks)).sum())
    chance = float(sum(lgamma(count + 1) for count in counts.tolist())) - lgamma(len(y) + 1)
    # so many rows may be anywhere, and levels in any order
    free = lgamma(len(levels) + 1) + wrong * log(len(y) * len(levels))
    if chance + free > CHANCE or wrong > HARDLY_WRONG * len(y):
        return None
    words = (
        f"the {len(levels):,} values of {column} are ranges of the target that do not overlap: "
        f"{wrong:,} of {len(y):,} rows lie outside of theirs"
    )
    return words, "warning" if wrong <= WRONG * len(y) else "note"
