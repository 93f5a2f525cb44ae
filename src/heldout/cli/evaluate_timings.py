"""What the fits of ``heldout evaluate`` cost, model by model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.report.document import Column, Grid
from heldout.report.numbers import number_text

if TYPE_CHECKING:
    from heldout.evaluation.evaluation import Evaluation

__all__ = ["timings_grid"]

UNTIMED = "not timed apart"


def timings_grid(evaluation: Evaluation, *, digits: int = 3) -> Grid:
    """Seconds of fitting and predicting in all splits, and of one fit in the mean."""
    rows = []
    for name, outcome in evaluation.outcomes.items():
        fits, fit = _sum(outcome.fit_seconds)
        _, predict = _sum(outcome.predict_seconds)
        way = "refitted" if outcome.path == "refit" else f"exact: {outcome.path}"
        each = number_text(fit / fits, digits=digits) if fits else UNTIMED
        seconds = [number_text(v, digits=digits) if fits else "" for v in (fit, predict)]
        rows.append((name, f"{len(outcome.splits):,}", *seconds, each, way))
    columns = (
        Column("model"),
        Column("splits", "right"),
        Column("fit", "right"),
        Column("predict", "right"),
        Column("one fit", "right"),
        Column("how", excess="wrap"),
    )
    note = "as measured when the fits were made; those taken from the store are not made again"
    return Grid("Seconds", columns, tuple(rows), notes=(note,))


def _sum(values: Any) -> tuple[int, float]:
    known = np.asarray([] if values is None else values, dtype=float)
    known = known[~np.isnan(known)]
    return len(known), float(known.sum())
