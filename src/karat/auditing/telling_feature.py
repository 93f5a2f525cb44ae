"""K05: a feature that alone gives the target away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.auditing.check import check
from karat.auditing.finding import Seen, Unseen, some
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

#: share of what the commonest class leaves open that must follow from the feature alone
TOLD, NEARLY_TOLD = 0.995, 0.98
#: the logarithm of how unlikely this must be by chance, over all features
CHANCE = np.log(1e-6)
#: of more rows than this, columns that tell little of a sample of each class are not sorted whole
MANY_ROWS, SAMPLE, LITTLE = 50_000, 20_000, 0.9


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

        for feature in data.features:
            said, severity = told_of_values(feature, np.asarray(data.truth, float))
            if said:
                yield Seen(said, f"column {feature.name}", severity=severity)
    else:
        yield from _of_classes(data)


def _of_classes(data: Dataset) -> Iterator[Seen]:
    from karat.auditing.telling import told_by_indicators

    alone = 0
    sample = _sample(data.truth, len(data.classes))
    for feature in data.features:
        for told in _told(feature, data, sample):
            severity = _severity(told, len(data.features))
            if severity:
                alone += 1
                yield Seen(_words(told, len(data)), f"column {feature.name}", severity=severity)
                break
    if not alone and len(data.classes) > 2:
        told, names = told_by_indicators(data.features, data.truth, len(data.classes))
        severity = _severity(told, len(data.features))
        if severity:
            yield Seen(
                f"{len(names)} columns of 0 and 1, each for one class, are together "
                f"{_words(told, len(data))}",
                f"columns {some(names)}",
                severity=severity,
            )


def _told(feature: Feature, data: Dataset, sample: NDArray[np.int64] | None) -> Iterator[Told]:
    """What the feature tells by being missing, and by its values."""
    from karat.auditing.telling import told_by_names, told_by_numbers

    count = len(data.classes)
    missing = feature.values < 0 if feature.is_nominal else np.isnan(feature.values)
    if missing.any() and not missing.all():
        yield told_by_names(missing.astype(np.int64), data.truth, count, "whether it is missing")
    if feature.is_nominal:
        codes = np.asarray(feature.values, np.int64) + 1
        yield told_by_names(codes, data.truth, count, "its levels alone")
    else:
        if sample is not None:
            few = told_by_numbers(feature.values[sample], data.truth[sample], count)
            if few.share < LITTLE:
                return
        yield told_by_numbers(feature.values, data.truth, count)


def _sample(truth: NDArray[Any], classes: int) -> NDArray[np.int64] | None:
    """Rows of every class alike: what tells nearly all rows tells nearly all of these."""
    if len(truth) <= MANY_ROWS:
        return None
    order = np.random.default_rng(0).permutation(len(truth))
    labels = truth[order]
    most = max(SAMPLE // classes, 100)
    return np.concatenate([order[np.flatnonzero(labels == c)[:most]] for c in range(classes)])


def _severity(told: Told, columns: int) -> Severity | None:
    if told.chance + np.log(columns) > CHANCE or told.share < NEARLY_TOLD:
        return None
    return "warning" if told.share >= TOLD else "note"


def _words(told: Told, rows: int) -> str:
    return (
        f"{told.how} right on {100 * told.right / rows:.4g} % of {rows:,} rows (the commonest "
        f"class on {100 * told.base / rows:.3g} %)"
    )
