"""K05: a feature that alone gives the target away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.auditing.check import check
from karat.auditing.finding import Seen, Unseen
from karat.auditing.needs import features
from karat.auditing.size import too_large

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from karat.auditing.finding import Severity
    from karat.auditing.material import Material
    from karat.auditing.telling import Told
    from karat.datasets.dataset import Dataset, Feature

__all__ = ["telling_feature"]

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


@check(
    "K05",
    "a feature gives the target away",
    "warning",
    why=(
        "A column that alone says the target is often the target itself in other clothes, or was "
        "filled in after the fact; in use it will not be known."
    ),
    fix="Find out when the column is filled in; leave it out (--ignore) if that is after.",
    needs=features,
)
def telling_feature(material: Material) -> Iterator[Seen | Unseen]:
    """Features from which the target follows without any other."""
    data = material.train if material.train is not None else material.data
    assert data is not None
    reason = too_large(material)
    if reason:
        yield Unseen(reason, is_all=True)
    elif data.task == "regression":
        from karat.auditing.telling_values import told_of_values

        truth = np.asarray(data.truth, float)
        for feature in data.features:
            said, severity = told_of_values(feature, truth)
            if said:
                yield Seen(said, columns=(feature.name,), severity=severity)
    else:
        yield from _of_classes(data)


def _of_classes(data: Dataset) -> Iterator[Seen]:
    from karat.auditing.telling import told_by_indicators

    alone = 0
    sample = _sample(data.truth, len(data.classes))
    for feature in data.features:
        found = [(_severity(told, feature, data), told) for told in _told(feature, data, sample)]
        for severity in ("warning", "note"):
            first = next((told for grave, told in found if grave == severity), None)
            if first is not None:
                alone += 1
                yield Seen(_words(first), columns=(feature.name,), severity=severity)
                break
    if not alone and len(data.classes) > 2:
        told, names = told_by_indicators(data.features, data.truth, len(data.classes))
        if told.chance + np.log(len(data.features)) <= CHANCE and told.share >= NEARLY_TOLD:
            yield Seen(
                f"{len(names)} columns of 0 and 1, each for one class, are together {_words(told)}",
                columns=tuple(names),
                severity="warning" if told.share >= TOLD else "note",
            )


def _told(feature: Feature, data: Dataset, sample: NDArray[np.int64] | None) -> Iterator[Told]:
    """What the feature tells by being missing, and by its values."""
    from karat.auditing.telling_numbers import class_weights, told_by_levels, told_by_numbers

    truth, count = data.truth, len(data.classes)
    alone = None
    if data.group is not None:
        # a value that names a group tells the class of its other rows, which is no leak if groups
        # are kept whole
        alone = np.unique(data.group.codes, return_index=True)[1]
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
        if sample is not None:
            few = told_by_numbers(feature.values[sample], truth[sample], np.ones(count))
            if max(max(told.share, told.balanced) for told in few) < LITTLE:
                return
        yield from told_by_numbers(feature.values, truth, weights, alone)


def _sample(truth: NDArray[Any], classes: int) -> NDArray[np.int64] | None:
    """Rows of every class alike: what tells nearly all rows tells nearly all of these."""
    if len(truth) <= MANY_ROWS:
        return None
    order = np.random.default_rng(0).permutation(len(truth))
    labels = truth[order]
    most = max(SAMPLE // classes, 100)
    return np.concatenate([order[np.flatnonzero(labels == c)[:most]] for c in range(classes)])


def _severity(told: Told, feature: Feature, data: Dataset) -> Severity | None:
    if told.chance + np.log(len(data.features)) > CHANCE:
        return None
    is_copy = told.share >= COPIED or told.balanced >= COPIED_ALIKE
    if is_copy and _is_code(feature, len(data.classes)):
        return "warning" if told.share >= IN_DOUBT else "note"
    if told.share >= TOLD:
        return "warning" if told.share_low >= FIRMLY else "note"
    if told.share >= NEARLY_TOLD and told.share_low >= SURELY:
        return "note"
    return "note" if told.balanced >= NEARLY_TOLD and told.balanced_low >= SURELY else None


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
