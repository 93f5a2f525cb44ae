"""Intervals after cross-validation, from the values of many splits."""

from __future__ import annotations

from math import inf, sqrt
from typing import TYPE_CHECKING

import numpy as np

from heldout.core.errors import InputError
from heldout.intervals.interval import Interval, absent, checked_level
from heldout.intervals.quantiles import two_sided_student

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["corrected_t_interval", "refuse_naive"]

NAIVE = (
    "the standard error over folds takes folds for separate samples, but they share most of "
    "their training rows: it is too small, and no estimate of it is unbiased (Bengio and "
    "Grandvalet 2004). Leave --interval out: one that is valid for the procedure is chosen"
)


def refuse_naive() -> InputError:
    """The error that says why the spread of folds is no standard error."""
    return InputError(f"--interval naive: {NAIVE}")


def corrected_t_interval(
    values: NDArray[np.float64],
    test_share: float,
    *,
    level: float = 0.95,
    centre: float | None = None,
    bounds: tuple[float, float] = (-inf, inf),
) -> Interval:
    """Nadeau and Bengio's corrected t interval of a mean over repeated splits.

    The variance over splits is taken times 1/J + n_test/n_train instead of 1/J, because the
    splits' training parts overlap.

    Parameters
    ----------
    values
        The value of a measure in each split (J of them: repeats times folds).
    test_share
        Rows tested over rows trained on, in a split.
    centre
        What the interval lies around; None: the mean of the values.

    Notes
    -----
    Nadeau and Bengio (2003), Mach. Learn. 52:239; for repeated k-fold Bouckaert and Frank
    (2004), PAKDD. A heuristic correction: see docs/coverage.md.

    Examples
    --------
    >>> made = corrected_t_interval(np.array([0.8, 0.9, 0.7, 0.8]), 1 / 9)
    >>> made.low, made.high
    (0.6438, 0.9562)
    """
    level = checked_level(level)
    count = len(values)
    method = f"corrected t over {count:,} splits (Nadeau and Bengio 2003)"
    if count < 2:
        return absent("a single split says nothing of the spread", level=level, method=method)
    if not np.isfinite(values).all():
        return absent("a split's value is infinite", level=level, method=method)
    variance = float(np.var(values, ddof=1))
    mean = float(np.mean(values)) if centre is None else centre
    # values that differ by rounding alone have no spread either
    if variance <= 1e-28 * max(mean * mean, 1e-300):
        return absent("all splits have the same value", level=level, method=method)
    reach = two_sided_student(level, count - 1) * sqrt((1 / count + test_share) * variance)
    return Interval(mean - reach, mean + reach, level, method).within(bounds)
