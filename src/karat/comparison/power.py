"""How large a difference a design can show, and how many rows or repeats a wanted one needs."""

from __future__ import annotations

from math import ceil, inf, sqrt
from typing import Any

from karat.core.errors import InputError
from karat.intervals.interval import checked_level
from karat.intervals.quantiles import normal_quantile

__all__ = [
    "POWER",
    "area_detectable",
    "area_rows",
    "checked_count",
    "checked_difference",
    "checked_spread",
    "mean_detectable",
    "mean_rows",
    "normal_points",
    "paired_share_detectable",
    "paired_share_rows",
]

POWER = 0.8


def paired_share_rows(
    difference: float,
    discordance: float,
    *,
    level: float = 0.95,
    power: float = POWER,
    one_sided: bool = False,
) -> int:
    """Rows that show a difference of two shares of the same rows (accuracies).

    Parameters
    ----------
    difference
        The wanted difference, above 0.
    discordance
        The share of rows on which just one of the models is right; at least the difference.

    Notes
    -----
    Connor (1987), Biometrics 43:207, for McNemar's test.

    Examples
    --------
    >>> paired_share_rows(0.05, 0.15)
    469
    """
    checked_difference(difference)
    if not difference <= discordance <= 1:
        raise InputError(
            f"the discordance ({discordance:g}) is a share of rows, at least as large as the "
            f"difference ({difference:g})"
        )
    alpha, beta = normal_points(level, power, one_sided=one_sided)
    root = alpha * sqrt(discordance) + beta * sqrt(max(discordance - difference**2, 0.0))
    return ceil((root / difference) ** 2 - 1e-9)


def paired_share_detectable(
    rows: float,
    discordance: float,
    *,
    level: float = 0.95,
    power: float = POWER,
    one_sided: bool = False,
) -> float:
    """The least difference of two shares that so many rows show; infinite where none can.

    Examples
    --------
    >>> paired_share_detectable(469, 0.15)
    0.05
    """
    checked_count(rows, "rows")
    if not 0 < discordance <= 1:
        raise InputError(f"the discordance is a share of rows above 0, not {discordance!r}")
    alpha, beta = normal_points(level, power, one_sided=one_sided)
    # the formula above solved for the difference
    whole = rows + beta * beta
    inner = beta * beta * discordance * (whole - alpha * alpha) / rows
    root = alpha * sqrt(discordance * rows) + sqrt(max(inner * rows, 0.0))
    found = root / whole
    return found if found <= discordance else inf


def mean_rows(
    difference: float,
    spread: float,
    *,
    level: float = 0.95,
    power: float = POWER,
    one_sided: bool = False,
) -> int:
    """Rows that show a difference of mean losses whose row differences have a spread.

    ``spread`` is the standard deviation of the rows' differences.

    Examples
    --------
    >>> mean_rows(0.1, 1.0)
    785
    """
    checked_difference(difference)
    checked_spread(spread)
    alpha, beta = normal_points(level, power, one_sided=one_sided)
    return ceil(((alpha + beta) * spread / difference) ** 2 - 1e-9)


def mean_detectable(
    rows: float,
    spread: float,
    *,
    level: float = 0.95,
    power: float = POWER,
    one_sided: bool = False,
) -> float:
    """The least difference of mean losses that so many rows show.

    Examples
    --------
    >>> mean_detectable(785, 1.0)
    0.1
    """
    checked_count(rows, "rows")
    checked_spread(spread)
    alpha, beta = normal_points(level, power, one_sided=one_sided)
    return (alpha + beta) * spread / sqrt(rows)


def area_rows(
    difference: float,
    area: float,
    prevalence: float,
    *,
    correlation: float = 0.5,
    level: float = 0.95,
    power: float = POWER,
    one_sided: bool = False,
) -> int:
    """Rows that show a difference of two areas under the ROC curve of the same rows.

    Parameters
    ----------
    area
        The area of the poorer model.
    prevalence
        Share of positive rows.
    correlation
        Of the two areas' errors; models that rank rows alike have more of it.

    Notes
    -----
    Variances after Hanley and McNeil (1982), Radiology 143:29, who assume exponential scores.

    Examples
    --------
    >>> area_rows(0.05, 0.8, 0.3)
    840
    """
    checked_difference(difference)
    if area + difference > 1:
        raise InputError(f"an area of {area:g} cannot be better by {difference:g}: 1 is the most")
    low, high = 2, 4
    given: dict[str, Any] = {
        "correlation": correlation,
        "level": level,
        "power": power,
        "one_sided": one_sided,
    }

    def shows(rows: int) -> bool:
        return _area_error(rows, area, difference, prevalence, **given) <= difference

    while not shows(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shows(middle) else (middle, high)
    return high


def area_detectable(
    rows: float,
    area: float,
    prevalence: float,
    *,
    correlation: float = 0.5,
    level: float = 0.95,
    power: float = POWER,
    one_sided: bool = False,
) -> float:
    """The least difference of two areas that so many rows show; infinite where none can.

    Examples
    --------
    >>> area_detectable(840, 0.8, 0.3)
    0.05
    """
    checked_count(rows, "rows")
    given: dict[str, Any] = {
        "correlation": correlation,
        "level": level,
        "power": power,
        "one_sided": one_sided,
    }
    low, high = 0.0, 1 - area
    if _area_error(rows, area, high, prevalence, **given) > high:
        return inf
    for _ in range(60):
        middle = (low + high) / 2
        if _area_error(rows, area, middle, prevalence, **given) <= middle:
            high = middle
        else:
            low = middle
    return high


def _area_error(
    rows: float,
    area: float,
    difference: float,
    prevalence: float,
    *,
    correlation: float,
    level: float,
    power: float,
    one_sided: bool,
) -> float:
    """What a difference must reach at so many rows: its standard errors times the two points."""
    for name, value in (("area", area), ("prevalence", prevalence)):
        if not 0 < value < 1:
            raise InputError(f"the {name} lies between 0 and 1, unlike {value!r}")
    if not -1 < correlation < 1:
        raise InputError(f"a correlation lies between -1 and 1, unlike {correlation!r}")
    alpha, beta = normal_points(level, power, one_sided=one_sided)
    ones, zeros = rows * prevalence, rows * (1 - prevalence)
    errors = [sqrt(_hanley(value, ones, zeros)) for value in (area, min(area + difference, 1.0))]
    together = 2 * correlation * errors[0] * errors[1]
    varied = sqrt(max(errors[0] ** 2 + errors[1] ** 2 - together, 0.0))
    # under no difference both models have the poorer area
    alike = errors[0] * sqrt(2 * (1 - correlation))
    return alpha * alike + beta * varied


def _hanley(area: float, ones: float, zeros: float) -> float:
    first, second = area / (2 - area), 2 * area * area / (1 + area)
    spread = area * (1 - area) + (ones - 1) * (first - area * area)
    spread += (zeros - 1) * (second - area * area)
    return max(spread, 0.0) / (ones * zeros)


def normal_points(level: float, power: float, *, one_sided: bool) -> tuple[float, float]:
    """How many standard errors stand for the level, and how many for the power.

    Examples
    --------
    >>> normal_points(0.95, 0.8, one_sided=False)
    (1.96, 0.84)
    """
    share = 1 - checked_level(level)
    if not 0 < power < 1:
        raise InputError(f"the power lies between 0 and 1 (0.8), unlike {power!r}")
    return -normal_quantile(share if one_sided else share / 2), normal_quantile(power)


def checked_difference(difference: float) -> None:
    """An error where a wanted difference is no size."""
    if not 0 < difference < inf:
        raise InputError(f"a wanted difference is a size above 0, not {difference!r}")


def checked_spread(spread: float) -> None:
    """An error where a spread is no standard deviation."""
    if not 0 < spread < inf:
        raise InputError(f"a spread is a standard deviation above 0, not {spread!r}")


def checked_count(count: float, what: str) -> None:
    """An error where there are none."""
    if not count >= 1:
        raise InputError(f"{what} are at least 1, not {count!r}")
