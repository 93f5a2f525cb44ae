"""The mean of the folds' values, and the interval it has after one run of folds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from karat.assess.repeats import limits, mean_of
from karat.assess.splits import shape_of
from karat.intervals.cross_validated_area import cross_validated_area_interval
from karat.measures.spec import parse_request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.assess.options import IntervalOptions
    from karat.assess.results import Result
    from karat.engines.memory import Tallies

__all__ = ["fold_mean"]


def fold_mean(
    results: Sequence[Result], tallies: Tallies, options: IntervalOptions | None
) -> Result:
    """The mean of the folds' values; that of the area under the ROC curve has an interval."""
    made = replace(mean_of(results, "", "folds"), fold="mean")
    if options is None or not options.area or made.class_ or not made.is_defined:
        return made
    p, shape = tallies.predictions, shape_of(tallies)
    request = parse_request(made.measure)
    name = request.measure.name
    if (
        name not in ("auc", "gini")
        or request.parameters
        or p.task != "binary"
        or p.weight is not None
    ):
        return made
    if shape.is_in_time or shape.is_bootstrap or shape.is_often or shape.folds < 2:
        return made
    assert p.scores is not None
    assert p.design.fold is not None
    interval = cross_validated_area_interval(
        p.truth == p.positive,
        p.scores,
        p.design.fold.codes,
        level=options.level,
        groups=None if p.design.group is None else p.design.group.codes,
    )
    if name == "gini":
        interval = interval.through(lambda area: 2 * area - 1)
    return limits(made, interval)
