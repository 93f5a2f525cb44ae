"""Points of the normal and of Student's distribution that leave a level between them."""

from __future__ import annotations

from functools import lru_cache
from math import erfc, exp, inf, lgamma, log, log1p, pi, sqrt

__all__ = ["normal_cumulative", "normal_quantile", "two_sided_normal", "two_sided_student"]

#: from here on the expansion in 1 / freedom is exact to twelve digits
MUCH_FREEDOM = 2000
#: from here on it is near enough for Newton's steps to finish
SOME_FREEDOM = 4


@lru_cache(maxsize=64)
def normal_quantile(probability: float) -> float:
    """The standard normal quantile; infinite at 0 and 1.

    Examples
    --------
    >>> normal_quantile(0.975)
    1.95996398454
    """
    if probability <= 0 or probability >= 1:
        return -inf if probability <= 0 else inf
    # the standard library's is as exact as SciPy's, and quicker to import
    from statistics import NormalDist

    return NormalDist().inv_cdf(probability)


def normal_cumulative(value: float) -> float:
    """The standard normal distribution function, exact in the lower tail too.

    Examples
    --------
    >>> normal_cumulative(0)
    0.5
    """
    return erfc(-value / sqrt(2)) / 2


def two_sided_normal(level: float) -> float:
    """How many standard errors each side a normal interval of this level has.

    Examples
    --------
    >>> two_sided_normal(0.95)
    1.95996398454
    """
    return -normal_quantile((1 - level) / 2)


@lru_cache(maxsize=4096)
def two_sided_student(level: float, freedom: float) -> float:
    """The same of Student's distribution with this many degrees of freedom (any real number).

    Written out here, because importing SciPy would cost a command more than all its work.

    Examples
    --------
    >>> two_sided_student(0.95, 10)
    2.22813885199
    """
    tail = (1 - level) / 2
    value = _expanded(-normal_quantile(tail), freedom)
    if freedom >= MUCH_FREEDOM:
        return value
    if freedom < SOME_FREEDOM:
        return _halved(tail, freedom)
    for _ in range(20):
        step = (_tail(value, freedom) - tail) / _density(value, freedom)
        value += step
        if abs(step) < 1e-13 * value:
            break
    return value


def _expanded(z: float, freedom: float) -> float:
    """Student's quantile from the normal one: Abramowitz and Stegun 26.7.5."""
    square = z * z
    first = (square + 1) / 4
    second = ((5 * square + 16) * square + 3) / 96
    third = (((3 * square + 19) * square + 17) * square - 15) / 384
    fourth = ((((79 * square + 776) * square + 1482) * square - 1920) * square - 945) / 92160
    terms = ((fourth / freedom + third) / freedom + second) / freedom + first
    return z * (1 + terms / freedom)


def _halved(tail: float, freedom: float) -> float:
    """Student's quantile by halving: sure, for the heavy tails where Newton's steps stray."""
    high = 1.0
    while _tail(high, freedom) > tail and high < 1e300:
        high *= 2
    low = 0.0
    while low < (middle := (low + high) / 2) < high:
        if _tail(middle, freedom) > tail:
            low = middle
        else:
            high = middle
    return high


def _density(value: float, freedom: float) -> float:
    constant = lgamma((freedom + 1) / 2) - lgamma(freedom / 2) - log(freedom * pi) / 2
    return exp(constant - (freedom + 1) / 2 * log1p(value * value / freedom))


def _tail(value: float, freedom: float) -> float:
    """How much of Student's distribution lies above a value that is not negative."""
    share = freedom / (freedom + value * value)
    a, b = freedom / 2, 0.5
    if share < (a + 1) / (a + b + 2):
        return _beta(a, b, share, 1 - share) / 2
    # value^2 / (freedom + value^2) keeps the digits that 1 - share would lose
    return 0.5 - _beta(b, a, value * value / (freedom + value * value), share) / 2


def _beta(a: float, b: float, x: float, rest: float) -> float:
    """The incomplete beta ratio at x = 1 - rest, by its continued fraction (Lentz)."""
    if x <= 0:
        return 0.0
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(rest)) / a
    value, c, d = 1.0, 1.0, 0.0
    for i in range(10_000):
        half = i // 2
        if i == 0:
            step = 1.0
        elif i % 2 == 0:
            step = half * (b - half) * x / ((a + i - 1) * (a + i))
        else:
            step = -(a + half) * (a + b + half) * x / ((a + i - 1) * (a + i))
        d = 1 / (1 + step * d)
        c = 1 + step / c
        value *= c * d
        if i and abs(c * d - 1) < 1e-15:
            break
    return front * (value - 1)
