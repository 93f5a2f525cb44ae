"""What all intervals by resampled rows share: their limits, and when they are made unasked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.values import overall
from heldout.core.codes import dense_codes
from heldout.intervals.bootstrap import all_agree, bayesian_limits, limits, most_agree
from heldout.intervals.cluster_bootstrap import for_few_groups
from heldout.intervals.group_sizes import GroupSizes
from heldout.intervals.replicate_limits import INSTEAD, finished_maximum, maximum_limits

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.assess.options import IntervalOptions
    from heldout.engines.memory import Tallies
    from heldout.intervals.bootstrap import Jackknife
    from heldout.intervals.interval import Interval
    from heldout.intervals.replicate_limits import Least
    from heldout.measures.spec import Request
    from heldout.predictions.table import Predictions

__all__ = ["ROW_WORK", "limits_kind", "resampled_limits", "unasked"]

#: rows times replicates above which rows are not resampled unasked
ROW_WORK = 100_000_000
NOT_BAYESIAN = "rows are drawn: there is no Bayesian bootstrap of this measure"


def unasked(why: str) -> str:
    """The reason why an interval is made only if its measure is asked for by name.

    Examples
    --------
    >>> unasked("many classes")
    'many classes: made if asked for by name (--measure)'
    """
    return f"{why}: made if asked for by name (--measure)"


def limits_kind(request: Request, options: IntervalOptions) -> str:
    """The kind of bootstrap limits: as asked for, else as the measure needs."""
    # a method for shares or areas leaves the others as they are
    if options.uses_t and request.measure.interval == "basic":
        return "maximum"
    return options.bootstrap


def resampled_limits(
    request: Request,
    tallies: Tallies,
    options: IntervalOptions,
    replicates: NDArray[Any],
    left_out: Callable[[], Jackknife],
    *,
    least: Least | None = None,
    weighed: Callable[[], NDArray[Any]] | None = None,
) -> Interval:
    """The interval of a measure from its values on resampled rows (or whole groups).

    ``left_out`` makes its values without parts of the rows, which BCa needs; ``least`` is
    what a maximum is no narrower than; ``weighed`` makes its values with rows weighted at
    random, which take the place of draws where most of these agree.
    """
    p = tallies.predictions
    kind = limits_kind(request, options)
    what = "rows" if p.design.group is None else "groups"
    if options.stratified and p.design.group is None and p.task != "regression":
        what = "rows within true classes"
    value = float(overall(request, tallies).value)
    words = f"{options.of_rows} draws of {what}, seed {options.seed}"
    level, bounds = options.level, request.measure.bounds
    agree = all_agree if kind == "maximum" else most_agree
    is_weighed = weighed is not None and agree(replicates, bounds)
    if weighed is not None and is_weighed:
        replicates = weighed()
        made = bayesian_limits(replicates, value, level=level, bounds=bounds, draws=words)
        made = made if made.is_absent else made.noted(INSTEAD)
    elif kind == "maximum":
        made = maximum_limits(replicates, value, level=level, draws=words)
        if p.design.group is None:
            fewest = _fewest_of_class(request, p)
            made = finished_maximum(made, replicates, value, fewest, least=least)
    else:
        made = limits(
            replicates,
            value,
            level=level,
            kind="percentile" if kind == "bayesian" else kind,
            jackknife=left_out() if kind == "bca" else None,
            bounds=bounds,
            draws=words,
        )
    if p.design.group is not None:
        mass = np.bincount(dense_codes(p.design.group.codes)[1], p.weight)
        made = for_few_groups(made, value, GroupSizes.of(mass))
        made = made.within(bounds)
    return made.noted(NOT_BAYESIAN) if options.method == "bayesian" and not is_weighed else made


def _fewest_of_class(request: Request, p: Predictions) -> int:
    """Rows of a class or its rest, if fewer; of all classes, where none is asked for."""
    counts = np.bincount(p.truth, minlength=len(p.classes))
    own = counts[counts > 0]
    if request.label is not None:
        own = counts[[str(c) for c in p.classes].index(request.label)]
    return int(np.minimum(own, len(p) - own).min())
