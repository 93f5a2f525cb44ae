"""The design of a comparison: what was judged on what, which decides the admissible tests."""

from __future__ import annotations

from dataclasses import dataclass, replace
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
    first, *others = aligned.predictions
    if not aligned.is_paired:
        each = tuple(map(len, aligned.predictions))
        is_cut = any(SplitDesign(p).cuts_groups for p in aligned.predictions)
        return ComparisonDesign(
            "different test sets",
            sum(each),
            groups=sum(map(_groups, aligned.predictions)),
            remark=SEEN if is_cut else "",
            sizes=each,
        )
    for other in others:
        _refuse_other_splits(first, other)
    known = SplitDesign(first)
    repeats, folds, is_cut = known.repeats, known.folds, known.cuts_groups
    whole = ComparisonDesign("one test set", len(first), groups=_groups(first))
    if repeats == folds == 1:
        has_splits = first.design.fold is not None or first.design.repeat is not None
        return replace(whole, remark="one holdout" if has_splits else "")
    whole = replace(whole, repeats=repeats, folds=folds, cuts_groups=is_cut)
    if repeats == 1 and folds == len(first):
        return replace(whole, kind="leave-one-out", remark=SEEN if is_cut else "")
    if known.test_share is None:
        raise InputError(
            "the sizes of the training parts are not known: give their class counts "
            f"({argument('train_count_prefix')}), a column procedure such as '20x holdout 70:30', "
            f"or the folds ({argument('fold')}) of a cross-validation"
        )
    kind: Kind = "k-fold" if repeats == 1 else "repeated k-fold"
    if folds == 1:
        kind = "repeated holdout"
    elif (repeats, folds) == (5, 2):
        kind = "5x2-fold"
    return replace(
        whole,
        kind=kind,
        rows=len(first) if folds == 1 else len(first) // repeats,
        test_share=known.test_share,
        remark=_remark(first.design.procedure, is_cut),
    )


def _groups(p: Predictions) -> int:
    """How many groups of rows there are."""
    return 0 if p.design.group is None else len(np.unique(p.design.group.codes))


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
            raise InputError(
                f"model {lacking!r} has no {word}, the other has: give {argument(word)}"
            )
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
