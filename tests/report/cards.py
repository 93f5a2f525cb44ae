"""Scorecards for the tests of what is drawn of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from heldout.assess.scorecard import Scorecard, score_predictions
from heldout.predictions.table import Predictions
from heldout.tables.column import Column


def card(
    truth: list[int],
    predicted: list[int],
    classes: tuple[Any, ...] = ("no", "yes"),
    *,
    slices: list[str] | None = None,
    model: str = "",
) -> Scorecard:
    """The scorecard of labels given as numbers of classes."""
    made = predictions(truth, predicted, classes, slices=slices, model=model)
    return score_predictions((made,), intervals=None)


def predictions(
    truth: list[int],
    predicted: list[int],
    classes: tuple[Any, ...] = ("no", "yes"),
    *,
    slices: list[str] | None = None,
    model: str = "",
) -> Predictions:
    columns: tuple[Column, ...] = ()
    if slices is not None:
        levels = tuple(sorted(set(slices)))
        codes = np.array([levels.index(name) for name in slices])
        columns = (Column("part", codes, levels),)
    return Predictions(
        task="binary" if len(classes) == 2 else "multiclass",
        truth=np.array(truth),
        predicted=np.array(predicted),
        classes=classes,
        positive=1 if len(classes) == 2 else None,
        model=model,
        slices=columns,
        source="made",
    )
