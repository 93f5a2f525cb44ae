"""How rows came to be judged, found once from their columns: splits, repeats, cut groups, sizes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from heldout.core.codes import count_codes
from heldout.core.notes import Lack, Reason
from heldout.predictions.plan import plan_of

if TYPE_CHECKING:
    from heldout.core.arrays import Array, Floats, Integers
    from heldout.predictions.plan import Plan
    from heldout.predictions.table import Predictions

REPEATED = Lack(
    "rows are judged in several repeats, which are not independent rows", Reason.REPEATED
)
OFTEN = Lack("a row is judged in several folds, which are not independent rows", Reason.OFTEN)


@dataclass(frozen=True, eq=False)
class SplitDesign:
    """What the design of some rows says of how often and by how many models they are judged.

    Examples
    --------
    >>> import heldout
    >>> rows = heldout.from_arrays([1, 0, 1, 0], y_score=[0.9, 0.1, 0.8, 0.2], folds=[1, 1, 2, 2])
    >>> design = SplitDesign(rows)
    >>> design.folds, design.repeats, design.test_share
    (2, 1, 1.0)
    """

    predictions: Predictions

    @cached_property
    def plan(self) -> Plan:
        """What the procedure says."""
        return plan_of(self.predictions.design.procedure)

    @cached_property
    def repeats(self) -> int:
        """How many repeats have rows."""
        repeat = self.predictions.design.repeat
        return 1 if repeat is None else len(np.unique(repeat.codes))

    @cached_property
    def _fold_sizes(self) -> Integers:
        fold = self.predictions.design.fold
        return np.ones(1, np.int64) if fold is None else np.bincount(fold.codes)

    @cached_property
    def folds(self) -> int:
        """How many folds have rows, of all repeats together."""
        return int(np.count_nonzero(self._fold_sizes))

    @cached_property
    def is_leave_one_out(self) -> bool:
        """Whether each fold is a single row."""
        return self.repeats == 1 and self.folds > 1 and bool(self._fold_sizes.max() == 1)

    @cached_property
    def is_often(self) -> bool:
        """Whether some row is judged in several folds of one repeat."""
        names = self.predictions.identifier
        if self.repeats != 1 or self.folds < 2 or names is None or self.is_leave_one_out:
            return False
        return len(np.unique(names)) < len(names)

    @cached_property
    def cuts_groups(self) -> bool:
        """Whether splits cut groups: a group in two folds of a repeat, or cut by a holdout.

        Where a repeat is a single split, a group that it keeps whole has as many rows in it as
        in any other, and as many as the group has where rows have identifiers.
        """
        p = self.predictions
        design = p.design
        if design.group is None or (design.fold is None and design.repeat is None):
            return False
        group = design.group.codes.astype(np.int64)
        code = group
        if design.repeat is not None:
            code = group * len(design.repeat.levels) + design.repeat.codes
        if design.fold is not None and count_codes(design.fold.codes) > 1:
            each = code * len(design.fold.levels) + design.fold.codes
            return count_codes(each) > count_codes(code)
        _, first, counts = np.unique(code, return_index=True, return_counts=True)
        most = np.zeros(int(group.max(initial=0)) + 1, np.int64)
        np.maximum.at(most, group[first], counts)
        if p.identifier is not None and design.repeat is not None:
            rows = np.unique(p.identifier, return_index=True)[1]
            most = np.maximum(most, np.bincount(group[rows], minlength=len(most)))
        return bool((counts < most[group[first]]).any())

    @cached_property
    def splits(self) -> tuple[int, int]:
        """How many splits have rows, and how many the procedure makes (0: nothing says)."""
        plan, design = self.plan, self.predictions.design
        is_told = design.repeat is not None
        if plan.folds:
            is_told = design.fold is not None
        elif plan.is_bootstrap:
            is_told = is_told or design.fold is not None
        due = (plan.folds or 1) * plan.repeats if is_told else 0
        return (len(np.unique(places_of(self.predictions))) if due else 0), due

    @property
    def interval_lack(self) -> Lack | None:
        """Why no interval of any value of these rows is known to be valid; None: one may be."""
        return self.plan.lack or (OFTEN if self.is_often else None)

    @cached_property
    def test_share(self) -> float | None:
        """Rows tested per row trained on, the mean over splits; None where nothing tells.

        Each split has its own ratio (Nadeau and Bengio 2003), which is known from its training
        counts, from the text of a holdout, or from folds that train on all the others. With
        folds of unequal size the mean of the ratios is above that of equal folds: cautious.
        """
        p = self.predictions
        design = p.design
        _, first, split = np.unique(places_of(p), return_index=True, return_inverse=True)
        tested = np.bincount(split) if design.tested is None else design.tested[first]
        trained = self._training_sizes(first, tested)
        if trained is not None:
            return float(np.mean(tested / trained)) if (trained > 0).all() else None
        return design.test_share if self.plan.test_share is None else self.plan.test_share

    def _training_sizes(self, first: Integers, tested: Array) -> Floats | None:
        """How many rows each split trained on, by a row of each; None where nothing tells."""
        p = self.predictions
        if p.prior is not None and p.prior.kind == "training counts":
            codes = np.zeros(len(p), np.int64) if p.prior.codes is None else p.prior.codes
            return np.asarray(p.prior.table.sum(axis=1)[codes[first]], np.float64)
        if self.plan.is_bootstrap and p.identifier is not None:
            # a bootstrap sample has as many rows as the data
            return np.full(len(first), float(len(np.unique(np.asarray(p.identifier).astype(str)))))
        if self.plan.test_share is not None or p.design.fold is None:
            return None
        repeat = p.design.repeat
        repeats = np.zeros(len(p), np.int64) if repeat is None else repeat.codes
        _, of = np.unique(repeats[first], return_inverse=True)
        trained = np.asarray(np.bincount(of, tested)[of] - tested, np.float64)
        return trained if trained.any() else None


def places_of(p: Predictions) -> Integers:
    """One code for the repeat and the fold of each row."""
    fold, repeat = p.design.fold, p.design.repeat
    folds = np.zeros(len(p), np.int64) if fold is None else fold.codes.astype(np.int64)
    if repeat is None:
        return folds
    return repeat.codes.astype(np.int64) * (1 if fold is None else len(fold.levels)) + folds
