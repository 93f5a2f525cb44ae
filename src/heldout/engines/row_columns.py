"""The rows as a reader wants to see them: what was predicted beside what came true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from heldout.predictions.table import Predictions

#: by truth (negative, positive) and prediction
OUTCOMES = np.array([["TN", "FP"], ["FN", "TP"]], object)


def row_columns(predictions: Predictions) -> Iterator[tuple[str, NDArray[Any]]]:
    """Identifier, split, truth, prediction and outcome, score and its rank: what there is of them.

    Examples
    --------
    >>> import heldout
    >>> rows = heldout.from_arrays([1, 0, 1], y_score=[0.9, 0.6, 0.2])
    >>> dict(row_columns(rows))["outcome"].tolist()
    ['TP', 'FP', 'FN']
    """
    p = predictions
    if p.identifier is not None:
        yield "id", p.identifier
    for name, column in (("repeat", p.design.repeat), ("fold", p.design.fold)):
        if column is not None:
            yield name, np.array(column.levels, object)[column.codes]
    if p.task == "regression":
        yield "truth", p.truth
        if p.predicted is not None:
            yield "predicted", p.predicted
            yield "error", p.predicted - p.truth
    else:
        yield from _classes(p)


def _classes(p: Predictions) -> Iterator[tuple[str, NDArray[Any]]]:
    labels = np.array(p.classes, object)
    yield "truth", labels[p.truth]
    if p.predicted is not None:
        yield "predicted", labels[p.predicted]
        if p.of_interest is None:
            yield "outcome", np.where(p.truth == p.predicted, "right", "wrong")
        else:
            is_positive = [(codes == p.positive).astype(int) for codes in (p.truth, p.predicted)]
            yield "outcome", OUTCOMES[is_positive[0], is_positive[1]]
    if p.scores is not None and p.scores.ndim == 1:
        yield "score", p.scores
        # the highest score has rank 1, and equal scores share a rank
        yield "rank", np.searchsorted(np.sort(-p.scores), -p.scores) + 1
