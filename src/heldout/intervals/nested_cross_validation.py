"""The nested cross-validation interval of a mean loss: wider, where folds depend on each other."""

from __future__ import annotations

from math import inf, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.notes import Kind, Note
from heldout.intervals.interval import Interval, absent, checked_level
from heldout.intervals.means import SAME_LOSS
from heldout.intervals.quantiles import two_sided_normal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Losses = NDArray[np.float64]

__all__ = ["nested_interval"]

#: with fewer repeats of the folds the error is said to be uncertain
FEW_REPEATS = 10


def nested_interval(
    outer: Sequence[Sequence[Losses]],
    inner: Sequence[Sequence[Sequence[Losses]]],
    *,
    level: float = 0.95,
    bounds: tuple[float, float] = (-inf, inf),
) -> tuple[float, Interval]:
    """The estimate without the bias of fewer training rows, and its interval.

    Parameters
    ----------
    outer
        ``outer[r][k]``: losses of the rows of fold k in repeat r, by the model of the other
        K - 1 folds.
    inner
        ``inner[r][k]``: the losses of the inner cross-validation of those K - 1 folds, an
        array for each of them, by the model of the other K - 2.

    Notes
    -----
    Bates, Hastie and Tibshirani (2023), J. Am. Stat. Assoc. 119:1434. The standard error is
    kept between the naive one and sqrt(K) times it, as they advise.
    """
    level = checked_level(level)
    repeats, folds = len(outer), len(outer[0])
    method = f"nested cross-validation, {repeats} x {folds} folds (Bates et al. 2023)"
    differences, noises, nested = [], [], []
    for held, within in zip(outer, inner, strict=True):
        for losses, others in zip(held, within, strict=True):
            together = np.concatenate(others)
            if not (np.isfinite(losses).all() and np.isfinite(together).all()):
                return inf, absent("a row's loss is infinite", level=level, method=method)
            if len(losses) < 2:
                reason = "a fold of one row has no spread: take fewer folds"
                return float("nan"), absent(reason, level=level, method=method)
            nested.append(float(together.mean()))
            differences.append((float(together.mean()) - float(losses.mean())) ** 2)
            noises.append(float(losses.var(ddof=1)) / len(losses))
    everything: Any = np.concatenate([losses for held in outer for losses in held])
    rows = len(everything) // repeats
    plain = float(np.mean([np.concatenate(list(held)).mean() for held in outer]))
    estimate = float(np.mean(nested))
    # models of the inner runs have one fold less to learn from, twice
    estimate -= (1 + (folds - 2) / folds) * (estimate - plain)
    naive = float(everything.std(ddof=1)) / sqrt(rows)
    if not naive:
        return estimate, absent(SAME_LOSS, level=level, method=method)
    spread = max(float(np.mean(differences)) - float(np.mean(noises)), 0.0)
    error = sqrt((folds - 1) / folds) * sqrt(spread)
    error = min(max(error, naive), sqrt(folds) * naive)
    reach = two_sided_normal(level) * error
    made = Interval(estimate - reach, estimate + reach, level, method).within(bounds)
    around = f"around the estimate {estimate:.6g}, corrected for bias"
    made = made.noted(Note(around, Kind.ESTIMATE))
    few = f"few repeats make it uncertain: the authors take 50 (50x{folds}-fold)"
    return estimate, made.noted(few) if repeats < FEW_REPEATS else made
