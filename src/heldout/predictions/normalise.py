"""Probabilities that lost their last digits, divided by their sum where the reader asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.core.errors import InputError
from heldout.predictions.checks import ROUNDING, SUM_SLACK, row_sums
from heldout.predictions.part import plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.predictions.part import Part

__all__ = ["normalised"]


def normalised(
    part: Part, names: tuple[str, ...], scores: NDArray[np.float64]
) -> tuple[NDArray[np.float64], str]:
    """The probabilities of each row divided by their sum, and a note of what that changed."""
    flag = part.flag("normalise")
    if scores.ndim != 2:
        raise InputError(
            f"{flag} divides the probabilities of all classes by their sum, and "
            f"{part.called(*names)} is the score of one; leave it out"
        )
    if float(scores.min()) < 0:
        bad = np.min(scores, axis=1) < 0
        raise InputError(
            f"{part.complaint(names, bad, 'a negative score')}; {flag} is for probabilities"
        )
    sums = row_sums(scores)
    deviation = np.abs(sums - 1)
    worst = float(deviation.max())
    if worst > ROUNDING:
        bad = deviation > ROUNDING
        total = float(sums[int(np.argmax(bad))])
        raise InputError(
            f"{part.complaint(names, bad, f'scores sum to {total:.6g}')}; {flag} mends sums that "
            f"are off by {ROUNDING:g} at most: these are no rounded probabilities"
        )
    off = deviation > SUM_SLACK
    count = int(np.count_nonzero(off))
    if not count:
        return scores, f"{flag}: the probabilities of every row sum to 1 already; none changed"
    place = part.place(int(np.argmax(deviation)))
    note = (
        f"probabilities of each row divided by their sum: {plural(count, 'row')} of {len(sums):,} "
        f"{'was' if count == 1 else 'were'} off, by at most {worst:.2g} ({place})"
    )
    return scores / sums[:, None], note
