"""Where rows of predictions come from in the simulations: two sets of processes.

Methods may be chosen and their constants fixed on the tuning set. The judging set was written
down before it was run and is frozen: a process that was ever looked at to choose something
moves to the tuning set, and another one takes its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator

    Array = np.ndarray[Any, Any]
    #: keyword arguments of ``heldout.score``
    Rows = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Process:
    """A distribution of rows, and how many of them a sample has."""

    name: str
    rows: int
    draw: Callable[[Generator, int], Rows]


def _logistic(log_odds: Array) -> Array:
    return 1 / (1 + np.exp(-log_odds))


def _two_classes(truth: Array, score: Array, **more: Any) -> Rows:
    return {"y_true": truth.astype(int), "y_score": score, "pos_label": 1, "labels": [0, 1], **more}


# two classes ---------------------------------------------------------------------------------


def _normal(rng: Generator, n: int, *, positive: float, shift: float, spread: float = 1) -> Rows:
    """Normal log odds in both classes; those of positives are shifted, and spread wider."""
    truth = rng.random(n) < positive
    score = rng.normal(size=n) * np.where(truth, spread, 1) + shift * truth
    return _two_classes(truth, _logistic(shift * (score - shift / 2)))


def _stretched(
    rng: Generator, n: int, *, factor: float, shift: float = -0.6, skew: float = 0.0
) -> Rows:
    """Log odds that are right, or too large or small by a factor; normal or skewed."""
    noise = rng.normal(size=n)
    log_odds = shift + 1.4 * (noise + skew * np.abs(rng.normal(size=n)) - 0.8 * skew)
    truth = rng.random(n) < _logistic(log_odds)
    return _two_classes(truth, _logistic(factor * log_odds))


def _laplace(rng: Generator, n: int) -> Rows:
    truth = rng.random(n) < 0.5
    score = rng.laplace(size=n) * np.where(truth, 1.6, 0.8) + 1.5 * truth
    return _two_classes(truth, _logistic(score - 0.7))


def _tenths(rng: Generator, n: int, *, steps: int, positive: float) -> Rows:
    """Probabilities in few steps."""
    truth = rng.random(n) < positive
    chance = rng.beta(np.where(truth, 3, 1.5), np.where(truth, 1.8, 3))
    return _two_classes(truth, np.round(chance * steps) / steps)


def _gamma(rng: Generator, n: int, *, positive: float) -> Rows:
    truth = rng.random(n) < positive
    score = rng.gamma(np.where(truth, 3.0, 1.2), 1.0)
    return _two_classes(truth, score / (score + 6))


def _steps(rng: Generator, n: int) -> Rows:
    """Uniform scores with a chance that rises in three jumps."""
    score = rng.random(n)
    chance = np.choose((score * 4).astype(int), [0.03, 0.08, 0.22, 0.55])
    return _two_classes(rng.random(n) < chance, 0.6 * score)


# several classes -----------------------------------------------------------------------------


def _classes(rng: Generator, n: int, *, shares: tuple[float, ...], strength: float) -> Rows:
    """Dirichlet probabilities with more mass on the true class."""
    labels = np.arange(len(shares))
    truth = rng.choice(labels, n, p=shares)
    mass = rng.gamma(0.7 + strength * (truth[:, None] == labels), 1.0)
    scores = mass / mass.sum(axis=1, keepdims=True)
    return {"y_true": truth, "y_score": scores, "labels": labels.tolist()}


def _labels(rng: Generator, n: int, *, shares: tuple[float, ...], right: float) -> Rows:
    """Labels alone; what is wrong falls on any class by its share."""
    labels = np.arange(len(shares))
    truth, other = rng.choice(labels, n, p=shares), rng.choice(labels, n, p=shares)
    predicted = np.where(rng.random(n) < right, truth, other)
    return {"y_true": truth, "y_pred": predicted, "labels": labels.tolist()}


# numbers -------------------------------------------------------------------------------------


def _numbers(rng: Generator, n: int, *, noise: Callable[[Generator, Array], Array]) -> Rows:
    predicted = rng.normal(size=n) + 2
    return {"y_true": predicted + noise(rng, predicted), "y_pred": predicted, "task": "regression"}


def _normal_errors(rng: Generator, at: Array) -> Array:
    return rng.normal(size=len(at))


def _lognormal_errors(rng: Generator, at: Array) -> Array:
    return (np.exp(0.8 * rng.normal(size=len(at))) - np.exp(0.32)) * 0.7


def _gamma_errors(rng: Generator, at: Array) -> Array:
    return (rng.gamma(2.0, 1.0, len(at)) - 2) * 0.4 * (0.5 + np.abs(at))


def _laplace_errors(rng: Generator, at: Array) -> Array:
    return rng.laplace(size=len(at)) * 0.8


def _t_errors(rng: Generator, at: Array) -> Array:
    return rng.standard_t(5, len(at)) * 0.7


def _outlying_errors(rng: Generator, at: Array) -> Array:
    return rng.normal(size=len(at)) * np.where(rng.random(len(at)) < 0.05, 3.2, 0.8)


# groups and weights --------------------------------------------------------------------------


def _grouped(
    rng: Generator,
    n: int,
    *,
    sizes: Callable[[Generator, int], Array],
    shared: float,
    is_of_one_class: bool = False,
) -> Rows:
    """Rows of a group share a part of their log odds, and their class or not."""
    size = sizes(rng, n)
    group = np.repeat(np.arange(len(size)), size)
    rows = len(group)
    truth = (rng.random(len(size)) < 0.4)[group] if is_of_one_class else rng.random(rows) < 0.4
    score = rng.normal(size=rows) + 1.4 * truth + (shared * rng.normal(size=len(size)))[group]
    return _two_classes(truth, _logistic(score - 0.7), groups=group)


def _equal_sizes(rng: Generator, n: int, *, size: int) -> Array:
    return np.full(max(n // size, 2), size)


def _geometric_sizes(rng: Generator, n: int, *, mean: int) -> Array:
    return rng.geometric(1 / mean, max(n // mean, 2))


def _lognormal_sizes(rng: Generator, n: int, *, mean: int) -> Array:
    size = np.exp(1.2 * rng.normal(size=max(n // mean, 2)) - 0.72) * mean
    return np.maximum(size.round().astype(int), 1)


def _weighted(rng: Generator, n: int, *, by_class: float, spread: float) -> Rows:
    rows = _normal(rng, n, positive=0.35, shift=1.4)
    weight = np.exp(spread * rng.normal(size=n)) * np.where(rows["y_true"] == 1, by_class, 1.0)
    return {**rows, "sample_weight": weight}


TUNING = (
    Process("normal, 50% of 100 positive", 100, partial(_normal, positive=0.5, shift=1.2)),
    Process("normal, 10% of 200 positive", 200, partial(_normal, positive=0.1, shift=1.8)),
    Process("normal, 50% of 30 positive", 30, partial(_normal, positive=0.5, shift=1.2)),
    Process("normal, 30% of 1,000 positive", 1000, partial(_normal, positive=0.3, shift=1.2)),
    Process("calibrated, 300 rows", 300, partial(_stretched, factor=1.0)),
    Process("overconfident, 300 rows", 300, partial(_stretched, factor=2.0)),
    Process("five steps, 150 rows", 150, partial(_tenths, steps=5, positive=0.5)),
    Process(
        "three classes, 150 rows",
        150,
        partial(_classes, shares=(0.5, 0.3, 0.2), strength=2.0),
    ),
    Process("normal errors, 80 rows", 80, partial(_numbers, noise=_normal_errors)),
    Process("lognormal errors, 100 rows", 100, partial(_numbers, noise=_lognormal_errors)),
    Process(
        "20 groups of 10, alike",
        200,
        partial(_grouped, sizes=partial(_equal_sizes, size=10), shared=0.8),
    ),
    Process(
        "20 groups, very unequal",
        200,
        partial(_grouped, sizes=partial(_lognormal_sizes, mean=10), shared=0.5),
    ),
    Process("weights, spread 0.8", 300, partial(_weighted, by_class=1.0, spread=0.8)),
)

#: frozen on 2026-11-18
JUDGING = (
    Process("skewed log odds, 150 rows", 150, partial(_stretched, factor=1.0, skew=1.5)),
    Process("Laplace, unequal spread, 120 rows", 120, _laplace),
    Process(
        "positives spread twice, 25% of 80", 80, partial(_normal, positive=0.25, shift=1, spread=2)
    ),
    Process("probabilities in tenths, 250 rows", 250, partial(_tenths, steps=10, positive=0.4)),
    Process("gamma scores, 3% of 600 positive", 600, partial(_gamma, positive=0.03)),
    Process("gamma scores, 30% of 40 positive", 40, partial(_gamma, positive=0.3)),
    Process("overconfident by 2.5, 300 rows", 300, partial(_stretched, factor=2.5, shift=-0.9)),
    Process("underconfident by 0.4, 200 rows", 200, partial(_stretched, factor=0.4, shift=0.2)),
    Process("chance in steps, 1,000 rows", 1000, _steps),
    Process("nearly perfect, 50% of 100", 100, partial(_normal, positive=0.5, shift=3.6)),
    Process(
        "four classes, 200 rows",
        200,
        partial(_classes, shares=(0.4, 0.3, 0.2, 0.1), strength=1.5),
    ),
    Process(
        "labels of six classes, 120 rows",
        120,
        partial(_labels, shares=(0.3, 0.25, 0.2, 0.1, 0.1, 0.05), right=0.7),
    ),
    Process("gamma errors that grow, 120 rows", 120, partial(_numbers, noise=_gamma_errors)),
    Process("Laplace errors, 60 rows", 60, partial(_numbers, noise=_laplace_errors)),
    Process("t errors, 200 rows", 200, partial(_numbers, noise=_t_errors)),
    Process("5% outlying errors, 150 rows", 150, partial(_numbers, noise=_outlying_errors)),
    Process(
        "18 groups of geometric size",
        150,
        partial(_grouped, sizes=partial(_geometric_sizes, mean=8), shared=0.7),
    ),
    Process(
        "40 groups of 5",
        200,
        partial(_grouped, sizes=partial(_equal_sizes, size=5), shared=1.0),
    ),
    Process(
        "25 groups of one class each",
        150,
        partial(
            _grouped, sizes=partial(_geometric_sizes, mean=6), shared=0.6, is_of_one_class=True
        ),
    ),
    Process("positives weigh threefold, 200 rows", 200, partial(_weighted, by_class=3, spread=0.4)),
)
