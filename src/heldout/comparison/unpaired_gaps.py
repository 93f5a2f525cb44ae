"""Differences of calibration errors of models that were judged on different rows."""

from __future__ import annotations

from math import isnan, nan
from typing import TYPE_CHECKING, Any

from heldout.assess.bin_intervals import gap_statistic, gaps_of
from heldout.comparison.evidence import Evidence, checked_alternative
from heldout.comparison.gap_pair import gap_counts, gap_difference, gap_lack
from heldout.intervals.gap_differences import DRAWS, gap_difference_p_value
from heldout.intervals.interval import absent

if TYPE_CHECKING:
    from heldout.comparison.judged import Judged
    from heldout.comparison.options import CompareOptions
    from heldout.intervals.interval import Interval
    from heldout.measures.spec import Request

__all__ = ["unpaired_gap_difference"]

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
