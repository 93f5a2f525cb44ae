"""What measures of a threshold share: when they are undefined, and how a threshold is told."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from heldout.core.errors import InputError

if TYPE_CHECKING:
    from heldout.tally.scores import ScoreCounts

__all__ = ["NO_POSITIVE", "ONE_CLASS", "at_score", "require_share"]

NO_POSITIVE = "there is no positive row"
ONE_CLASS = "there is no positive row, or no negative row"


def at_score(counts: ScoreCounts, value: float, position: int) -> str:
    """The threshold that reaches a value, as a remark on it; nothing where it is undefined."""
    if isnan(value):
        return ""
    if position < 0:
        return "with no row called positive"
    return f"at score >= {counts.score[position].item():.6g}"


def require_share(name: str, value: float, *, above_zero: bool = False) -> None:
    """Refuse a parameter that is not a share of something."""
    if not 0 <= value <= 1 or (above_zero and value == 0):
        least = "above 0, at most 1" if above_zero else "from 0 to 1"
        raise InputError(f"{name}={value:g}: a number {least} is needed")
