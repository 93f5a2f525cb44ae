"""Coverage after repeated folds of measures that are no means over rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import heldout
from heldout.core.random import stream
from heldout.uncertainty.cross_validation import corrected_t_interval
from heldout.uncertainty.interval import Interval, absent
from tools.coverage.cells import SEED, Tally, table
from tools.coverage.splits import logistic, neighbours

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Array = np.ndarray[Any, Any]
    Learner = Callable[[Array, Array, Array], Array]

__all__ = ["repeated_fold_section"]

FOLDS, REPEATS, FEATURES, POSITIVE = 10, 10, 5, 0.3
CLASSES = ("f_score", "mcc", "balanced_accuracy", "auc", "average_precision", "ece")
NUMBERS = ("r2", "rmse")
HELDOUT, FOLD_MEAN = "heldout", "mean of folds"
COVERS = ("covers expected", "fitted")
HEAD = ("learner", "n", "measure", "expected", "heldout: mean", *COVERS, "folds: mean", *COVERS)


def repeated_fold_section(share: float) -> str:
    """Coverage of the expected value, beside that of the mean over the single folds."""
    count = max(20, int(share * 200))
    rows = []
    for name, learner, n, measures in (
        ("logistic", _logistic, 100, CLASSES),
        ("7 nearest", _neighbours, 100, CLASSES),
        ("linear", _linear, 60, NUMBERS),
    ):
        rng = stream(SEED, "coverage", "repeated folds", name)
        samples = [_sample(learner, n, measures, rng) for _ in range(count)]
        rows += [[name, str(n), m, *_cells([sample[m] for sample in samples])] for m in measures]
    return (
        "## After repeated folds\n\n10x10-fold, stratified; two normal classes in five dimensions, "
        "30 % positive, or a linear function of five numbers with an R2 of about one half. The "
        "expected value is that of models of nine tenths of the rows on new rows. heldout gives "
        "the mean of the pooled values of the repeats, and of the area under the ROC curve the "
        "mean of the folds. Beside it what it gives of no measure but areas: the mean over folds "
        "of ten rows, whose calibration error is mostly noise, with a corrected t. *Fitted*: how "
        "often the mean value of models that were fitted on these data is covered, which is what "
        "an interval of rows is of; how much a learner varies from one data set to the next it "
        "cannot see. None: heldout gives no interval, and says why. "
        f"{count} data sets a line.\n\n" + table(HEAD, rows)
    )


def _cells(samples: Sequence[tuple[float, dict[str, tuple[float, Interval]]]]) -> list[str]:
    expected = float(np.mean([truth for truth, _ in samples]))
    cells = [f"{expected:.3f}"]
    for name in (HELDOUT, FOLD_MEAN):
        tally = Tally()
        for truth, made in samples:
            tally.add("expected", made[name][1], expected)
            tally.add("fitted", made[name][1], truth)
        cells.append(f"{np.mean([made[name][0] for _, made in samples]):.3f}")
        cells += [tally.text("expected"), tally.text("fitted")]
    return cells


def _sample(
    learner: Learner, n: int, measures: Sequence[str], rng: Any
) -> dict[str, tuple[float, dict[str, tuple[float, Interval]]]]:
    """For each measure the truth, and the values with their intervals."""
    X, y = _drawn(rng, n, measures)
    new, truth = _drawn(rng, 1000, measures)
    given: dict[str, list[Array]] = {"y": [], "out": [], "fold": [], "repeat": []}
    real = []
    for repeat in range(REPEATS):
        folds = _folds(y, measures, rng)
        out = np.empty(n)
        for fold in range(FOLDS):
            test = folds == fold
            out[test] = learner(X[~test], y[~test], X[test])
            if fold == repeat:  # one model a repeat: ten of the same kind
                real.append(_card(truth, learner(X[~test], y[~test], new), measures))
        for name, part in zip(given, (y, out, folds, np.full(n, repeat)), strict=True):
            given[name].append(part)
    y, out, all_folds, repeats = (np.concatenate(parts) for parts in given.values())
    card = _card(y, out, measures, folds=all_folds, repeats=repeats)
    made = {}
    for measure in measures:
        values = [one[measure].value for one in real]
        every = card.results((measure,), per_fold=True)
        each = np.array([r.value for r in every if r.fold not in ("", "mean", "all")])
        each = each[~np.isnan(each)]
        corrected = corrected_t_interval(each, 1 / (FOLDS - 1))
        own = card[measure]
        limits = (
            absent(own.note, level=0.95)
            if own.low is None
            else Interval(own.low, own.high, 0.95, "")
        )
        found = {HELDOUT: (own.value, limits), FOLD_MEAN: (float(each.mean()), corrected)}
        made[measure] = (float(np.nanmean(values)), found)
    return made


def _card(truth: Array, out: Array, measures: Sequence[str], **design: Any) -> Any:
    intervals: dict[str, Any] = {} if design else {"intervals": False}
    if measures is NUMBERS:
        return heldout.score(truth, out, task="regression", **design, **intervals)
    return heldout.score(truth.astype(int), y_score=out, pos_label=1, **design, **intervals)


def _drawn(rng: Any, n: int, measures: Sequence[str]) -> tuple[Array, Array]:
    if measures is NUMBERS:
        X = rng.normal(size=(n, FEATURES))
        return X, X.sum(axis=1) / np.sqrt(FEATURES) + rng.normal(size=n)
    y = np.asarray(rng.random(n) < POSITIVE, dtype=float)
    return rng.normal(size=(n, FEATURES)) + 0.5 * y[:, None], y


def _folds(y: Array, measures: Sequence[str], rng: Any) -> Array:
    """Folds of equal size, with both classes shared out evenly where there are classes."""
    keys = rng.random(len(y))
    order = np.argsort(keys) if measures is NUMBERS else np.lexsort([keys, y])
    folds = np.empty(len(y), np.int64)
    folds[order] = (np.arange(len(y)) + rng.integers(FOLDS)) % FOLDS
    return folds


def _logistic(X: Array, y: Array, new: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-logistic(X, y, new))))


def _neighbours(X: Array, y: Array, new: Array) -> Array:
    return neighbours(X, y, new) + 0.5


def _linear(X: Array, y: Array, new: Array) -> Array:
    X, new = (np.column_stack([np.ones(len(part)), part]) for part in (X, new))
    return np.asarray(new @ np.linalg.lstsq(X, y, rcond=None)[0])
