"""Results beside the out-of-fold ones: training error, bootstrap estimates, nested intervals."""

from __future__ import annotations

from dataclasses import replace
from math import isinf, isnan, nan
from typing import TYPE_CHECKING

import numpy as np

from heldout.assess.requests import requests_for
from heldout.assess.results import Of, Result
from heldout.assess.scorecard import score_predictions
from heldout.assess.values import lacking
from heldout.core.notes import Kind, Note, as_notes
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
INFINITE = "a row's loss is infinite"
MANY = "too many rows to look at all pairs of target and prediction"
OF_MEANS = "is of means over rows, and this is none"
NO_INTERVAL = Note("none is known to be valid for this estimate", Kind.NO_INTERVAL)
NOT_NESTED = Note(
    "not by nested cross-validation, which is of means over all rows", Kind.NOT_NESTED
)


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
    return result.noted(NOT_NESTED)


def _training(
    evaluation: Evaluation, measures: Sequence[str] | None, *, everything: bool
) -> Iterator[Result]:
    """Every value on the training rows, without an interval: it estimates nothing of interest."""
    if not evaluation.training_predictions:
        return
    whole = score_predictions(evaluation.training_predictions, intervals=None)
    results = whole.results(measures, everything=everything, refuse=False)
    # the mean over splits; a holdout has no folds, and is one
    over = Of.MEAN_OF_FOLDS if any(r.of is Of.MEAN_OF_FOLDS for r in results) else Of.POOLED
    for result in results:
        if result.of is over and not result.is_not_given:  # the row out of fold says why
            notes = (*as_notes(OPTIMISTIC), *result.notes)
            procedure = evaluation.procedure
            yield replace(result, of=Of.TRAINING, procedure=procedure, notes=notes)


def _bootstrap(evaluation: Evaluation, requests: Sequence[Request]) -> Iterator[Result]:
    whole = {p.model: Tallies(p) for p in evaluation.training_predictions}
    weight = evaluation.dataset.weight
    rows = len(evaluation.dataset) if weight is None else int(np.count_nonzero(weight))
    for tallies in evaluation.scorecard.tallies:
        if not tallies.design.plan.is_bootstrap:
            continue
        p = tallies.predictions
        for request in requests:
            if not has_row_losses(request, tallies):
                yield from _no_estimate(request, tallies, rows)
                continue
            made = _estimates(evaluation, request, tallies, whole.get(p.model))
            how = Note("mean over rows of their mean out of the bag", Kind.ESTIMATE)
            shown = [(Of.OUT_OF_BAG, made.out_of_bag, how)]
            if p.model in whole:
                how = Note("0.368 x training + 0.632 x out-of-bag", Kind.ESTIMATE)
                shown.append((Of.PLAIN_632, made.plain, how))
                how = Note(f"relative overfitting {made.overfitting:.4g}", Kind.ESTIMATE)
                why = _why_undefined(made) if isnan(made.plus) else how
                shown.append((Of.PLUS_632, made.plus, why))
            for of, value, how in shown:
                notes, procedure = (how, NO_INTERVAL), p.design.procedure
                yield Result(request.name, value, rows, notes, p.model, procedure, of=of)


def _no_estimate(request: Request, tallies: Tallies, rows: int) -> Iterator[Result]:
    """That a measure which is no mean over rows has no estimate of the bootstrap."""
    p = tallies.predictions
    if not _could_have(request, tallies):
        return
    plan = tallies.design.plan
    for of in (Of.OUT_OF_BAG, *((Of.PLAIN_632, Of.PLUS_632) if plan.is_632 else ())):
        note = Note(f"{of.value} {OF_MEANS}", Kind.NO_ESTIMATE)
        yield Result(request.name, nan, rows, (note,), p.model, plan.text, of=of)


def _could_have(request: Request, tallies: Tallies) -> bool:
    """Whether a reader may look for an estimate: counts and single classes have none at all."""
    is_plain = request.label is None and request.measure.interval != "none"
    return is_plain and not lacking(request, tallies)


def _why_undefined(made: BootstrapEstimates) -> Note:
    """Why there is no .632+: a loss that is infinite, or pairs that were not looked at."""
    is_infinite = any(isinf(v) for v in (made.training, made.out_of_bag, made.no_information))
    return Note(INFINITE if is_infinite else MANY, Kind.UNDEFINED)


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
            lack = evaluation.nested.lack(p.model)
            if not has_row_losses(request, tallies):
                lack = Note(f"nested cross-validation {OF_MEANS}", Kind.NO_ESTIMATE)
            elif lack is None:
                value, interval = evaluation.nested.interval(
                    p.model, request, level=evaluation.intervals.level
                )
            notes, rows = as_notes(lack or ""), len(evaluation.dataset)
            made = Result(request.name, value, rows, notes, p.model, p.design.procedure)
            made = replace(made, of=Of.NESTED)
            if interval is not None and isnan(value):
                made = made.noted(Note(interval.note, Kind.NO_INTERVAL))
            yield made.bounded(interval)
