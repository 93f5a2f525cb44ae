"""The mean of the values of several folds or repeats, and a value with its limits."""

from __future__ import annotations

from dataclasses import replace
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from heldout.assess.fewer_classes import fewer_classes
from heldout.core.ratio import unrounded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heldout.assess.results import Result
    from heldout.intervals.interval import Interval

__all__ = ["limits", "mean_of"]


def mean_of(
    results: Sequence[Result], what: str, parts: str, *, weights: Mapping[str, float] | None = None
) -> Result:
    """The mean of some parts' values, which says of how many and where there is none.

    ``weights``: what each repeat weighs, so that one that is cut short does not weigh as much
    as a whole one.
    """
    values = np.array([r.value for r in results])
    defined = ~np.isnan(values)
    count = int(defined.sum())
    of = f"mean of the {what} " if what else "mean of "
    note = f"{of}{count} of {len(results)} {parts}" if not what else f"{of}{len(results)} {parts}"
    if count < len(results):
        lost = [r for r, known in zip(results, defined, strict=True) if not known]
        names = ", ".join(_place(r) for r in lost[:5])
        note += f", {count} of them defined" if what else ""
        note += f"; undefined in {names}{' ...' if len(lost) > 5 else ''}"
    if fewer := fewer_classes(results, parts):
        note += f"; {fewer}"
    sizes = None if weights is None else np.array([weights[r.repeat] for r in results])[defined]
    value = float(np.average(values[defined], weights=sizes)) if count else nan
    value = float(unrounded(value, np.abs(values[defined]).max(initial=0.0)))
    total = sum(r.n for r, known in zip(results, defined, strict=True) if known or not count)
    return replace(results[0], value=value, note=note, fold="", repeat="", n=total)


def _place(result: Result) -> str:
    """Where a value is from: a fold, a repeat, or a fold of one."""
    if not result.repeat:
        return result.fold
    fold = "" if result.fold in ("", "all") else f"fold {result.fold} of "
    return f"{fold}repeat {result.repeat}"


def limits(result: Result, interval: Interval) -> Result:
    """The result with an interval, or with the reason why it has none."""
    if interval.is_absent:
        note = "; ".join(filter(None, (result.note, f"no interval: {interval.note}")))
        return replace(result, note=note)
    return replace(
        result,
        note="; ".join(filter(None, (result.note, interval.note))),
        low=interval.low,
        high=interval.high,
        level=interval.level,
        method=interval.method,
    )
