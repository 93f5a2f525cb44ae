"""A search as an estimator of scikit-learn: fit chooses and refits, predict asks it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin  # noqa: TID253  imported late
from sklearn.utils.metaestimators import available_if  # noqa: TID253  this file is imported late

from heldout.assess.values import lacking, overall
from heldout.core.errors import InputError
from heldout.engines.memory import Tallies
from heldout.evaluation.predictions import predictions_of, whole_split
from heldout.learners.outcome import Outcome
from heldout.learners.respond import respond
from heldout.measures.spec import parse_request
from heldout.selection.select import select

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.selection.selection import Selection


def _can(name: str) -> Callable[[Any], bool]:
    def can(self: Any) -> bool:
        if hasattr(self, "best_estimator_"):
            return hasattr(self.best_estimator_, name)
        return any(
            isinstance(model, str) or hasattr(model, name) for model in _each(self.estimator)
        )

    return can


def _each(estimator: Any) -> list[Any]:
    """The model, or each of several: of a mapping of names, or of a list."""
    if isinstance(estimator, (list, tuple)):
        return list(estimator)
    return list(estimator.values()) if hasattr(estimator, "values") else [estimator]


class SelectCV(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]  # of no known type
    """An estimator that chooses its own settings by cross-validation when it is fitted.

    Parameters are those of ``heldout.select``, one model or several: ``pos_label`` must say which
    of two classes is positive where the measure depends on it and they are not 0 and 1, -1 and
    1, or False and True; ``task`` is that of the estimators, else of the measure, else guessed
    from y. After ``fit``: ``selection_``, ``best_params_``, ``best_estimator_``, ``best_score_``
    (optimistic: see ``selection_.estimate``).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> search = SelectCV("knn", {"n_neighbors": [1, 5]}, procedure="5-fold").fit(X, y)
    >>> search.predict(X[:2]).tolist()
    [0, 0]
    """

    def __init__(
        self,
        estimator: Any,
        grid: Any = None,
        *,
        measure: Any = None,
        procedure: Any = None,
        cv: Any = None,
        rule: str = "best",
        simpler: Any = None,
        aggregate: str | None = None,
        random: int | None = None,
        pos_label: Any = None,
        task: str | None = None,
        random_state: int = 0,
        n_jobs: int = 1,
        exact: bool = True,
    ) -> None:
        self.estimator = estimator
        self.grid = grid
        self.measure = measure
        self.procedure = procedure
        self.cv = cv
        self.rule = rule
        self.simpler = simpler
        self.aggregate = aggregate
        self.random = random
        self.pos_label = pos_label
        self.task = task
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.exact = exact

    def fit(self, X: Any, y: Any, groups: Any = None, *, sample_weight: Any = None) -> Self:
        """Choose the settings on these rows, and fit the chosen one on all of them.

        Weights count in the measure that decides and, as in ``heldout.select``, in no fit.
        """
        X, y = self._checked(X, y)
        if sample_weight is not None:
            from sklearn.utils.validation import _check_sample_weight

            sample_weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        given = self.get_params(deep=False) | {"task": self.task or self._task() or None}
        self.selection_ = select(
            given.pop("estimator"),
            given.pop("grid"),
            X,
            y,
            groups=groups,
            sample_weight=sample_weight,
            **given,
        )
        self.best_params_ = dict(self.selection_.best.parameters)
        self.best_score_ = self.selection_.best.value
        self.best_estimator_ = self.selection_.model
        for name in ("classes_", "n_features_in_", "feature_names_in_"):
            if hasattr(self.best_estimator_, name):
                setattr(self, name, getattr(self.best_estimator_, name))
        return self

    def _checked(self, X: Any, y: Any) -> tuple[Any, Any]:
        """What scikit-learn's estimators refuse is refused in their words."""
        from sklearn.utils import check_array, column_or_1d
        from sklearn.utils.multiclass import check_classification_targets
        from sklearn.utils.validation import check_consistent_length

        if y is None:
            raise ValueError("SelectCV requires y to be passed, but the target y is None")
        if not hasattr(X, "columns"):
            X = check_array(
                X,
                accept_sparse=("csr", "csc"),
                dtype=None,
                ensure_all_finite=False,
                ensure_min_samples=2,
            )
        _refuse_objects(X)
        target = column_or_1d(y, warn=True)
        if self._task() == "classification":
            check_classification_targets(target)
        check_consistent_length(X, target)
        return X, target

    def _task(self) -> str:
        """What is predicted, where the task, the estimators or the measure say it."""
        from sklearn.base import is_classifier, is_regressor

        if self.task is not None:
            return "regression" if self.task == "regression" else "classification"
        own = [model for model in _each(self.estimator) if hasattr(model, "__sklearn_tags__")]
        if own and all(map(is_regressor, own)):
            return "regression"
        if own and all(map(is_classifier, own)):
            return "classification"
        tasks = () if self.measure is None else parse_request(str(self.measure)).measure.tasks
        if tasks and ("regression" not in tasks or len(tasks) == 1):
            return "regression" if "regression" in tasks else "classification"
        return ""

    def predict(self, X: Any) -> Any:
        """What the chosen setting predicts."""
        return self._fitted().predict(X)

    @available_if(_can("predict_proba"))  # type: ignore[untyped-decorator]  # as above
    def predict_proba(self, X: Any) -> Any:
        """The probabilities of the chosen setting."""
        return self._fitted().predict_proba(X)

    @available_if(_can("decision_function"))  # type: ignore[untyped-decorator]  # as above
    def decision_function(self, X: Any) -> Any:
        """The decision values of the chosen setting."""
        return self._fitted().decision_function(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """How good the chosen model is on these rows: greater is better.

        The ``measure`` that decided, with the sign turned where less is better (``log_loss``,
        as scikit-learn's ``neg_log_loss``); where none was named, the estimator's own score:
        accuracy, or the coefficient of determination.
        """
        fitted = self._fitted()
        if self.measure is None:
            given = {} if sample_weight is None else {"sample_weight": sample_weight}
            return float(fitted.score(X, y, **given))
        value = _value_of_answers(self.selection_, fitted, X, y, sample_weight)
        return float(self.selection_.criterion.goodness(value))

    def _fitted(self) -> Any:
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_

    def __sklearn_tags__(self) -> Any:
        from sklearn.base import BaseEstimator as Plain
        from sklearn.utils import ClassifierTags, RegressorTags

        tags = super().__sklearn_tags__()
        own = [
            model.__sklearn_tags__() for model in _each(self.estimator) if isinstance(model, Plain)
        ]
        if own:
            tags.input_tags.sparse = all(own_tags.input_tags.sparse for own_tags in own)
            tags.input_tags.allow_nan = all(own_tags.input_tags.allow_nan for own_tags in own)
        if self._task() == "regression":
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
            if len(own) == 1:
                tags.regressor_tags = own[0].regressor_tags
            return tags
        tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        if len(own) == 1 and own[0].classifier_tags is not None:
            # one target, whatever the estimator could take
            tags.classifier_tags = replace(own[0].classifier_tags, multi_label=False)
        return tags


def _refuse_objects(X: Any) -> None:
    """An error, in scikit-learn's words, for values that are containers."""
    if getattr(getattr(X, "dtype", None), "kind", "") != "O":
        return
    for number, value in enumerate(X.ravel()):
        if isinstance(value, (dict, list, set, tuple)):
            row, column = divmod(number, X.shape[1])
            raise TypeError(
                f"argument must be a string or a number, not {type(value).__name__!r} "
                f"(X, row {row}, column {column})"
            )


def _value_of_answers(
    selection: Selection, fitted: Any, X: Any, y: Any, sample_weight: Any = None
) -> float:
    """The value of the measure for a fitted model's answers to X; NaN where it is undefined."""
    known = selection.dataset
    is_regression = known.task == "regression"
    data = replace(
        known,
        truth=_truth(known, y),
        features=(),
        group=None,
        time=None,
        fold=None,
        slices=(),
        weight=None if sample_weight is None else np.asarray(sample_weight, np.float64),
        identifier=None,
        given=None,
    )
    rows = len(data.truth)
    predicted, scores, kind = respond(fitted, X, known.classes, known.task)
    counts = None if is_regression else np.bincount(known.truth, minlength=len(known.classes))
    outcome = Outcome(
        splits=np.array([0]),
        split_of=np.zeros(rows, np.int32),
        rows=np.arange(rows),
        predicted=predicted,
        scores=scores,
        score_kind=kind,
        train_counts=None if counts is None else counts[np.newaxis],
        train_mean=np.array([known.truth.mean()]) if is_regression else None,
        train_rows=np.array([len(known)]),
    )
    request, name = selection.criterion.request, selection.setting.name
    tallies = Tallies(predictions_of(name, outcome, data, whole_split(rows)))
    if reason := lacking(request, tallies):
        raise InputError(f"{selection.criterion.name} {reason}")
    return float(overall(request, tallies).value)


def _truth(known: Dataset, y: Any) -> NDArray[Any]:
    """The target as the data set of the fit has it: numbers, or codes of its classes."""
    target = np.asarray(y).ravel()
    if known.task == "regression":
        return np.asarray(target, np.float64)
    codes = {label: code for code, label in enumerate(known.classes)}
    if new := sorted(set(target.tolist()) - set(codes), key=str):
        raise InputError(f"y has the class {new[0]!r}, which was not there in the fit")
    return np.array([codes[label] for label in target.tolist()], known.truth.dtype)
