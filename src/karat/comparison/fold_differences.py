"""Differences of two models split by split, after cross-validation or repeated holdouts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.assess.values import overall
from karat.core.errors import InputError
from karat.engines.memory import Tallies

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.measures.spec import Request
    from karat.predictions.table import Predictions

__all__ = ["SplitValues", "share_of_test", "split_rows", "split_values"]

#: train:test, or train:validation:test
HOLDOUT = re.compile(r"holdout (?P<train>[\d.]+):(?:[\d.]+:)?(?P<test>[\d.]+)")


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

    @property
    def mean(self) -> float:
        """The mean over the splits; infinite where it is so in one of them."""
        if np.isinf(self.values).any():
            return float(self.values[np.isinf(self.values)][0])
        return float(self.values.mean())

    def table(self) -> NDArray[np.float64]:
        """A row a repeat and a column a fold."""
        order = np.lexsort([self.fold, self.repeat])
        return self.values[order].reshape(self.shape)


def split_values(request: Request, p: Predictions) -> SplitValues:
    """The value of a measure in each split; NaN where it is undefined there."""
    places, parts = _parts(p)
    values = [overall(request, Tallies(p.take(rows))).value for rows in parts]
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
    """Test rows per training row, the mean over splits.

    As the design that came with the predictions says, else from their training counts, else
    from the folds themselves where each repeat tests every row once.
    """
    if p.design.test_share is not None:
        return p.design.test_share
    repeat, fold = _codes(p)
    pairs = np.stack([repeat, fold])
    places, tested = np.unique(pairs, axis=1, return_counts=True)
    if p.prior is not None and p.prior.kind == "training counts":
        of_split = np.unique(pairs, axis=1, return_index=True)[1]
        # without codes all splits have the same counts
        codes = np.zeros(len(p), np.int64) if p.prior.codes is None else p.prior.codes
        trained = p.prior.table.sum(axis=1)[codes[of_split]]
        tested = tested if p.design.tested is None else p.design.tested[of_split]
        return float(np.mean(tested / trained))
    stated = _share_by_procedure(p, tested)
    if stated is not None:
        return stated
    totals = np.bincount(places[0], weights=tested)
    trained = totals[places[0]] - tested
    if (trained <= 0).any():
        raise InputError(
            "the sizes of the training parts are not known: give their class counts "
            "(--train-count-prefix), a column procedure such as '20x holdout 70:30', or the folds "
            "(--fold) of a cross-validation"
        )
    return float(np.mean(tested / trained))


def _share_by_procedure(p: Predictions, tested: NDArray[Any]) -> float | None:
    """Test rows per training row as the text of the procedure says it; None where it does not."""
    found = HOLDOUT.search(p.design.procedure)
    if found:
        return float(found["test"]) / float(found["train"])
    if p.design.procedure.startswith(("bootstrap", ".632")) and p.identifier is not None:
        # a bootstrap sample has as many rows as the data
        return float(np.mean(tested / len(np.unique(np.asarray(p.identifier).astype(str)))))
    return None


def _codes(p: Predictions) -> tuple[NDArray[Any], NDArray[Any]]:
    fold, repeat = p.design.fold, p.design.repeat
    nothing = np.zeros(len(p), np.int64)
    if fold is None and repeat is None:
        raise InputError("the predictions carry no folds (--fold, --repeat)")
    return (
        nothing if repeat is None else repeat.codes.astype(np.int64),
        nothing if fold is None else fold.codes.astype(np.int64),
    )
