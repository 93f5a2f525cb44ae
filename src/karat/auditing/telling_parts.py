"""Parts of a column that only rows of one class have: a level, a value, or having one at all."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.auditing.finding import Severity
    from karat.datasets.dataset import Feature

__all__ = ["PurePart", "pure_part"]

#: the share of rows of another class that such a part may have
WRONG = 0.005
#: of what the shares of the classes leave open, what a part may at most leave open (upper limit),
#: for a warning and for a note
FIRMLY, MILDLY = 0.06, 0.2
#: a part of a class that is commoner than this is worth a note at most, and beyond that nothing:
#: that a rare class does not occur in a part is what honest columns say
COMMON, VERY_COMMON = 0.6, 0.9
#: how much more of the class values beside a number may have before they are a slope
SLOPE = 0.1
#: numbers of no more values than this, or than classes, are marks and codes
MARKS = 3
#: rows without which a part proves nothing
FEWEST = 10
#: of more rows than this, values of numbers that a sample does not repeat are not counted
MANY_ROWS, SAMPLE, REPEATED = 50_000, 20_000, 3
#: the logarithm of how unlikely it must be by chance, over all columns, levels and classes
CHANCE = log(1e-6)


@dataclass(frozen=True, slots=True)
class PurePart:
    """Which part of a column, the code of its class, its rows, and those of that class."""

    said: str
    code: int
    rows: int
    right: int
    share: float
    severity: Severity


def pure_part(feature: Feature, truth: NDArray[Any], classes: int, looks: int) -> PurePart | None:
    """The part that says most of a class it has alone, if that is no chance; ``looks``: columns.

    By chance a part of n rows is of one class with its share to the power of n at most.
    """
    labels, table = _parts(feature, truth, classes)
    totals = np.bincount(truth, minlength=classes)
    if not len(table) or np.count_nonzero(totals) < 2:
        return None
    best: PurePart | None = None
    tries = log(max(len(table), 1) * classes * max(looks, 1))
    for place in np.flatnonzero(table.max(axis=1) >= (1 - WRONG) * table.sum(axis=1)).tolist():
        rows, code = int(table[place].sum()), int(table[place].argmax())
        share = float(totals[code] / len(truth))
        right = int(table[place, code])
        if not FEWEST <= rows < len(truth) or _log_chance(rows, right, share) + tries > CHANCE:
            continue
        severity = _severity(rows, right, share)
        gain = rows * (1 - share)
        if severity is None or (best is not None and gain <= best.rows * (1 - best.share)):
            continue
        said, value = labels[place]
        if value is not None and _distinct(feature.values) > max(MARKS, classes):
            # of a quantity, what is firm is worth a note if it is no end of a slope
            is_class = truth == code
            if severity == "note" or not _stands_out(feature.values, value, is_class, share, rows):
                continue
            severity = "note"
        best = PurePart(said, code, rows, right, share, severity)
    return best


def _distinct(values: NDArray[Any]) -> int:
    """How many distinct numbers there are among the first rows."""
    first = values[:MANY_ROWS]
    return len(np.unique(first[~np.isnan(first)]))


def _stands_out(
    values: NDArray[Any], value: float, is_class: NDArray[np.bool_], share: float, rows: int
) -> bool:
    """Whether rows of the next smaller and larger values have no more of the class than others.

    The ends of a quantity are often of one class, and so are nearly the values next to them:
    no leak but a good feature. A mark or a code has no such slope.
    """
    for nearer in (values < value, values > value):
        beside = np.flatnonzero(nearer)
        if len(beside) > rows:
            distance = np.abs(values[beside] - value)
            # all rows of the last value that is needed: equal values are in no order
            beside = beside[distance <= np.partition(distance, rows - 1)[rows - 1]]
        if len(beside) and is_class[beside].mean() > share + SLOPE * (1 - share):
            return False
    return True


def _severity(rows: int, right: int, share: float) -> Severity | None:
    wrong = rows - right
    upper = wrong + 1.64 * sqrt(wrong + 1) + 1.36
    open_ = upper / (rows * (1 - share))
    if open_ <= FIRMLY:
        if share <= COMMON:
            return "warning"
        return "note" if share <= VERY_COMMON else None
    return "note" if open_ <= MILDLY and not wrong and share <= COMMON else None


def _log_chance(rows: int, right: int, share: float) -> float:
    """A bound on the logarithm of the chance of so many (Chernoff)."""
    part = right / rows
    if part <= share:
        return 0.0
    found = part * log(part / share)
    if part < 1:
        found += (1 - part) * log((1 - part) / (1 - share))
    return -rows * found


def _parts(
    feature: Feature, truth: NDArray[Any], classes: int
) -> tuple[list[tuple[str, float | None]], NDArray[np.int64]]:
    """The parts of a column that have rows enough (a number with its value), and their counts."""
    values = feature.values
    missing = values < 0 if feature.is_nominal else np.isnan(values)
    labels: list[tuple[str, float | None]] = []
    counts: list[NDArray[Any]] = []
    if missing.any():
        for said, rows in (("it has a value", ~missing), ("it has no value", missing)):
            labels.append((said, None))
            counts.append(np.bincount(truth[rows], minlength=classes))
    if feature.levels is not None:
        size = len(feature.levels)
        known = np.asarray(values, np.int64) * classes + truth
        if missing.any():
            known = known[~missing]
        table = np.bincount(known, minlength=size * classes).reshape(size, classes)
        names: list[tuple[str, float | None]] = [(repr(level), None) for level in feature.levels]
    else:
        repeated = _repeated(values)
        place = np.minimum(np.searchsorted(repeated, values), max(len(repeated) - 1, 0))
        found = repeated[place] == values if len(repeated) else np.zeros(len(values), bool)
        known = place[found] * classes + truth[found]
        size = len(repeated)
        table = np.bincount(known, minlength=size * classes).reshape(size, classes)
        names = [(f"{value:.6g}", value) for value in repeated.tolist()]
    kept = np.flatnonzero(table.sum(axis=1) >= FEWEST)
    labels += [(f"it is {names[place][0]}", names[place][1]) for place in kept.tolist()]
    counts += list(table[kept])
    return labels, np.array(counts, np.int64).reshape(len(counts), classes)


def _repeated(values: NDArray[Any]) -> NDArray[Any]:
    """The numbers that several rows have, in order."""
    few, least = values, FEWEST
    if len(values) > MANY_ROWS:
        few, least = values[:: len(values) // SAMPLE], REPEATED
    distinct, counts = np.unique(few, return_counts=True)
    return distinct[(counts >= least) & ~np.isnan(distinct)]
