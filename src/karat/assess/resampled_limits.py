"""What all intervals by resampled rows share: their limits, and when they are made unasked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.assess.values import overall
from karat.intervals.bootstrap import limits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.assess.options import IntervalOptions
    from karat.engines.memory import Tallies
    from karat.intervals.interval import Interval
    from karat.measures.spec import Request

__all__ = ["ROW_WORK", "resampled_limits", "unasked"]

#: rows times replicates above which rows are not resampled unasked
ROW_WORK = 100_000_000


def unasked(why: str) -> str:
    """The reason why an interval is made only if its measure is asked for by name.

    Examples
    --------
    >>> unasked("many classes")
    'many classes: made if asked for by name (--measure)'
    """
    return f"{why}: made if asked for by name (--measure)"


def resampled_limits(
    request: Request,
    tallies: Tallies,
    options: IntervalOptions,
    replicates: NDArray[Any],
    what: str,
) -> Interval:
    """The interval of a measure from its values on resampled ``what`` (rows, groups)."""
    kind = options.bootstrap
    return limits(
        replicates,
        float(overall(request, tallies).value),
        level=options.level,
        kind="percentile" if kind in ("bayesian", "bca") else kind,
        bounds=request.measure.bounds,
        draws=f"{options.of_rows} draws of {what}, seed {options.seed}",
    )
