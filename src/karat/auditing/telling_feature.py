"""K05: a feature that alone gives the target away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.auditing.check import check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from karat.auditing.material import Material
    from karat.datasets.dataset import Dataset, Feature

__all__ = ["telling_feature"]

#: with fewer rows a feature may part the classes by chance
FEW_ROWS = 30
#: share of rows that must follow from the feature alone
TOLD = 0.999
#: a correlation that measured quantities do not reach
LINEAR = 0.99999


@check(
    "K05",
    "a feature gives the target away",
    "warning",
    why=(
        "A column that alone says the target is often the target itself in other clothes, or was "
        "filled in after the fact; in use it will not be known."
    ),
    fix="Find out when the column is filled in; leave it out (--ignore) if that is after.",
)
def telling_feature(material: Material) -> Iterator[tuple[str, str]]:
    """Features from which the target follows without any other."""
    data = material.train if material.train is not None else material.data
    if data is None or len(data) < FEW_ROWS:
        return
    for feature in data.features:
        seen = _numeric(feature, data) if data.task == "regression" else _classes(feature, data)
        if seen:
            yield seen, f"column {feature.name}"


def _classes(feature: Feature, data: Dataset) -> str:
    truth = np.asarray(data.truth)
    if feature.is_nominal:
        codes = np.asarray(feature.values, np.int64) + 1
        size = int(codes.max()) + 1
        # a level a row says nothing: names of rows
        if size > len(data) / 5:
            return ""
        table = np.zeros((size, len(data.classes)), np.int64)
        np.add.at(table, (codes, truth), 1)
        told = int(table.max(axis=1).sum()) / len(data)
        base = int(table.sum(axis=0).max()) / len(data)
        if told >= TOLD and base < TOLD:
            return f"its levels alone are right on {100 * told:.4g} % of {len(data):,} rows"
        return ""
    return _runs(feature.values, truth, len(data.classes))


def _runs(values: NDArray[Any], truth: NDArray[Any], classes: int) -> str:
    """Whether cuts at few places of the sorted values part the classes."""
    known = ~np.isnan(values)
    if known.sum() < FEW_ROWS or known.mean() < 0.9:
        return ""
    order = np.argsort(values[known], kind="stable")
    ordered, labels = values[known][order], truth[known][order]
    if len(np.unique(labels)) < 2:
        return ""
    # rows of equal value cannot be parted: they count as their commonest class
    places = np.cumsum(np.append(0, ordered[1:] != ordered[:-1]))
    table = np.zeros((int(places[-1]) + 1, classes), np.int64)
    np.add.at(table, (places, labels), 1)
    major = table.argmax(axis=1)
    pieces = 1 + int((major[1:] != major[:-1]).sum())
    told = int(table.max(axis=1).sum()) / len(labels)
    if pieces <= classes and told >= TOLD:
        return (
            f"cut at {pieces - 1} place{'s' if pieces > 2 else ''}, it alone is right on "
            f"{100 * told:.4g} % of {len(labels):,} rows"
        )
    return ""


def _numeric(feature: Feature, data: Dataset) -> str:
    if feature.is_nominal:
        return ""
    known = ~np.isnan(feature.values)
    x, y = feature.values[known], np.asarray(data.truth, float)[known]
    if len(x) < FEW_ROWS or x.std() == 0 or y.std() == 0:
        return ""
    correlation = float(np.corrcoef(x, y)[0, 1])
    if abs(correlation) >= LINEAR:
        return f"its correlation with the target is {correlation:.6f} over {len(x):,} rows"
    return ""
