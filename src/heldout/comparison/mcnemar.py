"""McNemar's test: two models on the same rows, where one is right and the other wrong."""

from __future__ import annotations

from typing import Literal

from heldout.comparison.evidence import Evidence, checked_alternative, tail
from heldout.core.errors import InputError

__all__ = ["Kind", "mcnemar"]

Kind = Literal["exact", "mid-p", "normal", "corrected"]
METHODS = {
    "exact": "exact McNemar test",
    "mid-p": "mid-p McNemar test",
    "normal": "McNemar test (normal approximation)",
    "corrected": "McNemar test (normal approximation, continuity corrected)",
}


def mcnemar(
    only_first: int, only_second: int, *, kind: Kind = "exact", alternative: str = "two-sided"
) -> Evidence:
    """Whether one model is right more often where just one of them is right.

    Parameters
    ----------
    only_first, only_second
        Rows on which only that model is right. Rows on which both are right, or both
        wrong, say nothing of a difference.
    kind
        ``exact``: the binomial distribution of the rows that differ. ``mid-p``: the same
        with half the probability of the outcome itself, closer to the level. ``normal``
        and ``corrected``: the textbook's chi squared, without and with the correction.

    Notes
    -----
    McNemar (1947), Psychometrika 12:153; Fagerland, Lydersen and Laake (2013), BMC Med. Res.
    Methodol. 13:91. The statistic of the normal kinds is the signed root of chi squared.

    Examples
    --------
    >>> mcnemar(2, 10).p_value
    0.03857421875
    >>> mcnemar(2, 10, kind="normal").statistic ** 2
    5.3333
    """
    side = checked_alternative(alternative)
    if kind not in METHODS:
        raise InputError(f"a McNemar test is {', '.join(METHODS)}, not {kind!r}")
    total = only_first + only_second
    if total == 0:
        return Evidence(METHODS[kind], 0.0, 1.0, side, note="the models are right on the same rows")
    if kind in {"normal", "corrected"}:
        from scipy.special import ndtr

        difference = float(only_first - only_second)
        if kind == "corrected":
            # from R and textbooks: one unit nearer to no difference, and never past it
            nearer = max(abs(difference) - 1, 0.0)
            difference = nearer if difference > 0 else -nearer
            if only_first == only_second:
                # the textbooks' (|b - c| - 1)^2 is 1 here; no difference is no evidence
                difference = 0.0
        statistic = difference / total**0.5
        return Evidence(METHODS[kind], statistic, tail(statistic, side, lambda x: ndtr(-x)), side)
    half = 0.5 if kind == "mid-p" else 1.0
    at_least = _binomial_tail(max(only_first, only_second), total, half)
    if side == "two-sided":
        p_value = min(1.0, 2 * at_least)
    else:
        count = only_first if side == "greater" else only_second
        p_value = _binomial_tail(count, total, half)
    return Evidence(METHODS[kind], float(only_first - only_second), p_value, side)


def _binomial_tail(count: int, total: int, share_of_point: float) -> float:
    """The probability of more than ``count`` heads in ``total`` tosses, plus a share of that."""
    from scipy.stats import binom

    above = float(binom.sf(count, total, 0.5))
    return above + share_of_point * float(binom.pmf(count, total, 0.5))
