"""Places at which a rising or falling function is known, refined where it changes fast."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["refined_steps"]

#: halvings of one step; a thousandth of a thousandth of the first step is fine enough
ROUNDS = 24
#: places that are added at most: noise in the function must not be followed for ever
MOST = 120


def refined_steps(
    places: Sequence[float],
    heights: Callable[[Sequence[float]], Sequence[float]],
    *,
    step: float,
) -> list[float]:
    """The places, and such between them that neighbours' heights differ by at most ``step``.

    With many rows a test's confidence changes from none to full within a small stretch, whose
    size nobody knows beforehand: a fixed grid would be wider than the stretch. The heights of
    several places are asked for at once, which is faster where they are drawn.

    Examples
    --------
    >>> from math import tanh
    >>> def rising(places):
    ...     return [tanh(1000 * (x - 0.3)) for x in places]
    >>> made = refined_steps([0.0, 1.0], rising, step=0.5)
    >>> len([x for x in made if abs(x - 0.3) < 0.01]) >= 4
    True
    """
    known = dict(zip(places, heights(places), strict=True))
    added = 0
    for _ in range(ROUNDS):
        order = sorted(known)
        wide = [
            (low + high) / 2
            for low, high in pairwise(order)
            if abs(known[high] - known[low]) > step
        ]
        wide = [middle for middle in wide if middle not in known][: MOST - added]
        if not wide:
            break
        known |= zip(wide, heights(wide), strict=True)
        added += len(wide)
    return sorted(known)
