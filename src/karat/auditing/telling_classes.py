"""How surely the columns of a table give its classes away: wholly, where filled in, or in part."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.auditing.finding import Seen
from karat.auditing.telling import told_by_indicators
from karat.auditing.telling_numbers import class_weights, told_by_levels, told_by_numbers
from karat.auditing.telling_parts import pure_part

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from karat.auditing.finding import Severity
    from karat.auditing.telling import Told
    from karat.datasets.dataset import Dataset, Feature

__all__ = ["Classes"]

#: share of what the commonest class leaves open that must follow from the feature alone, and its
#: lower limit: petal width tells 75 flowers apart without an error now and then
TOLD, FIRMLY = 0.995, 0.94
#: of a column of no more values than classes less is asked: rows alike, classes alike; and how
#: much of a rare class it may leave in doubt
COPIED, COPIED_ALIKE, IN_DOUBT = 0.9, 0.95, 0.8
#: from this share on, and from this lower limit of it, a column is worth a note
NEARLY_TOLD, SURELY = 0.97, 0.95
#: the logarithm of how unlikely this must be by chance, over all features
CHANCE = np.log(1e-6)
#: of more rows than this, columns that tell little of a sample of each class are not sorted whole
MANY_ROWS, SAMPLE, LITTLE = 50_000, 20_000, 0.85

#: share of missing values from which on the rows that have a value are looked at by themselves
GAPS = 0.005


@dataclass(frozen=True, eq=False)
class Classes:
    """The truth of some rows, and the number of columns that are looked at."""

    truth: NDArray[Any]
    labels: tuple[Any, ...]
    columns: int
    #: the group of each row, if it is known
    groups: NDArray[Any] | None = None
    #: rows of every class alike, where there are very many
    sample: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, data: Dataset) -> Classes:
        """The classes of a data set."""
        groups = None if data.group is None else data.group.codes
        sample = _sample(data.truth, len(data.classes))
        columns = len(data.features) + len(data.left_out)
        return cls(data.truth, data.classes, columns, groups, sample)

    def at(self, rows: NDArray[Any]) -> Classes:
        """The same for some of the rows."""
        truth = self.truth[rows]
        groups = None if self.groups is None else self.groups[rows]
        sample = _sample(truth, len(self.labels))
        return replace(self, truth=truth, groups=groups, sample=sample)

    def seen_of(self, feature: Feature) -> tuple[str, Severity | None]:
        """What a column tells of all rows, or of those where it has a value."""
        said, severity = self.told_of(feature)
        if severity == "warning":
            return said, severity
        missing = feature.values < 0 if feature.is_nominal else np.isnan(feature.values)
        if GAPS * len(missing) < missing.sum() < len(missing):
            known = np.flatnonzero(~missing)
            filled = replace(feature, values=feature.values[known])
            told, how_grave = self.at(known).told_of(filled)
            if told and not (said and how_grave == "note"):
                where = f"where it has a value ({len(known):,} of {len(missing):,} rows)"
                return f"{where}, {told}", how_grave
        return said, severity

    def told_of(self, feature: Feature, looks: int = 1) -> tuple[str, Severity | None]:
        """What a column tells of all rows, and how grave that is; looked at in so many ways."""
        found = [(self._severity(t, feature, looks), t) for t in self._told(feature)]
        grave: Severity
        for grave in ("warning", "note"):
            first = next((told for severity, told in found if severity == grave), None)
            if first is not None:
                return _words(first), grave
        return "", None

    def by_indicators(self, features: Sequence[Feature]) -> Iterator[Seen]:
        """What columns of 0 and 1, each for a class, tell together."""
        told, names = told_by_indicators(features, self.truth, len(self.labels))
        if told.chance + np.log(self.columns) <= CHANCE and told.share >= NEARLY_TOLD:
            yield Seen(
                f"{len(names)} columns of 0 and 1, each for one class, are together {_words(told)}",
                columns=tuple(names),
                severity="warning" if told.share >= TOLD else "note",
            )

    def seen_of_part(self, feature: Feature) -> tuple[str, Severity | None]:
        """What one value or level of a column tells, or that it has a value at all."""
        rows, truth = feature, self.truth
        alone = self._alone()
        if alone is not None:
            rows, truth = replace(feature, values=feature.values[alone]), truth[alone]
        part = pure_part(rows, truth, len(self.labels), self.columns)
        if part is None:
            return "", None
        return (
            f"where {part.said}, the class is {self.labels[part.code]} in {part.right:,} of "
            f"{part.rows:,} rows (of all {len(truth):,} rows in {100 * part.share:.3g} %)"
        ), part.severity

    def _alone(self) -> NDArray[np.int64] | None:
        """One row a group: a value that names a group tells the class of its other rows.

        That is no leak if groups are kept whole.
        """
        if self.groups is None:
            return None
        first: NDArray[np.int64] = np.unique(self.groups, return_index=True)[1]
        return first

    def _told(self, feature: Feature) -> Iterator[Told]:
        """What the feature tells by being missing, and by its values."""
        truth, count = self.truth, len(self.labels)
        alone = self._alone()
        missing = feature.values < 0 if feature.is_nominal else np.isnan(feature.values)
        for weights in class_weights(truth, count):
            if missing.any() and not missing.all():
                codes = missing.astype(np.int64)
                yield told_by_levels(codes, truth, weights, "whether it is missing is")
            if feature.is_nominal:
                rows = slice(None) if alone is None else alone
                codes = np.asarray(feature.values, np.int64)[rows] + 1
                yield told_by_levels(codes, truth[rows], weights, "its levels alone are")
                continue
            sample = self.sample
            if sample is not None:
                few = told_by_numbers(feature.values[sample], truth[sample], np.ones(count))
                if max(max(told.share, told.balanced) for told in few) < LITTLE:
                    return
            yield from told_by_numbers(feature.values, truth, weights, alone)

    def _severity(self, told: Told, feature: Feature, looks: int) -> Severity | None:
        if told.chance + np.log(self.columns * looks) > CHANCE:
            return None
        is_copy = told.share >= COPIED or told.balanced >= COPIED_ALIKE
        if is_copy and _is_code(feature, len(self.labels)):
            return "warning" if told.share >= IN_DOUBT else "note"
        if told.share >= TOLD:
            return "warning" if told.share_low >= FIRMLY else "note"
        if told.share >= NEARLY_TOLD and told.share_low >= SURELY:
            return "note"
        return "note" if told.balanced >= NEARLY_TOLD and told.balanced_low >= SURELY else None


def _sample(truth: NDArray[Any], classes: int) -> NDArray[np.int64] | None:
    """Rows of every class alike: what tells nearly all rows tells nearly all of these."""
    if len(truth) <= MANY_ROWS:
        return None
    order = np.random.default_rng(0).permutation(len(truth))
    labels = truth[order]
    most = max(SAMPLE // classes, 100)
    return np.concatenate([order[np.flatnonzero(labels == c)[:most]] for c in range(classes)])


def _is_code(feature: Feature, classes: int) -> bool:
    """Whether the column has no more values than classes, and one for missing ones."""
    if len(np.unique(feature.values[:1000])) > classes + 1:
        return False
    return len(np.unique(feature.values)) <= classes + 1


def _words(told: Told) -> str:
    return (
        f"{told.how} right on {100 * told.right / told.rows:.4g} % of {told.rows:,} rows (the "
        f"commonest class on {100 * told.base / told.rows:.3g} %)"
    )
