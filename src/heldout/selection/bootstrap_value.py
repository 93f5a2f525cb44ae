"""The value of settings along ``.632`` and ``.632+``: the estimate that these are run for."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite, isnan, nan
from typing import TYPE_CHECKING

import numpy as np

from heldout.core.errors import InputError
from heldout.engines.memory import Tallies
from heldout.evaluation.bootstrap import bootstrap_estimates, no_information
from heldout.evaluation.predictions import predictions_of
from heldout.evaluation.row_losses import has_row_losses, row_losses
from heldout.evaluation.training import whole_split
from heldout.predictions.plan import plan_of
from heldout.runner.run import run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.datasets.dataset import Dataset
    from heldout.evaluation.running import Running
    from heldout.procedures.splits import Splits
    from heldout.selection.scoring import Criterion, Scored
    from heldout.selection.settings import Setting

__all__ = ["bootstrap_estimate_of", "refuse_estimate", "with_estimates"]

PAIRS = "too many rows to look at all pairs of target and prediction: take .632"
INFINITE = "a row's loss is infinite"


def bootstrap_estimate_of(procedure: str) -> str:
    """Which estimate a procedure is run for: ``.632``, ``.632+``; empty for all others.

    Examples
    --------
    >>> bootstrap_estimate_of(".632+ 50"), bootstrap_estimate_of("bootstrap 50")
    ('.632+', '')
    """
    plan = plan_of(procedure)
    return plan.estimate if plan.is_632 else ""


def refuse_estimate(procedure: str, criterion: Criterion) -> None:
    """An error where a measure has no such estimate, before anything is fitted."""
    estimate = bootstrap_estimate_of(procedure)
    if not estimate:
        return
    if criterion.is_asked and criterion.aggregate != "folds":
        raise InputError(
            f"{procedure}: {estimate} is one estimate of all samples: leave aggregate out"
        )
    if criterion.of_means is None or criterion.of_means is np.sqrt:
        raise InputError(_no_mean(procedure, criterion))


def _no_mean(procedure: str, criterion: Criterion) -> str:
    estimate = bootstrap_estimate_of(procedure)
    samples = procedure.removeprefix(estimate).strip()
    means = "mse or mae" if "regression" in criterion.request.measure.tasks else "accuracy or brier"
    return (
        f"{procedure}: {estimate} is an estimate of means over rows, and {criterion.name} is none; "
        f"choose by {means}, or along bootstrap {samples} or 10-fold"
    )


def with_estimates(
    scores: Sequence[Scored],
    settings: Sequence[Setting],
    dataset: Dataset,
    splits: Splits,
    criterion: Criterion,
    *,
    running: Running,
    seed: int,
) -> list[Scored]:
    """Scores whose value is the estimate, for which each setting is fitted on all rows as well."""
    whole = whole_split(len(dataset), seed=seed)
    # no exact path may be taken: they leave the tested rows out
    models = [one.model for one in settings]
    inside = run(dataset, models, whole, exact=False, **running.options(seed))
    made = []
    for setting, score in zip(settings, scores, strict=True):
        outcome = inside[setting.name]
        if isnan(score.value) or score.tallies is None:
            made.append(score)
        elif outcome.failures:
            reason = f"failed on all rows: {outcome.failures[0][1]}"
            made.append(replace(score, value=nan, note=reason))
        else:
            training = Tallies(predictions_of(setting.name, outcome, dataset, whole))
            made.append(_estimated(score, training, dataset, splits.procedure, criterion))
    return made


def _estimated(
    score: Scored, training: Tallies, dataset: Dataset, procedure: str, criterion: Criterion
) -> Scored:
    request, tallies = criterion.request, score.tallies
    assert tallies is not None
    if not has_row_losses(request, tallies):
        raise InputError(_no_mean(procedure, criterion))
    inside = float(np.average(row_losses(request, training), weights=training.predictions.weight))
    found = bootstrap_estimates(
        row_losses(request, tallies),
        score.outcome.rows,
        inside,
        no_information(request, training),
        is_gain=request.measure.direction == "up",
        weight=dataset.weight,
    )
    estimate = bootstrap_estimate_of(procedure)
    value = found.plus if estimate == ".632+" else found.plain
    if not isnan(value):
        return replace(score, value=value)
    known = (found.training, found.out_of_bag, found.no_information)
    reason = PAIRS if all(isfinite(one) or isnan(one) for one in known) else INFINITE
    return replace(score, value=nan, note=f"{estimate} is undefined: {reason}")
