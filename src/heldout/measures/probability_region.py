"""Predicted regions: how often the likeliest classes hold the truth, and how many they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.ratio import at_least
from heldout.measures.kinds import Mean
from heldout.measures.registry import measure
from heldout.tally.moments import Moments
from heldout.tally.rows import ProbabilityRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["coverage_of_region", "covered_rows", "region_sizes", "size_of_region"]


def in_region(rows: ProbabilityRows, level: float) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Classes in falling order of probability (ties: order of the classes), and which are in.

    Classes are added until their sum reaches the level, so the one that reaches it is in.
    """
    order = np.argsort(-rows.matrix, axis=1, kind="stable")
    falling = np.take_along_axis(rows.matrix, order, axis=1)
    inside = np.ones(order.shape, bool)
    inside[:, 1:] = ~at_least(np.cumsum(falling[:, :-1], axis=1), level)
    return order, inside


def needs_both(rows: ProbabilityRows, level: float) -> NDArray[np.bool_]:
    """Whether neither of two classes reaches the level alone."""
    reached = at_least(np.maximum(rows.of_positive, 1.0 - rows.of_positive), checked(level))
    return np.logical_not(reached)


def checked(level: float) -> float:
    """The level, if it is a probability."""
    if not 0 < level <= 1:
        raise InputError(f"level is a probability above 0 and up to 1, not {level:g}")
    return level


def covered_rows(rows: ProbabilityRows, *, level: float = 0.95) -> Any:
    """1 for each row whose true class lies in its predicted region, else 0."""
    if rows.is_binary:
        first = (rows.of_truth > 0.5) | ((rows.of_truth == 0.5) & (rows.truth == 0))
        return (first | needs_both(rows, level)).astype(float)
    if rows.is_certain:
        return rows.of_truth
    order, inside = in_region(rows, checked(level))
    return np.any((order == rows.truth[:, None]) & inside, axis=1).astype(float)


def region_sizes(rows: ProbabilityRows, *, level: float = 0.95) -> Any:
    """The share of all classes that lie in each row's predicted region."""
    if rows.is_binary:
        return np.where(needs_both(rows, level), 1.0, 0.5)
    if rows.is_certain:
        return np.full(len(rows), 1.0 / rows.classes)
    return in_region(rows, checked(level))[1].mean(axis=1)


@measure(
    title="Coverage of the predicted region",
    aliases=("coverage_of_cases", "region_coverage"),
    direction="up",
    bounds=(0, 1),
    formula=r"\frac{1}{n} \sum_i [y_i \in R_i]",
    undefined="",
    reference="Witten, Frank and Hall (2011), Data Mining, 3rd ed. (Weka)",
    loss=covered_rows,
    kind=Mean(is_share=True),
    needs_probability=True,
)
def coverage_of_region(covered: Moments, *, level: float = 0.95) -> float:
    """Share of rows whose truth is among the likeliest classes that reach a level.

    Examples
    --------
    >>> three = np.array([[0.9, 0.06, 0.04], [0.5, 0.47, 0.03]])
    >>> rows = ProbabilityRows(np.array([1, 2]), three, None, 3)
    >>> coverage_of_region(Moments.of(covered_rows(rows)))
    0.5
    """
    return covered.mean


@measure(
    title="Size of the predicted region",
    aliases=("relative_region_size", "region_size"),
    direction="down",
    bounds=(0, 1),
    formula=r"\frac{1}{n K} \sum_i |R_i|",
    undefined="",
    reference="Witten, Frank and Hall (2011), Data Mining, 3rd ed. (Weka)",
    loss=region_sizes,
    needs_probability=True,
    reaches_best=False,
)
def size_of_region(sizes: Moments, *, level: float = 0.95) -> float:
    """Mean share of the classes that are needed to reach a level of probability.

    Examples
    --------
    >>> three = np.array([[0.97, 0.02, 0.01], [0.5, 0.46, 0.04]])
    >>> rows = ProbabilityRows(np.array([1, 2]), three, None, 3)
    >>> size_of_region(Moments.of(region_sizes(rows)))
    0.5
    """
    return sizes.mean
