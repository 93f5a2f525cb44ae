"""Differences of two models split by split, after cross-validation or repeated holdouts."""

from __future__ import annotations

from dataclasses import replace
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
from heldout.tables.column import Column

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.measures.spec import Request
    from heldout.predictions.table import Predictions


def split_values(request: Request, tallies: Tallies) -> NDArray[np.float64]:
    """The value of a measure in each split, against one prior; NaN where it is undefined there.

    Splits are in the order of their repeats, and of the folds within each. Where the values of
    pooled folds stand for the measure it is what each fold adds to them.
    """
    p = tallies.predictions
    if is_of_pooled_folds(request, tallies):
        (repeats, _), rows = _parts(p)
        return _added(request, Tallies(with_common_prior(p)), repeats, rows)
    parts = repeat_parts(tallies) if p.design.fold is None else fold_parts(tallies)
    return np.array([overall(request, part.tallies).value for part in parts])


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
