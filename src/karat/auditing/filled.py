"""Values that were filled in: one that repeats exactly and is the mean or median of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Filling", "KINDS", "filled_values", "is_middle"]

#: what missing values are filled with
KINDS = ("mean", "median")

#: times that a value must occur to be suspect
FEW = 3
#: values looked at in a column, the most frequent first, and rows in which they are looked for
MOST, SAMPLE = 3, 50_000
#: how exactly a mean must be met, in spreads: as written, but not worse than the second
EXACT, COARSE = 1e-7, 1e-4
#: share of the other values that may repeat in a column of measured values
REPEATED = 0.2
#: distinct values up to which the one of the most digits is looked at too
COARSE_VALUES = 100
#: digits of values that are measured, and of values that somebody may have chosen
DIGITS, ROUND = 6, 2


@dataclass(frozen=True, slots=True)
class Filling:
    """A value, how often it occurs, and what it is of the others: their mean or median."""

    value: float
    count: int
    kind: str


def filled_values(values: NDArray[Any]) -> list[Filling]:
    """Values that stand out by repeating, or by digits that no other has, and are a middle.

    Where others repeat too, the commonest is often the median, and a mean of coarse values may
    well be one of them: so a value has to be off the grid of the others, or the only one that
    is frequent among measured values.
    """
    values = np.asarray(values, float)
    # of very many rows every so manieth shows what is frequent
    step = max(-(-len(values) // SAMPLE), 1)
    some = values[::step]
    some = some[~np.isnan(some)]
    distinct, counts = np.unique(some, return_counts=True)
    found: list[Filling] = []
    for place in _suspects(distinct, counts):
        if counts[place] < (FEW if step == 1 else 2) or len(distinct) < FEW:
            continue
        value, others = float(distinct[place]), np.delete(distinct, place)
        # values near the middle are those that repeat most often by themselves
        second = int(np.delete(counts, place).max(initial=0))
        is_measured = len(others) >= (1 - REPEATED) * (len(some) - counts[place])
        is_alone = is_measured and counts[place] > 2 * second + 1
        for kind in KINDS:
            stands_out = is_alone or (kind == "mean" and _is_off_grid(value, others))
            if stands_out and is_middle(value, values, kind):
                found.append(Filling(value, int((values == value).sum()), kind))
                break
    return found


def _suspects(distinct: NDArray[Any], counts: NDArray[Any]) -> list[int]:
    """The places of the most frequent values, and of the one that has the most digits."""
    places: list[int] = np.argsort(-counts, kind="stable")[:MOST].tolist()
    if len(distinct) <= COARSE_VALUES:
        places.append(
            max(range(len(distinct)), key=lambda i: _digits(float(distinct[i])), default=0)
        )
    return [place for place in dict.fromkeys(places) if place < len(distinct)]


def is_middle(value: float, values: NDArray[Any], kind: str) -> bool:
    """Whether a value is the mean (or median) of the others among some values."""
    others = values[~np.isnan(values) & (values != value)]
    if len(others) < FEW:
        return False
    digits = _digits(value)
    spread = float(others.std())
    written = 0.51 * 10.0**-digits if digits > ROUND else 0.0
    close = max(EXACT * spread, min(written, COARSE * spread))
    if kind == "mean":
        return bool(spread > 0 and abs(float(others.mean()) - value) <= close)
    below = others < value
    if 2 * int(below.sum()) != len(others):
        return False
    # of an even number the median lies half way; of an odd number it was one of the values, and
    # then only its digits tell it from a value that somebody chose, such as 0
    half = (float(others[below].max()) + float(others[~below].min())) / 2
    return digits > ROUND or abs(half - value) <= EXACT * spread


def _digits(value: float) -> int:
    """How many decimal digits a value was written with, up to 15."""
    text = np.format_float_positional(value, trim="-")
    return min(len(text.partition(".")[2]), 15)


def _is_off_grid(value: float, others: NDArray[Any]) -> bool:
    """Whether a value has more decimal digits than any of the others, which have few."""
    for digits in range(DIGITS):
        scaled = others * 10.0**digits
        if (np.abs(scaled - np.rint(scaled)) <= 1e-9 * np.maximum(np.abs(scaled), 1)).all():
            return _digits(value) > digits
    return False
