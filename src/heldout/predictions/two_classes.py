"""Probabilities of two classes as that of the positive one, and what 1 less it would lose."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["of_two_classes"]

#: 1 less a probability has lost half of its digits below this
SMALL = 1e-8


def of_two_classes(
    both: NDArray[np.float64], positive: int
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """The probability of the positive class; that of the other where 1 less it loses digits.

    Beside a probability that is 1 to rounding the other class may have 1e-20, which is unlikely
    and not impossible: its logarithm is finite. None where 1 less the first says the same.

    Examples
    --------
    >>> score, against = of_two_classes(np.array([[1e-20, 1.0], [0.4, 0.6]]), 1)
    >>> score.tolist(), against.tolist()
    ([1.0, 0.6], [1e-20, 0.4])
    >>> of_two_classes(np.array([[0.0, 1.0], [0.4, 0.6]]), 1)[1] is None
    True
    """
    score = np.ascontiguousarray(both[:, positive])
    other = both[:, 1 - positive]
    rest = 1.0 - score
    # where both do not add to 1 the table is doubtful in more than its last digits
    lost = (other > 0) & (other < SMALL) & (rest < SMALL) & (rest != other)
    return score, np.where(lost, other, rest) if lost.any() else None
