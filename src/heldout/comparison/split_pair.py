"""The difference of two models over splits of the rows, which may cut groups."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from heldout.comparison.difference import Difference
from heldout.comparison.evidence import one_sided, student_test
from heldout.comparison.noise import SplitNoise, mean_noise
from heldout.comparison.posterior import student_posterior
from heldout.comparison.split_tests import (
    METHOD,
    alpaydin_f,
    corrected_interval,
    corrected_t,
    correlated_t,
    dietterich_t,
    plain_t,
)
from heldout.core.errors import InputError
from heldout.core.wording import plural
from heldout.measures.ranges import range_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.comparison.design import ComparisonDesign
    from heldout.comparison.evidence import Evidence
    from heldout.comparison.fold_differences import SplitValues
    from heldout.comparison.judged import Judged
    from heldout.comparison.options import CompareOptions
    from heldout.intervals.interval import Interval
    from heldout.measures.spec import Request
    from heldout.predictions.table import Predictions

__all__ = ["group_difference", "split_difference"]

OF_CORRECTED = "interval and power are those of the corrected t test"


def split_difference(
    request: Request,
    judged: Judged,
    places: tuple[int, int],
    design: ComparisonDesign,
    test: str,
    options: CompareOptions,
    *,
    note: str = "",
) -> Difference:
    """First minus second model's mean over the splits, with interval, test and posterior."""
    two = judged.predictions[places[0]], judged.predictions[places[1]]
    first, second = (judged.splits(request, place) for place in places)
    gaps = _gaps(request, first, second, two)
    # the plain t test takes splits to be independent
    share = 0.0 if test == "plain-t" else design.test_share
    one, other = (judged.value(request, place) for place in places)
    # folds that differ in size weigh as much as their rows in what stands for a measure
    centred = gaps + (one - other - gaps.mean())
    interval, evidence = _tested(replace(first, values=gaps), centred, test, share, options)
    low, high = range_of(request, len(two[0].classes))
    interval = one_sided(interval, options.side, options.level, (low - high, high - low))
    spread = float(gaps.std(ddof=1))
    said = [note]
    if test in {"5x2-t", "5x2-f"}:
        said.append(OF_CORRECTED)
    posterior = None
    if test != "plain-t":
        posterior = correlated_t(centred, share, options.rope or 0.0)
    elif options.rope is not None:
        said.append("no posterior: there is none to the plain t test")
    return Difference(
        request.name,
        two[0].model,
        two[1].model,
        one,
        other,
        interval,
        evidence,
        len(gaps),
        "splits",
        request.measure.direction,
        posterior,
        is_share=request.measure.bounds == (0, 1),
        note="; ".join(filter(None, said)),
        noise=SplitNoise(len(gaps), design.folds, spread, share) if spread > 0 else None,
    )


def _gaps(
    request: Request,
    first: SplitValues,
    second: SplitValues,
    two: tuple[Predictions, Predictions],
) -> NDArray[np.float64]:
    endless = [int(np.isinf(values.values).sum()) for values in (first, second)]
    if any(endless):
        of = [(p.model, count) for p, count in zip(two, endless, strict=True) if count]
        said = " and ".join(f"in {n} of {len(first.values)} splits of {name}" for name, n in of)
        raise InputError(
            f"{request.name} is infinite {said} (a true class had probability 0 there), so no "
            "mean exists; take another measure (brier_score)"
        )
    gaps = first.values - second.values
    lost = int(np.isnan(gaps).sum())
    if lost:
        raise InputError(
            f"{request.name} is undefined in {lost} of {len(gaps)} splits: the mean over the "
            "rest would be of other data; take another measure or larger folds"
        )
    return gaps


def _tested(
    gaps: SplitValues,
    centred: NDArray[np.float64],
    test: str,
    share: float,
    options: CompareOptions,
) -> tuple[Interval, Evidence]:
    """The two-sided interval and the test; ``centred``: the gaps around their weighted mean."""
    interval = corrected_interval(centred, share, level=options.limits_level)
    if test == "corrected-t":
        return interval, corrected_t(centred, share, alternative=options.alternative)
    if test == "plain-t":
        evidence = plain_t(centred, alternative=options.alternative)
        return replace(interval, method=evidence.method), evidence
    if test == "5x2-t":
        return interval, dietterich_t(gaps.table(), alternative=options.alternative)
    if options.alternative != "two-sided":
        raise InputError("Alpaydin's F has no direction: take 5x2-t or corrected-t")
    return interval, alpaydin_f(gaps.table())


def group_difference(
    request: Request,
    judged: Judged,
    places: tuple[int, int],
    design: ComparisonDesign,
    options: CompareOptions,
    *,
    note: str = "",
) -> Difference:
    """First minus second model's mean over splits, tested with the error of groups as well.

    The corrected t test takes its error from how splits differ, and a group with rows in all of
    them moves all of them alike. So the variance by groups, each with all of its rows wherever
    they were tested, is added to the corrected one.
    """
    if design.groups < 2:
        raise InputError("all rows are in one group, which says nothing of how groups differ")
    made = split_difference(request, judged, places, design, "corrected-t", options, note=note)
    first, second = (judged.shifts(request, place) for place in places)
    found = first.less(second)
    of_splits = made.evidence.error if made.evidence.error > 0 else 0.0
    error, freedom = found.added_to(of_splits, made.n - 1)
    of_groups = plural(found.groups, "group")
    if error == of_splits:
        said = f"all of the {of_groups}, which the splits cut, differ alike"
        return replace(made, note="; ".join(filter(None, (made.note, said))))
    method = f"{METHOD}, with the error of {of_groups} that the splits cut"
    low, high = range_of(request, len(judged.predictions[places[0]].classes))
    bounds = (low - high, high - low)
    interval, evidence = student_test(
        method,
        made.value,
        error,
        freedom,
        level=options.limits_level,
        alternative=options.alternative,
        bounds=bounds,
    )
    posterior = student_posterior(
        f"posterior with the error of the {method}",
        made.value,
        error,
        options.rope or 0.0,
        freedom=freedom,
    )
    return replace(
        made,
        interval=one_sided(interval, options.side, options.level, bounds),
        evidence=evidence,
        n=found.groups,
        unit="groups",
        posterior=posterior,
        noise=mean_noise(found.groups, error, freedom),
    )
