"""A difference in plain words: who is better, by how much, how sure, or what could be seen."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from karat.comparison.detectable import detectable_difference
from karat.comparison.margins import margin_verdict

if TYPE_CHECKING:
    from karat.comparison.difference import Difference

__all__ = ["in_words", "p_in_words", "size_in_words"]


def in_words(difference: Difference, *, margin: float | None = None) -> str:
    """One sentence on a difference, and one on the margin where there is one.

    ``margin``: a difference that does not matter; then it is said whether the interval shows
    equivalence or non-inferiority.
    """
    d = difference
    pair = f"{d.first} and {d.second}"
    if isnan(d.value):
        return f"{d.measure}: {pair} cannot be compared: the measure is undefined"
    if d.value == 0 and not isnan(d.p_value) and d.p_value >= 1:
        said = f"{d.measure}: {pair} do not differ at all on these {d.n:,} {d.unit}"
    elif isnan(d.p_value) or d.p_value > 1 - d.interval.level:
        said = _undecided(d, pair)
    else:
        worse = d.second if d.better == d.first else d.first
        leading = f"{d.better} is better than {worse}" if d.better else f"{pair} differ"
        unit = "" if d.direction in {"up", "down"} else " (neither direction is better)"
        size = size_in_words(abs(d.value), d)
        said = f"{d.measure}: {leading} by {size}{_limits(d)}, {_p(d)}{unit}"
    if margin is None:
        return said
    return f"{said}; {margin_verdict(d, margin).words(size_in_words(margin, d))}"


def size_in_words(size: float, difference: Difference) -> str:
    """A difference with its unit: points for shares, plain numbers otherwise.

    A point is a hundredth of a measure whose values lie between 0 and 1.
    """
    if difference.is_share:
        return f"{100 * size:.3g} points"
    return f"{size:.4g}"


def p_in_words(value: float) -> str:
    """A p-value as text.

    Examples
    --------
    >>> p_in_words(0.0312), p_in_words(1e-9)
    ('= 0.031', '< 0.0001')
    """
    return "< 0.0001" if value < 1e-4 else f"= {value:.2g}"


def _limits(d: Difference) -> str:
    """The interval as seen from the better model; signed, first minus second, where it has 0."""
    if d.interval.is_absent:
        return ""
    level = f"{100 * d.interval.level:g}%"
    low, high = d.interval.low, d.interval.high
    if low < 0 < high:
        scale, unit = (100, " points") if d.is_share else (1, "")
        return f", {level} {scale * low:+.3g} to {scale * high:+.3g}{unit}"
    low, high = sorted((abs(low), abs(high)))
    first = size_in_words(low, d).removesuffix(" points")
    return f", {level} {first} to {size_in_words(high, d)}"


def _p(d: Difference) -> str:
    if isnan(d.p_value):
        return "no p-value" + (f" ({d.evidence.note})" if d.evidence.note else "")
    corrected = " (corrected)" if d.corrected is not None else ""
    return f"p {p_in_words(d.p_value)}{corrected}"


def _undecided(d: Difference, pair: str) -> str:
    if d.evidence.p_value <= 1 - d.interval.level:
        return (
            f"{d.measure}: {pair} cannot be told apart among so many comparisons{_limits(d)}, "
            f"p {p_in_words(d.evidence.p_value)} alone, {_p(d)}"
        )
    least = detectable_difference(d)
    limit = ""
    if least is not None:
        limit = f": {d.n:,} {d.unit} can show {size_in_words(least, d)} at best"
    return f"{d.measure}: {pair} cannot be told apart{limit}{_limits(d)}, {_p(d)}"
