"""Coordinates in which the scatter of rows within their classes is diagonal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from heldout.learners.exact.problem import Refit

if TYPE_CHECKING:
    from collections.abc import Callable

    from heldout.core.arrays import Floats

#: smallest eigenvalue for which squaring the features (a Gram matrix) keeps enough digits
WELL_CONDITIONED = 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """Rows and class means in new coordinates."""

    rows: Floats
    means: Floats
    #: diagonal of the scatter within classes
    scatter: Floats
    #: smallest eigenvalue of the correlations within classes
    least: float


def whitening(gram: Floats, make_rows: Callable[[], Floats]) -> tuple[Floats, float]:
    """A matrix that makes the rows' Gram matrix the identity, and its smallest eigenvalue.

    ``gram`` is that of the rows (features of like size); a nearly singular one is not
    decomposed itself, since it has lost half of the digits of the rows.
    """
    values = np.linalg.eigvalsh(gram)
    least = float(values[0])
    if not least > 1e-12 * values[-1]:
        raise Refit("features are collinear")
    if least > WELL_CONDITIONED:
        return np.linalg.inv(np.linalg.cholesky(gram)).T, least
    rows = make_rows()
    if len(rows) < len(gram):
        raise Refit("there are fewer rows than features")
    upper = np.linalg.qr(rows, mode="r")
    sizes = np.linalg.svd(upper, compute_uv=False)
    return np.linalg.inv(upper), float(sizes[-1] ** 2)


def white_basis(centred: Floats, means: Floats, within: Floats, gram: Floats) -> Basis:
    """Coordinates in which the scatter within classes is the number of rows in each direction.

    ``gram`` is the covariance within classes.
    """
    total = len(within)
    scale = np.sqrt(np.diag(gram))
    matrix, least = whitening(
        gram / scale / scale[:, np.newaxis], lambda: within / (scale * np.sqrt(total))
    )
    matrix = matrix / scale[:, np.newaxis]
    return Basis(centred @ matrix, means @ matrix, np.full(len(matrix), float(total)), least)


def eigen_basis(centred: Floats, means: Floats, within: Floats) -> Basis:
    """Principal axes of the scatter within classes: distances stay what they are."""
    values, axes = np.linalg.eigh(within.T @ within)
    scale = np.sqrt(np.mean(within**2, axis=0))
    scaled = within / scale
    least = float(np.linalg.eigvalsh(scaled.T @ scaled / len(within))[0])
    return Basis(centred @ axes, means @ axes, np.maximum(values, 0.0), least)
