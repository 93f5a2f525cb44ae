"""Scores and training counts that come as two-dimensional arrays, a column a class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.core.errors import InputError
from heldout.predictions.part import listed, plural
from heldout.predictions.priors import compressed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.predictions.classes import Classes
    from heldout.predictions.sheet import Sheet
    from heldout.predictions.table import Prior

__all__ = ["refuse_unclear_order", "refuse_width", "wide_counts", "wide_scores"]


def wide_scores(
    sheet: Sheet, scores: NDArray[np.float64], classes: Classes
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """The scores of the kept rows, a column for each class in order, and what these are called."""
    width = scores.shape[1]
    if sheet.part.rows is not None:
        scores = scores[sheet.part.rows]
    if width == 1:
        return ("y_score",), scores[:, 0]
    order = [classes.find(name) for name in sheet.matrix_names or ()]
    if sorted(place for place in order if place is not None) == list(range(width)):
        # a data frame whose columns are named after the classes
        scores = scores[:, np.argsort(np.array(order, np.int64))]
    else:
        refuse_unclear_order(sheet, classes, "the columns of y_score")
    return tuple(f"y_score[:, {i}]" for i in range(width)), scores


def refuse_width(scores: NDArray[np.float64], classes: Classes) -> None:
    """There is a column for each class, or one for the positive of two."""
    width = scores.shape[1]
    if width != len(classes) and not (width == 1 and len(classes) == 2):
        raise InputError(
            f"y_score has {plural(width, 'column')}, and there {_are(classes)}; "
            "give labels= in the order of the columns"
        )


def wide_counts(sheet: Sheet, counts: NDArray[np.float64], classes: Classes) -> Prior:
    """The training counts of the kept rows; one line of counts holds for all of them."""
    if counts.shape[1] != len(classes):
        raise InputError(
            f"train_counts has {plural(counts.shape[1], 'column')}, and there {_are(classes)}; "
            "give a count for each, in the order of labels="
        )
    refuse_unclear_order(sheet, classes, "the columns of train_counts")
    if sheet.part.rows is not None and len(counts) > 1:
        counts = counts[sheet.part.rows]
    bad = ~np.isfinite(counts).all(axis=1) | (counts < 0).any(axis=1) | (counts.sum(axis=1) == 0)
    fix = "counts must be finite, 0 or more, and above 0 for some class"
    if len(counts) == len(sheet.part):
        sheet.part.refuse("train_counts", bad, "no counts of a training part", fix)
    elif bad.any():
        raise InputError(f"train_counts: {fix}")
    return compressed(list(counts.T))


def _are(classes: Classes) -> str:
    count = "is 1 class" if len(classes) == 1 else f"are {len(classes):,} classes"
    return f"{count} ({listed(classes.labels, most=5)})"


def refuse_unclear_order(sheet: Sheet, classes: Classes, argument: str) -> None:
    """A category may declare another order than the sorted one that fitted models use."""
    in_order = list(classes.labels) == sorted(classes.labels)
    category = sheet.part.table.columns[sheet.truth].kind == "category"
    if category and not in_order and sheet.roles.labels is None:
        raise InputError(
            f"the classes of {sheet.truth} have an order of their own "
            f"({listed(classes.labels, most=5)}), so that of {argument} is not clear; "
            "give labels= in its order"
        )
