"""Differences of label measures on the same rows, from joint counts alone."""

from __future__ import annotations

from math import inf, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.class_statistics import count_statistic, table_of
from heldout.comparison.evidence import Evidence, checked_alternative, student_test
from heldout.core.random import stream
from heldout.core.wording import plural
from heldout.intervals.group_spread import group_spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.comparison.joint_cells import JointCells
    from heldout.engines.memory import Tallies
    from heldout.intervals.interval import Interval
    from heldout.measures.spec import Request

__all__ = ["DELTA", "cell_difference", "exchanged_cells", "paired_shares", "permutation_p_value"]

DELTA = "delta method, paired"
#: by which share counts are changed to see how a measure changes
STEP = 1e-4


def cell_difference(
    request: Request,
    tallies: tuple[Tallies, Tallies],
    cells: JointCells,
    *,
    level: float = 0.95,
    alternative: str = "two-sided",
    bounds: tuple[float, float] = (-inf, inf),
) -> tuple[Interval, Evidence]:
    """Interval and test of first minus second by the delta method, for any measure of counts.

    How fast the difference changes with the count of each joint cell is how far a row in it moves
    the difference. Both are taken with one pseudo-row spread over the cells (as Agresti and Min
    2005, Biometrics 61:515, add to matched pairs), for a plain delta method finds no variance
    in a flawless precision. The degrees of freedom are Satterthwaite's, by the fourth moment:
    few where few rows make up the variance.
    """
    statistics = (count_statistic(request, tallies[0]), count_statistic(request, tallies[1]))
    shape = cells.shape
    steps = np.diag(STEP * shape)
    tables = np.concatenate([shape + steps, shape - steps, shape[None]])
    values = cells.differences(statistics, iter([tables]))
    up, down, value = values[: len(shape)], values[len(shape) : -1], float(values[-1])
    shift = (up - down) / (2 * STEP * shape)
    shift -= (shape @ shift) / shape.sum()
    spread = group_spread(shift, np.ones(len(shape)), shape, has_tails=True)
    shared: dict[str, Any] = {"level": level, "alternative": alternative, "bounds": bounds}
    return student_test(DELTA, value, spread.error, spread.freedom, **shared)


def exchanged_cells(
    request: Request,
    tallies: tuple[Tallies, Tallies],
    cells: JointCells,
    *,
    alternative: str = "two-sided",
    permutations: int = 10_000,
    seed: int = 1,
) -> Evidence:
    """Whether the models' labels can be exchanged: not the same as equal values of a ratio."""
    statistics = (count_statistic(request, tallies[0]), count_statistic(request, tallies[1]))
    observed = float(cells.differences(statistics, iter([cells.counts[None]]))[0])
    swapped = cells.differences(
        statistics, cells.exchanged(permutations, stream(seed, "exchanged cells", request.name))
    )
    method = f"paired permutation test ({permutations:,} exchanges of labels, seed {seed})"
    return permutation_p_value(swapped, observed, method, alternative)


def paired_shares(request: Request, cells: JointCells) -> tuple[int, int, int, int] | None:
    """Rows on which both models, only the first, only the second, neither succeed.

    None where the measure is no share, or is one of other rows for each model (precision).
    """
    share = request.measure.proportion
    if share is None or request.average or request.label is not None:
        return None
    one, two = cells.confusions(np.eye(len(cells.counts), dtype=np.int64))
    success, trial = (
        _in_cells(share(table_of(request, one))),
        _in_cells(share(table_of(request, two))),
    )
    if not np.array_equal(success[1], trial[1]):
        return None
    first, second, counted = success[0] > 0, trial[0] > 0, success[1] > 0
    n = cells.counts
    return (
        int(n[counted & first & second].sum()),
        int(n[counted & first & ~second].sum()),
        int(n[counted & ~first & second].sum()),
        int(n[counted & ~first & ~second].sum()),
    )


def permutation_p_value(
    swapped: NDArray[Any], observed: float, method: str, alternative: str = "two-sided"
) -> Evidence:
    """How often exchanging gives a difference at least as large; the data count as one draw.

    Phipson and Smyth (2010), Stat. Appl. Genet. Mol. Biol. 9:39: the p-value is never 0.

    Examples
    --------
    >>> permutation_p_value(np.array([0.1, -0.2, 0.0]), 0.2, "permutation").p_value
    0.5
    """
    side = checked_alternative(alternative)
    known = swapped[~np.isnan(swapped)]
    lost = len(swapped) - len(known)
    if np.isnan(observed) or not len(known):
        return Evidence(method, nan, nan, side, note="the measure is undefined")
    # rounding must not make an equal difference a smaller one
    slack = 1e-12 * max(1.0, abs(observed))
    if side == "greater":
        extreme = known >= observed - slack
    elif side == "less":
        extreme = known <= observed + slack
    else:
        extreme = np.abs(known) >= abs(observed) - slack
    p_value = (1 + int(extreme.sum())) / (1 + len(known))
    note = f"undefined in {plural(lost, 'exchange')}" if lost else ""
    return Evidence(method, observed, p_value, side, note=note)


def _in_cells(parts: tuple[Any, Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    successes, trials = np.broadcast_arrays(*(np.asarray(part, float) for part in parts))
    return successes, trials
