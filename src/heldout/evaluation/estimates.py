"""Results beside the out-of-fold ones: training error, bootstrap estimates, nested intervals."""

from __future__ import annotations

from dataclasses import replace
from math import isinf, isnan, nan
from typing import TYPE_CHECKING

import numpy as np

from heldout.assess.headline import NO_ESTIMATE
from heldout.assess.not_given import is_not_given
from heldout.assess.part_means import limits
from heldout.assess.requests import requests_for
from heldout.assess.results import Result
from heldout.assess.scorecard import score_predictions
from heldout.assess.splits import shape_of
from heldout.assess.values import lacking
from heldout.engines.memory import Tallies
from heldout.evaluation.bootstrap import (
    BootstrapEstimates,
    bootstrap_estimates,
    no_information,
)
from heldout.evaluation.predictions import judged_rows
from heldout.evaluation.row_losses import has_row_losses, row_losses

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heldout.evaluation.evaluation import Evaluation
    from heldout.measures.spec import Request

__all__ = ["NOT_NESTED", "OPTIMISTIC", "extra_results", "not_nested"]

OPTIMISTIC = "optimistic: judged on the rows it was trained on"
INFINITE = "undefined: a row's loss is infinite"
MANY = "undefined: too many rows to look at all pairs of target and prediction"
OF_MEANS = "is of means over rows, and this is none"
NO_INTERVAL = "no interval: none is known to be valid for this estimate"
NOT_NESTED = "not by nested cross-validation, which is of means over all rows"


def extra_results(
    evaluation: Evaluation, measures: Sequence[str] | None, *, everything: bool
) -> tuple[Result, ...]:
    """The rows that were asked for, model by model."""
    requests = requests_for(evaluation.dataset.task, measures, everything=everything)
    return (
        *_training(evaluation, measures, everything=everything),
        *_bootstrap(evaluation, requests),
        *_nested(evaluation, requests),
    )


def not_nested(evaluation: Evaluation, result: Result) -> Result:
    """A result of a class or slice, whose interval is another one than was asked for, says so."""
    if evaluation.nested is None or result.low is None or not (result.class_ or result.slice):
        return result
    return replace(result, note="; ".join(filter(None, (result.note, NOT_NESTED))))


def _training(
    evaluation: Evaluation, measures: Sequence[str] | None, *, everything: bool
) -> Iterator[Result]:
    """Every value on the training rows, without an interval: it estimates nothing of interest."""
    if not evaluation.training_predictions:
        return
    whole = score_predictions(evaluation.training_predictions, intervals=None)
    results = whole.results(measures, everything=everything, refuse=False)
    # the mean over splits; a holdout has no folds, and is one
    over = "mean" if any(r.fold == "mean" for r in results) else ""
    for result in results:
        if result.fold == over and not is_not_given(result):  # the row out of fold says why
            note = "; ".join(filter(None, (OPTIMISTIC, result.note)))
            yield replace(result, fold="training", procedure=evaluation.procedure, note=note)


def _bootstrap(evaluation: Evaluation, requests: Sequence[Request]) -> Iterator[Result]:
    whole = {p.model: Tallies(p) for p in evaluation.training_predictions}
    weight = evaluation.dataset.weight
    rows = len(evaluation.dataset) if weight is None else int(np.count_nonzero(weight))
    for tallies in evaluation.scorecard.tallies:
        if not shape_of(tallies).is_bootstrap:
            continue
        p = tallies.predictions
        for request in requests:
            if not has_row_losses(request, tallies):
                yield from _no_estimate(request, tallies, rows)
                continue
            made = _estimates(evaluation, request, tallies, whole.get(p.model))
            rate = f"relative overfitting {made.overfitting:.4g}"
            shown = [("out-of-bag", made.out_of_bag, "mean over rows of their mean out of the bag")]
            if p.model in whole:
                shown.append((".632", made.plain, "0.368 x training + 0.632 x out-of-bag"))
                shown.append(
                    (".632+", made.plus, rate if not isnan(made.plus) else _why_undefined(made))
                )
            for fold, value, note in shown:
                yield Result(
                    request.name,
                    value,
                    rows,
                    f"{note}; {NO_INTERVAL}",
                    p.model,
                    p.design.procedure,
                    fold=fold,
                )


def _no_estimate(request: Request, tallies: Tallies, rows: int) -> Iterator[Result]:
    """That a measure which is no mean over rows has no estimate of the bootstrap."""
    p = tallies.predictions
    if not _could_have(request, tallies):
        return
    procedure = p.design.procedure
    for fold in ("out-of-bag", ".632", ".632+") if procedure[0] == "." else ("out-of-bag",):
        note = f"{NO_ESTIMATE}{fold} {OF_MEANS}"
        yield Result(request.name, nan, rows, note, p.model, procedure, fold=fold)


def _could_have(request: Request, tallies: Tallies) -> bool:
    """Whether a reader may look for an estimate: counts and single classes have none at all."""
    is_plain = request.label is None and request.measure.has_interval
    return is_plain and not lacking(request, tallies)


def _why_undefined(made: BootstrapEstimates) -> str:
    """Why there is no .632+: a loss that is infinite, or pairs that were not looked at."""
    is_infinite = any(isinf(v) for v in (made.training, made.out_of_bag, made.no_information))
    return INFINITE if is_infinite else MANY


def _estimates(
    evaluation: Evaluation, request: Request, tallies: Tallies, training: Tallies | None
) -> BootstrapEstimates:
    """The estimates of one measure; without training predictions, only that out of the bag."""
    inside = gamma = nan
    if training is not None:
        weight = training.predictions.weight
        inside = float(np.average(row_losses(request, training), weights=weight))
        gamma = no_information(request, training)
    return bootstrap_estimates(
        row_losses(request, tallies),
        judged_rows(evaluation.outcomes[tallies.predictions.model], evaluation.dataset),
        inside,
        gamma,
        is_gain=request.measure.direction == "up",
        weight=evaluation.dataset.weight,
    )


def _nested(evaluation: Evaluation, requests: Sequence[Request]) -> Iterator[Result]:
    """The nested estimate and its interval; the reason where a measure has none."""
    if evaluation.nested is None or evaluation.intervals is None:
        return
    for tallies in evaluation.scorecard.tallies:
        p = tallies.predictions
        for request in requests:
            if not _could_have(request, tallies):
                continue
            value, interval = nan, None
            note = evaluation.nested.why_none(p.model)
            if not has_row_losses(request, tallies):
                note = f"{NO_ESTIMATE}nested cross-validation {OF_MEANS}"
            elif not note:
                value, interval = evaluation.nested.interval(
                    p.model, request, level=evaluation.intervals.level
                )
            made = Result(request.name, value, len(evaluation.dataset), note, p.model)
            named = replace(made, procedure=p.design.procedure, fold="nested")
            yield named if interval is None else limits(named, interval)
