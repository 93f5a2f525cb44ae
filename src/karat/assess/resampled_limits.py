"""What all intervals by resampled rows share: their limits, and when they are made unasked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.assess.values import overall
from karat.intervals.bootstrap import limits

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from karat.assess.options import IntervalOptions
    from karat.engines.memory import Tallies
    from karat.intervals.bootstrap import Jackknife
    from karat.intervals.interval import Interval
    from karat.measures.spec import Request

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
    if not options.method and request.measure.interval == "basic":
        return "basic"
    return options.bootstrap


def resampled_limits(
    request: Request,
    tallies: Tallies,
    options: IntervalOptions,
    replicates: NDArray[Any],
    left_out: Callable[[], Jackknife],
) -> Interval:
    """The interval of a measure from its values on resampled rows (or whole groups).

    ``left_out`` makes its values without parts of the rows, which BCa needs.
    """
    p = tallies.predictions
    kind = limits_kind(request, options)
    what = "rows" if p.design.group is None else "groups"
    if options.stratified and p.design.group is None and p.task != "regression":
        what = "rows within true classes"
    made = limits(
        replicates,
        float(overall(request, tallies).value),
        level=options.level,
        kind="percentile" if kind == "bayesian" else kind,
        jackknife=left_out() if kind == "bca" else None,
        bounds=request.measure.bounds,
        draws=f"{options.of_rows} draws of {what}, seed {options.seed}",
    )
    return made.noted(NOT_BAYESIAN) if options.method == "bayesian" else made
