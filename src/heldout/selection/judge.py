"""Chosen settings judged on rows that took no part in their choice."""

from __future__ import annotations

from dataclasses import replace
from math import isinf, isnan, nan
from typing import TYPE_CHECKING

import numpy as np

from heldout.evaluation.evaluation import Evaluation
from heldout.procedures.splits import ListedSplits, Split
from heldout.runner.join import join
from heldout.runner.run import run
from heldout.selection.estimate import Estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.assess.options import IntervalOptions
    from heldout.datasets.dataset import Dataset
    from heldout.evaluation.running import Running
    from heldout.procedures.splits import Splits
    from heldout.selection.scoring import Criterion
    from heldout.selection.settings import Setting

__all__ = ["NAME", "estimate_of", "judged"]

NAME = "chosen setting"


def judged(
    dataset: Dataset,
    chosen: Sequence[Setting],
    splits: Splits,
    *,
    running: Running,
    seed: int,
    intervals: IntervalOptions,
) -> Evaluation:
    """The evaluation of a choice that differs from split to split."""
    outcomes = []
    for position, (setting, split) in enumerate(zip(chosen, splits, strict=True)):
        plain = Split(split.repeat, split.fold, split.train, split.test)
        one = ListedSplits(splits.procedure, splits.rows, splits.seed, (), (plain,))
        how = running.options(seed)
        made = run(dataset, [setting.model], one, exact=running.exact, **how)[setting.name]
        failures = tuple((position, text) for _, text in made.failures)
        places = np.full(len(made.splits), position)
        outcomes.append(replace(made, splits=places, failures=failures))
    model = replace(chosen[0].model, name=NAME)
    return Evaluation(dataset, (model,), splits, {NAME: join(outcomes)}, intervals=intervals)


def estimate_of(evaluation: Evaluation, criterion: Criterion, kind: str) -> Estimate:
    """The value of an evaluation with its interval: of the folds' mean, or of all rows pooled.

    Where only one of the two has an interval that is valid for the design, it is taken.
    """
    level = evaluation.intervals.level if evaluation.intervals is not None else 0.95
    results = [
        r
        for r in evaluation.results([criterion.text])
        if r.class_ == (criterion.request.label or "") and not r.repeat and r.fold in ("", "mean")
    ]
    if not results:
        return Estimate.absent("the measure has no value there", level)
    wanted = "mean" if criterion.aggregate == "folds" else ""
    results.sort(key=lambda r: (r.low is None, r.fold != wanted))
    first = results[0]
    what = "mean of the folds" if first.fold == "mean" else "all test rows pooled"
    if len(evaluation.splits) == 1:
        what = "test part"
    # both answer questions of their own: rows of all folds together, and a fold by itself
    for other in results[1:]:
        if not isnan(other.value) and f"{other.value:.4g}" != f"{first.value:.4g}":
            named = "mean of the folds" if other.fold == "mean" else "all test rows pooled"
            what += f" ({named}: {other.value:.4g})"
    own = "no interval: the loss of a row is infinite" if isinf(first.value) else first.note
    note = "; ".join(filter(None, (what, own)))
    low, high = (nan if limit is None else limit for limit in (first.low, first.high))
    of = "folds" if first.fold == "mean" else "pooled"
    return Estimate(kind, first.value, low, high, level, first.method, note, of)
