"""An exact path that waits for its learner: the data of settings that share their work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.learners.exact.path import ExactPath, refusal
from heldout.learners.exact.paths import MOST_MEMBERSHIPS
from heldout.learners.exact.problem import Problem, lies_far_from_zero, numbers, unwrapped
from heldout.learners.fit import inputs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.learners.exact.problem import Learner
    from heldout.learners.model import Model
    from heldout.procedures.splits import Splits
    from heldout.selection.settings import Setting

__all__ = ["paths_with", "rounds_otherwise", "waiting_path"]


def waiting_path(
    model: Model,
    dataset: Dataset,
    splits: Splits,
    is_known: Callable[[Any, bool], bool],
) -> ExactPath | None:
    """The path of a model whose learner is yet to come; None where it cannot be exact.

    ``is_known`` says of the last estimator of a pipeline, and of whether the task is one of
    classes, whether the learner will know all its settings.
    """
    inner = unwrapped(model.estimator)
    if isinstance(inner, str) or refusal(splits) is not None:
        return None
    estimator, is_scaled = inner
    is_class = dataset.task != "regression"
    if not is_known(estimator, is_class):
        return None
    X = numbers(inputs(model, dataset)[0])
    if isinstance(X, str) or len(X) != splits.rows:
        return None
    waiting: Any = None
    if not is_class:
        truth = np.asarray(dataset.truth, dtype=np.float64)
        problem = Problem(X, truth, 0, is_scaled)
        return ExactPath(waiting, problem, splits, np.zeros(0, dtype=np.int64), 0)
    codes = np.flatnonzero(np.bincount(dataset.truth, minlength=len(dataset.classes)))
    if len(codes) < 2 or len(X) * len(codes) > MOST_MEMBERSHIPS:
        return None
    if model.takes == "given":
        # estimators order the labels themselves
        codes = codes[np.argsort(np.asarray(dataset.classes)[codes], kind="stable")]
    place = np.zeros(len(dataset.classes), dtype=np.int64)
    place[codes] = np.arange(len(codes))
    problem = Problem(X, place[dataset.truth], len(codes), is_scaled)
    return ExactPath(waiting, problem, splits, codes, len(dataset.classes))


def rounds_otherwise(problem: Problem, squares: NDArray[np.float64]) -> bool:
    """Whether features lie so far from zero that a refitted model would round to another.

    ``squares`` are the sums of squares of each feature around its mean, or its classes' means.
    """
    spread = np.sqrt(squares / len(problem.X))
    still = spread <= 1e-12 * problem.reach
    return lies_far_from_zero(problem, np.where(still, np.inf, spread))


def paths_with(
    path: ExactPath, members: Sequence[Setting], learners: Sequence[Learner]
) -> dict[str, ExactPath]:
    """The path of each setting: the same data and test parts, and a learner of its own."""
    pairs = zip(members, learners, strict=True)
    return {setting.name: path.with_learner(learner) for setting, learner in pairs}
