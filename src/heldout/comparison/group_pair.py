"""The difference of two models over splits that cut groups of rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from heldout.comparison.corrected_t import METHOD
from heldout.comparison.evidence import student_test
from heldout.comparison.noise import mean_noise
from heldout.comparison.one_sided import one_sided
from heldout.comparison.posterior import student_posterior
from heldout.comparison.split_pair import split_difference
from heldout.core.errors import InputError
from heldout.core.wording import plural
from heldout.measures.ranges import range_of

if TYPE_CHECKING:
    from heldout.comparison.design import ComparisonDesign
    from heldout.comparison.difference import Difference
    from heldout.comparison.judged import Judged
    from heldout.comparison.options import CompareOptions
    from heldout.measures.spec import Request

__all__ = ["group_difference"]


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
