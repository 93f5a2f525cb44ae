"""The design of a comparison: what was judged on what, which decides the admissible tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from karat.comparison.fold_differences import share_of_test
from karat.core.errors import InputError
from karat.predictions.part import plural

if TYPE_CHECKING:
    from karat.comparison.aligned import Aligned
    from karat.predictions.table import Predictions

__all__ = ["ComparisonDesign", "design_of"]

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


#: starts of procedures that the corrected t test was not made for
ROUGH = {
    "bootstrap": "training parts repeat rows",
    ".632": "training parts repeat rows",
    "time": "later parts are trained on more rows and judged on other times",
    "leave-": "every choice of rows is tested",
}


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

    @property
    def words(self) -> str:
        """The design in words, with its numbers."""
        rows = plural(self.rows, "row")
        made = f"{self.kind}, {rows}"
        if self.kind in {"repeated k-fold", "5x2-fold"}:
            made = f"{self.repeats} repeats of {self.folds} folds, {rows}"
        elif self.kind == "k-fold":
            made = f"{self.folds} folds, {rows}"
        elif self.kind == "repeated holdout":
            made = f"{self.repeats} holdouts"
        elif self.sizes:
            made = f"{self.kind} of {' and '.join(f'{size:,}' for size in self.sizes)} rows"
        elif self.kind == "many data sets":
            made = plural(self.rows, "data set")
        return made + (f" in {plural(self.groups, 'group')}" if self.groups else "")

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
        return ComparisonDesign("different test sets", sum(each), groups=groups, sizes=each)
    for other in aligned.predictions[1:]:
        _refuse_other_splits(first, other)
    if first.design.fold is None and first.design.repeat is None:
        return ComparisonDesign("one test set", len(first), groups=groups)
    repeats, folds, sizes = _shape(first)
    if repeats == 1 and folds == 1:
        return ComparisonDesign("one test set", len(first), groups=groups, remark="one holdout")
    if repeats == 1 and folds == len(first):
        return ComparisonDesign("leave-one-out", len(first), 1, folds, groups)
    share = share_of_test(first)
    remark = _remark(first.design.procedure)
    if folds == 1:
        kind: Kind = "repeated holdout"
        return ComparisonDesign(kind, len(first), repeats, 1, groups, share, remark)
    rows = sizes // repeats
    kind = "k-fold" if repeats == 1 else "repeated k-fold"
    if (repeats, folds) == (5, 2):
        kind = "5x2-fold"
    return ComparisonDesign(kind, rows, repeats, folds, groups, share, remark)


def _remark(procedure: str) -> str:
    """What is to be known of a procedure after which no test is known to be valid."""
    for start, reason in ROUGH.items():
        if procedure.startswith(start):
            return (
                f"after {procedure} no test is known to be valid ({reason}): read the corrected t "
                "test as a rough guide"
            )
    return ""


def _shape(p: Predictions) -> tuple[int, int, int]:
    """Repeats, folds of each, and rows in all."""
    repeat, fold = p.design.repeat, p.design.fold
    repeats = 1 if repeat is None else len(np.unique(repeat.codes))
    folds = 1 if fold is None else len(np.unique(fold.codes))
    return repeats, folds, len(p)


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
