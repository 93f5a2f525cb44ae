"""Differences of models that were judged on different rows."""

from __future__ import annotations

from functools import partial
from math import hypot, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.assess.class_statistics import count_statistic, table_of
from karat.assess.values import overall
from karat.comparison.drawn_rows import drawn_rows
from karat.comparison.evidence import Evidence, checked_alternative, tail
from karat.comparison.independent_proportions import independent_difference, independent_test
from karat.core.random import stream
from karat.engines.memory import Tallies
from karat.intervals.bootstrap import limits
from karat.intervals.confusion_bootstrap import draw_confusions
from karat.intervals.delong import auc_variance
from karat.intervals.interval import Interval, absent
from karat.intervals.quantiles import two_sided_normal
from karat.intervals.resampling import RowSampler, in_blocks, row_order
from karat.measures.ranges import range_of
from karat.tally.confusion import Binary, Confusion

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from karat.comparison.options import CompareOptions
    from karat.measures.spec import Request
    from karat.predictions.table import Predictions

__all__ = ["unpaired_difference"]


def unpaired_difference(
    request: Request, two: tuple[Predictions, Predictions], options: CompareOptions
) -> tuple[Interval, Evidence]:
    """The interval of first minus second, and a test, where no row was judged by both.

    Shares by Newcombe's interval and a z test, the area under the ROC curve by DeLong's
    variances, anything else by drawing rows of each model apart.
    """
    tallies = Tallies(two[0]), Tallies(two[1])
    plain = all(p.weight is None and p.design.group is None for p in two)
    share = request.measure.proportion
    if share is not None and plain and not request.average and request.label is None:
        counts = [share(table_of(request, t.confusion)) for t in tallies]
        (one, rows), (other, other_rows) = ((float(s), float(n)) for s, n in counts)
        if rows and other_rows:
            made = independent_difference(one, rows, other, other_rows, level=options.level)
            return made, independent_test(
                one, rows, other, other_rows, alternative=options.alternative
            )
    if request.measure.name == "auc" and plain and two[0].task == "binary":
        return _areas(request, tallies, options)
    return _resampled(request, tallies, options)


def _areas(
    request: Request, tallies: tuple[Tallies, Tallies], options: CompareOptions
) -> tuple[Interval, Evidence]:
    from scipy.special import ndtr

    side = checked_alternative(options.alternative)
    method = "DeLong (independent rows)"
    first, second = (overall(request, t).value for t in tallies)
    error = hypot(*(sqrt(auc_variance(t.scores)) for t in tallies))
    gap = first - second
    reach = two_sided_normal(options.level) * error
    made = Interval(gap - reach, gap + reach, options.level, method).within((-1, 1))
    if not error > 0:
        note = "the areas have no variance"
        made = absent(note, level=options.level, method=method)
        return made, Evidence(method, nan, nan, side, note=note)
    return made, Evidence(method, gap / error, tail(gap / error, side, lambda x: ndtr(-x)), side)


def _resampled(
    request: Request, tallies: tuple[Tallies, Tallies], options: CompareOptions
) -> tuple[Interval, Evidence]:
    two = [t.predictions for t in tallies]
    first, second = (overall(request, t).value for t in tallies)
    plain = all(p.weight is None and p.design.group is None for p in two)
    by_cells = plain and bool(request.measure.needs)
    by_cells = by_cells and set(request.measure.needs) <= {Binary, Confusion}
    one, other = (_draws(request, tallies[i], options, i, by_cells) for i in (0, 1))
    drawn = one - other
    low, high = range_of(request, len(two[0].classes))
    words = f"{len(drawn):,} draws of the rows of each model, seed {options.seed}"
    made = limits(
        drawn, first - second, level=options.level, bounds=(low - high, high - low), draws=words
    )
    side = checked_alternative(options.alternative)
    method = f"bootstrap test of the difference, {words}"
    known = drawn[~np.isnan(drawn)]
    if not len(known):
        return made, Evidence(method, nan, nan, side, note="the measure is undefined")
    below = (1 + int((known <= 0).sum())) / (1 + len(known))
    above = (1 + int((known >= 0).sum())) / (1 + len(known))
    p_value = {"greater": below, "less": above}.get(side, min(1.0, 2 * min(below, above)))
    return made, Evidence(method, first - second, p_value, side)


def _draws(
    request: Request, tallies: Tallies, options: CompareOptions, place: int, by_cells: bool
) -> NDArray[Any]:
    p = tallies.predictions
    rng = stream(options.seed, "unpaired", str(place), request.name)
    if by_cells:
        draws = options.count_draws[0]
        counts = draw_confusions(tallies.confusion, replicates=draws, rng=rng)
        with np.errstate(all="ignore"):
            return np.asarray(count_statistic(request, tallies)(counts), float)
    groups = None if p.design.group is None else p.design.group.codes
    sampler = RowSampler(len(p), groups=groups, order=partial(row_order, p))

    def value(own: Generator) -> float:
        drawn = drawn_rows(request, p, sampler.multiplicities(own))
        return overall(request, Tallies(drawn)).value

    return in_blocks(value, replicates=options.row_draws[0], rng=rng, size=len(p))
