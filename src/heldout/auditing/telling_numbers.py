"""What the values of a column tell of the classes: by few cuts, and by their neighbours."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.auditing.telling import Told, log_choices, told_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["class_weights", "told_by_levels", "told_by_numbers"]

#: runs of equal class along a column beyond which cuts do not tell several classes
MOST_RUNS = 2000
#: neighbours on each side that say the class of a value
NEIGHBOURS = 4
#: rows without which neighbours say nothing, and a share that is little
FEWEST, LITTLE = 30, 0.8
#: rows a distinct value from which on values are looked at one by one
REPEATED = 5
#: the commonest class may have so many times its due before classes are weighted alike
UNEVEN = 1.5


def class_weights(truth: NDArray[Any], classes: int) -> list[NDArray[np.float64]]:
    """All rows alike; and, where classes are unequal, all classes alike."""
    totals = np.bincount(truth, minlength=classes)
    made = [np.ones(classes)]
    if totals.max() * np.count_nonzero(totals) > UNEVEN * len(truth):
        made.append(totals.max() / np.maximum(totals, 1.0))
    return made


def told_by_levels(
    codes: NDArray[Any], truth: NDArray[Any], weights: NDArray[np.float64], how: str
) -> Told:
    """What levels tell of a row by its other rows; a level of one row tells nothing."""
    classes = len(weights)
    size = int(codes.max()) + 1
    table = np.bincount(codes * classes + truth, minlength=size * classes).reshape(size, classes)
    table = table[table.sum(axis=1) > 0]
    votes = table * weights
    called = votes.argmax(axis=1)
    merged = np.zeros((classes, classes), np.int64)
    np.add.at(merged, called, table)
    # left out itself, a row is right if its class still has more votes than any other
    top = np.take_along_axis(votes, called[:, None], 1)[:, 0] - weights[called]
    others = votes.copy()
    np.put_along_axis(others, called[:, None], -1.0, axis=1)
    sure = top > others.max(axis=1)
    right = np.zeros(classes, np.int64)
    np.add.at(right, called[sure], table[sure, called[sure]])
    return told_of(how, merged, right, len(table) * log(max(classes, 2)))


def told_by_numbers(
    values: NDArray[Any], truth: NDArray[Any], weights: NDArray[np.float64], alone: Any = None
) -> Iterator[Told]:
    """What cuts tell, and what the neighbours of each value tell.

    Missing values are a part of their own. ``alone``: of rows that depend on each other, one
    each, by which neighbours and repeated values are judged.
    """
    near = _by_neighbours(values, truth, weights)
    # the best cuts among several classes take time, and tell little where neighbours do
    if len(weights) == 2 or near is None or max(near.share, near.balanced) >= LITTLE:
        yield _by_cuts(values, truth, weights)
    if alone is not None:
        values, truth = values[alone], truth[alone]
        near = _by_neighbours(values, truth, weights)
    if near is None:
        return
    yield near
    distinct, codes = np.unique(values, return_inverse=True, equal_nan=True)
    if len(distinct) * REPEATED <= len(values):
        yield told_by_levels(codes, truth, weights, "its values, one by one, are")


def _by_cuts(values: NDArray[Any], truth: NDArray[Any], weights: NDArray[np.float64]) -> Told:
    """A range of values a class at most; of two classes, one may lie within the other."""
    classes = len(weights)
    known = ~np.isnan(values)
    missing = np.bincount(truth[~known], minlength=classes)
    order = np.argsort(values[known], kind="stable")
    runs = _runs(values[known][order], truth[known][order], classes)
    if classes == 2:
        parts, called = _within(runs, weights)
    else:
        parts, called = _ranges(runs, weights)
    table = np.zeros((classes, classes), np.int64)
    np.add.at(table, called, parts)
    table[int((missing * weights).argmax())] += missing
    pieces = len(called) + bool(missing.any())
    ways = log_choices(len(values), len(called) - 1) + pieces * log(max(classes, 2))
    return told_of("cut by value, it alone is", table, np.diagonal(table), ways)


def _runs(ordered: NDArray[Any], labels: NDArray[Any], classes: int) -> NDArray[np.int64]:
    """Counts of classes in runs of values with the same commonest class, in order of value."""
    if not len(labels):
        return np.zeros((1, classes), np.int64)
    place = np.cumsum(np.append(False, ordered[1:] != ordered[:-1]))
    values = int(place[-1]) + 1
    major = np.full((values, 2), -1, np.int64)
    for code in range(classes):
        counts = np.bincount(place[labels == code], minlength=values)
        better = counts > major[:, 0]
        major[better, 0], major[better, 1] = counts[better], code
    run = np.cumsum(np.append(0, major[1:, 1] != major[:-1, 1]))[place]
    size = int(run[-1]) + 1
    return np.bincount(run * classes + labels, minlength=size * classes).reshape(size, classes)


def _within(
    runs: NDArray[np.int64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The best range of one of two classes, amid the other or beside it: parts and classes."""
    gain = np.append(0.0, np.cumsum(runs[:, 1] * weights[1] - runs[:, 0] * weights[0]))
    best, chosen = -1.0, (0, 0, 1)
    for inner, sums in ((1, gain), (0, -gain)):
        lowest = np.minimum.accumulate(sums)
        stop = int((sums - lowest).argmax())
        outside = float((runs[:, 1 - inner] * weights[1 - inner]).sum())
        value = outside + float(sums[stop] - lowest[stop])
        if value > best:
            start = int(np.flatnonzero(sums[: stop + 1] == lowest[stop])[0])
            best, chosen = value, (start, stop, inner)
    start, stop, inner = chosen
    edges = [(0, start, 1 - inner), (start, stop, inner), (stop, len(runs), 1 - inner)]
    kept = [(low, high, code) for low, high, code in edges if low < high]
    parts = np.array([runs[low:high].sum(axis=0) for low, high, _ in kept])
    return parts, np.array([code for _, _, code in kept])


def _ranges(
    runs: NDArray[np.int64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The best cuts into as many pieces as classes at most: parts and their classes."""
    classes = len(weights)
    totals = runs.sum(axis=0)
    if len(runs) > MOST_RUNS:
        return totals[None, :], np.array([int((totals * weights).argmax())])
    # best[m, c]: weight that is right so far with m + 1 pieces, the last of class c
    best = np.full((classes, classes), -np.inf)
    best[0] = 0.0
    opened_at = np.zeros((len(runs), classes, classes), bool)
    last = np.zeros((len(runs), classes), np.int64)
    for place, counts in enumerate(runs):
        opened = np.full_like(best, -np.inf)
        opened[1:] = best[:-1].max(axis=1)[:, None]
        opened_at[place] = opened > best
        best = np.maximum(best, opened) + counts * weights
        last[place] = best.argmax(axis=1)
    piece, code = (int(i) for i in np.unravel_index(int(best.argmax()), best.shape))
    parts, called, part = [], [], np.zeros(classes, np.int64)
    for place in range(len(runs) - 1, -1, -1):
        part = part + runs[place]
        if opened_at[place, piece, code] or place == 0:
            parts.append(part)
            called.append(code)
            part = np.zeros(classes, np.int64)
            if place:
                piece, code = piece - 1, int(last[place - 1, piece - 1])
    return np.array(parts), np.array(called)


def _by_neighbours(
    values: NDArray[Any], truth: NDArray[Any], weights: NDArray[np.float64]
) -> Told | None:
    """The class of most neighbours in order of value; a row decides only where they are even."""
    # rows of equal value are in no order
    order = np.random.default_rng(0).permutation(len(values))
    order = order[~np.isnan(values[order])]
    rows, classes = len(order), len(weights)
    if rows < FEWEST:
        return None
    labels = truth[order[np.argsort(values[order], kind="stable")]]
    low = np.maximum(np.arange(rows) - NEIGHBOURS, 0)
    high = np.minimum(np.arange(rows) + NEIGHBOURS + 1, rows)
    most, called = np.full(rows, -1.0), np.zeros(rows, np.int64)
    for code in range(classes):
        own = labels == code
        before = np.append(0, np.cumsum(own))
        votes = weights[code] * (before[high] - before[low] - own) + 1e-6 * own
        better = votes > most
        most[better], called[better] = votes[better], code
    missing = np.bincount(truth[np.isnan(values)], minlength=classes)
    table = np.bincount(called * classes + labels, minlength=classes**2).reshape(classes, classes)
    table[int((missing * weights).argmax())] += missing
    cuts = int((np.diff(called) != 0).sum()) + bool(missing.any())
    ways = log_choices(rows, cuts) + (cuts + 1) * log(max(classes, 2))
    return told_of("its neighbouring values are", table, np.diagonal(table), ways)
