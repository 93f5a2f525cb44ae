"""Exact paths that many settings share: neighbours searched once, equations solved once.

All penalties of a ridge regression, and all shrinkages of linear discriminants, come from one
decomposition of each training part.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from heldout.core.threads import in_threads, workers
from heldout.learners.exact.neighbours import Neighbours
from heldout.learners.exact.paths import exact_path, path_without_learner
from heldout.learners.exact.problem import (
    Answer,
    Refit,
    by_log_posterior,
    by_target,
    gaps,
    is_exactly,
    one_thread_if_quick,
    refuse_far_from_zero,
    refuse_other_settings,
    refuse_single_class,
    unwrapped,
)
from heldout.learners.exact.ridge import refuse_other_ridge, targets_of
from heldout.learners.one_thread import one_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.learners.exact.neighbour_search import Near
    from heldout.learners.exact.path import ExactPath, TestParts
    from heldout.learners.exact.problem import Problem
    from heldout.learners.model import Model
    from heldout.learners.outcome import ScoreKind
    from heldout.procedures.splits import Splits
    from heldout.selection.settings import Setting

    Search = Callable[[NDArray[np.int64], int], Near | None]


def shared_paths(
    settings: Sequence[Setting], dataset: Dataset, splits: Splits
) -> dict[str, ExactPath]:
    """Exact paths by the settings' names, for those that share work with others."""
    families: dict[tuple[str, ...], list[Setting]] = {}
    for setting in settings:
        if (key := _family(setting)) is not None:
            families.setdefault(key, []).append(setting)
    paths: dict[str, ExactPath] = {}
    for key, members in families.items():
        if len(members) > 1:
            find = {
                "n_neighbors": _neighbours,
                "alpha": _penalties,
                "shrinkage": _shrinkages,
            }[key[0].rsplit("__", 1)[-1]]
            with suppress(Refit):
                paths |= find(members, key[0], dataset, splits)
    return paths


def _family(setting: Setting) -> tuple[str, ...] | None:
    """Settings of one family differ in the one parameter that a shared path knows."""
    for name in setting.parameters:
        if name.rsplit("__", 1)[-1] in ("n_neighbors", "alpha", "shrinkage"):
            rest = sorted(f"{k}={v!r}" for k, v in setting.parameters.items() if k != name)
            return name, setting.base, *rest
    return None


class _Together:
    """Answers of all numbers of neighbours, from one search for the largest of them."""

    def __init__(self, learner: Neighbours, counts: Sequence[int], parts: TestParts) -> None:
        self.learner, self.counts, self.parts = learner, sorted(set(counts)), parts
        self.name, self.score_kind, self.width = learner.name, learner.score_kind, learner.width
        self.known = ByRows()
        self.is_begun = False

    def one_out(self, rows: NDArray[np.int64], count: int) -> Answer:
        """Each row predicted by so many neighbours among all others."""
        answer = self._answer(rows, count, self.learner.search.beside)
        return self.learner.one_out(rows) if answer is None else answer

    def fold_out(self, rows: NDArray[np.int64], count: int) -> Answer | None:
        """The rows predicted by so many neighbours among the rest."""
        if not self.is_begun:
            self.is_begun = True
            self._search_ahead()
        return self._answer(rows, count, self.learner.search.outside)

    def _answer(self, rows: NDArray[np.int64], count: int, search: Search) -> Answer | None:
        """The answer of one number for rows left out together, or one by one."""
        answers, room = None, self._room(len(rows))
        if self.known.has_room(rows, room):
            answers = self.known.get(rows, lambda: self._all(rows, search), room)
        if answers is not None:
            return cast("Answer", answers[count])
        # no room, or the largest number is more than there are rows
        near = search(rows, count)
        return None if near is None else next(self.learner.answers(near, [count]))

    def _all(self, rows: NDArray[np.int64], search: Search) -> dict[int, Answer] | None:
        near = search(rows, self.counts[-1])
        if near is None:
            return None
        return dict(zip(self.counts, self.learner.answers(near, self.counts), strict=True))

    def _room(self, rows: int) -> int:
        return len(self.counts) * rows * (2 + self.learner.problem.classes)

    def _search_ahead(self) -> None:
        """Search all splits at once, each in a thread of its own that starts no others.

        Threads within one search wait for each other, which costs seconds on a busy machine.
        """
        count = len(self.parts.sizes)
        if count < 2 or self._room(int(self.parts.sizes.sum())) > MOST_KEPT or workers() < 2:
            return

        def search(position: int) -> None:
            rows = self.parts.rows(position, position + 1)
            with one_thread():
                self._answer(rows, self.counts[0], self.learner.search.outside)

        in_threads(search, range(count))


def _neighbours(
    members: Sequence[Setting], name: str, dataset: Dataset, splits: Splits
) -> dict[str, ExactPath]:
    if not all(isinstance(setting.parameters[name], int) for setting in members):
        return {}
    largest = max(members, key=lambda setting: setting.parameters[name])
    path = exact_path(largest.model, dataset, splits)
    if isinstance(path, str) or not isinstance(path.learner, Neighbours):
        return {}
    first = path.learner
    if first.search.algorithm == "auto" and 2 * first.wanted >= _least_trained(path) - 1:
        # scikit-learn searches for so many another way than for fewer, which share their search
        fewer = [
            setting
            for setting in members
            if 2 * setting.parameters[name] < _least_trained(path) - 1
        ]
        return _neighbours(fewer, name, dataset, splits) if len(fewer) > 1 else {}
    counts = [setting.parameters[name] for setting in members]
    together = _Together(first, counts, path.parts)
    return _paths_with(path, members, together, counts)


def _least_trained(path: ExactPath) -> int:
    return path.splits.rows - int(path.parts.sizes.max(initial=0))


def _refuse_rounding(problem: Problem, squares: NDArray[np.float64]) -> None:
    """``Refit`` where features lie so far from zero that a refitted model rounds to another.

    ``squares`` are the sums of squares of each feature around its mean, or its classes' means.
    """
    spread = np.sqrt(squares / len(problem.X))
    still = spread <= 1e-12 * problem.reach
    refuse_far_from_zero(problem, np.where(still, np.inf, spread))


#: numbers that are kept of the left-out rows of all splits together
MOST_KEPT = 50_000_000


class OneOfMany:
    """One setting of those that share their work: a learner that asks what they share."""

    def __init__(self, shared: Any, value: Any) -> None:
        self.shared, self.value = shared, value
        self.name: str = shared.name
        self.score_kind: ScoreKind = shared.score_kind
        self.least = 1
        self.width: int = shared.width

    def one_out(self, rows: NDArray[np.int64]) -> Answer:
        """Each row predicted by the model of all others."""
        answer: Answer = self.shared.one_out(rows, self.value)
        return answer

    def fold_out(self, rows: NDArray[np.int64]) -> Answer | None:
        """The rows predicted by the model of the rest."""
        answer: Answer | None = self.shared.fold_out(rows, self.value)
        return answer


def _paths_with(
    path: ExactPath, members: Sequence[Setting], shared: Any, values: Sequence[Any]
) -> dict[str, ExactPath]:
    """The path of each setting: the same data and test parts, and its own value of what varies."""
    pairs = zip(members, values, strict=True)
    return {setting.name: path.with_learner(OneOfMany(shared, value)) for setting, value in pairs}


class ByRows:
    """What was made for rows that are left out, for the settings that ask for it again.

    No more than ``MOST_KEPT`` numbers are kept; what comes after is made each time.
    """

    def __init__(self) -> None:
        self.numbers = 0
        self.values: dict[bytes, Any] = {}

    def has_room(self, rows: NDArray[np.int64], numbers: int) -> bool:
        """Whether what is made for these rows is kept, or has been."""
        return self.numbers + numbers <= MOST_KEPT or rows.tobytes() in self.values

    def get(self, rows: NDArray[np.int64], make: Callable[[], Any], numbers: int = 0) -> Any:
        """What was made for these rows, which takes so many numbers."""
        if not self.has_room(rows, numbers):
            return make()
        key = rows.tobytes()
        if key not in self.values:
            self.values[key] = make()
            self.numbers += numbers
        return self.values[key]


#: smallest ratio of the penalised eigenvalues to the largest that keeps predictions to 1e-8
LEAST_RATIO = 1e-6


class SharedRidge:
    """Predictions of left-out rows for all penalties at once.

    Cross-products of a training part are those of all rows less those of the rows left out;
    in the axes of their eigenvectors a penalty is a division.
    """

    name = "ridge: one decomposition for all penalties"

    def __init__(
        self, problem: Problem, targets: NDArray[np.float64], penalties: Sequence[float]
    ) -> None:
        self.problem = problem
        # around the mean of all rows little is lost when sums are subtracted
        self.X = problem.X - problem.centre
        self.penalties = np.asarray(penalties, np.float64)
        self.score_kind: ScoreKind = "decision" if problem.classes else ""
        self.width = 2 * self.X.shape[1]
        self.centre = targets.mean(axis=0)
        self.targets = targets - self.centre
        self.gram = self.X.T @ self.X
        self.cross = self.X.T @ self.targets
        self.known = ByRows()

    def fold_out(self, rows: NDArray[np.int64], value: Any) -> Answer | None:
        """The rows predicted by the model of the rest, for the penalty at a place."""
        size = len(rows) * self.targets.shape[1] * len(self.penalties)
        values, certain = self.known.get(rows, lambda: self._predict(rows), size)
        if not certain[value]:
            return None
        return by_target(self.problem, np.ascontiguousarray(values[:, :, value].T))

    def _predict(self, rows: NDArray[np.int64]) -> tuple[Any, NDArray[np.bool_]]:
        """Values of the rows by target and penalty, and which penalties can be vouched for."""
        seen, targets = self.X[rows], self.targets[rows]
        left = len(self.X) - len(rows)
        mean = -seen.sum(axis=0) / left
        level = -targets.sum(axis=0) / left
        gram = self.gram - seen.T @ seen - left * np.outer(mean, mean)
        cross = self.cross - seen.T @ targets - left * np.outer(mean, level)
        scale = np.ones(len(gram))
        variance = np.diag(gram) / left
        is_safe = True
        if self.problem.is_scaled:
            whole = np.diag(self.gram) / len(self.X)
            # a feature that hardly varies in the training part is scaled by rounding
            is_safe = bool((variance > 1e-6 * whole).all() and (whole > 0).all())
            scale = np.sqrt(np.where(variance > 0, variance, 1.0))
            gram = gram / scale / scale[:, np.newaxis]
            cross = cross / scale[:, np.newaxis]
        values, axes = np.linalg.eigh(gram)
        within = (seen - mean) / scale @ axes
        along = axes.T @ cross
        divided = values[:, np.newaxis] + self.penalties
        ratio = divided.min(axis=0) / divided.max(axis=0)
        certain = (ratio > LEAST_RATIO) & is_safe
        divided = np.where(certain, divided, 1.0)
        predicted = np.stack(
            [within @ (along[:, [column]] / divided) for column in range(along.shape[1])]
        )
        predicted += (level + self.centre)[:, np.newaxis, np.newaxis]
        return predicted, np.asarray(certain)


def _penalties(
    members: Sequence[Setting], name: str, dataset: Dataset, splits: Splits
) -> dict[str, ExactPath]:
    """The paths of settings that differ in their penalty alone.

    Rows left out one by one have a faster path of their own.
    """
    penalties = [setting.parameters[name] for setting in members]
    if not all(isinstance(penalty, int | float) and 0 < penalty < 1e300 for penalty in penalties):
        raise Refit("a penalty is no number above 0")
    estimator, _ = unwrapped(members[0].model.estimator)
    kind = "Ridge" if dataset.task == "regression" else "RidgeClassifier"
    if not is_exactly(estimator, "sklearn.linear_model._ridge", kind):
        raise Refit("no ridge regression")
    refuse_other_ridge(estimator, "alpha", fit_intercept=(True,))
    path = _path_of_folds(members[0].model, dataset, splits)
    problem = path.problem
    if problem.X.shape[1] >= len(problem.X) // 2:
        raise Refit("there are many features")
    with one_thread_if_quick(problem):
        shared = SharedRidge(problem, targets_of(problem), penalties)
    _refuse_rounding(problem, np.diag(shared.gram))
    return _paths_with(path, members, shared, range(len(members)))


def _path_of_folds(model: Model, dataset: Dataset, splits: Splits) -> ExactPath:
    """The path of a model that waits for its learner, of test parts that have several rows."""
    path = path_without_learner(model, dataset, splits)
    if path.parts.sizes.max(initial=0) == 1:
        raise Refit("rows are left out one by one")
    if path.problem.classes:
        refuse_single_class(path.problem)
    return path


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

    name = "linear discriminants: one decomposition for all shrinkages"
    score_kind: ScoreKind = "probability"

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.X = problem.X - problem.centre
        self.width = 4 * (self.X.shape[1] + problem.classes)
        self.means = (problem.members.T @ self.X) / problem.counts[:, np.newaxis]
        self.within = self.X - self.means[problem.y]
        self.scatter = self.within.T @ self.within
        self.squares = np.einsum("ij,ij->j", self.X, self.X)
        self.parts, self.rows = ByRows(), ByRows()

    def fold_out(self, rows: NDArray[np.int64], value: Any) -> Answer | None:
        """The rows predicted by the model of the rest, for a shrinkage."""
        part: _Part | None = self.parts.get(rows, lambda: self._part(rows))
        if part is None:
            return None
        shrunk = (1.0 - value) * part.values + value * part.values.mean()
        if not shrunk[0] > 4 * EPS * part.rounding:
            return None
        size = len(rows) * self.X.shape[1]
        seen = self.rows.get(rows, lambda: (self.X[rows] - part.centre) @ part.axes, size)
        weighted = part.means / shrunk
        scores = seen @ weighted.T - 0.5 * np.einsum("ij,ij->i", part.means, weighted)
        scores += part.log_priors
        return by_log_posterior(scores, _doubts(part, shrunk, seen, scores))

    def _part(self, rows: NDArray[np.int64]) -> _Part | None:
        """The training part without these rows; None where it cannot be vouched for."""
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


def _doubts(
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


def _shrinkages(
    members: Sequence[Setting], name: str, dataset: Dataset, splits: Splits
) -> dict[str, ExactPath]:
    """The paths of settings that differ in their shrinkage alone.

    Rows left out one by one have a faster path of their own; a shrinkage that is chosen anew
    in each training part is refitted.
    """
    known = [setting for setting in members if _is_share(setting.parameters[name])]
    if len(known) < 2:
        raise Refit("shrinkages are chosen anew")
    estimator, _ = unwrapped(known[0].model.estimator)
    kind = "LinearDiscriminantAnalysis"
    is_class = dataset.task != "regression"
    if not is_class or not is_exactly(estimator, "sklearn.discriminant_analysis", kind):
        raise Refit("no linear discriminants")
    none = (None,)
    refuse_other_settings(
        estimator,
        "shrinkage store_covariance tol",
        solver=("lsqr", "eigen"),
        priors=none,
        n_components=none,
        covariance_estimator=none,
    )
    path = _path_of_folds(known[0].model, dataset, splits)
    with one_thread_if_quick(path.problem):
        shared = SharedDiscriminants(path.problem)
    _refuse_rounding(path.problem, np.diag(shared.scatter))
    shares = [float(setting.parameters[name] or 0.0) for setting in known]
    return _paths_with(path, known, shared, shares)


def _is_share(value: Any) -> bool:
    if value is None:
        return True
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
