"""Predictions with their rows drawn anew, ranked, or exchanged with those of another model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.predictions.table import Predictions


def drawn_rows(p: Predictions, times: NDArray[Any], *, is_written_out: bool = False) -> Predictions:
    """The rows of a bootstrap sample, each with so much more weight; others are left out.

    ``is_written_out``: as so many rows, for measures to which a row of weight 2 is not two rows.
    """
    if is_written_out:
        return p.take(np.repeat(np.arange(len(p)), times))
    drawn = np.flatnonzero(times)
    kept = p.take(drawn)
    repeated = times[drawn].astype(float)
    return replace(kept, weight=repeated if kept.weight is None else kept.weight * repeated)


def with_ranks(p: Predictions) -> Predictions:
    """The predictions with the share of rows up to each score instead of the score; ties share."""
    from scipy.stats import rankdata

    return p if p.scores is None else replace(p, scores=rankdata(p.scores, axis=0) / len(p))


def exchanged_rows(
    first: Predictions, second: Predictions, swap: NDArray[np.bool_]
) -> tuple[Predictions, Predictions]:
    """Two models of the same rows, each with the other's predictions in the rows to swap.

    Examples
    --------
    >>> import heldout
    >>> a, b = (heldout.from_arrays([1, 0], labels, pos_label=1) for labels in ([1, 0], [0, 1]))
    >>> mixed, other = exchanged_rows(a, b, np.array([True, False]))
    >>> mixed.predicted.tolist(), other.predicted.tolist()
    ([0, 0], [1, 1])
    """

    def mixed(mine: Any, other: Any) -> Any:
        if mine is None or other is None:
            return mine
        chosen = swap if mine.ndim == 1 else swap[:, None]
        return np.where(chosen, other, mine)

    def with_some_of(mine: Predictions, other: Predictions) -> Predictions:
        return replace(
            mine,
            predicted=mixed(mine.predicted, other.predicted),
            scores=mixed(mine.scores, other.scores),
            against=mixed(_against(mine, other), _against(other, mine)),
        )

    return with_some_of(first, second), with_some_of(second, first)


def _against(mine: Predictions, other: Predictions) -> NDArray[Any] | None:
    """The probability of the negative class, where either model's has to be kept."""
    if mine.scores is None or other.scores is None or mine.against is other.against is None:
        return None
    return 1.0 - mine.scores if mine.against is None else mine.against
