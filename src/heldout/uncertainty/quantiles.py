"""Points of the normal and of Student's distribution that leave a level between them."""

from __future__ import annotations

from functools import lru_cache
from math import erfc, inf, sqrt


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

    Examples
    --------
    >>> two_sided_student(0.95, 10)
    2.22813885199
    """
    from heldout.core.special import stdtrit

    return -float(stdtrit(freedom, (1 - level) / 2))
