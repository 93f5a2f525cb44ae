"""Where the least-squares solver of linear discriminants rounds too much to be followed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.learners.exact.problem import Problem

__all__ = ["solver_refusal"]

#: smallest ratio of the eigenvalues of a covariance that the solver keeps exact
LEAST_RATIO = 1e-6
#: rounding of the scores that still leaves probabilities right to 1e-8
MOST_ROUNDING = 1e-9


def solver_refusal(
    problem: Problem, means: NDArray[np.float64], gram: NDArray[np.float64], shrinkage: float
) -> str | None:
    """Why the solver's scores are not exact enough; None if they are.

    ``means`` are those of the classes less that of all rows, ``gram`` is the covariance within
    classes. The solver leaves features where they are: with features far from zero its scores
    are small differences of numbers as large as the square of that distance.
    """
    features = len(gram)
    centre, reach, scale = problem.centre, problem.reach, np.ones(features)
    if problem.is_scaled:
        scale = problem.X.std(axis=0)
        reach, centre = reach + np.abs(centre), np.zeros(features)
        reach = np.minimum(reach, scale * np.sqrt(len(problem.X)))
    covariance = (1.0 - shrinkage) * gram / scale / scale[:, np.newaxis]
    covariance.flat[:: features + 1] += shrinkage * np.mean(np.diag(gram) / scale**2)
    values = np.linalg.eigvalsh(covariance)
    if not values[0] > LEAST_RATIO * values[-1]:
        return "features are nearly collinear or of very different scale"
    directions = np.linalg.solve(covariance, ((means + centre) / scale).T)
    size = (np.abs(directions) * (reach / scale)[:, np.newaxis]).sum(axis=0).max()
    rounding = np.finfo(np.float64).eps * size * values[-1] / values[0]
    if not rounding < MOST_ROUNDING:
        return "features lie so far from zero that refitting rounds differently"
    return None
