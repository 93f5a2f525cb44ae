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
    from collections.abc import Iterator

    from heldout.core.arrays import Array, Booleans, Floats, Integers
    from heldout.learners.outcome import ScoreKind

#: whole numbers above this are not exact as floats
LARGEST_WHOLE = 2**53
#: names of the settings of the classes seen so far, since asking takes long
_SETTINGS: dict[type, tuple[str, ...]] = {}


class Refit(Exception):
    """Why a model has no exact path, and is refitted in every split."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Features and target of all rows, as the last step of a model is given them."""

    X: Floats
    #: numbers of classes in the estimator's own order, or values
    y: Array
    #: how many classes there are; 0 for values
    classes: int
    #: whether each training part is standardised before the estimator sees it
    is_scaled: bool = False

    @cached_property
    def counts(self) -> Integers:
        """Rows of each class."""
        return np.bincount(self.y, minlength=self.classes)

    @cached_property
    def members(self) -> Floats:
        """Which class each row is of: a column of zeros and ones for each class."""
        members = np.zeros((len(self.y), self.classes))
        members[np.arange(len(self.y)), self.y] = 1.0
        return members

    @cached_property
    def reach(self) -> Floats:
        """The largest absolute value of each feature."""
        return np.asarray(np.maximum(self.X.max(axis=0), -self.X.min(axis=0)))

    @cached_property
    def is_constant(self) -> Booleans:
        """Features that are the same in all rows."""
        return np.asarray((self.X[:1] == self.X).all(axis=0))

    @cached_property
    def centre(self) -> Floats:
        """Means of the features."""
        return np.asarray(self.X.mean(axis=0))

    def log_priors(self, given: Floats | None, own: Integers, total: int) -> Floats:
        """Logarithms of the priors: given ones, or counts less one of each class in ``own``."""
        if given is not None:
            return np.asarray(np.log(given))
        logarithms = np.tile(np.log(self.counts / total), (len(own), 1))
        logarithms[np.arange(len(own)), own] = np.log((self.counts[own] - 1) / total)
        return logarithms

    def centred(self) -> Floats:
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


def numbers(X: Any) -> Floats:
    """X as floats; ``Refit`` where scikit-learn would not compute with these very floats."""
    dtypes = getattr(X, "dtypes", None)
    if dtypes is not None and hasattr(X, "to_numpy"):
        if any(not isinstance(kind, np.dtype) or not _is_plain(kind) for kind in dtypes):
            raise Refit("the data frame has columns that are not plain numbers")
        X = X.to_numpy(dtype=np.float64)
    if not isinstance(X, np.ndarray) or X.ndim != 2:
        raise Refit("the features are not an array of numbers")
    if not _is_plain(X.dtype):
        raise Refit(f"the features are of type {X.dtype}")
    values = np.ascontiguousarray(X, dtype=np.float64)
    if values.shape[0] < 2 or values.shape[1] < 1:
        raise Refit("there are fewer than two rows or no features")
    largest = max(values.max(), -values.min())
    if not np.isfinite(largest):
        raise Refit("some values are missing or infinite")
    if X.dtype.kind in "iu" and largest > LARGEST_WHOLE:
        raise Refit("some whole numbers are too large for floats")
    return values


def _is_plain(kind: np.dtype[Any]) -> bool:
    return kind == np.float64 or (kind.kind in "iu" and kind.itemsize >= 1)


def unwrapped(estimator: Any) -> tuple[Any, bool]:
    """The last step of a pipeline, and whether a standard scaler comes before it."""
    if not is_exactly(estimator, "sklearn.pipeline", "Pipeline"):
        return estimator, False
    if estimator.memory is not None:
        raise Refit("the pipeline keeps a cache")
    steps = [step for _, step in estimator.steps]
    is_scaled = False
    for step in steps[:-1]:
        if step is None or step == "passthrough" or _does_nothing(step):
            continue
        if is_scaled or not is_exactly(step, "sklearn.preprocessing._data", "StandardScaler"):
            raise Refit(f"the step {type(step).__name__} must be refitted in every training part")
        if not (step.with_mean and step.with_std):
            raise Refit("the scaler does not standardise in full")
        is_scaled = True
    last, is_scaled_inside = unwrapped(steps[-1])
    if is_scaled and is_scaled_inside:
        raise Refit("the features are scaled twice")
    return last, is_scaled or is_scaled_inside


def _does_nothing(step: Any) -> bool:
    """Whether a step leaves complete numeric data as they are."""
    if not is_exactly(step, "sklearn.impute._base", "SimpleImputer"):
        return False
    missing = step.missing_values
    return not step.add_indicator and isinstance(missing, float) and bool(np.isnan(missing))


def refuse_other_settings(estimator: Any, free: str = "", **allowed: tuple[Any, ...]) -> None:
    """``Refit`` where an estimator has a setting, or a value of one, that a path does not know.

    ``free`` names settings that may have any value, ``allowed`` the values of others: every path
    names those it has looked at.
    """
    any_value = free.split()
    kind = type(estimator)
    if kind not in _SETTINGS:
        _SETTINGS[kind] = tuple(estimator.get_params(deep=False))
    for name in _SETTINGS[kind]:
        value = getattr(estimator, name)
        if name in any_value:
            continue
        if name not in allowed:
            raise Refit(f"the setting {name} of {kind.__name__} is not known")
        same = (c for c in allowed[name] if type(c) is type(value))
        if not any(value is choice or bool(value == choice) for choice in same):
            raise Refit(f"{kind.__name__} has {name}={value!r}")


def refuse_single_class(problem: Problem) -> None:
    """``Refit`` where there is nothing to tell apart."""
    if problem.classes < 2:
        raise Refit("there is only one class")


FAR = "features lie so far from zero that refitting rounds differently"


def refuse_far_from_zero(problem: Problem, spread: Floats) -> None:
    """``Refit`` where means of the raw features round so much that refitting differs by 1e-9."""
    rounding = np.finfo(np.float64).eps * np.sqrt(len(problem.X))
    if not problem.is_scaled and (rounding * problem.reach > 2e-9 * spread).any():
        raise Refit(FAR)


#: relative difference of two scores below which rounding may decide which is larger
TIE = 1e-9
#: log scores above this lose digits that probabilities between 0 and 1 still show
LARGE = 1e4
#: a lead in log scores that leaves nothing to the other classes (exp(-40) is 4e-18)
CERTAIN = 40.0


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """Predictions of some rows; classes are numbered as the estimator orders them."""

    predicted: Array
    scores: Floats | None
    #: of each row: whether refitting might say something else
    doubtful: Booleans

    @classmethod
    def unknown(cls, rows: int, width: tuple[int, ...] | None) -> Answer:
        """The answer for rows of which nothing can be said; ``width``: the columns of scores."""
        scores = None if width is None else np.full((rows, *width), np.nan)
        return cls(np.zeros(rows, dtype=np.int64), scores, np.ones(rows, dtype=bool))


class Learner(Protocol):
    """A learner whose models without some rows follow from sums over all rows."""

    #: the path's name, which the result shows
    name: str
    score_kind: ScoreKind
    #: rows a class must have in a training part
    least: int
    #: floats needed for each row that is left out alone
    width: int

    def one_out(self, rows: Integers) -> Answer:
        """Each of the rows predicted by the model of all other rows."""

    def fold_out(self, rows: Integers) -> Answer | None:
        """The rows predicted by the model of the rest; None where that must be refitted."""


def gaps(scores: Floats) -> Floats:
    """How far the largest score of each row leads the next.

    Examples
    --------
    >>> gaps(np.array([[1.0, 4.0, 2.5], [3.0, 3.0, 0.0]]))
    array([1.5, 0. ])
    """
    return _first_two(np.ascontiguousarray(scores.T))[1]


def _first_two(lines: Floats) -> tuple[Floats, Floats]:
    """The largest of each column, and how far it leads the next.

    Lines are compared with each other whole: that a row has few classes costs nothing then.
    """
    top, second = np.maximum(lines[0], lines[1]), np.minimum(lines[0], lines[1])
    for line in lines[2:]:
        np.maximum(second, np.minimum(top, line), out=second)
        np.maximum(top, line, out=top)
    return top, top - second


def by_log_posterior(scores: Floats, doubtful: Booleans | None = None) -> Answer:
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


def by_decision(decisions: Floats, doubtful: Booleans | None = None) -> Answer:
    """The class of the largest decision value; a single column decides by its sign."""
    if decisions.shape[1] == 1:
        values = decisions[:, 0]
        predicted = (values > 0).astype(np.int64)
        doubts = ~(np.abs(values) > TIE)
    else:
        predicted = decisions.argmax(axis=1)
        doubts = ~(gaps(decisions) > TIE)
    return Answer(predicted, decisions, doubts if doubtful is None else doubts | doubtful)


def by_target(problem: Problem, values: Floats, doubtful: Booleans | None = None) -> Answer:
    """Values of the columns that were regressed on: decisions about classes, or the value."""
    if problem.classes:
        return by_decision(values, doubtful)
    return Answer(values[:, 0], None, np.zeros(len(values), bool) if doubtful is None else doubtful)


#: rows times squared features, up to which one thread is as fast as several
QUICK = 1_000_000_000


@contextmanager
def one_thread_if_quick(problem: Problem) -> Iterator[None]:
    """Keep linear algebra from starting threads while a problem of little work is solved."""
    rows, features = problem.X.shape
    if rows * features**2 >= QUICK:
        yield
        return
    with one_thread():
        yield
