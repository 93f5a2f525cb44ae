"""Coverage of intervals after cross-validation: two learners on two normal classes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.random import stream
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.cross_validation import (
    corrected_t_interval,
    cross_validated_area_interval,
    nested_interval,
    placements,
)
from heldout.uncertainty.delong import delong_interval
from heldout.uncertainty.interval import Interval
from heldout.uncertainty.proportions import proportion_interval
from heldout.uncertainty.quantiles import two_sided_normal
from tools.coverage.cells import SEED, Tally, table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Array = np.ndarray[Any, Any]
    Learner = Callable[[Array, Array, Array], Array]

__all__ = ["split_section"]

FOLDS, REPEATS, HOLDOUTS, FEATURES = 5, 10, 20, 5
ERRORS = (
    "naive t of 10x5 folds",
    "5-fold: Wilson, pooled",
    "5-fold: Wald within folds",
    "10x5-fold: corrected t",
    "10x5-fold: wider of it and Wilson",
    "20x holdout: corrected t",
)
AREAS = ("5-fold: DeLong, pooled", "5-fold: within folds, mean", "10x5-fold: corrected t, mean")


def logistic(X: Array, y: Array, new: Array) -> Array:
    """Log odds by a logistic regression with a small ridge, fitted by Newton's steps."""
    X, new = (np.column_stack([np.ones(len(part)), part]) for part in (X, new))
    beta = np.zeros(X.shape[1])
    ridge = np.diag([0.0, *[1.0] * (X.shape[1] - 1)])
    for _ in range(8):
        p = 1 / (1 + np.exp(-X @ beta))
        slope = X.T @ (y - p) - ridge @ beta
        beta += np.linalg.solve((X * (p * (1 - p))[:, None]).T @ X + ridge + 1e-9, slope)
    return np.asarray(new @ beta)


def neighbours(X: Array, y: Array, new: Array) -> Array:
    """Share of positives among the seven nearest rows, less one half."""
    distance = (new**2).sum(1)[:, None] - 2 * new @ X.T + (X**2).sum(1)[None, :]
    near = np.argpartition(distance, 7, axis=1)[:, :7]
    return np.asarray(y[near].mean(axis=1) - 0.5)


@dataclass(frozen=True, slots=True)
class Sample:
    """One data set, the intervals made of it, and the truth about the models fitted."""

    errors: dict[str, Interval]
    areas: dict[str, Interval]
    error: float
    area: float


def split_section(share: float) -> str:
    """Coverage of the expected error, and of the error of the very models that were fitted."""
    rows, own, area_rows, own_areas = [], [], [], []
    for name, learner in LEARNERS.items():
        for n in (40, 100, 400):
            samples = _samples(learner, n, max(20, int(share * 250)))
            expected = float(np.mean([s.error for s in samples]))
            area = float(np.mean([s.area for s in samples]))
            head = [name, str(n)]
            rows.append([*head, f"{expected:.3f}", *_cells(samples, ERRORS, "errors", expected)])
            own.append([*head, *_cells(samples, ERRORS[1:3], "errors", None)])
            own_areas.append([*head, *_cells(samples, AREAS[:2], "areas", None)])
            area_rows.append([*head, f"{area:.3f}", *_cells(samples, AREAS, "areas", area)])
    return (
        "## After cross-validation\n\nTwo normal classes in five dimensions, stratified splits. "
        "The expected error is that of models of so many training rows, over all data sets; what "
        "one run of folds judges are the models it fitted. 250 data sets a line: a standard error "
        "of one and a half points. What is taken from one data set cannot see how much a learner "
        "varies from one to the next, so that the expected area of nearest neighbours, whose area "
        "varies by 0.015 to 0.045, is covered too rarely; that of the models which were fitted is "
        "covered.\n\nExpected error:\n\n"
        + table(["learner", "n", "error", *ERRORS], rows)
        + "\nMean error of the five models that were fitted:\n\n"
        + table(["learner", "n", *ERRORS[1:3]], own)
        + "\nExpected area under the ROC curve:\n\n"
        + table(["learner", "n", "area", *AREAS], area_rows)
        + "\nMean area of the five models that were fitted:\n\n"
        + table(["learner", "n", *AREAS[:2]], own_areas)
        + nested_text(share)
    )


def _cells(
    samples: Sequence[Sample], names: Sequence[str], kind: str, truth: float | None
) -> list[str]:
    tally = Tally()
    for sample in samples:
        own = sample.error if kind == "errors" else sample.area
        for name in names:
            tally.add(name, getattr(sample, kind)[name], own if truth is None else truth)
    return [tally.text(name) for name in names]


def _samples(learner: Learner, n: int, count: int) -> list[Sample]:
    rng = stream(SEED, "coverage", "splits", learner.__name__, str(n))
    # new rows for every sample: one large set would be off the truth the same way each time
    return [_sample(learner, *_drawn(rng, n), *_drawn(rng, 3000), rng) for _ in range(count)]


#: data sets on which nested cross-validation is tried on both kinds of folds
NESTED_SAMPLES = 250
LEARNERS: dict[str, Learner] = {"logistic": logistic, "7 nearest": neighbours}


def _drawn(rng: Any, n: int, positive: float = 0.5) -> tuple[Array, Array]:
    y = np.asarray(rng.random(n) < positive, dtype=float)
    return rng.normal(size=(n, FEATURES)) + 0.5 * y[:, None], y


def _folds(y: Array, rng: Any) -> Array:
    """Folds with both classes shared out evenly."""
    folds = np.empty(len(y), np.int64)
    for label in (0, 1):
        rows = rng.permutation(np.flatnonzero(y == label))
        folds[rows] = (np.arange(len(rows)) + rng.integers(FOLDS)) % FOLDS
    return folds


def _area(y: Array, score: Array) -> float:
    return float(placements(score[y == 1], score[y == 0])[0].mean())


def _sample(learner: Learner, X: Array, y: Array, new: Array, truth: Array, rng: Any) -> Sample:
    values, areas, pooled, real, real_area = [], [], [], [], []
    first: tuple[Array, Array] = (np.empty(0), np.empty(0))
    for repeat in range(REPEATS):
        folds = _folds(y, rng)
        score = np.empty(len(y))
        for fold in range(FOLDS):
            test = folds == fold
            score[test] = learner(X[~test], y[~test], X[test])
            values.append(float(np.mean((score[test] >= 0) != y[test])))
            areas.append(_area(y[test], score[test]))
            if not repeat:
                answer = learner(X[~test], y[~test], new)
                real.append(float(np.mean((answer >= 0) != truth)))
                real_area.append(_area(truth, answer))
        pooled.append(float(np.mean((score >= 0) != y)))
        first = (score, folds) if not repeat else first
    score, folds = first
    loss = np.asarray((score >= 0) != y, dtype=float)
    corrected = corrected_t_interval(np.array(values), 1 / (FOLDS - 1), bounds=(0, 1))
    rows = proportion_interval(float(np.mean(pooled)) * len(y), len(y))
    wider = rows if corrected.is_absent or rows.width > corrected.width else corrected
    made = (
        corrected_t_interval(np.array(values), 0.0),
        proportion_interval(loss.sum(), len(y)),
        _within_folds(loss, folds),
        corrected,
        wider,
        _holdouts(learner, X, y, rng),
    )
    of_area = (
        delong_interval(ScoreCounts.of(y == 1, score)),
        cross_validated_area_interval(y == 1, score, folds),
        corrected_t_interval(np.array(areas), 1 / (FOLDS - 1), bounds=(0, 1)),
    )
    return Sample(
        dict(zip(ERRORS, made, strict=True)),
        dict(zip(AREAS, of_area, strict=True)),
        float(np.mean(real)),
        float(np.mean(real_area)),
    )


def _within_folds(loss: Array, folds: Array) -> Interval:
    """Bayle et al. (2020): losses of 0 and 1 with the mean of the folds' own variances."""
    mean, sizes = float(loss.mean()), np.bincount(folds)
    if mean in (0.0, 1.0):  # where it would be a point
        return proportion_interval(loss.sum(), len(loss))
    squares = np.bincount(folds, (loss - (np.bincount(folds, loss) / sizes)[folds]) ** 2)
    reach = two_sided_normal(0.95) * float(np.mean(squares / (sizes - 1)) / len(loss)) ** 0.5
    return Interval(mean - reach, mean + reach, 0.95, "Wald within folds")


def _holdouts(learner: Learner, X: Array, y: Array, rng: Any) -> Interval:
    values = []
    for _ in range(HOLDOUTS):
        order = rng.permutation(len(y))
        test, train = order[: len(y) * 3 // 10], order[len(y) * 3 // 10 :]
        values.append(float(np.mean((learner(X[train], y[train], X[test]) >= 0) != y[test])))
    return corrected_t_interval(np.array(values), 3 / 7, bounds=(0, 1))


def nested_text(share: float) -> str:
    """Nested cross-validation on folds drawn with and without heed of the classes."""
    rows = []
    for (name, learner), positive, (n, repeats) in product(
        LEARNERS.items(), (0.5, 0.2), ((40, 1), (100, 1), (100, 10))
    ):
        rng = stream(SEED, "coverage", "nested", name, f"{positive} {n} {repeats}")
        samples = max(10, int(share * NESTED_SAMPLES))
        tally, floors, drawn, real = Tally(), [0, 0], [], []
        for _ in range(samples):
            X, y = _drawn(rng, n, positive)
            new, truth = _drawn(rng, 1000, positive)
            real.append(float(np.mean((learner(X, y, new) >= 0) != truth)))
            drawn.append([_nested(learner, X, y, rng, repeats, plain) for plain in (False, True)])
        for pair in drawn:
            for place, made in enumerate(pair):
                tally.add(str(place), made[0], float(np.mean(real)))
                floors[place] += made[1]
        cells = [tally.text(str(place)) for place in (0, 1)]
        said = [f"{100 * floor / samples:.0f}" for floor in floors]
        head = [name, f"{100 * positive:g} %", str(n), f"{repeats}x{FOLDS}-fold"]
        rows.append([*head, *(text for both in zip(cells, said, strict=True) for text in both)])
    titles = ["stratified folds", "not wider, %", "plain folds", "not wider, %"]
    return (
        "\nNested cross-validation on stratified folds and on plain ones, which Bates et al. "
        "draw and heldout draws for it: the expected error of models of all rows. *Not wider*: "
        "how often its error is the naive one, as folds differ by less than their own noise. "
        f"{NESTED_SAMPLES} data sets: a standard error of one and a half points.\n\n"
        + table(["learner", "positive", "n", "folds", *titles], rows)
    )


def _nested(
    learner: Learner, X: Array, y: Array, rng: Any, repeats: int, plain: bool
) -> tuple[Interval, bool]:
    """The interval, and whether it is no wider than the naive one."""
    outer, inner = [], []
    for _ in range(repeats):
        folds = _folds(0 * y if plain else y, rng)

        def losses(out: Sequence[int], part: int, folds: Array = folds) -> Array:
            train, test = ~np.isin(folds, out), folds == part
            return np.asarray((learner(X[train], y[train], X[test]) >= 0) != y[test], dtype=float)

        pairs = {
            (a, b): (losses((a, b), a), losses((a, b), b)) for a, b in combinations(range(FOLDS), 2)
        }
        outer.append([losses((k,), k) for k in range(FOLDS)])
        inner.append(
            [
                [pairs[min(k, j), max(k, j)][int(j > k)] for j in range(FOLDS) if j != k]
                for k in range(FOLDS)
            ]
        )
    made = nested_interval(outer, inner)[1]
    losses_of_all = np.concatenate([losses for held in outer for losses in held])
    naive = float(losses_of_all.std(ddof=1)) / len(y) ** 0.5
    reach = two_sided_normal(0.95) * naive
    return made.within((0, 1)), not made.is_absent and made.width < 2.000001 * reach
