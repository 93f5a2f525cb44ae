"""Which pairs of models differ, after ranks over many data sets: p-values and their corrections."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import inf, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.comparison.standing import pairs_of
from heldout.core.errors import InputError
from heldout.core.significance import holm
from heldout.uncertainty.interval import checked_level
from heldout.uncertainty.quantiles import normal_quantile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

#: Bergmann and Hommel's procedure looks at every partition of the models: 115,975 of ten, and
#: 678,570 of eleven
BERGMANN_MOST = 10
#: how p-values of all pairs are corrected (nemenyi: by the studentised range of mean ranks)
CORRECTIONS = ("nemenyi", "holm", "shaffer", "bergmann_hommel", "bonferroni", "none")
#: how those of one model against each other are
CONTROL_CORRECTIONS = ("holm", "hochberg", "bonferroni", "none")


@dataclass(frozen=True, slots=True)
class RankDifference:
    """Two models, the difference of their mean ranks, and whether it is more than noise."""

    first: int
    second: int
    difference: float
    z: float
    p_value: float
    corrected: float


def rank_differences(
    mean_ranks: NDArray[Any],
    sets: int,
    *,
    correction: str = "bergmann_hommel",
    control: int | None = None,
    error: float | None = None,
) -> tuple[RankDifference, ...]:
    """Every pair of models, with p-values corrected for the number of pairs.

    Parameters
    ----------
    mean_ranks
        The mean rank of each model over the data sets (1 is best).
    correction
        One of ``CORRECTIONS``, or of ``CONTROL_CORRECTIONS``: shaffer and bergmann_hommel use
        that hypotheses of equality hang together, and find more.
    control
        The place of the model that each other one is held against, and no other pair.
    error
        Of a difference of two mean ranks; None: that of Friedman's test.

    Notes
    -----
    García and Herrera (2008), J. Mach. Learn. Res. 9:2677.

    Examples
    --------
    >>> pair = rank_differences(np.array([1.2, 2.0, 2.8]), 20, correction="holm")[1]
    >>> pair.first, pair.second, pair.corrected
    (0, 2, 0.0)
    """
    from heldout.core.special import ndtr

    values = np.asarray(mean_ranks, float)
    models = len(values)
    error = rank_error(models, sets) if error is None else error
    pairs = pairs_of(models, control)
    gaps = np.array([values[i] - values[j] for i, j in pairs])
    # without an error no value differs from another
    z = np.asarray(gaps / error if error else np.zeros(len(gaps)), float)
    p_values = 2 * ndtr(-np.abs(z))
    if correction == "nemenyi":
        from scipy.stats import studentized_range

        corrected = np.minimum(studentized_range.sf(np.abs(z) * sqrt(2), models, inf), 1.0)
    else:
        corrected = STEPWISE[correction](p_values, models)
    return tuple(
        RankDifference(i, j, float(gap), float(score), float(p), float(c))
        for (i, j), gap, score, p, c in zip(pairs, gaps, z, p_values, corrected, strict=True)
    )


def checked_correction(correction: str, models: int, control: str) -> str:
    """The correction of so many models' pairs: the one asked for, or the sharpest."""
    names = CONTROL_CORRECTIONS if control else CORRECTIONS
    if correction and correction not in names:
        beside = " beside a control" if control else ""
        raise InputError(
            f"no correction{beside} is called {correction!r}; there are {', '.join(names)}"
        )
    if control:
        return correction or "holm"
    chosen = correction or ("bergmann_hommel" if models <= BERGMANN_MOST else "shaffer")
    if chosen == "bergmann_hommel" and models > BERGMANN_MOST:
        raise InputError(
            f"bergmann_hommel is for up to {BERGMANN_MOST} models, not {models}: use shaffer"
        )
    return chosen


def rank_error(models: int, sets: int) -> float:
    """The standard error of a difference of two mean ranks where no model is better."""
    return sqrt(models * (models + 1) / (6 * sets))


def critical_difference(
    models: int,
    sets: int,
    *,
    level: float = 0.95,
    against_control: bool = False,
    error: float | None = None,
) -> float:
    """The difference of mean ranks from which two models are told apart.

    Nemenyi's for all pairs; Bonferroni and Dunn's where one model is held against the rest.

    Examples
    --------
    >>> critical_difference(4, 14)
    1.2536
    """
    share = 1 - checked_level(level)
    if against_control:
        quantile = -normal_quantile(share / (2 * (models - 1)))
    else:
        from scipy.stats import studentized_range

        quantile = float(studentized_range.isf(share, models, np.inf)) / sqrt(2)
    return quantile * (rank_error(models, sets) if error is None else error)


def least_pair_p(models: int, sets: int, correction: str, *, pairs: int | None = None) -> float:
    """The smallest corrected p-value of a pair: one model always first, the other always last.

    ``pairs``: how many are tested; None: every one.

    Examples
    --------
    >>> least_pair_p(3, 3, "holm")
    0.0429
    """
    from scipy.stats import studentized_range

    from heldout.core.special import ndtr

    z = (models - 1) / rank_error(models, sets)
    if correction == "nemenyi":
        return float(studentized_range.sf(z * sqrt(2), models, inf))
    # every stepwise procedure holds its smallest p-value against the number of pairs
    tested = models * (models - 1) / 2 if pairs is None else pairs
    return float(min(1.0, (1 if correction == "none" else tested) * 2 * ndtr(-z)))


def _hochberg(p_values: NDArray[Any], models: int) -> NDArray[np.float64]:
    """Step by step from the largest; sharper than Holm's if independent.

    Hochberg (1988), Biometrika 75:800.

    Examples
    --------
    >>> _hochberg(np.array([0.01, 0.04, 0.03]), 3)
    array([0.03, 0.04, 0.04])
    """
    order = np.argsort(p_values)[::-1]
    corrected = np.empty(len(p_values))
    steps = p_values[order] * np.arange(1, len(p_values) + 1)
    corrected[order] = np.minimum(np.minimum.accumulate(steps), 1.0)
    return corrected


def _shaffer(p_values: NDArray[Any], models: int) -> NDArray[np.float64]:
    """Holm's steps, each with the number of equalities that can still be true.

    If A differs from B, then C can equal only one of them: so fewer hypotheses can be true
    together than are left. Shaffer (1986), J. Am. Stat. Assoc. 81:826, static procedure.

    Examples
    --------
    >>> _shaffer(np.array([0.01, 0.02, 0.03]), 3)
    array([0.03, 0.03, 0.03])
    """
    possible = np.array(sorted(_true_together(models)))
    order = np.argsort(p_values, kind="stable")
    left = len(p_values) - np.arange(len(p_values))
    most = possible[np.searchsorted(possible, left, side="right") - 1]
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(np.maximum.accumulate(p_values[order] * most), 1.0)
    return corrected


@cache
def _true_together(models: int) -> frozenset[int]:
    """How many of the equalities of so many models can be true, no more and no fewer."""
    if models < 2:
        return frozenset({0})
    return frozenset(
        size * (size - 1) // 2 + rest
        for size in range(1, models + 1)
        for rest in _true_together(models - size)
    )


def _bergmann_hommel(p_values: NDArray[Any], models: int) -> NDArray[np.float64]:
    """The sharpest correction: every set of equalities that can be just the true ones.

    Such a set is a partition of the models: all in one part are equal. A pair is judged by
    the worst set that holds it: its size times its smallest p-value; no pair is judged more
    mildly than one with a smaller p-value, which is more than the procedure asks for (scmamp does
    the same). Bergmann and Hommel (1988), in: Multiple Hypotheses Testing, 100; up to ten models.

    Examples
    --------
    >>> _bergmann_hommel(np.array([0.01, 0.02, 0.03]), 3)
    array([0.03, 0.03, 0.03])
    """
    index_of = {pair: index for index, pair in enumerate(combinations(range(models), 2))}
    worst = np.zeros(len(p_values))
    for parts in _partitions(models):
        inside = [index_of[pair] for part in parts for pair in combinations(part, 2)]
        if inside:
            value = len(inside) * p_values[inside].min()
            worst[inside] = np.maximum(worst[inside], value)
    order = np.argsort(p_values, kind="stable")
    worst[order] = np.maximum.accumulate(worst[order])
    return np.minimum(worst, 1.0)


def _partitions(models: int) -> Iterator[list[list[int]]]:
    """Every way to part the models into groups."""
    if models == 0:
        yield []
        return
    last = models - 1
    for parts in _partitions(last):
        for index, part in enumerate(parts):
            yield [*parts[:index], [*part, last], *parts[index + 1 :]]
        yield [*parts, [last]]


#: corrections of p-values of pairs, which stand in the order (0, 1), (0, 2), ..., (1, 2), ...
STEPWISE: dict[str, Callable[[NDArray[Any], int], NDArray[Any]]] = {
    "holm": lambda p, _: holm(p),
    "hochberg": _hochberg,
    "shaffer": _shaffer,
    "bergmann_hommel": _bergmann_hommel,
    "bonferroni": lambda p, _: np.minimum(p * len(p), 1.0),
    "none": lambda p, _: p,
}
