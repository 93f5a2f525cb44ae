"""Differences of two models split by split, after cross-validation or repeated holdouts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.forms import is_mean_of_rows
from heldout.assess.parts import fold_parts, repeat_parts
from heldout.assess.values import is_split, overall
from heldout.core.dialect import argument, worded
from heldout.core.errors import InputError
from heldout.engines.memory import Tallies
from heldout.engines.parts import with_common_prior
from heldout.predictions.split_design import SplitDesign
from heldout.predictions.table import Column

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.measures.spec import Request
    from heldout.predictions.table import Predictions

__all__ = ["SplitValues", "share_of_test", "split_rows", "split_values", "with_whole_repeats"]


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
    """The value of a measure in each split, against one prior; NaN where it is undefined there.

    Where the values of pooled folds stand for the measure it is what each fold adds to them.
    """
    p = tallies.predictions
    places, rows = _parts(p)
    if is_of_pooled_folds(request, tallies):
        added = _added(request, Tallies(with_common_prior(p)), places[0], rows)
        return SplitValues(places[0], places[1], added)
    parts = repeat_parts(tallies) if p.design.fold is None else fold_parts(tallies)
    values = [overall(request, part.tallies).value for part in parts]
    return SplitValues(places[0], places[1], np.array(values))


def is_of_pooled_folds(request: Request, tallies: Tallies) -> bool:
    """Whether single folds say something else: neither a mean over rows nor declared by fold."""
    if tallies.design.folds == 1 or request.measure.by_fold:
        return False
    return is_split(request, tallies.predictions.task) or not is_mean_of_rows(request, tallies)


def with_whole_repeats(request: Request, tallies: Tallies) -> Tallies:
    """The rows as splits of which a measure is the mean: repeats, where folds are pooled."""
    p = tallies.predictions
    if not is_of_pooled_folds(request, tallies):
        return tallies
    repeat = p.design.repeat or Column("repeat", np.zeros(len(p), np.int64), (1,))
    return Tallies(replace(p, design=replace(p.design, fold=None, repeat=repeat)))


def _added(
    request: Request, tallies: Tallies, repeats: NDArray[Any], rows: list[NDArray[Any]]
) -> NDArray[np.float64]:
    """What each fold adds to the value of its repeat: pseudo-values of a jackknife of folds.

    ``k v - (k - 1) w``, with ``v`` the value of all k folds and ``w`` that of the others. Of a
    mean over rows it is the fold's own mean. Shao and Tu (1995), The Jackknife and Bootstrap.
    """

    def value(kept: list[NDArray[Any]]) -> float:
        return overall(request, Tallies(tallies.predictions.take(np.concatenate(kept)))).value

    added = np.empty(len(rows))
    for repeat in np.unique(repeats):
        folds = np.flatnonzero(repeats == repeat).tolist()
        whole = value([rows[fold] for fold in folds])
        for fold in folds:
            others = value([rows[other] for other in folds if other != fold])
            added[fold] = len(folds) * whole - (len(folds) - 1) * others
    return added


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
    share = SplitDesign(p).test_share
    if share is None:
        raise InputError(
            "the sizes of the training parts are not known: give their class counts "
            f"({argument('train_count_prefix')}), a column procedure such as '20x holdout 70:30', "
            f"or the folds ({argument('fold')}) of a cross-validation"
        )
    return share


def _codes(p: Predictions) -> tuple[NDArray[Any], NDArray[Any]]:
    fold, repeat = p.design.fold, p.design.repeat
    nothing = np.zeros(len(p), np.int64)
    if fold is None and repeat is None:
        raise InputError(worded("the predictions carry no folds ({fold}, {repeat})"))
    return (
        nothing if repeat is None else repeat.codes.astype(np.int64),
        nothing if fold is None else fold.codes.astype(np.int64),
    )
