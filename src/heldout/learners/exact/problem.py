"""The numbers an exact path works on, and what it says of rows that were left out."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from heldout.learners.one_thread import one_thread

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from heldout.learners.outcome import ScoreKind

__all__ = [
    "Answer",
    "Learner",
    "Problem",
    "by_decision",
    "by_log_posterior",
    "gaps",
    "is_exactly",
    "lies_far_from_zero",
    "numbers",
    "one_thread_if_small",
    "settings_refusal",
    "unwrapped",
]

#: whole numbers above this are not exact as floats
LARGEST_WHOLE = 2**53
#: names of the settings of the classes seen so far, since asking takes long
_SETTINGS: dict[type, tuple[str, ...]] = {}


@dataclass(frozen=True, eq=False)
class Problem:
    """Features and target of all rows, as the last step of a model is given them."""

    X: NDArray[np.float64]
    #: numbers of classes in the estimator's own order, or values
    y: NDArray[Any]
    #: how many classes there are; 0 for values
    classes: int
    #: whether each training part is standardised before the estimator sees it
    is_scaled: bool = False

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Rows of each class."""
        return np.bincount(self.y, minlength=self.classes)

    @cached_property
    def members(self) -> NDArray[np.float64]:
        """Which class each row is of: a column of zeros and ones for each class."""
        members = np.zeros((len(self.y), self.classes))
        members[np.arange(len(self.y)), self.y] = 1.0
        return members

    @cached_property
    def reach(self) -> NDArray[np.float64]:
        """The largest absolute value of each feature."""
        return np.asarray(np.maximum(self.X.max(axis=0), -self.X.min(axis=0)))

    @cached_property
    def is_constant(self) -> NDArray[np.bool_]:
        """Features that are the same in all rows."""
        return np.asarray((self.X[:1] == self.X).all(axis=0))

    @cached_property
    def centre(self) -> NDArray[np.float64]:
        """Means of the features."""
        return np.asarray(self.X.mean(axis=0))

    def log_priors(
        self, given: NDArray[np.float64] | None, own: NDArray[np.int64], total: int
    ) -> NDArray[np.float64]:
        """Logarithms of the priors: given ones, or counts less one of each class in ``own``."""
        if given is not None:
            return np.asarray(np.log(given))
        logarithms = np.tile(np.log(self.counts / total), (len(own), 1))
        logarithms[np.arange(len(own)), own] = np.log((self.counts[own] - 1) / total)
        return logarithms

    def centred(self) -> NDArray[np.float64]:
        """Features less their means, and 0 where they are constant: their means are rounded."""
        centred = self.X - self.centre
        # far from zero the first mean is off by its own rounding
        centred -= centred.mean(axis=0)
        if self.is_constant.any():
            centred[:, self.is_constant] = 0.0
        return centred


def is_exactly(estimator: Any, module: str, name: str) -> bool:
    """Whether this is that class itself, not a subclass of it."""
    loaded = sys.modules.get(module)
    return loaded is not None and type(estimator) is getattr(loaded, name, None)


def numbers(X: Any) -> NDArray[np.float64] | str:
    """X as floats, or why scikit-learn would not compute with these very floats."""
    dtypes = getattr(X, "dtypes", None)
    if dtypes is not None and hasattr(X, "to_numpy"):
        if any(not isinstance(kind, np.dtype) or not _is_plain(kind) for kind in dtypes):
            return "the data frame has columns that are not plain numbers"
        X = X.to_numpy(dtype=np.float64)
    if not isinstance(X, np.ndarray) or X.ndim != 2:
        return "the features are not an array of numbers"
    if not _is_plain(X.dtype):
        return f"the features are of type {X.dtype}"
    values = np.ascontiguousarray(X, dtype=np.float64)
    if values.shape[0] < 2 or values.shape[1] < 1:
        return "there are fewer than two rows or no features"
    largest = max(values.max(), -values.min())
    if not np.isfinite(largest):
        return "some values are missing or infinite"
    if X.dtype.kind in "iu" and largest > LARGEST_WHOLE:
        return "some whole numbers are too large for floats"
    return values


def _is_plain(kind: np.dtype[Any]) -> bool:
    return kind == np.float64 or (kind.kind in "iu" and kind.itemsize >= 1)


def unwrapped(estimator: Any) -> tuple[Any, bool] | str:
    """The last step of a pipeline, and whether a standard scaler comes before it."""
    if not is_exactly(estimator, "sklearn.pipeline", "Pipeline"):
        return estimator, False
    if estimator.memory is not None:
        return "the pipeline keeps a cache"
    steps = [step for _, step in estimator.steps]
    is_scaled = False
    for step in steps[:-1]:
        if step is None or step == "passthrough" or _does_nothing(step):
            continue
        if is_scaled or not is_exactly(step, "sklearn.preprocessing._data", "StandardScaler"):
            return f"the step {type(step).__name__} must be refitted in every training part"
        if not (step.with_mean and step.with_std):
            return "the scaler does not standardise in full"
        is_scaled = True
    if is_exactly(steps[-1], "sklearn.pipeline", "Pipeline"):
        inner = unwrapped(steps[-1])
        if isinstance(inner, str):
            return inner
        if is_scaled and inner[1]:
            return "the features are scaled twice"
        return inner[0], is_scaled or inner[1]
    return steps[-1], is_scaled


def _does_nothing(step: Any) -> bool:
    """Whether a step leaves complete numeric data as they are."""
    if not is_exactly(step, "sklearn.impute._base", "SimpleImputer"):
        return False
    missing = step.missing_values
    return not step.add_indicator and isinstance(missing, float) and bool(np.isnan(missing))


def settings_refusal(estimator: Any, allowed: Mapping[str, tuple[Any, ...]]) -> str | None:
    """Which setting of an estimator an exact path does not know; None where all are known.

    Settings that are not among the keys must be without influence on predictions, so every
    path names those it has looked at.
    """
    kind = type(estimator)
    if kind not in _SETTINGS:
        _SETTINGS[kind] = tuple(estimator.get_params(deep=False))
    for name in _SETTINGS[kind]:
        value = getattr(estimator, name)
        if name not in allowed:
            return f"the setting {name} of {type(estimator).__name__} is not known"
        choices = allowed[name]
        if choices and not any(value is choice or _is_same(value, choice) for choice in choices):
            return f"{type(estimator).__name__} has {name}={value!r}"
    return None


def _is_same(value: Any, choice: Any) -> bool:
    return type(value) is type(choice) and bool(value == choice)


def lies_far_from_zero(problem: Problem, spread: NDArray[np.float64]) -> bool:
    """Whether means of the raw features round so much that refitting would differ by 1e-9."""
    if problem.is_scaled:
        return False
    rounding = np.finfo(np.float64).eps * np.sqrt(len(problem.X))
    return bool((rounding * problem.reach > 2e-9 * spread).any())


#: relative difference of two scores below which rounding may decide which is larger
TIE = 1e-9
#: log scores above this lose digits that probabilities between 0 and 1 still show
LARGE = 1e4
#: a lead in log scores that leaves nothing to the other classes (exp(-40) is 4e-18)
CERTAIN = 40.0


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """Predictions of some rows; classes are numbered as the estimator orders them."""

    predicted: NDArray[Any]
    scores: NDArray[np.float64] | None
    #: of each row: whether refitting might say something else
    doubtful: NDArray[np.bool_]


class Learner(Protocol):
    """A learner whose models without some rows follow from sums over all rows."""

    #: the path's name, which the result shows
    name: str
    score_kind: ScoreKind
    #: rows a class must have in a training part
    least: int
    #: floats needed for each row that is left out alone
    width: int

    def one_out(self, rows: NDArray[np.int64]) -> Answer:
        """Each of the rows predicted by the model of all other rows."""

    def fold_out(self, rows: NDArray[np.int64]) -> Answer | None:
        """The rows predicted by the model of the rest; None where that must be refitted."""


def gaps(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far the largest score of each row leads the next.

    Examples
    --------
    >>> gaps(np.array([[1.0, 4.0, 2.5], [3.0, 3.0, 0.0]]))
    array([1.5, 0. ])
    """
    return _first_two(np.ascontiguousarray(scores.T))[1]


def _first_two(lines: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The largest of each column, and how far it leads the next.

    Lines are compared with each other whole: that a row has few classes costs nothing then.
    """
    top, second = np.maximum(lines[0], lines[1]), np.minimum(lines[0], lines[1])
    for line in lines[2:]:
        np.maximum(second, np.minimum(top, line), out=second)
        np.maximum(top, line, out=top)
    return top, top - second


def by_log_posterior(
    scores: NDArray[np.float64], doubtful: NDArray[np.bool_] | None = None
) -> Answer:
    """The class of the largest log posterior, and all posteriors as probabilities."""
    lines = np.ascontiguousarray(scores.T)
    predicted = scores.argmax(axis=1)
    top, lead = _first_two(lines)
    size = np.abs(top)
    # written so that NaN is doubtful, too
    doubts = ~(lead > TIE * (1.0 + size)) | ((size > LARGE) & (lead < CERTAIN))
    if doubtful is not None:
        doubts |= doubtful
    chances = lines - top
    np.exp(chances, out=chances)
    chances /= chances.sum(axis=0)
    return Answer(predicted, np.ascontiguousarray(chances.T), doubts)


def by_decision(
    decisions: NDArray[np.float64], doubtful: NDArray[np.bool_] | None = None
) -> Answer:
    """The class of the largest decision value; a single column decides by its sign."""
    if decisions.shape[1] == 1:
        values = decisions[:, 0]
        predicted = (values > 0).astype(np.int64)
        doubts = ~(np.abs(values) > TIE)
    else:
        predicted = decisions.argmax(axis=1)
        doubts = ~(gaps(decisions) > TIE)
    return Answer(predicted, decisions, doubts if doubtful is None else doubts | doubtful)


#: rows times squared features, up to which one thread is as fast as several
SMALL = 1_000_000_000


@contextmanager
def one_thread_if_small(problem: Problem) -> Iterator[None]:
    """Keep linear algebra from starting threads while a small problem is worked on."""
    rows, features = problem.X.shape
    if rows * features**2 >= SMALL:
        yield
        return
    with one_thread():
        yield
