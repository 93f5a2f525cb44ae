"""Areas under the ROC curve of models on the same rows, and how they vary together."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.comparison.testing import no_test, student_test
from heldout.core.errors import InputError
from heldout.core.significance import Test
from heldout.core.sums import sum_of_products
from heldout.core.threads import in_threads
from heldout.core.wording import plural
from heldout.uncertainty.areas import lack_of_rows
from heldout.uncertainty.influence import Influence, placements
from heldout.uncertainty.interval import absent
from heldout.uncertainty.proportions import effective_sample_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.comparison.testing import Found

__all__ = ["PairedAreas", "paired_areas"]

METHOD = "DeLong (paired)"
#: less than this is float noise
LEAST = 1e-12
EXTREME = "both rankings are without a fault, or nothing but faults: no variance is known"
NO_VARIANCE = "DeLong's variance of the difference is 0, which is no certainty"


@dataclass(frozen=True, slots=True, eq=False)
class PairedAreas:
    """Areas and their covariance; NaN, with the reason, where rows are too few."""

    areas: NDArray[np.float64]
    covariance: NDArray[np.float64]
    reason: str = ""
    method: str = METHOD
    #: where rows come in groups: how far each moves each area, and its mean share of the classes
    shift: NDArray[np.float64] | None = None
    mass: NDArray[np.float64] | None = None

    def difference(self, first: int, second: int) -> tuple[float, float]:
        """First minus second area, and its standard error."""
        gap = float(self.areas[first] - self.areas[second])
        c = self.covariance
        variance = float(c[first, first] + c[second, second] - 2 * c[first, second])
        return gap, nan if np.isnan(variance) else sqrt(max(variance, 0.0))

    def test(
        self, first: int, second: int, *, level: float = 0.95, alternative: str = "two-sided"
    ) -> Found:
        """Whether the two areas differ, and the interval of first minus second.

        By the normal distribution; of groups by Student's, with Satterthwaite's freedom.
        """
        how: dict[str, Any] = {"level": level, "alternative": alternative}
        if self.reason:
            return no_test(self.method, self.reason, **how)
        gap, error = self.difference(first, second)
        if error <= LEAST < abs(gap):
            return no_test(self.method, NO_VARIANCE, **how)
        freedom, note = inf, ""
        if self.shift is not None and self.mass is not None:
            moved = self.shift[first] - self.shift[second]
            areas = Influence(gap, moved, self.mass)
            freedom, note = areas.spread(has_tails=True).freedom, areas.sizes.remark
        interval, evidence = student_test(
            self.method, gap, error, freedom, bounds=(-1, 1), note=note, **how
        )
        if error > LEAST:
            return interval, evidence
        # float noise of identical rankings is no evidence
        area = float(self.areas[first])
        is_extreme = min(area, 1 - area) <= LEAST
        note = EXTREME if is_extreme else "both models rank the rows alike"
        known = nan if is_extreme else 0.0
        alike = Test(self.method, 0.0, 1.0, evidence.alternative, error=known).noted(note)
        none = absent(EXTREME, level=level, method=self.method)
        return none if is_extreme else interval, alike


def paired_areas(
    is_positive: NDArray[np.bool_],
    scores: Sequence[NDArray[Any]],
    *,
    weight: NDArray[Any] | None = None,
    groups: NDArray[Any] | None = None,
) -> PairedAreas:
    """The areas of several models' scores on the same rows, with their covariance.

    Parameters
    ----------
    weight
        Rows count as a sample drawn with these weights; their scale does not matter.
    groups
        Codes of rows that depend on each other: placements are then added up by group.

    Notes
    -----
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44:837; with groups Obuchowski (1997),
    Biometrics 53:567. The placement of a positive row is the share of the negatives below it,
    of a negative row the share of the positives above it; ties count half.

    Examples
    --------
    >>> truth = np.array([True, True, True, False, False, False])
    >>> found = paired_areas(truth, [np.array([6, 5, 3, 4, 2, 1]), np.array([6, 2, 3, 4, 5, 1])])
    >>> found.areas
    array([0.88888889, 0.55555556])
    """
    truth = np.asarray(is_positive, bool)
    if any(len(values) != len(truth) for values in scores):
        raise InputError("each model needs a score for every row")
    ones, zeros = np.flatnonzero(truth), np.flatnonzero(~truth)
    weights = None if weight is None else np.asarray(weight, float)
    size = len(scores)
    nothing = np.full(size, nan), np.full((size, size), nan)
    shares = [_shares(weights, rows) for rows in (ones, zeros)]
    counts = [
        effective_sample_size(1.0, float((share**2).sum())) if len(share) else 0.0
        for share in shares
    ]
    if not (len(ones) and len(zeros)):
        return PairedAreas(*nothing, lack_of_rows(*counts))
    placed = np.empty((size, len(truth)))

    def place(model: int) -> None:
        placed[model] = placements(truth, scores[model], weights)

    in_threads(place, range(size))
    own = np.empty(len(truth))
    own[ones], own[zeros] = shares
    of_ones = np.where(truth, own, 0.0)
    areas = np.array([sum_of_products(of_ones, made) for made in placed])
    reason = lack_of_rows(*counts)
    if reason:
        return PairedAreas(areas, nothing[1], reason)
    # each row's own part of the area's error, a line a model
    placed -= areas[:, None]
    placed *= own
    if groups is not None:
        return _grouped(areas, placed, np.asarray(groups), own, truth)
    factors = [sqrt(count / (count - 1)) for count in counts]
    placed *= np.where(truth, *factors)
    return PairedAreas(areas, placed @ placed.T)


def _shares(weights: NDArray[Any] | None, rows: NDArray[Any]) -> NDArray[np.float64]:
    if weights is None:
        return np.full(len(rows), 1 / len(rows) if len(rows) else nan)
    chosen = weights[rows]
    return chosen / chosen.sum() if len(rows) else chosen


def _grouped(
    areas: NDArray[np.float64],
    parts: NDArray[np.float64],
    groups: NDArray[Any],
    own: NDArray[np.float64],
    truth: NDArray[np.bool_],
) -> PairedAreas:
    """The covariance where whole groups were drawn: parts are added up by group first.

    As in Obuchowski (1997) each class's own term has the number of groups that hold the class,
    and the terms between the classes that of all groups. ``own``: each row's share of its class.
    """
    names, codes = np.unique(groups, return_inverse=True)
    count = len(names)
    method = f"{METHOD}, {plural(count, 'group')} (Obuchowski)"
    nothing = np.full((len(areas), len(areas)), nan)
    if count < 2:
        return PairedAreas(areas, nothing, "all rows are in one group", method)
    covariance = np.zeros_like(nothing)
    sums = []
    for rows in (truth, ~truth):
        holding = len(np.unique(codes[rows]))
        if holding < 2:
            which = "positive" if rows is truth else "negative"
            return PairedAreas(areas, nothing, f"all {which} rows are in one group", method)
        of_class = np.array(
            [np.bincount(codes[rows], weights=part[rows], minlength=count) for part in parts]
        )
        covariance += of_class @ of_class.T * holding / (holding - 1)
        sums.append(of_class)
    between = sums[0] @ sums[1].T
    covariance += (between + between.T) * count / (count - 1)
    mass = np.bincount(codes, weights=own) / 2
    return PairedAreas(areas, covariance, "", method, sums[0] + sums[1], mass)
