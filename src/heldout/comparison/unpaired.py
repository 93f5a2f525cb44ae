"""Differences of models that were judged on different rows."""

from __future__ import annotations

from functools import partial
from math import isnan, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.forms import count_statistic
from heldout.assess.score_formulas import gap_statistic, gaps_of
from heldout.assess.values import overall, table_of
from heldout.comparison.evidence import Evidence, checked_alternative, drawn_test, student_test
from heldout.comparison.gap_pair import gap_counts, gap_difference, gap_lack
from heldout.comparison.row_differences import drawn_rows
from heldout.comparison.shares import independent_difference, independent_test
from heldout.core.random import stream
from heldout.engines.memory import Tallies
from heldout.intervals.confusion_bootstrap import draw_confusions
from heldout.intervals.delong import auc_variance
from heldout.intervals.gap_differences import DRAWS, gap_difference_p_value
from heldout.intervals.interval import absent
from heldout.intervals.resampling import RowSampler, in_blocks, row_order
from heldout.measures.ranges import range_of
from heldout.tally.confusion import Binary, Confusion

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.comparison.judged import Judged
    from heldout.comparison.options import CompareOptions
    from heldout.intervals.interval import Interval
    from heldout.measures.spec import Request
    from heldout.predictions.table import Predictions

__all__ = ["unpaired_difference", "unpaired_gap_difference"]


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
    """DeLong's variances of each model's own rows, and Satterthwaite's degrees of freedom."""
    method = "DeLong (independent rows)"
    first, second = (overall(request, t).value for t in tallies)
    variances = [auc_variance(t.scores) for t in tallies]
    both = sum(variances)
    if not both > 0:
        note = "the areas have no variance"
        side = checked_alternative(options.alternative)
        made = absent(note, level=options.level, method=method)
        return made, Evidence(method, nan, nan, side, note=note)
    parts = zip(variances, tallies, strict=True)
    freedom = both**2 / sum(v**2 / (len(t.predictions) - 1) for v, t in parts)
    return student_test(
        method,
        first - second,
        sqrt(both),
        freedom,
        level=options.level,
        alternative=options.alternative,
        bounds=(-1, 1),
    )


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
    method = f"bootstrap, {len(drawn):,} draws of the rows of each model, seed {options.seed}"
    return drawn_test(
        method,
        drawn,
        first - second,
        level=options.level,
        alternative=options.alternative,
        bounds=(low - high, high - low),
    )


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


NO_VALUES = "the errors do not vary"


def unpaired_gap_difference(
    request: Request, judged: Judged, places: tuple[int, int], options: CompareOptions
) -> tuple[Interval, Evidence]:
    """The interval of first minus second calibration error, and the test that slices have.

    The interval is that of the same rows without the correlation of the errors. Where there is
    none there is no test either: a bootstrap adds the noise that raises both errors once more.
    """
    side = checked_alternative(options.alternative)
    lack = gap_lack(request, judged, places)
    if lack:
        return absent(lack, level=options.level), Evidence("no test", nan, nan, side, note=lack)
    shared: dict[str, Any] = {"level": options.level, "seed": options.seed, "is_paired": False}
    made, greater = gap_difference(request, judged, places, alternative="greater", **shared)
    one, two = (
        gaps_of(gap_counts(request, judged.tallies[place]), request.values) for place in places
    )
    p_value = gap_difference_p_value(one, two, gap_statistic(request), seed=options.seed)
    if side != "two-sided" and not isnan(p_value):
        is_towards = (greater.p_value < 0.5) == (side == "greater")
        p_value = p_value / 2 if is_towards else 1 - p_value / 2
    method = f"inverted tests of gaps, different rows, {DRAWS} draws of bins, seed {options.seed}"
    note = NO_VALUES if isnan(p_value) else ""
    return made, Evidence(method, greater.statistic, p_value, side, note=note)
