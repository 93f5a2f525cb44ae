"""The design of a comparison: what was judged on what, which decides the admissible tests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.core.wording import plural
from heldout.predictions.plan import plan_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.engines.memory import Tallies

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
    "values are of new rows of known groups, not of new groups; use splits "
    "that keep groups whole for those"
)
#: the same where rows of a group that is tested do not train
OFTEN = "groups are tested in several splits, which are not independent"


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


def design_of(tallies: Sequence[Tallies], *, is_paired: bool) -> ComparisonDesign:
    """The design that the first model's predictions carry; those that are paired all carry it."""
    groups = [own.groups if own.predictions.design.group else 0 for own in tallies]
    if not is_paired:
        each = tuple(own.rows for own in tallies)
        remark = SEEN if any(own.design.cuts_groups for own in tallies) else ""
        kind: Kind = "different test sets"
        return ComparisonDesign(kind, sum(each), groups=sum(groups), remark=remark, sizes=each)
    first, known = tallies[0].predictions, tallies[0].design
    repeats, folds, is_cut = known.repeats, known.folds, known.cuts_groups
    whole = ComparisonDesign("one test set", len(first), groups=groups[0])
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
    kind = "k-fold" if repeats == 1 else "repeated k-fold"
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


def _remark(procedure: str, is_cut: bool) -> str:
    """What is to be known: that no test is known to be valid, that models know the groups."""
    plan, remarks = plan_of(procedure), []
    if lack := plan.lack:
        remarks.append(f"{procedure}: {lack}; read the corrected t test as a rough guide")
    if is_cut:
        remarks.append(OFTEN if plan.is_in_time else SEEN)
    return "; ".join(remarks)
