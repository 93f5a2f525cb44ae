"""A search as an estimator of scikit-learn: ``fit`` chooses and refits, ``predict`` asks it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from sklearn.base import BaseEstimator, MetaEstimatorMixin  # noqa: TID253  imported late
from sklearn.utils.metaestimators import available_if  # noqa: TID253  this file is imported late

from karat.selection.select import select

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["SelectCV"]


def _can(name: str) -> Callable[[Any], bool]:
    def can(self: Any) -> bool:
        asked = self.best_estimator_ if hasattr(self, "best_estimator_") else self.estimator
        return isinstance(asked, str) or hasattr(asked, name)

    return can


class SelectCV(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """An estimator that chooses its own settings by cross-validation when it is fitted.

    Parameters are those of ``karat.select``: ``pos_label`` must say which of two classes is
    positive where the measure depends on it and they are not 0 and 1, -1 and 1, or False and
    True. After ``fit``: ``selection_``, ``best_params_``,
    ``best_estimator_``, ``best_score_`` (optimistic: see ``selection_.estimate``).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> made = SelectCV("knn", {"n_neighbors": [1, 5]}, procedure="5-fold").fit(X, y)
    >>> made.predict(X[:2]).tolist()
    [0, 0]
    """

    def __init__(
        self,
        estimator: Any,
        grid: Any = None,
        *,
        measure: Any = None,
        procedure: Any = None,
        rule: str = "best",
        simpler: Any = None,
        aggregate: str = "folds",
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

        Weights count in the measure that decides and, as in ``karat.select``, in no fit.
        """
        X, y = self._checked(X, y)
        if sample_weight is not None:
            from sklearn.utils.validation import _check_sample_weight

            sample_weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        self.selection_ = select(
            self.estimator,
            self.grid,
            X,
            y,
            measure=self.measure,
            procedure=self.procedure,
            rule=self.rule,
            simpler=self.simpler,
            aggregate=self.aggregate,
            random=self.random,
            groups=groups,
            sample_weight=sample_weight,
            pos_label=self.pos_label,
            task=self.task or ("regression" if self._is_regressor() else None),
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            exact=self.exact,
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
        target = column_or_1d(y, warn=True)
        if not self._is_regressor() and self.task != "regression":
            check_classification_targets(target)
        check_consistent_length(X, target)
        return X, target

    def _is_regressor(self) -> bool:
        from sklearn.base import is_regressor

        return not isinstance(self.estimator, str) and bool(is_regressor(self.estimator))

    def predict(self, X: Any) -> Any:
        """What the chosen setting predicts."""
        return self._fitted().predict(X)

    @available_if(_can("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """The probabilities of the chosen setting."""
        return self._fitted().predict_proba(X)

    @available_if(_can("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        """The decision values of the chosen setting."""
        return self._fitted().decision_function(X)

    def score(self, X: Any, y: Any) -> float:
        """The estimator's own score: accuracy, or the coefficient of determination."""
        return float(self._fitted().score(X, y))

    def _fitted(self) -> Any:
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_

    def __sklearn_tags__(self) -> Any:
        from sklearn.base import BaseEstimator as Plain
        from sklearn.utils import ClassifierTags, RegressorTags

        tags = super().__sklearn_tags__()
        if isinstance(self.estimator, Plain):
            inner = self.estimator.__sklearn_tags__()
            tags.estimator_type = inner.estimator_type
            if inner.classifier_tags is not None:
                # one target, whatever the estimator could take
                tags.classifier_tags = replace(inner.classifier_tags, multi_label=False)
            tags.regressor_tags = inner.regressor_tags
            tags.input_tags.sparse = inner.input_tags.sparse
            tags.input_tags.allow_nan = inner.input_tags.allow_nan
        elif self.task == "regression":
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        else:
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        return tags
