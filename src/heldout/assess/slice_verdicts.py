"""Corrected p-values of slices, what they say of each slice, and the order of slices."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from heldout.core.holm import holm
from heldout.decisions.ranking import demerit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.assess.slice_results import SliceResult
    from heldout.measures.spec import Request

__all__ = ["UNCLEAR", "holm_of_columns", "verdict_of", "worst_first"]

#: what is said where a test shows nothing, which is no proof that slices are alike
UNCLEAR = "no clear difference"


def holm_of_columns(columns: Sequence[Sequence[SliceResult]]) -> list[float]:
    """Holm's correction over the slices of some columns.

    Of two slices one is the other's rest: their tests are one test, which counts once.
    """
    tests = [[r.p_value for r in results] for results in columns]
    tests = [[max(some)] if len(some) == 2 and not isnan(sum(some)) else some for some in tests]
    made = iter(holm([p_value for some in tests for p_value in some]).tolist())
    found: list[float] = []
    for results, some in zip(columns, tests, strict=True):
        own = [next(made) for _ in some]
        found += own * 2 if len(own) < len(results) else own
    return found


def verdict_of(request: Request, difference: float, p_value: float, significance: float) -> str:
    """Whether a slice is worse or better than the rest, or differs; empty where not tested."""
    if isnan(p_value):
        return ""
    if p_value > significance:
        return UNCLEAR
    direction = request.measure.direction
    if direction not in ("up", "down") or not difference:
        return "differs"
    return "better" if (difference > 0) == (direction == "up") else "worse"


def worst_first(request: Request, results: Sequence[SliceResult]) -> list[SliceResult]:
    """Worst first; slices that were not judged after those that were, undefined ones last."""

    def place(result: SliceResult) -> tuple[int, float]:
        if isnan(result.value):
            return 2, 0.0
        judges = request.measure.direction != "none"
        return int(not result.is_judged), -demerit(request, result.value) if judges else 0.0

    return sorted(results, key=place)
