"""K05: a feature that alone gives the target away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.auditing.check import check
from heldout.auditing.finding import Seen, Unseen
from heldout.auditing.needs import features, too_large

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.auditing.finding import Severity
    from heldout.auditing.material import Material
    from heldout.auditing.telling_classes import Classes
    from heldout.auditing.telling_columns import TextColumn
    from heldout.datasets.dataset import Dataset

__all__ = ["telling_feature"]


def _needs(material: Material) -> str:
    data = material.train if material.train is not None else material.data
    if data is not None and any(left.column is not None for left in data.left_out):
        return ""
    return features(material)


@check(
    "K05",
    "a feature gives the target away",
    "warning",
    why=(
        "A column that alone says the target is often the target itself in other clothes, or was "
        "filled in after the fact; in use it will not be known."
    ),
    fix="Find out when the column is filled in; leave it out (--ignore) if that is after.",
    needs=_needs,
)
def telling_feature(material: Material) -> Iterator[Seen | Unseen]:
    """Columns from which the target follows without any other, in all rows or in some."""
    data = material.train if material.train is not None else material.data
    assert data is not None
    reason = too_large(material)
    if reason:
        yield Unseen(reason, is_all=True)
    elif data.task == "regression":
        yield from _of_values(data)
    else:
        yield from _of_classes(data)


def _of_values(data: Dataset) -> Iterator[Seen]:
    from heldout.auditing.telling_columns import guessed_columns, text_columns
    from heldout.auditing.telling_values import told_of_values

    truth = np.asarray(data.truth, float)
    for feature in data.features:
        said, severity = told_of_values(feature, truth)
        if said:
            yield Seen(said, columns=(feature.name,), severity=severity)
    for column in guessed_columns(data):
        said, severity = told_of_values(column.feature, truth)
        if said:
            yield Seen(
                column.words(said), columns=(column.name,), severity=column.at_most(severity)
            )
    for texts in text_columns(data):
        for part, feature in texts.parts():
            said, severity = told_of_values(feature, truth[texts.rows])
            if said:
                words = texts.words(f"of {part}, {said}")
                yield Seen(words, columns=(texts.name,), severity=severity)
                break


def _of_classes(data: Dataset) -> Iterator[Seen]:
    from heldout.auditing.telling_classes import Classes
    from heldout.auditing.telling_columns import guessed_columns, text_columns

    classes = Classes.of(data)
    named: set[str] = set()
    for feature in data.features:
        said, severity = classes.seen_of(feature)
        if said:
            named.add(feature.name)
            yield Seen(said, columns=(feature.name,), severity=severity)
    if not named and len(data.classes) > 2:
        for seen in classes.by_indicators(data.features):
            named.update(seen.columns)
            yield seen
    for feature in data.features:
        said, severity = classes.seen_of_part(feature)
        if said and feature.name not in named:
            yield Seen(said, columns=(feature.name,), severity=severity)
    for column in guessed_columns(data):
        said, severity = classes.seen_of(column.feature)
        if said:
            yield Seen(
                column.words(said), columns=(column.name,), severity=column.at_most(severity)
            )
    for texts in text_columns(data):
        part, said, severity = _told_by_text(texts, classes)
        if said:
            words = texts.words(f"of {part}, {said}")
            yield Seen(words, columns=(texts.name,), severity=severity)


def _told_by_text(column: TextColumn, classes: Classes) -> tuple[str, str, Severity | None]:
    """The first part of a text that gives the target away; a warning goes before notes."""
    from heldout.auditing.telling_columns import MOST_PARTS

    of_rows = classes.at(column.rows)
    found: tuple[str, str, Severity | None] = ("", "", None)
    for part, feature in column.parts():
        said, severity = of_rows.told_of(feature, looks=MOST_PARTS)
        if severity == "warning":
            return part, said, severity
        if said and not found[1]:
            found = part, said, severity
    return found
