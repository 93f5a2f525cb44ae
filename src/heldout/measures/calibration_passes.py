"""One pass over all scores at a logistic line: gradient, information, likelihood."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.sums import sum_of_products
from heldout.core.threads import blocks, in_threads, workers
from heldout.measures.calibration_bins import least_and_most

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.tally.scores import ScoreCounts

__all__ = ["Pass", "log_likelihood", "logit", "pass_of", "pass_over_all", "shift_over_all"]

#: so many numbers from 1 to 2 have a product that is still far from the largest double
FACTORS = 512


@dataclass(frozen=True, slots=True)
class Pass:
    """What one pass gives for a line: gradient, information and log likelihood."""

    gradient: NDArray[np.float64]
    information: NDArray[np.float64]
    likelihood: float

    def __add__(self, other: Pass) -> Pass:
        return Pass(
            self.gradient + other.gradient,
            self.information + other.information,
            self.likelihood + other.likelihood,
        )


def logit(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """The logarithm of the odds."""
    return np.log(probability / (1.0 - probability))


def pass_of(
    x: NDArray[np.float64],
    positives: Any,
    weight: Any,
    line: NDArray[np.float64],
    *,
    is_single: bool = False,
) -> Pass:
    """The pass over some logits at the line ``line[0] + line[1] * x``."""
    eta = line[1] * x
    eta += line[0]
    small = np.abs(eta)
    np.negative(small, out=small)
    np.exp(small, out=small)
    expected = np.where(eta >= 0, 1.0, small)
    small += 1.0
    expected /= small
    likelihood = sum_of_products(positives, eta) - sum_of_products(weight, np.maximum(eta, 0.0))
    likelihood -= _log_product(small) if is_single else sum_of_products(weight, np.log(small))
    mean = weight * expected
    rest = positives - mean
    np.subtract(1.0, expected, out=expected)
    mean *= expected
    around = mean * x
    cross = float(around.sum())
    return Pass(
        np.array([rest.sum(), sum_of_products(rest, x)]),
        np.array([[mean.sum(), cross], [cross, sum_of_products(around, x)]]),
        likelihood,
    )


def _log_product(values: NDArray[np.float64], factors: int = FACTORS) -> float:
    """The sum of logarithms, taken of products: multiplying is many times as fast."""
    whole = len(values) // factors * factors
    products = values[:whole].reshape(factors, -1).prod(axis=0)
    return float(np.log(products).sum() + np.log(values[whole:]).sum())


def pass_over_all(scores: ScoreCounts, centre: float, line: NDArray[np.float64]) -> Pass:
    """The pass over all scores, with their logits taken around a centre."""
    is_single = least_and_most(scores) == (1.0, 1.0)

    def of(block: slice) -> Pass:
        x = logit(scores.score[block])
        x -= centre
        positives = scores.positives[block]
        weight = positives + scores.negatives[block]
        return pass_of(x, positives, weight, line, is_single=is_single)

    first, *rest = _by_block(len(scores.score), of)
    return sum(rest, start=first)


def shift_over_all(scores: ScoreCounts, intercept: float) -> Pass:
    """The pass at a line of slope 1, which needs neither logarithms nor exponentials.

    Its likelihood is left out (NaN).
    """
    odds = exp(-intercept)

    def of(block: slice) -> tuple[float, float]:
        p, positives = scores.score[block], scores.positives[block]
        against = (1.0 - p) * odds
        expected = p / (p + against)
        weight = positives + scores.negatives[block]
        mean = weight * expected
        rest = float((positives - mean).sum())
        np.subtract(1.0, expected, out=expected)
        return rest, sum_of_products(mean, expected)

    sums = np.array(_by_block(len(scores.score), of)).sum(axis=0)
    return Pass(np.array([sums[0], 0.0]), np.array([[sums[1], 0.0], [0.0, 0.0]]), nan)


def log_likelihood(scores: ScoreCounts) -> float:
    """Log likelihood of the truth under the probabilities; infinite if one truth has 0."""
    first = int(len(scores.score) > 0 and scores.score[0] == 1.0)
    last = len(scores.score) - int(len(scores.score) > first and scores.score[-1] == 0.0)
    if scores.negatives[:first].any() or scores.positives[last:].any():
        return -inf
    if last <= first:
        return 0.0
    # whole counts: weights of both classes may add up to 1 in one score
    is_single = scores.positives.dtype.kind == "i" and least_and_most(scores) == (1.0, 1.0)
    least = min(scores.score[last - 1], 1.0 - scores.score[first])
    factors = max(1, min(FACTORS, int(600 / -log(least))))

    def of(block: slice) -> float:
        part = slice(first + block.start, first + block.stop)
        p, positives = scores.score[part], scores.positives[part]
        if is_single:
            return _log_product(np.where(positives, p, 1.0 - p), factors)
        gain = sum_of_products(positives, np.log(p))
        return gain + sum_of_products(scores.negatives[part], np.log1p(-p))

    return float(sum(_by_block(last - first, of)))


def _by_block(count: int, of: Callable[[slice], Any]) -> list[Any]:
    """A value of each block of scores, in order, a share of the blocks to each thread."""
    todo = list(blocks(count))
    share = -(-len(todo) // workers())
    parts = [todo[i : i + share] for i in range(0, len(todo), share)]
    return [value for part in in_threads(lambda p: [of(b) for b in p], parts) for value in part]
