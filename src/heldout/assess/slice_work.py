"""Whether resampling every slice costs so little that it is done unasked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.assess.score_formulas import has_formula
from heldout.tally.confusion import Binary, Confusion
from heldout.tally.moments import Moments
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.assess.options import IntervalOptions
    from heldout.engines.memory import Tallies
    from heldout.measures.spec import Request

__all__ = ["is_little_work"]

#: rows that take as long to resample as a slice takes whatever its size
ROWS_OF_A_SLICE = 5_000
#: a measure that shares the draws of another costs about half as much
SHARED = 0.5
#: slices of usual size, one measure each, that are resampled unasked: some seconds
MOST_WORK = 80
#: draws that the work of a slice is counted in
DRAWS = 400


def is_little_work(
    tallies: Tallies, requests: Sequence[Request], options: IntervalOptions, *, models: int = 1
) -> bool:
    """Whether the slices of so many models are few and small enough to be resampled unasked.

    Examples
    --------
    >>> import heldout
    >>> card = heldout.score([1, 0] * 50, y_score=[0.1] * 100, slices={"site": ["a", "b"] * 50})
    >>> is_little_work(card.tallies[0], card.requests(["average_precision"]), card.intervals)
    True
    """
    p = tallies.predictions
    unasked = [r for r in requests if not r.is_explicit]
    is_plain = p.weight is None and p.design.group is None
    resampled = sum(not _is_quick(r, options, is_plain=is_plain) for r in unasked)
    if not resampled:
        return True
    slices = sum(len(np.unique(column.codes)) for column in p.slices)
    work = (slices + len(p.slices) * len(p) / ROWS_OF_A_SLICE) * _columns(tallies, unasked)
    share = options.of_rows / DRAWS
    return models * work * share * (1 + SHARED * (resampled - 1)) <= MOST_WORK


def _is_quick(request: Request, options: IntervalOptions, *, is_plain: bool) -> bool:
    """Whether a slice has this interval by counts, by moments or, of plain rows, a formula."""
    measure = request.measure
    if not measure.has_interval or set(measure.needs) & {Binary, Confusion}:
        return True
    if measure.needs == (Moments,) and options.uses_t:
        return True
    by_formula = is_plain and not measure.is_of_gaps and has_formula(request, options)
    return by_formula and measure.needs == (ScoreCounts,)


def _columns(tallies: Tallies, requests: Sequence[Request]) -> int:
    """How many columns of scores are ranked: one, or that of each class."""
    p = tallies.predictions
    return len(p.classes) if p.task == "multiclass" and tallies.has_scores and requests else 1
