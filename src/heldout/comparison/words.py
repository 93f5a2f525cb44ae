"""A difference in plain words: who is better, by how much, how sure, or what could be seen."""

from __future__ import annotations

from math import isfinite, isnan
from typing import TYPE_CHECKING

from heldout.comparison.margins import margin_verdict
from heldout.comparison.seen_power import detectable
from heldout.core.shown import p_in_words
from heldout.core.wording import plural

if TYPE_CHECKING:
    from heldout.comparison.difference import Difference

__all__ = ["in_words", "size_in_words"]


def in_words(difference: Difference, *, margin: float | None = None) -> str:
    """One sentence on a difference, and one on the margin where there is one.

    ``margin``: a difference that does not matter; then it is said whether the interval shows
    equivalence or non-inferiority.
    """
    d = difference
    if isnan(d.p_value):
        reason = d.evidence.note or d.interval.note or "the measure is undefined"
        return f"{d.measure}: no test of {d.first} and {d.second} was possible: {reason}"
    if d.value == 0 and d.p_value >= 1:
        said = f"{d.measure}: {d.first} and {d.second} are equal on {_those(d)}"
    elif d.p_value > 1 - d.interval.level:
        said = _undecided(d)
    else:
        said = _decided(d)
    said += _against_interval(d)
    if margin is None:
        return said
    found = margin_verdict(d, margin).words(size_in_words(margin, d))
    if (
        d.p_value <= 1 - d.interval.level
        and d.better
        and found.startswith(f"{d.better} is not worse")
    ):
        return said  # what is better is not worse
    return f"{said}; {found}"


def size_in_words(size: float, difference: Difference) -> str:
    """A difference with its unit: points for shares, plain numbers otherwise.

    A point is a hundredth of a measure whose values lie between 0 and 1.
    """
    if difference.is_share:
        text = f"{100 * size:.3g}"
        return f"{text} point" if text in {"1", "-1"} else f"{text} points"
    return f"{size:.4g}"


def _those(d: Difference) -> str:
    """The rows (splits, groups) as these words have them: "these 300 rows", "this 1 row"."""
    return f"{'this' if d.n == 1 else 'these'} {plural(d.n, d.unit[:-1])}"


def _decided(d: Difference) -> str:
    worse = d.second if d.better == d.first else d.first
    leading = (
        f"{d.better} is better than {worse}" if d.better else f"{d.first} and {d.second} differ"
    )
    unit = "" if d.direction in {"up", "down"} else " (neither direction is better)"
    return f"{d.measure}: {leading} by {size_in_words(abs(d.value), d)}{_limits(d)}, {_p(d)}{unit}"


def _undecided(d: Difference) -> str:
    side = d.evidence.alternative
    if side == "two-sided":
        lacking = f"{d.first} and {d.second} cannot be told apart"
    else:
        lacking = f"it is not shown that {_claim(d)}"
    if d.evidence.p_value <= 1 - d.interval.level:
        return (
            f"{d.measure}: {lacking} among so many comparisons{_limits(d, signed=True)}, "
            f"p {p_in_words(d.evidence.p_value)} alone, {_p(d)}"
        )
    return f"{d.measure}: {lacking}{_could_show(d)}{_limits(d, signed=True)}, {_p(d)}"


def _claim(d: Difference) -> str:
    """What a one-sided test would have shown."""
    word = d.evidence.alternative
    if d.direction not in {"up", "down"}:
        return f"the value of {d.first} is {word} than that of {d.second}"
    if (word == "greater") == (d.direction == "up"):
        return f"{d.first} is better than {d.second}"
    return f"{d.second} is better than {d.first}"


def _against_interval(d: Difference) -> str:
    """Why interval and test alone say different things; empty where they agree.

    What the correction for many comparisons does is said elsewhere.
    """
    low, high = d.interval.low, d.interval.high
    side = d.evidence.alternative
    if d.interval.is_absent or (d.value == 0 and d.p_value >= 1):
        return ""
    excludes = (low > 0 and side != "less") or (high < 0 and side != "greater")
    apart = d.evidence.p_value <= 1 - d.interval.level
    if excludes == apart or (apart and d.p_value > 1 - d.interval.level):
        return ""
    seen = "the interval holds 0, the test tells them apart"
    if excludes:
        seen = "the interval leaves 0 out, the test does not tell them apart"
    if "5x2" in d.evidence.method:
        reason = (
            "the interval is that of the corrected t test, which counts that repeats share rows; "
            "--test corrected-t is the test that belongs to it"
        )
    else:
        reason = f"they are of different methods ({d.interval.method}; {d.evidence.method})"
        reason += ", and so near the level neither should be relied on alone"
    return f"; {seen}: {reason}"


def _could_show(d: Difference) -> str:
    """What the design could have shown, with a chance of 80 % (``POWER``)."""
    study = detectable(d)
    if study is None:
        return ""
    if not isfinite(study.detectable):
        return f" ({study.note})" if study.note else ""
    size = size_in_words(study.detectable, d)
    alone = " in a single test" if d.corrected is not None else ""
    sample = f"such samples ({plural(d.n, d.unit[:-1])})"
    return f": a true difference of {size} would be found in 8 of 10 {sample}{alone}"


def _limits(d: Difference, *, signed: bool = False) -> str:
    """The interval as seen from the better model; first minus second where it has 0.

    ``signed``: no model is said to be better, so it is first minus second in any case.
    """
    if d.interval.is_absent:
        return ""
    level = f"{100 * d.interval.level:g}%"
    low, high = d.interval.low, d.interval.high
    scale, unit = (100, " points") if d.is_share else (1, "")
    side = d.evidence.alternative
    pair = f"{d.first} - {d.second}"
    if side != "two-sided":
        limit, word = (low, "at least") if side == "greater" else (high, "at most")
        if (limit > 0) == (side == "greater") and limit and not signed:
            return f", at least {size_in_words(abs(limit), d)} (one-sided {level})"
        return f", {pair} {word} {scale * limit:+.3g}{unit} (one-sided {level})"
    if signed or low < 0 < high:
        return f", {pair} {scale * low:+.3g} to {scale * high:+.3g}{unit} ({level})"
    low, high = sorted((abs(low), abs(high)))
    first = size_in_words(low, d).split(" ")[0]
    return f", {level} {first} to {size_in_words(high, d)}"


def _p(d: Difference) -> str:
    corrected = " (corrected)" if d.corrected is not None else ""
    return f"p {p_in_words(d.p_value)}{corrected}"
