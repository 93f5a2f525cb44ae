"""Whether a column was scaled: means, lengths and ranges that are exact to many digits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SCALINGS", "may_be_scaled", "scaling_of"]

#: the kinds of scaling and how they show
SCALINGS = {
    "standard": "mean 0 and a fixed spread, to the sixth digit,",
    "centred": "mean 0, to the ninth digit,",
    "range": "a range of exactly 0 to 1 (or -1 to 1), each end once,",
    "robust": "median 0 and a middle half of width 1, to the sixth digit,",
    "largest": "a largest absolute value of exactly 1, once,",
}
#: with fewer rows, or so few distinct values, a range of 0 to 1 is what many columns have
FEW_ROWS, FEW_VALUES = 20, 20
#: how exactly a mean and a spread must be met to be no chance
EXACT, VERY_EXACT = 1e-6, 1e-9
#: what the scaling of a value rounds off at most
ROUNDED = 1e-12
#: of very many rows the first say the spread roughly, and a mean this near 0 may be 0
SOME, NEARLY = 10_000, 1e-3
#: how far the median and the middle half of some rows may be off those of all
ROUGHLY = 0.2


def may_be_scaled(train: NDArray[Any], test: NDArray[Any]) -> bool:
    """Whether a column may show a scaling on either side or on both, by a quick look."""
    sums, means, rows, ends, spreads = [], [], [], [], []
    for values in (train, test):
        known = values
        if not len(values) or np.isnan(values[0] + values.sum()):
            known = values[~np.isnan(values)]
        if not len(known):
            return False
        sums.append(float(known.sum()))
        rows.append(len(known))
        means.append(sums[-1] / rows[-1])
        ends.append(max(-float(known.min()), float(known.max())))
        spreads.append(float(known[:SOME].std()))
    means.append(sum(sums) / sum(rows))
    is_centred = min(abs(mean) for mean in means) <= NEARLY * max(spreads)
    has_end = any(_is(end, 1) for end in ends)
    return is_centred or has_end or any(_nearly_robust(values) for values in (train, test))


def _is(value: float, end: float) -> bool:
    """Whether an end is met, but for what scaling rounds."""
    return abs(value - end) < ROUNDED


def _nearly_robust(values: NDArray[Any]) -> bool:
    """Whether median and quartiles of some rows are such that those of all may be 0 and 1 apart."""
    few = values[:: max(1, len(values) // SOME)]
    few = few[~np.isnan(few)]
    if len(few) < SOME // 2:
        # of few rows the whole may be quite another
        return True
    low, middle, high = np.quantile(few, (0.25, 0.5, 0.75))
    return bool(abs(middle) < ROUGHLY and abs(high - low - 1) < ROUGHLY)


def scaling_of(values: NDArray[Any]) -> str:
    """The kind of scaling that a column shows, or nothing."""
    known = np.asarray(values, float)
    known = known[~np.isnan(known)]
    rows = len(known)
    if rows < FEW_ROWS or len(np.unique(known[:1000])) <= FEW_VALUES:
        return ""
    low, high = float(known.min()), float(known.max())
    if _is(high, 1) and (_is(low, 0) or _is(low, -1)):
        once = all(int((np.abs(known - end) < ROUNDED).sum()) == 1 for end in (low, high))
        return "range" if once and not _is_coarse(known) else ""
    mean, spread = float(known.mean()), float(known.std())
    if abs(mean) <= EXACT * spread and _is_fixed(spread, rows):
        return "standard"
    # whole numbers may well add up to 0
    if abs(mean) <= VERY_EXACT * spread and not (known == np.floor(known)).all():
        return "centred"
    if _is_robust(known):
        return "robust"
    if _is(max(-low, high), 1) and int((np.abs(known) > 1 - ROUNDED).sum()) == 1:
        return "" if _is_coarse(known) else "largest"
    return ""


def _is_robust(values: NDArray[Any]) -> bool:
    """Whether the median is 0 and the quartiles are 1 apart, of values that are not coarse."""
    if not _nearly_robust(values):
        return False
    low, middle, high = np.quantile(values, (0.25, 0.5, 0.75))
    return bool(abs(middle) < EXACT and abs(high - low - 1) < EXACT and not _is_coarse(values))


def _is_coarse(values: NDArray[Any]) -> bool:
    """Whether values are whole thousandths, as shares are that somebody wrote down."""
    thousandths = 1000 * values
    return bool((np.abs(thousandths - np.rint(thousandths)) < 1e-9).all())


def _is_fixed(spread: float, rows: int) -> bool:
    """Whether the spread is 1 by either divisor, or the column has length 1."""
    sizes = (1.0, np.sqrt((rows - 1) / rows), 1 / np.sqrt(rows))
    return any(abs(spread - size) < EXACT * size for size in sizes)
