"""Differences of two models split by split, after cross-validation or repeated holdouts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.assess.parts import fold_parts, repeat_parts
from karat.assess.splits import test_share
from karat.assess.values import overall
from karat.core.errors import InputError
from karat.engines.memory import Tallies

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.measures.spec import Request
    from karat.predictions.table import Predictions

__all__ = ["SplitValues", "share_of_test", "split_rows", "split_values"]


@dataclass(frozen=True, slots=True, eq=False)
class SplitValues:
    """The value of a measure in each split, with its repeat and fold."""

    repeat: NDArray[np.int64]
    fold: NDArray[np.int64]
    values: NDArray[np.float64]

    @property
    def shape(self) -> tuple[int, int]:
        """Repeats and folds; folds are 0 where repeats have different numbers of them."""
        repeats, counts = np.unique(self.repeat, return_counts=True)
        return len(repeats), int(counts[0]) if len(set(counts.tolist())) == 1 else 0

    def table(self) -> NDArray[np.float64]:
        """A row a repeat and a column a fold."""
        order = np.lexsort([self.fold, self.repeat])
        return self.values[order].reshape(self.shape)


def split_values(request: Request, tallies: Tallies) -> SplitValues:
    """The value of a measure in each split, against one prior; NaN where it is undefined there."""
    places, _ = _parts(tallies.predictions)
    has_folds = tallies.predictions.design.fold is not None
    parts = fold_parts(tallies) if has_folds else repeat_parts(tallies)
    values = [overall(request, part.tallies).value for part in parts]
    return SplitValues(places[0], places[1], np.array(values))


def split_rows(p: Predictions) -> list[NDArray[Any]]:
    """The rows of each split, in the order of ``split_values``."""
    return _parts(p)[1]


def _parts(p: Predictions) -> tuple[NDArray[Any], list[NDArray[Any]]]:
    """Repeat and fold of each split, and its rows."""
    places, of_row = np.unique(np.stack(_codes(p)), axis=1, return_inverse=True)
    order = np.argsort(of_row.ravel(), kind="stable")
    starts = np.searchsorted(of_row.ravel()[order], np.arange(places.shape[1] + 1))
    return places, [np.sort(order[low:high]) for low, high in pairwise(starts)]


def share_of_test(p: Predictions) -> float:
    """Test rows per training row, the mean over splits; an error where nothing tells."""
    share = test_share(Tallies(p))
    if share is None:
        raise InputError(
            "the sizes of the training parts are not known: give their class counts "
            "(--train-count-prefix), a column procedure such as '20x holdout 70:30', or the folds "
            "(--fold) of a cross-validation"
        )
    return share


def _codes(p: Predictions) -> tuple[NDArray[Any], NDArray[Any]]:
    fold, repeat = p.design.fold, p.design.repeat
    nothing = np.zeros(len(p), np.int64)
    if fold is None and repeat is None:
        raise InputError("the predictions carry no folds (--fold, --repeat)")
    return (
        nothing if repeat is None else repeat.codes.astype(np.int64),
        nothing if fold is None else fold.codes.astype(np.int64),
    )
