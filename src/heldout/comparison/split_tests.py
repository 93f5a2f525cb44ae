"""Tests of differences over splits: Nadeau and Bengio's t, Dietterich's t, Alpaydin's F."""

from __future__ import annotations

from dataclasses import replace
from math import nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.comparison.limits_and_test import no_test, student_test
from heldout.core.errors import InputError
from heldout.core.significance import Test
from heldout.uncertainty.cross_validation import split_freedom
from heldout.uncertainty.interval import Interval, absent, checked_level

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.comparison.limits_and_test import Finding
    from heldout.comparison.pairs import Pair
    from heldout.core.significance import Alternative

SAME = "every split gave the same difference"
BOTH_SAME = "every repeat gave the same difference in both folds"
NO_CERTAINTY = ", so the variance of the differences is unknown"
METHOD = "corrected resampled t test (Nadeau and Bengio)"
PLAIN = "plain paired t test over folds (not valid)"
T_METHOD = "5x2 cv t test (Dietterich)"
F_METHOD = "combined 5x2 cv F test (Alpaydin)"


def corrected_difference(pair: Pair) -> Finding:
    """Interval and test of two models by the corrected variance of their splits."""
    share, folds = pair.design.test_share, pair.design.folds
    return corrected_t(pair.centred_gaps, share, folds=folds, **pair.sided)


def plain_difference(pair: Pair) -> Finding:
    """The same as if splits were independent."""
    return plain_t(pair.centred_gaps, **pair.sided)


def five_by_two_difference(pair: Pair, test: Callable[..., Finding]) -> Finding:
    """The same by a test of five repeats of two folds, whose order is that of the splits."""
    return test(pair.split_gaps.reshape(-1, pair.design.folds), **pair.sided)


def split_error(differences: NDArray[Any], test_share: float) -> NDArray[np.float64]:
    """The standard error of the mean over splits (on the last axis) that share training rows.

    The variance of the mean is s^2 (1/J + test_share) instead of s^2 / J; 0 where differences
    vary by the noise of floats alone. Nadeau and Bengio (2003), Mach. Learn. 52:239.
    """
    splits, mean = differences.shape[-1], differences.mean(axis=-1)
    variance = differences.var(axis=-1, ddof=1)
    is_noise = variance <= (1e-15 * np.maximum(1.0, np.abs(mean))) ** 2
    return np.sqrt(np.where(is_noise, 0.0, variance) * (1 / splits + test_share))


def corrected_t(
    differences: NDArray[Any],
    test_share: float,
    *,
    folds: int | None = None,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    method: str = METHOD,
) -> Finding:
    """Whether the mean difference over overlapping training parts is 0.

    Parameters
    ----------
    differences
        First minus second model's value in each split (all repeats and folds).
    test_share
        Test rows per training row: 1 / (k - 1) for k folds, 3/7 for a holdout of 70:30.
    folds
        In each repeat, which decides the degrees of freedom (``split_freedom``); None: one less
        than splits.

    Notes
    -----
    Nadeau and Bengio (2003), Mach. Learn. 52:239; for repeated k-fold Bouckaert and Frank (2004),
    PAKDD.

    Examples
    --------
    >>> gaps = np.array([0.02, 0.01, 0.03, 0.0, 0.02])
    >>> corrected_t(gaps, 1 / 4)[1].p_value
    0.1046
    """
    gaps = checked_gaps(differences, test_share)
    freedom = split_freedom(len(gaps), len(gaps) if folds is None else folds)
    mean, error = float(gaps.mean()), float(split_error(gaps, test_share))
    return _student(method, mean, error, freedom, SAME, level=level, alternative=alternative)


def _student(
    method: str, value: float, error: float, freedom: float, same: str, **how: Any
) -> Finding:
    """Interval and test; none of a difference that does not vary, as if it were certain."""
    if value and not error:
        return no_test(method, same + NO_CERTAINTY, **how)
    interval, test = student_test(method, value, error, freedom, **how)
    return (interval, test) if error else (interval, replace(test, error=nan).noted(same))


def corrected_p_values(
    table: NDArray[Any], test_share: float, *, folds: int | None = None
) -> NDArray[Any]:
    """The p-value of ``corrected_t`` for each line of differences, all at once.

    Examples
    --------
    >>> corrected_p_values(np.array([[0.02, 0.01, 0.03, 0.0, 0.02], [0.0] * 5]), 1 / 4)
    array([0.1046, 1.    ])
    """
    from heldout.core.special import stdtr

    means, errors, count = table.mean(axis=1), split_error(table, test_share), table.shape[1]
    freedom = split_freedom(count, count if folds is None else folds)
    with np.errstate(divide="ignore", invalid="ignore"):
        p_values = 2.0 * stdtr(freedom, -np.abs(means) / errors)
    return np.where(errors == 0, np.where(means == 0, 1.0, nan), p_values)


def plain_t(differences: NDArray[Any], **how: Any) -> Finding:
    """The plain paired t test over folds, whose false alarms are far too many."""
    return corrected_t(differences, 0.0, method=PLAIN, **how)


def checked_gaps(differences: NDArray[Any], test_share: float) -> NDArray[np.float64]:
    """The differences of two splits or more, all of which are defined; or an error."""
    gaps = np.asarray(differences, float).ravel()
    if len(gaps) < 2:
        raise InputError(f"a t test needs at least two splits, not {len(gaps)}")
    if np.isnan(gaps).any():
        raise InputError(
            f"{int(np.isnan(gaps).sum())} of {len(gaps)} splits have no difference: "
            "the measure is undefined there; use another measure or larger folds"
        )
    if test_share < 0:
        raise InputError(f"test rows per training row are a number from 0, not {test_share!r}")
    return gaps


def dietterich_t(
    differences: NDArray[Any], *, level: float = 0.95, alternative: Alternative = "two-sided"
) -> Finding:
    """Whether the first difference is more than the spread within repeats explains.

    Only the first of the ten differences is in the numerator, so the result depends on the
    order of the folds: Alpaydin's F does not. Dietterich (1998), Neural Comput. 10:1895. The
    interval holds the differences that the test does not reject.

    Parameters
    ----------
    differences
        First minus second model's value, a row per repeat and a column per fold (5 by 2).

    Examples
    --------
    >>> table = np.array([[0.03, 0.01], [0.02, 0.02], [0.01, 0.03], [0.02, 0.0], [0.0, 0.02]])
    >>> dietterich_t(table)[1].statistic
    2.3717
    """
    table, variances = _variances(differences)
    first, spread = float(table[0, 0]), sqrt(float(variances.mean()))
    how: dict[str, Any] = {"level": checked_level(level), "alternative": alternative}
    interval, test = _student(T_METHOD, first, spread, 5.0, BOTH_SAME, **how)
    return interval.noted("it is centred on the difference of the first fold"), test


def alpaydin_f(
    differences: NDArray[Any], *, level: float = 0.95, alternative: Alternative = "two-sided"
) -> Finding:
    """Whether the ten squared differences are more than the spread within repeats explains.

    Alpaydin (1999), Neural Comput. 11:1885. It has no direction. The interval holds the
    differences that the test, of values less the difference, does not reject: the squares about
    a difference are those about the mean and ten times its distance from it, so the limits lie
    about the mean.

    Examples
    --------
    >>> table = np.array([[0.03, 0.01], [0.02, 0.02], [0.01, 0.03], [0.02, 0.0], [0.0, 0.02]])
    >>> interval, test = alpaydin_f(table)
    >>> interval.low, interval.high, test.statistic
    (-0.0096, 0.0416, 2.25)
    """
    from scipy.stats import f

    if alternative != "two-sided":
        raise InputError("Alpaydin's F has no direction: use 5x2-t or corrected-t")
    table, variances = _variances(differences)
    squares, spread, mean = float((table**2).sum()), float(variances.sum()), float(table.mean())
    most = float(f.isf(1 - checked_level(level), 10, 5)) * 2 * spread
    room = most - float(((table - mean) ** 2).sum())
    if room < 0:
        interval = absent("the test rejects every difference", level=level, method=F_METHOD)
    else:
        reach = sqrt(room / table.size)
        interval = Interval(mean - reach, mean + reach, level, F_METHOD)
    test = Test(F_METHOD, 0.0, 1.0, degrees=(10.0, 5.0), is_signed=False)
    if spread == 0:
        if squares:
            return no_test(F_METHOD, BOTH_SAME + NO_CERTAINTY, level=level)
        return interval, test.noted(BOTH_SAME)
    statistic = squares / (2 * spread)
    return interval, replace(test, statistic=statistic, p_value=float(f.sf(statistic, 10, 5)))


def _variances(differences: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    table = np.asarray(differences, float)
    if table.shape != (5, 2):
        raise InputError(
            f"these tests are for five repeats of two folds (5x2-fold), not for a table of "
            f"{' by '.join(map(str, table.shape))}"
        )
    if np.isnan(table).any():
        raise InputError("a fold has no difference: the measure is undefined there")
    centred = table - table.mean(axis=1, keepdims=True)
    return table, (centred**2).sum(axis=1)
