"""The design of a comparison: what was judged on what, which decides the admissible tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.core.wording import plural
from heldout.predictions.plan import plan_of
from heldout.predictions.split_design import SplitDesign

if TYPE_CHECKING:
    from heldout.comparison.aligned import Aligned
    from heldout.predictions.table import Predictions

Kind = Literal[
    "one test set",
    "different test sets",
    "leave-one-out",
    "k-fold",
    "repeated k-fold",
    "5x2-fold",
    "repeated holdout",
    "many data sets",
]

#: what values are of, where models know the groups that they are tested on
SEEN = (
    "splits cut groups: models were trained on rows of the groups that they are tested on, so "
    "values are of new rows of known groups, not of new groups; splits that keep groups whole "
    "judge those"
)
#: the same where rows of a group that is tested do not train
OFTEN = "groups are tested in several splits, which are not separate"


@dataclass(frozen=True, slots=True)
class ComparisonDesign:
    """How the predictions that are compared came about."""

    kind: Kind
    rows: int
    repeats: int = 1
    folds: int = 1
    groups: int = 0
    #: test rows per training row, the mean over splits
    test_share: float = 0.0
    remark: str = ""
    #: rows of each model, where they were judged on different ones
    sizes: tuple[int, ...] = ()
    #: whether rows of a group lie in several splits of a repeat, or in part in a holdout
    cuts_groups: bool = False

    @property
    def words(self) -> str:
        """The design in words, with its numbers."""
        rows = plural(self.rows, "row")
        words = f"{self.kind}, {rows}"
        if self.kind in {"repeated k-fold", "5x2-fold"}:
            words = f"{self.repeats} repeats of {self.folds} folds, {rows}"
        elif self.kind == "k-fold":
            words = f"{self.folds} folds, {rows}"
        elif self.kind == "repeated holdout":
            words = f"{self.repeats} holdouts"
        elif self.sizes:
            words = f"{self.kind} of {' and '.join(f'{size:,}' for size in self.sizes)} rows"
        elif self.kind == "many data sets":
            words = plural(self.rows, "data set")
        if not self.groups:
            return words
        cut = ", cut by the splits" if self.cuts_groups else ""
        return f"{words} in {plural(self.groups, 'group')}{cut}"

    @property
    def mean_of(self) -> str:
        """What the values of models are of, where splits are compared: ``mean of 10 folds``."""
        if self.kind == "k-fold":
            return f"mean of {self.folds} folds"
        if self.kind == "repeated holdout":
            return f"mean of {self.repeats} holdouts"
        return f"mean of {self.repeats}x{self.folds} folds" if self.has_splits else ""

    @property
    def pool_of(self) -> str:
        """The same of values of which the folds of a repeat are pooled."""
        if not self.has_splits:
            return ""
        pooled = f"{self.folds} folds pooled"
        return pooled if self.repeats == 1 else f"mean of {self.repeats} repeats, {pooled}"

    @property
    def training_rows(self) -> int:
        """How many rows a model of a split was trained on, about; 0 where that is not known."""
        if not self.has_splits or not self.test_share:
            return 0
        # the rows of holdouts are those of all repeats
        parts = self.repeats if self.kind == "repeated holdout" else self.folds
        return round(self.rows / parts / self.test_share)

    @property
    def has_splits(self) -> bool:
        """Whether models were fitted again and again on overlapping training parts."""
        return self.kind in {"k-fold", "repeated k-fold", "5x2-fold", "repeated holdout"}


def design_of(aligned: Aligned) -> ComparisonDesign:
    """The design that the first model's predictions carry; all others must carry the same."""
    first = aligned.predictions[0]
    group = first.design.group
    groups = 0 if group is None else len(np.unique(group.codes))
    if not aligned.is_paired:
        each = tuple(len(p) for p in aligned.predictions)
        columns = [p.design.group for p in aligned.predictions]
        groups = sum(len(np.unique(column.codes)) for column in columns if column is not None)
        is_cut = any(SplitDesign(p).cuts_groups for p in aligned.predictions)
        remark = SEEN if is_cut else ""
        return ComparisonDesign(
            "different test sets", sum(each), groups=groups, remark=remark, sizes=each
        )
    for other in aligned.predictions[1:]:
        _refuse_other_splits(first, other)
    if first.design.fold is None and first.design.repeat is None:
        return ComparisonDesign("one test set", len(first), groups=groups)
    known = SplitDesign(first)
    repeats, folds, is_cut = known.repeats, known.folds, known.cuts_groups
    if repeats == 1 and folds == 1:
        return ComparisonDesign("one test set", len(first), groups=groups, remark="one holdout")
    if repeats == 1 and folds == len(first):
        kind: Kind = "leave-one-out"
        remark = SEEN if is_cut else ""
        return ComparisonDesign(
            kind, len(first), 1, folds, groups, remark=remark, cuts_groups=is_cut
        )
    share = known.test_share
    if share is None:
        raise InputError(
            "the sizes of the training parts are not known: give their class counts "
            f"({argument('train_count_prefix')}), a column procedure such as '20x holdout 70:30', "
            f"or the folds ({argument('fold')}) of a cross-validation"
        )
    remark = _remark(first.design.procedure, is_cut)
    if folds == 1:
        kind = "repeated holdout"
        return ComparisonDesign(
            kind, len(first), repeats, 1, groups, share, remark, cuts_groups=is_cut
        )
    rows = len(first) // repeats
    kind = "k-fold" if repeats == 1 else "repeated k-fold"
    if (repeats, folds) == (5, 2):
        kind = "5x2-fold"
    return ComparisonDesign(kind, rows, repeats, folds, groups, share, remark, cuts_groups=is_cut)


def _remark(procedure: str, is_cut: bool) -> str:
    """What is to be known: that no test is known to be valid, that models know the groups."""
    plan, remarks = plan_of(procedure), []
    if lack := plan.lack:
        remarks.append(f"{procedure}: {lack}; read the corrected t test as a rough guide")
    if is_cut:
        remarks.append(OFTEN if plan.is_in_time else SEEN)
    return "; ".join(remarks)


def _refuse_other_splits(first: Predictions, other: Predictions) -> None:
    for word, mine, theirs in (
        ("fold", first.design.fold, other.design.fold),
        ("repeat", first.design.repeat, other.design.repeat),
    ):
        if (mine is None) != (theirs is None):
            lacking = first.model if mine is None else other.model
            raise InputError(f"model {lacking!r} has no {word}, the other has: give --{word}")
        if mine is None or theirs is None:
            continue
        one = np.array([str(level) for level in mine.levels])[mine.codes]
        two = np.array([str(level) for level in theirs.levels])[theirs.codes]
        if not np.array_equal(one, two):
            row = int(np.argmax(one != two)) + 1
            raise InputError(
                f"models {first.model!r} and {other.model!r} were judged on different splits "
                f"({word} of row {row:,} is {one[row - 1]} and {two[row - 1]}): evaluate both "
                "with the same procedure and seed"
            )
