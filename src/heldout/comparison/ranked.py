"""Several models ranked over data sets by one of the tests for that, with what pairs need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heldout.comparison.exact_ranks import exact_friedman
from heldout.comparison.other_ranks import (
    aligned_ranks,
    aligned_table,
    exchange_error,
    quade,
    quade_table,
)
from heldout.comparison.post_hoc import rank_error
from heldout.comparison.ranks import average_ranks, friedman, iman_davenport

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.comparison.evidence import Evidence

__all__ = ["RANK_TESTS", "Ranked", "ranked"]

#: tests of all models at once, with what is said of them
RANK_TESTS = {
    "friedman": "Friedman's test of ranks with Iman and Davenport's F",
    "quade": "Quade's test, of ranks weighted by how far apart the models of a data set are",
    "aligned-ranks": "Friedman's test of aligned ranks, of all values less their data set's mean",
}


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """Mean ranks (1 is best), the error of a difference of two of them, the tests of all."""

    mean: NDArray[Any]
    error: float
    tests: tuple[Evidence, ...]
    #: Friedman's test by counting, where the table is small enough
    exact: Evidence | None = None
    #: how pairs are tested
    method: str = "z of mean ranks"


def ranked(signed: NDArray[Any], test: str, *, seed: int = 1) -> Ranked:
    """Models (columns) ranked over data sets (rows) of values of which the larger is better.

    Examples
    --------
    >>> import numpy as np
    >>> table = np.array([[3, 2, 1], [3, 1, 2], [3, 2, 1], [3, 2, 1.0]])
    >>> ranked(table, "friedman").mean
    array([1.  , 2.25, 2.75])
    """
    if test == "quade":
        table = quade_table(signed)
        method = "z of mean ranks weighted after Quade"
        return Ranked(table.mean(axis=0), exchange_error(table), (quade(signed),), method=method)
    if test == "aligned-ranks":
        table = aligned_table(signed)
        method = "z of mean aligned ranks"
        found = (aligned_ranks(signed),)
        return Ranked(table.mean(axis=0), exchange_error(table), found, method=method)
    exact = exact_friedman(signed, seed=seed)
    tests: tuple[Evidence, ...] = (friedman(signed), iman_davenport(signed, ties=True))
    tests += () if exact is None else (exact,)
    sets, models = signed.shape
    return Ranked(average_ranks(signed), rank_error(models, sets), tests, exact)
