"""How many rows of one weight say as much as rows of unequal weight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LENT", "effective_rows_of_share", "effective_sample_size", "row_worth"]

#: effective rows that a whole lends each of its parts, to know how much rows weigh there
LENT = 5.0


def effective_sample_size(weight_sum: float, weight_squares: float) -> float:
    """How many rows of equal weight say as much as these: (sum of w)^2 / sum of w^2.

    Kish (1965), Survey Sampling. Equal weights give the number of rows, whatever their
    scale; it is never more than that.

    Examples
    --------
    >>> effective_sample_size(2 + 2 + 2, 4 + 4 + 4)
    3.0
    """
    return weight_sum**2 / weight_squares if weight_squares else 0.0


def row_worth(weight: Any, squares: Any, typical: Any) -> NDArray[Any]:
    """What an effective row of a part weighs: the sum of squared weights over that of weights.

    A part with few rows hardly shows how unequal its weights are: five effective rows of the
    whole are lent to it. A part whose rows are seen to weigh more keeps that.

    Parameters
    ----------
    weight, squares
        The sums of the weights of each part, and of their squares.
    typical
        What an effective row of the whole weighs.

    Examples
    --------
    >>> row_worth([9.0, 0.0, 3.0], [27.0, 0.0, 5.0], [3.0, 3.0, 2.0]).round(2)
    array([3.  , 3.  , 1.92])
    """
    weight, squares, typical = (np.asarray(part, float) for part in (weight, squares, typical))
    shared = (squares + LENT * typical**2) / (weight + LENT * typical)
    own = np.divide(squares, weight, where=weight > 0, out=np.zeros_like(shared))
    made: NDArray[Any] = np.maximum(shared, own)
    return made


def effective_rows_of_share(
    weight: float, squares: float, hits: float, squared_hits: float
) -> float:
    """The effective rows of a share: by its own variance, which weights may have a part in.

    Rows that are wrong may weigh more than those that are right, or what is wrong lies in the
    class that weighs more; Kish's number takes weights for unrelated to that. Where they are,
    or where the share is 0 or 1, it comes to Kish's.

    Parameters
    ----------
    weight, squares
        The sums of the weights of all rows, and of their squares.
    hits, squared_hits
        The same of the rows that the share counts.

    Examples
    --------
    >>> effective_rows_of_share(20.0, 40.0, 5.0, 10.0), effective_rows_of_share(9.0, 9.0, 9.0, 9.0)
    (10.0, 9.0)
    """
    if not squares > 0 < weight:
        return 0.0
    typical, rest = squares / weight, (max(weight - hits, 0.0), max(squares - squared_hits, 0.0))
    of_hits, of_rest = row_worth([hits, rest[0]], [squared_hits, rest[1]], [typical] * 2).tolist()
    return float(weight / (of_hits * rest[0] / weight + of_rest * hits / weight))
