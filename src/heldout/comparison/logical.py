"""Corrections for all pairs of models that use which equalities can hold together."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["MOST_MODELS", "bergmann_hommel", "shaffer"]

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
