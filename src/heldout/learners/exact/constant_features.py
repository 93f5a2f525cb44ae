"""Features that a scaler takes for constant, and those of which rounding would decide that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["is_constant_to_the_scaler", "unclear_features"]

EPS = float(np.finfo(np.float64).eps)
#: deviations so many times the scaler's border are known to twelve digits
CLEAR = 1e6
#: variances beyond these are near to what a float cannot hold, or only with few digits
LEAST, MOST = 1e-250, 1e250


def is_constant_to_the_scaler(
    rows: int, centre: NDArray[np.float64], variance: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """StandardScaler's rule: a deviation that the rounding of the mean could have made."""
    return np.asarray(variance <= rows * EPS * variance + (rows * centre * EPS) ** 2)


def unclear_features(
    X: NDArray[np.float64], centre: NDArray[np.float64], variance: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Features near the border of that rule: not the same in all rows, and yet next to it.

    Such a feature is left alone by the scaler, or blown up to a feature of rounding errors,
    as the last digit of a sum decides.

    Examples
    --------
    >>> X = np.array([[0.1, 0.1, 0.1], [0.1, 0.1 + 1e-16, 0.2], [0.1, 0.1, 0.3]])
    >>> unclear_features(X, X.mean(axis=0), X.var(axis=0)).tolist()
    [False, True, False]
    """
    clear = np.sqrt(variance) > CLEAR * len(X) * EPS * np.abs(centre)
    unclear = ~(clear & (variance > LEAST) & (variance < MOST))
    if unclear.any():
        unclear[unclear] = (X[:, unclear] != X[0, unclear]).any(axis=0)
    return np.asarray(unclear)
