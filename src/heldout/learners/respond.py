"""What a fitted estimator says of some rows, as codes and scores of all classes in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.datasets.dataset import row_count
from heldout.tables.labels import small_code, value_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.core.arrays import Array, Floats, Integers
    from heldout.learners.outcome import ScoreKind
    from heldout.predictions.table import Task
    from heldout.tables.column import Label

#: predicted codes or floats, scores, and what the scores are
Response = tuple["Array", "Floats | None", "ScoreKind"]

#: estimators whose predict is nothing but the class of the largest predict_proba: asking
#: them once is enough (those that compare sums before they are made probabilities are not
#: here, since two that differ may round to the same probability)
LARGEST_PROBABILITY = frozenset(
    {
        "BaggingClassifier",
        "CalibratedClassifierCV",
        "DecisionTreeClassifier",
        "ExtraTreeClassifier",
        "ExtraTreesClassifier",
        "RandomForestClassifier",
        "VotingClassifier",
    }
)


class BadOutput(ValueError):
    """Output that cannot be used; of bad rows, whoever knows the first one's name may say it."""

    def __init__(self, what: str, bad: Any = None) -> None:
        self.what, self.first = what, None if bad is None else int(np.argmax(bad))
        if bad is not None:
            self.what += f" in {int(np.count_nonzero(bad)):,} of {len(bad):,} rows"
            what = f"{self.what} (first: row {(self.first or 0) + 1} of these)"
        super().__init__(what)

    def of_row(self, name: str) -> BadOutput:
        """The same with the name of the first such row."""
        return self if self.first is None else BadOutput(f"{self.what} (first: {name})")


def respond(
    fitted: Any,
    X: Any,
    classes: Sequence[Label],
    task: Task,
    *,
    seen: Sequence[Label] | None = None,
) -> Response:
    """Predictions, scores and the kind of the scores for the rows of X.

    Parameters
    ----------
    classes
        The labels the estimator was trained with, in the order of the data set's classes.
    seen
        The labels of the training part in sorted order, for an estimator that does not say
        its ``classes_``.

    Notes
    -----
    A class the training part lacks has probability 0, and a decision value of minus
    infinity. Raises ``BadOutput``, with what is wrong, for output that cannot be used.
    """
    if task == "regression":
        return _numbers(fitted.predict(X), row_count(X)), None, ""
    places = _places(classes)
    known = _trained_columns(fitted, places, classes if seen is None else seen)
    final = _final(fitted)
    if _has(fitted, "predict_proba"):
        probabilities = _probabilities(fitted.predict_proba(X), known, len(classes), row_count(X))
        if _is_largest(final):
            return known[np.argmax(probabilities[:, known], axis=1)], probabilities, "probability"
        return (
            _codes(fitted.predict(X), places, classes, row_count(X)),
            probabilities,
            "probability",
        )
    predicted = _codes(fitted.predict(X), places, classes, row_count(X))
    if _has(fitted, "decision_function") and (
        getattr(final, "decision_function_shape", "ovr") != "ovo" or len(known) == 2
    ):
        decisions = _decisions(fitted.decision_function(X), known, len(classes), row_count(X))
        if decisions is not None:
            return predicted, decisions, "decision"
    return predicted, None, ""


def _places(classes: Sequence[Label]) -> dict[Label, int]:
    """The position of each class, by its label and by other ways of writing it."""
    spelled = {value_of(label): code for code, label in enumerate(classes)}
    return spelled | {label: code for code, label in enumerate(classes)}


def _has(fitted: Any, method: str) -> bool:
    """Whether a method can be called (a property may say no by raising AttributeError)."""
    return callable(getattr(fitted, method, None))


def _final(fitted: Any) -> Any:
    """The estimator at the end of a pipeline."""
    steps = getattr(fitted, "steps", None)
    return fitted if not steps or type(fitted).__name__ != "Pipeline" else _final(steps[-1][1])


def _is_largest(final: Any) -> bool:
    kind = type(final)
    if not kind.__module__.startswith("sklearn."):
        return False
    if kind.__name__ == "KNeighborsClassifier":
        # with weights by distance the sums may round differently
        return bool(final.weights == "uniform")
    return kind.__name__ in LARGEST_PROBABILITY


def _trained_columns(fitted: Any, places: dict[Label, int], seen: Sequence[Label]) -> Integers:
    """The position of each class the estimator knows, in its own order."""
    known = getattr(fitted, "classes_", None)
    if known is None or (isinstance(known, list) and known and np.ndim(known[0]) > 0):
        known = seen
    columns = [places.get(label, -1) for label in np.asarray(known).tolist()]
    if -1 in columns:
        wrong = np.asarray(known).tolist()[columns.index(-1)]
        raise BadOutput(f"the fitted model knows a class {wrong!r} that the data do not have")
    return np.array(columns, np.int64)


def _codes(predicted: Any, places: dict[Label, int], classes: Sequence[Label], rows: int) -> Array:
    """Predicted labels as positions of classes."""
    labels = _line(predicted, rows)
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise BadOutput("predict gave NaN", np.isnan(labels))
    if labels.dtype == object:
        distinct, inverse = _distinct_objects(labels)
    else:
        labels_there, inverse = np.unique(labels, return_inverse=True)
        distinct = labels_there.tolist()
    codes = [places.get(label, places.get(value_of(label), -1)) for label in distinct]
    if -1 in codes:
        raise BadOutput(
            f"predict gave {distinct[codes.index(-1)]!r}, which is none of the classes "
            f"({', '.join(map(repr, list(classes)[:5]))})"
        )
    return np.array(codes, small_code(len(classes)))[inverse]


def _distinct_objects(labels: Array) -> tuple[list[Any], NDArray[np.intp]]:
    order: dict[Any, int] = {}
    for label in labels.tolist():
        if not isinstance(label, (str, int, float, np.generic)):
            raise BadOutput(f"predict gave {label!r}, which is not a label")
    inverse = [order.setdefault(label, len(order)) for label in labels.tolist()]
    return list(order), np.array(inverse, np.intp)


def _line(values: Any, rows: int) -> Array:
    """What predict gave, one value per row."""
    answers = np.asarray(values)
    if answers.ndim == 2 and answers.shape[1] == 1:
        answers = answers[:, 0]
    if answers.ndim != 1:
        raise BadOutput(
            f"predict gave an array of shape {answers.shape}; expected one value per row"
        )
    if len(answers) != rows:
        raise BadOutput(f"predict gave {len(answers):,} values for {rows:,} rows")
    return answers


def _floats(values: Any, method: str) -> Floats:
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise BadOutput(f"{method} gave values that are not numbers") from None


def _probabilities(values: Any, known: Integers, count: int, rows: int) -> Floats:
    if isinstance(values, list) and values and np.ndim(values[0]) > 1:
        raise BadOutput(
            "predict_proba gave a list of arrays; models with several targets are not supported"
        )
    numbers = _floats(values, "predict_proba")
    if numbers.shape != (rows, len(known)):
        raise BadOutput(
            f"predict_proba gave an array of shape {numbers.shape} for {rows:,} rows and "
            f"{len(known)} classes"
        )
    bad = np.isnan(numbers).any(axis=1)
    if bad.any():
        raise BadOutput("predict_proba gave NaN", bad)
    bad = np.isinf(numbers).any(axis=1)
    if bad.any():
        raise BadOutput("predict_proba gave infinite values", bad)
    if len(known) == count and (known == np.arange(count)).all():
        return numbers
    whole = np.zeros((rows, count))
    whole[:, known] = numbers
    return whole


def _decisions(values: Any, known: Integers, count: int, rows: int) -> Floats | None:
    """Decision values, a column per class; a single column for two; None in an unknown form."""
    decisions = _floats(values, "decision_function")
    if decisions.ndim not in (1, 2) or len(decisions) != rows:
        raise BadOutput(
            f"decision_function gave an array of shape {decisions.shape} for {rows:,} rows"
        )
    if decisions.ndim == 2 and decisions.shape[1] == 1:
        decisions = decisions[:, 0]
    bad = np.isnan(decisions) if decisions.ndim == 1 else np.isnan(decisions).any(axis=1)
    if bad.any():
        raise BadOutput("decision_function gave NaN", bad)
    if decisions.ndim == 1:
        if len(known) != 2:
            return None
        if count == 2:
            return (decisions if known[1] == 1 else -decisions)[:, np.newaxis]
        decisions = np.column_stack([-decisions, decisions])
    if decisions.shape[1] != len(known):
        return None
    if count == 2 and len(known) == 2:
        # one against the other, however two columns are scaled; two that are equal tie, even
        # where both are infinite
        positive, negative = decisions[:, known == 1], decisions[:, known == 0]
        return np.subtract(
            positive, negative, out=np.zeros_like(positive), where=positive != negative
        )
    whole = np.full((len(decisions), count), -np.inf)
    whole[:, known] = decisions
    return whole


def _numbers(values: Any, rows: int) -> Floats:
    scores = _floats(_line(values, rows), "predict")
    if np.isnan(scores).any():
        raise BadOutput("predict gave NaN", np.isnan(scores))
    if not np.isfinite(scores).all():
        raise BadOutput("predict gave infinite values", ~np.isfinite(scores))
    return scores
