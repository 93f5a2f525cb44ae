"""Results beside the out-of-fold ones: training error, bootstrap estimates, nested intervals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite, isinf, isnan, nan
from typing import TYPE_CHECKING

import numpy as np

from heldout.assess.forms import has_row_losses
from heldout.assess.out_of_bag import (
    OF_MEANS,
    estimate_result,
    may_be_estimated,
    no_estimate,
    out_of_bag,
)
from heldout.assess.results import Estimand, Of, Result
from heldout.assess.scorecard import score_predictions
from heldout.assess.values import overall, requests_for
from heldout.core.notes import Kind, Note, as_notes
from heldout.engines.memory import Tallies

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heldout.evaluation.evaluation import Evaluation
    from heldout.measures.spec import Request

#: rows of a regression up to which all pairs of target and prediction are looked at
MOST_PAIRED = 3000
INSIDE = 0.632


@dataclass(frozen=True, slots=True)
class BootstrapEstimates:
    """A mean loss on the training rows, out of the bag, and what lies between."""

    training: float
    #: mean over rows of a row's mean loss out of the bag (the leave-one-out bootstrap)
    out_of_bag: float
    #: the mean loss where truth and prediction have nothing to do with each other
    no_information: float
    #: 0: no overfitting, 1: as good as none was learnt
    overfitting: float
    plain: float
    plus: float


def bootstrap_estimates(
    out_of_bag: float, training: float, gamma: float, *, is_gain: bool = False
) -> BootstrapEstimates:
    """The estimates from mean losses.

    Parameters
    ----------
    out_of_bag
        The mean over rows of a row's mean loss out of the bag.
    training
        The mean loss of the model of all rows on these same rows.
    gamma
        The mean loss without information; NaN where it is not known: then no .632+.
    is_gain
        More is better: the same with the sign turned.

    Notes
    -----
    Efron and Tibshirani (1997), J. Am. Stat. Assoc. 92:548. The overfitting rate is taken
    from the out-of-bag loss cut at gamma, and is 0 where the training loss is no smaller.

    Examples
    --------
    >>> of_two = bootstrap_estimates(0.75, 0.1, 0.5)
    >>> of_two.plain, of_two.plus
    (0.5108, 0.658)
    """
    sign = -1.0 if is_gain else 1.0
    outside, inside, without = sign * out_of_bag, sign * training, sign * gamma
    plain = (1 - INSIDE) * inside + INSIDE * outside
    cut = min(outside, without) if isfinite(without) else outside
    rate = 0.0
    if outside > inside and without > inside:
        rate = (cut - inside) / (without - inside)
    plus = nan
    if isfinite(gamma):
        more = (cut - inside) * (1 - INSIDE) * INSIDE * rate / (1 - (1 - INSIDE) * rate)
        plus = plain + more
    return BootstrapEstimates(training, out_of_bag, gamma, rate, sign * plain, sign * plus)


def no_information(request: Request, training: Tallies) -> float:
    """The mean loss over all pairs of one row's truth and another's prediction.

    ``training`` are the predictions of the model of all rows. NaN for a regression of more
    rows than all pairs can be looked at.
    """
    p = training.predictions
    if p.task == "regression":
        if len(p) > MOST_PAIRED:
            return nan
        truths, shares = np.unique(p.truth, return_counts=True)
    else:
        truths, shares = np.arange(len(p.classes)), training.class_weights
    total = 0.0
    for truth, share in zip(truths, shares / shares.sum(), strict=True):
        if share:
            turned = replace(p, truth=np.full_like(p.truth, truth))
            total += float(share) * overall(request, Tallies(turned)).value
    return total


def estimates_of(request: Request, tallies: Tallies, training: Tallies) -> BootstrapEstimates:
    """The estimates of one measure, of predictions out of the bag and of the training rows."""
    inside = overall(request, training).value
    is_gain = request.measure.direction == "up"
    outside = out_of_bag(request, tallies)
    return bootstrap_estimates(outside, inside, no_information(request, training), is_gain=is_gain)


OPTIMISTIC = "optimistic: evaluated on its own training rows"
INFINITE = "a row's loss is infinite"
MANY = "too many rows to look at all pairs of target and prediction"
NOT_NESTED = Note(
    "not from nested cross-validation, which is for means over all rows", Kind.NOT_NESTED
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
            yield replace(
                result,
                of=Of.TRAINING,
                procedure=evaluation.procedure,
                notes=notes,
                estimand=Estimand.TRAINING,
            )


def _bootstrap(evaluation: Evaluation, requests: Sequence[Request]) -> Iterator[Result]:
    """What lies between the training error and that out of the bag, which every scorecard has."""
    whole = {p.model: Tallies(p) for p in evaluation.training_predictions}
    for tallies in evaluation.scorecard.tallies:
        plan, p = tallies.design.plan, tallies.predictions
        if not plan.is_bootstrap or (p.model not in whole and not plan.is_632):
            continue
        assert tallies.judged_rows is not None
        rows = len(tallies.judged_rows[1])
        for request in requests:
            if not has_row_losses(request, tallies):
                if plan.is_632:
                    yield from no_estimate((Of.PLAIN_632, Of.PLUS_632), request, tallies, rows)
                continue
            if p.model not in whole:
                continue
            estimates = estimates_of(request, tallies, whole[p.model])
            words = f"relative overfitting {estimates.overfitting:.4g}"
            plus = Note(words, Kind.ESTIMATE)
            if isnan(estimates.plus):
                plus = Note(why_undefined(estimates), Kind.UNDEFINED)
            plain = Note("0.368 x training + 0.632 x out-of-bag", Kind.ESTIMATE)
            for of, value, how in (
                (Of.PLAIN_632, estimates.plain, plain),
                (Of.PLUS_632, estimates.plus, plus),
            ):
                yield estimate_result(of, request, tallies, value, rows, (how,))


def why_undefined(estimates: BootstrapEstimates, *, instead: str = "") -> str:
    """Why there is no .632+: a loss that is infinite, or pairs that were not looked at."""
    is_infinite = any(
        map(isinf, (estimates.training, estimates.out_of_bag, estimates.no_information))
    )
    return INFINITE if is_infinite else f"{MANY}{instead}"


def _nested(evaluation: Evaluation, requests: Sequence[Request]) -> Iterator[Result]:
    """The nested estimate and its interval; the reason where a measure has none."""
    if evaluation.nested is None or evaluation.intervals is None:
        return
    for tallies in evaluation.scorecard.tallies:
        p = tallies.predictions
        for request in requests:
            if not may_be_estimated(request, tallies):
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
            result = Result(request.name, value, rows, notes, p.model, p.design.procedure)
            result = replace(result, of=Of.NESTED, estimand=Estimand.METHOD)
            if interval is not None and isnan(value):
                result = result.noted(Note(interval.note, Kind.NO_INTERVAL))
            yield result.bounded(interval)
