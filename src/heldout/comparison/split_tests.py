"""Tests of differences over splits: Nadeau and Bengio's t, Dietterich's t, Alpaydin's F."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.comparison.posterior import Posterior, student_posterior
from heldout.comparison.testing import checked_alternative, student_test, tail
from heldout.core.errors import InputError
from heldout.core.significance import Test
from heldout.uncertainty.interval import Interval, absent, checked_level

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.comparison.fold_differences import SplitValues
    from heldout.comparison.testing import Found
    from heldout.core.significance import Alternative

__all__ = [
    "METHOD",
    "Posterior",
    "SplitGaps",
    "alpaydin_difference",
    "alpaydin_f",
    "alpaydin_interval",
    "corrected_difference",
    "corrected_p_values",
    "corrected_t",
    "correlated_t",
    "dietterich_difference",
    "dietterich_t",
    "plain_difference",
    "plain_t",
    "split_freedom",
]

SAME = "every split gave the same difference"
METHOD = "corrected resampled t test (Nadeau and Bengio)"
#: degrees of freedom of 10 x 10 folds (Bouckaert 2003)
CALIBRATED = 10
PLAIN = "plain paired t test over folds (not valid)"


def split_freedom(splits: float, folds: int) -> float:
    """Degrees of freedom of the corrected t test, at most 10 where rows are tested repeatedly.

    Nadeau and Bengio (2003) take one less than splits, of which they make 15. Repeats add splits
    but no rows, and with learners that change with a few rows the test then finds differences
    that are not there in up to 12 % of samples at 5 %. Bouckaert (2003, ICML, Choosing between
    two learning algorithms based on calibrated tests) finds by calibration that 10 x 10 folds are
    worth 10 degrees of freedom.

    ``folds``: in each repeat; 1 for repeated holdouts.

    Examples
    --------
    >>> split_freedom(100, 10), split_freedom(20, 20), split_freedom(100, 1)
    (10, 19, 10)
    """
    return splits - 1 if splits <= folds else min(splits - 1, CALIBRATED)


@dataclass(frozen=True, slots=True, eq=False)
class SplitGaps:
    """First minus second model's value in each split, and how their mean is asked for.

    Parameters
    ----------
    centred
        The differences around the difference of the values that stand for the measure.
    gaps
        The differences as they are.
    test_share
        Test rows per training row; 0 where splits are taken to be independent.
    freedom
        Degrees of freedom of their variance.
    """

    centred: NDArray[np.float64]
    gaps: SplitValues
    test_share: float
    freedom: float
    level: float
    alternative: Alternative


def corrected_difference(splits: SplitGaps) -> Found:
    """Interval and test by the corrected variance."""
    mean, error, _ = _moments(splits.centred, splits.test_share)
    how: dict[str, Any] = {"level": splits.level, "alternative": splits.alternative}
    return _t_test(METHOD, mean, error, splits.freedom, **how)


def plain_difference(splits: SplitGaps) -> Found:
    """Interval and test as if splits were independent."""
    mean, error, freedom = _moments(splits.centred, 0.0)
    how: dict[str, Any] = {"level": splits.level, "alternative": splits.alternative}
    return _t_test(PLAIN, mean, error, freedom, **how)


def dietterich_difference(splits: SplitGaps) -> Found:
    """Dietterich's t, and the differences that it does not reject."""
    from scipy.stats import t

    table, variances = _variances(splits.gaps.table())
    first, spread = float(table[0, 0]), sqrt(float(variances.mean()))
    reach = float(t.isf((1 - splits.level) / 2, 5)) * spread
    interval = Interval(first - reach, first + reach, splits.level, T_METHOD)
    test = dietterich_t(table, alternative=splits.alternative)
    return interval.noted("it is centred on the difference of the first fold"), test


def alpaydin_difference(splits: SplitGaps) -> Found:
    """Alpaydin's F, and the differences that it does not reject."""
    if splits.alternative != "two-sided":
        raise InputError("Alpaydin's F has no direction: take 5x2-t or corrected-t")
    table = splits.gaps.table()
    return alpaydin_interval(table, level=splits.level), alpaydin_f(table)


def corrected_t(
    differences: NDArray[Any],
    test_share: float,
    *,
    folds: int | None = None,
    alternative: str = "two-sided",
) -> Test:
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
    Splits share training rows, so their differences are correlated; the variance of the mean
    is s^2 (1/J + test_share) instead of s^2 / J. Nadeau and Bengio (2003), Mach. Learn. 52:239;
    for repeated k-fold Bouckaert and Frank (2004), PAKDD.

    Examples
    --------
    >>> folds = np.array([0.02, 0.01, 0.03, 0.0, 0.02])
    >>> corrected_t(folds, 1 / 4).p_value
    0.1046
    """
    mean, error, _ = _moments(differences, test_share)
    splits = np.size(differences)
    freedom = split_freedom(splits, splits if folds is None else folds)
    return _t_test(METHOD, mean, error, freedom, alternative=alternative)[1]


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

    count = table.shape[1]
    means, variances = table.mean(axis=1), table.var(axis=1, ddof=1)
    errors = np.sqrt(np.where(_is_noise(variances, means), 0.0, variances))
    errors *= sqrt(1 / count + test_share)
    freedom = split_freedom(count, count if folds is None else folds)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = 2.0 * stdtr(freedom, -np.abs(means) / errors)
    return np.where(errors == 0, (means == 0).astype(float), found)


def plain_t(differences: NDArray[Any], *, alternative: str = "two-sided") -> Test:
    """The plain paired t test over folds, whose false alarms are far too many."""
    return _t_test(PLAIN, *_moments(differences, 0.0), alternative=alternative)[1]


def correlated_t(differences: NDArray[Any], test_share: float, rope: float = 0.0) -> Posterior:
    """The posterior of the mean difference, read at a region of practical equivalence.

    With no prior knowledge it is a t distribution with the mean and the corrected standard
    error of ``corrected_t``. Corani and Benavoli (2015), Mach. Learn. 100:285.

    Parameters
    ----------
    rope
        Differences up to this size (both ways) count as equivalent.

    Examples
    --------
    >>> found = correlated_t(np.array([0.02, 0.01, 0.03, 0.0, 0.02]), 1 / 4, rope=0.01)
    >>> found.first_better, found.equivalent, found.second_better
    (0.7617, 0.2247, 0.0136)
    """
    mean, error, degrees = _moments(differences, test_share)
    method = "Bayesian correlated t test (Corani and Benavoli)"
    note = "" if error else SAME
    return student_posterior(method, mean, error, rope, freedom=degrees, note=note)


def _t_test(method: str, mean: float, error: float, freedom: float, **how: Any) -> Found:
    interval, test = student_test(method, mean, error, freedom, **how)
    if error:
        return interval, test
    p_value = test.p_value if mean else 1.0
    return interval, replace(test, p_value=p_value, error=nan).noted(SAME)


def _moments(differences: NDArray[Any], test_share: float) -> tuple[float, float, int]:
    """Mean, corrected standard error and degrees of freedom."""
    values = np.asarray(differences, float).ravel()
    if len(values) < 2:
        raise InputError(f"a t test needs at least two splits, not {len(values)}")
    if np.isnan(values).any():
        raise InputError(
            f"{int(np.isnan(values).sum())} of {len(values)} splits have no difference: "
            "the measure is undefined there; take another measure or larger folds"
        )
    if test_share < 0:
        raise InputError(f"test rows per training row are a number from 0, not {test_share!r}")
    mean = float(values.mean())
    variance = float(values.var(ddof=1))
    if _is_noise(variance, mean):
        variance = 0.0
    return mean, sqrt(variance * (1 / len(values) + test_share)), len(values) - 1


def _is_noise(variance: Any, mean: Any) -> Any:
    """Whether equal differences vary by the noise of floats alone, which is no variance."""
    return variance <= (1e-15 * np.maximum(1.0, np.abs(mean))) ** 2


T_METHOD = "5x2 cv t test (Dietterich)"
F_METHOD = "combined 5x2 cv F test (Alpaydin)"


def dietterich_t(differences: NDArray[Any], *, alternative: str = "two-sided") -> Test:
    """Whether the first difference is more than the spread within repeats explains.

    Only the first of the ten differences is in the numerator, so the result depends on the
    order of the folds: Alpaydin's F does not. Dietterich (1998), Neural Comput. 10:1895.

    Parameters
    ----------
    differences
        First minus second model's value, a row a repeat and a column a fold (5 by 2).

    Examples
    --------
    >>> table = np.array([[0.03, 0.01], [0.02, 0.02], [0.01, 0.03], [0.02, 0.0], [0.0, 0.02]])
    >>> dietterich_t(table).statistic
    2.3717
    """
    from scipy.stats import t

    side = checked_alternative(alternative)
    table, variances = _variances(differences)
    spread = sqrt(float(variances.mean()))
    first = float(table[0, 0])
    if spread == 0:
        return _without_spread(T_METHOD, first, side, (5.0,))
    statistic = first / spread
    return Test(T_METHOD, statistic, tail(statistic, side, lambda x: t.sf(x, 5)), side, (5.0,))


def alpaydin_f(differences: NDArray[Any]) -> Test:
    """Whether the ten squared differences are more than the spread within repeats explains.

    Alpaydin (1999), Neural Comput. 11:1885. It has no direction.

    Examples
    --------
    >>> table = np.array([[0.03, 0.01], [0.02, 0.02], [0.01, 0.03], [0.02, 0.0], [0.0, 0.02]])
    >>> alpaydin_f(table).statistic
    2.25
    """
    from scipy.stats import f

    table, variances = _variances(differences)
    squares = float((table**2).sum())
    spread = float(variances.sum())
    if spread == 0:
        return _without_spread(F_METHOD, sqrt(squares), "two-sided", (10.0, 5.0))
    statistic = squares / (2 * spread)
    p_value = float(f.sf(statistic, 10, 5))
    return Test(F_METHOD, statistic, p_value, degrees=(10.0, 5.0), is_signed=False)


def alpaydin_interval(differences: NDArray[Any], *, level: float = 0.95) -> Interval:
    """The differences that Alpaydin's F test, of values less the difference, does not reject.

    The squares about a difference are those about the mean and ten times its distance from it,
    so the limits lie about the mean; 0 is outside exactly where the test rejects.

    Examples
    --------
    >>> table = np.array([[0.03, 0.01], [0.02, 0.02], [0.01, 0.03], [0.02, 0.0], [0.0, 0.02]])
    >>> interval = alpaydin_interval(table)
    >>> interval.low, interval.high
    (-0.0096, 0.0416)
    """
    from scipy.stats import f

    table, variances = _variances(differences)
    mean = float(table.mean())
    most = float(f.isf(1 - checked_level(level), 10, 5)) * 2 * float(variances.sum())
    room = most - float(((table - mean) ** 2).sum())
    if room < 0:
        return absent("the test rejects every difference", level=level, method=F_METHOD)
    reach = sqrt(room / table.size)
    return Interval(mean - reach, mean + reach, level, F_METHOD)


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


def _without_spread(
    method: str, size: float, side: Alternative, degrees: tuple[float, ...]
) -> Test:
    note = "every repeat gave the same difference in both folds"
    if size == 0:
        return Test(method, 0.0, 1.0, side, degrees).noted(note)
    against = (size > 0 and side == "less") or (size < 0 and side == "greater")
    statistic = inf if size > 0 else -inf
    signed = method == T_METHOD
    evidence = Test(method, statistic, float(against), side, degrees, is_signed=signed)
    return evidence.noted(note)
