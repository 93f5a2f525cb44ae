"""K07 to K10 and K17: classes of which rows are missing, few, or nearly all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.assess.forms import is_share_of_rows
from heldout.auditing.check import REGRESSION, SIDES, Seen, check, name_of, sides, some, truth
from heldout.measures.spec import parse_request
from heldout.tally.confusion import Binary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.auditing.material import Material
    from heldout.core.arrays import Array, Floats, Integers
    from heldout.datasets.dataset import Dataset
    from heldout.predictions.table import Predictions
    from heldout.procedures.splits import Split
    from heldout.tables.column import Label


def _needs_sides_of_classes(material: Material) -> str:
    if sides(material):
        return SIDES
    return "" if material.trained is not None and material.trained.classes else REGRESSION


@check(
    "K07",
    "a class is missing",
    "warning",
    why="A model cannot learn a class it never saw, nor be judged on one that does not occur.",
    fix="Stratify, use fewer folds, or collect more rows of that class.",
    needs=_needs_sides_of_classes,
    by_split=True,
)
def missing_class(material: Material) -> Iterator[Seen]:
    """Classes without rows in a training or test part."""
    if material.sides is not None:
        yield from _missing_of_tables(*material.sides)
    if material.parts is not None and material.parts[0].classes:
        yield from _missing_of_splits(material, material.parts[0])


def _missing_of_tables(train: Dataset, test: Dataset) -> Iterator[Seen]:
    known = {name_of(train.classes[c]) for c in np.unique(train.truth)}
    names = np.array([name_of(label) for label in test.classes])
    asked = {str(names[c]) for c in np.unique(test.truth)}
    if asked - known:
        new = sorted(asked - known)
        rows = np.flatnonzero(np.isin(names[test.truth], new))
        yield Seen(
            f"{len(rows):,} test rows are of classes that no training row has: {some(new)}",
            rows=rows,
        )
    if known - asked:
        missing = some(sorted(known - asked))
        yield Seen(f"classes without rows in the test set: {missing}", severity="note")


def _missing_of_splits(material: Material, data: Dataset) -> Iterator[Seen]:
    size = len(data.classes)
    totals = np.bincount(data.truth, minlength=size)
    untrained: dict[int, list[str]] = {}
    untested: dict[int, list[str]] = {}
    for split in material.each_split():
        # a part of few rows cannot have all classes
        due = totals / len(data) * len(split.test) >= 1
        for lacking, rows, wanted in (
            (untrained, split.train, totals > 0),
            (untested, split.test, due),
        ):
            present = np.bincount(data.truth[rows], minlength=size) > 0
            for code in np.flatnonzero(wanted & ~present).tolist():
                lacking.setdefault(code, []).append(f"{split.repeat}.{split.fold}")
    of = f"{material.shown_splits:,} splits"
    for code, splits in untrained.items():
        yield Seen(
            f"class {data.classes[code]} has no training row in {len(splits):,} of {of} "
            f"(repeat.fold {some(splits)})",
            rows=np.flatnonzero(data.truth == code),
        )
    if untested:
        worst = max(untested, key=lambda code: len(untested[code]))
        name = data.classes[worst]
        who = f"class {name} has no test row in"
        if len(untested) > 1:
            who = f"{len(untested)} classes have no test row in some split, class {name} in"
        yield Seen(
            f"{who} {len(untested[worst]):,} of {of}, though one was due (repeat.fold "
            f"{some(untested[worst])})",
            severity="note",
        )


#: shares of a test part may be off by this much, and by a few rows, before it is worth a word
POINTS, ROWS = 0.1, 3


def _needs_splits_of_classes(material: Material) -> str:
    if material.parts is None:
        return "needs data with a procedure or splits"
    return "" if material.parts[0].classes else REGRESSION


@check(
    "K08",
    "class shares differ between folds",
    "note",
    why="Folds whose class shares differ from those of the data make measures vary more.",
    fix="Stratify (the default of heldout's procedures), or use larger folds.",
    needs=_needs_splits_of_classes,
    by_split=True,
)
def strata_off(material: Material) -> Iterator[Seen]:
    """The split whose class shares are furthest off."""
    assert material.data is not None
    data = material.data
    size = len(data.classes)
    share = np.bincount(data.truth, minlength=size) / len(data)

    def gaps(split: Split) -> Floats:
        counts = np.bincount(data.truth[split.test], minlength=size)
        off = np.abs(counts / len(split.test) - share)
        off[np.abs(counts - share * len(split.test)) < ROWS] = 0.0
        return np.where(off > POINTS, off, 0.0)

    worst = material.worst_split(lambda s: gaps(s).max() if len(s.test) >= 2 * ROWS else 0.0)
    if worst is not None:
        code, tested = int(gaps(worst.split).argmax()), data.truth[worst.split.test]
        yield Seen(
            f"{worst.faulty:,} of {material.shown_splits:,} splits; at worst class "
            f"{data.classes[code]} has {100 * (tested == code).sum() / len(tested):.3g}% of the "
            f"test rows and {100 * share[code]:.3g}% of all rows",
            worst.name,
        )


#: with ten rows, a recall of one half has a 95 % interval from 24 to 76 %, and five cannot show
#: that one model is better than another even if it is right on all and the other on none
FEW = 10


@check(
    "K09",
    "too few rows of a class",
    "warning",
    why="Recall, precision and AUC then depend on a handful of rows and are very imprecise.",
    fix="Collect more rows of that class, or report the intervals, not the values.",
    needs=truth,
)
def few_positives(material: Material) -> Iterator[Seen]:
    """Classes with fewer than ten rows where a model is judged."""
    judging: Dataset | Predictions | None = material.judging
    repeats = 1
    if judging is None:
        judging = material.predictions[0]
        # repeats judge the same rows again
        if judging.design.repeat is not None:
            repeats = max(len(judging.design.repeat.levels), 1)
        rows = material.tallies[0].unweighted.class_weights
    else:
        rows = np.bincount(judging.truth, minlength=len(judging.classes))
    counts = rows / repeats
    small = np.flatnonzero((counts > 0) & (counts < FEW))
    if len(small):
        named = [f"{judging.classes[code]}: {counts[code]:.3g}" for code in small.tolist()]
        yield Seen(
            f"classes with fewer than {FEW} rows: {some(named, 10)}",
            rows=np.flatnonzero(np.isin(judging.truth, small)),
        )


def _needs_folds(material: Material) -> str:
    if not material.predictions:
        return "needs predictions"
    if any(p.design.fold is not None and p.task == "binary" for p in material.predictions):
        return ""
    return "needs predictions of two classes with a fold column"


@check(
    "K10",
    "folds with undefined measures",
    "warning",
    why="A mean over folds leaves such folds out, and they are not a random sample of folds.",
    fix="Use the pooled value, stratify, or use fewer folds.",
    needs=_needs_folds,
)
def undefined_folds(material: Material) -> Iterator[Seen]:
    """Folds with one class only, or without a predicted positive, where a measure needs them."""
    shown = [parse_request(name).measure for name in material.measures or ()]
    needs_classes = not shown or any(measure.needs_classes for measure in shown)
    needs_labels = not shown or any(Binary in measure.needs for measure in shown)
    for p in material.predictions:
        if p.task != "binary" or p.design.fold is None or p.positive is None:
            continue
        fold, names = _folds(p)
        count = len(names)
        rows = np.bincount(fold, minlength=count)
        # leave-one-out has one row per fold by design
        if rows.max(initial=0) < 2:
            continue
        positives = np.bincount(fold, p.truth == p.positive, minlength=count)
        single = np.flatnonzero((rows > 0) & ((positives == 0) | (positives == rows)))
        seen = [(single, "one class only, so AUC and the like are")] if needs_classes else []
        if needs_labels and p.predicted is not None and not p.is_open:
            named = np.bincount(fold, p.predicted == p.positive, minlength=count)
            empty = np.flatnonzero((rows > 0) & (named == 0))
            # a model that never names the positive has no mean over folds to mislead
            if len(empty) < count:
                seen.append((empty, "no row predicted positive, so precision is"))
        for folds, what in seen:
            if len(folds):
                yield Seen(
                    f"{len(folds):,} of {count:,} folds have {what} undefined there "
                    f"({some([names[i] for i in folds])})",
                    p.model,
                )


def _folds(p: Predictions) -> tuple[Integers, list[str]]:
    """The fold of each row, and what folds are called."""
    assert p.design.fold is not None
    fold, repeat = p.design.fold, p.design.repeat
    codes = fold.codes.astype(np.int64)
    if repeat is None:
        return codes, [f"fold {level}" for level in fold.levels]
    size = len(fold.levels)
    used, codes = np.unique(codes + size * repeat.codes.astype(np.int64), return_inverse=True)
    names = [
        f"repeat {repeat.levels[code // size]}, fold {fold.levels[code % size]}"
        for code in used.tolist()
    ]
    return codes, names


#: from this share of the largest class on, its share is worth knowing beside the accuracy
LARGE = 0.8


@check(
    "K17",
    "accuracy is not informative here",
    "note",
    why="A model that always predicts the most frequent class has its share as accuracy.",
    fix="Use balanced accuracy, AUC or profit, or compare accuracy with the no-information rate.",
    needs=truth,
)
def imbalance(material: Material) -> Iterator[Seen]:
    """A class that makes up most rows, and models not above it; where accuracy is looked at."""
    shown = material.measures
    if shown is not None and not any(is_share_of_rows(parse_request(name)) for name in shown):
        return
    models: dict[str, list[str]] = {}
    for p, tallies in zip(material.predictions, material.tallies, strict=True):
        if not p.classes:
            continue
        share, text = _largest(tallies.class_weights, p.classes)
        if share < LARGE:
            continue
        models.setdefault(text, [])
        if tallies.has_labels:
            confusion = tallies.confusion
            right = float(confusion.counts[confusion.truth == confusion.predicted].sum())
            right /= float(confusion.counts.sum())
            beside = "above" if right > share else "not above"
            of = f" of {p.model}" if p.model else ""
            models[text].append(f"the accuracy{of}, {100 * right:.3g}%, is {beside} that")
    for text, accuracies in models.items():
        yield Seen("; ".join([text, *([some(accuracies)] if accuracies else [])]))
    data = material.judging
    if not material.predictions and data is not None:
        share, text = _largest(np.bincount(data.truth, minlength=len(data.classes)), data.classes)
        if share >= LARGE:
            yield Seen(text)


def _largest(counts: Array, classes: tuple[Label, ...]) -> tuple[float, str]:
    """The share of the largest class, as a number and in words."""
    share = float(counts.max() / counts.sum()) if counts.sum() > 0 else 0.0
    return share, f"class {classes[int(counts.argmax())]} has {100 * share:.3g}% of the rows"
