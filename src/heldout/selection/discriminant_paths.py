"""All shrinkages of a linear discriminant analysis from one decomposition of a training part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.learners.exact.problem import (
    Answer,
    by_log_posterior,
    gaps,
    is_exactly,
    one_thread_if_small,
    settings_refusal,
)
from heldout.selection.waiting_path import paths_with, rounds_otherwise, waiting_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.learners.exact.path import ExactPath
    from heldout.learners.exact.problem import Problem
    from heldout.learners.outcome import ScoreKind
    from heldout.procedures.splits import Splits
    from heldout.selection.settings import Setting

__all__ = ["DiscriminantOfMany", "SharedDiscriminants", "shared_discriminants"]

#: numbers that the left-out rows of all splits may take, in the axes of their training parts
MOST_KEPT = 50_000_000
EPS = float(np.finfo(np.float64).eps)
#: log scores may be off by this; probabilities are to be right to 1e-8
MOST_OFF = 1e-9
#: a feature that varies less in a training part than this share of all is scaled by rounding
LEAST_VARIANCE = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A training part in the principal axes of its covariance within classes."""

    #: eigenvalues of the covariance, and the axes, which scale the features too
    values: NDArray[np.float64]
    axes: NDArray[np.float64]
    #: means of the classes less the mean of the part, along the axes; log shares of the classes
    means: NDArray[np.float64]
    log_priors: NDArray[np.float64]
    #: the mean of the part: of centred features, and (along the axes) of what estimators see
    centre: NDArray[np.float64]
    far: NDArray[np.float64]
    #: rounding errors of the covariance are this times the machine's precision
    rounding: float


class SharedDiscriminants:
    """Training parts without their left-out rows, and those rows in the axes of their part.

    Classes have the covariance (1 - s) S + s m I, where m is the mean of S's diagonal: in the
    axes of S's eigenvectors a shrinkage s is a division.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        # around the mean of all rows little is lost when sums are subtracted
        self.X = problem.X - problem.centre
        self.means = (problem.members.T @ self.X) / problem.counts[:, np.newaxis]
        self.within = self.X - self.means[problem.y]
        self.scatter = self.within.T @ self.within
        self.squares = np.einsum("ij,ij->j", self.X, self.X)
        self.parts: dict[bytes, _Part | None] = {}
        self.rows: dict[bytes, NDArray[np.float64]] = {}
        self.kept = 0

    def part(self, rows: NDArray[np.int64]) -> _Part | None:
        """The training part without these rows; None where it cannot be vouched for."""
        key = rows.tobytes()
        if key not in self.parts:
            self.parts[key] = self._made(rows)
        return self.parts[key]

    def seen(self, rows: NDArray[np.int64], part: _Part) -> NDArray[np.float64]:
        """These rows in the axes of their training part."""
        key = rows.tobytes()
        if key in self.rows:
            return self.rows[key]
        made = (self.X[rows] - part.centre) @ part.axes
        if self.kept + made.size <= MOST_KEPT:
            self.kept += made.size
            self.rows[key] = made
        return made

    def _made(self, rows: NDArray[np.int64]) -> _Part | None:
        problem = self.problem
        gone, apart = problem.members[rows], self.within[rows]
        left = problem.counts - gone.sum(axis=0)
        total = float(left.sum())
        sums = gone.T @ apart
        moved = sums / left[:, np.newaxis]
        means = self.means - moved
        scatter = self.scatter - apart.T @ apart - moved.T @ sums
        centre = left @ means / total
        scale = np.ones(len(scatter))
        if problem.is_scaled:
            seen = self.X[rows]
            variance = (self.squares - np.einsum("ij,ij->j", seen, seen)) / total - centre**2
            if not (variance > LEAST_VARIANCE * self.squares / len(self.X)).all():
                return None
            scale = np.sqrt(variance)
        covariance = scatter / total / scale / scale[:, np.newaxis]
        values, axes = np.linalg.eigh(covariance)
        axes /= scale[:, np.newaxis]
        # where features are scaled, estimators see them around zero
        far = np.zeros(len(scale)) if problem.is_scaled else centre + problem.centre
        return _Part(
            np.maximum(values, 0.0),
            axes,
            (means - centre) @ axes,
            np.log(left / total),
            centre,
            far @ axes,
            float((np.diag(self.scatter) / scale**2).sum() / total),
        )


class DiscriminantOfMany:
    """One shrinkage of those that share their work."""

    score_kind: ScoreKind = "probability"
    least = 1
    name = "linear discriminants: one decomposition for all shrinkages"

    def __init__(self, shared: SharedDiscriminants, shrinkage: float) -> None:
        self.shared, self.shrinkage = shared, shrinkage
        self.width = 4 * (shared.X.shape[1] + shared.problem.classes)

    def one_out(self, rows: NDArray[np.int64]) -> Answer:
        """Each row predicted by the model of all others, one after the other."""
        classes = self.shared.problem.classes
        predicted = np.zeros(len(rows), dtype=np.int64)
        scores, doubtful = np.full((len(rows), classes), np.nan), np.ones(len(rows), dtype=bool)
        for place in range(len(rows)):
            made = self.fold_out(rows[[place]])
            if made is not None and made.scores is not None:
                predicted[place], scores[place] = made.predicted[0], made.scores[0]
                doubtful[place] = made.doubtful[0]
        return Answer(predicted, scores, doubtful)

    def fold_out(self, rows: NDArray[np.int64]) -> Answer | None:
        """The rows predicted by the model of the rest."""
        part = self.shared.part(rows)
        if part is None:
            return None
        own = self.shrinkage
        shrunk = (1.0 - own) * part.values + own * part.values.mean()
        if not shrunk[0] > 4 * EPS * part.rounding:
            return None
        seen = self.shared.seen(rows, part)
        weighted = part.means / shrunk
        scores = seen @ weighted.T - 0.5 * np.einsum("ij,ij->i", part.means, weighted)
        scores += part.log_priors
        return by_log_posterior(scores, self._doubts(part, shrunk, seen, scores))

    def _doubts(
        self,
        part: _Part,
        shrunk: NDArray[np.float64],
        seen: NDArray[np.float64],
        scores: NDArray[np.float64],
    ) -> NDArray[np.bool_]:
        """Rows whose probabilities rounding may change, here or in a refitted model.

        Estimators multiply features as they are, however far from zero they lie, and solve
        with the covariance, which loses as many digits as its condition takes.
        """
        inverse = 1.0 / shrunk
        length = np.sqrt(((seen + part.far) ** 2) @ inverse)
        longest = float(np.sqrt((((part.means + part.far) ** 2) @ inverse).max()))
        lost = EPS * max(part.rounding, float(shrunk[-1])) / float(shrunk[0])
        off = lost * longest * (length + longest)
        lead = gaps(scores)
        # where one class has it all, its lead may be off without consequence
        with np.errstate(under="ignore"):
            felt = off * np.exp(-np.maximum(lead - off, 0.0))
        return np.asarray(~((felt <= MOST_OFF) & (off <= 0.1 * lead)))


def shared_discriminants(
    members: Sequence[Setting], name: str, dataset: Dataset, splits: Splits
) -> dict[str, ExactPath]:
    """The paths of settings that differ in their shrinkage alone; none where there is no such path.

    Rows left out one by one have a faster path of their own; a shrinkage that is chosen anew
    in each training part is refitted.
    """
    known = [one for one in members if _is_share(one.parameters[name])]
    if len(known) < 2:
        return {}
    path = waiting_path(known[0].model, dataset, splits, _is_known)
    if path is None or path.parts.sizes.max(initial=0) == 1:
        return {}
    with one_thread_if_small(path.problem):
        shared = SharedDiscriminants(path.problem)
    if rounds_otherwise(path.problem, np.diag(shared.scatter)):
        return {}
    shares = [float(one.parameters[name] or 0.0) for one in known]
    return paths_with(path, known, [DiscriminantOfMany(shared, one) for one in shares])


def _is_share(value: Any) -> bool:
    if value is None:
        return True
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 <= value <= 1


def _is_known(estimator: Any, is_class: bool) -> bool:
    """Whether this is a discriminant analysis whose settings are all known."""
    if not is_class or not is_exactly(
        estimator, "sklearn.discriminant_analysis", "LinearDiscriminantAnalysis"
    ):
        return False
    allowed = {
        "solver": ("lsqr", "eigen"),
        "shrinkage": (),
        "priors": (None,),
        "n_components": (None,),
        "store_covariance": (),
        "tol": (),
        "covariance_estimator": (None,),
    }
    return settings_refusal(estimator, allowed) is None
