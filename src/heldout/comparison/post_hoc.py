"""Which pairs of models differ, after ranks over many data sets: p-values and their corrections."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.holm import holm
from heldout.core.nearest import did_you_mean
from heldout.intervals.interval import checked_level
from heldout.intervals.quantiles import normal_quantile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

__all__ = [
    "CONTROL_CORRECTIONS",
    "CORRECTIONS",
    "MOST_MODELS",
    "RankDifference",
    "bergmann_hommel",
    "control_differences",
    "critical_difference",
    "hochberg",
    "rank_differences",
    "rank_error",
    "shaffer",
]

#: how p-values of all pairs are corrected
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
    correction: str


def rank_differences(
    mean_ranks: NDArray[Any],
    sets: int,
    *,
    correction: str = "bergmann_hommel",
    error: float | None = None,
) -> tuple[RankDifference, ...]:
    """Every pair of models, with p-values corrected for the number of pairs.

    Parameters
    ----------
    mean_ranks
        The mean rank of each model over the data sets (1 is best).
    correction
        ``nemenyi`` (studentised range), ``holm``, ``shaffer`` and ``bergmann_hommel``
        (which use that hypotheses of equality hang together, and find more), ``none``.
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
    _known(correction, CORRECTIONS)
    from heldout.core.special import ndtr

    values = np.asarray(mean_ranks, float)
    models = len(values)
    error = rank_error(models, sets) if error is None else error
    pairs = list(combinations(range(models), 2))
    gaps = np.array([values[i] - values[j] for i, j in pairs])
    z = _scores(gaps, error)
    p_values = 2 * ndtr(-np.abs(z))
    corrected = _corrected(correction, p_values, z, models)
    return tuple(
        RankDifference(i, j, float(gap), float(score), float(p), float(c), correction)
        for (i, j), gap, score, p, c in zip(pairs, gaps, z, p_values, corrected, strict=True)
    )


def control_differences(
    mean_ranks: NDArray[Any],
    sets: int,
    control: int,
    *,
    correction: str = "holm",
    error: float | None = None,
) -> tuple[RankDifference, ...]:
    """One model against each of the others, with p-values corrected for their number.

    Examples
    --------
    >>> [pair.second for pair in control_differences(np.array([1.2, 2.0, 2.8]), 20, 0)]
    [1, 2]
    """
    _known(correction, CONTROL_CORRECTIONS)
    from heldout.core.special import ndtr

    values = np.asarray(mean_ranks, float)
    others = [index for index in range(len(values)) if index != control]
    gaps = values[control] - values[others]
    z = _scores(gaps, rank_error(len(values), sets) if error is None else error)
    p_values = 2 * ndtr(-np.abs(z))
    steps: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
        "holm": holm,
        "hochberg": hochberg,
        "bonferroni": lambda p: np.minimum(p * len(p), 1.0),
        "none": lambda p: p,
    }
    corrected = steps[correction](p_values)
    return tuple(
        RankDifference(control, other, float(gap), float(score), float(p), float(c), correction)
        for other, gap, score, p, c in zip(others, gaps, z, p_values, corrected, strict=True)
    )


def hochberg(p_values: NDArray[Any]) -> NDArray[np.float64]:
    """P-values corrected step by step from the largest; sharper than Holm's if independent.

    Hochberg (1988), Biometrika 75:800.

    Examples
    --------
    >>> hochberg(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.04, 0.04])
    """
    given = np.asarray(p_values, float)
    order = np.argsort(given)[::-1]
    corrected = np.empty(len(given))
    steps = given[order] * np.arange(1, len(given) + 1)
    corrected[order] = np.minimum(np.minimum.accumulate(steps), 1.0)
    return corrected


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


def rank_error(models: int, sets: int) -> float:
    """The standard error of a difference of two mean ranks where no model is better."""
    return sqrt(models * (models + 1) / (6 * sets))


def _scores(gaps: NDArray[Any], error: float) -> NDArray[np.float64]:
    """Differences in units of their error; 0 where no value differs from another."""
    return np.asarray(gaps / error if error else np.zeros(len(gaps)), float)


def _known(correction: str, names: tuple[str, ...]) -> None:
    if correction not in names:
        hint = did_you_mean(correction, names) or f"; there are {', '.join(names)}"
        raise InputError(f"no correction is called {correction!r}{hint}")


def _corrected(
    correction: str, p_values: NDArray[Any], z: NDArray[Any], models: int
) -> NDArray[Any]:
    if correction == "nemenyi":
        from scipy.stats import studentized_range

        return np.minimum(studentized_range.sf(np.abs(z) * sqrt(2), models, np.inf), 1.0)
    stepwise: dict[str, Callable[[], NDArray[Any]]] = {
        "holm": lambda: holm(p_values),
        "shaffer": lambda: shaffer(p_values, models),
        "bergmann_hommel": lambda: bergmann_hommel(p_values, models),
        "bonferroni": lambda: np.minimum(p_values * len(p_values), 1.0),
        "none": lambda: p_values,
    }
    return stepwise[correction]()


#: 115,975 partitions; with eleven models there are 678,570
MOST_MODELS = 10


def shaffer(p_values: NDArray[Any], models: int) -> NDArray[np.float64]:
    """Holm's steps, each with the number of equalities that can still be true.

    If A differs from B, then C can equal only one of them: so fewer hypotheses can be true
    together than are left. Shaffer (1986), J. Am. Stat. Assoc. 81:826, static procedure.

    Parameters
    ----------
    p_values
        Of all pairs, in the order (0, 1), (0, 2), ..., (1, 2), ...

    Examples
    --------
    >>> shaffer(np.array([0.01, 0.02, 0.03]), 3)
    array([0.03, 0.03, 0.03])
    """
    given = _checked(p_values, models)
    possible = np.array(sorted(_true_together(models)))
    order = np.argsort(given, kind="stable")
    left = len(given) - np.arange(len(given))
    most = possible[np.searchsorted(possible, left, side="right") - 1]
    corrected = np.empty(len(given))
    corrected[order] = np.minimum(np.maximum.accumulate(given[order] * most), 1.0)
    return corrected


def bergmann_hommel(p_values: NDArray[Any], models: int) -> NDArray[np.float64]:
    """The sharpest correction: every set of equalities that can be just the true ones.

    Such a set is a partition of the models: all in one part are equal. A pair is judged by
    the worst set that holds it: its size times its smallest p-value; no pair is judged more
    mildly than one with a smaller p-value. Bergmann and Hommel (1988), in: Multiple Hypotheses
    Testing, 100; up to ten models.

    Examples
    --------
    >>> bergmann_hommel(np.array([0.01, 0.02, 0.03]), 3)
    array([0.03, 0.03, 0.03])
    """
    given = _checked(p_values, models)
    if models > MOST_MODELS:
        raise InputError(
            f"Bergmann and Hommel's correction is for up to {MOST_MODELS} models, not {models}: "
            "take shaffer, which is nearly as sharp"
        )
    place = {pair: index for index, pair in enumerate(combinations(range(models), 2))}
    worst = np.zeros(len(given))
    for parts in _partitions(models):
        inside = [place[pair] for part in parts for pair in combinations(part, 2)]
        if inside:
            value = len(inside) * given[inside].min()
            worst[inside] = np.maximum(worst[inside], value)
    order = np.argsort(given, kind="stable")
    worst[order] = np.maximum.accumulate(worst[order])
    return np.minimum(worst, 1.0)


def _checked(p_values: NDArray[Any], models: int) -> NDArray[np.float64]:
    given = np.asarray(p_values, float)
    pairs = models * (models - 1) // 2
    if given.shape != (pairs,):
        raise InputError(f"{models} models have {pairs} pairs; {given.size} p-values were given")
    return given


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
