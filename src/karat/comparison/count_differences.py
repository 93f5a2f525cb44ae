"""Differences of label measures on the same rows, from joint counts alone."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.assess.class_statistics import count_statistic, table_of
from karat.comparison.evidence import Evidence, checked_alternative
from karat.comparison.mcnemar import Kind, mcnemar
from karat.comparison.paired_proportions import newcombe_difference, tango_difference
from karat.core.random import stream
from karat.intervals.bootstrap import limits
from karat.predictions.part import plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.comparison.joint_cells import JointCells
    from karat.engines.memory import Tallies
    from karat.intervals.interval import Interval
    from karat.measures.spec import Request

__all__ = ["count_difference", "paired_shares", "permutation_p_value"]


def count_difference(
    request: Request,
    tallies: tuple[Tallies, Tallies],
    cells: JointCells,
    *,
    level: float = 0.95,
    alternative: str = "two-sided",
    kind: Kind = "exact",
    interval: str = "newcombe",
    exchange: bool = False,
    replicates: int = 2000,
    permutations: int = 10_000,
    seed: int = 1,
) -> tuple[Interval, Evidence]:
    """The interval of first minus second, and the test of no difference.

    A share of the same rows for both models (accuracy, recall) is judged by McNemar's test
    with Newcombe's or Tango's interval; any other measure by exchanging the models' labels
    in random rows, with the interval of a paired bootstrap. ``exchange``: those for a share
    too.
    """
    shares = None if exchange else paired_shares(request, cells)
    if shares is not None:
        both, only_first, only_second, neither = shares
        maker = tango_difference if interval == "tango" else newcombe_difference
        made = maker(both, only_first, only_second, neither, level=level)
        return made, mcnemar(only_first, only_second, kind=kind, alternative=alternative)
    statistics = (count_statistic(request, tallies[0]), count_statistic(request, tallies[1]))
    one, two = cells.confusions(cells.counts)
    with np.errstate(all="ignore"):
        observed = float(statistics[0](one)) - float(statistics[1](two))
    drawn = cells.differences(
        statistics, cells.drawn(replicates, stream(seed, "paired cells", request.name))
    )
    low, high = request.measure.bounds
    made = limits(
        drawn,
        observed,
        level=level,
        bounds=(low - high, high - low),
        draws=f"{replicates:,} paired draws of cells, seed {seed}",
    )
    swapped = cells.differences(
        statistics, cells.exchanged(permutations, stream(seed, "exchanged cells", request.name))
    )
    method = f"paired permutation test ({permutations:,} exchanges of labels, seed {seed})"
    return made, permutation_p_value(swapped, observed, method, alternative)


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
