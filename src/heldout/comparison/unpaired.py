"""Differences of models that were judged on different rows."""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.forms import count_statistic
from heldout.assess.values import overall, table_of
from heldout.comparison.gap_pair import unpaired_gap_difference
from heldout.comparison.judged import groups_of
from heldout.comparison.row_tests import drawn_rows
from heldout.comparison.shares import independent_difference, independent_test
from heldout.comparison.testing import drawn_test, no_test, student_test
from heldout.core.random import stream
from heldout.engines.memory import Tallies
from heldout.measures.kinds import SAME
from heldout.uncertainty.cells import Cells
from heldout.uncertainty.sample import RowSampler, in_blocks, row_order

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.comparison.judged import Measured, Pair
    from heldout.comparison.testing import Found


def unpaired_difference(pair: Pair) -> Found:
    """The interval of first minus second, and a test, where no row was judged by both.

    Shares by Newcombe's interval and a z test, the area under the ROC curve by DeLong's
    variances, calibration errors by inverted tests of each, anything else by drawing rows of
    each model apart.
    """
    request = pair.request
    share = request.measure.share
    if pair.is_of_gaps:
        return unpaired_gap_difference(pair)
    is_plain = pair.has_alike_rows and not request.average and request.label is None
    if share is not None and is_plain:
        counts = [
            float(count)
            for model in (pair.first, pair.second)
            for count in share.of(table_of(request, model.tallies.confusion))
        ]
        if counts[1] and counts[3]:
            test = independent_test(*counts, alternative=pair.options.alternative)
            return independent_difference(*counts, level=pair.level), test
    is_binary = pair.predictions[0].task == "binary"
    if request.measure.area is SAME and pair.has_alike_rows and is_binary:
        return _areas(pair)
    one, other = (
        _draws(model, pair, place) for place, model in enumerate((pair.first, pair.second))
    )
    method = f"bootstrap, {len(one):,} draws of the rows of each model, seed {pair.options.seed}"
    return drawn_test(method, one - other, pair.pooled, **pair.how)


def _areas(pair: Pair) -> Found:
    """DeLong's variances of each model's own rows, with the degrees of freedom of pROC.

    These are Satterthwaite's of two samples of rows, each with one less than its rows.
    """
    method = "DeLong (independent rows)"
    spreads = [model.area.spread() for model in (pair.first, pair.second)]
    both = sum(spread.error**2 for spread in spreads)
    if not both > 0:
        side = pair.options.alternative
        return no_test(method, "the areas have no variance", level=pair.level, alternative=side)
    freedom = both**2 / sum(spread.error**4 / (spread.units - 1) for spread in spreads)
    return student_test(method, pair.pooled, sqrt(both), freedom, **pair.how | {"bounds": (-1, 1)})


def _draws(model: Measured, pair: Pair, place: int) -> NDArray[Any]:
    """The values of a model whose rows, or groups, are drawn again and again."""
    request, options, p = model.request, pair.options, model.predictions
    rng = stream(options.seed, "unpaired", str(place), request.name)
    if pair.is_of_counts:
        draws = options.count_draws[0]
        counts = Cells.of_counts(model.tallies.confusion).draw(draws, rng)
        with np.errstate(all="ignore"):
            return np.asarray(count_statistic(request, model.tallies)(counts), float)
    sampler = RowSampler(len(p), groups=groups_of(p), order=partial(row_order, p))

    def value(own: Generator) -> float:
        drawn = drawn_rows(request, p, sampler.multiplicities(own))
        return overall(request, Tallies(drawn)).value

    return in_blocks(value, replicates=options.row_draws[0], rng=rng, size=len(p))
