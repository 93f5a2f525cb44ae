"""Traces of preparation: columns scaled, filled in or encoded, and by which rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.auditing.filled import KINDS, filled_values, is_middle
from karat.auditing.finding import Seen, Unseen, counted, some
from karat.auditing.scaling import SCALINGS, may_be_scaled, scaling_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from karat.auditing.filled import Filling
    from karat.datasets.dataset import Dataset

    Pair = tuple[str, NDArray[Any], NDArray[Any]]

__all__ = ["prepared_data", "prepared_tables"]

#: of one column a scaling may be a coincidence
FEW_COLUMNS = 2
#: scalings that the test rows cannot show by chance, whatever the training rows do
SURE = ("standard", "centred", "robust")
#: scalings that show by both ends of the values
ENDS = ("range",)


def prepared_tables(train: Dataset, test: Dataset) -> Iterator[Seen | Unseen]:
    """What the columns of two tables show of preparation that has seen the test rows."""
    theirs = {f.name: np.asarray(f.values, float) for f in test.features if not f.is_nominal}
    pairs: list[Pair] = [
        (f.name, np.asarray(f.values, float), theirs[f.name])
        for f in train.features
        if not f.is_nominal and f.name in theirs
    ]
    other = [f for f in train.features if not f.is_nominal and f.name not in theirs]
    if other and not pairs:
        yield Unseen("no column holds numbers on both sides", is_all=True)
        return
    if other:
        names = [feature.name for feature in other]
        yield Unseen(f"{counted(len(other), 'column')} of training rows only: {some(names)}")
    yield from _scaled(pairs)
    yield from _filled(pairs)
    yield from _encoded(pairs, train, test)


def prepared_data(data: Dataset) -> Iterator[Seen]:
    """What one table shows that was prepared before any split: mild, but for the target."""
    numbers = [f for f in data.features if not f.is_nominal]
    found = [(f.name, scaling_of(f.values)) for f in numbers]
    for kind, words in SCALINGS.items():
        names = [name for name, scaling in found if scaling == kind]
        if len(names) >= FEW_COLUMNS:
            yield Seen(
                f"{len(names)} columns have {words} over all rows ({some(names)}): they were "
                "scaled before any split",
                severity="note",
                columns=tuple(names),
            )
    fillings = [(f.name, one) for f in numbers for one in filled_values(f.values)]
    if fillings:
        yield Seen(
            f"{_fillings(fillings)}, of all rows: missing values were filled in before any split",
            severity="note",
            columns=tuple(dict.fromkeys(name for name, _ in fillings)),
        )
    target = _target(data)
    if target is not None:
        names = [f.name for f in numbers if are_target_means(np.asarray(f.values, float), target)]
        if names:
            yield Seen(
                f"each value of {counted(len(names), 'column')} is the mean of the target over "
                f"the rows that have it ({some(names)}): the target was encoded over all rows",
                columns=tuple(names),
            )


def _scaled(pairs: list[Pair]) -> Iterator[Seen]:
    both: dict[str, list[str]] = {}
    alone: dict[str, list[str]] = {}
    ours: dict[str, int] = {}
    for name, train, test in pairs:
        if not may_be_scaled(train, test):
            continue
        joint, single = scaling_of(np.concatenate([train, test])), scaling_of(test)
        trained = scaling_of(train)
        if joint:
            both.setdefault(joint, []).append(name)
            # a training side that holds one end of a range has a largest value of 1 as well
            is_trained = trained == joint if joint in ENDS else bool(trained)
            ours[joint] = ours.get(joint, 0) + is_trained
        # of a range over both sides each side may have one end
        is_own = single in SURE or (single == trained and not joint)
        if single and is_own and not _is_same(train, test):
            alone.setdefault(single, []).append(name)
    for kind, names in both.items():
        # what the training rows show by themselves was fitted on them, as it should be
        if len(names) >= FEW_COLUMNS and ours[kind] < len(names):
            yield Seen(
                f"{len(names)} columns have {SCALINGS[kind]} over training and test rows together, "
                f"{len(names) - ours[kind]} of them not over the training rows ({some(names)})",
                columns=tuple(names),
            )
    for kind, names in alone.items():
        if len(names) >= FEW_COLUMNS:
            yield Seen(
                f"{len(names)} columns have {SCALINGS[kind]} over the test rows by themselves "
                f"({some(names)}): each side was scaled by its own rows",
                columns=tuple(names),
            )


def _is_same(train: NDArray[Any], test: NDArray[Any]) -> bool:
    """Whether both sides have the same values, which is another fault."""
    return len(train) == len(test) and bool(np.array_equal(np.sort(train), np.sort(test), True))


def _filled(pairs: list[Pair]) -> Iterator[Seen]:
    joint: list[tuple[str, Filling]] = []
    alone: list[tuple[str, Filling]] = []
    for name, train, test in pairs:
        joint += _not_of(train, name, np.concatenate([train, test]))
        known = {f.value for _, f in joint}
        own = [one for one in _not_of(train, name, test) if one[1].value not in known]
        alone += own if own and not _is_same(train, test) else []
    if joint:
        yield Seen(
            f"{_fillings(joint)}, of training and test rows together and not of the training "
            "rows: missing values were filled in by all rows",
            columns=tuple(dict.fromkeys(name for name, _ in joint)),
        )
    if alone:
        yield Seen(
            f"{_fillings(alone)}, of the test rows by themselves: missing values were filled in by "
            "the rows that judge",
            columns=tuple(dict.fromkeys(name for name, _ in alone)),
        )


def _not_of(train: NDArray[Any], name: str, values: NDArray[Any]) -> list[tuple[str, Filling]]:
    """What some values were filled with that is no middle of the training rows, of any kind."""
    # a mean may well have as many values below it as above, in one side or another
    return [
        (name, f)
        for f in filled_values(values)
        if not any(is_middle(f.value, train, kind) for kind in KINDS)
    ]


def _fillings(found: list[tuple[str, Filling]]) -> str:
    texts = [f"{name}: {f.value:.6g}, {f.count:,} times, the {f.kind}" for name, f in found]
    many = f"{len(found)} values repeat" if len(found) > 1 else "a value repeats"
    return (
        f"{many} and {'are' if len(found) > 1 else 'is'} the middle of the others ({some(texts)})"
    )


def _encoded(pairs: list[Pair], train: Dataset, test: Dataset) -> Iterator[Seen]:
    ours, theirs = _target(train), _target(test)
    if ours is None or theirs is None or train.classes != test.classes:
        return
    joint = np.concatenate([ours, theirs])
    names = [
        name
        for name, one, other in pairs
        if are_target_means(np.concatenate([one, other]), joint) and not are_target_means(one, ours)
    ]
    if names:
        yield Seen(
            f"each value of {counted(len(names), 'column')} is the mean of the target over the "
            f"training and test rows that have it ({some(names)}): the target of the test rows was "
            "encoded",
            columns=tuple(names),
            severity="error",
        )


def _target(data: Dataset) -> NDArray[np.float64] | None:
    """The target as a number: itself, or whether it is the second of two classes."""
    if data.task == "regression":
        return np.asarray(data.truth, float)
    return np.asarray(data.truth, float) if len(data.classes) == 2 else None


#: distinct values that must all be means, and rows a value on average
FEW_VALUES, FEW_ROWS = 4, 3
#: how exactly means must be met, in spreads of the target
EXACT = 1e-6
#: rows by which columns that are no such means are told at once
SAMPLE = 1000


def are_target_means(values: NDArray[Any], target: NDArray[np.float64]) -> bool:
    """Whether each value of a column is the mean of the target over the rows that have it.

    Examples
    --------
    >>> target = np.array([0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1.0])
    >>> are_target_means(np.repeat([1 / 3, 0, 2 / 3, 0.8], [3, 3, 3, 5]), target)
    True
    >>> are_target_means(np.repeat([1 / 3, 0, 2 / 3, 0.7], [3, 3, 3, 5]), target)
    False
    """
    if len(np.unique(values[:SAMPLE])) * FEW_ROWS > min(len(values), SAMPLE):
        return False
    known = ~np.isnan(values)
    distinct, place, counts = np.unique(values[known], return_inverse=True, return_counts=True)
    spread = float(target.std())
    if len(distinct) < FEW_VALUES or len(distinct) * FEW_ROWS > known.sum() or not spread:
        return False
    means = np.bincount(place, target[known]) / counts
    # a copy of the target is its own mean
    if np.isin(distinct, (target.min(), target.max())).all():
        return False
    # of two classes either may have been counted
    turned = target.min() + target.max() - means if len(np.unique(target)) == 2 else means
    return any(bool((np.abs(m - distinct) <= EXACT * spread).all()) for m in (means, turned))
