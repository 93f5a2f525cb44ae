"""What a column tells of classes: wholly, where it is filled in, or in part."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.auditing.telling import (
    class_weights,
    evidence_of_indicators,
    evidence_of_levels,
    evidence_of_numbers,
    upper,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.auditing.check import Severity
    from heldout.auditing.telling import Evidence
    from heldout.core.arrays import Array, Booleans, Integers
    from heldout.datasets.dataset import Dataset, Feature

    #: what is seen, and how grave that is
    Verdict = tuple[str, Severity]

#: share of what the commonest class leaves open that must follow from the feature alone, and its
#: lower limit: petal width tells 75 flowers apart without an error now and then
EXPLAINED, FIRMLY = 0.995, 0.94
#: of a column of no more values than classes less is asked: rows alike, classes alike; and how
#: much of a rare class it may leave in doubt
COPIED, COPIED_ALIKE, IN_DOUBT = 0.9, 0.95, 0.8
#: from this share on, and from this lower limit of it, a column is worth a note
NEARLY_EXPLAINED, SURELY = 0.97, 0.95
#: the logarithm of how unlikely this must be by chance, over all features
CHANCE = np.log(1e-6)
#: of more rows than this, columns that tell little of a sample of each class are not sorted whole
MANY_ROWS, SAMPLE, LITTLE = 50_000, 20_000, 0.85
#: share of missing values from which on the rows that have a value are looked at by themselves
GAPS = 0.005


@dataclass(frozen=True, eq=False)
class ClassTarget:
    """The classes of some rows, and the number of columns that are looked at."""

    truth: Array
    labels: tuple[Any, ...]
    columns: int
    #: the group of each row, if it is known
    groups: Array | None = None

    @classmethod
    def of(cls, data: Dataset) -> ClassTarget:
        """The classes of a data set."""
        groups = None if data.group is None else data.group.codes
        return cls(data.truth, data.classes, len(data.features) + len(data.left_out), groups)

    def at(self, rows: Array) -> ClassTarget:
        """The same for some of the rows."""
        groups = None if self.groups is None else self.groups[rows]
        return replace(self, truth=self.truth[rows], groups=groups)

    def verdict_on(self, feature: Feature) -> Verdict | None:
        """What a column tells of all rows, or of those where it has a value."""
        verdict = self.verdict_on_all_rows(feature)
        if verdict is not None and verdict[1] == "warning":
            return verdict
        missing = feature.missing
        if GAPS * len(missing) < missing.sum() < len(missing):
            known = np.flatnonzero(~missing)
            of_known = replace(feature, values=feature.values[known])
            filled = self.at(known).verdict_on_all_rows(of_known, called="it")
            if filled and not (verdict and filled[1] == "note"):
                rows = f"{len(known):,} of {len(missing):,} rows"
                return f"where {feature.name!r} has a value ({rows}), {filled[0]}", filled[1]
        return verdict

    def verdict_on_all_rows(
        self, feature: Feature, looks: int = 1, called: str = ""
    ) -> Verdict | None:
        """What a column tells of all rows, and how grave that is; looked at in so many ways."""
        tellings = [
            (self._severity(telling, feature, looks), telling)
            for telling in self._evidence(feature)
        ]
        grave: Severity
        for grave in ("warning", "note"):
            for severity, telling in tellings:
                if severity == grave:
                    return telling.words(called or repr(feature.name)), grave
        return None

    def verdict_on_texts(self, parts: Iterator[tuple[str, Feature]], looks: int) -> Verdict | None:
        """The first part of a text that gives the target away; a warning goes before notes."""
        first = None
        for part, feature in parts:
            verdict = self.verdict_on_all_rows(feature, looks, part)
            if verdict is not None and verdict[1] == "warning":
                return verdict
            first = first or verdict
        return first

    def verdict_on_indicators(
        self, features: tuple[Feature, ...]
    ) -> tuple[Verdict, list[str]] | None:
        """What columns of 0 and 1, each for a class, tell together, and which they are."""
        telling, names = evidence_of_indicators(features, self.truth, len(self.labels))
        if telling.chance + np.log(self.columns) <= CHANCE and telling.share >= NEARLY_EXPLAINED:
            return (telling.words(), "warning" if telling.share >= EXPLAINED else "note"), names
        return None

    def verdict_on_part(self, feature: Feature) -> Verdict | None:
        """What one value or level of a column tells, or that it has a value at all."""
        rows, truth = feature, self.truth
        alone = self._alone()
        if alone is not None:
            rows, truth = replace(feature, values=feature.values[alone]), truth[alone]
        return _verdict_on_pure_part(rows, truth, self.labels, self.columns)

    def _alone(self) -> Integers | None:
        """One row per group: a value that names a group tells the class of its other rows.

        That is no leak if groups are kept whole.
        """
        if self.groups is None:
            return None
        first: Integers = np.unique(self.groups, return_index=True)[1]
        return first

    @cached_property
    def _sample(self) -> Integers | None:
        """Rows of every class alike, where there are very many: what tells all tells these."""
        if len(self.truth) <= MANY_ROWS:
            return None
        order = np.random.default_rng(0).permutation(len(self.truth))
        labels, classes = self.truth[order], len(self.labels)
        most = max(SAMPLE // classes, 100)
        return np.concatenate([order[np.flatnonzero(labels == c)[:most]] for c in range(classes)])

    def _evidence(self, feature: Feature) -> Iterator[Evidence]:
        """What the feature tells by being missing, and by its values."""
        truth, count = self.truth, len(self.labels)
        alone, missing = self._alone(), feature.missing
        for weights in class_weights(truth, count):
            if missing.any() and not missing.all():
                codes = missing.astype(np.int64)
                yield evidence_of_levels(codes, truth, weights, "whether {} is missing predicts")
            if feature.is_nominal:
                rows = slice(None) if alone is None else alone
                codes = np.asarray(feature.values, np.int64)[rows] + 1
                yield evidence_of_levels(codes, truth[rows], weights, "{} alone predicts")
                continue
            if (some := self._sample) is not None:
                few = evidence_of_numbers(feature.values[some], truth[some], np.ones(count))
                if max(max(telling.share, telling.balanced) for telling in few) < LITTLE:
                    return
            yield from evidence_of_numbers(feature.values, truth, weights, alone)

    def _severity(self, telling: Evidence, feature: Feature, looks: int) -> Severity | None:
        if telling.chance + np.log(self.columns * looks) > CHANCE:
            return None
        is_copy = telling.share >= COPIED or telling.balanced >= COPIED_ALIKE
        if is_copy and _is_code(feature, len(self.labels)):
            return "warning" if telling.share >= IN_DOUBT else "note"
        if telling.share >= EXPLAINED:
            return "warning" if telling.share_low >= FIRMLY else "note"
        if telling.share >= NEARLY_EXPLAINED and telling.share_low >= SURELY:
            return "note"
        return (
            "note"
            if telling.balanced >= NEARLY_EXPLAINED and telling.balanced_low >= SURELY
            else None
        )


def _is_code(feature: Feature, classes: int) -> bool:
    """Whether the column has no more values than classes, and one for missing ones."""
    if len(np.unique(feature.values[:1000])) > classes + 1:
        return False
    return len(np.unique(feature.values)) <= classes + 1


#: the share of rows of another class that such a part may have
WRONG = 0.005
#: of what the shares of the classes leave open, what a part may at most leave open (upper limit),
#: for a warning and for a note
OPEN_FIRMLY, OPEN_MILDLY = 0.06, 0.2
#: a part of a class that is commoner than this is worth a note at most, and beyond that nothing:
#: that a rare class does not occur in a part is what honest columns say
COMMON, VERY_COMMON = 0.6, 0.9
#: how much more of the class values beside a number may have before they are a slope
SLOPE = 0.1
#: numbers of no more values than this, or than classes, are marks and codes
MARKS = 3
#: rows without which a part proves nothing
FEWEST = 10
#: of very many rows, values of numbers that a sample has less often are not counted
REPEATED = 3


def _verdict_on_pure_part(
    feature: Feature, truth: Array, labels: tuple[Any, ...], looks: int
) -> Verdict | None:
    """The part that says most of a class it has alone, if that is no chance; ``looks``: columns.

    By chance a part of n rows is of one class with its share to the power of n at most.
    """
    classes = len(labels)
    parts, table = _parts(feature, truth, classes)
    totals = np.bincount(truth, minlength=classes)
    if not len(table) or np.count_nonzero(totals) < 2:
        return None
    verdict: Verdict | None = None
    most = 0.0
    tries = log(max(len(table), 1) * classes * max(looks, 1))
    for index in np.flatnonzero(table.max(axis=1) >= (1 - WRONG) * table.sum(axis=1)).tolist():
        rows, code = int(table[index].sum()), int(table[index].argmax())
        share = float(totals[code] / len(truth))
        right = int(table[index, code])
        if not FEWEST <= rows < len(truth) or _log_chance(rows, right, share) + tries > CHANCE:
            continue
        severity = _severity_of_part(rows, right, share)
        gain = rows * (1 - share)
        if severity is None or gain <= most:
            continue
        words, value = parts[index]
        if value is not None and _distinct(feature.values) > max(MARKS, classes):
            # of a quantity, what is firm is worth a note if it is no end of a slope
            is_class = truth == code
            if severity == "note" or not _stands_out(feature.values, value, is_class, share, rows):
                continue
            severity = "note"
        most = gain
        verdict = (
            f"where {feature.name!r} {words}, the class is {labels[code]} in {right:,} of "
            f"{rows:,} rows (that class has {100 * share:.3g}% of all {len(truth):,} rows)",
            severity,
        )
    return verdict


def _distinct(values: Array) -> int:
    """How many distinct numbers there are among the first rows."""
    first = values[:MANY_ROWS]
    return len(np.unique(first[~np.isnan(first)]))


def _stands_out(values: Array, value: float, is_class: Booleans, share: float, rows: int) -> bool:
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


def _severity_of_part(rows: int, right: int, share: float) -> Severity | None:
    wrong = rows - right
    open_ = upper(wrong) / (rows * (1 - share))
    if open_ <= OPEN_FIRMLY:
        if share <= COMMON:
            return "warning"
        return "note" if share <= VERY_COMMON else None
    return "note" if open_ <= OPEN_MILDLY and not wrong and share <= COMMON else None


def _log_chance(rows: int, right: int, share: float) -> float:
    """A bound on the logarithm of the chance of so many (Chernoff)."""
    part = right / rows
    if part <= share:
        return 0.0
    divergence = part * log(part / share)
    if part < 1:
        divergence += (1 - part) * log((1 - part) / (1 - share))
    return -rows * divergence


def _parts(
    feature: Feature, truth: Array, classes: int
) -> tuple[list[tuple[str, float | None]], Integers]:
    """The parts of a column that have rows enough (a number with its value), and their counts."""
    values = feature.values
    missing = feature.missing
    labels: list[tuple[str, float | None]] = []
    counts: list[Array] = []
    if missing.any():
        for words, rows in (("has a value", ~missing), ("has no value", missing)):
            labels.append((words, None))
            counts.append(np.bincount(truth[rows], minlength=classes))
    if feature.levels is not None:
        names: list[tuple[str, float | None]] = [(repr(level), None) for level in feature.levels]
        has, codes = ~missing, np.asarray(values, np.int64)
    else:
        repeated = _repeated(values)
        names = [(f"{value:.6g}", value) for value in repeated.tolist()]
        codes = np.minimum(np.searchsorted(repeated, values), max(len(repeated) - 1, 0))
        has = repeated[codes] == values if len(repeated) else np.zeros(len(values), bool)
    known = codes[has] * classes + truth[has]
    table = np.bincount(known, minlength=len(names) * classes).reshape(len(names), classes)
    kept = np.flatnonzero(table.sum(axis=1) >= FEWEST)
    labels += [(f"is {names[index][0]}", names[index][1]) for index in kept.tolist()]
    counts += list(table[kept])
    return labels, np.array(counts, np.int64).reshape(len(counts), classes)


def _repeated(values: Array) -> Array:
    """The numbers that several rows have, in order."""
    few, least = values, FEWEST
    if len(values) > MANY_ROWS:
        few, least = values[:: len(values) // SAMPLE], REPEATED
    distinct, counts = np.unique(few, return_counts=True)
    return distinct[(counts >= least) & ~np.isnan(distinct)]
