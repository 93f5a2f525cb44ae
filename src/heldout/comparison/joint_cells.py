"""Counts of truth and two models' labels together, and what label measures need of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.class_statistics import count_statistic, table_of
from heldout.comparison.evidence import Evidence, checked_alternative, student_test
from heldout.core.random import stream
from heldout.core.threads import blocks
from heldout.core.wording import plural
from heldout.intervals.group_spread import group_spread
from heldout.intervals.resampling import BLOCK_CELLS
from heldout.tally.confusion import Confusion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.engines.memory import Tallies
    from heldout.intervals.interval import Interval
    from heldout.measures.spec import Request

__all__ = [
    "DELTA",
    "JointCells",
    "cell_difference",
    "exchanged_cells",
    "paired_shares",
    "permutation_p_value",
]

#: up to so many cells counting them all is quicker than sorting the rows
SMALL = 1 << 20
#: up to so many cells (four classes) those in which no row is are held, too
FEW = 64


@dataclass(frozen=True, eq=False)
class JointCells:
    """Rows counted by truth, first and second label.

    Exchanging the models' labels in random rows is a binomial draw in each cell where they
    differ, which costs no more for more rows.
    """

    truth: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    counts: NDArray[np.int64]
    classes: int
    positive: int | None = None

    @classmethod
    def of(
        cls,
        truth: NDArray[Any],
        first: NDArray[Any],
        second: NDArray[Any],
        *,
        classes: int,
        positive: int | None = None,
    ) -> JointCells:
        """The counts of rows given as class codes; every cell has its mirror image.

        Of few classes all cells are there, of many those that hold rows, and their images.

        Examples
        --------
        >>> cells = JointCells.of(
        ...     np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([0, 0, 1]), classes=2
        ... )
        >>> cells.counts.tolist()
        [1, 0, 1, 0, 0, 0, 0, 1]
        """
        size = np.int64(classes)
        codes = (truth.astype(np.int64) * size + first) * size + second
        if classes**3 <= SMALL:
            every_count = np.bincount(codes, minlength=classes**3)
            present = np.flatnonzero(every_count)
            counts = every_count[present]
        else:
            present, counts = np.unique(codes, return_counts=True)
        t, a, b = present // size**2, present // size % size, present % size
        mirrored = (t * size + b) * size + a
        every = np.arange(classes**3) if classes**3 <= FEW else np.union1d(present, mirrored)
        full = np.zeros(len(every), np.int64)
        full[np.searchsorted(every, present)] = counts
        return cls(every // size**2, every // size % size, every % size, full, int(size), positive)

    @property
    def rows(self) -> int:
        """How many rows were counted."""
        return int(self.counts.sum())

    @property
    def mirror(self) -> NDArray[np.int64]:
        """Where the cell with the two labels exchanged is."""
        size = self.classes
        codes = (self.truth * size + self.first) * size + self.second
        return np.searchsorted(codes, (self.truth * size + self.second) * size + self.first)

    def confusions(self, counts: NDArray[Any]) -> tuple[Confusion, Confusion]:
        """The confusion counts of both models; ``counts`` may have leading axes."""
        return self._confusion(self.first, counts), self._confusion(self.second, counts)

    def _confusion(self, label: NDArray[np.int64], counts: NDArray[Any]) -> Confusion:
        codes = self.truth * self.classes + label
        order = np.argsort(codes, kind="stable")
        cells, starts = np.unique(codes[order], return_index=True)
        summed = np.add.reduceat(counts[..., order], starts, axis=-1)
        return Confusion(self.classes, cells, summed, self.positive, self.rows)

    @property
    def shape(self) -> NDArray[np.float64]:
        """The counts with one pseudo-row spread over the cells (Perks' prior): a cell where
        nothing was seen is not taken to be impossible.
        """
        return np.asarray(self.counts + 1 / len(self.counts), np.float64)

    def weighed(self, replicates: int, rng: Generator) -> Iterator[NDArray[np.float64]]:
        """Draws of the long-run shares of the cells, times the rows: a Dirichlet distribution."""
        shape = self.shape
        for block in self._blocks(replicates):
            drawn = rng.standard_gamma(shape, (block, len(shape)))
            yield drawn * (self.rows / drawn.sum(axis=1, keepdims=True))

    def exchanged(self, replicates: int, rng: Generator) -> Iterator[NDArray[np.int64]]:
        """Counts with the two labels exchanged in each row with probability one half."""
        differ = self.first != self.second
        mirror = self.mirror
        for block in self._blocks(replicates):
            moved = np.zeros((block, len(self.counts)), np.int64)
            moved[:, differ] = rng.binomial(self.counts[differ], 0.5, size=(block, differ.sum()))
            yield self.counts - moved + moved[:, mirror]

    def differences(
        self,
        statistics: tuple[Callable[[Confusion], Any], Callable[[Confusion], Any]],
        drawn: Iterator[NDArray[Any]],
    ) -> NDArray[np.float64]:
        """First minus second value of a measure in each replicate."""
        made = []
        for counts in drawn:
            one, two = self.confusions(counts)
            with np.errstate(all="ignore"):
                made.append(
                    np.asarray(statistics[0](one), float) - np.asarray(statistics[1](two), float)
                )
        return np.concatenate(made)

    def _blocks(self, replicates: int) -> Iterator[int]:
        size = max(1, BLOCK_CELLS // max(len(self.counts), 1))
        for block in blocks(replicates, size):
            yield block.stop - block.start


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
