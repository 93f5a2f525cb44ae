"""``karat.score``: arrays or a read table in, a scorecard out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.assess.options import interval_options
from karat.assess.scorecard import Scorecard, score_matrix, score_predictions
from karat.core.errors import InputError
from karat.predictions.table import Predictions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["score"]


def score(
    y_true: Any = None,
    y_pred: Any = None,
    y_score: Any = None,
    *,
    pos_label: Any = None,
    labels: Sequence[Any] | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    folds: Any = None,
    repeats: Any = None,
    slices: Mapping[str, Any] | None = None,
    threshold: float | None = None,
    prior: Any = None,
    train_counts: Any = None,
    task: str | None = None,
    naive: Any = None,
    train_mean: Any = None,
    confusion: Any = None,
    orientation: str | None = None,
    profit: Any = None,
    cost: Any = None,
    model: str = "",
    intervals: bool = True,
    level: float = 0.95,
    interval: str = "",
    replicates: int | None = None,
    random_state: int | None = 1,
    stratified: bool = False,
) -> Scorecard:
    """The scorecard of predictions.

    Parameters
    ----------
    y_true
        True labels or values; or what ``karat.read_predictions`` gave, and then nothing else.
    y_pred
        Predicted labels or values.
    y_score
        Score or probability of the positive class, or one column a class in the order of
        ``labels`` (sorted classes where not given).
    pos_label, labels
        The class of interest; all classes in their order.
    sample_weight, groups, folds, repeats, slices
        Weight of each row, and which rows belong together.
    threshold
        Labels from scores: ``score >= threshold`` is positive (0.5 for probabilities).
    prior, train_counts
        Class probabilities before prediction, or class counts of the training part.
    task
        ``"classification"`` or ``"regression"`` where the values leave it open.
    naive, train_mean
        Regression: a naive forecast of each row; the mean of the training targets.
    confusion, orientation
        A confusion matrix instead of rows: ``"truth-rows"`` or ``"prediction-rows"``.
    profit, cost
        Value of each cell of the confusion matrix, rows = truth.
    intervals, level, interval, replicates, random_state, stratified
        Whether values have intervals, at what level, by which method (empty: chosen by the
        measure and the design), with how many bootstrap replicates, from which seed, and
        whether true classes keep their numbers in resampling.

    Examples
    --------
    >>> card = score(["spam", "ham", "spam"], ["spam", "ham", "ham"], pos_label="spam")
    >>> card["recall"].value
    0.5
    """
    if y_true is None and confusion is None:
        raise InputError("give y_true with y_pred or y_score, or a confusion matrix")
    options = None
    if intervals:
        options = interval_options(
            level=level,
            method=interval,
            replicates=replicates,
            seed=1 if random_state is None else random_state,
            stratified=stratified,
        )
    worth: dict[str, Any] = {
        "profit": _cells(profit),
        "cost": _cells(cost),
        "intervals": options,
    }
    if confusion is not None:
        from karat.predictions.matrix import read_matrix

        given = read_matrix(confusion, orientation=orientation, labels=labels, positive=pos_label)
        return score_matrix(given, **worth)
    if isinstance(y_true, Predictions):
        y_true = (y_true,)
    if isinstance(y_true, tuple) and y_true and isinstance(y_true[0], Predictions):
        return score_predictions(y_true, **worth)
    from karat.predictions.read import from_arrays

    predictions = from_arrays(
        y_true,
        y_pred,
        y_score,
        pos_label=pos_label,
        labels=labels,
        sample_weight=sample_weight,
        groups=groups,
        folds=folds,
        repeats=repeats,
        threshold=threshold,
        prior=prior,
        train_counts=train_counts,
        task=task,
        naive=naive,
        train_mean=train_mean,
        slices=slices,
        model=model,
    )
    return score_predictions((predictions,), **worth)


def _cells(matrix: Any) -> tuple[tuple[float, ...], ...] | None:
    """A matrix as nested tuples, which can be compared and cached."""
    if matrix is None:
        return None
    try:
        return tuple(tuple(float(v) for v in row) for row in matrix)
    except (TypeError, ValueError):
        raise InputError(
            f"profit and cost are square tables of numbers, rows = truth, not {matrix!r}"
        ) from None
