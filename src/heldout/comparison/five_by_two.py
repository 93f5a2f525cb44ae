"""Tests after five repeats of two-fold cross-validation: Dietterich's t and Alpaydin's F."""

from __future__ import annotations

from math import inf, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.comparison.evidence import Evidence, checked_alternative, tail
from heldout.core.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.comparison.evidence import Alternative

__all__ = ["alpaydin_f", "dietterich_t"]

T_METHOD = "5x2 cv t test (Dietterich)"
F_METHOD = "combined 5x2 cv F test (Alpaydin)"


def dietterich_t(differences: NDArray[Any], *, alternative: str = "two-sided") -> Evidence:
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
    return Evidence(T_METHOD, statistic, tail(statistic, side, lambda x: t.sf(x, 5)), side, (5.0,))


def alpaydin_f(differences: NDArray[Any]) -> Evidence:
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
    return Evidence(F_METHOD, statistic, p_value, degrees=(10.0, 5.0), is_signed=False)


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
) -> Evidence:
    note = "every repeat gave the same difference in both folds"
    if size == 0:
        return Evidence(method, 0.0, 1.0, side, degrees, note)
    against = (size > 0 and side == "less") or (size < 0 and side == "greater")
    statistic = inf if size > 0 else -inf
    signed = method == T_METHOD
    return Evidence(method, statistic, float(against), side, degrees, note, signed)
