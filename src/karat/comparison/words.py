"""A difference in plain words: who is better, by how much, how sure, or what could be seen."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from karat.comparison.detectable import detectable_difference

if TYPE_CHECKING:
    from karat.comparison.difference import Difference

__all__ = ["in_words", "size_in_words"]


def in_words(difference: Difference, *, margin: float | None = None) -> str:
    """One sentence on a difference.

    ``margin``: a difference that does not matter; then equivalence and non-inferiority are
    said where the interval shows them.
    """
    d = difference
    unit = "" if d.direction in {"up", "down"} else " (neither direction is better)"
    level = f"{100 * d.interval.level:g}%"
    pair = f"{d.first} and {d.second}"
    if isnan(d.value):
        return f"{d.measure}: {pair} cannot be compared: the measure is undefined"
    if d.value == 0 and not isnan(d.p_value) and d.p_value >= 1:
        return f"{d.measure}: {pair} do not differ at all on these {d.n:,} {d.unit}"
    said = ""
    if not d.interval.is_absent:
        low, high = sorted((abs(d.interval.low), abs(d.interval.high)))
        if d.interval.low < 0 < d.interval.high:
            said = f", {level} interval {d.interval.low:+.4g} to {d.interval.high:+.4g}"
        else:
            said = f", {level} {size_in_words(low, d)} to {size_in_words(high, d)}"
    p_value = "" if isnan(d.p_value) else f", p = {_p(d.p_value)}"
    if d.corrected is not None:
        p_value += " (corrected)"
    if isnan(d.p_value) or d.p_value > 1 - d.interval.level:
        return _undecided(d, pair, said, p_value, margin)
    worse = d.second if d.better == d.first else d.first
    leading = f"{d.better} is better than {worse}" if d.better else f"{pair} differ"
    return f"{d.measure}: {leading} by {size_in_words(abs(d.value), d)}{said}{p_value}{unit}"


def size_in_words(size: float, difference: Difference) -> str:
    """A difference with its unit: points for shares, plain numbers otherwise.

    A point is a hundredth of a measure whose values lie between 0 and 1.
    """
    if difference.is_share:
        return f"{100 * size:.3g} points"
    return f"{size:.4g}"


def _undecided(d: Difference, pair: str, said: str, p_value: str, margin: float | None) -> str:
    if margin is not None and not d.interval.is_absent:
        shown = size_in_words(margin, d)
        if -margin < d.interval.low and d.interval.high < margin:
            return f"{d.measure}: {pair} are equivalent within {shown}{said}"
    least = detectable_difference(d)
    limit = ""
    if least is not None:
        limit = f": {d.n:,} {d.unit} can show {size_in_words(least, d)} at best"
    return f"{d.measure}: {pair} cannot be told apart{limit}{said}{p_value}"


def _p(value: float) -> str:
    return "< 0.0001" if value < 1e-4 else f"{value:.2g}"
